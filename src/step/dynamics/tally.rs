//! What contacts and joints did in a step, for the run file: the net impulse
//! over all substeps and points of a pair of pieces, and of a joint, with the
//! moments that went with it.

use super::bodies::Bodies;
use super::joints::{Placed, ends};
use super::limits::{Limit, Role};
use super::trace::{Before, Impulse};
use crate::math::DVec3;
use crate::world::{Contact, With};

/// Normals of a step differ by no more than this from their mean, in radians; what is farther out
/// of its cone is told as it is.
const MOST_TURN: f64 = 0.1;

/// And by so much more than asked for, as what is told is rounded.
const ROUNDING: f64 = 1e-9;

/// A pair of pieces in a step.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    pub key: [u32; 4],
    pub impulse: Impulse,
    /// The sum of all pushes, and weighted by them: the normals, the arms from the bodies'
    /// centres to where they act, and the gaps there.
    load: f64,
    normal: DVec3,
    arms: [DVec3; 2],
    gap: f64,
}

impl Tally {
    pub fn new(key: [u32; 4]) -> Tally {
        Tally {
            key,
            impulse: Impulse::default(),
            load: 0.0,
            normal: DVec3::ZERO,
            arms: [DVec3::ZERO; 2],
            gap: 0.0,
        }
    }

    /// Notes where a push acts, half-way between the surfaces and from the centres of the bodies,
    /// and how far apart the surfaces are there, all when the arms were last measured.
    pub fn push_at(&mut self, push: f64, normal: DVec3, arms: [DVec3; 2], gap: f64) {
        self.load += push;
        self.normal += normal * push;
        self.arms[0] += arms[0] * push;
        self.arms[1] += arms[1] * push;
        self.gap += gap * push;
    }

    fn add(&mut self, other: &Tally) {
        self.impulse.add(other.impulse.force, other.impulse.moments);
        self.load += other.load;
        self.normal += other.normal;
        self.arms[0] += other.arms[0];
        self.arms[1] += other.arms[1];
        self.gap += other.gap;
    }

    /// Sorted by key, one for each.
    pub fn merged(tallies: &[Tally]) -> Vec<Tally> {
        // They are large: each is moved once.
        let keys = tallies.iter().enumerate().map(|(k, tally)| (tally.key, k));
        let mut order: Vec<([u32; 4], usize)> = keys.collect();
        order.sort_unstable();
        let mut merged: Vec<Tally> = Vec::with_capacity(tallies.len());
        for (key, k) in order {
            match merged.last_mut() {
                Some(sum) if sum.key == key => sum.add(&tallies[k]),
                _ => merged.push(tallies[k]),
            }
        }
        merged
    }

    /// As a run file has it, acting where the pressure has its centre, as seen from where the
    /// bodies were before the step; none if nothing acted. On a side that nothing turns it acts
    /// opposite the other side.
    pub fn contact(&self, bodies: &Bodies, before: &Before) -> Option<Contact> {
        let [body, other, piece, other_piece] = self.key;
        let ends = [body as usize, other as usize];
        if self.load <= 0.0 || self.impulse.is_rounding(bodies, ends) {
            return None;
        }
        let turns = ends.map(|end| bodies.turns_freely(end));
        let friction = bodies.prepared.materials(ends).friction;
        let mean = (self.normal / self.load).normalize_or_zero();
        // Cloth has one normal in a step, and its particles are touched along it.
        let normal = match ends.iter().any(|end| bodies.prepared.is_particle(*end)) {
            true => mean,
            false => within_cone(mean, self.impulse.force, friction),
        };
        let gap = self.gap / self.load;
        let arms = self.arms.map(|arm| arm / self.load);
        let half = normal * (0.5 * gap);
        let mut at =
            [before.position(ends[0]) + arms[0] + half, before.position(ends[1]) + arms[1] - half];
        match turns {
            [true, true] => {}
            [true, false] => at[1] = at[0] - normal * gap,
            [false, _] => at[0] = at[1] + normal * gap,
        }
        let (with, other_piece) = match ends[1] == bodies.world() {
            // A wall stands behind one face or several; which of them it was is told by where the
            // push was, not by where the body is seen from.
            true => (With::Face(bodies.prepared.walls.get(other_piece).face_at(arms[1])), 0),
            false => (With::Body(other), other_piece),
        };
        Some(Contact {
            body,
            with,
            pieces: [piece, other_piece],
            at,
            normal,
            force: self.impulse.force,
            couples: self.impulse.couples([0, 1].map(|k| at[k] - before.position(ends[k])), turns),
            choice: false,
        })
    }
}

/// The normal of a step's impulse. Where bodies roll or turn, normals of its substeps differ, and
/// friction that was in each of their cones may leave that of their mean by as much: then the
/// normal is told that is nearest to the mean and has the impulse in its cone.
pub fn within_cone(mean: DVec3, impulse: DVec3, friction: f64) -> DVec3 {
    let along = impulse.dot(mean);
    let across = impulse - along * mean;
    let beyond = across.length().atan2(along) - friction.atan();
    if beyond <= 0.0 || beyond > MOST_TURN {
        return mean;
    }
    let (sin, cos) = (beyond + ROUNDING).sin_cos();
    (mean * cos + across.normalize_or_zero() * sin).normalize()
}

/// What the joints of a model did in a step, with their limits and motors.
#[derive(Clone, Debug, Default)]
pub struct JointTally {
    /// Where their points are before the step: of the first body and of the second.
    points: Vec<[DVec3; 2]>,
    pub joints: Vec<Impulse>,
    pub limits: Vec<Impulse>,
    pub motors: Vec<Impulse>,
}

impl JointTally {
    pub fn new(bodies: &Bodies) -> JointTally {
        let points = bodies.prepared.joints.iter().map(|joint| {
            let (arms, ends) = (Placed::new(bodies, joint).arms(), ends(bodies, joint));
            [bodies.positions[ends[0]] + arms[0], bodies.positions[ends[1]] + arms[1]]
        });
        let none = vec![Impulse::default(); bodies.prepared.joints.len()];
        JointTally {
            points: points.collect(),
            joints: none.clone(),
            limits: none.clone(),
            motors: none,
        }
    }

    /// Adds what a limit or motor did in a substep.
    pub fn count(&mut self, limit: &Limit) {
        let impulse = limit.impulse();
        let sums = match limit.role {
            Role::Limit { .. } => &mut self.limits,
            Role::Motor { .. } => &mut self.motors,
        };
        sums[limit.joint].add(impulse.force, impulse.moments);
    }

    /// The joints, limits and motors that acted.
    pub fn contacts(&self, bodies: &Bodies, before: &Before) -> Vec<Contact> {
        let mut contacts = Vec::new();
        let mut tell = |impulses: &[Impulse], with: fn(u32) -> With| {
            for (number, impulse) in impulses.iter().enumerate().filter(|(_, i)| !i.is_zero()) {
                contacts.extend(self.contact(bodies, before, number, impulse, with));
            }
        };
        tell(&self.joints, With::Joint);
        tell(&self.limits, With::Limit);
        tell(&self.motors, With::Motor);
        contacts
    }

    /// The normal is along the impulse where the points coincide.
    fn contact(
        &self,
        bodies: &Bodies,
        before: &Before,
        number: usize,
        impulse: &Impulse,
        with: fn(u32) -> With,
    ) -> Option<Contact> {
        let (joint, at) = (&bodies.prepared.joints[number], self.points[number]);
        let ends = ends(bodies, joint);
        let arms = [0, 1].map(|k| at[k] - before.position(ends[k]));
        let couples = impulse.couples(arms, ends.map(|end| bodies.turns_freely(end)));
        let apart = joint.distance().and_then(|_| (at[0] - at[1]).try_normalize());
        let along = impulse.force.try_normalize().or_else(|| impulse.moments[0].try_normalize());
        Some(Contact {
            body: joint.bodies[0]?,
            with: with(number as u32),
            pieces: [0; 2],
            at,
            normal: apart.or(along).unwrap_or_default(),
            force: impulse.force,
            couples,
            choice: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    /// A ball that rolls: its normal turns from substep to substep, and friction slides in every
    /// cone, across the turn. The sum has a normal near their mean in whose cone it is.
    #[test]
    fn sums_of_impulses_in_turning_cones_have_a_normal() {
        let mut random = Random::new(5);
        let mut beyond = 0;
        for _ in 0..1000 {
            let friction = random.between(0.05, 1.0);
            let turn = random.between(0.0, 0.02);
            let (mut sum, mut mean) = (DVec3::ZERO, DVec3::ZERO);
            for k in 0..4 {
                let (sin, cos) = (turn * f64::from(k)).sin_cos();
                let (normal, along) = (DVec3::new(sin, 0.0, cos), DVec3::Y);
                let push = random.unit();
                sum += (normal + along * friction) * push;
                mean += normal * push;
            }
            let mean = mean.normalize();
            let is_within = |normal: DVec3| {
                let along = sum.dot(normal);
                (sum - along * normal).length() <= friction * along * (1.0 + 1e-12)
            };
            beyond += usize::from(!is_within(mean));
            let told = within_cone(mean, sum, friction);
            assert!(is_within(told) && told.angle_between(mean) <= 4.0 * turn + 1e-6);
        }
        assert!(beyond > 100, "{beyond}");
        // What is far out of its cone stays there: it is for others to see.
        assert_eq!(within_cone(DVec3::Z, DVec3::X, 0.5), DVec3::Z);
    }
}
