//! One element of a drawing: its name for messages, its transform, its lengths, its lines.

use roxmltree::Node;
use std::str::FromStr;
use svgtypes::{Length, LengthUnit, PointsParser, Transform};

use super::path::path;
use super::style::{LENGTHS, Sheet};
use crate::layout::curve::{Line, Segment};
use crate::math::{DAffine2, DVec2};
use crate::problem::{Problem, Result};

/// A line that an element draws, and whether it is closed.
pub type Drawn = (Line, bool);

/// What an element is called in messages: its kind and its id, or where it is.
pub fn name(node: Node) -> String {
    let kind = node.tag_name().name();
    match node.attribute("id") {
        Some(id) => {
            let id: String = id.chars().filter(|c| !c.is_control()).take(40).collect();
            format!("<{kind} id=\"{id}\">")
        }
        None => {
            let at = node.document().text_pos_at(node.range().start);
            format!("<{kind}> in line {}", at.row)
        }
    }
}

pub fn transform(sheet: &Sheet, node: Node) -> Result<DAffine2> {
    sheet.check_place(node)?;
    let Some(text) = node.attribute("transform") else { return Ok(DAffine2::IDENTITY) };
    let found = Transform::from_str(text).map_err(|e| {
        Problem::new(format!("{}: the transform is not understood: {e}", name(node)))
    })?;
    let Transform { a, b, c, d, e, f } = found;
    Ok(DAffine2::from_cols_array(&[a, b, c, d, e, f]))
}

/// A length in user units; 0 if it is not given.
pub fn length(sheet: &Sheet, node: Node, attribute: &str) -> Result<f64> {
    // Letters have places, not lengths, and no style gives these.
    let is_property = LENGTHS.contains(&attribute) && node.tag_name().name() != "text";
    let styled = sheet.styled(node, attribute).filter(|_| is_property);
    let Some(text) = styled.or_else(|| node.attribute(attribute)) else { return Ok(0.0) };
    let refused = |what: String| {
        Problem::new(format!("{}: {attribute} {what}", name(node)))
            .help("lengths are numbers, with px, mm, cm, in, pt, pc or nothing after them")
    };
    let Length { number, unit } =
        Length::from_str(text.trim()).map_err(|_| refused("is no length".into()))?;
    if styled.is_some() && unit == LengthUnit::None && number != 0.0 {
        return Err(refused("has no unit in its style".into()).help("write px after it"));
    }
    let pixels = pixels(unit).ok_or_else(|| refused("is relative to something else".into()))?;
    Ok(number * pixels)
}

/// User units in a unit, by the 96 to an inch of CSS.
pub fn pixels(unit: LengthUnit) -> Option<f64> {
    match unit {
        LengthUnit::None | LengthUnit::Px => Some(1.0),
        LengthUnit::In => Some(96.0),
        LengthUnit::Cm => Some(96.0 / 2.54),
        LengthUnit::Mm => Some(96.0 / 25.4),
        LengthUnit::Pt => Some(96.0 / 72.0),
        LengthUnit::Pc => Some(16.0),
        LengthUnit::Em | LengthUnit::Ex | LengthUnit::Percent => None,
    }
}

/// What an element draws, if it is a shape. `is_filled` closes lines that are open.
pub fn shape(sheet: &Sheet, node: Node, is_filled: bool) -> Result<Option<Vec<Drawn>>> {
    let get = |attribute: &str| length(sheet, node, attribute);
    let one = |line: Line| Ok(Some(vec![(line, true)]));
    match node.tag_name().name() {
        "rect" => {
            let size = DVec2::new(get("width")?, get("height")?);
            let radii = corner_radii(sheet, node, size)?;
            match size.min_element() > 0.0 {
                true => one(rectangle(DVec2::new(get("x")?, get("y")?), size, radii)),
                false => Ok(Some(Vec::new())),
            }
        }
        "circle" | "ellipse" => {
            let radii = match node.tag_name().name() {
                "circle" => DVec2::splat(get("r")?),
                _ => DVec2::new(get("rx")?, get("ry")?),
            };
            match radii.min_element() > 0.0 {
                true => one(Line::ellipse(DVec2::new(get("cx")?, get("cy")?), radii)),
                false => Ok(Some(Vec::new())),
            }
        }
        "line" => {
            let ends = [DVec2::new(get("x1")?, get("y1")?), DVec2::new(get("x2")?, get("y2")?)];
            Ok(Some(vec![(Line { segments: vec![Segment::Straight(ends)] }, false)]))
        }
        kind @ ("polygon" | "polyline") => {
            let text = node.attribute("points").unwrap_or_default();
            let corners: Vec<DVec2> = points(node, text)?;
            let mut line = Line::polygon(&corners);
            let is_closed = kind == "polygon" || (is_filled && corners.len() > 2);
            if !is_closed {
                line.segments.pop();
            }
            Ok(Some(vec![(line, is_closed)]))
        }
        "path" => path(node, node.attribute("d").unwrap_or_default(), is_filled).map(Some),
        _ => Ok(None),
    }
}

/// All points; a parser that stops early has met something that is none.
fn points(node: Node, text: &str) -> Result<Vec<DVec2>> {
    let found: Vec<DVec2> = PointsParser::from(text).map(|(x, y)| DVec2::new(x, y)).collect();
    let numbers = text.split(|c: char| c == ',' || c.is_whitespace()).filter(|t| !t.is_empty());
    match numbers.count() > 2 * found.len() + 1 {
        true => Err(Problem::new(format!("{}: its points are no numbers", name(node)))),
        false => Ok(found),
    }
}

/// As SVG has it: one that is not given is as long as the other, and none is longer than half a
/// side.
fn corner_radii(sheet: &Sheet, node: Node, size: DVec2) -> Result<DVec2> {
    let given = |attribute: &str| match sheet.property(node, attribute) {
        None | Some("auto") => Ok(None),
        Some(_) => length(sheet, node, attribute).map(Some),
    };
    let (x, y) = (given("rx")?, given("ry")?);
    let radii = DVec2::new(x.or(y).unwrap_or(0.0), y.or(x).unwrap_or(0.0));
    Ok(if radii.min_element() > 0.0 { radii.min(size / 2.0) } else { DVec2::ZERO })
}

fn rectangle(at: DVec2, size: DVec2, radii: DVec2) -> Line {
    let far = at + size;
    let corners = [at, DVec2::new(far.x, at.y), far, DVec2::new(at.x, far.y)];
    if radii == DVec2::ZERO {
        return Line::polygon(&corners);
    }
    let quarter = std::f64::consts::FRAC_PI_2;
    let inwards = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]].map(DVec2::from);
    let mut segments: Vec<Segment> = Vec::new();
    for (k, (corner, inwards)) in corners.into_iter().zip(inwards).enumerate() {
        let start = (k as f64 + 2.0) * quarter;
        let arc = Segment::Arc {
            centre: corner + inwards * radii,
            axes: [DVec2::X * radii.x, DVec2::Y * radii.y],
            t: [start, start + quarter],
        };
        if let Some(last) = segments.last() {
            segments.push(Segment::Straight([last.end(), arc.start()]));
        }
        segments.push(arc);
    }
    if let (Some(first), Some(last)) = (segments.first(), segments.last()) {
        let close = Segment::Straight([last.end(), first.start()]);
        segments.push(close);
    }
    Line { segments }
}
