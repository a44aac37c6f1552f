//! Bodies are, to rounding, where what the step tells took them. Of collapse that is the
//! velocity after the step. Of dynamics it is the velocity before the step and gravity,
//! what impulses added to the way, and what was corrected besides; and a body that nothing
//! pushed has no such way. How far ways and corrections may go is asked elsewhere.

use super::Verdict;
use super::checks::{Made, Measure, Step, Subject};
use super::motion::{angle, kept};
use super::undamped::undamped;
use super::worst::Worst;
use crate::math::{DMat3, DQuat, DVec3, principal_axes};
use crate::scene::Mode;
use crate::trajectory::Frame;
use crate::world::{Body, Method, Model, State};

/// What rounding does to places, in radii, and relative to their coordinates; and to turns.
const ROUNDING: [f64; 2] = [1e-9, 1e-14];

/// Iterations that find the turn of a freely rotating body.
const TURN_ITERATIONS: i32 = 40;

/// As many of a step of dynamics leave a part of a turn that this power of half the angle bounds.
const LEFT: i32 = 8;

/// Beyond this angle a substep of dynamics turns a free body exactly, or by small turns of an order
/// of four; so it turns here.
const FAST: f64 = 0.2;
/// What these may leave, relative to the angle.
const LEFT_OF_TURNS: f64 = 1e-4;
const SMALL: f64 = 0.02;
const MOST_TURNS: f64 = 2e3;

/// Looks at every step.
pub(super) struct Places<'a> {
    model: &'a Model,
    dt: f64,
    kept: f64,
    rule: Rule,
    /// How far a body is off, relative to rounding.
    worst: Worst<usize>,
}

/// How a method takes bodies along.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    Collapse,
    /// By so many substeps.
    Dynamics(usize),
    Paper,
}

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    Some(Box::new(Places::new(subject.model)?))
}

impl<'a> Places<'a> {
    fn new(model: &'a Model) -> Option<Places<'a>> {
        let (dt, _) = model.method.time()?;
        let rule = match &model.method {
            // Mirrored bodies go where their partners say.
            Method::Collapse(options) if options.mirror => return None,
            Method::Dynamics(options) => match options.mode {
                Mode::Default => Rule::Dynamics(options.substeps.max(1)),
                Mode::Paper => Rule::Paper,
            },
            _ => Rule::Collapse,
        };
        let kept = kept(model, dt);
        Some(Places { model, dt, kept, rule, worst: Worst::default() })
    }

    /// Where a body is after a step.
    fn place(&self, i: usize, before: &State, now: &State, frame: &Frame) -> DVec3 {
        let at = before.positions[i];
        let substeps = match self.rule {
            Rule::Collapse => return at + self.dt * now.velocities[i],
            Rule::Dynamics(substeps) => substeps as f64,
            Rule::Paper => 1.0,
        };
        // The mean of 1 to n substeps.
        let fall = self.model.pull(i) * (0.5 * self.dt * self.dt * (1.0 + 1.0 / substeps));
        let told = of(&frame.trace.ways, i) + of(&frame.trace.shifts, i);
        at + self.dt * before.velocities[i] + fall + told
    }

    /// How it is turned, and how well that is known.
    fn turn(
        &self,
        i: usize,
        before: &State,
        now: &State,
        frame: &Frame,
        pushed: bool,
    ) -> (DQuat, f64) {
        let (body, dt) = (&self.model.bodies[i], self.dt);
        let (from, spin) = (before.rotations[i], before.spins[i]);
        let shift = DQuat::from_scaled_axis(of(&frame.trace.shift_turns, i));
        let flat = self.model.dimension == 2;
        match self.rule {
            Rule::Collapse if flat => (DQuat::from_scaled_axis(dt * now.spins[i]) * from, 0.0),
            Rule::Collapse => {
                let (free, left) = free_turn(body, from, spin, dt);
                let gained =
                    momentum(body, now.rotations[i], now.spins[i]) - momentum(body, from, spin);
                let turn = free + dt * (turned(body, from).inverse() * gained);
                (DQuat::from_scaled_axis(turn) * from, left)
            }
            _ if pushed => {
                let told = DQuat::from_scaled_axis(of(&frame.trace.turns, i));
                (shift * told * DQuat::from_scaled_axis(dt * spin) * from, 0.0)
            }
            Rule::Dynamics(_) if flat => (shift * DQuat::from_scaled_axis(dt * spin) * from, 0.0),
            Rule::Dynamics(substeps) => {
                let (h, kept) = (dt / substeps as f64, momentum(body, from, spin));
                let (mut turn, mut off) = (from, 0.0);
                for _ in 0..substeps {
                    let spin = turned(body, turn).inverse() * kept;
                    let angle = spin.length() * h;
                    let (by, left) = match angle > FAST {
                        true => fast_turn(body, turn, spin, h),
                        false => free_turn(body, turn, spin, h),
                    };
                    let grows = if angle > FAST { (angle * instability(body)).exp() } else { 1.0 };
                    (turn, off) = (DQuat::from_scaled_axis(by) * turn, (off + left) * grows);
                }
                (shift * turn, off)
            }
            Rule::Paper => {
                let DVec3 { x, y, z } = now.spins[i] / self.kept;
                let rate = DQuat::from_xyzw(x, y, z, 0.0) * from;
                (shift * (from + rate * (0.5 * dt)).normalize(), 0.0)
            }
        }
    }

    fn off(&self, i: usize, before: &State, now: &State, frame: &Frame, pushed: bool) -> f64 {
        let body = &self.model.bodies[i];
        let rounding = ROUNDING[0] * body.radius + ROUNDING[1] * now.positions[i].length();
        let mut off = now.positions[i].distance(self.place(i, before, now, frame)) / rounding;
        if !body.is_particle() {
            let (expected, left) = self.turn(i, before, now, frame, pushed);
            off = off.max(angle(now.rotations[i] * expected.inverse()) / (ROUNDING[0] + left));
        }
        let told = [&frame.trace.ways, &frame.trace.turns].map(|list| of(list, i));
        let has_way = self.rule != Rule::Collapse && told != [DVec3::ZERO; 2];
        if has_way && !pushed { f64::INFINITY } else { off }
    }
}

fn of(list: &[DVec3], i: usize) -> DVec3 {
    list.get(i).copied().unwrap_or_default()
}

fn turned(body: &Body, turn: DQuat) -> DMat3 {
    let turn = DMat3::from_quat(turn);
    turn * body.inertia * turn.transpose()
}

fn momentum(body: &Body, turn: DQuat, spin: DVec3) -> DVec3 {
    turned(body, turn) * spin
}

/// How a body that keeps its angular momentum turns in a time, by the rule of the midpoint, and
/// how much of that iterations that a step has no time for would change.
fn free_turn(body: &Body, from: DQuat, spin: DVec3, dt: f64) -> (DVec3, f64) {
    if body.inertia == DMat3::ZERO {
        return (dt * spin, 0.0);
    }
    let momentum = momentum(body, from, spin);
    let mut turn = dt * spin;
    for _ in 0..TURN_ITERATIONS {
        let middle = DQuat::from_scaled_axis(0.5 * turn) * from;
        turn = dt * (turned(body, middle).inverse() * momentum);
    }
    let angle = turn.length();
    (turn, angle * (0.5 * angle).powi(LEFT))
}

/// The same of one that turns fast, by classical Runge-Kutta steps; nothing is known of what turns
/// farther than these can follow.
fn fast_turn(body: &Body, from: DQuat, spin: DVec3, dt: f64) -> (DVec3, f64) {
    let (angle, momentum) = (spin.length() * dt, momentum(body, from, spin));
    let count = (angle / SMALL).ceil();
    if count > MOST_TURNS {
        return (DVec3::ZERO, f64::INFINITY);
    }
    let (h, mut turn) = (dt / count, from);
    let rate = |turn: DQuat| {
        let DVec3 { x, y, z } = turned(body, turn).inverse() * momentum;
        DQuat::from_xyzw(x, y, z, 0.0) * turn * 0.5
    };
    for _ in 0..count as usize {
        let a = rate(turn);
        let b = rate((turn + a * (0.5 * h)).normalize());
        let c = rate((turn + b * (0.5 * h)).normalize());
        let d = rate((turn + c * h).normalize());
        turn = (turn + (a + b * 2.0 + c * 2.0 + d) * (h / 6.0)).normalize();
    }
    ((turn * from.inverse()).to_scaled_axis(), angle * LEFT_OF_TURNS)
}

/// How fast turns about the axis of the middle moment depart from each other, per angle.
fn instability(body: &Body) -> f64 {
    let mut moments = principal_axes(body.inertia).0.to_array();
    moments.sort_by(f64::total_cmp);
    let [least, middle, most] = moments;
    let rate = ((most - middle) * (middle - least) / (least * most)).sqrt();
    if rate.is_finite() { rate } else { 0.0 }
}

/// Which bodies something pushed.
fn pushed(model: &Model, frame: &Frame) -> Vec<bool> {
    let count = model.bodies.len();
    let mut pushed: Vec<bool> = model.bodies.iter().map(Body::is_particle).collect();
    for contact in &frame.contacts {
        let ends = [Some(contact.body as usize), contact.with.body(model)];
        ends.into_iter().flatten().filter(|&i| i < count).for_each(|i| pushed[i] = true);
    }
    for (pushed, kick) in pushed.iter_mut().zip(&frame.trace.kicks) {
        *pushed |= *kick != DVec3::ZERO;
    }
    pushed
}

impl Measure for Places<'_> {
    fn frame(&mut self, step: &Step) {
        let Some(before) = step.before else { return };
        let pushed = pushed(self.model, step.frame);
        let now = undamped(self.model, self.dt, &step.frame.state);
        for i in self.model.free() {
            let off = self.off(i, &before.state, &now, step.frame, pushed[i]);
            self.worst.note(off, step.index, i);
        }
    }

    fn report(&mut self, verdict: &mut Verdict) {
        let Worst { value, at } = self.worst;
        let detail = match at {
            Some((frame, body)) if value > 1.0 || value.is_nan() => {
                format!("nothing took body {body} to where it is in frame {frame}")
            }
            _ => "bodies are where what they tell took them".into(),
        };
        verdict.measure("places", value, 1.0, detail);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::DynamicsOptions;
    use crate::shape::Shape;
    use crate::trajectory::{StepKind, samples};
    use crate::world::Weight;

    const DT: f64 = 0.01;

    /// A brick that tumbles and falls for a step of dynamics, found by many small ones.
    fn off(change: impl Fn(&mut Frame)) -> f64 {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z * 10.0), State::default());
        let substeps = 4;
        let options = DynamicsOptions { time_step: DT, substeps, ..Default::default() };
        model.method = Method::Dynamics(options);
        let brick = Shape::cuboid(DVec3::new(1.0, 0.5, 0.2)).unwrap();
        model.add(&mut state, brick, DVec3::X, DQuat::IDENTITY, Weight::Density(1.0)).unwrap();
        state.velocities[0] = DVec3::new(1.0, 2.0, 0.0);
        state.spins[0] = DVec3::new(2.0, 1.0, -1.0);
        let first = Frame { state: state.clone(), ..samples::frame(0, 1) };
        let body = model.bodies[0];
        let (kept, h) = (momentum(&body, state.rotations[0], state.spins[0]), DT / 4.0);
        for _ in 0..substeps {
            state.velocities[0] -= DVec3::Z * (10.0 * h);
            state.positions[0] += h * state.velocities[0];
            let spin = turned(&body, state.rotations[0]).inverse() * kept;
            let (by, _) = free_turn(&body, state.rotations[0], spin, h);
            state.rotations[0] = DQuat::from_scaled_axis(by) * state.rotations[0];
        }
        state.spins[0] = turned(&body, state.rotations[0]).inverse() * kept;
        let mut second = Frame { state, kind: StepKind::Dynamics, ..samples::frame(1, 1) };
        change(&mut second);
        let mut places = Places::new(&model).unwrap();
        places.frame(&Step { index: 1, is_last: true, before: Some(&first), frame: &second });
        places.worst.value
    }

    #[test]
    fn what_nothing_pushes_goes_its_way() {
        assert!(off(|_| ()) < 1e-3);
        assert!(off(|f| f.state.positions[0].y += 1e-7) > 1.0);
        assert!(off(|f| f.state.rotations[0] = DQuat::from_rotation_x(1e-7)) > 1.0);
        // Nobody pushed it, so no way explains it.
        let pushed = off(|f| {
            f.state.positions[0].y += 1e-7;
            f.trace.ways = vec![DVec3::Y * 1e-7];
        });
        assert!(pushed.is_infinite());
        // What is corrected is told; whether it may be is asked elsewhere.
        let shifted = off(|f| {
            f.state.positions[0].y += 1e-7;
            f.trace.shifts = vec![DVec3::Y * 1e-7];
        });
        assert!(shifted < 1e-3, "{shifted}");
    }
}
