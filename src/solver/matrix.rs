//! Symmetric matrices made of small dense blocks on a graph, and their sparse
//! Cholesky factors. The graph's nodes are ordered by minimum degree, the
//! factorisation itself is faer's.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::perm::PermRef;
use faer::sparse::linalg::amd;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::linalg::{SupernodalThreshold, SymbolicSupernodalParams};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

use crate::math::DMat3;

/// Small supernodes are merged generously: contact graphs give narrow ones,
/// and dense kernels like wide ones (measured: -12 % of the factor time).
const RELAX: [(usize, f64); 4] = [(12, 1.0), (32, 0.8), (64, 0.25), (usize::MAX, 0.08)];

/// A symmetric block matrix: the upper triangle by columns, each block column
/// holding the blocks of its smaller neighbours and then its own.
#[derive(Clone, Debug)]
pub struct BlockMatrix {
    width: usize,
    /// Per node, its neighbours with a smaller number, ascending.
    neighbours: Vec<Vec<u32>>,
    column_start: Vec<u32>,
    row_of: Vec<u32>,
    values: Vec<f64>,
}

impl BlockMatrix {
    /// A zero matrix with a block for every node and every edge.
    pub fn new(width: usize, nodes: usize, edges: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut neighbours = vec![Vec::new(); nodes];
        for (a, b) in edges {
            neighbours[a.max(b) as usize].push(a.min(b));
        }
        let (mut column_start, mut row_of) = (vec![0], Vec::new());
        for (node, smaller) in neighbours.iter_mut().enumerate() {
            smaller.sort_unstable();
            smaller.dedup();
            for column in 0..width {
                for &other in smaller.iter() {
                    row_of.extend((0..width).map(|k| other * width as u32 + k as u32));
                }
                row_of.extend((0..=column).map(|k| (node * width + k) as u32));
                column_start.push(row_of.len() as u32);
            }
        }
        let values = vec![0.0; row_of.len()];
        BlockMatrix { width, neighbours, column_start, row_of, values }
    }

    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Adds `block` to a node's own block.
    pub fn add_node(&mut self, node: u32, block: &DMat3) {
        let node = node as usize;
        for column in 0..self.width {
            let start = self.column_start[node * self.width + column] as usize
                + self.neighbours[node].len() * self.width;
            for row in 0..=column {
                self.values[start + row] += block.col(column)[row];
            }
        }
    }

    /// Adds the symmetric `block` to both nodes' own blocks and subtracts it between them.
    pub fn add_edge(&mut self, a: u32, b: u32, block: &DMat3) {
        self.add_node(a, block);
        self.add_node(b, block);
        self.subtract_between(a, b, block);
    }

    /// The same in unknowns that count by these factors.
    pub fn add_scaled_edge(&mut self, [a, b]: [u32; 2], [x, y]: [f64; 2], block: &DMat3) {
        self.add_node(a, &(*block * (x * x)));
        self.add_node(b, &(*block * (y * y)));
        self.subtract_between(a, b, &(*block * (x * y)));
    }

    fn subtract_between(&mut self, a: u32, b: u32, block: &DMat3) {
        let (small, large) = (a.min(b), a.max(b) as usize);
        let at = self.neighbours[large].binary_search(&small).expect("an edge of the pattern");
        for column in 0..self.width {
            let start = self.column_start[large * self.width + column] as usize + at * self.width;
            for row in 0..self.width {
                self.values[start + row] -= block.col(column)[row];
            }
        }
    }

    /// Multiplies the diagonal by `1 + part`.
    pub fn enlarge_diagonal(&mut self, part: f64) {
        for column in 0..self.size() {
            let last = self.column_start[column + 1] as usize - 1;
            self.values[last] *= 1.0 + part;
        }
    }

    fn size(&self) -> usize {
        self.neighbours.len() * self.width
    }

    fn pattern(&self) -> SymbolicSparseColMatRef<'_, u32> {
        let n = self.size();
        SymbolicSparseColMatRef::new_checked(n, n, &self.column_start, None, &self.row_of)
    }

    /// Minimum-degree order of the nodes, spread out over their unknowns.
    pub(super) fn order(&self) -> Vec<u32> {
        let nodes = self.neighbours.len();
        let (mut start, mut rows) = (vec![0_u32], Vec::new());
        for smaller in &self.neighbours {
            rows.extend_from_slice(smaller);
            start.push(rows.len() as u32);
        }
        let graph = SymbolicSparseColMatRef::new_checked(nodes, nodes, &start, None, &rows);
        let (mut order, mut inverse) = (vec![0_u32; nodes], vec![0_u32; nodes]);
        let mut memory = MemBuffer::new(amd::order_scratch::<u32>(nodes, rows.len()));
        let stack = MemStack::new(&mut memory);
        amd::order(&mut order, &mut inverse, graph, amd::Control::default(), stack)
            .expect("a graph that fits in memory has an order");
        let width = self.width as u32;
        order.iter().flat_map(|&node| (0..width).map(move |k| node * width + k)).collect()
    }
}

/// The Cholesky factor of a [`BlockMatrix`]: analysed once per pattern,
/// factorised again for every set of values.
pub struct Factor {
    symbolic: SymbolicCholesky<u32>,
    values: Vec<f64>,
    memory: MemBuffer,
}

impl Factor {
    /// Orders and analyses the pattern; no numbers yet.
    pub fn new(matrix: &BlockMatrix) -> Self {
        let order = matrix.order();
        let mut inverse = vec![0; order.len()];
        for (position, &unknown) in order.iter().enumerate() {
            inverse[unknown as usize] = position as u32;
        }
        let parameters = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::AUTO,
            supernodal_params: SymbolicSupernodalParams { relax: Some(&RELAX) },
            ..Default::default()
        };
        let symbolic = factorize_symbolic_cholesky(
            matrix.pattern(),
            Side::Upper,
            SymmetricOrdering::Custom(PermRef::new_checked(&order, &inverse, order.len())),
            parameters,
        )
        .expect("a pattern that fits in memory can be analysed");
        let scratch = StackReq::any_of(&[
            symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default()),
            symbolic.solve_in_place_scratch::<f64>(1, Par::Seq),
        ]);
        Factor { values: vec![0.0; symbolic.len_val()], memory: MemBuffer::new(scratch), symbolic }
    }

    /// Factorises; `false` if the matrix is not positive definite to working accuracy.
    #[must_use]
    pub fn factorise(&mut self, matrix: &BlockMatrix) -> bool {
        let input = SparseColMatRef::new(matrix.pattern(), &matrix.values[..]);
        let factored = self.symbolic.factorize_numeric_llt(
            &mut self.values,
            input,
            Side::Upper,
            LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut self.memory),
            Default::default(),
        );
        factored.is_ok() && self.values.iter().all(|v| v.is_finite())
    }

    /// Replaces `x` by the solution of `matrix * solution = x`.
    pub fn solve(&mut self, x: &mut [f64]) {
        let n = x.len();
        LltRef::<'_, u32, f64>::new(&self.symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, n, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::vector;
    use super::*;
    use crate::math::{DVec3, Random};
    use proptest::prelude::*;

    /// `v v^T + w w^T`: symmetric, never negative.
    fn push(random: &mut Random) -> DMat3 {
        let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
        outer(vector(random, 3)) + outer(vector(random, 3))
    }

    proptest! {
        #[test]
        fn solving_recovers_what_was_multiplied(
            width in 2..=3_usize, nodes in 1..30_usize, seed: u64,
        ) {
            let random = &mut Random::new(seed);
            let mut node = || (random.next_u64() % nodes as u64) as u32;
            let edges: Vec<(u32, u32)> = (0..2 * nodes).map(|_| (node(), node())).collect();
            let edges: Vec<_> = edges.into_iter().filter(|(a, b)| a != b).collect();
            let mut matrix = BlockMatrix::new(width, nodes, edges.iter().copied());
            let x: Vec<f64> = (0..nodes * width).map(|_| random.between(-1.0, 1.0)).collect();
            let at = |i: u32| {
                let part = &x[i as usize * width..][..width];
                DVec3::new(part[0], part[1], *part.get(2).unwrap_or(&0.0))
            };
            // A x, summed up beside the matrix, block by block.
            let mut product = vec![0.0; nodes * width];
            let mut add = |i: u32, v: DVec3| {
                (0..width).for_each(|k| product[i as usize * width + k] += v[k]);
            };
            for i in 0..nodes as u32 {
                let block = push(random) + DMat3::IDENTITY;
                matrix.add_node(i, &block);
                add(i, block * at(i));
            }
            for &(a, b) in &edges {
                let block = push(random);
                matrix.add_edge(a, b, &block);
                add(a, block * (at(a) - at(b)));
                add(b, block * (at(b) - at(a)));
            }
            let mut factor = Factor::new(&matrix);
            prop_assert!(factor.factorise(&matrix));
            factor.solve(&mut product);
            prop_assert!(product.iter().zip(&x).all(|(found, x)| (found - x).abs() < 1e-11));
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        let mut matrix = BlockMatrix::new(3, 2, [(1, 0)].into_iter());
        matrix.add_node(0, &DMat3::IDENTITY);
        matrix.add_node(1, &-DMat3::IDENTITY);
        let mut factor = Factor::new(&matrix);
        assert!(!factor.factorise(&matrix));
        matrix.clear();
        matrix.add_edge(0, 1, &DMat3::IDENTITY);
        matrix.add_node(1, &DMat3::from_diagonal(DVec3::splat(f64::NAN)));
        assert!(!factor.factorise(&matrix));
    }

    #[test]
    fn a_factor_is_used_again_for_other_values() {
        let mut matrix = BlockMatrix::new(2, 1, [].into_iter());
        let mut factor = Factor::new(&matrix);
        for scale in [1.0, 4.0] {
            matrix.clear();
            matrix.add_node(0, &(DMat3::IDENTITY * scale));
            assert!(factor.factorise(&matrix));
            let mut x = [8.0, -4.0];
            factor.solve(&mut x);
            assert_eq!(x, [8.0 / scale, -4.0 / scale]);
        }
    }
}
