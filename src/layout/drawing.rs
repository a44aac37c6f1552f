//! From the lines of a drawing to pieces on a strip, whatever the format. Open
//! lines whose ends meet are joined. A closed line that lies in no other is the
//! outline of a piece, one inside is a hole of it, one inside a hole is a piece
//! again, and so on. What else lies inside a piece (lines, text) moves with it.

use std::collections::BTreeMap;

use super::curve::{Line, double_area};
use super::untangle::untangled;
use super::{Item, Layout, Placed, Strip, check_coordinate, in_item};
use crate::math::{DAffine2, DVec2};
use crate::problem::{Problem, Result, few_digits};
use crate::shape::{Outline, UnionFind, loop_contains, segments_meet};

/// Unless told otherwise, curves are flattened to this part of the drawing's size.
const TOLERANCE: f64 = 2e-5;

/// The finest tolerance, likewise: some two thousand corners for a circle.
const FINEST: f64 = 1e-6;

/// The coarsest: what is farther from a curve draws something else.
const COARSEST: f64 = 0.1;

/// Flattened lines that cut themselves are tried again so often, each time ten times finer.
const FINER: i32 = 4;

/// What a drawing contains, as its reader found it.
#[derive(Debug, Default)]
pub struct Drawing {
    pub strokes: Vec<Stroke>,
    /// What is no line, but has a place: text, for example.
    pub marks: Vec<Mark>,
    /// What can be moved, by name: elements or entities.
    pub movers: Vec<Mover>,
    /// The sheet, where the drawing says nothing else.
    pub page: Option<Strip>,
    /// What was not understood.
    pub notes: Vec<String>,
}

#[derive(Debug)]
pub struct Stroke {
    /// In the coordinates of `place`.
    pub line: Line,
    pub place: DAffine2,
    pub mover: usize,
    pub is_closed: bool,
    pub is_strip: bool,
    /// A closed line of the same mover inside, which goes around the same way, is no hole.
    pub is_nonzero: bool,
}

#[derive(Debug)]
pub struct Mark {
    pub at: DVec2,
    pub mover: usize,
}

#[derive(Debug, Default)]
pub struct Mover {
    pub name: String,
    pub is_fixed: bool,
    /// A copy of something that is drawn once, and which.
    pub copy_of: Option<String>,
}

/// A layout, and which movers each of its pieces has.
pub struct Found {
    pub layout: Layout,
    pub movers: Vec<Vec<usize>>,
}

/// A closed line.
struct Loop {
    lines: Vec<(Line, DAffine2)>,
    movers: Vec<usize>,
    is_nonzero: bool,
    corners: Vec<[f64; 2]>,
    area: f64,
    bounds: Strip,
    /// The piece it is part of, and whether it is its outline or a hole.
    piece: usize,
    role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Outline,
    Hole,
    /// Moves with its piece, but bounds nothing.
    Detail,
}

impl Drawing {
    /// Pieces and strip; without a tolerance, one that suits the size of the drawing is taken.
    pub fn into_layout(self, name: &str, tolerance: Option<f64>) -> Result<Found> {
        for stroke in &self.strokes {
            let reach = stroke.line.moved(&stroke.place).reach();
            check_coordinate(&self.movers[stroke.mover].name, reach)?;
        }
        let size = self.size();
        let tolerance = tolerance.unwrap_or(TOLERANCE * size);
        let [finest, coarsest] = [FINEST * size, COARSEST * size];
        if !(finest..=coarsest).contains(&tolerance) {
            let (what, bound) = match tolerance < finest {
                true => ("fine", format!("at least {finest:.0e}")),
                false => ("coarse", format!("at most {coarsest:.0e}")),
            };
            return Err(Problem::new(format!(
                "the tolerance of curves, {tolerance:e}, is too {what} for a drawing of size {}",
                few_digits(size)
            ))
            .help(format!("give {bound}, or leave it out")));
        }
        let mut notes = self.notes;
        let (strips, strokes): (Vec<_>, Vec<_>) =
            self.strokes.into_iter().partition(|stroke| stroke.is_strip);
        let (mut loops, open) = join(strokes, tolerance);
        let strip = match &strips[..] {
            [] => page(&mut loops, self.page, &mut notes)?,
            _ if strips.iter().filter(|strip| strip.is_closed).count() > 1 => {
                return Err(Problem::new("the drawing has two strips").help("give one"));
            }
            _ => {
                let lines = strips.iter().map(|strip| strip.line.moved(&strip.place));
                bounds(&lines.flat_map(|line| line.corners(tolerance)).collect::<Vec<_>>())
            }
        };
        nest(&mut loops);
        let mut found =
            Found { layout: Layout::new(name, Vec::new(), strip, Vec::new()), movers: Vec::new() };
        assemble(&loops, &self.movers, tolerance, &mut found)?;
        let details = open.iter().map(|chain| (chain.points(tolerance), chain.movers.clone()));
        let empty = loops.iter().filter(|one| one.is_empty());
        let details = details.chain(empty.map(|one| (one.corners.clone(), one.movers.clone())));
        let marks = self.marks.iter().map(|mark| (vec![mark.at.to_array()], vec![mark.mover]));
        for (points, movers) in details.chain(marks) {
            take_along(&mut found, &loops, &points, &movers, &self.movers, &mut notes);
        }
        check_movers(&found, &self.movers)?;
        notes.append(&mut found.layout.notes);
        found.layout.notes = notes;
        Ok(found)
    }

    fn size(&self) -> f64 {
        let ends = self.strokes.iter().flat_map(|stroke| {
            let line = stroke.line.moved(&stroke.place);
            line.segments.iter().flat_map(|s| s.hull()).collect::<Vec<_>>()
        });
        let (low, high) = ends.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), p| {
            (low.min(p), high.max(p))
        });
        let size = (high - low).max_element();
        if size.is_finite() && size > 0.0 { size } else { 1.0 }
    }
}

/// Lines end to end that are not closed.
struct Chain {
    lines: Vec<(Line, DAffine2)>,
    movers: Vec<usize>,
    is_nonzero: bool,
}

impl Chain {
    fn ends(&self) -> Option<[DVec2; 2]> {
        let end = |(line, place): &(Line, DAffine2), k: usize| {
            line.ends().map(|ends| place.transform_point2(ends[k]))
        };
        Some([end(self.lines.first()?, 0)?, end(self.lines.last()?, 1)?])
    }

    /// Whether it comes back to its start.
    fn is_round(&self, tolerance: f64) -> bool {
        self.ends().is_some_and(|[a, b]| a.distance(b) <= tolerance)
            && self.points(tolerance).len() > 2
    }

    fn points(&self, tolerance: f64) -> Vec<[f64; 2]> {
        self.lines.iter().flat_map(|(line, place)| line.moved(place).corners(tolerance)).collect()
    }

    fn reversed(&self) -> Chain {
        let lines = self.lines.iter().rev().map(|(line, place)| (line.reversed(), *place));
        Chain { lines: lines.collect(), movers: self.movers.clone(), is_nonzero: self.is_nonzero }
    }

    fn join(mut self, next: Chain) -> Chain {
        self.lines.extend(next.lines);
        for mover in next.movers {
            if !self.movers.contains(&mover) {
                self.movers.push(mover);
            }
        }
        self
    }
}

/// Joins open lines at ends that two of them share; what is closed then, and what is still open.
fn join(strokes: Vec<Stroke>, tolerance: f64) -> (Vec<Loop>, Vec<Chain>) {
    let (mut loops, mut open) = (Vec::new(), Vec::<Chain>::new());
    for stroke in strokes {
        let chain = Chain {
            lines: vec![(stroke.line, stroke.place)],
            movers: vec![stroke.mover],
            is_nonzero: stroke.is_nonzero,
        };
        match stroke.is_closed || chain.is_round(tolerance) {
            true => loops.push(chain.close(tolerance)),
            false => open.push(chain),
        }
    }
    let partners = partners(&open, tolerance);
    let mut still = Vec::new();
    let mut open: Vec<Option<Chain>> = open.into_iter().map(Some).collect();
    for k in 0..open.len() {
        if open[k].is_none() {
            continue;
        }
        // Back to where the chain begins, or around it once.
        let mut first = [k, 0];
        while let Some([other, end]) = partners[first[0]][first[1]]
            && other != k
        {
            first = [other, 1 - end];
        }
        let mut at = first;
        let mut chain: Option<Chain> = None;
        while let Some(next) = open[at[0]].take() {
            let next = if at[1] == 0 { next } else { next.reversed() };
            chain = Some(match chain {
                Some(chain) => chain.join(next),
                None => next,
            });
            match partners[at[0]][1 - at[1]] {
                Some(next) => at = next,
                None => break,
            }
        }
        match chain {
            Some(chain) if chain.is_round(tolerance) => loops.push(chain.close(tolerance)),
            chain => still.extend(chain),
        }
    }
    (loops, still)
}

/// For both ends of each chain the one other end that is there: which chain, and which end of it.
/// Where more than two ends meet, nobody can say who goes on with whom.
fn partners(open: &[Chain], tolerance: f64) -> Vec<[Option<[usize; 2]>; 2]> {
    let mut ends: Vec<(DVec2, [usize; 2])> = Vec::new();
    for (k, chain) in open.iter().enumerate() {
        if let Some([start, end]) = chain.ends() {
            ends.extend([(start, [k, 0]), (end, [k, 1])]);
        }
    }
    ends.sort_by(|a, b| a.0.x.total_cmp(&b.0.x));
    let mut places = UnionFind::new(ends.len());
    for (i, (at, _)) in ends.iter().enumerate() {
        let near = ends[i + 1..].iter().take_while(|(other, _)| other.x - at.x <= tolerance);
        for (j, (other, _)) in near.enumerate() {
            if at.distance(*other) <= tolerance {
                places.union(i, i + 1 + j);
            }
        }
    }
    let mut meeting: BTreeMap<usize, Vec<[usize; 2]>> = BTreeMap::new();
    for (i, (_, end)) in ends.iter().enumerate() {
        meeting.entry(places.find(i)).or_default().push(*end);
    }
    let mut partners = vec![[None; 2]; open.len()];
    for ends in meeting.values() {
        if let [one, two] = ends[..] {
            partners[one[0]][one[1]] = Some(two);
            partners[two[0]][two[1]] = Some(one);
        }
    }
    partners
}

impl Chain {
    fn close(self, tolerance: f64) -> Loop {
        let corners = self.points(tolerance);
        Loop {
            bounds: bounds(&corners),
            area: double_area(&corners) / 2.0,
            corners,
            lines: self.lines,
            movers: self.movers,
            is_nonzero: self.is_nonzero,
            piece: usize::MAX,
            role: Role::Detail,
        }
    }
}

impl Loop {
    /// There and back again.
    fn is_empty(&self) -> bool {
        self.corners.len() < 3 || self.area == 0.0
    }
}

fn bounds(corners: &[[f64; 2]]) -> Strip {
    let limit = |pick: fn(f64, f64) -> f64, start: f64| {
        [0, 1].map(|axis| corners.iter().map(|c| c[axis]).fold(start, pick))
    };
    Strip { min: limit(f64::min, f64::INFINITY), max: limit(f64::max, f64::NEG_INFINITY) }
}

fn holds(outer: &Strip, inner: &Strip) -> bool {
    (0..2).all(|k| outer.min[k] <= inner.min[k] && inner.max[k] <= outer.max[k])
}

/// The strip of a drawing that names none: a rectangle around all else, or the page.
fn page(loops: &mut Vec<Loop>, page: Option<Strip>, notes: &mut Vec<String>) -> Result<Strip> {
    let around = loops.iter().position(|one| {
        let area = (one.bounds.length() * one.bounds.height()).abs();
        let is_rectangle = one.corners.len() == 4 && (one.area.abs() - area).abs() <= 1e-9 * area;
        is_rectangle
            && loops.len() > 1
            && loops.iter().all(|other| holds(&one.bounds, &other.bounds))
    });
    if let Some(k) = around {
        notes.push("the strip is the rectangle around all else".into());
        return Ok(loops.remove(k).bounds);
    }
    if let Some(page) = page {
        let [length, height] = [page.length(), page.height()].map(few_digits);
        notes.push(format!("the strip is the page, {length} x {height}"));
        return Ok(page);
    }
    Err(Problem::new("the drawing has no strip").help(
        "draw a rectangle around all pieces, or name one: in SVG by the id \"strip\", in DXF by \
         the layer STRIP",
    ))
}

/// Whether the first loop lies inside the second.
fn is_inside(one: &Loop, two: &Loop) -> bool {
    if !holds(&two.bounds, &one.bounds) || one.area.abs() >= two.area.abs() {
        return false;
    }
    let edges = |corners: &[[f64; 2]]| -> Vec<[[f64; 2]; 2]> {
        corners.iter().zip(corners.iter().cycle().skip(1)).map(|(a, b)| [*a, *b]).collect()
    };
    let near = |edge: &[[f64; 2]; 2]| {
        let box_ = bounds(edge);
        (0..2).all(|k| box_.min[k] <= one.bounds.max[k] && one.bounds.min[k] <= box_.max[k])
    };
    let ours = edges(&one.corners);
    let theirs: Vec<_> = edges(&two.corners).into_iter().filter(near).collect();
    loop_contains(&two.corners, one.corners[0])
        && !ours.iter().any(|a| theirs.iter().any(|b| segments_meet(*a, *b)))
}

/// Finds out which loops are outlines, and of what the others are holes. A loop's `piece` is the
/// number of the loop that is the piece's outline.
fn nest(loops: &mut [Loop]) {
    let mut order: Vec<usize> = (0..loops.len()).collect();
    order.sort_by(|&a, &b| loops[b].area.abs().total_cmp(&loops[a].area.abs()));
    for (rank, &k) in order.iter().enumerate() {
        if loops[k].is_empty() {
            (loops[k].piece, loops[k].role) = (k, Role::Detail);
            continue;
        }
        // The smallest that it lies in.
        let around = order[..rank].iter().rev().copied().find(|&other| {
            loops[other].role != Role::Detail && is_inside(&loops[k], &loops[other])
        });
        (loops[k].piece, loops[k].role) = match around {
            None => (k, Role::Outline),
            Some(other) => {
                let (one, two) = (&loops[k], &loops[other]);
                let same = one.movers == two.movers && one.is_nonzero;
                match two.role {
                    _ if same && (one.area > 0.0) == (two.area > 0.0) => (two.piece, Role::Detail),
                    Role::Outline => (two.piece, Role::Hole),
                    _ => (k, Role::Outline),
                }
            }
        };
    }
}

/// Makes the pieces.
fn assemble(loops: &[Loop], movers: &[Mover], tolerance: f64, found: &mut Found) -> Result<()> {
    let mut copies: BTreeMap<String, usize> = BTreeMap::new();
    for (k, outer) in loops.iter().enumerate() {
        if outer.piece != k || outer.role != Role::Outline {
            continue;
        }
        let parts: Vec<&Loop> = loops.iter().filter(|other| other.piece == k).collect();
        let mut mine: Vec<usize> = parts.iter().flat_map(|part| part.movers.clone()).collect();
        mine.sort_unstable();
        mine.dedup();
        let label = movers[outer.movers[0]].name.clone();
        let place = common_place(&parts, &mine, movers);
        let (placed, known) = match &place {
            Some((copy, place)) => (*place, copies.get(copy).copied()),
            None => (DAffine2::IDENTITY, None),
        };
        let item = match known {
            Some(item) => item,
            None => {
                let is_copy = place.is_some();
                let (outline, loops) =
                    outline(&parts, is_copy, tolerance).map_err(|p| in_item(p, &label))?;
                if loops > 0 {
                    found.layout.notes.push(format!(
                        "the outline of {label} cuts itself (small loops: {loops}): taken as what covers it"
                    ));
                }
                let named =
                    place.as_ref().and_then(|(copy, _)| copy.strip_prefix("item_")?.parse().ok());
                let id = named.unwrap_or(found.layout.items.len() as u64);
                found.layout.items.push(Item {
                    id,
                    outline,
                    demand: 0,
                    orientations: None,
                    label: Some(label).filter(|_| named.is_none()),
                });
                found.layout.items.len() - 1
            }
        };
        if let Some((copy, _)) = place {
            copies.insert(copy, item);
        }
        found.layout.items[item].demand += 1;
        found.layout.placed.push(Placed {
            item,
            rotation: angle(&placed),
            translation: placed.translation.to_array(),
            fixed: mine.iter().any(|&mover| movers[mover].is_fixed),
        });
        found.movers.push(mine);
    }
    Ok(())
}

/// If all of a piece is one copy of something, turned and moved: of what, and how.
fn common_place(parts: &[&Loop], mine: &[usize], movers: &[Mover]) -> Option<(String, DAffine2)> {
    let [mover] = mine else { return None };
    let copy = movers[*mover].copy_of.clone()?;
    let place = parts.first()?.lines.first()?.1;
    let alike = parts.iter().flat_map(|part| &part.lines).all(|(_, other)| *other == place);
    let turn = place.matrix2;
    let is_turn = (turn.x_axis.perp() - turn.y_axis).length() < 1e-9
        && (turn.x_axis.length() - 1.0).abs() < 1e-9;
    (alike && is_turn).then_some((copy, place))
}

fn angle(place: &DAffine2) -> f64 {
    let [x, y] = place.matrix2.x_axis.to_array();
    match [x, y] {
        // Quarter turns to the last bit.
        _ if y.abs() < 1e-15 => {
            if x > 0.0 {
                0.0
            } else {
                180.0
            }
        }
        _ if x.abs() < 1e-15 => {
            if y > 0.0 {
                90.0
            } else {
                270.0
            }
        }
        _ => y.atan2(x).to_degrees(),
    }
}

/// The outline of a piece, flattened outwards. What cuts itself only because it was flattened is
/// flattened finer; what is drawn so is covered, if it is small loops: how many there were.
fn outline(parts: &[&Loop], is_copy: bool, tolerance: f64) -> Result<(Outline, usize)> {
    let corners = |part: &Loop, tolerance: f64| {
        // With the figure on its left; copies are turned, never mirrored.
        let forwards = (part.area > 0.0) == (part.role == Role::Outline);
        let moved = part.lines.iter().map(|(line, place)| match is_copy {
            true => line.clone(),
            false => line.moved(place),
        });
        let segments = moved.flat_map(|line| line.segments).collect();
        let line = Line { segments };
        (if forwards { line } else { line.reversed() }).corners(tolerance)
    };
    let mut last = Problem::new("the piece has no outline");
    let of = |role: Role, tolerance: f64| {
        let parts = parts.iter().filter(move |part| part.role == role);
        parts.map(|part| corners(part, tolerance)).collect::<Vec<_>>()
    };
    for power in 0..FINER {
        let tolerance = tolerance * 0.1_f64.powi(power);
        match Outline::new(&of(Role::Outline, tolerance).concat(), &of(Role::Hole, tolerance)) {
            Ok(outline) => return Ok((outline, 0)),
            Err(problem) => last = problem,
        }
    }
    let mut loops = 0;
    let mut plain = |role: Role| -> Vec<Vec<[f64; 2]>> {
        let plain = |corners: Vec<[f64; 2]>| match untangled(&corners) {
            Some((corners, found)) => {
                loops += found;
                corners
            }
            None => corners,
        };
        of(role, tolerance).into_iter().map(plain).collect()
    };
    let (outer, holes) = (plain(Role::Outline).concat(), plain(Role::Hole));
    Outline::new(&outer, &holes).map(|outline| (outline, loops)).map_err(|_| last)
}

/// Lets what lies inside a piece move with it, and says so where it lies elsewhere.
fn take_along(
    found: &mut Found,
    loops: &[Loop],
    points: &[[f64; 2]],
    movers: &[usize],
    all: &[Mover],
    notes: &mut Vec<String>,
) {
    let outlines: Vec<&Loop> = loops
        .iter()
        .enumerate()
        .filter(|(k, l)| l.piece == *k && l.role == Role::Outline)
        .map(|(_, l)| l)
        .collect();
    let inside = |one: &&Loop| points.iter().all(|p| loop_contains(&one.corners, *p));
    let smallest = outlines
        .iter()
        .enumerate()
        .filter(|(_, one)| inside(one))
        .min_by(|a, b| a.1.area.abs().total_cmp(&b.1.area.abs()));
    match smallest {
        Some((piece, _)) => {
            for mover in movers {
                if !found.movers[piece].contains(mover) {
                    found.movers[piece].push(*mover);
                }
            }
        }
        None => {
            let names: Vec<&str> = movers.iter().map(|&mover| all[mover].name.as_str()).collect();
            let taken = movers.iter().any(|m| found.movers.iter().any(|mine| mine.contains(m)));
            if !taken {
                notes.push(format!("{} is no part of a piece, and stays", names.join(" with ")));
            }
        }
    }
}

/// Nothing can move with two pieces.
fn check_movers(found: &Found, movers: &[Mover]) -> Result<()> {
    let mut owner: BTreeMap<usize, usize> = BTreeMap::new();
    for (piece, mine) in found.movers.iter().enumerate() {
        for &mover in mine {
            if owner.insert(mover, piece).is_some_and(|other| other != piece) {
                return Err(Problem::new(format!(
                    "{} draws more than one piece, which cannot be moved apart",
                    movers[mover].name
                ))
                .help("draw every piece by an element of its own"));
            }
        }
    }
    Ok(())
}
