//! Directions around a circle whose coordinates are fractions, so that a round cone has a polygon
//! inside and one around it in whole numbers: `t = tan(a/2) = j/n` gives the point
//! `((1 - t^2), 2 t) / (1 + t^2)` of the circle, and the tangents at two such points meet in one
//! whose coordinates are fractions as well.

/// Points of a quarter of the circle.
const STEPS: i64 = 256;

/// Between the polygon inside and the one around, as parts of the radius: half a step, at most
/// `atan(1 / STEPS)`, is what a tangent leaves of the circle on either side. The one is then
/// inside a circle smaller than `1 - UNCERTAIN`, the other in one larger than `1 + UNCERTAIN`.
pub const UNCERTAIN: f64 = 0.5 / (STEPS * STEPS) as f64;

/// How round a cone is taken to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polygon {
    /// A polygon inside the circle.
    Inner,
    /// The polygon of the tangents at the same points.
    Outer,
    /// The circle itself, in floating point.
    Round,
}

/// A direction around a circle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Direction {
    /// The point of this number, counted from the first axis.
    Inner(u32),
    /// Where the tangents at this point and the next one meet.
    Outer(u32),
    /// Any, of unit length.
    Round([f64; 2]),
}

impl Polygon {
    /// The corner that reaches farthest towards a vector which is not zero, or one as good up to
    /// rounding.
    pub fn towards(self, [x, y]: [f64; 2]) -> Direction {
        let length = (x * x + y * y).sqrt();
        if self == Polygon::Round {
            return Direction::Round([x / length, y / length]);
        }
        let (quarter, x, y) = match () {
            () if x > 0.0 && y >= 0.0 => (0, x, y),
            () if y > 0.0 => (1, y, -x),
            () if x < 0.0 => (2, -x, -y),
            () => (3, -y, x),
        };
        let steps = STEPS as f64 * (y / (x + length));
        let index = |step: f64| (quarter * STEPS as u32 + step as u32) % (4 * STEPS as u32);
        match self {
            Polygon::Inner => Direction::Inner(index(steps.round())),
            _ => Direction::Outer(index(steps.floor())),
        }
    }
}

impl Direction {
    /// Its coordinates.
    pub fn floats(self) -> [f64; 2] {
        match (self, self.whole()) {
            (Direction::Round(vector), _) => vector,
            (_, Some((vector, common))) => vector.map(|x| x as f64 / common as f64),
            (_, None) => [0.0; 2],
        }
    }

    /// Its coordinates times a common denominator, and this, if they are fractions.
    pub fn whole(self) -> Option<([i64; 2], i64)> {
        match self {
            Direction::Inner(index) => Some(point(index)),
            Direction::Outer(index) => {
                let ([a, b], c) = point(index);
                let ([d, e], f) = point(index + 1);
                let (x, y, common) = (a * f + d * c, b * f + e * c, c * f + a * d + b * e);
                let divisor = gcd(gcd(x.abs(), y.abs()), common);
                Some(([x / divisor, y / divisor], common / divisor))
            }
            Direction::Round(_) => None,
        }
    }

    /// The corners beside it, of the same polygon.
    pub fn neighbours(self) -> [Direction; 2] {
        let all = 4 * STEPS as u32;
        match self {
            Direction::Inner(k) => [(k + all - 1) % all, (k + 1) % all].map(Direction::Inner),
            Direction::Outer(k) => [(k + all - 1) % all, (k + 1) % all].map(Direction::Outer),
            Direction::Round(_) => [self; 2],
        }
    }
}

/// A point of the circle as whole numbers over a common denominator.
fn point(index: u32) -> ([i64; 2], i64) {
    let (quarter, step) = (index as i64 / STEPS % 4, index as i64 % STEPS);
    let (x, y, common) =
        (STEPS * STEPS - step * step, 2 * STEPS * step, STEPS * STEPS + step * step);
    let divisor = gcd(gcd(x, y), common);
    let (x, y, common) = (x / divisor, y / divisor, common / divisor);
    let turned = match quarter {
        0 => [x, y],
        1 => [-y, x],
        2 => [-x, -y],
        _ => [y, -x],
    };
    (turned, common)
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    /// Inner corners are on the circle exactly, outer ones beyond it by no more than is said.
    #[test]
    fn corners_are_where_they_are_said_to_be() {
        for index in 0..4 * STEPS as u32 {
            let ([x, y], common) = Direction::Inner(index).whole().unwrap();
            assert_eq!(x * x + y * y, common * common);
            let [x, y] = Direction::Outer(index).floats();
            let beyond = x.hypot(y) - 1.0;
            assert!(beyond > 0.0 && beyond < UNCERTAIN, "{index}: {beyond}");
        }
    }

    /// No corner reaches farther than the one that is named, and the circle is between.
    #[test]
    fn the_farthest_corner_is_found() {
        let random = &mut Random::new(5);
        let all = 0..4 * STEPS as u32;
        for _ in 0..200 {
            let [x, y] = [0, 1].map(|_| random.between(-1.0, 1.0));
            let reach = |d: Direction| {
                let [a, b] = d.floats();
                (a * x + b * y) / x.hypot(y)
            };
            let inner = reach(Polygon::Inner.towards([x, y]));
            let outer = reach(Polygon::Outer.towards([x, y]));
            assert!(inner > 1.0 - UNCERTAIN && inner <= 1.0 + 1e-15);
            assert!((1.0 - 1e-15..1.0 + UNCERTAIN).contains(&outer));
            let most = all.clone().map(|k| reach(Direction::Inner(k))).fold(0.0, f64::max);
            assert!(most - inner < 1e-12, "{most} {inner}");
            let most = all.clone().map(|k| reach(Direction::Outer(k))).fold(0.0, f64::max);
            assert!(most - outer < 1e-12, "{most} {outer}");
        }
        for (axis, index) in
            [([1.0, 0.0], 0), ([0.0, 2.0], 256), ([-1.0, 0.0], 512), ([0.0, -1.0], 768)]
        {
            assert_eq!(Polygon::Inner.towards(axis), Direction::Inner(index));
        }
    }
}
