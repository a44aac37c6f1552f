//! The paper's own forms [M96 5], for those who want to compare: the distance
//! of two bodies is the largest of its parts along a few directions, and a
//! spring's parabola is replaced by chords.
//!
//! The distance of the paper is at most the true one, and at least the true one
//! times the cosine of the largest angle to a direction, which is 1 / sqrt(3)
//! for the axes. A step may therefore raise the true energy; whoever uses these
//! forms has to look. A pull that falls with the square of the distance is as strong in the
//! whole step as at its beginning; one of short range pulls wherever it did.

use super::Strand;
use crate::math::DVec3;
use crate::scene::Law;

/// Chords that a spring may have in one step; beyond, the outermost are extended.
const MOST_CHORDS: u64 = 24;

/// The largest of a few linear functions of the change of a strand's vector:
/// slopes, and heights of which the largest is 0. None for laws that the paper
/// has no form for, and where nothing pulls. `directions` are those of [`directions`], `reach` is how far the length can change in
/// this step.
pub fn pieces(
    law: &Law,
    piece: f64,
    directions: &[DVec3],
    strand: &Strand,
    reach: f64,
) -> Option<Vec<(DVec3, f64)>> {
    let lines = match *law {
        Law::Attraction { strength } => vec![(strength, 0.0)],
        Law::InverseSquare { strength } => {
            // By the softened distance, along the line.
            let length = strand.length();
            let pull = strength / (length * length) * (strand.vector.length() / length);
            vec![(pull, 0.0)]
        }
        Law::ShortRange { strength, cut_off } if strand.length() < cut_off => {
            vec![(strength, 0.0)]
        }
        Law::Spring { strength, rest_length: 0.0 } => {
            chords(strength, piece, strand.vector.length(), reach)
        }
        _ => return None,
    };
    let mut directions = directions.to_vec();
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

/// The paper's set U: so many directions, evenly over all of them, each with its opposite. Six
/// (in the plane four) or fewer are those of the axes, then come those of the corners and of the edges of
/// a cube; other numbers lie on a spiral.
pub fn directions(count: u32, dimension: usize) -> Vec<DVec3> {
    let half = match (dimension, count) {
        (2, ..=4) => vec![DVec3::X, DVec3::Y],
        (2, _) => {
            let angle = |k: u32| f64::from(k) * std::f64::consts::TAU / f64::from(count);
            (0..count / 2).map(|k| DVec3::new(angle(k).cos(), angle(k).sin(), 0.0)).collect()
        }
        (_, ..=6) => DVec3::AXES.to_vec(),
        (_, 14) => cube(&[1, 3]),
        (_, 26) => cube(&[1, 2, 3]),
        _ => {
            let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
            let point = |k: u32| {
                let z = 1.0 - (f64::from(k) + 0.5) / f64::from(count / 2);
                let (sin, cos) = (golden * f64::from(k)).sin_cos();
                let r = (1.0 - z * z).sqrt();
                DVec3::new(r * cos, r * sin, z)
            };
            (0..count / 2).map(point).collect()
        }
    };
    half.into_iter().flat_map(|u| [u, -u]).collect()
}

/// Half of the directions of a cube's faces (1), edges (2) and corners (3).
fn cube(kinds: &[i32]) -> Vec<DVec3> {
    let steps = [-1, 0, 1];
    let all = steps.iter().flat_map(|x| steps.iter().flat_map(move |y| steps.map(|z| [*x, *y, z])));
    all.filter(|v| *v > [0, 0, 0] && kinds.contains(&v.iter().map(|x: &i32| x.abs()).sum()))
        .map(|v| DVec3::from_array(v.map(f64::from)).normalize())
        .collect()
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
            let pieces = pieces(&law, 1.0, &directions(6, 3), &strand(now), 1.0).unwrap();
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
        let axes = directions(6, 3);
        assert_eq!(pieces(&Law::Repulsion { strength: 1.0 }, 1.0, &axes, &line, 1.0), None);
        let long = Law::Spring { strength: 1.0, rest_length: 1.0 };
        assert_eq!(pieces(&long, 1.0, &axes, &line, 1.0), None);
    }

    /// How far a direction can be from the nearest of a set, as a cosine, by sampling finely.
    fn least_part(set: &[DVec3], dimension: usize) -> f64 {
        let probe = directions(if dimension == 2 { 3600 } else { 40_000 }, dimension);
        let part = |v: &DVec3| set.iter().map(|u| u.dot(*v)).fold(f64::NEG_INFINITY, f64::max);
        probe.iter().map(part).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn more_directions_see_more() {
        let mut last = 0.0;
        for count in [6_u32, 14, 26, 100, 400] {
            let set = directions(count, 3);
            assert_eq!(set.len(), count as usize);
            assert!(set.iter().all(|u| (u.length() - 1.0).abs() < 1e-12 && set.contains(&-*u)));
            let seen = least_part(&set, 3);
            // Caps of the angle 2 / sqrt(count) have the area of the sphere; to cover it, they overlap.
            let least = (1.6 * 2.0 / f64::from(count).sqrt()).cos();
            assert!(seen > last && seen >= least, "{count}: {seen} {least}");
            last = seen;
        }
        for count in [4_u32, 6, 12, 40] {
            let set = directions(count, 2);
            assert!(set.len() == count as usize && set.iter().all(|u| u.z == 0.0));
            let expected = (std::f64::consts::PI / f64::from(count)).cos();
            assert!((least_part(&set, 2) - expected).abs() < 1e-5, "{count}");
        }
    }

    /// Each law in closed form: two bodies at a distance L move along their line by t, and the
    /// paper's energy changes by the pull at L times t.
    #[test]
    fn every_law_by_hand() {
        let (from, t) = (DVec3::new(1.2, -1.6, 0.0), 0.3); // L = 2
        let along = from / 2.0;
        let change = |law: Law, t: f64| {
            let set = directions(6, 3);
            let pieces = pieces(&law, 0.25, &set, &strand(from), 1.0).unwrap();
            value(&pieces, along * t) - value(&pieces, DVec3::ZERO)
        };
        let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-12, "{x} is not {y}");
        near(change(Law::Attraction { strength: 1.5 }, t), 1.5 * t);
        near(change(Law::InverseSquare { strength: 2.0 }, t), 2.0 / 4.0 * t);
        near(change(Law::ShortRange { strength: 1.2, cut_off: 2.1 }, t), 1.2 * t);
        // Chords of width 1/4: from 2 = 8 w, the ninth has the slope f w 17, the tenth f w 19.
        let spring = Law::Spring { strength: 0.7, rest_length: 0.0 };
        near(change(spring, t), 0.7 * 0.25 * (17.0 * 0.25 + 19.0 * 0.05));
        let set = directions(6, 3);
        let out = Law::ShortRange { strength: 1.2, cut_off: 1.9 };
        assert_eq!(pieces(&out, 0.25, &set, &strand(from), 1.0), None, "nothing pulls out there");
        // Softened: at a distance s from its point, a pull has half of 1 / d^2, over the root of 2.
        let soft = Strand { b: None, softening: 2.0, ..strand(from) };
        let pieces = pieces(&Law::InverseSquare { strength: 2.0 }, 0.25, &set, &soft, 1.0).unwrap();
        near(value(&pieces, along * t), 2.0 / 8.0 / 2.0_f64.sqrt() * t);
    }
}
