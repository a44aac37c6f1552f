//! The border of a flat shape, by which one body is told from the next: a strip
//! along its outline, inside of it.

use riprap::math::DVec3;
use riprap::shape::{Outline, Shape, Surface};

/// How wide the strip is, in what would be the radius of a disc. The page draws the borders of
/// discs by itself, as wide as this.
const WIDTH: f64 = 0.06;

/// Points for every corner: enough for a round one.
const STEPS: usize = 4;

/// At sharp corners the strip gets at most this much wider.
const SHARPEST: f64 = 4.0;

/// The border as triangles, as wide as that of a disc of this radius at most; none for what has
/// no single outline.
pub(super) fn of(shape: &Shape, widest: f64) -> Vec<[DVec3; 3]> {
    let Surface::Outline(outline) = &shape.surface else { return Vec::new() };
    let rounding = shape.pieces.first().map_or(0.0, |piece| piece.radius);
    let radius = 2.0 * shape.mass.volume / perimeter(outline) + rounding;
    let width = WIDTH * radius.min(widest);
    outline.loops().flat_map(|corners| strip(corners, rounding - width, rounding)).collect()
}

fn perimeter(outline: &Outline) -> f64 {
    let round = |corners: &[[f64; 2]]| -> f64 {
        (0..corners.len()).map(|k| point(corners, k).distance(point(corners, k + 1))).sum()
    };
    outline.loops().map(round).sum()
}

/// A corner of a loop.
fn point(corners: &[[f64; 2]], k: usize) -> DVec3 {
    let [x, y] = corners[k % corners.len()];
    DVec3::new(x, y, 0.0)
}

/// What lies between two distances outwards from a loop.
fn strip(corners: &[[f64; 2]], inner: f64, outer: f64) -> Vec<[DVec3; 3]> {
    let (inner, outer) = (offset(corners, inner), offset(corners, outer));
    let count = inner.len();
    let side = |k: usize| {
        let next = (k + 1) % count;
        [[inner[k], outer[k], outer[next]], [inner[k], outer[next], inner[next]]]
    };
    (0..count).flat_map(side).collect()
}

/// A loop moved outwards; as many points per corner whatever the distance.
fn offset(corners: &[[f64; 2]], distance: f64) -> Vec<DVec3> {
    let count = corners.len();
    let outward = |from: usize| {
        let along = point(corners, from + 1) - point(corners, from);
        DVec3::new(along.y, -along.x, 0.0).normalize_or_zero()
    };
    let around = |k: usize| {
        let (before, after) = (outward(k + count - 1), outward(k));
        let round = distance > 0.0 && before.cross(after).z > 0.0;
        let mitre = (before + after) / (1.0 + before.dot(after)).max(2.0 / SHARPEST.powi(2));
        let corner = point(corners, k);
        (0..=STEPS).map(move |j| match round {
            true => {
                let towards = before * (STEPS - j) as f64 + after * j as f64;
                corner + distance * towards.normalize_or_zero()
            }
            false => corner + distance * mitre,
        })
    };
    (0..count).flat_map(around).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];

    fn area(triangles: &[[DVec3; 3]]) -> f64 {
        triangles.iter().map(|[a, b, c]| 0.5 * (*b - *a).cross(*c - *a).length()).sum()
    }

    #[test]
    fn the_border_of_a_square_lies_inside() {
        let border = of(&Shape::polygon(&SQUARE, &[]).unwrap(), 9.0);
        let width = WIDTH * 2.0 * 4.0 / 8.0;
        assert!((area(&border) - (4.0 - (2.0 - 2.0 * width).powi(2))).abs() < 1e-12);
        let inside = |p: &DVec3| p.abs().max_element() < 1.0 + 1e-12;
        assert!(border.iter().flatten().all(inside), "about the centre");
    }

    #[test]
    fn a_rounded_one_follows_its_rounding_and_a_hole_its_inside() {
        let rounded = of(&Shape::polygon(&SQUARE, &[]).unwrap().rounded(0.5), 9.0);
        let farthest = rounded.iter().flatten().map(|p| p.length()).fold(0.0, f64::max);
        assert!((farthest - (2.0_f64.sqrt() + 0.5)).abs() < 1e-12);
        let hole = vec![[0.5, 0.5], [1.5, 0.5], [1.5, 1.5], [0.5, 1.5]];
        let ring = of(&Shape::polygon(&SQUARE, &[hole]).unwrap(), 9.0);
        let width = WIDTH * 2.0 * 3.0 / 12.0;
        let both = 4.0 - (2.0 - 2.0 * width).powi(2) + (1.0 + 2.0 * width).powi(2) - 1.0;
        assert!((area(&ring) - both).abs() < 1e-12, "{} {both}", area(&ring));
    }
}
