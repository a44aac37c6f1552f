//! Counting the eigenvalues of a large sparse symmetric matrix below a bound
//! without computing any of them: by Sylvester's law of inertia, they are as
//! many as negative pivots of the matrix minus the bound.
//!
//! Very stiff terms would bury the small eigenvalues under their rounding. Each
//! of them gets an unknown of its own instead, behind all others: the matrix
//! `[M, c n; c n', -d]` has one negative pivot more than `M + (c^2 / d) n n'`,
//! and no entry of it is large.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::PermRef;
use faer::sparse::linalg::amd;
use faer::sparse::linalg::cholesky::supernodal::SupernodalLdltRef;
use faer::sparse::linalg::cholesky::{
    SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Par, Side};

use crate::math::{DMat3, DVec3};
use crate::problem::{Problem, Result};

/// A pivot this much smaller than the shift says that a part of the matrix is
/// singular by accident, and that what follows may be rounding.
const SMALLEST_PIVOT: f64 = 1e-3;
/// Shifts that are tried before giving up, each a little larger.
const TRIES: i32 = 4;

/// A body, and the factor by which its motion counts.
pub(super) type End = (usize, f64);

/// A symmetric matrix made of blocks, one row of blocks per body.
pub(super) struct Symmetric {
    /// Unknowns per body: 2 or 3.
    width: usize,
    bodies: usize,
    /// Entries of the upper triangle, in any order; those of one place add up.
    entries: Vec<Triplet<usize, usize, f64>>,
    stiff: Vec<Stiff>,
}

/// A term `stiffness * (n . u)^2`, `u` being the motion of `a`, relative to
/// that of `b` if there is one.
struct Stiff {
    a: End,
    b: Option<End>,
    n: DVec3,
    stiffness: f64,
}

impl Symmetric {
    /// The zero matrix.
    pub fn new(width: usize, bodies: usize) -> Symmetric {
        Symmetric { width, bodies, entries: Vec::new(), stiff: Vec::new() }
    }

    /// Adds the quadratic form `u . block u`, where `u` is the motion of `a`,
    /// relative to that of `b` if there is one.
    pub fn add(&mut self, (a, x): End, b: Option<End>, block: DMat3) {
        self.add_block(a, a, block * (x * x));
        if let Some((b, y)) = b {
            self.add_block(b, b, block * (y * y));
            self.add_block(a.min(b), a.max(b), -block * (x * y));
        }
    }

    /// Adds `stiffness * (n . u)^2`. A part of it, as large as its neighbours
    /// are, should have been added the ordinary way.
    pub fn add_stiff(&mut self, a: End, b: Option<End>, n: DVec3, stiffness: f64) {
        self.stiff.push(Stiff { a, b, n, stiffness });
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

    /// How many eigenvalues are below `bound` for sure, and how many with those that lie within a factor
    /// of two of it; `None` if rounding hides that.
    pub fn count_below(&self, bound: f64) -> Result<Option<[usize; 2]>> {
        if self.bodies == 0 {
            return Ok(Some([0, 0]));
        }
        let mut pivots = Pivots::new(self)?;
        let low = pivots.count_below(0.5 * bound)?;
        let high = pivots.count_below(2.0 * bound)?;
        Ok(low.zip(high).filter(|(low, high)| low <= high).map(|(low, high)| [low, high]))
    }

    /// Unknowns without those of the stiff terms.
    fn size(&self) -> usize {
        self.width * self.bodies
    }

    /// The matrix minus `shift`, without and with the unknowns of the stiff terms.
    fn shifted(&self, shift: f64, with_stiff: bool) -> Result<SparseColMat<usize, f64>> {
        let mut entries = self.entries.clone();
        let stiff = if with_stiff { &self.stiff[..] } else { &[] };
        for (k, term) in stiff.iter().enumerate() {
            let c = (term.stiffness * shift).sqrt();
            for (body, sign) in [(Some(term.a), 1.0), (term.b, -1.0)] {
                let Some((body, factor)) = body else { continue };
                let entry = |i: usize| (body * self.width + i, sign * factor * c * term.n[i]);
                let column = self.size() + k;
                let column =
                    (0..self.width).map(entry).map(|(row, value)| Triplet::new(row, column, value));
                entries.extend(column);
            }
        }
        let size = self.size() + stiff.len();
        entries.extend((0..size).map(|k| Triplet::new(k, k, -shift)));
        SparseColMat::try_new_from_triplets(size, size, &entries)
            .map_err(|error| Problem::new(format!("the contact matrix cannot be built: {error:?}")))
    }

    /// The order in which to eliminate: that of least fill-in for the bodies, then the stiff terms.
    fn order(&self) -> Result<Vec<usize>> {
        let matrix = self.shifted(0.0, false)?;
        let n = self.size();
        let (mut order, mut inverse) = (vec![0; n], vec![0; n]);
        let entries = matrix.row_idx().len();
        let mut memory = MemBuffer::new(amd::order_scratch::<usize>(n, entries));
        let (control, stack) = (amd::Control::default(), MemStack::new(&mut memory));
        amd::order(&mut order, &mut inverse, matrix.symbolic(), control, stack)
            .map_err(too_large)?;
        order.extend(n..n + self.stiff.len());
        Ok(order)
    }
}

fn too_large(error: faer::sparse::FaerError) -> Problem {
    Problem::new(format!("the contact matrix is too large: {error:?}"))
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
        let order = matrix.order()?;
        let mut inverse = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &unknown)| inverse[unknown] = place);
        let symbolic = factorize_symbolic_cholesky(
            matrix.shifted(0.0, true)?.symbolic(),
            Side::Upper,
            SymmetricOrdering::Custom(PermRef::new_checked(&order, &inverse, order.len())),
            Default::default(),
        )
        .map_err(too_large)?;
        let scratch = symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default());
        let values = vec![0.0; symbolic.len_val()];
        Ok(Pivots { matrix, symbolic, memory: MemBuffer::new(scratch), values })
    }

    /// The number of eigenvalues below a shift, or below one a little larger if
    /// that one meets an accident.
    fn count_below(&mut self, shift: f64) -> Result<Option<usize>> {
        for attempt in 0..TRIES {
            let shift = shift * 1.07_f64.powi(attempt);
            let Some(pivots) = self.at(shift)? else { continue };
            if pivots.iter().all(|pivot| pivot.abs() > SMALLEST_PIVOT * shift) {
                let negative = pivots.iter().filter(|&&pivot| pivot < 0.0).count();
                return Ok(negative.checked_sub(self.matrix.stiff.len()));
            }
        }
        Ok(None)
    }

    fn at(&mut self, shift: f64) -> Result<Option<Vec<f64>>> {
        let matrix = self.matrix.shifted(shift, true)?;
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
    use crate::math::Random;
    use crate::verify::dense::eigen;

    fn eigenvalues(matrix: &Symmetric) -> Vec<f64> {
        let size = matrix.width * matrix.bodies;
        let mut dense = vec![vec![0.0; size]; size];
        let mut ordinary = Symmetric::new(matrix.width, matrix.bodies);
        for Stiff { a, b, n, stiffness } in &matrix.stiff {
            ordinary.add(*a, *b, stiffness * DMat3::from_cols(n * n.x, n * n.y, n * n.z));
        }
        for entry in ordinary.entries.iter().chain(&matrix.entries) {
            dense[entry.row][entry.col] += entry.val;
            if entry.row != entry.col {
                dense[entry.col][entry.row] += entry.val;
            }
        }
        eigen(&dense).0
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn counts_are_those_of_the_eigenvalues(
            seed: u64,
            width in 2_usize..=3,
            rows in 1_usize..40,
            stiff: bool,
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
                let factor = |body: usize| [1.0, 0.3, 3.0][body % 3];
                let end = |body: usize| (body, factor(body));
                matrix.add(end(a), Some(end(b)).filter(|_| b != a), block);
            }
            let with_stiff = |matrix: &mut Symmetric| {
                matrix.add_stiff((3, 1.0), Some((5, 3.0)), DVec3::new(0.6, -0.8, 0.0), 1e3);
                matrix.add_stiff((2, 1.0), None, DVec3::new(0.0, 1.0, 0.0), 1e5);
                matrix.add_stiff((2, 1.0), None, DVec3::new(0.0, 1.0, 0.0), 1e5);
            };
            if stiff {
                with_stiff(&mut matrix);
            }
            let values = eigenvalues(&matrix);
            let below = |bound: f64| values.iter().filter(|v| **v < bound).count();
            // Shifts are moved a little where they meet an accident.
            let Some([low, high]) = matrix.count_below(bound).unwrap() else { return Ok(()) };
            prop_assert!(below(0.5 * bound) <= low && low <= below(0.65 * bound));
            prop_assert!(below(2.0 * bound) <= high && high <= below(2.5 * bound));
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
                            matrix.add((at(x, y, z), 1.0), Some((other, 1.0)), DMat3::IDENTITY);
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
            assert_eq!(pivots.count_below(bound).unwrap(), Some(expected), "{bound}");
        }
        let free = matrix.count_below(1e-9).unwrap();
        assert_eq!(free, Some([3, 3]), "only moves as a whole are free");
    }

    #[test]
    fn what_is_on_the_border_is_told() {
        let mut matrix = Symmetric::new(3, 1);
        matrix.add((0, 1.0), None, DMat3::IDENTITY);
        assert_eq!(matrix.count_below(1.0).unwrap(), Some([0, 3]));
        assert_eq!(matrix.count_below(3.0).unwrap(), Some([3, 3]));
        assert_eq!(matrix.count_below(0.3).unwrap(), Some([0, 0]));
        assert_eq!(Symmetric::new(3, 0).count_below(1.0).unwrap(), Some([0, 0]));
    }
}
