//! `riprap stable -o`: reports and pictures of every kind of file, whose numbers are those of `--json`.

mod common;

use common::Shell;
use serde_json::{Value, json};

/// The contents of a page's data element.
fn script(page: &str, id: &str) -> Value {
    let start = page.find(&format!("<script id=\"{id}\"")).expect("the element exists");
    let inner = &page[start + page[start..].find('>').unwrap() + 1..];
    serde_json::from_str(&inner[..inner.find("</script>").unwrap()]).unwrap()
}

/// Elements close in the order in which they were opened; scripts and styles are no markup.
fn is_well_formed(page: &str) {
    const EMPTY: [&str; 5] = ["meta", "link", "input", "path", "!doctype"];
    let (mut open, mut rest) = (Vec::<String>::new(), page);
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("a tag ends");
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if tag.ends_with('/') {
            continue;
        }
        let name = tag.split_whitespace().next().unwrap().to_string();
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
        } else if ["script", "style"].contains(&name.as_str()) {
            let close = format!("</{name}>");
            rest = &rest[rest.find(&close).expect("it closes") + close.len()..];
        } else if !EMPTY.contains(&name.as_str()) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

/// Asks for a report; gives the page's data and the answer, which is in both places.
fn reported(shell: &Shell, line: &str) -> (Value, Value) {
    let answer = shell.json(&format!("{line} -o report.html --json --force"));
    let page = String::from_utf8(shell.read("report.html")).unwrap();
    is_well_formed(&page);
    for word in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!page.contains(word), "{line}: {word}");
    }
    assert_eq!(script(&page, "answer"), answer, "{line}");
    // Tables have all digits, too.
    if let margin @ Value::Number(_) = &answer["margin"] {
        assert!(page.contains(&format!("<th>margin</th><td><data value=\"{margin}\">")), "{line}");
    }
    if let Some(contact) = answer["contacts"].as_array().and_then(|contacts| contacts.first()) {
        let force = contact["force"].get(0).unwrap_or(&contact["force"]);
        assert!(force.is_null() || page.contains(&format!("<data value=\"{force}\">")), "{line}");
    }
    (script(&page, "summary"), answer)
}

const BOXES: &str = "x,y,z,width,depth,height,mass,friction\n\
                     0,0,0.5,1,1,1,2,0.5\n0.2,0,1.5,1,1,1,1,0.5\n";

fn part(x: i32, y: i32) -> String {
    format!("1 4 {x} {y} 0 1 0 0 0 1 0 0 0 1 3004.dat\n")
}

/// A cube on a cube as COMPAS writes them.
fn assembly() -> String {
    let block = |low: f64, is_support: bool| {
        let mut vertex = serde_json::Map::new();
        for k in 0..8_usize {
            let at = |axis: usize| (k >> axis & 1) as f64;
            let place = json!({ "x": at(0), "y": at(1), "z": low + at(2) });
            vertex.insert(k.to_string(), place);
        }
        let faces = json!({ "0": [0, 2, 3, 1], "1": [4, 5, 7, 6], "2": [0, 1, 5, 4],
                            "3": [2, 6, 7, 3], "4": [0, 4, 6, 2], "5": [1, 3, 7, 5] });
        let data = json!({ "vertex": vertex, "face": faces, "attributes": {} });
        json!({ "block": { "dtype": "compas_assembly.datastructures/Block", "data": data },
                "is_support": is_support })
    };
    let node = json!({ "0": block(0.0, true), "1": block(1.0, false) });
    let graph =
        json!({ "dtype": "compas.datastructures/Graph", "data": { "node": node, "edge": {} } });
    json!({ "dtype": "compas_assembly.datastructures/Assembly", "data": { "graph": graph } })
        .to_string()
}

/// Every kind of file that `stable` takes has its report: what colours say, arrows as many as there
/// are forces that are not nothing, a motion if it falls.
#[test]
fn every_kind_of_file_has_a_report() {
    let shell = Shell::new();
    shell.write("boxes.csv", BOXES);
    shell.write("stair.txt", "2x1 (0,0,0)\n2x1 (1,0,1)\n2x1 (2,0,2)\n");
    shell.write("stair.ldr", part(0, -24) + &part(20, -48));
    shell.write("two.json", assembly());
    shell.write("lego_library.json", r#"{ "2": { "height": 2, "width": 4, "mass": 0.00216 } }"#);
    let brick = |x: i32, z: i32| json!({ "x": x, "y": 0, "z": z, "brick_id": 2, "ori": 0 });
    shell.write("steps.json", json!({ "1": brick(0, 0), "2": brick(1, 1) }).to_string());
    for (file, label, falls) in [
        ("arch", "largest contact force", false),
        ("tower-5x5", "largest contact force", true),
        ("boxes.csv", "largest contact force", false),
        ("two.json", "largest contact force", false),
        ("stair.txt", "utilisation of studs", false),
        ("stair.ldr", "utilisation of studs", false),
        ("steps.json", "utilisation of studs", false),
    ] {
        let (summary, answer) = reported(&shell, &format!("stable {file}"));
        let shown = &summary["exhibit"];
        assert_eq!(shown["shades"][0]["label"], label, "{file}");
        assert_eq!(summary["outcome"], answer["verdict"], "{file}");
        assert_eq!(summary["coloured"], file.ends_with(".ldr"), "{file}: red, says the file");
        assert_eq!(summary["frames"].as_u64().unwrap() > 1, falls, "{file}");
        let forces = answer["certificate"]["forces"].as_array().unwrap();
        let size = |f: &Value| -> f64 {
            let parts = f["force"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap());
            parts.map(|x| x * x).sum::<f64>().sqrt()
        };
        let strongest = forces.iter().map(size).fold(0.0, f64::max);
        let shown = forces.iter().filter(|f| size(f) > 1e-9 * strongest).count() as u64;
        assert_eq!(summary["arrays"]["force size"]["count"], shown, "{file}");
        let told = summary["strong"].as_f64().unwrap();
        assert!((told - strongest).abs() < 1e-12 * strongest, "{file}");
    }
}

/// Colours are the largest of what the answer says of a body's contacts.
#[test]
fn colours_say_what_the_answer_says() {
    let shell = Shell::new();
    shell.write("stair.txt", "2x1 (0,0,0)\n2x1 (1,0,1)\n2x1 (2,0,2)\n");
    let (summary, answer) = reported(&shell, "stable stair.txt");
    let used = answer["contacts"].as_array().unwrap().iter();
    let most = used.map(|c| c["utilisation"].as_f64().unwrap()).fold(0.0, f64::max);
    assert_eq!(summary["exhibit"]["shades"][0]["most"].as_f64(), Some(most));
    // The forces that are shown need just what the verdict says.
    let told = answer["utilisation"].as_f64().unwrap();
    assert!(told > 0.01 && (most - told).abs() < 1e-5, "{most} {told}");
    let elastic = shell.json("stable stair.txt --elastic --json");
    let count = |key: &Value| key.as_array().unwrap().len();
    assert_eq!(count(&elastic["elastic_forces"]), count(&answer["certificate"]["forces"]));
    let weakest = answer["weakest_contact"].as_u64().unwrap() as usize;
    let bodies = &answer["contacts"][weakest]["bodies"];
    assert_eq!(&summary["exhibit"]["marked"]["bodies"], bodies);
    let svg = {
        shell.riprap("stable stair.txt -o stair.svg").ok();
        String::from_utf8(shell.read("stair.svg")).unwrap()
    };
    // Of the bricks four studs are seen, of the plate all but the two under the first brick.
    let outlines = svg.matches("fill-rule").count();
    let plate = (2 + 2 + 2) * 3 - 2;
    assert_eq!(outlines, 3 * 4 + 2 * (1 + 1 + 2 + plate), "three faces a brick, two parts a stud");
}

/// Of the many forces that hold one cube on level ground up, those are shown and told that are alike
/// at its corners, and no corner of a linear program that rubs.
#[test]
fn a_cube_presses_evenly() {
    let shell = Shell::new();
    shell.write("one.csv", "x,y,z,width,depth,height,mass,friction\n0,0,0.5,1,1,1,1,5\n");
    let (_, answer) = reported(&shell, "stable one.csv --what-if");
    let forces = answer["certificate"]["forces"].as_array().unwrap();
    assert_eq!(forces.len(), 4);
    for force in forces {
        let parts: Vec<f64> =
            force["force"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        assert!(parts[0].abs() + parts[1].abs() < 1e-6, "{parts:?}");
        assert!((parts[2].abs() - 0.25 * 9.81).abs() < 1e-6, "{parts:?}");
    }
    let words = shell.riprap("stable one.csv").ok().out;
    assert!(words.contains("those of the least sum of squares are at most 2.452"), "{words}");
    // Tilts are told as accelerations of the ground, too, which are to the other side, and drawn.
    let tilt = &answer["tilts"][0];
    let number = |value: &Value| value.as_f64().unwrap();
    assert!((number(&tilt["towards"][0]) - 1.0).abs() < 1e-12);
    assert!(
        (number(&tilt["ground"][0]) + number(&tilt["degrees"]).to_radians().tan()).abs() < 1e-9
    );
    let page = String::from_utf8(shell.read("report.html")).unwrap();
    assert!(page.contains("<figure id=\"plot\"><svg") && page.contains("one: critical tilt"));
    assert!(!page.contains("    towards"), "the table is a table");
}

/// Contacts that hold have pictures, too: colours are utilisations, the weakest is marked.
#[test]
fn contacts_that_hold_are_shown() {
    let shell = Shell::new();
    let body = |x: f64, more: &str| {
        format!(
            "[[bodies]]\nshape = {{ kind = \"box\", size = [2, 1, 1] }}\nposition = [{x}, 0, 0]\n\
                 mass = 1\nfriction = 0\n{more}\n"
        )
    };
    let glue =
        "method = \"dynamics\"\ngravity = [0, 0, -1]\n[[strengths]]\npull = PULL\ncohesion = 100\n";
    let text = format!("{glue}{}{}", body(0.0, "motion = \"fixed\""), body(2.0, ""));
    shell.write("held.toml", text.replace("PULL", "4"));
    let (summary, answer) = reported(&shell, "stable held.toml");
    let used = answer["contacts"][0]["utilisation"].as_f64().unwrap();
    assert!((used - 0.5).abs() < 1e-5 && answer["utilisation"].as_f64().unwrap() - used < 1e-9);
    let shade = &summary["exhibit"]["shades"][0];
    assert!(shade["label"].as_str().unwrap().starts_with("utilisation"), "{shade}");
    assert_eq!(shade["most"].as_f64(), Some(used));
    assert_eq!(summary["exhibit"]["marked"]["bodies"], json!([0, 1]));
    shell.write("weak.toml", text.replace("PULL", "1"));
    let (summary, _) = reported(&shell, "stable weak.toml");
    assert_eq!((&summary["outcome"], &summary["frames"]), (&"unstable".into(), &31.into()));
    shell.write("stair.txt", "2x1 (0,0,0)\n2x1 (1,0,1)\n");
    for file in ["held.toml", "stair.txt"] {
        let message = shell.riprap(&format!("stable {file} -o forces.json")).refused();
        assert!(message.contains("assemblies of COMPAS only"), "{message}");
    }
}

#[test]
fn what_was_asked_for_is_in_the_report() {
    let shell = Shell::new();
    let line = "stable arch --what-if --falls 0.3 --order --elastic --tolerance 1e-9";
    let (_, answer) = reported(&shell, line);
    let page = String::from_utf8(shell.read("report.html")).unwrap();
    for key in ["tilts", "falls", "order", "elastic_forces", "contacts"] {
        let rows = answer[key].as_array().unwrap().len();
        let title = format!("<summary>{} ({rows})</summary>", key.replace('_', " "));
        assert!(page.contains(&title), "{title}");
    }
    assert!(page.contains("least sum of squares") && page.contains("nothing is crushed"));
    assert!(!page.contains("not for all that are near") && !page.contains("tilts of the ground"));
    assert!(page.contains("riprap stable arch --what-if"), "how it was asked");
}

#[test]
fn what_cannot_be_written_is_refused() {
    let shell = Shell::new();
    shell.riprap("stable arch -o arch.svg --explode 0.5").ok();
    let refused = |line: &str, parts: &[&str]| {
        let message = shell.riprap(line).refused();
        for part in parts {
            assert!(message.contains(part), "`{line}` does not say `{part}`:\n{message}");
        }
    };
    refused("stable arch -o arch.svg", &["exists already", "--force"]);
    refused("stable arch --explode 0.5", &["--explode is for pictures"]);
    refused("stable arch -o a.html --explode 0.5", &["--explode", "slider"]);
    refused("stable arch -o a.svg --explode=-1", &["no share"]);
    refused("stable arch -o a.svg --explode NaN", &["no share"]);
    refused("stable arch -o a.bmp", &["a.bmp", ".svg", ".html"]);
    refused("stable stack -o a.svg --explode 1", &["container"]);
    shell.riprap("run stack").ok();
    refused("render stack.riprap -o a.svg --explode 1", &["container", "--explode"]);
    refused("render stack.riprap -o a.png --explode 1 --samples 1 --size 8x8", &["container"]);
}
