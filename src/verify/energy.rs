//! The true energy, computed from the positions: what the file says it is, and
//! never higher than in the frame before.

use super::Verdict;
use super::checks::{Made, Measure, Step, Subject};
use super::forces::{Line, lines};
use super::limits::Limits;
use crate::math::{DVec3, ENERGY_ROUNDING, exact_sum};
use crate::world::{Model, Motion};

/// The stored energy may differ from the recomputed one by this part of the
/// size of its terms: more than any order of summation can make.
const STORED: f64 = 1e-12;

/// Follows the energy, frame after frame.
pub(super) struct Energy<'a> {
    model: &'a Model,
    limits: Limits,
    lines: Vec<Line<'a>>,
    lowest: f64,
    highest: f64,
    /// The largest sum of the terms without their signs: what rounding is measured in.
    size: f64,
    /// The largest rise from a frame to the next, and that next frame.
    rise: (f64, usize),
    /// The largest difference between a stored energy and the true one: how
    /// large, the frame, the stored energy and the true one.
    difference: (f64, usize, [f64; 2]),
}

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    Some(Box::new(Energy::new(subject.model)))
}

impl<'a> Energy<'a> {
    fn new(model: &'a Model) -> Energy<'a> {
        Energy {
            model,
            limits: Limits::of(&model.method),
            lines: lines(model),
            lowest: f64::INFINITY,
            highest: f64::NEG_INFINITY,
            size: 0.0,
            rise: (0.0, 0),
            difference: (0.0, 0, [0.0; 2]),
        }
    }

    /// Looks at a frame by itself.
    fn look(&mut self, frame: usize, positions: &[DVec3], stored: f64) {
        let terms = || {
            let weights = (0..positions.len()).map(|body| self.term(body, positions[body]));
            weights.chain(self.lines.iter().map(|line| line.energy(positions)))
        };
        let energy = exact_sum(terms());
        self.size = self.size.max(terms().map(f64::abs).sum());
        self.lowest = self.lowest.min(energy);
        self.highest = self.highest.max(energy);
        let difference = (stored - energy).abs();
        // A stored energy that is no number differs, too.
        if difference > self.difference.0 || difference.is_nan() {
            let difference = if difference.is_nan() { f64::INFINITY } else { difference };
            self.difference = (difference, frame, [stored, energy]);
        }
    }

    /// Looks at a step. The change is summed body by body, since the difference
    /// of two large energies would drown in rounding.
    fn step(&mut self, frame: usize, from: &[DVec3], to: &[DVec3]) {
        let change = (0..to.len()).map(|body| self.term(body, to[body] - from[body]));
        let rise = exact_sum(change.chain(self.lines.iter().map(|line| line.change(from, to))));
        if rise > self.rise.0 {
            self.rise = (rise, frame);
        }
    }

    /// What a body at a place (or moving by a way) contributes: nothing if it is not free.
    fn term(&self, body: usize, place: DVec3) -> f64 {
        if self.model.bodies[body].motion != Motion::Free {
            return 0.0;
        }
        let DVec3 { x, y, z } = self.model.gravity + self.model.bodies[body].push;
        -self.model.bodies[body].mass * (x * place.x + y * place.y + z * place.z)
    }

    /// The largest rise relative to the range of the run's energies, and the
    /// frame to which it led. A range that is mere rounding counts as the least one in which a rise
    /// could be told from rounding.
    fn largest_rise(&self) -> (f64, usize) {
        let least = 2.0 * f64::EPSILON * self.size / ENERGY_ROUNDING;
        let range = (self.highest - self.lowest).max(least);
        let (rise, frame) = self.rise;
        (if rise > 0.0 { rise / range } else { 0.0 }, frame)
    }

    /// The largest difference between stored and true energy relative to the
    /// size of the energy's terms; its frame, the stored energy and the true one.
    fn largest_difference(&self) -> (f64, usize, [f64; 2]) {
        let (difference, frame, energies) = self.difference;
        let size = self.size.max(self.highest - self.lowest);
        (if difference > 0.0 { difference / size } else { 0.0 }, frame, energies)
    }
}

impl Measure for Energy<'_> {
    fn frame(&mut self, step: &Step) {
        let positions = &step.frame.state.positions;
        self.look(step.index, positions, step.frame.energy);
        if let Some(before) = step.before {
            self.step(step.index, &before.state.positions, positions);
        }
    }

    fn report(&mut self, verdict: &mut Verdict) {
        let (difference, frame, [stored, true_energy]) = self.largest_difference();
        let detail = match difference > STORED {
            true => format!("frame {frame} stores {stored:?}, its positions have {true_energy:?}"),
            false => "the stored energies are those of the positions".into(),
        };
        verdict.measure("energy", difference, STORED, detail);
        let (rise, frame) = self.largest_rise();
        verdict.max_energy_rise = Some(rise);
        let limit = self.limits.energy_rise;
        let detail = match rise > limit {
            true => format!("the energy rises by {rise:.1e} of its range to frame {frame}"),
            false => "the energy never rises".into(),
        };
        verdict.measure("energy rise", rise, limit, detail);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::samples;

    fn heights(values: [f64; 2]) -> Vec<DVec3> {
        values.iter().map(|&z| DVec3::new(3.0, -7.0, z)).collect()
    }

    #[test]
    fn rises_are_relative_to_the_range() {
        let model = samples::model(2); // gravity 9.81 down, masses 1
        let mut energy = Energy::new(&model);
        let frames = [[10.0, 8.0], [9.0, 8.0], [9.0, 8.5], [2.0, 6.0]].map(heights);
        for (index, frame) in frames.iter().enumerate() {
            energy.look(index, frame, 9.81 * (frame[0].z + frame[1].z));
            if index > 0 {
                energy.step(index, &frames[index - 1], frame);
            }
        }
        let (rise, frame) = energy.largest_rise();
        assert!((rise - 0.05).abs() < 1e-15 && frame == 2);
        assert!(energy.largest_difference().0 < STORED);
    }

    #[test]
    fn a_wrong_energy_is_found() {
        let model = samples::model(2);
        for wrong in [9.81 * 3.0 * (1.0 + 1e-11), f64::NAN, f64::INFINITY] {
            let mut energy = Energy::new(&model);
            energy.look(0, &heights([1.0, 2.0]), 9.81 * 3.0);
            energy.look(1, &heights([1.0, 2.0]), wrong);
            let (difference, frame, _) = energy.largest_difference();
            assert!(difference > STORED && frame == 1);
        }
    }

    #[test]
    fn rounding_is_no_rise() {
        // One body far up goes up by the last bit while nothing else happens.
        let model = samples::model(2);
        let (from, to) =
            (heights([1.0, 1e6]), heights([1.0, f64::from_bits(1e6_f64.to_bits() + 1)]));
        let mut energy = Energy::new(&model);
        energy.look(0, &from, 0.0);
        energy.look(1, &to, 0.0);
        energy.step(1, &from, &to);
        let (rise, _) = energy.largest_rise();
        assert!(rise > 0.0 && rise <= ENERGY_ROUNDING);
    }
}
