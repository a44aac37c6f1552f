//! What other programs get is what happened: every format, read back by small
//! parsers of its own, gives the positions, radii and forces of the run.
//! `tools/check_exports` does the same with the programs themselves.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use riprap::export::{Options, Selection, export};
use riprap::math::{DQuat, DVec3};
use riprap::run;
use riprap::scene::{Scene, gallery};
use riprap::shape::Shape;
use riprap::trajectory::{Frame, Reader, Report, StepKind, Writer};
use riprap::world::{Model, State, Weight};
use serde_json::Value;

use crate::common::python;

/// A run of a small scene to rest, and the folder it is in.
struct Run {
    folder: tempfile::TempDir,
    reader: Reader,
    frames: Vec<Vec<DVec3>>,
}

impl Run {
    fn of(scene: &str) -> Run {
        Run::of_scene(&gallery::scene(scene).unwrap())
    }

    fn of_scene(scene: &Scene) -> Run {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run.riprap");
        let interrupted = AtomicBool::new(false);
        let options = run::Options {
            out: out.clone(),
            force: false,
            max_steps: None,
            interrupted: &interrupted,
            progress: &mut |_| (),
        };
        run::run(scene, options).unwrap();
        let reader = Reader::open(&out).unwrap();
        let frames = reader.frames().map(|frame| frame.unwrap().state.positions).collect();
        Run { folder, reader, frames }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn export(&self, name: &str, frames: Selection) -> PathBuf {
        let options = Options { frames, ..Options::default() };
        export(&self.reader, &self.path(name), &options).unwrap();
        self.path(name)
    }

    fn last(&self) -> &[DVec3] {
        self.frames.last().unwrap()
    }

    fn radii(&self) -> Vec<f64> {
        self.reader.model().bodies.iter().map(|body| body.radius).collect()
    }
}

fn numbers(line: &str) -> Vec<f64> {
    line.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

#[test]
fn a_dump_has_every_bit_of_every_frame() {
    let run = Run::of("box-3");
    let text = fs::read_to_string(run.export("run.dump", Selection::All)).unwrap();
    let blocks: Vec<&str> = text.split("ITEM: TIMESTEP\n").skip(1).collect();
    assert_eq!(blocks.len(), run.frames.len());
    for (step, (block, positions)) in blocks.iter().zip(&run.frames).enumerate() {
        let lines: Vec<&str> = block.lines().collect();
        assert_eq!(lines[..3], [&step.to_string(), "ITEM: NUMBER OF ATOMS", "27"]);
        let sides: Vec<Vec<f64>> = lines[4..7].iter().map(|line| numbers(line)).collect();
        assert_eq!(sides, [[0.0, 3.6], [0.0, 3.6], [0.0, 4.6]]);
        let bodies: Vec<Vec<f64>> = lines[8..].iter().map(|line| numbers(line)).collect();
        for (id, (body, p)) in bodies.iter().zip(positions).enumerate() {
            assert_eq!(body[..], [id as f64 + 1.0, 1.0, p.x, p.y, p.z, 0.5, 1.0]);
        }
        assert_eq!(bodies.len(), 27);
    }
}

#[test]
fn a_data_file_is_of_the_last_frame_unless_another_is_asked_for() {
    let run = Run::of("box-3");
    let places = |selection| -> Vec<DVec3> {
        let text = fs::read_to_string(run.export("run.data", selection)).unwrap();
        let (_, atoms) = text.split_once("Atoms # sphere\n\n").unwrap();
        atoms.lines().map(|line| DVec3::from_slice(&numbers(line)[4..])).collect()
    };
    assert_eq!(places(Selection::Fitting), run.last());
    assert_eq!(places(Selection::Last), run.last());
    assert_eq!(places(Selection::One(2)), run.frames[2]);
}

/// The arrays of a .vtp file by their names, as bytes.
fn read_vtp(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let text = fs::read_to_string(path).unwrap();
    let arrays = text.split("<DataArray ").skip(1).map(|array| {
        let (_, named) = array.split_once("Name=\"").unwrap();
        let (name, rest) = named.split_once('"').unwrap();
        let (_, rest) = rest.split_once('>').unwrap();
        let bytes = from_base64(rest.split_once('<').unwrap().0);
        let size = u64::from_le_bytes(bytes[..8].try_into().unwrap());
        assert_eq!(size as usize, bytes.len() - 8);
        (name.to_string(), bytes[8..].to_vec())
    });
    arrays.collect()
}

fn from_base64(letters: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => panic!("{letter} is no letter of base64"),
    };
    let bare = letters.trim_end_matches('=');
    let bits: Vec<u8> =
        bare.bytes().flat_map(|l| (0..6).rev().map(move |k| value(l) >> k & 1)).collect();
    bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |sum, bit| sum << 1 | bit)).collect()
}

fn floats(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
}

fn integers(bytes: &[u8]) -> Vec<i64> {
    bytes.chunks(8).map(|b| i64::from_le_bytes(b.try_into().unwrap())).collect()
}

fn vectors(bytes: &[u8]) -> Vec<DVec3> {
    floats(bytes).chunks(3).map(DVec3::from_slice).collect()
}

#[test]
fn paraview_gets_every_bit_of_every_frame() {
    let run = Run::of("box-3");
    let list = fs::read_to_string(run.export("run.pvd", Selection::Fitting)).unwrap();
    let entries: Vec<&str> = list.lines().filter(|line| line.starts_with("<DataSet")).collect();
    assert_eq!(entries.len(), run.frames.len());
    for (step, (entry, positions)) in entries.iter().zip(&run.frames).enumerate() {
        let file = format!("run_pvd/frame_{step:06}.vtp");
        let expected = format!("<DataSet timestep=\"{step}\" part=\"0\" file=\"{file}\"/>");
        assert_eq!(**entry, expected);
        let arrays = read_vtp(&run.path(&file));
        assert_eq!(vectors(&arrays["Points"]), *positions);
        assert_eq!(floats(&arrays["radius"]), run.radii());
        assert_eq!(floats(&arrays["mass"]), [1.0; 27]);
        assert_eq!(integers(&arrays["group"]), [0; 27]);
        assert_eq!(integers(&arrays["id"]), (0..27).collect::<Vec<_>>());
        let moved = positions.iter().zip(&run.frames[0]).map(|(&now, &start)| now - start);
        assert_eq!(vectors(&arrays["displacement"]), moved.collect::<Vec<_>>());
    }
    let alone = run.export("alone.vtp", Selection::Fitting);
    let last = run.path(&format!("run_pvd/frame_{:06}.vtp", entries.len() - 1));
    assert_eq!(fs::read(alone).unwrap(), fs::read(last).unwrap());
    let forces = fs::read(run.path("alone_forces.vtp")).unwrap();
    assert_eq!(forces, fs::read(run.path("run_pvd/forces.vtp")).unwrap());
}

#[test]
fn a_later_export_replaces_the_folder_of_an_earlier_one() {
    let run = Run::of("box-3");
    let path = run.export("run.pvd", Selection::All);
    let count = || fs::read_dir(run.path("run_pvd")).unwrap().count();
    assert_eq!(count(), run.frames.len() + 1);
    let options = Options { every: NonZeroUsize::new(5), ..Options::default() };
    export(&run.reader, &path, &options).unwrap();
    let kept = (run.frames.len() - 1).div_ceil(5) + 1;
    assert_eq!(count(), kept + 1);
    assert_eq!(fs::read_to_string(&path).unwrap().matches("<DataSet").count(), kept);

    fs::write(run.path("run_pvd/thesis.txt"), "").unwrap();
    let problem = export(&run.reader, &path, &options).unwrap_err();
    assert_eq!(problem.message, "the folder holds `thesis.txt`, which no export put there");
    assert_eq!(count(), kept + 2);
}

/// The strongest check of the lines: along them, the forces carry every body.
#[test]
fn the_exported_forces_balance_the_weights() {
    for scene in ["box-3", "hourglass-2d"] {
        let run = Run::of(scene);
        run.export("heap.vtp", Selection::Last);
        let arrays = read_vtp(&run.path("heap_forces.vtp"));
        let (ends, forces) = (vectors(&arrays["Points"]), floats(&arrays["force"]));
        let (bodies, with) = (integers(&arrays["body"]), integers(&arrays["with"]));
        let kinds = integers(&arrays["kind"]);
        let vectors_of = vectors(&arrays["force_vector"]);
        let contacts = run.reader.ending().unwrap().contacts.len();
        assert_eq!([forces.len(), 2 * forces.len()], [contacts, ends.len()]);
        assert_eq!(integers(&arrays["offsets"]).last(), Some(&(2 * contacts as i64)));

        let model = run.reader.model();
        let mut sums: Vec<DVec3> = model.bodies.iter().map(|b| b.mass * model.gravity).collect();
        for k in 0..contacts {
            let [from, to] = [ends[2 * k], ends[2 * k + 1]];
            let body = bodies[k] as usize;
            assert_eq!(from, run.last()[body]);
            let push = forces[k] * (from - to).normalize();
            assert!(push.distance(vectors_of[k]) < 1e-6 * forces[k], "contact {k}");
            sums[body] += push;
            if kinds[k] == 1 {
                let gap = model.boundary.nearest(to).unwrap().distance;
                assert!(gap < 1e-6, "contact {k} ends {gap} off the wall");
            } else {
                assert_eq!(to, run.last()[with[k] as usize]);
                sums[with[k] as usize] -= push;
            }
        }
        let worst = sums.iter().map(|sum| sum.length()).fold(0.0, f64::max);
        assert!(worst < 1e-6, "{scene}: {worst}");
        run.export("start.vtp", Selection::One(0));
        assert!(!run.path("start_forces.vtp").exists(), "forces are known at the end only");
    }
}

/// Where time passes, run files keep impulses; what other programs get are forces all the same.
#[test]
fn the_exported_forces_of_a_time_step_carry_the_weights() {
    let text = r#"
        name = "standing"
        gravity = [0, 0, -9.81]
        container = { shape = "box", min = [-1, -1, 0], max = [1, 1, 3] }
        bodies = [{ group = "cube", shape = { kind = "box", size = [0.5, 0.5, 0.5] }, position = [0, 0, 0.25] }]
        METHOD
    "#;
    for method in ["dynamics = { steps = 60 }", "collapse = { steps = 60 }"] {
        let name = method.split(' ').next().unwrap();
        let text = text.replace("METHOD", &format!("method = \"{name}\"\n{method}"));
        let run = Run::of_scene(&Scene::from_text(&text, Path::new("standing.toml")).unwrap());
        run.export("cube.vtp", Selection::Last);
        let forces = vectors(&read_vtp(&run.path("cube_forces.vtp"))["force_vector"]);
        let weight = 9.81 * run.reader.model().bodies[0].mass;
        let carried = forces.iter().sum::<DVec3>().z;
        assert!((carried / weight - 1.0).abs() < 1e-3, "{name}: {carried} for {weight}");
        let (time_step, _) = run.reader.model().method.time().unwrap();
        let time = floats(&read_vtp(&run.path("cube.vtp"))["TimeValue"])[0];
        assert!((time - 60.0 * time_step).abs() < 1e-9, "{name}: {time}");
    }
}

/// The text and the numbers of a .glb file.
fn read_glb(path: &Path) -> (Value, Vec<u8>) {
    let bytes = fs::read(path).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
    let numbers = 20 + word(12) + 8;
    assert_eq!(word(numbers - 8), bytes.len() - numbers);
    (serde_json::from_slice(&bytes[20..numbers - 8]).unwrap(), bytes[numbers..].to_vec())
}

/// The numbers that an accessor speaks of.
fn accessor(text: &Value, numbers: &[u8], place: &Value) -> Vec<f32> {
    let index = |value: &Value| value.as_u64().unwrap() as usize;
    let accessor = &text["accessors"][index(place)];
    let view = &text["bufferViews"][index(&accessor["bufferView"])];
    let start = index(&view["byteOffset"]) + index(&accessor["byteOffset"]);
    let parts = if accessor["type"] == "VEC3" { 3 } else { 1 };
    let bytes = &numbers[start..start + 4 * parts * index(&accessor["count"])];
    bytes.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

fn single(v: DVec3) -> [f32; 3] {
    v.to_array().map(|x| x as f32)
}

#[test]
fn blender_gets_every_body_moving_as_in_the_run() {
    let run = Run::of("box-3");
    let (text, numbers) = read_glb(&run.export("run.glb", Selection::All));
    let nodes = text["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 27 + 2, "the bodies, the container and the root");
    let root = text["scenes"][0]["nodes"][0].as_u64().unwrap() as usize;
    assert_eq!(nodes[root]["children"].as_array().unwrap().len(), 28);
    let animation = &text["animations"][0];
    assert_eq!(animation["channels"].as_array().unwrap().len(), 27);
    for channel in animation["channels"].as_array().unwrap() {
        let id = channel["target"]["node"].as_u64().unwrap() as usize;
        assert_eq!(channel["target"]["path"], "translation");
        assert_eq!(nodes[id]["scale"], serde_json::json!([0.5, 0.5, 0.5]));
        assert_eq!(nodes[id]["name"], format!("spheres {id}"));
        let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
        assert_eq!(sampler["interpolation"], "LINEAR");
        let times = accessor(&text, &numbers, &sampler["input"]);
        let path = accessor(&text, &numbers, &sampler["output"]);
        assert_eq!(times.len(), run.frames.len());
        for (frame, (&time, place)) in times.iter().zip(path.chunks(3)).enumerate() {
            assert_eq!(time, frame as f32 / 24.0);
            assert_eq!(place, single(run.frames[frame][id]));
        }
    }
    let extras = &text["asset"]["extras"];
    assert_eq!((&extras["kept"], &extras["run"]), (&"all".into(), &"box-3".into()));
}

#[test]
fn one_frame_alone_stands_still_in_blender() {
    let run = Run::of("hourglass-2d");
    let (text, _) = read_glb(&run.export("run.glb", Selection::Last));
    assert_eq!(text.get("animations"), None);
    for (id, &position) in run.last().iter().enumerate() {
        let place = text["nodes"][id]["translation"].as_array().unwrap();
        let place: Vec<f32> = place.iter().map(|x| x.as_f64().unwrap() as f32).collect();
        assert_eq!(place, single(position));
    }
    let root = text["nodes"].as_array().unwrap().last().unwrap();
    assert_eq!(root.get("rotation"), None, "flat scenes have y up, as glTF has");
}

/// A box of 2, 1 and 0.5, turned and moved: its corners, and a run of one frame with it.
fn turned_box() -> (Vec<DVec3>, Run) {
    let (at, turn) =
        (DVec3::new(0.3, -0.7, 1.1), DQuat::from_scaled_axis(DVec3::new(0.4, -0.9, 1.3)));
    let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
    model.group("boxes");
    let shape = Shape::cuboid(DVec3::new(2.0, 1.0, 0.5)).unwrap();
    model.add(&mut state, shape, at, turn, Weight::Density(1.0)).unwrap();
    let signs =
        (0..8).map(|k| DVec3::from_array([k, k >> 1, k >> 2].map(|b| (b & 1) as f64 - 0.5)));
    let corners = signs.map(|s| at + turn * (s * DVec3::new(2.0, 1.0, 0.5))).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("box.riprap");
    let frame = Frame {
        step: 0,
        kind: StepKind::Start,
        energy: 0.0,
        state,
        contacts: Vec::new(),
        trace: Default::default(),
        report: Report::default(),
        seconds: Vec::new(),
    };
    Writer::create(&path, false, &model, "", &[]).unwrap().frame(&frame).unwrap();
    let reader = Reader::open(&path).unwrap();
    (corners, Run { folder, reader, frames: vec![frame.state.positions] })
}

/// Every corner that was found is one that was expected, and the other way round.
#[track_caller]
fn assert_corners(found: &[DVec3], expected: &[DVec3], what: &str) {
    let nearest =
        |p: &DVec3, all: &[DVec3]| all.iter().map(|q| p.distance(*q)).fold(f64::INFINITY, f64::min);
    let there = found.iter().map(|p| nearest(p, expected)).fold(0.0, f64::max);
    let back = expected.iter().map(|p| nearest(p, found)).fold(0.0, f64::max);
    assert!(!found.is_empty() && there < 1e-6 && back < 1e-6, "{what}: {there:e}, {back:e}");
}

#[test]
fn a_turned_box_keeps_its_corners_in_every_format() {
    let (corners, run) = turned_box();
    let stl = fs::read(run.export("box.stl", Selection::Last)).unwrap();
    let float = |bytes: &[u8]| f64::from(f32::from_le_bytes(bytes.try_into().unwrap()));
    let found = stl[84..].chunks(50).flat_map(|triangle| triangle[12..48].chunks(12));
    let found: Vec<DVec3> =
        found.map(|v| DVec3::from_array([0, 4, 8].map(|k| float(&v[k..k + 4])))).collect();
    assert_corners(&found, &corners, "STL");

    let obj = fs::read_to_string(run.export("box.obj", Selection::Last)).unwrap();
    let found = obj.lines().filter_map(|line| line.strip_prefix("v "));
    let found: Vec<DVec3> = found.map(|line| DVec3::from_slice(&numbers(line))).collect();
    assert_corners(&found, &corners, "OBJ");

    run.export("box.vtp", Selection::Last);
    let arrays = read_vtp(&run.path("box_shapes.vtp"));
    assert_corners(&vectors(&arrays["Points"]), &corners, "VTP");
    assert!(integers(&arrays["id"]).iter().all(|id| *id == 0));

    let own = run.reader.model().shape(0).triangles();
    let placed = |at: DVec3, turn: DQuat| -> Vec<DVec3> {
        own.iter().flatten().map(|corner| at + turn * *corner).collect()
    };
    let csv = fs::read_to_string(run.export("box.csv", Selection::Last)).unwrap();
    let (titles, line) = csv.trim_end().split_once('\n').unwrap();
    let column = |name: &str| -> f64 {
        let place = titles.split(',').position(|title| title == name).unwrap();
        line.split(',').nth(place).unwrap().parse().unwrap()
    };
    let at = DVec3::from_array(["x", "y", "z"].map(column));
    let turn = DQuat::from_array(["qx", "qy", "qz", "qw"].map(column));
    assert_corners(&placed(at, turn), &corners, "CSV");

    let (text, numbers) = read_glb(&run.export("box.glb", Selection::Last));
    let node = &text["nodes"][0];
    let read = |value: &Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let mesh = &text["meshes"][node["mesh"].as_u64().unwrap() as usize];
    let place = &mesh["primitives"][0]["attributes"]["POSITION"];
    let (at, turn) = (read(&node["translation"]), read(&node["rotation"]));
    let turn = DQuat::from_slice(&turn).normalize();
    let own = accessor(&text, &numbers, place);
    let own = own.chunks(3).map(|v| DVec3::new(v[0].into(), v[1].into(), v[2].into()));
    let found: Vec<DVec3> = own.map(|v| DVec3::from_slice(&at) + turn * v).collect();
    assert_corners(&found, &corners, "GLB");
}

#[test]
fn numpy_finds_a_turned_box() {
    let Some(mut python) = python("numpy_finds_a_turned_box") else { return };
    let (corners, run) = turned_box();
    let archive = run.export("box.npz", Selection::All);
    let script = r#"
import sys, numpy as np
run = np.load(sys.argv[1])
(at,), ((w, *axis),) = run["positions"][0], run["rotations"][0]
own = np.array([[x, y, z] for x in (-1, 1) for y in (-.5, .5) for z in (-.25, .25)])
across = np.cross(axis, own)
found = own + 2 * (w * across + np.cross(axis, across)) + at
expected = np.array(sys.argv[2].split(), float).reshape(8, 3)
apart = np.linalg.norm(found[:, None] - expected[None], axis=2)
assert apart.min(axis=0).max() < 1e-12 and apart.min(axis=1).max() < 1e-12
"#;
    let expected: Vec<String> =
        corners.iter().flat_map(|c| c.to_array()).map(|x| format!("{x:e}")).collect();
    let output = python.arg("-c").arg(script).arg(&archive).arg(expected.join(" ")).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn numpy_finds_the_same_in_every_format() {
    let Some(mut python) = python("numpy_finds_the_same_in_every_format") else { return };
    let run = Run::of("box-3");
    for ending in ["npz", "dump", "data", "pvd", "glb", "stl", "obj"] {
        run.export(&format!("run.{ending}"), Selection::Fitting);
    }
    let script = r#"
import base64, io, json, os, struct, sys
import xml.etree.ElementTree as xml
import numpy as np
os.chdir(sys.argv[1])
run = np.load("run.npz")
positions, radius, last = run["positions"], run["radius"], run["positions"][-1]
frames, bodies, _ = positions.shape

for step, block in enumerate(open("run.dump").read().split("ITEM: TIMESTEP\n")[1:]):
    table = np.loadtxt(io.StringIO(block.split("radius mass\n")[1]))
    assert (table[:, 2:5] == positions[step]).all() and (table[:, 5] == radius).all()
assert step == frames - 1

atoms = np.loadtxt(io.StringIO(open("run.data").read().split("Atoms # sphere")[1]))
assert (atoms[:, 4:] == last).all() and (atoms[:, 2] == 2 * radius).all()
assert np.allclose(atoms[:, 3] * np.pi / 6 * atoms[:, 2] ** 3, run["mass"], rtol=1e-14)

def array(document, name, dtype):
    raw = base64.b64decode(document.find(f".//DataArray[@Name='{name}']").text)
    assert struct.unpack_from("<Q", raw)[0] == len(raw) - 8
    return np.frombuffer(raw, dtype, offset=8)
for step, entry in enumerate(xml.parse("run.pvd").findall(".//DataSet")):
    document = xml.parse(entry.get("file"))
    assert (array(document, "Points", "<f8") == positions[step].ravel()).all()
    assert array(document, "TimeValue", "<f8")[0] == step == int(entry.get("timestep"))
assert step == frames - 1
forces = xml.parse("run_pvd/forces.vtp")
assert (array(forces, "force_vector", "<f8") == run["contacts_force"].ravel()).all()
assert (run["contacts_frame"] == frames - 1).all()
shapes = json.loads(str(run["shapes"][0]))
assert (np.array(shapes)[run["shape"]] == radius).all() and "time" not in run

glb = open("run.glb", "rb").read()
size = struct.unpack_from("<I", glb, 12)[0]
text, start = json.loads(glb[20:20 + size]), 28 + size
def numbers(place):
    accessor = text["accessors"][place]
    view = text["bufferViews"][accessor["bufferView"]]
    parts = {"SCALAR": 1, "VEC3": 3}[accessor["type"]]
    at = start + view["byteOffset"] + accessor["byteOffset"]
    return np.frombuffer(glb, "<f4", accessor["count"] * parts, at).reshape(-1, parts)
for body, sampler in enumerate(text["animations"][0]["samplers"]):
    assert (numbers(sampler["output"]) == positions[:, body].astype("<f4")).all()

kind = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("pad", "<u2")])
triangles = np.fromfile("run.stl", kind, offset=84)["corners"].reshape(bodies, -1, 3)
away = np.linalg.norm(triangles - last[:, None], axis=2)
assert np.abs(away - radius[:, None]).max() < 1e-6
lines = [line.split() for line in open("run.obj")]
corners = np.array([line[1:] for line in lines if line[0] == "v"], float).reshape(bodies, -1, 3)
away = np.linalg.norm(corners - last[:, None], axis=2)
assert np.abs(away - radius[:, None]).max() < 1e-14
"#;
    let output = python.arg("-c").arg(script).arg(run.folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
