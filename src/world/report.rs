//! What a step tells of itself, in one form for all methods.

use serde::{Deserialize, Serialize};

use super::Model;
use crate::math::DVec3;

/// Why a step was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// The starting configuration: no step at all.
    Start,
    /// A step of the main loop of settle, a jump of compact.
    Settle,
    /// A step out of an unstable rest.
    Escape,
    /// A tight step near rest.
    Polish,
    /// A time step of the method collapse.
    Collapse,
    /// A time step of the method dynamics.
    Dynamics,
    /// Bodies that overlapped have been taken apart, without turning.
    Separate,
    /// A jump of a compaction that took a corner past another in the air: its
    /// straight way is not free of overlap, its end is.
    Hop,
}

/// A force between a body and something else: in settle and compact a force, in the methods
/// that take time steps the impulse of the step.
///
/// ```
/// use riprap::{Boundary, DVec3, Mesh, Model, State, With, record};
///
/// let (mut model, mut state) = (Model::new(3, DVec3::new(0.0, 0.0, -9.81)), State::default());
/// model.boundary = Boundary::from_mesh(&Mesh::cuboid(DVec3::splat(-2.0), DVec3::splat(2.0)));
/// let weight = model.add_particle(&mut state, DVec3::ZERO, 3.0, 0.5).mass * 9.81;
/// let rest = record(model, state, None)?.ending.unwrap();
/// let below = rest.contacts[0];
/// assert!(matches!(below.with, With::Face(_))); // it lies on the container's floor,
/// assert!((below.pressure() - weight).abs() < 1e-6 * weight); // which carries it
/// # Ok::<(), riprap::Problem>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    /// The body.
    pub body: u32,
    /// The other side.
    pub with: With,
    /// The convex pieces that meet: of the body, and of the other side (0 where it has none).
    pub pieces: [u32; 2],
    /// The points of the two sides at which it acts, in the world, before the step.
    pub at: [DVec3; 2],
    /// Unit vector from the other side to the body.
    pub normal: DVec3,
    /// What acts on the body; the other side gets the opposite.
    pub force: DVec3,
    /// Corners face each other: no side says along which normal they press.
    pub choice: bool,
}

/// The other side of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum With {
    /// Another body.
    Body(u32),
    /// A face of the container's boundary.
    Face(u32),
    /// A joint: the far end is its second body, or the world.
    Joint(u32),
}

impl With {
    /// The kind and the index, as columns of numbers hold them.
    pub fn parts(self) -> (u8, u32) {
        match self {
            With::Body(body) => (0, body),
            With::Face(face) => (1, face),
            With::Joint(joint) => (2, joint),
        }
    }

    /// The other way round; none for a kind that does not exist.
    pub fn from_parts(kind: u8, index: u32) -> Option<With> {
        Some(match kind {
            0 => With::Body(index),
            1 => With::Face(index),
            2 => With::Joint(index),
            _ => return None,
        })
    }

    /// The other body, if there is one.
    pub fn body(self, model: &Model) -> Option<usize> {
        match self {
            With::Body(body) => Some(body as usize),
            With::Face(_) => None,
            With::Joint(joint) => {
                let joint = model.joints.get(joint as usize)?;
                joint.bodies[1].map(|body| body as usize)
            }
        }
    }
}

impl Contact {
    /// How hard the two sides press; negative if they pull.
    pub fn pressure(&self) -> f64 {
        self.force.dot(self.normal)
    }
}

/// How a step was found: for the summary, the benchmarks and the curious.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Bodies that were unknowns (the others slept or stood).
    pub active: u32,
    /// Bodies that moved noticeably.
    pub moving: u32,
    /// Rows of the program, or contacts.
    pub rows: u32,
    /// Of the solver.
    pub iterations: u32,
    /// The account of a time step.
    pub ledger: Option<Ledger>,
}

/// The account of a time step: written to the run file, plotted, and checked by `verify`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Kinetic and potential.
    pub energy: f64,
    /// Of all free bodies.
    pub momentum: [f64; 3],
    /// About the origin.
    pub angular_momentum: [f64; 3],
    /// The deepest overlap, relative to the smaller diameter of the two bodies.
    pub penetration: f64,
    /// How far the bodies are from mirror symmetry, relative to their size;
    /// none if they did not start symmetric.
    pub asymmetry: Option<f64>,
    /// Rows of the program, and those that pushed.
    pub rows: u32,
    /// Those that pushed.
    pub pushing: u32,
    /// How many touches began or ceased to push: where the motion is not smooth.
    pub changes: u32,
    /// How exactly the program was solved: the largest part of its residual.
    pub residual: f64,
    /// Of the solver.
    pub iterations: u32,
    /// The largest error of a joint, as a length in the larger radius of its bodies; none without joints.
    pub joint_error: Option<f64>,
}
