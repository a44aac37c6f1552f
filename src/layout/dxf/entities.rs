//! The entities of a DXF drawing, and what they draw.

use std::collections::BTreeMap;

use super::groups::{Group, number};
use super::spline::{spline, through};
use crate::layout::curve::{Line, Segment};
use crate::math::{DAffine2, DMat2, DVec2};
use crate::problem::{Problem, Result};

/// An entity with the vertices or attributes that follow it.
#[derive(Clone, Debug)]
pub struct Entity<'t> {
    pub kind: &'t str,
    pub groups: &'t [Group<'t>],
    pub parts: Vec<&'t [Group<'t>]>,
    /// Where it begins, for messages: the line of the file.
    pub line: usize,
}

/// Entities that others are made of.
pub struct Block<'t> {
    pub base: DVec2,
    pub entities: Vec<Entity<'t>>,
}

/// What a file contains, as far as drawings need it.
#[derive(Default)]
pub struct Contents<'t> {
    pub entities: Vec<Entity<'t>>,
    pub blocks: BTreeMap<&'t str, Block<'t>>,
    /// Layers that are switched off or frozen.
    pub hidden: Vec<&'t str>,
    /// The code of the unit of length.
    pub unit: i64,
}

/// Sorts the groups of a file.
pub fn contents<'t>(groups: &'t [Group<'t>]) -> Result<Contents<'t>> {
    let mut contents = Contents::default();
    // Runs that begin with a code 0.
    let starts: Vec<usize> =
        (0..groups.len()).filter(|&k| groups[k].code == 0).chain([groups.len()]).collect();
    let (mut section, mut block): (&str, Option<&str>) = ("", None);
    for pair in starts.windows(2) {
        let (kind, rest) = (groups[pair[0]].value, &groups[pair[0] + 1..pair[1]]);
        match (kind, section) {
            ("SECTION", _) => {
                section = text(rest, 2).unwrap_or_default();
                if section == "HEADER" {
                    contents.unit = unit(rest);
                }
            }
            ("ENDSEC", _) => section = "",
            ("LAYER", "TABLES") => {
                let off = text(rest, 62).is_some_and(|colour| colour.starts_with('-'));
                let frozen = whole(rest, 70) & 1 == 1;
                if off || frozen {
                    contents.hidden.extend(text(rest, 2));
                }
            }
            ("BLOCK", "BLOCKS") => {
                block = text(rest, 2);
                let base = point(rest, 10)?.unwrap_or(DVec2::ZERO);
                contents
                    .blocks
                    .insert(block.unwrap_or_default(), Block { base, entities: Vec::new() });
            }
            ("ENDBLK", "BLOCKS") => block = None,
            (_, "BLOCKS" | "ENTITIES") => {
                let list = match section {
                    "ENTITIES" => Some(&mut contents.entities),
                    _ => block
                        .and_then(|name| contents.blocks.get_mut(name))
                        .map(|block| &mut block.entities),
                };
                if let Some(list) = list {
                    let line = 2 * pair[0] + 1;
                    add(list, Entity { kind, groups: rest, parts: Vec::new(), line });
                }
            }
            _ => {}
        }
    }
    Ok(contents)
}

/// Vertices and attributes belong to what is before them.
fn add<'t>(list: &mut Vec<Entity<'t>>, entity: Entity<'t>) {
    match (entity.kind, list.last_mut()) {
        ("VERTEX" | "ATTRIB", Some(last)) => last.parts.push(entity.groups),
        ("SEQEND" | "VERTEX" | "ATTRIB", _) => {}
        _ => list.push(entity),
    }
}

fn unit(header: &[Group]) -> i64 {
    let at = header.iter().position(|group| group.code == 9 && group.value == "$INSUNITS");
    at.map_or(0, |at| whole(&header[at..header.len().min(at + 2)], 70))
}

/// The first value of a code.
pub fn text<'t>(groups: &[Group<'t>], code: i32) -> Option<&'t str> {
    groups.iter().find(|group| group.code == code).map(|group| group.value)
}

pub fn whole(groups: &[Group], code: i32) -> i64 {
    text(groups, code).and_then(|value| value.parse().ok()).unwrap_or(0)
}

fn real(groups: &[Group], code: i32) -> Result<Option<f64>> {
    groups.iter().find(|group| group.code == code).map(number).transpose()
}

/// The first point whose x has this code; y has ten more.
pub fn point(groups: &[Group], code: i32) -> Result<Option<DVec2>> {
    Ok(real(groups, code)?.zip(real(groups, code + 10)?).map(|(x, y)| DVec2::new(x, y)))
}

impl Entity<'_> {
    pub fn layer(&self) -> &str {
        text(self.groups, 8).unwrap_or("0")
    }

    /// Kind, layer and line of the file.
    pub fn name(&self) -> String {
        let clean =
            |text: &str| -> String { text.chars().filter(|c| !c.is_control()).take(40).collect() };
        format!("{} on layer {} in line {}", clean(self.kind), clean(self.layer()), self.line)
    }

    /// Whether its coordinates are seen from below; `None` if its plane is slanted.
    pub fn is_mirrored(&self) -> Result<Option<bool>> {
        let [x, y, z] = [210, 220, 230].map(|code| real(self.groups, code));
        let (x, y, z) = (x?.unwrap_or(0.0), y?.unwrap_or(0.0), z?.unwrap_or(1.0));
        let upright = x.abs() + y.abs() <= 1e-9 * z.abs();
        Ok(upright.then_some(z < 0.0))
    }

    /// From its own coordinates to those of the drawing: some kinds are given in the plane that
    /// they lie in.
    pub fn place(&self, is_mirrored: bool) -> DAffine2 {
        let in_plane = !["LINE", "SPLINE", "ELLIPSE", "POINT", "MTEXT"].contains(&self.kind);
        let flip = if in_plane && is_mirrored { -1.0 } else { 1.0 };
        DAffine2::from_mat2(DMat2::from_diagonal(DVec2::new(flip, 1.0)))
    }

    /// The codes of the x coordinates that move with it, of the entity and of its parts.
    pub fn moving(&self) -> [&'static [i32]; 2] {
        match self.kind {
            "LINE" | "SPLINE" | "TEXT" => [&[10, 11], &[]],
            "POLYLINE" => [&[], &[10]],
            "INSERT" => [&[10], &[10, 11]],
            _ => [&[10], &[]],
        }
    }

    /// What it draws, if it is a line of some kind, and whether it is closed.
    pub fn draw(&self, is_mirrored: bool) -> Result<Option<(Line, bool)>> {
        let get = |code: i32| real(self.groups, code);
        let at = |code: i32| {
            point(self.groups, code)?.ok_or_else(|| {
                Problem::new(format!("{} has no point with the code {code}", self.name()))
            })
        };
        let need = |code: i32| {
            get(code)?.ok_or_else(|| {
                Problem::new(format!("{} has no number with the code {code}", self.name()))
            })
        };
        let one =
            |segment: Segment, closed: bool| Ok(Some((Line { segments: vec![segment] }, closed)));
        let turn = std::f64::consts::TAU;
        match self.kind {
            "LINE" => one(Segment::Straight([at(10)?, at(11)?]), false),
            "CIRCLE" | "ARC" => {
                let radius = need(40)?.abs();
                let axes = [DVec2::X * radius, DVec2::Y * radius];
                let is_circle = self.kind == "CIRCLE";
                let t = match is_circle {
                    true => [0.0, turn],
                    false => {
                        let [from, to] = [need(50)?, need(51)?].map(f64::to_radians);
                        [from, from + (to - from).rem_euclid(turn)]
                    }
                };
                one(Segment::Arc { centre: at(10)?, axes, t }, is_circle)
            }
            "ELLIPSE" => {
                let long = at(11)?;
                let flip = if is_mirrored { -1.0 } else { 1.0 };
                let axes = [long, long.perp() * need(40)? * flip];
                let [from, to] = [get(41)?.unwrap_or(0.0), get(42)?.unwrap_or(turn)];
                let span = (to - from).rem_euclid(turn);
                let is_closed = span < 1e-9 || turn - span < 1e-9;
                let t = [from, from + if is_closed { turn } else { span }];
                one(Segment::Arc { centre: at(10)?, axes, t }, is_closed)
            }
            "LWPOLYLINE" | "POLYLINE" => self.polyline(),
            "SPLINE" => {
                let line = self.spline()?;
                let is_closed = whole(self.groups, 70) & 1 == 1;
                Ok(Some((line, is_closed)))
            }
            _ => Ok(None),
        }
    }

    fn spline(&self) -> Result<Line> {
        let all = |code: i32| -> Result<Vec<f64>> {
            self.groups.iter().filter(|group| group.code == code).map(number).collect()
        };
        let points: Vec<DVec2> =
            all(10)?.into_iter().zip(all(20)?).map(|(x, y)| DVec2::new(x, y)).collect();
        if points.is_empty() {
            return self.fitted();
        }
        let degree = whole(self.groups, 71).clamp(0, 1000) as usize;
        spline(degree, &all(40)?, &points, &all(41)?).map_err(|problem| Problem {
            message: format!("{}: {}", self.name(), problem.message),
            ..problem
        })
    }

    /// A spline that is given by the points that it goes through.
    fn fitted(&self) -> Result<Line> {
        let all = |code: i32| -> Result<Vec<f64>> {
            self.groups.iter().filter(|group| group.code == code).map(number).collect()
        };
        let mut points: Vec<DVec2> =
            all(11)?.into_iter().zip(all(21)?).map(|(x, y)| DVec2::new(x, y)).collect();
        points.dedup();
        let is_closed = whole(self.groups, 70) & 1 == 1;
        if points.len() < 2 || is_closed {
            let what =
                if is_closed { "is closed and has fit points only" } else { "has no points" };
            return Err(
                Problem::new(format!("{} {what}", self.name())).help("save it with control points")
            );
        }
        let tangents = [point(self.groups, 12)?, point(self.groups, 13)?];
        Ok(through(&points, tangents))
    }

    /// Straight lines, and arcs where a vertex has a bulge.
    fn polyline(&self) -> Result<Option<(Line, bool)>> {
        let flags = whole(self.groups, 70);
        if self.kind == "POLYLINE" && flags & (16 | 64) != 0 {
            return Ok(None); // a mesh
        }
        let mut corners: Vec<(DVec2, f64)> = Vec::new();
        match self.kind {
            "POLYLINE" => {
                for part in &self.parts {
                    // Control points of a curve that is drawn by others.
                    if whole(part, 70) & 16 == 0 {
                        let at = point(part, 10)?.unwrap_or(DVec2::ZERO);
                        corners.push((at, real(part, 42)?.unwrap_or(0.0)));
                    }
                }
            }
            _ => {
                for group in self.groups {
                    match (group.code, corners.last_mut()) {
                        (10, _) => corners.push((DVec2::new(number(group)?, 0.0), 0.0)),
                        (20, Some(last)) => last.0.y = number(group)?,
                        (42, Some(last)) => last.1 = number(group)?,
                        _ => {}
                    }
                }
            }
        }
        let is_closed = flags & 1 == 1;
        let count = if is_closed { corners.len() } else { corners.len().saturating_sub(1) };
        let segments = (0..count).map(|k| {
            let (from, bulge) = corners[k];
            bulged([from, corners[(k + 1) % corners.len()].0], bulge)
        });
        let segments = segments.filter(|segment| segment.start() != segment.end()).collect();
        Ok(Some((Line { segments }, is_closed)))
    }
}

/// An arc that bulges by less than half of this part of its length is straight: the places of an arc with
/// such a radius are not known any better.
const STRAIGHT: f64 = 1e-8;

/// From end to end with a bulge: the tangent of a quarter of the angle, positive to the right.
fn bulged([from, to]: [DVec2; 2], bulge: f64) -> Segment {
    if bulge.abs() < STRAIGHT || from == to {
        return Segment::Straight([from, to]);
    }
    let chord = to - from;
    let centre = (from + to) / 2.0 + chord.perp() * ((1.0 - bulge * bulge) / (4.0 * bulge));
    let radius = from.distance(centre);
    let start = (from - centre).to_angle();
    Segment::Arc {
        centre,
        axes: [DVec2::X * radius, DVec2::Y * radius],
        t: [start, start + 4.0 * bulge.atan()],
    }
}
