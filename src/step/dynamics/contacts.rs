//! Contacts at velocity level: per pair of pieces up to four points that push,
//! and one friction force with a twist where the pressure has its centre. The points
//! of a contact are solved as one small block; impulses of the last step are the warm
//! start of the next.

mod grip; // for the balance of an island
mod told; // for the accounts of a step

use serde::{Deserialize, Serialize};

pub use self::told::Untold;
use super::bodies::{Bodies, Inverse, Pose, Velocity};
use super::connector::give;
use super::narrow::Pair;
use super::points::{Mark, Point, relax};
use super::trace::Impulse;
use crate::contact::manifold::{MOST_SPOTS, Manifold};
use crate::math::{DMat3, DVec3, RESTING_GAP};

/// A point is the same as one of the last step if it moved by less than this part of the
/// smaller body's radius.
const SAME_POINT: f64 = 0.1;

/// A step takes no more of an overlap away than this part of the smaller body's radius: what was
/// built with deep overlaps comes apart slowly. It is a part per step, as a speed would need a unit.
const MOST_SEPARATED: f64 = 0.02;

/// What is deeper than this part of the smaller body's radius is taken away at once: a blow that
/// makes bodies spin lets another corner in before it is seen.
const DEEPEST: f64 = 0.02;

/// Bodies touch when their gap is this part of the smaller body's radius: between that and an
/// overlap nothing pushes them apart, so rest is a range, not a knife's edge.
pub const SLOP: f64 = 0.5 * RESTING_GAP;

/// Points of a contact that are open by this part of the smaller body's radius more than the
/// deepest one do not touch yet.
const OPEN: f64 = 1e-3;

/// Friction acts where the pressure has its centre; it follows when the centre has moved by this part
/// of the smaller body's radius. To brake a point beside it could speed the centre up.
const OFF_CENTRE: f64 = 0.01;

/// Newton's method ends when friction is this part above its size, or after so many steps.
const SLIP_EXACT: f64 = 1e-9;
const SLIP_STEPS: usize = 12;

/// What one contact hands over to the next step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WarmStart {
    pub key: [u32; 4],
    normal: DVec3,
    spots: [WarmSpot; MOST_SPOTS],
    count: usize,
    /// In the frame of the world.
    friction: DVec3,
    twist: f64,
    rolling: DVec3,
}

/// What carries a point in the first body, with its impulse and displacement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct WarmSpot {
    at: DVec3,
    impulse: f64,
    shift: f64,
}

impl WarmStart {
    /// At most as many as there are places, whatever a file says.
    fn spots(&self) -> &[WarmSpot] {
        &self.spots[..self.count.min(MOST_SPOTS)]
    }
}

/// A contact during a step; its points are the batch's, from `first` on.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// Its bodies, as the batch counts them.
    ends: [u32; 2],
    first: u32,
    /// None while it is apart.
    count: u32,
    normal: DVec3,
    tangents: [DVec3; 2],
    friction: f64,
    /// From the bodies' centres to where friction acts.
    arms: [DVec3; 2],
    /// Effective mass there in the tangent plane.
    tangent_mass: [f64; 3],
    slip: [f64; 2],
    twist_mass: f64,
    twist: f64,
    rolling_arm: f64,
    rolling_mass: f64,
    rolling: DVec3,
    /// The most of an overlap that a step takes away, as a length, and what it leaves at most.
    push_limit: f64,
    deepest: f64,
    /// Whether it is with what nothing moves: the container, or a fixed body.
    pub is_wall: bool,
    /// Bodies at rest keep a gap between 0 and this.
    skin: f64,
}

/// How the points of a contact press.
#[derive(Clone, Copy, Debug, Default)]
struct Pressure {
    load: f64,
    /// The sum of pushes times their distances from the centre of the pressure: the most that
    /// friction can twist about it, if it did nothing else and its coefficient were 1.
    levers: f64,
    /// From where friction acts to the centre of the pressure.
    to_centre: DVec3,
    /// What the friction of now twists if it acts at that centre.
    turned: f64,
}

/// The points of a batch.
#[derive(Clone, Debug, Default)]
pub struct Points {
    pub points: Vec<Point>,
    pub marks: Vec<Mark>,
    /// What each has pushed that is not told yet.
    told: Vec<f64>,
}

impl Points {
    /// Places for the points of a contact; where they begin.
    pub fn reserve(&mut self, pair: &Pair) -> u32 {
        let first = self.points.len();
        let room = if pair.is_round { 1 } else { MOST_SPOTS };
        self.points.resize(first + room, Point::default());
        self.marks.resize(first + room, Mark::default());
        self.told.resize(first + room, 0.0);
        first as u32
    }
}

impl Contact {
    /// A contact of two bodies that the batch counts as `ends`, apart as yet; its points will be
    /// those of the batch from `first` on.
    pub fn new(bodies: &Bodies, pair: &Pair, ends: [u32; 2], first: u32) -> Contact {
        let material = bodies.prepared.materials(pair.ends());
        Contact {
            ends,
            first,
            count: 0,
            normal: DVec3::ZERO,
            tangents: [DVec3::ZERO; 2],
            friction: material.friction,
            arms: [DVec3::ZERO; 2],
            tangent_mass: [0.0; 3],
            slip: [0.0; 2],
            twist_mass: 0.0,
            twist: 0.0,
            rolling_arm: material.rolling,
            rolling_mass: 0.0,
            rolling: DVec3::ZERO,
            push_limit: MOST_SEPARATED * pair.size,
            deepest: DEEPEST * pair.size,
            is_wall: pair.ends().iter().any(|&end| bodies.inverse[end].mass == 0.0),
            skin: pair.skin,
        }
    }

    /// Meets as found when the bodies are at these poses; `last` is what it did before.
    pub fn meet(
        &mut self,
        bodies: &Bodies,
        pair: &Pair,
        poses: &[Pose; 2],
        manifold: &Manifold,
        last: Option<&WarmStart>,
        all: &mut Points,
    ) {
        let [a, b] = pair.ends();
        let normal = manifold.normal;
        let t = match bodies.prepared.is_flat {
            true => DVec3::new(-normal.y, normal.x, 0.0),
            false => normal.any_orthonormal_vector(),
        };
        let spots = manifold.spots();
        // Friction acts where the bodies touch, though they may be open elsewhere.
        let deepest = spots.iter().map(|spot| spot.gap).fold(f64::INFINITY, f64::min);
        let touching = spots.iter().filter(|spot| spot.gap <= deepest + OPEN * pair.size);
        let (sum, count) =
            touching.fold((DVec3::ZERO, 0.0), |(sum, count), spot| (sum + spot.at, count + 1.0));
        let middle = sum / count;
        (self.normal, self.tangents) = (normal, [t, normal.cross(t)]);
        self.count = spots.len() as u32;
        self.arms = [middle - poses[0].position, middle - poses[1].position];
        (self.slip, self.twist, self.rolling) = ([0.0; 2], 0.0, DVec3::ZERO);
        let (points, marks) = (&mut all.points[self.range()], &mut all.marks[self.range()]);
        for (spot, (point, mark)) in spots.iter().zip(points.iter_mut().zip(&mut *marks)) {
            (*point, *mark) = Point::new(poses, manifold, spot);
        }
        let [ia, ib] = [bodies.inverse[a].inertia, bodies.inverse[b].inertia];
        let masses = bodies.inverse[a].mass + bodies.inverse[b].mass;
        Point::couple(points, masses, [&ia, &ib]);
        if let Some(last) = last {
            self.recall(last, SAME_POINT * pair.size, points, marks);
        }
        let to_centre = self.pressure(points).to_centre;
        self.arms = self.arms.map(|arm| arm + to_centre);
        self.prepare_friction([&bodies.inverse[a], &bodies.inverse[b]]);
    }

    /// Whether the pressure has its centre elsewhere than where friction acts.
    pub fn is_off_centre(&self, pair: &Pair, points: &[Point]) -> bool {
        self.count > 1
            && self.friction > 0.0
            && self.pressure(&points[self.range()]).to_centre.length() > OFF_CENTRE * pair.size
    }

    /// Friction acts where the pressure has its centre now. What it did in all does not change.
    pub fn centre(&mut self, inverse: [&Inverse; 2], points: &[Point]) {
        let Pressure { to_centre, turned, .. } = self.pressure(&points[self.range()]);
        self.arms = self.arms.map(|arm| arm + to_centre);
        self.twist -= turned;
        self.prepare_friction(inverse);
    }

    /// How the points press; their centre and levers only where friction may twist.
    fn pressure(&self, points: &[Point]) -> Pressure {
        let load = points.iter().map(|point| point.impulse).sum::<f64>();
        if points.len() < 2 || load <= 0.0 || self.friction == 0.0 {
            return Pressure { load, ..Pressure::default() };
        }
        // Moments of the normal are places, turned by a right angle about it.
        let sum = points.iter().map(|point| point.moments[0] * point.impulse).sum::<DVec3>();
        let centre = sum / load;
        let lever = |point: &Point| point.impulse * point.moments[0].distance(centre);
        let off = centre - self.arms[0].cross(self.normal);
        Pressure {
            load,
            levers: points.iter().map(lever).sum(),
            to_centre: self.normal.cross(off),
            turned: -self.friction_impulse().dot(off),
        }
    }

    /// Its bodies, as the batch counts them.
    pub fn ends(&self) -> [usize; 2] {
        [self.ends[0] as usize, self.ends[1] as usize]
    }

    /// From the second body to the first.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// How friction and twist turn and move its bodies, and their impulses; nothing without
    /// friction.
    pub fn grips(&self) -> impl Iterator<Item = (DVec3, [DVec3; 2], f64)> {
        let slips = self.tangents.into_iter().zip(self.slip);
        let slips = slips.map(|(t, slip)| (t, self.arms.map(|arm| arm.cross(t)), slip));
        let twist = (DVec3::ZERO, [self.normal; 2], self.twist);
        let count = match (self.friction > 0.0, self.twist_mass > 0.0) {
            (false, _) => 0,
            (true, false) => 2,
            (true, true) => 3,
        };
        slips.chain([twist]).take(count)
    }

    /// The impulses of friction and twist, in their order.
    pub fn set_grips(&mut self, impulses: &[f64]) {
        match *impulses {
            [s, t] => self.slip = [s, t],
            [s, t, twist] => (self.slip, self.twist) = ([s, t], twist),
            _ => {}
        }
    }

    /// Whether friction and twist are within their bounds, up to a part of them.
    pub fn grips_hold(&self, points: &[Point], part: f64) -> bool {
        let Pressure { load, levers, turned, .. } = self.pressure(&points[self.range()]);
        let friction = self.friction * (1.0 + part);
        self.slip[0].hypot(self.slip[1]) <= friction * load
            && (self.twist - turned).abs() <= friction * levers
    }

    /// One pass over its friction alone; the largest change of a velocity.
    pub fn rub(
        &mut self,
        points: &[Point],
        [a, b]: [&mut Velocity; 2],
        [ia, ib]: [&Inverse; 2],
    ) -> f64 {
        let points = &points[self.range()];
        if self.friction == 0.0 && self.rolling_arm == 0.0 {
            return 0.0;
        }
        let change = self.solve_friction(points, a, b, ia, ib);
        self.limit_friction(points, a, b, ia, ib);
        change
    }

    /// No contact any more.
    pub fn part(&mut self) {
        self.count = 0;
    }

    pub fn is_apart(&self) -> bool {
        self.count == 0
    }

    /// The least gap of its points, if it has any.
    pub fn gap(&self, points: &[Point]) -> Option<f64> {
        let gaps = points[self.range()].iter().map(|point| point.gap);
        gaps.reduce(f64::min)
    }

    /// Whether the bodies, as they move now, close faster than they may, by more than a speed.
    pub fn is_closing(&self, points: &[Point], velocities: &[Velocity], than: f64) -> bool {
        let [a, b] = self.ends.map(|end| &velocities[end as usize]);
        let closing = self.normal.dot(a.linear - b.linear);
        let missing = |point: &Point| point.wanted - closing - point.turning(a, b);
        points[self.range()].iter().any(|point| missing(point) > than)
    }

    fn prepare_friction(&mut self, [a, b]: [&Inverse; 2]) {
        let sum: DMat3 = a.inertia + b.inertia;
        if self.friction > 0.0 {
            let k = give(a, self.arms[0]) + give(b, self.arms[1]);
            let [t, s] = self.tangents;
            let (kt, ks) = (k * t, k * s);
            let (tt, ts, ss) = (t.dot(kt), t.dot(ks), s.dot(ks));
            let inverse = (tt * ss - ts * ts).recip();
            self.tangent_mass = [ss * inverse, -ts * inverse, tt * inverse];
        }
        let about = self.normal.dot(sum * self.normal);
        self.twist_mass = if about > 0.0 && self.count > 1 { about.recip() } else { 0.0 };
        if self.rolling_arm > 0.0 {
            // No eigenvalue is above the largest sum of a row; equal ones reach it.
            let rows = sum.x_axis.abs() + sum.y_axis.abs() + sum.z_axis.abs();
            let most = rows.max_element();
            self.rolling_mass = if most > 0.0 { most.recip() } else { 0.0 };
        }
    }

    /// Takes over the impulses of the last step. What belonged to points that are gone is
    /// spread over those that are new, so that a contact which changes its face goes on
    /// carrying its load.
    fn recall(&mut self, last: &WarmStart, near: f64, points: &mut [Point], marks: &[Mark]) {
        let (mut left, mut shift_left) =
            last.spots().iter().fold((0.0, 0.0), |sum, s| (sum.0 + s.impulse, sum.1 + s.shift));
        let mut fresh = 0;
        for (point, mark) in points.iter_mut().zip(marks) {
            let mut nearest = near;
            for spot in last.spots() {
                let distance = (spot.at - mark.locals[0]).length();
                if distance < nearest {
                    (nearest, point.impulse, point.shift) = (distance, spot.impulse, spot.shift);
                }
            }
            (left, shift_left) = (left - point.impulse, shift_left - point.shift);
            fresh += usize::from(nearest == near);
        }
        let alike = self.normal.dot(last.normal).max(0.0) / fresh.max(1) as f64;
        for point in points.iter_mut().filter(|point| point.impulse == 0.0) {
            point.impulse = alike * left.max(0.0);
            point.shift = alike * shift_left.max(0.0);
        }
        if points.iter().any(|point| point.impulse > 0.0) {
            self.slip = [self.tangents[0].dot(last.friction), self.tangents[1].dot(last.friction)];
            self.twist = last.twist;
            self.rolling = last.rolling;
        }
    }

    /// What the next step, or the next look, starts from.
    pub fn save(&self, key: [u32; 4], all: &Points) -> WarmStart {
        let mut spots = [WarmSpot::default(); MOST_SPOTS];
        for (spot, k) in spots.iter_mut().zip(self.range()) {
            let Point { impulse, shift, .. } = all.points[k];
            *spot = WarmSpot { at: all.marks[k].locals[0], impulse, shift };
        }
        WarmStart {
            key,
            normal: self.normal,
            spots,
            count: self.count as usize,
            friction: self.friction_impulse(),
            twist: self.twist,
            rolling: self.rolling,
        }
    }

    fn friction_impulse(&self) -> DVec3 {
        self.tangents[0] * self.slip[0] + self.tangents[1] * self.slip[1]
    }

    /// Where its points are among those of the batch.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }

    /// Gaps where the bodies of a pair are now, and how fast they may close within a time.
    pub fn follow(&self, bodies: &Bodies, [a, b]: [usize; 2], all: &mut Points, h: f64) {
        let between = bodies.positions[a] - bodies.positions[b];
        for k in self.range() {
            let Mark { locals, gap_together, .. } = all.marks[k];
            let apart = between + bodies.turns[a] * locals[0] - bodies.turns[b] * locals[1];
            all.points[k].set_gap(gap_together + self.normal.dot(apart), self.skin, h);
        }
    }

    /// The same of gaps that are known.
    pub fn keep(&self, all: &mut Points, h: f64) {
        for point in &mut all.points[self.range()] {
            point.set_gap(point.gap, self.skin, h);
        }
    }

    /// Applies the impulses of the last (sub)step once more.
    pub fn warm_start(&self, points: &[Point], velocities: &mut [Velocity], inverse: &[Inverse]) {
        let [i, j] = [self.ends[0] as usize, self.ends[1] as usize];
        let (mut a, mut b) = (velocities[i], velocities[j]);
        let (ia, ib) = (&inverse[i], &inverse[j]);
        let Impulse { force, moments } = self.impulse(points);
        a.add(ia, force, moments[0]);
        b.add(ib, -force, -moments[1]);
        (velocities[i], velocities[j]) = (a, b);
    }

    /// One Gauss-Seidel pass over the contact: friction, then pushes. Returns the largest
    /// change of a velocity at a point.
    pub fn solve(
        &mut self,
        points: &mut [Point],
        velocities: &mut [Velocity],
        inverse: &[Inverse],
    ) -> f64 {
        let points = &mut points[self.range()];
        let [i, j] = self.ends();
        let (mut a, mut b) = (velocities[i], velocities[j]);
        let (ia, ib) = (&inverse[i], &inverse[j]);
        let mut change = 0.0_f64;
        if self.friction > 0.0 || self.rolling_arm > 0.0 {
            change = self.solve_friction(points, &mut a, &mut b, ia, ib);
        }
        let closing = self.normal.dot(a.linear - b.linear);
        let (mut missing, mut sums) = ([0.0; MOST_SPOTS], [0.0; MOST_SPOTS]);
        for (k, point) in points.iter().enumerate() {
            missing[k] = point.wanted - closing - point.turning(&a, &b);
            sums[k] = point.impulse;
        }
        change = change.max(relax(points, &mut missing, &mut sums));
        let (mut sum, mut moments) = (0.0, [DVec3::ZERO; 2]);
        for (point, after) in points.iter_mut().zip(sums) {
            let by = after - point.impulse;
            point.impulse = after;
            sum += by;
            moments[0] += point.moments[0] * by;
            moments[1] += point.moments[1] * by;
        }
        a.add(ia, self.normal * sum, moments[0]);
        b.add(ib, self.normal * -sum, -moments[1]);
        self.limit_friction(points, &mut a, &mut b, ia, ib);
        (velocities[i], velocities[j]) = (a, b);
        change
    }

    /// Takes back what friction, twist and rolling have beyond their bounds now that their load
    /// has changed.
    fn limit_friction(
        &mut self,
        points: &[Point],
        a: &mut Velocity,
        b: &mut Velocity,
        ia: &Inverse,
        ib: &Inverse,
    ) {
        let Pressure { load, levers, mut turned, .. } = self.pressure(points);
        let most = self.friction * load;
        let [s, t] = self.slip;
        let square = s * s + t * t;
        if square > most * most {
            let part = most / square.sqrt();
            let before = self.friction_impulse();
            self.slip = self.slip.map(|slip| slip * part);
            let by = self.friction_impulse() - before;
            a.add(ia, by, self.arms[0].cross(by));
            b.add(ib, -by, -self.arms[1].cross(by));
            turned *= part;
        }
        let most = self.friction * levers;
        let twist = match self.twist_mass > 0.0 {
            true => self.twist.clamp(turned - most, turned + most),
            false => 0.0,
        };
        let rolling = self.rolling.clamp_length_max(self.rolling_arm * load);
        if (twist, rolling) != (self.twist, self.rolling) {
            let by = self.normal * (twist - self.twist) + rolling - self.rolling;
            (self.twist, self.rolling) = (twist, rolling);
            a.angular += ia.inertia * by;
            b.angular -= ib.inertia * by;
        }
    }

    /// Starts from a part of the displacements of the last step.
    pub fn start_shifts(
        &self,
        points: &mut [Point],
        shifts: &mut [Velocity],
        inverse: &[Inverse],
        part: f64,
    ) {
        let [i, j] = [self.ends[0] as usize, self.ends[1] as usize];
        for point in &mut points[self.range()] {
            point.shift *= part;
            let (linear, moments) = (self.normal * point.shift, point.moments);
            shifts[i].add(&inverse[i], linear, moments[0] * point.shift);
            shifts[j].add(&inverse[j], -linear, moments[1] * -point.shift);
        }
    }

    /// One pass over displacements, which the velocities know nothing of: overlaps shrink by
    /// `part`, no gap becomes an overlap. Returns the largest change at a point.
    pub fn shift(
        &self,
        points: &mut [Point],
        shifts: &mut [Velocity],
        inverse: &[Inverse],
        part: f64,
    ) -> f64 {
        let points = &mut points[self.range()];
        let [i, j] = [self.ends[0] as usize, self.ends[1] as usize];
        let (mut a, mut b) = (shifts[i], shifts[j]);
        let closing = self.normal.dot(a.linear - b.linear);
        let (mut missing, mut sums) = ([0.0; MOST_SPOTS], [0.0; MOST_SPOTS]);
        for (k, point) in points.iter().enumerate() {
            let wanted = match point.gap > 0.0 {
                true => -point.gap,
                false => {
                    let gently = (-part * point.gap).min(self.push_limit);
                    gently.max(-point.gap - self.deepest)
                }
            };
            missing[k] = wanted - closing - point.turning(&a, &b);
            sums[k] = point.shift;
        }
        let change = relax(points, &mut missing, &mut sums);
        if change == 0.0 {
            return 0.0;
        }
        for (point, after) in points.iter_mut().zip(sums) {
            let by = after - point.shift;
            point.shift = after;
            a.add(&inverse[i], self.normal * by, point.moments[0] * by);
            b.add(&inverse[j], self.normal * -by, point.moments[1] * -by);
        }
        (shifts[i], shifts[j]) = (a, b);
        change
    }

    fn solve_friction(
        &mut self,
        points: &[Point],
        a: &mut Velocity,
        b: &mut Velocity,
        ia: &Inverse,
        ib: &Inverse,
    ) -> f64 {
        let Pressure { load, levers, turned, .. } = self.pressure(points);
        if self.rolling_arm > 0.0 {
            let wanted = self.rolling - (a.angular - b.angular) * self.rolling_mass;
            let by = wanted.clamp_length_max(self.rolling_arm * load) - self.rolling;
            self.rolling += by;
            a.angular += ia.inertia * by;
            b.angular -= ib.inertia * by;
        }
        if self.friction == 0.0 {
            return 0.0;
        }
        if self.twist_mass > 0.0 {
            let most = self.friction * levers;
            let spin = self.normal.dot(a.angular - b.angular);
            let before = self.twist;
            self.twist = (before - self.twist_mass * spin).clamp(turned - most, turned + most);
            let by = self.normal * (self.twist - before);
            a.angular += ia.inertia * by;
            b.angular -= ib.inertia * by;
        }
        let slide =
            a.linear + a.angular.cross(self.arms[0]) - b.linear - b.angular.cross(self.arms[1]);
        let (s, t) = (self.tangents[0].dot(slide), self.tangents[1].dot(slide));
        let [xx, xy, yy] = self.tangent_mass;
        let before = self.slip;
        let mut wanted = [before[0] - (xx * s + xy * t), before[1] - (xy * s + yy * t)];
        let (square, most) = (wanted[0] * wanted[0] + wanted[1] * wanted[1], self.friction * load);
        if square > most * most {
            wanted = against_slip(self.tangent_mass, wanted, most);
        }
        self.slip = wanted;
        let by =
            self.tangents[0] * (wanted[0] - before[0]) + self.tangents[1] * (wanted[1] - before[1]);
        if by == DVec3::ZERO {
            return 0.0;
        }
        a.add(ia, by, self.arms[0].cross(by));
        b.add(ib, -by, -self.arms[1].cross(by));
        by.length() * (ia.mass + ib.mass)
    }
}

/// The friction of a size that leaves what slides sliding against it, if `stops` would stop it: with
/// `K` the inverse of the mass, `K (x - stops)` is along `-x`. To shorten what stops would have
/// friction act askew wherever bodies turn more easily one way than the other.
pub(super) fn against_slip([xx, xy, yy]: [f64; 3], stops: [f64; 2], most: f64) -> [f64; 2] {
    let length = stops[0].hypot(stops[1]);
    if most <= 0.0 {
        return [0.0; 2];
    }
    // (1 + l M) x = stops and |x| = most, by Newton's method for 1 / |x|; the unit of l is that of 1 / M.
    let unit = (xx + yy).recip();
    let [xx, xy, yy] = [xx * unit, xy * unit, yy * unit];
    let mut l = 0.0;
    let mut x = stops;
    for _ in 0..SLIP_STEPS {
        let size = x[0].hypot(x[1]);
        if size <= most * (1.0 + SLIP_EXACT) {
            break;
        }
        // dx/dl = -(1 + l M)^-1 M x
        let mx = [xx * x[0] + xy * x[1], xy * x[0] + yy * x[1]];
        let down = solve_two([1.0 + l * xx, l * xy, 1.0 + l * yy], mx);
        let slope = (x[0] * down[0] + x[1] * down[1]) / size;
        l += (size / most - 1.0) * size / slope;
        x = solve_two([1.0 + l * xx, l * xy, 1.0 + l * yy], stops);
    }
    let size = x[0].hypot(x[1]);
    match size.is_finite() && size > 0.0 {
        true => x.map(|x| x * (most / size)),
        false => stops.map(|x| x * (most / length)),
    }
}

/// Solves a symmetric system of two equations.
fn solve_two([a, b, c]: [f64; 3], [x, y]: [f64; 2]) -> [f64; 2] {
    let inverse = (a * c - b * b).recip();
    [(c * x - b * y) * inverse, (a * y - b * x) * inverse]
}
