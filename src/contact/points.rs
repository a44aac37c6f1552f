//! Where rows act: a point of each of the two sides.

use super::bodies::{FLAT, Meeting};
use super::cores::Cores;
use super::{Other, Row};
use crate::math::{DVec3, SKIN};
use crate::shape::Polytope;
use crate::world::State;

/// What rounding may take away from the common part of two flat sides, as a part of their size.
const ROUNDING: f64 = 1e-9;

/// The points of the body and of the other side at which a row acts, in the
/// world: of two flat sides in touch, the middle of what they have in common.
pub fn points(cores: &Cores, state: &State, row: &Row) -> [DVec3; 2] {
    let (i, normal) = (row.key.body as usize, row.normal);
    let (centre, radius) = (state.positions[i], cores.model.bodies[i].radius);
    if let Some(meeting) = Meeting::of(cores, state, &row.key) {
        let Meeting { own, other, offset, place } = meeting;
        let [one, two] = touching(&own.core, &other.core, offset, normal);
        return [place + one - own.radius * normal, place + two + other.radius * normal];
    }
    match row.key.other {
        Other::Body(j) => {
            let (other, reach) =
                (state.positions[j as usize], cores.model.bodies[j as usize].radius);
            [centre - radius * normal, other + reach * normal]
        }
        Other::Rope(joint) | Other::Strut(joint) => cores.model.joints[joint as usize].ends(state),
        _ => [centre - radius * normal, centre - (row.gap + (1.0 + SKIN) * radius) * normal],
    }
}

/// The middle of where `a`, moved by `offset`, touches `b` along a normal from
/// `b` to `a`: a point of each, one above the other.
fn touching(a: &Polytope, b: &Polytope, offset: DVec3, normal: DVec3) -> [DVec3; 2] {
    // In the plane z stays exactly 0.
    let (first, second) = match normal.z == 0.0 {
        true => (DVec3::Z.cross(normal), DVec3::Z),
        false => normal.any_orthonormal_pair(),
    };
    let flat = |corner: DVec3| [corner.dot(first), corner.dot(second)];
    let reached = |piece: &Polytope, outward: DVec3, offset: DVec3| {
        let (top, size) = (piece.support(outward), piece.bounds().size().max_element());
        let corners = piece.corners().iter().filter(|c| top - c.dot(outward) <= FLAT * size);
        outline(corners.map(|c| flat(*c + offset)).collect())
    };
    let (above, below) = (reached(a, -normal, offset), reached(b, normal, DVec3::ZERO));
    let size = a.bounds().size().max_element().max(b.bounds().size().max_element());
    let [x, y] = middle(&above, &below, ROUNDING * size);
    let at = |height: f64| x * first + y * second + height * normal;
    [at(offset.dot(normal) + a.least_along(normal)), at(b.support(normal))]
}

/// The convex hull of points in the plane, counter-clockwise: one point, two or more.
fn outline(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut kept: Vec<[f64; 2]> = Vec::new();
        for point in points {
            while let [.., a, b] = kept[..]
                && cross(minus(b, a), minus(point, a)) <= 0.0
            {
                kept.pop();
            }
            kept.push(point);
        }
        kept.pop();
        kept
    };
    let mut hull = half(&mut points.iter().copied());
    hull.extend(half(&mut points.iter().rev().copied()));
    hull
}

/// The mean of the corners of what two outlines have in common; where that is
/// nothing (the normal is one of several), between their nearest corners.
fn middle(a: &[[f64; 2]], b: &[[f64; 2]], tolerance: f64) -> [f64; 2] {
    let mut common = a.to_vec();
    for (normal, level) in half_planes(b) {
        common = clip(&common, normal, level + tolerance);
    }
    if common.is_empty() {
        let pairs = a.iter().flat_map(|p| b.iter().map(move |q| [*p, *q]));
        let length = |[p, q]: &[[f64; 2]; 2]| minus(*p, *q).iter().map(|x| x * x).sum::<f64>();
        common = pairs.min_by(|x, y| length(x).total_cmp(&length(y))).map_or(vec![], Vec::from);
    }
    let n = common.len().max(1) as f64;
    common.iter().fold([0.0; 2], |[x, y], p| [x + p[0] / n, y + p[1] / n])
}

/// The half-planes `normal . x <= level` whose intersection an outline is, thin ones as well.
fn half_planes(outline: &[[f64; 2]]) -> Vec<([f64; 2], f64)> {
    let plane = |normal: [f64; 2], at: [f64; 2]| (normal, normal[0] * at[0] + normal[1] * at[1]);
    let along = |a: [f64; 2], b: [f64; 2]| {
        let [x, y] = minus(b, a);
        let length = x.hypot(y);
        [x / length, y / length]
    };
    match *outline {
        [] => Vec::new(),
        [at] => [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]].map(|n| plane(n, at)).to_vec(),
        [a, b] => {
            let [x, y] = along(a, b);
            vec![plane([x, y], b), plane([-x, -y], a), plane([y, -x], a), plane([-y, x], a)]
        }
        _ => {
            let next = outline.iter().cycle().skip(1);
            let side = |(a, b): (&[f64; 2], &[f64; 2])| {
                let [x, y] = along(*a, *b);
                plane([y, -x], *a)
            };
            outline.iter().zip(next).map(side).collect()
        }
    }
}

/// The part of an outline on one side of a line.
fn clip(outline: &[[f64; 2]], normal: [f64; 2], level: f64) -> Vec<[f64; 2]> {
    let over = |p: [f64; 2]| normal[0] * p[0] + normal[1] * p[1] - level;
    let sides = if outline.len() == 2 { 1 } else { outline.len() };
    let mut kept = Vec::with_capacity(outline.len() + 1);
    for k in 0..sides {
        let (a, b) = (outline[k], outline[(k + 1) % outline.len()]);
        let (high_a, high_b) = (over(a), over(b));
        if high_a <= 0.0 {
            kept.push(a);
        }
        if (high_a <= 0.0) != (high_b <= 0.0) {
            let part = high_a / (high_a - high_b);
            kept.push([a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])]);
        }
        if outline.len() == 2 && high_b <= 0.0 {
            kept.push(b);
        }
    }
    kept
}

fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{DQuat, Random};
    use proptest::prelude::*;

    fn cuboid(size: [f64; 3]) -> Polytope {
        Polytope::cuboid(DVec3::from_array(size)).unwrap()
    }

    fn assert_near(found: [DVec3; 2], expected: [[f64; 3]; 2]) {
        for (found, expected) in found.into_iter().zip(expected.map(DVec3::from_array)) {
            assert!(found.distance(expected) < 1e-8, "{found} instead of {expected}");
        }
    }

    #[test]
    fn boxes_touch_in_the_middle_of_what_they_share() {
        let (upper, lower) = (cuboid([2.0, 2.0, 2.0]), cuboid([4.0, 4.0, 2.0]));
        let offset = DVec3::new(2.5, 0.5, 2.25);
        assert_near(
            touching(&upper, &lower, offset, DVec3::Z),
            [[1.75, 0.5, 1.25], [1.75, 0.5, 1.0]],
        );
        // An edge on a side, and two edges across each other.
        let on_edge =
            upper.placed(DVec3::ZERO, DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4));
        let high = DVec3::new(0.5, 0.0, 1.0 + 2.0_f64.sqrt());
        assert_near(touching(&on_edge, &lower, high, DVec3::Z), [[0.5, 0.0, 1.0]; 2]);
        let across = upper.placed(DVec3::ZERO, DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4));
        let high = DVec3::new(0.25, 0.75, 8.0_f64.sqrt());
        let at = 2.0_f64.sqrt();
        assert_near(touching(&on_edge, &across, high, DVec3::Z), [[0.0, 0.75, at]; 2]);
    }

    #[test]
    fn flat_sides_touch_in_the_middle_of_what_they_share() {
        let square = Polytope::polygon(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]);
        let offset = DVec3::new(1.5, 2.0, 0.0);
        assert_near(touching(&square, &square, offset, DVec3::Y), [[1.75, 2.0, 0.0]; 2]);
        // They do not face each other along this normal: between the nearest corners.
        let offset = DVec3::new(3.0, 3.0, 0.0);
        assert_near(
            touching(&square, &square, offset, DVec3::Y),
            [[2.5, 3.0, 0.0], [2.5, 2.0, 0.0]],
        );
    }

    proptest! {
        /// The closest points of pieces in general position: as far apart as the pieces, along
        /// the normal, and each on its own piece.
        #[test]
        fn points_are_the_closest_ones(seed: u64) {
            let random = &mut Random::new(seed);
            let mut number = || random.between(-1.0, 1.0);
            let mut hull = || {
                let points: Vec<DVec3> =
                    (0..8).map(|_| DVec3::new(number(), number(), number())).collect();
                Polytope::hull(&points).unwrap()
            };
            let (a, b) = (hull(), hull());
            let offset = DVec3::new(2.0 + number(), number(), 2.0 * number());
            let apart = crate::shape::closest(&a, &b, offset);
            prop_assume!(apart.room > 1e-3);
            let [one, two] = touching(&a, &b, offset, apart.normal);
            prop_assert!(((one - two) - apart.room * apart.normal).length() < 1e-9);
            let outside = |piece: &Polytope, point: DVec3| {
                let over = |facet: &crate::shape::Facet| {
                    facet.normal.dot(point) - piece.support(facet.normal)
                };
                piece.facets().iter().map(over).fold(f64::NEG_INFINITY, f64::max)
            };
            prop_assert!(outside(&a, one - offset) < 1e-7 && outside(&b, two) < 1e-7);
        }
    }
}
