//! The loop: takes messages, lets the application decide, performs effects, draws. One thread owns all state.
//! Must not know: what a message means, or how an effect is performed.
//!
//! It sleeps until a message comes: there is no tick. Whatever has come is taken before one frame is drawn, and frames
//! are at least [`FRAME`] apart, so that a flood of answers costs one frame and not hundreds; a key waits for no frame but
//! the one that answered the key before it.

use super::clock;
use super::effects::Hands;
use super::terminal::Screen;
use crate::app::msg::Reply;
use crate::app::{self, Effect, Model, Msg};
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// The least time between two frames.
pub const FRAME: Duration = Duration::from_millis(16);

/// Messages taken before a frame is drawn all the same.
const MOST_AT_ONCE: usize = 512;

/// What reaches the loop.
pub enum Incoming {
    Msg(Msg),
    /// Someone else asked the program to stop for a while (`kill -TSTP`).
    Suspend,
}

/// Decides when to draw: at once after a pause, at most every [`FRAME`], never without a reason.
#[derive(Debug, Default)]
pub struct Pace {
    changed: bool,
    /// The person did something: frames that show what came do not keep the answer back.
    hurried: bool,
    /// When a frame was made last, and when one last answered the person.
    made: Option<Instant>,
    answered: Option<Instant>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Wait {
    /// A frame is due.
    Draw,
    /// A frame is due after this long.
    For(Duration),
    /// Nothing to draw.
    Forever,
}

impl Pace {
    /// Something on screen may differ now.
    pub fn change(&mut self) {
        self.changed = true;
    }

    /// Something on screen may differ now, because of what the person did.
    pub fn hurry(&mut self) {
        self.changed = true;
        self.hurried = true;
    }

    pub fn wait(&self, now: Instant) -> Wait {
        if !self.changed {
            return Wait::Forever;
        }
        let last = if self.hurried { self.answered } else { self.made };
        let since = last.map_or(FRAME, |last| now.saturating_duration_since(last));
        match FRAME.checked_sub(since).filter(|left| !left.is_zero()) {
            Some(left) => Wait::For(left),
            None => Wait::Draw,
        }
    }

    /// A frame was made; `shown` if the screen changed.
    pub fn drawn(&mut self, now: Instant, shown: bool) {
        if self.hurried && shown {
            self.answered = Some(now);
        }
        (self.changed, self.hurried) = (false, false);
        self.made = Some(now);
    }
}

/// Runs the application until it wants to leave. Returns when every write and hand-over is finished.
pub fn run(model: &mut Model, hands: &mut Hands, screen: Screen, inbox: &Receiver<Incoming>) -> io::Result<()> {
    let mut screen = screen;
    model.size = screen.size()?;
    let mut pace = Pace::default();
    let effects = app::start(model, clock::now());
    // The first frame stands before anything is asked for.
    let made = app::settle(model);
    let shown = screen.draw(model)?;
    pace.drawn(clock::instant(), shown);
    let mut leaving = perform(effects, hands, &mut screen)? || perform(made, hands, &mut screen)?;
    while !leaving {
        let first = match pace.wait(clock::instant()) {
            Wait::Draw => None,
            Wait::For(left) => match inbox.recv_timeout(left) {
                Ok(incoming) => Some(incoming),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => Some(Incoming::Msg(Msg::Stop)),
            },
            Wait::Forever => Some(inbox.recv().unwrap_or(Incoming::Msg(Msg::Stop))),
        };
        let mut taken = 0;
        let mut next = first.or_else(|| inbox.try_recv().ok());
        while let Some(incoming) = next {
            match &incoming {
                Incoming::Msg(Msg::Reply(..) | Msg::Timer(_)) => pace.change(),
                Incoming::Msg(_) | Incoming::Suspend => pace.hurry(),
            }
            let effects = match incoming {
                Incoming::Msg(msg) => take(model, hands, msg),
                Incoming::Suspend => {
                    hands.suspend(&mut screen)?;
                    Vec::new()
                }
            };
            leaving |= perform(effects, hands, &mut screen)?;
            taken += 1;
            next = if leaving || taken >= MOST_AT_ONCE { None } else { inbox.try_recv().ok() };
        }
        if !leaving {
            leaving = perform(noted(model, app::follow_up), hands, &mut screen)?;
        }
        if !leaving && pace.wait(clock::instant()) == Wait::Draw {
            let made = noted(model, app::settle);
            let shown = screen.draw(model)?;
            pace.drawn(clock::instant(), shown);
            leaving = perform(made, hands, &mut screen)?;
            let renewal = app::painted(model);
            if !renewal.is_empty() {
                pace.change();
                leaving |= perform(renewal, hands, &mut screen)?;
            }
        }
    }
    drop(screen);
    finish(model, hands, inbox);
    Ok(())
}

fn take(model: &mut Model, hands: &mut Hands, msg: Msg) -> Vec<Effect> {
    if let Msg::Reply(ticket, reply) = &msg {
        hands.answered(ticket);
        note_failure(reply);
    }
    noted(model, |model| app::update(model, clock::now(), msg))
}

/// The steps of a post go to the log, whatever led to them.
fn noted(model: &mut Model, act: impl FnOnce(&mut Model) -> Vec<Effect>) -> Vec<Effect> {
    let before = model.posting.name();
    let effects = act(model);
    let after = model.posting.name();
    if before != after {
        tracing::info!(before, after, "post");
    }
    effects
}

/// What went wrong on this machine goes to the log; `connect` tells it of reads and posts.
fn note_failure(reply: &Reply) {
    match reply {
        Reply::Saved(Err(trouble)) => tracing::error!(why = %trouble.headline, "the draft was not written"),
        Reply::Edited(Err(trouble)) | Reply::Done(Err(trouble)) => {
            tracing::warn!(kind = ?trouble.kind, "another program failed");
        }
        _ => {}
    }
}

/// Performs effects in their order; `true` when the program is to end.
fn perform(effects: Vec<Effect>, hands: &mut Hands, screen: &mut Screen) -> io::Result<bool> {
    let mut leaving = false;
    for effect in effects {
        leaving |= hands.perform(effect, Some(screen))?;
    }
    Ok(leaving)
}

/// The screen is gone. What writes is not cut off: its answers are still taken, so that the draft on disk says how it
/// ended. Reads are no longer of use.
fn finish(model: &mut Model, hands: &mut Hands, inbox: &Receiver<Incoming>) {
    hands.stop_reading();
    while hands.is_busy() {
        let Ok(incoming) = inbox.recv() else { break };
        let Incoming::Msg(msg @ Msg::Reply(..)) = incoming else { continue };
        for effect in take(model, hands, msg) {
            // Without a screen nothing can fail but what needs one.
            let _ = hands.perform(effect, None);
        }
    }
    hands.close();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_at_once_after_a_pause_and_then_at_a_pace() {
        let start = clock::instant();
        let at = |ms| start + Duration::from_millis(ms);
        let mut pace = Pace::default();
        assert_eq!(pace.wait(at(0)), Wait::Forever);
        pace.change();
        assert_eq!(pace.wait(at(0)), Wait::Draw);
        pace.drawn(at(0), true);
        assert_eq!(pace.wait(at(1000)), Wait::Forever);
        pace.change();
        assert_eq!(pace.wait(at(1000)), Wait::Draw);
        pace.drawn(at(1000), true);
        pace.change();
        pace.change();
        assert_eq!(pace.wait(at(1004)), Wait::For(Duration::from_millis(12)));
        assert_eq!(pace.wait(at(1016)), Wait::Draw);
        // A clock that did not move, or moved back, does not stop the program.
        assert_eq!(pace.wait(at(999)), Wait::For(FRAME));
        // What came keeps back what comes, but no key; a key that changed nothing keeps nobody back.
        for shown in [false, true] {
            pace.drawn(at(1016), shown);
            pace.change();
            assert_eq!(pace.wait(at(1018)), Wait::For(Duration::from_millis(14)));
        }
        pace.hurry();
        assert_eq!(pace.wait(at(1018)), Wait::Draw);
        pace.drawn(at(1018), false);
        pace.hurry();
        assert_eq!(pace.wait(at(1019)), Wait::Draw);
        pace.drawn(at(1019), true);
        pace.hurry();
        assert_eq!(pace.wait(at(1020)), Wait::For(Duration::from_millis(15)));
    }
}
