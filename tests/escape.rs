//! A tower of spheres standing exactly on each other is in balance, and no
//! rest: it is recognised, left without ever gaining height, and ends on the floor.

use crate::common::{energy, run_to_rest, scene};
use riprap::scene::gallery;
use riprap::trajectory::StepKind;

#[test]
fn the_tower_comes_down() {
    let run = run_to_rest(&gallery::scene("stack").unwrap());
    let escapes = run.frames.iter().filter(|frame| frame.kind == StepKind::Escape).count();
    assert!(escapes > 0, "recognised as unstable");
    for (before, after) in run.steps() {
        let heights = [before, after].map(|frame| energy(&run.model, &frame.state.positions));
        assert!(heights[1] <= heights[0], "step {} ({:?})", after.step, after.kind);
    }
    for p in &run.last().state.positions {
        assert!((p.z - 0.5).abs() < 1e-8, "one stays up at {p}");
    }
    let certificate = run.ending.certificate.as_ref().unwrap();
    assert_eq!((certificate.unstable_modes, certificate.neutral_modes), (0, 10));
}

/// A circle balanced on a tooth, a sphere on the edge of a step.
#[test]
fn points_and_edges_are_left_too() {
    let tooth = r#"
        dimension = 2
        [container]
        shape = "polygon"
        corners = [[0, 0], [4, 0], [5, 1], [6, 0], [10, 0], [10, 5], [0, 5]]
        [[bodies]]
        positions = [[5, 2]]
        radius = 1
    "#;
    let run = run_to_rest(&scene("tooth", tooth));
    assert!(run.frames.iter().any(|frame| frame.kind == StepKind::Escape));
    assert!((run.last().state.positions[0].y - 1.0).abs() < 1e-8);
}

/// What is stable is left alone, though a first-order method could not tell.
#[test]
fn a_ball_on_the_floor_is_not_escaped_from() {
    let ball = r#"
        container = { shape = "box", min = [0, 0, 0], max = [4, 4, 4] }
        [[bodies]]
        positions = [[2, 2, 0.5]]
        radius = 0.5
    "#;
    let run = run_to_rest(&scene("ball", ball));
    assert_eq!(run.frames.len(), 1, "nothing to do");
    assert_eq!(run.ending.certificate.unwrap().neutral_modes, 2);
}
