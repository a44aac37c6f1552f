//! Balls (in 2D: discs) against every other piece.

use super::{Form, Placed};
use crate::math::DVec3;
use crate::shape::{Facet, Polytope, arc};

/// Below this distance, relative to the radii, the direction of a nearest point means nothing.
const TOUCHING: f64 = 1e-12;

/// The direction from the core of `b` to a point, and the distance; negative inside.
pub(super) fn nearest(point: DVec3, b: &Placed) -> Option<(DVec3, f64)> {
    match b.form {
        Form::Point => Some(away(point - b.centre)),
        Form::Segment { half } => {
            let along = b.axes.z_axis.dot(point - b.centre).clamp(-half, half);
            Some(away(point - b.centre - b.axes.z_axis * along))
        }
        Form::Box { half } => {
            let (normal, distance) = of_box(b.axes.transpose() * (point - b.centre), half);
            Some((b.axes * normal, distance))
        }
        Form::Cylinder { radius, half } => {
            let local = b.axes.transpose() * (point - b.centre);
            let (normal, distance) = of_cylinder(local, radius, half);
            Some((b.axes * normal, distance))
        }
        Form::Arc { radius, half } => {
            let local = b.axes.transpose() * (point - b.centre);
            let on = arc::farthest(radius, half, local);
            let (normal, distance) = away(local - on);
            Some((b.axes * normal, distance))
        }
        Form::Polytope | Form::Polygon => of_polytope(point, &b.spelled_out(DVec3::ZERO)),
    }
}

/// A vector as direction and length; what has no direction goes along x, which every dimension has.
fn away(d: DVec3) -> (DVec3, f64) {
    let distance = d.length();
    if distance > TOUCHING { (d / distance, distance) } else { (DVec3::X, distance) }
}

fn of_box(local: DVec3, half: DVec3) -> (DVec3, f64) {
    let outside = local - local.clamp(-half, half);
    let distance = outside.length();
    if distance > TOUCHING * half.max_element() {
        return (outside / distance, distance);
    }
    let depth = half - local.abs();
    let axis = (0..3).fold(0, |best, k| if depth[k] < depth[best] { k } else { best });
    let mut normal = DVec3::ZERO;
    normal[axis] = if local[axis] < 0.0 { -1.0 } else { 1.0 };
    (normal, -depth[axis])
}

fn of_cylinder(local: DVec3, radius: f64, half: f64) -> (DVec3, f64) {
    let flat = DVec3::new(local.x, local.y, 0.0);
    let from_axis = flat.length();
    let out = if from_axis > TOUCHING * radius { flat / from_axis } else { DVec3::X };
    let up = DVec3::Z * if local.z < 0.0 { -1.0 } else { 1.0 };
    let (side, end) = (from_axis - radius, local.z.abs() - half);
    if side > 0.0 && end > 0.0 {
        return away(out * side + up * end);
    }
    if side > end { (out, side) } else { (up, end) }
}

/// The facet of largest distance if the point is inside, else the nearest point of all facets
/// that look at it.
fn of_polytope(point: DVec3, b: &Polytope) -> Option<(DVec3, f64)> {
    let height = |facet: &Facet| facet.normal.dot(point - b.corners()[facet.corners[0] as usize]);
    let heights = || b.facets().iter().map(|facet| (height(facet), facet));
    let highest = heights().reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    if highest.0 <= 0.0 {
        return Some((highest.1.normal, highest.0));
    }
    let mut best: Option<DVec3> = None;
    for (h, facet) in heights() {
        if h <= 0.0 || best.is_some_and(|d| d.length() <= h) {
            continue;
        }
        let d = point - on_facet(point - facet.normal * h, facet, b);
        if best.is_none_or(|other| d.length_squared() < other.length_squared()) {
            best = Some(d);
        }
    }
    best.map(away)
}

/// The point of a facet nearest to a point of its plane (in 2D: its line).
fn on_facet(foot: DVec3, facet: &Facet, b: &Polytope) -> DVec3 {
    let corner = |k: usize| b.corners()[facet.corners[k % facet.corners.len()] as usize];
    let is_flat = facet.corners.len() == 2;
    let mut nearest: Option<(f64, DVec3)> = None;
    for k in 0..facet.corners.len() {
        let (start, end) = (corner(k), corner(k + 1));
        let along = end - start;
        if !is_flat && facet.normal.cross(along).dot(foot - start) >= 0.0 {
            continue;
        }
        let t = ((foot - start).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        let on = start + along * t;
        let distance = (foot - on).length_squared();
        if nearest.is_none_or(|(least, _)| distance < least) {
            nearest = Some((distance, on));
        }
    }
    nearest.map_or(foot, |(_, on)| on)
}
