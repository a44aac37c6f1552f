//! Contacts of solids: the normal in the file must keep the two pieces apart,
//! and leave no more room than touching bodies have.

use super::rest::Touch;
use super::second_order::outer;
use crate::math::{DMat3, DVec3, OVERLAP_LIMIT};
use crate::shape::Convex;
use crate::trajectory::{Contact, Seat};
use crate::world::Model;

/// Corners that reach as far as the farthest up to this part of the size touch, too.
const FLAT: f64 = 1e-6;

/// The corners of one side of a contact, and how far it is rounded, by itself
/// and by the smoothing of the run.
struct Side {
    corners: Vec<DVec3>,
    rounding: f64,
    smoothing: f64,
}

/// A contact with another body.
pub(super) fn with_body(
    model: &Model,
    positions: &[DVec3],
    contact: &Contact,
    other: usize,
    seat: &Seat,
) -> Result<Touch, String> {
    let body = contact.body as usize;
    if other >= positions.len() || other == body {
        return Err("is with a body that does not exist".into());
    }
    let own = side(model, positions, body, seat.pieces[0])?;
    let second = side(model, positions, other, seat.pieces[1])?;
    let smaller = model.bodies[body].radius.min(model.bodies[other].radius);
    touch(contact, seat, own, second, smaller, Some(other))
}

/// A contact with the container.
pub(super) fn with_wall(
    model: &Model,
    positions: &[DVec3],
    contact: &Contact,
    face: u32,
    seat: &Seat,
) -> Result<Touch, String> {
    let body = contact.body as usize;
    let own = side(model, positions, body, seat.pieces[0])?;
    let Some(face) = model.boundary.faces().get(face as usize) else {
        return Err("is with a face that does not exist".into());
    };
    let wall = Side { corners: face.corners.clone(), rounding: 0.0, smoothing: 0.0 };
    touch(contact, seat, own, wall, model.bodies[body].radius, None)
}

fn side(model: &Model, positions: &[DVec3], body: usize, piece: u32) -> Result<Side, String> {
    let missing = || "is of a body that does not exist".to_string();
    let (position, own) = positions.get(body).zip(model.bodies.get(body)).ok_or_else(missing)?;
    let Some(solid) = own.shape.and_then(|shape| model.shapes.get(shape as usize)) else {
        return Ok(Side { corners: vec![*position], rounding: own.radius, smoothing: 0.0 });
    };
    let piece: &Convex =
        solid.pieces.get(piece as usize).ok_or("is of a piece that does not exist")?;
    Ok(Side {
        corners: piece.corners().iter().map(|corner| *corner + *position).collect(),
        rounding: solid.radius,
        smoothing: model.smoothing()[1],
    })
}

fn touch(
    contact: &Contact,
    seat: &Seat,
    own: Side,
    second: Side,
    smaller: f64,
    other: Option<usize>,
) -> Result<Touch, String> {
    let normal = DVec3::from(seat.normal);
    let is_unit = (normal.length() - 1.0).abs() < 1e-9; // and so false for what is no number
    if !is_unit {
        return Err(format!("has the normal {normal}"));
    }
    let heights = |side: &Side| side.corners.iter().map(|c| c.dot(normal)).collect::<Vec<_>>();
    let least = heights(&own).into_iter().fold(f64::INFINITY, f64::min);
    let most = heights(&second).into_iter().fold(f64::NEG_INFINITY, f64::max);
    let rounding = own.rounding + second.rounding;
    let room = least - most - rounding;
    let is_apart = room >= -OVERLAP_LIMIT * smaller;
    if !is_apart {
        return Err(format!("has a normal along which it overlaps by {:.1e}", -room / smaller));
    }
    let smoothing = own.smoothing + second.smoothing;
    Ok(Touch {
        body: contact.body as usize,
        other,
        normal,
        gap: (room - smoothing) / smaller,
        force: contact.force,
        curvature: curvature([&own, &second], normal, rounding),
    })
}

/// Rounded bodies are curved in the directions in which neither side is straight.
fn curvature(sides: [&Side; 2], normal: DVec3, rounding: f64) -> DMat3 {
    if rounding == 0.0 {
        return DMat3::ZERO;
    }
    let mut curved = DMat3::IDENTITY - outer(normal);
    for (side, outward) in [(sides[0], -normal), (sides[1], normal)] {
        let heights = side.corners.iter().map(|c| c.dot(outward));
        let top = heights.fold(f64::NEG_INFINITY, f64::max);
        let first = side.corners.first().copied().unwrap_or_default();
        let size = side.corners.iter().map(|c| c.distance(first)).fold(0.0, f64::max);
        let touching: Vec<&DVec3> =
            side.corners.iter().filter(|c| top - c.dot(outward) <= FLAT * size).collect();
        for corner in touching.iter().skip(1) {
            let along = curved * (**corner - *touching[0]).normalize_or_zero();
            if along.length() > 1e-3 {
                curved -= outer(along.normalize());
            }
        }
    }
    curved * (1.0 / rounding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Solid;
    use crate::trajectory::{With, samples};

    /// A cube on another, a ball on top of it.
    fn pile() -> (Model, Vec<DVec3>) {
        let cube = Solid::cuboid(DVec3::ONE).unwrap();
        let mut model = samples::model(3);
        for body in &mut model.bodies[..2] {
            (body.shape, body.radius) = (Some(0), cube.reach());
        }
        model.bodies[2].radius = 0.5;
        model.shapes = vec![cube];
        let gap = 2.0 * model.smoothing()[1];
        let up = |z: f64| DVec3::new(0.1, 0.2, z);
        (model, vec![up(0.0), up(1.0 + gap), up(2.0 + 1.5 * gap)])
    }

    fn touched(body: u32, other: u32, normal: DVec3, piece: u32) -> Result<Touch, String> {
        let (model, positions) = pile();
        let seat = Seat { pieces: [piece, 0], normal: normal.to_array(), choice: false };
        let contact = Contact { body, with: With::Pieces(other, seat), force: 1.0 };
        with_body(&model, &positions, &contact, other as usize, &seat)
    }

    #[test]
    fn faces_touch_along_their_normal_only() {
        let touch = touched(1, 0, DVec3::Z, 0).unwrap();
        assert!(touch.gap.abs() < 1e-12 && touch.curvature == DMat3::ZERO);
        let ball = touched(2, 1, DVec3::Z, 0).unwrap();
        assert!(ball.gap.abs() < 1e-12 && ball.curvature.determinant().abs() < 1e-12);
        let tilted = DVec3::new(0.01, 0.0, 1.0).normalize();
        assert!(touched(1, 0, tilted, 0).unwrap_err().contains("overlaps by"));
        assert!(touched(1, 0, -DVec3::Z, 0).unwrap_err().contains("overlaps by"));
        assert!(touched(1, 0, DVec3::Z * 2.0, 0).unwrap_err().contains("has the normal"));
        assert!(touched(1, 0, DVec3::Z, 7).unwrap_err().contains("piece that does not exist"));
        assert!(touched(1, 1, DVec3::Z, 0).unwrap_err().contains("body that does not exist"));
        // Far apart along another axis: a gap.
        assert!(touched(2, 0, DVec3::Z, 0).unwrap().gap > 0.5);
    }
}
