//! Energies between bodies, and between bodies and fixed points.

use crate::math::DVec3;
use crate::scene::{Form, Law};

/// One energy, and all that it acts on.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// How it depends on the distance.
    pub law: Law,
    /// What stands for it in a program of settle.
    pub form: Form,
    /// Pairs of bodies.
    pub pairs: Vec<[u32; 2]>,
    /// Bodies and fixed points.
    pub anchors: Vec<Anchor>,
}

/// A body that an energy ties to a fixed point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// The body.
    pub body: u32,
    /// The point, in the world.
    pub point: DVec3,
    /// The energy is that of the distance `sqrt(|D|^2 + softening^2)`, which
    /// has a direction even where the body is at the point.
    pub softening: f64,
}
