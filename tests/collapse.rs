//! Runs of the method collapse: every promise holds, a killed run goes on to
//! the same bits, planted faults are found, bad scenes are refused with words.

use std::path::{Path, PathBuf};

use riprap::math::{DQuat, DVec3, Random};
use riprap::scene::{Scene, gallery};
use riprap::trajectory::{Frame, Outcome, Reader, With, state_hash};
use riprap::verify::verify;
use riprap::world::{Model, State, build};

use crate::common::{broken as broken_of, broken_by, built, changed, resume, run_into};

fn tower(steps: usize) -> Scene {
    let text = gallery::find("tower-5x5").unwrap();
    let text = format!("{text}\n[collapse]\nsteps = {steps}\n");
    Scene::from_text(&text, "tower-5x5.toml".as_ref()).unwrap()
}

fn fallen(folder: &Path, steps: usize) -> PathBuf {
    let out = folder.join("tower.riprap");
    run_into(&out, &tower(steps), None).unwrap();
    out
}

#[test]
fn a_fall_keeps_every_promise() {
    let folder = tempfile::tempdir().unwrap();
    let reader = Reader::open(&fallen(folder.path(), 250)).unwrap();
    assert_eq!(reader.len(), 251);
    assert_eq!(reader.ending().unwrap().outcome, Outcome::Duration);
    let verdict = verify(&reader).unwrap();
    assert!(verdict.ok(), "{:?}", verdict.checks);
    assert!(verdict.max_overlap.unwrap() < 2e-4);
}

#[test]
fn a_run_that_was_cut_short_goes_on_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let whole = Reader::open(&fallen(folder.path(), 120)).unwrap();
    let out = folder.path().join("cut.riprap");
    run_into(&out, &tower(120), Some(70)).unwrap();
    assert_eq!(Reader::open(&out).unwrap().ending().unwrap().outcome, Outcome::StepLimit);
    resume(&out).unwrap();
    let resumed = Reader::open(&out).unwrap();
    assert_eq!(resumed.len(), whole.len());
    for index in [70, 71, 120] {
        let (a, b) = (whole.frame(index).unwrap(), resumed.frame(index).unwrap());
        assert_eq!((a.state, a.contacts), (b.state, b.contacts), "frame {index}");
    }
}

/// The hash of a frame covers how bodies are turned and move, not only where they are.
#[test]
fn hashes_cover_the_whole_state() {
    let folder = tempfile::tempdir().unwrap();
    let reader = Reader::open(&fallen(folder.path(), 5)).unwrap();
    let frame = reader.frame(5).unwrap();
    assert_eq!(reader.stored_hash(5), state_hash(&frame.state));
    let changed = |change: &dyn Fn(&mut State)| {
        let mut other = frame.state.clone();
        change(&mut other);
        state_hash(&other) != state_hash(&frame.state)
    };
    assert!(changed(&|state| state.positions[3].x += 1e-15));
    assert!(changed(&|state| state.rotations[3].z += 1e-18));
    assert!(changed(&|state| state.velocities[3].x += 1e-18));
    assert!(changed(&|state| state.spins[3].z += 1e-18));
}

/// The names of the promises that a run breaks after one of its frames was tampered with.
fn broken(index: usize, change: impl Fn(&mut Frame)) -> Vec<&'static str> {
    let folder = tempfile::tempdir().unwrap();
    let run = fallen(folder.path(), 40);
    let only = |number: usize, frame: &mut Frame| {
        if number == index {
            change(frame);
        }
    };
    broken_of(&changed(&run, &folder.path().join("forged.riprap"), only))
}

#[test]
fn planted_faults_are_found() {
    assert_eq!(broken(0, |_| {}), [""; 0]);
    let nudged = broken(20, |f| f.state.positions[12].y -= 0.01);
    for name in ["motion", "overlap", "overlap between frames"] {
        assert!(nudged.contains(&name), "{nudged:?}");
    }
    // The topmost, where there is room.
    let lifted = broken(20, |f| f.state.positions[24].y += 0.01);
    assert!(lifted.contains(&"motion"), "{lifted:?}");
    assert_eq!(broken(20, |f| f.energy += 1e-3), ["ledger", "energy"]);
    let turned = broken(30, |f| f.state.rotations[3] = DQuat::from_rotation_z(0.1));
    assert!(turned.contains(&"motion") && turned.contains(&"overlap"), "{turned:?}");
    assert_eq!(broken(30, |f| f.state.rotations[3].w = 2.0), ["numbers"]);
    let fast = broken(40, |f| f.state.velocities[24] = DVec3::new(0.0, 3.0, 0.0));
    assert!(fast.contains(&"energy rise") && fast.contains(&"momentum"), "{fast:?}");
    assert_eq!(broken(9, |f| f.report.ledger.as_mut().unwrap().residual = 1e-3), ["programs"]);
    assert_eq!(broken(25, |f| f.contacts[3].force *= 1.0 + 1e-6), ["momentum"]);
    let lost = broken(25, |f| {
        f.contacts.remove(3);
    });
    assert_eq!(lost, ["momentum"]);
    let moved = broken(25, |f| f.contacts[3].at[0].x += 10.0);
    assert!(moved.contains(&"impulses") && moved.contains(&"momentum"), "{moved:?}");
    let ground = broken(40, |f| f.state.positions[25].y -= 0.1);
    assert!(ground.contains(&"fixed"), "{ground:?}");
    let silent = broken(5, |f| f.report.ledger = None);
    assert!(silent.contains(&"programs"), "{silent:?}");
}

/// Bodies that pull each other, with velocities to match.
#[test]
fn what_pulls_is_found() {
    let (model, _) = build(&tower(1)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let run = fallen(folder.path(), 40);
    let before = Reader::open(&run).unwrap().frame(39).unwrap().state;
    let found = changed(&run, &folder.path().join("forged.riprap"), |number, frame| {
        if number == 40 {
            pull(&model, &before, frame);
        }
    });
    let found = broken_of(&found);
    assert!(found.contains(&"impulses") && !found.contains(&"momentum"), "{found:?}");
}

/// Adds the opposite of the first impulse, and what it does.
fn pull(model: &Model, before: &State, frame: &mut Frame) {
    let mut contact = frame.contacts[0];
    let With::Body(other) = contact.with else { panic!("a tower has no container") };
    contact.force = -contact.force;
    for (side, body, force) in [(0, contact.body, contact.force), (1, other, -contact.force)] {
        let body = body as usize;
        if model.bodies[body].is_free() {
            let arm = contact.at[side] - before.positions[body];
            frame.state.velocities[body] += force / model.bodies[body].mass;
            frame.state.spins[body] += arm.cross(force) / model.bodies[body].inertia.z_axis.z;
        }
    }
    frame.contacts.push(contact);
}

#[test]
fn what_hangs_in_the_air_by_nothing_is_found() {
    let text = r#"
        method = "collapse"
        dimension = 2
        [[bodies]]
        shape = { kind = "box", size = [1, 1] }
        position = [0, 5]
        [[bodies]]
        shape = { kind = "box", size = [9, 1] }
        position = [0, -1]
        motion = "fixed"
        [collapse]
        steps = 20
    "#;
    let scene = Scene::from_text(text, "one.toml".as_ref()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("one.riprap");
    run_into(&out, &scene, None).unwrap();
    let reader = Reader::open(&out).unwrap();
    assert!(verify(&reader).unwrap().ok());
    let fall = reader.frame(20).unwrap().state.positions[0].y - 5.0;
    assert!((fall + 0.5 * 0.01 * 0.01 * 20.0 * 21.0).abs() < 1e-12, "{fall}");
    let first = reader.frame(0).unwrap();
    let forged = changed(&out, &folder.path().join("forged.riprap"), |_, frame| {
        frame.state.clone_from(&first.state);
        frame.energy = first.energy;
    });
    assert_eq!(broken_of(&forged), ["momentum", "ledger"]);
}

#[test]
fn bad_scenes_are_refused_with_words() {
    let message = |bodies: &str| {
        let text = format!("method = \"collapse\"\ndimension = 2\n{bodies}");
        built(&text, "bad.toml").unwrap_err().message
    };
    let one = "[[bodies]]\nshape = { kind = \"box\", size = [1, 1] }\n";
    let overlapping = message(&format!("{one}{one}position = [0.9, 0]\n"));
    assert!(overlapping.starts_with("body 0 (group \"bodies\", number 0 of it) and body 1"));
    assert!(overlapping.contains("overlap by 0.1000"), "{overlapping}");
    let polygon = |corners: &str| {
        message(&format!("[[bodies]]\nshape = {{ kind = \"polygon\", corners = {corners} }}\n"))
    };
    let crossed = polygon("[[0, 0], [1, 1], [1, 0], [0, 1]]");
    assert!(crossed.contains("cuts or touches itself"), "{crossed}");
    let with = |field: &str| message(&format!("{one}{field}\n"));
    assert!(with("mass = 0").starts_with("`bodies.mass` must be a positive number"));
    assert!(with("mass = -1").starts_with("`bodies.mass` must be"));
    assert!(with("friction = -0.1").starts_with("`bodies.friction` must be"));
    assert_eq!(with("restitution = 1.5"), "the restitution 1.5 is above 1");
    assert_eq!(with("motion = \"fixed\""), "no body of the scene can move");
    assert_eq!(
        with("[[forces]]\nlaw = \"attraction\"\ngroup = \"bodies\"\nto = [0, 0]\nstrength = 1"),
        "`forces` is not taken by the method collapse"
    );
    let pin = "[[joints]]\nkind = \"pin\"\nbodies = [0, 7]\nat = [0, 0]";
    assert_eq!(with(pin), "there is no body 7: there are 1");
}

/// Either way round is a polygon, and one with a dent is two pieces.
#[test]
fn clockwise_and_dented_polygons_fall() {
    for (corners, pieces) in
        [("[[0, 0], [0, 1], [1, 0]]", 1), ("[[0, 0], [4, 0], [1, 1], [0, 4]]", 2)]
    {
        let text = format!(
            "method = \"collapse\"\ndimension = 2\n[[bodies]]\n\
             shape = {{ kind = \"polygon\", corners = {corners} }}\n"
        );
        let (model, _) = built(&text, "polygon.toml").unwrap();
        assert_eq!(model.shapes[0].pieces.len(), pieces);
    }
}

/// Bars pinned end to end: nothing stretches, and the energy hardly changes.
#[test]
fn a_chain_swings() {
    let mut scene = gallery::scene("chain").unwrap();
    scene.collapse.steps = 300;
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("chain.riprap");
    run_into(&out, &scene, None).unwrap();
    let reader = Reader::open(&out).unwrap();
    let model = reader.model();
    let last = reader.frame(300).unwrap();
    for joint in &model.joints {
        let [a, b] = joint.ends(&last.state);
        assert!((a - b).length() < 1e-3, "{}", (a - b).length());
    }
    let positions = &last.state.positions;
    assert!(positions[5].y < -1.0, "it swings down: {}", positions[5]);
    let energy = reader.frame(0).unwrap().energy;
    let fallen: f64 = model.free().map(|i| -model.bodies[i].mass * positions[i].y).sum();
    assert!((last.energy - energy).abs() < 0.02 * fallen, "{} {energy} {fallen}", last.energy);
}

/// A disc that is thrown at a wall and begins to turn there, and boxes that slide from side to
/// side of a profile: friction neither lifts them nor pushes from afar.
#[test]
fn what_is_thrown_into_a_container_keeps_every_promise() {
    let disc = r#"
        method = "collapse"
        gravity = [0, -10]
        dimension = 2
        container = { shape = "box", min = [-2, 0], max = [2, 4] }
        bodies = [{ radius = 0.3, position = [0.1, 2], velocity = [3, 0] }]
        collapse = { steps = 150 }
    "#;
    let boxes = r#"
        method = "collapse"
        gravity = [0, 0, -10]
        container = { shape = "profile", corners = [[0, 0.5], [1, 1.5], [6, 1.5]], sides = 12 }
        collapse = { steps = 150 }
        [[bodies]]
        shape = { kind = "box", size = [0.5, 0.6, 0.7] }
        random = { count = 3 }
        turn = "random"
    "#;
    for text in [disc, boxes] {
        assert_eq!(broken_by(text), Vec::<String>::new(), "{text}");
    }
}

/// A disc at rest is hit so hard that it comes to a wall within the step.
#[test]
fn who_is_hit_meets_what_is_behind() {
    let text = r#"
        method = "collapse"
        gravity = [0, 0]
        dimension = 2
        container = { shape = "box", min = [-4, -2], max = [2, 2] }
        bodies = [
            { radius = 0.3, position = [-0.6, 0], velocity = [90, 0], friction = 0, mass = 10 },
            { radius = 0.3, position = [1.65, 0], friction = 0, mass = 1 },
        ]
        collapse = { steps = 5 }
    "#;
    assert_eq!(broken_by(text), Vec::<String>::new());
}

/// Rectangles, triangles and discs that fly about in a room at 10 to 20 m/s and turn twice a
/// second: what they do in a step is as legal half-way as at its end, bounces give no energy, and
/// all that pushed is told.
#[test]
fn what_is_fast_keeps_every_promise() {
    let shapes = [
        "kind = \"box\", size = [0.6, 0.4]",
        "kind = \"ball\", radius = 0.3",
        "kind = \"hull\", points = [[0, 0], [0.7, 0], [0.2, 0.6]]",
        "kind = \"box\", size = [1.2, 0.1]",
    ];
    for seed in 0..12 {
        let random = &mut Random::new(seed);
        let mut text = format!(
            "method = \"collapse\"\ndimension = 2\nseed = {seed}\ngravity = [0, -9.81]\n\
             container = {{ shape = \"box\", min = [-3, 0], max = [3, 8], friction = {} }}\n",
            random.unit()
        );
        for shape in shapes {
            let (speed, angle) = (random.between(10.0, 20.0), random.between(0.0, 6.0));
            let (x, y) = (speed * angle.cos(), speed * angle.sin());
            let spin = random.between(-700.0, 700.0);
            let (friction, restitution) = (random.unit(), (2.0 * random.unit() - 1.0).max(0.0));
            text += &format!(
                "[[bodies]]\nshape = {{ {shape} }}\nrandom = {{ count = 2 }}\nturn = \"upright\"\n\
                 velocity = [{x}, {y}]\nspin = {spin}\nfriction = {friction}\n\
                 restitution = {restitution}\n"
            );
        }
        text += "[collapse]\nsteps = 60\n";
        assert_eq!(broken_by(&text), Vec::<String>::new(), "seed {seed}");
    }
}
