//! What the paper proves, and what the method promises.

use glam::DVec2;

use super::framework::{Framework, Lengths, MassPoints, Points};
use super::*;
use crate::math::Random;
use crate::scene::towers::Plan;
use crate::shape::Brick;

/// A tower of unit masses from a plan, with gravity 1.
fn tower(plan: &Plan) -> (Tower, Poses) {
    let flat = plan.bricks[0].is_polygon();
    let (dimension, down) = if flat { (2, DVec3::NEG_Y) } else { (3, DVec3::NEG_Z) };
    let (mut tower, mut poses) = (Tower::new(dimension, down), Poses::default());
    for brick in &plan.bricks {
        tower.add(&mut poses, std::slice::from_ref(brick), 1.0).unwrap();
    }
    for support in &plan.supports {
        tower.add(&mut poses, std::slice::from_ref(support), 1.0).unwrap().fixed = true;
    }
    (tower, poses)
}

fn rectangle(width: f64, height: f64, x: f64, y: f64) -> Brick {
    Brick::rectangle(width, height).unwrap().placed(DVec3::new(x, y, 0.0), DQuat::IDENTITY)
}

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() < tolerance, "{found} is not {expected}");
}

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
    let solid = Brick::rectangle(2.0, 2.0).unwrap().moments();
    near(solid.inertia.z_axis.z / solid.measure, 2.0 / 3.0, 1e-14);
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

        let (mut tower, mut poses) = (Tower::new(2, DVec3::NEG_Y), Poses::default());
        tower.add(&mut poses, &[rectangle(1.0, 0.4, 0.0, 0.2)], 1.0).unwrap();
        tower.add(&mut poses, &[rectangle(10.0, 1.0, 0.0, -0.5)], 1.0).unwrap().fixed = true;
        poses.velocities[0] = DVec3::new(shift.x, shift.y, 0.0) / dt;
        poses.spins[0] = DVec3::Z * (turn / dt);
        let options = Options { sidedness: 0.0, time_step: dt, ..Default::default() };
        Collapse::new(&tower, &poses, options).step(&mut poses);
        let bars = positions.now[8] - points[8];
        let reduced = poses.velocities[0] * dt;
        near(bars.x, reduced.x, 1e-11);
        near(bars.y, reduced.y, 1e-11);
        let edge = positions.now[1] - positions.now[0] - (points[1] - points[0]);
        near(edge.y, poses.spins[0].z * dt, 1e-11);
    }
}

/// Two bricks meet: the common speed, or speeds exchanged; momentum kept.
#[test]
fn two_bodies_meet() {
    for restitution in [0.0, 0.5, 1.0] {
        let (mut tower, mut poses) = (Tower::new(2, DVec3::ZERO), Poses::default());
        for (x, speed) in [(0.0, 1.0), (1.3, -0.5)] {
            tower.add(&mut poses, &[rectangle(1.0, 0.4, x, 0.0)], 1.0).unwrap().restitution =
                restitution;
            poses.velocities.last_mut().unwrap().x = speed;
        }
        let mut collapse = Collapse::new(&tower, &poses, Options::default());
        for _ in 0..60 {
            collapse.step(&mut poses);
            near(poses.velocities[0].x + poses.velocities[1].x, 0.5, 1e-12);
        }
        near(poses.velocities[1].x - poses.velocities[0].x, 1.5 * restitution, 1e-9);
    }
}

/// A brick on its corner, on a smooth floor: its angular velocity against the energy
/// relation, at the middle of steps; the error falls with the square of the time step.
#[test]
fn a_brick_falls_on_its_corner_to_second_order() {
    let error = |dt: f64| {
        let (mut tower, mut poses) = (Tower::new(2, DVec3::NEG_Y), Poses::default());
        tower.add(&mut poses, &[rectangle(1.0, 0.4, 0.0, 0.0)], 1.0).unwrap();
        tower.add(&mut poses, &[rectangle(20.0, 1.0, 0.0, -0.5)], 1.0).unwrap().fixed = true;
        let radius = 0.29_f64.sqrt();
        let start = 1.2_f64; // of the ray from the corner to the centre, from the horizontal
        let turn = start - 0.2_f64.atan2(0.5);
        poses.rotations[0] = DQuat::from_rotation_z(turn);
        poses.positions[0] = DVec3::new(0.0, radius * start.sin(), 0.0);
        let options = Options { time_step: dt, ..Default::default() };
        let mut collapse = Collapse::new(&tower, &poses, options);
        let (mut angle, inertia) = (start, 1.16 / 12.0);
        let (mut worst, mut step) = (0.0_f64, 0);
        while angle > 0.75 {
            collapse.step(&mut poses);
            let turned = poses.spins[0].z * dt;
            let middle = angle + 0.5 * turned;
            angle += turned;
            step += 1;
            if angle < 1.0 && step > 3 {
                let fallen = radius * (start.sin() - middle.sin());
                let expected =
                    (2.0 * fallen / (radius * radius * middle.cos().powi(2) + inertia)).sqrt();
                worst = worst.max((poses.spins[0].z.abs() - expected).abs());
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
        let (mut tower, mut poses) = (Tower::new(3, DVec3::ZERO), Poses::default());
        let brick = Brick::cuboid(DVec3::new(1.0, 0.6, 0.3)).unwrap();
        tower.add(&mut poses, &[brick], 1.0).unwrap();
        poses.spins[0] = DVec3::new(0.1, 2.0, 0.2);
        let (energy, (_, momentum)) = (tower.energy(&poses), tower.momentum(&poses));
        let options = Options { time_step: dt, ..Default::default() };
        let mut collapse = Collapse::new(&tower, &poses, options);
        let mut worst = 0.0_f64;
        for _ in 0..(4.0 / dt) as usize {
            collapse.step(&mut poses);
            assert!((tower.momentum(&poses).1 - momentum).length() < 1e-11);
            worst = worst.max((tower.energy(&poses) / energy - 1.0).abs());
        }
        worst
    };
    let (coarse, fine) = (drift(0.02), drift(0.01));
    assert!(fine < 1e-4 && coarse / fine > 3.0, "{coarse} {fine}");
}

/// The promises of the paper's tower over a thousand steps.
#[test]
fn the_tower_of_figure_2_falls() {
    let (tower, start) = tower(&Plan::diamond(5, 1.0, 0.4).unwrap());
    for mirror in [false, true] {
        let mut poses = start.clone();
        let options = Options { mirror, ..Default::default() };
        let mut collapse = Collapse::new(&tower, &poses, options);
        let first = tower.energy(&poses);
        let mut energy = first;
        let (mut deepest, mut gain, mut residual, mut asymmetry) =
            (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
        for _ in 0..1000 {
            let ledger = collapse.step(&mut poses);
            deepest = deepest.max(ledger.penetration);
            gain = gain.max(ledger.energy - energy);
            residual = residual.max(ledger.residual);
            asymmetry = asymmetry.max(ledger.asymmetry.unwrap());
            energy = ledger.energy;
        }
        assert!(deepest < 2e-4, "penetration {deepest}");
        assert!(gain < 1e-4 * first, "gain {gain} of {first}");
        assert!(residual < 1e-11, "residual {residual}");
        assert!(energy < 0.7 * first, "it fell");
        assert!(!mirror || asymmetry == 0.0, "{asymmetry}");
    }
}

/// Nothing depends on anything but the state and the memory.
#[test]
fn a_step_can_be_taken_again_to_the_same_bits() {
    let (tower, mut poses) = tower(&Plan::diamond(5, 1.0, 0.4).unwrap());
    let options = Options::default();
    let mut collapse = Collapse::new(&tower, &poses, options);
    for _ in 0..60 {
        collapse.step(&mut poses);
    }
    let text = serde_json::to_string(collapse.memory()).unwrap();
    let memory = serde_json::from_str(&text).unwrap();
    let mut copy = poses.clone();
    let mut resumed = Collapse::resume(&tower, &copy, options, None, memory);
    for _ in 0..20 {
        collapse.step(&mut poses);
        resumed.step(&mut copy);
    }
    assert_eq!(poses, copy);
}
