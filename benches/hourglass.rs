//! The 1000-sphere hourglass from start to certified rest: steps, milliseconds
//! a step, CPU seconds, time by part, and the hash of the last state.
//!
//!     cargo bench --bench hourglass [SCENE]

use std::sync::Arc;

use cpu_time::ProcessTime;
use riprap::math::median;
use riprap::scene::Scene;
use riprap::step::{Progress, stepper};
use riprap::trajectory::{StepKind, state_hash};
use riprap::world::build;

/// CPU seconds of this process.
fn cpu() -> f64 {
    ProcessTime::now().as_duration().as_secs_f64()
}

fn main() {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let name = wanted.unwrap_or("hourglass".into());
    let (model, mut state) = Scene::open(&name)
        .and_then(|scene| build(&scene))
        .unwrap_or_else(|problem| panic!("{problem}"));
    let bodies = model.bodies.len();
    let mut settle =
        stepper(&Arc::new(model), &state, None, cpu).unwrap_or_else(|problem| panic!("{problem}"));
    let (mut times, mut kinds) = (Vec::new(), Vec::new());
    let mut parts = vec![0.0; settle.parts().len()];
    let start = cpu();
    let rest = loop {
        let before = cpu();
        let progress = settle.step(&mut state).unwrap_or_else(|problem| panic!("{problem}"));
        times.push(1e3 * (cpu() - before));
        parts.iter_mut().zip(settle.take_seconds()).for_each(|(sum, s)| *sum += f64::from(s));
        match progress {
            Progress::Moved(moved) => kinds.extend(moved.path.iter().map(|_| moved.kind)),
            Progress::Rest(rest) => break rest,
        }
    };
    let total = cpu() - start;
    assert!(rest.is_proved() && rest.unstable_modes == 0, "{}", rest.verdict());
    let [main, polish, escape] = [StepKind::Settle, StepKind::Polish, StepKind::Escape]
        .map(|kind| kinds.iter().filter(|k| **k == kind).count());
    println!("{name}: {bodies} bodies, {}", rest.verdict());
    println!("  steps    {main} + {polish} polish + {escape} escape");
    let longest = times.iter().copied().fold(0.0, f64::max);
    println!("  ms/step  median {:.1}, longest {longest:.1}", median(times));
    println!("  CPU s    {total:.2}");
    for (part, seconds) in settle.parts().iter().zip(parts) {
        println!("    {part:12} {seconds:7.2}  {:3.0} %", 100.0 * seconds / total);
    }
    println!("  residual {:.1e}, {} contacts", rest.residual, rest.contacts.len());
    println!("  hash     {:016x}", state_hash(&state));
}
