//! One step as the paper has it \[D14\]: velocities, one proximity detection,
//! contacts and friction at velocity level, positions, then Gauss-Seidel passes
//! over joints and proximities at position level, where every displacement goes
//! into the velocities at once, and shock propagation for what is left.

use super::bodies::Bodies;
use super::connector::Connector;
use super::detect::{self, Proximity};
use super::forces::Forces;
use super::soft_paper::Multipliers;
use super::tally::{JointTally, Tally};
use super::trace::Impulse;
use super::{paper_joints, shock};
use crate::contact::manifold::{Manifold, Spot};
use crate::math::DVec3;
use crate::scene::DynamicsOptions;
use crate::world::Trace;

/// One point of a proximity.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// The number of its proximity.
    from: usize,
    pub ends: [Connector; 2],
    /// From the second body to the first.
    pub normal: DVec3,
    /// The gap at detection, where both points were at the same place.
    pub gap_at_start: f64,
    friction: f64,
    /// Its arms and its effective mass along the normal, before anything moves.
    first_arms: [DVec3; 2],
    first_mass: f64,
    /// The speed apart that a collision asks for; 0 for a contact.
    bounce: f64,
    /// Impulses at velocity level: along the normal, and friction.
    push: f64,
    slip: DVec3,
    /// The gap after the bodies moved and before the position passes, if it is an overlap: `d`.
    old_gap: f64,
    /// The mass-weighted displacements so far, and the friction that goes with them.
    displaced: f64,
    position_slip: DVec3,
    /// All of that in this step.
    impulse: Impulse,
}

/// What a step did.
pub struct Done {
    /// The proximities where they end.
    pub points: Vec<Point>,
    /// Points that were given up as their bodies turned: they acted on velocities only.
    pub left: Vec<Point>,
    /// Of the attachments of cloth, on their particles.
    pub ties: Vec<Impulse>,
    /// Of threads and air.
    pub trace: Trace,
}

/// How much of a gap a pass corrects: what is deeper than the old overlap at once, the old
/// overlap by its stiffness [D14 6].
pub fn correction(gap: f64, old_gap: f64, stiffness: f64) -> f64 {
    (gap - old_gap).min(0.0) + stiffness * gap.max(old_gap)
}

/// `d^T K d` of a point of one body: how much it moves along `d` per impulse `d`.
#[inline]
pub fn inverse_mass_of(bodies: &Bodies, body: usize, arm: DVec3, d: DVec3) -> f64 {
    let (inverse, moment) = (&bodies.inverse[body], arm.cross(d));
    inverse.mass * d.length_squared() + moment.dot(inverse.inertia * moment)
}

impl Point {
    /// A spot of a manifold of two pieces where they are.
    fn new(
        bodies: &Bodies,
        from: usize,
        (key, manifold): ([u32; 4], &Manifold),
        spot: &Spot,
        friction: f64,
    ) -> Point {
        let [a, b] = [key[0] as usize, key[1] as usize];
        let local = |body: usize| Connector {
            body,
            local: bodies.turns[body].transpose() * (spot.at - bodies.positions[body]),
        };
        let mut point = Point {
            from,
            ends: [local(a), local(b)],
            normal: manifold.normal,
            gap_at_start: spot.gap,
            friction,
            first_arms: [spot.at - bodies.positions[a], spot.at - bodies.positions[b]],
            first_mass: 0.0,
            bounce: 0.0,
            push: 0.0,
            slip: DVec3::ZERO,
            old_gap: 0.0,
            displaced: 0.0,
            position_slip: DVec3::ZERO,
            impulse: Impulse::default(),
        };
        point.first_mass = point.inverse_mass(bodies, point.first_arms, point.normal).recip();
        point
    }

    #[inline]
    pub fn arms(&self, bodies: &Bodies) -> [DVec3; 2] {
        [self.ends[0].arm(bodies), self.ends[1].arm(bodies)]
    }

    /// `n . (a - b)`.
    pub fn gap(&self, bodies: &Bodies) -> f64 {
        self.gap_with(bodies, self.arms(bodies))
    }

    #[inline]
    fn gap_with(&self, bodies: &Bodies, arms: [DVec3; 2]) -> f64 {
        let [a, b] = [bodies.positions[self.ends[0].body], bodies.positions[self.ends[1].body]];
        self.gap_at_start + self.normal.dot(a + arms[0] - b - arms[1])
    }

    /// The velocity of the first body's point relative to the second's.
    #[inline]
    fn slide(&self, bodies: &Bodies, arms: [DVec3; 2]) -> DVec3 {
        let [a, b] = [&bodies.velocities[self.ends[0].body], &bodies.velocities[self.ends[1].body]];
        a.linear + a.angular.cross(arms[0]) - b.linear - b.angular.cross(arms[1])
    }

    #[inline]
    fn push(&mut self, bodies: &mut Bodies, arms: [DVec3; 2], impulse: DVec3) {
        self.impulse.add(impulse, arms.map(|arm| arm.cross(impulse)));
        bodies.push(self.ends[0].body, impulse, arms[0].cross(impulse));
        bodies.push(self.ends[1].body, -impulse, -arms[1].cross(impulse));
    }

    /// `d^T K d`: how much the points part along a direction per impulse `d`.
    #[inline]
    fn inverse_mass(&self, bodies: &Bodies, arms: [DVec3; 2], d: DVec3) -> f64 {
        let [a, b] = self.ends.map(|end| end.body);
        inverse_mass_of(bodies, a, arms[0], d) + inverse_mass_of(bodies, b, arms[1], d)
    }

    /// Contact, collision and friction at velocity level, where nothing has moved yet.
    fn solve_velocity(&mut self, bodies: &mut Bodies, h: f64) {
        let arms = self.first_arms;
        let speed = self.normal.dot(self.slide(bodies, arms));
        let open = self.gap_at_start.max(0.0);
        let wanted = if self.bounce > 0.0 { self.bounce } else { -open / h };
        let before = self.push;
        self.push = (before + (wanted - speed) * self.first_mass).max(0.0);
        if self.push != before {
            self.push(bodies, arms, self.normal * (self.push - before));
        }
        let most = self.friction * self.push;
        self.slip = self.rub(bodies, arms, self.slip, most);
    }

    /// Friction impulses against the sliding, inside the cone; what they sum up to now.
    fn rub(&mut self, bodies: &mut Bodies, arms: [DVec3; 2], before: DVec3, most: f64) -> DVec3 {
        if most == 0.0 && before == DVec3::ZERO {
            return before;
        }
        let slide = self.slide(bodies, arms);
        let tangent = slide - self.normal * self.normal.dot(slide);
        let square = tangent.length_squared();
        if square < STILL {
            return before;
        }
        let wanted = before - tangent * (square / self.inverse_mass(bodies, arms, tangent));
        let after = wanted.clamp_length_max(most);
        self.push(bodies, arms, after - before);
        after
    }

    /// Adds its impulses of a step to the account of its proximity.
    pub fn count(&self, tallies: &mut [Tally], h: f64) {
        let tally = &mut tallies[self.from];
        tally.impulse.add(self.impulse.force, self.impulse.moments);
        let push = self.push + self.displaced / h;
        tally.push_at(push, self.normal, self.first_arms, self.gap_at_start);
    }

    /// The gap and friction at position level.
    fn solve_position(&mut self, bodies: &mut Bodies, stiffness: f64, h: f64) {
        let mut arms = self.arms(bodies);
        let off = correction(self.gap_with(bodies, arms), self.old_gap, stiffness);
        let before = self.displaced;
        if off >= 0.0 && before == 0.0 {
            return;
        }
        // The sum of the displacements never becomes attractive.
        self.displaced = (before - off / self.inverse_mass(bodies, arms, self.normal)).max(0.0);
        if self.displaced != before {
            let by = self.normal * (self.displaced - before);
            self.impulse.add(by / h, arms.map(|arm| arm.cross(by) / h));
            bodies.displace(self.ends[0].body, by, arms[0].cross(by), h.recip());
            bodies.displace(self.ends[1].body, -by, -arms[1].cross(by), h.recip());
            arms = self.arms(bodies);
        }
        let most = self.friction * self.displaced / h;
        self.position_slip = self.rub(bodies, arms, self.position_slip, most);
    }
}

/// One step; what joints do is added to their tally.
pub fn step(
    bodies: &mut Bodies,
    found: &[Proximity],
    forces: &mut Forces,
    options: &DynamicsOptions,
    tally: &mut JointTally,
) -> Done {
    let h = options.time_step;
    let mut points = points(bodies, found, forces, h);
    forces.kick(bodies, h);
    bodies.gyroscopic_kick(h);
    for _ in 0..options.velocity_iterations {
        for point in &mut points {
            point.solve_velocity(bodies, h);
        }
    }
    let mut joints = paper_joints::all(bodies, h);
    let left = turn_away(&mut points, bodies, found, h);
    bodies.drift_plainly(h);
    meet_again(&mut points, &left, bodies, found);
    for point in &mut points {
        point.old_gap = point.gap(bodies).min(0.0);
    }
    let mut soft = Multipliers::new(bodies);
    for _ in 0..options.position_iterations {
        soft.pass(bodies, h);
        for (number, joint) in joints.iter_mut().enumerate() {
            joint.solve(bodies, number, h, tally);
        }
        for point in &mut points {
            point.solve_position(bodies, options.stiffness, h);
        }
    }
    if options.shock {
        bodies.start_shifts();
        shock::propagate(bodies, &points);
    }
    let (ties, trace) = soft.told(h);
    Done { points, left, ties, trace }
}

/// Whether the bodies of a proximity turn so far against each other in a step that they will touch at
/// other points.
fn turns_away(bodies: &Bodies, [a, b]: [usize; 2], h: f64) -> bool {
    let is_rigid = |body: usize| !bodies.prepared.is_particle(body);
    let [one, two] = [a, b].map(|body| bodies.velocities[body].angular);
    is_rigid(a) && is_rigid(b) && one.distance(two) * h > TURNED
}

/// Takes the points out that their bodies turn away from.
fn turn_away(points: &mut Vec<Point>, bodies: &Bodies, found: &[Proximity], h: f64) -> Vec<Point> {
    let (left, kept) = std::mem::take(points).into_iter().partition(|point| {
        let key = found[point.from].key;
        turns_away(bodies, [key[0] as usize, key[1] as usize], h)
    });
    *points = kept;
    left
}

/// Points of where those are near each other now that have turned away from others.
fn meet_again(points: &mut Vec<Point>, left: &[Point], bodies: &Bodies, found: &[Proximity]) {
    for of_pair in left.chunk_by(|one, two| one.from == two.from) {
        let first = &of_pair[0];
        let key = found[first.from].key;
        let [a, b] = first.ends.map(|end| end.body);
        let radius = bodies.prepared.radius(a).min(bodies.prepared.radius(b));
        let Some(manifold) = detect::meet(bodies, key, radius) else { continue };
        for spot in manifold.spots() {
            points.push(Point::new(bodies, first.from, (key, &manifold), spot, first.friction));
        }
    }
}

/// The points within the tolerance, or on their way to it, classified by Mirtich's threshold:
/// faster than what gravity does over the tolerance is a collision, all else a contact.
fn points(bodies: &Bodies, found: &[Proximity], forces: &Forces, h: f64) -> Vec<Point> {
    let prepared = bodies.prepared;
    let largest = forces.largest(prepared);
    let fall = largest * h * h;
    let mut points = Vec::with_capacity(2 * found.len());
    for (index, proximity) in found.iter().enumerate() {
        let [a, b] = [proximity.key[0] as usize, proximity.key[1] as usize];
        let material = prepared.materials([a, b]);
        let tolerance = TOLERANCE * prepared.radius(a).min(prepared.radius(b));
        let threshold = (2.0 * largest * tolerance).sqrt();
        for spot in proximity.manifold.spots() {
            let met = (proximity.key, &proximity.manifold);
            let mut point = Point::new(bodies, index, met, spot, material.friction);
            let arms = point.first_arms;
            let approach = -point.normal.dot(point.slide(bodies, arms));
            // Cloth is pulled along within the step, whatever its speed was before.
            let is_cloth = prepared.is_particle(a) || prepared.is_particle(b);
            if !is_cloth && spot.gap > tolerance + approach.max(0.0) * h + fall {
                continue;
            }
            if approach > threshold && spot.gap <= tolerance {
                point.bounce = material.restitution * approach;
            }
            points.push(point);
        }
    }
    points
}

/// Squares of speeds below this are none: dividing by them is not safe.
const STILL: f64 = 1e-100;

/// The tolerance of the proximity detection, in radii.
const TOLERANCE: f64 = 0.01;

/// Bodies that turn against each other by more than this in a step (in radians) are looked at again
/// where that takes them: a point of a wheel that rolls has left the ground by then, and would be pushed
/// where it turns the wheel on. The paper keeps its points.
const TURNED: f64 = 0.02;
