//! Weight, forces and impulses explain every change of momentum and of angular
//! momentum, body by body and step by step. What forces, threads and air are said to have
//! given is compared with their laws: forces may change within a step by as much as their laws
//! say on ways of such a length, threads and air act along directions that turn no farther than
//! from one frame to the next.

use super::Verdict;
use super::checks::{Made, Measure, Step, Subject};
use super::cloth::gradient;
use super::forces::{changes, loads, ways};
use super::motion::kept;
use super::undamped::undamped;
use super::worst::Worst;
use crate::math::{DMat3, DVec3};
use crate::scene::Mode;
use crate::trajectory::{Frame, Trace};
use crate::world::{Body, Cloth, Method, Model, State};

/// What rounding does to momentum, relative to masses times velocities, and to masses times
/// coordinates per time step.
const ROUNDING: f64 = 1e-15;

/// Looks at every step.
pub(super) struct Momentum<'a> {
    model: &'a Model,
    limit: f64,
    dt: f64,
    kept: f64,
    is_paper: bool,
    /// How many substeps a step has.
    parts: f64,
    worst: Worst<(usize, &'static str)>,
}

/// What acted on a body in a step.
#[derive(Clone, Copy, Default)]
pub(super) struct Given {
    linear: DVec3,
    angular: DVec3,
    /// The largest impulse and moment, and the sums of all of either.
    largest: [f64; 2],
    pub sums: [f64; 2],
}

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    Some(Box::new(Momentum::new(subject.model, subject.limits.momentum)?))
}

impl<'a> Momentum<'a> {
    fn new(model: &'a Model, limit: f64) -> Option<Momentum<'a>> {
        let (dt, _) = model.method.time()?;
        let is_paper = matches!(&model.method, Method::Dynamics(o) if o.mode == Mode::Paper);
        let parts = match &model.method {
            Method::Dynamics(options) if !is_paper => options.substeps.max(1) as f64,
            _ => 1.0,
        };
        let kept = kept(model, dt);
        Some(Momentum { model, limit, dt, kept, is_paper, parts, worst: Worst::default() })
    }

    fn note(&mut self, value: f64, index: usize, body: usize, what: &'static str) {
        self.worst.note(value, index, (body, what));
    }

    /// The change of each body's momentum that weight, forces and impulses do not explain.
    fn note_momentum(&mut self, index: usize, before: &State, now: &State, given: &[Given]) {
        let (model, dt) = (self.model, self.dt);
        for i in model.free() {
            let mass = model.bodies[i].mass;
            if self.kept == 0.0 {
                // Whatever was given, damping has taken; so nothing moves.
                self.note(now.velocities[i].length(), index, i, "momentum");
                continue;
            }
            let (old, new) = (before.velocities[i], now.velocities[i] / self.kept);
            let weight = mass * dt * model.pull(i);
            let open = (mass * (new - old) - weight - given[i].linear).length();
            let speed = old.length() + new.length() + now.positions[i].length() / dt;
            let scale = weight.length().max(given[i].largest[0]);
            self.note(relative(open, ROUNDING * mass * speed, scale), index, i, "momentum");
        }
    }

    /// The same for angular momentum.
    fn note_turns(
        &mut self,
        index: usize,
        before: &State,
        now: &State,
        trace: &Trace,
        given: &[Given],
    ) {
        for i in self.model.free().filter(|&i| turns(&self.model.bodies[i])) {
            let body = &self.model.bodies[i];
            let flat = self.model.dimension == 2;
            let about = |momentum: DVec3| if flat { DVec3::Z * momentum.z } else { momentum };
            if self.kept == 0.0 {
                self.note(now.spins[i].length(), index, i, "angular momentum");
                continue;
            }
            let old = about(spin_momentum(body, before, i));
            let new = about(spin_momentum(body, now, i)) / self.kept;
            let gyration = trace.gyrations.get(i).copied().unwrap_or_default();
            let open = (new - old - about(given[i].angular) - about(gyration)).length();
            let weight = body.mass * self.dt * self.model.pull(i).length() * body.radius;
            // A turn per step is what coordinates of turns are rounded to.
            let rotation = body.mass * body.radius * body.radius / self.dt;
            // Spins are rounded, too, also along axes about which the body is hard to turn.
            let DMat3 { x_axis, y_axis, z_axis } = body.inertia;
            let moments = x_axis.x + y_axis.y + z_axis.z;
            let spun = moments * (before.spins[i].length() + now.spins[i].length() / self.kept);
            // Every substep turns its angular momentum and rounds it.
            let slack = ROUNDING * (spun * self.parts + rotation);
            // Impulses through its centre, which turn nothing, may be the largest.
            let levered = given[i].largest[0] * body.radius;
            let scale = weight.max(given[i].largest[1]).max(levered);
            self.note(relative(open, slack, scale), index, i, "angular momentum");
            let most = match self.is_paper {
                true => self.gyration(body, before.spins[i], now.spins[i] / self.kept, &given[i]),
                false => 0.0,
            };
            let beyond = gyration.length() - most;
            self.note(relative(beyond, slack, scale), index, i, "gyration");
        }
    }

    /// What turning an inertia at a constant spin gives, at most: the difference of its moments,
    /// times the spin, times the angle.
    fn gyration(&self, body: &Body, old: DVec3, new: DVec3, given: &Given) -> f64 {
        let DMat3 { x_axis, y_axis, z_axis } = body.inertia;
        let trace = x_axis.x + y_axis.y + z_axis.z;
        let least = x_axis.x.min(y_axis.y).min(z_axis.z);
        let spin = old.length() + new.length() + given.sums[1] / least;
        trace * spin * (self.dt * spin).min(2.0)
    }

    /// What forces are said to have given is what their laws say.
    fn note_kicks(&mut self, index: usize, before: &State, now: &State, trace: &Trace) {
        let (model, dt) = (self.model, self.dt);
        if model.forces.is_empty() {
            let any = !trace.kicks.is_empty();
            return self.note(f64::from(u8::from(any)), index, 0, "forces that there are not");
        }
        // The mean of the step's ends, give or take what forces may change.
        let ends = [before, now].map(|state| loads(model, &state.positions).0);
        let changes = changes(model, &before.positions, &ways(before, now, dt));
        for i in model.free() {
            let kick = trace.kicks.get(i).copied().unwrap_or_default();
            let weight = model.bodies[i].mass * model.pull(i);
            let mean = -0.5 * (ends[0][i] + ends[1][i]) - weight;
            let off = (kick - dt * mean).length();
            let scale = dt * (ends[0][i].length() + weight.length());
            let slack = dt * changes[i] + ROUNDING * scale;
            self.note(relative(off, slack, scale), index, i, "forces");
        }
    }

    /// What threads and air give besides comes from their turning within the step.
    fn note_strays(
        &mut self,
        index: usize,
        before: &State,
        now: &State,
        trace: &Trace,
        given: &[Given],
    ) {
        let by_numbers = [!trace.tensions.is_empty(), !trace.pressures.is_empty()];
        let by_vectors = [!trace.pulls.is_empty(), !trace.airs.is_empty()];
        let strange = match (self.model.cloths.is_empty(), self.is_paper) {
            (true, _) => [by_numbers, by_vectors].concat(),
            (false, true) => by_numbers.to_vec(),
            (false, false) => by_vectors.to_vec(),
        };
        let has_strays = self.is_paper || self.model.cloths.is_empty();
        if strange.contains(&true) || has_strays && !trace.strays.is_empty() {
            return self.note(1.0, index, 0, "cloth that is not told so");
        }
        if self.is_paper {
            return; // `threads` looks at what its threads and air give
        }
        let first = self.model.rigid_count();
        let turned = turned(self.model, self.dt, before, now);
        for i in (first..self.model.bodies.len()).filter(|&i| self.model.bodies[i].is_free()) {
            let mass = self.model.bodies[i].mass;
            let stray = trace.strays.get(i - first).copied().unwrap_or_default().length();
            let speed = before.velocities[i].length() + now.velocities[i].length();
            let weight = mass * self.dt * self.model.pull(i).length();
            let scale = given[i].sums[0] + weight + mass * speed;
            self.note(relative(stray, turned[i - first] * scale, scale), index, i, "threads");
        }
    }
}

/// Whether moments turn a body.
fn turns(body: &Body) -> bool {
    body.inertia != DMat3::ZERO
}

fn spin_momentum(body: &Body, state: &State, i: usize) -> DVec3 {
    let turn = DMat3::from_quat(state.rotations[i]);
    turn * (body.inertia * (turn.transpose() * state.spins[i]))
}

/// What is beyond rounding, relative to a scale.
fn relative(value: f64, slack: f64, scale: f64) -> f64 {
    if value <= slack { 0.0 } else { (value - slack) / scale }
}

impl Given {
    fn add(&mut self, linear: DVec3, angular: DVec3) {
        self.linear += linear;
        self.angular += angular;
        for (k, size) in [linear.length(), angular.length()].into_iter().enumerate() {
            self.largest[k] = self.largest[k].max(size);
            self.sums[k] += size;
        }
    }
}

/// The impulses on every body; those of bodies that do not exist are told elsewhere.
pub(super) fn given(model: &Model, before: &State, now: &State, frame: &Frame) -> Vec<Given> {
    let mut given = vec![Given::default(); model.bodies.len()];
    for contact in &frame.contacts {
        let ends = [Some(contact.body as usize), contact.with.body(model)];
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let Some(body) = ends[side].filter(|body| *body < given.len()) else { continue };
            let arm = contact.at[side] - before.positions[body];
            let moment = arm.cross(contact.force) + contact.couples[side];
            given[body].add(sign * contact.force, sign * moment);
        }
    }
    let trace = &frame.trace;
    for (given, kick) in given.iter_mut().zip(&trace.kicks) {
        given.add(*kick, DVec3::ZERO);
    }
    let threads = model.cloths.iter().flat_map(|cloth| &cloth.threads);
    for (thread, tension) in threads.zip(&trace.tensions) {
        let [a, b] = thread.ends.map(|end| end as usize);
        let along = |x: &[DVec3]| (x[b] - x[a]).normalize_or_zero();
        let both = along(&before.positions) + along(&now.positions);
        let pull = both.normalize_or_zero() * *tension;
        given[a].add(pull, DVec3::ZERO);
        given[b].add(-pull, DVec3::ZERO);
    }
    for (cloth, pressure) in model.cloths.iter().zip(&trace.pressures) {
        let ends = [before, now].map(|state| gradient(cloth, &state.positions));
        for (k, i) in cloth.particles().enumerate() {
            given[i].add(0.5 * *pressure * (ends[0][k] + ends[1][k]), DVec3::ZERO);
        }
    }
    let threads = model.cloths.iter().flat_map(|cloth| &cloth.threads);
    for (thread, pull) in threads.zip(&trace.pulls) {
        let [a, b] = thread.ends.map(|end| end as usize);
        given[a].add(*pull, DVec3::ZERO);
        given[b].add(-*pull, DVec3::ZERO);
    }
    let particles = &mut given[model.rigid_count()..];
    for (given, air) in particles.iter_mut().zip(&trace.airs) {
        given.add(*air, DVec3::ZERO);
    }
    for (given, stray) in particles.iter_mut().zip(&trace.strays) {
        given.linear += *stray;
    }
    given
}

/// By how much the threads and faces at every particle may turn in a step, in radians: as their
/// places and speeds at its ends tell, and no less than what rounds their impulses.
fn turned(model: &Model, dt: f64, before: &State, now: &State) -> Vec<f64> {
    let first = model.rigid_count();
    let mut turned = vec![f64::from(f32::EPSILON); model.bodies.len() - first];
    for thread in model.cloths.iter().flat_map(|cloth| &cloth.threads) {
        let [a, b] = thread.ends.map(|end| end as usize);
        let along = |x: &[DVec3]| (x[b] - x[a]).normalize_or_zero();
        let swing = |state: &State| state.velocities[a].distance(state.velocities[b]);
        let angle = along(&before.positions).distance(along(&now.positions))
            + dt * (swing(before) + swing(now)) / thread.length;
        for end in [a, b] {
            turned[end - first] = turned[end - first].max(angle);
        }
    }
    for cloth in model.cloths.iter().filter(|cloth: &&Cloth| cloth.air.is_some()) {
        let ends = [before, now].map(|state| gradient(cloth, &state.positions));
        for (k, i) in cloth.particles().enumerate() {
            let change = ends[0][k].distance(ends[1][k]) / ends[0][k].length();
            turned[i - first] = turned[i - first].max(change.min(2.0));
        }
    }
    turned
}

impl Measure for Momentum<'_> {
    fn frame(&mut self, step: &Step) {
        let Some(before) = step.before else { return };
        let (index, before, frame) = (step.index, &before.state, step.frame);
        let given = given(self.model, before, &frame.state, frame);
        let now = &undamped(self.model, self.dt, &frame.state);
        self.note_momentum(index, before, now, &given);
        self.note_turns(index, before, now, &frame.trace, &given);
        self.note_kicks(index, before, now, &frame.trace);
        self.note_strays(index, before, now, &frame.trace, &given);
    }

    fn report(&mut self, verdict: &mut Verdict) {
        let Worst { value, at } = self.worst;
        let detail = match at {
            Some((frame, (body, what))) if value > self.limit || value.is_nan() => {
                format!("nothing explains {value:.1e} of the {what} of body {body}, frame {frame}")
            }
            _ => "weights and impulses explain every change of momentum".into(),
        };
        verdict.measure("momentum", value, self.limit, detail);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::CollapseOptions;
    use crate::shape::Shape;
    use crate::trajectory::StepKind;
    use crate::trajectory::{Contact, Frame, samples};
    use crate::world::{Weight, With};

    /// Two balls that meet head-on and bounce off, seen by two frames.
    fn bounce(change: impl Fn(&mut Frame)) -> Worst<(usize, &'static str)> {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        let options = CollapseOptions { time_step: 0.01, ..Default::default() };
        model.method = Method::Collapse(options);
        for x in [-0.5, 0.5] {
            let (ball, turn) = (Shape::ball(0.5), crate::math::DQuat::IDENTITY);
            model.add(&mut state, ball, DVec3::X * x, turn, Weight::Mass(2.0)).unwrap();
        }
        let speed = |x: f64, fall: f64| DVec3::new(x, 0.0, -fall);
        state.velocities = vec![speed(1.0, 0.0), speed(-1.0, 0.0)];
        let first = Frame { state: state.clone(), ..samples::frame(0, 2) };
        state.velocities = vec![speed(-1.0, 0.01), speed(1.0, 0.01)];
        let contact = Contact {
            body: 0,
            with: With::Body(1),
            pieces: [0; 2],
            at: [DVec3::ZERO; 2],
            normal: -DVec3::X,
            force: -4.0 * DVec3::X,
            couples: [DVec3::ZERO; 2],
            choice: false,
        };
        let mut second =
            Frame { state, contacts: vec![contact], kind: StepKind::Collapse, ..first.clone() };
        change(&mut second);
        let mut momentum = Momentum::new(&model, 1e-8).unwrap();
        momentum.frame(&Step { index: 1, is_last: true, before: Some(&first), frame: &second });
        momentum.worst
    }

    #[test]
    fn impulses_explain_what_happened() {
        assert!(bounce(|_| ()).value < 1e-12);
        // Relative to the largest impulse, 4.
        let off = bounce(|f| f.state.velocities[1].y = 0.002);
        assert!((off.value - 0.001).abs() < 1e-9, "{off:?}");
        assert_eq!(off.at, Some((1, (1, "momentum"))));
        // A point aside turns the bodies, unless a couple makes up for it.
        let turned = bounce(|f| f.contacts[0].at = [DVec3::Y * 0.1; 2]);
        assert!(turned.value > 0.1 && turned.at.unwrap().1.1 == "angular momentum", "{turned:?}");
        let held = bounce(|f| {
            f.contacts[0].at = [DVec3::Y * 0.1; 2];
            f.contacts[0].couples = [(-DVec3::Y * 0.1).cross(f.contacts[0].force); 2];
        });
        assert!(held.value < 1e-12, "{held:?}");
        assert!(bounce(|f| f.contacts.clear()).value > 1.0);
        assert!(bounce(|f| f.contacts[0].force.x = f64::NAN).value.is_nan());
        // There are no forces and no cloth, so nothing can come from them.
        assert!(bounce(|f| f.trace.kicks = vec![DVec3::X; 2]).value >= 1.0);
        assert!(bounce(|f| f.trace.tensions = vec![1.0]).value >= 1.0);
        // Relative to the largest impulse, 4, times the radius.
        let gyrated = bounce(|f| f.trace.gyrations = vec![DVec3::X; 2]);
        assert!(gyrated.value > 0.49 && gyrated.at.unwrap().1.1 != "momentum", "{gyrated:?}");
    }
}
