//! What the artist shows, asked by rays.

use super::*;
use riprap::math::DQuat;
use riprap::shape::{Boundary, Mesh as Surface, Shape};
use riprap::world::{Fabric, JointKind, Method, Motion, Pattern, Weight};

fn tiny() -> Options {
    Options { width: 24, height: 16, samples: 1, ..Options::default() }
}

fn empty(dimension: usize) -> (Model, State) {
    (Model::new(dimension, DVec3::NEG_Z), State::default())
}

fn balls(scale: f64, shift: f64) -> (Model, State) {
    let (mut model, mut state) = empty(3);
    for x in [0.0, 2.5, 6.0] {
        let at = DVec3::splat(shift) + DVec3::X * (x * scale);
        model.add_particle(&mut state, at, 1.0, scale);
    }
    (model, state)
}

fn add(model: &mut Model, state: &mut State, shape: Shape, at: DVec3, turn: DQuat) -> usize {
    model.add(state, shape, at, turn, Weight::Density(1.0)).unwrap();
    model.bodies.len() - 1
}

fn artist<'a>(model: &'a Model, shown: &[&State]) -> Artist<'a> {
    let painter = Painter::new(model, shown[0], None).unwrap();
    Artist::new(model, painter, View::of(model), shown, &tiny())
}

fn scene<'a>(artist: &'a Artist, state: &State) -> Scene<'a> {
    let mut all = Loose::default();
    artist.add_model(state, &[], &mut all);
    artist.scene(all)
}

/// Whether the picture shows a thing, not the floor or the backdrop, at (0, 0) to (1, 1).
fn is_thing(artist: &Artist, scene: &Scene, x: f32, y: f32) -> bool {
    scene.nearest(&artist.stage.camera.ray(x, y)).is_some_and(|(_, floor)| !floor)
}

/// What is seen of a point of the run: whether the camera's ray towards it ends there.
fn is_seen(artist: &Artist, scene: &Scene, point: DVec3) -> bool {
    let target = artist.stage.placement.point(point);
    let grid = 400;
    let cells = (0..grid * grid).map(|k| [k % grid, k / grid]);
    let rays = cells.map(|cell| {
        let [x, y] = cell.map(|c| (c as f32 + 0.5) / grid as f32);
        artist.stage.camera.ray(x, y)
    });
    let off = |ray: &crate::primitives::Ray| (target - ray.origin).cross(ray.direction).length();
    let ray = rays.min_by(|a, b| off(a).total_cmp(&off(b))).unwrap();
    off(&ray) < 0.02
        && scene.nearest(&ray).is_some_and(|(s, floor)| !floor && s.point.distance(target) < 0.05)
}

#[test]
fn pictures_do_not_depend_on_the_unit_of_length_or_the_origin() {
    let picture = |scale: f64, shift: f64| {
        let (model, state) = balls(scale, shift);
        draw(&model, &state, &tiny()).unwrap()
    };
    let usual = picture(1.0, 0.0);
    // Powers of two, so that not even a rounding differs.
    assert_eq!(usual, picture(1.0 / 1024.0, 0.0));
    assert_eq!(usual, picture(1024.0, 4096.0));
}

#[test]
fn bodies_without_a_container_fill_the_picture() {
    for dimension in [2, 3] {
        let (mut model, mut state) = empty(dimension);
        for x in [0.0, 4.0] {
            model.add_particle(&mut state, DVec3::X * x, 1.0, 1.0);
        }
        let artist = artist(&model, &[&state]);
        let scene = scene(&artist, &state);
        let seen = |x: f32| is_thing(&artist, &scene, x, 0.5);
        assert!(seen(0.3) && seen(0.7) && !seen(0.01) && !seen(0.99));
    }
}

#[test]
fn nothing_at_all_is_drawn_as_an_empty_studio() {
    for dimension in [2, 3] {
        let (model, state) = empty(dimension);
        assert!(draw(&model, &state, &tiny()).is_ok());
    }
}

#[test]
fn a_rotated_body_is_another_picture() {
    let square = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    for method in [Method::default(), Method::Collapse(Default::default())] {
        for dimension in [2, 3] {
            let shape = match dimension {
                2 => Shape::polygon(&square, &[]).unwrap(),
                _ => Shape::cuboid(DVec3::new(2.0, 1.0, 0.5)).unwrap(),
            };
            let picture = |angle: f64| {
                let (mut model, mut state) = empty(dimension);
                model.method = method.clone();
                let turn = DQuat::from_rotation_z(angle);
                add(&mut model, &mut state, shape.clone(), DVec3::ZERO, turn);
                draw(&model, &state, &tiny()).unwrap()
            };
            assert_eq!(picture(0.3), picture(0.3));
            assert_ne!(picture(0.0), picture(0.3), "{dimension}D, {method:?}");
        }
    }
}

#[test]
fn cloth_is_in_the_frame() {
    let (mut model, mut state) = empty(3);
    model.add_particle(&mut state, DVec3::Z, 1.0, 0.2);
    model.add_cloth(&mut state, &Pattern::grid([8.0, 8.0], [9, 9]), &Fabric::default());
    let artist = artist(&model, &[&state]);
    let scene = scene(&artist, &state);
    for x in [-3.9, 3.9] {
        for y in [-3.9, 3.9] {
            assert!(is_seen(&artist, &scene, DVec3::new(x, y, 0.0)), "({x}, {y})");
        }
    }
    assert!(is_seen(&artist, &scene, DVec3::new(0.0, 0.0, 1.2)), "the ball above it");
    // From below, it is the same cloth.
    let up = crate::primitives::Ray::new(Vec3::new(0.3, 0.2, -5.0), Vec3::Z);
    let (surface, _) = scene.nearest(&up).unwrap();
    assert!(surface.normal.z < -0.9);
}

/// A car's wheel on a road, with a bump across it: the floor is the road, not the bump.
#[test]
fn wheels_stand_on_the_floor_and_not_in_it() {
    let (mut model, mut state) = empty(3);
    model.method = Method::Dynamics(Default::default());
    let across = DQuat::from_rotation_x(0.5 * std::f64::consts::PI);
    let road = Shape::cuboid(DVec3::new(60.0, 10.0, 2.0)).unwrap();
    let bump = Shape::capsule(0.12, 4.0).unwrap();
    let supports = [
        add(&mut model, &mut state, road, DVec3::NEG_Z, DQuat::IDENTITY),
        add(&mut model, &mut state, bump, DVec3::new(4.0, 0.0, -0.04), across),
    ];
    supports.into_iter().for_each(|k| model.bodies[k].motion = Motion::Fixed);
    for x in [-0.7, 0.7] {
        let wheel = Shape::cylinder(0.3, 0.2).unwrap();
        add(&mut model, &mut state, wheel, DVec3::new(x, -0.65, 0.3), across);
    }
    let mut later = state.clone();
    later.positions[2..].iter_mut().for_each(|p| p.x += 10.0);
    let artist = artist(&model, &[&state, &later]);
    let scene = scene(&artist, &state);
    assert_eq!(artist.ground, Ground { height: Some(0.0), bodies: vec![0] });
    let point = |p: DVec3| artist.stage.placement.point(p);
    // Level rays just above the road meet the wheel, those below it meet nothing.
    let hit = |z: f64| {
        let from = point(DVec3::new(-0.7, -3.0, z));
        scene.nearest(&crate::primitives::Ray::new(from, Vec3::Y))
    };
    let scale = artist.stage.placement.scale as f32;
    let wheel = hit(0.004).expect("the wheel reaches down to the road").0;
    assert!((wheel.distance - 2.25 * scale).abs() < 1e-3, "its near face");
    let down = crate::primitives::Ray::new(point(DVec3::new(-0.7, -2.0, 5.0)), Vec3::NEG_Z);
    let (floor, is_floor) = scene.nearest(&down).unwrap();
    assert!(is_floor && (floor.point.z - point(DVec3::ZERO).z).abs() < 1e-6);
    // The bump stands out of the road.
    let over = crate::primitives::Ray::new(point(DVec3::new(4.0, 0.0, 5.0)), Vec3::NEG_Z);
    assert!(scene.nearest(&over).is_some_and(|(_, floor)| !floor));
    // The camera sees both ends of the way.
    assert!(is_seen(&artist, &scene, DVec3::new(-0.7, -0.75, 0.3)));
}

#[test]
fn containers_are_glass_and_ropes_are_rods_for_every_method() {
    let methods = [
        Method::default(),
        Method::Collapse(Default::default()),
        Method::Dynamics(Default::default()),
    ];
    for method in methods {
        let (mut model, mut state) = balls(1.0, 0.0);
        model.method = method;
        let bare = draw(&model, &state, &tiny()).unwrap();
        let around = Surface::cuboid(DVec3::splat(-1.0), DVec3::new(7.0, 1.0, 1.0));
        model.boundary = Boundary::from_mesh(&around);
        assert_ne!(bare, draw(&model, &state, &tiny()).unwrap());
        state.positions[1].z = 9.0;
        let rope = JointKind::Distance { least: 0.0, most: 6.0 };
        let ends = [state.positions[0], state.positions[2]];
        model.join(&state, rope, [Some(0), Some(2)], ends, [DVec3::X; 2]);
        let artist = artist(&model, &[&state]);
        let scene = scene(&artist, &state);
        assert!(is_seen(&artist, &scene, DVec3::new(3.0, 0.0, 0.0)), "the rope");
    }
}
