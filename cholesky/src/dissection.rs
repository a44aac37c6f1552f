//! In which order to eliminate: geometric nested dissection [George 1973]. A part is cut in two across an
//! axis; the fewest nodes that touch every edge of the cut (a minimum vertex cover, by
//! König's theorem from a largest matching) are eliminated last; both halves are divided on.
//! Small parts are ordered by minimum degree.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;
use glam::DVec3;

/// A part of at most this many nodes is not divided on. Its edges fit into the bits of a number.
const LEAF: usize = 48;
/// Where a part is cut, as a share of its nodes.
const SHARES: [f64; 5] = [0.4, 0.45, 0.5, 0.55, 0.6];
/// Cuts off the middle must be smaller by this times the square of the distance.
const OFF_CENTRE: f64 = 30.0;

const NONE: u32 = u32::MAX;

/// Who is joined with whom.
#[derive(Debug)]
pub struct Graph {
    start: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// Each edge stands in `edges` once.
    pub fn new(nodes: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Graph {
        let mut start = vec![0_u32; nodes + 1];
        for (a, b) in edges.clone() {
            start[a as usize + 1] += 1;
            start[b as usize + 1] += 1;
        }
        for node in 0..nodes {
            start[node + 1] += start[node];
        }
        let (mut next, mut neighbours) = (start.clone(), vec![0; start[nodes] as usize]);
        for (a, b) in edges {
            for (a, b) in [(a, b), (b, a)] {
                neighbours[next[a as usize] as usize] = b;
                next[a as usize] += 1;
            }
        }
        Graph { start, neighbours }
    }

    fn count(&self) -> usize {
        self.start.len() - 1
    }

    pub(crate) fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.neighbours[self.start[node] as usize..self.start[node + 1] as usize]
    }
}

/// The nodes of a graph in an order of elimination with little fill. `places` says where they
/// are; without it the order is by minimum degree alone.
pub fn order(graph: &Graph, places: &[DVec3]) -> Vec<u32> {
    let count = graph.count();
    if places.is_empty() && count > LEAF {
        return minimum_degree(graph);
    }
    let place = |node: u32| places.get(node as usize).copied().unwrap_or(DVec3::ZERO);
    let sorted = [0, 1, 2].map(|axis| {
        let mut nodes: Vec<u32> = (0..count as u32).collect();
        nodes.sort_by(|&a, &b| place(a)[axis].total_cmp(&place(b)[axis]));
        nodes
    });
    let mut dissection = Dissection {
        graph,
        side: vec![Side::Elsewhere; count],
        number: vec![NONE; count],
        order: Vec::with_capacity(count),
        cut: Cut::default(),
    };
    dissection.divide(sorted);
    dissection.order
}

/// By approximate minimum degree, as faer has it.
fn minimum_degree(graph: &Graph) -> Vec<u32> {
    let count = graph.count();
    let pattern =
        SymbolicSparseColMatRef::new_checked(count, count, &graph.start, None, &graph.neighbours);
    let (mut order, mut inverse) = (vec![0_u32; count], vec![0_u32; count]);
    let scratch = amd::order_scratch::<u32>(count, graph.neighbours.len());
    let (memory, control) = (&mut MemBuffer::new(scratch), amd::Control::default());
    amd::order(&mut order, &mut inverse, pattern, control, MemStack::new(memory))
        .expect("a graph that fits in memory has an order");
    order
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Elsewhere,
    Left,
    Right,
}

struct Dissection<'a> {
    graph: &'a Graph,
    /// Of every node, while a part is cut.
    side: Vec<Side>,
    /// Of a node among those that are looked at; `NONE` outside.
    number: Vec<u32>,
    order: Vec<u32>,
    cut: Cut,
}

impl Dissection<'_> {
    /// Orders a part, given by its nodes along each axis.
    fn divide(&mut self, sorted: [Vec<u32>; 3]) {
        if sorted[0].len() <= LEAF {
            return self.minimum_degree(&sorted[0]);
        }
        let (axis, split) = self.best_cut(&sorted);
        self.mark(&sorted[axis], split);
        let separator = self.cover(&sorted[axis][..split]);
        for &node in &separator {
            self.side[node as usize] = Side::Elsewhere;
        }
        let half = |side: Side| {
            let on_side = |node: &u32| self.side[*node as usize] == side;
            sorted.each_ref().map(|nodes| nodes.iter().copied().filter(on_side).collect())
        };
        let halves = [half(Side::Left), half(Side::Right)];
        for &node in &sorted[0] {
            self.side[node as usize] = Side::Elsewhere;
        }
        drop(sorted);
        for half in halves {
            self.divide(half);
        }
        self.order.extend(separator);
    }

    fn mark(&mut self, nodes: &[u32], split: usize) {
        for (at, &node) in nodes.iter().enumerate() {
            self.side[node as usize] = if at < split { Side::Left } else { Side::Right };
        }
    }

    /// The axis and the number of nodes on the left of the smallest cut.
    fn best_cut(&mut self, sorted: &[Vec<u32>; 3]) -> (usize, usize) {
        let mut best = (f64::INFINITY, 0, sorted[0].len() / 2);
        for (axis, nodes) in sorted.iter().enumerate() {
            self.mark(nodes, 0);
            let mut split = 0;
            for share in SHARES {
                let next = (nodes.len() as f64 * share) as usize;
                for &node in &nodes[split..next] {
                    self.side[node as usize] = Side::Left;
                }
                split = next;
                self.find_cut(&nodes[..split]);
                let size = self.cut.match_most() as f64;
                let score = size * (1.0 + OFF_CENTRE * (share - 0.5).powi(2));
                if score < best.0 {
                    best = (score, axis, split);
                }
            }
        }
        (best.1, best.2)
    }

    /// The edges between the two sides.
    fn find_cut(&mut self, left: &[u32]) {
        self.cut.clear();
        for &node in left {
            let across = self.graph.of(node).iter();
            for &other in across.filter(|&&other| self.side[other as usize] == Side::Right) {
                let number = &mut self.number[other as usize];
                if *number == NONE {
                    *number = self.cut.right.len() as u32;
                    self.cut.right.push(other);
                }
                self.cut.edges.push(*number);
            }
            if self.cut.edges.len() > self.cut.ends.last().map_or(0, |end| *end as usize) {
                self.cut.left.push(node);
                self.cut.ends.push(self.cut.edges.len() as u32);
            }
        }
        for &node in &self.cut.right {
            self.number[node as usize] = NONE;
        }
    }

    /// The fewest nodes that touch every edge between the two sides.
    fn cover(&mut self, left: &[u32]) -> Vec<u32> {
        self.find_cut(left);
        self.cut.match_most();
        self.cut.cover()
    }

    /// Orders a part of at most 64 nodes; of equal degrees the first.
    fn minimum_degree(&mut self, nodes: &[u32]) {
        for (at, &node) in nodes.iter().enumerate() {
            self.number[node as usize] = at as u32;
        }
        let mut joined = [0_u64; 64];
        for (mask, &node) in joined.iter_mut().zip(nodes) {
            let numbers = self.graph.of(node).iter().map(|&other| self.number[other as usize]);
            *mask = numbers.filter(|&n| n != NONE).fold(0, |mask, n| mask | 1 << n);
        }
        for &node in nodes {
            self.number[node as usize] = NONE;
        }
        let mut left: Vec<usize> = (0..nodes.len()).collect();
        while let Some(&next) = left.iter().min_by_key(|&&at| joined[at].count_ones()) {
            left.retain(|&at| at != next);
            let clique = joined[next];
            for &at in &left {
                if clique >> at & 1 == 1 {
                    joined[at] = (joined[at] | clique) & !(1 << at) & !(1 << next);
                }
            }
            self.order.push(nodes[next]);
        }
    }
}

/// The edges of a cut as a graph of its own, and a matching in it.
#[derive(Default)]
struct Cut {
    /// The nodes of each side that an edge ends at.
    left: Vec<u32>,
    right: Vec<u32>,
    /// Per node on the left, where its edges end, and the numbers of their right ends.
    ends: Vec<u32>,
    edges: Vec<u32>,
    /// Per node, whom it is matched with.
    left_match: Vec<u32>,
    right_match: Vec<u32>,
    /// For which node on the left one on the right was last tried.
    tried: Vec<u32>,
}

impl Cut {
    fn clear(&mut self) {
        self.left.clear();
        self.right.clear();
        self.ends.clear();
        self.edges.clear();
    }

    fn edges_of(&self, left: usize) -> std::ops::Range<usize> {
        let first = if left == 0 { 0 } else { self.ends[left - 1] as usize };
        first..self.ends[left] as usize
    }

    /// Finds a largest matching; its size is that of the smallest cover.
    fn match_most(&mut self) -> usize {
        self.left_match.clear();
        self.left_match.resize(self.left.len(), NONE);
        self.right_match.clear();
        self.right_match.resize(self.right.len(), NONE);
        self.tried.clear();
        self.tried.resize(self.right.len(), NONE);
        (0..self.left.len()).filter(|&node| self.augment(node, node as u32)).count()
    }

    /// Matches one more node of the left, rematching others if it must.
    fn augment(&mut self, node: usize, stamp: u32) -> bool {
        let edges = self.edges_of(node);
        let free = |&at: &usize| self.right_match[self.edges[at] as usize] == NONE;
        if let Some(at) = edges.clone().find(free) {
            return self.join(node, self.edges[at] as usize);
        }
        for at in edges {
            let other = self.edges[at] as usize;
            if self.tried[other] != stamp {
                self.tried[other] = stamp;
                if self.augment(self.right_match[other] as usize, stamp) {
                    return self.join(node, other);
                }
            }
        }
        false
    }

    fn join(&mut self, left: usize, right: usize) -> bool {
        self.left_match[left] = right as u32;
        self.right_match[right] = left as u32;
        true
    }

    /// König: what alternating paths from the unmatched nodes of the left do not reach there,
    /// and what they reach on the right.
    fn cover(&self) -> Vec<u32> {
        let mut reached = [vec![false; self.left.len()], vec![false; self.right.len()]];
        let unmatched = |&node: &usize| self.left_match[node] == NONE;
        let mut open: Vec<usize> = (0..self.left.len()).filter(unmatched).collect();
        open.iter().for_each(|&node| reached[0][node] = true);
        while let Some(node) = open.pop() {
            for other in self.edges[self.edges_of(node)].iter().map(|&other| other as usize) {
                let next = self.right_match[other] as usize;
                reached[1][other] = true;
                if !std::mem::replace(&mut reached[0][next], true) {
                    open.push(next);
                }
            }
        }
        let [left, right] = reached;
        let left = self.left.iter().zip(left).filter(|(_, reached)| !reached);
        let right = self.right.iter().zip(right).filter(|(_, reached)| *reached);
        left.chain(right).map(|(node, _)| *node).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Random;
    use proptest::prelude::*;

    fn graph(nodes: usize, edges: usize, random: &mut Random) -> Graph {
        let mut node = || (random.next_u64() % nodes as u64) as u32;
        let pairs = (0..edges).map(|_| (node(), node())).filter(|(a, b)| a != b);
        let mut pairs: Vec<_> = pairs.map(|(a, b)| (a.min(b), a.max(b))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        Graph::new(nodes, pairs.into_iter())
    }

    proptest! {
        #[test]
        fn everybody_is_eliminated_once(nodes in 1..400_usize, seed: u64, placed: bool) {
            let random = &mut Random::new(seed);
            let graph = graph(nodes, 3 * nodes, random);
            let mut place = || DVec3::new(random.unit(), random.unit(), random.unit());
            let places: Vec<DVec3> = (0..nodes).map(|_| place()).collect();
            let mut order = order(&graph, if placed { &places } else { &[] });
            order.sort_unstable();
            prop_assert!(order.into_iter().eq(0..nodes as u32));
        }

        /// Every edge of the cut has an end in the cover, and by the matching none is smaller.
        #[test]
        fn a_cover_covers_and_none_is_smaller(nodes in 2..60_usize, seed: u64) {
            let random = &mut Random::new(seed);
            let graph = graph(nodes, 2 * nodes, random);
            let split = nodes / 2;
            let all: Vec<u32> = (0..nodes as u32).collect();
            let mut dissection = Dissection {
                graph: &graph,
                side: vec![Side::Elsewhere; nodes],
                number: vec![NONE; nodes],
                order: Vec::new(),
                cut: Cut::default(),
            };
            dissection.mark(&all, split);
            let cover = dissection.cover(&all[..split]);
            for &a in &all[..split] {
                for &b in graph.of(a).iter().filter(|&&b| b as usize >= split) {
                    prop_assert!(cover.contains(&a) || cover.contains(&b));
                }
            }
            let cut = &dissection.cut;
            let matched: Vec<_> = cut.left_match.iter().filter(|&&m| m != NONE).collect();
            let mut ends = matched.clone();
            ends.sort_unstable();
            ends.dedup();
            prop_assert!(ends.len() == matched.len() && cover.len() == matched.len());
        }
    }

    /// A chain of nodes is cut in the middle, again and again.
    #[test]
    fn the_middle_of_a_line_comes_last() {
        let graph = Graph::new(200, (1..200).map(|i| (i - 1, i)));
        let places: Vec<DVec3> = (0..200).map(|i| DVec3::X * f64::from(i)).collect();
        let last = *order(&graph, &places).last().unwrap();
        assert!((95..=105).contains(&last), "{last}");
    }
}
