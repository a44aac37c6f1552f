//! Rest: the contacts of the ending touch where they say they do, and their
//! forces balance the weights.

use std::collections::BTreeSet;

use super::distance::{Closest, Part, closest};
use super::second_order::outer;
use crate::math::{DMat3, DVec3, SKIN, TOUCH, median};
use crate::trajectory::{Contact, With};
use crate::world::Model;

/// The largest gap at which a contact can carry force, in units of the smaller
/// radius. A gap is counted from the skin that settle keeps around its bodies.
pub(super) const TOUCHING: f64 = TOUCH + 2.0 * SKIN;

/// Wall contacts whose normal is within this angle (in radians) of the face's
/// own are flat: edges between faces that are meant to be coplanar do not count.
const FLAT: f64 = 1e-7;

/// A body whose weight is below this part of a typical one is measured by the latter.
const LEAST_WEIGHT: f64 = 1e-9;

/// A contact as the positions show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Touch {
    pub body: usize,
    /// The other body; none for a face.
    pub other: Option<usize>,
    /// Unit vector from the other side to the body.
    pub normal: DVec3,
    /// In units of the smaller radius; negative for an overlap.
    pub gap: f64,
    pub force: f64,
    /// How fast the gap opens when the body slides on the contact: the projection on the
    /// curved directions over the radius of curvature.
    pub curvature: DMat3,
}

/// All contacts as the positions show them; or, in words, what is wrong with one.
pub(super) fn touches(
    model: &Model,
    positions: &[DVec3],
    contacts: &[Contact],
) -> Result<Vec<Touch>, String> {
    let mut seen = BTreeSet::new();
    let mut touches = Vec::with_capacity(contacts.len());
    for contact in contacts {
        let touch = touch(model, positions, contact)?;
        let sides = match contact.with {
            With::Body(other, _) => (contact.body.min(other), contact.body.max(other), false),
            With::Face(face) => (contact.body, face, true),
        };
        if !seen.insert(sides) {
            return Err(format!("{} is stored twice", name(contact)));
        }
        touches.push(touch);
    }
    Ok(touches)
}

/// The widest gap of a contact, in units of the smaller radius, and where it is.
pub(super) fn widest(touches: &[Touch], contacts: &[Contact]) -> (f64, String) {
    let gaps = touches.iter().zip(contacts).map(|(touch, contact)| (touch.gap, contact));
    match gaps.max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((gap, contact)) => (gap, name(contact)),
        None => (0.0, String::new()),
    }
}

/// The largest force imbalance of a body relative to its weight, and that body.
pub(super) fn residual(model: &Model, touches: &[Touch]) -> (f64, usize) {
    let mut left: Vec<DVec3> = model.bodies.iter().map(|b| -b.mass * model.gravity).collect();
    for touch in touches {
        left[touch.body] -= touch.force * touch.normal;
        if let Some(other) = touch.other {
            left[other] += touch.force * touch.normal;
        }
    }
    let weights: Vec<f64> =
        model.bodies.iter().map(|body| body.mass * model.gravity.length()).collect();
    let least = LEAST_WEIGHT * median(weights.clone());
    let relative = left.iter().zip(&weights).map(|(left, weight)| left.length() / weight.max(least));
    let none = (0.0, 0);
    relative.enumerate().fold(none, |worst, (body, r)| if r > worst.0 { (r, body) } else { worst })
}

fn touch(model: &Model, positions: &[DVec3], contact: &Contact) -> Result<Touch, String> {
    let wrong = |what: &str| Err(format!("{} {what}", name(contact)));
    let force = contact.force;
    if !(force >= 0.0 && force.is_finite()) {
        return wrong(&format!("has the force {force:?}"));
    }
    let body = contact.body as usize;
    let (Some(&centre), Some(radius)) =
        (positions.get(body), model.bodies.get(body).map(|body| body.radius))
    else {
        return wrong("is of a body that does not exist");
    };
    let (from, reach, smaller, other) = match contact.with {
        With::Body(other, image) => {
            let other = other as usize;
            if other >= positions.len() || other == body || image != [0; 3] {
                return wrong("is with a body that does not exist");
            }
            let second = model.bodies[other].radius;
            (positions[other], radius + second, radius.min(second), Some(other))
        }
        With::Face(face) => match model.boundary.faces().get(face as usize) {
            Some(face) => (closest(&face.corners, centre).point, radius, radius, None),
            None => return wrong("is with a face that does not exist"),
        },
    };
    let Some(normal) = (centre - from).try_normalize() else {
        return wrong("has no direction: the centre lies on the other side's");
    };
    let curvature = match contact.with {
        With::Body(..) => (DMat3::IDENTITY - outer(normal)) * (1.0 / reach),
        With::Face(face) => {
            wall_curvature(&model.boundary.faces()[face as usize].corners, centre, normal)
                * (1.0 / radius)
        }
    };
    let gap = (centre.distance(from) - reach) / smaller;
    Ok(Touch { body, other, normal, gap, force, curvature })
}

/// The directions in which a face is curved as seen from a sphere that touches
/// it: none inside it, one across an edge, all at a corner.
fn wall_curvature(corners: &[DVec3], centre: DVec3, normal: DVec3) -> DMat3 {
    let upright = match *corners {
        [a, b] => (b - a).cross(DVec3::Z),
        [a, b, c] => (b - a).cross(c - a),
        _ => DVec3::ZERO,
    };
    if upright.normalize_or_zero().cross(normal).length() < FLAT {
        return DMat3::ZERO;
    }
    let Closest { on, .. } = closest(corners, centre);
    match on {
        Part::Inside => DMat3::ZERO,
        Part::Corner => DMat3::IDENTITY - outer(normal),
        Part::Edge(k) => {
            let along = (corners[(k + 1) % corners.len()] - corners[k]).normalize_or_zero();
            outer(normal.cross(along))
        }
    }
}

fn name(contact: &Contact) -> String {
    match contact.with {
        With::Body(other, _) => format!("the contact of bodies {} and {other}", contact.body),
        With::Face(face) => format!("the contact of body {} and face {face}", contact.body),
    }
}
