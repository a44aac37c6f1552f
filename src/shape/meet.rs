//! Whether segments and triangles have a point in common, decided exactly:
//! every answer follows from the signs of orientation determinants, which
//! `robust` computes without error. All sets contain their boundaries, so
//! touching counts.

use crate::math::DVec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

type Point = [f64; 2];
type Triangle = [DVec3; 3];

/// Positive if `c` is to the left of the line from `a` to `b`, 0 if on it.
pub(super) fn side_of_line(a: Point, b: Point, c: Point) -> f64 {
    let [a, b, c] = [a, b, c].map(|[x, y]| Coord { x, y });
    orient2d(a, b, c)
}

/// Positive on one side of the plane through `a`, `b`, `c`, negative on the other, 0 on it.
fn side_of_plane([a, b, c]: Triangle, d: DVec3) -> f64 {
    let [a, b, c, d] = [a, b, c, d].map(|DVec3 { x, y, z }| Coord3D { x, y, z });
    orient3d(a, b, c, d)
}

/// Whether the three corners lie on one line.
pub(super) fn is_degenerate(triangle: Triangle) -> bool {
    flattening(triangle).is_none()
}

/// Whether two triangles with no common vertex meet.
pub(super) fn triangles_meet(a: Triangle, b: Triangle) -> bool {
    !on_one_side(a, b)
        && !on_one_side(b, a)
        && (edges(a).into_iter().any(|edge| segment_meets_triangle(edge, b))
            || edges(b).into_iter().any(|edge| segment_meets_triangle(edge, a)))
}

/// Whether two triangles whose first corners are the same vertex meet anywhere
/// else. From the common vertex one leaves either triangle through the
/// opposite edge only, so it is enough to look there.
pub(super) fn triangles_meet_beyond_vertex(a: Triangle, b: Triangle) -> bool {
    segment_meets_triangle([a[1], a[2]], b) || segment_meets_triangle([b[1], b[2]], a)
}

/// Whether two triangles whose first two corners are the same edge meet
/// anywhere else: only if they lie in one plane, on the same side of that edge.
pub(super) fn triangles_meet_beyond_edge(a: Triangle, b: Triangle) -> bool {
    if side_of_plane(a, b[2]) != 0.0 {
        return false;
    }
    let Some(flatten) = flattening(a) else { return true };
    let [start, end, third, other] = [a[0], a[1], a[2], b[2]].map(flatten);
    (side_of_line(start, end, third) > 0.0) == (side_of_line(start, end, other) > 0.0)
}

/// Whether two segments of the plane meet.
pub(super) fn segments_meet([a, b]: [Point; 2], [c, d]: [Point; 2]) -> bool {
    let (to_c, to_d) = (side_of_line(a, b, c), side_of_line(a, b, d));
    let (to_a, to_b) = (side_of_line(c, d, a), side_of_line(c, d, b));
    if [to_a, to_b, to_c, to_d] == [0.0; 4] {
        // All on one line: there, boxes meet if and only if the segments do.
        return (0..2).all(|axis| {
            a[axis].min(b[axis]) <= c[axis].max(d[axis])
                && c[axis].min(d[axis]) <= a[axis].max(b[axis])
        });
    }
    !same_sign(&[to_a, to_b]) && !same_sign(&[to_c, to_d])
}

fn segment_meets_triangle([p, q]: [DVec3; 2], triangle: Triangle) -> bool {
    let sides = [p, q].map(|end| side_of_plane(triangle, end));
    if same_sign(&sides) {
        return false;
    }
    if sides == [0.0, 0.0] {
        let Some(flatten) = flattening(triangle) else { return true };
        return segment_meets_flat_triangle([p, q].map(flatten), triangle.map(flatten));
    }
    // The line through p and q crosses the plane in one point. It passes all
    // edges of the triangle on the same side if and only if that point is inside.
    no_opposite_signs(edges(triangle).map(|[a, b]| side_of_plane([p, q, a], b)))
}

fn segment_meets_flat_triangle(segment: [Point; 2], [a, b, c]: [Point; 3]) -> bool {
    let edges = [[a, b], [b, c], [c, a]];
    edges.into_iter().any(|edge| segments_meet(segment, edge))
        || no_opposite_signs(edges.map(|[a, b]| side_of_line(a, b, segment[0])))
}

/// Whether triangle `a` lies strictly on one side of the plane of `b`.
fn on_one_side(a: Triangle, b: Triangle) -> bool {
    same_sign(&a.map(|corner| side_of_plane(b, corner)))
}

fn edges([a, b, c]: Triangle) -> [[DVec3; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// Whether all numbers are positive or all are negative.
fn same_sign(values: &[f64]) -> bool {
    values.iter().all(|&value| value > 0.0) || values.iter().all(|&value| value < 0.0)
}

fn no_opposite_signs(values: [f64; 3]) -> bool {
    values.iter().all(|&value| value >= 0.0) || values.iter().all(|&value| value <= 0.0)
}

/// A coordinate plane onto which a triangle projects without becoming a line.
/// Dropping a coordinate involves no rounding.
fn flattening(triangle: Triangle) -> Option<fn(DVec3) -> Point> {
    let projections: [fn(DVec3) -> Point; 3] = [|p| [p.x, p.y], |p| [p.y, p.z], |p| [p.z, p.x]];
    projections.into_iter().find(|&flatten| {
        let [a, b, c] = triangle.map(flatten);
        side_of_line(a, b, c) != 0.0
    })
}
