//! Polygons of the plane, rounded or not: the side that separates two of them
//! most, and the facing side of the other, cut to it. Every z is and stays 0.

use super::clip::facing;
use super::points::{away, highest};
use super::polytopes::widest_face;
use super::{Manifold, PREFERENCE, Placed, Spot};
use crate::math::DVec3;

pub(super) fn two(a: &Placed, b: &Placed, reach: f64) -> Option<Manifold> {
    let (one, at_one) = widest_face(a, b)?;
    let (two, at_two) = widest_face(b, a)?;
    let (most, radii) = (one.max(two), a.radius + b.radius);
    if most > reach + radii {
        return None;
    }
    let margin = PREFERENCE * size(a).min(size(b));
    if radii > 0.0 && most > 0.0 {
        // Where two corners are nearest, rounding them makes room that no side sees.
        let (p, q) = nearest_points(a, b);
        let distance = p.distance(q);
        if distance > most + 2.0 * margin {
            let found = Manifold::one((p - q) / distance, 0.5 * (p + q), distance);
            return found.rounded([a.radius, b.radius], reach);
        }
    }
    let found = match two > one + margin {
        true => sides(b, at_two, a, reach + radii),
        false => sides(a, at_one, b, reach + radii).map(Manifold::swapped),
    };
    found?.rounded([a.radius, b.radius], reach)
}

fn size(p: &Placed) -> f64 {
    let size = p.bounds.size();
    size.x.min(size.y)
}

/// The two ends of a side.
fn ends(p: &Placed, side: usize) -> [DVec3; 2] {
    let corners = &p.facets[side].corners;
    [0, 1].map(|k| p.corners[corners[k] as usize])
}

/// The side of `other` that faces a side of `reference`, cut to that side. The normal of the
/// result is the side's own: from `reference` to `other`.
pub(super) fn sides(
    reference: &Placed,
    side: usize,
    other: &Placed,
    reach: f64,
) -> Option<Manifold> {
    let normal = reference.normals[side];
    let [start, end] = ends(reference, side);
    let incident = ends(other, facing(other, normal)?);
    let along = end - start;
    let (from, to) = (along.dot(start), along.dot(end));
    let [near, far] = incident.map(|corner| along.dot(corner));
    // The part of the facing side beside the reference side, by its own measure.
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for (here, there) in [(near - from, far - from), (to - near, to - far)] {
        match (here < 0.0, there < 0.0) {
            (true, true) => return None,
            (true, false) => first = first.max(here / (here - there)),
            (false, true) => last = last.min(here / (here - there)),
            (false, false) => {}
        }
    }
    let mut found = Manifold::new(normal, Default::default(), 0);
    for part in [first, last] {
        let at = incident[0] + (incident[1] - incident[0]) * part;
        let gap = normal.dot(at - start);
        let same = found.count > 0 && last - first < 1e-12;
        if gap <= reach && first <= last && !same {
            found.spots[found.count] = Spot { at: at - normal * (0.5 * gap), gap };
            found.count += 1;
        }
    }
    (found.count > 0).then_some(found)
}

/// The direction from a polygon's core to a point, and the distance; negative inside.
pub(super) fn nearest(point: DVec3, b: &Placed) -> Option<(DVec3, f64)> {
    let (height, side) = highest(point, b)?;
    if height <= 0.0 {
        return Some((b.normals[side], height));
    }
    let to = |side: usize| point - on_segment(point, ends(b, side));
    let shorter = |one: DVec3, two: DVec3| {
        if two.length_squared() < one.length_squared() { two } else { one }
    };
    (0..b.facets.len()).map(to).reduce(shorter).map(away)
}

/// The point of a segment nearest to a point.
fn on_segment(point: DVec3, [start, end]: [DVec3; 2]) -> DVec3 {
    let along = end - start;
    let square = along.length_squared();
    match square > 0.0 {
        true => start + along * ((point - start).dot(along) / square).clamp(0.0, 1.0),
        false => start,
    }
}

/// The closest points of two cores that are apart: one of them is a corner.
fn nearest_points(a: &Placed, b: &Placed) -> (DVec3, DVec3) {
    let mut best = (f64::INFINITY, a.centre, b.centre);
    let mut offer = |p: DVec3, q: DVec3| {
        let square = p.distance_squared(q);
        if square < best.0 {
            best = (square, p, q);
        }
    };
    for side in 0..b.facets.len() {
        a.corners.iter().for_each(|&p| offer(p, on_segment(p, ends(b, side))));
    }
    for side in 0..a.facets.len() {
        b.corners.iter().for_each(|&q| offer(on_segment(q, ends(a, side)), q));
    }
    (best.1, best.2)
}
