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
                blocks
                    .flat_map(|block| (0..block.ncols()).map(move |k| block[(k, k)]))
                    .collect()
            }
        }
    }
}
