//! A polygon with holes, checked exactly and put in order: what a flat shape
//! is cut out along.

use serde::{Deserialize, Serialize};

use super::meet::{segments_meet, side_of_line};
use super::polygon::is_clockwise;
use super::{Aabb, Bvh, check_polygon};
use crate::math::DVec3;
use crate::problem::{Problem, Result};

/// A simple polygon and the holes in it. The outer corners run
/// counter-clockwise, those of holes clockwise: the inside is on the left.
///
/// ```
/// use riprap::shape::Outline;
/// // Clockwise, closed and with a doubled corner: all repaired.
/// let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]];
/// let square = Outline::new(&corners, &[])?;
/// assert_eq!(square.outer, [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]);
/// # Ok::<(), riprap::Problem>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outline {
    /// Counter-clockwise.
    pub outer: Vec<[f64; 2]>,
    /// Clockwise.
    pub holes: Vec<Vec<[f64; 2]>>,
}

impl Outline {
    /// Checks and repairs. Repaired, because the figure stays the same: a last
    /// corner that repeats the first one, successive equal corners, and the
    /// wrong orientation. Refused: fewer than 3 corners, coordinates that are
    /// not finite, loops that cut or touch themselves or each other, and holes
    /// outside of the figure.
    pub fn new(outer: &[[f64; 2]], holes: &[Vec<[f64; 2]>]) -> Result<Self> {
        let outer = repaired(outer, false)?;
        let holes: Vec<Vec<[f64; 2]>> = holes
            .iter()
            .enumerate()
            .map(|(k, hole)| repaired(hole, true).map_err(|problem| in_hole(problem, k)))
            .collect::<Result<_>>()?;
        let outline = Outline { outer, holes };
        outline.check_holes()?;
        Ok(outline)
    }

    /// The outer corners, then each hole's.
    pub fn loops(&self) -> impl Iterator<Item = &[[f64; 2]]> {
        std::iter::once(self.outer.as_slice()).chain(self.holes.iter().map(Vec::as_slice))
    }

    /// All edges, each with the figure on its left.
    pub fn edges(&self) -> impl Iterator<Item = [[f64; 2]; 2]> {
        self.loops().flat_map(|corners| {
            let n = corners.len();
            (0..n).map(move |k| [corners[k], corners[(k + 1) % n]])
        })
    }

    fn check_holes(&self) -> Result<()> {
        if self.holes.is_empty() {
            return Ok(());
        }
        let names: Vec<usize> =
            self.loops().enumerate().flat_map(|(k, c)| std::iter::repeat_n(k, c.len())).collect();
        let edges: Vec<[[f64; 2]; 2]> = self.edges().collect();
        let boxes: Vec<Aabb> = edges.iter().map(segment_box).collect();
        let meet = |&(i, j): &(u32, u32)| {
            let (i, j) = (i as usize, j as usize);
            names[i] != names[j] && segments_meet(edges[i], edges[j])
        };
        if let Some((i, j)) = Bvh::new(&boxes).pairs().into_iter().find(meet) {
            let (first, second) = (names[i as usize], names[j as usize]);
            let (first, second) = (first.min(second), first.max(second));
            let other =
                if first == 0 { "the outline".into() } else { format!("hole {}", first - 1) };
            return Err(Problem::new(format!("hole {} cuts or touches {other}", second - 1))
                .help("holes lie inside the outline and apart from each other"));
        }
        for (k, hole) in self.holes.iter().enumerate() {
            let swallowed = self
                .holes
                .iter()
                .enumerate()
                .any(|(other, loop_)| other != k && loop_contains(loop_, hole[0]));
            if swallowed || !loop_contains(&self.outer, hole[0]) {
                let place = if swallowed { "inside another hole" } else { "outside the outline" };
                return Err(Problem::new(format!("hole {k} lies {place}"))
                    .help("holes lie inside the outline and apart from each other"));
            }
        }
        Ok(())
    }
}

pub(super) fn segment_box(segment: &[[f64; 2]; 2]) -> Aabb {
    Aabb::from_points(segment.map(|[x, y]| DVec3::new(x, y, 0.0)))
}

fn in_hole(mut problem: Problem, k: usize) -> Problem {
    problem.message = format!("hole {k}: {}", problem.message);
    problem
}

fn repaired(corners: &[[f64; 2]], clockwise: bool) -> Result<Vec<[f64; 2]>> {
    let mut corners = corners.to_vec();
    corners.dedup();
    while corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    if corners.len() >= 3 && is_clockwise(&corners) {
        corners.reverse();
    }
    check_polygon(&corners)?;
    if clockwise {
        corners.reverse();
    }
    Ok(corners)
}

/// Whether a point that is on no edge lies inside a loop: exact, by counting
/// the edges that cross the ray to the right.
pub(crate) fn loop_contains(corners: &[[f64; 2]], point: [f64; 2]) -> bool {
    let n = corners.len();
    let crosses = |k: &usize| {
        let (a, b) = (corners[*k], corners[(*k + 1) % n]);
        let (low, high) = if a[1] < b[1] { (a, b) } else { (b, a) };
        low[1] <= point[1] && point[1] < high[1] && side_of_line(low, high, point) > 0.0
    };
    (0..n).filter(crosses).count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(x: f64, y: f64, size: f64) -> Vec<[f64; 2]> {
        vec![[x, y], [x + size, y], [x + size, y + size], [x, y + size]]
    }

    #[track_caller]
    fn assert_refused(outer: &[[f64; 2]], holes: &[Vec<[f64; 2]>], expected: &str) {
        let found = Outline::new(outer, holes).unwrap_err().to_string();
        assert!(found.contains(expected), "\"{found}\" does not contain \"{expected}\"");
    }

    #[test]
    fn holes_are_put_clockwise() {
        let outline = Outline::new(&square(0.0, 0.0, 4.0), &[square(1.0, 1.0, 1.0)]).unwrap();
        assert_eq!(outline.holes[0][0], [1.0, 2.0]);
        assert_eq!(outline.edges().count(), 8);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let outer = square(0.0, 0.0, 4.0);
        assert_refused(&[[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]], &[], "the polygon has 2 corners");
        assert_refused(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]], &[], "cuts or touches");
        assert_refused(&[[0.0, 0.0], [1.0, 0.0], [f64::INFINITY, 1.0]], &[], "corner 2");
        assert_refused(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], &[], "turns back on itself");
        assert_refused(&outer, &[square(3.0, 1.0, 2.0)], "hole 0 cuts or touches the outline");
        assert_refused(&outer, &[square(5.0, 1.0, 2.0)], "hole 0 lies outside the outline");
        let holes = [square(1.0, 1.0, 1.0), square(1.5, 1.5, 1.0)];
        assert_refused(&outer, &holes, "hole 1 cuts or touches hole 0");
        let nested = [square(1.25, 1.25, 0.5), square(1.0, 1.0, 1.0)];
        assert_refused(&outer, &nested, "hole 0 lies inside another hole");
        assert_refused(&outer, &[vec![[1.0, 1.0]]], "hole 0: the polygon has 1 corners");
    }
}
