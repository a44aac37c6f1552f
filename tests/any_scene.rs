//! The promises hold for scenes that nobody chose: random containers, sizes,
//! masses, directions of gravity and options.

use crate::common::{Run, energy, run, scene};
use riprap::math::{ENERGY_ROUNDING, Random};
use riprap::trajectory::Outcome;

/// The text of a random scene.
fn any_scene(seed: u64) -> String {
    let random = &mut Random::new(seed);
    let choose = |random: &mut Random, from: &[&'static str]| {
        from[(random.next_u64() % from.len() as u64) as usize]
    };
    let container = choose(random, &CONTAINERS);
    let flat = container.contains("polygon") || container.contains("max = [6, 6] ");
    let mut number = |low: f64, high: f64| random.between(low, high);
    let gravity = match flat {
        true => format!("[{}, {}]", number(-2.0, 2.0), number(-5.0, -1.0)),
        false => format!("[{}, {}, {}]", number(-2.0, 2.0), number(-2.0, 2.0), number(-5.0, -1.0)),
    };
    let (small, large) = (number(0.08, 0.3), number(0.3, 0.7));
    let (reach_radii, early_stop) = (number(0.3, 1.5), number(0.01, 0.4));
    let count = 1 + random.next_u64() % 24;
    let reach = choose(random, &["rotated-cube", "axis-box", "growing-box"]);
    let conservative = choose(random, &["0", "0", "0.001", "0.01"]);
    let density = choose(random, &["density = 1", "mass = 1e-3", "density = 8000"]);
    format!(
        "seed = {seed}\ndimension = {}\ngravity = {gravity}\n{container}\n\
         [[bodies]]\nrandom = {{ count = {count} }}\n\
         radius = {{ uniform = [{small}, {large}] }}\n{density}\n\
         [settle]\nreach = \"{reach}\"\nreach_radii = {reach_radii}\n\
         early_stop = {early_stop}\nconservative = {conservative}\n",
        if flat { 2 } else { 3 }
    )
}

const CONTAINERS: [&str; 6] = [
    "container = { shape = \"box\", min = [0, 0, 0], max = [4.1, 3.7, 6] }",
    "container = { shape = \"cylinder\", radius = 2.2, bottom = -3, top = 4, sides = 11 }",
    "container = { shape = \"profile\", sides = 6, \
     corners = [[0, 2.5], [2, 2.5], [3, 0.9], [4, 2.5], [7, 2.5]] }",
    "container = { shape = \"profile\", sides = 5, corners = [[0, 0], [4, 3], [8, 0]] }",
    "container = { shape = \"box\", min = [0, 0], max = [6, 6] }",
    "container = { shape = \"polygon\", \
     corners = [[0, 0], [3, 2], [4, 0], [7, 0], [5, 3], [9, 6], [6, 8], [5, 6], [1, 7]] }",
];

/// Overlap of bodies and of bodies with the wall, at the worst of all frames.
fn deepest(run: &Run) -> f64 {
    let bodies = &run.model.bodies;
    let mut deepest = 0.0_f64;
    for frame in &run.frames {
        for (i, p) in frame.state.positions.iter().enumerate() {
            let distance = run.model.boundary.nearest(*p).unwrap().distance;
            let inside = if run.model.boundary.contains(*p) { distance } else { -distance };
            deepest = deepest.max(1.0 - inside / bodies[i].radius);
            for (j, q) in frame.state.positions[..i].iter().enumerate() {
                let (r, s) = (bodies[i].radius, bodies[j].radius);
                deepest = deepest.max((r + s - p.distance(*q)) / r.min(s));
            }
        }
    }
    deepest
}

fn check(seed: u64) {
    let text = any_scene(seed);
    let run = run(&scene("any", &text));
    assert_eq!(run.ending.outcome, Outcome::Rest, "seed {seed}\n{text}");
    let certificate = run.ending.certificate.as_ref().unwrap();
    assert!(certificate.residual <= 1e-6, "seed {seed}: {:e}", certificate.residual);
    assert_eq!(certificate.unstable_modes, 0, "seed {seed}\n{text}");
    assert!(deepest(&run) <= 1e-12, "seed {seed}: overlap {:e}", deepest(&run));
    let energies: Vec<f64> =
        run.frames.iter().map(|frame| energy(&run.model, &frame.state.positions)).collect();
    let range = energies[0] - energies[energies.len() - 1];
    for pair in energies.windows(2) {
        assert!(pair[1] - pair[0] <= ENERGY_ROUNDING * range, "seed {seed}: the energy rises");
    }
}

#[test]
fn comes_to_a_proved_rest() {
    (0..24).for_each(check);
}
