//! What a step did, in numbers: written to the trajectory, plotted, and
//! checked again by `verify`.

use serde::{Deserialize, Serialize};

use super::Mirror;
use crate::contact::Touch;
use crate::math::DVec3;
use crate::solver::quadratic::Answer;
use crate::world::{Joint, Poses, Tower};

/// The account of one step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Kinetic and potential.
    pub energy: f64,
    pub momentum: [f64; 3],
    /// About the origin.
    pub angular_momentum: [f64; 3],
    /// The deepest overlap, relative to the smaller diameter of the two bodies.
    pub penetration: f64,
    /// How far the bodies are from mirror symmetry, relative to their size;
    /// none if the tower did not start symmetric.
    pub asymmetry: Option<f64>,
    /// Rows of the program, and those that pushed.
    pub rows: u32,
    pub pushing: u32,
    /// How many touches began or ceased to push: where the motion is not smooth.
    pub changes: u32,
    /// How far the points of pins are apart, and bars from their lengths, relative to the
    /// smaller body's diameter.
    #[serde(default)] // unknown to runs from before it was measured
    pub drift: f64,
    /// How exactly the program was solved: the largest part of its residual.
    pub residual: f64,
    pub iterations: u32,
    /// The largest error of a joint, as a length in the larger radius of its bodies; of the
    /// method dynamics only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint_error: Option<f64>,
}

impl Ledger {
    pub(super) fn new(
        tower: &Tower,
        poses: &Poses,
        touches: &[Touch],
        changes: u32,
        answer: &Answer,
        mirror: Option<&Mirror>,
    ) -> Self {
        let (momentum, angular): (DVec3, DVec3) = tower.momentum(poses);
        Ledger {
            energy: tower.energy(poses),
            momentum: momentum.to_array(),
            angular_momentum: angular.to_array(),
            penetration: penetration(tower, touches),
            asymmetry: mirror.map(|mirror| mirror.asymmetry(tower, poses)),
            rows: answer.multipliers.len() as u32,
            pushing: answer.multipliers.iter().filter(|m| **m > 0.0).count() as u32,
            changes,
            drift: drift(tower, poses),
            residual: answer.residual.largest(),
            iterations: answer.iterations as u32,
            joint_error: None,
        }
    }
}

/// The worst pin or bar.
fn drift(tower: &Tower, poses: &Poses) -> f64 {
    let size = |joint: &Joint| {
        let [a, b] = joint.bodies.map(|body| tower.bricks[body as usize].radius);
        2.0 * a.min(b)
    };
    let apart = |joint: &Joint| {
        let [one, two] = poses.ends(joint);
        (one - two).length()
    };
    let pins = tower.pins.iter().map(|pin| apart(pin) / size(pin));
    let bars = tower.bars.iter();
    let bars = bars.map(|bar| (apart(&bar.joint) - bar.length).abs() / size(&bar.joint));
    pins.chain(bars).fold(0.0, f64::max)
}

/// The deepest overlap among touches, relative to the smaller diameter.
pub(super) fn penetration(tower: &Tower, touches: &[Touch]) -> f64 {
    let radius = |body: u32| tower.bricks[body as usize].radius;
    let depth = |t: &Touch| -0.5 * t.gap / radius(t.key.a).min(radius(t.key.b));
    touches.iter().map(depth).fold(0.0, f64::max)
}
