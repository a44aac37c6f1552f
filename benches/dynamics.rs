//! The method dynamics: the mobile from 3 to 4095 joints in both modes (time per joint and step,
//! and how far it is from linear), and the pile of 2000 bodies in both modes (CPU per step once it
//! has settled, deepest overlap, rms speed). Prints tables; asserts nothing but finite numbers.

use std::path::Path;

use cpu_time::ProcessTime;
use riprap::scene::{Mode, Scene, gallery};
use riprap::step::dynamics::{Dynamics, Options};
use riprap::world::{Model, Poses, build_assembly};

fn mobile(depth: usize) -> (Model, Poses) {
    let text = format!(
        "method = \"dynamics\"\ngravity = [0, 0, -9.81]\n[[structures]]\nfamily = \"mobile\"\n\
         depth = {depth}\ndensity = 1000\n"
    );
    let scene = Scene::from_text(&text, Path::new("mobile.toml")).unwrap();
    let (mut model, poses) = build_assembly(&scene).unwrap();
    // Collision detection is excluded, as in the paper.
    model.assembly.parts.iter_mut().for_each(|part| part.pieces.clear());
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
    let mut times = Vec::new();
    let mut deepest = 0.0;
    for _ in 0..1000 {
        let start = ProcessTime::now();
        deepest = dynamics.step(&mut poses).unwrap().penetration;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let settled = riprap::math::median(times[800..].to_vec());
    let free: Vec<usize> = model.assembly.free().collect();
    let squares: f64 = free.iter().map(|&i| poses.velocities[i].length_squared()).sum();
    let rms = (squares / free.len() as f64).sqrt();
    println!(
        "{mode:?}: {settled:.1} ms a settled step, deepest {deepest:.1e} of a diameter, rms speed {rms:.1e}"
    );
}

fn main() {
    println!("mobile: microseconds of CPU per joint and step, best of 5");
    for mode in [Mode::Default, Mode::Paper] {
        for depth in [1, 3, 5, 6, 8, 10, 11] {
            let (joints, each, error) = time_mobile(depth, mode);
            println!("{mode:?} {joints:5} joints {each:6.3}  joint error {error:.1e}");
        }
    }
    println!("pile of 2000 bodies, 10 s");
    time_pile(Mode::Default);
    time_pile(Mode::Paper);
}
