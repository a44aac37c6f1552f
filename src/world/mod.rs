//! A scene made ready to move: what never changes ([`Model`]) apart from what
//! does ([`State`]). No algorithm lives here; [`build`] only turns a scene into
//! these two and refuses what cannot be started from.

mod build;
mod checks;
mod tower;

pub use build::build;
pub use tower::{Poses, Rigid, Tower};

use crate::math::DVec3;
use crate::scene::Settle;
use crate::shape::Boundary;

/// What never changes during a run.
#[derive(Clone, Debug)]
pub struct Model {
    pub name: String,
    /// Unknowns per body: 2 or 3 translations.
    pub dimension: usize,
    pub bodies: Vec<Body>,
    /// Names of the groups that `Body::group` counts.
    pub groups: Vec<String>,
    pub boundary: Boundary,
    pub gravity: DVec3,
    pub settle: Settle,
    pub seed: u64,
}

/// One sphere (a circle in 2D).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    pub radius: f64,
    pub mass: f64,
    pub group: u32,
}

/// What changes: where the bodies are. In 2D every z is 0.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub positions: Vec<DVec3>,
}
