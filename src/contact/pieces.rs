//! Two bodies by their convex pieces: each pair of pieces gives one half-space,
//! nearest first. A pair of pieces that an earlier half-space already hides adds
//! none [M96 4.1, eq. 3: the clip-away rule on the pieces of the Minkowski sum].

use super::cores::Side;
use crate::math::DVec3;
use crate::shape::{Apart, Polytope, closest, room_along, widest};

/// `normal . (d_a - d_b) + gap >= 0` keeps all pieces of a pair apart that it
/// stands for; one of them is named.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieceRow {
    /// The piece of the first body and the piece of the second.
    pub pieces: [u32; 2],
    /// Unit vector from the second body to the first.
    pub normal: DVec3,
    /// The room along it, less the rounding; negative if the pieces overlap.
    pub gap: f64,
}

/// Which direction a pair of pieces is kept apart along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Direction {
    /// That of the closest points: right for rounded bodies.
    Closest,
    /// The widest facet normal of the Minkowski sum: straight sides slide
    /// along it, which is what compaction wants. Where only the closest points
    /// have enough room for the rounding, theirs.
    Widest,
}

/// Two pieces that could meet: how they are apart, and which they are.
pub type Near = (Apart, [u32; 2]);

/// All pairs of pieces within reach of each other.
pub fn near_pieces(a: Side, b: Side, offset: DVec3, reach: f64, direction: Direction) -> Vec<Near> {
    let mut found = Vec::new();
    for (i, first) in a.pieces.iter().enumerate() {
        let bounds = first.core.bounds().moved(offset);
        for (j, second) in b.pieces.iter().enumerate() {
            let rounding = a.rounding(i, &b, j);
            if bounds.gap(&second.core.bounds()) > reach + rounding {
                continue;
            }
            let apart = apart(&first.core, &second.core, offset, rounding, direction);
            if apart.room <= reach + rounding {
                found.push((apart, [i as u32, j as u32]));
            }
        }
    }
    found
}

/// Pairs of pieces beyond reach, however far, but for those that rows of nearer ones hide: of
/// shapes of many pieces nearly all are, and that is told far more quickly than how they are apart.
pub fn far_pieces(
    a: Side,
    b: Side,
    offset: DVec3,
    reach: f64,
    direction: Direction,
    (rows, tolerance): (&[PieceRow], f64),
) -> Vec<Near> {
    let mut found = Vec::new();
    for (i, first) in a.pieces.iter().enumerate() {
        let bounds = first.core.bounds().moved(offset);
        for (j, second) in b.pieces.iter().enumerate() {
            let rounding = a.rounding(i, &b, j);
            let (first, second) = (&first.core, &second.core);
            if rows.iter().any(|row| row.hides(first, second, offset, rounding, tolerance)) {
                continue;
            }
            let apart = apart(first, second, offset, rounding, direction);
            let is_far = bounds.gap(&second.bounds()) > reach + rounding;
            if is_far || apart.room > reach + rounding {
                found.push((apart, [i as u32, j as u32]));
            }
        }
    }
    found
}

fn apart(
    first: &Polytope,
    second: &Polytope,
    offset: DVec3,
    rounding: f64,
    direction: Direction,
) -> Apart {
    match direction {
        Direction::Closest => closest(first, second, offset),
        Direction::Widest => match widest(first, second, offset) {
            narrow if narrow.room < rounding => closest(first, second, offset),
            wide => wide,
        },
    }
}

impl PieceRow {
    /// Whether two pieces stand out of it by less than `tolerance`.
    fn hides(
        &self,
        first: &Polytope,
        second: &Polytope,
        offset: DVec3,
        rounding: f64,
        tolerance: f64,
    ) -> bool {
        room_along(first, second, offset, self.normal) - rounding >= self.gap - tolerance
    }
}

/// Turns pairs of pieces into rows, nearest first, and leaves out what stands
/// out of earlier rows by less than `tolerance`.
pub fn clip_away(
    a: Side,
    b: Side,
    offset: DVec3,
    tolerance: f64,
    found: Vec<Near>,
) -> Vec<PieceRow> {
    let place = |(Apart { normal, room }, pieces): Near| {
        let [i, j] = pieces.map(|k| k as usize);
        let rounding = a.rounding(i, &b, j);
        // Rounding may make gaps equal whose rooms differ.
        (PieceRow { pieces, normal, gap: room - rounding }, room, rounding)
    };
    let mut found: Vec<(PieceRow, f64, f64)> = found.into_iter().map(place).collect();
    found.sort_by(|(x, room, _), (y, other_room, _)| {
        let by_gap = x.gap.total_cmp(&y.gap).then(room.total_cmp(other_room));
        by_gap.then(x.pieces.cmp(&y.pieces))
    });
    let mut rows: Vec<PieceRow> = Vec::new();
    for (row, _, rounding) in found {
        let [first, second] =
            [&a.pieces[row.pieces[0] as usize].core, &b.pieces[row.pieces[1] as usize].core];
        if !rows.iter().any(|known| known.hides(first, second, offset, rounding, tolerance)) {
            rows.push(row);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::cores::Rounded;
    use super::*;
    use crate::math::{CLIP, Random};
    use crate::problem::Result;
    use crate::shape::{Mesh, Polytope, Shape};
    use proptest::prelude::*;
    use std::sync::LazyLock;

    /// The rows of two bodies: the first moved by `offset` from the second. Pieces
    /// farther apart than `reach` add nothing.
    fn piece_rows(a: Side, b: Side, offset: DVec3, reach: f64, along: Direction) -> Vec<PieceRow> {
        clip_away(a, b, offset, CLIP, near_pieces(a, b, offset, reach, along))
    }

    /// The pieces of a shape.
    fn pieces(shape: Result<Shape>) -> Vec<Rounded> {
        let rounded =
            |piece: &crate::shape::Piece| Rounded { core: piece.polytope(), radius: piece.radius };
        shape.unwrap().pieces.iter().map(rounded).collect()
    }

    fn side(pieces: &[Rounded]) -> Side<'_> {
        Side { pieces, more: 0.0 }
    }

    /// Flat bodies and bodies in space.
    static BODIES: LazyLock<[Vec<Vec<Rounded>>; 2]> = LazyLock::new(|| {
        let ell = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [2.0, 2.0], [2.0, 4.0], [0.0, 4.0]];
        let star: Vec<[f64; 2]> = (0..10)
            .map(|k| {
                let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / 10.0).sin_cos();
                let radius = if k % 2 == 0 { 3.0 } else { 1.2 };
                [radius * cos, radius * sin]
            })
            .collect();
        let frame = [[0.0, 0.0], [6.0, 0.0], [6.0, 6.0], [0.0, 6.0]];
        let hole = vec![[1.0, 1.0], [5.0, 1.0], [5.0, 5.0], [1.0, 5.0]];
        let flat = [
            Shape::polygon(&ell, &[]),
            Shape::polygon(&star, &[]),
            Shape::polygon(&frame, &[hole]),
        ];
        let neck = Mesh::profile(&[[0.0, 2.0], [1.5, 0.7], [3.0, 2.0]], 5);
        // A round head on a thin rounded stem: pieces of different radii.
        let pin = Shape::compound(vec![
            (Shape::capsule(0.3, 3.0).unwrap(), DVec3::ZERO, Default::default()),
            (Shape::ball(1.0), DVec3::new(0.0, 0.0, 2.0), Default::default()),
        ]);
        let deep = [
            Shape::prism(&ell, &[], 1.0),
            Shape::from_mesh(&neck),
            Shape::cuboid(DVec3::new(1.0, 2.0, 3.0)),
            Ok(Shape::ball(1.0)),
            pin,
        ];
        [flat.into_iter().map(pieces).collect(), deep.into_iter().map(pieces).collect()]
    });

    fn vector(random: &mut Random, flat: bool) -> DVec3 {
        let mut number = || random.between(-1.0, 1.0);
        DVec3::new(number(), number(), if flat { 0.0 } else { number() })
    }

    /// The deepest overlap of all pairs of pieces, by the widest direction of each.
    fn room(a: &[Rounded], b: &[Rounded], offset: DVec3) -> f64 {
        let pairs = a.iter().flat_map(|p| b.iter().map(move |q| (p, q)));
        let rooms =
            pairs.map(|(p, q)| closest(&p.core, &q.core, offset).room - p.radius - q.radius);
        rooms.fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        /// Staying is allowed; no sampled motion that overlaps is; and hidden
        /// pieces add no rows.
        #[test]
        fn no_overlapping_translation_satisfies_all_rows(seed: u64, flat: bool, slide: bool) {
            let random = &mut Random::new(seed);
            let bodies = &BODIES[usize::from(!flat)];
            let mut pick = || &bodies[(random.next_u64() % bodies.len() as u64) as usize];
            let (a, b) = (pick(), pick());
            let offset = 8.0 * vector(random, flat);
            prop_assume!(room(a, b, offset) >= 0.0);
            let sharp = a.iter().chain(b).all(|piece| piece.radius == 0.0);
            let direction = if slide && sharp { Direction::Widest } else { Direction::Closest };
            let rows = piece_rows(side(a), side(b), offset, 100.0, direction);
            prop_assert!(!rows.is_empty() && rows.iter().all(|row| row.gap >= -1e-12));
            for _ in 0..40 {
                let motion = 12.0 * vector(random, flat);
                let allowed = rows.iter().all(|row| row.normal.dot(motion) + row.gap >= 0.0);
                if allowed {
                    prop_assert!(room(a, b, offset + motion) >= -1e-9, "{motion}");
                }
                // As far as the rows allow: still apart, so all rows are there that must be.
                let exits = rows.iter().filter_map(|row| {
                    let slope = row.normal.dot(motion);
                    (slope < 0.0).then(|| row.gap / -slope)
                });
                let extreme = offset + exits.fold(1.0, f64::min) * motion;
                prop_assert!(room(a, b, extreme) >= -1e-9, "{motion}");
            }
        }
    }

    #[test]
    fn pieces_of_one_straight_side_add_one_row() {
        // A square with a notch on its far side: the near side is two pieces' side.
        let notched = [[0.0, 0.0], [6.0, 0.0], [6.0, 4.0], [3.0, 1.0], [0.0, 4.0]];
        let below = [[0.0, 0.0], [6.0, 0.0], [6.0, 1.0], [0.0, 1.0]];
        let [notched, below] =
            [&notched[..], &below[..]].map(|corners| Shape::polygon(corners, &[]));
        let at = DVec3::new(0.0, -1.5, 0.0) + notched.as_ref().unwrap().origin
            - below.as_ref().unwrap().origin;
        let [notched, below] = [notched, below].map(pieces);
        assert!(notched.len() >= 2);
        let rows = piece_rows(side(&below), side(&notched), at, 100.0, Direction::Widest);
        assert_eq!(rows.len(), 1);
        assert!((rows[0].gap - 0.5).abs() < 1e-14 && rows[0].normal == -DVec3::Y, "{rows:?}");
    }

    #[test]
    fn a_ball_in_the_corner_of_an_ell_meets_two_sides() {
        let square = |min: [f64; 2], max: [f64; 2]| {
            Rounded::sharp(Polytope::polygon(&[min, [max[0], min[1]], max, [min[0], max[1]]]))
        };
        let ell = [square([0.0, 0.0], [2.0, 1.0]), square([0.0, 1.0], [1.0, 2.0])];
        let ball = [Rounded { core: Polytope::point(DVec3::ZERO), radius: 0.25 }];
        let offset = DVec3::new(1.5, 1.5, 0.0);
        assert_eq!(piece_rows(side(&ball), side(&ell), offset, 9.0, Direction::Closest).len(), 2);
    }

    #[test]
    fn far_pieces_add_nothing() {
        let [flat, _] = &*BODIES;
        let [a, b] = [side(&flat[0]), side(&flat[1])];
        assert!(piece_rows(a, b, 50.0 * DVec3::X, 5.0, Direction::Closest).is_empty());
    }

    /// The nearest row comes first by what is left of the room, not by the room of the cores.
    #[test]
    fn thick_pieces_come_before_near_ones() {
        let point = |x: f64, radius: f64| Rounded {
            core: crate::shape::Polytope::point(x * DVec3::X),
            radius,
        };
        let (near, thick) = (point(2.0, 0.1), point(3.0, 2.0));
        let body = [near, thick];
        let ball = [point(0.0, 0.5)];
        let rows = piece_rows(side(&ball), side(&body), DVec3::ZERO, 9.0, Direction::Closest);
        assert_eq!((rows.len(), rows[0].pieces, rows[0].gap), (1, [0, 1], 0.5));
    }
}
