//! The classical loop [C11 Figure 6] in reduced form, to compare with: impacts change velocities at
//! once [C11 7], then one program finds the accelerations, then velocities and places follow.
//! Nothing here pulls bricks back that have drifted into each other.

use super::gauss::{Gauss, Motion, directions, friction, restitution};
use super::{Collapse, Push, pin_bend, push, rate};
use crate::contact::Touch;
use crate::math::DVec3;
use crate::solver::quadratic::{Answer, Demand, solve};
use crate::world::Poses;

/// Bricks touch if their gap is below this fraction of the smaller one's radius: what steps of
/// the first order lose between two looks.
const TOUCHING: f64 = 1e-3;

impl Collapse<'_> {
    /// The motions of a step from velocities and accelerations.
    pub(super) fn accelerations(&mut self, poses: &Poses) -> (Answer, Vec<Motion>) {
        let dt = self.options.time_step;
        let close: Vec<Touch> = self.touches.iter().filter(|t| self.is_close(t)).copied().collect();
        let old: Vec<Motion> =
            poses.velocities.iter().copied().zip(poses.spins.iter().copied()).collect();
        let (velocities, mut pushes) = self.impact(poses, &close, &old);
        let (answer, gained, more) = self.gain(poses, &close, &velocities);
        pushes.extend(more);
        self.pushes = pushes;
        self.memory.multipliers = close
            .iter()
            .filter(|t| {
                self.pushes.iter().any(|p| p.bodies == [t.key.a, t.key.b] && p.at[0] == t.at_a)
            })
            .map(|t| (t.key, 0, 1.0))
            .collect();
        let motion = |(v, a): (&Motion, &Motion)| ((v.0 + a.0 * dt) * dt, (v.1 + a.1 * dt) * dt);
        (answer, velocities.iter().zip(&gained).map(motion).collect())
    }

    fn is_close(&self, touch: &Touch) -> bool {
        let radius = |body: u32| self.tower.bricks[body as usize].radius;
        touch.gap < TOUCHING * radius(touch.key.a).min(radius(touch.key.b))
    }

    /// The velocities after impacts: the closest ones, in the metric of mass, that close no
    /// touch [C11 (Q*)], or open it again as restitution asks.
    fn impact(&self, poses: &Poses, close: &[Touch], old: &[Motion]) -> (Vec<Motion>, Vec<Push>) {
        let dt = self.options.time_step;
        let jump = super::BOUNCE_STEPS * self.tower.gravity.length() * dt;
        let mut program = Gauss::new(self.tower, poses, old);
        self.tower.pins.iter().for_each(|pin| program.add_pin(pin, DVec3::ZERO));
        self.tower.bars.iter().for_each(|bar| program.add_bar(bar, Demand::Equal, 0.0));
        for touch in close {
            let closing =
                -rate(poses, touch, [old[touch.key.a as usize], old[touch.key.b as usize]]);
            let bounce = restitution(self.tower, touch);
            // What is still apart may close just so far.
            let room = (touch.gap / dt).max(0.0);
            let offset = if bounce > 0.0 && closing > jump { -bounce * closing } else { room };
            for direction in
                directions(self.tower.dimension, touch.normal, friction(self.tower, touch))
            {
                program.add(touch, direction, offset);
            }
        }
        let answer = solve(&program.program, &[]);
        let pushes = push::pushes(&program, close, &answer.multipliers, 1.0);
        (program.motions(&answer.x), pushes)
    }

    /// The accelerations: bars keep their lengths (L2+) and touches do not close (S2+), to second order.
    fn gain(
        &self,
        poses: &Poses,
        close: &[Touch],
        velocities: &[Motion],
    ) -> (Answer, Vec<Motion>, Vec<Push>) {
        let dt = self.options.time_step;
        let gravity =
            |i: usize| if self.tower.bricks[i].fixed { DVec3::ZERO } else { self.tower.gravity };
        let wanted: Vec<Motion> =
            (0..velocities.len()).map(|i| (gravity(i), DVec3::ZERO)).collect();
        let step: Vec<Motion> = velocities.iter().map(|(v, w)| (*v * dt, *w * dt)).collect();
        let twice = 2.0 / (dt * dt);
        let mut program = Gauss::new(self.tower, poses, &wanted);
        for pin in &self.tower.pins {
            let ends = program.ends(pin);
            program.add_pin(pin, pin_bend(poses, pin, ends, &step) * twice);
        }
        for bar in &self.tower.bars {
            let [one, two] = program.ends(&bar.joint);
            let bend = (one - two).dot(pin_bend(poses, &bar.joint, [one, two], &step)) * twice;
            let of = |side: usize, at: DVec3| {
                let body = bar.joint.bodies[side] as usize;
                velocities[body].0 + velocities[body].1.cross(at - poses.positions[body])
            };
            let turning = (of(0, one) - of(1, two)).length_squared();
            program.add_bar(bar, Demand::Equal, turning + bend);
        }
        for touch in close {
            let moves = [step[touch.key.a as usize], step[touch.key.b as usize]];
            // What opens, or has room to close, is free to do so.
            let speed = rate(poses, touch, moves) / dt + (touch.gap / dt).max(0.0);
            let bend = twice * touch.bend(poses, moves) + (2.0 * speed / dt).max(0.0);
            for direction in
                directions(self.tower.dimension, touch.normal, friction(self.tower, touch))
            {
                program.add(touch, direction, bend);
            }
        }
        let answer = solve(&program.program, &[]);
        let pushes = push::pushes(&program, close, &answer.multipliers, 1.0 / dt);
        (answer.clone(), program.motions(&answer.x), pushes)
    }
}
