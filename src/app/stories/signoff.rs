//! Stories of the sign-off in the making: reasons, links behind items, the preview, what a fact rests on.
//! Must not know: terminals or wires.

use super::*;
use crate::core::checklist::snippets::Snippet;

#[test]
fn a_reason_and_a_link_are_typed_kept_and_taken_away() {
    let mut stage = Stage::new(World::new()).open();
    let key = stage.model.signed().unwrap().items[1].key.clone();
    stage.keys("j x");
    stage.paste("\r\n\nthe head is a merge\nof main");
    let left_out = "Only the first line was taken: 1 line more.";
    assert!(matches!(&stage.model.overlay, Overlay::Typing { wrong: Some(wrong), .. } if wrong == left_out));
    stage.keys("Enter");
    assert_eq!(stage.model.draft.reasons.get(&key).map(String::as_str), Some("the head is a merge"), "one line");
    stage.keys("l");
    stage.paste(" https://example.org/a ");
    stage.keys("Enter");
    assert_eq!(stage.model.draft.behind.get(&key).map(String::as_str), Some("https://example.org/a"));
    assert_eq!(stage.saved.last(), Some(&stage.model.draft), "kept on disk");
    // What was written stands in the field again; an emptied one takes it away, and Esc changes nothing.
    stage.keys("l C-u Esc x");
    assert!(matches!(&stage.model.overlay, Overlay::Typing { text, .. } if text == "the head is a merge"));
    stage.keys("C-u Enter");
    assert!(stage.model.draft.reasons.is_empty() && !stage.model.draft.behind.is_empty());
}

#[test]
fn tab_puts_a_phrase_of_one_s_own_into_a_reason() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("x Tab");
    assert!(matches!(&stage.model.overlay, Overlay::Typing { wrong: Some(wrong), .. } if wrong.contains("no phrases yet")));
    let snippet = |name: &str, text: &str| Snippet::parse(name, text).unwrap();
    stage.model.snippets = vec![snippet("one", "seen in run {run}"), snippet("two", "by {login}")];
    let text = |stage: &Stage| match &stage.model.overlay {
        Overlay::Typing { text, .. } => text.clone(),
        other => panic!("{other:?}"),
    };
    let mut shown = Vec::new();
    for _ in 0..3 {
        stage.keys("Tab");
        shown.push(text(&stage));
    }
    assert_eq!(shown, ["seen in run 31020193450", "by nv-owner-1", "seen in run 31020193450"]);
    stage.keys("Enter");
    assert_eq!(stage.model.draft.reasons.len(), 1);
    // One that cannot be filled is passed over, and what was typed stays.
    stage.model.snippets.insert(1, snippet("hole", "see {config}"));
    stage.keys("x C-u m y : Tab Tab");
    assert_eq!(text(&stage), "my: by nv-owner-1");
    stage.model.snippets.retain(|snippet| snippet.name == "hole");
    stage.keys("C-u Tab");
    assert!(
        matches!(&stage.model.overlay, Overlay::Typing { wrong: Some(wrong), text, .. } if wrong.contains("{config}") && text.is_empty())
    );
}

#[test]
fn the_comment_is_shown_as_github_will_and_as_it_is_posted() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("P");
    let source = stage.model.signoff.len();
    assert!(stage.model.signoff.preview.is_none());
    stage.keys("G m");
    assert_eq!(stage.model.signoff.scroll.cursor, 0);
    let shown: Vec<String> = stage.model.signoff.preview.iter().flatten().map(|row| row.text()).collect();
    assert!(!shown.is_empty() && !shown.iter().any(|row| row.contains("- [ ]") || row.contains("**")), "{shown:#?}");
    // A tick is seen there too.
    stage.keys("0 Space P");
    let ticked = |stage: &Stage| stage.model.signoff.preview.iter().flatten().any(|row| row.text().contains('☑'));
    assert!(ticked(&stage), "{:#?}", stage.model.signoff.preview);
    stage.keys("m");
    assert!(stage.model.signoff.preview.is_none() && stage.model.signoff.len() >= source);
}

#[test]
fn a_fact_leads_to_what_it_was_read_from() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("P");
    let text = stage.model.signed().unwrap().rendered.text.clone();
    let rows = stage.model.signoff.rows.clone();
    let row = rows.iter().position(|row| text[row.clone()].contains("**Validation**")).unwrap();
    stage.keys(&vec!["j"; row].join(" "));
    // This world's answers bear no addresses of GitHub's.
    if let Some(Ok(signoff)) = &mut stage.model.review.signoff {
        for evidence in signoff.rendered.evidence.values_mut() {
            evidence.source.address = "/repos/o/r/actions/runs/31020193450/jobs".to_owned();
        }
    }
    stage.keys("Enter");
    assert_eq!(stage.model.focus, Pane::Sweep);
    stage.keys("Esc");
    assert_eq!((stage.model.focus, stage.model.signoff.scroll.cursor), (Pane::Signoff, row));
    stage.keys("g g Enter");
    assert!(stage.notice().contains("rests on evidence"), "{}", stage.notice());
}

#[test]
fn what_the_editor_left_alone_goes_on_being_drafted_and_what_it_touched_is_kept() {
    let mut stage = Stage::new(World::new()).open();
    // This editor adds a line of its own.
    stage.keys("e");
    let signoff = stage.model.signed().unwrap();
    assert!(signoff.edited && signoff.detail.contains("read by me"), "{}", signoff.detail);
    assert_eq!(stage.model.draft.drafted.len(), signoff.drafted.len(), "what was drafted then is kept beside it");
    let validation = |stage: &Stage| {
        let signoff = stage.model.signed().unwrap();
        signoff.detail.lines().find(|line| line.starts_with("- **Validation**")).map(str::to_owned)
    };
    let before = validation(&stage).unwrap();
    assert!(before.contains("1 eval job executed"), "{before}");
    // Another job ends: the untouched paragraph says so, the reviewer's line stays.
    let name = stage.world.jobs.items[2].name.replace("c64", "c32");
    stage.world.jobs.items.push(crate::core::sample::job(9, 1, &name, Some("success")));
    stage.keys("r");
    let after = validation(&stage).unwrap();
    assert!(after.contains("2 eval jobs executed") && after != before, "{after}");
    assert!(stage.model.signed().unwrap().detail.contains("read by me"));
    // D drafts it all anew.
    stage.keys("P D");
    assert!(!stage.model.signed().unwrap().edited && stage.model.draft.drafted.is_empty());
}

#[test]
fn a_number_that_nothing_supports_any_more_blocks_the_post() {
    let mut stage = Stage::new(World::new()).open();
    let signoff = stage.model.signed().unwrap().clone();
    let line = signoff.detail.lines().find(|line| line.starts_with("- **Validation**")).unwrap();
    let drafted = crate::core::checklist::details::basis(&signoff.drafted);
    // The reviewer wrote a sentence around it.
    stage.model.draft.detail = Some(format!("{line} I looked at all of them.\n"));
    stage.model.draft.drafted = drafted;
    stage.model.dirty = true;
    stage.world.jobs.items.push(crate::core::sample::job(9, 1, "single-node 8k1k / / p3.750 | x", Some("failure")));
    stage.keys("r P");
    let signoff = stage.model.signed().unwrap();
    assert!(!signoff.stale.is_empty() && !signoff.lost.is_empty(), "{:?} {:?}", signoff.stale, signoff.lost);
    assert!(stage.model.signoff.notes.iter().any(|note| note.text.contains("Facts moved under your paragraph")));
    stage.keys("0 Space P p");
    assert!(stage.blocked().contains("supported by nothing any more"), "{}", stage.blocked());
}

#[test]
fn an_earlier_sign_off_is_taken_over_compared_and_given_back() {
    let mut world = World::new();
    let items = "- [x] This is the latest version of the checklist\n- [ ] The general code quality is fine. so-so";
    let details = format!("seen by me at {}", world.head);
    let body = format!(
        "{}, I have looked and:\n{items}\n\n### Additional detail section:\n{details}\n\nSigned: `nv-owner-1`\n",
        crate::core::sample::TRIGGER
    );
    world.comments.push(comment(200, actor("nv-owner-1", 42), &body));
    let mut stage = Stage::new(world).open();
    let before = stage.model.draft.clone();
    stage.keys("I");
    let draft = &stage.model.draft;
    assert_eq!(draft.edits.map(|edits| edits.id), Some(CommentId(200)));
    assert_eq!((draft.detail.as_deref(), draft.ticks.len(), draft.behind.len()), (Some(details.as_str()), 1, 1));
    assert_eq!(stage.model.focus, Pane::Signoff);
    // Beside the one that stands: what it lacks comes, what it had otherwise goes.
    stage.keys("m m");
    let shown: Vec<String> = stage.model.signoff.preview.iter().flatten().map(|row| row.text()).collect();
    assert!(shown.iter().any(|row| row.starts_with("+ ")) && shown.iter().any(|row| row.contains("seen by me")), "{shown:#?}");
    stage.keys("u");
    assert_eq!((&stage.model.draft.ticks, &stage.model.draft.detail), (&before.ticks, &before.detail), "undone");
    stage.keys("C-r");
    assert_eq!(stage.model.draft.detail.as_deref(), Some(details.as_str()));
    assert!(stage.saved.last().unwrap().detail.is_some());
    // Whatever step is taken, what was changed on the web since is not written over.
    stage.keys("u");
    let changed = body.replace("seen by me", "changed by me on the web");
    stage.world.comments.retain(|one| one.id != CommentId(200));
    stage.world.comments.push(comment(200, actor("nv-owner-1", 42), &changed));
    stage.keys("0 g g Space P p");
    assert!(stage.blocked().contains("was changed since you took it over"), "{}", stage.blocked());
}

#[test]
fn a_sign_off_of_an_older_template_says_of_which_day_it_is() {
    use crate::core::policy::history::{HistoryPolicy, VersionItem, VersionPolicy, Wording};
    let lines = ["This is the latest version of the checklist", "The general code quality is fine."];
    let keys = ["latest_version", "code_quality"];
    let items = keys.map(|key| VersionItem { key: key.into(), wording: 0, bare: false }).to_vec();
    let wordings = keys.into_iter().zip(lines).map(|(key, line)| (key.into(), vec![Wording::of(line)])).collect();
    let day = "2026-08-03".to_owned().try_into().unwrap();
    let history = HistoryPolicy { wordings, versions: vec![VersionPolicy { commit: "b4be78a29".into(), day, items }] };
    let stage = |items: &str| {
        let mut world = World::new();
        let trigger = crate::core::sample::TRIGGER;
        let body = format!("{trigger}, I have:\n{items}\n### Additional detail section:\n- fine\n\nSigned: `nv-owner-1`\n");
        world.comments.push(comment(200, actor("nv-owner-1", 42), &body));
        let mut stage = Stage::new(world);
        let policy = crate::core::policy::Policy { history: history.clone(), ..policy() };
        stage.model.policy = Arc::new(policy);
        let mut stage = stage.open();
        stage.keys("P");
        stage
    };
    let shown =
        |stage: &Stage| -> String { stage.model.signoff.notes.iter().map(|note| format!("{} ", note.text.trim())).collect() };
    let old = lines.map(|line| format!("- [x] {line}\n")).concat();
    let more = |whose: &str| format!("{whose} is the version of 3 August; today's template has ");
    let mut today = stage(&old);
    assert!(shown(&today).contains(&more("Your sign-off that stands")), "{}", shown(&today));
    // Taken over, it says so of itself; undone, it stands as it stood.
    today.keys("I");
    let taken = today.model.signoff.taken.join(" ");
    assert!(taken.contains(&more("Your copy")), "{taken}");
    assert!(!shown(&today).contains("Your sign-off that stands"));
    today.keys("u");
    assert!(shown(&today).contains("Your sign-off that stands"), "{}", shown(&today));
    // Neither a text of one's own nor today's is called older.
    let items = World::new().template;
    let items = items.lines().filter(|line| line.trim_start().starts_with("- [ ]"));
    let whole: String = items.map(|line| format!("{line}\n")).collect();
    for text in ["- [x] It is fine\n", whole.as_str()] {
        let other = stage(text);
        assert!(!shown(&other).contains("that stands is"), "{text}: {}", shown(&other));
    }
}

#[test]
fn undo_takes_words_back_and_not_how_they_go_out() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space 5 W W W");
    assert_eq!(stage.model.draft.way, crate::core::session::Way::Comment);
    stage.keys("u");
    assert_eq!((stage.model.draft.way, stage.model.draft.ticks.len()), (crate::core::session::Way::Comment, 0));
}

#[test]
fn a_sign_off_of_another_head_is_ticked_again_by_whoever_signs() {
    let mut world = World::new();
    let sign_off = |head: &str| {
        let items = "- [x] This is the latest version of the checklist\n- [x] The general code quality is fine.";
        let details = format!("- **Scope**: at head `{head}`.\n- **Validation**: run 1, 9 green.");
        let trigger = crate::core::sample::TRIGGER;
        format!("{trigger}, I have looked and:\n{items}\n\n### Additional detail section:\n{details}\n\nSigned: `nv-owner-1`\n")
    };
    world.comments.push(comment(200, actor("nv-owner-1", 42), &sign_off(world.head.as_str())));
    let mut stage = Stage::new(world).open();
    stage.keys("I");
    assert_eq!(stage.model.draft.ticks.len(), 2, "the same head");
    // The author pushes: what was ticked there is not ticked here, and its details are not posted as today's.
    let mut world = World::new();
    world.comments.push(comment(200, actor("nv-owner-1", 42), &sign_off(&"a".repeat(40))));
    let mut stage = Stage::new(world).open();
    stage.keys("I");
    assert!(stage.model.draft.ticks.is_empty(), "{:?}", stage.model.draft.ticks);
    let said = stage.model.signoff.taken.join(" ");
    assert!(said.contains("2 items were ticked there: tick them again"), "{said}");
    // Going through the editor does not make them today's.
    for keys in ["0 g g Space Space Space Space P p", "e p"] {
        stage.keys(keys);
        assert!(stage.blocked().contains("details speak of commit aaaaaaaaa"), "{}", stage.blocked());
    }
    stage.keys("D p");
    assert!(matches!(stage.model.posting, Posting::Confirming(_)), "{:?}", stage.model.posting);
}

#[test]
fn a_reason_is_for_its_head_and_its_words() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("j x");
    stage.paste("no script is touched");
    stage.keys("Enter");
    let stale = |stage: &Stage| stage.model.signed().unwrap().items.iter().filter(|item| item.stale_reason).count();
    assert_eq!(stale(&stage), 0);
    // A push: what it was said of may be another thing now.
    stage.world.head = "f".repeat(40).as_str().into();
    stage.keys("r g g Space P p");
    assert_eq!(stale(&stage), 1);
    assert!(stage.blocked().contains("1 reason of yours why an item is not ticked"), "{}", stage.blocked());
    assert!(stage.model.signed().unwrap().gaps.iter().any(|gap| gap.starts_with("Your reason for \"code quality\"")));
    stage.keys("0 g g j x Enter");
    assert_eq!((stale(&stage), stage.model.draft.reasons.len(), stage.model.draft.reasons_at.len()), (0, 1, 1));
    stage.keys("P p");
    assert!(matches!(stage.model.posting, Posting::Confirming(_)), "{:?}", stage.model.posting);
    // Other words of the item; and one that an older program kept.
    stage.world.template = stage.world.template.replace("is fine.", "is superb.");
    stage.keys("Esc r");
    assert_eq!(stale(&stage), 1);
    stage.keys("0 g g j x C-u Enter");
    assert_eq!((stale(&stage), stage.model.draft.reasons_at.len()), (0, 0));
    stage.model.draft.reasons.insert("code_quality".into(), "so".into());
    stage.model.dirty = true;
    stage.keys("k");
    assert_eq!(stale(&stage), 1);
}

#[test]
fn a_template_that_changed_says_so_at_each_item_until_all_are_answered() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("Space Space");
    assert!(stage.model.draft.template.is_some());
    let template = stage
        .world
        .template
        .replace("is fine.", "is superb.")
        .replace("\n- [ ] This PR passes", "\n- [ ] A brand new one.\n- [ ] This PR passes");
    stage.world.template = template;
    stage.keys("r");
    let signoff = stage.model.signed().unwrap();
    let migration = signoff.migration.as_ref().unwrap();
    assert_eq!(migration.summary(), "1 item is new, 1 is reworded.");
    assert_eq!(signoff.items[1].tick, TickState::Stale, "a reworded item is never ticked on its own");
    stage.keys("g g j Space");
    assert!(stage.model.signed().unwrap().migration.is_some(), "the new item has no answer");
    stage.keys("g g j j j x");
    stage.paste("not here");
    stage.keys("Enter k k Space Space");
    assert!(stage.model.signed().unwrap().migration.is_none(), "{:?}", stage.model.signed().unwrap().migration);
}

#[test]
fn messages_are_chosen_and_copied_and_undo_has_an_end() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("u");
    assert!(stage.notice().contains("no earlier state"), "{}", stage.notice());
    stage.keys("c");
    assert_eq!(stage.model.overlay, Overlay::Messages { cursor: 0 });
    let all = crate::app::update::messages(&stage.model);
    for (whom, text) in &all {
        assert!(!text.contains(crate::core::sample::TRIGGER), "{whom}: {text}");
    }
    stage.keys("j j j j j k Esc");
    assert_eq!(stage.model.overlay, Overlay::None);
}

#[test]
fn what_came_after_the_measured_commit_is_read_with_the_rest_and_leads_to_its_page() {
    let measured: crate::core::ids::Sha = "c".repeat(40).as_str().into();
    let world = World { before: vec![measured.clone()], measured: Some(measured.clone()), ..World::new() };
    let page = format!("https://github.com/o/r/compare/{measured}...{}", world.head);
    let asked = |stage: &Stage| stage.asked.iter().filter(|read| matches!(read, Read::Later { .. })).count();
    assert_eq!(asked(&Stage::new(World::new()).open()), 0, "the head was measured");
    let mut stage = Stage::new(world).open();
    assert_eq!(asked(&stage), 1);
    stage.keys("Space Space Space Space p");
    let text = stage.model.signed().unwrap().rendered.text.clone();
    let at = text.find("touches 1 file of this pull request: `run.sh`").unwrap();
    let row = stage.model.signoff.rows.iter().position(|row| row.contains(&at)).unwrap();
    stage.keys(&vec!["j"; row].join(" "));
    let effects = update(&mut stage.model, stage.world.now, Msg::Key(Key::parse("Enter").unwrap()));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Do(_, Command::Open { url }) if *url == page)), "{effects:?}");
    // Before a post it is read again, and another head's is asked for anew.
    stage.keys("p");
    assert!(matches!(stage.model.posting, Posting::Confirming(_)), "{:?}", stage.model.posting);
    assert_eq!(asked(&stage), 2);
    stage.keys("Esc");
    stage.world.before.push(stage.world.head.clone());
    stage.world.head = "f".repeat(40).as_str().into();
    stage.keys("r");
    let newest = stage.asked.iter().rev().find(|read| matches!(read, Read::Later { .. })).unwrap();
    assert_eq!(*newest, Read::Later { measured, head: stage.world.head.clone() });
    assert!(
        stage
            .model
            .signed()
            .unwrap()
            .rendered
            .text
            .contains("After it came: `e36439994` `add` and `fffffffff` `add`; they touch")
    );
}

#[test]
fn a_comparison_that_fails_is_told_and_one_that_is_lost_before_the_post_blocks() {
    let measured: crate::core::ids::Sha = "c".repeat(40).as_str().into();
    let world = World { before: vec![measured.clone()], measured: Some(measured), ..World::new() };
    let fail = || Fail { on: |read| matches!(read, Read::Later { .. }), with: server_error(), after_post: false };
    let mut stage = Stage::new(world.clone());
    stage.fail = Some(fail());
    let mut stage = stage.open();
    stage.keys("Space Space Space Space p");
    let signoff = stage.model.signed().unwrap();
    assert!(signoff.rendered.text.contains("; which files it changes was not read."), "{}", signoff.rendered.text);
    assert!(
        signoff.gaps.iter().any(|gap| gap.starts_with("Which files changed after ccccccccc was not read. GitHub answered 502"))
    );
    stage.keys("p");
    assert!(matches!(stage.model.posting, Posting::Confirming(_)), "{:?}", stage.model.posting);
    // Read before, and lost when the text is to be sent: what it says may not hold any more.
    let mut stage = Stage::new(world).open();
    stage.keys("Space Space Space Space p");
    stage.fail = Some(fail());
    stage.keys("p");
    let why = stage.blocked();
    assert!(why.contains("The comparison with ccccccccc could not be read again. GitHub answered 502."), "{why}");
}
