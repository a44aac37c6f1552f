//! Axes: from values to places on the paper, and ticks at round numbers.

/// One axis of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What is shown, with its unit.
    pub label: String,
    /// How values are spread along it.
    pub scale: Scale,
    /// Values that the axis shows in any case.
    pub include: Vec<f64>,
}

/// How values are spread along an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By powers of ten; only positive values have a place.
    Logarithmic,
    /// Names at 0, 1, 2, ..., each in the middle of a field of width 1.
    Names(Vec<String>),
}

impl Axis {
    /// An axis on which values are spread evenly.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Linear, include: Vec::new() }
    }

    /// An axis of powers of ten.
    pub fn logarithmic(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Logarithmic, include: Vec::new() }
    }

    /// An axis of names.
    pub fn names(label: impl Into<String>, names: Vec<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Names(names), include: Vec::new() }
    }

    /// The axis with this value on it, whatever is drawn.
    pub fn including(mut self, value: f64) -> Axis {
        self.include.push(value);
        self
    }
}

/// An axis laid on the paper.
pub(super) struct Ruler {
    logarithmic: bool,
    /// The values (or their logarithms) at both ends, and where these are.
    range: [f64; 2],
    ends: [f64; 2],
    /// Places and labels.
    pub ticks: Vec<(f64, String)>,
}

impl Ruler {
    pub(super) fn new(axis: &Axis, values: &[f64], ends: [f64; 2]) -> Ruler {
        let logarithmic = axis.scale == Scale::Logarithmic;
        let measure = |value: f64| if logarithmic { value.log10() } else { value };
        let measured = values.iter().chain(&axis.include).map(|&value| measure(value));
        let found: Vec<f64> = measured.filter(|value| value.is_finite()).collect();
        let low = found.iter().copied().fold(f64::INFINITY, f64::min);
        let high = found.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let ([low, high], ticks) = match &axis.scale {
            Scale::Linear => linear_ticks(low, high),
            Scale::Logarithmic => logarithmic_ticks(low, high),
            Scale::Names(names) => name_ticks(names),
        };
        let mut ruler = Ruler { logarithmic, range: [low, high], ends, ticks: Vec::new() };
        ruler.ticks = ticks.into_iter().map(|(at, label)| (ruler.along(at), label)).collect();
        ruler
    }

    /// Where a value is; None if it has no place.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        let measured = if self.logarithmic { value.log10() } else { value };
        measured.is_finite().then(|| self.along(measured))
    }

    fn along(&self, measured: f64) -> f64 {
        let share = (measured - self.range[0]) / (self.range[1] - self.range[0]);
        self.ends[0] + share * (self.ends[1] - self.ends[0])
    }
}

/// The ends of an axis, and its ticks: values (or their logarithms) with labels.
type Ticks = ([f64; 2], Vec<(f64, String)>);

/// About six ticks at multiples of 1, 2 or 5 times a power of ten.
fn linear_ticks(low: f64, high: f64) -> Ticks {
    let [low, high] = widened(low, high);
    let step = round_step((high - low) / 6.0);
    let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
    let count = (last - first) as usize;
    let largest = step * first.abs().max(last.abs());
    let ticks = (0..=count).map(|k| {
        let value = (first + k as f64) * step;
        (value, number(value, step, largest))
    });
    ([first * step, last * step], ticks.collect())
}

/// Something to show where there is nothing, or only one value.
fn widened(low: f64, high: f64) -> [f64; 2] {
    match high - low {
        _ if low > high => [0.0, 1.0],
        // Differences that are lost in the digits of the values count as none.
        range if range <= 1e-12 * low.abs().max(high.abs()) => {
            let room = if low == 0.0 { 1.0 } else { 0.5 * low.abs() };
            [low - room, high + room]
        }
        _ => [low, high],
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `least`.
pub(crate) fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0]
        .into_iter()
        .map(|k| k * power)
        .find(|step| *step >= least * (1.0 - 1e-9))
        .unwrap_or(10.0 * power)
}

/// Ticks at powers of ten; at most about eight of them.
fn logarithmic_ticks(low: f64, high: f64) -> Ticks {
    let (first, last) = match (low.floor(), high.ceil()) {
        (first, last) if first < last => (first, last),
        (first, last) if first == last => (first - 1.0, last + 1.0),
        _ => (0.0, 1.0),
    };
    let every = ((last - first) / 8.0).ceil().max(1.0);
    let count = ((last - first) / every) as usize;
    let exponents = (0..=count).map(|k| first + k as f64 * every);
    ([first, last], exponents.map(|exponent| (exponent, power_of_ten(exponent as i32))).collect())
}

fn name_ticks(names: &[String]) -> Ticks {
    let ticks = names.iter().enumerate().map(|(k, name)| (k as f64, name.clone()));
    ([-0.5, names.len().max(1) as f64 - 0.5], ticks.collect())
}

/// A multiple of `step` on an axis up to `largest`, with as many digits as that needs.
fn number(value: f64, step: f64, largest: f64) -> String {
    let value = if value.abs() < 0.5 * step { 0.0 } else { value };
    // All numbers of an axis have the same power of ten, so that they compare at a glance.
    let exponent = match largest {
        1e-3..1e6 => 0.0,
        _ => largest.log10().floor(),
    };
    let digits = (exponent - step.log10().floor()).max(0.0) as usize;
    let mantissa = sign(format!("{:.digits$}", value / 10_f64.powf(exponent)));
    match exponent as i32 {
        0 => mantissa,
        _ if value == 0.0 => "0".into(),
        exponent => format!("{mantissa}·{}", power_of_ten(exponent)),
    }
}

/// A proper minus sign instead of a hyphen.
fn sign(text: String) -> String {
    text.replace('-', "−")
}

fn power_of_ten(exponent: i32) -> String {
    match exponent {
        0 => "1".into(),
        1 => "10".into(),
        _ => {
            let raised = |digit: char| match digit {
                '-' => '⁻',
                '1' => '¹',
                '2' => '²',
                '3' => '³',
                _ => char::from_u32('⁰' as u32 + digit.to_digit(10).unwrap_or(0)).unwrap_or('⁰'),
            };
            format!("10{}", exponent.to_string().chars().map(raised).collect::<String>())
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels((_, ticks): Ticks) -> Vec<String> {
        ticks.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(labels(linear_ticks(0.0, 10.0)), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(
            labels(linear_ticks(-0.13, 0.31)),
            ["−0.2", "−0.1", "0.0", "0.1", "0.2", "0.3", "0.4"]
        );
        assert_eq!(
            labels(linear_ticks(0.0, 2.4e6)),
            ["0", "0.5·10⁶", "1.0·10⁶", "1.5·10⁶", "2.0·10⁶", "2.5·10⁶"]
        );
        assert_eq!(labels(linear_ticks(0.0, 3e-7))[..2], ["0", "0.5·10⁻⁷"]);
        assert_eq!(labels(linear_ticks(25_000.0, 25_900.0))[..2], ["25000", "25200"]);
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten() {
        assert_eq!(labels(logarithmic_ticks(-1.5, 1.2)), ["10⁻²", "10⁻¹", "1", "10", "10²"]);
        assert_eq!(labels(logarithmic_ticks(-12.0, 3.0)).len(), 8);
        assert_eq!(labels(logarithmic_ticks(2.0, 2.0)), ["10", "10²", "10³"]);
        assert_eq!(power_of_ten(-10), "10⁻¹⁰");
    }

    #[test]
    fn nothing_and_one_value_have_an_axis() {
        let nothing = (f64::INFINITY, f64::NEG_INFINITY);
        assert_eq!(linear_ticks(nothing.0, nothing.1).0, [0.0, 1.0]);
        assert_eq!(logarithmic_ticks(nothing.0, nothing.1).0, [0.0, 1.0]);
        assert_eq!(linear_ticks(0.0, 0.0).0, [-1.0, 1.0]);
        assert_eq!(linear_ticks(8.0, 8.0).0, [4.0, 12.0]);
        assert_eq!(name_ticks(&[]).0, [-0.5, 0.5]);
    }

    #[test]
    fn values_have_places_unless_they_cannot() {
        let ruler = Ruler::new(&Axis::logarithmic(""), &[1.0, 100.0, -3.0, 0.0], [0.0, 50.0]);
        assert_eq!(
            (ruler.place(10.0), ruler.place(0.0), ruler.place(-1.0)),
            (Some(25.0), None, None)
        );
        let ruler = Ruler::new(&Axis::linear("").including(0.0), &[4.0], [100.0, 0.0]);
        assert_eq!(
            (ruler.place(0.0), ruler.place(4.0), ruler.place(f64::NAN)),
            (Some(100.0), Some(0.0), None)
        );
        let ruler = Ruler::new(&Axis::names("", vec!["a".into(), "b".into()]), &[], [0.0, 2.0]);
        assert_eq!(ruler.ticks, [(0.5, "a".to_string()), (1.5, "b".to_string())]);
    }

    proptest! {
        #[test]
        fn ticks_cover_the_values_and_are_few(low in -1e9..1e9, exponent in -6.0..9.0) {
            let high = low + 10_f64.powf(exponent);
            let ([first, last], ticks) = linear_ticks(low, high);
            let slack = 1e-6 * (high - low);
            prop_assert!(first <= low + slack && last >= high - slack, "{first} {last}");
            prop_assert!((3..=10).contains(&ticks.len()), "{ticks:?}");
            let apart = ticks.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1);
            prop_assert!(apart, "{ticks:?}");
        }
    }
}
