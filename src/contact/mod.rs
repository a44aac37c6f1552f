//! What is allowed: closest points become linear rows. Around every valid
//! configuration the rows cut a convex cell out of the free space [M96 4.1];
//! any motion inside the cell is free of overlap all along its segment.
//!
//! One file per kind of pair.

pub(crate) mod clip;
mod facets;
mod flat;
mod links;
pub mod manifold;
mod round;
#[cfg(test)]
pub(crate) mod samples;
mod solid_solid;
mod solids;
mod sphere_boundary;
mod sphere_sphere;
mod touches;
mod walls;

pub use links::{rope_row, strut_row};
pub use solid_solid::{Direction, Near, PieceRow, clip_away, near_pieces, piece_rows};
pub use solids::{curvature, normal_is_a_choice, solid_rows, solid_wall_rows};
pub use sphere_boundary::{WallRows, wall_rows};
pub use sphere_sphere::{leaning_row, pair_row, sweep_is_clear};
pub(crate) use flat::OF_CORNER;
pub(crate) use touches::{Carrier, Move, Pieces, Touch, TouchKey};

use serde::{Deserialize, Serialize};

use crate::math::DVec3;
use crate::world::Model;

/// A linear condition on the motion: `normal . (d_body - d_other) + gap >= 0`,
/// where `d_other` is 0 for a face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    pub key: Key,
    /// Unit vector from the other side to the body; for a rope, the other way.
    pub normal: DVec3,
    /// Distance that may be used up, never negative.
    pub gap: f64,
}

/// Who meets whom: the same contact has the same key from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    pub body: u32,
    pub other: Other,
}

/// The other side of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Other {
    Body(u32),
    /// Another body, by a convex piece of each: the own one first.
    Pieces(u32, [u32; 2]),
    /// A face of the boundary, and the own convex piece that meets it.
    FacePiece(u32, u32),
    /// A face of the boundary; a face cut in two by another row gives a second row.
    Face(u32, u32),
    /// A link that is as long as it can be, and pulls.
    Rope(u32),
    /// A link that is as short as it can be, and pushes.
    Strut(u32),
}

impl Key {
    /// The second body that moves with this row, if there is one.
    pub fn second(&self, model: &Model) -> Option<usize> {
        match self.other {
            Other::Body(j) | Other::Pieces(j, _) => Some(j as usize),
            Other::Face(..) | Other::FacePiece(..) => None,
            Other::Rope(k) | Other::Strut(k) => Some(model.links[k as usize].b as usize),
        }
    }
}
