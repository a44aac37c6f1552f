//! Closed triangle meshes.
use crate::math::DVec3;
use crate::problem::Result;
/// Triangles over shared vertices, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    pub vertices: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
}
impl Mesh {
    /// Reads .stl (text or binary), .obj or .ply (text or binary); equal vertices are merged.
    pub fn read(_path: &std::path::Path) -> Result<Mesh> {
        todo!()
    }
    /// An error unless the mesh is the closed, outward-oriented, non-self-touching surface of a solid.
    pub fn check_closed(&self) -> Result<()> {
        todo!()
    }
    pub fn cuboid(_min: DVec3, _max: DVec3) -> Mesh {
        todo!()
    }
    pub fn profile(_corners: &[[f64; 2]], _sides: usize) -> Mesh {
        todo!()
    }
    pub fn volume(&self) -> f64 {
        todo!()
    }
}
