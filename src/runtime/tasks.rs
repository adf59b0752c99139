//! Requests under way: one task per slot, where a newer one ends the older; writes are left alone.
//! Must not know: what an answer means.

use super::clock;
use super::connect::Connection;
use super::event_loop::Incoming;
use super::headless::Desk;
use super::joblogs::JobLogs;
use super::log;
use crate::app::Msg;
use crate::app::effect::{Referring, Slot, Ticket};
use crate::app::msg::Reply;
use crate::app::screens::joblog::Asked;
use crate::app::screens::results::Drawing;
use crate::core::configs::Comparison;
use crate::core::errand::Order;
use crate::core::ids::{JobId, PullNumber, RepoName};
use crate::core::plan::Read;
use crate::core::posting::Letter;
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::Freshness;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

/// Starts tasks on the worker threads and sends their answers to the loop.
pub struct Tasks {
    handle: Handle,
    inbox: Sender<Incoming>,
    connection: Arc<Connection>,
    repo: RepoName,
    number: PullNumber,
    logs: Arc<JobLogs>,
    running: HashMap<Slot, AbortHandle>,
}

impl Tasks {
    pub fn new(
        handle: Handle,
        inbox: Sender<Incoming>,
        connection: Arc<Connection>,
        repo: RepoName,
        number: PullNumber,
        logs: JobLogs,
    ) -> Tasks {
        Tasks { handle, inbox, connection, repo, number, logs: Arc::new(logs), running: HashMap::new() }
    }

    /// Reads; an older read of the same slot ends.
    pub fn read(&mut self, ticket: Ticket, read: Read, freshness: Freshness) {
        let (inbox, connection) = (self.inbox.clone(), Arc::clone(&self.connection));
        let (repo, number) = (self.repo.clone(), self.number);
        let slot = ticket.slot.clone();
        self.start(slot, async move {
            let say = |reply| {
                let _ = inbox.send(Incoming::Msg(Msg::Reply(ticket.clone(), reply)));
            };
            let reply = connection.read(&repo, number, read, freshness, |part| say(Reply::Read(part))).await;
            if let Some((remaining, limit)) = connection.budget() {
                say(Reply::Budget { remaining, limit });
            }
            say(Reply::Read(reply));
        });
    }

    /// Reads the end of the log.
    pub fn log(&mut self, ticket: Ticket) {
        let inbox = self.inbox.clone();
        self.start(ticket.slot.clone(), async move {
            // A file of a network's may take its time.
            if let Ok(tail) = tokio::task::spawn_blocking(log::tail).await {
                let _ = inbox.send(Incoming::Msg(Msg::Reply(ticket, Reply::Log(tail))));
            }
        });
    }

    /// Brings the log of a job, or something of it.
    pub fn job_log(&mut self, ticket: Ticket, asked: Asked) {
        let (inbox, connection, logs) = (self.inbox.clone(), Arc::clone(&self.connection), Arc::clone(&self.logs));
        let repo = self.repo.clone();
        let slot = ticket.slot.clone();
        self.start(slot, async move {
            let say = move |piece| {
                let _ = inbox.send(Incoming::Msg(Msg::Reply(ticket.clone(), Reply::JobLog(piece))));
            };
            logs.answer(&connection, &repo, asked, say).await;
        });
    }

    /// Finds out what a job failed of.
    pub fn reason(&mut self, ticket: Ticket, job: JobId) {
        let (inbox, connection, logs) = (self.inbox.clone(), Arc::clone(&self.connection), Arc::clone(&self.logs));
        let repo = self.repo.clone();
        self.start(ticket.slot.clone(), async move {
            let read = logs.reason(&connection, &repo, job).await;
            let _ = inbox.send(Incoming::Msg(Msg::Reply(ticket, Reply::Reason(job, read))));
        });
    }

    /// Writes the log of a job into the working folder. Not tied to a slot: nothing ends it.
    pub fn save_job_log(&self, ticket: Ticket, job: JobId) {
        let (inbox, logs, repo) = (self.inbox.clone(), Arc::clone(&self.logs), self.repo.clone());
        self.handle.spawn_blocking(move || {
            let _ = inbox.send(Incoming::Msg(Msg::Reply(ticket, Reply::Done(logs.save(&repo, job)))));
        });
    }

    /// Compares config files.
    pub fn compare(&mut self, ticket: Ticket, comparison: Comparison) {
        let inbox = self.inbox.clone();
        self.start(ticket.slot.clone(), async move {
            // One that fails knows nothing, which is never green: nobody waits for it for ever.
            let keys = tokio::task::spawn_blocking(move || comparison.run()).await.unwrap_or_default();
            let _ = inbox.send(Incoming::Msg(Msg::Reply(ticket, Reply::Compared(Box::new(keys)))));
        });
    }

    /// Draws the curves of a run.
    pub fn draw(&mut self, ticket: Ticket, drawing: Drawing) {
        let inbox = self.inbox.clone();
        self.start(ticket.slot.clone(), async move {
            if let Ok(sheet) = tokio::task::spawn_blocking(move || drawing.run()).await {
                let _ = inbox.send(Incoming::Msg(Msg::Reply(ticket, Reply::Drawn(Box::new(sheet)))));
            }
        });
    }

    /// Reads what results are to be compared with, as the headless command does.
    pub fn refer(&mut self, ticket: Ticket, referring: Referring) {
        let inbox = self.inbox.clone();
        let desk = Desk {
            connection: Arc::clone(&self.connection),
            policy: referring.policy,
            host: referring.host,
            web: referring.web,
            repo: self.repo.clone(),
            data: None,
            signer: None,
            day: clock::now().date_naive(),
        };
        self.start(ticket.slot.clone(), async move {
            let name = referring.named.to_string();
            let rows = desk.reference(referring.pull.as_ref(), referring.named).await;
            let rows = rows.map_err(|error| Trouble::new(TroubleKind::NotFound, error.message, error.hints.join(" ")));
            let _ = inbox.send(Incoming::Msg(Msg::Reply(ticket, Reply::Referred { name, rows })));
        });
    }

    /// Sends the sign-off. Not tied to a slot: nothing ends it.
    pub fn post(&self, ticket: Ticket, letter: Letter) {
        let (inbox, connection) = (self.inbox.clone(), Arc::clone(&self.connection));
        self.handle.spawn(async move {
            let sent = connection.post(&letter).await;
            let _ = inbox.send(Incoming::Msg(Msg::Reply(ticket, Reply::Sent(sent))));
        });
    }

    /// Carries an errand out. Not tied to a slot: nothing ends it.
    pub fn carry_out(&self, ticket: Ticket, repo: RepoName, order: Order) {
        let (inbox, connection) = (self.inbox.clone(), Arc::clone(&self.connection));
        let number = self.number;
        self.handle.spawn(async move {
            let outcome = connection.carry_out(&repo, number, &order).await;
            let _ = inbox.send(Incoming::Msg(Msg::Reply(ticket, Reply::Carried(outcome))));
        });
    }

    /// Sends the ticket back after a pause.
    pub fn wake(&mut self, ticket: Ticket, pause: Duration) {
        let inbox = self.inbox.clone();
        let slot = ticket.slot.clone();
        self.start(slot, async move {
            tokio::time::sleep(pause).await;
            let _ = inbox.send(Incoming::Msg(Msg::Timer(ticket)));
        });
    }

    pub fn cancel(&mut self, slot: &Slot) {
        if let Some(task) = self.running.remove(slot) {
            task.abort();
        }
    }

    pub fn cancel_all(&mut self) {
        for (_, task) in self.running.drain() {
            task.abort();
        }
    }

    fn start(&mut self, slot: Slot, task: impl Future<Output = ()> + Send + 'static) {
        self.running.retain(|_, task| !task.is_finished());
        let task = self.handle.spawn(task).abort_handle();
        if let Some(older) = self.running.insert(slot, task) {
            older.abort();
        }
    }
}
