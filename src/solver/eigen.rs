//! Eigenvalues of small dense symmetric matrices, by Jacobi's rotations: a few
//! lines, and exact to the last digits for the dozens of unknowns it is for.

/// Eigenvalues in ascending order, each with its unit vector.
///
/// ```
/// let (values, vectors) = riprap::solver::eigen::symmetric(&[vec![2.0, 1.0], vec![1.0, 2.0]]);
/// assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15);
/// assert!((vectors[1][0] - vectors[1][1]).abs() < 1e-15);
/// ```
pub fn symmetric(matrix: &[Vec<f64>]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = matrix.len();
    let mut a = matrix.to_vec();
    // Row k of `v` is the k-th vector.
    let mut v: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect();
    for _sweep in 0..60 {
        let off: f64 =
            (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i][j].powi(2)).sum();
        let all: f64 = a.iter().flatten().map(|x| x * x).sum();
        if off <= 1e-34 * all {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut v, p, q);
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[i][i].total_cmp(&a[j][j]));
    (order.iter().map(|&i| a[i][i]).collect(), order.iter().map(|&i| v[i].clone()).collect())
}

/// The rotation in the plane of `p` and `q` that makes `a[p][q]` vanish.
fn rotate(a: &mut [Vec<f64>], v: &mut [Vec<f64>], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for row in a.iter_mut() {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    let turn = |m: &mut [Vec<f64>]| {
        let (head, tail) = m.split_at_mut(q);
        for (x, y) in head[p].iter_mut().zip(tail[0].iter_mut()) {
            (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
        }
    };
    turn(a);
    turn(v);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use proptest::prelude::*;

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn known_matrices() {
        assert_eq!(symmetric(&[]), (vec![], vec![]));
        assert_eq!(symmetric(&[vec![-3.0]]), (vec![-3.0], vec![vec![1.0]]));
        let (values, vectors) = symmetric(&[vec![5.0, 0.0], vec![0.0, -1.0]]);
        assert_eq!((values, vectors), (vec![-1.0, 5.0], vec![vec![0.0, 1.0], vec![1.0, 0.0]]));
        assert_eq!(symmetric(&vec![vec![0.0; 4]; 4]).0, [0.0; 4]);
    }

    /// A string of beads: 2 on the diagonal, -1 beside it; 2 - 2 cos(k pi / (n + 1)).
    #[test]
    fn the_string_of_beads() {
        let n = 20;
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        };
        let matrix: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        for (k, value) in symmetric(&matrix).0.iter().enumerate() {
            let angle = std::f64::consts::PI * (k + 1) as f64 / (n + 1) as f64;
            assert!((value - (2.0 - 2.0 * angle.cos())).abs() < 1e-14);
        }
    }

    proptest! {
        #[test]
        fn vectors_are_eigenvectors(n in 1..12_usize, seed: u64, exponent in -10..10) {
            let mut random = Random::new(seed);
            let scale = 10_f64.powi(exponent);
            let mut matrix = vec![vec![0.0; n]; n];
            for (i, j) in (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                matrix[i][j] = scale * random.between(-1.0, 1.0);
                matrix[j][i] = matrix[i][j];
            }
            let (values, vectors) = symmetric(&matrix);
            prop_assert!(values.is_sorted());
            for (k, (value, vector)) in values.iter().zip(&vectors).enumerate() {
                for (row, x) in matrix.iter().zip(vector) {
                    prop_assert!((dot(row, vector) - value * x).abs() < 1e-13 * scale);
                }
                for (j, other) in vectors.iter().enumerate() {
                    prop_assert!((dot(vector, other) - f64::from(j == k)).abs() < 1e-13);
                }
            }
        }
    }
}
