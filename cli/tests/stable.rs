//! `riprap stable`: answers that people and programs understand.

mod common;

use common::Shell;

#[test]
fn a_tower_that_falls_is_explained() {
    let shell = Shell::new();
    let done = shell.riprap("stable tower-5x5 -o mechanism.svg");
    assert_eq!((done.status, done.err.as_str()), (Some(0), ""));
    for part in [
        "tower-5x5: unstable (decided in exact arithmetic)",
        "drop at 0.2408 g",
        "friction from 0.2110 on",
        "the mechanism is drawn in mechanism.svg",
    ] {
        assert!(done.out.contains(part), "{part}\n{}", done.out);
    }
    assert!(String::from_utf8(shell.read("mechanism.svg")).unwrap().starts_with("<svg"));
}

#[test]
fn the_object_has_what_scripts_rely_on() {
    let shell = Shell::new();
    let falls = shell.json("stable inverted-triangle-3 --json");
    assert_eq!((&falls["verdict"], &falls["exact"]), (&"unstable".into(), &true.into()));
    assert!(falls["margin"].as_f64().unwrap() < 0.0);
    assert_eq!(falls["certificate"]["kind"], "mechanism");
    assert_eq!(falls["accelerations"].as_array().unwrap().len(), 7);
    assert_eq!(falls["accelerations"][0].as_array().unwrap().len(), 3);
    let stands = shell.json("stable diamond-3 --json --tilt --load 3:0,-1");
    assert_eq!(stands["verdict"], "stable");
    assert_eq!(stands["certificate"]["kind"], "forces");
    assert_eq!(stands["tilts"].as_array().unwrap().len(), 2);
    assert!((stands["load_factor"].as_f64().unwrap() - 2.0).abs() < 1e-9);
    assert_eq!(shell.json("stable diamond-3 --json --load 8:0,-1")["load_factor"], "unbounded");
    let lowest = shell.json("stable tower-5x5 --json --lowest");
    assert!((lowest["lowest_drop"].as_f64().unwrap() - 48.0 / 55.0).abs() < 1e-9);
    let solid = shell.json("stable wall-3d --json");
    assert_eq!(solid["accelerations"][0].as_array().unwrap().len(), 6);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let shell = Shell::new();
    let refused = |line: &str, words: &str| {
        let done = shell.riprap(line);
        assert_eq!(done.status, Some(2), "{line}");
        assert!(done.err.contains(words), "{line}: {}", done.err);
    };
    refused("stable hourglass", "`hourglass` is no scene of bricks");
    refused("stable diamond-3 --load 99:0,-1", "there is no brick 99 that can move");
    refused("stable diamond-3 --load up", "write the number of a brick and a force");
}

#[test]
fn a_fall_is_run_checked_and_drawn() {
    let shell = Shell::new();
    shell.write(
        "two.toml",
        "method = \"collapse\"\ndimension = 2\n[[bricks]]\n\
         tower = { family = \"leaning\", count = 2, lean = 0.6 }\n[collapse]\nsteps = 60\n",
    );
    let run = shell.json("run two.toml --json");
    assert_eq!((&run["method"], &run["outcome"]), (&"collapse".into(), &"duration".into()));
    assert!(run["energy_end"].as_f64() < run["energy_start"].as_f64());
    let verdict = shell.json("verify two.riprap --json");
    assert_eq!(verdict["ok"], true, "{verdict}");
    let drawn = shell.riprap("render two.riprap -o two.svg --strip 3");
    assert_eq!(drawn.status, Some(0), "{}", drawn.err);
    let svg = String::from_utf8(shell.read("two.svg")).unwrap();
    assert_eq!(svg.matches("<polygon").count(), 3 * 3);
    assert_eq!(
        shell.riprap("check two.toml").out,
        "two: fine. 3 bricks, 2 of them free to move, 2D, method collapse.\n"
    );
}
