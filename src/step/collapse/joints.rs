//! What joints ask of a step: pins (joints of kind ball) hold two points
//! together, bars (joints of kind distance that leave no room) keep their length.

use super::gauss::{Ends, Gauss, axes};
use crate::contact::Move;
use crate::math::{DQuat, DVec3};
use crate::problem::{Problem, Result};
use crate::scene::Lengths;
use crate::solver::quadratic::Demand;
use crate::world::{Joint, JointKind, Model, State};

/// A distance that leaves no more room than this part of its length is a bar.
pub(crate) const BAR_ROOM: f64 = 1e-3;

/// What a joint holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Hold {
    Pin,
    /// A bar of this length.
    Bar(f64),
}

/// The joints of a model that this method knows, or a refusal.
pub(super) fn holds(model: &Model) -> Result<Vec<Hold>> {
    let hold = |(number, joint): (usize, &Joint)| match joint.kind {
        _ if joint.limits.is_some() || joint.motor.is_some() => refused(number),
        JointKind::Ball => Ok(Hold::Pin),
        JointKind::Distance { least, most } if most - least <= BAR_ROOM * most => {
            Ok(Hold::Bar(most))
        }
        _ => refused(number),
    };
    model.joints.iter().enumerate().map(hold).collect()
}

fn refused(number: usize) -> Result<Hold> {
    Err(Problem::new(format!("joint {number} is neither a pin nor a bar"))
        .help("the method collapse holds bodies at points and by bars; method = \"dynamics\" has all joints"))
}

impl Hold {
    /// Along which directions it holds, as long as its rows have them.
    pub fn directions(self, dimension: usize, ends: &Ends) -> Vec<DVec3> {
        match self {
            Hold::Pin => axes(dimension).to_vec(),
            Hold::Bar(_) => vec![ends.at[0] - ends.at[1]],
        }
    }

    /// How far a joint is from what it holds.
    pub fn error(self, ends: &Ends) -> f64 {
        let apart = ends.at[0].distance(ends.at[1]);
        match self {
            Hold::Pin => apart,
            Hold::Bar(length) => (apart - length).abs(),
        }
    }

    /// Adds the rows of a step on positions: points come together, bars get their lengths
    /// [C11 5, 8.3, 8.4]. `last` says how bodies moved in the last step.
    pub fn add(
        self,
        program: &mut Gauss,
        ends: &Ends,
        last: &[Move],
        lengths: Lengths,
        sidedness: f64,
    ) {
        let bend = bend(program.state, ends, last) * sidedness;
        let along = ends.at[0] - ends.at[1];
        let Hold::Bar(length) = self else {
            for &axis in axes(program.model.dimension) {
                program.add(Demand::Equal, axis.dot(along + bend), ends, axis);
            }
            return;
        };
        let turned = velocity(program.state, ends, last).length_squared();
        let original = along.length_squared() - length * along.length();
        let masses = ends.bodies.iter().flatten().map(|b| program.model.bodies[*b as usize].mass);
        let lighter = masses.fold(f64::INFINITY, f64::min);
        // In units of the lighter body and the bar, so that the penalty has none.
        let penalty = 2.0 * Lengths::PENALTY * lighter / along.length_squared();
        let (demand, offset) = match lengths {
            Lengths::Prime => (Demand::Equal, turned),
            Lengths::Half => (Demand::Equal, 0.5 * turned),
            Lengths::Original => (Demand::Equal, original),
            Lengths::Penalty => (Demand::Soft(penalty), original),
        };
        program.add(demand, offset + along.dot(bend), ends, along);
    }

    /// Adds the rows of impacts: the points do not move against each other.
    pub fn add_impact(self, program: &mut Gauss, ends: &Ends) {
        for direction in self.directions(program.model.dimension, ends) {
            program.add(Demand::Equal, 0.0, ends, direction);
        }
    }

    /// Adds the rows of accelerations (L2+) under these velocities, which take bodies in a step
    /// of length `dt` as far as `step` says.
    pub fn add_gain(
        self,
        program: &mut Gauss,
        ends: &Ends,
        velocities: &[Move],
        step: &[Move],
        dt: f64,
    ) {
        let bend = bend(program.state, ends, step) * (2.0 / (dt * dt));
        let turning = match self {
            Hold::Pin => 0.0,
            Hold::Bar(_) => velocity(program.state, ends, velocities).length_squared(),
        };
        for direction in self.directions(program.model.dimension, ends) {
            program.add(Demand::Equal, turning + direction.dot(bend), ends, direction);
        }
    }
}

/// How the first point moves as seen from the second.
fn velocity(state: &State, ends: &Ends, moves: &[Move]) -> DVec3 {
    let of = |side: usize| {
        let Some(body) = ends.bodies[side] else { return DVec3::ZERO };
        let (shift, turn) = moves[body as usize];
        shift + turn.cross(ends.at[side] - state.positions[body as usize])
    };
    of(0) - of(1)
}

/// What the linear motion of a joint's points misses when their bodies move so.
fn bend(state: &State, ends: &Ends, moves: &[Move]) -> DVec3 {
    let of = |side: usize| {
        let Some(body) = ends.bodies[side] else { return DVec3::ZERO };
        let (arm, turn) = (ends.at[side] - state.positions[body as usize], moves[body as usize].1);
        DQuat::from_scaled_axis(turn) * arm - arm - turn.cross(arm)
    };
    of(0) - of(1)
}
