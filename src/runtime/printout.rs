//! `countersign log`: the log of a job on standard output.
//! Must not know: how a line is written (`report`), where logs are kept.

use super::headless::Desk;
use super::joblogs::{JobLogs, Opened};
use super::out::Out;
use crate::core::ids::JobId;
use crate::core::joblog::{LINE_BYTES, parse_line};
use crate::core::steps::Steps;
use crate::error::AppError;
use crate::github::LARGEST_LOG;
use crate::report::joblog;

/// Text that is written at once.
const AT_ONCE: usize = 64 << 10;

impl Desk {
    /// Prints a log, or what stands around its errors. Escapes are shown, never sent.
    pub async fn log(&self, logs: &JobLogs, job: JobId, errors: bool, times: bool, out: &mut Out) -> Result<(), AppError> {
        let path = logs.fetch(&self.connection, &self.repo, job, LARGEST_LOG, |_, _| {}).await?;
        let steps = match self.connection.job(&self.repo, job).await {
            Ok(job) => job.steps,
            Err(trouble) => {
                out.say(format!("Which lines are of which step is not known. {}", trouble.sentence()));
                Steps::default()
            }
        };
        let log = Opened::read(&path, steps)?;
        let index = &log.index;
        if errors && index.errors().is_empty() {
            out.say(format!("No line of the log of job {job} is marked as an error; it has {} lines.", index.lines()));
            return Ok(());
        }
        let all = 0..index.lines();
        let wanted = if errors { joblog::errors(index) } else { vec![all] };
        let mut text = String::new();
        let mut step = None;
        for (nth, lines) in wanted.into_iter().enumerate() {
            if nth > 0 {
                text.push_str("--\n");
            }
            for at in lines {
                if step != index.step_of(at) {
                    step = index.step_of(at);
                    text += &joblog::heading(index, step);
                }
                let (bytes, cut) = log.line(at, LINE_BYTES)?;
                let line = parse_line(&bytes, cut);
                text += &if errors { joblog::numbered(index, at, &line, times) } else { joblog::line(&line, times) };
                if text.len() > AT_ONCE {
                    out.data(&text);
                    text.clear();
                }
            }
        }
        out.data(&text);
        if index.is_cut() {
            out.say("The log has more lines than are told apart: what follows the last one stands in it.");
        }
        Ok(())
    }
}
