//! The account that a step gives of itself, made up again from the state: energy,
//! momentum and angular momentum. (Depths, residuals and counts are those of the method's own
//! working; what they are about is measured elsewhere.)

use super::Verdict;
use super::checks::{Made, Measure, Step, Subject};
use super::worst::Worst;
use crate::math::{DMat3, DVec3};
use crate::world::{Model, State};

/// Sums may differ by this part of their terms: rounding.
const ROUNDING: f64 = 1e-9;

/// Looks at every account.
pub(super) struct Ledgers<'a> {
    model: &'a Model,
    worst: Worst<&'static str>,
}

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    Some(Box::new(Ledgers { model: subject.model, worst: Worst::default() }))
}

impl Ledgers<'_> {
    /// Momentum, and angular momentum about the origin, each with the size of its terms.
    fn momenta(&self, state: &State) -> [(DVec3, f64); 2] {
        let mut sums = [(DVec3::ZERO, 0.0); 2];
        for i in self.model.free() {
            let (body, at) = (&self.model.bodies[i], state.positions[i]);
            let along = body.mass * state.velocities[i];
            let turn = DMat3::from_quat(state.rotations[i]);
            let about = turn * (body.inertia * (turn.transpose() * state.spins[i]));
            let orbit = at.cross(along);
            sums[0] = (sums[0].0 + along, sums[0].1 + along.length());
            let size = at.length() * along.length() + about.length();
            sums[1] = (sums[1].0 + orbit + about, sums[1].1 + size);
        }
        sums
    }
}

impl Measure for Ledgers<'_> {
    fn frame(&mut self, step: &Step) {
        // The start was no step.
        if step.before.is_none() {
            return;
        }
        let Some(ledger) = &step.frame.report.ledger else {
            return self.worst.note(f64::INFINITY, step.index, "account");
        };
        if ledger.energy != step.frame.energy {
            self.worst.note(f64::INFINITY, step.index, "energy");
        }
        let told = [ledger.momentum, ledger.angular_momentum].map(DVec3::from_array);
        let flat = self.model.dimension == 2;
        let names = ["momentum", "angular momentum"];
        for (k, (sum, size)) in self.momenta(&step.frame.state).into_iter().enumerate() {
            let mut off = told[k] - sum;
            if flat && k == 1 {
                off = DVec3::Z * off.z;
            }
            let off = off.length();
            let relative = if off > 0.0 { off / size } else { 0.0 };
            self.worst.note(if off.is_nan() { off } else { relative }, step.index, names[k]);
        }
    }

    fn report(&mut self, verdict: &mut Verdict) {
        let Worst { value, at } = self.worst;
        let detail = match at {
            Some((frame, what)) if value > ROUNDING || value.is_nan() => {
                format!("the {what} that frame {frame} tells is not that of its state")
            }
            _ => "energy and momenta that steps tell are those of their states".into(),
        };
        verdict.measure("ledger", value, ROUNDING, detail);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::{Frame, Ledger, StepKind, samples};

    #[test]
    fn accounts_are_made_up_again() {
        let model = samples::model(3);
        let off = |change: fn(&mut Ledger)| {
            let mut frame = Frame { kind: StepKind::Dynamics, ..samples::frame(1, 3) };
            frame.state.velocities[1] = DVec3::new(1.0, 2.0, 3.0);
            let (momentum, angular) = model.momentum(&frame.state);
            let mut ledger = Ledger { energy: frame.energy, ..Default::default() };
            ledger.momentum = momentum.to_array();
            ledger.angular_momentum = angular.to_array();
            change(&mut ledger);
            frame.report.ledger = Some(ledger);
            let mut ledgers = Ledgers { model: &model, worst: Worst::default() };
            let before = samples::frame(0, 3);
            let step = Step { index: 1, is_last: true, before: Some(&before), frame: &frame };
            ledgers.frame(&step);
            ledgers.worst.value
        };
        assert!(off(|_| ()) < 1e-15);
        assert!(off(|ledger| ledger.energy *= 1.0 + 1e-9).is_infinite());
        assert!(off(|ledger| ledger.momentum[1] *= 1.001) > 1e-4);
        assert!(off(|ledger| ledger.angular_momentum[2] += 1e-3) > 1e-6);
    }
}
