//! The body of a PLY file, row by row, whichever way its numbers are stored.

use super::super::words::Words;
use super::header::{Element, Kind};
use crate::problem::{Problem, Result};
use std::path::Path;

/// What is left of the body.
pub(super) enum Body<'a> {
    Text { words: Words<'a>, row_start: usize },
    Binary { path: &'a Path, rest: &'a [u8], big_endian: bool },
}

/// The numbers of one row; a scalar is a list of one.
#[derive(Default)]
pub(super) struct Row {
    numbers: Vec<f64>,
    /// For each property, where its numbers end.
    ends: Vec<usize>,
}

impl Row {
    pub(super) fn list(&self, property: usize) -> &[f64] {
        let start = if property == 0 { 0 } else { self.ends[property - 1] };
        &self.numbers[start..self.ends[property]]
    }

    pub(super) fn scalar(&self, property: usize) -> f64 {
        self.list(property)[0]
    }
}

impl Body<'_> {
    /// Replaces `row` by the next row. Memory is taken only for numbers that are really there.
    pub(super) fn read_row(&mut self, element: &Element, row: &mut Row) -> Result<()> {
        row.numbers.clear();
        row.ends.clear();
        if let Body::Text { words, row_start } = self {
            *row_start = words.clone().next().map_or(0, |word| word.start);
        }
        for property in &element.properties {
            let length = match property.length {
                None => 1,
                Some(kind) => {
                    let number = self.number(kind)?;
                    whole(number).ok_or_else(|| {
                        self.problem(format!("the list {} has the length {number}", property.name))
                    })?
                }
            };
            for _ in 0..length {
                row.numbers.push(self.number(property.kind)?);
            }
            row.ends.push(row.numbers.len());
        }
        Ok(())
    }

    fn number(&mut self, kind: Kind) -> Result<f64> {
        match self {
            Body::Text { words, .. } => Ok(words.any_number()?.0),
            Body::Binary { path, rest, big_endian } => {
                let Some((bytes, after)) = rest.split_at_checked(kind.size()) else {
                    return Err(Problem::new("the mesh is cut off")
                        .in_file(path)
                        .help("the header announces more than the file holds"));
                };
                *rest = after;
                Ok(kind.decode(bytes, *big_endian))
            }
        }
    }

    /// A problem with the row that was read last.
    pub(super) fn problem(&self, message: String) -> Problem {
        match self {
            Body::Text { words, row_start } => words.problem_since(*row_start, message),
            Body::Binary { path, .. } => Problem::new(message).in_file(path),
        }
    }
}

impl Kind {
    fn size(self) -> usize {
        match self {
            Kind::I8 | Kind::U8 => 1,
            Kind::I16 | Kind::U16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::F64 => 8,
        }
    }

    /// The number stored in `size()` bytes; every one of these types fits into an `f64`.
    fn decode(self, bytes: &[u8], big_endian: bool) -> f64 {
        let mut little = [0; 8];
        little[..bytes.len()].copy_from_slice(bytes);
        if big_endian {
            little[..bytes.len()].reverse();
        }
        let [a, b, c, d, ..] = little;
        match self {
            Kind::I8 => i8::from_le_bytes([a]).into(),
            Kind::U8 => a.into(),
            Kind::I16 => i16::from_le_bytes([a, b]).into(),
            Kind::U16 => u16::from_le_bytes([a, b]).into(),
            Kind::I32 => i32::from_le_bytes([a, b, c, d]).into(),
            Kind::U32 => u32::from_le_bytes([a, b, c, d]).into(),
            Kind::F32 => f32::from_le_bytes([a, b, c, d]).into(),
            Kind::F64 => f64::from_le_bytes(little),
        }
    }
}

/// A number that counts something.
pub(super) fn whole(number: f64) -> Option<u64> {
    let is_whole = number >= 0.0 && number <= f64::from(u32::MAX) && number.fract() == 0.0;
    is_whole.then_some(number as u64)
}
