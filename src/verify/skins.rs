//! Overlap of bodies that do not turn, by their surfaces and by the convex pieces
//! in the file: a piece that is missing shows at the surface, and bodies whose
//! sides pass through each other exactly face to face show at the pieces. Bodies
//! that are apart at the start and never cut into each other stay apart, so what is
//! inside is asked only once.

use std::collections::BTreeMap;

use super::distance::{Way, between_segments, closest, moving_point_and_face, moving_points};
use super::faces::{Chunk, closest_pass, deepest_cut, deepest_overlap};
use super::inside::Inside;
use crate::math::{DQuat, DVec3};
use crate::shape::{Aabb, Face, Partition, Piece, Polytope, Shape, Surface};
use crate::world::{Model, State};

/// Volumes that differ by less than this part are the same.
const SAME_VOLUME: f64 = 1e-9;

/// Radii that differ by less than this part are the same.
const SAME_RADIUS: f64 = 1e-12;

/// The surfaces of a model's bodies, turned as they stay.
pub(super) struct Skins {
    /// Of each body its radius, if it is a ball, or else its skin.
    bodies: Vec<Form>,
    skins: Vec<Skin>,
}

#[derive(Clone, Copy)]
enum Form {
    Ball(f64),
    Skin(usize),
}

/// The surface of a shape about the body's position, turned.
struct Skin {
    patches: Vec<Patch>,
    /// Pieces that are filled and not rounded.
    chunks: Vec<Chunk>,
    /// The patches are those of the pieces, and not of a surface around all of them.
    by_pieces: bool,
    /// What is not rounded is all in the chunks.
    complete: bool,
    /// Of bodies by pieces: the filled ones.
    filled: Vec<Polytope>,
    flat: bool,
}

/// A point, a segment or a triangle, and how far it is rounded.
struct Patch {
    corners: Vec<DVec3>,
    bounds: Aabb,
    rounding: f64,
}

/// The deepest overlap of two at the end of their ways and all along them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Depth {
    pub at_end: f64,
    pub on_way: f64,
}

impl Depth {
    const NONE: Depth = Depth { at_end: f64::NEG_INFINITY, on_way: f64::NEG_INFINITY };

    fn note(&mut self, at_end: f64, on_way: f64) {
        self.at_end = self.at_end.max(at_end);
        self.on_way = self.on_way.max(on_way);
    }
}

impl Skins {
    /// Bodies of one shape that are turned alike share a skin.
    pub fn new(model: &Model, state: &State) -> Self {
        let (mut skins, mut known) = (Vec::new(), BTreeMap::new());
        let form = |(body, turn): (usize, &DQuat)| {
            let shape = model.shape(body);
            if let Some(radius) = shape.is_ball() {
                return Form::Ball(radius);
            }
            let key = (model.bodies[body].shape, turn.to_array().map(f64::to_bits));
            Form::Skin(*known.entry(key).or_insert_with(|| {
                skins.push(Skin::of(shape, *turn));
                skins.len() - 1
            }))
        };
        let bodies = state.rotations.iter().enumerate().map(form).collect();
        Skins { bodies, skins }
    }

    /// The radius of a ball.
    pub fn ball(&self, body: usize) -> Option<f64> {
        match self.bodies[body] {
            Form::Ball(radius) => Some(radius),
            Form::Skin(_) => None,
        }
    }

    fn skin(&self, body: usize) -> Option<&Skin> {
        match self.bodies[body] {
            Form::Ball(_) => None,
            Form::Skin(number) => self.skins.get(number),
        }
    }

    /// The deepest overlap of two bodies that are not both balls, as a length.
    pub fn bodies(&self, i: usize, j: usize, ways: [Way; 2]) -> Depth {
        // As seen from the second.
        let from = ways[0].from - ways[1].from;
        let to = ways[0].to - ways[1].to;
        match (self.bodies[i], self.bodies[j]) {
            (Form::Skin(a), Form::Skin(b)) => {
                let (a, b) = (&self.skins[a], &self.skins[b]);
                let mut depth = Depth::NONE;
                a.against(b, from, to, &mut depth);
                a.fill(&b.chunks, from, to, &mut depth);
                depth
            }
            (Form::Ball(radius), Form::Skin(b)) => self.skins[b].ball(Way { from, to }, radius),
            (Form::Skin(a), Form::Ball(radius)) => {
                self.skins[a].ball(Way { from: -from, to: -to }, radius)
            }
            (Form::Ball(_), Form::Ball(_)) => Depth::NONE,
        }
    }

    /// The deepest overlap of a body that is no ball and a face of the container.
    pub fn wall(&self, body: usize, face: &Face, way: Way) -> Depth {
        let Some(skin) = self.skin(body) else { return Depth::NONE };
        let wall = Skin::of_face(face, skin.flat);
        let mut depth = Depth::NONE;
        skin.against(&wall, way.from, way.to, &mut depth);
        skin.fill(&wall.chunks, way.from, way.to, &mut depth);
        depth
    }

    /// How deep a corner of one body (or the centre of a ball) is inside the other.
    pub fn inside(&self, i: usize, j: usize, positions: &[DVec3]) -> f64 {
        let within = |outer: usize, inner: usize| {
            let skin = self.skin(outer)?;
            let offset = positions[inner] - positions[outer];
            let closed = skin.closed();
            let test = Inside::new(&closed);
            let corners = self.corners(inner).into_iter().map(|corner| corner + offset);
            corners.filter_map(|corner| skin.depth_of(&test, corner)).max_by(f64::total_cmp)
        };
        within(i, j).into_iter().chain(within(j, i)).fold(0.0, f64::max)
    }

    /// The corners of a body's surface about its position; the centre of a ball.
    fn corners(&self, body: usize) -> Vec<DVec3> {
        match self.skin(body) {
            Some(skin) => skin.patches.iter().flat_map(|patch| patch.corners.clone()).collect(),
            None => vec![DVec3::ZERO],
        }
    }
}

impl Skin {
    fn of(shape: &Shape, turn: DQuat) -> Skin {
        let rounding = shape.pieces.first().map_or(0.0, |piece| piece.radius);
        let alike = shape.pieces.iter().all(|piece| piece.radius == rounding);
        let surface = if alike { surface(shape, turn) } else { Vec::new() };
        let by_pieces = surface.is_empty();
        let mut patches: Vec<Patch> =
            surface.into_iter().map(|corners| Patch::new(corners, rounding)).collect();
        let (mut chunks, mut filled) = (Vec::new(), Vec::new());
        for piece in &shape.pieces {
            let core = turned(piece, turn);
            if by_pieces {
                patches.extend(sides(&core).into_iter().map(|c| Patch::new(c, piece.radius)));
            }
            // Faces that stand for a body have no volume.
            let solid = !core.facets().is_empty() && shape.partition != Partition::Surface;
            if solid && piece.radius == 0.0 {
                chunks.push(Chunk::of(&core));
            }
            if solid && by_pieces {
                filled.push(core);
            }
        }
        let complete = by_pieces && shape.partition != Partition::Surface;
        Skin { patches, chunks, by_pieces, complete, filled, flat: shape.flat }
    }

    /// A face of the container.
    fn of_face(face: &Face, flat: bool) -> Skin {
        Skin {
            patches: vec![Patch::new(face.corners.clone(), 0.0)],
            chunks: vec![Chunk::of_face(&face.corners)],
            by_pieces: false,
            complete: false,
            filled: Vec::new(),
            flat,
        }
    }

    /// The closed surface; none of bodies by pieces.
    fn closed(&self) -> Vec<Face> {
        let patches = if self.by_pieces { &[][..] } else { &self.patches };
        patches.iter().map(|patch| Face { corners: patch.corners.clone() }).collect()
    }

    /// How deep a point is inside, if it is.
    fn depth_of(&self, closed: &Inside, point: DVec3) -> Option<f64> {
        if closed.contains(point) {
            let away = |patch: &Patch| closest(&patch.corners, point).point.distance(point);
            return self.patches.iter().map(away).min_by(f64::total_cmp);
        }
        let depth = |core: &Polytope| {
            let below = core
                .facets()
                .iter()
                .map(|facet| facet.normal.dot(core.corners()[facet.corners[0] as usize] - point));
            below.fold(f64::INFINITY, f64::min)
        };
        self.filled.iter().map(depth).filter(|depth| *depth > 0.0).max_by(f64::total_cmp)
    }

    /// Against another surface, as seen from that.
    fn against(&self, other: &Skin, from: DVec3, to: DVec3, depth: &mut Depth) {
        let all = other.patches.iter().fold(Aabb::EMPTY, |all, p| all.union(&p.around()));
        for own in &self.patches {
            let around = own.around();
            let swept = around.moved(from).union(&around.moved(to));
            if !swept.overlaps(&all) {
                continue;
            }
            for patch in other.patches.iter().filter(|patch| swept.overlaps(&patch.around())) {
                let rounding = own.rounding + patch.rounding;
                if rounding > 0.0 || !(self.complete && other.complete) {
                    pass([own, patch], from, to, rounding, self.flat, depth);
                }
            }
        }
    }

    /// Pieces against others, as seen from those.
    fn fill(&self, others: &[Chunk], from: DVec3, to: DVec3, depth: &mut Depth) {
        let bounds = |chunk: &Chunk| Aabb::from_points(chunk.corners.iter().copied());
        for own in &self.chunks {
            let swept = bounds(own).moved(from).union(&bounds(own).moved(to));
            for other in others.iter().filter(|other| swept.overlaps(&bounds(other))) {
                let on_way = deepest_overlap(own, other, from, to);
                let at_end =
                    if on_way > 0.0 { deepest_overlap(own, other, to, to) } else { on_way };
                depth.note(at_end, on_way);
            }
        }
    }

    /// A ball, as seen from this surface.
    fn ball(&self, way: Way, radius: f64) -> Depth {
        let swept = Aabb::from_points([way.from, way.to]).grow(radius);
        let mut depth = Depth::NONE;
        for patch in self.patches.iter().filter(|patch| swept.overlaps(&patch.around())) {
            let rounding = radius + patch.rounding;
            let at_end = closest(&patch.corners, way.to).point.distance(way.to);
            depth.note(rounding - at_end, rounding - patch.pass(way, self.flat));
        }
        depth
    }
}

impl Patch {
    fn new(corners: Vec<DVec3>, rounding: f64) -> Patch {
        let bounds = Aabb::from_points(corners.iter().copied());
        Patch { corners, bounds, rounding }
    }

    fn around(&self) -> Aabb {
        self.bounds.grow(self.rounding)
    }

    /// The least distance of a point on its way.
    fn pass(&self, way: Way, flat: bool) -> f64 {
        match self.corners[..] {
            [point] => moving_points(way, Way { from: point, to: point }),
            [a, b] if !flat => {
                let end = |p: DVec3| closest(&self.corners, p).point.distance(p);
                between_segments(way, [a, b]).min(end(way.from)).min(end(way.to))
            }
            _ => moving_point_and_face(way, &self.corners),
        }
    }
}

/// One patch past another, as seen from that.
fn pass(
    [own, other]: [&Patch; 2],
    from: DVec3,
    to: DVec3,
    rounding: f64,
    flat: bool,
    depth: &mut Depth,
) {
    let (a, b) = (&own.corners[..], &other.corners[..]);
    // Points, and segments in space, have no inside that could be cut.
    let (longer, shorter) = (a.len().max(b.len()), a.len().min(b.len()));
    let can_cut = longer == 3 || (flat && shorter == 2);
    let cut = |from: DVec3| if can_cut { deepest_cut(a, b, from, to) } else { 0.0 };
    let on_way = cut(from);
    if on_way <= -rounding && can_cut {
        return depth.note(on_way + rounding, on_way + rounding);
    }
    let at_end = if on_way > 0.0 { cut(to) } else { on_way };
    if rounding == 0.0 {
        return depth.note(at_end, on_way);
    }
    let beyond = |cut: f64, from: DVec3| match cut > 0.0 {
        true => rounding + cut,
        false => rounding - closest_pass(a, b, from, to),
    };
    depth.note(beyond(at_end, to), beyond(on_way, from));
}

/// The core of a piece in the frame of the body's position.
fn turned(piece: &Piece, turn: DQuat) -> Polytope {
    match turn == DQuat::IDENTITY {
        true => piece.polytope(),
        false => piece.polytope().placed(DVec3::ZERO, turn),
    }
}

/// The faces of a shape's surface, without its rounding; none if it is round.
fn surface(shape: &Shape, turn: DQuat) -> Vec<Vec<DVec3>> {
    let place = |point: DVec3| if turn == DQuat::IDENTITY { point } else { turn * point };
    match &shape.surface {
        Surface::Round => Vec::new(),
        Surface::Mesh(mesh) => mesh.corners().map(|c| c.map(place).to_vec()).collect(),
        Surface::Outline(outline) => {
            let place = |[x, y]: [f64; 2]| place(DVec3::new(x, y, 0.0)) * (DVec3::X + DVec3::Y);
            outline.edges().map(|edge| edge.map(place).to_vec()).collect()
        }
    }
}

/// The sides of a core: triangles in space, segments of the plane, or the core itself if it is a
/// point or a segment.
fn sides(core: &Polytope) -> Vec<Vec<DVec3>> {
    let corner = |k: u32| core.corners()[k as usize];
    if core.facets().is_empty() {
        return vec![core.corners().to_vec()];
    }
    let fans = core.facets().iter().flat_map(|facet| {
        let (first, rest) = facet.corners.split_at(1);
        match rest.len() {
            1 => vec![vec![corner(first[0]), corner(rest[0])]],
            _ => {
                let pairs = rest.windows(2);
                pairs.map(|pair| [first[0], pair[0], pair[1]].map(corner).to_vec()).collect()
            }
        }
    });
    fans.collect()
}

/// What is wrong with the shapes of a model, in words: bodies whose radius is not theirs, or
/// pieces that do not fill the surface.
pub(super) fn fault_of_shapes(model: &Model) -> Option<String> {
    for (index, shape) in model.shapes.iter().enumerate() {
        if shape.pieces.is_empty() {
            continue; // what has been taken out
        }
        if shape.flat != (model.dimension == 2) {
            return Some(format!("shape {index} is not one of {}D", model.dimension));
        }
        let faces = surface(shape, DQuat::IDENTITY);
        if faces.is_empty() {
            continue;
        }
        let whole = volume(&faces);
        let parts: f64 = shape.pieces.iter().map(|piece| volume(&sides(&piece.polytope()))).sum();
        let (has_volume, is_filled) = (whole > 0.0, (parts - whole).abs() <= SAME_VOLUME * whole);
        if !has_volume {
            return Some(format!("shape {index} has the volume {whole:?}"));
        }
        if shape.partition != Partition::Surface && !is_filled {
            return Some(format!(
                "the pieces of shape {index} have the volume {parts:?}, not {whole:?}"
            ));
        }
    }
    for (index, body) in model.bodies.iter().enumerate() {
        let shape = model.shape(index);
        if model.is_gone(index) {
            continue;
        }
        let rounding = shape.pieces.iter().map(|piece| piece.radius).fold(0.0, f64::max);
        let corners = surface(shape, DQuat::IDENTITY).into_iter().flatten();
        let surface = corners.map(|c| c.length() + rounding).fold(0.0, f64::max);
        let pieces = shape.pieces.iter().map(reach).fold(0.0, f64::max);
        let reach = if shape.is_ball().is_some() { pieces } else { pieces.max(surface) };
        if reach > body.radius * (1.0 + SAME_RADIUS) || reach.is_nan() {
            return Some(format!("body {index} reaches {reach:?}, beyond its radius"));
        }
        if body.radius > shape.radius() * (1.0 + SAME_RADIUS) {
            return Some(format!("the radius of body {index} is {:?}, it is smaller", body.radius));
        }
    }
    None
}

/// How far a piece reaches from the body's position.
fn reach(piece: &Piece) -> f64 {
    let corners = piece.polytope();
    corners.corners().iter().map(|c| c.length()).fold(0.0, f64::max) + piece.radius
}

/// The volume (in 2D: the area) inside faces, by the divergence theorem.
fn volume(faces: &[Vec<DVec3>]) -> f64 {
    let part = |face: &Vec<DVec3>| match face[..] {
        [a, b] => 0.5 * a.cross(b).z,
        [a, b, c] => a.dot(b.cross(c)) / 6.0,
        _ => 0.0,
    };
    faces.iter().map(part).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::samples;

    /// Bodies of these shapes, and a ball; the first body is turned.
    fn skins(shapes: Vec<Shape>, turn: DQuat) -> Skins {
        let mut model = samples::model(shapes.len() + 1);
        let mut state = State::at_rest(vec![DVec3::ZERO; shapes.len() + 1]);
        model.shapes = shapes;
        model.shapes.push(Shape::ball(0.25));
        for (body, shape) in model.bodies.iter_mut().zip(&model.shapes) {
            body.radius = shape.radius();
        }
        state.rotations[0] = turn;
        assert_eq!(fault_of_shapes(&model), None);
        Skins::new(&model, &state)
    }

    fn still(at: DVec3) -> Way {
        Way { from: at, to: at }
    }

    fn cube() -> Shape {
        Shape::cuboid(DVec3::ONE).unwrap()
    }

    #[test]
    fn boxes_that_touch_do_not_overlap_and_those_that_cut_do() {
        let skins = skins(vec![cube(), cube()], DQuat::IDENTITY);
        let depth = |x: f64| {
            skins.bodies(0, 1, [still(DVec3::X * x), still(DVec3::new(0.0, 0.3, 0.2))]).at_end
        };
        assert!(depth(1.0) <= 0.0 && depth(1.0 + 1e-12) <= 0.0);
        assert!((depth(0.75) - 0.25).abs() < 1e-12);
        // A jump across is seen on the way only.
        let way = Way { from: DVec3::X * -2.0, to: DVec3::X * 2.0 };
        for aside in [0.0, 0.1] {
            let found = skins.bodies(0, 1, [way, still(DVec3::Y * aside)]);
            assert!(found.at_end <= 0.0 && found.on_way > 0.8, "{found:?}");
        }
        // All sides in line: only the insides overlap.
        let found = skins.bodies(0, 1, [still(DVec3::X * 0.5), still(DVec3::ZERO)]);
        assert!((found.at_end - 0.5).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn balls_and_rounded_bodies_keep_their_distance() {
        let skins = skins(vec![cube().rounded(0.1), cube()], DQuat::IDENTITY);
        let at = |i: usize, j: usize, p: DVec3| {
            skins.bodies(i, j, [still(p), still(DVec3::ZERO)]).at_end
        };
        assert!((at(0, 1, DVec3::X * 1.05) - 0.05).abs() < 1e-12);
        assert!(at(0, 1, DVec3::X * 1.1 + DVec3::Y * 0.2) <= 1e-15);
        // A corner of the rounded cube and a corner of the other.
        let diagonal = DVec3::ONE + 0.06 * DVec3::ONE;
        assert!(at(0, 1, diagonal) < 0.0);
        assert!((at(2, 1, DVec3::Z * 0.7) - 0.05).abs() < 1e-12);
        assert!((at(1, 2, DVec3::Z * 0.7) - 0.05).abs() < 1e-12);
    }

    #[test]
    fn one_inside_the_other_is_seen() {
        let big = Shape::cuboid(DVec3::splat(4.0)).unwrap();
        let skins = skins(vec![big, cube()], DQuat::IDENTITY);
        let positions = [DVec3::ZERO, DVec3::X * 0.5, DVec3::X * 1.75];
        assert!((skins.inside(0, 1, &positions) - 1.5).abs() < 1e-12);
        assert!((skins.inside(0, 2, &positions) - 0.25).abs() < 1e-12);
        let apart = [DVec3::ZERO, DVec3::X * 2.5, DVec3::X * 5.0];
        assert_eq!(skins.inside(0, 1, &apart), 0.0);
    }

    #[test]
    fn turned_and_round_bodies_are_where_they_are() {
        let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4);
        let lying = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        let shapes = |first: Shape| vec![first, cube(), Shape::cylinder(0.5, 2.0).unwrap()];
        let depth = |skins: &Skins, j: usize, at: DVec3| {
            skins.bodies(0, j, [still(at), still(DVec3::ZERO)]).at_end
        };
        // A cube on its edge reaches half a diagonal.
        let turned = skins(shapes(cube()), quarter);
        assert!((depth(&turned, 1, DVec3::X * 1.2) - (0.5 + 0.5_f64.sqrt() - 1.2)).abs() < 1e-12);
        assert!(depth(&turned, 1, DVec3::X * 1.21) <= 0.0);
        // A capsule that lies along x, above a cube, past its end, and through it.
        let capsule = skins(shapes(Shape::capsule(0.2, 2.0).unwrap()), lying);
        assert!((depth(&capsule, 1, DVec3::Z * 0.6) - 0.1).abs() < 1e-12);
        assert!((depth(&capsule, 1, DVec3::X * 1.6) - 0.1).abs() < 1e-12);
        assert!(depth(&capsule, 1, DVec3::ZERO) > 0.19);
        assert!((depth(&capsule, 3, DVec3::Z * 0.3) - 0.15).abs() < 1e-12, "a ball");
        assert!((depth(&capsule, 2, DVec3::Z * 1.1) - 0.1).abs() < 1e-12, "a cylinder's end");
        // Two cylinders, side to side and end to end: the prisms around them count.
        let drums = skins(shapes(Shape::cylinder(0.5, 2.0).unwrap()), DQuat::IDENTITY);
        assert!((depth(&drums, 2, DVec3::Z * 1.9) - 0.1).abs() < 1e-12);
        assert!(depth(&drums, 2, DVec3::X * 1.003) <= 0.0 && depth(&drums, 2, DVec3::X) < 0.003);
        let centres = [DVec3::ZERO, DVec3::X * 9.0, DVec3::X * 5.0, DVec3::X * 0.3];
        assert!((drums.inside(0, 3, &centres) - 0.2).abs() < 1e-2, "a ball in a drum");
    }

    #[test]
    fn each_piece_is_rounded_by_itself() {
        let parts = vec![
            (cube(), DVec3::ZERO, DQuat::IDENTITY),
            (Shape::ball(0.5), DVec3::X * 2.0, DQuat::IDENTITY),
            (cube().rounded(0.1), DVec3::X * -2.0, DQuat::IDENTITY),
        ];
        let compound = Shape::compound(parts).unwrap();
        let origin = compound.origin;
        let skins = skins(vec![compound, cube()], DQuat::IDENTITY);
        let depth = |at: DVec3| skins.bodies(1, 0, [still(at + origin), still(DVec3::ZERO)]).at_end;
        assert!((depth(DVec3::new(0.0, 0.2, 0.9)) - 0.1).abs() < 1e-12);
        assert!((depth(DVec3::new(2.0, 0.0, 0.9)) - 0.1).abs() < 1e-12);
        assert!((depth(DVec3::new(-2.0, 0.1, 1.05)) - 0.05).abs() < 1e-12);
        assert!(depth(DVec3::new(-2.0, 0.1, 1.11)) <= 0.0);
    }
}
