//! Where two convex polyhedra meet: the facet or pair of edges of largest
//! separation; over a facet, the facing facet of the other one is cut to it.

use super::clip::{Axis, Clipper, ends, nearest_points, widest, widest_facet};
use super::touches::{Carrier, Meeting};
use crate::math::DVec3;
use crate::shape::Polytope;

/// A pair of edges must separate by this much more than any facet, relative to
/// the reach, to be preferred: facets give whole areas of contact.
const PREFER_FACETS: f64 = 1e-6;

/// A corner counts as over a facet this far beyond its sides, relative to the side.
const BEYOND: f64 = 1e-9;

/// A number of a facet of the second polyhedron, or of an edge, told from one of the first.
const OF_SECOND: u32 = 1 << 31;
const OF_EDGE: u32 = 1 << 30;

/// The points of two polyhedra within `reach` of each other.
pub(super) fn meetings(first: &Polytope, second: &Polytope, reach: f64) -> Vec<Meeting> {
    let Some(found) = widest(first, second, reach, PREFER_FACETS * reach) else {
        return Vec::new();
    };
    // Of two facets that separate alike, the smaller one is cut to the larger: its corners
    // stay what they are.
    let (one, two) = match (found.axis, found.alike) {
        (Axis::FacetOfFirst(one), Some(two)) | (Axis::FacetOfSecond(two), Some(one)) => (one, two),
        (Axis::FacetOfFirst(facet), None) => {
            return over_facet(first, facet, second, reach, false);
        }
        (Axis::FacetOfSecond(facet), None) => {
            return over_facet(second, facet, first, reach, true);
        }
        (Axis::Edges(edges), _) => {
            let mut all = nearly_flat(first, second, reach, found.gap);
            all.push(crossing(first, second, edges, found.normal));
            return all;
        }
    };
    match facet_size(first, one) >= facet_size(second, two) {
        true => over_facet(first, one, second, reach, false),
        false => over_facet(second, two, first, reach, true),
    }
}

/// Where facets could meet of which something else keeps the polyhedra apart by `gap`: what is
/// nearly flat on its side may turn there. Nothing is asked to be farther out than it is by now.
pub(super) fn nearly_flat(
    first: &Polytope,
    second: &Polytope,
    reach: f64,
    gap: f64,
) -> Vec<Meeting> {
    let ((one, at_one), (two, at_two)) = (widest_facet(first, second), widest_facet(second, first));
    let mut found = match one >= two {
        true => over_facet(first, at_one, second, reach, false),
        false => over_facet(second, at_two, first, reach, true),
    };
    for meeting in &mut found {
        let deeper = (gap - meeting.gap()).max(0.0);
        match meeting.carrier {
            Carrier::FaceOfA => meeting.at[0] += meeting.normal * deeper,
            _ => meeting.at[1] -= meeting.normal * deeper,
        }
    }
    found
}

/// The distance of a facet's first corner from its farthest.
fn facet_size(polytope: &Polytope, facet: usize) -> f64 {
    let mut corners =
        polytope.facets()[facet].corners.iter().map(|&k| polytope.corners()[k as usize]);
    let first = corners.next().unwrap_or_default();
    corners.map(|c| (c - first).length()).fold(0.0, f64::max)
}

/// Two edges that cross at a distance.
pub(super) fn crossing(
    first: &Polytope,
    second: &Polytope,
    edges: [usize; 2],
    normal: DVec3,
) -> Meeting {
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
    reach: f64,
    swapped: bool,
) -> Vec<Meeting> {
    let normal = own.facets()[facet].normal;
    let mut clipper = Clipper::default();
    let spots = clipper.cut_to_facet(own, facet, other, BEYOND).enumerate();
    let near = spots.filter(|(_, spot)| spot.gap <= reach);
    let meeting = |(k, spot): (usize, super::clip::Spot)| {
        let foot = spot.at - normal * spot.gap;
        let (at, normal, carrier, side) = match swapped {
            true => ([spot.at, foot], normal, Carrier::FaceOfB, OF_SECOND),
            false => ([foot, spot.at], -normal, Carrier::FaceOfA, 0),
        };
        Meeting { at, normal, carrier, feature: [facet as u32 | side, k as u32] }
    };
    near.map(meeting).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DQuat;

    fn cube(at: DVec3, turn: DVec3) -> Polytope {
        Polytope::cuboid(DVec3::ONE).unwrap().placed(at, DQuat::from_scaled_axis(turn))
    }

    #[test]
    fn a_cube_on_a_cube_touches_at_the_corners_of_the_common_area() {
        let found = meetings(
            &cube(DVec3::ZERO, DVec3::ZERO),
            &cube(DVec3::new(0.25, 0.5, 1.0), DVec3::ZERO),
            1e-6,
        );
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
        use std::f64::consts::FRAC_PI_4;
        let below = cube(DVec3::ZERO, DVec3::X * FRAC_PI_4);
        let height = 2.0 * 0.5_f64.sqrt() + 0.01;
        let above = cube(DVec3::Z * height, DVec3::Y * FRAC_PI_4);
        let found = meetings(&below, &above, 0.1);
        assert_eq!(found.len(), 1);
        assert!((found[0].normal - DVec3::NEG_Z).length() < 1e-12);
        let gap = found[0].normal.dot(found[0].at[0] - found[0].at[1]);
        assert!((gap - 0.01).abs() < 1e-12, "{gap}");
        assert!(meetings(&below, &above, 0.001).is_empty());
    }
}
