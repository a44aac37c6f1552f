//! Sparse symmetric factorisation L D L^T with a pattern that is known once and
//! numbers that change every step: up-looking, row by row [Davis, "Algorithm
//! 849"]. For the small, tree-like systems of joints it is linear in the number
//! of unknowns.

/// A matrix whose pattern is fixed; only the lower triangle is kept.
#[derive(Clone, Debug, Default)]
pub struct Ldl {
    /// The columns below the diagonal that hold an entry of the matrix, and where its number is
    /// kept; row after row, each up to its end.
    entries: Vec<(u32, u32)>,
    entries_end: Vec<usize>,
    /// The columns of L, ascending; row after row likewise.
    pattern: Vec<u32>,
    pattern_end: Vec<usize>,
    /// Where each column of L starts in `below`.
    start: Vec<usize>,
    filled: Vec<u32>,
    rows: Vec<u32>,
    below: Vec<f64>,
    pivots: Vec<f64>,
    work: Vec<f64>,
}

impl Ldl {
    /// `entries[i]` lists the columns `j < i` with an entry and where [`Ldl::factor`] finds it.
    pub fn new(entries: Vec<Vec<(u32, u32)>>) -> Ldl {
        let n = entries.len();
        // The pattern of a row of L: from its entries up the elimination tree.
        let mut parent: Vec<Option<u32>> = vec![None; n];
        let (mut pattern, mut pattern_end) = (Vec::new(), Vec::with_capacity(n));
        let mut mark = vec![u32::MAX; n];
        for (i, row) in entries.iter().enumerate() {
            let first = pattern.len();
            mark[i] = i as u32;
            for &(column, _) in row {
                let mut j = column as usize;
                while mark[j] != i as u32 {
                    mark[j] = i as u32;
                    pattern.push(j as u32);
                    match parent[j] {
                        Some(up) => j = up as usize,
                        None => {
                            parent[j] = Some(i as u32);
                            break;
                        }
                    }
                }
            }
            pattern[first..].sort_unstable();
            pattern_end.push(pattern.len());
        }
        let mut counts = vec![0; n];
        pattern.iter().for_each(|&j| counts[j as usize] += 1);
        let mut start = vec![0; n + 1];
        for j in 0..n {
            start[j + 1] = start[j] + counts[j];
        }
        let total = start[n];
        Ldl {
            entries_end: ends(&entries),
            entries: entries.concat(),
            pattern,
            pattern_end,
            start,
            filled: vec![0; n],
            rows: vec![0; total],
            below: vec![0.0; total],
            pivots: vec![0.0; n],
            work: vec![0.0; n],
        }
    }

    /// Unknowns.
    pub fn len(&self) -> usize {
        self.pivots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pivots.is_empty()
    }

    /// Factors the matrix with this diagonal and these numbers off it. Pivots are kept above
    /// `floor` times the diagonal, so that rows which repeat others do no harm.
    pub fn factor(&mut self, diagonal: &[f64], values: &[f64], floor: f64) {
        self.filled.fill(0);
        let (mut entry, mut fill) = (0, 0);
        for (k, &own) in diagonal.iter().enumerate() {
            let entries = &self.entries[entry..self.entries_end[k]];
            let pattern = &self.pattern[fill..self.pattern_end[k]];
            (entry, fill) = (self.entries_end[k], self.pattern_end[k]);
            for &(column, slot) in entries {
                self.work[column as usize] += values[slot as usize];
            }
            let mut pivot = own;
            for &column in pattern {
                let i = column as usize;
                let y = std::mem::take(&mut self.work[i]);
                let (from, to) = (self.start[i], self.start[i] + self.filled[i] as usize);
                for (row, below) in self.rows[from..to].iter().zip(&self.below[from..to]) {
                    self.work[*row as usize] -= below * y;
                }
                let l = y / self.pivots[i];
                pivot -= l * y;
                self.rows[to] = k as u32;
                self.below[to] = l;
                self.filled[i] += 1;
            }
            self.pivots[k] = pivot.max(floor * own).max(f64::MIN_POSITIVE);
        }
    }

    /// Solves in place.
    pub fn solve(&self, x: &mut [f64]) {
        for j in 0..self.len() {
            let known = x[j];
            for p in self.start[j]..self.start[j + 1] {
                x[self.rows[p] as usize] -= self.below[p] * known;
            }
        }
        for j in (0..self.len()).rev() {
            let mut value = x[j] / self.pivots[j];
            for p in self.start[j]..self.start[j + 1] {
                value -= self.below[p] * x[self.rows[p] as usize];
            }
            x[j] = value;
        }
    }
}

/// Where each row ends when all stand in one list.
fn ends<T>(rows: &[Vec<T>]) -> Vec<usize> {
    let sum = |so_far: &mut usize, row: &Vec<T>| {
        *so_far += row.len();
        Some(*so_far)
    };
    rows.iter().scan(0, sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use proptest::prelude::*;

    proptest! {
        /// A random sparse positive definite matrix: the solution fulfils the equations.
        #[test]
        fn solutions_fulfil_the_equations(n in 1..30_usize, seed: u64) {
            let mut random = Random::new(seed);
            let mut dense = vec![vec![0.0; n]; n];
            let (mut entries, mut values) = (vec![Vec::<(u32, u32)>::new(); n], Vec::new());
            let lower = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
            for (i, j) in lower.filter(|_| random.unit() < 0.2) {
                entries[i].push((j as u32, values.len() as u32));
                let value = values.len() as f64 / (n * n) as f64 - 0.3;
                values.push(value);
                (dense[i][j], dense[j][i]) = (value, value);
            }
            let diagonal: Vec<f64> =
                dense.iter().map(|row| 0.1 + row.iter().map(|x: &f64| x.abs()).sum::<f64>()).collect();
            let right: Vec<f64> = (0..n).map(|_| random.between(-1.0, 1.0)).collect();
            let mut ldl = Ldl::new(entries);
            let mut x = right.clone();
            for _ in 0..2 {
                ldl.factor(&diagonal, &values, 1e-12);
                x.clone_from(&right);
                ldl.solve(&mut x);
            }
            for i in 0..n {
                let left: f64 = diagonal[i] * x[i] + (0..n).map(|j| dense[i][j] * x[j]).sum::<f64>();
                prop_assert!((left - right[i]).abs() < 1e-10, "{left} {}", right[i]);
            }
        }
    }

    #[test]
    fn a_chain_has_no_fill() {
        let ldl =
            Ldl::new((0..100).map(|i| if i > 0 { vec![(i - 1, i)] } else { vec![] }).collect());
        assert_eq!(ldl.below.len(), 99);
    }

    #[test]
    fn a_row_twice_does_no_harm() {
        let mut ldl = Ldl::new(vec![vec![], vec![(0, 0)]]);
        ldl.factor(&[2.0, 2.0], &[2.0], 1e-9);
        let mut x = [2.0, 2.0];
        ldl.solve(&mut x);
        assert!((x[0] + x[1] - 1.0).abs() < 1e-6, "{x:?}");
    }
}
