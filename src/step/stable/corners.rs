//! What bodies bear that meet at corners and edges only: grids, seams, leaning cards. All have
//! closed forms.

use super::*;
use crate::math::DQuat;
use crate::scene::towers::{Plan, Stone};
use crate::shape::{Polytope, Shape};
use crate::step::collapse::samples::{add, near, rectangle, tower};
use crate::world::{Motion, Weight};

/// A grid of unit cubes, so many along x, y and z, turned as a whole.
fn grid(counts: [i32; 3], friction: f64, shape: &Shape, turn: DQuat) -> (Model, State) {
    let (mut model, mut state) = (Model::new(3, turn * DVec3::NEG_Z), State::default());
    let mut put = |shape: Shape, at: DVec3, motion: Motion| {
        let weight = Weight::Mass(1.0);
        let body = model.add(&mut state, shape, turn * at, turn, weight).unwrap();
        (body.motion, body.material.friction) = (motion, friction);
    };
    for k in 0..counts.iter().product() {
        let (x, y, z) = (k % counts[0], k / counts[0] % counts[1], k / counts[0] / counts[1]);
        let at = DVec3::new(f64::from(x), f64::from(y), f64::from(z) + 0.5);
        put(shape.clone(), at, Motion::Free);
    }
    let ground = Shape::cuboid(DVec3::new(9.0, 9.0, 1.0)).unwrap();
    put(ground, DVec3::new(0.0, 0.0, -0.5), Motion::Fixed);
    (model, state)
}

/// Two boxes of this size make one body; they meet where x is zero.
fn side_by_side(size: DVec3) -> Shape {
    let half = |side: f64| {
        let at = DVec3::X * (0.5 * side * size.x);
        (Shape::cuboid(size).unwrap(), at, DQuat::IDENTITY)
    };
    Shape::compound(vec![half(-1.0), half(1.0)]).unwrap()
}

/// Two columns of width w and height h, side by side, tilt until the lower one slides and both stand on
/// their lower edges. The upper one pushes with N near the ground and rubs with m N downwards:
/// N (1 - m m) = (m - t) W of sliding, t h W = w (W + m N) of the moments.
fn two_columns(width: f64, height: f64, friction: f64) -> f64 {
    width / (height * (1.0 - friction * friction) + width * friction)
}

/// Columns do not hold each other at the corners of their cubes, whatever makes the cubes.
#[test]
fn grids_tip_at_their_columns() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let mesh = Shape::from_mesh(&Polytope::cuboid(DVec3::ONE).unwrap().mesh()).unwrap();
    let halves = side_by_side(DVec3::new(0.5, 1.0, 1.0));
    let turned = DQuat::from_scaled_axis(DVec3::new(0.3, -0.7, 1.1));
    for (shape, counts, turn, pieces) in [
        (&cube, [2, 1, 3], DQuat::IDENTITY, 1),
        (&cube, [2, 1, 3], turned, 1),
        (&mesh, [2, 1, 4], DQuat::IDENTITY, 1),
        (&halves, [2, 1, 3], DQuat::IDENTITY, 2),
    ] {
        assert_eq!(shape.pieces.len(), pieces);
        let (model, state) = grid(counts, 0.5, shape, turn);
        let statics = Statics::new(&model, &state).unwrap();
        let height = f64::from(counts[2]);
        for (side, wanted) in [
            (DVec3::X, two_columns(1.0, height, 0.5)),
            (DVec3::NEG_X, two_columns(1.0, height, 0.5)),
            (DVec3::Y, 1.0 / height),
            (DVec3::NEG_Y, 1.0 / height),
        ] {
            let tilt = statics.tilt(turn * side).unwrap();
            near(tilt.angle.tan(), wanted, 1e-7);
        }
    }
}

/// A wall in running bond is the same from either side, and so is one in stack bond.
#[test]
fn walls_have_two_sides() {
    for rows in [[5, 4, 5, 4], [4, 4, 4, 4], [5, 4, 3, 2], [4, 5, 4, 5], [2, 2, 2, 2]] {
        let mut plan = Plan::rows(&rows, 1.0, 0.4).unwrap();
        plan.supports = vec![Stone {
            polytope: Polytope::rectangle(20.0, 1.0).unwrap(),
            at: DVec3::Y * -0.5,
            turn: DQuat::IDENTITY,
        }];
        let (model, state) = tower(&plan, 0.8);
        let tilts = Statics::new(&model, &state).unwrap().tilts(2).unwrap();
        near(tilts[0].angle, tilts[1].angle, 1e-9);
        if rows == [2; 4] {
            near(tilts[0].angle.tan(), two_columns(1.0, 1.6, 0.8), 1e-9);
        }
    }
}

/// Squares that meet corner to corner are seen by normals a quarter of a turn apart: below a friction
/// of 1 no force is in the cones of both.
#[test]
fn corners_bear_what_all_their_normals_would() {
    let judge = |friction: f64| {
        let (mut model, mut state) = (Model::new(2, DVec3::new(1.0, 1.0, 0.0)), State::default());
        add(&mut model, &mut state, rectangle(1.0, 1.0), DVec3::ZERO).material.friction = friction;
        let other = add(&mut model, &mut state, rectangle(1.0, 1.0), DVec3::new(1.0, 1.0, 0.0));
        (other.motion, other.material.friction) = (Motion::Fixed, friction);
        stable(&model, &state).unwrap()
    };
    for friction in [0.0, 0.5, 0.99] {
        let verdict = judge(friction);
        assert!(verdict.is_unbalanced() && verdict.forces.is_empty(), "{friction}");
    }
    let verdict = judge(1.01);
    assert!(verdict.is_balanced() && !verdict.exact && verdict.forces.len() == 1);
}

/// A cube on its corner, and on its edge, pushes along the normal of the face below it, be it one
/// face or two of pieces that meet under the corner; the corner of a square on a level edge does so, too.
#[test]
fn corners_and_edges_on_faces_press() {
    let whole = Shape::cuboid(DVec3::new(8.0, 8.0, 1.0)).unwrap();
    let seam = side_by_side(DVec3::new(4.0, 8.0, 1.0));
    let on_corner = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::Z);
    let on_edge = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4);
    for ground in [&whole, &seam] {
        for (turn, height) in [(on_corner, 0.75_f64.sqrt()), (on_edge, 0.5_f64.sqrt())] {
            let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
            let cube = Shape::cuboid(DVec3::ONE).unwrap();
            let weight = Weight::Mass(1.0);
            model.add(&mut state, cube, DVec3::Z * height, turn, weight).unwrap();
            let ground = add(&mut model, &mut state, ground.clone(), DVec3::Z * -0.5);
            ground.motion = Motion::Fixed;
            let statics = Statics::new(&model, &state).unwrap();
            assert!(!statics.touches.is_empty());
            for touch in &statics.touches {
                assert!((touch.normal - DVec3::Z).length() < 1e-9 && touch.spread == 0.0);
            }
            let simplex = statics.simplex().unwrap();
            assert!(statics.left_over(simplex) < 1e-9, "exactly above what holds it");
        }
    }
}

/// Two cards lean on each other at their upper corners, `angle` to the vertical. The normals there are
/// up to that angle from level, and the push is level: friction must be its tangent, and more than the
/// feet need.
#[test]
fn leaning_cards() {
    let (length, thickness) = (2.0, 0.1);
    for degrees in [10_f64, 25.0, 40.0] {
        let angle = degrees.to_radians();
        let (mut model, mut state) = (Model::new(2, DVec3::NEG_Y), State::default());
        for side in [-1.0, 1.0] {
            // The inner face runs from the ground to the apex.
            let (up, out) = ([-side * angle.sin(), angle.cos()], [side * angle.cos(), angle.sin()]);
            let at = |u: f64, v: f64| {
                let foot = side * length * angle.sin();
                [foot + u * up[0] + v * out[0], u * up[1] + v * out[1]]
            };
            let mut corners =
                [at(0.0, 0.0), at(0.0, thickness), at(length, thickness), at(length, 0.0)];
            if side < 0.0 {
                corners.reverse();
            }
            let card = Shape::polygon(&corners, &[]).unwrap();
            add(&mut model, &mut state, card, DVec3::ZERO).material.friction = 1.0;
        }
        let ground = add(&mut model, &mut state, rectangle(9.0, 1.0), DVec3::Y * -0.5);
        (ground.motion, ground.material.friction) = (Motion::Fixed, 1.0);
        let statics = Statics::new(&model, &state).unwrap();
        let verdict = statics.verdict();
        assert!(verdict.is_balanced(), "{degrees}");
        let level = 0.5 * (angle.tan() - thickness / length);
        let apex = verdict.forces.iter().find(|f| f.contact.with == crate::world::With::Body(1));
        near(apex.unwrap().contact.force.x.abs(), level, 1e-6);
        near(statics.critical_friction().unwrap().unwrap(), angle.tan(), 1e-6);
    }
}
