//! The faces of a container as walls in a tree, so that thousands of them cost
//! no more than those nearby.

use std::collections::BTreeMap;

use super::Wall;
use crate::math::DVec3;
use crate::shape::{Aabb, Boundary, Bvh, Face};

/// All faces of a container.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walls {
    walls: Vec<Wall>,
    tree: Bvh,
}

impl Walls {
    /// Every face is drawn out by about `depth`, but by no more than half of the way to where
    /// the container begins again behind it: what is on the other side of a thin wall is not
    /// this face's business.
    pub fn new(boundary: &Boundary, depth: f64) -> Walls {
        let seams = Seams::new(boundary);
        let wall = |(face, number): (&Face, u32)| {
            let outwards = boundary.normal(number);
            let behind = room_behind(boundary, number, 2.0 * depth);
            Wall::new(face, outwards, 0.5 * behind, seams.beyond(boundary, face))
        };
        let walls: Vec<Wall> = boundary.faces().iter().zip(0..).map(wall).collect();
        let boxes: Vec<Aabb> = walls.iter().map(|wall| wall.bounds).collect();
        Walls { walls, tree: Bvh::new(&boxes) }
    }

    pub fn is_empty(&self) -> bool {
        self.walls.is_empty()
    }

    pub fn get(&self, face: u32) -> &Wall {
        &self.walls[face as usize]
    }

    /// Appends the numbers of the faces whose walls may meet a box, ascending.
    pub fn near(&self, region: &Aabb, found: &mut Vec<u32>) {
        self.tree.overlapping(region, found);
    }
}

/// A corner, to the last bit.
type Corner = [u64; 3];

fn key(corner: DVec3) -> Corner {
    // Adding zero makes one zero of the two.
    (corner + DVec3::ZERO).to_array().map(f64::to_bits)
}

/// Which faces meet where: at the sides of triangles, at the ends of segments.
struct Seams {
    faces: BTreeMap<Vec<Corner>, Vec<u32>>,
}

/// The parts of a face at which others may go on, each with the rest of the face: the sides of a
/// triangle, the ends of a segment.
fn sides(face: &Face) -> Vec<(Vec<DVec3>, DVec3)> {
    match face.corners[..] {
        [a, b] => vec![(vec![a], b), (vec![b], a)],
        [a, b, c] => vec![(vec![a, b], c), (vec![b, c], a), (vec![c, a], b)],
        _ => Vec::new(),
    }
}

fn seam(side: &[DVec3]) -> Vec<Corner> {
    let mut corners: Vec<Corner> = side.iter().map(|corner| key(*corner)).collect();
    corners.sort_unstable();
    corners
}

impl Seams {
    fn new(boundary: &Boundary) -> Seams {
        let mut faces: BTreeMap<Vec<Corner>, Vec<u32>> = BTreeMap::new();
        for (face, number) in boundary.faces().iter().zip(0..) {
            for (side, _) in sides(face) {
                faces.entry(seam(&side)).or_default().push(number);
            }
        }
        Seams { faces }
    }

    /// For every side of a face, the direction in which the face beyond goes on; of several, the
    /// one that comes forward most.
    fn beyond(&self, boundary: &Boundary, face: &Face) -> Vec<DVec3> {
        let outwards = face.normal();
        let of = |(side, rest): (Vec<DVec3>, DVec3)| {
            let others = self.faces.get(&seam(&side)).into_iter().flatten();
            let found = others.filter_map(|&other| {
                let other = &boundary.faces()[other as usize];
                let beyond = sides(other).into_iter().find(|(own, _)| seam(own) == seam(&side));
                beyond.map(|(_, far)| far).filter(|far| *far != rest)
            });
            let along = match side[..] {
                [a, b] => (b - a).normalize_or_zero(),
                _ => DVec3::ZERO,
            };
            let across = |far: DVec3| {
                let to = far - side[0];
                (to - along * along.dot(to)).normalize_or_zero()
            };
            let forward = |one: DVec3, two: DVec3| {
                if two.dot(outwards) < one.dot(outwards) { two } else { one }
            };
            found.map(across).reduce(forward).unwrap_or(DVec3::ZERO)
        };
        sides(face).into_iter().map(of).collect()
    }
}

/// How far behind a face the room begins again, at most `most`: along its normal from its
/// middle and from half-way between that and its corners.
fn room_behind(boundary: &Boundary, number: u32, most: f64) -> f64 {
    let face = &boundary.faces()[number as usize];
    let outwards = boundary.normal(number);
    let middle = face.corners.iter().sum::<DVec3>() / face.corners.len() as f64;
    let starts = face.corners.iter().map(|corner| middle.midpoint(*corner));
    let mut nearest = most;
    let mut near = Vec::new();
    for start in starts.chain([middle]) {
        near.clear();
        let ray = Aabb::from_points([start, start + outwards * nearest]);
        boundary.faces_in(&ray, &mut near);
        for &other in near.iter().filter(|&&other| other != number) {
            if boundary.normal(other).dot(outwards) < 0.0
                && let Some(distance) = hit(&boundary.faces()[other as usize], start, outwards)
            {
                nearest = nearest.min(distance);
            }
        }
    }
    nearest
}

/// How far along a ray it hits a face.
fn hit(face: &Face, start: DVec3, direction: DVec3) -> Option<f64> {
    let normal = face.normal();
    let distance = normal.dot(face.corners[0] - start) / normal.dot(direction);
    let at = start + direction * distance;
    let slack = 1e-9 * face.bounds().size().max_element();
    let near = face.closest_point(at).distance(at) <= slack;
    (distance > 0.0 && distance.is_finite() && near).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::super::{Manifold, Placed};
    use super::*;
    use crate::math::{DMat3, DQuat};
    use crate::shape::{Core, Mesh, Piece, Polytope};

    fn contacts(walls: &Walls, piece: &Piece, at: DVec3, turn: DQuat) -> Vec<Manifold> {
        let placed = Placed::new(piece, at, &DMat3::from_quat(turn));
        let mut near = Vec::new();
        walls.near(&placed.bounds.grow(0.05), &mut near);
        near.iter().filter_map(|&face| walls.get(face).manifold(&placed, 0.05)).collect()
    }

    /// A floor of many triangles feels like one plane, wherever a body is.
    #[test]
    fn seams_are_not_felt() {
        let room = Mesh::profile(&[[0.0, 2.0], [3.0, 2.0]], 9);
        let walls = Walls::new(&Boundary::from_mesh(&room), 0.5);
        let ball = Piece::new(Core::Point, 0.25);
        let cube = Polytope::cuboid(DVec3::splat(0.5)).unwrap();
        let cube = Piece::new(Core::Polytope(cube), 0.0);
        let rod = Piece::new(Core::Segment { half: 0.3 }, 0.25);
        let disc = Piece::new(Core::Cylinder { radius: 0.3, half: 0.25 }, 0.0);
        let level = DQuat::from_rotation_y(0.5 * std::f64::consts::PI);
        for k in 0..300 {
            let at = DVec3::new(0.8 * (k as f64).sin(), 0.8 * (1.7 * k as f64).cos(), 0.24);
            let turn = DQuat::from_rotation_z(0.1 * k as f64);
            for (piece, turn) in [(&ball, turn), (&cube, turn), (&rod, turn * level), (&disc, turn)]
            {
                let found = contacts(&walls, piece, at, turn);
                assert!(!found.is_empty(), "{k} {piece:?}");
                for contact in found {
                    assert!(contact.normal.distance(DVec3::Z) < 1e-12, "{k} {}", contact.normal);
                    assert!((contact.least_gap() + 0.01).abs() < 1e-9, "{k}");
                }
            }
        }
    }

    /// Where the container juts into the room, a ball rolls over the ridge, pushed outwards.
    #[test]
    fn a_ridge_pushes_along_all_directions_between_its_faces() {
        let neck = Mesh::profile(&[[-1.0, 2.0], [0.0, 1.0], [1.0, 2.0]], 64);
        let walls = Walls::new(&Boundary::from_mesh(&neck), 0.5);
        let ball = Piece::new(Core::Point, 0.25);
        for z in [-0.15, -0.05, 0.0, 0.1] {
            let edge = DVec3::new(1.0, 0.0, 0.0);
            let away = DVec3::new(-(0.06_f64 - z * z).sqrt(), 0.0, z);
            let found = contacts(&walls, &ball, edge + away, DQuat::IDENTITY);
            assert!(!found.is_empty(), "{z}");
            for contact in &found {
                assert!(contact.normal.distance(away.normalize()) < 0.05, "{z} {}", contact.normal);
            }
            let least = found.iter().map(Manifold::least_gap).fold(f64::INFINITY, f64::min);
            assert!((least - (0.06_f64.sqrt() - 0.25)).abs() < 2e-3, "{z} {least}");
        }
    }

    #[test]
    fn nothing_is_felt_through_a_thin_wall() {
        let mut room = Mesh::cuboid(DVec3::ZERO, DVec3::ONE);
        let other = Mesh::cuboid(DVec3::new(1.1, 0.0, 0.0), DVec3::new(2.1, 1.0, 1.0));
        let count = room.vertices.len() as u32;
        room.vertices.extend(other.vertices);
        room.triangles.extend(other.triangles.iter().map(|t| t.map(|k| k + count)));
        let walls = Walls::new(&Boundary::from_mesh(&room), 0.5);
        let ball = Piece::new(Core::Point, 0.25);
        let found = contacts(&walls, &ball, DVec3::new(0.77, 0.5, 0.5), DQuat::IDENTITY);
        assert!(!found.is_empty());
        for contact in found {
            assert!((contact.normal + DVec3::X).length() < 1e-12);
            assert!((contact.least_gap() + 0.02).abs() < 1e-12);
        }
    }

    /// The same in the plane: a zigzag floor, its valleys and its ridges.
    #[test]
    fn segments_of_the_plane_are_walls() {
        let corners =
            [[0.0, 0.0], [1.0, 0.0], [2.0, 0.5], [3.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 3.0]];
        let walls = Walls::new(&Boundary::from_polygon(&corners), 0.5);
        let disc = Piece::new(Core::Point, 0.25);
        let found = contacts(&walls, &disc, DVec3::new(0.999, 0.24, 0.0), DQuat::IDENTITY);
        assert!(found.iter().any(|c| c.normal == DVec3::Y && (c.least_gap() + 0.01).abs() < 1e-12));
        let found = contacts(&walls, &disc, DVec3::new(2.0, 0.74, 0.0), DQuat::IDENTITY);
        assert!(!found.is_empty());
        for contact in &found {
            assert!(contact.normal.distance(DVec3::Y) < 1e-9, "{}", contact.normal);
            assert!((contact.least_gap() + 0.01).abs() < 1e-12);
        }
        let square = Polytope::rectangle(0.5, 0.5).unwrap();
        let square = Piece::new(Core::Polytope(square), 0.0);
        let found = contacts(&walls, &square, DVec3::new(0.5, 0.249, 0.0), DQuat::IDENTITY);
        assert_eq!((found.len(), found[0].count, found[0].normal), (1, 2, DVec3::Y));
        assert!(found[0].spots().iter().all(|s| (s.gap + 0.001).abs() < 1e-12 && s.at.z == 0.0));
    }
}
