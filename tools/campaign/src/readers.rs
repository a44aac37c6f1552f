//! Mutated files of every reader, in this process: nothing panics, nothing takes long. Run files are changed
//! between their checksums and under their compression, so that what is behind these is read, too.

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use cpu_time::ThreadTime;
use riprap::{Layout, Mesh, Random, Reader, Scene};

use crate::panics::caught;
use crate::run_file::{self, Record};
use crate::{Trial, settle};

/// A file that takes longer than this to be read, in CPU time, is a hang.
pub const HANG: Duration = Duration::from_secs(10);

/// Who reads a file.
#[derive(Clone, Copy, PartialEq)]
enum By {
    /// The scene and what is made of it.
    Scene,
    /// A scene that names the file.
    Particles,
    Mesh,
    Layout,
    Run,
}

/// A file that is fine: its name, who reads it, how many of its lines are a header, and what it says.
type Original = (&'static str, By, usize, &'static [u8]);

macro_rules! original {
    ($name:literal, $by:expr, $header:literal) => {
        ($name, $by, $header, include_bytes!(concat!("../corpus/", $name)))
    };
}

const CORPUS: [Original; 26] = [
    original!("settle.toml", By::Scene, 1),
    original!("shapes.toml", By::Scene, 1),
    original!("turn.toml", By::Scene, 1),
    original!("flat.toml", By::Scene, 1),
    original!("collapse.toml", By::Scene, 1),
    original!("dynamics.toml", By::Scene, 1),
    original!("compact.toml", By::Scene, 1),
    original!("phases.toml", By::Scene, 1),
    original!("laws.json", By::Scene, 1),
    original!("boxes.csv", By::Scene, 1),
    original!("bricks.txt", By::Scene, 0),
    original!("bricks.mpd", By::Scene, 1),
    original!("blocks.json", By::Scene, 0),
    original!("balls.csv", By::Particles, 1),
    original!("balls.xyz", By::Particles, 2),
    original!("balls.dump", By::Particles, 8),
    original!("balls.data", By::Particles, 2),
    original!("solid.obj", By::Mesh, 1),
    original!("solid.ply", By::Mesh, 9),
    original!("binary.ply", By::Mesh, 9),
    original!("solid.stl", By::Mesh, 1),
    original!("binary.stl", By::Mesh, 0),
    original!("drawing.svg", By::Layout, 1),
    original!("drawing.dxf", By::Layout, 4),
    original!("layout.json", By::Layout, 1),
    // The runs of the scenes above that are run, in turn.
    ("a.riprap", By::Run, 0, b""),
];

/// A quarter of all trials are of runs, which cost ten times what others do.
const RUNS: usize = CORPUS.len() - 1;
const TURNS: usize = 4 * RUNS / 3;

/// Scenes of every method, whose runs are changed.
const RUN: [usize; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// Verifying costs a thousand times what reading does: one run in so many is verified, too.
const VERIFIED: u64 = 64;

/// Their runs, in bytes and in records.
fn runs(scratch: &Path) -> &'static [(Vec<u8>, Vec<Record>)] {
    static RUNS: OnceLock<Vec<(Vec<u8>, Vec<Record>)>> = OnceLock::new();
    RUNS.get_or_init(|| {
        let run = |k: usize| {
            let (name, .., text) = CORPUS[k];
            let text = String::from_utf8_lossy(text);
            let scene = Scene::from_text(&text, Path::new(name)).expect("a scene that is fine");
            let file = scratch.join("original.riprap");
            settle::run(&scene, &file).expect("a run that ends");
            let bytes = std::fs::read(file).unwrap_or_default();
            let records = run_file::records(&bytes).expect("a file as FORMAT.md has it");
            (bytes, records)
        };
        RUN.iter().map(|&k| run(k)).collect()
    })
}

/// A changed file.
pub struct Input {
    pub name: &'static str,
    by: By,
    pub bytes: Vec<u8>,
    /// Whether all changes are behind the header.
    behind_header: bool,
}

/// The file of a seed.
pub fn input(seed: u64, scratch: &Path) -> Input {
    let random = &mut Random::new(seed);
    let (name, by, header, original) =
        CORPUS[((seed % TURNS as u64) as usize).min(CORPUS.len() - 1)];
    let behind_header = random.unit() < 0.8;
    let bytes = match by {
        By::Run => {
            let runs = runs(scratch);
            let (bytes, records) = &runs[(seed / TURNS as u64) as usize % runs.len()];
            changed_run(bytes, records, behind_header, random)
        }
        _ => {
            let start = if behind_header { end_of_line(original, header) } else { 0 };
            let mut changed = original[start..].to_vec();
            for _ in 0..1 + (random.unit() * 4.0) as usize {
                mutate_text(&mut changed, random);
            }
            [&original[..start], &changed].concat()
        }
    };
    Input { name, by, bytes, behind_header }
}

pub fn trial(seed: u64, scratch: &Path) -> Trial {
    let Input { name, by, bytes, behind_header } = input(seed, scratch);
    let mut notes = Vec::new();
    let started = ThreadTime::now();
    let verifies = (seed / (TURNS * RUN.len()) as u64).is_multiple_of(VERIFIED);
    let read = caught(|| read(by, name, &bytes, scratch, verifies));
    let fault = match &read {
        Err(panic) => Some(panic.clone()),
        Ok(_) if started.elapsed() > HANG => Some(format!("{:?} to read", started.elapsed())),
        Ok(_) => None,
    };
    let (past_header, is_fine) = read.unwrap_or_default();
    if past_header.unwrap_or(behind_header) {
        notes.push("past the header");
    }
    if is_fine {
        notes.push("read without a problem");
    }
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    Trial { class: name.into(), fault, input: (bytes, ending), notes }
}

fn end_of_line(bytes: &[u8], lines: usize) -> usize {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    lines.checked_sub(1).and_then(|k| ends.map(|(at, _)| at + 1).nth(k)).unwrap_or(0)
}

/// In nine of ten the checksums fit.
fn changed_run(
    bytes: &[u8],
    records: &[Record],
    behind_header: bool,
    random: &mut Random,
) -> Vec<u8> {
    let times = 1 + (random.unit() * 3.0) as usize;
    if random.unit() < 0.1 {
        let mut bytes = bytes.to_vec();
        (0..times).for_each(|_| mutate_text(&mut bytes, random));
        return bytes;
    }
    let mut records = records.to_vec();
    (0..times).for_each(|_| run_file::change(&mut records, behind_header, random));
    run_file::written(&records)
}

/// Numbers that have broken readers before.
const NUMBERS: [&str; 14] = [
    "-1",
    "0",
    "1e308",
    "-1e308",
    "1e-320",
    "nan",
    "inf",
    "4294967295",
    "4294967296",
    "1e9",
    "18446744073709551615",
    "9007199254740993",
    "1e30",
    "",
];

/// Changes a few bytes, a number, or the order of parts.
pub fn mutate_text(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let mut place = |length: usize| (random.unit() * length as f64) as usize;
    let at = place(bytes.len());
    let until = (at + 1 + place(40)).min(bytes.len());
    match place(8) {
        0 => bytes[at] = place(256) as u8,
        1 => bytes[at] ^= 1 << place(8),
        2 => drop(bytes.drain(at..until)),
        3 => {
            let copy = bytes[at..until].to_vec();
            let to = place(bytes.len());
            bytes.splice(to..to, copy);
        }
        4 if place(3) == 0 => bytes.truncate(at),
        _ => {
            // The next number, or what looks like one.
            let is_digit = |b: &u8| b.is_ascii_digit();
            let Some(start) = bytes[at..].iter().position(is_digit) else { return };
            let start = at + start;
            let end = bytes[start..].iter().position(|b| !(is_digit(b) || *b == b'.'));
            let end = end.map_or(bytes.len(), |end| start + end);
            bytes.splice(start..end, NUMBERS[place(NUMBERS.len())].bytes());
        }
    }
}

/// Reads it, as far as it goes; whether it came past the header, where that can be told, and whether
/// all of it could be read.
fn read(by: By, name: &str, bytes: &[u8], scratch: &Path, verifies: bool) -> (Option<bool>, bool) {
    let path = scratch.join(name);
    let is_fine = match by {
        By::Scene => {
            let text = String::from_utf8_lossy(bytes);
            Scene::from_text(&text, &path).and_then(|scene| riprap::build(&scene)).is_ok()
        }
        By::Run => {
            if std::fs::write(&path, bytes).is_err() {
                return (None, false);
            }
            let Ok(reader) = Reader::open(&path) else { return (Some(false), false) };
            let frames = reader.frames().all(|frame| frame.is_ok());
            let is_verified = || riprap::verify(&reader).is_ok_and(|verdict| verdict.ok);
            return (Some(true), frames && (!verifies || is_verified()));
        }
        By::Mesh => {
            Mesh::from_bytes(&path, bytes).is_ok_and(|mesh| riprap::Shape::from_mesh(&mesh).is_ok())
        }
        By::Layout => Layout::from_bytes(&path, bytes, None).is_ok(),
        By::Particles => {
            if std::fs::write(&path, bytes).is_err() {
                return (None, false);
            }
            let text = format!(
                "[container]\nshape = \"box\"\nmin = [0, 0, 0]\nmax = [5, 5, 5]\n[[bodies]]\nfile = \"{name}\"\n"
            );
            let scene = Scene::from_text(&text, &scratch.join("particles.toml"));
            scene.and_then(|scene| riprap::build(&scene)).is_ok()
        }
    };
    (None, is_fine)
}
