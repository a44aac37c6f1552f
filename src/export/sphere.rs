//! Spheres as triangles, for formats that know nothing else. An icosahedron is
//! subdivided: its corners lie on the sphere, so that the triangles of two
//! bodies that do not overlap do not either.

use std::f64::consts::TAU;

use crate::math::{DMat3, DVec3};
use crate::problem::{Problem, Result};
use crate::shape::Mesh;
use crate::trajectory::Frame;
use crate::world::Model;

/// A sphere of radius 1: the icosahedron, subdivided so often.
pub(super) fn unit_sphere(subdivisions: u32) -> Mesh {
    (0..subdivisions).fold(icosahedron(), |sphere, _| subdivided(&sphere))
}

/// How far the triangles are inside of the sphere, in hundredths of the radius; never less than
/// it is.
pub(super) fn percent_inside(unit_sphere: &Mesh) -> String {
    format!("{:.2}", (1e4 * chord_error(unit_sphere)).ceil() / 100.0)
}

fn chord_error(unit_sphere: &Mesh) -> f64 {
    let depth = |[a, b, c]: [DVec3; 3]| 1.0 - (b - a).cross(c - a).normalize().dot(a);
    unit_sphere.corners().map(depth).fold(0.0, f64::max)
}

/// Two poles and two rings of five corners in between, turned against each
/// other; and the whole turned so that no corner points along an axis, however
/// often it is subdivided. Spheres that are stacked would have that corner in
/// common, once it is rounded, and many a reader would make one body of them.
fn icosahedron() -> Mesh {
    let turn = DMat3::from_cols(
        DVec3::new(-11.0, 16.0, 8.0) / 21.0,
        DVec3::new(-16.0, -13.0, 4.0) / 21.0,
        DVec3::new(8.0, -4.0, 19.0) / 21.0,
    );
    let ring = |turns: f64, z: f64| {
        let (sin, cos) = (TAU * turns / 5.0).sin_cos();
        turn * (DVec3::new(2.0 * cos, 2.0 * sin, z) / 5_f64.sqrt())
    };
    let upper = |k: u8| ring((k % 5).into(), 1.0);
    let lower = |k: u8| ring(f64::from(k % 5) + 0.5, -1.0);
    let (top, bottom) = (turn * DVec3::Z, turn * DVec3::NEG_Z);
    let triangles = (0..5).flat_map(|k| {
        [
            [top, upper(k), upper(k + 1)],
            [upper(k), lower(k), upper(k + 1)],
            [upper(k + 1), lower(k), lower(k + 1)],
            [bottom, lower(k + 1), lower(k)],
        ]
    });
    Mesh::from_triangles(&triangles.collect::<Vec<_>>())
}

/// Four triangles for each. The middle of an edge has the same bits whichever
/// way the edge is run through, so that neighbours share it.
fn subdivided(sphere: &Mesh) -> Mesh {
    let middle = |a: DVec3, b: DVec3| (a + b).normalize();
    let triangles = sphere.corners().flat_map(|[a, b, c]| {
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
    });
    Mesh::from_triangles(&triangles.collect::<Vec<_>>())
}

/// Refuses bodies of which nothing can be drawn in single precision.
pub(super) fn check_drawable(model: &Model, index: usize, frame: &Frame) -> Result<()> {
    let fits = |number: f64| (number as f32).is_finite();
    for (id, (position, body)) in frame.state.positions.iter().zip(&model.bodies).enumerate() {
        if !(position.to_array().into_iter().all(fits) && body.radius > 0.0 && fits(body.radius)) {
            let radius = body.radius;
            let message = format!(
                "body {id} of frame {index} cannot be drawn: it is at {position}, with radius {radius}"
            );
            let help = "places and radii are numbers up to 1e38; .csv holds whatever there is";
            return Err(Problem::new(message).help(help));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::samples;

    #[test]
    fn spheres_are_closed_and_get_rounder() {
        let mut last_error = 0.3;
        for subdivisions in 0..4 {
            let sphere = unit_sphere(subdivisions);
            let count = 4_usize.pow(subdivisions);
            assert_eq!(
                (sphere.vertices.len(), sphere.triangles.len()),
                (10 * count + 2, 20 * count)
            );
            assert_eq!(sphere.check_closed(), Ok(()));
            assert!(sphere.vertices.iter().all(|v| (v.length() - 1.0).abs() < 1e-15));
            let error = chord_error(&sphere);
            assert!(0.2 * last_error < error && error < 0.7 * last_error, "{error}");
            let volume = sphere.volume() / (TAU * 2.0 / 3.0);
            assert!((1.0 - error).powi(3) < volume && volume < 1.0, "{volume}");
            last_error = error;
        }
        let inradius = (3.0 * 3_f64.sqrt() + 15_f64.sqrt()) / 12.0;
        let circumradius = (10.0 + 2.0 * 5_f64.sqrt()).sqrt() / 4.0;
        let expected = 1.0 - inradius / circumradius;
        assert!((chord_error(&icosahedron()) - expected).abs() < 1e-14);
        assert_eq!(percent_inside(&icosahedron()), "20.54");
    }

    #[test]
    fn no_corner_points_along_an_axis() {
        for subdivisions in 0..5 {
            let edge = 1.1 / f64::from(1 << subdivisions);
            for corner in unit_sphere(subdivisions).vertices {
                let angle = corner.abs().max_element().acos();
                assert!(angle > 0.2 * edge, "{corner} after {subdivisions} subdivisions");
            }
        }
    }

    #[test]
    fn what_cannot_be_drawn_is_named() {
        let (model, frame) = (samples::model(2), samples::frame(0, 2));
        assert_eq!(check_drawable(&model, 0, &frame), Ok(()));
        for (place, radius) in [(f64::NAN, 1.0), (1e39, 1.0), (0.0, 0.0), (0.0, f64::INFINITY)] {
            let (mut model, mut frame) = (model.clone(), frame.clone());
            frame.state.positions[1] = DVec3::new(0.0, place, 2.0);
            model.bodies[1].radius = radius;
            let problem = check_drawable(&model, 5, &frame).unwrap_err();
            let message = format!(
                "body 1 of frame 5 cannot be drawn: it is at {}, with radius {radius}",
                frame.state.positions[1]
            );
            assert_eq!(problem.message, message);
        }
    }
}
