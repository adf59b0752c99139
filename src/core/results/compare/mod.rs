//! How two lists of rows differ: points are paired by what they are, never by guess, and each figure tells its change.
//! Must not know: where rows were read, which differences matter, how they are shown.

mod arm;
mod named;
mod reference;

pub use arm::{Arm, Dimension};
pub use named::Reference;
pub use reference::parse_reference;

use super::{Better, Figure, ResultRow, Scenario};
use crate::core::axes::Axes;
use crate::core::text::counted;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Rows are named by their places in what was given.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// By our places.
    pub pairs: Vec<Pair>,
    pub ambiguous: Vec<Ambiguous>,
    /// Points that the reference has not.
    pub only_ours: Vec<usize>,
    pub only_theirs: Vec<usize>,
    /// Rows left out because a row before them says exactly the same.
    pub duplicates: usize,
    /// What is known of how much a repeated measurement differs; a figure once.
    pub noise: Vec<Noise>,
}

/// One point, measured on both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    pub ours: usize,
    pub theirs: usize,
    /// Of every figure that both rows tell, in the order of [`Figure::all`].
    pub differences: Vec<Difference>,
    /// Figures that one of the rows lacks.
    pub one_sided: Vec<(Figure, Side)>,
}

/// Several rows of one point, of which nothing tells which belongs to which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ambiguous {
    pub ours: Vec<usize>,
    pub theirs: Vec<usize>,
}

/// What became of one of our rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Standing<'c> {
    Paired(&'c Pair),
    /// The reference has no such point.
    OnlyOurs,
    /// Several rows of the point, and nothing tells which belongs to which.
    Ambiguous,
    /// It was not compared: the same as a row before it, or of the arm that the others are set against.
    Otherwise,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Ours,
    Theirs,
}

/// One figure of a pair, in its own unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    pub figure: Figure,
    pub ours: f64,
    pub theirs: f64,
    pub change: Change,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Better,
    Worse,
    Same,
}

/// How far rows of one point lie apart on one side, at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    pub figure: Figure,
    /// Of the smaller number.
    pub percent: f64,
    /// How many rows of that point there are.
    pub rows: usize,
}

impl Difference {
    fn of(figure: Figure, ours: f64, theirs: f64) -> Difference {
        let change = match (ours == theirs, ours > theirs, figure.better()) {
            (true, ..) => Change::Same,
            (_, true, Better::Higher) | (_, false, Better::Lower) => Change::Better,
            _ => Change::Worse,
        };
        Difference { figure, ours, theirs, change }
    }

    /// Ours less theirs, in the figure's unit.
    pub fn absolute(&self) -> f64 {
        self.ours - self.theirs
    }

    /// `None` where the reference is zero: nothing is a share of that.
    pub fn percent(&self) -> Option<f64> {
        percent(self.ours, self.theirs)
    }

    /// `+5.85 %`, or the absolute change where no percentage can be given.
    pub fn render(&self) -> String {
        match self.percent() {
            Some(percent) => format!("{} %", signed(percent)),
            None => {
                let sign = if self.absolute() < 0.0 { '-' } else { '+' };
                format!("{sign}{} {}", self.figure.render(self.absolute().abs()), self.figure.shown_unit())
            }
        }
    }
}

/// Two decimals and always a sign; what rounds to zero has none.
pub fn signed(percent: f64) -> String {
    let text = format!("{percent:+.2}");
    if text.trim_start_matches(['+', '-', '0', '.']).is_empty() { "0.00".to_owned() } else { text }
}

fn percent(ours: f64, theirs: f64) -> Option<f64> {
    let percent = (ours - theirs) / theirs * 100.0;
    (theirs > 0.0 && percent.is_finite()).then_some(percent)
}

impl Pair {
    pub fn difference(&self, figure: Figure) -> Option<&Difference> {
        self.differences.iter().find(|difference| difference.figure == figure)
    }
}

impl Comparison {
    /// Every point has its pair.
    pub fn is_whole(&self) -> bool {
        self.ambiguous.is_empty() && self.only_ours.is_empty() && self.only_theirs.is_empty()
    }

    pub fn pair_of(&self, ours: usize) -> Option<&Pair> {
        let at = self.pairs.binary_search_by_key(&ours, |pair| pair.ours).ok()?;
        self.pairs.get(at)
    }

    pub fn standing(&self, ours: usize) -> Standing<'_> {
        match self.pair_of(ours) {
            Some(pair) => Standing::Paired(pair),
            None if self.only_ours.binary_search(&ours).is_ok() => Standing::OnlyOurs,
            None if self.ambiguous.iter().any(|unclear| unclear.ours.contains(&ours)) => Standing::Ambiguous,
            None => Standing::Otherwise,
        }
    }

    /// `3 points compared, 1 only here, 2 only in the reference, 1 ambiguous`.
    pub fn summary(&self) -> String {
        let mut out = format!("{} compared", counted(self.pairs.len(), "point"));
        let ambiguous = self.ambiguous.len();
        for (count, what) in
            [(self.only_ours.len(), "only here"), (self.only_theirs.len(), "only in the reference"), (ambiguous, "ambiguous")]
        {
            if count > 0 {
                out.push_str(&format!(", {count} {what}"));
            }
        }
        out
    }

    /// What is known of the noise, in a sentence.
    pub fn noise_sentence(&self) -> String {
        let Some(worst) = self.noise.iter().find(|noise| noise.figure == Figure::Total).or(self.noise.first()) else {
            return "Each point was measured once on each side (n = 1), so a small difference may be noise.".to_owned();
        };
        let Noise { figure, percent, rows } = worst;
        format!("Where a point was measured again (n = {rows}), its {} differs by up to {percent:.2} %.", figure.name())
    }
}

/// What makes two rows one point. Image and fingerprint are what a change changes, so they do not count.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Identity<'a> {
    axes: Cow<'a, Axes>,
    scenario: &'a Scenario,
}

impl<'a> Identity<'a> {
    fn of(row: &'a ResultRow, blind: Option<Dimension>) -> Identity<'a> {
        let mut axes = Cow::Borrowed(&row.axes);
        if let Some(dimension) = blind {
            dimension.forget(axes.to_mut());
        }
        Identity { axes, scenario: &row.scenario }
    }
}

type Placed<'a> = (usize, &'a ResultRow);

/// Compares the points of two lists.
pub fn compare(ours: &[ResultRow], theirs: &[ResultRow]) -> Comparison {
    pair_up(ours.iter().enumerate().collect(), theirs.iter().enumerate().collect(), None)
}

/// Compares the points of one list with those of them that the arm names: both places are of the same list.
pub fn compare_arms(rows: &[ResultRow], arm: &Arm) -> Comparison {
    let (theirs, ours) = rows.iter().enumerate().partition(|(_, row)| arm.holds(row));
    pair_up(ours, theirs, Some(arm.dimension))
}

fn pair_up(ours: Vec<Placed<'_>>, theirs: Vec<Placed<'_>>, blind: Option<Dimension>) -> Comparison {
    let mut out = Comparison::default();
    let (ours, theirs) = (distinct(ours, &mut out.duplicates), distinct(theirs, &mut out.duplicates));
    out.noise = noise(&[&ours, &theirs]);
    let mut reference: HashMap<Identity<'_>, Vec<Placed<'_>>> = HashMap::new();
    for placed in &theirs {
        reference.entry(Identity::of(placed.1, blind)).or_default().push(*placed);
    }
    let mut met: HashSet<usize> = HashSet::new();
    for group in groups(&ours) {
        let Some((_, first)) = group.first() else { continue };
        let others = reference.get(&Identity::of(first, blind)).map(Vec::as_slice).unwrap_or_default();
        out.match_group(&group, others, blind.is_none(), &mut met);
    }
    out.only_theirs = theirs.iter().map(|(place, _)| *place).filter(|place| !met.contains(place)).collect();
    out.only_ours.sort_unstable();
    out.pairs.sort_by_key(|pair| pair.ours);
    out
}

/// Rows that say the same are one measurement, told twice. The run it was read from is not part of it.
fn distinct<'a>(rows: Vec<Placed<'a>>, duplicates: &mut usize) -> Vec<Placed<'a>> {
    let mut kept: Vec<Placed<'a>> = Vec::new();
    let mut seen: HashMap<Identity<'_>, Vec<&ResultRow>> = HashMap::new();
    for (place, row) in rows {
        let had = seen.entry(Identity::of(row, None)).or_default();
        if had.iter().any(|had| is_same(had, row)) {
            *duplicates += 1;
        } else {
            had.push(row);
            kept.push((place, row));
        }
    }
    kept
}

fn is_same(a: &ResultRow, b: &ResultRow) -> bool {
    (a.throughput, &a.readings, &a.power, &a.outcome) == (b.throughput, &b.readings, &b.power, &b.outcome)
        && (&a.model, &a.image, &a.fingerprint, &a.flaws) == (&b.model, &b.image, &b.fingerprint, &b.flaws)
}

/// Rows of one point, in the order of the first of each.
fn groups<'a>(rows: &[Placed<'a>]) -> Vec<Vec<Placed<'a>>> {
    let mut places: HashMap<Identity<'_>, usize> = HashMap::new();
    let mut out: Vec<Vec<Placed<'a>>> = Vec::new();
    for placed in rows {
        let at = *places.entry(Identity::of(placed.1, None)).or_insert(out.len());
        match out.get_mut(at) {
            Some(group) => group.push(*placed),
            None => out.push(vec![*placed]),
        }
    }
    out
}

impl Comparison {
    /// `by_recipe`: fingerprints may tell several rows of a point apart; those of two arms never match.
    fn match_group(&mut self, ours: &[Placed<'_>], theirs: &[Placed<'_>], by_recipe: bool, met: &mut HashSet<usize>) {
        met.extend(theirs.iter().map(|(place, _)| *place));
        if let ([our], [their]) = (ours, theirs) {
            return self.pairs.push(pair(*our, *their));
        }
        // Several recipes may measure one point: the same recipe on both sides is the same point.
        let (mut our_rest, mut their_rest) = (Vec::new(), theirs.to_vec());
        for our in ours {
            let known = by_recipe && our.1.fingerprint.is_some();
            let same = |other: &&Placed<'_>| known && other.1.fingerprint == our.1.fingerprint;
            match (only(ours.iter().filter(same)), only(theirs.iter().filter(same))) {
                (Some(_), Some(their)) => {
                    their_rest.retain(|(place, _)| *place != their.0);
                    self.pairs.push(pair(*our, *their));
                }
                _ => our_rest.push(our.0),
            }
        }
        let their_rest: Vec<usize> = their_rest.into_iter().map(|(place, _)| place).collect();
        match (our_rest.is_empty(), their_rest.is_empty()) {
            (true, true) => {}
            (false, true) => self.only_ours.extend(our_rest),
            // Not met after all: they are listed with the reference's own.
            (true, false) => their_rest.iter().for_each(|place| {
                met.remove(place);
            }),
            (false, false) => self.ambiguous.push(Ambiguous { ours: our_rest, theirs: their_rest }),
        }
    }
}

fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}

fn pair((ours, our): Placed<'_>, (theirs, their): Placed<'_>) -> Pair {
    let (mut differences, mut one_sided) = (Vec::new(), Vec::new());
    for figure in Figure::all() {
        match (figure.of(our), figure.of(their)) {
            (Some(ours), Some(theirs)) => differences.push(Difference::of(figure, ours, theirs)),
            (Some(_), None) => one_sided.push((figure, Side::Ours)),
            (None, Some(_)) => one_sided.push((figure, Side::Theirs)),
            (None, None) => {}
        }
    }
    Pair { ours, theirs, differences, one_sided }
}

/// What rows of one point and one recipe on one side differ by.
fn noise(sides: &[&[Placed<'_>]]) -> Vec<Noise> {
    let mut repeated: Vec<Vec<&ResultRow>> = Vec::new();
    for group in sides.iter().flat_map(|side| groups(side)).filter(|group| group.len() > 1) {
        let mut of_recipe: BTreeMap<(&Option<String>, &Option<String>), Vec<&ResultRow>> = BTreeMap::new();
        for (_, row) in group {
            of_recipe.entry((&row.fingerprint, &row.image)).or_default().push(row);
        }
        repeated.extend(of_recipe.into_values().filter(|rows| rows.len() > 1));
    }
    if repeated.is_empty() {
        return Vec::new();
    }
    let of = |figure: Figure| repeated.iter().filter_map(move |rows| spread(figure, rows));
    Figure::all().filter_map(|figure| of(figure).max_by(|a, b| a.percent.total_cmp(&b.percent))).collect()
}

fn spread(figure: Figure, rows: &[&ResultRow]) -> Option<Noise> {
    let values: Vec<f64> = rows.iter().filter_map(|row| figure.of(row)).collect();
    let least = values.iter().copied().min_by(f64::total_cmp)?;
    let most = values.iter().copied().max_by(f64::total_cmp)?;
    let percent = percent(most, least)?;
    (values.len() > 1).then_some(Noise { figure, percent, rows: values.len() })
}

#[cfg(test)]
mod tests;
