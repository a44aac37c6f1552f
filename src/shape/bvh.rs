//! Axis-parallel boxes and a tree of them, for every question of the kind
//! "what is near?". The tree halves the boxes at the median, so it is balanced
//! whatever the input, and it depends on nothing but the boxes and their order:
//! the same input gives the same tree and the same answers in the same order.

use crate::math::DVec3;

/// An axis-parallel box; it contains its surface.
///
/// ```
/// use riprap::{math::DVec3, shape::Aabb};
/// let unit = Aabb::from_points([DVec3::ZERO, DVec3::ONE]);
/// assert!(unit.overlaps(&Aabb::from_points([DVec3::ONE]))); // touching counts
/// assert_eq!(unit.distance(DVec3::new(0.5, 0.5, 3.0)), 2.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The corner with the least coordinates.
    pub min: DVec3,
    /// The corner with the largest coordinates.
    pub max: DVec3,
}

impl Aabb {
    /// The box of no points at all: it overlaps nothing and is infinitely far away.
    pub const EMPTY: Aabb = Aabb { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The smallest box around some points.
    pub fn from_points(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Aabb::EMPTY, |bounds, point| Aabb {
            min: bounds.min.min(point),
            max: bounds.max.max(point),
        })
    }

    /// The smallest box around a sphere.
    pub fn from_sphere(centre: DVec3, radius: f64) -> Self {
        Aabb { min: centre, max: centre }.grow(radius)
    }

    /// The smallest box around both boxes.
    pub fn union(&self, other: &Aabb) -> Self {
        Aabb { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box with each side moved outward by `margin`.
    pub fn grow(&self, margin: f64) -> Self {
        Aabb { min: self.min - margin, max: self.max + margin }
    }

    /// Whether the boxes have a point in common (touching counts).
    pub fn overlaps(&self, other: &Aabb) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Whether a point is in the box or on its surface.
    pub fn contains(&self, point: DVec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// The distance from a point to the box, 0 inside.
    pub fn distance(&self, point: DVec3) -> f64 {
        (self.min - point).max(point - self.max).max(DVec3::ZERO).length()
    }

    /// The box elsewhere.
    pub fn moved(&self, by: DVec3) -> Self {
        Aabb { min: self.min + by, max: self.max + by }
    }

    /// The widest gap between two boxes along an axis; negative if they overlap.
    pub fn gap(&self, other: &Aabb) -> f64 {
        (self.min - other.max).max(other.min - self.max).max_element()
    }

    /// The point in its middle.
    pub fn centre(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// The lengths of its sides.
    pub fn size(&self) -> DVec3 {
        self.max - self.min
    }
}

/// Small enough that a leaf is tested in no time, large enough that the tree
/// has few nodes; 2 to 8 make no measurable difference.
const LEAF_SIZE: usize = 4;

/// More than the depth of any tree over `u32` indices: each level halves.
const STACK_SIZE: usize = 40;

/// A tree of boxes. An index is the position of a box in the list it was built from.
///
/// ```
/// use riprap::{math::DVec3, shape::{Aabb, Bvh}};
/// let boxes: Vec<Aabb> = (0..5).map(|i| Aabb::from_sphere(DVec3::X * i as f64, 0.5)).collect();
/// assert_eq!(Bvh::new(&boxes).pairs(), [(0, 1), (1, 2), (2, 3), (3, 4)]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Bvh {
    /// Depth first: the left child of an inner node follows it directly.
    nodes: Vec<Node>,
    /// The indices of the boxes in the order of the leaves.
    items: Vec<u32>,
    /// The boxes in the order of the leaves.
    boxes: Vec<Aabb>,
}

#[derive(Clone, Debug)]
struct Node {
    bounds: Aabb,
    /// The node's part of `items` and `boxes`.
    start: u32,
    end: u32,
    /// The right child; 0, which is the root and nobody's child, marks a leaf.
    right: u32,
}

impl Node {
    fn is_leaf(&self) -> bool {
        self.right == 0
    }

    fn range(&self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl Bvh {
    /// The tree over some boxes.
    pub fn new(boxes: &[Aabb]) -> Self {
        let mut centres: Vec<(DVec3, u32)> =
            boxes.iter().zip(0..).map(|(bounds, index)| (bounds.centre(), index)).collect();
        let mut nodes = Vec::with_capacity(boxes.len());
        if !boxes.is_empty() {
            build(&mut nodes, &mut centres, 0, boxes);
        }
        let items: Vec<u32> = centres.iter().map(|&(_, index)| index).collect();
        let boxes = items.iter().map(|&index| boxes[index as usize]).collect();
        Bvh { nodes, items, boxes }
    }

    /// The box around everything.
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds)
    }

    /// Appends the indices of all boxes that meet `query` (touching counts), in ascending order.
    pub fn overlapping(&self, query: &Aabb, found: &mut Vec<u32>) {
        let known = found.len();
        let mut stack = Stack::new(!self.nodes.is_empty());
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at as usize];
            if !node.bounds.overlaps(query) {
                continue;
            }
            if node.is_leaf() {
                let hits = node.range().filter(|&k| self.boxes[k].overlaps(query));
                found.extend(hits.map(|k| self.items[k]));
            } else {
                stack.push(node.right);
                stack.push(at + 1);
            }
        }
        found[known..].sort_unstable();
    }

    /// All pairs (i, j), i < j, of boxes that meet (touching counts), in ascending order.
    pub fn pairs(&self) -> Vec<(u32, u32)> {
        let mut pairs = Vec::with_capacity(4 * self.items.len());
        for (at, node) in self.nodes.iter().enumerate() {
            if node.is_leaf() {
                for k in node.range() {
                    for l in k + 1..node.end as usize {
                        self.push_pair(k, l, &mut pairs);
                    }
                }
            } else {
                self.pairs_between(at + 1, node.right as usize, &mut pairs);
            }
        }
        // One comparison of a joint number is faster than two of a pair.
        pairs.sort_unstable_by_key(|&(i, j)| (u64::from(i) << 32) | u64::from(j));
        pairs
    }

    /// The pairs of one box below node `a` with one box below node `b`.
    fn pairs_between(&self, a: usize, b: usize, pairs: &mut Vec<(u32, u32)>) {
        let (node_a, node_b) = (&self.nodes[a], &self.nodes[b]);
        if !node_a.bounds.overlaps(&node_b.bounds) {
            return;
        }
        // An inner node holds more boxes than a leaf, so the larger of two has children.
        if node_a.is_leaf() && node_b.is_leaf() {
            for k in node_a.range() {
                for l in node_b.range() {
                    self.push_pair(k, l, pairs);
                }
            }
        } else if node_a.range().len() > node_b.range().len() {
            self.pairs_between(a + 1, b, pairs);
            self.pairs_between(node_a.right as usize, b, pairs);
        } else {
            self.pairs_between(a, b + 1, pairs);
            self.pairs_between(a, node_b.right as usize, pairs);
        }
    }

    fn push_pair(&self, k: usize, l: usize, pairs: &mut Vec<(u32, u32)>) {
        if self.boxes[k].overlaps(&self.boxes[l]) {
            let (i, j) = (self.items[k], self.items[l]);
            pairs.push((i.min(j), i.max(j)));
        }
    }

    /// The index with the least `distance(index)` not above `limit`, ties to
    /// the lowest index. No distance may be less than that to the index's box:
    /// boxes that cannot win are not asked.
    pub fn nearest(
        &self,
        point: DVec3,
        limit: f64,
        mut distance: impl FnMut(u32) -> f64,
    ) -> Option<(u32, f64)> {
        let mut best = None;
        let mut reach = limit;
        let mut stack = Stack::new(!self.nodes.is_empty());
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at as usize];
            if node.bounds.distance(point) > reach {
                continue;
            }
            if node.is_leaf() {
                for k in node.range() {
                    if self.boxes[k].distance(point) > reach {
                        continue;
                    }
                    let index = self.items[k];
                    let found = distance(index);
                    let wins_tie = best.is_none_or(|(lowest, _)| index < lowest);
                    if found < reach || (found == reach && wins_tie) {
                        best = Some((index, found));
                        reach = found;
                    }
                }
            } else {
                // The nearer child, on top of the stack, shortens the reach for the other one.
                let (left, right) = (at + 1, node.right);
                let [to_left, to_right] =
                    [left, right].map(|child| self.nodes[child as usize].bounds.distance(point));
                let (near, far) = if to_left <= to_right { (left, right) } else { (right, left) };
                stack.push(far);
                stack.push(near);
            }
        }
        best
    }
}

/// Appends the tree over `centres`, which start at `start` in the order of the
/// leaves, and sorts them into that order.
fn build(nodes: &mut Vec<Node>, centres: &mut [(DVec3, u32)], start: usize, boxes: &[Aabb]) {
    let at = nodes.len();
    let end = start + centres.len();
    nodes.push(Node { bounds: Aabb::EMPTY, start: start as u32, end: end as u32, right: 0 });
    if centres.len() <= LEAF_SIZE {
        nodes[at].bounds = centres
            .iter()
            .fold(Aabb::EMPTY, |bounds, &(_, index)| bounds.union(&boxes[index as usize]));
        return;
    }
    let half = centres.len() / 2;
    let axis = longest_axis(centres);
    centres
        .select_nth_unstable_by(half, |(a, i), (b, j)| a[axis].total_cmp(&b[axis]).then(i.cmp(j)));
    let (low, high) = centres.split_at_mut(half);
    build(nodes, low, start, boxes);
    let right = nodes.len();
    build(nodes, high, start + half, boxes);
    nodes[at].right = right as u32;
    nodes[at].bounds = nodes[at + 1].bounds.union(&nodes[right].bounds);
}

/// The axis along which the centres spread the most.
fn longest_axis(centres: &[(DVec3, u32)]) -> usize {
    let size = Aabb::from_points(centres.iter().map(|&(centre, _)| centre)).size();
    let longer_of_xy = if size.y > size.x { 1 } else { 0 };
    if size.z > size[longer_of_xy] { 2 } else { longer_of_xy }
}

/// The nodes still to be visited, without a trip to the heap.
struct Stack {
    nodes: [u32; STACK_SIZE],
    len: usize,
}

impl Stack {
    /// A stack with the root on it, if there is one.
    fn new(has_root: bool) -> Self {
        Stack { nodes: [0; STACK_SIZE], len: usize::from(has_root) }
    }

    fn push(&mut self, node: u32) {
        self.nodes[self.len] = node;
        self.len += 1;
    }

    fn pop(&mut self) -> Option<u32> {
        self.len = self.len.checked_sub(1)?;
        Some(self.nodes[self.len])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whole coordinates, so that boxes touch, coincide and are flat.
    fn any_point(range: std::ops::Range<i32>) -> impl Strategy<Value = DVec3> {
        [range.clone(), range.clone(), range]
            .prop_map(|coordinates| DVec3::from_array(coordinates.map(f64::from)))
    }

    fn any_boxes() -> impl Strategy<Value = Vec<Aabb>> {
        let any_box = (any_point(0..12), any_point(0..4));
        prop::collection::vec(any_box.prop_map(|(min, size)| Aabb { min, max: min + size }), 0..80)
    }

    proptest! {
        #[test]
        fn overlapping_finds_what_a_loop_finds(
            boxes in any_boxes(), min in any_point(-3..18), size in 0.0..6.0,
        ) {
            let query = Aabb { min, max: min + size };
            let mut found = vec![99, 7];
            Bvh::new(&boxes).overlapping(&query, &mut found);
            let hits = (0..boxes.len() as u32).filter(|&i| boxes[i as usize].overlaps(&query));
            let expected: Vec<u32> = [99, 7].into_iter().chain(hits).collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn pairs_finds_what_two_loops_find(boxes in any_boxes()) {
            let mut expected = Vec::new();
            for i in 0..boxes.len() {
                for j in i + 1..boxes.len() {
                    if boxes[i].overlaps(&boxes[j]) {
                        expected.push((i as u32, j as u32));
                    }
                }
            }
            prop_assert_eq!(Bvh::new(&boxes).pairs(), expected);
        }

        #[test]
        fn nearest_finds_what_a_loop_finds(
            boxes in any_boxes(), point in any_point(-3..18), limit in 0..9u32,
        ) {
            let limit = f64::from(limit);
            let distance = |i: u32| boxes[i as usize].distance(point);
            let mut expected: Option<(u32, f64)> = None;
            for i in 0..boxes.len() as u32 {
                if distance(i) <= limit && expected.is_none_or(|(_, least)| distance(i) < least) {
                    expected = Some((i, distance(i)));
                }
            }
            prop_assert_eq!(Bvh::new(&boxes).nearest(point, limit, distance), expected);
        }

        #[test]
        fn a_box_measures_like_its_nearest_point(boxes in any_boxes(), point in any_point(-3..18)) {
            for bounds in boxes {
                let nearest = point.clamp(bounds.min, bounds.max);
                prop_assert_eq!(bounds.distance(point), nearest.distance(point));
                prop_assert_eq!(bounds.contains(point), nearest == point);
                prop_assert!(bounds.grow(bounds.distance(point) + 1e-9).contains(point));
            }
        }
    }

    #[test]
    fn no_boxes_give_no_answers() {
        let tree = Bvh::new(&[]);
        let mut found = Vec::new();
        tree.overlapping(&Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY }, &mut found);
        assert!(found.is_empty() && tree.pairs().is_empty());
        assert_eq!(tree.nearest(DVec3::ZERO, f64::INFINITY, |_| 0.0), None);
        assert_eq!(tree.bounds(), Aabb::EMPTY);
    }

    #[test]
    fn boxes_that_are_not_numbers_do_no_harm() {
        let mut boxes = vec![Aabb { min: DVec3::NAN, max: DVec3::NAN }; 9];
        boxes.push(Aabb::from_sphere(DVec3::ZERO, 1.0));
        boxes.push(Aabb::EMPTY);
        boxes.push(Aabb::from_sphere(DVec3::X, 1.0));
        assert_eq!(Bvh::new(&boxes).pairs(), [(9, 11)]);
        assert_eq!(Bvh::new(&boxes).nearest(DVec3::NAN, 1.0, |_| f64::NAN), None);
    }

    #[test]
    fn the_empty_box_is_nowhere() {
        let point = Aabb::from_points([DVec3::ZERO]);
        assert!(!Aabb::EMPTY.overlaps(&point));
        assert!(!Aabb::EMPTY.contains(DVec3::ZERO));
        assert_eq!(Aabb::EMPTY.distance(DVec3::ZERO), f64::INFINITY);
        assert_eq!(Aabb::EMPTY.union(&point), point);
    }
}
