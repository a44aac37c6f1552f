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
        "the outer bricks of row 5 drop at 0.2408 g",
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
    let one = shell.json("stable diamond-3 --json --towards 1,0");
    assert_eq!(one["tilts"].as_array().unwrap().len(), 1);
    let solid = shell.json("stable wall-3d --json");
    assert_eq!(solid["accelerations"][0].as_array().unwrap().len(), 6);
}

#[test]
fn proofs_are_rendered_and_tilts_plotted() {
    let shell = Shell::new();
    shell.write(
        "crossed.toml",
        "method = \"collapse\"\n[[bricks]]\ntower = { family = \"crossed\", levels = 2 }\nfriction = 0.3\n",
    );
    let done = shell.riprap("stable crossed.toml -o proof.png --polar tilt.svg");
    assert_eq!((done.status, done.err.as_str()), (Some(0), ""));
    assert!(shell.read("proof.png").starts_with(b"\x89PNG"));
    assert!(String::from_utf8(shell.read("tilt.svg")).unwrap().contains("<polygon"));
}

#[test]
fn what_has_no_support_falls_freely() {
    let shell = Shell::new();
    shell.write(
        "one.toml",
        "method = \"collapse\"\ndimension = 2\n[[bricks]]\nbox = { size = [1, 1], centre = [0, 5] }\n",
    );
    let done = shell.riprap("stable one.toml");
    assert_eq!((done.status, done.err.as_str()), (Some(0), ""));
    assert!(done.out.contains("drops at 1.0000 g: free fall"), "{}", done.out);
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
    refused("stable diamond-3 --towards 0,1", "is not level");
    refused("stable tower-5x5 --polar tilt.svg", "has no critical tilt");
    refused("stable diamond-3 -o proof.gif", "the ending is not known");
    let brick = |fields: &str| {
        let scene = format!("method = \"collapse\"\ndimension = 2\n[[bricks]]\n{fields}\n");
        shell.write("bad.toml", &scene);
    };
    let one = "box = { size = [1, 1], centre = [0, 0] }";
    for (fields, words) in [
        (format!("{one}\n[[bricks]]\n{one}"), "overlap by"),
        (format!("{one}\nmass = 0"), "must be a positive number"),
        (format!("{one}\nmass = -2"), "must be a positive number"),
        (format!("{one}\nfriction = -1"), "`bricks.friction` must be"),
        ("polygon = [[0, 0], [0, 1], [1, 0]]".into(), "the polygon is clockwise"),
        ("polygon = [[0, 0], [4, 0], [1, 1], [0, 4]]".into(), "the polygon is not convex"),
    ] {
        brick(&fields);
        refused("stable bad.toml", words);
        refused("run bad.toml", words);
    }
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
    let plotted = shell.riprap("measure two.riprap -o plots");
    assert_eq!(plotted.status, Some(0), "{}", plotted.err);
    let height = shell.json("measure two.riprap --json")["height"].as_f64().unwrap();
    assert!((0.4..3.0).contains(&height), "two bricks, 0.4 high and 1 wide: {height}");
    for name in ["energy", "contacts", "momentum", "errors"] {
        assert!(shell.read(&format!("plots/{name}.svg")).starts_with(b"<svg"), "{name}");
    }
    let picture = shell.riprap("render two.riprap -o two.png --size 64x48 --samples 1");
    assert_eq!(picture.status, Some(0), "{}", picture.err);
    assert!(shell.read("two.png").starts_with(b"\x89PNG"));
    let drawn = shell.riprap("render two.riprap -o two.svg --strip 3");
    assert_eq!(drawn.status, Some(0), "{}", drawn.err);
    let svg = String::from_utf8(shell.read("two.svg")).unwrap();
    assert_eq!(svg.matches("<polygon").count(), 3 * 3);
    assert_eq!(
        shell.riprap("check two.toml").out,
        "two: fine. 3 bricks, 2 of them free to move, 2D, method collapse.\n"
    );
}
