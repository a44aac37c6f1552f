//! The container as obstacles that never move: behind every flat part of its
//! boundary stands a wall, a flat pyramid whose base is that part and whose tip
//! is outside.
//!
//! A base reaches beyond its own part wherever that is outside of the container
//! (past the edge between a floor and a side), so that bodies which slide along
//! it find no corner to stumble over; at a ridge, an edge that stands out into the
//! container, it ends there. A pyramid has no side that bodies in the container
//! could meet, and it is as flat as what is behind it demands. To collapse, which
//! keeps bodies apart, it is a piece like others. Dynamics lets bodies sink in a
//! little: there a wall pushes along the normal of its part alone, and over a ridge
//! along what lies between the normals of the two parts.

mod part; // a flat part, and the wall behind it
mod seams; // which faces meet where
#[cfg(test)]
mod tests;

use self::part::Part;
use self::seams::{LEANING, Rim, Seams};
use super::cores::Rounded;
use super::meetings::{Meeting, meetings, on_facet, over_facet};
use crate::math::DVec3;
use crate::shape::{Aabb, Boundary, Bvh, Face, Facet, Polytope};
use crate::world::Model;

/// All walls of a container in a tree, so that thousands of them cost no more than those nearby.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walls {
    walls: Vec<Wall>,
    tree: Bvh,
}

/// A flat part of the boundary as an obstacle.
#[derive(Clone, Debug)]
pub(crate) struct Wall {
    /// The pyramid; its first facet is the base, and points into the room.
    pub piece: Rounded,
    /// The faces of the boundary that it stands behind, by number.
    faces: Vec<(u32, Face)>,
    rim: Vec<Rim>,
    /// How far behind the part what is there belongs to this wall.
    thickness: f64,
    /// How far off a point is still on the part.
    on: f64,
}

impl Walls {
    /// The walls of a model's container, as thick as its largest free body asks for.
    pub fn of(model: &Model) -> Walls {
        let depth = model.free().map(|i| model.bodies[i].radius).fold(0.0, f64::max);
        Walls::new(&model.boundary, depth)
    }

    /// Every wall is as thick as `depth`, but by no more than half of the way to where the
    /// container begins again behind it: what is on the other side of a thin wall is not its
    /// business.
    pub fn new(boundary: &Boundary, depth: f64) -> Walls {
        let seams = Seams::new(boundary);
        let mut walls = Vec::new();
        for faces in seams.flat_parts(boundary) {
            match Part::new(boundary, &seams, &faces) {
                Some(part) => walls.extend(part.wall(boundary, depth)),
                None => {
                    let single = faces.iter().filter_map(|k| Part::new(boundary, &seams, &[*k]));
                    walls.extend(single.filter_map(|part| part.wall(boundary, depth)));
                }
            }
        }
        let boxes: Vec<Aabb> = walls.iter().map(|wall| wall.piece.core.bounds()).collect();
        Walls { walls, tree: Bvh::new(&boxes) }
    }

    pub fn is_empty(&self) -> bool {
        self.walls.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Wall> {
        self.walls.iter()
    }

    pub fn get(&self, wall: u32) -> &Wall {
        &self.walls[wall as usize]
    }

    /// Appends the numbers of the walls that may meet a box, ascending.
    pub fn near(&self, region: &Aabb, found: &mut Vec<u32>) {
        self.tree.overlapping(region, found);
    }
}

impl Wall {
    /// Into the room.
    pub fn normal(&self) -> DVec3 {
        self.piece.core.facets()[0].normal
    }

    /// The face of the boundary at a point of the wall.
    pub fn face_at(&self, at: DVec3) -> u32 {
        let distance = |face: &Face| face.closest_point(at).distance(at);
        let nearest = self.faces.iter().min_by(|a, b| distance(&a.1).total_cmp(&distance(&b.1)));
        nearest.map_or(0, |(face, _)| *face)
    }

    /// Whether a point is no nearer to what lies beyond a ridge: thin spikes are felt from the
    /// side that one is on.
    fn is_on_own_side(&self, point: DVec3) -> bool {
        self.rim.iter().all(|rim| rim.bisector.dot(point - rim.side[0]) >= -self.on)
    }

    /// How high above the base a point is, unless it is beside it or behind the wall.
    pub fn height(&self, point: DVec3) -> Option<f64> {
        let Facet { normal, corners } = &self.piece.core.facets()[0];
        let at = |k: usize| self.piece.core.corners()[corners[k % corners.len()] as usize];
        let is_over = |k: usize| {
            let along = (at(k + 1) - at(k)).normalize_or_zero();
            let inwards = if corners.len() == 2 { along } else { normal.cross(along) };
            inwards.dot(point - at(k)) >= -self.on
        };
        let beside = !(0..corners.len()).all(is_over);
        let height = normal.dot(point - at(0));
        let is_behind = height <= -self.thickness || !self.is_on_own_side(point);
        (!beside && !is_behind).then_some(height)
    }

    /// The points of a contact of a rounded core, which comes first and may have sunk in.
    pub(super) fn meetings(
        &self,
        core: &Polytope,
        radius: f64,
        reach: f64,
        alike: f64,
    ) -> Vec<Meeting> {
        let above = self.above(core, radius, reach, alike);
        let is_over_part = core.corners().len() == 1 && !above.is_empty();
        let has_ridge = self.rim.iter().any(Rim::is_ridge);
        if !has_ridge || is_over_part {
            return above;
        }
        let mut found = meetings([core, &self.piece.core], radius, reach, alike);
        if !self.are_own(&found) {
            found.clear();
        }
        let least = |of: &[Meeting]| of.iter().map(Meeting::gap).fold(f64::INFINITY, f64::min);
        let beside = above.is_empty() || least(&found) > least(&above) + alike;
        if !found.is_empty() && beside { found } else { above }
    }

    /// Whether a contact with a wall by itself is also one with all walls together: along the
    /// normal of the part, or at a rim and leaning over no face beyond.
    fn are_own(&self, found: &[Meeting]) -> bool {
        found.iter().all(|met| {
            let Meeting { at, normal, .. } = met;
            if normal.dot(self.normal()) > 1.0 - LEANING * LEANING {
                return self.is_on_own_side(at[0]);
            }
            let is_at = |rim: &&Rim| rim.off(at[1]) <= self.on;
            let mut at_rim = self.rim.iter().filter(is_at).peekable();
            at_rim.peek().is_some() && !at_rim.any(|rim| normal.dot(rim.beyond) > LEANING)
        })
    }

    /// The part of a core above the wall's part, pushed along its normal.
    fn above(&self, core: &Polytope, radius: f64, reach: f64, alike: f64) -> Vec<Meeting> {
        let near = reach + radius;
        let mut found = over_facet(&self.piece.core, 0, core, near, true);
        // The lowest corner counts even if the facet that looks at the wall does not have it.
        let height = |corner: &&DVec3| self.normal().dot(**corner);
        let lowest = core.corners().iter().min_by(|a, b| height(a).total_cmp(&height(b)));
        if let Some(&lowest) = lowest
            && let Some(gap) = self.height(lowest)
            && gap <= near
            && found.iter().all(|met| gap < met.gap() - alike)
        {
            found.push(on_facet(&self.piece.core, 0, lowest, core.corners().len(), true));
        }
        found.retain(|met| met.gap() > -self.thickness && self.is_on_own_side(met.at[0]));
        found
    }
}
