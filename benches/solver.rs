//! Our solver and Clarabel on the same programs, in one process: mid-run steps
//! of the 1000-sphere hourglass. Prints a table; asserts only that the answers
//! agree.
//!
//!     cargo bench --features clarabel --bench solver

use std::sync::Arc;

use cpu_time::ProcessTime;
use riprap::math::median;
use riprap::scene::gallery;
use riprap::solver::{Accuracy, Program, Solution, reference, solve};
use riprap::step::settle::Settle;
use riprap::step::{Progress, Stepper};
use riprap::world::build;

const REPETITIONS: usize = 5;
/// The relative gap to which both solvers are asked to go.
const EQUAL: f64 = 1e-8;

fn main() {
    println!(
        "{:>5} {:>6} {:>6}  {:24} {:>10} {:>9} {:>9} {:>6}",
        "step", "bodies", "rows", "solver", "iterations", "ms", "ratio", "gap"
    );
    let (model, mut state) =
        build(&gallery::scene("hourglass").expect("in the gallery")).expect("a good scene");
    let mut settle = Settle::start(Arc::new(model), &state, None, || 0.0).expect("it can start");
    let mut done = 0;
    for step in [40, 120] {
        while done < step {
            assert!(matches!(settle.step(&mut state), Ok(Progress::Moved(_))), "not at rest yet");
            done += 1;
        }
        let (program, warm) = settle.program(&state);
        compare(step, &program, &warm);
    }
}

/// One program, solved every way.
fn compare(step: usize, program: &Program, warm: &[f64]) {
    let to = |relative: f64| Accuracy { relative, absolute: 0.0, max_iterations: 200 };
    let (theirs, slow) =
        timed(|| reference::solve(program, Accuracy { absolute: EQUAL, ..to(EQUAL) }));
    assert!(theirs.converged, "Clarabel gave up");
    let optimum = program.objective(&theirs.motion);
    let size = (program.cost.len(), program.half_spaces.len());
    let print = |solver: &str, iterations: usize, ms: f64, gap: f64| {
        println!(
            "{step:5} {:6} {:6}  {solver:24} {iterations:10} {ms:9.2} {:8.1}x {gap:6.0e}",
            size.0,
            size.1,
            slow / ms
        );
    };
    print("Clarabel", theirs.iterations, slow, 0.0);
    for (name, relative, warm) in [
        ("ours", EQUAL, &[][..]),
        ("ours, warm", EQUAL, warm),
        ("ours, warm, stop at 10 %", 0.1, warm),
        ("ours, warm, stop at 30 %", 0.3, warm),
    ] {
        let (ours, ms) = timed(|| solve(program, to(relative), warm));
        let gap = 1.0 - program.objective(&ours.motion) / optimum;
        print(name, ours.iterations, ms, gap);
        assert!(ours.converged && program.smallest_slack(&ours.motion) >= -1e-13);
        // Both solvers may be off by what they were asked for, and Clarabel's motion may be
        // outside of the cell by its own tolerance.
        assert!(gap.abs() <= relative + 100.0 * EQUAL, "{name}: {gap:e}");
    }
}

/// The answer, and the median CPU milliseconds it took.
fn timed(work: impl Fn() -> Solution) -> (Solution, f64) {
    let once = |_| {
        let start = ProcessTime::now();
        let solution = work();
        (solution, 1e3 * start.elapsed().as_secs_f64())
    };
    let (mut solutions, times): (Vec<_>, Vec<_>) = (0..REPETITIONS).map(once).unzip();
    (solutions.remove(0), median(times))
}
