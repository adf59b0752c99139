//! Whole screens, drawn into a buffer at three sizes: what they say, and in which role.
//! Must not know: terminals.

mod story;

use countersign::app::key::Key;
use countersign::app::model::{DraftState, Notice, Overlay, Pane};
use countersign::app::screens::log::Tail;
use countersign::app::{Model, Msg, update};
use countersign::core::axes::Concurrency;
use countersign::core::errand::{Errand, Errands, Order, PreparedErrand, Trace};
use countersign::core::evals::{EvalRow, Metric};
use countersign::core::facts::{DocumentKind, Facts};
use countersign::core::ids::{CommentId, RunId};
use countersign::core::listing::{Completeness, Listing};
use countersign::core::posting::{Attempt, Block, Posting, Prepared, Target};
use countersign::core::pull::CommentPlace;
use countersign::core::remote::Remote;
use countersign::core::session::Way;
use countersign::core::text::width;
use countersign::core::trouble::{Trouble, TroubleKind};
use countersign::core::verdict::SignoffRef;
use countersign::view::draw;
use countersign::view::theme::{Ink, Look, Role, Theme};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Color;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use story::{HEAD, WHOLE, answered, at, facts, job, model, now, ready, settled, trouble};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 36), (160, 46)];

/// Every role in a colour of its own, so that a buffer tells the role of each cell.
fn tell_tale() -> Theme {
    let look = |role: &Role| Look { fg: Some(Ink::Indexed(*role as u8 + 16)), ..Look::default() };
    let grounds = [Role::Cursor, Role::Selected, Role::Added, Role::Removed];
    let ground = |role: &Role| Look { bg: Some(Ink::Indexed(*role as u8 + 16)), ..Look::default() };
    let of = |role: &Role| if grounds.contains(role) { ground(role) } else { look(role) };
    Theme::from_looks(&Role::ALL.iter().map(|role| (*role, of(role))).collect::<BTreeMap<_, _>>())
}

/// The screen, and where the hardware cursor stands.
fn screen(model: &Model) -> (Buffer, (u16, u16)) {
    let mut terminal = Terminal::new(TestBackend::new(model.size.0, model.size.1)).unwrap();
    let theme = tell_tale();
    terminal.draw(|frame| draw(frame, model, &theme)).unwrap();
    let at = terminal.get_cursor_position().unwrap();
    (terminal.backend().buffer().clone(), (at.x, at.y))
}

/// The rows as a person sees them; the second cell of a wide letter is left out.
pub fn text(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in 0..buffer.area.height {
        let mut row = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            row.push_str(symbol);
            x += u16::try_from(width::of(symbol).max(1)).unwrap();
        }
        writeln!(out, "{}", row.trim_end()).unwrap();
    }
    out
}

/// A letter per cell for its role, dots for plain text, with a legend.
fn roles(buffer: &Buffer) -> String {
    const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let letter = |role: usize| LETTERS.chars().nth(role).unwrap_or('#');
    let of = |color: Color| match color {
        Color::Indexed(index) => Some(usize::from(index) - 16),
        _ => None,
    };
    let (mut out, mut used) = (String::new(), BTreeSet::new());
    for y in 0..buffer.area.height {
        let mut row = String::new();
        for x in 0..buffer.area.width {
            let cell = &buffer[(x, y)];
            let role = of(cell.fg).filter(|_| cell.symbol() != " ").or(of(cell.bg));
            used.extend(role);
            row.push(role.map_or(' ', |role| if role == 0 { '.' } else { letter(role) }));
        }
        writeln!(out, "{}", row.trim_end()).unwrap();
    }
    for role in used {
        writeln!(out, "{} {}", if role == 0 { '.' } else { letter(role) }, Role::ALL[role].name()).unwrap();
    }
    out
}

fn keys(model: &mut Model, keys: &str) {
    for key in keys.split_whitespace() {
        update(model, now(), Msg::Key(Key::parse(key).unwrap()));
        settled(model);
    }
}

/// The screen after some keys, at every size.
fn at_all_sizes(facts: &Facts, typed: &str, change: impl Fn(&mut Model)) -> String {
    let mut out = String::new();
    for size in SIZES {
        let mut model = model(facts.clone(), size);
        keys(&mut model, typed);
        change(&mut model);
        settled(&mut model);
        let (buffer, (x, y)) = screen(&model);
        writeln!(out, "{}x{}, cursor at {x},{y}\n{}", size.0, size.1, text(&buffer)).unwrap();
    }
    out
}

fn unchanged(_: &mut Model) {}

#[test]
fn the_panes_at_three_sizes() {
    for (name, typed) in [
        ("checklist", "Space Space j"),
        ("diff", "1 j j"),
        ("diff_search", "1 / t p Enter n"),
        ("diff_without_text", "1 } }"),
        ("sweep", "2 j"),
        ("sweep_matrix", "2 v Right"),
        ("sweep_causes", "2 v v j j j Enter"),
        ("sweep_filter", "2 / t p : 2 Enter"),
        ("evals", "3 j j"),
        ("talk", "4"),
        ("signoff", "Space 5 j j j"),
        ("checks", "6 j j"),
    ] {
        insta::assert_snapshot!(name, at_all_sizes(&facts(), typed, unchanged));
    }
}

#[test]
fn a_run_that_measured_nothing_hides_no_failed_job() {
    let canary = "canary / qwen3.5 fp4 b200 sgl TP2/EP2 mtp c16";
    let bench = "single-node 8k1k / qwen3.5 fp4 b200 sgl TP2/EP2 mtp c16";
    for size in SIZES {
        // What became of the canary, what GitHub calls the run, and how its row begins and ends.
        for (word, run, begins, ends) in [
            ("failure", "failure", '✗', "measured nothing 1 ✗"),
            ("failure", "success", '!', "measured nothing 1 ✗"),
            ("cancelled", "cancelled", '⊘', "measured nothing 1 ⊘"),
            ("success", "success", '✓', "measured nothing"),
        ] {
            let mut facts = facts();
            let Remote::Ready(runs) = &mut facts.runs else { unreachable!() };
            runs.value.items.truncate(1);
            runs.value.items[0].conclusion = Some(run.into());
            let jobs =
                vec![job(WHOLE, 1, 1, "setup", "success"), job(WHOLE, 2, 1, canary, word), job(WHOLE, 3, 1, bench, "skipped")];
            facts.jobs.insert(WHOLE, ready(Listing::complete(jobs)));
            let mut model = model(facts, size);
            keys(&mut model, "2");
            let (buffer, _) = screen(&model);
            let shown = text(&buffer);
            let row = shown.lines().find(|row| row.contains(&WHOLE.to_string())).unwrap_or_default();
            assert!(row.trim_end_matches(['│', ' ']).ends_with(ends), "{word} {run} {size:?}: {row}");
            let mark = row.split(&WHOLE.to_string()).next().unwrap().trim_end_matches(" run ").trim_end();
            assert!(mark.ends_with(begins), "{word} {run} {size:?}: {row}");
        }
    }
}

#[test]
fn the_bots_answer_beside_the_prediction() {
    insta::assert_snapshot!("checks_answered", at_all_sizes(&answered(), "6 j", unchanged));
    let mut model = model(answered(), (120, 36));
    keys(&mut model, "6 j");
    insta::assert_snapshot!("roles_checks_answered", roles(&screen(&model).0));
    // A push later the same answer counts for nothing, and says so; the strip no longer speaks of it.
    let mut moved = answered();
    let Remote::Ready(pull) = &mut moved.pull else { unreachable!() };
    pull.value.head = "2222222220a1b2c3d4e5f60718293a4b5c6d7e8f".into();
    insta::assert_snapshot!("checks_stale", at_all_sizes(&moved, "6 j", unchanged));
}

/// The same with scores of the older run: a little lower, some without an error, and one point there twice.
fn measured_twice() -> Facts {
    let mut facts = facts();
    let (older, now) = (facts.runs.value().unwrap().items[1].id, facts.evals.values().next().unwrap().clone());
    let Remote::Ready(mut then) = now else { panic!("not ready") };
    for (at, row) in then.value.items.iter_mut().enumerate() {
        for (metric, by) in row.metrics.iter_mut().zip([0.0048, 0.02]) {
            metric.score -= by;
            metric.stderr = metric.stderr.filter(|_| at != 1);
        }
    }
    let mut again = then.value.items[0].clone();
    again.metrics.truncate(1);
    then.value.items.push(again);
    facts.evals.insert(older, Remote::Ready(then));
    facts
}

/// A row with long, wide and steering texts, more metrics than stand side by side, and numbers at their ends.
fn hostile(row: &EvalRow) -> EvalRow {
    let mut row = row.clone();
    row.task = "\u{1b}[31m评测任务\u{202e}".repeat(20);
    row.axes.framework = "框架\n".repeat(30);
    row.axes.spec = Some("\u{200b}spec ".repeat(30));
    row.axes.conc = Concurrency::List((0..40).collect());
    (row.n, row.isl, row.osl) = (None, None, Some(u32::MAX));
    let metric = |score, stderr| Metric { name: "度量\u{7}".repeat(9), score, stderr };
    row.metrics.extend([metric(0.0, None), metric(1.0, Some(0.0)), metric(f64::NAN, Some(f64::NAN))]);
    row
}

#[test]
fn scores_stand_beside_those_of_earlier_runs() {
    for (name, typed) in [("evals_history", "3 j j"), ("evals_arm", "3 j"), ("evals_earlier_run", "3 G")] {
        insta::assert_snapshot!(name, at_all_sizes(&measured_twice(), typed, unchanged));
    }
    let mut unread = measured_twice();
    unread.evals.values_mut().for_each(cut);
    let mut model = model(unread, (80, 24));
    keys(&mut model, "3 j j");
    let shown = text(&screen(&model).0);
    assert!(shown.contains("! run 31000000001 before it is not read whole: more may be missing here"), "{shown}");
}

/// What stands in one row at one width stands in two at another: the cursor stays on its score.
#[test]
fn another_size_leaves_the_cursor_on_its_score() {
    let mut model = model(measured_twice(), (80, 24));
    keys(&mut model, "3 j j j j");
    for (cols, rows) in [(160, 46), (80, 24), (30, 5), (100, 20), (220, 60)] {
        update(&mut model, now(), Msg::Resize(cols, rows));
        settled(&mut model);
        let shown = text(&screen(&model).0);
        assert!(cols < 40 || shown.contains("▸ ✗ c64  gsm8k strict"), "{cols}x{rows}:\n{shown}");
    }
}

/// Whatever row of a run the cursor is on, the browser opens that run.
#[test]
fn every_row_of_the_evals_leads_to_its_run() {
    for size in SIZES {
        let mut model = model(measured_twice(), size);
        keys(&mut model, "3");
        let mut runs = Vec::new();
        for _ in 0..17 {
            let effects = format!("{:?}", update(&mut model, now(), Msg::Key(Key::parse("o").unwrap())));
            runs.extend(
                ["31020193450", "31000000001"].into_iter().filter(|run| effects.contains(&format!("actions/runs/{run}"))),
            );
            keys(&mut model, "j");
        }
        assert!(runs.len() == 17 && runs.is_sorted_by(|a, b| a >= b), "{size:?} {runs:?}");
        assert_eq!((runs[0], runs[16]), ("31020193450", "31000000001"));
    }
}

/// A run and two jobs are pinned, and logs and artifacts of the run go soon.
#[test]
fn what_is_pinned_and_what_goes_soon() {
    let mut facts = facts();
    let (Remote::Ready(runs), Some(Remote::Ready(artifacts))) = (&mut facts.runs, facts.artifacts.values_mut().next_back())
    else {
        panic!("not ready")
    };
    runs.value.items[0].updated_at = Some(at("2026-05-18T12:00:00Z"));
    artifacts.value.items[0].expires_at = Some(at("2026-08-14T12:00:00Z"));
    for (name, typed) in [("pins_sweep", "2 a j j j j j a j a"), ("pins_signoff", "2 a j j j j j a j a 5 G k k k k k")] {
        insta::assert_snapshot!(name, at_all_sizes(&facts, typed, unchanged));
    }
}

/// A list of which pages are missing.
fn cut<T>(remote: &mut Remote<Listing<T>>) {
    let Remote::Ready(got) = remote else { panic!("not ready") };
    got.value.completeness = Completeness::Partial { of: Some(240), why: trouble() };
}

#[test]
fn every_pane_says_how_much_of_its_list_was_read() {
    type Cut = fn(&mut Facts);
    let table: [(&str, Cut, &str, &str); 8] = [
        ("files", |f| cut(&mut f.files), "1", "4 of 240"),
        ("commits", |f| cut(&mut f.commits), "2", "2 of 240"),
        ("comments", |f| cut(&mut f.comments), "4", "2 of 240"),
        ("reviews", |f| cut(&mut f.reviews), "4", "1 of 240"),
        ("line comments", |f| cut(&mut f.line_comments), "4", "1 of 240"),
        ("runs", |f| cut(&mut f.runs), "2", "2 of 240"),
        ("jobs", |f| f.jobs.values_mut().for_each(cut), "2", "9 of 240"),
        ("artifacts", |f| f.artifacts.values_mut().for_each(cut), "3", "1 of 240"),
    ];
    for (name, cut, pane, said) in table {
        for size in SIZES {
            let mut facts = facts();
            cut(&mut facts);
            let mut model = model(facts, size);
            keys(&mut model, pane);
            let shown = text(&screen(&model).0);
            assert!(shown.contains(said), "{name} at {size:?}:\n{shown}");
        }
    }
}

#[test]
fn each_cell_has_its_role() {
    for (name, typed) in [
        ("checklist", "Space j"),
        ("diff", "1 / t p Enter"),
        ("sweep", "2"),
        ("evals", "3 j"),
        ("talk", "4"),
        ("signoff", "5"),
        ("checks", "6"),
    ] {
        let mut model = model(facts(), (120, 36));
        keys(&mut model, typed);
        insta::assert_snapshot!(format!("roles_{name}"), roles(&screen(&model).0));
    }
}

#[test]
fn nothing_read_yet_nothing_readable_and_part_read() {
    let empty = || Facts::new(&facts().web, facts().repo, facts().number);
    let mut loading = empty();
    loading.viewer = Remote::Loading;
    loading.pull = Remote::Loading;
    loading.files = Remote::Loading;
    loading.documents.insert(DocumentKind::Checklist, Remote::Loading);
    let mut broken = empty();
    broken.viewer = Remote::Failed { trouble: Trouble::new(TroubleKind::Access, "There is no token.", ""), last: None };
    broken.pull = Remote::Failed { trouble: trouble(), last: None };
    broken.files = Remote::Failed { trouble: trouble(), last: None };
    broken.runs = Remote::Failed { trouble: trouble(), last: None };
    broken.comments = Remote::Failed { trouble: trouble(), last: None };
    broken.documents.insert(DocumentKind::Checklist, Remote::Failed { trouble: trouble(), last: None });
    for (name, facts) in [("loading", loading), ("broken", broken)] {
        let mut out = String::new();
        for pane in ["0", "1", "2", "3", "4", "5", "6"] {
            let mut model = model(facts.clone(), (80, 16));
            keys(&mut model, pane);
            writeln!(out, "{}", text(&screen(&model).0)).unwrap();
        }
        insta::assert_snapshot!(name, out);
    }
}

fn prepared(model: &Model) -> Prepared {
    Prepared {
        text: model.signed().unwrap().rendered.text.clone(),
        host: model.session.host.clone(),
        repo: model.facts.repo.clone(),
        number: model.facts.number,
        head: HEAD.into(),
        template: "b10b".into(),
        viewer: model.facts.viewer.value().unwrap().clone(),
        newest: None,
        target: Target::default(),
        before: None,
        despite: Vec::new(),
        auto_merge: Some(false),
    }
}

/// What approves, may merge, and will be rejected.
fn approval(model: &Model) -> Prepared {
    Prepared {
        target: Target::New(Way::Approve),
        despite: vec![("recipe".into(), "recipe (Check 3)".into()), ("template".into(), "template (Check 5)".into())],
        auto_merge: Some(true),
        ..prepared(model)
    }
}

#[test]
fn the_overlays() {
    let confirm = |model: &mut Model| model.posting = Posting::Confirming(prepared(model));
    insta::assert_snapshot!("confirm", at_all_sizes(&facts(), "Space 5", confirm));
    let recorded = |model: &mut Model| {
        model.session.recording = Some("demo".into());
        confirm(model);
    };
    insta::assert_snapshot!(
        "confirm_approval",
        at_all_sizes(&facts(), "Space 5", |model| model.posting = Posting::Confirming(approval(model)))
    );
    insta::assert_snapshot!(
        "confirm_despite",
        at_all_sizes(&facts(), "Space 5", |model| model.posting = Posting::Warned(approval(model)))
    );
    insta::assert_snapshot!("confirm_recording", at_all_sizes(&facts(), "Space 5", recorded));
    insta::assert_snapshot!("help", at_all_sizes(&facts(), "2 ?", unchanged));
    insta::assert_snapshot!("help_scrolled", at_all_sizes(&facts(), "1 ? G", unchanged));
    insta::assert_snapshot!("palette", at_all_sizes(&facts(), "1 : n e x t Down Down", unchanged));
    insta::assert_snapshot!("search_line", at_all_sizes(&facts(), "1 / 新", unchanged));
}

#[test]
fn an_errand_that_does_not_fit_its_box_says_so_and_scrolls() {
    let asks = |model: &mut Model| {
        let told =
            |at: u32| format!("Consequence {at} of many is told in so many words that it takes two rows of the box to say.");
        model.errands = Errands::Confirming(Box::new(PreparedErrand {
            errand: Errand::Cancel { run: RunId(5) },
            what: "Cancel run 5 (attempt 1)".into(),
            consequences: (1..13).map(told).collect(),
            order: Order::Cancel(RunId(5)),
            trace: Trace::Over(RunId(5)),
            repo: model.facts.repo.clone(),
            number: model.facts.number,
            viewer: model.facts.viewer.value().unwrap().clone(),
            head: model.facts.head().unwrap().clone(),
            page: String::new(),
        }));
    };
    insta::assert_snapshot!("errand", at_all_sizes(&facts(), "2", asks));
    let end = |model: &mut Model| {
        asks(model);
        keys(model, "G");
    };
    insta::assert_snapshot!("errand_end", at_all_sizes(&facts(), "2", end));
}

#[test]
fn every_state_of_posting_is_in_words() {
    let attempt = || Attempt {
        digest: "d".into(),
        author: countersign::core::ids::UserId(7),
        newest: None,
        head: HEAD.into(),
        at: now(),
        target: Target::default(),
    };
    let text_of = |state: &dyn Fn(&Model) -> Posting| {
        let mut model = model(facts(), (120, 36));
        keys(&mut model, "Space 5");
        model.posting = state(&model);
        settled(&mut model);
        text(&screen(&model).0)
    };
    type State<'a> = &'a dyn Fn(&Model) -> Posting;
    let edit = Target::Edit(SignoffRef { place: CommentPlace::Conversation, id: CommentId(5000255002) });
    let table: [(State<'_>, &str); 14] = [
        (&|_| Posting::Rechecking { text: String::new() }, "Rechecking"),
        (&|_| Posting::Blocked(vec![Block::linked("The head moved.", "https://example.org/head")]), "https://example.org/head"),
        (&|model| Posting::Recording(prepared(model), attempt()), "about to be sent"),
        (&|_| Posting::Sending(attempt()), "Sending"),
        (&|_| Posting::Searching { attempt: attempt(), looks: 1, why: "The connection was cut.".into() }, "2 of 3"),
        (&|_| Posting::Posted { url: "https://example.org/c".into() }, "Posted: https://example.org/c"),
        (
            &|_| Posting::NotPosted { why: "Not posted: it is not there.".into(), hint: "Press p.".into() },
            "Not posted: it is not there. Press p.",
        ),
        (&|model| Posting::Confirming(prepared(model)), "Post this conversation comment?"),
        (&|model| Posting::Confirming(approval(model)), "a review that approves"),
        (&|model| Posting::Confirming(approval(model)), "auto-merge is on"),
        (&|model| Posting::Confirming(Prepared { auto_merge: None, ..approval(model) }), "GitHub did not say"),
        (&|model| Posting::Confirming(approval(model)), "recipe (Check 3)"),
        (&|model| Posting::Confirming(Prepared { target: edit, ..prepared(model) }), "edits comment 5000255002 in place"),
        (&|model| Posting::Warned(approval(model)), "The bot will reject this: recipe (Check 3), template"),
    ];
    for (state, words) in table {
        let shown = text_of(state);
        assert!(shown.contains(words), "{words}\n{shown}");
    }
}

#[test]
fn what_was_said_last_and_where_the_draft_is() {
    let mut model = model(facts(), (80, 24));
    model.notice = Some(Notice { text: "The clipboard is not there.".into(), bad: true });
    model.draft_state = DraftState::Failed(trouble());
    let (buffer, _) = screen(&model);
    let shown = text(&buffer);
    let footer = shown.lines().last().unwrap();
    assert!(footer.contains("! The clipboard is not there.") && footer.ends_with('?'), "{footer}");
    assert!(shown.contains("✗ draft not saved"));
    assert_eq!(buffer[(1, 23)].fg, Color::Indexed(Role::Bad as u8 + 16));
}

#[test]
fn a_recording_says_so_and_a_tokenless_reader_too() {
    for size in SIZES {
        let mut model = model(facts(), size);
        model.session.recording = Some("demo".into());
        assert!(text(&screen(&model).0).contains("recording · nothing leaves this machine"));
        model.session.recording = None;
        model.facts.viewer = Remote::Failed { trouble: Trouble::new(TroubleKind::Access, "x", ""), last: None };
        assert!(text(&screen(&model).0).contains("read-only: no token"));
    }
}

#[test]
fn the_log_at_two_sizes() {
    let lines = [
        "2026-08-11T12:29:58.120Z 4242 INFO  begins version=\"0.1.0\" command=Open(PullNumber(2550))",
        "2026-08-11T12:29:58.431Z 4242 INFO  answered method=GET path=/repos/octo/bench/actions/runs?branch=main&per_page=100 status=200 ms=311 bytes=48213 tries=2 kept=false id=C0DE:1234",
        "2026-08-11T12:29:59.002Z 4242 WARN  limited kind=Secondary until=12:30:42Z",
        "2026-08-11T12:29:59.100Z 4242 ERROR panicked: index out of bounds ^[[31m at=\"src/x.rs:1:1\" thread=\"github\"",
    ];
    let long = (0..60).map(|n| format!("2026-08-11T12:29:00.000Z 4242 DEBUG asks method=GET path=/n/{n}"));
    let lines: Vec<String> = long.chain(lines.map(str::to_owned)).collect();
    let mut out = String::new();
    for size in [(80, 24), (160, 50)] {
        let mut model = model(facts(), size);
        let path = "/home/reviewer/.local/state/countersign/countersign.log".to_owned();
        let tail = Tail { path, lines: lines.clone() };
        model.overlay = Overlay::Log { tail: Some(Ok(tail)), top: usize::MAX };
        let (buffer, (x, y)) = screen(&model);
        writeln!(out, "{}x{}, cursor at {x},{y}\n{}", size.0, size.1, text(&buffer)).unwrap();
    }
    insta::assert_snapshot!("log", out);
    let mut model = model(facts(), (80, 24));
    model.overlay = Overlay::Log { tail: None, top: usize::MAX };
    assert!(text(&screen(&model).0).contains("being read"));
    model.overlay = Overlay::Log { tail: Some(Err(trouble())), top: usize::MAX };
    assert!(text(&screen(&model).0).contains("GitHub answered 502 to page 2."));
}

#[test]
fn a_limit_and_a_low_budget_stand_in_the_header_at_every_size() {
    for size in SIZES {
        let header = |model: &Model| text(&screen(model).0).lines().next().unwrap().to_owned();
        let mut model = model(facts(), size);
        model.budget = Some((4_812, 5_000));
        assert_eq!(header(&model).contains("budget 4,812"), size.0 >= 100, "{}", header(&model));
        model.budget = Some((499, 5_000));
        assert!(header(&model).contains("! budget 499"), "{}", header(&model));
        let read = countersign::core::plan::Read::Comments;
        let ticket =
            update(&mut model, now(), Msg::Key(Key::parse("r").unwrap())).into_iter().find_map(|effect| match effect {
                countersign::app::Effect::Ask(ticket, countersign::app::effect::Request::Read(asked)) if asked == read => {
                    Some(ticket)
                }
                _ => None,
            });
        let mut limited = Trouble::new(TroubleKind::Limited, "GitHub's secondary rate limit asks for a pause.", "Wait.");
        limited.retry_at = Some(now() + chrono::TimeDelta::seconds(102));
        let reply = countersign::core::plan::Reply { read, answer: Err(limited), last: true };
        update(&mut model, now(), Msg::Reply(ticket.unwrap(), countersign::app::msg::Reply::Read(reply)));
        let said = if size.0 < 100 { "! limit 1:42" } else { "! GitHub's limit: goes on in 1:42" };
        assert!(header(&model).contains(said), "{}", header(&model));
        assert!(header(&model).contains("reviewer@"), "{}", header(&model));
    }
}

/// No size, pane or overlay makes drawing fail, the cursor leave the screen or a control character reach a cell.
#[test]
fn every_size_can_be_drawn() {
    let mut facts = measured_twice();
    for evals in facts.evals.values_mut() {
        let Remote::Ready(got) = evals else { panic!("not ready") };
        got.value.items.push(hostile(&got.value.items[0]));
    }
    for (cols, rows) in [(1, 1), (39, 12), (40, 11), (40, 12), (41, 13), (60, 12), (83, 20), (119, 30), (120, 12), (220, 70)] {
        for typed in ["0", "1", "1 }", "2", "3", "3 G", "4", "5", "6", "?", ":", "g l", "1 /"] {
            let mut model = model(facts.clone(), (cols, rows));
            keys(&mut model, typed);
            let (buffer, (x, y)) = screen(&model);
            assert!(x < cols && y < rows, "{cols}x{rows} {typed}");
            let hidden = |c: char| c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}');
            assert!(buffer.content.iter().all(|cell| !cell.symbol().contains(hidden)), "{cols}x{rows} {typed}");
        }
        let mut model = model(facts.clone(), (cols, rows));
        model.focus = Pane::Signoff;
        model.posting = Posting::Confirming(prepared(&model));
        screen(&model);
    }
    let small = model(facts, (39, 12));
    assert!(text(&screen(&small).0).contains("39 columns and 12"));
}

/// The confirmation shows what it must at the smallest size: who, where, which commit, how much, and the keys.
#[test]
fn a_small_confirmation_hides_nothing() {
    let mut model = model(facts(), (40, 12));
    model.session.recording = Some("demo".into());
    model.posting = Posting::Confirming(prepared(&model));
    model.overlay = Overlay::None;
    let shown = text(&screen(&model).0);
    for words in [
        "reviewer",
        "api.github.com",
        "octo/bench",
        "#2550",
        "e36439990",
        "conversation comment",
        " / 65,536",
        "0 ticked",
        "8 unticked",
        "Nothing leaves this machine",
        "y ",
        "n ",
    ] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
}

/// An approval that may merge, and that the bot will reject, says both there too, before and after the first key.
#[test]
fn a_small_warning_hides_nothing_that_matters() {
    let mut model = model(facts(), (40, 12));
    model.session.recording = Some("demo".into());
    model.posting = Posting::Confirming(approval(&model));
    let shown = text(&screen(&model).0);
    for words in
        ["approving review", "auto-merge is on", "recipe (Check 3)", "#2550", "e36439990", "Nothing leaves this machine", "y "]
    {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    model.posting =
        Posting::Warned(Prepared { despite: vec![("recipe".into(), "recipe (Check 3)".into())], ..approval(&model) });
    model.session.recording = None;
    let shown = text(&screen(&model).0);
    for words in ["The bot will reject this:", "recipe", "(Check 3)", "Y post all the same", "n "] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
}

/// Both theme files name only roles that exist, in colours that exist; mono has no colour at all.
#[test]
fn theme_files_are_sound() {
    for name in ["mono", "dark"] {
        let path = format!("{}/themes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let table: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
        for (role, look) in table["roles"].as_table().unwrap() {
            assert!(Role::from_name(role).is_some(), "{name}: {role}");
            for (key, value) in look.as_table().unwrap() {
                match key.as_str() {
                    "fg" | "bg" => {
                        assert_ne!(name, "mono", "{role}");
                        assert!(Ink::parse(value.as_str().unwrap()).is_some(), "{name}: {role}");
                    }
                    "bold" | "dim" | "italic" | "underline" | "reverse" | "strikethrough" => assert!(value.is_bool()),
                    other => panic!("{name}: {role}: {other}"),
                }
            }
        }
    }
}
