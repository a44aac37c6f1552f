//! Limits and motors of joints: one row each that may push one way only, or no
//! harder than the motor can.

use super::articulation::Articulation;
use super::bodies::Bodies;
use super::joints::{Placed, Row, ends};
use super::trace::Impulse;
use crate::math::DVec3;
use std::f64::consts::TAU;

/// Overrun limits come back at this rate per step, at most.
const RETURN: f64 = 0.2;

/// A motor that joints let do less than this part of what it would do to its bodies alone is stuck.
const STUCK: f64 = 1e-6;

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
    /// The value that its rate leads to by the end of the substep.
    aim: f64,
}

/// Which impulses it may give.
#[derive(Clone, Copy, Debug)]
pub enum Role {
    /// The value, times a sign, stays above another; so its rate is at least this.
    Limit { sign: f64, least: f64, least_rate: f64 },
    /// The rate is this, if an impulse of at most that size can make it so.
    Motor { rate: f64, most: f64 },
}

/// All limits and motors where the bodies are now; the joints are as they are there.
pub fn limits(bodies: &Bodies, joints: &mut Articulation, h: f64) -> Vec<Limit> {
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
        // What they drive or hold hangs on joints; what these hold fast, nothing drives at all.
        let response = joints.response(bodies, ends, &row);
        let is_stuck = response <= STUCK * inverse_mass;
        let inverse_mass = if is_stuck { inverse_mass } else { response };
        let mut push = |role: Role| {
            let (mass, aim) = (inverse_mass.recip(), row.error);
            found.push(Limit { joint: number, row, ends, role, mass, impulse: 0.0, aim });
        };
        let least_rate = |sign: f64, least: f64| {
            let room = sign * row.error - least;
            if room > 0.0 { -room / h } else { -RETURN * room / h }
        };
        // The limit has the last word; the motor does not fight it.
        if let Some(motor) = joint.motor {
            let most = motor.most.map_or(f64::INFINITY, |most| most * h);
            let rate = joint.limits.map_or(motor.speed, |[least, greatest]| {
                let [low, high] = [least_rate(1.0, least), -least_rate(-1.0, -greatest)];
                motor.speed.max(low).min(high)
            });
            push(Role::Motor { rate, most });
        }
        if let Some([least, greatest]) = joint.limits {
            for (sign, least) in [(1.0, least), (-1.0, -greatest)] {
                push(Role::Limit { sign, least, least_rate: least_rate(sign, least) });
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
            Role::Limit { sign, least_rate, .. } => {
                let push = sign * before + self.mass * (least_rate - sign * rate);
                sign * push.max(0.0)
            }
        };
        self.row.push(bodies, self.ends, self.impulse - before);
        (self.impulse - before).abs() / self.mass
    }

    /// Whether it is as strong as need be.
    pub fn is_sure(&self) -> bool {
        !matches!(self.role, Role::Motor { most, .. } if most.is_finite())
    }

    /// Before the bodies move: where a motor of unlimited strength leads, or up to where a limit
    /// lets go.
    pub fn aim(&mut self, bodies: &Bodies, h: f64) {
        self.aim = match self.role {
            Role::Motor { .. } => self.row.error + h * self.row.rate(bodies, self.ends),
            Role::Limit { sign, least, least_rate } => {
                sign * least.min(sign * self.row.error + h * least_rate)
            }
        }
    }

    /// After joints were closed, which moved it off its aim: displacements along the row of before the
    /// move lead it there, as the joints have theirs; how far it was off.
    pub fn arrive(&mut self, bodies: &mut Bodies, h: f64) -> f64 {
        let joint = &bodies.prepared.joints[self.joint];
        let Some(now) = Placed::new(bodies, joint).freedom(bodies, joint) else { return 0.0 };
        let mut off = self.aim - now.error;
        if now.linear == DVec3::ZERO {
            off -= TAU * (off / TAU).round();
        }
        let mut by = self.mass * off;
        if let Role::Limit { sign, .. } = self.role {
            // It gives back no more than it gave.
            by = sign * (sign * by).max(-sign * self.impulse * h);
        }
        for (k, sign) in [(0, by), (1, -by)] {
            let i = self.ends[k];
            if i == bodies.world() {
                continue;
            }
            let shift = self.row.linear * (sign * bodies.inverse[i].mass);
            bodies.positions[i] += shift;
            bodies.velocities[i].linear += shift / h;
            bodies.turn_by_moment(i, self.row.angular[k] * sign, h);
        }
        self.impulse += by / h;
        by.abs() / self.mass
    }

    /// What it did in this substep.
    pub fn impulse(&self) -> Impulse {
        let moments = self.row.angular.map(|moment| moment * self.impulse);
        Impulse { force: self.row.linear * self.impulse, moments }
    }
}
