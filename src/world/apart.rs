//! How deep bodies overlap that are not both spheres, and how far a solid
//! sticks out of the container: by their convex pieces.

use crate::math::DVec3;
use crate::shape::{Boundary, Convex, Partition, Surface, closest};

use super::{Model, State};

impl Model {
    /// How deep two bodies overlap; not positive if they do not.
    pub fn overlap(&self, state: &State, i: usize, j: usize) -> f64 {
        let offset = state.positions[i] - state.positions[j];
        let rounding = self.rounding(i, 0.0) + self.rounding(j, 0.0);
        let room = least_room(self.pieces(i), self.pieces(j), offset, rounding);
        let depth = rounding - room;
        match self.is_inside(state, i, j) || self.is_inside(state, j, i) {
            true => depth.max(rounding + room),
            false => depth,
        }
    }

    /// Whether the first of two bodies starts inside the hollow surface of the second.
    fn is_inside(&self, state: &State, i: usize, j: usize) -> bool {
        let Some(solid) = self.solid(j).filter(|s| s.partition == Partition::Surface) else {
            return false;
        };
        let Surface::Mesh(mesh) = &solid.surface else { return false };
        let corner = self.pieces(i)[0].corners()[0];
        Boundary::from_mesh(mesh).contains(corner + state.positions[i] - state.positions[j])
    }

    /// How far a body sticks out of the container, and whether it is inside at all.
    pub fn sticks_out(&self, state: &State, body: usize) -> (f64, bool) {
        let position = state.positions[body];
        let corners = || self.pieces(body).iter().flat_map(Convex::corners);
        let is_inside = corners().all(|corner| self.boundary.contains(*corner + position));
        let rounding = self.rounding(body, 0.0);
        let walls: Vec<Convex> = self.boundary.faces().iter().map(|f| f.as_piece()).collect();
        let room = least_room(self.pieces(body), &walls, position, rounding);
        let depth = if is_inside { rounding - room } else { rounding + room.abs() };
        (depth, is_inside)
    }
}

/// The least room of two lists of pieces, exact where it is below `enough`.
fn least_room(a: &[Convex], b: &[Convex], offset: DVec3, enough: f64) -> f64 {
    let mut least = f64::INFINITY;
    for first in a {
        let bounds = first.bounds().moved(offset);
        for second in b {
            let apart = bounds.gap(&second.bounds());
            let room = if apart > enough { apart } else { closest(first, second, offset).room };
            least = least.min(room);
        }
    }
    least
}
