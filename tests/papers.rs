//! The figures of the papers: k x k x k spheres in a box come to rest in no
//! more steps than Milenkovic needed [M95], and all sand runs through the
//! hourglass [M96].

mod common;

use common::run_to_rest;
use riprap::scene::gallery;
use riprap::trajectory::StepKind;

/// Steps of the main loop; polishing and escapes prove more than the paper did.
fn first_order_steps(name: &str, seed: u64) -> usize {
    let mut scene = gallery::scene(name).unwrap();
    scene.seed = seed;
    let run = run_to_rest(&scene);
    run.frames.iter().filter(|frame| frame.kind == StepKind::Settle).count()
}

#[test]
fn small_boxes() {
    for seed in 1..=3 {
        let steps = first_order_steps("box-3", seed);
        assert!(steps <= 21, "box-3, seed {seed}: {steps} steps");
        let steps = first_order_steps("box-4", seed);
        assert!(steps <= 25, "box-4, seed {seed}: {steps} steps");
    }
}

#[test]
fn larger_boxes() {
    for (name, most) in [("box-5", 39), ("box-6", 54)] {
        let seed = gallery::scene(name).unwrap().seed;
        let steps = first_order_steps(name, seed);
        assert!(steps <= most, "{name}: {steps} steps");
    }
}

#[test]
fn the_flat_hourglass_runs_empty() {
    let run = run_to_rest(&gallery::scene("hourglass-2d").unwrap());
    for (i, p) in run.last().positions.iter().enumerate() {
        assert!(p.y < 6.0, "circle {i} stays above the neck, at {p}");
    }
}
