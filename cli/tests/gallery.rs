//! A few steps of scenes of the gallery, through every command that looks at a
//! run: numbers are finite, and files for other programs, pictures and pages are made.
//! `tools/gallery` does the same with whole runs of all of them.

mod common;

use common::Shell;

/// At least one for each method; with cloth, with joints, without gravity, flat ones.
const SAMPLE: [&str; 8] = [
    "box-3",
    "hourglass-2d",
    "clump",
    "tower-5x5",
    "card-house-3d",
    "mobile",
    "t-handle",
    "jigsaw",
];

#[test]
fn some_scenes_are_looked_at() {
    SAMPLE.into_iter().for_each(look_at);
}

fn look_at(scene: &str) {
    let shell = Shell::new();
    shell.riprap(&format!("run {scene} -o run.riprap --max-steps 3"));
    let text = shell.riprap("measure run.riprap").ok().out;
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    assert!(!words.any(|word| ["inf", "nan"].contains(&word.to_lowercase().as_str())), "{text}");
    // What is not finite is no number in JSON.
    let json = shell.json("measure run.riprap --json");
    for key in ["energy_start", "energy_end", "max_overlap", "height", "height_of_mass"] {
        assert!(json[key].is_number(), "{key} of {scene}: {json}");
    }
    let rigid = json["particles"] == 0;
    let balls = riprap::trajectory::Reader::open(&shell.path("run.riprap"))
        .is_ok_and(|run| rigid && !run.model().has_solids());
    for ending in ["xyz", "csv", "npz", "vtp", "pvd", "glb", "stl", "obj"] {
        shell.riprap(&format!("export run.riprap -o run.{ending}")).ok();
    }
    let lammps = shell.riprap("export run.riprap -o run.data");
    assert_eq!(lammps.status, Some(if balls { 0 } else { 2 }), "{scene}: {}", lammps.err);
    shell.riprap("render run.riprap -o run.png --size 48x36 --samples 1").ok();
    shell.riprap("view run.riprap -o run.html").ok();
}
