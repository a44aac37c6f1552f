//! Where two convex pieces meet of which at least one is rounded: along the
//! direction of their closest points. Over a facet the other core is cut to it,
//! as that of sharp pieces; else corners and edges meet, at one point, or at two
//! if they are parallel edges.

use super::clip::{nearest_points, widest_facet};
use super::touches::{Carrier, Meeting, Rounded};
use super::{facets, flat};
use crate::math::DVec3;
use crate::shape::{Polytope, closest};

/// A facet is what separates two cores if no direction has this much more room, in units of the
/// cores' size: what rounding makes of the same direction.
const SAME_ROOM: f64 = 1e-9;

/// Corners reach equally far along a direction if they do so to this part of the core's size:
/// an edge or a side that lies across it.
const LEVEL: f64 = 1e-9;

/// Edges whose directions differ by less than this sine lie side by side.
const PARALLEL: f64 = 1e-6;

/// Told from the features of sharp pieces.
const ROUND: u32 = 1 << 29;

/// The points of the cores of two pieces whose surfaces are within `reach` of each other.
pub(super) fn meetings(first: &Rounded, second: &Rounded, reach: f64) -> Vec<Meeting> {
    let (a, b) = (&first.core, &second.core);
    let near = reach + first.radius + second.radius;
    if let ([p], [q]) = (a.corners(), b.corners()) {
        let normal = (*p - *q).try_normalize().unwrap_or(DVec3::X);
        let meeting =
            Meeting { at: [*p, *q], normal, carrier: Carrier::Points, feature: [ROUND; 2] };
        return Vec::from_iter((meeting.gap() <= near).then_some(meeting));
    }
    let apart = closest(a, b, DVec3::ZERO);
    if apart.room > near {
        return Vec::new();
    }
    let size = a.bounds().size().max_element().max(b.bounds().size().max_element());
    let found = over_facets(a, b, near, apart.room - SAME_ROOM * size);
    if !found.is_empty() {
        return found;
    }
    let mut found = at_features(a, b, apart.normal, apart.room);
    if found.len() == 1 {
        found.extend(turning(a, b, near, apart.room));
    }
    found
}

/// Where the cores could come closer than they are when they turn: over a facet, or, of two
/// segments, at their ends.
fn turning(a: &Polytope, b: &Polytope, near: f64, room: f64) -> Vec<Meeting> {
    if a.is_flat() || b.is_flat() {
        return Vec::new(); // corners of polygons see each other over edges
    }
    if a.facets().len() + b.facets().len() > 0 {
        return facets::nearly_flat(a, b, near, room);
    }
    let mut found = Vec::new();
    for (own, other, swapped) in [(a, b, false), (b, a, true)] {
        let Some(&edge) = own.edges().first() else { continue };
        let [start, end] = super::clip::ends(own, edge);
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

/// Over the facet that separates the cores by at least `room`, if there is one.
fn over_facets(a: &Polytope, b: &Polytope, near: f64, room: f64) -> Vec<Meeting> {
    let ((one, at_one), (two, at_two)) = (widest_facet(a, b), widest_facet(b, a));
    if one.max(two) < room {
        return Vec::new();
    }
    let is_flat = a.is_flat() || b.is_flat();
    match (one >= two, is_flat) {
        (true, true) => flat::over_edge(a, b, at_one, near, false),
        (false, true) => flat::over_edge(b, a, at_two, near, true),
        (true, false) => facets::over_facet(a, at_one, b, near, false),
        (false, false) => facets::over_facet(b, at_two, a, near, true),
    }
}

/// Where the corners that reach farthest towards each other meet.
fn at_features(a: &Polytope, b: &Polytope, normal: DVec3, room: f64) -> Vec<Meeting> {
    let (ours, theirs) = (farthest(a, -normal), farthest(b, normal));
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
            let across = along.cross(v[1] - v[0]).length();
            if across > PARALLEL * along.length() * (v[1] - v[0]).length() {
                let carrier = Carrier::Edges(along, v[1] - v[0]);
                return vec![meeting(nearest_points(u, v), carrier, 0)];
            }
            let ends = common(u, v);
            let carrier = Carrier::EdgeOfA(along);
            let numbered = ends.into_iter().enumerate();
            numbered.map(|(k, at)| meeting([at, at - up], carrier, k)).collect()
        }
        // An area that no facet has: rounding. Its middle stands for it.
        _ => {
            let middle = ours.iter().map(|&k| a.corners()[k]).sum::<DVec3>() / ours.len() as f64;
            vec![meeting([middle, middle - up], Carrier::FaceOfB, 0)]
        }
    }
}

/// The corners that reach farthest in a direction, all that do so alike.
fn farthest(core: &Polytope, direction: DVec3) -> Vec<usize> {
    let level = core.support(direction) - LEVEL * core.bounds().size().max_element();
    let corners = core.corners().iter().enumerate();
    corners.filter(|(_, c)| c.dot(direction) >= level).map(|(k, _)| k).collect()
}

/// The ends of what two parallel segments have in common, on the first.
fn common([a, b]: [DVec3; 2], other: [DVec3; 2]) -> Vec<DVec3> {
    let along = b - a;
    let place = |p: DVec3| (p - a).dot(along) / along.length_squared();
    let [p, q] = other.map(place);
    let (low, high) = (p.min(q).clamp(0.0, 1.0), p.max(q).clamp(0.0, 1.0));
    match high - low < LEVEL {
        true => vec![a.lerp(b, low)],
        false => vec![a.lerp(b, low), a.lerp(b, high)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{DQuat, Random};
    use std::f64::consts::FRAC_PI_2;

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
        let found = meetings(&capsule(DVec3::Z * 0.25, lying()), &floor(), 1e-6);
        let mut x: Vec<f64> = found.iter().map(|m| m.at[0].x).collect();
        x.sort_by(f64::total_cmp);
        assert!(found.len() == 2 && (x[0] + 1.0).abs() < 1e-12 && (x[1] - 1.0).abs() < 1e-12);
        assert!(found.iter().all(|m| m.normal == DVec3::Z && (m.gap() - 0.25).abs() < 1e-12));
        let found = meetings(&capsule(DVec3::Z * 1.25, DQuat::IDENTITY), &floor(), 1e-6);
        assert_eq!(found.len(), 1);
        // Beyond the rim, the closest point of the edge counts.
        let found = meetings(&capsule(DVec3::new(5.15, 0.0, 1.1), DQuat::IDENTITY), &floor(), 0.1);
        assert_eq!(found.len(), 1);
        assert!(found[0].normal.distance(DVec3::new(0.15, 0.0, 0.1).normalize()) < 1e-9);
    }

    #[test]
    fn two_capsules_touch_along_their_sides_or_cross() {
        let [one, two] = [0.0, 0.5].map(|z| capsule(DVec3::new(z, 0.0, z), lying()));
        assert_eq!(meetings(&one, &two, 1e-6).len(), 2);
        let crossed = DQuat::from_rotation_x(FRAC_PI_2);
        let found = meetings(&one, &capsule(DVec3::new(0.3, 0.2, 0.5), crossed), 1e-6);
        assert_eq!(found.len(), 1);
        assert!(found[0].at[0].distance(DVec3::X * 0.3) < 1e-12);
    }

    #[test]
    fn discs_meet_polygons_and_each_other() {
        let disc =
            |x: f64, y: f64| Rounded { core: Polytope::point(DVec3::new(x, y, 0.0)), radius: 1.0 };
        let square = Rounded { core: Polytope::rectangle(2.0, 2.0).unwrap(), radius: 0.0 };
        let found = meetings(&disc(0.3, 2.0), &square, 1e-6);
        assert!(found.len() == 1 && found[0].normal == DVec3::Y && found[0].gap() == 1.0);
        let found = meetings(&disc(1.6, 1.8), &square, 1e-6);
        assert!(found.len() == 1 && found[0].carrier == Carrier::Points);
        assert!(found[0].normal.distance(DVec3::new(0.6, 0.8, 0.0)) < 1e-12);
        assert!(meetings(&disc(0.0, 0.0), &disc(3.0, 4.0), 2.99).is_empty());
        assert_eq!(meetings(&disc(0.0, 0.0), &disc(3.0, 4.0), 3.01).len(), 1);
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
            let found = meetings(&hull, &other, 10.0);
            let least = found.iter().map(Meeting::gap).fold(f64::INFINITY, f64::min);
            assert!((least - room).abs() < 1e-9, "{least} {room}");
        }
    }
}
