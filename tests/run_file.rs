//! A run file gives back every bit that was put into it, to us and to others,
//! whatever happens to the process that writes it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::prelude::*;
use riprap::export::{Options, export};
use riprap::math::{DQuat, DVec3};
use riprap::shape::{Boundary, Mesh, Shape};
use riprap::trajectory::{
    Contact, Ending, Frame, Outcome, Reader, Report, StepKind, With, Writer, state_hash,
};
use riprap::world::{Body, Model, State};

use crate::common::python;

fn model(bodies: usize) -> Model {
    let radius = |i: usize| 1.0 / (i + 2) as f64;
    Model {
        name: "run file".into(),
        dimension: 3,
        shapes: (0..bodies).map(|i| Shape::ball(radius(i))).collect(),
        bodies: (0..bodies).map(|i| Body::new(i as u32, 1.0, radius(i))).collect(),
        groups: vec!["spheres".into()],
        boundary: Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::splat(10.0))),
        gravity: DVec3::new(0.0, 0.0, -9.81),
        seed: 1,
        ..Default::default()
    }
}

fn frame(step: u64, state: State) -> Frame {
    let report = Report { active: 3, moving: 2, rows: 1, iterations: 8, ledger: None };
    Frame {
        step,
        kind: StepKind::Settle,
        energy: 0.1 * step as f64,
        state,
        contacts: Vec::new(),
        trace: Default::default(),
        report,
        seconds: vec![0.1],
    }
}

/// Bodies that fall one after the other, each at a steady pace, and swerve a
/// little; three out of ten move at any time.
fn falling(step: u64, bodies: usize) -> Frame {
    let position = |i: usize| {
        let angle = i as f64;
        let start = (i * 7919 % 1000) as f64 - 300.0;
        let t = ((step as f64 - start) / 300.0).clamp(0.0, 1.0);
        let swerve = 1e-5 * (3.0 * t).sin() * DVec3::new(angle.sin(), angle.cos(), 0.0);
        let from = DVec3::new((1.3 * angle).sin(), (0.7 * angle).cos(), 9.0 + (1.9 * angle).sin());
        from + swerve - 7.0 * t * DVec3::Z
    };
    frame(step, State::at_rest((0..bodies).map(position).collect()))
}

/// The same, turning.
fn tumbling(step: u64, bodies: usize) -> Frame {
    let mut frame = falling(step, bodies);
    for i in 0..bodies {
        frame.state.rotations[i] = DQuat::from_rotation_y(0.01 * (step * i as u64) as f64);
        frame.state.velocities[i] = DVec3::NEG_Z / (i + 1) as f64;
        frame.state.spins[i] = DVec3::Y * 0.01 * i as f64;
    }
    // Contacts that come and go, some of them twice between the same two.
    let some = (0..bodies as u32)
        .filter(|body| !step.is_multiple_of(7) && !(step / 5 + u64::from(*body)).is_multiple_of(3));
    for body in some.flat_map(|body| [body, body]) {
        let turn = if step > 20 { DVec3::Z * (0.1 * body as f64) } else { DVec3::ZERO };
        let at = [frame.state.positions[body as usize]; 2];
        let force = DVec3::Z * (1.0 + step as f64 / 3.0 + frame.contacts.len() as f64);
        let (with, normal, pieces, choice) = (With::Face(body), DVec3::Z, [0; 2], false);
        let couples = [turn, DVec3::ZERO];
        frame.contacts.push(Contact { body, with, pieces, at, normal, force, couples, choice });
    }
    frame.trace.ways = vec![DVec3::X / (1.0 + step as f64); bodies];
    frame
}

fn ending() -> Ending {
    let contact = |body: u32, with: With, force: f64| Contact {
        body,
        with,
        pieces: [0, body],
        at: [DVec3::X, DVec3::Y],
        normal: DVec3::Z,
        force: DVec3::Z * force,
        couples: [DVec3::X * force, DVec3::ZERO],
        choice: body == 1,
    };
    Ending {
        outcome: Outcome::Rest,
        reason: None,
        contacts: vec![contact(0, With::Body(1), 0.1 + 0.2), contact(1, With::Face(4), 1.0 / 3.0)],
        certificate: None,
        seconds: 1.0,
        cpu_seconds: 2.0,
        parts: Vec::new(),
    }
}

fn write(path: &Path, model: &Model, frames: &[Frame], end: bool) {
    let mut writer = Writer::create(path, false, model, "the scene", &["solve"]).unwrap();
    frames.iter().for_each(|frame| writer.frame(frame).unwrap());
    if end {
        writer.end(&ending()).unwrap();
    }
}

fn bits(positions: &[DVec3]) -> Vec<u64> {
    positions.iter().flat_map(|p| p.to_array()).map(f64::to_bits).collect()
}

/// All numbers of a state.
fn all_bits(state: &State) -> Vec<u64> {
    let turns = state.rotations.iter().flat_map(|turn| turn.to_array()).map(f64::to_bits);
    let vectors = [&state.positions, &state.velocities, &state.spins];
    vectors.into_iter().flat_map(|list| bits(list)).chain(turns).collect()
}

/// Numbers of every kind, infinite and meaningless ones included.
fn any_frames() -> impl Strategy<Value = Vec<State>> {
    let number =
        prop_oneof![any::<u64>().prop_map(f64::from_bits), -1e3..1e3, Just(0.0), Just(-0.0)];
    let body = prop::collection::vec(number, 13);
    (1_usize..8).prop_flat_map(move |n| {
        let state = prop::collection::vec(body.clone(), n).prop_map(|bodies| state_of(&bodies));
        prop::collection::vec(state, 1..45)
    })
}

/// From thirteen numbers for every body.
fn state_of(bodies: &[Vec<f64>]) -> State {
    let vectors = |at: usize| bodies.iter().map(|b| DVec3::from_slice(&b[at..])).collect();
    State {
        positions: vectors(0),
        velocities: vectors(3),
        spins: vectors(6),
        rotations: bodies.iter().map(|b| DQuat::from_slice(&b[9..])).collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn every_bit_comes_back(frames in any_frames(), end: bool) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.riprap");
        let written: Vec<Frame> =
            frames.into_iter().enumerate().map(|(step, p)| frame(step as u64, p)).collect();
        write(&path, &model(written[0].state.positions.len()), &written, end);
        let reader = Reader::open(&path).unwrap();
        prop_assert_eq!(reader.len(), written.len());
        for (index, expected) in written.iter().enumerate() {
            let read = reader.frame(index).unwrap();
            prop_assert_eq!(all_bits(&read.state), all_bits(&expected.state));
            prop_assert_eq!((read.step, read.energy), (expected.step, expected.energy));
            prop_assert_eq!(reader.stored_hash(index), state_hash(&expected.state));
        }
    }
}

#[test]
fn steady_motion_takes_a_sixth_of_its_raw_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.riprap");
    let frames: Vec<Frame> = (0..100).map(|step| falling(step, 1000)).collect();
    write(&path, &model(1000), &frames, true);
    let (size, raw) = (fs::metadata(&path).unwrap().len(), 1000 * 100 * 24);
    assert!(size * 100 <= raw * 17, "{size} of {raw} bytes");
}

fn run_python(mut python: Command, script: &str, arguments: &[&Path]) -> Vec<u8> {
    let tools = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tools");
    let output = python.env("PYTHONPATH", tools).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = output.arg("-c").arg(script).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// What the scripts below print of these frames: every position, then every force.
fn expected_bytes(frames: &[Frame]) -> Vec<u8> {
    let positions = frames.iter().flat_map(|frame| bits(&frame.state.positions));
    let forces = ending().contacts.into_iter().flat_map(|contact| bits(&[contact.force]));
    positions.chain(forces).flat_map(u64::to_le_bytes).collect()
}

#[test]
fn python_reads_a_run_file_by_the_documented_format() {
    let Some(python) = python("python_reads_a_run_file_by_the_documented_format") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.riprap");
    let frames: Vec<Frame> = (0..50).map(|step| tumbling(step, 9)).collect();
    write(&path, &model(9), &frames, true);
    let script = r#"
import sys, numpy, read_riprap
run = read_riprap.read(sys.argv[1])
header, ending = run["header"], run["ending"]
assert header["about"]["name"] == "run file" and header["scene"] == "the scene"
assert header["radius"].tolist() == [1 / (i + 2) for i in range(9)]
assert header["corner"].shape == (36, 3) and header["face_size"].tolist() == [3] * 12
assert ending["outcome"] == "rest" and ending["contact_kind"].tolist() == [0, 1]
assert ending["contact_with"].tolist() == [1, 4] and ending["contact_choice"].tolist() == [0, 1]
assert ending["contact_normal"].tolist() == [[0, 0, 1]] * 2
previous = None
for step, frame in enumerate(run["frames"]):
    assert frame["step"][0] == step and frame["kind"] == "settle"
    assert frame["energy"][0] == 0.1 * step and frame["report"].tolist() == [[3, 2, 1, 8]]
    hash = 0xcbf29ce484222325
    for column in ["position", "velocity", "spin", "rotation"]:
        rest = [0, 0, 0, 1.0] if column == "rotation" else [0.0] * 3
        values = frame.get(column, numpy.array([rest] * 9))
        for word in values.copy().view("<u8").ravel().tolist():
            hash = (hash ^ word) * 0x9e3779b97f4a7c15 % 2**64
            hash ^= hash >> 32
    assert frame["hash"][0, 0] == hash and previous in (None, frame["hash"][0, 1])
    previous = hash
    sys.stdout.buffer.write(frame["position"].tobytes())
    if "contact_force" in frame:
        bodies, forces = frame["contact_body"].tolist(), frame["contact_force"][:, 2].tolist()
        assert forces == [1 + step / 3 + k for k in range(len(bodies))]
        couples = frame["contact_couple"][:, 2].tolist() if step > 20 else [0] * len(bodies)
        assert couples == [0.1 * body if step > 20 else 0 for body in bodies]
    assert frame["way"][0, 0] == 1 / (1 + step)
assert sum("contact_force" in frame for frame in run["frames"]) == 42
sys.stdout.buffer.write(ending["contact_force"].tobytes())
"#;
    assert_eq!(run_python(python, script, &[&path]), expected_bytes(&frames));
}

#[test]
fn numpy_reads_the_exported_arrays() {
    let Some(python) = python("numpy_reads_the_exported_arrays") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.riprap");
    let frames: Vec<Frame> = (0..25).map(|step| falling(step, 9)).collect();
    write(&path, &model(9), &frames, true);
    let archive = folder.path().join("run.npz");
    export(&Reader::open(&path).unwrap(), &archive, &Options::default()).unwrap();
    let script = r#"
import sys, zipfile, numpy
assert zipfile.ZipFile(sys.argv[1]).testzip() is None
run = numpy.load(sys.argv[1])
assert run["positions"].shape == (25, 9, 3) and run["boundary"].shape == (12, 3, 3)
assert run["step"].tolist() == list(range(25))
assert run["energy"].tolist() == [0.1 * step for step in range(25)]
assert run["radius"].tolist() == [1 / (i + 2) for i in range(9)]
assert run["mass"].tolist() == [1] * 9 and run["gravity"].tolist() == [0, 0, -9.81]
assert run["group_names"][run["group"]].tolist() == ["spheres"] * 9
assert run["contacts_body"].tolist() == [0, 1] and run["contacts_with"].tolist() == [1, 4]
assert run["contacts_kind"].tolist() == [0, 1]
assert run["contacts_normal"].tolist() == [[0, 0, 1]] * 2
assert run["hash"].shape == (25,)
sys.stdout.buffer.write(run["positions"].tobytes() + run["contacts_force"].tobytes())
"#;
    assert_eq!(run_python(python, script, &[&archive]), expected_bytes(&frames));
}
