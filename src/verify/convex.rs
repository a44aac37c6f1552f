//! Distances of pieces that turn (convex ones: `arcs.rs` has the others), by geometry of its own: the separation
//! of two convex cores along the best of many directions, or their distance by the
//! iteration of Gilbert, Johnson and Keerthi (nearest points of simplices that
//! support functions give). Rounding radii come on top.

use std::borrow::Cow;

use super::arcs;
use crate::math::{DMat3, DQuat, DVec3};
use crate::shape::{CYLINDER_SIDES, Core, Piece};

/// How exact distances of separated cores are, relative to their size.
const EXACT: f64 = 1e-7;

/// What rounding does to such distances.
const ROUNDING: f64 = 1e-13;

/// Of cores with so few sides all are tried before anything else.
const FEW_SIDES: usize = 12;

/// A piece in the frame of the world.
#[derive(Clone)]
pub(super) struct Placed<'a> {
    pub piece: Cow<'a, Piece>,
    pub centre: DVec3,
    pub turn: DMat3,
    /// The box around it, with its rounding.
    pub low: DVec3,
    pub high: DVec3,
}

impl<'a> Placed<'a> {
    pub fn new(piece: &'a Piece, position: DVec3, rotation: DQuat) -> Placed<'a> {
        Placed::of(Cow::Borrowed(piece), position, rotation)
    }

    pub fn of(piece: Cow<'a, Piece>, position: DVec3, rotation: DQuat) -> Placed<'a> {
        let turn = DMat3::from_quat(rotation * piece.turn);
        let centre = position + rotation * piece.at;
        let radius = piece.radius;
        let mut placed = Placed { piece, centre, turn, low: centre, high: centre };
        for (k, axis) in DVec3::AXES.into_iter().enumerate() {
            placed.low[k] = placed.farthest(-axis)[k] - radius;
            placed.high[k] = placed.farthest(axis)[k] + radius;
        }
        placed
    }

    /// How far it is rounded.
    pub fn radius(&self) -> f64 {
        self.piece.radius
    }

    /// Whether the boxes around two pieces meet.
    pub fn meets(&self, other: &Placed) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    /// The point of the core farthest along a direction.
    pub fn farthest(&self, direction: DVec3) -> DVec3 {
        let d = self.turn.transpose() * direction;
        let sign = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
        let local = match &self.piece.core {
            Core::Point => return self.centre,
            Core::Segment { half } => DVec3::new(0.0, 0.0, sign(d.z) * half),
            Core::Cylinder { radius, half } => {
                let flat = DVec3::new(d.x, d.y, 0.0).normalize_or_zero() * *radius;
                flat + DVec3::Z * (sign(d.z) * half)
            }
            Core::Arc { radius, half } => arcs::nearest(*radius, *half, d),
            Core::Polytope(core) => match core.half_size() {
                Some(half) => DVec3::new(sign(d.x), sign(d.y), sign(d.z)) * half,
                None => {
                    let corners = core.corners();
                    let (mut best, mut most) = (corners[0], d.dot(corners[0]));
                    for corner in &corners[1..] {
                        let far = d.dot(*corner);
                        if far > most {
                            (best, most) = (*corner, far);
                        }
                    }
                    best
                }
            },
        };
        self.centre + self.turn * local
    }

    /// The directions of its sides, outwards; those of a box and of a round core one way only.
    fn normals(&self) -> Vec<DVec3> {
        match &self.piece.core {
            Core::Point => Vec::new(),
            Core::Segment { .. } | Core::Cylinder { .. } => vec![self.turn.z_axis],
            Core::Arc { .. } => vec![self.turn.z_axis],
            Core::Polytope(core) if core.half_size().is_some() => self.axes().to_vec(),
            Core::Polytope(core) => core.facets().iter().map(|f| self.turn * f.normal).collect(),
        }
    }

    /// The directions of its edges.
    fn edges(&self) -> Vec<DVec3> {
        match &self.piece.core {
            Core::Point => Vec::new(),
            Core::Segment { .. } | Core::Cylinder { .. } => vec![self.turn.z_axis],
            Core::Arc { .. } => vec![self.turn.z_axis],
            Core::Polytope(core) if core.half_size().is_some() => self.axes().to_vec(),
            Core::Polytope(core) => {
                let corner = |k: u32| core.corners()[k as usize];
                let along = |[a, b]: &[u32; 2]| (corner(*b) - corner(*a)).normalize_or_zero();
                core.edges().iter().map(|edge| self.turn * along(edge)).collect()
            }
        }
    }

    fn axes(&self) -> [DVec3; 3] {
        [self.turn.x_axis, self.turn.y_axis, self.turn.z_axis]
    }

    fn sides(&self) -> usize {
        match &self.piece.core {
            Core::Polytope(core) => core.facets().len(),
            _ => 1,
        }
    }

    /// Not convex.
    pub fn is_arc(&self) -> bool {
        matches!(self.piece.core, Core::Arc { .. })
    }

    fn is_round(&self) -> bool {
        matches!(self.piece.core, Core::Segment { .. } | Core::Cylinder { .. })
    }

    fn is_flat(&self) -> bool {
        matches!(&self.piece.core, Core::Polytope(core) if core.is_flat())
    }

    /// How far the part that faces a direction, to a depth, reaches from a point across that
    /// direction; no less than its corners (or, of a round core, its ends) do.
    pub fn spread(&self, normal: DVec3, from: DVec3, depth: f64) -> f64 {
        let highest = normal.dot(self.farthest(normal));
        let across = |point: DVec3| {
            let way = point - from;
            (way - normal * normal.dot(way)).length()
        };
        let round = match &self.piece.core {
            Core::Point => 0.0,
            Core::Segment { half } => 2.0 * half,
            Core::Cylinder { radius, half } => 2.0 * radius.hypot(*half),
            Core::Arc { radius, half } => 2.0 * radius * half.sin(),
            Core::Polytope(core) => {
                let corners = core.corners().iter().map(|corner| self.centre + self.turn * *corner);
                let facing = corners.filter(|corner| normal.dot(*corner) >= highest - depth);
                return facing.map(across).fold(0.0, f64::max) + self.radius().min(depth);
            }
        };
        round + self.radius().min(depth)
    }

    /// How far a point is outside, or inside if that is negative.
    pub fn outside(&self, point: DVec3) -> f64 {
        let local = self.turn.transpose() * (point - self.centre);
        match &self.piece.core {
            Core::Point => return local.length() - self.radius(),
            Core::Segment { half } => {
                let nearest = DVec3::Z * local.z.clamp(-half, *half);
                return local.distance(nearest) - self.radius();
            }
            Core::Polytope(core) => {
                if let Some(half) = core.half_size() {
                    let off = local.abs() - half;
                    let outside = off.max(DVec3::ZERO).length();
                    let off = if outside > 0.0 { outside } else { off.max_element() };
                    return off - self.radius();
                }
            }
            Core::Arc { radius, half } => {
                return local.distance(arcs::nearest(*radius, *half, local)) - self.radius();
            }
            Core::Cylinder { .. } => {}
        }
        let dot = Piece::new(Core::Point, 0.0);
        let dot = Placed::new(&dot, point, DQuat::IDENTITY);
        separation(&dot, self, f64::INFINITY).0 - self.radius()
    }

    /// How far the prism that some methods take for a cylinder sticks out of it.
    pub fn prism(&self) -> f64 {
        let half = std::f64::consts::PI / CYLINDER_SIDES as f64;
        match self.piece.core {
            Core::Cylinder { radius, .. } => radius * (half.cos().recip() - 1.0),
            _ => 0.0,
        }
    }

    /// The outward normal of the side that looks most along a direction.
    pub fn facing(&self, direction: DVec3) -> DVec3 {
        let normals = self.normals().into_iter().flat_map(|n| [n, -n]);
        let outward = normals.filter(|n| self.is_side(*n));
        outward.max_by(|a, b| a.dot(direction).total_cmp(&b.dot(direction))).unwrap_or(direction)
    }

    /// Whether a normal of a side, or its opposite, points outwards.
    fn is_side(&self, normal: DVec3) -> bool {
        match &self.piece.core {
            Core::Polytope(core) if core.half_size().is_none() => {
                core.facets().iter().any(|facet| self.turn * facet.normal == normal)
            }
            _ => true,
        }
    }
}

/// The room between two cores along a unit vector, which points from the second to the first:
/// their distance is at least that.
pub(super) fn room(a: &Placed, b: &Placed, normal: DVec3) -> f64 {
    normal.dot(a.farthest(-normal) - b.farthest(normal))
}

/// How deep two pieces overlap, if that is more than `bound`.
pub(super) fn deeper_than(a: &Placed, b: &Placed, bound: f64) -> Option<f64> {
    if a.is_arc() || b.is_arc() {
        return arcs::deeper_than(a, b, bound);
    }
    let rounding = a.radius() + b.radius();
    let depth = rounding - apart(a, b, rounding - bound);
    (depth > bound).then_some(depth)
}

/// How far two cores are apart, negative if they overlap; from `enough` on it may be more.
pub(super) fn apart(a: &Placed, b: &Placed, enough: f64) -> f64 {
    let best = separation(a, b, enough);
    // The directions of polyhedra that overlap are known; all others can be improved.
    match best.0 < enough && (best.0 > 0.0 || a.is_round() || b.is_round()) {
        true => polished(a, b, best, enough).0,
        false => best.0,
    }
}

/// The distance of two cores, negative and not above the least depth if they overlap, and the
/// direction along which they are so far apart. It may be too small by a little, and distances
/// from `enough` on by more.
pub(super) fn separation(a: &Placed, b: &Placed, enough: f64) -> (f64, DVec3) {
    let mut best = (f64::NEG_INFINITY, DVec3::Z);
    if let (Core::Point, Core::Point) = (&a.piece.core, &b.piece.core) {
        let apart = a.centre - b.centre;
        let normal = apart.try_normalize().unwrap_or(DVec3::Z);
        return (apart.length(), normal);
    }
    // Most that touch do so along a side, or are far apart along one.
    for (placed, sign) in [(a, -1.0), (b, 1.0)] {
        if placed.sides() <= FEW_SIDES {
            for normal in placed.normals() {
                try_both(a, b, normal * sign, &mut best);
            }
            if best.0 >= enough {
                return best;
            }
        }
    }
    nearest_points(a, b, enough, &mut best);
    if best.0 <= 0.0 && best.0 < enough {
        by_features(a, b, enough, &mut best);
    }
    best
}

fn try_both(a: &Placed, b: &Placed, normal: DVec3, best: &mut (f64, DVec3)) {
    for n in [normal, -normal] {
        let room = room(a, b, n);
        if room > best.0 {
            *best = (room, n);
        }
    }
}

/// The nearest point of the difference of the cores to the origin [Gilbert et al. 1988].
fn nearest_points(a: &Placed, b: &Placed, enough: f64, best: &mut (f64, DVec3)) {
    let far = |d: DVec3| a.farthest(-d) - b.farthest(d);
    let mut simplex = Simplex { points: [far(a.centre - b.centre); 4], count: 1 };
    let size = (a.high - a.low).length() + (b.high - b.low).length();
    for _ in 0..60 {
        let p = simplex.nearest();
        let length = p.length();
        if length < EXACT * size {
            return;
        }
        let q = far(p);
        let room = p.dot(q) / length;
        if room > best.0 {
            *best = (room, p / length);
        }
        let is_old = simplex.points[..simplex.count].contains(&q);
        if best.0 >= enough || length - best.0 < EXACT * size || is_old || simplex.count == 4 {
            return;
        }
        simplex.points[simplex.count] = q;
        simplex.count += 1;
    }
}

/// Of the directions that can separate polyhedra, the best.
fn by_features(a: &Placed, b: &Placed, enough: f64, best: &mut (f64, DVec3)) {
    for placed in [a, b] {
        if placed.sides() > FEW_SIDES {
            placed.normals().into_iter().for_each(|normal| try_both(a, b, normal, best));
        }
    }
    let (edges, others) = (a.edges(), b.edges());
    for e in &edges {
        for f in &others {
            if let Some(across) = e.cross(*f).try_normalize() {
                try_both(a, b, across, best);
            }
        }
        if best.0 >= enough {
            return;
        }
    }
    if let Some(apart) = (a.centre - b.centre).try_normalize() {
        try_both(a, b, apart, best);
    }
}

/// Turns a direction by ever smaller angles as long as the cores get farther apart along it:
/// round bodies that nearly touch converge slowly otherwise. Where an edge is in contact, the best
/// directions are square to it, and so turns about edges are tried, too.
fn polished(a: &Placed, b: &Placed, (mut best, mut n): (f64, DVec3), enough: f64) -> (f64, DVec3) {
    let flat = a.is_flat() || b.is_flat();
    let edges = if flat { vec![DVec3::Z] } else { [a.edges(), b.edges()].concat() };
    // Less than that is rounding, of which there is no end.
    let gain = ROUNDING * ((a.high - a.low).length() + (b.high - b.low).length());
    let mut angle = 0.05;
    while angle > 1e-9 && best < enough {
        let u = n.any_orthonormal_vector();
        let v = n.cross(u);
        let round = if flat { [DVec3::ZERO; 4] } else { [u, v, u + v, u - v] };
        let about = edges.iter().filter_map(|e| e.cross(n).try_normalize());
        let mut found = false;
        for side in round.into_iter().chain(about).flat_map(|s| [s, -s]) {
            let d = (n + angle * side).normalize();
            let room = room(a, b, d);
            if room > best + gain {
                (best, n, found) = (room, d, true);
                break;
            }
        }
        angle *= if found { 1.0 } else { 0.5 };
    }
    (best, n)
}

/// At most four points.
struct Simplex {
    points: [DVec3; 4],
    count: usize,
}

impl Simplex {
    /// The point nearest to the origin in their hull, of which those are kept that it lies
    /// between.
    fn nearest(&mut self) -> DVec3 {
        let mut best = (f64::INFINITY, self.points[0], [self.points[0]; 4], 1);
        for subset in 1..1_usize << self.count {
            let (mut chosen, mut count) = ([DVec3::ZERO; 4], 0);
            for (k, point) in self.points[..self.count].iter().enumerate() {
                if subset >> k & 1 == 1 {
                    chosen[count] = *point;
                    count += 1;
                }
            }
            let Some(p) = foot(&chosen[..count]) else { continue };
            let square = p.length_squared();
            if square < best.0 {
                best = (square, p, chosen, count);
            }
        }
        (self.points, self.count) = (best.2, best.3);
        best.1
    }
}

/// The foot of the origin on the plane, line or point that some points span, if it lies between
/// them.
fn foot(points: &[DVec3]) -> Option<DVec3> {
    let (first, rest) = points.split_first()?;
    if rest.is_empty() {
        return Some(*first);
    }
    let side = |k: usize| rest.get(k).map_or(DVec3::ZERO, |p| *p - *first);
    let [u, v, w] = [side(0), side(1), side(2)];
    // Where there is no edge, its weight is 0.
    let one = |k: usize, square: f64| if k < rest.len() { square } else { 1.0 };
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
    use crate::math::Random;
    use crate::shape::Polytope;
    use proptest::prelude::*;

    fn cuboid(half: DVec3) -> Piece {
        Piece::new(Core::Polytope(Polytope::cuboid(2.0 * half).unwrap()), 0.0)
    }

    fn distance_of(a: &Placed, b: &Placed) -> f64 {
        polished(a, b, separation(a, b, f64::INFINITY), f64::INFINITY).0
    }

    /// Any piece of the size of a unit, about the origin.
    fn any_piece(random: &mut Random) -> Piece {
        let half = random.between(0.1, 0.5);
        let core = match random.next_u64() % 4 {
            0 => Core::Segment { half },
            1 => Core::Cylinder { radius: random.between(0.1, 0.5), half },
            2 => cuboid(DVec3::new(half, random.between(0.1, 0.5), 0.3)).core,
            _ => {
                let points: Vec<DVec3> = (0..9).map(|_| 0.5 * vector(random)).collect();
                Core::Polytope(Polytope::hull(&points).unwrap())
            }
        };
        Piece::new(core, 0.1 * random.unit())
    }

    fn vector(random: &mut Random) -> DVec3 {
        DVec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0))
    }

    proptest! {
        /// What is asked only whether it is deep enough gets the same answer.
        #[test]
        fn bounds_change_nothing(seed: u64) {
            let random = &mut Random::new(seed);
            let (one, two) = (any_piece(random), any_piece(random));
            let turn = |random: &mut Random| DQuat::from_scaled_axis(3.0 * vector(random));
            let a = Placed::new(&one, 0.7 * vector(random), turn(random));
            let b = Placed::new(&two, DVec3::ZERO, turn(random));
            let depth = one.radius + two.radius - distance_of(&a, &b);
            for bound in [0.0, 0.01, 0.1, depth - 1e-4, depth + 1e-4] {
                let found = deeper_than(&a, &b, bound);
                prop_assert_eq!(found.is_some(), depth > bound, "{} {}", depth, bound);
                prop_assert!(found.is_none_or(|found| (found - depth).abs() < 1e-6));
            }
            if !a.meets(&b) {
                prop_assert!(depth < 0.0);
            }
        }

        /// The distance of a point of a segment from a box has one minimum along the segment.
        #[test]
        fn a_segment_is_as_far_from_a_box_as_its_nearest_point(
            at in prop::array::uniform3(-2.0..2.0), turn in prop::array::uniform3(-3.0..3.0),
        ) {
            let half = DVec3::new(0.3, 0.4, 0.5);
            let (one, two) = (cuboid(half), Piece::new(Core::Segment { half: 4.0 }, 0.25));
            let (at, turn) = (DVec3::from(at), DQuat::from_scaled_axis(DVec3::from(turn)));
            let a = Placed::new(&one, DVec3::ZERO, DQuat::IDENTITY);
            let b = Placed::new(&two, at, turn);
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
                prop_assert!((distance_of(&a, &b) - expected).abs() < 1e-5, "{} {expected}", distance_of(&a, &b));
            } else {
                prop_assert!(distance_of(&a, &b) < 2e-3);
            }
        }
    }

    fn depth(one: (Core, f64), two: (Core, f64), at: DVec3, turn: DQuat) -> f64 {
        let (p, q) = (Piece::new(one.0, one.1), Piece::new(two.0, two.1));
        let (a, b) = (Placed::new(&p, DVec3::ZERO, DQuat::IDENTITY), Placed::new(&q, at, turn));
        p.radius + q.radius - distance_of(&a, &b)
    }

    #[test]
    fn depths_are_those_of_the_drawing_board() {
        let cube = || (cuboid(DVec3::splat(0.5)).core, 0.0);
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
