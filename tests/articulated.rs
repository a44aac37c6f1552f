//! Articulated frameworks and the options of the method collapse: bars of every kind, mass in
//! points, and the classical loop beside the step on positions.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use riprap::math::DVec3;
use riprap::run::{Options, run};
use riprap::scene::Scene;
use riprap::step::collapse::{Collapse, Ledger, ready};
use riprap::step::stable::stable;
use riprap::trajectory::Reader;
use riprap::verify::verify;
use riprap::world::{Poses, Tower};

static NEVER: AtomicBool = AtomicBool::new(false);

fn scene(text: &str) -> Scene {
    let text = format!("method = \"collapse\"\ndimension = 2\n{text}");
    Scene::from_text(&text, "framework.toml".as_ref()).unwrap()
}

/// A weight on a bar, level at first, and the support that the bar hangs from.
fn pendulum(options: &str) -> Scene {
    scene(&format!(
        r#"
        [[bricks]]
        box = {{ size = [0.2, 0.2], centre = [1, 0] }}
        [[bricks]]
        box = {{ size = [0.2, 0.2], centre = [0, 0] }}
        fixed = "all"
        [[bars]]
        bricks = [0, 1]
        ends = [[1, 0], [0, 0]]
        [collapse]
        time_step = 0.01
        {options}
        "#
    ))
}

/// The ledgers of so many steps, and where they lead.
fn fall(scene: &Scene, steps: usize) -> (Tower, Poses, Vec<Ledger>) {
    let (model, mut poses) = ready(scene).unwrap();
    let mut collapse = Collapse::new(&model.tower, &poses, model.collapse);
    let ledgers = (0..steps).map(|_| collapse.step(&mut poses)).collect();
    (model.tower, poses, ledgers)
}

#[test]
fn a_weight_on_a_bar_swings() {
    for (lengths, longest) in [("original", 2e-2), ("half", 5e-3), ("penalty", 5e-2)] {
        let (_, poses, ledgers) = fall(&pendulum(&format!("lengths = \"{lengths}\"")), 400);
        let drift = ledgers.iter().map(|l| l.drift).fold(0.0, f64::max);
        assert!(drift < longest, "{lengths}: {drift}");
        assert!(ledgers.iter().all(|l| l.residual < 1e-9), "{lengths}");
        // The quarter period of a pendulum let go level is 1.854 times the root of l / g.
        let lowest = ledgers.iter().position(|l| l.momentum[1] > 0.0).unwrap() as f64 * 0.01;
        assert!((lowest - 1.854).abs() < 0.06, "{lengths}: {lowest}");
        assert!(poses.positions[0].length() < 1.05);
    }
    let (_, _, ledgers) = fall(&pendulum("lengths = \"prime\""), 400);
    let drift = ledgers.last().unwrap().drift;
    assert!(drift > 0.02, "L' shrinks what turns: {drift}");
}

/// Forces in bars are part of the proof: a weight below its support hangs, one beside it does not.
#[test]
fn bars_bear_forces() {
    let (model, mut poses) = ready(&pendulum("")).unwrap();
    let verdict = stable(&model.tower, &poses);
    assert!(!verdict.balanced && !verdict.exact);
    assert!(
        (verdict.accelerations[0].0 - DVec3::NEG_Y).length() < 1e-12,
        "it falls freely at first"
    );
    poses.positions[0] = DVec3::NEG_Y;
    assert!(stable(&model.tower, &poses).balanced);
}

#[test]
fn a_run_with_bars_keeps_every_promise() {
    let folder = tempfile::tempdir().unwrap();
    for unknowns in ["positions", "accelerations"] {
        let out = folder.path().join(format!("{unknowns}.riprap"));
        let scene = pendulum(&format!("unknowns = \"{unknowns}\"\nsteps = 150"));
        run(&scene, options(&out)).unwrap();
        let reader = Reader::open(&out).unwrap();
        assert_eq!(reader.model().tower.bars.len(), 1);
        let verdict = verify(&reader).unwrap();
        let broken: Vec<_> = verdict.checks.iter().filter(|c| !c.ok).collect();
        assert!(verdict.ok(), "{unknowns}: {broken:?}");
    }
}

fn options(out: &Path) -> Options<'static> {
    let progress = Box::leak(Box::new(|_: &riprap::run::Status| {}));
    Options { out: out.to_path_buf(), force: true, max_steps: None, interrupted: &NEVER, progress }
}

/// Both loops agree while nothing hits anything, and a brick that stands keeps standing.
#[test]
fn the_classical_loop_falls_like_the_step_on_positions() {
    let tower = |unknowns: &str| {
        scene(&format!(
            "[[bricks]]\ntower = {{ family = \"diamond\", size = 5 }}\nmass = 1\n\
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
        "[[bricks]]\ntower = { family = \"diamond\", size = 3 }\nmass = 1\n\
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
        let centre = if dimension == 2 { "[0, 5]" } else { "[0, 0, 5]" };
        let text = format!(
            "method = \"collapse\"\ndimension = {dimension}\n[[bricks]]\n\
             box = {{ size = {size}, centre = {centre} }}\nmass = 6\n\
             [collapse]\nmass_points = \"{model}\"\n"
        );
        let scene = Scene::from_text(&text, "points.toml".as_ref()).unwrap();
        ready(&scene).unwrap().0.tower.bricks[0].inertia
    };
    for (dimension, exact) in [(2, 5.0), (3, 5.0)] {
        for (model, times) in [("continuous", 1.0), ("nine", 1.0), ("five", 1.0), ("four", 3.0)] {
            let found = inertia(dimension, model).z_axis.z;
            assert!((found - times * exact).abs() < 1e-12, "{dimension}D, {model}: {found}");
        }
    }
    let triangle = scene(
        "[[bricks]]\npolygon = [[0, 0], [1, 0], [0, 1]]\n[collapse]\nmass_points = \"five\"\n",
    );
    let problem = ready(&triangle).unwrap_err();
    assert_eq!(problem.message, "the mass of this brick cannot be put into points");
}

#[test]
fn bad_bars_are_refused_with_words() {
    let one = "[[bricks]]\nbox = { size = [1, 1], centre = [0, 0] }\n";
    let message = |bar: &str| {
        let text = format!("method = \"collapse\"\ndimension = 2\n{one}[[bars]]\n{bar}\n");
        let scene = Scene::from_text(&text, "bad.toml".as_ref());
        scene.and_then(|scene| ready(&scene)).unwrap_err().message
    };
    let far = message("bricks = [0, 4]\nends = [[0, 0], [1, 0]]");
    assert_eq!(far, "the bar joins the bricks 0 and 4, but there are 1");
    let same = message("bricks = [0, 0]\nends = [[0, 0], [1, 0]]");
    assert_eq!(same, "a bar joins two different bricks");
    let short = message("bricks = [0, 1]\nends = [[0, 0], [0, 0]]");
    assert_eq!(short, "the bar has no length");
    let unknown =
        message("bricks = [0, 1]\nends = [[0, 0], [1, 0]]\n[collapse]\nlengths = \"short\"");
    assert!(unknown.starts_with("`collapse.lengths`"), "{unknown}");
}
