//! Distances for the check: a point or a moving point and a face, and two
//! moving points. Every answer is the least of a few candidates, each of which
//! belongs to a real point of the face and a real moment of the motion, so that
//! rounding can hide a touch of 1e-15 but never a hole in the case distinction.

use robust::{Coord, Coord3D, orient2d, orient3d};

use crate::math::DVec3;

/// The closest point of a face and the part of the face on which it lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Closest {
    pub point: DVec3,
    pub on: Part,
}

/// A part of a face; edge `k` runs from corner `k` to the next one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    Inside,
    Edge(usize),
    Corner,
}

/// The straight way of a point from one frame to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub from: DVec3,
    pub to: DVec3,
}

impl Way {
    fn at(self, t: f64) -> DVec3 {
        if t < 1.0 { self.from + t * (self.to - self.from) } else { self.to }
    }
}

/// The least distance of two points that move at the same time.
pub(super) fn moving_points(a: Way, b: Way) -> f64 {
    let start = b.from - a.from;
    let end = b.to - a.to;
    let change = end - start;
    let ends = start.length().min(end.length());
    let t = -start.dot(change) / change.length_squared();
    // No relative motion gives NaN, which is not inside either.
    if t > 0.0 && t < 1.0 { ends.min((start + t * change).length()) } else { ends }
}

/// The point of a face (a segment or a triangle) closest to `point`.
pub(super) fn closest(corners: &[DVec3], point: DVec3) -> Closest {
    let mut best = Closest { point: corners[0], on: Part::Corner };
    let mut consider = |candidate: DVec3, on: Part| {
        if candidate.distance_squared(point) < best.point.distance_squared(point) {
            best = Closest { point: candidate, on };
        }
    };
    for &corner in corners {
        consider(corner, Part::Corner);
    }
    for (k, [a, b]) in edges(corners).enumerate() {
        let t = foot(a, b, point);
        if t > 0.0 && t < 1.0 {
            let on = if corners.len() == 2 { Part::Inside } else { Part::Edge(k) };
            consider(a + t * (b - a), on);
        }
    }
    if let Some(inner) = foot_on_triangle(corners, point) {
        consider(inner, Part::Inside);
    }
    best
}

/// The least distance between a face and a point on its way.
pub(super) fn moving_point_and_face(way: Way, corners: &[DVec3]) -> f64 {
    if crosses(way, corners) {
        return 0.0;
    }
    let end = |point: DVec3| closest(corners, point).point.distance(point);
    let ends = end(way.from).min(end(way.to));
    edges(corners).map(|edge| between_segments(way, edge)).fold(ends, f64::min)
}

/// The edges of a face; a segment is its own.
pub(super) fn edges(corners: &[DVec3]) -> impl Iterator<Item = [DVec3; 2]> + '_ {
    let count = if corners.len() == 2 { 1 } else { corners.len() };
    (0..count).map(move |k| [corners[k], corners[(k + 1) % corners.len()]])
}

/// Where on the line from `a` (0) to `b` (1) the foot of `point` lies.
fn foot(a: DVec3, b: DVec3, point: DVec3) -> f64 {
    (point - a).dot(b - a) / (b - a).length_squared()
}

fn clamped_foot(way: Way, point: DVec3) -> f64 {
    let t = foot(way.from, way.to, point);
    if t > 0.0 { t.min(1.0) } else { 0.0 }
}

/// The foot of the perpendicular from `point`, if it lies inside a triangle.
fn foot_on_triangle(corners: &[DVec3], point: DVec3) -> Option<DVec3> {
    let &[a, b, c] = corners else { return None };
    let normal = (b - a).cross(c - a);
    let share = |from: DVec3, to: DVec3| normal.dot((to - from).cross(point - from));
    let [of_a, of_b, of_c] = [share(b, c), share(c, a), share(a, b)];
    let sum = of_a + of_b + of_c;
    let is_inside = of_a > 0.0 && of_b > 0.0 && of_c > 0.0 && sum.is_finite();
    is_inside.then(|| a + (of_b / sum) * (b - a) + (of_c / sum) * (c - a))
}

/// The least distance between a way and an edge (it is enough to look at their
/// interiors and at the edge's corners; the way's ends have been looked at).
pub(super) fn between_segments(way: Way, [c, d]: [DVec3; 2]) -> f64 {
    let corner = |p: DVec3| way.at(clamped_foot(way, p)).distance(p);
    let best = corner(c).min(corner(d));
    let (u, v, w) = (way.to - way.from, d - c, way.from - c);
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let (uw, vw) = (u.dot(w), v.dot(w));
    let denominator = uu * vv - uv * uv;
    let s = (uv * vw - vv * uw) / denominator;
    let t = (uu * vw - uv * uw) / denominator;
    let inside = |x: f64| x > 0.0 && x < 1.0;
    if inside(s) && inside(t) { best.min((way.from + s * u).distance(c + t * v)) } else { best }
}

/// Whether the way goes through the face, by the exact signs of determinants.
/// Ways that only touch it need not be found here: their distance is 0 anyway.
fn crosses(way: Way, corners: &[DVec3]) -> bool {
    let opposite = |x: f64, y: f64| (x > 0.0 && y < 0.0) || (x < 0.0 && y > 0.0);
    match *corners {
        [a, b] => {
            let side = |p: DVec3, q: DVec3, r: DVec3| orient2d(flat(p), flat(q), flat(r));
            opposite(side(a, b, way.from), side(a, b, way.to))
                && opposite(side(way.from, way.to, a), side(way.from, way.to, b))
        }
        [a, b, c] => {
            let side = |p, q, r, s| orient3d(solid(p), solid(q), solid(r), solid(s));
            if !opposite(side(a, b, c, way.from), side(a, b, c, way.to)) {
                return false;
            }
            let turns = [(a, b), (b, c), (c, a)].map(|(p, q)| side(way.from, way.to, p, q));
            turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0)
        }
        _ => false,
    }
}

pub(super) fn flat(p: DVec3) -> Coord<f64> {
    Coord { x: p.x, y: p.y }
}

pub(super) fn solid(p: DVec3) -> Coord3D<f64> {
    Coord3D { x: p.x, y: p.y, z: p.z }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STEPS: usize = 24;

    fn any_point(dimension: usize) -> impl Strategy<Value = DVec3> {
        // Some coordinates coincide, for the degenerate cases.
        let coordinate = prop_oneof![4 => -1.0..1.0, 1 => Just(0.0), 1 => Just(0.5)];
        prop::array::uniform3(coordinate)
            .prop_map(move |[x, y, z]| DVec3::new(x, y, if dimension == 2 { 0.0 } else { z }))
    }

    fn any_way(dimension: usize) -> impl Strategy<Value = Way> {
        let stands = prop_oneof![1 => Just(true), 5 => Just(false)];
        (any_point(dimension), any_point(dimension), stands)
            .prop_map(|(from, to, stands)| Way { from, to: if stands { from } else { to } })
    }

    fn any_face(dimension: usize) -> impl Strategy<Value = Vec<DVec3>> {
        prop::collection::vec(any_point(dimension), dimension)
    }

    /// A grid of points on a face, its corners among them.
    fn samples(corners: &[DVec3]) -> Vec<DVec3> {
        let last = corners[corners.len() - 1];
        let part = |k: usize| k as f64 / STEPS as f64;
        let rows = (0..=STEPS).flat_map(|i| (0..=STEPS - i).map(move |j| (part(i), part(j))));
        let point = |(s, t): (f64, f64)| {
            corners[0] + s * (corners[1] - corners[0]) + t * (last - corners[0])
        };
        match corners.len() {
            2 => (0..=STEPS).map(|i| point((part(i), 0.0))).collect(),
            _ => rows.map(point).collect(),
        }
    }

    fn on_way(way: Way) -> impl Iterator<Item = DVec3> {
        (0..=STEPS).map(move |k| way.at(k as f64 / STEPS as f64))
    }

    /// How far from the true minimum the least sample can be: half the diagonal of a cell.
    fn spacing(way: Way, corners: &[DVec3]) -> f64 {
        let longest = edges(corners).map(|[a, b]| a.distance(b)).fold(0.0, f64::max);
        (way.from.distance(way.to) + 2.0 * longest) / STEPS as f64
    }

    fn check_face(corners: &[DVec3], way: Way) -> std::result::Result<(), TestCaseError> {
        let still = Way { to: way.from, ..way };
        let found = closest(corners, way.from);
        let distance = found.point.distance(way.from);
        let sampled = samples(corners).iter().map(|s| s.distance(way.from)).fold(9.0, f64::min);
        prop_assert!(distance <= sampled + 1e-14 && sampled <= distance + spacing(still, corners));
        prop_assert!((moving_point_and_face(still, corners) - distance).abs() < 1e-14);

        let distance = moving_point_and_face(way, corners);
        let sampled = on_way(way)
            .map(|p| closest(corners, p).point.distance(p))
            .fold(f64::INFINITY, f64::min);
        prop_assert!(distance <= sampled + 1e-14, "{distance} {sampled}");
        prop_assert!(sampled <= distance + spacing(way, corners), "{distance} {sampled}");
        let back = Way { from: way.to, to: way.from };
        prop_assert!((moving_point_and_face(back, corners) - distance).abs() < 1e-13);
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn distances_to_triangles_are_those_of_many_samples(way in any_way(3), face in any_face(3)) {
            check_face(&face, way)?;
        }

        #[test]
        fn distances_to_segments_are_those_of_many_samples(way in any_way(2), face in any_face(2)) {
            check_face(&face, way)?;
        }

        #[test]
        fn the_closest_point_lies_where_it_is_said_to_lie(point in any_point(3), face in any_face(3)) {
            let Closest { point: found, on } = closest(&face, point);
            let normal = (face[1] - face[0]).cross(face[2] - face[0]);
            match on {
                Part::Corner => prop_assert!(face.contains(&found)),
                Part::Edge(k) => {
                    let along = (face[(k + 1) % 3] - face[k]).normalize();
                    prop_assert!(along.dot(point - found).abs() < 1e-13);
                    prop_assert!(along.cross(found - face[k]).length() < 1e-13);
                }
                Part::Inside => {
                    let off = normal.normalize().cross(point - found).length();
                    prop_assert!(off < 1e-13 / normal.length(), "{off}");
                }
            }
        }

        #[test]
        fn moving_points_come_as_close_as_their_samples(a in any_way(3), b in any_way(3)) {
            let distance = moving_points(a, b);
            let sampled = on_way(a).zip(on_way(b)).map(|(p, q)| p.distance(q)).fold(9.0, f64::min);
            let spacing = (a.from.distance(a.to) + b.from.distance(b.to)) / STEPS as f64;
            prop_assert!(distance <= sampled + 1e-14 && sampled <= distance + spacing);
        }
    }

    #[test]
    fn a_way_through_a_face_has_no_distance() {
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let through =
            |x: f64, y: f64| Way { from: DVec3::new(x, y, 1e-3), to: DVec3::new(x, y, -1.0) };
        assert_eq!(moving_point_and_face(through(0.2, 0.2), &triangle), 0.0);
        assert_eq!(moving_point_and_face(through(0.5, 0.5), &triangle), 0.0, "through an edge");
        assert_eq!(moving_point_and_face(through(0.0, 0.0), &triangle), 0.0, "through a corner");
        assert_eq!(moving_point_and_face(through(-3.0, 0.0), &triangle), 3.0);
        let across = Way { from: DVec3::new(0.5, 1.0, 0.0), to: DVec3::new(0.5, -1.0, 0.0) };
        assert_eq!(moving_point_and_face(across, &[DVec3::ZERO, DVec3::X]), 0.0);
    }

    #[test]
    fn slivers_are_measured_like_the_segments_they_are() {
        for height in [1e-6, 1e-10, 1e-14, 0.0] {
            let sliver = [DVec3::ZERO, DVec3::X, DVec3::new(0.4, height, 0.0)];
            let found = closest(&sliver, DVec3::new(0.7, 0.0, 0.3));
            assert!((found.point.distance(DVec3::new(0.7, 0.0, 0.3)) - 0.3).abs() < 1e-15);
        }
    }
}
