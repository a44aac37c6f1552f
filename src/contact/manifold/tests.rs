//! Contacts against drawings and against each other.

use super::*;
use crate::math::{DMat3, DQuat};
use crate::shape::{Core, Piece, Polytope};
use proptest::prelude::*;

fn cube() -> Piece {
    Piece::new(Core::Polytope(Polytope::cuboid(DVec3::ONE).unwrap()), 0.0)
}

/// The same as [`cube`], as a general polyhedron: off its own origin, it is no box.
fn hull() -> Piece {
    let core = Polytope::cuboid(DVec3::ONE).unwrap().moved(DVec3::X);
    Piece { at: DVec3::NEG_X, ..Piece::new(Core::Polytope(core), 0.0) }
}

fn square() -> Piece {
    Piece::new(Core::Polytope(Polytope::rectangle(1.0, 1.0).unwrap()), 0.0)
}

fn meet(a: &Piece, b: &Piece, at: DVec3, turn: DQuat, reach: f64) -> Option<Manifold> {
    let first = Placed::new(a, DVec3::ZERO, &DMat3::IDENTITY);
    manifold(&first, &Placed::new(b, at, &DMat3::from_quat(turn)), reach)
}

fn least(m: &Manifold) -> f64 {
    m.spots().iter().map(|spot| spot.gap).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_box_on_a_box_touches_at_the_corners_of_the_common_area() {
    let m = meet(&cube(), &cube(), DVec3::new(0.25, 0.25, 1.001), DQuat::IDENTITY, 0.01).unwrap();
    assert_eq!(m.count, 4);
    assert!((m.normal + DVec3::Z).length() < 1e-12, "from b, above, to a, below");
    for spot in m.spots() {
        assert!((spot.gap - 0.001).abs() < 1e-12);
        assert!([-0.25, 0.5].iter().any(|x| (spot.at.x - x).abs() < 1e-12), "{}", spot.at);
        assert!((spot.at.z - 0.5005).abs() < 1e-12);
    }
    assert!(meet(&cube(), &cube(), DVec3::Z * 1.02, DQuat::IDENTITY, 0.01).is_none());
}

#[test]
fn crossed_edges_touch_at_one_point() {
    // One box stands on an edge along x, the other hangs by an edge along y.
    let one = Piece { turn: DQuat::from_rotation_x(0.25 * std::f64::consts::PI), ..cube() };
    let two = Piece { turn: DQuat::from_rotation_y(0.25 * std::f64::consts::PI), ..cube() };
    let m = meet(&one, &two, DVec3::Z * (2.0_f64.sqrt() - 0.01), DQuat::IDENTITY, 0.1).unwrap();
    assert_eq!(m.count, 1);
    assert!((m.spots[0].gap + 0.01).abs() < 1e-12 && m.spots[0].at.length() < 0.72);
    assert!((m.normal + DVec3::Z).length() < 1e-9);
}

#[test]
fn balls_and_capsules_meet_everything() {
    let ball = Piece::new(Core::Point, 0.25);
    let capsule = Piece::new(Core::Segment { half: 0.5 }, 0.25);
    let cylinder = Piece::new(Core::Cylinder { radius: 0.5, half: 0.5 }, 0.0);
    let level = DQuat::IDENTITY;
    let gap = |a: &Piece, b: &Piece, at: DVec3, turn: DQuat| {
        let m = meet(a, b, at, turn, 0.1).unwrap();
        (least(&m), m.count)
    };
    let near = |found: (f64, usize), gap: f64, count: usize| {
        assert!((found.0 - gap).abs() < 1e-9 && found.1 == count, "{found:?} {gap} {count}");
    };
    near(gap(&ball, &ball, DVec3::X * 0.45, level), -0.05, 1);
    near(gap(&cube(), &ball, DVec3::Z * 0.74, level), -0.01, 1);
    near(gap(&hull(), &ball, DVec3::new(0.6, 0.6, 0.6), level), 0.03_f64.sqrt() - 0.25, 1);
    near(gap(&cylinder, &ball, DVec3::X * 0.74, level), -0.01, 1);
    near(gap(&capsule, &ball, DVec3::Z * 0.95, level), -0.05, 1);
    near(gap(&capsule, &capsule, DVec3::X * 0.45, level), -0.05, 2);
    let lying = DQuat::from_rotation_y(0.5 * std::f64::consts::PI);
    near(gap(&cube(), &capsule, DVec3::Z * 0.74, lying), -0.01, 2);
    near(gap(&cube(), &capsule, DVec3::Z * 1.24, level), -0.01, 1);
    near(gap(&cube(), &cylinder, DVec3::Z * 0.99, lying), -0.01, 2);
    near(gap(&cube(), &cylinder, DVec3::Z * 0.99, level), -0.01, 4);
}

/// A cylinder is as round as it can be, however it is turned about its axis.
#[test]
fn a_rolling_cylinder_does_not_feel_its_facets() {
    let lying = DQuat::from_rotation_x(0.5 * std::f64::consts::PI);
    let wheel = Piece::new(Core::Cylinder { radius: 0.5, half: 0.2 }, 0.0);
    for k in 0..20 {
        let turn = DQuat::from_rotation_y(0.1 * k as f64) * lying;
        let m = meet(&cube(), &wheel, DVec3::Z * 0.995, turn, 0.02).unwrap();
        assert!((least(&m) + 0.005).abs() < 1e-9, "{k} {}", least(&m));
    }
}

/// Rounded corners leave the room that sharp ones would take.
#[test]
fn rounded_bodies_are_round_at_corners_and_flat_between() {
    let rounded = |piece: Piece| Piece { radius: 0.25, ..piece };
    let level = DQuat::IDENTITY;
    for (one, two) in [(rounded(cube()), rounded(hull())), (rounded(hull()), cube())] {
        let radii = one.radius + two.radius;
        let m = meet(&one, &two, DVec3::new(0.1, 0.2, 1.0 + radii - 0.01), level, 0.02).unwrap();
        assert_eq!(m.count, 4);
        assert!((least(&m) + 0.01).abs() < 1e-12 && (m.normal + DVec3::Z).length() < 1e-12);
        let corner = DVec3::ONE.normalize();
        let at = DVec3::ONE + corner * (radii - 0.01);
        let m = meet(&one, &two, at, level, 0.02).unwrap();
        assert!((least(&m) + 0.01).abs() < 1e-9 && m.count == 1, "{m:?}");
        assert!((m.normal + corner).length() < 1e-9);
        let middle = DVec3::splat(0.5) + corner * (0.5 * (one.radius - two.radius + radii - 0.01));
        assert!((m.spots[0].at - middle).length() < 1e-9, "{} {middle}", m.spots[0].at);
    }
    let capsule = Piece::new(Core::Segment { half: 0.5 }, 0.25);
    let lying = DQuat::from_rotation_y(0.5 * std::f64::consts::PI);
    let m = meet(&rounded(cube()), &capsule, DVec3::Z * 0.99, lying, 0.02).unwrap();
    assert!((least(&m) + 0.01).abs() < 1e-12 && m.count == 2);
}

#[test]
fn polygons_touch_at_sides_and_corners_in_their_plane() {
    let level = DQuat::IDENTITY;
    let m = meet(&square(), &square(), DVec3::new(0.25, 1.001, 0.0), level, 0.01).unwrap();
    assert!(m.count == 2 && m.normal == DVec3::NEG_Y);
    for (spot, x) in m.spots().iter().zip([-0.25, 0.5]) {
        assert!((spot.gap - 0.001).abs() < 1e-12 && spot.at.z == 0.0);
        assert!((spot.at - DVec3::new(x, 0.5005, 0.0)).length() < 1e-12, "{}", spot.at);
    }
    assert!(meet(&square(), &square(), DVec3::Y * 1.02, level, 0.01).is_none());
    // A corner on a side.
    let turn = DQuat::from_rotation_z(0.25 * std::f64::consts::PI);
    let m = meet(&square(), &square(), DVec3::Y * (0.5 + 0.5_f64.sqrt() - 0.01), turn, 0.0);
    let m = m.unwrap();
    assert!((least(&m) + 0.01).abs() < 1e-12 && m.normal.z == 0.0, "{m:?}");
    let disc = Piece::new(Core::Point, 0.25);
    let m = meet(&square(), &disc, DVec3::new(0.6, 0.6, 0.0), level, 0.1).unwrap();
    assert!((least(&m) - (0.02_f64.sqrt() - 0.25)).abs() < 1e-12);
    let m = meet(&square(), &disc, DVec3::new(0.3, 0.74, 0.0), level, 0.1).unwrap();
    assert!((least(&m) + 0.01).abs() < 1e-12 && m.normal == DVec3::NEG_Y);
    // Rounded corners.
    let rounded = Piece { radius: 0.25, ..square() };
    let corner = DVec3::new(0.6, 0.8, 0.0);
    let at = DVec3::new(1.0, 1.0, 0.0) + corner * 0.49;
    let m = meet(&rounded, &rounded, at, level, 0.02).unwrap();
    assert!((least(&m) + 0.01).abs() < 1e-12 && (m.normal + corner).length() < 1e-12);
}

/// What is not box, cylinder or polygon of the plane: a triangle in space has two sides.
#[test]
fn a_triangle_in_space_is_a_thin_piece() {
    let corners = [DVec3::new(-1.0, -1.0, 0.0), DVec3::new(2.0, -1.0, 0.0), DVec3::Y * 2.0];
    let sheet = Piece::new(Core::Polytope(Polytope::triangle(corners)), 0.0);
    for side in [1.0, -1.0] {
        let m = meet(&sheet, &cube(), DVec3::Z * (side * 0.49), DQuat::IDENTITY, 0.02).unwrap();
        assert!((least(&m) + 0.01).abs() < 1e-12, "{m:?}");
        assert!((m.normal + DVec3::Z * side).length() < 1e-12, "{m:?}");
        let ball = Piece::new(Core::Point, 0.25);
        let m = meet(&sheet, &ball, DVec3::Z * (side * 0.24), DQuat::IDENTITY, 0.02).unwrap();
        assert!((least(&m) + 0.01).abs() < 1e-12 && (m.normal + DVec3::Z * side).length() < 1e-12);
    }
}

/// A die that lies on a large disc touches it along the radius there, wherever that is: the prism
/// that stands for the disc is finer where it faces the die.
#[test]
fn small_pieces_meet_large_cylinders_where_these_are() {
    let disc = Piece::new(Core::Cylinder { radius: 5.0, half: 1.0 }, 0.0);
    let die = Piece::new(Core::Polytope(Polytope::cuboid(DVec3::splat(0.2)).unwrap()), 0.0);
    for k in 0..50 {
        let around = DQuat::from_rotation_z(0.1 + 0.11 * f64::from(k));
        let out = around * DVec3::X;
        let m = meet(&disc, &die, out * 5.1005, around, 0.01).unwrap();
        assert!(m.normal.distance(-out) < 1e-2, "{k}: {} {out}", m.normal);
        // Flat on a round side: along its line, and no farther from it than by a hundredth.
        assert!((least(&m) - 5e-4).abs() < 1e-5, "{k}: {m:?}");
        for spot in m.spots() {
            assert!(spot.at.dot(out) > 4.999, "{k}: {m:?}");
        }
    }
}

/// Pieces of all kinds.
fn pieces() -> [Piece; 6] {
    let sharp = |core: Polytope| Piece::new(Core::Polytope(core), 0.0);
    let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    let corners: Vec<DVec3> = corners.map(|c| DVec3::from_array(c) * 0.4).into();
    [
        cube(),
        sharp(Polytope::cuboid(DVec3::new(2.0, 0.3, 0.1)).unwrap()),
        sharp(Polytope::hull(&corners).unwrap()),
        Piece::new(Core::Cylinder { radius: 0.5, half: 0.2 }, 0.0),
        Piece::new(Core::Cylinder { radius: 0.1, half: 0.8 }, 0.0),
        Piece { radius: 0.1, ..cube() },
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Contacts act at points of both pieces, over facets and beside them, corner to corner, edge
    /// to edge, apart or in each other a little; what is farther apart than the reach has none.
    #[test]
    fn points_are_on_both_pieces(
        one in 0_usize..6, two in 0_usize..6, gap in -0.02..0.05,
        x in -1.0..1.0, y in -1.0..1.0, z in -1.0..1.0, u in -3.0..3.0, v in -3.0..3.0, w in -3.0..3.0,
    ) {
        let (one, two) = (&pieces()[one], &pieces()[two]);
        let turn = DQuat::from_scaled_axis(DVec3::new(u, v, w));
        let first = Placed::new(one, DVec3::ZERO, &DMat3::IDENTITY);
        // Moved along some direction until they are so far apart.
        let mut at = DVec3::new(x, y, z).normalize_or(DVec3::X) * 4.0;
        let second = |at: DVec3| Placed::new(two, at, &DMat3::from_quat(turn));
        for _ in 0..4 {
            let (normal, room) = apart(&first, &second(at));
            at += normal * (room - gap);
        }
        let second = second(at);
        let reach = 0.06;
        let found = manifold(&first, &second, reach);
        let (_, room) = separation(&first, &second);
        prop_assert!(found.is_some() || room > reach - 0.01, "{room}");
        let Some(found) = found else { return Ok(()) };
        // Of a prism that stands for a cylinder, sides between two corners are inside; what is rounded
        // and leans on a facet is known at its other end as if it did not.
        let prism = 0.02;
        for spot in found.spots() {
            for (piece, sign) in [(&first, 0.5), (&second, -0.5)] {
                let at = spot.at + found.normal * (sign * spot.gap);
                let dot = Piece::new(Core::Point, 0.0);
                let dot = Placed::new(&dot, at, &DMat3::IDENTITY);
                let (_, off) = apart(&dot, piece);
                prop_assert!(off < 6e-3 + prism * f64::from(piece.slack() > 0.0), "{off} {found:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Two boxes meet as the same two polyhedra do, and moving one out by the depth parts them.
    #[test]
    fn boxes_and_hulls_agree(
        x in -1.0..1.0, y in -1.0..1.0, z in -1.0..1.0, u in -2.0..2.0, v in -2.0..2.0, w in -2.0..2.0,
    ) {
        let (at, turn) = (DVec3::new(x, y, z), DQuat::from_scaled_axis(DVec3::new(u, v, w)));
        let boxes = meet(&cube(), &cube(), at, turn, 0.05);
        let hulls = meet(&hull(), &hull(), at, turn, 0.05);
        prop_assert_eq!(boxes.is_some(), hulls.is_some());
        if let (Some(boxes), Some(hulls)) = (boxes, hulls) {
            prop_assert!((least(&boxes) - least(&hulls)).abs() < 2e-3);
            let out = at - boxes.normal * ((-least(&boxes)).max(0.0) + 2e-3);
            if let Some(parted) = meet(&cube(), &cube(), out, turn, 0.05) {
                prop_assert!(least(&parted) > -1e-9, "{}", least(&parted));
            }
        }
    }
}
