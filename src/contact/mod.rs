//! What is allowed: closest points become linear rows. Around every valid
//! configuration the rows cut a convex cell out of the free space [M96 4.1];
//! any motion inside the cell is free of overlap all along its segment.
//!
//! One file per kind of pair.

mod ball_ball;
mod ball_boundary;
mod bodies;
mod clip;
mod cores;
mod corners;
mod joints;
pub(crate) mod manifold;
mod meetings;
mod pieces;
mod placed;
mod points;
#[cfg(test)]
pub(crate) mod samples;
mod separation;
mod sweep;
mod touches;
mod walls;

pub use ball_ball::{leaning_row, moving_row, pair_row, sweep_is_clear};
pub use ball_boundary::{WallRows, face_row, wall_rows};
pub use bodies::{body_rows, body_wall_rows, curvature, normal_is_a_choice};
pub use cores::{Cores, Rounded, Side};
pub use joints::{rope_row, strut_row};
pub(crate) use meetings::{Carrier, OF_SECOND};
pub use pieces::{Direction, Near, PieceRow, clip_away, far_pieces, near_pieces};
pub(crate) use placed::{Form, Placed};
pub use points::points;
pub(crate) use sweep::{Course, Obstacle, impact, impact_beyond};
pub(crate) use touches::{Move, Pieces, Touch, TouchKey};
pub(crate) use walls::Walls;

use serde::{Deserialize, Serialize};

use crate::math::DVec3;
use crate::world::Model;

/// A linear condition on the motion: `normal . (d_body - d_other) + gap >= 0`,
/// where `d_other` is 0 for a face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Who meets whom.
    pub key: Key,
    /// Unit vector from the other side to the body; for a rope, the other way.
    pub normal: DVec3,
    /// Distance that may be used up, never negative.
    pub gap: f64,
}

/// Who meets whom: the same contact has the same key from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    /// The body.
    pub body: u32,
    /// What it meets.
    pub other: Other,
}

/// The other side of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Other {
    /// Another body; both are balls.
    Body(u32),
    /// Another body, by a convex piece of each: the own one first.
    Pieces(u32, [u32; 2]),
    /// A face of the boundary, and the own convex piece that meets it.
    FacePiece(u32, u32),
    /// A face of the boundary that a ball meets; a face cut in two by another row gives a
    /// second row.
    Face(u32, u32),
    /// A joint whose ends are as far apart as they can be, and that pulls.
    Rope(u32),
    /// A joint whose ends are as near as they can be, and that pushes.
    Strut(u32),
}

impl Key {
    /// The second body that moves with this row, if there is one.
    pub fn second(&self, model: &Model) -> Option<usize> {
        match self.other {
            Other::Body(j) | Other::Pieces(j, _) => Some(j as usize),
            Other::Face(..) | Other::FacePiece(..) => None,
            Other::Rope(k) | Other::Strut(k) => {
                model.joints[k as usize].bodies[1].map(|body| body as usize)
            }
        }
    }
}
