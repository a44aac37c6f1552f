//! The points of contacts: what a pass over the contacts reads ([`Point`]) apart
//! from what only the motion needs ([`Mark`]), so that passes touch little memory.

use super::bodies::{Pose, Velocity};
use crate::contact::manifold::{MOST_SPOTS, Manifold, Spot};
use crate::math::{DMat3, DVec3};

/// Passes over the points of a contact at a time.
const INNER: usize = 2;

/// One point that pushes along the normal of its contact.
#[derive(Clone, Copy, Debug, Default)]
pub struct Point {
    /// Moments of the normal about both centres.
    pub moments: [DVec3; 2],
    /// How fast the gaps of the contact's points grow per unit impulse at this one.
    couplings: [f64; MOST_SPOTS],
    /// Its effective mass: the inverse of its coupling to itself.
    pub mass: f64,
    /// How fast the gap must grow, at least; negative while it is open.
    pub wanted: f64,
    pub impulse: f64,
    /// As `impulse`, for displacements.
    pub shift: f64,
    pub gap: f64,
}

/// What carries a point in both bodies, so that its gap follows the motion during the substeps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark {
    pub locals: [DVec3; 2],
    /// From the centres of the bodies to the point, as its moments have it, and the gap there.
    pub arms: [DVec3; 2],
    pub gap: f64,
    /// The gap if the two were at the same place.
    pub gap_together: f64,
}

impl Point {
    pub fn new(poses: &[Pose; 2], manifold: &Manifold, spot: &Spot) -> (Point, Mark) {
        let Manifold { normal, inwards, .. } = *manifold;
        let arms = [spot.at - poses[0].position, spot.at - poses[1].position];
        let moments = [arms[0].cross(normal), arms[1].cross(normal)];
        let local = |k: usize| poses[k].turn.transpose() * (arms[k] + inwards[k]);
        let point = Point { moments, gap: spot.gap, ..Default::default() };
        let gap_together = spot.gap - normal.dot(inwards[0] - inwards[1]);
        (point, Mark { locals: [local(0), local(1)], arms, gap: spot.gap, gap_together })
    }

    /// What the points of a contact do to each other; `masses` is the sum of the inverse masses.
    pub fn couple(points: &mut [Point], masses: f64, inertias: [&DMat3; 2]) {
        for i in 0..points.len() {
            let [a, b] = points[i].moments;
            let moved = [*inertias[0] * a, *inertias[1] * b];
            for k in 0..points.len() {
                let [a, b] = points[k].moments;
                points[i].couplings[k] = masses + a.dot(moved[0]) + b.dot(moved[1]);
            }
            points[i].mass = points[i].couplings[i].recip();
        }
    }

    /// The part of the gap's growth that comes from turning.
    #[inline]
    pub fn turning(&self, a: &Velocity, b: &Velocity) -> f64 {
        self.moments[0].dot(a.angular) - self.moments[1].dot(b.angular)
    }

    /// An open gap may close within the substep, no faster.
    #[inline]
    pub fn set_gap(&mut self, gap: f64, skin: f64, h: f64) {
        self.gap = gap;
        let open = gap - skin;
        self.wanted = if open > 0.0 { -open / h } else { 0.0 };
    }
}

/// Gauss-Seidel passes over the points of one contact: `missing` speeds are made up for by
/// `sums` that never become attractive. Returns the largest change at a point in the first pass.
#[inline]
pub fn relax(
    points: &[Point],
    missing: &mut [f64; MOST_SPOTS],
    sums: &mut [f64; MOST_SPOTS],
) -> f64 {
    let mut change = 0.0_f64;
    for pass in 0..if points.len() > 1 { INNER } else { 1 } {
        for (i, point) in points.iter().enumerate().take(MOST_SPOTS) {
            let after = (sums[i] + point.mass * missing[i]).max(0.0);
            let by = after - sums[i];
            sums[i] = after;
            for (missing, coupling) in missing.iter_mut().zip(point.couplings) {
                *missing -= coupling * by;
            }
            if pass == 0 {
                change = change.max(by.abs() * point.couplings[i]);
            }
        }
    }
    change
}
