//! Which colour a body has: its own of the palette, or a place on a scale by
//! its size, its way or its load. The palette is the library's; here its
//! colours become light.

use glam::Vec3;
use riprap::export::palette::{self, Rgb};

use crate::picture::from_screen;

/// What the colours of the bodies say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Colours {
    /// The group, if there are several; else nothing: a cheerful mix.
    #[default]
    Own,
    /// Nothing, even if there are several groups.
    Mix,
    Radius,
    /// The way from the run's first frame.
    Displacement,
    /// The sum of the contact forces at the end of the run.
    Force,
}

/// The colour of the body with this number in the mix.
pub fn mixed(number: u32) -> Vec3 {
    from_screen(palette::mixed(number as usize))
}

/// Deep blue through green to yellow, ever lighter, for `t` from 0 to 1.
pub fn ramp(t: f64) -> Vec3 {
    from_screen(palette::along(&palette::SCALE, t))
}

/// The colours of a list of values on a scale, from the smallest to the largest finite one.
pub fn ramped(stops: &[Rgb; 5], values: &[f64]) -> Vec<Vec3> {
    let finite = values.iter().filter(|v| v.is_finite());
    let (low, high) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
    let place = |v: f64| if high > low { (v - low) / (high - low) } else { 0.5 };
    values.iter().map(|&v| from_screen(palette::along(stops, place(v)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use riprap::export::palette::SCALE;

    #[test]
    fn values_spread_over_the_ramp_and_nothing_breaks_it() {
        let colours = ramped(&SCALE, &[2.0, 4.0, 3.0]);
        assert_eq!(colours, [ramp(0.0), ramp(1.0), ramp(0.5)]);
        assert_eq!(ramped(&SCALE, &[7.0, 7.0]), [ramp(0.5), ramp(0.5)]);
        assert_eq!(ramped(&SCALE, &[f64::NAN, 0.0, 1.0])[0], ramp(0.0));
        assert!(ramped(&SCALE, &[]).is_empty());
    }
}
