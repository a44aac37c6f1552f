//! The impulses of a fall, checked as optimality conditions without any solver: they change
//! momentum and angular momentum exactly as the bricks moved (the gradient is zero), push bricks
//! apart within the cone of friction (multipliers are not negative), and act only where the
//! bricks touch after the step (complementarity). That bricks stay apart is checked elsewhere.

use super::bricks::separation;
use crate::math::{DMat3, DQuat, DVec3};
use crate::shape::Brick;
use crate::step::collapse::Push;
use crate::trajectory::{BrickFrame, Frame};
use crate::world::Model;

/// The momentum that nobody accounts for, relative to what bodies have and get.
const MOMENTUM: f64 = 1e-8;

/// Points lie on their bricks to this fraction of the smaller diameter.
const ON_SURFACE: f64 = 1e-6;

/// A direction separates as well as the best one if it does to this fraction of the diameter.
const AS_GOOD: f64 = 1e-3;

/// What pushes touches after the step, to this fraction of the smaller diameter: the rows of a
/// step are linear, bricks turn.
const TOUCH: f64 = 5e-3;

/// A frame and what bricks have besides.
pub(super) type Moment<'a> = (&'a Frame, &'a BrickFrame);

/// The worst imbalance, and the first push that is none.
#[derive(Default)]
pub(super) struct Pushes {
    pub momentum: (f64, usize),
    pub fault: Option<String>,
}

impl Pushes {
    pub const LIMIT: f64 = MOMENTUM;

    /// From one frame to the next; `placed` are the bricks where they were.
    pub fn follow(
        &mut self,
        model: &Model,
        index: usize,
        placed: &[Vec<Brick>],
        last: Moment,
        now: Moment,
    ) {
        let count = model.tower.bricks.len();
        let known = |push: &&Push| push.bodies.iter().all(|b| (*b as usize) < count);
        if let Some(push) = now.1.pushes.iter().find(|push| !known(push)) {
            self.fault
                .get_or_insert(format!("a push of frame {index} is between {:?}", push.bodies));
            return;
        }
        let imbalance = imbalance(model, last, now);
        if imbalance > self.momentum.0 {
            self.momentum = (imbalance, index);
        }
        if self.fault.is_none() {
            let faults =
                now.1.pushes.iter().filter_map(|push| fault(model, placed, last, now, push));
            self.fault = faults.map(|fault| format!("{fault}, frame {index}")).next();
        }
    }
}

/// The largest change of a body's momentum that weight and pushes do not explain, relative to
/// the sizes of all of them.
fn imbalance(model: &Model, last: Moment, now: Moment) -> f64 {
    let (tower, dt) = (&model.tower, model.collapse.time_step);
    let mut given = vec![(DVec3::ZERO, DVec3::ZERO, 0.0, 0.0); tower.bricks.len()];
    for push in &now.1.pushes {
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let body = push.bodies[side] as usize;
            let arm = push.at[side] - last.0.positions[body];
            let moment = arm.cross(push.impulse);
            let (linear, angular, size, turn) = &mut given[body];
            *linear += sign * push.impulse;
            *angular += sign * moment;
            *size += push.impulse.length();
            *turn += arm.length() * push.impulse.length();
        }
    }
    let mut worst = 0.0_f64;
    for (i, brick) in tower.bricks.iter().enumerate().filter(|(_, brick)| !brick.fixed) {
        let (linear, angular, size, turn) = given[i];
        let (old, new) = (last.1.velocities[i], now.1.velocities[i]);
        let weight = brick.mass * dt * model.gravity;
        let left = brick.mass * (new - old) - weight - linear;
        let scale = brick.mass * (old.length() + new.length()) + weight.length() + size;
        let spin = |q: DQuat, w: DVec3| {
            let turn = DMat3::from_quat(q);
            let momentum = turn * (brick.inertia * (turn.transpose() * w));
            if tower.dimension == 2 { DVec3::Z * momentum.z } else { momentum }
        };
        let before = spin(last.1.rotations[i], last.1.spins[i]);
        let after = spin(now.1.rotations[i], now.1.spins[i]);
        let open = after - before - angular;
        let reach = before.length() + after.length() + turn + brick.radius * scale;
        let off = (left.length() / scale.max(f64::MIN_POSITIVE))
            .max(open.length() / reach.max(f64::MIN_POSITIVE));
        worst = if off.is_nan() { f64::INFINITY } else { worst.max(off) };
    }
    worst
}

/// Why a push cannot be one.
fn fault(
    model: &Model,
    placed: &[Vec<Brick>],
    last: Moment,
    now: Moment,
    push: &Push,
) -> Option<String> {
    let tower = &model.tower;
    let [a, b] = push.bodies.map(|body| body as usize);
    let (one, two) = (&tower.bricks[a], &tower.bricks[b]);
    let size = 2.0 * one.radius.min(two.radius);
    let after = |side: usize| {
        let body = push.bodies[side] as usize;
        let turn = now.1.rotations[body] * last.1.rotations[body].inverse();
        now.0.positions[body] + turn * (push.at[side] - last.0.positions[body])
    };
    let joints = tower.pins.iter().chain(tower.bars.iter().map(|bar| &bar.joint));
    let mut joints = joints.filter(|joint| joint.bodies == push.bodies);
    let is_joint = joints.any(|joint| {
        (0..2).all(|side| {
            let body = push.bodies[side] as usize;
            let at = last.0.positions[body] + last.1.rotations[body] * joint.points[side];
            (at - push.at[side]).length() < ON_SURFACE * size
        })
    });
    if is_joint {
        return None;
    }
    let inside = |body: usize, at: DVec3| {
        placed[body].iter().any(|piece| {
            let out = |f: &crate::shape::BrickFace| {
                f.corners.first().map_or(0.0, |&c| f.normal.dot(at - piece.corners()[c as usize]))
            };
            piece.faces().iter().all(|face| out(face) < ON_SURFACE * size)
        })
    };
    if !(inside(a, push.at[0]) && inside(b, push.at[1])) {
        return Some(format!("bricks {a} and {b} push each other at a point that is not on both"));
    }
    let friction = one.friction.min(two.friction);
    let fits = |normal: DVec3| {
        let along = push.impulse.dot(normal);
        let across = (push.impulse - along * normal).length();
        along >= 0.0 && across <= friction * along + 1e-6 * push.impulse.length()
    };
    let pairs = placed[a].iter().flat_map(|p| placed[b].iter().map(move |q| (p, q)));
    let mut normals = pairs.flat_map(|(p, q)| {
        let all = separation(p, q);
        let best = all.iter().map(|(apart, _)| *apart).fold(f64::MIN, f64::max);
        let good = all.into_iter().filter(move |(apart, _)| *apart > best - AS_GOOD * size);
        // A corner of the face that separates may lean on the face that lies against it.
        good.flat_map(|(_, n)| [-n, -facing(p, n), facing(q, -n)])
    });
    if !normals.any(fits) {
        return Some(format!("bricks {a} and {b} pull each other, or push beyond friction"));
    }
    let gap = (after(0) - after(1)).dot(push.impulse.normalize_or_zero());
    let bounces = one.restitution.min(two.restitution) > 0.0;
    if gap > TOUCH * size && !bounces {
        return Some(format!("bricks {a} and {b} push each other without touching"));
    }
    None
}

/// The outward normal of the face that looks most along a direction.
fn facing(piece: &Brick, direction: DVec3) -> DVec3 {
    let normals = piece.faces().iter().map(|face| face.normal);
    normals.max_by(|a, b| a.dot(direction).total_cmp(&b.dot(direction))).unwrap_or(direction)
}
