//! Strictly convex quadratic programs in small blocks: the point closest to a
//! target, in a block-diagonal metric, among all that satisfy linear rows. This
//! is Gauss' principle of least restraint once bodies and contacts have become
//! numbers [C11 3].
//!
//! [`solve`] takes the dual active-set method (`active_set.rs`) for small
//! programs of inequalities. Larger ones, and those with equations, go to the
//! method of multipliers with Newton steps (`newton.rs`); without a warm start
//! interior-point iterations (`interior.rs`) guess the active set that it then
//! polishes. Every answer carries its own [`Residual`].

mod active_set;
mod cholesky;
mod interior;
mod newton;
mod normal;

#[cfg(feature = "clarabel")]
pub mod reference;
#[cfg(test)]
mod tests;

pub(in crate::solver) use cholesky::Cholesky;
pub use newton::solve;

/// Unknowns per block, at most: three translations and three rotations.
pub const MOST_WIDTH: usize = 6;

/// Minimise `1/2 sum_b (x_b - t_b)^T M_b (x_b - t_b)` subject to rows.
#[derive(Clone, Debug, Default)]
pub struct Quadratic {
    width: usize,
    /// Per block, its metric `M_b`: `width` x `width`, symmetric, positive definite.
    metric: Vec<f64>,
    target: Vec<f64>,
    rows: Vec<Row>,
    entries: Vec<Entry>,
}

/// What a row asks of its value `row . x + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Demand {
    /// Not negative.
    AtLeast,
    /// Zero.
    Equal,
    /// Nothing, but the objective gains half this weight times the value squared.
    Soft(f64),
}

#[derive(Clone, Copy, Debug)]
struct Row {
    first: usize,
    end: usize,
    offset: f64,
    demand: Demand,
}

/// The part of a row that concerns one block.
#[derive(Clone, Copy, Debug)]
struct Entry {
    block: u32,
    weights: [f64; MOST_WIDTH],
}

/// The answer, with a measure of how exactly it answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The unknowns, block by block.
    pub x: Vec<f64>,
    /// One per row; not negative where the row is an inequality.
    pub multipliers: Vec<f64>,
    /// How exactly this satisfies the optimality conditions.
    pub residual: Residual,
    /// Rows that entered or left, or factorisations.
    pub iterations: usize,
    /// Whether the residual is as small as the method aims for.
    pub converged: bool,
}

/// How far an answer is from satisfying the optimality conditions of Karush,
/// Kuhn and Tucker, each relative to the length of the target in the metric
/// (and the offsets), so that units do not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// The gradient of the objective minus the pull of the rows.
    pub stationarity: f64,
    /// How far a row is violated.
    pub violation: f64,
    /// The largest product of a multiplier and its row's value.
    pub complementarity: f64,
}

impl Residual {
    /// The largest of the three.
    pub fn largest(&self) -> f64 {
        self.stationarity.max(self.violation).max(self.complementarity)
    }
}

impl Quadratic {
    /// A program without blocks and rows.
    pub fn new(width: usize) -> Self {
        assert!((1..=MOST_WIDTH).contains(&width), "a block has 1 to {MOST_WIDTH} unknowns");
        Quadratic { width, ..Default::default() }
    }

    /// Adds a block; `metric` by rows.
    pub fn add_block(&mut self, metric: &[f64], target: &[f64]) {
        debug_assert!(metric.len() == self.width * self.width && target.len() == self.width);
        self.metric.extend_from_slice(metric);
        self.target.extend_from_slice(target);
    }

    /// Adds a row over a few different blocks.
    pub fn add_row(&mut self, demand: Demand, offset: f64, parts: &[(u32, &[f64])]) {
        let first = self.entries.len();
        for &(block, part) in parts {
            let mut weights = [0.0; MOST_WIDTH];
            weights[..self.width].copy_from_slice(part);
            self.entries.push(Entry { block, weights });
        }
        self.rows.push(Row { first, end: self.entries.len(), offset, demand });
    }

    /// Unknowns per block.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.target.len() / self.width
    }

    /// How many rows there are.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// The best point without rows, block by block.
    pub fn target(&self) -> &[f64] {
        &self.target
    }

    /// The values of all rows at `x`.
    pub fn values(&self, x: &[f64]) -> Vec<f64> {
        self.rows.iter().map(|row| row.offset + self.row_dot(row, x)).collect()
    }

    /// The objective at `x`.
    pub fn objective(&self, x: &[f64]) -> f64 {
        let away: Vec<f64> = x.iter().zip(&self.target).map(|(x, t)| x - t).collect();
        let soft = self.rows.iter().map(|row| match row.demand {
            Demand::Soft(weight) => weight * (row.offset + self.row_dot(row, x)).powi(2),
            _ => 0.0,
        });
        0.5 * (dot(&away, &self.times_metric(&away)) + soft.sum::<f64>())
    }

    fn row_dot(&self, row: &Row, x: &[f64]) -> f64 {
        let parts = self.entries[row.first..row.end].iter().map(|entry| {
            let at = entry.block as usize * self.width;
            dot(&entry.weights[..self.width], &x[at..at + self.width])
        });
        parts.sum()
    }

    fn times_metric(&self, x: &[f64]) -> Vec<f64> {
        let (width, mut out) = (self.width, Vec::with_capacity(x.len()));
        for (block, x) in x.chunks_exact(width).enumerate() {
            let metric = &self.metric[block * width * width..][..width * width];
            out.extend(metric.chunks_exact(width).map(|line| dot(line, x)));
        }
        out
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
