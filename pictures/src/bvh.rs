//! A tree of boxes over shapes of one kind, for rays: four children per node,
//! whose boxes are tested together, and up to four shapes per leaf. It is
//! built anew for every frame by the binned surface-area heuristic [Wald 2007].

use glam::Vec4;

use crate::cuts::{Item, bounds_of, quarters};
use crate::primitives::{Bounds, Pack, Primitive, Ray};

/// The first shape on a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    pub distance: f32,
    /// Counts the shapes in the order in which the tree was given them.
    pub index: u32,
}

/// A tree over shapes; building and asking are both free of chance.
pub struct Tree<S: Primitive> {
    bounds: Bounds,
    nodes: Vec<Node>,
    packs: Vec<S::Pack>,
    /// The shapes in each pack.
    members: Vec<[u32; 4]>,
}

/// Four boxes and what is in them.
#[derive(Clone, Copy)]
struct Node {
    min: [Vec4; 3],
    max: [Vec4; 3],
    /// The number of a node, or of a pack with [`PACK`] added.
    child: [u32; 4],
    /// How many of the four are in use.
    children: usize,
}

const PACK: u32 = 1 << 31;
/// Below this depth parts are cut into equal halves, which bounds the depth of the whole tree.
const CAREFUL_DEPTH: usize = 8;
/// Every node on the way down leaves at most three children behind: enough
/// for the careful levels and twelve more, which can hold 60 million shapes.
const STACK: usize = 64;

impl<S: Primitive> Default for Tree<S> {
    fn default() -> Self {
        Tree { bounds: Bounds::EMPTY, nodes: Vec::new(), packs: Vec::new(), members: Vec::new() }
    }
}

impl<S: Primitive> Tree<S> {
    pub fn new(shapes: &[S]) -> Tree<S> {
        let mut tree = Tree::default();
        let mut items: Vec<Item> =
            shapes.iter().zip(0..).map(|(shape, index)| Item::new(shape.bounds(), index)).collect();
        tree.bounds = bounds_of(&items);
        if !items.is_empty() {
            tree.add_node(shapes, &mut items, 0);
        }
        tree
    }

    /// The first shape that the ray meets before `limit`.
    pub fn nearest(&self, ray: &Ray, limit: f32) -> Option<Hit> {
        let mut best = Hit { distance: limit, index: u32::MAX };
        self.walk(ray, limit, |pack, limit| {
            let (distance, lane) = least(self.packs[pack].distances(ray));
            if distance < limit {
                best = Hit { distance, index: self.members[pack][lane] };
                return distance;
            }
            limit
        });
        (best.index != u32::MAX).then_some(best)
    }

    /// Whether anything is in the way before `limit`.
    pub fn blocks(&self, ray: &Ray, limit: f32) -> bool {
        let mut blocked = false;
        self.walk(ray, limit, |pack, limit| {
            blocked = self.packs[pack].distances(ray).min_element() < limit;
            // A limit in front of everything ends the walk.
            if blocked { f32::NEG_INFINITY } else { limit }
        });
        blocked
    }

    /// Calls `found` with every shape before `limit`, in no particular order.
    pub fn all(&self, ray: &Ray, limit: f32, mut found: impl FnMut(Hit)) {
        self.walk(ray, limit, |pack, limit| {
            let distances = self.packs[pack].distances(ray).to_array();
            for (distance, &index) in distances.into_iter().zip(&self.members[pack]) {
                if distance < limit {
                    found(Hit { distance, index });
                }
            }
            limit
        });
    }

    /// Visits the packs whose boxes the ray meets, roughly front to back;
    /// `visit` returns the new limit.
    #[inline]
    fn walk(&self, ray: &Ray, mut limit: f32, mut visit: impl FnMut(usize, f32) -> f32) {
        if self.nodes.is_empty() || !self.bounds.meets(ray, limit) {
            return;
        }
        let slabs = Slabs::new(ray);
        let mut stack = [(0_u32, 0.0_f32); STACK];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (child, entry) = stack[height];
            if entry >= limit {
                continue;
            }
            if child & PACK != 0 {
                limit = visit((child - PACK) as usize, limit);
                continue;
            }
            let node = &self.nodes[child as usize];
            let bottom = height;
            let entries = slabs.entries(node, limit).to_array();
            for (entry, child) in entries.into_iter().zip(node.child).take(node.children) {
                if entry < f32::INFINITY {
                    // The nearest child goes on top of the stack.
                    let mut at = height;
                    while at > bottom && stack[at - 1].1 < entry {
                        stack[at] = stack[at - 1];
                        at -= 1;
                    }
                    stack[at] = (child, entry);
                    height += 1;
                }
            }
        }
    }

    fn add_node(&mut self, shapes: &[S], items: &mut [Item], depth: usize) -> u32 {
        let node = self.nodes.len() as u32;
        self.nodes.push(Node::empty());
        for (lane, part) in quarters(items, depth < CAREFUL_DEPTH).into_iter().enumerate() {
            let bounds = bounds_of(part);
            let child = if part.len() <= 4 {
                PACK + self.add_pack(shapes, part)
            } else {
                self.add_node(shapes, part, depth + 1)
            };
            self.nodes[node as usize].set(lane, bounds, child);
        }
        node
    }

    fn add_pack(&mut self, shapes: &[S], items: &[Item]) -> u32 {
        let mut members = [u32::MAX; 4];
        let mut four = Vec::with_capacity(4);
        for (member, item) in members.iter_mut().zip(items) {
            *member = item.index;
            four.push(shapes[item.index as usize]);
        }
        self.packs.push(S::pack(&four));
        self.members.push(members);
        self.packs.len() as u32 - 1
    }
}

fn least(distances: Vec4) -> (f32, usize) {
    let distances = distances.to_array();
    let mut best = 0;
    for lane in 1..4 {
        if distances[lane] < distances[best] {
            best = lane;
        }
    }
    (distances[best], best)
}

impl Node {
    fn empty() -> Node {
        Node { min: [Vec4::INFINITY; 3], max: [Vec4::NEG_INFINITY; 3], child: [0; 4], children: 0 }
    }

    fn set(&mut self, lane: usize, bounds: Bounds, child: u32) {
        for axis in 0..3 {
            self.min[axis][lane] = bounds.min[axis];
            self.max[axis][lane] = bounds.max[axis];
        }
        self.child[lane] = child;
        self.children = lane + 1;
    }
}

/// A ray prepared for four boxes at a time.
struct Slabs {
    origin: [Vec4; 3],
    inverse: [Vec4; 3],
}

impl Slabs {
    fn new(ray: &Ray) -> Slabs {
        let inverse = ray.inverse();
        Slabs {
            origin: ray.origin.to_array().map(Vec4::splat),
            inverse: inverse.to_array().map(Vec4::splat),
        }
    }

    /// Where the ray enters each box of the node; infinite where it misses it
    /// or enters beyond `limit`.
    #[inline]
    fn entries(&self, node: &Node, limit: f32) -> Vec4 {
        let mut enter = Vec4::ZERO;
        let mut leave = Vec4::splat(limit);
        for axis in 0..3 {
            let near = (node.min[axis] - self.origin[axis]) * self.inverse[axis];
            let far = (node.max[axis] - self.origin[axis]) * self.inverse[axis];
            enter = enter.max(near.min(far));
            // Rounding must not lose a flat box between its two faces.
            leave = leave.min(near.max(far) * (1.0 + 4.0 * f32::EPSILON));
        }
        Vec4::select(enter.cmple(leave), enter, Vec4::INFINITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capsule::Capsule;
    use crate::primitives::{Sphere, Triangle};
    use glam::Vec3;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = Vec3> {
        (-1.0f32..1.0, -1.0f32..1.0, -1.0f32..1.0).prop_map(|(x, y, z)| Vec3::new(x, y, z))
    }

    fn ray() -> impl Strategy<Value = Ray> {
        (vector(), vector())
            .prop_map(|(from, to)| Ray::new(from * 3.0, (to - from * 3.0).normalize_or(Vec3::X)))
    }

    /// Asks every shape by itself.
    fn brute_force<S: Primitive>(shapes: &[S], ray: &Ray) -> Vec<Hit> {
        let mut hits: Vec<Hit> = shapes
            .iter()
            .zip(0..)
            .map(|(shape, index)| Hit { distance: S::pack(&[*shape]).distances(ray).x, index })
            .filter(|hit| hit.distance.is_finite())
            .collect();
        hits.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.index.cmp(&b.index)));
        hits
    }

    fn agree<S: Primitive>(shapes: &[S], ray: &Ray) -> Result<(), TestCaseError> {
        let tree = Tree::new(shapes);
        let expected = brute_force(shapes, ray);
        let nearest = tree.nearest(ray, f32::INFINITY).map(|hit| hit.distance);
        prop_assert_eq!(nearest, expected.first().map(|hit| hit.distance));
        let mut all = Vec::new();
        tree.all(ray, f32::INFINITY, |hit| all.push(hit));
        all.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.index.cmp(&b.index)));
        prop_assert_eq!(&all, &expected);
        for limit in [0.5, 2.0, 4.0] {
            let blocked = expected.iter().any(|hit| hit.distance < limit);
            prop_assert_eq!(tree.blocks(ray, limit), blocked);
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn spheres_as_by_brute_force(centres in prop::collection::vec(vector(), 0..80), ray in ray(), radius in 0.02f32..0.4) {
            let spheres: Vec<Sphere> = centres.into_iter().map(|centre| Sphere { centre, radius }).collect();
            agree(&spheres, &ray)?;
        }

        #[test]
        fn triangles_as_by_brute_force(corners in prop::collection::vec((vector(), vector(), vector()), 0..80), ray in ray()) {
            let triangles: Vec<Triangle> = corners.into_iter().map(|(a, b, c)| Triangle { corners: [a, b, c] }).collect();
            agree(&triangles, &ray)?;
        }

        #[test]
        fn capsules_as_by_brute_force(ends in prop::collection::vec((vector(), vector()), 0..40), ray in ray()) {
            let capsules: Vec<Capsule> = ends.into_iter().map(|(start, end)| Capsule { start, end, radius: 0.05 }).collect();
            agree(&capsules, &ray)?;
        }
    }

    #[test]
    fn many_shapes_in_one_place() {
        let spheres = vec![Sphere { centre: Vec3::ZERO, radius: 0.5 }; 1000];
        let ray = Ray::new(Vec3::new(-2.0, 0.0, 0.0), Vec3::X);
        let hit = Tree::new(&spheres)
            .nearest(&ray, f32::INFINITY)
            .expect("the ray points at the spheres");
        assert_eq!(hit.distance, 1.5);
    }

    #[test]
    fn a_ray_along_a_flat_tree() {
        let triangles: Vec<Triangle> = (0..20)
            .map(|i| Triangle {
                corners: [
                    Vec3::new(i as f32, 0.0, 0.0),
                    Vec3::new(i as f32 + 1.0, 0.0, 0.0),
                    Vec3::new(i as f32, 1.0, 0.0),
                ],
            })
            .collect();
        let down = Ray::new(Vec3::new(7.25, 0.25, 3.0), Vec3::NEG_Z);
        assert_eq!(Tree::new(&triangles).nearest(&down, 10.0).map(|hit| hit.index), Some(7));
    }
}
