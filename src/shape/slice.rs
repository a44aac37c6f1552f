//! Cutting a closed mesh into convex pieces along the planes of its own faces.
//! A part of space (a cell) whose faces are all in convex position holds one
//! convex piece; any other is cut in two along a face that stands in the way.
//! New corners are rounded, so the pieces are exact to some 1e-14 of the size,
//! far inside the skin that all rows keep.

use super::{Boundary, Mesh, Polytope};
use crate::math::DVec3;

/// Points closer to a plane than this, in units of the size, lie on it.
const FLAT: f64 = 1e-11;
/// More pieces than this are no help: the faces themselves serve then.
const MOST_PIECES: usize = 400;
/// Choosing a cut compares all faces of a cell with each other.
const MOST_FACES: usize = 1500;
/// Choosing cuts may compare so many pairs of faces in all: some ten times what a mesh of
/// [`MOST_FACES`] takes whose cuts leave halves. Cuts of others get nowhere.
const MOST_WORK: usize = 100 * MOST_FACES * MOST_FACES;
/// What the volume of all pieces may differ by from the mesh's, relatively.
const VOLUME: f64 = 1e-9;

/// Convex pieces whose union is the solid with this surface, up to a rounding of corners, or
/// `None` if it is too rich in faces to be cut up well, or its planes meet at angles so small
/// that corners of pieces are lost.
pub(super) fn slices(mesh: &Mesh, rounding: f64) -> Option<Vec<Polytope>> {
    if mesh.triangles.len() > MOST_FACES {
        return None;
    }
    let bounds = mesh.bounds();
    let size = bounds.size().max_element();
    let room = bounds.grow(0.1 * size);
    let cell = Cell::of_box(&Mesh::cuboid(room.min, room.max));
    let faces = mesh.corners().filter_map(|corners| Polygon::new(corners.to_vec())).collect();
    let mut slicer =
        Slicer { solid: Boundary::from_mesh(mesh), flat: FLAT * size, pieces: Vec::new(), work: 0 };
    slicer.slice(cell, faces)?;
    let volume: f64 = slicer.pieces.iter().map(|piece| piece.mass().volume).sum();
    let is_filled = (volume - mesh.volume()).abs() <= VOLUME * mesh.volume();
    let mut corners = slicer.pieces.iter().flat_map(Polytope::corners);
    (is_filled && corners.all(|c| slicer.holds(*c, rounding))).then_some(slicer.pieces)
}

#[derive(Clone)]
struct Plane {
    normal: DVec3,
    offset: f64,
}

impl Plane {
    fn height(&self, point: DVec3) -> f64 {
        point.dot(self.normal) - self.offset
    }

    fn flipped(&self) -> Plane {
        Plane { normal: -self.normal, offset: -self.offset }
    }
}

/// A convex polygon in space with its plane, the outside above it.
#[derive(Clone)]
struct Polygon {
    plane: Plane,
    corners: Vec<DVec3>,
}

impl Polygon {
    fn new(corners: Vec<DVec3>) -> Option<Self> {
        let [a, b, c] = corners[..] else { return None };
        let normal = (b - a).cross(c - a).try_normalize()?;
        Some(Polygon { plane: Plane { normal, offset: a.dot(normal) }, corners })
    }

    /// The part on or below a plane.
    fn below(&self, plane: &Plane, flat: f64) -> Polygon {
        let mut corners = Vec::with_capacity(self.corners.len() + 1);
        for (k, &a) in self.corners.iter().enumerate() {
            let b = self.corners[(k + 1) % self.corners.len()];
            let (high_a, high_b) = (plane.height(a), plane.height(b));
            if high_a <= flat {
                corners.push(a);
            }
            if (high_a > flat && high_b < -flat) || (high_a < -flat && high_b > flat) {
                corners.push(a + (b - a) * (high_a / (high_a - high_b)));
            }
        }
        Polygon { plane: self.plane.clone(), corners }
    }

    fn reach(&self, plane: &Plane) -> (f64, f64) {
        let heights = self.corners.iter().map(|c| plane.height(*c));
        heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)))
    }
}

/// A convex part of space: its sides.
#[derive(Clone)]
struct Cell {
    sides: Vec<Polygon>,
}

impl Cell {
    fn of_box(mesh: &Mesh) -> Self {
        Cell { sides: mesh.corners().filter_map(|c| Polygon::new(c.to_vec())).collect() }
    }

    /// The part on or below a plane, closed by a lid.
    fn below(&self, plane: &Plane, flat: f64) -> Cell {
        let cut = self.sides.iter().filter(|side| side.reach(plane).0 < -flat);
        let mut sides: Vec<Polygon> = cut.map(|side| side.below(plane, flat)).collect();
        let corners = sides.iter().flat_map(|side| side.corners.iter().copied());
        let rim: Vec<DVec3> = corners.filter(|c| plane.height(*c).abs() <= flat).collect();
        let middle = rim.iter().sum::<DVec3>() / rim.len().max(1) as f64;
        let (u, v) = plane.normal.any_orthonormal_pair();
        let angle = |c: &DVec3| (*c - middle).dot(v).atan2((*c - middle).dot(u));
        let mut lid = rim;
        lid.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
        // Sides share their corners. Were all copies kept, a lid of corners that are on every plane
        // (those of a small part of a mesh that is very long) would be twice as long each time.
        lid.dedup();
        if lid.len() >= 3 {
            sides.push(Polygon { plane: plane.clone(), corners: lid });
        }
        Cell { sides }
    }

    fn corners(&self, flat: f64) -> Vec<DVec3> {
        let mut kept: Vec<DVec3> = Vec::new();
        for corner in self.sides.iter().flat_map(|side| &side.corners) {
            if !kept.iter().any(|other| other.distance(*corner) <= flat) {
                kept.push(*corner);
            }
        }
        kept
    }
}

struct Slicer {
    solid: Boundary,
    flat: f64,
    pieces: Vec<Polytope>,
    work: usize,
}

impl Slicer {
    /// Whether a point is in the solid, up to a rounding.
    fn holds(&self, point: DVec3, rounding: f64) -> bool {
        self.solid.nearest(point).is_some_and(|near| near.distance <= rounding)
            || self.solid.contains(point)
    }

    /// `None` when there are too many pieces, or cuts that get nowhere: faces within rounding of
    /// each other's planes, as those of a mesh of which one corner is far away.
    fn slice(&mut self, cell: Cell, faces: Vec<Polygon>) -> Option<()> {
        self.work += faces.len() * faces.len();
        if self.work > MOST_WORK {
            return None;
        }
        let Some(plane) = self.best_cut(&faces) else {
            return self.emit(cell, &faces);
        };
        for side in [plane.clone(), plane.flipped()] {
            let stays = |face: &&Polygon| {
                let (low, high) = face.reach(&side);
                // A face in the plane belongs to the side that its solid is on.
                low < -self.flat || (high <= self.flat && face.plane.normal.dot(side.normal) > 0.0)
            };
            let kept = faces.iter().filter(stays).map(|face| face.below(&side, self.flat));
            let kept: Vec<Polygon> = kept.collect();
            let is_cut = |(one, two): (&Polygon, &Polygon)| one.corners != two.corners;
            if kept.len() == faces.len() && !kept.iter().zip(&faces).any(is_cut) {
                return None;
            }
            self.slice(cell.below(&side, self.flat), kept)?;
        }
        Some(())
    }

    /// The plane of a face that others stand in front of; of several the one
    /// that cuts the fewest faces and leaves the most even halves.
    fn best_cut(&self, faces: &[Polygon]) -> Option<Plane> {
        let cost = |plane: &Plane| {
            let (mut before, mut behind, mut cut) = (0_usize, 0_usize, 0_usize);
            for face in faces {
                let (low, high) = face.reach(plane);
                before += usize::from(high > self.flat);
                behind += usize::from(low < -self.flat);
                cut += usize::from(high > self.flat && low < -self.flat);
            }
            (before > 0).then_some(8 * cut + before.abs_diff(behind))
        };
        let costs = faces.iter().filter_map(|face| Some((cost(&face.plane)?, &face.plane)));
        costs.min_by_key(|(cost, _)| *cost).map(|(_, plane)| plane.clone())
    }

    /// A cell without reflex edges inside: the solid in it is convex, all of it, or nothing.
    fn emit(&mut self, cell: Cell, faces: &[Polygon]) -> Option<()> {
        let mut piece = cell;
        for face in faces {
            piece = piece.below(&face.plane, self.flat);
        }
        let corners = piece.corners(self.flat);
        let middle = corners.iter().sum::<DVec3>() / corners.len().max(1) as f64;
        if faces.is_empty() && !self.solid.contains(middle) {
            return Some(());
        }
        // A sliver without volume is no piece.
        if let Ok(hull) = Polytope::hull(&corners) {
            self.pieces.push(hull);
        }
        (self.pieces.len() <= MOST_PIECES).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use crate::shape::{Shape, Surface};

    fn slices_of(mesh: &Mesh) -> Option<Vec<Polytope>> {
        slices(mesh, mesh.rounding())
    }

    /// Every random point is inside the solid if and only if it is inside a piece.
    fn assert_same_solid(mesh: &Mesh, pieces: &[Polytope]) {
        let (solid, random) = (Boundary::from_mesh(mesh), &mut Random::new(5));
        let bounds = mesh.bounds();
        for _ in 0..400 {
            let part = DVec3::new(random.unit(), random.unit(), random.unit());
            let point = bounds.min + bounds.size() * part;
            if solid.nearest(point).is_some_and(|near| near.distance < 1e-9) {
                continue;
            }
            let holds = |piece: &Polytope| {
                piece.facets().iter().all(|facet| {
                    let on = piece.corners()[facet.corners[0] as usize];
                    (point - on).dot(facet.normal) <= 1e-12
                })
            };
            assert_eq!(pieces.iter().any(holds), solid.contains(point), "{point}");
        }
    }

    #[test]
    fn an_ell_is_cut_in_two() {
        let outline = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [2.0, 2.0], [2.0, 4.0], [0.0, 4.0]];
        let Surface::Mesh(mesh) = Shape::prism(&outline, &[], 3.0).unwrap().surface else {
            panic!("a prism is a mesh");
        };
        let pieces = slices_of(&mesh).unwrap();
        assert_eq!(pieces.len(), 2);
        assert_same_solid(&mesh, &pieces);
    }

    #[test]
    fn hourglasses_and_bent_tubes() {
        let profile = [[0.0, 3.0], [2.0, 3.0], [4.0, 0.8], [4.5, 0.8], [6.5, 3.0], [8.0, 3.0]];
        let hourglass = Mesh::profile(&profile, 7);
        let pieces = slices_of(&hourglass).unwrap();
        assert!(pieces.len() < 30, "{}", pieces.len());
        assert_same_solid(&hourglass, &pieces);
        let path = [DVec3::ZERO, 5.0 * DVec3::Z, DVec3::new(4.0, 1.0, 7.0)];
        let tube = Mesh::tube(&path, 1.0, 6);
        assert_same_solid(&tube, &slices_of(&tube).unwrap());
    }

    #[test]
    fn a_box_with_a_cavity() {
        let mut mesh = Mesh::cuboid(DVec3::ZERO, DVec3::splat(3.0));
        let cavity = Mesh::cuboid(DVec3::ONE, DVec3::splat(2.0));
        let shift = mesh.vertices.len() as u32;
        mesh.vertices.extend(cavity.vertices);
        mesh.triangles
            .extend(cavity.triangles.iter().map(|&[a, b, c]| [a, c, b].map(|k| k + shift)));
        mesh.check_closed().unwrap();
        let pieces = slices_of(&mesh).unwrap();
        assert_eq!(pieces.len(), 6);
        assert_same_solid(&mesh, &pieces);
    }

    /// A corner far away makes planes of all faces that meet in it, and hides the rest of the mesh
    /// behind the rounding of its coordinates: what comes out is a partition, or none.
    #[test]
    fn a_corner_far_away_takes_no_time() {
        let profile = [[0.0, 3.0], [2.0, 3.0], [4.0, 0.8], [4.5, 0.8], [6.5, 3.0], [8.0, 3.0]];
        for far in [1e2, 1e4, 1e6, 1e8, 4294967295.0, 1e12, 1e20] {
            for corner in 0..14 {
                let mut mesh = Mesh::profile(&profile, 12);
                mesh.vertices[corner].y += far;
                if let Some(pieces) = slices_of(&mesh) {
                    let most = mesh.rounding();
                    let solid = Boundary::from_mesh(&mesh);
                    for corner in pieces.iter().flat_map(Polytope::corners) {
                        let near = solid.nearest(*corner).unwrap().distance;
                        assert!(near <= most || solid.contains(*corner), "{far}: {corner}");
                    }
                }
            }
        }
    }

    #[test]
    fn very_many_faces_are_not_cut() {
        assert!(slices_of(&Mesh::profile(&[[0.0, 1.0], [1.0, 1.0], [2.0, 2.0]], 400)).is_none());
    }
}
