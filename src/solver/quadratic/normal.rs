//! `M + sum_i w_i row_i row_i^T`, and the scale of every row in the metric.

use super::cholesky::Cholesky;
use super::{Demand, MOST_WIDTH, Quadratic, dot};

/// A program with rows scaled to length one in the inverse metric, so that one
/// penalty suits all of them, and the factor of its matrix.
pub(super) struct Normal<'a> {
    pub program: &'a Quadratic,
    /// Per row, what its coefficients are multiplied by.
    pub scale: Vec<f64>,
    /// The scaled rows: their unknowns and coefficients, one row after the other.
    rows: Sparse,
    /// Per row, what it adds to which numbers of the matrix for a weight of one.
    products: Sparse,
    /// The matrix of the metric alone, laid out like the factor.
    metric: Vec<f64>,
    factor: Cholesky,
}

/// Rows of a sparse matrix.
#[derive(Default)]
struct Sparse {
    /// Where each row ends.
    ends: Vec<u32>,
    places: Vec<u32>,
    values: Vec<f64>,
}

impl Sparse {
    fn push(&mut self, place: usize, value: f64) {
        self.places.push(place as u32);
        self.values.push(value);
    }

    fn end(&mut self) {
        self.ends.push(self.places.len() as u32);
    }

    fn rows(&self) -> impl Iterator<Item = (&[u32], &[f64])> {
        let mut first = 0;
        self.ends.iter().map(move |&end| {
            let range = first..end as usize;
            first = range.end;
            (&self.places[range.clone()], &self.values[range])
        })
    }

    fn dots<'s>(&'s self, x: &'s [f64]) -> impl Iterator<Item = f64> + 's {
        self.rows().map(|(places, values)| {
            places.iter().zip(values).map(|(&place, value)| value * x[place as usize]).sum()
        })
    }

    /// `out += factor_i row_i` for every row.
    fn add(&self, factors: impl Iterator<Item = f64>, out: &mut [f64]) {
        for ((places, values), factor) in self.rows().zip(factors).filter(|(_, f)| *f != 0.0) {
            for (&place, value) in places.iter().zip(values) {
                out[place as usize] += factor * value;
            }
        }
    }
}

impl<'a> Normal<'a> {
    pub fn new(program: &'a Quadratic) -> Self {
        let width = program.width;
        let pairs = program.rows.iter().flat_map(|row| {
            let entries = &program.entries[row.first..row.end];
            entries.iter().enumerate().flat_map(move |(i, a)| {
                entries[..i].iter().filter(|b| b.block != a.block).map(|b| (a.block, b.block))
            })
        });
        let factor = Cholesky::new(width, program.blocks(), pairs);
        let scale = scales(program);
        let (mut rows, mut products) = (Sparse::default(), Sparse::default());
        for (row, scale) in program.rows.iter().zip(&scale) {
            let entries = &program.entries[row.first..row.end];
            let parts = entries.iter().flat_map(|entry| {
                (0..width).map(move |k| ((entry.block, k), scale * entry.weights[k]))
            });
            let parts: Vec<((u32, usize), f64)> = parts.filter(|part| part.1 != 0.0).collect();
            for (i, &((block, k), value)) in parts.iter().enumerate() {
                rows.push(block as usize * width + k, value);
                for &(other, twin) in &parts[..=i] {
                    if let Some(place) = factor.position((block, k), other) {
                        products.push(place, value * twin);
                    }
                }
            }
            rows.end();
            products.end();
        }
        let mut metric = vec![0.0; factor.values.len()];
        for block in 0..program.blocks() {
            for k in 0..width {
                for l in 0..=k {
                    if let Some(place) = factor.position((block as u32, k), (block as u32, l)) {
                        metric[place] = program.metric[(block * width + k) * width + l];
                    }
                }
            }
        }
        Normal { program, scale, rows, products, metric, factor }
    }

    /// Factorises the matrix with these weights of the scaled rows.
    #[must_use]
    pub fn factorise(&mut self, weights: impl Fn(usize) -> f64) -> bool {
        self.factor.values.copy_from_slice(&self.metric);
        let weights = (0..self.scale.len()).map(weights);
        self.products.add(weights, &mut self.factor.values);
        self.factor.factorise()
    }

    pub fn solve(&mut self, x: &mut [f64]) {
        self.factor.solve(x);
    }

    /// The scaled rows' values at `x`, with their offsets.
    pub fn values(&self, x: &[f64]) -> Vec<f64> {
        let rows = self.program.rows.iter().zip(&self.scale).zip(self.rows.dots(x));
        rows.map(|((row, scale), dot)| scale * row.offset + dot).collect()
    }

    /// The scaled rows' slopes along `x`.
    pub fn slopes(&self, x: &[f64]) -> Vec<f64> {
        self.rows.dots(x).collect()
    }

    /// `out += sum_i pull_i row_i` over the scaled rows.
    pub fn add_rows(&self, pulls: &[f64], out: &mut [f64]) {
        self.rows.add(pulls.iter().copied(), out);
    }

    /// `M (x - target) - sum_i pull_i row_i` over the scaled rows.
    pub fn gradient(&self, x: &[f64], pulls: &[f64]) -> Vec<f64> {
        let away: Vec<f64> = x.iter().zip(&self.program.target).map(|(x, t)| x - t).collect();
        let mut gradient = self.program.times_metric(&away);
        self.rows.add(pulls.iter().map(|pull| -pull), &mut gradient);
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

/// What makes each row of length one in the inverse metric.
fn scales(program: &Quadratic) -> Vec<f64> {
    let width = program.width;
    let metrics = program.metric.chunks_exact(width * width);
    let inverses: Vec<[f64; MOST_WIDTH * MOST_WIDTH]> =
        metrics.map(|metric| inverse(metric, width)).collect();
    let scale = program.rows.iter().map(|row| {
        let parts = program.entries[row.first..row.end].iter().map(|entry| {
            let (inverse, w) = (&inverses[entry.block as usize], &entry.weights[..width]);
            (0..width).map(|i| w[i] * dot(&inverse[i * width..][..width], w)).sum::<f64>()
        });
        let length = parts.sum::<f64>().sqrt();
        if length > 0.0 { 1.0 / length } else { 1.0 }
    });
    scale.collect()
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
