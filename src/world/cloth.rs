//! Cloth and balloons: particles, which are bodies after all others, and what holds them together.
//! Everything is a distance between two particles (a [`Thread`]), or the volume
//! that a closed cloth keeps ([`Air`]); an [`Attachment`] ties a particle to
//! another body or to the world.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Body, Model, Motion, State};
use crate::math::{DQuat, DVec3, exact_sum};
use crate::scene::Compliance;
use crate::shape::{Mesh, Shape};

/// A piece of cloth, closed or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cloth {
    /// The first of its particles among the bodies of the model; the others follow.
    pub first: u32,
    /// Where each particle was when nothing strained the cloth.
    pub rest: Vec<DVec3>,
    /// Triangles by the numbers of their particles among the bodies, counter-clockwise seen from
    /// outside if the cloth is closed.
    pub faces: Vec<[u32; 3]>,
    /// Sorted by their ends.
    pub threads: Vec<Thread>,
    /// What is not a motion of the whole fades at this rate per time.
    pub damping: f64,
    /// What a closed cloth holds.
    pub air: Option<Air>,
    /// What the scene promises: no thread is longer than its rest by more than this part of it.
    pub most_stretch: f64,
}

/// Two particles that keep their distance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thread {
    /// What it resists; a bend thread only resists being shortened.
    pub kind: ThreadKind,
    /// Numbers of bodies.
    pub ends: [u32; 2],
    /// At rest.
    pub length: f64,
    /// Length per force; 0 does not give.
    pub compliance: f64,
}

/// What a thread resists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThreadKind {
    /// A side of a triangle, a warp or a weft.
    Stretch,
    /// The diagonal of a cell.
    Shear,
    /// The far corners of two neighbours: it resists being shortened, by which it resists
    /// folding, and nothing else.
    Bend,
}

/// The volume of a closed cloth: `C = volume - factor * rest volume` [D14 7].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Air {
    /// The volume that it is blown up to, in volumes at rest.
    pub factor: f64,
    /// What the closed cloth holds when nothing strains it.
    pub rest_volume: f64,
    /// Volume per pressure; 0 does not give.
    pub compliance: f64,
}

/// A particle at a point of another body, or of the world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attachment {
    /// Its number among the bodies.
    pub particle: u32,
    /// None for the world.
    pub to: Option<u32>,
    /// In the frame of that body.
    pub point: DVec3,
}

/// A cloth before it is part of a model: particles and pairs of them, counted from 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pattern {
    /// Particles and triangles, where nothing strains them.
    pub mesh: Mesh,
    /// Pairs of particles that are to keep their distance, and why.
    pub threads: Vec<(ThreadKind, [u32; 2])>,
    /// Of a grid; none of a mesh.
    corners: Vec<u32>,
}

impl Pattern {
    /// A rectangle in the x-y plane about the origin.
    ///
    /// ```
    /// use riprap::world::Pattern;
    /// let sheet = Pattern::grid([2.0, 1.0], [5, 3]);
    /// assert_eq!((sheet.mesh.vertices.len(), sheet.mesh.triangles.len()), (15, 16));
    /// assert!((sheet.mesh.area() - 2.0).abs() < 1e-12);
    /// ```
    pub fn grid(size: [f64; 2], count: [usize; 2]) -> Pattern {
        let [nx, ny] = count.map(|n| n.max(2));
        let at = |k: usize, n: usize, size: f64| size * (k as f64 / (n - 1) as f64 - 0.5);
        let number = |i: usize, j: usize| (j * nx + i) as u32;
        let (mut mesh, mut threads) = (Mesh::default(), Vec::new());
        for j in 0..ny {
            for i in 0..nx {
                mesh.vertices.push(DVec3::new(at(i, nx, size[0]), at(j, ny, size[1]), 0.0));
                let mut thread = |kind, to: [usize; 2], from: [usize; 2]| {
                    if to[0] < nx && to[1] < ny {
                        threads.push((kind, [number(from[0], from[1]), number(to[0], to[1])]));
                    }
                };
                thread(ThreadKind::Stretch, [i + 1, j], [i, j]);
                thread(ThreadKind::Stretch, [i, j + 1], [i, j]);
                thread(ThreadKind::Shear, [i + 1, j + 1], [i, j]);
                if i > 0 {
                    thread(ThreadKind::Shear, [i - 1, j + 1], [i, j]);
                }
                thread(ThreadKind::Bend, [i + 2, j], [i, j]);
                thread(ThreadKind::Bend, [i, j + 2], [i, j]);
            }
        }
        for j in 0..ny - 1 {
            for i in 0..nx - 1 {
                let [a, b, c, d] =
                    [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)];
                // Diagonals alternate, so that no direction is preferred.
                mesh.triangles.extend(match (i + j) % 2 == 0 {
                    true => [[a, b, c], [a, c, d]],
                    false => [[a, b, d], [b, c, d]],
                });
            }
        }
        let corners = vec![0, number(nx - 1, 0), number(0, ny - 1), number(nx - 1, ny - 1)];
        Pattern { mesh, threads, corners }
    }

    /// The sides of a mesh stretch; the far corners of neighbours bend.
    pub fn of_mesh(mesh: Mesh) -> Pattern {
        // Every side with the corner on its other hand.
        let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * mesh.triangles.len());
        for &[a, b, c] in &mesh.triangles {
            sides.extend(
                [(a, b, c), (b, c, a), (c, a, b)].map(|(p, q, r)| ([p.min(q), p.max(q)], r)),
            );
        }
        sides.sort_unstable();
        let mut threads = Vec::new();
        for side in sides.chunk_by(|one, two| one.0 == two.0) {
            threads.push((ThreadKind::Stretch, side[0].0));
            if let [(_, p), (_, q)] = side
                && p != q
            {
                threads.push((ThreadKind::Bend, [*p.min(q), *p.max(q)]));
            }
        }
        Pattern { mesh, threads, corners: Vec::new() }
    }

    /// The four corners of a grid.
    pub fn corners(&self) -> Vec<u32> {
        self.corners.clone()
    }

    /// The particles at its rim: on sides of one triangle only.
    pub fn rim(&self) -> Vec<u32> {
        let triangles = self.mesh.triangles.iter();
        let mut sides: Vec<[u32; 2]> = triangles
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]].map(|[p, q]| [p.min(q), p.max(q)]))
            .collect();
        sides.sort_unstable();
        let open = sides.chunk_by(|one, two| one == two).filter(|side| side.len() == 1);
        let mut rim: Vec<u32> = open.flat_map(|side| side[0]).collect();
        rim.sort_unstable();
        rim.dedup();
        rim
    }

    /// A third of the area of the triangles around each particle.
    fn areas(&self) -> Vec<f64> {
        let mut areas = vec![0.0; self.mesh.vertices.len()];
        for (triangle, [a, b, c]) in self.mesh.triangles.iter().zip(self.mesh.corners()) {
            for corner in triangle {
                areas[*corner as usize] += (b - a).cross(c - a).length() / 6.0;
            }
        }
        areas
    }
}

/// What a cloth is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fabric {
    /// Mass per area.
    pub density: f64,
    /// Of the particles: half the thickness.
    pub radius: f64,
    /// Coefficient of Coulomb friction of its particles.
    pub friction: f64,
    /// How much its threads give.
    pub compliance: Compliance,
    /// As [`Cloth::damping`].
    pub damping: f64,
    /// As [`Cloth::most_stretch`].
    pub most_stretch: f64,
}

impl Default for Fabric {
    fn default() -> Self {
        Fabric {
            density: 1.0,
            radius: 0.01,
            friction: 0.5,
            compliance: Compliance::default(),
            damping: 0.0,
            most_stretch: 0.1,
        }
    }
}

impl Cloth {
    /// The numbers of its particles.
    pub fn particles(&self) -> Range<usize> {
        let first = self.first as usize;
        first..first + self.rest.len()
    }

    /// The volume inside; of an open cloth it means nothing.
    pub fn volume(&self, positions: &[DVec3]) -> f64 {
        let origin = positions[self.first as usize];
        let corners = self.faces.iter().map(|face| face.map(|p| positions[p as usize] - origin));
        exact_sum(corners.map(|[a, b, c]| a.dot(b.cross(c)) / 6.0))
    }

    /// The largest part by which a warp, weft or side is longer than its rest.
    pub fn stretch(&self, positions: &[DVec3]) -> f64 {
        let tight = self.threads.iter().filter(|t| t.kind == ThreadKind::Stretch);
        let part = |thread: &Thread| {
            let [a, b] = thread.ends.map(|end| positions[end as usize]);
            (a - b).length() / thread.length - 1.0
        };
        tight.map(part).fold(0.0, f64::max)
    }
}

impl Model {
    /// Adds a cloth after all rigid bodies, at rest. The pattern is in the frame of the world.
    pub fn add_cloth(
        &mut self,
        state: &mut State,
        pattern: &Pattern,
        fabric: &Fabric,
    ) -> &mut Cloth {
        let first = self.bodies.len() as u32;
        let mesh = &pattern.mesh;
        let shape = self.add_shape(Shape::ball(fabric.radius));
        for (at, area) in mesh.vertices.iter().zip(pattern.areas()) {
            let mut particle = Body::new(shape, area * fabric.density, fabric.radius);
            particle.material.friction = fabric.friction;
            self.bodies.push(particle);
            state.push(*at, DQuat::IDENTITY);
        }
        let thread = |&(kind, ends): &(ThreadKind, [u32; 2])| {
            let [a, b] = ends.map(|end| mesh.vertices[end as usize]);
            let compliance = match kind {
                ThreadKind::Stretch => Some(fabric.compliance.stretch),
                ThreadKind::Shear => Some(fabric.compliance.shear),
                ThreadKind::Bend => fabric.compliance.bend,
            };
            compliance.map(|compliance| Thread {
                kind,
                ends: ends.map(|end| first + end),
                length: (a - b).length(),
                compliance,
            })
        };
        let mut threads: Vec<Thread> = pattern.threads.iter().filter_map(thread).collect();
        threads.sort_by_key(|thread| thread.ends);
        self.cloths.push(Cloth {
            first,
            rest: mesh.vertices.clone(),
            faces: mesh.triangles.iter().map(|face| face.map(|p| first + p)).collect(),
            threads,
            damping: fabric.damping,
            air: None,
            most_stretch: fabric.most_stretch,
        });
        let last = self.cloths.len() - 1;
        &mut self.cloths[last]
    }

    /// Ties a particle to where it is now on another body, or in the world.
    pub fn attach(&mut self, state: &State, particle: u32, to: Option<u32>) {
        let point = state.local(to, state.positions[particle as usize]);
        self.attachments.push(Attachment { particle, to, point });
    }

    /// Particles of this cloth that nothing holds.
    pub fn loose(&self, cloth: &Cloth) -> impl Iterator<Item = usize> + '_ {
        cloth.particles().filter(|&i| self.bodies[i].motion == Motion::Free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_has_all_its_threads() {
        let grid = Pattern::grid([1.0, 1.0], [41, 41]);
        let count = |kind| grid.threads.iter().filter(|thread| thread.0 == kind).count();
        assert_eq!(count(ThreadKind::Stretch), 2 * 41 * 40);
        assert_eq!(count(ThreadKind::Shear), 2 * 40 * 40);
        assert_eq!(count(ThreadKind::Bend), 2 * 41 * 39);
        assert_eq!(grid.rim().len(), 160);
        let areas: f64 = grid.areas().iter().sum();
        assert!((areas - 1.0).abs() < 1e-12, "{areas}");
    }

    #[test]
    fn a_closed_mesh_has_no_rim_and_every_side_bends() {
        let ball = Pattern::of_mesh(Mesh::ball(1.0, 2));
        assert_eq!(ball.rim(), [0; 0]);
        let of = |kind| ball.threads.iter().filter(|thread| thread.0 == kind).count();
        assert_eq!((of(ThreadKind::Stretch), of(ThreadKind::Bend)), (480, 480));
    }

    #[test]
    fn particles_share_the_mass_and_come_last() {
        let (mut model, mut state) = (Model::new(3, DVec3::ZERO), State::default());
        model.add_particle(&mut state, DVec3::ZERO, 1.0, 0.1);
        let fabric = Fabric { density: 3.0, ..Default::default() };
        let grid = Pattern::grid([2.0, 1.0], [4, 3]);
        let cloth = model.add_cloth(&mut state, &grid, &fabric);
        assert_eq!((cloth.particles(), cloth.stretch(&state.positions)), (1..13, 0.0));
        let mass: f64 = model.bodies[1..].iter().map(|body| body.mass).sum();
        assert!((mass - 6.0).abs() < 1e-12, "{mass}");
        assert_eq!((model.rigid_count(), model.bodies.len()), (1, 13));
    }
}
