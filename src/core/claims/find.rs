//! Finds the claims of a text: first the names in a sentence, then its numbers; in tables, numbers by their heads.
//! Must not know: what is true.

use super::patterns::*;
use super::place::{self, Count, Place};
use super::prose::{self, Block, blank};
use super::quantity::Quantity;
use super::{Claim, Metric, Side, What};
use crate::core::results::{Measure, Statistic, Unit};
use regex::{Captures, Match};
use std::collections::BTreeMap;
use std::ops::Range;

/// The claims of a description in Markdown, or of one sentence of a changelog, in the order of the text.
pub fn parse(text: &str) -> Vec<Claim> {
    let prose = prose::read(text);
    let mut out = Vec::new();
    let mut caption = Place::default();
    for block in &prose.blocks {
        match block {
            Block::Sentences(sentences) => {
                for range in sentences {
                    let Some(words) = prose.words.get(range.clone()) else { continue };
                    let mut part = Part::read(words, range.start);
                    part.scan();
                    out.append(&mut part.claims);
                    caption = part.place;
                }
            }
            Block::Table(rows) => out.extend(table(&prose.words, rows, &caption)),
        }
    }
    out.sort_by_key(|claim| (claim.range.start, claim.range.end));
    out
}

/// A sentence or a cell. Ranges inside are of `words`; those of claims are of the whole text.
struct Part {
    /// Names are blanked out once they are claims, so that their digits are no numbers.
    words: String,
    start: usize,
    place: Place,
    counts: Vec<Count>,
    /// What claims hold already: ends by their starts.
    taken: BTreeMap<usize, usize>,
    /// Its words name a quantity that no row tells.
    other: bool,
    claims: Vec<Claim>,
}

impl Part {
    fn read(words: &str, start: usize) -> Part {
        let mut part = Part {
            words: words.to_owned(),
            start,
            place: Place::default(),
            counts: Vec::new(),
            taken: BTreeMap::new(),
            other: OTHER.is_match(words),
            claims: Vec::new(),
        };
        let configs = place::read(words).configs;
        part.names();
        part.place = Place { configs, ..place::read(&part.words) };
        part.counts = place::counts(&part.words);
        for claim in &mut part.claims {
            claim.place = part.place.clone();
        }
        part
    }

    fn scan(&mut self) {
        self.scores();
        self.levels();
        self.changes(None);
        self.factors();
    }

    fn push(&mut self, range: Range<usize>, what: What) {
        let (conc, unclear) = place::counts_of(&self.counts, &range);
        let place = Place { conc, unclear, ..self.place.clone() };
        self.claims.push(Claim { range: self.start + range.start..self.start + range.end, what, place });
        self.taken.insert(range.start, range.end);
    }

    fn is_taken(&self, range: &Range<usize>) -> bool {
        self.taken.range(..range.end).next_back().is_some_and(|(_, &end)| end > range.start)
    }

    /// At most `width` bytes before `at`, from where the last claim ended.
    fn before(&self, at: usize, width: usize) -> &str {
        let floor = self.taken.range(..at).next_back().map_or(0, |(_, &end)| end);
        cut(&self.words, at.saturating_sub(width).max(floor)..at)
    }

    /// At most `width` bytes from `at`.
    fn after(&self, at: usize, width: usize) -> &str {
        cut(&self.words, at..at.saturating_add(width))
    }

    fn names(&mut self) {
        let words = self.words.clone();
        let negated = NOT_USED.is_match(&words);
        let mut found: Vec<(Range<usize>, What)> = Vec::new();
        for image in IMAGE.captures_iter(&words) {
            let (Some(whole), Some(tag)) = (image.get(0), image.name("tag")) else { continue };
            let tag = tag.as_str().trim_end_matches(['.', '-']);
            let repository = cut(&words, whole.start()..whole.start() + whole.as_str().find(':').unwrap_or(0));
            // `path/file.py:12` is a place in a file.
            let file = repository.rsplit('/').next().is_some_and(|last| last.contains('.'));
            if file || tag.bytes().all(|byte| byte.is_ascii_digit()) {
                continue;
            }
            let asserted = !negated && USED.is_match(cut(&words, whole.start().saturating_sub(12)..whole.start()));
            let what = What::Image { repository: repository.replace('#', "/"), tag: tag.to_owned(), asserted };
            found.push((whole.start()..whole.start() + repository.len() + 1 + tag.len(), what));
        }
        for config in CONFIG.find_iter(&words) {
            found.push((config.range(), What::Config { key: config.as_str().to_owned() }));
        }
        for length in ACCEPTANCE.captures_iter(&words) {
            if let Some((whole, number)) = length.get(0).zip(length.name("number"))
                && let Some(length) = Quantity::parse(number.as_str(), None)
            {
                found.push((whole.range(), What::Acceptance { length }));
            }
        }
        for version in VERSION.captures_iter(&words) {
            let (Some(whole), Some(number)) = (version.get(0), version.name("short").or(version.name("long"))) else {
                continue;
            };
            let image = !negated && IMAGE_TO.is_match(cut(&words, whole.start().saturating_sub(24)..whole.start()));
            found.push((whole.range(), What::Version { version: number.as_str().to_owned(), image }));
        }
        for (range, what) in found {
            if !self.is_taken(&range) {
                blank(&mut self.words, range.clone());
                self.push(range, what);
            }
        }
        self.taken.clear();
    }

    /// Scores of a task: each number stands behind the task, its metric, or the score before it.
    fn scores(&mut self) {
        let words = self.words.clone();
        let tasks: Vec<Match> = TASK.find_iter(&words).collect();
        for (at, task) in tasks.iter().enumerate() {
            let end = tasks.get(at + 1).map_or(words.len(), |next| next.start());
            let (mut anchor, mut metric) = (task.end(), None);
            let mut last: Option<usize> = None;
            for found in SCORE.captures_iter(cut(&words, task.end()..end)) {
                let Some(number) = found.name("number") else { continue };
                let range = task.end() + number.start()..task.end() + number.end();
                let gap = cut(&words, anchor..range.start);
                if gap.len() > 40 || !SCORE_LINK.is_match(gap) || !starts_number(&words, range.start) {
                    break;
                }
                if BAR.is_match(gap) {
                    anchor = range.end;
                    last = None;
                    continue;
                }
                if let Some(word) = METRIC_OF_TASK.captures_iter(gap).last().and_then(|found| found.name("word")) {
                    metric = Some(word.as_str().to_lowercase());
                    last = None;
                }
                let Some(value) = score(&words, number.as_str(), range.start) else { break };
                // `a to b` is one claim of two ends, `from a to b` one of what became of a.
                let joined = last.and_then(|last| self.claims.get_mut(last)).filter(|_| BETWEEN_SCORES.is_match(gap));
                if let Some(Claim { what: What::Score { high, .. }, range: whole, .. }) = joined {
                    *high = Some(value);
                    whole.end = self.start + range.end;
                    self.taken.insert(range.start, range.end);
                    last = None;
                } else {
                    let what =
                        What::Score { task: task.as_str().to_lowercase(), metric: metric.clone(), low: value, high: None };
                    self.push(range.clone(), what);
                    last = Some(self.claims.len() - 1);
                }
                anchor = range.end;
            }
        }
    }

    fn levels(&mut self) {
        let words = self.words.clone();
        for found in LEVEL.captures_iter(&words) {
            let (Some(whole), Some(number)) = (found.get(0), found.name("number")) else { continue };
            let range = whole.range();
            if self.is_taken(&range) || !starts_number(&words, range.start) || ends_span(&words, range.start) {
                continue;
            }
            let Some(value) = self.quantity(&number, found.name("scale")) else { continue };
            let Some((metric, factor)) = self.metric_of(&found, &range) else { continue };
            let per_gpu = matches!(metric, Metric::PerGpu(_));
            self.push(range.clone(), What::Level { value: value.scaled(factor), metric });
            // `7534.5 tok/s/GPU at 120.16`: the pair's second number, when it has no unit of its own.
            let rest = cut(&words, range.end..words.len());
            let pair = per_gpu.then(|| AT_NUMBER.captures(rest)).flatten().and_then(|pair| pair.name("number"));
            if let Some(second) = pair {
                let at = range.end + second.start()..range.end + second.end();
                let unit = LEVEL.find_at(&words, at.start).is_some_and(|next| next.start() == at.start);
                let percent = cut(&words, at.end..words.len()).trim_start().starts_with('%');
                if let Some(value) = Quantity::parse(second.as_str(), None).filter(|_| !unit && !percent) {
                    let value = Quantity { inferred: true, ..value };
                    self.push(at, What::Level { value, metric: Metric::Request(Measure::Intvty, None) });
                }
            }
        }
    }

    /// The metric of a matched unit, and what makes its number one in our units.
    fn metric_of(&self, found: &Captures, range: &Range<usize>) -> Option<(Metric, f64)> {
        let before = self.before(range.start, 40);
        let after = self.after(range.end, 24);
        let factor = if found.name("ms").is_some() { 1e-3 } else { 1.0 };
        if found.name("gpu").is_some() {
            let word = found.name("side").map_or(before, |side| side.as_str());
            return Some((Metric::PerGpu(side(tail(word, 24))), factor));
        }
        if found.name("user").is_some() {
            let statistic = statistic(tail(before, 24)).or_else(|| statistic(after));
            return Some((Metric::Request(Measure::Intvty, statistic), factor));
        }
        if found.name("system").is_some() {
            // `tok/s/node` and the like are units that no row has.
            return (!after.starts_with('/')).then_some((Metric::System, factor));
        }
        let named = LATENCY.find_iter(before).last().filter(|name| LINK.is_match(cut(before, name.end()..before.len())));
        if let Some(name) = named {
            let around = cut(before, name.start().saturating_sub(12)..before.len());
            return Some((Metric::Request(latency(name.as_str()), statistic(around)), factor));
        }
        let named = LATENCY.find(after).filter(|name| LINK.is_match(cut(after, 0..name.start())));
        named.map(|name| (Metric::Request(latency(name.as_str()), statistic(cut(after, 0..name.start()))), factor))
    }

    /// Percentages with a direction. `heading` is the metric of a table's head.
    fn changes(&mut self, heading: Option<Metric>) {
        let words = self.words.clone();
        for found in PERCENT.captures_iter(&words) {
            let (Some(whole), Some(number)) = (found.get(0), found.name("number")) else { continue };
            let sign = found.name("sign").map(|sign| sign.as_str());
            let range = whole.start() + (whole.as_str().len() - whole.as_str().trim_start().len())..whole.end();
            let previous = cut(&words, 0..range.start).trim_end().chars().next_back();
            // In `5-9 %` and `5 % - 9 %` the dash is no sign.
            let spans = matches!(sign, Some("-" | "–" | "−")) && previous.is_some_and(|c| c.is_ascii_digit() || c == '%');
            if self.is_taken(&range) || spans || !starts_number(&words, range.start) {
                continue;
            }
            let near = [self.before(range.start, 24), self.after(range.end, 30)];
            if sign.is_none() && heading.is_none() && !near.iter().any(|near| BETTER_OR_WORSE.is_match(near)) {
                continue;
            }
            let Some(mut percent) = self.quantity(&number, None) else { continue };
            percent.loose |= LOOSE.is_match(self.before(range.start, 16));
            percent.signed = sign.is_some();
            if matches!(sign, Some("-" | "–" | "−")) {
                percent.value = -percent.value;
            }
            let metric = self.metric_near(&range).or(heading);
            self.push(range, What::Change { percent, metric });
            self.mark_other(metric);
        }
    }

    fn factors(&mut self) {
        let words = self.words.clone();
        for found in FACTOR.captures_iter(&words) {
            let (Some(whole), Some(number)) = (found.get(0), found.name("number")) else { continue };
            let range = number.start()..whole.start() + whole.as_str().trim_end().len();
            let after = self.after(range.end, 40);
            // `8x B200` counts machines.
            let counts = SKU.find(after).is_some_and(|sku| sku.start() <= 2);
            let near = [self.before(range.start, 40), after];
            let compares = near.iter().any(|near| BETTER_OR_WORSE.is_match(near) || METRIC.is_match(near));
            if self.is_taken(&range) || counts || !compares || !starts_number(&words, range.start) {
                continue;
            }
            let Some(factor) = self.quantity(&number, None) else { continue };
            let metric = self.metric_near(&range);
            self.push(range, What::Ratio { factor, metric });
            self.mark_other(metric);
        }
    }

    /// The last claim may be about something that no row tells.
    fn mark_other(&mut self, metric: Option<Metric>) {
        let other = metric.is_none() && self.other;
        if let Some(claim) = self.claims.last_mut() {
            claim.place.other |= other;
        }
    }

    /// The metric named beside a change: behind it up to the next number, else before it.
    fn metric_near(&self, range: &Range<usize>) -> Option<Metric> {
        let after = self.after(range.end, 40);
        let after =
            after.split(|c: char| c.is_ascii_digit() || matches!(c, ',' | ';' | '/' | '(' | '+')).next().unwrap_or_default();
        // The unit itself has slashes.
        let after = if after.len() < 12 { cut_at_number(self.after(range.end, 40)) } else { after };
        metric(after).or_else(|| {
            let before = self.before(range.start, 40);
            metric(before.rsplit([',', ';']).next().unwrap_or(before))
        })
    }

    fn quantity(&self, number: &Match, scale: Option<Match>) -> Option<Quantity> {
        let before = cut(&self.words, number.start().saturating_sub(24)..number.start());
        let value = Quantity::parse(number.as_str(), scale.map(|scale| scale.as_str()))?;
        Some(Quantity { loose: LOOSE.is_match(before), earlier: FROM.is_match(before), ..value })
    }
}

/// What a column's head, or a row's words, say about the cells under it or beside them.
struct Heading {
    place: Place,
    counts: Vec<Count>,
    metric: Option<Metric>,
    /// What makes a time one in seconds.
    seconds: Option<f64>,
    task: Option<String>,
    /// The task's metric.
    of_task: Option<String>,
    /// It holds what scores must reach, not scores.
    is_bar: bool,
    is_conc: bool,
    other: bool,
}

impl Heading {
    fn read(words: &str) -> Heading {
        Heading {
            place: place::read(words),
            counts: place::counts(words),
            metric: metric(words),
            seconds: seconds(words),
            task: TASK.find(words).map(|task| task.as_str().to_lowercase()),
            of_task: METRIC_OF_TASK.find(words).map(|word| word.as_str().to_lowercase()),
            is_bar: BAR_HEAD.is_match(words),
            is_conc: CONCURRENCY_HEAD.is_match(words),
            other: OTHER.is_match(words),
        }
    }
}

/// A table's claims. A cell speaks of the point that its row and its column name; a bare number in it is of the metric in
/// the column's head, or in the row's words.
fn table(words: &str, rows: &[Vec<Range<usize>>], caption: &Place) -> Vec<Claim> {
    let text = |range: &Range<usize>| words.get(range.clone()).unwrap_or_default();
    let Some((heads, rows)) = rows.split_first() else { return Vec::new() };
    let caption = Place { conc: Vec::new(), unclear: false, other: false, ..caption.clone() };
    let heads: Vec<Heading> = heads.iter().map(|head| Heading::read(text(head))).collect();
    let mut out = Vec::new();
    for row in rows {
        let is_label = |cell: &&str| cell.chars().any(char::is_alphabetic) && !LEVEL.is_match(cell);
        let label = Heading::read(&row.iter().map(text).filter(is_label).collect::<Vec<_>>().join(" ; "));
        let conc: Vec<u32> = row
            .iter()
            .zip(&heads)
            .filter(|(_, head)| head.is_conc)
            .filter_map(|(cell, _)| COUNTS.captures(text(cell)).and_then(|found| found.get(1)?.as_str().parse().ok()))
            .collect();
        for (range, head) in row.iter().zip(&heads) {
            if head.is_conc || text(range).trim().is_empty() {
                continue;
            }
            let mut part = Part::read(text(range), range.start);
            part.place = part.place.clone().within(&label.place).within(&head.place).within(&caption);
            part.claims.iter_mut().for_each(|name| name.place = part.place.clone());
            part.cell(head, &label);
            let counts = head.counts.iter().chain(&label.counts);
            let named = if conc.is_empty() { counts.map(|count| &count.values).next() } else { Some(&conc) };
            for claim in &mut part.claims {
                if let Some(values) = named.filter(|_| claim.place.conc.is_empty()) {
                    (claim.place.conc, claim.place.unclear) = (values.clone(), values.is_empty());
                }
                claim.place.other |= head.other && matches!(claim.what, What::Change { metric: None, .. });
            }
            out.append(&mut part.claims);
        }
    }
    out
}

impl Part {
    fn cell(&mut self, head: &Heading, label: &Heading) {
        if head.is_bar || label.is_bar {
            return;
        }
        let names = self.claims.len();
        let task = head.task.as_ref().or(label.task.as_ref());
        let metric = head.metric.or(label.metric);
        self.scores();
        if let Some(task) = task
            && self.claims.len() == names
            && let Some(found) = SCORE.find(&self.words).filter(|found| starts_number(&self.words, found.start()))
            && let Some(low) = score(&self.words, found.as_str(), found.start())
        {
            let metric = head.of_task.clone().or(label.of_task.clone());
            let range = found.range();
            self.push(range, What::Score { task: task.clone(), metric, low, high: None });
        }
        self.levels();
        self.changes(metric.filter(|_| task.is_none()));
        self.factors();
        if let Some(metric) = metric.filter(|_| self.claims.len() == names && task.is_none()) {
            self.bare(metric, head.seconds.or(label.seconds));
        }
    }

    /// A cell of one number, or of two with an arrow between.
    fn bare(&mut self, metric: Metric, seconds: Option<f64>) {
        let factor = match metric {
            Metric::Request(measure, _) if measure.unit() == Unit::Seconds => {
                let Some(factor) = seconds else { return };
                factor
            }
            _ => 1.0,
        };
        let words = self.words.clone();
        let numbers: Vec<Captures> = BARE_NUMBER.captures_iter(&words).collect();
        let arrow = words.contains('→') || words.contains("->");
        let letters = words.chars().filter(|c| c.is_alphabetic()).count();
        if letters > numbers.len() || !(numbers.len() == 1 || (numbers.len() == 2 && arrow)) {
            return;
        }
        let last = numbers.len() - 1;
        for (at, found) in numbers.iter().enumerate() {
            let Some(number) = found.name("number").filter(|number| starts_number(&words, number.start())) else { continue };
            if let Some(value) = self.quantity(&number, found.name("scale")) {
                let value = Quantity { earlier: value.earlier || at < last, ..value.scaled(factor) };
                self.push(number.range(), What::Level { value, metric });
            }
        }
    }
}

/// The unit of time that a head states, in seconds.
fn seconds(head: &str) -> Option<f64> {
    let unit = HEAD_UNIT.captures(head)?;
    Some(if unit.name("ms").is_some() { 1e-3 } else { 1.0 })
}

fn metric(text: &str) -> Option<Metric> {
    let found = METRIC.captures(text)?;
    if found.name("gpu").is_some() {
        return Some(Metric::PerGpu(side(text)));
    }
    match found.name("latency") {
        Some(name) => Some(Metric::Request(latency(name.as_str()), statistic(text))),
        None => Some(Metric::Request(Measure::Intvty, statistic(text))),
    }
}

fn latency(word: &str) -> Measure {
    match word.to_lowercase().as_str() {
        "ttft" => Measure::Ttft,
        "tpot" => Measure::Tpot,
        "itl" => Measure::Itl,
        _ => Measure::E2el,
    }
}

fn statistic(text: &str) -> Option<Statistic> {
    let found = STATISTIC.captures_iter(text).last()?;
    match found.name("percentile") {
        Some(percentile) => Statistic::parse(&format!("p{}", percentile.as_str())),
        None if found.name("mean").is_some() => Some(Statistic::Mean),
        None => Some(Statistic::Median),
    }
}

fn side(text: &str) -> Option<Side> {
    let found = SIDE.captures_iter(text).last()?;
    Some(if found.name("output").is_some() { Side::Output } else { Side::Input })
}

/// A share as it is written: `0.968`, `96.8 %`.
fn score(words: &str, number: &str, at: usize) -> Option<Quantity> {
    let before = cut(words, at.saturating_sub(24)..at);
    let value = match number.strip_suffix('%') {
        Some(percent) => Quantity::parse(percent.trim_end(), None)?.scaled(0.01),
        None => Quantity::parse(number, None)?,
    };
    let value = Quantity { loose: LOOSE.is_match(before), earlier: FROM.is_match(before), ..value };
    (value.value <= 1.0).then_some(value)
}

/// What begins here is not the end of a longer word or number: `b200`, `0.5.14`.
fn starts_number(words: &str, at: usize) -> bool {
    let before = cut(words, 0..at).chars().next_back();
    before.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '.' | '_' | ',' | '#' | '$'))
}

/// The number that begins here is the second of `4-64`.
fn ends_span(words: &str, at: usize) -> bool {
    SPAN.is_match(cut(words, at.saturating_sub(8)..at))
}

fn cut_at_number(text: &str) -> &str {
    let end = text.find(|c: char| c.is_ascii_digit() || c == '(' || c == '+').unwrap_or(text.len());
    cut(text, 0..end)
}

fn tail(text: &str, width: usize) -> &str {
    cut(text, text.len().saturating_sub(width)..text.len())
}

/// A part of the text, drawn in to whole characters.
fn cut(text: &str, range: Range<usize>) -> &str {
    let whole = |at: &usize| text.is_char_boundary(*at);
    let end = (0..=range.end.min(text.len())).rev().find(whole).unwrap_or(0);
    let start = (range.start..=end).find(whole).unwrap_or(end);
    text.get(start..end).unwrap_or_default()
}
