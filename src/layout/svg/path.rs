//! The lines of a path.

use roxmltree::Node;
use svgtypes::{PathParser, PathSegment};

use super::element::{Drawn, name};
use crate::layout::curve::{Line, Segment};
use crate::math::DVec2;
use crate::problem::{Problem, Result};

/// A pen that draws.
#[derive(Default)]
struct Pen {
    at: DVec2,
    start: DVec2,
    /// The control point that a smooth curve mirrors, and of which degree its curve was.
    control: Option<(usize, DVec2)>,
    line: Vec<Segment>,
    drawn: Vec<Drawn>,
}

/// The lines of a path; `is_filled` closes those that are open.
pub fn path(node: Node, text: &str, is_filled: bool) -> Result<Vec<Drawn>> {
    let mut pen = Pen::default();
    for segment in PathParser::from(text) {
        let segment = segment.map_err(|e| {
            Problem::new(format!("{}: its path is not understood: {e}", name(node)))
        })?;
        pen.draw(segment, is_filled);
    }
    pen.lift(is_filled);
    Ok(pen.drawn)
}

impl Pen {
    fn draw(&mut self, segment: PathSegment, is_filled: bool) {
        let base = if segment.is_abs() { DVec2::ZERO } else { self.at };
        let to = |x: f64, y: f64| base + DVec2::new(x, y);
        match segment {
            PathSegment::MoveTo { x, y, .. } => {
                self.lift(is_filled);
                (self.at, self.start, self.control) = (to(x, y), to(x, y), None);
            }
            PathSegment::LineTo { x, y, .. } => self.straight(to(x, y)),
            PathSegment::HorizontalLineTo { x, .. } => {
                self.straight(DVec2::new(base.x + x, self.at.y));
            }
            PathSegment::VerticalLineTo { y, .. } => {
                self.straight(DVec2::new(self.at.x, base.y + y));
            }
            PathSegment::CurveTo { x1, y1, x2, y2, x, y, .. } => {
                self.curve(&[to(x1, y1), to(x2, y2), to(x, y)]);
            }
            PathSegment::SmoothCurveTo { x2, y2, x, y, .. } => {
                self.curve(&[self.mirrored(3), to(x2, y2), to(x, y)]);
            }
            PathSegment::Quadratic { x1, y1, x, y, .. } => self.curve(&[to(x1, y1), to(x, y)]),
            PathSegment::SmoothQuadratic { x, y, .. } => self.curve(&[self.mirrored(2), to(x, y)]),
            PathSegment::EllipticalArc {
                rx, ry, x_axis_rotation, large_arc, sweep, x, y, ..
            } => {
                let end = to(x, y);
                let radii = DVec2::new(rx, ry).abs();
                let arc = arc([self.at, end], radii, x_axis_rotation, large_arc, sweep);
                self.line.push(arc);
                (self.at, self.control) = (end, None);
            }
            PathSegment::ClosePath { .. } => {
                if self.at != self.start {
                    self.straight(self.start);
                }
                self.put_down(true);
                (self.at, self.control) = (self.start, None);
            }
        }
    }

    fn straight(&mut self, to: DVec2) {
        self.line.push(Segment::Straight([self.at, to]));
        (self.at, self.control) = (to, None);
    }

    fn curve(&mut self, points: &[DVec2]) {
        let mut all = vec![self.at];
        all.extend(points);
        self.control = Some((points.len(), all[all.len() - 2]));
        self.at = all[all.len() - 1];
        self.line.push(Segment::bezier(&all));
    }

    /// The control point of a curve that goes on smoothly.
    fn mirrored(&self, degree: usize) -> DVec2 {
        match self.control {
            Some((of, control)) if of == degree => 2.0 * self.at - control,
            _ => self.at,
        }
    }

    /// Ends a line that is not closed.
    fn lift(&mut self, is_filled: bool) {
        let is_closed = is_filled && self.line.len() > 1;
        if is_closed && self.at != self.start {
            self.straight(self.start);
        }
        self.put_down(is_closed);
    }

    fn put_down(&mut self, is_closed: bool) {
        let segments = std::mem::take(&mut self.line);
        if !segments.is_empty() {
            self.drawn.push((Line { segments }, is_closed));
        }
    }
}

/// An arc from end to end, as SVG gives it (its implementation notes have the formulas).
fn arc(ends: [DVec2; 2], radii: DVec2, degrees: f64, is_large: bool, sweeps: bool) -> Segment {
    let [from, to] = ends;
    if radii.min_element() == 0.0 || from == to {
        return Segment::Straight(ends);
    }
    let axis = DVec2::from_angle(degrees.to_radians());
    // In the frame of the ellipse, with the middle of the ends as the origin.
    let half = DVec2::new(axis.dot(from - to), axis.perp_dot(from - to)) / 2.0;
    let unit = half / radii;
    let too_small = unit.length_squared();
    let radii = if too_small > 1.0 { radii * too_small.sqrt() } else { radii };
    let unit = half / radii;
    let square = unit.length_squared();
    let off = ((1.0 - square).max(0.0) / square).sqrt();
    let sign = if is_large == sweeps { -1.0 } else { 1.0 };
    let centre = DVec2::new(unit.y, -unit.x) * (sign * off);
    let [start, end] = [unit - centre, -unit - centre].map(|p| p.y.atan2(p.x));
    let mut turn = end - start;
    let full = std::f64::consts::TAU;
    if sweeps && turn < 0.0 {
        turn += full;
    }
    if !sweeps && turn > 0.0 {
        turn -= full;
    }
    let axes = [axis * radii.x, axis.perp() * radii.y];
    Segment::Arc {
        centre: (from + to) / 2.0 + axes[0] * centre.x + axes[1] * centre.y,
        axes,
        t: [start, start + turn],
    }
}
