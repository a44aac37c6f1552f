//! `riprap stable` of assemblies of COMPAS and of tables of boxes.

mod common;

use std::path::PathBuf;

use common::Shell;
use serde_json::{Value, json};

/// A box as a block of COMPAS.
fn block(low: [f64; 3], high: [f64; 3], is_support: bool) -> Value {
    let mut vertex = serde_json::Map::new();
    for k in 0..8_usize {
        let at = |axis: usize| if k >> axis & 1 == 1 { high[axis] } else { low[axis] };
        vertex.insert(k.to_string(), json!({ "x": at(0), "y": at(1), "z": at(2) }));
    }
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let face: serde_json::Map<String, Value> =
        faces.iter().enumerate().map(|(k, face)| (k.to_string(), json!(face))).collect();
    let data = json!({ "vertex": vertex, "face": face, "attributes": {} });
    json!({ "block": { "dtype": "compas_assembly.datastructures/Block", "data": data },
            "is_support": is_support })
}

fn assembly(nodes: &[(&str, Value)]) -> String {
    let node: serde_json::Map<String, Value> =
        nodes.iter().map(|(key, node)| (key.to_string(), node.clone())).collect();
    let graph =
        json!({ "dtype": "compas.datastructures/Graph", "data": { "node": node, "edge": {} } });
    json!({ "dtype": "compas_assembly.datastructures/Assembly", "data": { "graph": graph } })
        .to_string()
}

/// A cube on a cube: a quarter of its weight, its volume, at every corner.
#[test]
fn a_cube_on_a_cube() {
    let shell = Shell::new();
    let lower = block([0.0; 3], [1.0; 3], true);
    let upper = block([0.0, 0.0, 1.0], [1.0, 1.0, 2.0], false);
    shell.write("two.json", assembly(&[("0", lower), ("10", upper)]));
    let answer = shell.json("stable two.json --json");
    assert_eq!((&answer["verdict"], &answer["exact"]), (&"balanced".into(), &true.into()));
    let [contact] = &answer["contacts"].as_array().unwrap()[..] else { panic!("{answer}") };
    assert!((contact["area"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    shell.riprap("stable two.json -o forces.json").ok();
    let written: Value = serde_json::from_slice(&shell.read("forces.json")).unwrap();
    let edges = written["data"]["graph"]["data"]["edge"].as_object().unwrap();
    let (from, to) = edges.iter().next().unwrap();
    let (to, edge) = to.as_object().unwrap().iter().next().unwrap();
    let both = [from.as_str(), to.as_str()];
    assert!(both.contains(&"0") && both.contains(&"10"), "{both:?}");
    let interface = &edge["interfaces"][0]["data"];
    assert_eq!(interface["points"].as_array().unwrap().len(), 4);
    let forces = interface["forces"].as_array().unwrap();
    let sum: f64 = forces.iter().map(|f| f["c_np"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-6, "{sum}");
    assert_eq!(written["data"]["graph"]["data"]["node"]["10"]["is_support"], false);
    // Who is held by the command line is a support of what is written.
    shell.riprap("stable two.json --fixed 1 -o held.json").ok();
    let held: Value = serde_json::from_slice(&shell.read("held.json")).unwrap();
    assert_eq!(held["data"]["graph"]["data"]["node"]["10"]["is_support"], true);
    // The written assembly is read as the first one was.
    assert_eq!(shell.json("stable forces.json --json")["verdict"], "balanced");
}

/// Friction and density of a block, of its node or of its mesh, count; what is no such number is refused.
#[test]
fn blocks_have_their_own_friction_and_density() {
    let shell = Shell::new();
    let lower = block([0.0; 3], [1.0; 3], true);
    let upper = || block([0.0, 0.0, 1.0], [1.0, 1.0, 2.0], false);
    let falls = |node: Value| {
        shell.write("own.json", assembly(&[("0", lower.clone()), ("1", node)]));
        shell.riprap("stable own.json --acceleration 0.3,0 --exit-status").status
    };
    assert_eq!(falls(upper()), Some(0));
    for name in ["friction", "mu"] {
        let (mut of_node, mut of_mesh) = (upper(), upper());
        of_node[name] = json!(0.01);
        of_mesh["block"]["data"]["attributes"][name] = json!(0.01);
        assert_eq!((falls(of_node), falls(of_mesh)), (Some(3), Some(3)), "{name}");
    }
    let mut heavy = upper();
    heavy["density"] = json!(5);
    falls(heavy);
    let force = &shell.json("stable own.json --json")["contacts"][0]["force"];
    assert!((force[2].as_f64().unwrap().abs() - 5.0).abs() < 1e-6, "{force}");
    for (name, value) in [("density", json!(-5)), ("density", json!("heavy")), ("mu", json!(-1))] {
        let mut odd = upper();
        odd[name] = value;
        assert_eq!(falls(odd), Some(2), "{name}");
    }
}

/// Blocks of a drawing miss and bend each other by rounding; beyond a tolerance that is an error.
#[test]
fn drawings_are_rounded() {
    let shell = Shell::new();
    let single = |x: f64| f64::from((x + 0.1) as f32);
    let lower = block([0.1; 3], [0.7; 3].map(single), true);
    let upper = block([0.1, 0.1, single(0.7)], [0.7, 0.7, 1.3].map(single), false);
    shell.write("single.json", assembly(&[("0", lower.clone()), ("1", upper)]));
    assert_eq!(shell.json("stable single.json --json")["verdict"], "balanced");
    for (off, options, verdict) in
        [(1e-6, "", "balanced"), (-1e-6, "", "balanced"), (-1e-3, " --tolerance 2e-3", "balanced")]
    {
        let upper = block([0.1, 0.1, single(0.7) + off], [0.8, 0.8, 1.4], false);
        shell.write("off.json", assembly(&[("0", lower.clone()), ("1", upper)]));
        let answer = shell.json(&format!("stable off.json --json{options}"));
        assert_eq!(answer["verdict"], verdict, "{off}");
    }
    let refused = shell.riprap("stable off.json").refused();
    assert!(
        refused.contains("overlap by 1.0000e-3") && refused.contains("--tolerance"),
        "{refused}"
    );
    // A face that is bent by less than a millionth.
    let mut bent = block([0.0; 3], [1.0; 3], true);
    bent["block"]["data"]["vertex"]["7"]["z"] = json!(1.0 - 1e-7);
    let upper = block([0.0, 0.0, 1.0], [1.0, 1.0, 2.0], false);
    shell.write("bent.json", assembly(&[("0", bent), ("1", upper)]));
    let answer = shell.json("stable bent.json --json");
    assert_eq!(answer["verdict"], "balanced");
    assert!((answer["contacts"][0]["area"].as_f64().unwrap() - 1.0).abs() < 1e-5);
}

/// What is no assembly, and what nothing holds.
#[test]
fn bad_assemblies() {
    let shell = Shell::new();
    shell.write("mesh.json", r#"{ "dtype": "compas.datastructures/Mesh", "data": {} }"#);
    let refused = shell.riprap("stable mesh.json").refused();
    assert!(refused.contains("is no assembly"), "{refused}");
    let mut broken = block([0.0; 3], [1.0; 3], true);
    broken["block"]["data"]["face"]["0"] = json!([0, 1, 99]);
    shell.write("broken.json", assembly(&[("0", broken)]));
    let refused = shell.riprap("stable broken.json").refused();
    assert!(refused.contains("has no vertex 99"), "{refused}");
    shell.write("free.json", assembly(&[("0", block([0.0; 3], [1.0; 3], false))]));
    let free = shell.riprap("stable free.json --exit-status");
    assert_eq!(free.status, Some(3));
    assert!(free.out.contains("nothing is fixed: supports are named by --fixed"), "{}", free.out);
    assert_eq!(shell.riprap("stable free.json --fixed 0 --exit-status").status, Some(0));
    shell.riprap("stable free.json --fixed 7").refused();
    shell.riprap("stable diamond-3 -o forces.json").refused();
}

/// Samples of compas_cra, where its folder of samples is named by COMPAS_CRA_SAMPLES.
#[test]
fn samples_of_compas_cra() {
    let Some(folder) = std::env::var_os("COMPAS_CRA_SAMPLES").map(PathBuf::from) else {
        eprintln!("SKIPPED: COMPAS_CRA_SAMPLES names no folder, so its samples are not looked at");
        return;
    };
    let shell = Shell::new();
    for (name, fixed, status) in [
        ("cubes", "0", 0),
        ("H", "0,1", 0),
        ("A", "0,1", 0),
        ("type-a", "0,1", 0),
        ("type-b", "0,1", 0),
        ("type-c", "0,1", 0),
        ("type-d", "0,1", 0),
        ("bridge", "0,1", 0),
        ("shelf", "0", 3),
        ("shelf-s1", "0", 3),
        ("shelf-s2", "0", 3),
        ("shelf-s3", "0", 3),
        ("shelf-stable", "0", 0),
        ("concave-long", "0", 0),
        ("concave-short", "0", 0),
        ("snake", "0", 0),
    ] {
        let file = folder.join(format!("{name}.json"));
        let line = format!("stable {} --fixed {fixed} --exit-status", file.display());
        let done = shell.riprap(&line);
        assert_eq!(done.status, Some(status), "{name}: {}{}", done.out, done.err);
    }
}

/// Boxes of a table stand on the ground, with units.
#[test]
fn boxes_of_a_table() {
    let shell = Shell::new();
    let metres = "x,y,z,width,depth,height,mass,friction\n0,0,0.1,0.4,0.3,0.2,5,0.4\n0.1,0,0.3,0.4,0.3,0.2,5,0.4\n";
    shell.write("pallet.csv", metres);
    let answer = shell.json("stable pallet.csv --json --tilt");
    assert_eq!((&answer["verdict"], &answer["exact"]), (&"balanced".into(), &true.into()));
    // It slides at arctan 0.4, or tips where the upper one sticks out.
    let least = answer["tilts"].as_array().unwrap().iter().map(|t| t["degrees"].as_f64().unwrap());
    let least = least.fold(f64::INFINITY, f64::min);
    assert!((least - 0.4_f64.atan().to_degrees()).abs() < 0.01, "{least}");
    let small = "x_mm,y_mm,z_mm,width_mm,depth_mm,height_mm,mass_g\n0,0,100,400,300,200,5000\n250,0,300,400,300,200,5000\n";
    shell.write("off.csv", small);
    assert_eq!(shell.riprap("stable off.csv --exit-status").status, Some(3));
    for (text, message) in [
        ("x_m,y,z,width,depth,height\n0,0,1,1,1,2\n", "the units contradict each other"),
        ("x,y,z,width,depth,height,colour\n0,0,1,1,1,2,3\n", "the column `colour` is not known"),
        ("x,y,width,depth,height\n0,0,1,1,1\n", "no column `z`"),
        ("x,y,z,width,depth,height\n0,0,1,1,-1,2\n", "`-1` is no `depth`"),
        ("x,y,z,width,depth,height\n0,0,1,1\n", "4 cells under 6 columns"),
        ("x,y,z,width,depth,height\n0,0,1,1,1,2\n0,0,1,1,1,2\n", "overlap"),
    ] {
        shell.write("bad.csv", text);
        let refused = shell.riprap("stable bad.csv").refused();
        assert!(refused.contains(message), "{text}: {refused}");
        // What is shown is the file, not what it was translated to.
        assert!(!refused.contains("\"kind\""), "{refused}");
    }
}

/// A box that sticks out to +x tips to that side when the ground accelerates to the other: the table says
/// what `--acceleration` does. It tips at 0.2 / 0.5 there, and at 0.5 / 0.5 pushed to -x.
#[test]
fn accelerations_are_those_of_the_ground() {
    let shell = Shell::new();
    let text = "x,y,z,width,height,depth,mass,friction,fixed\n0,0,0.5,1,1,1,1,5,1\n\
                0.3,0,1.5,1,1,1,1,5,0\n";
    shell.write("one.csv", text);
    let words = shell.riprap("stable one.csv --what-if").out;
    for (towards, most) in [("(-1.00,", "0.4000"), ("( 1.00,", "1.0000")] {
        let row = words.lines().find(|line| line.trim_start().starts_with(towards)).unwrap();
        assert!(row.ends_with(most), "{row}");
    }
    for (acceleration, status) in [("-0.399", 0), ("-0.401", 3), ("0.999", 0), ("1.001", 3)] {
        let line = format!("stable one.csv --exit-status --acceleration {acceleration},0");
        assert_eq!(shell.riprap(&line).status, Some(status), "{acceleration}");
    }
}

/// What cannot be told apart from rounding, or from where bodies are, is refused.
#[test]
fn what_is_not_comparable_is_refused() {
    let shell = Shell::new();
    let two = |mass: &str| {
        let text =
            format!("x,y,z,width,height,depth,mass\n0,0,0.5,1,1,1,{mass}\n0.7,0,1.5,1,1,1,1\n");
        shell.write("two.csv", &text);
    };
    two("1e10");
    let refused = shell.riprap("stable two.csv").refused();
    assert!(refused.contains("times as strongly as body 1"), "{refused}");
    // The upper one sticks out by 0.2 of its width more than it may, whatever it stands on: at a slant,
    // where it is wider, that is less.
    let wanted = -0.2 * 2.0 * (2_f64.sqrt() - 1.0);
    for mass in ["1", "1e6"] {
        two(mass);
        let answer = shell.json("stable two.csv --json");
        let margin = answer["margin"].as_f64().unwrap();
        assert!((margin - wanted).abs() < 1e-6, "{mass}: {margin}");
    }
    let refused = shell.riprap("stable two.csv --tolerance 1").refused();
    assert!(refused.contains("a tolerance of 1 is large beside body 0"), "{refused}");
    // A gap that the tolerance closes if both bodies are off by it.
    let apart = "x,y,z,width,height,depth,mass,fixed\n0,0,0.5,1,1,1,1,1\n0,0,1.511,1,1,1,1,0\n";
    shell.write("apart.csv", apart);
    let words = shell.riprap("stable apart.csv --tolerance 0.01").out;
    assert!(words.contains("unstable") && !words.contains("holds for every"), "{words}");
    let words = shell.riprap("stable apart.csv --tolerance 0.001").out;
    assert!(words.contains("holds for every placement"), "{words}");
    let words = shell.riprap("stable apart.csv --load 1:0,0,-1").out;
    assert!(words.contains("without the load it is not balanced"), "{words}");
}

/// The friction that something needs which slides with what it has.
#[test]
fn critical_friction_of_what_slides() {
    let shell = Shell::new();
    shell.write("slope.csv", "x,y,z,width,height,depth,mass,friction\n0,0,0.1,1,0.2,1,1,0.3\n");
    let answer = shell.json("stable slope.csv --json --acceleration 0.4,0");
    assert_eq!(answer["verdict"], "unstable");
    assert!((answer["critical_friction"].as_f64().unwrap() - 0.4).abs() < 1e-6, "{answer}");
}

/// What spreadsheets write, flat boxes, and what is said of them.
#[test]
fn tables_of_spreadsheets() {
    let shell = Shell::new();
    shell.write("excel.csv", "x;y;z;width;depth;height;mass\r\n0;0;0,5;1;1;1;2\r\n");
    let told = shell.riprap("stable excel.csv").ok().out;
    assert!(told.contains("those of the least sum of squares are at most 4.9050 at"), "{told}");
    assert!(told.contains("friction is 0.5") && told.contains("masses are in kilograms"), "{told}");
    shell.write("flat.csv", "x,y,width,height\n0,0.5,1,1\n0.4,1.5,1,1\n");
    assert_eq!(shell.json("stable flat.csv --json")["verdict"], "balanced");
    // What slides along the ground does not drop, and numbers are no less than nothing.
    let slides = shell.riprap("stable excel.csv --acceleration 0.501,0 --falls 0.3").ok().out;
    assert!(slides.contains("it begins to slide") && !slides.contains("-0.00"), "{slides}");
    let unasked = shell.riprap("stable excel.csv --acceleration 0.6,0 --what-if").ok().out;
    assert!(unasked.contains("no tilt and no acceleration at which it lets go"), "{unasked}");
    let tilted = shell.riprap("stable excel.csv --towards -1,0").ok().out;
    assert!(tilted.contains("(-1.00, 0.00, 0.00)"), "{tilted}");
    let falls = shell.riprap("stable excel.csv --falls 0.8").ok().out;
    assert!(falls.contains("g: body 0 begins to move."), "{falls}");
}

/// What if: three boxes in a row on the ground, one of them on the two others.
#[test]
fn what_if() {
    let shell = Shell::new();
    let text = "x,y,z,width,depth,height,mass,friction\n0,0,0.1,0.4,0.4,0.2,1,0.5\n\
                0.6,0,0.1,0.4,0.4,0.2,1,0.5\n0.3,0,0.3,0.9,0.4,0.2,2,0.5\n";
    shell.write("three.csv", text);
    let answer = shell.json("stable three.csv --json --what-if --elastic --contact 0 --order");
    assert_eq!(answer["verdict"], "balanced");
    assert!(answer["tilts"].as_array().unwrap().len() == 16, "{}", answer["tilts"]);
    assert!((answer["critical_friction"].as_f64().unwrap()).abs() < 1e-9);
    let range = answer["contact_force"]["range"].as_array().unwrap();
    let [low, high] = [0, 1].map(|k| range[k].as_f64().unwrap());
    assert!(low < high && low >= 0.0, "{range:?}");
    // The sum of the elastic forces along z is what rests on the ground, and on the two boxes.
    let forces = answer["elastic_forces"].as_array().unwrap();
    let sum: f64 = forces.iter().map(|f| f[2].as_f64().unwrap().abs()).sum();
    assert!((sum - (4.0 + 2.0) * 9.81).abs() < 1e-3, "{sum}");
    assert_eq!(answer["order"].as_array().unwrap().len(), 3);
    assert!(answer["order"].as_array().unwrap().iter().all(|step| step["hold"].is_null()));
    // Without one of its feet the upper box falls.
    assert_eq!(shell.riprap("stable three.csv --without 1 --exit-status").status, Some(3));
    assert_eq!(shell.riprap("stable three.csv --without 2 --exit-status").status, Some(0));
    // Friction 0.5 holds 0.4 g and not 0.6 g.
    assert_eq!(shell.riprap("stable three.csv --acceleration 0.4,0 --exit-status").status, Some(0));
    assert_eq!(shell.riprap("stable three.csv --acceleration 0.6,0 --exit-status").status, Some(3));
    let falls = shell.json("stable three.csv --json --falls 0.3,0.7");
    let falls = falls["falls"].as_array().unwrap();
    assert_eq!(falls.len(), 16);
    assert!(falls[..8].iter().all(|fall| fall["verdict"] == "balanced"), "{falls:?}");
    assert!(falls[8..].iter().all(|fall| fall["bodies"].as_array().unwrap().len() == 3));
    // A push at the top tips what the same push at the bottom only slides.
    let factor = |at: &str| {
        let line = format!("stable three.csv --json --load 0:10,0,0@{at}");
        shell.json(&line)["load_factor"].as_f64().unwrap()
    };
    assert!(factor("-0.2,0,0.01") > 0.5 && factor("-0.2,0,0.2") > 0.0);
    shell.riprap("stable three.csv --contact 99").refused();
    shell.riprap("stable three.csv --falls x").refused();
    shell.riprap("stable three.csv --exact").refused();
}
