//! The paper's own forms [M96 5], for those who want to compare: the distance
//! of two bodies is the largest of its parts along a few directions, and a
//! spring's parabola is replaced by chords.
//!
//! The distance of the paper is at most the true one, and at least the true one
//! times the cosine of the largest angle to a direction, which is 1 / sqrt(3)
//! for the axes. A step may therefore raise the true energy; whoever uses these
//! forms has to look.

use super::Strand;
use crate::math::DVec3;
use crate::scene::Law;

/// Chords that a spring may have in one step; beyond, the outermost are extended.
const MOST_CHORDS: u64 = 24;

/// The largest of a few linear functions of the change of a strand's vector:
/// slopes, and heights of which the largest is 0. None for laws that the paper
/// has no form for. `reach` is how far the length can change in this step.
pub fn pieces(law: &Law, piece: f64, strand: &Strand, reach: f64) -> Option<Vec<(DVec3, f64)>> {
    let lines = match *law {
        Law::Attraction { strength } => vec![(strength, 0.0)],
        Law::Spring { strength, rest_length: 0.0 } => {
            chords(strength, piece, strand.vector.length(), reach)
        }
        _ => return None,
    };
    let mut directions: Vec<DVec3> = DVec3::AXES.iter().flat_map(|axis| [*axis, -*axis]).collect();
    directions.extend(strand.vector.try_normalize());
    let parts = directions.iter().flat_map(|u| {
        lines
            .iter()
            .map(move |(slope, height)| (*u * *slope, slope * u.dot(strand.vector) + height))
    });
    let parts: Vec<(DVec3, f64)> = parts.collect();
    let highest = parts.iter().map(|part| part.1).fold(f64::NEG_INFINITY, f64::max);
    Some(parts.into_iter().map(|(slope, height)| (slope, height - highest)).collect())
}

/// Slopes and heights of the chords of `f d^2` between multiples of `width`,
/// for lengths within `reach` of `length`. The k-th chord has the slope
/// `f w (2 k - 1)`; chords are at most `f w^2 / 4` above the parabola.
fn chords(strength: f64, width: f64, length: f64, reach: f64) -> Vec<(f64, f64)> {
    let number = |d: f64| (d / width).floor().max(0.0) as u64 + 1;
    let (first, last) = (number(length - reach), number(length + reach));
    let middle = number(length);
    let first = first.max(middle.saturating_sub(MOST_CHORDS / 2));
    let last = last.min(middle + MOST_CHORDS / 2);
    let chord = |k: u64| {
        let k = k as f64;
        (strength * width * (2.0 * k - 1.0), -strength * k * (k - 1.0) * width * width)
    };
    (first..=last).map(chord).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn strand(vector: DVec3) -> Strand {
        Strand { a: 0, b: Some(1), vector, softening: 0.0 }
    }

    /// The paper's energy at a changed vector, up to a constant.
    fn value(pieces: &[(DVec3, f64)], change: DVec3) -> f64 {
        pieces.iter().map(|(s, h)| s.dot(change) + h).fold(f64::NEG_INFINITY, f64::max)
    }

    proptest! {
        #[test]
        fn chords_are_above_the_parabola_by_a_quarter_of_the_width_squared(
            f in 0.1..3.0, w in 0.05..2.0, d in 0.0..5.0,
        ) {
            let chords = chords(f, w, d, 0.0);
            prop_assert_eq!(chords.len(), 1);
            let error = chords[0].0 * d + chords[0].1 - f * d * d;
            prop_assert!((-1e-12..=f * w * w / 4.0 + 1e-12).contains(&error), "{}", error);
        }

        /// All chords together: their largest is the one that belongs to the length.
        #[test]
        fn the_largest_chord_is_the_right_one(f in 0.1..3.0, w in 0.2..2.0, d in 0.0..2.0) {
            let all = chords(f, w, 1.0, 1.5);
            let largest = all.iter().map(|(s, h)| s * d + h).fold(f64::NEG_INFINITY, f64::max);
            let own = chords(f, w, d, 0.0)[0];
            prop_assert!((largest - own.0 * d - own.1).abs() < 1e-12);
        }

        /// The distance of the paper is between |D| / sqrt 3 and |D|.
        #[test]
        fn directions_see_most_of_a_distance(
            now in [-2.0..2.0_f64, -2.0..2.0, -2.0..2.0],
            then in [-2.0..2.0_f64, -2.0..2.0, -2.0..2.0],
        ) {
            let (now, then) = (DVec3::from_array(now), DVec3::from_array(then));
            prop_assume!(now.length() > 1e-3);
            let law = Law::Attraction { strength: 1.0 };
            let pieces = pieces(&law, 1.0, &strand(now), 1.0).unwrap();
            prop_assert!(pieces.len() == 7 && value(&pieces, DVec3::ZERO) == 0.0);
            let distance = value(&pieces, then - now) + now.length();
            prop_assert!(distance <= then.length() + 1e-12);
            prop_assert!(distance >= then.length() / 3.0_f64.sqrt() - 1e-12);
        }
    }

    #[test]
    fn the_quarter_is_reached_in_the_middle_of_a_chord() {
        let (f, w) = (2.0, 0.5);
        let (slope, height) = chords(f, w, 0.25, 0.0)[0];
        assert_eq!(slope * 0.25 + height - f * 0.25 * 0.25, f * w * w / 4.0);
    }

    #[test]
    fn other_laws_have_no_such_form() {
        let line = strand(DVec3::X);
        assert_eq!(pieces(&Law::Repulsion { strength: 1.0 }, 1.0, &line, 1.0), None);
        let long = Law::Spring { strength: 1.0, rest_length: 1.0 };
        assert_eq!(pieces(&long, 1.0, &line, 1.0), None);
    }
}
