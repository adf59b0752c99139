//! What came after a measured commit: read when, sorted how, and said in which words.
//! Must not know: wires.

use super::*;
use crate::core::checklist::compose::Ingredients;
use crate::core::checklist::detail::Drafted;
use crate::core::facts::Side;
use crate::core::listing::Listing;
use crate::core::plan::{self, absorb, recheck, refresh, start};
use crate::core::policy::tests::policy;
use crate::core::policy::{Finding, Status};
use crate::core::review::Review;
use crate::core::sample::{World, server_error, touched};
use crate::core::session::Draft;
use crate::core::trouble::TroubleKind;

const MEASURED: &str = "cccccccccccccccccccccccccccccccccccccccc";

/// A run of the commit before the head, after which these files changed.
fn world(files: &[&str]) -> World {
    let files = Listing::complete(files.iter().map(|path| touched(path)).collect());
    World {
        before: vec![MEASURED.into()],
        measured: Some(MEASURED.into()),
        later: Ok(Later { course: Course::Ahead, files }),
        ..World::new()
    }
}

fn review(facts: &Facts) -> Review {
    Review::draw(&policy(), facts, &Draft::new("h", facts.repo.clone(), facts.number), None)
}

fn rule(review: &Review) -> &Finding {
    review.findings.iter().find(|finding| finding.key.as_str() == "sweep").unwrap()
}

/// What the details say behind the measured run, and the gaps.
fn said(facts: &Facts) -> (String, Vec<String>) {
    let (policy, review, draft) = (policy(), review(facts), Draft::new("h", facts.repo.clone(), facts.number));
    let conclusions = &review.conclusions;
    let made_of = Ingredients { policy: &policy, facts, draft: &draft, conclusions, findings: &review.findings, drafted: None };
    let drafted = Drafted::draw(&made_of);
    let told = &drafted.paragraphs.iter().find(|one| one.topic.as_str() == "validation").unwrap().rendered;
    let at = told.text.find(" After it came").or_else(|| told.text.find(" GitHub says")).map_or("", |at| &told.text[at..]);
    (at.to_owned(), drafted.gaps)
}

#[test]
fn what_came_later_is_sorted_and_said() {
    let own = "it touches 1 file of this pull request: `run.sh` (no config, no recipe)";
    let many: Vec<String> = (0..14).map(|n| format!("a{n:02}.md")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    // Files, how many commits the head follows, what is said of both.
    let table: [(&[&str], Option<usize>, &str); 10] = [
        (&["run.sh"], Some(1), own),
        (&[], Some(1), "it changes no file"),
        // Its key is not named: what stands under it cannot be read.
        (
            &["run.sh", "configs/nvidia-master.yaml"],
            Some(1),
            "it touches 2 files of this pull request: `run.sh` and `configs/nvidia-master.yaml` (1 config, no recipe)",
        ),
        (&["configs/nvidia-master.yaml"], Some(1), "`configs/nvidia-master.yaml` (1 config, no script, no recipe)"),
        // The pull request does not list it, so the head has it as the merge base has it.
        (
            &["other.sh"],
            Some(1),
            "it touches no file of this pull request; 1 file is now as where the pull request left the base branch: what changed there was taken back",
        ),
        (
            &["other.sh"],
            Some(2),
            "1 file is now as where the pull request left the base branch: a merge brought that, or a change was taken back",
        ),
        (
            &["run.sh", "a.md", "b.md"],
            Some(2),
            "(no config, no recipe); 2 more files are now as where the pull request left the base branch: a merge brought that",
        ),
        (&["run.sh"], Some(2), own),
        (&["run.sh"], None, own),
        (&many, Some(2), "14 files are now as where the pull request left the base branch"),
    ];
    for (files, parents, want) in table {
        let facts = World { parents, ..world(files) }.opened(&policy());
        let (text, gaps) = said(&facts);
        let start = " After it came `e36439994` `add`; it ";
        assert!(text.starts_with(start) && text.contains(want), "{files:?} {parents:?}: {text}");
        let merge = parents == Some(2);
        assert_eq!(text.contains("; it merges another branch, and what that brought counts too."), merge, "{text}");
        assert!(!gaps.iter().any(|gap| gap.contains("after ccccccccc")), "{gaps:?}");
        let finding = review(&facts);
        let note = &rule(&finding).notes[0];
        assert!(note.contains(want.trim_start_matches("it ")), "{note}");
        assert_eq!(note.contains("; it merges another branch"), merge, "{note}");
    }
}

#[test]
fn what_may_be_of_a_kind_is_not_denied() {
    let table = [
        ("docs/a.md", "`docs/a.md` (no config, no script, no recipe).", true),
        ("requirements.txt", "`requirements.txt` (no config, no recipe).", false),
        ("tuned.json", "`tuned.json` (no script).", false),
        ("tuned.yaml", "`tuned.yaml` (no script).", false),
    ];
    for (path, want, is_document) in table {
        let mut facts = world(&[path]).opened(&policy());
        let Remote::Ready(list) = &mut facts.files else { panic!() };
        list.value.items[0].path = path.into();
        let (text, _) = said(&facts);
        assert!(text.ends_with(want), "{path}: {text}");
        let review = review(&facts);
        let reason = &rule(&review).reason;
        assert_eq!(reason.contains("changing documents at most"), is_document, "{path}: {reason}");
    }
}

#[test]
fn a_renamed_file_is_of_the_pull_request_by_either_name() {
    let mut world = world(&[]);
    let renamed = TouchedFile { path: "walk.md".into(), previous_path: Some("run.sh".into()) };
    world.later = Ok(Later { course: Course::Ahead, files: Listing::complete(vec![renamed]) });
    let (text, _) = said(&world.opened(&policy()));
    // That it is a document now does not make the script untouched.
    assert!(text.contains("1 file of this pull request: `walk.md` (no config, no recipe)."), "{text}");
}

#[test]
fn a_list_that_is_cut_is_a_least_number_and_denies_nothing() {
    let mut world = world(&[]);
    let why = Trouble::new(TroubleKind::TooLarge, "GitHub lists at most 300 files of a comparison.", "");
    let files = Listing::partial(vec![touched("run.sh"), touched("x.md")], None, why);
    world.later = Ok(Later { course: Course::Ahead, files });
    let facts = world.opened(&policy());
    let (text, gaps) = said(&facts);
    let want = "it touches at least 1 file of this pull request: `run.sh`; at least 1 more file is now as where the pull request left the base branch: \
                what changed there was taken back (only 2 read: GitHub lists at most 300 files of a comparison).";
    assert!(text.ends_with(want), "{text}");
    assert!(gaps.iter().any(|gap| gap.starts_with("List of files that changed after ccccccccc: only 2 read")), "{gaps:?}");
    assert!(facts.gaps().iter().any(|gap| gap.starts_with("What came after ccccccccc: only 2 read")));
}

#[test]
fn without_the_whole_list_of_the_pull_request_nothing_is_called_the_base_s() {
    let mut facts = world(&["run.sh", "x.sh"]).opened(&policy());
    let Remote::Ready(files) = &mut facts.files else { panic!() };
    files.value = Listing::partial(std::mem::take(&mut files.value.items), None, server_error());
    let (text, _) = said(&facts);
    let want = "1 file of this pull request: `run.sh`; of 1 more file it cannot be told whether they are its own: `x.sh`.";
    assert!(text.contains(want) && !text.contains("base branch") && !text.contains("no config"), "{text}");
    facts.files = Remote::Loading;
    let (policy, review) = (policy(), review(&facts));
    let conclusions = &review.conclusions;
    let Told::Changes(changes, _) = told(&policy, &facts, conclusions, conclusions.validation().unwrap()) else { panic!() };
    assert_eq!((changes.own.len(), changes.as_base.len(), changes.unsure.len()), (0, 0, 2));
    assert!(!changes.leaves_measured());
}

#[test]
fn commits_that_do_not_follow_are_not_called_later() {
    let table = [
        (Course::Diverged, " GitHub says that the head does not build on the measured commit, so what differs is"),
        (Course::Behind, " GitHub says that the head comes before the measured commit."),
        (Course::Identical, " GitHub says that the head is the measured commit itself."),
        (Course::Other("@all".into()), " GitHub says `@all` of the head and the measured commit, which this version does not"),
    ];
    for (course, want) in table {
        let mut world = world(&["run.sh"]);
        world.later = Ok(Later { course, files: Listing::complete(vec![touched("run.sh")]) });
        let facts = world.opened(&policy());
        let (text, gaps) = said(&facts);
        assert!(text.starts_with(want) && !text.contains("run.sh") && !text.contains("came after `"), "{text}");
        assert!(gaps.iter().any(|gap| gap.starts_with("What came after ccccccccc cannot be told: GitHub says")), "{gaps:?}");
        let finding = review(&facts);
        let finding = rule(&finding);
        assert!(
            !finding.notes[0].contains("run.sh") && finding.notes[0].starts_with(want.trim().trim_end_matches('.')),
            "{finding:?}"
        );
    }
}

#[test]
fn what_is_not_read_is_said_so() {
    let mut failing = world(&["run.sh"]);
    failing.later = Err(server_error());
    let failed = failing.opened(&policy());
    let mut open = world(&["run.sh"]).opened(&policy());
    open.later.clear();
    let (text, gaps) = said(&failed);
    assert!(text.ends_with("; which files it changes was not read."), "{text}");
    let want = "Which files changed after ccccccccc was not read. GitHub answered 502. Press r to try again.";
    assert!(gaps.iter().any(|gap| gap == want), "{gaps:?}");
    assert!(said(&open).1.iter().any(|gap| gap == "Which files changed after ccccccccc is not read yet."));
    let note = |facts: &Facts| rule(&review(facts)).notes[0].clone();
    assert!(note(&failed).starts_with("Which files the later commits change cannot be read (GitHub answered 502); "));
    assert!(note(&open).starts_with("Which files the later commits change is not read yet; "));
}

#[test]
fn no_path_becomes_markdown_or_a_link() {
    let facts = world(&["run.sh", "a`b](https://h/1) @all.md"]).opened(&policy());
    let mut files = facts.clone();
    let Remote::Ready(list) = &mut files.files else { panic!() };
    list.value.items[1].path = "a`b](https://h/1) @all.md".into();
    let (text, _) = said(&files);
    assert!(text.contains("``a`b](https:·//h/1) @all.md``"), "{text}");
}

/// Whatever came later, the rule's verdict is the same: only its words tell more.
#[test]
fn no_verdict_hangs_on_it() {
    let opened = |world: World| {
        let review = review(&world.opened(&policy()));
        let finding = rule(&review);
        let links: Vec<String> = finding.evidence.iter().filter_map(|evidence| evidence.link.clone()).collect();
        (finding.status, finding.confidence, finding.reason.clone(), links)
    };
    let page = format!("https://github.com/o/r/compare/{MEASURED}...{}", World::new().head);
    let (status, confidence, reason, links) = opened(world(&["run.sh"]));
    assert!(reason.contains("; 1 commit came later: see that nothing measured changed"), "{reason}");
    assert!(links.contains(&page), "{links:?}");
    let mut diverged = world(&[]);
    diverged.later = Ok(Later { course: Course::Diverged, files: Listing::complete(Vec::new()) });
    let mut lost = world(&[]);
    lost.later = Err(server_error());
    for other in [world(&[]), world(&["a.md"]), diverged, lost] {
        let (now, sure, ..) = opened(other);
        assert_eq!((now, sure), (status, confidence));
    }
    assert_ne!(status, Status::Unavailable);
    let (_, _, reason, _) = opened(world(&[]));
    assert!(reason.contains("; 1 commit came later, changing documents at most"), "{reason}");
}

#[test]
fn it_is_read_only_where_an_earlier_commit_was_measured() {
    let policy = policy();
    let is_later = |read: &Read| matches!(read, Read::Later { .. });
    assert!(!review(&World::new().opened(&policy)).needs.iter().any(is_later), "the head was measured");
    let orphan = World { measured: Some(MEASURED.into()), ..World::new() };
    assert!(!review(&orphan.opened(&policy)).needs.iter().any(is_later), "no commit of the pull request");
    let world = world(&["run.sh"]);
    let mut facts = world.opened(&policy);
    let read = Read::Later { measured: MEASURED.into(), head: world.head.clone() };
    let needs = review(&facts).needs;
    assert!(needs.contains(&read));
    // A post reads it again, and a refresh; while another run's jobs come in nobody knows which commit counts.
    assert!(recheck(&facts, &policy, &[], &needs).contains(&read) && refresh(&facts, &policy, &needs).contains(&read));
    assert!(!plan::due(&facts, &policy, &needs).contains(&read), "it was read");
    facts.later.clear();
    let (run, jobs) = facts.jobs.pop_first().unwrap();
    facts.jobs.insert(run, jobs);
    assert!(plan::due(&facts, &policy, &needs).contains(&read));
    facts.jobs.insert(crate::core::ids::RunId(1), Remote::Loading);
    assert!(!review(&facts).needs.iter().any(is_later));
}

#[test]
fn another_head_has_nothing_of_it() {
    let (world, policy) = (world(&["run.sh"]), policy());
    let mut facts = world.opened(&policy);
    assert_eq!(facts.later.len(), 1);
    let moved =
        World { head: "f".repeat(40).as_str().into(), before: vec![MEASURED.into(), world.head.clone()], ..world.clone() };
    start(&mut facts, &[Read::Pull]);
    absorb(&mut facts, moved.reply(Read::Pull));
    assert!(facts.later.is_empty());
    // What comes late speaks of the head that is gone.
    absorb(&mut facts, world.reply(Read::Later { measured: MEASURED.into(), head: world.head.clone() }));
    assert!(facts.later.is_empty());
    for read in [Read::Files, Read::Commits, plan::runs_of(facts.pull.value().unwrap())] {
        absorb(&mut facts, moved.reply(read));
    }
    let needs = review(&facts).needs;
    assert!(needs.contains(&Read::Later { measured: MEASURED.into(), head: moved.head.clone() }), "{needs:?}");
}

#[test]
fn a_touched_config_names_the_keys_that_change_and_what_points_run_is_told() {
    use crate::core::points::world;
    use crate::core::policy::scenario::ready;
    let mut facts = world::green();
    world::value(&mut facts.runs).items[0].head = world::EARLIER.into();
    let script = review(&facts).conclusions.launched.arms[0].path.clone();
    let touch = |facts: &mut Facts, paths: &[&str]| {
        let files = paths.iter().map(|path| touched(path)).collect();
        let later = Later { course: Course::Ahead, files: Listing::complete(files) };
        facts.later.insert((world::EARLIER.into(), world::HEAD.into()), ready("later", later));
    };
    touch(&mut facts, &[world::MASTER, world::LOG, &script]);
    // Where the script lies is a guess until it is read.
    assert!(!said(&facts).0.contains("points run"), "{:?}", said(&facts));
    facts.sides.insert((Side::Head, script.clone()), world::document(&script, "#!/bin/bash\n"));
    let (text, _) = said(&facts);
    let want = format!(
        "it touches 2 files of this pull request: `{}` and `{}` (the changelog, 1 config with the pull request's changed key \
         `k`, no script, no recipe); 1 more file is now as where the pull request left the base branch: a merge brought that, or a change was taken \
         back; of these the pull request's points run `{script}`.",
        world::MASTER,
        world::LOG
    );
    assert!(text.ends_with(&want), "{text}");
    // While one config file is not read, there may be more keys.
    let mut half = facts.clone();
    half.sides.remove(&(Side::Base, world::LOG.to_owned()));
    let keys = review(&half).conclusions.keys;
    assert!(!keys.masters.is_empty() && keys.doubt().is_some(), "{keys:?}");
    let (text, _) = said(&half);
    assert!(text.contains("(the changelog, 1 config, no script, no recipe)") && !text.contains("`k`"), "{text}");
    // A changed script that no config runs is read as well.
    let other = script.replace("qwen3.5", "other");
    assert_ne!(other, script);
    world::value(&mut facts.files).items.push(world::file(&other, "added", Some("@@ -0,0 +1 @@\n+#!/bin/bash")));
    touch(&mut facts, &[&other]);
    let arms = review(&facts).conclusions.launched.arms;
    assert!(arms.iter().any(|arm| arm.path == other && arm.known == Known::Here), "{arms:?}");
    let (text, _) = said(&facts);
    assert!(text.contains("1 file of this pull request") && !text.contains("points run"), "{text}");
}
