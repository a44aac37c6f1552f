//! Joining equal points: files and faces repeat the corners that neighbours
//! share. Only exactly equal coordinates are joined, so nothing ever moves.

use crate::math::DVec3;
use std::collections::HashMap;

/// The different points in order of first appearance, and for each given point
/// its index among them.
pub(super) fn weld(points: impl IntoIterator<Item = DVec3>) -> (Vec<DVec3>, Vec<u32>) {
    let mut different = Vec::new();
    let mut known = HashMap::new();
    let indices = points
        .into_iter()
        .map(|point| {
            // Adding zero turns -0.0 into 0.0 and leaves all else alone.
            let point = point + 0.0;
            *known.entry(point.to_array().map(f64::to_bits)).or_insert_with(|| {
                different.push(point);
                different.len() as u32 - 1
            })
        })
        .collect();
    (different, indices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_points_are_joined_and_close_ones_are_not() {
        let close = DVec3::new(1.0, f64::MIN_POSITIVE, 0.0);
        let (points, indices) = weld([DVec3::X, DVec3::ZERO, close, -DVec3::ZERO, DVec3::X]);
        assert_eq!(points, [DVec3::X, DVec3::ZERO, close]);
        assert_eq!(indices, [0, 1, 2, 1, 0]);
    }
}
