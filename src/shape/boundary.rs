//! The boundary of a container.
use super::Mesh;
use crate::math::DVec3;
/// A convex face: a segment in 2D, a triangle in 3D, corners in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    pub corners: Vec<DVec3>,
}
/// The closest point of a boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    pub face: u32,
    pub point: DVec3,
    pub distance: f64,
}
/// The closed surface (3D) or closed polygon (2D) around the free space, normals pointing out of it.
#[derive(Clone, Debug)]
pub struct Boundary {}
impl Boundary {
    pub fn from_mesh(_mesh: &Mesh) -> Self {
        todo!()
    }
    pub fn from_polygon(_corners: &[[f64; 2]]) -> Self {
        todo!()
    }
    pub fn faces(&self) -> &[Face] {
        todo!()
    }
    /// Outward unit normal of a face.
    pub fn normal(&self, _face: u32) -> DVec3 {
        todo!()
    }
    pub fn nearest(&self, _point: DVec3) -> Option<Nearest> {
        todo!()
    }
    /// Faces with a point within `distance` of `point` (by their boxes: a superset), ascending.
    pub fn faces_near(&self, _point: DVec3, _distance: f64, _found: &mut Vec<u32>) {
        todo!()
    }
    pub fn contains(&self, _point: DVec3) -> bool {
        todo!()
    }
    pub fn bounds(&self) -> super::Aabb {
        todo!()
    }
}
impl Face {
    /// The point of this face closest to `point`.
    pub fn closest_point(&self, _point: DVec3) -> DVec3 {
        todo!()
    }
}
