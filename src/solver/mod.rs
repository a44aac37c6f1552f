//! Which allowed motion is best? Pure mathematics: this room knows unknowns in
//! small blocks, half-spaces that join at most two blocks, and boxes; it knows
//! no bodies, no geometry and no files.
//!
//! [`solve`] is the structured interior-point method: eliminating slacks and
//! bounds leaves one symmetric positive definite matrix with small blocks on
//! the contact graph, which a sparse Cholesky factorisation handles well: faer's, or for many
//! blocks that of `riprap_cholesky`. With
//! the feature `clarabel`, `reference::solve` answers the same question by a
//! solver that nobody here wrote.

pub mod eigen;
mod inequalities;
mod interior_point;
pub(crate) mod ldl;
pub(crate) mod linear;
mod matrix;
mod objective;
pub(crate) mod planes;
pub mod quadratic;
#[cfg(feature = "clarabel")]
pub mod reference;
#[cfg(test)]
mod samples;
mod system;

pub use interior_point::solve;
pub(crate) use matrix::{BlockMatrix, Factor};
pub(crate) use system::MANY;

use crate::math::{DMat3, DVec3};

/// Stands for "nothing that moves" on the other side of a half-space.
pub const FIXED: u32 = u32::MAX;

/// Minimise `sum_i cost_i . d_i + proximal_i / 2 |d_i|^2 + absolute_i |d_i|_1`,
/// plus all ties and ceilings, over motions `d` inside all half-spaces, ropes
/// and boxes. `d = 0` is feasible: no gap and no upper bound is negative, no
/// lower bound positive, no rope too short.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Unknowns per block: 2 or 3 (with 2, every third component is ignored).
    pub width: usize,
    /// Per block, the linear cost; its length is the number of blocks.
    pub cost: Vec<DVec3>,
    /// Per block, the weight of the quadratic term; not negative.
    pub proximal: Vec<f64>,
    /// Weights of the l1 term; empty when there is none.
    pub absolute: Vec<f64>,
    /// Quadratic costs that join two blocks.
    pub ties: Vec<Tie>,
    /// Piecewise linear costs that join two blocks.
    pub ceilings: Vec<Ceiling>,
    /// Conditions on one or two blocks.
    pub half_spaces: Vec<HalfSpace>,
    /// Curved conditions: balls around points.
    pub ropes: Vec<Rope>,
    /// Per block, how far it may move.
    pub boxes: Vec<MotionBox>,
    /// Per block, where it is: the solution does not depend on it, only the time it takes. Empty
    /// where it is not known.
    pub places: Vec<DVec3>,
}

/// A quadratic cost of moving apart, `(d_a - d_b) . block (d_a - d_b) / 2`;
/// `block` is symmetric and has no negative eigenvalue, `b` may be [`FIXED`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tie {
    /// A block.
    pub a: u32,
    /// Another one, or [`FIXED`].
    pub b: u32,
    /// The curvature.
    pub block: DMat3,
}

/// A piecewise linear cost, the largest of `slope . (d_a - d_b) + height` over
/// its pieces. The largest height is 0, so that staying put costs nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Ceiling {
    /// A block.
    pub a: u32,
    /// Another one, or [`FIXED`].
    pub b: u32,
    /// Slopes and heights.
    pub pieces: Vec<(DVec3, f64)>,
}

/// `|vector + d_a - d_b| <= length`: two points that a rope joins, or one
/// point and a fixed one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rope {
    /// A block.
    pub a: u32,
    /// Another one, or [`FIXED`].
    pub b: u32,
    /// From `b` to `a`, before the motion.
    pub vector: DVec3,
    /// At least the length of `vector`, so that staying put is allowed.
    pub length: f64,
    /// A motion may stretch the rope by this much: curved conditions are not met to the last bit.
    pub tolerance: f64,
}

/// `normal . (d_a - d_b) + gap >= 0`; `b` may be [`FIXED`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// A block.
    pub a: u32,
    /// Another one, or [`FIXED`].
    pub b: u32,
    /// Unit vector from `b` to `a`.
    pub normal: DVec3,
    /// How far the two may approach along the normal; not negative.
    pub gap: f64,
}

/// `low <= axes^T d <= high`, component by component; the columns of `axes` are orthonormal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionBox {
    /// The directions of its sides, as columns.
    pub axes: DMat3,
    /// Along each axis, the least; not positive.
    pub low: DVec3,
    /// Along each axis, the most; not negative.
    pub high: DVec3,
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// Stop when what is left to gain is below this fraction of what was gained ...
    pub relative: f64,
    /// ... or below this much.
    pub absolute: f64,
    /// Stop after so many, whatever was reached.
    pub max_iterations: usize,
}

/// The answer of a solver.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Per block; inside all conditions even if the accuracy was not reached.
    pub motion: Vec<DVec3>,
    /// One per half-space, then one per rope, never negative: the contact forces and the tensions.
    pub multipliers: Vec<f64>,
    /// The objective cannot be lowered by more than this.
    pub left_to_gain: f64,
    /// Of the interior-point method.
    pub iterations: usize,
    /// The accuracy asked for was reached.
    pub converged: bool,
}

impl Program {
    /// How many multipliers a solution has.
    pub fn rows(&self) -> usize {
        self.half_spaces.len() + self.ropes.len()
    }

    /// The objective, without the tie-breaking terms.
    pub fn linear_objective(&self, motion: &[DVec3]) -> f64 {
        self.cost.iter().zip(motion).map(|(c, d)| c.dot(*d)).sum()
    }

    /// The objective with all its terms.
    pub fn objective(&self, motion: &[DVec3]) -> f64 {
        let ties: f64 = self
            .proximal
            .iter()
            .zip(motion)
            .map(|(rho, d)| 0.5 * rho * d.length_squared())
            .sum::<f64>()
            + self
                .absolute
                .iter()
                .zip(motion)
                .map(|(kappa, d)| kappa * d.abs().element_sum())
                .sum::<f64>();
        let tied: f64 = self.ties.iter().map(|tie| tie.value(motion)).sum();
        let topped: f64 = self.ceilings.iter().map(|ceiling| ceiling.value(motion)).sum();
        self.linear_objective(motion) + ties + tied + topped
    }

    /// The smallest value of any half-space, rope or box at `motion`: feasible if not negative.
    pub fn smallest_slack(&self, motion: &[DVec3]) -> f64 {
        let rows = self.half_spaces.iter().map(|h| h.value(motion));
        let rows = rows.chain(self.ropes.iter().map(|rope| rope.value(motion)));
        let sides = self.boxes.iter().zip(motion).flat_map(|(b, d)| {
            let local = b.axes.transpose() * *d;
            let (below, above) = (local - b.low, b.high - local);
            (0..self.width).map(move |k| below[k].min(above[k]))
        });
        rows.chain(sides).fold(f64::INFINITY, f64::min)
    }
}

/// `d_a - d_b`.
fn relative(motion: &[DVec3], a: u32, b: u32) -> DVec3 {
    match b {
        FIXED => motion[a as usize],
        b => motion[a as usize] - motion[b as usize],
    }
}

impl HalfSpace {
    /// How far inside the half-space a motion ends.
    pub fn value(&self, motion: &[DVec3]) -> f64 {
        self.normal.dot(relative(motion, self.a, self.b)) + self.gap
    }
}

impl Tie {
    /// What a motion costs.
    pub fn value(&self, motion: &[DVec3]) -> f64 {
        let apart = relative(motion, self.a, self.b);
        0.5 * apart.dot(self.block * apart)
    }
}

impl Ceiling {
    /// What a motion costs.
    pub fn value(&self, motion: &[DVec3]) -> f64 {
        let apart = relative(motion, self.a, self.b);
        let pieces = self.pieces.iter().map(|(slope, height)| slope.dot(apart) + height);
        pieces.fold(f64::NEG_INFINITY, f64::max)
    }
}

impl Rope {
    /// How much of the rope's length, with its tolerance, a motion leaves unused (to first
    /// order near 0).
    pub fn value(&self, motion: &[DVec3]) -> f64 {
        let vector = self.vector + relative(motion, self.a, self.b);
        let left = self.length * self.length - vector.length_squared();
        left / (2.0 * self.length) + self.tolerance
    }
}
