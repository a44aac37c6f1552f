//! Facets cut to each other, and the points where edges come closest.

use crate::math::DVec3;
use crate::shape::{Facet, Polytope};

/// A corner counts as over a facet this far beyond its sides, relative to the side: rounding
/// of coordinates.
const ROUNDING: f64 = 1e-9;

/// Below this part of the squares of their lengths, the area between two edges means nothing.
const PARALLEL: f64 = 1e-14;

/// The part over a facet of `own` of the facet of `other` that faces it; of a segment or a
/// point, that of itself. In the plane facets are edges, cut to each other's ends.
pub(super) fn cut_to_facet(own: &Polytope, facet: usize, other: &Polytope) -> Vec<DVec3> {
    let Facet { normal, corners } = &own.facets()[facet];
    let mut outline: Vec<DVec3> = match facing(other, *normal) {
        Some(incident) => incident.corners.iter().map(|&k| other.corners()[k as usize]).collect(),
        None => other.corners().to_vec(),
    };
    let at = |k: usize| own.corners()[corners[k % corners.len()] as usize];
    let is_flat = corners.len() == 2;
    let mut kept = Vec::with_capacity(outline.len() + corners.len());
    for k in 0..corners.len() {
        let along = at(k + 1) - at(k);
        let length = along.length();
        let inwards = if is_flat { along / length } else { normal.cross(along) / length };
        let plane = Plane { at: at(k), inwards, tolerance: ROUNDING * length };
        cut(&outline, &plane, &mut kept, |point| match is_flat {
            // Exactly over the end of the edge.
            true => plane.at + *normal * normal.dot(point - plane.at),
            false => point,
        });
        std::mem::swap(&mut outline, &mut kept);
    }
    outline
}

/// The facet of a polytope that faces a direction most.
fn facing(polytope: &Polytope, normal: DVec3) -> Option<&Facet> {
    let along = |facet: &Facet| facet.normal.dot(normal);
    polytope.facets().iter().min_by(|a, b| along(a).total_cmp(&along(b)))
}

struct Plane {
    at: DVec3,
    inwards: DVec3,
    tolerance: f64,
}

/// Keeps the part of a polygon (or segment, or point) on the inner side of a plane; what is cut
/// is put in place.
fn cut(outline: &[DVec3], plane: &Plane, kept: &mut Vec<DVec3>, place: impl Fn(DVec3) -> DVec3) {
    kept.clear();
    let (count, tolerance) = (outline.len(), plane.tolerance);
    let height = |point: DVec3| plane.inwards.dot(point - plane.at);
    for (k, &here) in outline.iter().enumerate() {
        let d = height(here);
        if d >= -tolerance {
            kept.push(here);
        }
        if count < 3 && k + 1 == count {
            break; // a segment has no way back
        }
        let next = outline[(k + 1) % count];
        let e = height(next);
        if (d > tolerance && e < -tolerance) || (d < -tolerance && e > tolerance) {
            kept.push(place(here.lerp(next, d / (d - e))));
        }
    }
}

/// The closest points of two segments; of parallel ones, in the midst of the first.
pub(super) fn nearest_points([a0, a1]: [DVec3; 2], [b0, b1]: [DVec3; 2]) -> [DVec3; 2] {
    let (u, v, w) = (a1 - a0, b1 - b0, a0 - b0);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let (uw, vw) = (u.dot(w), v.dot(w));
    let determinant = uu * vv - uv * uv;
    let mut s = match determinant > PARALLEL * uu * vv {
        true => ((uv * vw - vv * uw) / determinant).clamp(0.0, 1.0),
        false => 0.5,
    };
    let t = if vv > 0.0 { ((uv * s + vw) / vv).clamp(0.0, 1.0) } else { 0.0 };
    s = if uu > 0.0 { ((uv * t - uw) / uu).clamp(0.0, 1.0) } else { 0.0 };
    [a0 + u * s, b0 + v * t]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_cut_once_at_either_side() {
        let cube = Polytope::cuboid(DVec3::splat(2.0)).unwrap();
        let top = cube.facets().iter().position(|f| f.normal == DVec3::Z).unwrap();
        let wire = Polytope::segment(DVec3::new(-3.0, 0.5, 1.5), DVec3::new(3.0, 0.5, 2.5));
        let mut spots = cut_to_facet(&cube, top, &wire);
        spots.sort_by(|a, b| a.x.total_cmp(&b.x));
        let [one, two] = spots[..] else { panic!("{spots:?}") };
        assert!(one.distance(DVec3::new(-1.0, 0.5, 1.0 + 5.0 / 6.0)) < 1e-15);
        assert!(two.distance(DVec3::new(1.0, 0.5, 1.0 + 7.0 / 6.0)) < 1e-15);
        let point = Polytope::point(DVec3::new(0.0, 2.0, 0.0));
        assert!(cut_to_facet(&cube, top, &point).is_empty());
    }

    /// In the plane, an edge over another has two ends: its own, or those of the other.
    #[test]
    fn edges_of_the_plane_are_cut_to_each_other() {
        let below = Polytope::rectangle(2.0, 2.0).unwrap();
        let above = Polytope::rectangle(2.0, 1.0).unwrap().moved(DVec3::new(0.5, 2.0, 0.0));
        let top = below.facets().iter().position(|f| f.normal == DVec3::Y).unwrap();
        let mut x: Vec<f64> = cut_to_facet(&below, top, &above).iter().map(|p| p.x).collect();
        x.sort_by(f64::total_cmp);
        assert_eq!(x, [-0.5, 1.0]);
        assert!(cut_to_facet(&below, top, &above.moved(DVec3::X * 3.0)).is_empty());
    }
}
