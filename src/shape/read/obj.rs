//! Wavefront OBJ: the vertices (`v`) and faces (`f`); everything else in such
//! a file is for the eye.

use super::words::{Word, Words, text_of};
use super::{Triangles, fan};
use crate::math::DVec3;
use crate::problem::Result;
use std::path::Path;

pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Triangles> {
    let text = text_of(path, bytes)?;
    let words = Words::new(path, &text);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for mut line in words.lines() {
        match line.next().map(|word| word.text) {
            Some("v") => {
                vertices.push(DVec3::new(
                    line.coordinate()?,
                    line.coordinate()?,
                    line.coordinate()?,
                ));
            }
            Some("f") => triangles.extend(fan(&read_face(line, &vertices)?)),
            _ => {}
        }
    }
    Ok(triangles)
}

/// What comes after `f`: words like `7`, `7/1`, `7/1/3` or `7//3`, of which the first number is the vertex.
fn read_face(mut line: Words, vertices: &[DVec3]) -> Result<Vec<DVec3>> {
    let mut corners = Vec::new();
    while corners.len() < 3 {
        let word = line.expect("a face has at least three corners; one")?;
        corners.push(corner(&line, word, vertices)?);
    }
    while let Some(word) = line.next() {
        corners.push(corner(&line, word, vertices)?);
    }
    Ok(corners)
}

/// The vertex that a word refers to: counted from 1, or from -1 backwards from the last one so far.
fn corner(line: &Words, word: Word, vertices: &[DVec3]) -> Result<DVec3> {
    let number = word.text.split('/').next().unwrap_or_default();
    let Ok(number) = number.parse::<i64>() else {
        return Err(
            line.problem(word, format!("a vertex number is expected, not \"{}\"", word.text))
        );
    };
    let count = vertices.len() as i64;
    let index = if number < 0 { count.checked_add(number) } else { number.checked_sub(1) };
    let vertex = index.and_then(|index| vertices.get(usize::try_from(index).ok()?));
    vertex.copied().ok_or_else(|| {
        line.problem(word, format!("there is no vertex {number}"))
            .help(format!("the {count} vertices so far are counted from 1, or from -1 backwards"))
    })
}
