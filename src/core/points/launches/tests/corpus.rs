//! The launches of recorded pull requests.
//! Must not know: how rows are drawn.

use super::*;
use crate::core::plan::{self, Reply};
use crate::core::policy::scenario;

/// Everything that the rows need, as far as it was recorded.
fn opened(name: &str, number: u64) -> (Launches, usize) {
    let mut facts = scenario::load(name, number);
    let mut reads = 0;
    loop {
        let due = plan::due(&facts, &POLICY, &asked(&facts));
        let due: Vec<Read> = due.into_iter().filter(|read| asked(&facts).contains(read)).collect();
        if due.is_empty() {
            return (draw(&facts), reads);
        }
        reads += due.len();
        plan::start(&mut facts, &due);
        for read in due {
            let source = Source { address: name.to_owned(), commit: None, read_at: Default::default(), digest: String::new() };
            let answer = scenario::answer(name, number, &read).map(|answer| (answer, source));
            plan::absorb(&mut facts, Reply { read, answer, last: true });
        }
    }
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn recorded_recipes_are_compared_with_their_base_and_their_siblings() {
    let (launches, reads) = opened("2206", 2206);
    let told: Vec<_> = launches.rows.iter().map(|row| (row.reading.word(), row.against.word(), row.configs.len())).collect();
    assert_eq!((told, launches.doubt, reads), (vec![("read", "new", 1); 9], None, 1));
    for row in &launches.rows {
        assert!(row.of_kind(Kind::Flag).count() > 40 && row.lines.iter().all(|line| line.line > 0), "{}", row.path);
        let roles: Vec<&str> = row.of_kind(Kind::Program).map(|line| line.role.as_str()).collect();
        assert_eq!((roles, row.doubts.len()), (vec!["prefill", "decode", "client"], 0));
    }

    let (launches, _) = opened("2462", 2462);
    assert_eq!((launches.rows.len(), &launches.doubt), (6, &None));
    let row = |part: &str| launches.rows.iter().find(|row| row.path.contains(part)).unwrap();
    let lacks: Vec<String> = row("1p4d-tp4-tp4").siblings.drifts().iter().map(|drift| drift.render()).collect();
    let examples = "1p1d-tp4-dep4-eagle3-8k1k.yaml, 1p1d-tp4-tp4-eagle3-8k1k.yaml";
    let want = ["--compilation-config", "VLLM_MINIMAX_M3_MSA_DECODE_BACKEND"];
    assert_eq!(lacks, want.map(|name| format!("{name} (in 5 of 5, 100 %: {examples})")));
    let apart: Vec<String> = row("1p1d-tp4-dep4").siblings.departures().iter().map(|one| one.render()).collect();
    assert!(apart.iter().any(|one| one.starts_with("decode: --tensor-parallel-size 1, others 4 (in 5 of 5")), "{apart:#?}");

    // A script that was not recorded is one that the head does not hold.
    let (launches, _) = opened("2550-green", 2550);
    assert_eq!(launches.rows.iter().map(|row| row.reading.word()).collect::<Vec<_>>(), ["absent"]);
}
