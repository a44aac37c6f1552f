//! Rest: the contacts of the ending touch where they say they do, and their
//! forces balance the weights.

use std::collections::BTreeSet;

use super::distance::{Part, closest};
use super::forces::loads;
use super::seats;
use super::second_order::outer;
use crate::math::{DMat3, DVec3, SKIN, TOUCH, median};
use crate::trajectory::{Contact, With};
use crate::world::{Body, Model};

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
            With::Body(other, _) => (contact.body.min(other), contact.body.max(other), 0, [0; 2]),
            With::Face(face) => (contact.body, face, 1, [0; 2]),
            With::Rope(link) => (contact.body, link, 2, [0; 2]),
            With::Strut(link) => (contact.body, link, 3, [0; 2]),
            With::Pieces(other, seat) if contact.body > other => {
                (other, contact.body, 4, [seat.pieces[1], seat.pieces[0]])
            }
            With::Pieces(other, seat) => (contact.body, other, 4, seat.pieces),
            With::Wall(face, seat) => (contact.body, face, 5, seat.pieces),
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

/// The largest force imbalance of a body that may move, relative to its weight
/// or the largest other force on it, and that body.
pub(super) fn residual(model: &Model, positions: &[DVec3], touches: &[Touch]) -> (f64, usize) {
    let (mut left, weights) = loads(model, positions);
    for touch in touches {
        left[touch.body] -= touch.force * touch.normal;
        if let Some(other) = touch.other {
            left[other] += touch.force * touch.normal;
        }
    }
    let least = LEAST_WEIGHT * typical(model, &weights);
    let free = |(left, body): (&mut DVec3, &Body)| {
        if body.fixed {
            *left = DVec3::ZERO
        }
    };
    left.iter_mut().zip(&model.bodies).for_each(free);
    // A body on which nothing acts is measured by the largest force on any other.
    let heaviest = weights.iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let measure = |weight: f64| if weight == 0.0 { heaviest } else { weight.max(least) };
    let relative = left.iter().zip(&weights).map(|(left, w)| (left.length() / measure(*w)).abs());
    // In this order what is no number is the largest of all.
    let worst = relative.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    worst.map_or((0.0, 0), |(body, residual)| (residual, body))
}

/// The median over the bodies that may move.
pub(super) fn typical(model: &Model, values: &[f64]) -> f64 {
    let free = values.iter().zip(&model.bodies).filter(|(_, body)| !body.fixed);
    match median(free.map(|(value, _)| *value).collect()) {
        middle if middle > 0.0 => middle,
        _ => 1.0,
    }
}

/// A link that carries force: the normal is the direction in which it pushes
/// the body, and sliding across it lengthens it.
fn linked(model: &Model, positions: &[DVec3], contact: &Contact) -> Option<Touch> {
    let (number, pulls) = match contact.with {
        With::Rope(number) => (number, true),
        With::Strut(number) => (number, false),
        _ => return None,
    };
    let link = model.links.get(number as usize)?;
    let (body, other) = (link.a as usize, link.b as usize);
    let vector = positions.get(body)? - positions.get(other)?;
    let away = vector.try_normalize()?;
    let curvature = (DMat3::IDENTITY - outer(away)) * (1.0 / vector.length());
    let smaller = model.bodies[body].radius.min(model.bodies[other].radius);
    let shortest = link.length * (1.0 - link.give);
    let (gap, normal, curvature) = match pulls {
        true => (link.length - vector.length(), -away, -1.0 * curvature),
        false => (vector.length() - shortest, away, curvature),
    };
    let can_be = link.a == contact.body && (pulls || link.give < 1.0);
    let (gap, force) = (gap / smaller, contact.force);
    can_be.then_some(Touch { body, other: Some(other), normal, gap, force, curvature })
}

fn touch(model: &Model, positions: &[DVec3], contact: &Contact) -> Result<Touch, String> {
    let wrong = |what: &str| Err(format!("{} {what}", name(contact)));
    let force = contact.force;
    if !(force >= 0.0 && force.is_finite()) {
        return wrong(&format!("has the force {force:?}"));
    }
    if matches!(contact.with, With::Rope(_) | With::Strut(_)) {
        let touch = linked(model, positions, contact);
        return touch.map_or_else(|| wrong("is with a link that does not exist"), Ok);
    }
    let seated = match contact.with {
        With::Pieces(other, seat) => {
            Some(seats::with_body(model, positions, contact, other as usize, &seat))
        }
        With::Wall(face, seat) => Some(seats::with_wall(model, positions, contact, face, &seat)),
        _ => None,
    };
    if let Some(touch) = seated {
        return touch.or_else(|what| wrong(&what));
    }
    let body = contact.body as usize;
    // What is no sphere touches with a piece of its own.
    let solid = |body: usize| model.bodies.get(body).is_some_and(|body| body.shape.is_some());
    if solid(body) || contact.with.body(model).is_some_and(solid) {
        return wrong("is of a solid, but names no piece of it");
    }
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
        _ => return wrong("is with a link that does not exist"),
    };
    let Some(normal) = (centre - from).try_normalize() else {
        return wrong("has no direction: the centre lies on the other side's");
    };
    let curvature = match contact.with {
        With::Face(face) => {
            wall_curvature(&model.boundary.faces()[face as usize].corners, centre, normal)
                * (1.0 / radius)
        }
        _ => (DMat3::IDENTITY - outer(normal)) * (1.0 / reach),
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
    let is_flat = |upright: DVec3| upright.cross(normal).length() < FLAT;
    match closest(corners, centre).on {
        _ if upright.try_normalize().is_some_and(is_flat) => DMat3::ZERO,
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
        With::Body(other, _) | With::Pieces(other, _) => {
            format!("the contact of bodies {} and {other}", contact.body)
        }
        With::Face(face) | With::Wall(face, _) => {
            format!("the contact of body {} and face {face}", contact.body)
        }
        With::Rope(link) => format!("the pull at body {} by link {link}", contact.body),
        With::Strut(link) => format!("the push at body {} by link {link}", contact.body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Boundary, Mesh};
    use crate::trajectory::samples;

    /// Two spheres on top of each other in a room, exactly.
    fn tower() -> (Model, [DVec3; 2], Vec<Contact>) {
        let boundary = Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::splat(9.0)));
        let body = |radius: f64, mass: f64| Body::new(radius, mass, 0);
        let bodies = vec![body(1.0, 3.0), body(0.5, 1.0)];
        let positions = [DVec3::new(4.0, 3.0, 1.0), DVec3::new(4.0, 3.0, 2.5)];
        let floor = boundary.nearest(positions[0]).unwrap().face;
        let model = Model { bodies, boundary, gravity: -2.0 * DVec3::Z, ..samples::model(1) };
        let contacts = vec![
            Contact { body: 0, with: With::Face(floor), force: 8.0 },
            Contact { body: 0, with: With::Body(1, [0; 3]), force: 2.0 },
        ];
        (model, positions, contacts)
    }

    #[test]
    fn a_tower_is_in_balance() {
        let (model, positions, contacts) = tower();
        let touches = touches(&model, &positions, &contacts).unwrap();
        assert_eq!((touches[0].normal, touches[1].normal), (DVec3::Z, -DVec3::Z));
        assert_eq!(touches[0].curvature, DMat3::ZERO);
        let across = DVec3::new(1.0, 1.0, 0.0) / 1.5;
        assert_eq!(touches[1].curvature, DMat3::from_diagonal(across));
        assert_eq!(widest(&touches, &contacts).0, 0.0);
        assert_eq!(residual(&model, &positions, &touches).0, 0.0);
    }

    #[test]
    fn what_is_left_is_relative_to_the_weight() {
        let (model, positions, mut contacts) = tower();
        contacts[1].force = 2.1;
        let wrong = touches(&model, &positions, &contacts).unwrap();
        let (left, body) = residual(&model, &positions, &wrong);
        assert!((left - 0.05).abs() < 1e-15 && body == 1);
        let (left, body) = residual(&model, &positions, &[]);
        assert_eq!((left, body), (1.0, 1));
        contacts.iter_mut().for_each(|contact| contact.force = f64::MAX);
        let endless = touches(&model, &positions, &contacts).unwrap();
        let (left, _) = residual(&model, &positions, &[endless.clone(), endless].concat());
        assert!(!left.is_finite());
    }

    #[test]
    fn gaps_are_relative_to_the_smaller_radius() {
        let (model, mut positions, contacts) = tower();
        positions[1].z += 1e-3;
        let touches = touches(&model, &positions, &contacts).unwrap();
        let (gap, who) = widest(&touches, &contacts);
        assert!((gap - 2e-3).abs() < 1e-12);
        assert_eq!(who, "the contact of bodies 0 and 1");
        assert_eq!(widest(&[], &[]), (0.0, String::new()));
    }

    #[test]
    fn contacts_that_cannot_be_are_named() {
        let (model, positions, contacts) = tower();
        let fault = |index: usize, change: &dyn Fn(&mut Contact)| {
            let mut contacts = contacts.clone();
            change(&mut contacts[index]);
            touches(&model, &positions, &contacts).unwrap_err()
        };
        for force in [-1e-9, f64::NAN, f64::INFINITY] {
            let expected = format!("the contact of bodies 0 and 1 has the force {force:?}");
            assert_eq!(fault(1, &|c| c.force = force), expected);
        }
        let nobody = "is with a body that does not exist";
        for with in [With::Body(2, [0; 3]), With::Body(0, [0; 3]), With::Body(1, [1, 0, 0])] {
            assert!(fault(1, &|c| c.with = with).ends_with(nobody));
        }
        let expected = "the contact of body 0 and face 12 is with a face that does not exist";
        assert_eq!(fault(0, &|c| c.with = With::Face(12)), expected);
        assert!(fault(0, &|c| c.body = 7).ends_with("is of a body that does not exist"));
        let first = contacts[0];
        let expected = format!("{} is stored twice", name(&first));
        assert_eq!(fault(1, &|c| *c = first), expected);
        let mut twice = contacts.clone();
        twice.push(Contact { body: 1, with: With::Body(0, [0; 3]), force: 0.0 });
        let expected = "the contact of bodies 1 and 0 is stored twice";
        assert_eq!(touches(&model, &positions, &twice).unwrap_err(), expected);
        let same_place = [positions[0]; 2];
        let fault = touches(&model, &same_place, &contacts).unwrap_err();
        assert!(fault.contains("has no direction"), "{fault}");
    }
}
