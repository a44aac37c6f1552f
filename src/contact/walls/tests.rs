//! Walls of containers of all kinds.

use super::*;
use crate::contact::manifold::Manifold;
use crate::contact::placed::Placed;
use crate::math::{DMat3, DQuat, Random};
use crate::shape::{Core, Mesh, Piece, Polytope};

fn contacts(walls: &Walls, piece: &Piece, at: DVec3, turn: DQuat) -> Vec<Manifold> {
    let placed = Placed::new(piece, at, &DMat3::from_quat(turn));
    let mut near = Vec::new();
    walls.near(&placed.bounds().grow(0.05), &mut near);
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
        for (piece, turn) in [(&ball, turn), (&cube, turn), (&rod, turn * level), (&disc, turn)] {
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
        let least = found.iter().map(Manifold::least_gap).fold(f64::INFINITY, f64::min);
        assert!((least - (0.06_f64.sqrt() - 0.25)).abs() < 2e-3, "{z} {least}");
        // The walls beside those at the edge are farther away.
        for contact in found.iter().filter(|contact| contact.least_gap() < least + 1e-3) {
            assert!(contact.normal.distance(away.normalize()) < 0.05, "{z} {}", contact.normal);
        }
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

/// All of the boundary has a wall, and wherever a ball is in the container, the walls keep
/// it as far from the boundary as it is.
fn check(boundary: Boundary, radius: f64) -> Walls {
    let walls = Walls::new(&boundary, radius);
    let size = boundary.bounds().size().length();
    let numbers = walls.iter().flat_map(|wall| wall.faces.iter().map(|(face, _)| *face));
    let mut faces: Vec<u32> = numbers.collect();
    faces.sort_unstable();
    assert!(faces.into_iter().eq(0..boundary.faces().len() as u32));
    for (face, k) in boundary.faces().iter().zip(0..) {
        let middle = face.corners.iter().sum::<DVec3>() / face.corners.len() as f64;
        let wall = walls.iter().find(|wall| wall.faces.iter().any(|f| f.0 == k)).unwrap();
        assert_eq!(wall.face_at(middle), k);
        assert!(wall.height(middle).unwrap().abs() < 1e-9 * size);
        assert!((wall.normal() + boundary.normal(k)).length() < 1e-12);
    }
    let random = &mut Random::new(1);
    let Aabb { min, max } = boundary.bounds();
    let inside = (0..2000).filter_map(|_| {
        let part = DVec3::new(random.unit(), random.unit(), random.unit());
        let point = min + (max - min) * part;
        boundary.contains(point).then_some(point)
    });
    for point in inside {
        let distance = boundary.nearest(point).unwrap().distance;
        let core = Polytope::point(point);
        let met = walls.iter().flat_map(|wall| wall.meetings(&core, radius, size, 1e-9));
        let least = met.map(|met| met.gap()).fold(f64::INFINITY, f64::min);
        assert!((least - distance).abs() < 1e-9 * size, "{point}: {least} {distance}");
    }
    walls
}

#[test]
fn a_box_has_six_walls() {
    let cuboid = Mesh::cuboid(DVec3::ZERO, DVec3::new(4.0, 3.0, 2.0));
    let made = check(Boundary::from_mesh(&cuboid), 0.5);
    assert_eq!(made.walls.len(), 6);
    assert!(made.iter().all(|wall| wall.normal().abs().max_element() == 1.0));
}

#[test]
fn a_polygon_with_a_spike_keeps_its_inside() {
    // A thin spike stands up from the floor, and a slit cuts into the right side.
    let corners = [
        [0.0, 0.0],
        [1.9, 0.0],
        [2.0, 1.0],
        [2.1, 0.0],
        [4.0, 0.0],
        [4.0, 1.0],
        [3.0, 1.02],
        [4.0, 1.04],
        [4.0, 3.0],
        [0.0, 3.0],
    ];
    let made = check(Boundary::from_polygon(&corners), 0.4);
    assert_eq!(made.walls.len(), 10);
}

#[test]
fn cylinders_hourglasses_and_thin_walls_have_walls() {
    let cylinder = Mesh::profile(&[[0.0, 1.0], [2.0, 1.0]], 16);
    let made = check(Boundary::from_mesh(&cylinder), 0.3);
    assert_eq!(made.walls.len(), 18);
    let profile = [[0.0, 2.0], [1.0, 2.0], [2.0, 0.2], [2.1, 0.2], [4.0, 2.0]];
    check(Boundary::from_mesh(&Mesh::profile(&profile, 9)), 0.5);
    // Two rooms with a thin wall between them, joined below.
    let rooms = [
        [0.0, 0.0],
        [4.0, 0.0],
        [4.0, 3.0],
        [2.001, 3.0],
        [2.001, 0.5],
        [1.999, 0.5],
        [1.999, 3.0],
        [0.0, 3.0],
    ];
    check(Boundary::from_polygon(&rooms), 0.5);
    let pipe = [DVec3::ZERO, DVec3::Z, DVec3::new(0.7, 0.2, 1.5), DVec3::new(2.0, 0.0, 1.6)];
    check(Boundary::from_mesh(&Mesh::tube(&pipe, 0.3, 6)), 0.2);
}
