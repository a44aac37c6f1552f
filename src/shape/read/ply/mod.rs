//! PLY, text and binary of both byte orders. The header says what the file
//! holds; of that, the coordinates of the vertices and the corners of the
//! faces are kept and all else is skipped.

mod body;
mod header;

use super::words::{Words, text_of};
use super::{Triangles, fan};
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use body::{Body, Row, whole};
use header::{Element, Format, Property, header_length, read_header};
use std::path::Path;

pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Triangles> {
    let (header, body) = bytes.split_at(header_length(path, bytes)?);
    let (format, elements) = read_header(path, &String::from_utf8_lossy(header))?;
    let text;
    let mut body = match format {
        Format::Text => {
            text = text_of(path, bytes)?;
            let mut words = Words::new(path, &text);
            header.iter().filter(|&&byte| byte == b'\n').for_each(|_| words.skip_line());
            Body::Text { words, row_start: 0 }
        }
        Format::LittleEndian => Body::Binary { path, rest: body, big_endian: false },
        Format::BigEndian => Body::Binary { path, rest: body, big_endian: true },
    };

    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let vertex_rows =
        elements.iter().filter(|element| element.name == "vertex").map(|element| element.rows);
    let announced = vertex_rows.fold(0, u64::saturating_add);
    for element in &elements {
        match element.name.as_str() {
            "vertex" => vertices.extend(read_vertices(path, element, &mut body)?),
            "face" => triangles.extend(read_faces(path, element, announced, &mut body)?),
            _ => skip_rows(element, &mut body)?,
        }
    }
    Ok(triangles.iter().map(|triangle| triangle.map(|index| vertices[index])).collect())
}

fn read_vertices(path: &Path, element: &Element, body: &mut Body) -> Result<Vec<DVec3>> {
    let columns = ["x", "y", "z"].map(|name| {
        let column = element
            .properties
            .iter()
            .position(|property| property.name == name && property.length.is_none());
        column.ok_or_else(|| {
            Problem::new(format!("the vertices have no coordinate {name}")).in_file(path)
        })
    });
    let [x, y, z] = columns;
    let (x, y, z) = (x?, y?, z?);
    let mut vertices = Vec::new();
    let mut row = Row::default();
    for index in 0..element.rows {
        body.read_row(element, &mut row)?;
        let vertex = DVec3::new(row.scalar(x), row.scalar(y), row.scalar(z));
        if !vertex.is_finite() {
            let message = format!("vertex {index} (counted from 0) is at {vertex}");
            return Err(body.problem(message).help("coordinates are finite numbers"));
        }
        vertices.push(vertex);
    }
    Ok(vertices)
}

/// The triangles of all faces as numbers of vertices, each below `vertex_count`.
fn read_faces(
    path: &Path,
    element: &Element,
    vertex_count: u64,
    body: &mut Body,
) -> Result<Vec<[usize; 3]>> {
    let is_corners = |property: &Property| {
        matches!(property.name.as_str(), "vertex_indices" | "vertex_index")
            && property.length.is_some()
    };
    let Some(column) = element.properties.iter().position(is_corners) else {
        return Err(Problem::new("the faces have no list vertex_indices").in_file(path));
    };
    let mut triangles = Vec::new();
    let mut row = Row::default();
    for index in 0..element.rows {
        body.read_row(element, &mut row)?;
        let corners = row.list(column);
        if corners.len() < 3 {
            let message = format!("face {index} (counted from 0) has {} corners", corners.len());
            return Err(body.problem(message).help("a face has at least three"));
        }
        let is_vertex = |&&number: &&f64| whole(number).is_some_and(|number| number < vertex_count);
        if let Some(number) = corners.iter().find(|number| !is_vertex(number)) {
            let message = format!("face {index} (counted from 0) refers to vertex {number}");
            return Err(body
                .problem(message)
                .help(format!("there are {vertex_count} vertices, counted from 0")));
        }
        triangles.extend(fan(corners).map(|triangle| triangle.map(|number| number as usize)));
    }
    Ok(triangles)
}

fn skip_rows(element: &Element, body: &mut Body) -> Result<()> {
    // Rows without properties take no room in the file, however many there are.
    let rows = if element.properties.is_empty() { 0 } else { element.rows };
    let mut row = Row::default();
    for _ in 0..rows {
        body.read_row(element, &mut row)?;
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::{read_bytes, refusal, tetrahedron};

    /// With everything that is to be skipped: comments, other properties and elements.
    fn header(format: &str) -> String {
        format!(
            "ply\nformat {format} 1.0\ncomment element vertex 9\nobj_info none\nelement material 2\nproperty list uint8 char name\n\
             element vertex 4\nproperty uchar red\nproperty double x\nproperty float32 y\nproperty int16 z\n\
             element face 4\nproperty list uchar float uv\nproperty list ushort int vertex_indices\nproperty uint id\n\
             element nothing 99999999999999\nend_header\n"
        )
    }

    pub(in super::super) fn text_sample() -> String {
        let body = "3 65 66 67\n0\n200 0 0 0\n200 1 0 0\n200 0 1.0 0\n200 0 0 1\n0 3 0 2 1 7\n1 0.5 3 0 1 3 7\n0 3 1 2 3 7\n0 3 2 0 3 7\n";
        header("ascii") + body
    }

    pub(in super::super) fn binary_sample(big_endian: bool) -> Vec<u8> {
        let format = if big_endian { "binary_big_endian" } else { "binary_little_endian" };
        let mut bytes = header(format).replace('\n', "\r\n").into_bytes();
        let mut put = |number: &[u8]| {
            // The numbers come in little-endian order.
            let mut number = number.to_vec();
            if big_endian {
                number.reverse();
            }
            bytes.extend(number);
        };
        for byte in [3, 65, 66, 67, 0] {
            put(&[byte]);
        }
        for (x, y, z) in [(0.0_f64, 0.0_f32, 0_i16), (1.0, 0.0, 0), (0.0, 1.0, 0), (0.0, 0.0, 1)] {
            put(&[200]);
            put(&x.to_le_bytes());
            put(&y.to_le_bytes());
            put(&z.to_le_bytes());
        }
        for corners in [[0_i32, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] {
            put(&[1]);
            put(&0.5_f32.to_le_bytes());
            put(&3_u16.to_le_bytes());
            corners.iter().for_each(|corner| put(&corner.to_le_bytes()));
            put(&u32::MAX.to_le_bytes());
        }
        bytes
    }

    fn refused(text: &str) -> (String, Option<(usize, usize)>) {
        refusal("a.ply", text.as_bytes())
    }

    #[test]
    fn faces_may_come_first_and_be_polygons() {
        let text = "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_index\nelement vertex 4\n\
            property float x\nproperty float y\nproperty float z\nend_header\n4 0 1 2 3\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n";
        let mesh = read_bytes("a.ply", text.as_bytes()).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn every_cut_of_a_binary_file_is_noticed() {
        let whole = binary_sample(true);
        assert_eq!(read_bytes("a.ply", &whole), Ok(tetrahedron()));
        let (message, _) = refusal("a.ply", &whole[..whole.len() - 1]);
        assert_eq!(message, "the mesh is cut off");
    }

    #[test]
    fn headers_that_make_no_sense_are_refused() {
        assert_eq!(refused("plx\n").0, "the mesh does not begin with \"ply\"");
        assert_eq!(refused("ply\nformat ascii 1.0\n").0, "the header of the mesh has no end");
        assert_eq!(refused("ply\nend_header\n").0, "the header of the mesh has no format");
        let line = |line: &str| refused(&format!("ply\n{line}\nend_header\n"));
        assert_eq!(
            line("format ebcdic 1.0"),
            ("the format \"ebcdic\" is not known".into(), Some((2, 8)))
        );
        assert_eq!(
            line("property int x"),
            ("this property belongs to no element".into(), Some((2, 1)))
        );
        assert_eq!(
            line("elements x 1"),
            ("\"elements\" is not known in a header".into(), Some((2, 1)))
        );
        assert_eq!(line("element x -1"), ("\"-1\" is not a number of rows".into(), Some((2, 11))));
        assert_eq!(
            line("element x"),
            ("a number of rows is expected, but here is the end".into(), Some((2, 10)))
        );
        let property = line("element x 1\nproperty list int128 int x");
        assert_eq!(property, ("the type \"int128\" is not known".into(), Some((3, 15))));
    }

    #[test]
    fn coordinates_and_corners_must_be_there() {
        let sample = text_sample();
        let no_z = sample.replace("int16 z", "int16 Z");
        assert_eq!(refused(&no_z).0, "the vertices have no coordinate z");
        let no_corners = sample.replace("vertex_indices", "corners");
        assert_eq!(refused(&no_corners).0, "the faces have no list vertex_indices");
    }

    #[test]
    fn rows_that_make_no_sense_are_refused() {
        let changed = |from: &str, to: &str| {
            let sample = text_sample();
            assert!(sample.contains(from));
            refused(&sample.replace(from, to))
        };
        assert_eq!(
            changed("200 0 1.0 0", "200 0 inf 0"),
            ("vertex 2 (counted from 0) is at [0, inf, 0]".into(), Some((22, 1)))
        );
        assert_eq!(
            changed("200 0 1.0 0", "200 0 one 0"),
            ("a number is expected, not \"one\"".into(), Some((22, 7)))
        );
        for number in ["4", "-1", "0.5", "nan"] {
            let (message, place) = changed("0 3 1 2 3 7", &format!("0 3 1 2 {number} 7"));
            assert!(message.starts_with("face 2 (counted from 0) refers to vertex "), "{message}");
            assert_eq!(place, Some((26, 1)));
        }
        assert_eq!(
            changed("0 3 1 2 3 7", "0 2 1 2 7"),
            ("face 2 (counted from 0) has 2 corners".into(), Some((26, 1)))
        );
        assert_eq!(
            changed("0 3 1 2 3 7", "0 -3 1 2 3 7"),
            ("the list vertex_indices has the length -3".into(), Some((26, 1)))
        );
        let sample = text_sample();
        let cut = sample.trim_end().trim_end_matches('7');
        assert_eq!(
            refused(cut),
            ("a number is expected, but here is the end".into(), Some((27, 10)))
        );
    }

    #[test]
    fn a_huge_list_takes_no_memory_before_it_is_seen() {
        let (message, _) = refused(&text_sample().replace("0 3 1 2 3 7", "0 4294967295 1 2 3 7"));
        assert_eq!(message, "a number is expected, but here is the end");
    }
}
