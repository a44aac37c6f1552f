//! The simplex method on a dense tableau, in floating point: for programs of
//! a few hundred rows. The artificial columns stay in the tableau as the
//! inverse of the basis, which gives certificates and prices new columns.

use super::Columns;

/// Entries below this, relative to a row's largest, are rounding.
const ZERO: f64 = 1e-11;

/// Smaller pivots than this are not trusted while there are larger ones.
const PIVOT: f64 = 1e-7;

/// After this many pivots without progress, Bland's rule ends any cycle.
const PATIENCE: usize = 40;

/// A non-negative combination of the columns that gives the right-hand side, or
/// as much of it as there is.
#[derive(Clone, Debug)]
pub struct Tableau {
    rows: usize,
    /// Real columns; then one artificial column per row, then the right-hand side.
    columns: usize,
    values: Vec<f64>,
    /// Per row, the column that it solves for.
    basis: Vec<usize>,
    /// Per row, the sign that made its right-hand side non-negative.
    signs: Vec<f64>,
    /// The size of the right-hand side.
    unit: f64,
}

impl Tableau {
    /// Finds a combination `A f = b`, `f >= 0`, as far as possible.
    pub fn new(matrix: &Columns, right: &[f64]) -> Self {
        let (rows, columns) = (matrix.rows, matrix.columns.len());
        let stride = columns + rows + 1;
        let mut values = vec![0.0; rows * stride];
        let signs: Vec<f64> = right.iter().map(|b| if *b < 0.0 { -1.0 } else { 1.0 }).collect();
        for (column, entries) in matrix.columns.iter().enumerate() {
            for &(row, value) in entries {
                values[row as usize * stride + column] += signs[row as usize] * value;
            }
        }
        for row in 0..rows {
            values[row * stride + columns + row] = 1.0;
            values[row * stride + stride - 1] = signs[row] * right[row];
        }
        let unit = right.iter().fold(f64::MIN_POSITIVE, |m, b| m.max(b.abs()));
        let basis = (columns..columns + rows).collect();
        let mut tableau = Tableau { rows, columns, values, basis, signs, unit };
        tableau.remove_artificials();
        tableau
    }

    fn stride(&self) -> usize {
        self.columns + self.rows + 1
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.stride() + column]
    }

    fn right(&self, row: usize) -> f64 {
        self.at(row, self.stride() - 1)
    }

    /// Phase one: the sum of the artificial values is made as small as it gets.
    fn remove_artificials(&mut self) {
        let mut idle = 0;
        for _ in 0..50 * (self.rows + self.columns) {
            let costs = self.artificial_rows();
            let price = |column: usize| costs.iter().map(|&row| self.at(row, column)).sum::<f64>();
            let prices: Vec<f64> = (0..self.columns).map(price).collect();
            let entering = match idle < PATIENCE {
                true => {
                    let best = (0..self.columns).max_by(|&a, &b| prices[a].total_cmp(&prices[b]));
                    best.filter(|&c| prices[c] > ZERO * 100.0)
                }
                false => (0..self.columns).find(|&c| prices[c] > ZERO * 100.0),
            };
            let Some(entering) = entering else { return };
            let Some((row, step)) = self.leaving(entering, idle >= PATIENCE) else { return };
            idle = if step > ZERO * self.unit { 0 } else { idle + 1 };
            self.pivot(row, entering);
        }
    }

    /// Rows that still solve for an artificial column.
    fn artificial_rows(&self) -> Vec<usize> {
        (0..self.rows).filter(|&row| self.basis[row] >= self.columns).collect()
    }

    /// The row whose value is used up first when a column enters, and the step.
    fn leaving(&self, entering: usize, bland: bool) -> Option<(usize, f64)> {
        let column = |row: usize| self.at(row, entering);
        let largest = (0..self.rows).fold(0.0_f64, |m, row| m.max(column(row).abs()));
        let usable = |row: &usize| column(*row) > (PIVOT * largest).max(ZERO);
        let ratio = |row: usize| self.right(row).max(0.0) / column(row);
        let least = (0..self.rows).filter(usable).map(ratio).fold(f64::INFINITY, f64::min);
        let tied =
            (0..self.rows).filter(usable).filter(|&row| ratio(row) <= least + ZERO * self.unit);
        let row = match bland {
            true => tied.min_by_key(|&row| self.basis[row]),
            // Artificial columns leave first, then the largest pivot.
            false => tied.max_by(|&a, &b| {
                let artificial = |row: usize| self.basis[row] >= self.columns;
                artificial(a).cmp(&artificial(b)).then(column(a).total_cmp(&column(b)))
            }),
        };
        row.map(|row| (row, least))
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let stride = self.stride();
        let scale = 1.0 / self.at(row, column);
        let mut line: Vec<f64> = self.values[row * stride..(row + 1) * stride].to_vec();
        line.iter_mut().for_each(|x| *x *= scale);
        for other in (0..self.rows).filter(|r| *r != row) {
            let factor = self.at(other, column);
            if factor != 0.0 {
                let target = &mut self.values[other * stride..(other + 1) * stride];
                target.iter_mut().zip(&line).for_each(|(x, y)| *x -= factor * y);
                target[column] = 0.0;
            }
        }
        self.values[row * stride..(row + 1) * stride].copy_from_slice(&line);
        self.basis[row] = column;
    }

    /// The largest part of an entry of the right-hand side that is left over.
    pub fn left_over(&self) -> f64 {
        let rows = self.artificial_rows();
        rows.into_iter().map(|row| self.right(row).max(0.0)).fold(0.0, f64::max)
    }

    /// The combination: one value per column.
    #[cfg(test)]
    pub fn combination(&self) -> Vec<f64> {
        let mut values = vec![0.0; self.columns];
        for (row, &column) in self.basis.iter().enumerate().filter(|(_, c)| **c < self.columns) {
            values[column] = self.right(row).max(0.0);
        }
        values
    }

    /// The columns that the combination is made of: a start for the exact method.
    pub fn basis(&self) -> Vec<usize> {
        self.basis.iter().copied().filter(|c| *c < self.columns).collect()
    }

    /// Farkas' certificate if something is left over: `y . b > 0` and `y . A_c <= 0`
    /// for every column.
    #[cfg(test)]
    pub fn certificate(&self) -> Vec<f64> {
        let costs = self.artificial_rows();
        let price = |row: usize| {
            costs.iter().map(|&r| self.at(r, self.columns + row)).sum::<f64>() * self.signs[row]
        };
        (0..self.rows).map(price).collect()
    }

    /// The largest `s` such that `b + s push` is still a non-negative combination;
    /// infinite if there is no end.
    pub fn farthest(&self, push: &[(u32, f64)]) -> f64 {
        self.push(push).0
    }

    /// As [`Tableau::farthest`], with the prices of the rows: by how much the
    /// answer grows with each entry of the right-hand side.
    pub fn push(&self, push: &[(u32, f64)]) -> (f64, Vec<f64>) {
        // The pushed side moves to the left: a new column with the opposite sign.
        let mut column = vec![0.0; self.rows];
        for &(row, value) in push {
            for (r, x) in column.iter_mut().enumerate() {
                *x -= self.at(r, self.columns + row as usize) * self.signs[row as usize] * value;
            }
        }
        let mut work = self.with_column(&column);
        let pushed = self.columns;
        let farthest = work.maximise(pushed);
        let held = work.basis.iter().position(|c| *c == pushed);
        let price =
            |row: usize| held.map_or(0.0, |at| work.at(at, work.columns + row) * work.signs[row]);
        (farthest, (0..self.rows).map(price).collect())
    }

    /// The same tableau with one more real column.
    fn with_column(&self, column: &[f64]) -> Tableau {
        let (old, new) = (self.stride(), self.stride() + 1);
        let mut values = vec![0.0; self.rows * new];
        for row in 0..self.rows {
            let from = &self.values[row * old..(row + 1) * old];
            let to = &mut values[row * new..(row + 1) * new];
            to[..self.columns].copy_from_slice(&from[..self.columns]);
            to[self.columns] = column[row];
            to[self.columns + 1..].copy_from_slice(&from[self.columns..]);
        }
        let shift = |c: &usize| if *c >= self.columns { c + 1 } else { *c };
        Tableau {
            rows: self.rows,
            columns: self.columns + 1,
            values,
            basis: self.basis.iter().map(shift).collect(),
            signs: self.signs.clone(),
            unit: self.unit,
        }
    }

    /// Phase two: the value of one column is made as large as it gets.
    fn maximise(&mut self, goal: usize) -> f64 {
        // What is left of artificial columns is rounding or redundant; it must not grow.
        let mut idle = 0;
        for _ in 0..50 * (self.rows + self.columns) {
            let held = self.basis.iter().position(|c| *c == goal);
            let entering = match held {
                None => Some(goal),
                Some(row) => {
                    let gains = |c: &usize| self.at(row, *c) < -100.0 * ZERO && *c != goal;
                    let mut candidates = (0..self.columns).filter(gains);
                    match idle < PATIENCE {
                        true => {
                            candidates.min_by(|&a, &b| self.at(row, a).total_cmp(&self.at(row, b)))
                        }
                        false => candidates.next(),
                    }
                }
            };
            let Some(entering) = entering else { break };
            // An artificial row lets nothing through in either direction.
            let blocked = self
                .artificial_rows()
                .into_iter()
                .find(|&row| self.at(row, entering).abs() > PIVOT);
            let (row, step) = match blocked {
                Some(row) => (row, 0.0),
                None => match self.leaving(entering, idle >= PATIENCE) {
                    Some(leaving) => leaving,
                    None => return f64::INFINITY,
                },
            };
            if Some(row) == held {
                break;
            }
            idle = if step > ZERO * self.unit { 0 } else { idle + 1 };
            self.pivot(row, entering);
        }
        let held = self.basis.iter().position(|c| *c == goal);
        held.map_or(0.0, |row| self.right(row).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    fn matrix(rows: usize, columns: &[&[f64]]) -> Columns {
        let sparse =
            |column: &&[f64]| column.iter().enumerate().map(|(r, x)| (r as u32, *x)).collect();
        Columns { rows, columns: columns.iter().map(sparse).collect() }
    }

    #[test]
    fn a_combination_or_a_certificate() {
        let quadrant = matrix(2, &[&[1.0, 0.0], &[1.0, 1.0]]);
        let inside = Tableau::new(&quadrant, &[3.0, 1.0]);
        assert_eq!(inside.left_over(), 0.0);
        assert_eq!(inside.combination(), [2.0, 1.0]);
        let outside = Tableau::new(&quadrant, &[1.0, 2.0]);
        assert!(outside.left_over() > 0.1);
        let y = outside.certificate();
        assert!(y[0] + 2.0 * y[1] > 0.0 && y[0] <= 0.0 && y[0] + y[1] <= 0.0, "{y:?}");
    }

    #[test]
    fn as_far_as_the_cone_goes() {
        let quadrant = matrix(2, &[&[1.0, 0.0], &[1.0, 1.0]]);
        let start = Tableau::new(&quadrant, &[3.0, 1.0]);
        assert!((start.farthest(&[(1, 1.0)]) - 2.0).abs() < 1e-12);
        assert!((start.farthest(&[(1, -0.5)]) - 2.0).abs() < 1e-12);
        assert!((start.farthest(&[(0, -1.0), (1, -1.0)]) - 1.0).abs() < 1e-12);
        assert_eq!(start.farthest(&[(0, 1.0)]), f64::INFINITY);
    }

    /// What is found is checked; that one of the two is found is Farkas' lemma.
    #[test]
    fn random_cones() {
        let (mut yes, mut no) = (0, 0);
        for seed in 0..200 {
            let random = &mut Random::new(seed);
            let rows = 2 + (seed % 7) as usize;
            let dense: Vec<Vec<f64>> = (0..rows + 6)
                .map(|_| (0..rows).map(|_| (random.between(-2.5, 2.5)).round()).collect())
                .collect();
            let right: Vec<f64> = (0..rows).map(|_| random.between(-1.0, 1.0)).collect();
            let slices: Vec<&[f64]> = dense.iter().map(Vec::as_slice).collect();
            let tableau = Tableau::new(&matrix(rows, &slices), &right);
            if tableau.left_over() < 1e-9 {
                yes += 1;
                let f = tableau.combination();
                for row in 0..rows {
                    let sum: f64 = f.iter().zip(&dense).map(|(f, c)| f * c[row]).sum();
                    assert!((sum - right[row]).abs() < 1e-9, "seed {seed}");
                }
            } else {
                no += 1;
                let y = tableau.certificate();
                let dot = |c: &[f64]| c.iter().zip(&y).map(|(c, y)| c * y).sum::<f64>();
                assert!(dot(&right) > 1e-9, "seed {seed}");
                assert!(dense.iter().all(|c| dot(c) < 1e-9), "seed {seed}");
            }
        }
        assert!(yes > 20 && no > 20, "{yes} {no}");
    }
}
