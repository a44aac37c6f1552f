//! Forces against what is known in closed form: pair laws, springs, ropes, bars,
//! the paper's own forms; and the scenes of the gallery that have forces.

use crate::common::{Run, run_to_rest, scene};
use riprap::energy::{self, paper, strands};
use riprap::math::{DMat3, DVec3};
use riprap::scene::{Law, gallery};
use riprap::solver::{Accuracy, Ceiling, FIXED, HalfSpace, MotionBox, Program, solve};
use riprap::trajectory::{Reader, With};
use riprap::verify::verify;
use riprap::world::build;

/// Runs a scene to rest and has the run verified.
fn verified(scene: &riprap::scene::Scene) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.riprap");
    crate::common::run_into(&path, scene, None).unwrap_or_else(|problem| panic!("{problem}"));
    let verdict = verify(&Reader::open(&path).unwrap()).unwrap();
    let broken: Vec<_> = verdict.checks.iter().filter(|check| !check.ok).collect();
    assert!(broken.is_empty(), "{}: {broken:?}", scene.name);
    assert_eq!(verdict.stable_to_second_order, Some(true), "{}", scene.name);
    Run::read(&path)
}

/// Two spheres, of radii 0.5 and 0.7, three apart, and nothing but this force.
fn pair(force: &str) -> Run {
    let text = format!(
        "gravity = [0, 0, 0]
        [[bodies]]
        group = \"two\"
        positions = [[0, 0, 0], [2, 2, 1]]
        radius = [0.5, 0.7]
        {force}"
    );
    verified(&scene("pair", &text))
}

fn law(law: &str) -> String {
    format!("[[forces]]\ngroup = \"two\"\nbetween = \"all\"\n{law}\n")
}

fn distance(run: &Run) -> f64 {
    run.last().state.positions[0].distance(run.last().state.positions[1])
}

fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
}

/// They end in contact, pressed together by this force.
fn assert_touching(run: &Run, force: f64) {
    assert_near(distance(run), 1.2, 1e-8);
    assert_eq!(run.ending.contacts.len(), 1);
    assert_near(run.ending.contacts[0].pressure(), force, 1e-6 * force);
}

#[test]
fn attracting_spheres_press_on_each_other() {
    assert_touching(&pair(&law("law = \"attraction\"\nstrength = 2.5")), 2.5);
    assert_touching(&pair(&law("law = \"inverse-square\"\nstrength = 2")), 2.0 / 1.44);
    assert_touching(&pair(&law("law = \"spring\"\nstrength = 0.5")), 1.2);
    assert_touching(&pair(&law("law = \"short-range\"\nstrength = 3\ncut_off = 3.1")), 3.0);
}

#[test]
fn beyond_its_cut_off_a_force_is_none() {
    let run = pair(&law("law = \"short-range\"\nstrength = 3\ncut_off = 2.9"));
    assert_eq!(run.frames.len(), 1);
    assert_eq!(distance(&run), 3.0);
}

#[test]
fn a_spring_comes_to_its_rest_length() {
    let run = pair(&law("law = \"spring\"\nstrength = 2\nrest_length = 1.7"));
    assert_near(distance(&run), 1.7, 1e-6);
    assert!(run.ending.contacts.is_empty());
    let run = pair(&law("law = \"spring\"\nstrength = 2\nrest_length = 4"));
    assert_near(distance(&run), 4.0, 1e-6);
}

/// `f / d + k d^2` is least at `d^3 = f / 2 k`.
#[test]
fn a_push_and_a_spring_find_their_balance() {
    let push = law("law = \"repulsion\"\nstrength = 10");
    let run = pair(&(push + &law("law = \"spring\"\nstrength = 0.5")));
    assert_near(distance(&run), 10_f64.cbrt(), 1e-6);
}

/// By hand: `x + 3 (x - 4) = 0` along the line, `2 z + 6 z = -2` across it.
#[test]
fn a_sphere_between_two_springs() {
    let text = r#"
        [[bodies]]
        group = "ball"
        positions = [[1, 0.5, 0]]
        radius = 0.5
        mass = 2
        [[forces]]
        law = "spring"
        group = "ball"
        strength = 1
        to = [0, 0, 0]
        [[forces]]
        law = "spring"
        group = "ball"
        strength = 3
        to = [4, 0, 0]"#;
    let run = verified(&scene("between", text));
    let [ball] = run.last().state.positions[..] else { unreachable!() };
    assert!(ball.distance(DVec3::new(3.0, 0.0, -0.25)) < 1e-6, "{ball}");
}

/// Three equal masses touch each other, each pair with its own pull.
#[test]
fn three_attracting_spheres_make_a_triangle() {
    let text = r#"
        gravity = [0, 0, 0]
        [[bodies]]
        group = "three"
        positions = [[0, 0, 0], [3, 1, 0], [1, 2, 2]]
        radius = 0.5
        [[forces]]
        law = "inverse-square"
        group = "three"
        between = "all"
        strength = 4"#;
    let run = verified(&scene("three", text));
    assert_eq!(run.ending.contacts.len(), 3);
    assert!(run.ending.contacts.iter().all(|contact| (contact.pressure() - 4.0).abs() < 1e-5));
    let certificate = run.ending.certificate.unwrap();
    assert_eq!((certificate.neutral_modes, certificate.unstable_modes), (6, 0), "as one body");
}

/// Horizontal and vertical pull at the left end of a hanging chain: the joints
/// follow from them, link by link, and must end at the right end.
fn joints(pull: [f64; 2], weights: &[f64], length: f64) -> Vec<[f64; 2]> {
    let ([across, mut up], mut at) = (pull, [0.0, 0.0]);
    let mut joints = Vec::new();
    for k in 0..=weights.len() {
        let size = (across * across + up * up).sqrt();
        at = [at[0] + length * across / size, at[1] - length * up / size];
        joints.push(at);
        up -= weights.get(k).copied().unwrap_or(0.0);
    }
    joints
}

/// The exact polygon of a chain between (0, 0) and (span, 0), by Newton's method.
fn hanging_polygon(weights: &[f64], length: f64, span: f64) -> Vec<[f64; 2]> {
    let miss = |pull: [f64; 2]| {
        let end = *joints(pull, weights, length).last().unwrap();
        [end[0] - span, end[1]]
    };
    let mut pull = [1.0, 0.5 * weights.iter().sum::<f64>()];
    for _ in 0..50 {
        let (here, step) = (miss(pull), 1e-7);
        let [right, up] = [miss([pull[0] + step, pull[1]]), miss([pull[0], pull[1] + step])];
        let [a, c] = [(right[0] - here[0]) / step, (right[1] - here[1]) / step];
        let [b, d] = [(up[0] - here[0]) / step, (up[1] - here[1]) / step];
        let det = a * d - b * c;
        pull[0] -= (d * here[0] - b * here[1]) / det;
        pull[1] -= (a * here[1] - c * here[0]) / det;
    }
    assert!(miss(pull).iter().all(|x| x.abs() < 1e-12));
    joints(pull, weights, length)
}

#[test]
fn a_hanging_chain_is_the_exact_polygon() {
    let masses = [1.0, 1.0, 3.0, 1.0, 0.5, 1.0, 2.0];
    let span = 5.0;
    let bead = |k: usize| {
        format!(
            "[[bodies]]\ngroup = \"chain\"\npositions = [[{}, {}]]\nradius = 0.2\nmass = {}\n",
            span * (k + 1) as f64 / 8.0,
            -0.1 * (k % 2) as f64,
            masses[k]
        )
    };
    let end = |x: f64| {
        format!(
            "[[bodies]]\ngroup = \"chain\"\npositions = [[{x}, 0]]\nradius = 0.2\nmotion = \"fixed\"\n"
        )
    };
    let beads: String = (0..masses.len()).map(bead).collect();
    let text = format!(
        "dimension = 2\n{}{beads}{}[[joints]]\nkind = \"rope\"\ngroup = \"chain\"\n\
         between = \"chain\"\nlength = 0.9\n",
        end(0.0),
        end(span)
    );
    let run = verified(&scene("chain", &text));
    let expected = hanging_polygon(&masses, 0.9, span);
    for (k, [x, y]) in expected.iter().enumerate() {
        let found = run.last().state.positions[k + 1];
        assert!(found.distance(DVec3::new(*x, *y, 0.0)) < 1e-6, "{k}: {found}, not {x} {y}");
    }
    let pulls = run.ending.contacts.iter().filter(|c| matches!(c.with, With::Joint(_)));
    assert_eq!(pulls.count(), 8, "every rope is taut");
}

/// A pendulum on a bar swings down and keeps its length all the way.
#[test]
fn a_bar_keeps_its_length() {
    let text = r#"
        dimension = 2
        [[bodies]]
        group = "pendulum"
        positions = [[0, 0]]
        radius = 0.1
        motion = "fixed"
        [[bodies]]
        group = "pendulum"
        positions = [[0.3, 1.9]]
        radius = 0.2
        [[joints]]
        kind = "bar"
        group = "pendulum"
        between = "chain""#;
    let run = verified(&scene("pendulum", text));
    let length = 0.3_f64.hypot(1.9);
    for frame in &run.frames {
        let now = frame.state.positions[1].length();
        assert!(now <= length * (1.0 + 1e-12) && now >= length * (1.0 - 1.01e-4), "{now}");
    }
    assert!(run.last().state.positions[1].distance(DVec3::Y * -length) < 1e-6);
}

/// One step of the paper's program for a ball that touches a fixed one: sideways
/// motion looks free to a distance seen along a few directions.
#[test]
fn the_papers_form_alone_raises_the_true_energy() {
    let text = touching_pair("paper");
    let (model, state) = build(&scene("touching", &text)).unwrap();
    let force = &model.forces[0];
    let strand = strands(force, &state).next().unwrap();
    assert_eq!((strand.a, strand.b), (0, Some(1)));
    let pieces = paper::pieces(&force.law, 1.0, &paper::directions(6, 3), &strand, 2.0).unwrap();
    // Ball 0 is fixed: ball 1 sees the strand from its other end.
    let pieces = pieces.into_iter().map(|(slope, height)| (-slope, height)).collect();
    let cube = MotionBox { axes: DMat3::IDENTITY, low: -DVec3::ONE, high: DVec3::ONE };
    let normal = -strand.vector.normalize();
    let program = Program {
        width: 3,
        cost: vec![-model.bodies[1].mass * model.gravity],
        proximal: vec![1e-6],
        ceilings: vec![Ceiling { a: 0, b: FIXED, pieces }],
        half_spaces: vec![HalfSpace { a: 0, b: FIXED, normal, gap: 0.0 }],
        boxes: vec![cube],
        ..Default::default()
    };
    let accuracy = Accuracy { relative: 0.0, absolute: 1e-9, max_iterations: 60 };
    let step = solve(&program, accuracy, &[]);
    assert!(step.converged && program.objective(&step.motion) < -0.1, "it looks like a gain");
    let fall = energy::decrease(&model, &state, &[DVec3::ZERO, step.motion[0]]);
    assert!(fall < -0.1, "the true energy rises by {}", -fall);
}

fn touching_pair(form: &str) -> String {
    format!(
        r#"
        [[bodies]]
        group = "two"
        positions = [[0, 0, 0]]
        radius = 0.5
        motion = "fixed"
        [[bodies]]
        group = "two"
        positions = [[0.6, 0, 0.8]]
        radius = 0.5
        mass = 1
        [[forces]]
        law = "attraction"
        group = "two"
        between = "all"
        strength = 5
        form = "{form}""#
    )
}

#[test]
fn guarded_it_does_not_and_ends_where_the_bound_does() {
    for form in ["paper", "bound"] {
        let run = verified(&scene(form, &touching_pair(form)));
        for (before, after) in run.steps() {
            assert!(after.energy <= before.energy + 1e-14, "{form}");
        }
        let ball = run.last().state.positions[1];
        assert!(ball.distance(DVec3::Z * -1.0) < 1e-5, "{form}: it hangs below, at {ball}");
        assert_near(run.ending.contacts[0].pressure(), 4.0, 1e-5);
    }
}

/// Springs in chords settle where springs do.
#[test]
fn springs_in_pieces() {
    let text = |form: &str| {
        format!(
            "[[bodies]]
            group = \"row\"
            grid = {{ count = [5, 1, 1], first = [0, 0, 0], spacing = 1.5 }}
            radius = 0.3
            fixed = [0, 4]
            [[forces]]
            law = \"spring\"
            group = \"row\"
            between = \"neighbours\"
            strength = 1
            form = \"{form}\"
            "
        )
    };
    let [paper, bound] = ["paper", "bound"].map(|form| verified(&scene(form, &text(form))));
    for (a, b) in paper.last().state.positions.iter().zip(&bound.last().state.positions) {
        assert!(a.distance(*b) < 1e-5, "{a} {b}");
    }
}

/// The centre, the mean square distance from it, and the moments of inertia.
fn radius_of_gyration(positions: &[DVec3]) -> f64 {
    let centre = positions.iter().sum::<DVec3>() / positions.len() as f64;
    let squares: f64 = positions.iter().map(|p| p.distance_squared(centre)).sum();
    (squares / positions.len() as f64).sqrt()
}

fn group(run: &Run, name: &str) -> Vec<usize> {
    let number = run.model.groups.iter().position(|group| group == name).unwrap() as u32;
    (0..run.model.bodies.len()).filter(|&i| run.model.bodies[i].group == number).collect()
}

#[test]
fn the_trampoline_sags() {
    let run = verified(&gallery::scene("trampoline").unwrap());
    let net = group(&run, "net");
    assert_eq!(net.iter().filter(|&&i| !run.model.bodies[i].is_free()).count(), 116);
    let lowest = net.iter().map(|&i| run.last().state.positions[i].z).fold(0.0, f64::min);
    assert!(lowest < -run.model.bodies[net[0]].radius, "{lowest}");
    assert_eq!(run.model.forces[0].law, Law::Attraction { strength: 3.0 });
    let free = |pair: &&[u32; 2]| pair.iter().any(|&i| run.model.bodies[i as usize].is_free());
    assert_eq!(run.model.forces[0].pairs.iter().filter(free).count(), 1624, "as in the paper");
}

#[test]
fn the_pearl_sinks_and_the_shampoo_closes_behind_it() {
    let run = verified(&gallery::scene("shampoo").unwrap());
    let (first, last) = (&run.frames[0].state.positions, &run.last().state.positions);
    let pearl = group(&run, "pearl")[0];
    let radius = run.model.bodies[pearl].radius;
    assert_near(last[pearl].z, radius, 1e-6);
    let above = |i: &usize| first[*i].z > last[pearl].z + radius;
    let beads: Vec<usize> = group(&run, "shampoo").into_iter().filter(above).collect();
    let moved: f64 = beads.iter().map(|&i| first[i].distance(last[i])).sum();
    assert!(beads.len() > 500 && moved / beads.len() as f64 <= 0.1 * 0.5, "{moved}");
}

#[test]
fn the_lava_rises_as_one_blob() {
    let run = verified(&gallery::scene("lava-lamp").unwrap());
    let lava = group(&run, "lava");
    let of = |positions: &[DVec3]| lava.iter().map(|&i| positions[i]).collect::<Vec<_>>();
    let (first, last) = (of(&run.frames[0].state.positions), of(&run.last().state.positions));
    let top = last.iter().map(|p| p.z).fold(0.0, f64::max);
    assert!(top > 25.0, "{top}");
    assert!(radius_of_gyration(&last) <= 1.2 * radius_of_gyration(&first));
}

#[test]
fn the_clump_is_round() {
    let run = verified(&gallery::scene("clump").unwrap());
    let positions = &run.last().state.positions;
    let centre = positions.iter().sum::<DVec3>() / positions.len() as f64;
    let mut inertia = vec![vec![0.0; 3]; 3];
    for p in positions.iter().map(|p| *p - centre) {
        for (j, row) in inertia.iter_mut().enumerate() {
            for (k, value) in row.iter_mut().enumerate() {
                *value += if j == k { p.length_squared() } else { 0.0 } - p[j] * p[k];
            }
        }
    }
    let (values, _) = riprap::solver::eigen::symmetric(&inertia);
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    assert!(least / most >= 0.8, "{}", least / most);
}

#[test]
fn the_curtain_and_the_necklace_hang() {
    let curtain = verified(&gallery::scene("springs").unwrap());
    let lowest = curtain.last().state.positions.iter().map(|p| p.z).fold(0.0, f64::min);
    assert!(lowest < -12.0, "it hangs lower than it started: {lowest}");
    let necklace = run_to_rest(&gallery::scene("necklace").unwrap());
    let beads = group(&necklace, "beads");
    let on_pegs = necklace.ending.contacts.iter().filter(|c| match c.with {
        With::Body(other) => other >= 60 || c.body >= 60,
        _ => false,
    });
    assert!(beads.len() == 60 && on_pegs.count() >= 4, "the beads lie on both pegs");
}
