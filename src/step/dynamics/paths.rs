//! Driven bodies that follow a path: for every step they get the velocity that
//! takes them to where the path is at its end, and there they are put.

use super::bodies::{Bodies, Velocity};
use crate::math::{DQuat, DVec3};

/// The driven bodies with a path, and where that is at a time.
fn targets(bodies: &Bodies, time: f64) -> Vec<(usize, DVec3, DQuat)> {
    let model = &bodies.prepared.model;
    let followers = model.bodies.iter().enumerate().filter(|(_, body)| !body.is_free());
    let target = |(i, path): (usize, u32)| {
        let (position, rotation) = model.paths[path as usize].at(time);
        (i, position, bodies.prepared.to_principal(i, rotation))
    };
    followers.filter_map(|(i, body)| Some((i, body.path?))).map(target).collect()
}

/// Velocities for a step of length `dt` that ends at `time`.
pub fn aim(bodies: &mut Bodies, time: f64, dt: f64) {
    for (i, position, rotation) in targets(bodies, time) {
        let turn = rotation * bodies.rotations[i].inverse();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        bodies.velocities[i] = Velocity {
            linear: (position - bodies.positions[i]) / dt,
            angular: turn.to_scaled_axis() / dt,
        };
    }
}

/// Puts the bodies where their paths are: rounding does not add up.
pub fn arrive(bodies: &mut Bodies, time: f64) {
    for (i, position, rotation) in targets(bodies, time) {
        bodies.place(i, position, rotation);
    }
}
