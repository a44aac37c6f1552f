//! The surface of a piece as flat polygons, for pictures: round parts are drawn
//! with a few facets.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::{Core, Piece};
use crate::math::DVec3;

/// Facets around, and from pole to pole, of what is round.
const AROUND: usize = 16;
const UPWARDS: usize = 8;

impl Piece {
    /// Corners in the frame of the body, and faces as lists of corners, counter-clockwise from
    /// outside.
    pub fn skin(&self) -> (Vec<DVec3>, Vec<Vec<u32>>) {
        let place = |c: DVec3| self.turn * c + self.at;
        if let Some(hull) = self.core.hull() {
            let stretch = self.core.stretch();
            let corners = hull.corners.iter().map(|c| place(*c * stretch)).collect();
            return (corners, hull.faces.clone());
        }
        let half = match self.core {
            Core::Segment { half } => half,
            _ => 0.0,
        };
        // Rings from the lower pole to the upper one; a capsule's equator is doubled.
        let mut rings: Vec<(f64, f64)> = Vec::new();
        for k in 1..UPWARDS {
            let latitude = PI * k as f64 / UPWARDS as f64 - FRAC_PI_2;
            let (z, r) = (self.radius * latitude.sin(), self.radius * latitude.cos());
            match 2 * k == UPWARDS && half > 0.0 {
                true => rings.extend([(-half, r), (half, r)]),
                false => rings.push((z + half * z.signum(), r)),
            }
        }
        let mut corners = vec![DVec3::new(0.0, 0.0, -half - self.radius)];
        for &(z, r) in &rings {
            corners.extend((0..AROUND).map(|k| {
                let angle = TAU * k as f64 / AROUND as f64;
                DVec3::new(r * angle.cos(), r * angle.sin(), z)
            }));
        }
        corners.push(DVec3::new(0.0, 0.0, half + self.radius));
        (corners.into_iter().map(place).collect(), globe(rings.len()))
    }
}

/// The faces between so many rings and two poles.
fn globe(rings: usize) -> Vec<Vec<u32>> {
    let at = |ring: usize, k: usize| (1 + ring * AROUND + k % AROUND) as u32;
    let top = (1 + rings * AROUND) as u32;
    let mut faces = Vec::new();
    for k in 0..AROUND {
        faces.push(vec![0, at(0, k + 1), at(0, k)]);
        for ring in 1..rings {
            faces.push(vec![at(ring - 1, k), at(ring - 1, k + 1), at(ring, k + 1), at(ring, k)]);
        }
        faces.push(vec![at(rings - 1, k), at(rings - 1, k + 1), top]);
    }
    faces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Mesh;

    /// Closed, outwards, and a little smaller than what it stands for.
    #[test]
    fn skins_are_closed_and_fill_their_pieces() {
        for (core, radius) in [
            (Core::Point, 1.5),
            (Core::Segment { half: 2.0 }, 0.5),
            (Core::Box { half: DVec3::new(1.0, 2.0, 3.0) }, 0.0),
            (Core::Cylinder { radius: 1.0, half: 2.0 }, 0.0),
        ] {
            let piece = Piece::new(core, radius);
            let (vertices, faces) = piece.skin();
            let fans = faces.iter().flat_map(|f| (1..f.len() - 1).map(|k| [f[0], f[k], f[k + 1]]));
            let mesh = Mesh { vertices, triangles: fans.collect() };
            mesh.check_closed().unwrap();
            let (volume, whole) =
                (crate::shape::Mass::of_mesh(&mesh).volume, piece.moments().measure);
            assert!(volume <= whole * (1.0 + 1e-12) && volume > 0.88 * whole, "{volume} {whole}");
        }
    }
}
