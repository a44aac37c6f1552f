//! The Cholesky factor of a symmetric matrix of small blocks, by the multifrontal method [Duff
//! and Reid 1983]: nested dissection finds the order, the tree of fronts follows from it, and
//! each front is a dense matrix. Fronts that have nothing to do with each other are eliminated
//! on different threads; what children leave behind is added in a fixed order, so the bits do
//! not depend on the threads, nor on the machine.

#![deny(missing_docs)]

mod dense;
mod dissection;
mod matrix;
mod tree;

pub use dissection::{Graph, order};
pub use matrix::BlockMatrix;

use glam::DVec3;
use rayon::prelude::*;

use dense::{Backward, Forward, LANES, Lane, eliminate, triangle};
use tree::{Front, Tree, tree};

/// Below this many operations a part of the tree is not divided among threads.
const SHARED: f64 = 4e6;

/// The factor of a [`BlockMatrix`]: analysed once per pattern, factorised again for every set
/// of values.
pub struct Factor {
    width: usize,
    tree: Tree,
    /// Blocks of the matrix by fronts, and where those of each front end.
    entries: Vec<Entry>,
    ends: Vec<usize>,
    /// The columns of all fronts.
    panels: Vec<Lane>,
    /// Working memory of solutions: all unknowns in their order, those of a front, its border's,
    /// and sums of its columns.
    ordered: Vec<f64>,
    pivots: Vec<Lane>,
    border: Vec<Lane>,
    sums: Vec<Lane>,
}

/// A block of the matrix that belongs to the columns of a front.
#[derive(Clone, Copy, Debug)]
struct Entry {
    block: u32,
    row: u32,
    column: u32,
    /// The block stands for its transpose.
    turned: bool,
}

/// What a front leaves to its parent: the lower triangle of its border.
type Left = Vec<Lane>;

impl Factor {
    /// Orders and analyses the pattern; no numbers yet. `places` says where the blocks are: the
    /// order is good if blocks that are joined are near each other. Without it, the order is by
    /// minimum degree.
    pub fn new(matrix: &BlockMatrix, places: &[DVec3]) -> Self {
        let (width, nodes) = (matrix.width(), matrix.nodes());
        let graph = Graph::new(nodes, matrix.edges());
        let tree = tree(&graph, &order(&graph, places), width);
        let mut front_of = vec![0_u32; nodes];
        for (front, number) in tree.fronts.iter().zip(0..) {
            front_of[front.first..front.first + front.pivots].fill(number);
        }
        let mut all: Vec<(u32, Entry)> = (0..)
            .zip(matrix.blocks())
            .map(|(block, (a, b))| {
                let (a, b) = (tree.place[a as usize], tree.place[b as usize]);
                let number = front_of[a.min(b) as usize];
                let front = &tree.fronts[number as usize];
                let [row, column] = [a.max(b), a.min(b)]
                    .map(|place| front.row_of(place, width).expect("a row of the front") as u32);
                (number, Entry { block, row, column, turned: a < b })
            })
            .collect();
        all.sort_by_key(|(front, _)| *front);
        let mut ends = vec![0; tree.fronts.len()];
        for (at, (front, _)) in all.iter().enumerate() {
            ends[*front as usize] = at + 1;
        }
        let most = |size: fn(&Front) -> usize| tree.fronts.iter().map(size).max().unwrap_or(0);
        Factor {
            width,
            panels: vec![[0.0; LANES]; tree.fronts.iter().map(Front::panel_len).sum()],
            ordered: vec![0.0; nodes * width],
            pivots: vec![[0.0; LANES]; most(|front| front.columns / LANES)],
            border: vec![[0.0; LANES]; most(|front| front.rows / LANES)],
            sums: vec![[0.0; LANES]; most(|front| front.columns)],
            entries: all.into_iter().map(|(_, entry)| entry).collect(),
            ends,
            tree,
        }
    }

    /// Factorises; `false` if the matrix is not positive definite to working accuracy.
    #[must_use]
    pub fn factorise(&mut self, matrix: &BlockMatrix) -> bool {
        let mut panels = std::mem::take(&mut self.panels);
        let done = self.children(&self.tree.roots, 0, &mut panels, matrix).is_some();
        self.panels = panels;
        done
    }

    /// Eliminates all fronts at and below some that stand beside each other, of which `start`
    /// is the first lane of their panels: what they leave, or nothing if a pivot is not positive.
    fn children(
        &self,
        children: &[usize],
        start: usize,
        mut panels: &mut [Lane],
        matrix: &BlockMatrix,
    ) -> Option<Vec<Left>> {
        let fronts = &self.tree.fronts;
        let mut jobs = Vec::with_capacity(children.len());
        let mut at = start;
        for &child in children {
            let end = fronts[child].panel + fronts[child].panel_len();
            let (own, others) = panels.split_at_mut(end - at);
            jobs.push((child, at, own));
            (panels, at) = (others, end);
        }
        let eliminate =
            |(child, start, own): (usize, usize, &mut [Lane])| match fronts[child].work > SHARED {
                true => self.large(child, start, own, matrix),
                false => self.small(child, own, matrix),
            };
        let work: f64 = children.iter().map(|&child| fronts[child].work).sum();
        match work > SHARED {
            true => jobs.into_par_iter().map(eliminate).collect(),
            false => jobs.into_iter().map(eliminate).collect(),
        }
    }

    /// A front whose children are worth tasks of their own.
    fn large(
        &self,
        number: usize,
        start: usize,
        panels: &mut [Lane],
        matrix: &BlockMatrix,
    ) -> Option<Left> {
        let front = &self.tree.fronts[number];
        let (below, own) = panels.split_at_mut(front.panel - start);
        let lefts = self.children(&front.children, start, below, matrix)?;
        self.front(number, own, &lefts, matrix)
    }

    /// A front and all below it, one after the other.
    fn small(&self, last: usize, panels: &mut [Lane], matrix: &BlockMatrix) -> Option<Left> {
        let fronts = &self.tree.fronts;
        let (mut panels, mut lefts) = (panels, Vec::new());
        for (number, front) in fronts.iter().enumerate().take(last + 1).skip(fronts[last].lowest) {
            let (own, others) = panels.split_at_mut(front.panel_len());
            panels = others;
            let below = lefts.split_off(lefts.len() - front.children.len());
            lefts.push(self.front(number, own, &below, matrix)?);
        }
        lefts.pop()
    }

    /// One front, from what its children left.
    fn front(
        &self,
        number: usize,
        panel: &mut [Lane],
        lefts: &[Left],
        matrix: &BlockMatrix,
    ) -> Option<Left> {
        let front = &self.tree.fronts[number];
        let mut left = vec![[0.0; LANES]; front.left_len()];
        panel.fill([0.0; LANES]);
        let first = if number == 0 { 0 } else { self.ends[number - 1] };
        for entry in &self.entries[first..self.ends[number]] {
            self.enter(panel, front.columns, entry, matrix);
        }
        for filler in front.pivots * self.width..front.columns {
            panel[filler / LANES * front.columns + filler][filler % LANES] = 1.0;
        }
        for (&child, from) in front.children.iter().zip(lefts) {
            add(from, &self.tree.fronts[child].into, panel, front.columns, &mut left);
        }
        eliminate(panel, front.columns, &mut left).then_some(left)
    }

    fn enter(&self, panel: &mut [Lane], columns: usize, entry: &Entry, matrix: &BlockMatrix) {
        let block = matrix.block(entry.block as usize);
        for (i, j) in (0..self.width).flat_map(|j| (0..self.width).map(move |i| (i, j))) {
            let value = block[if entry.turned { i * self.width + j } else { j * self.width + i }];
            let (row, column) = (entry.row as usize + i, entry.column as usize + j);
            panel[row / LANES * columns + column][row % LANES] = value;
        }
    }

    /// Replaces `x` by the solution of `matrix * solution = x`.
    pub fn solve(&mut self, x: &mut [f64]) {
        let (width, arch) = (self.width, pulp::Arch::new());
        for (from, &place) in x.chunks_exact(width).zip(&self.tree.place) {
            self.ordered[place as usize * width..][..width].copy_from_slice(from);
        }
        for front in &self.tree.fronts {
            let (pivots, border) =
                read(front, width, &self.ordered, &mut self.pivots, &mut self.border);
            let panel = &self.panels[front.panel..][..front.panel_len()];
            arch.dispatch(Forward { panel, x: pivots, border });
            write(front, width, pivots, &mut self.ordered);
            for (at, &place) in front.border.iter().enumerate() {
                for k in 0..width {
                    let row = at * width + k;
                    self.ordered[place as usize * width + k] = border[row / LANES][row % LANES];
                }
            }
        }
        for front in self.tree.fronts.iter().rev() {
            let (pivots, border) =
                read(front, width, &self.ordered, &mut self.pivots, &mut self.border);
            let panel = &self.panels[front.panel..][..front.panel_len()];
            arch.dispatch(Backward { panel, x: pivots, border, sums: &mut self.sums });
            write(front, width, pivots, &mut self.ordered);
        }
        for (to, &place) in x.chunks_exact_mut(width).zip(&self.tree.place) {
            to.copy_from_slice(&self.ordered[place as usize * width..][..width]);
        }
    }
}

/// The unknowns of a front's pivots and of its border, in lanes.
fn read<'a>(
    front: &Front,
    width: usize,
    ordered: &[f64],
    pivots: &'a mut [Lane],
    border: &'a mut [Lane],
) -> (&'a mut [Lane], &'a mut [Lane]) {
    let pivots = &mut pivots[..front.columns / LANES];
    let border = &mut border[..front.rows / LANES];
    for lanes in [&mut *pivots, &mut *border] {
        if let Some(last) = lanes.last_mut() {
            *last = [0.0; LANES];
        }
    }
    let own = &ordered[front.first * width..][..front.pivots * width];
    pivots.as_flattened_mut()[..own.len()].copy_from_slice(own);
    let to = border.as_flattened_mut().chunks_exact_mut(width);
    for (to, &place) in to.zip(&front.border) {
        to.copy_from_slice(&ordered[place as usize * width..][..width]);
    }
    (pivots, border)
}

fn write(front: &Front, width: usize, pivots: &[Lane], ordered: &mut [f64]) {
    let own = &mut ordered[front.first * width..][..front.pivots * width];
    own.copy_from_slice(&pivots.as_flattened()[..own.len()]);
}

/// Adds what a child left, its rows being `into` of the front.
fn add(from: &[Lane], into: &[u32], panel: &mut [Lane], columns: usize, left: &mut [Lane]) {
    let in_panel = into.partition_point(|&row| (row as usize) < columns);
    for (row, &target) in into.iter().enumerate() {
        let (own, lane, target) = (triangle(row / LANES), row % LANES, target as usize);
        let source = &from[own..][..row + 1];
        let (to, in_lane) = (target / LANES, target % LANES);
        let strip = &mut panel[to * columns..][..columns];
        for (value, &column) in source.iter().zip(&into[..in_panel]) {
            strip[column as usize][in_lane] += value[lane];
        }
        if row >= in_panel {
            let strip = &mut left[triangle(to - columns / LANES)..];
            for (value, &column) in source[in_panel..].iter().zip(&into[in_panel..]) {
                strip[column as usize - columns][in_lane] += value[lane];
            }
        }
    }
}

#[cfg(test)]
mod tests;
