//! A scene made ready to move: what never changes ([`Model`]) apart from what
//! does ([`State`]). No algorithm lives here; [`build`] only turns a scene into
//! these two and refuses what cannot be started from.

mod apart;
mod assembly;
mod build;
mod build_assembly;
mod build_cloth;
mod build_layout;
mod build_tower;
mod checks;
mod cloth;
mod forces;
mod structures;
mod tower;

pub use assembly::{Assembly, Bond, BondKind, Motion, Motor, Part, Weight};
pub use build::build;
pub use build_assembly::build_assembly;
pub use build_layout::{LayoutWorld, Moving};
pub use build_tower::build_tower;
pub use cloth::{Air, Attachment, Cloth, Compliance, Fabric, Pattern, Thread, ThreadKind};
pub use tower::{Bar, Joint, Poses, Rigid, Tower};

use crate::math::DVec3;
use crate::scene::{Collapse, Dynamics, Form, Law, Settle};
use crate::shape::{Aabb, Boundary, Convex, Solid};
use std::sync::LazyLock;

/// What never changes during a run.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub name: String,
    /// Unknowns per body: 2 or 3 translations.
    pub dimension: usize,
    pub bodies: Vec<Body>,
    /// What bodies that are no spheres look like; see [`Body::shape`].
    pub shapes: Vec<Solid>,
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

/// One sphere (a circle in 2D), or a solid that only translates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Of a solid, that of the sphere about its centre of mass that holds it.
    pub radius: f64,
    pub mass: f64,
    pub group: u32,
    /// Acceleration besides the scene's gravity.
    pub push: DVec3,
    /// It never moves.
    pub fixed: bool,
    /// The solid that it is, by its number in [`Model::shapes`]; none for a sphere.
    pub shape: Option<u32>,
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
        Body { radius, mass, group, push: DVec3::ZERO, fixed: false, shape: None }
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

    /// What a body looks like; none for a sphere.
    pub fn solid(&self, body: usize) -> Option<&Solid> {
        self.bodies[body].shape.and_then(|shape| self.shapes.get(shape as usize))
    }

    /// The convex pieces of a body, about its position: one idea for all
    /// bodies, as a sphere is a point with a radius.
    pub fn pieces(&self, body: usize) -> &[Convex] {
        static POINT: LazyLock<[Convex; 1]> = LazyLock::new(|| [Convex::point(DVec3::ZERO)]);
        self.solid(body).map_or(&POINT[..], |solid| &solid.pieces)
    }

    /// How far a body reaches beyond its pieces, if solids are rounded by a little more.
    pub fn rounding(&self, body: usize, smoothing: f64) -> f64 {
        self.solid(body).map_or(self.bodies[body].radius, |solid| solid.radius + smoothing)
    }

    /// The box around a body that is at the origin.
    pub fn extent(&self, body: usize) -> Aabb {
        let sphere = || Aabb::from_sphere(DVec3::ZERO, self.bodies[body].radius);
        self.solid(body).map_or_else(sphere, Solid::bounds)
    }

    /// Whether some body is no sphere.
    pub fn has_solids(&self) -> bool {
        !self.shapes.is_empty()
    }

    /// The smoothing radii at which solids settle one after the other, the
    /// largest first; 0 without solids.
    pub fn smoothing(&self) -> [f64; 2] {
        let solids = self.bodies.iter().filter(|body| body.shape.is_some());
        let least = solids.map(|body| body.radius).fold(f64::INFINITY, f64::min);
        if !least.is_finite() {
            return [0.0; 2];
        }
        let (first, gap) = (self.settle.smoothing * least, self.settle.accuracy * least);
        let mut last = first;
        while 2.0 * last > gap {
            last *= 0.5;
        }
        [first, last]
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
