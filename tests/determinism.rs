//! The same bits every time: on one thread and on two, run again, cut off
//! anywhere and resumed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Run, resume, run_into, run_to_rest, scene, small_scenes};
use riprap::scene::{Scene, gallery};
use riprap::trajectory::{Reader, state_hash};

/// Enough bodies for two threads to have something to share.
fn crowd() -> Scene {
    let text = r#"
        seed = 3
        container = { shape = "cylinder", radius = 4, bottom = 0, top = 9, sides = 12 }
        [[bodies]]
        random = { count = 90 }
        radius = { uniform = [0.35, 0.55] }
        [settle]
        reach = "growing-box"
    "#;
    scene("crowd", text)
}

fn bits(frames: &[riprap::trajectory::Frame]) -> Vec<(u64, u64, u64)> {
    frames.iter().map(|f| (f.step, f.energy.to_bits(), state_hash(&f.state))).collect()
}

fn assert_same(one: &Run, other: &Run, what: &str) {
    assert_eq!(bits(&one.frames), bits(&other.frames), "{what}");
    assert_eq!(one.ending.contacts, other.ending.contacts, "{what}");
    assert_eq!(one.ending.certificate, other.ending.certificate, "{what}");
}

#[test]
fn on_one_thread_and_on_two() {
    let scene = crowd();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run_to_rest(&scene))
    };
    let one = on(1);
    assert_same(&one, &on(2), "two threads");
    assert_same(&one, &on(5), "five threads");
}

#[test]
fn run_again() {
    for scene in small_scenes() {
        assert_same(&run_to_rest(&scene), &run_to_rest(&scene), &scene.name);
    }
}

/// A kill can cut the file anywhere: between two records, or in one.
#[test]
fn cut_off_anywhere_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    for scene in [gallery::scene("stack").unwrap(), scene("neck", crate::common::NECK)] {
        let whole = folder.path().join(format!("{}.riprap", scene.name));
        run_into(&whole, &scene, None).unwrap();
        let (bytes, expected) = (fs::read(&whole).unwrap(), Run::read(&whole));
        let start = first_checkpoint(&bytes, folder.path());
        for part in 0..8 {
            let cut = start + (bytes.len() - start) * part / 8;
            let torn = folder.path().join("torn.riprap");
            fs::write(&torn, &bytes[..cut]).unwrap();
            resume(&torn).unwrap_or_else(|problem| panic!("cut at {cut}: {problem}"));
            assert_same(&expected, &Run::read(&torn), &format!("{}, cut at {cut}", scene.name));
        }
    }
}

/// The shortest beginning of a run file, to a few bytes, that can be resumed:
/// what is shorter is refused with a reason.
fn first_checkpoint(bytes: &[u8], folder: &Path) -> usize {
    let torn = folder.join("beginning.riprap");
    let resumes = |length: usize| {
        fs::write(&torn, &bytes[..length]).unwrap();
        match riprap::trajectory::Writer::resume(&torn) {
            Ok(_) => true,
            Err(problem) => {
                assert!(problem.place.is_some() && !problem.message.is_empty(), "{problem}");
                false
            }
        }
    };
    let (mut low, mut high) = (0, bytes.len() - 1);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if resumes(middle) { high = middle } else { low = middle }
    }
    high
}

#[test]
fn stopped_by_the_step_limit_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let scene = gallery::scene("box-3").unwrap();
    let expected = run_to_rest(&scene);
    for steps in [0, 1, 7, expected.frames.len() - 2] {
        let path = folder.path().join(format!("{steps}.riprap"));
        run_into(&path, &scene, Some(steps)).unwrap();
        assert_eq!(Reader::open(&path).unwrap().len(), steps + 1);
        resume(&path).unwrap();
        assert_same(&expected, &Run::read(&path), &format!("stopped after {steps} steps"));
    }
    let problem = resume(&folder.path().join("7.riprap")).unwrap_err();
    assert_eq!(problem.message, "the run is finished already (outcome: rest)");
}

#[test]
fn every_stored_hash_is_that_of_its_frame() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.riprap");
    run_into(&path, &gallery::scene("hourglass-2d").unwrap(), None).unwrap();
    let reader = Reader::open(&path).unwrap();
    for (index, frame) in reader.frames().enumerate() {
        assert_eq!(reader.stored_hash(index), state_hash(&frame.unwrap().state));
    }
}

/// Another seed is another start and another end.
#[test]
fn the_seed_decides() {
    let mut scene = gallery::scene("box-3").unwrap();
    let one = run_to_rest(&scene);
    scene.seed += 1;
    assert_ne!(bits(&one.frames).last(), bits(&run_to_rest(&scene).frames).last());
}

/// Bits must not depend on the optimiser. Wants the example `bits`, optimised as a
/// release is, at the path in RIPRAP_BITS or in the usual place.
#[test]
fn debug_and_release_agree() {
    let usual = concat!(env!("CARGO_MANIFEST_DIR"), "/target/release/examples/bits");
    let bits = PathBuf::from(std::env::var_os("RIPRAP_BITS").unwrap_or(usual.into()));
    if !bits.is_file() {
        eprintln!(
            "\n*** SKIPPED: 1 debug_and_release_agree needs `cargo build --release --example bits` ***\n"
        );
        return;
    }
    let names =
        ["box-4", "hourglass-2d", "tower-5x5", "domino-3d", "jigsaw", "car", "elk-duck", "pyramid"];
    let release = Command::new(bits).args(names).output().unwrap();
    let mut debug = String::new();
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        let path = folder.path().join(name);
        run_into(&path, &gallery::scene(name).unwrap(), Some(60)).unwrap();
        let reader = Reader::open(&path).unwrap();
        debug += &format!("{name} {:016x}\n", reader.stored_hash(reader.len() - 1));
    }
    assert_eq!(String::from_utf8_lossy(&release.stdout), debug);
}
