//! Ropes, bars and joints that hold angles only.

use super::*;
use std::f64::consts::TAU;

const BAR: JointKind = JointKind::Distance { least: 1.0, most: 1.0 };

/// A ball on a bar whose end turns freely on it: a mathematical pendulum.
#[test]
fn a_pendulum_on_a_bar_keeps_its_period_and_energy() {
    for kind in [BAR, JointKind::Distance { least: 0.9999, most: 1.0 }] {
        let mut trial = Trial::new(9.81);
        let angle: f64 = 0.1;
        let at = DVec3::new(angle.sin(), 0.0, -angle.cos());
        trial.ball(0.05, at);
        trial.join(kind, [Some(0), None], [at, DVec3::ZERO]);
        let period = TAU * 9.81_f64.sqrt().recip() * (1.0 + angle * angle / 16.0);
        let (mut crossings, mut last) = (Vec::new(), at.x);
        let start = trial.model.mechanical_energy(&trial.state);
        let swing = 0.5 * trial.model.bodies[0].mass * 9.81 * angle * angle;
        trial.run(2000, |Seen { step, state, ledger, .. }| {
            let x = state.positions[0].x;
            if last < 0.0 && x >= 0.0 {
                crossings.push(0.01 * (step as f64 - x / (x - last)));
            }
            last = x;
            assert!(ledger.joint_error.unwrap() < 1e-6);
            assert!((ledger.energy - start).abs() < 0.02 * swing);
        });
        let n = crossings.len() - 1;
        let measured = (crossings[n] - crossings[0]) / n as f64;
        assert!(n > 7 && (measured / period - 1.0).abs() < 2e-4, "{measured} {period}");
    }
}

/// As long as a rope is slack, nothing is felt of it; then it is a pendulum's string.
#[test]
fn a_slack_rope_is_not_felt() {
    let run = |with_rope: bool| {
        let mut trial = Trial::new(9.81);
        let ball = trial.ball(0.1, DVec3::ZERO);
        trial.state.velocities[ball] = DVec3::new(1.0, 0.0, 2.0);
        if with_rope {
            let rope = JointKind::Distance { least: 0.0, most: 2.0 };
            trial.join(rope, [Some(0), None], [DVec3::ZERO; 2]);
        }
        let mut way = Vec::new();
        trial.run(120, |seen| way.push(seen.state.positions[0]));
        way
    };
    let (held, free) = (run(true), run(false));
    let taut = free.iter().position(|at| at.length() > 2.0).unwrap();
    assert!(taut > 50, "{taut}");
    assert_eq!(held[..taut], free[..taut]);
    assert!(held.iter().all(|at| at.length() < 2.0 + 1e-6));
    assert!(held[taut + 5..].iter().any(|at| at.length() > 1.999), "it stays taut for a while");
}

/// Twenty beads on ropes, the last one a thousand times as heavy, let go from a level row: no
/// rope gets longer than it is, and in the end all are taut.
#[test]
fn a_chain_of_ropes_does_not_stretch() {
    let mut trial = Trial::new(9.81);
    let mut last = None;
    for k in 0..20 {
        let (at, before) = (DVec3::X * (0.2 * k as f64 + 0.2), DVec3::X * (0.2 * k as f64));
        let mass = Weight::Mass(if k == 19 { 1000.0 } else { 1.0 });
        let bead = trial.add_turned(Shape::ball(0.05), at, DQuat::IDENTITY, mass);
        let rope = JointKind::Distance { least: 0.0, most: 0.2 };
        trial.join(rope, [Some(bead), last], [at, before]);
        last = Some(bead);
    }
    trial.options.damping = 2.0;
    trial.options.substeps = 16;
    let mut worst = 0.0_f64;
    trial.run(600, |seen| worst = worst.max(seen.ledger.joint_error.unwrap()));
    assert!(worst < 1e-4, "{worst}");
    let end = trial.state.positions[19];
    assert!((end.z + 4.0).abs() < 0.02, "{end}");
}

/// A bar with room: it hangs at its greatest length, and stands at its least.
#[test]
fn a_bar_with_room_has_two_lengths() {
    for (mode, off) in [(Mode::Default, 1e-6), (Mode::Paper, 2e-3)] {
        for (start, end) in [(-0.9, -1.0), (0.9, 0.8)] {
            let mut trial = Trial::new(9.81);
            trial.options.mode = mode;
            let ball = trial.ball(0.1, DVec3::Z * start);
            let bar = JointKind::Distance { least: 0.8, most: 1.0 };
            trial.join(bar, [Some(ball), None], [DVec3::Z * start, DVec3::ZERO]);
            trial.run(100, |_| ());
            let at = trial.state.positions[ball];
            assert!((at - DVec3::Z * end).length() < off, "{mode:?} {at} {end}");
        }
    }
}

/// A body that may not turn flies like a point, whatever hits it off its centre.
#[test]
fn an_angle_joint_keeps_the_orientation() {
    for (mode, off) in [(Mode::Default, 1e-6), (Mode::Paper, 1e-3)] {
        let mut trial = Trial::new(9.81);
        trial.options.mode = mode;
        let turn = DQuat::from_scaled_axis(DVec3::new(0.4, -0.2, 0.9));
        let shape = Shape::cuboid(DVec3::new(0.2, 0.5, 0.9)).unwrap();
        let body = trial.add_turned(shape, DVec3::ZERO, turn, Weight::Density(1.0));
        trial.pin(JointKind::Angle, body, None, DVec3::ZERO);
        trial.state.velocities[body] = DVec3::X * 2.0;
        trial.state.spins[body] = DVec3::new(3.0, -1.0, 2.0);
        let mut worst = 0.0_f64;
        trial.run(100, |seen| {
            worst = worst.max(seen.state.rotations[body].angle_between(turn));
        });
        assert!(worst < off, "{mode:?} {worst}");
        let h = if mode == Mode::Default { 0.0025 } else { 0.01 };
        let expected = DVec3::new(2.0, 0.0, -0.5 * 9.81 * (1.0 + h));
        assert!((trial.state.positions[body] - expected).length() < 1e-9, "{mode:?}");
    }
}

/// Two bodies that turn as one share their angular momentum; their centres stay free.
#[test]
fn bodies_with_an_angle_joint_turn_as_one() {
    let mut trial = Trial::new(0.0);
    let one = trial.cube(0.2, DVec3::ZERO);
    let two = trial.cube(0.3, DVec3::X * 2.0);
    trial.join(JointKind::Angle, [Some(one), Some(two)], [DVec3::ZERO, DVec3::X * 2.0]);
    trial.state.spins[one] = DVec3::Z * 3.0;
    trial.state.velocities[two] = DVec3::Y;
    let inertia = [one, two].map(|i| trial.model.bodies[i].inertia.z_axis.z);
    trial.run(50, |_| ());
    let expected = 3.0 * inertia[0] / (inertia[0] + inertia[1]);
    for body in [one, two] {
        assert!((trial.state.spins[body] - DVec3::Z * expected).length() < 1e-9);
    }
    assert!((trial.state.positions[two] - DVec3::new(2.0, 0.5, 0.0)).length() < 1e-12);
    let apart = trial.state.rotations[one].angle_between(trial.state.rotations[two]);
    assert!(apart < 1e-6, "{apart}");
}

/// Axes that stay parallel or square, in both modes, while everything else tumbles.
#[test]
fn axes_stay_parallel_or_square() {
    for (mode, off) in [(Mode::Default, 1e-6), (Mode::Paper, 0.05)] {
        for (kind, axes, expected) in [
            (JointKind::Parallel, [DVec3::Y; 2], 1.0_f64),
            (JointKind::Perpendicular, [DVec3::Y, DVec3::Z], 0.0),
        ] {
            let mut trial = Trial::new(0.0);
            trial.options.mode = mode;
            for k in 0..2 {
                let half = DVec3::new(0.3, 0.1, 0.2);
                let body = trial.cuboid(half, DVec3::X * (2.0 * k as f64));
                trial.state.spins[body] = DVec3::new(0.5, -1.0 + k as f64, 0.7 * k as f64);
            }
            let points = [DVec3::ZERO, DVec3::X * 2.0];
            trial.model.join(&trial.state, kind, [Some(0), Some(1)], points, axes);
            let mut worst = 0.0_f64;
            trial.run(200, |Seen { state, .. }| {
                let [a, b] = [state.rotations[0] * axes[0], state.rotations[1] * axes[1]];
                worst = worst.max((a.dot(b) - expected).abs());
            });
            assert!(worst < off, "{mode:?} {kind:?} {worst}");
            let apart = trial.state.rotations[0].angle_between(trial.state.rotations[1]);
            assert!(apart > 0.1, "they turn against each other otherwise: {apart}");
        }
    }
}
