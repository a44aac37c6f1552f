//! What vector pictures are made of: containers, bodies, cloth, joints and
//! forces, of one state.

use riprap::export::palette::{FORCES, Rgb, along, hex};
use riprap::math::{DQuat, DVec3};
use riprap::shape::{Core, Piece, Shape, Surface};
use riprap::world::{HeldPoints, Model, Motion, State};

use crate::contacts::Bar;
use crate::markup::{Svg, length, path};
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
            ("stroke", "#101418"),
            ("stroke-opacity", "0.55"),
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
    for (i, body) in model.bodies.iter().enumerate().take(model.rigid_count()) {
        let fixed = body.motion == Motion::Fixed;
        let (position, turn) = (state.positions[i], state.rotations[i]);
        if !paper.shows(position, body.radius) || fixed && look.ghost.is_some() {
            continue;
        }
        let own = if fixed { GROUND } else { look.colours[i] };
        for (mark, light) in marks(model.shape(i), position, turn, paper) {
            // What is fixed is large and lies behind everything.
            let near = if fixed { f64::MIN } else { nearness(&mark, paper) };
            let fill = look.ghost.map_or_else(|| hex(shaded(own, light)), str::to_string);
            figures.push(Figure { near, mark, fill, fixed });
        }
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
