//! Whether a run that is to go on is one of the scene that it is to go on with.

use std::path::Path;

use super::scene_file;
use crate::problem::{Problem, Result};
use crate::scene::Scene;
use crate::trajectory::{Reader, start, state_hash};
use crate::world::Method;

const AGAIN: &str = "go on with the scene that the run was made from, or start a new run with -o, \
                     or with --force";

/// Refuses to go on with the run of another scene, and says what differs: what is written, what
/// was set on the command line, or a file that the scene names.
pub(super) fn check(scene: &Scene, out: &Path) -> Result<()> {
    let reader = Reader::open(out)?;
    let (model, text) = (reader.model(), reader.scene_text());
    let mut written = Scene::from_text(text, &scene_file(text, &model.name))?;
    // The seed may have been given beside the text.
    written.seed = model.seed;
    let differing = scene.differences(&written);
    let message = match &differing[..] {
        [] if matches!(model.method, Method::Compact(_)) || is_of(scene, &reader)? => return Ok(()),
        [] => "the run is of other bodies: a file that the scene names has changed".into(),
        keys => {
            let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
            format!("the run is of another scene: {} differs", keys.join(", "))
        }
    };
    Err(Problem::new(message).in_file(out).help(AGAIN))
}

/// Whether the run has the bodies of the scene, and starts with them where the scene does.
fn is_of(scene: &Scene, reader: &Reader) -> Result<bool> {
    let (model, state) = start(scene)?;
    let starts_so = reader.is_empty() || reader.stored_hash(0) == state_hash(&state);
    Ok(starts_so && reader.is_of(&model))
}
