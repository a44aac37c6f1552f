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
    pub face: u32,
    pub point: DVec3,
    pub distance: f64,
}

/// The closed surface (3D) or closed polygon (2D) around the free space, normals pointing out of it.
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

    pub fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }
}

/// For each face, the sums of the normals around its corners (weighted by the
/// angle that each face has there) and on both sides of its edges.
fn side_normals(faces: &[Face], normals: &[DVec3]) -> (Vec<[DVec3; 3]>, Vec<[DVec3; 3]>) {
    let (vertices, indices) = weld(faces.iter().flat_map(|face| face.corners.iter().copied()));
    let mut at_vertex = vec![DVec3::ZERO; vertices.len()];
    let mut at_edge: HashMap<[u32; 2], DVec3> = HashMap::new();
    let ends = |corners: &[u32], k: usize| {
        let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
        [a.min(b), a.max(b)]
    };

    let mut rest = &indices[..];
    for (face, &normal) in faces.iter().zip(normals) {
        let (corners, others) = rest.split_at(face.corners.len());
        rest = others;
        for k in 0..corners.len() {
            at_vertex[corners[k] as usize] += corner_angle(face, k) * normal;
            *at_edge.entry(ends(corners, k)).or_default() += normal;
        }
    }

    let mut rest = &indices[..];
    let mut sums = (Vec::with_capacity(faces.len()), Vec::with_capacity(faces.len()));
    for face in faces {
        let (corners, others) = rest.split_at(face.corners.len());
        rest = others;
        let (mut around_corners, mut beside_edges) = ([DVec3::ZERO; 3], [DVec3::ZERO; 3]);
        for k in 0..corners.len() {
            around_corners[k] = at_vertex[corners[k] as usize];
            beside_edges[k] = at_edge[&ends(corners, k)];
        }
        sums.0.push(around_corners);
        sums.1.push(beside_edges);
    }
    sums
}

/// The angle of a triangle at a corner; the two segments that meet at a corner count alike.
fn corner_angle(face: &Face, k: usize) -> f64 {
    let [_, _, _] = face.corners[..] else { return 1.0 };
    let corner = |i: usize| face.corners[i % 3];
    let (next, previous) = (corner(k + 1) - corner(k), corner(k + 2) - corner(k));
    next.cross(previous).length().atan2(next.dot(previous))
}
