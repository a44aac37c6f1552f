//! Eigenvalues of small dense matrices by Jacobi's rotations.

/// The eigenvalues of a symmetric matrix in ascending order, and their unit vectors.
pub(super) fn eigen(matrix: &[Vec<f64>]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = matrix.len();
    let mut a = matrix.to_vec();
    let unit = |i: usize| (0..n).map(|j| f64::from(u8::from(i == j))).collect();
    let mut vectors: Vec<Vec<f64>> = (0..n).map(unit).collect();
    for _ in 0..40 {
        for p in 0..n {
            for q in p + 1..n {
                turn(&mut a, &mut vectors, p, q);
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[i][i].total_cmp(&a[j][j]));
    let values = order.iter().map(|&i| a[i][i]).collect();
    (values, order.into_iter().map(|i| vectors[i].clone()).collect())
}

/// Turns the axes `p` and `q` so that their entry vanishes.
fn turn(a: &mut [Vec<f64>], vectors: &mut [Vec<f64>], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let angle = 0.5 * (2.0 * a[p][q] / (a[q][q] - a[p][p])).atan();
    let (s, c) = angle.sin_cos();
    for row in a.iter_mut() {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    for rows in [a, vectors] {
        let (one, two) = (rows[p].clone(), rows[q].clone());
        for k in 0..one.len() {
            rows[p][k] = c * one[k] - s * two[k];
            rows[q][k] = s * one[k] + c * two[k];
        }
    }
}
