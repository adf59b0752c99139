//! Puts template, ticks, findings and details together: the state of every item, and the comment as it would be posted.
//! Must not know: how anything is read, drawn or posted.

use super::detail;
use super::details::{self, Kind, LostFact, Merged, Placed, Stale};
use super::migrate::{Change, Migration, migrate};
use super::rendered::Rendered;
use super::template::{Item, Template, parse_template};
use crate::core::conclusions::Conclusions;
use crate::core::evidence::{Evidence, digest};
use crate::core::facts::{DocumentKind, Facts};
use crate::core::ids::{BlobId, Key};
use crate::core::policy::{Finding, ItemLink, Policy, Status, item_finding};
use crate::core::session::{Draft, Tick};
use crate::core::sweep::Sweep;
use crate::core::trouble::Trouble;

/// What the sign-off says today, and where each item stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Signoff {
    pub template: Template,
    pub items: Vec<ItemState>,
    /// The details as they stand: drafted, and what the reviewer made of it.
    pub detail: String,
    /// Whether something in `detail` is the reviewer's own.
    pub edited: bool,
    /// Where each paragraph stands in `detail`, and whose it is.
    pub paragraphs: Vec<Placed>,
    /// Paragraphs that the reviewer edited, and that would be drafted otherwise today.
    pub stale: Vec<Stale>,
    /// Numbers and links in `detail` that nothing supports any more: it must not be posted with them.
    pub lost: Vec<LostFact>,
    /// Today's paragraphs: what is kept beside an edited text ([`details::basis`]).
    pub drafted: Vec<detail::Paragraph>,
    /// The comment.
    pub rendered: Rendered,
    /// What is missing from the comment: a sentence each, for the reviewer.
    pub gaps: Vec<String>,
    /// Pins that no longer stand as they did, and what goes before long.
    pub objections: detail::Objections,
    /// How today's template differs from the one that the boxes were ticked in.
    pub migration: Option<Migration>,
}

/// Where an item's box stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TickState {
    Open,
    Ticked,
    /// Ticked at another head or for other words: does not count until ticked again.
    Stale,
}

/// One item of the checklist.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemState {
    pub key: Key,
    /// A few words; for an unknown item the beginning of its text.
    pub short: String,
    /// The item's text in the template.
    pub text: String,
    pub depth: usize,
    pub tick: TickState,
    /// It has a reason instead of a tick, but one that was given at another head or for other words.
    pub stale_reason: bool,
    /// What the rules say: [`Status::NeedsYou`] where no rule answers.
    pub status: Status,
    /// A few words: the strongest fact, or why not.
    pub brief: String,
    /// The same in a sentence.
    pub reason: String,
    /// What else the rules say of it, a line each.
    pub notes: Vec<String>,
    pub evidence: Vec<Evidence>,
    pub link: Option<ItemLink>,
}

impl Signoff {
    /// What the reviewer says in the details, and why items are not ticked: what was drafted besides is no reason for
    /// anything, and excuses nothing.
    pub fn said(&self) -> String {
        let is_said = |placed: &&Placed| placed.kind != Kind::Drafted || placed.topic.as_ref().is_some_and(detail::is_reasons);
        let each = self.paragraphs.iter().filter(is_said).filter_map(|placed| self.detail.get(placed.range.clone()));
        each.collect::<Vec<_>>().join("\n")
    }

    /// How many items have no answer: neither a tick nor a reason that counts, nor that they do not apply, where the details
    /// say so.
    pub fn open(&self, policy: &Policy, draft: &Draft) -> usize {
        let reasons = self.paragraphs.iter().filter(|placed| placed.topic.as_ref().is_some_and(detail::is_reasons));
        let told: String = reasons.filter_map(|placed| self.detail.get(placed.range.clone())).collect();
        let is_answered = |item: &&ItemState| match item.tick {
            TickState::Ticked => true,
            _ if draft.reasons.contains_key(&item.key) => !item.stale_reason,
            _ => item.status == Status::NotApplicable && told.contains(&detail::begins_reason(policy, item)),
        };
        self.items.iter().filter(|item| !is_answered(item)).count()
    }

    /// What became of an item since its box was ticked; `None`: nothing, or it is not known.
    pub fn change_of(&self, key: &Key) -> Option<&Change> {
        let migrated = self.migration.as_ref()?.items.iter().find(|item| item.key == *key)?;
        Some(&migrated.change).filter(|change| **change != Change::Kept)
    }

    /// Takes what the rules say of this very comment to the items that they answer.
    pub fn take_findings(&mut self, findings: &[Finding]) {
        for (state, item) in self.items.iter_mut().zip(&self.template.items) {
            let finding = item_finding(item.known.as_ref(), findings);
            state.status = finding.status;
            state.brief = finding.brief;
            state.reason = finding.reason;
            state.notes = finding.notes;
            state.evidence = finding.evidence;
        }
    }
}

/// Everything a sign-off is made from.
#[derive(Clone, Copy)]
pub struct Ingredients<'a> {
    pub policy: &'a Policy,
    pub facts: &'a Facts,
    pub draft: &'a Draft,
    pub conclusions: &'a Conclusions,
    /// What the rules say before there are details: what they say of the facts does not depend on the text.
    pub findings: &'a [Finding],
    /// What was drafted from exactly these facts already.
    pub drafted: Option<&'a detail::Drafted>,
}

/// Composes the sign-off; `None` while the template is still being read for the first time.
pub fn compose(made_of: &Ingredients<'_>) -> Option<Result<Signoff, Trouble>> {
    let remote = made_of.facts.document(DocumentKind::Checklist)?;
    let Some(got) = remote.known() else { return remote.trouble().map(|trouble| Err(trouble.clone())) };
    Some(parse_template(&got.value, made_of.policy).map(|template| sign(made_of, template)))
}

fn sign(made_of: &Ingredients<'_>, template: Template) -> Signoff {
    let items: Vec<ItemState> = template.items.iter().map(|item| item_state(made_of, &template, item)).collect();
    let (mut gaps, mut drafted_gaps) = (Vec::new(), Vec::new());
    let drafted = detail::draft(made_of, &items, &mut drafted_gaps);
    let merged = match &made_of.draft.detail {
        Some(own) => details::merge(own, &made_of.draft.drafted, &drafted),
        None => details::untouched(&drafted),
    };
    // What the draft lacks, a text that is all the reviewer's does not lack.
    if made_of.draft.detail.is_none() || !made_of.draft.drafted.is_empty() {
        gaps = drafted_gaps;
    }
    let Merged { rendered: detail, edited, stale, lost, paragraphs } = merged;
    gaps.extend(items.iter().filter_map(|item| unsaid(made_of, item, &detail.text)));
    let stale_reasons = items.iter().filter(|item| item.stale_reason);
    gaps.extend(stale_reasons.map(|item| {
        format!("Your reason for \"{}\" was given at another head or for other words: give it again (x).", item.short)
    }));
    let tells_pins = paragraphs.iter().any(|placed| placed.topic.as_ref().is_some_and(detail::is_pins));
    if !made_of.draft.pins.is_empty() && !tells_pins {
        gaps.push("What you pinned stands nowhere in your details: D drafts them anew, a takes a pin away.".to_owned());
    }
    let objections = detail::objections(made_of);
    let rendered = render(made_of, &template, &items, &detail, &mut gaps);
    let then = made_of.draft.template.as_ref().filter(|then| **then != template.text);
    let then = then.map(|then| Template::of(BlobId::from(""), then.clone(), made_of.policy));
    let migration = then.map(|then| migrate(&then, &template)).filter(|migration| !migration.is_empty());
    let detail = detail.text;
    Signoff { template, items, detail, edited, paragraphs, stale, lost, drafted, rendered, gaps, objections, migration }
}

/// A reason that the reviewer gave, and that stands nowhere in the details.
fn unsaid(made_of: &Ingredients<'_>, item: &ItemState, detail: &str) -> Option<String> {
    let reason = made_of.draft.reasons.get(&item.key).map(|reason| detail::one_line(reason))?;
    let is_unsaid = item.tick != TickState::Ticked && !reason.is_empty() && !detail.contains(&reason);
    is_unsaid.then(|| format!("Your reason for \"{}\" stands nowhere in your details: \"{reason}\".", item.short))
}

fn item_state(made_of: &Ingredients<'_>, template: &Template, item: &Item) -> ItemState {
    let text = template.item_text(item).to_owned();
    let draft = made_of.draft;
    let is_fresh = |tick: &Tick| tick.is_fresh(made_of.facts.head(), &item.digest);
    let tick = match draft.ticks.get(&item.key) {
        None => TickState::Open,
        Some(tick) if is_fresh(tick) => TickState::Ticked,
        Some(_) => TickState::Stale,
    };
    let has_reason = tick != TickState::Ticked && draft.reasons.contains_key(&item.key);
    let stale_reason = has_reason && !draft.reasons_at.get(&item.key).is_some_and(is_fresh);
    let finding = item_finding(item.known.as_ref(), made_of.findings);
    let short = template.name(item);
    let link = item.known.as_ref().and_then(|known| known.link);
    ItemState {
        key: item.key.clone(),
        short,
        text,
        depth: item.depth,
        tick,
        stale_reason,
        status: finding.status,
        brief: finding.brief,
        reason: finding.reason,
        notes: finding.notes,
        evidence: finding.evidence,
        link,
    }
}

/// The comment: the template's bytes with boxes ticked, runs linked, details and login filled in.
fn render(
    made_of: &Ingredients<'_>,
    template: &Template,
    items: &[ItemState],
    detail: &Rendered,
    gaps: &mut Vec<String>,
) -> Rendered {
    let mut edits: Vec<(usize, usize, Rendered)> = Vec::new();
    for (item, state) in template.items.iter().zip(items) {
        if state.tick == TickState::Ticked {
            edits.push((item.marker.start, item.marker.end, Rendered::plain("x")));
        }
        let mut behind = Rendered::default();
        if let Some(kind) = state.link {
            let link = run_link(made_of, kind);
            if link.facts.is_empty() && !is_known_missing(made_of, kind) {
                gaps.push(format!("No run can be linked behind \"{}\".", state.short));
            }
            behind.push(" ").append(&link);
        }
        // The reviewer's own words, so they are not disarmed; the run's link is not said twice.
        let own = made_of.draft.behind.get(&state.key).map(|own| detail::one_line(own)).unwrap_or_default();
        if !own.is_empty() && !is_run(made_of, state.link, &own) {
            behind.push(" ").push(&own);
        }
        if !behind.is_empty() {
            edits.push((item.text.end, item.text.end, behind));
        }
    }
    let signoff = &made_of.policy.signoff;
    match line_of(&template.text, &signoff.detail_placeholder) {
        Some((start, end)) => edits.push((start, end, detail.clone())),
        None => {
            // The template has no place for details: they go under a heading of their own, before the signature if there is one.
            let before_login = line_of(&template.text, &signoff.login_placeholder).map(|(start, _)| start);
            let at = before_login.unwrap_or(template.text.len());
            let (lead, tail) = if before_login.is_some() { ("", "\n\n") } else { ("\n\n", "") };
            let mut block = Rendered::plain(format!("{lead}### {}\n", signoff.detail));
            block.append(detail).push(tail);
            edits.push((at, at, block));
        }
    }
    let login = match made_of.facts.viewer.value() {
        Some(viewer) => viewer.login.to_string(),
        None => {
            let why = made_of.facts.viewer.trouble().map_or("It is still being asked.".to_owned(), Trouble::sentence);
            gaps.push(format!("Who signs is not known. {why}"));
            "not read".to_owned()
        }
    };
    match template.text.find(&signoff.login_placeholder) {
        Some(at) => edits.push((at, at + signoff.login_placeholder.len(), Rendered::plain(login))),
        None => edits.push((template.text.len(), template.text.len(), Rendered::plain(format!("\n\nSigned: `{login}`")))),
    }
    edits.sort_by_key(|(start, end, _)| (*start, *end));
    let mut out = Rendered::default();
    let mut at = 0;
    for (start, end, edit) in &edits {
        out.push(template.text.get(at..*start).unwrap_or_default());
        out.append(edit);
        at = *end;
    }
    out.push(template.text.get(at..).unwrap_or_default());
    let kept = out.text.trim_end().len();
    out.text.truncate(kept);
    out.push("\n");
    out
}

/// `[run 1](…)`, or words that say there is none or it is not read.
fn run_link(made_of: &Ingredients<'_>, kind: ItemLink) -> Rendered {
    let mut out = Rendered::default();
    match linked(made_of, kind) {
        Some(sweep) => out
            .fact(&format!("[run {}]({})", sweep.run.id, detail::run_page(made_of.facts, sweep)), &detail::run_evidence(sweep)),
        None => out.push(match (kind, is_known_missing(made_of, kind)) {
            (ItemLink::SweepRun, true) => "(no validation run)",
            (ItemLink::SweepRun, false) => "(validation run: not read)",
            (ItemLink::EvalRun, true) => "(no eval run)",
            (ItemLink::EvalRun, false) => "(eval run: not read)",
        }),
    };
    out
}

fn linked<'a>(made_of: &Ingredients<'a>, kind: ItemLink) -> Option<&'a Sweep> {
    match kind {
        ItemLink::SweepRun => made_of.conclusions.validation().filter(|sweep| sweep.counts.benchmark.executed > 0),
        ItemLink::EvalRun => made_of.conclusions.eval_run().filter(|sweep| sweep.counts.eval.executed > 0),
    }
}

/// Whether somebody's words are the run's link and no more: `[run 1](…)`, its address, or its number.
fn is_run(made_of: &Ingredients<'_>, kind: Option<ItemLink>, own: &str) -> bool {
    let Some(sweep) = kind.and_then(|kind| linked(made_of, kind)) else { return false };
    let page = detail::run_page(made_of.facts, sweep);
    let target = own.strip_prefix('[').and_then(|rest| rest.strip_suffix(')')?.split_once("](")).map(|(_, target)| target);
    let bare = target.unwrap_or(own).trim_matches(['<', '>']).trim_end_matches(['/', '.']);
    bare.eq_ignore_ascii_case(&page) || own == sweep.run.id.to_string()
}

/// Everything that could show such a run was read whole, and there is none.
pub(super) fn is_known_missing(made_of: &Ingredients<'_>, kind: ItemLink) -> bool {
    let facts = made_of.facts;
    let whole = facts.runs.settled().is_some_and(|runs| runs.value.is_complete()) && facts.runs_of_head_only().is_none();
    let sweeps = &made_of.conclusions.sweeps;
    whole
        && sweeps.iter().all(|sweep| sweep.complete && sweep.in_pull.is_some())
        && match kind {
            ItemLink::SweepRun => made_of.conclusions.validation().is_none(),
            ItemLink::EvalRun => made_of.conclusions.eval_run().is_none_or(|run| run.counts.eval.executed == 0),
        }
}

/// The line that holds `needle`, without its end.
fn line_of(text: &str, needle: &str) -> Option<(usize, usize)> {
    let at = text.find(needle)?;
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    Some((start, end))
}

/// What a tick for this item must remember.
pub fn tick_digest(item: &ItemState) -> String {
    digest(item.text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::listing::Completeness;
    use crate::core::policy::tests::policy;
    use crate::core::policy::{Context, findings};
    use crate::core::sample::{World, server_error};
    use crate::core::session::{Basis, Draft};

    fn signoff(facts: &Facts, draft: &Draft) -> Signoff {
        let policy = policy();
        let conclusions = Conclusions::draw(&policy, facts);
        let context = Context::new(&policy, facts, &conclusions, None, None, false);
        let findings = findings(&context);
        let made_of =
            Ingredients { policy: &policy, facts, draft, conclusions: &conclusions, findings: &findings, drafted: None };
        compose(&made_of).unwrap().unwrap()
    }

    fn draft(facts: &Facts, ticked: &[&str]) -> Draft {
        let mut draft = Draft::new("api.github.com", facts.repo.clone(), facts.number);
        let head = facts.head().unwrap();
        for item in &signoff(facts, &draft).items {
            if ticked.contains(&item.key.as_str()) {
                let tick = Tick { head: head.clone(), text: tick_digest(item), at: Default::default() };
                draft.ticks.insert(item.key.clone(), tick);
            }
        }
        draft.basis = Some(Basis { head: head.clone(), template: "x".into() });
        draft
    }

    #[test]
    fn the_comment_reads_as_a_reviewer_would_write_it() {
        let facts = World::new().opened(&policy());
        let signoff = signoff(&facts, &draft(&facts, &["pr_validation", "code_quality"]));
        let expected = "\
As a PR reviewer and CODEOWNER, I have looked and:
- [ ] This is the latest version of the checklist
- [x] The general code quality is fine.
- [x] It has passed PR validation.  Please link it. [run 31020193450](https://github.com/o/r/actions/runs/31020193450)
- [ ] This PR passes evals. [run 31020193450](https://github.com/o/r/actions/runs/31020193450)

### Additional detail section:
- **Scope**: at head `e36439994615e02aaaf042482234dc7060a6126d`, 2 files changed: `configs/nvidia-master.yaml` (+1 −0), `run.sh` (+1 −0). Config keys: `b` (added).
- **Validation**: [run 31020193450](https://github.com/o/r/actions/runs/31020193450) attempt 1 on `e36439994615e02aaaf042482234dc7060a6126d`, the head of this pull request: 1 benchmark job executed, 1 green, 0 failed; 1 eval job executed, 1 green, 0 failed; 1 plumbing job; 1 skipped (`agentic`).
- **Evals**: `gsm8k`, n = 1319, bar 0.94: TP2/EP2 mtp c64 `em_strict` 0.9680. From [run 31020193450](https://github.com/o/r/actions/runs/31020193450) attempt 1.

Signed: `nv-owner-1`
";
        assert_eq!(signoff.rendered.text, expected);
        let open = "2 items are not ticked and have no reason: \"latest checklist\", \"passes evals\". Say why, or tick them.";
        assert_eq!(signoff.gaps, [open]);
    }

    #[test]
    fn every_number_of_the_details_has_evidence() {
        let facts = World::new().opened(&policy());
        let rendered = signoff(&facts, &draft(&facts, &[])).rendered;
        for (at, c) in rendered.text.match_indices(|c: char| c.is_ascii_digit()) {
            let words = rendered.text[..at].rsplit([' ', '(']).next().unwrap();
            let supported = rendered.facts.iter().any(|(range, id)| range.contains(&at) && rendered.evidence.contains_key(id));
            // Outside facts stand only the template's own words and the login.
            assert!(supported || words.contains("nv-owner-"), "{c} at {at} of {}", rendered.text);
        }
    }

    #[test]
    fn what_was_not_read_is_said_and_never_left_as_a_placeholder() {
        let policy = policy();
        let mut world = World::new();
        world.viewer = Err(server_error());
        let mut facts = world.opened(&policy);
        facts.runs = crate::core::remote::Remote::Failed { trouble: server_error(), last: None };
        facts.files = crate::core::remote::Remote::Loading;
        facts.evals.clear();
        let mut draft = draft(&World::new().opened(&policy), &["evals"]);
        draft.basis = None;
        let signoff = signoff(&facts, &draft);
        let text = &signoff.rendered.text;
        for words in [
            "changed files were not read",
            "sweep runs were not read",
            "(validation run: not read)",
            "(eval run: not read)",
            "Signed: `not read`",
        ] {
            assert!(text.contains(words), "{words} in {text}");
        }
        assert!(!text.contains("FILL_IN") && !text.contains("insert any"));
        let gaps: Vec<&String> = signoff.gaps.iter().filter(|gap| !gap.contains("not ticked")).collect();
        let expected = [
            "The changed files are not read yet.",
            "The runs were not read. GitHub answered 502. Press r to try again.",
            "No run can be linked behind \"PR validation\".",
            "No run can be linked behind \"passes evals\".",
            "Who signs is not known. GitHub answered 502. Press r to try again.",
        ];
        assert_eq!(gaps, expected);
        // The reviewer's own details lack nothing.
        draft.detail = Some("seen".to_owned());
        assert_eq!(self::signoff(&facts, &draft).gaps, expected[2..]);
    }

    #[test]
    fn what_was_read_in_part_is_a_gap() {
        use crate::core::facts::Side;
        use crate::core::remote::Remote;
        type Change = fn(&mut Facts);
        fn value<T>(remote: Option<&mut Remote<T>>) -> &mut T {
            match remote {
                Some(Remote::Ready(got)) => &mut got.value,
                _ => panic!("not ready"),
            }
        }
        let table: [(&str, Change, &str); 6] = [
            ("files", |f| value(Some(&mut f.files)).completeness = part_of_nine(), "List of changed files: 2 of 9 read"),
            ("runs", |f| value(Some(&mut f.runs)).completeness = part_of_nine(), "List of runs: 1 of 9 read"),
            (
                "jobs",
                |f| value(f.jobs.values_mut().next()).completeness = part_of_nine(),
                "List of jobs of run 31020193450: 4 of 9 read",
            ),
            (
                "scores",
                |f| {
                    f.evals.values_mut().for_each(|scores| *scores = Remote::Failed { trouble: server_error(), last: None });
                },
                "Scores of run 31020193450: GitHub answered 502. Press r to try again.",
            ),
            (
                "bars",
                |f| value(f.documents.get_mut(&DocumentKind::Thresholds)).text = "default:\n  gsm8k: high\n".into(),
                "bars.yaml:2: invalid floating point. Correct the file at that line",
            ),
            (
                "a config file",
                |f| drop(f.sides.remove(&(Side::Head, "configs/nvidia-master.yaml".into()))),
                "configs/nvidia-master.yaml is not read yet.",
            ),
        ];
        for (name, change, said) in table {
            let mut facts = World::new().opened(&policy());
            change(&mut facts);
            let gaps = signoff(&facts, &draft(&World::new().opened(&policy()), &[])).gaps;
            assert!(gaps.iter().any(|gap| gap.contains(said)), "{name}: {gaps:?}");
        }
    }

    fn part_of_nine() -> Completeness {
        Completeness::Partial { of: Some(9), why: server_error() }
    }

    #[test]
    fn a_run_that_does_not_exist_is_told_from_one_that_was_not_read() {
        let mut world = World::new();
        world.jobs.items.retain(|job| !job.name.starts_with("eval"));
        let facts = world.opened(&policy());
        let signoff = signoff(&facts, &draft(&facts, &[]));
        let text = &signoff.rendered.text;
        assert!(text.contains("This PR passes evals. (no eval run)") && text.contains("no eval job was executed."), "{text}");
        assert!(!signoff.gaps.iter().any(|gap| gap.contains("linked")), "{:?}", signoff.gaps);
        // Of a fork's branch that is called like one of this repository, runs of earlier commits are not listed.
        let mut facts = facts;
        if let crate::core::remote::Remote::Ready(pull) = &mut facts.pull {
            pull.value.head_branch = pull.value.base_branch.clone();
        }
        let signoff = self::signoff(&facts, &draft(&facts, &[]));
        let text = &signoff.rendered.text;
        assert!(text.contains("This PR passes evals. (eval run: not read)"), "{text}");
        assert!(text.contains("executed no eval job; not every other run was read."), "{text}");
    }

    #[test]
    fn a_bar_that_no_document_names_is_said_to_be_the_default() {
        let mut facts = World::new().opened(&policy());
        if let Some(crate::core::remote::Remote::Ready(bars)) = facts.documents.get_mut(&DocumentKind::Thresholds) {
            bars.value.text = "default:\n  other: 0.5\n".into();
        }
        let rendered = signoff(&facts, &draft(&facts, &[])).rendered;
        let at = rendered.text.find("bar 0.85 (the default: no threshold names this task)").expect(&rendered.text);
        assert!(!rendered.facts.iter().any(|(range, _)| range.contains(&at)));
    }

    #[test]
    fn a_run_whose_jobs_were_not_read_is_not_said_to_have_executed_nothing() {
        use crate::core::remote::Remote;
        let mut facts = World::new().opened(&policy());
        facts.jobs.values_mut().for_each(|jobs| *jobs = Remote::Failed { trouble: server_error(), last: None });
        let signoff = signoff(&facts, &draft(&facts, &[]));
        let text = &signoff.rendered.text;
        assert!(text.contains("attempt 1 executed was not read.") && !text.contains("executed no"), "{text}");
        assert!(signoff.gaps.iter().any(|gap| gap.contains("jobs of run")), "{:?}", signoff.gaps);
    }

    #[test]
    fn a_tick_counts_only_at_its_head_and_for_its_words() {
        let policy = policy();
        let world = World::new();
        let ticked = draft(&world.opened(&policy), &["code_quality", "evals"]);
        let state = |world: &World| {
            let signoff = signoff(&world.opened(&policy), &ticked);
            (signoff.items[1].tick, signoff.rendered.text.matches("- [x]").count())
        };
        assert_eq!(state(&world), (TickState::Ticked, 2));
        let moved = World { head: "f".repeat(40).as_str().into(), ..world.clone() };
        assert_eq!(state(&moved), (TickState::Stale, 0));
        let reworded = World { template: world.template.replace("is fine.", "is superb."), ..world };
        assert_eq!(state(&reworded), (TickState::Stale, 1));
    }

    #[test]
    fn own_details_replace_the_draft_and_a_template_without_places_gets_them() {
        let policy = policy();
        let mut world = World::new();
        world.template =
            "## Template\n```\nAs a PR reviewer and CODEOWNER:\n- [ ] The general code quality is fine.\n```\n".into();
        let facts = world.opened(&policy);
        let mut draft = draft(&facts, &["code_quality"]);
        draft.detail = Some("looked at it\n\n".into());
        let text = signoff(&facts, &draft).rendered.text;
        let expected = "As a PR reviewer and CODEOWNER:\n- [x] The general code quality is fine.\n\n### Additional detail section:\nlooked at it\n\nSigned: `nv-owner-1`\n";
        assert_eq!(text, expected);
    }
}
