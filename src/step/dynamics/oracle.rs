//! How good is a step? For polyhedra without joints, the method collapse knows
//! the answer: of all motions that keep bodies apart, the one closest to the
//! free motion. The oracle takes one step both ways from the same state and
//! says how far they end apart.

use std::sync::Arc;

use serde::Serialize;

use super::Dynamics;
use crate::problem::{Problem, Result};
use crate::scene::CollapseOptions;
use crate::shape::{Core, Piece};
use crate::step::Stepper;
use crate::step::collapse::Collapse;
use crate::world::{Method, Model, State};

/// More bodies than this make the exact program slow.
const MOST_BODIES: usize = 100;

/// Steps after which the impulses kept from step to step are known.
const WARM_STEPS: usize = 10;

/// How far a step ends from the exact one: the largest difference of a body's velocity, or of its
/// spin times its radius, in units of what gravity does to a velocity in a step. 1 is free fall
/// where the exact program stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Distance {
    /// Of a step that knows nothing of an earlier one.
    pub cold: f64,
    /// Of a step after ten others.
    pub warm: f64,
}

/// Compares a step of dynamics, with the options of the model, with the exact program's.
///
/// ```
/// use riprap::scene::gallery;
/// use riprap::step::dynamics::oracle;
///
/// let (model, state) = riprap::world::build(&gallery::scene("diamond-4-3d")?)?;
/// let distance = oracle::distance(&model, &state)?;
/// assert!(distance.warm < 1e-3, "{distance:?}");
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn distance(model: &Model, state: &State) -> Result<Distance> {
    check(model)?;
    let model = Arc::new(model.clone());
    let start = |state: &State| Dynamics::start(Arc::clone(&model), state, None, || 0.0);
    let cold = compare(&model, &mut start(state)?, &mut state.clone())?;
    let mut state = state.clone();
    let mut dynamics = start(&state)?;
    for _ in 0..WARM_STEPS {
        dynamics.step(&mut state)?;
    }
    let warm = compare(&model, &mut dynamics, &mut state)?;
    Ok(Distance { cold, warm })
}

/// One step both ways; `state` ends as dynamics leaves it.
fn compare(model: &Model, dynamics: &mut Dynamics, state: &mut State) -> Result<f64> {
    let time_step = model.method.dynamics().time_step;
    let exactly = CollapseOptions { time_step, mirror: false, ..Default::default() };
    let same = Model { method: Method::Collapse(exactly), ..model.clone() };
    let mut exact = state.clone();
    Collapse::start(Arc::new(same), &exact, None, || 0.0)?.step(&mut exact)?;
    dynamics.step(state)?;
    let unit = model.gravity.length() * time_step;
    let apart = model.free().map(|i| {
        let turning = (state.spins[i] - exact.spins[i]).length() * model.bodies[i].radius;
        (state.velocities[i] - exact.velocities[i]).length().max(turning) / unit
    });
    Ok(apart.fold(0.0, f64::max))
}

/// What the exact program is for.
fn check(model: &Model) -> Result<()> {
    let refuse = |why: String| {
        Err(Problem::new(why).help(format!(
            "the exact program is for up to {MOST_BODIES} polytopes of one material, not joined"
        )))
    };
    if !(model.joints.is_empty() && model.cloths.is_empty()) {
        return refuse("the bodies are joined".into());
    }
    if model.bodies.len() > MOST_BODIES {
        return refuse(format!("there are {} bodies", model.bodies.len()));
    }
    if model.gravity.length() == 0.0 {
        return refuse("there is no gravity".into());
    }
    let material = |i: usize| model.bodies[i].material;
    if (1..model.bodies.len()).any(|i| material(i) != material(0)) {
        return refuse("the bodies differ in friction or restitution".into());
    }
    let is_sharp = |piece: &Piece| matches!(piece.core, Core::Polytope(_)) && piece.radius == 0.0;
    match (0..model.bodies.len()).find(|&i| !model.shape(i).pieces.iter().all(is_sharp)) {
        Some(i) => refuse(format!("body {i} is round")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{DynamicsOptions, Mode, gallery};
    use crate::world::build;

    #[test]
    fn five_cold_passes_let_a_stable_tower_fall() {
        let (model, state) = build(&gallery::scene("diamond-4-3d").unwrap()).unwrap();
        let of = |options: DynamicsOptions| {
            let method = Method::Dynamics(options);
            distance(&Model { method, ..model.clone() }, &state).unwrap()
        };
        let options = model.method.dynamics();
        let default = of(options);
        assert!(default.warm < 1e-3, "{default:?}");
        let paper = of(DynamicsOptions { mode: Mode::Paper, ..options });
        assert!(paper.cold > 0.1, "five passes cannot carry the loads of a diamond: {paper:?}");
        assert!(default.warm < 0.1 * paper.warm, "{default:?} {paper:?}");
    }

    #[test]
    fn round_and_joined_bodies_have_no_oracle() {
        for (name, why) in [("mobile", "joined"), ("pile", "there are"), ("incline", "friction")] {
            let (model, state) = build(&gallery::scene(name).unwrap()).unwrap();
            let problem = distance(&model, &state).unwrap_err();
            assert!(problem.message.contains(why), "{name}: {}", problem.message);
        }
    }
}
