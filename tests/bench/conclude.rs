//! What follows from the facts: all at once, and again after one more answer.

use crate::big;
use countersign::app::msg::Reply;
use countersign::app::{Effect, Model, Msg, settle, update};
use countersign::core::checklist::compose;
use countersign::core::checklist::compose::Ingredients;
use countersign::core::conclusions::Conclusions;
use countersign::core::evidence::Source;
use countersign::core::plan::{self, Answer, Read};
use countersign::core::remote::Remote;
use countersign::core::session::Draft;
use divan::{Bencher, black_box};

/// Conclusions and comment from nothing, over 5,000 jobs.
#[divan::bench]
fn from_nothing(bencher: Bencher<'_, '_>) {
    let (policy, facts) = (big::policy(), big::facts());
    let draft = Draft::new("api.github.com", facts.repo.clone(), facts.number);
    bencher.bench(|| {
        let conclusions = Conclusions::draw(&policy, &facts);
        black_box(compose(&Ingredients {
            policy: &policy,
            facts: &facts,
            draft: &draft,
            conclusions: &conclusions,
            findings: &[],
            drafted: None,
        }))
    });
}

/// Asks for `read` by a refresh, so that its answers are wanted.
fn asking(facts: countersign::core::facts::Facts, read: &Read) -> (Model, countersign::app::effect::Ticket) {
    let mut model = big::model(facts, (200, 60), "2");
    let effects = big::press(&mut model, "r");
    let ticket = effects.into_iter().find_map(|effect| match effect {
        Effect::Ask(ticket, countersign::app::effect::Request::Read(asked)) if asked == *read => Some(ticket),
        _ => None,
    });
    (model, ticket.unwrap())
}

fn answer(
    model: &mut Model,
    ticket: &countersign::app::effect::Ticket,
    read: &Read,
    answer: Answer,
    source: Source,
    last: bool,
) {
    let reply = plan::Reply { read: read.clone(), answer: Ok((answer, source)), last };
    let now = model.now;
    update(model, now, Msg::Reply(ticket.clone(), Reply::Read(reply)));
    settle(model);
}

/// One more page of jobs comes when so many are there already: absorb, conclude, lay out.
#[divan::bench(args = [100, 2_400, 4_800])]
fn one_page_of_jobs(bencher: Bencher<'_, '_>, there: usize) {
    let read = Read::Jobs(big::RUN);
    let (mut model, ticket) = asking(big::facts(), &read);
    let part = |count: usize| {
        let jobs = big::jobs(count);
        let got = jobs.known().unwrap();
        (Answer::Jobs(got.value.clone()), got.source.clone())
    };
    let (before, after) = (part(there), part(there + 100));
    let mut more = false;
    bencher.bench_local(|| {
        more = !more;
        let (listing, source) = if more { after.clone() } else { before.clone() };
        answer(&mut model, &ticket, &read, listing, source, false);
    });
}

/// One page of comments comes while all jobs are there.
#[divan::bench]
fn one_page_of_comments(bencher: Bencher<'_, '_>) {
    let read = Read::Comments;
    let (mut model, ticket) = asking(big::facts(), &read);
    let Remote::Refreshing(all) = model.facts.comments.clone() else { panic!() };
    let mut fewer = all.value.clone();
    fewer.items.truncate(900);
    let mut more = true;
    bencher.bench_local(|| {
        more = !more;
        let listing = if more { all.value.clone() } else { fewer.clone() };
        answer(&mut model, &ticket, &read, Answer::Comments(listing), big::source(usize::from(more)), false);
    });
}

/// An answer that has nothing to do with jobs, comments or configs.
#[divan::bench]
fn one_small_answer(bencher: Bencher<'_, '_>) {
    let read = Read::Repository;
    let (mut model, ticket) = asking(big::facts(), &read);
    let repository = model.facts.repository.value().unwrap().clone();
    bencher.bench_local(|| {
        answer(&mut model, &ticket, &read, Answer::Repository(repository.clone()), big::source(1), false);
    });
}
