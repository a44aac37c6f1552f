//! No overlap, ever: not at any frame, and not on the straight way from one
//! frame to the next. Measured here by trying every pair.

use crate::common::{Run, run_to_rest, small_scenes};
use riprap::math::DVec3;

/// Room for rounding; the promise is 1e-9.
const LIMIT: f64 = 1e-12;

/// The least distance of the origin from the segment between two points.
fn least_length(from: DVec3, to: DVec3) -> f64 {
    let way = to - from;
    let t = (-from.dot(way) / way.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    (from + t * way).length()
}

/// The deepest overlap of two bodies while all of them go straight from `a` to `b`.
fn deepest_pair(run: &Run, a: &[DVec3], b: &[DVec3]) -> f64 {
    let bodies = &run.model.bodies;
    let depth = |i: usize, j: usize| {
        let (r, s) = (bodies[i].radius, bodies[j].radius);
        (r + s - least_length(a[i] - a[j], b[i] - b[j])) / r.min(s)
    };
    let pairs = (0..bodies.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.map(|(i, j)| depth(i, j)).fold(f64::NEG_INFINITY, f64::max)
}

/// How deep the deepest body is in the wall.
fn deepest_in_wall(run: &Run, positions: &[DVec3]) -> f64 {
    let depth = |(i, p): (usize, &DVec3)| {
        let distance = run.model.boundary.nearest(*p).expect("there are walls").distance;
        let inside = if run.model.boundary.contains(*p) { distance } else { -distance };
        1.0 - inside / run.model.bodies[i].radius
    };
    positions.iter().enumerate().map(depth).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn at_no_frame_and_between_no_two() {
    for scene in small_scenes() {
        let run = run_to_rest(&scene);
        for (before, after) in run.steps() {
            let (a, b) = (&before.state.positions, &after.state.positions);
            let depth = deepest_pair(&run, a, b);
            assert!(depth <= LIMIT, "{}: bodies by {depth:e} in step {}", scene.name, after.step);
            for part in [0.0, 0.2, 0.4, 0.6, 0.8, 1.0] {
                let between: Vec<DVec3> = a.iter().zip(b).map(|(p, q)| p.lerp(*q, part)).collect();
                let depth = deepest_in_wall(&run, &between);
                assert!(depth <= LIMIT, "{}: wall by {depth:e} in step {}", scene.name, after.step);
            }
        }
    }
}
