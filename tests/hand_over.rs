//! From dynamics to rest: bodies that fell, bounced and rolled are handed over
//! to the exact programs. Taken apart they overlap nowhere, settled they rest
//! with a proof, and `verify` sees what is wrong with a hand-over that is not one.

use std::path::{Path, PathBuf};

use crate::common::{broken, changed, resume, run_into};
use riprap::math::{DQuat, DVec3};
use riprap::scene::Scene;
use riprap::trajectory::{Frame, Reader, StepKind};
use riprap::verify::verify;

/// Cubes, balls, short cylinders and dumb-bells dropped between four walls.
fn scene(hand_over: &str) -> Scene {
    let text = format!(
        r#"
        name = "drop"
        method = "dynamics"
        gravity = [0, 0, -9.81]
        seed = 3

        [[bodies]]
        group = "vessel"
        shape = {{ kind = "compound", pieces = [
            {{ kind = "box", size = [4, 4, 1], at = [0, 0, -0.5] }},
            {{ kind = "box", size = [1, 4, 6], at = [-1.9, 0, 2] }},
            {{ kind = "box", size = [1, 4, 6], at = [1.9, 0, 2] }},
            {{ kind = "box", size = [4, 1, 6], at = [0, -1.9, 2] }},
            {{ kind = "box", size = [4, 1, 6], at = [0, 1.9, 2] }},
        ] }}
        position = [0, 0, 0]
        motion = "fixed"

        [[bodies]]
        group = "things"
        shapes = [
            {{ kind = "box", size = [0.5, 0.5, 0.5] }},
            {{ kind = "ball", radius = 0.25 }},
            {{ kind = "cylinder", radius = 0.25, length = 0.4 }},
            {{ kind = "compound", pieces = [
                {{ kind = "ball", radius = 0.15, at = [-0.2, 0, 0] }},
                {{ kind = "ball", radius = 0.15, at = [0.2, 0, 0] }},
            ] }},
        ]
        grid = {{ count = [3, 3, 3], first = [-0.8, -0.8, 0.5], spacing = 0.8, jitter = 0.05 }}
        friction = 0.4

        [dynamics]
        steps = 120
        overlap = 0.1
        hand_over = "{hand_over}"
        "#
    );
    Scene::from_text(&text, "drop.toml".as_ref()).unwrap()
}

fn handed_over(folder: &Path, how: &str) -> PathBuf {
    let out = folder.join("drop.riprap");
    run_into(&out, &scene(how), None).unwrap();
    out
}

#[test]
fn what_fell_is_taken_apart() {
    let folder = tempfile::tempdir().unwrap();
    let out = handed_over(folder.path(), "separate");
    let reader = Reader::open(&out).unwrap();
    assert_eq!(reader.len(), 122);
    assert_eq!(reader.frame(121).unwrap().kind, StepKind::Separate);
    let verdict = verify(&reader).unwrap();
    assert!(verdict.ok(), "{:?}", verdict.checks);
    assert_eq!(verdict.max_overlap, Some(0.0));
    let overlap = verdict.checks.iter().find(|check| check.name == "overlap").unwrap();
    assert!(overlap.value > Some(1e-6), "nothing overlapped before: {overlap:?}");

    // Cut short before the hand-over, it goes on to the same end.
    let cut = folder.path().join("cut.riprap");
    run_into(&cut, &scene("separate"), Some(80)).unwrap();
    assert_eq!(Reader::open(&cut).unwrap().len(), 81);
    resume(&cut).unwrap();
    let resumed = Reader::open(&cut).unwrap();
    assert_eq!(resumed.stored_hash(121), reader.stored_hash(121));
}

/// The run once more, its last frame changed: which promises are broken.
fn with_last(from: &Path, to: &Path, change: impl Fn(&mut Frame)) -> Vec<&'static str> {
    let last = Reader::open(from).unwrap().len() - 1;
    let only = |index: usize, frame: &mut Frame| {
        if index == last {
            change(frame);
        }
    };
    broken(&changed(from, to, only))
}

#[test]
fn a_hand_over_that_is_none_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let good = handed_over(folder.path(), "separate");
    let bad = folder.path().join("bad.riprap");
    let noticed = |change: &dyn Fn(&mut Frame)| with_last(&good, &bad, change);
    assert_eq!(noticed(&|_| {}), Vec::<&str>::new());
    type Fault<'a> = (&'a str, &'a dyn Fn(&mut Frame));
    let faults: [Fault; 4] = [
        ("turned", &|frame| {
            let turn = DQuat::from_rotation_x(1e-9);
            frame.state.rotations[3] = (turn * frame.state.rotations[3]).normalize();
        }),
        ("moving", &|frame| frame.state.velocities[4] = DVec3::X),
        ("the vessel moved", &|frame| frame.state.positions[0].x += 1e-9),
        ("into a neighbour", &|frame| frame.state.positions[2].z -= 0.05),
    ];
    for (what, change) in faults {
        let found = noticed(change);
        assert!(found.contains(&"hand-over"), "{what}: {found:?}");
    }
    assert!(noticed(&|frame| frame.kind = StepKind::Dynamics).contains(&"hand-over"));
}
