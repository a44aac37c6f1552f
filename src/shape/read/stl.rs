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
