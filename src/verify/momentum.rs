//! Weight, forces and impulses explain every change of momentum. What threads and
//! ties join shares its momentum, since their pulls are not kept; and so does, in a
//! step of which no impulses are kept, whatever comes near each other: what touches
//! nothing fixed then keeps the momentum that gravity gives it.

use super::Verdict;
use super::checks::{Made, Measure, Step, Subject};
use super::forces::{changes, loads, ways};
use super::islands::Islands;
use super::motion::kept;
use super::worst::Worst;
use crate::math::{DMat3, DVec3};
use crate::scene::MethodName;
use crate::trajectory::Contact;
use crate::world::{Model, State};

/// What rounding does to momentum, relative to masses times velocities, and to masses times
/// coordinates per time step.
const ROUNDING: f64 = 1e-15;

/// Looks at every step.
pub(super) struct Momentum<'a> {
    model: &'a Model,
    limit: f64,
    dt: f64,
    kept: f64,
    /// Impulses are told for the arms that bodies have before the step.
    turns: bool,
    /// Whether every step keeps its impulses.
    always: bool,
    /// How many steps do.
    steps: usize,
    /// What shares its momentum even if impulses are kept.
    alone: Islands,
    by_impulses: Worst<usize>,
    by_islands: Worst<usize>,
}

/// What acted on a body in a step.
#[derive(Clone, Copy, Default)]
struct Given {
    linear: DVec3,
    angular: DVec3,
    largest: f64,
    /// The largest moment.
    arm: f64,
}

/// Something that shares its momentum.
#[derive(Clone, Copy, Default)]
struct Share {
    unexplained: DVec3,
    /// The largest impulse, or the weight times the time step.
    scale: f64,
    /// Mass times velocity, before and after.
    moving: f64,
    slack: f64,
}

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    Some(Box::new(Momentum::new(subject.model, subject.limits.momentum)?))
}

impl<'a> Momentum<'a> {
    fn new(model: &'a Model, limit: f64) -> Option<Momentum<'a>> {
        let (dt, _) = model.method.time()?;
        let is_collapse = model.method.name() == MethodName::Collapse;
        Some(Momentum {
            model,
            limit,
            dt,
            kept: kept(model, dt),
            turns: is_collapse,
            always: is_collapse,
            steps: 0,
            alone: Islands::new(model, false, [], []),
            by_impulses: Worst::default(),
            by_islands: Worst::default(),
        })
    }

    /// The change of each body's momentum that weight, forces and impulses do not explain.
    fn shares(&self, before: &State, now: &State, given: &[Given]) -> Vec<Share> {
        let (model, dt) = (self.model, self.dt);
        // Forces change within the step: the mean of its ends, give or take what they may change.
        let ends = [before, now].map(|state| loads(model, &state.positions).0);
        let changes = changes(model, &before.positions, &ways(before, now, dt));
        let share = |i: usize| {
            let mass = model.bodies[i].mass;
            if self.kept == 0.0 {
                // Whatever was given, damping has taken; so nothing moves.
                let left = mass * now.velocities[i];
                return Share { unexplained: left, scale: left.length(), ..Share::default() };
            }
            let (old, new) = (before.velocities[i], now.velocities[i] / self.kept);
            let [first, last] = [&ends[0], &ends[1]].map(|gradients| -dt * gradients[i]);
            let speed = old.length() + new.length();
            Share {
                unexplained: mass * (new - old) - 0.5 * (first + last) - given[i].linear,
                scale: (mass * dt * model.pull(i).length()).max(given[i].largest),
                moving: mass * speed,
                slack: dt * changes[i] + ROUNDING * mass * (speed + now.positions[i].length() / dt),
            }
        };
        (0..model.bodies.len()).map(share).collect()
    }

    /// The worst of all groups that nothing holds.
    fn worst(&self, index: usize, shares: &[Share], islands: &Islands) -> Worst<usize> {
        let mut worst = Worst::default();
        let mut sums = vec![Share::default(); shares.len()];
        for i in self.model.free() {
            let sum = &mut sums[islands.of[i]];
            sum.unexplained += shares[i].unexplained;
            sum.scale += shares[i].scale;
            sum.slack += shares[i].slack;
        }
        for (island, sum) in sums.iter().enumerate().filter(|(island, _)| !islands.held[*island]) {
            worst.note(relative(sum.unexplained.length(), sum.slack, sum.scale), index, island);
        }
        worst
    }

    /// The same for angular momentum.
    fn note_turns(&mut self, index: usize, before: &State, now: &State, given: &[Given]) {
        for i in self.model.free() {
            let body = &self.model.bodies[i];
            let spin = |state: &State| {
                let turn = DMat3::from_quat(state.rotations[i]);
                let momentum = turn * (body.inertia * (turn.transpose() * state.spins[i]));
                if self.model.dimension == 2 { DVec3::Z * momentum.z } else { momentum }
            };
            let (old, new) = (spin(before), spin(now));
            let mut angular = given[i].angular;
            if self.model.dimension == 2 {
                angular = DVec3::Z * angular.z;
            }
            let open = (new - old - angular).length();
            let weight = body.mass * self.dt * self.model.pull(i).length() * body.radius;
            // A turn per step is what coordinates of turns are rounded to.
            let rotation = body.mass * body.radius * body.radius / self.dt;
            let slack = ROUNDING * (old.length() + new.length() + rotation);
            self.by_impulses.note(relative(open, slack, weight.max(given[i].arm)), index, i);
        }
    }
}

/// What is beyond rounding, relative to a scale.
fn relative(value: f64, slack: f64, scale: f64) -> f64 {
    if value <= slack { 0.0 } else { (value - slack) / scale }
}

/// The impulses on every body; those of bodies that do not exist are told elsewhere.
fn given(model: &Model, before: &State, contacts: &[Contact]) -> Vec<Given> {
    let mut given = vec![Given::default(); model.bodies.len()];
    for contact in contacts {
        let ends = [Some(contact.body as usize), contact.with.body(model)];
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let Some(body) = ends[side].filter(|body| *body < given.len()) else { continue };
            let arm = contact.at[side] - before.positions[body];
            let got = &mut given[body];
            got.linear += sign * contact.force;
            got.angular += sign * arm.cross(contact.force);
            got.largest = got.largest.max(contact.force.length());
            got.arm = got.arm.max(arm.length() * contact.force.length());
        }
    }
    given
}

impl Measure for Momentum<'_> {
    fn frame(&mut self, step: &Step) {
        let Some(before) = step.before else { return };
        let (index, before, now) = (step.index, &before.state, &step.frame.state);
        let given = given(self.model, before, &step.frame.contacts);
        let mut shares = self.shares(before, now, &given);
        if self.always || !step.frame.contacts.is_empty() {
            self.steps += 1;
            self.by_impulses.merge(self.worst(index, &shares, &self.alone));
            if self.turns {
                self.note_turns(index, before, now, &given);
            }
        } else {
            // Impulses that are not kept may be as large as the momentum that they change.
            shares.iter_mut().for_each(|share| share.scale += share.moving);
            let islands = Islands::on_way(self.model, self.dt, before, now);
            self.by_islands.merge(self.worst(index, &shares, &islands));
        }
    }

    fn report(&mut self, verdict: &mut Verdict) {
        let mut worst = self.by_impulses;
        worst.merge(self.by_islands);
        let Worst { value, at } = worst;
        let detail = match (at, self.steps) {
            (Some((frame, body)), _) if value > self.limit || value.is_nan() => {
                format!("nothing explains a change of {value:.1e}: body {body}, frame {frame}")
            }
            (_, 0) => "no impulses are kept; what touches nothing fixed keeps its momentum".into(),
            (_, steps) => {
                format!("weights and impulses explain every change of momentum, in {steps} steps")
            }
        };
        verdict.measure("momentum", value, self.limit, detail);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{CollapseOptions, DynamicsOptions};
    use crate::shape::Shape;
    use crate::trajectory::StepKind;
    use crate::trajectory::{Frame, samples};
    use crate::world::{Method, Weight, With};

    /// Two balls that meet head-on and bounce off, seen by two frames.
    fn bounce(method: Method, change: impl Fn(&mut Frame)) -> (Worst<usize>, Worst<usize>) {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        model.method = method;
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
            choice: false,
        };
        let mut second =
            Frame { state, contacts: vec![contact], kind: StepKind::Collapse, ..first.clone() };
        change(&mut second);
        let mut momentum = Momentum::new(&model, 1e-8).unwrap();
        momentum.frame(&Step { index: 1, is_last: true, before: Some(&first), frame: &second });
        (momentum.by_impulses, momentum.by_islands)
    }

    fn collapse() -> Method {
        Method::Collapse(CollapseOptions { time_step: 0.01, ..Default::default() })
    }

    #[test]
    fn impulses_explain_what_happened() {
        assert!(bounce(collapse(), |_| ()).0.value < 1e-12);
        // Relative to the largest impulse, 4.
        let off = bounce(collapse(), |f| f.state.velocities[1].y = 0.002).0;
        assert!((off.value - 0.001).abs() < 1e-9 && off.at == Some((1, 1)), "{off:?}");
        let (turned, _) = bounce(collapse(), |f| f.contacts[0].at = [DVec3::Y * 0.1; 2]);
        assert!(turned.value > 0.1, "{turned:?}");
        assert!(bounce(collapse(), |f| f.contacts.clear()).0.value > 1.0);
        assert!(bounce(collapse(), |f| f.contacts[0].force.x = f64::NAN).0.value.is_nan());
    }

    #[test]
    fn without_impulses_islands_keep_their_momentum() {
        let dynamics =
            || Method::Dynamics(DynamicsOptions { time_step: 0.01, ..Default::default() });
        let (_, kept) = bounce(dynamics(), |f| f.contacts.clear());
        assert_eq!(kept.value, 0.0);
        let (_, gained) = bounce(dynamics(), |f| {
            f.contacts.clear();
            f.state.velocities[1].x = 1.5;
        });
        assert!(gained.value > 0.1, "{gained:?}");
        let (stored, islands) = bounce(dynamics(), |_| ());
        assert!(stored.value < 1e-12 && islands == Worst::default());
    }
}
