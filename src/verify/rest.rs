//! Rest: the contacts of the ending touch where they say they do, and their
//! forces balance the weights.

use std::collections::BTreeSet;

use super::distance::{Part, closest};
use super::forces::loads;
use super::limits::SETTLE;
use super::seats::Seats;
use super::second_order::outer;
use crate::math::{CARRIES, DMat3, DVec3, PLAY, SKIN, TOUCH, median};
use crate::trajectory::{Contact, With};
use crate::world::{Body, Joint, Model, State};

/// The largest gap at which a contact can carry force, in units of the smaller
/// radius. A gap is counted from the skin that settle keeps around its bodies.
pub(super) const TOUCHING: f64 = TOUCH + 2.0 * SKIN;

/// The largest gap at which a contact without force can forbid motion, likewise.
const FORBIDS: f64 = PLAY + 2.0 * SKIN;

/// Wall contacts whose normal is within this angle (in radians) of the face's
/// own are flat: edges between faces that are meant to be coplanar do not count.
const FLAT: f64 = 1e-7;

/// A contact acts at a point of each side, up to this part of the size and its gap.
const PLACE: f64 = 1e-5;

/// The direction that a contact of balls states may be off by this: rounding.
const SAME_DIRECTION: f64 = 1e-6;

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

impl Touch {
    /// The weight of the lighter of its bodies.
    pub fn lighter(&self, weights: &[f64]) -> f64 {
        self.other.map_or(weights[self.body], |other| weights[self.body].min(weights[other]))
    }
}

/// All contacts as the state shows them; or, in words, what is wrong with one.
pub(super) fn touches(
    model: &Model,
    state: &State,
    contacts: &[Contact],
) -> Result<Vec<Touch>, String> {
    let seats = Seats::new(model, state);
    let mut seen = BTreeSet::new();
    let mut touches = Vec::with_capacity(contacts.len());
    for contact in contacts {
        let wrong = |what: String| format!("{} {what}", name(contact));
        let touch = touch(model, state, &seats, contact).map_err(wrong)?;
        if !seen.insert(sides(contact)) {
            return Err(format!("{} is stored twice", name(contact)));
        }
        touches.push(touch);
    }
    Ok(touches)
}

/// The two sides of a contact, whoever comes first; a joint may pull and push.
fn sides(contact: &Contact) -> (u8, [u32; 2], [u32; 2]) {
    let Contact { body, pieces: [own, other_piece], .. } = *contact;
    match contact.with {
        With::Body(other) if body > other => (0, [other, body], [other_piece, own]),
        With::Body(other) => (0, [body, other], [own, other_piece]),
        With::Face(face) => (1, [body, face], [own, 0]),
        With::Joint(joint) => (2, [body, joint], [u32::from(contact.pressure() < 0.0), 0]),
        other => (other.parts().0, [body, other.parts().1], [0; 2]),
    }
}

/// The widest gap of a contact, in units of the smaller radius, and where it is. Gaps of contacts
/// that press on nothing count as parts of what they may be.
pub(super) fn widest(touches: &[Touch], contacts: &[Contact], weights: &[f64]) -> (f64, String) {
    let gap = |touch: &Touch| match touch.force > CARRIES * touch.lighter(weights) {
        true => touch.gap,
        false => touch.gap * (TOUCHING / FORBIDS),
    };
    let gaps = touches.iter().zip(contacts).map(|(touch, contact)| (gap(touch), contact));
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
    let held = left.iter_mut().zip(&model.bodies).filter(|(_, body)| !body.is_free());
    held.for_each(|(left, _)| *left = DVec3::ZERO);
    // A body on which nothing acts is measured by the largest force on any other.
    let heaviest = weights.iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let measure = |weight: f64| if weight == 0.0 { heaviest } else { weight.max(least) };
    let relative = left.iter().zip(&weights).map(|(left, w)| (left.length() / measure(*w)).abs());
    // In this order what is no number is the largest of all.
    let worst = relative.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    worst.map_or((0.0, 0), |(body, residual)| (residual, body))
}

/// What rounding may make of the imbalance of a body that large forces press from all sides,
/// relative to its weight: a few units in the last place of every force.
pub(super) fn rounding(model: &Model, positions: &[DVec3], touches: &[Touch]) -> f64 {
    let mut pressed = vec![0.0; model.bodies.len()];
    for touch in touches {
        let ends = [Some(touch.body), touch.other].into_iter().flatten();
        ends.for_each(|body| pressed[body] += 4.0 * f64::EPSILON * touch.force.abs());
    }
    let weights = weights(model, positions);
    pressed.iter().zip(&weights).map(|(by, weight)| by / weight).fold(0.0, f64::max)
}

/// The weights of the bodies, or the largest other forces on them; of what cannot move, none.
pub(super) fn weights(model: &Model, positions: &[DVec3]) -> Vec<f64> {
    let (_, largest) = loads(model, positions);
    let weight = |(body, own): (&Body, f64)| if body.is_free() { own } else { f64::INFINITY };
    model.bodies.iter().zip(largest).map(weight).collect()
}

/// The median over the bodies that may move.
pub(super) fn typical(model: &Model, values: &[f64]) -> f64 {
    let free = values.iter().zip(&model.bodies).filter(|(_, body)| body.is_free());
    match median(free.map(|(value, _)| *value).collect()) {
        middle if middle > 0.0 => middle,
        _ => 1.0,
    }
}

fn touch(model: &Model, state: &State, seats: &Seats, contact: &Contact) -> Result<Touch, String> {
    let body = contact.body as usize;
    if body >= model.bodies.len() {
        return Err("is of a body that does not exist".into());
    }
    let has = |body: usize, piece: u32| (piece as usize) < model.shape(body).pieces.len();
    let other = match contact.with {
        With::Body(other) => Some(other as usize).filter(|&other| other < model.bodies.len()),
        _ => None,
    };
    let [own, second] = contact.pieces;
    let is_joint = matches!(contact.with, With::Joint(_));
    if !(is_joint || has(body, own)) || other.is_some_and(|other| !has(other, second)) {
        return Err("is of a piece that does not exist".into());
    }
    let normal = contact.normal;
    let is_unit = (normal.length() - 1.0).abs() < 1e-9; // and so false for what is no number
    if !is_unit {
        return Err(format!("has the normal {normal}"));
    }
    let force = contact.pressure();
    let pulls = matches!(contact.with, With::Joint(_));
    if !force.is_finite() || (force < 0.0 && !pulls) {
        return Err(format!("has the force {force:?}"));
    }
    if (contact.force - force * normal).length() > SETTLE.cone * contact.force.length() {
        return Err("has a force across its normal".into());
    }
    let is_ball = |body: usize| model.shape(body).is_ball();
    let touch = match contact.with {
        With::Joint(number) => match model.joints.get(number as usize) {
            Some(joint) => by_joint(model, state, contact, joint),
            None => Err("is with a joint that does not exist".into()),
        },
        With::Limit(_) | With::Motor(_) | With::Attachment(_) => {
            Err("is with what no rest has".into())
        }
        With::Body(other) => {
            let other = other as usize;
            if other >= model.bodies.len() || other == body {
                return Err("is with a body that does not exist".into());
            }
            match (is_ball(body), is_ball(other)) {
                (Some(one), Some(two)) => {
                    let from = state.positions[other];
                    let mut touch = of_ball(state, contact, from, [one + two, one.min(two)])?;
                    touch.curvature = (DMat3::IDENTITY - outer(touch.normal)) * (1.0 / (one + two));
                    Ok(Touch { other: Some(other), ..touch })
                }
                _ => seats.with_body(contact, other),
            }
        }
        With::Face(number) => {
            let Some(face) = model.boundary.faces().get(number as usize) else {
                return Err("is with a face that does not exist".into());
            };
            let Some(radius) = is_ball(body) else { return seats.with_wall(contact, face) };
            let centre = state.positions[body];
            let mut from = closest(&face.corners, centre).point;
            // The nearest point of a face much wider than the ball is rounded along it.
            let upright =
                upright(&face.corners).filter(|n| n.cross(contact.normal).length() < FLAT);
            if let Some(n) = upright {
                from = centre - n * n.dot(centre - face.corners[0]);
            }
            let mut touch = of_ball(state, contact, from, [radius; 2])?;
            touch.curvature = wall_curvature(&face.corners, centre, touch.normal) * (1.0 / radius);
            Ok(touch)
        }
    }?;
    // Corners that face each other press along a direction that is chosen, and nowhere.
    let is_nowhere = contact.choice || seats.is_with_wall(contact);
    let off = if is_nowhere { 0.0 } else { seats.off(contact) };
    match off <= PLACE + touch.gap.max(0.0) {
        true => Ok(touch),
        false => Err(format!("acts {off:.1e} of a radius beside the two")),
    }
}

/// A ball that touches at a distance of `reach` from a point; gaps are relative to `size`.
fn of_ball(
    state: &State,
    contact: &Contact,
    from: DVec3,
    [reach, size]: [f64; 2],
) -> Result<Touch, String> {
    let body = contact.body as usize;
    let centre = state.positions[body];
    let Some(normal) = (centre - from).try_normalize() else {
        return Err("has no direction: the centre lies on the other side's".into());
    };
    if normal.distance(contact.normal) > SAME_DIRECTION {
        return Err(format!("has the normal {}, but its direction is {normal}", contact.normal));
    }
    let gap = (centre.distance(from) - reach) / size;
    let force = contact.pressure();
    Ok(Touch { body, other: None, normal, gap, force, curvature: DMat3::ZERO })
}

/// A joint that carries force: the normal is the direction in which it pushes the body, and
/// sliding across it lengthens it.
fn by_joint(
    model: &Model,
    state: &State,
    contact: &Contact,
    joint: &Joint,
) -> Result<Touch, String> {
    let Some([least, most]) = joint.distance() else {
        return Err("is with a joint that holds no distance".into());
    };
    if joint.bodies[0] != Some(contact.body) {
        return Err("is with a joint of another body".into());
    }
    let [one, two] = joint.ends(state);
    let Some(away) = (one - two).try_normalize() else {
        return Err("has no direction: the ends of its joint are one".into());
    };
    if away.distance(contact.normal) > SAME_DIRECTION {
        return Err(format!("has the normal {}, but its direction is {away}", contact.normal));
    }
    let (length, size) = (one.distance(two), super::joints::size(model, joint));
    let across = (DMat3::IDENTITY - outer(away)) * (1.0 / length);
    // Without force it is taut on the nearer side.
    let force = contact.pressure();
    let pulls = force < 0.0 || (force == 0.0 && most - length < length - least);
    if !pulls && joint.is_rope() {
        return Err("pushes, but is with a rope".into());
    }
    let (gap, normal, curvature) = match pulls {
        true => (most - length, -away, -1.0 * across),
        false => (length - least, away, across),
    };
    let (body, other) = (contact.body as usize, joint.bodies[1].map(|other| other as usize));
    Ok(Touch { body, other, normal, gap: gap / size, force: force.abs(), curvature })
}

/// The directions in which a face is curved as seen from a sphere that touches
/// it: none inside it, one across an edge, all at a corner.
fn wall_curvature(corners: &[DVec3], centre: DVec3, normal: DVec3) -> DMat3 {
    let is_flat = |upright: DVec3| upright.cross(normal).length() < FLAT;
    match closest(corners, centre).on {
        _ if upright(corners).is_some_and(is_flat) => DMat3::ZERO,
        Part::Inside => DMat3::ZERO,
        Part::Corner => DMat3::IDENTITY - outer(normal),
        Part::Edge(k) => {
            let along = (corners[(k + 1) % corners.len()] - corners[k]).normalize_or_zero();
            outer(normal.cross(along))
        }
    }
}

/// The normal of a face; none of what has no area.
fn upright(corners: &[DVec3]) -> Option<DVec3> {
    match *corners {
        [a, b] => (b - a).cross(DVec3::Z).try_normalize(),
        [a, b, c] => (b - a).cross(c - a).try_normalize(),
        _ => None,
    }
}

fn name(contact: &Contact) -> String {
    match contact.with {
        With::Body(other) => format!("the contact of bodies {} and {other}", contact.body),
        With::Face(face) => format!("the contact of body {} and face {face}", contact.body),
        With::Joint(joint) => format!("the force of joint {joint} on body {}", contact.body),
        other => format!("the force of {other:?} on body {}", contact.body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Boundary, Mesh};
    use crate::world::JointKind;

    fn contact(body: u32, with: With, normal: DVec3, force: f64) -> Contact {
        // Where the two balls of the tower touch each other, and the floor.
        let at = match with {
            With::Face(_) => [DVec3::new(4.0, 3.0, 0.0); 2],
            With::Body(_) => [DVec3::new(4.0, 3.0, 2.0); 2],
            _ => [1.0, 2.5].map(|z| DVec3::new(4.0, 3.0, z)),
        };
        Contact {
            body,
            with,
            pieces: [0; 2],
            at,
            normal,
            force: force * normal,
            couples: [DVec3::ZERO; 2],
            choice: false,
        }
    }

    /// Two balls on top of each other in a room, exactly.
    fn tower() -> (Model, State, Vec<Contact>) {
        let (mut model, mut state) = (Model::new(3, -2.0 * DVec3::Z), State::default());
        model.add_particle(&mut state, DVec3::new(4.0, 3.0, 1.0), 3.0, 1.0);
        model.add_particle(&mut state, DVec3::new(4.0, 3.0, 2.5), 1.0, 0.5);
        model.boundary = Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::splat(9.0)));
        let floor = model.boundary.nearest(state.positions[0]).unwrap().face;
        let contacts = vec![
            contact(0, With::Face(floor), DVec3::Z, 8.0),
            contact(0, With::Body(1), -DVec3::Z, 2.0),
        ];
        (model, state, contacts)
    }

    #[test]
    fn a_tower_is_in_balance() {
        let (model, state, contacts) = tower();
        let touches = touches(&model, &state, &contacts).unwrap();
        assert_eq!((touches[0].normal, touches[1].normal), (DVec3::Z, -DVec3::Z));
        assert_eq!(touches[0].curvature, DMat3::ZERO);
        let across = DVec3::new(1.0, 1.0, 0.0) / 1.5;
        assert_eq!(touches[1].curvature, DMat3::from_diagonal(across));
        assert_eq!(widest(&touches, &contacts, &weights(&model, &state.positions)).0, 0.0);
        assert_eq!(residual(&model, &state.positions, &touches).0, 0.0);
    }

    #[test]
    fn what_is_left_is_relative_to_the_weight() {
        let (model, state, mut contacts) = tower();
        contacts[1].force *= 1.05;
        let wrong = touches(&model, &state, &contacts).unwrap();
        let (left, body) = residual(&model, &state.positions, &wrong);
        assert!((left - 0.05).abs() < 1e-15 && body == 1);
        let (left, body) = residual(&model, &state.positions, &[]);
        assert_eq!((left, body), (1.0, 1));
        contacts.iter_mut().for_each(|contact| contact.force = f64::MAX * contact.normal);
        let endless = touches(&model, &state, &contacts).unwrap();
        let (left, _) = residual(&model, &state.positions, &[endless.clone(), endless].concat());
        assert!(!left.is_finite());
    }

    #[test]
    fn gaps_are_relative_to_the_smaller_radius() {
        let (model, mut state, contacts) = tower();
        state.positions[1].z += 1e-3;
        let touches = touches(&model, &state, &contacts).unwrap();
        let (gap, who) = widest(&touches, &contacts, &weights(&model, &state.positions));
        assert!((gap - 2e-3).abs() < 1e-12);
        assert_eq!(who, "the contact of bodies 0 and 1");
        assert_eq!(widest(&[], &[], &[]), (0.0, String::new()));
    }

    #[test]
    fn contacts_that_cannot_be_are_named() {
        let (model, mut state, contacts) = tower();
        let fault = |index: usize, change: &dyn Fn(&mut Contact)| {
            let mut contacts = contacts.clone();
            change(&mut contacts[index]);
            touches(&model, &state, &contacts).unwrap_err()
        };
        for force in [-1e-9, f64::NAN, f64::INFINITY] {
            let told = fault(1, &|c| c.force.z = -force);
            let expected = format!("the contact of bodies 0 and 1 has the force {force:?}");
            assert!(told == expected || force.is_infinite() && told.ends_with("NaN"), "{told}");
        }
        let nobody = "is with a body that does not exist";
        for with in [With::Body(2), With::Body(0)] {
            assert!(fault(1, &|c| c.with = with).ends_with(nobody));
        }
        let expected = "the contact of body 0 and face 12 is with a face that does not exist";
        assert_eq!(fault(0, &|c| c.with = With::Face(12)), expected);
        assert!(fault(0, &|c| c.body = 7).ends_with("is of a body that does not exist"));
        assert!(fault(0, &|c| c.with = With::Joint(0)).ends_with("a joint that does not exist"));
        assert!(fault(0, &|c| c.force.x = 0.1).ends_with("has a force across its normal"));
        assert!(fault(0, &|c| c.normal *= 2.0).contains("has the normal"));
        let tilted = fault(0, &|c| {
            c.normal = DVec3::new(1e-4, 0.0, 1.0).normalize();
            c.force = c.normal * 8.0;
        });
        assert!(tilted.contains("but its direction is [0, 0, 1]"), "{tilted}");
        assert!(fault(1, &|c| c.at[1].x += 0.01).ends_with("of a radius beside the two"));
        let nowhere = fault(0, &|c| c.at[0] = DVec3::NAN);
        assert!(nowhere.ends_with("acts NaN of a radius beside the two"), "{nowhere}");
        let first = contacts[0];
        let expected = format!("{} is stored twice", name(&first));
        assert_eq!(fault(1, &|c| *c = first), expected);
        let mut twice = contacts.clone();
        twice.push(contact(1, With::Body(0), DVec3::Z, 0.0));
        let expected = "the contact of bodies 1 and 0 is stored twice";
        assert_eq!(touches(&model, &state, &twice).unwrap_err(), expected);
        state.positions[1] = state.positions[0];
        let fault = touches(&model, &state, &contacts).unwrap_err();
        assert!(fault.contains("has no direction"), "{fault}");
    }

    #[test]
    fn ropes_pull_and_bars_push() {
        let (mut model, state, _) = tower();
        let join = |model: &mut Model, least: f64| {
            let kind = JointKind::Distance { least, most: 1.5 };
            let points = [state.positions[0], state.positions[1]];
            model.join(&state, kind, [Some(0), Some(1)], points, [DVec3::X; 2]);
        };
        let joined = |model: &Model, force: f64| {
            touches(model, &state, &[contact(0, With::Joint(0), -DVec3::Z, force)])
        };
        join(&mut model, 0.0);
        let rope = joined(&model, -3.0).unwrap()[0];
        assert_eq!((rope.normal, rope.force, rope.gap), (DVec3::Z, 3.0, 0.0));
        assert!(rope.curvature.x_axis.x < 0.0);
        assert!(joined(&model, 3.0).unwrap_err().ends_with("pushes, but is with a rope"));
        model.joints.clear();
        join(&mut model, 1.5);
        let bar = joined(&model, 3.0).unwrap()[0];
        assert_eq!((bar.normal, bar.force, bar.gap), (-DVec3::Z, 3.0, 0.0));
        assert_eq!(joined(&model, -3.0).unwrap()[0].normal, DVec3::Z);
        model.joints[0].kind = JointKind::Ball;
        assert!(joined(&model, 3.0).unwrap_err().ends_with("holds no distance"));
    }
}
