//! The columns of a sparse matrix as dense blocks: those beside each other that have rows in common, such as
//! the pushes at all points where two bodies touch. Products with vectors and with the matrix itself
//! then need no index for an entry, and the sums are short ones of numbers that lie side by side.

use std::ops::Range;

use super::Column;
use super::scaling::Scaling;

/// Zeros are stored with a block as long as there are at most this many numbers for an entry.
const WASTE: f64 = 1.5;

/// Columns beside each other.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The rows in which one of them has an entry, ascending.
    pub rows: Vec<u32>,
    columns: Range<usize>,
    /// The round cones that they belong to.
    cones: Range<usize>,
    /// Row by row.
    entries: Vec<f64>,
}

impl Block {
    fn row(&self, row: usize) -> &[f64] {
        let count = self.columns.len();
        &self.entries[row * count..(row + 1) * count]
    }

    /// The products of its rows with each other, with a scaling between them: those of the first
    /// row with itself and all after it, then those of the second.
    pub fn products(&self, scaling: &Scaling, scaled: &mut Vec<f64>, mut put: impl FnMut(f64)) {
        for a in 0..self.rows.len() {
            scaled.clear();
            scaled.extend_from_slice(self.row(a));
            scaling.apply(scaled, self.columns.start, self.cones.clone());
            (a..self.rows.len()).for_each(|b| put(dot(scaled, self.row(b))));
        }
    }
}

/// All columns of a matrix.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    pub blocks: Vec<Block>,
    count: usize,
}

impl Blocks {
    /// Three columns beside each other are those of a cone: the first of each is named.
    pub fn new(columns: &[Column], cones: &[usize]) -> Blocks {
        let mut blocks = Blocks { blocks: Vec::new(), count: columns.len() };
        let (mut rows, mut entries, mut from, mut cone) = (Vec::new(), 0, [0; 2], 0);
        let mut k = 0;
        while k < columns.len() {
            let is_cone = cones.get(cone) == Some(&k);
            let next = k + if is_cone { 3 } else { 1 };
            let own: usize = columns[k..next].iter().map(Vec::len).sum();
            let mut all = rows_of(&columns[k..next]);
            let mut both = [&rows[..], &all[..]].concat();
            both.sort_unstable();
            both.dedup();
            let is_full = (both.len() * (next - from[0])) as f64 > WASTE * (entries + own) as f64;
            if is_full && k > from[0] {
                blocks.add_block(columns, rows, from[0]..k, from[1]..cone);
                (from, entries) = ([k, cone], 0);
            } else {
                all = both;
            }
            (rows, entries, k) = (all, entries + own, next);
            cone += usize::from(is_cone);
        }
        blocks.add_block(columns, rows, from[0]..columns.len(), from[1]..cone);
        blocks
    }

    fn add_block(
        &mut self,
        all: &[Column],
        rows: Vec<u32>,
        columns: Range<usize>,
        cones: Range<usize>,
    ) {
        let mut entries = vec![0.0; rows.len() * columns.len()];
        for (k, column) in all[columns.clone()].iter().enumerate() {
            for (row, x) in column {
                let at = rows.binary_search(row).expect("its columns have no other rows");
                entries[at * columns.len() + k] += x;
            }
        }
        self.blocks.push(Block { rows, columns, cones, entries });
    }

    /// Adds the sum of the columns, each so often.
    pub fn add(&self, shares: &[f64], to: &mut [f64]) {
        for block in &self.blocks {
            let shares = &shares[block.columns.clone()];
            for (k, row) in block.rows.iter().enumerate() {
                to[*row as usize] += dot(block.row(k), shares);
            }
        }
    }

    /// What each column costs if its rows have prices.
    pub fn prices(&self, prices: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.count];
        for block in &self.blocks {
            let paid = &mut all[block.columns.clone()];
            for (k, row) in block.rows.iter().enumerate() {
                let price = prices[*row as usize];
                paid.iter_mut().zip(block.row(k)).for_each(|(paid, x)| *paid += price * x);
            }
        }
        all
    }
}

fn rows_of(columns: &[Column]) -> Vec<u32> {
    let mut rows: Vec<u32> = columns.iter().flatten().map(|(row, _)| *row).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// In four sums, so that four products are made at a time.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (mut sums, fours) = ([0.0; 4], a.len() / 4 * 4);
    for (a, b) in a[..fours].chunks_exact(4).zip(b[..fours].chunks_exact(4)) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    let rest: f64 = a[fours..].iter().zip(&b[fours..]).map(|(a, b)| a * b).sum();
    sums[0] + sums[1] + (sums[2] + sums[3]) + rest
}
