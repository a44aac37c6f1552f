//! A pull that falls with the square of the distance: the energy is `-f / d`.
//!
//! It lies below its tangent at the present length L, whose slope is `f / L^2`;
//! the distance in that tangent is bounded as for a constant pull.

use super::law::{Bound, OfDistance};

pub(super) struct InverseSquare {
    pub strength: f64,
}

impl OfDistance for InverseSquare {
    fn value(&self, d: f64) -> f64 {
        -self.strength / d
    }

    fn slope(&self, d: f64) -> f64 {
        self.strength / (d * d)
    }

    fn curvature(&self, d: f64) -> f64 {
        -2.0 * self.strength / (d * d * d)
    }

    fn rise(&self, from: f64, to: f64, change: f64) -> f64 {
        self.strength * (change / from) / to
    }

    fn bound(&self, d: f64, _: f64) -> Bound {
        Bound { all_round: self.strength / (d * d * d), along: 0.0 }
    }
}
