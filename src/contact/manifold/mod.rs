//! Where two pieces of rigid bodies touch or are about to: up to four points
//! with a common normal. One file per kind of pair; everything is a function of
//! the poses alone, so a resumed run finds the same contacts.

mod boxes; // two boxes
mod clip; // areas of contact
mod hulls; // two polyhedra
mod placed; // a piece where it is
mod points; // balls
mod segments; // capsules

pub use placed::Placed;

use crate::math::DVec3;
use crate::shape::Core;

/// At most this many points carry a contact: more add no support.
pub const MOST_SPOTS: usize = 4;

/// A contact of two pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Manifold {
    /// Unit vector from the second piece to the first.
    pub normal: DVec3,
    pub spots: [Spot; MOST_SPOTS],
    pub count: usize,
}

/// A point of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spot {
    /// Half-way between the two surfaces.
    pub at: DVec3,
    /// Negative if the pieces overlap.
    pub gap: f64,
}

impl Manifold {
    fn one(normal: DVec3, at: DVec3, gap: f64) -> Manifold {
        let mut spots = [Spot::default(); MOST_SPOTS];
        spots[0] = Spot { at, gap };
        Manifold { normal, spots, count: 1 }
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
}

/// The contact of two pieces if they come within `reach` of each other.
pub fn manifold(a: &Placed, b: &Placed, reach: f64) -> Option<Manifold> {
    match (&a.piece.core, &b.piece.core) {
        (Core::Point, _) => points::against(a, b, reach),
        (_, Core::Point) => points::against(b, a, reach).map(Manifold::swapped),
        (Core::Segment { .. }, Core::Segment { .. }) => segments::two(a, b, reach),
        (Core::Segment { .. }, _) => segments::against(a, &b.spelled_out(), reach),
        (_, Core::Segment { .. }) => {
            segments::against(b, &a.spelled_out(), reach).map(Manifold::swapped)
        }
        (Core::Box { .. }, Core::Box { .. }) => boxes::two(a, b, reach),
        _ => hulls::two(a, b, reach),
    }
}

#[cfg(test)]
mod tests;
