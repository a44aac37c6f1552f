//! Cloth and balloons in whole runs: every promise holds, a run that was cut
//! short goes on to the same bits on any number of threads, planted faults are
//! found, bad scenes are refused with words.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use riprap::math::DVec3;
use riprap::scene::{Scene, gallery};
use riprap::step::stepper;
use riprap::trajectory::{Frame, Reader};
use riprap::verify::verify;
use riprap::world::build;

use crate::common::{broken, built, changed, ledgers, resume, run_into};

/// A flag on a pole that swings, a ball in a hammock, and a balloon on the ground.
const SMALL: &str = r#"
    method = "dynamics"
    gravity = [0, 0, -9.81]
    [[bodies]]
    group = "ground"
    shape = { kind = "box", size = [20, 20, 2] }
    position = [0, 0, -1]
    motion = "fixed"
    [[bodies]]
    group = "pole"
    shape = { kind = "capsule", radius = 0.05, length = 1 }
    position = [-3, 0, 2]
    spin = [0, 0, 90]
    [[bodies]]
    group = "ball"
    shape = { kind = "ball", radius = 0.15 }
    position = [0, 0, 1.3]
    density = 10
    [[joints]]
    kind = "ball"
    bodies = ["pole", "world"]
    at = [-3, 0, 2.5]
    [[cloth]]
    group = "flag"
    grid = { size = [0.6, 0.6], count = [7, 7] }
    position = [-2.65, 0, 2]
    turn = [90, 0, 0]
    thickness = 0.04
    compliance = { bend = 1 }
    [[cloth]]
    group = "hammock"
    grid = { size = [1, 1], count = [11, 11] }
    position = [0, 0, 1]
    compliance = { shear = 1e-3 }
    fixed = ["corners"]
    [[cloth]]
    group = "balloon"
    ball = { radius = 0.3, level = 1 }
    position = [3, 0, 0.4]
    compliance = { stretch = 1e-3 }
    thickness = 0.05
    pressure = { factor = 1 }
    [[attachments]]
    cloth = "flag"
    to = "pole"
    at = { min = [-2.96, -1, 0], max = [-2.94, 1, 3] }
    [dynamics]
    overlap = 0.025
"#;

fn scene(text: &str) -> Scene {
    Scene::from_text(text, "cloth.toml".as_ref()).unwrap_or_else(|problem| panic!("{problem}"))
}

fn run_of(folder: &Path, steps: usize) -> PathBuf {
    let out = folder.join(format!("{steps}.riprap"));
    run_into(&out, &scene(SMALL), Some(steps)).unwrap();
    out
}

#[test]
fn a_run_keeps_every_promise() {
    let folder = tempfile::tempdir().unwrap();
    let reader = Reader::open(&run_of(folder.path(), 100)).unwrap();
    let verdict = verify(&reader).unwrap();
    assert!(verdict.ok(), "{:?}", broken(&verdict));
    for name in ["stretch", "volume", "overlap", "momentum"] {
        assert!(verdict.checks.iter().any(|check| check.name == name), "{name}");
    }
    // Triangles by the numbers of particles, for pictures.
    let model = reader.model();
    let [flag, hammock, balloon] = &model.cloths[..] else { panic!("three cloths") };
    assert_eq!((flag.faces.len(), hammock.faces.len(), balloon.faces.len()), (72, 200, 80));
    assert_eq!(model.attachments.len(), 7);
    let last = reader.frame(100).unwrap().state;
    assert!(
        (balloon.volume(&last.positions) / balloon.air.unwrap().rest_volume - 1.0).abs() < 0.01
    );
    // The ball lies in the hammock.
    assert!(last.positions[2].z > 0.5, "{}", last.positions[2]);
}

#[test]
fn a_run_that_was_cut_short_goes_on_to_the_same_bits_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let on = |threads: usize, name: &str, work: &(dyn Fn(&Path) + Sync)| {
        let out = folder.path().join(name);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| work(&out));
        let reader = Reader::open(&out).unwrap();
        (0..reader.len()).map(|k| reader.stored_hash(k)).collect::<Vec<_>>()
    };
    let text = SMALL.replace("[dynamics]", "[dynamics]\nsteps = 40");
    let scene = scene(&text);
    let one = on(1, "one.riprap", &|out| run_into(out, &scene, None).unwrap());
    let two = on(2, "two.riprap", &|out| run_into(out, &scene, None).unwrap());
    let cut = on(2, "cut.riprap", &|out| {
        run_into(out, &scene, Some(13)).unwrap();
        resume(out).unwrap();
    });
    assert_eq!(one.len(), 41);
    assert!(one == two && one == cut);
}

#[test]
fn planted_faults_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let (run, out) = (run_of(folder.path(), 30), folder.path().join("changed.riprap"));
    let with = |change: &dyn Fn(usize, &mut Frame)| broken(&changed(&run, &out, change));
    // As above.
    assert!(with(&|_, _| ()).iter().all(|name| *name == "energy rise"));
    // Bodies are 0 to 2, the flag 3 to 51, the hammock 52 to 172, the balloon 173 to 214.
    let found = with(&|k, f| {
        if k == 20 {
            f.state.positions[100] += DVec3::Y * 0.1;
        }
    });
    assert!(found.contains(&"stretch"), "{found:?}");
    let found = with(&|k, f| {
        if k == 20 {
            let middle = f.state.positions[173..].iter().sum::<DVec3>() / 42.0;
            f.state.positions[173..].iter_mut().for_each(|at| *at = middle + (*at - middle) * 0.9);
        }
    });
    assert!(found.contains(&"volume"), "{found:?}");
    let found = with(&|k, f| {
        // In larger scenes every 25th frame is measured.
        if k == 25 {
            let sunk =
                DVec3::Z * (f.state.positions[173..].iter().map(|at| at.z).fold(1e9, f64::min));
            f.state.positions[173..].iter_mut().for_each(|at| *at -= sunk);
        }
    });
    assert!(found.contains(&"overlap"), "{found:?}");
    let found = with(&|k, f| {
        if k >= 20 {
            f.state.positions[52] += DVec3::X * 1e-3;
        }
    });
    assert!(found.contains(&"fixed"), "{found:?}");
    let found = with(&|k, f| {
        if k == 20 {
            f.state.positions[60].x = f64::NAN;
        }
    });
    assert!(found.contains(&"numbers"), "{found:?}");
    let alone = "method = \"dynamics\"\n[[cloth]]\nball = { radius = 1, level = 1 }\n\
                 velocity = [1, 0, 0]\npressure = { factor = 1 }\n[dynamics]\nsteps = 10\n";
    let run = folder.path().join("alone.riprap");
    run_into(&run, &scene(alone), None).unwrap();
    let with = |change: &dyn Fn(usize, &mut Frame)| broken(&changed(&run, &out, change));
    assert_eq!(with(&|_, _| ()), [""; 0]);
    let found = with(&|k, f| {
        if k >= 5 {
            f.state.velocities[20] += DVec3::X * 1e-3;
        }
    });
    assert!(found.contains(&"momentum"), "{found:?}");
}

#[test]
fn bad_cloth_is_refused_with_words() {
    let build = |text: &str| built(text, "bad.toml");
    build(SMALL).unwrap();
    let open_balloon = "grid = { size = [1, 1], count = [11, 11] }\npressure = { factor = 1 }";
    for (from, to, message) in [
        ("to = \"pole\"", "to = \"mast\"", "there is no body named `mast`"),
        ("cloth = \"flag\"", "cloth = \"rag\"", "there is no cloth named `rag`"),
        ("to = \"pole\"", "to = \"flag\"", "the cloth `flag` is attached to itself"),
        (
            "min = [-2.96, -1, 0]",
            "min = [-2.945, -1, 0]",
            "no particle of the cloth `flag` is there",
        ),
        ("min = [-2.96, -1, 0]", "min = [-2.9, -1, 0]", "the box has no inside"),
        (
            "grid = { size = [1, 1], count = [11, 11] }",
            open_balloon,
            "the cloth `hammock` has a pressure, but is open",
        ),
        ("size = [0.6, 0.6]", "size = [0.6, nan]", "must be a positive number"),
        ("count = [7, 7]", "count = [7, 1]", "must be a whole number from 2 to 1000"),
        ("thickness = 0.04", "density = 0", "must be a positive number"),
        ("thickness = 0.04", "mass = 0", "must be a positive number"),
        ("fixed = [\"corners\"]", "fixed = [\"corner\"]", "must be `corners` or `rim`"),
        ("level = 1", "level = 9", "must be a whole number from 0 to 6"),
        (
            "ball = { radius = 0.3, level = 1 }",
            "ball = { radius = 0.3 }\nfixed = [\"rim\"]",
            "no particle of the cloth `balloon` is there",
        ),
        (
            "method = \"dynamics\"",
            "method = \"settle\"",
            "`joints.kind.ball` is not taken by the method settle",
        ),
    ] {
        let text = SMALL.replacen(from, to, 1);
        assert_ne!(text, SMALL, "{from}");
        let problem = build(&text).unwrap_err();
        assert!(problem.message.contains(message), "{} instead of {message}", problem.message);
    }
}

/// A balloon whose mesh lacks a triangle names an edge of the hole.
#[test]
fn an_open_mesh_is_no_balloon() {
    let folder = tempfile::tempdir().unwrap();
    let open = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n";
    std::fs::write(folder.path().join("open.obj"), open).unwrap();
    let file = folder.path().join("open.toml");
    let text = "method = \"dynamics\"\n[[cloth]]\nmesh = { file = \"open.obj\" }\n\
                pressure = { factor = 1 }\n";
    std::fs::write(&file, text).unwrap();
    let problem = build(&Scene::from_file(&file).unwrap()).unwrap_err();
    assert!(problem.message.starts_with("the balloon `cloth` does not hold its air"), "{problem}");
    assert!(problem.message.contains("edge"), "{problem}");
    std::fs::write(&file, text.replace("pressure = { factor = 1 }\n", "")).unwrap();
    build(&Scene::from_file(&file).unwrap()).unwrap();
}

/// Two sheets tied along a side fall as one and keep their momentum but for gravity.
#[test]
fn cloth_is_attached_to_cloth_both_ways() {
    let text = r#"
        method = "dynamics"
        gravity = [0, 0, 0]
        [[cloth]]
        group = "left"
        grid = { size = [1, 1], count = [5, 5] }
        velocity = [0, 0, 1]
        [[cloth]]
        group = "right"
        grid = { size = [1, 1], count = [5, 5] }
        position = [1, 0, 0]
        [[attachments]]
        cloth = "right"
        to = "left"
        at = { min = [0.49, -1, -1], max = [0.51, 1, 1] }
    "#;
    let (model, mut state) = build(&scene(text)).unwrap();
    assert_eq!(model.attachments.len(), 5);
    let before = model.momentum(&state);
    ledgers(&model, &mut state, 60);
    let after = model.momentum(&state);
    // Velocities follow from places, which are rounded in every one of 60 x 64 substeps:
    // 2e-16 / h, as often as the root of that, for a mass of 2.
    assert!((after.0 - before.0).length() < 1e-10, "{after:?} {before:?}");
    assert!((after.1 - before.1).length() < 1e-10, "{after:?} {before:?}");
    for tie in &model.attachments {
        let [one, two] = [tie.particle, tie.to.unwrap()].map(|i| state.positions[i as usize]);
        assert!((one - two).length() < 0.01, "{one} {two}");
    }
    // The right one is pulled along.
    assert!(state.velocities[25..].iter().map(|v| v.z).sum::<f64>() > 1.0);
}

#[test]
fn the_scenes_of_the_paper_have_their_sizes() {
    let (model, _) = build(&gallery::scene("cloth-tori").unwrap()).unwrap();
    assert_eq!((model.rigid_count(), model.bodies.len()), (10, 10 + 1681));
    let (model, state) = build(&gallery::scene("elk-duck").unwrap()).unwrap();
    assert_eq!((model.rigid_count(), model.joints.len()), (6, 4));
    let duck = &model.cloths[0];
    let rest = duck.air.unwrap().rest_volume;
    assert!((duck.volume(&state.positions) / rest - 1.0).abs() < 1e-12);
}

/// The elk hits the duck within the first second; its air stays in, both modes.
#[test]
fn the_duck_keeps_its_air_when_the_elk_hits_it() {
    let text = gallery::find("elk-duck").unwrap();
    for mode in ["default", "paper"] {
        let options = format!("[dynamics]\nmode = \"{mode}\"\nposition_iterations = 30");
        let text = text.replace("[dynamics]", &options).replace("substeps = 32", "substeps = 16");
        let scene = Scene::from_text(&text, "scenes/elk-duck.toml".as_ref()).unwrap();
        let (model, mut state) = build(&scene).unwrap();
        let duck = &model.cloths[0];
        let rest = duck.air.unwrap().rest_volume;
        let mut stepper = stepper(&Arc::new(model.clone()), &state, None, || 0.0).unwrap();
        let mut worst = 0.0_f64;
        for _ in 0..70 {
            stepper.step(&mut state).unwrap();
            worst = worst.max((duck.volume(&state.positions) / rest - 1.0).abs());
        }
        assert!(worst < 0.1, "{mode}: {worst}");
        let middle = state.positions[6..].iter().sum::<DVec3>() / duck.rest.len() as f64;
        assert!(middle.x > 0.2, "{mode}: the duck was hit: {middle}");
    }
}
