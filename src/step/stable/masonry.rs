//! Arches, vaults and domes whose answers are known, and how far verdicts reach.

use super::*;
use crate::math::DQuat;
use crate::scene::{Scene, gallery};
use crate::shape::Shape;
use crate::step::collapse::samples::add;
use crate::world::{Motion, Weight, build};

/// A semicircular arch of the gallery's family, in 2D, that does not slide.
fn arch(stones: usize, thickness: f64) -> (Model, State) {
    let text = format!(
        "method = \"collapse\"\ndimension = 2\n[[bodies]]\nfriction = 5\n\
         tower = {{ family = \"arch\", stones = {stones}, thickness = {thickness:?} }}\n"
    );
    build(&Scene::from_text(&text, "arch.toml".as_ref()).unwrap()).unwrap()
}

/// The least thickness with which it stands.
fn least(low: f64, high: f64, exact: f64, stands: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (low, high);
    while high - low > exact {
        let middle = 0.5 * (low + high);
        if stands(middle) { high = middle } else { low = middle }
    }
    high
}

fn is_balanced(model: &Model, state: &State) -> bool {
    let statics = Statics::new(model, state).unwrap();
    statics.left_over(statics.simplex().unwrap()) < 1e-9
}

/// Known from the literature's construction of the line of thrust, stone by stone.
#[test]
fn arches_of_straight_sided_stones() {
    for (stones, known) in [(8, 0.099972), (16, 0.107076), (32, 0.107197)] {
        let found = least(0.09, 0.12, 1e-6, |thickness| {
            let (model, state) = arch(stones, thickness);
            is_balanced(&model, &state)
        });
        assert!((found - known).abs() < 1e-5 * 0.5, "{stones}: {found} {known}");
    }
}

/// Of many stones the thickness is Heyman's, 0.1075 of the radius.
#[test]
fn many_stones_tend_to_heyman() {
    let found = least(0.1, 0.12, 2e-5, |thickness| {
        let (model, state) = arch(200, thickness);
        Statics::new(&model, &state).unwrap().balance_of_many() == Balance::Balanced
    });
    assert!((found - 0.1075).abs() < 1e-4, "{found}");
    for (thickness, balance) in [(0.2, Balance::Balanced), (0.1, Balance::Unbalanced)] {
        let (model, state) = arch(951, thickness);
        assert_eq!(Statics::new(&model, &state).unwrap().balance_of_many(), balance);
    }
}

/// A sector of a ring as a solid that is not convex: round inside and outside, with flat joints.
fn sector(from: f64, to: f64, thickness: f64) -> Shape {
    const PARTS: usize = 24;
    let at = |r: f64, k: usize| {
        let (sin, cos) = (from + (to - from) * k as f64 / PARTS as f64).sin_cos();
        [r * cos, r * sin]
    };
    let [inner, outer] = [1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness];
    let mut outline: Vec<[f64; 2]> = (0..=PARTS).map(|k| at(outer, k)).collect();
    outline.extend((0..=PARTS).rev().map(|k| at(inner, k)));
    let count = outline.len();
    let corners: Vec<DVec3> = [0.25, -0.25]
        .iter()
        .flat_map(|y| outline.iter().map(move |[x, z]| DVec3::new(*x, *y, *z)))
        .collect();
    // Seen along +y, from the front, the outline is counter-clockwise.
    let back: Vec<u32> = (0..count as u32).rev().collect();
    let front: Vec<u32> = (count as u32..2 * count as u32).collect();
    let mut faces = vec![back, front];
    for k in 0..count {
        let next = (k + 1) % count;
        faces.push([k, next, next + count, k + count].map(|k| k as u32).to_vec());
    }
    Shape::polyhedron(&corners, &faces).unwrap()
}

/// Eight true sectors, as meshes in space: heavier outside than straight-sided stones.
#[test]
fn an_arch_of_sectors() {
    let stands = |thickness: f64| {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        for k in 0..8 {
            let angle = |k: i32| std::f64::consts::PI * f64::from(k) / 8.0;
            let shape = sector(angle(k), angle(k + 1), thickness);
            let weight = Weight::Density(1.0);
            let body = model.add(&mut state, shape, DVec3::ZERO, DQuat::IDENTITY, weight).unwrap();
            body.material.friction = 5.0;
        }
        for side in [-1.0, 1.0] {
            let foot = Shape::cuboid(DVec3::new(0.5, 1.0, 0.5)).unwrap();
            let ground = add(&mut model, &mut state, foot, DVec3::new(side, 0.0, -0.25));
            (ground.motion, ground.material.friction) = (Motion::Fixed, 5.0);
        }
        is_balanced(&model, &state)
    };
    // Heavy: twenty-four pieces a stone; a hair on either side says as much as a search.
    assert!(stands(0.100861 + 1e-5) && !stands(0.100861 - 1e-5));
}

/// A dome of 200 stones, a barrel vault and a wall with an opening stand, and for every placement
/// within a millionth.
#[test]
fn domes_vaults_and_gates() {
    for (name, bodies) in [("dome", 201), ("vault", 92), ("gate", 59)] {
        let (model, state) = build(&gallery::scene(name).unwrap()).unwrap();
        assert_eq!(model.bodies.len(), bodies, "{name}");
        let statics = Statics::new(&model, &state).unwrap();
        assert_eq!(statics.balance_of_many(), Balance::Balanced, "{name}");
        if name == "gate" {
            let Placements::Within(length) = statics.placements(Balance::Balanced) else {
                panic!("{name}")
            };
            assert!(length > 1e-6 && length < 0.1, "{length}");
            let [low, high] = statics.margin_of_many().unwrap();
            assert!(low > 0.1 && low <= high, "{low} {high}");
            // The wall tips about its edge: half its thickness over the height of its weight, or less.
            let Ground { bounds: [low, high], towards } = statics.ground().unwrap();
            assert!(low > 0.1 && high < 0.2 && high - low < 5e-3 * low, "{low} {high}");
            assert!(towards.y.abs() > 0.999, "{towards}");
        }
    }
}

/// A beam that reaches over an edge by so much less than half of its length: no placement is proved
/// that would let its weight fall, and some are; beyond the edge all within a hair fall.
#[test]
fn verdicts_reach_as_far_as_they_hold() {
    let beam = |inside: f64| {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        let shape = Shape::cuboid(DVec3::new(2.0, 1.0, 0.5)).unwrap();
        add(&mut model, &mut state, shape, DVec3::new(-inside, 0.0, 0.25)).material.friction = 0.5;
        let table = Shape::cuboid(DVec3::new(4.0, 4.0, 1.0)).unwrap();
        let table = add(&mut model, &mut state, table, DVec3::new(-2.0, 0.0, -0.5));
        (table.motion, table.material.friction) = (Motion::Fixed, 0.5);
        (model, state)
    };
    for inside in [0.1, 0.01, 1e-4] {
        let (model, state) = beam(inside);
        let statics = Statics::new(&model, &state).unwrap();
        assert_eq!(statics.balance_of_many(), Balance::Balanced);
        let Placements::Within(length) = statics.placements(Balance::Balanced) else {
            panic!("{inside}")
        };
        assert!(length > 1e-3 * inside && length < inside, "{inside}: {length}");
    }
    for (outside, gap, wanted) in
        [(0.01, 1e-4, Placements::Within(1e-4)), (0.01, 0.02, Placements::Unproved)]
    {
        let (model, state) = beam(-outside);
        let tolerance = Tolerance { gap: Some(gap), ..Tolerance::START };
        let statics = Statics::within(&model, &state, tolerance).unwrap();
        assert_eq!(statics.placements(Balance::Unbalanced), wanted, "{gap}");
    }
}

/// Many questions about many bodies say what the simplex method says.
#[test]
fn both_methods_agree() {
    for name in ["gate", "wall-3d", "arch", "tower-5x5", "card-house-3d", "harmonic-10"] {
        let (model, state) = build(&gallery::scene(name).unwrap()).unwrap();
        let statics = Statics::new(&model, &state).unwrap();
        let balance = statics.balance_of_many();
        let wanted = statics.left_over(statics.simplex().unwrap()) < 1e-9;
        assert_eq!(balance == Balance::Balanced, wanted, "{name}: {balance:?}");
        if !wanted {
            let (_, first) = statics.first_fall();
            let exact = &statics.begin_to_fall().accelerations;
            let off = first.iter().zip(exact).map(|(a, b)| (a.0 - b.0).length());
            let off = off.fold(0.0, f64::max) / model.gravity.length();
            assert!(off < 0.02, "{name}: {off}");
        }
    }
}
