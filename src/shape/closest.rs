//! Two convex pieces: how far apart they are, and along which direction.
//!
//! The room between two pieces along a unit vector follows from their corners
//! alone, and whatever the vector, it makes a valid half-space: a motion that
//! does not use the room up cannot make the pieces overlap. The distance is
//! the most room that any direction gives. So the searches below only have to
//! propose good directions; rounding in a search costs room, never validity.

use super::{Face, Polytope};
use crate::math::DVec3;

/// A direction that separates two pieces, and the room along it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apart {
    /// Unit vector from the second piece to the first.
    pub normal: DVec3,
    /// The room between the pieces along it; negative if they overlap.
    pub room: f64,
}

/// A search is believed if the room it found is this close to the distance of
/// the points it found, in units of the pieces' size.
const CERTAIN: f64 = 1e-13;
/// More iterations than pieces with hundreds of corners need.
const MOST_ITERATIONS: usize = 100;

/// The room between `a`, moved by `offset`, and `b` along a direction from `b` to `a`.
pub fn room_along(a: &Polytope, b: &Polytope, offset: DVec3, direction: DVec3) -> f64 {
    offset.dot(direction) - a.support(-direction) - b.support(direction)
}

/// The distance of `a`, moved by `offset`, from `b`, and its direction. Of
/// pieces that overlap, the way out through the nearest facet of their
/// Minkowski sum.
///
/// ```
/// use riprap::{math::DVec3, shape::{Polytope, closest}};
/// let square = Polytope::polygon(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
/// let apart = closest(&square, &square, DVec3::new(4.0, 5.0, 0.0));
/// assert!((apart.room - 5.0).abs() < 1e-15);
/// assert!(apart.normal.distance(DVec3::new(0.6, 0.8, 0.0)) < 1e-15);
/// assert_eq!(closest(&square, &square, DVec3::X * 0.75).room, -0.25);
/// ```
pub fn closest(a: &Polytope, b: &Polytope, offset: DVec3) -> Apart {
    if let Some(apart) = shortest_difference(a, b, offset) {
        return apart;
    }
    let by_facet = widest(a, b, offset);
    // If the Minkowski sum is solid, it has all its facets, and no room along any of them means
    // overlap. That of two segments, say, may lie in one plane.
    let is_solid = a.facets().len() > 2 || b.facets().len() > 2;
    if is_solid && by_facet.room < 0.0 {
        return by_facet;
    }
    let shortest = shortest_by_features(a, b, offset);
    let by_points = Apart::along(a, b, offset, shortest).squared(a, b, offset);
    if by_points.room > by_facet.room { by_points } else { by_facet }
}

/// Whether two pieces are known to be at least this far apart. Much cheaper than their distance if
/// they overlap; of pieces that just touch, known only where a facet of one of them separates them.
pub(crate) fn are_apart(a: &Polytope, b: &Polytope, least: f64) -> bool {
    if let Some(apart) = shortest_difference(a, b, DVec3::ZERO) {
        return apart.room >= least;
    }
    let room = |direction| room_along(a, b, DVec3::ZERO, direction);
    a.facets().iter().any(|facet| room(-facet.normal) >= least)
        || b.facets().iter().any(|facet| room(facet.normal) >= least)
}

/// Of the normals of the facets of the Minkowski sum, the one with the most
/// room: the straight side that the pieces can slide along.
pub fn widest(a: &Polytope, b: &Polytope, offset: DVec3) -> Apart {
    let mut best = Apart { normal: DVec3::X, room: f64::NEG_INFINITY };
    let mut try_direction = |normal: DVec3| {
        let room = room_along(a, b, offset, normal);
        if room > best.room && normal != DVec3::ZERO {
            best = Apart { normal, room };
        }
    };
    a.facets().iter().for_each(|facet| try_direction(-facet.normal));
    b.facets().iter().for_each(|facet| try_direction(facet.normal));
    for &[i, j] in a.edges() {
        let along_a = a.corners()[j as usize] - a.corners()[i as usize];
        for &[k, l] in b.edges() {
            let along_b = b.corners()[l as usize] - b.corners()[k as usize];
            let across = along_a.cross(along_b);
            // Parallel edges make no facet.
            if across.length_squared() > 1e-20 * along_a.length_squared() * along_b.length_squared()
            {
                let normal = across.normalize();
                try_direction(normal);
                try_direction(-normal);
            }
        }
    }
    if best.room == f64::NEG_INFINITY {
        // Two points, or parallel lines: nothing has a side.
        let shortest = shortest_by_features(a, b, offset);
        return Apart::along(a, b, offset, shortest).squared(a, b, offset);
    }
    best
}

impl Apart {
    /// Along the direction of a vector; coincident points are separated along x.
    fn along(a: &Polytope, b: &Polytope, offset: DVec3, vector: DVec3) -> Self {
        let normal = vector.try_normalize().unwrap_or(DVec3::X);
        Apart { normal, room: room_along(a, b, offset, normal) }
    }

    /// The difference of two points that nearly touch has few good digits, and
    /// a direction that is not square to the edges in contact loses room over
    /// their whole length. So the direction is made square to all corners that
    /// it reaches about equally far; what gives the most room is kept.
    fn squared(self, a: &Polytope, b: &Polytope, offset: DVec3) -> Self {
        let mut best = self;
        for tolerance in [1e-12, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3] {
            let mut normal = self.normal;
            let mut edges: Vec<DVec3> = Vec::new();
            for (piece, outward) in [(a, -self.normal), (b, self.normal)] {
                let (top, size) = (piece.support(outward), piece.bounds().size().max_element());
                let reached = |c: &&DVec3| top - c.dot(outward) <= tolerance * size;
                let mut corners = piece.corners().iter().filter(reached);
                let first = corners.next().copied().unwrap_or_default();
                for corner in corners {
                    // Gram and Schmidt, so that a later edge does not undo an earlier one.
                    let along = (*corner - first).normalize_or_zero();
                    let rest = edges.iter().fold(along, |rest, e| rest - rest.dot(*e) * *e);
                    if rest.length() > 1e-3 {
                        edges.push(rest.normalize());
                    }
                }
            }
            for edge in &edges {
                normal -= normal.dot(*edge) * *edge;
            }
            let found = Apart::along(a, b, offset, normal);
            if normal.length() > 0.5 && found.room > best.room {
                best = found;
            }
        }
        best
    }
}

/// The distance algorithm of Gilbert, Johnson and Keerthi: the point of the
/// Minkowski difference that is closest to the origin. `None` unless the
/// answer proves itself.
fn shortest_difference(a: &Polytope, b: &Polytope, offset: DVec3) -> Option<Apart> {
    let farthest = |piece: &Polytope, direction: DVec3| {
        let heights = piece.corners().iter().map(|c| c.dot(direction));
        let best = heights.enumerate().max_by(|x, y| x.1.total_cmp(&y.1));
        best.map_or(0, |(k, _)| k)
    };
    let difference = |[i, j]: [usize; 2]| offset + a.corners()[i] - b.corners()[j];
    let mut simplex = vec![([0, 0], difference([0, 0]))];
    let mut shortest = simplex[0].1;
    let mut scale = shortest.length();
    for _ in 0..MOST_ITERATIONS {
        let found = [farthest(a, -shortest), farthest(b, shortest)];
        let point = difference(found);
        scale = scale.max(point.length());
        let apart = Apart::along(a, b, offset, shortest);
        if shortest.length() - apart.room <= CERTAIN * scale && apart.room > CERTAIN * scale {
            return Some(apart);
        }
        if simplex.iter().any(|(known, _)| *known == found) {
            return None;
        }
        simplex.push((found, point));
        let points: Vec<DVec3> = simplex.iter().map(|(_, point)| *point).collect();
        let (kept, next) = nearest_of_simplex(&points)?;
        simplex = kept.iter().map(|&k| simplex[k]).collect();
        if next.length_squared() >= shortest.length_squared() {
            return None;
        }
        shortest = next;
    }
    None
}

/// The point of a simplex closest to the origin, and the corners it needs;
/// `None` if the origin is inside a tetrahedron.
fn nearest_of_simplex(points: &[DVec3]) -> Option<(Vec<usize>, DVec3)> {
    let mut best: Option<(Vec<usize>, DVec3)> = None;
    let mut offer = |corners: &[usize], point: DVec3| {
        let shorter =
            |(_, known): &(Vec<usize>, DVec3)| point.length_squared() < known.length_squared();
        if best.as_ref().is_none_or(shorter) {
            best = Some((corners.to_vec(), point));
        }
    };
    let n = points.len();
    for i in 0..n {
        offer(&[i], points[i]);
        for j in i + 1..n {
            if let Some(point) = inside_segment(points[i], points[j]) {
                offer(&[i, j], point);
            }
            for k in j + 1..n {
                if let Some(point) = inside_triangle(points[i], points[j], points[k]) {
                    offer(&[i, j, k], point);
                }
            }
        }
    }
    let encloses = n == 4 && {
        let side = |[a, b, c, d]: [DVec3; 4]| {
            let normal = (b - a).cross(c - a);
            (-a).dot(normal) * (d - a).dot(normal) > 0.0
        };
        let [a, b, c, d] = [points[0], points[1], points[2], points[3]];
        [[a, b, c, d], [a, b, d, c], [a, c, d, b], [b, c, d, a]].into_iter().all(side)
    };
    if encloses { None } else { best }
}

/// The foot of the origin on a segment, if it is between the ends.
fn inside_segment(a: DVec3, b: DVec3) -> Option<DVec3> {
    let along = b - a;
    let t = -a.dot(along) / along.length_squared();
    (t > 0.0 && t < 1.0).then(|| a + t * along)
}

/// The foot of the origin on a triangle, if it is between the sides.
fn inside_triangle(a: DVec3, b: DVec3, c: DVec3) -> Option<DVec3> {
    let normal = (b - a).cross(c - a);
    let square = normal.length_squared();
    if square == 0.0 {
        return None;
    }
    let inside = |p: DVec3, q: DVec3| normal.dot(p.cross(q)) > 0.0;
    let foot = normal * (a.dot(normal) / square);
    (inside(a - foot, b - foot) && inside(b - foot, c - foot) && inside(c - foot, a - foot))
        .then_some(foot)
}

/// The shortest way from a point of `b` to one of `a`, over all pairs of
/// corner and facet and of edges. Slow, and right whatever the shapes.
fn shortest_by_features(a: &Polytope, b: &Polytope, offset: DVec3) -> DVec3 {
    let mut best = offset + a.corners()[0] - b.corners()[0];
    let mut offer = |way: DVec3| {
        if way.length_squared() < best.length_squared() {
            best = way;
        }
    };
    for corner in a.corners() {
        let corner = *corner + offset;
        b.corners().iter().for_each(|other| offer(corner - *other));
        faces(b).for_each(|face| offer(corner - face.closest_point(corner)));
    }
    for corner in b.corners() {
        let corner = *corner - offset;
        faces(a).for_each(|face| offer(face.closest_point(corner) - corner));
    }
    for &[i, j] in a.edges() {
        let first = [i, j].map(|k| a.corners()[k as usize] + offset);
        for &[k, l] in b.edges() {
            let second = [k, l].map(|k| b.corners()[k as usize]);
            if let Some(way) = between_lines(first, second) {
                offer(way);
            }
        }
    }
    best
}

/// All sides, cut into triangles; of a segment in space, the segment itself.
fn faces(piece: &Polytope) -> impl Iterator<Item = Face> + '_ {
    let face =
        |own: &[u32]| Face { corners: own.iter().map(|&k| piece.corners()[k as usize]).collect() };
    let flat = piece.facets().iter().filter(|facet| facet.corners.len() == 2);
    let lines = match piece.facets().is_empty() {
        true => piece.edges(),
        false => &[],
    };
    let triangles = piece.facets().iter().flat_map(|facet| facet.fan());
    flat.map(move |facet| face(&facet.corners))
        .chain(lines.iter().map(move |line| face(line)))
        .chain(triangles.map(move |triangle| face(&triangle)))
}

/// The way from the second segment to the first where both are crossed at right angles.
fn between_lines([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> Option<DVec3> {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let determinant = uu * vv - uv * uv;
    if determinant <= 1e-20 * uu * vv {
        return None;
    }
    let s = (uv * v.dot(w) - vv * u.dot(w)) / determinant;
    let t = (uu * v.dot(w) - uv * u.dot(w)) / determinant;
    let within = |x: f64| (0.0..=1.0).contains(&x);
    (within(s) && within(t)).then(|| w + s * u - t * v)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use proptest::prelude::*;

    fn vector(random: &mut Random) -> DVec3 {
        DVec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0))
    }

    #[test]
    fn the_widest_side_is_a_side_and_the_closest_points_need_not_be() {
        let square = Polytope::polygon(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        let apart = widest(&square, &square, DVec3::new(4.0, 5.0, 0.0));
        assert_eq!((apart.normal, apart.room), (DVec3::Y, 4.0));
    }

    /// A hull of random points, a box, a triangle, a segment or a point; in 2D a polygon or a point.
    fn piece(random: &mut Random, flat: bool, size: f64) -> Polytope {
        let count = 4 + (random.next_u64() % 12) as usize;
        let points: Vec<DVec3> = (0..count).map(|_| size * vector(random)).collect();
        match (flat, random.next_u64() % 4) {
            (_, 0) => Polytope::point(
                points[0] * if flat { DVec3::new(1.0, 1.0, 0.0) } else { DVec3::ONE },
            ),
            (true, _) => {
                Polytope::flat_hull(&points.iter().map(|p| [p.x, p.y]).collect::<Vec<_>>()).unwrap()
            }
            (_, 1) => {
                let size = size * (0.1 + vector(random).abs());
                Polytope::hull(&crate::shape::Mesh::cuboid(-size, size).vertices).unwrap()
            }
            (_, 2) if count.is_multiple_of(2) => Polytope::segment(points[0], points[1]),
            (_, 2) => Polytope::triangle([points[0], points[1], points[2]]),
            _ => Polytope::hull(&points).unwrap(),
        }
    }

    /// The distance by brute force over the features of the two pieces: every
    /// pair of edges (or corners), and every corner against every facet.
    fn brute_force(a: &Polytope, b: &Polytope, offset: DVec3) -> f64 {
        shortest_by_features(a, b, offset).length()
    }

    /// The least distance by another method altogether: alternate projections
    /// between sampled convex combinations cannot be shorter.
    fn sampled(a: &Polytope, b: &Polytope, offset: DVec3, random: &mut Random) -> f64 {
        let mut point = |piece: &Polytope| {
            let weights: Vec<f64> = piece.corners().iter().map(|_| random.unit().powi(6)).collect();
            let total: f64 = weights.iter().sum();
            piece.corners().iter().zip(&weights).map(|(c, w)| *c * (*w / total)).sum::<DVec3>()
        };
        (0..30).map(|_| (point(a) + offset).distance(point(b))).fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn distances_agree_with_brute_force(seed: u64, flat: bool, tiny: bool) {
            let random = &mut Random::new(seed);
            let size = if tiny { 1e-3 } else { 1.0 };
            let (a, b) = (piece(random, flat, size), piece(random, flat, size));
            let mut offset = size * 3.0 * vector(random);
            if flat { offset.z = 0.0 }
            let apart = closest(&a, &b, offset);
            prop_assert!((apart.normal.length() - 1.0).abs() < 1e-14);
            prop_assert_eq!(apart.room, room_along(&a, &b, offset, apart.normal));
            if apart.room > 0.0 {
                let expected = brute_force(&a, &b, offset);
                prop_assert!((apart.room - expected).abs() < 1e-12 * size, "{} {expected}", apart.room);
                prop_assert!(apart.room <= sampled(&a, &b, offset, random) + 1e-12 * size);
            }
            // A search is believed up to this part of the largest difference of two corners.
            let reach = |piece: &Polytope| {
                piece.corners().iter().map(|corner| corner.length()).fold(0.0, f64::max)
            };
            let scale = offset.length() + reach(&a) + reach(&b);
            prop_assert!(widest(&a, &b, offset).room <= apart.room + CERTAIN * scale);
        }

        /// Moved apart along the direction by what they overlap, they touch;
        /// moved together by their distance, they touch too: with a gap of
        /// 1e-9 of the size left, that gap is found.
        #[test]
        fn tiny_gaps_are_found(seed: u64, flat: bool) {
            let random = &mut Random::new(seed);
            let (a, b) = (piece(random, flat, 1.0), piece(random, flat, 1.0));
            let mut offset = 2.0 * vector(random);
            if flat { offset.z = 0.0 }
            let apart = closest(&a, &b, offset);
            let gap = 10_f64.powf(random.between(-12.0, -3.0));
            let near = offset + (gap - apart.room) * apart.normal;
            let found = closest(&a, &b, near);
            prop_assert!((found.room - gap).abs() < 1e-12, "{} instead of {gap}", found.room);
        }

        /// The depth is the least motion that separates: no direction is shorter.
        #[test]
        fn no_direction_leads_out_faster(seed: u64, flat: bool) {
            let random = &mut Random::new(seed);
            let (a, b) = (piece(random, flat, 1.0), piece(random, flat, 1.0));
            let apart = widest(&a, &b, DVec3::ZERO);
            prop_assume!(apart.room < 0.0);
            for _ in 0..100 {
                let mut direction = vector(random);
                if flat { direction.z = 0.0 }
                let Some(direction) = direction.try_normalize() else { continue };
                prop_assert!(room_along(&a, &b, DVec3::ZERO, direction) <= apart.room + 1e-12);
            }
        }
    }

    /// Points, segments and triangles in one plane touch nothing beside them.
    #[test]
    fn flat_things_in_one_plane_are_apart() {
        let point = Polytope::point(DVec3::ZERO);
        let segment = Polytope::segment(DVec3::ZERO, DVec3::X);
        let triangle = Polytope::triangle([DVec3::ZERO, DVec3::X, DVec3::Y]);
        let pieces = [&point, &segment, &triangle];
        for gap in [1e-12, 1e-9, 1e-3, 1.0] {
            for a in pieces {
                for b in pieces {
                    let found = closest(a, b, -gap * DVec3::Y - a.bounds().max.y * DVec3::Y);
                    assert!((found.room - gap).abs() < 1e-15, "{found:?} instead of {gap}");
                }
            }
        }
    }

    /// What breaks absolute thresholds: parallel boxes a hair apart.
    #[test]
    fn parallel_boxes_a_hair_apart() {
        let cube =
            Polytope::hull(&crate::shape::Mesh::cuboid(DVec3::ZERO, DVec3::ONE).vertices).unwrap();
        for shift in [DVec3::ZERO, DVec3::new(0.0, 0.3, 0.2), DVec3::new(0.0, 0.5, 0.0)] {
            for gap in [1e-12, 1e-9, 1e-6] {
                let apart = closest(&cube, &cube, (1.0 + gap) * DVec3::X + shift);
                assert!((apart.room - gap).abs() < 1e-15 && apart.normal == DVec3::X, "{apart:?}");
            }
        }
    }
}
