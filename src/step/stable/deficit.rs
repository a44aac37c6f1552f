//! How far from balance: by how many of its widths the weight of every body would have to shift.
//!
//! Shifts are measured as those of a margin are: along one direction in widths of the body there, and a
//! sum of several as the sum of their parts, so that nothing depends on axes. Of the directions of every
//! body a program has only a few; its prices tell the direction of each body that would gain most, which is added
//! until none gains (column generation).

use std::f64::consts::TAU;
use std::sync::Arc;

use super::Statics;
use crate::math::DVec3;
use crate::solver::linear::{Polygon, Simplex};

/// Weights would have to shift by no more widths than this.
const MOST_SHIFT: f64 = 10.0;

/// Directions in which a gain is looked for, before the best is found between its neighbours.
const LOOKS: usize = 72;

/// Steps of a golden section: they leave a direction known to a millionth, and its gain to rounding.
const SECTIONS: usize = 24;

/// A gain of a body below this, in widths, is none.
const NO_GAIN: f64 = 1e-10;

/// Programs, at most: gains fall by a factor of ten with each.
const MOST_PROGRAMS: usize = 30;

impl Statics<'_> {
    /// Minus the least shift, in widths, allowed to every body at once, that would balance all.
    pub(super) fn deficit(&self) -> Option<f64> {
        let sides = self.compass(4);
        let mut program = self.program_of_forces();
        let balance = program.rows as u32;
        let moving: Vec<usize> = self.model.free().collect();
        for (k, &body) in moving.iter().enumerate() {
            let limit = balance + k as u32;
            program.columns.push(vec![(limit, 1.0)]);
            for side in &sides {
                program.columns.push(self.shift_column(body, limit, *side));
            }
        }
        program.rows += moving.len();
        let mut right = self.loads(program.rows);
        right[balance as usize..].fill(MOST_SHIFT);
        let all: Vec<(u32, f64)> = (0..moving.len() as u32).map(|k| (balance + k, -1.0)).collect();
        let mut found = None;
        for _ in 0..MOST_PROGRAMS {
            let simplex =
                Simplex::new(Arc::new(program.clone()), right.clone(), Polygon::Round, &[]);
            if self.left_over(&simplex) >= self.tolerance.balance * moving.len() as f64 {
                break;
            }
            let (farthest, prices) = simplex.push(&all, MOST_SHIFT);
            found = Some(farthest - MOST_SHIFT);
            let before = program.columns.len();
            if self.model.dimension == 2 {
                break;
            }
            for (k, &body) in moving.iter().enumerate() {
                let limit = balance + k as u32;
                let gain = |side: DVec3| {
                    let column = self.shift_column(body, limit, side);
                    let paid = |(row, x): &(u32, f64)| prices[*row as usize] * x;
                    -column.iter().map(paid).sum::<f64>()
                };
                let (side, most) = best(&sides, gain);
                if most > NO_GAIN {
                    program.columns.push(self.shift_column(body, limit, side));
                }
            }
            if program.columns.len() == before {
                break;
            }
        }
        found
    }

    /// The column of a shift by one width. The load is a right-hand side: as a column it changes sides.
    fn shift_column(&self, body: usize, limit: u32, side: DVec3) -> Vec<(u32, f64)> {
        let shift = self.shift(body, side);
        shift.into_iter().map(|(row, x)| (row, -x)).chain([(limit, 1.0)]).collect()
    }
}

/// The level direction that gains most.
fn best(sides: &[DVec3], gain: impl Fn(DVec3) -> f64) -> (DVec3, f64) {
    let towards = |angle: f64| sides[0] * angle.cos() + sides[1] * angle.sin();
    let step = TAU / LOOKS as f64;
    let at = |angle: f64| gain(towards(angle));
    let looks = (0..LOOKS).map(|k| (k as f64 * step, at(k as f64 * step)));
    let most = looks.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0.0, |(angle, _)| angle);
    let golden = 0.5 * (5_f64.sqrt() - 1.0);
    let (mut low, mut high) = (most - step, most + step);
    for _ in 0..SECTIONS {
        let [left, right] = [high - golden * (high - low), low + golden * (high - low)];
        if at(left) > at(right) { high = right } else { low = left }
    }
    [most, 0.5 * (low + high)]
        .map(|angle| (towards(angle), at(angle)))
        .into_iter()
        .fold((DVec3::ZERO, f64::NEG_INFINITY), |a, b| if b.1 > a.1 { b } else { a })
}
