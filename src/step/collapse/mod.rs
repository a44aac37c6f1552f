//! How does it fall? A quadratic program a step, on positions alone [C11 5,
//! Figure 7]: of all motions that keep bricks apart, the one closest to the
//! free motion, in reduced form (three unknowns per brick in 2D, six in 3D;
//! bricks then turn exactly, so nothing stretches). Inelastic impact comes out
//! by itself [C11 7]; restitution and Coulomb friction are added.
//!
//! ```
//! use riprap::math::{DQuat, DVec3};
//! use riprap::shape::Brick;
//! use riprap::step::collapse::{Collapse, Options};
//! use riprap::world::{Poses, Tower};
//!
//! let (mut tower, mut poses) = (Tower::new(2, DVec3::NEG_Y), Poses::default());
//! let floor = Brick::polygon(&[[-2.0, -1.0], [2.0, -1.0], [2.0, 0.0], [-2.0, 0.0]])?;
//! tower.add(&mut poses, &[floor], 1.0)?.fixed = true;
//! let brick = Brick::polygon(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.4], [0.0, 0.4]])?;
//! tower.add(&mut poses, &[brick], 1.0)?;
//! let mut collapse = Collapse::new(&tower, &poses, Options::default());
//! for _ in 0..100 {
//!     collapse.step(&mut poses);
//! }
//! assert!((poses.positions[1] - DVec3::new(0.5, 0.2, 0.0)).length() < 1e-12);
//! # Ok::<(), riprap::Problem>(())
//! ```

mod classical;
pub mod framework;
pub(crate) mod gauss;
mod ledger;
mod mirror;
mod push;
mod start;
#[cfg(test)]
mod tests;

pub use ledger::Ledger;
pub use mirror::Mirror;
pub use push::Push;
pub use start::ready;

use serde::{Deserialize, Serialize};

use crate::contact::{Touch, TouchKey, touches};
use crate::math::{DQuat, DVec3};
use crate::scene::{Lengths, Unknowns};
use crate::solver::quadratic::{Answer, Demand, Quadratic, solve};
use crate::world::{Bar, Joint, Poses, Tower};
use gauss::{Gauss, Motion, directions, friction, restitution, tangents};

/// Touches are looked for this much further away than bodies are expected to
/// come, in units of the body's radius: contacts push bodies beyond expectation.
const LOOK_AHEAD: f64 = 0.02;

/// A touch bounces only if it closes faster than gravity does in so many
/// steps: what rests does not jump.
const BOUNCE_STEPS: f64 = 4.0;

/// How often the slip of sliding contacts is corrected in a step with friction.
const FRICTION_PASSES: usize = 3;

/// How to step.
pub use crate::scene::Collapse as Options;

/// What the next step takes over from the last one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Multipliers of the last program by touch and direction, sorted.
    pub multipliers: Vec<(TouchKey, u8, f64)>,
}

/// The falling tower.
pub struct Collapse<'a> {
    tower: &'a Tower,
    options: Options,
    mirror: Option<Mirror>,
    memory: Memory,
    /// Where bodies touch now: made at the end of each step, for the ledger and the next.
    touches: Vec<Touch>,
    /// What pushed in the last step.
    pushes: Vec<Push>,
}

impl<'a> Collapse<'a> {
    /// Ready for the first step from `poses`.
    pub fn new(tower: &'a Tower, poses: &Poses, options: Options) -> Self {
        Collapse::resume(tower, poses, options, Mirror::find(tower, poses), Memory::default())
    }

    /// Goes on from a checkpoint to the same bits; the mirror is that of the start.
    pub fn resume(
        tower: &'a Tower,
        poses: &Poses,
        options: Options,
        mirror: Option<Mirror>,
        memory: Memory,
    ) -> Self {
        let touches = touches(tower, poses, &reaches(tower, poses, options.time_step));
        Collapse { tower, options, mirror, memory, touches, pushes: Vec::new() }
    }

    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The impulses of the last step.
    pub fn pushes(&self) -> &[Push] {
        &self.pushes
    }

    /// One time step.
    pub fn step(&mut self, poses: &mut Poses) -> Ledger {
        let free: Vec<Motion> = (0..self.tower.bricks.len()).map(|i| self.free(poses, i)).collect();
        let pushing = self.pushing();
        let (answer, motions) = match self.options.unknowns {
            Unknowns::Positions => self.positions(poses, &free),
            Unknowns::Accelerations => self.accelerations(poses),
        };
        self.advance(poses, &free, &motions);
        if let (true, Some(mirror)) = (self.options.mirror, &self.mirror) {
            mirror.impose(poses);
        }
        self.touches =
            touches(self.tower, poses, &reaches(self.tower, poses, self.options.time_step));
        let now = self.pushing();
        let both = now.iter().filter(|key| pushing.binary_search(key).is_ok()).count();
        let changes = (now.len() + pushing.len() - 2 * both) as u32;
        Ledger::new(self.tower, poses, &self.touches, changes, &answer, self.mirror.as_ref())
    }

    /// The touches that pushed in the last step.
    fn pushing(&self) -> Vec<TouchKey> {
        let mut keys: Vec<TouchKey> = self.memory.multipliers.iter().map(|m| m.0).collect();
        keys.dedup();
        keys
    }

    /// The motions of a step on positions alone.
    fn positions(&mut self, poses: &Poses, free: &[Motion]) -> (Answer, Vec<Motion>) {
        let dt = self.options.time_step;
        let last = self.last(poses);
        let mut slips = vec![0.0; self.touches.len()];
        let has_friction = self.touches.iter().any(|t| friction(self.tower, t) > 0.0);
        let passes = if has_friction { FRICTION_PASSES } else { 1 };
        let (mut answer, mut motions) = (Answer::default(), Vec::new());
        for pass in 0..passes {
            let (program, keys) = self.program(poses, free, &last, &slips);
            let warm: Vec<f64> = match pass {
                0 => keys.iter().map(|key| self.remembered(key)).collect(),
                _ => answer.multipliers.clone(),
            };
            answer = solve(&program.program, &warm);
            motions = program.motions(&answer.x);
            if pass + 1 == passes {
                self.pushes = push::pushes(&program, &self.touches, &answer.multipliers, dt);
                self.remember(&keys, &answer.multipliers);
            }
            if has_friction {
                for (slip, touch) in slips.iter_mut().zip(&self.touches) {
                    *slip = slide(self.tower, poses, touch, &motions);
                }
            }
        }
        (answer, motions)
    }

    /// The motions of a step as long as the next if nothing changed.
    fn last(&self, poses: &Poses) -> Vec<Motion> {
        let dt = self.options.time_step;
        poses.velocities.iter().zip(&poses.spins).map(|(v, w)| (*v * dt, *w * dt)).collect()
    }

    /// The program of the next step and the multipliers that it starts from, for benchmarks.
    pub fn next_program(&self, poses: &Poses) -> (Quadratic, Vec<f64>) {
        let free: Vec<Motion> = (0..self.tower.bricks.len()).map(|i| self.free(poses, i)).collect();
        let last = self.last(poses);
        let slips = vec![0.0; self.touches.len()];
        let (gauss, keys) = self.program(poses, &free, &last, &slips);
        (gauss.program, keys.iter().map(|key| self.remembered(key)).collect())
    }

    /// The motion of a body that nothing hinders. A turning body keeps its
    /// angular momentum; the turn is that of the implicit midpoint rule.
    fn free(&self, poses: &Poses, i: usize) -> Motion {
        let dt = self.options.time_step;
        if self.tower.bricks[i].fixed {
            return (DVec3::ZERO, DVec3::ZERO);
        }
        let shift = poses.velocities[i] * dt + self.tower.gravity * (dt * dt);
        let spin = poses.spins[i];
        if self.tower.dimension == 2 || spin == DVec3::ZERO {
            return (shift, spin * dt);
        }
        let momentum = self.tower.inertia(i, poses.rotations[i]) * spin;
        let mut turn = spin * dt;
        for _ in 0..8 {
            let middle = DQuat::from_scaled_axis(0.5 * turn) * poses.rotations[i];
            turn = self.tower.inertia(i, middle).inverse() * momentum * dt;
        }
        (shift, turn)
    }

    /// The program of this step, and the key of each of its rows.
    fn program<'p>(
        &'p self,
        poses: &'p Poses,
        free: &[Motion],
        last: &[Motion],
        slips: &[f64],
    ) -> (Gauss<'p>, Vec<(TouchKey, u8)>) {
        let mut program = Gauss::new(self.tower, poses, free);
        let mut keys = Vec::new();
        let dt = self.options.time_step;
        for (number, pin) in self.tower.pins.iter().enumerate() {
            let [one, two] = program.ends(pin);
            let bend = pin_bend(poses, pin, [one, two], last) * self.options.sidedness;
            program.add_pin(pin, one - two + bend);
            let [a, b] = pin.bodies;
            let key = TouchKey { a, b, pieces: [u16::MAX; 2], feature: [number as u16, 0] };
            keys.extend((0..self.tower.dimension as u8).map(|axis| (key, axis)));
        }
        for (number, bar) in self.tower.bars.iter().enumerate() {
            let (demand, offset) = self.bar_row(poses, bar, last);
            program.add_bar(bar, demand, offset);
            let [a, b] = bar.joint.bodies;
            let key = TouchKey { a, b, pieces: [u16::MAX; 2], feature: [number as u16, 1] };
            keys.push((key, 0));
        }
        let jump = BOUNCE_STEPS * self.tower.gravity.length() * dt * dt;
        for (touch, slip) in self.touches.iter().zip(slips) {
            let moves = [last[touch.key.a as usize], last[touch.key.b as usize]];
            let closing = -rate(poses, touch, moves);
            let bounce = restitution(self.tower, touch);
            let offset = if bounce > 0.0 && closing > jump && touch.gap <= closing {
                -bounce * closing
            } else {
                touch.gap + self.options.sidedness * touch.bend(poses, moves)
            };
            let friction = friction(self.tower, touch);
            let all = directions(self.tower.dimension, touch.normal, friction);
            for (index, direction) in all.into_iter().enumerate() {
                program.add(touch, direction, offset + friction * slip);
                keys.push((touch.key, index as u8));
            }
        }
        (program, keys)
    }

    /// What a bar asks of the motion along it, and the offset [C11 5, 8.3, 8.4].
    fn bar_row(&self, poses: &Poses, bar: &Bar, last: &[Motion]) -> (Demand, f64) {
        let [one, two] = poses.ends(&bar.joint);
        let along = one - two;
        let bend = pin_bend(poses, &bar.joint, [one, two], last) * self.options.sidedness;
        let moved = [0, 1].map(|side| {
            let body = bar.joint.bodies[side] as usize;
            let (shift, turn) = last[body];
            shift + turn.cross([one, two][side] - poses.positions[body])
        });
        let turned = (moved[0] - moved[1]).length_squared();
        let original = along.length_squared() - bar.length * along.length();
        let mass = bar.joint.bodies.map(|body| self.tower.bricks[body as usize].mass);
        // In units of the lighter body and the bar, so that the penalty has none.
        let penalty = 2.0 * Lengths::PENALTY * mass[0].min(mass[1]) / along.length_squared();
        let (demand, offset) = match self.options.lengths {
            Lengths::Prime => (Demand::Equal, turned),
            Lengths::Half => (Demand::Equal, 0.5 * turned),
            Lengths::Original => (Demand::Equal, original),
            Lengths::Penalty => (Demand::Soft(penalty), original),
        };
        (demand, offset + along.dot(bend))
    }

    fn remembered(&self, key: &(TouchKey, u8)) -> f64 {
        let found = self.memory.multipliers.binary_search_by_key(key, |(k, i, _)| (*k, *i));
        found.map_or(0.0, |at| self.memory.multipliers[at].2)
    }

    fn remember(&mut self, keys: &[(TouchKey, u8)], multipliers: &[f64]) {
        let pairs = keys.iter().zip(multipliers).filter(|(_, m)| **m != 0.0);
        self.memory.multipliers = pairs.map(|((key, index), m)| (*key, *index, *m)).collect();
        self.memory.multipliers.sort_by_key(|(key, index, _)| (*key, *index));
    }

    /// Moves and turns the bodies; a change of the free motion is an impulse.
    fn advance(&self, poses: &mut Poses, free: &[Motion], motions: &[Motion]) {
        let dt = self.options.time_step;
        for i in self.tower.moving() {
            let (shift, turn) = motions[i];
            poses.positions[i] += shift;
            poses.velocities[i] = shift / dt;
            let rotation = poses.rotations[i];
            let turned = (DQuat::from_scaled_axis(turn) * rotation).normalize();
            poses.rotations[i] = turned;
            poses.spins[i] = if self.tower.dimension == 2 {
                turn / dt
            } else {
                let inertia = self.tower.inertia(i, rotation);
                let momentum = inertia * (poses.spins[i] + (turn - free[i].1) / dt);
                self.tower.inertia(i, turned).inverse() * momentum
            };
        }
    }
}

/// How far each body may come in the next step, generously.
fn reaches(tower: &Tower, poses: &Poses, dt: f64) -> Vec<f64> {
    let reach = |i: usize| {
        let brick = &tower.bricks[i];
        if brick.fixed {
            return 0.0;
        }
        let speed = poses.velocities[i].length() + poses.spins[i].length() * brick.radius;
        let fall = tower.gravity.length() * dt * dt;
        1.5 * (speed * dt + fall) + LOOK_AHEAD * brick.radius
    };
    (0..tower.bricks.len()).map(reach).collect()
}

/// How fast the gap of a touch grows, to first order, when its bodies move so.
fn rate(poses: &Poses, touch: &Touch, moves: [Motion; 2]) -> f64 {
    touch.normal.dot(relative(poses, touch, moves))
}

/// The motion of `a` at a touch relative to `b`.
fn relative(poses: &Poses, touch: &Touch, moves: [Motion; 2]) -> DVec3 {
    let of = |body: u32, at: DVec3, (shift, turn): Motion| {
        shift + turn.cross(at - poses.positions[body as usize])
    };
    of(touch.key.a, touch.at_a, moves[0]) - of(touch.key.b, touch.at_b, moves[1])
}

/// What the linear motion of a pin's points misses when their bodies move as in the last step.
fn pin_bend(poses: &Poses, pin: &Joint, at: [DVec3; 2], last: &[Motion]) -> DVec3 {
    let [one, two] = [0, 1].map(|side| {
        let body = pin.bodies[side] as usize;
        let (arm, turn) = (at[side] - poses.positions[body], last[body].1);
        DQuat::from_scaled_axis(turn) * arm - arm - turn.cross(arm)
    });
    one - two
}

/// How far a touch slides: what the rows of its friction pyramid must forgive,
/// or a sliding body would hover above its support.
fn slide(tower: &Tower, poses: &Poses, touch: &Touch, motions: &[Motion]) -> f64 {
    let moves = [motions[touch.key.a as usize], motions[touch.key.b as usize]];
    let motion = relative(poses, touch, moves);
    let tangents = tangents(tower.dimension, touch.normal);
    tangents.iter().map(|t| t.dot(motion).abs()).fold(0.0, f64::max)
}
