//! What vector pictures are made of: containers, bodies, cloth, joints and
//! forces, of one state.

use riprap::export::palette::{FORCES, Rgb, along, hex};
use riprap::math::{DMat3, DQuat, DVec3};
use riprap::shape::{Aabb, Core, Piece, Shape, Studs, Surface};
use riprap::world::{HeldPoints, Model, Motion, State};

use crate::contacts::Bar;
use crate::markup::{Svg, length, path};
use crate::order::farthest_first;
use crate::palette::INK;
use crate::paper::Paper;

/// The colour of what is fixed.
const GROUND: Rgb = [0xb9, 0xb4, 0xa8];

/// How bodies look.
#[derive(Clone, Copy)]
pub(crate) struct Look<'a> {
    /// Of each body; fixed ones have their own.
    pub colours: &'a [Rgb],
    /// Instead, one colour for all, and nothing of what is fixed.
    pub ghost: Option<&'a str>,
    pub opacity: f64,
}

/// Something to draw, sorted by how near it is.
enum Mark {
    /// Loops, the inside of an even number of which is a hole; with a round border of this width
    /// in the scene.
    Loops(Vec<Vec<DVec3>>, f64),
    Circle(DVec3, f64),
}

struct Figure {
    near: f64,
    mark: Mark,
    fill: String,
    fixed: bool,
}

pub(crate) fn draw_container(svg: &mut Svg, model: &Model, paper: &Paper) {
    let faces = model.boundary.faces();
    if faces.is_empty() || !paper.flat {
        return; // an open scene, or one whose walls would hide all that is in it
    }
    let corners = faces.iter().filter_map(|face| face.corners.first());
    let outline = path(corners.map(|&corner| paper.point(corner)), true);
    let width = length(2.0 * paper.hairline());
    svg.leaf(
        "path",
        &[
            ("d", &outline),
            ("fill", INK),
            ("fill-opacity", "0.07"),
            ("stroke", INK),
            ("stroke-width", &width),
            ("stroke-linejoin", "round"),
        ],
    );
}

/// All bodies and all cloth, the farthest first.
pub(crate) fn draw_bodies(svg: &mut Svg, model: &Model, state: &State, paper: &Paper, look: Look) {
    let width = length(paper.hairline());
    let opacity = length(look.opacity);
    svg.open(
        "g",
        &[
            ("stroke", look.ghost.unwrap_or("#101418")),
            // Of a ghost the edges count: what is behind it keeps its colour.
            ("fill-opacity", if look.ghost.is_some() { "0.12" } else { "1" }),
            ("stroke-opacity", if look.ghost.is_some() { "1" } else { "0.55" }),
            ("stroke-width", &width),
            ("stroke-linejoin", "round"),
            ("opacity", &opacity),
        ],
    );
    for figure in figures(model, state, paper, look) {
        draw_figure(svg, paper, &figure);
    }
    svg.close();
}

fn figures(model: &Model, state: &State, paper: &Paper, look: Look) -> Vec<Figure> {
    let mut figures = Vec::new();
    // Which figures are whose, and the box around them.
    let mut owned: Vec<(Aabb, std::ops::Range<usize>)> = Vec::new();
    for (i, body) in model.bodies.iter().enumerate().take(model.rigid_count()) {
        let fixed = body.motion == Motion::Fixed;
        let (position, turn) = (state.positions[i], state.rotations[i]);
        if !paper.shows(position, body.radius) || fixed && look.ghost.is_some() {
            continue;
        }
        let own = if fixed { GROUND } else { look.colours[i] };
        let fill = |light: f64| look.ghost.map_or_else(|| hex(shaded(own, light)), str::to_string);
        // What is fixed is large and lies behind everything.
        let near = |near: f64| if fixed { f64::MIN } else { near };
        let (mut nearest, first) = (f64::MIN, figures.len());
        for (mark, light) in marks(model.shape(i), position, turn, paper) {
            let own = nearness(&mark, paper);
            nearest = nearest.max(own);
            figures.push(Figure { near: near(own), mark, fill: fill(light), fixed });
        }
        // Studs are in front of the face on which they stand.
        for (mark, light) in studs(model, state, i, paper) {
            let (near, fill) = (near(nearest), fill(light));
            figures.push(Figure { near, mark, fill, fixed: false });
        }
        let turn = DMat3::from_quat(turn);
        let pieces = model.shape(i).pieces.iter().map(|piece| piece.bounds(position, &turn));
        owned.push((pieces.fold(Aabb::EMPTY, |all, one| all.union(&one)), first..figures.len()));
    }
    let pieces = |i: usize| model.shape(i).pieces.len();
    let is_simple = model.cloths.is_empty() && (0..model.rigid_count()).all(|i| pieces(i) <= 1);
    if let Some(ordered) = in_order(&owned, paper).filter(|_| is_simple) {
        let mut figures: Vec<Option<Figure>> = figures.into_iter().map(Some).collect();
        return ordered.into_iter().filter_map(|k| figures[k].take()).collect();
    }
    for face in model.cloths.iter().flat_map(|cloth| &cloth.faces) {
        let corners = face.map(|k| state.positions[k as usize]);
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        let mark = Mark::Loops(vec![corners.to_vec()], 0.0);
        let fill = hex(shaded(look.colours[face[0] as usize], brightness(normal)));
        figures.push(Figure { near: nearness(&mark, paper), mark, fill, fixed: false });
    }
    figures.sort_by(|a, b| a.near.total_cmp(&b.near));
    figures
}

/// The numbers of the figures in an order in which what is in front comes last, if the boxes around
/// bodies of one piece say it: of a convex body no two sides that are seen hide each other.
fn in_order(owned: &[(Aabb, std::ops::Range<usize>)], paper: &Paper) -> Option<Vec<usize>> {
    if paper.flat {
        return None;
    }
    let boxes: Vec<Aabb> = owned.iter().map(|(around, _)| *around).collect();
    let shadow = |around: &Aabb| {
        let corners = (0..8).map(|k| {
            let high = [1, 2, 4].map(|bit| k & bit != 0);
            let at = |axis: usize| if high[axis] { around.max[axis] } else { around.min[axis] };
            paper.point(DVec3::new(at(0), at(1), at(2)))
        });
        corners.fold([f64::MAX, f64::MAX, f64::MIN, f64::MIN], |[a, b, c, d], [x, y]| {
            [a.min(x), b.min(y), c.max(x), d.max(y)]
        })
    };
    let shadows: Vec<[f64; 4]> = boxes.iter().map(shadow).collect();
    let covers = |i: usize, j: usize| {
        let ([a, b, c, d], [e, f, g, h]) = (shadows[i], shadows[j]);
        a < g && e < c && b < h && f < d
    };
    let order = farthest_first(&boxes, Paper::TOWARD, covers)?;
    Some(order.into_iter().flat_map(|k| owned[k].1.clone()).collect())
}

/// The parts of a body that are seen, and how bright they are.
fn marks(shape: &Shape, position: DVec3, turn: DQuat, paper: &Paper) -> Vec<(Mark, f64)> {
    let place = |p: DVec3| position + turn * p;
    if let Some(radius) = shape.is_ball() {
        return vec![(Mark::Circle(position, radius), 1.0)];
    }
    if let Surface::Outline(outline) = &shape.surface {
        let corner = |c: &[f64; 2]| place(DVec3::new(c[0], c[1], 0.0));
        let loops = outline.loops().map(|corners| corners.iter().map(corner).collect());
        let rounding = shape.pieces.first().map_or(0.0, |piece| piece.radius);
        return vec![(Mark::Loops(loops.collect(), rounding), 1.0)];
    }
    if paper.flat {
        return shape.pieces.iter().map(|piece| (flat_piece(piece, &place), 1.0)).collect();
    }
    let facing = |normal: DVec3| paper.nearness(normal) > 0.0;
    let edged = |piece: &Piece| piece.radius == 0.0 && matches!(piece.core, Core::Polytope(_));
    let mut marks = Vec::new();
    if shape.pieces.iter().all(edged) {
        for piece in &shape.pieces {
            let core = piece.polytope().placed(position, turn);
            for facet in core.facets().iter().filter(|facet| facing(facet.normal)) {
                let corners = facet.corners.iter().map(|&k| core.corners()[k as usize]);
                marks.push((Mark::Loops(vec![corners.collect()], 0.0), brightness(facet.normal)));
            }
        }
        return marks;
    }
    for triangle in shape.triangles() {
        let [a, b, c] = triangle.map(place);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        if facing(normal) {
            marks.push((Mark::Loops(vec![vec![a, b, c]], 0.0), brightness(normal)));
        }
    }
    marks
}

/// Sides around a stud.
const STUD_SIDES: usize = 16;

/// The studs of a brick that no other brick covers, the farthest first: the outline of each, and its
/// top.
fn studs(model: &Model, state: &State, brick: usize, paper: &Paper) -> Vec<(Mark, f64)> {
    let Some(studs) = model.shape(brick).studs.filter(|_| !paper.flat) else { return Vec::new() };
    let (position, turn) = (state.positions[brick], state.rotations[brick]);
    let place = |p: DVec3| position + turn * p;
    let is_covered = |foot: &DVec3| {
        let middle = place(*foot + DVec3::Z * (0.5 * Studs::RISE * studs.cell));
        let covers = |other: usize| {
            let Some(own) = model.shape(other).studs else { return false };
            let at = state.rotations[other].inverse() * (middle - state.positions[other]);
            let half = DVec3::new(own.count[0].into(), own.count[1].into(), 0.0) * own.cell;
            (at.abs() - 0.5 * half.with_z(own.height)).max_element() < 0.0
        };
        (0..model.rigid_count()).any(|other| other != brick && covers(other))
    };
    let mut feet: Vec<DVec3> = studs.feet().filter(|foot| !is_covered(foot)).collect();
    feet.sort_by(|a, b| paper.nearness(place(*a)).total_cmp(&paper.nearness(place(*b))));
    let mut marks = Vec::new();
    for foot in feet {
        let [low, high] = studs
            .circles(foot, STUD_SIDES)
            .map(|ring| -> Vec<DVec3> { ring.into_iter().map(place).collect() });
        marks.push((Mark::Loops(vec![silhouette(&low, &high, paper)], 0.0), SIDE));
        marks.push((Mark::Loops(vec![high], 0.0), 1.0));
    }
    marks
}

/// How bright the sides of studs are.
const SIDE: f64 = 0.75;

/// The outline of an upright cylinder: the front of its lower ring, the back of the upper one.
fn silhouette(low: &[DVec3], high: &[DVec3], paper: &Paper) -> Vec<DVec3> {
    let count = low.len();
    let across = |k: usize| paper.point(low[k])[0];
    let by = |a: &usize, b: &usize| across(*a).total_cmp(&across(*b));
    let left = (0..count).min_by(by).unwrap_or(0);
    let right = (0..count).max_by(by).unwrap_or(0);
    // Counter-clockwise seen from above, the front goes from left to right.
    let front = (0..=(right + count - left) % count).map(|k| low[(left + k) % count]);
    let back = (0..=(left + count - right) % count).map(|k| high[(right + k) % count]);
    front.chain(back).collect()
}

/// A part of a flat body that has no single outline.
fn flat_piece(piece: &Piece, place: &impl Fn(DVec3) -> DVec3) -> Mark {
    match &piece.core {
        Core::Polytope(_) => {
            let corners = piece.polytope().corners().iter().map(|c| place(*c)).collect();
            Mark::Loops(vec![corners], piece.radius)
        }
        _ => Mark::Circle(place(piece.at), piece.radius),
    }
}

/// Of a side with this normal, lit from above.
fn brightness(normal: DVec3) -> f64 {
    0.6 + 0.4 * normal.z.abs()
}

fn shaded(colour: Rgb, light: f64) -> Rgb {
    colour.map(|part| (f64::from(part) * light).round() as u8)
}

fn nearness(mark: &Mark, paper: &Paper) -> f64 {
    match mark {
        Mark::Circle(centre, _) => paper.nearness(*centre),
        Mark::Loops(loops, _) => {
            let corners = loops.iter().flatten();
            let sum = corners.clone().sum::<DVec3>();
            paper.nearness(sum / corners.count().max(1) as f64)
        }
    }
}

fn draw_figure(svg: &mut Svg, paper: &Paper, figure: &Figure) {
    let fill = ("fill", figure.fill.as_str());
    match &figure.mark {
        Mark::Circle(centre, radius) => {
            let [x, y] = paper.point(*centre).map(length);
            // The outline lies within the circle, so that touching circles do not seem to overlap.
            let radius = length((radius * paper.scale - 0.5 * paper.hairline()).max(0.1));
            svg.leaf("circle", &[("cx", &x), ("cy", &y), ("r", &radius), fill]);
        }
        Mark::Loops(loops, rounding) => {
            let loops =
                loops.iter().map(|corners| path(corners.iter().map(|c| paper.point(*c)), true));
            let (d, border) =
                (loops.collect::<Vec<_>>().join(" "), length(2.0 * rounding * paper.scale));
            let mut look = vec![("d", d.as_str()), fill, ("fill-rule", "evenodd")];
            if *rounding > 0.0 {
                look.extend([
                    ("stroke", fill.1),
                    ("stroke-width", &border),
                    ("stroke-opacity", "1"),
                ]);
            } else if figure.fixed {
                look.push(("stroke", "none"));
            }
            svg.leaf("path", &look);
        }
    }
}

/// Bars and ropes as lines, other joints as points.
pub(crate) fn draw_joints(svg: &mut Svg, model: &Model, state: &State, paper: &Paper) {
    if model.joints.is_empty() {
        return;
    }
    svg.open("g", &[("stroke", INK), ("fill", "#ffffff"), ("stroke-linecap", "round")]);
    for joint in &model.joints {
        let ends = joint.ends(state);
        if !ends.iter().all(|end| end.is_finite()) {
            continue;
        }
        let [from, to] = ends.map(|end| paper.point(end));
        match joint.kind.holds().0 {
            HeldPoints::Apart { .. } => {
                let dashes = if joint.is_rope() { "4 3" } else { "none" };
                svg.line(from, to, &[("stroke-width", "2"), ("stroke-dasharray", dashes)]);
            }
            HeldPoints::Free => {}
            _ => {
                let radius = length((0.16 * paper.typical).clamp(1.5, 5.0));
                let [x, y] = from.map(length);
                svg.leaf("circle", &[("cx", &x), ("cy", &y), ("r", &radius)]);
            }
        }
    }
    svg.close();
}

/// A line per contact, its width in proportion to its force.
pub(crate) fn draw_forces(svg: &mut Svg, bars: &[Bar], strongest: f64, paper: &Paper) {
    if bars.is_empty() || strongest <= 0.0 {
        return;
    }
    svg.open("g", &[("stroke-linecap", "round")]);
    for bar in bars {
        let share = (bar.force / strongest).min(1.0);
        let (colour, width) =
            (hex(along(&FORCES, share)), length((0.5 * bar.width * paper.scale).max(0.5)));
        let [from, to] = bar.ends.map(|end| paper.point(end));
        svg.line(from, to, &[("stroke", &colour), ("stroke-width", &width)]);
    }
    svg.close();
}

/// Numbers are as large as if bodies had at most this many times the typical radius.
const LARGEST_LABEL: f64 = 1.2;

/// The numbers of the bodies.
pub(crate) fn draw_labels(svg: &mut Svg, model: &Model, state: &State, paper: &Paper) {
    svg.open("g", &[("fill", "#101418")]);
    for (i, position) in state.positions.iter().enumerate().take(model.rigid_count()) {
        // A wide floor has no larger number than others have.
        let radius = (model.bodies[i].radius * paper.scale).min(LARGEST_LABEL * paper.typical);
        if paper.shows(*position, model.bodies[i].radius) {
            let number = i.to_string();
            let size = radius * (1.8 / (number.len() as f64 + 1.0)).min(0.9);
            let [x, y] = paper.point(*position);
            let place = [x, y + 0.35 * size];
            svg.label(place, "middle", &[("font-size", &length(size))], &number);
        }
    }
    svg.close();
}
