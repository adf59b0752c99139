//! `countersign watch`: waits for runs to end, telling on standard error how they stand.
//! Must not know: how often to look (`core::sweep::pace`), what is said (`report::watch`).

use super::clock;
use super::headless::{Desk, NO_PULL, refuse, refuse_nothing};
use super::out::Out;
use crate::cli::Subject;
use crate::core::facts::Facts;
use crate::core::ids::RunId;
use crate::core::plan::{self, Read};
use crate::core::sweep::pace::{Eye, LIVELY};
use crate::core::sweep::{Course, Pace, Sweep, Whole, sweep_of, sweeps};
use crate::core::trouble::{Trouble, TroubleKind};
use crate::error::{AppError, ErrorKind};
use crate::report::watch::{End, end, left, line};

/// Looks in a row that may fail.
const PATIENCE: u32 = 10;

impl Desk {
    /// `countersign watch`. The exit code is that of the outcome.
    pub async fn watch(&self, of: Subject, out: &mut Out) -> Result<(), AppError> {
        let mut facts = self.first_look(of).await?;
        let (mut pace, mut told, mut failed) = (Pace::default(), Vec::new(), 0);
        loop {
            let (watched, all) = self.watched(&facts, of);
            if watched.is_empty() {
                return Err(AppError::new(ErrorKind::No, "There is no sweep of this pull request's commits to watch.")
                    .hint("countersign jobs lists what there is; run:ID watches any run."));
            }
            let lines: Vec<String> = watched.iter().map(line).collect();
            let earlier: Vec<Course> = all.iter().map(Course::of).collect();
            let moved = lines != told;
            let shown = |(sweep, line): (&Sweep, &String)| format!("{line}{}", left(sweep, &earlier, clock::now()));
            out.progress(&watched.iter().zip(&lines).map(shown).collect::<Vec<_>>(), moved);
            told = lines;
            if let Some(end) = end(&watched) {
                out.end_progress();
                let is_earlier = matches!(of, Subject::Pull(_)) && !watched.iter().any(|sweep| sweep.at_head);
                return ended(end, is_earlier, out);
            }
            let pause = pace.next(&watched, Eye::On).unwrap_or(LIVELY);
            tokio::time::sleep(pause).await;
            let ids: Vec<RunId> = watched.iter().map(|sweep| sweep.run.id).collect();
            let reads = reads(&facts, of, &ids);
            self.settle(&mut facts, reads, |_| false).await;
            failed = match trouble(&facts, &ids) {
                None => 0,
                Some(trouble) if failed + 1 >= PATIENCE || lasts(trouble) => {
                    out.end_progress();
                    return Err(trouble.clone().into());
                }
                Some(trouble) => {
                    out.end_progress();
                    out.say(format!("not read: {}", trouble.sentence()));
                    failed + 1
                }
            };
        }
    }

    async fn first_look(&self, of: Subject) -> Result<Facts, AppError> {
        match of {
            Subject::Run(run) => {
                let mut facts = self.facts(NO_PULL);
                self.settle(&mut facts, vec![Read::Run(run), Read::Jobs(run)], |_| false).await;
                refuse_nothing(facts.single_runs.get(&run))?;
                refuse_nothing(facts.jobs.get(&run))?;
                Ok(facts)
            }
            Subject::Pull(number) => {
                let wanted = |read: &Read| matches!(read, Read::Pull | Read::Commits | Read::Runs { .. } | Read::Jobs(_));
                let facts = self.load(number, wanted).await;
                refuse(&facts.pull)?;
                refuse(&facts.runs)?;
                Ok(facts)
            }
        }
    }

    /// The runs to wait for, and all that are known: of a pull request, those of its newest commit that has any.
    fn watched(&self, facts: &Facts, of: Subject) -> (Vec<Sweep>, Vec<Sweep>) {
        match of {
            Subject::Run(run) => (sweep_of(&self.policy, facts, run).into_iter().collect(), Vec::new()),
            Subject::Pull(_) => {
                let mut all = sweeps(&self.policy, facts);
                all.retain(|sweep| sweep.in_pull != Some(false));
                let newest = Whole::all(&all).into_iter().next().map(|whole| whole.runs).unwrap_or_default();
                (newest.into_iter().filter_map(|at| all.get(at).cloned()).collect(), all)
            }
        }
    }
}

fn reads(facts: &Facts, of: Subject, ids: &[RunId]) -> Vec<Read> {
    match of {
        Subject::Run(run) => vec![Read::Run(run), Read::Jobs(run)],
        Subject::Pull(_) => plan::look(facts, ids),
    }
}

/// What a look failed with.
fn trouble<'a>(facts: &'a Facts, ids: &[RunId]) -> Option<&'a Trouble> {
    let single = ids.iter().filter_map(|run| facts.single_runs.get(run)?.trouble());
    let jobs = ids.iter().filter_map(|run| facts.jobs.get(run)?.trouble());
    facts.runs.trouble().into_iter().chain(single).chain(jobs).next()
}

/// A failure that the next look would meet too.
fn lasts(trouble: &Trouble) -> bool {
    matches!(trouble.kind, TroubleKind::NotFound | TroubleKind::Access | TroubleKind::Gone)
}

fn ended(end: End, is_earlier: bool, out: &mut Out) -> Result<(), AppError> {
    let (told, error) = match end {
        End::Green(told) if is_earlier => {
            (told, Some((ErrorKind::Warnings, "The head commit has no sweep: these runs are of an earlier one.")))
        }
        End::Green(told) => (told, None),
        End::Nothing(told) => (told, Some((ErrorKind::Warnings, "The runs are over, and measured nothing."))),
        End::Bad(told) => (told, Some((ErrorKind::No, "A run did not end well."))),
        End::Partial(told) => (told, Some((ErrorKind::Unavailable, "The runs are green, but their jobs were not all read."))),
    };
    out.data(&format!("{told}\n"));
    error.map_or(Ok(()), |(kind, message)| Err(AppError::new(kind, message)))
}
