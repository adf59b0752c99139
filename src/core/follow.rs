//! After a sign-off stands: what its bot is doing, and, once it has rejected, what each failing check waits for.
//! Must not know: how often anybody looks, how it is shown.

use super::errand::VerifierPolicy;
use super::facts::Facts;
use super::ids::{Key, PullRef, RunId};
use super::plan::Read;
use super::policy::{Context, Finding, Policy, Status};
use super::pull::Run;
use super::remote::Remote;
use super::review::Review;
use super::time::Time;
use super::verdict::beside::own_signoff;
use super::verdict::{CheckStatus, Overall};
use chrono::TimeDelta;

/// Clocks of GitHub's own services differ by that much.
const SLACK: TimeDelta = TimeDelta::seconds(5);
/// Fewer runs than this tell no usual time.
const ENOUGH: usize = 3;

/// Where the bot stands with our newest sign-off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Following {
    pub stage: Stage,
    /// When the sign-off was last written.
    pub since: Option<Time>,
    /// Only so many of its newest runs were read, all of them younger than the sign-off.
    pub cut: Option<usize>,
    /// Half of the bot's runs that were read and ended well took less; `None`: too few are known.
    pub usual: Option<TimeDelta>,
    /// What the bot says of the head commit meanwhile.
    pub status: Option<String>,
    /// What makes it read again, in the policy's words.
    pub again: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// No run of it that belongs to this pull request is seen.
    Unseen,
    /// A run waits for a runner.
    Queued(RunId),
    Reading {
        run: RunId,
        since: Option<Time>,
    },
    /// A run ended, and no answer stands in the conversation.
    Ended {
        run: RunId,
        conclusion: String,
    },
}

/// What a failing check waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    pub key: Key,
    /// `Check 3 recipe`.
    pub check: String,
    /// It would pass now.
    pub over: bool,
    /// What it waits for, a sentence each; none: only the sign-off or the pull request can mend it.
    pub until: Vec<String>,
}

/// Where the bot stands; `None` without a sign-off of ours that waits for it.
pub fn following(policy: &Policy, facts: &Facts, review: &Review) -> Option<Following> {
    let own = own_signoff(policy, facts)?;
    let answered = review.spoken.as_ref().is_some_and(|spoken| spoken.to_us && spoken.stale.is_empty());
    if answered || policy.verdicts.is_none() {
        return None;
    }
    let since = own.updated_at.max(own.created_at);
    let verifier = policy.errands.verifier.as_ref();
    let page = facts.bot_runs.value();
    let cut = page.filter(|page| !page.is_complete()).and_then(|page| {
        let oldest = page.items.iter().filter_map(|run| run.created_at).min()?;
        (oldest > since?).then_some(page.items.len())
    });
    let runs = page.map(|list| list.items.as_slice()).unwrap_or_default();
    let runs: Vec<&Run> = runs.iter().filter(|run| verifies(verifier, run)).collect();
    let title = facts.pull.value().map(|pull| pull.title.as_str());
    // Such a run tells its pull request by the title alone.
    let is_ours =
        |run: &&Run| Some(run.title.as_str()) == title && run.created_at.zip(since).is_none_or(|(run, own)| run + SLACK >= own);
    let newest = runs.iter().copied().filter(is_ours).max_by_key(|run| (run.created_at, run.id));
    let stage = match newest {
        None => Stage::Unseen,
        Some(run) => match (run.status.as_str(), &run.conclusion) {
            ("completed", conclusion) => {
                Stage::Ended { run: run.id, conclusion: conclusion.clone().unwrap_or_else(|| "unknown".to_owned()) }
            }
            ("in_progress", _) => Stage::Reading { run: run.id, since: run.started_at.or(run.created_at) },
            _ => Stage::Queued(run.id),
        },
    };
    let era = Context::new(policy, facts, &review.conclusions, None, None, false).era;
    let status = policy.verdicts.as_ref().and_then(|verdicts| verdicts.status.as_ref()).and_then(|context| {
        let found = facts.statuses.value()?.items.iter().find(|status| status.context == *context)?;
        Some(format!("{} says {}: {}", found.context, found.state, found.description))
    });
    let again = verifier.and_then(|verifier| verifier.again.get(era)).cloned();
    Some(Following { stage, since, cut, usual: usual(&runs), status, again })
}

/// Whether a run reads a sign-off. A workflow starts for every comment, and skips its work where that is none; what else
/// starts it is the policy's.
fn verifies(verifier: Option<&VerifierPolicy>, run: &Run) -> bool {
    let events = verifier.map(|verifier| verifier.events.as_slice()).unwrap_or_default();
    run.conclusion.as_deref() != Some("skipped") && (events.is_empty() || events.contains(&run.event))
}

/// The median length of the runs that ended well.
fn usual(runs: &[&Run]) -> Option<TimeDelta> {
    let done = runs.iter().filter(|run| run.conclusion.as_deref() == Some("success"));
    let mut lengths: Vec<TimeDelta> = done
        .filter_map(|run| Some(run.updated_at? - run.started_at.or(run.created_at)?))
        .filter(|length| *length > TimeDelta::zero())
        .collect();
    lengths.sort();
    (lengths.len() >= ENOUGH).then(|| lengths[lengths.len() / 2])
}

impl Following {
    /// Twice its usual time has passed since the sign-off.
    pub fn is_overdue(&self, now: Time) -> bool {
        self.usual.zip(self.since).is_some_and(|(usual, since)| now - since > usual * 2)
    }

    /// `The bot is reading · 1 m 40 s (usually 4 m 10 s).`
    pub fn sentence(&self, now: Time) -> String {
        let usually = self.usual.map(|usual| format!(" (usually {})", render_length(usual))).unwrap_or_default();
        let length = |since: Option<Time>| since.map(|since| format!(" · {}", render_length(now - since))).unwrap_or_default();
        match &self.stage {
            Stage::Unseen => match self.cut {
                None => format!("No run of the bot is seen yet{}{usually}.", length(self.since)),
                Some(read) => format!("None of the bot's newest {read} runs is for this; an older one may be{usually}."),
            },
            Stage::Queued(run) => format!("The bot's run {run} waits for a runner{}{usually}.", length(self.since)),
            Stage::Reading { since, .. } => format!("The bot is reading{}{usually}.", length(*since)),
            Stage::Ended { run, conclusion } => {
                format!("The bot's run {run} ended ({conclusion}), and no answer of it stands here{usually}.")
            }
        }
    }

    /// What else is to be said, a sentence each.
    pub fn notes(&self, now: Time) -> Vec<String> {
        let mut out: Vec<String> = self.status.iter().cloned().collect();
        if self.is_overdue(now) || matches!(self.stage, Stage::Ended { .. }) {
            out.push("V has it read the sign-off again; c copies a message to somebody who may.".to_owned());
            out.extend(self.again.clone());
        }
        out
    }
}

/// `1 m 40 s`, `40 s`, `2 h 5 m`.
fn render_length(length: TimeDelta) -> String {
    let seconds = length.num_seconds().max(0);
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, 0) => format!("{minutes} m"),
        (0, minutes, seconds) => format!("{minutes} m {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} m"),
    }
}

/// The checks that the bot rejected in its newest answer to us, and what each waits for.
pub fn waits(facts: &Facts, review: &Review) -> Vec<Wait> {
    let Some(spoken) = review.spoken.as_ref().filter(|spoken| spoken.to_us) else { return Vec::new() };
    if spoken.verdict.overall != Overall::Rejected {
        return Vec::new();
    }
    let failing = spoken.verdict.rows.iter().filter(|row| row.status == CheckStatus::Fail);
    let wait = |row: &crate::core::verdict::CheckRow| {
        let key = row.key.clone()?;
        let finding = review.findings.iter().find(|finding| finding.key == key)?;
        let over = matches!(finding.status, Status::Pass | Status::NotApplicable | Status::Warn);
        let until = if over { Vec::new() } else { until(facts, review, finding) };
        Some(Wait { check: format!("Check {} {}", row.number, key), key, over, until })
    };
    failing.filter_map(wait).collect()
}

fn until(facts: &Facts, review: &Review, finding: &Finding) -> Vec<String> {
    let mut out = Vec::new();
    match finding.key.as_str() {
        "recipe" => out.extend(unmerged(facts, review).map(|pull| format!("{pull} until it is merged"))),
        "sweep" | "evals" => {
            let unfinished = review.conclusions.sweeps.iter().filter(|sweep| sweep.run.status != "completed");
            out.extend(unfinished.map(|sweep| format!("{} until it ends", sweep.label())));
            // Until then GitHub starts no sweep.
            if facts.pull.value().and_then(|pull| pull.mergeable) == Some(false) {
                out.push("the conflict with the base branch until it is solved by a merge, not a rebase".to_owned());
            }
        }
        _ => {}
    }
    out
}

/// Pull requests that the sign-off or the finding rests on, and that are read and not merged. Others are linked by people who
/// spoke of something else.
fn unmerged<'a>(facts: &'a Facts, review: &'a Review) -> impl Iterator<Item = &'a PullRef> {
    let found = review.findings.iter().flat_map(|finding| &finding.evidence);
    let found: Vec<&str> = found.map(|evidence| evidence.label.as_str()).collect();
    let lists = [&facts.comments, &facts.reviews, &facts.line_comments];
    let viewer = facts.viewer.value().map(|viewer| viewer.id);
    let said = lists.into_iter().filter_map(Remote::value).flat_map(|list| &list.items);
    let ours: Vec<&str> =
        said.filter(|said| viewer.is_some() && said.author.id == viewer).map(|said| said.body.as_str()).collect();
    let rests = move |pull: &PullRef| {
        let page = format!("/{}/pull/{}", pull.repo, pull.number);
        // Of `…/pull/12` the first digit is not `…/pull/1`.
        let links = |text: &&str| text.split(&page).skip(1).any(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()));
        found.contains(&pull.to_string().as_str()) || ours.iter().any(links)
    };
    let open = |remote: &Remote<crate::core::pull::LinkedPull>| {
        remote.value().is_some_and(|pull| pull.merged_at.is_none() && pull.state == "open")
    };
    facts.linked.iter().filter(move |(pull, remote)| open(remote) && rests(pull)).map(|(pull, _)| pull)
}

impl Wait {
    /// `Check 3 recipe waits for sgl-project/sglang#36300 until it is merged.`
    pub fn sentence(&self) -> String {
        match (self.over, self.until.is_empty()) {
            (true, _) => format!("{} holds now: I takes your sign-off over, and p posts it in its place.", self.check),
            (false, true) => format!("{} waits for a change of the pull request or of the sign-off.", self.check),
            (false, false) => format!("{} waits for {}.", self.check, self.until.join(", and ")),
        }
    }
}

/// What tells whether the bot has begun.
pub fn reads_of_bot(policy: &Policy, facts: &Facts) -> Vec<Read> {
    let workflow = policy.errands.verifier.as_ref().map(|verifier| Read::BotRuns { workflow: verifier.workflow.clone() });
    let status = policy.verdicts.as_ref().and_then(|verdicts| verdicts.status.as_ref());
    let status = status.and(facts.head()).map(|head| Read::Statuses { commit: head.clone() });
    workflow.into_iter().chain(status).collect()
}

/// What tells whether something that was waited for has come: the pull request, links that were open, runs that went on.
pub fn reads_of_waits(facts: &Facts, review: &Review) -> Vec<Read> {
    let going = review.conclusions.sweeps.iter().filter(|sweep| sweep.run.status != "completed").map(|sweep| sweep.run.id);
    let runs = going.flat_map(|run| [Read::Run(run), Read::Jobs(run)]);
    let links = unmerged(facts, review).cloned().map(Read::Linked);
    [Read::Pull, Read::Comments].into_iter().chain(links).chain(runs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::ids::{PullNumber, RepoName};
    use crate::core::listing::Listing;
    use crate::core::policy::tests::policy;
    use crate::core::pull::{CommitStatus, LinkedPull};
    use crate::core::remote::Sourced;
    use crate::core::sample::{TRIGGER, World, actor, at, comment};
    use crate::core::session::Draft;

    fn bot(id: u64, title: &str, status: &str, conclusion: Option<&str>, from: &str, to: &str) -> Run {
        Run {
            id: RunId(id),
            attempt: 1,
            name: "Verify".into(),
            title: title.into(),
            event: "issue_comment".into(),
            path: ".github/workflows/verify.yml".into(),
            head: "b".repeat(40).as_str().into(),
            head_branch: Some("main".into()),
            head_repo: None,
            status: status.into(),
            conclusion: conclusion.map(str::to_owned),
            created_at: Some(at(from)),
            started_at: Some(at(from)),
            updated_at: Some(at(to)),
            url: String::new(),
        }
    }

    /// A world with a sign-off of ours of 10:00, and what is followed there.
    fn follow(runs: Vec<Run>, statuses: Vec<CommitStatus>) -> (Option<Following>, String) {
        let policy = policy();
        let mut world = World { bot_runs: runs, statuses, ..World::new() };
        world.comments.push(comment(200, actor("nv-owner-1", 42), &format!("{TRIGGER}, I have")));
        let mut facts = world.opened(&policy);
        let title = facts.pull.value().unwrap().title.clone();
        for read in reads_of_bot(&policy, &facts) {
            crate::core::plan::absorb(&mut facts, world.reply(read));
        }
        let review = Review::draw(&policy, &facts, &Draft::new("h", facts.repo.clone(), facts.number), None);
        (following(&policy, &facts, &review), title)
    }

    #[test]
    fn the_bot_is_followed_from_unseen_to_its_end() {
        let (_, title) = follow(Vec::new(), Vec::new());
        let now = at("2026-08-11T10:01:40Z");
        let from = "2026-08-11T10:00:00Z";
        let table = [
            (vec![], "No run of the bot is seen yet · 1 m 40 s."),
            // Of another pull request, and of an earlier sign-off.
            (vec![bot(1, "other", "in_progress", None, from, from)], "No run of the bot is seen yet · 1 m 40 s."),
            (
                vec![bot(1, &title, "in_progress", None, "2026-08-11T09:59:00Z", from)],
                "No run of the bot is seen yet · 1 m 40 s.",
            ),
            (vec![bot(1, &title, "queued", None, from, from)], "The bot's run 1 waits for a runner · 1 m 40 s."),
            (vec![bot(1, &title, "in_progress", None, from, from)], "The bot is reading · 1 m 40 s."),
            (
                vec![bot(1, &title, "completed", Some("failure"), from, from)],
                "The bot's run 1 ended (failure), and no answer of it stands here.",
            ),
        ];
        for (runs, said) in table {
            assert_eq!(follow(runs, Vec::new()).0.unwrap().sentence(now), said);
        }
    }

    #[test]
    fn its_usual_time_is_told_by_three_runs_and_passed_twice_offers_a_way_on() {
        let run = |id, to| bot(id, "other", "completed", Some("success"), "2026-08-11T08:00:00Z", to);
        let three = vec![run(1, "2026-08-11T08:01:00Z"), run(2, "2026-08-11T08:04:10Z"), run(3, "2026-08-11T09:00:00Z")];
        let followed = follow(three.clone(), Vec::new()).0.unwrap();
        let (soon, late) = (at("2026-08-11T10:08:20Z"), at("2026-08-11T10:08:21Z"));
        assert_eq!(followed.sentence(soon), "No run of the bot is seen yet · 8 m 20 s (usually 4 m 10 s).");
        assert!(!followed.is_overdue(soon) && followed.notes(soon).is_empty());
        assert!(followed.is_overdue(late) && followed.notes(late).len() == 2, "{:?}", followed.notes(late));
        let two = follow(three[..2].to_vec(), Vec::new()).0.unwrap();
        assert!(two.usual.is_none() && !two.is_overdue(at("2026-08-12T10:00:00Z")));
    }

    #[test]
    fn runs_that_read_no_sign_off_say_nothing() {
        let (_, title) = follow(Vec::new(), Vec::new());
        let (from, soon) = ("2026-08-11T10:00:00Z", "2026-08-11T10:00:03Z");
        let other = |event: &str, run: Run| Run { event: event.into(), ..run };
        // For a comment that is no sign-off; for a push, which ends in seconds and well.
        let skipped = bot(9, &title, "completed", Some("skipped"), from, soon);
        let push = |id| other("pull_request_target", bot(id, &title, "completed", Some("success"), from, soon));
        let reading = bot(1, &title, "in_progress", None, from, from);
        let followed = follow(vec![skipped.clone(), push(5), push(6), push(7), reading], Vec::new()).0.unwrap();
        assert_eq!(followed.sentence(at("2026-08-11T10:01:40Z")), "The bot is reading · 1 m 40 s.");
        let unseen = follow(vec![skipped, push(5), push(6), push(7)], Vec::new()).0.unwrap();
        assert_eq!(unseen.sentence(at("2026-08-11T10:01:40Z")), "No run of the bot is seen yet · 1 m 40 s.");
        assert!(!unseen.is_overdue(at("2026-08-11T10:01:40Z")));
    }

    #[test]
    fn a_page_of_its_runs_that_ends_after_the_sign_off_is_no_list_of_all() {
        let policy = policy();
        let mut world = World::new();
        world.comments.push(comment(200, actor("nv-owner-1", 42), &format!("{TRIGGER}, I have")));
        let later = "2026-08-11T10:00:30Z";
        for (first, said) in [
            (later, "None of the bot's newest 2 runs is for this; an older one may be."),
            ("2026-08-11T09:00:00Z", "No run of the bot is seen yet · 1 m 40 s."),
        ] {
            let mut facts = world.opened(&policy);
            for read in reads_of_bot(&policy, &facts) {
                crate::core::plan::absorb(&mut facts, world.reply(read));
            }
            let Remote::Ready(got) = &mut facts.bot_runs else { panic!("no runs") };
            let why = crate::core::sample::server_error();
            let runs = [bot(2, "other", "completed", None, later, later), bot(1, "other", "completed", None, first, later)];
            got.value = Listing::partial(runs.to_vec(), Some(90), why);
            let review = Review::draw(&policy, &facts, &Draft::new("h", facts.repo.clone(), facts.number), None);
            let followed = following(&policy, &facts, &review).unwrap();
            assert_eq!(followed.sentence(at("2026-08-11T10:01:40Z")), said);
        }
    }

    #[test]
    fn a_check_waits_for_what_it_rests_on_alone() {
        let (policy, mut world) = (policy(), World { run_conclusion: None, ..World::new() });
        let page = "https://github.com/up/stream/pull";
        world.comments.push(comment(200, actor("nv-owner-1", 42), &format!("{TRIGGER}, I have seen {page}/12.")));
        world.comments.push(comment(201, actor("somebody", 9), &format!("{page}/1 is like this")));
        let mut facts = world.opened(&policy);
        let Remote::Ready(pull) = &mut facts.pull else { panic!("no pull request") };
        pull.value.mergeable = Some(false);
        for number in [1, 12] {
            let source = facts.viewer.known().unwrap().source.clone();
            let pull = LinkedPull {
                title: String::new(),
                state: "open".into(),
                draft: false,
                merged_at: None,
                files: Listing::complete(Vec::new()),
            };
            let repo = RepoName { owner: "up".into(), name: "stream".into() };
            let named = PullRef { repo, number: PullNumber(number) };
            facts.linked.insert(named, Remote::Ready(Sourced { value: pull, source }));
        }
        let review = Review::draw(&policy, &facts, &Draft::new("h", facts.repo.clone(), facts.number), None);
        let of = |key: &str| {
            let finding = review.findings.iter().find(|finding| finding.key.as_str() == key).unwrap();
            until(&facts, &review, finding)
        };
        assert_eq!(of("recipe"), ["up/stream#12 until it is merged"]);
        assert!(matches!(&of("sweep")[..], [run, conflict] if run.contains("until it ends") && conflict.contains("conflict")));
        assert_eq!(of("template"), [""; 0]);
    }

    #[test]
    fn its_status_is_told() {
        let status = |context: &str| CommitStatus {
            context: context.into(),
            state: "pending".into(),
            description: "reading".into(),
            at: None,
            url: None,
        };
        let followed = follow(Vec::new(), vec![status("other"), status("codeowner-signoff-verify")]).0.unwrap();
        assert_eq!(followed.notes(at("2026-08-11T10:00:00Z")), ["codeowner-signoff-verify says pending: reading"]);
    }
}
