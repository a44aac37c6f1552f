//! Every scene of the gallery builds, with the counts and extents that its
//! paper or its purpose pins down, and means the same in TOML and in JSON.

use std::path::Path;

use riprap::math::DVec3;
use riprap::scene::{Reach, Scene, gallery};
use riprap::world::{self, Model, State};

fn build(name: &str) -> (Scene, Model, State) {
    let scene = gallery::scene(name).unwrap_or_else(|problem| panic!("{problem}"));
    let (model, state) = world::build(&scene).unwrap_or_else(|problem| panic!("{problem}"));
    (scene, model, state)
}

/// Least and greatest coordinates of the centres.
fn extent(state: &State) -> (DVec3, DVec3) {
    let least = state.positions.iter().copied().reduce(DVec3::min).unwrap();
    let greatest = state.positions.iter().copied().reduce(DVec3::max).unwrap();
    (least, greatest)
}

/// Whether both corners are within `jitter` of what they should be, and not exactly there.
fn assert_extent(state: &State, least: DVec3, greatest: DVec3, jitter: f64) {
    let (found_least, found_greatest) = extent(state);
    for off in [found_least - least, found_greatest - greatest] {
        assert!(off.abs().max_element() <= jitter + 1e-12, "{off}");
        assert!(jitter == 0.0 || off.abs().max_element() > 0.1 * jitter, "{off}");
    }
}

#[test]
fn every_scene_builds() {
    for name in gallery::names() {
        let (scene, model, state) = build(name);
        assert_eq!((scene.name.as_str(), model.name.as_str()), (name, name));
        assert_eq!(scene.method, model.method.name());
        assert_eq!(model.bodies.len(), state.positions.len());
        assert_eq!(scene.text(), gallery::find(name).unwrap());
    }
}

#[test]
fn the_files_of_the_folder_are_the_gallery() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
    let mut count = 0;
    for file in std::fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let name = path.file_stem().unwrap().to_str().unwrap();
            let from_file = Scene::from_file(&path).unwrap();
            assert_eq!(from_file, gallery::scene(name).unwrap());
            count += 1;
        }
    }
    assert_eq!(count, gallery::names().count());
    let from_file = Scene::from_file(&folder.join("tube.toml")).unwrap();
    assert_eq!(world::build(&from_file).unwrap().1, build("tube").2);
}

#[test]
fn boxes() {
    for k in [3, 4, 5, 6, 10] {
        let (_, model, state) = build(&format!("box-{k}"));
        assert_eq!(model.bodies.len(), k * k * k);
        assert!(model.bodies.iter().all(|body| (body.radius, body.mass) == (0.5, 1.0)));
        let last = 0.6 + 1.2 * (k as f64 - 1.0);
        assert_extent(&state, DVec3::splat(0.6), DVec3::splat(last), 0.08);
        let bounds = model.boundary.bounds();
        let width = 1.2 * k as f64;
        assert_eq!(bounds.min, DVec3::ZERO);
        assert!((bounds.max - DVec3::new(width, width, width + 1.0)).length() < 1e-12);
        assert_eq!((model.method.settle().reach, model.gravity), (Reach::RotatedCube, -DVec3::Z));
    }
}

#[test]
fn the_peers_start_from_the_same_numbers() {
    let (_, model, state) = build("box-10-peers");
    assert_eq!(model.bodies.len(), 1000);
    let first = ["0.60189145995204107", "0.67207419141214964", "0.54306553803514135"];
    assert_eq!(state.positions[0].to_array(), first.map(|x| x.parse::<f64>().unwrap()));
    assert_eq!(model.boundary.bounds().max, DVec3::new(12.0, 12.0, 13.0));
}

#[test]
fn hourglasses() {
    for (name, layers, reach, conservative, proximal) in [
        ("hourglass", 10, Reach::GrowingBox, 0.0, 1e-3),
        ("hourglass-plain", 10, Reach::RotatedCube, 0.0, 1e-3),
        ("hourglass-l1", 10, Reach::GrowingBox, 1e-3, 0.0),
        ("hourglass-500", 5, Reach::GrowingBox, 0.0, 1e-3),
    ] {
        let (_, model, state) = build(name);
        assert_eq!(model.bodies.len(), 100 * layers);
        let settle = model.method.settle();
        assert_eq!(
            (settle.reach, settle.conservative, settle.proximal),
            (reach, conservative, proximal)
        );
        let least = DVec3::new(-4.725, -4.725, 25.6);
        let steps = DVec3::new(9.0, 9.0, layers as f64 - 1.0);
        assert_extent(&state, least, least + 1.05 * steps, 0.02);
        // 160 side faces as in the paper, each of two triangles, and two caps of 32.
        assert_eq!(model.boundary.faces().len(), 2 * 160 + 2 * 32);
        let bounds = model.boundary.bounds();
        assert_eq!((bounds.min.z, bounds.max.z, bounds.max.x), (0.0, 40.0, 8.0));
    }
}

#[test]
fn the_flat_hourglass() {
    let (_, model, state) = build("hourglass-2d");
    assert_eq!((model.dimension, model.bodies.len()), (2, 10));
    assert_eq!(model.gravity, -DVec3::Y);
    assert_eq!(model.boundary.faces().len(), 12);
    assert!(state.positions.iter().all(|p| p.z == 0.0 && p.y > 9.5));
}

#[test]
fn the_heavy_bead() {
    let (_, model, state) = build("heavy-bead");
    assert_eq!(model.groups, ["bed", "bead"]);
    assert_eq!(model.bodies.len(), 401);
    let bead = model.bodies[400];
    assert_eq!((bead.radius, bead.mass, bead.group), (2.5, 200.0, 1));
    assert!(state.positions[..400].iter().all(|p| p.z + 0.5 < state.positions[400].z - 2.5));
}

#[test]
fn the_tube() {
    let (_, model, state) = build("tube");
    assert_eq!(model.bodies.len(), 400);
    let radii: Vec<f64> = model.bodies.iter().map(|body| body.radius).collect();
    assert!(radii.iter().all(|r| (0.15..=0.6).contains(r)));
    assert!(radii.is_sorted_by(|a, b| a >= b), "the largest are placed first");
    let median = 0.5 * (radii[199] + radii[200]);
    assert!((median - 0.3).abs() < 0.02, "{median}");
    assert!(state.positions.iter().all(|p| (8.0..=28.0).contains(&p.z)));
    assert!(model.bodies.iter().all(|b| (b.mass / b.radius.powi(3) - 4.18879).abs() < 1e-5));
}

#[test]
fn the_stack_and_the_lone_sphere() {
    let (_, _, state) = build("stack");
    let gaps = state.positions.windows(2).map(|pair| pair[0].distance(pair[1]));
    assert_eq!(gaps.collect::<Vec<_>>(), [1.0; 4]);
    let (_, model, state) = build("lone-sphere");
    assert_eq!(model.bodies.len(), 65);
    assert_eq!(state.positions[64], DVec3::new(36.0, 3.0, 0.5));
}

#[test]
fn the_seed_decides_and_nothing_else() {
    let (mut scene, _, first) = build("box-3");
    assert_eq!(first, world::build(&scene).unwrap().1);
    scene.seed = 2;
    assert_ne!(first, world::build(&scene).unwrap().1);
    // A further group does not change what an earlier one draws.
    let (_, _, heap) = build("lone-sphere");
    let text = gallery::find("lone-sphere").unwrap();
    let (first_group, _) = text.rsplit_once("[[bodies]]").unwrap();
    let alone = Scene::from_text(first_group, "alone.toml".as_ref()).unwrap();
    assert_eq!(world::build(&alone).unwrap().1.positions[..], heap.positions[..64]);
}

#[test]
fn toml_and_json_say_the_same() {
    let toml = r#"
        dimension = 3
        gravity = [0, 0, -2.5]
        [container]
        shape = "cylinder"
        radius = 5
        bottom = -1
        top = 20
        [[bodies]]
        group = "a"
        positions = [[0, 0, 0], [0, 0, 3]]
        radius = [0.5, 1]
        density = 2
        [[bodies]]
        group = "b"
        random = { count = 20, min = [-5, -5, 5] }
        radius = { table = [[0.2, 1], [0.4, 3]] }
        [settle]
        early_stop = 0.2
    "#;
    let json = r#"{
        "$schema": "scene.schema.json",
        "name": "vessel", "dimension": 3.0, "gravity": [0, 0, -25e-1],
        "container": { "shape": "cylinder", "radius": 5, "bottom": -1, "top": 20, "sides": 64 },
        "bodies": [
            { "group": "a", "positions": [[0, 0, 0], [0, 0, 3]], "radius": [0.5, 1], "density": 2 },
            { "group": "b", "random": { "count": 20, "min": [-5, -5, 5] },
              "radius": { "table": [[0.2, 1], [0.4, 3]] }, "density": 1 }
        ],
        "settle": { "early_stop": 0.2 }
    }"#;
    let toml = Scene::from_text(toml, Path::new("vessel.toml")).unwrap();
    let json = Scene::from_text(json, Path::new("other.json")).unwrap();
    assert_eq!(toml, json);
    let (model, state) = world::build(&toml).unwrap();
    assert_eq!(state, world::build(&json).unwrap().1);
    assert!(model.bodies[2..].iter().all(|body| body.radius == 0.2 || body.radius == 0.4));
    assert!(model.bodies[2..].iter().any(|body| body.radius == 0.2));
}

#[test]
fn sizes_follow_their_distribution() {
    let text = |radius: &str| {
        format!(
            "container = {{ shape = \"box\", min = [0, 0, 0], max = [400, 400, 4] }}\n[[bodies]]\n\
             grid = {{ count = [50, 50, 1], first = [2, 2, 2], spacing = 4 }}\nradius = {radius}\n"
        )
    };
    let radii = |radius: &str| -> Vec<f64> {
        let scene = Scene::from_text(&text(radius), Path::new("sizes.toml")).unwrap();
        world::build(&scene).unwrap().0.bodies.iter().map(|body| body.radius).collect()
    };
    let mean = |radii: &[f64]| radii.iter().sum::<f64>() / radii.len() as f64;
    let uniform = radii("{ uniform = [0.5, 1.5] }");
    assert!((mean(&uniform) - 1.0).abs() < 0.03 && uniform.iter().all(|r| (0.5..1.5).contains(r)));
    let logs: Vec<f64> =
        radii("{ lognormal = { median = 0.5, sigma = 0.2, min = 0.1, max = 1.9 } }")
            .iter()
            .map(|radius| (radius / 0.5).ln())
            .collect();
    let spread = mean(&logs.iter().map(|log| log * log).collect::<Vec<_>>()).sqrt();
    assert!(mean(&logs).abs() < 0.02 && (spread - 0.2).abs() < 0.01, "{spread}");
    let table = radii("{ table = [[0.5, 1], [1, 0], [1.5, 3]] }");
    let large = table.iter().filter(|&&radius| radius == 1.5).count() as f64 / 2500.0;
    assert!((large - 0.75).abs() < 0.03 && !table.contains(&1.0), "{large}");
}

#[test]
fn a_random_filling_reaches_thirty_percent_and_touches_nothing() {
    // 131 of 500 in volume, or 36 % of what the centres can reach; build checks for overlap.
    let text = "seed = 3\ncontainer = { shape = \"box\", min = [0, 0, 0], max = [10, 10, 5] }\n\
                [[bodies]]\nrandom = { count = 250 }\nradius = 0.5\n";
    let scene = Scene::from_text(text, Path::new("fill.toml")).unwrap();
    let (model, state) = world::build(&scene).unwrap();
    assert_eq!(model.bodies.len(), 250);
    assert_eq!(state, world::build(&scene).unwrap().1);
}
