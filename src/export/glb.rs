//! Binary glTF, for Blender and others: every body a sphere in the colour of
//! its group, moving as in the run, in a translucent container. glTF has y up,
//! so that 3D scenes hang from a node that turns them.

use std::collections::BTreeMap;
use std::f64::consts::FRAC_1_SQRT_2;
use std::num::NonZeroUsize;

use serde_json::{Value, json};

use super::gltf::Document;
use super::palette::DISTINCT;
use super::selection::thin;
use super::sphere::{check_drawable, how_far_inside, unit_sphere};
use crate::math::DVec3;
use crate::problem::Result;
use crate::shape::{Face, Mesh};
use crate::trajectory::Reader;
use crate::world::Model;

/// Positions take up to this many bytes. Programs make a key frame of every
/// coordinate, at many times the space, and more would choke them.
const MOST_PATH_BYTES: usize = 16_000_000;
/// The spheres on the screen have up to this many triangles together ...
const MOST_TRIANGLES: usize = 2_000_000;
/// ... and not more than 1280 each, which look round when they are shaded.
const MOST_SUBDIVISIONS: u32 = 3;
/// Steps have no duration of their own. At Blender's own rate each gets a whole frame there.
const FRAMES_PER_SECOND: usize = 24;

const GLASS: [u8; 3] = [205, 225, 235];

/// The whole file, thinned if it would become too large.
pub(super) fn file(reader: &Reader, frames: &[usize]) -> Result<Vec<u8>> {
    file_within(reader, frames, MOST_PATH_BYTES)
}

fn file_within(reader: &Reader, frames: &[usize], most_path_bytes: usize) -> Result<Vec<u8>> {
    let model = reader.model();
    let every = thinning(frames.len(), most_path_bytes / 12 / model.bodies.len().max(1));
    let kept = thin(frames, every);
    let paths = paths(reader, &kept)?;
    let sphere = unit_sphere(MOST_TRIANGLES / model.bodies.len().max(1), MOST_SUBDIVISIONS);

    let mut document = Document::default();
    let mut children = add_bodies(&mut document, model, &sphere, &paths, kept.len());
    if kept.len() > 1 && !model.bodies.is_empty() {
        let first = kept.first().copied().unwrap_or(0);
        let times = kept.iter().map(|frame| (frame - first) as f32 / FRAMES_PER_SECOND as f32);
        let times: Vec<f32> = times.collect();
        add_animation(&mut document, &children, &times, &paths);
    }
    children.extend(add_container(&mut document, model));
    let root = document.add("nodes", root(model, &children));
    let triangles = sphere.triangles.len();
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
        "frames_per_second": FRAMES_PER_SECOND,
        "spheres": format!("{triangles} triangles, {}", how_far_inside(&sphere)),
    });
    document.file(root, extras)
}

/// Every how many of `count` frames to keep, so that at most `most` are left
/// (but at least the first and the last).
fn thinning(count: usize, most: usize) -> NonZeroUsize {
    let steps = count.saturating_sub(1).div_ceil(most.saturating_sub(1).max(1));
    NonZeroUsize::new(steps).unwrap_or(NonZeroUsize::MIN)
}

/// Where each body is in each of the frames, body by body.
fn paths(reader: &Reader, frames: &[usize]) -> Result<Vec<[f32; 3]>> {
    let mut paths = vec![[0.0; 3]; frames.len() * reader.model().bodies.len()];
    for (place, &index) in frames.iter().enumerate() {
        let frame = reader.frame(index)?;
        check_drawable(reader.model(), index, &frame)?;
        let points = paths.iter_mut().skip(place).step_by(frames.len());
        for (point, position) in points.zip(&frame.positions) {
            *point = single(*position);
        }
    }
    Ok(paths)
}

/// One node for each body: the unit sphere in the material of the group, scaled.
fn add_bodies(
    document: &mut Document,
    model: &Model,
    sphere: &Mesh,
    paths: &[[f32; 3]],
    frames: usize,
) -> Vec<usize> {
    let (vertices, triangles) = add_geometry(document, sphere);
    // The corners of a unit sphere are its normals as well.
    let attributes = json!({"POSITION": vertices, "NORMAL": vertices});
    let groups = model.groups.iter().zip(DISTINCT.into_iter().cycle());
    let meshes: Vec<usize> = groups
        .map(|(group, colour)| {
            let material = document.add("materials", material(group, colour, 1.0, 0.5));
            add_mesh(document, group, &attributes, triangles, material)
        })
        .collect();
    let solids = add_solids(document, model);
    let starts = paths.iter().step_by(frames);
    let bodies = model.bodies.iter().zip(starts).enumerate().map(|(id, (body, start))| {
        let group = body.group as usize;
        let (mesh, scale) = match solids[id] {
            Some(mesh) => (Some(mesh), 1.0),
            None => (meshes.get(group).copied(), body.radius),
        };
        let node = json!({
            "name": format!("{} {id}", model.groups.get(group).map_or("", |name| name)),
            "mesh": mesh,
            "scale": single(DVec3::splat(scale)),
            "translation": start,
        });
        document.add("nodes", node)
    });
    bodies.collect()
}

/// For each body that is no sphere, its mesh; bodies of one shape and group share it.
fn add_solids(document: &mut Document, model: &Model) -> Vec<Option<usize>> {
    let mut known: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    let mut mesh_of = |id: usize| {
        let (solid, body) = (model.solid(id)?, &model.bodies[id]);
        let key = (body.shape?, body.group);
        Some(*known.entry(key).or_insert_with(|| {
            // Without shared corners and normals, faces are shaded flat.
            let (vertices, triangles) =
                add_geometry(document, &Mesh::from_triangles(&solid.triangles()));
            let name = model.groups.get(body.group as usize).map_or("", |name| name);
            let colour = DISTINCT[body.group as usize % DISTINCT.len()];
            let mut plain = material(name, colour, 1.0, 0.5);
            plain["doubleSided"] = (model.dimension == 2).into();
            let material = document.add("materials", plain);
            add_mesh(document, name, &json!({"POSITION": vertices}), triangles, material)
        }))
    };
    (0..model.bodies.len()).map(&mut mesh_of).collect()
}

/// Moves the nodes of the bodies along their paths, straight from frame to frame.
fn add_animation(document: &mut Document, nodes: &[usize], times: &[f32], paths: &[[f32; 3]]) {
    let input = document.times(times);
    let first = document.paths(paths, times.len());
    let sampler =
        |body: usize| json!({"input": input, "output": first + body, "interpolation": "LINEAR"});
    let channel = |(body, &node): (usize, &usize)| {
        let target = json!({"node": node, "path": "translation"});
        json!({"sampler": body, "target": target})
    };
    let samplers: Vec<Value> = (0..nodes.len()).map(sampler).collect();
    let channels: Vec<Value> = nodes.iter().enumerate().map(channel).collect();
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
        // Room for five frames of two bodies at 12 bytes each.
        let text = contents(120);
        let extras = &text["asset"]["extras"];
        assert_eq!(extras["kept"], "one in 3 and the last, to keep the file small");
        assert_eq!([&extras["frames_of_the_run"], &extras["frames_kept"]], [10, 4]);
        let sampler = &text["animations"][0]["samplers"][1];
        let times = &text["accessors"][sampler["input"].as_u64().unwrap() as usize];
        assert_eq!(times["count"], 4);
        assert_eq!(times["max"], json!([9_f32 / 24.0]), "it takes as long as the whole run");
        assert_eq!(contents(240)["asset"]["extras"]["kept"], "all");
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
