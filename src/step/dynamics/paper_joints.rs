//! Joints as the paper has them: closed one by one in the position passes, all
//! rows of a joint at once. A limit that is overrun and a motor are one row more.

use super::bodies::Bodies;
use super::connector::inverse_effective_mass;
use super::joints::{self, MOST_ROWS, Placed, Row};
use super::tally::JointTally;
use super::trace::Impulse;
use crate::world::{Joint, JointKind};
use std::f64::consts::TAU;

/// A joint during a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct PaperJoint {
    motor: Option<Motor>,
}

/// Where a motor takes the joint in a step.
#[derive(Clone, Copy, Debug)]
struct Motor {
    target: f64,
    /// The largest sum of its displacements times masses, and the sum so far.
    most: f64,
    sum: f64,
}

/// All joints, before the bodies move.
pub fn all(bodies: &Bodies, h: f64) -> Vec<PaperJoint> {
    let motor = |joint: &Joint| {
        let motor = joint.motor?;
        let row = Placed::new(bodies, joint).freedom(bodies, joint)?;
        let most = motor.most.map_or(f64::INFINITY, |most| most * h * h);
        // Not beyond a limit, or the two would never agree.
        let [low, high] = joint.limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let target = (row.error + motor.speed * h).max(low).min(high);
        Some(Motor { target, most, sum: 0.0 })
    };
    bodies.prepared.joints.iter().map(|joint| PaperJoint { motor: motor(joint) }).collect()
}

impl PaperJoint {
    /// Closes a joint: `[dx; dtheta] = -M^-1 J^T (J M^-1 J^T)^-1 C` [D14 eq. 6]; its impulses go
    /// to the tally. A rope that is slack has no error.
    pub fn solve(&mut self, bodies: &mut Bodies, number: usize, h: f64, tally: &mut JointTally) {
        let joint = &bodies.prepared.joints[number];
        let ends = joints::ends(bodies, joint);
        let placed = Placed::new(bodies, joint);
        let extra = self.extra(bodies, joint, &placed);
        if joint.kind == JointKind::Ball && extra.is_none() {
            let [a, b] = placed.arms();
            let k = inverse_effective_mass(bodies, ends[0], a)
                + inverse_effective_mass(bodies, ends[1], b);
            let by = k.inverse() * -placed.apart();
            bodies.displace(ends[0], by, a.cross(by), h.recip());
            bodies.displace(ends[1], -by, -b.cross(by), h.recip());
            tally.joints[number].add(by / h, [a.cross(by) / h, b.cross(by) / h]);
            return;
        }
        let mut rows = [Row::default(); MOST_ROWS];
        placed.rows(bodies, joint, &mut rows);
        let held: usize = joints::row_counts(joint, bodies.prepared.is_flat).iter().sum();
        let Some(extra) = extra.filter(|_| held < MOST_ROWS) else {
            close(bodies, ends, &rows[..held], h, &mut tally.joints[number]);
            return;
        };
        rows[held] = extra.row;
        let mut by = displacements(bodies, ends, &rows[..held + 1]);
        if let Some(motor) = self.motor.as_mut().filter(|_| extra.by_motor) {
            let wanted = by[held];
            by[held] = (motor.sum + wanted).clamp(-motor.most, motor.most) - motor.sum;
            motor.sum += by[held];
            if by[held] != wanted {
                // Too weak: it gives what it has, and the joint is closed around that.
                shift(bodies, ends, &extra.row, by[held], h, &mut tally.motors[number]);
                Placed::new(bodies, joint).rows(bodies, joint, &mut rows);
                close(bodies, ends, &rows[..held], h, &mut tally.joints[number]);
                return;
            }
        }
        for (row, by) in rows[..held].iter().zip(by) {
            shift(bodies, ends, row, by, h, &mut tally.joints[number]);
        }
        let sums = if extra.by_motor { &mut tally.motors } else { &mut tally.limits };
        shift(bodies, ends, &extra.row, by[held], h, &mut sums[number]);
    }

    /// The row of a limit that is overrun, or of the motor.
    fn extra(&self, bodies: &Bodies, joint: &Joint, placed: &Placed) -> Option<Extra> {
        if joint.limits.is_none() && self.motor.is_none() {
            return None;
        }
        let row = placed.freedom(bodies, joint)?;
        let off = |from: f64, by_motor: bool| {
            let error = match joint.kind {
                JointKind::Slider => row.error - from,
                _ => wrapped(row.error - from),
            };
            Some(Extra { row: Row { error, ..row }, by_motor })
        };
        match (joint.limits, self.motor) {
            (Some([least, _]), _) if row.error < least => off(least, false),
            (Some([_, most]), _) if row.error > most => off(most, false),
            (_, Some(motor)) => off(motor.target, true),
            _ => None,
        }
    }
}

/// A row besides those that always hold.
#[derive(Clone, Copy)]
struct Extra {
    row: Row,
    by_motor: bool,
}

/// An angle from -pi to pi.
fn wrapped(angle: f64) -> f64 {
    angle - TAU * (angle / TAU).round()
}

/// Makes all errors vanish, to first order; the impulses are added to a sum.
fn close(bodies: &mut Bodies, ends: [usize; 2], rows: &[Row], h: f64, sum: &mut Impulse) {
    let by = displacements(bodies, ends, rows);
    for (row, by) in rows.iter().zip(by) {
        shift(bodies, ends, row, by, h, sum);
    }
}

/// Displaces along a row; the impulse is added to a sum.
fn shift(bodies: &mut Bodies, ends: [usize; 2], row: &Row, by: f64, h: f64, sum: &mut Impulse) {
    row.displace(bodies, ends, by, h.recip());
    sum.add(row.linear * (by / h), row.angular.map(|moment| moment * (by / h)));
}

/// What each row must do.
fn displacements(bodies: &Bodies, ends: [usize; 2], rows: &[Row]) -> [f64; MOST_ROWS] {
    let count = rows.len();
    let mut matrix = [[0.0; MOST_ROWS]; MOST_ROWS];
    let mut right = [0.0; MOST_ROWS];
    for i in 0..count {
        for j in 0..count {
            matrix[i][j] = rows[i].product(&rows[j], bodies, ends);
        }
        right[i] = -rows[i].error;
    }
    eliminate(&mut matrix, &mut right, count);
    right
}

/// Solves a small positive definite system in place; rows that repeat others get nothing.
fn eliminate(
    matrix: &mut [[f64; MOST_ROWS]; MOST_ROWS],
    right: &mut [f64; MOST_ROWS],
    count: usize,
) {
    let first: Vec<f64> = (0..count).map(|k| matrix[k][k]).collect();
    for k in 0..count {
        if matrix[k][k] <= 1e-12 * first[k] {
            matrix[k][k] = f64::INFINITY;
            continue;
        }
        let above = matrix[k];
        for i in k + 1..count {
            let factor = matrix[i][k] / above[k];
            for (value, above) in matrix[i].iter_mut().zip(above).skip(k) {
                *value -= factor * above;
            }
            right[i] -= factor * right[k];
        }
    }
    for k in (0..count).rev() {
        let known: f64 = (k + 1..count).map(|j| matrix[k][j] * right[j]).sum();
        right[k] = (right[k] - known) / matrix[k][k];
    }
}
