//! A corner or a rim of a body that goes straight and turns evenly, and how low it gets above a plane
//! that moves and tilts.

use super::{pose, rotation_between};
use crate::math::{DQuat, DVec3};
use crate::shape::{Core, Piece};
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

    /// What stays at the origin.
    pub fn still() -> Turning {
        let from = (DVec3::ZERO, DQuat::IDENTITY);
        Turning { from, way: DVec3::ZERO, turn: DVec3::ZERO }
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

/// A corner of a core, or a circle: what a piece is the hull of. In the frame of its body.
#[derive(Clone, Copy)]
pub(super) struct Corner {
    /// Or the middle of the circle.
    pub local: DVec3,
    /// Of a circle, its axis times its radius; of a corner, nothing.
    rim: DVec3,
}

impl Corner {
    /// All of a piece.
    pub fn all(piece: &Piece) -> Vec<Corner> {
        if let Core::Cylinder { radius, half } = piece.core {
            let axis = piece.turn * DVec3::Z;
            let rim = |end: f64| Corner { local: piece.at + end * half * axis, rim: radius * axis };
            return [-1.0, 1.0].map(rim).to_vec();
        }
        let corner = |local: &DVec3| Corner { local: *local, rim: DVec3::ZERO };
        piece.polytope().corners().iter().map(corner).collect()
    }
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

    /// How high a corner, or the lowest point of a circle, is above the plane after a part of the way, in
    /// lengths of the normal, which is never shorter than one.
    fn height(&self, turning: &Turning, corner: &Corner, part: f64) -> f64 {
        let (position, rotation) = turning.at(part);
        let normal = self.normal + part * self.tilt;
        let from = position + rotation * corner.local - self.point - part * self.slide;
        let sag = normal.cross(rotation * corner.rim).length();
        normal.dot(from) - part * self.offset - self.rounding * normal.length() - sag
    }

    /// A bound of its second derivative: of the product of normal and place, and of the length
    /// of the normal. How far a circle sags is the length of a vector: between two moments that is at most
    /// what lies on a line between its two values, and what the vector itself bends.
    fn bend(&self, turning: &Turning, corner: &Corner) -> f64 {
        let (turn, arm) = (turning.turn.length(), corner.local.length());
        let (tilt, longest) = (self.tilt.length(), self.normal.length() + self.tilt.length());
        let speed = (turning.way - self.slide).length() + turn * arm;
        let sag = corner.rim.length() * (2.0 * tilt * turn + longest * turn * turn);
        longest * turn * turn * arm + 2.0 * tilt * speed + self.rounding * tilt * tilt + sag
    }
}

/// A bound from below of how low a corner gets, not less than what is told to be enough: heights
/// above zero are not looked at closely. `size` is that of the smaller body.
pub(super) fn lowest(turning: &Turning, corner: &Corner, side: &Side, size: f64) -> f64 {
    let bend = side.bend(turning, corner);
    let height = |part: f64| side.height(turning, corner, part);
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
