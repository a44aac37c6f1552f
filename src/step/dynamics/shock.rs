//! Shock propagation [D14 6], after Guendelman, Bridson and Fedkiw 2003: overlaps
//! that the passes left are removed level by level of the contact graph, from the
//! ground upwards. What is below counts as infinitely heavy; bodies of one level
//! push each other by their masses. Positions and rotations only: no velocity
//! comes from it, and there is no friction.

use super::bodies::Bodies;
use super::paper::{Point, inverse_mass_of};

/// A level is swept at most so often: what one point parts, its neighbour may push together.
const SWEEPS: usize = 20;

/// Points with a gap below this part of the smaller body's radius carry a level on, and a sweep
/// that moves nothing by more is the last: rounding.
const PARTED: f64 = 1e-9;

/// Parts every body from those below it, and from its neighbours.
pub fn propagate(bodies: &mut Bodies, points: &[Point]) {
    let levels = levels(bodies, points);
    let mut order: Vec<(u32, usize)> = Vec::new();
    for (index, point) in points.iter().enumerate() {
        let [one, two] = point.ends.map(|end| levels[end.body]);
        // What hangs in the air rests on nothing.
        if one.max(two) < u32::MAX {
            order.push((one.max(two), index));
        }
    }
    order.sort_unstable();
    let mut pushed = vec![0.0; points.len()];
    for of_level in order.chunk_by(|a, b| a.0 == b.0) {
        for sweep in 0..SWEEPS {
            let mut any = false;
            let mut visit = |&(level, index): &(u32, usize)| {
                any |= part(bodies, &points[index], &mut pushed[index], &levels, level);
            };
            match sweep % 2 {
                0 => of_level.iter().for_each(&mut visit),
                _ => of_level.iter().rev().for_each(&mut visit),
            }
            if !any {
                break;
            }
        }
    }
}

/// Takes the overlap of a point away by moving and turning those of its bodies that are of this
/// level; whether anything changed. What a point has `pushed` too much it takes back, or bodies
/// would be turned by whichever corner comes first.
fn part(bodies: &mut Bodies, point: &Point, pushed: &mut f64, levels: &[u32], level: u32) -> bool {
    let gap = point.gap(bodies);
    if gap >= 0.0 && *pushed == 0.0 {
        return false;
    }
    let (arms, n) = (point.arms(bodies), point.normal);
    let moves = point.ends.map(|end| levels[end.body] == level);
    let ease = |side: usize| match moves[side] {
        true => inverse_mass_of(bodies, point.ends[side].body, arms[side], n),
        false => 0.0,
    };
    let inverse_mass = ease(0) + ease(1);
    if inverse_mass == 0.0 {
        return false;
    }
    let before = *pushed;
    *pushed = (before - gap / inverse_mass).max(0.0);
    let by = n * (*pushed - before);
    for (side, by) in [(0, by), (1, -by)] {
        if moves[side] {
            bodies.displace(point.ends[side].body, by, arms[side].cross(by), 0.0);
        }
    }
    (*pushed - before).abs() * inverse_mass > PARTED * size(bodies, point)
}

/// The smaller radius of its bodies.
fn size(bodies: &Bodies, point: &Point) -> f64 {
    let [a, b] = point.ends.map(|end| bodies.prepared.radius(end.body));
    a.min(b)
}

/// How many contacts a body is away from what cannot move.
fn levels(bodies: &Bodies, points: &[Point]) -> Vec<u32> {
    let mut levels = vec![u32::MAX; bodies.inverse.len()];
    let mut front: Vec<usize> = Vec::new();
    for i in (0..levels.len()).filter(|&i| bodies.inverse[i].mass == 0.0) {
        levels[i] = 0;
        front.push(i);
    }
    let mut touching: Vec<(usize, usize)> = Vec::new();
    for point in points.iter().filter(|point| point.gap(bodies) < PARTED * size(bodies, point)) {
        let [a, b] = point.ends.map(|end| end.body);
        touching.extend([(a, b), (b, a)]);
    }
    touching.sort_unstable();
    touching.dedup();
    let mut level = 0;
    while !front.is_empty() {
        level += 1;
        let mut next = Vec::new();
        for body in front {
            let from = touching.partition_point(|pair| pair.0 < body);
            for &(_, other) in touching[from..].iter().take_while(|pair| pair.0 == body) {
                if levels[other] == u32::MAX {
                    levels[other] = level;
                    next.push(other);
                }
            }
        }
        front = next;
    }
    levels
}
