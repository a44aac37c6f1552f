//! A corner of a body that goes straight and turns evenly, and how low it gets above a plane that
//! moves and tilts.

use super::{pose, rotation_between};
use crate::math::{DQuat, DVec3};
use crate::trajectory::Plane;
use crate::world::State;

/// A part of the way shorter than this is not divided any more: its bound counts.
const SHORTEST: f64 = 1e-6;

/// The way of a body from one frame to the next.
pub(super) struct Turning {
    from: (DVec3, DQuat),
    pub way: DVec3,
    /// A rotation vector in the frame of the world.
    pub turn: DVec3,
}

impl Turning {
    pub fn new(before: &State, now: &State, body: usize) -> Turning {
        let (from, to) = (pose(before, body), pose(now, body));
        let turn = match from.1 == to.1 {
            true => DVec3::ZERO,
            false => rotation_between(from.1, to.1),
        };
        Turning { from, way: to.0 - from.0, turn }
    }

    pub fn moves(&self) -> bool {
        self.way != DVec3::ZERO || self.turn != DVec3::ZERO
    }

    /// The places of the centre.
    pub fn ends(&self) -> [DVec3; 2] {
        [self.from.0, self.from.0 + self.way]
    }

    /// After a part of the way.
    pub fn at(&self, part: f64) -> (DVec3, DQuat) {
        let rotation = DQuat::from_scaled_axis(part * self.turn) * self.from.1;
        (self.from.0 + part * self.way, rotation)
    }
}

/// A corner of a core.
pub(super) struct Corner<'a> {
    pub turning: &'a Turning,
    /// In the frame of its body.
    pub local: DVec3,
}

/// A side of a plane that moves, or of a wall.
pub(super) struct Side {
    normal: DVec3,
    tilt: DVec3,
    point: DVec3,
    slide: DVec3,
    offset: f64,
    rounding: f64,
}

impl Side {
    /// `normal . x >= offset`.
    pub fn wall(normal: DVec3, offset: f64, rounding: f64) -> Side {
        let point = normal * offset;
        Side { normal, tilt: DVec3::ZERO, point, slide: DVec3::ZERO, offset: 0.0, rounding }
    }

    /// Where the normal points (1), or where it does not (-1).
    pub fn plane(plane: &Plane, sign: f64, rounding: f64) -> Side {
        let Plane { normal, tilt, point, slide, offset, .. } = *plane;
        Side {
            normal: sign * normal,
            tilt: sign * tilt,
            point,
            slide,
            offset: sign * offset,
            rounding,
        }
    }

    /// How high a corner is above the plane after a part of the way, in lengths of the normal,
    /// which is never shorter than one.
    fn height(&self, corner: &Corner, part: f64) -> f64 {
        let (position, rotation) = corner.turning.at(part);
        let normal = self.normal + part * self.tilt;
        let from = position + rotation * corner.local - self.point - part * self.slide;
        normal.dot(from) - part * self.offset - self.rounding * normal.length()
    }

    /// A bound of its second derivative: of the product of normal and place, and of the length
    /// of the normal.
    fn bend(&self, corner: &Corner) -> f64 {
        let (turn, arm) = (corner.turning.turn.length(), corner.local.length());
        let (tilt, longest) = (self.tilt.length(), self.normal.length() + self.tilt.length());
        let speed = (corner.turning.way - self.slide).length() + turn * arm;
        longest * turn * turn * arm + 2.0 * tilt * speed + self.rounding * tilt * tilt
    }
}

/// A bound from below of how low a corner gets, not less than what is told to be enough: heights
/// above zero are not looked at closely. `size` is that of the smaller body.
pub(super) fn lowest(corner: &Corner, side: &Side, size: f64) -> f64 {
    let bend = side.bend(corner);
    let height = |part: f64| side.height(corner, part);
    let mut open = vec![(0.0, height(0.0), 1.0, height(1.0))];
    let mut lowest = f64::INFINITY;
    while let Some((from, low, to, high)) = open.pop() {
        let length = to - from;
        // What bends this much between two known heights is at most so far below them.
        let bound = low.min(high) - bend * length * length / 8.0;
        let is_clear = bound >= 0.0;
        if is_clear || length < SHORTEST || low.min(high) < -size || !bound.is_finite() {
            lowest = f64::min(lowest, bound);
            if !bound.is_finite() {
                return f64::NAN;
            }
            continue;
        }
        let middle = 0.5 * (from + to);
        let between = height(middle);
        open.push((from, low, middle, between));
        open.push((middle, between, to, high));
    }
    lowest
}
