//! Boxes in a tree.
use crate::math::DVec3;
/// An axis-parallel box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    pub min: DVec3,
    pub max: DVec3,
}
/// A tree of boxes.
#[derive(Clone, Debug, Default)]
pub struct Bvh {}
impl Bvh {
    pub fn new(_boxes: &[Aabb]) -> Self {
        todo!()
    }
    /// Appends the indices of all boxes that meet `query` (touching counts), in ascending order.
    pub fn overlapping(&self, _query: &Aabb, _found: &mut Vec<u32>) {
        todo!()
    }
    /// All pairs (i, j), i < j, of boxes that meet, in ascending order.
    pub fn pairs(&self) -> Vec<(u32, u32)> {
        todo!()
    }
    /// The index with the least `distance(index)` not above `limit`, ties to the lowest index.
    pub fn nearest(
        &self,
        _point: DVec3,
        _limit: f64,
        _distance: impl FnMut(u32) -> f64,
    ) -> Option<(u32, f64)> {
        todo!()
    }
}
