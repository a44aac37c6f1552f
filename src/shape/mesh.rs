//! Triangle meshes: what a container's file holds. Sibling files read them
//! (`read/`), generate them (`generate.rs`), check that they enclose a solid
//! (`closed.rs`) and write them (`write.rs`).

use serde::{Deserialize, Serialize};

use super::Aabb;
use super::weld::weld;
use crate::math::{DVec3, exact_sum};
use crate::problem::{Problem, Result};

/// Triangles over shared vertices, counter-clockwise seen from outside.
///
/// ```
/// use riprap::{math::DVec3, shape::Mesh};
/// let cube = Mesh::cuboid(DVec3::ZERO, DVec3::splat(2.0));
/// assert_eq!((cube.vertices.len(), cube.triangles.len()), (8, 12));
/// assert_eq!((cube.volume(), cube.area()), (8.0, 24.0));
/// assert!(cube.check_closed().is_ok());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "MeshText")]
pub struct Mesh {
    /// The corners of the triangles.
    pub vertices: Vec<DVec3>,
    /// Each names three vertices.
    pub triangles: Vec<[u32; 3]>,
}

/// A mesh as it is written: not yet known to fit together.
#[derive(Deserialize)]
struct MeshText {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl TryFrom<MeshText> for Mesh {
    type Error = Problem;

    fn try_from(MeshText { vertices, triangles }: MeshText) -> Result<Self> {
        let exists = |k: &u32| (*k as usize) < vertices.len();
        match triangles.iter().flatten().all(exists) && vertices.iter().all(|v| v.is_finite()) {
            true => Ok(Mesh { vertices, triangles }),
            false => Err(Problem::new("a mesh does not fit together")
                .help("triangles name vertices that exist, and coordinates are finite")),
        }
    }
}

impl Mesh {
    /// The mesh of some triangles, each given by its corners; exactly equal
    /// corners become one vertex.
    pub fn from_triangles(triangles: &[[DVec3; 3]]) -> Self {
        let (vertices, indices) = weld(triangles.iter().flatten().copied());
        let (triangles, _) = indices.as_chunks::<3>();
        Mesh { vertices, triangles: triangles.to_vec() }
    }

    /// The corners of all triangles, in order.
    pub fn corners(&self) -> impl ExactSizeIterator<Item = [DVec3; 3]> + '_ {
        self.triangles.iter().map(|triangle| triangle.map(|index| self.vertices[index as usize]))
    }

    /// What rounding makes of its coordinates.
    pub(super) fn rounding(&self) -> f64 {
        let largest = self.vertices.iter().map(|v| v.abs().max_element());
        64.0 * f64::EPSILON * largest.fold(0.0, f64::max)
    }

    /// The box around all vertices.
    pub fn bounds(&self) -> Aabb {
        Aabb::from_points(self.vertices.iter().copied())
    }

    /// The enclosed volume, negative if the triangles are clockwise seen from outside.
    pub fn volume(&self) -> f64 {
        // Heights over a point of the mesh lose fewer digits than heights over the origin.
        let origin = self.vertices.first().copied().unwrap_or_default();
        let spans = self.corners().map(|corners| corners.map(|corner| corner - origin));
        exact_sum(spans.map(|[a, b, c]| a.dot(b.cross(c)) / 6.0))
    }

    /// The area of all triangles.
    pub fn area(&self) -> f64 {
        exact_sum(self.corners().map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()))
    }

    /// The mesh enlarged by a positive factor about the origin.
    pub fn scaled(mut self, factor: f64) -> Self {
        for vertex in &mut self.vertices {
            *vertex *= factor;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_corners_become_one_vertex() {
        let mesh = Mesh::from_triangles(&[
            [DVec3::X, DVec3::Y, DVec3::ZERO],
            [-DVec3::ZERO, DVec3::Y, DVec3::Z],
        ]);
        assert_eq!(mesh.vertices, [DVec3::X, DVec3::Y, DVec3::ZERO, DVec3::Z]);
        assert_eq!(mesh.triangles, [[0, 1, 2], [2, 1, 3]]);
        assert_eq!(mesh.bounds(), Aabb { min: DVec3::ZERO, max: DVec3::ONE });
    }

    #[test]
    fn an_empty_mesh_measures_nothing() {
        let mesh = Mesh::default();
        assert_eq!((mesh.volume(), mesh.area(), mesh.bounds()), (0.0, 0.0, Aabb::EMPTY));
    }

    proptest! {
        #[test]
        fn measures_scale_and_do_not_depend_on_the_place(
            x in -1e3..1e3, y in -1e3..1e3, factor in 0.1..10.0,
        ) {
            let corner = DVec3::new(x, y, 7.0);
            let mesh = Mesh::cuboid(corner, corner + DVec3::new(1.0, 2.0, 3.0)).scaled(factor);
            let rounding = 1e-12 * factor.powi(3) * corner.length();
            prop_assert!((mesh.volume() - 6.0 * factor.powi(3)).abs() < rounding);
            prop_assert!((mesh.area() - 22.0 * factor.powi(2)).abs() < rounding * 22.0);
        }
    }
}
