//! Restitution that gives no energy. Newton's rule says how fast a touch opens again; with friction beside
//! the centre of mass that may take more energy than there is. Such a touch bounces
//! by as much of its restitution as its impulse can do without giving any.

use super::{Collapse, Solved, Stopwatch};
use crate::contact::{Move, Touch, TouchKey};
use crate::world::{Contact, State};

/// A touch bounces only if it closes faster than gravity does in so many
/// steps: what rests does not jump.
const BOUNCE_STEPS: f64 = 4.0;

/// How often the part of its restitution that a touch can have is halved to find it.
const HALVINGS: usize = 8;

/// An impulse gives energy if it gives more than this part of what it exchanges: rounding.
const GIVES: f64 = 1e-9;

/// The parts of their restitution between which that of some touches is.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounces(Vec<(TouchKey, [f64; 2])>);

impl Bounces {
    /// The part that a touch is given now.
    fn part(&self, key: &TouchKey) -> f64 {
        let found = self.0.iter().find(|(other, _)| other == key);
        found.map_or(1.0, |(_, [low, high])| 0.5 * (low + high))
    }

    /// Halves all intervals, and begins those of touches that give energy for the first time.
    fn halve(&mut self, giving: &[TouchKey]) {
        for (key, [low, high]) in &mut self.0 {
            let middle = 0.5 * (*low + *high);
            *(if giving.contains(key) { high } else { low }) = middle;
        }
        let new: Vec<_> = giving.iter().filter(|key| self.0.iter().all(|b| b.0 != **key)).collect();
        self.0.extend(new.into_iter().map(|key| (*key, [0.0, 1.0])));
    }

    /// Settles for what is known to give nothing.
    fn settle(&mut self) {
        self.0.iter_mut().for_each(|(_, [low, high])| *high = *low);
    }
}

impl Collapse {
    /// The motions of a step in which no bounce gives energy.
    pub(super) fn without_gain(
        &mut self,
        state: &State,
        free: &[Move],
        watch: &mut Stopwatch,
    ) -> Solved {
        self.bounces = Bounces::default();
        let last = self.last(state);
        for halving in 0..HALVINGS {
            let solved = self.positions_within_reach(state, free, watch);
            let giving = self.giving(state, &last, &solved);
            if giving.is_empty() && (self.bounces.0.is_empty() || halving + 1 == HALVINGS) {
                return solved;
            }
            self.bounces.halve(&giving);
        }
        self.bounces.settle();
        self.positions_within_reach(state, free, watch)
    }

    /// The touches that bounce and whose impulses give energy to bodies.
    fn giving(&self, state: &State, last: &[Move], solved: &Solved) -> Vec<TouchKey> {
        let gives = |touch: &&Touch| {
            let bounce = self.bounce(state, touch, last);
            let Some(contact) = bounce.and_then(|_| of_touch(&solved.contacts, touch)) else {
                return false;
            };
            let [before, after] = [last, &solved.motions]
                .map(|moves| contact.force.dot(touch.relative(state, touch.moves(moves))));
            before + after > GIVES * (before.abs() + after.abs())
        };
        self.touches.iter().filter(gives).map(|touch| touch.key).collect()
    }

    /// By how much a touch opens in a step because it bounces, if it does.
    pub(super) fn bounce(&self, state: &State, touch: &Touch, last: &[Move]) -> Option<f64> {
        let restitution = touch.material(&self.model).restitution;
        let closing = -touch.rate(state, touch.moves(last));
        let bounces = restitution > 0.0
            && closing > self.jump(touch) * self.options.time_step
            && touch.gap <= closing;
        bounces.then(|| self.bounces.part(&touch.key) * restitution * closing)
    }

    /// A touch that closes more slowly does not bounce.
    pub(super) fn jump(&self, touch: &Touch) -> f64 {
        let pull = |body: u32| self.model.pull(body as usize).length();
        let pull = touch.bodies().into_iter().flatten().map(pull).fold(0.0, f64::max);
        BOUNCE_STEPS * pull * self.options.time_step
    }
}

/// The impulse of a touch, if it pushes.
fn of_touch<'c>(contacts: &'c [Contact], touch: &Touch) -> Option<&'c Contact> {
    contacts.iter().find(|contact| {
        let key = (touch.key.body, touch.key.with, touch.key.pieces);
        (contact.body, contact.with, contact.pieces) == key
            && (contact.at[0] == touch.at[0] || contact.at[1] == touch.at[1])
    })
}
