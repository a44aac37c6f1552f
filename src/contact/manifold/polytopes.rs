//! Two polyhedra, rounded or not: the face or pair of edges that separates them
//! most; over a face, the facing face of the other is cut to it.

use super::points::nearest;
use super::segments::closest;
use super::{Form, Manifold, PREFERENCE, Placed, clip};
use crate::math::DVec3;

pub(super) fn two(a: &Placed, b: &Placed, reach: f64) -> Option<Manifold> {
    let (a, b) = (a.spelled_out(), b.spelled_out());
    if !a.is_cylinder() && !b.is_cylinder() {
        return rounded(&a, &b, reach);
    }
    // A cylinder is first taken as it lies, then with a corner where the contact is.
    let (mut a, mut b) = (a.into_owned(), b.into_owned());
    let normal = rounded(&a, &b, 1.1 * reach + slack(&a).max(slack(&b)))?.normal;
    a.facing(-normal);
    b.facing(normal);
    rounded(&a, &b, reach)
}

/// How much a prism may be farther away than its cylinder.
fn slack(p: &Placed) -> f64 {
    match p.form {
        Form::Cylinder { radius, .. } => 0.05 * radius,
        _ => 0.0,
    }
}

/// The contact of two cores with their roundings.
fn rounded(a: &Placed, b: &Placed, reach: f64) -> Option<Manifold> {
    let radii = a.radius + b.radius;
    if radii == 0.0 {
        return sharp(a, b, reach);
    }
    let apart = widest_face(a, b)?.0.max(widest_face(b, a)?.0);
    if apart > reach + radii {
        return None;
    }
    let mut found = sharp(a, b, reach + radii);
    if apart > 0.0 {
        // Where a corner is nearest, rounding it makes room that no face or pair of edges sees.
        let (p, q) = nearest_points(a, b);
        let distance = p.distance(q);
        let margin = 2.0 * PREFERENCE * size(a, b);
        if found.is_none_or(|found| distance > found.least_gap() + margin) {
            found = Some(Manifold::one((p - q) / distance, 0.5 * (p + q), distance));
        }
    }
    found?.rounded([a.radius, b.radius], reach)
}

/// The smaller of two pieces' least sizes.
fn size(a: &Placed, b: &Placed) -> f64 {
    a.bounds.size().min_element().min(b.bounds.size().min_element())
}

fn sharp(a: &Placed, b: &Placed, reach: f64) -> Option<Manifold> {
    let (one, at_one) = widest_face(a, b)?;
    let (two, at_two) = widest_face(b, a)?;
    let faces = one.max(two);
    if faces > reach {
        return None;
    }
    let margin = PREFERENCE * size(a, b);
    if let Some((gap, normal, p, q)) = widest_edges(a, b, faces + margin) {
        return (gap <= reach).then(|| Manifold::one(normal, 0.5 * (p + q), gap));
    }
    match two > one + margin {
        true => clip::faces(b, at_two, a, reach),
        false => clip::faces(a, at_one, b, reach).map(Manifold::swapped),
    }
}

/// The largest separation of `other` from a face of `own`, and the face.
pub(super) fn widest_face(own: &Placed, other: &Placed) -> Option<(f64, usize)> {
    let separation = |f: usize| {
        let n = own.normals[f];
        (other.least_along(n) - n.dot(own.on_facet(f)), f)
    };
    let all = (0..own.facets.len()).map(separation);
    all.reduce(|best, next| if next.0 > best.0 { next } else { best })
}

/// The pair of edges that separates most, if by more than `than`: gap, normal from `b` to `a`,
/// and the points.
fn widest_edges(a: &Placed, b: &Placed, than: f64) -> Option<(f64, DVec3, DVec3, DVec3)> {
    let mut best: Option<(f64, DVec3, DVec3, DVec3)> = None;
    for e in a.edges {
        let [a0, a1] = ends(a, e);
        for f in b.edges {
            let [b0, b1] = ends(b, f);
            let across = (a1 - a0).cross(b1 - b0);
            if across.length_squared()
                < 1e-6 * (a1 - a0).length_squared() * (b1 - b0).length_squared()
            {
                continue;
            }
            let mut n = across.normalize();
            if n.dot(a.centre - b.centre) < 0.0 {
                n = -n;
            }
            let gap = n.dot(a0) - n.dot(b0);
            let least = best.as_ref().map_or(than, |b| b.0);
            let rounding = 1e-9 * ((a1 - a0).length() + (b1 - b0).length());
            if gap <= least
                || a.least_along(n) < n.dot(a0) - rounding
                || -b.least_along(-n) > n.dot(b0) + rounding
            {
                continue;
            }
            let (p, q) = closest(a0, a1, b0, b1);
            best = Some((gap, n, p, q));
        }
    }
    best
}

fn ends(p: &Placed, edge: &[u32; 2]) -> [DVec3; 2] {
    edge.map(|k| p.corners[k as usize])
}

/// The closest points of two cores that are apart, by trying all corners and edges.
fn nearest_points(a: &Placed, b: &Placed) -> (DVec3, DVec3) {
    let mut best = (f64::INFINITY, a.centre, b.centre);
    let mut offer = |p: DVec3, q: DVec3| {
        let square = p.distance_squared(q);
        if square < best.0 {
            best = (square, p, q);
        }
    };
    for &p in a.corners.iter() {
        if let Some((normal, distance)) = nearest(p, b) {
            offer(p, p - normal * distance);
        }
    }
    for &q in b.corners.iter() {
        if let Some((normal, distance)) = nearest(q, a) {
            offer(q - normal * distance, q);
        }
    }
    for e in a.edges {
        let [a0, a1] = ends(a, e);
        for f in b.edges {
            let [b0, b1] = ends(b, f);
            let (p, q) = closest(a0, a1, b0, b1);
            offer(p, q);
        }
    }
    (best.1, best.2)
}
