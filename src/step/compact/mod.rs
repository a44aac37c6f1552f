//! Compaction: a layout of flat pieces on a strip is made shorter by sliding
//! all pieces at once, and an overlapping one is taken apart first (Li and
//! Milenkovic). One jump is one linear program: every pair of pieces keeps to
//! its side of a straight line, a wall moves, and the wall's position is what
//! is minimised. There is no reach limit: the straight way to the end of a
//! jump is free of overlap because the cell is convex.

mod bodies;
mod chain;
mod program;
mod turning;
mod wander;

pub use chain::{Chain, Link, Member};

use crate::layout::Layout;
use crate::math::{DVec3, Random};
use crate::problem::{Problem, Result};
use crate::solver::Solution;
use bodies::{Bodies, PartPair};
pub use program::Party;
use program::{Aim, Cell};
pub use turning::{Turns, compact_turning};
use wander::{budget, wander};

/// A jump that gains less than this, in units of the strip's height, is the last.
const SMALLEST_GAIN: f64 = 1e-9;
/// Layouts settle within a few jumps; this many are never needed.
const MOST_JUMPS: usize = 100;

/// How many other sides of contacts are tried in all: each try is one program.
const MOST_TRIES: usize = 600;

/// Forces below this part of the wall's push are not reported.
const LEAST_HOLD: f64 = 1e-9;

/// Rows with more room than this, in units of the strip's height, do not touch.
const TOUCHING: f64 = 2e-8;

/// Of the walks of loose pieces.
const SEED: u64 = 1;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The least distance between pieces.
    pub clearance: f64,
    /// Outward normal of the wall that moves inward.
    pub direction: [f64; 2],
    /// Instead of one wall, the right and the upper side move in together, and
    /// the area of the strip is what is minimised.
    pub corner: bool,
    /// When nothing slides any more, try other sides of contacts, and other
    /// places of loose pieces.
    pub hops: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { clearance: 0.0, direction: [1.0, 0.0], corner: false, hops: true }
    }
}

/// How a layout came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// As it was given.
    Start,
    /// Pieces that overlapped have been taken apart.
    Separated,
    /// A jump: the straight way to it is free of overlap.
    Jump,
    /// A jump that took a corner past another in the air.
    Hop,
    /// Pieces have turned, and slid after it.
    Turned,
}

/// A contact that carries force at the end: who resists whom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    /// Who resists, and whom.
    pub parties: [Party; 2],
    /// The convex parts, where both are pieces.
    pub parts: [u32; 2],
    /// Unit vector from the second to the first.
    pub normal: DVec3,
    /// The wall's push being 1.
    pub force: f64,
}

/// What became of a layout.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The position of the wall along its normal, counted from the far side of the strip.
    pub length_start: f64,
    /// The same at the end.
    pub length_end: f64,
    /// The deepest overlap (or lack of clearance) at the start; 0 if there was none.
    pub overlap_start: f64,
    /// How far the pieces moved to get apart: the sum over all pieces, and the
    /// largest; 0 unless the layout overlapped.
    pub separation: [f64; 2],
    /// How far the pieces moved altogether: the sum, and the largest.
    pub movement: [f64; 2],
    /// How many programs moved the pieces.
    pub jumps: usize,
    /// How many of the jumps took a corner past another in the air: the straight
    /// way of such a jump is not free of overlap, its end is.
    pub hops: usize,
    /// What keeps the wall from moving on.
    pub chain: Chain,
    /// All forces of the last program that are more than rounding.
    pub holds: Vec<Hold>,
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
/// let mut layout = Layout::new("two", vec![Item::new(0, square, 2)], Strip { min: [0.0, 0.0], max: [5.0, 1.75] }, vec![at(0.5), at(3.0)]);
/// let report = compact(&mut layout, &Options::default(), |_, _| {})?;
/// assert!((layout.strip.length() - 2.0).abs() < 1e-8);
/// assert_eq!(report.chain.path.len(), 4); // wall, square, square, wall
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn compact(
    layout: &mut Layout,
    options: &Options,
    mut keep: impl FnMut(&Layout, Moment),
) -> Result<Report> {
    let start = layout.clone();
    let mut bodies = Bodies::new(layout, options)?;
    let length_start = bodies.wall_distance();
    let overlap_start = (-bodies.least_gap()).max(0.0);
    keep(layout, Moment::Start);
    let mut separation = [0.0; 2];
    if bodies.needs_separation() {
        match separate(&mut bodies) {
            // Valid, but too tight for any skin: it stays as it is.
            Err(_) if overlap_start == 0.0 => {}
            done => done?,
        }
        if overlap_start > 0.0 {
            bodies.write_to(layout);
            separation = movement(&start, layout);
            keep(layout, Moment::Separated);
        }
    }
    let (mut jumps, mut hops) = (0, 0);
    let mut tries = MOST_TRIES;
    let (mut random, mut pulls) = (Random::new(SEED), budget(bodies.pieces.len()));
    let last = loop {
        let (jump, hop) = match jump(&bodies) {
            jump if jump.gain > SMALLEST_GAIN => (jump, false),
            stuck if !options.hops => break stuck,
            stuck => match other_side(&mut bodies, &stuck, &mut tries) {
                Some(better) => (better, true),
                None => match wander(&bodies, &mut random, &mut pulls) {
                    Some(path) => {
                        jumps += path.len();
                        for place in path {
                            bodies = place;
                            bodies.write_to(layout);
                            keep(layout, Moment::Jump);
                        }
                        continue;
                    }
                    None => break stuck,
                },
            },
        };
        if jumps >= MOST_JUMPS {
            break jump;
        }
        bodies.advance(&jump.solution.motion);
        bodies.write_to(layout);
        keep(layout, if hop { Moment::Hop } else { Moment::Jump });
        jumps += 1;
        hops += usize::from(hop);
    };
    bodies.write_to(layout);
    let mut length_end = bodies.wall_distance();
    let chain = Chain::new(&bodies, &last.cell, &last.solution);
    if overlap_start == 0.0 && length_end >= length_start {
        // Nothing was gained: what is valid stays as it is, to the last bit.
        *layout = start.clone();
        length_end = length_start;
    }
    Ok(Report {
        length_start,
        length_end,
        overlap_start,
        separation,
        movement: movement(&start, layout),
        jumps,
        hops,
        chain,
        holds: last.holds(&bodies),
    })
}

/// One program, its answer, and what the wall gains by it.
struct Jump {
    cell: Cell,
    solution: Solution,
    gain: f64,
}

impl Jump {
    /// The rows that carry force, as they were before fixed sides changed places with free ones.
    fn holds(&self, bodies: &Bodies) -> Vec<Hold> {
        let fixed = |party: Party| match party {
            Party::Piece(i) => bodies.pieces[i].block.is_none(),
            Party::Wall => false,
            Party::Side(_) => true,
        };
        let rows = self.cell.parties.iter().zip(&self.cell.contacts);
        let rows = rows.zip(&self.cell.program.half_spaces).zip(&self.solution.multipliers);
        // What is not quite touching holds nothing; the method's answer is not that sharp.
        rows.filter(|((_, row), force)| **force > LEAST_HOLD && row.gap <= TOUCHING)
            .map(|(((parties, contact), row), force)| Hold {
                parties: *parties,
                parts: contact.map_or([0; 2], |contact| contact.parts),
                normal: if fixed(parties[0]) { -row.normal } else { row.normal },
                force: *force,
            })
            .collect()
    }
}

fn jump(bodies: &Bodies) -> Jump {
    let mut cell = Cell::near(bodies, Aim::Length);
    let solution = cell.solve(bodies);
    let gain = match solution.left_to_gain.is_finite() {
        true => -bodies.direction.dot(solution.motion[bodies.wall_block()]),
        false => 0.0,
    };
    Jump { cell, solution, gain }
}

/// Where corners are near each other, more than one straight line could keep
/// them apart, and the choice decides how they can slide. So when nothing moves
/// any more, every contact that resists is asked to try its other sides, also
/// those that it would have to hop to; the first that gains is taken.
fn other_side(bodies: &mut Bodies, best: &Jump, tries: &mut usize) -> Option<Jump> {
    let rows = best.cell.contacts.iter().zip(&best.cell.program.half_spaces);
    let mut resisting: Vec<(PartPair, DVec3, f64)> = rows
        .zip(&best.solution.multipliers)
        .filter(|(_, force)| **force > chain::FELT)
        .filter_map(|((contact, row), force)| Some(((*contact)?, row.normal, *force)))
        .collect();
    resisting.sort_by(|x, y| y.2.total_cmp(&x.2).then(x.0.cmp(&y.0)));
    bodies.known = best.cell.pairs().map(|[i, j]| ([i, j], bodies.rows(i, j))).collect();
    for (contact, normal, _) in resisting {
        let present = bodies.preferred.get(&contact).copied();
        let known = bodies.known.remove(&contact.pieces);
        for other in bodies.alternatives(contact, normal) {
            *tries = tries.checked_sub(1)?;
            bodies.preferred.insert(contact, other);
            bodies.trying = Some(contact);
            let jump = jump(bodies);
            bodies.trying = None;
            if jump.gain > best.gain + SMALLEST_GAIN {
                return Some(jump);
            }
        }
        match present {
            Some(normal) => bodies.preferred.insert(contact, normal),
            None => bodies.preferred.remove(&contact),
        };
        bodies.known.extend(known.map(|rows| (contact.pieces, rows)));
    }
    bodies.known.clear();
    None
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
