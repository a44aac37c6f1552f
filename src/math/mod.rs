//! Vectors (from glam, always `f64`), random numbers, and the tolerances that
//! several rooms must agree on, each with the reason for its value. What only
//! one algorithm compares by is a constant beside it; what `verify` holds a run
//! of a method to is in its own table of limits.

mod principal;
mod random;
mod turned;

pub use glam::{DAffine2, DMat2, DMat3, DQuat, DVec2, DVec3};
pub use principal::principal_axes;
pub use random::Random;
pub use turned::turned;

/// Rows keep this much distance, in units of the smaller radius, so that
/// rounding never turns a touch into an overlap. Contacts at rest sit at
/// exactly this gap.
pub const SKIN: f64 = 1e-9;

/// A boundary piece that stands out of a half-space by less than this, in
/// units of the radius, counts as lying behind it. It must be well inside
/// [`SKIN`], or the sphere could cut into what was dropped; and well above
/// rounding, or slivers of the same face would survive the clipping.
pub const CLIP: f64 = 1e-11;

/// A pair touches when its gap is below this, in units of the smaller radius.
/// Between the skin (1e-9) and the gaps of near neighbours there is a wide
/// plateau; 1e-5 gives the same contacts once a heap has been polished.
pub const TOUCH: f64 = 1e-6;

/// A contact without force forbids motion if its gap is below this, in units of the smaller
/// radius: a slot that leaves less play than that holds what is in it. Within such play the energy
/// can fall by no more than some 1e-10 of a weight times a radius.
pub const PLAY: f64 = 1e-5;

/// Bodies that rest on each other are no farther apart than this, in units of the smaller radius,
/// whatever method brought them there: dynamics leaves half as much by design, collapse as much
/// as a step may miss, settle its [`SKIN`]. `stable` asks what such contacts bear.
pub const RESTING_GAP: f64 = 2e-4;

/// The largest overlap, relative to the smaller radius, that `verify` accepts.
pub const OVERLAP_LIMIT: f64 = 1e-9;

/// Two bodies that overlap by less than this at the start, in units of the
/// smaller radius, touch: a grid of spheres exactly two radii apart does so by
/// the rounding of its coordinates. A thousandth of [`OVERLAP_LIMIT`].
pub const START_OVERLAP: f64 = 1e-12;

/// The largest force imbalance, relative to a body's own weight or typical
/// force, that `verify` accepts at rest.
pub const RESIDUAL_LIMIT: f64 = 1e-6;

/// A contact at rest carries force for sure above this part of the weight of its lighter body: a
/// certificate balances forces to [`RESIDUAL_LIMIT`], and below may be its noise.
pub const CARRIES: f64 = 1e-6;

/// Whether a contact at rest carries force, relative to the weight of its lighter body (its
/// largest force, if there are others), when forces are balanced up to a residual: noise is a few times
/// that, and never less than this part of the weight.
pub fn carries(force: f64, weight: f64, residual: f64) -> bool {
    force > weight * (10.0 * residual).clamp(1e-9, CARRIES)
}

/// A motion whose squared singular value is below this meets no resistance. In random heaps
/// values are below 1e-16 or above 1e-7; where bodies fit their container exactly, contacts
/// that are open by their [`SKIN`] turn normals by its root, and values near the skin are resisted.
pub const NULL_MODE: f64 = 1e-11;

/// A null mode is unstable if the curvature of the energy along it, in typical
/// weights over radii, is above this: what rounding makes of 0 is far below.
pub const UNSTABLE_MODE: f64 = 1e-7;

/// A joint whose least and greatest distance differ by no more than this part
/// of it is a bar: it is held both ways, where others are slack in between.
pub const BAR: f64 = 1e-3;

/// Where energies have a stiffness of their own, contacts that carry force count
/// as springs this much stiffer than a typical force over a typical radius.
pub const STIFF_CONTACT: f64 = 1e6;

/// A mode of less stiffness than this (in a typical force over a typical
/// radius) is neutral, one of less than minus this is unstable: what rounding
/// makes of 0 beside [`STIFF_CONTACT`] is a thousand times smaller.
pub const STIFF_NULL: f64 = 1e-7;

/// The energy may rise from one frame to the next by at most this fraction of
/// the run's energy range: room for the rounding of a sum, nothing else.
pub const ENERGY_ROUNDING: f64 = 1e-12;

/// Numbers that a person or another program writes are 0 or of a size from this ...
pub const LEAST_NUMBER: f64 = 1e-30;

/// ... to this: inertias have the fifth power of a length, and forces, energies and determinants
/// multiply such numbers once more.
pub const MOST_NUMBER: f64 = 1e30;

/// A sum that loses almost nothing to rounding (Neumaier's compensated sum),
/// so that energies of large scenes can be compared near rest.
///
/// ```
/// assert_eq!(riprap::math::exact_sum([1e16, 1.0, -1e16]), 1.0);
/// ```
pub fn exact_sum(terms: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for term in terms {
        let next = sum + term;
        lost += if sum.abs() >= term.abs() { (sum - next) + term } else { (term - next) + sum };
        sum = next;
    }
    sum + lost
}

/// The middle value of a list (the mean of the two middle ones); 0 if empty.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    match n {
        0 => 0.0,
        _ if n % 2 == 1 => values[n / 2],
        _ => 0.5 * (values[n / 2 - 1] + values[n / 2]),
    }
}
