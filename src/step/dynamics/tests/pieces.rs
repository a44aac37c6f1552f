//! Bodies of many pieces: polygons with dents, meshes cut into convex pieces, and
//! meshes known by their faces only.

use super::*;
use crate::shape::{Mesh, Partition};

/// A U of the plane on its feet, or on its back with a disc in it.
#[test]
fn a_dented_polygon_holds_a_disc() {
    let outline = [
        [0.0, 0.0],
        [3.0, 0.0],
        [3.0, 2.0],
        [2.0, 2.0],
        [2.0, 1.0],
        [1.0, 1.0],
        [1.0, 2.0],
        [0.0, 2.0],
    ];
    let shape = Shape::polygon(&outline, &[]).unwrap();
    assert!(shape.pieces.len() > 2);
    let mut trial = super::flat::trial(9.81);
    let floor = trial.add(super::flat::rectangle(50.0, 1.0), DVec3::Y * -0.5);
    trial.body(floor).motion = Motion::Fixed;
    let cup = trial.add(shape, DVec3::ZERO);
    let disc = trial.add(Shape::disc(0.4), DVec3::new(1.5, 1.6, 0.0));
    let start = trial.state.positions[cup];
    trial.run(200, |_| ());
    assert!((trial.state.positions[cup] - start).length() < 1e-3);
    let at = trial.state.positions[disc];
    assert!((at - DVec3::new(1.5, 1.4, 0.0)).length() < 1e-3, "{at}");
}

/// A bowl turned from a profile, as pieces and, with many more sides, as faces.
#[test]
fn a_bowl_holds_a_ball() {
    let profile = [[0.0, 1.1], [1.0, 1.1], [1.0, 0.9], [0.3, 0.0]];
    for sides in [8, 600] {
        let mesh = Mesh::profile(&profile, sides);
        let shape = Shape::from_mesh(&mesh).unwrap();
        assert_eq!(shape.partition == Partition::Surface, sides > 100, "{:?}", shape.partition);
        for mode in [Mode::Default, Mode::Paper] {
            let mut trial = Trial::new(9.81);
            trial.options.mode = mode;
            let bowl = trial.add(shape.clone(), DVec3::ZERO);
            trial.body(bowl).motion = Motion::Fixed;
            // In a cone of slope 7/9, a ball rests where it touches all around.
            let slope = 0.7_f64.atan2(0.9 * (std::f64::consts::PI / sides as f64).cos());
            let rest = 0.3 + 0.25 / slope.cos();
            let ball = trial.ball(0.25, DVec3::new(0.0, 0.0, rest + 0.05));
            trial.run(150, |_| ());
            let at = trial.state.positions[ball];
            assert!(at.x.hypot(at.y) < 0.02 && (at.z - rest).abs() < 0.02, "{sides} {mode:?} {at}");
        }
    }
}

/// A free body that is known by its faces lands on a floor and stays on top of it.
#[test]
fn a_mesh_of_faces_lands_on_a_floor() {
    let neck = Mesh::profile(&[[0.0, 0.5], [0.5, 0.25], [1.0, 0.5]], 300);
    let shape = Shape::from_mesh(&neck).unwrap();
    assert_eq!(shape.partition, Partition::Surface);
    let mut trial = Trial::new(9.81);
    trial.floor();
    let body = trial.add(shape, DVec3::Z * 0.05);
    trial.run(60, |_| ());
    let at = trial.state.positions[body];
    assert!((at.z - 0.5).abs() < 5e-3, "{at}");
}

/// The frame of a body is its author's, whatever its principal axes are.
#[test]
fn rotations_are_those_of_the_author() {
    let askew = DQuat::from_scaled_axis(DVec3::new(0.3, -0.5, 0.9));
    let plain = Shape::cuboid(DVec3::new(0.2, 0.5, 1.1)).unwrap();
    let spin = DVec3::new(2.0, -1.0, 3.0);
    let run = |shape: Shape, turn: DQuat| {
        let mut trial = Trial::new(9.81);
        trial.floor();
        let body = trial.add_turned(shape, DVec3::Z, turn, Weight::Density(1.0));
        trial.state.spins[body] = spin;
        trial.run(40, |_| ());
        (trial.state.positions[body], trial.state.rotations[body])
    };
    let (at, turn) = run(plain.clone(), askew);
    let (again, turned) = run(plain.turned(askew), DQuat::IDENTITY);
    assert!((at - again).length() < 1e-6, "{at} {again}");
    assert!((turned * askew).angle_between(turn) < 1e-5);
}

#[test]
fn rounded_boxes_rest_on_their_rounding() {
    for mode in [Mode::Default, Mode::Paper] {
        let mut trial = Trial::new(9.81);
        trial.options.mode = mode;
        trial.floor();
        let shape = Shape::cuboid(DVec3::splat(0.4)).unwrap().rounded(0.05);
        let one = trial.add(shape.clone(), DVec3::Z * 0.26);
        let two = trial.add(shape, DVec3::new(0.05, 0.0, 0.78));
        trial.run(150, |_| ());
        for (body, z) in [(one, 0.25), (two, 0.75)] {
            let at = trial.state.positions[body];
            assert!((at.z - z).abs() < 5e-3, "{mode:?} {at}");
        }
    }
}
