//! A cylinder that stands on its base touches at all corners of the prism around
//! it. A few of them carry it as well, and a program of few rows is solved sooner.

use super::gauss::tangents;
use crate::contact::Touch;

/// Two pieces touch at no more points than this: two boxes do not at more than eight.
const MOST: usize = 12;

/// Of more points those are kept that reach farthest in so many directions, and the deepest.
const AROUND: usize = 8;

/// Touches sorted by their keys, with no more than a few between two pieces.
pub(super) fn thinned(dimension: usize, touches: Vec<Touch>) -> Vec<Touch> {
    let same = |a: &Touch, b: &Touch| {
        (a.key.body, a.key.with, a.key.pieces) == (b.key.body, b.key.with, b.key.pieces)
    };
    let mut kept = Vec::with_capacity(touches.len());
    for group in touches.chunk_by(same) {
        match group.len() > MOST {
            true => kept.extend(farthest(dimension, group)),
            false => kept.extend_from_slice(group),
        }
    }
    kept
}

/// The points around an area of contact, in their order.
fn farthest(dimension: usize, group: &[Touch]) -> impl Iterator<Item = Touch> {
    let deepest = group.iter().enumerate().min_by(|a, b| a.1.gap.total_cmp(&b.1.gap));
    let mut chosen: Vec<usize> = deepest.map(|(k, _)| k).into_iter().collect();
    let across = tangents(dimension, group[0].normal);
    for k in 0..AROUND {
        let (sin, cos) = (std::f64::consts::TAU * k as f64 / AROUND as f64).sin_cos();
        let direction = across[0] * cos + across[across.len() - 1] * sin;
        let reach = |touch: &Touch| touch.at[0].dot(direction);
        let best = group.iter().enumerate().max_by(|a, b| reach(a.1).total_cmp(&reach(b.1)));
        chosen.extend(best.map(|(k, _)| k));
    }
    chosen.sort_unstable();
    chosen.dedup();
    chosen.into_iter().map(|k| group[k])
}
