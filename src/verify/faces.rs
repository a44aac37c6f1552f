//! Two faces or convex pieces, one of them moving straight: how deep they cut
//! into each other, and how close they come. A face is a segment of the plane or a
//! triangle; the cores of round pieces are points and segments in space. Both the
//! widest gap along the axes of two convex figures and their distance are convex
//! functions of the time of a straight motion, so their least value is easily found.

use super::distance::{Way, between_segments, closest, edges};
use crate::math::DVec3;
use crate::shape::Polytope;

/// The golden section: each step keeps this part of the interval.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// One axis along which two faces may be apart: unit vector, and the gap of the
/// first beyond the second and of the second beyond the first, unmoved.
struct Axis {
    along: DVec3,
    beyond: f64,
    before: f64,
}

impl Axis {
    fn gap(&self, offset: DVec3) -> f64 {
        let shift = self.along.dot(offset);
        (self.beyond + shift).max(self.before - shift)
    }
}

/// How deep the faces cut into each other at worst while the first moves from
/// one offset to another; not positive if they do not. Both are segments of the plane,
/// or at least one of them is a triangle.
pub(super) fn deepest_cut(a: &[DVec3], b: &[DVec3], from: DVec3, to: DVec3) -> f64 {
    deepest_along(directions(a, b), a, b, from, to)
}

/// A convex piece: its corners, and the directions of its sides and edges.
pub(super) struct Chunk {
    pub corners: Vec<DVec3>,
    normals: Vec<DVec3>,
    edges: Vec<DVec3>,
}

impl Chunk {
    /// From corners and sides; all sides of a polygon are segments.
    fn new(corners: &[DVec3], sides: &[Vec<u32>]) -> Chunk {
        let (mut normals, mut lines) = (Vec::new(), Vec::new());
        for side in sides {
            let face: Vec<DVec3> = side.iter().map(|&k| corners[k as usize]).collect();
            normals.push(upright(&face));
            if face.len() > 2 {
                lines.extend(edges(&face).map(|[p, q]| q - p));
            }
        }
        let (normals, edges) = (without_doubles(normals), without_doubles(lines));
        Chunk { corners: corners.to_vec(), normals, edges }
    }

    /// A piece that is filled.
    pub fn of(core: &Polytope) -> Chunk {
        let sides: Vec<Vec<u32>> = core.facets().iter().map(|f| f.corners.to_vec()).collect();
        Chunk::new(core.corners(), &sides)
    }

    /// A face of the container.
    pub fn of_face(corners: &[DVec3]) -> Chunk {
        let ends = |k: usize| vec![k as u32, ((k + 1) % corners.len()) as u32];
        match corners.len() {
            2 => Chunk::new(corners, &[vec![0, 1]]).with(corners[1] - corners[0]),
            n => {
                let mut chunk = Chunk::new(corners, &[vec![0, 1, 2]]);
                let up = upright(corners);
                for k in 0..n {
                    let [p, q] = [ends(k)[0], ends(k)[1]].map(|k| corners[k as usize]);
                    chunk = chunk.with((q - p).cross(up));
                }
                chunk
            }
        }
    }

    fn with(mut self, normal: DVec3) -> Chunk {
        self.normals.push(normal.normalize_or_zero());
        self
    }
}

/// How deep two convex pieces overlap at worst while the first moves.
pub(super) fn deepest_overlap(a: &Chunk, b: &Chunk, from: DVec3, to: DVec3) -> f64 {
    let across = a.edges.iter().flat_map(|u| b.edges.iter().map(move |v| u.cross(*v)));
    let across = across.filter(|axis| axis.length_squared() > 1e-24);
    let axes = a.normals.iter().chain(&b.normals).copied().chain(across);
    deepest_along(axes, &a.corners, &b.corners, from, to)
}

/// Unit vectors of all lines, each once.
fn without_doubles(lines: Vec<DVec3>) -> Vec<DVec3> {
    let mut kept: Vec<DVec3> = Vec::new();
    for line in lines.into_iter().filter_map(DVec3::try_normalize) {
        if kept.iter().all(|known| known.cross(line).length_squared() > 1e-24) {
            kept.push(line);
        }
    }
    kept
}

/// Across a segment of the plane, or upright on a polygon in space; of no special length.
fn upright(face: &[DVec3]) -> DVec3 {
    match *face {
        [p, q] => (q - p).cross(DVec3::Z),
        [p, ref rest @ ..] => {
            rest.windows(2).map(|pair| (pair[0] - p).cross(pair[1] - p)).sum::<DVec3>()
        }
        _ => DVec3::ZERO,
    }
}

fn deepest_along(
    directions: impl IntoIterator<Item = DVec3>,
    a: &[DVec3],
    b: &[DVec3],
    from: DVec3,
    to: DVec3,
) -> f64 {
    let mut axes = Vec::with_capacity(17);
    for along in directions {
        let Some(along) = along.try_normalize() else { continue };
        let least =
            |face: &[DVec3]| face.iter().map(|c| c.dot(along)).fold(f64::INFINITY, f64::min);
        let most =
            |face: &[DVec3]| face.iter().map(|c| c.dot(along)).fold(f64::NEG_INFINITY, f64::max);
        let axis = Axis { along, beyond: least(a) - most(b), before: least(b) - most(a) };
        // Apart along one side of one axis, all the way: the common case.
        let (start, end) = (along.dot(from), along.dot(to));
        let all_the_way = (axis.beyond + start.min(end)).max(axis.before - start.max(end));
        if all_the_way > 0.0 {
            return -all_the_way;
        }
        axes.push(axis);
    }
    let gap = |t: f64| {
        let offset = from + t * (to - from);
        axes.iter().map(|axis| axis.gap(offset)).fold(f64::NEG_INFINITY, f64::max)
    };
    -least_value(gap, from != to)
}

/// The least distance of the faces while the first moves.
pub(super) fn closest_pass(a: &[DVec3], b: &[DVec3], from: DVec3, to: DVec3) -> f64 {
    least_value(|t| distance(a, b, from + t * (to - from)), from != to)
}

/// The distance of two faces, the first moved by an offset. Faces that cut
/// through each other are 0 apart up to where an edge meets the other face.
fn distance(a: &[DVec3], b: &[DVec3], offset: DVec3) -> f64 {
    let moved: Vec<DVec3> = a.iter().map(|corner| *corner + offset).collect();
    let to_face = |point: &DVec3, face: &[DVec3]| closest(face, *point).point.distance(*point);
    let corners = moved.iter().map(|p| to_face(p, b)).chain(b.iter().map(|p| to_face(p, &moved)));
    let least = corners.fold(f64::INFINITY, f64::min);
    let sides = edges(&moved).flat_map(|[p, q]| {
        edges(b).map(move |edge| between_segments(Way { from: p, to: q }, edge))
    });
    sides.fold(least, f64::min)
}

/// The directions that can tell two faces apart.
fn directions(a: &[DVec3], b: &[DVec3]) -> Vec<DVec3> {
    let mut found = Vec::with_capacity(17);
    if a.len() == 2 && b.len() == 2 {
        found.extend([upright(a), upright(b), a[1] - a[0], b[1] - b[0]]);
        return found;
    }
    let triangles = [a, b].into_iter().filter(|face| face.len() > 2);
    found.extend(triangles.clone().map(upright));
    for [p, q] in edges(a) {
        let along = q - p;
        found.extend(edges(b).filter_map(|[r, s]| {
            let across = along.cross(s - r);
            let square = across.length_squared();
            (square > 1e-24 * along.length_squared() * (s - r).length_squared()).then_some(across)
        }));
    }
    for face in triangles {
        let up = upright(face);
        found.extend(edges(face).map(|[p, q]| (q - p).cross(up)));
    }
    found
}

/// The least value of a convex function on [0, 1], or at 1 if nothing moves.
fn least_value(f: impl Fn(f64) -> f64, moves: bool) -> f64 {
    let mut best = f(1.0);
    if !moves {
        return best;
    }
    best = best.min(f(0.0));
    let (mut low, mut high) = (0.0, 1.0);
    let (mut left, mut right) = (1.0 - GOLDEN, GOLDEN);
    let (mut at_left, mut at_right) = (f(left), f(right));
    for _ in 0..75 {
        best = best.min(at_left).min(at_right);
        if at_left < at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - GOLDEN * (high - low);
            at_left = f(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + GOLDEN * (high - low);
            at_right = f(right);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use proptest::prelude::*;

    fn triangle(random: &mut Random) -> Vec<DVec3> {
        (0..3).map(|_| vector(random)).collect()
    }

    fn vector(random: &mut Random) -> DVec3 {
        DVec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        /// Where faces cut they are no distance apart, and otherwise the gap along
        /// an axis is never more than the distance.
        #[test]
        fn cuts_and_distances_agree(seed: u64) {
            let random = &mut Random::new(seed);
            let (a, b) = (triangle(random), triangle(random));
            let (from, to) = (2.0 * vector(random), vector(random));
            let (cut, pass) = (deepest_cut(&a, &b, from, to), closest_pass(&a, &b, from, to));
            prop_assert!(-cut <= pass + 1e-12);
            let sampled = (0..=200).map(|k| {
                let offset = from.lerp(to, f64::from(k) / 200.0);
                (deepest_cut(&a, &b, offset, offset), distance(&a, &b, offset))
            });
            let (worst, least) = sampled.fold((f64::NEG_INFINITY, f64::INFINITY), |(w, l), (cut, d)| (w.max(cut), l.min(d)));
            let step = from.distance(to) / 200.0;
            if cut > 0.0 {
                prop_assert!(worst <= cut + 1e-12 && worst >= cut - step);
            } else {
                prop_assert!(worst <= 1e-12);
                prop_assert!(least >= pass - 1e-12 && least <= pass + step);
            }
        }
    }

    #[test]
    fn segments_pass_through_each_other() {
        let a = [DVec3::ZERO, DVec3::X];
        let b = [DVec3::new(0.5, -1.0, 0.0), DVec3::new(0.5, 1.0, 0.0)];
        assert!((deepest_cut(&a, &b, -2.0 * DVec3::X, 2.0 * DVec3::X) - 0.5).abs() < 1e-12);
        assert!(deepest_cut(&a, &b, DVec3::Y * 1.5, DVec3::Y * 3.0) <= -0.5);
        // A segment through a triangle, as deep as its shorter end sticks out.
        let triangle = [DVec3::ZERO, 4.0 * DVec3::X, 4.0 * DVec3::Y];
        let pin = [DVec3::new(1.0, 1.0, -0.25), DVec3::new(1.0, 1.0, 3.0)];
        assert!((deepest_cut(&pin, &triangle, DVec3::ZERO, DVec3::ZERO) - 0.25).abs() < 1e-12);
        assert!(deepest_cut(&triangle, &pin, -DVec3::Z, -DVec3::Z) <= -0.75);
        // On one line, end to end: touching is no cut.
        assert_eq!(deepest_cut(&a, &a, DVec3::X, DVec3::X), 0.0);
        assert!(deepest_cut(&a, &a, DVec3::X * 0.5, DVec3::X * 0.5) <= 0.0, "no depth across");
    }
}
