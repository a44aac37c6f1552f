//! Where two pieces of rigid bodies touch or are about to, for dynamics: up to four
//! points with a common normal. Everything is a function of the state alone, so a
//! resumed run finds the same contacts. Balls and pairs of boxes have formulas of
//! their own, for speed.

mod arcs; // tori
mod boxes; // two boxes
mod points; // balls and discs

use super::meetings::{Meeting, along, beside_facets, meetings};
use super::placed::{Form, Placed};
use super::separation::widest_of_facets;
use super::sweep::separation;
use super::walls::Wall;
use crate::math::DVec3;
use crate::shape::Polytope;

/// At most this many points carry a contact: more add no support.
pub(crate) const MOST_SPOTS: usize = 4;

/// Of two directions alike, the one of a face (or of the first piece) is taken unless the other
/// separates by this part of the size more: faces give more points, and the same choice from
/// step to step keeps these alike.
const PREFERENCE: f64 = 1e-3;

/// The finer prism of a cylinder is turned again until it faces its contact, up to this angle and at
/// most so often.
const FACED: f64 = 1e-6;
const MOST_TURNS: usize = 4;

/// What is beside the facets of another reaches as far as something else if it does so to this
/// part of what is alike over facets: rounding.
const ROUNDING: f64 = 1e-6;

/// A rounded piece that touches a facet at one end is known at the other, too, if its normal leans
/// by no more than about so many radians: 1 - cosine = angle^2 / 2.
const LEANING: f64 = 0.05;

/// A contact of two pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Manifold {
    /// Unit vector from the second piece to the first.
    pub normal: DVec3,
    pub spots: [Spot; MOST_SPOTS],
    pub count: usize,
    /// From a point of the contact to what carries it in the first piece and in the second: the
    /// centre of a ball, the axis of a capsule. What is round may turn without leaving the contact.
    pub inwards: [DVec3; 2],
}

/// A point of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Spot {
    /// Half-way between the two surfaces.
    pub at: DVec3,
    /// Negative if the pieces overlap.
    pub gap: f64,
}

impl Manifold {
    pub fn one(normal: DVec3, at: DVec3, gap: f64) -> Manifold {
        let mut spots = [Spot::default(); MOST_SPOTS];
        spots[0] = Spot { at, gap };
        Manifold::new(normal, spots, 1)
    }

    /// The first `count` of some points.
    pub fn new(normal: DVec3, spots: [Spot; MOST_SPOTS], count: usize) -> Manifold {
        Manifold { normal, spots, count, inwards: [DVec3::ZERO; 2] }
    }

    /// The points.
    pub fn spots(&self) -> &[Spot] {
        &self.spots[..self.count]
    }

    /// As seen from the other piece.
    fn swapped(mut self) -> Manifold {
        self.normal = -self.normal;
        self
    }

    /// The points of two cores that have one normal, when roundings come on top.
    fn of(found: &[Meeting], [first, second]: [f64; 2], reach: f64) -> Option<Manifold> {
        let normal = found.first()?.normal;
        let spot = |met: &Meeting| {
            let at = met.at[0].midpoint(met.at[1]) + normal * (0.5 * (second - first));
            (at, met.gap() - first - second)
        };
        let near: Vec<(DVec3, f64)> =
            found.iter().map(spot).filter(|(_, gap)| *gap <= reach).collect();
        spanning(normal, &near)
    }

    /// Without the points of the prism of a cylinder that lies on its side which the cylinder
    /// does not have.
    fn on_round_side(mut self, piece: &Placed) -> Manifold {
        let off = |spot: &Spot| piece.off_round_side(spot.at, self.normal);
        let least = self.spots().iter().map(off).fold(f64::INFINITY, f64::min);
        let most = least + piece.beside_round_side();
        let mut count = 0;
        for k in 0..self.count {
            if piece.off_round_side(self.spots[k].at, self.normal) <= most {
                self.spots[count] = self.spots[k];
                count += 1;
            }
        }
        self.count = count;
        self
    }

    /// Without the points beyond a reach; none if all are.
    fn within(mut self, reach: f64) -> Option<Manifold> {
        let mut count = 0;
        for k in 0..self.count {
            if self.spots[k].gap <= reach {
                self.spots[count] = self.spots[k];
                count += 1;
            }
        }
        self.count = count;
        (count > 0).then_some(self)
    }

    /// The least gap of a point.
    pub fn least_gap(&self) -> f64 {
        self.spots().iter().map(|spot| spot.gap).fold(f64::INFINITY, f64::min)
    }
}

/// Two pieces, seen from each other.
pub(crate) struct Seen {
    /// From the second to the first; zero where no direction separates what is apart.
    pub normal: DVec3,
    /// They are at least so far apart along the normal, if there is one, or else at all; negative
    /// if they overlap.
    pub room: f64,
    /// If they come within reach of each other.
    pub contact: Option<Manifold>,
}

/// How two pieces are to each other, and their contact if they come within `reach`.
pub(crate) fn seen(a: &Placed, b: &Placed, reach: f64) -> Seen {
    if arcs::is_arc(a) || arcs::is_arc(b) {
        return arcs::seen(a, b, reach);
    }
    let (normal, room, found) = by_form(a, b, reach);
    let contact = found.map(|found| {
        let found = found.on_round_side(a).on_round_side(b);
        Manifold { inwards: [a.inwards(found.normal), b.inwards(-found.normal)], ..found }
    });
    Seen { normal, room, contact }
}

/// The contact of two pieces if they come within `reach` of each other.
pub(crate) fn manifold(a: &Placed, b: &Placed, reach: f64) -> Option<Manifold> {
    seen(a, b, reach).contact
}

/// A direction that separates two pieces, the room along it, and the contact within `reach`.
fn by_form(a: &Placed, b: &Placed, reach: f64) -> (DVec3, f64, Option<Manifold>) {
    match (a.form, b.form) {
        (Form::Box { half }, Form::Box { half: other }) if a.radius + b.radius == 0.0 => {
            match boxes::two((a, half), (b, other), reach) {
                // Along an axis they may be nearer than they are, corner to corner.
                (_, room, None) if room <= reach => by_cores(a, b, reach),
                seen => seen,
            }
        }
        _ => match of_ball(a, b) {
            Some((normal, room)) => {
                let ball = if a.form == Form::Point { (a, -1.0) } else { (b, 1.0) };
                let at = ball.0.centre + normal * (ball.1 * (ball.0.radius + 0.5 * room));
                (normal, room, (room <= reach).then(|| Manifold::one(normal, at, room)))
            }
            None => by_cores(a, b, reach),
        },
    }
}

/// The same of any two pieces.
fn by_cores(a: &Placed, b: &Placed, reach: f64) -> (DVec3, f64, Option<Manifold>) {
    match general(a, b, reach) {
        // Points over a facet may be farther away than a corner beside it.
        Some(found) => {
            let normal = found.normal;
            (normal, a.least_of(normal) + b.least_of(-normal), Some(found))
        }
        None => {
            let (normal, room) = separation(a, b);
            (normal, room, None)
        }
    }
}

/// The direction between two pieces of which one is a ball, and how far they are apart.
fn of_ball(a: &Placed, b: &Placed) -> Option<(DVec3, f64)> {
    let from = |ball: &Placed, other: &Placed| {
        let (normal, distance) = points::nearest(ball.centre, other)?;
        Some((normal, distance - ball.radius - other.radius))
    };
    match (a.form, b.form) {
        (Form::Point, _) => from(a, b),
        (_, Form::Point) => from(b, a).map(|(normal, room)| (-normal, room)),
        _ => None,
    }
}

/// A direction that separates two pieces, from the second to the first, and the room along it,
/// which is no more than their distance; negative if they overlap. Without a direction, they are so
/// far apart, though none separates them.
pub(crate) fn apart(a: &Placed, b: &Placed) -> (DVec3, f64) {
    match (a.form, b.form) {
        (Form::Arc { .. }, _) | (_, Form::Arc { .. }) => arcs::apart(a, b),
        (Form::Box { half }, Form::Box { half: other }) if a.radius + b.radius == 0.0 => {
            boxes::apart((a, half), (b, other))
        }
        _ => of_ball(a, b).unwrap_or_else(|| separation(a, b)),
    }
}

/// The contact of any two pieces.
fn general(a: &Placed, b: &Placed, reach: f64) -> Option<Manifold> {
    let radii = [a.radius, b.radius];
    let alike = PREFERENCE * size(a).min(size(b));
    let meet = |direction: DVec3, reach: f64| {
        let [a, b] = [a.spelled_out_for(b, -direction), b.spelled_out_for(a, direction)];
        let rounding = radii[0] + radii[1];
        let mut found = meetings([&a, &b], rounding, reach, alike);
        // Those that overlap are beside nothing.
        let is_opposite = |met: &Meeting| met.gap() <= 0.0 || met.aside() <= alike;
        if rounding == 0.0 && !found.iter().any(is_opposite) {
            found = beside_facets([&a, &b], reach, ROUNDING * alike);
        }
        let found = Manifold::of(&found, radii, reach)?;
        let is_end = found.count == 1 && radii[0] + radii[1] > 0.0;
        let both = if is_end { over_facet([&a, &b], radii, found.normal, reach) } else { None };
        Some(both.unwrap_or(found))
    };
    // A cylinder is first taken as it lies, then with a corner where the contact is.
    let slack = a.slack().max(b.slack());
    match slack > 0.0 {
        true => {
            let wide = 1.1 * reach + slack;
            let mut faced = meet(DVec3::ZERO, wide)?.normal;
            let mut found = meet(faced, wide)?;
            for _ in 0..MOST_TURNS {
                if found.normal.distance_squared(faced) <= FACED * FACED {
                    break;
                }
                faced = found.normal;
                found = meet(faced, wide)?;
            }
            found.within(reach).or_else(|| meet(faced, reach))
        }
        false => meet(DVec3::ZERO, reach),
    }
}

/// The points of two rounded cores over a facet along which they nearly lie, with the normal of
/// where they touch: what rocks there does not find its other end too late.
fn over_facet(
    [a, b]: [&Polytope; 2],
    [first, second]: [f64; 2],
    normal: DVec3,
    reach: f64,
) -> Option<Manifold> {
    let facet = widest_of_facets(a, b, 0.0)?;
    if facet.normal.dot(normal) < 1.0 - 0.5 * LEANING * LEANING {
        return None;
    }
    let rounding = first + second;
    let spot = |met: &Meeting| {
        let at = met.at[0].midpoint(met.at[1]) + normal * (0.5 * (second - first));
        (at, normal.dot(met.at[0] - met.at[1]) - rounding)
    };
    let found = along(a, b, facet.axis, facet.normal, reach + rounding);
    let near: Vec<(DVec3, f64)> = found.iter().map(spot).filter(|(_, gap)| *gap <= reach).collect();
    spanning(normal, &near).filter(|found| found.count > 1)
}

/// The least size of a piece; in the plane, of a polygon.
fn size(p: &Placed) -> f64 {
    let size = p.bounds().size();
    if p.form == Form::Polygon { size.x.min(size.y) } else { size.min_element() }
}

impl Wall {
    /// As a piece.
    pub fn placed(&self) -> Placed<'_> {
        Placed::sharp(&self.piece.core)
    }

    /// As for two pieces: above the part along its normal, else as its pyramid has it.
    pub fn apart(&self, piece: &Placed) -> (DVec3, f64) {
        // The hull of an arc is above the part if the arc is.
        let normal = self.normal();
        let facet = &self.piece.core.facets()[0];
        let level = normal.dot(self.piece.core.corners()[facet.corners[0] as usize]);
        let room = piece.least_of(normal) - level;
        if room > 0.0 { (normal, room) } else { apart(piece, &self.placed()) }
    }

    /// As for two pieces.
    pub fn seen(&self, piece: &Placed, reach: f64) -> Seen {
        let (normal, room) = self.apart(piece);
        Seen { normal, room, contact: self.manifold(piece, reach) }
    }

    /// The contact of a piece with the wall, the piece coming first.
    pub fn manifold(&self, piece: &Placed, reach: f64) -> Option<Manifold> {
        if arcs::is_arc(piece) {
            return arcs::with_wall(piece, self, reach);
        }
        let radius = piece.radius;
        let found = match (piece.form, self.height(piece.centre)) {
            (Form::Point, Some(height)) => {
                let (normal, gap) = (self.normal(), height - radius);
                let at = piece.centre - normal * (radius + 0.5 * gap);
                (gap <= reach).then(|| Manifold::one(normal, at, gap))
            }
            _ => {
                let core = piece.spelled_out(-self.normal());
                let alike = PREFERENCE * piece.bounds().size().max_element();
                let found = self.meetings(&core, radius, reach, alike);
                Manifold::of(&found, [radius, 0.0], reach)
            }
        }?;
        let found = found.on_round_side(piece);
        Some(Manifold { inwards: [piece.inwards(found.normal), DVec3::ZERO], ..found })
    }
}

/// The at most four points that stand for many: the deepest, the farthest from it, and the two
/// that span the largest area with these, on either side.
fn spanning(normal: DVec3, near: &[(DVec3, f64)]) -> Option<Manifold> {
    if near.is_empty() {
        return None;
    }
    let mut spots = [Spot::default(); MOST_SPOTS];
    if near.len() <= MOST_SPOTS {
        for (spot, &(at, gap)) in spots.iter_mut().zip(near) {
            *spot = Spot { at, gap };
        }
        return Some(Manifold::new(normal, spots, near.len()));
    }
    let first = best(near, |_, gap| -gap);
    let start = near[first].0;
    let second = best(near, |p, _| (p - start).length_squared());
    let across = normal.cross(near[second].0 - start);
    let third = best(near, |p, _| across.dot(p - start));
    let fourth = best(near, |p, _| -across.dot(p - start));
    let mut chosen = [first, second, third, fourth];
    chosen.sort_unstable();
    let mut count = 0;
    for (k, &index) in chosen.iter().enumerate() {
        if k == 0 || index != chosen[k - 1] {
            let (at, gap) = near[index];
            spots[count] = Spot { at, gap };
            count += 1;
        }
    }
    Some(Manifold::new(normal, spots, count))
}

/// The corner of largest value; ties go to the first, also if they differ by rounding.
fn best(near: &[(DVec3, f64)], value: impl Fn(DVec3, f64) -> f64) -> usize {
    let mut chosen = (0, 0.0);
    for (k, &(at, gap)) in near.iter().enumerate() {
        let v = value(at, gap);
        if k == 0 || v > chosen.1 + 1e-9 * f64::abs(chosen.1) {
            chosen = (k, v);
        }
    }
    chosen.0
}

#[cfg(test)]
mod tests;
