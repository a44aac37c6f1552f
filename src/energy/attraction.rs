//! A pull that is the same at any distance [M96 5.1]: the energy is `f d`.
//!
//! As a function of the vector D, `f |D| <= f (L + |D|^2 / L) / 2` with
//! equality at the present length L.

use super::law::{Bound, OfDistance};

pub(super) struct Attraction {
    pub strength: f64,
}

impl OfDistance for Attraction {
    fn value(&self, d: f64) -> f64 {
        self.strength * d
    }

    fn slope(&self, _: f64) -> f64 {
        self.strength
    }

    fn curvature(&self, _: f64) -> f64 {
        0.0
    }

    fn rise(&self, _: f64, _: f64, change: f64) -> f64 {
        self.strength * change
    }

    fn bound(&self, d: f64, _: f64) -> Bound {
        Bound { all_round: self.strength / d, along: 0.0 }
    }
}
