//! Rows have the normals of a step's start. Where bodies are fast, other features face each
//! other when they meet, and such a row would push what passes, or the wrong way. So it is
//! asked of every push of a step whether it acts, at its start, half-way or at its end, between two
//! that touch and along a direction that keeps them apart; for those that do not, the step is solved
//! once more with the touches of where it led.

use super::Collapse;
use super::guess::half;
use super::reach::{moved, reaches};
use crate::contact::{Move, Touch};
use crate::math::DVec3;
use crate::problem::Problem;
use crate::shape::{Polytope, closest};
use crate::world::{Contact, State, With};

/// How far apart those are that touch, and by how much another direction may keep them farther
/// apart, in units of the smaller radius: half of what a run is held to, and that.
const WITHIN: [f64; 2] = [5e-4, 1e-3];
const HELD_TO: [f64; 2] = [1e-3, 2e-3];

/// Sides whose points move against each other by no more than this part of the smaller radius in a
/// step have the normal that they had.
const MOVED: f64 = 2e-3;

/// Bodies that move by no more than this part of their radius in a step do not cut corners half-way:
/// that is of second order.
const SLOW: f64 = 0.02;

const SHORTER: &str = "bodies move or turn too far in a step: give a shorter `collapse.time_step`";

/// Normals are the same up to this.
const SAME: f64 = 1e-6;

/// The two pieces of a touch.
fn pair(touch: &Touch) -> (u32, With, [u32; 2]) {
    (touch.key.body, touch.key.with, touch.key.pieces)
}

impl Collapse {
    /// The pushes of those that do not touch, or are not kept apart by them.
    fn stale(
        &self,
        state: &State,
        motions: &[Move],
        contacts: &[Contact],
        within: [f64; 2],
    ) -> Vec<Contact> {
        let is_fast = |contact: &&Contact| {
            let relative = self.motion_at(state, motions, contact);
            relative.length() > MOVED * self.size(contact)
        };
        let fast: Vec<&Contact> = contacts.iter().filter(is_fast).collect();
        // In the plane all normals are of sides, and stay with these.
        if fast.is_empty() || self.model.dimension == 2 {
            return Vec::new();
        }
        let halves: Vec<Move> = motions.iter().copied().map(half).collect();
        let moments =
            [state.clone(), moved(&self.model, state, &halves), moved(&self.model, state, motions)];
        if !moments.iter().all(|state| state.positions.iter().all(|at| at.is_finite())) {
            return Vec::new();
        }
        let is_stale = |contact: &&&Contact| {
            let at = moments.iter().map(|now| self.holds_at([state, now], contact, within));
            at.fold([false; 2], |all, one| [all[0] | one[0], all[1] | one[1]]) != [true; 2]
        };
        fast.iter().filter(is_stale).map(|contact| **contact).collect()
    }

    /// The touches of this step without those that push without reason, and with those of the same
    /// pieces where motions lead; none if all have a reason.
    pub(super) fn without_stale(
        &self,
        state: &State,
        motions: &[Move],
        contacts: &[Contact],
    ) -> Option<Vec<Touch>> {
        let stale = self.stale(state, motions, contacts, WITHIN);
        if stale.is_empty() {
            return None;
        }
        let after = moved(&self.model, state, motions);
        let reaches = reaches(&self.model, &after, self.options.time_step);
        let seen = self.pieces.touches(&self.model, &after, &reaches).into_iter();
        let is_of = |touch: &Touch, c: &Contact| pair(touch) == (c.body, c.with, c.pieces);
        let seen = seen.filter(|touch| stale.iter().any(|contact| is_of(touch, contact)));
        let pushes = |touch: &Touch, c: &Contact| is_of(touch, c) && touch.normal == c.normal;
        let is_kept = |touch: &&Touch| !stale.iter().any(|contact| pushes(touch, contact));
        let kept = self.touches.iter().filter(is_kept).copied();
        let back = seen.map(|touch| touch.taken_back(state, touch.moves(motions)));
        let mut touches: Vec<Touch> = back.chain(kept).collect();
        touches.sort_by_key(|touch| touch.key);
        touches.dedup_by_key(|touch| touch.key);
        Some(touches)
    }

    /// Why a step is none: a push that is still without reason.
    pub(super) fn ghost(
        &self,
        state: &State,
        motions: &[Move],
        contacts: &[Contact],
    ) -> Option<Problem> {
        if self.options.sidedness != 1.0 || self.model.dimension == 2 {
            return None;
        }
        if let Some(touch) = self.deep_half_way(state, motions) {
            let message =
                format!("body {} would cut a corner of another one half-way", touch.key.body);
            return Some(Problem::new(message).help(SHORTER));
        }
        let Contact { body, with, .. } = *self.stale(state, motions, contacts, HELD_TO).first()?;
        let other = match with {
            With::Body(other) => format!("body {other}"),
            _ => "the container".into(),
        };
        let message = format!(
            "body {body} and {other} would be pushed where they do not touch, or along a direction that \
             does not keep them apart"
        );
        Some(Problem::new(message).help(SHORTER))
    }

    /// A touch of two that are too deep in each other half-way.
    fn deep_half_way(&self, state: &State, motions: &[Move]) -> Option<Touch> {
        let way = |i: usize| motions[i].0.length() + motions[i].1.length() * self.radius(i);
        if self.model.free().all(|i| way(i) <= SLOW * self.radius(i)) {
            return None;
        }
        let halves: Vec<Move> = motions.iter().copied().map(half).collect();
        let middle = moved(&self.model, state, &halves);
        let inside = self.pieces.touches(&self.model, &middle, &vec![0.0; halves.len()]);
        let is_deep = |touch: &Touch| touch.gap < -HELD_TO[0] * touch.size(&self.model);
        inside.into_iter().find(is_deep)
    }

    fn radius(&self, body: usize) -> f64 {
        self.model.bodies[body].radius
    }

    /// How the point of the first side moves against that of the second, to first order.
    fn motion_at(&self, state: &State, motions: &[Move], contact: &Contact) -> DVec3 {
        let of = |body: usize, at: DVec3| {
            let (shift, turn) = motions[body];
            shift + turn.cross(at - state.positions[body])
        };
        match contact.with {
            With::Body(other) => {
                of(contact.body as usize, contact.at[0]) - of(other as usize, contact.at[1])
            }
            // The normals of walls stay, and joints push as they like.
            _ => DVec3::ZERO,
        }
    }

    /// The smaller radius.
    fn size(&self, contact: &Contact) -> f64 {
        let own = self.radius(contact.body as usize);
        contact.with.body(&self.model).map_or(own, |other| own.min(self.radius(other)))
    }

    /// Whether the two that push touch at a moment, and whether that keeps them apart then.
    fn holds_at(
        &self,
        [before, now]: [&State; 2],
        contact: &Contact,
        [touching, as_good]: [f64; 2],
    ) -> [bool; 2] {
        let Some(other) = contact.with.body(&self.model) else { return [true; 2] };
        let (bodies, size) = ([contact.body as usize, other], self.size(contact));
        let turns = bodies.map(|i| now.rotations[i] * before.rotations[i].inverse());
        let [p, q] = contact.pieces.map(|piece| piece as usize);
        let placed =
            |body: usize, piece: usize| self.pieces.placed_piece(&self.model, now, body, piece);
        let (one, two) = (placed(bodies[0], p), placed(bodies[1], q));
        // The normals of what is round turn with the points where it is nearest.
        if one.radius + two.radius > 0.0 {
            return [true; 2];
        }
        let apart = closest(&one.core, &two.core, DVec3::ZERO);
        // What is linear in turns is off by their squares.
        let bend = |k: usize| self.radius(bodies[k]) * turns[k].xyz().length_squared();
        let bend = 4.0 * (bend(0) + bend(1));
        let materials = bodies.map(|body| self.model.bodies[body].material);
        let bounces = materials[0].with(materials[1]).restitution > 0.0;
        let touches = bounces || apart.room <= touching * size + bend;
        let facing = [-facing(&one.core, -apart.normal), facing(&two.core, apart.normal)];
        let normals = [contact.normal, turns[0] * contact.normal, turns[1] * contact.normal];
        let keeps_apart = normals.into_iter().any(|n| {
            let room = one.core.least_along(n) - two.core.support(n);
            room >= apart.room - as_good * size - bend
                || facing.iter().any(|own| own.distance(n) < SAME)
        });
        [touches, keeps_apart]
    }
}

/// The normal of the facet that looks most in a direction: a corner may lean on it.
fn facing(core: &Polytope, along: DVec3) -> DVec3 {
    let normals = core.facets().iter().map(|facet| facet.normal);
    normals.max_by(|a, b| a.dot(along).total_cmp(&b.dot(along))).unwrap_or(along)
}
