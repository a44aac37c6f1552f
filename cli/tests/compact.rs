//! `riprap compact` as a user calls it.

mod common;

use common::Shell;
use std::path::Path;

fn data(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/nesting");
    folder.join(name).display().to_string()
}

#[test]
fn a_layout_gets_shorter_and_the_motion_is_kept() {
    let shell = Shell::new();
    let line = format!("compact {} -o shorter.svg --run fu.riprap --json", data("fu.svg"));
    let report = shell.json(&line);
    assert_eq!(report["ok"], true);
    assert_eq!(report["max_overlap"], 0.0);
    let [start, end] = ["length_start", "length_end"].map(|name| report[name].as_f64().unwrap());
    assert!(end < start);
    assert!(report["chain"].as_array().unwrap().len() > 2);
    let verdict = shell.json("verify fu.riprap --json");
    assert_eq!(verdict["ok"], true, "{verdict}");
    assert_eq!(verdict["outcome"], "rest");
    // The run is there already.
    assert!(shell.riprap(&line).refused().contains("exists already"));
    shell.riprap(&format!("{line} --force")).ok();
    shell.riprap("render fu.riprap -o fu.svg").ok();
    let picture = String::from_utf8(shell.read("fu.svg")).unwrap();
    assert!(picture.matches("<path").count() > 10);
    // What was written is a layout again, and no longer gets much shorter.
    let again = shell.json("compact shorter.svg -o again.json --json");
    assert!((again["length_start"].as_f64().unwrap() - end).abs() < 1e-9 * end);
}

#[test]
fn clearance_and_fixed_pieces_are_kept() {
    let shell = Shell::new();
    let line =
        format!("compact {} -o loose.dxf --from-instance --clearance 0.1 --json", data("fu.json"));
    let report = shell.json(&line);
    assert_eq!(report["ok"], true);
    assert!(report["least_distance"].as_f64().unwrap() >= 0.1);
    let line = format!("compact {} -o held.svg --fixed 0,3 --json", data("fu.svg"));
    assert_eq!(shell.json(&line)["ok"], true);
}

#[test]
fn bad_layouts_are_refused() {
    let shell = Shell::new();
    let refused = |line: &str| shell.riprap(line).refused();
    assert!(refused("compact nowhere.svg -o out.svg").contains("nowhere.svg"));
    let layout = data("fu.svg");
    assert!(refused(&format!("compact {layout} -o out.pdf")).contains("pdf"));
    assert!(refused(&format!("compact {layout} -o out.svg --fixed 999")).contains("no piece 999"));
    assert!(refused(&format!("compact {layout} -o out.svg --clearance -1")).contains("clearance"));
    assert!(refused(&format!("compact {layout} -o out.svg --direction 0,0")).contains("direction"));
    let askew = format!("compact {layout} -o out.svg --direction 1,1 --run askew.riprap");
    assert!(refused(&askew).contains("askew"));
}
