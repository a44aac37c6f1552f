//! From a scene of rigid bodies to an assembly.

use super::{
    Assembly, Body, BondKind, Model, Motion, Motor, Pattern, Poses, Weight, build_cloth, structures,
};
use crate::math::{DQuat, DVec3, Random};
use crate::problem::{Problem, Result};
use crate::scene::{JointEntry, JointKind, Material, Place, RigidBodies, RigidPlace, Scene};

/// The name of the world in joints.
const WORLD: &str = "world";

/// Makes the bodies, structures and joints of a scene ready to move.
///
/// ```
/// let scene = riprap::scene::gallery::scene("mobile")?;
/// let (model, poses) = riprap::world::build_assembly(&scene)?;
/// assert_eq!(model.assembly.joints.len(), 127);
/// assert_eq!(model.assembly.parts.len(), poses.positions.len());
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn build_assembly(scene: &Scene) -> Result<(Model, Poses)> {
    let assembly = Assembly { gravity: scene.gravity, ..Default::default() };
    let (groups, cloths) = (Vec::new(), Vec::new());
    let mut builder = Builder { assembly, poses: Poses::default(), groups, cloths };
    for (entry, bodies) in scene.rigid.iter().enumerate() {
        let first = builder.assembly.parts.len();
        builder
            .add_bodies(bodies, entry as u64, scene.seed)
            .map_err(|p| at(scene, &bodies.span, p))?;
        builder.name(&bodies.group, first);
    }
    for structure in &scene.structures {
        let first = builder.assembly.parts.len();
        structures::add(&mut builder, structure).map_err(|p| at(scene, &structure.span, p))?;
        builder.spin(first, structure.spin);
        builder.name(&structure.group, first);
    }
    for cloth in &scene.cloth {
        let first = builder.assembly.parts.len();
        build_cloth::add(&mut builder, scene, cloth).map_err(|p| at(scene, &cloth.span, p))?;
        builder.name(&cloth.group, first);
    }
    for tie in &scene.attachments {
        build_cloth::attach(&mut builder, tie).map_err(|p| at(scene, &tie.span, p))?;
    }
    for joint in &scene.joints {
        builder.add_joint(joint).map_err(|p| at(scene, &joint.span, p))?;
    }
    let Builder { assembly, poses, groups, .. } = builder;
    if assembly.free().next().is_none() {
        return Err(Problem::new("no body of the scene can move").in_file(&scene.source.file));
    }
    let mut model = Model {
        name: scene.name.clone(),
        dimension: 3,
        gravity: scene.gravity,
        dynamics: scene.dynamics,
        seed: scene.seed,
        ..Default::default()
    };
    for (i, part) in assembly.parts.iter().enumerate() {
        let name = groups.iter().find(|(_, range)| range.contains(&i)).map(|(name, _)| name);
        let name = name.cloned().unwrap_or_default();
        let known = model.groups.iter().position(|group| *group == name);
        let group = known.unwrap_or_else(|| {
            model.groups.push(name);
            model.groups.len() - 1
        });
        let fixed = part.motion == Motion::Fixed;
        model.bodies.push(Body { fixed, ..Body::new(part.radius, part.mass, group as u32) });
    }
    model.assembly = assembly;
    Ok((model, poses))
}

/// Points at the entry that is to blame.
fn at(scene: &Scene, span: &crate::scene::Span, problem: Problem) -> Problem {
    let help = problem.help.clone();
    Problem { help, ..scene.problem(span, problem.message) }
}

/// An assembly in the making.
pub(super) struct Builder {
    pub assembly: Assembly,
    pub poses: Poses,
    /// Names, each with the parts that have it.
    groups: Vec<(String, std::ops::Range<usize>)>,
    /// Names and patterns of the cloth, in the order of the assembly.
    pub cloths: Vec<(String, Pattern)>,
}

impl Builder {
    fn name(&mut self, group: &str, first: usize) {
        self.groups.push((group.into(), first..self.assembly.parts.len()));
    }

    /// Lets all free bodies from `first` on turn.
    fn spin(&mut self, first: usize, spin: DVec3) {
        for i in (first..self.assembly.parts.len()).filter(|&i| self.assembly.parts[i].is_free()) {
            self.poses.spins[i] = spin;
        }
    }

    fn add_bodies(&mut self, bodies: &RigidBodies, stream: u64, seed: u64) -> Result<()> {
        for (turn, place) in places(&bodies.place, stream, seed) {
            let shape = &bodies.shapes[turn % bodies.shapes.len()];
            let pieces: Vec<_> =
                shape.iter().map(|piece| piece.clone().moved(place, bodies.turn)).collect();
            let number = self.add(pieces, &bodies.material)?;
            let part = &mut self.assembly.parts[number];
            part.motion = bodies.motion;
            if bodies.motion != Motion::Fixed {
                self.poses.velocities[number] = bodies.velocity;
                self.poses.spins[number] = bodies.spin;
            }
        }
        Ok(())
    }

    /// Adds one body of a material; its number.
    pub fn add(&mut self, pieces: Vec<crate::shape::Piece>, material: &Material) -> Result<usize> {
        let weight = match material.mass {
            Some(mass) => Weight::Mass(mass),
            None => Weight::Density(material.density),
        };
        let part = self.assembly.add(&mut self.poses, pieces, weight)?;
        part.friction = material.friction;
        part.restitution = material.restitution;
        part.rolling = material.rolling;
        Ok(self.assembly.parts.len() - 1)
    }

    fn add_joint(&mut self, joint: &JointEntry) -> Result<()> {
        let [one, two] = &joint.bodies;
        let mut parts = [self.find(one)?, self.find(two)?];
        if parts[0] == parts[1] {
            return Err(Problem::new(format!("the joint joins `{one}` to itself"))
                .help("name two different bodies, or one and `world`"));
        }
        let (mut points, mut axes) = ([joint.at, joint.to], joint.axes);
        // The world is always second.
        if parts[0].is_none() {
            parts.swap(0, 1);
            points.swap(0, 1);
            axes.swap(0, 1);
        }
        let free =
            |part: &Option<u32>| part.is_some_and(|p| self.assembly.parts[p as usize].is_free());
        if !parts.iter().any(free) {
            let what = if joint.motor.is_some() { "the motor drives" } else { "the joint joins" };
            return Err(Problem::new(format!(
                "{what} `{one}` and `{two}`, neither of which can move"
            ))
            .help("at least one of them is a body that forces move"));
        }
        let kind = match joint.kind {
            JointKind::Ball => BondKind::Ball,
            JointKind::Line => BondKind::Line,
            JointKind::Plane => BondKind::Plane,
            JointKind::Hinge => BondKind::Hinge,
            JointKind::Slider => BondKind::Slider,
            JointKind::Universal => BondKind::Universal,
            JointKind::Fixed => BondKind::Fixed,
            JointKind::Distance => BondKind::Distance((points[0] - points[1]).length()),
        };
        if joint.kind == JointKind::Distance && points[0] == points[1] {
            return Err(Problem::new("the two points of the distance are the same")
                .help("`at` is a point of the first body, `to` one of the second"));
        }
        let bond = self.assembly.join(&self.poses, kind, parts, points, axes);
        bond.limits = joint.limits;
        bond.motor = joint.motor.map(|(speed, most)| Motor { speed, most });
        Ok(())
    }

    /// The part of a name; none for the world.
    pub fn find(&self, name: &str) -> Result<Option<u32>> {
        if name == WORLD {
            return Ok(None);
        }
        let all = || self.groups.iter().filter(|(_, range)| !range.is_empty());
        let (group, index) = match name.rsplit_once('.') {
            Some((group, number)) => (group, number.parse::<usize>().ok()),
            None => (name, Some(0)),
        };
        let same: Vec<usize> = all().filter(|g| g.0 == group).flat_map(|g| g.1.clone()).collect();
        if same.len() > 1 && group == name {
            let message = format!("there are {} bodies named `{name}`", same.len());
            return Err(Problem::new(message).help(format!("`{name}.0` is the first of them")));
        }
        match index.and_then(|index| same.get(index)) {
            Some(&part) => Ok(Some(part as u32)),
            None => {
                let names: Vec<&str> = all().map(|g| g.0.as_str()).collect();
                Err(Problem::new(format!("there is no body named `{name}`"))
                    .help(format!("there are {} and {WORLD}", names.join(", "))))
            }
        }
    }
}

/// Centres, each with a number that says which shape is whose turn.
fn places(place: &RigidPlace, stream: u64, seed: u64) -> Vec<(usize, DVec3)> {
    match place {
        RigidPlace::List(points) => points.iter().copied().enumerate().collect(),
        RigidPlace::Ring { count, radius, centre } => {
            let on = |k: usize| {
                let angle = std::f64::consts::TAU * k as f64 / *count as f64;
                *centre + DQuat::from_rotation_z(angle) * DVec3::X * *radius
            };
            (0..*count).map(|k| (k, on(k))).collect()
        }
        RigidPlace::Grid(Place::Grid { count: [nx, ny, nz], first, spacing, jitter }) => {
            let mut random = Random::stream(seed, stream);
            let mut all = Vec::new();
            for k in 0..*nz {
                for j in 0..*ny {
                    for i in 0..*nx {
                        let mut shake = || random.between(-jitter, *jitter);
                        let moved = DVec3::new(shake(), shake(), shake());
                        let at = DVec3::new(i as f64, j as f64, k as f64) * *spacing;
                        all.push((i + j + k, *first + at + moved));
                    }
                }
            }
            all
        }
        RigidPlace::Grid(_) => Vec::new(),
    }
}
