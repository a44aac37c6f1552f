//! The figures of the literature on brick towers, to nine digits, and models of every kind.

use super::heights::{Plank, lowest};
use super::*;
use crate::math::{DQuat, Random};
use crate::scene::CollapseOptions;
use crate::scene::towers::{Plan, Stone};
use crate::shape::{Boundary, Mesh, Polytope, Shape};
use crate::step::collapse::samples::{add, falling, near, rectangle, step, tower};
use crate::world::{Joint, JointKind, Motion, With};

fn verdict(plan: &Plan) -> Verdict {
    let (model, state) = tower(plan, 0.0);
    stable(&model, &state).unwrap()
}

fn stone(polytope: Polytope, at: DVec3) -> Stone {
    Stone { polytope, at, turn: DQuat::IDENTITY }
}

/// Whether forces that balance exist, by the linear program alone.
fn is_balanced(statics: &Statics) -> bool {
    statics.left_over(statics.simplex().unwrap()) < statics.tolerance.balance
}

#[test]
fn the_tower_of_figure_2_begins_to_fall_as_fractions_say() {
    let verdict = verdict(&Plan::diamond(5, 1.0, 0.4).unwrap());
    assert!(verdict.is_unbalanced() && verdict.exact);
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
        assert_eq!((verdict.is_balanced(), verdict.exact), (size <= 4, true), "diamond {size}");
        assert_eq!(verdict.margin.unwrap_or(-1.0) >= 0.0, size <= 4, "{:?}", verdict.margin);
    }
    for size in 1..=4 {
        let verdict = verdict(&Plan::inverted_triangle(size, 1.0, 0.4).unwrap());
        assert_eq!((verdict.is_balanced(), verdict.exact), (size <= 2, true), "triangle {size}");
    }
}

#[test]
fn harmonic_stacks_are_exactly_balanced() {
    for count in [1, 2, 3, 5, 10] {
        let at = |extra: f64| verdict(&Plan::harmonic(count, extra, 1.0, 0.4).unwrap());
        let exact = at(0.0);
        assert!(exact.is_balanced() && exact.exact, "{count}");
        near(exact.margin.unwrap(), 0.0, 1e-9);
        let beyond = at(1e-6);
        assert!(beyond.is_unbalanced(), "{count}");
        near(beyond.margin.unwrap(), -1e-6, 1e-6);
    }
}

#[test]
fn the_best_overhangs_of_three_and_four_bricks_balance() {
    assert!(verdict(&Plan::overhang(3, 1.0, 0.4).unwrap()).is_balanced());
    let four = verdict(&Plan::overhang(4, 1.0, 0.4).unwrap());
    // Square roots are no fractions, so this is not decided exactly.
    assert!(four.is_balanced() && !four.exact && four.margin.unwrap() < 1e-9, "{four:?}");
}

#[test]
fn parabolic_stacks_balance() {
    for size in 1..=4 {
        assert!(verdict(&Plan::parabolic(size, 1.0, 0.4).unwrap()).is_balanced(), "{size}");
    }
    for size in 1..=6_usize {
        let plan = Plan::parabolic(size, 1.0, 0.4).unwrap();
        assert_eq!(plan.stones.len(), size * (size - 1) * (2 * size - 1) / 3 + 1);
        let edge = |b: &Stone| b.placed().support(DVec3::X);
        let reach = plan.stones.iter().map(edge).fold(f64::MIN, f64::max);
        near(reach - edge(&plan.supports[0]), 0.5 * size as f64, 1e-12);
    }
}

/// The stack of 111 bricks: forces exist, and nothing begins to move.
#[test]
fn the_parabolic_stack_of_111_bricks_balances() {
    let (model, state) = tower(&Plan::parabolic(6, 1.0, 0.4).unwrap(), 0.0);
    let statics = Statics::new(&model, &state).unwrap();
    assert!(is_balanced(&statics));
    let accelerations = &statics.begin_to_fall().accelerations;
    assert!(accelerations.iter().all(|(a, spin)| a.length() < 1e-7 && spin.length() < 1e-7));
}

/// A block on a table that is tilted: it slides or topples, whichever comes first.
#[test]
fn a_block_on_a_tilting_table() {
    for (friction, height) in [(0.3, 1.0), (0.3, 2.0), (0.8, 2.0), (1.5, 1.0)] {
        let plan = Plan::leaning(1, 0.0, 1.0, height).unwrap();
        let (model, state) = tower(&plan, friction);
        let tilts = Statics::new(&model, &state).unwrap().tilts(16).unwrap();
        assert_eq!(tilts.len(), 2);
        for tilt in tilts {
            near(tilt.angle.tan(), f64::min(friction, 1.0 / height), 1e-9);
        }
    }
}

#[test]
fn the_five_diamond_stands_with_enough_friction() {
    let (model, state) = tower(&Plan::diamond(5, 1.0, 0.4).unwrap(), 0.0);
    let friction = Statics::new(&model, &state).unwrap().critical_friction().unwrap();
    near(friction.unwrap(), 0.2110, 5e-5);
}

#[test]
fn a_thin_arch_falls() {
    let stands = |thickness: f64| {
        let (model, state) = tower(&Plan::arch(60, 1.0, thickness).unwrap(), 8.0);
        is_balanced(&Statics::new(&model, &state).unwrap())
    };
    assert!(stands(0.1085) && !stands(0.1055));
}

#[test]
fn the_lowest_heights_of_the_five_diamond() {
    let plan = Plan::diamond(5, 1.0, 0.4).unwrap();
    let planks: Vec<Plank> = plan
        .stones
        .iter()
        .map(|b| {
            let (low, high) = (b.placed().bounds().min, b.placed().bounds().max);
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
    assert!(verdict.is_unbalanced() && verdict.exact);
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
            let brick = Polytope::cuboid(DVec3::new(1.0, 0.5, 0.4)).unwrap();
            solid.stones.push(stone(brick, at));
        }
        let (flat, solid) = (verdict(&flat), verdict(&solid));
        assert_eq!(flat.is_balanced(), solid.is_balanced(), "{lean}");
        assert_eq!((flat.exact, solid.exact), (true, true));
        for (a, b) in flat.accelerations.iter().zip(&solid.accelerations) {
            near(a.0.x, b.0.x, 1e-9);
            near(a.0.y, b.0.z, 1e-9);
            near(a.1.z, -b.1.y, 1e-9);
        }
        if flat.is_balanced() {
            // In space it is least at a slant: bricks are half as deep as wide.
            near(at_a_slant(flat.margin.unwrap(), 0.5), solid.margin.unwrap(), 2e-6);
        }
    }
    assert!(verdict(&Plan::wall(4, 3, DVec3::new(1.0, 0.5, 0.4)).unwrap()).is_balanced());
}

/// The least margin over all directions of a box, if it is this along its width, and its depth is so
/// many widths: the edge is `m / cos` widths away where the box is `cos + depth sin` wide.
fn at_a_slant(margin: f64, depth: f64) -> f64 {
    2.0 * margin / (1.0 + depth.hypot(1.0))
}

/// Diamonds as deep as they please: the verdict, the accelerations and the margin of the plane.
#[test]
fn an_extruded_tower_says_the_same_as_in_2d() {
    for size in 2..=5 {
        let flat = Plan::diamond(size, 1.0, 0.4).unwrap();
        let mut solid = flat.clone();
        solid.stones = flat.stones.iter().map(|s| s.drawn_out(0.5).unwrap()).collect();
        solid.supports = flat.supports.iter().map(|s| s.drawn_out(4.0).unwrap()).collect();
        let ((flat, at), (solid, there)) = (tower(&flat, 0.0), tower(&solid, 0.0));
        let flat = Statics::new(&flat, &at).unwrap();
        let solid = Statics::new(&solid, &there).unwrap();
        assert_eq!((is_balanced(&flat), is_balanced(&solid)), (size <= 4, size <= 4), "{size}");
        let [a, b] = [&flat, &solid].map(|statics| &statics.begin_to_fall().accelerations);
        for (a, b) in a.iter().zip(b) {
            near(a.0.x, b.0.x, 1e-8);
            near(a.0.y, b.0.z, 1e-8);
            near(a.1.z, -b.1.y, 1e-8);
        }
    }
}

/// A slab on a table that is tilted by so much of the angle of friction towards one of sixteen
/// sides, which are no axes.
fn tilted_slab(friction: f64, part: f64, side: usize) -> (Model, State) {
    let (sin, cos) = (part * friction.atan()).sin_cos();
    let (y, x) = (0.1 + std::f64::consts::TAU / 16.0 * side as f64).sin_cos();
    let gravity = DVec3::new(x * sin, y * sin, -cos);
    let (mut model, mut state) = (Model::new(3, gravity), State::default());
    let slab = Shape::cuboid(DVec3::new(1.0, 0.8, 0.2)).unwrap();
    add(&mut model, &mut state, slab, DVec3::Z * 0.1).material.friction = friction;
    let ground = Shape::cuboid(DVec3::splat(20.0)).unwrap();
    let ground = add(&mut model, &mut state, ground, DVec3::Z * -10.0);
    (ground.material.friction, ground.motion) = (friction, Motion::Fixed);
    (model, state)
}

/// Friction is the same in every direction: a slab rests a hair below its angle and slides a hair
/// beyond it, by its forces, by its first acceleration and in its fall.
#[test]
fn a_slab_slides_at_the_angle_of_friction_in_every_direction() {
    for friction in [0.5, 0.3, 1.2] {
        for side in 0..16 {
            for (part, slides) in [(0.999, false), (1.001, true)] {
                let (model, mut state) = tilted_slab(friction, part, side);
                let statics = Statics::new(&model, &state).unwrap();
                let verdict = statics.verdict();
                let balance = if slides { Balance::Unbalanced } else { Balance::Balanced };
                assert_eq!(verdict.balance, balance, "{friction} {part} {side}");
                let (acceleration, _) = statics.begin_to_fall().accelerations[0];
                let pull = model.gravity * DVec3::new(1.0, 1.0, 0.0);
                let speed_up = (pull.length() + friction * model.gravity.z).max(0.0);
                let expected = pull.normalize() * speed_up;
                // As exactly as cones are round, in units of gravity.
                assert!((acceleration - expected).length() < 1e-6, "{acceleration} {expected}");
                let mut collapse = falling(&model, &state, CollapseOptions::default());
                for _ in 0..100 {
                    step(&mut collapse, &mut state);
                }
                let away = state.positions[0] - DVec3::Z * 0.1;
                // As in the plane: steps of the first order, which begin to slide a little late.
                let (expected, off) = (expected * 0.505, 0.02 * expected.length() + 1e-6);
                assert!((away - expected).length() < off, "{side}: {away} {expected}");
            }
        }
    }
}

/// In whole numbers as well, where a direction is no corner of any polygon; and what is exactly at
/// the angle is not decided, unless a corner points there.
#[test]
fn the_angle_of_friction_in_whole_numbers() {
    let judge = |pull: [f64; 2]| {
        let (mut model, state) = tilted_slab(0.5, 0.0, 0);
        model.gravity = DVec3::new(pull[0], pull[1], -1.0);
        let verdict = stable(&model, &state).unwrap();
        (verdict.balance, verdict.exact)
    };
    // (3, 4, 5), and (20, 99, 101), which no tan(a/2) = j/256 gives.
    for [x, y, z] in [[3.0, 4.0, 5.0], [20.0, 99.0, 101.0]] {
        let at = |part: f64| judge([0.5 * part * x / z, 0.5 * part * y / z]);
        assert_eq!(at(0.9999), (Balance::Balanced, true));
        assert_eq!(at(1.0001), (Balance::Unbalanced, true));
    }
    assert_eq!(judge([0.3, 0.4]), (Balance::Balanced, true), "a corner points there");
    assert_eq!(judge([0.0, -0.5]), (Balance::Balanced, true));
    let (balance, exact) = judge([10.0 / 101.0, 49.5 / 101.0]);
    let Balance::Undecided([low, high]) = balance else { panic!("{balance:?}") };
    assert!(exact && low < 1.0 && high > 1.0 && high - low < 1e-4);
}

/// The critical tilt, the load factor and the critical friction go by the round cone.
#[test]
fn limits_go_by_the_round_cone() {
    let (model, state) = tilted_slab(0.5, 0.0, 0);
    let statics = Statics::new(&model, &state).unwrap();
    for tilt in statics.tilts(16).unwrap() {
        near(tilt.angle.tan(), 0.5, 1e-8);
    }
    for side in 0..16 {
        let (sin, cos) = (0.3 + 0.4 * side as f64).sin_cos();
        let push = DVec3::new(cos, sin, 0.0);
        near(statics.load_factor(0, DVec3::ZERO, push).unwrap(), 0.5, 1e-8);
        let (mut model, state) = tilted_slab(0.5, 0.7, side);
        let slope = (0.7 * 0.5_f64.atan()).tan();
        model.bodies[0].material.friction = 0.0;
        let friction = Statics::new(&model, &state).unwrap().critical_friction().unwrap();
        near(friction.unwrap(), slope, 1e-7);
    }
}

/// A cube on an incline slides beyond the angle of friction, and not before.
#[test]
fn a_cube_on_an_incline() {
    for (slope, slides) in [(0.29_f64, false), (0.31, true)] {
        let angle = slope.atan();
        let gravity = DVec3::new(angle.sin(), 0.0, -angle.cos());
        let (mut model, mut state) = (Model::new(3, gravity), State::default());
        let cube = |size: f64| Shape::cuboid(DVec3::splat(size)).unwrap();
        add(&mut model, &mut state, cube(1.0), DVec3::Z * 0.5).material.friction = 0.3;
        let ground = add(&mut model, &mut state, cube(20.0), DVec3::Z * -10.0);
        (ground.material.friction, ground.motion) = (0.3, Motion::Fixed);
        let verdict = stable(&model, &state).unwrap();
        assert_eq!(verdict.is_balanced(), !slides);
        let mut collapse = falling(&model, &state, CollapseOptions::default());
        for _ in 0..100 {
            step(&mut collapse, &mut state);
        }
        // x = 1/2 a t^2 with a = sin - mu cos, up to the first order of the time step.
        let expected = if slides { 0.5 * (angle.sin() - 0.3 * angle.cos()) } else { 0.0 };
        near(state.positions[0].x, expected, 0.02 * expected + 1e-9);
        near(state.positions[0].z, 0.5, 1e-4);
    }
}

/// Random towers of bricks of one height: linear program, first accelerations and
/// simulation say the same.
#[test]
fn three_answers_agree_on_random_towers() {
    let (mut standing, mut fallen) = (0, 0);
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
        plan.stones = feet
            .iter()
            .map(|&(x, width, row)| {
                let at = DVec3::new(x, 0.4 * row as f64 + 0.2, 0.0);
                stone(Polytope::rectangle(width, 0.4).unwrap(), at)
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
        let (model, start) = tower(&plan, 0.0);
        let statics = Statics::new(&model, &start).unwrap();
        let balanced = is_balanced(&statics);
        let margin = match balanced {
            true => statics.margin_within(statics.simplex().unwrap(), WIDEST)[0],
            false => statics.deficit().unwrap_or(-1.0),
        };
        if margin.abs() < 1e-6 {
            continue;
        }
        let accelerations = &statics.begin_to_fall().accelerations;
        let fastest =
            accelerations.iter().map(|a| a.0.length().max(a.1.length())).fold(0.0, f64::max);
        assert_eq!(
            balanced,
            fastest < statics.tolerance.balance,
            "seed {seed}: margin {margin}, acceleration {fastest}"
        );
        let mut state = start.clone();
        let mut collapse = falling(&model, &state, CollapseOptions::default());
        for _ in 0..200 {
            step(&mut collapse, &mut state);
        }
        let moved = state.positions.iter().zip(&start.positions).map(|(a, b)| (*a - *b).length());
        let moved = moved.fold(0.0, f64::max);
        assert_eq!(balanced, moved < 1e-6, "seed {seed}: margin {margin}, moved {moved}");
        if balanced { standing += 1 } else { fallen += 1 }
    }
    assert!(standing + fallen >= 200, "{standing} standing, {fallen} falling");
    assert!(standing > 60 && fallen > 60, "{standing} standing, {fallen} falling");
}

/// An arch whose stones are meshes says the same as the one of the plane, thick or thin.
#[test]
fn an_arch_of_meshes_says_the_same_as_in_2d() {
    for (thickness, stands) in [(0.15, true), (0.13, true), (0.09, false)] {
        let flat = Plan::arch(15, 2.0, thickness).unwrap();
        let (plane, at) = tower(&flat, 0.7);
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        let count = flat.stones.len();
        for (k, stone) in flat.stones.iter().chain(&flat.supports).enumerate() {
            let deep = stone.drawn_out(0.5).unwrap().placed().mesh();
            let shape = Shape::from_mesh(&deep).unwrap();
            let body = add(&mut model, &mut state, shape, DVec3::ZERO);
            body.material.friction = 0.7;
            body.motion = if k < count { Motion::Free } else { Motion::Fixed };
        }
        let (flat, deep) = (stable(&plane, &at).unwrap(), stable(&model, &state).unwrap());
        assert_eq!((flat.is_balanced(), deep.is_balanced()), (stands, stands), "{thickness}");
        for (a, b) in flat.accelerations.iter().zip(&deep.accelerations) {
            near(a.0.x, b.0.x, 1e-6);
            near(a.0.y, b.0.z, 1e-6);
            near(a.1.z, -b.1.y, 1e-6);
        }
    }
}

/// A table with two legs, not convex, balances while both legs are on the ground: a corner on a corner
/// is not, nor is a hair beside it.
#[test]
fn a_body_that_is_not_convex_is_decided_exactly() {
    let table = [
        [-1.0, 0.0],
        [-0.75, 0.0],
        [-0.75, 0.5],
        [0.75, 0.5],
        [0.75, 0.0],
        [1.0, 0.0],
        [1.0, 0.75],
        [-1.0, 0.75],
    ];
    for (x, stands) in
        [(0.0, true), (0.249, true), (0.25, false), (0.25 + 1e-5, false), (0.251, false)]
    {
        let (mut model, mut state) = (Model::new(2, DVec3::NEG_Y), State::default());
        add(&mut model, &mut state, Shape::polygon(&table, &[]).unwrap(), DVec3::X * x);
        let ground = rectangle(2.0, 1.0);
        add(&mut model, &mut state, ground, DVec3::Y * -0.5).motion = Motion::Fixed;
        let verdict = stable(&model, &state).unwrap();
        assert_eq!((verdict.is_balanced(), verdict.exact), (stands, true), "{x}");
    }
}

/// A container counts as fixed: a stack in a box stands by exact arithmetic, also in the slanted
/// corner of one, where the forces have a closed form.
#[test]
fn containers_bear_what_stands_in_them() {
    let (mut model, mut state) = (Model::new(2, DVec3::NEG_Y), State::default());
    model.boundary = Boundary::from_polygon(&[[0.0, 0.0], [4.0, -3.0], [8.0, 0.0], [4.0, 8.0]]);
    model.wall.friction = 0.0;
    // A square on its edge fits the right angle nowhere: it rests on two corners of the V.
    add(&mut model, &mut state, rectangle(2.0, 2.0), DVec3::new(4.0, -1.25, 0.0));
    let verdict = stable(&model, &state).unwrap();
    assert!(verdict.is_balanced() && verdict.exact, "{verdict:?}");
    let forces: Vec<&Contact> = verdict.forces.iter().map(|f| &f.contact).collect();
    assert_eq!(forces.len(), 2);
    assert!(forces.iter().all(|c| matches!(c.with, With::Face(0 | 1))));
    // The faces lean by (3, 4) / 5: each bears half the weight over 4/5.
    assert!(forces.iter().all(|c| (c.force.length() - 0.625).abs() < 1e-9));
    // A box on the floor of a box in 3D.
    let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
    model.boundary = Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::splat(3.0)));
    for k in 0..2 {
        let at = DVec3::new(1.5 + 0.4 * k as f64, 1.5, 0.5 + k as f64);
        add(&mut model, &mut state, Shape::cuboid(DVec3::ONE).unwrap(), at);
    }
    let verdict = stable(&model, &state).unwrap();
    assert!(verdict.is_balanced() && verdict.exact);
    near(verdict.margin.unwrap(), at_a_slant(0.1, 1.0), 2e-6);
}

/// Balls: one in a groove bears half of its weight over the cosine on either side; three in a row
/// with one on top of two need the sides of the container.
#[test]
fn a_frame_with_balls() {
    let (mut model, mut state) = (Model::new(2, DVec3::NEG_Y), State::default());
    model.boundary = Boundary::from_polygon(&[[0.0, 0.0], [4.0, -3.0], [8.0, 0.0], [4.0, 8.0]]);
    model.wall.friction = 0.0;
    add(&mut model, &mut state, Shape::disc(1.0), DVec3::new(4.0, -1.75, 0.0));
    let verdict = stable(&model, &state).unwrap();
    assert!(verdict.is_balanced() && !verdict.exact && verdict.forces.len() == 2);
    let force = |f: &Reaction| f.contact.force.length();
    assert!(verdict.forces.iter().all(|f| (force(f) - 0.625).abs() < 1e-9), "{verdict:?}");

    // Balls of a unit radius: two on the floor, apart by 2.4, and one in the gap above.
    let half = 1.2_f64;
    let rise = (4.0 - half * half).sqrt();
    for (width, stands) in [(2.0 * half + 2.0, true), (2.0 * half + 2.5, false)] {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        let size = DVec3::new(width, 2.0, 9.0);
        model.boundary = Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, size));
        model.wall.friction = 0.0;
        let middle = 0.5 * width;
        for (x, z) in [(-half, 1.0), (half, 1.0), (0.0, 1.0 + rise)] {
            let at = DVec3::new(middle + x, 1.0, z);
            add(&mut model, &mut state, Shape::ball(1.0), at);
        }
        // As a run leaves it: apart by a billionth.
        state.positions[2].z += 1e-9;
        let statics = Statics::within(&model, &state, Tolerance::FRAME).unwrap();
        let verdict = statics.verdict();
        assert_eq!(verdict.is_balanced(), stands, "{width}");
        if stands {
            // The upper ball's weight along the lines of centres, sin = rise / 2.
            let top = verdict.forces.iter().filter(|f| f.contact.with == With::Body(2));
            let along: Vec<f64> = top.map(force).collect();
            assert!(along.len() == 2 && along.iter().all(|f| (f - 1.0 / rise).abs() < 1e-6));
        } else {
            assert!(verdict.accelerations[2].0.z < -0.1);
        }
    }
}

/// A capsule lies on a plane and does not stand on its end; a cylinder, as the prism around it,
/// stands on its base and rolls off its side only without friction.
#[test]
fn capsules_and_cylinders() {
    let judge = |shape: &Shape, turn: f64, height: f64, push: DVec3| {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z + push), State::default());
        let at = DVec3::Z * height;
        add(&mut model, &mut state, shape.clone(), at).material.friction = 1.0;
        state.rotations[0] = DQuat::from_rotation_x(turn);
        let ground = Shape::cuboid(DVec3::new(10.0, 10.0, 1.0)).unwrap();
        let ground = add(&mut model, &mut state, ground, DVec3::Z * -0.5);
        (ground.motion, ground.material.friction) = (Motion::Fixed, 1.0);
        stable(&model, &state).unwrap().is_balanced()
    };
    let quarter = 0.5 * std::f64::consts::PI;
    let capsule = Shape::capsule(0.5, 2.0).unwrap();
    assert!(judge(&capsule, quarter, 0.5, DVec3::ZERO));
    assert!(judge(&capsule, quarter, 0.5, DVec3::Y * 0.9), "lengthwise it holds by friction");
    assert!(!judge(&capsule, quarter, 0.5, DVec3::X * 0.01), "sideways it rolls");
    assert!(judge(&capsule, 0.0, 1.5, DVec3::ZERO), "on its end it is just balanced");
    assert!(!judge(&capsule, 0.0, 1.5, DVec3::X * 0.01));
    let cylinder = Shape::cylinder(0.5, 2.0).unwrap();
    assert!(judge(&cylinder, 0.0, 1.0, DVec3::X * 0.49));
    assert!(!judge(&cylinder, 0.0, 1.0, DVec3::X * 0.51), "it topples over its rim");
}

/// A lamp on a wall: each kind of joint bears what it holds, and no more.
#[test]
fn joints_bear_what_their_kind_holds() {
    let judge = |kind: JointKind, axis: DVec3| {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        add(&mut model, &mut state, Shape::cuboid(DVec3::ONE).unwrap(), DVec3::X);
        let ends = [DVec3::ZERO; 2];
        model.join(&state, kind, [Some(0), None], ends, [axis; 2]);
        stable(&model, &state).unwrap().is_balanced()
    };
    assert!(judge(JointKind::Fixed, DVec3::X));
    assert!(!judge(JointKind::Ball, DVec3::X), "it swings down");
    assert!(judge(JointKind::Hinge, DVec3::Z) && judge(JointKind::Hinge, DVec3::X));
    assert!(!judge(JointKind::Hinge, DVec3::Y));
    assert!(judge(JointKind::Slider, DVec3::X) && !judge(JointKind::Slider, DVec3::Z));
    assert!(!judge(JointKind::Angle, DVec3::X), "nothing holds it up");
    let hung = |kind: JointKind, z: f64| {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        add(&mut model, &mut state, Shape::cuboid(DVec3::ONE).unwrap(), DVec3::ZERO);
        let ends = [DVec3::ZERO, DVec3::Z * z];
        let joint: &mut Joint = model.join(&state, kind, [Some(0), None], ends, [DVec3::Z; 2]);
        joint.collide = true;
        stable(&model, &state).unwrap().is_balanced()
    };
    let rope = JointKind::Distance { least: 0.0, most: 2.0 };
    assert!(hung(rope, 2.0) && !hung(rope, -2.0) && !hung(rope, 1.9));
    let bar = JointKind::Distance { least: 2.0, most: 2.0 };
    assert!(hung(bar, 2.0) && hung(bar, -2.0));
    let strut = JointKind::Distance { least: 2.0, most: 3.0 };
    assert!(!hung(strut, 2.0) && hung(strut, -2.0));
}

/// More bodies than the simplex method takes: the interior-point method decides.
#[test]
fn a_heap_of_many_bodies_is_decided() {
    let mut plan = Plan::rows(&[26; 20], 1.0, 0.4).unwrap();
    plan.supports = Plan::diamond(2, 1.0, 0.4).unwrap().supports;
    let (mut model, state) = tower(&plan, 0.5);
    let statics = Statics::new(&model, &state).unwrap();
    // A column of twenty, 1 wide and 8 high, stands by itself up to 1/8; friction is 1/2.
    let [one, two] = statics.tilts(4).unwrap()[..] else { panic!("a plane has two sides") };
    near(one.angle, two.angle, 1e-9);
    assert!(one.angle.tan() > 0.125 && one.angle.tan() < 0.5, "{one:?}");
    let verdict = statics.verdict();
    assert!(verdict.is_balanced() && verdict.margin.is_some_and(|m| m > 0.0) && !verdict.exact);
    model.gravity = DVec3::new(0.6, -1.0, 0.0);
    assert!(!stable(&model, &state).unwrap().is_balanced());
}
