//! Two solids, or a solid and a sphere (a point with a radius): each pair of
//! convex pieces gives one half-space, nearest first. A pair of pieces that an
//! earlier half-space already hides adds none [M96 4.1, eq. 3: the clip-away
//! rule on the pieces of the Minkowski sum].

use crate::math::{CLIP, DVec3};
use crate::shape::{Apart, Convex, closest, room_along, widest};

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

/// The rows of two bodies: the first moved by `offset` from the second,
/// `rounding` the sum of their radii. Pieces farther apart than `reach` add
/// nothing.
///
/// ```
/// use riprap::contact::{piece_rows, Direction};
/// use riprap::{math::DVec3, shape::Solid};
/// let ell = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
/// let (ell, ball) = (Solid::polygon(&ell, &[])?, Solid::ball(0.25));
/// // A ball in the corner of the ell meets two sides.
/// let at = DVec3::new(1.5, 1.5, 0.0);
/// let rows = piece_rows(&ball.pieces, &ell.pieces, at, 0.25, 9.0, Direction::Closest);
/// assert_eq!(rows.len(), 2);
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn piece_rows(
    a: &[Convex],
    b: &[Convex],
    offset: DVec3,
    rounding: f64,
    reach: f64,
    direction: Direction,
) -> Vec<PieceRow> {
    let found = near_pieces(a, b, offset, rounding, reach, direction);
    clip_away(a, b, offset, rounding, CLIP, found)
}

/// All pairs of pieces within reach of each other.
pub fn near_pieces(
    a: &[Convex],
    b: &[Convex],
    offset: DVec3,
    rounding: f64,
    reach: f64,
    direction: Direction,
) -> Vec<Near> {
    let mut found = Vec::new();
    for (i, first) in a.iter().enumerate() {
        let bounds = first.bounds().moved(offset);
        for (j, second) in b.iter().enumerate() {
            if bounds.gap(&second.bounds()) > reach + rounding {
                continue;
            }
            let apart = match direction {
                Direction::Closest => closest(first, second, offset),
                Direction::Widest => match widest(first, second, offset) {
                    narrow if narrow.room < rounding => closest(first, second, offset),
                    wide => wide,
                },
            };
            if apart.room <= reach + rounding {
                found.push((apart, [i as u32, j as u32]));
            }
        }
    }
    found
}

/// Turns pairs of pieces into rows, nearest first, and leaves out what stands
/// out of earlier rows by less than `tolerance`.
pub fn clip_away(
    a: &[Convex],
    b: &[Convex],
    offset: DVec3,
    rounding: f64,
    tolerance: f64,
    mut found: Vec<Near>,
) -> Vec<PieceRow> {
    found.sort_by(|x, y| x.0.room.total_cmp(&y.0.room).then(x.1.cmp(&y.1)));
    let mut rows: Vec<PieceRow> = Vec::new();
    for (Apart { normal, room }, pieces) in found {
        let [first, second] = [&a[pieces[0] as usize], &b[pieces[1] as usize]];
        let hidden = |row: &PieceRow| {
            room_along(first, second, offset, row.normal) - rounding >= row.gap - tolerance
        };
        if !rows.iter().any(hidden) {
            rows.push(PieceRow { pieces, normal, gap: room - rounding });
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use crate::shape::{Mesh, Solid};
    use proptest::prelude::*;
    use std::sync::LazyLock;

    static SOLIDS: LazyLock<[Vec<Solid>; 2]> = LazyLock::new(|| {
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
            Solid::polygon(&ell, &[]),
            Solid::polygon(&star, &[]),
            Solid::polygon(&frame, &[hole]),
        ];
        let neck = Mesh::profile(&[[0.0, 2.0], [1.5, 0.7], [3.0, 2.0]], 5);
        let deep = [
            Solid::prism(&ell, &[], 1.0),
            Solid::from_mesh(&neck),
            Solid::cuboid(DVec3::new(1.0, 2.0, 3.0)),
            Ok(Solid::ball(1.0)),
        ];
        [
            flat.into_iter().map(Result::unwrap).collect(),
            deep.into_iter().map(Result::unwrap).collect(),
        ]
    });

    fn vector(random: &mut Random, flat: bool) -> DVec3 {
        let mut number = || random.between(-1.0, 1.0);
        DVec3::new(number(), number(), if flat { 0.0 } else { number() })
    }

    /// The deepest overlap of all pairs of pieces, by the widest direction of each.
    fn room(a: &Solid, b: &Solid, offset: DVec3) -> f64 {
        let pairs = a.pieces.iter().flat_map(|p| b.pieces.iter().map(move |q| (p, q)));
        let rooms = pairs.map(|(p, q)| closest(p, q, offset).room);
        rooms.fold(f64::INFINITY, f64::min) - a.radius - b.radius
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        /// Staying is allowed; no sampled motion that overlaps is; and hidden
        /// pieces add no rows.
        #[test]
        fn no_overlapping_translation_satisfies_all_rows(seed: u64, flat: bool, slide: bool) {
            let random = &mut Random::new(seed);
            let solids = &SOLIDS[usize::from(!flat)];
            let mut pick = || &solids[(random.next_u64() % solids.len() as u64) as usize];
            let (a, b) = (pick(), pick());
            let offset = 8.0 * vector(random, flat);
            prop_assume!(room(a, b, offset) >= 0.0);
            let direction = if slide && a.radius + b.radius == 0.0 { Direction::Widest } else { Direction::Closest };
            let rounding = a.radius + b.radius;
            let rows = piece_rows(&a.pieces, &b.pieces, offset, rounding, 100.0, direction);
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
        let notched = Solid::polygon(&notched, &[]).unwrap();
        assert!(notched.pieces.len() >= 2);
        let brick = Solid::polygon(&[[0.0, 0.0], [6.0, 0.0], [6.0, 1.0], [0.0, 1.0]], &[]).unwrap();
        let at = DVec3::new(0.0, -1.5, 0.0);
        let rows = piece_rows(&brick.pieces, &notched.pieces, at, 0.0, 100.0, Direction::Widest);
        assert_eq!(rows.len(), 1);
        assert!((rows[0].gap - 0.5).abs() < 1e-15 && rows[0].normal == -DVec3::Y);
    }

    #[test]
    fn far_pieces_add_nothing() {
        let [flat, _] = &*SOLIDS;
        let rows = piece_rows(
            &flat[0].pieces,
            &flat[1].pieces,
            50.0 * DVec3::X,
            0.0,
            5.0,
            Direction::Closest,
        );
        assert!(rows.is_empty());
    }
}
