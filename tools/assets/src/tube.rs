//! The bent tube of the scene `tube`.

use std::path::Path;

use riprap::Result;
use riprap::math::DVec3;
use riprap::shape::Mesh;

/// Inner radius of the tube.
const RADIUS: f64 = 2.0;

/// Radius of the bend, measured to the middle of the tube.
const BEND: f64 = 6.0;

/// The bend turns the tube from straight down to this far from it.
const TURN_DEGREES: f64 = 75.0;

const BEND_PIECES: usize = 12;
const SIDES: usize = 32;

pub fn write(folder: &Path) -> Result<()> {
    let path = folder.join("tube.stl");
    let tube = Mesh::tube(&centreline(), RADIUS, SIDES);
    tube.check_closed()?;
    println!("{}: {} triangles", path.display(), tube.triangles.len());
    tube.write_stl_binary(&path)
}

/// Straight down, round the bend, and gently down to the closed end.
fn centreline() -> Vec<DVec3> {
    let mut points = vec![DVec3::new(0.0, 0.0, 30.0)];
    let middle = DVec3::new(BEND, 0.0, 7.0);
    for piece in 0..=BEND_PIECES {
        let angle = (TURN_DEGREES * piece as f64 / BEND_PIECES as f64).to_radians();
        points.push(middle - BEND * DVec3::new(angle.cos(), 0.0, angle.sin()));
    }
    let angle = TURN_DEGREES.to_radians();
    let last = points[points.len() - 1];
    points.push(last + 12.0 * DVec3::new(angle.sin(), 0.0, -angle.cos()));
    points
}
