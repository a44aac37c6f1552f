//! Leaving an unstable rest: one step along a mode that lowers the energy to second order.
//!
//! The rows of such a step are linear, with the second-order terms of the motion itself as numbers:
//! found once for the mode, and once more for what came out. It counts if the true rows hold all
//! along it and the energy falls. A straight motion sinks evenly while corners rise with its square,
//! so that it uses up a little of the gaps that contacts keep: escapes are short. What follows is
//! an ordinary fall from a place that is no rest.

use super::rows::{Bends, Builder, Corners, Rolls};
use super::{Found, Turn, memory, motion};
use crate::energy;
use crate::math::DVec3;
use crate::solver::planes::{Aim, Answer, OF_BODY, OF_ROW, Row, Slope, Tilting, solve};
use crate::world::State;

/// How far steps go along a mode, in typical radii: the largest first ...
const FARTHEST: f64 = 1e-3;
/// ... each this part of the one before ...
const SHORTER: f64 = 0.3;
/// ... so many.
const TRIES: i32 = 6;
/// How firmly a step keeps to its mode, in typical weights over typical radii.
const KEEPS: f64 = 10.0;
/// A step must gain this part of what the curvature of its mode promises.
const WORTH: f64 = 0.05;

impl Turn {
    /// A step out of a rest that is unstable along one of these modes.
    pub(super) fn escape(
        &mut self,
        state: &State,
        modes: &[(f64, Vec<[f64; OF_BODY]>)],
    ) -> Option<Found> {
        for (curvature, mode) in modes {
            let most = mode.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
            for k in 0..TRIES {
                let far = FARTHEST * SHORTER.powi(k);
                for sign in [1.0, -1.0] {
                    let factor = sign * far / most;
                    let way: Vec<[f64; OF_BODY]> =
                        mode.iter().map(|x| x.map(|value| factor * value)).collect();
                    let promised = -0.5 * curvature * factor * factor;
                    let found = self.along(state, &way, far);
                    let unit = self.solids.length * self.solids.weight;
                    let is_worth_it = found.decrease > WORTH * promised * unit;
                    if found.answer.converged && is_worth_it && self.holds(&found) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// The step along a motion that rows allow.
    fn along(&mut self, state: &State, way: &[[f64; OF_BODY]], far: f64) -> Found {
        let (model, solids) = (&self.model, &self.solids);
        let memory = &memory::Memory::new(model.bodies.len());
        // Wide enough for the motion and what rows make of it.
        let scale = (10.0 * far).min(1.0);
        let ranges = self.ranges.as_deref();
        let builder = Builder { model, solids, memory, scale, bends: Bends::Exact, ranges };
        let mut setup = builder.build(state);
        setup.program.proximal = [KEEPS, 1e-6];
        for (block, way) in setup.program.bodies.iter_mut().zip(way) {
            (0..OF_BODY).for_each(|k| block.cost[k] -= KEEPS * way[k]);
        }
        let planes = setup.program.planes.len();
        let mut answer = Answer { x: way.to_vec(), y: vec![[0.0; 5]; planes], ..Answer::default() };
        let aim = Aim {
            accuracy: 1e-9,
            violation: super::ROUNDING,
            balance: 1e-6,
            reach: setup.reach,
            iterations: 60,
        };
        for _ in 0..2 {
            let mut linear = setup.program.clone();
            for (group, corners) in linear.groups.iter_mut().zip(&setup.corners) {
                let z = answer.local(group);
                for (row, r) in group.rows.iter_mut().zip(&corners.offsets) {
                    let slope: f64 = (0..OF_ROW).map(|k| row.slope[k] * z[k]).sum();
                    let left_out = third(&z, *r, corners, &setup.arm);
                    let gap = group.tilting.at(row, &z).1 - slope - left_out;
                    *row = Row::new(gap, row.slope);
                }
                group.tilting = Tilting::default();
            }
            answer = solve(&linear, &aim);
        }
        let motion = motion(&setup, &answer, solids.length);
        let ways: Vec<DVec3> = motion.iter().map(|[d, _]| *d).collect();
        let decrease = energy::decrease(model, state, &ways);
        Found { setup, answer, motion, decrease }
    }

    /// Whether a motion keeps all corners on their sides: its rows are exact to second order, and
    /// what is left out of them is bounded.
    pub(super) fn holds(&self, found: &Found) -> bool {
        let Found { setup, answer, .. } = found;
        let mut least = f64::INFINITY;
        for (group, corners) in setup.program.groups.iter().zip(&setup.corners) {
            let z = answer.local(group);
            let size = |body: u32| self.model.bodies[body as usize].radius / self.solids.length;
            let radius = corners.body.map_or(0.0, size);
            let allowed = USED_UP * corners.kept + UNSEEN * radius;
            for (row, r) in group.rows.iter().zip(&corners.offsets) {
                let slope: f64 = (0..OF_ROW).map(|k| row.slope[k] * z[k]).sum();
                let left_out = third(&z, *r, corners, &setup.arm);
                let bend = group.tilting.at(row, &z).1 - row.gap - slope - left_out;
                least = least.min(lowest(row.gap, slope, bend) + allowed);
            }
        }
        least >= 0.0
    }
}

/// A step with exact rows may use up this part of the gap that is kept on its way ...
const USED_UP: f64 = 0.1;
/// ... and this many radii where bodies started without a gap: a tenth of what counts as overlap.
const UNSEEN: f64 = 1e-10;

/// What exact rows leave out, at most: terms of third order, of a corner at the offset `r`. A rim
/// sags by the length of `v0 + t v1 + t^2 v2 + t^3 v3`: with the part `p` of the rest along `v0`, and `|p|` at most half of
/// `s = |v0|`, that is at most `s + p + |rest|^2 (1 + 2 |p| / s) / (2 s)`.
fn third(z: &Slope, r: DVec3, corners: &Corners, arms: &[f64]) -> f64 {
    let turn = match corners.body {
        Some(body) => memory::vector(z, 3).length() / arms[body as usize],
        None => 0.0,
    };
    let tilt = f64::hypot(z[OF_BODY], z[OF_BODY + 1]);
    let corner = |reach: f64| (turn / 6.0 + tilt / 2.0) * reach * turn * turn;
    let Some(Rolls { sine, radius }) = corners.rolls else { return corner(r.length()) };
    let (first, second) = (tilt + turn, tilt * turn + 0.5 * turn * turn);
    let last = 0.5 * tilt * turn * turn + turn * turn * turn / 6.0;
    let along = first + second + last;
    if along > 0.5 * sine {
        return f64::INFINITY;
    }
    let square = 2.0 * first * (second + last) + (second + last) * (second + last);
    let bend = (square * (1.0 + 2.0 * along / sine) + 2.0 * first * first * along / sine) / sine;
    corner(r.length() + radius) + radius * (last + 0.5 * bend)
}

/// The least value of `gap + slope t + bend t^2` for `t` from 0 to 1.
fn lowest(gap: f64, slope: f64, bend: f64) -> f64 {
    let turning = -slope / (2.0 * bend);
    match bend > 0.0 && turning > 0.0 && turning < 1.0 {
        true => gap - slope * slope / (4.0 * bend),
        false => gap.min(gap + slope + bend),
    }
}
