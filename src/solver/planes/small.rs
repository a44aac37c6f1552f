//! Small dense matrices: of a body, of a plane, and between the two.

use super::{OF_BODY, OF_PLANE};

pub type Square = [[f64; OF_BODY]; OF_BODY];
pub type Across = [[f64; OF_PLANE]; OF_BODY];
pub type Small = [[f64; OF_PLANE]; OF_PLANE];

/// What is less than this part of what it was taken from is rounding, ...
pub const ROUNDING: f64 = 1e-15;
/// ... and what is less than minus this part is not.
const NOT_ROUNDING: f64 = 1e-10;

pub fn times_transposed(a: &Across, b: &Across) -> Square {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..OF_PLANE).map(|k| a[i][k] * b[j][k]).sum()))
}

/// The factor of Cholesky of a matrix that is positive definite, but for rounding; none of any other.
pub fn factor(matrix: Small) -> Option<Small> {
    let mut lower: Small = [[0.0; OF_PLANE]; OF_PLANE];
    for i in 0..OF_PLANE {
        for j in 0..=i {
            let open: f64 = matrix[i][j] - (0..j).map(|k| lower[i][k] * lower[j][k]).sum::<f64>();
            lower[i][j] = match i == j {
                false => open / lower[j][j],
                true if open > -NOT_ROUNDING * matrix[i][i] && open < f64::INFINITY => {
                    open.max(ROUNDING * matrix[i][i]).sqrt()
                }
                true => return None,
            };
        }
    }
    Some(lower)
}

/// `lower` x = `right`, solved.
pub fn forwards(lower: &Small, mut right: [f64; OF_PLANE]) -> [f64; OF_PLANE] {
    for i in 0..OF_PLANE {
        let known: f64 = (0..i).map(|k| lower[i][k] * right[k]).sum();
        right[i] = (right[i] - known) / lower[i][i];
    }
    right
}

/// The same with `lower` transposed.
pub fn backwards(lower: &Small, mut right: [f64; OF_PLANE]) -> [f64; OF_PLANE] {
    for i in (0..OF_PLANE).rev() {
        let known: f64 = (i + 1..OF_PLANE).map(|k| lower[k][i] * right[k]).sum();
        right[i] = (right[i] - known) / lower[i][i];
    }
    right
}
