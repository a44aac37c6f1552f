//! Layouts as SVG drawings. Every closed shape is a piece or a hole of one,
//! whatever element draws it and whatever transforms it; the strip is the
//! element with the id `strip`, a rectangle around all else, or the page. The
//! records of sparrow, with the strip in a group `bin_0` or `container_0` and
//! the pieces as `<use>`, are such drawings. `data-fixed="true"` fixes a piece.
//! A layout that came from a drawing goes back into it: only transforms change.

mod element;
mod path;
mod record;
mod style;
mod walk;

use std::fmt::Write;

use roxmltree::{Document, ParsingOptions};

use super::{Layout, Origin, Placed, Strip};
use crate::math::{DAffine2, DMat2, DVec2};
use crate::problem::{Problem, Result};

/// Longer documents are no layouts: every element takes memory.
const MOST_NODES: u32 = 4_000_000;

/// Where the transform of an element is written, or would be.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// Of the value in the text; empty where the attribute is to be inserted.
    range: std::ops::Range<usize>,
    is_new: bool,
    value: String,
    /// From the drawing's coordinates to those that the transform is given in.
    inverse: DAffine2,
    /// A copy of what is drawn, and moved, itself: which spot that has, and where the copy puts it.
    copies: Option<(usize, DVec2)>,
}

pub fn read(text: &str, name: &str, tolerance: Option<f64>) -> Result<Layout> {
    let options = ParsingOptions { allow_dtd: true, nodes_limit: MOST_NODES, ..Default::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|e| Problem::new(format!("the drawing is not XML: {e}")))?;
    let root = document.root_element();
    if root.tag_name().name() != "svg" {
        return Err(Problem::new("the drawing is no SVG").help("its first element is <svg>"));
    }
    let walk = walk::walk(&document)?;
    let found = walk.drawing.into_layout(name, tolerance)?;
    let mut layout = found.layout;
    let mut pieces = vec![None; walk.spots.len()];
    for (piece, movers) in found.movers.iter().enumerate() {
        movers.iter().for_each(|&mover| pieces[mover] = Some(piece));
    }
    layout.drawing = Some(Origin::Svg(Box::new(Source {
        text: text.to_string(),
        spots: walk.spots.into_iter().zip(pieces).collect(),
        start: layout.placed.clone(),
        strip: layout.strip,
        record: walk.record,
    })));
    Ok(layout)
}

/// The drawing that a layout came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    text: String,
    /// Whatever can be moved, with the piece that it is part of.
    spots: Vec<(Spot, Option<usize>)>,
    start: Vec<Placed>,
    strip: Strip,
    /// The strip's element, in a record: it is as long as the layout.
    record: Option<Spot>,
}

/// The layout in its own drawing if it came from one, or as a record; with the chain that limits
/// the length over it, on request.
pub fn write(layout: &Layout, chain: Option<&[[[f64; 2]; 2]]>) -> String {
    match &layout.drawing {
        Some(Origin::Svg(source)) => write_back(layout, source, chain.unwrap_or_default()),
        _ => record::write(layout, chain.unwrap_or_default()),
    }
}

fn write_back(layout: &Layout, source: &Source, chain: &[[[f64; 2]; 2]]) -> String {
    let motion = |piece: usize| {
        let (placed, start) = (&layout.placed[piece], &source.start[piece]);
        let (from, to) = (DVec2::from(start.translation), DVec2::from(placed.translation));
        if placed.rotation == start.rotation {
            return (to != from).then(|| DAffine2::from_translation(to - from));
        }
        let angle = (placed.rotation - start.rotation).to_radians();
        Some(DAffine2::from_angle_translation(angle, to) * DAffine2::from_translation(-from))
    };
    let motion_of = |(spot, piece): &(Spot, Option<usize>)| {
        let whole = motion((*piece)?)?;
        Some(match whole.matrix2 == DMat2::IDENTITY {
            true => DAffine2::from_translation(spot.inverse.transform_vector2(whole.translation)),
            false => spot.inverse * whole * spot.inverse.inverse(),
        })
    };
    let mut changes: Vec<(&Spot, String)> = Vec::new();
    for known in &source.spots {
        let spot = &known.0;
        // What the original of a copy gains, the copy takes back.
        let gained = spot.copies.and_then(|(original, at)| {
            let gained = motion_of(&source.spots[original])?;
            let shift = DAffine2::from_translation(at);
            Some((shift * gained * shift.inverse()).inverse())
        });
        let own = motion_of(known);
        if own.is_some() || gained.is_some() {
            let moved = own.map_or(spot.value.trim().into(), |own| spot.moved(own));
            let gained = gained.map_or(String::new(), |gained| format!(" {}", matrix(gained)));
            changes.push((spot, (moved + &gained).trim().to_string()));
        }
    }
    if let Some(spot) = &source.record
        && layout.strip != source.strip
    {
        changes.push((spot, spot.fitted(&source.strip, &layout.strip)));
    }
    changes.sort_by_key(|(spot, _)| spot.range.start);
    let mut text = String::with_capacity(source.text.len() + 64 * changes.len());
    let mut at = 0;
    for (spot, value) in changes {
        text += &source.text[at..spot.range.start];
        match spot.is_new {
            true => _ = write!(text, " transform=\"{value}\""),
            false => text += &value,
        }
        at = spot.range.end;
    }
    text += &source.text[at..];
    if let Some(end) = text.rfind("</").filter(|_| !chain.is_empty()) {
        text.insert_str(end, &record::chain_text(layout, chain));
    }
    text
}

impl Spot {
    /// The transform with a motion, in the coordinates that it is given in, after it.
    fn moved(&self, motion: DAffine2) -> String {
        let (old, by) = (self.value.trim(), motion.translation);
        // Two shifts one after the other are one.
        if motion.matrix2 == DMat2::IDENTITY
            && let Some((inside, rest)) =
                old.strip_prefix("translate(").and_then(|o| o.split_once(')'))
            && let Ok(numbers) = svgtypes::NumberListParser::from(inside)
                .collect::<std::result::Result<Vec<f64>, _>>()
            && let [x, ref y @ ..] = numbers[..]
            && y.len() < 2
        {
            let y = y.first().copied().unwrap_or(0.0);
            return format!("translate({} {}){rest}", x + by.x, y + by.y);
        }
        let space = if old.is_empty() { "" } else { " " };
        format!("{}{space}{old}", matrix(motion))
    }

    /// The transform that makes one strip the other.
    fn fitted(&self, from: &Strip, to: &Strip) -> String {
        let scale = DVec2::new(to.length() / from.length(), to.height() / from.height());
        let shift = DVec2::from(to.min) - DVec2::from(from.min) * scale;
        let old = self.value.trim();
        let space = if old.is_empty() { "" } else { " " };
        format!("matrix({} 0 0 {} {} {}){space}{old}", scale.x, scale.y, shift.x, shift.y)
    }
}

/// A transform in words.
fn matrix(of: DAffine2) -> String {
    let [a, b, c, d, e, f] = of.to_cols_array();
    match of.matrix2 == DMat2::IDENTITY {
        true => format!("translate({e} {f})"),
        false => format!("matrix({a} {b} {c} {d} {e} {f})"),
    }
}

#[cfg(test)]
mod tests;
