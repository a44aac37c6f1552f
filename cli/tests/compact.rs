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
    let askew = format!("compact {layout} -o out.svg --direction 1,1 --run askew.riprap");
    assert!(refused(&askew).contains("askew"));
}
