//! From a scene to a world.

use std::path::Path;

use super::{Body, LayoutWorld, Model, Moving, State, build_assembly, build_tower, checks, forces};
use crate::math::Random;
use crate::problem::{Problem, Result};
use crate::scene::{Bodies, Container, Method, Scene, Shape, Turned, generate};
use crate::shape::{Boundary, Mesh, Solid, check_polygon};

/// Turns of bodies draw from streams of their own, from this number on.
const TURNS: u64 = 1 << 32;

/// Generates the bodies, builds the boundary, and checks that nothing overlaps or sticks out.
///
/// ```
/// let scene = riprap::scene::gallery::scene("box-3")?;
/// let (model, state) = riprap::world::build(&scene)?;
/// assert_eq!(model.bodies.len(), 27);
/// assert!(state.positions.iter().all(|p| p.z >= 0.5));
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn build(scene: &Scene) -> Result<(Model, State)> {
    if scene.method == Method::Dynamics {
        let (model, poses) = build_assembly(scene)?;
        return Ok((model, State { positions: poses.positions }));
    }
    if scene.method == Method::Collapse {
        let (model, poses) = build_tower(scene)?;
        return Ok((model, State { positions: poses.positions }));
    }
    if let (Method::Compact, Some(plan)) = (scene.method, &scene.layout) {
        let layout = plan.layout(scene)?;
        let moving = Moving::of(&layout, plan.direction, plan.corner);
        let world = LayoutWorld::new(&layout, moving, 0.0)?;
        let state = world.state(&layout);
        return Ok((Model { seed: scene.seed, ..world.model }, state));
    }
    let boundary = boundary(scene)?;
    let solid = |entry: &Bodies| entry.shape.as_ref().map(|shape| shape.solid(scene)).transpose();
    let solids = scene.bodies.iter().map(solid).collect::<Result<Vec<_>>>()?;
    let entries = generate(scene, &boundary, &solids)?;
    let mut groups: Vec<String> = Vec::new();
    let (mut bodies, mut positions, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
    for (index, (entry, spheres)) in scene.bodies.iter().zip(&entries).enumerate() {
        let known = groups.iter().position(|name| *name == entry.group);
        let group = known.unwrap_or_else(|| {
            groups.push(entry.group.clone());
            groups.len() - 1
        }) as u32;
        let first = bodies.len();
        bodies.extend(spheres.iter().map(|s| Body::new(s.radius, s.mass, group)));
        if let (Some(shape), Some(solid)) = (&entry.shape, &solids[index]) {
            let mut random = Random::stream(scene.seed, TURNS + index as u64);
            add_shapes(shape, solid, &mut bodies[first..], &mut shapes, &mut random);
        }
        positions.extend(spheres.iter().map(|s| s.position));
    }
    let mut model = Model {
        name: scene.name.clone(),
        dimension: scene.dimension,
        bodies,
        shapes,
        groups,
        boundary,
        gravity: scene.gravity,
        settle: scene.settle.clone(),
        seed: scene.seed,
        ..Default::default()
    };
    let state = State { positions };
    let counts: Vec<usize> = entries.iter().map(Vec::len).collect();
    forces::add(scene, &counts, &mut model, &state)?;
    checks::Start { scene, model: &model, state: &state, counts: &counts }.check()?;
    Ok((model, state))
}

/// One shape for all bodies of an entry, or one for each if they are turned.
fn add_shapes(
    shape: &Shape,
    solid: &Solid,
    bodies: &mut [Body],
    shapes: &mut Vec<Solid>,
    random: &mut Random,
) {
    let shared = shapes.len() as u32;
    if shape.turned == Turned::No && !bodies.is_empty() {
        shapes.push(solid.clone());
    }
    for body in bodies {
        body.shape = Some(shared);
        if let Some(turn) = shape.turn(random) {
            body.shape = Some(shapes.len() as u32);
            shapes.push(solid.turned(turn));
        }
    }
}

/// The container's surface.
fn boundary(scene: &Scene) -> Result<Boundary> {
    let Some(container) = &scene.container else { return Ok(Boundary::default()) };
    let mesh = match container {
        Container::Box { min, max } if scene.dimension == 2 => {
            let corners = [[min.x, min.y], [max.x, min.y], [max.x, max.y], [min.x, max.y]];
            return Ok(Boundary::from_polygon(&corners));
        }
        Container::Polygon { corners } => return polygon(scene, corners),
        Container::Box { min, max } => Mesh::cuboid(*min, *max),
        Container::Cylinder { radius, bottom, top, sides } => {
            Mesh::profile(&[[*bottom, *radius], [*top, *radius]], *sides)
        }
        Container::Profile { corners, sides } => Mesh::profile(corners, *sides),
        Container::Mesh { file, scale } => mesh(scene, file, *scale)?,
    };
    Ok(Boundary::from_mesh(&mesh))
}

/// Written either way round; a boundary wants it counter-clockwise.
fn polygon(scene: &Scene, corners: &[[f64; 2]]) -> Result<Boundary> {
    let reversed: Vec<[f64; 2]> = corners.iter().rev().copied().collect();
    let outline = if signed_area(corners) < 0.0 { &reversed } else { corners };
    check_polygon(outline).map_err(|problem| at_container(scene, problem))?;
    Ok(Boundary::from_polygon(outline))
}

/// Twice the area of a polygon, negative if it runs clockwise.
fn signed_area(corners: &[[f64; 2]]) -> f64 {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum()
}

fn mesh(scene: &Scene, file: &Path, scale: f64) -> Result<Mesh> {
    let read = scene.source.files.read(file);
    let (path, bytes) = read.map_err(|problem| at_container(scene, problem))?;
    let mesh = Mesh::from_bytes(&path, &bytes)?.scaled(scale);
    mesh.check_closed().map_err(|problem| problem.in_file(&path))?;
    Ok(mesh)
}

/// Points at the scene's container.
fn at_container(scene: &Scene, problem: Problem) -> Problem {
    let pointed = scene.problem(&scene.container_span, problem.message);
    Problem { help: problem.help, ..pointed }
}
