//! Layouts as DXF drawings: lines, arcs, circles, ellipses, polylines with and
//! without bulges, splines and inserted blocks; lines whose ends meet are
//! joined. What is on the layer STRIP is the strip (or a rectangle around all
//! else), and pieces on the layer FIXED stay where they are. A layout that came
//! from a drawing goes back into it: only coordinates of what moved change.

mod entities;
mod groups;
mod spline;

use std::fmt::Write;
use std::ops::Range;

use self::entities::{Contents, Entity, contents, point, text, whole};
use self::groups::{Group, groups, number};
use super::drawing::{Drawing, Mark, Mover, Stroke};
use super::{Layout, Origin, Strip};
use crate::math::{DAffine2, DVec2};
use crate::problem::{Problem, Result};

/// Blocks of blocks go so deep at most.
const DEEPEST: usize = 16;

/// A drawing of blocks of blocks has so many lines at most.
const MOST_STROKES: usize = 1_000_000;

/// A coordinate in the file: where it is written, what it is, and which axis.
#[derive(Clone, Debug, PartialEq)]
struct Coordinate {
    range: Range<usize>,
    value: f64,
    /// How it follows a motion of its piece.
    along: DVec2,
}

/// The drawing that a layout came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    bytes: Vec<u8>,
    /// Of each piece.
    coordinates: Vec<Vec<Coordinate>>,
    start: Vec<[f64; 2]>,
}

pub fn read(bytes: &[u8], name: &str, tolerance: Option<f64>) -> Result<Layout> {
    let groups = groups(bytes)?;
    let contents = contents(&groups)?;
    let mut reader =
        Reader { contents: &contents, drawing: Drawing::default(), moving: Vec::new() };
    reader.drawing.notes.extend(unit(contents.unit));
    for entity in &contents.entities {
        reader.entity(entity)?;
    }
    let Reader { drawing, moving, .. } = reader;
    let found = drawing.into_layout(name, tolerance)?;
    let mut layout = found.layout;
    let coordinates = found.movers.iter().map(|movers| {
        movers.iter().flat_map(|&mover| moving[mover].clone()).collect::<Vec<Coordinate>>()
    });
    layout.drawing = Some(Origin::Dxf(Box::new(Source {
        bytes: bytes.to_vec(),
        coordinates: coordinates.collect(),
        start: layout.placed.iter().map(|placed| placed.translation).collect(),
    })));
    Ok(layout)
}

fn unit(code: i64) -> Option<String> {
    let name = match code {
        1 => "inches",
        2 => "feet",
        4 => "millimetres",
        5 => "centimetres",
        6 => "metres",
        _ => return None,
    };
    Some(format!("lengths are in {name}"))
}

struct Reader<'c, 't> {
    contents: &'c Contents<'t>,
    drawing: Drawing,
    /// The coordinates of each mover.
    moving: Vec<Vec<Coordinate>>,
}

/// What the entities of a block take over from where it is inserted.
#[derive(Clone, Copy)]
struct Around {
    place: DAffine2,
    mover: Option<usize>,
    is_strip: bool,
    depth: usize,
}

impl Reader<'_, '_> {
    fn entity(&mut self, entity: &Entity) -> Result<()> {
        let around = Around { place: DAffine2::IDENTITY, mover: None, is_strip: false, depth: 0 };
        self.draw(entity, around)
    }

    fn draw(&mut self, entity: &Entity, around: Around) -> Result<()> {
        if self.contents.hidden.contains(&entity.layer()) || whole(entity.groups, 67) == 1 {
            self.note(format!("{} is hidden, and stays", entity.name()));
            return Ok(());
        }
        let Some(is_mirrored) = entity.is_mirrored()? else {
            self.note(format!("{} lies in a slanted plane, and stays", entity.name()));
            return Ok(());
        };
        let own = entity.place(is_mirrored);
        let place = around.place * own;
        let is_strip = around.is_strip || entity.layer().eq_ignore_ascii_case("strip");
        if entity.kind == "INSERT" {
            let mover = self.mover(entity, around, own)?;
            return self.insert(entity, Around { place, mover: Some(mover), is_strip, ..around });
        }
        if let Some((line, is_closed)) = entity.draw(is_mirrored)? {
            if self.drawing.strokes.len() >= MOST_STROKES {
                return Err(Problem::new(format!(
                    "the drawing has more than {MOST_STROKES} lines"
                )));
            }
            let mover = self.mover(entity, around, own)?;
            self.drawing.strokes.push(Stroke {
                line,
                place,
                mover,
                is_closed,
                is_strip,
                is_nonzero: false,
            });
            return Ok(());
        }
        match (entity.kind, point(entity.groups, 10)?) {
            ("TEXT" | "MTEXT" | "POINT" | "ATTDEF", Some(at)) => {
                let mover = self.mover(entity, around, own)?;
                self.drawing.marks.push(Mark { at: place.transform_point2(at), mover });
            }
            _ => self.note(format!("{} is not understood, and stays", entity.name())),
        }
        Ok(())
    }

    /// The entities of a block.
    fn insert(&mut self, entity: &Entity, around: Around) -> Result<()> {
        let name = text(entity.groups, 2).unwrap_or_default();
        let Some(block) = self.contents.blocks.get(name) else {
            return Err(Problem::new(format!(
                "{} inserts a block that is not there",
                entity.name()
            )));
        };
        if around.depth >= DEEPEST {
            return Err(Problem::new(format!("{} is part of itself", entity.name())));
        }
        let [columns, rows] = [70, 71].map(|code| whole(entity.groups, code).max(1) as usize);
        if columns.saturating_mul(rows) > MOST_STROKES {
            return Err(Problem::new(format!("{} has too many columns and rows", entity.name()))
                .help(format!("{MOST_STROKES} blocks are possible")));
        }
        let get = |code: i32, other: f64| {
            let group = entity.groups.iter().find(|group| group.code == code);
            group.map_or(Ok(other), number)
        };
        let scale = DVec2::new(get(41, 1.0)?, get(42, 1.0)?);
        let at = point(entity.groups, 10)?.unwrap_or(DVec2::ZERO);
        let turned =
            around.place * DAffine2::from_angle_translation(get(50, 0.0)?.to_radians(), at);
        let own = DAffine2::from_scale(scale) * DAffine2::from_translation(-block.base);
        if (turned * own).matrix2.determinant() == 0.0 {
            return Err(Problem::new(format!("{} is drawn flat by its scale", entity.name())));
        }
        let step = DVec2::new(get(44, 0.0)?, get(45, 0.0)?);
        for row in 0..rows {
            for column in 0..columns {
                let shift = step * DVec2::new(column as f64, row as f64);
                let place = turned * DAffine2::from_translation(shift) * own;
                for inner in &block.entities {
                    self.draw(inner, Around { place, depth: around.depth + 1, ..around })?;
                }
            }
        }
        Ok(())
    }

    /// The number of what moves an entity: itself, or the block that it is part of.
    fn mover(&mut self, entity: &Entity, around: Around, own: DAffine2) -> Result<usize> {
        if let Some(mover) = around.mover {
            return Ok(mover);
        }
        let [codes, part_codes] = entity.moving();
        let mut moving = Vec::new();
        let parts = entity.parts.iter().map(|part| (*part, part_codes));
        for (groups, codes) in std::iter::once((entity.groups, codes)).chain(parts) {
            for group in groups {
                moving.extend(coordinate(group, codes, &own)?);
            }
        }
        self.moving.push(moving);
        self.drawing.movers.push(Mover {
            name: entity.name(),
            is_fixed: entity.layer().eq_ignore_ascii_case("fixed"),
            copy_of: None,
        });
        Ok(self.moving.len() - 1)
    }

    fn note(&mut self, note: String) {
        if !self.drawing.notes.contains(&note) {
            self.drawing.notes.push(note);
        }
    }
}

fn coordinate(group: &Group, codes: &[i32], own: &DAffine2) -> Result<Option<Coordinate>> {
    let along = match group.code {
        code if codes.contains(&code) => DVec2::new(own.matrix2.x_axis.x, 0.0),
        code if codes.contains(&(code - 10)) => DVec2::Y,
        _ => return Ok(None),
    };
    Ok(Some(Coordinate { range: group.range.clone(), value: number(group)?, along }))
}

/// The layout in its own drawing if it came from one, or as a drawing of release 12.
pub fn write(layout: &Layout) -> Vec<u8> {
    let Some(Origin::Dxf(source)) = &layout.drawing else {
        return write_new(layout).into_bytes();
    };
    let mut changes: Vec<(&Coordinate, f64)> = Vec::new();
    let pieces = layout.placed.iter().zip(&source.start).zip(&source.coordinates);
    for ((placed, start), coordinates) in pieces {
        let by = DVec2::from(placed.translation) - DVec2::from(*start);
        if by != DVec2::ZERO {
            changes.extend(coordinates.iter().map(|c| (c, c.value + c.along.dot(by))));
        }
    }
    changes.sort_by_key(|(coordinate, _)| coordinate.range.start);
    let mut bytes = Vec::with_capacity(source.bytes.len() + 16 * changes.len());
    let mut at = 0;
    for (coordinate, value) in changes {
        bytes.extend_from_slice(&source.bytes[at..coordinate.range.start]);
        bytes.extend_from_slice(format!("{value:?}").as_bytes());
        at = coordinate.range.end;
    }
    bytes.extend_from_slice(&source.bytes[at..]);
    bytes
}

/// The strip and all pieces as closed polylines.
fn write_new(layout: &Layout) -> String {
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
mod tests;
