//! Is the rest stable? A motion that no force-carrying contact resists (a null
//! mode) lowers the energy if it slides on a curved contact that carries force,
//! because sliding opens it; if it slides on none, it is neutral.
//!
//! Let `A` hold the rows of the contacts that carry force and `G` their forces
//! times curvatures. `G` has no negative eigenvalue, so a null mode is neutral
//! exactly if `G` has it as a null mode, too. Both kinds are therefore counted
//! as eigenvalues that are almost zero: the null modes are those of `A'A`, the
//! neutral ones those of `A'A + G`, and all the others are unstable.

use super::inertia::Symmetric;
use super::rest::Touch;
use crate::math::{DMat3, DVec3, median};
use crate::problem::Result;
use crate::world::Model;

/// A contact carries force above this part of a typical weight.
const CARRIES: f64 = 1e-6;
/// Squared singular values below this are null. True ones were measured at
/// 1e-7 and above, null ones at 1e-16 and below.
const NULL: f64 = 1e-9;
/// Curvature of the energy, in typical weights over radii, above which a null mode is unstable.
const UNSTABLE: f64 = 1e-7;
/// A wedge holds by large forces on rows that are nearly dependent: a row
/// counts by its force, in typical weights. Beyond this the squares would bury
/// the null modes under their rounding.
const MOST_SCALE: f64 = 100.0;
/// Rows weigh this much more than curvature in the count of neutral modes, so
/// that a true mode cannot be taken for one.
const STIFFNESS: f64 = 1e3;

/// The null modes of a rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Modes {
    pub null: usize,
    pub unstable: usize,
}

/// Counts the modes; `None` if a mode is too close to the border between two classes.
pub(super) fn modes(model: &Model, touches: &[Touch]) -> Result<Option<Modes>> {
    let weight = typical(model.bodies.iter().map(|body| body.mass).collect())
        * model.gravity.length();
    let radius = typical(model.bodies.iter().map(|body| body.radius).collect());
    let empty = || Symmetric::new(model.dimension, model.bodies.len());
    let (mut rows, mut rows_and_curvature) = (empty(), empty());
    for touch in touches.iter().filter(|touch| touch.force > CARRIES * weight) {
        let force = touch.force / weight;
        let row = outer(touch.normal) * force.clamp(1.0, MOST_SCALE).powi(2);
        let curvature = touch.curvature * (force * radius);
        rows.add(touch.body, touch.other, row);
        rows_and_curvature.add(touch.body, touch.other, STIFFNESS * row + curvature);
    }
    let Some(null) = rows.count_below(NULL)? else { return Ok(None) };
    if null == 0 {
        return Ok(Some(Modes { null, unstable: 0 }));
    }
    let neutral = rows_and_curvature.count_below(UNSTABLE)?;
    Ok(neutral.map(|neutral| Modes { null, unstable: null.saturating_sub(neutral) }))
}

fn typical(values: Vec<f64>) -> f64 {
    match median(values) {
        middle if middle > 0.0 => middle,
        _ => 1.0,
    }
}

/// The matrix that takes a vector to its part along the unit vector `n`.
pub(super) fn outer(n: DVec3) -> DMat3 {
    DMat3::from_cols(n * n.x, n * n.y, n * n.z)
}
