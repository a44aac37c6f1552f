//! What nothing pushes does not move [M96 3.2.3].

use crate::common::{run_to_rest, scene};
use riprap::math::DVec3;
use riprap::scene::gallery;

/// A sphere lies on the floor while a heap settles far away.
#[test]
fn a_lone_sphere_keeps_every_bit() {
    let run = run_to_rest(&gallery::scene("lone-sphere").unwrap());
    for frame in &run.frames {
        assert_eq!(frame.state.positions[64], DVec3::new(36.0, 3.0, 0.5), "at step {}", frame.step);
    }
}

/// A sphere that only falls goes straight down, whatever others do.
#[test]
fn a_free_fall_is_straight() {
    let drop = r#"
        container = { shape = "box", min = [0, 0, 0], max = [20, 6, 8] }
        [[bodies]]
        grid = { count = [3, 3, 3], first = [0.6, 0.6, 0.6], spacing = 1.2, jitter = 0.08 }
        radius = 0.5
        [[bodies]]
        group = "drop"
        positions = [[15.1, 2.3, 6.7]]
        radius = 0.5
    "#;
    let run = run_to_rest(&scene("drop", drop));
    for frame in &run.frames {
        let off = frame.state.positions[27] - DVec3::new(15.1, 2.3, frame.state.positions[27].z);
        assert!(off.length() <= 1e-9, "at step {}, by {:e}", frame.step, off.length());
    }
    assert!((run.last().state.positions[27].z - 0.5).abs() < 1e-8);
}
