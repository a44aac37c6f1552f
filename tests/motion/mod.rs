//! Bodies in motion that nobody chose: chains, heaps, spins, cloth under load,
//! balloons, projectiles, stacks of unequal masses, machines. None explodes, and
//! none claims an end that does not verify.

mod draft; // the text of a scene
mod fast; // spins, rolling, projectiles
mod generator; // the list of kinds
mod heaps;
mod linked; // chains, ropes, machines
mod soft; // cloth and balloons
mod stacks;

use std::path::Path;

use self::draft::{SMALL, Size, WHOLE};
use self::generator::{KINDS, Motion, made, motion};
use crate::common::{built, run_into, scene};
use riprap::trajectory::{Outcome, Reader};
use riprap::world::{Model, State};

/// How many there are.
const SEEDS: u64 = 300;

/// The seeds to try: the first 300, or those from `RIPRAP_MOTION_SEED` on, which nobody has tried.
fn seeds() -> std::ops::Range<u64> {
    let first = std::env::var("RIPRAP_MOTION_SEED").map_or(0, |text| {
        text.parse().expect("RIPRAP_MOTION_SEED is the number of the first seed")
    });
    first..first + SEEDS
}

/// Energies that a scene cannot reach without an explosion: what it begins with and what it
/// can fall by, so many times.
const EXPLODED: f64 = 3.0;

/// The energies of motion and of height of all bodies.
fn energies(model: &Model, state: &State) -> (f64, f64) {
    let (mut moving, mut height) = (0.0, 0.0);
    for i in model.free() {
        let (body, v) = (&model.bodies[i], state.velocities[i]);
        let (spin, inertia) = (state.spins[i], body.inertia_turned(state.rotations[i]));
        moving += 0.5 * (body.mass * v.length_squared() + spin.dot(inertia * spin));
        height -= body.mass * model.gravity.dot(state.positions[i]);
    }
    (moving, height)
}

/// What is wrong with a run, if anything; its frames are looked at one by one.
fn fault_of(motion: &Motion, path: &Path) -> Option<String> {
    let reader = Reader::open(path).unwrap();
    let model = reader.model();
    let mut start = None;
    for (number, frame) in reader.frames().enumerate() {
        let state = frame.unwrap().state;
        let (moving, height) = energies(model, &state);
        if !(moving + height).is_finite() {
            return Some(format!("frame {number} is not finite"));
        }
        let (first, top) = *start.get_or_insert((moving, height));
        let most = EXPLODED * (first + (top - height).max(0.0)) + 1e-9 * top.abs();
        if motion.is_passive && moving > most {
            return Some(format!("frame {number} has energy {moving:.3e}, at most {most:.3e}"));
        }
    }
    let ending = reader.ending().expect("the run has ended");
    if ending.outcome == Outcome::Failed {
        return ending.reason.is_none().then(|| "it failed without a reason".into());
    }
    let verdict = riprap::verify::verify(&reader).unwrap();
    (!verdict.ok).then(|| {
        let why = verdict.checks.iter().filter(|check| !check.ok);
        why.map(|c| format!("{}: {}", c.name, c.detail)).collect::<Vec<_>>().join("; ")
    })
}

/// Runs the scenes of some seeds; what is wrong with which.
fn faults(seeds: impl Iterator<Item = u64>, size: Size) -> Vec<String> {
    faults_of(seeds.map(|seed| motion(seed, size)))
}

fn faults_of(motions: impl Iterator<Item = Motion>) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let fault = |motion: Motion| {
        let path = folder.path().join(format!("{}.riprap", motion.seed));
        let fault = match run_into(&path, &scene(motion.kind, &motion.text), None) {
            Ok(()) => fault_of(&motion, &path),
            Err(problem) => Some(problem.to_string()),
        };
        let _ = std::fs::remove_file(&path);
        fault.map(|fault| format!("{} {}: {fault}", motion.kind, motion.seed))
    };
    motions.filter_map(fault).collect()
}

/// All of them can be built. They are left in the target folder, to be tried by hand.
#[test]
fn every_scene_is_a_scene() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("motion");
    std::fs::create_dir_all(&folder).unwrap();
    let problem = |seed: u64| {
        let motion = motion(seed, WHOLE);
        let name = format!("{}-{seed}", motion.kind);
        std::fs::write(folder.join(format!("{name}.toml")), &motion.text).unwrap();
        let fault = match built(&motion.text, &name) {
            Err(problem) => problem.to_string(),
            Ok((model, _)) => match model.bodies.len() + model.cloths.len() {
                2..=201 => return None,
                count => format!("{count} bodies"),
            },
        };
        Some(format!("{name}: {fault}"))
    };
    let problems: Vec<String> = seeds().filter_map(problem).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn small_scenes_neither_explode_nor_claim_what_does_not_verify() {
    let faults = faults(0..KINDS.len() as u64, SMALL);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Pushes of which one program's iterates leave all bounds: no panic, and places that are numbers.
#[test]
fn iterates_out_of_all_bounds_are_no_panic() {
    let motion = motion(3_000_172, WHOLE);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("driven.riprap");
    run_into(&path, &scene(motion.kind, &motion.text), None).unwrap();
    let reader = Reader::open(&path).unwrap();
    assert!(reader.ending().is_some());
    let finite = |state: &State| state.positions.iter().all(|place| place.is_finite());
    assert!(reader.frames().all(|frame| finite(&frame.unwrap().state)));
}

/// Kinds of which all scenes verify, at their full size.
const HELD: [&str; 19] = [
    "heap-balls",
    "heap-shapes",
    "heap-flat",
    "heap-collapse",
    "masses",
    "tower",
    "tower-collapse",
    "projectile-collapse",
    "forces",
    "rolling",
    "spin",
    "spin-floor",
    "projectile",
    "chain",
    "chain-flat",
    "chain-collapse",
    "rope",
    "tethers",
    "machines",
];

#[test]
fn bodies_that_touch_neither_explode_nor_claim_what_does_not_verify() {
    let is_held = |seed: &u64| HELD.contains(&KINDS[*seed as usize % KINDS.len()].0);
    let faults = faults(seeds().filter(is_held), WHOLE);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Cloth that falls on a floor and on a body, to the end of its run.
#[test]
fn hung_cloth_verifies() {
    let folder = tempfile::tempdir().unwrap();
    let is_hung = |seed: &u64| KINDS[*seed as usize % KINDS.len()].0 == "cloth-hung";
    for motion in (0..SEEDS / 2).filter(is_hung).map(|seed| motion(seed, WHOLE)) {
        let path = folder.path().join(format!("{}.riprap", motion.seed));
        run_into(&path, &scene(motion.kind, &motion.text), None).unwrap();
        let reader = Reader::open(&path).unwrap();
        let verdict = riprap::verify::verify(&reader).unwrap();
        assert!(verdict.ok, "{}: {:?}", motion.seed, verdict.checks);
        assert_eq!(reader.ending().unwrap().outcome, Outcome::Duration, "{}", motion.seed);
    }
}

/// Scenes of other seeds that showed a fault once: told impulses that were rounding, at faces beside
/// their own or with points seen from where a body was thrown within the step, turns about joints
/// that gave energy, ropes that pushed.
const FOUND: [u64; 10] = [5032, 5057, 5207, 5257, 5123, 5226, 5279, 209, 223, 73];

#[test]
fn what_was_found_once_is_not_found_again() {
    let faults = faults(FOUND.into_iter(), WHOLE);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Sharp bodies of 10 to 20 m/s, with the exact method in space.
#[test]
fn what_passes_is_not_pushed() {
    let volley = |seed: u64| made(("volley", true, fast::volley), seed, WHOLE);
    let faults = faults_of((0..12).map(volley));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn whole_scenes_neither_explode_nor_claim_what_does_not_verify() {
    let faults = faults(seeds(), WHOLE);
    assert!(faults.is_empty(), "{} of {SEEDS}:\n{}", faults.len(), faults.join("\n"));
}
