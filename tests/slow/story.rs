//! What a reviewer lives through with the real program, a real terminal and a GitHub that we did not write.
//! Must not know: the program's insides. Keys and words of the screen stand in one place, at the top.

use crate::home::Home;
use crate::hub::{Hub, TOKEN};
use crate::terminal::{Screen, Terminal};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

const REPO: &str = "SemiAnalysisAI/InferenceX";
const PULL: u64 = 2550;
const VIEWER: &str = "nv-owner-1";
const HEAD: &str = "e36439994615e02aaaf042482234dc7060a6126d";
const OTHER_HEAD: &str = "0123456789abcdef0123456789abcdef01234567";
const RUN: &str = "31020193450";
const TEMPLATE: &str = "docs/PR_REVIEW_CHECKLIST.md";
const PHRASE: &str = "As a PR reviewer and CODEOWNER";
const COMMENTS: &str = "/issues/2550/comments";

/// Narrow enough for one pane, so that rows of two panes do not mix; long enough for the whole comment.
const COLUMNS: u16 = 110;
const ROWS: u16 = 160;
/// A search for an unclear comment takes its time: three looks over more than ten seconds.
const PATIENCE: Duration = Duration::from_secs(60);
/// What the program says when a change is on disk: from then on, killing it loses nothing.
const DRAFT_ON_DISK: &str = "draft saved";

const WITH_TOKEN: &[(&str, &str)] = &[("COUNTERSIGN_TOKEN", TOKEN)];

/// A pane: its key, and words that only it shows.
struct Pane(&'static str, &'static str);

const CHECKLIST: Pane = Pane("0", CODE_QUALITY);
const DIFF: Pane = Pane("1", "nvidia-master.yaml");
const SWEEP: Pane = Pane("2", RUN);
const EVALS: Pane = Pane("3", "gsm8k");
const TALK: Pane = Pane("4", "pr-author · description");
const SIGN_OFF: Pane = Pane("5", PHRASE);

/// Items, by words of their row.
const CODE_QUALITY: &str = "code quality";
const FIRST: &str = "latest checklist";
const PR_VALIDATION: &str = "PR validation";

/// A reviewer with a program, a home and a hub.
struct Desk {
    hub: Hub,
    home: Home,
    terminal: Terminal,
}

/// Starts the program with `variables` beside the home's own.
fn start(hub: &Hub, home: &Home, columns: u16, rows: u16, variables: &[(&str, &str)]) -> Terminal {
    let mut environment = home.environment();
    environment.extend(variables.iter().map(|(name, value)| (name.into(), value.into())));
    let pull = format!("{REPO}#{PULL}");
    let arguments = ["--api-url", hub.address(), &pull];
    let program = env!("CARGO_BIN_EXE_countersign");
    Terminal::spawn(program, &arguments, &home.work(), &environment, columns, rows).with_patience(PATIENCE)
}

/// Opens the pull request and waits until the checklist can be worked on.
fn open(scenario: &str, faults: &[&str]) -> Desk {
    let desk = open_at(COLUMNS, ROWS, scenario, faults);
    desk.is_loaded();
    desk
}

fn open_at(columns: u16, rows: u16, scenario: &str, faults: &[&str]) -> Desk {
    let (hub, home) = (Hub::start(scenario, faults), Home::new());
    let terminal = start(&hub, &home, columns, rows, WITH_TOKEN);
    Desk { hub, home, terminal }
}

impl Desk {
    /// The same person comes back after a crash.
    fn reopen(&mut self) {
        self.terminal = start(&self.hub, &self.home, COLUMNS, ROWS, WITH_TOKEN);
    }

    /// An editor that adds a line to whatever it is given.
    fn reopen_with_editor(&mut self, line: &str) {
        let editor = self.home.work().join("editor");
        std::fs::write(&editor, format!("#!/bin/sh\nprintf '{line}\\n' >> \"$1\"\n")).unwrap();
        std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).unwrap();
        let variables = [("COUNTERSIGN_TOKEN", TOKEN), ("EDITOR", editor.to_str().unwrap())];
        self.terminal = start(&self.hub, &self.home, COLUMNS, ROWS, &variables);
        self.is_loaded();
    }

    /// Every answer has come.
    fn is_loaded(&self) {
        self.go(&CHECKLIST);
        self.terminal.wait_for(|screen| !screen.has("⟳"), "the end of loading");
    }

    fn go(&self, pane: &Pane) -> Screen {
        self.terminal.keys(pane.0);
        self.terminal.wait_for(|screen| has(screen, pane.1), &format!("the pane behind {}, with `{}`", pane.0, pane.1))
    }

    /// Goes to the item and ticks it.
    fn tick(&self, item: &str) {
        self.go(&CHECKLIST);
        self.terminal.keys("gg");
        let mut screen = self.terminal.wait_for(|screen| has_words(selected(screen), FIRST), "the first item");
        for _ in 0..40 {
            if has_words(selected(&screen), item) {
                self.terminal.keys(" ");
                self.sees_ticked(item);
                return;
            }
            let before = selected(&screen).to_owned();
            self.terminal.keys("j");
            screen = self.terminal.wait_for(|screen| selected(screen) != before, "the next item");
        }
        panic!("no item `{item}`\n{screen}");
    }

    fn sees_ticked(&self, item: &str) {
        let ticked = |screen: &Screen| screen.rows.iter().any(|row| has_words(row, item) && row.contains("[x]"));
        self.terminal.wait_for(ticked, &format!("`{item}` ticked"));
    }

    /// Shows the comment that would be posted.
    fn preview(&self) -> Screen {
        self.terminal.keys("P");
        self.terminal.wait_for(|screen| screen.has(PHRASE) && screen.has("Signed: "), "the whole comment")
    }

    /// Asks to post and waits for the question.
    fn post(&self) -> Screen {
        self.terminal.keys("p");
        let asks = |screen: &Screen| [VIEWER, "127.0.0.1", REPO, "2550", &HEAD[..7]].iter().all(|word| screen.has(word));
        self.terminal.wait_for(|screen| asks(screen) && has(screen, "post it"), "the question before posting")
    }

    /// Gives the word, and the second one: not all is ticked, so the bot will reject it.
    fn confirm(&self) {
        self.terminal.keys("y");
        self.terminal.wait_for(|screen| has(screen, "post all the same"), "the warning");
        self.terminal.keys("Y");
    }

    /// Gives both words where nothing was asked.
    fn insist(&self) {
        self.terminal.keys("yY");
    }

    fn ends_in_posted(&self) {
        self.terminal.wait_for(|screen| has(screen, "posted") && screen.has("#issuecomment-"), "`posted`, with its address");
    }

    fn ends_in_not_posted(&self) -> Screen {
        self.terminal.wait_for(|screen| has(screen, "not posted"), "`not posted`")
    }

    /// The one comment on the hub is to the letter what `preview` showed.
    fn assert_one_comment(&self, preview: &Screen) {
        let [write] = &self.hub.writes()[..] else { panic!("not one write: {:#?}", self.hub.writes()) };
        assert_eq!((write.method.as_str(), write.path.as_str()), ("POST", COMMENTS));
        assert_eq!(write.body.as_object().map(|body| body.len()), Some(1), "{:?}", write.body);
        let body = write.body["body"].as_str().unwrap();
        assert!(body.starts_with(PHRASE), "{body}");
        assert!(squeeze(&preview.text()).contains(&squeeze(body)), "posted:\n{body}\n\nshown:\n{preview}");
        assert!(!body.contains("FILL_IN") && !body.contains("insert any additional info"), "{body}");
        self.hub.assert_well_behaved();
    }

    fn assert_no_comment(&self) {
        assert_eq!(self.hub.writes(), []);
        self.hub.assert_well_behaved();
    }

    /// How often a comment was sent, whatever became of it.
    fn sent(&self) -> usize {
        self.hub.requests_like("POST", COMMENTS).len()
    }

    /// What lies on disk can be read: nothing is half written.
    fn assert_drafts_whole(&self) {
        let files = Home::files(&self.home.data());
        let drafts: Vec<_> = files.iter().filter(|(path, _)| path.extension().is_some_and(|ext| ext == "json")).collect();
        assert!(!drafts.is_empty(), "{files:?}");
        for (path, text) in drafts {
            assert!(
                serde_json::from_str::<Value>(text).is_ok_and(|draft| draft["schema"].is_u64()),
                "{}: {text}",
                path.display()
            );
        }
    }
}

fn has(screen: &Screen, words: &str) -> bool {
    has_words(&screen.text(), words)
}

fn has_words(text: &str, words: &str) -> bool {
    text.to_lowercase().contains(&words.to_lowercase())
}

/// The row that keys act on: the hardware cursor stands there.
fn selected(screen: &Screen) -> &str {
    screen.rows.get(usize::from(screen.cursor.0)).map_or("", String::as_str)
}

/// Text without what a screen adds or loses: spaces, line breaks, borders and scroll bars.
fn squeeze(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !('\u{2500}'..='\u{259f}').contains(c)).collect()
}

/// The terminal is as the program found it.
fn assert_terminal_restored(terminal: &Terminal) {
    let screen = terminal.screen();
    assert!(!screen.alternate && !screen.cursor_hidden && !screen.bracketed_paste && !screen.mouse, "{screen:?}");
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_reviewer_reads_ticks_previews_and_posts() {
    let desk = open("2550-green", &[]);
    for pane in [DIFF, SWEEP, EVALS, TALK, SIGN_OFF, CHECKLIST] {
        desk.go(&pane);
    }
    desk.tick(PR_VALIDATION);
    desk.tick(CODE_QUALITY);
    let preview = desk.preview();
    assert!(preview.has(RUN) && preview.has(VIEWER), "{preview}");
    desk.post();
    assert_eq!(desk.sent(), 0, "nothing is sent before the reviewer's word");
    desk.confirm();
    desk.ends_in_posted();
    desk.assert_one_comment(&preview);
}

/// The whole way of a careful reviewer: every box looked at, reasons for those that stay open, and both words.
#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn from_opening_to_the_posted_comment_in_25_keys() {
    let desk = open("2550-green", &[]);
    desk.terminal.wait_for(|screen| screen.has("2550") && !screen.has("⟳"), "the end of loading");
    let mut pressed = 0;
    let mut press = |keys: &[&str]| {
        for key in keys {
            desk.terminal.keys(key);
        }
        pressed += keys.len();
    };
    // Five boxes, one that does not apply, four more; the recipe and its merge stay open for a reason; then the rest.
    press(&[" ", " ", " ", " ", " ", "j", " ", " ", " ", " ", "x"]);
    desk.terminal.paste("whether a new arm of a published recipe is in scope is for a maintainer to say");
    press(&["<cr>", "j", "x"]);
    desk.terminal.paste("no upstream recipe is linked yet");
    press(&["<cr>", "j", " ", " ", "P"]);
    desk.terminal.wait_for(|screen| screen.has(PHRASE), "the comment");
    press(&["p"]);
    desk.terminal.wait_for(|screen| has(screen, "post it"), "the question before posting");
    press(&["y"]);
    desk.terminal.wait_for(|screen| has(screen, "post all the same"), "the warning");
    press(&["Y"]);
    desk.ends_in_posted();
    assert!(pressed <= 25, "{pressed} keys");
    let [write] = &desk.hub.writes()[..] else { panic!("not one write: {:#?}", desk.hub.writes()) };
    let body = write.body["body"].as_str().unwrap();
    assert_eq!((body.matches("- [x]").count(), body.matches("- [ ]").count()), (11, 3), "{body}");
    for fact in [RUN, HEAD, "TP2/EP2", "gsm8k", "v0.5.14", "tok/s/GPU", "is for a maintainer to say", "(drafted)"] {
        assert!(body.contains(fact), "{fact} is not in\n{body}");
    }
    desk.hub.assert_well_behaved();
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn an_answer_that_is_lost_does_not_post_twice() {
    let desk = open("2550-green", &["POST /issues/.* -> drop-after"]);
    desk.tick(PR_VALIDATION);
    let preview = desk.preview();
    desk.post();
    desk.confirm();
    desk.ends_in_posted();
    assert_eq!(desk.sent(), 1);
    desk.assert_one_comment(&preview);
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_request_that_is_lost_ends_in_not_posted_with_the_draft_kept() {
    let mut desk = open("2550-green", &["POST /issues/.* -> drop-before"]);
    desk.tick(PR_VALIDATION);
    desk.preview();
    desk.post();
    desk.confirm();
    desk.ends_in_not_posted();
    assert_eq!(desk.sent(), 1);
    desk.assert_no_comment();
    desk.terminal.keys("<c-c>");
    assert_eq!(desk.terminal.exit_code(), 0);
    desk.reopen();
    desk.go(&CHECKLIST);
    desk.sees_ticked(PR_VALIDATION);
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_head_that_moved_after_the_preview_blocks_the_post() {
    let desk = open("2550-green", &[]);
    desk.tick(PR_VALIDATION);
    desk.preview();
    desk.hub.push(PULL, OTHER_HEAD);
    desk.terminal.keys("p");
    desk.terminal.wait_for(|screen| screen.has(&OTHER_HEAD[..7]) && has(screen, "moved"), "the moved head");
    desk.insist();
    desk.terminal.keys("<cr>");
    desk.go(&CHECKLIST);
    assert_eq!(desk.sent(), 0);
    desk.assert_no_comment();
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_head_that_moved_under_the_question_blocks_the_post() {
    let desk = open("2550-green", &[]);
    desk.tick(PR_VALIDATION);
    desk.preview();
    desk.post();
    desk.hub.push(PULL, OTHER_HEAD);
    desk.confirm();
    desk.terminal.wait_for(|screen| screen.has(&OTHER_HEAD[..7]) && has(screen, "moved"), "the moved head");
    assert_eq!(desk.sent(), 0);
    desk.assert_no_comment();
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_template_that_moved_blocks_the_post() {
    let desk = open("2550-green", &[]);
    desk.tick(PR_VALIDATION);
    desk.preview();
    let old = desk.hub.file(REPO, "main", TEMPLATE);
    let new = old.replace("\n### Additional", "- [ ] Verified that one more thing holds.\n\n### Additional");
    assert_ne!(old, new);
    desk.hub.write_file("main", TEMPLATE, &new);
    desk.terminal.keys("p");
    desk.terminal.wait_for(|screen| has(screen, "template") && has(screen, "changed"), "the changed template");
    desk.insist();
    desk.go(&CHECKLIST);
    desk.assert_no_comment();
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn an_own_earlier_sign_off_blocks_the_post() {
    let desk = open("2550-green", &[]);
    desk.tick(PR_VALIDATION);
    desk.preview();
    desk.hub.comment(PULL, VIEWER, &format!("{PHRASE}, I have reviewed this and have:\n- [x] one thing"));
    desk.terminal.keys("p");
    desk.terminal.wait_for(|screen| screen.has("#issuecomment-"), "the earlier sign-off, with its address");
    desk.insist();
    desk.go(&CHECKLIST);
    desk.assert_no_comment();
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn ticks_survive_kill_nine() {
    let mut desk = open("2550-green", &[]);
    desk.tick(PR_VALIDATION);
    desk.terminal.wait_for_text(DRAFT_ON_DISK);
    desk.terminal.kill9();
    desk.assert_drafts_whole();
    desk.reopen();
    desk.go(&CHECKLIST);
    desk.sees_ticked(PR_VALIDATION);
    assert_eq!(desk.sent(), 0);
    desk.assert_no_comment();
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn written_details_survive_kill_nine() {
    let mut desk = open("2550-green", &[]);
    desk.terminal.kill9();
    desk.reopen_with_editor("My own words.");
    desk.go(&SIGN_OFF);
    desk.terminal.keys("e");
    desk.terminal.wait_for_text("My own words.");
    desk.terminal.wait_for_text(DRAFT_ON_DISK);
    desk.terminal.kill9();
    desk.assert_drafts_whole();
    desk.reopen();
    desk.go(&SIGN_OFF);
    desk.terminal.wait_for_text("My own words.");
    desk.assert_no_comment();
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_crash_while_posting_is_resolved_by_looking() {
    let mut desk = open("2550-green", &["POST /issues/.* -> slow:2000"]);
    desk.tick(PR_VALIDATION);
    let preview = desk.preview();
    desk.post();
    desk.confirm();
    desk.hub.wait_for_request("POST", COMMENTS);
    desk.terminal.kill9();
    desk.assert_drafts_whole();
    desk.reopen();
    desk.ends_in_posted();
    assert_eq!(desk.sent(), 1);
    desk.assert_one_comment(&preview);
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_crash_before_the_write_is_resolved_by_looking_too() {
    let mut desk = open("2550-green", &["POST /issues/.* -> hang"]);
    desk.tick(PR_VALIDATION);
    desk.preview();
    desk.post();
    desk.confirm();
    desk.hub.wait_for_request("POST", COMMENTS);
    desk.terminal.kill9();
    desk.reopen();
    desk.ends_in_not_posted();
    assert_eq!(desk.sent(), 1);
    desk.assert_no_comment();
    desk.go(&CHECKLIST);
    desk.sees_ticked(PR_VALIDATION);
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_server_error_is_never_answered_by_sending_again() {
    let desk = open("2550-green", &["POST /issues/.* -> 502"]);
    desk.tick(PR_VALIDATION);
    desk.preview();
    desk.post();
    desk.confirm();
    desk.ends_in_not_posted();
    assert_eq!(desk.sent(), 1);
    desk.assert_no_comment();
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_rate_limit_gives_the_post_back_to_the_reviewer() {
    let desk = open("2550-green", &["POST /issues/.* -> rate-secondary x1"]);
    desk.tick(PR_VALIDATION);
    let preview = desk.preview();
    desk.post();
    desk.confirm();
    desk.terminal.wait_for(|screen| has(screen, "limit"), "the rate limit");
    assert_eq!((desk.sent(), desk.hub.writes().len()), (1, 0));
    // The hub asks for two seconds; then the reviewer gives the word again.
    std::thread::sleep(Duration::from_secs(2));
    desk.preview();
    desk.post();
    desk.confirm();
    desk.ends_in_posted();
    assert_eq!(desk.sent(), 2);
    desk.assert_one_comment(&preview);
}

/// The gate waits out two short limits by itself; what is refused a third time waits on screen and goes on untouched.
#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn reads_that_a_limit_kept_back_come_by_themselves() {
    for limit in ["rate-primary", "rate-secondary"] {
        let desk = open_at(COLUMNS, ROWS, "2550-green", &[&format!("GET .*/pulls/2550/files.* -> {limit} x4")]);
        desk.terminal.wait_for(|screen| screen.has("GitHub's limit: goes on in 0:0"), "the countdown");
        desk.terminal.wait_for(|screen| !screen.has("GitHub's limit"), "the end of the countdown");
        desk.terminal.wait_for(|screen| !screen.has("⟳"), "the end of loading");
        desk.go(&DIFF);
        desk.hub.assert_well_behaved();
        assert!(desk.hub.requests_like("GET", "/pulls/2550/files").iter().any(|seen| seen.status == Some(200)));
    }
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn without_a_token_everything_can_be_read_and_nothing_posted() {
    let (hub, home) = (Hub::start_open("2550-green"), Home::new());
    let terminal = start(&hub, &home, COLUMNS, ROWS, &[]);
    let desk = Desk { hub, home, terminal };
    desk.go(&SWEEP);
    desk.terminal.wait_for(|screen| has(screen, "read-only") && has(screen, "token"), "that it is read-only, and why");
    desk.tick(PR_VALIDATION);
    desk.preview();
    desk.terminal.keys("p");
    desk.terminal.wait_for_text("COUNTERSIGN_TOKEN");
    desk.insist();
    desk.go(&SWEEP);
    assert_eq!(desk.sent(), 0);
    desk.assert_no_comment();
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn a_hub_that_never_answers_leaves_the_keys_alive() {
    let desk = open_at(80, 24, "2550-green", &["GET .* -> hang"]);
    desk.terminal.wait_for(|screen| screen.has("2550") && has(screen, "loading"), "a first frame before any answer");
    desk.terminal.keys("?");
    desk.terminal.wait_for(|screen| has(screen, "Go to what supports the item"), "help");
    // One at a time: a terminal sends Esc and C-c in one go for Alt-C-c.
    desk.terminal.keys("<esc>");
    desk.terminal.wait_for(|screen| !has(screen, "Go to what supports the item"), "the pane below help");
    desk.terminal.keys("<c-c>");
    assert_eq!(desk.terminal.exit_code(), 0);
    assert_terminal_restored(&desk.terminal);
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn every_size_shows_something_useful() {
    let desk = open_at(80, 24, "2550-green", &[]);
    for pane in [DIFF, SWEEP, EVALS, TALK, SIGN_OFF, CHECKLIST] {
        desk.go(&pane);
    }
    desk.terminal.resize(160, 46);
    desk.terminal.keys(SWEEP.0);
    desk.terminal.wait_for(|screen| has(screen, CODE_QUALITY) && screen.has(RUN), "the checklist beside the sweep");
    desk.terminal.resize(39, 11);
    desk.terminal.wait_for(|screen| screen.has("40") && screen.has("12"), "the size that is needed");
    desk.terminal.resize(80, 24);
    desk.go(&CHECKLIST);
    desk.hub.assert_well_behaved();
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn leaving_restores_the_terminal() {
    let desk = open("2550-green", &[]);
    assert!(desk.terminal.screen().alternate);
    desk.terminal.keys("q");
    assert_eq!(desk.terminal.exit_code(), 0);
    assert_terminal_restored(&desk.terminal);

    let desk = open("2550-green", &[]);
    desk.tick(PR_VALIDATION);
    desk.terminal.signal("TERM");
    desk.terminal.ending();
    assert_terminal_restored(&desk.terminal);
    desk.assert_drafts_whole();
}
