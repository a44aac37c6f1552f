//! # Riprap: position-based physics
//!
//! Things come to rest, stand, fall and move by contact alone. The same bodies, joints, forces and
//! containers can be asked every question: where do they rest (settle), do they stand ([`stable`]),
//! how do they fall (collapse), how do they move (dynamics), how tight does a layout get
//! ([`compact`])? Each answer is checked by [`verify()`], which shares no code with what made it.
//!
//! A person writes a [`Scene`]; [`build`] makes it a [`Model`], which never changes, and a
//! [`State`], which does. [`record`] steps them to the end in memory, [`run()`] into a file that a
//! [`Reader`] reads.
//!
//! ```
//! let scene = riprap::Scene::open("box-3")?; // of the gallery, or a file
//! let (model, state) = riprap::build(&scene)?;
//! let run = riprap::record(model, state, None)?;
//! let ending = run.ending.unwrap();
//! assert_eq!(ending.outcome, riprap::Outcome::Rest);
//! assert!(ending.certificate.unwrap().residual < 1e-6); // forces balance every weight
//! # Ok::<(), riprap::Problem>(())
//! ```
//!
//! Without a scene, a program adds bodies to a model, and takes its steps itself:
//!
//! ```
//! use riprap::{DQuat, DVec3, DynamicsOptions, Method, Model, Shape, State, Weight, stepper};
//!
//! let (mut model, mut state) = (Model::new(3, DVec3::new(0.0, 0.0, -9.81)), State::default());
//! model.method = Method::Dynamics(DynamicsOptions::default()); // steps of 0.01
//! let cube = Shape::cuboid(DVec3::ONE)?;
//! model.add(&mut state, cube, DVec3::Z, DQuat::IDENTITY, Weight::Density(1000.0))?;
//! let mut stepper = stepper(&model.into(), &state, None, || 0.0)?;
//! for _ in 0..100 {
//!     stepper.step(&mut state)?;
//! }
//! assert!((state.velocities[0].z + 9.81).abs() < 1e-9); // after one unit of time
//! # Ok::<(), riprap::Problem>(())
//! ```
//!
//! Lengths, masses and times are in units of your choice; angles are radians here and degrees in
//! files; z is up in space, y in the plane. The programs in `examples/` show more.
//!
//! # The rooms
//!
//! The story of one step is the order of the rooms, and a room uses only those above it:
//!
//! 1. A person writes a [`scene`]; [`world`] makes it ready to move.
//! 2. `near` says who could touch whom before the next move.
//! 3. `contact` turns closest points into half-spaces, a convex cell, and into manifolds.
//! 4. [`energy`] says what is wanted, [`solver`] finds the best motion in the cell.
//! 5. [`step`] advances, and at rest finds the forces that prove it.
//! 6. [`trajectory`] keeps what happened; [`mod@run`] drives the whole.
//! 7. [`mod@verify`] checks every promise of the run without any of 2 to 5.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod math;
pub mod problem;

pub mod shape;

pub mod layout;

pub mod scene;

pub mod world;

mod near;

mod contact;

pub mod energy;

pub mod solver;

pub mod step;

pub mod trajectory;

pub mod run;

pub mod verify;

pub mod measure;

pub mod export;

// The names to start from; the rooms have the rest.
pub use export::export;
pub use layout::Layout;
pub use math::{DMat3, DQuat, DVec3, Random};
pub use measure::measure;
pub use problem::{Problem, Result};
pub use run::{Recording, record, resume, run};
pub use scene::{
    CollapseOptions, DynamicsOptions, Form, Law, MethodName, Scene, SettleOptions, gallery,
};
pub use shape::{Boundary, Mesh, Shape};
pub use step::compact::compact;
pub use step::separate::separate;
pub use step::stable::stable;
pub use step::{Progress, Stepper, stepper};
pub use trajectory::{Certificate, Ending, Frame, Outcome, Reader, Writer};
pub use verify::{verify, verify_layout};
pub use world::{
    Body, Contact, Force, Joint, JointKind, Material, Method, Model, Motion, Motor, RayHit, State,
    Weight, With, build,
};
