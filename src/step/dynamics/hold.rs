//! What is quiet is held still. An island (bodies that contacts and joints connect)
//! that is at rest and whose contacts can balance it stays exactly where it is:
//! its impulses are found once ([`Balance`]) and told in every step, and nothing
//! else is done for it. Rest is no matter of speed alone: what turns back, creeps or
//! rolls slowly is not balanced, and goes on.
//!
//! An island wakes when something that moves comes near, or when somebody moves one of
//! its bodies between steps.

use serde::{Deserialize, Serialize};

use super::articulation::Articulation;
use super::balance::{Balance, Grip, Load};
use super::batch::Pass;
use super::batches::{Batches, Place};
use super::bodies::{Bodies, Velocity};
use super::contacts::WarmStart;
use super::detect::Candidate;
use super::narrow::Motion;
use super::tally::{JointTally, Tally};
use super::trace::Before;
use crate::math::{DQuat, DVec3};
use crate::scene::DynamicsOptions;
use crate::shape::UnionFind;
use crate::world::{self, Contact};

/// Slower than this part of what gravity does in a substep is at rest, if it is balanced: its
/// contacts stop it within a fraction of a substep.
const SLOW: f64 = 1e-3;

/// Impulses to start from are looked for by up to so many times as many passes as there are
/// sweeps.
const START_SWEEPS: usize = 8;

/// What is not balanced is tried again after at most so many steps.
const LONGEST_WAIT: u32 = 64;

/// Islands that are held, and what is known of those that are not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Held {
    islands: Vec<Island>,
    /// Of every body, if any waits: in how many steps it is tried again, and how many there were
    /// from the last trial to this.
    waits: Vec<[u32; 2]>,
}

/// An island that is held.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Island {
    bodies: Vec<u32>,
    /// Of the principal axes.
    places: Vec<(DVec3, DQuat)>,
    /// What its contacts and joints do in a step.
    contacts: Vec<Contact>,
    /// What they start from when it wakes, sorted by key.
    warm: Vec<WarmStart>,
    /// The deepest overlap, in the smaller body's diameter.
    depth: f64,
}

/// What is looked at besides the bodies.
pub struct Surroundings<'s> {
    pub found: &'s [Candidate],
    pub last: &'s [WarmStart],
    pub before: &'s Before,
    pub articulation: &'s mut Articulation,
    pub options: &'s DynamicsOptions,
}

impl Held {
    /// Whether all bodies it speaks of exist.
    pub fn fits(&self, count: usize) -> bool {
        let exist = |island: &Island| {
            island.bodies.len() == island.places.len()
                && island.bodies.iter().all(|&body| (body as usize) < count)
        };
        self.islands.iter().all(exist) && (self.waits.is_empty() || self.waits.len() == count)
    }

    /// Whether nothing moves but what is held, and that neither.
    pub fn holds_all(&self, bodies: &Bodies) -> bool {
        let model = &bodies.prepared.model;
        let held: usize = self.islands.iter().map(|island| island.bodies.len()).sum();
        held == model.free().count()
            && !model.bodies.iter().any(|body| body.motion == world::Motion::Driven)
    }

    /// Wakes islands of which a body is not where it was left; what their contacts start from.
    pub fn wake_moved(&mut self, bodies: &Bodies) -> Vec<WarmStart> {
        self.wake(|island| {
            island.bodies.iter().zip(&island.places).any(|(&body, place)| {
                let i = body as usize;
                (bodies.positions[i], bodies.rotations[i]) != *place
                    || bodies.velocities[i] != Velocity::default()
            })
        })
    }

    /// Wakes islands near which something moves; what their contacts start from.
    pub fn wake_near(&mut self, bodies: &Bodies, found: &[Candidate]) -> Vec<WarmStart> {
        let mut woken = Vec::new();
        let count = bodies.inverse.len();
        loop {
            let mut of = vec![None; count];
            for (number, island) in self.islands.iter().enumerate() {
                island.bodies.iter().for_each(|&body| of[body as usize] = Some(number));
            }
            let moves = |body: usize| of[body].is_none() && is_mover(bodies, body);
            let mut is_near = vec![false; self.islands.len()];
            for Candidate { key: [a, b, ..], .. } in found {
                for (own, other) in [(*a as usize, *b as usize), (*b as usize, *a as usize)] {
                    if let Some(island) = of[own].filter(|_| moves(other)) {
                        is_near[island] = true;
                    }
                }
            }
            if !is_near.contains(&true) {
                return woken;
            }
            let mut number = 0..;
            woken.extend(self.wake(|_| number.next().is_some_and(|k: usize| is_near[k])));
        }
    }

    fn wake(&mut self, mut wakes: impl FnMut(&Island) -> bool) -> Vec<WarmStart> {
        let mut woken = Vec::new();
        self.islands.retain_mut(|island| {
            let wakes = wakes(island);
            if wakes {
                woken.append(&mut island.warm);
            }
            !wakes
        });
        woken
    }

    /// Lets all that it holds stay where it is in this step.
    pub fn keep(&self, bodies: &mut Bodies) {
        let held = self.islands.iter().flat_map(|island| &island.bodies);
        held.for_each(|&body| bodies.hold(body as usize));
    }

    /// What contacts and joints of its islands do in a step.
    pub fn contacts(&self) -> Vec<Contact> {
        self.islands.iter().flat_map(|island| island.contacts.iter().copied()).collect()
    }

    /// The deepest overlap, in the smaller body's diameter.
    pub fn depth(&self) -> f64 {
        self.islands.iter().map(|island| island.depth).fold(0.0, f64::max)
    }

    /// Takes islands in that have come to rest; what they do in this step, in which they stop.
    pub fn hold(&mut self, bodies: &mut Bodies, around: Surroundings) -> Vec<Contact> {
        let ready = self.ready(bodies, &around);
        let Some(ready) = ready.filter(|ready| ready.contains(&true)) else { return Vec::new() };
        let movers = std::mem::take(&mut bodies.velocities);
        bodies.velocities = movers.iter().map(|_| Velocity::default()).collect();
        let mut trial = Trial::new(bodies, &ready, around);
        bodies.velocities = movers;
        let done = trial.islands(bodies, &ready);
        let mut told = Vec::new();
        let mut rests = vec![false; ready.len()];
        for (island, first) in done {
            island.bodies.iter().for_each(|&body| rests[body as usize] = true);
            told.extend(first);
            self.islands.push(island);
        }
        self.note(&ready, &rests);
        told
    }

    /// Those that are slow, with nothing that moves nearby, and whose turn it is; none if there
    /// are none.
    fn ready(&mut self, bodies: &Bodies, around: &Surroundings) -> Option<Vec<bool>> {
        let prepared = bodies.prepared;
        let model = &prepared.model;
        if !model.forces.is_empty() || !model.cloths.is_empty() {
            return None;
        }
        let DynamicsOptions { time_step, substeps, .. } = *around.options;
        let h = time_step / substeps.max(1) as f64;
        let mut is_slow = vec![false; bodies.inverse.len()];
        let mut is_due = is_slow.clone();
        self.waits.resize(bodies.world(), [0; 2]);
        for i in model.free().filter(|&i| bodies.inverse[i].mass > 0.0) {
            let Velocity { linear, angular } = bodies.velocities[i];
            let speed = linear.length() + angular.length() * prepared.radius(i);
            is_slow[i] = speed <= SLOW * h * model.pull(i).length();
            let wait = &mut self.waits[i];
            *wait = if is_slow[i] { [wait[0].saturating_sub(1), wait[1]] } else { [0; 2] };
            is_due[i] = is_slow[i] && wait[0] == 0;
        }
        if self.waits.iter().all(|wait| *wait == [0; 2]) {
            self.waits.clear();
        }
        is_due.contains(&true).then(|| clusters(bodies, around.found, &is_slow, &is_due))
    }

    /// What did not rest is tried again after twice as many steps as last time.
    fn note(&mut self, ready: &[bool], rests: &[bool]) {
        let failed = |i: usize| ready[i] && !rests[i];
        if !(0..rests.len()).any(failed) {
            return;
        }
        self.waits.resize(rests.len() - 1, [0; 2]);
        for (_, wait) in self.waits.iter_mut().enumerate().filter(|(i, _)| failed(*i)) {
            let next = (2 * wait[1]).clamp(1, LONGEST_WAIT);
            *wait = [next, next];
        }
    }
}

/// All that are slow in clusters of bodies near each other (or joined) of which one is due, and
/// near which nothing moves.
fn clusters(bodies: &Bodies, found: &[Candidate], is_slow: &[bool], is_due: &[bool]) -> Vec<bool> {
    let joints = &bodies.prepared.joints;
    let joined = joints.iter().map(|joint| joint.bodies.map(|body| bodies.index(body)));
    let near = found.iter().map(|pair| [pair.key[0] as usize, pair.key[1] as usize]);
    let mut sets = UnionFind::new(is_slow.len());
    let mut is_disturbed = vec![false; is_slow.len()];
    for [a, b] in near.chain(joined) {
        match [is_slow[a], is_slow[b]] {
            [true, true] => sets.union(a, b),
            [true, false] => is_disturbed[a] |= is_mover(bodies, b),
            [false, true] => is_disturbed[b] |= is_mover(bodies, a),
            [false, false] => {}
        }
    }
    // What a motor or a stop does, or a rope that is slack, is not balanced here.
    for joint in joints {
        let has_room = joint.distance().is_some_and(|[least, most]| least < most);
        if joint.motor.is_some() || joint.limits.is_some() || has_room {
            joint.bodies.iter().flatten().for_each(|&body| is_disturbed[body as usize] = true);
        }
    }
    let slow = || (0..is_slow.len()).filter(|&i| is_slow[i]);
    let (mut due, mut disturbed) = (vec![false; is_slow.len()], vec![false; is_slow.len()]);
    for i in slow() {
        let cluster = sets.find(i);
        due[cluster] |= is_due[i];
        disturbed[cluster] |= is_disturbed[i];
    }
    let mut is_ready = vec![false; is_slow.len()];
    for i in slow() {
        let cluster = sets.find(i);
        is_ready[i] = due[cluster] && !disturbed[cluster];
    }
    is_ready
}

/// Whether a body may move by itself.
fn is_mover(bodies: &Bodies, body: usize) -> bool {
    let of = |body: &world::Body| body.motion != world::Motion::Fixed;
    bodies.prepared.model.bodies.get(body).is_some_and(of)
}

/// Contacts and joints of those that may be held, with impulses that are about right.
struct Trial<'s> {
    around: Surroundings<'s>,
    batches: Batches,
    /// Of the contacts, and where these are; then those of joints, and which they are.
    contacts: Vec<(Grip, Place)>,
    joints: Vec<(Grip, usize)>,
    substeps: f64,
    dt: f64,
}

impl<'s> Trial<'s> {
    /// Velocities of the bodies are zero and become anything.
    fn new(bodies: &mut Bodies, ready: &[bool], around: Surroundings<'s>) -> Trial<'s> {
        let dt = around.options.time_step;
        let substeps = around.options.substeps.max(1) as f64;
        let h = dt / substeps;
        let of =
            |candidate: &&Candidate| candidate.key[..2].iter().any(|&body| ready[body as usize]);
        let found: Vec<Candidate> = around.found.iter().filter(of).copied().collect();
        let mut batches = Batches::new(bodies, &found);
        let clocks = vec![0.0; bodies.inverse.len()];
        batches.look(&Motion::new(bodies, &bodies.velocities, &clocks, 0.0, h), around.last);
        bodies.kick(h);
        let pulls = bodies.velocities.iter().map(|v| v.linear.length()).fold(0.0, f64::max);
        batches.warm_start(&mut bodies.velocities);
        let in_joints = |body: &Option<u32>| body.is_some_and(|b| ready[b as usize]);
        let has_joints = bodies.prepared.joints.iter().any(|j| j.bodies.iter().any(in_joints));
        if has_joints {
            around.articulation.start(bodies);
            around.articulation.refresh(bodies, h);
        }
        for pass in 0..START_SWEEPS * around.options.sweeps {
            let mut change = batches.solve(&mut bodies.velocities, Pass::whole(pass));
            if has_joints {
                change = change.max(around.articulation.solve_velocities(bodies));
            }
            if change <= BALANCED_START * pulls {
                break;
            }
        }
        let contacts = batches.grips(substeps);
        let joints = if has_joints { around.articulation.grips() } else { Vec::new() };
        Trial { around, batches, contacts, joints, substeps, dt }
    }

    /// The islands that rest, and what each of them does in the step in which it stops.
    fn islands(&mut self, bodies: &Bodies, ready: &[bool]) -> Vec<(Island, Vec<Contact>)> {
        let mut sets = UnionFind::new(bodies.inverse.len());
        let mut is_deep = vec![false; ready.len()];
        let ends = self.contacts.iter().map(|(_, place)| place.ends);
        let ends = ends.chain(self.joints.iter().map(|(_, joint)| {
            bodies.prepared.joints[*joint].bodies.map(|body| bodies.index(body))
        }));
        for [a, b] in ends {
            if ready[a] && ready[b] {
                sets.union(a, b);
            }
        }
        for (_, place) in &self.contacts {
            if place.is_deep {
                place.ends.iter().for_each(|&end| is_deep[end] = true);
            }
        }
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); bodies.inverse.len()];
        (0..bodies.world()).filter(|&i| ready[i]).for_each(|i| members[sets.find(i)].push(i));
        members.retain(|bodies| !bodies.is_empty() && !bodies.iter().any(|&i| is_deep[i]));
        let mut rests: Vec<Rest> =
            members.into_iter().filter_map(|members| self.rest(bodies, members)).collect();
        self.without_neighbours(bodies, &mut rests);
        rests.into_iter().map(|rest| self.island(bodies, rest)).collect()
    }

    /// Leaves out what is near somebody who does not rest: that would wake it in the next step.
    fn without_neighbours(&self, bodies: &Bodies, rests: &mut Vec<Rest>) {
        loop {
            let mut is_at_rest = vec![false; bodies.inverse.len()];
            let all = rests.iter().flat_map(|rest| &rest.members);
            all.for_each(|&body| is_at_rest[body] = true);
            let mut is_disturbed = vec![false; bodies.inverse.len()];
            for Candidate { key: [a, b, ..], .. } in self.around.found {
                for (own, other) in [(*a as usize, *b as usize), (*b as usize, *a as usize)] {
                    let moves = bodies.inverse[other].mass > 0.0 && !is_at_rest[other];
                    is_disturbed[own] |= moves;
                }
            }
            let before = rests.len();
            rests.retain(|rest| !rest.members.iter().any(|&body| is_disturbed[body]));
            if rests.len() == before {
                return;
            }
        }
    }

    /// Balances an island.
    fn rest(&self, bodies: &Bodies, members: Vec<usize>) -> Option<Rest> {
        let local = |body: usize| members.binary_search(&body).ok();
        let among = |ends: [usize; 2]| ends.iter().any(|&end| local(end).is_some());
        let mut rest = Rest::default();
        let mut grips: Vec<Grip> = Vec::new();
        for (k, (grip, place)) in self.contacts.iter().enumerate() {
            if among(place.ends) {
                rest.contacts.push(k);
                grips.push(Grip { ends: place.ends.map(local), ..grip.clone() });
            }
        }
        for (k, (grip, joint)) in self.joints.iter().enumerate() {
            let ends = bodies.prepared.joints[*joint].bodies.map(|body| bodies.index(body));
            if among(ends) {
                rest.joints.push(k);
                grips.push(Grip { ends: ends.map(local), ..grip.clone() });
            }
        }
        let load = |with: f64| {
            let of = |&i: &usize| self.load(bodies, i, with);
            members.iter().map(of).collect::<Vec<Load>>()
        };
        let loads = load(0.0);
        if !Balance::new(&loads, &grips).solve(&mut grips) {
            return None;
        }
        let mut first = grips.clone();
        let loads = load(1.0);
        Balance::new(&loads, &first).close(&mut first).then_some(Rest {
            members,
            grips,
            first,
            ..rest
        })
    }

    /// What a body needs in a step, with a part of what stops it.
    fn load(&self, bodies: &Bodies, i: usize, part: f64) -> Load {
        let (model, radius) = (&bodies.prepared.model, bodies.prepared.radius(i));
        let mass = model.bodies[i].mass;
        let weight = model.pull(i) * (mass * self.dt);
        Load {
            linear: -weight - bodies.velocities[i].linear * (mass * part),
            angular: bodies.angular_momentum(i) * -part,
            turns: bodies.turns_freely(i),
            weight: weight.length(),
            radius,
        }
    }

    /// What is kept of an island, and what it does in this step.
    fn island(&mut self, bodies: &Bodies, rest: Rest) -> (Island, Vec<Contact>) {
        let [first, contacts] = [&rest.first, &rest.grips].map(|grips| {
            let mut told = Vec::new();
            for (grip, &k) in grips.iter().zip(&rest.contacts) {
                let mut tally = Tally::new(self.contacts[k].1.key);
                self.batches.take(&self.contacts[k].1, grip, 1.0);
                self.batches.count(&self.contacts[k].1, &mut tally);
                told.extend(tally.contact(bodies, self.around.before));
            }
            let mut tally = JointTally::new(bodies);
            for (grip, &k) in grips[rest.contacts.len()..].iter().zip(&rest.joints) {
                for row in &grip.rows {
                    let moments = row.angular.map(|moment| moment * row.impulse);
                    tally.joints[self.joints[k].1].add(row.linear * row.impulse, moments);
                }
            }
            told.extend(tally.contacts(bodies, self.around.before));
            told
        });
        let mut warm: Vec<WarmStart> = Vec::new();
        let mut depth = 0.0_f64;
        for (grip, &k) in rest.grips.iter().zip(&rest.contacts) {
            let place = &self.contacts[k].1;
            self.batches.take(place, grip, self.substeps.recip());
            warm.push(self.batches.warm(place));
            depth = depth.max(place.depth);
        }
        warm.sort_unstable_by_key(|contact| contact.key);
        let places = rest.members.iter().map(|&i| (bodies.positions[i], bodies.rotations[i]));
        let places = places.collect();
        let bodies = rest.members.iter().map(|&i| i as u32).collect();
        (Island { bodies, places, contacts, warm, depth }, first)
    }
}

/// Passes that change velocities by no more than this part of what gravity does are enough to
/// start from.
const BALANCED_START: f64 = 1e-6;

/// An island that is balanced.
#[derive(Default)]
struct Rest {
    members: Vec<usize>,
    /// Which contacts and joints it has.
    contacts: Vec<usize>,
    joints: Vec<usize>,
    /// What they do in a step at rest, and in the one in which it stops.
    grips: Vec<Grip>,
    first: Vec<Grip>,
}
