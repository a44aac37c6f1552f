//! What is wanted: one file per energy term, each with its value and its
//! gradient. Gravity is the first.

mod gravity;

use crate::math::{DVec3, exact_sum};
use crate::world::{Model, State};

/// The true energy of a configuration.
pub fn energy(model: &Model, state: &State) -> f64 {
    exact_sum(gravity::terms(model, state))
}

/// The gradient of the energy with respect to one body's position.
pub fn gradient(model: &Model, body: usize) -> DVec3 {
    gravity::gradient(model, body)
}

/// By how much the energy falls along a motion; exact where a difference of
/// two large energies would drown in rounding.
pub fn decrease(model: &Model, motion: &[DVec3]) -> f64 {
    exact_sum(motion.iter().enumerate().map(|(i, d)| -gradient(model, i).dot(*d)))
}
