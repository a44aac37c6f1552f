//! Capsules against capsules and polyhedra.

use super::clip::{self, Polygon};
use super::points::nearest;
use super::{Manifold, Placed};
use crate::math::DVec3;

/// Capsules whose axes differ by less than this sine lie along each other.
const PARALLEL: f64 = 1e-3;

/// A capsule lies on a face, rather than touching it at one point, if the normals differ by
/// less than this.
const LYING: f64 = 1e-2;

/// Two capsules: one point, or two where they lie along each other.
pub(super) fn two(a: &Placed, b: &Placed, reach: f64) -> Option<Manifold> {
    let ([a0, a1], [b0, b1]) = (a.ends(), b.ends());
    let (p, q) = closest(a0, a1, b0, b1);
    let apart = p - q;
    let distance = apart.length();
    let radii = a.radius + b.radius;
    if distance - radii > reach {
        return None;
    }
    let (u, v) = (a1 - a0, b1 - b0);
    let normal = match distance > 1e-12 * radii {
        true => apart / distance,
        false => u.cross(v).try_normalize().unwrap_or_else(|| u.any_orthonormal_vector()),
    };
    let middle = |p: DVec3, q: DVec3| 0.5 * (p - normal * a.radius + q + normal * b.radius);
    if u.cross(v).length() > PARALLEL * u.length() * v.length() {
        return Some(Manifold::one(normal, middle(p, q), distance - radii));
    }
    // The part of `a` beside `b`, from end to end.
    let inverse = v.length_squared().recip();
    let along = |p: DVec3| ((p - b0).dot(v) * inverse).clamp(0.0, 1.0);
    let mut polygon = Polygon::default();
    for end in [a0, a1] {
        let q = b0 + v * along(end);
        let t = ((q - a0).dot(u) / u.length_squared()).clamp(0.0, 1.0);
        let p = a0 + u * t;
        polygon.push(middle(p, q), normal.dot(p - q) - radii);
    }
    clip::manifold(normal, &polygon, reach)
}

/// A capsule `a` and a polyhedron `b`.
pub(super) fn against(a: &Placed, b: &Placed, reach: f64) -> Option<Manifold> {
    let mut turned;
    let mut b = b;
    if b.is_cylinder() {
        turned = b.clone();
        turned.facing(a.centre - b.centre);
        b = &turned;
    }
    let [start, end] = a.ends();
    let (radius, radii) = (a.radius, a.radius + b.radius);
    let (mut normal, mut distance, mut on) = (DVec3::Z, f64::INFINITY, start);
    for point in [start, end] {
        let (n, d) = nearest(point, b)?;
        if d < distance {
            (normal, distance, on) = (n, d, point);
        }
    }
    for edge in b.edges {
        let [c0, c1] = edge.map(|k| b.corners[k as usize]);
        let (p, q) = closest(start, end, c0, c1);
        let d = (p - q).length();
        if d < distance && d > 1e-9 * (c1 - c0).length() {
            (normal, distance, on) = ((p - q) / d, d, p);
        }
    }
    if let Some((n, depth)) = through(start, end, b) {
        (normal, distance) = (n, depth);
        on = if normal.dot(start) < normal.dot(end) { start } else { end };
    }
    if distance - radii > reach {
        return None;
    }
    // Lying on a face: both ends, cut to the face.
    let face = clip::facing(b, -normal)?;
    let along = (end - start).normalize_or_zero();
    let n = b.normals[face];
    if n.dot(normal) > 1.0 - LYING
        && n.dot(along).abs() < 0.5
        && let Some(found) = lying(a, b, face, reach)
    {
        return Some(found);
    }
    let gap = distance - radii;
    Some(Manifold::one(normal, on - normal * (radius + 0.5 * gap), gap))
}

/// The part of a capsule over a face of a polyhedron.
pub(super) fn lying(a: &Placed, b: &Placed, face: usize, reach: f64) -> Option<Manifold> {
    let n = b.normals[face];
    let mut line = Polygon::default();
    a.ends().into_iter().for_each(|end| line.push(end, 0.0));
    line.cut_line_to(b, face);
    let base = n.dot(b.on_facet(face));
    let mut polygon = Polygon::default();
    for (p, _) in line.iter() {
        let gap = n.dot(p) - base - a.radius - b.radius;
        polygon.push(p - n * (a.radius + 0.5 * gap), gap);
    }
    clip::manifold(n, &polygon, reach)
}

/// If the segment goes through the polyhedron: the way out that is shortest, over faces and
/// pairs of edges, and how deep it is (negative).
fn through(start: DVec3, end: DVec3, b: &Placed) -> Option<(DVec3, f64)> {
    let mut best = (DVec3::Z, f64::NEG_INFINITY);
    for (f, &n) in b.normals.iter().enumerate() {
        let separation = n.dot(start).min(n.dot(end)) - n.dot(b.on_facet(f));
        if separation > best.1 {
            best = (n, separation);
        }
    }
    for edge in b.edges {
        let [c0, c1] = edge.map(|k| b.corners[k as usize]);
        let across = (end - start).cross(c1 - c0);
        let Some(mut n) = across.try_normalize() else { continue };
        if n.dot(c0 - b.centre) < 0.0 {
            n = -n;
        }
        let most = -b.least_along(-n);
        let separation = n.dot(start).min(n.dot(end)) - most;
        if separation > best.1 {
            best = (n, separation);
        }
    }
    (best.1 <= 0.0).then_some(best)
}

/// The closest points of two segments.
pub(super) fn closest(a0: DVec3, a1: DVec3, b0: DVec3, b1: DVec3) -> (DVec3, DVec3) {
    let (u, v, w) = (a1 - a0, b1 - b0, a0 - b0);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let (uw, vw) = (u.dot(w), v.dot(w));
    let determinant = uu * vv - uv * uv;
    let mut s = match determinant > 1e-14 * uu * vv {
        true => ((uv * vw - vv * uw) / determinant).clamp(0.0, 1.0),
        false => 0.5,
    };
    let t = if vv > 0.0 { ((uv * s + vw) / vv).clamp(0.0, 1.0) } else { 0.0 };
    s = if uu > 0.0 { ((uv * t - uw) / uu).clamp(0.0, 1.0) } else { 0.0 };
    (a0 + u * s, b0 + v * t)
}
