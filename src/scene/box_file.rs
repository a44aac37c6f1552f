//! Boxes from a .csv file: one per line, columns named by the first line.
//! In 2D `x, y, width, height` and perhaps `angle`; in 3D `x, y, z, width,
//! depth, height`; in both perhaps `mass` and `fixed` (0 or 1). Others are named to the user.

use std::path::Path;

use super::columns::{cells, has_content, separator};
use crate::math::{DQuat, DVec3};
use crate::problem::{Problem, Result};

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BoxRow {
    pub centre: DVec3,
    pub size: DVec3,
    pub turn: DQuat,
    pub mass: Option<f64>,
    pub fixed: bool,
}

/// The columns that boxes can have.
const KNOWN: [&str; 9] = ["x", "y", "z", "width", "depth", "height", "angle", "mass", "fixed"];

/// Whether the first line of a file names the columns of boxes.
pub(super) fn is_of_boxes(text: &str) -> bool {
    header(text).contains(&"width")
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| has_content(line))
}

fn header(text: &str) -> Vec<&str> {
    cells(lines(text).next().unwrap_or_default(), separator(text))
}

/// The columns that say nothing here.
pub(super) fn unread(text: &str, dimension: usize) -> Vec<String> {
    let other = if dimension == 2 { ["depth", "z"] } else { ["angle", ""] };
    let is_unread = |name: &&str| !KNOWN.contains(name) || other.contains(name);
    header(text).into_iter().filter(is_unread).map(String::from).collect()
}

pub(super) fn read(path: &Path, text: &str, dimension: usize) -> Result<Vec<BoxRow>> {
    let (separator, names) = (separator(text), header(text));
    let lines = lines(text).skip(1);
    let needed: &[&str] = match dimension {
        2 => &["x", "y", "width", "height"],
        _ => &["x", "y", "z", "width", "depth", "height"],
    };
    if let Some(missing) = needed.iter().find(|name| !names.contains(name)) {
        let help = format!("its first line names the columns {}", needed.join(", "));
        return Err(Problem::new(format!("the file of boxes has no column `{missing}`"))
            .in_file(path)
            .help(help));
    }
    let mut rows = Vec::new();
    for line in lines {
        let cells = cells(line, separator);
        let number = |name: &str| -> Result<Option<f64>> {
            let Some(at) = names.iter().position(|n| *n == name) else { return Ok(None) };
            let cell = cells.get(at).copied().unwrap_or_default();
            match cell.parse::<f64>() {
                Ok(x) if x.is_finite() => Ok(Some(x)),
                _ => {
                    let message =
                        format!("box {}: `{cell}` in column `{name}` is no number", rows.len());
                    Err(Problem::new(message).in_file(path))
                }
            }
        };
        let need = |name: &str| number(name).map(|x| x.unwrap_or(0.0));
        let flat = dimension == 2;
        let size = match flat {
            true => DVec3::new(need("width")?, need("height")?, 1.0),
            false => DVec3::new(need("width")?, need("depth")?, need("height")?),
        };
        if size.min_element() <= 0.0 {
            let message = format!("box {} has no positive size", rows.len());
            return Err(Problem::new(message).in_file(path).help("sizes are positive lengths"));
        }
        let mass = number("mass")?;
        if mass.is_some_and(|mass| mass <= 0.0) {
            let message = format!("the mass of box {} is not positive", rows.len());
            return Err(Problem::new(message).in_file(path).help("a mass is a positive number"));
        }
        rows.push(BoxRow {
            centre: DVec3::new(need("x")?, need("y")?, if flat { 0.0 } else { need("z")? }),
            size,
            turn: match flat {
                true => DQuat::from_rotation_z(need("angle")?.to_radians()),
                false => DQuat::IDENTITY,
            },
            mass,
            fixed: number("fixed")?.is_some_and(|x| x != 0.0),
        });
    }
    if rows.is_empty() {
        return Err(Problem::new("the file has no boxes").in_file(path));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<BoxRow>> {
        read("boxes.csv".as_ref(), text, 2)
    }

    #[test]
    fn columns_may_come_in_any_order() {
        let rows = parsed("height,x,y,width,fixed,angle\n0.5,1,2,3,1,90\n1,0,0,1,0,0\n").unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!(
            (rows[0].centre, rows[0].size.x, rows[0].fixed),
            (DVec3::new(1.0, 2.0, 0.0), 3.0, true)
        );
        let up = rows[0].turn * DVec3::X;
        assert!((up - DVec3::Y).length() < 1e-15 && !rows[1].fixed);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let message = |text: &str| parsed(text).unwrap_err().message;
        assert_eq!(message("x,y,width\n"), "the file of boxes has no column `height`");
        assert_eq!(message("x,y,width,height\n"), "the file has no boxes");
        assert_eq!(
            message("x,y,width,height\n0,0,wide,1\n"),
            "box 0: `wide` in column `width` is no number"
        );
        assert_eq!(message("x,y,width,height\n0,0,0,1\n"), "box 0 has no positive size");
        assert_eq!(
            message("x,y,width,height,mass\n0,0,1,1,-2\n"),
            "the mass of box 0 is not positive"
        );
    }
}
