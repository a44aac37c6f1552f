//! The boundary of a container: convex faces in a tree, and the sign of the
//! distance to them. A point is inside if it lies behind the face, edge or
//! corner closest to it; at edges and corners "behind" is measured with the
//! angle-weighted sum of the normals that meet there (Baerentzen and Aanaes 2005).

use super::face::Feature;
use super::weld::weld;
use super::{Aabb, Bvh, Face, Mesh};
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use std::collections::HashMap;

/// The closest point of a boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The number of the face it lies on.
    pub face: u32,
    /// Where it is.
    pub point: DVec3,
    /// How far it is from the point that was asked for.
    pub distance: f64,
}

/// The closed surface (3D) or closed polygon (2D) around the free space,
/// normals pointing out of it.
///
/// ```
/// use riprap::{math::DVec3, shape::Boundary};
/// let square = Boundary::from_polygon(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]);
/// assert!(square.contains(DVec3::new(1.0, 0.5, 0.0)));
/// let nearest = square.nearest(DVec3::new(1.0, 0.5, 0.0)).unwrap();
/// assert_eq!((nearest.face, nearest.distance), (0, 0.5));
/// assert_eq!(square.normal(nearest.face), DVec3::NEG_Y);
/// ```
#[derive(Clone, Debug)]
pub struct Boundary {
    faces: Vec<Face>,
    normals: Vec<DVec3>,
    tree: Bvh,
    /// For each face, the normals that decide the side at its corners and at its edges.
    corner_normals: Vec<[DVec3; 3]>,
    edge_normals: Vec<[DVec3; 3]>,
}

/// No boundary at all: an open scene.
impl Default for Boundary {
    fn default() -> Self {
        Boundary::new(Vec::new())
    }
}

/// Two boundaries are equal if their faces are: all else follows from these.
impl PartialEq for Boundary {
    fn eq(&self, other: &Self) -> bool {
        self.faces == other.faces
    }
}

impl Boundary {
    /// The surface of a mesh that has passed [`Mesh::check_closed`].
    pub fn from_mesh(mesh: &Mesh) -> Self {
        let corners = |triangle: &[u32; 3]| triangle.map(|i| mesh.vertices[i as usize]);
        let faces = mesh.triangles.iter().map(corners).map(|[a, b, c]| Face::triangle(a, b, c));
        Boundary::new(faces.collect())
    }

    /// A counter-clockwise polygon that has passed [`check_polygon`](super::check_polygon).
    pub fn from_polygon(corners: &[[f64; 2]]) -> Self {
        let point = |[x, y]: [f64; 2]| DVec3::new(x, y, 0.0);
        let next = corners.iter().cycle().skip(1);
        let faces = corners.iter().zip(next).map(|(&a, &b)| Face::segment(point(a), point(b)));
        Boundary::new(faces.collect())
    }

    /// The boundary with these faces, as [`Boundary::faces`] gave them.
    pub fn from_faces(faces: Vec<Face>) -> Result<Self> {
        for (index, face) in faces.iter().enumerate() {
            let corners = face.corners.len();
            if !(2..=3).contains(&corners) {
                return Err(Problem::new(format!(
                    "face {index} of the boundary has {corners} corners"
                ))
                .help("a face is a segment (2 corners) or a triangle (3 corners)"));
            }
            if corners != faces[0].corners.len() {
                let message =
                    format!("face {index} of the boundary has {corners} corners, face 0 has not");
                return Err(
                    Problem::new(message).help("all faces are segments, or all are triangles")
                );
            }
            if let Some(corner) = face.corners.iter().find(|corner| !corner.is_finite()) {
                return Err(Problem::new(format!(
                    "face {index} of the boundary has the corner {corner}"
                ))
                .help("coordinates are finite numbers"));
            }
        }
        Ok(Boundary::new(faces))
    }

    fn new(faces: Vec<Face>) -> Self {
        let normals: Vec<DVec3> = faces.iter().map(Face::normal).collect();
        let boxes: Vec<Aabb> = faces.iter().map(Face::bounds).collect();
        let (corner_normals, edge_normals) = side_normals(&faces, &normals);
        Boundary { faces, normals, tree: Bvh::new(&boxes), corner_normals, edge_normals }
    }

    /// All faces; a face's number is its place in this list.
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// Outward unit normal of a face.
    pub fn normal(&self, face: u32) -> DVec3 {
        self.normals[face as usize]
    }

    /// The point of the boundary closest to `point`; of equally close faces, the first.
    /// None if there are no faces or the point is not finite.
    pub fn nearest(&self, point: DVec3) -> Option<Nearest> {
        let closest = |face: u32| self.faces[face as usize].closest_point(point);
        let (face, distance) =
            self.tree.nearest(point, f64::INFINITY, |face| closest(face).distance(point))?;
        Some(Nearest { face, point: closest(face), distance })
    }

    /// Appends the faces with a point within `distance` of `point` (by their
    /// boxes: a superset), in ascending order.
    pub fn faces_near(&self, point: DVec3, distance: f64, found: &mut Vec<u32>) {
        self.tree.overlapping(&Aabb::from_sphere(point, distance), found);
    }

    /// Appends the faces whose boxes meet `region`, in ascending order.
    pub fn faces_in(&self, region: &Aabb, found: &mut Vec<u32>) {
        self.tree.overlapping(region, found);
    }

    /// Whether a point lies in the free space or on its boundary.
    pub fn contains(&self, point: DVec3) -> bool {
        let Some(nearest) = self.nearest(point) else { return false };
        let face = nearest.face as usize;
        let (closest, feature) = self.faces[face].closest(point);
        let normal = match feature {
            Feature::Inside => self.normals[face],
            Feature::Edge(k) => self.edge_normals[face][k],
            Feature::Corner(k) => self.corner_normals[face][k],
        };
        (point - closest).dot(normal) <= 0.0
    }

    /// The box around all faces.
    pub fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }
}

/// For each face, the sums of the normals around its corners (weighted by the
/// angle that each face has there) and on both sides of its edges.
fn side_normals(faces: &[Face], normals: &[DVec3]) -> (Vec<[DVec3; 3]>, Vec<[DVec3; 3]>) {
    let (vertices, indices) = weld(faces.iter().flat_map(|face| face.corners.iter().copied()));
    let corner_count = faces.first().map_or(1, |face| face.corners.len());
    let vertices_of_faces = || indices.chunks_exact(corner_count);
    let ends = |corners: &[u32], k: usize| {
        let (a, b) = (corners[k], corners[(k + 1) % corner_count]);
        [a.min(b), a.max(b)]
    };

    let mut at_vertex = vec![DVec3::ZERO; vertices.len()];
    let mut at_edge: HashMap<[u32; 2], DVec3> = HashMap::new();
    for ((face, &normal), corners) in faces.iter().zip(normals).zip(vertices_of_faces()) {
        for k in 0..corner_count {
            at_vertex[corners[k] as usize] += corner_angle(face, k) * normal;
            *at_edge.entry(ends(corners, k)).or_default() += normal;
        }
    }
    let collect = |corners: &[u32]| {
        let (mut around_corners, mut beside_edges) = ([DVec3::ZERO; 3], [DVec3::ZERO; 3]);
        for k in 0..corner_count {
            around_corners[k] = at_vertex[corners[k] as usize];
            beside_edges[k] = at_edge[&ends(corners, k)];
        }
        (around_corners, beside_edges)
    };
    vertices_of_faces().map(collect).unzip()
}

/// The angle of a triangle at a corner; the two segments that meet at a corner count alike.
fn corner_angle(face: &Face, k: usize) -> f64 {
    let [_, _, _] = face.corners[..] else { return 1.0 };
    let corner = |i: usize| face.corners[i % 3];
    let (next, previous) = (corner(k + 1) - corner(k), corner(k + 2) - corner(k));
    next.cross(previous).length().atan2(next.dot(previous))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::f64::consts::{PI, TAU};

    /// How often the faces wind around a point: 1 inside, 0 outside. The sum of
    /// the angles (2D) or solid angles (3D, Van Oosterom and Strackee 1983)
    /// under which the faces are seen.
    fn winding_number(boundary: &Boundary, point: DVec3) -> f64 {
        let angle = |face: &Face| {
            let rays: Vec<DVec3> =
                face.corners.iter().map(|&corner| (corner - point).normalize()).collect();
            match rays[..] {
                [a, b] => a.cross(b).z.atan2(a.dot(b)) / TAU,
                [a, b, c] => {
                    let solid = a.dot(b.cross(c)).atan2(1.0 + a.dot(b) + b.dot(c) + c.dot(a));
                    solid / (2.0 * PI)
                }
                _ => unreachable!(),
            }
        };
        boundary.faces().iter().map(angle).sum()
    }

    fn assert_winding_agrees(boundary: &Boundary, point: DVec3) {
        if boundary.nearest(point).unwrap().distance > 1e-9 {
            let winding = winding_number(boundary, point);
            assert_eq!(
                boundary.contains(point),
                winding > 0.5,
                "{point} has winding number {winding}"
            );
        }
    }

    /// Points where a sign is easily wrong: straight off corners and edges, on both sides.
    fn delicate_points(boundary: &Boundary, away: f64) -> Vec<DVec3> {
        let mut points = Vec::new();
        for face in boundary.faces() {
            let middle = face.corners.iter().sum::<DVec3>() / face.corners.len() as f64;
            for (k, &corner) in face.corners.iter().enumerate() {
                let edge = corner.midpoint(face.corners[(k + 1) % face.corners.len()]);
                for start in [corner, edge, middle] {
                    points.push(start + away * face.normal());
                    points.push(start - away * face.normal());
                    points.push(start + away * (start - middle).normalize_or_zero());
                }
            }
        }
        points
    }

    fn hourglass() -> Mesh {
        Mesh::profile(&[[0.0, 2.0], [1.0, 2.0], [2.0, 0.2], [2.1, 0.2], [4.0, 2.0]], 7)
    }

    fn any_point() -> impl Strategy<Value = DVec3> {
        [-3.0..3.0, -3.0..3.0, -1.0..5.0].prop_map(DVec3::from_array)
    }

    /// Corners around the origin at ascending angles and wild distances.
    fn star() -> impl Strategy<Value = Vec<[f64; 2]>> {
        prop::collection::vec(0.05..3.0, 3..12).prop_map(|radii| {
            let step = TAU / radii.len() as f64;
            let corner = |(k, radius): (usize, &f64)| {
                let (sin, cos) = (step * k as f64).sin_cos();
                [radius * cos, radius * sin]
            };
            radii.iter().enumerate().map(corner).collect()
        })
    }

    proptest! {
        #[test]
        fn inside_is_where_the_faces_wind_around(point in any_point()) {
            assert_winding_agrees(&Boundary::from_mesh(&hourglass()), point);
        }

        #[test]
        fn inside_of_a_polygon_is_where_the_edges_wind_around(
            corners in star(), x in -3.0..3.0, y in -3.0..3.0, away in 0.001..0.5,
        ) {
            let boundary = Boundary::from_polygon(&corners);
            assert_winding_agrees(&boundary, DVec3::new(x, y, 0.0));
            for point in delicate_points(&boundary, away) {
                assert_winding_agrees(&boundary, point);
            }
        }

        #[test]
        fn nearest_is_the_nearest_of_all_faces(point in any_point(), reach in 0.0..2.0) {
            let boundary = Boundary::from_mesh(&hourglass());
            let nearest = boundary.nearest(point).unwrap();
            let distance = |face: &Face| face.closest_point(point).distance(point);
            let least = boundary.faces().iter().map(distance).fold(f64::INFINITY, f64::min);
            prop_assert!((nearest.distance - least).abs() < 1e-14);
            let face = &boundary.faces()[nearest.face as usize];
            prop_assert_eq!(nearest.point, face.closest_point(point));

            let mut near = Vec::new();
            boundary.faces_near(point, reach, &mut near);
            prop_assert!(near.is_sorted());
            for (index, face) in boundary.faces().iter().enumerate() {
                prop_assert!(distance(face) > reach || near.contains(&(index as u32)));
            }
        }
    }

    #[test]
    fn signs_are_right_off_every_corner_and_edge() {
        let bent = [DVec3::ZERO, DVec3::Z, DVec3::new(0.7, 0.2, 1.5), DVec3::new(2.0, 0.0, 1.6)];
        for mesh in [hourglass(), Mesh::tube(&bent, 0.3, 5), spiky()] {
            assert_eq!(mesh.check_closed(), Ok(()));
            let boundary = Boundary::from_mesh(&mesh);
            for away in [1e-6, 0.01, 0.2] {
                for point in delicate_points(&boundary, away) {
                    assert_winding_agrees(&boundary, point);
                }
            }
        }
    }

    /// A needle with a pit in its bottom, and a thin rim in between.
    fn spiky() -> Mesh {
        Mesh::profile(&[[1.5, 0.0], [0.0, 1.0], [0.1, 0.98], [3.0, 0.0]], 5)
    }

    #[test]
    fn a_cavity_is_outside() {
        let mut mesh = Mesh::cuboid(DVec3::ZERO, DVec3::splat(3.0));
        let cavity = Mesh::cuboid(DVec3::ONE, DVec3::splat(2.0));
        mesh.vertices.extend(cavity.vertices);
        mesh.triangles.extend(cavity.triangles.iter().map(|&[a, b, c]| [a + 8, c + 8, b + 8]));
        let boundary = Boundary::from_mesh(&mesh);
        assert!(boundary.contains(DVec3::splat(0.9)));
        assert!(!boundary.contains(DVec3::splat(1.1)));
        assert!(!boundary.contains(DVec3::splat(3.1)));
        assert_eq!(boundary.bounds(), mesh.bounds());
    }

    #[test]
    fn points_on_the_boundary_are_inside() {
        let boundary = Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::ONE));
        for point in [DVec3::ZERO, 0.5 * DVec3::X, DVec3::new(0.5, 0.25, 1.0)] {
            assert!(boundary.contains(point));
            assert_eq!(boundary.nearest(point).unwrap().distance, 0.0);
        }
    }

    #[test]
    fn normals_point_out() {
        let triangle = Boundary::from_polygon(&[[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]]);
        assert_eq!((triangle.normal(0), triangle.normal(2)), (DVec3::NEG_Y, DVec3::NEG_X));
        let cube = Boundary::from_mesh(&Mesh::cuboid(-DVec3::ONE, DVec3::ONE));
        for (face, index) in cube.faces().iter().zip(0..) {
            assert!(face.corners[0].dot(cube.normal(index)) > 0.99);
        }
    }

    #[test]
    fn faces_give_the_same_boundary_back() {
        let boundary = Boundary::from_polygon(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
        let again = Boundary::from_faces(boundary.faces().to_vec()).unwrap();
        assert_eq!(again, boundary);
        let point = DVec3::new(0.2, 0.1, 0.0);
        assert_eq!(again.nearest(point), boundary.nearest(point));
        assert_ne!(again, Boundary::from_polygon(&[[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]]));
    }

    #[test]
    fn faces_that_make_no_sense_are_refused() {
        let refusal = |faces| Boundary::from_faces(faces).unwrap_err().message;
        let segment = Face::segment(DVec3::ZERO, DVec3::X);
        let one = Face { corners: vec![DVec3::X] };
        assert_eq!(refusal(vec![segment.clone(), one]), "face 1 of the boundary has 1 corners");
        let triangle = Face::triangle(DVec3::ZERO, DVec3::X, DVec3::Y);
        let message = "face 1 of the boundary has 3 corners, face 0 has not";
        assert_eq!(refusal(vec![segment, triangle]), message);
        let endless = Face::segment(DVec3::ZERO, DVec3::new(f64::INFINITY, 0.0, 0.0));
        assert_eq!(refusal(vec![endless]), "face 0 of the boundary has the corner [inf, 0, 0]");
    }

    #[test]
    fn an_empty_boundary_is_nowhere() {
        let boundary = Boundary::from_faces(Vec::new()).unwrap();
        assert_eq!(boundary.nearest(DVec3::ZERO), None);
        assert!(!boundary.contains(DVec3::ZERO));
        assert_eq!(boundary.bounds(), Aabb::EMPTY);
    }
}
