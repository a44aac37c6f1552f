//! `verify` believes runs that keep their promises, and says what it could not check.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{broken, run_into};
use riprap::scene::{Scene, gallery};
use riprap::shape::Mesh;
use riprap::trajectory::{Outcome, Reader};
use riprap::verify::{Check, Verdict, verify};

/// Runs a scene into a folder.
fn run_scene(scene: &Scene, max_steps: Option<usize>) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run.riprap");
    run_into(&out, scene, max_steps).unwrap();
    (folder, out)
}

fn verdict_of(path: &Path) -> Verdict {
    verify(&Reader::open(path).unwrap()).unwrap()
}

fn verdict(scene: &Scene, max_steps: Option<usize>) -> Verdict {
    let (_folder, out) = run_scene(scene, max_steps);
    verdict_of(&out)
}

fn check<'a>(verdict: &'a Verdict, name: &str) -> &'a Check {
    verdict.checks.iter().find(|check| check.name == name).unwrap()
}

fn assert_at_rest(verdict: &Verdict) {
    assert!(verdict.ok(), "{:#?}", verdict.checks);
    assert_eq!(verdict.outcome, Some(Outcome::Rest));
    assert_eq!(verdict.max_overlap, Some(0.0));
    assert_eq!(verdict.max_overlap_between_frames, Some(0.0));
    assert_eq!(verdict.stable_to_second_order, Some(true));
    assert!(verdict.residual.unwrap() < 1e-6 && verdict.contacts.unwrap() > 0);
    assert_eq!(verdict.checks.len(), 14);
}

#[test]
fn runs_of_the_gallery_keep_their_promises() {
    for name in ["box-3", "hourglass-2d", "stack"] {
        let verdict = verdict(&gallery::scene(name).unwrap(), None);
        assert_at_rest(&verdict);
        let detail = &check(&verdict, "scene").detail;
        assert_eq!(detail, "the scene gives the model and the start of the run", "{name}");
    }
}

/// Spheres of very different sizes in a narrow, many-sided waist.
#[test]
fn a_run_in_a_container_with_reflex_edges_keeps_its_promises() {
    let text = r#"{
        "container": { "shape": "profile", "corners": [[0, 2.5], [3, 1.1], [9, 5]], "sides": 7 },
        "bodies": [
            { "grid": { "count": [3, 3, 2], "first": [-0.7, -0.7, 5.2], "spacing": 0.7, "jitter": 0.03 }, "radius": 0.3 },
            { "positions": [[0, 0, 7.2]], "radius": 0.7 },
            { "random": { "count": 20, "min": [-2, -2, 8], "max": [2, 2, 9] }, "radius": { "uniform": [0.05, 0.1] } }
        ]
    }"#;
    let scene = Scene::from_text(text, Path::new("waist.json")).unwrap();
    assert_at_rest(&verdict(&scene, None));
}

#[test]
fn a_chosen_seed_is_part_of_the_run() {
    let mut scene = gallery::scene("box-3").unwrap();
    scene.seed = 12;
    assert_at_rest(&verdict(&scene, None));
}

#[test]
fn a_mesh_that_cannot_be_found_again_is_mentioned() {
    let folder = tempfile::tempdir().unwrap();
    let prism = Mesh::profile(&[[0.0, 2.0], [5.0, 2.0]], 6);
    prism.write_stl_binary(&folder.path().join("prism.stl")).unwrap();
    let text = r#"
        container = { shape = "mesh", file = "prism.stl" }
        [[bodies]]
        grid = { count = [2, 2, 2], first = [-0.6, -0.6, 1], spacing = 1.2, jitter = 0.1 }
        radius = 0.45
    "#;
    let scene = Scene::from_text(text, &folder.path().join("prism.toml")).unwrap();
    let verdict = verdict(&scene, None);
    assert_at_rest(&verdict);
    let detail = &check(&verdict, "scene").detail;
    assert_eq!(detail, "not checked: the scene's file prism.stl is not here");
}

#[test]
fn a_mesh_of_the_gallery_is_found_again() {
    let verdict = verdict(&gallery::scene("tube").unwrap(), Some(2));
    assert!(verdict.ok(), "{:#?}", verdict.checks);
    assert!(!check(&verdict, "scene").detail.starts_with("not checked"));
}

#[test]
fn of_a_run_that_was_cut_short_only_the_end_is_missing() {
    let (_folder, out) = run_scene(&gallery::scene("box-3").unwrap(), None);
    let bytes = fs::read(&out).unwrap();
    for (part, outcome) in [(bytes.len() / 2, None), (bytes.len() - 1, Some(Outcome::Rest))] {
        let cut = out.with_extension(part.to_string());
        fs::write(&cut, &bytes[..part]).unwrap();
        let verdict = verdict_of(&cut);
        let failed: &[&str] = if outcome.is_some() { &[] } else { &["ending"] };
        assert_eq!((broken(&verdict), verdict.outcome), (failed.to_vec(), outcome), "{verdict:?}");
        assert_eq!(verdict.residual.is_some(), outcome.is_some());
        assert!(verdict.frames > 2 && verdict.max_energy_rise == Some(0.0));
    }
}

#[test]
fn a_damaged_file_is_an_error() {
    let (_folder, out) = run_scene(&gallery::scene("stack").unwrap(), None);
    let mut bytes = fs::read(&out).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&out, bytes).unwrap();
    let result = Reader::open(&out).and_then(|reader| verify(&reader));
    let problem = result.unwrap_err();
    assert!(problem.message.contains("checksum"), "{problem}");
}

#[test]
fn scripts_find_what_they_look_for() {
    let json = |max_steps| {
        let verdict = verdict(&gallery::scene("stack").unwrap(), max_steps);
        serde_json::to_value(verdict).unwrap()
    };
    let whole = json(None);
    assert_eq!(whole["ok"], true);
    assert_eq!(whole["outcome"], "rest");
    for key in [
        "frames",
        "max_overlap",
        "max_overlap_between_frames",
        "max_energy_rise",
        "residual",
        "contacts",
        "neutral_modes",
    ] {
        assert!(whole[key].is_number(), "{key}");
    }
    assert_eq!(whole["stable_to_second_order"], true);
    assert_eq!(whole["hash"].as_str().unwrap().len(), 16);
    let first = serde_json::json!({
        "name": "steps",
        "ok": true,
        "value": null,
        "limit": null,
        "phase": null,
        "detail": format!("{} frames, counted without a gap", whole["frames"]),
    });
    assert_eq!(whole["checks"][0], first);

    let part = json(Some(1));
    assert_eq!(part["ok"], true);
    assert_eq!(part["outcome"], "step-limit");
    for key in ["residual", "contacts", "stable_to_second_order", "neutral_modes"] {
        assert!(part[key].is_null(), "{key}");
    }
}
