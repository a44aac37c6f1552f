//! What all energies of distances have in common.

use super::{attraction, inverse_square, repulsion, short_range, spring};
use crate::scene::Law;

/// An energy of one distance `d > 0`.
pub(super) trait OfDistance {
    fn value(&self, d: f64) -> f64;

    /// Its derivative: positive for a pull.
    fn slope(&self, d: f64) -> f64;

    /// Its second derivative.
    fn curvature(&self, d: f64) -> f64;

    /// `value(to) - value(from)`, exact where the difference of two large
    /// values would drown in rounding; `change` is `to - from`.
    fn rise(&self, from: f64, to: f64, change: f64) -> f64;

    /// The curvature of a quadratic function of the vector between both ends
    /// that touches the energy at distance `d` and is nowhere below it, as long
    /// as the distance, measured along the present direction, is at least `least`.
    fn bound(&self, d: f64, least: f64) -> Bound;
}

/// The curvature of a bound: the same in all directions, and more along the line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bound {
    /// In every direction, as energy per length squared.
    pub all_round: f64,
    /// Along the line, on top of that.
    pub along: f64,
}

/// The energy of a law.
pub(super) fn of(law: &Law) -> Box<dyn OfDistance> {
    match *law {
        Law::Attraction { strength } => Box::new(attraction::Attraction { strength }),
        Law::InverseSquare { strength } => Box::new(inverse_square::InverseSquare { strength }),
        Law::Spring { strength, rest_length } => Box::new(spring::Spring { strength, rest_length }),
        Law::ShortRange { strength, cut_off } => {
            Box::new(short_range::ShortRange { strength, cut_off })
        }
        Law::Repulsion { strength } => Box::new(repulsion::Repulsion { strength }),
    }
}
