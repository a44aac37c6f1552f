//! Broad phase, once a step: which pieces may come within reach of each other (or
//! of the container) before the next. The mode paper asks at which points, too, once
//! a step; the mode default does so where the motion is (`narrow.rs`).

use rayon::prelude::*;

use super::bodies::Bodies;
use super::contacts::WarmStart;
use super::forces::Forces;
use crate::contact::Placed;
use crate::contact::manifold::{Manifold, manifold};
use crate::math::DVec3;
use crate::near::Neighbours;
use crate::shape::Aabb;
use crate::world::Model;

/// Contacts are looked for this part of the smaller body's radius further away than the bodies
/// move in a step, so that they are known before they push.
const LOOK_AHEAD: f64 = 0.02;

/// A body that is hit may get this part of the speed of the fastest within the step; if it goes
/// farther, the mode default looks again.
const HIT: f64 = 0.3;

/// Neighbours are kept until a body has moved by this part of its radius, or by what it moves
/// in a few steps, but never by more than the second part.
const MARGIN: [f64; 2] = [0.05, 0.25];
const FEW_STEPS: f64 = 4.0;

/// Pairs that one thread looks at in one go, and how many it takes for several threads to pay.
/// Tests divide even small piles.
const PAIRS: usize = 128;
const PAYS: usize = if cfg!(test) { 1 } else { 1000 };

/// Two pieces that may meet: bodies `a < b`, pieces counted in each. The container is a body
/// after all others, its faces are the pieces.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    pub key: [u32; 4],
    /// They are no nearer than this, by their boxes.
    pub clear: f64,
    /// They cannot come closer than this apart before the next step.
    within: f64,
    /// The same contact among those of the last step.
    pub last: Option<usize>,
}

/// Two pieces near each other, for the mode paper.
#[derive(Clone, Copy, Debug)]
pub struct Proximity {
    pub key: [u32; 4],
    pub manifold: Manifold,
}

/// Finds proximities step by step.
pub struct Detector {
    /// Sorted pairs that may overlap.
    exempt: Vec<[u32; 2]>,
    neighbours: Neighbours,
    /// Where the bodies were when they were last looked at, and how far they may go from there.
    limits: Vec<(DVec3, f64)>,
}

/// The pieces of all bodies where they are.
struct Pieces<'b> {
    bodies: &'b Bodies<'b>,
    /// Around each piece.
    boxes: Vec<Aabb>,
    /// Where the pieces of each body start.
    first: Vec<usize>,
    /// Around the pieces of each body.
    bounds: Vec<Aabb>,
    /// How far each body may move.
    reach: Vec<f64>,
}

impl Detector {
    pub fn new(model: &Model) -> Detector {
        Detector { exempt: model.exempt(), neighbours: Neighbours::default(), limits: Vec::new() }
    }

    /// All pairs of pieces that may meet within a time, sorted by key; `last` are the contacts of
    /// the last step, `forces` those of where the bodies are now.
    pub fn candidates(
        &mut self,
        bodies: &Bodies,
        last: &[WarmStart],
        forces: &Forces,
        dt: f64,
    ) -> Vec<Candidate> {
        let mut found = self.near(bodies, forces, dt, |pair, found| found.push(pair));
        recall(&mut found, last);
        found
    }

    /// All proximities, sorted by key.
    pub fn proximities(&mut self, bodies: &Bodies, forces: &Forces, dt: f64) -> Vec<Proximity> {
        self.near(bodies, forces, dt, |Candidate { key, within, .. }, found| {
            let manifold = meet(bodies, key, within);
            found.extend(manifold.map(|manifold| Proximity { key, manifold }));
        })
    }

    /// Whether all bodies stay, for a time, where they were expected to be when last looked at.
    pub fn holds(&self, bodies: &Bodies, h: f64) -> bool {
        self.limits.iter().enumerate().all(|(i, (at, reach))| {
            let v = &bodies.velocities[i];
            let turn = v.angular.length() * bodies.prepared.arm(i);
            let ahead = LOOK_AHEAD * bodies.prepared.radius(i).min(1e3);
            let gone = (bodies.positions[i] - *at).length() + (v.linear.length() + turn) * h;
            !bodies.prepared.is_free(i) || gone <= *reach + ahead
        })
    }

    /// What there is to say of the pairs of pieces that are near each other, sorted by key.
    fn near<T: Send>(
        &mut self,
        bodies: &Bodies,
        forces: &Forces,
        dt: f64,
        look: impl Fn(Candidate, &mut Vec<T>) + Sync,
    ) -> Vec<T> {
        // Particles of cloth have their own detection.
        let prepared = bodies.prepared;
        let count = prepared.model.rigid_count();
        if (0..count).all(|i| prepared.pieces(i).is_empty()) {
            return Vec::new();
        }
        let pieces = Pieces::new(bodies, forces, dt);
        let margin = |i: usize| {
            let way = FEW_STEPS * bodies.velocities[i].linear.length() * dt;
            let [least, most] = MARGIN.map(|part| part * prepared.radius(i).min(1e3));
            if prepared.is_free(i) { way.clamp(least, most) } else { 0.0 }
        };
        let mut pairs = self.neighbours.pairs(&pieces.regions(), margin);
        pairs.retain(|pair| {
            (prepared.is_free(pair.i as usize) || prepared.is_free(pair.j as usize))
                && self.exempt.binary_search(&[pair.i, pair.j]).is_err()
        });
        let mut tasks: Vec<[u32; 2]> = pairs.iter().map(|pair| [pair.i, pair.j]).collect();
        if !prepared.walls.is_empty() {
            let world = prepared.world() as u32;
            tasks.extend(prepared.model.free().filter(|&i| i < count).map(|i| [i as u32, world]));
            tasks.sort_unstable();
        }
        let found = in_chunks(&tasks, |&[a, b], found| match b as usize == prepared.world() {
            true => pieces.meet_walls(a as usize, &mut |pair| look(pair, found)),
            false => pieces.meet([a, b], &mut |pair| look(pair, found)),
        });
        let place = |(at, reach): (&DVec3, &f64)| (*at, *reach);
        self.limits = bodies.positions.iter().zip(&pieces.reach).map(place).collect();
        found
    }
}

/// Where two pieces of rigid bodies are near each other as they are, if they are no farther apart.
pub fn meet(bodies: &Bodies, key: [u32; 4], within: f64) -> Option<Manifold> {
    let [a, b, p, q] = key.map(|number| number as usize);
    let placed = |body: usize, piece: usize| {
        let piece = &bodies.prepared.pieces(body)[piece];
        Placed::new(piece, bodies.positions[body], &bodies.turns[body])
    };
    match b == bodies.world() {
        true => bodies.prepared.walls.get(key[3]).manifold(&placed(a, p), within),
        false => manifold(&placed(a, p), &placed(b, q), within),
    }
}

/// Lets threads look at items, and lists what they find in the order of these.
fn in_chunks<I: Sync, T: Send>(items: &[I], look: impl Fn(&I, &mut Vec<T>) + Sync) -> Vec<T> {
    let look_at = |items: &[I]| {
        let mut found = Vec::with_capacity(items.len());
        items.iter().for_each(|item| look(item, &mut found));
        found
    };
    match items.len() >= PAYS && rayon::current_num_threads() > 1 {
        true => items.par_chunks(PAIRS).flat_map_iter(look_at).collect(),
        false => look_at(items),
    }
}

/// Finds the contacts of the last step; both lists are sorted by key.
pub fn recall(found: &mut [Candidate], last: &[WarmStart]) {
    let mut next = 0;
    for pair in found {
        while last.get(next).is_some_and(|last| last.key < pair.key) {
            next += 1;
        }
        pair.last = last.get(next).filter(|last| last.key == pair.key).map(|_| next);
    }
}

/// Keeps the pairs of which one body moves, at least.
pub fn keep_moving(found: &mut Vec<Candidate>, bodies: &Bodies) {
    let moves = |body: u32| bodies.inverse[body as usize].mass > 0.0;
    found.retain(|pair| moves(pair.key[0]) || moves(pair.key[1]));
}

impl<'b> Pieces<'b> {
    fn new(bodies: &'b Bodies, forces: &Forces, dt: f64) -> Pieces<'b> {
        let prepared = bodies.prepared;
        let count = prepared.model.rigid_count();
        let speeds = bodies.velocities[..count].iter().map(|v| v.linear.length());
        let fastest = speeds.fold(0.0, f64::max);
        let hit = HIT * fastest * dt;
        let reach = |i: usize| {
            let v = &bodies.velocities[i];
            let way = (v.linear.length() + v.angular.length() * prepared.arm(i)) * dt;
            let fall = forces.acceleration(prepared, i) * dt * dt;
            if prepared.is_free(i) { way + fall + hit } else { way }
        };
        let reach = (0..count).map(reach).collect();
        let (mut boxes, mut first) = (Vec::with_capacity(count), vec![0]);
        let mut bounds = Vec::with_capacity(count);
        for i in 0..count {
            let at = bodies.positions[i];
            let start = boxes.len();
            boxes.extend(prepared.pieces(i).iter().map(|piece| piece.bounds(at, &bodies.turns[i])));
            let all = boxes[start..].iter().copied();
            bounds.push(all.reduce(|a, b| a.union(&b)).unwrap_or(Aabb { min: at, max: at }));
            first.push(boxes.len());
        }
        Pieces { bodies, boxes, first, bounds, reach }
    }

    fn of(&self, body: usize) -> &[Aabb] {
        &self.boxes[self.first[body]..self.first[body + 1]]
    }

    /// Where each body may be before the next step.
    fn regions(&self) -> Vec<Aabb> {
        let region = |i: usize| {
            let ahead = LOOK_AHEAD * self.bodies.prepared.radius(i).min(1e3);
            self.bounds[i].grow(self.reach[i] + ahead)
        };
        (0..self.reach.len()).map(region).collect()
    }

    /// The pairs of pieces of two bodies.
    fn meet(&self, [i, j]: [u32; 2], found: &mut impl FnMut(Candidate)) {
        let (a, b) = (i as usize, j as usize);
        let radius = |i: usize| self.bodies.prepared.radius(i);
        let ahead = LOOK_AHEAD * radius(a).min(radius(b));
        let within = self.reach[a] + self.reach[b] + ahead;
        let mut meet = |p: usize, q: usize| {
            let clear = self.of(a)[p].gap(&self.of(b)[q]);
            if clear <= within {
                found(Candidate { key: [i, j, p as u32, q as u32], clear, within, last: None });
            }
        };
        if self.of(a).len() * self.of(b).len() == 1 {
            return meet(0, 0);
        }
        // Of bodies of many pieces, only those near the other body matter.
        let near = |body: usize, other: usize| {
            let region = self.bounds[other].grow(within);
            let pieces = self.of(body).iter().enumerate();
            pieces.filter(move |(_, piece)| piece.overlaps(&region))
        };
        let twos: Vec<(usize, &Aabb)> = near(b, a).collect();
        for (p, one) in near(a, b) {
            let region = one.grow(within);
            for (q, _) in twos.iter().filter(|(_, two)| region.overlaps(two)) {
                meet(p, *q);
            }
        }
    }

    /// The faces of the container near the pieces of a body.
    fn meet_walls(&self, body: usize, found: &mut impl FnMut(Candidate)) {
        let prepared = self.bodies.prepared;
        let within = self.reach[body] + LOOK_AHEAD * prepared.radius(body);
        let mut faces = Vec::new();
        for (p, piece) in self.of(body).iter().enumerate() {
            faces.clear();
            prepared.walls.near(&piece.grow(within), &mut faces);
            for &face in &faces {
                let key = [body as u32, prepared.world() as u32, p as u32, face];
                found(Candidate { key, clear: 0.0, within, last: None });
            }
        }
    }
}
