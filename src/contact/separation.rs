//! The separating axis of two convex polytopes: the facet or pair of edges that
//! separates them most. Both are placed in the frame of the world; who calls says
//! how much a facet is preferred.

use crate::math::DVec3;
use crate::shape::{Facet, Polytope};

/// Edges whose directions differ by less than this sine are parallel.
const PARALLEL: f64 = 1e-6;

/// The plane through an edge of each polyhedron may cut off this part of the edges' lengths:
/// rounding of coordinates.
const CUTS_OFF: f64 = 1e-12;

/// An edge that runs along a facet but for this sine runs to either side of it: rounding.
const CROSSES: f64 = 1e-9;

/// What separates two polytopes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Axis {
    /// A facet of the first, by its number.
    FacetOfFirst(usize),
    /// A facet of the second, by its number.
    FacetOfSecond(usize),
    /// An edge of each, by its number.
    Edges([usize; 2]),
}

/// The largest separation of two polytopes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Separation {
    /// What separates them.
    pub axis: Axis,
    /// Unit vector from the second to the first.
    pub normal: DVec3,
    /// Negative if they overlap.
    pub gap: f64,
}

/// The largest separation of two polytopes; none if it is beyond `reach`. A pair of edges must
/// separate by `alike` more than any facet: facets give whole areas of contact.
pub(super) fn widest(a: &Polytope, b: &Polytope, reach: f64, alike: f64) -> Option<Separation> {
    let facets = widest_of_facets(a, b, alike).filter(|facets| facets.gap <= reach)?;
    match widest_edges(a, b, facets.gap + alike) {
        Some(edges) => (edges.gap <= reach).then_some(edges),
        None => Some(facets),
    }
}

/// The facet that separates two polytopes most. Of two, one of each, that do so `alike`, in the
/// plane the first one's, so that it is the same from step to step; in space the larger one: the
/// other is cut to it, and its corners stay what they are.
pub(super) fn widest_of_facets(a: &Polytope, b: &Polytope, alike: f64) -> Option<Separation> {
    let first = widest_facet(a, b).map(|(gap, facet)| {
        let normal = -a.facets()[facet].normal;
        (Separation { axis: Axis::FacetOfFirst(facet), normal, gap }, facet_size(a, facet))
    });
    let second = widest_facet(b, a).map(|(gap, facet)| {
        let normal = b.facets()[facet].normal;
        (Separation { axis: Axis::FacetOfSecond(facet), normal, gap }, facet_size(b, facet))
    });
    let (Some((one, large)), Some((two, other))) = (first, second) else {
        return first.or(second).map(|(only, _)| only);
    };
    let is_alike = (one.gap - two.gap).abs() <= alike;
    let takes_first = match is_alike {
        true => a.is_flat() || large >= other,
        false => one.gap > two.gap,
    };
    Some(if takes_first { one } else { two })
}

/// The distance of a facet's first corner from its farthest.
fn facet_size(polytope: &Polytope, facet: usize) -> f64 {
    let corners = &polytope.facets()[facet].corners;
    let at = |k: &u32| polytope.corners()[*k as usize];
    let first = at(&corners[0]);
    corners.iter().map(|k| at(k).distance(first)).fold(0.0, f64::max)
}

/// The largest separation of `other` from a facet of `own`, and the facet.
fn widest_facet(own: &Polytope, other: &Polytope) -> Option<(f64, usize)> {
    let separation = |(index, facet): (usize, &Facet)| {
        let at = own.corners()[facet.corners[0] as usize];
        (other.least_along(facet.normal) - facet.normal.dot(at), index)
    };
    let all = own.facets().iter().enumerate().map(separation);
    all.reduce(|best, next| if next.0 > best.0 { next } else { best })
}

/// The pair of edges that separates most, if it separates more than `than`.
fn widest_edges(first: &Polytope, second: &Polytope, than: f64) -> Option<Separation> {
    let mut best: Option<Separation> = None;
    let (one, two) = (edge_normals(first), edge_normals(second));
    let long = |polytope: &Polytope, edge: [u32; 2]| {
        let [start, end] = ends(polytope, edge);
        start.distance(end)
    };
    let lengths: Vec<f64> = second.edges().iter().map(|edge| long(second, *edge)).collect();
    for (i, a) in first.edges().iter().enumerate() {
        let ([a0, a1], length) = (ends(first, *a), long(first, *a));
        for (j, b) in second.edges().iter().enumerate() {
            let [b0, b1] = ends(second, *b);
            let (u, v) = (a1 - a0, b1 - b0);
            let crosses = is_between(v, lengths[j], &one[i]) && is_between(u, length, &two[j]);
            if !crosses {
                continue;
            }
            let across = u.cross(v);
            if across.length_squared()
                < PARALLEL * PARALLEL * u.length_squared() * v.length_squared()
            {
                continue;
            }
            // Only edges at which the polyhedra lie on opposite sides count; then their
            // distance is the separation.
            for normal in [across.normalize(), -across.normalize()] {
                let (low, high) = (normal.dot(b0), normal.dot(a0)); // the second below
                let gap = high - low;
                if gap <= best.as_ref().map_or(than, |b| b.gap) {
                    continue;
                }
                let rounding = CUTS_OFF * (u.length() + v.length());
                if first.least_along(normal) >= high - rounding
                    && -second.least_along(-normal) <= low + rounding
                {
                    best = Some(Separation { axis: Axis::Edges([i, j]), normal, gap });
                }
            }
        }
    }
    best
}

/// The normals of the facets beside every edge; none of a segment.
fn edge_normals(polytope: &Polytope) -> Vec<[DVec3; 2]> {
    let mut normals = vec![[DVec3::ZERO; 2]; polytope.edges().len()];
    for facet in polytope.facets() {
        let next = facet.corners.iter().cycle().skip(1);
        for (&a, &b) in facet.corners.iter().zip(next) {
            // Every edge is once gone along in its own direction, and once against it.
            if let Ok(edge) = polytope.edges().binary_search(&[a.min(b), a.max(b)]) {
                normals[edge][usize::from(a > b)] = facet.normal;
            }
        }
    }
    normals
}

/// Whether a direction crosses the edge between two facets, rounding included: else the plane of
/// both edges cuts into the polytope.
fn is_between(direction: DVec3, length: f64, [one, two]: &[DVec3; 2]) -> bool {
    let (a, b) = (one.dot(direction), two.dot(direction));
    a.min(b) <= CROSSES * length && a.max(b) >= -CROSSES * length
}

/// The ends of an edge.
pub(super) fn ends(polytope: &Polytope, edge: [u32; 2]) -> [DVec3; 2] {
    edge.map(|k| polytope.corners()[k as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{DQuat, Random};

    /// A polygon of the plane or a polyhedron, somewhere.
    fn any(random: &mut Random, is_flat: bool) -> Polytope {
        let mut vector = || DVec3::from_array(std::array::from_fn(|_| random.between(-1.0, 1.0)));
        let cloud: Vec<DVec3> = (0..8).map(|_| vector()).collect();
        let (at, turn) = (vector(), vector());
        match is_flat {
            true => {
                let cloud: Vec<[f64; 2]> = cloud.iter().map(|p| [p.x, p.y]).collect();
                let turn = DQuat::from_rotation_z(3.0 * turn.z);
                Polytope::flat_hull(&cloud).unwrap().placed(DVec3::new(at.x, at.y, 0.0), turn)
            }
            false => {
                Polytope::hull(&cloud).unwrap().placed(at, DQuat::from_scaled_axis(3.0 * turn))
            }
        }
    }

    /// The same seen in a mirror of its own, so that facets, edges and corners face each other,
    /// or turned a little from that.
    fn opposite(polytope: &Polytope, normal: DVec3, tilt: f64) -> Polytope {
        let level = 2.0 * polytope.support(normal);
        let mirrored =
            polytope.corners().iter().map(|c| *c + normal * (level - 2.0 * normal.dot(*c)));
        let corners: Vec<DVec3> = mirrored.collect();
        let made = match polytope.is_flat() {
            true => Polytope::flat_hull(&corners.iter().map(|c| [c.x, c.y]).collect::<Vec<_>>()),
            false => Polytope::hull(&corners),
        };
        let about = if polytope.is_flat() { DVec3::Z } else { normal.any_orthonormal_vector() };
        made.unwrap().placed(DVec3::ZERO, DQuat::from_axis_angle(about, tilt))
    }

    /// The most room along the normal of any facet, and of any pair of edges that no corner is
    /// beyond.
    fn by_trying_all(a: &Polytope, b: &Polytope) -> f64 {
        let room = |n: DVec3| a.least_along(n) + b.least_along(-n);
        let facets =
            a.facets().iter().map(|f| -f.normal).chain(b.facets().iter().map(|f| f.normal));
        let mut most = facets.map(room).fold(f64::NEG_INFINITY, f64::max);
        for e in a.edges() {
            for f in b.edges() {
                let [[p, q], [r, s]] = [ends(a, *e), ends(b, *f)];
                let across = (q - p).normalize().cross((s - r).normalize()).try_normalize();
                for n in across.into_iter().flat_map(|n| [n, -n]) {
                    let is_facet = room(n) >= n.dot(p - r) - 1e-12;
                    most = if is_facet { most.max(room(n)) } else { most };
                }
            }
        }
        most
    }

    /// What is found separates as much as it says, and nothing separates more: apart, touching,
    /// deep in each other, with facets that are parallel or nearly so, corner to corner.
    #[test]
    fn the_widest_axis_is_the_widest_of_all() {
        let random = &mut Random::new(4);
        for case in 0..2000 {
            let is_flat = case % 2 == 0;
            let first = any(random, is_flat);
            let plane = if is_flat { DVec3::new(1.0, 1.0, 0.0) } else { DVec3::ONE };
            let number = DVec3::from_array(std::array::from_fn(|_| random.between(-1.0, 1.0)));
            let second = match case % 5 {
                0 | 1 => any(random, is_flat).moved(number * plane * 2.0),
                kind => {
                    let facet = &first.facets()[case % first.facets().len()];
                    let normal =
                        if kind == 2 { (number * plane).normalize() } else { facet.normal };
                    let tilt = [0.0, 1e-12, 1e-8, 1e-4, 0.01][case % 7 % 5];
                    opposite(&first, normal, tilt).moved(normal * [0.0, 1e-9, -1e-3][case % 3])
                }
            };
            let room = |n: DVec3| first.least_along(n) + second.least_along(-n);
            let most = by_trying_all(&first, &second);
            for alike in [0.0, 1e-9, 1e-3] {
                let found = widest(&first, &second, f64::INFINITY, alike).unwrap();
                assert!((room(found.normal) - found.gap).abs() < 1e-9, "{case} {found:?}");
                assert!(found.gap >= most - 2.0 * alike - 1e-9, "{case} {found:?} {most}");
            }
            if most > 1e-9 {
                assert_eq!(widest(&first, &second, 0.5 * most, 0.0), None);
            }
        }
    }
}
