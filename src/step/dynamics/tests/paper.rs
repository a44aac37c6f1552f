//! The mode `paper`, part by part: each test fails without the part that it names.

use super::*;

/// In diameters, what shock propagation leaves.
const LEFT: f64 = 1e-6;

/// Without weight and bounces, one step as the paper has it.
fn trial(options: DynamicsOptions) -> Trial {
    let mut trial = Trial::new(0.0);
    trial.options = DynamicsOptions { mode: Mode::Paper, ..options };
    trial
}

/// What is deeper than the overlap before the passes is taken away at once, that overlap itself
/// by its stiffness: a ball that one step has brought into the floor comes out slowly.
#[test]
fn the_old_overlap_is_that_before_the_passes() {
    let mut trial = trial(DynamicsOptions { velocity_iterations: 0, ..Default::default() });
    trial.options.shock = false;
    trial.floor();
    let ball = trial.ball(0.1, DVec3::Z * 0.1);
    trial.state.velocities[ball].z = -1.0;
    let DynamicsOptions { stiffness, position_iterations, time_step, .. } = trial.options;
    trial.run(1, |_| ());
    let depth = time_step * (1.0 - stiffness).powi(position_iterations as i32);
    let found = 0.1 - trial.state.positions[ball].z;
    assert!((found - depth).abs() < 1e-12, "{found} {depth}");
}

/// Four corners lift a cube by as much as it was sunk: what one of them did too much, the sum
/// lets it take back.
#[test]
fn pushes_may_be_taken_back() {
    let many = DynamicsOptions { stiffness: 1.0, position_iterations: 300, ..Default::default() };
    let mut trial = trial(DynamicsOptions { shock: false, ..many });
    trial.floor();
    let cube = trial.cube(0.25, DVec3::Z * 0.249);
    trial.run(1, |_| ());
    let (up, spin) = (trial.state.positions[cube].z, trial.state.spins[cube]);
    assert!((up - 0.25).abs() < 1e-6, "{up}");
    assert!((trial.state.velocities[cube].z - 0.1).abs() < 1e-4);
    assert!(spin.length() < 1e-3, "{spin}");
}

/// Friction before anything moves: a cube stays where it is on a slope.
#[test]
fn friction_at_velocity_level_holds_a_cube_on_a_slope() {
    let mut trial = trial(DynamicsOptions::default());
    trial.model.gravity = DVec3::new(4.0, 0.0, -9.0);
    let floor = trial.floor();
    let cube = trial.cube(0.25, DVec3::Z * 0.25);
    for body in [floor, cube] {
        trial.body(body).material.friction = 0.6;
    }
    trial.options.velocity_iterations = 100;
    trial.run(1, |_| ());
    let slid = trial.state.positions[cube].x;
    // Unhindered, it would slide by 4e-4.
    assert!(slid.abs() < 1e-7, "{slid}");
}

/// Friction within the position passes: a light ball tugs at a cube that is being lifted out of
/// the floor, which no velocity knows of.
#[test]
fn friction_at_position_level_holds_a_cube_that_is_tugged_at() {
    let tugged = |friction: f64| {
        let mut trial = trial(DynamicsOptions::default());
        let floor = trial.floor();
        let cube = trial.cube(0.25, DVec3::Z * 0.249);
        let at = DVec3::new(1.0, 0.0, 0.249);
        let (ball, weight) = (Shape::ball(0.01), Weight::Mass(0.01 * 0.125));
        let ball = trial.add_turned(ball, at, DQuat::IDENTITY, weight);
        trial.state.velocities[ball].x = 1.0;
        for body in [floor, cube] {
            trial.body(body).material.friction = friction;
        }
        let bar = JointKind::Distance { least: 1.0, most: 1.0 };
        let ends = [DVec3::Z * 0.249, at];
        trial.join(bar, [Some(cube), Some(ball)], ends);
        trial.run(1, |_| ());
        // At the floor: it may tip over, but not slide.
        trial.state.velocities[cube].x - 0.25 * trial.state.spins[cube].y
    };
    let (free, held) = (tugged(0.0), tugged(1.0));
    assert!(free > 5e-3, "{free}");
    assert!(held.abs() < 0.1 * free, "{held} {free}");
}

/// Twenty boxes, each inside the one below: apart after one step, and no faster.
#[test]
fn shock_propagation_parts_a_stack_in_one_step() {
    let mut trial = trial(DynamicsOptions { stiffness: 0.0, ..Default::default() });
    trial.floor();
    for k in 0..20 {
        trial.cube(0.25, DVec3::Z * (0.24 + 0.49 * k as f64));
    }
    let mut deepest = 0.0;
    trial.run(1, |seen| deepest = seen.ledger.penetration);
    assert!(deepest < LEFT, "{deepest}");
    let speed = trial.state.velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(speed < 1e-9, "{speed}");
}

/// From the ground upwards, with what is below infinitely heavy: a plank that is laid into one of
/// its two posts is lifted and turned out of it, however light the posts are.
#[test]
fn shock_propagation_turns_what_lies_askew() {
    let mut trial = trial(DynamicsOptions { stiffness: 0.0, ..Default::default() });
    trial.floor();
    let low = trial.cuboid(DVec3::new(0.25, 0.25, 0.25), DVec3::new(-1.0, 0.0, 0.25));
    let high = trial.cuboid(DVec3::new(0.25, 0.25, 0.255), DVec3::new(1.0, 0.0, 0.255));
    let plank = Shape::cuboid(DVec3::new(3.0, 0.6, 0.2)).unwrap();
    let at = DVec3::Z * 0.6;
    let plank = trial.add_turned(plank, at, DQuat::IDENTITY, Weight::Density(1000.0));
    let before = trial.state.clone();
    let mut deepest = 0.0;
    trial.run(1, |seen| deepest = seen.ledger.penetration);
    assert!(deepest < LEFT, "{deepest}");
    let after = &trial.state;
    for post in [low, high] {
        assert_eq!(after.positions[post], before.positions[post]);
        assert_eq!(after.rotations[post], before.rotations[post]);
    }
    // Down on the left, up on the right.
    let (axis, angle) = after.rotations[plank].to_axis_angle();
    assert!(axis.y * angle < -1e-3, "{axis} {angle}");
    assert!(after.positions[plank].z > 0.6);
    assert_eq!(after.velocities[plank], DVec3::ZERO);
    assert_eq!(after.spins[plank], DVec3::ZERO);
}

/// Neighbours of one level part by their masses.
#[test]
fn shock_propagation_weighs_neighbours() {
    let mut trial = trial(DynamicsOptions { stiffness: 0.0, ..Default::default() });
    trial.floor();
    let add = |trial: &mut Trial, x: f64, mass: f64| {
        let at = DVec3::new(x, 0.0, 0.25);
        let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
        trial.add_turned(cube, at, DQuat::IDENTITY, Weight::Mass(mass))
    };
    let (light, heavy) = (add(&mut trial, -0.245, 1.0), add(&mut trial, 0.245, 3.0));
    trial.run(1, |_| ());
    let moved = [-0.245 - trial.state.positions[light].x, trial.state.positions[heavy].x - 0.245];
    assert!((moved[0] + moved[1] - 0.01).abs() < 1e-6, "{moved:?}");
    assert!((moved[0] / moved[1] - 3.0).abs() < 1e-2, "{moved:?}");
}

/// A pendulum that falls stops at its limit, which pushes; a rail, too.
#[test]
fn limits_stop_what_falls() {
    let mut trial = trial(DynamicsOptions::default());
    trial.model.gravity = DVec3::NEG_Z * 10.0;
    let arm = trial.cube(0.25, DVec3::X);
    trial.pin(JointKind::Hinge, arm, None, DVec3::ZERO).limits = Some([-0.5, 0.5]);
    let slid = trial.cube(0.25, DVec3::Y * 3.0);
    let rail = [DVec3::Y * 3.0; 2];
    let ends = [Some(slid as u32), None];
    let rail = trial.model.join(&trial.state, JointKind::Slider, ends, rail, [DVec3::Z; 2]);
    rail.limits = Some([-0.2, 0.2]);
    trial.run(200, |_| ());
    let at = trial.state.positions[arm];
    assert!(((-at.z).atan2(at.x) - 0.5).abs() < 1e-2, "{at}");
    let slid = trial.state.positions[slid];
    assert!((slid - DVec3::new(0.0, 3.0, -0.2)).length() < 1e-2, "{slid}");
}

/// A wheel with a rider ten times as heavy at its axle: it touches the ground elsewhere than before as
/// it turns, and neither sinks nor is driven by pushes at points that have left the ground.
#[test]
fn a_loaded_wheel_rolls_on() {
    let mut trial = trial(DynamicsOptions::default());
    trial.model.gravity = DVec3::NEG_Z * 10.0;
    trial.floor();
    let upright = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let at = DVec3::Z * 0.2;
    let wheel = Shape::cylinder(0.2, 0.1).unwrap();
    let wheel = trial.add_turned(wheel, at, upright, Weight::Mass(1.0));
    let rider = trial.add_turned(Shape::ball(0.1), at, DQuat::IDENTITY, Weight::Mass(10.0));
    trial.join(JointKind::Ball, [Some(wheel), Some(rider)], [at, at]);
    trial.state.velocities[wheel].x = 4.0;
    trial.state.velocities[rider].x = 4.0;
    trial.state.spins[wheel].y = 20.0;
    trial.run(100, |_| ());
    let (height, speed) = (trial.state.positions[wheel].z, trial.state.velocities[wheel].x);
    assert!((height - 0.2).abs() < 1e-3, "{height}");
    assert!((speed / 4.0 - 1.0).abs() < 1e-2, "{speed}");
}
