//! What lands in columns stops there, and is not thrown back by what stopped it.

use super::*;

/// Drops shapes upon each other from a height, so far from each other; whether no step breaks a
/// promise, and they rest in the end.
fn lands(shape: &Shape, count: usize, height: f64, apart: f64) {
    let mut trial = Trial::new(9.81);
    trial.floor();
    for k in 0..count {
        let at = DVec3::Z * (height + 0.1 + (0.2 + apart) * k as f64);
        trial.add_turned(shape.clone(), at, DQuat::IDENTITY, Weight::Density(1000.0));
    }
    trial.model.bodies.iter_mut().for_each(|body| body.material.friction = 0.5);
    let mut dynamics = trial.dynamics();
    for _ in 0..200 {
        stepped(&mut dynamics, &mut trial.state);
    }
    let broken = dynamics.broken().map(|broken| broken.in_words(0));
    assert_eq!(broken, None, "{count}, {height}, {apart}");
    let fastest = trial.state.velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(fastest < 1e-3, "{count}, {height}, {apart}: {fastest}");
}

/// The blow at the foot of a column was what the next substep began with.
#[test]
fn columns_that_land_gain_no_energy() {
    let cube = Shape::cuboid(DVec3::splat(0.2)).unwrap();
    lands(&cube, 10, 1.0, 0.0);
    lands(&cube, 20, 3.0, 0.03);
    lands(&cube, 5, 2.0, 0.001);
    let ball = Shape::ball(0.1);
    lands(&ball, 6, 1.0, 0.0);
    lands(&ball, 6, 1.0, 0.01);
}
