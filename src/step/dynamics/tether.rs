//! What holds a distance: bars, which always do, and ropes (and bars with room),
//! which do so at their bounds only. Of these, those are held that would leave
//! their bounds otherwise, and released when they would have to push the wrong
//! way: an active set, found anew in every substep.

use super::bodies::Bodies;
use super::joints::{Placed, Row};
use crate::math::BAR;

/// Bounds are passed if they are by more than this part: rounding.
const ROUNDING: f64 = 1e-12;

/// A distance between two points during a step.
#[derive(Clone, Copy, Debug)]
pub struct Tether {
    least: f64,
    most: f64,
    state: Hold,
    /// The distance that is held.
    length: f64,
    /// Its error is the distance itself.
    pub row: Row,
    h: f64,
}

/// Whether a distance is held.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hold {
    Always,
    /// It can only pull.
    AtMost,
    /// It can only push.
    AtLeast,
    No,
}

impl Tether {
    pub fn new([least, most]: [f64; 2]) -> Tether {
        let state = if most - least <= BAR * most { Hold::Always } else { Hold::No };
        Tether { least, most, state, length: most, row: Row::default(), h: 1.0 }
    }

    /// Whether it can be slack.
    pub fn has_room(&self) -> bool {
        self.state != Hold::Always
    }

    pub fn is_slack(&self) -> bool {
        self.state == Hold::No
    }

    /// A new step.
    pub fn start(&mut self, placed: &Placed) {
        if self.state == Hold::Always {
            self.length = placed.apart().length().max(self.least).min(self.most);
        }
    }

    /// A new substep.
    pub fn refresh(&mut self, bodies: &Bodies, ends: [usize; 2], placed: &Placed, h: f64) {
        self.row = placed.length(0.0);
        self.h = h;
        if self.state != Hold::Always {
            self.state = Hold::No;
            self.tighten(self.row.rate(bodies, ends));
        }
    }

    /// Holds the distance if this rate would take it out of its bounds; whether it did. What is out of
    /// them and on its way back would have to push to be held: joints are closed after the motion.
    pub fn tighten(&mut self, rate: f64) -> bool {
        let is_back = rate * (self.row.error - self.most.min(self.row.error).max(self.least)) < 0.0;
        !is_back && self.tighten_at(self.row.error + self.h * rate)
    }

    /// The same if it would be this.
    pub fn tighten_at(&mut self, next: f64) -> bool {
        let slack = ROUNDING * self.most;
        (self.state, self.length) = match next {
            next if next > self.most + slack => (Hold::AtMost, self.most),
            next if next < self.least - slack => (Hold::AtLeast, self.least),
            _ => return false,
        };
        true
    }

    /// Whether it cannot give this impulse, on the first body away from the second.
    pub fn pulls_wrong_way(&self, impulse: f64) -> bool {
        match self.state {
            Hold::AtMost => impulse > 0.0,
            Hold::AtLeast => impulse < 0.0,
            Hold::Always | Hold::No => false,
        }
    }

    pub fn slacken(&mut self) {
        self.state = Hold::No;
    }

    /// How fast the distance may change: what room is left may be used up.
    pub fn rate(&self) -> f64 {
        let room = self.length - self.row.error;
        match self.state {
            Hold::AtMost => room.max(0.0) / self.h,
            Hold::AtLeast => room.min(0.0) / self.h,
            Hold::Always | Hold::No => 0.0,
        }
    }

    /// How far the distance is off, if it is held.
    pub fn error(&self, placed: &Placed) -> f64 {
        if self.is_slack() { 0.0 } else { placed.apart().length() - self.length }
    }
}
