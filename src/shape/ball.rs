//! Round meshes by subdivision: an icosahedron whose triangles are split into
//! four, again and again, with all corners on the sphere.

use std::collections::BTreeMap;

use super::Mesh;
use crate::math::DVec3;

impl Mesh {
    /// A ball about the origin with `20 * 4^level` nearly equal triangles.
    ///
    /// ```
    /// use riprap::shape::Mesh;
    /// let ball = Mesh::ball(1.0, 3);
    /// assert_eq!((ball.vertices.len(), ball.triangles.len()), (642, 1280));
    /// assert!(ball.check_closed().is_ok());
    /// assert!((ball.volume() / 4.18879 - 1.0).abs() < 0.02);
    /// ```
    pub fn ball(radius: f64, level: u32) -> Mesh {
        let mut mesh = icosahedron();
        for _ in 0..level {
            mesh = split(&mesh);
        }
        for vertex in &mut mesh.vertices {
            *vertex = vertex.normalize() * radius;
        }
        mesh
    }
}

fn icosahedron() -> Mesh {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut vertices = Vec::new();
    for axis in 0..3 {
        for (long, short) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            let mut corner = DVec3::ZERO;
            corner[axis] = golden * long;
            corner[(axis + 1) % 3] = short;
            vertices.push(corner.normalize());
        }
    }
    // Neighbours are the nearest; three neighbours of each other are a triangle.
    let side = |a: usize, b: usize| (vertices[a] - vertices[b]).length() < 1.2;
    let mut triangles = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if side(a, b) && side(b, c) && side(a, c) {
                    let out = vertices[a].dot(vertices[b].cross(vertices[c])) > 0.0;
                    let [b, c] = if out { [b, c] } else { [c, b] };
                    triangles.push([a as u32, b as u32, c as u32]);
                }
            }
        }
    }
    Mesh { vertices, triangles }
}

/// Every triangle becomes four; the middles of sides are moved out to the sphere.
fn split(mesh: &Mesh) -> Mesh {
    let mut vertices = mesh.vertices.clone();
    let mut middles = BTreeMap::new();
    let mut triangles = Vec::with_capacity(4 * mesh.triangles.len());
    for &[a, b, c] in &mesh.triangles {
        let [p, q, r] = [[a, b], [b, c], [c, a]].map(|[a, b]| {
            *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                vertices.push((vertices[a as usize] + vertices[b as usize]).normalize());
                vertices.len() as u32 - 1
            })
        });
        triangles.extend([[a, p, r], [p, b, q], [r, q, c], [p, q, r]]);
    }
    Mesh { vertices, triangles }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balls_are_closed_and_round() {
        for level in 0..3 {
            let ball = Mesh::ball(2.0, level);
            assert_eq!(ball.triangles.len(), 20 << (2 * level));
            assert!(ball.check_closed().is_ok());
            assert!(ball.vertices.iter().all(|v| (v.length() - 2.0).abs() < 1e-12));
        }
    }
}
