//! An independent check of a layout: do its pieces overlap, are they inside
//! the strip, do they keep their clearance? Overlap is decided exactly: pieces
//! are cut into triangles without a new corner, and two triangles overlap
//! unless a side of one has the other on its far side. Touching is allowed.

use crate::layout::Layout;
use crate::problem::{Problem, Result};
use robust::{Coord, orient2d};
use serde::Serialize;

type Point = [f64; 2];
type Triangle = [Point; 3];

/// What the check found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LayoutVerdict {
    /// Pairs of pieces that overlap, by their numbers, and how deep.
    pub overlaps: Vec<(usize, usize, f64)>,
    /// Pieces that stick out of the strip, and how far.
    pub outside: Vec<(usize, f64)>,
    /// The least distance between two pieces that do not overlap; `None` with fewer than two.
    pub least_distance: Option<f64>,
    /// The clearance that was asked for.
    pub clearance: f64,
}

impl LayoutVerdict {
    /// Nothing overlaps or sticks out, and the clearance is kept.
    pub fn ok(&self) -> bool {
        self.overlaps.is_empty()
            && self.outside.is_empty()
            && self.least_distance.is_none_or(|distance| distance >= self.clearance)
    }

    /// The deepest overlap; exactly 0 if no two pieces overlap.
    pub fn deepest(&self) -> f64 {
        self.overlaps.iter().map(|overlap| overlap.2).fold(0.0, f64::max)
    }
}

/// A piece: its loops, its triangles and its box.
struct Piece {
    edges: Vec<[Point; 2]>,
    triangles: Vec<Triangle>,
    min: Point,
    max: Point,
}

/// Checks every pair of pieces of a layout.
pub fn verify_layout(layout: &Layout, clearance: f64) -> Result<LayoutVerdict> {
    let pieces: Vec<Piece> = layout
        .placed
        .iter()
        .enumerate()
        .map(|(index, placed)| {
            Piece::new(layout.piece(placed)).ok_or_else(|| {
                Problem::new(format!("{} is not a simple polygon", layout.piece_name(index)))
            })
        })
        .collect::<Result<_>>()?;
    let mut verdict =
        LayoutVerdict { overlaps: vec![], outside: vec![], least_distance: None, clearance };
    let (min, max) = (layout.strip.min, layout.strip.max);
    for (i, a) in pieces.iter().enumerate() {
        let out = (0..2).map(|k| (min[k] - a.min[k]).max(a.max[k] - max[k])).fold(0.0, f64::max);
        if out > 0.0 {
            verdict.outside.push((i, out));
        }
        for (j, b) in pieces.iter().enumerate().skip(i + 1) {
            let depth = a.depth(b);
            if depth > 0.0 {
                verdict.overlaps.push((i, j, depth));
            } else {
                let distance = a.distance(b, verdict.least_distance.unwrap_or(f64::INFINITY));
                let known = verdict.least_distance.unwrap_or(f64::INFINITY);
                verdict.least_distance = Some(known.min(distance));
            }
        }
    }
    Ok(verdict)
}

impl Piece {
    fn new(loops: Vec<Vec<Point>>) -> Option<Self> {
        let edges: Vec<[Point; 2]> = loops
            .iter()
            .flat_map(|corners| {
                (0..corners.len()).map(|k| [corners[k], corners[(k + 1) % corners.len()]])
            })
            .collect();
        let points = || loops.iter().flatten();
        let limit = |pick: fn(f64, f64) -> f64, start: f64| {
            [0, 1].map(|axis| points().map(|p| p[axis]).fold(start, pick))
        };
        let (min, max) = (limit(f64::min, f64::INFINITY), limit(f64::max, f64::NEG_INFINITY));
        Some(Piece { triangles: triangles(joined(loops, &edges)?)?, edges, min, max })
    }

    /// How deep two pieces overlap: exactly 0 if they do not.
    fn depth(&self, other: &Piece) -> f64 {
        if (0..2).any(|k| self.min[k] >= other.max[k] || other.min[k] >= self.max[k]) {
            return 0.0;
        }
        let pairs = self.triangles.iter().flat_map(|a| other.triangles.iter().map(move |b| (a, b)));
        let overlapping = pairs.filter(|(a, b)| !has_on_far_side(a, b) && !has_on_far_side(b, a));
        // At least the smallest number: a depth that rounds to 0 is an overlap all the same.
        let depths = overlapping.map(|(a, b)| depth(a, b).max(f64::MIN_POSITIVE));
        depths.fold(0.0, f64::max)
    }

    /// The least distance of the edges, as far as it is below `limit`.
    fn distance(&self, other: &Piece, limit: f64) -> f64 {
        let apart = (0..2).map(|k| (self.min[k] - other.max[k]).max(other.min[k] - self.max[k]));
        if apart.fold(0.0, f64::max) > limit {
            return limit;
        }
        let pairs = self.edges.iter().flat_map(|a| other.edges.iter().map(move |b| (a, b)));
        let distances = pairs.map(|(&[a, b], &[c, d])| {
            let ends = [(a, [c, d]), (b, [c, d]), (c, [a, b]), (d, [a, b])];
            ends.into_iter().map(|(p, edge)| to_segment(p, edge)).fold(f64::INFINITY, f64::min)
        });
        distances.fold(limit, f64::min)
    }
}

/// Positive if `c` is to the left of the line from `a` to `b`: exact.
fn turn(a: Point, b: Point, c: Point) -> f64 {
    let [a, b, c] = [a, b, c].map(|[x, y]| Coord { x, y });
    orient2d(a, b, c)
}

/// Whether a side of the triangle (counter-clockwise) has all of the other beyond it.
fn has_on_far_side(triangle: &Triangle, other: &Triangle) -> bool {
    (0..3).any(|k| other.iter().all(|p| turn(triangle[k], triangle[(k + 1) % 3], *p) <= 0.0))
}

/// The shortest way out along a normal of a side, in rounded arithmetic.
fn depth(a: &Triangle, b: &Triangle) -> f64 {
    let beyond = |triangle: &Triangle, other: &Triangle, k: usize| {
        let (p, q) = (triangle[k], triangle[(k + 1) % 3]);
        let length = (q[0] - p[0]).hypot(q[1] - p[1]);
        let inside = other
            .iter()
            .map(|r| ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])) / length);
        inside.fold(f64::NEG_INFINITY, f64::max)
    };
    (0..3).flat_map(|k| [beyond(a, b, k), beyond(b, a, k)]).fold(f64::INFINITY, f64::min)
}

fn to_segment(p: Point, [a, b]: [Point; 2]) -> f64 {
    let (along, to) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let square = along[0] * along[0] + along[1] * along[1];
    let t = ((to[0] * along[0] + to[1] * along[1]) / square).clamp(0.0, 1.0);
    (to[0] - t * along[0]).hypot(to[1] - t * along[1])
}

/// One loop out of an outline and its holes: each hole is entered and left by
/// a bridge from a corner that is seen from the loop made so far.
fn joined(mut loops: Vec<Vec<Point>>, edges: &[[Point; 2]]) -> Option<Vec<Point>> {
    let mut holes = loops.split_off(1);
    let mut whole = loops.pop()?;
    while !holes.is_empty() {
        let (hole, i, j) = (0..holes.len()).find_map(|hole| {
            let pairs = (0..whole.len()).flat_map(|i| (0..holes[hole].len()).map(move |j| (i, j)));
            let seen = |&(i, j): &(usize, usize)| {
                let bridge = [whole[i], holes[hole][j]];
                let own = whole.iter().zip(whole.iter().cycle().skip(1)).map(|(a, b)| [*a, *b]);
                opens(&whole, i, holes[hole][j])
                    && !edges.iter().copied().chain(own).any(|edge| blocks(edge, bridge))
            };
            pairs.into_iter().find(seen).map(|(i, j)| (hole, i, j))
        })?;
        let hole = holes.remove(hole);
        let around = (0..=hole.len()).map(|k| hole[(j + k) % hole.len()]);
        let tail = whole.split_off(i + 1);
        let back = whole[i];
        whole.extend(around);
        whole.push(back);
        whole.extend(tail);
    }
    Some(whole)
}

/// Whether a line from corner `i` of a loop towards a point starts inside the loop.
fn opens(corners: &[Point], i: usize, towards: Point) -> bool {
    let n = corners.len();
    let (before, at, after) = (corners[(i + n - 1) % n], corners[i], corners[(i + 1) % n]);
    let (left_of_out, right_of_in) =
        (turn(at, after, towards) > 0.0, turn(at, towards, before) > 0.0);
    match turn(before, at, after) > 0.0 {
        true => left_of_out && right_of_in,
        false => left_of_out || right_of_in,
    }
}

/// Whether an edge touches a bridge anywhere but at the bridge's own ends.
fn blocks(edge: [Point; 2], bridge: [Point; 2]) -> bool {
    let [a, b] = edge;
    let [c, d] = bridge;
    let on_open = |p: Point| {
        turn(c, d, p) == 0.0
            && p != c
            && p != d
            && (0..2).all(|k| p[k] >= c[k].min(d[k]) && p[k] <= c[k].max(d[k]))
    };
    let opposite = |x: f64, y: f64| (x > 0.0 && y < 0.0) || (x < 0.0 && y > 0.0);
    let crosses = opposite(turn(a, b, c), turn(a, b, d)) && opposite(turn(c, d, a), turn(c, d, b));
    crosses || on_open(a) || on_open(b)
}

/// Cuts ears off a loop (counter-clockwise) until nothing is left.
fn triangles(mut corners: Vec<Point>) -> Option<Vec<Triangle>> {
    let mut found = Vec::with_capacity(corners.len());
    while corners.len() > 2 {
        let n = corners.len();
        let at = |k: usize| corners[k % n];
        let ear = (0..n).find(|&k| {
            let triangle = [at(k + n - 1), at(k), at(k + 1)];
            let inside = |p: &Point| {
                !triangle.contains(p)
                    && (0..3).all(|s| turn(triangle[s], triangle[(s + 1) % 3], *p) >= 0.0)
            };
            turn(triangle[0], triangle[1], triangle[2]) > 0.0 && !corners.iter().any(inside)
        });
        // A straight corner, or a bridge walked to and fro, has no area: it goes without a triangle.
        let flat = || (0..n).find(|&k| turn(at(k + n - 1), at(k), at(k + 1)) == 0.0);
        match ear {
            Some(k) => found.push([at(k + n - 1), at(k), at(k + 1)]),
            None => {
                corners.remove(flat()?);
                continue;
            }
        }
        corners.remove(ear?);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Item, Placed, Strip};
    use crate::shape::{MassProperties, Outline};
    use proptest::prelude::*;

    fn layout(outlines: Vec<Outline>, places: &[[f64; 2]]) -> Layout {
        let item = |(id, outline)| Item::new(id, outline, 1);
        let place = |(item, translation): (usize, &[f64; 2])| Placed {
            item,
            rotation: 0.0,
            translation: *translation,
            fixed: false,
        };
        Layout::new(
            "l",
            (0..).zip(outlines).map(item).collect(),
            Strip { min: [0.0; 2], max: [20.0, 10.0] },
            places.iter().enumerate().map(place).collect(),
        )
    }

    fn square(size: f64) -> Outline {
        Outline::new(&[[0.0, 0.0], [size, 0.0], [size, size], [0.0, size]], &[]).unwrap()
    }

    #[test]
    fn touching_is_no_overlap_and_a_hair_is() {
        let touching = layout(vec![square(1.0), square(2.0)], &[[0.0, 0.0], [1.0, 0.0]]);
        let verdict = verify_layout(&touching, 0.0).unwrap();
        assert!(verdict.ok() && verdict.deepest() == 0.0 && verdict.least_distance == Some(0.0));
        let hair =
            layout(vec![square(1.0), square(2.0)], &[[0.0, 0.0], [1.0_f64.next_down(), 0.0]]);
        let verdict = verify_layout(&hair, 0.0).unwrap();
        assert!(!verdict.ok() && verdict.deepest() > 0.0 && verdict.deepest() < 1e-15);
    }

    #[test]
    fn pieces_fit_into_holes_and_not_elsewhere() {
        let hole = vec![[1.0, 1.0], [4.0, 1.0], [4.0, 4.0], [1.0, 4.0]];
        let frame =
            Outline::new(&[[0.0, 0.0], [5.0, 0.0], [5.0, 5.0], [0.0, 5.0]], &[hole]).unwrap();
        let at = |place: [f64; 2]| {
            let layout = layout(vec![frame.clone(), square(2.0)], &[[0.0, 0.0], place]);
            verify_layout(&layout, 0.25).unwrap()
        };
        assert!(at([1.5, 1.5]).ok() && at([1.5, 1.5]).least_distance == Some(0.5));
        assert!(!at([1.1, 1.5]).ok() && at([1.1, 1.5]).overlaps.is_empty());
        assert!((at([0.5, 1.5]).deepest() - 0.5).abs() < 1e-15);
        let out = at([18.5, 8.5]);
        assert_eq!(out.outside, [(1, 0.5)]);
    }

    proptest! {
        /// Triangles cover what they are cut from.
        #[test]
        fn triangles_have_the_area_of_the_whole(seed: u64, count in 3..40_usize, hole: bool) {
            let random = &mut crate::math::Random::new(seed);
            let corner = |k: usize, size: f64, random: &mut crate::math::Random| {
                let (sin, cos) = (std::f64::consts::TAU * k as f64 / count as f64).sin_cos();
                let radius = size * random.between(0.5, 1.0);
                [radius * cos, radius * sin]
            };
            let outer: Vec<Point> = (0..count).map(|k| corner(k, 4.0, random)).collect();
            let inner: Vec<Point> = (0..count).map(|k| corner(k, 0.9, random)).collect();
            let holes = if hole { vec![inner] } else { vec![] };
            let Ok(outline) = Outline::new(&outer, &holes) else { return Ok(()) };
            let piece = Piece::new(outline.loops().map(<[Point]>::to_vec).collect()).unwrap();
            let area: f64 = piece.triangles.iter().map(|t| MassProperties::of_loops([&t[..]]).volume).sum();
            let expected = MassProperties::of_loops(outline.loops()).volume;
            prop_assert!((area - expected).abs() < 1e-12 * expected, "{area} {expected}");
        }
    }
}
