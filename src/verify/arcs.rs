//! Arcs of tori, which are not convex: an arc is cut in halves until the chords of
//! those parts that could be the nearest are as good as the arc.

use std::borrow::Cow;
use std::f64::consts::FRAC_PI_2;

use super::convex::{Placed, apart};
use crate::math::{DQuat, DVec3};
use crate::shape::{Core, Piece};

/// A chord is as good as its arc if it is this near to it, in radii of the circle: by so much may
/// an overlap be called deeper than it is.
const STRAIGHT: f64 = 1e-6;

/// The point of an arc about z, from `-half` to `half` about x, nearest to a point; it is also
/// the farthest along the direction of that point.
pub(super) fn nearest(radius: f64, half: f64, to: DVec3) -> DVec3 {
    let angle = to.y.atan2(to.x).clamp(-half, half);
    DVec3::new(radius * angle.cos(), radius * angle.sin(), 0.0)
}

/// From one end of an arc to the other; 0 of what is none.
pub(super) fn chord(piece: &Piece) -> f64 {
    if let Core::Arc { radius, half } = piece.core { 2.0 * radius * half.sin() } else { 0.0 }
}

/// The ball of an arc's tube that is nearest to a point; none if the piece is no arc.
pub(super) fn ball_at<'a>(placed: &Placed, at: DVec3) -> Option<Placed<'a>> {
    let Core::Arc { radius, half } = placed.piece.core else { return None };
    let local = placed.turn.transpose() * (at - placed.centre);
    let centre = placed.centre + placed.turn * nearest(radius, half, local);
    let ball = Piece::new(Core::Point, placed.radius());
    Some(Placed::of(Cow::Owned(ball), centre, DQuat::IDENTITY))
}

/// How deep two pieces overlap of which one is an arc, if that is more than `bound`.
pub(super) fn deeper_than(a: &Placed, b: &Placed, bound: f64) -> Option<f64> {
    let rounding = a.radius() + b.radius();
    // To a point there is one ball of the tube that counts.
    for (arc, other) in [(a, b), (b, a)] {
        if let (Core::Arc { .. }, Core::Point) = (&arc.piece.core, &other.piece.core) {
            let ball = ball_at(arc, other.centre)?;
            let depth = rounding - ball.centre.distance(other.centre);
            return (depth > bound).then_some(depth);
        }
    }
    let (mut deepest, mut open) = (None, vec![[Part::of(a), Part::of(b)]]);
    let mut known = bound;
    while let Some([one, two]) = open.pop() {
        let off = one.off + two.off;
        let apart = apart(&one.placed, &two.placed, rounding + off - known);
        let (least, most) = (rounding - apart - off, rounding - apart + off);
        if most <= known {
            continue;
        }
        if one.is_straight() && two.is_straight() {
            (deepest, known) = (Some(most), most);
            continue;
        }
        // A long part inside is deeper than any of its points.
        known = if apart > 0.0 { known.max(least) } else { known };
        match one.off >= two.off {
            true => open.extend(one.halves().map(|half| [half, two.clone()])),
            false => open.extend(two.halves().map(|half| [one.clone(), half])),
        }
    }
    // Distances are exact up to rounding: what is surely as deep is so, found or not.
    deepest.or((known > bound).then_some(known))
}

/// A part of a piece: the chord of an arc's part, or all of another piece.
#[derive(Clone)]
struct Part<'p> {
    whole: &'p Placed<'p>,
    /// Of the arc.
    angles: [f64; 2],
    placed: Placed<'p>,
    /// How far the arc is from the chord.
    off: f64,
}

impl<'p> Part<'p> {
    fn of(whole: &'p Placed<'p>) -> Part<'p> {
        match whole.piece.core {
            Core::Arc { half, .. } => Part::between(whole, [-half, half]),
            _ => Part { whole, angles: [0.0; 2], placed: whole.clone(), off: 0.0 },
        }
    }

    fn between(whole: &'p Placed<'p>, angles: [f64; 2]) -> Part<'p> {
        let Core::Arc { radius, .. } = whole.piece.core else { return Part::of(whole) };
        let (middle, half) = (0.5 * (angles[0] + angles[1]), 0.5 * (angles[1] - angles[0]));
        let chord = Piece::new(Core::Segment { half: radius * half.sin() }, whole.radius());
        let out = whole.turn * DVec3::new(middle.cos(), middle.sin(), 0.0);
        let centre = whole.centre + out * (radius * half.cos());
        let turn = DQuat::from_mat3(&whole.turn)
            * DQuat::from_rotation_z(middle)
            * DQuat::from_rotation_x(FRAC_PI_2);
        let placed = Placed::of(Cow::Owned(chord), centre, turn);
        Part { whole, angles, placed, off: radius * (1.0 - half.cos()) }
    }

    fn is_straight(&self) -> bool {
        match self.whole.piece.core {
            Core::Arc { radius, .. } => self.off <= STRAIGHT * radius,
            _ => true,
        }
    }

    fn halves(&self) -> [Part<'p>; 2] {
        let [from, to] = self.angles;
        let middle = 0.5 * (from + to);
        [Part::between(self.whole, [from, middle]), Part::between(self.whole, [middle, to])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use crate::shape::{Polytope, Shape};

    fn vector(random: &mut Random) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|_| random.between(-1.0, 1.0)))
    }

    /// As deep as the deepest of many balls along the arc.
    #[test]
    fn overlaps_are_those_of_many_balls() {
        let random = &mut Random::new(8);
        let mut deep = 0;
        for case in 0..60 {
            let half = random.between(0.1, 0.5);
            let arc = Piece::new(Core::Arc { radius: 1.0, half }, random.between(0.05, 0.3));
            let other = match case % 4 {
                0 => Piece::new(Core::Segment { half: 0.7 }, 0.2),
                1 => Piece::new(Core::Polytope(Polytope::cuboid(DVec3::ONE).unwrap()), 0.0),
                2 => Piece::new(Core::Point, 0.4),
                _ => Piece::new(Core::Arc { radius: 0.6, half: 0.4 }, 0.2),
            };
            let at = DVec3::X + 0.6 * vector(random);
            let turn = DQuat::from_scaled_axis(3.0 * vector(random));
            let (a, b) =
                (Placed::new(&arc, DVec3::ZERO, DQuat::IDENTITY), Placed::new(&other, at, turn));
            let depth = |k: usize| {
                let angle = half * (k as f64 / 200.0 - 1.0);
                let ball = ball_at(&a, DVec3::new(angle.cos(), angle.sin(), 0.0)).unwrap();
                super::super::convex::deeper_than(&b, &ball, -9.0).unwrap_or(-9.0)
            };
            let expected = (0..=400).map(depth).fold(f64::NEG_INFINITY, f64::max);
            match deeper_than(&a, &b, 0.0) {
                Some(found) => {
                    deep += 1;
                    assert!((found - expected).abs() < 2e-3, "{case} {found} {expected}");
                }
                None => assert!(expected < 1e-5, "{case} {expected}"),
            }
        }
        assert!(deep > 15, "{deep}");
    }

    /// In the hole there is room: by formula.
    #[test]
    fn holes_are_free() {
        let torus = Shape::arc_torus(1.0, 0.25, 16).unwrap();
        let deepest = |ball: f64, x: f64| {
            let ball = Piece::new(Core::Point, ball);
            let ball = Placed::new(&ball, DVec3::X * x, DQuat::IDENTITY);
            let depth = |piece: &Piece| {
                let piece = Placed::new(piece, DVec3::ZERO, DQuat::IDENTITY);
                deeper_than(&piece, &ball, 0.0)
            };
            torus.pieces.iter().filter_map(depth).fold(0.0, f64::max)
        };
        assert_eq!(deepest(0.749, 0.0), 0.0);
        assert!((deepest(0.76, 0.0) - 0.01).abs() < 3e-6);
        assert!((deepest(0.5, 0.3) - 0.05).abs() < 3e-6);
        assert!((deepest(0.5, 1.7) - 0.05).abs() < 3e-6);
        assert_eq!(deepest(0.5, 0.2), 0.0);
    }
}
