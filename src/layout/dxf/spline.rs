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
