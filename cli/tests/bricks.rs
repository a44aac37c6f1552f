//! `riprap stable` of bricks with studs and of contacts that hold: files of other programs, answers
//! and refusals.

mod common;

use std::path::{Path, PathBuf};

use common::Shell;

/// Structures of other projects, which are not part of this one.
fn data(file: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/lego").join(file);
    if !path.is_file() {
        eprintln!("SKIPPED: {} is not there, so {file} is not looked at", path.display());
        return None;
    }
    Some(path.canonicalize().unwrap())
}

/// What a linear program solver says of these files, and whether they stood when built.
#[test]
fn structures_of_other_projects() {
    let shell = Shell::new();
    for (file, utilisation, status) in [
        ("stair_19.json", 0.90072, 0),
        ("stair_20.json", 1.00548, 3),
        ("stick_light.json", 0.92144, 0),
        ("external_weight_fail.json", 1.18719, 3),
        ("car.txt", 0.0627, 0),
    ] {
        let Some(path) = data(file) else { continue };
        let line = format!("stable {} --json --exit-status", path.display());
        let done = shell.riprap(&line);
        assert_eq!(done.status, Some(status), "{file}: {}", done.err);
        let answer: serde_json::Value = serde_json::from_str(&done.out).unwrap();
        let found = answer["utilisation"].as_f64().unwrap();
        assert!((found - utilisation).abs() < 1e-5, "{file}: {found}");
        let exact = shell.json(&format!("stable {} --json --exact", path.display()));
        assert_eq!(
            (&exact["exact"], &exact["verdict"]),
            (&true.into(), &answer["verdict"]),
            "{file}"
        );
    }
}

/// A tilted table keeps its gravity: what the angle says is what an acceleration with that sum says.
#[test]
fn tilts_are_those_of_a_table() {
    let shell = Shell::new();
    let steps: String = (0..16).map(|k| format!("2x1 ({k},0,{k})\n")).collect();
    shell.write("steps.txt", &steps);
    let tilts = shell.json("stable steps.txt --json --towards 1,0")["tilts"].clone();
    let degrees = tilts[0]["degrees"].as_f64().unwrap();
    assert!(degrees > 1.0 && degrees < 80.0, "{degrees}");
    for (off, holds) in [(-0.001, true), (0.001, false)] {
        let (sin, cos) = (degrees + off).to_radians().sin_cos();
        let line = format!("stable steps.txt --json --acceleration {},0,{}", -sin, cos - 1.0);
        assert_eq!(shell.json(&line)["verdict"] == "balanced", holds, "{degrees} {off}");
    }
}

/// A stair of bricks one stud wide: each step doubles what the lowest stud bears.
const STAIR: &str = "2x1 (0,0,0)\n2x1 (1,0,1)\n2x1 (2,0,2)\n2x1 (3,0,3)\n";

#[test]
fn a_structure_of_lines() {
    let shell = Shell::new();
    shell.write("stair.txt", STAIR);
    let answer = shell.json("stable stair.txt --json --order --tilt --contact 0 --load 3:0,0,-1");
    assert_eq!(answer["verdict"], "balanced");
    let used = answer["utilisation"].as_f64().unwrap();
    assert!(used > 0.0 && (answer["reserve"].as_f64().unwrap() * used - 1.0).abs() < 1e-9);
    assert_eq!(answer["weakest_contact"], 1);
    assert_eq!(answer["contacts"].as_array().unwrap().len(), 4);
    assert_eq!(answer["order"].as_array().unwrap().len(), 4);
    assert!(answer["order"].as_array().unwrap().iter().all(|step| step["hold"].is_null()));
    assert_eq!(answer["tilts"].as_array().unwrap().len(), 16);
    // The plate's contact bears all weights, whatever else it does.
    let weight = 4.0 * 0.00081 * 9.8;
    let range = answer["contact_force"]["range"].as_array().unwrap();
    assert!(range.iter().all(|force| (force.as_f64().unwrap() - weight).abs() < 1e-6), "{range:?}");
    // A load of its factor is borne to the last bit of strength.
    let factor = answer["load_factor"].as_f64().unwrap();
    assert!(factor > 0.0);
    // On ground that accelerates.
    let moved = shell.json("stable stair.txt --json --acceleration -1,0");
    assert!(moved["utilisation"].as_f64().unwrap() > used);
}

#[test]
fn building_from_the_top_needs_a_hand() {
    let shell = Shell::new();
    let lines: Vec<&str> = STAIR.lines().rev().collect();
    shell.write("down.txt", lines.join("\n"));
    let given = shell.json("stable down.txt --json --order");
    let holds: Vec<bool> =
        given["order"].as_array().unwrap().iter().map(|step| !step["hold"].is_null()).collect();
    assert_eq!(holds, [true, true, true, false]);
    let found = shell.json("stable down.txt --json --order find");
    let order: Vec<u64> = found["order"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["body"].as_u64().unwrap())
        .collect();
    assert_eq!(order, [3, 2, 1, 0]);
    assert!(found["order"].as_array().unwrap().iter().all(|step| step["hold"].is_null()));
    // Without the third step the fourth hangs in the air.
    let without = shell.riprap("stable down.txt --without 1 --exit-status");
    assert_eq!(without.status, Some(3));
    assert!(without.out.contains("hangs in the air"), "{}", without.out);
}

/// The same four bricks as a model of LDraw, with a plate on top.
#[test]
fn a_model_of_ldraw() {
    let shell = Shell::new();
    let part = |x: i32, y: i32, part: &str| format!("1 4 {x} {y} 0 1 0 0 0 1 0 0 0 1 {part}.dat\n");
    let mut text = String::from("0 a stair\n");
    for step in 0..4 {
        text += &part(20 * step, -24 * (step + 1), "3004");
    }
    shell.write("stair.ldr", &text);
    shell.write("stair.txt", STAIR);
    let [model, lines] = ["ldr", "txt"].map(|ending| {
        shell.json(&format!("stable stair.{ending} --json"))["utilisation"].as_f64().unwrap()
    });
    assert!((model - lines).abs() < 1e-9, "{model} {lines}");
    shell.write("plate.ldr", text.clone() + &part(60, -104, "3023"));
    let answer = shell.json("stable plate.ldr --json");
    assert!(answer["utilisation"].as_f64().unwrap() > model);
    assert_eq!(answer["contacts"].as_array().unwrap().len(), 5);
    // What nobody told is said: the plate's mass is derived.
    assert!(answer["about"].as_str().unwrap().contains("derived"), "{}", answer["about"]);
    assert!(shell.riprap("stable plate.ldr").out.contains("1050 kg/m3"));
    assert!(!shell.riprap("stable stair.ldr").out.contains("derived"));
    // The same as a submodel.
    let lines =
        format!("0 FILE a.ldr\n{}0 FILE b.ldr\n{text}", part(40, -48, "b.ldr").replace(".dat", ""));
    shell.write("stair.mpd", &lines);
    let inner = shell.json("stable stair.mpd --json")["utilisation"].as_f64().unwrap();
    assert!((model - inner).abs() < 1e-9, "{model} {inner}");
}

/// What is wrong is said with its place and a remedy.
#[test]
fn bad_files() {
    let shell = Shell::new();
    for (name, text, message, help) in [
        ("a.txt", "2x4 (0,0)\n", "this is no brick", "a line is `hxw (x,y,z)`"),
        ("a.txt", "3x5 (0,0,0)\n", "the brick 3x5 is not known", "known are 1x1"),
        ("a.txt", "2x4 (0,0,0)\n2x4 (1,3,0)\n", "bricks 0 and 1 of the file overlap", "move"),
        ("a.txt", "2x4 (-3,0,1)\n", "-3 is no cell", "from 0 to 999999"),
        ("a.txt", "2x4 (2000000000,0,1)\n", "2000000000 is no cell", "from 0 to 999999"),
        ("a.txt", " \n", "the file is empty", "a.txt"),
        ("a.json", "{}", "the file is empty", "a.json"),
        ("a.ldr", "1 4 0 0 0 1 0 0 0 1 0 0 0 1 b.ldr\n", "b.ldr is not in the file", ".mpd"),
        ("a.obj", "v 0 0 0\n", "no scene", "kind = \"mesh\", file = \"a.obj\""),
        // What is no text of bricks is a scene, if anything.
        ("a.txt", "weights = [1, 2]\n", "the file is no scene", "`bodies`"),
        ("a.mpd", "0 FILE a\n1 4 0 0 0 1 0 0 0 1 0 0 0 1 a\n", "too deeply", "contain itself"),
        ("a.ldr", "1 4 0 0 0 1 0 0 0 1 0 0 0 1 u9999.dat\n", "u9999.dat is not known", "3005"),
        (
            "a.ldr",
            "1 4 0 0 0 1 0 0 0 1 0 0 0 1 3001.dat\n1 4 3 -24 0 1 0 0 0 1 0 0 0 1 3001.dat\n",
            "off the grid of studs",
            "20 units",
        ),
        ("a.ldr", "1 4 0 0 0 0 1 0 -1 0 0 0 0 1 3001.dat\n", "tilted", "upright"),
        ("a.ldr", "3 4 0 0 0 1 0 0 0 1 0\n", "this line draws", "1 colour x y z"),
        (
            "a.json",
            r#"{ "1": { "x": 0, "y": 0, "z": 0, "ori": 0, "brick_id": 2 } }"#,
            "numbers of a lego_library.json, which is not there",
            "put it beside the file",
        ),
    ] {
        shell.write(name, text);
        let refused = shell.riprap(&format!("stable {name}")).refused();
        assert!(refused.contains(message) && refused.contains(help), "{text}: {refused}");
    }
    shell.write("lego_library.json", r#"{ "5": { "height": 1, "width": 4, "mass": 0.001 } }"#);
    shell.write("a.json", r#"{ "1": { "x": 0, "y": 0, "z": 0, "ori": 0, "brick_id": 2 } }"#);
    let refused = shell.riprap("stable a.json").refused();
    assert!(refused.contains("the brick 2 is not in"), "{refused}");
    shell.write("a.json", r#"{ "1": { "x": 0, "y": 0, "z": 0, "ori": 3, "brick_id": 5 } }"#);
    let refused = shell.riprap("stable a.json").refused();
    assert!(refused.contains("the orientation 3 is not known"), "{refused}");
    let units = r#"{ "5": { "height": 1, "width": 4, "mass": 1.0, "units": "g" } }"#;
    shell.write("lego_library.json", units);
    shell.write("a.json", r#"{ "1": { "x": 0, "y": 0, "z": 0, "ori": 0, "brick_id": 5 } }"#);
    let refused = shell.riprap("stable a.json").refused();
    assert!(refused.contains("no `units`") && refused.contains("in kilograms"), "{refused}");
    shell.write("lego_library.json", r#"{ "5": { "height": 1, "width": 4, "mass": 0.001 } }"#);
    let one = r#"{ "x": 0, "y": 0, "z": 0, "ori": 0, "brick_id": 5 }"#;
    shell.write(
        "a.json",
        format!(r#"{{ "9": {one}, "2": {} }}"#, one.replace("\"z\": 0", "\"z\": 1")),
    );
    let told = shell.riprap("stable a.json").ok().out;
    assert!(told.contains("0 has \"9\", 1 has \"2\""), "{told}");
    assert!(told.contains("grow without a bound") && !told.contains("weakest"), "{told}");
    shell.write("a.txt", STAIR);
    for (option, message) in [
        ("--lowest", "--lowest is not for bricks with studs"),
        ("--without 9", "there is no brick 9 that can move"),
        ("--contact 9", "there is no contact 9"),
        ("--load 9:0,0,1", "there is no brick 9 that can move"),
    ] {
        let refused = shell.riprap(&format!("stable a.txt {option}")).refused();
        assert!(refused.contains(message), "{refused}");
    }
    let refused = shell.riprap("stable tower-5x5 --order find").refused();
    assert!(refused.contains("--order find is for bricks with studs"), "{refused}");
}

/// Two blocks that are glued to each other and overhang; bricks fall through as a run shows.
#[test]
fn glue_holds_a_limited_pull() {
    let shell = Shell::new();
    let scene = |pull: f64| {
        format!(
            "method = \"dynamics\"\ngravity = [0, 0, -1]\n[[bodies]]\ngroup = \"wall\"\n\
             motion = \"fixed\"\nshape = {{ kind = \"box\", size = [2, 1, 1] }}\n[[bodies]]\n\
             shape = {{ kind = \"box\", size = [2, 1, 1] }}\nposition = [2, 0, 0]\nmass = 1\n\
             [[strengths]]\nbetween = [\"wall\", \"bodies\"]\npull = {pull}\ncohesion = 100\n\
             per = \"area\"\n"
        )
    };
    for (pull, utilisation, verdict) in [(4.0, 0.5, "balanced"), (1.0, 2.0, "unstable")] {
        shell.write("glue.toml", scene(pull));
        let answer = shell.json("stable glue.toml --json");
        let found = answer["utilisation"].as_f64().unwrap();
        assert!((found - utilisation).abs() < 1e-6, "{found}");
        assert_eq!(answer["verdict"], verdict);
        assert_eq!(answer["contacts"][0]["area"], 1.0);
    }
    let refused = shell.riprap("stable glue.toml --tolerance 0.001").refused();
    assert!(refused.contains("--tolerance is not for contacts with `strengths`"), "{refused}");
    let checked = shell.riprap("check glue.toml").ok();
    assert!((checked.out + &checked.err).contains("does not use `strengths"), "named");
    shell.write("glue.toml", scene(1.0).replace("\"wall\", \"bodies\"", "\"wal\""));
    let refused = shell.riprap("stable glue.toml").refused();
    assert!(refused.contains("there is no group \"wal\"") && refused.contains("wall"), "{refused}");
}
