//! The method dynamics: a swinging mobile from 3 to 4095 joints in both modes (time per joint and
//! step, and how far it is from linear), and the pile of 2000 bodies in both modes (CPU of
//! detection and of the rest of the step once it has settled, deepest overlap, rms speed). Prints
//! tables; asserts nothing. `-- mobile`, `-- pile`, `-- pile paper` and the like run a part.

use std::path::Path;
use std::sync::Arc;

use cpu_time::ProcessTime;
use riprap::math::{DVec3, Random, median};
use riprap::scene::{DynamicsOptions, Mode, Scene, gallery};
use riprap::step::dynamics::Dynamics;
use riprap::step::{Progress, Stepper};
use riprap::trajectory::Ledger;
use riprap::world::{Method, Model, State, build};

fn mobile(depth: usize) -> (Model, State) {
    let text = format!(
        "method = \"dynamics\"\ngravity = [0, 0, -9.81]\n[[bodies]]\ndensity = 1000\n\
         structure = {{ family = \"mobile\", depth = {depth} }}\n"
    );
    let scene = Scene::from_text(&text, Path::new("mobile.toml")).unwrap();
    let (mut model, mut state) = build(&scene).unwrap();
    // Collision detection is excluded, as in the paper.
    model.shapes.iter_mut().for_each(|shape| shape.pieces.clear());
    // Hanging still would be too easy.
    let mut random = Random::new(1);
    let mut any = || random.between(-1.0, 1.0);
    state.spins.iter_mut().for_each(|spin| *spin = DVec3::new(any(), any(), any()));
    (model, state)
}

fn start(mut model: Model, state: &State, options: DynamicsOptions) -> (Arc<Model>, Dynamics) {
    model.method = Method::Dynamics(options);
    let model = Arc::new(model);
    (model.clone(), Dynamics::start(model, state, None, cpu).unwrap())
}

/// CPU seconds of this process.
fn cpu() -> f64 {
    ProcessTime::now().as_duration().as_secs_f64()
}

/// One step, and what it says of itself.
fn step(dynamics: &mut Dynamics, state: &mut State) -> Ledger {
    match dynamics.step(state).unwrap() {
        Progress::Moved(moved) => moved.report.ledger.unwrap_or_default(),
        Progress::Rest(_) => unreachable!("dynamics proves no rest"),
    }
}

/// Best of five, in microseconds per joint and step; and the largest joint error.
fn time_mobile(depth: usize, mode: Mode) -> (usize, f64, f64) {
    let (model, mut state) = mobile(depth);
    let joints = model.joints.len();
    let options = DynamicsOptions { mode, substeps: 1, ..DynamicsOptions::default() };
    let (_, mut dynamics) = start(model, &state, options);
    let steps = (20_000 / joints).max(5);
    let (mut best, mut error) = (f64::INFINITY, 0.0_f64);
    for _ in 0..5 {
        let start = ProcessTime::now();
        for _ in 0..steps {
            let ledger = step(&mut dynamics, &mut state);
            error = error.max(ledger.joint_error.unwrap_or(0.0));
        }
        let each = start.elapsed().as_secs_f64() * 1e6 / (steps * joints) as f64;
        best = best.min(each);
    }
    (joints, best, error)
}

/// The part of a step in which pairs are found.
const DETECTION: &str = "detect";

fn time_pile(mode: Mode) {
    let (model, mut state) = build(&gallery::scene("pile").unwrap()).unwrap();
    let options = DynamicsOptions { mode, ..model.method.dynamics() };
    let (model, mut dynamics) = start(model, &state, options);
    let found = dynamics.parts().iter().position(|part| *part == DETECTION).unwrap_or(0);
    let (mut detection, mut rest) = (Vec::new(), Vec::new());
    let mut last = Default::default();
    for _ in 0..1000 {
        let start = cpu();
        last = step(&mut dynamics, &mut state);
        let all = 1e3 * (cpu() - start);
        let finding = 1e3 * f64::from(dynamics.take_seconds()[found]);
        detection.push(finding);
        rest.push(all - finding);
    }
    let settled = |times: &[f64]| median(times[800..].to_vec());
    let free: Vec<usize> = model.free().collect();
    let squares: f64 = free.iter().map(|&i| state.velocities[i].length_squared()).sum();
    let fast = free.iter().filter(|&&i| state.velocities[i].length() > 1e-2).count();
    println!(
        "{mode:?}: {:.1} ms detection and {:.1} ms the rest of a settled step ({:.1} and {:.1} over all), {} \
         contacts, deepest {:.1e} of a diameter, rms speed {:.1e}, {fast} bodies above 10 mm/s",
        settled(&detection),
        settled(&rest),
        median(detection.clone()),
        median(rest.clone()),
        last.rows,
        last.penetration,
        (squares / free.len() as f64).sqrt(),
    );
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let wants_any = |names: [&str; 2], name: &str| {
        let named = names.iter().any(|name| asked.iter().any(|a| a == name));
        !named || asked.iter().any(|a| a == name)
    };
    let wants = |name: &str| wants_any(["mobile", "pile"], name);
    let modes = [(Mode::Default, "default"), (Mode::Paper, "paper")];
    let modes: Vec<Mode> = (modes.into_iter())
        .filter_map(|(mode, name)| wants_any(["default", "paper"], name).then_some(mode))
        .collect();
    if wants("mobile") {
        println!("mobile: microseconds of CPU per joint and step, best of 5");
        for &mode in &modes {
            let mut least = f64::INFINITY;
            for depth in [1, 3, 5, 6, 8, 10, 11] {
                let (joints, each, error) = time_mobile(depth, mode);
                least = least.min(each);
                println!(
                    "{mode:?} {joints:5} joints {each:6.3}  {:.2} times the least  joint error {error:.1e}",
                    each / least
                );
            }
        }
    }
    if wants("pile") {
        // One thread, so that no CPU goes into waiting.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        println!("pile of 2000 bodies, 10 s");
        pool.install(|| modes.into_iter().for_each(time_pile));
    }
}
