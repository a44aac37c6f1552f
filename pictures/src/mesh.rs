//! Triangle meshes as the ray tracer wants them: corner normals that make a
//! many-sided thing look round where it is meant to be round, the sharp edges
//! that are left, and things turned on a lathe.

use std::f32::consts::TAU;

use glam::{Mat3, Vec3};

use crate::primitives::{Bounds, Primitive, Triangle, TrianglePack};

/// Triangles over shared vertices, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    pub vertices: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
}

/// A triangle with a normal per corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facet {
    pub triangle: Triangle,
    pub normals: [Vec3; 3],
}

/// Faces that meet at less than this angle look like one smooth surface (its cosine).
const SMOOTH: f32 = 0.86;
/// The same for cloth.
const SOFT: f32 = 0.0;
/// An edge between faces that meet at more than this angle is drawn (its cosine).
const SHARP: f32 = 0.6;
/// Corners are one vertex if they agree to one part in this many picture units.
const SAME_PLACE: f32 = 1e6;

impl Facet {
    /// Whether a ray of this direction comes from behind.
    pub fn is_behind(&self, direction: Vec3) -> bool {
        self.triangle.flat_normal().dot(direction) > 0.0
    }

    /// The same triangle elsewhere.
    pub fn moved(&self, by: Vec3) -> Facet {
        let triangle = Triangle { corners: self.triangle.corners.map(|corner| corner + by) };
        Facet { triangle, normals: self.normals }
    }

    /// The same triangle turned about the origin.
    pub fn turned(&self, turn: Mat3) -> Facet {
        let triangle = Triangle { corners: self.triangle.corners.map(|corner| turn * corner) };
        Facet { triangle, normals: self.normals.map(|normal| turn * normal) }
    }

    /// The interpolated unit normal at a point of the triangle.
    fn smooth_normal(&self, point: Vec3) -> Vec3 {
        let [u, v, w] = self.triangle.weights(point);
        let [a, b, c] = self.normals;
        (a * u + b * v + c * w).normalize_or(self.triangle.flat_normal())
    }
}

impl Primitive for Facet {
    type Pack = TrianglePack;

    fn bounds(&self) -> Bounds {
        self.triangle.bounds()
    }

    /// Near the outline of a thing the smoothed normal may point away from the
    /// ray; it is then bent back until it stands across it.
    fn normal(&self, point: Vec3, direction: Vec3) -> Vec3 {
        let front = if self.is_behind(direction) { -1.0 } else { 1.0 };
        let normal = self.smooth_normal(point) * front;
        let away = normal.dot(direction);
        if away < 0.0 { normal } else { (normal - direction * (away + 1e-3)).normalize() }
    }

    fn pack(facets: &[Facet]) -> TrianglePack {
        let triangles: Vec<Triangle> = facets.iter().map(|facet| facet.triangle).collect();
        Triangle::pack(&triangles)
    }
}

impl Mesh {
    /// A mesh from loose triangles; corners in the same place become one vertex.
    pub fn from_triangles(triangles: impl IntoIterator<Item = [Vec3; 3]>) -> Mesh {
        let corners: Vec<Vec3> = triangles.into_iter().flatten().collect();
        // Rounded, so that the last bits of a sine do not tear a seam open.
        let key = |p: Vec3| p.to_array().map(|c| (c * SAME_PLACE).round() as i64);
        let mut order: Vec<usize> = (0..corners.len()).collect();
        order.sort_by_key(|&i| (key(corners[i]), i));
        let mut mesh = Mesh::default();
        let mut vertex = vec![0_u32; corners.len()];
        for (rank, &i) in order.iter().enumerate() {
            if rank == 0 || key(corners[order[rank - 1]]) != key(corners[i]) {
                mesh.vertices.push(corners[i]);
            }
            vertex[i] = mesh.vertices.len() as u32 - 1;
        }
        mesh.triangles = vertex.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect();
        mesh
    }

    /// A ring of `sides` flat strips for every step of the profile of (radius,
    /// height) about the z axis, from the bottom up; closed where the radius is 0.
    pub fn lathe(profile: &[(f32, f32)], sides: u32) -> Mesh {
        let mut mesh = Mesh::default();
        let mut rings: Vec<Vec<u32>> = Vec::new();
        for &(radius, height) in profile {
            let first = mesh.vertices.len() as u32;
            // A ring without a radius is a single vertex.
            let count = if radius == 0.0 { 1 } else { sides };
            mesh.vertices.extend((0..count).map(|side| {
                let (sin, cos) = (side as f32 / sides as f32 * TAU).sin_cos();
                Vec3::new(radius * cos, radius * sin, height)
            }));
            rings.push((0..sides).map(|side| first + side % count).collect());
        }
        for step in rings.windows(2) {
            let [low, high] = [&step[0], &step[1]];
            for side in 0..sides as usize {
                let next = (side + 1) % sides as usize;
                let halves =
                    [[low[side], low[next], high[next]], [low[side], high[next], high[side]]];
                let has_area = |[a, b, c]: &[u32; 3]| a != b && b != c && c != a;
                mesh.triangles.extend(halves.into_iter().filter(has_area));
            }
        }
        mesh
    }

    pub fn moved(self, by: Vec3) -> Mesh {
        self.mapped(|v| v + by)
    }

    /// The same triangles over other vertices.
    pub fn mapped(mut self, place: impl Fn(Vec3) -> Vec3) -> Mesh {
        self.vertices.iter_mut().for_each(|v| *v = place(*v));
        self
    }

    /// The triangles with normals that are averaged, weighted by angle, over
    /// the neighbours at each corner that turn away by less than 30 degrees.
    pub fn facets(&self) -> Vec<Facet> {
        self.facets_within(SMOOTH)
    }

    /// As [`Mesh::facets`] for cloth, which has no edges but its borders: folds are round.
    pub fn soft_facets(&self) -> Vec<Facet> {
        self.facets_within(SOFT)
    }

    fn facets_within(&self, cosine: f32) -> Vec<Facet> {
        let triangles: Vec<Triangle> = self.triangles.iter().map(|t| self.triangle(t)).collect();
        let flat: Vec<Vec3> = triangles.iter().map(Triangle::flat_normal).collect();
        // For each vertex, the triangles that meet there and their angles.
        let mut around: Vec<Vec<(usize, f32)>> = vec![Vec::new(); self.vertices.len()];
        for (index, triangle) in triangles.iter().enumerate() {
            for (corner, &vertex) in self.triangles[index].iter().enumerate() {
                around[vertex as usize].push((index, corner_angle(triangle, corner)));
            }
        }
        let smooth = |own: Vec3, vertex: u32| {
            let near = around[vertex as usize].iter().filter(|(t, _)| flat[*t].dot(own) > cosine);
            near.map(|&(t, angle)| flat[t] * angle).sum::<Vec3>().normalize_or(own)
        };
        self.triangles
            .iter()
            .zip(triangles)
            .zip(&flat)
            .map(|((corners, triangle), &own)| Facet {
                triangle,
                normals: corners.map(|v| smooth(own, v)),
            })
            .collect()
    }

    /// The edges at which the surface turns sharply, or ends.
    pub fn creases(&self) -> Vec<[Vec3; 2]> {
        let mut edges: Vec<([u32; 2], Vec3)> = Vec::new();
        for corners in &self.triangles {
            let normal = self.triangle(corners).flat_normal();
            let [a, b, c] = *corners;
            edges.extend([[a, b], [b, c], [c, a]].map(|[p, q]| ([p.min(q), p.max(q)], normal)));
        }
        edges.sort_by_key(|(edge, _)| *edge);
        edges
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|faces| match faces {
                [(_, n), (_, m)] => n.dot(*m) < SHARP,
                _ => true,
            })
            .map(|faces| faces[0].0.map(|v| self.vertices[v as usize]))
            .collect()
    }

    fn triangle(&self, corners: &[u32; 3]) -> Triangle {
        Triangle { corners: corners.map(|v| self.vertices[v as usize]) }
    }
}

fn corner_angle(triangle: &Triangle, corner: usize) -> f32 {
    let here = triangle.corners[corner];
    let a = triangle.corners[(corner + 1) % 3] - here;
    let b = triangle.corners[(corner + 2) % 3] - here;
    if a == Vec3::ZERO || b == Vec3::ZERO { 0.0 } else { a.angle_between(b) }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn cube() -> Mesh {
        let corner = |i: u32| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2 & 1) as f32);
        let quads =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        Mesh::from_triangles(
            quads
                .iter()
                .flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]])
                .map(|t| t.map(corner)),
        )
    }

    #[test]
    fn loose_corners_are_joined() {
        assert_eq!(cube().vertices.len(), 8);
        assert_eq!(cube().triangles.len(), 12);
    }

    #[test]
    fn a_cube_keeps_its_twelve_edges_and_flat_faces() {
        assert_eq!(cube().creases().len(), 12);
        for facet in cube().facets() {
            assert!(
                facet.normals.iter().all(|n| (*n - facet.triangle.flat_normal()).length() < 1e-6)
            );
            assert!(
                facet.triangle.flat_normal().dot(facet.triangle.corners[0] - Vec3::splat(0.5))
                    > 0.0
            );
        }
    }

    #[test]
    fn a_many_sided_tube_is_round() {
        let tube = Mesh::lathe(&[(1.0, 0.0), (1.0, 2.0)], 32);
        for facet in tube.facets() {
            for (corner, normal) in facet.triangle.corners.iter().zip(facet.normals) {
                assert!((normal - Vec3::new(corner.x, corner.y, 0.0)).length() < 1e-2, "{normal}");
            }
        }
        assert_eq!(tube.creases().len(), 64, "only the open ends are sharp");
        let closed = Mesh::lathe(&[(0.0, 0.0), (1.0, 0.0), (1.0, 2.0), (0.0, 2.0)], 32);
        assert_eq!((closed.vertices.len(), closed.triangles.len()), (66, 128));
        assert_eq!(closed.creases().len(), 64, "only the rims are sharp");
    }

    #[test]
    fn a_four_sided_tube_has_edges() {
        let tube = Mesh::lathe(&[(0.0, 0.0), (1.0, 0.0), (1.0, 2.0), (0.0, 2.0)], 4);
        let upright =
            tube.creases().into_iter().filter(|[a, b]| a.z != b.z && a.length() > 0.5).count();
        assert_eq!(upright, 4);
    }
}
