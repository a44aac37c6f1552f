//! Bricks from a .csv file: one box per line, columns named by the first line.
//! In 2D `x, y, width, height` and perhaps `angle`; in 3D `x, y, z, width,
//! depth, height`; in both perhaps `mass` and `fixed` (0 or 1). Others are ignored.

use std::path::Path;

use crate::math::DVec3;
use crate::problem::{Problem, Result};

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BrickRow {
    pub centre: DVec3,
    pub size: DVec3,
    pub turn: DVec3,
    pub mass: Option<f64>,
    pub fixed: bool,
}

pub(super) fn read(path: &Path, text: &str, dimension: usize) -> Result<Vec<BrickRow>> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let header = lines.next().unwrap_or_default();
    let names: Vec<&str> = header.split(',').map(str::trim).collect();
    let needed: &[&str] = match dimension {
        2 => &["x", "y", "width", "height"],
        _ => &["x", "y", "z", "width", "depth", "height"],
    };
    if let Some(missing) = needed.iter().find(|name| !names.contains(name)) {
        let help = format!("its first line names the columns {}", needed.join(", "));
        return Err(Problem::new(format!("the file of bricks has no column `{missing}`"))
            .in_file(path)
            .help(help));
    }
    let mut rows = Vec::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let number = |name: &str| -> Result<Option<f64>> {
            let Some(at) = names.iter().position(|n| *n == name) else { return Ok(None) };
            let cell = cells.get(at).copied().unwrap_or_default();
            match cell.parse::<f64>() {
                Ok(x) if x.is_finite() => Ok(Some(x)),
                _ => {
                    let message =
                        format!("brick {}: `{cell}` in column `{name}` is no number", rows.len());
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
            let message = format!("brick {} has no positive size", rows.len());
            return Err(Problem::new(message).in_file(path).help("sizes are positive lengths"));
        }
        let mass = number("mass")?;
        if mass.is_some_and(|mass| mass <= 0.0) {
            let message = format!("the mass of brick {} is not positive", rows.len());
            return Err(Problem::new(message).in_file(path).help("a mass is a positive number"));
        }
        rows.push(BrickRow {
            centre: DVec3::new(need("x")?, need("y")?, if flat { 0.0 } else { need("z")? }),
            size,
            turn: if flat { DVec3::Z * need("angle")?.to_radians() } else { DVec3::ZERO },
            mass,
            fixed: number("fixed")?.is_some_and(|x| x != 0.0),
        });
    }
    if rows.is_empty() {
        return Err(Problem::new("the file has no bricks").in_file(path));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<BrickRow>> {
        read("bricks.csv".as_ref(), text, 2)
    }

    #[test]
    fn columns_may_come_in_any_order() {
        let rows = parsed("height,x,y,width,fixed,angle\n0.5,1,2,3,1,90\n1,0,0,1,0,0\n").unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!(
            (rows[0].centre, rows[0].size.x, rows[0].fixed),
            (DVec3::new(1.0, 2.0, 0.0), 3.0, true)
        );
        assert!((rows[0].turn.z - std::f64::consts::FRAC_PI_2).abs() < 1e-15 && !rows[1].fixed);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let message = |text: &str| parsed(text).unwrap_err().message;
        assert_eq!(message("x,y,width\n"), "the file of bricks has no column `height`");
        assert_eq!(message("x,y,width,height\n"), "the file has no bricks");
        assert_eq!(
            message("x,y,width,height\n0,0,wide,1\n"),
            "brick 0: `wide` in column `width` is no number"
        );
        assert_eq!(message("x,y,width,height\n0,0,0,1\n"), "brick 0 has no positive size");
        assert_eq!(
            message("x,y,width,height,mass\n0,0,1,1,-2\n"),
            "the mass of brick 0 is not positive"
        );
    }
}
