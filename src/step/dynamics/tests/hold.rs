//! What is quiet is held, what moves slowly is not.

use super::*;
use crate::step::dynamics::balance::{Balance, Grip, Law, Load, Row};

/// A wall of bricks, half of them over the gaps of the layer below.
fn wall(trial: &mut Trial) -> Vec<usize> {
    trial.floor();
    let half = DVec3::new(0.5, 0.25, 0.25);
    let mut bricks = Vec::new();
    for layer in 0..4 {
        for k in 0..4 - layer {
            let x = k as f64 * 1.01 + layer as f64 * 0.505;
            bricks.push(trial.cuboid(half, DVec3::new(x, 0.0, 0.25 + 0.5 * layer as f64)));
        }
    }
    bricks
}

/// Whether a step leaves all as it was, with the same impulses as another.
fn is_still(dynamics: &mut Dynamics, state: &mut State, contacts: &[Contact]) -> bool {
    let before = state.clone();
    let moved = stepped(dynamics, state);
    *state == before && moved.contacts == contacts
}

#[test]
fn a_wall_is_held_where_it_stands() {
    let mut trial = Trial::new(9.81);
    let bricks = wall(&mut trial);
    let start = trial.state.clone();
    let mut dynamics = trial.dynamics();
    let first = stepped(&mut dynamics, &mut trial.state);
    assert_eq!(trial.state, start, "it stands from the first step on");
    let floor: f64 = first.contacts.iter().filter(|c| c.body == 0).map(|c| -c.force.z).sum();
    let weight: f64 = bricks.iter().map(|&i| trial.model.bodies[i].mass).sum::<f64>() * 9.81;
    assert!((floor / (weight * 0.01) - 1.0).abs() < 1e-9, "{floor} {weight}");
    assert_eq!(first.report.iterations, 0, "and costs nothing");
    for _ in 0..5 {
        assert!(is_still(&mut dynamics, &mut trial.state, &first.contacts));
    }
    // What is remembered holds it, too.
    let mut resumed = trial.resumed(Some(&dynamics.memory()));
    assert!(is_still(&mut resumed, &mut trial.state, &first.contacts));
}

#[test]
fn what_is_kicked_by_hand_wakes_its_island_alone() {
    let mut trial = Trial::new(9.81);
    let bricks = wall(&mut trial);
    let far = trial.cube(0.5, DVec3::new(20.0, 0.0, 0.5));
    let mut dynamics = trial.dynamics();
    stepped(&mut dynamics, &mut trial.state);
    let start = trial.state.clone();
    trial.state.velocities[bricks[9]] = DVec3::X;
    stepped(&mut dynamics, &mut trial.state);
    let moved = trial.state.positions[bricks[9]].x - start.positions[bricks[9]].x;
    // It slides: friction takes 0.5 g of its speed, a substep's at once.
    assert!((0.0099 - moved).abs() < 1e-3, "{moved}");
    assert_eq!(trial.state.velocities[far], DVec3::ZERO);
    // Until it rests again.
    for _ in 0..200 {
        stepped(&mut dynamics, &mut trial.state);
    }
    let rest = trial.state.clone();
    let last = stepped(&mut dynamics, &mut trial.state);
    assert!(trial.state == rest && last.report.iterations == 0);
}

#[test]
fn what_comes_near_wakes() {
    let mut trial = Trial::new(9.81);
    let bricks = wall(&mut trial);
    let ball = trial.ball(0.2, DVec3::new(-3.0, 0.0, 0.75));
    trial.state.velocities[ball] = DVec3::X * 10.0;
    let mut dynamics = trial.dynamics();
    let mut speed = 0.0_f64;
    for step in 0..60 {
        stepped(&mut dynamics, &mut trial.state);
        let reaches = trial.state.positions[ball].x > -0.3;
        let stands = bricks.iter().all(|&i| trial.state.velocities[i] == DVec3::ZERO);
        assert!(stands || reaches || step > 20, "{step}");
        speed = bricks.iter().map(|&i| trial.state.velocities[i].length()).fold(speed, f64::max);
    }
    assert!(speed > 0.1, "the ball knocks bricks off: {speed}");
}

/// A pendulum that starts from rest, a ball that rolls as slowly as can be, a cube on a slope just
/// too steep for it, a rod on its end that leans a little: none of them is balanced.
#[test]
fn what_moves_slowly_is_not_held() {
    let mut trial = Trial::new(9.81);
    let pendulum = trial.ball(0.1, DVec3::new(1e-6, 0.0, -1.0));
    trial.pin(JointKind::Ball, pendulum, None, DVec3::ZERO);
    trial.run(50, |_| ());
    // A quarter of a period is 0.5 s.
    assert!(trial.state.positions[pendulum].x.abs() < 1e-7, "{}", trial.state.positions[pendulum]);

    let mut trial = Trial::new(9.81);
    trial.floor();
    let ball = trial.ball(0.5, DVec3::Z * 0.5);
    let speed = 1e-7;
    (trial.state.velocities[ball].x, trial.state.spins[ball].y) = (speed, speed / 0.5);
    trial.run(100, |_| ());
    assert!((trial.state.velocities[ball].x / speed - 1.0).abs() < 1e-3);

    for (part, slides) in [(1.001, true), (0.999, false)] {
        let mut trial = Trial::new(9.81);
        let angle = (0.5_f64).atan() * part;
        let turn = DQuat::from_rotation_y(angle);
        let slope = Shape::cuboid(DVec3::new(50.0, 50.0, 2.0)).unwrap();
        let slope = trial.add_turned(slope, turn * DVec3::NEG_Z, turn, Weight::Density(1.0));
        trial.body(slope).motion = Motion::Fixed;
        let cube = Shape::cuboid(DVec3::new(1.0, 1.0, 0.5)).unwrap();
        let cube = trial.add_turned(cube, turn * (DVec3::Z * 0.25), turn, Weight::Density(1.0));
        let start = trial.state.positions[cube];
        trial.run(100, |_| ());
        let way = (trial.state.positions[cube] - start).length();
        let expected = 0.5 * 9.81 * (angle.sin() - 0.5 * angle.cos());
        let off = if slides { (way / expected - 1.0).abs() } else { way };
        assert!(off < 0.05, "{part} {way} {expected}");
    }

    let mut trial = Trial::new(9.81);
    trial.floor();
    let lean = DQuat::from_rotation_y(1e-6);
    let ball = Shape::capsule(0.1, 1.0).unwrap();
    let rod = trial.add_turned(ball, DVec3::Z * 0.6, lean, Weight::Density(1.0));
    trial.run(200, |_| ());
    let leans = (trial.state.rotations[rod] * DVec3::Z).x;
    assert!(leans > 1e-4, "{leans}");
}

/// A beam on two supports: the exact loads, from a start that is far off.
#[test]
fn a_beam_is_balanced_by_its_supports() {
    let push = |x: f64, impulse: f64| Row {
        linear: DVec3::Z,
        angular: [DVec3::new(x, 0.0, 0.0).cross(DVec3::Z); 2],
        impulse,
    };
    let (levers, friction, rolling, twists) = ([0.0; 4], 0.0, 0.0, false);
    let law = Law::Contact { pushes: 1, levers, friction, rolling, twists };
    let grip = |x: f64| Grip { ends: [Some(0), None], rows: vec![push(x, 1e-3)], law };
    let load = Load {
        linear: DVec3::Z * 3.0,
        angular: DVec3::ZERO,
        turns: true,
        weight: 3.0,
        radius: 2.0,
    };
    let mut grips = [grip(-1.0), grip(2.0)];
    assert!(Balance::new(&[load], &grips).solve(&mut grips));
    let found = [grips[0].rows[0].impulse, grips[1].rows[0].impulse];
    assert!((found[0] - 2.0).abs() < 1e-9 && (found[1] - 1.0).abs() < 1e-9, "{found:?}");
    // Both on one side: it tips.
    let mut grips = [grip(0.1), grip(2.0)];
    assert!(!Balance::new(&[load], &grips).solve(&mut grips));
}

/// Two that a slider joins fall together: impulses of joints cannot hold them.
#[test]
fn what_is_joined_to_nothing_that_stands_falls() {
    let mut trial = Trial::new(9.81);
    trial.cube(0.2, DVec3::ZERO);
    trial.cube(0.2, DVec3::X);
    trial.pin(JointKind::Slider, 0, Some(1), DVec3::X * 0.5);
    trial.run(3, |seen| assert!(seen.state.velocities[0].z < -0.09));
}

/// Boxes on each other, each a hundred times as heavy as the one below.
#[test]
fn a_stack_with_the_heaviest_on_top_is_held() {
    let mut trial = Trial::new(9.81);
    trial.floor();
    for k in 0..4 {
        let cube = Shape::cuboid(DVec3::ONE).unwrap();
        let at = DVec3::Z * (0.5 + k as f64);
        trial.add_turned(cube, at, DQuat::IDENTITY, Weight::Mass(100_f64.powi(k)));
    }
    let start = trial.state.clone();
    trial.run(3, |seen| assert_eq!(seen.state, &start));
}
