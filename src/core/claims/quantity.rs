//! A number as a text gives it: how exact it is, and whether another number rounds to it.
//! Must not know: what is measured.

/// A stated number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity {
    pub value: f64,
    /// The worth of its last digit: 0.01 of `5.85`, 100 of `13.3k`.
    pub step: f64,
    /// A sign was written: without one a change has no direction.
    pub signed: bool,
    /// Called about, over, up to, …: a bound or a guess, which no number contradicts.
    pub loose: bool,
    /// The text gives it as what was before.
    pub earlier: bool,
    /// Its unit or meaning was guessed from what stands beside it.
    pub inferred: bool,
}

impl Quantity {
    /// Reads `7,534.5` and its scale (`k`, `m`); `None` for what is no number.
    pub(super) fn parse(number: &str, scale: Option<&str>) -> Option<Quantity> {
        let digits: String = number.chars().filter(|c| *c != ',').collect();
        let value: f64 = digits.parse().ok().filter(|value: &f64| value.is_finite())?;
        let factor = match scale.map(str::to_ascii_lowercase).as_deref() {
            Some("k") => 1e3,
            Some("m") => 1e6,
            _ => 1.0,
        };
        let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let step = factor * 0.1f64.powi(i32::try_from(decimals).ok()?);
        let out = Quantity { value: value * factor, step, signed: false, loose: false, earlier: false, inferred: false };
        Some(out)
    }

    pub(super) fn scaled(self, factor: f64) -> Quantity {
        Quantity { value: self.value * factor, step: self.step * factor, ..self }
    }

    /// Whether the text may mean `ours`: rounded to as many digits, either way, since authors also cut digits off and
    /// compute from rounded numbers.
    pub fn fits(self, ours: f64) -> bool {
        // The slack is for binary fractions: 0.3 is not 3 × 0.1.
        (self.value - ours).abs() < self.step * (1.0 - 1e-9) || (self.value - ours).abs() <= self.step / 2.0
    }

    /// How many digits tell something.
    pub(super) fn digits(self) -> u32 {
        let steps = (self.value.abs() / self.step).round();
        if steps >= 1.0 { steps.log10().floor() as u32 + 1 } else { 0 }
    }

    /// `ours` with as many digits as the text has.
    pub(super) fn render(self, ours: f64) -> String {
        let decimals = (-self.step.log10()).round().clamp(0.0, 9.0) as usize;
        format!("{ours:.decimals$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn quantity(number: &str, scale: Option<&str>) -> Quantity {
        Quantity::parse(number, scale).unwrap()
    }

    #[test]
    fn as_many_digits_as_the_text_has() {
        let table = [
            ("5.85", None, 5.8499, true),
            ("9.06", None, 9.066, true),
            ("9.06", None, 9.0712, false),
            ("7,534.5", None, 7534.52, true),
            ("7,534.5", None, 7534.7, false),
            ("13.3", Some("k"), 13290.8, true),
            ("13.3", Some("k"), 13410.0, false),
            ("80", None, 80.41, true),
            ("80", None, 81.2, false),
            ("0", None, 0.4, true),
        ];
        for (number, scale, ours, fits) in table {
            assert_eq!(quantity(number, scale).fits(ours), fits, "{number} {ours}");
        }
        assert_eq!(
            (quantity("7534.5", None).digits(), quantity("0.97", None).digits(), quantity("0", None).digits()),
            (5, 2, 0)
        );
        assert_eq!(quantity("7.50", None).render(7.4999), "7.50");
        assert_eq!(quantity("13.3", Some("k")).render(13290.8), "13291");
    }

    proptest! {
        #[test]
        fn every_number_fits_its_own_rounding(value in 0.0f64..1e6, decimals in 0usize..6) {
            let rounded = quantity(&format!("{value:.decimals$}"), None);
            prop_assert!(rounded.fits(value));
            prop_assert!(!rounded.fits(value + 2.1 * rounded.step));
        }
    }
}
