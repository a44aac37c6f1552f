//! Small layouts made by hand: what slides, what stops, what is kept apart.

use proptest::prelude::*;
use riprap::layout::{Item, Layout, Placed, Strip};
use riprap::math::Random;
use riprap::shape::{MassProperties, Outline};
use riprap::step::compact::*;
use riprap::verify::verify_layout;

fn polygon(corners: &[[f64; 2]]) -> Outline {
    Outline::new(corners, &[]).unwrap()
}

fn square(size: f64) -> Outline {
    polygon(&[[0.0, 0.0], [size, 0.0], [size, size], [0.0, size]])
}

/// Each outline once, at its place, on a strip 40 long.
fn layout(height: f64, pieces: Vec<(Outline, [f64; 2])>) -> Layout {
    let mut layout =
        Layout::new("test", Vec::new(), Strip { min: [0.0; 2], max: [40.0, height] }, Vec::new());
    for (id, (outline, translation)) in pieces.into_iter().enumerate() {
        layout.items.push(Item::new(id as u64, outline, 1));
        layout.placed.push(Placed { item: id, rotation: 0.0, translation, fixed: false });
    }
    layout
}

fn run(layout: &mut Layout) -> Report {
    compact(layout, &Options::default(), |_, _| {}).unwrap()
}

/// A triangle slides down along another: a straight push would stop at once.
#[test]
fn pieces_slide_past_each_other() {
    let wedge = polygon(&[[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]]);
    let roof = polygon(&[[4.0, 0.0], [4.0, 4.0], [0.0, 4.0]]);
    let mut layout = layout(4.5, vec![(wedge, [0.0, 0.0]), (roof, [6.0, 0.3])]);
    let report = run(&mut layout);
    // Together they are a square of 4, moved by 0.5 up along the slope.
    assert!((layout.strip.length() - 4.0).abs() < 1e-7, "{}", layout.strip.length());
    assert!(verify_layout(&layout, 0.0).unwrap().ok());
    assert!(report.jumps <= 2 && report.overlap_start == 0.0 && report.separation == [0.0; 2]);
    assert!((report.length_start, report.length_end) == (40.0, layout.strip.length()));
    assert_eq!(report.chain.path.first(), Some(&Member::Wall));
    assert_eq!(report.chain.path.last(), Some(&Member::Side));
}

#[test]
fn clearance_is_kept_and_proved() {
    let mut layout = layout(1.5, vec![(square(1.0), [0.5, 0.1]), (square(1.0), [3.0, 0.4])]);
    let options = Options { clearance: 0.25, ..Options::default() };
    compact(&mut layout, &options, |_, _| {}).unwrap();
    assert!((layout.strip.length() - 2.25).abs() < 1e-7);
    let verdict = verify_layout(&layout, 0.25).unwrap();
    assert!(verdict.ok(), "{verdict:?}");
    assert!(verdict.least_distance.unwrap() < 0.25 + 1e-7);
}

#[test]
fn fixed_pieces_stay_and_end_the_chain() {
    let mut layout = layout(1.5, vec![(square(1.0), [2.0, 0.25]), (square(1.0), [5.0, 0.25])]);
    layout.placed[0].fixed = true;
    let report = run(&mut layout);
    assert_eq!(layout.placed[0].translation, [2.0, 0.25]);
    assert!((layout.strip.length() - 4.0).abs() < 1e-7);
    assert_eq!(report.chain.path, [Member::Wall, Member::Piece(1), Member::Piece(0)]);
}

#[test]
fn other_walls_can_move() {
    let squares = || layout(5.0, vec![(square(1.0), [0.5, 0.5]), (square(1.0), [0.7, 3.0])]);
    let moved = |direction: [f64; 2]| {
        let mut layout = squares();
        let options = Options { direction, ..Options::default() };
        let report = compact(&mut layout, &options, |_, _| {}).unwrap();
        assert!(verify_layout(&layout, 0.0).unwrap().ok());
        (layout, report)
    };
    // One above the other at first: loose pieces find the place beside each other.
    assert!((moved([0.0, 1.0]).0.strip.max[1] - 1.0).abs() < 1e-7);
    assert!((moved([0.0, -2.0]).0.strip.min[1] - 4.0).abs() < 1e-7);
    assert!((moved([-1.0, 0.0]).0.strip.min[0] - 39.0).abs() < 1e-7);
    let (slanted, report) = moved([1.0, 1.0]);
    assert_eq!(slanted.strip, squares().strip);
    // Side by side: the corner at (2, 1).
    assert!((report.length_end - 1.5 * 2_f64.sqrt()).abs() < 1e-6, "{}", report.length_end);
}

#[test]
fn what_cannot_get_shorter_stays_to_the_last_bit() {
    // Touching exactly: no room for the skin.
    let mut tight = layout(1.0, vec![(square(1.0), [0.0, 0.0]), (square(1.0), [1.0, 0.0])]);
    tight.strip.max[0] = 2.0;
    let before = tight.clone();
    let report = run(&mut tight);
    assert_eq!(tight, before);
    assert!(report.length_end == 2.0 && report.overlap_start == 0.0);
}

#[test]
fn overlapping_pieces_are_taken_apart_by_the_shortest_way() {
    let mut layout = layout(10.0, vec![(square(4.0), [0.5, 0.5]), (square(4.0), [1.0, 4.25])]);
    let report = run(&mut layout);
    assert!((report.overlap_start - 0.25).abs() < 1e-12);
    assert!((report.separation[0] - 0.25).abs() < 1e-6, "{:?}", report.separation);
    assert!(verify_layout(&layout, 0.0).unwrap().ok());
    assert!((layout.strip.length() - 4.0).abs() < 1e-6);
}

/// Three pieces on top of each other in a strip with room for two.
#[test]
fn where_there_is_no_room_above_pieces_pass_along_the_strip() {
    let piece = || (square(4.0), [0.5, 3.0]);
    let mut layout = layout(9.0, vec![piece(), piece(), piece()]);
    run(&mut layout);
    assert!(verify_layout(&layout, 0.0).unwrap().ok());
    assert!(layout.strip.length() < 12.1);
}

#[test]
fn impossible_questions_are_refused() {
    let mut layout = layout(4.5, vec![(square(4.0), [0.0, 0.0]), (square(4.0), [1.0, 0.0])]);
    let refused = |layout: &mut Layout, options: Options| {
        compact(layout, &options, |_, _| {}).unwrap_err().message
    };
    let options = Options { direction: [0.0, 0.0], ..Options::default() };
    assert_eq!(refused(&mut layout, options), "the direction is 0,0");
    let options = Options { clearance: -1.0, ..Options::default() };
    assert_eq!(refused(&mut layout, options), "the clearance is -1");
    layout.placed[0].fixed = true;
    layout.placed[1].translation = [0.0, -1.0];
    layout.strip.max[1] = 3.0;
    assert!(refused(&mut layout, Options::default()).contains("cannot be taken apart"));
}

/// A rectangle cut into convex pieces by random lines, the pieces moved apart by a tenth.
fn jigsaw(seed: u64, cuts: usize) -> Layout {
    let random = &mut Random::new(seed);
    let mut pieces = vec![vec![[0.0, 0.0], [6.0, 0.0], [6.0, 4.0], [0.0, 4.0]]];
    for _ in 0..cuts {
        let at = [random.between(0.0, 6.0), random.between(0.0, 4.0)];
        let (sin, cos) = random.between(0.0, std::f64::consts::PI).sin_cos();
        let side = |p: &[f64; 2]| (p[0] - at[0]) * sin - (p[1] - at[1]) * cos;
        pieces = pieces
            .iter()
            .flat_map(|piece| [1.0, -1.0].map(|sign| cut(piece, |p| sign * side(p))))
            .collect();
        pieces.retain(|piece| piece.len() >= 3 && area(piece) > 1e-3);
    }
    let whole: f64 = pieces.iter().map(|piece| area(piece)).sum();
    assert!(whole > 20.0);
    let spread = |piece: Vec<[f64; 2]>| {
        let n = piece.len() as f64;
        let [x, y] = piece.iter().fold([0.0; 2], |[x, y], p| [x + p[0] / n, y + p[1] / n]);
        (polygon(&piece), [0.1 * x, 0.1 * y])
    };
    let mut layout = layout(4.4, pieces.into_iter().map(spread).collect());
    layout.strip.max[0] = 6.6;
    layout
}

fn cut(piece: &[[f64; 2]], side: impl Fn(&[f64; 2]) -> f64) -> Vec<[f64; 2]> {
    let mut kept = Vec::new();
    for (k, a) in piece.iter().enumerate() {
        let b = &piece[(k + 1) % piece.len()];
        let (s, t) = (side(a), side(b));
        if s >= 0.0 {
            kept.push(*a);
        }
        if (s > 0.0 && t < 0.0) || (s < 0.0 && t > 0.0) {
            let part = s / (s - t);
            kept.push([a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])]);
        }
    }
    kept
}

fn area(piece: &[[f64; 2]]) -> f64 {
    MassProperties::of_loops([piece]).volume
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// Whatever the start, the end is free of overlap, and a valid start gets no longer.
    #[test]
    fn jigsaws_get_shorter_and_never_overlap(seed: u64, cuts in 1..5_usize) {
        let mut layout = jigsaw(seed, cuts);
        prop_assert!(verify_layout(&layout, 0.0).unwrap().ok());
        let report = run(&mut layout);
        prop_assert!(verify_layout(&layout, 0.0).unwrap().ok());
        prop_assert!(layout.strip.length() <= 6.6 && report.overlap_start == 0.0);
    }

    /// Pieces thrown onto each other are taken apart.
    #[test]
    fn shaken_jigsaws_are_separated(seed: u64) {
        let random = &mut Random::new(seed);
        let mut layout = jigsaw(seed, 3);
        for placed in &mut layout.placed {
            placed.translation[0] += random.between(-0.5, 0.5);
            placed.translation[1] += random.between(-0.5, 0.5);
        }
        run(&mut layout);
        let verdict = verify_layout(&layout, 0.0).unwrap();
        prop_assert!(verdict.ok(), "{verdict:?}");
    }
}
