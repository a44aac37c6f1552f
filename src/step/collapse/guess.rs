//! A program of a step is linear: it is told how bodies are expected to turn and slide, and
//! solved once more where they do otherwise.

use super::Collapse;
use super::gauss::{Ends, Facets};
use super::joints::Hold;
use crate::contact::{Move, Touch};
use crate::math::DVec3;
use crate::world::{Joint, State};

/// The slip of a touch matters if it would lift a body by more than this, in units of the
/// smaller radius.
const SLIP_MISS: f64 = 1e-6;

/// A step whose joints or touches would end this far from where its rows put them, in units of
/// the smaller radius, is solved once more: bodies have turned otherwise than in the last step.
const JOINT_MISS: f64 = 1e-5;
const TOUCH_MISS: f64 = 1e-4;

/// A step whose touches would hover above each other by more than this, in units of the smaller
/// radius, since bodies slide or turn otherwise than its program was told, is
/// solved once more.
const HOVER: f64 = 1e-4;

/// Half-way through a step, bodies overlap by no more than this, in units of the smaller radius:
/// half of what a run is held to.
pub(super) const HALF_WAY: f64 = 5e-4;

/// How bodies are expected to move: as in the last step, then as the program before said.
pub(super) struct Guess {
    pub moves: Vec<Move>,
    /// How far touches slide.
    pub slips: Vec<f64>,
    /// Along which edges of their cones touches push.
    pub facets: Facets,
    /// How many programs there have been.
    pub pass: usize,
}

impl Guess {
    /// Between this and another one.
    pub fn half_way(&self, other: &Guess) -> Guess {
        let middle = |(a, b): (&Move, &Move)| (0.5 * (a.0 + b.0), 0.5 * (a.1 + b.1));
        Guess {
            moves: self.moves.iter().zip(&other.moves).map(middle).collect(),
            slips: self.slips.iter().zip(&other.slips).map(|(a, b)| 0.5 * (a + b)).collect(),
            facets: other.facets.clone(),
            pass: other.pass,
        }
    }
}

impl Collapse {
    /// How much a program came out otherwise than it was told, relative to what is allowed: its
    /// touches then hover or overlap, and its joints are off.
    pub(super) fn disagreement(
        &self,
        state: &State,
        [told, came]: [&Guess; 2],
        multipliers: &[f64],
    ) -> f64 {
        let again = told.pass > 1;
        let joints = self.joints_miss(state, [&told.moves, &came.moves], again) / JOINT_MISS;
        let bends = self.options.sidedness == 1.0;
        // Those of touches come last.
        let mut row = multipliers.len() - told.facets.rows();
        let of_touch = |(k, touch): (usize, &Touch)| {
            let own = &multipliers[row..row + told.facets.count(k)];
            row += own.len();
            let friction = touch.material(&self.model).friction;
            let mut off = friction * (came.slips[k] - told.slips[k]);
            let room = self.room(state, touch, &came.moves);
            if bends {
                off += room - self.room(state, touch, &told.moves);
            }
            let most = HOVER * touch.size(&self.model);
            let after = || room + touch.rate(state, touch.moves(&came.moves));
            // What neither pushes nor overlaps may be off.
            let matters =
                own.iter().any(|multiplier| *multiplier > 0.0) || off < -most && after() < -most;
            if matters { off.abs() / most } else { 0.0 }
        };
        self.touches.iter().enumerate().map(of_touch).fold(joints, f64::max)
    }

    /// Whether any touch slides so far that its friction would lift a body.
    pub(super) fn slides(&self, slips: &[f64]) -> bool {
        let lifts = |(touch, slip): (&Touch, &f64)| {
            let lift = touch.material(&self.model).friction * slip;
            lift > SLIP_MISS * touch.size(&self.model)
        };
        self.touches.iter().zip(slips).any(lifts)
    }

    /// Whether bodies move so differently from the guess that rows miss what they are for. The
    /// paper's own terms are left as they are.
    pub(super) fn misses(&self, state: &State, guess: &[Move], motions: &[Move]) -> bool {
        // Only what gets closer than it may matters.
        let touch_misses = |touch: &Touch| self.sinks(state, touch, motions);
        self.joints_miss(state, [guess, motions], false) > JOINT_MISS
            || self.options.sidedness == 1.0 && self.touches.iter().any(touch_misses)
    }

    /// Whether the two sides of a touch come closer than they may.
    pub(super) fn sinks(&self, state: &State, touch: &Touch, motions: &[Move]) -> bool {
        let after = self.room(state, touch, motions) + touch.rate(state, touch.moves(motions));
        after < -TOUCH_MISS * touch.size(&self.model)
    }

    /// By how much the two sides of a touch may come closer, to first order, when bodies move so:
    /// until they meet at the end of the step, or half-way where bodies that turn cut corners.
    pub(super) fn room(&self, state: &State, touch: &Touch, moves: &[Move]) -> f64 {
        let moves = touch.moves(moves);
        let at_end = touch.gap + touch.bend(state, moves);
        // What overlaps at the start comes out by the end.
        let cut = touch.gap.max(0.0) + touch.bend(state, moves.map(half));
        at_end.min(2.0 * (cut + HALF_WAY * touch.size(&self.model)))
    }

    /// By how much joints would be off, in units of the smaller radius.
    fn joints_miss(&self, state: &State, moves: [&[Move]; 2], again: bool) -> f64 {
        let radius = |body: u32| self.model.bodies[body as usize].radius;
        let miss = |(joint, hold): (&Joint, &Hold)| {
            let ends = Ends::of_joint(joint, state);
            let radii = ends.bodies.into_iter().flatten().map(radius);
            let missed = hold.misses(state, &ends, moves, again);
            let is_printed = hold.is_printed(&self.options);
            if is_printed { 0.0 } else { missed / radii.fold(f64::INFINITY, f64::min) }
        };
        self.model.joints.iter().zip(&self.holds).map(miss).fold(0.0, f64::max)
    }
}

/// The first half of a move.
pub(super) fn half((shift, turn): Move) -> Move {
    (0.5 * shift, 0.5 * turn)
}

/// How touches slide: what the rows of their friction must forgive, or a sliding body would hover
/// above its support.
pub(super) fn slides(state: &State, touches: &[Touch], motions: &[Move]) -> Vec<DVec3> {
    touches.iter().map(|touch| touch.slip(state, touch.moves(motions))).collect()
}
