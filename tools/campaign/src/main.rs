//! Random trials of Riprap, each given by its kind and its seed.
//!
//!     cargo run --release -p riprap-campaign -- KIND SEED COUNT [FOLDER]
//!
//! KIND is `settle` (random scenes, run to rest and verified), `kills` (runs cut off
//! anywhere, twice, and resumed to the same bits), `readers` (mutated files of every reader; TMPDIR=/dev/shm makes
//! millions of them cheaper), `faults` (runs of every method, edited so that all hashes fit, shown to verify),
//! `towers` (`stable` beside a linear program of its own) or `motion` (random scenes of dynamics and
//! collapse, run and verified). The table at the end has counts by class and the CPU time; what failed is kept in FOLDER
//! (campaign-failures, unless told), with the seed that makes it again; a panic is a fault like others.

mod common;
mod faults;
mod kills;
mod motion;
mod panics;
mod readers;
mod run_file;
mod settle;
mod towers;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cpu_time::ProcessTime;

/// What came of one trial.
pub struct Trial {
    /// Trials of one class are counted together.
    pub class: String,
    /// What went wrong, if anything.
    pub fault: Option<String>,
    /// What makes it again, with the ending of its file.
    pub input: (Vec<u8>, &'static str),
    /// Further counts.
    pub notes: Vec<&'static str>,
}

/// Trials of a kind, counted.
#[derive(Default)]
struct Table {
    classes: BTreeMap<String, (usize, usize, Duration)>,
    notes: BTreeMap<&'static str, usize>,
    faults: Vec<(u64, String)>,
    slowest: (Duration, u64),
}

impl Table {
    fn add(&mut self, seed: u64, trial: Trial, time: Duration, folder: &Path) {
        let counts = self.classes.entry(trial.class.clone()).or_default();
        counts.0 += 1;
        counts.2 += time;
        trial.notes.iter().for_each(|note| *self.notes.entry(note).or_default() += 1);
        self.slowest = self.slowest.max((time, seed));
        let Some(fault) = trial.fault else { return };
        counts.1 += 1;
        let file = folder.join(format!("{}-{seed}.{}", trial.class, trial.input.1));
        let kept =
            std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, trial.input.0));
        if let Err(error) = kept {
            eprintln!("{}: {error}", file.display());
        }
        eprintln!("{} {seed}: {fault}", trial.class);
        self.faults.push((seed, fault));
    }

    fn text(&self, kind: &str, cpu: Duration) -> String {
        let mut text = format!("{kind:24} {:>8} {:>8} {:>9}\n", "trials", "faults", "CPU s");
        let mut sum = [0, 0];
        for (class, (count, faults, time)) in &self.classes {
            let time = time.as_secs_f64();
            let _ = writeln!(text, "  {class:22} {count:8} {faults:8} {time:9.2}");
            sum = [sum[0] + count, sum[1] + faults];
        }
        let _ = writeln!(text, "  {:22} {:8} {:8}", "all", sum[0], sum[1]);
        for (note, count) in &self.notes {
            let _ = writeln!(text, "{note}: {count}");
        }
        let (slowest, seed) = self.slowest;
        let (cpu, slowest) = (cpu.as_secs_f64(), slowest.as_secs_f64());
        let _ = writeln!(text, "{cpu:.1} s of CPU, the slowest {slowest:.2} s (seed {seed})");
        text
    }
}

/// Trials of a kind from one seed on; whether none failed.
fn campaign(kind: &str, seeds: std::ops::Range<u64>, folder: &Path) -> Option<(bool, String)> {
    let trial: fn(u64, &Path) -> Trial = match kind {
        "settle" => settle::trial,
        "kills" => kills::trial,
        "faults" => faults::trial,
        "readers" => readers::trial,
        "towers" => towers::trial,
        "motion" => motion::trial,
        _ => return None,
    };
    let scratch = tempfile::tempdir().expect("a folder for what comes and goes");
    let (mut table, started) = (Table::default(), ProcessTime::now());
    for seed in seeds {
        NOW.store(seed, Ordering::Relaxed);
        let before = ProcessTime::now();
        let tried = trial(seed, scratch.path());
        table.add(seed, tried, before.elapsed(), folder);
    }
    Some((table.faults.is_empty(), table.text(kind, started.elapsed())))
}

/// The seed that is tried.
static NOW: AtomicU64 = AtomicU64::new(0);

/// Ends the program if one trial goes on and on: nothing else could.
fn end_hangs(folder: &Path) {
    let mut last = (NOW.load(Ordering::Relaxed), ProcessTime::now());
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let seed = NOW.load(Ordering::Relaxed);
        if seed != last.0 {
            last = (seed, ProcessTime::now());
        } else if last.1.elapsed() > 2 * readers::HANG {
            let file = tempfile::tempdir().and_then(|scratch| {
                let input = readers::input(seed, scratch.path());
                let file = folder.join(format!("hang-{seed}-{}", input.name));
                std::fs::create_dir_all(folder)?;
                std::fs::write(&file, input.bytes).map(|()| file)
            });
            eprintln!("seed {seed} does not end: more than {:?} of CPU; {file:?}", readers::HANG);
            std::process::exit(1);
        }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize| arguments.get(k).and_then(|text| text.parse::<u64>().ok());
    let folder = arguments.get(3).map_or("campaign-failures".into(), PathBuf::from);
    if arguments.first().is_some_and(|kind| kind == "readers") {
        let folder = folder.clone();
        std::thread::spawn(move || end_hangs(&folder));
    }
    if let (Some(kind), Some(seed), Some(count)) = (arguments.first(), number(1), number(2))
        && let Some((fine, table)) = campaign(kind, seed..seed.saturating_add(count), &folder)
    {
        print!("{table}");
        return if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    eprintln!(
        "usage: riprap-campaign settle|kills|readers|faults|towers|motion SEED COUNT [FOLDER]"
    );
    ExitCode::from(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small part of each; a long one is a command.
    fn small(kind: &str, count: u64) {
        let folder = tempfile::tempdir().unwrap();
        let (fine, table) = campaign(kind, 1..1 + count, folder.path()).unwrap();
        println!("{table}");
        assert!(fine, "{table}");
    }

    #[test]
    fn scenes_that_settle() {
        small("settle", 24);
    }

    #[test]
    fn runs_that_are_killed() {
        small("kills", 6);
    }

    #[test]
    fn files_that_are_mutated() {
        small("readers", 1500);
    }

    #[test]
    fn runs_that_are_edited() {
        small("faults", 20);
    }

    #[test]
    fn scenes_in_motion() {
        small("motion", 6);
    }

    #[test]
    fn towers_beside_another_program() {
        small("towers", 60);
    }

    #[test]
    fn other_kinds_are_not_known() {
        assert!(campaign("melt", 0..1, Path::new("")).is_none());
    }
}
