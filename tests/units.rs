//! Units are the writer's choice: a scene in millimetres and grams settles like
//! the same scene in metres and kilograms.

use crate::common::{Run, run_to_rest, scene};

/// Spheres in a box; every length times `length`, every mass times `mass`.
fn heap(length: f64, mass: f64) -> Run {
    let (size, first, spacing) = (4.3 * length, 0.6 * length, 1.2 * length);
    let text = format!(
        "seed = 4\ncontainer = {{ shape = \"box\", min = [0, 0, 0], max = [{size}, {size}, {size}] }}\n\
         [[bodies]]\nradius = {}\nmass = {mass:e}\n\
         grid = {{ count = [3, 3, 3], first = [{first}, {first}, {first}], spacing = {spacing}, jitter = {} }}",
        0.5 * length,
        0.07 * length
    );
    run_to_rest(&scene("heap", &text))
}

#[test]
fn lengths_and_masses_of_any_size() {
    let metres = heap(1.0, 1.0);
    for (length, mass) in [(1e-3, 1e-9), (1e3, 1e9), (1.0, 1e3), (1e-3, 1.0)] {
        let other = heap(length, mass);
        let residual = other.ending.certificate.as_ref().unwrap().residual;
        assert!(residual < 1e-7, "{length:e}, {mass:e}: {residual:e}");
        assert_eq!(other.ending.contacts.len(), metres.ending.contacts.len());
        for (p, q) in metres.last().state.positions.iter().zip(&other.last().state.positions) {
            assert!(p.distance(*q / length) < 1e-5, "{length:e}, {mass:e}: {p} and {q}");
        }
    }
}
