//! The principal axes of an inertia, by Jacobi's rotations.

use super::{DMat3, DQuat, DVec3};

/// Moments about the principal axes, and the rotation from these axes to the matrix's own. A
/// matrix that is diagonal already keeps its axes.
///
/// ```
/// use riprap::math::{DMat3, DQuat, DVec3, principal_axes};
/// let turn = DMat3::from_quat(DQuat::from_rotation_z(0.3));
/// let inertia = turn * DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0)) * turn.transpose();
/// let (moments, axes) = principal_axes(inertia);
/// let axes = DMat3::from_quat(axes);
/// assert!((axes * DMat3::from_diagonal(moments) * axes.transpose()).abs_diff_eq(inertia, 1e-14));
/// ```
pub fn principal_axes(matrix: DMat3) -> (DVec3, DQuat) {
    let (mut a, mut axes) = (matrix, DMat3::IDENTITY);
    let size = |a: &DMat3| a.x_axis.x.abs() + a.y_axis.y.abs() + a.z_axis.z.abs();
    for _ in 0..40 {
        let off = [(0, 1), (0, 2), (1, 2)].map(|(p, q)| (a.col(q)[p], p, q));
        let largest =
            off.into_iter().fold(off[0], |m, x| if x.0.abs() > m.0.abs() { x } else { m });
        let (value, p, q) = largest;
        if value.abs() <= 1e-14 * size(&a) {
            break;
        }
        let theta = 0.5 * (2.0 * value).atan2(a.col(q)[q] - a.col(p)[p]);
        let (s, c) = theta.sin_cos();
        let mut turn = DMat3::IDENTITY;
        turn.col_mut(p)[p] = c;
        turn.col_mut(q)[q] = c;
        turn.col_mut(q)[p] = s;
        turn.col_mut(p)[q] = -s;
        a = turn.transpose() * a * turn;
        axes *= turn;
    }
    let moments = DVec3::new(a.x_axis.x, a.y_axis.y, a.z_axis.z);
    (moments, DQuat::from_mat3(&axes).normalize())
}
