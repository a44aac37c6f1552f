//! Sparse symmetric factorisation L D L^T of a matrix of 3 x 3 tiles, whose
//! pattern is known once and whose numbers change every step. Tiles are kept in
//! the order in which they are used; for the tree-like systems of joints the
//! factorisation is linear in the number of unknowns [Baraff 1996].

use std::collections::BTreeSet;

use crate::math::{DMat3, DVec3};

/// A matrix, or its factors.
#[derive(Clone, Debug, Default)]
pub struct Ldl {
    /// Tiles of the diagonal; inverse pivots once it is factored.
    diagonal: Vec<DMat3>,
    /// The diagonal before it was factored.
    own: Vec<DVec3>,
    /// Tiles below the diagonal, column after column, rows ascending in each.
    below: Vec<DMat3>,
    rows: Vec<u32>,
    /// Where each column starts in `below`.
    start: Vec<usize>,
    /// Of every two tiles of a column, in order: which tile their product changes.
    targets: Vec<u32>,
}

impl Ldl {
    /// `pairs` are rows and columns of tiles below the diagonal.
    pub fn new(count: usize, pairs: &[(usize, usize)]) -> Ldl {
        let mut columns: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
        for &(row, column) in pairs {
            columns[column].insert(row);
        }
        // A column's first row takes over all rows below.
        for k in 0..count {
            if let Some(&first) = columns[k].first() {
                let others: Vec<usize> = columns[k].iter().copied().skip(1).collect();
                columns[first].extend(others);
            }
        }
        let mut start = vec![0];
        let mut rows: Vec<u32> = Vec::new();
        for column in &columns {
            rows.extend(column.iter().map(|&row| row as u32));
            start.push(rows.len());
        }
        let mut ldl = Ldl {
            diagonal: vec![DMat3::ZERO; count],
            own: vec![DVec3::ZERO; count],
            below: vec![DMat3::ZERO; rows.len()],
            rows,
            start,
            targets: Vec::new(),
        };
        for column in &columns {
            for (p, &row) in column.iter().enumerate() {
                for &other in column.iter().take(p) {
                    ldl.targets.push(ldl.slot(row, other) as u32);
                }
            }
        }
        ldl
    }

    /// Where the tile of this row and column, below the diagonal, is kept.
    pub fn slot(&self, row: usize, column: usize) -> usize {
        let (from, to) = (self.start[column], self.start[column + 1]);
        from + self.rows[from..to].partition_point(|&known| (known as usize) < row)
    }

    /// Starts a new matrix: all zero.
    pub fn clear(&mut self) {
        self.below.fill(DMat3::ZERO);
    }

    pub fn set_diagonal(&mut self, k: usize, tile: DMat3) {
        self.diagonal[k] = tile;
    }

    /// Adds to a tile below the diagonal.
    pub fn add(&mut self, slot: usize, tile: DMat3) {
        self.below[slot] += tile;
    }

    /// Factors the matrix. Pivots are kept above `floor` times the diagonal, so that rows which
    /// repeat others do no harm.
    pub fn factor(&mut self, floor: f64) {
        for (own, tile) in self.own.iter_mut().zip(&self.diagonal) {
            *own = DVec3::new(tile.x_axis.x, tile.y_axis.y, tile.z_axis.z);
        }
        let mut target = 0;
        for k in 0..self.diagonal.len() {
            let inverse = inverse(&self.diagonal[k], self.own[k] * floor);
            self.diagonal[k] = inverse;
            let (from, to) = (self.start[k], self.start[k + 1]);
            for p in from..to {
                let tile = self.below[p];
                for q in from..p {
                    let change = tile * self.below[q].transpose();
                    self.below[self.targets[target] as usize] -= change;
                    target += 1;
                }
                let scaled = tile * inverse;
                self.diagonal[self.rows[p] as usize] -= tile * scaled.transpose();
                self.below[p] = scaled;
            }
        }
    }

    /// Solves in place.
    pub fn solve(&self, x: &mut [DVec3]) {
        for k in 0..self.diagonal.len() {
            let known = x[k];
            for p in self.start[k]..self.start[k + 1] {
                x[self.rows[p] as usize] -= self.below[p] * known;
            }
        }
        for k in (0..self.diagonal.len()).rev() {
            let mut value = self.diagonal[k] * x[k];
            for p in self.start[k]..self.start[k + 1] {
                value -= across(&self.below[p], x[self.rows[p] as usize]);
            }
            x[k] = value;
        }
    }
}

/// The transpose times a vector.
#[inline]
pub fn across(tile: &DMat3, x: DVec3) -> DVec3 {
    DVec3::new(tile.x_axis.dot(x), tile.y_axis.dot(x), tile.z_axis.dot(x))
}

/// The inverse of a positive definite tile, its pivots not below `floor`.
fn inverse(tile: &DMat3, floor: DVec3) -> DMat3 {
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = tile;
    let pivot = |value: f64, floor: f64| value.max(floor).max(f64::MIN_POSITIVE).recip();
    let p = pivot(x.x, floor.x);
    let (a, b) = (x.y * p, x.z * p);
    let q = pivot(y.y - a * x.y, floor.y);
    let left = y.z - b * x.y;
    let c = left * q;
    let r = pivot(z.z - b * x.z - c * left, floor.z);
    // The inverse of the unit lower factor has -a, d and -c below its diagonal.
    let d = a * c - b;
    let (xy, xz, yz) = (-a * q - c * d * r, d * r, -c * r);
    let (xx, yy) = (p + a * a * q + d * d * r, q + c * c * r);
    DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, r))
}

/// In which order to eliminate: fewest neighbours first; ties go to the first.
pub fn elimination_order(count: usize, pairs: &[(usize, usize)]) -> Vec<usize> {
    let mut neighbours: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    for &(i, j) in pairs.iter().filter(|(i, j)| i != j) {
        neighbours[i].insert(j);
        neighbours[j].insert(i);
    }
    let mut waiting: BTreeSet<(usize, usize)> =
        neighbours.iter().enumerate().map(|(node, near)| (near.len(), node)).collect();
    let mut order = Vec::with_capacity(count);
    while let Some((_, node)) = waiting.pop_first() {
        order.push(node);
        let near = std::mem::take(&mut neighbours[node]);
        for &one in &near {
            waiting.remove(&(neighbours[one].len(), one));
            neighbours[one].remove(&node);
            neighbours[one].extend(near.iter().filter(|&&other| other != one));
            waiting.insert((neighbours[one].len(), one));
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use proptest::prelude::*;

    proptest! {
        /// A random sparse positive definite matrix: the solution fulfils the equations.
        #[test]
        fn solutions_fulfil_the_equations(n in 1..12_usize, seed: u64) {
            let mut random = Random::new(seed);
            let lower = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
            let pairs: Vec<(usize, usize)> = lower.filter(|_| random.unit() < 0.3).collect();
            let mut vector = || DVec3::new(random.unit(), random.unit(), random.unit()) - 0.5;
            let right: Vec<DVec3> = (0..n).map(|_| vector()).collect();
            let tiles: Vec<DMat3> =
                pairs.iter().map(|_| DMat3::from_cols(vector(), vector(), vector())).collect();
            let half = DMat3::from_cols(vector(), vector(), vector());
            let diagonal = half * half.transpose() + DMat3::from_diagonal(DVec3::splat(2.0 * n as f64));
            let mut ldl = Ldl::new(n, &pairs);
            let mut x = right.clone();
            for _ in 0..2 {
                ldl.clear();
                (0..n).for_each(|k| ldl.set_diagonal(k, diagonal));
                for (&(row, column), tile) in pairs.iter().zip(&tiles) {
                    ldl.add(ldl.slot(row, column), *tile);
                }
                ldl.factor(1e-12);
                x.clone_from(&right);
                ldl.solve(&mut x);
            }
            let mut left: Vec<DVec3> = x.iter().map(|x| diagonal * *x).collect();
            for (&(row, column), tile) in pairs.iter().zip(&tiles) {
                left[row] += *tile * x[column];
                left[column] += across(tile, x[row]);
            }
            for (left, right) in left.iter().zip(&right) {
                prop_assert!((*left - *right).length() < 1e-10, "{left} {right}");
            }
        }
    }

    #[test]
    fn a_chain_and_a_tree_have_no_fill() {
        let chain: Vec<_> = (1..100).map(|i| (i, i - 1)).collect();
        assert_eq!(Ldl::new(100, &chain).below.len(), 99);
        let tree: Vec<_> = (1..127).map(|i| (i, (i - 1) / 2)).collect();
        let order = elimination_order(127, &tree);
        let rank = |i: usize| order.iter().position(|&node| node == i).unwrap();
        let ranked = tree.iter().map(|&(i, j)| (rank(i).max(rank(j)), rank(i).min(rank(j))));
        assert_eq!(Ldl::new(127, &ranked.collect::<Vec<_>>()).below.len(), 126);
    }

    #[test]
    fn a_row_twice_does_no_harm() {
        let mut ldl = Ldl::new(1, &[]);
        ldl.set_diagonal(
            0,
            DMat3::from_cols(DVec3::new(2.0, 2.0, 0.0), DVec3::new(2.0, 2.0, 0.0), DVec3::Z),
        );
        ldl.factor(1e-9);
        let mut x = [DVec3::new(2.0, 2.0, 3.0)];
        ldl.solve(&mut x);
        assert!((x[0].x + x[0].y - 1.0).abs() < 1e-6 && (x[0].z - 3.0).abs() < 1e-12, "{x:?}");
    }
}
