//! What a step tells besides its contacts, found by comparing where and how fast
//! the bodies are with what they were.

use super::bodies::{Bodies, Velocity};
use super::pressure::gradient;
use crate::math::{DQuat, DVec3, turned};
use crate::scene::{DynamicsOptions, Mode};
use crate::world::{Contact, Model, Trace};

/// What rounding does to moments, relative to the largest of their terms.
const ROUNDING: f64 = 1e-12;

/// The impulse of something between two bodies: on the first; the second gets its opposite.
/// Moments are about the centres of the bodies, with the arms of the moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impulse {
    pub force: DVec3,
    pub moments: [DVec3; 2],
}

impl Impulse {
    pub fn add(&mut self, force: DVec3, moments: [DVec3; 2]) {
        self.force += force;
        self.moments[0] += moments[0];
        self.moments[1] += moments[1];
    }

    pub fn is_zero(&self) -> bool {
        self.force == DVec3::ZERO && self.moments == [DVec3::ZERO; 2]
    }

    /// Whether it changes the velocities of none of two bodies beyond their last digit: what passes
    /// leave of a push that was taken back has no direction.
    pub fn is_rounding(&self, bodies: &Bodies, ends: [usize; 2]) -> bool {
        let is_none = |side: usize| {
            let (inverse, velocity) = (&bodies.inverse[ends[side]], &bodies.velocities[ends[side]]);
            let turn = inverse.inertia * self.moments[side];
            self.force.length() * inverse.mass <= f64::EPSILON * velocity.linear.length()
                && turn.length() <= f64::EPSILON * velocity.angular.length()
        };
        is_none(0) && is_none(1)
    }

    /// What of the moments the force at points does not explain, from centres to which the points
    /// belong; nothing on a side that nothing turns.
    pub fn couples(&self, arms: [DVec3; 2], turns: [bool; 2]) -> [DVec3; 2] {
        let couples = [0, 1].map(|k| match turns[k] {
            true => self.moments[k] - arms[k].cross(self.force),
            false => DVec3::ZERO,
        });
        // What differs by rounding only is the same.
        let size = self.force.length() * arms[0].length().max(arms[1].length());
        let same = turns == [true; 2] && couples[0].distance(couples[1]) <= ROUNDING * size;
        if same { [couples[0]; 2] } else { couples }
    }
}

/// Where and how fast the bodies are before a step.
pub struct Before {
    positions: Vec<DVec3>,
    rotations: Vec<DQuat>,
    velocities: Vec<Velocity>,
}

impl Before {
    pub fn new(bodies: &Bodies) -> Before {
        Before {
            positions: bodies.positions.clone(),
            rotations: bodies.rotations.clone(),
            velocities: bodies.velocities.clone(),
        }
    }

    pub fn position(&self, body: usize) -> DVec3 {
        self.positions[body]
    }

    /// Completes what a step tells, before damping, from its contacts, kicks, tensions and
    /// pressures.
    pub fn complete(
        &self,
        bodies: &Bodies,
        contacts: &[Contact],
        options: &DynamicsOptions,
        trace: &mut Trace,
    ) {
        let model = &bodies.prepared.model;
        let mut given = self.given(bodies, contacts, trace);
        self.ways(bodies, &given, options, trace);
        if options.mode == Mode::Default && !model.cloths.is_empty() {
            self.threads(model, bodies, &mut given, trace);
            let of = |i: usize| {
                let gained = bodies.velocities[i].linear - self.velocities[i].linear;
                let weight = model.pull(i) * options.time_step;
                let mass = model.bodies[i].mass;
                if model.bodies[i].is_free() {
                    (gained - weight) * mass - given[i].force
                } else {
                    DVec3::ZERO
                }
            };
            trace.strays = (model.rigid_count()..bodies.world()).map(of).collect();
        }
        if options.mode == Mode::Paper && model.rigid_count() > 0 {
            let of = |i: usize| {
                let (now, before) = (bodies.angular_momentum(i), self.angular_momentum(bodies, i));
                now - before - given[i].moments[0]
            };
            let turns = |i: usize| if bodies.turns_freely(i) { of(i) } else { DVec3::ZERO };
            trace.gyrations = (0..bodies.world()).map(turns).collect();
        }
        trace.drop_zeros();
    }

    fn angular_momentum(&self, bodies: &Bodies, i: usize) -> DVec3 {
        bodies.prepared.inertia_turned(i, self.rotations[i]) * self.velocities[i].angular
    }

    /// What contacts and forces gave each body, about its centre.
    fn given(&self, bodies: &Bodies, contacts: &[Contact], trace: &Trace) -> Vec<Impulse> {
        let mut given = vec![Impulse::default(); bodies.world()];
        for contact in contacts {
            let ends = [Some(contact.body as usize), contact.with.body(&bodies.prepared.model)];
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let Some(body) = ends[side] else { continue };
                let arm = contact.at[side] - self.positions[body];
                let moment = arm.cross(contact.force) + contact.couples[side];
                given[body].add(contact.force * sign, [moment * sign, DVec3::ZERO]);
            }
        }
        for (given, kick) in given.iter_mut().zip(&trace.kicks) {
            given.force += *kick;
        }
        given
    }

    /// Where impulses took the bodies, and where displacements did.
    fn ways(
        &self,
        bodies: &Bodies,
        given: &[Impulse],
        options: &DynamicsOptions,
        trace: &mut Trace,
    ) {
        let model = &bodies.prepared.model;
        let dt = options.time_step;
        let substeps = match options.mode {
            Mode::Default => options.substeps.max(1) as f64,
            Mode::Paper => 1.0,
        };
        // Velocities change before places do.
        let fall = 0.5 * dt * dt * (1.0 + 1.0 / substeps);
        let count = bodies.world();
        trace.ways = vec![DVec3::ZERO; count];
        trace.turns = vec![DVec3::ZERO; count];
        trace.shifts = vec![DVec3::ZERO; count];
        trace.shift_turns = vec![DVec3::ZERO; count];
        for i in model.free() {
            let now = (bodies.positions[i], bodies.rotations[i]);
            let (place, turn) = bodies.unshifted(i);
            trace.shifts[i] = now.0 - place;
            trace.shift_turns[i] = rotation(turn, now.1);
            if given[i].is_zero() && !model.bodies[i].is_particle() {
                continue;
            }
            let Velocity { linear, angular } = self.velocities[i];
            let free = linear * dt + model.pull(i) * fall;
            trace.ways[i] = place - self.positions[i] - free;
            // By as much as the spin of before would turn it.
            let spun = turned(angular * dt) * self.rotations[i];
            trace.turns[i] = rotation(spun, turn);
        }
    }

    /// Adds what threads and air give along their directions.
    fn threads(&self, model: &Model, bodies: &Bodies, given: &mut [Impulse], trace: &Trace) {
        let threads = model.cloths.iter().flat_map(|cloth| &cloth.threads);
        for (thread, tension) in threads.zip(&trace.tensions) {
            let [a, b] = thread.ends.map(|end| end as usize);
            let along = |x: &[DVec3]| (x[b] - x[a]).normalize_or_zero();
            let pull =
                (along(&self.positions) + along(&bodies.positions)).normalize_or_zero() * *tension;
            given[a].force += pull;
            given[b].force -= pull;
        }
        for (cloth, pressure) in model.cloths.iter().zip(&trace.pressures) {
            let ends = [&self.positions, &bodies.positions].map(|x| gradient(cloth, x));
            for ((i, first), last) in cloth.particles().zip(&ends[0]).zip(&ends[1]) {
                given[i].force += (*first + *last) * (0.5 * pressure);
            }
        }
    }
}

/// The vector of the rotation from one turn to another; exactly none between equal ones.
fn rotation(from: DQuat, to: DQuat) -> DVec3 {
    if from == to {
        return DVec3::ZERO;
    }
    let by = to * from.inverse();
    let by = if by.w < 0.0 { -by } else { by };
    let sine = by.xyz().length();
    // As the angle goes to nothing, it is twice its sine.
    if sine < 1e-12 { by.xyz() * 2.0 } else { by.xyz() * (2.0 * sine.atan2(by.w) / sine) }
}
