//! What kind of step to make, and in which units.

use super::grades::Grades;
use crate::energy::Forces;
use crate::math::median;
use crate::scene::Reach;
use crate::solver::Accuracy;
use crate::world::Model;

/// What kind of step to make.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub reach: Reach,
    /// Half the width of a body's box, in radii.
    pub reach_radii: f64,
    pub proximal: f64,
    pub conservative: f64,
    pub accuracy: Accuracy,
    /// Put only what matters into the program at first.
    pub lazy: bool,
    /// What stands for the energies of distances.
    pub forces: Stand,
    /// How much of their skin ropes may use up in this step.
    pub stretch: f64,
    /// Bodies are expected to go on as in their last step, and so much of what leaning rows cannot
    /// do is put into the cost instead; 0: nothing is expected.
    pub momentum: f64,
    /// The heaviest grade of bodies that it is for.
    pub grade: u32,
    /// Nobody is held where it is by more than a body of this weight would be: what light bodies gain
    /// by moving heavy ones along, who gain nothing, must count against the hold of these.
    pub hold: f64,
}

/// Large steps may use up nearly all of the ropes' skin, fine ones next to nothing.
pub(super) const COARSE_STRETCH: f64 = 0.99;
pub(super) const FINE_STRETCH: f64 = 1e-4;

/// What stands for the energies of distances in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stand {
    /// What the scene asks for.
    AsAsked,
    /// Bounds that no step can raise the energy with.
    Bounds,
    /// Their own curvature where it is positive: best near rest. A step may raise the energy.
    Curvature,
    /// Their gradients alone; ropes to first order, too. Only for motions so
    /// small that curvature plays no part.
    Gradients,
}

/// The units of the program: a typical radius and a typical force are 1, so
/// that tolerances mean the same in every scene.
#[derive(Clone, Copy, Debug)]
pub(super) struct Units {
    pub length: f64,
    pub force: f64,
}

impl Units {
    /// Those of the bodies of one grade.
    pub fn of(model: &Model, forces: &Forces, grade: u32) -> Self {
        let grades = Grades::new(model, forces);
        Units::of_bodies(model, forces, |i| grades.of(i) == grade)
    }

    /// Those of all bodies that may move.
    pub fn of_all(model: &Model, forces: &Forces) -> Self {
        Units::of_bodies(model, forces, |_| true)
    }

    fn of_bodies(model: &Model, forces: &Forces, is_one: impl Fn(usize) -> bool) -> Self {
        let positive = |values: Vec<f64>| match median(values) {
            m if m > 0.0 => m,
            _ => 1.0,
        };
        let members = || model.free().filter(|&i| is_one(i));
        Units {
            length: positive(members().map(|i| model.bodies[i].radius).collect()),
            force: positive(members().map(|i| forces.largest[i]).collect()),
        }
    }
}
