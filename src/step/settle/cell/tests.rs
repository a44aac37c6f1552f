use super::*;
use crate::contact::samples::{cuboid, flat_hourglass, model};
use proptest::prelude::*;

const PLAN: Plan = Plan {
    reach: Reach::RotatedCube,
    reach_radii: 1.0,
    proximal: 1e-3,
    conservative: 0.0,
    accuracy: Accuracy { relative: 0.0, absolute: 1e-9, max_iterations: 60 },
    lazy: true,
    forces: Stand::AsAsked,
    stretch: COARSE_STRETCH,
    momentum: false,
};

fn assert_orthonormal(axes: DMat3) {
    let off = axes.transpose() * axes - DMat3::IDENTITY;
    assert!(off.to_cols_array().iter().all(|x| x.abs() < 1e-14), "{axes}");
}

proptest! {
    #[test]
    fn boxes_are_turned_to_gravity(x in -1.0..1.0, y in -1.0..1.0, z in -1.0..1.0, flat: bool) {
        let gravity = DVec3::new(x, y, if flat { 0.0 } else { z });
        prop_assume!(gravity.length() > 1e-3);
        let (down, dimension) = (gravity.normalize(), if flat { 2 } else { 3 });
        let (upright, corner) = (axis_along(gravity, dimension), corner_along(gravity, dimension));
        assert_orthonormal(upright);
        assert_orthonormal(corner);
        prop_assert!(upright.col(dimension - 1).distance(down) < 1e-14);
        let furthest: DVec3 = (0..dimension).map(|k| corner.col(k)).sum();
        prop_assert!(furthest.normalize().distance(down) < 1e-14);
    }
}

#[test]
fn gravity_along_an_axis_gives_the_axes_of_the_scene() {
    for down in [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z] {
        let axes = axis_along(down, 3);
        assert_orthonormal(axes);
        assert!(axes.to_cols_array().iter().all(|x| [0.0, 1.0].contains(&x.abs())), "{axes}");
    }
}

#[test]
fn growing_boxes_grow_along_gravity_only() {
    let model = model(cuboid(10.0), &[0.5, 1.0]);
    let mut memory = Memory::new(&model);
    memory.heights = vec![3.0, 1.0];
    let state = State { positions: vec![DVec3::splat(3.0); 2] };
    let forces = energy::forces(&model, &state);
    let boxes = reach_boxes(&model, &forces, &Plan { reach: Reach::GrowingBox, ..PLAN }, &memory);
    assert_eq!((boxes[0].low, boxes[0].high), (DVec3::splat(-0.5), DVec3::new(0.5, 0.5, 1.5)));
    assert_eq!((boxes[1].low, boxes[1].high), (-DVec3::ONE, DVec3::ONE));
    assert_eq!(boxes[0].axes.col(2), -DVec3::Z);
    let cubes = reach_boxes(&model, &forces, &Plan { reach: Reach::AxisBox, ..PLAN }, &memory);
    assert_eq!(cubes[0].high, DVec3::splat(0.5));
}

#[test]
fn a_shrunk_box_keeps_its_corners_within_reach() {
    let (low, high) = (-DVec3::ONE, DVec3::new(1.0, 1.0, 3.0));
    let mut reach = MotionBox { axes: DMat3::IDENTITY, low, high };
    shrink(&mut reach, f64::INFINITY);
    assert_eq!((reach.low, reach.high), (low, high));
    shrink(&mut reach, 0.5);
    let longest = reach.low.abs().max(reach.high.abs()).length();
    assert!((longest - 0.5).abs() < 1e-15);
}

#[test]
fn regions_hold_the_body_wherever_it_goes() {
    let model = model(cuboid(10.0), &[0.5, 0.5]);
    let state = State { positions: vec![DVec3::splat(2.0), DVec3::splat(5.0)] };
    let forces = energy::forces(&model, &state);
    let boxes = reach_boxes(&model, &forces, &PLAN, &Memory::new(&model));
    let regions = regions(&model, &state, &[true, false], &boxes, 0.0);
    for corner in 0..8 {
        let side = |k: usize| if corner >> k & 1 == 1 { 0.5 } else { -0.5 };
        let motion = boxes[0].axes * DVec3::new(side(0), side(1), side(2));
        let there = Aabb::from_sphere(state.positions[0] + motion, 0.5);
        assert!(regions[0].contains(there.min) && regions[0].contains(there.max));
    }
    assert!((regions[1].size() - 1.0).length() < 1e-5, "who sleeps stays where it is");
}

/// What the rule makes of wanted motions: ball 0 (on the floor) may be
/// pushed along x by ball 1, ball 2 is far away.
fn held(wanted: [DVec3; 3]) -> Vec<DVec3> {
    let model = model(cuboid(10.0), &[0.5; 3]);
    let positions = [[5.0, 5.0, 0.5], [4.0, 5.0, 0.5], [8.0, 8.0, 0.5]];
    let state = State { positions: positions.map(DVec3::from_array).to_vec() };
    let (memory, active) = (Memory::new(&model), [true; 3]);
    let mut watch = Stopwatch::new(|| 0.0);
    let cell = Cell::around(&model, &state, &active, &PLAN, &memory, &mut watch);
    let program = cell.program(&PLAN, None);
    let mut motion = wanted.to_vec();
    cell.hold_still(&program, &mut motion);
    motion
}

#[test]
fn what_gains_nothing_and_is_in_nobodys_way_stays() {
    let aside = DVec3::X * 0.1;
    assert_eq!(held([aside, DVec3::ZERO, aside]), [DVec3::ZERO; 3]);
    // Ball 1 gains (it sinks) and pushes ball 0; nobody pushes ball 2.
    let pushing = aside - DVec3::Z * 0.1;
    assert_eq!(held([aside, pushing, aside]), [aside, pushing, DVec3::ZERO]);
}

#[test]
fn noise_becomes_nothing() {
    let falls = DVec3::new(3e-15, 0.2, -0.1);
    let [x, y, z] = held([DVec3::splat(-1e-15), DVec3::ZERO, falls])[2].to_array();
    assert_eq!([x, y, z], [0.0, 0.2, -0.1]);
    assert_eq!(held([DVec3::splat(-1e-15); 3]), [DVec3::ZERO; 3]);
}

/// A free ball falls to the corner of its cube, in 3D and in 2D.
#[test]
fn a_free_fall_ends_in_the_corner() {
    let fall = |model: &Model, centre: DVec3| {
        let state = State { positions: vec![centre] };
        let (memory, mut watch) = (Memory::new(model), Stopwatch::new(|| 0.0));
        let found = best_motion(model, &state, &[true], &PLAN, &memory, None, &mut watch);
        assert!((found.decrease - found.motion[0].length()).abs() < 1e-9);
        found.motion[0]
    };
    let motion = fall(&model(cuboid(10.0), &[0.5]), DVec3::splat(5.0));
    assert!(motion.distance(DVec3::Z * -0.75_f64.sqrt()) < 1e-6, "{motion}");
    let motion = fall(&model(flat_hourglass(), &[0.5]), DVec3::Y * 11.0);
    assert!(motion.distance(DVec3::Y * -0.5_f64.sqrt()) < 1e-6, "{motion}");
}

/// Pairs that were left out of the program at first are found by the
/// sweep: lazy or not, the answer keeps everybody apart.
#[test]
fn lazy_rows_miss_nothing() {
    let model = model(cuboid(10.0), &[0.5, 0.5]);
    let state = State { positions: vec![DVec3::new(5.0, 5.0, 0.5), DVec3::new(5.0, 5.0, 2.0)] };
    let (memory, mut watch) = (Memory::new(&model), Stopwatch::new(|| 0.0));
    let mut best = |lazy: bool| {
        let plan = Plan { lazy, ..PLAN };
        best_motion(&model, &state, &[true; 2], &plan, &memory, None, &mut watch)
    };
    let (lazy, eager) = (best(true), best(false));
    assert!((lazy.decrease - 0.5).abs() < 1e-6 && (eager.decrease - 0.5).abs() < 1e-6);
    let pair = Pair { i: 0, j: 1, offset: DVec3::ZERO };
    assert!(sweep_is_clear(&model, &state, &pair, lazy.motion[0], lazy.motion[1]));
}
