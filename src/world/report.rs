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
    /// The moments on the two sides besides that of the force at its points, about their centres
    /// of mass: of twist and rolling, and of points that moved within the step. The second is
    /// meant as the force is: the other side gets its opposite. Nothing for a side that does not
    /// turn.
    pub couples: [DVec3; 2],
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
    /// The limits of a joint.
    Limit(u32),
    /// The motor of a joint.
    Motor(u32),
    /// What a particle of cloth is attached to.
    Attachment(u32),
}

impl With {
    /// The kind and the index, as columns of numbers hold them.
    pub fn parts(self) -> (u8, u32) {
        match self {
            With::Body(body) => (0, body),
            With::Face(face) => (1, face),
            With::Joint(joint) => (2, joint),
            With::Limit(joint) => (3, joint),
            With::Motor(joint) => (4, joint),
            With::Attachment(number) => (5, number),
        }
    }

    /// The other way round; none for a kind that does not exist.
    pub fn from_parts(kind: u8, index: u32) -> Option<With> {
        Some(match kind {
            0 => With::Body(index),
            1 => With::Face(index),
            2 => With::Joint(index),
            3 => With::Limit(index),
            4 => With::Motor(index),
            5 => With::Attachment(index),
            _ => return None,
        })
    }

    /// The other body, if there is one.
    pub fn body(self, model: &Model) -> Option<usize> {
        match self {
            With::Body(body) => Some(body as usize),
            With::Face(_) => None,
            With::Joint(joint) | With::Limit(joint) | With::Motor(joint) => {
                let joint = model.joints.get(joint as usize)?;
                joint.bodies[1].map(|body| body as usize)
            }
            With::Attachment(number) => {
                let tie = model.attachments.get(number as usize)?;
                tie.to.map(|body| body as usize)
            }
        }
    }

    /// The joint to which it belongs, if it does.
    pub fn joint(self) -> Option<u32> {
        match self {
            With::Joint(joint) | With::Limit(joint) | With::Motor(joint) => Some(joint),
            With::Body(_) | With::Face(_) | With::Attachment(_) => None,
        }
    }
}

impl Contact {
    /// How hard the two sides press; negative if they pull.
    pub fn pressure(&self) -> f64 {
        self.force.dot(self.normal)
    }
}

/// A plane that separates two convex pieces all along a step of bodies that turn while they settle,
/// and moves and tilts with them. At the part `t` of the step (0 to 1) its normal is
/// `normal + t * tilt`, not of unit length, and a point `x` is on the side of the second piece if
/// `(normal + t * tilt) . (x - point - t * slide) >= t * offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// The first body.
    pub body: u32,
    /// The second one, which has a higher number, or a face of the container.
    pub with: With,
    /// The convex pieces of both; of a face, 0.
    pub pieces: [u32; 2],
    /// Unit vector from the first to the second.
    pub normal: DVec3,
    /// A point of the plane before the step.
    pub point: DVec3,
    /// What comes to the normal by the end, across it.
    pub tilt: DVec3,
    /// How far the plane goes along its normal.
    pub offset: f64,
    /// How far its point goes across the normal.
    pub slide: DVec3,
}

/// What a time step tells besides its contacts, so that all of it can be checked. Lists have a
/// place for every body (or particle, thread, cloth), or are empty if there is nothing in them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The impulses of the scene's forces on the bodies.
    pub kicks: Vec<DVec3>,
    /// The impulses of threads, in the order of the cloths: positive if they pull. They act along
    /// the sum of the unit vectors before and after the step. Of single precision, to take less
    /// room; the strays make up for it. Not of the mode paper.
    pub tensions: Vec<f64>,
    /// Of the mode paper, whose passes pull along the direction that a thread has in each of them: the sum
    /// of these impulses on its first particle; the second gets the opposite.
    pub pulls: Vec<DVec3>,
    /// The impulse of the air in each cloth per area: a particle gets the mean of what the
    /// gradient of the volume is before and after the step.
    pub pressures: Vec<f64>,
    /// Of the mode paper, likewise: what each particle got from the air in all its passes.
    pub airs: Vec<DVec3>,
    /// What particles got from threads and air besides, as these turned within the step.
    pub strays: Vec<DVec3>,
    /// How far impulses took each body within the step, beyond where its velocity and gravity
    /// would have.
    pub ways: Vec<DVec3>,
    /// The same for turns, beyond the spin before the step: rotation vectors.
    pub turns: Vec<DVec3>,
    /// How far overlaps and errors of joints were taken back by displacements alone.
    pub shifts: Vec<DVec3>,
    /// The same for turns.
    pub shift_turns: Vec<DVec3>,
    /// The angular momentum that comes from turning an inertia at a constant spin, as D14 does.
    pub gyrations: Vec<DVec3>,
    /// What separated bodies that turned while they settled.
    pub planes: Vec<Plane>,
}

impl Trace {
    /// Its lists of vectors.
    pub fn vectors(&self) -> [&Vec<DVec3>; 9] {
        let Trace {
            kicks, pulls, airs, strays, ways, turns, shifts, shift_turns, gyrations, ..
        } = self;
        [kicks, pulls, airs, strays, ways, turns, shifts, shift_turns, gyrations]
    }

    /// Lists in which there is nothing become empty.
    pub fn drop_zeros(&mut self) {
        let Trace {
            kicks, pulls, airs, strays, ways, turns, shifts, shift_turns, gyrations, ..
        } = self;
        for list in [kicks, pulls, airs, strays, ways, turns, shifts, shift_turns, gyrations] {
            if list.iter().all(|v| v.to_array().map(f64::to_bits) == [0; 3]) {
                list.clear();
            }
        }
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
