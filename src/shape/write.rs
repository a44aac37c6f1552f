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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_all_digits_and_normals() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.stl");
        let third = DVec3::X / 3.0;
        Mesh::from_triangles(&[[DVec3::ZERO, third, DVec3::Y]]).write_stl_text(&path).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(
            lines[1],
            "facet normal 0.0000000000000000e0 0.0000000000000000e0 1.0000000000000000e0"
        );
        assert_eq!(
            lines[4],
            "vertex 3.3333333333333331e-1 0.0000000000000000e0 0.0000000000000000e0"
        );
        assert_eq!(lines.last(), Some(&"endsolid mesh"));
    }

    #[test]
    fn binary_has_the_length_that_readers_expect() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.stl");
        Mesh::cuboid(DVec3::ZERO, DVec3::ONE).write_stl_binary(&path).unwrap();
        let bytes = std::fs::read(path).unwrap();
        assert_eq!((bytes.len(), &bytes[80..84]), (84 + 12 * 50, &[12, 0, 0, 0][..]));
        assert!(!bytes.starts_with(b"solid"));
    }

    #[test]
    fn a_place_that_cannot_be_written_is_named() {
        for write in [Mesh::write_stl_text, Mesh::write_stl_binary] {
            let problem = write(&Mesh::default(), Path::new("no/such/place.stl")).unwrap_err();
            assert!(problem.message.starts_with("the mesh cannot be written: "), "{problem}");
            assert!(problem.to_string().contains("no/such/place.stl"), "{problem}");
        }
    }
}
