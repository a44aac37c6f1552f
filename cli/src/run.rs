//! `riprap run`: a scene, a bar, a summary.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use riprap::Result;
use riprap::measure::{PhaseSummary, Summary, summarise};
use riprap::run::{Options, default_out, resume, run as run_scene};
use riprap::scene::{MethodName, Scene};
use riprap::trajectory::{Outcome, Reader};

use crate::arguments::{Changes, RunOptions};
use crate::progress::Bar;
use crate::{Done, interrupt, output, print};

pub fn run(arguments: RunOptions) -> Result<Done> {
    if let Some(threads) = arguments.threads {
        // The only call in the program: the pool cannot have been built before.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
    }
    let _ = interrupt::listen()?;
    let mut scene = open(&arguments.scene, &arguments.changes)?;
    if let Some(seed) = arguments.seed {
        scene.seed = seed;
    }
    note_unused(&scene);
    let out = arguments.out.clone().unwrap_or_else(|| default_out(&scene.name));
    output::is_no_input(&out, &scene.inputs())?;
    let mut bar = Bar::new(&scene);
    let options = Options {
        out: out.clone(),
        force: arguments.force,
        max_steps: arguments.max_steps,
        interrupted: &interrupt::INTERRUPTED,
        progress: &mut |status| bar.show(status),
    };
    let result = match arguments.resume {
        true => resume(&scene, options),
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
        outcome if outcome.is_done() => Done::Yes,
        Outcome::Interrupted => Done::Interrupted,
        _ => Done::No,
    })
}

/// A scene as the command line changes it.
pub fn open(scene: &str, changes: &Changes) -> Result<Scene> {
    Scene::open_with(scene, &changes.set, changes.method)
}

/// What the scene says and its method has no use for, by nature.
pub fn note_unused(scene: &Scene) {
    unused(scene).iter().for_each(|sentence| eprintln!("note: {sentence}"));
}

/// The same in words, a sentence for each method, and what files of bodies say in vain.
pub fn unused(scene: &Scene) -> Vec<String> {
    let sentence = |(method, keys): &(MethodName, Vec<String>)| {
        let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
        format!("the method {method} does not use {}", keys.join(", "))
    };
    let of_file = |(file, names): (PathBuf, Vec<String>)| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        format!("of {} is not used: {}", file.display(), names.join(", "))
    };
    let of_files = scene.unread().into_iter().map(of_file);
    scene.unused().iter().map(sentence).chain(of_files).collect()
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
        Outcome::Quiet => "quiet, as asked",
        Outcome::Apart => "taken apart",
        Outcome::StepLimit => "NOT done: the step limit was reached",
        Outcome::Interrupted => "NOT done: interrupted (go on with --resume)",
        Outcome::Failed => "FAILED",
    }
}

/// The summary for people.
fn report(summary: &Summary, out: &Path) -> String {
    let mut text = String::new();
    let s = summary;
    let reason = s.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
    let _ = writeln!(text, "{}: {}{reason}", s.scene, outcome(s.outcome));
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:10} {value}");
    };
    line("method", methods(s));
    line("bodies", bodies(s));
    line(
        "steps",
        match s.steps_polish + s.steps_escape {
            0 => s.steps.to_string(),
            _ => format!("{} ({} polish, {} escape)", s.steps, s.steps_polish, s.steps_escape),
        },
    );
    if uses_energy(s) {
        line("energy", energies(s));
    }
    line("overlap", overlaps(s));
    if let (Some(residual), Some(verdict)) = (s.residual, &s.verdict) {
        line("contacts", s.contacts.to_string());
        line("residual", format!("{residual:.1e} of a weight at worst"));
        let modes = (s.unstable_modes.unwrap_or(0), s.neutral_modes.unwrap_or(0));
        line("stability", format!("{verdict} ({} unstable, {} neutral modes)", modes.0, modes.1));
    }
    let cpu = s.cpu_seconds;
    let each = s.ms_per_step;
    line("time", format!("{:.1} s ({cpu:.1} s of CPU), median {each:.1} ms a step", s.seconds));
    let total: f64 = s.parts.iter().map(|(_, t)| t).sum();
    let share = |(name, t): &(String, f64)| format!("{name} {:.0} %", 100.0 * t / total.max(1e-9));
    line("parts", s.parts.iter().map(share).collect::<Vec<_>>().join(", "));
    line("hash", s.hash.clone());
    line("file", out.display().to_string());
    text
}

/// Whether a method of the run lowers an energy or conserves it: taking apart asks for none.
pub fn uses_energy(summary: &Summary) -> bool {
    summary.phases.iter().any(|phase| phase.method != MethodName::Separate)
}

/// From the first to the last.
pub fn energies(summary: &Summary) -> String {
    format!("{} -> {}", figure(summary.energy_start, 6), figure(summary.energy_end, 6))
}

/// The worst; of what was only taken apart, before and after.
pub fn overlaps(summary: &Summary) -> String {
    match uses_energy(summary) {
        true => format!("{:.1e} of a radius at worst", summary.max_overlap),
        false => {
            let Summary { overlap_start, overlap_end, .. } = summary;
            format!("{overlap_start:.1e} -> {overlap_end:.1e} of a radius")
        }
    }
}

/// A number with so many decimals, or as many digits if that would leave none of it.
pub fn figure(x: f64, decimals: usize) -> String {
    let least = 10_f64.powi(2 - decimals as i32);
    match x != 0.0 && x.abs() < least {
        true => format!("{x:.decimals$e}"),
        false => format!("{x:.decimals$}"),
    }
}

/// The method, or how many steps of which, one after the other.
pub fn methods(summary: &Summary) -> String {
    let phase = |phase: &PhaseSummary| match phase.steps {
        1 => format!("{} (1 step)", phase.method),
        steps => format!("{} ({steps} steps)", phase.method),
    };
    match &summary.phases[..] {
        [only] => only.method.to_string(),
        phases => phases.iter().map(phase).collect::<Vec<_>>().join(", then "),
    }
}

/// Rigid bodies, and what there is of cloth.
pub fn bodies(summary: &Summary) -> String {
    match summary.particles {
        0 => summary.bodies.to_string(),
        particles => format!("{}, and {particles} particles of cloth", summary.bodies),
    }
}
