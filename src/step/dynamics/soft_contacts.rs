//! Where particles of cloth come near bodies and near each other, once a step.
//! A particle is a ball as thick as the cloth. Particles keep no more distance than
//! they have at rest, so neighbours and seams need no list of exceptions.

use super::bodies::Bodies;
use super::detect::Proximity;
use super::forces::Forces;
use crate::contact::manifold::{Manifold, Spot, manifold};
use crate::contact::{Obstacle, Placed, impact};
use crate::math::{DMat3, DVec3};
use crate::near;
use crate::shape::{Aabb, Bvh, Core, Piece};
use crate::world::Model;

/// As for rigid bodies: contacts are known this part of the radius before they push.
const LOOK_AHEAD: f64 = 0.05;

/// A particle that is hit may get this part of the speed of the fastest body within the step.
const HIT: f64 = 0.3;

/// Bodies that go by more than this part of their radius in a step meet the particles that they
/// really hit; of slower ones, what they may touch is near enough to be known by its normal.
const FAST: f64 = 1.0;

/// Particles come as near as this part of their distance at rest, if they are not apart there.
const CRUMPLED: f64 = 0.8;

/// The normal and the gap of what is in reach, but touches nothing where it is now.
const FAR: (DVec3, f64) = (DVec3::ZERO, f64::INFINITY);

/// A particle near a piece of a body, or near another particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Numbers of bodies; if the other is a particle, it is the smaller number. The container is
    /// the world, its faces are the pieces.
    pub particle: u32,
    pub other: u32,
    pub piece: u32,
    /// Towards the particle.
    pub normal: DVec3,
    pub gap: f64,
}

/// What never changes about the particles of a model.
pub struct Surroundings {
    first: usize,
    /// Where each particle was at rest.
    rest: Vec<DVec3>,
    /// Particles and what they are attached to, sorted.
    attached: Vec<[u32; 2]>,
}

impl Surroundings {
    pub fn new(model: &Model) -> Surroundings {
        let tied = model.attachments.iter().filter_map(|tie| Some([tie.particle, tie.to?]));
        let mut attached: Vec<[u32; 2]> = tied.map(|[a, b]| [a.max(b), a.min(b)]).collect();
        attached.sort_unstable();
        Surroundings {
            first: model.rigid_count(),
            rest: model.cloths.iter().flat_map(|cloth| cloth.rest.iter().copied()).collect(),
            attached,
        }
    }

    /// All that is near, sorted by particle, other and piece.
    pub fn near(&self, bodies: &Bodies, forces: &Forces, dt: f64) -> Vec<Near> {
        if self.rest.is_empty() {
            return Vec::new();
        }
        let mut found = self.near_bodies(bodies, forces, dt);
        found.extend(self.near_each_other(bodies, forces, dt));
        found.sort_unstable_by_key(|near| (near.particle, near.other, near.piece));
        found
    }

    fn is_attached(&self, particle: u32, other: u32) -> bool {
        self.attached.binary_search(&[particle, other]).is_ok()
    }

    fn near_bodies(&self, bodies: &Bodies, forces: &Forces, dt: f64) -> Vec<Near> {
        let prepared = bodies.prepared;
        let speed = |i: usize| {
            let v = &bodies.velocities[i];
            v.linear.length() + v.angular.length() * prepared.radius(i)
        };
        let fastest = (0..bodies.world()).map(speed).fold(0.0, f64::max);
        let reach = |i: usize| match prepared.is_free(i) {
            true => {
                let fall = forces.acceleration(prepared, i) * dt * dt;
                (speed(i) + HIT * fastest) * dt + fall
            }
            false => speed(i) * dt,
        };
        let mut pieces: Vec<(u32, u32, f64, Placed)> = Vec::new();
        for i in 0..self.first {
            let way = reach(i);
            for (k, piece) in prepared.pieces(i).iter().enumerate() {
                let placed = Placed::new(piece, bodies.positions[i], &bodies.turns[i]);
                pieces.push((i as u32, k as u32, way, placed));
            }
        }
        let boxes: Vec<Aabb> = pieces.iter().map(|(_, _, way, p)| p.bounds().grow(*way)).collect();
        let tree = Bvh::new(&boxes);
        let (mut found, mut hits) = (Vec::new(), Vec::new());
        for i in self.first..bodies.world() {
            let (at, radius) = (bodies.positions[i], prepared.radius(i));
            let ball = Piece::new(Core::Point, radius);
            let way = reach(i) + LOOK_AHEAD * radius;
            let region = Aabb::from_sphere(at, radius + way);
            let placed = Placed::new(&ball, at, &DMat3::IDENTITY);
            let mut push = |other: u32, piece: u32, met: Option<(DVec3, f64)>| {
                let particle = i as u32;
                found.extend(met.map(|(normal, gap)| Near { particle, other, piece, normal, gap }));
            };
            hits.clear();
            tree.overlapping(&region, &mut hits);
            for &hit in &hits {
                let (other, piece, its_way, core) = &pieces[hit as usize];
                let still = !prepared.is_free(i) && !prepared.is_free(*other as usize);
                if still || self.is_attached(i as u32, *other) {
                    continue;
                }
                let is_arc = matches!(
                    prepared.pieces(*other as usize)[*piece as usize].core,
                    Core::Arc { .. }
                );
                match manifold(&placed, core, way + its_way) {
                    // The next arc is nearer now, but the particle may slide on to this one.
                    None if is_arc => push(*other, *piece, Some(FAR)),
                    met => push(*other, *piece, met.map(|met| (met.normal, met.spots[0].gap))),
                }
            }
            if !prepared.is_free(i) {
                continue;
            }
            hits.clear();
            prepared.walls.near(&region, &mut hits);
            for &face in &hits {
                let wall = prepared.walls.get(face);
                let met = wall.manifold(&placed, way);
                let met = met.map(|met| (met.normal, met.spots[0].gap));
                push(bodies.world() as u32, face, met);
            }
        }
        found
    }

    fn near_each_other(&self, bodies: &Bodies, forces: &Forces, dt: f64) -> Vec<Near> {
        let particles = &bodies.prepared.model.bodies[self.first..];
        let (at, velocities) = (&bodies.positions[self.first..], &bodies.velocities[self.first..]);
        // Only motion against the others brings particles together.
        let mean = velocities.iter().take(particles.len()).map(|v| v.linear).sum::<DVec3>()
            / particles.len() as f64;
        let fall = forces.largest(bodies.prepared) * dt * dt;
        let radius = |i: usize| particles[i].radius;
        let way =
            |i: usize| (velocities[i].linear - mean).length() * dt + fall + LOOK_AHEAD * radius(i);
        let regions: Vec<Aabb> =
            (0..particles.len()).map(|i| Aabb::from_sphere(at[i], radius(i) + way(i))).collect();
        let mut found = Vec::new();
        for pair in near::pairs(&regions) {
            let (i, j) = (pair.i as usize, pair.j as usize);
            let (apart, speed) =
                (at[j] - at[i], (velocities[j].linear - velocities[i].linear).length());
            let distance = apart.length();
            let least = self.least_distance(i, j, radius(i) + radius(j));
            let margin = speed * dt + fall + LOOK_AHEAD * radius(i).min(radius(j));
            if distance - least > margin || distance == 0.0 {
                continue;
            }
            let [one, two] = [i, j].map(|k| (k + self.first) as u32);
            let still = !particles[i].is_free() && !particles[j].is_free();
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

/// A particle and a piece of a body as they are, if they are no farther apart.
pub fn near_piece(
    bodies: &Bodies,
    (particle, ball): (usize, &Piece),
    (body, piece): (usize, usize),
    reach: f64,
) -> Option<Manifold> {
    let placed = Placed::new(ball, bodies.positions[particle], &DMat3::IDENTITY);
    let piece = &bodies.prepared.pieces(body)[piece];
    let core = Placed::new(piece, bodies.positions[body], &bodies.turns[body]);
    manifold(&placed, &core, reach)
}

/// The same as they will meet within a time, if that is soon enough to matter.
pub fn meeting(
    bodies: &Bodies,
    own: (usize, &Piece),
    other: (usize, usize),
    reach: f64,
    h: f64,
) -> Option<Manifold> {
    let found = near_piece(bodies, own, other, reach)?;
    let [one, two] = [own.0, other.0].map(|i| bodies.velocities[i].linear);
    let is_fast = (one - two).length() * h > FAST * bodies.prepared.radius(other.0);
    match is_fast && found.least_gap() > 0.0 {
        true => sweep(bodies, own, other, h),
        false => Some(found),
    }
}

/// The contact of a particle that meets a piece of a body within a time if both go on as they do;
/// its gap is what there is left to go along the normal they have then.
fn sweep(
    bodies: &Bodies,
    (particle, ball): (usize, &Piece),
    (body, piece): (usize, usize),
    dt: f64,
) -> Option<Manifold> {
    let [own, its] = [particle, body].map(|i| &bodies.velocities[i]);
    let course = bodies.course(particle, ball, own);
    let other = bodies.course(body, &bodies.prepared.pieces(body)[piece], its);
    let (time, mut met) = impact(&course, &Obstacle::Piece(other), [0.0, dt], 0.0, 0.0)?;
    met.spots[0].gap -= met.normal.dot(own.linear - its.linear) * time;
    Some(met)
}

/// As contacts of the mode paper, which looks at them once in a step.
pub fn proximities<'a>(
    bodies: &'a Bodies,
    near: &'a [Near],
    dt: f64,
) -> impl Iterator<Item = Proximity> + 'a {
    near.iter().filter_map(move |near| {
        let Near { particle, other, piece, mut normal, mut gap } = *near;
        let radius = bodies.prepared.radius(particle as usize);
        if (other as usize) < bodies.prepared.model.rigid_count() {
            let ball = Piece::new(Core::Point, radius);
            let own = (particle as usize, &ball);
            let met = meeting(bodies, own, (other as usize, piece as usize), f64::INFINITY, dt)?;
            (normal, gap) = (met.normal, met.least_gap());
        }
        let at = bodies.positions[particle as usize] - normal * (radius + 0.5 * gap);
        let mut manifold = Manifold::new(normal, Default::default(), 1);
        manifold.spots[0] = Spot { at, gap };
        if other as usize == bodies.world() {
            return Some(Proximity { key: [particle, other, 0, piece], manifold });
        }
        manifold.normal = -normal;
        Some(Proximity { key: [other, particle, piece, 0], manifold })
    })
}
