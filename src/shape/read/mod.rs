//! Reading meshes from files: one file per format. Nothing in a file is
//! believed: every count is checked against what is there, and every problem
//! names the file and, in text formats, points at the word.

mod obj;
mod ply;
mod stl;
mod words;

use super::Mesh;
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use std::path::Path;

type Triangles = Vec<[DVec3; 3]>;

impl Mesh {
    /// Reads .stl (text or binary), .obj or .ply (text or binary); equal vertices are merged.
    /// Polygons are split into triangles around their first corner.
    pub fn read(path: &Path) -> Result<Mesh> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let read = match ending.as_str() {
            "stl" => stl::read,
            "obj" => obj::read,
            "ply" => ply::read,
            _ => {
                return Err(Problem::new(format!("the mesh has the unknown ending \"{ending}\""))
                    .in_file(path)
                    .help("meshes are read from .stl, .obj and .ply files"));
            }
        };
        let bytes = std::fs::read(path).map_err(|error| {
            Problem::new(format!("the mesh cannot be read: {error}")).in_file(path)
        })?;
        let triangles = read(path, &bytes)?;
        if triangles.is_empty() {
            return Err(Problem::new("there are no triangles in the mesh").in_file(path));
        }
        Ok(Mesh::from_triangles(&triangles))
    }
}

/// The triangles of a polygon, all around its first corner.
fn fan<T: Copy>(corners: &[T]) -> impl Iterator<Item = [T; 3]> + '_ {
    (1..corners.len().saturating_sub(1)).map(|k| [corners[0], corners[k], corners[k + 1]])
}
