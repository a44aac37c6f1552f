//! A push that falls with the square of the distance: the energy is `f / d`.
//!
//! It falls with the distance, and the distance is at least its part s along
//! the present direction, so `f / s` is a bound. That one is convex; a parabola
//! that touches it at the present length, with the curvature that it has at the
//! least s, is nowhere below it.

use super::law::{Bound, OfDistance};

pub(super) struct Repulsion {
    pub strength: f64,
}

impl OfDistance for Repulsion {
    fn value(&self, d: f64) -> f64 {
        self.strength / d
    }

    fn slope(&self, d: f64) -> f64 {
        -self.strength / (d * d)
    }

    fn curvature(&self, d: f64) -> f64 {
        2.0 * self.strength / (d * d * d)
    }

    fn rise(&self, from: f64, to: f64, change: f64) -> f64 {
        -self.strength * (change / from) / to
    }

    fn bound(&self, d: f64, least: f64) -> Bound {
        Bound { all_round: 0.0, along: self.curvature(least.min(d)) }
    }
}
