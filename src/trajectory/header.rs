//! The header record: the scene as it was written, and the model made of it.

use serde::{Deserialize, Serialize};

use super::column::{Builder, Columns};
use super::shapes;
use crate::math::{DMat3, DQuat, DVec3};
use crate::problem::{Problem, Result};
use crate::scene::{Form, Law};
use crate::shape::{Boundary, Face};
use crate::world::{
    Anchor, Attachment, Body, Cloth, Force, Joint, Material, Method, Model, Motion, Origin, Path,
    Phase, Strength,
};

/// What a run file says before its first frame, and before that of every later phase.
pub(super) struct Header {
    pub model: Model,
    pub scene_text: String,
    pub parts: Vec<String>,
    /// The hash of the frame before; 0 before the first.
    pub previous: u64,
}

/// The part of a header that is text; large arrays have columns of their own.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct About {
    name: String,
    dimension: usize,
    groups: Vec<String>,
    method: Method,
    seed: u64,
    parts: Vec<String>,
    phase: Phase,
    origin: Option<Origin>,
    wall: Material,
    forces: Vec<AboutForce>,
    joints: Vec<Joint>,
    cloths: Vec<Cloth>,
    attachments: Vec<Attachment>,
    paths: Vec<AboutPath>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    strengths: Vec<Strength>,
}

/// An energy; what it acts on is in columns, one force after the other.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct AboutForce {
    law: Law,
    form: Form,
    pairs: usize,
    anchors: usize,
}

/// Keyframes: time, place and turn.
type AboutPath = Vec<(f64, DVec3, DQuat)>;

/// The payload of a header, or, with the hash of the frame before, of a phase. Refuses options
/// that would not come back the same.
pub(super) fn write(
    model: &Model,
    scene_text: &str,
    parts: &[&str],
    previous: Option<u64>,
) -> Result<Vec<u8>> {
    let about = About {
        name: model.name.clone(),
        dimension: model.dimension,
        groups: model.groups.clone(),
        method: model.method.clone(),
        seed: model.seed,
        parts: parts.iter().map(|part| part.to_string()).collect(),
        phase: model.phase,
        origin: model.origin.clone(),
        wall: model.wall,
        forces: model.forces.iter().map(AboutForce::of).collect(),
        joints: model.joints.clone(),
        cloths: model.cloths.clone(),
        attachments: model.attachments.clone(),
        paths: model.paths.iter().map(keyframes).collect(),
        strengths: model.strengths.clone(),
    };
    let text = serde_json::to_string(&about).unwrap_or_default();
    if serde_json::from_str::<About>(&text).ok().as_ref() != Some(&about) {
        let message = format!("the run file cannot hold these options: {:?}", model.method);
        return Err(Problem::new(message).help("every option is a finite number"));
    }
    let faces = model.boundary.faces();
    let face_size: Vec<u32> = faces.iter().map(|face| face.corners.len() as u32).collect();
    let corners: Vec<_> = faces.iter().flat_map(|face| face.corners.iter().copied()).collect();

    let mut builder = Builder::default();
    builder.text("about", &text);
    match previous {
        None => builder.text("scene", scene_text),
        Some(previous) => builder.plain("previous", 1, &[previous]),
    }
    builder.vectors("gravity", &[model.gravity]);
    write_bodies(&mut builder, &model.bodies);
    builder.packed("face_size", 1, &face_size);
    builder.vectors("corner", &corners);
    write_forces(&mut builder, model);
    shapes::write(&mut builder, &model.shapes);
    Ok(builder.payload())
}

impl AboutForce {
    fn of(force: &Force) -> AboutForce {
        let (pairs, anchors) = (force.pairs.len(), force.anchors.len());
        AboutForce { law: force.law, form: force.form, pairs, anchors }
    }
}

fn keyframes(path: &Path) -> AboutPath {
    let places = path.positions.iter().zip(&path.rotations);
    path.times.iter().zip(places).map(|(time, (place, turn))| (*time, *place, *turn)).collect()
}

fn write_bodies(builder: &mut Builder, bodies: &[Body]) {
    let floats = |pick: fn(&Body) -> f64| bodies.iter().map(pick).collect::<Vec<f64>>();
    let whole = |pick: fn(&Body) -> u32| bodies.iter().map(pick).collect::<Vec<u32>>();
    builder.packed("shape", 1, &whole(|body| body.shape));
    builder.floats("radius", &floats(|body| body.radius));
    builder.floats("mass", &floats(|body| body.mass));
    builder.packed("group", 1, &whole(|body| body.group));
    let motion = bodies.iter().map(|body| match body.motion {
        Motion::Free => 0,
        Motion::Fixed => 1,
        Motion::Driven => 2,
    });
    builder.packed("motion", 1, &motion.collect::<Vec<u8>>());
    for (name, axis) in INERTIA.iter().zip(0..) {
        let column: Vec<DVec3> = bodies.iter().map(|body| body.inertia.col(axis)).collect();
        builder.vectors(name, &column);
    }
    builder.floats("friction", &floats(|body| body.material.friction));
    builder.floats("restitution", &floats(|body| body.material.restitution));
    builder.floats("rolling", &floats(|body| body.material.rolling));
    if bodies.iter().any(|body| body.push != DVec3::ZERO) {
        builder.vectors("push", &bodies.iter().map(|body| body.push).collect::<Vec<_>>());
    }
    if bodies.iter().any(|body| body.turns) {
        let turns: Vec<u8> = bodies.iter().map(|body| u8::from(body.turns)).collect();
        builder.packed("turns", 1, &turns);
    }
    if bodies.iter().any(|body| body.colour.is_some()) {
        builder.packed("colour", 1, &whole(|body| body.colour.map_or(0, painted)));
    }
    if bodies.iter().any(|body| body.path.is_some()) {
        builder.packed("path", 1, &whole(|body| body.path.map_or(0, |path| path + 1)));
    }
}

/// A colour as one number that is not 0.
fn painted([red, green, blue]: [u8; 3]) -> u32 {
    u32::from_be_bytes([1, red, green, blue])
}

/// The columns of the inertias, by the axes of the bodies' frames.
const INERTIA: [&str; 3] = ["inertia_x", "inertia_y", "inertia_z"];

fn write_forces(builder: &mut Builder, model: &Model) {
    if model.forces.is_empty() {
        return;
    }
    let pairs = model.forces.iter().flat_map(|force| force.pairs.iter().flatten().copied());
    let anchors: Vec<&Anchor> = model.forces.iter().flat_map(|force| &force.anchors).collect();
    builder.packed("force_pair", 2, &pairs.collect::<Vec<u32>>());
    builder.packed("anchor_body", 1, &anchors.iter().map(|a| a.body).collect::<Vec<_>>());
    builder.vectors("anchor_point", &anchors.iter().map(|a| a.point).collect::<Vec<_>>());
    builder.floats("softening", &anchors.iter().map(|a| a.softening).collect::<Vec<_>>());
}

pub(super) fn read(payload: &[u8]) -> Result<Header> {
    let columns = Columns::read(payload)?;
    let about: About = serde_json::from_str(&columns.text("about")?)
        .map_err(|error| Problem::new(format!("its column `about` is not as expected: {error}")))?;
    let gravity = columns.vectors("gravity")?;
    let &[gravity] = gravity.as_slice() else {
        return Err(Problem::new("its column `gravity` does not have one row"));
    };
    if !matches!(about.dimension, 2 | 3) {
        return Err(Problem::new(format!("its dimension is {}", about.dimension)));
    }
    let shapes = shapes::read(&columns)?;
    let counts =
        Counts { groups: about.groups.len(), shapes: shapes.len(), paths: about.paths.len() };
    let bodies = read_bodies(&columns, &counts)?;
    let model = Model {
        forces: read_forces(&columns, &about.forces, bodies.len())?,
        name: about.name,
        dimension: about.dimension,
        seed: about.seed,
        groups: about.groups,
        gravity,
        shapes,
        bodies,
        joints: about.joints,
        strengths: about.strengths,
        boundary: Boundary::from_faces(read_faces(&columns)?)?,
        wall: about.wall,
        cloths: about.cloths,
        attachments: about.attachments,
        paths: about.paths.into_iter().map(path).collect::<Result<_>>()?,
        method: about.method,
        phase: about.phase,
        origin: about.origin,
    };
    let groups = model.strengths.iter().flat_map(|strength| strength.groups).flatten();
    if groups.max().is_some_and(|group| group as usize >= model.groups.len()) {
        return Err(Problem::new("a strength names a group that is not there"));
    }
    match fault_of_joints(&model).or_else(|| fault_of_cloth(&model)) {
        Some(fault) => Err(Problem::new(format!("its column `about` is not as expected: {fault}"))),
        None => {
            let of_phase = columns.has("previous");
            Ok(Header {
                model,
                scene_text: if of_phase { String::new() } else { columns.text("scene")? },
                parts: about.parts,
                previous: if of_phase { columns.value("previous")? } else { 0 },
            })
        }
    }
}

fn path(keyframes: AboutPath) -> Result<Path> {
    let rises = keyframes.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let finite = keyframes.iter().all(|(t, p, q)| t.is_finite() && p.is_finite() && q.is_finite());
    if keyframes.is_empty() || !rises || !finite {
        return Err(Problem::new("a path has no keyframes, or their times do not rise"));
    }
    Ok(Path {
        times: keyframes.iter().map(|key| key.0).collect(),
        positions: keyframes.iter().map(|key| key.1).collect(),
        rotations: keyframes.iter().map(|key| key.2).collect(),
    })
}

/// What bodies may name.
struct Counts {
    groups: usize,
    shapes: usize,
    paths: usize,
}

fn read_bodies(columns: &Columns, counts: &Counts) -> Result<Vec<Body>> {
    let radius: Vec<f64> = columns.values("radius", 1)?;
    let n = radius.len();
    let whole = |name: &str| -> Result<Vec<u32>> { same(columns.values(name, 1)?, n, name) };
    let floats = |name: &str| -> Result<Vec<f64>> { same(columns.values(name, 1)?, n, name) };
    let (shape, group, mass) = (whole("shape")?, whole("group")?, floats("mass")?);
    let named = |list: &[u32], what: &str, most: usize| match list
        .iter()
        .find(|&&index| index as usize >= most)
    {
        None => Ok(()),
        Some(index) => {
            Err(Problem::new(format!("a body is of {what} {index}, but there are {most} {what}s")))
        }
    };
    named(&group, "group", counts.groups)?;
    named(&shape, "shape", counts.shapes)?;
    let mut path = vec![0; n];
    if columns.has("path") {
        path = whole("path")?;
        named(&path, "path", counts.paths + 1)?;
    }
    let mut push = vec![DVec3::ZERO; n];
    if columns.has("push") {
        push = same(columns.vectors("push")?, n, "push")?;
    }
    let mut turns = vec![0_u8; n];
    if columns.has("turns") {
        turns = same(columns.values("turns", 1)?, n, "turns")?;
    }
    let mut colour = vec![0; n];
    if columns.has("colour") {
        colour = whole("colour")?;
    }
    let inertia = INERTIA.map(|name| same(columns.vectors(name)?, n, name));
    let [x, y, z] = inertia;
    let (x, y, z) = (x?, y?, z?);
    let motion: Vec<u8> = same(columns.values("motion", 1)?, n, "motion")?;
    let (friction, rolling) = (floats("friction")?, floats("rolling")?);
    let restitution = floats("restitution")?;
    let body = |i: usize| {
        let motion = match motion[i] {
            0 => Motion::Free,
            1 => Motion::Fixed,
            2 => Motion::Driven,
            other => return Err(Problem::new(format!("body {i} moves in the way {other}"))),
        };
        Ok(Body {
            shape: shape[i],
            mass: mass[i],
            inertia: DMat3::from_cols(x[i], y[i], z[i]),
            radius: radius[i],
            group: group[i],
            colour: match colour[i].to_be_bytes() {
                [1, red, green, blue] => Some([red, green, blue]),
                _ => None,
            },
            motion,
            material: Material {
                friction: friction[i],
                restitution: restitution[i],
                rolling: rolling[i],
            },
            push: push[i],
            path: path[i].checked_sub(1),
            turns: turns[i] != 0,
        })
    };
    (0..n).map(body).collect()
}

/// A column with a row for each body.
fn same<T>(values: Vec<T>, bodies: usize, name: &str) -> Result<Vec<T>> {
    match values.len() == bodies {
        true => Ok(values),
        false => Err(Problem::new(format!("its columns `radius` and `{name}` differ in length"))),
    }
}

fn read_forces(columns: &Columns, about: &[AboutForce], bodies: usize) -> Result<Vec<Force>> {
    if about.is_empty() {
        return Ok(Vec::new());
    }
    let ends: Vec<u32> = columns.values("force_pair", 2)?;
    let body: Vec<u32> = columns.values("anchor_body", 1)?;
    let point = columns.vectors("anchor_point")?;
    let softening: Vec<f64> = columns.values("softening", 1)?;
    if let Some(body) = ends.iter().chain(&body).find(|&&body| body as usize >= bodies) {
        let message = format!("a force names body {body}, but there are {bodies}");
        return Err(Problem::new(message));
    }
    let anchor =
        |((&body, &point), &softening): ((&u32, &DVec3), &f64)| Anchor { body, point, softening };
    let mut pairs = ends.chunks_exact(2).map(|ends| [ends[0], ends[1]]);
    let mut anchors = body.iter().zip(&point).zip(&softening).map(anchor);
    let force = |about: &AboutForce| Force {
        law: about.law,
        form: about.form,
        pairs: pairs.by_ref().take(about.pairs).collect(),
        anchors: anchors.by_ref().take(about.anchors).collect(),
    };
    let forces: Vec<Force> = about.iter().map(force).collect();
    let complete = forces.iter().zip(about).all(|(force, about)| AboutForce::of(force) == *about);
    if !complete || point.len() != body.len() || softening.len() != body.len() {
        return Err(Problem::new("its columns of forces do not fit together"));
    }
    Ok(forces)
}

fn fault_of_joints(model: &Model) -> Option<String> {
    let bodies = model.bodies.len();
    let named = model.joints.iter().flat_map(|joint| joint.bodies.iter().flatten());
    let lost = named.copied().find(|&body| body as usize >= bodies);
    let lost = lost.map(|body| format!("a joint names body {body} of {bodies}"));
    let loose = model.joints.iter().any(|joint| joint.bodies[0].is_none());
    lost.or_else(|| loose.then(|| "a joint has no first body".into()))
}

/// Cloths follow each other after all bodies, and name their own particles only.
fn fault_of_cloth(model: &Model) -> Option<String> {
    let bodies = model.bodies.len();
    let mut next = model.rigid_count().min(bodies);
    for (number, cloth) in model.cloths.iter().enumerate() {
        let (first, count) = (cloth.first as usize, cloth.rest.len());
        if first != next || count > bodies - next || count == 0 {
            return Some(format!("cloth {number} does not have its particles"));
        }
        next += count;
        let named = cloth.faces.iter().flatten();
        let named = named.chain(cloth.threads.iter().flat_map(|thread| &thread.ends));
        let own = cloth.particles();
        if let Some(other) = named.copied().find(|&body| !own.contains(&(body as usize))) {
            return Some(format!("cloth {number} names body {other}, which is not its own"));
        }
    }
    let rigid = model.rigid_count();
    let lost = |tie: &&Attachment| {
        let to = tie.to.is_some_and(|to| to as usize >= bodies);
        to || !(rigid..bodies).contains(&(tie.particle as usize))
    };
    if next != bodies && !model.cloths.is_empty() {
        return Some(format!("{} bodies come after the cloth", bodies - next));
    }
    model.attachments.iter().find(lost).map(|tie| format!("an attachment of {tie:?}"))
}

fn read_faces(columns: &Columns) -> Result<Vec<Face>> {
    let mut corners = columns.vectors("corner")?.into_iter();
    let face_size: Vec<u32> = columns.values("face_size", 1)?;
    let faces: Vec<Face> = face_size
        .iter()
        .map(|&size| Face { corners: corners.by_ref().take(size as usize).collect() })
        .collect();
    let missing = faces.iter().zip(&face_size).any(|(f, &size)| f.corners.len() != size as usize);
    if missing || corners.next().is_some() {
        return Err(Problem::new("its columns `face_size` and `corner` do not fit together"));
    }
    Ok(faces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::SettleOptions;
    use crate::trajectory::samples;
    use crate::world::JointKind;

    #[test]
    fn a_model_comes_back_to_the_last_bit() {
        let mut model = samples::model(5);
        model.bodies[1].radius = 0.1 + 0.2;
        model.bodies[2].mass = f64::MIN_POSITIVE / 3.0;
        model.gravity = DVec3::new(-0.0, 1e-300, -9.81);
        model.method =
            Method::Settle(SettleOptions { tolerance: 1.0 / 3.0 * 1e-6, ..Default::default() });
        model.seed = u64::MAX - 1;
        let payload = write(&model, "scène = \"été\"\n", &["pairs", "solve"], None).unwrap();
        let header = read(&payload).unwrap();
        assert_eq!(header.scene_text, "scène = \"été\"\n");
        assert_eq!(header.parts, ["pairs", "solve"]);
        assert_eq!(header.model.bodies, model.bodies);
        assert_eq!(header.model.boundary.faces(), model.boundary.faces());
        assert_eq!(header.model.method, model.method);
        assert_eq!(header.model.shapes, model.shapes);
        assert_eq!(header.model.gravity.x.to_bits(), (-0.0_f64).to_bits());
        assert_eq!(
            (header.model.name, header.model.dimension, header.model.seed, header.model.groups),
            (model.name, model.dimension, model.seed, model.groups)
        );
    }

    #[test]
    fn options_that_text_cannot_hold_are_refused() {
        let mut model = samples::model(1);
        let options = SettleOptions { early_stop: f64::INFINITY, ..Default::default() };
        model.method = Method::Settle(options);
        let problem = write(&model, "", &[], None).unwrap_err();
        assert!(problem.message.contains("early_stop: inf"), "{problem}");
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let message = |spoil: &dyn Fn(&mut Model)| {
            let mut model = samples::model(3);
            spoil(&mut model);
            read(&write(&model, "", &[], None).unwrap()).err().map(|problem| problem.message)
        };
        assert_eq!(message(&|_| ()), None);
        assert_eq!(
            message(&|model| model.bodies[1].group = 9).as_deref(),
            Some("a body is of group 9, but there are 2 groups")
        );
        assert_eq!(
            message(&|model| model.bodies[1].shape = 9).as_deref(),
            Some("a body is of shape 9, but there are 3 shapes")
        );
        assert_eq!(
            message(&|model| model.bodies[1].path = Some(0)).as_deref(),
            Some("a body is of path 1, but there are 1 paths")
        );
        let force = |pairs| Force {
            law: Law::Attraction { strength: 1.0 },
            form: Form::Bound,
            pairs,
            anchors: Vec::new(),
        };
        assert_eq!(
            message(&|model| model.forces = vec![force(vec![[0, 7]])]).as_deref(),
            Some("a force names body 7, but there are 3")
        );
        let lost = message(&|model| {
            let state = crate::world::State::at_rest(vec![DVec3::ZERO; 9]);
            let axes = [DVec3::Z; 2];
            model.join(&state, JointKind::Ball, [Some(8), None], [DVec3::ZERO; 2], axes);
        });
        assert!(lost.unwrap().contains("a joint names body 8 of 3"));
    }
}
