//! Does it stand? Linear feasibility: are there contact forces that balance
//! every body's weight and moment? Either the forces are the proof, or a
//! collapse mechanism is: a velocity and a spin per body that open or keep every
//! contact and let the weight do work (Farkas' lemma). How it begins to fall is
//! one quadratic program, Gauss' principle [C11 3].
//!
//! Any model in any state can be asked: bodies of every shape touch where their
//! pieces do (a cylinder is the prism around it), containers and driven bodies
//! count as fixed, joints bear what their kind can (a limit pushes back where it is
//! reached, a motor holds with up to its greatest force), forces between bodies are
//! loads like weights. What is a [`crate::math::RESTING_GAP`] apart touches: no
//! method leaves more between bodies that rest on each other.
//!
//! With friction, "balancing forces exist" is not yet "it stands": Coulomb
//! friction is not associated. The words of [`Verdict`] keep to that.

mod exact;
mod first; // accelerations
pub mod heights;
mod joints;
mod limits;
mod statics;
#[cfg(test)]
mod tests;

pub use limits::{Tilt, WIDEST};
pub use statics::{Statics, Tolerance};

use crate::math::DVec3;
use crate::problem::Result;
use crate::world::{Contact, Model, State};
use exact::Proof;

/// What happens at a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reaction {
    /// Where, and the force that it exerts.
    pub contact: Contact,
    /// Without friction: what the contact does as bodies begin to fall.
    pub fate: Fate,
}

/// What becomes of a touch in the first instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The points stay together.
    Holds,
    /// One slides along the other.
    Slides,
    /// They part.
    Opens,
}

/// The answer to "does it stand?".
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Balancing forces exist.
    pub balanced: bool,
    /// Something pulls at a body. Where nothing does, no forces are balance, whatever holds.
    pub pulled: bool,
    /// Decided in whole numbers: coordinates are fractions, and gaps are zero.
    pub exact: bool,
    /// The widest gap of what counts as a touch, in radii of the smaller body; none without any.
    pub widest_gap: Option<f64>,
    /// Positive: shifting the weight of any one body sideways by this many of its widths
    /// leaves all balanced. Negative: the weights of all bodies would have to shift by up
    /// to this many widths to balance them. No shift beyond [`WIDEST`] is tried. None if no
    /// shift would do, or if there is none to ask for ([`Statics::without_margin`]).
    pub margin: Option<f64>,
    /// Accelerations and angular accelerations per body; zero if balanced.
    pub accelerations: Vec<(DVec3, DVec3)>,
    /// Contact forces; if balanced, the certificate.
    pub forces: Vec<Reaction>,
    /// How exactly the accelerations satisfy their program.
    pub residual: f64,
    /// Some contact has friction.
    pub friction: bool,
}

/// Answers for a state as a scene starts; [`Statics::within`] asks with other tolerances.
///
/// ```
/// use riprap::{scene::gallery, step::stable::stable, world::build};
/// let (model, state) = build(&gallery::scene("arch")?)?;
/// assert!(stable(&model, &state)?.balanced);
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn stable(model: &Model, state: &State) -> Result<Verdict> {
    Ok(Statics::new(model, state)?.verdict())
}

impl Statics<'_> {
    /// The whole answer. What is too large for linear programs is decided by its first
    /// accelerations, and its margin is not asked for.
    pub fn verdict(&self) -> Verdict {
        let (accelerations, forces, residual) = self.begin_to_fall();
        let tableau = self.tableau().ok();
        let proof = tableau.and_then(|tableau| self.prove(tableau));
        let balanced = match (proof, tableau) {
            (Some(proof), _) => proof == Proof::Balanced,
            (None, Some(tableau)) => self.left_over(tableau) < self.tolerance.balance,
            (None, None) => self.is_still(&accelerations),
        };
        let margin = match (tableau.filter(|_| self.without_margin().is_none()), balanced) {
            (Some(tableau), true) => Some(self.margin(tableau)),
            (Some(_), false) => self.deficit(),
            (None, _) => None,
        };
        Verdict {
            balanced,
            pulled: self.is_pulled(),
            exact: proof.is_some(),
            widest_gap: self.widest_gap(),
            margin,
            accelerations: match balanced {
                true => vec![(DVec3::ZERO, DVec3::ZERO); self.model.bodies.len()],
                false => accelerations,
            },
            forces,
            residual,
            friction: self.has_friction(),
        }
    }
}
