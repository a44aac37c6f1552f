//! What threads and air gave in the mode `paper`, edited so that every particle still gets what it got:
//! only the directions give it away.

use riprap::math::DVec3;
use riprap::world::Model;

use super::assert_noticed;
use super::draft::Draft;
use super::planted::Fault;
use super::runs::scene;

/// A flag that is held at one side and hangs down, and a balloon that is blown up a little as it falls.
const SOFT: &str = r#"
    name = "soft"
    method = "dynamics"
    gravity = [0, 0, -9.81]
    [[bodies]]
    group = "ground"
    shape = { kind = "box", size = [9, 9, 1] }
    position = [0, 0, -0.5]
    motion = "fixed"
    [[cloth]]
    group = "flag"
    grid = { size = [0.8, 0.8], count = [5, 5] }
    position = [3, 0, 2]
    thickness = 0.05
    damping = 1
    compliance = { stretch = 1e-5, shear = 1e-3, bend = 1e-2 }
    [[cloth]]
    group = "balloon"
    ball = { radius = 0.4, level = 1 }
    position = [0, 0, 0.46]
    thickness = 0.05
    damping = 1
    compliance = { stretch = 1e-5, bend = 1e-2 }
    pressure = { factor = 1.02 }
    [[attachments]]
    cloth = "flag"
    to = "world"
    at = { min = [2, -1, 1], max = [2.61, 1, 3] }
    [dynamics]
    mode = "paper"
    position_iterations = 60
    time_step = 0.004
    steps = 25
"#;

/// A step in which all of it acts.
const AT: usize = 20;

/// Lets two particles give each other an impulse, by the thread between them: on the first.
fn exchange(d: &mut Draft, [one, two]: [u32; 2], impulse: DVec3) {
    let mut threads = d.model.cloths.iter().flat_map(|cloth| &cloth.threads);
    let number = threads.position(|t| t.ends == [one, two] || t.ends == [two, one]).unwrap();
    let thread = d.model.cloths.iter().flat_map(|cloth| &cloth.threads).nth(number).unwrap();
    let sign = if thread.ends[0] == one { 1.0 } else { -1.0 };
    d.frames[AT].trace.pulls[number] += sign * impulse;
}

/// The largest of some impulses.
fn largest(impulses: &mut [DVec3]) -> &mut DVec3 {
    impulses.iter_mut().max_by(|a, b| a.length().total_cmp(&b.length())).unwrap()
}

/// The weight of a particle for the time of a step.
fn weight(d: &Draft, particle: u32) -> f64 {
    d.model.bodies[particle as usize].mass * 9.81 * 0.004
}

/// Of the balloon: two particles with a thread between them.
fn neighbours(model: &Model) -> [u32; 2] {
    model.cloths[1].threads[0].ends
}

const PULLED: &[Fault] = &[
    ("a thread pulls harder", &["momentum"], |d| {
        *largest(&mut d.frames[AT].trace.pulls) *= 1.001;
    }),
    ("a thread pulls aside", &["momentum"], |d| {
        let pull = largest(&mut d.frames[AT].trace.pulls);
        *pull += 0.001 * pull.length() * pull.any_orthonormal_vector();
    }),
    ("three threads pull aside, round a triangle", &["threads"], |d| {
        let first = d.model.cloths[0].first;
        let [a, b, c] = [first + 6, first + 7, first + 12];
        let aside = DVec3::Z * weight(d, a);
        for ends in [[a, b], [b, c], [c, a]] {
            exchange(d, ends, aside);
        }
    }),
    ("a thread that resists folding pulls", &["threads"], |d| {
        use riprap::world::ThreadKind::Bend;
        let threads: Vec<_> = d.model.cloths.iter().flat_map(|cloth| &cloth.threads).collect();
        let bends: Vec<usize> = (0..threads.len()).filter(|&k| threads[k].kind == Bend).collect();
        let [a, b] = threads[bends[0]].ends.map(|end| end as usize);
        let places = &d.frames[AT].state.positions;
        let pull = (places[b] - places[a]).normalize() * weight(d, a as u32);
        d.frames[AT].trace.pulls[bends[0]] = pull;
    }),
    ("the air pushes harder somewhere", &["momentum"], |d| {
        *largest(&mut d.frames[AT].trace.airs) *= 1.001;
    }),
    ("the air pushes where a thread did", &["threads"], |d| {
        let [a, b] = neighbours(&d.model);
        let first = d.model.rigid_count();
        let places = &d.frames[AT].state.positions;
        let along = (places[b as usize] - places[a as usize]).normalize();
        let impulse = along * largest(&mut d.frames[AT].trace.airs).length();
        exchange(d, [a, b], -impulse);
        d.frames[AT].trace.airs[a as usize - first] += impulse;
        d.frames[AT].trace.airs[b as usize - first] -= impulse;
    }),
    ("there is air in a flag", &["threads"], |d| {
        let first = d.model.rigid_count();
        let cloth = &d.model.cloths[0];
        let [a, b] = cloth.threads[0].ends;
        let impulse = DVec3::X * 0.1 * weight(d, a);
        exchange(d, [a, b], -impulse);
        d.frames[AT].trace.airs[a as usize - first] += impulse;
        d.frames[AT].trace.airs[b as usize - first] -= impulse;
    }),
    ("a thread is told too much", &["threads"], |d| {
        d.frames[AT].trace.pulls.push(DVec3::ZERO);
    }),
    ("strays make up for a thread that pulls harder", &["momentum"], |d| {
        let first = d.model.rigid_count();
        let thread = &d.model.cloths[0].threads[0];
        let [a, b] = thread.ends.map(|end| end as usize - first);
        let trace = &mut d.frames[AT].trace;
        let more = 1e-3 * trace.pulls[0];
        trace.pulls[0] += more;
        trace.strays = vec![DVec3::ZERO; trace.airs.len()];
        (trace.strays[a], trace.strays[b]) = (-more, more);
    }),
    ("threads are told as numbers, too", &["momentum"], |d| {
        let count = d.frames[AT].trace.pulls.len();
        d.frames[AT].trace.tensions = vec![0.0; count];
    }),
];

#[test]
fn threads_and_air_that_act_otherwise_than_they_can_are_noticed() {
    assert_noticed(&Draft::of(&scene(SOFT)), PULLED);
}
