//! Proximity detection, once a step: which pieces come within reach of each
//! other before the next, and at which points.

use rayon::prelude::*;

use super::bodies::Bodies;
use super::contacts::Kept;
use crate::contact::manifold::{Manifold, Placed, manifold};
use crate::near::{Neighbours, Pair};
use crate::shape::Aabb;
use crate::world::Assembly;

/// Contacts are looked for this part of the smaller body's radius further away than the bodies
/// move in a step, so that they are known before they push.
const LOOK_AHEAD: f64 = 0.02;

/// A body that is hit may get this part of the speed of the fastest within the step.
const HIT: f64 = 0.3;

/// Neighbours are kept until a body has moved by this part of its radius, or by what it moves
/// in a few steps, but never by more than the second part.
const MARGIN: [f64; 2] = [0.05, 0.25];
const FEW_STEPS: f64 = 4.0;

/// Pairs that one thread looks at in one go, and how many it takes for several threads to pay.
/// Tests divide even small piles.
const PAIRS: usize = 128;
const PAYS: usize = if cfg!(test) { 1 } else { 1000 };

/// Two pieces near each other: bodies `a < b`, pieces counted in each.
#[derive(Clone, Copy, Debug)]
pub struct Proximity {
    pub key: [u32; 4],
    pub manifold: Manifold,
    /// The same contact among those of the last step.
    pub last: Option<usize>,
}

/// Finds proximities step by step.
pub struct Detector {
    /// Sorted pairs that may overlap.
    exempt: Vec<[u32; 2]>,
    neighbours: Neighbours,
}

/// The pieces of all bodies where they are.
struct Scene<'b> {
    bodies: &'b Bodies<'b>,
    placed: Vec<Placed<'b>>,
    /// Where the pieces of each body start.
    first: Vec<usize>,
    /// How far each body may move.
    reach: Vec<f64>,
}

impl Detector {
    pub fn new(assembly: &Assembly) -> Detector {
        Detector { exempt: assembly.exempt(), neighbours: Neighbours::default() }
    }

    /// All proximities, sorted by key; `kept` are the contacts of the last step.
    pub fn proximities(&mut self, bodies: &Bodies, kept: &[Kept], dt: f64) -> Vec<Proximity> {
        // Particles of cloth have their own detection.
        let parts = &bodies.assembly.parts[..bodies.assembly.rigid_count()];
        if parts.iter().all(|part| part.pieces.is_empty()) {
            return Vec::new();
        }
        let scene = Scene::new(bodies, dt);
        let margin = |i: usize| {
            let way = FEW_STEPS * bodies.velocities[i].linear.length() * dt;
            let [least, most] = MARGIN.map(|part| part * parts[i].radius.min(1e3));
            if parts[i].is_free() { way.clamp(least, most) } else { 0.0 }
        };
        let mut pairs = self.neighbours.pairs(&scene.regions(), margin);
        pairs.retain(|pair| {
            (parts[pair.i as usize].is_free() || parts[pair.j as usize].is_free())
                && self.exempt.binary_search(&[pair.i, pair.j]).is_err()
        });
        let look = |pairs: &[Pair]| {
            let mut found = Vec::with_capacity(pairs.len());
            pairs.iter().for_each(|pair| scene.meet(pair, &mut found));
            found
        };
        let mut found: Vec<Proximity> =
            match pairs.len() >= PAYS && rayon::current_num_threads() > 1 {
                true => pairs.par_chunks(PAIRS).flat_map_iter(look).collect(),
                false => look(&pairs),
            };
        recall(&mut found, kept);
        found
    }
}

/// Finds the contacts of the last step; both lists are sorted by key.
fn recall(found: &mut [Proximity], kept: &[Kept]) {
    let mut next = 0;
    for proximity in found {
        while kept.get(next).is_some_and(|kept| kept.key < proximity.key) {
            next += 1;
        }
        proximity.last = kept.get(next).filter(|kept| kept.key == proximity.key).map(|_| next);
    }
}

impl<'b> Scene<'b> {
    fn new(bodies: &'b Bodies, dt: f64) -> Scene<'b> {
        let parts = &bodies.assembly.parts[..bodies.assembly.rigid_count()];
        let fall = bodies.assembly.gravity.length() * dt * dt;
        let speeds = bodies.velocities[..parts.len()].iter().map(|v| v.linear.length());
        let fastest = speeds.fold(0.0, f64::max);
        let hit = HIT * fastest * dt;
        let reach = parts.iter().zip(&bodies.velocities).map(|(part, v)| {
            let way = (v.linear.length() + v.angular.length() * part.radius) * dt;
            if part.is_free() { way + fall + hit } else { way }
        });
        let reach = reach.collect();
        let (mut placed, mut first) = (Vec::with_capacity(parts.len()), vec![0]);
        for (i, part) in parts.iter().enumerate() {
            let place = |piece| Placed::new(piece, bodies.positions[i], &bodies.turns[i]);
            placed.extend(part.pieces.iter().map(place));
            first.push(placed.len());
        }
        Scene { bodies, placed, first, reach }
    }

    fn pieces(&self, body: usize) -> &[Placed<'b>] {
        &self.placed[self.first[body]..self.first[body + 1]]
    }

    /// Where each body may be before the next step.
    fn regions(&self) -> Vec<Aabb> {
        let region = |i: usize| {
            let all = self.pieces(i).iter().map(|piece| piece.bounds);
            let at = self.bodies.positions[i];
            let bounds = all.reduce(|a, b| a.union(&b)).unwrap_or(Aabb { min: at, max: at });
            bounds.grow(self.reach[i] + LOOK_AHEAD * self.bodies.assembly.parts[i].radius.min(1e3))
        };
        (0..self.reach.len()).map(region).collect()
    }

    /// The contacts of two bodies.
    fn meet(&self, pair: &Pair, found: &mut Vec<Proximity>) {
        let (a, b) = (pair.i as usize, pair.j as usize);
        let parts = &self.bodies.assembly.parts;
        let ahead = LOOK_AHEAD * parts[a].radius.min(parts[b].radius);
        let within = self.reach[a] + self.reach[b] + ahead;
        let (ones, twos) = (self.pieces(a), self.pieces(b));
        let several = ones.len() * twos.len() > 1;
        for (p, one) in ones.iter().enumerate() {
            for (q, two) in twos.iter().enumerate() {
                if several && !one.bounds.grow(within).overlaps(&two.bounds) {
                    continue;
                }
                let key = [pair.i, pair.j, p as u32, q as u32];
                if let Some(manifold) = manifold(one, two, within) {
                    found.push(Proximity { key, manifold, last: None });
                }
            }
        }
    }
}
