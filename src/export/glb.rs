//! Binary glTF, for Blender and others: every body with its true shape in the
//! colour of its group, moving and turning as in the run, cloth as a mesh that
//! morphs, in a translucent container. glTF has y up, so that 3D scenes hang
//! from a node that turns them.

use std::collections::BTreeMap;
use std::f64::consts::FRAC_1_SQRT_2;
use std::num::NonZeroUsize;

use serde_json::{Value, json};

use super::gltf::Document;
use super::palette::DISTINCT;
use super::selection::thin;
use super::sphere::{check_drawable, percent_inside};
use super::surfaces::{MOST_TRIANGLES, Surfaces};
use crate::math::{DQuat, DVec3};
use crate::problem::Result;
use crate::shape::{Face, Mesh};
use crate::trajectory::Reader;
use crate::world::{Cloth, Model, State};

/// Paths take up to this many bytes. Programs make a key frame of every
/// coordinate, at many times the space, and more would choke them.
const MOST_PATH_BYTES: usize = 16_000_000;
/// Of a position and a turn.
const POSE_BYTES: usize = 28;
/// A cloth morphs through at most this many shapes.
const MOST_MORPHS: usize = 60;
/// Balls have 1280 triangles at most, which look round when they are shaded.
const MOST_SUBDIVISIONS: u32 = 3;
/// Steps of methods without time last so long. At Blender's own rate each gets a whole frame.
const FRAMES_PER_SECOND: usize = 24;

const GLASS: [u8; 3] = [205, 225, 235];

/// The whole file, thinned if it would become too large.
pub(super) fn file(reader: &Reader, frames: &[usize]) -> Result<Vec<u8>> {
    file_within(reader, frames, MOST_PATH_BYTES)
}

fn file_within(reader: &Reader, frames: &[usize], most_path_bytes: usize) -> Result<Vec<u8>> {
    let model = reader.model();
    let bodies = model.rigid_count();
    let mut most = most_path_bytes / POSE_BYTES / bodies.max(1);
    if !model.cloths.is_empty() {
        most = most.min(MOST_MORPHS);
    }
    let every = thinning(frames.len(), most);
    let kept = thin(frames, every);
    let motion = Motion::of(reader, &kept)?;
    let surfaces = Surfaces::of(model, MOST_TRIANGLES, Some(MOST_SUBDIVISIONS));

    let mut document = Document::default();
    let mut children = add_bodies(&mut document, model, &surfaces, &motion);
    let cloths: Vec<usize> = (model.cloths.iter().enumerate())
        .map(|(number, cloth)| add_cloth(&mut document, model, cloth, &motion.cloths[number]))
        .collect();
    if kept.len() > 1 && !model.bodies.is_empty() {
        add_animation(&mut document, model, &children, &cloths, &motion);
    }
    children.extend(cloths);
    children.extend(add_container(&mut document, model));
    let root = document.add("nodes", root(model, &children));
    let triangles = surfaces.sphere.triangles.len();
    let inside = percent_inside(&surfaces.sphere);
    let kept_are = match every.get() {
        1 => "all".to_string(),
        n => format!("one in {n} and the last, to keep the file small"),
    };
    let extras = json!({
        "run": model.name,
        "frames_of_the_run": reader.len(),
        "frames_asked_for": frames.len(),
        "frames_kept": kept.len(),
        "kept": kept_are,
        "spheres": format!("{triangles} triangles, up to {inside} % of the radius inside"),
        "other_round_parts": format!("{} sides", surfaces.sides),
    });
    document.file(root, extras)
}

/// How everything moves, frame by frame.
struct Motion {
    /// Since the first frame, in seconds.
    times: Vec<f32>,
    /// Where each rigid body is, body by body.
    places: Vec<[f32; 3]>,
    /// How it is turned; x, y, z, w.
    turns: Vec<[f32; 4]>,
    /// The particles of each cloth, frame by frame.
    cloths: Vec<Vec<Vec<[f32; 3]>>>,
    /// Bodies that are taken out, and in which of the frames they are there.
    gone: Vec<(usize, Vec<bool>)>,
}

impl Motion {
    fn of(reader: &Reader, frames: &[usize]) -> Result<Motion> {
        let model = reader.model();
        let count = frames.len() * model.rigid_count();
        let mut motion = Motion {
            times: Vec::with_capacity(frames.len()),
            places: vec![[0.0; 3]; count],
            turns: vec![[0.0; 4]; count],
            cloths: vec![Vec::new(); model.cloths.len()],
            gone: Vec::new(),
        };
        for body in (0..model.rigid_count()).filter(|&i| reader.last_model().is_gone(i)) {
            let here = frames.iter().map(|&index| !reader.model_at(index).is_gone(body));
            motion.gone.push((body, here.collect()));
        }
        let mut first = None;
        for (place, &index) in frames.iter().enumerate() {
            let frame = reader.frame(index)?;
            check_drawable(model, index, &frame)?;
            // Where there is no time, every frame counts alike.
            let now = seconds(reader, index);
            motion.times.push((now - *first.get_or_insert(now)) as f32);
            motion.add(model, place, frames.len(), &frame.state);
        }
        Ok(motion)
    }

    fn add(&mut self, model: &Model, place: usize, frames: usize, state: &State) {
        for body in 0..model.rigid_count() {
            self.places[body * frames + place] = single(state.positions[body]);
            self.turns[body * frames + place] = state.rotations[body].to_array().map(|x| x as f32);
        }
        for (cloth, shapes) in model.cloths.iter().zip(&mut self.cloths) {
            shapes.push(state.positions[cloth.particles()].iter().map(|&p| single(p)).collect());
        }
    }

    fn frames(&self) -> usize {
        self.times.len()
    }

    /// Whether some rigid body is ever turned.
    fn turns(&self) -> bool {
        let straight = DQuat::IDENTITY.to_array().map(|x| x as f32);
        self.turns.iter().any(|turn| *turn != straight)
    }
}

/// When a frame is shown: the time of phases that have it, and a moment for every other frame.
fn seconds(reader: &Reader, index: usize) -> f64 {
    let untimed = (0..reader.phases().len()).filter(|&k| {
        reader.phases()[k].model.method.time().is_none() && reader.frames_of(k).start <= index
    });
    let passed = |k: usize| reader.frames_of(k).end.min(index + 1) - reader.frames_of(k).start;
    let others: usize = untimed.map(passed).sum();
    reader.time_at(index).unwrap_or(0.0) + others as f64 / FRAMES_PER_SECOND as f64
}

/// Every how many of `count` frames to keep, so that at most `most` are left
/// (but at least the first and the last).
fn thinning(count: usize, most: usize) -> NonZeroUsize {
    let steps = count.saturating_sub(1).div_ceil(most.saturating_sub(1).max(1));
    NonZeroUsize::new(steps).unwrap_or(NonZeroUsize::MIN)
}

/// One node for each rigid body: its mesh in the material of its group.
fn add_bodies(
    document: &mut Document,
    model: &Model,
    surfaces: &Surfaces,
    motion: &Motion,
) -> Vec<usize> {
    let (vertices, triangles) = add_geometry(document, &surfaces.sphere);
    // The corners of a unit sphere are its normals as well.
    let attributes = json!({"POSITION": vertices, "NORMAL": vertices});
    let groups = model.groups.iter().zip(DISTINCT.into_iter().cycle());
    let meshes: Vec<usize> = groups
        .map(|(group, colour)| {
            let material = document.add("materials", material(group, colour, 1.0, 0.5));
            add_mesh(document, group, &attributes, triangles, material)
        })
        .collect();
    let shapes = add_shapes(document, model, surfaces);
    let bodies = (0..model.rigid_count()).map(|id| {
        let body = &model.bodies[id];
        let group = body.group as usize;
        let (mesh, scale) = match shapes[id] {
            Some(mesh) => (Some(mesh), 1.0),
            None => (meshes.get(group).copied(), body.radius),
        };
        let node = json!({
            "name": format!("{} {id}", model.groups.get(group).map_or("", |name| name)),
            "mesh": mesh,
            "scale": single(DVec3::splat(scale)),
            "translation": motion.places[id * motion.frames()],
            "rotation": motion.turns[id * motion.frames()],
        });
        document.add("nodes", node)
    });
    bodies.collect()
}

/// For each rigid body that is no ball, its mesh; bodies of one shape and group share it.
fn add_shapes(document: &mut Document, model: &Model, surfaces: &Surfaces) -> Vec<Option<usize>> {
    let mut known: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    let mut mesh_of = |id: usize| {
        let (surface, body) = (surfaces.own(model, id)?, &model.bodies[id]);
        Some(*known.entry((body.shape, body.group)).or_insert_with(|| {
            // Without shared corners and normals, faces are shaded flat.
            let (vertices, triangles) = add_geometry(document, surface);
            let material = group_material(document, model, body.group, model.dimension == 2);
            let name = model.groups.get(body.group as usize).map_or("", |name| name);
            add_mesh(document, name, &json!({"POSITION": vertices}), triangles, material)
        }))
    };
    (0..model.rigid_count()).map(&mut mesh_of).collect()
}

fn group_material(document: &mut Document, model: &Model, group: u32, two_sided: bool) -> usize {
    let name = model.groups.get(group as usize).map_or("", |name| name);
    let colour = DISTINCT[group as usize % DISTINCT.len()];
    let mut plain = material(name, colour, 1.0, 0.5);
    plain["doubleSided"] = two_sided.into();
    document.add("materials", plain)
}

/// The node of a cloth: its first shape, and the others as what is added to it.
fn add_cloth(
    document: &mut Document,
    model: &Model,
    cloth: &Cloth,
    shapes: &[Vec<[f32; 3]>],
) -> usize {
    let group = model.bodies[cloth.first as usize].group;
    let faces: Vec<[u32; 3]> =
        cloth.faces.iter().map(|face| face.map(|p| p - cloth.first)).collect();
    let base = shapes.first().map_or(&[][..], |shape| shape);
    let vertices = document.vertices(base);
    let triangles = document.triangles(&faces);
    let mut targets = Vec::new();
    for shape in shapes.iter().skip(1) {
        let moved = shape.iter().zip(base).map(|(p, q)| [p[0] - q[0], p[1] - q[1], p[2] - q[2]]);
        let moved: Vec<[f32; 3]> = moved.collect();
        targets.push(json!({"POSITION": document.vertices(&moved)}));
    }
    let material = group_material(document, model, group, true);
    let attributes = json!({"POSITION": vertices});
    let mut part = json!({"attributes": attributes, "indices": triangles, "material": material});
    let mut mesh = json!({"name": "cloth"});
    if !targets.is_empty() {
        mesh["weights"] = vec![0.0; targets.len()].into();
        part["targets"] = targets.into();
    }
    mesh["primitives"] = json!([part]);
    let mesh = document.add("meshes", mesh);
    let name = model.groups.get(group as usize).map_or("cloth", |name| name);
    document.add("nodes", json!({"name": name, "mesh": mesh}))
}

/// Moves and turns the nodes of the bodies, straight from frame to frame, and morphs the cloth.
fn add_animation(
    document: &mut Document,
    model: &Model,
    bodies: &[usize],
    cloths: &[usize],
    motion: &Motion,
) {
    let frames = motion.frames();
    let input = document.times(&motion.times);
    let (mut samplers, mut channels): (Vec<Value>, Vec<Value>) = (Vec::new(), Vec::new());
    let mut animate = |node: usize, path: &str, output: usize| {
        let target = json!({"node": node, "path": path});
        let how = if path == "scale" { "STEP" } else { "LINEAR" };
        channels.push(json!({"sampler": samplers.len(), "target": target}));
        samplers.push(json!({"input": input, "output": output, "interpolation": how}));
    };
    let places = document.paths(&motion.places, frames);
    bodies.iter().zip(places..).for_each(|(&node, place)| animate(node, "translation", place));
    if motion.turns() {
        let turns = document.paths(&motion.turns, frames);
        bodies.iter().zip(turns..).for_each(|(&node, turn)| animate(node, "rotation", turn));
    }
    // What is gone has no size.
    for (body, here) in &motion.gone {
        let size = model.shape(*body).is_ball().unwrap_or(1.0);
        let scale = |here: &bool| [if *here { size as f32 } else { 0.0 }; 3];
        let scales = document.paths(&here.iter().map(scale).collect::<Vec<_>>(), frames);
        animate(bodies[*body], "scale", scales);
    }
    if !cloths.is_empty() {
        // At its own frame a shape has the weight 1, at all others 0; the first is the base.
        let weight = |(frame, shape): (usize, usize)| f32::from(u8::from(frame == shape));
        let pairs = (0..frames).flat_map(|frame| (1..frames).map(move |shape| (frame, shape)));
        let weights = document.numbers(&pairs.map(weight).collect::<Vec<f32>>());
        cloths.iter().for_each(|&node| animate(node, "weights", weights));
    }
    document.add("animations", json!({"name": "run", "samplers": samplers, "channels": channels}));
}

/// The node of the container, if there is one.
fn add_container(document: &mut Document, model: &Model) -> Option<usize> {
    let container = walls(model);
    if container.triangles.is_empty() {
        return None;
    }
    let (vertices, triangles) = add_geometry(document, &container);
    let mut glass = material("container", GLASS, 0.2, 0.1);
    glass["alphaMode"] = "BLEND".into();
    glass["doubleSided"] = true.into();
    let glass = document.add("materials", glass);
    // Without normals, its faces are to be shaded flat.
    let attributes = json!({"POSITION": vertices});
    let mesh = add_mesh(document, "container", &attributes, triangles, glass);
    Some(document.add("nodes", json!({"name": "container", "mesh": mesh})))
}

/// The places of the corners and of the triangles.
fn add_geometry(document: &mut Document, mesh: &Mesh) -> (usize, usize) {
    let corners: Vec<[f32; 3]> = mesh.vertices.iter().map(|&corner| single(corner)).collect();
    (document.vertices(&corners), document.triangles(&mesh.triangles))
}

fn add_mesh(
    document: &mut Document,
    name: &str,
    attributes: &Value,
    triangles: usize,
    material: usize,
) -> usize {
    let part = json!({"attributes": attributes, "indices": triangles, "material": material});
    document.add("meshes", json!({"name": name, "primitives": [part]}))
}

fn material(name: &str, colour: [u8; 3], alpha: f64, roughness: f64) -> Value {
    let [r, g, b] = linear(colour);
    let surface = json!({
        "baseColorFactor": [r, g, b, alpha],
        "metallicFactor": 0.0,
        "roughnessFactor": roughness,
    });
    json!({"name": name, "pbrMetallicRoughness": surface})
}

/// The faces of the container. Those of a flat scene are lines, which become
/// walls as thick as its largest body.
fn walls(model: &Model) -> Mesh {
    let radii = model.bodies.iter().map(|body| body.radius);
    let up = radii.fold(0.0, f64::max) * DVec3::Z;
    let triangles = |face: &Face| match face.corners[..] {
        [a, b] => vec![[a - up, b - up, b + up], [a - up, b + up, a + up]],
        [a, b, c] => vec![[a, b, c]],
        _ => vec![],
    };
    Mesh::from_triangles(&model.boundary.faces().iter().flat_map(triangles).collect::<Vec<_>>())
}

/// The node that everything hangs from.
fn root(model: &Model, children: &[usize]) -> Value {
    let mut root = json!({"name": model.name});
    if !children.is_empty() {
        root["children"] = children.into();
    }
    // Flat scenes have y up already.
    if model.dimension == 3 {
        // A quarter of a turn about x takes z to y.
        root["rotation"] = json!([-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2]);
    }
    root
}

/// In single precision. A container beyond its range, unlike bodies there, is
/// cut off rather than refused: nobody could see the difference.
fn single(v: DVec3) -> [f32; 3] {
    v.to_array().map(|x| (x as f32).clamp(f32::MIN, f32::MAX))
}

/// Colours are written down as screens show them, but glTF wants amounts of light.
fn linear(colour: [u8; 3]) -> [f64; 3] {
    colour.map(|level| {
        let level = f64::from(level) / 255.0;
        if level <= 0.04045 { level / 12.92 } else { ((level + 0.055) / 1.055).powf(2.4) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Boundary;
    use crate::trajectory::{Writer, samples};

    #[test]
    fn thinning_leaves_at_most_so_many() {
        for count in 1..40 {
            for most in 0..40 {
                let frames: Vec<usize> = (0..count).collect();
                let kept = thin(&frames, thinning(count, most));
                assert!(kept.len() <= most.max(2), "{most} of {count}: {kept:?}");
                assert!(
                    kept.len() == count || 2 * kept.len() >= most,
                    "{most} of {count}: {kept:?}"
                );
                assert_eq!((kept.first(), kept.last()), (frames.first(), frames.last()));
            }
        }
    }

    #[test]
    fn too_long_a_run_is_thinned_and_the_file_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sample.riprap");
        let mut writer = Writer::create(&path, false, &samples::model(2), "", &[]).unwrap();
        for step in 0..10 {
            writer.frame(&samples::frame(step, 2)).unwrap();
        }
        let reader = Reader::open(&path).unwrap();
        let frames: Vec<usize> = (0..10).collect();
        let contents = |most_path_bytes| {
            let file = file_within(&reader, &frames, most_path_bytes).unwrap();
            let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
            serde_json::from_slice::<Value>(&file[20..20 + length]).unwrap()
        };
        // Room for five frames of two bodies at 28 bytes each.
        let text = contents(280);
        let extras = &text["asset"]["extras"];
        assert_eq!(extras["kept"], "one in 3 and the last, to keep the file small");
        assert_eq!([&extras["frames_of_the_run"], &extras["frames_kept"]], [10, 4]);
        let sampler = &text["animations"][0]["samplers"][1];
        let times = &text["accessors"][sampler["input"].as_u64().unwrap() as usize];
        assert_eq!(times["count"], 4);
        assert_eq!(times["max"], json!([9_f32 / 24.0]), "it takes as long as the whole run");
        assert_eq!(contents(560)["asset"]["extras"]["kept"], "all");
    }

    #[test]
    fn a_run_without_bodies_is_an_empty_container() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sample.riprap");
        let mut writer = Writer::create(&path, false, &samples::model(0), "", &[]).unwrap();
        for step in 0..2 {
            writer.frame(&samples::frame(step, 0)).unwrap();
        }
        let file = file(&Reader::open(&path).unwrap(), &[0, 1]).unwrap();
        let text = String::from_utf8_lossy(&file);
        assert!(text.contains(r#""children":[0]"#) && !text.contains("animations"), "{text}");
    }

    #[test]
    fn flat_containers_become_walls() {
        let mut model = samples::model(2);
        assert_eq!(walls(&model).triangles.len(), 12);
        model.boundary = Boundary::from_polygon(&[[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]]);
        let walls = walls(&model);
        assert_eq!((walls.vertices.len(), walls.triangles.len()), (6, 6));
        let largest = model.bodies[1].radius;
        assert_eq!((walls.bounds().min.z, walls.bounds().max.z), (-largest, largest));
    }

    #[test]
    fn only_what_has_z_up_is_turned() {
        let mut model = samples::model(1);
        let [x, _, _, w] = [0, 1, 2, 3].map(|k| root(&model, &[])["rotation"][k].as_f64().unwrap());
        // The formula of a rotation about x by a quaternion, for the vector z.
        assert!((-2.0 * x * w - 1.0).abs() < 1e-15, "z becomes y");
        model.dimension = 2;
        assert_eq!(root(&model, &[7]), json!({"name": "sample", "children": [7]}));
    }

    #[test]
    fn light_is_not_what_screens_show() {
        assert_eq!(linear([0, 255, 0]), [0.0, 1.0, 0.0]);
        assert!((linear([128, 0, 0])[0] - 0.2159).abs() < 1e-4);
        assert!((linear([10, 0, 0])[0] - 0.003035).abs() < 1e-6);
    }
}
