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

/// Negative on the side from which `a`, `b`, `c` run counter-clockwise,
/// positive on the other, 0 on their plane.
pub(super) fn side_of_plane([a, b, c]: Triangle, d: DVec3) -> f64 {
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
pub(crate) fn segments_meet([a, b]: [Point; 2], [c, d]: [Point; 2]) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn triangle(corners: [[i32; 3]; 3]) -> Triangle {
        corners.map(|corner| DVec3::from_array(corner.map(f64::from)))
    }

    /// Small whole coordinates: touching and coplanar cases come up all the time.
    fn any_triangle() -> impl Strategy<Value = Triangle> {
        prop::array::uniform3([0..4, 0..4, 0..4])
            .prop_map(triangle)
            .prop_filter("has an area", |&corners| !is_degenerate(corners))
    }

    /// The sign by which a direction separates two sets of points: positive if
    /// the first lies strictly before the second. Exact for small whole numbers.
    fn gap(direction: DVec3, a: &[DVec3], b: &[DVec3]) -> f64 {
        let heights =
            |points: &[DVec3]| points.iter().map(|p| p.dot(direction)).collect::<Vec<f64>>();
        let last = heights(a).into_iter().fold(f64::NEG_INFINITY, f64::max);
        let first = heights(b).into_iter().fold(f64::INFINITY, f64::min);
        first - last
    }

    /// Whether a plane separates two triangles strictly: two disjoint convex
    /// polyhedra have a separating direction among the normals and the cross products of edges.
    fn separated(a: Triangle, b: Triangle) -> bool {
        let [sides_a, sides_b] = [a, b].map(|t| edges(t).map(|[p, q]| q - p));
        let [normal_a, normal_b] = [sides_a, sides_b].map(|sides| sides[0].cross(sides[1]));
        let mut directions = vec![normal_a, normal_b];
        for side in sides_a {
            directions.extend(sides_b.map(|other| side.cross(other)));
            directions.push(side.cross(normal_a));
        }
        directions.extend(sides_b.map(|side| side.cross(normal_b)));
        directions.iter().any(|&d| gap(d, &a, &b) > 0.0 || gap(-d, &a, &b) > 0.0)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn triangles_meet_unless_a_plane_separates_them(a in any_triangle(), b in any_triangle()) {
            prop_assert_eq!(triangles_meet(a, b), !separated(a, b));
            prop_assert_eq!(triangles_meet(b, a), !separated(a, b));
        }

        /// Cutting the common vertex off one triangle leaves what may not meet
        /// the other. With whole coordinates, nothing else fits into so small a cut.
        #[test]
        fn triangles_with_a_common_vertex_meet_elsewhere_if_one_still_does_without_it(
            mut a in any_triangle(), b in any_triangle(),
        ) {
            let b = b.map(|corner| corner - b[0] + a[0]);
            prop_assert_eq!(triangles_meet_beyond_vertex(a, b), triangles_meet_beyond_vertex(b, a));
            let cut = 0.015625;
            let (near_1, near_2) = (a[0].lerp(a[1], cut), a[0].lerp(a[2], cut));
            let rest = [[near_1, a[1], a[2]], [near_1, a[2], near_2]];
            let meets = rest.into_iter().any(|part| triangles_meet(part, b));
            prop_assert_eq!(triangles_meet_beyond_vertex(a, b), meets);
            a.swap(1, 2);
            prop_assert_eq!(triangles_meet_beyond_vertex(a, b), meets);
        }

        #[test]
        fn triangles_with_a_common_edge_meet_elsewhere_only_in_a_plane(
            a in any_triangle(), tip in [0..4, 0..4, 0..4],
        ) {
            let b = [a[0], a[1], DVec3::from_array(tip.map(f64::from))];
            prop_assume!(!is_degenerate(b));
            let normal_a = (a[1] - a[0]).cross(a[2] - a[0]);
            let normal_b = (b[1] - b[0]).cross(b[2] - b[0]);
            let in_one_plane = normal_a.cross(normal_b) == DVec3::ZERO;
            let same_half = in_one_plane && normal_a.dot(normal_b) > 0.0;
            prop_assert_eq!(triangles_meet_beyond_edge(a, b), same_half);
        }
    }

    #[test]
    fn a_gap_of_one_rounding_error_is_a_gap() {
        let a = triangle([[0, 0, 0], [3, 0, 0], [0, 3, 0]]);
        let touching = triangle([[1, 1, 0], [1, 2, 5], [2, 1, 5]]);
        assert!(triangles_meet(a, touching));
        let mut apart = touching;
        apart[0].z = f64::MIN_POSITIVE;
        assert!(!triangles_meet(a, apart));
    }

    #[test]
    fn segments_meet_at_ends_and_along_a_line() {
        let meet = |a: [[i32; 2]; 2], b: [[i32; 2]; 2]| {
            let [a, b] = [a, b].map(|segment| segment.map(|end| end.map(f64::from)));
            assert_eq!(segments_meet(a, b), segments_meet(b, a));
            segments_meet(a, b)
        };
        assert!(meet([[0, 0], [2, 2]], [[0, 2], [2, 0]])); // across
        assert!(meet([[0, 0], [2, 0]], [[1, 0], [1, 5]])); // a T
        assert!(meet([[0, 0], [2, 0]], [[2, 0], [3, 5]])); // an L
        assert!(meet([[0, 0], [2, 0]], [[1, 0], [3, 0]])); // overlapping
        assert!(meet([[0, 0], [2, 0]], [[2, 0], [3, 0]])); // in a row
        assert!(!meet([[0, 0], [2, 0]], [[3, 0], [4, 0]])); // in a row, apart
        assert!(!meet([[0, 0], [2, 0]], [[0, 1], [2, 1]])); // parallel
        assert!(!meet([[0, 0], [2, 0]], [[3, -1], [3, 1]])); // past the end
    }

    #[test]
    fn degenerate_means_on_one_line() {
        assert!(is_degenerate(triangle([[0, 0, 0], [1, 2, 3], [2, 4, 6]])));
        assert!(is_degenerate(triangle([[1, 1, 1], [1, 1, 1], [2, 4, 6]])));
        assert!(!is_degenerate(triangle([[0, 0, 0], [0, 0, 1], [0, 1, 0]])));
    }
}
