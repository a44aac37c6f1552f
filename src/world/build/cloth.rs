//! From the cloth of a scene to particles, threads and attachments.

use super::{Builder, joints};
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use crate::scene::{
    AttachmentEntry, BodyName, ClothEntry, ClothForm, ClothWeight, Mode, Region, Scene,
};
use crate::shape::Mesh;
use crate::world::{Air, Fabric, Motion, Pattern};

/// Cloth has at most so many particles.
const MOST_PARTICLES: usize = 1_000_000;

pub(super) fn add(builder: &mut Builder, entry: &ClothEntry) -> Result<()> {
    let mut pattern = pattern(builder.scene, entry)?;
    check(&pattern, entry)?;
    for vertex in &mut pattern.mesh.vertices {
        *vertex = entry.at + entry.turn * *vertex;
    }
    let mesh = &pattern.mesh;
    let density = match entry.weight {
        ClothWeight::Density(density) => density,
        ClothWeight::Mass(mass) => mass / mesh.area(),
    };
    let fabric = Fabric {
        density,
        radius: 0.5 * entry.thickness.unwrap_or_else(|| mean_side(mesh)),
        friction: entry.friction,
        compliance: entry.compliance,
        damping: entry.damping,
        most_stretch: entry.most_stretch.unwrap_or(Mode::Paper.most_stretch()),
    };
    let first = builder.model.bodies.len();
    let group = builder.model.group(&entry.group);
    let cloth = builder.model.add_cloth(&mut builder.state, &pattern, &fabric);
    cloth.air = entry.pressure.map(|(factor, compliance)| Air {
        factor,
        compliance,
        rest_volume: mesh.volume(),
    });
    builder.model.bodies[first..].iter_mut().for_each(|particle| particle.group = group);
    for velocity in &mut builder.state.velocities[first..] {
        *velocity = entry.velocity;
    }
    for region in &entry.fixed {
        for particle in particles(&pattern, &entry.group, region)? {
            let number = first + particle as usize;
            builder.model.bodies[number].motion = Motion::Fixed;
            builder.state.velocities[number] = DVec3::ZERO;
        }
    }
    builder.cloths.push((entry.group.clone(), pattern));
    Ok(())
}

fn pattern(scene: &Scene, entry: &ClothEntry) -> Result<Pattern> {
    Ok(match &entry.form {
        ClothForm::Grid { size, count } => Pattern::grid(*size, *count),
        ClothForm::Ball { radius, level } => Pattern::of_mesh(Mesh::ball(*radius, *level)),
        ClothForm::Mesh { file, scale } => {
            let (path, bytes) = scene.source.files.read(file)?;
            Pattern::of_mesh(Mesh::from_bytes(&path, &bytes)?.scaled(*scale))
        }
    })
}

/// What cannot be moved: too much of it, particles that weigh nothing, open balloons.
fn check(pattern: &Pattern, entry: &ClothEntry) -> Result<()> {
    let (mesh, name) = (&pattern.mesh, &entry.group);
    let count = mesh.vertices.len();
    if count > MOST_PARTICLES {
        return Err(Problem::new(format!("the cloth `{name}` has {count} particles"))
            .help(format!("at most {MOST_PARTICLES}")));
    }
    if let Some(at) = mesh.vertices.iter().find(|vertex| !vertex.is_finite()) {
        return Err(Problem::new(format!("a corner of the cloth `{name}` is at {at}"))
            .help("coordinates are finite numbers"));
    }
    let flat = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a) == DVec3::ZERO;
    if let Some(triangle) = mesh.corners().position(flat) {
        let message = format!("triangle {triangle} of the cloth `{name}` has no area");
        return Err(Problem::new(message).help("particles get their mass from the triangles"));
    }
    if entry.pressure.is_some() {
        if matches!(entry.form, ClothForm::Grid { .. }) {
            return Err(Problem::new(format!("the cloth `{name}` has a pressure, but is open"))
                .help("a balloon is a `ball` or a closed `mesh`"));
        }
        mesh.check_closed().map_err(|problem| {
            let message =
                format!("the balloon `{name}` does not hold its air: {}", problem.message);
            Problem { message, ..problem }
        })?;
    }
    Ok(())
}

/// The mean length of the sides of all triangles.
fn mean_side(mesh: &Mesh) -> f64 {
    let around = |[a, b, c]: [DVec3; 3]| (b - a).length() + (c - b).length() + (a - c).length();
    mesh.corners().map(around).sum::<f64>() / (3 * mesh.triangles.len()) as f64
}

/// The particles of a region, counted from the first of the cloth.
fn particles(pattern: &Pattern, name: &str, region: &Region) -> Result<Vec<u32>> {
    let all = pattern.mesh.vertices.iter().enumerate();
    let found: Vec<u32> = match region {
        Region::Rim => pattern.rim(),
        Region::Corners => pattern.corners(),
        Region::Box { min, max } => all
            .filter(|(_, at)| min.cmple(**at).all() && at.cmple(*max).all())
            .map(|(k, _)| k as u32)
            .collect(),
        Region::Nearest(point) => nearest(&pattern.mesh.vertices, *point).into_iter().collect(),
    };
    match found.is_empty() {
        false => Ok(found),
        true => Err(Problem::new(format!("no particle of the cloth `{name}` is there"))
            .help("a grid has `corners`, an open cloth a `rim`, and every cloth a `nearest`")),
    }
}

fn nearest(points: &[DVec3], to: DVec3) -> Option<u32> {
    let near = points.iter().enumerate().map(|(k, at)| ((*at - to).length_squared(), k));
    near.min_by(|one, two| one.0.total_cmp(&two.0)).map(|(_, k)| k as u32)
}

pub(super) fn attach(builder: &mut Builder, entry: &AttachmentEntry) -> Result<()> {
    let number = cloth_named(builder, &entry.cloth).ok_or_else(|| {
        let names: Vec<&str> = builder.cloths.iter().map(|cloth| cloth.0.as_str()).collect();
        let help = match names.is_empty() {
            true => "the scene has no cloth".into(),
            false => format!("there is {}", names.join(", ")),
        };
        Problem::new(format!("there is no cloth named `{}`", entry.cloth)).help(help)
    })?;
    let first = builder.model.cloths[number].first;
    let tied = particles(&builder.cloths[number].1, &entry.cloth, &entry.region)?;
    let other = cloth_named(builder, &entry.to);
    if other == Some(number) {
        return Err(Problem::new(format!("the cloth `{}` is attached to itself", entry.to))
            .help("name a body, another cloth, or `world`"));
    }
    for particle in tied.into_iter().map(|particle| first + particle) {
        let to = match other {
            // The nearest particle of the other cloth.
            Some(other) => {
                let cloth = &builder.model.cloths[other];
                let at = builder.state.positions[particle as usize];
                let found = nearest(&builder.state.positions[cloth.particles()], at);
                found.map(|k| cloth.first + k)
            }
            None => joints::find(builder, &BodyName::parse(&entry.to))?,
        };
        builder.model.attach(&builder.state, particle, to);
    }
    Ok(())
}

fn cloth_named(builder: &Builder, name: &str) -> Option<usize> {
    builder.cloths.iter().position(|cloth| cloth.0 == name)
}
