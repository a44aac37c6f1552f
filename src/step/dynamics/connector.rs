//! Connectors [D14 7]: a constraint sees points; a rigid body, a particle or the
//! world supplies the point and says how it answers to an impulse there. A
//! particle is a body whose inverse inertia is zero, the world one that has no
//! inverse mass either, so one formula serves all three.

use super::bodies::Bodies;
use crate::math::{DMat3, DVec3};

/// A point of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Connector {
    pub body: usize,
    /// In the frame of the body.
    pub local: DVec3,
}

impl Connector {
    /// From the body's centre to the point, in the frame of the world.
    pub fn arm(&self, bodies: &Bodies) -> DVec3 {
        bodies.turns[self.body] * self.local
    }

    pub fn point(&self, bodies: &Bodies) -> DVec3 {
        bodies.positions[self.body] + self.arm(bodies)
    }
}

/// `K = 1/m - skew(r) I^-1 skew(r)`: the velocity of a point per impulse at it.
pub fn answer(bodies: &Bodies, body: usize, arm: DVec3) -> DMat3 {
    let inverse = &bodies.inverse[body];
    let cross = skew(arm);
    DMat3::from_diagonal(DVec3::splat(inverse.mass)) - cross * inverse.inertia * cross
}

/// `skew(a) b = a x b`.
pub fn skew(a: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, a.z, -a.y),
        DVec3::new(-a.z, 0.0, a.x),
        DVec3::new(a.y, -a.x, 0.0),
    )
}
