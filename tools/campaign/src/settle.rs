//! Random scenes for settle: spheres and solids in containers of several forms, with forces, in
//! odd units, of two sizes, touching at the start, wedged into slots, or in boxes that they fit exactly. The
//! run comes to rest and `verify` agrees with it; a run that does not is a fault, too.

use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use riprap::run::Options;
use riprap::{Outcome, Random, Reader, Scene};

use crate::{Trial, panics};

const KINDS: [&str; 11] = [
    "box", "funnel", "flat", "sizes", "masses", "forces", "ropes", "solids", "units", "touching",
    "wedged",
];

/// What a box is wider than what stands in it, by the side of a ball: from nothing to much.
const PLAY: [f64; 9] = [0.0, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-2, 0.7];

pub fn trial(seed: u64, scratch: &Path) -> Trial {
    let kind = KINDS[(seed % KINDS.len() as u64) as usize];
    let text = scene(kind, seed);
    let mut notes = Vec::new();
    let fault = panics::fault(|| fault(&text, scratch, &mut notes));
    Trial { class: kind.into(), fault, input: (text.into_bytes(), "toml"), notes }
}

fn fault(text: &str, scratch: &Path, notes: &mut Vec<&'static str>) -> Option<String> {
    let scene = match Scene::from_text(text, &scratch.join("scene.toml")) {
        Ok(scene) => scene,
        Err(problem) => return Some(format!("refused: {problem}")),
    };
    let out = scratch.join("settle.riprap");
    if let Err(problem) = run(&scene, &out) {
        // What does not fit at random is refused with words; that is no fault.
        if problem.message.contains("fitted at random") {
            notes.push("did not fit at random");
            return None;
        }
        return Some(format!("refused: {problem}"));
    }
    let reader = match Reader::open(&out) {
        Ok(reader) => reader,
        Err(problem) => return Some(format!("not read: {problem}")),
    };
    let Some(ending) = reader.ending() else { return Some("no ending".into()) };
    let verdict = match riprap::verify(&reader) {
        Ok(verdict) => verdict,
        Err(problem) => return Some(format!("verify: {problem}")),
    };
    let broken = |part: &str| verdict.checks.iter().any(|c| !c.ok && c.name.starts_with(part));
    notes.push(if broken("overlap") { "overlap" } else { "no overlap" });
    notes.push(if broken("energy") { "energy rises" } else { "no energy rises" });
    match (ending.outcome, verdict.ok) {
        (Outcome::Rest, true) => None,
        (Outcome::Rest, false) => {
            notes.push("run and verify disagree");
            let broken = verdict.checks.iter().find(|check| !check.ok);
            let what = broken.map(|check| format!("{}: {}", check.name, check.detail));
            Some(format!("verify says no: {}", what.unwrap_or_default()))
        }
        (outcome, _) => {
            notes.push("not at rest");
            Some(format!("{outcome:?}: {}", ending.reason.as_deref().unwrap_or("")))
        }
    }
}

pub fn run(scene: &Scene, out: &Path) -> riprap::Result<()> {
    riprap::run(
        scene,
        Options {
            out: out.to_path_buf(),
            force: true,
            max_steps: None,
            interrupted: &AtomicBool::new(false),
            progress: &mut |_| (),
        },
    )
}

/// The text of a scene.
pub fn scene(kind: &str, seed: u64) -> String {
    let random = &mut Random::new(seed ^ 0x5e771e);
    if kind == "touching" || kind == "wedged" {
        return close(kind, seed, random);
    }
    let count = 5 + (random.unit() * 76.0) as usize;
    let mut text = format!("method = \"settle\"\nseed = {seed}\n");
    let r = 0.5;
    let side = |random: &mut Random| match random.unit() < 0.4 {
        true => (2.0 + (random.unit() * 3.0).floor()) * 2.0 * r, // fits exactly
        false => random.between(2.2, 5.5),
    };
    let (x, y) = (side(random), side(random));
    let height = 3.0 + 6.0 * count as f64 / (x * y);
    let size = match kind {
        "units" => 10_f64.powf(random.between(-6.0, 6.0)),
        _ => 1.0,
    };
    if kind == "flat" {
        let wide = side(random);
        let _ = write!(
            text,
            "dimension = 2\ngravity = [0, -1]\n[container]\nshape = \"box\"\nmin = [0, 0]\n\
             max = [{wide:?}, {:?}]\n",
            4.0 + 4.0 * count as f64 / wide
        );
    } else if kind == "funnel" {
        let (foot, top) = (random.between(1.2, 2.5), random.between(2.6, 4.0));
        let _ = write!(
            text,
            "gravity = [0, 0, -1]\n[container]\nshape = \"profile\"\nsides = {}\n\
             corners = [[0, {foot:?}], [2, {foot:?}], [4, {top:?}], [{:?}, {top:?}]]\n",
            3 + (random.unit() * 13.0) as usize,
            6.0 + 6.0 * count as f64 / (top * top)
        );
    } else {
        let tilt = if random.unit() < 0.3 { random.between(-0.5, 0.5) } else { 0.0 };
        let [x, y, height] = [x, y, height].map(|length| length * size);
        let _ = write!(
            text,
            "gravity = [{tilt:?}, 0, -1]\n[container]\nshape = \"box\"\nmin = [0, 0, 0]\n\
             max = [{x:?}, {y:?}, {height:?}]\n"
        );
    }
    bodies(&mut text, kind, count, r * size, random);
    text
}

/// Balls in exact grids, and columns of balls in slots.
fn close(kind: &str, seed: u64, random: &mut Random) -> String {
    let mut number =
        |least: usize, most: usize| least + (random.unit() * (most + 1 - least) as f64) as usize;
    let (play, other) = (PLAY[number(0, PLAY.len() - 1)], PLAY[number(0, PLAY.len() - 1)]);
    let (size, bodies) = match kind {
        "touching" => {
            let [x, y, z] = [number(1, 4), number(1, 4), number(5, 5)];
            let grid = format!(
                "grid = {{ count = [{x}, {y}, {z}], first = [0.5, 0.5, 0.5], spacing = 1 }}\n"
            );
            ([x as f64 + play, y as f64 + other, z as f64 + 2.0], grid)
        }
        _ => {
            let count = number(5, 24);
            let wide = 1.2 + 0.1 * number(0, 24) as f64;
            let middle = 0.5 + 0.5 * play;
            let mut places = String::new();
            for k in 0..count {
                let y = random.between(0.5, wide - 0.5);
                let _ = write!(places, "[{middle:?}, {y:?}, {:?}], ", 0.6 + 1.05 * k as f64);
            }
            ([1.0 + play, wide, 3.0 + 1.05 * count as f64], format!("positions = [{places}]\n"))
        }
    };
    let tilt = if random.unit() < 0.3 { random.between(-0.5, 0.5) } else { 0.0 };
    let mass = if random.unit() < 0.3 { random.between(0.1, 100.0) } else { 1.0 };
    format!(
        "method = \"settle\"\nseed = {seed}\ngravity = [{tilt:?}, {:?}, -1]\n[container]\nshape = \"box\"\n\
         min = [0, 0, 0]\nmax = {size:?}\n[[bodies]]\n{bodies}radius = 0.5\nmass = {mass:?}\n",
        0.5 * tilt
    )
}

fn bodies(text: &mut String, kind: &str, count: usize, r: f64, random: &mut Random) {
    let mut balls = |group: &str, count: usize, radius: f64, mass: f64| {
        let _ = write!(
            text,
            "[[bodies]]\ngroup = \"{group}\"\nrandom = {{ count = {count} }}\nradius = {radius:?}\nmass = {mass:?}\n"
        );
    };
    match kind {
        "sizes" => {
            let ratio = [2.0, 5.0, 10.0, 20.0, 50.0, 100.0][(random.unit() * 6.0) as usize];
            balls("large", 4, r, 1.0);
            balls("small", count, r / ratio, ratio.powi(-3));
        }
        "masses" => {
            balls("light", count / 2, r, 1.0);
            balls("heavy", count / 2, r, 10_f64.powf(random.between(0.0, 6.0)));
        }
        "solids" => {
            let shapes = [
                "{ kind = \"box\", size = [0.7, 0.5, 0.6] }",
                "{ kind = \"cubes\", size = 0.35, cells = [[0,0,0],[1,0,0],[0,1,0]] }",
                "{ kind = \"capsule\", radius = 0.25, length = 0.5 }",
                "{ kind = \"hull\", points = [[0,0,0],[0.8,0,0],[0,0.7,0],[0,0,0.9]] }",
            ];
            let shape = shapes[(random.unit() * 4.0) as usize];
            let few = 5 + count / 5;
            let _ = write!(
                text,
                "[[bodies]]\ngroup = \"k\"\nrandom = {{ count = {few} }}\nturn = \"random\"\nshape = {shape}\n"
            );
        }
        _ => balls("s", count, r, 1.0),
    }
    if kind == "forces" {
        let strength = random.between(0.01, 1.0);
        let force = match (random.unit() * 4.0) as usize {
            0 => "law = \"attraction\"\nbetween = \"chain\"",
            1 => "law = \"spring\"\nto = \"start\"",
            2 => "law = \"short-range\"\nbetween = \"all\"\ncut_off = 1.4",
            _ => "law = \"repulsion\"\nbetween = \"chain\"",
        };
        let _ = write!(text, "[[forces]]\ngroup = \"s\"\nstrength = {strength:?}\n{force}\n");
    }
    if kind == "ropes" {
        // Taut from the start, or slack.
        let length = if random.unit() < 0.5 { "" } else { "length = 100\n" };
        let _ = write!(
            text,
            "[[joints]]\nkind = \"rope\"\ngroup = \"s\"\nbetween = [[0, 1], [1, 2]]\n{length}"
        );
    }
}
