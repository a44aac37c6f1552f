//! STL, text and binary. Normals are ignored: the order of the corners says
//! the same, and files in the wild get them wrong.

use super::Triangles;
use super::words::Words;
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use std::path::Path;

/// A title that nobody reads, and the number of triangles.
const HEADER_BYTES: usize = 84;
/// A normal and three corners of 12 bytes each, and two bytes of attributes.
const TRIANGLE_BYTES: usize = 50;

pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Triangles> {
    // A title may begin with "solid" too, so the length has the first word.
    match announced_triangles(bytes) {
        Some(count) if binary_length(count) == bytes.len() as u64 => read_binary(path, bytes),
        _ if looks_like_text(bytes) => read_text(path, bytes),
        Some(count) => Err(Problem::new(format!(
            "the mesh announces {count} triangles, which is a file of {} bytes, but has {} bytes",
            binary_length(count),
            bytes.len()
        ))
        .in_file(path)
        .help("the file is cut off, or it is not STL")),
        None => Err(Problem::new(format!("{} bytes are too few for a mesh", bytes.len()))
            .in_file(path)
            .help("a text file begins with \"solid\", a binary one has a header of 84 bytes")),
    }
}

fn looks_like_text(bytes: &[u8]) -> bool {
    let first_word = bytes.trim_ascii_start().get(..5).unwrap_or_default();
    first_word.eq_ignore_ascii_case(b"solid") && !bytes.contains(&0)
}

fn announced_triangles(bytes: &[u8]) -> Option<u32> {
    let count = bytes.get(HEADER_BYTES - 4..HEADER_BYTES)?;
    Some(u32::from_le_bytes(count.try_into().ok()?))
}

fn binary_length(triangles: u32) -> u64 {
    HEADER_BYTES as u64 + TRIANGLE_BYTES as u64 * u64::from(triangles)
}

fn read_binary(path: &Path, bytes: &[u8]) -> Result<Triangles> {
    let (records, _) = bytes[HEADER_BYTES..].as_chunks::<TRIANGLE_BYTES>();
    let mut triangles = Vec::with_capacity(records.len());
    for (index, record) in records.iter().enumerate() {
        let (numbers, _) = record[12..48].as_chunks::<4>();
        let (corners, _) = numbers.as_chunks::<3>();
        let coordinate = |bytes: [u8; 4]| f64::from(f32::from_le_bytes(bytes));
        let [a, b, c] = [0, 1, 2].map(|k| DVec3::from_array(corners[k].map(coordinate)));
        if let Some(corner) = [a, b, c].iter().find(|corner| !corner.is_finite()) {
            let message = format!("triangle {index} (counted from 0) has the corner {corner}");
            return Err(Problem::new(message).in_file(path).help("coordinates are finite numbers"));
        }
        triangles.push([a, b, c]);
    }
    Ok(triangles)
}

/// One or more of: `solid`, facets, `endsolid`.
fn read_text(path: &Path, bytes: &[u8]) -> Result<Triangles> {
    let text = String::from_utf8_lossy(bytes);
    let mut words = Words::new(path, &text);
    let mut triangles = Vec::new();
    while words.clone().next().is_some() {
        words.expect_keyword("solid")?;
        words.skip_line();
        loop {
            let word = words.expect("\"facet\" or \"endsolid\"")?;
            match word.text.to_ascii_lowercase().as_str() {
                "facet" => triangles.push(read_facet(&mut words)?),
                "endsolid" => break words.skip_line(),
                other => {
                    let message = format!("\"facet\" or \"endsolid\" is expected, not \"{other}\"");
                    return Err(words.problem(word, message));
                }
            }
        }
    }
    Ok(triangles)
}

/// What comes after `facet`, up to and including `endfacet`.
fn read_facet(words: &mut Words) -> Result<[DVec3; 3]> {
    words.expect_keyword("normal")?;
    for _ in 0..3 {
        words.expect("a number")?;
    }
    words.expect_keyword("outer")?;
    words.expect_keyword("loop")?;
    let mut corners = [DVec3::ZERO; 3];
    for corner in &mut corners {
        words.expect_keyword("vertex")?;
        *corner = DVec3::new(words.coordinate()?, words.coordinate()?, words.coordinate()?);
    }
    words.expect_keyword("endloop")?;
    words.expect_keyword("endfacet")?;
    Ok(corners)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{read_bytes, refusal, tetrahedron};
    use super::*;
    use crate::shape::Mesh;

    const FACET: &str = "facet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  vertex 0 1 0\n endloop\nendfacet\n";

    fn refused(text: &str) -> (String, Option<(usize, usize)>) {
        refusal("a.stl", text.as_bytes())
    }

    fn binary(title: &str, announced: u32, corners: &[[f32; 3]]) -> Vec<u8> {
        let mut bytes = title.as_bytes().to_vec();
        bytes.resize(80, 0);
        bytes.extend(announced.to_le_bytes());
        for triangle in corners.chunks(3) {
            bytes.extend([0; 12]);
            bytes.extend(triangle.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    const CORNERS: [[f32; 3]; 3] = [[0.0, 0.0, 0.1], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    #[test]
    fn the_length_tells_binary_from_text() {
        for title in ["", "solid but binary"] {
            let mesh = read_bytes("a.stl", &binary(title, 1, &CORNERS)).unwrap();
            assert_eq!(mesh.vertices[0], DVec3::new(0.0, 0.0, f64::from(0.1_f32)));
            assert_eq!(mesh.triangles, [[0, 1, 2]]);
        }
    }

    #[test]
    fn text_may_hold_several_solids_in_any_case_with_any_name() {
        let upper = format!("  SOLID\n{}ENDSOLID", FACET.to_uppercase());
        let nan_normal = FACET.replace("0 0 1\n outer", "-nan(ind) nan x\n outer");
        let text = format!(
            "solid caf\u{e9} facet\n{FACET}endsolid\n{upper}\nsolid\n{nan_normal}endsolid solid\n\n"
        );
        let latin_1: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
        for bytes in [text.as_bytes(), &latin_1] {
            let mesh = read_bytes("a.stl", bytes).unwrap();
            assert_eq!((mesh.vertices.len(), mesh.triangles), (3, vec![[0, 1, 2]; 3]));
        }
    }

    #[test]
    fn text_problems_point_at_the_word() {
        let solid = |facet: &str| refused(&format!("solid\n{facet}endsolid\n"));
        let bad = FACET.replace("vertex 1 0 0", "vertex 1 O 0");
        assert_eq!(solid(&bad), ("a number is expected, not \"O\"".into(), Some((5, 12))));
        let endless = FACET.replace("vertex 1 0 0", "vertex 1 0 NaN");
        assert_eq!(solid(&endless), ("the coordinate NaN is not finite".into(), Some((5, 14))));
        let square = FACET.replace(" endloop", "  vertex 0 0 1\n endloop");
        assert_eq!(
            solid(&square),
            ("\"endloop\" is expected, not \"vertex\"".into(), Some((7, 3)))
        );
        let (message, place) = solid("face\n");
        assert_eq!(message, "\"facet\" or \"endsolid\" is expected, not \"face\"");
        assert_eq!(place, Some((2, 1)));
        let (message, place) = refused(&format!("solid\n{FACET}"));
        assert_eq!(message, "\"facet\" or \"endsolid\" is expected, but here is the end");
        assert_eq!(place, Some((8, 9)));
        assert_eq!(refused("solid\nendsolid\nrubbish").0, "\"solid\" is expected, not \"rubbish\"");
    }

    #[test]
    fn binary_problems_name_the_triangle_or_the_length() {
        let mut corners = CORNERS;
        corners[1][2] = f32::NAN;
        let (message, _) = refusal("a.stl", &binary("", 1, &corners));
        assert_eq!(message, "triangle 0 (counted from 0) has the corner [1, 0, NaN]");
        let (message, _) = refusal("a.stl", &binary("solid", 4_000_000_000, &CORNERS));
        let expected = "the mesh announces 4000000000 triangles, which is a file of 200000000084 bytes, but has 134 bytes";
        assert_eq!(message, expected);
        assert_eq!(refusal("a.stl", b"").0, "0 bytes are too few for a mesh");
        assert_eq!(refusal("a.stl", b"<html>").0, "6 bytes are too few for a mesh");
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.stl");
        let third = tetrahedron().scaled(1.0 / 3.0);
        third.write_stl_text(&path).unwrap();
        assert_eq!(Mesh::read(&path), Ok(third));
        tetrahedron().write_stl_binary(&path).unwrap();
        assert_eq!(Mesh::read(&path), Ok(tetrahedron()));
    }
}
