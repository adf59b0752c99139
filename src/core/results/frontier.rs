//! Which points of a curve are worth having: the Pareto frontier of latency and throughput.
//! Must not know: rows, rules, how many points are enough.

use std::cmp::Ordering;

/// The points of a frontier, by their place in what was given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frontier {
    /// By rising x.
    pub kept: Vec<usize>,
    /// Points that cannot be drawn: a coordinate is missing, not finite or not above zero.
    pub invalid: Vec<usize>,
}

/// The frontier of points whose x is better when lower and whose y is better when higher.
///
/// A plateau counts: a later point of the same height is kept. A point that repeats another is not.
pub fn frontier(points: impl IntoIterator<Item = (Option<f64>, Option<f64>)>) -> Frontier {
    let drawable = |value: &f64| value.is_finite() && *value > 0.0;
    let mut out = Frontier::default();
    let mut valid = Vec::new();
    for (place, (x, y)) in points.into_iter().enumerate() {
        match (x.filter(drawable), y.filter(drawable)) {
            (Some(x), Some(y)) => valid.push((x, y, place)),
            _ => out.invalid.push(place),
        }
    }
    valid.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let (mut last, mut best) = (0.0, 0.0);
    for (x, y, place) in valid {
        let keep = match y.total_cmp(&best) {
            Ordering::Greater => true,
            Ordering::Equal => x > last,
            Ordering::Less => false,
        };
        if keep {
            (last, best) = (x, y);
            out.kept.push(place);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Point = (Option<f64>, Option<f64>);

    fn points(list: &[(f64, f64)]) -> Vec<Point> {
        list.iter().map(|&(x, y)| (Some(x), Some(y))).collect()
    }

    fn kept(points: &[Point]) -> Vec<Point> {
        frontier(points.iter().copied()).kept.into_iter().map(|place| points[place]).collect()
    }

    #[test]
    fn the_worked_example() {
        let mut list = vec![
            (4.0, 900.0),
            (5.0, 1500.0),
            (5.0, 1400.0),
            (6.5, 1500.0),
            (6.5, 1500.0),
            (8.0, 1450.0),
            (9.0, 2100.0),
            (14.0, 2600.0),
            (30.0, 2550.0),
        ];
        let five = [(4.0, 900.0), (5.0, 1500.0), (6.5, 1500.0), (9.0, 2100.0), (14.0, 2600.0)];
        assert_eq!(kept(&points(&list)), points(&five));
        list.remove(7);
        assert_eq!(kept(&points(&list)), points(&[&five[..4], &[(30.0, 2550.0)]].concat()));
        list.remove(7);
        assert_eq!(kept(&points(&list)), points(&five[..4]));
    }

    #[test]
    fn what_cannot_be_drawn_is_counted_and_never_kept() {
        let odd = [
            (None, Some(1.0)),
            (Some(1.0), None),
            (Some(0.0), Some(1.0)),
            (Some(-1.0), Some(9.0)),
            (Some(f64::NAN), Some(1.0)),
            (Some(1.0), Some(f64::INFINITY)),
            (Some(2.0), Some(3.0)),
        ];
        assert_eq!(frontier(odd), Frontier { kept: vec![6], invalid: vec![0, 1, 2, 3, 4, 5] });
        assert_eq!(frontier([]), Frontier::default());
    }

    fn coordinate() -> impl Strategy<Value = Option<f64>> {
        // Few values, so that plateaus and duplicates are common.
        prop_oneof![8 => (1u8..6).prop_map(|n| Some(f64::from(n))), 1 => Just(Some(f64::NAN)), 1 => Just(None), 1 => Just(Some(0.0))]
    }

    proptest! {
        #[test]
        fn nothing_beats_a_kept_point(mut list in prop::collection::vec((coordinate(), coordinate()), 0..24), seed in any::<u64>()) {
            let found = frontier(list.iter().copied());
            let drawn = |&(x, y): &Point| x.zip(y).filter(|(x, y)| *x > 0.0 && *y > 0.0);
            let valid: Vec<(f64, f64)> = list.iter().filter_map(drawn).collect();
            prop_assert_eq!(found.invalid.len() + valid.len(), list.len());
            let before = kept(&list);
            for (x, y) in before.iter().filter_map(drawn) {
                prop_assert!(!valid.iter().any(|&(a, b)| a <= x && b > y));
            }
            // Whatever is not kept is beaten, or repeats a kept point.
            for (x, y) in valid {
                let stands = before.contains(&(Some(x), Some(y)));
                prop_assert!(stands || before.iter().filter_map(drawn).any(|(a, b)| a <= x && b > y));
            }
            // The order of the rows says nothing.
            let mut shift = seed;
            for place in (1..list.len()).rev() {
                shift = shift.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                list.swap(place, (shift >> 33) as usize % (place + 1));
            }
            prop_assert_eq!(kept(&list), before);
        }
    }
}
