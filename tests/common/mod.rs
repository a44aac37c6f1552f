//! What the tests of the promises share: small scenes, and running them.
//! Each test file uses a part of it.
#![allow(dead_code)]

pub mod published;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use riprap::Result;
use riprap::math::DVec3;
use riprap::run::{self, Options};
use riprap::scene::{Scene, gallery};
use riprap::step::{Progress, stepper};
use riprap::trajectory::{Ending, Frame, Ledger, Outcome, Reader, Writer};
use riprap::world::{Model, State};

/// A run, read back from its file.
pub struct Run {
    pub model: Model,
    pub frames: Vec<Frame>,
    pub ending: Ending,
}

impl Run {
    pub fn last(&self) -> &Frame {
        self.frames.last().expect("a run has frames")
    }

    /// Frames in the order in which they follow each other, two by two.
    pub fn steps(&self) -> impl Iterator<Item = (&Frame, &Frame)> {
        self.frames.windows(2).map(|pair| (&pair[0], &pair[1]))
    }

    pub fn read(path: &Path) -> Run {
        let reader = Reader::open(path).unwrap_or_else(|problem| panic!("{problem}"));
        Run {
            model: reader.model().clone(),
            frames: reader.frames().collect::<Result<_>>().unwrap(),
            ending: reader.ending().expect("the run has ended").clone(),
        }
    }
}

/// Runs a scene to its end.
pub fn run(scene: &Scene) -> Run {
    run_at_most(scene, None)
}

/// Runs a scene for at most so many steps.
pub fn run_at_most(scene: &Scene, max_steps: Option<usize>) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.riprap");
    run_into(&path, scene, max_steps).unwrap_or_else(|problem| panic!("{problem}"));
    Run::read(&path)
}

/// Runs a scene that must come to rest.
pub fn run_to_rest(scene: &Scene) -> Run {
    let run = run(scene);
    assert_eq!(run.ending.outcome, Outcome::Rest, "{}", scene.name);
    run
}

pub fn run_into(path: &Path, scene: &Scene, max_steps: Option<usize>) -> Result<()> {
    with_options(path, max_steps, |options| run::run(scene, options))
}

pub fn resume(path: &Path) -> Result<()> {
    resume_at_most(path, None)
}

pub fn resume_at_most(path: &Path, max_steps: Option<usize>) -> Result<()> {
    let reader = Reader::open(path)?;
    let (name, text) = (reader.model().name.clone(), reader.scene_text());
    let mut scene = match gallery::find(&name) == Some(text) {
        true => gallery::scene(&name)?,
        false => Scene::from_text(text, &path.with_file_name(format!("{name}.toml")))?,
    };
    scene.seed = reader.model().seed;
    drop(reader);
    with_options(path, max_steps, |options| run::resume(&scene, options))
}

fn with_options(
    path: &Path,
    max_steps: Option<usize>,
    work: impl FnOnce(Options) -> Result<()>,
) -> Result<()> {
    let interrupted = AtomicBool::new(false);
    let (out, progress) = (PathBuf::from(path), &mut |_: &run::Status| ());
    work(Options { out, force: false, max_steps, interrupted: &interrupted, progress })
}

pub fn scene(name: &str, text: &str) -> Scene {
    let file = PathBuf::from(format!("{name}.toml"));
    Scene::from_text(text, &file).unwrap_or_else(|problem| panic!("{problem}"))
}

/// Small scenes of every kind: convex and not, 3D and 2D, grids and random
/// fillings, equal and very unequal spheres, every reach, an l1 term.
pub fn small_scenes() -> Vec<Scene> {
    let mut scenes: Vec<Scene> = ["box-3", "hourglass-2d", "stack"]
        .map(|name| gallery::scene(name).expect("a scene of the gallery"))
        .to_vec();
    scenes.push(scene("neck", NECK));
    scenes.push(scene("slanted", SLANTED));
    scenes.push(scene("gravel-2d", GRAVEL));
    scenes
}

/// Spheres of different sizes run through a narrow neck.
pub const NECK: &str = r#"
seed = 5
[container]
shape = "profile"
corners = [[0, 2.5], [2, 2.5], [3.5, 0.8], [4, 0.8], [5.5, 2.5], [9, 2.5]]
sides = 9
[[bodies]]
random = { count = 25, min = [-3, -3, 5] }
radius = { uniform = [0.25, 0.5] }
[settle]
reach = "growing-box"
"#;

/// Gravity along no axis, one sphere much larger and heavier than the others, the paper's l1 term.
const SLANTED: &str = r#"
seed = 6
gravity = [2, 1, -6]
container = { shape = "box", min = [0, 0, 0], max = [4, 4, 4] }
[[bodies]]
group = "small"
random = { count = 20, max = [4, 4, 2] }
radius = 0.3
[[bodies]]
group = "large"
positions = [[2, 2, 3]]
radius = 0.9
mass = 100
[settle]
reach = "axis-box"
conservative = 0.001
"#;

/// Circles of many sizes between teeth.
const GRAVEL: &str = r#"
dimension = 2
seed = 7
[container]
shape = "polygon"
corners = [[0, 0], [2, 1.5], [3, 0], [5, 2], [7, 0], [8, 0.5], [8, 9], [0, 9]]
[[bodies]]
random = { count = 25, min = [0, 3] }
radius = { lognormal = { median = 0.3, sigma = 0.5, min = 0.1, max = 0.9 } }
"#;

/// The true energy, summed here and not by the program.
pub fn energy(model: &Model, positions: &[DVec3]) -> f64 {
    let terms = model.bodies.iter().zip(positions).filter(|(body, _)| body.is_free());
    terms.map(|(body, p)| -body.mass * model.gravity.dot(*p)).sum()
}

/// A python with numpy (`RIPRAP_PYTHON` may name it); says so, loudly, if there is none.
pub fn python(test: &str) -> Option<Command> {
    let named = std::env::var("RIPRAP_PYTHON").ok();
    let has_numpy = |python: &String| {
        let tried = Command::new(python).args(["-c", "import numpy"]).output();
        tried.is_ok_and(|output| output.status.success())
    };
    let usual = ["python3", "/usr/bin/python3"].map(String::from);
    let found = named.into_iter().chain(usual).find(has_numpy);
    if found.is_none() {
        eprintln!("\n*** SKIPPED: {test} needs python3 with numpy, which is not installed ***\n");
    }
    found.map(Command::new)
}

/// Runs a scene and says which promises are broken, and how.
pub fn broken_by(text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("scene.riprap");
    run_into(&out, &scene("scene", text), None).unwrap();
    let verdict = riprap::verify::verify(&Reader::open(&out).unwrap()).unwrap();
    let broken = verdict.checks.into_iter().filter(|check| !check.ok);
    broken.map(|check| format!("{}: {}", check.name, check.detail)).collect()
}

/// The promises that do not hold.
pub fn broken(verdict: &riprap::verify::Verdict) -> Vec<&'static str> {
    verdict.checks.iter().filter(|check| !check.ok).map(|check| check.name).collect()
}

/// Writes a run anew, its frames changed, and verifies that.
pub fn changed(
    path: &Path,
    out: &Path,
    change: impl Fn(usize, &mut Frame),
) -> riprap::verify::Verdict {
    rewritten(path, out, |_, _| (), change)
}

/// The same, with the models of its phases changed, too.
pub fn rewritten(
    path: &Path,
    out: &Path,
    model: impl Fn(usize, &mut Model),
    change: impl Fn(usize, &mut Frame),
) -> riprap::verify::Verdict {
    let reader = Reader::open(path).unwrap();
    let mut writer: Option<Writer> = None;
    for (number, phase) in reader.phases().iter().enumerate() {
        let mut own = phase.model.clone();
        model(number, &mut own);
        let parts: Vec<&str> = phase.parts.iter().map(String::as_str).collect();
        match &mut writer {
            None => {
                let text = reader.scene_text();
                writer = Some(Writer::create(out, true, &own, text, &parts).unwrap());
            }
            Some(writer) => writer.phase(&own, &parts).unwrap(),
        }
        let writer = writer.as_mut().unwrap();
        for index in reader.frames_of(number) {
            let mut frame = reader.frame(index).unwrap();
            change(index, &mut frame);
            writer.frame(&frame).unwrap();
        }
        match reader.ending_of(number) {
            Some(ending) if number + 1 < reader.phases().len() => writer.end_phase(ending).unwrap(),
            Some(ending) => writer.end(ending).unwrap(),
            None => (),
        }
    }
    drop(writer);
    riprap::verify::verify(&Reader::open(out).unwrap()).unwrap()
}

/// Makes so many time steps from a state on; what each of them says of itself.
pub fn ledgers(model: &Model, state: &mut State, steps: usize) -> Vec<Ledger> {
    let model = Arc::new(model.clone());
    let mut stepper = stepper(&model, state, None, || 0.0).unwrap();
    let mut step = || match stepper.step(state).unwrap() {
        Progress::Moved(moved) => moved.report.ledger.expect("a time step has a ledger"),
        Progress::Rest(_) => panic!("a method with time proves no rest"),
    };
    (0..steps).map(|_| step()).collect()
}

/// A scene, built; what cannot be read or built is a problem.
pub fn built(text: &str, file: &str) -> Result<(Model, State)> {
    riprap::world::build(&Scene::from_text(text, Path::new(file))?)
}
