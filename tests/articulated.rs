//! Articulated frameworks and the options of the method collapse: bars of every kind, mass in
//! points, and the classical loop beside the step on positions; and a machine in dynamics.

use std::f64::consts::TAU;

use std::sync::Arc;

use riprap::math::DVec3;
use riprap::scene::Scene;
use riprap::step::stable::stable;
use riprap::step::stepper;
use riprap::trajectory::{Ledger, Reader};
use riprap::verify::verify;
use riprap::world::{Model, State, build};

use crate::common::{Run, broken, built, ledgers, run_into};

fn scene(text: &str) -> Scene {
    let text = format!("method = \"collapse\"\ndimension = 2\n{text}");
    Scene::from_text(&text, "framework.toml".as_ref()).unwrap()
}

/// A weight on a bar, level at first, and the support that the bar hangs from.
fn pendulum(options: &str) -> Scene {
    scene(&format!(
        r#"
        [[bodies]]
        shape = {{ kind = "box", size = [0.2, 0.2] }}
        position = [1, 0]
        friction = 0
        [[bodies]]
        shape = {{ kind = "box", size = [0.2, 0.2] }}
        position = [0, 0]
        motion = "fixed"
        friction = 0
        [[joints]]
        kind = "bar"
        bodies = [0, 1]
        at = [1, 0]
        to = [0, 0]
        [collapse]
        time_step = 0.01
        {options}
        "#
    ))
}

/// The ledgers of so many steps, and where they lead.
fn fall(scene: &Scene, steps: usize) -> (Model, State, Vec<Ledger>) {
    let (model, mut state) = build(scene).unwrap();
    let ledgers = ledgers(&model, &mut state, steps);
    (model, state, ledgers)
}

/// By how much the bar of the pendulum is off its length, which is 1: ledgers count in radii.
fn stretch(ledger: &Ledger) -> f64 {
    ledger.joint_error.unwrap() * 0.1_f64.hypot(0.1)
}

#[test]
fn a_weight_on_a_bar_swings() {
    let (_, state, ledgers) = fall(&pendulum("lengths = \"original\""), 400);
    let drift = ledgers.iter().map(stretch).fold(0.0, f64::max);
    assert!(drift < 1.5e-5, "{drift}");
    assert!(ledgers.iter().all(|l| l.residual < 1e-9));
    // The quarter period of a pendulum let go level is 1.854 times the root of l / g.
    let lowest = ledgers.iter().position(|l| l.momentum[1] > 0.0).unwrap() as f64 * 0.01;
    assert!((lowest - 1.854).abs() < 0.06, "{lowest}");
    assert!(state.positions[0].length() < 1.05);
}

/// The other lengths of the paper are of the first order, and drift: the run ends before a bar is
/// off by more than it may.
#[test]
fn lengths_that_drift_end_the_run() {
    for lengths in ["half", "penalty", "prime"] {
        let (model, mut state) = build(&pendulum(&format!("lengths = \"{lengths}\""))).unwrap();
        let mut stepper = stepper(&Arc::new(model), &state, None, || 0.0).unwrap();
        let ended = (0..400).find_map(|_| stepper.step(&mut state).err());
        let problem = ended.unwrap_or_else(|| panic!("{lengths} does not drift"));
        assert!(problem.message.starts_with("a joint would be off"), "{lengths}: {problem}");
        assert!((state.positions[0].length() - 1.0).abs() < 1.5e-5, "{lengths}");
    }
}

/// Forces in bars are part of the proof: a weight below its support hangs, one beside it does not.
#[test]
fn bars_bear_forces() {
    let (model, mut state) = build(&pendulum("")).unwrap();
    let verdict = stable(&model, &state).unwrap();
    assert!(verdict.is_unbalanced() && !verdict.exact);
    assert!(
        (verdict.accelerations[0].0 - DVec3::NEG_Y).length() < 1e-12,
        "it falls freely at first"
    );
    state.positions[0] = DVec3::NEG_Y;
    assert!(stable(&model, &state).unwrap().is_balanced());
}

#[test]
fn a_run_with_bars_keeps_every_promise() {
    let folder = tempfile::tempdir().unwrap();
    for unknowns in ["positions", "accelerations"] {
        let out = folder.path().join(format!("{unknowns}.riprap"));
        let scene = pendulum(&format!("unknowns = \"{unknowns}\"\nsteps = 150"));
        run_into(&out, &scene, None).unwrap();
        let reader = Reader::open(&out).unwrap();
        assert_eq!(reader.model().joints.len(), 1);
        let verdict = verify(&reader).unwrap();
        // The classical loop is of the first order, and nothing in it pulls back what has drifted:
        // it stops, with the reason, before the bar is off by more than it may.
        let known: &[&str] = if unknowns == "positions" { &[] } else { &["ending"] };
        assert_eq!(broken(&verdict), known, "{unknowns}: {:?}", verdict.checks);
    }
}

/// Both loops agree while nothing hits anything, and a body that stands keeps standing.
#[test]
fn the_classical_loop_falls_like_the_step_on_positions() {
    let tower = |unknowns: &str| {
        scene(&format!(
            "[[bodies]]\ntower = {{ family = \"diamond\", size = 5 }}\nmass = 1\nfriction = 0\n\
             [collapse]\nunknowns = \"{unknowns}\"\ntime_step = 0.005\n"
        ))
    };
    let (_, one, _) = fall(&tower("positions"), 100);
    let (_, two, ledgers) = fall(&tower("accelerations"), 100);
    let apart = one.positions.iter().zip(&two.positions).map(|(a, b)| (*a - *b).length());
    let apart = apart.fold(0.0, f64::max);
    assert!(apart < 2e-3, "{apart}");
    assert!(one.positions[10].y < 1.8 - 0.02, "it fell: {}", one.positions[10]);
    let deepest = ledgers.iter().map(|l| l.penetration).fold(0.0, f64::max);
    assert!(deepest < 2e-3, "{deepest}");
    let standing = scene(
        "[[bodies]]\ntower = { family = \"diamond\", size = 3 }\nmass = 1\nfriction = 0\n\
         [collapse]\nunknowns = \"accelerations\"\n",
    );
    let (_, start, _) = fall(&standing, 0);
    let (_, end, _) = fall(&standing, 100);
    let moved = start.positions.iter().zip(&end.positions).map(|(a, b)| (*a - *b).length());
    assert!(moved.fold(0.0, f64::max) < 1e-9);
}

#[test]
fn mass_in_points() {
    let inertia = |dimension: usize, model: &str| {
        let size = if dimension == 2 { "[3, 1]" } else { "[3, 1, 2]" };
        let place = if dimension == 2 { "[0, 5]" } else { "[0, 0, 5]" };
        let text = format!(
            "method = \"collapse\"\ndimension = {dimension}\n[[bodies]]\n\
             shape = {{ kind = \"box\", size = {size} }}\nposition = {place}\nmass = 6\n\
             [collapse]\nmass_points = \"{model}\"\n"
        );
        built(&text, "points.toml").unwrap().0.bodies[0].inertia
    };
    for (dimension, exact) in [(2, 5.0), (3, 5.0)] {
        for (model, times) in [("continuous", 1.0), ("nine", 1.0), ("five", 1.0), ("four", 3.0)] {
            let found = inertia(dimension, model).z_axis.z;
            assert!((found - times * exact).abs() < 1e-12, "{dimension}D, {model}: {found}");
        }
    }
    let triangle = "method = \"collapse\"\ndimension = 2\n[[bodies]]\n\
                    shape = { kind = \"polygon\", corners = [[0, 0], [1, 0], [0, 1]] }\n\
                    [collapse]\nmass_points = \"five\"\n";
    let problem = built(triangle, "points.toml").unwrap_err();
    assert!(problem.message.contains("cannot be put into points"), "{problem}");
}

#[test]
fn bad_bars_are_refused_with_words() {
    let one = "[[bodies]]\nshape = { kind = \"box\", size = [1, 1] }\n";
    let message = |bar: &str| {
        let text = format!(
            "method = \"collapse\"\ndimension = 2\n{one}[[joints]]\nkind = \"bar\"\n{bar}\n"
        );
        built(&text, "bad.toml").unwrap_err().message
    };
    let far = message("bodies = [0, 4]\nat = [0, 0]\nto = [1, 0]");
    assert_eq!(far, "there is no body 4: there are 1");
    let same = message("bodies = [0, 0]\nat = [0, 0]\nto = [1, 0]");
    assert_eq!(same, "this joins body 0 to itself");
    let short = message("bodies = [0, \"world\"]\nat = [0, 0]\nto = [0, 0]");
    assert_eq!(short, "the two points of the joint are the same");
    let unknown = message(
        "bodies = [0, \"world\"]\nat = [0, 0]\nto = [1, 0]\n[collapse]\nlengths = \"short\"",
    );
    assert!(unknown.starts_with("`collapse.lengths`"), "{unknown}");
}

/// Crank, rod and piston: three hinges and a slider in a loop, driven by a motor without a limit.
/// Light as the crank is, it turns evenly, and the piston is where the closed form has it.
#[test]
fn a_motor_keeps_its_speed_in_a_slider_crank() {
    let (radius, length) = (0.1, 0.3);
    let link = |group: &str, size: [f64; 3], x: f64| {
        format!(
            "[[bodies]]\ngroup = \"{group}\"\nshape = {{ kind = \"box\", size = {size:?} }}\n\
             position = [{x}, 0, 0]\ndensity = 1000\n"
        )
    };
    let joint = |kind: &str, bodies: [&str; 2], x: f64, axis: [f64; 3]| {
        format!(
            "[[joints]]\nkind = \"{kind}\"\nbodies = {bodies:?}\nat = [{x}, 0, 0]\naxis = {axis:?}\n"
        )
    };
    let text = [
        "method = \"dynamics\"\ngravity = [0, 0, -9.81]\n".to_owned(),
        link("crank", [radius, 0.02, 0.02], 0.5 * radius),
        link("rod", [length, 0.02, 0.02], radius + 0.5 * length),
        link("piston", [0.1, 0.1, 0.1], radius + length),
        joint("hinge", ["crank", "world"], 0.0, [0.0, 1.0, 0.0]),
        "motor = { speed = 360 }\n".to_owned(),
        joint("hinge", ["rod", "crank"], radius, [0.0, 1.0, 0.0]),
        joint("hinge", ["piston", "rod"], radius + length, [0.0, 1.0, 0.0]),
        joint("slider", ["piston", "world"], radius + length, [1.0, 0.0, 0.0]),
    ]
    .concat();
    let scene = Scene::from_text(&text, "crank.toml".as_ref()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crank.riprap");
    run_into(&path, &scene, Some(150)).unwrap();
    let run = Run::read(&path);
    for (k, frame) in run.frames.iter().enumerate().skip(1) {
        let (sine, cosine) = (TAU * k as f64 * 0.01).sin_cos();
        let speed = frame.state.spins[0].y.abs() / TAU;
        assert!((speed - 1.0).abs() < 1e-4, "frame {k}: {speed} turns a second");
        let x = radius * cosine + (length * length - (radius * sine).powi(2)).sqrt();
        let off = frame.state.positions[2].x - x;
        assert!(off.abs() < 1e-4 * length, "frame {k}: the piston is off by {off}");
    }
    let report = verify(&Reader::open(&path).unwrap()).unwrap();
    assert!(broken(&report).is_empty(), "{:?}", broken(&report));
}
