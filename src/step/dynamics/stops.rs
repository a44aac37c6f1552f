//! Limits and motors of joints: one row each that may push one way only, or no
//! harder than the motor can.

use super::bodies::Bodies;
use super::joints::{Placed, Row, ends};

/// Overrun limits come back at this rate per step, at most.
const RETURN: f64 = 0.2;

/// A limit or motor during a step.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    row: Row,
    ends: [usize; 2],
    /// The rate of the row that is wanted, at least (or exactly, for a motor).
    wanted: f64,
    /// 1 if the value may not fall below, -1 if it may not rise above, 0 for a motor.
    side: f64,
    most: f64,
    mass: f64,
    impulse: f64,
}

/// The limits within reach and all motors.
pub fn stops(bodies: &Bodies, h: f64) -> Vec<Stop> {
    let mut found = Vec::new();
    for bond in &bodies.assembly.joints {
        if bond.limits.is_none() && bond.motor.is_none() {
            continue;
        }
        let Some(row) = Placed::new(bodies, bond).freedom(bodies, bond) else { continue };
        let ends = ends(bodies, bond);
        let answer = row.answer(bodies, ends);
        if answer <= 0.0 {
            continue;
        }
        let stop = Stop {
            row,
            ends,
            wanted: 0.0,
            side: 0.0,
            most: f64::INFINITY,
            mass: answer.recip(),
            impulse: 0.0,
        };
        // The limit has the last word.
        if let Some(motor) = bond.motor {
            let most = motor.most.map_or(f64::INFINITY, |most| most * h);
            found.push(Stop { wanted: motor.speed, most, ..stop });
        }
        if let Some([least, greatest]) = bond.limits {
            for (side, room) in [(1.0, row.error - least), (-1.0, greatest - row.error)] {
                let wanted = if room > 0.0 { -room / h } else { -RETURN * room / h };
                found.push(Stop { side, wanted, ..stop });
            }
        }
    }
    found
}

impl Stop {
    /// Solves the row; returns how far it was off.
    pub fn solve(&mut self, bodies: &mut Bodies) -> f64 {
        let rate = self.row.rate(bodies, self.ends);
        let before = self.impulse;
        if self.side == 0.0 {
            let wanted = before + self.mass * (self.wanted - rate);
            self.impulse = wanted.clamp(-self.most, self.most);
        } else {
            let push = self.side * before + self.mass * (self.wanted - self.side * rate);
            self.impulse = self.side * push.max(0.0);
        }
        self.row.push(bodies, self.ends, self.impulse - before);
        (self.impulse - before).abs() / self.mass
    }
}
