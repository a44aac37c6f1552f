//! Collisions: pairs that bounce off each other when, and not before, they touch
//! within a substep. Those of one instant are solved together, so that what is
//! symmetric stays so; a blow that is passed on is the next instant, so that it
//! travels along a row of balls. Each body goes to its collision with the velocity it
//! had and on with the one it has then.

use super::bodies::{Bodies, Velocity};
use super::connector::inverse_effective_mass;
use super::contacts::SLOP;
use super::detect::Candidate;
use super::narrow::{Look, Motion, Pair, Sight};
use super::tally::Tally;
use crate::contact::manifold::Manifold;
use crate::math::{DMat3, DVec3};

/// A blow is passed on at most so often in a substep.
const INSTANTS: usize = 64;

/// Collisions of one instant are solved when no velocity changes by more than this part of the
/// fastest blow, or after so many passes.
const SOLVED: f64 = 1e-13;
const PASSES: usize = 1000;

/// Energies that differ by less than this part are the same.
const ROUNDING: f64 = 1e-9;

/// The pairs of a step that can bounce.
pub struct Collisions {
    pairs: Vec<Bouncy>,
    /// Bodies that hang on joints or cloth are not moved to where they collide.
    tied: Vec<bool>,
    /// When each body last collided in this substep.
    pub clocks: Vec<f64>,
    /// What they did in this step.
    pub tallies: Vec<Tally>,
}

struct Bouncy {
    pair: Pair,
    look: Look,
    restitution: f64,
    friction: f64,
    /// Its next collision.
    next: Option<Collision>,
    is_known: bool,
}

#[derive(Clone, Copy)]
struct Collision {
    time: f64,
    /// How much later others are of the same instant.
    instant: f64,
    manifold: Manifold,
}

/// A point at which two bodies bounce, while that is solved.
struct Blow {
    bouncy: usize,
    ends: [usize; 2],
    arms: [DVec3; 2],
    normal: DVec3,
    gap: f64,
    /// Effective mass along the normal.
    mass: f64,
    /// How the velocity of the point changes per impulse.
    give: DMat3,
    /// Relative velocity that it is to have along the normal.
    wanted: f64,
    /// What forces do to the bodies' velocities after the collision.
    late: [DVec3; 2],
    friction: f64,
    impulse: f64,
    rub: DVec3,
}

impl Collisions {
    pub fn new(bodies: &Bodies, found: &[Candidate]) -> Collisions {
        let prepared = bodies.prepared;
        let bouncy = found.iter().filter_map(|candidate| {
            let pair = Pair::new(bodies, candidate.key, SLOP);
            let material = prepared.materials(pair.ends());
            (material.restitution > 0.0).then(|| Bouncy {
                look: Look::new(bodies, pair.ends(), candidate.clear),
                pair,
                restitution: material.restitution,
                friction: material.friction,
                next: None,
                is_known: false,
            })
        });
        let pairs: Vec<Bouncy> = bouncy.collect();
        let mut tied = vec![false; bodies.inverse.len()];
        for joint in &prepared.joints {
            joint.bodies.iter().for_each(|body| tied[bodies.index(*body)] = true);
        }
        for tie in &prepared.attachments {
            tied[bodies.index(tie.to)] = true;
        }
        let clocks = vec![0.0; bodies.inverse.len()];
        Collisions { pairs, tied, clocks, tallies: Vec::new() }
    }

    /// The collisions of a substep at more than a threshold; `kicks` is what forces have done to
    /// the velocities already, for all of it.
    pub fn collide(&mut self, bodies: &mut Bodies, kicks: &[DVec3], threshold: f64, h: f64) {
        self.clocks.fill(0.0);
        if self.pairs.is_empty() {
            return;
        }
        self.pairs.iter_mut().for_each(|bouncy| bouncy.is_known = false);
        let mut first = vec![f64::INFINITY; bodies.inverse.len()];
        for _ in 0..INSTANTS {
            first.fill(f64::INFINITY);
            let motion = Motion::new(bodies, &bodies.velocities, &self.clocks, 0.0, h);
            for bouncy in &mut self.pairs {
                if !bouncy.is_known {
                    bouncy.foresee(&motion, threshold);
                }
                if let Some(Collision { time, .. }) = bouncy.next {
                    for end in bouncy.pair.ends() {
                        first[end] = first[end].min(time);
                    }
                }
            }
            let is_first = |bouncy: &Bouncy| {
                bouncy.next.is_some_and(|Collision { time, instant, .. }| {
                    let moves = |&end: &usize| bodies.inverse[end].mass > 0.0;
                    let mut ends = bouncy.pair.ends().into_iter().filter(moves);
                    ends.all(|end| time <= first[end] + instant)
                })
            };
            let now: Vec<usize> =
                (0..self.pairs.len()).filter(|&k| is_first(&self.pairs[k])).collect();
            if now.is_empty() {
                break;
            }
            self.solve(bodies, &now, kicks, threshold, h);
        }
    }

    /// Solves the collisions of an instant.
    fn solve(
        &mut self,
        bodies: &mut Bodies,
        now: &[usize],
        kicks: &[DVec3],
        threshold: f64,
        h: f64,
    ) {
        let mut blows = Vec::new();
        for &k in now {
            self.pairs[k].blows(k, bodies, kicks, threshold, h, &mut blows);
        }
        let mut after = bodies.velocities.clone();
        let before = kinetic(bodies, &blows, &bodies.velocities);
        relax(&mut blows, bodies, &mut after);
        // Restitution and friction of bodies that are hit off their centres can contradict
        // each other; then nothing bounces.
        let work: f64 = blows.iter().map(|blow| blow.work(bodies)).sum();
        if kinetic(bodies, &blows, &after) > (before + work) * (1.0 + ROUNDING) {
            for blow in &mut blows {
                (blow.wanted, blow.impulse, blow.rub) = (0.0, 0.0, DVec3::ZERO);
            }
            after.clone_from(&bodies.velocities);
            relax(&mut blows, bodies, &mut after);
        }
        let mut changed = vec![false; bodies.inverse.len()];
        for &k in now {
            let time = self.pairs[k].next.map_or(0.0, |next| next.time);
            for end in self.pairs[k].pair.ends().into_iter() {
                if changed[end] || bodies.inverse[end].mass == 0.0 {
                    continue;
                }
                changed[end] = true;
                let old = std::mem::replace(&mut bodies.velocities[end], after[end]);
                if !self.tied[end] {
                    let by = Velocity {
                        linear: old.linear - after[end].linear,
                        angular: old.angular - after[end].angular,
                    };
                    bodies.set_back(end, &by, time);
                    self.clocks[end] = time;
                }
            }
        }
        self.tallies.extend(blows.iter().map(|blow| {
            let mut tally = Tally::new(self.pairs[blow.bouncy].pair.key);
            let force = blow.normal * blow.impulse + blow.rub;
            tally.impulse.add(force, blow.arms.map(|arm| arm.cross(force)));
            tally.push_at(blow.impulse, blow.normal, blow.arms, blow.gap);
            tally
        }));
        for bouncy in &mut self.pairs {
            bouncy.is_known &= !bouncy.pair.ends().iter().any(|&end| changed[end]);
        }
    }
}

impl Bouncy {
    /// Finds its next collision.
    fn foresee(&mut self, motion: &Motion, threshold: f64) {
        (self.next, self.is_known) = (None, true);
        let ends = self.pair.ends();
        if motion.speed(ends) <= threshold || motion.is_clear(&self.pair, &self.look) {
            return;
        }
        let Sight::Meeting(mut time, manifold) = motion.look(&self.pair, &mut self.look, None)
        else {
            return;
        };
        let poses = motion.poses(ends, time);
        let [a, b] = ends.map(|end| &motion.velocities[end]);
        let closing = |spot: DVec3| {
            let at = |k: usize| spot - poses[k].position;
            let against = a.linear + a.angular.cross(at(0)) - b.linear - b.angular.cross(at(1));
            -manifold.normal.dot(against)
        };
        let fastest = manifold.spots().iter().map(|spot| closing(spot.at)).fold(0.0, f64::max);
        if fastest <= threshold {
            return;
        }
        // A slow pair is seen before it meets.
        let open = manifold.least_gap() - self.pair.skin;
        if open > 0.0 {
            time += open / fastest;
        }
        if time < motion.h {
            self.next = Some(Collision { time, instant: self.pair.skin / fastest, manifold });
        }
    }

    /// The points at which it bounces.
    fn blows(
        &self,
        bouncy: usize,
        bodies: &Bodies,
        kicks: &[DVec3],
        threshold: f64,
        h: f64,
        blows: &mut Vec<Blow>,
    ) {
        let Some(Collision { time, manifold, .. }) = self.next else { return };
        let ends = self.pair.ends();
        let poses = ends.map(|end| bodies.pose(end, &bodies.velocities[end], time));
        let late = ends.map(|end| kicks[end] * (1.0 - time / h));
        let touching = manifold.least_gap().max(0.0) + self.pair.skin;
        for spot in manifold.spots().iter().filter(|spot| spot.gap <= touching) {
            let arms = poses.map(|pose| spot.at - pose.position);
            let give = inverse_effective_mass(bodies, ends[0], arms[0])
                + inverse_effective_mass(bodies, ends[1], arms[1]);
            let normal = manifold.normal;
            let mut blow = Blow {
                bouncy,
                ends,
                arms,
                normal,
                gap: spot.gap,
                mass: normal.dot(give * normal).recip(),
                give,
                wanted: 0.0,
                late,
                friction: self.friction,
                impulse: 0.0,
                rub: DVec3::ZERO,
            };
            let closing = -normal.dot(blow.against(&bodies.velocities));
            blow.wanted = if closing > threshold { self.restitution * closing } else { 0.0 };
            blows.push(blow);
        }
    }
}

impl Blow {
    fn against(&self, velocities: &[Velocity]) -> DVec3 {
        self.point(velocities, 0) - self.point(velocities, 1)
    }

    /// The velocity of the point as that of one of the bodies.
    fn point(&self, velocities: &[Velocity], side: usize) -> DVec3 {
        let velocity = &velocities[self.ends[side]];
        velocity.linear - self.late[side] + velocity.angular.cross(self.arms[side])
    }

    /// What a body that nothing moves has done.
    fn work(&self, bodies: &Bodies) -> f64 {
        let stands = |side: usize| bodies.inverse[self.ends[side]].mass == 0.0;
        let by = self.normal * self.impulse + self.rub;
        let done = |side: usize| match stands(side) {
            true => by.dot(self.point(&bodies.velocities, side)),
            false => 0.0,
        };
        done(1) - done(0)
    }

    fn push(&self, bodies: &Bodies, velocities: &mut [Velocity], by: DVec3) {
        let [a, b] = self.ends;
        velocities[a].add(&bodies.inverse[a], by, self.arms[0].cross(by));
        velocities[b].add(&bodies.inverse[b], -by, -self.arms[1].cross(by));
    }

    /// Friction, then the push; how much the velocity of the point changed.
    fn solve(&mut self, bodies: &Bodies, velocities: &mut [Velocity]) -> f64 {
        let mut change = 0.0;
        if self.friction > 0.0 {
            let against = self.against(velocities);
            let slide = against - self.normal * self.normal.dot(against);
            let speed = slide.length();
            let most = self.friction * self.impulse;
            let wanted = match speed > 0.0 {
                true => self.rub - slide * (speed * speed / slide.dot(self.give * slide)),
                false => self.rub,
            };
            let rub = wanted.clamp_length_max(most);
            let by = rub - self.rub;
            self.rub = rub;
            self.push(bodies, velocities, by);
            change = by.length() / self.mass;
        }
        let missing = self.wanted - self.normal.dot(self.against(velocities));
        let after = (self.impulse + self.mass * missing).max(0.0);
        let by = after - self.impulse;
        self.impulse = after;
        self.push(bodies, velocities, self.normal * by);
        // Friction gives back what it has beyond its bound now.
        let rub = self.rub.clamp_length_max(self.friction * self.impulse);
        let back = rub - self.rub;
        if back != DVec3::ZERO {
            self.rub = rub;
            self.push(bodies, velocities, back);
        }
        change + by.abs() / self.mass
    }
}

/// Gauss-Seidel until nothing changes: what comes out does not depend on the order.
fn relax(blows: &mut [Blow], bodies: &Bodies, velocities: &mut [Velocity]) {
    let mut most = 0.0_f64;
    for _ in 0..PASSES {
        let changes = blows.iter_mut().map(|blow| blow.solve(bodies, velocities));
        let change = changes.fold(0.0, f64::max);
        most = most.max(change);
        if change <= SOLVED * most {
            break;
        }
    }
}

/// The energy of motion of those that collide, as they are at their collisions.
fn kinetic(bodies: &Bodies, blows: &[Blow], velocities: &[Velocity]) -> f64 {
    let sides = |blow: &Blow| [0, 1].map(|side| (blow.ends[side], blow.late[side]));
    let mut ends: Vec<(usize, DVec3)> = blows.iter().flat_map(sides).collect();
    ends.sort_unstable_by_key(|&(end, _)| end);
    ends.dedup_by_key(|&mut (end, _)| end);
    let of = |&(i, late): &(usize, DVec3)| {
        let (v, mass) = (&velocities[i], bodies.inverse[i].mass);
        let inertia = bodies.prepared.inertia_turned(i, bodies.rotations[i]);
        let turning = v.angular.dot(inertia * v.angular);
        0.5 * ((v.linear - late).length_squared() / mass + turning)
    };
    ends.iter().filter(|&&(i, _)| bodies.inverse[i].mass > 0.0).map(of).sum()
}
