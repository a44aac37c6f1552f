//! Bodies go where their velocities say: over a step the way is the mean of the
//! velocities at its ends times the time, up to what accelerations within the step
//! do. Dynamics takes overlaps and errors of joints back besides, by no more than there
//! was to be taken back before the step or where velocities alone would have led; and a push
//! that comes and goes within a step leaves its trace in who gave it. A body that nothing touches
//! is left alone.
//!
//! What forces do is known from the places: they may change within a step by as much as their
//! laws say on ways of such a length.

use super::Verdict;
use super::checks::{Made, Measure, Step, Subject};
use super::cloth::gradient;
use super::forces::{changes, loads, ways};
use super::islands::{Islands, near_on_way, reaches};
use super::joints;
use super::overlap::Crowd;
use super::worst::Worst;
use crate::math::{DMat3, DQuat, DVec3};
use crate::scene::MethodName;
use crate::trajectory::{Contact, Trace};
use crate::world::{Body, Model, State, ThreadKind};

/// What rounding does to places, in radii, and relative to their coordinates.
const ROUNDING: [f64; 2] = [1e-9, 1e-14];

/// Beyond this angle in a step, the mean of two spins says nothing of a turn.
const FAST: f64 = 1.0;

/// Looks at every step.
pub(super) struct Motion<'a> {
    model: &'a Model,
    crowd: Crowd<'a>,
    dt: f64,
    /// What velocities keep of themselves at the end of a step.
    kept: f64,
    /// Whether places are corrected beyond what velocities say.
    corrects: bool,
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
    // Nothing is known of velocities of which nothing is kept.
    (kept(model, dt) > 0.0).then(|| Box::new(Motion::new(model, dt)) as Box<dyn Measure>)
}

impl<'a> Motion<'a> {
    pub fn new(model: &'a Model, dt: f64) -> Motion<'a> {
        Motion {
            model,
            crowd: Crowd::new(model),
            dt,
            kept: kept(model, dt),
            corrects: model.method.name() == MethodName::Dynamics,
            worst: Worst::default(),
        }
    }

    /// Where velocities alone lead.
    fn expected(&self, before: &State, now: &State) -> State {
        let mut expected = now.clone();
        for i in self.model.free() {
            // Damping comes after the motion.
            let mean = |old: DVec3, new: DVec3| 0.5 * self.dt * (old + new / self.kept);
            expected.positions[i] =
                before.positions[i] + mean(before.velocities[i], now.velocities[i]);
            let turn = mean(before.spins[i], now.spins[i]);
            expected.rotations[i] = DQuat::from_scaled_axis(turn) * before.rotations[i];
        }
        expected
    }

    /// The largest acceleration of each body within a step, but for impulses.
    fn accelerations(&self, before: &State, now: &State) -> Vec<f64> {
        let model = self.model;
        let indices = 0..model.bodies.len();
        if model.forces.is_empty() {
            return indices.map(|i| model.pull(i).length()).collect();
        }
        let (gradients, _) = loads(model, &before.positions);
        let changes = changes(model, &before.positions, &ways(before, now, self.dt));
        let of = |i: usize| (gradients[i].length() + changes[i]) * model.bodies[i].inverse_mass();
        indices.map(of).collect()
    }

    /// By how much a body is not where it should be, and how much its acceleration (but for
    /// impulses) and the change of its velocity explain.
    fn off(
        &self,
        i: usize,
        before: &State,
        now: &State,
        expected: &State,
        acceleration: f64,
    ) -> [f64; 2] {
        let (body, dt) = (&self.model.bodies[i], self.dt);
        let gained = |old: DVec3, new: DVec3| dt * (new / self.kept - old).length();
        let mut off = now.positions[i].distance(expected.positions[i]);
        let mut allowed = gained(before.velocities[i], now.velocities[i]) + dt * dt * acceleration;
        if !body.is_particle() {
            let turn = now.rotations[i] * expected.rotations[i].inverse();
            off = off.max(body.radius * angle(turn));
            allowed += body.radius * gained(before.spins[i], now.spins[i]);
            // Who turns farther than this within a step changes its spin on the way, and comes
            // back; `places` follows that.
            if before.spins[i].length() * dt > FAST {
                allowed += body.radius * std::f64::consts::PI;
            }
        }
        let rounding = ROUNDING[0] * body.radius + ROUNDING[1] * now.positions[i].length();
        [off, allowed + rounding]
    }

    /// How far each body may have been moved otherwise: out of overlaps and errors of joints, and
    /// by pushes that came from one side and went on to another within the step.
    fn others(
        &self,
        before: &State,
        now: &State,
        expected: &State,
        contacts: &[Contact],
        trace: &Trace,
    ) -> Vec<f64> {
        let mut lengths = self.corrections(before, expected, contacts);
        let reach = reaches(self.model, self.dt, before, now);
        for [i, j] in near_on_way(before, &reach) {
            for (own, other) in [(i, j), (j, i)] {
                let most = gives(&self.model.bodies[own], self.model.bodies[own].radius);
                let pushed = self.dt * most * self.gained(other, before, now);
                lengths[own] = lengths[own].max(pushed);
            }
        }
        self.add_swings(&mut lengths, before, contacts);
        self.add_threads(&mut lengths, before, now, trace);
        lengths
    }

    /// What joints and contacts push to and fro within a step, a body between two of them hardly
    /// changing its velocity: a force of this impulse, whenever it acts, takes a body off the mean of its
    /// velocities by at most half of what it does in a step.
    fn add_swings(&self, lengths: &mut [f64], before: &State, contacts: &[Contact]) {
        for contact in contacts {
            for (i, change) in stirred(self.model, before, contact) {
                lengths[i] += 0.5 * self.dt * change;
            }
        }
    }

    /// The same for threads and air.
    fn add_threads(&self, lengths: &mut [f64], before: &State, now: &State, trace: &Trace) {
        let moved =
            |i: usize, push: f64| 0.5 * self.dt * push * self.model.bodies[i].inverse_mass();
        let threads = self.model.cloths.iter().flat_map(|cloth| &cloth.threads);
        let pulls = trace.tensions.iter().map(|tension| tension.abs());
        let pulls = pulls.chain(trace.pulls.iter().map(|pull| pull.length()));
        for (thread, pull) in threads.zip(pulls) {
            for end in thread.ends.map(|end| end as usize) {
                lengths[end] += moved(end, pull);
            }
        }
        let first = self.model.rigid_count();
        for (k, air) in trace.airs.iter().enumerate() {
            lengths[first + k] += moved(first + k, air.length());
        }
        for (cloth, pressure) in self.model.cloths.iter().zip(&trace.pressures) {
            let ends = [before, now].map(|state| gradient(cloth, &state.positions));
            for (k, i) in cloth.particles().enumerate() {
                let area = ends[0][k].length().max(ends[1][k].length());
                lengths[i] += moved(i, pressure.abs() * area);
            }
        }
    }

    /// The impulse that changed the motion of a body.
    fn gained(&self, i: usize, before: &State, now: &State) -> f64 {
        let body = &self.model.bodies[i];
        let speed = (now.velocities[i] / self.kept - before.velocities[i]).length();
        let spin = body.radius * (now.spins[i] / self.kept - before.spins[i]).length();
        if body.is_free() { body.mass * (speed + spin) } else { 0.0 }
    }

    /// What the places at which a step began and ended give away in energy by taking overlaps and
    /// errors of joints back, `gradients` being those of its ends: a body that is lifted out of an
    /// overlap gains height, by no more than it had sunk in, or is still.
    pub fn lifted(
        &self,
        before: &State,
        now: &State,
        gradients: [&[DVec3]; 2],
        contacts: &[Contact],
    ) -> f64 {
        if !self.corrects {
            return 0.0;
        }
        let expected = self.expected(before, now);
        let lengths = self.corrections(before, now, contacts);
        let lift = |i: usize| {
            let way = now.positions[i] - expected.positions[i];
            let part = if way.length() > lengths[i] { lengths[i] / way.length() } else { 1.0 };
            gradients.map(|g| g[i].dot(way)).into_iter().fold(0.0, f64::max) * part
        };
        self.model.free().map(lift).sum()
    }

    /// How far each body may have been moved out of overlaps and errors of joints that there are
    /// in two states.
    fn corrections(&self, first: &State, second: &State, contacts: &[Contact]) -> Vec<f64> {
        let count = self.model.bodies.len();
        let pairs = contacts.iter().filter_map(|contact| {
            let other = contact.with.body(self.model).filter(|other| *other < count)?;
            let body = contact.body as usize;
            (body < count).then_some([body, other])
        });
        corrections(self.model, &self.crowd, [first, second], pairs)
    }
}

/// How fast an impulse at the end of an arm makes a body, at most.
fn gives(body: &Body, arm: f64) -> f64 {
    let DMat3 { x_axis, y_axis, z_axis } = body.inertia;
    let moments = [x_axis.x, y_axis.y, z_axis.z].into_iter().filter(|moment| *moment > 0.0);
    let least = moments.fold(f64::INFINITY, f64::min);
    body.inverse_mass() + body.radius * arm / least
}

/// The bodies of a contact, and how much faster it can make any of their points.
pub(super) fn stirred<'a>(
    model: &'a Model,
    before: &'a State,
    contact: &'a Contact,
) -> impl Iterator<Item = (usize, f64)> + 'a {
    let ends = [Some(contact.body as usize), contact.with.body(model)].into_iter().zip(contact.at);
    ends.filter_map(|(end, at)| {
        let i = end.filter(|&i| i < model.bodies.len())?;
        let arm = at.distance(before.positions[i]);
        Some((i, contact.force.length() * gives(&model.bodies[i], arm)))
    })
}

/// The part of their velocity that bodies keep in a step.
pub(super) fn kept(model: &Model, dt: f64) -> f64 {
    (1.0 - model.method.dynamics().damping * dt).max(0.0)
}

impl Measure for Motion<'_> {
    fn frame(&mut self, step: &Step) {
        let Some(before) = step.before else { return };
        let (before, now) = (&before.state, &step.frame.state);
        let expected = self.expected(before, now);
        let accelerations = self.accelerations(before, now);
        // Most steps need no look at what was corrected.
        let mut corrected = None;
        for i in self.model.free() {
            let [off, mut allowed] = self.off(i, before, now, &expected, accelerations[i]);
            if off > allowed && self.corrects {
                let contacts = &step.frame.contacts;
                let lengths = corrected.get_or_insert_with(|| {
                    self.others(before, now, &expected, contacts, &step.frame.trace)
                });
                allowed += lengths[i];
                let mut cloths = self.model.cloths.iter();
                if let Some(cloth) = cloths.find(|cloth| cloth.particles().contains(&i)) {
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
    let islands = Islands::new(model, near);
    let mut largest = vec![0.0_f64; model.bodies.len()];
    for (body, length) in errors {
        let island = &mut largest[islands.of[body]];
        *island = island.max(2.0 * length);
    }
    (0..model.bodies.len()).map(|i| largest[islands.of[i]]).collect()
}

/// The angle of a turn; exact if it is small, too.
pub(super) fn angle(turn: DQuat) -> f64 {
    2.0 * turn.xyz().length().atan2(turn.w.abs())
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
        let mut motion = Motion::new(&model, 0.01);
        let subject =
            Subject { model: &model, limits, start: &first.state, first: (0, &first.state) };
        assert!(make(subject).is_some());
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
        // An overlap that the change itself makes explains nothing.
        assert!(off(|s| s.positions[2].z -= 0.1).value > 1.0);
    }
}
