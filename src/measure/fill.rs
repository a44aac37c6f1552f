//! How much of a container lies below a level.

use crate::math::DVec3;
use crate::shape::{Boundary, Face};

/// The volume (the area in 2D) of the part of a container in which
/// `up . x <= level`, for a unit vector `up`.
///
/// The field `(up . x - level) up` has divergence 1 and vanishes on the level
/// itself, so by Gauss's theorem its flux through the faces below the level is
/// the volume: nothing has to be closed or cut open.
pub(super) fn volume_below(boundary: &Boundary, up: DVec3, level: f64) -> f64 {
    let height = |p: DVec3| p.dot(up) - level;
    boundary.faces().iter().map(|face| flux(&lower_part(face, height), up, height)).sum()
}

/// The corners of the part of a face that is not above the level, in order. Of
/// a segment, they are the first two; the way back may add a third.
fn lower_part(face: &Face, height: impl Fn(DVec3) -> f64) -> Vec<DVec3> {
    let mut part = Vec::new();
    let next = face.corners.iter().cycle().skip(1);
    for (&a, &b) in face.corners.iter().zip(next) {
        let (from, to) = (height(a), height(b));
        if from <= 0.0 {
            part.push(a);
        }
        if from.min(to) < 0.0 && from.max(to) > 0.0 {
            part.push(a + (from / (from - to)) * (b - a));
        }
    }
    if face.corners.len() == 2 {
        part.truncate(2);
    }
    part
}

/// The flux of `height * up` through a part of a face: over a segment or a
/// triangle, the mean of its corners' heights times its size as seen along `up`.
fn flux(corners: &[DVec3], up: DVec3, height: impl Fn(DVec3) -> f64) -> f64 {
    match corners {
        [a, b] => 0.5 * (height(*a) + height(*b)) * (b - a).cross(DVec3::Z).dot(up),
        [a, rest @ ..] => {
            let triangle = |pair: &[DVec3]| {
                let (b, c) = (pair[0], pair[1]);
                let mean = (height(*a) + height(b) + height(c)) / 3.0;
                0.5 * mean * (b - a).cross(c - a).dot(up)
            };
            rest.windows(2).map(triangle).sum()
        }
        [] => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::samples::{cuboid, ell, flat_hourglass, hourglass, star};
    use proptest::prelude::*;

    #[test]
    fn simple_containers_fill_as_expected() {
        let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-9, "{found}");
        close(volume_below(&cuboid(10.0), DVec3::Z, 4.0), 400.0);
        close(volume_below(&cuboid(10.0), DVec3::Z, 40.0), 1000.0);
        close(volume_below(&cuboid(10.0), DVec3::Z, -1.0), 0.0);
        close(volume_below(&cuboid(10.0), DVec3::Z, 10.0), 1000.0);
        close(volume_below(&ell(), DVec3::Z, 3.0), 3.0 * (8.0 + 2.0));
        // The lower bulb: a rectangle, then half of the funnel.
        close(volume_below(&flat_hourglass(), DVec3::Y, 3.0), 18.0);
        close(volume_below(&flat_hourglass(), DVec3::Y, 4.5), 18.0 + 1.5 * (6.0 + 3.9) / 2.0);
    }

    proptest! {
        /// What is below a level and what is above it make up the whole.
        #[test]
        fn the_parts_make_up_the_whole(angle in 0.0..6.3f64, tilt in -1.5..1.5f64, level in -9.0..9.0f64) {
            for (boundary, up) in [
                (hourglass(), DVec3::new(angle.cos() * tilt.cos(), angle.sin() * tilt.cos(), tilt.sin())),
                (star(), DVec3::new(angle.cos(), angle.sin(), 0.0)),
            ] {
                let below = volume_below(&boundary, up, level);
                let above = volume_below(&boundary, -up, -level);
                let whole = volume_below(&boundary, up, 1e3);
                prop_assert!((below + above - whole).abs() < 1e-7, "{below} + {above} = {whole}");
                prop_assert!(below > -1e-7 && above > -1e-7);
            }
        }
    }
}
