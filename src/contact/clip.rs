//! Two convex polyhedra: the facet or pair of edges that separates them most,
//! and, over a facet, the facing facet of the other one cut to its sides. Both
//! are placed in the frame of the world; who calls says how much a facet is
//! preferred and how much rounding the sides forgive.

use crate::math::DVec3;
use crate::shape::{Facet, Polytope};

/// Edges whose directions differ by less than this sine are parallel.
const PARALLEL: f64 = 1e-6;

/// The plane through an edge of each polyhedron may cut off this part of the edges' lengths:
/// rounding of coordinates.
const CUTS_OFF: f64 = 1e-12;

/// An edge that runs along a facet but for this sine runs to either side of it: rounding.
const CROSSES: f64 = 1e-9;

/// What separates two polyhedra.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Axis {
    /// A facet of the first, by its number.
    FacetOfFirst(usize),
    /// A facet of the second, by its number.
    FacetOfSecond(usize),
    /// An edge of each, by its number.
    Edges([usize; 2]),
}

/// The largest separation of two polyhedra.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Separation {
    /// What separates them.
    pub axis: Axis,
    /// Unit vector from the second to the first.
    pub normal: DVec3,
    /// Negative if they overlap.
    pub gap: f64,
    /// Of two facets that separate alike, which one to cut to is a matter of taste: the other.
    pub alike: Option<usize>,
}

/// A point of the facing facet, and how far it is from the facet that it was cut to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spot {
    /// On the facing facet.
    pub at: DVec3,
    /// Along the normal of the facet that it was cut to.
    pub gap: f64,
}

/// The largest separation of two polyhedra; none if it is beyond `reach`. A pair of edges must
/// separate by `prefer` more than any facet; facets whose separations differ by no more are alike.
pub(crate) fn widest(
    first: &Polytope,
    second: &Polytope,
    reach: f64,
    prefer: f64,
) -> Option<Separation> {
    let (one, at_one) = widest_facet(first, second);
    let (two, at_two) = widest_facet(second, first);
    let most = one.max(two);
    if most > reach {
        return None;
    }
    if let Some(edges) = widest_edges(first, second, most).filter(|e| e.gap > most + prefer) {
        return (edges.gap <= reach).then_some(edges);
    }
    let is_alike = (one - two).abs() <= prefer;
    Some(match one >= two {
        true => Separation {
            axis: Axis::FacetOfFirst(at_one),
            normal: -first.facets()[at_one].normal,
            gap: one,
            alike: is_alike.then_some(at_two),
        },
        false => Separation {
            axis: Axis::FacetOfSecond(at_two),
            normal: second.facets()[at_two].normal,
            gap: two,
            alike: is_alike.then_some(at_one),
        },
    })
}

/// The largest separation of `other` from a facet of `own`, and the facet.
pub(crate) fn widest_facet(own: &Polytope, other: &Polytope) -> (f64, usize) {
    let mut best = (f64::NEG_INFINITY, 0);
    for (index, facet) in own.facets().iter().enumerate() {
        let at = own.corners()[facet.corners[0] as usize];
        let separation = other.least_along(facet.normal) - facet.normal.dot(at);
        if separation > best.0 {
            best = (separation, index);
        }
    }
    best
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
                    best = Some(Separation { axis: Axis::Edges([i, j]), normal, gap, alike: None });
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
pub(crate) fn ends(polytope: &Polytope, edge: [u32; 2]) -> [DVec3; 2] {
    edge.map(|k| polytope.corners()[k as usize])
}

/// The points where two edges come closest.
pub(crate) fn nearest_points([a, a1]: [DVec3; 2], [b, b1]: [DVec3; 2]) -> [DVec3; 2] {
    let (u, v, w) = (a1 - a, b1 - b, b - a);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let determinant = uu * vv - uv * uv;
    let s = (w.dot(u) * vv - w.dot(v) * uv) / determinant;
    let t = (w.dot(u) * uv - w.dot(v) * uu) / determinant;
    [a + u * s.clamp(0.0, 1.0), b + v * t.clamp(0.0, 1.0)]
}

/// The facet of a polyhedron that faces a direction most.
pub(crate) fn facing(polytope: &Polytope, normal: DVec3) -> Option<&Facet> {
    let along = |facet: &Facet| facet.normal.dot(normal);
    polytope.facets().iter().min_by(|a, b| along(a).total_cmp(&along(b)))
}

/// Cuts facets to each other. It keeps its memory, so that many cuts need no new one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clipper {
    polygon: Vec<DVec3>,
    kept: Vec<DVec3>,
}

impl Clipper {
    /// The part of the facing facet of `other` over a facet of `own`; of a segment or a point,
    /// that of itself. A corner counts as over the facet this far beyond its sides, in lengths
    /// of the side.
    pub fn cut_to_facet(
        &mut self,
        own: &Polytope,
        facet: usize,
        other: &Polytope,
        beyond: f64,
    ) -> impl Iterator<Item = Spot> {
        let reference = &own.facets()[facet];
        self.polygon.clear();
        match facing(other, reference.normal) {
            Some(incident) => {
                self.polygon.extend(incident.corners.iter().map(|&k| other.corners()[k as usize]));
            }
            None => self.polygon.extend_from_slice(other.corners()),
        }
        let corner = |k: &u32| own.corners()[*k as usize];
        let next = reference.corners.iter().cycle().skip(1);
        for (start, end) in reference.corners.iter().map(corner).zip(next.map(corner)) {
            let inwards = reference.normal.cross(end - start).normalize_or_zero();
            self.cut(start, inwards, beyond * (end - start).length());
        }
        let (origin, normal) = (corner(&reference.corners[0]), reference.normal);
        self.polygon.iter().map(move |&at| Spot { at, gap: normal.dot(at - origin) })
    }

    /// Keeps the part of the polygon (or segment, or point) on the inner side of a plane.
    fn cut(&mut self, at: DVec3, inwards: DVec3, tolerance: f64) {
        self.kept.clear();
        let count = self.polygon.len();
        for (k, &here) in self.polygon.iter().enumerate() {
            let d = inwards.dot(here - at);
            if d >= -tolerance {
                self.kept.push(here);
            }
            if count < 3 && k + 1 == count {
                break; // a segment has no way back
            }
            let next = self.polygon[(k + 1) % count];
            let e = inwards.dot(next - at);
            if (d > tolerance && e < -tolerance) || (d < -tolerance && e > tolerance) {
                self.kept.push(here.lerp(next, d / (d - e)));
            }
        }
        std::mem::swap(&mut self.polygon, &mut self.kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{DQuat, Random};

    #[test]
    fn a_segment_is_cut_once_at_either_side() {
        let cube = Polytope::cuboid(DVec3::splat(2.0)).unwrap();
        let top = cube.facets().iter().position(|f| f.normal == DVec3::Z).unwrap();
        let wire = Polytope::segment(DVec3::new(-3.0, 0.5, 1.5), DVec3::new(3.0, 0.5, 2.5));
        let mut clipper = Clipper::default();
        let mut spots: Vec<Spot> = clipper.cut_to_facet(&cube, top, &wire, 0.0).collect();
        spots.sort_by(|a, b| a.gap.total_cmp(&b.gap));
        let [one, two] = spots[..] else { panic!("{spots:?}") };
        assert!(one.at.distance(DVec3::new(-1.0, 0.5, 1.0 + 5.0 / 6.0)) < 1e-15);
        assert!((two.gap - 7.0 / 6.0).abs() < 1e-15);
        let point = Polytope::point(DVec3::new(0.0, 2.0, 0.0));
        assert_eq!(clipper.cut_to_facet(&cube, top, &point, 0.0).count(), 0);
    }

    /// No direction separates more than the one that was found, and none that is offered lies.
    #[test]
    fn the_widest_axis_is_the_widest_of_all_directions() {
        let random = &mut Random::new(4);
        let mut vector =
            |size: f64| DVec3::from_array(std::array::from_fn(|_| random.between(-size, size)));
        for _ in 0..300 {
            let cloud: Vec<DVec3> = (0..8).map(|_| vector(1.0)).collect();
            let first = Polytope::hull(&cloud).unwrap();
            let turn = DQuat::from_scaled_axis(vector(2.0));
            let second = first.placed(vector(3.0), turn);
            let found = widest(&first, &second, f64::INFINITY, 0.0).unwrap();
            let along = |n: DVec3| first.least_along(n) + second.least_along(-n);
            assert!((along(found.normal) - found.gap).abs() < 1e-9, "{found:?}");
            if found.gap < 0.0 {
                // The least way out of an overlap is along the normal of a facet or of two edges.
                for _ in 0..100 {
                    assert!(along(vector(1.0).normalize()) < found.gap + 1e-12);
                }
            }
        }
    }
}
