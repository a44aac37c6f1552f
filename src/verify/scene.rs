//! The scene in the run file, built once more: it must give the model and the
//! starting state that the run says it started from.

use std::path::Path;

use super::compare::difference;
use crate::run::scene_file;
use crate::scene::{Files, MethodName, Scene, Source, StartEntry, gallery};
use crate::trajectory::Reader;
use crate::world::{Model, Origin, State, build, build_from, build_phase};

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
    let of_run = |_: &Model, _: &State| Ok(start.clone());
    let built = match (&scene.start, &model.origin) {
        (None | Some(StartEntry { run: None, .. }), _) => build(&scene),
        (Some(entry), Some(origin)) if is_origin(entry, origin) => {
            if model.method.time().is_some() && origin.hash != reader.stored_hash(0) {
                return Rebuilt::Different("the start is not the frame it is said to be".into());
            }
            build_from(&scene, &of_run)
        }
        _ => return Rebuilt::Different("the run does not say what it started from".into()),
    };
    let (again, state) = match built {
        Ok(built) => built,
        Err(problem) => return Rebuilt::Different(format!("no world: {}", problem.message)),
    };
    if let Some(difference) = difference((model, start), (&again, &state)) {
        return Rebuilt::Different(difference);
    }
    for (number, phase) in reader.phases().iter().enumerate().skip(1) {
        let expected = match build_phase(&scene, &again, number, phase.model.phase.time) {
            Ok(expected) => expected,
            Err(problem) => return Rebuilt::Different(format!("no phase: {}", problem.message)),
        };
        if let Some(difference) = difference((&phase.model, start), (&expected, start)) {
            return Rebuilt::Different(format!("phase {}: {difference}", number + 1));
        }
    }
    Rebuilt::Same
}

/// Whether a run started where its scene says; the other run need not be there any more.
fn is_origin(entry: &StartEntry, origin: &Origin) -> bool {
    entry.run.as_ref().is_some_and(|run| run.display().to_string() == origin.run)
        && entry.frame.is_none_or(|frame| frame == origin.frame)
}

/// Files are looked for in the current folder; those of a scene of the gallery come with it.
fn read(text: &str, name: &str) -> crate::Result<Scene> {
    let file = scene_file(text, name);
    let from = |files: Files| {
        let (file, text) = (file.clone(), text.into());
        Scene::from_source(Source { file, text, files, ..Source::default() })
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
