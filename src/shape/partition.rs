//! Cutting a polygon with holes into convex pieces along diagonals, without a
//! new corner: every decision is exact, and the pieces together are the
//! polygon to the last bit.
//!
//! Diagonals are taken from the shortest to the longest, each if it crosses
//! none before it and splits an angle that is still reflex. Then every one
//! that is not needed any more is taken out again (Hertel and Mehlhorn), from
//! the longest down.

use super::meet::{segments_meet, side_of_line};
use super::outline::segment_box;
use super::{Bvh, Outline, Polytope};
use crate::problem::Result;

/// The convex pieces of a polygon.
pub(super) fn convex_pieces(outline: &Outline) -> Result<Vec<Polytope>> {
    let mut cut = Cut::new(outline);
    let mut diagonals = Vec::new();
    for (i, j) in cut.candidates() {
        let crossed = |&(a, b): &(usize, usize)| {
            ![a, b].iter().any(|end| [i, j].contains(end))
                && segments_meet([cut.points[a], cut.points[b]], [cut.points[i], cut.points[j]])
        };
        if cut.splits_reflex(i, j) && !diagonals.iter().any(crossed) {
            cut.add(i, j);
            diagonals.push((i, j));
        }
    }
    for &(i, j) in diagonals.iter().rev() {
        if cut.is_convex_without(i, j) && cut.is_convex_without(j, i) {
            cut.remove(i, j);
        }
    }
    cut.faces().iter().map(|corners| Polytope::flat_hull(corners)).collect()
}

/// The corners and, for each, where lines go from it into the polygon:
/// counter-clockwise from its successor on the boundary to its predecessor.
struct Cut {
    points: Vec<[f64; 2]>,
    spokes: Vec<Vec<usize>>,
    edges: Vec<[[f64; 2]; 2]>,
    tree: Bvh,
}

impl Cut {
    fn new(outline: &Outline) -> Self {
        let points: Vec<[f64; 2]> = outline.loops().flatten().copied().collect();
        let mut spokes = Vec::with_capacity(points.len());
        let mut start = 0;
        for corners in outline.loops() {
            let n = corners.len();
            spokes.extend((0..n).map(|k| vec![start + (k + 1) % n, start + (k + n - 1) % n]));
            start += n;
        }
        let edges: Vec<[[f64; 2]; 2]> = outline.edges().collect();
        let boxes: Vec<_> = edges.iter().map(segment_box).collect();
        Cut { points, spokes, tree: Bvh::new(&boxes), edges }
    }

    fn side(&self, a: usize, b: usize, c: usize) -> f64 {
        side_of_line(self.points[a], self.points[b], self.points[c])
    }

    /// Whether the angle at `v`, counter-clockwise from `a` to `b`, is above 180 degrees.
    fn is_reflex(&self, v: usize, a: usize, b: usize) -> bool {
        self.side(v, a, b) < 0.0
    }

    /// Whether `j` lies strictly inside the angle at `v` from `a` to `b`.
    fn is_between(&self, v: usize, a: usize, b: usize, j: usize) -> bool {
        if self.is_reflex(v, a, b) {
            return self.side(v, b, j) < 0.0 || self.side(v, j, a) < 0.0;
        }
        let straight = self.side(v, a, b) == 0.0;
        self.side(v, a, j) > 0.0 && (straight || self.side(v, j, b) > 0.0)
    }

    /// Pairs of corners that see each other, one of them reflex; the closest first.
    fn candidates(&self) -> Vec<(usize, usize)> {
        let n = self.points.len();
        let reflex: Vec<bool> =
            (0..n).map(|v| self.is_reflex(v, self.spokes[v][0], self.spokes[v][1])).collect();
        let length = |i: usize, j: usize| {
            let ([a, b], [c, d]) = (self.points[i], self.points[j]);
            (a - c) * (a - c) + (b - d) * (b - d)
        };
        let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
        let mut seen: Vec<(usize, usize)> =
            pairs.filter(|&(i, j)| (reflex[i] || reflex[j]) && self.see_each_other(i, j)).collect();
        seen.sort_by(|a, b| length(a.0, a.1).total_cmp(&length(b.0, b.1)).then(a.cmp(b)));
        seen
    }

    fn see_each_other(&self, i: usize, j: usize) -> bool {
        let inside = |v: usize, other: usize| {
            self.is_between(v, self.spokes[v][0], self.spokes[v][1], other)
        };
        if !inside(i, j) || !inside(j, i) {
            return false;
        }
        let segment = [self.points[i], self.points[j]];
        let mut near = Vec::new();
        self.tree.overlapping(&segment_box(&segment), &mut near);
        let hides = |edge: [[f64; 2]; 2]| {
            !segment.contains(&edge[0])
                && !segment.contains(&edge[1])
                && segments_meet(edge, segment)
        };
        !near.iter().any(|&edge| hides(self.edges[edge as usize]))
    }

    /// The place in the spokes of `v` behind which a line to `j` belongs.
    fn place(&self, v: usize, j: usize) -> Option<usize> {
        let spokes = &self.spokes[v];
        (0..spokes.len() - 1).find(|&k| self.is_between(v, spokes[k], spokes[k + 1], j))
    }

    fn splits_reflex(&self, i: usize, j: usize) -> bool {
        let splits = |v: usize, other: usize| {
            self.place(v, other)
                .is_some_and(|k| self.is_reflex(v, self.spokes[v][k], self.spokes[v][k + 1]))
        };
        splits(i, j) || splits(j, i)
    }

    fn add(&mut self, i: usize, j: usize) {
        for (v, other) in [(i, j), (j, i)] {
            if let Some(k) = self.place(v, other) {
                self.spokes[v].insert(k + 1, other);
            }
        }
    }

    fn remove(&mut self, i: usize, j: usize) {
        for (v, other) in [(i, j), (j, i)] {
            self.spokes[v].retain(|&spoke| spoke != other);
        }
    }

    fn is_convex_without(&self, v: usize, other: usize) -> bool {
        let spokes = &self.spokes[v];
        let place = spokes.iter().position(|&spoke| spoke == other);
        place.is_some_and(|k| !self.is_reflex(v, spokes[k - 1], spokes[k + 1]))
    }

    /// The loops between boundary and diagonals, each with its inside on the left.
    fn faces(&self) -> Vec<Vec<[f64; 2]>> {
        let mut seen: Vec<Vec<bool>> =
            self.spokes.iter().map(|s| vec![false; s.len() - 1]).collect();
        let mut faces = Vec::new();
        for start in 0..self.points.len() {
            for first in 0..seen[start].len() {
                let (mut v, mut k, mut corners) = (start, first, Vec::new());
                while !std::mem::replace(&mut seen[v][k], true) {
                    corners.push(self.points[v]);
                    let next = self.spokes[v][k];
                    // The line that follows clockwise after the one we came by.
                    k = self.spokes[next].iter().position(|&w| w == v).unwrap_or(1) - 1;
                    v = next;
                }
                if !corners.is_empty() {
                    faces.push(corners);
                }
            }
        }
        faces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{DVec3, Random};
    use crate::shape::MassProperties;
    use proptest::prelude::*;

    fn pieces(outer: &[[f64; 2]], holes: &[Vec<[f64; 2]>]) -> (Outline, Vec<Polytope>) {
        let outline = Outline::new(outer, holes).unwrap();
        let pieces = convex_pieces(&outline).unwrap();
        (outline, pieces)
    }

    /// A star-shaped polygon around a point: every radius is possible.
    fn star(random: &mut Random, count: usize, centre: [f64; 2], size: f64) -> Vec<[f64; 2]> {
        let corner = |k: usize, random: &mut Random| {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / count as f64).sin_cos();
            let radius = size * random.between(0.2, 1.0);
            [centre[0] + radius * cos, centre[1] + radius * sin]
        };
        (0..count).map(|k| corner(k, random)).collect()
    }

    fn assert_partition(outline: &Outline, pieces: &[Polytope], random: &mut Random) {
        let whole = MassProperties::of_loops(outline.loops());
        let sum: f64 = pieces.iter().map(|piece| piece.mass().volume).sum();
        assert!((sum - whole.volume).abs() < 1e-12 * whole.volume, "{sum} and {}", whole.volume);
        // Interiors are apart: a random point is strictly inside at most one.
        let bounds = pieces[0].bounds();
        for _ in 0..20 {
            let part = DVec3::new(random.unit(), random.unit(), 0.0);
            let point = bounds.min + bounds.size() * part;
            let holds = |piece: &&Polytope| {
                piece.facets().iter().all(|facet| {
                    let on = piece.corners()[facet.corners[0] as usize];
                    (point - on).dot(facet.normal) < -1e-12
                })
            };
            assert!(pieces.iter().filter(holds).count() <= 1);
        }
    }

    #[test]
    fn an_ell_is_two_rectangles() {
        let ell = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [2.0, 2.0], [2.0, 4.0], [0.0, 4.0]];
        let (outline, pieces) = pieces(&ell, &[]);
        assert_eq!(pieces.len(), 2);
        assert_partition(&outline, &pieces, &mut Random::new(1));
    }

    #[test]
    fn convex_polygons_stay_whole() {
        let square = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
        let (_, pieces) = pieces(&square, &[]);
        assert_eq!((pieces.len(), pieces[0].corners().len()), (1, 4));
    }

    #[test]
    fn a_frame_has_a_hole() {
        let outer = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];
        let hole = vec![[1.0, 1.0], [3.0, 1.0], [3.0, 3.0], [1.0, 3.0]];
        let (outline, pieces) = pieces(&outer, &[hole]);
        assert!(pieces.len() <= 5, "{}", pieces.len());
        assert_partition(&outline, &pieces, &mut Random::new(2));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn stars_with_star_shaped_holes(seed: u64, count in 3..60_usize, holes in 0..3_usize, far in 0..2) {
            let random = &mut Random::new(seed);
            let shift = 1e6 * f64::from(far);
            let outer = star(random, count, [shift, 0.0], 10.0);
            let hole = |k: usize, random: &mut Random| {
                let count = 3 + k * 5;
                star(random, count, [shift + 0.9 * k as f64 - 0.5, 0.1], 0.4)
            };
            let holes: Vec<Vec<[f64; 2]>> = (0..holes).map(|k| hole(k, random)).collect();
            let Ok(outline) = Outline::new(&outer, &holes) else { return Ok(()) };
            let pieces = convex_pieces(&outline).unwrap();
            assert_partition(&outline, &pieces, random);
        }

        /// Polygons on a small grid are full of straight corners and aligned diagonals.
        #[test]
        fn grid_polygons(corners in prop::collection::vec([0..6, 0..6], 4..10)) {
            let corners: Vec<[f64; 2]> =
                corners.into_iter().map(|corner| corner.map(f64::from)).collect();
            let Ok(outline) = Outline::new(&corners, &[]) else { return Ok(()) };
            let pieces = convex_pieces(&outline).unwrap();
            assert_partition(&outline, &pieces, &mut Random::new(3));
        }
    }
}
