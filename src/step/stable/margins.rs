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
