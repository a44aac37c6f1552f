//! How deep bodies overlap at the start, and how far they stick out of the
//! container: by their convex pieces.

use super::{Model, State};
use crate::shape::{Boundary, Partition, Placed, Polytope, Surface, deepest};

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

    /// The pieces of a body where it is.
    pub(super) fn placed(&self, state: &State, body: usize) -> Vec<Placed> {
        self.shape(body).placed(state.positions[body], state.rotations[body])
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
