//! Bricks that hold each other by studs: the least part of what a stud bears that the worst one
//! needs. The model is that of StableLego and its kind: at points of each stud act vertical forces,
//! a pull up to a limit, any push; sideways a stud bears any force, in the plane where the bricks
//! meet; neighbours in one layer push each other. Nothing turns about the vertical.
//!
//! As studs bear any force sideways, bricks that meet in one plane, directly or by way of others,
//! move sideways together there. So the motions of a structure are a height for every brick and two
//! shifts for every such interface: a brick turns by what its upper interface is ahead of its
//! lower one. The program has a row for each of these, and no row for the forces sideways. A force
//! at a point is `share - utilisation * limit` with a share that is not negative, so of the
//! points of a contact only the corners of their convex hull need a column.

mod contacts;
mod order;
mod plumb;
mod program;
mod reuse;
#[cfg(test)]
mod tests;

pub use contacts::{Bricks, SideContact, StudContact};
pub use order::{Held, Step};

use crate::math::DVec3;
use crate::solver::linear::End;
use program::Rows;

use super::Balance;
use super::limits::steepest;

/// A utilisation this near to 1 is decided in whole numbers.
const NEAR: f64 = 1e-6;

/// The edge of what studs bear is found so exactly, in so many turns at most; loads beyond this
/// multiple are not tried.
const NEWTON: f64 = 1e-9;
const MOST_TURNS: usize = 40;
const MOST_LOADS: f64 = 1e9;

/// How exactly tilts are known.
const LEAN: f64 = 1e-8;

/// How much of their strength studs need.
#[derive(Clone, Debug, PartialEq)]
pub struct Utilisation {
    /// Whether what there is suffices.
    pub balance: Balance,
    /// Decided in whole numbers.
    pub exact: bool,
    /// The least part of its strength that the worst contact needs; infinite if nothing would do.
    pub least: f64,
    /// It is between these two, up to the residual: what prices prove, and what forces need.
    pub bounds: [f64; 2],
    /// What the forces leave unbalanced, in units of the largest weight.
    pub residual: f64,
    /// For every contact, by how many per cent the utilisation falls if it is made one per cent
    /// stronger: the weakest contact has the largest part.
    pub parts: Vec<f64>,
    /// Bricks that no stud joins to what is fixed: they fall.
    pub floating: Vec<u32>,
    /// Velocities and spins of the collapse; none if the bricks are balanced.
    pub mechanism: Option<Vec<(DVec3, DVec3)>>,
}

/// How bricks begin to fall.
#[derive(Clone, Debug, PartialEq)]
pub struct Fall {
    /// Accelerations and angular accelerations per body.
    pub accelerations: Vec<(DVec3, DVec3)>,
    /// How exactly they satisfy their program, in units of gravity.
    pub residual: f64,
}

impl Utilisation {
    /// The contact whose strength counts most.
    pub fn weakest(&self) -> Option<usize> {
        let parts = self.parts.iter().enumerate().filter(|(_, part)| **part > 1e-6);
        parts.max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0))).map(|(contact, _)| contact)
    }

    /// Whether the collapse alone says that they are not balanced: what it breaks is worth less than
    /// what falls.
    fn is_proved_by_its_motion(&self) -> bool {
        let is_proved = self.residual < NEAR && self.bounds[0] > 1.0 + NEAR;
        self.balance == Balance::Unbalanced && (!self.floating.is_empty() || is_proved)
    }

    /// By how much all loads may grow.
    pub fn reserve(&self) -> f64 {
        self.least.recip()
    }
}

impl Bricks<'_> {
    /// How much of their strength the studs need under these loads: forces at the middle of every
    /// body, such as [`Bricks::weights`]. `prove` decides in whole numbers, whatever it costs.
    pub fn utilisation(&self, loads: &[DVec3], prove: bool) -> Utilisation {
        let floating = self.floating();
        if !floating.is_empty() {
            return self.falls(floating);
        }
        let rows = Rows::new(self);
        let program = rows.least_utilisation(loads);
        let (optimum, is_solved) = match program.solve() {
            End::Solved(optimum) => (optimum, true),
            End::Open(optimum) => (optimum, false),
        };
        let (low, high) = (optimum.bound, optimum.cost);
        // Rounding that is left of a large program may be worth so much.
        let slack = if is_solved { NEAR } else { NEAR + optimum.error(&program) };
        let mut balance = match () {
            () if low > 1.0 + slack => Balance::Unbalanced,
            () if high < 1.0 - slack => Balance::Balanced,
            () => Balance::Undecided([low, high]),
        };
        let mut exact = false;
        let is_open = prove || matches!(balance, Balance::Undecided(_));
        if let Some(is_balanced) = is_open.then(|| rows.decide(loads, &optimum.shares)).flatten() {
            exact = true;
            balance = if is_balanced { Balance::Balanced } else { Balance::Unbalanced };
        }
        Utilisation {
            balance,
            exact,
            least: high.max(0.0),
            bounds: [low, high],
            residual: optimum.residual,
            parts: rows.parts(&optimum),
            floating,
            mechanism: (balance != Balance::Balanced).then(|| rows.motion(&optimum.prices)),
        }
    }

    /// The largest multiple of other loads that the studs bear besides these; infinite if they
    /// bear any, none if they do not bear these alone. The utilisation is convex along a ray of
    /// loads and made of planes, so that Newton's method ends on its edge.
    pub fn farthest(&self, loads: &[DVec3], more: &[DVec3]) -> Option<f64> {
        if !self.floating().is_empty() {
            return None;
        }
        let rows = Rows::new(self);
        let at = |factor: f64| {
            let sum: Vec<DVec3> = loads.iter().zip(more).map(|(a, b)| *a + *b * factor).collect();
            match rows.least_utilisation(&sum).solve() {
                End::Solved(optimum) => Some((optimum.cost, rows.slope(more, &optimum.prices))),
                End::Open(_) => None,
            }
        };
        if at(0.0)?.0 > 1.0 {
            return None;
        }
        let mut factor = 1.0;
        while at(factor).is_some_and(|(used, _)| used < 1.0) {
            factor *= 4.0;
            if factor > MOST_LOADS {
                return Some(f64::INFINITY);
            }
        }
        for _ in 0..MOST_TURNS {
            let (used, slope) = at(factor)?;
            if (used - 1.0).abs() < NEWTON || slope <= 0.0 {
                break;
            }
            factor -= (used - 1.0) / slope;
        }
        Some(factor.max(0.0))
    }

    /// The angle up to which bricks hold if a level direction goes down: gravity turns, and is as strong as
    /// before. A quarter turn at most; none if they do not hold as they are.
    pub fn tilt(&self, loads: &[DVec3], towards: DVec3) -> Option<f64> {
        if !self.floating().is_empty() {
            return None;
        }
        let rows = Rows::new(self);
        let weights = self.weights();
        let down = self.model.gravity.normalize_or_zero();
        let used = |angle: f64| {
            let (sin, cos) = angle.sin_cos();
            let lean = towards * sin + down * (cos - 1.0);
            let parts = loads.iter().zip(&weights);
            let sum: Vec<DVec3> = parts.map(|(load, w)| *load + lean * w.length()).collect();
            match rows.least_utilisation(&sum).solve() {
                End::Solved(optimum) => optimum.cost,
                End::Open(_) => f64::INFINITY,
            }
        };
        steepest(used, LEAN)
    }

    /// How bricks begin to fall that are not balanced: Gauss' principle of least restraint, with
    /// studs that go on pulling as strongly as they can while they part.
    pub fn begin_to_fall(&self, loads: &[DVec3]) -> Fall {
        let rows = Rows::new(self);
        let (End::Solved(optimum) | End::Open(optimum)) = rows.least_restraint(loads).solve();
        let (accelerations, residual) = rows.accelerations(&optimum);
        Fall { accelerations, residual }
    }

    fn falls(&self, floating: Vec<u32>) -> Utilisation {
        let mut mechanism = vec![(DVec3::ZERO, DVec3::ZERO); self.model.bodies.len()];
        let down = self.model.gravity.normalize_or_zero();
        floating.iter().for_each(|body| mechanism[*body as usize].0 = down);
        Utilisation {
            balance: Balance::Unbalanced,
            exact: true,
            least: f64::INFINITY,
            bounds: [f64::INFINITY; 2],
            residual: 0.0,
            parts: vec![0.0; self.studs.len()],
            floating,
            mechanism: Some(mechanism),
        }
    }

    /// The forces at the points of every contact that balance these loads with the least sum of
    /// squares, within what the studs bear: those of bricks that are stiff and equally elastic at
    /// every point. Up is positive for the upper brick; none if there are none.
    pub fn elastic_forces(&self, loads: &[DVec3]) -> Option<Vec<Vec<f64>>> {
        let rows = Rows::new(self);
        let program = rows.least_squares(loads);
        match program.solve() {
            End::Solved(optimum) => Some(rows.point_forces(&optimum)),
            End::Open(_) => None,
        }
    }

    /// The same with studs that hold so many times what they do: forces that there would be if what
    /// is missing were there.
    pub fn elastic_forces_with(&self, loads: &[DVec3], times: f64) -> Option<Vec<Vec<f64>>> {
        let mut stronger = self.with(|_| true, |_| false);
        stronger.studs.iter_mut().for_each(|studs| studs.pull *= times);
        stronger.elastic_forces(loads)
    }

    /// The least and the greatest force that a contact exerts on its upper brick, over all forces
    /// that balance these loads within what the studs bear; infinite if there is no bound, none if
    /// there are no such forces.
    pub fn extreme_forces(&self, loads: &[DVec3], contact: usize) -> Option<[f64; 2]> {
        let rows = Rows::new(self);
        let extreme = |sign: f64| match rows.extreme(loads, contact, sign).solve() {
            End::Solved(optimum) => Some(sign * (optimum.cost - rows.shift(contact, sign))),
            End::Open(_) => None,
        };
        self.elastic_forces(loads)?;
        let [low, high] = [1.0, -1.0].map(extreme);
        Some([low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY)])
    }
}
