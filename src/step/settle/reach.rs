//! How far every body may move in one step [M96 4.3, 4.4], and the boxes that
//! bodies cannot leave in it.

use super::fields::down;
use super::memory::Memory;
use super::plan::Plan;
use crate::contact::Cores;
use crate::energy::Forces;
use crate::math::{DMat3, DVec3, SKIN};
use crate::scene::Reach;
use crate::shape::Aabb;
use crate::solver::MotionBox;
use crate::world::{Model, State};

/// Every body's box of allowed motion [M96 4.3, 4.4].
pub(super) fn reach_boxes(
    model: &Model,
    forces: &Forces,
    plan: &Plan,
    memory: &Memory,
) -> Vec<MotionBox> {
    let boxes = model.bodies.iter().enumerate().map(|(i, body)| {
        let down = down(model, forces, i);
        let axes = match plan.reach {
            Reach::RotatedCube => corner_along(down, model.dimension),
            Reach::AxisBox | Reach::GrowingBox => axis_along(down, model.dimension),
        };
        let half = DVec3::splat(plan.reach_radii * body.radius);
        let mut high = half;
        if plan.reach == Reach::GrowingBox {
            high[model.dimension - 1] *= memory.heights[i];
        }
        MotionBox { axes, low: -half, high }
    });
    boxes.collect()
}

/// Axes whose last one (of `dimension`) points along gravity; the axes of the
/// scene where gravity is along one of them.
fn axis_along(gravity: DVec3, dimension: usize) -> DMat3 {
    let down = gravity.normalize();
    if dimension == 2 {
        return DMat3::from_cols(DVec3::new(-down.y, down.x, 0.0), down, DVec3::Z);
    }
    let side = if down.x.abs() < 0.9 { DVec3::X } else { DVec3::Y };
    let first = (side - down * side.dot(down)).normalize();
    DMat3::from_cols(first, down.cross(first), down)
}

/// Axes of a cube (a square) with a corner pointing along gravity.
fn corner_along(gravity: DVec3, dimension: usize) -> DMat3 {
    let upright = axis_along(gravity, dimension);
    if dimension == 2 {
        let half = 0.5_f64.sqrt();
        let turned = |a: f64, b: f64| upright.col(0) * a + upright.col(1) * b;
        return DMat3::from_cols(turned(half, half), turned(-half, half), DVec3::Z);
    }
    // Three orthonormal axes, each at the same angle to the third of `upright`.
    let (low, third) = ((2.0_f64 / 3.0).sqrt(), (1.0_f64 / 3.0).sqrt());
    let axis = |turn: f64| {
        let angle = turn * std::f64::consts::TAU / 3.0;
        upright * DVec3::new(low * angle.cos(), low * angle.sin(), third)
    };
    DMat3::from_cols(axis(0.0), axis(1.0), axis(2.0))
}

/// The longest motion in a box.
pub(super) fn longest(reach: &MotionBox) -> f64 {
    reach.low.abs().max(reach.high.abs()).length()
}

/// How far the motions in a box go in a direction.
pub(super) fn furthest(reach: &MotionBox, direction: DVec3) -> f64 {
    let along = reach.axes.transpose() * direction;
    (along * reach.low).max(along * reach.high).element_sum()
}

/// Scales a box so that no motion in it is longer than `clear`.
pub(super) fn shrink(reach: &mut MotionBox, clear: f64) {
    let longest = longest(reach);
    if clear < longest {
        let factor = (clear / longest).max(SKIN);
        reach.low *= factor;
        reach.high *= factor;
    }
}

/// The boxes that the bodies cannot leave during this step.
pub(super) fn regions(
    cores: &Cores,
    state: &State,
    active: &[bool],
    boxes: &[MotionBox],
    smoothing: f64,
) -> Vec<Aabb> {
    let model = &*cores.model;
    let region = |i: usize| {
        let centre = state.positions[i];
        let mut grown = DVec3::splat(model.bodies[i].radius * (1.0 + 1e-6));
        let (mut min, mut max) = (centre, centre);
        if !cores.is_ball(i) {
            let bounds = cores.extent(i);
            (min, max) = (centre + bounds.min, centre + bounds.max);
            grown = DVec3::splat(smoothing + 1e-6 * model.bodies[i].radius);
        }
        if active[i] {
            let b = &boxes[i];
            for k in 0..model.dimension {
                let (one, other) = (b.axes.col(k) * b.low[k], b.axes.col(k) * b.high[k]);
                min += one.min(other);
                max += one.max(other);
            }
        }
        Aabb { min: min - grown, max: max + grown }
    };
    (0..model.bodies.len()).map(region).collect()
}

#[cfg(test)]
mod tests {
    use super::super::samples::{PLAN, at};
    use super::*;
    use crate::contact::samples::{cuboid, model};
    use crate::energy;
    use crate::math::Random;
    use crate::scene::SettleOptions;
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn nothing_in_a_box_goes_further_than_its_furthest(seed: u64) {
            let random = &mut Random::new(seed);
            let mut vector = || DVec3::new(random.normal(), random.normal(), random.normal());
            let (gravity, direction) = (vector(), vector());
            let (low, high) = (-vector().abs(), vector().abs());
            let reach = MotionBox { axes: corner_along(gravity, 3), low, high };
            let corners = (0..8).map(|corner| {
                let side = |k: usize| if corner >> k & 1 == 1 { high[k] } else { low[k] };
                direction.dot(reach.axes * DVec3::new(side(0), side(1), side(2)))
            });
            let furthest = furthest(&reach, direction);
            let expected = corners.fold(f64::NEG_INFINITY, f64::max);
            prop_assert!((furthest - expected).abs() < 1e-13 * (1.0 + expected));
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
        let (cores, state) = at(model(cuboid(10.0), &[0.5, 1.0]), &[DVec3::splat(3.0); 2]);
        let mut memory = Memory::new(&cores, &SettleOptions::default());
        memory.heights = vec![3.0, 1.0];
        let (model, forces) = (&cores.model, energy::forces(&cores.model, &state));
        let boxes =
            reach_boxes(model, &forces, &Plan { reach: Reach::GrowingBox, ..PLAN }, &memory);
        assert_eq!((boxes[0].low, boxes[0].high), (DVec3::splat(-0.5), DVec3::new(0.5, 0.5, 1.5)));
        assert_eq!((boxes[1].low, boxes[1].high), (-DVec3::ONE, DVec3::ONE));
        assert_eq!(boxes[0].axes.col(2), -DVec3::Z);
        let cubes = reach_boxes(model, &forces, &Plan { reach: Reach::AxisBox, ..PLAN }, &memory);
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
        let balls = model(cuboid(10.0), &[0.5, 0.5]);
        let (cores, state) = at(balls, &[DVec3::splat(2.0), DVec3::splat(5.0)]);
        let forces = energy::forces(&cores.model, &state);
        let memory = Memory::new(&cores, &SettleOptions::default());
        let boxes = reach_boxes(&cores.model, &forces, &PLAN, &memory);
        let regions = regions(&cores, &state, &[true, false], &boxes, 0.0);
        for corner in 0..8 {
            let side = |k: usize| if corner >> k & 1 == 1 { 0.5 } else { -0.5 };
            let motion = boxes[0].axes * DVec3::new(side(0), side(1), side(2));
            let there = Aabb::from_sphere(state.positions[0] + motion, 0.5);
            assert!(regions[0].contains(there.min) && regions[0].contains(there.max));
        }
        assert!((regions[1].size() - 1.0).length() < 1e-5, "who sleeps stays where it is");
    }
}
