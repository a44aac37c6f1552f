//! What one step leaves for the next.

use serde::{Deserialize, Serialize};

use super::rows::Setup;
use crate::solver::planes::Answer;
use crate::world::With;

/// Who meets whom: a body, another one or a face, and their pieces.
pub(super) type Key = (u32, With, [u32; 2]);

/// What is going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stage {
    Fall,
    /// Newton's method near rest, until forces balance; then rest is judged.
    Polish,
}

/// All of it, besides the state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Memory {
    pub stage: Stage,
    /// Per body, its reach as a part of the full one.
    pub scale: Vec<f64>,
    /// The largest of them.
    pub widest: f64,
    /// The gain of the last step per body, in weights times radii.
    pub gain: f64,
    /// Steps in a row that hardly gained anything.
    pub idle: u32,
    /// Steps of Newton's method since the fall.
    pub polishes: u32,
    /// The imbalance that the last of them found.
    pub residual: f64,
    pub escapes: u32,
    /// The fall goes on until steps gain this part of the tolerance.
    pub fineness: f64,
    /// How bodies turned in the last step.
    pub turns: Vec<[f64; 3]>,
    /// The lengths with which tilting and sliding are weighed against each other, by pairs.
    pub balances: Vec<(Key, f64)>,
}

/// The fall is over when steps gain less than the tolerance times this.
const IDLE: f64 = 1e-5;
/// A body that hardly moved has at least this part of the widest reach ...
const LEAST_PART: f64 = 0.1;
/// ... and one that moved this many times as much as it did, ...
const GROWS: f64 = 3.0;
/// ... but not more than this many times its old one.
const MOST_GROWTH: f64 = 4.0;
/// No reach is a smaller part of the full one.
pub(super) const LEAST_SCALE: f64 = 1e-6;
/// The lengths of [`Memory::balances`] are from this to that many typical radii.
const BALANCES: [f64; 2] = [0.03, 1000.0];
/// A row that presses with more than this many weights tells how its plane moves.
const LOADED: f64 = 1e-3;

impl Memory {
    pub fn new(bodies: usize) -> Memory {
        Memory {
            stage: Stage::Fall,
            scale: vec![1.0; bodies],
            widest: 1.0,
            gain: 1.0,
            idle: 0,
            polishes: 0,
            residual: f64::MAX,
            escapes: 0,
            fineness: IDLE,
            turns: vec![[0.0; 3]; bodies],
            balances: Vec::new(),
        }
    }

    pub fn balance(&self, key: Key) -> Option<f64> {
        let at = self.balances.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        Some(self.balances[at].1)
    }

    /// Shorter steps.
    pub fn shrink(&mut self, by: f64) {
        self.widest *= by;
        self.scale.iter_mut().for_each(|scale| *scale *= by);
    }

    /// Full steps again.
    pub fn restart(&mut self) {
        *self = Memory {
            escapes: self.escapes,
            turns: std::mem::take(&mut self.turns),
            balances: std::mem::take(&mut self.balances),
            ..Memory::new(self.scale.len())
        };
    }

    /// Reaches follow what was used of them.
    pub fn follow(&mut self, setup: &Setup, answer: &Answer) {
        let used: Vec<f64> = setup
            .number
            .iter()
            .map(|number| {
                let Some(k) = number else { return 0.0 };
                let (block, x) = (&setup.program.bodies[*k as usize], &answer.x[*k as usize]);
                let parts = x.iter().zip(&block.reach).filter(|(_, reach)| **reach > 0.0);
                parts.map(|(x, reach)| x.abs() / reach).fold(0.0, f64::max)
            })
            .collect();
        for (turn, number) in self.turns.iter_mut().zip(&setup.number) {
            let turned = number.map(|k| &answer.x[k as usize][3..]);
            *turn = turned.map_or([0.0; 3], |w| [w[0], w[1], w[2]]);
        }
        let most = used.iter().zip(&self.scale).map(|(u, s)| u * s).fold(0.0, f64::max);
        let widest = (GROWS * most).max(LEAST_SCALE).min(MOST_GROWTH * self.widest).min(1.0);
        for (scale, used) in self.scale.iter_mut().zip(used) {
            let wanted = (GROWS * used * *scale).max(LEAST_PART * widest);
            *scale = wanted.min(MOST_GROWTH * *scale).clamp(LEAST_SCALE, 1.0);
        }
        self.widest = widest;
    }

    /// How planes moved: where loaded corners slide far and the plane tilts little, sliding is
    /// to be cheap.
    pub fn remember(&mut self, setup: &Setup, answer: &Answer) {
        let mut first = 0;
        let mut slides = vec![(0.0, 0.0); setup.planes.len()];
        for (group, corners) in setup.program.groups.iter().zip(&setup.corners) {
            let forces = &answer.multipliers[first..first + group.rows.len()];
            first += group.rows.len();
            let (Some(plane), Some(body)) = (group.plane, group.body) else { continue };
            let (between, x) = (&setup.planes[plane as usize], &answer.x[body as usize]);
            let Some(arm) = corners.body.map(|body| setup.arm[body as usize]) else { continue };
            let (d, w) = (vector(x, 0), vector(x, 3) / arm);
            let y = &answer.y[plane as usize];
            for (r, _) in corners.offsets.iter().zip(forces).filter(|(_, force)| **force > LOADED) {
                let way = d + w.cross(*r);
                let [u, v] = between.tangents.map(|t| t.dot(way));
                let slide = &mut slides[plane as usize];
                *slide = (slide.0 + (u - y[3]).hypot(v - y[4]), slide.1 + 1.0);
            }
        }
        let mut fresh = Vec::with_capacity(slides.len());
        for (k, (slid, count)) in slides.into_iter().enumerate() {
            let between = &setup.planes[k];
            let key = between.key();
            let tilt = answer.y[k][0].hypot(answer.y[k][1]);
            let old = self.balance(key);
            let new = (tilt > 1e-14 && slid > 1e-14 * count)
                .then(|| (slid / count / tilt).clamp(BALANCES[0], BALANCES[1]));
            let both = old.zip(new).map(|(old, new)| (old * new).sqrt());
            fresh.extend(both.or(new).or(old).map(|balance| (key, balance)));
        }
        fresh.sort_by_key(|(key, _)| *key);
        self.balances = fresh;
    }
}

pub(super) fn vector(x: &[f64], at: usize) -> crate::math::DVec3 {
    crate::math::DVec3::new(x[at], x[at + 1], x[at + 2])
}
