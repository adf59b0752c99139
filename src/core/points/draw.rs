//! Draws the points and their coverage from what is known.
//! Must not know: how runs are ranked, how rows are matched.

use super::cells::{self, Rows};
use super::claims::attach;
use super::hole::Hole;
use super::notes::{notes, patterns};
use super::retired::retired;
use super::runs::{Found, Kind, Owed, Run, Site, find};
use super::{Cell, EvalRef, JobRef, Launches, PointReview, Points, Untouched};
use crate::core::axes::Concurrency;
use crate::core::conclusions::Conclusions;
use crate::core::configs::asked::{OfChangelog, named};
use crate::core::configs::compare::{Field, What};
use crate::core::configs::jobs::{Evals, Load};
use crate::core::configs::{ChangedKeys, Entry, Job, Point, asked};
use crate::core::facts::Facts;
use crate::core::policy::Policy;
use crate::core::results::ResultRow;
use crate::core::sweep::origin::origin;
use crate::core::sweep::{Origin, Standing, Sweep};
use crate::core::time::Day;
use std::collections::{BTreeMap, BTreeSet, HashMap};

impl Points {
    pub fn draw(policy: &Policy, facts: &Facts, conclusions: &Conclusions) -> Points {
        let keys: &ChangedKeys = &conclusions.keys;
        let days: BTreeSet<Option<Day>> =
            conclusions.sweeps.iter().map(|sweep| day_of(sweep, facts)).chain([facts.day]).collect();
        let owed: BTreeMap<Option<Day>, Owed<'_>> =
            days.into_iter().map(|day| (day, Owed::of(asked(&policy.configs, keys, day)))).collect();
        let nothing = Owed::default();
        let runs: Vec<Run<'_>> = conclusions
            .sweeps
            .iter()
            .map(|sweep| {
                let day = day_of(sweep, facts);
                let under = origin(facts, &sweep.run, |label| policy.sweep.fail_fast.iter().any(|known| known == label));
                let fail_fast = matches!(under, Origin::Labelled(_) | Origin::Under(_));
                Run::new(sweep, owed.get(&day).unwrap_or(&nothing), day, fail_fast)
            })
            .collect();
        let counts = |run: &&Run<'_>| run.sweep.in_pull == Some(true) && run.sweep.standing == Standing::Counts;
        let day = runs.iter().find(counts).map_or(facts.day, |run| run.day);
        let survey = Survey {
            policy,
            facts,
            conclusions,
            rows: Rows::of(facts, &runs),
            named: named(keys),
            today: owed.get(&day).unwrap_or(&nothing),
            day,
            veil: veil(facts, keys),
            runs: &runs,
        };
        survey.points(keys)
    }
}

/// The day whose rules a run went by.
fn day_of(sweep: &Sweep, facts: &Facts) -> Option<Day> {
    sweep.run.created_at.map(|time| time.date_naive()).or(facts.day)
}

/// Why nothing can be said to be covered at all.
fn veil(facts: &Facts, keys: &ChangedKeys) -> Option<String> {
    if let Some(doubt) = keys.doubt() {
        return Some(doubt);
    }
    let absent = |key: &&String| keys.known.as_ref().is_some_and(|known| !known.contains(*key));
    if let Some(key) = keys.unread.iter().find(|key| !key.contains('*') && !absent(key)) {
        return Some(format!("The entry of {key} is not at hand, and a job of it may have the same name as another's."));
    }
    match facts.runs.settled() {
        None => Some(match facts.runs.trouble() {
            Some(trouble) => format!("The runs cannot be read: {}", trouble.sentence()),
            None => "The runs are not read yet.".to_owned(),
        }),
        Some(got) => got.value.render_gap().map(|gap| format!("The runs are not read whole: {gap}")),
    }
}

/// Everything that a point is compared with.
struct Survey<'r, 'a> {
    policy: &'a Policy,
    facts: &'a Facts,
    conclusions: &'a Conclusions,
    rows: Rows<'a>,
    named: Vec<OfChangelog<'a>>,
    /// What a sweep of `day` owes.
    today: &'a Owed<'a>,
    day: Option<Day>,
    veil: Option<String>,
    runs: &'r [Run<'a>],
}

impl<'r, 'a> Survey<'r, 'a> {
    fn points(&self, keys: &'a ChangedKeys) -> Points {
        let mut heads: BTreeMap<&str, &'a Entry> = BTreeMap::new();
        for entry in keys.entries.iter().chain(&keys.touched) {
            heads.entry(&entry.key).or_insert(entry);
        }
        let (archived, unread) = retired(&self.policy.configs, self.facts, keys);
        let (mut added, mut changed, mut removed) = (Vec::new(), Vec::new(), Vec::new());
        let mut moved: HashMap<(&str, usize, u32), usize> = HashMap::new();
        let (mut untouched, mut doubt) = (Untouched::default(), self.veil.clone());
        // A list may name a concurrency thousands of times: each is looked up once.
        let mut known: HashMap<(*const Point, u32), PointReview> = HashMap::new();
        let mut review = |site: &Site<'a>, fields: Vec<Field>| {
            let place = (std::ptr::from_ref(site.row), site.conc);
            PointReview { fields, ..known.entry(place).or_insert_with(|| self.review(site)).clone() }
        };
        for change in &keys.changes {
            untouched.count += change.untouched;
            if archived.iter().any(|entry| entry.config == change.key) {
                continue;
            }
            let old = keys.was.iter().find(|entry| entry.key == change.key);
            for point in &change.points {
                let entry = if point.what == What::Removed { old } else { heads.get(change.key.as_str()).copied() };
                let Some((entry, row)) = entry.and_then(|entry| Some((entry, entry.points.get(point.row)?))) else {
                    doubt.get_or_insert_with(|| format!("The points of {} cannot be looked up: see its entry.", change.key));
                    continue;
                };
                let site = Site { entry, row, conc: point.at.conc };
                match &point.what {
                    What::Removed => removed.push(bare(&site)),
                    What::Added => added.push(review(&site, Vec::new())),
                    What::Changed(fields) => changed.push(review(&site, fields.clone())),
                }
                if point.what != What::Removed {
                    *moved.entry((&change.key, point.row, point.at.conc)).or_default() += 1;
                }
            }
        }
        for (key, entry) in &heads {
            let known = keys.changes.iter().any(|change| change.key == *key);
            let mut seen: HashMap<(*const Point, u32), Cell<JobRef>> = HashMap::new();
            for (at, row) in entry.points.iter().enumerate() {
                for conc in &row.conc {
                    if let Some(left) = moved.get_mut(&(*key, at, *conc)).filter(|left| **left > 0) {
                        *left -= 1;
                        continue;
                    }
                    untouched.count += usize::from(!known);
                    let site = Site { entry, row, conc: *conc };
                    let job = seen.entry((std::ptr::from_ref(row), *conc)).or_insert_with(|| self.job(&site).1);
                    untouched.rerun += usize::from(job.holds());
                    doubt = doubt.or_else(|| unread_of(job.hole.iter()));
                }
            }
        }
        attach(added.iter_mut().chain(&mut changed), self.facts, self.conclusions);
        let living = || added.iter().chain(&changed);
        doubt = doubt.or_else(|| living().find_map(|point: &PointReview| unread_of(point.holes())));
        let patterns = patterns(keys);
        Points {
            complete: doubt.is_none(),
            doubt,
            notes: notes(keys, &patterns, unread, living()),
            untouched,
            retired: archived,
            patterns,
            launches: Launches::draw(self.policy, self.facts, self.conclusions),
            keys_known: keys.doubt().is_none(),
            added,
            changed,
            removed,
        }
    }

    fn review(&self, site: &Site<'a>) -> PointReview {
        let (found, job) = self.job(site);
        let result = self.result(site, &found, &job);
        let eval = self.eval(site, &found, &job);
        PointReview { job, result, eval, ..bare(site) }
    }

    /// The benchmark that speaks for a point.
    fn job(&self, site: &Site<'a>) -> (Found<'r, 'a>, Cell<JobRef>) {
        let mut found = find(self.runs, site, Kind::Benchmark, None, &self.policy.sweep.framework_aliases);
        if found.hole == Some(Hole::NoRun) {
            found.hole = Some(match self.today.of_site(site, Kind::Benchmark).next().is_some() {
                true => self.facts.runs_of_head_only().map_or(Hole::NoRun, Hole::Unread),
                false => self.unasked(site),
            });
        }
        let cell = Cell { found: reference(&found), hole: self.veiled(found.hole.clone()) };
        (found, cell)
    }

    /// Why no benchmark of a point is due.
    fn unasked(&self, site: &Site<'_>) -> Hole {
        let key = site.entry.key.clone();
        let load: Load = site.row.load();
        if self.names(site).next().is_none() {
            return Hole::Unnamed { key };
        }
        if self.day.is_some_and(|day| self.policy.configs.is_retired(load, day)) {
            return Hole::RetiredLane { lane: load.render() };
        }
        match self.today.asked.open.first().filter(|_| self.today.asked.jobs.is_empty()) {
            Some(why) => Hole::Unread(why.clone()),
            None => Hole::Unasked { key },
        }
    }

    /// The changelog entries that name the config of a point.
    fn names<'s>(&'s self, site: &'s Site<'_>) -> impl Iterator<Item = &'s OfChangelog<'a>> {
        self.named.iter().filter(|(_, entries)| entries.iter().any(|entry| entry.key == site.entry.key))
    }

    fn result(&self, site: &Site<'a>, found: &Found<'r, 'a>, job: &Cell<JobRef>) -> Cell<ResultRow> {
        match (found.run, job.holds()) {
            (Some(run), true) => {
                let (row, hole) = self.rows.find(run, site);
                Cell { found: row.cloned(), hole }
            }
            _ => Cell::hole(Hole::Unmeasured),
        }
    }

    fn eval(&self, site: &Site<'a>, found: &Found<'r, 'a>, job: &Cell<JobRef>) -> Cell<EvalRef> {
        let run = found.run;
        let (owed, day) = run.map_or((self.today, self.day), |run| (run.owed, run.day));
        if owed.of_site(site, Kind::Eval).next().is_none() {
            let hole = match (&job.hole, day) {
                (Some(hole @ (Hole::Unnamed { .. } | Hole::RetiredLane { .. })), _) => hole.clone(),
                // Without a run that owes something, what is not known of the benchmark is not known of the eval.
                (Some(hole @ Hole::Unread(_)), _) if run.is_none() => hole.clone(),
                (_, None) => Hole::Unread("The day of the run is not known, so neither are the rules of its evals.".to_owned()),
                (_, Some(day)) => {
                    let off = self.names(site).all(|(changelog, _)| changelog.scope().evals == Evals::None);
                    cells::not_due(&self.policy.configs.eval_eras, site, off, day)
                }
            };
            return Cell { found: None, hole: self.veiled(Some(hole)) };
        }
        // Both must be of one commit; which one, the benchmark says.
        let commit = run.filter(|_| found.job.is_some()).map(|run| &run.sweep.run.head);
        let eval = find(self.runs, site, Kind::Eval, commit, &self.policy.sweep.framework_aliases);
        let scores = |run: &Run<'_>| cells::scores(self.conclusions.judged.get(&run.sweep.run.id), run, site);
        let (scores, hole) = match (eval.hole.clone(), eval.run) {
            (None, Some(run)) => scores(run),
            // An eval below its bar fails, and its score tells more than its end.
            (Some(failed @ Hole::Failed { .. }), Some(run)) => match scores(run) {
                (scores, Some(low @ Hole::Low { .. })) => (scores, Some(low)),
                (scores, _) => (scores, Some(failed)),
            },
            (hole, _) => (None, hole),
        };
        let found = reference(&eval).map(|job| EvalRef { job, scores });
        Cell { found, hole: self.veiled(hole) }
    }

    /// What was read and went wrong stays said; nothing else is known behind a veil.
    fn veiled(&self, hole: Option<Hole>) -> Option<Hole> {
        match (&self.veil, hole) {
            (None, hole) => hole,
            (_, Some(hole @ (Hole::Failed { .. } | Hole::Cancelled { .. } | Hole::Pending { .. } | Hole::Low { .. }))) => {
                Some(hole)
            }
            (Some(why), _) => Some(Hole::Unread(why.clone())),
        }
    }
}

fn unread_of<'h>(mut holes: impl Iterator<Item = &'h Hole>) -> Option<String> {
    holes.find_map(|hole| if let Hole::Unread(why) = hole { Some(why.clone()) } else { None })
}

/// A point without coverage.
fn bare(site: &Site<'_>) -> PointReview {
    let Site { entry, row, conc } = *site;
    let job = Job { entry, row, load: row.load(), conc: Concurrency::One(conc), eval: None };
    PointReview {
        config: entry.key.clone(),
        scenario: row.scenario.clone(),
        lengths: row.isl.zip(row.osl),
        axes: job.axes(),
        image: entry.image.clone(),
        fields: Vec::new(),
        job: Cell::none(),
        result: Cell::none(),
        eval: Cell::none(),
        claims: Vec::new(),
    }
}

fn reference(found: &Found<'_, '_>) -> Option<JobRef> {
    let (run, job) = (found.run?, found.job?);
    Some(JobRef {
        run: run.sweep.run.id,
        commit: run.sweep.run.head.clone(),
        behind: run.sweep.behind,
        attempt: job.job.attempt,
        id: job.job.id,
        name: job.job.name.clone(),
        outcome: job.outcome.clone(),
        status: job.job.status.clone(),
        conclusion: job.job.conclusion.clone(),
        url: job.job.url.clone(),
        newer: found.newer.clone(),
    })
}
