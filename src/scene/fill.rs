//! Random loose filling: bodies are put down one after the other, each at a random place where it
//! touches nothing (random sequential insertion): by the spheres about them, and where those find
//! no room, by the bodies themselves.

use std::collections::{BTreeMap, HashMap};

use super::generate::Made;
use crate::math::{DMat3, DQuat, DVec3, Random};
use crate::shape::{Aabb, Boundary, Partition, Placed, Polytope, Shape, are_apart};

/// So many places are tried for one sphere before it counts as too many. Near
/// the densest random filling one place in thousands is free, and the next
/// sphere needs ten times as many.
const ATTEMPTS: usize = 20_000;

/// Places that are tried for one body by its own shape, which costs far more.
const ATTEMPTS_BY_SHAPE: usize = 2000;

/// A body may be this much larger than its room, in its radii: rounding in a box that it fits
/// exactly. Far less than what counts as an overlap at the start.
const ROUNDING: f64 = 1e-13;

/// A body is pressed against what is next to it by steps of half the way, so many times.
const HALVINGS: usize = 24;

/// The part of the container where centres may lie.
pub(super) struct Region<'a> {
    boundary: &'a Boundary,
    min: DVec3,
    max: DVec3,
    dimension: usize,
}

impl<'a> Region<'a> {
    pub fn new(boundary: &'a Boundary, min: DVec3, max: DVec3, dimension: usize) -> Self {
        // Without a container, the limits alone must say where.
        let (mut low, mut high) = (min, max);
        if !boundary.faces().is_empty() {
            let bounds = boundary.bounds();
            (low, high) = (min.max(bounds.min), max.min(bounds.max));
        }
        Region { boundary, min: low, max: high, dimension }
    }

    /// Whether it ends somewhere on every side.
    pub fn is_bounded(&self) -> bool {
        (0..self.dimension).all(|axis| self.min[axis].is_finite() && self.max[axis].is_finite())
    }

    pub fn is_empty(&self) -> bool {
        (0..self.dimension).any(|axis| self.min[axis] >= self.max[axis])
    }

    /// A place for a sphere where it touches neither the container nor the crowd.
    pub fn find_room(&self, radius: f64, crowd: &Crowd, random: &mut Random) -> Option<DVec3> {
        (0..ATTEMPTS)
            .map(|_| self.random_point(random))
            .find(|&point| crowd.has_room(point, radius) && self.holds(point, radius))
    }

    fn random_point(&self, random: &mut Random) -> DVec3 {
        let mut coordinates = [0.0; 3];
        for (axis, coordinate) in coordinates.iter_mut().enumerate().take(self.dimension) {
            *coordinate = random.between(self.min[axis], self.max[axis]);
        }
        DVec3::from_array(coordinates)
    }

    /// A place for a body, by its own shape, with one of the turns that are tried, as long as
    /// tries are left.
    pub fn find_room_for(
        &self,
        body: &Candidate,
        random: &mut Random,
        left: &mut usize,
        mut turn: impl FnMut() -> DQuat,
    ) -> Option<(DVec3, DQuat)> {
        for _ in 0..ATTEMPTS_BY_SHAPE {
            *left = left.checked_sub(1)?;
            let rotation = turn();
            let Some((low, high)) = self.limits(body, rotation) else { continue };
            let mut at = DVec3::ZERO;
            for axis in 0..self.dimension {
                at[axis] = random.between(low[axis], high[axis]);
            }
            let radius = body.shape.radius() + body.clearance;
            let is_round = body.crowd.has_room(at, radius) && self.holds(at, radius);
            if is_round || self.fits(body, at, rotation) {
                return Some((at, rotation));
            }
        }
        None
    }

    /// A body that has a place, moved along the axes, one after the other, as far down, forward or
    /// to the left as it fits: what comes later finds more room.
    pub fn pressed(
        &self,
        body: &Candidate,
        mut at: DVec3,
        rotation: DQuat,
        random: &mut Random,
    ) -> DVec3 {
        let Some((low, _)) = self.limits(body, rotation) else { return at };
        let first = (random.unit() * self.dimension as f64) as usize;
        for axis in (0..self.dimension).map(|k| (first + k) % self.dimension) {
            let mut step = at[axis] - low[axis];
            for _ in 0..HALVINGS {
                let moved = (at[axis] - step).max(low[axis]);
                let mut tried = at;
                tried[axis] = moved;
                if self.fits(body, tried, rotation) {
                    at = tried;
                }
                step /= 2.0;
            }
        }
        at
    }

    /// Where the centre of a body may be so that the box about it is in the box about the
    /// container; None if that is larger.
    fn limits(&self, body: &Candidate, rotation: DQuat) -> Option<(DVec3, DVec3)> {
        let (mut low, mut high) = (self.min, self.max);
        if !self.boundary.faces().is_empty() {
            let own = body.bounds(DVec3::ZERO, rotation);
            let room = self.boundary.bounds();
            (low, high) = (low.max(room.min - own.min), high.min(room.max - own.max));
        }
        for axis in 0..self.dimension {
            let lack = low[axis] - high[axis];
            if lack > ROUNDING * body.shape.radius() {
                return None;
            }
            if lack > 0.0 {
                (low[axis], high[axis]) = (high[axis], low[axis]);
            }
        }
        Some((low, high))
    }

    /// Whether a body keeps clear of the container and of the crowd.
    fn fits(&self, body: &Candidate, at: DVec3, rotation: DQuat) -> bool {
        let pieces = body.shape.placed(at, rotation);
        let least = body.clearance - ROUNDING * body.shape.radius();
        // A piece that meets no face is inside if one of its points is.
        let is_inside = |piece: &Placed| {
            let corners = piece.core.corners();
            self.boundary.contains(corners.iter().sum::<DVec3>() / corners.len() as f64)
        };
        let has_walls = !self.boundary.faces().is_empty();
        if has_walls && !pieces.iter().all(is_inside) {
            return false;
        }
        let mut near = Vec::new();
        self.boundary.faces_in(&body.bounds(at, rotation), &mut near);
        let wall = |face: &u32| Placed {
            core: self.boundary.faces()[*face as usize].polytope(),
            radius: 0.0,
        };
        let meets_wall = near.iter().any(|face| !are_clear(&pieces, &[wall(face)], least));
        !meets_wall && body.crowd.keeps_clear(body, at, &pieces, least)
    }

    fn holds(&self, point: DVec3, radius: f64) -> bool {
        self.boundary.faces().is_empty()
            || self.boundary.contains(point)
                && self.boundary.nearest(point).is_some_and(|nearest| nearest.distance >= radius)
    }

    /// The lengths of its sides.
    pub fn size(&self) -> DVec3 {
        (self.max - self.min).max(DVec3::ZERO)
    }

    /// Which part of the region bodies of this volume (in 2D: area) would fill. A region that is
    /// cut off by the container counts in full: the true value is larger.
    pub fn fraction_of(&self, volume: f64) -> f64 {
        let size = self.size();
        let inside = match self.boundary.faces() {
            [] => f64::INFINITY,
            _ => enclosed(self.boundary),
        };
        let own = if self.dimension == 2 { size.x * size.y } else { size.x * size.y * size.z };
        volume / own.min(inside)
    }
}

/// The volume (in 2D: the area) inside a boundary, by the divergence theorem.
fn enclosed(boundary: &Boundary) -> f64 {
    let origin = boundary.bounds().min;
    let below = |corners: &[DVec3]| match corners {
        [a, b] => (*a - origin).cross(*b - origin).z / 2.0,
        [a, b, c] => (*a - origin).dot((*b - origin).cross(*c - origin)) / 6.0,
        _ => 0.0,
    };
    boundary.faces().iter().map(|face| below(&face.corners)).sum::<f64>().abs()
}

/// A body that looks for a place.
pub(super) struct Candidate<'a> {
    pub shape: &'a Shape,
    /// It keeps this far from everything.
    pub clearance: f64,
    /// The number of its entry, and the shapes of it.
    pub entry: usize,
    pub shapes: &'a [Shape],
    /// Who is there already, and what they look like.
    pub crowd: &'a Crowd,
    pub entries: &'a [Made],
}

impl Candidate<'_> {
    /// The box about the body and its clearance.
    fn bounds(&self, at: DVec3, rotation: DQuat) -> Aabb {
        let turn = DMat3::from_quat(rotation);
        let boxes = self.shape.pieces.iter().map(|piece| piece.bounds(at, &turn));
        boxes.fold(Aabb::EMPTY, |all, one| all.union(&one)).grow(self.clearance)
    }
}

/// The sphere about a body, and which shape it has there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub centre: DVec3,
    pub radius: f64,
    pub rotation: DQuat,
    /// Its entry and its number among the shapes of that; None for a ball.
    pub shape: Option<(usize, u32)>,
}

/// Spheres and boxes; spheres in cells, one grid for every size class, so that a few large
/// spheres among many small ones cost nothing.
#[derive(Clone, Default)]
pub(super) struct Crowd {
    /// Each class holds the radii from a quarter to half of its cell width,
    /// which is two to the power of its key.
    classes: BTreeMap<i32, Class>,
    /// Few: those of what does not move.
    boxes: Vec<(Aabb, Placed)>,
}

#[derive(Clone, Default)]
struct Class {
    cells: HashMap<[i64; 3], Vec<usize>>,
    members: Vec<Member>,
}

impl Crowd {
    pub fn insert(&mut self, member: Member) {
        let class = (2.0 * member.radius).log2().ceil() as i32;
        let cell = cell(member.centre, width(class));
        let class = self.classes.entry(class).or_default();
        class.cells.entry(cell).or_default().push(class.members.len());
        class.members.push(member);
    }

    /// A piece of what does not move, and the box about it.
    pub fn insert_box(&mut self, bounds: Aabb, piece: Placed) {
        self.boxes.push((bounds, piece));
    }

    /// Whether a sphere would overlap nothing.
    pub fn has_room(&self, centre: DVec3, radius: f64) -> bool {
        self.boxes.iter().all(|(bounds, _)| bounds.distance(centre) >= radius)
            && self.near(centre, radius, |_| false)
    }

    /// Whether a body, by its pieces, is at least this far from everybody.
    fn keeps_clear(&self, body: &Candidate, at: DVec3, pieces: &[Placed], least: f64) -> bool {
        let radius = body.shape.radius() + body.clearance;
        let fixed = self.boxes.iter().filter(|(bounds, _)| bounds.distance(at) < radius);
        let is_clear = |other: &[Placed]| are_clear(pieces, other, least);
        fixed.into_iter().all(|(_, piece)| is_clear(std::slice::from_ref(piece)))
            && self.near(at, radius, |member| {
                let shape = member.shape.map(|(entry, number)| match entry == body.entry {
                    true => &body.shapes[number as usize],
                    false => &body.entries[entry].shapes[number as usize],
                });
                match shape {
                    None => is_clear(&[Placed {
                        core: Polytope::point(member.centre),
                        radius: member.radius,
                    }]),
                    // Who is inside a hollow surface meets none of its pieces.
                    Some(shape) if matches!(shape.partition, Partition::Surface) => false,
                    Some(shape) => is_clear(&shape.placed(member.centre, member.rotation)),
                }
            })
    }

    /// Whether all members whose spheres overlap a sphere are fine.
    fn near(&self, centre: DVec3, radius: f64, is_fine: impl Fn(&Member) -> bool) -> bool {
        let is_clear = |other: &Member| {
            centre.distance(other.centre) >= radius + other.radius || is_fine(other)
        };
        self.classes.iter().all(|(&class, spheres)| {
            let width = width(class);
            let reach = DVec3::splat(radius + width / 2.0);
            let (low, high) = (cell(centre - reach, width), cell(centre + reach, width));
            let span = |axis: usize| high[axis].saturating_sub(low[axis]).saturating_add(1);
            let visits = span(0).saturating_mul(span(1)).saturating_mul(span(2));
            if visits as usize > spheres.members.len() {
                return spheres.members.iter().all(is_clear);
            }
            (low[0]..=high[0]).all(|x| {
                (low[1]..=high[1]).all(|y| {
                    (low[2]..=high[2]).all(|z| {
                        let cell = spheres.cells.get(&[x, y, z]);
                        cell.is_none_or(|cell| cell.iter().all(|&i| is_clear(&spheres.members[i])))
                    })
                })
            })
        })
    }
}

/// Whether two lists of pieces are at least this far apart.
fn are_clear(a: &[Placed], b: &[Placed], least: f64) -> bool {
    let is_clear = |one: &Placed, two: &Placed| {
        let least = one.radius + two.radius + least;
        let gap = one.core.bounds().gap(&two.core.bounds());
        // In the plane all boxes touch along z.
        gap > 0.0 && gap >= least || are_apart(&one.core, &two.core, least)
    };
    a.iter().all(|one| b.iter().all(|two| is_clear(one, two)))
}

fn width(class: i32) -> f64 {
    f64::from(class).exp2()
}

fn cell(point: DVec3, width: f64) -> [i64; 3] {
    (point / width).floor().to_array().map(|x| x as i64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_crowd_agrees_with_asking_everybody(
            spheres in prop::collection::vec(
                ([-5.0..5.0, -5.0..5.0, -5.0..5.0], -6.0..1.0), 1..60),
            question in ([-5.0..5.0, -5.0..5.0, -5.0..5.0], -6.0..1.0),
        ) {
            let made = |(centre, size): &([f64; 3], f64)| (DVec3::from_array(*centre), size.exp2());
            let mut crowd = Crowd::default();
            for (centre, radius) in spheres.iter().map(made) {
                crowd.insert(Member { centre, radius, rotation: DQuat::IDENTITY, shape: None });
            }
            let (centre, radius) = made(&question);
            let expected = spheres.iter().map(made).all(|(c, r)| centre.distance(c) >= radius + r);
            prop_assert_eq!(crowd.has_room(centre, radius), expected);
        }
    }
}
