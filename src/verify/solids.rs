//! Overlap of solids, by their surfaces and by the convex pieces in the file:
//! a piece that is missing shows at the surface, and bodies whose sides pass
//! through each other exactly face to face show at the pieces. Surfaces that are
//! apart at the start and never cut into each other stay apart, so what is
//! inside is asked only once.

use super::distance::{Way, closest, moving_point_and_face};
use super::faces::{Chunk, closest_pass, deepest_cut, deepest_overlap};
use super::inside::Inside;
use crate::math::DVec3;
use crate::shape::{Aabb, Convex, Face, Partition, Solid, Surface};
use crate::world::Model;

/// The surfaces of a model's shapes.
pub(super) struct Solids<'a> {
    model: &'a Model,
    surfaces: Vec<Skin>,
}

/// The surface of a shape, in its own coordinates.
struct Skin {
    faces: Vec<Face>,
    boxes: Vec<Aabb>,
    chunks: Vec<Chunk>,
}

/// A body on its way: its surface (none for a sphere), its rounding, and the way.
#[derive(Clone, Copy)]
struct Mover<'a> {
    skin: Option<&'a Skin>,
    rounding: f64,
    way: Way,
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

impl<'a> Solids<'a> {
    pub fn new(model: &'a Model) -> Self {
        Solids { model, surfaces: model.shapes.iter().map(Skin::of).collect() }
    }

    pub fn is_solid(&self, body: usize) -> bool {
        self.model.bodies[body].shape.is_some()
    }

    fn mover(&self, body: usize, way: Way) -> Mover<'_> {
        let shape = self.model.bodies[body].shape.map(|shape| shape as usize);
        match shape.and_then(|shape| Some((self.surfaces.get(shape)?, &self.model.shapes[shape]))) {
            Some((skin, solid)) => Mover { skin: Some(skin), rounding: solid.radius, way },
            None => Mover { skin: None, rounding: self.model.bodies[body].radius, way },
        }
    }

    /// The deepest overlap of two bodies, one of them a solid, as a length.
    pub fn bodies(&self, i: usize, j: usize, ways: [Way; 2]) -> Depth {
        let (a, b) = (self.mover(i, ways[0]), self.mover(j, ways[1]));
        // As seen from the second.
        let from = a.way.from - b.way.from;
        let to = a.way.to - b.way.to;
        let rounding = a.rounding + b.rounding;
        match (a.skin, b.skin) {
            (Some(a), Some(b)) => {
                let mut depth = a.against(&b.faces, &b.boxes, from, to, rounding);
                if rounding == 0.0 {
                    a.fill(&b.chunks, from, to, &mut depth);
                }
                depth
            }
            (None, Some(b)) => b.point(Way { from, to }, rounding),
            (Some(a), None) => a.point(Way { from: -from, to: -to }, rounding),
            (None, None) => Depth::NONE,
        }
    }

    /// The deepest overlap of a solid and a face of the container.
    pub fn wall(&self, body: usize, face: &Face, way: Way) -> Depth {
        let mover = self.mover(body, way);
        let Some(skin) = mover.skin else { return Depth::NONE };
        let wall = std::slice::from_ref(face);
        let mut depth = skin.against(wall, &[around(face)], way.from, way.to, mover.rounding);
        if mover.rounding == 0.0 {
            skin.fill(&[Chunk::of_face(&face.corners)], way.from, way.to, &mut depth);
        }
        depth
    }

    /// How deep a corner of one body (or the centre of a sphere) is inside the other.
    pub fn inside(&self, i: usize, j: usize, positions: &[DVec3]) -> f64 {
        let within = |outer: usize, inner: usize| {
            let shape = self.model.bodies[outer].shape?;
            let skin = self.surfaces.get(shape as usize)?;
            let offset = positions[inner] - positions[outer];
            let corners = self.corners(inner).into_iter().map(|corner| corner + offset);
            let test = Inside::new(&skin.faces);
            let inner = corners.filter(|corner| test.contains(*corner));
            inner.map(|corner| skin.distance(corner)).max_by(f64::total_cmp)
        };
        within(i, j).into_iter().chain(within(j, i)).fold(0.0, f64::max)
    }

    /// The corners of a body's surface about its position; the centre of a sphere.
    pub fn corners(&self, body: usize) -> Vec<DVec3> {
        let shape = self.model.bodies[body].shape;
        let skin = shape.and_then(|shape| self.surfaces.get(shape as usize));
        match skin {
            Some(skin) => skin.faces.iter().flat_map(|face| face.corners.clone()).collect(),
            None => vec![DVec3::ZERO],
        }
    }
}

impl Skin {
    fn of(solid: &Solid) -> Skin {
        let faces: Vec<Face> = match &solid.surface {
            Surface::Point => Vec::new(),
            Surface::Mesh(mesh) => {
                mesh.corners().map(|[a, b, c]| Face::triangle(a, b, c)).collect()
            }
            Surface::Outline(outline) => {
                let point = |[x, y]: [f64; 2]| DVec3::new(x, y, 0.0);
                outline.edges().map(|[a, b]| Face::segment(point(a), point(b))).collect()
            }
        };
        let boxes = faces.iter().map(around).collect();
        let chunk = |piece: &Convex| {
            let sides: Vec<Vec<u32>> = piece.facets().iter().map(|f| f.corners.clone()).collect();
            Chunk::new(piece.corners(), &sides)
        };
        // Faces that stand for a solid have no volume.
        let chunks = match solid.partition {
            Partition::Surface => Vec::new(),
            _ => solid.pieces.iter().map(chunk).collect(),
        };
        Skin { faces, boxes, chunks }
    }

    fn distance(&self, point: DVec3) -> f64 {
        let distances = self.faces.iter().map(|f| closest(&f.corners, point).point.distance(point));
        distances.fold(f64::INFINITY, f64::min)
    }

    /// Against other faces, as seen from those.
    fn against(
        &self,
        others: &[Face],
        other_boxes: &[Aabb],
        from: DVec3,
        to: DVec3,
        rounding: f64,
    ) -> Depth {
        let swept = |b: &Aabb| b.moved(from).union(&b.moved(to)).grow(rounding);
        let all = other_boxes.iter().fold(Aabb::EMPTY, |all, b| all.union(b));
        let mut depth = Depth::NONE;
        for (face, bounds) in self.faces.iter().zip(&self.boxes) {
            let swept = swept(bounds);
            if !swept.overlaps(&all) {
                continue;
            }
            for (other, _) in others.iter().zip(other_boxes).filter(|(_, b)| swept.overlaps(b)) {
                let (a, b) = (&face.corners[..], &other.corners[..]);
                match rounding > 0.0 {
                    true => depth.note(
                        rounding - closest_pass(a, b, to, to),
                        rounding - closest_pass(a, b, from, to),
                    ),
                    false => {
                        let on_way = deepest_cut(a, b, from, to);
                        let at_end = if on_way > 0.0 { deepest_cut(a, b, to, to) } else { on_way };
                        depth.note(at_end, on_way);
                    }
                }
            }
        }
        depth
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

    /// A point with a radius, as seen from this surface.
    fn point(&self, way: Way, rounding: f64) -> Depth {
        let swept = Aabb::from_points([way.from, way.to]).grow(rounding);
        let mut depth = Depth::NONE;
        for (face, _) in self.faces.iter().zip(&self.boxes).filter(|(_, b)| swept.overlaps(b)) {
            let at_end = closest(&face.corners, way.to).point.distance(way.to);
            depth.note(rounding - at_end, rounding - moving_point_and_face(way, &face.corners));
        }
        depth
    }
}

/// What is wrong with the shapes of a model, in words: bodies that reach beyond
/// their radius, or pieces that do not fill the surface.
pub(super) fn fault_of_shapes(model: &Model) -> Option<String> {
    for (index, solid) in model.shapes.iter().enumerate() {
        let skin = Skin::of(solid);
        let whole = volume(&skin.faces);
        let parts: f64 = solid.pieces.iter().map(piece_volume).sum();
        let (has_volume, is_filled) = (whole > 0.0, (parts - whole).abs() <= SAME_VOLUME * whole);
        if !has_volume {
            return Some(format!("shape {index} has the volume {whole:?}"));
        }
        if solid.partition != Partition::Surface && !is_filled {
            return Some(format!(
                "the pieces of shape {index} have the volume {parts:?}, not {whole:?}"
            ));
        }
    }
    for (index, body) in model.bodies.iter().enumerate() {
        let Some(shape) = body.shape else { continue };
        let Some(solid) = model.shapes.get(shape as usize) else {
            return Some(format!("body {index} has the shape {shape}, which does not exist"));
        };
        let surface = Skin::of(solid).faces.into_iter().flat_map(|face| face.corners);
        let pieces = solid.pieces.iter().flat_map(|piece| piece.corners().to_vec());
        let reach = surface.chain(pieces).map(|c| c.length()).fold(0.0, f64::max) + solid.radius;
        let holds_it = reach <= body.radius * (1.0 + 1e-12);
        if !holds_it {
            return Some(format!("body {index} reaches {reach:?}, beyond its radius"));
        }
    }
    None
}

/// Volumes that differ by less than this part are the same.
const SAME_VOLUME: f64 = 1e-9;

/// The volume (in 2D: the area) inside faces, by the divergence theorem.
fn volume(faces: &[Face]) -> f64 {
    let part = |face: &Face| match face.corners[..] {
        [a, b] => 0.5 * a.cross(b).z,
        [a, b, c] => a.dot(b.cross(c)) / 6.0,
        _ => 0.0,
    };
    faces.iter().map(part).sum()
}

fn piece_volume(piece: &Convex) -> f64 {
    let corner = |k: &u32| piece.corners()[*k as usize];
    let sides = piece
        .facets()
        .iter()
        .map(|side| Face { corners: side.corners.iter().map(corner).collect() });
    volume(&sides.collect::<Vec<_>>())
}

fn around(face: &Face) -> Aabb {
    Aabb::from_points(face.corners.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::samples;

    fn model(shapes: Vec<Solid>) -> Model {
        let mut model = samples::model(shapes.len() + 1);
        for (i, solid) in shapes.iter().enumerate() {
            model.bodies[i].shape = Some(i as u32);
            model.bodies[i].radius = solid.reach();
        }
        model.bodies[shapes.len()].radius = 0.25;
        model.shapes = shapes;
        model
    }

    fn still(at: DVec3) -> Way {
        Way { from: at, to: at }
    }

    #[test]
    fn boxes_that_touch_do_not_overlap_and_those_that_cut_do() {
        let cube = Solid::cuboid(DVec3::ONE).unwrap();
        let model = model(vec![cube.clone(), cube]);
        let solids = Solids::new(&model);
        let depth = |x: f64| {
            solids.bodies(0, 1, [still(DVec3::X * x), still(DVec3::new(0.0, 0.3, 0.2))]).at_end
        };
        assert!(depth(1.0) <= 0.0 && depth(1.0 + 1e-12) <= 0.0);
        assert!((depth(0.75) - 0.25).abs() < 1e-12);
        // A jump across is seen on the way only.
        let way = Way { from: DVec3::X * -2.0, to: DVec3::X * 2.0 };
        for aside in [0.0, 0.1] {
            let found = solids.bodies(0, 1, [way, still(DVec3::Y * aside)]);
            assert!(found.at_end <= 0.0 && found.on_way > 0.8, "{found:?}");
        }
        // All sides in line: only the insides overlap.
        let found = solids.bodies(0, 1, [still(DVec3::X * 0.5), still(DVec3::ZERO)]);
        assert!((found.at_end - 0.5).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn spheres_and_rounded_bodies_keep_their_distance() {
        let cube = Solid::cuboid(DVec3::ONE).unwrap();
        let model = model(vec![cube.clone().rounded(0.1), cube]);
        let solids = Solids::new(&model);
        let at = |i: usize, j: usize, p: DVec3| {
            solids.bodies(i, j, [still(p), still(DVec3::ZERO)]).at_end
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
        let big = Solid::cuboid(DVec3::splat(4.0)).unwrap();
        let small = Solid::cuboid(DVec3::ONE).unwrap();
        let model = model(vec![big, small]);
        let solids = Solids::new(&model);
        let positions = [DVec3::ZERO, DVec3::X * 0.5, DVec3::X * 1.75];
        assert!((solids.inside(0, 1, &positions) - 1.5).abs() < 1e-12);
        assert!((solids.inside(0, 2, &positions) - 0.25).abs() < 1e-12);
        let apart = [DVec3::ZERO, DVec3::X * 2.5, DVec3::X * 5.0];
        assert_eq!(solids.inside(0, 1, &apart), 0.0);
    }
}
