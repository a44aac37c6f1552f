//! A constant pull up to a cut-off c: the energy is `f min(d, c)`.
//!
//! Inside the cut-off the bound is that of a constant pull, which is above the
//! energy everywhere; outside it is the constant `f c`.

use super::law::{Bound, OfDistance};

pub(super) struct ShortRange {
    pub strength: f64,
    pub cut_off: f64,
}

impl ShortRange {
    fn pulls(&self, d: f64) -> bool {
        d < self.cut_off
    }
}

impl OfDistance for ShortRange {
    fn value(&self, d: f64) -> f64 {
        self.strength * d.min(self.cut_off)
    }

    fn slope(&self, d: f64) -> f64 {
        if self.pulls(d) { self.strength } else { 0.0 }
    }

    fn curvature(&self, _: f64) -> f64 {
        0.0
    }

    fn rise(&self, from: f64, to: f64, change: f64) -> f64 {
        match (self.pulls(from), self.pulls(to)) {
            (true, true) => self.strength * change,
            (false, false) => 0.0,
            _ => self.strength * (to.min(self.cut_off) - from.min(self.cut_off)),
        }
    }

    fn bound(&self, d: f64, _: f64) -> Bound {
        Bound { all_round: self.slope(d) / d, along: 0.0 }
    }
}
