//! Energies between bodies, and between bodies and fixed points.

use crate::math::DVec3;
use crate::scene::{Form, Law};

/// One energy, and all that it acts on.
///
/// ```
/// use riprap::{DVec3, Force, Form, Law, Model, State};
///
/// let (mut model, mut state) = (Model::new(3, DVec3::ZERO), State::default());
/// for x in [0.0, 3.0] {
///     model.add_particle(&mut state, DVec3::X * x, 1.0, 0.1);
/// }
/// let law = Law::Spring { strength: 2.0, rest_length: 1.0 };
/// model.forces.push(Force { law, form: Form::Bound, pairs: vec![[0, 1]], anchors: vec![] });
/// assert_eq!(riprap::energy::energy(&model, &state), 8.0); // 2 (3 - 1)^2
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// How it depends on the distance.
    pub law: Law,
    /// What stands for it in a program of settle.
    pub form: Form,
    /// Pairs of bodies.
    pub pairs: Vec<[u32; 2]>,
    /// Bodies and fixed points.
    pub anchors: Vec<Anchor>,
}

/// A body that an energy ties to a fixed point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// The body.
    pub body: u32,
    /// The point, in the world.
    pub point: DVec3,
    /// The energy is that of the distance `sqrt(|D|^2 + softening^2)`, which
    /// has a direction even where the body is at the point.
    pub softening: f64,
}
