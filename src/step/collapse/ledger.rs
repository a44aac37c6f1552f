//! What a step did, in numbers: written to the trajectory, plotted, and
//! checked again by `verify`.

use super::Mirror;
use super::gauss::Ends;
use super::joints::Hold;
use crate::contact::Touch;
use crate::solver::quadratic::Answer;
use crate::world::{Joint, Ledger, Model, State};

/// What a step leaves behind besides the state.
pub(super) struct Done<'a> {
    pub holds: &'a [Hold],
    pub touches: &'a [Touch],
    pub answer: &'a Answer,
    pub mirror: Option<&'a Mirror>,
    /// How many touches began or ceased to push.
    pub changes: u32,
}

impl Done<'_> {
    pub fn ledger(&self, model: &Model, state: &State) -> Ledger {
        let (momentum, angular) = model.momentum(state);
        let multipliers = &self.answer.multipliers;
        Ledger {
            energy: model.mechanical_energy(state),
            momentum: momentum.to_array(),
            angular_momentum: angular.to_array(),
            penetration: self.penetration(model),
            asymmetry: self.mirror.map(|mirror| mirror.asymmetry(model, state)),
            rows: multipliers.len() as u32,
            pushing: multipliers.iter().filter(|m| **m > 0.0).count() as u32,
            changes: self.changes,
            residual: self.answer.residual.largest(),
            iterations: self.answer.iterations as u32,
            joint_error: self.joint_error(model, state),
        }
    }

    /// The worst pin or bar: how far its points are from where they should be, relative to the
    /// larger radius of its bodies.
    fn joint_error(&self, model: &Model, state: &State) -> Option<f64> {
        let relative = |(joint, hold): (&Joint, &Hold)| {
            let radius = |body: u32| model.bodies[body as usize].radius;
            let larger = joint.bodies.into_iter().flatten().map(radius).fold(0.0, f64::max);
            hold.error(&Ends::of_joint(joint, state)) / larger
        };
        model.joints.iter().zip(self.holds).map(relative).reduce(f64::max)
    }

    /// The deepest overlap among touches, relative to the smaller diameter.
    fn penetration(&self, model: &Model) -> f64 {
        let depth = |touch: &Touch| -0.5 * touch.gap / touch.size(model);
        self.touches.iter().map(depth).fold(0.0, f64::max)
    }
}
