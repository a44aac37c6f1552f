//! A scene made ready to move: what never changes ([`Model`]) apart from what
//! does ([`State`]). No algorithm lives here; [`build`] only turns a scene into
//! these two and refuses what cannot be started from.

mod assembly;
mod build;
mod build_assembly;
mod build_tower;
mod checks;
mod forces;
mod structures;
mod tower;

pub use assembly::{Assembly, Bond, BondKind, Motion, Motor, Part, Sheet, Thread, Weight};
pub use build::build;
pub use build_assembly::build_assembly;
pub use build_tower::build_tower;
pub use tower::{Joint, Poses, Rigid, Tower};

use crate::math::DVec3;
use crate::scene::{Collapse, Dynamics, Form, Law, Settle};
use crate::shape::Boundary;

/// What never changes during a run.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub name: String,
    /// Unknowns per body: 2 or 3 translations.
    pub dimension: usize,
    pub bodies: Vec<Body>,
    /// Names of the groups that `Body::group` counts.
    pub groups: Vec<String>,
    pub boundary: Boundary,
    /// What pulls at every body, per mass; [`Body::push`] comes on top.
    pub gravity: DVec3,
    /// Energies between bodies, and between bodies and fixed points.
    pub terms: Vec<Term>,
    pub links: Vec<Link>,
    /// The rigid bricks of the method collapse; [`Model::bodies`] has their masses, too.
    pub tower: Tower,
    /// What the method dynamics moves; [`Model::bodies`] has the masses, too.
    pub assembly: Assembly,
    pub settle: Settle,
    pub collapse: Collapse,
    pub dynamics: Dynamics,
    pub seed: u64,
}

/// One sphere (a circle in 2D).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    pub radius: f64,
    pub mass: f64,
    pub group: u32,
    /// Acceleration besides the scene's gravity.
    pub push: DVec3,
    /// It never moves.
    pub fixed: bool,
}

/// One energy, and all that it acts on.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    pub law: Law,
    pub form: Form,
    pub pairs: Vec<[u32; 2]>,
    pub anchors: Vec<Anchor>,
}

/// A body that an energy ties to a fixed point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    pub body: u32,
    pub point: DVec3,
    /// The energy is that of the distance `sqrt(|D|^2 + softening^2)`, which
    /// has a direction even where the body is at the point.
    pub softening: f64,
}

/// A rope or a bar between the centres of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    pub a: u32,
    pub b: u32,
    pub length: f64,
    /// By how much the distance may be shorter, as a part of the length: 1 for a rope.
    pub give: f64,
}

impl Body {
    /// A body that moves, pulled by the scene's gravity alone.
    pub fn new(radius: f64, mass: f64, group: u32) -> Self {
        Body { radius, mass, group, push: DVec3::ZERO, fixed: false }
    }
}

impl Link {
    pub fn is_rope(&self) -> bool {
        self.give >= 1.0
    }

    /// The least distance of its ends.
    pub fn shortest(&self) -> f64 {
        self.length * (1.0 - self.give)
    }
}

impl Model {
    /// The acceleration of a body.
    pub fn pull(&self, body: usize) -> DVec3 {
        self.gravity + self.bodies[body].push
    }

    /// Whether the bodies are rigid bricks, to be moved by the method collapse.
    pub fn is_tower(&self) -> bool {
        !self.tower.bricks.is_empty()
    }

    /// Whether the method dynamics moves the bodies.
    pub fn is_dynamic(&self) -> bool {
        !self.assembly.parts.is_empty()
    }

    /// Which bodies may move.
    pub fn free(&self) -> Vec<bool> {
        self.bodies.iter().map(|body| !body.fixed).collect()
    }

    /// Whether there is anything besides gravity and contact.
    pub fn has_forces(&self) -> bool {
        !self.terms.is_empty() || !self.links.is_empty()
    }
}

/// What changes: where the bodies are. In 2D every z is 0.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub positions: Vec<DVec3>,
}
