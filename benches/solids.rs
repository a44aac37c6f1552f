//! Scenes of shapes from start to certified rest, and compaction of layouts:
//! steps, milliseconds a step, CPU seconds, and how much shorter layouts get.
//!
//!     cargo bench --bench solids

#[path = "../tests/common/published.rs"]
mod published;

use std::sync::Arc;

use cpu_time::ProcessTime;
use published::{INSTANCES, Nesting};
use riprap::layout::{Layout, bottom_left};
use riprap::math::median;
use riprap::run::layout_options;
use riprap::scene::{MethodName, Scene, gallery};
use riprap::step::compact::{Options, compact};
use riprap::step::{Progress, stepper};
use riprap::verify::verify_layout;
use riprap::world::build;

/// CPU seconds of this process.
fn cpu() -> f64 {
    ProcessTime::now().as_duration().as_secs_f64()
}

/// Bodies and the milliseconds of every step to rest.
fn settle(scene: &Scene) -> (usize, Vec<f64>) {
    let (model, mut state) = build(scene).unwrap_or_else(|problem| panic!("{problem}"));
    let bodies = model.bodies.len();
    let mut settle =
        stepper(&Arc::new(model), &state, None, cpu).unwrap_or_else(|problem| panic!("{problem}"));
    let mut times = Vec::new();
    loop {
        let before = cpu();
        let progress = settle.step(&mut state).unwrap_or_else(|problem| panic!("{problem}"));
        times.push(1e3 * (cpu() - before));
        if let Progress::Rest(rest) = progress {
            assert!(rest.is_proved(), "{}: {}", scene.name, rest.verdict());
            return (bodies, times);
        }
    }
}

/// Pieces and the milliseconds of every jump.
fn jumps(scene: &Scene) -> (usize, Vec<f64>) {
    let (mut layout, options) = layout_options(scene).unwrap_or_else(|problem| panic!("{problem}"));
    let (mut times, mut before) = (Vec::new(), cpu());
    let kept = compact(&mut layout, &options, |_, _| {
        times.push(1e3 * (cpu() - before));
        before = cpu();
    });
    kept.unwrap_or_else(|problem| panic!("{problem}"));
    (layout.placed.len(), times)
}

fn scenes() {
    println!("{:12} {:>7} {:>7} {:>9} {:>9}", "scene", "bodies", "steps", "ms/step", "CPU s");
    for name in ["blocks", "foot", "jacks", "tray", "compaction", "jigsaw"] {
        let scene = gallery::scene(name).unwrap_or_else(|problem| panic!("{problem}"));
        let start = cpu();
        let (bodies, times) = match scene.method {
            MethodName::Compact => jumps(&scene),
            _ => settle(&scene),
        };
        println!(
            "{name:12} {bodies:7} {:7} {:9.1} {:9.2}",
            times.len() - 1,
            median(times),
            cpu() - start
        );
    }
}

fn line(name: &str, mut layout: Layout) {
    let start = cpu();
    let report = compact(&mut layout, &Options::default(), |_, _| {})
        .unwrap_or_else(|problem| panic!("{name}: {problem}"));
    let seconds = cpu() - start;
    let ok = verify_layout(&layout, 0.0).is_ok_and(|verdict| verdict.ok());
    assert!(ok, "{name} overlaps");
    let shorter = 100.0 * (1.0 - report.length_end / report.length_start);
    println!(
        "{name:18} {:6} {:12.6} {:12.6} {shorter:9.4} {:6} {seconds:7.2}",
        layout.placed.len(),
        report.length_start,
        report.length_end,
        report.jumps
    );
}

fn main() {
    scenes();
    let Some(nesting) = Nesting::find("the table of layouts") else { return };
    println!(
        "\n{:18} {:>6} {:>12} {:>12} {:>9} {:>6} {:>7}",
        "layout", "pieces", "start", "end", "% shorter", "jumps", "CPU s"
    );
    for name in INSTANCES {
        let record = nesting.layout(name);
        if record.exists() {
            line(name, Layout::read(&record, None).unwrap_or_else(|problem| panic!("{problem}")));
        }
        let instance = Layout::read_instance(&nesting.instance(name));
        let layout = instance.and_then(bottom_left).unwrap_or_else(|problem| panic!("{problem}"));
        line(&format!("{name} (bottom-left)"), layout);
    }
}
