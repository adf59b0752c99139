//! The recorded pull requests as their details read, and what holds of all of them.
//! Must not know: how a paragraph is made.

use super::*;
use crate::core::checklist::details::{basis, merge, split, untouched};
use crate::core::checklist::{Signoff, TickState};
use crate::core::pins::Pin;
use crate::core::policy::scenario;
use crate::core::policy::tests::policy;
use crate::core::review::Review;
use crate::core::sample::World;
use crate::core::session::Draft;

const SCENARIOS: [(&str, u64); 21] = [
    ("2159", 2159),
    ("2206", 2206),
    ("2256", 2256),
    ("2313", 2313),
    ("2349", 2349),
    ("2462", 2462),
    ("2492", 2492),
    ("2550-claims", 2550),
    ("2550-expired", 2550),
    ("2550-failed", 2550),
    ("2550-green", 2550),
    ("2550-lowscore", 2550),
    ("2550-newest", 2550),
    ("2550-noevals", 2550),
    ("2550-noreuse", 2550),
    ("2550-outsider", 2550),
    ("2550-rebased", 2550),
    ("2550-rerun", 2550),
    ("2550-running", 2550),
    ("2550-siblings", 2550),
    ("2610", 2610),
];

fn signed(review: &Review) -> &Signoff {
    review.signed().unwrap()
}

/// The details, then what they lack.
fn told(signoff: &Signoff) -> String {
    let gaps: Vec<String> = signoff.gaps.iter().map(|gap| format!("gap: {gap}\n")).collect();
    format!("{}\n\n{}", signoff.detail, gaps.concat())
}

/// Where digits stand that no evidence supports.
fn unsupported(rendered: &Rendered) -> impl Iterator<Item = usize> + '_ {
    let text = &rendered.text;
    text.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).filter(move |at| {
        let supported = rendered.facts.iter().any(|(range, id)| range.contains(at) && rendered.evidence.contains_key(id));
        // A bar that no document names is the policy's, and says so.
        let is_default = text[..*at].rfind(", bar ").is_some_and(|bar| text[bar..].contains("the default"));
        !supported && !is_default
    })
}

/// Every recorded pull request reads as a reviewer would write it; all digits of the drafted paragraphs are supported, each paragraph is one, no address
/// leads elsewhere, and nothing is said twice.
#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn recorded_pull_requests_read_well() {
    let mut wrong = Vec::new();
    for (name, number) in SCENARIOS {
        let (facts, review) = scenario::review(name, number, None, |_| {});
        let signoff = signed(&review);
        // Reading zip files needs the feature; without it neither scores nor results are known.
        if cfg!(feature = "github") {
            let mut settings = insta::Settings::clone_current();
            settings.set_snapshot_path("../../../../tests/fast/snapshots/details");
            settings.set_prepend_module_to_snapshot(false);
            settings.bind(|| insta::assert_snapshot!(name, told(signoff)));
        }
        let home = facts.page("");
        for Paragraph { topic, rendered, .. } in &signoff.drafted {
            let text = &rendered.text;
            wrong.extend(unsupported(rendered).map(|at| format!("{name} {topic}: {} of {text}", &text[at..])));
            if split(text).len() != 1 {
                wrong.push(format!("{name} {topic}: not one paragraph: {text}"));
            }
            let elsewhere = |at: usize| !text[at..].starts_with(&home);
            if text.match_indices("https://").any(|(at, _)| elsewhere(at)) {
                wrong.push(format!("{name} {topic}: leads elsewhere: {text}"));
            }
            for word in ["  ", "..", " 1 points", " 1 jobs", ": .", "1 scores", ".;", " ,"] {
                if text.trim_start().replace("\n  - ", "").contains(word) {
                    wrong.push(format!("{name} {topic}: {word:?} in {text}"));
                }
            }
        }
        let mut gaps = signoff.gaps.clone();
        gaps.sort();
        gaps.dedup();
        if gaps.len() != signoff.gaps.len() {
            wrong.push(format!("{name}: a gap twice: {:#?}", signoff.gaps));
        }
        // What nobody edited stays what is drafted.
        let now = &signoff.drafted;
        let merged = merge(&signoff.detail, &basis(now), now);
        if merged != untouched(now) || merged.edited {
            wrong.push(format!("{name}: merged to {}", merged.rendered.text));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What was pinned is one paragraph, a line each, and each digit of it rests on what was pinned.
#[test]
fn pins_are_told_in_one_paragraph_that_rests_on_them() {
    let policy = policy();
    let facts = World::new().opened(&policy);
    let mut draft = Draft::new("h", facts.repo.clone(), facts.number);
    let sweeps = Review::draw(&policy, &facts, &draft, None).conclusions.sweeps;
    let now = crate::core::sample::at("2026-08-11T12:00:00Z");
    let job = Pin::of_job(&facts, &sweeps[0], crate::core::ids::JobId(2), now).unwrap();
    let line = job.clone().with_line(&facts, 12, "- **Scope**: 34 of\u{2028} 56");
    draft.pins = vec![Pin::of_run(&sweeps[0], now).unwrap(), job, line];
    let review = Review::draw(&policy, &facts, &draft, None);
    let signoff = signed(&review);
    let told = signoff.drafted.iter().find(|paragraph| is_pins(&paragraph.topic)).unwrap();
    let text = &told.rendered.text;
    assert_eq!((split(text).len(), text.lines().count(), told.rendered.evidence.len()), (1, 4, 3), "{text}");
    assert_eq!(unsupported(&told.rendered).next(), None, "{text}");
    assert_eq!(merge(&signoff.detail, &basis(&signoff.drafted), &signoff.drafted), untouched(&signoff.drafted));
    // Details that are all the reviewer's do not tell them, and that is said.
    draft.detail = Some("mine".into());
    let review = Review::draw(&policy, &facts, &draft, None);
    assert!(signed(&review).gaps.iter().any(|gap| gap.contains("stands nowhere in your details")));
}

/// A rule that reads the details does not find its excuse in what was drafted.
#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn what_is_drafted_excuses_nothing() {
    let heading = format!("### {}\n", policy().signoff.detail);
    let some = ["2206", "2462", "2550-green", "2550-siblings", "2610"];
    for (name, number) in SCENARIOS.into_iter().filter(|(name, _)| some.contains(name)) {
        let (_, drafted) = scenario::review(name, number, None, |_| {});
        let (_, bare) = scenario::review(name, number, Some(&format!("x\n{heading}nothing\n")), |_| {});
        for (one, other) in drafted.findings.iter().zip(&bare.findings) {
            // A sign-off that is handed in is finished: its template is judged otherwise. Lost lanes are to be told.
            if matches!(one.key.as_str(), "template" | "draft" | "sweep") {
                continue;
            }
            assert_eq!((name, &one.key, one.status), (name, &other.key, other.status), "{}", drafted.signed().unwrap().detail);
        }
    }
}

fn review(draft: impl Fn(&mut Draft, &Signoff)) -> Review {
    let (policy, facts) = (policy(), World::new().opened(&policy()));
    let mut own = Draft::new("h", facts.repo.clone(), facts.number);
    let first = Review::draw(&policy, &facts, &own, None);
    draft(&mut own, signed(&first));
    Review::draw(&policy, &facts, &own, None)
}

#[test]
fn an_item_that_is_not_ticked_has_a_reason_or_is_a_gap() {
    let review = review(|draft, _| {
        draft.reasons.insert("code_quality".into(), " nits only,\n see line 3 ".into());
    });
    let signoff = signed(&review);
    assert!(signoff.items.iter().all(|item| item.tick == TickState::Open));
    assert!(signoff.detail.ends_with("- **Not ticked**:\n  - code quality: nits only, see line 3"), "{}", signoff.detail);
    let open = signoff.gaps.iter().filter(|gap| gap.starts_with("3 items are not ticked and have no reason: "));
    assert_eq!(open.count(), 1, "{:?}", signoff.gaps);
}

#[test]
fn an_item_with_its_reason_is_not_open() {
    let tick = |signoff: &Signoff, draft: &mut Draft, but: &[&str]| {
        for item in signoff.items.iter().filter(|item| !but.contains(&item.key.as_str())) {
            let tick = given(&World::new(), &item.text);
            draft.ticks.insert(item.key.clone(), tick);
        }
    };
    type Given<'a> = (&'a str, &'a dyn Fn(&mut Draft, &Signoff), usize);
    let reason = |draft: &mut Draft, key: &str, words: &str| {
        draft.reasons.insert(key.into(), "later".into());
        draft.reasons_at.insert(key.into(), given(&World::new(), words));
    };
    let quality =
        |signoff: &Signoff| signoff.items.iter().find(|item| item.key.as_str() == "code_quality").unwrap().text.clone();
    let table: [Given<'_>; 4] = [
        ("all ticked", &|draft, first| tick(first, draft, &[]), 0),
        ("one open", &|draft, first| tick(first, draft, &["code_quality"]), 1),
        (
            "with a reason",
            &|draft, first| {
                tick(first, draft, &["code_quality"]);
                reason(draft, "code_quality", &quality(first));
            },
            0,
        ),
        (
            "with one for other words",
            &|draft, first| {
                tick(first, draft, &["code_quality"]);
                reason(draft, "code_quality", "other");
            },
            1,
        ),
    ];
    for (name, draft, open) in table {
        assert_eq!(review(draft).open, open, "{name}");
    }
    // What a rule says not to apply is no open item while the details say so.
    let (policy, facts) = (policy(), World::new().opened(&policy()));
    let own = Draft::new("h", facts.repo.clone(), facts.number);
    let mut signoff = signed(&Review::draw(&policy, &facts, &own, None)).clone();
    signoff.items[1].status = Status::NotApplicable;
    assert_eq!(signoff.open(&policy, &own), 4);
    let told = format!("- **Not ticked**:{}x (drafted).", begins_reason(&policy, &signoff.items[1]));
    signoff.paragraphs = vec![crate::core::checklist::details::Placed {
        topic: Some("unticked".into()),
        range: 0..told.len(),
        kind: crate::core::checklist::details::Kind::Drafted,
    }];
    signoff.detail = told;
    assert_eq!(signoff.open(&policy, &own), 3);
}

/// An answer at the head of this world.
fn given(world: &World, words: &str) -> crate::core::session::Tick {
    let text = crate::core::evidence::digest(words.as_bytes());
    crate::core::session::Tick { head: world.head.clone(), text, at: Default::default() }
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_script_that_got_another_name_was_touched() {
    let said = |path: &str, before: Option<&str>| {
        let change = |facts: &mut Facts| {
            let Remote::Ready(got) = &mut facts.files else { panic!("no files") };
            let mut file = got.value.items[0].clone();
            (file.path, file.previous_path) = (path.to_owned(), before.map(str::to_owned));
            got.value.items.push(file);
        };
        let (_, review) = scenario::review("2550-green", 2550, None, change);
        signed(&review).detail.contains("No script, ")
    };
    let table = [
        ("run.sh", None, false),
        ("run.md", None, true),
        ("run.sh.md", Some("run.sh"), false),
        ("run.sh", Some("run.sh.md"), false),
        ("a.md", Some("b.md"), true),
    ];
    for (path, before, want) in table {
        assert_eq!(said(path, before), want, "{path} {before:?}");
    }
}

#[test]
fn a_reason_that_the_details_do_not_hold_is_a_gap() {
    for (detail, gaps) in [("seen", 1), ("seen: later.", 0)] {
        let review = review(|draft, _| {
            draft.reasons.insert("code_quality".into(), "later".into());
            draft.detail = Some(detail.into());
        });
        let signoff = signed(&review);
        assert_eq!(signoff.gaps.iter().filter(|gap| gap.contains("stands nowhere")).count(), gaps, "{detail}");
        assert!(signoff.edited && signoff.detail == detail);
    }
}

#[test]
fn what_stands_behind_an_item_is_the_reviewers_and_a_run_is_linked_once() {
    let page = "https://github.com/o/r/actions/runs/31020193450";
    let link = format!("[run 31020193450]({page})");
    let table = [
        ("pr_validation", "  see\n also @a ".to_owned(), format!("Please link it. {link} see also @a\n")),
        ("pr_validation", page.to_owned(), format!("Please link it. {link}\n")),
        ("pr_validation", format!("{page}/"), format!("Please link it. {link}\n")),
        ("pr_validation", link.clone(), format!("Please link it. {link}\n")),
        ("pr_validation", format!("{page}/job/2"), format!("Please link it. {link} {page}/job/2\n")),
        ("code_quality", "fine".to_owned(), "The general code quality is fine. fine\n".to_owned()),
        ("code_quality", "\n".to_owned(), "The general code quality is fine.\n".to_owned()),
    ];
    for (key, own, want) in table {
        let review = review(|draft, _| drop(draft.behind.insert(key.into(), own.clone())));
        let text = &signed(&review).rendered.text;
        assert!(text.contains(&want), "{own}: {text}");
    }
}

#[test]
fn what_was_edited_goes_on_beside_what_is_drafted() {
    let review = review(|draft, first| {
        draft.drafted = basis(&first.drafted);
        draft.detail = Some(first.detail.replace("- **Evals**: ", "- **Evals**: I read them. ") + "\n\nMine.");
        draft.reasons.insert("evals".into(), "later".into());
    });
    let signoff = signed(&review);
    let said = signoff.said();
    let end = "\n- **Not ticked**:\n  - passes evals: later\nMine.";
    assert!(said.starts_with("- **Evals**: I read them. ") && said.ends_with(end), "{said}");
    assert!(signoff.edited && signoff.stale.is_empty() && signoff.lost.is_empty());
    let at = signoff.rendered.text.find("0.9680").unwrap();
    assert!(signoff.rendered.facts.iter().any(|(range, _)| range.contains(&at)), "{}", signoff.rendered.text);
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_recipe_is_spoken_of_where_the_reviewer_links_it() {
    let link = "https://github.com/sgl-project/sglang/pull/36245";
    let (facts, _) = scenario::review("2550-green", 2550, Some(link), |_| {});
    let said = |behind: Option<&str>, detail: Option<&str>| {
        let mut draft = Draft::new("h", facts.repo.clone(), facts.number);
        draft.behind.extend(behind.map(|own| ("recipe_documented".into(), own.to_owned())));
        if let Some(own) = detail {
            let first = Review::draw(&policy(), &facts, &draft, None);
            (draft.drafted, draft.detail) = (basis(&signed(&first).drafted), Some(own.to_owned()));
        }
        let review = Review::draw(&policy(), &facts, &draft, None);
        signed(&review).drafted.iter().find(|one| one.topic.as_str() == "recipe").map(|one| one.rendered.clone())
    };
    assert_eq!(said(None, None), None);
    for told in [said(Some(link), None), said(None, Some(link))] {
        let told = told.unwrap();
        let start = format!("- **Recipe**: [`sgl-project/sglang#36245`]({link}) merged on 20");
        assert!(told.text.starts_with(&start), "{}", told.text);
        assert_eq!((unsupported(&told).count(), split(&told.text).len()), (0, 1), "{}", told.text);
    }
    assert_eq!(said(Some("https://github.com/sgl-project/sglang/pull/36300"), None), None, "it is open");
    // A link that is taken away takes along what was drafted from it, also where the details were edited since.
    let mut draft = Draft::new("h", facts.repo.clone(), facts.number);
    draft.behind.insert("recipe_documented".into(), link.to_owned());
    let first = Review::draw(&policy(), &facts, &draft, None);
    (draft.drafted, draft.detail) = (basis(&signed(&first).drafted), Some(format!("{}\n\nread by me", signed(&first).detail)));
    let detail = |draft: &Draft| signed(&Review::draw(&policy(), &facts, draft, None)).detail.clone();
    assert!(detail(&draft).contains(link));
    draft.behind.clear();
    assert!(!detail(&draft).contains(link) && detail(&draft).ends_with("read by me"), "{}", detail(&draft));
}

#[test]
fn commits_after_the_measured_one_are_named() {
    use crate::core::pull::{Commit, Course, Later};
    use crate::core::remote::Remote;
    let policy = policy();
    let mut facts = World::new().opened(&policy);
    let head = crate::core::ids::Sha("f".repeat(40));
    let (Remote::Ready(pull), Remote::Ready(commits)) = (&mut facts.pull, &mut facts.commits) else { panic!() };
    pull.value.head = head.clone();
    let last = commits.value.items.last().unwrap().clone();
    commits.value.items.push(Commit { sha: head, headline: "@all see https://a/9".into(), ..last });
    let review = Review::draw(&policy, &facts, &Draft::new("h", facts.repo.clone(), facts.number), None);
    let told = &signed(&review).drafted[1].rendered;
    assert!(told.text.contains(", 1 commit before the head: "), "{}", told.text);
    let want = " After it came `fffffffff` `@all see https:·//a/9`; which files it changes was not read.";
    assert!(told.text.ends_with(want), "{}", told.text);
    assert_eq!(unsupported(told).count(), 0, "{}", told.text);
    // What they change is tied to GitHub's page of the comparison.
    let (measured, head) = (review.conclusions.validation().unwrap().run.head.clone(), facts.head().unwrap().clone());
    let page = facts.page(&format!("compare/{measured}...{head}"));
    let files = ["run.sh", "a/9.md"].map(crate::core::sample::touched).to_vec();
    let later = Later { course: Course::Ahead, files: Listing::complete(files) };
    facts.later.insert((measured, head), scenario::ready("later", later));
    let review = Review::draw(&policy, &facts, &Draft::new("h", facts.repo.clone(), facts.number), None);
    let told = &signed(&review).drafted[1].rendered;
    let at = told.text.find("touches 1 file of this pull request: `run.sh`").unwrap();
    let id = told.facts.iter().find_map(|(range, id)| range.contains(&at).then_some(id)).unwrap();
    assert_eq!(told.evidence[id].link.as_ref(), Some(&page));
    assert_eq!(unsupported(told).count(), 0, "{}", told.text);
}

/// Results of two runs: each number is supported by the one that it was measured in.
#[test]
fn many_points_of_two_runs_cite_both() {
    use crate::core::conclusions::Conclusions;
    use crate::core::points::world::{self, NEW_ROW, OLD_ROW, OTHER, RUN, result};
    use serde_json::json;
    let (policy, mut facts) = (policy(), world::green());
    let concs: Vec<u32> = (1..=14).collect();
    let new = NEW_ROW.replace("[4, 16, 32, 64]", &format!("{concs:?}"));
    let head = world::entry("k", "o/i:v1", &[OLD_ROW, &new]);
    world::configs(&mut facts, &world::entry("k", "o/i:v1", &[OLD_ROW]), &head, &world::changelog("k", ""));
    *world::jobs(&mut facts) = concs
        .iter()
        .map(|conc| world::job(100 + u64::from(*conc), RUN, 1, &world::name("TP2/EP2", *conc, false), "success"))
        .collect();
    world::again(&mut facts, world::HEAD, |_| ());
    // The newer run has only the first five.
    world::value(facts.jobs.get_mut(&OTHER).unwrap()).items.truncate(5);
    for run in [RUN, OTHER] {
        let row = |conc: &u32| result(run, 2, 2, *conc, json!({"tput_per_gpu": 100.0 + f64::from(*conc)}));
        let rows = scenario::ready(&format!("results/{run}"), Listing::complete(concs.iter().map(row).collect()));
        facts.results.insert(run, rows);
    }
    let conclusions = Conclusions::draw(&policy, &facts);
    let draft = Draft::new("h", facts.repo.clone(), facts.number);
    let (policy, facts, draft, conclusions) = (&policy, &facts, &draft, &conclusions);
    let made_of = Ingredients { policy, facts, draft, conclusions, findings: &[], drafted: None };
    let points = Points::draw(policy, facts, conclusions);
    let told = results::results(&Drafting { made_of, points: &points }, &mut Vec::new()).unwrap();
    assert!(told.text.starts_with("101.0 to 114.0 tok/s/GPU, "), "{}", told.text);
    assert!(told.text.contains(&format!(" over 9 points of run {RUN} and 5 points of run {OTHER}.")), "{}", told.text);
    let label =
        |(range, id): &(std::ops::Range<usize>, _)| (told.text[range.clone()].to_owned(), told.evidence[id].label.clone());
    let (low, high) = (label(&told.facts[0]), label(&told.facts[1]));
    assert_eq!((low.1, high.1), (format!("results of run {OTHER}"), format!("results of run {RUN}")));
    assert_eq!(unsupported(&told).count(), 0, "{}", told.text);
}

#[test]
fn strangers_link_nothing() {
    let (policy, facts) = (policy(), World::new().opened(&policy()));
    let (draft, conclusions) = (Draft::new("h", facts.repo.clone(), facts.number), Default::default());
    let made_of =
        Ingredients { policy: &policy, facts: &facts, draft: &draft, conclusions: &conclusions, findings: &[], drafted: None };
    let points = Points::draw(&policy, &facts, &conclusions);
    let drafting = Drafting { made_of, points: &points };
    let head = facts.head().unwrap();
    let link = format!("[`run.sh:3`](https://github.com/o/r/blob/{head}/a/run.sh#L3)");
    let table = [
        (drafting.line("a/run.sh", Some(3)), link.as_str()),
        (drafting.line("a/x](https://h) y.sh", Some(3)), "`a/x](https:·//h) y.sh:3`"),
        (drafting.line("a`b.sh", None), "``a`b.sh``"),
        (drafting.code("http://h"), "`http:·//h`"),
    ];
    for (got, want) in table {
        assert_eq!(got, want);
    }
    assert!(!drafting.prose("see https://h/1 and [x](http://y)").contains("://"));
}
