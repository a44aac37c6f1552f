//! The header of a PLY file: the tables that follow and their columns.

use super::super::words::Words;
use crate::problem::{Problem, Result};
use std::path::Path;

/// How a number is stored.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

pub(super) struct Property {
    pub name: String,
    /// How the length is stored, if this is a list.
    pub length: Option<Kind>,
    pub kind: Kind,
}

/// A table: so many rows of the same properties.
pub(super) struct Element {
    pub name: String,
    pub rows: u64,
    pub properties: Vec<Property>,
}

#[derive(Clone, Copy)]
pub(super) enum Format {
    Text,
    LittleEndian,
    BigEndian,
}

/// The number of bytes up to and including the line `end_header`.
pub(super) fn header_length(path: &Path, bytes: &[u8]) -> Result<usize> {
    let problem = |message: &str| {
        Problem::new(message)
            .in_file(path)
            .help("a PLY file begins with \"ply\" and a header that ends with \"end_header\"")
    };
    let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let mut length = match lines.next() {
        Some(first) if first.trim_ascii() == b"ply" => first.len(),
        _ => return Err(problem("the mesh does not begin with \"ply\"")),
    };
    for line in lines {
        length += line.len();
        if line.trim_ascii() == b"end_header" {
            return Ok(length);
        }
    }
    Err(problem("the header of the mesh has no end"))
}

pub(super) fn read_header(path: &Path, header: &str) -> Result<(Format, Vec<Element>)> {
    let mut format = None;
    let mut elements: Vec<Element> = Vec::new();
    for mut line in Words::new(path, header).lines() {
        let Some(word) = line.next() else { continue };
        match word.text {
            "ply" | "comment" | "obj_info" | "end_header" => {}
            "format" => format = Some(read_format(&mut line)?),
            "element" => elements.push(read_element(&mut line)?),
            "property" => match elements.last_mut() {
                Some(element) => element.properties.push(read_property(&mut line)?),
                None => return Err(line.problem(word, "this property belongs to no element")),
            },
            other => {
                return Err(line.problem(word, format!("\"{other}\" is not known in a header")));
            }
        }
    }
    match format {
        Some(format) => Ok((format, elements)),
        None => Err(Problem::new("the header of the mesh has no format").in_file(path)),
    }
}

fn read_format(line: &mut Words) -> Result<Format> {
    let word = line.expect("a format")?;
    match word.text {
        "ascii" => Ok(Format::Text),
        "binary_little_endian" => Ok(Format::LittleEndian),
        "binary_big_endian" => Ok(Format::BigEndian),
        other => Err(line
            .problem(word, format!("the format \"{other}\" is not known"))
            .help("formats are ascii, binary_little_endian and binary_big_endian")),
    }
}

fn read_element(line: &mut Words) -> Result<Element> {
    let name = line.expect("the name of an element")?.text.to_string();
    let word = line.expect("a number of rows")?;
    match word.text.parse() {
        Ok(rows) => Ok(Element { name, rows, properties: Vec::new() }),
        Err(_) => Err(line.problem(word, format!("\"{}\" is not a number of rows", word.text))),
    }
}

fn read_property(line: &mut Words) -> Result<Property> {
    let is_list = line.clone().next().is_some_and(|word| word.text == "list");
    let length = if is_list {
        line.next();
        Some(read_kind(line)?)
    } else {
        None
    };
    let kind = read_kind(line)?;
    Ok(Property { name: line.expect("the name of a property")?.text.to_string(), length, kind })
}

fn read_kind(line: &mut Words) -> Result<Kind> {
    let word = line.expect("a type")?;
    Ok(match word.text {
        "char" | "int8" => Kind::I8,
        "uchar" | "uint8" => Kind::U8,
        "short" | "int16" => Kind::I16,
        "ushort" | "uint16" => Kind::U16,
        "int" | "int32" => Kind::I32,
        "uint" | "uint32" => Kind::U32,
        "float" | "float32" => Kind::F32,
        "double" | "float64" => Kind::F64,
        other => {
            return Err(line
                .problem(word, format!("the type \"{other}\" is not known"))
                .help("types are char, uchar, short, ushort, int, uint, float and double"));
        }
    })
}
