//! Small models for tests of this method and its statics.

use std::sync::Arc;

use super::Collapse;
use crate::math::{DQuat, DVec3};
use crate::scene::CollapseOptions;
use crate::scene::towers::{Plan, Stone};
use crate::shape::Shape;
use crate::step::{Moved, Progress, Stepper};
use crate::world::{Body, Ledger, Method, Model, Motion, State, Weight};

/// A tower of unit masses from a plan, in 2D or 3D, with gravity 1.
pub(crate) fn tower(plan: &Plan, friction: f64) -> (Model, State) {
    let flat = plan.stones[0].polytope.is_flat();
    let (dimension, down) = if flat { (2, DVec3::NEG_Y) } else { (3, DVec3::NEG_Z) };
    let (mut model, mut state) = (Model::new(dimension, down), State::default());
    let mut add = |stone: &Stone, motion: Motion| {
        let (shape, weight) = (stone.shape().unwrap(), Weight::Mass(1.0));
        let body = model.add(&mut state, shape, stone.at, stone.turn, weight).unwrap();
        (body.material.friction, body.motion) = (friction, motion);
    };
    plan.stones.iter().for_each(|stone| add(stone, Motion::Free));
    plan.supports.iter().for_each(|stone| add(stone, Motion::Fixed));
    (model, state)
}

/// Adds a smooth unit mass where its shape says, and the origin of the shape at `at`.
pub(crate) fn add<'m>(
    model: &'m mut Model,
    state: &mut State,
    shape: Shape,
    at: DVec3,
) -> &'m mut Body {
    let body = model.add(state, shape, at, DQuat::IDENTITY, Weight::Mass(1.0)).unwrap();
    body.material.friction = 0.0;
    body
}

/// A rectangle about the origin.
pub(crate) fn rectangle(width: f64, height: f64) -> Shape {
    let (x, y) = (0.5 * width, 0.5 * height);
    Shape::polygon(&[[-x, -y], [x, -y], [x, y], [-x, y]], &[]).unwrap()
}

/// Ready to fall.
pub(crate) fn falling(model: &Model, state: &State, options: CollapseOptions) -> Collapse {
    let model = Model { method: Method::Collapse(options), ..model.clone() };
    Collapse::start(Arc::new(model), state, None, || 0.0).unwrap()
}

/// One step, in full.
pub(crate) fn step(collapse: &mut Collapse, state: &mut State) -> Moved {
    match collapse.step(state).unwrap() {
        Progress::Moved(moved) => moved,
        Progress::Rest(rest) => panic!("nothing rests here: {rest:?}"),
    }
}

/// One step, and its account.
pub(crate) fn account(collapse: &mut Collapse, state: &mut State) -> Ledger {
    step(collapse, state).report.ledger.unwrap()
}

#[track_caller]
pub(crate) fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() < tolerance, "{found} is not {expected}");
}
