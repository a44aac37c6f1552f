//! A convex piece: the one thing that distances are computed between. In 2D it
//! is a polygon of the plane z = 0, in 3D a polyhedron; a point (the core of a
//! sphere) and a triangle (a piece of surface) are pieces too.

use super::hull::hull_triangles;
use super::meet::{side_of_line, side_of_plane};
use super::{Aabb, Mass, Mesh};
use crate::math::{DQuat, DVec3};
use crate::problem::{Problem, Result};

/// The convex hull of some corners, with what bounds it.
///
/// ```
/// use riprap::{math::DVec3, shape::Convex};
/// let square = Convex::polygon(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]);
/// assert_eq!(square.facets().len(), 4);
/// assert_eq!(square.support(DVec3::X), 2.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Convex {
    corners: Vec<DVec3>,
    facets: Vec<Facet>,
    edges: Vec<[u32; 2]>,
    bounds: Aabb,
}

/// A side of a convex piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Facet {
    /// The unit normal, outward.
    pub normal: DVec3,
    /// Two corners in 2D, three in 3D, counter-clockwise.
    pub corners: Vec<u32>,
}

impl Facet {
    /// The side with these of the corners: two or three.
    fn new(corners: &[DVec3], own: Vec<u32>) -> Self {
        let at = |k: usize| corners[own[k] as usize];
        let across = if own.len() == 2 { DVec3::Z } else { at(2) - at(0) };
        Facet { normal: (at(1) - at(0)).cross(across).normalize_or_zero(), corners: own }
    }
}

impl Convex {
    /// A single point: with a rounding radius, a sphere.
    pub fn point(at: DVec3) -> Self {
        Convex::new(vec![at], Vec::new(), Vec::new())
    }

    /// A convex polygon in the plane, its corners counter-clockwise.
    pub fn polygon(corners: &[[f64; 2]]) -> Self {
        let n = corners.len();
        let corners: Vec<DVec3> = corners.iter().map(|[x, y]| DVec3::new(*x, *y, 0.0)).collect();
        let side = |k: usize| Facet::new(&corners, vec![k as u32, ((k + 1) % n) as u32]);
        let facets = (0..n).map(side).collect();
        Convex::new(corners, facets, Vec::new())
    }

    /// A triangle in space: a piece of surface without volume.
    pub fn triangle(corners: [DVec3; 3]) -> Self {
        let facets = vec![Facet::new(&corners, vec![0, 1, 2]), Facet::new(&corners, vec![0, 2, 1])];
        Convex::new(corners.to_vec(), facets, vec![[0, 1], [0, 2], [1, 2]])
    }

    /// The hull of points in space, by exact predicates.
    pub fn hull(points: &[DVec3]) -> Result<Self> {
        let (corners, triangles) = hull_triangles(points)?;
        let facets = triangles.iter().map(|own| Facet::new(&corners, own.to_vec())).collect();
        let edges = sharp_edges(&corners, &triangles);
        Ok(Convex::new(corners, facets, edges))
    }

    /// The hull of points in the plane, without corners on straight sides.
    pub fn flat_hull(points: &[[f64; 2]]) -> Result<Self> {
        if let Some(bad) = points.iter().find(|p| p.iter().any(|x| !x.is_finite())) {
            return Err(Problem::new(format!("a corner is at {bad:?}"))
                .help("coordinates are finite numbers"));
        }
        let mut sorted = points.to_vec();
        sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        let mut corners = chain(sorted.iter());
        corners.extend(chain(sorted.iter().rev()));
        if corners.len() < 3 {
            return Err(Problem::new("the corners lie on one line")
                .help("a polygon needs three corners that do not"));
        }
        Ok(Convex::polygon(&corners))
    }

    pub fn corners(&self) -> &[DVec3] {
        &self.corners
    }

    pub fn facets(&self) -> &[Facet] {
        &self.facets
    }

    /// The edges at which a polyhedron bends; empty in 2D.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// How far the piece reaches in a direction.
    pub fn support(&self, direction: DVec3) -> f64 {
        self.corners.iter().map(|c| c.dot(direction)).fold(f64::NEG_INFINITY, f64::max)
    }

    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The piece elsewhere.
    pub fn moved(self, by: DVec3) -> Self {
        let corners = self.corners.iter().map(|corner| *corner + by).collect();
        Convex::new(corners, self.facets, self.edges)
    }

    /// The piece, all lengths multiplied by a factor.
    pub fn scaled(&self, factor: f64) -> Self {
        let corners = self.corners.iter().map(|corner| *corner * factor).collect();
        Convex::new(corners, self.facets.clone(), self.edges.clone())
    }

    /// The piece turned about the origin; one that is `flat` stays in the plane z = 0.
    pub fn turned(&self, rotation: DQuat, flat: bool) -> Self {
        let keep = if flat { DVec3::new(1.0, 1.0, 0.0) } else { DVec3::ONE };
        let turned = |corner: &DVec3| (rotation * *corner) * keep;
        let corners: Vec<DVec3> = self.corners.iter().map(turned).collect();
        let facets = self.facets.iter().map(|f| Facet::new(&corners, f.corners.clone())).collect();
        Convex::new(corners, facets, self.edges.clone())
    }

    /// The piece with these corners, sides and edges, as [`Convex::corners`],
    /// [`Convex::facets`] and [`Convex::edges`] gave them.
    pub fn from_parts(
        corners: Vec<DVec3>,
        facets: Vec<Vec<u32>>,
        edges: Vec<[u32; 2]>,
    ) -> Result<Self> {
        let exists = |k: &u32| (*k as usize) < corners.len();
        let fits = !corners.is_empty()
            && corners.iter().all(|corner| corner.is_finite())
            && facets.iter().all(|f| (2..=3).contains(&f.len()) && f.iter().all(exists))
            && edges.iter().flatten().all(exists);
        if !fits {
            return Err(Problem::new("a convex piece does not fit together")
                .help("sides and edges name corners that exist, and corners are finite"));
        }
        let facets = facets.into_iter().map(|own| Facet::new(&corners, own)).collect();
        Ok(Convex::new(corners, facets, edges))
    }

    fn new(corners: Vec<DVec3>, facets: Vec<Facet>, edges: Vec<[u32; 2]>) -> Self {
        let bounds = Aabb::from_points(corners.iter().copied());
        Convex { corners, facets, edges, bounds }
    }

    /// Volume (area in 2D), centre and inertia.
    pub fn mass(&self) -> Mass {
        match self.facets.first().map(|facet| facet.corners.len()) {
            Some(2) => {
                let outline: Vec<[f64; 2]> = self.corners.iter().map(|c| [c.x, c.y]).collect();
                Mass::of_loops([outline.as_slice()])
            }
            Some(_) => Mass::of_mesh(&self.mesh()),
            None => Mass::NOTHING,
        }
    }

    /// The surface of a polyhedron; empty for a polygon.
    pub fn mesh(&self) -> Mesh {
        let triangle = |facet: &Facet| <[u32; 3]>::try_from(facet.corners.as_slice()).ok();
        Mesh {
            vertices: self.corners.clone(),
            triangles: self.facets.iter().filter_map(triangle).collect(),
        }
    }
}

/// One half of the hull of sorted points, without its last point.
fn chain<'a>(points: impl Iterator<Item = &'a [f64; 2]>) -> Vec<[f64; 2]> {
    let mut kept: Vec<[f64; 2]> = Vec::new();
    for &point in points {
        while let [.., a, b] = kept[..] {
            if side_of_line(a, b, point) > 0.0 {
                break;
            }
            kept.pop();
        }
        if kept.last() != Some(&point) {
            kept.push(point);
        }
    }
    kept.pop();
    kept
}

/// Edges whose two triangles do not lie in one plane.
fn sharp_edges(corners: &[DVec3], triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let at = |k: u32| corners[k as usize];
    let mut sides: Vec<([u32; 2], [u32; 3], u32)> = Vec::new();
    for &[a, b, c] in triangles {
        for (p, q, third) in [(a, b, c), (b, c, a), (c, a, b)] {
            sides.push(([p.min(q), p.max(q)], [a, b, c], third));
        }
    }
    sides.sort_unstable();
    let is_sharp = |both: &&[([u32; 2], [u32; 3], u32)]| {
        both.len() == 2 && side_of_plane(both[0].1.map(at), at(both[1].2)) != 0.0
    };
    sides.chunk_by(|a, b| a.0 == b.0).filter(is_sharp).map(|both| both[0].0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use proptest::prelude::*;

    fn cloud(seed: u64, count: usize) -> Vec<DVec3> {
        let random = &mut Random::new(seed);
        let mut number = || random.between(-1.0, 1.0);
        (0..count).map(|_| DVec3::new(number(), number(), number())).collect()
    }

    #[test]
    fn a_cube_has_twelve_edges() {
        let cube = Convex::hull(&Mesh::cuboid(DVec3::ZERO, DVec3::ONE).vertices).unwrap();
        assert_eq!((cube.corners().len(), cube.facets().len(), cube.edges().len()), (8, 12, 12));
        assert_eq!(cube.mass().volume, 1.0);
    }

    #[test]
    fn points_inside_and_on_sides_are_left_out() {
        let mut points = Mesh::cuboid(DVec3::ZERO, DVec3::splat(2.0)).vertices;
        points.extend([DVec3::ONE, DVec3::new(1.0, 1.0, 0.0), DVec3::new(1.0, 0.0, 0.0)]);
        assert_eq!(Convex::hull(&points).unwrap().corners().len(), 8);
        let flat = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [1.0, 1.0]];
        assert_eq!(Convex::flat_hull(&flat).unwrap().corners().len(), 4);
    }

    #[test]
    fn flat_points_have_no_hull() {
        let line = [[0.0, 0.0], [1.0, 1.0], [3.0, 3.0]];
        assert!(Convex::flat_hull(&line).unwrap_err().message.contains("on one line"));
        assert!(Convex::flat_hull(&[[f64::NAN, 0.0]]).unwrap_err().message.contains("NaN"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn a_hull_holds_its_points(seed: u64, count in 4..40_usize) {
            let points = cloud(seed, count);
            let hull = Convex::hull(&points).unwrap();
            for facet in hull.facets() {
                let on = hull.corners()[facet.corners[0] as usize];
                for point in &points {
                    prop_assert!((*point - on).dot(facet.normal) < 1e-12);
                }
            }
            // Euler: closed, and every corner is used.
            let (corners, facets) = (hull.corners().len(), hull.facets().len());
            prop_assert_eq!(facets, 2 * corners - 4);
            prop_assert_eq!(hull.edges().len(), 3 * corners - 6);
            prop_assert!(hull.mesh().check_closed().is_ok());
        }

        /// Many exact coincidences: points of a small grid.
        #[test]
        fn a_hull_of_grid_points_is_closed(
            points in prop::collection::vec([0..3, 0..3, 0..3], 4..20),
        ) {
            let points: Vec<DVec3> =
                points.into_iter().map(|p| DVec3::from_array(p.map(f64::from))).collect();
            if let Ok(hull) = Convex::hull(&points) {
                prop_assert!(hull.mesh().check_closed().is_ok());
                for facet in hull.facets() {
                    let on = hull.corners()[facet.corners[0] as usize];
                    for point in &points {
                        prop_assert!((*point - on).dot(facet.normal) < 1e-12);
                    }
                }
            }
        }
    }
}
