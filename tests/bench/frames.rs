//! One frame of each pane, and a key with the frame that answers it.

use crate::big;
use countersign::app::Model;
use countersign::view::draw;
use countersign::view::theme::{Look, Role, Theme};
use divan::Bencher;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use std::collections::BTreeMap;

/// The pane's key, and the screen's size.
const FRAMES: [(&str, (u16, u16)); 14] = [
    ("0", (120, 40)),
    ("1", (120, 40)),
    ("2", (120, 40)),
    ("3", (120, 40)),
    ("4", (120, 40)),
    ("5", (120, 40)),
    ("0", (200, 60)),
    ("1", (200, 60)),
    ("2", (200, 60)),
    ("3", (200, 60)),
    ("4", (200, 60)),
    ("5", (200, 60)),
    ("7", (200, 60)),
    ("8", (200, 60)),
];

fn names() -> [String; 14] {
    const TITLES: [&str; 9] = ["checklist", "diff", "sweep", "evals", "talk", "signoff", "checks", "points", "results"];
    FRAMES.map(|(key, (cols, rows))| format!("{} {cols}x{rows}", TITLES[key.parse::<usize>().unwrap()]))
}

fn theme() -> Theme {
    Theme::from_looks(&Role::ALL.iter().map(|role| (*role, Look::default())).collect::<BTreeMap<_, _>>())
}

struct Stage {
    model: Model,
    terminal: Terminal<TestBackend>,
    theme: Theme,
}

fn stage(name: &str, keys: &str) -> Stage {
    let at = names().iter().position(|known| known == name).unwrap();
    let (key, size) = FRAMES[at];
    let model = big::model(big::facts(), size, &format!("{key} {keys}"));
    Stage { model, terminal: Terminal::new(TestBackend::new(size.0, size.1)).unwrap(), theme: theme() }
}

impl Stage {
    fn draw(&mut self) {
        let Stage { model, terminal, theme } = self;
        terminal.draw(|frame| draw(frame, model, theme)).unwrap();
    }
}

#[divan::bench(args = names())]
fn unchanged(bencher: Bencher<'_, '_>, name: &str) {
    let mut stage = stage(name, "");
    bencher.bench_local(|| stage.draw());
}

/// Down and up in turn: decide, settle, draw.
#[divan::bench(args = names())]
fn one_key(bencher: Bencher<'_, '_>, name: &str) {
    let mut stage = stage(name, "PageDown");
    let mut down = false;
    bencher.bench_local(|| {
        down = !down;
        big::press(&mut stage.model, if down { "j" } else { "k" });
        stage.draw();
    });
}

/// A tick changes the comment, but not what follows from the facts.
#[divan::bench]
fn one_tick(bencher: Bencher<'_, '_>) {
    let mut stage = stage("checklist 200x60", "");
    bencher.bench_local(|| {
        big::press(&mut stage.model, "Space k");
        stage.draw();
    });
}

/// A key in the filter of thousands of jobs, points or rows: typed and taken back in turn.
#[divan::bench(args = ["sweep 200x60", "points 200x60", "results 200x60"])]
fn filter_key(bencher: Bencher<'_, '_>, name: &str) {
    let mut stage = stage(name, "/ t p : 8 Space c o n c : > = 1");
    let mut typed = false;
    bencher.bench_local(|| {
        typed = !typed;
        big::press(&mut stage.model, if typed { "6" } else { "Backspace" });
        stage.draw();
    });
}
