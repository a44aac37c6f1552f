//! Energies between bodies and to points, pushes of groups, and driven bodies.

use super::*;
use crate::scene::{Form, Law};
use crate::world::{Anchor, Force, Path};
use std::f64::consts::TAU;

fn force(law: Law, pairs: Vec<[u32; 2]>, anchors: Vec<Anchor>) -> Force {
    Force { law, form: Form::Bound, pairs, anchors }
}

/// The spring's energy is `k d^2`, so `T = 2 pi sqrt(m / 2 k)`.
#[test]
fn a_spring_oscillates_with_its_period() {
    for mode in [Mode::Default, Mode::Paper] {
        let mut trial = Trial::new(0.0);
        trial.options.mode = mode;
        let strength = 3.0;
        let ball =
            trial.add_turned(Shape::ball(0.1), DVec3::X * 0.5, DQuat::IDENTITY, Weight::Mass(2.0));
        let anchor = Anchor { body: ball as u32, point: DVec3::ZERO, softening: 0.0 };
        let law = Law::Spring { strength, rest_length: 0.0 };
        trial.model.forces.push(force(law, Vec::new(), vec![anchor]));
        let period = TAU * (2.0 / (2.0 * strength)).sqrt();
        let (mut crossings, mut last) = (Vec::new(), 0.5);
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        trial.run(3000, |Seen { step, state, ledger, .. }| {
            let x = state.positions[ball].x;
            if last < 0.0 && x >= 0.0 {
                crossings.push(0.01 * (step as f64 - x / (x - last)));
            }
            last = x;
            (least, most) = (least.min(ledger.energy), most.max(ledger.energy));
        });
        let n = crossings.len() - 1;
        let measured = (crossings[n] - crossings[0]) / n as f64;
        assert!(n > 5 && (measured / period - 1.0).abs() < 1e-4, "{mode:?} {measured} {period}");
        // Symplectic: the energy swings about a value and does not drift.
        assert!(least > 0.98 * 0.75 && most < 1.02 * 0.75, "{mode:?} {least} {most}");
    }
}

/// Two bodies about their common centre, pulled by `s / d^2`: `w^2 = s (1/m + 1/M) / d^3`.
#[test]
fn two_bodies_circle_each_other() {
    let mut trial = Trial::new(0.0);
    let (masses, strength) = ([1.0, 3.0], 8.0);
    for (mass, x) in [(masses[0], 1.5), (masses[1], -0.5)] {
        let weight = Weight::Mass(mass);
        trial.add_turned(Shape::ball(0.1), DVec3::X * x, DQuat::IDENTITY, weight);
    }
    let law = Law::InverseSquare { strength };
    trial.model.forces.push(force(law, vec![[0, 1]], Vec::new()));
    let turning = (strength * (1.0 / masses[0] + 1.0 / masses[1]) / 8.0_f64).sqrt();
    for i in 0..2 {
        trial.state.velocities[i] = DVec3::Z.cross(trial.state.positions[i]) * turning;
    }
    trial.options.time_step = TAU / turning / 400.0;
    let start = trial.state.positions.clone();
    trial.run(400, |Seen { state, .. }| {
        let distance = state.positions[0].distance(state.positions[1]);
        assert!((distance - 2.0).abs() < 0.01, "{distance}");
    });
    for (before, after) in start.iter().zip(&trial.state.positions) {
        assert!((*before - *after).length() < 0.01, "{before} {after}");
    }
    assert!(trial.model.momentum(&trial.state).0.length() < 1e-12);
}

/// A body pressed against a wall by a spring alone: contacts settle without gravity, too.
#[test]
fn a_spring_presses_bodies_together() {
    let mut trial = Trial::new(0.0);
    let wall = trial.cube(0.5, DVec3::NEG_X * 0.5);
    trial.body(wall).motion = Motion::Fixed;
    trial.cube(0.25, DVec3::X * 0.3);
    let anchor = Anchor { body: 1, point: DVec3::NEG_X, softening: 0.0 };
    let law = Law::Spring { strength: 2.0, rest_length: 0.0 };
    trial.model.forces.push(force(law, Vec::new(), vec![anchor]));
    let mut told = Vec::new();
    trial.run(100, |seen| told = seen.contacts.to_vec());
    let at = trial.state.positions[1];
    assert!((at - DVec3::X * 0.25).length() < 1e-3, "{at}");
    let push: DVec3 = told.iter().map(|contact| contact.force).sum();
    let expected = 2.0 * 2.0 * 1.25 * 0.01;
    assert!((push.length() / expected - 1.0).abs() < 0.02, "{push} {expected}");
}

#[test]
fn a_push_is_an_acceleration_of_its_own() {
    for mode in [Mode::Default, Mode::Paper] {
        let mut trial = Trial::new(9.81);
        trial.options.mode = mode;
        let ball = trial.ball(0.1, DVec3::ZERO);
        trial.body(ball).push = DVec3::new(1.0, 0.0, 9.81);
        trial.run(100, |_| ());
        let h = if mode == Mode::Default { 0.0025 } else { 0.01 };
        let expected = DVec3::X * (0.5 * (1.0 + h));
        assert!((trial.state.positions[ball] - expected).length() < 1e-9, "{mode:?}");
    }
}

/// A platform that goes up, stands and turns: it is where its path says, to the last digit, and
/// takes along what lies on it.
#[test]
fn a_driven_body_follows_its_path() {
    for mode in [Mode::Default, Mode::Paper] {
        let mut trial = Trial::new(9.81);
        trial.options.mode = mode;
        let platform = trial.cuboid(DVec3::new(1.0, 1.0, 0.1), DVec3::ZERO);
        let quarter = DQuat::from_rotation_z(0.25 * TAU);
        trial.model.paths.push(Path {
            times: vec![0.0, 1.0, 1.5, 3.5],
            positions: vec![DVec3::ZERO, DVec3::Z, DVec3::Z, DVec3::Z],
            rotations: vec![DQuat::IDENTITY, DQuat::IDENTITY, DQuat::IDENTITY, quarter],
        });
        let body = trial.body(platform);
        (body.motion, body.path) = (Motion::Driven, Some(0));
        let cube = trial.cube(0.2, DVec3::new(0.5, 0.0, 0.3));
        let path = trial.model.paths[0].clone();
        trial.run(400, |Seen { step, state, .. }| {
            let (at, turn) = path.at((step + 1) as f64 * 0.01);
            assert_eq!(state.positions[platform], at);
            assert!(state.rotations[platform].angle_between(turn) < 1e-7);
            if step == 50 {
                assert!((state.velocities[platform] - DVec3::Z).length() < 1e-12);
            }
        });
        assert_eq!(trial.state.velocities[platform], DVec3::ZERO, "it stands at the end");
        let at = trial.state.positions[cube];
        let off = if mode == Mode::Default { 5e-3 } else { 0.05 };
        assert!((at - DVec3::new(0.0, 0.5, 1.3)).length() < off, "{mode:?} {at}");
    }
}

/// The time goes on where a checkpoint left it.
#[test]
fn a_path_goes_on_after_a_checkpoint() {
    let mut trial = Trial::new(0.0);
    let body = trial.cube(0.1, DVec3::ZERO);
    trial.model.paths.push(Path {
        times: vec![0.0, 0.1, 0.2],
        positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
        rotations: vec![DQuat::IDENTITY; 3],
    });
    let driven = trial.body(body);
    (driven.motion, driven.path) = (Motion::Driven, Some(0));
    let mut dynamics = trial.dynamics();
    for _ in 0..7 {
        stepped(&mut dynamics, &mut trial.state);
    }
    let mut dynamics = trial.resumed(Some(&dynamics.memory()));
    for _ in 0..8 {
        stepped(&mut dynamics, &mut trial.state);
    }
    assert!((trial.state.positions[0] - DVec3::new(0.5, 0.5, 0.0)).length() < 1e-12);
}
