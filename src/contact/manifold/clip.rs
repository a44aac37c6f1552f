//! Areas of contact: a face cut to another, and the four points that span it.

use super::{MOST_SPOTS, Manifold, Placed, Spot};
use crate::math::DVec3;

/// The most corners that two faces can make of each other here.
const MOST_CORNERS: usize = 40;

/// Corners, each with a number of its own (a gap).
#[derive(Clone, Copy)]
pub(super) struct Polygon {
    corners: [(DVec3, f64); MOST_CORNERS],
    count: usize,
}

impl Default for Polygon {
    fn default() -> Self {
        Polygon { corners: [(DVec3::ZERO, 0.0); MOST_CORNERS], count: 0 }
    }
}

impl Polygon {
    pub fn push(&mut self, at: DVec3, gap: f64) {
        if self.count < MOST_CORNERS {
            self.corners[self.count] = (at, gap);
            self.count += 1;
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (DVec3, f64)> + '_ {
        self.corners[..self.count].iter().copied()
    }

    /// Keeps what is above the plane through `point` across `inwards`; a `closed` outline goes on
    /// from its last corner to its first.
    fn cut(&mut self, point: DVec3, inwards: DVec3, closed: bool) {
        let before = *self;
        self.count = 0;
        for k in 0..before.count {
            let (here, _) = before.corners[k];
            let height = inwards.dot(here - point);
            if height >= 0.0 {
                self.push(here, 0.0);
            }
            if k + 1 == before.count && !closed {
                break;
            }
            let (next, _) = before.corners[(k + 1) % before.count];
            let other = inwards.dot(next - point);
            if (height < 0.0) != (other < 0.0) {
                self.push(here + (next - here) * (height / (height - other)), 0.0);
            }
        }
    }

    /// Cuts an open line to the sides of a face.
    pub fn cut_line_to(&mut self, b: &Placed, face: usize) {
        self.cut_to_sides(b, face, false);
    }

    fn cut_to_sides(&mut self, b: &Placed, face: usize, closed: bool) {
        let corners = &b.facets[face].corners;
        for k in 0..corners.len() {
            let start = b.corners[corners[k] as usize];
            let end = b.corners[corners[(k + 1) % corners.len()] as usize];
            self.cut(start, b.normals[face].cross(end - start), closed);
        }
    }
}

/// The face of `other` that faces `face` of `reference`, cut to that face's sides. The normal
/// of the result is the face's own: from `reference` to `other`.
pub(super) fn faces(
    reference: &Placed,
    face: usize,
    other: &Placed,
    reach: f64,
) -> Option<Manifold> {
    let normal = reference.normals[face];
    let incident = facing(other, normal)?;
    let mut polygon = Polygon::default();
    for &k in &other.facets[incident].corners {
        polygon.push(other.corners[k as usize], 0.0);
    }
    polygon.cut_to_sides(reference, face, true);
    let base = normal.dot(reference.on_facet(face));
    let mut found = Polygon::default();
    for (at, _) in polygon.iter() {
        let gap = normal.dot(at) - base;
        if gap <= reach {
            found.push(at - normal * (0.5 * gap), gap);
        }
    }
    manifold(normal, &found, reach)
}

/// The face that faces a direction most.
pub(super) fn facing(p: &Placed, direction: DVec3) -> Option<usize> {
    let against = |f: usize| direction.dot(p.normals[f]);
    (0..p.facets.len()).reduce(|best, f| if against(f) < against(best) { f } else { best })
}

/// The points of an area that are near enough.
pub(super) fn manifold(normal: DVec3, polygon: &Polygon, reach: f64) -> Option<Manifold> {
    let mut near = Polygon::default();
    polygon.iter().filter(|(_, gap)| *gap <= reach).for_each(|(at, gap)| near.push(at, gap));
    spanning(normal, &near.corners[..near.count])
}

/// The at most four points that stand for many: the deepest, the farthest from it, and the two
/// that span the largest area with these, on either side.
pub(super) fn spanning(normal: DVec3, near: &[(DVec3, f64)]) -> Option<Manifold> {
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
