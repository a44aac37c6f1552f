//! The one matrix behind both methods: the metric plus weighted rows,
//! `M + sum_i w_i row_i row_i^T`, and the scale of every row in the metric.

use super::{Demand, MOST_WIDTH, Quadratic, dot};
use crate::solver::matrix::{BlockMatrix, Factor};

/// A program with rows scaled to length one in the inverse metric, so that one
/// penalty suits all of them, and the factor of its matrix.
pub(super) struct Normal<'a> {
    pub program: &'a Quadratic,
    /// Per row, what its coefficients are multiplied by.
    pub scale: Vec<f64>,
    matrix: BlockMatrix,
    factor: Factor,
}

impl<'a> Normal<'a> {
    pub fn new(program: &'a Quadratic) -> Self {
        let inverses: Vec<[f64; MOST_WIDTH * MOST_WIDTH]> = program
            .metric
            .chunks_exact(program.width * program.width)
            .map(|metric| inverse(metric, program.width))
            .collect();
        let scale = program.rows.iter().map(|row| {
            let parts = program.entries[row.first..row.end].iter().map(|entry| {
                let (width, w) = (program.width, &entry.weights[..program.width]);
                let inverse = &inverses[entry.block as usize];
                (0..width).map(|i| w[i] * dot(&inverse[i * width..][..width], w)).sum::<f64>()
            });
            let length = parts.sum::<f64>().sqrt();
            if length > 0.0 { 1.0 / length } else { 1.0 }
        });
        let scale = scale.collect();
        let pairs = program.rows.iter().flat_map(|row| {
            let entries = &program.entries[row.first..row.end];
            entries.iter().enumerate().flat_map(move |(i, a)| {
                entries[..i].iter().filter(|b| b.block != a.block).map(|b| (a.block, b.block))
            })
        });
        let matrix = BlockMatrix::new(program.width, program.blocks(), pairs);
        let factor = Factor::new(&matrix);
        Normal { program, scale, matrix, factor }
    }

    /// Factorises the matrix with these weights of the scaled rows.
    #[must_use]
    pub fn factorise(&mut self, weights: impl Fn(usize) -> f64) -> bool {
        let (program, width) = (self.program, self.program.width);
        self.matrix.clear();
        for block in 0..program.blocks() {
            let metric = &program.metric[block * width * width..][..width * width];
            for (k, line) in metric.chunks_exact(width).enumerate() {
                let mut unit = [0.0; MOST_WIDTH];
                unit[k] = 1.0;
                self.matrix.add_product(block as u32, block as u32, &unit[..width], line);
            }
        }
        for (index, row) in program.rows.iter().enumerate() {
            let weight = weights(index) * self.scale[index] * self.scale[index];
            if weight == 0.0 {
                continue;
            }
            let entries = &program.entries[row.first..row.end];
            for a in entries {
                let weighted = a.weights.map(|x| x * weight);
                for b in entries.iter().filter(|b| b.block <= a.block) {
                    let (a, b) = ((a.block, &weighted[..width]), (b.block, &b.weights[..width]));
                    self.matrix.add_product(b.0, a.0, b.1, a.1);
                }
            }
        }
        self.factor.factorise(&self.matrix)
    }

    pub fn solve(&mut self, x: &mut [f64]) {
        self.factor.solve(x);
    }

    /// The scaled rows' values at `x`, with their offsets.
    pub fn values(&self, x: &[f64]) -> Vec<f64> {
        let rows = self.program.rows.iter().zip(&self.scale);
        rows.map(|(row, scale)| scale * (row.offset + self.program.row_dot(row, x))).collect()
    }

    /// The scaled rows' slopes along `x`.
    pub fn slopes(&self, x: &[f64]) -> Vec<f64> {
        let rows = self.program.rows.iter().zip(&self.scale);
        rows.map(|(row, scale)| scale * self.program.row_dot(row, x)).collect()
    }

    /// `M (x - target) - sum_i pull_i row_i` over the scaled rows.
    pub fn gradient(&self, x: &[f64], pulls: &[f64]) -> Vec<f64> {
        let away: Vec<f64> = x.iter().zip(&self.program.target).map(|(x, t)| x - t).collect();
        let mut gradient = self.program.times_metric(&away);
        for ((row, scale), pull) in self.program.rows.iter().zip(&self.scale).zip(pulls) {
            if *pull != 0.0 {
                self.program.add_row_to(row, -pull * scale, &mut gradient);
            }
        }
        gradient
    }

    /// The weight of a soft row, scaled.
    pub fn soft(&self, row: usize) -> Option<f64> {
        match self.program.rows[row].demand {
            Demand::Soft(weight) => Some(weight / (self.scale[row] * self.scale[row])),
            _ => None,
        }
    }

    /// The length of a gradient in the inverse metric, block by block the largest:
    /// a displacement in the units of the scaled rows.
    pub fn largest_block(&self, gradient: &[f64]) -> f64 {
        let width = self.program.width;
        let blocks = gradient.chunks_exact(width).enumerate().map(|(block, part)| {
            let metric = &self.program.metric[block * width * width..][..width * width];
            let diagonal = (0..width).map(|k| part[k] * part[k] / metric[k * width + k]);
            diagonal.sum::<f64>().sqrt()
        });
        blocks.fold(0.0, f64::max)
    }

    /// The length in the metric of the longest block of `x`.
    pub fn longest(&self, x: &[f64]) -> f64 {
        let image = self.program.times_metric(x);
        let blocks = x.chunks_exact(self.program.width).zip(image.chunks_exact(self.program.width));
        blocks.map(|(x, y)| dot(x, y).max(0.0).sqrt()).fold(0.0, f64::max)
    }
}

/// The inverse of a small symmetric positive definite matrix, by Gauss-Jordan.
fn inverse(matrix: &[f64], width: usize) -> [f64; MOST_WIDTH * MOST_WIDTH] {
    let mut a = [0.0; MOST_WIDTH * MOST_WIDTH];
    a[..width * width].copy_from_slice(matrix);
    for pivot in 0..width {
        let scale = 1.0 / a[pivot * width + pivot];
        a[pivot * width + pivot] = 1.0;
        (0..width).for_each(|k| a[pivot * width + k] *= scale);
        for row in (0..width).filter(|row| *row != pivot) {
            let factor = a[row * width + pivot];
            a[row * width + pivot] = 0.0;
            for k in 0..width {
                a[row * width + k] -= factor * a[pivot * width + k];
            }
        }
    }
    a
}
