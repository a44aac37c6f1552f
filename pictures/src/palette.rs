//! What the colours of bodies can say. The palette is the library's; here its
//! colours become light.

use std::str::FromStr;

use glam::Vec3;
use riprap::export::palette::{Rgb, along};
use riprap::{Problem, Result};

use crate::picture::from_screen;

/// What the colours of the bodies say. Fixed bodies are always grey.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colours {
    /// The group; the default if several groups move.
    Group,
    /// Nothing: each body has one of the palette's colours by chance; the default for a single group.
    Body,
    /// The size.
    Radius,
    /// How fast the body moves; only where time passes.
    Speed,
    /// The sum of the contact forces: of the frame where time passes, else at the end of the run.
    Force,
    /// The way from the run's first frame.
    Displacement,
}

impl Colours {
    /// All of them.
    pub const ALL: [Colours; 6] = [
        Colours::Group,
        Colours::Body,
        Colours::Radius,
        Colours::Speed,
        Colours::Force,
        Colours::Displacement,
    ];

    /// As the command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            Colours::Group => "group",
            Colours::Body => "body",
            Colours::Radius => "radius",
            Colours::Speed => "speed",
            Colours::Force => "force",
            Colours::Displacement => "displacement",
        }
    }
}

impl FromStr for Colours {
    type Err = Problem;

    fn from_str(name: &str) -> Result<Colours> {
        Colours::ALL.into_iter().find(|colours| colours.name() == name).ok_or_else(|| {
            Problem::new(format!("`{name}` is nothing that colours can say"))
                .help(format!("one of {}", Colours::ALL.map(Colours::name).join(", ")))
        })
    }
}

/// A range of values and the colours that they have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    stops: [Rgb; 5],
    low: f64,
    high: f64,
}

impl Scale {
    /// From the smallest to the largest finite value.
    pub fn over(stops: [Rgb; 5], values: impl IntoIterator<Item = f64>) -> Scale {
        let finite = values.into_iter().filter(|v| v.is_finite());
        let (low, high) =
            finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        Scale { stops, low, high }
    }

    /// From nothing to the largest finite value.
    pub fn from_zero(stops: [Rgb; 5], values: impl IntoIterator<Item = f64>) -> Scale {
        Scale::over(stops, values.into_iter().chain([0.0]))
    }

    /// The colour of a value; that of the middle if all values are the same.
    pub fn at(&self, value: f64) -> Vec3 {
        let share =
            if self.high > self.low { (value - self.low) / (self.high - self.low) } else { 0.5 };
        from_screen(along(&self.stops, share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use riprap::export::palette::SCALE;

    #[test]
    fn values_spread_over_the_scale_and_nothing_breaks_it() {
        let scale = Scale::over(SCALE, [2.0, f64::NAN, 4.0, f64::INFINITY]);
        let stop = |k: usize| from_screen(SCALE[k]);
        assert_eq!([2.0, 3.0, 4.0].map(|v| scale.at(v)), [stop(0), stop(2), stop(4)]);
        assert_eq!([f64::NAN, -1.0, 9.0].map(|v| scale.at(v)), [stop(0), stop(0), stop(4)]);
        assert_eq!(Scale::over(SCALE, [7.0, 7.0]).at(7.0), stop(2));
        assert_eq!(Scale::over(SCALE, []).at(1.0), stop(2));
        assert_eq!(Scale::from_zero(SCALE, [4.0]).at(2.0), stop(2));
    }

    #[test]
    fn every_name_is_understood() {
        for colours in Colours::ALL {
            assert_eq!(colours.name().parse(), Ok(colours));
        }
        let problem = "mood".parse::<Colours>().unwrap_err();
        assert!(problem.to_string().contains("one of group, body, radius"), "{problem}");
    }
}
