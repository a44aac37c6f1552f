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
