//! The method dynamics: a swinging mobile from 3 to 4095 joints in both modes (time per joint and
//! step, and how far it is from linear), and the pile of 2000 bodies in both modes (CPU of
//! detection and of the rest of the step once it has settled, deepest overlap, rms speed). Prints
//! tables; asserts nothing. `-- mobile`, `-- pile`, `-- pile paper` and the like run a part.

use std::path::Path;

use cpu_time::ProcessTime;
use riprap::math::{DVec3, Random, median};
use riprap::scene::{Mode, Scene, gallery};
use riprap::step::dynamics::{Dynamics, Options};
use riprap::world::{Model, Poses, build_assembly};

fn mobile(depth: usize) -> (Model, Poses) {
    let text = format!(
        "method = \"dynamics\"\ngravity = [0, 0, -9.81]\n[[structures]]\nfamily = \"mobile\"\n\
         depth = {depth}\ndensity = 1000\n"
    );
    let scene = Scene::from_text(&text, Path::new("mobile.toml")).unwrap();
    let (mut model, mut poses) = build_assembly(&scene).unwrap();
    // Collision detection is excluded, as in the paper.
    model.assembly.parts.iter_mut().for_each(|part| part.pieces.clear());
    // Hanging still would be too easy.
    let mut random = Random::new(1);
    let mut any = || random.between(-1.0, 1.0);
    poses.spins.iter_mut().for_each(|spin| *spin = DVec3::new(any(), any(), any()));
    (model, poses)
}

/// Best of five, in microseconds per joint and step; and the largest joint error.
fn time_mobile(depth: usize, mode: Mode) -> (usize, f64, f64) {
    let (model, mut poses) = mobile(depth);
    let joints = model.assembly.joints.len();
    let options = Options { mode, substeps: 1, ..Options::default() };
    let mut dynamics = Dynamics::new(&model.assembly, options);
    let steps = (20_000 / joints).max(5);
    let (mut best, mut error) = (f64::INFINITY, 0.0_f64);
    for _ in 0..5 {
        let start = ProcessTime::now();
        for _ in 0..steps {
            let ledger = dynamics.step(&mut poses).unwrap();
            error = error.max(ledger.joint_error.unwrap_or(0.0));
        }
        let each = start.elapsed().as_secs_f64() * 1e6 / (steps * joints) as f64;
        best = best.min(each);
    }
    (joints, best, error)
}

fn time_pile(mode: Mode) {
    let (model, mut poses) = build_assembly(&gallery::scene("pile").unwrap()).unwrap();
    let mut dynamics = Dynamics::new(&model.assembly, Options { mode, ..model.dynamics });
    let (mut detection, mut rest) = (Vec::new(), Vec::new());
    let mut last = Default::default();
    for _ in 0..1000 {
        let start = ProcessTime::now();
        let found = dynamics.detect(&poses);
        let halfway = start.elapsed();
        last = dynamics.advance(&mut poses, &found).unwrap();
        detection.push(halfway.as_secs_f64() * 1e3);
        rest.push((start.elapsed() - halfway).as_secs_f64() * 1e3);
    }
    let settled = |times: &[f64]| median(times[800..].to_vec());
    let free: Vec<usize> = model.assembly.free().collect();
    let squares: f64 = free.iter().map(|&i| poses.velocities[i].length_squared()).sum();
    let fast = free.iter().filter(|&&i| poses.velocities[i].length() > 1e-2).count();
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
