//! What the person and the system do, as messages: keys, mouse, paste, focus, resize, signals.
//! Must not know: what a key means.

use super::event_loop::Incoming;
use crate::app::Msg;
use crate::app::key::{Code, Key};
use crossterm::event::{Event, EventStream, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};
use futures::StreamExt;
use std::sync::mpsc::{SyncSender, sync_channel};
use tokio::runtime::Handle;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

type Inbox = std::sync::mpsc::Sender<Incoming>;

/// Rows per step of the wheel.
const WHEEL_ROWS: i32 = 3;

/// Reads the terminal until dropped. Paused while another program has the terminal, so that no key is stolen from it.
pub struct Input {
    orders: UnboundedSender<Order>,
}

enum Order {
    /// Answered when the terminal is let go.
    Pause(SyncSender<()>),
    Resume,
}

impl Input {
    /// Starts reading; must be called once raw mode is on.
    pub fn start(handle: &Handle, inbox: Inbox) -> Input {
        let (orders, received) = unbounded_channel();
        handle.spawn(read_terminal(inbox, received));
        Input { orders }
    }

    /// Returns when nothing reads the terminal any more.
    pub fn pause(&self) {
        let (done, wait) = sync_channel(1);
        if self.orders.send(Order::Pause(done)).is_ok() {
            let _ = wait.recv();
        }
    }

    pub fn resume(&self) {
        let _ = self.orders.send(Order::Resume);
    }
}

async fn read_terminal(inbox: Inbox, mut orders: UnboundedReceiver<Order>) {
    loop {
        let mut events = EventStream::new();
        let done = loop {
            tokio::select! {
                event = events.next() => {
                    let Some(Ok(event)) = event else {
                        // The terminal is gone: save and leave.
                        let _ = inbox.send(Incoming::Msg(Msg::Stop));
                        return;
                    };
                    if let Some(msg) = message(event) && inbox.send(Incoming::Msg(msg)).is_err() {
                        return;
                    }
                }
                order = orders.recv() => match order {
                    Some(Order::Pause(done)) => break done,
                    Some(Order::Resume) => {}
                    None => return,
                },
            }
        };
        drop(events);
        let _ = done.send(());
        loop {
            match orders.recv().await {
                Some(Order::Resume) => break,
                Some(Order::Pause(done)) => {
                    let _ = done.send(());
                }
                None => return,
            }
        }
    }
}

/// Turns signals into messages: those that end the program save first, a stop restores the terminal first.
pub fn watch_signals(handle: &Handle, inbox: Inbox) {
    let watch = |kind: SignalKind, incoming: fn() -> Incoming| {
        let inbox = inbox.clone();
        handle.spawn(async move {
            // Without a handler the signal keeps its usual effect.
            let Ok(mut signals) = signal(kind) else { return };
            while signals.recv().await.is_some() {
                if inbox.send(incoming()).is_err() {
                    return;
                }
            }
        });
    };
    for kind in [SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt()] {
        watch(kind, || Incoming::Msg(Msg::Stop));
    }
    watch(SignalKind::from_raw(signal_hook::consts::SIGTSTP), || Incoming::Suspend);
}

/// A terminal event as the application's message; `None` for what means nothing here.
pub fn message(event: Event) -> Option<Msg> {
    match event {
        Event::Key(event) => key(event).map(Msg::Key),
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Resize(cols, rows) => Some(Msg::Resize(cols, rows)),
        Event::FocusGained => Some(Msg::Focus(true)),
        Event::FocusLost => Some(Msg::Focus(false)),
        Event::Mouse(event) => {
            let (column, row) = (event.column, event.row);
            match event.kind {
                MouseEventKind::ScrollDown => Some(Msg::Wheel { column, row, rows: WHEEL_ROWS }),
                MouseEventKind::ScrollUp => Some(Msg::Wheel { column, row, rows: -WHEEL_ROWS }),
                MouseEventKind::Down(MouseButton::Left) => Some(Msg::Click { column, row }),
                _ => None,
            }
        }
    }
}

fn key(event: KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let shift = event.modifiers.contains(KeyModifiers::SHIFT);
    let code = match event.code {
        // Terminals that tell shift apart may send the small letter with it.
        KeyCode::Char(c) if shift => Code::Char(c.to_uppercase().next().unwrap_or(c)),
        KeyCode::Char(c) => Code::Char(c),
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab if shift => Code::BackTab,
        KeyCode::Tab => Code::Tab,
        KeyCode::BackTab => Code::BackTab,
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::F(n) => Code::F(n),
        _ => return None,
    };
    let (ctrl, alt) = (event.modifiers.contains(KeyModifiers::CONTROL), event.modifiers.contains(KeyModifiers::ALT));
    Some(Key { code, ctrl, alt })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::MouseEvent;

    #[test]
    fn keys_are_named_as_people_write_them() {
        let table = [
            (KeyCode::Char('j'), KeyModifiers::NONE, "j"),
            (KeyCode::Char('G'), KeyModifiers::SHIFT, "G"),
            (KeyCode::Char('g'), KeyModifiers::SHIFT, "G"),
            (KeyCode::Char('?'), KeyModifiers::SHIFT, "?"),
            (KeyCode::Char(' '), KeyModifiers::NONE, "Space"),
            (KeyCode::Char('d'), KeyModifiers::CONTROL, "C-d"),
            (KeyCode::Char('x'), KeyModifiers::ALT, "A-x"),
            (KeyCode::BackTab, KeyModifiers::SHIFT, "S-Tab"),
            (KeyCode::Tab, KeyModifiers::SHIFT, "S-Tab"),
            (KeyCode::PageDown, KeyModifiers::NONE, "PageDown"),
            (KeyCode::F(5), KeyModifiers::NONE, "F5"),
        ];
        for (code, modifiers, name) in table {
            let Some(Msg::Key(key)) = message(Event::Key(KeyEvent::new(code, modifiers))) else { panic!("{name}") };
            assert_eq!((key.to_string().as_str(), Key::parse(name)), (name, Some(key)));
        }
        let released = KeyEvent::new_with_kind(KeyCode::Enter, KeyModifiers::NONE, KeyEventKind::Release);
        assert_eq!(message(Event::Key(released)), None);
        assert_eq!(message(Event::Key(KeyEvent::new(KeyCode::CapsLock, KeyModifiers::NONE))), None);
    }

    #[test]
    fn the_wheel_scrolls_and_a_click_points() {
        let mouse = |kind| message(Event::Mouse(MouseEvent { kind, column: 3, row: 4, modifiers: KeyModifiers::NONE }));
        assert_eq!(mouse(MouseEventKind::ScrollUp), Some(Msg::Wheel { column: 3, row: 4, rows: -WHEEL_ROWS }));
        assert_eq!(mouse(MouseEventKind::Down(MouseButton::Left)), Some(Msg::Click { column: 3, row: 4 }));
        assert_eq!(mouse(MouseEventKind::Moved), None);
    }
}
