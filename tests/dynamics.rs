//! Runs of the method dynamics: every promise holds, a run that was cut short
//! goes on to the same bits, planted faults are found, towers stand or fall, bad
//! scenes are refused with words.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::common::{broken, broken_by, built, changed, ledgers, resume_at_most, run_into, scene};
use riprap::math::{DQuat, DVec3};
use riprap::scene::{Scene, gallery};
use riprap::step::stepper;
use riprap::trajectory::{Frame, Outcome, Reader};
use riprap::verify::verify;
use riprap::world::build;

fn run_of(folder: &Path, name: &str, steps: usize) -> PathBuf {
    let out = folder.join(format!("{name}.riprap"));
    run_into(&out, &gallery::scene(name).unwrap(), Some(steps)).unwrap();
    out
}

#[test]
fn runs_keep_every_promise() {
    let folder = tempfile::tempdir().unwrap();
    for (name, steps) in [
        ("mobile", 60),
        ("mobile-paper", 60),
        ("rope", 100),
        ("t-handle", 150),
        ("newtons-cradle", 400),
        ("incline", 80),
        ("car", 80),
        ("cloth-tori-paper", 12),
        ("elk-duck-paper", 12),
    ] {
        let reader = Reader::open(&run_of(folder.path(), name, steps)).unwrap();
        assert_eq!(reader.len(), steps + 1);
        let verdict = verify(&reader).unwrap();
        assert!(verdict.ok(), "{name}: {:?} {:?}", broken(&verdict), verdict.checks);
    }
}

/// A tower that stands has no range of energies that a rise could be compared with.
#[test]
fn what_stands_may_creep_by_rounding() {
    let folder = tempfile::tempdir().unwrap();
    let reader = Reader::open(&run_of(folder.path(), "diamond-4-3d", 40)).unwrap();
    let verdict = verify(&reader).unwrap();
    assert!(verdict.ok(), "{:?}", broken(&verdict));
    assert!(verdict.max_energy_rise > Some(0.0), "it does not creep: the test has no point");
}

#[test]
fn a_run_that_was_cut_short_goes_on_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let whole = Reader::open(&run_of(folder.path(), "car", 90)).unwrap();
    let out = folder.path().join("cut.riprap");
    run_into(&out, &gallery::scene("car").unwrap(), Some(37)).unwrap();
    resume_at_most(&out, Some(90)).unwrap();
    let resumed = Reader::open(&out).unwrap();
    assert_eq!(resumed.len(), whole.len());
    for index in 0..whole.len() {
        assert_eq!(resumed.stored_hash(index), whole.stored_hash(index), "frame {index}");
    }
}

#[test]
fn one_ball_in_one_ball_out() {
    let (model, mut state) = build(&gallery::scene("newtons-cradle").unwrap()).unwrap();
    let mut stepper = stepper(&Arc::new(model), &state, None, || 0.0).unwrap();
    let mut top = 0.0_f64;
    for _ in 0..400 {
        stepper.step(&mut state).unwrap();
        top = top.max(state.velocities[4].x);
    }
    // The first ball falls one metre.
    let speed = (2.0 * 9.81_f64).sqrt();
    assert!((top / speed - 1.0).abs() < 0.1, "{top} {speed}");
}

/// How far the bodies of a tower go in so many steps, at most.
fn tower(text: &str, steps: usize) -> f64 {
    let (model, start) = built(text, "tower.toml").unwrap();
    let mut state = start.clone();
    ledgers(&model, &mut state, steps);
    let drift = start.positions.iter().zip(&state.positions).map(|(a, b)| (*a - *b).length());
    drift.fold(0.0, f64::max)
}

/// Frictionless, and certified by `stable`.
#[test]
fn diamond_4_stands_and_diamond_6_falls() {
    let text = |size: usize| {
        format!(
            "method = \"dynamics\"\n[[bodies]]\nfriction = 0\nmass = 1\n\
             tower = {{ family = \"diamond\", size = {size} }}\n[dynamics]\nsweeps = 2000\n"
        )
    };
    let drift = tower(&text(4), 40);
    assert!(drift < 1e-3, "{drift}");
    let drift = tower(&text(6).replace("sweeps = 2000", "sweeps = 100"), 150);
    assert!(drift > 0.1, "{drift}");
}

#[test]
fn friction_holds_an_arch() {
    let text = "method = \"dynamics\"\n[[bodies]]\nfriction = 0.7\n\
                tower = { family = \"arch\", stones = 15, radius = 2, thickness = 0.2, depth = 0.6 }\n\
                [dynamics]\nsweeps = 200\n";
    let drift = tower(text, 60);
    assert!(drift < 1e-3, "{drift}");
}

#[test]
fn planted_faults_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("changed.riprap");
    let car = run_of(folder.path(), "car", 40);
    let car_with = |change: &dyn Fn(usize, &mut Frame)| broken(&changed(&car, &out, change));
    assert_eq!(car_with(&|_, _| ()), [""; 0]);
    // Wheels are bodies 3 to 6; the body of the car is 2, the road 0.
    let found = car_with(&|k, f| {
        if k >= 20 {
            f.state.positions[4] += DVec3::Y * 0.1
        }
    });
    assert!(found.contains(&"joints"), "{found:?}");
    let found = car_with(&|k, f| {
        if k >= 20 {
            f.state.positions[0] += DVec3::Z * 0.05
        }
    });
    assert!(found.contains(&"fixed") && found.contains(&"overlap"), "{found:?}");
    let found = car_with(&|k, f| {
        if k == 20 {
            f.state.rotations[2] *= 1.001;
        }
    });
    assert!(found.contains(&"numbers"), "{found:?}");
    let found = car_with(&|k, f| {
        if k == 20 {
            f.energy *= 1.001
        }
    });
    assert!(found.contains(&"energy"), "{found:?}");
    let handle = run_of(folder.path(), "t-handle", 40);
    let found = broken(&changed(&handle, &out, |k, f| {
        if k >= 20 {
            f.state.velocities[0] += DVec3::X * 0.01;
        }
    }));
    assert!(found.contains(&"momentum"), "{found:?}");
    let found = broken(&changed(&handle, &out, |k, f| {
        if k >= 20 {
            f.state.spins[0] = DQuat::from_rotation_z(0.3) * f.state.spins[0] * 1.1;
        }
    }));
    assert!(found.contains(&"energy"), "{found:?}");
    // Faster, and honestly so: the energy is true, but nothing drives the handle.
    let model = Reader::open(&handle).unwrap().model().clone();
    let found = broken(&changed(&handle, &out, |k, f| {
        if k >= 20 {
            f.state.spins[0] *= 1.1;
        }
        f.energy = model.mechanical_energy(&f.state);
    }));
    assert!(found.contains(&"energy rise") && !found.contains(&"energy"), "{found:?}");
}

/// A scene has no such numbers, but a program may.
#[test]
fn a_run_that_leaves_the_numbers_ends_with_the_body_named() {
    let text = "method = \"dynamics\"\n[[bodies]]\nshape = { kind = \"ball\", radius = 1 }\n\
                positions = [[0, 0, 0], [9, 0, 0]]\n";
    let scene = Scene::from_text(text, "wild.toml".as_ref()).unwrap();
    let (model, mut state) = riprap::build(&scene).unwrap();
    state.spins[0].x = 1e300;
    let run = riprap::record(model, state, None).unwrap();
    let ending = run.ending.unwrap();
    assert_eq!((run.frames.len(), ending.outcome), (1, Outcome::Failed));
    let reason = ending.reason.as_deref().unwrap();
    assert!(reason.starts_with("the motion of body 0 is no number any more"), "{reason}");
}

#[test]
fn bad_scenes_are_refused_with_words() {
    let good = "method = \"dynamics\"\n\
                [[bodies]]\ngroup = \"wall\"\nshape = { kind = \"box\", size = [1, 1, 1] }\n\
                position = [0, 0, 0]\nmotion = \"fixed\"\n\
                [[bodies]]\ngroup = \"arm\"\nshape = { kind = \"box\", size = [1, 1, 1] }\n\
                positions = [[2, 0, 0], [4, 0, 0]]\n\
                [[joints]]\nkind = \"hinge\"\nbodies = [\"arm.0\", \"wall\"]\nat = [1, 0, 0]\n\
                axis = [0, 1, 0]\nmotor = { speed = 10 }\n";
    let build = |text: &str| built(text, "bad.toml");
    build(good).unwrap();
    for (from, to, message) in [
        ("\"arm.0\"", "\"arm\"", "there are 2 bodies named `arm`"),
        ("\"arm.0\"", "\"arm.2\"", "there is no body named `arm.2`"),
        ("\"arm.0\"", "\"leg\"", "there is no body named `leg`"),
        ("\"arm.0\"", "\"wall\"", "this joins `wall` to itself"),
        ("\"arm.0\"", "\"world\"", "the motor drives world and `wall`, neither of which can move"),
        ("axis = [0, 1, 0]\n", "", "a joint of the kind `hinge` needs an `axis`"),
        ("axis = [0, 1, 0]", "axis = [0, 0, 0]", "this axis has no direction"),
        ("\"hinge\"", "\"ball\"", "a joint of the kind `ball` has no `motor` here"),
        ("motor = { speed = 10 }", "limits = [1, 0]", "the greatest is below the least"),
        ("size = [1, 1, 1] }\npositions", "size = [1, 0, 1] }\npositions", "shape.size` must be"),
        ("position = [0, 0, 0]", "position = [0, nan, 0]", "must be a finite number"),
        (
            "\"box\", size = [1, 1, 1] }\nposition =",
            "\"hull\", points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]] }\nposition =",
            "the 4 corners lie in one plane",
        ),
        (
            "\"box\", size = [1, 1, 1] }\nposition =",
            "\"torus\", radius = 1, tube = 2 }\nposition =",
            "a torus of radius 1.0 has a tube of radius 2.0",
        ),
        (
            "method = \"dynamics\"",
            "method = \"dynamics\"\ndimension = 2",
            "z is 1.0, but a 2D scene lives in the x-y plane",
        ),
        (
            "method = \"dynamics\"",
            "method = \"settle\"",
            "`joints.kind.hinge` is not taken by the method settle",
        ),
        ("motion = \"fixed\"", "restitution = 2", "the restitution 2.0 is above 1"),
    ] {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from}");
        let problem = build(&text).unwrap_err();
        assert!(problem.message.contains(message), "{} instead of {message}", problem.message);
    }
    let alone = "method = \"dynamics\"\n[[bodies]]\nshape = { kind = \"ball\", radius = 1 }\n\
                 position = [0, 0, 0]\nmotion = \"fixed\"\n";
    assert_eq!(build(alone).unwrap_err().message, "no body of the scene can move");
}

/// A body on a spring, two that a spring or a repulsion joins in a drum.
#[test]
fn what_forces_do_is_explained() {
    let oscillator = r#"
        method = "dynamics"
        gravity = [0, 0, 0]
        bodies = [{ group = "bob", radius = 0.1, position = [1, 0, 0], mass = 1 }]
        forces = [{ law = "spring", group = "bob", to = [0, 0, 0], strength = 2 }]
        dynamics = { steps = 200 }
    "#;
    let drum = r#"
        method = "dynamics"
        gravity = [0, 0, 0]
        container = { shape = "cylinder", radius = 4, bottom = -3, top = 3 }
        bodies = [{ group = "a", radius = 0.2, positions = [[-1, 0, 0], [1, 0, 0]] }]
        dynamics = { steps = 100 }
        [[forces]]
        group = "a"
        between = "all"
        strength = 2
    "#;
    let spring = format!("{drum}\nlaw = \"spring\"\nrest_length = 1.5");
    let repulsion = format!("{drum}\nlaw = \"repulsion\"");
    for text in [oscillator, &spring, &repulsion] {
        assert_eq!(broken_by(text), Vec::<String>::new(), "{text}");
    }
}

/// A fall into the pole of an inverse-square law ends where no substep can follow it.
#[test]
fn a_force_that_no_substep_can_follow_ends_the_run() {
    let text = r#"
        method = "dynamics"
        gravity = [0, 0, 0]
        bodies = [{ group = "p", radius = 0.1, position = [1, 0, 0], mass = 1 }]
        forces = [{ law = "inverse-square", group = "p", to = [0, 0, 0], strength = 1 }]
        dynamics = { steps = 200 }
    "#;
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("pole.riprap");
    run_into(&out, &scene("pole", text), None).unwrap();
    let reader = Reader::open(&out).unwrap();
    let ending = reader.ending().unwrap();
    assert_eq!(ending.outcome, Outcome::Failed);
    let reason = ending.reason.as_deref().unwrap_or_default();
    assert!(reason.contains("more stiffly than a substep can follow"), "{reason}");
}

/// A box that slides and is damped so much that nothing moves after a step.
#[test]
fn what_damping_takes_is_known() {
    let text = r#"
        method = "dynamics"
        gravity = [0, 0, -10]
        dynamics = { steps = 20, damping = 1000 }
        [[bodies]]
        shape = { kind = "box", size = [40, 40, 1] }
        position = [0, 0, -0.5]
        motion = "fixed"
        [[bodies]]
        shape = { kind = "box", size = [1, 1, 0.2] }
        position = [0, 0, 0.1]
        velocity = [2, 0, 5]
    "#;
    assert_eq!(broken_by(text), Vec::<String>::new());
}

/// A ball that rolls along a floor it sank into, and bodies that a pin joins and contacts
/// push apart: what takes overlaps back neither opens joints nor counts as energy from nowhere.
#[test]
fn taking_overlaps_back_opens_no_joint_and_gives_no_energy() {
    let disc = r#"
        method = "dynamics"
        gravity = [0, -10]
        dimension = 2
        container = { shape = "box", min = [-2, 0], max = [2, 4] }
        bodies = [{ radius = 0.3, position = [0.1, 2], velocity = [3, 0] }]
        dynamics = { steps = 150 }
    "#;
    let pin = r#"
        method = "dynamics"
        dimension = 2
        gravity = [0, -10]
        dynamics = { steps = 100 }
        joints = [{ kind = "pin", bodies = ["a", "b"], at = [1.05, 0], collide = true }]
        [[bodies]]
        group = "a"
        shape = { kind = "box", size = [1, 0.2] }
        position = [0.5, 0]
        spin = 100
        [[bodies]]
        group = "b"
        shape = { kind = "box", size = [1, 0.2] }
        position = [1.6, 0]
        [[bodies]]
        shape = { kind = "box", size = [20, 1] }
        position = [0, -3]
        motion = "fixed"
    "#;
    for text in [disc, pin] {
        assert_eq!(broken_by(text), Vec::<String>::new(), "{text}");
    }
}

/// A piston that leaves a ball no room pushes into the ball, not the ball through the floor.
#[test]
fn a_container_holds_what_a_driven_body_pushes() {
    let text = r#"
        method = "dynamics"
        gravity = [0, 0, -10]
        container = { shape = "box", min = [-2, -2, 0], max = [2, 2, 3] }
        dynamics = { steps = 100 }
        [[bodies]]
        radius = 0.3
        position = [0, 0, 0.3]
        [[bodies]]
        shape = { kind = "box", size = [1, 1, 1] }
        motion = "driven"
        path = [[0, 0, 0, 2], [1, 0, 0, 0.2]]
    "#;
    let (model, mut state) = built(text, "piston").unwrap();
    ledgers(&model, &mut state, 100);
    assert!(state.positions[0].z > 0.29, "{}", state.positions[0]);
}

/// The same scene in three units of time moves alike.
#[test]
fn no_unit_of_time_is_special() {
    let end = |unit: f64| {
        let text = format!(
            r#"
            method = "dynamics"
            gravity = [0, 0, {}]
            container = {{ shape = "box", min = [-2, -2, 0], max = [2, 2, 3] }}
            dynamics = {{ time_step = {}, steps = 60 }}
            [[bodies]]
            shape = {{ kind = "box", size = [0.6, 0.5, 0.4] }}
            positions = [[0, 0, 1], [0.1, 0, 2]]
            turn = [10, 20, 0]
            "#,
            -10.0 * unit * unit,
            0.01 / unit,
        );
        let (model, mut state) = built(&text, "unit").unwrap();
        ledgers(&model, &mut state, 60);
        state.positions
    };
    let second = end(1.0);
    for unit in [1e-3, 1e3] {
        for (one, other) in second.iter().zip(end(unit)) {
            assert!(one.distance(other) < 1e-6, "{unit}: {one} {other}");
        }
    }
}
