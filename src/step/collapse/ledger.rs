//! What a step did, in numbers: written to the trajectory, plotted, and
//! checked again by `verify`.

use super::Mirror;
use super::gauss::Ends;
use super::joints::Hold;
use crate::contact::Touch;
use crate::problem::Problem;
use crate::scene::{CollapseOptions, Unknowns};
use crate::solver::quadratic::Answer;
use crate::world::{Joint, Ledger, Model, State};

/// What a run is held to, in radii of the smaller body and of the larger one at a joint.
const OVERLAP: f64 = 1e-3;
const JOINT_ERROR: f64 = 1e-4;

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

/// Whether bodies are deeper in each other after a step, or farther off their joints, than a run
/// is held to, and by how much: such a step ends the run.
pub(super) fn broken(ledger: &Ledger, options: &CollapseOptions) -> Option<Problem> {
    let overlap = 2.0 * ledger.penetration; // of a radius
    let joints = ledger.joint_error.unwrap_or(0.0);
    let message = match () {
        () if overlap > OVERLAP => format!("bodies would overlap by {overlap:.1e} of a radius"),
        () if joints > JOINT_ERROR => format!("a joint would be off by {joints:.1e} of a radius"),
        () => return None,
    };
    let (why, help) = match options.unknowns {
        Unknowns::Accelerations => (
            ": velocities and accelerations alone drift",
            "give a shorter `collapse.time_step`, or leave out `collapse.unknowns`: steps on positions \
             do not drift",
        ),
        Unknowns::Positions => (
            ", which is more than a run may",
            "bodies turn or slide too far in a step: give a shorter `collapse.time_step`; `sidedness` \
             and `lengths` as printed do so, too",
        ),
    };
    Some(Problem::new(format!("{message}{why}")).help(help))
}
