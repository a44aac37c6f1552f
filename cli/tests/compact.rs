//! `riprap compact` as a user calls it.

mod common;

use common::Shell;
use riprap::layout::Layout;

/// A shell with a loose layout in `loose.svg` and `loose.json`.
fn shell() -> Shell {
    let shell = Shell::new();
    let layout = Layout::loose_polygons(12, 12, 5).unwrap();
    for name in ["loose.svg", "loose.json"] {
        layout.write(&shell.path(name), None).unwrap();
    }
    shell
}

#[test]
fn a_layout_gets_shorter_and_the_motion_is_kept() {
    let shell = shell();
    let line = "compact loose.svg -o shorter.svg --run motion.riprap --json";
    let report = shell.json(line);
    assert_eq!(report["ok"], true);
    assert_eq!(report["max_overlap"], 0.0);
    let [start, end] = ["length_start", "length_end"].map(|name| report[name].as_f64().unwrap());
    assert!(end < start);
    assert!(report["chain"].as_array().unwrap().len() > 2);
    let verdict = shell.json("verify motion.riprap --json");
    assert_eq!(verdict["ok"], true, "{verdict}");
    assert_eq!(verdict["outcome"], "rest");
    // The run is there already.
    assert!(shell.riprap(line).refused().contains("exists already"));
    shell.riprap(&format!("{line} --force")).ok();
    shell.riprap("render motion.riprap -o motion.svg").ok();
    let picture = String::from_utf8(shell.read("motion.svg")).unwrap();
    assert!(picture.matches("<path").count() > 10);
    // What was written is a layout again, and no longer gets much shorter.
    let again = shell.json("compact shorter.svg -o again.json --json");
    assert!((again["length_start"].as_f64().unwrap() - end).abs() < 1e-9 * end);
}

#[test]
fn clearance_and_fixed_pieces_are_kept() {
    let shell = shell();
    let line = "compact loose.json -o apart.dxf --from-instance --clearance 0.1 --json";
    let report = shell.json(line);
    assert_eq!(report["ok"], true);
    assert!(report["least_distance"].as_f64().unwrap() >= 0.1);
    let report = shell.json("compact loose.svg -o held.svg --fixed 0,3 --json");
    assert_eq!(report["ok"], true);
}

/// What is written with its pieces turned is read again without overlap, in its own drawing and as a record.
#[test]
fn pieces_that_turned_are_written_as_they_lie() {
    let shell = shell();
    let sliding = shell.json("compact loose.svg -o slid.svg --json");
    for out in ["turned.svg", "turned.json"] {
        let report = shell.json(&format!("compact loose.svg -o {out} --rotate 3 --json"));
        assert_eq!(report["ok"], true);
        assert!(report["notes"].to_string().contains("have turned"), "{report}");
        let [slid, end] = [&sliding, &report].map(|r| r["length_end"].as_f64().unwrap());
        assert!(end < slid, "{end}, {slid} by sliding");
        let again = shell.json(&format!("compact {out} -o again-{out} --json"));
        assert_eq!(
            (again["ok"].as_bool(), again["separated"].as_bool()),
            (Some(true), Some(false))
        );
    }
}

/// A sheet as a laser cutter's user draws it: it comes back with its places changed and no line more.
#[test]
fn a_drawing_comes_back_with_its_places_changed() {
    let shell = Shell::new();
    let drawing = "<svg width='300mm' height='100mm' viewBox='0 0 300 100'>\n\
        <g id='cut' style='fill:none;stroke:red'><circle id='disc' cx='60' cy='50' r='20'/>\n\
        <path id='heart' d='M150 80 C110 50 130 20 150 40 C170 20 190 50 150 80 z'/>\n\
        <rect id='plate' x='230' y='20' width='40' height='50' rx='8'/>\n\
        <circle id='bore' cx='250' cy='45' r='6'/></g><text x='235' y='60'>7</text></svg>";
    std::fs::write(shell.path("sheet.svg"), drawing).unwrap();
    let report = shell.json("compact sheet.svg -o shorter.svg --clearance 1 --json");
    assert_eq!((report["ok"].as_bool(), report["pieces"].as_u64()), (Some(true), Some(3)));
    let [start, end] = ["length_start", "length_end"].map(|name| report[name].as_f64().unwrap());
    assert!(start == 300.0 && end < 160.0, "{report}");
    let notes = report["notes"].to_string();
    assert!(notes.contains("the strip is the page") && notes.contains("1.000000 mm"), "{notes}");
    let written = String::from_utf8(shell.read("shorter.svg")).unwrap();
    let mut plain = written.clone();
    while let Some(start) = plain.find(" transform=\"translate(") {
        let end = start + 11 + plain[start + 12..].find('"').unwrap() + 2;
        plain.replace_range(start..end, "");
    }
    assert_eq!(plain, drawing);
    // The bore and the number go with their plate.
    let moved = |id: &str| {
        let at = written.find(id).unwrap();
        let tag = written[..at].rfind('<').unwrap();
        written[tag..at].split('"').nth(1).unwrap_or_default().to_string()
    };
    assert_eq!(moved("id='plate'"), moved("id='bore'"));
    assert_eq!(moved("id='plate'"), moved("x='235'"));
    assert!(moved("id='plate'").starts_with("translate(-"));
}

#[test]
fn bad_layouts_are_refused() {
    let shell = shell();
    let refused = |line: &str| shell.riprap(line).refused();
    assert!(refused("compact nowhere.svg -o out.svg").contains("nowhere.svg"));
    let layout = "loose.svg";
    assert!(refused(&format!("compact {layout} -o out.pdf")).contains("pdf"));
    assert!(refused(&format!("compact {layout} -o out.svg --fixed 999")).contains("no piece 999"));
    assert!(refused(&format!("compact {layout} -o out.svg --clearance=-1")).contains("clearance"));
    assert!(refused(&format!("compact {layout} -o out.svg --direction 0,0")).contains("direction"));
    let turns = |more: &str| refused(&format!("compact {layout} -o out.svg {more}"));
    assert!(turns("--no-turn 1").contains("--no-turn has no effect here"));
    assert!(turns("--rotate 2 --no-turn 999").contains("no piece 999"));
    assert!(turns("--rotate 0").contains("0 degrees"));
    assert!(turns("--rotate 2 --clearance 1").contains("keep no clearance"));
    assert!(turns("--rotate 2 --direction 1,1").contains("along x or y"));
    assert!(turns("--rotate 2 --run out.riprap").contains("cannot be kept as a run"));
    let chain = refused(&format!("compact {layout} -o out.dxf --chain"));
    assert!(chain.contains("--chain has no effect here"), "{chain}");
    let tolerance = refused("compact loose.json -o out.svg --from-instance --tolerance 0.1");
    assert!(tolerance.contains("--tolerance has no effect here"), "{tolerance}");
    assert!(refused(&format!("compact {layout} -o out.svg --tolerance=-1")).contains("tolerance"));
    let askew = format!("compact {layout} -o out.svg --direction 1,1 --run askew.riprap");
    assert!(refused(&askew).contains("askew"));
}

#[test]
fn nothing_to_compact_is_refused() {
    let shell = Shell::new();
    shell.write("none.svg", "<svg><rect id='strip' width='9' height='5'/><path d='M1 1h3'/></svg>");
    let message = shell.riprap("compact none.svg -o out.svg").refused();
    assert!(message.contains("no pieces") && !shell.path("out.svg").exists(), "{message}");
}
