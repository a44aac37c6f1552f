//! What a step remembers for the next one. All of it goes into checkpoints, so
//! that a run that was killed continues to the same bits.

use serde::{Deserialize, Serialize};

use super::POLISHED;
use crate::contact::{Cores, Key};
use crate::math::DVec3;
use crate::scene::SettleOptions;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Memory {
    pub stage: Stage,
    /// Multipliers of the last program, sorted by key: the warm start of the next.
    pub multipliers: Vec<(Key, f64)>,
    /// Per body, how far along gravity its box reaches, in multiples of its ordinary reach.
    pub heights: Vec<f64>,
    /// The last motion, per body.
    pub motion: Vec<[f64; 3]>,
    pub asleep: Vec<bool>,
    /// The heaviest grade of bodies that is not at rest yet.
    pub grade: u32,
    /// Steps since every body was an unknown of the program.
    pub since_full: u32,
    /// By how much the last full step lowered the energy.
    pub full_decrease: f64,
    /// The l1 term has done its work and is gone.
    pub conservative_done: bool,
    /// The paper's forms of energies have done their work and are gone.
    pub paper_done: bool,
    /// By how much bodies that are no balls are rounded at present, besides their own rounding.
    pub smoothing: f64,
    /// Polishing ends when a step gains less than this.
    pub polished: f64,
    pub polishes: u32,
    /// Polishing steps that went on in the direction of the one before.
    #[serde(default)]
    pub onwards: u32,
    pub escapes: u32,
    /// By how much the last step of the fall lowered the energy, and how many there were.
    #[serde(default)]
    pub gain: f64,
    #[serde(default)]
    pub steps: u32,
}

/// Where the story is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stage {
    /// Large, inexact steps.
    Fall,
    /// Small, tight steps.
    Polish,
    /// First-order rest: is it proved, is it stable?
    Judge,
}

impl Memory {
    pub fn new(cores: &Cores, options: &SettleOptions) -> Self {
        let n = cores.model.bodies.len();
        Memory {
            stage: Stage::Fall,
            multipliers: Vec::new(),
            heights: vec![1.0; n],
            motion: vec![[0.0; 3]; n],
            asleep: vec![false; n],
            grade: 0,
            since_full: u32::MAX,
            full_decrease: 0.0,
            conservative_done: options.conservative == 0.0,
            paper_done: false,
            smoothing: smoothing(cores, options)[0],
            polished: POLISHED,
            polishes: 0,
            onwards: 0,
            escapes: 0,
            gain: f64::MAX,
            steps: 0,
        }
    }

    pub fn multiplier(&self, key: &Key) -> f64 {
        let found = self.multipliers.binary_search_by(|(k, _)| k.cmp(key));
        found.map_or(0.0, |at| self.multipliers[at].1)
    }

    /// Takes over new multipliers, keeping those of rows that were not in the program.
    pub fn keep_multipliers(&mut self, fresh: Vec<(Key, f64)>, is_stale: impl Fn(&Key) -> bool) {
        self.multipliers.retain(|(key, _)| !is_stale(key));
        self.multipliers.extend(fresh);
        // A fresh value comes after the old one of the same key and replaces it.
        self.multipliers.sort_by_key(|(key, _)| *key);
        self.multipliers.reverse();
        self.multipliers.dedup_by_key(|(key, _)| *key);
        self.multipliers.reverse();
    }

    /// Whether any body moved in the last step.
    pub fn is_moving(&self) -> bool {
        self.motion.iter().any(|motion| *motion != [0.0; 3])
    }

    pub fn last_motion(&self, body: usize) -> DVec3 {
        DVec3::from_array(self.motion[body])
    }
}

/// The smoothing radii at which bodies that are no balls settle one after the
/// other, the first and the last; 0 without such bodies [M96 3.3.3].
pub(super) fn smoothing(cores: &Cores, options: &SettleOptions) -> [f64; 2] {
    let bodies = cores.model.bodies.iter().enumerate();
    let radii = bodies.filter(|(i, _)| !cores.is_ball(*i)).map(|(_, body)| body.radius);
    let least = radii.fold(f64::INFINITY, f64::min);
    if !least.is_finite() {
        return [0.0; 2];
    }
    let (first, gap) = (options.smoothing * least, options.accuracy * least);
    let mut last = first;
    while 2.0 * last > gap {
        last *= 0.5;
    }
    [first, last]
}

#[cfg(test)]
mod tests {
    use super::super::samples::at;
    use super::*;
    use crate::contact::Other;
    use crate::contact::samples::{cuboid, model};

    fn pair(body: u32, other: u32) -> Key {
        Key { body, other: Other::Body(other) }
    }

    #[test]
    fn fresh_multipliers_replace_old_ones_and_stale_ones_go() {
        let mut memory =
            Memory::new(&at(model(cuboid(1.0), &[]), &[]).0, &SettleOptions::default());
        memory.keep_multipliers(vec![(pair(2, 3), 1.0), (pair(0, 1), 2.0)], |_| false);
        memory.keep_multipliers(vec![(pair(2, 3), 5.0), (pair(1, 4), 6.0)], |_| false);
        let expected = [(pair(0, 1), 2.0), (pair(1, 4), 6.0), (pair(2, 3), 5.0)];
        assert_eq!(memory.multipliers, expected);
        memory.keep_multipliers(vec![(pair(2, 3), 7.0)], |key| key.body == 0);
        assert_eq!(memory.multiplier(&pair(0, 1)), 0.0);
        assert_eq!(memory.multiplier(&pair(2, 3)), 7.0);
        assert_eq!(memory.multiplier(&pair(1, 4)), 6.0);
    }
}
