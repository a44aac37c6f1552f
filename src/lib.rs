//! Riprap: position-based physics.
pub mod energy;
pub mod export;
pub mod free_space;
pub mod math;
pub mod measure;
pub mod near;
pub mod problem;
pub mod run;
pub mod scene;
pub mod shape;
pub mod solver;
pub mod step;
pub mod trajectory;
pub mod verify;
pub mod world;

pub use problem::{Problem, Result};
