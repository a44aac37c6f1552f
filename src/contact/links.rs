//! Links between the centres of two bodies: a rope must not get too long, a
//! bar neither too long nor too short.

use super::{Key, Other, Row};
use crate::math::{DVec3, SKIN};
use crate::world::{Link, Model, State};

/// From the second end of a link to the first, and its length.
fn vector(model: &Model, state: &State, link: u32) -> (DVec3, f64) {
    let link = &model.links[link as usize];
    let vector = state.positions[link.a as usize] - state.positions[link.b as usize];
    (vector, vector.length())
}

/// The row that keeps a link from getting too long, to first order (the true
/// condition is curved: motions across the link lengthen it, too).
pub fn rope_row(model: &Model, state: &State, link: u32) -> Row {
    let (vector, length) = vector(model, state, link);
    let Link { a, length: longest, .. } = model.links[link as usize];
    let key = Key { body: a, other: Other::Rope(link) };
    let normal = -vector.try_normalize().unwrap_or(DVec3::Z);
    Row { key, normal, gap: (longest * (1.0 - SKIN) - length).max(0.0) }
}

/// The row that keeps a bar from getting too short; exact, as for two spheres.
/// None for a rope.
pub fn strut_row(model: &Model, state: &State, link: u32) -> Option<Row> {
    let (vector, length) = vector(model, state, link);
    let bar = model.links[link as usize];
    let key = Key { body: bar.a, other: Other::Strut(link) };
    let normal = vector.try_normalize().unwrap_or(DVec3::Z);
    let gap = (length - bar.shortest()).max(0.0);
    (!bar.is_rope()).then_some(Row { key, normal, gap })
}
