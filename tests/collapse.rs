//! Runs of the method collapse: every promise holds, a killed run goes on to
//! the same bits, planted faults are found, bad scenes are refused with words.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use riprap::math::{DQuat, DVec3};
use riprap::run::{Options, resume, run};
use riprap::scene::{Scene, gallery};
use riprap::step::collapse::ready;
use riprap::trajectory::{Frame, Outcome, Reader, Writer};
use riprap::verify::verify;

static NEVER: AtomicBool = AtomicBool::new(false);

fn options(out: &Path, max_steps: Option<usize>) -> Options<'static> {
    let progress = Box::leak(Box::new(|_: &riprap::run::Status| {}));
    Options { out: out.to_path_buf(), force: true, max_steps, interrupted: &NEVER, progress }
}

fn tower(steps: usize) -> Scene {
    let mut scene = gallery::scene("tower-5x5").unwrap();
    let text = format!("{}\n[collapse]\nsteps = {steps}\n", scene.source.text);
    scene = Scene::from_text(&text, "tower-5x5.toml".as_ref()).unwrap();
    scene
}

fn fallen(folder: &Path, steps: usize) -> PathBuf {
    let out = folder.join("tower.riprap");
    run(&tower(steps), options(&out, None)).unwrap();
    out
}

#[test]
fn a_fall_keeps_every_promise() {
    let folder = tempfile::tempdir().unwrap();
    let reader = Reader::open(&fallen(folder.path(), 250)).unwrap();
    assert_eq!(reader.len(), 251);
    assert_eq!(reader.ending().unwrap().outcome, Outcome::Duration);
    let verdict = verify(&reader).unwrap();
    let broken: Vec<_> = verdict.checks.iter().filter(|c| !c.ok).collect();
    assert!(verdict.ok(), "{broken:?}");
    assert!(verdict.max_overlap.unwrap() < 2e-4);
}

#[test]
fn a_run_that_was_cut_short_goes_on_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let whole = Reader::open(&fallen(folder.path(), 120)).unwrap();
    let out = folder.path().join("cut.riprap");
    run(&tower(120), options(&out, Some(70))).unwrap();
    assert_eq!(Reader::open(&out).unwrap().ending().unwrap().outcome, Outcome::StepLimit);
    resume(options(&out, None)).unwrap();
    let resumed = Reader::open(&out).unwrap();
    assert_eq!(resumed.len(), whole.len());
    for index in [70, 71, 120] {
        let (a, b) = (whole.frame(index).unwrap(), resumed.frame(index).unwrap());
        assert_eq!(a.positions, b.positions, "frame {index}");
        let bricks = |f: &Frame| f.bricks.as_ref().map(|b| (b.rotations.clone(), b.spins.clone()));
        assert_eq!(bricks(&a), bricks(&b), "frame {index}");
    }
}

/// The hash of a frame covers how bricks are turned and move, not only where they are.
#[test]
fn hashes_cover_the_whole_state() {
    let folder = tempfile::tempdir().unwrap();
    let reader = Reader::open(&fallen(folder.path(), 5)).unwrap();
    let frame = reader.frame(5).unwrap();
    assert_eq!(reader.stored_hash(5), frame.hash());
    let changed = |change: &dyn Fn(&mut Frame)| {
        let mut other = frame.clone();
        change(&mut other);
        other.hash() != frame.hash()
    };
    assert!(changed(&|f| f.state.positions[3].x += 1e-15));
    assert!(changed(&|f| f.state.rotations[3].z += 1e-18));
    assert!(changed(&|f| f.state.velocities[3].x += 1e-18));
    assert!(changed(&|f| f.state.spins[3].z += 1e-18));
}

/// The names of the promises that a run breaks after its frames were tampered with.
fn broken(change: impl Fn(&mut Vec<Frame>)) -> Vec<&'static str> {
    let folder = tempfile::tempdir().unwrap();
    let reader = Reader::open(&fallen(folder.path(), 40)).unwrap();
    let mut frames: Vec<Frame> = reader.frames().collect::<Result<_, _>>().unwrap();
    change(&mut frames);
    let out = folder.path().join("forged.riprap");
    let acts: Vec<&str> = reader.acts().iter().map(String::as_str).collect();
    let mut writer =
        Writer::create(&out, true, reader.model(), reader.scene_text(), &acts).unwrap();
    for frame in &frames {
        writer.frame(frame).unwrap();
    }
    writer.end(reader.ending().unwrap()).unwrap();
    let verdict = verify(&Reader::open(&out).unwrap()).unwrap();
    verdict.checks.iter().filter(|c| !c.ok).map(|c| c.name).collect()
}

#[test]
fn planted_faults_are_found() {
    assert_eq!(broken(|_| {}), [""; 0]);
    let nudged = broken(|f| f[20].state.positions[12].y -= 0.01);
    for name in ["overlap", "overlap between frames", "motion"] {
        assert!(nudged.contains(&name), "{nudged:?}");
    }
    assert_eq!(broken(|f| f[20].energy += 1e-3), ["energy"]);
    let turned =
        broken(|f| f[30].state.rotations[3] = DQuat::from_rotation_z(0.1));
    assert!(turned.contains(&"motion") && turned.contains(&"overlap"), "{turned:?}");
    let stretched = broken(|f| f[30].state.rotations[3].w = 2.0);
    assert!(stretched.contains(&"shape"), "{stretched:?}");
    let fast =
        broken(|f| f[40].state.velocities[24] = DVec3::new(0.0, 3.0, 0.0));
    assert!(fast.contains(&"energy rise") && fast.contains(&"motion"), "{fast:?}");
    assert_eq!(broken(|f| f[9].report.ledger.as_mut().unwrap().residual = 1e-3), ["programs"]);
    let weaker = broken(|f| f[25].contacts[3].impulse *= 1.0 + 1e-6);
    assert_eq!(weaker, ["momentum"]);
    let lost = broken(|f| {
        f[25].contacts.remove(3);
    });
    assert_eq!(lost, ["momentum"]);
    let moved = broken(|f| f[25].contacts[3].at[0].x += 10.0);
    assert!(moved.contains(&"pushes") && moved.contains(&"momentum"), "{moved:?}");
    // Bricks that pull each other, with velocities to match.
    let pulling = broken(|f| {
        let before = f[39].state.positions.clone();
        let bricks = f[40].bricks.as_mut().unwrap();
        let mut push = bricks.pushes[0];
        let pull = -push.impulse;
        let arms = [0, 1].map(|k| before[push.bodies[k] as usize]);
        push.impulse = pull;
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let body = push.bodies[side] as usize;
            let brick = &tower_bricks()[body];
            if !brick.1 {
                bricks.velocities[body] += sign * pull / brick.0;
                bricks.spins[body] += sign * (push.at[side] - arms[side]).cross(pull) / brick.2;
            }
        }
        bricks.pushes.push(push);
    });
    assert!(pulling.contains(&"pushes") && !pulling.contains(&"momentum"), "{pulling:?}");
    let ground = broken(|f| f[40].state.positions[25].y -= 0.1);
    assert!(ground.contains(&"fixed"), "{ground:?}");
    let missing = broken(|f| f[5].bricks = None);
    assert!(missing.contains(&"shape"), "{missing:?}");
}

/// Mass, whether it is fixed, and inertia of every brick of the tower.
fn tower_bricks() -> Vec<(f64, bool, f64)> {
    let (model, _) = ready(&tower(1)).unwrap();
    model.tower.bricks.iter().map(|b| (b.mass, b.fixed, b.inertia.z_axis.z)).collect()
}

#[test]
fn what_hangs_in_the_air_by_nothing_is_found() {
    let text = r#"
        method = "collapse"
        dimension = 2
        [[bricks]]
        box = { size = [1, 1], centre = [0, 5] }
        [[bricks]]
        box = { size = [9, 1], centre = [0, -1] }
        fixed = "all"
        [collapse]
        steps = 20
    "#;
    let scene = Scene::from_text(text, "one.toml".as_ref()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("one.riprap");
    run(&scene, options(&out, None)).unwrap();
    let reader = Reader::open(&out).unwrap();
    assert!(verify(&reader).unwrap().ok());
    let fall = reader.frame(20).unwrap().state.positions[0].y - 5.0;
    assert!((fall + 0.5 * 0.01 * 0.01 * 20.0 * 21.0).abs() < 1e-12, "{fall}");
    let forged = folder.path().join("forged.riprap");
    let mut writer =
        Writer::create(&forged, true, reader.model(), reader.scene_text(), &["step"]).unwrap();
    let first = reader.frame(0).unwrap();
    for frame in reader.frames() {
        let mut frame = frame.unwrap();
        frame.state.positions.clone_from(&first.positions);
        frame.energy = first.energy;
        let bricks = frame.bricks.as_mut().unwrap();
        bricks.velocities.fill(DVec3::ZERO);
        writer.frame(&frame).unwrap();
    }
    writer.end(reader.ending().unwrap()).unwrap();
    let verdict = verify(&Reader::open(&forged).unwrap()).unwrap();
    let broken: Vec<_> = verdict.checks.iter().filter(|c| !c.ok).map(|c| c.name).collect();
    assert_eq!(broken, ["free fall", "momentum"]);
}

#[test]
fn bad_scenes_are_refused_with_words() {
    let message = |bricks: &str| {
        let text = format!("method = \"collapse\"\ndimension = 2\n{bricks}");
        let scene = Scene::from_text(&text, "bad.toml".as_ref());
        scene.and_then(|scene| ready(&scene)).unwrap_err().message
    };
    let one = "[[bricks]]\nbox = { size = [1, 1], centre = [0, 0] }\n";
    let overlapping = format!("{one}[[bricks]]\nbox = {{ size = [1, 1], centre = [0.9, 0] }}\n");
    assert_eq!(message(&overlapping), "brick 0 and brick 1 overlap by 0.1000 at the start");
    let polygon = |corners: &str| message(&format!("[[bricks]]\npolygon = {corners}\n"));
    assert_eq!(polygon("[[0, 0], [0, 1], [1, 0]]"), "the polygon is clockwise");
    let dented = polygon("[[0, 0], [4, 0], [1, 1], [0, 4]]");
    assert_eq!(dented, "the polygon is not convex: it is dented at corner 2, [1.0, 1.0]");
    let with = |field: &str| message(&format!("{one}{field}\n"));
    assert!(with("mass = 0").starts_with("`bricks.mass` must be a positive number"));
    assert!(with("mass = -1").starts_with("`bricks.mass` must be"));
    assert!(with("friction = -0.1").starts_with("`bricks.friction` must be"));
    assert_eq!(with("restitution = 1.5"), "the restitution 1.5 is above 1");
    assert_eq!(with("fixed = \"all\""), "no brick of the scene can move");
    assert_eq!(
        message("[[bodies]]\npositions = [[0, 0]]\nradius = 1\n"),
        "the method `collapse` moves no `bodies`"
    );
    assert!(
        with("[[pins]]\nbricks = [0, 7]\nat = [0, 0]")
            .starts_with("the pin joins the bricks 0 and 7")
    );
}

/// Bars pinned end to end: nothing stretches, and the energy hardly changes.
#[test]
fn a_chain_swings() {
    let mut scene = gallery::scene("chain").unwrap();
    scene.collapse.steps = 300;
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("chain.riprap");
    run(&scene, options(&out, None)).unwrap();
    let reader = Reader::open(&out).unwrap();
    let tower = &reader.model().tower;
    let last = reader.frame(300).unwrap();
    let state = last.bricks.as_ref().unwrap().state(&last.positions);
    for pin in &tower.pins {
        let [a, b] = [0, 1].map(|k| {
            let body = pin.bodies[k] as usize;
            state.positions[body] + state.rotations[body] * pin.points[k]
        });
        assert!((a - b).length() < 1e-3, "{}", (a - b).length());
    }
    assert!(state.positions[5].y < -1.0, "it swings down: {}", state.positions[5]);
    let energy = reader.frame(0).unwrap().energy;
    let fallen: f64 = tower.moving().map(|i| -tower.bricks[i].mass * state.positions[i].y).sum();
    assert!((last.energy - energy).abs() < 0.02 * fallen, "{} {energy} {fallen}", last.energy);
}
