//! A spring [M96 5.2]: the energy is `f (d - l)^2`, with `l = 0` in the paper.
//!
//! `f |D|^2 - 2 f l |D| + f l^2`: the first part is quadratic as it is, the
//! second is never above its tangent.

use super::law::{Bound, OfDistance};

pub(super) struct Spring {
    pub strength: f64,
    pub rest_length: f64,
}

impl OfDistance for Spring {
    fn value(&self, d: f64) -> f64 {
        let stretch = d - self.rest_length;
        self.strength * stretch * stretch
    }

    fn slope(&self, d: f64) -> f64 {
        2.0 * self.strength * (d - self.rest_length)
    }

    fn curvature(&self, _: f64) -> f64 {
        2.0 * self.strength
    }

    fn rise(&self, from: f64, to: f64, change: f64) -> f64 {
        self.strength * change * ((from - self.rest_length) + (to - self.rest_length))
    }

    fn bound(&self, _: f64, _: f64) -> Bound {
        Bound { all_round: 2.0 * self.strength, along: 0.0 }
    }
}
