//! Bodies go where their velocities say: over a step the way is the mean of the
//! velocities at its ends times the time, up to what accelerations within the step
//! do. Methods that take overlaps and errors of joints back move bodies besides, by
//! no more than what was to be taken back; a body that nothing touches is left alone.

use super::Verdict;
use super::checks::{Made, Measure, Step, Subject};
use super::islands::Islands;
use super::joints;
use super::overlap::Crowd;
use super::worst::Worst;
use crate::math::{DQuat, DVec3};
use crate::world::{Model, State, ThreadKind};

/// What rounding does to places, in radii, and relative to their coordinates.
const ROUNDING: [f64; 2] = [1e-9, 1e-14];

/// Looks at every step.
pub(super) struct Motion<'a> {
    model: &'a Model,
    crowd: Crowd<'a>,
    dt: f64,
    /// What velocities keep of themselves at the end of a step.
    kept: f64,
    /// How far a body is off, relative to what is allowed.
    worst: Worst<usize>,
}

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    let model = subject.model;
    let (dt, _) = model.method.time()?;
    // Mirrored bodies go where their partners say.
    if model.method.collapse().mirror {
        return None;
    }
    let kept = kept(model, dt);
    let worst = Worst::default();
    Some(Box::new(Motion { model, crowd: Crowd::new(model), dt, kept, worst }))
}

impl<'a> Motion<'a> {
    /// By how much a body is not where it should be, and how much accelerations explain.
    fn off(&self, i: usize, before: &State, now: &State) -> [f64; 2] {
        let (body, dt) = (&self.model.bodies[i], self.dt);
        let (v, w) = (before.velocities[i], before.spins[i]);
        // Damping comes after the motion.
        let (v1, w1) = (now.velocities[i] / self.kept, now.spins[i] / self.kept);
        let way = now.positions[i] - before.positions[i];
        let mut off = (way - 0.5 * dt * (v + v1)).length();
        let mut allowed = dt * (v1 - v).length() + dt * dt * self.model.pull(i).length();
        if !body.is_particle() {
            let turn = rotation_vector(now.rotations[i] * before.rotations[i].inverse());
            off = off.max(body.radius * (turn - 0.5 * dt * (w + w1)).length());
            allowed += dt * body.radius * (w1 - w).length();
        }
        let rounding = ROUNDING[0] * body.radius + ROUNDING[1] * now.positions[i].length();
        [off, allowed + rounding]
    }
}

/// The part of their velocity that bodies keep in a step.
pub(super) fn kept(model: &Model, dt: f64) -> f64 {
    (1.0 - model.method.dynamics().damping * dt).max(f64::MIN_POSITIVE)
}

impl Measure for Motion<'_> {
    fn frame(&mut self, step: &Step) {
        let Some(before) = step.before else { return };
        let (before, now) = (&before.state, &step.frame.state);
        // Most steps need no look at what was corrected.
        let mut corrected = None;
        for i in self.model.free() {
            let [off, mut allowed] = self.off(i, before, now);
            if off > allowed {
                let model = self.model;
                let lengths = corrected.get_or_insert_with(|| {
                    let pairs = step.frame.contacts.iter().filter_map(|contact| {
                        let other = contact.with.body(model).filter(|o| *o < model.bodies.len())?;
                        let body = contact.body as usize;
                        (body < model.bodies.len()).then_some([body, other])
                    });
                    corrections(model, &self.crowd, [before, now], pairs)
                });
                allowed += lengths[i];
                let cloth = model.cloths.iter().find(|cloth| cloth.particles().contains(&i));
                if let Some(cloth) = cloth {
                    // Cloth loses motion of its own, too.
                    let speed = before.velocities[i].length() + now.velocities[i].length();
                    allowed += self.dt * self.dt * cloth.damping * speed;
                }
            }
            self.worst.note(off / allowed, step.index, i);
        }
    }

    fn report(&mut self, verdict: &mut Verdict) {
        let Worst { value, at } = self.worst;
        let detail = match at {
            Some((frame, body)) if value > 1.0 || value.is_nan() => format!(
                "body {body} does not move to frame {frame} as its velocity says: off by {value:.1e} \
                 of what is allowed"
            ),
            _ => "bodies move as their velocities say".into(),
        };
        verdict.measure("motion", value, 1.0, detail);
    }
}

/// For every body twice the largest overlap or error of a joint in its island, as a length: what
/// may have been corrected. Nothing for a body that nothing touches.
fn corrections(
    model: &Model,
    crowd: &Crowd,
    states: [&State; 2],
    contacts: impl Iterator<Item = [usize; 2]>,
) -> Vec<f64> {
    let mut near: Vec<[usize; 2]> = contacts.collect();
    let mut errors: Vec<(usize, f64)> = Vec::new();
    for state in states {
        for (i, j, depth) in crowd.overlaps(state) {
            errors.push((i, depth));
            near.extend(j.map(|j| [i, j]));
        }
        for joint in &model.joints {
            let off = joints::off(joint, state);
            for body in joint.bodies.iter().flatten().map(|&body| body as usize) {
                errors.push((body, off.length + model.bodies[body].radius * off.angle));
            }
        }
        for thread in model.cloths.iter().flat_map(|cloth| &cloth.threads) {
            let [a, b] = thread.ends.map(|end| end as usize);
            let longer = state.positions[a].distance(state.positions[b]) - thread.length;
            let held = if thread.kind == ThreadKind::Bend { longer.min(0.0) } else { longer };
            errors.push((a, held.abs()));
        }
    }
    let islands = Islands::new(model, true, near, []);
    let mut largest = vec![0.0_f64; model.bodies.len()];
    for (body, length) in errors {
        let island = &mut largest[islands.of[body]];
        *island = island.max(2.0 * length);
    }
    (0..model.bodies.len()).map(|i| largest[islands.of[i]]).collect()
}

/// The axis of a turn, as long as its angle; exact for small angles, too.
fn rotation_vector(turn: DQuat) -> DVec3 {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let sine = turn.xyz().length();
    if sine == 0.0 { DVec3::ZERO } else { turn.xyz() * (2.0 * sine.atan2(turn.w) / sine) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::DynamicsOptions;
    use crate::shape::Shape;
    use crate::trajectory::StepKind;
    use crate::trajectory::{Frame, samples};
    use crate::verify::limits::Limits;
    use crate::world::{Method, Weight};

    /// A cube, and far from it another one on a third.
    fn cubes() -> (Model, State) {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z * 10.0), State::default());
        let options = DynamicsOptions { time_step: 0.01, ..Default::default() };
        model.method = Method::Dynamics(options);
        for at in [DVec3::ZERO, DVec3::X * 9.0, DVec3::new(9.0, 0.0, 0.99)] {
            let cube = Shape::cuboid(DVec3::ONE).unwrap();
            model.add(&mut state, cube, at, DQuat::IDENTITY, Weight::Density(1.0)).unwrap();
        }
        (model, state)
    }

    fn off(change: impl Fn(&mut State)) -> Worst<usize> {
        let (model, mut state) = cubes();
        state.velocities[0] = DVec3::X;
        state.spins[0] = DVec3::Z;
        let limits = Limits::of(&model.method);
        let first = Frame { state: state.clone(), ..samples::frame(0, 3) };
        // A step of symplectic Euler for the first body; the others stand.
        state.velocities[0] -= DVec3::Z * 0.1;
        state.positions[0] += 0.01 * state.velocities[0];
        state.rotations[0] = DQuat::from_rotation_z(0.01);
        change(&mut state);
        let second = Frame { state, kind: StepKind::Dynamics, ..samples::frame(1, 3) };
        let crowd = Crowd::new(&model);
        let worst = Worst::default();
        let mut motion = Motion { model: &model, crowd, dt: 0.01, kept: 1.0, worst };
        assert!(
            make(Subject { model: &model, limits, start: &first.state, first: (0, &first.state) })
                .is_some()
        );
        motion.frame(&Step { index: 1, is_last: true, before: Some(&first), frame: &second });
        motion.worst
    }

    #[test]
    fn places_follow_velocities_and_corrections() {
        assert!(off(|_| ()).value < 0.6);
        let moved = off(|s| s.positions[0].y += 0.003);
        assert!(moved.value > 1.0 && moved.at == Some((1, 0)), "{moved:?}");
        let turned = off(|s| s.rotations[0] = DQuat::from_rotation_z(0.02));
        assert!(turned.value > 1.0 && turned.at == Some((1, 0)), "{turned:?}");
        // What overlaps by 0.01 may be moved out of it, and not much farther.
        assert!(off(|s| s.positions[2].z += 0.01).value < 1.0);
        assert!(off(|s| s.positions[2].z += 0.03).value > 1.0);
    }
}
