//! In which order bodies are drawn, so that what is in front covers what is behind: exactly, where
//! the boxes around them are apart.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use riprap::math::DVec3;
use riprap::shape::Aabb;

/// Of more bodies nobody sees each.
const MOST: usize = 1500;

/// Boxes that overlap by less than this part of their sizes touch.
const TOUCH: f64 = 1e-6;

/// The order of boxes seen from a direction, the farthest first; none if some of them overlap, or if
/// there are too many. `covers` says whether two may hide each other on the paper.
pub(crate) fn farthest_first(
    boxes: &[Aabb],
    toward: DVec3,
    covers: impl Fn(usize, usize) -> bool,
) -> Option<Vec<usize>> {
    if boxes.len() > MOST {
        return None;
    }
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); boxes.len()];
    let mut waits = vec![0; boxes.len()];
    for i in 0..boxes.len() {
        for j in i + 1..boxes.len() {
            let [first, second] = fronts(&boxes[i], &boxes[j], toward);
            if !(first || second) {
                return None;
            }
            // In front by one plane and behind by another: neither hides the other.
            if first == second || !covers(i, j) {
                continue;
            }
            let (far, near) = if first { (j, i) } else { (i, j) };
            before[far].push(near);
            waits[near] += 1;
        }
    }
    let key = |k: usize| Reverse((Depth(boxes[k].centre().dot(toward)), k));
    let mut ready: BinaryHeap<_> = (0..boxes.len()).filter(|k| waits[*k] == 0).map(key).collect();
    let mut order = Vec::with_capacity(boxes.len());
    while let Some(Reverse((_, k))) = ready.pop() {
        order.push(k);
        for &near in &before[k] {
            waits[near] -= 1;
            if waits[near] == 0 {
                ready.push(key(near));
            }
        }
    }
    // Three boxes can each hide a part of the next.
    (order.len() == boxes.len()).then_some(order)
}

/// Whether a plane between two boxes has the first in front of the second, and the second in
/// front of the first.
fn fronts(one: &Aabb, two: &Aabb, toward: DVec3) -> [bool; 2] {
    let mut found = [false; 2];
    for k in 0..3 {
        let near = TOUCH * one.size()[k].min(two.size()[k]);
        let above = one.min[k] >= two.max[k] - near;
        let below = two.min[k] >= one.max[k] - near;
        let looks_down = toward[k] > 0.0;
        found[0] |= if looks_down { above } else { below };
        found[1] |= if looks_down { below } else { above };
    }
    found
}

/// A number that can be sorted.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Depth(f64);

impl Eq for Depth {}

impl PartialOrd for Depth {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Depth {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuboid(min: [f64; 3], size: [f64; 3]) -> Aabb {
        let min = DVec3::from_array(min);
        Aabb { min, max: min + DVec3::from_array(size) }
    }

    const TOWARD: DVec3 = DVec3::new(0.4, -0.8, 0.3);

    /// A long low box in front of a high one behind it, and a small one on top of the long one's far
    /// end: by their middles the small one would be drawn before the long one.
    #[test]
    fn what_is_in_front_comes_last() {
        let long = cuboid([0.0, 0.0, 0.0], [1.0, 20.0, 1.0]);
        let small = cuboid([0.0, 19.0, 1.0], [1.0, 1.0, 1.0]);
        let behind = cuboid([-3.0, 0.0, 0.0], [2.0, 20.0, 5.0]);
        let boxes = [small, long, behind];
        assert!(small.centre().dot(TOWARD) < long.centre().dot(TOWARD));
        assert_eq!(farthest_first(&boxes, TOWARD, |_, _| true), Some(vec![2, 1, 0]));
    }

    #[test]
    fn boxes_that_overlap_have_no_order() {
        let one = cuboid([0.0; 3], [1.0; 3]);
        assert_eq!(farthest_first(&[one, cuboid([0.5; 3], [1.0; 3])], TOWARD, |_, _| true), None);
        // Those that touch have one, rounding or not.
        let two = cuboid([1.0 - 1e-9, 0.0, 0.0], [1.0; 3]);
        assert_eq!(farthest_first(&[two, one], TOWARD, |_, _| true), Some(vec![1, 0]));
    }
}
