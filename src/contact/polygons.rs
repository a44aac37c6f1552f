//! Where two convex polygons meet: the edge of largest separation, the other
//! polygon's corners over it, and its own ends over the facing edge.

use super::brick_brick::{Carrier, Meeting};
use crate::math::DVec3;
use crate::shape::{Brick, BrickFace};

/// A corner counts as over an edge this far beyond its ends, in edge lengths:
/// rounding of coordinates.
const BEYOND: f64 = 1e-9;

/// The points of two polygons within `reach` of each other.
pub(super) fn meetings(first: &Brick, second: &Brick, reach: f64) -> Vec<Meeting> {
    let (one, at_one) = widest(first, second, reach);
    let (two, at_two) = widest(second, first, reach);
    if one.max(two) > reach {
        return Vec::new();
    }
    match one >= two {
        true => clip(first, second, at_one, reach, false),
        false => clip(second, first, at_two, reach, true),
    }
}

/// The largest separation of `other` from an edge of `brick`, and the edge.
fn widest(brick: &Brick, other: &Brick, reach: f64) -> (f64, usize) {
    let mut best = (f64::NEG_INFINITY, 0);
    for (index, face) in brick.faces().iter().enumerate() {
        let start = brick.corners()[face.corners[0] as usize];
        let separation = other.least_along(face.normal) - face.normal.dot(start);
        if separation > best.0 {
            best = (separation, index);
        }
        if separation > reach {
            break;
        }
    }
    best
}

/// Corners of `other` over the edge, and the edge's ends over the facing edge.
fn clip(brick: &Brick, other: &Brick, edge: usize, reach: f64, swapped: bool) -> Vec<Meeting> {
    let mut out = Vec::new();
    let reference = &brick.faces()[edge];
    for (k, corner) in other.corners().iter().enumerate() {
        if let Some((along, foot)) = foot(brick, reference, *corner)
            && (-BEYOND..=1.0 + BEYOND).contains(&along)
        {
            let feature = [edge as u16, k as u16];
            out.push(meeting(reference.normal, foot, *corner, feature, swapped));
        }
    }
    let facing = |face: &BrickFace| face.normal.dot(reference.normal);
    let incident =
        other.faces().iter().enumerate().min_by(|a, b| facing(a.1).total_cmp(&facing(b.1)));
    if let Some((index, incident)) = incident
        && facing(incident) < 0.0
    {
        for end in &reference.corners {
            let corner = brick.corners()[*end as usize];
            // An end that meets an end is already there, as the other's corner.
            if let Some((along, foot)) = foot(other, incident, corner)
                && (BEYOND..=1.0 - BEYOND).contains(&along)
            {
                let feature = [*end as u16 | 0x8000, index as u16];
                out.push(meeting(incident.normal, foot, corner, feature, !swapped));
            }
        }
    }
    out.retain(|m| m.normal.dot(m.at_first - m.at_second) <= reach);
    out
}

/// How far along an edge the foot of a point is, from 0 to 1, and the foot.
fn foot(brick: &Brick, edge: &BrickFace, point: DVec3) -> Option<(f64, DVec3)> {
    let [start, end] = [0, 1].map(|k| brick.corners()[edge.corners[k] as usize]);
    let along = (point - start).dot(end - start) / (end - start).length_squared();
    along.is_finite().then_some((along, start.lerp(end, along)))
}

/// A corner kept out by a face; `second_carries` if the face belongs to the second brick.
fn meeting(
    normal: DVec3,
    foot: DVec3,
    corner: DVec3,
    feature: [u16; 2],
    second_carries: bool,
) -> Meeting {
    match second_carries {
        true => Meeting {
            at_first: corner,
            at_second: foot,
            normal,
            carrier: Carrier::FaceOfB,
            feature,
        },
        false => Meeting {
            at_first: foot,
            at_second: corner,
            normal: -normal,
            carrier: Carrier::FaceOfA,
            feature,
        },
    }
}
