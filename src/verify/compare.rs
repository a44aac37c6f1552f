//! Two models and states, number by number: what a run says it started from, and
//! what its scene gives.

use serde::Serialize;
use serde_json::Value;

use crate::math::{DMat3, DQuat, DVec3};
use crate::scene::Material;
use crate::shape::Shape;
use crate::world::{Anchor, Body, Force, Method, Model, Path, State};

/// Numbers agree up to this relative difference: sines and logarithms may
/// differ in the last digit from one kind of machine to another.
const SAME: f64 = 1e-12;

/// The first difference between what the run says and what the scene gives, in words.
pub(super) fn difference(run: (&Model, &State), scene: (&Model, &State)) -> Option<String> {
    let (model, again) = (run.0, scene.0);
    different_options(model, again)
        .or_else(|| different_bodies(model, again))
        .or_else(|| different_start(again, run.1, scene.1))
        .or_else(|| different_shapes(model, again))
        .or_else(|| different_forces(model, again))
        .or_else(|| different_holds(model, again))
        .or_else(|| different_container(model, again))
}

fn differs(what: &str, run: &dyn std::fmt::Debug, scene: &dyn std::fmt::Debug) -> Option<String> {
    Some(format!("{what}: {run:?} in the run, {scene:?} by its scene"))
}

fn different_options(model: &Model, again: &Model) -> Option<String> {
    if model.dimension != again.dimension {
        return differs("the dimension", &model.dimension, &again.dimension);
    }
    if model.name != again.name {
        return differs("the name", &model.name, &again.name);
    }
    if model.method != again.method {
        return differs("the method", &model.method, &again.method);
    }
    if model.phase != again.phase {
        return differs("the phase", &model.phase, &again.phase);
    }
    if !same_vector(model.gravity, again.gravity, largest(again.gravity)) {
        return differs("gravity", &model.gravity, &again.gravity);
    }
    if !same_material(&model.wall, &again.wall) {
        return differs("the wall", &model.wall, &again.wall);
    }
    None
}

fn different_bodies(model: &Model, again: &Model) -> Option<String> {
    let (bodies, expected) = (&model.bodies, &again.bodies);
    if bodies.len() != expected.len() {
        return differs("the number of bodies", &bodies.len(), &expected.len());
    }
    let group = |model: &Model, body: &Body| model.groups.get(body.group as usize).cloned();
    let wrong = bodies.iter().zip(expected).position(|(body, other)| {
        group(model, body) != group(again, other) || !same_body(body, other)
    })?;
    differs(&format!("body {wrong}"), &bodies[wrong], &expected[wrong])
}

fn same_body(body: &Body, other: &Body) -> bool {
    let turns = other.mass * other.radius * other.radius;
    body.shape == other.shape
        && same(body.mass, other.mass)
        && same_matrix(body.inertia, other.inertia, turns)
        && same(body.radius, other.radius)
        && body.motion == other.motion
        && same_material(&body.material, &other.material)
        && same_vector(body.push, other.push, largest(other.push))
        && body.path == other.path
        && body.turns == other.turns
}

fn same_material(a: &Material, b: &Material) -> bool {
    same(a.friction, b.friction) && same(a.restitution, b.restitution) && same(a.rolling, b.rolling)
}

fn different_start(model: &Model, run: &State, scene: &State) -> Option<String> {
    let fastest = |list: &[DVec3]| list.iter().map(|v| largest(*v)).fold(0.0, f64::max);
    let (speed, spin) = (fastest(&scene.velocities), fastest(&scene.spins));
    for (i, body) in model.bodies.iter().enumerate() {
        let (here, there) = (run.positions[i], scene.positions[i]);
        if !same_vector(here, there, largest(there).max(body.radius)) {
            return differs(&format!("the start of body {i}"), &here, &there);
        }
        if !same_turn(run.rotations[i], scene.rotations[i]) {
            let turns = [run.rotations[i], scene.rotations[i]];
            return differs(&format!("the turn of body {i}"), &turns[0], &turns[1]);
        }
        let moves = same_vector(run.velocities[i], scene.velocities[i], speed)
            && same_vector(run.spins[i], scene.spins[i], spin);
        if !moves {
            let motions = [run, scene].map(|state| (state.velocities[i], state.spins[i]));
            return differs(&format!("the motion of body {i}"), &motions[0], &motions[1]);
        }
    }
    None
}

fn different_shapes(model: &Model, again: &Model) -> Option<String> {
    if model.shapes.len() != again.shapes.len() {
        return differs("the number of shapes", &model.shapes.len(), &again.shapes.len());
    }
    let wrong = model.shapes.iter().zip(&again.shapes).position(|(a, b)| !same_shape(a, b))?;
    let body = model.bodies.iter().position(|body| body.shape as usize == wrong).unwrap_or(0);
    Some(format!("the shape of body {body} is another one in the scene"))
}

fn same_shape(a: &Shape, b: &Shape) -> bool {
    if a == b {
        return true;
    }
    let size = b.radius();
    let turns = b.mass.volume * size * size;
    same(a.mass.volume, b.mass.volume)
        && same_matrix(a.mass.inertia, b.mass.inertia, turns)
        && same_vector(a.mass.centre, b.mass.centre, size)
        && same_vector(a.origin, b.origin, size)
        && a.flat == b.flat
        && same_tree(
            &(&a.pieces, &a.surface, a.partition),
            &(&b.pieces, &b.surface, b.partition),
            size,
        )
}

fn different_forces(model: &Model, again: &Model) -> Option<String> {
    if model.forces.len() != again.forces.len() {
        return differs("the number of forces", &model.forces.len(), &again.forces.len());
    }
    let close = |a: &Anchor, b: &Anchor| {
        let size = largest(b.point).max(b.softening);
        a.body == b.body && same_vector(a.point, b.point, size) && same(a.softening, b.softening)
    };
    let same = |a: &Force, b: &Force| {
        (a.law, a.form, &a.pairs, a.anchors.len()) == (b.law, b.form, &b.pairs, b.anchors.len())
            && a.anchors.iter().zip(&b.anchors).all(|(a, b)| close(a, b))
    };
    let wrong = model.forces.iter().zip(&again.forces).position(|(a, b)| !same(a, b))?;
    Some(format!("force {wrong} is another one in the scene"))
}

/// Joints, cloth, ties and paths.
fn different_holds(model: &Model, again: &Model) -> Option<String> {
    let counts = |model: &Model| {
        [model.joints.len(), model.cloths.len(), model.attachments.len(), model.paths.len()]
    };
    if counts(model) != counts(again) {
        let what = "the numbers of joints, cloths, attachments and paths";
        return differs(what, &counts(model), &counts(again));
    }
    let size = again.bodies.iter().map(|body| body.radius).fold(f64::INFINITY, f64::min);
    if let Some(wrong) = unlike(&model.joints, &again.joints, |a, b| same_tree(a, b, size)) {
        return differs(&format!("joint {wrong}"), &model.joints[wrong], &again.joints[wrong]);
    }
    if let Some(wrong) = unlike(&model.cloths, &again.cloths, |a, b| same_tree(a, b, size)) {
        return Some(format!("cloth {wrong} is another one in the scene"));
    }
    let ties = [&model.attachments, &again.attachments];
    if let Some(wrong) = unlike(ties[0], ties[1], |a, b| same_tree(a, b, size)) {
        return differs(&format!("attachment {wrong}"), &ties[0][wrong], &ties[1][wrong]);
    }
    let wrong = unlike(&model.paths, &again.paths, same_path)?;
    Some(format!("path {wrong} is another one in the scene"))
}

fn unlike<T>(a: &[T], b: &[T], same: impl Fn(&T, &T) -> bool) -> Option<usize> {
    a.iter().zip(b).position(|(a, b)| !same(a, b))
}

fn same_path(a: &Path, b: &Path) -> bool {
    let size = b.positions.iter().map(|p| largest(*p)).fold(0.0, f64::max);
    a.times.len() == b.times.len()
        && a.times.iter().zip(&b.times).all(|(a, b)| same(*a, *b))
        && a.positions.iter().zip(&b.positions).all(|(a, b)| same_vector(*a, *b, size))
        && a.rotations.iter().zip(&b.rotations).all(|(a, b)| same_turn(*a, *b))
}

fn different_container(model: &Model, again: &Model) -> Option<String> {
    let (faces, expected) = (model.boundary.faces(), again.boundary.faces());
    if faces.len() != expected.len() {
        return differs("the number of faces", &faces.len(), &expected.len());
    }
    let corners = expected.iter().flat_map(|face| &face.corners);
    let size = corners.map(|corner| largest(*corner)).fold(0.0, f64::max);
    let grows = grows(&again.method);
    let fits = |a: &DVec3, b: &DVec3| {
        (0..3).all(|k| (a[k] - b[k]).abs() <= SAME * size || (a[k] - b[k]) * grows[k] > 0.0)
    };
    for (index, (face, other)) in faces.iter().zip(expected).enumerate() {
        let mut pairs = face.corners.iter().zip(&other.corners);
        if face.corners.len() != other.corners.len() || !pairs.all(|(a, b)| fits(a, b)) {
            let what = format!("face {index} of the container");
            return differs(&what, &face.corners, &other.corners);
        }
    }
    None
}

/// Where a strip may have been made longer, for its wall to move.
fn grows(method: &Method) -> DVec3 {
    match method {
        Method::Compact(options) if options.corner => DVec3::new(1.0, 1.0, 0.0),
        Method::Compact(options) => DVec3::new(options.direction[0], options.direction[1], 0.0),
        _ => DVec3::ZERO,
    }
}

/// Whether two things that can be written as text are the same: numbers up to rounding, which in
/// a list is relative to its largest number, or to `size`.
fn same_tree(a: &impl Serialize, b: &impl Serialize, size: f64) -> bool {
    match (serde_json::to_value(a), serde_json::to_value(b)) {
        (Ok(a), Ok(b)) => same_value(&a, &b, None, size),
        _ => false,
    }
}

/// `scale` is that of the list which the value is in.
fn same_value(a: &Value, b: &Value, scale: Option<f64>, size: f64) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= SAME * scale.unwrap_or(a.abs().max(b.abs())),
            _ => a == b,
        },
        (Value::Array(a), Value::Array(b)) => {
            let scale = scale.unwrap_or_else(|| b.iter().map(largest_number).fold(size, f64::max));
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(a, b, Some(scale), size))
        }
        (Value::Object(a), Value::Object(b)) => {
            let same =
                |key: &str, a: &Value| b.get(key).is_some_and(|b| same_value(a, b, None, size));
            a.len() == b.len() && a.iter().all(|(key, a)| same(key, a))
        }
        _ => a == b,
    }
}

/// Of a number, or of a list of numbers and of such lists.
fn largest_number(value: &Value) -> f64 {
    match value {
        Value::Number(number) => number.as_f64().unwrap_or(0.0).abs(),
        Value::Array(list) => list.iter().map(largest_number).fold(0.0, f64::max),
        _ => 0.0,
    }
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * a.abs().max(b.abs())
}

fn same_vector(a: DVec3, b: DVec3, size: f64) -> bool {
    largest(a - b) <= SAME * size
}

fn same_turn(a: DQuat, b: DQuat) -> bool {
    a.to_array().into_iter().zip(b.to_array()).all(|(a, b)| (a - b).abs() <= SAME)
}

fn same_matrix(a: DMat3, b: DMat3, size: f64) -> bool {
    a.abs_diff_eq(b, SAME * size)
}

fn largest(vector: DVec3) -> f64 {
    vector.abs().max_element()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{DynamicsOptions, Law, Motion, gallery};
    use crate::world::{JointKind, build};

    /// What is said of a scene of the gallery after its model or start was changed.
    fn told(name: &str, change: impl Fn(&mut Model, &mut State)) -> String {
        let (model, state) = build(&gallery::scene(name).unwrap()).unwrap();
        let (mut run, mut start) = (model.clone(), state.clone());
        change(&mut run, &mut start);
        difference((&run, &start), (&model, &state)).unwrap_or_default()
    }

    #[test]
    fn every_part_of_a_model_counts() {
        for name in ["box-3", "card-house", "car", "trampoline", "compaction", "springs"] {
            assert_eq!(told(name, |_, _| ()), "", "{name}");
        }
        let starts = |name: &str, change: fn(&mut Model, &mut State), with: &str| {
            let told = told(name, change);
            assert!(told.starts_with(with), "{told}");
        };
        starts("box-3", |m, _| m.bodies[1].mass *= 1.0 + 1e-9, "body 1: ");
        starts("box-3", |m, _| m.bodies[1].inertia *= 1.0 + 1e-9, "body 1: ");
        starts("box-3", |m, _| m.bodies[1].material.rolling += 1e-9, "body 1: ");
        starts("box-3", |m, _| m.bodies[1].motion = Motion::Fixed, "body 1: ");
        starts("box-3", |m, _| m.wall.friction += 1e-9, "the wall: ");
        starts(
            "box-3",
            |m, _| m.method = Method::Dynamics(DynamicsOptions::default()),
            "the method",
        );
        starts("box-3", |_, s| s.positions[2].x += 1e-9, "the start of body 2: ");
        starts("box-3", |_, s| s.spins[2].x += 1e-9, "the motion of body 2: ");
        starts("box-3", |_, s| s.rotations[2] = DQuat::from_rotation_x(1e-9), "the turn of body 2");
        starts("box-3", |m, _| m.shapes[0] = m.shapes[0].scaled(1.0 + 1e-9), "the shape of body 0");
        starts("car", |m, _| m.joints[0].points[0].x += 1e-9, "joint 0: ");
        starts("car", |m, _| m.joints[0].kind = JointKind::Ball, "joint 0: ");
        starts("car", |m, _| m.joints.truncate(1), "the numbers of joints");
        starts("springs", |m, _| m.forces[0].law = Law::Attraction { strength: 1.0 }, "force 0 is");
    }

    #[test]
    fn the_last_digit_does_not_count_and_more_does() {
        let off = |x: f64| serde_json::json!({"at": [x, 0.0, 1e-9], "half": 0.5, "name": "box"});
        assert!(same_tree(&off(1.0), &off(1.0 + 1e-15), 0.1));
        assert!(!same_tree(&off(1.0), &off(1.0 + 1e-10), 0.1));
        let zero = |x: f64| serde_json::json!([[x, 0.0], [0.0, 0.0]]);
        assert!(same_tree(&zero(1e-17), &zero(0.0), 0.1), "of the size of a body");
        assert!(!same_tree(&zero(1e-17), &zero(0.0), 0.0));
        let other = serde_json::json!({"at": [1.0, 0.0, 1e-9], "half": 0.5});
        assert!(!same_tree(&off(1.0), &other, 0.1));
    }
}
