//! Splines as Bezier curves.

use crate::layout::curve::{Line, Segment};
use crate::math::{DVec2, DVec3};
use crate::problem::{Problem, Result};

/// No program writes splines of a higher degree.
const HIGHEST: usize = 16;

/// A B-spline, weighted or not, piece by piece: inserting every inner knot until it is there as
/// often as the degree splits the curve into Bezier curves (Boehm).
pub fn spline(degree: usize, knots: &[f64], points: &[DVec2], weights: &[f64]) -> Result<Line> {
    let count = points.len();
    let rises = knots.windows(2).all(|pair| pair[0] <= pair[1]);
    let fits = (1..=HIGHEST).contains(&degree)
        && count > degree
        && knots.len() == count + degree + 1
        && rises
        && (weights.is_empty() || weights.len() == count)
        && weights.iter().all(|w| *w > 0.0)
        && knots[degree] < knots[count];
    if !fits {
        return Err(Problem::new(format!(
            "a spline of degree {degree} has {count} control points, {} knots and {} weights",
            knots.len(),
            weights.len()
        ))
        .help("knots rise, and are as many as control points and degree and one together"));
    }
    let weight = |k: usize| weights.get(k).copied().unwrap_or(1.0);
    let mut controls: Vec<DVec3> =
        points.iter().enumerate().map(|(k, p)| (*p * weight(k)).extend(weight(k))).collect();
    let mut knots = knots.to_vec();
    let [start, end] = [knots[degree], knots[count]];
    let mut inner: Vec<f64> = knots.iter().copied().filter(|&u| u >= start && u <= end).collect();
    inner.dedup();
    for &u in &inner {
        let there = knots.iter().filter(|&&knot| knot == u).count();
        for _ in there..degree {
            insert(degree, &mut knots, &mut controls, u);
        }
    }
    // The first control point of the first piece is the one that the start's knot begins.
    let first = knots.iter().rposition(|&u| u <= start).unwrap_or(degree) - degree;
    let pieces = inner.len() - 1;
    let segments = (0..pieces).filter_map(|k| {
        let from = first + k * degree;
        controls.get(from..=from + degree).map(|points| Segment::Bezier(points.to_vec()))
    });
    Ok(Line { segments: segments.collect() })
}

/// The cubic spline through points that differ from their neighbours, with the lengths of its chords
/// as parameters; its ends go along tangents, or are straight (no second derivative) without them.
pub fn through(points: &[DVec2], tangents: [Option<DVec2>; 2]) -> Line {
    let chords: Vec<f64> = points.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
    let slopes: Vec<DVec2> =
        points.windows(2).zip(&chords).map(|(pair, h)| (pair[1] - pair[0]) / *h).collect();
    let last = points.len() - 1;
    let [first_way, last_way] = tangents.map(|tangent| tangent.and_then(DVec2::try_normalize));
    // Rows of the derivatives at the points: below, on and above the diagonal, and the right side.
    let row = |k: usize| match k {
        0 => first_way.map_or((0.0, 2.0, 1.0, 3.0 * slopes[0]), |way| (0.0, 1.0, 0.0, way)),
        _ if k == last => {
            last_way.map_or((1.0, 2.0, 0.0, 3.0 * slopes[k - 1]), |way| (0.0, 1.0, 0.0, way))
        }
        _ => {
            let [before, after] = [1.0 / chords[k - 1], 1.0 / chords[k]];
            let right = 3.0 * (slopes[k - 1] * before + slopes[k] * after);
            (before, 2.0 * (before + after), after, right)
        }
    };
    // Elimination downwards, then values upwards.
    let mut rows: Vec<(f64, DVec2)> = Vec::with_capacity(points.len());
    for k in 0..=last {
        let (below, on, above, right) = row(k);
        let (before, value) = rows.last().copied().unwrap_or((0.0, DVec2::ZERO));
        let pivot = on - below * before;
        rows.push((above / pivot, (right - value * below) / pivot));
    }
    let mut ways = vec![DVec2::ZERO; points.len()];
    for k in (0..=last).rev() {
        let next = ways.get(k + 1).copied().unwrap_or(DVec2::ZERO);
        ways[k] = rows[k].1 - next * rows[k].0;
    }
    let piece = |k: usize| {
        let third = chords[k] / 3.0;
        let [from, to] = [points[k], points[k + 1]];
        Segment::bezier(&[from, from + ways[k] * third, to - ways[k + 1] * third, to])
    };
    Line { segments: (0..last).map(piece).collect() }
}

fn insert(degree: usize, knots: &mut Vec<f64>, controls: &mut Vec<DVec3>, u: f64) {
    // The span that u lies in; at the end of the curve, the last one that is not empty.
    let last = controls.len();
    let span = (degree..last).rev().find(|&k| knots[k] <= u && (u < knots[k + 1] || k + 1 == last));
    let span = span.unwrap_or(degree);
    let mut next = Vec::with_capacity(controls.len() + 1);
    for k in 0..=controls.len() {
        next.push(if k + degree <= span {
            controls[k]
        } else if k > span {
            controls[k - 1]
        } else {
            let width = knots[k + degree] - knots[k];
            let part = if width > 0.0 { (u - knots[k]) / width } else { 0.0 };
            controls[k - 1] * (1.0 - part) + controls[k] * part
        });
    }
    *controls = next;
    knots.insert(span + 1, u);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// De Boor's recursion, as it stands in books.
    fn value(degree: usize, knots: &[f64], points: &[DVec3], u: f64) -> DVec2 {
        fn basis(k: usize, degree: usize, knots: &[f64], u: f64) -> f64 {
            if degree == 0 {
                return f64::from(u8::from(knots[k] <= u && u < knots[k + 1]));
            }
            let part = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
            part(u - knots[k], knots[k + degree] - knots[k]) * basis(k, degree - 1, knots, u)
                + part(knots[k + degree + 1] - u, knots[k + degree + 1] - knots[k + 1])
                    * basis(k + 1, degree - 1, knots, u)
        }
        let sum: DVec3 =
            points.iter().enumerate().map(|(k, p)| *p * basis(k, degree, knots, u)).sum();
        sum.truncate() / sum.z
    }

    fn at(segment: &Segment, s: f64) -> DVec2 {
        let Segment::Bezier(points) = segment else { unreachable!() };
        let mut row = points.clone();
        while row.len() > 1 {
            row = row.windows(2).map(|p| p[0] * (1.0 - s) + p[1] * s).collect();
        }
        row[0].truncate() / row[0].z
    }

    /// Through its points, smooth twice, with the asked ends: nothing else is so.
    #[test]
    fn fitted_splines_are_smooth() {
        let points = [[0.0, 0.0], [1.0, 2.0], [4.0, 2.0], [5.0, -1.0], [9.0, 0.5]].map(DVec2::from);
        for tangents in [[None, None], [Some(DVec2::Y * 7.0), Some(DVec2::new(1.0, -1.0))]] {
            let line = through(&points, tangents);
            let controls: Vec<Vec<DVec2>> = line
                .segments
                .iter()
                .map(|segment| {
                    let Segment::Bezier(points) = segment else { unreachable!() };
                    points.iter().map(|p| p.truncate() / p.z).collect()
                })
                .collect();
            let chord = |k: usize| points[k].distance(points[k + 1]);
            let slope = |k: usize, end: usize| {
                let [from, to] = [[0, 1], [2, 3]][end];
                (controls[k][to] - controls[k][from]) * 3.0 / chord(k)
            };
            let bend = |k: usize, end: usize| {
                let c = &controls[k][end..end + 3];
                (c[0] - 2.0 * c[1] + c[2]) * 6.0 / chord(k).powi(2)
            };
            for k in 0..4 {
                assert_eq!([controls[k][0], controls[k][3]], [points[k], points[k + 1]]);
                if k > 0 {
                    assert!(slope(k - 1, 1).distance(slope(k, 0)) < 1e-12);
                    assert!(bend(k - 1, 1).distance(bend(k, 0)) < 1e-12);
                }
            }
            let ends = [slope(0, 0), slope(3, 1)];
            for (k, (tangent, end)) in tangents.into_iter().zip(ends).enumerate() {
                match tangent {
                    Some(tangent) => assert!(end.distance(tangent.normalize()) < 1e-12),
                    None => assert!(bend([0, 3][k], k).length() < 1e-12),
                }
            }
        }
    }

    #[test]
    fn pieces_are_the_spline() {
        let points: Vec<DVec2> =
            [[0.0, 0.0], [1.0, 2.0], [3.0, 2.0], [4.0, -1.0], [6.0, 0.5], [7.0, 0.0], [8.0, 3.0]]
                .map(DVec2::from)
                .to_vec();
        let weights = [1.0, 0.5, 2.0, 1.0, 0.7, 1.0, 1.0];
        let clamped = [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 2.5, 4.0, 4.0, 4.0, 4.0];
        let uniform = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0];
        for knots in [clamped, uniform] {
            let line = spline(3, &knots, &points, &weights).unwrap();
            let inner: Vec<f64> = {
                let mut inner = knots[3..=7].to_vec();
                inner.dedup();
                inner
            };
            assert_eq!(line.segments.len(), inner.len() - 1);
            let controls: Vec<DVec3> =
                points.iter().zip(weights).map(|(p, w)| (*p * w).extend(w)).collect();
            for (segment, span) in line.segments.iter().zip(inner.windows(2)) {
                for s in [0.0, 0.3, 0.9] {
                    let u = span[0] + (span[1] - span[0]) * s;
                    let off = at(segment, s).distance(value(3, &knots, &controls, u));
                    assert!(off < 1e-12, "{u} {off}");
                }
            }
        }
        assert!(spline(3, &clamped[1..], &points, &[]).is_err());
    }
}
