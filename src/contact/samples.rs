//! Containers for tests, convex and not, in 3D and 2D, and a small world.

use crate::math::DVec3;
use crate::shape::{Boundary, Mesh, Shape};
use crate::world::{Body, Model};

/// An upright outline (x and z of its corners, counter-clockwise) drawn out
/// along y from 0 to `depth`. All of the outline must be visible from its corner `apex`.
pub(crate) fn prism(outline: &[[f64; 2]], apex: usize, depth: f64) -> Mesh {
    let n = outline.len();
    let at = |k: usize, y: f64| DVec3::new(outline[k % n][0], y, outline[k % n][1]);
    let mut triangles = Vec::new();
    for k in 0..n {
        let (a, b, c, d) = (at(k, 0.0), at(k, depth), at(k + 1, depth), at(k + 1, 0.0));
        triangles.extend([[a, b, c], [a, c, d]]);
    }
    for k in apex + 1..apex + n - 1 {
        triangles.push([at(apex, 0.0), at(k, 0.0), at(k + 1, 0.0)]);
        triangles.push([at(apex, depth), at(k + 1, depth), at(k, depth)]);
    }
    Mesh::from_triangles(&triangles)
}

/// A box 10 wide, 6 deep and 8 high, with a ridge of height 1 across the middle of its floor.
pub(crate) fn ridge() -> Boundary {
    let outline =
        [[0.0, 0.0], [4.0, 0.0], [5.0, 1.0], [6.0, 0.0], [10.0, 0.0], [10.0, 8.0], [0.0, 8.0]];
    Boundary::from_mesh(&prism(&outline, 2, 6.0))
}

/// A prism whose section is an L.
pub(crate) fn ell() -> Boundary {
    let outline = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [2.0, 2.0], [2.0, 4.0], [0.0, 4.0]];
    Boundary::from_mesh(&prism(&outline, 3, 3.0))
}

pub(crate) fn cuboid(size: f64) -> Boundary {
    Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::splat(size)))
}

/// A small hourglass with sections of 7 corners.
pub(crate) fn hourglass() -> Boundary {
    let profile = [[0.0, 3.0], [2.0, 3.0], [4.0, 0.8], [4.5, 0.8], [6.5, 3.0], [8.0, 3.0]];
    Boundary::from_mesh(&Mesh::profile(&profile, 7))
}

/// A star with five points: every second corner of ten is reflex.
pub(crate) fn star() -> Boundary {
    let corner = |k: usize| {
        let (sin, cos) = (std::f64::consts::TAU * k as f64 / 10.0).sin_cos();
        let radius = if k.is_multiple_of(2) { 5.0 } else { 1.8 };
        [radius * cos, radius * sin]
    };
    Boundary::from_polygon(&(0..10).map(corner).collect::<Vec<_>>())
}

/// A flat hourglass.
pub(crate) fn flat_hourglass() -> Boundary {
    let right = [[3.0, 0.0], [3.0, 3.0], [0.9, 6.0], [0.9, 6.5], [3.0, 9.5], [3.0, 13.0]];
    let left = right.iter().rev().map(|[x, y]| [-x, *y]);
    Boundary::from_polygon(&right.iter().copied().chain(left).collect::<Vec<_>>())
}

/// Balls (discs, if the boundary is flat) of mass 1 and these radii, with gravity down.
pub(crate) fn model(boundary: Boundary, radii: &[f64]) -> Model {
    let flat = boundary.faces()[0].corners.len() == 2;
    let shape = if flat { Shape::disc } else { Shape::ball };
    Model {
        name: "sample".into(),
        dimension: if flat { 2 } else { 3 },
        shapes: radii.iter().map(|&radius| shape(radius)).collect(),
        bodies: radii.iter().zip(0..).map(|(&radius, k)| Body::new(k, 1.0, radius)).collect(),
        groups: vec!["balls".into()],
        boundary,
        gravity: if flat { -DVec3::Y } else { -DVec3::Z },
        seed: 1,
        ..Default::default()
    }
}

#[test]
fn the_prisms_are_closed() {
    let outline = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [2.0, 2.0], [2.0, 4.0], [0.0, 4.0]];
    let mesh = prism(&outline, 3, 3.0);
    assert_eq!(mesh.check_closed(), Ok(()));
    assert!((mesh.volume() - 36.0).abs() < 1e-12);
    assert!(ridge().contains(DVec3::new(5.0, 3.0, 1.5)));
    assert!(!ridge().contains(DVec3::new(5.0, 3.0, 0.5)));
}
