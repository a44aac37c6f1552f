//! What the drafts of the tests need of theirs.

use std::path::Path;

use riprap::world::{Model, State};
use riprap::{Result, Scene};

pub fn built(text: &str, file: &str) -> Result<(Model, State)> {
    riprap::build(&Scene::from_text(text, Path::new(file))?)
}

/// Runs a scene to its end; drafts of trials are never cut short.
pub fn run_into(path: &Path, scene: &Scene, _: Option<usize>) -> Result<()> {
    crate::settle::run(scene, path)
}
