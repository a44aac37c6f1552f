//! How far the weight of any one body may shift, in widths of the body: the least over all bodies and,
//! in space, over all level directions. The shifts that are borne are a convex set, so those that are
//! known to be borne bear all between them: every shift that is tried is an upper bound of the margin,
//! and the chords between neighbours are a lower one.

use super::Statics;
use super::statics::width;
use crate::math::DVec3;
use crate::solver::linear::Simplex;

/// The two bounds of a margin are brought as near to each other as this, or this part of it.
pub(super) const NEAR: f64 = 1e-6;

/// So many directions of one body are tried besides the first four, at most.
pub(super) const MOST_DIRECTIONS: usize = 40;

/// The chord between shifts by so many widths, at right angles, is farther than one width.
pub(super) const CHORD: f64 = 2.0 + 1e-9;

/// Directions that differ by less are the same.
const SAME: f64 = 1e-7;

/// A shift that is borne: along a level direction, by so many lengths, where the body is so wide.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shift {
    pub towards: DVec3,
    pub length: f64,
    pub width: f64,
    /// No more than so many widths are; none where that was not asked.
    pub most: Option<f64>,
}

impl Shift {
    /// The least part on the chord to another shift, no less than this, and the direction there. A point
    /// `p` of it is `p . p / w(p)` of the width, and the width is at most what it is at both ends,
    /// in between.
    fn chord(&self, other: &Shift) -> (f64, DVec3) {
        let [p, q] = [self, other].map(|end| end.towards * end.length);
        let [v, w] = [self, other].map(|end| end.width * end.length);
        let at = |x: f64| {
            let point = p.lerp(q, x);
            (point.length_squared() / (v + x * (w - v)), point)
        };
        // (a + 2 b x + c x^2) / (v + d x): its slope is zero where c d x^2 + 2 c v x + 2 b v - a d is.
        let (a, b, c) = (p.length_squared(), p.dot(q - p), (q - p).length_squared());
        let d = w - v;
        let root = (c * v).powi(2) - c * d * (2.0 * b * v - a * d);
        let x = match (c * v + root.max(0.0).sqrt(), a * d - 2.0 * b * v) {
            (0.0, _) => 0.0,
            (below, above) => (above / below).clamp(0.0, 1.0),
        };
        let ends = [0.0, x, 1.0].map(at);
        let least = ends.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, p));
        (least.0, least.1.normalize_or(self.towards))
    }
}

/// The least over the directions of one body, between two bounds, from shifts all around it. `reach`
/// asks for one more, while there is a need: until the least is known up to this part of it, or known to
/// be `enough`.
pub(super) fn around(
    mut shifts: Vec<Shift>,
    enough: f64,
    near: f64,
    most_asked: usize,
    mut reach: impl FnMut(DVec3) -> Shift,
) -> [f64; 2] {
    let mut asked = 0;
    loop {
        let high = shifts.iter().filter_map(|shift| shift.most).fold(f64::INFINITY, f64::min);
        if high < f64::EPSILON || shifts.iter().any(|shift| shift.length < f64::MIN_POSITIVE) {
            return [0.0, high];
        }
        let count = shifts.len();
        // In the plane there are two sides, and nothing between them.
        let chord = |k: usize| match count {
            2 => ((shifts[k].length / shifts[k].width, shifts[k].towards), k),
            _ => (shifts[k].chord(&shifts[(k + 1) % count]), k),
        };
        let least = (0..count).map(chord).min_by(|a, b| a.0.0.total_cmp(&b.0.0));
        let Some(((low, towards), k)) = least else { return [0.0, high] };
        let low = low.min(high);
        if low >= enough || high - low <= NEAR.max(near * high) || asked == most_asked {
            return [low, high];
        }
        asked += 1;
        let is_at = |end: usize| shifts[end].towards.distance(towards) < SAME;
        match [k, (k + 1) % count].into_iter().find(|end| is_at(*end)) {
            None => shifts.insert(k + 1, reach(towards)),
            Some(end) if shifts[end].most.is_none() => shifts[end] = reach(towards),
            // What is known here is least: the middle of the chord tells whether the rest is.
            Some(_) => {
                let middle = shifts[k].towards + shifts[(k + 1) % count].towards;
                shifts.insert(k + 1, reach(middle.normalize_or(towards)));
            }
        }
        leave_inner(&mut shifts);
    }
}

/// Takes out shifts that are borne, but that nobody asked for, where those beside them bear more: a
/// chord between these says more then.
fn leave_inner(shifts: &mut Vec<Shift>) {
    let end = |shift: &Shift| shift.towards * shift.length;
    let mut k = 0;
    while shifts.len() > 4 && k < shifts.len() {
        let count = shifts.len();
        let [before, own, after] = [k + count - 1, k, k + 1].map(|at| end(&shifts[at % count]));
        let axis = before.cross(after);
        let turns = shifts[(k + count - 1) % count].towards.dot(shifts[(k + 1) % count].towards);
        let is_inner = turns > 0.0 && axis.dot((after - before).cross(own - before)) > 0.0;
        if is_inner && shifts[k].most.is_none() {
            shifts.remove(k);
            k = k.saturating_sub(1);
        } else {
            k += 1;
        }
    }
}

impl Statics<'_> {
    /// How wide a body is along a direction.
    pub(super) fn width(&self, body: usize, side: DVec3) -> f64 {
        width(self.model, self.state, body, side)
    }

    /// The margin between two bounds, with round cones, if it is known to be at most so many widths: see
    /// [`super::Verdict::margin`].
    pub(super) fn margin_within(&self, simplex: &Simplex, most: f64) -> [f64; 2] {
        let sides = self.compass(4);
        let (mut low, mut high) = (most, most);
        for body in self.model.free() {
            // No farther than is needed to know that others are nearer: in space, chords between
            // the first four directions are half as far as these.
            let far = if self.model.dimension == 2 { 1.0 } else { CHORD };
            let reach = |towards: DVec3| {
                let width = self.width(body, towards);
                let part = simplex.farthest(&self.shift(body, towards), far * high);
                Shift { towards, length: part * width, width, most: Some(part) }
            };
            let shifts: Vec<Shift> = sides.iter().map(|side| reach(*side)).collect();
            let bounds = around(shifts, high, NEAR, MOST_DIRECTIONS, reach);
            (low, high) = (low.min(bounds[0]), high.min(bounds[1]));
        }
        [low, high]
    }
}
