//! Drafts on disk: what a reader of the folder sees, whatever the program was doing.

use countersign::core::ids::{Key, PullNumber, RepoName, Sha};
use countersign::core::session::history::History;
use countersign::core::session::{Draft, SCHEMA, Tick, parse_draft};
use countersign::core::trouble::Trouble;
use countersign::runtime::store::{self, Access, Opened, Store};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

fn draft(note: &str) -> Draft {
    let mut draft = Draft::new("api.github.com", RepoName::parse("O/R").unwrap(), PullNumber(7));
    draft.detail = Some(note.to_owned());
    draft
}

fn at(folder: &Path) -> PathBuf {
    store::path(folder, "api.github.com", &RepoName::parse("O/R").unwrap(), PullNumber(7))
}

fn open(folder: &Path) -> Opened {
    store::open(&at(folder), draft("fresh"))
}

fn writable(opened: Opened) -> Store {
    match opened.access {
        Access::Writable(store) => store,
        Access::ReadOnly(why) => panic!("{why}"),
    }
}

fn save(store: &Store, draft: Draft, sync: bool) -> Receiver<Result<(), Trouble>> {
    let (told, saved) = channel();
    store.save(draft, sync, move |result| told.send(result).unwrap());
    saved
}

fn on_disk(folder: &Path) -> Draft {
    parse_draft(&fs::read(at(folder)).unwrap()).unwrap()
}

#[test]
fn a_draft_comes_back_by_host_repository_and_number() {
    let folder = tempfile::tempdir().unwrap();
    let opened = open(folder.path());
    assert_eq!((opened.draft.detail.as_deref(), opened.greeting.as_ref()), (Some("fresh"), None));
    let store = writable(opened);
    let mut edited = draft("mine");
    let tick = Tick { head: Sha::from("abc"), text: "d".into(), at: Default::default() };
    edited.ticks.insert(Key::from("evals"), tick);
    for sync in [false, true] {
        assert_eq!(save(&store, edited.clone(), sync).recv().unwrap(), Ok(()));
        assert_eq!(on_disk(folder.path()), edited);
    }
    drop(store);
    assert_eq!(open(folder.path()).draft, edited);
    assert_eq!(store::peek(&at(folder.path()), &draft("fresh")), Ok(edited));
    // The same repository in other letters is the same draft; another host or number is not.
    let same = store::path(folder.path(), "API.github.com", &RepoName::parse("o/r").unwrap(), PullNumber(7));
    assert_eq!(same, at(folder.path()));
    let other = store::path(folder.path(), "127.0.0.1:4020", &RepoName::parse("o/r").unwrap(), PullNumber(7));
    assert_eq!(store::peek(&other, &draft("fresh")), Ok(draft("fresh")));
    assert!(!other.exists() && !other.parent().unwrap().exists(), "looking must not write");
}

#[test]
fn every_change_reaches_the_disk_without_being_asked_twice() {
    let folder = tempfile::tempdir().unwrap();
    let store = writable(open(folder.path()));
    for n in 0..20 {
        let edited = draft(&n.to_string());
        save(&store, edited.clone(), false).recv().unwrap().unwrap();
        assert_eq!(on_disk(folder.path()), edited);
    }
}

#[test]
fn whoever_looks_sees_a_whole_draft() {
    let folder = tempfile::tempdir().unwrap();
    let store = writable(open(folder.path()));
    save(&store, draft("0"), false).recv().unwrap().unwrap();
    let done = AtomicBool::new(false);
    let looks = std::thread::scope(|scope| {
        // What a kill at this moment would leave.
        let looker = scope.spawn(|| {
            let mut looks = 0u32;
            while !done.load(Ordering::SeqCst) {
                on_disk(folder.path());
                looks += 1;
            }
            looks
        });
        let long = "x".repeat(200_000);
        let saves: Vec<_> = (0..200).map(|n| save(&store, draft(&format!("{n} {long}")), false)).collect();
        let saved: Vec<_> = saves.iter().map(Receiver::recv).collect();
        done.store(true, Ordering::SeqCst);
        assert!(saved.iter().all(|saved| *saved == Ok(Ok(()))));
        looker.join().unwrap()
    });
    assert!(looks > 0);
    assert!(on_disk(folder.path()).detail.unwrap().starts_with("199 "));
    // Remains of a writer that was killed half way do not matter.
    drop(store);
    fs::write(at(folder.path()).with_file_name(".tmpAbC123"), b"{\"schema\": 1, \"ho").unwrap();
    assert!(open(folder.path()).draft.detail.unwrap().starts_with("199 "));
}

#[test]
fn the_newest_draft_wins_and_everyone_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let store = writable(open(folder.path()));
    let told: Vec<_> = (0..50).map(|n| save(&store, draft(&n.to_string()), n == 25)).collect();
    for saved in told {
        assert_eq!(saved.recv_timeout(Duration::from_secs(10)).unwrap(), Ok(()));
    }
    assert_eq!(on_disk(folder.path()), draft("49"));
    // What waits when the window closes is written first.
    let last = save(&store, draft("last"), false);
    drop(store);
    assert_eq!((last.recv().unwrap(), on_disk(folder.path())), (Ok(()), draft("last")));
}

#[test]
fn a_second_window_reads_and_the_third_writes_again() {
    let folder = tempfile::tempdir().unwrap();
    let first = writable(open(folder.path()));
    save(&first, draft("first"), false).recv().unwrap().unwrap();
    let second = open(folder.path());
    assert_eq!(second.draft, draft("first"));
    assert!(matches!(second.access, Access::ReadOnly(why) if why.contains("Another window")));
    drop(first);
    writable(open(folder.path()));
}

#[test]
fn a_file_that_cannot_be_read_is_set_aside_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = at(folder.path());
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let cases: [&[u8]; 5] = [b"", b"{\"schema\": 1, \"ho", b"\xff\xfe", b"[]", b"{\"schema\": 1}"];
    for (n, bytes) in (1..).zip(cases) {
        fs::write(&path, bytes).unwrap();
        let peeked = store::peek(&path, &draft("fresh")).unwrap_err();
        assert!(peeked.headline.contains("cannot be read"), "{peeked:?}");
        let opened = open(folder.path());
        let aside = path.with_file_name(format!("7.json.corrupt-{n}"));
        assert_eq!(fs::read(&aside).unwrap(), bytes);
        assert!(opened.greeting.as_ref().unwrap().contains(aside.to_str().unwrap()), "{:?}", opened.greeting);
        assert_eq!(opened.draft, draft("fresh"));
        let store = writable(opened);
        save(&store, draft("new"), false).recv().unwrap().unwrap();
        assert_eq!(on_disk(folder.path()), draft("new"));
    }
}

#[test]
fn a_newer_programs_file_is_never_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = at(folder.path());
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text = format!("{{\"schema\": {}, \"unheard\": []}}", SCHEMA + 1);
    fs::write(&path, &text).unwrap();
    let opened = open(folder.path());
    assert!(matches!(opened.access, Access::ReadOnly(why) if why.contains("newer countersign")));
    assert!(store::peek(&path, &draft("fresh")).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn without_a_place_the_draft_lives_in_memory_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("drafts"), "a file where the folder should be").unwrap();
    let opened = open(folder.path());
    assert!(opened.greeting.as_ref().unwrap().contains("memory only"), "{:?}", opened.greeting);
    let store = writable(opened);
    let trouble = save(&store, draft("kept"), true).recv().unwrap().unwrap_err();
    assert!(trouble.headline.contains("cannot be written") && !trouble.hint.is_empty(), "{trouble:?}");
    // Once there is a place, the next change brings everything.
    fs::remove_file(folder.path().join("drafts")).unwrap();
    assert_eq!(save(&store, draft("kept"), true).recv().unwrap(), Ok(()));
    assert_eq!(on_disk(folder.path()), draft("kept"));
}

#[test]
fn a_history_that_is_not_ours_to_write_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let history = store::history_path(&at(folder.path()));
    fs::create_dir_all(history.parent().unwrap()).unwrap();
    let newer = "{\"schema\":99}\n";
    fs::write(&history, newer).unwrap();
    let opened = open(folder.path());
    let told = opened.greeting.clone().unwrap();
    assert!(told.contains("by a newer countersign: it is left alone") && told.contains("in memory only"), "{told}");
    let save_all = |store: &Store| {
        let (told, saved) = channel();
        store.save_with(draft("mine"), Some(History::default()), true, move |result| told.send(result).unwrap());
        assert_eq!(saved.recv().unwrap(), Ok(()));
    };
    save_all(&writable(opened));
    assert_eq!(fs::read_to_string(&history).unwrap(), newer);
    assert_eq!(on_disk(folder.path()), draft("mine"), "the draft is ours");

    // One that cannot be read at all.
    fs::remove_file(&history).unwrap();
    fs::create_dir(&history).unwrap();
    let opened = open(folder.path());
    let told = opened.greeting.clone().unwrap();
    assert!(told.contains("cannot be read. Steps back are kept in memory only."), "{told}");
    save_all(&writable(opened));
    assert!(history.is_dir());
}

#[test]
fn a_draft_that_cannot_be_locked_says_so() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(at(folder.path()).with_extension("lock")).unwrap();
    let opened = open(folder.path());
    assert!(opened.greeting.as_ref().unwrap().contains("cannot be locked here"), "{:?}", opened.greeting);
    assert_eq!(save(&writable(opened), draft("mine"), false).recv().unwrap(), Ok(()));
}

#[test]
fn nobody_waits_for_a_writer_that_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let store = writable(open(folder.path()));
    store.save(draft("one"), false, |_| panic!("on purpose: the writer ends by this"));
    for _ in 0..2 {
        let why = save(&store, draft("two"), false).recv().unwrap().unwrap_err();
        assert!(why.headline.contains("the thread that writes it has ended"), "{why:?}");
    }
}
