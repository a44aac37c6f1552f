//! What the paper proves, and what the method promises.

use glam::DVec2;

use super::framework::{Framework, Lengths, MassPoints, Points};
use super::samples::{account, add, falling, near, rectangle, step, tower};
use super::*;
use crate::math::Random;
use crate::scene::towers::Plan;
use crate::shape::{Boundary, Mesh, Polytope, Shape};
use crate::world::{JointKind, Method, Weight};

/// Random points and bars, and points exactly on edges.
fn random_framework(seed: u64) -> (Framework, Vec<DVec2>) {
    let random = &mut Random::new(seed);
    let mut framework = Framework { gravity: DVec2::new(0.0, -1.0), ..Default::default() };
    let mut points = Vec::new();
    for _ in 0..8 {
        framework.point(random.between(0.5, 2.0));
        points.push(DVec2::new(random.between(-2.0, 2.0), random.between(-2.0, 2.0)));
    }
    for k in 0..7 {
        framework.bar(k, k + 1, &points);
    }
    framework.bar(0, 2, &points);
    framework.bar(3, 6, &points);
    for (i, j) in [(0, 1), (4, 5), (2, 6)] {
        let k = framework.point(random.between(0.5, 2.0));
        let along = random.between(0.1, 0.9);
        points.push(points[i as usize].lerp(points[j as usize], along));
        framework.sides.push([i, j, k]);
    }
    framework.fixed[3] = true;
    (framework, points)
}

fn random_velocities(framework: &Framework, seed: u64) -> Vec<DVec2> {
    let random = &mut Random::new(seed + 1000);
    let mut vector = || DVec2::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0));
    framework.fixed.iter().map(|fixed| if *fixed { DVec2::ZERO } else { vector() }).collect()
}

/// Theorem 5.1: on velocities that keep lengths and stay on their edges, both loops agree.
#[test]
fn the_classical_loop_and_the_step_on_positions_agree() {
    for seed in 0..60 {
        let (mut framework, points) = random_framework(seed);
        // Velocities that satisfy L1+ and the equalities of the active sides.
        let sides = std::mem::take(&mut framework.sides);
        let mut glued = framework.clone();
        for side in &sides {
            glued.sides.push(*side);
            glued.sides.push([side[1], side[0], side[2]]);
        }
        let velocities = glued.impact(&points, &random_velocities(&framework, seed));
        framework.sides = sides;
        let dt = 0.03;
        let before = points.iter().zip(&velocities).map(|(p, v)| *p - *v * dt).collect();
        let mut positions = Points { now: points.clone(), before };
        let answer = framework.step(&mut positions, dt, Lengths::Prime, 2.0);
        assert!(answer.converged, "{:?}", answer.residual);
        let (mut classical, mut speeds) = (points, velocities);
        framework.classical_step(&mut classical, &mut speeds, dt, false);
        for (a, b) in positions.now.iter().zip(&classical) {
            assert!(a.distance(*b) < 1e-9, "seed {seed}: {a} {b}");
        }
    }
}

/// Theorem 7.1: without forces, the new velocities are the closest ones allowed.
#[test]
fn an_impact_gives_the_closest_velocities() {
    for seed in 0..60 {
        let (mut framework, points) = random_framework(seed);
        framework.gravity = DVec2::ZERO;
        let old = random_velocities(&framework, seed);
        let expected = framework.impact(&points, &old);
        let error = |dt: f64, lengths: Lengths, sidedness: f64| {
            let before = points.iter().zip(&old).map(|(p, v)| *p - *v * dt).collect();
            let mut positions = Points { now: points.clone(), before };
            framework.step(&mut positions, dt, lengths, sidedness);
            let new = positions.now.iter().zip(&points).map(|(p, q)| (*p - *q) / dt);
            new.zip(&expected).map(|(v, w)| v.distance(*w)).fold(0.0, f64::max)
        };
        assert!(error(0.01, Lengths::Original, 0.0) < 1e-9, "seed {seed}");
        let (coarse, fine) = (error(1e-3, Lengths::Prime, 1.0), error(1e-4, Lengths::Prime, 1.0));
        assert!(fine < 0.2 * coarse + 1e-9, "seed {seed}: {coarse} {fine}");
        // The inelastic identity: what is lost is orthogonal to what is left.
        let lost = framework.masses.iter().zip(&old).zip(&expected);
        let product: f64 = lost.map(|((m, v), w)| m * w.dot(*v - *w)).sum();
        near(product, 0.0, 1e-8);
    }
}

#[test]
fn free_frameworks_keep_momentum_and_angular_momentum() {
    for seed in 0..40 {
        let (mut framework, points) = random_framework(seed);
        framework.gravity = DVec2::ZERO;
        framework.fixed[3] = false;
        let old = random_velocities(&framework, seed);
        let new = framework.impact(&points, &old);
        let sum = |v: &[DVec2]| {
            framework
                .masses
                .iter()
                .zip(v)
                .zip(&points)
                .fold((DVec2::ZERO, 0.0), |s, ((m, v), p)| {
                    (s.0 + *m * *v, s.1 + m * p.perp_dot(*v))
                })
        };
        let ((p, l), (q, k)) = (sum(&old), sum(&new));
        assert!(p.distance(q) < 1e-10 && (l - k).abs() < 1e-10, "seed {seed}");
    }
}

/// Nine and five points have the moments of the solid rectangle; four do not.
#[test]
fn mass_points_have_the_moments_of_the_rectangle() {
    for (model, share) in
        [(MassPoints::Nine, 1.0 / 3.0), (MassPoints::Five, 1.0 / 3.0), (MassPoints::Four, 1.0)]
    {
        let points = model.points();
        near(points.iter().map(|(_, m)| m).sum(), 1.0, 1e-15);
        assert!(points.iter().map(|(p, m)| *p * *m).sum::<DVec2>().length() < 1e-15);
        near(points.iter().map(|(p, m)| m * p.x * p.x).sum(), share, 1e-15);
        near(points.iter().map(|(p, m)| m * p.x * p.y).sum(), 0.0, 1e-15);
    }
    let solid = Polytope::rectangle(2.0, 2.0).unwrap().mass();
    near(solid.inertia.z_axis.z / solid.volume, 2.0 / 3.0, 1e-14);
}

/// A brick of points and bars, turned and placed.
fn brick_of_bars(model: MassPoints, half: DVec2, at: DVec2) -> (Framework, Vec<DVec2>) {
    let mut framework = Framework { gravity: DVec2::new(0.0, -1.0), ..Default::default() };
    let points: Vec<DVec2> = model.points().iter().map(|(p, _)| *p * half + at).collect();
    for (_, mass) in model.points() {
        framework.point(mass);
    }
    for [i, j] in model.bars() {
        framework.bar(i, j, &points);
    }
    (framework, points)
}

/// The size of the spinning brick after three seconds: L' shrinks it, half of it does
/// not, L'' does not accumulate. Redundant bars do no harm.
#[test]
fn how_options_keep_the_lengths_of_a_spinning_brick() {
    let shrinkage = |lengths: Lengths, dt: f64| {
        let (mut framework, points) =
            brick_of_bars(MassPoints::Nine, DVec2::new(0.5, 0.2), DVec2::ZERO);
        framework.gravity = DVec2::ZERO;
        framework.drop_redundant(&points);
        assert_eq!(framework.bars.len(), 15);
        let back = DVec2::from_angle(-2.0 * dt);
        let before = points.iter().map(|p| back.rotate(*p)).collect();
        let mut positions = Points { now: points, before };
        for _ in 0..(3.0 / dt) as usize {
            framework.step(&mut positions, dt, lengths, 1.0);
        }
        1.0 - positions.now[0].distance(positions.now[2]) / 1.16_f64.sqrt()
    };
    near(shrinkage(Lengths::Prime, 0.02), 0.15, 0.04);
    near(shrinkage(Lengths::Prime, 0.005), 0.03, 0.01);
    near(shrinkage(Lengths::Half, 0.02), 0.0, 1e-3);
    near(shrinkage(Lengths::Original, 0.02), 0.0, 2e-3);
    near(shrinkage(Lengths::Penalty, 0.02), 0.0, 0.02);
}

/// The reduced form equals the bar model with L'', one step from equal data, before
/// bricks are turned exactly.
#[test]
fn the_reduced_form_is_the_bar_model() {
    for seed in 0..20 {
        let random = &mut Random::new(seed);
        let (half, dt) = (DVec2::new(0.5, 0.2), 0.01);
        let (mut framework, mut points) =
            brick_of_bars(MassPoints::Nine, half, DVec2::new(0.0, 0.2));
        for x in [-5.0, 5.0] {
            let at = framework.point(1.0) as usize;
            framework.fixed[at] = true;
            points.push(DVec2::new(x, 0.0));
        }
        // The floor's edge is listed clockwise seen from below: left of it is up.
        framework.sides = vec![[9, 10, 0], [9, 10, 1]];
        let (shift, turn) = (
            DVec2::new(random.between(-0.01, 0.01), random.between(-0.03, 0.0)),
            random.between(-0.01, 0.01),
        );
        let centre = points[8];
        let moved = |p: &DVec2| shift + (*p - centre).perp() * turn;
        let before = points.iter().enumerate().map(|(k, p)| if k < 9 { *p - moved(p) } else { *p });
        let mut positions = Points { before: before.collect(), now: points.clone() };
        framework.step(&mut positions, dt, Lengths::Original, 0.0);

        let (mut model, mut state) = (Model::new(2, DVec3::NEG_Y), State::default());
        add(&mut model, &mut state, rectangle(1.0, 0.4), DVec3::Y * 0.2);
        let floor = rectangle(10.0, 1.0);
        add(&mut model, &mut state, floor, DVec3::Y * -0.5).motion = Motion::Fixed;
        state.velocities[0] = DVec3::new(shift.x, shift.y, 0.0) / dt;
        state.spins[0] = DVec3::Z * (turn / dt);
        let options = CollapseOptions { sidedness: 0.0, time_step: dt, ..Default::default() };
        step(&mut falling(&model, &state, options), &mut state);
        let bars = positions.now[8] - points[8];
        let reduced = state.velocities[0] * dt;
        near(bars.x, reduced.x, 1e-11);
        near(bars.y, reduced.y, 1e-11);
        let edge = positions.now[1] - positions.now[0] - (points[1] - points[0]);
        near(edge.y, state.spins[0].z * dt, 1e-11);
    }
}

/// Two bricks meet: the common speed, or speeds exchanged; momentum kept.
#[test]
fn two_bodies_meet() {
    for restitution in [0.0, 0.5, 1.0] {
        let (mut model, mut state) = (Model::new(2, DVec3::ZERO), State::default());
        for x in [0.0, 1.3] {
            let body = add(&mut model, &mut state, rectangle(1.0, 0.4), DVec3::X * x);
            body.material.restitution = restitution;
        }
        state.velocities = vec![DVec3::X, DVec3::X * -0.5];
        let mut collapse = falling(&model, &state, CollapseOptions::default());
        for _ in 0..60 {
            step(&mut collapse, &mut state);
            near(state.velocities[0].x + state.velocities[1].x, 0.5, 1e-12);
        }
        near(state.velocities[1].x - state.velocities[0].x, 1.5 * restitution, 1e-9);
    }
}

/// A brick on its corner, on a smooth floor: its angular velocity against the energy
/// relation, at the middle of steps; the error falls with the square of the time step.
#[test]
fn a_brick_falls_on_its_corner_to_second_order() {
    let error = |dt: f64| {
        let (mut model, mut state) = (Model::new(2, DVec3::NEG_Y), State::default());
        add(&mut model, &mut state, rectangle(1.0, 0.4), DVec3::ZERO);
        let floor = rectangle(20.0, 1.0);
        add(&mut model, &mut state, floor, DVec3::Y * -0.5).motion = Motion::Fixed;
        let radius = 0.29_f64.sqrt();
        let start = 1.2_f64; // of the ray from the corner to the centre, from the horizontal
        let turn = start - 0.2_f64.atan2(0.5);
        state.rotations[0] = DQuat::from_rotation_z(turn);
        state.positions[0] = DVec3::new(0.0, radius * start.sin(), 0.0);
        let options = CollapseOptions { time_step: dt, ..Default::default() };
        let mut collapse = falling(&model, &state, options);
        let (mut angle, inertia) = (start, 1.16 / 12.0);
        let (mut worst, mut count) = (0.0_f64, 0);
        while angle > 0.75 {
            step(&mut collapse, &mut state);
            let turned = state.spins[0].z * dt;
            let middle = angle + 0.5 * turned;
            angle += turned;
            count += 1;
            if angle < 1.0 && count > 3 {
                let fallen = radius * (start.sin() - middle.sin());
                let expected =
                    (2.0 * fallen / (radius * radius * middle.cos().powi(2) + inertia)).sqrt();
                worst = worst.max((state.spins[0].z.abs() - expected).abs());
            }
        }
        worst
    };
    let (coarse, fine) = (error(0.01), error(0.005));
    let ratio = coarse / fine;
    assert!((3.0..5.5).contains(&ratio) && fine < 1e-4, "{coarse} / {fine} = {ratio}");
}

/// A brick tossed in space: angular momentum exactly, energy to the order of the method.
#[test]
fn free_rotation_in_space() {
    let drift = |dt: f64| {
        let (mut model, mut state) = (Model::new(3, DVec3::ZERO), State::default());
        let brick = Shape::cuboid(DVec3::new(1.0, 0.6, 0.3)).unwrap();
        add(&mut model, &mut state, brick, DVec3::ZERO);
        state.spins[0] = DVec3::new(0.1, 2.0, 0.2);
        let energy = model.mechanical_energy(&state);
        let (_, momentum) = model.momentum(&state);
        let options = CollapseOptions { time_step: dt, ..Default::default() };
        let mut collapse = falling(&model, &state, options);
        let mut worst = 0.0_f64;
        for _ in 0..(4.0 / dt) as usize {
            step(&mut collapse, &mut state);
            assert!((model.momentum(&state).1 - momentum).length() < 1e-11);
            worst = worst.max((model.mechanical_energy(&state) / energy - 1.0).abs());
        }
        worst
    };
    let (coarse, fine) = (drift(0.02), drift(0.01));
    assert!(fine < 1e-4 && coarse / fine > 3.0, "{coarse} {fine}");
}

/// The promises of the paper's tower over a thousand steps.
#[test]
fn the_tower_of_figure_2_falls() {
    let (model, start) = tower(&Plan::diamond(5, 1.0, 0.4).unwrap(), 0.0);
    for mirror in [false, true] {
        let mut state = start.clone();
        let options = CollapseOptions { mirror, ..Default::default() };
        let mut collapse = falling(&model, &state, options);
        let first = model.mechanical_energy(&state);
        let mut energy = first;
        let (mut deepest, mut gain, mut residual, mut asymmetry) =
            (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
        for _ in 0..1000 {
            let ledger = account(&mut collapse, &mut state);
            deepest = deepest.max(ledger.penetration);
            gain = gain.max(ledger.energy - energy);
            residual = residual.max(ledger.residual);
            asymmetry = asymmetry.max(ledger.asymmetry.unwrap());
            energy = ledger.energy;
        }
        assert!(deepest < 2e-4, "penetration {deepest}");
        assert!(gain < 1e-4 * first, "gain {gain} of {first}");
        assert!(residual < 1e-10, "residual {residual}"); // what the solver takes for solved
        // It fell to a heap that stands: time steps from 0.01 to 0.002 agree on its energy.
        near(energy / first, 0.709, 0.01);
        assert!(!mirror || asymmetry == 0.0, "{asymmetry}");
    }
}

/// Nothing depends on anything but the state and the memory.
#[test]
fn a_step_can_be_taken_again_to_the_same_bits() {
    let (mut model, mut state) = tower(&Plan::diamond(5, 1.0, 0.4).unwrap(), 0.0);
    model.method = Method::Collapse(CollapseOptions { mirror: true, ..Default::default() });
    let model = Arc::new(model);
    let mut collapse = Collapse::start(Arc::clone(&model), &state, None, || 0.0).unwrap();
    for _ in 0..60 {
        step(&mut collapse, &mut state);
    }
    let mut copy = state.clone();
    let memory = collapse.memory();
    let mut resumed = Collapse::start(model, &copy, Some(&memory), || 0.0).unwrap();
    for _ in 0..20 {
        step(&mut collapse, &mut state);
        step(&mut resumed, &mut copy);
    }
    assert_eq!(state, copy);
    assert_eq!(collapse.memory(), resumed.memory());
}

/// The change of every body's momentum, and angular momentum, is what the contacts say.
fn check_impulses(model: &Model, before: &State, after: &State, contacts: &[Contact], dt: f64) {
    let mut left: Vec<DVec3> = (0..model.bodies.len())
        .map(|i| {
            let gained = after.velocities[i] - before.velocities[i] - model.pull(i) * dt;
            gained * model.bodies[i].mass
        })
        .collect();
    for contact in contacts {
        left[contact.body as usize] -= contact.force;
        if let Some(other) = contact.with.body(model) {
            left[other] += contact.force;
        }
    }
    let worst = model.free().map(|i| left[i].length()).fold(0.0, f64::max);
    assert!(worst < 1e-9, "{worst}");
}

#[test]
fn contacts_explain_every_change_of_momentum() {
    let (mut model, mut state) = tower(&Plan::chain(4, 1.0, 0.2).unwrap(), 0.3);
    let last = model.bodies.len() as u32 - 1;
    let bodies = [[last, 0], [0, 1], [1, 2], [2, 3]];
    for (k, [a, b]) in bodies.into_iter().enumerate() {
        let at = [DVec3::X * k as f64; 2];
        model.join(&state, JointKind::Ball, [Some(a), Some(b)], at, [DVec3::Z; 2]);
    }
    // A weight on a bar from the world falls onto the chain.
    let weight = add(&mut model, &mut state, rectangle(0.4, 0.4), DVec3::new(2.0, 1.0, 0.0));
    weight.material.friction = 0.3;
    let number = model.bodies.len() as u32 - 1;
    let kind = JointKind::Distance { least: 2.0, most: 2.0 };
    let ends = [DVec3::new(2.0, 1.0, 0.0), DVec3::new(0.0, 1.0, 0.0)];
    model.join(&state, kind, [Some(number), None], ends, [DVec3::Z; 2]);
    let mut collapse = falling(&model, &state, CollapseOptions::default());
    let (mut touched, mut error) = (false, 0.0_f64);
    for _ in 0..300 {
        let before = state.clone();
        let moved = step(&mut collapse, &mut state);
        check_impulses(&model, &before, &state, &moved.contacts, 0.01);
        touched |= moved.contacts.iter().any(|c| matches!(c.with, With::Body(_)));
        error = error.max(moved.report.ledger.unwrap().joint_error.unwrap());
    }
    assert!(touched && error < 1e-2, "{error}");
}

#[test]
fn what_the_method_cannot_move_is_refused() {
    let (mut model, state) = tower(&Plan::diamond(2, 1.0, 0.4).unwrap(), 0.0);
    let refusal = |model: &Model| {
        let model = Arc::new(model.clone());
        Collapse::start(model, &state, None, || 0.0).err().map(|problem| problem.message)
    };
    assert_eq!(refusal(&model), None);
    model.join(&state, JointKind::Hinge, [Some(0), Some(1)], [DVec3::ZERO; 2], [DVec3::Z; 2]);
    assert_eq!(refusal(&model).unwrap(), "joint 0 is neither a pin nor a bar");
    model.joints.clear();
    model.bodies[1].motion = Motion::Driven;
    let message = "body 1 is driven, which the method collapse does not take";
    assert_eq!(refusal(&model).unwrap(), message);
}

/// A stack in a box stands where it is, and a block slides along its floor until it meets the
/// side, which reports the face.
#[test]
fn a_stack_in_a_box_stands() {
    let flat = Boundary::from_polygon(&[[0.0, 0.0], [3.0, 0.0], [3.0, 4.0], [0.0, 4.0]]);
    let deep = Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::new(3.0, 2.0, 4.0)));
    for (dimension, boundary) in [(2, flat), (3, deep)] {
        let up = if dimension == 2 { DVec3::Y } else { DVec3::Z };
        let (mut model, mut state) = (Model::new(dimension, -up), State::default());
        model.boundary = boundary;
        model.wall.friction = 0.3;
        for k in 0..3 {
            let side = DVec3::new(0.5, if dimension == 2 { 0.0 } else { 0.7 }, 0.0);
            let shape = match dimension {
                2 => rectangle(1.0, 1.0),
                _ => Shape::cuboid(DVec3::ONE).unwrap(),
            };
            let body = add(&mut model, &mut state, shape, side + up * (k as f64 + 0.5));
            body.material.friction = 0.3;
        }
        let start = state.clone();
        let mut collapse = falling(&model, &state, CollapseOptions::default());
        for _ in 0..200 {
            let before = state.clone();
            let moved = step(&mut collapse, &mut state);
            check_impulses(&model, &before, &state, &moved.contacts, 0.01);
            let faces = moved.contacts.iter().filter(|c| matches!(c.with, With::Face(_)));
            // Three weights for a hundredth of a time.
            near(faces.map(|c| c.force.dot(up)).sum(), 0.03, 1e-9);
        }
        let moved = state.positions.iter().zip(&start.positions).map(|(a, b)| a.distance(*b));
        let moved = moved.fold(0.0, f64::max);
        assert!(moved < 1e-9, "{dimension}D: {moved}");
        slide_to_the_side(&model, &mut state, up);
    }
}

/// The lowest block is pushed over the floor: friction 0.3 stops it after v^2 / 2 mu g.
fn slide_to_the_side(model: &Model, state: &mut State, up: DVec3) {
    let mut model = model.clone();
    model.bodies.truncate(1);
    state.positions.truncate(1);
    (state.rotations, state.velocities) = (vec![DQuat::IDENTITY], vec![DVec3::X * 0.6]);
    state.spins = vec![DVec3::ZERO];
    let mut collapse = falling(&model, state, CollapseOptions::default());
    let x = state.positions[0].x;
    for _ in 0..300 {
        step(&mut collapse, state);
    }
    near(state.positions[0].x - x, 0.6, 0.01);
    state.velocities[0] = DVec3::X * 2.0;
    let mut collapse = falling(&model, state, CollapseOptions::default());
    let mut hit = false;
    for _ in 0..300 {
        let moved = step(&mut collapse, state);
        hit |= moved.contacts.iter().any(|c| c.normal.x < -0.5 && c.force.x < -0.1);
    }
    assert!(hit, "it met the side");
    near(state.positions[0].x, 2.5, 1e-3);
    near(state.positions[0].dot(up), 0.5, 1e-6);
}

/// A wedge slides down a slope, over the edge between two faces of one plane, and comes to the
/// floor of a container that is not convex: nothing stops it on the way.
#[test]
fn nothing_stumbles_over_the_seams_of_a_container() {
    // A smooth round bowl of many faces: a block that starts at one side reaches the other.
    let count = 48;
    let corner = |k: usize| {
        let (sin, cos) = (std::f64::consts::TAU * k as f64 / count as f64).sin_cos();
        [3.0 * cos, 3.0 * sin]
    };
    let bowl: Vec<[f64; 2]> = (0..count).map(corner).collect();
    let (mut model, mut state) = (Model::new(2, DVec3::NEG_Y), State::default());
    model.boundary = Boundary::from_polygon(&bowl);
    model.wall.friction = 0.0;
    let wedge = Shape::polygon(&[[0.0, -0.3], [0.2, 0.1], [-0.2, 0.1]], &[]).unwrap();
    add(&mut model, &mut state, wedge, DVec3::new(-2.0, -1.5, 0.0));
    let mut collapse = falling(&model, &state, CollapseOptions::default());
    let mut farthest = 0.0_f64;
    for _ in 0..1200 {
        let ledger = account(&mut collapse, &mut state);
        assert!(ledger.penetration < 1e-3, "{}", ledger.penetration);
        farthest = farthest.max(state.positions[0].x);
    }
    assert!(farthest > 1.0, "{farthest}");
}

/// A brick with a dent stands on its two feet over what fits into the dent, and falls when it
/// is shifted beyond one of them.
#[test]
fn a_brick_with_a_dent() {
    let arch = [
        [-1.0, 0.0],
        [-0.6, 0.0],
        [-0.6, 0.5],
        [0.6, 0.5],
        [0.6, 0.0],
        [1.0, 0.0],
        [1.0, 1.0],
        [-1.0, 1.0],
    ];
    for (x, stands) in [(0.0, true), (0.3, true), (1.7, false)] {
        let (mut model, mut state) = (Model::new(2, DVec3::NEG_Y), State::default());
        add(&mut model, &mut state, Shape::polygon(&arch, &[]).unwrap(), DVec3::X * x);
        let ground = rectangle(3.0, 1.0);
        add(&mut model, &mut state, ground, DVec3::Y * -0.5).motion = Motion::Fixed;
        if stands {
            // What lies in the dent is never touched.
            let inside = rectangle(0.5, 0.4);
            add(&mut model, &mut state, inside, DVec3::new(x, 0.2, 0.0));
        }
        let start = state.clone();
        let mut collapse = falling(&model, &state, CollapseOptions::default());
        for _ in 0..150 {
            let moved = step(&mut collapse, &mut state);
            let between = moved.contacts.iter().any(|c| c.body == 0 && c.with == With::Body(2));
            assert!(!between, "the dent is deeper than what lies in it");
        }
        let moved = state.positions[0].distance(start.positions[0]);
        assert_eq!(moved < 1e-9, stands, "at {x}: {moved}");
    }
}

/// The classical loop explains every change of momentum by its impulses, of what spins about no
/// axis of its own as well, and stops with the reason before bodies overlap more than they may.
#[test]
fn the_classical_loop_keeps_to_its_limits_or_stops() {
    let options = CollapseOptions { unknowns: Unknowns::Accelerations, ..Default::default() };
    let fine = CollapseOptions { time_step: 0.001, ..options };
    let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
    let brick = Shape::cuboid(DVec3::new(1.0, 0.6, 0.3)).unwrap();
    add(&mut model, &mut state, brick, DVec3::Z * 0.61);
    state.spins[0] = DVec3::new(2.0, -1.0, 3.0);
    let ground = Shape::cuboid(DVec3::new(20.0, 20.0, 1.0)).unwrap();
    add(&mut model, &mut state, ground, DVec3::Z * -0.5).motion = Motion::Fixed;
    let mut collapse = falling(&model, &state, fine);
    let mut pushed = 0;
    while pushed <= 10 {
        let before = state.clone();
        let moved = step(&mut collapse, &mut state);
        check_impulses(&model, &before, &state, &moved.contacts, 0.001);
        // Angular momentum as well: the ground pushes at the points that are told.
        let turned = model.momentum(&state).1 - model.momentum(&before).1;
        let told = moved.contacts.iter().map(|c| (c.at[0] - before.positions[0]).cross(c.force));
        let carried = state.positions[0].cross(state.velocities[0])
            - before.positions[0].cross(before.velocities[0]);
        assert!((turned - carried - told.sum::<DVec3>()).length() < 1e-9);
        pushed += moved.contacts.len();
    }
    let (model, mut state) = tower(&Plan::diamond(5, 1.0, 0.4).unwrap(), 0.0);
    let mut collapse = falling(&model, &state, options);
    let problem = loop {
        match collapse.step(&mut state) {
            Ok(Progress::Moved(moved)) => {
                assert!(2.0 * moved.report.ledger.unwrap().penetration <= 1e-3);
            }
            Ok(Progress::Rest(rest)) => panic!("nothing rests here: {rest:?}"),
            Err(problem) => break problem.to_string(),
        }
    };
    assert!(problem.contains("accelerations alone drift"), "{problem}");
}

/// A ball rolls down a slope with 2/3 (in 2D) or 5/7 of the acceleration of one that slides.
#[test]
fn a_ball_rolls_down_a_slope() {
    for (dimension, shape, share) in
        [(2, Shape::disc(0.3), 2.0 / 3.0), (3, Shape::ball(0.3), 5.0 / 7.0)]
    {
        let slope = 0.3_f64;
        let gravity = match dimension {
            2 => DVec3::new(slope.sin(), -slope.cos(), 0.0),
            _ => DVec3::new(slope.sin(), 0.0, -slope.cos()),
        };
        let up = if dimension == 2 { DVec3::Y } else { DVec3::Z };
        for (friction, share) in [(0.0, 1.0), (0.8, share)] {
            let (mut model, mut state) = (Model::new(dimension, gravity), State::default());
            add(&mut model, &mut state, shape.clone(), up * 0.3).material.friction = friction;
            let ground = match dimension {
                2 => rectangle(20.0, 1.0),
                _ => Shape::cuboid(DVec3::new(20.0, 20.0, 1.0)).unwrap(),
            };
            let ground = add(&mut model, &mut state, ground, up * -0.5);
            (ground.motion, ground.material.friction) = (Motion::Fixed, friction);
            let mut collapse = falling(&model, &state, CollapseOptions::default());
            for _ in 0..200 {
                let ledger = account(&mut collapse, &mut state);
                assert!(ledger.penetration < 1e-6, "{}", ledger.penetration);
            }
            // Two seconds, up to the first order of the time step.
            near(state.positions[0].x, 2.0 * share * slope.sin(), 0.01);
            near(state.positions[0].dot(up), 0.3, 1e-6);
        }
    }
}

/// Boxes, balls, capsules, cylinders and rounded boxes tumble into containers of every kind:
/// they end up inside, overlap hardly ever, and gain no energy.
#[test]
fn shapes_of_all_kinds_tumble_into_containers() {
    let shapes = [
        Shape::cuboid(DVec3::new(0.5, 0.4, 0.3)).unwrap(),
        Shape::ball(0.25),
        Shape::capsule(0.15, 0.4).unwrap(),
        Shape::cylinder(0.2, 0.4).unwrap(),
        Shape::cuboid(DVec3::splat(0.3)).unwrap().rounded(0.1),
    ];
    let cuboid = Mesh::cuboid(DVec3::new(-1.5, -1.5, 0.0), DVec3::new(1.5, 1.5, 4.0));
    let funnel = [[-1.0, 1.7], [0.5, 1.7], [1.2, 0.5], [1.4, 0.5], [2.0, 1.7], [6.0, 1.7]];
    for (mesh, base) in [(cuboid, 0.5), (Mesh::profile(&funnel, 16), 2.5)] {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        model.boundary = Boundary::from_mesh(&mesh);
        let random = &mut Random::new(3);
        for k in 0..10 {
            let [x, y] = [k % 2, k / 2 % 2].map(|side| side as f64 * 0.8 - 0.4);
            let at = DVec3::new(x, y, base + 0.8 * (k / 4) as f64);
            let turn: [f64; 3] = std::array::from_fn(|_| random.between(-2.0, 2.0));
            let turn = DQuat::from_scaled_axis(DVec3::from_array(turn));
            let shape = shapes[k % shapes.len()].clone();
            model.add(&mut state, shape, at, turn, Weight::Density(1.0)).unwrap();
        }
        let mut collapse = falling(&model, &state, CollapseOptions::default());
        let first = model.mechanical_energy(&state);
        let mut energy = first;
        for _ in 0..250 {
            let before = state.clone();
            let moved = step(&mut collapse, &mut state);
            check_impulses(&model, &before, &state, &moved.contacts, 0.01);
            let ledger = moved.report.ledger.unwrap();
            // Of a diameter: what `verify` asks for is 1e-3 of a radius.
            assert!(ledger.penetration < 5e-4, "{}", ledger.penetration);
            assert!(ledger.energy - energy < 1e-4 * first, "{} {energy}", ledger.energy);
            energy = ledger.energy;
        }
        assert!(energy < 0.7 * first, "they fell");
        for i in 0..model.bodies.len() {
            assert!(model.boundary.contains(state.positions[i]), "{}", state.positions[i]);
        }
    }
}
