//! Where rest is a close call: exact stacks, slots as wide as what is in them, contacts that
//! hardly press, light beside heavy, small beside large. What `run` calls rest, `verify`
//! accepts, and an unstable stack does not stand.

use crate::common::{Run, broken, run_into, scene};
use riprap::Reader;
use riprap::math::Random;
use riprap::trajectory::Outcome;

/// Runs a scene; its outcome, and the energy that it lost. `verify` agrees with either.
fn settled(name: &str, text: &str) -> (Outcome, f64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.riprap");
    run_into(&path, &scene(name, text), None).unwrap();
    let run = Run::read(&path);
    let verdict = riprap::verify(&Reader::open(&path).unwrap()).unwrap();
    let outcome = run.ending.outcome;
    assert_eq!(verdict.ok, outcome == Outcome::Rest, "{name}: {:?}", broken(&verdict));
    assert!(verdict.ok || broken(&verdict) == ["ending"], "{name}: {:?}", broken(&verdict));
    (outcome, run.frames[0].energy - run.last().energy)
}

fn balls(size: [f64; 3], gravity: [f64; 3], positions: &[[f64; 3]], radius: f64) -> String {
    format!(
        "gravity = {gravity:?}\n[container]\nshape = \"box\"\nmin = [0, 0, 0]\nmax = {size:?}\n\
         [[bodies]]\ngroup = \"s\"\npositions = {positions:?}\nradius = {radius:?}\nmass = 1\n"
    )
}

/// Simple-cubic stacks with room beside them fall, in a corner, too.
#[test]
fn exact_stacks_fall() {
    let down = [0.0, 0.0, -1.0];
    for [nx, ny, nz] in [[1, 1, 2], [1, 1, 5], [2, 1, 3], [2, 2, 2], [3, 3, 3]] {
        let mut positions = Vec::new();
        for k in 0..nx * ny * nz {
            let at = [k % nx, k / nx % ny, k / (nx * ny)].map(|k| 0.5 + k as f64);
            positions.push(at);
        }
        let room = [nx as f64 + 1.2, ny as f64 + 1.3, nz as f64 + 1.0];
        let name = format!("stack-{nx}-{ny}-{nz}");
        let (outcome, lost) = settled(&name, &balls(room, down, &positions, 0.5));
        assert_eq!(outcome, Outcome::Rest, "{name}");
        assert!(lost > 0.1, "{name} lost {lost}");
    }
}

/// Slots that are wider than the balls by anything from nothing to a tenth.
#[test]
fn slots_of_any_width() {
    let mut random = Random::new(4);
    for play in [0.0, 1e-9, 1e-7, 1e-6, 2e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1] {
        let width = 1.0 + play;
        let at = |k: usize, y: f64| [0.5 * width, y, 0.6 + 1.05 * k as f64];
        let positions: Vec<[f64; 3]> = (0..8).map(|k| at(k, random.between(0.5, 2.5))).collect();
        let text = balls([width, 3.0, 9.0], [0.0, 0.0, -1.0], &positions, 0.5);
        let (outcome, _) = settled("slot", &text);
        assert_eq!(outcome, Outcome::Rest, "{play:e}");
    }
}

/// A shaft as wide as the balls in it, pulled at askew: every ball presses on two walls.
#[test]
fn a_shaft_that_fits() {
    let positions: Vec<[f64; 3]> =
        (0..10).map(|k| [0.5, 0.5, 0.5 + 1.00000001 * k as f64]).collect();
    let gravity = [0.10454286306038577, -0.9900584698336846, 0.09410109507184569];
    let text = balls([1.0, 1.0, 11.0], gravity, &positions, 0.5);
    assert_eq!(settled("shaft", &text).0, Outcome::Rest);
}

/// A box of exactly as many balls as it is wide: rows of them bend by the root of the skin and hold
/// what pulls sideways by forces of many weights. They are wedged, with ropes, with forces between
/// the balls and with light balls among heavy ones, too.
#[test]
fn wedged_rows_are_held_by_their_forces() {
    let boxed = |seed: u64, tilt: f64, size: [f64; 3], rest: &str| {
        format!(
            "gravity = [{tilt:?}, 0, -1]\nseed = {seed}\n[container]\nshape = \"box\"\n\
             min = [0, 0, 0]\nmax = {size:?}\n{rest}"
        )
    };
    let balls = |group: &str, count: usize, mass: f64| {
        format!(
            "[[bodies]]\ngroup = \"{group}\"\nrandom = {{ count = {count} }}\nradius = 0.5\n\
             mass = {mass:?}\n"
        )
    };
    let ropes = "[[joints]]\nkind = \"rope\"\ngroup = \"s\"\nbetween = [[0, 1], [1, 2]]\n";
    let pushes = "[[forces]]\ngroup = \"s\"\nstrength = 0.11504947384880547\n\
                  law = \"repulsion\"\nbetween = \"chain\"\n";
    let tilt = 0.005228494463778599;
    let mixed = balls("light", 10, 1.0) + &balls("heavy", 10, 4517.271562068152);
    let scenes = [
        boxed(10140, tilt, [4.0, 4.0, 6.75], &(balls("s", 10, 1.0) + ropes)),
        boxed(10833, 0.0, [4.0, 4.0, 10.125], &(balls("s", 19, 1.0) + ropes)),
        boxed(10139, 0.0, [4.0, 4.39044153664493, 7.78], &(balls("s", 14, 1.0) + pushes)),
        boxed(130, 0.0, [2.0, 3.0, 23.0], &mixed),
    ];
    for (k, text) in scenes.iter().enumerate() {
        assert_eq!(settled("wedged", text).0, Outcome::Rest, "scene {k}");
    }
    // A light ball wedged by 1e10 of its weights: what its place can hold of that is more than a
    // certificate allows, and both say so.
    let mixed = balls("light", 20, 1.0) + &balls("heavy", 20, 228430.8729784845);
    settled("beyond numbers", &boxed(10012, 0.0, [2.0, 3.0, 43.0], &mixed));
}

/// Rows and grids that fill their box from wall to wall, exactly or but for a millionth, may be pressed as hard as one
/// likes, and rest all the same, with ropes and without.
#[test]
fn rows_that_fit_exactly_rest() {
    let down = [0.0, 0.0, -1.0];
    for count in [2, 3, 7] {
        let positions: Vec<[f64; 3]> =
            (0..count).map(|k| [1.0 + 2.0 * k as f64, 3.0, 1.0]).collect();
        let text = balls([2.0 * count as f64, 6.0, 6.0], down, &positions, 1.0);
        let ropes = "[[joints]]\nkind = \"rope\"\ngroup = \"s\"\nbetween = [[0, 1]]\n";
        for text in [text.clone(), text + ropes] {
            let (outcome, lost) = settled("row", &text);
            assert_eq!((outcome, lost < 1e-6), (Outcome::Rest, true), "{count}");
        }
    }
    let mut random = Random::new(15);
    for k in 0..24 {
        let mut number = |most: f64| 1 + (random.unit() * most) as usize;
        let [nx, ny, nz] = [number(4.0), number(4.0), number(3.0)];
        let gap = if k % 2 == 0 { 1e-6 } else { 0.0 };
        let place = |k: usize| 0.5 + (1.0 + gap) * k as f64;
        let positions: Vec<[f64; 3]> =
            (0..nx * ny * nz).map(|k| [k % nx, k / nx % ny, k / (nx * ny)].map(place)).collect();
        let wide = |count: usize, more: f64| place(count - 1) + 0.5 + more;
        let room = if k % 3 == 0 { 1.3 } else { 0.0 };
        let size = [wide(nx, gap), wide(ny, gap + room), wide(nz, 1.0)];
        let name = format!("grid {k}: {nx} x {ny} x {nz}");
        assert_eq!(settled(&name, &balls(size, down, &positions, 0.5)).0, Outcome::Rest, "{name}");
    }
}

/// Heavy balls among light ones.
#[test]
fn masses_of_any_ratio() {
    for (seed, ratio) in [(1, 1e2), (2, 1e4), (3, 1e6)] {
        let text = format!(
            "gravity = [0, 0, -1]\nseed = {seed}\n[container]\nshape = \"box\"\nmin = [0, 0, 0]\n\
             max = [3.3, 3.4, 9]\n[[bodies]]\ngroup = \"light\"\nradius = 0.5\nmass = 1\n\
             random = {{ count = 10 }}\n[[bodies]]\ngroup = \"heavy\"\nradius = 0.5\nmass = {ratio:?}\n\
             random = {{ count = 10 }}\n"
        );
        assert_eq!(settled("masses", &text).0, Outcome::Rest, "{ratio:e}");
    }
}

/// Light balls that come down only as they move heavy ones aside, which neither gain nor lose by it.
#[test]
fn light_balls_move_heavy_ones_aside() {
    let boxes = [
        (
            2,
            "[-0.5058273468960706, -0.579006362382374, -0.5084403271039881]",
            "[3.717002569813673, 3.1881001657408796, 13.491559672896011]",
        ),
        (
            6,
            "[-0.6430420901485694, -0.9797031747644106, 0.8358233820588835]",
            "[3.3807458346586077, 2.262632050707878, 14.835823382058884]",
        ),
    ];
    for (seed, min, max) in boxes {
        let text = format!(
            "gravity = [0, 0, -1]\nseed = {seed}\n[container]\nshape = \"box\"\nmin = {min}\nmax = {max}\n\
             [[bodies]]\nrandom = {{ count = 10 }}\nradius = 0.5\nmass = 1\n\
             [[bodies]]\nrandom = {{ count = 11 }}\nradius = 0.5\nmass = 1e6\n"
        );
        assert_eq!(settled("aside", &text).0, Outcome::Rest, "{seed}");
    }
}

/// Forty balls in a box that four large ones fit into exactly: half of them smaller by a factor,
/// or all alike and with masses spread evenly over orders of magnitude.
fn mixture(ratio: f64, masses: f64, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut placed: Vec<([f64; 3], f64)> = Vec::new();
    for small in [false, true] {
        let radius = if small { 0.5 / ratio } else { 0.5 };
        while placed.len() < if small { 40 } else { 20 } {
            let height = random.between(radius, 9.0 - radius);
            let mut aside = || random.between(radius, 4.0 - radius);
            let at = [aside(), aside(), height];
            let apart = |(other, own): &([f64; 3], f64)| {
                let square: f64 = at.iter().zip(other).map(|(x, y)| (x - y).powi(2)).sum();
                square.sqrt() > radius + own + 1e-6
            };
            if placed.iter().all(apart) {
                placed.push((at, radius));
            }
        }
    }
    let mut text = "gravity = [0, 0, -1]\n[container]\nshape = \"box\"\nmin = [0, 0, 0]\n\
                    max = [4, 4, 9]\n"
        .to_string();
    for (at, radius) in placed {
        let mass = (radius / 0.5_f64).powi(3) * masses.powf(random.unit());
        text += &format!("[[bodies]]\nposition = {at:?}\nradius = {radius:?}\nmass = {mass:?}\n");
    }
    text
}

#[test]
fn mixtures_come_to_rest() {
    for (ratio, masses) in [(5.0, 1.0), (20.0, 1.0), (100.0, 1.0), (1.0, 1e2), (1.0, 1e6)] {
        for seed in 0..3 {
            let (outcome, _) = settled("mixture", &mixture(ratio, masses, seed));
            assert_eq!(outcome, Outcome::Rest, "ratio {ratio}, masses {masses:e}, seed {seed}");
        }
    }
}

/// Rows of balls that fit their box exactly are wedged by forces of a thousand weights, beside pulls
/// that are weaker than a weight.
#[test]
fn wedges_beside_pulls() {
    for seed in [1, 2, 3] {
        let text = format!(
            "gravity = [0, 0, -1]\nseed = {seed}\n[container]\nshape = \"box\"\nmin = [0, 0, 0]\n\
             max = [4, 4, 12]\n[[bodies]]\ngroup = \"s\"\nradius = 0.5\nmass = 1\n\
             random = {{ count = 30 }}\n[[forces]]\nlaw = \"attraction\"\ngroup = \"s\"\n\
             between = [[0, 1], [2, 3], [4, 5]]\nstrength = 0.02\n"
        );
        assert_eq!(settled("wedges", &text).0, Outcome::Rest, "{seed}");
    }
}

/// A pull that grows without end where its bodies meet a point holds one of them there, ten
/// million times harder than the others' weights; and these roll on each other where all
/// pulls together hardly matter.
#[test]
fn pulls_to_a_point_and_to_each_other() {
    for seed in [1, 2] {
        let text = format!(
            "gravity = [0, 0, -1]\nseed = {seed}\n[container]\nshape = \"box\"\nmin = [0, 0, 0]\n\
             max = [3.2, 3.1, 9]\n[[bodies]]\ngroup = \"s\"\nradius = 0.5\ndensity = 2.5\n\
             random = {{ count = 14 }}\n[[forces]]\nlaw = \"attraction\"\ngroup = \"s\"\n\
             between = \"all\"\nstrength = 0.011\n[[forces]]\nlaw = \"inverse-square\"\ngroup = \"s\"\n\
             to = [1.8, 1.4, 3.4]\nstrength = 2.8\n"
        );
        assert_eq!(settled("pulls", &text).0, Outcome::Rest, "{seed}");
    }
}

/// Contacts that press a million times harder than others leave modes that these hardly resist: run and verify
/// count the same. A ball that a row of such forces balances a little beside the top of another falls by the play that it has.
#[test]
fn modes_beside_wedges_are_counted_by_both() {
    let scene = |seed: u64, size: [f64; 3], bodies: &str| {
        format!(
            "gravity = [0, 0, -1]\nseed = {seed}\n[container]\nshape = \"box\"\nmin = [0, 0, 0]\n\
             max = {size:?}\n{bodies}"
        )
    };
    let balls = |group: &str, count: usize, radius: f64, mass: f64| {
        format!(
            "[[bodies]]\ngroup = \"{group}\"\nrandom = {{ count = {count} }}\nradius = {radius:?}\n\
             mass = {mass:?}\n"
        )
    };
    let mixed = |count: usize, mass: f64| {
        balls("light", count, 0.5, 1.0) + &balls("heavy", count, 0.5, mass)
    };
    let ropes = "[[joints]]\nkind = \"rope\"\ngroup = \"s\"\nbetween = [[0, 1], [1, 2]]\n";
    let grid = "[[bodies]]\ngrid = { count = [2, 3, 5], first = [0.5, 0.5, 0.5], spacing = 1 }\n\
                radius = 0.5\nmass = 1\n";
    let large = [20249.509805823887, 26999.34640776518, 141746.5686407672];
    let scenes = [
        scene(3003235, [3.0, 4.0, 16.0], &mixed(13, 3.513925035964071)),
        scene(9, [4.0, 4.0, 12.0], &mixed(20, 100.0)),
        scene(3009487, large, &balls("s", 36, 3374.9183009706476, 1.0)),
        scene(3003743, [4.0, 4.0, 11.625], &(balls("s", 23, 0.5, 1.0) + ropes)),
        scene(3007750, [2.0001, 3.0, 7.0], grid),
    ];
    for (k, text) in scenes.iter().enumerate() {
        assert_eq!(settled("modes", text).0, Outcome::Rest, "scene {k}");
    }
}

/// Heavy balls among light ones, a million radii from the origin: what rounding makes of that may overlap, and is
/// not called a rest.
#[test]
fn far_from_the_origin_no_overlap_is_called_a_rest() {
    for seed in [0, 3, 5] {
        let text = format!(
            "gravity = [0, 0, -1]\nseed = {seed}\n[container]\nshape = \"box\"\n\
             min = [500000, 350000, 450000]\nmax = [500003.3, 350003.4, 450014]\n\
             [[bodies]]\nrandom = {{ count = 15 }}\nradius = 0.5\nmass = 1\n\
             [[bodies]]\nrandom = {{ count = 15 }}\nradius = 0.5\nmass = 1e6\n"
        );
        settled("far", &text);
    }
}
