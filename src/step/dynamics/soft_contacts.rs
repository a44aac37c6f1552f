//! Where particles of cloth come near bodies and near each other, once a step.
//! A particle is a ball as thick as the cloth. Particles keep no more distance than
//! they have at rest, so neighbours and seams need no list of exceptions.

use super::bodies::Bodies;
use super::detect::Proximity;
use crate::contact::manifold::{Manifold, Placed, Spot, manifold};
use crate::math::{DMat3, DVec3};
use crate::near;
use crate::shape::{Aabb, Bvh, Core, Piece};
use crate::world::Assembly;

/// As for rigid bodies: contacts are known this part of the radius before they push.
const LOOK_AHEAD: f64 = 0.05;

/// A particle that is hit may get this part of the speed of the fastest body within the step.
const HIT: f64 = 0.3;

/// Particles come as near as this part of their distance at rest, if they are not apart there.
const CRUMPLED: f64 = 0.8;

/// A particle near a piece of a body, or near another particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Numbers of parts; if the other is a particle, it is the smaller number.
    pub particle: u32,
    pub other: u32,
    pub piece: u32,
    /// Towards the particle.
    pub normal: DVec3,
    pub gap: f64,
}

/// What never changes about the particles of an assembly.
pub struct Surroundings {
    first: usize,
    /// Where each particle was at rest.
    rest: Vec<DVec3>,
    /// Particles and what they are attached to, sorted.
    attached: Vec<[u32; 2]>,
}

impl Surroundings {
    pub fn new(assembly: &Assembly) -> Surroundings {
        let tied = assembly.attachments.iter().filter_map(|tie| Some([tie.particle, tie.to?]));
        let mut attached: Vec<[u32; 2]> = tied.map(|[a, b]| [a.max(b), a.min(b)]).collect();
        attached.sort_unstable();
        Surroundings {
            first: assembly.rigid_count(),
            rest: assembly.cloths.iter().flat_map(|cloth| cloth.rest.iter().copied()).collect(),
            attached,
        }
    }

    /// All that is near, sorted by particle, other and piece.
    pub fn near(&self, bodies: &Bodies, dt: f64) -> Vec<Near> {
        if self.rest.is_empty() {
            return Vec::new();
        }
        let mut found = self.near_bodies(bodies, dt);
        found.extend(self.near_each_other(bodies, dt));
        found.sort_unstable_by_key(|near| (near.particle, near.other, near.piece));
        found
    }

    fn is_attached(&self, particle: u32, other: u32) -> bool {
        self.attached.binary_search(&[particle, other]).is_ok()
    }

    fn near_bodies(&self, bodies: &Bodies, dt: f64) -> Vec<Near> {
        let parts = &bodies.assembly.parts;
        let fall = bodies.assembly.gravity.length() * dt * dt;
        let speed = |i: usize| {
            let v = &bodies.velocities[i];
            v.linear.length() + v.angular.length() * parts[i].radius
        };
        let fastest = (0..parts.len()).map(speed).fold(0.0, f64::max);
        let reach = |i: usize| match parts[i].is_free() {
            true => (speed(i) + HIT * fastest) * dt + fall,
            false => speed(i) * dt,
        };
        let mut pieces: Vec<(u32, u32, f64, Placed)> = Vec::new();
        for (i, part) in parts[..self.first].iter().enumerate() {
            let way = reach(i);
            for (k, piece) in part.pieces.iter().enumerate() {
                let placed = Placed::new(piece, bodies.positions[i], &bodies.turns[i]);
                pieces.push((i as u32, k as u32, way, placed));
            }
        }
        let boxes: Vec<Aabb> = pieces.iter().map(|(_, _, way, p)| p.bounds.grow(*way)).collect();
        let tree = Bvh::new(&boxes);
        let (mut found, mut hits) = (Vec::new(), Vec::new());
        for i in self.first..parts.len() {
            let (at, radius) = (bodies.positions[i], parts[i].radius);
            let ball = Piece::new(Core::Point, radius);
            let way = reach(i) + LOOK_AHEAD * radius;
            hits.clear();
            tree.overlapping(&Aabb::from_sphere(at, radius + way), &mut hits);
            if hits.is_empty() {
                continue;
            }
            let placed = Placed::new(&ball, at, &DMat3::IDENTITY);
            for &hit in &hits {
                let (other, piece, its_way, solid) = &pieces[hit as usize];
                let still = !parts[i].is_free() && !parts[*other as usize].is_free();
                if still || self.is_attached(i as u32, *other) {
                    continue;
                }
                if let Some(manifold) = manifold(&placed, solid, way + its_way) {
                    let (normal, gap) = (manifold.normal, manifold.spots[0].gap);
                    let (particle, other, piece) = (i as u32, *other, *piece);
                    found.push(Near { particle, other, piece, normal, gap });
                }
            }
        }
        found
    }

    fn near_each_other(&self, bodies: &Bodies, dt: f64) -> Vec<Near> {
        let parts = &bodies.assembly.parts[self.first..];
        let (at, velocities) = (&bodies.positions[self.first..], &bodies.velocities[self.first..]);
        // Only motion against the others brings particles together.
        let mean = velocities.iter().take(parts.len()).map(|v| v.linear).sum::<DVec3>()
            / parts.len() as f64;
        let fall = bodies.assembly.gravity.length() * dt * dt;
        let way = |i: usize| {
            (velocities[i].linear - mean).length() * dt + fall + LOOK_AHEAD * parts[i].radius
        };
        let regions: Vec<Aabb> =
            (0..parts.len()).map(|i| Aabb::from_sphere(at[i], parts[i].radius + way(i))).collect();
        let mut found = Vec::new();
        for pair in near::pairs(&regions) {
            let (i, j) = (pair.i as usize, pair.j as usize);
            let (apart, speed) =
                (at[j] - at[i], (velocities[j].linear - velocities[i].linear).length());
            let distance = apart.length();
            let least = self.least_distance(i, j, parts[i].radius + parts[j].radius);
            let margin = speed * dt + fall + LOOK_AHEAD * parts[i].radius.min(parts[j].radius);
            if distance - least > margin || distance == 0.0 {
                continue;
            }
            let [one, two] = [i, j].map(|k| (k + self.first) as u32);
            let still = !parts[i].is_free() && !parts[j].is_free();
            if still || self.is_attached(two, one) {
                continue;
            }
            let (normal, gap) = (apart / distance, distance - least);
            found.push(Near { particle: two, other: one, piece: 0, normal, gap });
        }
        found
    }

    /// How near two particles may come.
    fn least_distance(&self, i: usize, j: usize, thickness: f64) -> f64 {
        thickness.min(CRUMPLED * self.rest[i].distance(self.rest[j]))
    }
}

/// As contacts of the mode paper.
pub fn proximities<'a>(
    bodies: &'a Bodies,
    near: &'a [Near],
) -> impl Iterator<Item = Proximity> + 'a {
    near.iter().map(|near| {
        let Near { particle, other, piece, normal, gap } = *near;
        let radius = bodies.assembly.parts[particle as usize].radius;
        let at = bodies.positions[particle as usize] - normal * (radius + 0.5 * gap);
        let mut manifold = Manifold { normal: -normal, spots: Default::default(), count: 1 };
        manifold.spots[0] = Spot { at, gap };
        Proximity { key: [other, particle, piece, 0], manifold, last: None }
    })
}
