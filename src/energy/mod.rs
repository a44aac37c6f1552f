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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::free_space::samples::{cuboid, model};

    /// Three bodies of different masses under a slanted gravity.
    fn sample() -> (Model, State) {
        let mut model = model(cuboid(10.0), &[0.5, 1.0, 0.25]);
        model.gravity = DVec3::new(0.5, -1.0, -2.0);
        model.bodies[1].mass = 4.0;
        model.bodies[2].mass = 0.125;
        let positions = vec![DVec3::X, DVec3::new(1.0, 2.0, 3.0), DVec3::ZERO];
        (model, State { positions })
    }

    #[test]
    fn gravity() {
        let (model, state) = sample();
        assert_eq!(energy(&model, &state), -0.5 + 4.0 * 7.5);
        assert_eq!(gradient(&model, 1), DVec3::new(-2.0, 4.0, 8.0));
    }

    /// Gravity is linear, so a finite difference is exact.
    #[test]
    fn the_gradient_is_the_slope_of_the_energy() {
        let (model, state) = sample();
        for body in 0..3 {
            for (k, axis) in DVec3::AXES.into_iter().enumerate() {
                let mut moved = state.clone();
                moved.positions[body] += axis;
                let slope = energy(&model, &moved) - energy(&model, &state);
                assert_eq!(slope, gradient(&model, body)[k]);
            }
        }
    }

    /// A fall of one part in 10^15 of the energy is seen by `decrease`, not by a difference.
    #[test]
    fn small_decreases_do_not_drown() {
        let (mut model, mut state) = sample();
        model.gravity = -DVec3::Z;
        state.positions[1].z = 1e9;
        let motion = [DVec3::ZERO, DVec3::ZERO, DVec3::Z * -1e-9];
        assert_eq!(decrease(&model, &motion), 0.125e-9);
        assert_eq!(decrease(&model, &motion.map(|d| -d)), -0.125e-9);
    }
}
