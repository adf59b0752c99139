//! Performs effects: a match that hands each one to whoever does it.
//! Must not know: why an effect was wanted.

use super::event_loop::Incoming;
use super::highlight::Highlighting;
use super::input::Input;
use super::store::Store;
use super::tasks::Tasks;
use super::terminal::Screen;
use super::{bell, browser, editor, export};
use crate::app::effect::{Command, Request, Slot, Ticket};
use crate::app::msg::Reply;
use crate::app::{Effect, Msg};
use crate::config::settings::Notify;
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::Freshness;
use std::collections::HashSet;
use std::io;
use std::sync::mpsc::Sender;

/// Everything that effects are performed with.
pub struct Hands {
    pub inbox: Sender<Incoming>,
    pub tasks: Tasks,
    pub highlighting: Highlighting,
    /// `None`: the draft is read-only here.
    pub store: Option<Store>,
    pub input: Input,
    pub editor: String,
    pub browser: Option<String>,
    pub notify: Notify,
    /// Writes and hand-overs without an answer yet.
    pub unfinished: HashSet<Ticket>,
}

impl Hands {
    /// Starts an effect; its answer comes as a message. `true` when the program is to end. `screen` is `None` once the
    /// terminal is given back: then only what writes is still done.
    pub fn perform(&mut self, effect: Effect, screen: Option<&mut Screen>) -> io::Result<bool> {
        match effect {
            Effect::Ask(ticket, Request::Read(read)) if screen.is_some() => self.tasks.read(ticket, read, Freshness::Network),
            Effect::Ask(ticket, Request::Recall(read)) if screen.is_some() => {
                self.tasks.read(ticket, read, Freshness::CacheOnly);
            }
            Effect::Ask(ticket, Request::Highlight { path, patch }) if screen.is_some() => {
                self.highlighting.ask(ticket, path, patch);
            }
            Effect::Ask(ticket, Request::Compare(comparison)) if screen.is_some() => self.tasks.compare(ticket, comparison),
            Effect::Ask(ticket, Request::Draw(drawing)) if screen.is_some() => self.tasks.draw(ticket, drawing),
            Effect::Ask(ticket, Request::Refer(referring)) if screen.is_some() => self.tasks.refer(ticket, *referring),
            Effect::Ask(ticket, Request::Log) if screen.is_some() => self.tasks.log(ticket),
            Effect::Ask(ticket, Request::JobLog(asked)) if screen.is_some() => self.tasks.job_log(ticket, asked),
            Effect::Ask(ticket, Request::Reason(job)) if screen.is_some() => self.tasks.reason(ticket, job),
            Effect::After(ticket, pause) if screen.is_some() => self.tasks.wake(ticket, pause),
            Effect::Ask(..) | Effect::After(..) => {}
            Effect::Cancel(slot) => {
                self.tasks.cancel(&slot);
                if matches!(slot, Slot::Highlight(_)) {
                    self.highlighting.cancel();
                }
            }
            Effect::Do(ticket, command) => {
                self.unfinished.insert(ticket.clone());
                self.run(ticket, command, screen)?;
            }
            Effect::Quit => return Ok(true),
        }
        Ok(false)
    }

    fn run(&mut self, ticket: Ticket, command: Command, screen: Option<&mut Screen>) -> io::Result<()> {
        let reply = match (command, screen) {
            (Command::Save { draft, history, sync }, _) => {
                let inbox = self.inbox.clone();
                let done = move |saved| {
                    let _ = inbox.send(Incoming::Msg(Msg::Reply(ticket, Reply::Saved(saved))));
                };
                match &self.store {
                    Some(store) => store.save_with(*draft, Some(*history), sync, done),
                    None => done(Err(Trouble::new(TroubleKind::Refused, "The draft is read-only in this window.", ""))),
                }
                return Ok(());
            }
            (Command::Post(letter), _) => {
                self.tasks.post(ticket, letter);
                return Ok(());
            }
            (Command::Errand { repo, order }, _) => {
                self.tasks.carry_out(ticket, repo, order);
                return Ok(());
            }
            (Command::SaveJobLog(job), _) => {
                self.tasks.save_job_log(ticket, job);
                return Ok(());
            }
            (Command::Export(export), _) => Reply::Done(export::write(&export)),
            (Command::Open { url }, _) => Reply::Done(browser::open_page(&url, self.browser.as_deref())),
            (Command::Copy { text }, Some(screen)) => Reply::Done(match screen.copy(&text) {
                Ok(()) => Ok("Copied, if your terminal allows it (OSC 52).".to_owned()),
                Err(error) => Err(Trouble::new(TroubleKind::Refused, format!("Nothing was copied: {error}."), "")),
            }),
            (Command::Edit { text }, Some(screen)) => {
                let edited = self.without_terminal(screen, |editor| editor::edit(editor, &text))?;
                Reply::Edited(edited)
            }
            (Command::Ring { text }, screen) => {
                self.unfinished.remove(&ticket);
                if let Some(screen) = screen {
                    screen.ring(self.notify.bell, self.notify.osc9.then_some(text.as_str()))?;
                }
                match self.notify.command.as_deref().map(|command| bell::run(command, &text)) {
                    Some(Err(trouble)) => Reply::Done(Err(trouble)),
                    None | Some(Ok(())) => return Ok(()),
                }
            }
            (Command::Suspend, Some(screen)) => {
                self.unfinished.remove(&ticket);
                return self.suspend(screen);
            }
            (Command::Copy { .. } | Command::Edit { .. } | Command::Suspend, None) => {
                self.unfinished.remove(&ticket);
                return Ok(());
            }
        };
        let _ = self.inbox.send(Incoming::Msg(Msg::Reply(ticket, reply)));
        Ok(())
    }

    /// Stops the process as Ctrl-Z does elsewhere; goes on when it is continued.
    pub fn suspend(&self, screen: &mut Screen) -> io::Result<()> {
        self.without_terminal(screen, |_| signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP))?
    }

    /// Gives the terminal and the keys away while `job` runs, then takes them back.
    fn without_terminal<T>(&self, screen: &mut Screen, job: impl FnOnce(&str) -> T) -> io::Result<T> {
        self.input.pause();
        screen.leave();
        let done = job(&self.editor);
        screen.enter()?;
        self.input.resume();
        // The window may have another size by now.
        let (cols, rows) = screen.size()?;
        let _ = self.inbox.send(Incoming::Msg(Msg::Resize(cols, rows)));
        Ok(done)
    }

    /// An answer came.
    pub fn answered(&mut self, ticket: &Ticket) {
        self.unfinished.remove(ticket);
    }

    /// Whether something that writes is still on its way.
    pub fn is_busy(&self) -> bool {
        !self.unfinished.is_empty()
    }

    pub fn stop_reading(&mut self) {
        self.tasks.cancel_all();
        self.highlighting.cancel();
    }

    /// What waits to be written is written, then the draft's lock goes.
    pub fn close(&mut self) {
        self.store = None;
    }
}
