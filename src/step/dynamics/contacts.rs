//! Contacts at velocity level: per pair of pieces up to four points that push,
//! and one friction force with a twist at their middle. Points are kept in the
//! frames of both bodies, so their gaps follow the motion during the substeps;
//! impulses are kept from step to step.

use serde::{Deserialize, Serialize};

use super::bodies::{Bodies, Inverse, Velocity};
use super::connector::answer;
use super::detect::Proximity;
use crate::free_space::manifold::MOST_SPOTS;
use crate::math::{DMat3, DVec3};

/// A point is the same as one of the last step if it moved by less than this part of the
/// smaller body's radius.
const SAME_POINT: f64 = 0.1;

/// Bodies touch when their gap is this part of the smaller body's radius: between that and an
/// overlap nothing pushes them apart, so rest is a range, not a knife's edge.
const SKIN: f64 = 1e-4;

/// Passes over the points of a contact at a time.
const INNER: usize = 2;

/// What one contact hands over to the next step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    pub key: [u32; 4],
    pub normal: DVec3,
    /// Points in the frame of the first body, with their impulses and displacements.
    pub spots: Vec<(DVec3, f64, f64)>,
    /// In the frame of the world.
    pub friction: DVec3,
    pub twist: f64,
    pub rolling: DVec3,
}

/// A contact during a step.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    pub key: [u32; 4],
    a: u32,
    b: u32,
    normal: DVec3,
    tangents: [DVec3; 2],
    spots: [SpotRow; MOST_SPOTS],
    count: usize,
    friction: f64,
    restitution: f64,
    /// From the bodies' centres to the middle of the points.
    arms: [DVec3; 2],
    /// Inverse of the middle's answer in the tangent plane.
    tangent_mass: [f64; 3],
    slip: [f64; 2],
    twist_mass: f64,
    twist: f64,
    rolling_arm: f64,
    rolling_mass: DMat3,
    rolling: DVec3,
    push_limit: f64,
    /// Bodies at rest keep a gap between 0 and this.
    skin: f64,
}

/// One point that pushes.
#[derive(Clone, Copy, Debug, Default)]
struct SpotRow {
    locals: [DVec3; 2],
    /// Moments of the normal about both centres, and what the bodies make of them.
    moments: [DVec3; 2],
    moved: [DVec3; 2],
    mass: f64,
    gap_at_start: f64,
    gap: f64,
    impulse: f64,
    /// As `impulse`, for displacements.
    shift: f64,
    /// Distance from the middle.
    lever: f64,
}

impl Contact {
    pub fn new(bodies: &Bodies, found: &Proximity, kept: Option<&Kept>) -> Contact {
        let [a, b] = [found.key[0] as usize, found.key[1] as usize];
        let (one, two) = (&bodies.assembly.parts[a], &bodies.assembly.parts[b]);
        let normal = found.manifold.normal;
        let t = normal.any_orthonormal_vector();
        let found_spots = found.manifold.spots();
        let middle = found_spots.iter().map(|s| s.at).sum::<DVec3>() / found_spots.len() as f64;
        let size = one.radius.min(two.radius);
        let mut contact = Contact {
            key: found.key,
            a: a as u32,
            b: b as u32,
            normal,
            tangents: [t, normal.cross(t)],
            spots: [SpotRow::default(); MOST_SPOTS],
            count: found_spots.len(),
            friction: (one.friction * two.friction).sqrt(),
            restitution: one.restitution.max(two.restitution),
            arms: [middle - bodies.positions[a], middle - bodies.positions[b]],
            tangent_mass: [0.0; 3],
            slip: [0.0; 2],
            twist_mass: 0.0,
            twist: 0.0,
            rolling_arm: one.rolling.max(two.rolling),
            rolling_mass: DMat3::ZERO,
            rolling: DVec3::ZERO,
            push_limit: 0.2 * size,
            skin: SKIN * size,
        };
        for (row, spot) in contact.spots.iter_mut().zip(found_spots) {
            *row = SpotRow::new(bodies, [a, b], normal, spot.at, spot.gap);
            row.lever = (spot.at - middle).length();
        }
        contact.prepare_friction(bodies);
        if let Some(kept) = kept {
            contact.remember(kept, SAME_POINT * size);
        }
        contact
    }

    fn prepare_friction(&mut self, bodies: &Bodies) {
        let (a, b) = (self.a as usize, self.b as usize);
        if self.friction > 0.0 {
            let k = answer(bodies, a, self.arms[0]) + answer(bodies, b, self.arms[1]);
            let [t, s] = self.tangents;
            let (tt, ts, ss) = (t.dot(k * t), t.dot(k * s), s.dot(k * s));
            let inverse = (tt * ss - ts * ts).recip();
            self.tangent_mass = [ss * inverse, -ts * inverse, tt * inverse];
        }
        let sum = bodies.inverse[a].inertia + bodies.inverse[b].inertia;
        let about = self.normal.dot(sum * self.normal);
        self.twist_mass = if about > 0.0 && self.count > 1 { about.recip() } else { 0.0 };
        if self.rolling_arm > 0.0 && sum.determinant() > 0.0 {
            self.rolling_mass = sum.inverse();
        }
    }

    /// Takes over the impulses of the last step. What belonged to points that are gone is
    /// spread over those that are new, so that a contact which changes its face goes on
    /// carrying its load.
    fn remember(&mut self, kept: &Kept, near: f64) {
        let (mut left, mut shift_left) =
            kept.spots.iter().fold((0.0, 0.0), |sum, spot| (sum.0 + spot.1, sum.1 + spot.2));
        let mut fresh = 0;
        for row in &mut self.spots[..self.count] {
            let mut nearest = near;
            for (at, impulse, shift) in &kept.spots {
                let distance = (*at - row.locals[0]).length();
                if distance < nearest {
                    (nearest, row.impulse, row.shift) = (distance, *impulse, *shift);
                }
            }
            (left, shift_left) = (left - row.impulse, shift_left - row.shift);
            fresh += usize::from(nearest == near);
        }
        let alike = self.normal.dot(kept.normal).max(0.0) / fresh.max(1) as f64;
        for row in self.spots[..self.count].iter_mut().filter(|row| row.impulse == 0.0) {
            row.impulse = alike * left.max(0.0);
            row.shift = alike * shift_left.max(0.0);
        }
        if self.spots[..self.count].iter().any(|row| row.impulse > 0.0) {
            self.slip = self.tangents.map(|t| t.dot(kept.friction));
            self.twist = kept.twist;
            self.rolling = kept.rolling;
        }
    }

    pub fn keep(&self) -> Kept {
        Kept {
            key: self.key,
            normal: self.normal,
            spots: self.spots[..self.count]
                .iter()
                .map(|s| (s.locals[0], s.impulse, s.shift))
                .collect(),
            friction: self.tangents[0] * self.slip[0] + self.tangents[1] * self.slip[1],
            twist: self.twist,
            rolling: self.rolling,
        }
    }

    pub fn bodies(&self) -> [usize; 2] {
        [self.a as usize, self.b as usize]
    }

    /// The deepest overlap of its points (negative if there is none).
    pub fn depth(&self) -> f64 {
        self.spots[..self.count].iter().map(|s| -s.gap).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Whether any point pushes.
    pub fn pushes(&self) -> bool {
        self.spots[..self.count].iter().any(|s| s.impulse > 0.0 || s.shift > 0.0)
    }

    /// Gaps where the bodies are now.
    pub fn follow(&mut self, bodies: &Bodies) {
        let (a, b) = (self.a as usize, self.b as usize);
        let between = bodies.positions[a] - bodies.positions[b];
        for row in &mut self.spots[..self.count] {
            let apart = between + bodies.turns[a] * row.locals[0] - bodies.turns[b] * row.locals[1];
            row.gap = row.gap_at_start + self.normal.dot(apart);
        }
    }

    /// Applies the impulses of the last (sub)step once more.
    pub fn warm_start(&self, velocities: &mut [Velocity], inverse: &[Inverse]) {
        let (mut a, mut b) = (velocities[self.a as usize], velocities[self.b as usize]);
        let (ia, ib) = (&inverse[self.a as usize], &inverse[self.b as usize]);
        for row in &self.spots[..self.count] {
            row.push(self.normal, &mut a, &mut b, [ia.mass, ib.mass], row.impulse);
        }
        let slip = self.tangents[0] * self.slip[0] + self.tangents[1] * self.slip[1];
        let turn = self.normal * self.twist + self.rolling;
        a.linear += slip * ia.mass;
        a.angular += ia.inertia * (self.arms[0].cross(slip) + turn);
        b.linear -= slip * ib.mass;
        b.angular -= ib.inertia * (self.arms[1].cross(slip) + turn);
        (velocities[self.a as usize], velocities[self.b as usize]) = (a, b);
    }

    /// One Gauss-Seidel pass over the contact: friction, then pushes. Returns the largest
    /// change of a velocity at a point.
    pub fn solve(&mut self, velocities: &mut [Velocity], inverse: &[Inverse], h: f64) -> f64 {
        let (mut a, mut b) = (velocities[self.a as usize], velocities[self.b as usize]);
        let (ia, ib) = (&inverse[self.a as usize], &inverse[self.b as usize]);
        let mut change = 0.0_f64;
        if self.friction > 0.0 || self.rolling_arm > 0.0 {
            change = self.solve_friction(&mut a, &mut b, ia, ib);
        }
        for pass in 0..if self.count > 1 { INNER } else { 1 } {
            for row in &mut self.spots[..self.count] {
                // An open gap may close within the substep, no faster.
                let open = row.gap - self.skin;
                let wanted = if open > 0.0 { -open / h } else { 0.0 };
                let before = row.impulse;
                let speed = row.speed(self.normal, &a, &b);
                row.impulse = (before + row.mass * (wanted - speed)).max(0.0);
                let by = row.impulse - before;
                if by != 0.0 {
                    row.push(self.normal, &mut a, &mut b, [ia.mass, ib.mass], by);
                    if pass == 0 {
                        change = change.max(by.abs() / row.mass);
                    }
                }
            }
        }
        (velocities[self.a as usize], velocities[self.b as usize]) = (a, b);
        change
    }

    /// Starts from a part of the displacements of the last step.
    pub fn start_shifts(&mut self, shifts: &mut [Velocity], inverse: &[Inverse], part: f64) {
        let (mut a, mut b) = (shifts[self.a as usize], shifts[self.b as usize]);
        let masses = [inverse[self.a as usize].mass, inverse[self.b as usize].mass];
        for row in &mut self.spots[..self.count] {
            row.shift *= part;
            row.push(self.normal, &mut a, &mut b, masses, row.shift);
        }
        (shifts[self.a as usize], shifts[self.b as usize]) = (a, b);
    }

    /// One pass over displacements, which the velocities know nothing of: overlaps shrink by
    /// `part`, no gap becomes an overlap. Returns the largest change at a point.
    pub fn shift(
        &mut self,
        shifts: &mut [Velocity],
        inverse: &[Inverse],
        part: f64,
        most: f64,
    ) -> f64 {
        let (mut a, mut b) = (shifts[self.a as usize], shifts[self.b as usize]);
        let masses = [inverse[self.a as usize].mass, inverse[self.b as usize].mass];
        let mut change = 0.0_f64;
        for _ in 0..if self.count > 1 { INNER } else { 1 } {
            for row in &mut self.spots[..self.count] {
                let wanted = match row.gap > 0.0 {
                    true => -row.gap,
                    false => (-part * row.gap).min(most * self.push_limit),
                };
                let before = row.shift;
                let moved = row.speed(self.normal, &a, &b);
                row.shift = (before + row.mass * (wanted - moved)).max(0.0);
                let by = row.shift - before;
                if by != 0.0 {
                    row.push(self.normal, &mut a, &mut b, masses, by);
                    change = change.max(by.abs() / row.mass);
                }
            }
        }
        (shifts[self.a as usize], shifts[self.b as usize]) = (a, b);
        change
    }

    fn solve_friction(
        &mut self,
        a: &mut Velocity,
        b: &mut Velocity,
        ia: &Inverse,
        ib: &Inverse,
    ) -> f64 {
        let spots = &self.spots[..self.count];
        let load: f64 = spots.iter().map(|s| s.impulse).sum();
        let mut change = 0.0_f64;
        if self.rolling_arm > 0.0 {
            let wanted = self.rolling - self.rolling_mass * (a.angular - b.angular);
            let most = self.rolling_arm * load;
            let by = wanted.clamp_length_max(most) - self.rolling;
            self.rolling += by;
            a.angular += ia.inertia * by;
            b.angular -= ib.inertia * by;
        }
        if self.friction == 0.0 {
            return change;
        }
        if self.twist_mass > 0.0 {
            let levers: f64 = spots.iter().map(|s| s.impulse * s.lever).sum();
            let most = self.friction * levers;
            let spin = self.normal.dot(a.angular - b.angular);
            let before = self.twist;
            self.twist = (before - self.twist_mass * spin).clamp(-most, most);
            let by = self.normal * (self.twist - before);
            a.angular += ia.inertia * by;
            b.angular -= ib.inertia * by;
        }
        let slide =
            a.linear + a.angular.cross(self.arms[0]) - b.linear - b.angular.cross(self.arms[1]);
        let [s, t] = self.tangents.map(|t| t.dot(slide));
        let [xx, xy, yy] = self.tangent_mass;
        let before = self.slip;
        let mut wanted = [before[0] - (xx * s + xy * t), before[1] - (xy * s + yy * t)];
        let (square, most) = (wanted[0] * wanted[0] + wanted[1] * wanted[1], self.friction * load);
        if square > most * most {
            let size = square.sqrt();
            wanted = wanted.map(|x| x * (most / size));
        }
        self.slip = wanted;
        let by =
            self.tangents[0] * (wanted[0] - before[0]) + self.tangents[1] * (wanted[1] - before[1]);
        if by != DVec3::ZERO {
            change = change.max(by.length() * (ia.mass + ib.mass));
            a.linear += by * ia.mass;
            a.angular += ia.inertia * self.arms[0].cross(by);
            b.linear -= by * ib.mass;
            b.angular -= ib.inertia * self.arms[1].cross(by);
        }
        change
    }

    /// Bounces the points that close faster than the threshold and would meet within the step;
    /// whether there were any.
    pub fn bounce(
        &self,
        velocities: &mut [Velocity],
        inverse: &[Inverse],
        threshold: f64,
        dt: f64,
    ) -> bool {
        if self.restitution == 0.0 {
            return false;
        }
        let (mut a, mut b) = (velocities[self.a as usize], velocities[self.b as usize]);
        let masses = [inverse[self.a as usize].mass, inverse[self.b as usize].mass];
        let mut any = false;
        for row in &self.spots[..self.count] {
            let closing = -row.speed(self.normal, &a, &b);
            if closing > threshold && row.gap < closing * dt {
                let by = row.mass * closing * (1.0 + self.restitution);
                row.push(self.normal, &mut a, &mut b, masses, by);
                any = true;
            }
        }
        (velocities[self.a as usize], velocities[self.b as usize]) = (a, b);
        any
    }
}

impl SpotRow {
    fn new(bodies: &Bodies, [a, b]: [usize; 2], normal: DVec3, at: DVec3, gap: f64) -> SpotRow {
        let arms = [at - bodies.positions[a], at - bodies.positions[b]];
        let moments = arms.map(|arm| arm.cross(normal));
        let moved =
            [bodies.inverse[a].inertia * moments[0], bodies.inverse[b].inertia * moments[1]];
        let answer = bodies.inverse[a].mass
            + bodies.inverse[b].mass
            + moments[0].dot(moved[0])
            + moments[1].dot(moved[1]);
        SpotRow {
            locals: [bodies.turns[a].transpose() * arms[0], bodies.turns[b].transpose() * arms[1]],
            moments,
            moved,
            mass: answer.recip(),
            gap_at_start: gap,
            gap,
            ..Default::default()
        }
    }

    /// How fast the gap grows.
    fn speed(&self, normal: DVec3, a: &Velocity, b: &Velocity) -> f64 {
        normal.dot(a.linear - b.linear) + self.moments[0].dot(a.angular)
            - self.moments[1].dot(b.angular)
    }

    fn push(&self, normal: DVec3, a: &mut Velocity, b: &mut Velocity, masses: [f64; 2], by: f64) {
        a.linear += normal * (masses[0] * by);
        a.angular += self.moved[0] * by;
        b.linear -= normal * (masses[1] * by);
        b.angular -= self.moved[1] * by;
    }
}
