//! From a scene to a world, for every method.

mod cloth;
mod forces;
mod joints;
mod layout;
mod mass_points;
mod phases;

pub(crate) use layout::LayoutWorld;
pub use phases::{build_phase, check_phase};

use std::path::Path as FilePath;

use super::{
    Body, CompactOptions, Method, Model, Motion, Path, Pattern, Phase, SeparateOptions, State,
    checks,
};
use crate::math::{DMat3, DQuat, DVec3};
use crate::problem::{Problem, Result};
use crate::scene::{
    Bodies, Container, Keyframe, LayoutPlan, Made, MethodName, Scene, Span, generate,
};
use crate::shape::{Boundary, Mesh, check_polygon};

/// Generates the bodies, builds the boundary, joins, and checks that nothing
/// starts where it cannot.
///
/// ```
/// let scene = riprap::scene::gallery::scene("box-3")?;
/// let (model, state) = riprap::world::build(&scene)?;
/// assert_eq!(model.bodies.len(), 27);
/// assert!(state.positions.iter().all(|p| p.z >= 0.5));
/// let (model, _) = riprap::world::build(&riprap::scene::gallery::scene("mobile")?)?;
/// assert_eq!(model.joints.len(), 127);
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn build(scene: &Scene) -> Result<(Model, State)> {
    if let Some(start) = scene.start.as_ref().filter(|start| start.run.is_some()) {
        let problem = Problem::new("the scene starts from a run, which is not read here")
            .help("`trajectory::start` reads it");
        return Err(at(scene, &start.span, problem));
    }
    build_from(scene, &|_, state| Ok(state.clone()))
}

/// As [`build`], from another state than the one that is written, which `from` gives.
pub fn build_from(
    scene: &Scene,
    from: &dyn Fn(&Model, &State) -> Result<State>,
) -> Result<(Model, State)> {
    if let (MethodName::Compact, Some(plan)) = (scene.method, &scene.layout) {
        return build_layout(scene, plan);
    }
    let mut model = Model {
        name: scene.name.clone(),
        dimension: scene.dimension,
        seed: scene.seed,
        gravity: scene.gravity,
        boundary: boundary(scene)?,
        wall: scene.wall,
        method: method(scene, 0),
        phase: first_phase(scene),
        ..Default::default()
    };
    let made = generate(scene, &model.boundary)?;
    let counts: Vec<usize> = made.iter().map(|entry| entry.bodies.len()).collect();
    let mut builder =
        Builder { scene, state: State::default(), counts, cloths: Vec::new(), model: &mut model };
    for (entry, made) in scene.bodies.iter().zip(made) {
        let first = builder.model.bodies.len();
        builder.add(entry, made);
        let Model { bodies, shapes, method, .. } = &mut *builder.model;
        for body in &mut bodies[first..] {
            mass_points::put(scene, method, &shapes[body.shape as usize], body)
                .map_err(|problem| at(scene, &entry.span, problem))?;
        }
    }
    forces::add(&mut builder)?;
    for entry in &scene.strengths {
        forces::add_strength(&mut builder, entry)?;
    }
    for joint in &scene.joints {
        joints::add(&mut builder, joint).map_err(|problem| at(scene, &joint.span, problem))?;
    }
    for entry in &scene.cloth {
        cloth::add(&mut builder, entry).map_err(|problem| at(scene, &entry.span, problem))?;
    }
    for tie in &scene.attachments {
        cloth::attach(&mut builder, tie).map_err(|problem| at(scene, &tie.span, problem))?;
    }
    let Builder { state, counts, .. } = builder;
    let state = model.entered(from(&model, &state)?);
    checks::Start { scene, model: &model, state: &state, counts: &counts }.check()?;
    for number in 1..model.phase.of {
        let model = build_phase(scene, &model, number, 0.0)?;
        checks::Start { scene, model: &model, state: &state, counts: &counts }.check_phase()?;
    }
    Ok((model, state))
}

fn build_layout(scene: &Scene, plan: &LayoutPlan) -> Result<(Model, State)> {
    let layout = plan.layout(scene)?;
    let (clearance, direction, corner) = (plan.clearance, plan.direction, plan.corner);
    let world = LayoutWorld::new(&layout, CompactOptions { clearance, direction, corner }, 0.0)?;
    let state = world.state(&layout);
    Ok((Model { seed: scene.seed, ..world.model }, state))
}

fn first_phase(scene: &Scene) -> Phase {
    let until = scene.phases.first().and_then(|phase| phase.until);
    Phase { of: scene.phases.len().max(1), until, ..Phase::default() }
}

/// The method of a phase, or of a scene without any.
fn method(scene: &Scene, phase: usize) -> Method {
    let of = |phase: usize| scene.phases.get(phase).map(|entry| entry.method);
    match of(phase).unwrap_or(scene.method) {
        MethodName::Settle => Method::Settle(scene.settle.clone()),
        MethodName::Collapse => Method::Collapse(scene.collapse),
        MethodName::Dynamics => Method::Dynamics(scene.dynamics),
        MethodName::Compact => Method::Compact(CompactOptions::default()),
        MethodName::Separate => {
            let to_settle = of(phase + 1) == Some(MethodName::Settle);
            Method::Separate(SeparateOptions { to_settle })
        }
    }
}

/// Points at the entry that is to blame, unless the problem has a place of its own.
fn at(scene: &Scene, span: &Span, problem: Problem) -> Problem {
    if problem.place.is_some() {
        return problem;
    }
    Problem { help: problem.help, ..scene.problem(span, problem.message) }
}

/// A world in the making.
struct Builder<'a> {
    scene: &'a Scene,
    model: &'a mut Model,
    state: State,
    /// How many bodies each entry of the scene's list made.
    counts: Vec<usize>,
    /// Names and patterns of the cloth, in the order of the model.
    cloths: Vec<(String, Pattern)>,
}

impl Builder<'_> {
    fn add(&mut self, entry: &Bodies, made: Made) {
        let first = self.model.bodies.len();
        let group = self.model.group(&entry.group);
        let shapes = self.model.shapes.len() as u32;
        for start in &made.bodies {
            let shape = &made.shapes[start.shape as usize];
            let inertia: DMat3 = shape.mass.inertia * (start.mass / shape.mass.volume);
            self.state.push(start.centre, start.rotation);
            if start.motion != Motion::Fixed {
                let last = self.state.positions.len() - 1;
                let [velocity, spin] = start.moving.unwrap_or([entry.velocity, entry.spin]);
                self.state.velocities[last] = velocity;
                self.state.spins[last] = spin;
            }
            self.model.bodies.push(Body {
                inertia,
                group,
                motion: start.motion,
                material: entry.material,
                push: entry.push,
                colour: entry.colour,
                turns: entry.rotate && start.motion == Motion::Free && shape.is_ball().is_none(),
                ..Body::new(shapes + start.shape, start.mass, start.radius)
            });
        }
        if !entry.path.is_empty() {
            self.drive(first, entry, &made);
        }
        self.model.shapes.extend(made.shapes);
        for joint in made.joints {
            let number = |end: usize| (first + end) as u32;
            let bodies = joint.bodies.map(|end| end.map(number));
            joints::join(self, joint.kind, bodies, [joint.at; 2], [DVec3::Z; 2]);
        }
    }

    /// The path of the origin of a shape is one of its centre of mass.
    fn drive(&mut self, first: usize, entry: &Bodies, made: &Made) {
        let Some(start) = made.bodies.first() else { return };
        let origin = made.shapes[start.shape as usize].origin;
        let turn = |key: &Keyframe| key.rotation.unwrap_or(start.rotation);
        let rotations: Vec<DQuat> = entry.path.iter().map(turn).collect();
        let centre = |(key, turn): (&Keyframe, &DQuat)| key.position - *turn * origin;
        self.model.paths.push(Path {
            times: entry.path.iter().map(|key| key.time).collect(),
            positions: entry.path.iter().zip(&rotations).map(centre).collect(),
            rotations,
        });
        self.model.bodies[first].path = Some(self.model.paths.len() as u32 - 1);
        let (position, rotation) = self.model.paths[self.model.paths.len() - 1].at(0.0);
        self.state.positions[first] = position;
        self.state.rotations[first] = rotation;
    }

    /// The bodies of a group, in their order; cloth is no body here.
    fn members(&self, group: &str) -> Vec<u32> {
        let Some(group) = self.model.groups.iter().position(|name| name == group) else {
            return Vec::new();
        };
        let bodies = self.model.bodies[..self.model.rigid_count()].iter().enumerate();
        bodies.filter(|(_, body)| body.group as usize == group).map(|(i, _)| i as u32).collect()
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

fn mesh(scene: &Scene, file: &FilePath, scale: f64) -> Result<Mesh> {
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
