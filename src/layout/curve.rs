//! Lines of drawings: straight, elliptic and rational Bezier pieces end to end,
//! and how they become corners. A closed line with the figure on its left is
//! flattened outwards: where it turns left the corners lie on tangents outside
//! of it, where it turns right they lie on the line itself, so that the figure
//! of the corners covers that of the curve and no overlap is hidden.

use crate::math::{DAffine2, DVec2, DVec3};

/// Halving a Bezier piece so often leaves nothing of it.
const MOST_HALVINGS: usize = 24;

/// Corners closer than this part of the tolerance are one.
const SAME: f64 = 1e-6;

/// Two edges are one if the sine of the angle between them is below this.
const STRAIGHT: f64 = 1e-12;

/// One arc is at most so many corners.
const MOST_CORNERS: f64 = 4096.0;

/// A part of a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Segment {
    /// From one point to another.
    Straight([DVec2; 2]),
    /// `centre + axes[0] cos t + axes[1] sin t`, from `t[0]` to `t[1]`.
    Arc { centre: DVec2, axes: [DVec2; 2], t: [f64; 2] },
    /// Of any degree, in homogeneous coordinates: `(w x, w y, w)` with `w > 0`.
    Bezier(Vec<DVec3>),
}

/// Segments end to end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    pub segments: Vec<Segment>,
}

impl Segment {
    /// A Bezier curve whose control points weigh the same.
    pub fn bezier(points: &[DVec2]) -> Segment {
        Segment::Bezier(points.iter().map(|p| p.extend(1.0)).collect())
    }

    pub fn start(&self) -> DVec2 {
        match self {
            Segment::Straight([start, _]) => *start,
            Segment::Arc { t, .. } => self.on_arc(t[0]),
            Segment::Bezier(points) => points.first().map_or(DVec2::ZERO, |p| flat(*p)),
        }
    }

    pub fn end(&self) -> DVec2 {
        match self {
            Segment::Straight([_, end]) => *end,
            Segment::Arc { t, .. } => self.on_arc(t[1]),
            Segment::Bezier(points) => points.last().map_or(DVec2::ZERO, |p| flat(*p)),
        }
    }

    fn on_arc(&self, t: f64) -> DVec2 {
        match self {
            Segment::Arc { centre, axes, .. } => {
                let (sin, cos) = t.sin_cos();
                *centre + axes[0] * cos + axes[1] * sin
            }
            _ => self.start(),
        }
    }

    fn reversed(&self) -> Segment {
        match self {
            Segment::Straight([a, b]) => Segment::Straight([*b, *a]),
            Segment::Arc { centre, axes, t } => {
                Segment::Arc { centre: *centre, axes: *axes, t: [t[1], t[0]] }
            }
            Segment::Bezier(points) => Segment::Bezier(points.iter().rev().copied().collect()),
        }
    }

    fn moved(&self, by: &DAffine2) -> Segment {
        match self {
            Segment::Straight(ends) => Segment::Straight(ends.map(|p| by.transform_point2(p))),
            Segment::Arc { centre, axes, t } => Segment::Arc {
                centre: by.transform_point2(*centre),
                axes: axes.map(|axis| by.transform_vector2(axis)),
                t: *t,
            },
            Segment::Bezier(points) => {
                let place = |p: &DVec3| (by.transform_point2(flat(*p)) * p.z).extend(p.z);
                Segment::Bezier(points.iter().map(place).collect())
            }
        }
    }

    /// Points in whose hull it lies.
    pub fn hull(&self) -> Vec<DVec2> {
        match self {
            Segment::Straight(ends) => ends.to_vec(),
            Segment::Arc { centre, axes, t: [from, to] } => {
                // Its ends, and where tangents meet that are an eighth of a turn apart.
                let half = (to - from) / 16.0;
                let reach = half.cos().recip();
                let meet = |k: u32| {
                    let (sin, cos) = (from + f64::from(2 * k + 1) * half).sin_cos();
                    *centre + (axes[0] * cos + axes[1] * sin) * reach
                };
                (0..8).map(meet).chain([self.start(), self.end()]).collect()
            }
            Segment::Bezier(points) => points.iter().map(|p| flat(*p)).collect(),
        }
    }

    /// Appends corners after the start up to and with the end, no farther from the segment than
    /// the tolerance and never on its left.
    fn corners(&self, tolerance: f64, into: &mut Vec<DVec2>) {
        match self {
            Segment::Straight([_, end]) => into.push(*end),
            Segment::Arc { centre, axes, t } => {
                arc_corners(*centre, *axes, *t, tolerance, into);
                into.push(self.end());
            }
            Segment::Bezier(points) => bezier_corners(points, tolerance, MOST_HALVINGS, into),
        }
    }
}

fn arc_corners(
    centre: DVec2,
    axes: [DVec2; 2],
    [from, to]: [f64; 2],
    tolerance: f64,
    into: &mut Vec<DVec2>,
) {
    // A circle's tangents meet at its radius over the cosine of half the angle between; an
    // ellipse is a circle seen askew, and its longer axis bounds what that does to lengths.
    let size = (axes[0].length_squared() + axes[1].length_squared()).sqrt();
    let half = (1.0 / (1.0 + tolerance / size.max(tolerance))).acos();
    let count = ((to - from).abs() / (2.0 * half)).ceil().clamp(1.0, MOST_CORNERS);
    // Within less than a half-turn, or tangents would not meet.
    let count = count.max(((to - from).abs() / 2.0).ceil());
    let step = (to - from) / count;
    let turns_left = axes[0].perp_dot(axes[1]) * (to - from) > 0.0;
    let at = |t: f64, reach: f64| centre + (axes[0] * t.cos() + axes[1] * t.sin()) * reach;
    for k in 0..count as usize {
        let start = from + k as f64 * step;
        match turns_left {
            true => into.push(at(start + 0.5 * step, 1.0 / (0.5 * step).cos())),
            false if k > 0 => into.push(at(start, 1.0)),
            false => {}
        }
    }
}

/// Where the curve is flat, the right side of the hull of its control points has it on its left.
fn bezier_corners(points: &[DVec3], tolerance: f64, halvings: usize, into: &mut Vec<DVec2>) {
    let flats: Vec<DVec2> = points.iter().map(|p| flat(*p)).collect();
    let (Some(&first), Some(&last)) = (flats.first(), flats.last()) else { return };
    let along = (last - first).normalize_or_zero();
    let forward = flats.windows(2).all(|pair| along.dot(pair[1] - pair[0]) >= 0.0);
    let is_flat = forward && flats.iter().all(|p| along.perp_dot(*p - first).abs() <= tolerance);
    let is_point = flats.iter().all(|p| p.distance(first) <= tolerance);
    if is_flat && along != DVec2::ZERO {
        right_hull(&flats, into);
    } else if halvings == 0 || is_point {
        // A cusp or a loop smaller than the tolerance.
        into.push(last);
    } else {
        let [one, two] = halves(points);
        bezier_corners(&one, tolerance, halvings - 1, into);
        bezier_corners(&two, tolerance, halvings - 1, into);
    }
}

/// The hull of points between the first and the last, as far as it lies to the right; without the
/// first. The points go forward.
fn right_hull(points: &[DVec2], into: &mut Vec<DVec2>) {
    let mut hull: Vec<DVec2> = Vec::with_capacity(points.len());
    for &point in points {
        while let [.., a, b] = hull[..]
            && (b - a).perp_dot(point - b) <= 0.0
        {
            hull.pop();
        }
        hull.push(point);
    }
    into.extend(hull.into_iter().skip(1));
}

/// De Casteljau's halves.
fn halves(points: &[DVec3]) -> [Vec<DVec3>; 2] {
    let mut row = points.to_vec();
    let (mut one, mut two) = (Vec::with_capacity(row.len()), Vec::with_capacity(row.len()));
    while let (Some(&first), Some(&last)) = (row.first(), row.last()) {
        one.push(first);
        two.push(last);
        row = row.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
    }
    two.reverse();
    [one, two]
}

fn flat(p: DVec3) -> DVec2 {
    p.truncate() / p.z
}

impl Line {
    /// Straight from corner to corner, and back to the first.
    pub fn polygon(corners: &[DVec2]) -> Line {
        let ends = corners.iter().copied().zip(corners.iter().copied().cycle().skip(1));
        Line { segments: ends.map(|(a, b)| Segment::Straight([a, b])).collect() }
    }

    /// An ellipse along the axes.
    pub fn ellipse(centre: DVec2, radii: DVec2) -> Line {
        let axes = [DVec2::X * radii.x, DVec2::Y * radii.y];
        let t = [0.0, std::f64::consts::TAU];
        Line { segments: vec![Segment::Arc { centre, axes, t }] }
    }

    pub fn ends(&self) -> Option<[DVec2; 2]> {
        Some([self.segments.first()?.start(), self.segments.last()?.end()])
    }

    pub fn reversed(&self) -> Line {
        Line { segments: self.segments.iter().rev().map(Segment::reversed).collect() }
    }

    pub fn moved(&self, by: &DAffine2) -> Line {
        Line { segments: self.segments.iter().map(|segment| segment.moved(by)).collect() }
    }

    /// Corners of the closed line, within the tolerance of it and never to its left. Ends that do
    /// not quite meet are joined.
    pub fn corners(&self, tolerance: f64) -> Vec<[f64; 2]> {
        let mut corners: Vec<DVec2> = Vec::new();
        for segment in &self.segments {
            corners.push(segment.start());
            segment.corners(tolerance, &mut corners);
        }
        drop_needless(&mut corners, SAME * tolerance);
        corners.into_iter().map(|corner| corner.to_array()).collect()
    }

    /// The largest coordinate of what it lies in; endless if anything of it is no number.
    pub fn reach(&self) -> f64 {
        let reach = |segment: &Segment| match segment {
            Segment::Bezier(points) if !points.iter().all(|p| p.is_finite() && p.z > 0.0) => {
                f64::INFINITY
            }
            _ => segment.hull().iter().map(|p| p.abs().max_element()).fold(0.0, larger),
        };
        self.segments.iter().map(reach).fold(0.0, larger)
    }
}

/// The larger number; what is none counts as endless.
fn larger(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}

/// Twice the area that corners go around, positive if counter-clockwise.
pub fn double_area(corners: &[[f64; 2]]) -> f64 {
    let Some(&[x, y]) = corners.first() else { return 0.0 };
    let around = corners.iter().zip(corners.iter().cycle().skip(1));
    around.map(|(a, b)| (a[0] - x) * (b[1] - y) - (b[0] - x) * (a[1] - y)).sum()
}

/// Where tangents of neighbouring arcs are one straight line, the point between is no corner.
/// Nor are two that rounding alone keeps apart.
fn drop_needless(corners: &mut Vec<DVec2>, same: f64) {
    let mut kept: Vec<DVec2> = Vec::with_capacity(corners.len());
    for &corner in corners.iter() {
        if kept.last().is_some_and(|last| last.distance(corner) <= same) {
            continue;
        }
        while let [.., a, b] = kept[..] {
            let (one, two) = (b - a, corner - b);
            let is_straight = one.perp_dot(two).abs() <= STRAIGHT * one.length() * two.length();
            if !(is_straight && one.dot(two) > 0.0) {
                break;
            }
            kept.pop();
        }
        kept.push(corner);
    }
    while let [first, .., last] = kept[..]
        && first.distance(last) <= same
    {
        kept.pop();
    }
    *corners = kept;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use std::f64::consts::{PI, TAU};

    const TOLERANCE: f64 = 1e-3;

    /// How far the points of a closed line are outside the corners, and corners off the line, at most.
    fn off(line: &Line, corners: &[[f64; 2]]) -> [f64; 2] {
        let points: Vec<DVec2> = line.segments.iter().flat_map(|s| samples(s, 2000)).collect();
        let inside = |p: &DVec2| {
            let edges = corners.iter().zip(corners.iter().cycle().skip(1));
            let winding: f64 =
                edges.map(|(a, b)| (DVec2::from(*a) - *p).angle_to(DVec2::from(*b) - *p)).sum();
            winding.abs() > PI
        };
        let to_edges = |p: &DVec2| {
            let edges = corners.iter().zip(corners.iter().cycle().skip(1));
            edges.map(|(a, b)| to_segment(*p, DVec2::from(*a), DVec2::from(*b))).fold(9.0, f64::min)
        };
        let outside = points.iter().filter(|p| !inside(p)).map(to_edges).fold(0.0, f64::max);
        let far = corners
            .iter()
            .map(|c| points.iter().map(|p| p.distance(DVec2::from(*c))).fold(9.0, f64::min))
            .fold(0.0, f64::max);
        [outside, far]
    }

    fn to_segment(p: DVec2, a: DVec2, b: DVec2) -> f64 {
        let t = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        p.distance(a + (b - a) * t)
    }

    fn samples(segment: &Segment, count: usize) -> Vec<DVec2> {
        let part = |k: usize| k as f64 / count as f64;
        let at = |s: f64| match segment {
            Segment::Straight([a, b]) => *a + (*b - *a) * s,
            Segment::Arc { t, .. } => segment.on_arc(t[0] + (t[1] - t[0]) * s),
            Segment::Bezier(points) => {
                let mut row = points.clone();
                while row.len() > 1 {
                    row = row.windows(2).map(|p| p[0] + (p[1] - p[0]) * s).collect();
                }
                flat(row[0])
            }
        };
        (0..=count).map(|k| at(part(k))).collect()
    }

    #[test]
    fn circles_and_ellipses_are_circumscribed() {
        let line = Line::ellipse(DVec2::new(1.0, 2.0), DVec2::new(3.0, 0.5));
        let [outside, far] = off(&line, &line.corners(TOLERANCE));
        assert!(outside < 1e-12, "{outside}");
        assert!(far < 2e-3 + 1e-2, "{far}");
        let hole = line.reversed().corners(TOLERANCE);
        assert!(double_area(&hole) < 0.0);
        // The figure is outside of a hole, so the hole's corners lie on or in the ellipse.
        let level = |c: &[f64; 2]| ((c[0] - 1.0) / 3.0).powi(2) + ((c[1] - 2.0) / 0.5).powi(2);
        assert!(hole.iter().all(|c| level(c) < 1.0 + 1e-12));
        let area = double_area(&line.corners(TOLERANCE)) / 2.0;
        assert!(area > 1.5 * PI && area < 1.5 * PI + TOLERANCE * 4.0 * 3.5, "{area}");
    }

    #[test]
    fn random_curves_lie_in_their_corners() {
        let mut random = Random::new(7);
        for _ in 0..40 {
            // A star-shaped blob of cubic, weighted and straight pieces.
            let n = 5;
            let mut point = |k: f64, low: f64| {
                let angle = TAU * k / n as f64;
                DVec2::from_angle(angle) * (low + (1.0 - low) * random.unit())
            };
            let knots: Vec<DVec2> = (0..n).map(|k| point(k as f64, 0.7)).collect();
            let mut segments = Vec::new();
            for k in 0..n {
                let (a, b) = (knots[k], knots[(k + 1) % n]);
                let inner: Vec<DVec2> =
                    [1.0 / 3.0, 2.0 / 3.0].map(|s| point(k as f64 + s, 0.5)).to_vec();
                segments.push(match k {
                    0 => Segment::Straight([a, b]),
                    1 => Segment::Bezier(vec![
                        a.extend(1.0),
                        (inner[0] * 0.4).extend(0.4),
                        b.extend(1.0),
                    ]),
                    _ => Segment::bezier(&[a, inner[0], inner[1], b]),
                });
            }
            let line = Line { segments };
            let corners = line.corners(TOLERANCE);
            assert!(double_area(&corners) > 0.0);
            let [outside, far] = off(&line, &corners);
            assert!(outside < 1e-9, "{outside}");
            assert!(far < 0.05, "{far}");
        }
    }

    #[test]
    fn a_bezier_is_off_by_its_tolerance_at_most() {
        let points = [[0.0, 0.0], [1.0, -2.0], [2.0, 3.0], [3.0, 0.0]].map(DVec2::from);
        for tolerance in [1e-1, 1e-2, 1e-4] {
            let mut corners = vec![points[0]];
            Segment::bezier(&points).corners(tolerance, &mut corners);
            let worst = samples(&Segment::bezier(&points), 5000)
                .iter()
                .map(|p| corners.windows(2).map(|e| to_segment(*p, e[0], e[1])).fold(9.0, f64::min))
                .fold(0.0, f64::max);
            assert!(worst <= tolerance, "{worst} {tolerance}");
        }
    }
}
