//! Does it stand? Linear feasibility: are there contact forces that balance
//! every brick's weight and moment? Either the forces are the proof, or a
//! collapse mechanism is: a velocity and a spin per brick that open or keep every
//! contact and let the weight do work (Farkas' lemma). How it begins to fall is
//! one quadratic program, Gauss' principle [C11 3].
//!
//! With friction, "balancing forces exist" is not yet "it stands": Coulomb
//! friction is not associated. The words of [`Verdict`] keep to that.

mod exact;
pub mod heights;
mod limits;
mod statics;
#[cfg(test)]
mod tests;

pub use exact::Proof;
pub use limits::Tilt;
pub use statics::Statics;

use crate::contact::TouchKey;
use crate::math::DVec3;
use crate::world::{Poses, Tower};

/// Accelerations below this, in units of gravity, are zero.
pub const AT_REST: f64 = 1e-9;

/// A force of a touch, as it pushes body `a` (and the opposite on body `b`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Force {
    pub key: TouchKey,
    pub at: DVec3,
    pub force: DVec3,
    /// Without friction: what the contact does as the tower begins to fall.
    pub fate: Fate,
}

/// What becomes of a touch in the first instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Holds,
    Slides,
    Opens,
}

/// The answer to "does it stand?".
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Balancing forces exist.
    pub balanced: bool,
    /// Decided in whole numbers.
    pub exact: bool,
    /// Positive: shifting the weight of any one brick sideways by this many of its widths
    /// leaves the tower balanced. Negative: the weights of all bricks would have to shift by up
    /// to this many widths to balance it; none if no shift would do.
    pub margin: Option<f64>,
    /// Accelerations and angular accelerations per body; zero if balanced.
    pub accelerations: Vec<(DVec3, DVec3)>,
    /// Contact forces; if balanced, the certificate.
    pub forces: Vec<Force>,
    /// How exactly the accelerations satisfy their program.
    pub residual: f64,
    /// Some contact has friction.
    pub friction: bool,
}

/// Answers for a tower at rest.
pub fn stable(tower: &Tower, poses: &Poses) -> Verdict {
    let statics = Statics::new(tower, poses);
    let (accelerations, forces, residual) = statics.begin_to_fall();
    let tableau = statics.tableau(tower.gravity);
    let proof = statics.prove(&tableau);
    let balanced = match proof {
        Some(Proof::Balanced) => true,
        Some(Proof::Unbalanced) => false,
        None => tableau.left_over() < AT_REST,
    };
    let margin = if balanced { Some(statics.margin(&tableau)) } else { statics.deficit() };
    Verdict {
        balanced,
        exact: proof.is_some(),
        margin,
        accelerations: match balanced {
            true => vec![(DVec3::ZERO, DVec3::ZERO); tower.bricks.len()],
            false => accelerations,
        },
        forces,
        residual,
        friction: statics.has_friction(),
    }
}
