//! How deep bodies overlap at the start, and how far they stick out of the
//! container: by their convex pieces.

use super::{Model, State};
use crate::math::DQuat;
use crate::shape::{Boundary, Partition, Piece, Polytope, Surface, closest};

/// A rounded polytope in the frame of the world.
pub(super) struct Placed {
    pub core: Polytope,
    pub radius: f64,
}

impl Model {
    /// How deep two bodies overlap; not positive if they do not.
    pub fn overlap(&self, state: &State, i: usize, j: usize) -> f64 {
        if let (Some(one), Some(two)) = (self.shape(i).is_ball(), self.shape(j).is_ball()) {
            return one + two - state.positions[i].distance(state.positions[j]);
        }
        let depth = deepest(&self.placed(state, i), &self.placed(state, j));
        match self.is_inside(state, i, j) || self.is_inside(state, j, i) {
            true => depth.max(self.bodies[i].radius.min(self.bodies[j].radius)),
            false => depth,
        }
    }

    /// The pieces of a body where it is; a polygon stays in its plane.
    pub(super) fn placed(&self, state: &State, body: usize) -> Vec<Placed> {
        let (position, rotation) = (state.positions[body], state.rotations[body]);
        let pieces = self.shape(body).pieces.iter();
        let place = |core: Polytope| match rotation == DQuat::IDENTITY {
            true => core.moved(position),
            false => core.placed(position, rotation),
        };
        let straight = pieces.flat_map(Piece::straightened);
        straight.map(|p| Placed { core: place(p.polytope()), radius: p.radius }).collect()
    }

    /// Whether the first of two bodies starts inside the hollow surface of the second.
    fn is_inside(&self, state: &State, i: usize, j: usize) -> bool {
        let shape = self.shape(j);
        let (Partition::Surface, Surface::Mesh(mesh)) = (&shape.partition, &shape.surface) else {
            return false;
        };
        let Some(corner) = self.placed(state, i).first().map(|p| p.core.corners()[0]) else {
            return false;
        };
        Boundary::from_mesh(mesh).contains(state.local(Some(j as u32), corner))
    }

    /// How far a body sticks out of the container, and whether it is inside at all.
    pub fn sticks_out(&self, state: &State, body: usize) -> (f64, bool) {
        let position = state.positions[body];
        if let Some(radius) = self.shape(body).is_ball() {
            let is_inside =
                self.boundary.bounds().contains(position) && self.boundary.contains(position);
            let nearest = self.boundary.nearest(position);
            let distance = nearest.map_or(f64::INFINITY, |n| n.distance);
            return (if is_inside { radius - distance } else { radius + distance }, is_inside);
        }
        let pieces = self.placed(state, body);
        let corners = || pieces.iter().flat_map(|p| p.core.corners());
        let is_inside = corners().all(|corner| self.boundary.contains(*corner));
        let wall = |core: Polytope| Placed { core, radius: 0.0 };
        let walls: Vec<Placed> =
            self.boundary.faces().iter().map(|face| wall(face.polytope())).collect();
        let depth = deepest(&pieces, &walls);
        (if is_inside { depth } else { depth.abs() }, is_inside)
    }
}

/// The deepest overlap of two lists of pieces, exact where there is one; a little below zero
/// means that they are apart by no more than that.
fn deepest(a: &[Placed], b: &[Placed]) -> f64 {
    let mut deepest = f64::NEG_INFINITY;
    for first in a {
        for second in b {
            let rounding = first.radius + second.radius;
            let apart = first.core.bounds().gap(&second.core.bounds());
            let room = match apart > rounding {
                true => apart,
                false => closest(&first.core, &second.core, crate::math::DVec3::ZERO).room,
            };
            deepest = deepest.max(rounding - room);
        }
    }
    deepest
}
