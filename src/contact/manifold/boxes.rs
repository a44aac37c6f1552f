//! Two boxes: the axis that separates them most, of the fifteen that can
//! [Gottschalk et al. 1996]; over a face, the facing face of the other box is cut
//! to it in the face's own plane.

use super::super::clip::nearest_points;
use super::{Manifold, PREFERENCE, Placed, spanning};
use crate::math::DVec3;

/// Which direction separates.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Axis {
    /// The axis of a face, and whether it points from that box to the other.
    FaceOfA(usize, bool),
    FaceOfB(usize, bool),
    /// Directions of one edge of each, and the normal from `b` to `a`.
    Edges(usize, usize, DVec3),
}

/// A quadrilateral cut by four lines has at most so many corners.
const MOST_CORNERS: usize = 8;

/// A box and half its sides.
type Sized<'p, 'a> = (&'p Placed<'a>, DVec3);

/// The axis that separates two boxes most, from the second to the first, and the room along it,
/// or any along which there is more room than `reach`; and the contact if there is none.
pub(super) fn two(a: Sized, b: Sized, reach: f64) -> (DVec3, f64, Option<Manifold>) {
    let (room, axis) = widest(a, b, reach);
    let normal = axis.normal(a, b);
    if room > reach {
        return (normal, room, None);
    }
    let contact = match axis {
        Axis::FaceOfA(axis, ahead) => faces(a, axis, ahead, b, reach).map(Manifold::swapped),
        Axis::FaceOfB(axis, ahead) => faces(b, axis, ahead, a, reach),
        Axis::Edges(i, j, normal) => {
            let ((p, half), (q, other)) = (edge(a, i, -normal), edge(b, j, normal));
            let [p, q] = nearest_points([p - half, p + half], [q - other, q + other]);
            // Edges that are apart and nearest at an end do not cross.
            let aside = (p - q - normal * room).length();
            let alike = PREFERENCE * a.1.min(b.1).min_element();
            let crosses = room <= 0.0 || aside <= alike;
            crosses.then(|| Manifold::one(normal, 0.5 * (p + q), room))
        }
    };
    (normal, room, contact)
}

/// The axis that separates two boxes most, from the second to the first, and the room along it.
pub(super) fn apart(a: Sized, b: Sized) -> (DVec3, f64) {
    let (room, axis) = widest(a, b, f64::INFINITY);
    (axis.normal(a, b), room)
}

impl Axis {
    /// From the second box to the first.
    fn normal(self, a: Sized, b: Sized) -> DVec3 {
        match self {
            Axis::FaceOfA(axis, ahead) => columns(a.0)[axis] * if ahead { -1.0 } else { 1.0 },
            Axis::FaceOfB(axis, ahead) => columns(b.0)[axis] * if ahead { 1.0 } else { -1.0 },
            Axis::Edges(_, _, normal) => normal,
        }
    }
}

/// A corner of the facing face: along the two axes of the reference face, and above it.
type Corner = [f64; 3];

/// Corners in order.
struct Outline {
    corners: [Corner; MOST_CORNERS],
    count: usize,
}

impl Outline {
    fn push(&mut self, corner: Corner) {
        if self.count < MOST_CORNERS {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    /// Keeps what lies within `half` on one side of an axis of the face.
    fn cut(&self, axis: usize, side: f64, half: f64) -> Outline {
        let mut kept = Outline { corners: [[0.0; 3]; MOST_CORNERS], count: 0 };
        for k in 0..self.count {
            let here = self.corners[k];
            let next = self.corners[if k + 1 == self.count { 0 } else { k + 1 }];
            let (inside, other) = (half - side * here[axis], half - side * next[axis]);
            if inside >= 0.0 {
                kept.push(here);
            }
            if (inside < 0.0) != (other < 0.0) {
                let part = inside / (inside - other);
                let at = |k: usize| here[k] + (next[k] - here[k]) * part;
                kept.push([at(0), at(1), at(2)]);
            }
        }
        kept
    }
}

/// The face of `other` that faces a face of `reference`, cut to that face's sides. The normal
/// of the result is the face's own: from `reference` to `other`.
fn faces(
    (reference, half): Sized,
    axis: usize,
    ahead: bool,
    (other, size): Sized,
    reach: f64,
) -> Option<Manifold> {
    let (own, theirs) = (columns(reference), columns(other));
    let normal = if ahead { own[axis] } else { -own[axis] };
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let along = [normal.dot(theirs[0]), normal.dot(theirs[1]), normal.dot(theirs[2])];
    let facing =
        (1..3).fold(0, |best, k| if along[k].abs() > along[best].abs() { k } else { best });
    let (p, q) = ((facing + 1) % 3, (facing + 2) % 3);
    let base = reference.centre + normal * half[axis];
    let out = if along[facing] > 0.0 { -size[facing] } else { size[facing] };
    let flat = |d: DVec3| [own[u].dot(d), own[v].dot(d), normal.dot(d)];
    let middle = flat(other.centre + theirs[facing] * out - base);
    let (s, t) = (flat(theirs[p] * size[p]), flat(theirs[q] * size[q]));
    let mut outline = Outline { corners: [[0.0; 3]; MOST_CORNERS], count: 0 };
    for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
        let at = |k: usize| middle[k] + x * s[k] + y * t[k];
        outline.push([at(0), at(1), at(2)]);
    }
    for (k, axis) in [u, v].into_iter().enumerate() {
        outline = outline.cut(k, 1.0, half[axis]).cut(k, -1.0, half[axis]);
    }
    let mut near = [(DVec3::ZERO, 0.0); MOST_CORNERS];
    let mut count = 0;
    for [x, y, gap] in &outline.corners[..outline.count] {
        if *gap <= reach {
            near[count] = (base + own[u] * *x + own[v] * *y + normal * (0.5 * gap), *gap);
            count += 1;
        }
    }
    spanning(normal, &near[..count])
}

fn columns(p: &Placed) -> [DVec3; 3] {
    [p.axes.x_axis, p.axes.y_axis, p.axes.z_axis]
}

/// The largest separation along any of the axes, or the first that is above `reach`.
fn widest((a, ha): Sized, (b, hb): Sized, reach: f64) -> (f64, Axis) {
    let d = b.centre - a.centre;
    let (u, v) = (columns(a), columns(b));
    let da = u.map(|u| u.dot(d));
    let db = v.map(|v| v.dot(d));
    let c = u.map(|u| v.map(|v| u.dot(v)));
    let mut best = (f64::NEG_INFINITY, Axis::FaceOfA(0, true));
    let size = ha.min_element().min(hb.min_element());
    for i in 0..3 {
        let other = hb.x * c[i][0].abs() + hb.y * c[i][1].abs() + hb.z * c[i][2].abs();
        let separation = da[i].abs() - ha[i] - other;
        if separation > best.0 {
            best = (separation, Axis::FaceOfA(i, da[i] > 0.0));
        }
        if separation > reach {
            return best;
        }
    }
    // Of two faces alike, that of `a` stays the reference from step to step; of a face and a
    // pair of edges alike, the face gives more points.
    let mut least = best.0 + PREFERENCE * size;
    for j in 0..3 {
        let other = ha.x * c[0][j].abs() + ha.y * c[1][j].abs() + ha.z * c[2][j].abs();
        let separation = db[j].abs() - hb[j] - other;
        let axis = Axis::FaceOfB(j, db[j] < 0.0);
        if separation > reach {
            return (separation, axis);
        }
        if separation > least {
            (best, least) = ((separation, axis), separation);
        }
    }
    least = least.max(best.0 + PREFERENCE * size);
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
            if separation > least.min(reach) {
                let normal = u[i].cross(v[j]) * (-through.signum() / length);
                let axis = Axis::Edges(i, j, normal);
                if separation > reach {
                    return (separation, axis);
                }
                (best, least) = ((separation, axis), separation);
            }
        }
    }
    best
}

/// The point of a box farthest along a direction, as the middle of its edge along axis `along`,
/// and half of that edge.
fn edge((p, half): Sized, along: usize, direction: DVec3) -> (DVec3, DVec3) {
    let axes = columns(p);
    let mut at = p.centre;
    for k in (0..3).filter(|&k| k != along) {
        at += axes[k] * if axes[k].dot(direction) > 0.0 { half[k] } else { -half[k] };
    }
    (at, axes[along] * half[along])
}
