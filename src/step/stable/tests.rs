//! The figures of the literature on brick towers, to nine digits.

use super::heights::{Plank, lowest};
use super::*;
use crate::math::{DQuat, Random};
use crate::scene::towers::Plan;
use crate::shape::Brick;
use crate::step::collapse::{Collapse, Options};

/// A tower of unit masses from a plan, in 2D or 3D, with gravity 1.
fn tower(plan: &Plan, friction: f64) -> (Tower, Poses) {
    let flat = plan.bricks[0].is_polygon();
    let (dimension, down) = if flat { (2, DVec3::NEG_Y) } else { (3, DVec3::NEG_Z) };
    let (mut tower, mut poses) = (Tower::new(dimension, down), Poses::default());
    for brick in &plan.bricks {
        tower.add(&mut poses, std::slice::from_ref(brick), 1.0).unwrap().friction = friction;
    }
    for support in &plan.supports {
        let added = tower.add(&mut poses, std::slice::from_ref(support), 1.0).unwrap();
        (added.friction, added.fixed) = (friction, true);
    }
    (tower, poses)
}

fn verdict(plan: &Plan) -> Verdict {
    let (tower, poses) = tower(plan, 0.0);
    stable(&tower, &poses)
}

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() < tolerance, "{found} is not {expected}");
}

#[test]
fn the_tower_of_figure_2_begins_to_fall_as_fractions_say() {
    let verdict = verdict(&Plan::diamond(5, 1.0, 0.4).unwrap());
    assert!(!verdict.balanced && verdict.exact);
    let up: Vec<f64> = verdict.accelerations[..25].iter().map(|a| a.0.y).collect();
    near(up.iter().copied().fold(f64::NEG_INFINITY, f64::max), 225.0 / 6542.0, 1e-9);
    near(up[0], 0.0, 1e-12); // it rests on the ground
    near(up[24], 225.0 / 6542.0, 1e-9);
    near(up[10], -1575.0 / 6542.0, 1e-9);
    near(up[14], -1575.0 / 6542.0, 1e-9);
    near(up.iter().sum::<f64>() / 25.0, -27.0 / 3271.0, 1e-9);
    let spins = verdict.accelerations.iter().map(|a| a.1.z.abs());
    near(spins.fold(0.0, f64::max), 900.0 / 3271.0, 1e-9);
    assert!(verdict.residual < 1e-9, "{}", verdict.residual);
}

#[test]
fn diamonds_stand_up_to_four_and_inverted_triangles_up_to_two() {
    for size in 1..=6 {
        let verdict = verdict(&Plan::diamond(size, 1.0, 0.4).unwrap());
        assert_eq!((verdict.balanced, verdict.exact), (size <= 4, true), "diamond {size}");
        assert_eq!(verdict.margin.unwrap_or(-1.0) >= 0.0, size <= 4, "{:?}", verdict.margin);
    }
    for size in 1..=4 {
        let verdict = verdict(&Plan::inverted_triangle(size, 1.0, 0.4).unwrap());
        assert_eq!((verdict.balanced, verdict.exact), (size <= 2, true), "triangle {size}");
    }
}

#[test]
fn harmonic_stacks_are_exactly_balanced() {
    for count in [1, 2, 3, 5, 10] {
        let at = |extra: f64| verdict(&Plan::harmonic(count, extra, 1.0, 0.4).unwrap());
        let exact = at(0.0);
        assert!(exact.balanced && exact.exact, "{count}");
        near(exact.margin.unwrap(), 0.0, 1e-9);
        let beyond = at(1e-6);
        assert!(!beyond.balanced, "{count}");
        near(beyond.margin.unwrap(), -1e-6, 1e-6);
    }
}

#[test]
fn the_best_overhangs_of_three_and_four_bricks_balance() {
    assert!(verdict(&Plan::overhang(3, 1.0, 0.4).unwrap()).balanced);
    let four = verdict(&Plan::overhang(4, 1.0, 0.4).unwrap());
    // Square roots are no fractions, so this is not decided exactly.
    assert!(four.balanced && !four.exact && four.margin.unwrap() < 1e-9, "{four:?}");
}

#[test]
fn parabolic_stacks_balance() {
    for size in 1..=4 {
        assert!(verdict(&Plan::parabolic(size, 1.0, 0.4).unwrap()).balanced, "{size}");
    }
    for size in 1..=6_usize {
        let plan = Plan::parabolic(size, 1.0, 0.4).unwrap();
        assert_eq!(plan.bricks.len(), size * (size - 1) * (2 * size - 1) / 3 + 1);
        let edge = |b: &Brick| b.corners().iter().map(|c| c.x).fold(f64::MIN, f64::max);
        let reach = plan.bricks.iter().map(edge).fold(f64::MIN, f64::max);
        near(reach - edge(&plan.supports[0]), 0.5 * size as f64, 1e-12);
    }
}

/// The stack of 111 bricks: forces exist, and nothing begins to move.
#[test]
fn the_parabolic_stack_of_111_bricks_balances() {
    let (tower, poses) = tower(&Plan::parabolic(6, 1.0, 0.4).unwrap(), 0.0);
    let statics = Statics::new(&tower, &poses);
    assert!(statics.tableau(tower.gravity).left_over() < AT_REST);
    let (accelerations, ..) = statics.begin_to_fall();
    assert!(accelerations.iter().all(|(a, spin)| a.length() < 1e-7 && spin.length() < 1e-7));
}

/// A block on a table that is tilted: it slides or topples, whichever comes first.
#[test]
fn a_block_on_a_tilting_table() {
    for (friction, height) in [(0.3, 1.0), (0.3, 2.0), (0.8, 2.0), (1.5, 1.0)] {
        let plan = Plan::leaning(1, 0.0, 1.0, height).unwrap();
        let (tower, poses) = tower(&plan, friction);
        let statics = Statics::new(&tower, &poses);
        let tilts = statics.tilts(&statics.tableau(tower.gravity), 16);
        assert_eq!(tilts.len(), 2);
        for tilt in tilts {
            near(tilt.angle.tan(), f64::min(friction, 1.0 / height), 1e-9);
        }
    }
}

#[test]
fn the_five_diamond_stands_with_enough_friction() {
    let (tower, poses) = tower(&Plan::diamond(5, 1.0, 0.4).unwrap(), 0.0);
    let friction = Statics::new(&tower, &poses).critical_friction().unwrap();
    near(friction, 0.2110, 5e-5);
}

#[test]
fn a_thin_arch_falls() {
    let stands = |thickness: f64| {
        let (tower, poses) = tower(&Plan::arch(60, 1.0, thickness).unwrap(), 8.0);
        Statics::new(&tower, &poses).tableau(tower.gravity).left_over() < AT_REST
    };
    assert!(stands(0.1085) && !stands(0.1055));
}

#[test]
fn the_lowest_heights_of_the_five_diamond() {
    let plan = Plan::diamond(5, 1.0, 0.4).unwrap();
    let planks: Vec<Plank> = plan
        .bricks
        .iter()
        .map(|b| {
            let (low, high) = (b.corners()[0], b.corners()[2]);
            Plank { left: low.x, right: high.x, bottom: low.y, thickness: 0.4, mass: 1.0 }
        })
        .collect();
    let (heights, drop) = lowest(&planks);
    near(drop, 48.0 / 55.0, 1e-9);
    assert!(heights.iter().flatten().all(|h| *h >= -1e-9));
}

/// A brick with nothing below is an answer: it falls freely.
#[test]
fn what_has_no_support_falls_freely() {
    let mut plan = Plan::leaning(1, 0.0, 1.0, 0.4).unwrap();
    plan.supports.clear();
    let verdict = verdict(&plan);
    assert!(!verdict.balanced && verdict.exact);
    assert_eq!(verdict.accelerations[0], (DVec3::NEG_Y, DVec3::ZERO));
    assert_eq!(verdict.margin, None);
}

#[test]
fn a_wall_in_3d_says_the_same_as_in_2d() {
    for lean in [0.3, 0.45, 0.55, 0.7] {
        let flat = Plan::leaning(2, lean, 1.0, 0.4).unwrap();
        let mut solid = Plan::crossed(0, DVec3::new(1.0, 0.5, 0.4)).unwrap();
        for k in 0..2 {
            let at = DVec3::new(k as f64 * lean, 0.0, 0.4 * k as f64 + 0.2);
            let brick = Brick::cuboid(DVec3::new(1.0, 0.5, 0.4)).unwrap();
            solid.bricks.push(brick.placed(at, DQuat::IDENTITY));
        }
        let (flat, solid) = (verdict(&flat), verdict(&solid));
        assert_eq!(flat.balanced, solid.balanced, "{lean}");
        assert_eq!((flat.exact, solid.exact), (true, true));
        for (a, b) in flat.accelerations.iter().zip(&solid.accelerations) {
            near(a.0.x, b.0.x, 1e-9);
            near(a.0.y, b.0.z, 1e-9);
            near(a.1.z, -b.1.y, 1e-9);
        }
        if flat.balanced {
            near(flat.margin.unwrap(), solid.margin.unwrap(), 1e-9);
        }
    }
    assert!(verdict(&Plan::wall(4, 3, DVec3::new(1.0, 0.5, 0.4)).unwrap()).balanced);
}

/// Diamonds as deep as they please: the verdict, the accelerations and the margin of the plane.
#[test]
fn an_extruded_tower_says_the_same_as_in_2d() {
    for size in 2..=5 {
        let flat = Plan::diamond(size, 1.0, 0.4).unwrap();
        let deep = |brick: &Brick, depth: f64| {
            let corners = brick.corners();
            let (low, high) = corners
                .iter()
                .fold((DVec3::MAX, DVec3::MIN), |(low, high), c| (low.min(*c), high.max(*c)));
            let (across, middle) = (high - low, 0.5 * (low + high));
            let solid = Brick::cuboid(DVec3::new(across.x, depth, across.y)).unwrap();
            solid.placed(DVec3::new(middle.x, 0.0, middle.y), DQuat::IDENTITY)
        };
        let mut solid = flat.clone();
        solid.bricks = flat.bricks.iter().map(|b| deep(b, 0.5)).collect();
        solid.supports = flat.supports.iter().map(|b| deep(b, 4.0)).collect();
        let ((flat, at), (solid, there)) = (tower(&flat, 0.0), tower(&solid, 0.0));
        let (flat, solid) = (Statics::new(&flat, &at), Statics::new(&solid, &there));
        let balanced = |s: &Statics| s.tableau(s.tower.gravity).left_over() < AT_REST;
        assert_eq!((balanced(&flat), balanced(&solid)), (size <= 4, size <= 4), "{size}");
        let ((a, ..), (b, ..)) = (flat.begin_to_fall(), solid.begin_to_fall());
        for (a, b) in a.iter().zip(&b) {
            near(a.0.x, b.0.x, 1e-8);
            near(a.0.y, b.0.z, 1e-8);
            near(a.1.z, -b.1.y, 1e-8);
        }
    }
}

/// A cube on an incline slides beyond the angle of friction, and not before.
#[test]
fn a_cube_on_an_incline() {
    for (slope, slides) in [(0.29_f64, false), (0.31, true)] {
        let angle = slope.atan();
        let (mut tower, mut poses) =
            (Tower::new(3, DVec3::new(angle.sin(), 0.0, -angle.cos())), Poses::default());
        let cube = |size: f64, z: f64| {
            Brick::cuboid(DVec3::splat(size)).unwrap().placed(DVec3::Z * z, DQuat::IDENTITY)
        };
        tower.add(&mut poses, &[cube(1.0, 0.5)], 1.0).unwrap().friction = 0.3;
        let ground = tower.add(&mut poses, &[cube(20.0, -10.0)], 1.0).unwrap();
        (ground.friction, ground.fixed) = (0.3, true);
        let verdict = stable(&tower, &poses);
        assert_eq!(verdict.balanced, !slides);
        let mut collapse = Collapse::new(&tower, &poses, Options::default());
        for _ in 0..100 {
            collapse.step(&mut poses);
        }
        // x = 1/2 a t^2 with a = sin - mu cos, up to the first order of the time step.
        let expected = if slides { 0.5 * (angle.sin() - 0.3 * angle.cos()) } else { 0.0 };
        near(poses.positions[0].x, expected, 0.02 * expected + 1e-9);
        near(poses.positions[0].z, 0.5, 1e-4);
    }
}

/// Random towers of bricks of one height: linear program, first accelerations and
/// simulation say the same.
#[test]
fn three_answers_agree_on_random_towers() {
    let (mut standing, mut falling) = (0, 0);
    for seed in 0..600 {
        let random = &mut Random::new(seed);
        let mut feet: Vec<(f64, f64, usize)> = vec![(0.0, 1.0, 0)];
        for row in 1..3 + (seed % 3) as usize {
            let mut x = random.between(-0.9, 0.1);
            while x < 0.9 {
                let width = random.between(0.5, 1.4);
                feet.push((x, width, row));
                x += width + random.between(0.0, 0.6);
            }
        }
        let mut plan = Plan::leaning(1, 0.0, 1.0, 0.4).unwrap();
        plan.bricks = feet
            .iter()
            .map(|&(x, width, row)| {
                let at = DVec3::new(x, 0.4 * row as f64 + 0.2, 0.0);
                Brick::rectangle(width, 0.4).unwrap().placed(at, DQuat::IDENTITY)
            })
            .collect();
        // Rows may overlap at their sides: such towers are not asked about.
        let mut overlap = false;
        for (i, a) in feet.iter().enumerate() {
            for b in &feet[..i] {
                overlap |= a.2 == b.2 && (a.0 - b.0).abs() < 0.5 * (a.1 + b.1) + 1e-3;
            }
        }
        if overlap {
            continue;
        }
        let (tower, mut poses) = tower(&plan, 0.0);
        let statics = Statics::new(&tower, &poses);
        let tableau = statics.tableau(tower.gravity);
        let balanced = tableau.left_over() < AT_REST;
        let margin =
            if balanced { statics.margin(&tableau) } else { statics.deficit().unwrap_or(-1.0) };
        if margin.abs() < 1e-6 {
            continue;
        }
        let (accelerations, ..) = statics.begin_to_fall();
        let fastest =
            accelerations.iter().map(|a| a.0.length().max(a.1.length())).fold(0.0, f64::max);
        assert_eq!(
            balanced,
            fastest < AT_REST,
            "seed {seed}: margin {margin}, acceleration {fastest}"
        );
        let start = poses.clone();
        let mut collapse = Collapse::new(&tower, &poses, Options::default());
        for _ in 0..200 {
            collapse.step(&mut poses);
        }
        let moved = poses.positions.iter().zip(&start.positions).map(|(a, b)| (*a - *b).length());
        let moved = moved.fold(0.0, f64::max);
        assert_eq!(balanced, moved < 1e-6, "seed {seed}: margin {margin}, moved {moved}");
        if balanced { standing += 1 } else { falling += 1 }
    }
    assert!(standing + falling >= 200, "{standing} standing, {falling} falling");
    assert!(standing > 60 && falling > 60, "{standing} standing, {falling} falling");
}
