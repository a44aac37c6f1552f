//! Contacts go with the bodies: what rolls keeps its speed, what passes is not
//! touched, what hits bounces off where it touches and never goes through.

use std::f64::consts::TAU;
use std::sync::Arc;

use crate::common::{built, ledgers};
use riprap::math::{DQuat, DVec3, Random};
use riprap::scene::DynamicsOptions;
use riprap::shape::Shape;
use riprap::step::{Stepper, dynamics::Dynamics};
use riprap::world::{Method, Model, Motion, State, Weight};

/// With the default options.
struct Trial {
    model: Model,
    state: State,
}

impl Trial {
    fn new(gravity: f64) -> Trial {
        let mut model = Model::new(3, DVec3::NEG_Z * gravity);
        model.method = Method::Dynamics(DynamicsOptions::default());
        Trial { model, state: State::default() }
    }

    fn add(&mut self, shape: Shape, at: DVec3, turn: DQuat) -> usize {
        let weight = Weight::Density(1000.0);
        let body = self.model.add(&mut self.state, shape, at, turn, weight).unwrap();
        (body.material.friction, body.material.restitution) = (0.0, 0.0);
        self.model.bodies.len() - 1
    }

    fn fixed(&mut self, shape: Shape, at: DVec3, turn: DQuat) -> usize {
        let body = self.add(shape, at, turn);
        self.model.bodies[body].motion = Motion::Fixed;
        body
    }

    fn run(&mut self, steps: usize) {
        let model = Arc::new(self.model.clone());
        let mut dynamics = Dynamics::start(model, &self.state, None, || 0.0).unwrap();
        for _ in 0..steps {
            dynamics.step(&mut self.state).unwrap();
        }
    }
}

fn direction(random: &mut Random) -> DVec3 {
    loop {
        let v = DVec3::from_array(std::array::from_fn(|_| random.between(-1.0, 1.0)));
        if (0.01..1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
}

fn turn(random: &mut Random) -> DQuat {
    DQuat::from_scaled_axis(direction(random) * random.between(0.0, TAU))
}

/// What is in the way, and how far it reaches from its centre along a direction.
fn obstacle(random: &mut Random, kind: usize) -> Shape {
    let size = random.between(0.05, 0.5);
    match kind % 5 {
        0 => Shape::ball(size),
        1 => Shape::cuboid(DVec3::new(size, random.between(0.05, 1.0), 0.02)).unwrap(),
        2 => Shape::capsule(size, random.between(0.1, 1.0)).unwrap(),
        3 => Shape::cylinder(size, random.between(0.1, 1.0)).unwrap(),
        _ if kind % 10 < 5 => Shape::torus(size, 0.3 * size, 12).unwrap(),
        _ => Shape::arc_torus(size, 0.3 * size, 12).unwrap(),
    }
}

/// How far a shape reaches along a direction.
fn support(shape: &Shape, turn: DQuat, along: DVec3) -> f64 {
    let along = turn.inverse() * along;
    shape.pieces.iter().map(|piece| piece.support(along)).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn what_rolls_keeps_its_speed() {
    let lying = DQuat::from_rotation_x(0.25 * TAU);
    let shapes = [
        ("ball", Shape::ball(0.1)),
        ("cylinder", Shape::cylinder(0.1, 0.1).unwrap()),
        ("capsule", Shape::capsule(0.1, 0.2).unwrap()),
        ("torus", Shape::arc_torus(0.08, 0.02, 16).unwrap()),
    ];
    for (name, shape) in shapes {
        for speed in [1.0, 5.0, 20.0] {
            let mut trial = Trial::new(9.81);
            let floor = Shape::cuboid(DVec3::new(400.0, 4.0, 1.0)).unwrap();
            trial.fixed(floor, DVec3::new(150.0, 0.0, -0.5), DQuat::IDENTITY);
            let body = trial.add(shape.clone(), DVec3::Z * 0.1, lying);
            trial.model.bodies.iter_mut().for_each(|body| body.material.friction = 0.8);
            trial.state.velocities[body] = DVec3::X * speed;
            trial.state.spins[body] = DVec3::Y * (speed / 0.1);
            trial.run(300);
            let (v, at) = (trial.state.velocities[body], trial.state.positions[body]);
            assert!((v.x / speed - 1.0).abs() < 1e-3 && v.y.abs() < 1e-3 * speed, "{name} {v}");
            assert!((at.z - 0.1).abs() < 1e-4 && at.y.abs() < 3e-3 * speed, "{name} {speed} {at}");
        }
    }
}

/// The same for other tori: thick, thin, large, in few pieces, and with spin to spare.
#[test]
fn tori_of_all_sizes_roll() {
    let lying = DQuat::from_rotation_x(0.25 * TAU);
    for (ring, tube, pieces) in [(0.3, 0.02, 16), (0.5, 0.25, 6), (0.05, 0.04, 33)] {
        for speed in [1.0, 5.0, 20.0] {
            let (mut trial, out) = (Trial::new(9.81), ring + tube);
            let floor = Shape::cuboid(DVec3::new(400.0, 4.0, 1.0)).unwrap();
            trial.fixed(floor, DVec3::new(150.0, 0.0, -0.5), DQuat::IDENTITY);
            let torus = Shape::arc_torus(ring, tube, pieces).unwrap();
            let body = trial.add(torus, DVec3::Z * out, lying);
            trial.model.bodies.iter_mut().for_each(|body| body.material.friction = 0.8);
            trial.state.velocities[body] = DVec3::X * speed;
            trial.state.spins[body] = DVec3::Y * (speed / out);
            trial.run(300);
            let (v, at) = (trial.state.velocities[body], trial.state.positions[body]);
            assert!((v.x / speed - 1.0).abs() < 1e-3, "{ring} {speed} {v}");
            assert!((at.z - out).abs() < 1e-3 * out, "{ring} {speed} {at}");
        }
    }
}

/// A torus on a peg swings as the compound pendulum it is, without sliding: about the line of
/// contact, which rolls on the peg; here the peg is thin, so that it is a pendulum about a point.
#[test]
fn a_torus_on_a_peg_hangs() {
    let (mut trial, lying) = (Trial::new(9.81), DQuat::from_rotation_x(0.25 * TAU));
    let peg = Shape::capsule(0.05, 1.0).unwrap();
    trial.fixed(peg, DVec3::ZERO, lying);
    let torus = Shape::arc_torus(0.3, 0.05, 16).unwrap();
    let body = trial.add(torus, DVec3::NEG_Z * 0.2, lying);
    trial.model.bodies.iter_mut().for_each(|body| body.material.friction = 0.8);
    trial.run(100);
    let (at, v) = (trial.state.positions[body], trial.state.velocities[body]);
    assert!((at + DVec3::Z * 0.2).length() < 1e-4 && v.length() < 1e-3, "{at} {v}");
    // A push: the torus rolls on the peg without slipping; it must come back, and not fall off.
    trial.state.velocities[body].x = 0.3;
    let mut most = 0.0_f64;
    for _ in 0..20 {
        trial.run(10);
        most = most.max(trial.state.positions[body].length());
        assert!(trial.state.positions[body].y.abs() < 1e-3);
    }
    // The middle is on the circle about the peg on which the tube's inside lies on it.
    assert!(most < 0.2 + 1e-3, "{most}");
}

/// Two linked tori: the upper is held, the lower hangs in it, tube on tube.
#[test]
fn linked_tori_hang() {
    let (mut trial, lying) = (Trial::new(9.81), DQuat::from_rotation_x(0.25 * TAU));
    let torus = || Shape::arc_torus(0.3, 0.05, 16).unwrap();
    trial.fixed(torus(), DVec3::ZERO, lying);
    let turn = DQuat::from_rotation_z(0.25 * TAU) * lying;
    let body = trial.add(torus(), DVec3::NEG_Z * 0.45, turn);
    trial.model.bodies.iter_mut().for_each(|body| body.material.friction = 0.5);
    trial.run(200);
    let (at, v) = (trial.state.positions[body], trial.state.velocities[body]);
    // The lowest point of the upper circle, a tube above the highest of the lower one's.
    assert!((at + DVec3::Z * 0.5).length() < 1e-3 && v.length() < 1e-3, "{at} {v}");
}

/// A torus lies on a floor, leans on nothing, and rests.
#[test]
fn a_torus_lies_still() {
    let mut trial = Trial::new(9.81);
    let floor = Shape::cuboid(DVec3::new(4.0, 4.0, 1.0)).unwrap();
    trial.fixed(floor, DVec3::NEG_Z * 0.5, DQuat::IDENTITY);
    let torus = Shape::arc_torus(0.3, 0.05, 16).unwrap();
    let body = trial.add(torus, DVec3::Z * 0.08, DQuat::from_rotation_y(0.05));
    trial.model.bodies.iter_mut().for_each(|body| body.material.friction = 0.5);
    trial.run(300);
    let (v, w) = (trial.state.velocities[body], trial.state.spins[body]);
    let at = trial.state.positions[body];
    assert!((at.z - 0.05).abs() < 5e-5 && v.length() < 1e-5 && w.length() < 1e-4, "{at} {v} {w}");
}

/// A thousand balls and spinning boxes that pass an obstacle, or each other, by 1 % to 50 % of a
/// radius, at 1 to 50 m/s.
#[test]
fn what_passes_is_not_deflected() {
    let random = &mut Random::new(20);
    for case in 0..1000 {
        let mut trial = Trial::new(0.0);
        let (shape, turned) = (obstacle(random, case), turn(random));
        let radius = random.between(0.02, 0.3);
        let along = direction(random);
        let aside = along.cross(direction(random)).normalize();
        let gap = radius * random.between(0.01, 0.5);
        let speed = random.between(1.0, 50.0);
        let away = support(&shape, turned, aside) + radius + gap;
        let ahead = speed * 0.01 * random.between(2.0, 3.0) + 1.0;
        let start = aside * away - along * ahead;
        let both_move = case % 3 == 0;
        let one = match both_move {
            true => trial.add(shape, DVec3::ZERO, turned),
            false => trial.fixed(shape, DVec3::ZERO, turned),
        };
        let drift =
            if both_move { direction(random) * random.between(0.0, 30.0) } else { DVec3::ZERO };
        // A box is within the ball around it, however it spins.
        let other = match case % 2 {
            0 => Shape::ball(radius),
            _ => Shape::cuboid(DVec3::new(1.2, 1.2, 0.6) * (radius / 0.9)).unwrap(),
        };
        let two = trial.add(other, start, turn(random));
        let restitution = random.between(0.0, 1.0);
        for body in [one, two] {
            trial.model.bodies[body].material.friction = 0.5;
            trial.model.bodies[body].material.restitution = restitution;
        }
        let velocity = along * speed + drift;
        (trial.state.velocities[one], trial.state.velocities[two]) = (drift, velocity);
        trial.state.spins[two] = direction(random) * random.between(0.0, 20.0);
        trial.run(((2.0 * ahead) / (speed * 0.01)) as usize + 1);
        let off = (trial.state.velocities[two] - velocity).length();
        assert!(off < 1e-9 * speed, "{case}: off by {off} at {speed}");
    }
}

/// A thousand balls that hit a ball, a thin plate or a post, each at 1 to 50 m/s: the velocity
/// and the place afterwards are those of the formula.
#[test]
fn what_hits_bounces_where_it_touches() {
    let random = &mut Random::new(21);
    for case in 0..1000 {
        let mut trial = Trial::new(0.0);
        let radius = random.between(0.02, 0.3);
        let (speed, along) = (random.between(1.0, 50.0), direction(random));
        let restitution = random.between(0.0, 1.0);
        let ahead = radius + random.between(0.5, 1.5);
        // Where it is when it touches, as seen from the obstacle's centre; the normal there.
        let (one, normal, touch) = match case % 4 {
            0 | 1 => {
                let other = random.between(0.02, 0.3);
                let aside = along.cross(direction(random)).normalize();
                let offset = random.between(0.0, 0.9) * (radius + other);
                let back = ((radius + other).powi(2) - offset * offset).sqrt();
                let touch = aside * offset - along * back;
                let one = match case % 4 {
                    0 => trial.add(Shape::ball(other), DVec3::ZERO, DQuat::IDENTITY),
                    _ => trial.fixed(Shape::ball(other), DVec3::ZERO, DQuat::IDENTITY),
                };
                (one, touch.normalize(), touch)
            }
            2 => {
                let mut normal = direction(random);
                while normal.dot(along) > -0.2 {
                    normal = direction(random);
                }
                let plate = Shape::cuboid(DVec3::new(4.0, 4.0, 0.004)).unwrap();
                let turned = DQuat::from_rotation_arc(DVec3::Z, normal);
                let one = trial.fixed(plate, DVec3::ZERO, turned);
                (one, normal, normal * (radius + 0.002))
            }
            _ => {
                let axis = along.cross(direction(random)).normalize();
                let (post, offset) = (random.between(0.005, 0.1), random.between(-0.9, 0.9));
                let offset = offset * (radius + post);
                let back = ((radius + post).powi(2) - offset * offset).sqrt();
                let touch = axis.cross(along) * offset - along * back;
                let turned = DQuat::from_rotation_arc(DVec3::Z, axis);
                let shape = match case % 8 {
                    3 => Shape::capsule(post, 2.0).unwrap(),
                    _ => Shape::cylinder(post, 2.0).unwrap(),
                };
                (trial.fixed(shape, DVec3::ZERO, turned), touch.normalize(), touch)
            }
        };
        let two = trial.add(Shape::ball(radius), touch - along * ahead, DQuat::IDENTITY);
        for body in [one, two] {
            trial.model.bodies[body].material.restitution = restitution;
        }
        trial.state.velocities[two] = along * speed;
        let steps = (2.0 * ahead / (speed * 0.01)) as usize + 1;
        trial.run(steps);
        let free = trial.model.bodies[one].motion == Motion::Free;
        let inverse = |body: usize| 1.0 / trial.model.bodies[body].mass;
        let share = if free { inverse(two) / (inverse(one) + inverse(two)) } else { 1.0 };
        let rebound = normal * ((1.0 + restitution) * share * -normal.dot(along) * speed);
        let (v, expected) = (trial.state.velocities[two], along * speed + rebound);
        assert!((v - expected).length() < 0.01 * speed, "{case}: {v} not {expected}");
        let after = steps as f64 * 0.01 - ahead / speed;
        let (at, place) = (trial.state.positions[two], touch + expected * after);
        let slack = 5e-3 * radius + 1e-3 * (expected * after).length();
        assert!((at - place).length() < slack, "{case}: at {at}, not {place}");
    }
}

/// A mirror-symmetric break of fifteen balls stays so.
#[test]
fn a_break_is_symmetric() {
    let (mut trial, radius) = (Trial::new(0.0), 0.0286);
    let mut mirrored = Vec::new();
    for row in 0..5 {
        for k in 0..=row {
            let (x, y) = (3.0_f64.sqrt() * row as f64, (2 * k) as f64 - row as f64);
            let at = DVec3::new(x, y, 0.0) * (radius * (1.0 + 5e-8));
            let ball = trial.add(Shape::ball(radius), at, DQuat::IDENTITY);
            mirrored.push((ball, ball + row - 2 * k));
        }
    }
    let cue = trial.add(Shape::ball(radius), DVec3::X * -0.2, DQuat::IDENTITY);
    trial.state.velocities[cue] = DVec3::X * 8.0;
    trial.model.bodies.iter_mut().for_each(|body| body.material.restitution = 0.95);
    trial.run(25);
    let v = &trial.state.velocities;
    assert!(v[14].length() > 1.0, "the break has come to the last row: {}", v[14]);
    for (one, two) in mirrored {
        let off = v[one] - v[two] * DVec3::new(1.0, -1.0, 1.0);
        assert!(off.length() < 1e-6, "{one} {two}: {}, {}", v[one], v[two]);
    }
}

/// A ball that does not spin hits a floor aslant: friction takes the part of the push that its
/// coefficient says, and the ball spins.
#[test]
fn friction_acts_in_a_bounce() {
    let mut trial = Trial::new(0.0);
    let floor = Shape::cuboid(DVec3::new(4.0, 4.0, 1.0)).unwrap();
    trial.fixed(floor, DVec3::Z * -0.5, DQuat::IDENTITY);
    let ball = trial.add(Shape::ball(0.1), DVec3::Z * 0.3, DQuat::IDENTITY);
    for body in &mut trial.model.bodies {
        (body.material.friction, body.material.restitution) = (0.1, 0.6);
    }
    trial.state.velocities[ball] = DVec3::new(5.0, 0.0, -5.0);
    trial.run(10);
    let (v, spin) = (trial.state.velocities[ball], trial.state.spins[ball]);
    let rubbed = 0.1 * (1.0 + 0.6) * 5.0;
    assert!(v.distance(DVec3::new(5.0 - rubbed, 0.0, 0.6 * 5.0)) < 1e-9, "{v}");
    // They touch when they are 1e-4 of the radius apart.
    assert!(spin.distance(DVec3::Y * (2.5 * rubbed / 0.1)) < 1e-4 * spin.length(), "{spin}");
}

/// A ball that goes by twice the size of a sheet in a step does not go through it.
#[test]
fn a_fast_ball_does_not_go_through_cloth() {
    let scene = r#"
        method = "dynamics"
        gravity = [0, 0, 0]
        [[bodies]]
        shape = { kind = "ball", radius = 0.15 }
        position = [0, 0, 1.03]
        velocity = [0, 0, -300]
        density = 1
        [[cloth]]
        grid = { size = [2, 2], count = [21, 21] }
        thickness = 0.05
        fixed = ["rim"]
        [dynamics]
        substeps = 8
        "#;
    let (model, mut state) = built(scene, "cloth.toml").unwrap();
    for _ in 0..10 {
        ledgers(&model, &mut state, 1);
        let least = state.positions[1..].iter().map(|at| at.z).fold(f64::INFINITY, f64::min);
        let at = state.positions[0];
        assert!(at.z > least, "at {at}, the cloth at {least} and above");
    }
    assert!(state.velocities[0].z > 0.0, "it is thrown back: {}", state.velocities[0]);
}

/// Cubes tumble onto round rails and rock there: a face that lies along a rail is held at both of
/// its ends, and does not sink in by turns.
#[test]
fn cubes_do_not_sink_into_rails() {
    let scene = r#"
        method = "dynamics"
        gravity = [0, 0, -9.81]
        seed = 7
        [[bodies]]
        shape = { kind = "capsule", radius = 0.25, length = 8 }
        positions = [[-1.1, 0, 0], [-0.55, 0, 0], [0, 0, 0], [0.55, 0, 0], [1.1, 0, 0]]
        turn = [90, 0, 0]
        motion = "fixed"
        [[bodies]]
        shape = { kind = "box", size = [0.5, 0.5, 0.5] }
        grid = { count = [4, 4, 5], first = [-0.9, -0.9, 1.5], spacing = 0.6, jitter = 0.05 }
        spin = [200, 100, 50]
        velocity = [0, 0, -6]
        density = 1000
        friction = 0.5
        [dynamics]
        substeps = 8
        sweeps = 1
        "#;
    let (model, mut state) = built(scene, "rails.toml").unwrap();
    for (step, ledger) in ledgers(&model, &mut state, 150).iter().enumerate() {
        let overlap = 2.0 * ledger.penetration;
        assert!(overlap < 0.02, "{overlap} of a radius in step {step}");
    }
}
