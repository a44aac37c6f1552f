//! Counting the eigenvalues of a large sparse symmetric matrix below a bound
//! without computing any of them: by Sylvester's law of inertia, they are as
//! many as negative pivots of the matrix minus the bound.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::cholesky::supernodal::SupernodalLdltRef;
use faer::sparse::linalg::cholesky::{
    SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Par, Side};

use crate::math::DMat3;
use crate::problem::{Problem, Result};

/// A pivot this much smaller than the shift says that a part of the matrix is
/// singular by accident, and that what follows may be rounding.
const SMALLEST_PIVOT: f64 = 1e-3;
/// Shifts that are tried before giving up, each a little larger.
const TRIES: i32 = 4;

/// A symmetric matrix made of blocks, one row of blocks per body.
pub(super) struct Symmetric {
    /// Unknowns per body: 2 or 3.
    width: usize,
    bodies: usize,
    /// Entries of the upper triangle, in any order; those of one place add up.
    entries: Vec<Triplet<usize, usize, f64>>,
}

impl Symmetric {
    /// The zero matrix.
    pub fn new(width: usize, bodies: usize) -> Symmetric {
        Symmetric { width, bodies, entries: Vec::new() }
    }

    /// Adds the quadratic form `u . block u`, where `u` is the motion of `a`,
    /// relative to that of `b` if there is one.
    pub fn add(&mut self, a: usize, b: Option<usize>, block: DMat3) {
        self.add_block(a, a, block);
        if let Some(b) = b {
            self.add_block(b, b, block);
            self.add_block(a.min(b), a.max(b), -block);
        }
    }

    fn add_block(&mut self, row: usize, column: usize, block: DMat3) {
        for i in 0..self.width {
            for j in 0..self.width {
                let (i_all, j_all) = (row * self.width + i, column * self.width + j);
                if i_all <= j_all {
                    self.entries.push(Triplet::new(i_all, j_all, block.col(j)[i]));
                }
            }
        }
    }

    /// How many eigenvalues are below `bound`; `None` if that cannot be told
    /// because one of them lies within a factor of two of it.
    pub fn count_below(&self, bound: f64) -> Result<Option<usize>> {
        let size = self.width * self.bodies;
        if size == 0 {
            return Ok(Some(0));
        }
        let mut pivots = Pivots::new(self)?;
        let low = pivots.negative(0.5 * bound)?;
        let high = pivots.negative(2.0 * bound)?;
        Ok(if low == high { low } else { None })
    }

    fn shifted(&self, shift: f64) -> Result<SparseColMat<usize, f64>> {
        let size = self.width * self.bodies;
        let diagonal = (0..size).map(|k| Triplet::new(k, k, -shift));
        let entries: Vec<_> = self.entries.iter().copied().chain(diagonal).collect();
        SparseColMat::try_new_from_triplets(size, size, &entries)
            .map_err(|error| Problem::new(format!("the contact matrix cannot be built: {error:?}")))
    }
}

/// The pivots of a matrix at several shifts.
struct Pivots<'a> {
    matrix: &'a Symmetric,
    symbolic: SymbolicCholesky<usize>,
    memory: MemBuffer,
    values: Vec<f64>,
}

impl<'a> Pivots<'a> {
    fn new(matrix: &'a Symmetric) -> Result<Pivots<'a>> {
        let pattern = matrix.shifted(0.0)?;
        let symbolic = factorize_symbolic_cholesky(
            pattern.symbolic(),
            Side::Upper,
            SymmetricOrdering::Amd,
            Default::default(),
        )
        .map_err(|error| Problem::new(format!("the contact matrix is too large: {error:?}")))?;
        let scratch = symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default());
        let values = vec![0.0; symbolic.len_val()];
        Ok(Pivots { matrix, symbolic, memory: MemBuffer::new(scratch), values })
    }

    /// The number of negative pivots at a shift, or at one a little larger if
    /// that one meets an accident.
    fn negative(&mut self, shift: f64) -> Result<Option<usize>> {
        for attempt in 0..TRIES {
            let shift = shift * 1.07_f64.powi(attempt);
            let Some(pivots) = self.at(shift)? else { continue };
            if pivots.iter().all(|pivot| pivot.abs() > SMALLEST_PIVOT * shift) {
                return Ok(Some(pivots.iter().filter(|&&pivot| pivot < 0.0).count()));
            }
        }
        Ok(None)
    }

    fn at(&mut self, shift: f64) -> Result<Option<Vec<f64>>> {
        let matrix = self.matrix.shifted(shift)?;
        let done = self.symbolic.factorize_numeric_ldlt(
            &mut self.values,
            matrix.as_ref(),
            Side::Upper,
            Default::default(),
            Par::Seq,
            MemStack::new(&mut self.memory),
            Default::default(),
        );
        let is_done = done.is_ok();
        let pivots = self.diagonal();
        Ok((is_done && pivots.iter().all(|pivot| pivot.is_finite())).then_some(pivots))
    }

    /// The diagonal of the factor, which is where the pivots are kept.
    fn diagonal(&self) -> Vec<f64> {
        match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(columns) => {
                let starts = &columns.col_ptr()[..columns.ncols()];
                starts.iter().map(|&start| self.values[start]).collect()
            }
            SymbolicCholeskyRaw::Supernodal(nodes) => {
                let factor = SupernodalLdltRef::new(nodes, &self.values);
                let blocks = (0..nodes.n_supernodes()).map(|s| factor.supernode(s).val());
                blocks.flat_map(|block| (0..block.ncols()).map(move |k| block[(k, k)])).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use proptest::prelude::*;

    use super::*;
    use crate::math::{DVec3, Random};
    use crate::solver::eigen;

    fn eigenvalues(matrix: &Symmetric) -> Vec<f64> {
        let size = matrix.width * matrix.bodies;
        let mut dense = vec![vec![0.0; size]; size];
        for entry in &matrix.entries {
            dense[entry.row][entry.col] += entry.val;
            if entry.row != entry.col {
                dense[entry.col][entry.row] += entry.val;
            }
        }
        eigen::symmetric(&dense).0
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn counts_are_those_of_the_eigenvalues(
            seed: u64,
            width in 2_usize..=3,
            rows in 1_usize..40,
            bound in prop_oneof![Just(1e-9), Just(1e-3), Just(0.3)],
        ) {
            let mut random = Random::new(seed);
            let mut matrix = Symmetric::new(width, 9);
            for _ in 0..rows {
                let mut coordinate = || random.between(-1.0, 1.0);
                let n = DVec3::new(coordinate(), coordinate(), coordinate());
                let block = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
                let body = |unit: f64| (unit * 9.0) as usize;
                let (a, b) = (body(random.unit()), body(random.unit()));
                matrix.add(a, Some(b).filter(|b| *b != a), block);
            }
            let values = eigenvalues(&matrix);
            let below = |bound: f64| values.iter().filter(|v| **v < bound).count();
            match matrix.count_below(bound).unwrap() {
                Some(count) => prop_assert_eq!(count, below(bound)),
                None => prop_assert!(below(0.5 * bound) < below(2.5 * bound)),
            }
        }
    }

    /// A lattice of springs: its eigenvalues are known, and it is large enough
    /// for the blocked factorisation.
    #[test]
    fn large_matrices_are_counted_like_small_ones() {
        let [nx, ny, nz] = [13, 11, 9];
        let at = |x: usize, y: usize, z: usize| (z * ny + y) * nx + x;
        let mut matrix = Symmetric::new(3, nx * ny * nz);
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    for (far, limit, other) in
                        [(x + 1, nx, [1, 0, 0]), (y + 1, ny, [0, 1, 0]), (z + 1, nz, [0, 0, 1])]
                    {
                        if far < limit {
                            let other = at(x + other[0], y + other[1], z + other[2]);
                            matrix.add(at(x, y, z), Some(other), DMat3::IDENTITY);
                        }
                    }
                }
            }
        }
        let wave = |k: usize, n: usize| 2.0 - 2.0 * (PI * k as f64 / n as f64).cos();
        let mut values = Vec::new();
        for z in 0..nz {
            for y in 0..ny {
                values.extend((0..nx).map(|x| wave(x, nx) + wave(y, ny) + wave(z, nz)));
            }
        }
        let mut pivots = Pivots::new(&matrix).unwrap();
        assert!(matches!(pivots.symbolic.raw(), SymbolicCholeskyRaw::Supernodal(_)));
        for bound in [1e-9, 1e-2, 0.51, 4.03, 11.7] {
            let expected = 3 * values.iter().filter(|value| **value < bound).count();
            assert_eq!(pivots.negative(bound).unwrap(), Some(expected), "{bound}");
        }
        assert_eq!(matrix.count_below(1e-9).unwrap(), Some(3), "only moves as a whole are free");
    }

    #[test]
    fn what_is_on_the_border_is_not_counted() {
        let mut matrix = Symmetric::new(3, 1);
        matrix.add(0, None, DMat3::IDENTITY);
        assert_eq!(matrix.count_below(1.0).unwrap(), None);
        assert_eq!(matrix.count_below(3.0).unwrap(), Some(3));
        assert_eq!(matrix.count_below(0.3).unwrap(), Some(0));
        assert_eq!(Symmetric::new(3, 0).count_below(1.0).unwrap(), Some(0));
    }
}
