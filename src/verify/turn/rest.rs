//! Rest of bodies that may turn: contacts touch, push, and balance weights and moments.

use std::collections::BTreeSet;

use super::super::claims::Found;
use super::super::convex::Placed;
use super::super::limits::Limits;
use super::super::rest::TOUCHING;
use super::super::{Verdict, report_modes};
use super::modes::modes;
use super::{Container, pose};
use crate::math::{DQuat, DVec3, RESIDUAL_LIMIT};
use crate::shape::Piece;
use crate::trajectory::{Contact, Ending, With};
use crate::world::{Model, State};

/// A force acts at a point of each side, up to this part of the size.
const PLACE: f64 = 2e-6;
/// A force that acts at two places, one for each side, has moments about them that differ by at
/// most this many weights times radii: no more than may be left of them in all.
const TWO_PLACES: f64 = RESIDUAL_LIMIT;
/// A unit vector is so to this, and a wall's normal the wall's.
const DIRECTION: f64 = 1e-9;

/// A contact as the state shows it.
pub(super) struct Touch {
    /// The body and, unless it is a wall, the other one.
    pub bodies: [Option<usize>; 2],
    /// The face, if it is none of a wall.
    pub face: Option<Piece>,
    pub pieces: [usize; 2],
    /// From the other side to the body.
    pub normal: DVec3,
    /// Half-way between the two points in the file.
    pub at: DVec3,
    pub force: f64,
    /// In lengths.
    pub gap: f64,
}

/// Rest and its stability.
pub(in super::super) fn report(
    verdict: &mut Verdict,
    model: &Model,
    state: &State,
    ending: &Ending,
) {
    let limits = Limits::of(&model.method);
    verdict.contacts = Some(ending.contacts.len());
    let touches = match touches(model, state, &ending.contacts) {
        Ok(touches) => touches,
        Err(fault) => return verdict.state("contacts", Some(fault), ""),
    };
    let size = |touch: &Touch| {
        let radii = touch.bodies.iter().flatten().map(|&i| model.bodies[i].radius);
        radii.fold(f64::INFINITY, f64::min)
    };
    let widest = touches.iter().map(|touch| touch.gap / size(touch)).fold(0.0, f64::max);
    let detail = match widest > TOUCHING {
        true => format!("a contact is open by {widest:.1e} of the smaller radius"),
        false => format!("{} pairs touch", touches.len()),
    };
    verdict.measure("contacts", widest, TOUCHING, detail);
    let (residual, body) = residual(model, state, &touches);
    verdict.residual = Some(residual);
    let detail = match residual > limits.residual {
        true => format!(
            "forces and moments on body {body} leave {residual:.1e} of its weight (times radius)"
        ),
        false => "the contact forces carry every body's weight, and their moments balance".into(),
    };
    verdict.measure("balance", residual, limits.residual, detail);
    let found = modes(model, state, &touches);
    let unknowns = found.unknowns;
    report_modes(verdict, found.modes);
    let found = Found { residual, rounding: 1e-10, unknowns, modes: found.modes };
    let contradiction = found.contradiction(ending.certificate.as_ref());
    verdict.state("certificate", contradiction, "it claims what was found here");
}

/// All contacts; or, in words, what is wrong with one.
fn touches(model: &Model, state: &State, contacts: &[Contact]) -> Result<Vec<Touch>, String> {
    let container = Container::of(model);
    let mut seen = BTreeSet::new();
    let mut touches = Vec::with_capacity(contacts.len());
    for contact in contacts {
        let name = format!("the contact of body {} with {:?}", contact.body, contact.with);
        if !seen.insert((contact.body, contact.with, contact.pieces)) {
            return Err(format!("{name} is stored twice"));
        }
        let touch = touch(model, state, &container, contact);
        touches.push(touch.map_err(|fault| format!("{name} {fault}"))?);
    }
    Ok(touches)
}

fn touch(
    model: &Model,
    state: &State,
    container: &Container,
    contact: &Contact,
) -> Result<Touch, String> {
    let placed = |body: u32, piece: u32| {
        let body = body as usize;
        if body >= model.bodies.len() {
            return Err("is of a body that does not exist");
        }
        let piece = model.shape(body).pieces.get(piece as usize);
        let (position, rotation) = pose(state, body);
        piece.map(|p| Placed::new(p, position, rotation)).ok_or("is of a piece that does not exist")
    };
    let one = placed(contact.body, contact.pieces[0])?;
    let Contact { normal, at, force, .. } = *contact;
    let is_unit = (normal.length() - 1.0).abs() <= DIRECTION;
    let pressure = force.dot(normal);
    if !is_unit || (force - pressure * normal).length() > DIRECTION * force.length() {
        return Err(format!("has the normal {normal} and the force {force}"));
    }
    if !(pressure >= 0.0 && pressure.is_finite()) {
        return Err(format!("has the force {pressure:?}"));
    }
    let own = model.bodies[contact.body as usize].radius;
    let low = lowest(&one, normal);
    let mut inner = None;
    let (gap, other, size) = match contact.with {
        With::Body(other) if other != contact.body => {
            let two = placed(other, contact.pieces[1])?;
            let size = own.min(model.bodies[other as usize].radius);
            let top = -lowest(&two, -normal);
            let off = (normal.dot(at[1]) - top).abs();
            if off > PLACE * size || two.outside(at[1]) > PLACE * size + two.prism() {
                return Err("acts beside the other body".into());
            }
            (low - top, Some(other as usize), size)
        }
        With::Face(face) => {
            let wall = container.walls.iter().find(|wall| wall.2 == face as usize);
            let wall = wall.filter(|wall| wall.0.distance(normal) <= DIRECTION);
            let face = container.faces.iter().find(|(number, ..)| *number == face as usize);
            let (top, is_beside) = match (wall, face) {
                (Some((inward, offset, _)), _) => {
                    (*offset, (inward.dot(at[1]) - offset).abs() > PLACE * own)
                }
                (None, Some((_, piece, _))) => {
                    inner = Some(piece.clone());
                    let flat = Placed::new(piece, DVec3::ZERO, DQuat::IDENTITY);
                    let top = -lowest(&flat, -normal);
                    let off = (normal.dot(at[1]) - top).abs().max(flat.outside(at[1]));
                    (top, off > PLACE * own)
                }
                (None, None) => return Err("is with a face that it does not face".into()),
            };
            if is_beside {
                return Err("acts beside its face".into());
            }
            (low - top, None, own)
        }
        _ => return Err("is with what no rest has".into()),
    };
    let off = (normal.dot(at[0]) - low).abs();
    if off > PLACE * size || one.outside(at[0]) > PLACE * size + one.prism() {
        return Err("acts beside the body".into());
    }
    let apart = at[0] - at[1];
    let across = (apart - normal * apart.dot(normal)).length();
    // What two places make of the moments is small beside what weights do.
    let weight = |i: usize| model.bodies[i].mass * model.pull(i).length();
    let free = [Some(contact.body as usize), other].into_iter().flatten();
    let least =
        free.filter(|&i| model.bodies[i].is_free()).map(weight).fold(f64::INFINITY, f64::min);
    let is_one = pressure * across <= TWO_PLACES * least * size; // false for what is no number
    if !is_one {
        return Err(format!("acts at two places, {:.1e} of a radius apart", across / size));
    }
    Ok(Touch {
        bodies: [Some(contact.body as usize), other],
        face: inner,
        pieces: contact.pieces.map(|piece| piece as usize),
        normal,
        at: 0.5 * (at[0] + at[1]),
        force: pressure,
        gap,
    })
}

/// How low a piece reaches along a direction.
fn lowest(placed: &Placed, normal: DVec3) -> f64 {
    placed.farthest(-normal).dot(normal) - placed.radius()
}

/// The largest imbalance of a free body: of forces, in its weights, or of moments about its centre
/// of mass, in weights times its radius.
fn residual(model: &Model, state: &State, touches: &[Touch]) -> (f64, usize) {
    let mut left: Vec<[DVec3; 2]> = (0..model.bodies.len())
        .map(|i| [model.bodies[i].mass * model.pull(i), DVec3::ZERO])
        .collect();
    for touch in touches {
        for (body, sign) in touch.bodies.iter().zip([1.0, -1.0]) {
            let Some(body) = *body else { continue };
            let force = sign * touch.force * touch.normal;
            left[body][0] += force;
            left[body][1] += (touch.at - state.positions[body]).cross(force);
        }
    }
    let mut worst = (0.0, 0);
    for i in model.free() {
        let body = &model.bodies[i];
        let weight = body.mass * model.pull(i).length();
        let moment = if body.turns { left[i][1].length() / body.radius } else { 0.0 };
        let all = left[i][0].length().max(moment);
        let value = if all == 0.0 { 0.0 } else { all / weight };
        // What is no number is worse than any.
        if value > worst.0 || value.is_nan() {
            worst = (value, i);
        }
    }
    worst
}
