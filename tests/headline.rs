//! The scenes that the gallery is known for, every day: the cheap ones to their end, the first
//! steps of the dear ones. `./test --all` runs the whole gallery to its end.

use riprap::scene::gallery;
use riprap::trajectory::{Outcome, Reader};
use riprap::verify::verify;

use super::common::{run_into, scene};

/// Runs a scene, for so many steps at most, and has it verified.
fn hold(name: &str, most: Option<usize>) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.riprap");
    run_into(&path, &gallery::scene(name).unwrap(), most)
        .unwrap_or_else(|problem| panic!("{name}: {problem}"));
    let reader = Reader::open(&path).unwrap();
    let verdict = verify(&reader).unwrap();
    assert!(verdict.ok(), "{name}: {verdict:?}");
    reader.ending().unwrap_or_else(|| panic!("{name} has no ending")).outcome
}

#[test]
fn settled_scenes_rest() {
    for name in ["heavy-bead", "jacks", "blocks", "tray"] {
        assert_eq!(hold(name, None), Outcome::Rest, "{name}");
    }
}

/// A minute each, `stack-ratio` five hundred steps.
#[test]
fn towers_stand() {
    for name in ["arch-3d", "card-house-3d", "diamond-4-3d", "stack-ratio"] {
        assert_eq!(hold(name, None), Outcome::Duration, "{name}");
    }
}

#[test]
fn what_moves_keeps_its_promises() {
    for name in ["rope", "tower-5x5", "newtons-cradle", "t-handle"] {
        assert_eq!(hold(name, None), Outcome::Duration, "{name}");
    }
}

#[test]
fn dear_scenes_begin_well() {
    let steps = [("hourglass", 6), ("foot", 8), ("pile", 25), ("cloth-tori", 40), ("elk-duck", 60)];
    for (name, most) in steps {
        assert_eq!(hold(name, Some(most)), Outcome::StepLimit, "{name}");
    }
}

/// More bodies than are solved in one program while they fall, whose bits do not depend on threads.
#[test]
fn many_begin_well() {
    let text = "method = \"settle\"\nseed = 5\n\
                container = { shape = \"box\", min = [0, 0, 0], max = [14, 14, 30] }\n[[bodies]]\n\
                grid = { count = [11, 11, 15], first = [0.8, 0.8, 0.8], spacing = 1.2, jitter = 0.05 }\n\
                radius = 0.5\n";
    let folder = tempfile::tempdir().unwrap();
    let hash = |threads: usize| {
        let path = folder.path().join(format!("{threads}.riprap"));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run_into(&path, &scene("many", text), Some(6))).unwrap();
        let reader = Reader::open(&path).unwrap();
        let verdict = verify(&reader).unwrap();
        assert!(verdict.ok(), "{verdict:?}");
        verdict.hash
    };
    assert_eq!(hash(1), hash(3));
}
