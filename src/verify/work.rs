//! The energy of bodies in motion: kinetic, of gravity, of forces, and of threads
//! and air that give. The stored one (without threads and air) is that of the state,
//! and what a step gains, something has given: driven bodies, motors and air by their impulses,
//! gravity and forces between the times of velocities and places, and
//! overlaps that are taken back, which let bodies sink before.

use super::Verdict;
use super::checks::{Made, Measure, Step, Subject};
use super::cloth::volume;
use super::forces::{Line, lines, loads};
use super::limits::Limits;
use super::motion::{self, kept};
use super::worst::Worst;
use crate::math::{DMat3, DVec3, exact_sum};
use crate::scene::{MethodName, Mode};
use crate::trajectory::{Contact, Frame, Trace, With};
use crate::world::{Cloth, Method, Model, Motion, State, ThreadKind};

/// Stored energies may differ from those of the states by this part of their terms: rounding.
const STORED: f64 = 1e-9;

/// Follows the energy, frame after frame.
pub(super) struct Work<'a> {
    model: &'a Model,
    limits: Limits,
    dt: f64,
    /// The time from one change of the velocities to the next.
    h: f64,
    lines: Vec<Line<'a>>,
    /// Where velocities lead, if anything is kept of them.
    motion: Option<motion::Motion<'a>>,
    stored: Worst<()>,
    /// As a length of energy (collapse), or relative to what was exchanged (dynamics).
    rise: Worst<()>,
    /// Whether rises are relative to the start.
    by_start: bool,
    /// Of the first frame, above its lowest point; and the range of what gravity gives.
    start: f64,
    heights: [f64; 2],
    last: Option<Account>,
    /// Of collapse: the energy with the mean of the velocities before and after the last place.
    centred: Option<Account>,
}

/// The energy of a state.
struct Account {
    /// Of motion, per body: along the axes, then about them.
    kinetic: Vec<[f64; 6]>,
    /// Of gravity, per body.
    weight: Vec<f64>,
    forces: f64,
    elastic: f64,
    /// What acts on each body, as gradients of the energy.
    gradients: Vec<DVec3>,
    /// The rate at which gravity and forces give energy.
    power: f64,
}

impl Account {
    fn stored(&self) -> f64 {
        exact_sum(self.terms().chain([self.forces]))
    }

    fn terms(&self) -> impl Iterator<Item = f64> + '_ {
        self.kinetic.iter().flatten().chain(&self.weight).copied()
    }

    /// Without signs.
    fn size(&self) -> f64 {
        self.terms().chain([self.forces]).map(f64::abs).sum()
    }

    /// By how much the energy rises to a later one.
    fn rise_to(&self, later: &Account) -> f64 {
        let before = self.terms().chain([self.forces, self.elastic]);
        let after = later.terms().chain([later.forces, later.elastic]);
        exact_sum(before.zip(after).map(|(a, b)| b - a))
    }

    /// How much goes from one form into another.
    fn exchanged_with(&self, later: &Account) -> f64 {
        let before = self.terms().chain([self.forces, self.elastic]);
        let after = later.terms().chain([later.forces, later.elastic]);
        before.zip(after).map(|(a, b)| (b - a).abs()).sum()
    }
}

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    Some(Box::new(Work::new(subject.model, subject.limits)?))
}

impl<'a> Work<'a> {
    fn new(model: &'a Model, limits: Limits) -> Option<Work<'a>> {
        let (dt, _) = model.method.time()?;
        Some(Work {
            model,
            limits,
            dt,
            h: substep(&model.method, dt),
            lines: lines(model),
            motion: (kept(model, dt) > 0.0).then(|| motion::Motion::new(model, dt)),
            stored: Worst::default(),
            rise: Worst::default(),
            by_start: model.method.name() == MethodName::Collapse,
            start: 0.0,
            heights: [f64::INFINITY, f64::NEG_INFINITY],
            last: None,
            centred: None,
        })
    }

    fn account(&self, state: &State) -> Account {
        let (mut kinetic, mut weight) = (Vec::new(), Vec::new());
        for i in self.model.free() {
            let body = &self.model.bodies[i];
            let v = state.velocities[i];
            let spin = DMat3::from_quat(state.rotations[i]).transpose() * state.spins[i];
            let (along, about) = (0.5 * body.mass * v * v, 0.5 * spin * (body.inertia * spin));
            kinetic.push([along.x, along.y, along.z, about.x, about.y, about.z]);
            weight.push(-body.mass * self.model.pull(i).dot(state.positions[i]));
        }
        let forces = exact_sum(self.lines.iter().map(|line| line.energy(&state.positions)));
        let elastic = self.model.cloths.iter().map(|cloth| elastic(cloth, &state.positions)).sum();
        let (gradients, _) = loads(self.model, &state.positions);
        let power = self.model.free().map(|i| -gradients[i].dot(state.velocities[i])).sum();
        Account { kinetic, weight, forces, elastic, gradients, power }
    }

    /// The energy of the start above the lowest point of any body: what a collapse lives on.
    fn start_energy(&self, account: &Account, state: &State) -> f64 {
        let model = self.model;
        let Some(down) = model.gravity.try_normalize() else { return account.size() };
        let heights =
            (0..model.bodies.len()).map(|i| -down.dot(state.positions[i]) - model.bodies[i].radius);
        let lowest = heights.fold(f64::INFINITY, f64::min);
        let kinetic: f64 = account.kinetic.iter().flatten().sum();
        let lifted = model.free().map(|i| {
            let height = -down.dot(state.positions[i]) - lowest;
            model.bodies[i].mass * model.gravity.length() * height
        });
        kinetic + lifted.sum::<f64>()
    }

    /// What gravity and forces give and contacts take in a step even if nothing moves.
    fn at_rest(&self, account: &Account) -> f64 {
        let fall = |i: usize| {
            let gained = account.gradients[i].length() * self.dt;
            gained * gained * self.model.bodies[i].inverse_mass()
        };
        self.model.free().map(fall).sum()
    }

    /// Velocities change before places do, and so are those of half a substep before: what
    /// gravity and forces give in that time is not lost, and comes back as their power fades.
    fn comes_back(&self, last: &Account, now: &Account) -> f64 {
        0.5 * self.h * (last.power - now.power).max(0.0)
    }

    /// By how much the energy of a collapse has risen at the place where the step began, if nothing
    /// but joints acts: these lead bodies round, and half a step before its place a body is faster than
    /// there, by the energy of half of the change of its velocity. So at a place it has the
    /// mean of the velocities before and after it. A run starts with the velocity of its first place,
    /// across which joints pull in the first step.
    fn centred_rise(&mut self, step: &Step, account: &Account) -> Option<f64> {
        let before = step.before.filter(|_| self.by_start && !self.model.joints.is_empty())?;
        let is_joint = |contact: &Contact| matches!(contact.with, With::Joint(_));
        if !step.frame.contacts.iter().all(is_joint) {
            self.centred = None;
            return None;
        }
        let (old, new) = (&before.state, &step.frame.state);
        let (mut mean, mut change) = (old.clone(), old.clone());
        for i in self.model.free() {
            mean.velocities[i] = 0.5 * (old.velocities[i] + new.velocities[i]);
            mean.spins[i] = 0.5 * (old.spins[i] + new.spins[i]);
            change.velocities[i] = new.velocities[i] - old.velocities[i];
            change.spins[i] = new.spins[i] - old.spins[i];
        }
        if step.index == 1 {
            let start = self.account(old);
            let gained: f64 = self.account(&change).kinetic.iter().flatten().sum();
            let rise = start.rise_to(account) - gained;
            self.centred = Some(start);
            return Some(rise);
        }
        let centred = self.account(&mean);
        let rise = self.centred.as_ref().map(|last| last.rise_to(&centred));
        self.centred = Some(centred);
        rise
    }

    /// What driven bodies and motors give, at most.
    fn given(&self, before: &Frame, frame: &Frame) -> f64 {
        let states = [&before.state, &frame.state];
        let pushes = frame.contacts.iter().map(|contact| match contact.with {
            With::Motor(_) => self.work_of_motor(contact, states),
            _ => self.work_of(contact, states),
        });
        // Of air that gives, what it has stored before is accounted for.
        let hard = |cloth: &Cloth| cloth.air.is_some_and(|air| air.compliance == 0.0);
        let balloons = self.model.cloths.iter().enumerate().filter(|(_, cloth)| hard(cloth));
        let airs =
            balloons.map(|(k, cloth)| self.work_of_air(k, cloth, states, &frame.trace).max(0.0));
        pushes.sum::<f64>() + airs.sum::<f64>()
    }

    /// What the air gives a cloth: its pressure times what the volume grows or, where it is told for each
    /// particle, its impulses along their ways.
    fn work_of_air(&self, k: usize, cloth: &Cloth, states: [&State; 2], trace: &Trace) -> f64 {
        let [before, now] = states.map(|state| &state.positions);
        let by_pressure = trace
            .pressures
            .get(k)
            .map_or(0.0, |pressure| pressure * (volume(cloth, now) - volume(cloth, before)));
        let first = self.model.rigid_count();
        let told = |i: usize| trace.airs.get(i - first).copied().unwrap_or_default();
        let by_airs: f64 = cloth.particles().map(|i| told(i).dot(now[i] - before[i])).sum();
        (by_pressure + by_airs) / self.dt
    }

    /// What a motor gives: its impulse times the speed of its bodies against each other.
    fn work_of_motor(&self, contact: &Contact, states: [&State; 2]) -> f64 {
        let model = self.model;
        let ends = [Some(contact.body as usize), contact.with.body(model)];
        let give = |state: &State| {
            let mut work = 0.0;
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let Some(i) = ends[side].filter(|&i| i < model.bodies.len()) else { continue };
                let arm = contact.at[side] - states[0].positions[i];
                let moment = arm.cross(contact.force) + contact.couples[side];
                let power = contact.force.dot(state.velocities[i]) + moment.dot(state.spins[i]);
                work += sign * power;
            }
            work
        };
        give(states[0]).max(give(states[1])).max(0.0)
    }

    /// What a driven body gives by an impulse.
    fn work_of(&self, contact: &Contact, states: [&State; 2]) -> f64 {
        let model = self.model;
        let ends = [Some(contact.body as usize), contact.with.body(model)];
        let mut work = 0.0;
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let Some(i) = ends[side].filter(|&i| i < model.bodies.len()) else { continue };
            if model.bodies[i].motion == Motion::Driven {
                let give = |state: &State| {
                    let arm = contact.at[side] - states[0].positions[i];
                    let speed = state.velocities[i] + state.spins[i].cross(arm);
                    sign * contact.force.dot(speed)
                };
                work += give(states[0]).max(give(states[1]));
            }
        }
        work
    }
}

/// The time from one change of the velocities to the next.
fn substep(method: &Method, dt: f64) -> f64 {
    match method {
        Method::Dynamics(options) if options.mode == Mode::Default => {
            dt / options.substeps.max(1) as f64
        }
        _ => dt,
    }
}

/// What threads and air that give have stored.
fn elastic(cloth: &Cloth, x: &[DVec3]) -> f64 {
    let threads = cloth.threads.iter().filter(|thread| thread.compliance > 0.0).map(|thread| {
        let [a, b] = thread.ends.map(|end| x[end as usize]);
        let longer = a.distance(b) - thread.length;
        // What resists folding does nothing when it is long.
        let held = if thread.kind == ThreadKind::Bend { longer.min(0.0) } else { longer };
        held * held / (2.0 * thread.compliance)
    });
    let air = cloth.air.filter(|air| air.compliance > 0.0).map_or(0.0, |air| {
        (volume(cloth, x) - air.factor * air.rest_volume).powi(2) / (2.0 * air.compliance)
    });
    threads.sum::<f64>() + air
}

impl Measure for Work<'_> {
    fn frame(&mut self, step: &Step) {
        // Bodies that are taken apart stand.
        let account = self.account(&step.frame.state);
        let size = account.size().max(f64::MIN_POSITIVE);
        let off = (account.stored() - step.frame.energy).abs() / size;
        self.stored.note(off, step.index, ());
        let height = exact_sum(account.weight.iter().copied());
        self.heights = [self.heights[0].min(height), self.heights[1].max(height)];
        let centred = self.centred_rise(step, &account);
        if let (Some(last), Some(before)) = (&self.last, step.before) {
            // A difference of large numbers is not exact.
            let rounding = 1e-14 * size;
            let given = self.given(before, step.frame) + self.comes_back(last, &account);
            let mut rise = last.rise_to(&account) - given - rounding;
            if let Some(centred) = centred {
                rise = rise.min(centred - rounding);
            }
            let scale = match self.by_start {
                true => 1.0,
                false => last.exchanged_with(&account) + self.at_rest(&account),
            };
            if let (Some(motion), true) = (&self.motion, rise > self.limits.energy_rise * scale) {
                let (states, contacts) = ([before, step.frame], &step.frame.contacts);
                let [from, to] = states.map(|frame| &frame.state);
                let gradients = [&last.gradients[..], &account.gradients[..]];
                rise -= motion.lifted(from, to, gradients, contacts);
            }
            let relative = if rise <= 0.0 { 0.0 } else { rise / scale };
            self.rise.note(relative, step.index, ());
        } else {
            self.start = self.start_energy(&account, &step.frame.state);
        }
        self.last = Some(account);
    }

    fn report(&mut self, verdict: &mut Verdict) {
        let off = self.stored.value;
        let detail = format!("the stored energies are off by {off:.1e} at most");
        verdict.measure("energy", off, STORED, detail);
        let frame = self.rise.at.map_or(0, |(frame, ())| frame);
        let (rise, of) = match self.by_start {
            true => {
                let scale = self.start.max(self.heights[1] - self.heights[0]);
                let rise = if self.rise.value > 0.0 { self.rise.value / scale } else { 0.0 };
                (rise, "the energy of the start")
            }
            false => (self.rise.value, "what a step exchanges"),
        };
        verdict.max_energy_rise = Some(rise);
        let detail = match rise > 0.0 {
            true => format!("a step gains {rise:.1e} of {of}, to frame {frame}"),
            false => "no step gains energy".into(),
        };
        verdict.measure("energy rise", rise, self.limits.energy_rise, detail);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DQuat;
    use crate::scene::{CollapseOptions, DynamicsOptions};
    use crate::shape::Shape;
    use crate::trajectory::StepKind;
    use crate::trajectory::samples;
    use crate::world::{JointKind, Weight};

    const DT: f64 = 0.01;

    /// A ball of mass 2 that falls at speed 1 and a driven one that moves at speed 3.
    fn balls(method: Method) -> (Model, State) {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z * 10.0), State::default());
        model.method = method;
        for x in [0.0, 5.0] {
            let (ball, at) = (Shape::ball(0.5), DVec3::new(x, 0.0, 4.0));
            model.add(&mut state, ball, at, DQuat::IDENTITY, Weight::Mass(2.0)).unwrap();
        }
        state.velocities[0].z = -1.0;
        (model, state)
    }

    fn dynamics() -> Method {
        Method::Dynamics(DynamicsOptions { time_step: DT, ..Default::default() })
    }

    fn collapse() -> Method {
        Method::Collapse(CollapseOptions { time_step: DT, ..Default::default() })
    }

    fn work(model: &Model, first: State, second: State, contacts: Vec<Contact>) -> [f64; 3] {
        let mut work = Work::new(model, Limits::of(&model.method)).unwrap();
        let frame = |step: u64, state: State| {
            let energy = work.account(&state).stored();
            Frame { state, energy, kind: StepKind::Dynamics, ..samples::frame(step, 2) }
        };
        let first = frame(0, first);
        let second = Frame { contacts, ..frame(1, second) };
        work.frame(&Step { index: 0, is_last: false, before: None, frame: &first });
        work.frame(&Step { index: 1, is_last: true, before: Some(&first), frame: &second });
        [work.stored.value, work.rise.value, work.start]
    }

    /// One step of symplectic Euler.
    fn fallen(state: &State) -> State {
        let mut next = state.clone();
        for i in 0..2 {
            next.velocities[i].z -= 10.0 * DT;
            next.positions[i] += DT * next.velocities[i];
        }
        next
    }

    #[test]
    fn a_fall_gains_nothing_and_a_push_something() {
        for method in [dynamics(), collapse()] {
            let (model, state) = balls(method);
            let [stored, rise, start] = work(&model, state.clone(), fallen(&state), vec![]);
            assert_eq!((stored, rise), (0.0, 0.0));
            // Both are 0.5 above the lowest point: 2 * 2 * 10 * 0.5, and a motion of 1.
            assert!((start - 21.0).abs() < 1e-12, "{start}");
            let mut faster = fallen(&state);
            faster.velocities[1].x = 1.0;
            let [_, rise, _] = work(&model, state.clone(), faster, vec![]);
            assert!(rise > 0.3, "{rise}");
        }
    }

    /// A step of a weight on a string, by SHAKE: along the string of before, so that its length is 1
    /// after the step.
    fn swung(state: &State) -> State {
        let mut next = state.clone();
        let along = state.positions[0].normalize();
        let pulled = state.velocities[0] - DVec3::Z * (10.0 * DT);
        let (mut low, mut high) = (-10.0, 0.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            let end = state.positions[0] + DT * (pulled + middle * along);
            if end.length() > 1.0 { high = middle } else { low = middle }
        }
        next.velocities[0] = pulled + low * along;
        next.positions[0] += DT * next.velocities[0];
        next
    }

    /// A weight whirls about a point in a collapse: half a step before its place it is faster than
    /// there, by more or less as it rises and falls, and gains nothing; a kick does.
    #[test]
    fn what_joints_lead_round_gains_nothing() {
        let largest = |kicked: usize, is_jointed: bool| {
            let (mut model, mut state) = balls(collapse());
            model.bodies[1].motion = Motion::Fixed;
            (state.positions[0], state.velocities[0]) = (DVec3::X, DVec3::Z * 12.0);
            if is_jointed {
                let kind = JointKind::Distance { least: 1.0, most: 1.0 };
                let points = [DVec3::X, DVec3::ZERO];
                model.join(&state, kind, [Some(0), None], points, [DVec3::Z; 2]);
            }
            let mut work = Work::new(&model, Limits::of(&model.method)).unwrap();
            let mut before: Option<Frame> = None;
            for step in 0..100 {
                let energy = work.account(&state).stored();
                let frame =
                    Frame { state: state.clone(), energy, ..samples::frame(step as u64, 2) };
                let frame = Frame { kind: StepKind::Collapse, contacts: vec![], ..frame };
                work.frame(&Step {
                    index: step,
                    is_last: false,
                    before: before.as_ref(),
                    frame: &frame,
                });
                state = swung(&state);
                if step == kicked {
                    state.velocities[0] *= 1.001;
                }
                before = Some(frame);
            }
            work.rise.value / work.start
        };
        let limit = Limits::of(&collapse()).energy_rise;
        assert!(largest(1000, false) > 5.0 * limit, "{}", largest(1000, false));
        assert!(largest(1000, true) < 0.5 * limit, "{}", largest(1000, true));
        assert!(largest(50, true) > limit, "{}", largest(50, true));
    }

    /// A weight on a string swings down: symplectic Euler gains and loses the energy of gravity in
    /// half a step, and nothing else but terms of third order in the step (the largest is 580).
    #[test]
    fn a_swing_gains_what_gravity_gives_in_half_a_step() {
        let (mut model, mut state) = balls(collapse());
        model.bodies[1].motion = Motion::Fixed;
        state.positions[0] = DVec3::X;
        state.velocities[0] = DVec3::ZERO;
        let mut steps = 0;
        while state.positions[0].z.abs() < 0.9 || state.positions[0].x > 0.0 {
            let next = swung(&state);
            let accounts = [&state, &next].map(|state| {
                let work = Work::new(&model, Limits::of(&model.method)).unwrap();
                work.account(state)
            });
            let plain = accounts[0].rise_to(&accounts[1]);
            steps += usize::from(plain > 1e-3);
            let [_, rise, _] = work(&model, state, next.clone(), vec![]);
            assert!(rise < 600.0 * DT.powi(3), "{rise} instead of {plain}");
            state = next;
        }
        assert!(steps > 10, "{steps}");
    }

    #[test]
    fn what_driven_bodies_give_is_explained() {
        let (mut model, mut state) = balls(dynamics());
        model.bodies[1].motion = Motion::Driven;
        state.velocities[1].x = -3.0;
        let mut next = fallen(&state);
        next.velocities[1] = state.velocities[1];
        // The impulse that takes the first ball along: work 2 * 3 * 3, of which half is kept.
        next.velocities[0].x = -3.0;
        let push = Contact {
            body: 0,
            with: With::Body(1),
            pieces: [0; 2],
            at: [DVec3::ZERO; 2],
            normal: -DVec3::X,
            force: DVec3::X * -6.0,
            couples: [DVec3::ZERO; 2],
            choice: false,
        };
        let [_, rise, _] = work(&model, state.clone(), next.clone(), vec![push]);
        assert_eq!(rise, 0.0);
        let weak = Contact { force: DVec3::X * -2.0, ..push };
        let [_, rise, _] = work(&model, state, next, vec![weak]);
        assert!(rise > 0.1, "{rise}");
    }

    #[test]
    fn a_stored_energy_that_is_wrong_is_found() {
        let (model, state) = balls(dynamics());
        let mut work = Work::new(&model, Limits::of(&model.method)).unwrap();
        let energy = work.account(&state).stored() * (1.0 + 1e-7);
        let frame = Frame { state, energy, ..samples::frame(0, 2) };
        work.frame(&Step { index: 0, is_last: true, before: None, frame: &frame });
        assert!(work.stored.value > STORED);
    }
}
