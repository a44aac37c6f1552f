//! The scenes with forces from start to certified rest: steps, milliseconds a
//! step, rows, and the time per body and step against the hourglass's.
//!
//!     cargo bench --bench forces

use std::sync::Arc;

use cpu_time::ProcessTime;
use riprap::math::median;
use riprap::scene::gallery;
use riprap::step::{Progress, stepper};
use riprap::world::build;

/// CPU seconds of this process.
fn cpu() -> f64 {
    ProcessTime::now().as_duration().as_secs_f64()
}

/// Runs a scene, prints its line, and gives CPU microseconds per body and step.
fn measure(name: &str, hourglass: Option<f64>) -> f64 {
    let (model, mut state) = gallery::scene(name)
        .and_then(|scene| build(&scene))
        .unwrap_or_else(|problem| panic!("{problem}"));
    let bodies = model.free().count();
    let mut settle =
        stepper(&Arc::new(model), &state, None, cpu).unwrap_or_else(|problem| panic!("{problem}"));
    let (mut times, mut rows, start) = (Vec::new(), Vec::new(), cpu());
    let rest = loop {
        let before = cpu();
        let progress = settle.step(&mut state).unwrap_or_else(|problem| panic!("{problem}"));
        times.push(1e3 * (cpu() - before));
        match progress {
            Progress::Moved(moved) => rows.push(f64::from(moved.report.rows)),
            Progress::Rest(rest) => break rest,
        }
    };
    let total = cpu() - start;
    assert!(rest.is_proved() && rest.unstable_modes == 0, "{name}: {}", rest.verdict());
    let each = 1e6 * total / (times.len() * bodies) as f64;
    let ratio = hourglass.map_or(String::new(), |h| format!("{:.2}", each / h));
    println!(
        "{name:12} {bodies:7} {:7} {:9.1} {:9.2} {total:9.2} {each:11.1} {ratio:>9}",
        times.len() - 1,
        median(rows),
        median(times),
    );
    each
}

fn main() {
    println!(
        "{:12} {:>7} {:>7} {:>9} {:>9} {:>9} {:>11} {:>9}",
        "scene", "bodies", "steps", "rows", "ms/step", "CPU s", "us/body/step", "hourglass"
    );
    let hourglass = measure("hourglass", None);
    for name in ["trampoline", "shampoo", "lava-lamp", "clump", "springs", "necklace"] {
        measure(name, Some(hourglass));
    }
}
