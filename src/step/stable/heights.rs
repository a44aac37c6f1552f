//! The static minimum-energy problem of the paper's conclusion: every plank
//! keeps its x, the heights of its two ends are the unknowns, planks stay above
//! each other and above a floor; where is the energy least? A linear program,
//! solved by its dual.

use std::sync::Arc;

use crate::solver::linear::{Polygon, Program, Simplex};

/// A flat body: where its ends are, and the height of its lower side now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plank {
    /// The x of its left end.
    pub left: f64,
    /// The x of its right end, greater than that of the left one.
    pub right: f64,
    /// The height of its lower side, level as it is now.
    pub bottom: f64,
    /// From its lower to its upper side.
    pub thickness: f64,
    /// Half of it at each end.
    pub mass: f64,
}

/// The heights of the lower side at both ends of each plank, and the energy
/// lost on the way there, in units of gravity.
pub fn lowest(planks: &[Plank]) -> (Vec<[f64; 2]>, f64) {
    // Upper planks stay above lower ones at the ends of their common interval:
    // rows . heights >= thickness; the dual has one column per row.
    let mut dual = Program { rows: 2 * planks.len() + 1, ..Default::default() };
    let objective = 2 * planks.len() as u32;
    for (i, lower) in planks.iter().enumerate() {
        for (j, upper) in planks.iter().enumerate() {
            let (left, right) = (lower.left.max(upper.left), lower.right.min(upper.right));
            let resting =
                (upper.bottom - lower.bottom - lower.thickness).abs() < 1e-6 * lower.thickness;
            if i == j || !resting || right - left < 1e-9 * (lower.right - lower.left) {
                continue;
            }
            for x in [left, right] {
                let mut column = share(upper, j, x, 1.0);
                column.extend(share(lower, i, x, -1.0));
                column.push((objective, -lower.thickness));
                dual.columns.push(column);
            }
        }
    }
    for row in 0..objective {
        dual.columns.push(vec![(row, 1.0)]);
    }
    let mut right: Vec<f64> = planks.iter().flat_map(|p| [0.5 * p.mass, 0.5 * p.mass]).collect();
    right.push(0.0);
    // Energy = largest s with objective . f - s = 0; its prices are the heights.
    let simplex = Simplex::new(Arc::new(dual), right, Polygon::Round, &[]);
    let (energy, prices) = simplex.push(&[(objective, -1.0)], f64::INFINITY);
    let heights: Vec<[f64; 2]> =
        (0..planks.len()).map(|i| [prices[2 * i], prices[2 * i + 1]]).collect();
    let before: f64 = planks.iter().map(|p| p.mass * p.bottom).sum();
    (heights, before - energy)
}

/// The height of a plank at `x` as a combination of its two ends.
fn share(plank: &Plank, index: usize, x: f64, sign: f64) -> Vec<(u32, f64)> {
    let along = (x - plank.left) / (plank.right - plank.left);
    let at = 2 * index as u32;
    [(at, sign * (1.0 - along)), (at + 1, sign * along)]
        .into_iter()
        .filter(|e| e.1 != 0.0)
        .collect()
}
