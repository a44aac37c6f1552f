//! One face of a boundary and the point of it that is closest to a given one.
//! Faces may be slivers, so the closest point is never taken from a case
//! distinction that rounding could upset: it is the nearest of a few
//! candidates, each of which lies on the face whatever the rounding.

use super::{Aabb, Polytope};
use crate::math::DVec3;

/// A generous bound for the rounding errors of a closest point, in units of
/// the largest coordinate of the face.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// A convex face: a segment in 2D (z = 0), a triangle in 3D, corners in order.
///
/// ```
/// use riprap::{math::DVec3, shape::Face};
/// let face = Face::triangle(DVec3::ZERO, DVec3::X, DVec3::Y);
/// assert_eq!(face.closest_point(DVec3::new(0.25, 0.25, 3.0)), DVec3::new(0.25, 0.25, 0.0));
/// assert_eq!(face.closest_point(DVec3::new(0.5, -2.0, 1.0)), DVec3::new(0.5, 0.0, 0.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Two or three.
    pub corners: Vec<DVec3>,
}

/// The part of a face on which its closest point lies. Edge `k` runs from
/// corner `k` to the next one; of a segment, the interior is `Inside`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Feature {
    Inside,
    Edge(usize),
    Corner(usize),
}

impl Face {
    /// The face from `a` to `b`, the outside on its right.
    pub fn segment(a: DVec3, b: DVec3) -> Self {
        Face { corners: vec![a, b] }
    }

    /// The face with these corners, counter-clockwise seen from outside.
    pub fn triangle(a: DVec3, b: DVec3, c: DVec3) -> Self {
        Face { corners: vec![a, b, c] }
    }

    /// The face as a polytope without volume.
    pub fn polytope(&self) -> Polytope {
        match self.corners[..] {
            [a, b, c] => Polytope::triangle([a, b, c]),
            _ => Polytope::polygon(&self.corners.iter().map(|c| [c.x, c.y]).collect::<Vec<_>>()),
        }
    }

    /// The box around it.
    pub fn bounds(&self) -> Aabb {
        Aabb::from_points(self.corners.iter().copied())
    }

    /// The unit normal: to the right of a segment (seen from +z), towards the
    /// side from which a triangle runs counter-clockwise. Zero if the face is degenerate.
    pub fn normal(&self) -> DVec3 {
        let normal = match self.corners[..] {
            [a, b] => (b - a).cross(DVec3::Z),
            [a, b, c] => (b - a).cross(c - a),
            _ => DVec3::ZERO,
        };
        normal.normalize_or_zero()
    }

    /// The point of this face closest to `point`.
    ///
    /// # Panics
    /// If the face has neither two nor three corners.
    pub fn closest_point(&self, point: DVec3) -> DVec3 {
        self.closest(point).0
    }

    /// The closest point and where on the face it lies.
    pub(super) fn closest(&self, point: DVec3) -> (DVec3, Feature) {
        match self.corners[..] {
            [a, b] => closest_on_segment(a, b, point),
            [a, b, c] => closest_on_triangle([a, b, c], point),
            _ => panic!("a face has two or three corners, not {}", self.corners.len()),
        }
    }
}

/// Measured from the nearer end, so that an end is hit exactly and a segment
/// gives the same point when it is run through backwards.
fn closest_on_segment(a: DVec3, b: DVec3, point: DVec3) -> (DVec3, Feature) {
    let along = b - a;
    let length_squared = along.length_squared();
    let from_a = (point - a).dot(along);
    let from_b = (b - point).dot(along);
    if from_a <= 0.0 || length_squared == 0.0 {
        (a, Feature::Corner(0))
    } else if from_b <= 0.0 {
        (b, Feature::Corner(1))
    } else if from_a <= from_b {
        (a + (from_a / length_squared) * along, Feature::Inside)
    } else {
        (b - (from_b / length_squared) * along, Feature::Inside)
    }
}

fn closest_on_triangle(corners: [DVec3; 3], point: DVec3) -> (DVec3, Feature) {
    let (on_outline, feature, outline_squared) = closest_on_outline(corners, point);
    let inside = closest_above_base(corners, point);
    if inside.distance_squared(point) >= outline_squared {
        return (on_outline, feature);
    }
    // Rounding can move a point of the outline a little inside, where it would
    // get the wrong normal. So close to it, the outline's own normals are right.
    let size = corners.map(|corner| corner.abs().max_element()).into_iter().fold(0.0, f64::max);
    if inside.distance(on_outline) < ROUNDING * size {
        (inside, feature)
    } else {
        (inside, Feature::Inside)
    }
}

/// The closest point on the outline of a triangle, its place and its squared distance.
fn closest_on_outline(corners: [DVec3; 3], point: DVec3) -> (DVec3, Feature, f64) {
    let mut best = (corners[0], Feature::Corner(0), f64::INFINITY);
    for k in 0..3 {
        let next = (k + 1) % 3;
        let (candidate, feature) = closest_on_segment(corners[k], corners[next], point);
        let squared = candidate.distance_squared(point);
        if squared < best.2 {
            let feature = match feature {
                Feature::Corner(0) => Feature::Corner(k),
                Feature::Corner(_) => Feature::Corner(next),
                _ => Feature::Edge(k),
            };
            best = (candidate, feature, squared);
        }
    }
    best
}

/// The closest point of a triangle if that is inside; else some other point of it.
/// The closest point lies on the line across the triangle that starts at the
/// closest point of the longest side and is perpendicular to it. No normal is
/// needed, so the error stays at the rounding of the coordinates, however thin the triangle.
fn closest_above_base(corners: [DVec3; 3], point: DVec3) -> DVec3 {
    let length_squared = |k: usize| corners[k].distance_squared(corners[(k + 1) % 3]);
    let longer_of_two = if length_squared(1) > length_squared(0) { 1 } else { 0 };
    let longest = if length_squared(2) > length_squared(longer_of_two) { 2 } else { longer_of_two };
    let [a, b, peak] = [0, 1, 2].map(|k| corners[(longest + k) % 3]);

    let fraction = |q: DVec3| ((q - a).dot(b - a) / length_squared(longest)).clamp(0.0, 1.0);
    let (start, under_peak) = (fraction(point), fraction(peak));
    let end = if start < under_peak {
        a.lerp(peak, start / under_peak)
    } else if start > under_peak {
        b.lerp(peak, (1.0 - start) / (1.0 - under_peak))
    } else {
        peak
    };
    closest_on_segment(a.lerp(b, start), end, point).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_vector() -> impl Strategy<Value = DVec3> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(DVec3::from_array)
    }

    /// Ordinary triangles, needles and caps: the third corner is pulled onto
    /// the line of the other two to within a factor `height`.
    fn any_triangle() -> impl Strategy<Value = [DVec3; 3]> {
        let height = prop_oneof![Just(1.0), Just(1e-3), Just(1e-7), Just(1e-12), Just(0.0)];
        (any_vector(), any_vector(), any_vector(), -0.5..1.5, height, 0..3usize).prop_map(
            |(a, b, c, t, height, turn)| {
                let foot = a.lerp(b, t);
                let mut corners = [a, b, foot + height * (c - foot)];
                corners.rotate_left(turn);
                corners
            },
        )
    }

    /// The least value of a convex function on [0, 1].
    fn least(f: impl Fn(f64) -> f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..90 {
            let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if f(left) < f(right) { high = right } else { low = left }
        }
        f(low).min(f(high)).min(f(0.0)).min(f(1.0))
    }

    /// The distance to a face by searching all its points, sharing no code with the above.
    fn searched_distance(face: &Face, point: DVec3) -> f64 {
        match face.corners[..] {
            [a, b] => least(|t| a.lerp(b, t).distance(point)),
            [a, b, c] => least(|s| {
                let (start, end) = (a.lerp(b, s), a.lerp(c, s));
                least(|t| start.lerp(end, t).distance(point))
            }),
            _ => unreachable!(),
        }
    }

    fn assert_closest(face: &Face, point: DVec3) {
        let closest = face.closest_point(point);
        let on_face = searched_distance(face, closest);
        assert!(on_face < 1e-14, "{closest} is {on_face:e} off {face:?}");
        let (found, expected) = (closest.distance(point), searched_distance(face, point));
        assert!(
            (found - expected).abs() < 1e-14,
            "{found} from {point} to {face:?}, not {expected}"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn the_closest_point_of_a_triangle_is_on_it_and_no_point_is_nearer(
            [a, b, c] in any_triangle(),
            point in any_vector(),
            weights in [0.0..1.0, 0.0..1.0],
            height in prop_oneof![Just(0.0), Just(1e-9), Just(0.1)],
        ) {
            let face = Face::triangle(a, b, c);
            assert_closest(&face, point);
            let inside = a.lerp(b, weights[0]).lerp(c, weights[1]);
            assert_closest(&face, inside + height * face.normal());
        }

        #[test]
        fn the_closest_point_of_a_segment_is_on_it_and_no_point_is_nearer(
            a in any_vector(), b in any_vector(), point in any_vector(),
        ) {
            assert_closest(&Face::segment(a, b), point);
            assert_closest(&Face::segment(a, a), point);
            let [there, back] = [Face::segment(a, b), Face::segment(b, a)];
            prop_assert_eq!(there.closest_point(point), back.closest_point(point));
        }

        #[test]
        fn the_feature_is_the_one_with_the_closest_point(
            [a, b, c] in any_triangle(), point in any_vector(),
        ) {
            let corners = [a, b, c];
            let (closest, feature) = closest_on_triangle(corners, point);
            let rounding = 4.0 * ROUNDING; // the triangles are up to four units large
            match feature {
                Feature::Corner(k) => prop_assert!(closest.distance(corners[k]) < rounding),
                Feature::Edge(k) => {
                    let edge = Face::segment(corners[k], corners[(k + 1) % 3]);
                    prop_assert!(closest.distance(edge.closest_point(point)) < rounding);
                }
                Feature::Inside => {
                    let (on_outline, _, squared) = closest_on_outline(corners, point);
                    prop_assert_ne!(closest, on_outline);
                    prop_assert!(closest.distance_squared(point) < squared);
                }
            }
        }
    }

    #[test]
    fn normals_point_right_of_segments_and_out_of_triangles() {
        assert_eq!(Face::segment(DVec3::ZERO, 3.0 * DVec3::X).normal(), DVec3::NEG_Y);
        assert_eq!(Face::triangle(DVec3::ZERO, 2.0 * DVec3::X, DVec3::Y).normal(), DVec3::Z);
        assert_eq!(Face::triangle(DVec3::ZERO, DVec3::X, 2.0 * DVec3::X).normal(), DVec3::ZERO);
    }

    #[test]
    #[should_panic(expected = "a face has two or three corners, not 4")]
    fn a_face_has_two_or_three_corners() {
        Face { corners: vec![DVec3::ZERO; 4] }.closest_point(DVec3::X);
    }
}
