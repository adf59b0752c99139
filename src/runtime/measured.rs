//! The headless commands about what was measured: the points that a pull request changes, and the results of a run.
//! Must not know: how points are covered, rows compared or plots drawn (`core`), formats (`report`).

use super::check::write_private;
use super::headless::{Desk, NO_PULL, finish, read_file, refuse, refuse_nothing};
use super::out::Out;
use crate::cli::{ResultForm, Subject};
use crate::core::conclusions::Conclusions;
use crate::core::facts::Facts;
use crate::core::ids::{PullNumber, RunId};
use crate::core::plan::{self, Read};
use crate::core::points::{self, Points};
use crate::core::pull::Pull;
use crate::core::remote::Remote;
use crate::core::results::compare::Reference;
use crate::core::results::{Against, View, parse_reference};
use crate::error::{AppError, ErrorKind};
use crate::report;
use crate::report::results::Form;
use std::path::Path;

/// Finished runs of the base branch whose results are looked at for a reference.
const BASE_RUNS: usize = 4;

impl Desk {
    /// `countersign points`.
    pub async fn points(&self, number: PullNumber, json: bool, out: &mut Out) -> Result<(), AppError> {
        let mut facts = self.load(number, is_measured).await;
        refuse(&facts.pull)?;
        let points = self.cover(&mut facts).await;
        self.tell_age(&facts, out);
        finish(report::points::report(&facts, &points, json), out)
    }

    /// Reads what the cells of the points need, until nothing more is to be asked for.
    pub(super) async fn cover(&self, facts: &mut Facts) -> Points {
        loop {
            let conclusions = Conclusions::draw(&self.policy, facts);
            let points = Points::draw(&self.policy, facts, &conclusions);
            let mut needs = points::needs(&self.policy, facts, &conclusions, &points);
            needs.extend(points::launch_needs(facts, &conclusions));
            let mut due = plan::due(facts, &self.policy, &needs);
            due.retain(|read| needs.contains(read));
            if due.is_empty() {
                return points;
            }
            self.settle(facts, due, |_| false).await;
        }
    }

    /// `countersign results`.
    pub async fn results(
        &self,
        of: Subject,
        against: Option<Reference>,
        form: ResultForm,
        out: &mut Out,
    ) -> Result<(), AppError> {
        let mut facts = match of {
            Subject::Run(_) => Facts::new(&self.web, self.repo.clone(), NO_PULL),
            Subject::Pull(number) => self.load(number, is_measured).await,
        };
        let run = match of {
            Subject::Run(run) => Some(run),
            Subject::Pull(_) => {
                refuse(&facts.pull)?;
                Conclusions::draw(&self.policy, &facts).measured().map(|sweep| sweep.run.id)
            }
        };
        if let Some(run) = run {
            self.read_results(&mut facts, run).await?;
            refuse_nothing(facts.results.get(&run))?;
        }
        let gaps = match run {
            Some(_) => Vec::new(),
            None => vec!["No run of this pull request's commits is known to measure it.".to_owned()],
        };
        let reference = match against {
            Some(reference) => Some(self.reference(facts.pull.value(), reference).await?),
            None => None,
        };
        self.tell_age(&facts, out);
        let (form, file) = match form {
            ResultForm::Text => (Form::Text, None),
            ResultForm::Json => (Form::Json, None),
            ResultForm::Csv => (Form::Csv, None),
            ResultForm::Markdown => (Form::Markdown, None),
            ResultForm::Svg(file) => (Form::Svg(View::Latency), Some(file)),
        };
        let mut report = report::results::report(&self.policy, &facts, run, reference.as_ref(), gaps, form);
        if let Some(file) = file {
            write_private(&file, &report.text)?;
            report.text = format!("{}: the plot of {}\n", file.display(), name_of(run));
        }
        finish(report, out)
    }

    /// The rows of a run, by what the policy says of its artifacts.
    async fn read_results(&self, facts: &mut Facts, run: RunId) -> Result<(), AppError> {
        let Some(results) = &self.policy.results else {
            return Err(AppError::usage("The policy does not say in which artifacts results lie.")
                .hint("Add the section `results` to it."));
        };
        let read = Read::Results { run, artifact: results.artifact.clone(), parts: results.parts.clone() };
        if facts.results.get(&run).is_none_or(|got| matches!(got, Remote::Idle)) {
            self.settle(facts, vec![read], |_| false).await;
        }
        Ok(())
    }

    /// What a person named to compare with.
    pub async fn reference(&self, pull: Option<&Pull>, named: Reference) -> Result<Against, AppError> {
        let mut elsewhere = Facts::new(&self.web, self.repo.clone(), NO_PULL);
        match named {
            Reference::Arm(arm) => Ok(Against::Arm(arm)),
            Reference::Run(run) => {
                self.read_results(&mut elsewhere, run).await?;
                refuse_nothing(elsewhere.results.get(&run))?;
                let rows = elsewhere.results.get(&run).and_then(Remote::value);
                let none = || AppError::new(ErrorKind::Unavailable, format!("The results of run {run} were not read."));
                rows.map(|rows| Against::run(run, rows)).ok_or_else(none)
            }
            Reference::Base => self.base(elsewhere, pull).await,
            Reference::File(path) => {
                let name =
                    Path::new(&path).file_name().map_or_else(|| path.clone(), |name| name.to_string_lossy().into_owned());
                Ok(Against::file(&name, parse_reference(&path, &read_file(Path::new(&path))?)?))
            }
        }
    }

    /// The newest green sweep of the base branch that kept results.
    async fn base(&self, mut elsewhere: Facts, pull: Option<&Pull>) -> Result<Against, AppError> {
        let Some(pull) = pull else {
            return Err(AppError::usage("A run alone has no base branch.").hint("Name the pull request, or --against run:ID."));
        };
        let runs = Read::Runs { branch: Some(pull.base_branch.clone()), head: pull.base.clone() };
        self.settle(&mut elsewhere, vec![runs], |_| false).await;
        refuse_nothing(Some(&elsewhere.runs))?;
        let list = elsewhere.runs.value().map(|list| list.items.clone()).unwrap_or_default();
        let green =
            list.iter().filter(|run| self.policy.sweep.is_sweep(&run.path) && run.conclusion.as_deref() == Some("success"));
        for run in green.take(BASE_RUNS).map(|run| run.id) {
            self.read_results(&mut elsewhere, run).await?;
            let rows = elsewhere.results.get(&run).and_then(Remote::value).filter(|rows| !rows.items.is_empty());
            if let Some(rows) = rows {
                return Ok(Against::run(run, rows));
            }
        }
        Err(AppError::new(
            ErrorKind::Unavailable,
            format!("None of the newest green sweeps of {} kept results that can be read.", pull.base_branch),
        )
        .hint("Name a run with --against run:ID, or a file that countersign results --json wrote."))
    }
}

/// What is read of a pull request for its points and results: not what people said.
fn is_measured(read: &Read) -> bool {
    !matches!(read, Read::Comments | Read::Reviews | Read::LineComments | Read::Viewer)
}

fn name_of(run: Option<RunId>) -> String {
    run.map_or_else(|| "no run".to_owned(), |run| format!("run {run}"))
}
