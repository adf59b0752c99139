//! Strangers' text: the gate before the screen, Markdown as rows, task items.

use crate::big;
use countersign::core::markdown::blocks::render_rows;
use countersign::core::markdown::tasks::tasks;
use countersign::core::text::gate;
use divan::counter::BytesCount;
use divan::{Bencher, black_box};

#[divan::bench(args = ["plain", "chinese", "hostile"])]
fn gate_line(bencher: Bencher<'_, '_>, kind: &str) {
    let text = match kind {
        "plain" => "      - { tp: 4, ep: 1, conc-start: 4, conc-end: 64, spec-decoding: mtp }  # as measured ".repeat(2),
        "chinese" => "      - 精度评估通过，新增 TEP2 组合，吞吐提升 12%，延迟不变；参见上次的结果 ".repeat(2),
        _ => "\u{1b}]52;c;aGk=\u{7} \u{202e}evil\u{202c} a\u{200b}b\tx e\u{301}\u{301} 👩\u{200d}🔬 ".repeat(4),
    };
    bencher.counter(BytesCount::of_str(&text)).bench(|| black_box(gate::line(black_box(&text))).len());
}

/// The rows of one comment; a thousand of them make a conversation.
#[divan::bench(args = [1, 1_000])]
fn markdown_rows(bencher: Bencher<'_, '_>, comments: usize) {
    bencher.bench(|| (0..comments).map(|_| render_rows(black_box(big::BODY), 100).len()).sum::<usize>());
}

/// Text that nests as deep as it can.
#[divan::bench(args = ["> ", "- ", "1. ", "[", "*a_"])]
fn hostile_nesting(bencher: Bencher<'_, '_>, unit: &str) {
    let text = unit.repeat(65_536 / unit.len()) + "- [ ] x";
    bencher.bench(|| (tasks(black_box(&text)).len(), render_rows(black_box(&text), 100).len()));
}
