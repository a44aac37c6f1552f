//! Limits and motors of joints: one row each that may push one way only, or no
//! harder than the motor can.

use super::bodies::Bodies;
use super::joints::{Placed, Row, ends};
use super::trace::Impulse;

/// Overrun limits come back at this rate per step, at most.
const RETURN: f64 = 0.2;

/// A limit or motor during a substep.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The number of its joint.
    pub joint: usize,
    row: Row,
    ends: [usize; 2],
    pub role: Role,
    /// The effective mass of the row.
    mass: f64,
    impulse: f64,
}

/// Which impulses it may give.
#[derive(Clone, Copy, Debug)]
pub enum Role {
    /// The rate of the value, times a sign, is at least this.
    Limit { sign: f64, least_rate: f64 },
    /// The rate is this, if an impulse of at most that size can make it so.
    Motor { rate: f64, most: f64 },
}

/// All limits and motors where the bodies are now.
pub fn limits(bodies: &Bodies, h: f64) -> Vec<Limit> {
    let mut found = Vec::new();
    for (number, joint) in bodies.prepared.joints.iter().enumerate() {
        if joint.limits.is_none() && joint.motor.is_none() {
            continue;
        }
        let Some(row) = Placed::new(bodies, joint).freedom(bodies, joint) else { continue };
        let ends = ends(bodies, joint);
        let inverse_mass = row.inverse_effective_mass(bodies, ends);
        if inverse_mass <= 0.0 {
            continue;
        }
        let mass = inverse_mass.recip();
        let mut push = |role: Role| {
            found.push(Limit { joint: number, row, ends, role, mass, impulse: 0.0 });
        };
        // The limit has the last word.
        if let Some(motor) = joint.motor {
            let most = motor.most.map_or(f64::INFINITY, |most| most * h);
            push(Role::Motor { rate: motor.speed, most });
        }
        if let Some([least, greatest]) = joint.limits {
            for (sign, room) in [(1.0, row.error - least), (-1.0, greatest - row.error)] {
                let least_rate = if room > 0.0 { -room / h } else { -RETURN * room / h };
                push(Role::Limit { sign, least_rate });
            }
        }
    }
    found
}

impl Limit {
    /// Solves the row; returns how far it was off.
    pub fn solve(&mut self, bodies: &mut Bodies) -> f64 {
        let rate = self.row.rate(bodies, self.ends);
        let before = self.impulse;
        self.impulse = match self.role {
            Role::Motor { rate: wanted, most } => {
                (before + self.mass * (wanted - rate)).clamp(-most, most)
            }
            Role::Limit { sign, least_rate } => {
                let push = sign * before + self.mass * (least_rate - sign * rate);
                sign * push.max(0.0)
            }
        };
        self.row.push(bodies, self.ends, self.impulse - before);
        (self.impulse - before).abs() / self.mass
    }

    /// What it did in this substep.
    pub fn impulse(&self) -> Impulse {
        let moments = self.row.angular.map(|moment| moment * self.impulse);
        Impulse { force: self.row.linear * self.impulse, moments }
    }
}
