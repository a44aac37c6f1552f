//! `riprap run`: a scene, a bar, a summary.

use std::fmt::Write;
use std::path::Path;

use riprap::Result;
use riprap::measure::{Summary, summarise};
use riprap::run::{Options, default_out, resume, run as run_scene};
use riprap::scene::Scene;
use riprap::trajectory::{Outcome, Reader};

use crate::arguments::RunOptions;
use crate::progress::Bar;
use crate::{Done, interrupt, print};

pub fn run(arguments: RunOptions) -> Result<Done> {
    if let Some(threads) = arguments.threads {
        // The only call in the program: the pool cannot have been built before.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
    }
    let _ = interrupt::listen()?;
    let mut scene = Scene::open(&arguments.scene)?;
    if let Some(seed) = arguments.seed {
        scene.seed = seed;
    }
    let out = arguments.out.clone().unwrap_or_else(|| default_out(&scene.name));
    let mut bar = Bar::new(&scene);
    let options = Options {
        out: out.clone(),
        force: arguments.force,
        max_steps: arguments.max_steps,
        interrupted: &interrupt::INTERRUPTED,
        progress: &mut |status| bar.show(status),
    };
    let result = match arguments.resume {
        true => resume(options),
        false => run_scene(&scene, options),
    };
    bar.finish();
    result?;
    let summary = summarise(&Reader::open(&out)?)?;
    print(&match arguments.json {
        true => json(&summary, &out),
        false => report(&summary, &out),
    })?;
    Ok(match summary.outcome {
        Outcome::Rest | Outcome::Duration => Done::Yes,
        _ => Done::No,
    })
}

fn json(summary: &Summary, out: &Path) -> String {
    let mut value = serde_json::to_value(summary).expect("a summary is plain data");
    value["out"] = out.display().to_string().into();
    format!("{value}\n")
}

/// How a run ended, in words.
pub fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Rest => "at rest",
        Outcome::Duration => "the asked duration is over",
        Outcome::StepLimit => "NOT at rest: the step limit was reached",
        Outcome::Interrupted => "NOT at rest: interrupted (go on with --resume)",
        Outcome::Failed => "FAILED: the contact forces do not balance",
    }
}

/// The summary for people.
fn report(summary: &Summary, out: &Path) -> String {
    let mut text = String::new();
    let s = summary;
    let _ = writeln!(text, "{}: {}", s.scene, outcome(s.outcome));
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:10} {value}");
    };
    line("bodies", s.bodies.to_string());
    let of_these = format!("{} polish, {} escape", s.steps_polish, s.steps_escape);
    line("steps", format!("{} ({of_these})", s.steps));
    line("energy", format!("{:.6} -> {:.6}", s.energy_start, s.energy_end));
    line("overlap", format!("{:.1e} of a radius at worst", s.max_overlap));
    if let (Some(residual), Some(verdict)) = (s.residual, &s.verdict) {
        line("contacts", s.contacts.to_string());
        line("residual", format!("{residual:.1e} of a weight at worst"));
        let modes = (s.unstable_modes.unwrap_or(0), s.neutral_modes.unwrap_or(0));
        line("stability", format!("{verdict} ({} unstable, {} neutral modes)", modes.0, modes.1));
    }
    let cpu = s.cpu_seconds;
    let each = s.ms_per_step;
    line("time", format!("{:.1} s ({cpu:.1} s of CPU), median {each:.1} ms a step", s.seconds));
    let total: f64 = s.acts.iter().map(|(_, t)| t).sum();
    let share = |(name, t): &(String, f64)| format!("{name} {:.0} %", 100.0 * t / total.max(1e-9));
    line("acts", s.acts.iter().map(share).collect::<Vec<_>>().join(", "));
    line("hash", s.hash.clone());
    line("file", out.display().to_string());
    text
}
