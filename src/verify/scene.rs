//! The scene in the run file, built once more: it must give the model and the
//! starting state that the run says it started from.

use std::path::{Path, PathBuf};

use super::compare::difference;
use crate::scene::{Files, MethodName, Scene, Source, gallery};
use crate::trajectory::Reader;
use crate::world::{State, build};

/// What came out of building the scene again.
#[derive(Debug, PartialEq)]
pub(super) enum Rebuilt {
    Same,
    NotChecked(String),
    Different(String),
}

/// Builds the scene of a run and compares.
pub(super) fn rebuild(reader: &Reader, start: &State) -> Rebuilt {
    let (text, model) = (reader.scene_text(), reader.model());
    if text.trim().is_empty() {
        let missing = "the run file keeps no scene";
        return match model.method.name() {
            // A layout file can be compacted without one.
            MethodName::Compact => Rebuilt::NotChecked(format!(
                "{missing}, so nothing says where the pieces were to start"
            )),
            _ => Rebuilt::Different(missing.into()),
        };
    }
    let mut scene = match read(text, &model.name) {
        Ok(scene) => scene,
        Err(problem) => return Rebuilt::Different(format!("no scene: {}", problem.message)),
    };
    scene.seed = model.seed; // the command line may have chosen another one
    if let Some(missing) = missing_file(&scene) {
        return Rebuilt::NotChecked(format!("the scene's file {} is not here", missing.display()));
    }
    let (again, state) = match build(&scene) {
        Ok(built) => built,
        Err(problem) => return Rebuilt::Different(format!("no world: {}", problem.message)),
    };
    match difference((model, start), (&again, &state)) {
        None => Rebuilt::Same,
        Some(difference) => Rebuilt::Different(difference),
    }
}

/// Files are looked for in the current folder; those of a scene of the gallery come with it.
fn read(text: &str, name: &str) -> crate::Result<Scene> {
    let is_json = text.trim_start().starts_with('{');
    let file = PathBuf::from(format!("{name}.{}", if is_json { "json" } else { "toml" }));
    let from = |files: Files| {
        let (file, text) = (file.clone(), text.into());
        Scene::from_source(Source { file, text, files, written: None })
    };
    let here = from(Files::default())?;
    match missing_file(&here).is_some() && gallery::find(name).is_some() {
        true => from(Files::Gallery),
        false => Ok(here),
    }
}

fn missing_file(scene: &Scene) -> Option<&Path> {
    scene.named_files().into_iter().find(|file| scene.source.files.read(file).is_err())
}
