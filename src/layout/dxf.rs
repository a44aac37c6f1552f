//! Layouts as DXF drawings of release 12: every closed POLYLINE is a piece,
//! one on the layer STRIP is the strip, and pieces on the layer FIXED stay
//! where they are. Bulges (arcs) are refused rather than straightened.

use super::{Item, Layout, Placed, Strip, in_item};
use crate::problem::{Problem, Result};
use crate::shape::Outline;
use std::fmt::Write;

/// A closed polyline and its layer.
struct Polyline {
    layer: String,
    corners: Vec<[f64; 2]>,
    closed: bool,
}

pub fn read(text: &str, name: &str) -> Result<Layout> {
    let mut strip = None;
    let (mut items, mut placed) = (Vec::new(), Vec::new());
    for polyline in polylines(text)? {
        let id = items.len() as u64;
        if polyline.layer.eq_ignore_ascii_case("strip") {
            strip = Some(bounds(&polyline.corners));
            continue;
        }
        let ends_meet = polyline.corners.first() == polyline.corners.last();
        if !polyline.closed && !ends_meet {
            return Err(in_item(Problem::new("the polyline is open"), id)
                .help("close it: set flag 70 to 1"));
        }
        let outline =
            Outline::new(&polyline.corners, &[]).map_err(|problem| in_item(problem, id))?;
        items.push(Item { id, outline, demand: 1, orientations: None });
        let fixed = polyline.layer.eq_ignore_ascii_case("fixed");
        placed.push(Placed { item: items.len() - 1, rotation: 0.0, translation: [0.0; 2], fixed });
    }
    let strip = strip.ok_or_else(|| {
        Problem::new("the drawing has no strip").help("put a closed polyline on the layer STRIP")
    })?;
    Ok(Layout { name: name.into(), items, strip, placed })
}

fn bounds(corners: &[[f64; 2]]) -> Strip {
    let limit = |pick: fn(f64, f64) -> f64, start: f64| {
        [0, 1].map(|axis| corners.iter().map(|c| c[axis]).fold(start, pick))
    };
    Strip { min: limit(f64::min, f64::INFINITY), max: limit(f64::max, f64::NEG_INFINITY) }
}

/// The polylines among the entities: groups of a code line and a value line.
fn polylines(text: &str) -> Result<Vec<Polyline>> {
    let mut lines = text.lines().map(str::trim);
    let mut found: Vec<Polyline> = Vec::new();
    let mut entity = "";
    while let (Some(code), Some(value)) = (lines.next(), lines.next()) {
        match (code, entity) {
            ("0", _) => {
                entity = value;
                match (entity, found.last_mut()) {
                    ("POLYLINE", _) => found.push(Polyline {
                        layer: String::new(),
                        corners: Vec::new(),
                        closed: false,
                    }),
                    ("VERTEX", Some(polyline)) => polyline.corners.push([0.0; 2]),
                    ("LWPOLYLINE" | "SPLINE" | "CIRCLE" | "ARC" | "ELLIPSE", _) => {
                        return Err(Problem::new(format!("the drawing has a {value}"))
                            .help("pieces are POLYLINEs of release 12; flatten curves first"));
                    }
                    _ => {}
                }
            }
            ("8", "POLYLINE") => last(&mut found, |polyline| polyline.layer = value.to_string()),
            ("70", "POLYLINE") => {
                let closed = value.parse::<i64>().is_ok_and(|flags| flags & 1 == 1);
                last(&mut found, |polyline| polyline.closed = closed);
            }
            ("10" | "20", "VERTEX") => {
                let number = coordinate(value)?;
                let axis = usize::from(code == "20");
                last(&mut found, |polyline| {
                    if let Some(corner) = polyline.corners.last_mut() {
                        corner[axis] = number;
                    }
                });
            }
            ("42", "VERTEX") if coordinate(value)? != 0.0 => {
                return Err(Problem::new(format!(
                    "polyline {} has an arc",
                    found.len().saturating_sub(1)
                ))
                .help("flatten arcs to straight lines first"));
            }
            _ => {}
        }
    }
    Ok(found)
}

fn last(found: &mut [Polyline], change: impl FnOnce(&mut Polyline)) {
    if let Some(polyline) = found.last_mut() {
        change(polyline);
    }
}

fn coordinate(value: &str) -> Result<f64> {
    value.parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(|| {
        Problem::new(format!("\"{value}\" is not a coordinate"))
            .help("coordinates are finite numbers")
    })
}

/// The strip and all pieces as closed polylines.
pub fn write(layout: &Layout) -> String {
    let mut text = String::from("0\nSECTION\n2\nENTITIES\n");
    let Strip { min: [left, bottom], max: [right, top] } = layout.strip;
    polyline(&mut text, "STRIP", &[[left, bottom], [right, bottom], [right, top], [left, top]]);
    for placed in &layout.placed {
        let layer = if placed.fixed { "FIXED" } else { "PIECES" };
        for corners in layout.piece(placed) {
            polyline(&mut text, layer, &corners);
        }
    }
    text + "0\nENDSEC\n0\nEOF\n"
}

fn polyline(text: &mut String, layer: &str, corners: &[[f64; 2]]) {
    let _ = write!(text, "0\nPOLYLINE\n8\n{layer}\n66\n1\n70\n1\n10\n0.0\n20\n0.0\n30\n0.0\n");
    for [x, y] in corners {
        let _ = write!(text, "0\nVERTEX\n8\n{layer}\n10\n{x:?}\n20\n{y:?}\n30\n0.0\n");
    }
    let _ = write!(text, "0\nSEQEND\n8\n{layer}\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout() -> Layout {
        let outline = Outline::new(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.5]], &[]).unwrap();
        let item = |id| Item { id, outline: outline.clone(), demand: 1, orientations: None };
        let place = |item, fixed| Placed { item, rotation: 0.0, translation: [0.0; 2], fixed };
        Layout {
            name: "d".into(),
            items: vec![item(0), item(1)],
            strip: Strip { min: [0.0, 0.0], max: [5.0, 3.0] },
            placed: vec![place(0, false), place(1, true)],
        }
    }

    #[test]
    fn drawings_come_back() {
        assert_eq!(read(&write(&layout()), "d").unwrap(), layout());
    }

    #[test]
    fn problems_are_named() {
        let text = write(&layout());
        let refused = |text: &str| read(text, "d").unwrap_err().to_string();
        assert!(refused(&text.replace("STRIP", "X")).contains("the drawing has no strip"));
        assert!(
            refused(&text.replace("\n1.5\n", "\nnone\n")).contains("\"none\" is not a coordinate")
        );
        assert!(
            refused(&text.replace("70\n1\n", "70\n0\n").replacen("70\n0\n", "70\n1\n", 1))
                .contains("item 0: the polyline is open")
        );
        assert!(refused(&text.replace("SEQEND", "ARC")).contains("the drawing has a ARC"));
        assert!(
            refused(&text.replacen("30\n0.0\n0\nSEQEND", "42\n0.5\n0\nSEQEND", 1))
                .contains("polyline 0 has an arc")
        );
    }
}
