//! Where two convex polygons meet: the edge of largest separation, the other
//! polygon's corners over it, and its own ends over the facing edge.

use super::touches::{Carrier, Meeting};
use crate::math::DVec3;
use crate::shape::{Facet, Polytope};

/// A corner counts as over an edge this far beyond its ends, in edge lengths:
/// rounding of coordinates.
const BEYOND: f64 = 1e-9;

/// The number of a corner at the end of the edge that others are over, told from an edge's.
pub(crate) const OF_CORNER: u32 = 1 << 31;

/// The points of two polygons within `reach` of each other.
pub(super) fn meetings(first: &Polytope, second: &Polytope, reach: f64) -> Vec<Meeting> {
    let (one, at_one) = widest(first, second, reach);
    let (two, at_two) = widest(second, first, reach);
    if one.max(two) > reach {
        return Vec::new();
    }
    match one >= two {
        true => over_edge(first, second, at_one, reach, false),
        false => over_edge(second, first, at_two, reach, true),
    }
}

/// The largest separation of `other` from an edge of `own`, and the edge.
fn widest(own: &Polytope, other: &Polytope, reach: f64) -> (f64, usize) {
    let mut best = (f64::NEG_INFINITY, 0);
    for (index, facet) in own.facets().iter().enumerate() {
        let start = own.corners()[facet.corners[0] as usize];
        let separation = other.least_along(facet.normal) - facet.normal.dot(start);
        if separation > best.0 {
            best = (separation, index);
        }
        if separation > reach {
            break;
        }
    }
    best
}

/// Corners of `other` over an edge of `own`, and the edge's ends over the facing edge.
pub(super) fn over_edge(
    own: &Polytope,
    other: &Polytope,
    edge: usize,
    reach: f64,
    swapped: bool,
) -> Vec<Meeting> {
    let mut out = Vec::new();
    let reference = &own.facets()[edge];
    for (k, corner) in other.corners().iter().enumerate() {
        if let Some((along, foot)) = foot(own, reference, *corner)
            && (-BEYOND..=1.0 + BEYOND).contains(&along)
        {
            let feature = [edge as u32, k as u32];
            out.push(meeting(reference.normal, foot, *corner, feature, swapped));
        }
    }
    let facing = |facet: &Facet| facet.normal.dot(reference.normal);
    let incident =
        other.facets().iter().enumerate().min_by(|a, b| facing(a.1).total_cmp(&facing(b.1)));
    if let Some((index, incident)) = incident
        && facing(incident) < 0.0
    {
        for end in &reference.corners {
            let corner = own.corners()[*end as usize];
            // An end that meets an end is already there, as the other's corner.
            if let Some((along, foot)) = foot(other, incident, corner)
                && (BEYOND..=1.0 - BEYOND).contains(&along)
            {
                let feature = [*end | OF_CORNER, index as u32];
                out.push(meeting(incident.normal, foot, corner, feature, !swapped));
            }
        }
    }
    out.retain(|m| m.gap() <= reach);
    out
}

/// How far along an edge the foot of a point is, from 0 to 1, and the foot.
fn foot(polygon: &Polytope, edge: &Facet, point: DVec3) -> Option<(f64, DVec3)> {
    let [start, end] = [0, 1].map(|k| polygon.corners()[edge.corners[k] as usize]);
    let along = (point - start).dot(end - start) / (end - start).length_squared();
    along.is_finite().then_some((along, start.lerp(end, along)))
}

/// A corner kept out by an edge; `second_carries` if the edge belongs to the second polygon.
fn meeting(
    normal: DVec3,
    foot: DVec3,
    corner: DVec3,
    feature: [u32; 2],
    second_carries: bool,
) -> Meeting {
    match second_carries {
        true => Meeting { at: [corner, foot], normal, carrier: Carrier::FaceOfB, feature },
        false => {
            Meeting { at: [foot, corner], normal: -normal, carrier: Carrier::FaceOfA, feature }
        }
    }
}
