//! Connectors [D14 7]: a constraint sees points; a rigid body, a particle or the
//! world supplies the point and its effective mass. A particle is a body whose inverse inertia is zero, the world one that has no
//! inverse mass either, so one formula serves all three.

use super::bodies::{Bodies, Inverse};
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
    #[inline]
    pub fn arm(&self, bodies: &Bodies) -> DVec3 {
        bodies.turns[self.body] * self.local
    }

    pub fn point(&self, bodies: &Bodies) -> DVec3 {
        bodies.positions[self.body] + self.arm(bodies)
    }
}

/// `K = 1/m - skew(r) I^-1 skew(r)`: the velocity of a point per impulse at it, the inverse of
/// its effective mass.
pub fn inverse_effective_mass(bodies: &Bodies, body: usize, arm: DVec3) -> DMat3 {
    give(&bodies.inverse[body], arm)
}

/// The same of a body whose inverse mass is known.
pub fn give(inverse: &Inverse, arm: DVec3) -> DMat3 {
    let Inverse { mass, inertia } = inverse;
    // I^-1 skew(r), column by column, then skew(r)^T times it: half of skew is zero.
    let x = inertia.y_axis * arm.z - inertia.z_axis * arm.y;
    let y = inertia.z_axis * arm.x - inertia.x_axis * arm.z;
    let z = inertia.x_axis * arm.y - inertia.y_axis * arm.x;
    let xx = arm.z * x.y - arm.y * x.z + mass;
    let yy = arm.x * y.z - arm.z * y.x + mass;
    let zz = arm.y * z.x - arm.x * z.y + mass;
    let xy = arm.z * y.y - arm.y * y.z;
    let xz = arm.z * z.y - arm.y * z.z;
    let yz = arm.x * z.z - arm.z * z.x;
    DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DQuat;
    use crate::shape::Shape;
    use crate::step::dynamics::prepared::Prepared;
    use crate::world::{Model, State, Weight};
    use std::sync::Arc;

    #[test]
    fn the_effective_mass_is_as_its_formula_says() {
        let (mut model, mut state) = (Model::new(3, DVec3::ZERO), State::default());
        let shape = Shape::cuboid(DVec3::new(0.6, 1.4, 2.2)).unwrap();
        let turn = DQuat::from_scaled_axis(DVec3::new(0.4, -1.0, 0.2));
        model.add(&mut state, shape, DVec3::ZERO, turn, Weight::Density(2.0)).unwrap();
        let prepared = Prepared::new(Arc::new(model));
        let bodies = Bodies::new(&prepared, &state);
        let (arm, push) = (DVec3::new(0.2, -0.5, 0.9), DVec3::new(1.0, 2.0, -0.7));
        let Inverse { mass, inertia } = bodies.inverse[0];
        let expected = push * mass + (inertia * arm.cross(push)).cross(arm);
        let found = inverse_effective_mass(&bodies, 0, arm) * push;
        assert!((found - expected).length() < 1e-12);
    }
}
