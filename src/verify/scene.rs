//! The scene in the run file, built once more: it must give the model and the
//! starting positions that the run says it started from.

use std::path::Path;

use crate::math::DVec3;
use crate::scene::{Container, LayoutSource, Place, Scene, ShapeForm, gallery};
use crate::shape::Solid;
use crate::trajectory::Reader;
use crate::world::{Anchor, Link, Model, Rigid, Term, build};

/// Numbers agree up to this relative difference: sines and logarithms may
/// differ in the last digit from one kind of machine to another.
const SAME: f64 = 1e-12;

/// What came out of building the scene again.
#[derive(Debug, PartialEq)]
pub(super) enum Rebuilt {
    Same,
    NotChecked(String),
    Different(String),
}

/// Builds the scene of a run and compares.
pub(super) fn rebuild(reader: &Reader, start: &[DVec3]) -> Rebuilt {
    let (text, model) = (reader.scene_text(), reader.model());
    if text.trim().is_empty() {
        return Rebuilt::NotChecked("the run file keeps no scene".into());
    }
    let mut scene = match read(text, &model.name) {
        Ok(scene) => scene,
        Err(problem) => return Rebuilt::Different(format!("no scene: {}", problem.message)),
    };
    scene.seed = model.seed; // the command line may have chosen another one
    if let Some(missing) = missing_file(&scene) {
        return Rebuilt::NotChecked(format!("the scene's file {missing} is not here"));
    }
    let (again, state) = match build(&scene) {
        Ok(built) => built,
        Err(problem) => return Rebuilt::Different(format!("no world: {}", problem.message)),
    };
    match difference(model, start, &again, &state.positions) {
        None => Rebuilt::Same,
        Some(difference) => Rebuilt::Different(difference),
    }
}

/// A scene of the gallery finds its files there, all others in the current folder.
fn read(text: &str, name: &str) -> crate::Result<Scene> {
    if gallery::find(name) == Some(text) {
        return gallery::scene(name);
    }
    let is_json = text.trim_start().starts_with('{');
    Scene::from_text(text, Path::new(if is_json { "scene.json" } else { "scene.toml" }))
}

fn missing_file(scene: &Scene) -> Option<String> {
    let container = match &scene.container {
        Some(Container::Mesh { file, .. }) => Some(file),
        _ => None,
    };
    let bodies = scene.bodies.iter().filter_map(|bodies| match &bodies.place {
        Place::File { file } => Some(file),
        _ => None,
    });
    let shapes = scene.bodies.iter().filter_map(|bodies| match &bodies.shape.as_ref()?.form {
        ShapeForm::Mesh { file, .. } => Some(file),
        _ => None,
    });
    let layout = scene.layout.iter().filter_map(|plan| match &plan.source {
        LayoutSource::File(file) => Some(file),
        _ => None,
    });
    let mut named = container.into_iter().chain(bodies).chain(shapes).chain(layout);
    let missing = named.find(|f| scene.source.files.read(f).is_err());
    missing.map(|file| file.display().to_string())
}

/// The first difference between what the run says and what the scene gives, in words.
fn difference(
    model: &Model,
    start: &[DVec3],
    again: &Model,
    positions: &[DVec3],
) -> Option<String> {
    let differs = |what: &str, run: String, scene: String| {
        Some(format!("{what}: {run} in the run, {scene} by its scene"))
    };
    let show = |value: &dyn std::fmt::Debug| format!("{value:?}");
    if model.dimension != again.dimension {
        return differs("the dimension", show(&model.dimension), show(&again.dimension));
    }
    let (bodies, expected) = (&model.bodies, &again.bodies);
    if bodies.len() != expected.len() || start.len() != expected.len() {
        return differs("the number of bodies", show(&bodies.len()), show(&expected.len()));
    }
    if !same_vector(model.gravity, again.gravity, again.gravity.abs().max_element()) {
        return differs("gravity", show(&model.gravity), show(&again.gravity));
    }
    for (index, (body, other)) in bodies.iter().zip(expected).enumerate() {
        let (group, other_group) =
            (model.groups.get(body.group as usize), again.groups.get(other.group as usize));
        let is_same = same(body.radius, other.radius)
            && same(body.mass, other.mass)
            && group == other_group
            && body.fixed == other.fixed
            && same_vector(body.push, other.push, other.push.abs().max_element());
        if !is_same {
            return differs(&format!("body {index}"), show(body), show(other));
        }
        let (here, there) = (start[index], positions[index]);
        if !same_vector(here, there, there.abs().max_element().max(other.radius)) {
            return differs(&format!("the start of body {index}"), show(&here), show(&there));
        }
    }
    if let Some(index) = different_shape(model, again) {
        return Some(format!("the shape of body {index} is another one in the scene"));
    }
    if let Some(what) = different_forces(model, again) {
        return Some(what);
    }
    if model.assembly != again.assembly && !same_assembly(model, again) {
        return Some("the bodies or joints are not those of the scene".into());
    }
    if let Some(index) = different_brick(model, again) {
        return Some(format!("brick {index} is not that of the scene"));
    }
    let (faces, expected) = (model.boundary.faces(), again.boundary.faces());
    if faces.len() != expected.len() {
        return differs("the number of faces", show(&faces.len()), show(&expected.len()));
    }
    let corners = expected.iter().flat_map(|face| &face.corners);
    let size = corners.map(|corner| corner.abs().max_element()).fold(0.0, f64::max);
    for (index, (face, other)) in faces.iter().zip(expected).enumerate() {
        let mut pairs = face.corners.iter().zip(&other.corners);
        if face.corners.len() != other.corners.len()
            || !pairs.all(|(a, b)| same_vector(*a, *b, size))
        {
            return differs(
                &format!("face {index} of the container"),
                show(&face.corners),
                show(&other.corners),
            );
        }
    }
    None
}

/// Whether two assemblies agree up to what sines of another machine may differ in.
fn same_assembly(model: &Model, again: &Model) -> bool {
    let (one, two) = (&model.assembly, &again.assembly);
    let numbers = |assembly: &crate::world::Assembly| -> Vec<f64> {
        let text = serde_json::to_string(assembly).unwrap_or_default();
        let split = text.split(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c)));
        split.filter_map(|word| word.parse().ok()).collect()
    };
    let (a, b) = (numbers(one), numbers(two));
    one.parts.len() == two.parts.len()
        && one.joints.len() == two.joints.len()
        && a.len() == b.len()
        && a.iter().zip(&b).all(|(x, y)| (x - y).abs() <= SAME * x.abs().max(1.0))
}

/// The first brick that the scene does not give.
fn different_brick(model: &Model, again: &Model) -> Option<usize> {
    let (one, two) = (&model.tower.bricks, &again.tower.bricks);
    if one.len() != two.len() || model.tower.pins.len() != again.tower.pins.len() {
        return Some(one.len().min(two.len()));
    }
    one.iter().zip(two).position(|(a, b)| {
        let corners = |r: &Rigid| -> Vec<DVec3> {
            r.pieces.iter().flat_map(|p| p.corners().to_vec()).collect()
        };
        let (p, q) = (corners(a), corners(b));
        let same_shape = p.len() == q.len()
            && p.iter().zip(&q).all(|(x, y)| same_vector(*x, *y, b.radius))
            && a.inertia.abs_diff_eq(b.inertia, SAME * b.mass * b.radius * b.radius);
        let same_kind =
            (a.fixed, a.friction, a.restitution) == (b.fixed, b.friction, b.restitution);
        !(same_shape && same_kind && same(a.mass, b.mass))
    })
}

/// The first force or link that the scene does not give.
fn different_forces(model: &Model, again: &Model) -> Option<String> {
    if (model.terms.len(), model.links.len()) != (again.terms.len(), again.links.len()) {
        return Some("the run has other forces or links than its scene".into());
    }
    let same_term = |a: &Term, b: &Term| {
        let anchors = a.anchors.iter().zip(&b.anchors);
        let close = |a: &Anchor, b: &Anchor| {
            let size = b.point.abs().max_element().max(b.softening);
            a.body == b.body
                && same_vector(a.point, b.point, size)
                && same(a.softening, b.softening)
        };
        (a.law, &a.pairs, a.anchors.len()) == (b.law, &b.pairs, b.anchors.len())
            && anchors.into_iter().all(|(a, b)| close(a, b))
    };
    let same_link =
        |a: &Link, b: &Link| (a.a, a.b, a.give) == (b.a, b.b, b.give) && same(a.length, b.length);
    let term = model.terms.iter().zip(&again.terms).position(|(a, b)| !same_term(a, b));
    let link = model.links.iter().zip(&again.links).position(|(a, b)| !same_link(a, b));
    let term = term.map(|index| format!("force {index} is another one in the scene"));
    term.or_else(|| link.map(|index| format!("link {index} is another one in the scene")))
}

/// The first body whose solid differs: in its surface, its pieces or its rounding.
fn different_shape(model: &Model, again: &Model) -> Option<usize> {
    let corners = |solid: &Solid| -> Vec<DVec3> {
        let surface = solid.triangles().into_iter().flatten();
        let pieces = solid.pieces.iter().flat_map(|piece| piece.corners().to_vec());
        surface.chain(pieces).collect()
    };
    let same_solid = |a: &Solid, b: &Solid| {
        let (one, other) = (corners(a), corners(b));
        let size = b.reach();
        one.len() == other.len()
            && a.pieces.len() == b.pieces.len()
            && one.iter().zip(&other).all(|(p, q)| same_vector(*p, *q, size))
            && same(a.radius, b.radius)
    };
    (0..model.bodies.len()).find(|&body| match (model.solid(body), again.solid(body)) {
        (Some(a), Some(b)) => !same_solid(a, b),
        (a, b) => a.is_some() != b.is_some(),
    })
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * a.abs().max(b.abs())
}

fn same_vector(a: DVec3, b: DVec3, size: f64) -> bool {
    (a - b).abs().max_element() <= SAME * size
}
