//! Symmetric matrices made of small dense blocks on a graph.

use glam::DMat3;

/// A symmetric block matrix: per node the blocks it shares with its neighbours of smaller
/// numbers, and then its own, each column by column.
#[derive(Clone, Debug)]
pub struct BlockMatrix {
    width: usize,
    /// Where the blocks of each node start, and at the end, how many there are.
    start: Vec<u32>,
    /// Per block, the node on the other side.
    other: Vec<u32>,
    values: Vec<f64>,
}

impl BlockMatrix {
    /// A zero matrix with a block of `width` unknowns for every node and every edge.
    pub fn new(width: usize, nodes: usize, edges: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut pairs: Vec<(u32, u32)> = edges.map(|(a, b)| (a.max(b), a.min(b))).collect();
        pairs.extend((0..nodes as u32).map(|node| (node, node)));
        pairs.sort_unstable();
        pairs.dedup();
        let mut start = vec![0; nodes + 1];
        pairs.iter().for_each(|(node, _)| start[*node as usize + 1] += 1);
        for node in 0..nodes {
            start[node + 1] += start[node];
        }
        let values = vec![0.0; pairs.len() * width * width];
        BlockMatrix { width, start, other: pairs.into_iter().map(|pair| pair.1).collect(), values }
    }

    /// Unknowns of a block.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Blocks on the diagonal.
    pub(crate) fn nodes(&self) -> usize {
        self.start.len() - 1
    }

    /// Of every block that is kept, its row and its column; those on the diagonal are among them.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        (0..self.nodes()).flat_map(|node| {
            let own = self.start[node] as usize..self.start[node + 1] as usize;
            self.other[own].iter().map(move |&other| (node as u32, other))
        })
    }

    /// Of every block below the diagonal, its row and its column.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        self.blocks().filter(|(a, b)| a != b)
    }

    /// The numbers of a block, column by column.
    pub(crate) fn block(&self, number: usize) -> &[f64] {
        let size = self.width * self.width;
        &self.values[number * size..][..size]
    }

    /// Makes all its numbers 0.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Adds `block` to a node's own block.
    #[inline]
    pub fn add_node(&mut self, node: u32, block: &DMat3) {
        self.add(self.start[node as usize + 1] as usize - 1, 1.0, block);
    }

    /// Adds the symmetric `block` to both nodes' own blocks and subtracts it between them.
    #[inline]
    pub fn add_edge(&mut self, a: u32, b: u32, block: &DMat3) {
        self.add_node(a, block);
        self.add_node(b, block);
        self.subtract_between(a, b, block);
    }

    /// The same in unknowns that count by these factors.
    #[inline]
    pub fn add_scaled_edge(&mut self, [a, b]: [u32; 2], [x, y]: [f64; 2], block: &DMat3) {
        self.add_node(a, &(*block * (x * x)));
        self.add_node(b, &(*block * (y * y)));
        self.subtract_between(a, b, &(*block * (x * y)));
    }

    fn subtract_between(&mut self, a: u32, b: u32, block: &DMat3) {
        let (small, large) = (a.min(b), a.max(b) as usize);
        let first = self.start[large] as usize;
        let own = &self.other[first..self.start[large + 1] as usize];
        let at = own.binary_search(&small).expect("an edge of the pattern");
        self.add(first + at, -1.0, block);
    }

    fn add(&mut self, number: usize, sign: f64, block: &DMat3) {
        let size = self.width * self.width;
        let values = &mut self.values[number * size..][..size];
        for (j, column) in values.chunks_exact_mut(self.width).enumerate() {
            let from = block.col(j).to_array();
            column.iter_mut().zip(from).for_each(|(value, x)| *value += sign * x);
        }
    }

    /// Multiplies the diagonal by `1 + part`.
    pub fn enlarge_diagonal(&mut self, part: f64) {
        let size = self.width * self.width;
        for node in 0..self.nodes() {
            let first = (self.start[node + 1] as usize - 1) * size;
            for k in 0..self.width {
                self.values[first + k * (self.width + 1)] *= 1.0 + part;
            }
        }
    }
}

#[cfg(test)]
impl BlockMatrix {
    /// Adds to the number of unknown `i` of node `a` and unknown `j` of node `b`; of the two that
    /// are equal by symmetry only one is to be added to.
    pub fn add_number(&mut self, (a, i): (u32, usize), (b, j): (u32, usize), value: f64) {
        let ((large, i), (small, j)) =
            if (a, i) < (b, j) { ((b, j), (a, i)) } else { ((a, i), (b, j)) };
        let first = self.start[large as usize] as usize;
        let own = &self.other[first..self.start[large as usize + 1] as usize];
        let at = first + own.binary_search(&small).expect("an edge of the pattern");
        self.values[(at * self.width + j) * self.width + i] += value;
        if large == small && i != j {
            self.values[(at * self.width + i) * self.width + j] += value;
        }
    }
}
