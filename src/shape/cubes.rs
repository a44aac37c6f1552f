//! Shapes made of unit cubes: crosses, ells, jacks and whatever else sits on a
//! grid. Their convex pieces are boxes, so the partition is exact.

use super::forms::sharp;
use super::{Mesh, Partition, Polytope, Shape};
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use std::collections::BTreeSet;

/// A shape has at most this many cubes.
const MOST_CUBES: usize = 10_000;

/// Cells from the first to the second, both included.
type Block = [[i32; 3]; 2];

impl Shape {
    /// The union of cubes of this size on a grid, named by their cells.
    ///
    /// ```
    /// use riprap::shape::Shape;
    /// let ell = Shape::cubes(&[[0, 0, 0], [1, 0, 0], [0, 1, 0]], 0.5)?;
    /// assert_eq!((ell.pieces.len(), ell.mass.volume), (2, 0.375));
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn cubes(cells: &[[i32; 3]], size: f64) -> Result<Self> {
        let cells: BTreeSet<[i32; 3]> = cells.iter().copied().collect();
        let far = |cell: &&[i32; 3]| cell.iter().any(|x| x.abs() > 10_000);
        if cells.is_empty() || cells.len() > MOST_CUBES || !(size > 0.0 && size.is_finite()) {
            let message = format!("a body of {} cubes of size {size:?}", cells.len());
            return Err(Problem::new(message)
                .help(format!("it needs 1 to {MOST_CUBES} cubes of positive size")));
        }
        if let Some(cell) = cells.iter().find(far) {
            return Err(Problem::new(format!("a cube is at {cell:?}"))
                .help("cells are whole numbers from -10000 to 10000"));
        }
        if !hang_together(&cells) {
            return Err(Problem::new("the cubes do not hang together")
                .help("every cube shares a side with another one: make several bodies of them"));
        }
        let corner = |cell: [i32; 3]| size * DVec3::from_array(cell.map(f64::from));
        let piece = |[low, high]: &Block| {
            let cuboid = Mesh::cuboid(corner(*low), corner(high.map(|x| x + 1)));
            Polytope::hull(&cuboid.vertices)
        };
        let pieces = blocks(&cells).iter().map(piece).collect::<Result<_>>()?;
        let mesh = surface(&cells, corner);
        mesh.check_closed()?;
        Ok(Shape::of_mesh(sharp(pieces), mesh, Partition::Exact))
    }
}

/// Whether one comes from any cube to any other through their sides.
fn hang_together(cells: &BTreeSet<[i32; 3]>) -> bool {
    let mut left = cells.clone();
    let mut reached: Vec<[i32; 3]> = left.pop_first().into_iter().collect();
    while let Some(cell) = reached.pop() {
        for (axis, side) in [(0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1)] {
            let mut next = cell;
            next[axis] += side;
            if left.remove(&next) {
                reached.push(next);
            }
        }
    }
    left.is_empty()
}

/// Few blocks that make up all cells: each is grown along x, then y, then z.
fn blocks(cells: &BTreeSet<[i32; 3]>) -> Vec<Block> {
    let mut left = cells.clone();
    let mut blocks = Vec::new();
    while let Some(&first) = left.first() {
        let mut block = [first, first];
        for axis in [2, 1, 0] {
            loop {
                let mut layer = block;
                layer[0][axis] = block[1][axis] + 1;
                layer[1][axis] = layer[0][axis];
                if !inside(layer).all(|cell| left.contains(&cell)) {
                    break;
                }
                block[1][axis] += 1;
            }
        }
        inside(block).for_each(|cell| {
            left.remove(&cell);
        });
        blocks.push(block);
    }
    blocks
}

fn inside([low, high]: Block) -> impl Iterator<Item = [i32; 3]> {
    let span = move |axis: usize| low[axis]..=high[axis];
    span(0).flat_map(move |x| span(1).flat_map(move |y| span(2).map(move |z| [x, y, z])))
}

/// The sides of cubes that have no neighbour.
fn surface(cells: &BTreeSet<[i32; 3]>, corner: impl Fn([i32; 3]) -> DVec3) -> Mesh {
    let mut triangles = Vec::new();
    for &cell in cells {
        for axis in 0..3 {
            let (second, third) = ((axis + 1) % 3, (axis + 2) % 3);
            for up in [false, true] {
                let mut neighbour = cell;
                neighbour[axis] += if up { 1 } else { -1 };
                if cells.contains(&neighbour) {
                    continue;
                }
                let at = |a: i32, b: i32| {
                    let mut place = cell;
                    place[axis] += i32::from(up);
                    place[second] += a;
                    place[third] += b;
                    corner(place)
                };
                let [a, b, c, d] = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
                match up {
                    true => triangles.extend([[a, b, c], [a, c, d]]),
                    false => triangles.extend([[a, c, b], [a, d, c]]),
                }
            }
        }
    }
    Mesh::from_triangles(&triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jack_is_three_bars_across() {
        let arms = (-2..=2).flat_map(|k| [[k, 0, 0], [0, k, 0], [0, 0, k]]);
        let jack = Shape::cubes(&arms.collect::<Vec<_>>(), 1.0).unwrap();
        assert_eq!((jack.pieces.len(), jack.mass.volume), (5, 13.0));
        assert!(jack.origin.distance(DVec3::splat(-0.5)) < 1e-15);
        let sum: f64 = jack.pieces.iter().map(|piece| piece.mass(3).volume).sum();
        assert!((sum - 13.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_no_body_is_named() {
        let message =
            |cells: &[[i32; 3]], size: f64| Shape::cubes(cells, size).unwrap_err().message;
        assert!(message(&[], 1.0).contains("0 cubes"));
        assert!(message(&[[0, 0, 0]], -1.0).contains("size -1.0"));
        assert!(message(&[[0, 0, 99_999]], 1.0).contains("99999"));
        // Two cubes that share an edge and nothing else, and two that share nothing.
        for other in [[1, 1, 0], [3, 0, 0]] {
            assert_eq!(message(&[[0, 0, 0], other], 1.0), "the cubes do not hang together");
        }
    }
}
