//! What joints ask of a step: pins (joints of kind ball) hold two points
//! together, bars (joints of kind distance that leave no room) keep their length.

use super::gauss::{Ends, Gauss, axes};
use crate::contact::Move;
use crate::math::{BAR, DQuat, DVec3};
use crate::problem::{Problem, Result};
use crate::scene::{CollapseOptions, Lengths};
use crate::solver::quadratic::Demand;
use crate::world::{Joint, JointKind, Model, State};

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
        JointKind::Distance { least, most } if most - least <= BAR * most => Ok(Hold::Bar(most)),
        _ => refused(number),
    };
    model.joints.iter().enumerate().map(hold).collect()
}

fn refused(number: usize) -> Result<Hold> {
    Err(Problem::new(format!("joint {number} is neither a pin nor a bar"))
        .help("the method collapse holds bodies at points and by bars; method = \"dynamics\" has all joints"))
}

impl Hold {
    /// How many rows it has.
    pub fn rows(self, dimension: usize) -> usize {
        match self {
            Hold::Pin => dimension,
            Hold::Bar(_) => 1,
        }
    }

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
    /// [C11 5, 8.3, 8.4]. `guess` says how bodies are expected to move; if `again`, a program
    /// said so, and what it missed of a bar's length is made good.
    pub fn add(
        self,
        program: &mut Gauss,
        ends: &Ends,
        guess: &[Move],
        options: &CollapseOptions,
        again: bool,
    ) {
        let bend = bend(program.state, ends, guess) * options.sidedness;
        let along = ends.at[0] - ends.at[1];
        let Hold::Bar(length) = self else {
            for &axis in axes(program.model.dimension) {
                program.add(Demand::Equal, axis.dot(along + bend), ends, axis);
            }
            return;
        };
        let bend = along.dot(bend);
        let turned = velocity(program.state, ends, guess).length_squared();
        let original = along.length_squared() - length * along.length();
        let masses = ends.bodies.iter().flatten().map(|b| program.model.bodies[*b as usize].mass);
        let lighter = masses.fold(f64::INFINITY, f64::min);
        // In units of the lighter body and the bar, so that the penalty has none.
        let penalty = 2.0 * Lengths::PENALTY * lighter / along.length_squared();
        let (demand, offset) = match options.lengths {
            Lengths::Prime => (Demand::Equal, turned + bend),
            Lengths::Half => (Demand::Equal, 0.5 * turned + bend),
            Lengths::Original if again => {
                let missed = stretch(program.state, ends, guess);
                (Demand::Equal, original + along.length() * missed)
            }
            Lengths::Original => (Demand::Equal, original + bend),
            Lengths::Penalty => (Demand::Soft(penalty), original + bend),
        };
        program.add(demand, offset, ends, along);
    }

    /// Whether its rows are those that the paper prints, and are not improved upon.
    pub fn is_printed(self, options: &CollapseOptions) -> bool {
        let is_bar = matches!(self, Hold::Bar(_));
        options.sidedness != 1.0 || is_bar && options.lengths != Lengths::Original
    }

    /// How much farther a joint is off if bodies move in one way than if they move in another,
    /// beyond what its rows see; `again` as in [`Hold::add`].
    pub fn misses(self, state: &State, ends: &Ends, [one, two]: [&[Move]; 2], again: bool) -> f64 {
        match self {
            Hold::Pin => bend(state, ends, one).distance(bend(state, ends, two)),
            Hold::Bar(_) if again => (stretch(state, ends, two) - stretch(state, ends, one)).abs(),
            // The first rows of a bar take it for straight.
            Hold::Bar(_) => stretch(state, ends, two).abs(),
        }
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

/// How much longer a bar gets than its row sees when bodies move so.
fn stretch(state: &State, ends: &Ends, moves: &[Move]) -> f64 {
    let along = ends.at[0] - ends.at[1];
    let straight = velocity(state, ends, moves);
    let moved = along + straight + bend(state, ends, moves);
    moved.length() - along.length() - along.normalize_or_zero().dot(straight)
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
