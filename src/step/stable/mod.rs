//! Does it stand? Linear feasibility: are there contact forces that balance
//! every body's weight and moment? Either the forces are the proof, or a
//! collapse mechanism is: a velocity and a spin per body that open or keep every
//! contact and let the weight do work (Farkas' lemma). How it begins to fall is
//! one quadratic program, Gauss' principle [C11 3].
//!
//! Any model in any state can be asked: bodies of every shape touch where their
//! pieces do (the ends of a cylinder are those of the prism around it, its side is round), containers and driven bodies
//! count as fixed, joints bear what their kind can (a limit pushes back where it is
//! reached, a motor holds with up to its greatest force), forces between bodies are
//! loads like weights. What is a [`crate::math::RESTING_GAP`] apart touches: no
//! method leaves more between bodies that rest on each other.
//!
//! With friction, "balancing forces exist" is not yet "it stands": Coulomb
//! friction is not associated. The words of [`Verdict`] keep to that. In space the forces of a
//! contact with friction are a round cone: they exist if a polygon inside every cone has them,
//! and do not if one around it has none; between the two is a hair that stays undecided.

pub mod bricks;
mod consistent;
#[cfg(test)]
mod corners;
mod deficit;
mod exact;
mod first; // accelerations
mod forces;
pub mod heights;
mod inside;
mod joints;
mod limits;
mod margin;
#[cfg(test)]
mod margins;
#[cfg(test)]
mod masonry;
mod questions;
mod statics;
mod strengths;
#[cfg(test)]
mod tests;

pub use consistent::Consistency;
pub use inside::Placements;
pub use limits::{Ground, SHAKEN, Tilt, WIDEST};
pub use questions::Stage;
pub use statics::{Statics, Tolerance};
pub use strengths::{HeldContact, Strain};

use crate::contact::Touch;
use crate::math::DVec3;
use crate::problem::Result;
use crate::solver::linear::exact::Exact;
use crate::solver::linear::{Polygon, Simplex, UNCERTAIN};
use crate::world::{Contact, Model, State};
use first::First;

/// A smaller margin is none, but rounding.
pub const NO_MARGIN: f64 = 1e-9;

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

/// Whether balancing forces exist.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Balance {
    /// They do.
    Balanced,
    /// They do not.
    Unbalanced,
    /// The least friction with which they exist is between these multiples of what there is.
    Undecided([f64; 2]),
}

/// The answer to "does it stand?".
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Whether balancing forces exist.
    pub balance: Balance,
    /// Something pulls at a body. Where nothing does, no forces are balance, whatever holds.
    pub pulled: bool,
    /// Decided in whole numbers: coordinates are fractions, and gaps are zero.
    pub exact: bool,
    /// The widest gap of what counts as a touch, in radii of the smaller body; none without any.
    pub widest_gap: Option<f64>,
    /// Positive: shifting the weight of any one body in any level direction by this many of
    /// its widths there leaves all balanced, up to [`WIDEST`]. Negative: the weights of all bodies would have
    /// to shift by up to this many of their widths, each in a direction of its own, to balance them; two
    /// shifts of one body count as their sum does. None if no shift would do, or if there is none to ask
    /// for ([`Statics::without_margin`]).
    pub margin: Option<f64>,
    /// The margin is between these: in space directions are tried until they are a millionth apart, or
    /// forty for a body; where there are many bodies so many programs are too dear.
    pub margin_bounds: Option<[f64; 2]>,
    /// It stands, and that is proved: a positive margin, nothing round that presses, no friction.
    pub stands: bool,
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
/// assert!(stable(&model, &state)?.is_balanced());
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn stable(model: &Model, state: &State) -> Result<Verdict> {
    Ok(Statics::new(model, state)?.verdict())
}

impl Verdict {
    /// Balancing forces exist, for certain.
    pub fn is_balanced(&self) -> bool {
        self.balance == Balance::Balanced
    }

    /// There are none, for certain.
    pub fn is_unbalanced(&self) -> bool {
        self.balance == Balance::Unbalanced
    }
}

impl Statics<'_> {
    /// The whole answer. What is too large for the simplex method is decided by an interior-point
    /// method, and its margin is told between two bounds.
    pub fn verdict(&self) -> Verdict {
        let First { accelerations, forces, residual, .. } = self.begin_to_fall();
        let simplex = self.simplex().ok();
        let (balance, exact) = match simplex {
            Some(simplex) => self.balance(simplex),
            None => (self.balance_of_many(), false),
        };
        let is_asked = self.without_margin().is_none();
        let bounds = match (simplex.filter(|_| is_asked && !self.has_many()), balance) {
            (Some(simplex), Balance::Balanced) if self.is_slow() => {
                Some(self.margin_within(simplex, self.margin_among_fixed()))
            }
            (Some(simplex), Balance::Balanced) => Some(self.margin_within(simplex, WIDEST)),
            (Some(_), Balance::Unbalanced) if !self.is_slow() => {
                self.deficit().map(|margin| [margin; 2])
            }
            (None, Balance::Balanced) if is_asked => self.margin_of_many(),
            _ => None,
        };
        let margin = bounds.map(|[low, _]| low);
        Verdict {
            balance,
            pulled: self.is_pulled(),
            exact,
            widest_gap: self.widest_gap(),
            margin,
            margin_bounds: bounds,
            stands: balance == Balance::Balanced && self.stands(forces, margin),
            accelerations: match balance {
                Balance::Balanced => vec![(DVec3::ZERO, DVec3::ZERO); self.model.bodies.len()],
                _ => accelerations.clone(),
            },
            forces: forces.clone(),
            residual: *residual,
            friction: self.has_friction(),
        }
    }

    /// Whether balancing forces are a proof that nothing moves. If the weight of every body may shift
    /// a little ([`Verdict::margin`]), no motion turns a body about a level axis without lifting weights: a
    /// load that such a motion helps would not be borne else (Farkas). What is left shifts bodies, and in
    /// space turns them about the vertical. Where corners and faces press, gaps and heights change evenly
    /// with such a motion, so that nothing falls, however far it goes before something else touches: in the
    /// plane always, in space if forces are upright. Round bodies may roll off each other, and friction is
    /// another matter.
    fn stands(&self, forces: &[Reaction], margin: Option<f64>) -> bool {
        let down = self.model.gravity.normalize_or_zero();
        let is_even = |(touch, reaction): (&Touch, &Reaction)| {
            let force = reaction.contact.force;
            let aside = force.reject_from_normalized(down).length();
            let is_upright = self.model.dimension == 2 || aside <= 1e-9 * self.strongest();
            force == DVec3::ZERO || (touch.radii == [0.0; 2] && is_upright)
        };
        margin.is_some_and(|margin| margin > NO_MARGIN)
            && self.is_pulled()
            && !self.has_friction()
            && self.model.joints.is_empty()
            && self.model.forces.is_empty()
            && self.touches.iter().zip(forces).all(is_even)
    }

    /// Whether it is balanced, and how it begins to fall if not, by the interior-point method alone,
    /// without a margin or a proof in whole numbers: for many questions about many bodies.
    pub fn first_fall(&self) -> (Balance, Vec<(DVec3, DVec3)>) {
        let balance = self.balance_of_many();
        let accelerations = match balance {
            Balance::Balanced => vec![(DVec3::ZERO, DVec3::ZERO); self.model.bodies.len()],
            _ => self.fall_of_many(),
        };
        (balance, accelerations)
    }

    /// Whether forces inside the cones of friction balance all, and if not, whether forces in
    /// slightly larger ones would; and whether that was decided in whole numbers.
    fn balance(&self, inner: &Simplex) -> (Balance, bool) {
        let hair = Balance::Undecided([1.0 - UNCERTAIN, 1.0 + UNCERTAIN]);
        let is_balanced = |simplex: &Simplex| self.left_over(simplex) < self.tolerance.balance;
        if is_balanced(inner) {
            match self.prove(&inner.basis(), Polygon::Inner) {
                Some(Exact::Combination(_)) => return (Balance::Balanced, true),
                Some(Exact::Certificate(_)) => return (Balance::Unbalanced, true),
                None => return (Balance::Balanced, false),
                Some(Exact::Open) => {}
            }
        }
        let outer = inner.with(Polygon::Outer);
        match self.prove(&outer.basis(), Polygon::Outer) {
            Some(Exact::Combination(_)) => (Balance::Balanced, true),
            Some(Exact::Certificate(_)) => (Balance::Unbalanced, true),
            Some(Exact::Open) => (hair, true),
            None if is_balanced(&outer) => (hair, false),
            None => (Balance::Unbalanced, false),
        }
    }
}
