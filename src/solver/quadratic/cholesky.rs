//! The Cholesky factor of a symmetric matrix of small square blocks, in place and left-looking:
//! the pattern is ordered and analysed once, then factorised for one set of values after the
//! other. Contact graphs of boxes are so sparse, and their blocks so small, that general
//! sparse libraries spend most of their time on bookkeeping.

use crate::solver::matrix::BlockMatrix;

type Block<const W: usize> = [[f64; W]; W];

/// A block column of the factor, block by block, each block by rows.
struct Panel {
    /// Where its blocks start.
    first: usize,
    /// The blocks of its rows, by their place in the order; its own comes first.
    rows: Vec<u32>,
}

/// Pattern, matrix and factor in one.
pub(in crate::solver) struct Cholesky {
    width: usize,
    /// The place of each block in the order of elimination.
    place: Vec<u32>,
    panels: Vec<Panel>,
    /// Per panel, those that change it and which of their blocks is its own.
    updates: Vec<Vec<(u32, u32)>>,
    /// First the lower triangle of the matrix; then of its factor, with the inverses of the
    /// blocks on the diagonal.
    pub values: Vec<f64>,
    permuted: Vec<f64>,
}

impl Cholesky {
    /// Orders and analyses the pattern: a block per node and per edge.
    pub fn new(
        width: usize,
        nodes: usize,
        edges: impl Iterator<Item = (u32, u32)> + Clone,
    ) -> Self {
        let order = BlockMatrix::new(1, nodes, edges.clone()).order();
        let mut place = vec![0_u32; nodes];
        for (at, &node) in order.iter().enumerate() {
            place[node as usize] = at as u32;
        }
        let mut rows: Vec<Vec<u32>> = (0..nodes as u32).map(|node| vec![node]).collect();
        for (a, b) in edges {
            let (a, b) = (place[a as usize], place[b as usize]);
            rows[a.min(b) as usize].push(a.max(b));
        }
        // What a column holds below its first row, that row's column holds too.
        let mut updates = vec![Vec::new(); nodes];
        for column in 0..nodes {
            rows[column].sort_unstable();
            rows[column].dedup();
            for at in 1..rows[column].len() {
                updates[rows[column][at] as usize].push((column as u32, at as u32));
            }
            if let [_, parent, rest @ ..] = &rows[column][..] {
                let (parent, rest) = (*parent as usize, rest.to_vec());
                rows[parent].extend(rest);
            }
        }
        let (mut panels, mut first) = (Vec::with_capacity(nodes), 0);
        for rows in rows {
            let count = rows.len();
            panels.push(Panel { first, rows });
            first += count;
        }
        Cholesky {
            width,
            place,
            panels,
            updates,
            values: vec![0.0; width * width * first],
            permuted: vec![0.0; width * nodes],
        }
    }

    /// Where entry (`i` of block `a`, `j` of block `b`) is kept; of the two that are equal by
    /// symmetry, only one is.
    pub fn position(&self, (a, i): (u32, usize), (b, j): (u32, usize)) -> Option<usize> {
        let one = (self.place[a as usize], i);
        let two = (self.place[b as usize], j);
        let ((row, i), (column, j)) = (one.max(two), one.min(two));
        let panel = &self.panels[column as usize];
        let at = panel.rows.binary_search(&row).ok()?;
        Some(((panel.first + at) * self.width + i) * self.width + j)
    }

    /// Replaces the matrix in `values` by its factor; `false` if it is not positive definite to
    /// working accuracy.
    #[must_use]
    pub fn factorise(&mut self) -> bool {
        match self.width {
            1 => self.factorise_blocks::<1>(),
            2 => self.factorise_blocks::<2>(),
            3 => self.factorise_blocks::<3>(),
            4 => self.factorise_blocks::<4>(),
            5 => self.factorise_blocks::<5>(),
            _ => self.factorise_blocks::<6>(),
        }
    }

    /// Replaces `x` by the solution of `matrix * solution = x`.
    pub fn solve(&mut self, x: &mut [f64]) {
        match self.width {
            1 => self.solve_blocks::<1>(x),
            2 => self.solve_blocks::<2>(x),
            3 => self.solve_blocks::<3>(x),
            4 => self.solve_blocks::<4>(x),
            5 => self.solve_blocks::<5>(x),
            _ => self.solve_blocks::<6>(x),
        }
    }

    fn factorise_blocks<const W: usize>(&mut self) -> bool {
        let (blocks, _) = self.values.as_chunks_mut::<W>().0.as_chunks_mut::<W>();
        for (column, updates) in self.updates.iter().enumerate() {
            let target = &self.panels[column];
            let (known, open) = blocks.split_at_mut(target.first);
            let open = &mut open[..target.rows.len()];
            for &(from, at) in updates {
                let source = &self.panels[from as usize];
                let known = &known[source.first..][at as usize..source.rows.len()];
                update(&target.rows, open, &source.rows[at as usize..], known);
            }
            if !eliminate(open) {
                return false;
            }
        }
        true
    }

    fn solve_blocks<const W: usize>(&mut self, x: &mut [f64]) {
        let (blocks, _) = self.values.as_chunks::<W>().0.as_chunks::<W>();
        let (x, _) = x.as_chunks_mut::<W>();
        let (y, _) = self.permuted.as_chunks_mut::<W>();
        for (at, place) in self.place.iter().enumerate() {
            y[*place as usize] = x[at];
        }
        for (own, panel) in self.panels.iter().enumerate() {
            let column = &blocks[panel.first..][..panel.rows.len()];
            let known = times(&column[0], &y[own]);
            y[own] = known;
            for (at, block) in column.iter().enumerate().skip(1) {
                let part = times(block, &known);
                let open = &mut y[panel.rows[at] as usize];
                (0..W).for_each(|k| open[k] -= part[k]);
            }
        }
        for (own, panel) in self.panels.iter().enumerate().rev() {
            let column = &blocks[panel.first..][..panel.rows.len()];
            let mut open = y[own];
            for (at, block) in column.iter().enumerate().skip(1) {
                let part = times_transposed(block, &y[panel.rows[at] as usize]);
                (0..W).for_each(|k| open[k] -= part[k]);
            }
            y[own] = times_transposed(&column[0], &open);
        }
        for (at, place) in self.place.iter().enumerate() {
            x[at] = y[*place as usize];
        }
    }
}

/// Subtracts from a column what an earlier one contributes to it: its blocks from the column's
/// own row on, times the transpose of the first of them.
fn update<const W: usize>(
    rows: &[u32],
    open: &mut [Block<W>],
    other_rows: &[u32],
    other: &[Block<W>],
) {
    let across = transposed(&other[0]);
    let mut place = 0;
    for (at, block) in other.iter().enumerate() {
        while rows[place] != other_rows[at] {
            place += 1;
        }
        let open = &mut open[place];
        for i in 0..W {
            for j in 0..W {
                for k in 0..W {
                    open[i][k] -= block[i][j] * across[j][k];
                }
            }
        }
    }
}

/// Replaces the block on the diagonal by the inverse of its factor, and multiplies the others
/// with it.
fn eliminate<const W: usize>(column: &mut [Block<W>]) -> bool {
    let diagonal = &mut column[0];
    let mut lower = [[0.0; W]; W];
    // The transpose of the inverse of `lower`.
    let mut inverse = [[0.0; W]; W];
    for i in 0..W {
        let mut pivot = diagonal[i][i];
        for j in 0..i {
            let mut open = diagonal[i][j];
            (0..j).for_each(|k| open -= lower[i][k] * lower[j][k]);
            lower[i][j] = open * inverse[j][j];
            pivot -= lower[i][j] * lower[i][j];
        }
        if !(pivot > 0.0 && pivot < f64::INFINITY) {
            return false;
        }
        inverse[i][i] = 1.0 / pivot.sqrt();
        for j in 0..i {
            let mut known = 0.0;
            (j..i).for_each(|k| known += lower[i][k] * inverse[j][k]);
            inverse[j][i] = -known * inverse[i][i];
        }
    }
    *diagonal = transposed(&inverse);
    for block in &mut column[1..] {
        for line in block {
            *line = times_transposed(&inverse, line);
        }
    }
    true
}

fn transposed<const W: usize>(block: &Block<W>) -> Block<W> {
    let mut across = [[0.0; W]; W];
    for i in 0..W {
        (0..W).for_each(|j| across[j][i] = block[i][j]);
    }
    across
}

fn times<const W: usize>(block: &Block<W>, x: &[f64; W]) -> [f64; W] {
    let mut y = [0.0; W];
    for i in 0..W {
        (0..W).for_each(|k| y[i] += block[i][k] * x[k]);
    }
    y
}

fn times_transposed<const W: usize>(block: &Block<W>, x: &[f64; W]) -> [f64; W] {
    let mut y = [0.0; W];
    for i in 0..W {
        (0..W).for_each(|k| y[k] += x[i] * block[i][k]);
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use proptest::prelude::*;

    proptest! {
        /// `A = 1 + sum v v^T` over random pairs of blocks, multiplied and solved again.
        #[test]
        fn solving_recovers_what_was_multiplied(
            width in 1..=6_usize, nodes in 1..25_usize, seed: u64,
        ) {
            let random = &mut Random::new(seed);
            let mut node = || (random.next_u64() % nodes as u64) as u32;
            let edges: Vec<(u32, u32)> = (0..2 * nodes).map(|_| (node(), node())).collect();
            let edges: Vec<_> = edges.into_iter().filter(|(a, b)| a != b).collect();
            let mut factor = Cholesky::new(width, nodes, edges.iter().copied());
            let x: Vec<f64> = (0..nodes * width).map(|_| random.between(-1.0, 1.0)).collect();
            let mut product = x.clone();
            for block in 0..nodes as u32 {
                for k in 0..width {
                    let place = factor.position((block, k), (block, k)).unwrap();
                    factor.values[place] += 1.0;
                }
            }
            for (a, b) in edges {
                let unknowns = (0..width).flat_map(|k| [(a, k), (b, k)]);
                let row: Vec<_> = unknowns.map(|u| (u, random.between(-1.0, 1.0))).collect();
                let at = |(block, k): (u32, usize)| block as usize * width + k;
                let dot: f64 = row.iter().map(|(u, v)| v * x[at(*u)]).sum();
                for (i, (u, v)) in row.iter().enumerate() {
                    product[at(*u)] += v * dot;
                    for (w, other) in &row[..=i] {
                        let place = factor.position(*u, *w).unwrap();
                        factor.values[place] += v * other;
                    }
                }
            }
            prop_assert!(factor.factorise());
            factor.solve(&mut product);
            prop_assert!(product.iter().zip(&x).all(|(found, x)| (found - x).abs() < 1e-10));
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        let mut factor = Cholesky::new(1, 2, [(0, 1)].into_iter());
        for value in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
            factor.values.fill(value);
            assert!(!factor.factorise(), "{value}");
        }
        assert_eq!(factor.position((0, 0), (1, 0)), factor.position((1, 0), (0, 0)));
    }
}
