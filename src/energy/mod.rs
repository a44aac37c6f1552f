//! What is wanted: one file per energy term, each with its value, its slope,
//! its curvature and a quadratic bound for the program of a step. Gravity
//! is one energy among many; all others are energies of distances, between two
//! bodies or between a body and a fixed point.

mod attraction;
mod gravity;
mod inverse_square;
mod law;
pub mod paper;
mod repulsion;
mod short_range;
mod spring;
mod strand;

pub use law::Bound;
pub use strand::{Strand, strands};

use crate::math::{DMat3, DVec3, exact_sum};
use crate::scene::Law;
use crate::world::{Model, State};

/// The true energy of a configuration: the weights of free bodies, and all forces. It is what
/// every method without time reports; with time, motion is added.
pub fn energy(model: &Model, state: &State) -> f64 {
    exact_sum(gravity::terms(model, state).chain(strand::values(model, state)))
}

/// The energy of the forces between bodies and to points, without gravity.
pub fn of_forces(model: &Model, state: &State) -> f64 {
    exact_sum(strand::values(model, state))
}

/// By how much the energy falls along a motion; exact where a difference of
/// two large energies would drown in rounding.
pub fn decrease(model: &Model, state: &State, motion: &[DVec3]) -> f64 {
    let gravity = motion.iter().enumerate().map(|(i, d)| -gravity::gradient(model, i).dot(*d));
    exact_sum(gravity.chain(strand::rises(model, state, motion).map(|rise| -rise)))
}

/// What acts on the bodies at a configuration.
#[derive(Clone, Debug)]
pub struct Forces {
    /// The gradient of the energy with respect to each body's position.
    pub gradient: Vec<DVec3>,
    /// The largest single force on each body: its weight or the strongest pull, a spring
    /// counting as stretched by the body's radius.
    pub largest: Vec<f64>,
}

/// The forces of all energies.
pub fn forces(model: &Model, state: &State) -> Forces {
    let gradient: Vec<DVec3> =
        (0..model.bodies.len()).map(|i| gravity::gradient(model, i)).collect();
    let largest = gradient.iter().map(|g| g.length()).collect();
    let mut forces = Forces { gradient, largest };
    for (strand, pull, slope, curvature) in strand::pulls(model, state) {
        let mut act = |body: usize, pull: DVec3| {
            let strength = slope + curvature * model.bodies[body].radius;
            forces.gradient[body] += pull;
            forces.largest[body] = forces.largest[body].max(strength);
        };
        act(strand.a, pull);
        if let Some(b) = strand.b {
            act(b, -pull);
        }
    }
    forces
}

/// The gradient of one strand's energy at its end `a`.
pub fn pull(law: &Law, strand: &Strand) -> DVec3 {
    strand.direction() * law::of(law).slope(strand.length())
}

/// The second derivative of one strand's energy with respect to its vector.
pub fn stiffness(law: &Law, strand: &Strand) -> DMat3 {
    strand::stiffness(&*law::of(law), strand)
}

/// The same without its negative part.
pub fn convex_stiffness(law: &Law, strand: &Strand) -> DMat3 {
    strand::convex_stiffness(&*law::of(law), strand)
}

/// The curvature of a quadratic bound of one strand's energy that touches it
/// here; `least` is the least length along its direction that it may get.
pub fn bound(law: &Law, strand: &Strand, least: f64) -> Bound {
    match strand.length() {
        0.0 => Bound { all_round: law::of(law).curvature(0.0).max(0.0), along: 0.0 },
        length => law::of(law).bound(length, least),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::samples::{cuboid, model};
    use crate::scene::Form;
    use crate::world::{Anchor, Force};
    use proptest::prelude::*;

    const LAWS: [Law; 6] = [
        Law::Attraction { strength: 1.5 },
        Law::InverseSquare { strength: 2.0 },
        Law::Spring { strength: 0.7, rest_length: 0.0 },
        Law::Spring { strength: 0.7, rest_length: 1.3 },
        Law::ShortRange { strength: 1.2, cut_off: 1.5 },
        Law::Repulsion { strength: 0.8 },
    ];

    /// Three bodies of different masses under a slanted gravity.
    fn sample() -> (Model, State) {
        let mut model = model(cuboid(10.0), &[0.5, 1.0, 0.25]);
        model.gravity = DVec3::new(0.5, -1.0, -2.0);
        model.bodies[1].mass = 4.0;
        model.bodies[2].mass = 0.125;
        let positions = vec![DVec3::X, DVec3::new(1.0, 2.0, 3.0), DVec3::ZERO];
        (model, State::at_rest(positions))
    }

    /// The same with every law between all of them, and to a point.
    fn sample_with_forces() -> (Model, State) {
        let (mut model, state) = sample();
        let anchor = Anchor { body: 1, point: DVec3::new(1.0, 2.0, 2.5), softening: 0.1 };
        let force = |law: &Law| Force {
            law: *law,
            form: Form::Bound,
            pairs: vec![[0, 1], [2, 0], [1, 2]],
            anchors: vec![anchor],
        };
        model.forces = LAWS.iter().map(force).collect();
        model.bodies[2].push = DVec3::new(0.0, 3.0, 1.0);
        (model, state)
    }

    #[test]
    fn gravity() {
        let (mut model, state) = sample();
        assert_eq!(energy(&model, &state), -0.5 + 4.0 * 7.5);
        assert_eq!(forces(&model, &state).gradient[1], DVec3::new(-2.0, 4.0, 8.0));
        model.bodies[1].push = DVec3::new(0.0, 0.0, 3.0);
        assert_eq!(forces(&model, &state).gradient[1], DVec3::new(-2.0, 4.0, -4.0));
        assert_eq!(energy(&model, &state), -0.5 + 4.0 * (7.5 - 9.0));
        // What cannot move has none, whoever asks.
        model.bodies[0].motion = crate::world::Motion::Fixed;
        assert_eq!(energy(&model, &state), 4.0 * (7.5 - 9.0));
        assert_eq!(model.mechanical_energy(&state), energy(&model, &state));
    }

    /// Values of every law at distance 2, by hand.
    #[test]
    fn laws_by_hand() {
        let values = LAWS.map(|law| law::of(&law).value(2.0));
        let expected = [3.0, -1.0, 2.8, 0.7 * 0.7 * 0.7, 1.8, 0.4];
        for (value, expected) in values.iter().zip(expected) {
            assert!((value - expected).abs() < 1e-15, "{values:?}");
        }
        let slopes = LAWS.map(|law| law::of(&law).slope(2.0));
        for (slope, expected) in slopes.iter().zip([1.5, 0.5, 2.8, 0.98, 0.0, -0.2]) {
            assert!((slope - expected).abs() < 1e-15, "{slopes:?}");
        }
    }

    #[test]
    fn gradients_are_slopes_of_the_energy() {
        let (model, state) = sample_with_forces();
        let gradient = forces(&model, &state).gradient;
        for (body, gradient) in gradient.iter().enumerate() {
            for (k, axis) in DVec3::AXES.into_iter().enumerate() {
                let step = 1e-5;
                let at = |sign: f64| {
                    let mut moved = state.clone();
                    moved.positions[body] += axis * (sign * step);
                    energy(&model, &moved)
                };
                let slope = (at(1.0) - at(-1.0)) / (2.0 * step);
                assert!((slope - gradient[k]).abs() < 1e-7, "{slope} {}", gradient[k]);
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
        assert_eq!(decrease(&model, &state, &motion), 0.125e-9);
        assert_eq!(decrease(&model, &state, &motion.map(|d| -d)), -0.125e-9);
        // Nor of a pull between two bodies that are far from each other.
        let pairs = vec![[0, 1]];
        let law = Law::Attraction { strength: 2.0 };
        model.forces = vec![Force { law, form: Form::Bound, pairs, anchors: vec![] }];
        model.gravity = DVec3::ZERO;
        let fall = decrease(&model, &state, &[DVec3::Z * 1e-9, DVec3::ZERO, DVec3::ZERO]);
        assert!((fall - 2e-9).abs() < 1e-17, "{fall}");
    }

    proptest! {
        #[test]
        fn decreases_are_differences(motion in proptest::collection::vec(-0.3..0.3, 9)) {
            let (model, state) = sample_with_forces();
            let motion: Vec<DVec3> = motion.chunks(3).map(DVec3::from_slice).collect();
            let mut moved = state.clone();
            moved.positions.iter_mut().zip(&motion).for_each(|(p, d)| *p += *d);
            let difference = energy(&model, &state) - energy(&model, &moved);
            prop_assert!((decrease(&model, &state, &motion) - difference).abs() < 1e-12);
        }

        /// Bounds touch the energy, with its slope, and are nowhere below it.
        #[test]
        fn bounds_are_bounds(
            now in [-2.0..2.0_f64, -2.0..2.0, -2.0..2.0],
            change in [-1.0..1.0_f64, -1.0..1.0, -1.0..1.0],
            soft: bool,
        ) {
            let (now, change) = (DVec3::from_array(now), DVec3::from_array(change));
            let softening = if soft { 0.2 } else { 0.0 };
            let strand = |vector: DVec3| Strand { a: 0, b: None, vector, softening };
            prop_assume!(now.length() > 0.1 && (now + change).length() > 0.05);
            for law in LAWS {
                let here = strand(now);
                let least = here.length() + here.direction().dot(change);
                if matches!(law, Law::Repulsion { .. }) && least <= 0.05 {
                    continue;
                }
                let Bound { all_round, along } = bound(&law, &here, least);
                let u = here.direction();
                let curved = all_round * change.length_squared() + along * u.dot(change).powi(2);
                let model = law::of(&law).value(here.length()) + pull(&law, &here).dot(change);
                let true_value = law::of(&law).value(strand(now + change).length());
                prop_assert!(model + 0.5 * curved >= true_value - 1e-12, "{law:?}");
            }
        }

        #[test]
        fn stiffness_is_the_slope_of_the_pull(
            now in [-2.0..2.0_f64, -2.0..2.0, -2.0..2.0], soft: bool,
        ) {
            let now = DVec3::from_array(now);
            let softening = if soft { 0.3 } else { 0.0 };
            prop_assume!(now.length() > 0.2 && (now.length() - 1.5).abs() > 0.01);
            let strand = |vector: DVec3| Strand { a: 0, b: None, vector, softening };
            for law in LAWS {
                let stiffness = stiffness(&law, &strand(now));
                for (k, axis) in DVec3::AXES.into_iter().enumerate() {
                    let at = |sign: f64| pull(&law, &strand(now + axis * (sign * 1e-5)));
                    let slope = (at(1.0) - at(-1.0)) / 2e-5;
                    prop_assert!((slope - stiffness.col(k)).length() < 1e-4, "{law:?}");
                }
            }
        }
    }

    /// Where both ends coincide nothing is infinite and nothing moves.
    #[test]
    fn coincident_points_have_no_direction() {
        for law in LAWS {
            for softening in [0.0, 0.1] {
                let strand = Strand { a: 0, b: None, vector: DVec3::ZERO, softening };
                assert_eq!(strand.direction(), DVec3::ZERO);
                if softening > 0.0 {
                    assert!(law::of(&law).value(strand.length()).is_finite());
                    assert_eq!(pull(&law, &strand), DVec3::ZERO);
                    assert!(bound(&law, &strand, softening).all_round >= 0.0);
                }
            }
        }
    }
}
