//! The stone of the scene `arch-mesh`: a sector of a ring, about the centre of the arch, so that
//! turning it is all it takes to put it in its place.

use std::f64::consts::PI;
use std::fmt::Write as _;
use std::path::Path;

use riprap::math::DVec3;
use riprap::shape::Mesh;
use riprap::{Problem, Result};

/// As in the scene `arch`.
const STONES: usize = 15;
const RADIUS: f64 = 2.0;
const THICKNESS: f64 = 0.15;

/// Half of it along y.
const HALF_DEPTH: f64 = 0.3;

/// Its sides, by numbers of corners: inner and outer face, front and back, right and left.
const SIDES: [[usize; 4]; 6] =
    [[0, 1, 3, 2], [4, 6, 7, 5], [0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6]];

pub fn write(folder: &Path) -> Result<()> {
    let path = folder.join("arch-stone.obj");
    let text = text();
    let mesh = Mesh::from_bytes(&path, text.as_bytes())?;
    mesh.check_closed()?;
    println!("{}: {} triangles", path.display(), mesh.triangles.len());
    std::fs::write(&path, text)
        .map_err(|error| Problem::new(format!("cannot write: {error}")).in_file(&path))
}

/// The stone at the top of the arch: first the inner corners, then the outer ones.
fn corners() -> Vec<DVec3> {
    let (sin, cos) = (0.5 * PI / STONES as f64).sin_cos();
    let mut corners = Vec::new();
    for radius in [1.0 - 0.5 * THICKNESS, 1.0 + 0.5 * THICKNESS].map(|part| part * RADIUS) {
        for x in [-radius * sin, radius * sin] {
            corners.extend([-HALF_DEPTH, HALF_DEPTH].map(|y| DVec3::new(x, y, radius * cos)));
        }
    }
    corners
}

/// With 17 digits, so that stones that touch do so when they are read.
fn text() -> String {
    let mut text = String::from("# A stone of an arch, made by tools/assets.\n");
    for DVec3 { x, y, z } in corners() {
        let _ = writeln!(text, "v {x:.16e} {y:.16e} {z:.16e}");
    }
    for [a, b, c, d] in SIDES.map(|side| side.map(|corner| corner + 1)) {
        let _ = writeln!(text, "f {a} {b} {c} {d}");
    }
    text
}
