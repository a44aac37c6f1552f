//! Balls (and particles) against every other piece.

use super::{Manifold, Placed};
use crate::math::DVec3;
use crate::shape::Core;

/// Below this distance, relative to the radii, the direction of a nearest point means nothing.
const TOUCHING: f64 = 1e-12;

/// The contact of the ball `a` and the piece `b`.
pub(super) fn against(a: &Placed, b: &Placed, reach: f64) -> Option<Manifold> {
    let (normal, distance) = nearest(a.centre, b)?;
    let gap = distance - a.piece.radius - b.piece.radius;
    if gap > reach {
        return None;
    }
    let at = a.centre - normal * (a.piece.radius + 0.5 * gap);
    Some(Manifold::one(normal, at, gap))
}

/// The direction from the core of `b` to a point, and the distance; negative inside.
pub(super) fn nearest(point: DVec3, b: &Placed) -> Option<(DVec3, f64)> {
    match &b.piece.core {
        Core::Point => Some(away(point - b.centre)),
        Core::Segment { half } => {
            let along = b.axes.z_axis.dot(point - b.centre).clamp(-half, *half);
            Some(away(point - b.centre - b.axes.z_axis * along))
        }
        Core::Box { half } => {
            let (normal, distance) = of_box(b.axes.transpose() * (point - b.centre), *half);
            Some((b.axes * normal, distance))
        }
        Core::Cylinder { radius, half } => {
            let local = b.axes.transpose() * (point - b.centre);
            let (normal, distance) = of_cylinder(local, *radius, *half);
            Some((b.axes * normal, distance))
        }
        Core::Hull(_) => of_hull(point, b),
    }
}

fn away(d: DVec3) -> (DVec3, f64) {
    let distance = d.length();
    if distance > TOUCHING { (d / distance, distance) } else { (DVec3::Z, distance) }
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

/// The face of largest distance if the point is inside, else the nearest point of all faces
/// that look at it.
fn of_hull(point: DVec3, b: &Placed) -> Option<(DVec3, f64)> {
    let hull = b.hull()?;
    let height = |f: usize| b.normals[f].dot(point - b.corners[hull.faces[f][0] as usize]);
    let inside = (0..hull.faces.len()).fold((f64::NEG_INFINITY, 0), |best, f| {
        let h = height(f);
        if h > best.0 { (h, f) } else { best }
    });
    if inside.0 <= 0.0 {
        return Some((b.normals[inside.1], inside.0));
    }
    let mut best: Option<DVec3> = None;
    for (f, face) in hull.faces.iter().enumerate() {
        let h = height(f);
        if h <= 0.0 || best.is_some_and(|d| d.length() <= h) {
            continue;
        }
        let d = point - on_face(point - b.normals[f] * h, face, b, b.normals[f]);
        if best.is_none_or(|other| d.length_squared() < other.length_squared()) {
            best = Some(d);
        }
    }
    best.map(away)
}

/// The point of a face nearest to a point of its plane.
fn on_face(foot: DVec3, face: &[u32], b: &Placed, normal: DVec3) -> DVec3 {
    let mut nearest: Option<(f64, DVec3)> = None;
    for k in 0..face.len() {
        let (start, end) =
            (b.corners[face[k] as usize], b.corners[face[(k + 1) % face.len()] as usize]);
        let along = end - start;
        if normal.cross(along).dot(foot - start) >= 0.0 {
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
