//! Published layouts get shorter, shaken ones are taken apart, and first
//! layouts of instances are improved: always without overlap, by the check
//! that shares no code with compaction.

use crate::common::published::{INSTANCES, Nesting};
use riprap::layout::{Item, Layout, Placed, Strip, bottom_left};
use riprap::math::Random;
use riprap::shape::Outline;
use riprap::step::compact::{Options, Report, Turns, compact, compact_turning};
use riprap::verify::verify_layout;

/// Records, and by how many percent they get shorter at least. For fu, jakobs1 and
/// trousers that is the most there is (tools/best_sides.py proves it).
const RECORDS: [(&str, f64); 7] = [
    ("albano", 0.0079),
    ("dagli", 0.0260),
    ("fu", 0.00642),
    ("jakobs1", 0.01934),
    ("marques", 0.0012),
    ("shapes0", 0.0210),
    ("trousers", 0.01018),
];

fn record(nesting: &Nesting, name: &str) -> Layout {
    Layout::read(&nesting.layout(name), None).unwrap()
}

fn run(layout: &mut Layout) -> Report {
    compact(layout, &Options::default(), |_, _| {}).unwrap()
}

#[track_caller]
fn assert_valid(layout: &Layout) {
    let verdict = verify_layout(layout, 0.0).unwrap();
    assert!(verdict.ok(), "{}: {verdict:?}", layout.name);
}

/// Layouts that need no file start without overlap: polygons with room between them, a jigsaw
/// that fills its rectangle and is then pulled apart.
#[test]
fn made_layouts_are_loose() {
    let polygons = Layout::loose_polygons(110, 75, 3).unwrap();
    assert!(verify_layout(&polygons, 0.01).unwrap().ok());
    let whole = Layout::jigsaw(6, 5, 1.0, 9).unwrap();
    assert!((whole.density() - 1.0).abs() < 1e-12);
    assert_valid(&Layout::jigsaw(6, 5, 1.1, 9).unwrap());
}

#[test]
fn published_layouts_get_shorter() {
    let Some(nesting) = Nesting::find("published_layouts_get_shorter") else { return };
    for (name, percent) in RECORDS {
        let mut layout = record(&nesting, name);
        assert_valid(&layout);
        let report = run(&mut layout);
        assert_valid(&layout);
        let shorter = 100.0 * (1.0 - report.length_end / report.length_start);
        println!(
            "{name:9} {:.6} -> {:.6}: {shorter:.4} %, {} jumps",
            report.length_start, report.length_end, report.jumps
        );
        assert!(shorter >= percent, "{name}: {shorter} %");
        assert!(report.chain.left_to_gain < 1e-8 * report.length_end);
        assert!(report.chain.path.len() >= 3);
    }
}

/// Every piece moved at random by 1 % of its size, so that many overlap.
#[test]
fn shaken_layouts_are_separated_and_compacted() {
    let Some(nesting) = Nesting::find("shaken_layouts_are_separated_and_compacted") else { return };
    let random = &mut Random::new(7);
    for (name, _) in RECORDS {
        let mut layout = record(&nesting, name);
        let placed = layout.placed.clone();
        for (index, placed) in placed.iter().enumerate() {
            let corners = &layout.piece(placed)[0];
            let xs = corners.iter().map(|c| c[0]);
            let size =
                xs.clone().fold(f64::NEG_INFINITY, f64::max) - xs.fold(f64::INFINITY, f64::min);
            let shake = &mut layout.placed[index].translation;
            shake[0] += 0.01 * size * random.between(-1.0, 1.0);
            shake[1] += 0.01 * size * random.between(-1.0, 1.0);
        }
        assert!(verify_layout(&layout, 0.0).unwrap().deepest() > 0.0);
        let report = run(&mut layout);
        assert_valid(&layout);
        println!(
            "{name:9} overlap {:.3}, moved {:.3} in all: {:.4} -> {:.4}",
            report.overlap_start, report.separation[0], report.length_start, report.length_end
        );
        assert!(report.overlap_start > 0.0 && report.separation[0] > 0.0);
        assert!(report.length_end < 1.1 * report.length_start, "{name}: {}", report.length_end);
    }
}

#[test]
fn first_layouts_of_instances_get_shorter() {
    let Some(nesting) = Nesting::find("first_layouts_of_instances_get_shorter") else { return };
    let mut shorter = 0;
    for name in INSTANCES {
        let instance = Layout::read_instance(&nesting.instance(name)).unwrap();
        let mut layout = bottom_left(instance).unwrap();
        assert_valid(&layout);
        let report = run(&mut layout);
        assert_valid(&layout);
        println!("{name:9} {:.4} -> {:.4}", report.length_start, report.length_end);
        assert!(report.length_end <= report.length_start);
        shorter += usize::from(report.length_end < report.length_start * (1.0 - 1e-6));
    }
    assert!(shorter >= 10, "{shorter} of 13");
}

/// What was written is read again as it was, in every format.
#[test]
fn layouts_survive_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut layout = Layout::loose_polygons(12, 20, 3).unwrap();
    for (k, placed) in layout.placed.iter_mut().enumerate() {
        placed.rotation = 37.5 * k as f64;
    }
    run(&mut layout);
    for ending in ["svg", "json", "dxf"] {
        let path = folder.path().join(format!("turned.{ending}"));
        layout.write(&path, None).unwrap();
        let again = Layout::read(&path, None).unwrap();
        assert_valid(&again);
        assert_eq!(again.strip, layout.strip, "{ending}");
        if ending == "json" {
            assert_eq!(again.placed, layout.placed);
        }
        if ending == "svg" {
            // A drawing knows turns, not how often somebody went around.
            for (one, two) in again.placed.iter().zip(&layout.placed) {
                let off = (one.rotation - two.rotation).rem_euclid(360.0);
                assert!(off.min(360.0 - off) < 1e-9, "{one:?} {two:?}");
                assert_eq!((one.item, one.translation), (two.item, two.translation));
            }
        }
    }
}

/// Bars that lean stand up, alone and in a row: sides that end flat on each other are no overlap.
#[test]
fn leaning_bars_stand_up() {
    let outline = Outline::new(&[[0.0, 0.0], [1.0, 0.0], [1.0, 4.0], [0.0, 4.0]], &[]).unwrap();
    for (count, lean) in [(1, 1.0), (1, -1.0), (2, 1.0), (2, -0.4), (3, 1.7)] {
        let at = |k: u64| [0.5 + 1.2 * k as f64, 0.5];
        let bar = |k| Placed { item: 0, rotation: lean, translation: at(k), fixed: false };
        let strip = Strip { min: [0.0, 0.0], max: [5.0, 5.0] };
        let item = Item::new(0, outline.clone(), count);
        let mut layout = Layout::new("bars", vec![item], strip, (0..count).map(bar).collect());
        let turns = Turns { most: 2.0, held: Vec::new() };
        compact_turning(&mut layout, &Options::default(), &turns, |_, _| {}).unwrap();
        assert_valid(&layout);
        let length = layout.strip.length();
        assert!((length - count as f64).abs() < 1e-7, "{count} bars, {lean} degrees: {length}");
    }
}

/// Pieces that may turn by two degrees: never longer than by sliding alone, no piece turned farther, those
/// with a grain and fixed ones not at all, and no overlap.
#[test]
fn pieces_that_turn_make_shorter_layouts() {
    let Some(nesting) = Nesting::find("pieces_that_turn_make_shorter_layouts") else { return };
    for (name, percent) in [("fu", 0.1), ("jakobs2", 0.1)] {
        let start = bottom_left(Layout::read_instance(&nesting.instance(name)).unwrap()).unwrap();
        let (mut slid, mut turned) = (start.clone(), start.clone());
        let by_sliding = run(&mut slid);
        turned.placed[3].fixed = true;
        let turns = Turns { most: 2.0, held: vec![1, 4] };
        compact_turning(&mut turned, &Options::default(), &turns, |_, _| {}).unwrap();
        assert_valid(&turned);
        for (index, (now, before)) in turned.placed.iter().zip(&start.placed).enumerate() {
            let angle = (now.rotation - before.rotation).abs();
            let most = if [1, 3, 4].contains(&index) { 0.0 } else { 2.0 + 1e-9 };
            assert!(angle <= most, "{name}: piece {index} has turned by {angle}");
        }
        let mut turned = start.clone();
        let turns = Turns { most: 2.0, held: Vec::new() };
        let report = compact_turning(&mut turned, &Options::default(), &turns, |_, _| {}).unwrap();
        assert_valid(&turned);
        assert_eq!(report.length_start, by_sliding.length_start);
        let shorter = 100.0 * (1.0 - report.length_end / by_sliding.length_end);
        assert!(shorter >= percent, "{name}: {shorter} %");
    }
}
