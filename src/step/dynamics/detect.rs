//! Proximity detection, once a step: which pieces come within reach of each
//! other (or of the container) before the next, and at which points.

use rayon::prelude::*;

use super::bodies::Bodies;
use super::contacts::WarmStart;
use super::forces::Forces;
use crate::contact::Placed;
use crate::contact::manifold::{Manifold, manifold};
use crate::near::{Neighbours, Pair};
use crate::shape::Aabb;
use crate::world::Model;

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

/// Two pieces near each other: bodies `a < b`, pieces counted in each. The container is a body
/// after all others, its faces are the pieces.
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
struct Pieces<'b> {
    bodies: &'b Bodies<'b>,
    placed: Vec<Placed<'b>>,
    /// Where the pieces of each body start.
    first: Vec<usize>,
    /// Around the pieces of each body.
    bounds: Vec<Aabb>,
    /// How far each body may move.
    reach: Vec<f64>,
}

impl Detector {
    pub fn new(model: &Model) -> Detector {
        Detector { exempt: model.exempt(), neighbours: Neighbours::default() }
    }

    /// All proximities, sorted by key; `last` are the contacts of the last step, `forces` those
    /// of where the bodies are now.
    pub fn proximities(
        &mut self,
        bodies: &Bodies,
        last: &[WarmStart],
        forces: &Forces,
        dt: f64,
    ) -> Vec<Proximity> {
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
        let mut found = in_chunks(&pairs, |pair, found| pieces.meet(pair, found));
        if !prepared.walls.is_empty() {
            let free: Vec<usize> = prepared.model.free().filter(|&i| i < count).collect();
            found.extend(in_chunks(&free, |body, found| pieces.meet_walls(*body, found)));
            found.sort_unstable_by_key(|proximity| proximity.key);
        }
        recall(&mut found, last);
        found
    }
}

/// Lets threads look at items, and lists what they find in the order of these.
fn in_chunks<T: Sync>(
    items: &[T],
    look: impl Fn(&T, &mut Vec<Proximity>) + Sync,
) -> Vec<Proximity> {
    let look_at = |items: &[T]| {
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
fn recall(found: &mut [Proximity], last: &[WarmStart]) {
    let mut next = 0;
    for proximity in found {
        while last.get(next).is_some_and(|last| last.key < proximity.key) {
            next += 1;
        }
        proximity.last = last.get(next).filter(|last| last.key == proximity.key).map(|_| next);
    }
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
            let way = (v.linear.length() + v.angular.length() * prepared.radius(i)) * dt;
            let fall = forces.acceleration(prepared, i) * dt * dt;
            if prepared.is_free(i) { way + fall + hit } else { way }
        };
        let reach = (0..count).map(reach).collect();
        let (mut placed, mut first) = (Vec::with_capacity(count), vec![0]);
        let mut bounds = Vec::with_capacity(count);
        for i in 0..count {
            let at = bodies.positions[i];
            let place = |piece| Placed::new(piece, at, &bodies.turns[i]);
            let start = placed.len();
            placed.extend(prepared.pieces(i).iter().map(place));
            let all = placed[start..].iter().map(|piece: &Placed| piece.bounds);
            bounds.push(all.reduce(|a, b| a.union(&b)).unwrap_or(Aabb { min: at, max: at }));
            first.push(placed.len());
        }
        Pieces { bodies, placed, first, bounds, reach }
    }

    fn of(&self, body: usize) -> &[Placed<'b>] {
        &self.placed[self.first[body]..self.first[body + 1]]
    }

    /// Where each body may be before the next step.
    fn regions(&self) -> Vec<Aabb> {
        let region = |i: usize| {
            let ahead = LOOK_AHEAD * self.bodies.prepared.radius(i).min(1e3);
            self.bounds[i].grow(self.reach[i] + ahead)
        };
        (0..self.reach.len()).map(region).collect()
    }

    /// The contacts of two bodies.
    fn meet(&self, pair: &Pair, found: &mut Vec<Proximity>) {
        let (a, b) = (pair.i as usize, pair.j as usize);
        let radius = |i: usize| self.bodies.prepared.radius(i);
        let ahead = LOOK_AHEAD * radius(a).min(radius(b));
        let within = self.reach[a] + self.reach[b] + ahead;
        let mut meet = |p: usize, q: usize| {
            let key = [pair.i, pair.j, p as u32, q as u32];
            if let Some(manifold) = manifold(&self.of(a)[p], &self.of(b)[q], within) {
                found.push(Proximity { key, manifold, last: None });
            }
        };
        if self.of(a).len() * self.of(b).len() == 1 {
            return meet(0, 0);
        }
        // Of bodies of many pieces, only those near the other body matter.
        let near = |body: usize, other: usize| {
            let region = self.bounds[other].grow(within);
            let pieces = self.of(body).iter().enumerate();
            pieces.filter(move |(_, piece)| piece.bounds.overlaps(&region))
        };
        let twos: Vec<(usize, &Placed)> = near(b, a).collect();
        for (p, one) in near(a, b) {
            let region = one.bounds.grow(within);
            for (q, _) in twos.iter().filter(|(_, two)| region.overlaps(&two.bounds)) {
                meet(p, *q);
            }
        }
    }

    /// The contacts of a body with the container.
    fn meet_walls(&self, body: usize, found: &mut Vec<Proximity>) {
        let prepared = self.bodies.prepared;
        let within = self.reach[body] + LOOK_AHEAD * prepared.radius(body);
        let mut faces = Vec::new();
        for (p, piece) in self.of(body).iter().enumerate() {
            faces.clear();
            prepared.walls.near(&piece.bounds.grow(within), &mut faces);
            for &face in &faces {
                let key = [body as u32, prepared.world() as u32, p as u32, face];
                if let Some(manifold) = prepared.walls.get(face).manifold(piece, within) {
                    found.push(Proximity { key, manifold, last: None });
                }
            }
        }
    }
}
