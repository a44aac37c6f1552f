//! The one convex type: a polygon of the plane z = 0 (2D) or a polyhedron (3D).
//! A point (the core of a ball), a segment and a triangle in space (a piece of
//! surface) are polytopes, too.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::facet::{edges_of, hull_facets};
use super::hull::hull_triangles;
use super::meet::side_of_line;
use super::{Aabb, Facet, MassProperties, Mesh};
use crate::math::{DMat3, DQuat, DVec3};
use crate::problem::{Problem, Result};

/// The convex hull of some corners, with what bounds it.
///
/// ```
/// use riprap::{math::DVec3, shape::Polytope};
/// let square = Polytope::polygon(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]);
/// assert_eq!((square.facets().len(), square.is_flat()), (4, true));
/// assert_eq!(square.support(DVec3::X), 2.0);
/// let cube = Polytope::cuboid(DVec3::splat(2.0))?;
/// assert_eq!((cube.corners().len(), cube.edges().len(), cube.facets().len()), (8, 12, 6));
/// assert_eq!(cube.half_size(), Some(DVec3::ONE));
/// # Ok::<(), riprap::Problem>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "PolytopeText", into = "PolytopeText")]
pub struct Polytope {
    corners: Vec<DVec3>,
    facets: Vec<Facet>,
    edges: Arc<[[u32; 2]]>,
    bounds: Aabb,
    half_size: Option<DVec3>,
}

impl Polytope {
    /// A single point: with a rounding radius, a ball.
    pub fn point(at: DVec3) -> Self {
        Polytope::new(vec![at], Vec::new(), [])
    }

    /// The segment between two points in space: with a rounding radius, a capsule.
    pub fn segment(a: DVec3, b: DVec3) -> Self {
        Polytope::new(vec![a, b], Vec::new(), [[0, 1]])
    }

    /// A triangle in space: a piece of surface without volume.
    pub fn triangle(corners: [DVec3; 3]) -> Self {
        let facets = vec![Facet::new(&corners, [0, 1, 2]), Facet::new(&corners, [0, 2, 1])];
        Polytope::new(corners.to_vec(), facets, [[0, 1], [0, 2], [1, 2]])
    }

    /// A convex polygon in the plane, its corners counter-clockwise: trusted to be so. Two
    /// corners make a segment of the plane with two sides.
    pub fn polygon(corners: &[[f64; 2]]) -> Self {
        let n = corners.len();
        let corners: Vec<DVec3> = corners.iter().map(|[x, y]| DVec3::new(*x, *y, 0.0)).collect();
        let side = |k: usize| Facet::new(&corners, [k as u32, ((k + 1) % n) as u32]);
        let facets = (0..n).map(side).collect();
        Polytope::new(corners, facets, [])
    }

    /// The hull of points in space, by exact predicates. Triangles in one plane become one facet.
    ///
    /// ```
    /// use riprap::{math::DVec3, shape::{Mesh, Polytope}};
    /// let cube = Polytope::hull(&Mesh::cuboid(DVec3::ZERO, DVec3::ONE).vertices)?;
    /// assert!(cube.facets().iter().all(|facet| facet.corners.len() == 4));
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn hull(points: &[DVec3]) -> Result<Self> {
        let (corners, triangles) = hull_triangles(points)?;
        let (corners, facets) = hull_facets(&corners, &triangles, 0.0);
        Ok(Polytope::solid(corners, facets))
    }

    /// The hull of points that are rounded: what is flat up to a tolerance is one facet.
    pub(super) fn rough_hull(points: &[DVec3], tolerance: f64) -> Result<Self> {
        let (corners, triangles) = hull_triangles(points)?;
        let (corners, facets) = hull_facets(&corners, &triangles, tolerance);
        Ok(Polytope::solid(corners, facets))
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
        Ok(Polytope::polygon(&corners))
    }

    /// A polyhedron whose facets are known to close it.
    pub(super) fn solid(corners: Vec<DVec3>, facets: Vec<Facet>) -> Self {
        let edges = edges_of(&facets);
        Polytope::new(corners, facets, edges)
    }

    fn new(corners: Vec<DVec3>, facets: Vec<Facet>, edges: impl Into<Arc<[[u32; 2]]>>) -> Self {
        let edges = edges.into();
        let mut made = Polytope { corners, facets, edges, bounds: Aabb::EMPTY, half_size: None };
        made.measure();
        made
    }

    /// Finds what follows from the corners alone.
    fn measure(&mut self) {
        self.bounds = Aabb::from_points(self.corners.iter().copied());
        let Aabb { min, max } = self.bounds;
        let off = (min + max).abs().max_element();
        let about_origin = off <= 4.0 * f64::EPSILON * max.abs().max_element();
        self.half_size = (about_origin && self.is_cuboid()).then_some(max);
    }

    /// Whether the corners are those of the box around them.
    fn is_cuboid(&self) -> bool {
        let Aabb { min, max } = self.bounds;
        let mut seen = 0_u8;
        for corner in self.corners.iter().take(8) {
            let (low, high) = (corner.cmpeq(min), corner.cmpeq(max));
            if !(low | high).all() {
                return false;
            }
            seen |= 1 << high.bitmask();
        }
        self.corners.len() == 8 && seen == u8::MAX
    }

    /// The corners, in no special order (of a polygon, counter-clockwise).
    pub fn corners(&self) -> &[DVec3] {
        &self.corners
    }

    /// The sides: of a polygon its edges, of a polyhedron polygons; a point and a segment have none.
    pub fn facets(&self) -> &[Facet] {
        &self.facets
    }

    /// The edges in space, every one once; none of a polygon, whose edges are its facets.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The smallest axis-parallel box around it.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Whether this is a polygon of the plane.
    pub fn is_flat(&self) -> bool {
        self.facets.first().is_some_and(|facet| facet.corners.len() == 2)
    }

    /// Half the sides of a box about the origin, parallel to the axes; `None` of all else
    /// (of a rectangle, too).
    pub fn half_size(&self) -> Option<DVec3> {
        self.half_size
    }

    /// How far it reaches in a direction: the largest value of `direction . corner`.
    pub fn support(&self, direction: DVec3) -> f64 {
        self.corners.iter().map(|c| c.dot(direction)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The least value of `direction . corner`.
    pub fn least_along(&self, direction: DVec3) -> f64 {
        self.corners.iter().map(|c| c.dot(direction)).fold(f64::INFINITY, f64::min)
    }

    /// The same elsewhere.
    pub fn moved(self, by: DVec3) -> Self {
        let corners = self.corners.iter().map(|corner| *corner + by).collect();
        Polytope::new(corners, self.facets, self.edges)
    }

    /// The same, all lengths multiplied by a positive factor.
    pub fn scaled(&self, factor: f64) -> Self {
        let corners = self.corners.iter().map(|corner| *corner * factor).collect();
        Polytope::new(corners, self.facets.clone(), self.edges.clone())
    }

    /// The same turned about the origin and then moved; a polygon stays in its plane.
    ///
    /// ```
    /// use riprap::{math::{DQuat, DVec3}, shape::Polytope};
    /// let cube = Polytope::cuboid(DVec3::ONE)?.placed(DVec3::Z, DQuat::from_rotation_z(0.5));
    /// assert_eq!((cube.bounds().max.z, cube.half_size()), (1.5, None));
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn placed(&self, position: DVec3, rotation: DQuat) -> Self {
        let mut placed = self.clone();
        placed.place(self, position, rotation);
        placed
    }

    /// As [`Polytope::placed`], into a copy of `from` that was made before.
    pub fn place(&mut self, from: &Self, position: DVec3, rotation: DQuat) {
        let keep = if from.is_flat() { DVec3::new(1.0, 1.0, 0.0) } else { DVec3::ONE };
        for (corner, c) in self.corners.iter_mut().zip(&from.corners) {
            *corner = (rotation * *c) * keep + position;
        }
        for (facet, f) in self.facets.iter_mut().zip(&from.facets) {
            facet.normal = rotation * f.normal;
        }
        self.measure();
    }

    /// The same with its corners, and with its normals, taken elsewhere by matrices.
    pub(crate) fn carried(&self, to: DVec3, corners: &DMat3, normals: &DMat3) -> Self {
        let corners: Vec<DVec3> = self.corners.iter().map(|c| to + *corners * *c).collect();
        let facet = |f: &Facet| Facet { normal: *normals * f.normal, corners: f.corners.clone() };
        let facets = self.facets.iter().map(facet).collect();
        let bounds = Aabb::from_points(corners.iter().copied());
        Polytope { corners, facets, edges: self.edges.clone(), bounds, half_size: None }
    }

    /// Volume (of a polygon: area), centre and inertia; nothing of what has no volume.
    pub fn mass(&self) -> MassProperties {
        if self.is_flat() {
            let outline: Vec<[f64; 2]> = self.corners.iter().map(|c| [c.x, c.y]).collect();
            return MassProperties::of_loops([outline.as_slice()]);
        }
        match self.is_cuboid() {
            true => MassProperties::of_box(self.bounds.size()).moved(self.bounds.centre()),
            false => MassProperties::of_mesh(&self.mesh()),
        }
    }

    /// The surface of a polyhedron, its facets cut into triangles; empty for a polygon.
    pub fn mesh(&self) -> Mesh {
        Mesh {
            vertices: self.corners.clone(),
            triangles: self.facets.iter().flat_map(|facet| facet.fan()).collect(),
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

/// How a polytope is written: what it keeps, normals bit for bit.
#[derive(Serialize, Deserialize)]
struct PolytopeText {
    corners: Vec<DVec3>,
    facets: Vec<Facet>,
    edges: Arc<[[u32; 2]]>,
}

impl From<Polytope> for PolytopeText {
    fn from(polytope: Polytope) -> Self {
        let Polytope { corners, facets, edges, .. } = polytope;
        PolytopeText { corners, facets, edges }
    }
}

impl TryFrom<PolytopeText> for Polytope {
    type Error = Problem;

    fn try_from(text: PolytopeText) -> Result<Self> {
        let PolytopeText { corners, facets, edges } = text;
        let exists = |k: &u32| (*k as usize) < corners.len();
        let flat = facets.first().is_some_and(|facet| facet.corners.len() == 2);
        let fits = |facet: &Facet| {
            let count = facet.corners.len();
            count >= 2 && (count == 2) == flat && facet.corners.iter().all(exists)
        };
        if corners.is_empty()
            || !facets.iter().all(fits)
            || !edges.iter().flatten().all(exists)
            || !corners.iter().all(|corner| corner.is_finite())
            || !facets.iter().all(|facet| facet.normal.is_finite())
        {
            return Err(Problem::new("a polytope does not fit together").help(
                "facets (all of two corners, or all of more) and edges name corners that exist, and numbers are finite",
            ));
        }
        Ok(Polytope::new(corners, facets, edges))
    }
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

    /// Corners, edges and facets of a closed convex surface: V - E + F = 2.
    fn is_eulers(polytope: &Polytope) -> bool {
        let ends = polytope.corners().len() + polytope.facets().len();
        ends == polytope.edges().len() + 2
    }

    #[test]
    fn a_cube_has_twelve_edges() {
        let cube = Polytope::hull(&Mesh::cuboid(DVec3::ZERO, DVec3::ONE).vertices).unwrap();
        assert_eq!((cube.corners().len(), cube.facets().len(), cube.edges().len()), (8, 6, 12));
        assert_eq!(cube.mass().volume, 1.0);
    }

    #[test]
    fn points_inside_and_on_sides_are_left_out() {
        let mut points = Mesh::cuboid(DVec3::ZERO, DVec3::splat(2.0)).vertices;
        points.extend([DVec3::ONE, DVec3::new(1.0, 1.0, 0.0), DVec3::new(1.0, 0.0, 0.0)]);
        assert_eq!(Polytope::hull(&points).unwrap().corners().len(), 8);
        let flat = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [1.0, 1.0]];
        assert_eq!(Polytope::flat_hull(&flat).unwrap().corners().len(), 4);
    }

    #[test]
    fn flat_points_have_no_hull() {
        let line = [[0.0, 0.0], [1.0, 1.0], [3.0, 3.0]];
        assert!(Polytope::flat_hull(&line).unwrap_err().message.contains("on one line"));
        assert!(Polytope::flat_hull(&[[f64::NAN, 0.0]]).unwrap_err().message.contains("NaN"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn a_hull_holds_its_points(seed: u64, count in 4..40_usize) {
            let points = cloud(seed, count);
            let hull = Polytope::hull(&points).unwrap();
            for facet in hull.facets() {
                let on = hull.corners()[facet.corners[0] as usize];
                for point in &points {
                    prop_assert!((*point - on).dot(facet.normal) < 1e-12);
                }
            }
            prop_assert!(is_eulers(&hull));
            prop_assert!(hull.mesh().check_closed().is_ok());
        }

        /// Many exact coincidences: points of a small grid.
        #[test]
        fn a_hull_of_grid_points_is_closed(
            points in prop::collection::vec([0..3, 0..3, 0..3], 4..20),
        ) {
            let points: Vec<DVec3> =
                points.into_iter().map(|p| DVec3::from_array(p.map(f64::from))).collect();
            if let Ok(hull) = Polytope::hull(&points) {
                prop_assert!(hull.mesh().check_closed().is_ok() && is_eulers(&hull));
                for facet in hull.facets() {
                    let on = hull.corners()[facet.corners[0] as usize];
                    for point in &points {
                        prop_assert!((*point - on).dot(facet.normal) < 1e-12);
                    }
                }
            }
        }

        /// Turned by rounded numbers, the sides of a box are still polygons.
        #[test]
        fn a_hull_of_a_turned_box_has_six_facets(x in -3.0..3.0, y in -3.0..3.0, z in -3.0..3.0) {
            let turn = DQuat::from_scaled_axis(DVec3::new(x, y, z));
            let cuboid = Polytope::cuboid(DVec3::new(1.0, 0.3, 2.0)).unwrap();
            let hull = Polytope::hull(cuboid.placed(DVec3::new(y, z, x), turn).corners()).unwrap();
            prop_assert_eq!((hull.facets().len(), hull.edges().len()), (6, 12));
            prop_assert!(is_eulers(&hull) && hull.mesh().check_closed().is_ok());
            let placed = cuboid.placed(DVec3::new(y, z, x), turn);
            for facet in placed.facets() {
                let found = hull.facets().iter().any(|f| (f.normal - facet.normal).length() < 1e-12);
                prop_assert!(found);
            }
        }

        /// Written and read again, every bit is the same.
        #[test]
        fn text_keeps_every_bit(seed: u64) {
            let turn = DQuat::from_scaled_axis(cloud(seed, 1)[0]);
            let hull = Polytope::hull(&cloud(seed, 12)).unwrap().placed(DVec3::X / 3.0, turn);
            let text = serde_json::to_string(&hull).unwrap();
            prop_assert_eq!(serde_json::from_str::<Polytope>(&text).unwrap(), hull);
        }
    }

    #[test]
    fn only_boxes_about_the_origin_have_half_sizes() {
        let size = DVec3::new(0.1, 0.7, 3.0);
        let cuboid = Polytope::cuboid(size).unwrap();
        assert_eq!(cuboid.half_size(), Some(0.5 * size));
        assert_eq!(cuboid.scaled(2.0).half_size(), Some(size));
        assert_eq!(cuboid.clone().moved(DVec3::X).half_size(), None);
        assert_eq!(cuboid.placed(DVec3::ZERO, DQuat::from_rotation_x(0.1)).half_size(), None);
        assert_eq!(Polytope::rectangle(1.0, 2.0).unwrap().half_size(), None);
        assert_eq!(Polytope::prism(4, 1.0, 1.0).half_size(), None);
    }

    #[test]
    fn text_that_does_not_fit_together_is_refused() {
        let read = |text: &str| serde_json::from_str::<Polytope>(text).is_ok();
        let point = |corners: &str, facets: &str, edges: &str| {
            read(&format!("{{\"corners\":[{corners}],\"facets\":[{facets}],\"edges\":[{edges}]}}"))
        };
        let facet = |corners: &str| format!("{{\"normal\":[0,0,1],\"corners\":[{corners}]}}");
        assert!(point("[0,0,0]", "", ""));
        assert!(point("[0,0,0],[1,0,0]", &facet("0,1"), "[0,1]"));
        assert!(!point("", "", ""));
        assert!(!point("[0,0,null]", "", ""));
        assert!(!point("[0,0,0],[1,0,0]", &facet("0"), ""));
        assert!(!point("[0,0,0],[1,0,0]", &facet("0,2"), ""));
        assert!(!point("[0,0,0],[1,0,0]", "", "[0,2]"));
    }
}
