//! The pictures of the documents are those that docs/pictures.md lists, made of
//! the scenes as they are now. `tools/pictures` makes them anew.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use riprap::run;
use riprap::scene::gallery;
use riprap::trajectory::Reader;

/// Runs that took less than this, in seconds, are made again to compare their bits.
const CHEAP: f64 = 1.0;

/// A picture, and what it was made of.
struct Made {
    picture: String,
    scene: String,
    command: String,
    scene_sum: String,
    run_hash: String,
    picture_sum: String,
    seconds: f64,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn list() -> Vec<Made> {
    let text = read("docs/pictures.md");
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let mut cells =
            row.split('|').skip(1).map(|cell| cell.trim().trim_matches('`').to_string());
        let mut next = || cells.next().unwrap_or_else(|| panic!("a cell is missing in {row}"));
        Made {
            picture: next(),
            scene: next(),
            command: next(),
            scene_sum: next(),
            run_hash: next(),
            picture_sum: next(),
            seconds: next().parse().unwrap_or_else(|_| panic!("the seconds of {row}")),
        }
    })
    .collect()
}

fn sum(bytes: &[u8]) -> String {
    format!("{:08x}", crc32fast::hash(bytes))
}

/// The scene, and after it the files of the gallery that it names, in order.
fn scene_bytes(scene: &str) -> Vec<u8> {
    let folder = root().join("scenes");
    let text = read(&format!("scenes/{scene}.toml"));
    let quoted = text.split('"').skip(1).step_by(2).map(|name| folder.join(name));
    let files = quoted.filter(|path| path.is_file()).flat_map(|path| std::fs::read(path).unwrap());
    text.bytes().chain(files).collect()
}

/// The hash of the last state of a new run.
fn hash_of_run(scene: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run.riprap");
    let options = run::Options {
        out: out.clone(),
        force: false,
        max_steps: None,
        interrupted: &AtomicBool::new(false),
        progress: &mut |_| (),
    };
    run::run(&gallery::scene(scene).unwrap(), options).unwrap();
    let reader = Reader::open(&out).unwrap();
    format!("{:016x}", reader.stored_hash(reader.len() - 1))
}

#[test]
fn every_picture_is_listed_and_every_listed_one_is_shown() {
    let mut listed: Vec<String> = list().into_iter().map(|made| made.picture).collect();
    listed.sort();
    let is_picture = |name: &String| {
        let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| ["png", "svg", "gif"].contains(&ending))
    };
    let files = std::fs::read_dir(root().join("docs")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut there: Vec<String> = names.filter(is_picture).collect();
    there.sort();
    assert_eq!(listed, there);
    let readme = read("README.md");
    for Made { picture, command, .. } in list() {
        assert!(
            readme.contains(&format!("](docs/{picture})")),
            "README.md does not show {picture}"
        );
        assert!(readme.contains(&format!("`{command}`")), "README.md does not say `{command}`");
    }
}

#[test]
fn pictures_are_of_the_scenes_as_they_are() {
    for Made { picture, scene, scene_sum, picture_sum, .. } in list() {
        let stale = format!("{picture} is out of date: make it anew with tools/pictures {picture}");
        assert_eq!(sum(&scene_bytes(&scene)), scene_sum, "{stale}");
        assert_eq!(
            sum(&std::fs::read(root().join("docs").join(&picture)).unwrap()),
            picture_sum,
            "{stale}"
        );
    }
}

fn runs_are_the_same(chosen: impl Fn(&Made) -> bool) {
    let mut known: Vec<(String, String)> = Vec::new();
    for Made { picture, scene, run_hash, .. } in list().into_iter().filter(chosen) {
        if !known.iter().any(|(name, _)| *name == scene) {
            known.push((scene.clone(), hash_of_run(&scene)));
        }
        let (_, hash) = known.iter().find(|(name, _)| *name == scene).unwrap();
        assert_eq!(*hash, run_hash, "the run of {scene} has changed: tools/pictures {picture}");
    }
}

#[test]
fn cheap_runs_have_the_bits_of_the_pictures() {
    runs_are_the_same(|made| made.seconds < CHEAP);
}

#[test]
fn whole_runs_have_the_bits_of_the_pictures() {
    runs_are_the_same(|made| made.seconds >= CHEAP);
}
