//! Where two pieces of rigid bodies touch or are about to: up to four points
//! with a common normal. One file per kind of pair; everything is a function of
//! the state alone, so a resumed run finds the same contacts.

mod boxes; // two boxes
mod clip; // areas of contact
mod placed; // a piece where it is
mod points; // balls and discs
mod polygons; // polygons of the plane
mod polytopes; // two polyhedra
mod segments; // capsules
mod wall; // a face of the container
mod walls; // all of them

pub(crate) use placed::{Form, Placed};
pub(crate) use wall::Wall;
pub(crate) use walls::Walls;

use crate::math::DVec3;

/// At most this many points carry a contact: more add no support.
pub(crate) const MOST_SPOTS: usize = 4;

/// Of two directions alike, the one of a face (or of the first piece) is taken unless the other
/// separates by this part of the size more: faces give more points, and the same choice from
/// step to step keeps these alike.
const PREFERENCE: f64 = 1e-3;

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
    fn one(normal: DVec3, at: DVec3, gap: f64) -> Manifold {
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

    /// The least gap of a point.
    pub fn least_gap(&self) -> f64 {
        self.spots().iter().map(|spot| spot.gap).fold(f64::INFINITY, f64::min)
    }

    /// The points that pass a test on their gap, if there are any.
    fn retain(mut self, keep: impl Fn(f64) -> bool) -> Option<Manifold> {
        let mut count = 0;
        for k in 0..self.count {
            if keep(self.spots[k].gap) {
                self.spots[count] = self.spots[k];
                count += 1;
            }
        }
        self.count = count;
        (count > 0).then_some(self)
    }

    /// What is a contact of two cores, when roundings come on top: of the first and the second.
    fn rounded(mut self, [first, second]: [f64; 2], reach: f64) -> Option<Manifold> {
        for spot in &mut self.spots[..self.count] {
            spot.gap -= first + second;
            spot.at += self.normal * (0.5 * (second - first));
        }
        self.retain(|gap| gap <= reach)
    }
}

/// The contact of two pieces if they come within `reach` of each other.
pub(crate) fn manifold(a: &Placed, b: &Placed, reach: f64) -> Option<Manifold> {
    let found = by_form(a, b, reach)?;
    let inwards = [a.inwards(found.normal), b.inwards(-found.normal)];
    Some(Manifold { inwards, ..found })
}

fn by_form(a: &Placed, b: &Placed, reach: f64) -> Option<Manifold> {
    match (a.form, b.form) {
        (Form::Point, _) => points::against(a, b, reach),
        (_, Form::Point) => points::against(b, a, reach).map(Manifold::swapped),
        (Form::Polygon, _) | (_, Form::Polygon) => polygons::two(a, b, reach),
        (Form::Segment { .. }, Form::Segment { .. }) => segments::two(a, b, reach),
        (Form::Segment { .. }, _) => segments::against(a, &b.spelled_out(), reach),
        (_, Form::Segment { .. }) => {
            segments::against(b, &a.spelled_out(), reach).map(Manifold::swapped)
        }
        (Form::Box { half }, Form::Box { half: other }) if a.radius + b.radius == 0.0 => {
            boxes::two((a, half), (b, other), reach)
        }
        _ => polytopes::two(a, b, reach),
    }
}

#[cfg(test)]
mod tests;
