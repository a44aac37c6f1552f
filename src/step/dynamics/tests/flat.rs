//! Scenes of the plane: gravity along -y, turns about z.

use super::*;
use crate::math::DMat3;
use std::f64::consts::TAU;

pub(super) fn trial(gravity: f64) -> Trial {
    let mut trial = Trial::new(0.0);
    trial.model = Model::new(2, DVec3::NEG_Y * gravity);
    trial
}

pub(super) fn rectangle(width: f64, height: f64) -> Shape {
    let (x, y) = (0.5 * width, 0.5 * height);
    Shape::polygon(&[[-x, -y], [x, -y], [x, y], [-x, y]], &[]).unwrap()
}

fn floor(trial: &mut Trial) -> usize {
    let floor = trial.add(rectangle(100.0, 2.0), DVec3::NEG_Y);
    trial.body(floor).motion = Motion::Fixed;
    floor
}

/// To the bit, zeros without a sign.
fn assert_flat(state: &State) {
    let zero = |x: f64| assert_eq!(x.to_bits(), 0);
    state.positions.iter().chain(&state.velocities).for_each(|v| zero(v.z));
    state.spins.iter().for_each(|spin| (zero(spin.x), zero(spin.y)).0);
    state.rotations.iter().for_each(|turn| (zero(turn.x), zero(turn.y)).0);
}

/// From -pi to pi.
fn angle(turn: DQuat) -> f64 {
    (2.0 * turn.z * turn.w).atan2(1.0 - 2.0 * turn.z * turn.z)
}

#[test]
fn a_projectile_flies_its_parabola_and_turns_evenly() {
    for mode in [Mode::Default, Mode::Paper] {
        let mut trial = trial(9.81);
        trial.options.mode = mode;
        let body = trial.add(rectangle(0.3, 0.1), DVec3::ZERO);
        trial.state.velocities[body] = DVec3::new(3.0, 4.0, 0.0);
        trial.state.spins[body] = DVec3::Z * 0.7;
        trial.run(100, |seen| assert_flat(seen.state));
        let h = if mode == Mode::Default { 0.0025 } else { 0.01 };
        let expected = DVec3::new(3.0, 4.0 - 0.5 * 9.81 * (1.0 + h), 0.0);
        assert!((trial.state.positions[0] - expected).length() < 1e-12, "{mode:?}");
        let turned = angle(trial.state.rotations[0]);
        assert!((turned - 0.7).abs() < if mode == Mode::Default { 1e-12 } else { 1e-4 });
        assert_eq!(trial.state.spins[0], DVec3::Z * 0.7);
    }
}

#[test]
fn a_wall_of_squares_and_discs_stands() {
    for mode in [Mode::Default, Mode::Paper] {
        let mut trial = trial(9.81);
        trial.options.mode = mode;
        floor(&mut trial);
        // Five cold passes leave squares spinning, and shock propagation turns them back about
        // their centres: in the mode `paper` higher towers walk away.
        let (count, lean) = if mode == Mode::Default { (5, 0.03) } else { (2, 0.0) };
        for k in 0..count {
            trial.add(rectangle(0.5, 0.5), DVec3::new(lean * k as f64, 0.25 + 0.5 * k as f64, 0.0));
        }
        trial.add(Shape::disc(0.25), DVec3::new(3.0, 0.25, 0.0));
        let start = trial.state.clone();
        trial.run(200, |seen| assert_flat(seen.state));
        for (before, after) in start.positions.iter().zip(&trial.state.positions) {
            let off = if mode == Mode::Default { 5e-4 } else { 0.05 };
            assert!((*before - *after).length() < off, "{mode:?} {before} {after}");
        }
    }
}

/// A disc has half of m r^2 about its centre, so it rolls down at 2/3 g sin.
#[test]
fn a_disc_rolls_down_an_incline() {
    let mut trial = trial(9.81);
    let slope: f64 = 15.0_f64.to_radians();
    let turn = DQuat::from_rotation_z(-slope);
    let incline = trial.add_turned(rectangle(40.0, 1.0), DVec3::ZERO, turn, Weight::Density(1.0));
    trial.body(incline).motion = Motion::Fixed;
    let radius = 0.25;
    let disc = trial.add(Shape::disc(radius), turn * (DVec3::Y * (0.5 + radius)));
    let start = trial.state.positions[disc];
    trial.run(100, |seen| assert_flat(seen.state));
    let way = (trial.state.positions[disc] - start).dot(turn * DVec3::X);
    let expected = 0.5 * 2.0 / 3.0 * 9.81 * slope.sin();
    assert!((way / expected - 1.0).abs() < 5e-3, "{way} {expected}");
    let spin = -trial.state.spins[disc].z * radius;
    let speed = trial.state.velocities[disc].length();
    assert!((spin / speed - 1.0).abs() < 1e-4, "it does not slip: {spin} {speed}");
}

/// A square on a pin at the middle of its upper side: `T = 2 pi sqrt(I / (m g l))`.
#[test]
fn a_body_on_a_pin_swings() {
    let mut trial = trial(9.81);
    let (side, angle) = (0.4_f64, 0.05_f64);
    let (length, inertia) = (0.5 * side, side * side / 6.0 + 0.25 * side * side);
    let turn = DQuat::from_rotation_z(angle);
    let at = turn * (DVec3::NEG_Y * length);
    trial.add_turned(rectangle(side, side), at, turn, Weight::Density(1.0));
    trial.pin(JointKind::Ball, 0, None, DVec3::ZERO);
    let period = TAU * (inertia / (9.81 * length)).sqrt() * (1.0 + angle * angle / 16.0);
    let (mut crossings, mut last) = (Vec::new(), at.x);
    trial.run(1000, |Seen { step, state, ledger, .. }| {
        let x = state.positions[0].x;
        if last < 0.0 && x >= 0.0 {
            crossings.push(0.01 * (step as f64 - x / (x - last)));
        }
        last = x;
        assert!(ledger.joint_error.unwrap() < 1e-6);
        assert_flat(state);
    });
    let n = crossings.len() - 1;
    let measured = (crossings[n] - crossings[0]) / n as f64;
    assert!(n > 5 && (measured / period - 1.0).abs() < 1e-3, "{measured} {period}");
}

/// A pin with a motor reaches its speed and stops at its limit.
#[test]
fn pins_have_motors_and_limits() {
    for mode in [Mode::Default, Mode::Paper] {
        let mut trial = trial(0.0);
        trial.options.mode = mode;
        trial.add(rectangle(0.5, 0.5), DVec3::X);
        let pin = trial.pin(JointKind::Ball, 0, None, DVec3::ZERO);
        pin.motor = Some(Motor { speed: 2.0, most: None });
        pin.limits = Some([-1.0, 1.0]);
        let mut angles = Vec::new();
        trial.run(150, |seen| angles.push(angle(seen.state.rotations[0])));
        assert!((angles[29] - 0.6).abs() < 0.02, "{mode:?} {}", angles[29]);
        assert!((angles[149] - 1.0).abs() < 0.02, "{mode:?} {}", angles[149]);
    }
}

/// Every kind of joint holds, and keeps momentum and angular momentum.
#[test]
fn joints_of_the_plane_hold() {
    for kind in [
        JointKind::Ball,
        JointKind::Line,
        JointKind::Plane,
        JointKind::Slider,
        JointKind::Fixed,
        JointKind::Hinge,
        JointKind::Universal,
        JointKind::Parallel,
        JointKind::Perpendicular,
        JointKind::Angle,
        JointKind::Distance { least: 1.0, most: 1.0 },
    ] {
        let mut trial = trial(0.0);
        for k in 0..2 {
            let body = trial.add(rectangle(0.6, 0.2), DVec3::X * k as f64);
            trial.state.velocities[body] = DVec3::new(0.1, 0.3 - 0.5 * k as f64, 0.0);
            trial.state.spins[body] = DVec3::Z * (0.5 - 0.2 * k as f64);
        }
        let points = match kind {
            JointKind::Distance { .. } => [DVec3::ZERO, DVec3::X],
            _ => [DVec3::X * 0.5; 2],
        };
        let axes = match kind {
            JointKind::Perpendicular => [DVec3::X, DVec3::Y],
            JointKind::Hinge | JointKind::Universal => [DVec3::Z; 2],
            _ => [DVec3::Y; 2],
        };
        trial.model.join(&trial.state, kind, [Some(0), Some(1)], points, axes);
        trial.run(1, |_| ());
        let (linear, angular) = trial.model.momentum(&trial.state);
        let mut worst = 0.0_f64;
        trial.run(200, |Seen { state, ledger, .. }| {
            worst = worst.max(ledger.joint_error.unwrap());
            assert_flat(state);
        });
        let (p, l) = trial.model.momentum(&trial.state);
        assert!(worst < 1e-5, "{kind:?} {worst}");
        assert!((p - linear).length() < 1e-12, "{kind:?}");
        assert!((l - angular).length() < 1e-4 * angular.length(), "{kind:?} {l} {angular}");
    }
}

/// The inertia about x and y, which a polygon does not have, plays no part.
#[test]
fn only_the_inertia_about_z_counts() {
    let run = |inertia: f64| {
        let mut trial = trial(9.81);
        floor(&mut trial);
        let body = trial.add(rectangle(0.5, 0.3), DVec3::new(0.0, 0.5, 0.0));
        trial.state.rotations[body] = DQuat::from_rotation_z(0.4);
        let about_z = trial.model.bodies[body].inertia.z_axis.z;
        trial.body(body).inertia =
            DMat3::from_diagonal(DVec3::new(inertia, 2.0 * inertia, about_z));
        trial.run(50, |_| ());
        trial.state
    };
    assert_eq!(run(0.0), run(7.0));
}
