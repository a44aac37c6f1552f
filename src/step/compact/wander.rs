//! When nothing slides any more, pieces that are loose may still be in the way
//! of better places. So everybody is pulled a little in a random direction,
//! inside the free space and without letting the wall go, and the wall tries
//! again. The random numbers are always the same, and so is the answer.

use super::bodies::Bodies;
use super::program::{Aim, Cell, Party};
use super::{SMALLEST_GAIN, jump};
use crate::math::{DMat3, DVec3, Random};
use crate::solver::{FIXED, HalfSpace, MotionBox};

/// Pulls in a row before the walk starts again from where it began.
const WALK: usize = 4;
/// How far a pull may move a piece, in units of the strip's height.
const FAR: f64 = 0.05;
/// How strong a pull is, the wall's push being 1.
const PULL: f64 = 0.01;
/// How many pulls are tried in all, and how many for all pieces together: one
/// pull of many pieces costs as much as many of a few.
const MOST_PULLS: usize = 120;
const MOST_PULLED: usize = 2400;

/// How many pulls a layout of so many pieces is worth.
pub(super) fn budget(pieces: usize) -> usize {
    MOST_PULLS.min(MOST_PULLED / pieces.max(1))
}

/// Places on the way to a shorter strip, each reached straight from the one
/// before; none if no walk found one.
pub(super) fn wander(
    start: &Bodies,
    random: &mut Random,
    budget: &mut usize,
) -> Option<Vec<Bodies>> {
    let short = start.wall_distance() - SMALLEST_GAIN * start.scale;
    loop {
        let mut here = start.clone();
        let mut path = Vec::new();
        for _ in 0..WALK {
            *budget = budget.checked_sub(1)?;
            let mut cell = Cell::near(&here, Aim::Length);
            pull(&mut cell, &here, random);
            let solution = cell.solve(&here);
            if !solution.left_to_gain.is_finite() {
                break;
            }
            here.advance(&solution.motion);
            path.push(here.clone());
            let next = jump(&here);
            if next.gain > SMALLEST_GAIN {
                here.advance(&next.solution.motion);
                path.push(here.clone());
            }
            if here.wall_distance() < short {
                return Some(path);
            }
        }
    }
}

/// Pulls every piece its own way, for a short way, and holds the wall.
fn pull(cell: &mut Cell, bodies: &Bodies, random: &mut Random) {
    let wall = bodies.wall_block();
    for block in 0..wall {
        let mut pull = || PULL * random.between(-1.0, 1.0);
        cell.program.cost[block] += DVec3::new(pull(), pull(), 0.0);
        let (low, high) = (DVec3::splat(-FAR), DVec3::splat(FAR));
        cell.program.boxes[block] = MotionBox { axes: DMat3::IDENTITY, low, high };
    }
    let normal = -bodies.direction;
    cell.program.half_spaces.push(HalfSpace { a: wall as u32, b: FIXED, normal, gap: 0.0 });
    cell.parties.push([Party::Wall, Party::Wall]);
    cell.contacts.push(None);
}
