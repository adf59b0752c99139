//! Shell scripts: what came, changed and went, and what cannot be said.
//! Must not know: how rows are drawn.

use super::*;
use crate::core::policy::launches::before::Before;
use proptest::prelude::*;

const SERVE: &str = "python3 -m sglang.launch_server --model-path m --speculative-algorithm EAGLE";
const CLIENT: &str = "run_benchmark_serving --model m --use-chat-template";

/// A server and a client with these flags, after this line.
fn script(before: &str, server: &str, client: &str) -> String {
    format!("{before}\n{SERVE} {server} &\n{CLIENT} {client}\n")
}

#[test]
fn what_came_changed_and_went_is_told_with_its_line() {
    let table: [(&str, String, String, &[&str]); 14] = [
        ("a flag came", script("", "--tp 4", ""), script("", "--tp 4 --foo 1", ""), &["flag --foo came: 1 (2)"]),
        ("a bare flag came", script("", "", ""), script("", "--enable-x", ""), &["flag --enable-x came (2)"]),
        ("a value changed", script("", "--tp 4", ""), script("#\n", "--tp 8", ""), &["flag --tp 4 → 8 (3)"]),
        ("a value is given to a bare flag", script("", "--x", ""), script("", "--x 1", ""), &["flag --x set → 1 (2)"]),
        ("a flag went", script("", "--tp 4 --foo 1", ""), script("", "--tp 4", ""), &["flag --foo went: 1 (-)"]),
        ("a variable came", script("", "", ""), script("export A=1", "", ""), &["variable A came: 1 (1)"]),
        ("a variable changed", script("export A=1", "", ""), script("export A=2", "", ""), &["variable A 1 → 2 (1)"]),
        ("a variable went", script("export A=1", "", ""), script("", "", ""), &["variable A went: 1 (-)"]),
        (
            "a default became certain",
            script("export A=${A:-1}", "", ""),
            script("export A=1", "", ""),
            &["variable A 1 (unless set outside) → 1 (1)"],
        ),
        (
            "a variable stands behind a flag",
            script("TP=4", "--tp $TP", ""),
            script("TP=8", "--tp $TP", ""),
            &["flag --tp 4 → 8 (2)"],
        ),
        (
            "a client's flag came",
            script("", "", ""),
            script("", "", "--num-warmups 3"),
            &["client_flag --num-warmups came: 3 (3)"],
        ),
        (
            "a field of JSON changed",
            script("", "--speculative-config '{\"method\": \"mtp\", \"n\": 2}'", ""),
            script("", "--speculative-config '{\"method\": \"mtp\", \"n\": 3}'", ""),
            &["flag --speculative-config.n 2 → 3 (2)"],
        ),
        (
            "another engine",
            script("", "--tp 4", ""),
            script("", "--tp 4", "").replace("python3 -m sglang.launch_server --model-path", "vllm serve --model"),
            &["program server sglang → vllm (2)", "flag --model came: m (2)", "flag --model-path went: m (-)"],
        ),
        ("only a comment", script("# a", "--tp 4", ""), script("# b\n# c", "--tp 4", ""), &[]),
    ];
    for (what, before, after, want) in table {
        let row = Story::new().file(SCRIPT, &before, &after).row();
        assert_eq!(told(&row), want, "{what}");
        assert_eq!(
            (row.against.word(), row.reading.word(), row.configs.join(" ")),
            ("compared", "read", "k".to_owned()),
            "{what}"
        );
        assert!(row.doubts.is_empty(), "{what}: {:?}", row.doubts);
    }
}

#[test]
fn a_branch_and_several_servers_are_told_apart() {
    let two = |tp: &str| format!("if [ \"$X\" = 1 ]; then\n{SERVE} --tp {tp} &\nelse\n{SERVE} --tp 4 &\nfi\n{CLIENT}\n");
    let row = Story::new().file(SCRIPT, &two("4"), &two("8")).row();
    assert_eq!(told(&row), ["flag --tp 4 | 4 (each in some runs only) → 8 | 4 (each in some runs only) (2)"]);
    let moved = format!("{SERVE} --tp 4 &\n[ -n \"$X\" ] && export A=1\n{CLIENT}\n");
    let row = Story::new().file(SCRIPT, &format!("export A=1\n{SERVE} --tp 4 &\n{CLIENT}\n"), &moved).row();
    assert_eq!(told(&row), ["variable A went: 1 (-)", "client_variable A came: 1 (in some runs only) (2)"]);
}

#[test]
fn lines_that_matter_carry_their_numbers() {
    let text = format!("export A=1\n{SERVE} \\\n  --tp 4 $EXTRA &\n{CLIENT} --seed 7\n");
    let row = Story::new().file(SCRIPT, "", &text).row();
    let of =
        |kind: Kind| row.of_kind(kind).map(|line| format!("{}={}:{}", line.name, line.shown(), line.line)).collect::<Vec<_>>();
    assert_eq!(of(Kind::Program), ["server=sglang:2", "run_benchmark_serving=run_benchmark_serving:4"]);
    assert_eq!(of(Kind::Flag), ["model-path=m:2", "speculative-algorithm=EAGLE:2", "tp=4:3"]);
    assert_eq!((of(Kind::Variable), of(Kind::ClientVariable)), (vec!["A=1:1".to_owned()], vec![]));
    assert_eq!(of(Kind::ClientFlag), ["model=m:4", "use-chat-template=:4", "seed=7:4"]);
    assert_eq!(row.against, Against::New);
    assert_eq!(row.doubts, ["Line 3 passes $EXTRA, whose text is not known: more may stand there."]);
    assert_eq!(row.summary(), "7 flags and variables, all new: the base has no such file or variant.");
}

#[test]
fn two_configs_share_one_row() {
    let both = |image: &str| format!("{}{}", entry("k", image, &[ROW]), entry("m", image, &[ROW]));
    let story = Story::of(&both("o/i:v1"), &both("o/i:v2"));
    let row = story.file(SCRIPT, &script("", "--tp 4", ""), &script("", "--tp 8", "")).row();
    assert_eq!((row.configs.join(" "), told(&row).len()), ("k m".to_owned(), 1));
}

#[test]
fn a_script_that_is_not_changed_is_as_at_the_base() {
    let text = script("", "--tp 4", "");
    let story = Story::new().file(SCRIPT, &text, &text);
    let row = story.row();
    assert_eq!((&row.against, row.lines.len()), (&Against::Same, 7));
    assert!(row.siblings.why().unwrap().contains("is not changed"));
    assert_eq!(story.draw().doubt, None);
    // Not so where the list of changed files may leave it out.
    let mut facts = story.facts();
    super::super::super::world::cut(value(&mut facts.files));
    let launches = draw(&facts);
    assert!(launches.doubt.unwrap().contains("not read whole"));
    assert!(launches.rows.iter().all(|row| row.against != Against::Same));
}

#[test]
fn what_is_not_read_is_told_and_asked_for() {
    let story = Story::new().file(SCRIPT, &script("", "--tp 4", ""), &script("", "--tp 8", ""));
    let base = (Side::Base, SCRIPT.to_owned());
    let head = (Side::Head, SCRIPT.to_owned());
    let table = [
        (&head, Remote::Idle, "unread", "is not read yet.", true),
        (&head, failed(), "unread", "cannot be read: GitHub answered 502.", false),
        (&base, Remote::Idle, "read", "at the merge base is not read yet.", true),
        (&base, failed(), "read", "at the merge base cannot be read: GitHub answered 502.", false),
        // It is listed as changed, so it must have been there.
        (&base, absent(), "read", "at the merge base cannot be read: There is no such file.", false),
    ];
    for (at, remote, reading, words, wanted) in table {
        let mut facts = story.facts();
        facts.sides.insert(at.clone(), remote);
        let launches = draw(&facts);
        let row = &launches.rows[0];
        assert_eq!((row.reading.word(), row.against.word()), (reading, "unread"), "{words}");
        assert!(row.against.why().unwrap().ends_with(words), "{words}: {:?}", row.against);
        assert!(launches.doubt.as_ref().is_some_and(|doubt| doubt.ends_with(words)), "{words}: {:?}", launches.doubt);
        let read = |read: &Read| matches!(read, Read::SideFile { side, path, .. } if (*side, path) == (at.0, &at.1));
        assert_eq!(asked(&facts).iter().any(read), wanted, "{words}");
    }
    let mut facts = story.facts();
    facts.files = Remote::Idle;
    assert_eq!(draw(&facts).doubt.unwrap(), "The list of changed files is not read yet.");
    let none = Policy { launch: None, ..POLICY.clone() };
    let facts = story.facts();
    let launches = Launches::draw(&none, &facts, &Conclusions::draw(&none, &facts));
    assert!(launches.rows.is_empty() && launches.doubt.is_some());
}

#[test]
fn what_does_not_exist_and_what_went_is_said() {
    let launches = Story::new().file(&format!("{FOLDER}old.sh"), &script("", "", ""), "").draw();
    // Neither place of the config's script is read: the first is asked for.
    assert_eq!(launches.rows[0].reading.word(), "unread");
    assert_eq!(launches.rows[1].reading.word(), "removed");
    let mut facts = Story::new().facts();
    for path in [SCRIPT.to_owned(), SCRIPT.replace("_sglang", "")] {
        facts.sides.insert((Side::Head, path), absent());
    }
    let launches = draw(&facts);
    assert_eq!((launches.rows[0].reading.word(), launches.doubt), ("absent", None));
}

#[test]
fn a_changed_script_that_no_config_runs_has_a_row_and_a_moved_one_is_compared() {
    let (old, new) = (format!("{FOLDER}x.sh"), format!("{FOLDER}y.sh"));
    let mut facts = Story::new().facts();
    let file = ChangedFile { previous_path: Some(old.clone()), ..changed(&new, "renamed") };
    value(&mut facts.files).items.push(file);
    facts.sides.insert((Side::Head, new.clone()), document(&new, &script("", "--tp 8", "")));
    assert!(asked(&facts).iter().any(|read| matches!(read, Read::SideFile { side: Side::Base, path, .. } if *path == old)));
    facts.sides.insert((Side::Base, old.clone()), document(&old, &script("", "--tp 4", "")));
    let launches = draw(&facts);
    let row = launches.rows.iter().find(|row| row.path == new).unwrap();
    assert_eq!((row.configs.len(), told(row)), (0, vec!["flag --tp 4 → 8 (2)".to_owned()]));
}

#[test]
fn what_a_script_sources_counts_on_both_sides() {
    let common = format!("{FOLDER}common.sh");
    let main = format!("source \"$(dirname \"$0\")/common.sh\"\n{SERVE} $FLAGS &\n{CLIENT}\n");
    let of = |tp: &str| format!("FLAGS=\"--tp {tp}\"\nexport B={tp}\n");
    let story = Story::new().file(SCRIPT, &main, &main).file(&common, &of("4"), &of("8"));
    let row = story.row();
    assert_eq!(told(&row), ["flag --tp 4 → 8 (2)", "variable B 4 → 8 (1)"], "{row:?}");
    // Half of it says nothing.
    let mut facts = story.facts();
    facts.sides.insert((Side::Base, common.clone()), Remote::Idle);
    let launches = draw(&facts);
    assert_eq!((launches.rows[0].against.word(), told(&launches.rows[0]).len()), ("unread", 0));
    let wanted = |read: &Read| matches!(read, Read::SideFile { side: Side::Base, path, .. } if *path == common);
    assert!(asked(&facts).iter().any(wanted));
    // Nor does a script that is the same on both sides, without what it sources.
    for gap in [Remote::Idle, failed()] {
        for side in [Side::Base, Side::Head] {
            facts.sides.insert((side, common.clone()), gap.clone());
        }
        let launches = draw(&facts);
        assert_eq!(launches.rows[0].against.word(), "unread");
        assert!(launches.doubt.unwrap().contains("common.sh"));
    }
    // A library of the harness is not followed, which is said.
    let story = Story::new().file(SCRIPT, &main, &main).file("benchmarks/benchmark_lib.sh", "a\n", "b\n");
    assert!(story.draw().rows[0].doubts[0].contains("benchmark_lib.sh is changed too"));
}

#[test]
fn siblings_say_what_they_carry_with_both_ratios() {
    let (before, after) = (script("", "--tp 4", ""), script("", "--tp 8", ""));
    let story = Story::new().file(SCRIPT, &before, &after);
    let mut facts = story.facts();
    assert!(story.row().siblings.why().unwrap().contains("is not read yet"));
    assert!(asked(&facts).iter().any(|read| matches!(read, Read::Folder { .. })));
    let rich = script("export S=1", "--tp 4 --mem 1", "");
    let names = ["qwen3.5_fp4_h200_sglang_mtp.sh", "b_mtp.sh", "c_mtp.sh", "d_mtp.sh"];
    let mut all: Vec<(&str, &str)> = names.iter().map(|name| (*name, rich.as_str())).collect();
    all.push((SCRIPT.rsplit('/').next().unwrap(), &after));
    folder(&mut facts, &all);
    let launches = draw(&facts);
    let row = &launches.rows[0];
    let drifts: Vec<String> = row.siblings.drifts().iter().map(|drift| drift.render()).collect();
    let example = "qwen3.5_fp4_h200_sglang_mtp.sh, b_mtp.sh";
    assert_eq!(drifts, ["--mem", "S"].map(|name| format!("{name} (in 4 of 4, 100 %; of the same model in 1 of 1: {example})")));
    assert!(matches!(row.siblings, Beside::Compared { of: 4, .. }));
    let apart: Vec<String> = row.siblings.departures().iter().map(|one| one.render()).collect();
    assert_eq!(
        apart,
        [format!("--tensor-parallel-size 8, others 4 (in 4 of 4, 100 %; of the same model in 1 of 1: {example})")]
    );
    folder(&mut facts, &all[..2]);
    assert!(draw(&facts).rows[0].siblings.why().unwrap().contains("too few"));
}

#[test]
fn each_text_is_read_once() {
    use std::sync::Arc;
    let facts = Story::new().file(SCRIPT, &script("", "--tp 4", ""), &script("", "--tp 8", "")).facts();
    let old = |conclusions: &Conclusions| match &conclusions.launched.runs[0].before {
        Before::Read { launches, .. } => Arc::clone(launches),
        other => panic!("{other:?}"),
    };
    let first = Conclusions::draw(&POLICY, &facts);
    let again = first.redraw(&POLICY, &facts);
    assert!(Arc::ptr_eq(&old(&first), &old(&again)) && first.launched == again.launched);
    let mut facts = facts;
    facts.sides.insert((Side::Base, SCRIPT.to_owned()), document(SCRIPT, &script("", "--tp 2", "")));
    assert!(!Arc::ptr_eq(&old(&first), &old(&first.redraw(&POLICY, &facts))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_same_text_on_both_sides_has_no_changes(text in "(?s)[ -~\n\t\u{0}é]{0,200}", other in "(?s)(export A=[a-c]\n|vllm serve m --[ab] [1-3] &\n|source x.sh\n|if |fi\n|then\n){0,8}") {
        let both = format!("{other}{text}\n");
        // Listed as changed, with the same text: another blob in name only.
        let mut facts = Story::new().file(SCRIPT, &format!("{both}#"), &format!("{both}# ")).facts();
        let launches = draw(&facts);
        prop_assert!(launches.rows.iter().all(|row| row.against.changes().is_empty()), "{:?}", launches.rows);
        facts.sides.insert((Side::Base, SCRIPT.to_owned()), document(SCRIPT, &text));
        for row in draw(&facts).rows {
            for change in row.against.changes() {
                prop_assert!(change.before.is_some() || change.after.is_some());
                prop_assert_eq!((change.before.is_some(), change.after.is_some()), (change.line_before.is_some(), change.line.is_some()));
            }
        }
    }
}
