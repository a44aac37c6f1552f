//! Overlaps of rigid bodies, by geometry of its own: the separation of two
//! convex cores along the best of many directions, or their distance by the
//! iteration of Gilbert, Johnson and Keerthi (nearest points of simplices that
//! support functions give), less the rounding radii.

use crate::math::{DMat3, DQuat, DVec3};
use crate::shape::{Core, Piece};
use crate::world::{Assembly, Motion};

/// How exact distances of separated cores are, relative to their size.
const EXACT: f64 = 1e-7;

/// A core in the frame of the world.
pub(super) struct Solid<'a> {
    piece: &'a Piece,
    centre: DVec3,
    turn: DMat3,
    /// The box around it.
    pub low: DVec3,
    pub high: DVec3,
}

/// The deepest overlap of two bodies in diameters of the smaller one, and the two.
pub(super) fn overlap(
    assembly: &Assembly,
    positions: &[DVec3],
    rotations: &[DQuat],
) -> (f64, [usize; 2]) {
    let parts = &assembly.parts;
    let joined = assembly.exempt();
    let solids: Vec<Vec<Solid>> = parts
        .iter()
        .zip(positions.iter().zip(rotations))
        .map(|(part, (p, q))| part.pieces.iter().map(|piece| Solid::new(piece, *p, *q)).collect())
        .collect();
    let span = |i: usize| {
        let low = solids[i].iter().map(|s| s.low).reduce(DVec3::min).unwrap_or(positions[i]);
        let high = solids[i].iter().map(|s| s.high).reduce(DVec3::max).unwrap_or(positions[i]);
        (low, high)
    };
    let spans: Vec<(DVec3, DVec3)> = (0..parts.len()).map(span).collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by(|&i, &j| spans[i].0.x.total_cmp(&spans[j].0.x));
    let mut worst = (0.0, [0; 2]);
    let mut open: Vec<usize> = Vec::new();
    for &i in &order {
        open.retain(|&j| spans[j].1.x >= spans[i].0.x);
        for &j in &open {
            let pair = [i.min(j), i.max(j)];
            let still = parts[i].motion != Motion::Free && parts[j].motion != Motion::Free;
            let apart = spans[i].0.cmpgt(spans[j].1).any() || spans[j].0.cmpgt(spans[i].1).any();
            if still || apart || joined.binary_search(&pair.map(|k| k as u32)).is_ok() {
                continue;
            }
            let size = 2.0 * parts[i].radius.min(parts[j].radius);
            for a in &solids[i] {
                for b in &solids[j] {
                    let depth = a.piece.radius + b.piece.radius - between(a, b);
                    if depth / size > worst.0 {
                        worst = (depth / size, pair);
                    }
                }
            }
        }
        open.push(i);
    }
    worst
}

impl<'a> Solid<'a> {
    pub fn new(piece: &'a Piece, position: DVec3, rotation: DQuat) -> Solid<'a> {
        let turn = DMat3::from_quat(rotation * piece.turn);
        let mut solid = Solid {
            piece,
            centre: position + rotation * piece.at,
            turn,
            low: DVec3::ZERO,
            high: DVec3::ZERO,
        };
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        for (k, axis) in axes.into_iter().enumerate() {
            solid.low[k] = solid.farthest(-axis)[k] - piece.radius;
            solid.high[k] = solid.farthest(axis)[k] + piece.radius;
        }
        solid
    }

    /// The point of the core farthest along a direction.
    fn farthest(&self, direction: DVec3) -> DVec3 {
        let d = self.turn.transpose() * direction;
        let sign = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
        let local = match &self.piece.core {
            Core::Point => DVec3::ZERO,
            Core::Segment { half } => DVec3::new(0.0, 0.0, sign(d.z) * half),
            Core::Box { half } => DVec3::new(sign(d.x), sign(d.y), sign(d.z)) * *half,
            Core::Cylinder { radius, half } => {
                let flat = DVec3::new(d.x, d.y, 0.0).normalize_or_zero() * *radius;
                flat + DVec3::Z * (sign(d.z) * half)
            }
            Core::Hull(hull) => {
                let better = |a: DVec3, b: &DVec3| if d.dot(*b) > d.dot(a) { *b } else { a };
                hull.corners.iter().fold(hull.corners[0], better)
            }
        };
        self.centre + self.turn * local
    }

    /// Directions of its faces and edges.
    fn directions(&self) -> (Vec<DVec3>, Vec<DVec3>) {
        let axes = vec![self.turn.x_axis, self.turn.y_axis, self.turn.z_axis];
        match &self.piece.core {
            Core::Point => (Vec::new(), Vec::new()),
            Core::Segment { .. } | Core::Cylinder { .. } => (vec![axes[2]], vec![axes[2]]),
            Core::Box { .. } => (axes.clone(), axes),
            Core::Hull(hull) => {
                let edge = |e: &[u32; 2]| hull.corners[e[1] as usize] - hull.corners[e[0] as usize];
                (
                    hull.normals.iter().map(|n| self.turn * *n).collect(),
                    hull.edges.iter().map(|e| self.turn * edge(e).normalize_or_zero()).collect(),
                )
            }
        }
    }
}

/// The distance of two cores; negative, and not above the least depth, if they overlap.
pub(super) fn between(a: &Solid, b: &Solid) -> f64 {
    // The nearest point of the difference of the cores to the origin [Gilbert et al. 1988].
    let far = |d: DVec3| a.farthest(-d) - b.farthest(d);
    let mut simplex = vec![far(a.centre - b.centre)];
    let size = (a.high - a.low).length() + (b.high - b.low).length();
    let mut best = (f64::NEG_INFINITY, DVec3::Z);
    for _ in 0..60 {
        let p = nearest(&mut simplex);
        let length = p.length();
        if length < EXACT * size {
            break;
        }
        let q = far(p);
        let room = p.dot(q) / length;
        if room > best.0 {
            best = (room, p / length);
        }
        if length - best.0 < EXACT * size || simplex.contains(&q) {
            break;
        }
        simplex.push(q);
    }
    if best.0 > a.piece.radius + b.piece.radius {
        return best.0;
    }
    if best.0 <= 0.0 {
        best = by_features(a, b, best);
    }
    polished(a, b, best)
}

/// Of the directions that can separate polyhedra, the best.
fn by_features(a: &Solid, b: &Solid, mut best: (f64, DVec3)) -> (f64, DVec3) {
    let far = |d: DVec3| a.farthest(-d) - b.farthest(d);
    let ((faces, edges), (others, other_edges)) = (a.directions(), b.directions());
    let mut along = |n: DVec3| {
        for n in n.try_normalize().into_iter().flat_map(|n| [n, -n]) {
            if n.dot(far(n)) > best.0 {
                best = (n.dot(far(n)), n);
            }
        }
    };
    faces.iter().chain(&others).for_each(|n| along(*n));
    for e in &edges {
        other_edges.iter().for_each(|f| along(e.cross(*f)));
    }
    along(a.centre - b.centre);
    best
}

/// Turns a direction by ever smaller angles as long as the cores get farther apart along it:
/// round bodies that nearly touch converge slowly otherwise. Where an edge is in contact, the best
/// directions are square to it, and so turns about edges are tried, too.
fn polished(a: &Solid, b: &Solid, (mut best, mut n): (f64, DVec3)) -> f64 {
    let edges = [a.directions().1, b.directions().1].concat();
    let mut angle = 0.05;
    while angle > 1e-9 {
        let u = n.any_orthonormal_vector();
        let v = n.cross(u);
        let mut found = false;
        let about = edges.iter().filter_map(|e| e.cross(n).try_normalize());
        for side in [u, v, u + v, u - v].into_iter().chain(about).flat_map(|s| [s, -s]) {
            let d = (n + angle * side).normalize();
            let room = d.dot(a.farthest(-d) - b.farthest(d));
            if room > best {
                (best, n, found) = (room, d, true);
                break;
            }
        }
        angle *= if found { 1.0 } else { 0.5 };
    }
    best
}

/// The point nearest to the origin in the hull of at most four points, of which those are kept
/// that it lies between.
fn nearest(points: &mut Vec<DVec3>) -> DVec3 {
    let mut best: Option<(f64, DVec3, Vec<DVec3>)> = None;
    for subset in 1..1_usize << points.len() {
        let chosen: Vec<DVec3> =
            (0..points.len()).filter(|k| subset >> k & 1 == 1).map(|k| points[k]).collect();
        let Some(p) = foot(&chosen) else { continue };
        let square = p.length_squared();
        if best.as_ref().is_none_or(|(least, ..)| square < *least) {
            best = Some((square, p, chosen));
        }
    }
    let Some((_, p, chosen)) = best else { return points[0] };
    *points = chosen;
    p
}

/// The foot of the origin on the plane, line or point that some points span, if it lies between
/// them.
fn foot(points: &[DVec3]) -> Option<DVec3> {
    let (first, rest) = points.split_first()?;
    let edges: Vec<DVec3> = rest.iter().map(|p| *p - *first).collect();
    let side = |k: usize| edges.get(k).copied().unwrap_or(DVec3::ZERO);
    let [u, v, w] = [side(0), side(1), side(2)];
    // Where there is no edge, its weight is 0.
    let one = |k: usize, square: f64| if k < edges.len() { square } else { 1.0 };
    let gram = DMat3::from_cols(
        DVec3::new(one(0, u.dot(u)), u.dot(v), u.dot(w)),
        DVec3::new(u.dot(v), one(1, v.dot(v)), v.dot(w)),
        DVec3::new(u.dot(w), v.dot(w), one(2, w.dot(w))),
    );
    let scale = gram.x_axis.x * gram.y_axis.y * gram.z_axis.z;
    if gram.determinant() <= 1e-14 * scale {
        return None;
    }
    let weights = gram.inverse() * -DVec3::new(u.dot(*first), v.dot(*first), w.dot(*first));
    let between = weights.min_element() >= 0.0 && weights.element_sum() <= 1.0;
    between.then(|| *first + u * weights.x + v * weights.y + w * weights.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The distance of a point of a segment from a box has one minimum along the segment.
        #[test]
        fn a_segment_is_as_far_from_a_box_as_its_nearest_point(
            at in prop::array::uniform3(-2.0..2.0), turn in prop::array::uniform3(-3.0..3.0),
        ) {
            let half = DVec3::new(0.3, 0.4, 0.5);
            let (one, two) =
                (Piece::new(Core::Box { half }, 0.0), Piece::new(Core::Segment { half: 4.0 }, 0.25));
            let (at, turn) = (DVec3::from(at), DQuat::from_scaled_axis(DVec3::from(turn)));
            let a = Solid::new(&one, DVec3::ZERO, DQuat::IDENTITY);
            let b = Solid::new(&two, at, turn);
            let distance = |t: f64| {
                let p = at + turn * DVec3::Z * t;
                (p - p.clamp(-half, half)).length()
            };
            let (mut low, mut high) = (-4.0, 4.0);
            for _ in 0..100 {
                let (s, t) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                if distance(s) < distance(t) { high = t } else { low = s }
            }
            let expected = distance(0.5 * (low + high));
            if expected > 1e-3 {
                prop_assert!((between(&a, &b) - expected).abs() < 1e-5, "{} {expected}", between(&a, &b));
            } else {
                prop_assert!(between(&a, &b) < 2e-3);
            }
        }
    }

    fn depth(one: (Core, f64), two: (Core, f64), at: DVec3, turn: DQuat) -> f64 {
        let (p, q) = (Piece::new(one.0, one.1), Piece::new(two.0, two.1));
        let (a, b) = (Solid::new(&p, DVec3::ZERO, DQuat::IDENTITY), Solid::new(&q, at, turn));
        p.radius + q.radius - between(&a, &b)
    }

    #[test]
    fn depths_are_those_of_the_drawing_board() {
        let cube = || (Core::Box { half: DVec3::splat(0.5) }, 0.0);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 2e-6, "{a} {b}");
        near(depth((Core::Point, 1.0), (Core::Point, 0.5), DVec3::X * 1.2, DQuat::IDENTITY), 0.3);
        near(depth(cube(), cube(), DVec3::new(0.9, 0.1, 0.2), DQuat::IDENTITY), 0.1);
        near(depth(cube(), (Core::Point, 0.25), DVec3::Z * 0.7, DQuat::IDENTITY), 0.05);
        near(depth(cube(), (Core::Point, 0.25), DVec3::Z * 0.4, DQuat::IDENTITY), 0.35);
        let turned = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4);
        near(depth(cube(), cube(), DVec3::X * 1.2, turned), 0.5 + 0.5_f64.sqrt() - 1.2);
        let lying = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        near(depth(cube(), (Core::Segment { half: 1.0 }, 0.2), DVec3::Z * 0.6, lying), 0.1);
        assert!(depth(cube(), cube(), DVec3::new(0.9, 0.9, 1.1), DQuat::IDENTITY) < 0.0);
        // Two crossed cylinders, rim to side, a hair apart.
        let drum = || (Core::Cylinder { radius: 0.5, half: 0.5 }, 0.0);
        let tilt = DQuat::from_rotation_y(0.3) * DQuat::from_rotation_x(0.4);
        let gap = |x: f64| depth(drum(), drum(), DVec3::new(x, 0.1, 0.05), tilt);
        let (mut low, mut high) = (0.5, 2.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if gap(middle) > 0.0 { low = middle } else { high = middle }
        }
        // Where they begin to touch, depth begins at 0, without a jump.
        assert!(gap(low) < 1e-8 && gap(low - 1e-3) < 1.1e-3, "{} {}", gap(low), gap(low - 1e-3));
    }
}
