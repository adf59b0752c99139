//! The upstream recipe's arguments beside ours, on whole pull requests.
//! Must not know: how texts are read.

use super::wired::{FIXED, Story};
use crate::core::plan::Read;
use crate::core::policy::tests::finding;
use crate::core::policy::{Finding, Status};

const PAGE: &str = "docs_new/cookbook/autoregressive/m.mdx";
const CELLS: &str = "docs_new/src/snippets/configs/m.jsx";
const LINK: &str = "https://github.com/sgl-project/sglang/pull/7";
const SCRIPT: &str = "export A=1\npython3 -m sglang.launch_server --model-path $MODEL --tp $TP --kv-cache-dtype fp8_e4m3 \\\n  \
                      --quantization modelopt_fp4 --speculative-algorithm EAGLE --speculative-num-steps 3 &\n\
                      run_benchmark_serving --model m --use-chat-template\n";

fn story(linked: &[(&str, Option<&str>)]) -> Story {
    Story::new("m", "fixed-seq-len", SCRIPT).details(LINK).linked(linked)
}

fn recipe(story: &Story) -> Finding {
    let (_, review, _) = story.told();
    finding(&review.findings, "recipe").clone()
}

#[test]
fn arguments_stand_beside_upstream_s_flag_by_flag() {
    let page = "@@ -1,1 +1,3 @@\n ```bash\n+sglang serve o/M --tp 8 --kv-cache-dtype auto --quantization modelopt_fp4\n+```";
    let cells = "@@ -9,2 +9,4 @@\n   flags: [\n+    \"--attention-backend fa3\",\n+    \"--kv-cache-dtype fp8_e5m2\",\n   ],";
    let found = recipe(&story(&[(PAGE, Some(page)), (CELLS, Some(cells)), ("python/x.py", Some("@@ -1 +1 @@\n+--tp 3"))]));
    assert_eq!(found.status, Status::Pass, "a sign never fails: {}", found.reason);
    assert!(found.reason.contains("7 is merged; 2 major arguments read otherwise here, see the notes."), "{}", found.reason);
    assert_eq!(
        found.notes[..6],
        [
            "Major arguments beside upstream's, as signs and no proof:",
            "m_fp4_b200_mtp.sh: upstream: `--kv-cache-dtype auto` (m.mdx:2, and another value elsewhere), here: \
             `--kv-cache-dtype fp8_e4m3` (line 2).",
            "m_fp4_b200_mtp.sh: upstream: `--attention-backend fa3` (m.jsx:10), here: not set.",
            "m_fp4_b200_mtp.sh: as upstream: `--quantization modelopt_fp4`.",
            "m_fp4_b200_mtp.sh: not in upstream's changed lines: `--speculative-algorithm EAGLE`, `--speculative-num-steps 3`.",
            "m_fp4_b200_mtp.sh: a variable decides: upstream `--tp 8`, here `--tp $TP`.",
        ]
    );
}

#[test]
fn what_agrees_differs_nowhere() {
    let page = "@@ -1,0 +1,1 @@\n+`--kv-cache-dtype FP8_e4m3` with `--speculative-num-steps 3`";
    let found = recipe(&story(&[(PAGE, Some(page))]));
    assert!(found.reason.ends_with("no major argument that both state differs."), "{}", found.reason);
    assert!(found.notes.iter().any(|note| note.contains("as upstream: `--kv-cache-dtype fp8_e4m3`")), "{:?}", found.notes);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let gone = "@@ -1,1 +0,0 @@\n---tp 8";
    type Case<'a> = (&'a [(&'a str, Option<&'a str>)], &'a str);
    let cases: [Case<'_>; 3] = [
        (&[(PAGE, None)], "GitHub does not send the changed lines of docs_new/cookbook/autoregressive/m.mdx"),
        (
            &[(PAGE, Some("@@ -1,0 +1,1 @@\n+only words"))],
            "states no major argument in the lines that it changes (1 file looked at)",
        ),
        (&[(PAGE, Some(gone))], "states no major argument"),
    ];
    for (linked, words) in cases {
        let found = recipe(&story(linked));
        assert!(found.status == Status::Pass && found.reason.ends_with("is yours to read."), "{}", found.reason);
        assert!(found.notes.iter().any(|note| note.contains(words)), "{words}: {:?}", found.notes);
    }
    let page = "https://docs.sglang.io/cookbook/autoregressive/M";
    let found = recipe(&Story::new("m", "fixed-seq-len", SCRIPT).details(page));
    assert!(found.notes.iter().any(|note| note.contains("compare its arguments yourself")), "{:?}", found.notes);
    // Our side is missing, in each of its ways.
    let stated = [(PAGE, Some("@@ -1,0 +1,1 @@\n+--tp 8"))];
    let only = |row: &str| {
        let master = super::wired::entry("k", "m", "i:1", "fixed-seq-len", row);
        Story::default().file(super::wired::MASTER, "", &master).details(LINK).linked(&stated)
    };
    let plain = "{ tp: 2, conc-list: [16] }";
    let found = recipe(&only(plain));
    assert!(found.notes.iter().any(|note| note.contains("does not exist at the head")), "{:?}", found.notes);
    // A script that the pull request does not change is asked for, whether it decodes speculatively or not.
    let path = format!("{FIXED}m_fp4_b200.sh");
    let other = only(plain).other(&path, "sglang serve m --tp 8\n");
    let (_, review, asked) = other.told();
    assert!(asked.iter().any(|read| matches!(read, Read::SideFile { path: read, .. } if *read == path)), "{asked:?}");
    assert!(finding(&review.findings, "recipe").reason.ends_with("differs."));
    let found = recipe(&only(plain).other(&path, "echo nothing\n"));
    assert!(found.notes.iter().any(|note| note.contains("starts no server")), "{:?}", found.notes);
}

#[test]
fn a_page_that_is_a_file_is_read() {
    let link = format!("https://github.com/sgl-project/sglang/blob/main/{PAGE}#deploy");
    let of = |text: Option<&str>| recipe(&story(&[(PAGE, text)]).details(&link));
    let found = of(Some("# M\n```bash\nsglang serve m --kv-cache-dtype auto\n```\n"));
    assert_eq!(found.status, Status::Pass);
    let note = "upstream: `--kv-cache-dtype auto` (m.mdx:3), here: `--kv-cache-dtype fp8_e4m3` (line 2).";
    assert!(found.notes.iter().any(|said| said.contains(note)), "{:?}", found.notes);
    for (text, words) in [(Some("words"), "states no major argument"), (None, "cannot be read")] {
        let found = of(text);
        assert!(found.status == Status::Pass && found.notes.iter().any(|said| said.contains(words)), "{:?}", found.notes);
    }
}
