//! Writing meshes as STL, the format that everything reads.

use super::{Face, Mesh};
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use std::fmt::Write;
use std::path::Path;

impl Mesh {
    /// Writes binary STL: small, but coordinates are rounded to single precision.
    pub fn write_stl_binary(&self, path: &Path) -> Result<()> {
        let Ok(count) = u32::try_from(self.triangles.len()) else {
            let message = format!("{} triangles are too many for binary STL", self.triangles.len());
            return Err(Problem::new(message).in_file(path).help("write text instead"));
        };
        let mut bytes = b"triangles of a mesh".to_vec();
        bytes.resize(80, b' ');
        bytes.extend(count.to_le_bytes());
        for corners in self.corners() {
            for vector in [normal(corners), corners[0], corners[1], corners[2]] {
                bytes.extend(vector.to_array().iter().flat_map(|&x| (x as f32).to_le_bytes()));
            }
            bytes.extend([0, 0]);
        }
        write(path, &bytes)
    }

    /// Writes text STL with 17 significant digits: reading it back gives the same coordinates.
    ///
    /// ```no_run
    /// # use riprap::{math::DVec3, shape::Mesh};
    /// let cube = Mesh::cuboid(DVec3::ZERO, DVec3::ONE);
    /// cube.write_stl_text("cube.stl".as_ref())?;
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn write_stl_text(&self, path: &Path) -> Result<()> {
        let mut text = "solid mesh\n".to_string();
        for corners in self.corners() {
            let _ = writeln!(text, "facet normal {}\n outer loop", digits(normal(corners)));
            for corner in corners {
                let _ = writeln!(text, "  vertex {}", digits(corner));
            }
            text += " endloop\nendfacet\n";
        }
        text += "endsolid mesh\n";
        write(path, text.as_bytes())
    }
}

fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    Face::triangle(a, b, c).normal()
}

fn digits(DVec3 { x, y, z }: DVec3) -> String {
    format!("{x:.16e} {y:.16e} {z:.16e}")
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes)
        .map_err(|error| Problem::new(format!("the mesh cannot be written: {error}")).in_file(path))
}
