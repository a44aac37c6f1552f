//! Where touches are looked for: as far as bodies may come in a step, farther where they come
//! farther, and at the end of the step for those that its beginning did not show.

use super::guess::{HALF_WAY, half};
use super::thin::thinned;
use super::{Collapse, Solved, Stopwatch, TOUCHES};
use crate::contact::{Move, Touch};
use crate::math::DQuat;
use crate::world::{Model, State};

/// Touches are looked for this much further away than bodies are expected to
/// come, in units of the body's radius: contacts push bodies beyond expectation.
const LOOK_AHEAD: f64 = 0.02;

/// How often they are looked for farther away, or at the end of a step.
const WIDER: usize = 4;

/// A step ends with no deeper overlap than this of a touch that it did not know, in units of the
/// smaller radius.
const UNKNOWN: f64 = 1e-4;

impl Collapse {
    /// The motions of a step on positions alone. Who was hit and comes farther than touches were
    /// looked for may meet what no row knows of: then touches are looked for farther away, and
    /// the step is solved once more.
    pub(super) fn positions_within_reach(
        &mut self,
        state: &State,
        free: &[Move],
        watch: &mut Stopwatch,
    ) -> Solved {
        let mut reaches = reaches(&self.model, state, self.options.time_step);
        let mut solved = self.positions(state, free, watch);
        for _ in 0..WIDER {
            let mut any = false;
            for i in self.model.free() {
                let (shift, turn) = solved.motions[i];
                let way = shift.length() + turn.length() * self.model.bodies[i].radius;
                if way > reaches[i] {
                    (reaches[i], any) = (1.5 * way, true);
                }
            }
            if !any || !reaches.iter().all(|reach| reach.is_finite()) {
                break;
            }
            self.touches = watch.time(TOUCHES, || {
                thinned(self.model.dimension, self.pieces.touches(&self.model, state, &reaches))
            });
            solved = self.positions(state, free, watch);
        }
        self.without_surprises(state, free, solved, watch)
    }

    /// Round pieces may meet with other features at the end of a step than face each other at its
    /// beginning. Where they then overlap, the step is solved once more with these touches as well, and
    /// where touches push without reason, with others in their place. The paper's own terms are left
    /// as they are.
    fn without_surprises(
        &mut self,
        state: &State,
        free: &[Move],
        mut solved: Solved,
        watch: &mut Stopwatch,
    ) -> Solved {
        for _ in 0..2 * WIDER {
            if self.options.sidedness != 1.0 {
                break;
            }
            let surprises = watch.time(TOUCHES, || self.surprises(state, &solved.motions));
            if surprises.is_empty() {
                let Solved { motions, contacts, .. } = &solved;
                let other = watch.time(TOUCHES, || self.without_stale(state, motions, contacts));
                let Some(touches) = other else { break };
                self.touches = touches;
            } else {
                let known = |touch: &Touch| surprises.iter().all(|other| other.key != touch.key);
                self.touches.retain(known);
                self.touches.extend(surprises);
                self.touches.sort_by_key(|touch| touch.key);
            }
            solved = self.positions(state, free, watch);
        }
        solved
    }

    /// The touches that overlap after a motion, or half-way, and were not known before it,
    /// taken back there.
    fn surprises(&self, state: &State, motions: &[Move]) -> Vec<Touch> {
        let halves: Vec<Move> = motions.iter().copied().map(half).collect();
        let mut found = self.unknown(state, motions, UNKNOWN);
        for touch in self.unknown(state, &halves, HALF_WAY) {
            if found.iter().all(|other| other.key != touch.key) {
                found.push(touch);
            }
        }
        found
    }

    /// The touches that overlap after a motion by more than `most`, in units of the smaller radius,
    /// and were not known: not at all, or at another point of the same features, which does not
    /// overlap.
    fn unknown(&self, state: &State, motions: &[Move], most: f64) -> Vec<Touch> {
        let after = moved(&self.model, state, motions);
        if !after.positions.iter().all(|position| position.is_finite()) {
            return Vec::new();
        }
        let mut found = self.pieces.touches(&self.model, &after, &vec![0.0; motions.len()]);
        found.retain(|touch| {
            let known = self.touches.binary_search_by_key(&touch.key, |other| other.key);
            let expected = known.map_or(0.0, |at| {
                let known = &self.touches[at];
                known.gap_after(state, known.moves(motions))
            });
            touch.gap < -most * touch.size(&self.model) && expected > 0.5 * touch.gap
        });
        found.iter().map(|touch| touch.taken_back(state, touch.moves(motions))).collect()
    }
}

/// Where motions lead.
pub(super) fn moved(model: &Model, state: &State, motions: &[Move]) -> State {
    let mut after = state.clone();
    for i in model.free() {
        let (shift, turn) = motions[i];
        after.positions[i] += shift;
        let turn = DQuat::from_scaled_axis(turn);
        after.rotations[i] = (turn * after.rotations[i]).normalize();
    }
    after
}

/// How far each body may come in the next step, generously.
pub(super) fn reaches(model: &Model, state: &State, dt: f64) -> Vec<f64> {
    let reach = |i: usize| {
        let body = &model.bodies[i];
        if !body.is_free() {
            return 0.0;
        }
        let speed = state.velocities[i].length() + state.spins[i].length() * body.radius;
        let fall = model.pull(i).length() * dt * dt;
        1.5 * (speed * dt + fall) + LOOK_AHEAD * body.radius
    };
    (0..model.bodies.len()).map(reach).collect()
}
