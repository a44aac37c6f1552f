//! Rows of the two rims of a cylinder.
//!
//! A disc of radius `p` about the axis `a` is above a plane of normal `n` by the height of its middle less
//! `p |n x a|`. While its body turns by `t w` and the plane tilts by `t T b`,
//!
//! ```text
//! n x a = v0 + t v1 + t^2 (...),  v1 = (T b) x a + n x (w x a)
//! ```
//!
//! where what is left out is at most `|b| |w x a| + (1 + e) |w| |w x a| / 2` long, with `e` a bound of `|b|`. With `s = |v0|`,
//! `|v0 + t v1| <= s + t v0.v1 / s + t^2 |v1|^2 / (2 s)`: the slope is that of the lowest point of the rim, as if it were a
//! corner, and the rest is a convex quadratic. As a corner, the middle of the rim moves.

use super::solids::Drum;
use crate::math::DVec3;

/// Where the normal makes less than this sine with the axis, a cylinder stands on its flat end, and corners of the
/// prism around it make rows: they are too low by a thousandth of this part of the radius, which is
/// less than what touches.
const FLAT: f64 = 1e-4;

/// A quadratic form of a body's turn `w` and its plane's tilt `b`.
type Form = [[f64; 5]; 5];

/// The rims of a cylinder that does not stand on its end.
pub(super) struct Rims {
    middles: [DVec3; 2],
    axis: DVec3,
    pub radius: f64,
    /// Into the side of the body.
    inward: DVec3,
    /// The sine of the angle between the two.
    pub sine: f64,
}

impl Rims {
    /// None if the cylinder stands on its end.
    pub fn new(drum: &Drum, inward: DVec3) -> Option<Rims> {
        let sine = drum.sine(inward);
        let Drum { axis, radius, .. } = *drum;
        (sine >= FLAT).then(|| Rims { middles: drum.middles(), axis, radius, inward, sine })
    }

    /// The lowest point and the middle of each.
    pub fn lowest(&self) -> impl Iterator<Item = (DVec3, DVec3)> + '_ {
        let across = self.inward - self.inward.dot(self.axis) * self.axis;
        let down = across * (self.radius / self.sine);
        self.middles.iter().map(move |middle| (*middle - down, *middle))
    }

    /// `|v1|` and what is left out, as a bound: twice the quadratic form, times the radius.
    pub fn bound(&self, sign: f64, tangents: [DVec3; 2], tilt: f64) -> Form {
        form(|w, b| {
            let (v1, _) = self.first(sign, tangents, w, b);
            let swing = w.cross(self.axis).length_squared();
            let third = 0.5 * (1.0 + tilt) * (w.length_squared() + swing);
            // Of a wall nothing tilts.
            let both = if tilt > 0.0 { b[0] * b[0] + b[1] * b[1] + swing } else { 0.0 };
            self.radius * (v1.length_squared() / self.sine + both + third)
        })
    }

    /// The second derivative of `p |n x a|`.
    pub fn exact(&self, sign: f64, tangents: [DVec3; 2]) -> Form {
        let normal = sign * self.inward;
        let along = normal.cross(self.axis) / self.sine;
        form(|w, b| {
            let (v1, tilts) = self.first(sign, tangents, w, b);
            let across = v1 - v1.dot(along) * along;
            let second = 2.0 * along.dot(tilts.cross(w.cross(self.axis)))
                + along.dot(normal.cross(w.cross(w.cross(self.axis))));
            self.radius * (across.length_squared() / self.sine + second)
        })
    }

    /// `v1`, and how the normal tilts.
    fn first(&self, sign: f64, tangents: [DVec3; 2], w: DVec3, b: [f64; 2]) -> (DVec3, DVec3) {
        let tilts = tangents[0] * b[0] + tangents[1] * b[1];
        let normal = sign * self.inward;
        (tilts.cross(self.axis) + normal.cross(w.cross(self.axis)), tilts)
    }
}

/// The symmetric matrix of a quadratic form, from its values.
fn form(value: impl Fn(DVec3, [f64; 2]) -> f64) -> Form {
    let of = |z: [f64; 5]| value(DVec3::new(z[0], z[1], z[2]), [z[3], z[4]]);
    let unit = |i: usize| std::array::from_fn(|k| if k == i { 1.0 } else { 0.0 });
    let both = |i: usize, j: usize| std::array::from_fn(|k| unit(i)[k] + unit(j)[k]);
    let own: [f64; 5] = std::array::from_fn(|i| of(unit(i)));
    std::array::from_fn(|i| {
        std::array::from_fn(|j| match i == j {
            true => own[i],
            false => 0.5 * (of(both(i, j)) - own[i] - own[j]),
        })
    })
}
