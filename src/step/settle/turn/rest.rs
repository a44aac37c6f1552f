//! The forces of contacts at rest: one for every pair of pieces, where their pressure has its centre.

use super::memory::vector;
use super::rows::{Corners, Setup};
use super::solids::Solids;
use crate::math::{DVec3, TOUCH};
use crate::solver::planes::Answer;
use crate::world::{Contact, Model, State, With};

/// Contacts that press with less than this many typical weights carry nothing.
pub(super) const PRESSES: f64 = 1e-10;

/// What holds every body.
pub(super) struct Balance {
    pub contacts: Vec<Contact>,
    /// The largest imbalance of forces of a body, in its weights, or of moments, in weights times
    /// its radius.
    pub residual: f64,
    /// The energy can fall by at most this, to first order, while bodies move by a radius and turn
    /// by a radian.
    pub bound: f64,
}

/// The pressure of a group: in all, and its centre, from the body's centre.
fn pressure(corners: &Corners, forces: &[f64], unit: f64) -> (f64, DVec3) {
    let all: f64 = forces.iter().sum();
    let moment: DVec3 = corners.offsets.iter().zip(forces).map(|(r, force)| *r * *force).sum();
    (all, if all > 0.0 { moment * (unit / all) } else { DVec3::ZERO })
}

impl Balance {
    pub fn new(
        model: &Model,
        solids: &Solids,
        state: &State,
        setup: &Setup,
        answer: &Answer,
    ) -> Balance {
        let (unit, mut first) = (solids.length, 0);
        let mut sides = vec![[(0.0, DVec3::ZERO); 2]; setup.planes.len()];
        let mut contacts = Vec::new();
        for (group, corners) in setup.program.groups.iter().zip(&setup.corners) {
            let forces = &answer.multipliers[first..first + group.rows.len()];
            first += group.rows.len();
            let least = group.rows.iter().map(|row| row.gap).fold(f64::INFINITY, f64::min);
            let (force, centre) = pressure(corners, forces, unit);
            if let Some(plane) = group.plane {
                sides[plane as usize][usize::from(corners.side > 0.0)] = (force, centre);
                continue;
            }
            let (Some(wall), Some(own), true) = (corners.wall, corners.body, force > PRESSES)
            else {
                continue;
            };
            let body = own as usize;
            if least * unit > TOUCH * model.bodies[body].radius {
                continue;
            }
            let wall = &solids.walls[wall as usize];
            let piece = &model.shape(body).pieces[corners.piece as usize];
            let at = state.positions[body] + centre - piece.radius * wall.normal;
            let foot = at - (at.dot(wall.normal) - wall.offset) * wall.normal;
            contacts.push(Contact {
                body: own,
                with: With::Face(wall.face),
                pieces: [corners.piece, 0],
                at: [at, foot],
                normal: wall.normal,
                force: wall.normal * (force * solids.weight),
                couples: [DVec3::ZERO; 2],
                choice: false,
            });
        }
        for (between, [a, b]) in setup.planes.iter().zip(sides) {
            let force = 0.5 * (a.0 + b.0);
            if force <= PRESSES {
                continue;
            }
            let radius =
                |body: u32, piece: u32| model.shape(body as usize).pieces[piece as usize].radius;
            let (i, n) = (between.body, between.normal);
            let own = model.bodies[i as usize].radius;
            let near = state.positions[i as usize] + a.1 + radius(i, between.pieces[0]) * n;
            let (at, least) = match between.with {
                With::Body(j) => {
                    let far = state.positions[j as usize] + b.1 - radius(j, between.pieces[1]) * n;
                    ([near, far], own.min(model.bodies[j as usize].radius))
                }
                // A face has its corners about the origin.
                _ => ([near, b.1], own),
            };
            if (at[1] - at[0]).dot(n) > TOUCH * least {
                continue;
            }
            contacts.push(Contact {
                body: between.body,
                with: between.with,
                pieces: between.pieces,
                at,
                normal: -n,
                force: n * (-force * solids.weight),
                couples: [DVec3::ZERO; 2],
                choice: false,
            });
        }
        contacts.sort_by_key(|contact| (contact.body, contact.with, contact.pieces));
        let residual = residual(model, state, &contacts);
        let play = |c: &Contact| c.pressure() * (c.at[0] - c.at[1]).dot(c.normal).max(0.0);
        let lifted = model.free().map(|i| {
            let body = &model.bodies[i];
            body.mass * model.pull(i).length() * body.radius
        });
        let bound = contacts.iter().map(play).sum::<f64>() + 2.0 * residual * lifted.sum::<f64>();
        Balance { contacts, residual, bound }
    }
}

/// The largest imbalance of a free body.
pub(super) fn residual(model: &Model, state: &State, contacts: &[Contact]) -> f64 {
    let mut forces: Vec<DVec3> =
        (0..model.bodies.len()).map(|i| model.bodies[i].mass * model.pull(i)).collect();
    let mut moments = vec![DVec3::ZERO; model.bodies.len()];
    for contact in contacts {
        let mut act = |body: usize, at: DVec3, force: DVec3| {
            forces[body] += force;
            moments[body] += (at - state.positions[body]).cross(force);
        };
        // One force, at one place.
        let middle = 0.5 * (contact.at[0] + contact.at[1]);
        act(contact.body as usize, middle, contact.force);
        if let With::Body(other) = contact.with {
            act(other as usize, middle, -contact.force);
        }
    }
    let of = |i: usize| {
        let body = &model.bodies[i];
        let weight = body.mass * model.pull(i).length();
        let turning = if body.turns { moments[i].length() / body.radius } else { 0.0 };
        let left = forces[i].length().max(turning);
        if left == 0.0 { 0.0 } else { left / weight }
    };
    model.free().map(of).fold(0.0, f64::max)
}

/// How far the bodies go and turn, from an answer.
pub(super) fn motion(setup: &Setup, answer: &Answer, unit: f64) -> Vec<[DVec3; 2]> {
    let of = |(number, arm): (&Option<u32>, &f64)| match number {
        None => [DVec3::ZERO; 2],
        Some(k) => {
            let x = &answer.x[*k as usize];
            [vector(x, 0) * unit, vector(x, 3) / *arm]
        }
    };
    setup.number.iter().zip(&setup.arm).map(of).collect()
}
