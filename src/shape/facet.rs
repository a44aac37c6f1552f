//! The sides of a polytope, and how the triangles of a hull become polygons.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::UnionFind;
use super::meet::{is_degenerate, side_of_plane};
use crate::math::DVec3;

/// Triangles of a hull whose normals differ by less than this lie in one plane:
/// what rounding makes of a flat polygon that was turned, and nothing that a person means.
const SAME_NORMAL: f64 = 1e-12;

/// A side of a polytope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facet {
    /// The unit normal, outward.
    pub normal: DVec3,
    /// The corners by number, counter-clockwise seen from outside; of a polygon
    /// in the plane, the two ends of an edge. A polytope shares them with its copies elsewhere.
    pub corners: Arc<[u32]>,
}

impl Facet {
    /// The side with these of the corners: two, or a polygon in space.
    pub(super) fn new(corners: &[DVec3], own: impl Into<Arc<[u32]>>) -> Self {
        let own = own.into();
        let at = |k: usize| corners[own[k] as usize];
        let area: DVec3 = match own.len() {
            2 => (at(1) - at(0)).cross(DVec3::Z),
            n => (1..n - 1).map(|k| (at(k) - at(0)).cross(at(k + 1) - at(0))).sum(),
        };
        Facet { normal: unit(area), corners: own }
    }

    /// The facet as triangles of corners; none if it is an edge.
    pub fn fan(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        let rest = self.corners.get(1..).unwrap_or_default();
        rest.windows(2).map(|pair| [self.corners[0], pair[0], pair[1]])
    }

    /// The sides of a facet that is a polygon in space, in order.
    pub(super) fn sides(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let next = self.corners.iter().cycle().skip(1);
        self.corners.iter().zip(next).map(|(&a, &b)| [a, b])
    }
}

/// The vector at length one. A division, so that what is along an axis has no rounding.
pub(super) fn unit(vector: DVec3) -> DVec3 {
    let length = vector.length();
    if length > 0.0 && length.is_finite() { vector / length } else { DVec3::ZERO }
}

/// The sides of facets in space, every one once, in ascending order.
pub(super) fn edges_of(facets: &[Facet]) -> Vec<[u32; 2]> {
    let sides = facets.iter().flat_map(Facet::sides).map(|[a, b]| [a.min(b), a.max(b)]);
    sides.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The corners and facets of a hull that is given by triangles: those in one plane, up to a
/// tolerance, become one polygon, and points on straight edges or flat sides are no corners.
pub(super) fn hull_facets(
    corners: &[DVec3],
    triangles: &[[u32; 3]],
    tolerance: f64,
) -> (Vec<DVec3>, Vec<Facet>) {
    let mut loops: Vec<Vec<u32>> = Vec::new();
    for group in in_one_plane(corners, triangles, tolerance) {
        match outline(corners, &group, tolerance) {
            Some(outline) => loops.push(outline),
            None => loops.extend(group.iter().map(|triangle| triangle.to_vec())),
        }
    }
    let straight = straight_corners(corners, &loops);
    loops.iter_mut().for_each(|corners| corners.retain(|k| !straight.contains(k)));
    let used: Vec<u32> =
        loops.iter().flatten().collect::<BTreeSet<_>>().into_iter().copied().collect();
    let place = |k: u32| used.partition_point(|&u| u < k) as u32;
    let kept: Vec<DVec3> = used.iter().map(|&k| corners[k as usize]).collect();
    let facet =
        |own: &Vec<u32>| Facet::new(&kept, own.iter().map(|&k| place(k)).collect::<Vec<_>>());
    let facets = loops.iter().map(facet).collect();
    (kept, facets)
}

/// Triangles that hang together in one plane, in the order of their first ones.
fn in_one_plane(corners: &[DVec3], triangles: &[[u32; 3]], tolerance: f64) -> Vec<Vec<[u32; 3]>> {
    let at = |triangle: [u32; 3]| triangle.map(|k| corners[k as usize]);
    let normal = |triangle: [u32; 3]| {
        let [a, b, c] = at(triangle);
        unit((b - a).cross(c - a))
    };
    let mut sides: Vec<([u32; 2], usize)> = Vec::new();
    for (index, &[a, b, c]) in triangles.iter().enumerate() {
        sides.extend([[a, b], [b, c], [c, a]].map(|[p, q]| ([p.min(q), p.max(q)], index)));
    }
    sides.sort_unstable();
    let mut planes = UnionFind::new(triangles.len());
    for both in sides.chunk_by(|a, b| a.0 == b.0) {
        let &[(_, one), (_, two)] = both else { continue };
        let [first, second] = [triangles[one], triangles[two]];
        let exactly = || at(second).iter().all(|c| side_of_plane(at(first), *c) == 0.0);
        // A sliver has no plane of its own: the larger triangle says where it is.
        let is_near = |plane: [u32; 3], other: [u32; 3]| {
            let (up, [start, ..]) = (normal(plane), at(plane));
            at(other).iter().all(|c| up.dot(*c - start).abs() <= tolerance)
        };
        let nearly = || tolerance > 0.0 && (is_near(first, second) || is_near(second, first));
        if (normal(first) - normal(second)).length() < SAME_NORMAL || exactly() || nearly() {
            planes.union(one, two);
        }
    }
    let mut groups: BTreeMap<usize, Vec<[u32; 3]>> = BTreeMap::new();
    for (index, triangle) in triangles.iter().enumerate() {
        groups.entry(planes.find(index)).or_default().push(*triangle);
    }
    groups.into_values().collect()
}

/// The corners around triangles of one plane; `None` if these do not make one polygon, or if a
/// corner is not in the plane, up to the tolerance; one in their midst would be lost.
fn outline(corners: &[DVec3], group: &[[u32; 3]], tolerance: f64) -> Option<Vec<u32>> {
    let sides: BTreeSet<[u32; 2]> =
        group.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    let rim = sides.iter().filter(|[a, b]| !sides.contains(&[*b, *a]));
    let rim: Vec<[u32; 2]> = rim.copied().collect();
    let next: BTreeMap<u32, u32> = rim.iter().map(|&[a, b]| (a, b)).collect();
    let (&start, _) = next.first_key_value()?;
    let mut around = vec![start];
    let mut at = *next.get(&start)?;
    while at != start && around.len() < rim.len() {
        around.push(at);
        at = *next.get(&at)?;
    }
    let plane = group[0].map(|k| corners[k as usize]);
    // Of many, the mean: they may bend away from each other bit by bit.
    let spans = group.iter().map(|t| t.map(|k| corners[k as usize]));
    let up = unit(spans.map(|[a, b, c]| (b - a).cross(c - a)).sum());
    let stays = |k: &u32| match tolerance > 0.0 {
        true => up.dot(corners[*k as usize] - plane[0]).abs() <= 2.0 * tolerance,
        false => next.contains_key(k) || side_of_plane(plane, corners[*k as usize]) == 0.0,
    };
    let whole = at == start && around.len() == rim.len() && next.len() == rim.len();
    (whole && group.iter().flatten().all(stays)).then_some(around)
}

/// Corners of two facets only, exactly between their neighbours.
fn straight_corners(corners: &[DVec3], loops: &[Vec<u32>]) -> BTreeSet<u32> {
    let mut facets_at = vec![0; corners.len()];
    loops.iter().flatten().for_each(|&k| facets_at[k as usize] += 1);
    let mut straight = BTreeSet::new();
    for own in loops {
        for (place, &k) in own.iter().enumerate() {
            let [before, after] = [own.len() - 1, 1].map(|step| own[(place + step) % own.len()]);
            let line = [before, k, after].map(|k| corners[k as usize]);
            if facets_at[k as usize] == 2 && is_degenerate(line) {
                straight.insert(k);
            }
        }
    }
    straight
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Polytope;

    #[test]
    fn points_that_came_first_are_no_corners_on_sides_and_edges() {
        // The middle of a side and of an edge before the corners of the box.
        let mut points = vec![DVec3::new(1.0, 1.0, 0.0), DVec3::new(1.0, 0.0, 0.0), DVec3::X];
        points.extend(crate::shape::Mesh::cuboid(DVec3::ZERO, DVec3::splat(2.0)).vertices);
        let cube = Polytope::hull(&points).unwrap();
        assert_eq!((cube.corners().len(), cube.facets().len(), cube.edges().len()), (8, 6, 12));
    }

    #[test]
    fn normals_along_axes_are_exact() {
        for length in [49.0, 0.1, 1e-3, 7e5] {
            assert_eq!(unit(length * DVec3::Y), DVec3::Y);
        }
        assert_eq!(unit(DVec3::ZERO), DVec3::ZERO);
    }
}
