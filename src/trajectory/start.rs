//! Starting from a frame of another run.

use std::path::Path;

use super::{Reader, state_hash};
use crate::problem::{Problem, Result};
use crate::scene::{Files, Scene, StartEntry};
use crate::world::{Model, Origin, State, build, build_from};

/// How far two sizes that are the same may differ, relatively: rounding.
const ROUNDING: f64 = 1e-12;

/// The model of a scene and its first state: as it is written, or, if the scene says so, as a
/// frame of another run has it.
///
/// ```
/// let scene = riprap::scene::gallery::scene("box-3")?;
/// let (model, state) = riprap::trajectory::start(&scene)?;
/// assert_eq!((model.bodies.len(), state.positions.len()), (27, 27));
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn start(scene: &Scene) -> Result<(Model, State)> {
    let Some((entry, run)) = scene.start.as_ref().and_then(|s| Some((s, s.run.as_ref()?))) else {
        return build(scene);
    };
    let at = |problem: Problem| Problem {
        help: problem.help,
        ..scene.problem(&entry.span, problem.message)
    };
    let (other, state, origin) = read(scene, entry, run).map_err(at)?;
    let (mut model, state) = build_from(scene, &|model, written| {
        taken(model, written, &other, &state, &origin).map_err(at)
    })?;
    model.origin = Some(origin);
    Ok((model, state))
}

/// The model and the state of the frame, and what to remember of it.
fn read(scene: &Scene, entry: &StartEntry, run: &Path) -> Result<(Model, State, Origin)> {
    let path = match &scene.source.files {
        Files::Folder(folder) => folder.join(run),
        Files::Gallery => run.to_path_buf(),
    };
    let reader = Reader::open(&path)?;
    let Some(last) = reader.len().checked_sub(1) else {
        return Err(Problem::new("the run to start from has no frames"));
    };
    let frame = entry.frame.unwrap_or(last);
    let (model, state) = remaining(reader.model_at(frame), &reader.frame(frame)?.state);
    let origin = Origin { run: run.display().to_string(), frame, hash: state_hash(&state) };
    Ok((model, state, origin))
}

/// What is there at a frame: groups that a phase has removed are no part of it.
fn remaining(model: &Model, state: &State) -> (Model, State) {
    let here: Vec<usize> = (0..model.bodies.len()).filter(|&i| !model.is_gone(i)).collect();
    let bodies = here.iter().map(|&i| model.bodies[i]).collect();
    let left = State {
        positions: here.iter().map(|&i| state.positions[i]).collect(),
        rotations: here.iter().map(|&i| state.rotations[i]).collect(),
        velocities: here.iter().map(|&i| state.velocities[i]).collect(),
        spins: here.iter().map(|&i| state.spins[i]).collect(),
    };
    (Model { bodies, ..model.clone() }, left)
}

/// The state of a run for the bodies of a scene, which must be the same. What follows a path
/// is where the path begins.
fn taken(
    model: &Model,
    written: &State,
    other: &Model,
    state: &State,
    origin: &Origin,
) -> Result<State> {
    if let Some(difference) = difference(model, other) {
        let message = format!("the run {} has other bodies: {difference}", origin.run);
        return Err(Problem::new(message).help(
            "a run is gone on with by a scene with the same [[bodies]] and [[cloth]], but \
                   for groups that are gone in that frame",
        ));
    }
    let mut state = state.clone();
    let followers = model.bodies.iter().enumerate().filter(|(_, body)| body.path.is_some());
    for (i, _) in followers {
        state.positions[i] = written.positions[i];
        state.rotations[i] = written.rotations[i];
        state.velocities[i] = written.velocities[i];
        state.spins[i] = written.spins[i];
    }
    Ok(state)
}

/// The first difference between the bodies of two models, in words.
fn difference(model: &Model, other: &Model) -> Option<String> {
    let counts = [model, other].map(|model| model.bodies.len());
    if counts[0] != counts[1] {
        return Some(format!("{} in the scene, {} in the run", counts[0], counts[1]));
    }
    let same = |a: f64, b: f64| (a - b).abs() <= ROUNDING * a.abs().max(b.abs());
    let group = |model: &Model, i: usize| model.groups[model.bodies[i].group as usize].clone();
    (0..counts[0]).find_map(|i| {
        let groups = [model, other].map(|model| group(model, i));
        let sizes = [model, other].map(|model| model.bodies[i].radius);
        let volumes = [model, other].map(|model| model.shape(i).mass.volume);
        let differs = |what: &str, a: &dyn std::fmt::Debug, b: &dyn std::fmt::Debug| {
            Some(format!("{what} of body {i} is {a:?} in the scene, {b:?} in the run"))
        };
        match () {
            () if groups[0] != groups[1] => differs("the group", &groups[0], &groups[1]),
            () if !same(sizes[0], sizes[1]) => differs("the radius", &sizes[0], &sizes[1]),
            () if !same(volumes[0], volumes[1]) => differs("the volume", &volumes[0], &volumes[1]),
            () => None,
        }
    })
}
