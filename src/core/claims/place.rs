//! Which measured points a sentence or a table row speaks of.
//! Must not know: what is claimed of them.

use super::patterns::*;
use crate::core::axes::{Axes, Parallel};
use crate::core::configs::Entry;
use crate::core::results::{ResultRow, Scenario};
use std::ops::Range;

/// A sentence that names more is a list from which nothing follows for one claim.
const MOST: usize = 32;

/// What the words around a claim say about its point. Whatever they do not say is not asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// Any of these.
    pub conc: Vec<u32>,
    /// A range, or words that are not understood: the list above is not all.
    pub unclear: bool,
    pub subject: Vec<Shape>,
    /// What a change is measured against.
    pub baseline: Vec<Shape>,
    pub skus: Vec<String>,
    pub frameworks: Vec<String>,
    pub precisions: Vec<String>,
    /// Input and output lengths, in tokens.
    pub lengths: Vec<(u32, u32)>,
    pub configs: Vec<String>,
    /// The text says that the run at hand is meant.
    pub this_run: bool,
    /// The text may speak of other runs than the one at hand.
    pub elsewhere: bool,
    /// The words name a quantity that no row tells.
    pub other: bool,
}

/// A parallelism as texts shorten it: `TP2/EP2`, `TEP8`, `DEP8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub tp: u32,
    pub ep: Option<u32>,
    pub dpa: Option<bool>,
}

impl Shape {
    /// Of a split deployment either side may be meant.
    pub fn is(self, axes: &Axes) -> bool {
        let same = |parallel: &Parallel| {
            parallel.tp == self.tp
                && self.ep.is_none_or(|ep| ep == parallel.ep)
                && self.dpa.is_none_or(|dpa| dpa == parallel.dpa)
        };
        same(&axes.parallel) || axes.decode.as_ref().is_some_and(|role| same(&role.parallel))
    }
}

impl Place {
    /// The point is named, and the run is the one at hand, as far as the text tells.
    pub(super) fn is_exact(&self) -> bool {
        !self.conc.is_empty() && !self.unclear && !self.is_elsewhere()
    }

    pub(super) fn is_elsewhere(&self) -> bool {
        self.elsewhere && !self.this_run
    }

    /// Whether the row may be at this place, of whatever parallelism. `entries` tell what the named configs are.
    pub(super) fn admits(&self, row: &ResultRow, entries: &[&Entry]) -> bool {
        let axes = &row.axes;
        let lengths = match row.scenario {
            Scenario::Fixed { isl, osl } => self.lengths.is_empty() || self.lengths.contains(&(isl, osl)),
            Scenario::Agentic { .. } => self.lengths.is_empty(),
        };
        let config = |key: &String| entries.iter().any(|entry| &entry.key == key && is_of(entry, axes));
        lengths
            && (self.conc.is_empty() || axes.conc.values().iter().all(|conc| self.conc.contains(conc)))
            && any(&self.skus, |sku| axes.runner.contains(sku.as_str()))
            && any(&self.frameworks, |framework| axes.framework.contains(framework.as_str()))
            && any(&self.precisions, |precision| precision.contains(&axes.precision))
            && any(&self.configs, config)
    }

    /// The same, and of the parallelism that the claim is about.
    pub(super) fn is_subject(&self, row: &ResultRow, entries: &[&Entry]) -> bool {
        any(&self.subject, |shape| shape.is(&row.axes)) && self.admits(row, entries)
    }

    /// What `self` leaves open is taken from `outer`, except the concurrency.
    pub(super) fn within(mut self, outer: &Place) -> Place {
        fn fill<T: Clone>(mine: &mut Vec<T>, outer: &[T]) {
            if mine.is_empty() {
                mine.extend_from_slice(outer);
            }
        }
        fill(&mut self.subject, &outer.subject);
        fill(&mut self.baseline, &outer.baseline);
        fill(&mut self.skus, &outer.skus);
        fill(&mut self.frameworks, &outer.frameworks);
        fill(&mut self.precisions, &outer.precisions);
        fill(&mut self.lengths, &outer.lengths);
        fill(&mut self.configs, &outer.configs);
        self.this_run |= outer.this_run;
        self.elsewhere |= outer.elsewhere;
        self.other |= outer.other;
        self
    }
}

/// Nothing asked, or one of what is asked.
fn any<T>(asked: &[T], is: impl FnMut(&T) -> bool) -> bool {
    asked.is_empty() || asked.iter().any(is)
}

fn is_of(entry: &Entry, axes: &Axes) -> bool {
    entry.model_prefix == axes.model
        && entry.precision == axes.precision
        && entry.framework == axes.framework
        && entry.runner.eq_ignore_ascii_case(&axes.runner)
        && entry.points.iter().any(|point| point.spec == axes.spec)
}

/// A mention of concurrency. Without values it is a range, which only says that others are not meant.
#[derive(Debug, PartialEq)]
pub(super) struct Count {
    pub range: Range<usize>,
    pub values: Vec<u32>,
}

/// All that the words of one sentence say, except concurrency, which may change within it.
pub(super) fn read(words: &str) -> Place {
    let mut place = Place { this_run: THIS_RUN.is_match(words), elsewhere: ELSEWHERE.is_match(words), ..Place::default() };
    let against: Vec<usize> = AGAINST.find_iter(words).map(|found| found.end()).collect();
    let mut last = 0;
    for found in SHAPE.captures_iter(words) {
        let Some(whole) = found.get(0) else { continue };
        let number = |name: &str| found.name(name).and_then(|digits| digits.as_str().parse().ok());
        let shape = match (number("both"), number("tp")) {
            (Some(both), _) => {
                let attention = found.name("kind").is_some_and(|kind| kind.as_str().eq_ignore_ascii_case("de"));
                Shape { tp: both, ep: Some(both), dpa: Some(attention) }
            }
            (_, Some(tp)) => Shape { tp, ep: number("ep"), dpa: found.name("dpa").map(|_| true) },
            _ => continue,
        };
        let near = |end: usize| end >= last && end <= whole.start() && whole.start() - end <= 40;
        let list = if against.iter().any(|&end| near(end)) { &mut place.baseline } else { &mut place.subject };
        if list.len() >= MOST {
            place.elsewhere = true;
        } else if !list.contains(&shape) {
            list.push(shape);
        }
        last = whole.end();
    }
    let gather = |pattern: &regex::Regex| {
        let mut out: Vec<String> = Vec::new();
        for found in pattern.find_iter(words) {
            let word = found.as_str().to_lowercase();
            if out.len() < MOST && !out.contains(&word) {
                out.push(word);
            }
        }
        out
    };
    place.skus = gather(&SKU);
    place.precisions = gather(&PRECISION);
    place.configs = gather(&CONFIG);
    place.frameworks = gather(&FRAMEWORK)
        .into_iter()
        .map(|word| match word.as_str() {
            "llm-d" => "llmd".to_owned(),
            word if word.starts_with("trt") || word.starts_with("tensorrt") => "trt".to_owned(),
            _ => word,
        })
        .collect();
    let length = |digits: Option<regex::Match>| digits.and_then(|digits| digits.as_str().parse::<u32>().ok()).map(|k| k * 1024);
    let lengths = LENGTHS.captures_iter(words).filter_map(|found| length(found.name("isl")).zip(length(found.name("osl"))));
    for pair in lengths {
        if !place.lengths.contains(&pair) {
            place.lengths.push(pair);
        }
    }
    place
}

/// Mentions of concurrency, in order. Once one is spelled out, `at 32` is another.
pub(super) fn counts(words: &str) -> Vec<Count> {
    let mut out: Vec<Count> = Vec::new();
    let spelled: Vec<Range<usize>> = [&*CONCURRENCY, &*CONCURRENT]
        .into_iter()
        .flat_map(|pattern| pattern.captures_iter(words))
        .filter_map(|found| found.name("number"))
        .map(|number| number.range())
        .collect();
    if spelled.is_empty() {
        return out;
    }
    let bare = AT_COUNT.captures_iter(words).filter_map(|found| found.name("number")).map(|number| number.range());
    let mut all: Vec<Range<usize>> = spelled.iter().cloned().chain(bare).collect();
    all.sort_by_key(|range| range.start);
    for range in all {
        if out.last().is_some_and(|last| range.start < last.range.end) || !is_count(words, range.end) {
            continue;
        }
        let Some(first) = words.get(range.clone()).and_then(|digits| digits.parse().ok()) else { continue };
        let (mut end, mut values) = (range.end, vec![first]);
        while let Some(next) = words.get(end..).and_then(|rest| AND_COUNT.captures(rest)).and_then(|found| found.name("number"))
        {
            let stop = end + next.end();
            let Some(value) = next.as_str().parse().ok().filter(|_| is_count(words, stop)) else { break };
            values.push(value);
            end = stop;
        }
        if values.len() > MOST || words.get(end..).is_some_and(|rest| TO_COUNT.is_match(rest)) {
            values.clear();
        }
        out.push(Count { range: range.start..end, values });
    }
    out
}

/// What ends here is not the beginning of `10319.8`, `5 %` or `64 GPUs`.
fn is_count(words: &str, end: usize) -> bool {
    words.get(end..).is_some_and(|rest| !NOT_A_COUNT.is_match(rest))
}

/// The concurrencies that a claim may speak of: the only mention of its sentence, or those on either side of it.
pub(super) fn counts_of(counts: &[Count], claim: &Range<usize>) -> (Vec<u32>, bool) {
    let next = counts.partition_point(|count| count.range.start < claim.end);
    let near = [next.checked_sub(1).and_then(|before| counts.get(before)), counts.get(next)];
    let near: Vec<&Count> = near.into_iter().flatten().collect();
    let unclear = near.iter().any(|count| count.values.is_empty());
    (near.into_iter().flat_map(|count| count.values.iter().copied()).collect(), unclear)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(words: &str) -> Vec<Vec<u32>> {
        counts(words).into_iter().map(|count| count.values).collect()
    }

    #[test]
    fn concurrencies_as_texts_write_them() {
        let table: [(&str, &[&[u32]]); 12] = [
            ("at concurrency 16, 32 and 64 of the sweep", &[&[16, 32, 64]]),
            ("at concurrency 16, 10319.8 at 80.41 (+8.94%) at 32, and 13290.8 at 64", &[&[16], &[32], &[64]]),
            ("conc=4: 1226.23; C64 and c128", &[&[4], &[64, 128]]),
            ("TP8 C1 and TP4 C1/C5/C10", &[&[1], &[1, 5, 10]]),
            ("at 64 concurrent users", &[&[64]]),
            ("concurrency 4 to 64", &[&[]]),
            ("concurrency 4-64", &[&[]]),
            ("at 32 GPUs", &[]),
            ("at 32", &[]),
            ("concurrency 16, 5 % more", &[&[16]]),
            ("concurrency 16.5", &[]),
            ("并发 16 时", &[&[16]]),
        ];
        for (words, want) in table {
            assert_eq!(shown(words), want, "{words}");
        }
    }

    #[test]
    fn shapes_and_what_they_are_measured_against() {
        let shape = |tp, ep, dpa| Shape { tp, ep, dpa };
        let place = read("TP2/EP2 on B200 with SGLang FP4 8k1k against TP2/EP1 of the same run");
        assert_eq!(place.subject, [shape(2, Some(2), None)]);
        assert_eq!(place.baseline, [shape(2, Some(1), None)]);
        assert_eq!(
            (place.skus[0].as_str(), place.frameworks[0].as_str(), place.precisions[0].as_str()),
            ("b200", "sglang", "fp4")
        );
        assert_eq!((place.lengths.as_slice(), place.this_run, place.is_elsewhere()), (&[(8192, 1024)][..], true, false));
        let place = read("TEP8 and DEP8 over the published tp 8 ep 1 rows, TRT-LLM");
        assert_eq!(place.subject, [shape(8, Some(8), Some(false)), shape(8, Some(8), Some(true))]);
        assert_eq!(place.baseline, [shape(8, Some(1), None)]);
        assert!(place.is_elsewhere());
        assert_eq!(place.frameworks, ["trt"]);
    }

    #[test]
    fn a_claim_among_several_concurrencies_may_mean_either_neighbour() {
        let words = "1.5 at c16, 2.5 at c32, 3.5 at c64";
        let counts = counts(words);
        assert_eq!(counts_of(&counts, &(0..3)), (vec![16], false));
        assert_eq!(counts_of(&counts, &(12..15)), (vec![16, 32], false));
        assert_eq!(counts_of(&counts, &(34..34)), (vec![64], false));
        assert_eq!(counts_of(&[], &(0..1)), (vec![], false));
    }
}
