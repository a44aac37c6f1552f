//! Where two convex pieces meet, for all methods in which bodies turn. Of two sharp
//! pieces, the facet or pair of edges of LARGEST separation says along which normal;
//! of rounded ones, their closest points do. Over a facet the facing facet of the
//! other piece is cut to it, so that two facets give exactly the corners of their
//! contact area; else corners and edges meet, at one point, or at two if they are
//! parallel edges.

use super::clip::{cut_to_facet, nearest_points};
use super::separation::{Axis, ends, widest, widest_of_facets};
use crate::math::{DQuat, DVec3};
use crate::shape::{Polytope, closest};

/// Edges whose directions differ by less than this sine lie side by side.
const PARALLEL: f64 = 1e-6;

/// Told from the number of a facet of the first: one of the second, of an edge, of what is round.
pub(crate) const OF_SECOND: u32 = 1 << 31;
const OF_EDGE: u32 = 1 << 30;
const ROUND: u32 = 1 << 29;

/// Whose facet, or which edges, the normal turns with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Carrier {
    /// A facet of `a`.
    FaceOfA,
    /// A facet of `b`.
    FaceOfB,
    /// Edges of both, by direction: the normal is across them.
    Edges(DVec3, DVec3),
    /// An edge of `a`, by direction, and a point of `b`.
    EdgeOfA(DVec3),
    /// An edge of `b`, by direction, and a point of `a`.
    EdgeOfB(DVec3),
    /// Points: the normal is along their difference.
    Points,
}

impl Carrier {
    /// The same once both sides have turned.
    pub fn turned(self, turns: [DQuat; 2]) -> Carrier {
        match self {
            Carrier::Edges(a, b) => Carrier::Edges(turns[0] * a, turns[1] * b),
            Carrier::EdgeOfA(along) => Carrier::EdgeOfA(turns[0] * along),
            Carrier::EdgeOfB(along) => Carrier::EdgeOfB(turns[1] * along),
            Carrier::FaceOfA | Carrier::FaceOfB | Carrier::Points => self,
        }
    }
}

/// A point of a contact of two pieces.
pub(super) struct Meeting {
    /// Points of the first core and of the second.
    pub at: [DVec3; 2],
    /// From the second to the first.
    pub normal: DVec3,
    pub carrier: Carrier,
    pub feature: [u32; 2],
}

impl Meeting {
    /// Between the cores, along the normal.
    pub fn gap(&self) -> f64 {
        self.normal.dot(self.at[0] - self.at[1])
    }

    /// How far its points are from being opposite each other: edges may be nearest at an end.
    pub fn aside(&self) -> f64 {
        (self.at[0] - self.at[1] - self.normal * self.gap()).length()
    }
}

/// The points of two cores within `reach` of each other when a `rounding` comes on top of them,
/// all with the same normal. What differs by `alike`, a length, is the same: of two directions
/// that separate so, a facet's is taken, and corners that reach so far along it are an edge.
pub(super) fn meetings(
    [a, b]: [&Polytope; 2],
    rounding: f64,
    reach: f64,
    alike: f64,
) -> Vec<Meeting> {
    let near = reach + rounding;
    if rounding == 0.0 && !a.facets().is_empty() && !b.facets().is_empty() {
        return match widest(a, b, near, alike) {
            Some(found) => along(a, b, found.axis, found.normal, near),
            None => Vec::new(),
        };
    }
    let (normal, room) = apart(a, b);
    if room > near {
        return Vec::new();
    }
    let facets = widest_of_facets(a, b, alike).filter(|facets| facets.gap >= room - alike);
    let found = facets.map(|facets| along(a, b, facets.axis, facets.normal, near));
    match found.unwrap_or_default() {
        none if none.is_empty() => at_features(a, b, normal, room, alike),
        found => found,
    }
}

/// The points of two sharp cores that face each other beside their facets, corner to corner or
/// edge to edge, along the direction in which they are nearest, or in which they overlap least; none
/// if that is beyond `near`.
pub(super) fn beside_facets([a, b]: [&Polytope; 2], near: f64, alike: f64) -> Vec<Meeting> {
    match apart(a, b) {
        (normal, room) if room <= near => at_features(a, b, normal, room, alike),
        _ => Vec::new(),
    }
}

/// The direction along which two cores are farthest apart, and how far.
fn apart(a: &Polytope, b: &Polytope) -> (DVec3, f64) {
    let ([p, q], across) = match (a.corners(), b.corners()) {
        ([p], [q]) => ([*p, *q], DVec3::X),
        (&[p, p1], &[q, q1]) => {
            let across = (p1 - p).cross(q1 - q).try_normalize();
            let across = across.unwrap_or_else(|| (p1 - p).any_orthonormal_vector());
            (nearest_points([p, p1], [q, q1]), across)
        }
        _ => {
            let apart = closest(a, b, DVec3::ZERO);
            return (apart.normal, apart.room);
        }
    };
    let distance = p.distance(q);
    // The direction between points that coincide means nothing.
    let is_apart = distance > f64::EPSILON * p.abs().max(q.abs()).max_element();
    (if is_apart { (p - q) / distance } else { across }, distance)
}

/// The points of a contact along an axis.
pub(super) fn along(
    a: &Polytope,
    b: &Polytope,
    axis: Axis,
    normal: DVec3,
    near: f64,
) -> Vec<Meeting> {
    match axis {
        Axis::FacetOfFirst(facet) => over_facet(a, facet, b, near, false),
        Axis::FacetOfSecond(facet) => over_facet(b, facet, a, near, true),
        Axis::Edges(edges) => vec![crossing(a, b, edges, normal)],
    }
}

/// Where the cores could come closer than `room`, which corners or edges keep, when they turn:
/// over a facet, or, of two segments, at their ends. Nothing is asked to be farther out than it
/// is by now.
pub(super) fn turning([a, b]: [&Polytope; 2], near: f64, room: f64) -> Vec<Meeting> {
    if a.is_flat() || b.is_flat() {
        return Vec::new(); // corners of polygons see each other over edges
    }
    if let Some(facets) = widest_of_facets(a, b, 0.0) {
        let mut found = along(a, b, facets.axis, facets.normal, near);
        for meeting in &mut found {
            let deeper = (room - meeting.gap()).max(0.0);
            match meeting.carrier {
                Carrier::FaceOfA => meeting.at[0] += meeting.normal * deeper,
                _ => meeting.at[1] -= meeting.normal * deeper,
            }
        }
        return found;
    }
    let mut found = Vec::new();
    for (own, other, swapped) in [(a, b, false), (b, a, true)] {
        let Some(&edge) = own.edges().first() else { continue };
        let [start, end] = ends(own, edge);
        for (k, &corner) in other.corners().iter().enumerate() {
            let along = (corner - start).dot(end - start) / (end - start).length_squared();
            let foot = start.lerp(end, along.clamp(0.0, 1.0));
            let (at, carrier) = match swapped {
                false => ([foot, corner], Carrier::EdgeOfA(end - start)),
                true => ([corner, foot], Carrier::EdgeOfB(end - start)),
            };
            let normal = (at[0] - at[1]).normalize_or_zero();
            let feature = [ROUND | u32::from(swapped) | 2, k as u32];
            if (0.0..1.0).contains(&along) && normal != DVec3::ZERO {
                found.push(Meeting { at, normal, carrier, feature });
            }
        }
    }
    found.retain(|meeting| meeting.gap() <= near);
    found
}

/// Two edges that cross at a distance.
fn crossing(first: &Polytope, second: &Polytope, edges: [usize; 2], normal: DVec3) -> Meeting {
    let one = ends(first, first.edges()[edges[0]]);
    let two = ends(second, second.edges()[edges[1]]);
    Meeting {
        at: nearest_points(one, two),
        normal,
        carrier: Carrier::Edges(one[1] - one[0], two[1] - two[0]),
        feature: [edges[0] as u32 | OF_EDGE, edges[1] as u32],
    }
}

/// The points of `other` over a facet of `own`; `swapped` if the facet belongs to the second.
pub(super) fn over_facet(
    own: &Polytope,
    facet: usize,
    other: &Polytope,
    near: f64,
    swapped: bool,
) -> Vec<Meeting> {
    let spots = cut_to_facet(own, facet, other).into_iter().enumerate();
    let met = spots.map(|(k, at)| on_facet(own, facet, at, k, swapped));
    met.filter(|meeting| meeting.gap() <= near).collect()
}

/// A point over a facet; `swapped` if the facet belongs to the second.
pub(super) fn on_facet(
    own: &Polytope,
    facet: usize,
    point: DVec3,
    number: usize,
    swapped: bool,
) -> Meeting {
    let normal = own.facets()[facet].normal;
    let origin = own.corners()[own.facets()[facet].corners[0] as usize];
    let foot = point - normal * normal.dot(point - origin);
    let (at, normal, carrier, side) = match swapped {
        true => ([point, foot], normal, Carrier::FaceOfB, OF_SECOND),
        false => ([foot, point], -normal, Carrier::FaceOfA, 0),
    };
    Meeting { at, normal, carrier, feature: [facet as u32 | side, number as u32] }
}

/// Where the corners that reach farthest towards each other meet.
fn at_features(a: &Polytope, b: &Polytope, normal: DVec3, room: f64, alike: f64) -> Vec<Meeting> {
    let (ours, theirs) = (farthest(a, -normal, alike), farthest(b, normal, alike));
    let (one, two) = (|k: usize| a.corners()[ours[k]], |k: usize| b.corners()[theirs[k]]);
    let meeting = |at: [DVec3; 2], carrier: Carrier, number: usize| Meeting {
        at,
        normal,
        carrier,
        feature: [ours[0] as u32 | ROUND, (2 * theirs[0] + number) as u32],
    };
    let up = normal * room;
    match (ours.len(), theirs.len()) {
        (1, 1) => vec![meeting([one(0), two(0)], Carrier::Points, 0)],
        (1, 2) => {
            vec![meeting([one(0), one(0) - up], Carrier::EdgeOfB(two(1) - two(0)), 0)]
        }
        (2, 1) => {
            vec![meeting([two(0) + up, two(0)], Carrier::EdgeOfA(one(1) - one(0)), 0)]
        }
        (1, _) => vec![meeting([one(0), one(0) - up], Carrier::FaceOfB, 0)],
        (_, 1) => vec![meeting([two(0) + up, two(0)], Carrier::FaceOfA, 0)],
        (2, _) | (_, 2) if ours.len() == theirs.len() => {
            let (u, v) = ([one(0), one(1)], [two(0), two(1)]);
            let along = u[1] - u[0];
            let (long, short) = (along.length(), (v[1] - v[0]).length());
            let across = along.cross(v[1] - v[0]).length() / (long * short);
            if across > PARALLEL.max(alike / long.min(short)) {
                let carrier = Carrier::Edges(along, v[1] - v[0]);
                return vec![meeting(nearest_points(u, v), carrier, 0)];
            }
            let numbered = common(u, v, alike).into_iter().enumerate();
            numbered.map(|(k, at)| meeting(at, Carrier::EdgeOfA(along), k)).collect()
        }
        // Areas that no facet has in common, or none but for rounding: where they are nearest.
        _ => {
            let at = nearest_of_areas([a, b], [&ours, &theirs]);
            vec![meeting([at, at - up], Carrier::FaceOfB, 0)]
        }
    }
}

/// The point of the corners of one polytope, and of what is between them, that is nearest to those
/// of another.
fn nearest_of_areas([a, b]: [&Polytope; 2], [ours, theirs]: [&[usize]; 2]) -> DVec3 {
    let segments = |of: &[usize]| {
        let pairs = of.iter().enumerate().flat_map(|(k, &i)| of[k..].iter().map(move |&j| [i, j]));
        pairs.collect::<Vec<[usize; 2]>>()
    };
    let mut best = (f64::INFINITY, DVec3::ZERO);
    for one in segments(ours) {
        for two in segments(theirs) {
            let [p, q] = nearest_points(one.map(|k| a.corners()[k]), two.map(|k| b.corners()[k]));
            let distance = p.distance_squared(q);
            if distance < best.0 {
                best = (distance, p);
            }
        }
    }
    best.1
}

/// The corners that reach farthest in a direction, all that do so alike.
fn farthest(core: &Polytope, direction: DVec3, alike: f64) -> Vec<usize> {
    let level = core.support(direction) - alike;
    let corners = core.corners().iter().enumerate();
    corners.filter(|(_, c)| c.dot(direction) >= level).map(|(k, _)| k).collect()
}

/// Where what two parallel segments have in common ends: points of the first and of the second.
fn common([a, b]: [DVec3; 2], other: [DVec3; 2], alike: f64) -> Vec<[DVec3; 2]> {
    let place = |[a, b]: [DVec3; 2], p: DVec3| {
        ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0)
    };
    let [p, q] = other.map(|end| place([a, b], end));
    let pair = |s: f64| {
        let at = a.lerp(b, s);
        [at, other[0].lerp(other[1], place(other, at))]
    };
    match (p - q).abs() * a.distance(b) <= alike {
        true => vec![pair(p)],
        false => vec![pair(p.min(q)), pair(p.max(q))],
    }
}

#[cfg(test)]
mod tests {
    use super::super::cores::Rounded;
    use super::*;
    use crate::math::{DQuat, Random};
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

    fn cube(at: DVec3, turn: DVec3) -> Polytope {
        Polytope::cuboid(DVec3::ONE).unwrap().placed(at, DQuat::from_scaled_axis(turn))
    }

    fn sharp(a: &Polytope, b: &Polytope, reach: f64) -> Vec<Meeting> {
        meetings([a, b], 0.0, reach, 1e-9)
    }

    fn round(a: &Rounded, b: &Rounded, reach: f64) -> Vec<Meeting> {
        meetings([&a.core, &b.core], a.radius + b.radius, reach, 1e-9)
    }

    #[test]
    fn a_cube_on_a_cube_touches_at_the_corners_of_the_common_area() {
        let above = cube(DVec3::new(0.25, 0.5, 1.0), DVec3::ZERO);
        let found = sharp(&cube(DVec3::ZERO, DVec3::ZERO), &above, 1e-6);
        let mut points: Vec<[f64; 3]> = found.iter().map(|m| m.at[0].to_array()).collect();
        points.sort_by(|a, b| a.partial_cmp(b).unwrap());
        assert_eq!(
            points,
            [[-0.25, 0.0, 0.5], [-0.25, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.5]]
        );
        assert!(found.iter().all(|m| m.normal == DVec3::NEG_Z));
    }

    #[test]
    fn crossed_edges_meet_at_one_point() {
        let below = cube(DVec3::ZERO, DVec3::X * FRAC_PI_4);
        let height = 2.0 * 0.5_f64.sqrt() + 0.01;
        let above = cube(DVec3::Z * height, DVec3::Y * FRAC_PI_4);
        let found = sharp(&below, &above, 0.1);
        assert_eq!(found.len(), 1);
        assert!((found[0].normal - DVec3::NEG_Z).length() < 1e-12);
        let gap = found[0].normal.dot(found[0].at[0] - found[0].at[1]);
        assert!((gap - 0.01).abs() < 1e-12, "{gap}");
        assert!(sharp(&below, &above, 0.001).is_empty());
    }

    fn capsule(at: DVec3, turn: DQuat) -> Rounded {
        let core = Polytope::segment(DVec3::NEG_Z, DVec3::Z).placed(at, turn);
        Rounded { core, radius: 0.25 }
    }

    fn lying() -> DQuat {
        DQuat::from_rotation_y(FRAC_PI_2)
    }

    fn floor() -> Rounded {
        let core = Polytope::cuboid(DVec3::new(10.0, 10.0, 1.0)).unwrap();
        Rounded { core: core.moved(DVec3::Z * -0.5), radius: 0.0 }
    }

    #[test]
    fn a_capsule_lies_on_two_points_and_stands_on_one() {
        let found = round(&capsule(DVec3::Z * 0.25, lying()), &floor(), 1e-6);
        let mut x: Vec<f64> = found.iter().map(|m| m.at[0].x).collect();
        x.sort_by(f64::total_cmp);
        assert!(found.len() == 2 && (x[0] + 1.0).abs() < 1e-12 && (x[1] - 1.0).abs() < 1e-12);
        assert!(found.iter().all(|m| m.normal == DVec3::Z && (m.gap() - 0.25).abs() < 1e-12));
        let found = round(&capsule(DVec3::Z * 1.25, DQuat::IDENTITY), &floor(), 1e-6);
        assert_eq!(found.len(), 1);
        // Beyond the rim, the closest point of the edge counts.
        let found = round(&capsule(DVec3::new(5.15, 0.0, 1.1), DQuat::IDENTITY), &floor(), 0.1);
        assert_eq!(found.len(), 1);
        assert!(found[0].normal.distance(DVec3::new(0.15, 0.0, 0.1).normalize()) < 1e-9);
    }

    #[test]
    fn two_capsules_touch_along_their_sides_or_cross() {
        let [one, two] = [0.0, 0.5].map(|z| capsule(DVec3::new(z, 0.0, z), lying()));
        assert_eq!(round(&one, &two, 1e-6).len(), 2);
        let crossed = DQuat::from_rotation_x(FRAC_PI_2);
        let found = round(&one, &capsule(DVec3::new(0.3, 0.2, 0.5), crossed), 1e-6);
        assert_eq!(found.len(), 1);
        assert!(found[0].at[0].distance(DVec3::X * 0.3) < 1e-12);
    }

    #[test]
    fn discs_meet_polygons_and_each_other() {
        let disc =
            |x: f64, y: f64| Rounded { core: Polytope::point(DVec3::new(x, y, 0.0)), radius: 1.0 };
        let square = Rounded { core: Polytope::rectangle(2.0, 2.0).unwrap(), radius: 0.0 };
        let found = round(&disc(0.3, 2.0), &square, 1e-6);
        assert!(found.len() == 1 && found[0].normal == DVec3::Y && found[0].gap() == 1.0);
        let found = round(&disc(1.6, 1.8), &square, 1e-6);
        assert!(found.len() == 1 && found[0].carrier == Carrier::Points);
        assert!(found[0].normal.distance(DVec3::new(0.6, 0.8, 0.0)) < 1e-12);
        assert!(round(&disc(0.0, 0.0), &disc(3.0, 4.0), 2.99).is_empty());
        assert_eq!(round(&disc(0.0, 0.0), &disc(3.0, 4.0), 3.01).len(), 1);
    }

    /// The surface points of the closest pair are as far apart as the pieces are.
    #[test]
    fn random_round_pieces_meet_at_their_distance() {
        let random = &mut Random::new(9);
        let mut vector =
            |size: f64| DVec3::from_array(std::array::from_fn(|_| random.between(-size, size)));
        for _ in 0..300 {
            let cloud: Vec<DVec3> = (0..6).map(|_| vector(1.0)).collect();
            let hull = Rounded { core: Polytope::hull(&cloud).unwrap(), radius: 0.1 };
            let other = capsule(vector(3.0), DQuat::from_scaled_axis(vector(3.0)));
            let room = closest(&hull.core, &other.core, DVec3::ZERO).room;
            let found = round(&hull, &other, 10.0);
            let least = found.iter().map(Meeting::gap).fold(f64::INFINITY, f64::min);
            assert!((least - room).abs() < 1e-9, "{least} {room}");
        }
    }
}
