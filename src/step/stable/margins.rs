//! Margins and words of single bodies, in closed form.

use super::*;
use crate::math::DQuat;
use crate::shape::Shape;
use crate::step::collapse::samples::{add, near};
use crate::world::{Motion, State};

/// A body without friction on a fixed floor, turned, at a height.
fn on_floor(shape: Shape, turn: DQuat, height: f64) -> (Model, State) {
    let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
    add(&mut model, &mut state, shape, DVec3::Z * height);
    state.rotations[0] = turn;
    let floor = Shape::cuboid(DVec3::new(20.0, 20.0, 1.0)).unwrap();
    add(&mut model, &mut state, floor, DVec3::Z * -0.5).motion = Motion::Fixed;
    (model, state)
}

/// A box of width a and depth b reaches a / (2 cos) until its weight is over its side, where it is
/// a cos + b sin wide: least at a slant, where tan(2 x) = b / a.
#[test]
fn the_margin_of_a_box_is_least_at_a_slant() {
    for (a, b, turn) in [(1.0, 1.0, 0.0), (1.0, 1.0, 0.3), (2.0, 1.0, 0.0), (1.0, 3.0, 1.1)] {
        let shape = Shape::cuboid(DVec3::new(a, b, 1.0)).unwrap();
        let (model, state) = on_floor(shape, DQuat::from_rotation_z(turn), 0.5);
        let verdict = stable(&model, &state).unwrap();
        let part = |a: f64, b: f64| {
            let x = 0.5 * (b / a).atan();
            0.5 * a / (x.cos() * (a * x.cos() + b * x.sin()))
        };
        let expected = part(a, b).min(part(b, a));
        let [low, high] = verdict.margin_bounds.unwrap();
        assert!(low <= expected + 1e-12 && expected <= high + 1e-9, "{low} {expected} {high}");
        near(low, expected, 2e-6);
        assert!(verdict.stands && verdict.is_balanced());
        // As it is found where there are many bodies, and with friction, which changes nothing here.
        for friction in [0.0, 0.5] {
            let mut rough = model.clone();
            rough.bodies.iter_mut().for_each(|body| body.material.friction = friction);
            let statics = Statics::new(&rough, &state).unwrap();
            let [low, high] = statics.margin_of_many().unwrap();
            assert!(low < expected + 1e-6 && expected < high + 1e-6, "{low} {expected} {high}");
            assert!(high - low < 2e-3 * expected, "{low} {expected} {high}");
        }
    }
}

/// A cube that reaches 0.2 too far over an edge: where its weight is over the edge by shifts of 0.2, of
/// those at a slant each counts less, as its widths there are larger. That does not depend on how all is turned.
#[test]
fn what_is_missing_does_not_depend_on_axes() {
    let wanted = -0.2 * 2.0 * (2_f64.sqrt() - 1.0);
    for turn in [0.0, 0.3, 0.8, 2.0] {
        let turn = DQuat::from_rotation_z(turn);
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        let middle = turn * DVec3::X * 0.2 + DVec3::Z * 0.5;
        add(&mut model, &mut state, Shape::cuboid(DVec3::ONE).unwrap(), middle);
        let table = Shape::cuboid(DVec3::new(10.0, 20.0, 1.0)).unwrap();
        let at = turn * DVec3::X * -5.0 - DVec3::Z * 0.5;
        add(&mut model, &mut state, table, at).motion = Motion::Fixed;
        state.rotations.fill(turn);
        near(stable(&model, &state).unwrap().margin.unwrap(), wanted, 1e-6);
    }
}

/// A box tips over its shorter side where it is pushed with half of that over half its height, and slides
/// where friction ends, in every direction alike.
#[test]
fn the_ground_that_takes_the_balance() {
    for (height, turn, expected) in [(4.0, 0.0, 0.25), (4.0, 0.3, 0.25), (0.5, 0.2, 0.6)] {
        let shape = Shape::cuboid(DVec3::new(1.0, 2.0, height)).unwrap();
        let turn = DQuat::from_rotation_z(turn);
        let (mut model, state) = on_floor(shape, turn, 0.5 * height);
        model.bodies.iter_mut().for_each(|body| body.material.friction = 0.6);
        let statics = Statics::new(&model, &state).unwrap();
        let Ground { bounds: [low, high], towards } = statics.ground().unwrap();
        assert!(low <= expected + 1e-9 && expected <= high + 1e-9, "{low} {expected} {high}");
        assert!(high - low < 5e-3 * expected, "{low} {high}");
        if expected == 0.25 {
            near((turn * DVec3::X).dot(towards).abs(), 1.0, 1e-3);
        }
    }
}

/// What is light counts beside what is heavy, by whichever factor they differ: a speck on a block has its
/// friction, and so much of its width to shift.
#[test]
fn specks_count_beside_blocks() {
    for (mass, at) in [(1.0, 0.3), (1e-4, 0.3), (1e-9, 0.3), (1e-4, 1.04), (1e-9, 1.04)] {
        let shape = Shape::cuboid(DVec3::new(2.0, 2.0, 1.0)).unwrap();
        let (mut model, mut state) = on_floor(shape, DQuat::IDENTITY, 0.5);
        let speck = Shape::cuboid(DVec3::splat(0.1)).unwrap();
        add(&mut model, &mut state, speck, DVec3::new(at, 0.0, 1.05));
        let of_block = model.bodies[0].mass;
        let speck = &mut model.bodies[2];
        let factor = mass * of_block / speck.mass;
        (speck.mass, speck.inertia) = (speck.mass * factor, speck.inertia * factor);
        model.bodies.iter_mut().for_each(|body| body.material.friction = 0.5);
        let statics = Statics::new(&model, &state).unwrap();
        let verdict = statics.verdict();
        assert_eq!(verdict.is_balanced(), at < 1.0, "{mass} {at}");
        if at > 1.0 {
            let wanted = -0.4 * 2.0 * (2_f64.sqrt() - 1.0);
            near(verdict.margin.unwrap(), wanted, 1e-6);
            continue;
        }
        near(verdict.margin.unwrap(), 2_f64.sqrt() - 1.0, 1e-5);
        for side in [DVec3::X, DVec3::new(0.6, 0.8, 0.0)] {
            near(statics.acceleration(side).unwrap(), 0.5, 1e-6);
        }
        // Held by its friction, it is pushed sideways with half of its weight.
        let load = statics.load_factor(2, state.positions[2], DVec3::X * model.bodies[2].mass);
        near(load.unwrap(), 0.5, 1e-6);
    }
}

/// A lying cylinder touches with a line, as low as it is round: it rolls on the least slope, and bears
/// another one that lies across.
#[test]
fn cylinders_lie_on_their_sides() {
    let lying = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let log = || Shape::cylinder(0.5, 2.0).unwrap();
    for (slope, is_balanced) in [(0.0, true), (1e-3, false)] {
        let (mut model, mut state) = on_floor(log(), lying, 0.5);
        add(&mut model, &mut state, log(), DVec3::Z * 1.5);
        state.rotations[2] = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        model.gravity += DVec3::X * slope;
        model.bodies.iter_mut().for_each(|body| body.material.friction = 0.5);
        let statics = Statics::new(&model, &state).unwrap();
        assert_eq!(statics.overlap(), None);
        assert!(statics.widest_gap().unwrap().abs() < 1e-9);
        assert_eq!(statics.touches.len(), 3, "two ends of a line, and one point");
        assert_eq!(statics.verdict().is_balanced(), is_balanced, "{slope}");
    }
    // On their ends they stand.
    let (model, state) = on_floor(log(), DQuat::IDENTITY, 1.0);
    assert!(stable(&model, &state).unwrap().margin.unwrap() > 0.4);
}

/// Balanced is not standing: on an edge, on a corner of a ball, in a groove there is no margin.
#[test]
fn without_a_margin_nothing_is_said_to_stand() {
    let cube = || Shape::cuboid(DVec3::ONE).unwrap();
    let (edge, ball) = (DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4), DQuat::IDENTITY);
    for (shape, turn, height) in [(cube(), edge, 0.5_f64.sqrt()), (Shape::ball(1.0), ball, 1.0)] {
        let (model, state) = on_floor(shape, turn, height);
        let verdict = stable(&model, &state).unwrap();
        assert!(verdict.is_balanced() && !verdict.stands && verdict.margin.unwrap() < NO_MARGIN);
    }
    // A dumb-bell on two fixed balls bears moments, and rolls off all the same.
    let (mut model, mut state) = (Model::new(2, DVec3::NEG_Y), State::default());
    let discs = [-2.0, 2.0].map(|x| (Shape::disc(0.5), DVec3::X * x, DQuat::IDENTITY));
    add(&mut model, &mut state, Shape::compound(discs.to_vec()).unwrap(), DVec3::Y);
    for x in [-2.0, 2.0] {
        add(&mut model, &mut state, Shape::disc(0.5), DVec3::X * x).motion = Motion::Fixed;
    }
    let verdict = stable(&model, &state).unwrap();
    assert!(verdict.is_balanced() && verdict.margin.unwrap() > 0.1 && !verdict.stands);
}
