//! The dual active-set method of Goldfarb and Idnani for small programs of
//! inequalities, warm-started: from the free optimum (or the last active set)
//! it adds one violated row at a time and drops rows whose multipliers turn
//! negative. Dependent rows, which stacks of boxes have plenty of, never enter
//! together. In coordinates in which the metric is the identity, all it needs is
//! the triangular factor of the active rows' products.

use super::{Answer, MOST_WIDTH, Quadratic, dot};

/// A row is violated if it is by more than this, relative to the longest block
/// of the target.
const VIOLATED: f64 = 1e-13;

/// A row (of length one) whose part beyond the active rows is shorter than the
/// root of this depends on them.
const DEPENDENT: f64 = 1e-11;

/// The rows in coordinates in which the metric is the identity, and of length one.
struct White<'a> {
    program: &'a Quadratic,
    /// Per block the inverse of the lower Cholesky factor of its metric.
    inverses: Vec<[f64; MOST_WIDTH * MOST_WIDTH]>,
    entries: Vec<[f64; MOST_WIDTH]>,
    offsets: Vec<f64>,
    /// What a row was multiplied by.
    scales: Vec<f64>,
    target: Vec<f64>,
}

impl<'a> White<'a> {
    fn new(program: &'a Quadratic) -> Option<Self> {
        let width = program.width;
        let metrics = program.metric.chunks_exact(width * width);
        let inverses = metrics.map(|m| inverse_factor(m, width)).collect::<Option<Vec<_>>>()?;
        let mut white = White {
            program,
            inverses,
            entries: Vec::with_capacity(program.entries.len()),
            offsets: Vec::with_capacity(program.rows.len()),
            scales: Vec::with_capacity(program.rows.len()),
            target: Vec::with_capacity(program.target.len()),
        };
        for row in &program.rows {
            let first = white.entries.len();
            let mut square = 0.0;
            for entry in &program.entries[row.first..row.end] {
                let inverse = &white.inverses[entry.block as usize];
                let mut part = [0.0; MOST_WIDTH];
                for k in 0..width {
                    part[k] = dot(&inverse[k * width..][..=k], &entry.weights[..=k]);
                    square += part[k] * part[k];
                }
                white.entries.push(part);
            }
            let scale = if square > 0.0 { 1.0 / square.sqrt() } else { 1.0 };
            for part in &mut white.entries[first..] {
                part.iter_mut().for_each(|x| *x *= scale);
            }
            white.offsets.push(row.offset * scale);
            white.scales.push(scale);
        }
        // y = L^T x: solve with the inverse's transpose.
        for (block, part) in program.target.chunks_exact(width).enumerate() {
            let metric = &program.metric[block * width * width..][..width * width];
            let inverse = &white.inverses[block];
            let image: Vec<f64> = metric.chunks_exact(width).map(|line| dot(line, part)).collect();
            white.target.extend((0..width).map(|k| dot(&inverse[k * width..][..=k], &image[..=k])));
        }
        Some(white)
    }

    /// Back to the program's own coordinates: `x = L^-T y`.
    fn unwhiten(&self, y: &[f64]) -> Vec<f64> {
        let width = self.program.width;
        let mut x = Vec::with_capacity(y.len());
        for (block, part) in y.chunks_exact(width).enumerate() {
            let inverse = &self.inverses[block];
            x.extend(
                (0..width)
                    .map(|k| (k..width).map(|l| inverse[l * width + k] * part[l]).sum::<f64>()),
            );
        }
        x
    }

    fn parts(&self, row: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let (row, width) = (&self.program.rows[row], self.program.width);
        (row.first..row.end).map(move |at| {
            (self.program.entries[at].block as usize * width, &self.entries[at][..width])
        })
    }

    fn dot(&self, row: usize, y: &[f64]) -> f64 {
        self.parts(row).map(|(at, part)| dot(part, &y[at..at + part.len()])).sum()
    }

    fn add(&self, row: usize, factor: f64, y: &mut [f64]) {
        for (at, part) in self.parts(row) {
            y[at..at + part.len()].iter_mut().zip(part).for_each(|(y, p)| *y += factor * p);
        }
    }

    fn value(&self, row: usize, y: &[f64]) -> f64 {
        self.offsets[row] + self.dot(row, y)
    }
}

/// The active rows, their multipliers, and the triangular factor of their products.
#[derive(Default)]
struct Active {
    rows: Vec<usize>,
    multipliers: Vec<f64>,
    /// Column j of the factor, of length j + 1.
    factor: Vec<Vec<f64>>,
}

impl Active {
    /// `factor^T w = b`.
    fn forward(&self, b: &mut [f64]) {
        for (j, column) in self.factor.iter().enumerate() {
            b[j] = (b[j] - dot(&column[..j], &b[..j])) / column[j];
        }
    }

    /// `factor r = w`.
    fn backward(&self, w: &mut [f64]) {
        for (j, column) in self.factor.iter().enumerate().rev() {
            w[j] /= column[j];
            let r = w[j];
            w[..j].iter_mut().zip(column).for_each(|(w, c)| *w -= c * r);
        }
    }

    fn push(&mut self, row: usize, multiplier: f64, mut column: Vec<f64>, square: f64) {
        column.push(square.sqrt());
        self.factor.push(column);
        self.rows.push(row);
        self.multipliers.push(multiplier);
    }

    /// Takes out a row; rotations make the factor triangular again.
    fn remove(&mut self, at: usize) {
        self.rows.remove(at);
        self.multipliers.remove(at);
        self.factor.remove(at);
        for j in at..self.factor.len() {
            let (top, bottom) = (self.factor[j][j], self.factor[j][j + 1]);
            let length = top.hypot(bottom);
            let (cos, sin) = (top / length, bottom / length);
            self.factor[j].pop();
            self.factor[j][j] = length;
            for column in &mut self.factor[j + 1..] {
                let (a, b) = (column[j], column[j + 1]);
                column[j] = cos * a + sin * b;
                column[j + 1] = cos * b - sin * a;
            }
        }
    }

    /// The multipliers for which every active row's value is zero: corrections
    /// `factor^T factor c = -values`.
    fn corrections(&self, mut values: Vec<f64>) -> Vec<f64> {
        values.iter_mut().for_each(|v| *v = -*v);
        self.forward(&mut values);
        self.backward(&mut values);
        values
    }
}

/// Solves a program of inequalities, or gives up (`None`) on one that cycles or
/// has no solution.
pub(super) fn solve(program: &Quadratic, warm: &[f64]) -> Option<Answer> {
    let white = White::new(program)?;
    let width = program.width;
    let longest = white.target.chunks_exact(width).map(|t| dot(t, t).sqrt()).fold(0.0, f64::max);
    let tolerance = VIOLATED * longest.max(f64::MIN_POSITIVE);
    let mut search =
        Search { y: white.target.clone(), white, active: Active::default(), pivots: 0 };
    search.start(warm);
    let most = 20 * (program.rows.len() + program.target.len());
    loop {
        let worst = (0..program.rows.len())
            .map(|row| (row, search.white.value(row, &search.y)))
            .min_by(|a, b| a.1.total_cmp(&b.1));
        match worst {
            Some((row, value)) if value < -tolerance => search.enter(row, value)?,
            _ => break,
        }
        if search.pivots > most {
            return None;
        }
    }
    Some(search.finish(longest))
}

struct Search<'a> {
    white: White<'a>,
    y: Vec<f64>,
    active: Active,
    pivots: usize,
}

impl Search<'_> {
    /// The products of a row with the active rows, solved forward, and the square of
    /// the row's part beyond them.
    fn against_active(&self, row: usize) -> (Vec<f64>, f64) {
        let mut scattered = vec![0.0; self.y.len()];
        self.white.add(row, 1.0, &mut scattered);
        let mut w: Vec<f64> =
            self.active.rows.iter().map(|&other| self.white.dot(other, &scattered)).collect();
        self.active.forward(&mut w);
        let square = 1.0 - dot(&w, &w);
        (w, square)
    }

    /// Takes over the last active set as far as its multipliers stay positive.
    fn start(&mut self, warm: &[f64]) {
        if warm.len() != self.white.program.rows.len() {
            return;
        }
        for row in (0..warm.len()).filter(|&row| warm[row] > 0.0) {
            let (w, square) = self.against_active(row);
            if square > 1e3 * DEPENDENT {
                self.active.push(row, 0.0, w, square);
            }
        }
        while !self.active.rows.is_empty() {
            let values = self
                .active
                .rows
                .iter()
                .map(|&row| self.white.value(row, &self.white.target))
                .collect();
            let multipliers = self.active.corrections(values);
            let least = multipliers.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
            match least {
                Some((at, multiplier)) if *multiplier < 0.0 => {
                    self.pivots += 1;
                    self.active.remove(at);
                }
                _ => {
                    self.active.multipliers = multipliers;
                    break;
                }
            }
        }
        self.place();
    }

    /// Recomputes the point from the multipliers.
    fn place(&mut self) {
        self.y.copy_from_slice(&self.white.target);
        for (&row, &multiplier) in self.active.rows.iter().zip(&self.active.multipliers) {
            self.white.add(row, multiplier, &mut self.y);
        }
    }

    /// Makes a violated row active, dropping rows that it replaces.
    fn enter(&mut self, row: usize, mut value: f64) -> Option<()> {
        let mut own = 0.0;
        loop {
            self.pivots += 1;
            let (w, square) = self.against_active(row);
            let mut r = w.clone();
            self.active.backward(&mut r);
            let blocking = self.active.multipliers.iter().zip(&r).enumerate();
            let blocking = blocking.filter(|(_, (_, r))| **r > 0.0).map(|(at, (m, r))| (at, m / r));
            let blocking = blocking.min_by(|a, b| a.1.total_cmp(&b.1));
            let full = if square > DEPENDENT { -value / square } else { f64::INFINITY };
            let step = blocking.map_or(full, |(_, step)| step.min(full));
            if step == f64::INFINITY {
                return None;
            }
            for (multiplier, r) in self.active.multipliers.iter_mut().zip(&r) {
                *multiplier -= step * r;
            }
            own += step;
            if square > DEPENDENT {
                self.white.add(row, step, &mut self.y);
                for (&other, r) in self.active.rows.iter().zip(&r) {
                    self.white.add(other, -step * r, &mut self.y);
                }
                value += step * square;
            }
            match blocking {
                Some((at, least)) if least < full => self.active.remove(at),
                _ => {
                    self.active.push(row, own, w, square);
                    return Some(());
                }
            }
            if self.pivots > 100 * (self.white.program.rows.len() + self.y.len()) {
                return None;
            }
        }
    }

    /// Polishes the multipliers against the rows themselves and measures the rest.
    fn finish(mut self, longest: f64) -> Answer {
        for _ in 0..2 {
            self.place();
            let values =
                self.active.rows.iter().map(|&row| self.white.value(row, &self.y)).collect();
            let corrections = self.active.corrections(values);
            for (multiplier, correction) in self.active.multipliers.iter_mut().zip(corrections) {
                *multiplier = (*multiplier + correction).max(0.0);
            }
        }
        self.place();
        let rows = self.white.program.rows.len();
        let mut answer = Answer {
            x: self.white.unwhiten(&self.y),
            multipliers: vec![0.0; rows],
            iterations: self.pivots + 1,
            ..Default::default()
        };
        let unit = self.y.chunks_exact(self.white.program.width).map(|t| dot(t, t).sqrt());
        let unit = unit.fold(longest, f64::max).max(f64::MIN_POSITIVE);
        for (&row, &multiplier) in self.active.rows.iter().zip(&self.active.multipliers) {
            answer.multipliers[row] = multiplier * self.white.scales[row];
            let product = self.white.value(row, &self.y).abs().min(multiplier) / unit;
            answer.residual.complementarity = answer.residual.complementarity.max(product);
        }
        for row in 0..rows {
            let violation = -self.white.value(row, &self.y) / unit;
            answer.residual.violation = answer.residual.violation.max(violation);
        }
        answer.converged = true;
        answer
    }
}

/// The inverse of the lower Cholesky factor of a small matrix, by rows.
fn inverse_factor(matrix: &[f64], width: usize) -> Option<[f64; MOST_WIDTH * MOST_WIDTH]> {
    let mut lower = [0.0; MOST_WIDTH * MOST_WIDTH];
    for i in 0..width {
        for j in 0..=i {
            let known = dot(&lower[i * width..][..j], &lower[j * width..][..j]);
            let rest = matrix[i * width + j] - known;
            lower[i * width + j] = if i == j { rest.sqrt() } else { rest / lower[j * width + j] };
        }
    }
    let mut inverse = [0.0; MOST_WIDTH * MOST_WIDTH];
    for i in 0..width {
        inverse[i * width + i] = 1.0 / lower[i * width + i];
        for j in 0..i {
            let known: f64 = (j..i).map(|k| lower[i * width + k] * inverse[k * width + j]).sum();
            inverse[i * width + j] = -known / lower[i * width + i];
        }
    }
    inverse[..width * width].iter().all(|x| x.is_finite()).then_some(inverse)
}
