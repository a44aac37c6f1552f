//! Two polyhedra: the face or pair of edges that separates them most; over a
//! face, the facing face of the other is cut to it.

use super::segments::closest;
use super::{Manifold, Placed, clip};
use crate::math::DVec3;
use crate::shape::Core;

/// A pair of edges must separate by this part of the size more than any face.
const PREFER_FACES: f64 = 1e-3;

pub(super) fn two(a: &Placed, b: &Placed, reach: f64) -> Option<Manifold> {
    let (a, b) = (a.spelled_out(), b.spelled_out());
    let is_round = |p: &Placed| matches!(p.piece.core, Core::Cylinder { .. });
    if !is_round(&a) && !is_round(&b) {
        return general(&a, &b, reach);
    }
    // A cylinder is first taken as it lies, then with a corner where the contact is.
    let (mut a, mut b) = (a.into_owned(), b.into_owned());
    let normal = general(&a, &b, 1.1 * reach + slack(&a).max(slack(&b)))?.normal;
    a.facing(-normal);
    b.facing(normal);
    general(&a, &b, reach)
}

/// How much a prism may be farther away than its cylinder.
fn slack(p: &Placed) -> f64 {
    match p.piece.core {
        Core::Cylinder { radius, .. } => 0.05 * radius,
        _ => 0.0,
    }
}

fn general(a: &Placed, b: &Placed, reach: f64) -> Option<Manifold> {
    let (one, at_one) = widest_face(a, b)?;
    let (two, at_two) = widest_face(b, a)?;
    let faces = one.max(two);
    if faces > reach {
        return None;
    }
    let size = a.bounds.size().min_element().min(b.bounds.size().min_element());
    if let Some((gap, normal, p, q)) = widest_edges(a, b, faces + PREFER_FACES * size) {
        return (gap <= reach).then(|| Manifold::one(normal, 0.5 * (p + q), gap));
    }
    match two > one + PREFER_FACES * size {
        true => clip::faces(b, at_two, a, reach),
        false => clip::faces(a, at_one, b, reach).map(Manifold::swapped),
    }
}

/// The largest separation of `other` from a face of `own`, and the face.
fn widest_face(own: &Placed, other: &Placed) -> Option<(f64, usize)> {
    let hull = own.hull()?;
    let mut best = (f64::NEG_INFINITY, 0);
    for (f, face) in hull.faces.iter().enumerate() {
        let n = own.normals[f];
        let separation = other.least_along(n) - n.dot(own.corners[face[0] as usize]);
        if separation > best.0 {
            best = (separation, f);
        }
    }
    Some(best)
}

/// The pair of edges that separates most, if by more than `than`: gap, normal from `b` to `a`,
/// and the points.
fn widest_edges(a: &Placed, b: &Placed, than: f64) -> Option<(f64, DVec3, DVec3, DVec3)> {
    let ends = |p: &Placed, edge: &[u32; 2]| edge.map(|k| p.corners[k as usize]);
    let mut best: Option<(f64, DVec3, DVec3, DVec3)> = None;
    for e in &a.hull()?.edges {
        let [a0, a1] = ends(a, e);
        for f in &b.hull()?.edges {
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
