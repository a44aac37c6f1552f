//! The axis that separates two boxes most, of the fifteen that can
//! [Gottschalk et al. 1996].

use super::Placed;
use crate::math::DVec3;

/// Which direction separates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Axis {
    FaceOfA(usize),
    FaceOfB(usize),
    /// Directions of one edge of each, and the normal from `b` to `a`.
    Edges(usize, usize, DVec3),
}

/// An edge pair must separate by this part of the size more than any face.
const PREFER_FACES: f64 = 1e-3;

/// The largest separation along any of the axes, unless it is above `reach`.
pub(super) fn widest(a: &Placed, b: &Placed, reach: f64) -> Option<(f64, Axis)> {
    let (ha, hb) = (a.piece.core.stretch(), b.piece.core.stretch());
    let d = b.centre - a.centre;
    let axes = |p: &Placed| [p.axes.x_axis, p.axes.y_axis, p.axes.z_axis];
    let (u, v) = (axes(a), axes(b));
    let da = u.map(|u| u.dot(d));
    let db = v.map(|v| v.dot(d));
    let c = u.map(|u| v.map(|v| u.dot(v)));
    let mut best = (f64::NEG_INFINITY, Axis::FaceOfA(0));
    let size = ha.min_element().min(hb.min_element());
    for i in 0..3 {
        let other = hb.x * c[i][0].abs() + hb.y * c[i][1].abs() + hb.z * c[i][2].abs();
        let separation = da[i].abs() - ha[i] - other;
        if separation > reach {
            return None;
        }
        if separation > best.0 {
            best = (separation, Axis::FaceOfA(2 * i + usize::from(da[i] > 0.0)));
        }
    }
    // Of two faces alike, that of `a` stays the reference from step to step; of a face and a
    // pair of edges alike, the face gives more points.
    let mut least = best.0 + PREFER_FACES * size;
    for j in 0..3 {
        let other = ha.x * c[0][j].abs() + ha.y * c[1][j].abs() + ha.z * c[2][j].abs();
        let separation = db[j].abs() - hb[j] - other;
        if separation > reach {
            return None;
        }
        if separation > least {
            best = (separation, Axis::FaceOfB(2 * j + usize::from(db[j] < 0.0)));
            least = separation;
        }
    }
    least = least.max(best.0 + PREFER_FACES * size);
    for i in 0..3 {
        for j in 0..3 {
            let sine2 = 1.0 - c[i][j] * c[i][j];
            if sine2 < 1e-6 {
                continue;
            }
            let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
            // |d . (u_i x v_j)| with d in the frame of `a`.
            let through = da[i2] * c[i1][j] - da[i1] * c[i2][j];
            let own = ha[i1] * c[i2][j].abs() + ha[i2] * c[i1][j].abs();
            let other = hb[j1] * c[i][j2].abs() + hb[j2] * c[i][j1].abs();
            let length = sine2.sqrt();
            let separation = (through.abs() - own - other) / length;
            if separation > reach {
                return None;
            }
            if separation > least {
                let normal = u[i].cross(v[j]) * (-through.signum() / length);
                best = (separation, Axis::Edges(i, j, normal));
                least = separation;
            }
        }
    }
    Some(best)
}

/// The point of a box farthest along a direction, as the middle of its edge along axis `along`,
/// and half of that edge.
pub(super) fn edge(p: &Placed, along: usize, direction: DVec3) -> (DVec3, DVec3) {
    let half = p.piece.core.stretch();
    let axes = [p.axes.x_axis, p.axes.y_axis, p.axes.z_axis];
    let mut at = p.centre;
    for k in (0..3).filter(|&k| k != along) {
        at += axes[k] * if axes[k].dot(direction) > 0.0 { half[k] } else { -half[k] };
    }
    (at, axes[along] * half[along])
}
