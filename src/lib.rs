//! # Riprap: position-based physics
//!
//! Things come to rest by contact alone. A step of [`step::settle`] asks: of
//! all configurations that can be reached without overlap, which has the least
//! energy? The answer is a linear program, and the story of one step is the
//! order of the rooms:
//!
//! 1. A person writes a [`scene`]; [`world::build`] makes it ready to move.
//! 2. [`near`] says who could touch whom before the next move.
//! 3. [`contact`] turns closest points into half-spaces: a convex cell.
//! 4. [`energy`] says what is wanted, [`solver`] finds the best motion in the cell.
//! 5. [`step`] advances, and at rest finds the forces that prove it.
//! 6. [`trajectory`] keeps what happened; [`run`] drives the whole.
//! 7. [`mod@verify`] checks every promise of the run without any of 2 to 5.
//!
//! ```
//! use riprap::step::{Progress, stepper};
//!
//! let scene = riprap::scene::gallery::scene("box-3")?;
//! let (model, mut state) = riprap::world::build(&scene)?;
//! let mut stepper = stepper(&std::sync::Arc::new(model), &state, None, || 0.0)?;
//! let rest = loop {
//!     if let Progress::Rest(rest) = stepper.step(&mut state)? {
//!         break rest;
//!     }
//! };
//! assert!(rest.residual < 1e-6);
//! # Ok::<(), riprap::Problem>(())
//! ```

pub mod math;
pub mod problem;

pub mod shape;

pub mod layout;

pub mod scene;

pub mod world;

pub mod near;

pub mod contact;

pub mod energy;

pub mod solver;

pub mod step;

pub mod trajectory;

pub mod run;

pub mod verify;

pub mod measure;

pub mod export;

pub use problem::{Problem, Result};
