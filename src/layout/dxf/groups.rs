//! The groups of a DXF file: a line with a code, a line with a value. Files are
//! bytes in whatever encoding; names and numbers are ASCII.

use std::ops::Range;

use crate::problem::{Problem, Result};

#[derive(Clone, Debug)]
pub struct Group<'t> {
    pub code: i32,
    pub value: &'t str,
    /// Of the value in the file.
    pub range: Range<usize>,
}

/// All groups of a file.
pub fn groups(bytes: &[u8]) -> Result<Vec<Group<'_>>> {
    if bytes.starts_with(b"AutoCAD Binary DXF") {
        return Err(Problem::new("the drawing is a binary DXF").help("save it as ASCII DXF"));
    }
    let mut lines = Lines { bytes, at: 0, number: 0 };
    let mut found = Vec::new();
    while let Some(code) = lines.next() {
        let number = lines.number;
        // An empty line at the end is no group.
        let Some(value) = lines.next() else { break };
        let text = std::str::from_utf8(&bytes[code]).unwrap_or_default();
        let code = text.parse::<i32>().map_err(|_| {
            Problem::new(format!("line {number} is no group code"))
                .help("an ASCII DXF has a number in every other line")
        })?;
        // Texts in other encodings are not looked at.
        let text = std::str::from_utf8(&bytes[value.clone()]).unwrap_or_default();
        found.push(Group { code, value: text, range: value });
    }
    Ok(found)
}

struct Lines<'t> {
    bytes: &'t [u8],
    at: usize,
    number: usize,
}

impl Iterator for Lines<'_> {
    type Item = Range<usize>;

    /// The next line, without the spaces around it.
    fn next(&mut self) -> Option<Range<usize>> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let start = self.at;
        let rest = &self.bytes[start..];
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at = start + length + 1;
        self.number += 1;
        let line = &rest[..length];
        let left = line.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let right = line.iter().rev().take_while(|b| b.is_ascii_whitespace()).count();
        Some(start + left..(start + length - right).max(start + left))
    }
}

/// A number of a group.
pub fn number(group: &Group) -> Result<f64> {
    group.value.parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(|| {
        let shown: String = group.value.chars().filter(|c| !c.is_control()).take(20).collect();
        Problem::new(format!("\"{shown}\" is not a coordinate"))
            .help("coordinates are finite numbers")
    })
}
