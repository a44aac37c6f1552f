//! Corners that meet corners. Where bodies lie in a grid, diagonal neighbours touch in a point, and any
//! direction between their sides is a normal. Forces through such points are sought
//! only where nothing else balances: what a point bears leaves a motion unstable that needs none.

use super::rows::Setup;
use super::{FORCE_SCALE, Found, Turn};
use crate::math::{DVec3, TOUCH};
use crate::solver::planes::{Answer, balance};
use crate::world::State;

use super::rest::{Balance, PRESSES};
use super::{GOOD_ENOUGH, LOADED};

impl Turn {
    /// The same without forces at points, if bodies are balanced without them.
    pub(super) fn without_points(&mut self, state: &State, held: Found) -> Found {
        let points = points(&held.setup, &held.answer, state, self.solids.length);
        if points.is_empty() {
            return held;
        }
        let mut setup = self.rows(state, FORCE_SCALE, super::Bends::Bound);
        for side in points.iter().flat_map(|plane| held.setup.program.planes[*plane].sides) {
            setup.program.groups[side as usize].rows.clear();
            setup.corners[side as usize].offsets.clear();
        }
        let mut found = self.solved(state, setup, FORCE_SCALE);
        balance(&found.setup.program, &mut found.answer, PRESSES);
        let (model, solids) = (&self.model, &self.solids);
        let own = Balance::new(model, solids, state, &found.setup, &found.answer);
        if own.residual > GOOD_ENOUGH {
            return held;
        }
        let multipliers = held.setup.carried(&found.setup, &found.answer);
        Found { answer: Answer { multipliers, ..held.answer }, ..held }
    }
}

/// The planes that press at one corner of each side, both at the same place.
fn points(setup: &Setup, answer: &Answer, state: &State, unit: f64) -> Vec<usize> {
    let mut first = vec![0];
    for group in &setup.program.groups {
        first.push(first[first.len() - 1] + group.rows.len());
    }
    let only = |side: u32| -> Option<DVec3> {
        let (side, corners) = (side as usize, &setup.corners[side as usize]);
        let forces = &answer.multipliers[first[side]..first[side + 1]];
        let mut loaded = corners.offsets.iter().zip(forces).filter(|(_, f)| **f > LOADED);
        let (offset, _) = loaded.next()?;
        let at = corners.body.map_or(DVec3::ZERO, |body| state.positions[body as usize]);
        loaded.next().is_none().then_some(at + *offset * unit)
    };
    let is_point = |plane: &usize| match setup.program.planes[*plane].sides.map(only) {
        [Some(a), Some(b)] => a.distance(b) <= TOUCH * unit,
        _ => false,
    };
    (0..setup.program.planes.len()).filter(is_point).collect()
}
