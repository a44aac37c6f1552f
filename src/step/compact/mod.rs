//! Compaction: a layout of flat pieces on a strip is made shorter by sliding
//! all pieces at once, and an overlapping one is taken apart first (Li and
//! Milenkovic). One jump is one linear program: every pair of pieces keeps to
//! its side of a straight line, a wall moves, and the wall's position is what
//! is minimised. There is no reach limit: the straight way to the end of a
//! jump is free of overlap because the cell is convex.

mod bodies;
mod chain;
mod program;

pub use chain::{Chain, Link, Member};

use crate::layout::Layout;
use crate::problem::{Problem, Result};
use crate::solver::Solution;
use bodies::Bodies;
use program::{Aim, Cell};

/// A jump that gains less than this, in units of the strip's height, is the last.
const SMALLEST_GAIN: f64 = 1e-9;
/// Layouts settle within a few jumps; this many are never needed.
const MOST_JUMPS: usize = 100;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The least distance between pieces.
    pub clearance: f64,
    /// Outward normal of the wall that moves inward.
    pub direction: [f64; 2],
}

impl Default for Options {
    fn default() -> Self {
        Options { clearance: 0.0, direction: [1.0, 0.0] }
    }
}

/// What became of a layout.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The position of the wall along its normal, counted from the far side of the strip.
    pub length_start: f64,
    pub length_end: f64,
    /// The deepest overlap (or lack of clearance) at the start; 0 if there was none.
    pub overlap_start: f64,
    /// How far the pieces moved to get apart: the sum over all pieces, and the
    /// largest; 0 unless the layout overlapped.
    pub separation: [f64; 2],
    /// How far the pieces moved altogether: the sum, and the largest.
    pub movement: [f64; 2],
    pub jumps: usize,
    /// What keeps the wall from moving on.
    pub chain: Chain,
}

/// Takes overlapping pieces apart, then moves the wall in as far as sliding
/// allows. A layout without overlap never gets longer: if no shorter one is
/// found, the pieces stay where they are.
///
/// ```
/// use riprap::layout::{Item, Layout, Placed, Strip};
/// use riprap::shape::Outline;
/// use riprap::step::compact::{compact, Options};
///
/// let square = Outline::new(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], &[])?;
/// let at = |x: f64| Placed { item: 0, rotation: 0.0, translation: [x, 0.5], fixed: false };
/// let mut layout = Layout {
///     name: "two".into(),
///     items: vec![Item { id: 0, outline: square, demand: 2, orientations: None }],
///     strip: Strip { min: [0.0, 0.0], max: [5.0, 1.75] },
///     placed: vec![at(0.5), at(3.0)],
/// };
/// let report = compact(&mut layout, &Options::default(), |_| {})?;
/// assert!((layout.strip.length() - 2.0).abs() < 1e-8);
/// assert_eq!(report.chain.path.len(), 4); // wall, square, square, wall
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn compact(
    layout: &mut Layout,
    options: &Options,
    mut keep: impl FnMut(&Layout),
) -> Result<Report> {
    let start = layout.clone();
    let mut bodies = Bodies::new(layout, options)?;
    let length_start = bodies.wall_distance();
    let overlap_start = (-bodies.least_gap()).max(0.0);
    keep(layout);
    let mut separation = [0.0; 2];
    if bodies.needs_separation() {
        separate(&mut bodies)?;
        if overlap_start > 0.0 {
            bodies.write_to(layout);
            separation = movement(&start, layout);
            keep(layout);
        }
    }
    let mut jumps = 0;
    let last = loop {
        let (gain, cell, solution) = jump(&mut bodies);
        if gain > SMALLEST_GAIN {
            bodies.write_to(layout);
            keep(layout);
            jumps += 1;
        }
        if gain <= SMALLEST_GAIN || jumps == MOST_JUMPS {
            break (cell, solution);
        }
    };
    bodies.write_to(layout);
    let mut length_end = bodies.wall_distance();
    let chain = Chain::new(&bodies, &last.0, &last.1);
    if overlap_start == 0.0 && length_end >= length_start {
        // Nothing was gained: what is valid stays as it is, to the last bit.
        *layout = start.clone();
        length_end = length_start;
    }
    let movement = movement(&start, layout);
    Ok(Report { length_start, length_end, overlap_start, separation, movement, jumps, chain })
}

/// One program: the best position of the wall in the cell around the present layout.
fn jump(bodies: &mut Bodies) -> (f64, Cell, Solution) {
    let mut cell = Cell::near(bodies, Aim::Length);
    let solution = cell.solve(bodies);
    let gain = if solution.left_to_gain.is_finite() {
        -bodies.direction.dot(solution.motion[bodies.wall_block()])
    } else {
        0.0
    };
    if gain > 0.0 {
        bodies.advance(&solution.motion);
    }
    (gain, cell, solution)
}

/// The least total movement that takes all pieces apart, as straight lines
/// between them allow; where they leave no room at all, pieces that overlap
/// pass each other along the strip.
fn separate(bodies: &mut Bodies) -> Result<()> {
    for aim in [Aim::Separation, Aim::Stretching, Aim::Unrolling] {
        let solution = Cell::near(bodies, aim).solve(bodies);
        if solution.left_to_gain.is_finite() {
            bodies.advance(&solution.motion);
            return Ok(());
        }
    }
    Err(Problem::new("the pieces cannot be taken apart: fixed ones or the strip leave no room")
        .help("let fixed pieces move, or give a higher strip"))
}

/// The sum of all pieces' ways between two layouts, and the longest.
fn movement(before: &Layout, after: &Layout) -> [f64; 2] {
    let ways = before.placed.iter().zip(&after.placed).map(|(a, b)| {
        (a.translation[0] - b.translation[0]).hypot(a.translation[1] - b.translation[1])
    });
    ways.fold([0.0, 0.0], |[sum, most], way| [sum + way, f64::max(most, way)])
}

#[cfg(test)]
mod tests;
