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

/// What comes after `f`: words like `7`, `7/1`, `7/1/3` or `7//3`, of which the
/// first number is the vertex.
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

#[cfg(test)]
mod tests {
    use super::super::tests::{TETRAHEDRON_OBJ, read_bytes, refusal, tetrahedron};
    use crate::math::DVec3;

    fn refused(text: &str) -> (String, Option<(usize, usize)>) {
        refusal("a.obj", text.as_bytes())
    }

    #[test]
    fn all_ways_to_name_a_corner_mean_the_same() {
        let vertices: String =
            TETRAHEDRON_OBJ.lines().take(4).map(|line| format!("{line}\r\n")).collect();
        for faces in [
            "f 1/1 3/2 2/3\nf 1/1/1 2//4 4\nf 2 3 4\nf 3 1 4",
            "f -4 -2 -3\nf -4 -3 -1\nf -3 -2 -1\nf -2 -4 -1",
            "# a comment with ä\no name\ng group\nusemtl x\nf 1 3 2\nvn 0 0 1\nf 1 2 4\nvt 0 0\nf 2 3 4\ns off\nf 3 1 4",
        ] {
            let text = format!("{vertices}{faces}");
            assert_eq!(read_bytes("a.obj", text.as_bytes()), Ok(tetrahedron()));
        }
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_word() {
        let text = format!("\u{feff}{TETRAHEDRON_OBJ}");
        assert_eq!(read_bytes("a.obj", text.as_bytes()), Ok(tetrahedron()));
    }

    #[test]
    fn polygons_become_fans() {
        let text = "v 0 0 0 1.0\nv 1 0 0 0.5 0.5 0.5\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
        let mesh = read_bytes("a.obj", text.as_bytes()).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn all_digits_count() {
        let text = "v 0.1 1e-300 -0.30000000000000004\nv 1 0 0\nv 0 1 0\nf 1 2 3";
        let mesh = read_bytes("a.obj", text.as_bytes()).unwrap();
        assert_eq!(mesh.vertices[0], DVec3::new(0.1, 1e-300, -0.30000000000000004));
    }

    #[test]
    fn problems_point_at_the_word() {
        assert_eq!(
            refused("v 0 0\n"),
            ("a number is expected, but here is the end".into(), Some((1, 6)))
        );
        assert_eq!(
            refused("\nv 0 zero 0\n"),
            ("a number is expected, not \"zero\"".into(), Some((2, 5)))
        );
        assert_eq!(
            refused("v 0 0 inf\n"),
            ("the coordinate inf is not finite".into(), Some((1, 7)))
        );
        assert_eq!(
            refused("v 0 0 1e999\n"),
            ("the coordinate 1e999 is not finite".into(), Some((1, 7)))
        );
        let three = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        let with_face = |face: &str| refused(&format!("{three}{face}"));
        assert_eq!(with_face("f 1 2 4"), ("there is no vertex 4".into(), Some((4, 7))));
        assert_eq!(with_face("f 0 1 2"), ("there is no vertex 0".into(), Some((4, 3))));
        assert_eq!(with_face("f 1 2 -4"), ("there is no vertex -4".into(), Some((4, 7))));
        assert_eq!(
            with_face("f 1 2 x/3"),
            ("a vertex number is expected, not \"x/3\"".into(), Some((4, 7)))
        );
        let (message, place) = with_face("f 1 2\nf 1 2 3");
        assert_eq!(
            message,
            "a face has at least three corners; one is expected, but here is the end"
        );
        assert_eq!(place, Some((4, 6)));
    }

    #[test]
    fn binary_garbage_is_refused() {
        let (message, _) = refusal("a.obj", b"v 0 0 0\n\0\x01\x02");
        assert_eq!(message, "the mesh should be text, but contains a zero byte");
    }
}
