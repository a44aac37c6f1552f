//! Velocities before the motion of cloth within itself was damped. Damping brings
//! velocities nearer to those of the whole cloth moving rigidly, by a known part; it keeps
//! that motion, so it can be taken back.

use std::borrow::Cow;

use crate::math::{DMat3, DVec3};
use crate::world::{Cloth, Model, State};

/// The state with the velocities that it had before cloth was damped.
pub(super) fn undamped<'a>(model: &Model, dt: f64, state: &'a State) -> Cow<'a, State> {
    let mut state = Cow::Borrowed(state);
    for cloth in model.cloths.iter().filter(|cloth| cloth.damping > 0.0) {
        undamp(model, cloth, dt, state.to_mut());
    }
    state
}

fn undamp(model: &Model, cloth: &Cloth, dt: f64, state: &mut State) {
    let left = (-cloth.damping * dt).exp();
    let loose: Vec<usize> = model.loose(cloth).collect();
    let mass = |i: usize| model.bodies[i].mass;
    let total: f64 = loose.iter().map(|&i| mass(i)).sum();
    // Of what is gone altogether nothing is known.
    if total == 0.0 || left == 0.0 {
        return;
    }
    let (mut centre, mut drift) = (DVec3::ZERO, DVec3::ZERO);
    for &i in &loose {
        centre += mass(i) / total * state.positions[i];
        drift += mass(i) / total * state.velocities[i];
    }
    let (mut spin, mut inertia) = (DVec3::ZERO, DMat3::ZERO);
    for &i in &loose {
        let DVec3 { x, y, z } = state.positions[i] - centre;
        spin += mass(i) * DVec3::new(x, y, z).cross(state.velocities[i] - drift);
        inertia += DMat3::from_cols(
            DVec3::new(y * y + z * z, -x * y, -x * z),
            DVec3::new(-x * y, x * x + z * z, -y * z),
            DVec3::new(-x * z, -y * z, x * x + y * y),
        ) * mass(i);
    }
    // A straight line of particles does not spin about itself.
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    let turning = (inertia + DMat3::IDENTITY * (1e-12 * trace)).inverse() * spin;
    let turning = if turning.is_finite() { turning } else { DVec3::ZERO };
    for &i in &loose {
        let whole = drift + turning.cross(state.positions[i] - centre);
        state.velocities[i] = whole + (state.velocities[i] - whole) / left;
    }
}
