//! Between shares and slacks: the matrix that turns slacks into shares and is its own transpose. Of
//! a single share it is a number; of a round cone `x0 >= |(x1, x2)|` the square of Nesterov's and Todd's
//! scaling W, with `W slack = W^-1 share` [Nesterov and Todd 1997; formulas as in Vandenberghe 2010].

use std::ops::Range;

/// A point of a cone.
pub(super) type Point = [f64; 3];

/// For all columns of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Scaling {
    /// Of every column; of those of cones it says nothing.
    pub theta: Vec<f64>,
    /// The first columns of cones, and their scalings.
    pub firsts: Vec<usize>,
    pub cones: Vec<Cone>,
}

/// `W = size (2 v v' - J)^(1/2)` with a vector of `v0^2 - v1^2 - v2^2 = 1`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cone {
    size: f64,
    v: Point,
}

/// `x0^2 - x1^2 - x2^2`, without losing the digits that are left near the edge.
pub(super) fn inside(x: Point) -> f64 {
    let across = x[1].hypot(x[2]);
    (x[0] - across) * (x[0] + across)
}

/// How far a point is from the edge: its smaller eigenvalue.
pub(super) fn depth(x: Point) -> f64 {
    x[0] - x[1].hypot(x[2])
}

/// Of two points inside the cone, which multiply like numbers.
pub(super) fn times(a: Point, b: Point) -> Point {
    let along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    [along, a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]]
}

/// What times the first gives the second.
pub(super) fn divided(by: Point, x: Point) -> Point {
    let along = (by[0] * x[0] - by[1] * x[1] - by[2] * x[2]) / inside(by);
    [along, (x[1] - along * by[1]) / by[0], (x[2] - along * by[2]) / by[0]]
}

/// How much of a step stays inside.
pub(super) fn reach(x: Point, step: Point) -> f64 {
    let bent = inside(step);
    let (slope, left) = (x[0] * step[0] - x[1] * step[1] - x[2] * step[2], inside(x));
    let root = slope * slope - bent * left;
    match bent < 0.0 || (slope < 0.0 && root >= 0.0) {
        true => left / (root.max(0.0).sqrt() - slope),
        false => f64::INFINITY,
    }
}

impl Cone {
    /// That which turns a slack into a share, both inside.
    pub fn between(share: Point, slack: Point) -> Cone {
        let (a, b) = (inside(share).sqrt(), inside(slack).sqrt());
        let (x, z) = (share.map(|x| x / a), slack.map(|z| z / b));
        let half = (0.5 * (1.0 + x[0] * z[0] + x[1] * z[1] + x[2] * z[2])).sqrt();
        let w = [
            (x[0] + z[0]) / (2.0 * half),
            (x[1] - z[1]) / (2.0 * half),
            (x[2] - z[2]) / (2.0 * half),
        ];
        // The length that makes it exactly one of the cone's hyperbola.
        Cone { size: (a / b).sqrt(), v: [(1.0 + w[1] * w[1] + w[2] * w[2]).sqrt(), w[1], w[2]] }
    }

    /// W times a point.
    pub fn scale(&self, x: Point) -> Point {
        let [v0, v1, v2] = self.v;
        let across = v1 * x[1] + v2 * x[2];
        let part = x[0] + across / (1.0 + v0);
        [v0 * x[0] + across, x[1] + part * v1, x[2] + part * v2].map(|x| x * self.size)
    }

    /// The inverse of W times a point.
    pub fn unscale(&self, x: Point) -> Point {
        let [v0, v1, v2] = self.v;
        let across = v1 * x[1] + v2 * x[2];
        let part = across / (1.0 + v0) - x[0];
        [v0 * x[0] - across, x[1] + part * v1, x[2] + part * v2].map(|x| x / self.size)
    }

    /// W twice.
    fn squared(&self, x: Point) -> Point {
        let [v0, v1, v2] = self.v;
        let along = 2.0 * (v0 * x[0] + v1 * x[1] + v2 * x[2]);
        let square = self.size * self.size;
        [along * v0 - x[0], along * v1 + x[1], along * v2 + x[2]].map(|x| x * square)
    }
}

impl Scaling {
    /// Of numbers alone, whatever cones there are.
    pub fn of_numbers(theta: Vec<f64>) -> Scaling {
        Scaling { theta, ..Scaling::default() }
    }

    /// Scales values of columns from the first on, whose cones are these.
    pub fn apply(&self, values: &mut [f64], first: usize, cones: Range<usize>) {
        let mut at = 0;
        // At the start, when nothing is scaled yet, there are none.
        let cones = if self.cones.is_empty() { 0..0 } else { cones };
        for k in cones {
            let cone = self.firsts[k] - first;
            let theta = &self.theta[first + at..first + cone];
            values[at..cone].iter_mut().zip(theta).for_each(|(x, theta)| *x *= theta);
            at = cone + 3;
            let scaled = self.cones[k].squared(point(values, cone));
            values[cone..at].copy_from_slice(&scaled);
        }
        let theta = &self.theta[first + at..first + values.len()];
        values[at..].iter_mut().zip(theta).for_each(|(x, theta)| *x *= theta);
    }

    /// Scales values of all columns.
    pub fn of_all(&self, mut values: Vec<f64>) -> Vec<f64> {
        self.apply(&mut values, 0, 0..self.cones.len());
        values
    }
}

/// The point that begins there.
pub(super) fn point(values: &[f64], first: usize) -> Point {
    [values[first], values[first + 1], values[first + 2]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    fn inner_point(random: &mut Random) -> Point {
        let [a, b] = [random.normal(), random.normal()];
        [a.hypot(b) + 0.01 + random.unit(), a, b]
    }

    fn near(a: Point, b: Point) {
        let size = a.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
        assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-10 * size), "{a:?} {b:?}");
    }

    #[test]
    fn slacks_and_shares_meet_half_way() {
        let random = &mut Random::new(7);
        for _ in 0..200 {
            let [share, slack, any] = [0; 3].map(|_: u8| inner_point(random));
            let cone = Cone::between(share, slack);
            near(cone.scale(slack), cone.unscale(share));
            near(cone.squared(slack), share);
            near(cone.unscale(cone.scale(any)), any);
            near(times(share, divided(share, any)), any);
        }
    }

    #[test]
    fn a_step_reaches_the_edge() {
        let random = &mut Random::new(8);
        for _ in 0..200 {
            let x = inner_point(random);
            let step = [random.normal(), random.normal(), random.normal()];
            let at = |t: f64| depth([x[0] + t * step[0], x[1] + t * step[1], x[2] + t * step[2]]);
            match reach(x, step) {
                far if far.is_finite() => {
                    assert!(at(far).abs() < 1e-9 * (1.0 + far) && at(0.999 * far) > 0.0, "{far}");
                }
                _ => assert!(at(1e6) > 0.0),
            }
        }
    }
}
