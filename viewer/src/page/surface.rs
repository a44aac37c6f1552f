//! A surface as the graphics card wants it: corners with normals that are
//! smooth where the surface is, triangles over them, and its creases.

use std::collections::{BTreeMap, BTreeSet};

use riprap::math::DVec3;
use riprap::shape::{Face, Mesh};

/// Faces that meet at less than this angle are parts of one smooth surface: a
/// prism of 12 sides looks round, a hexagonal nut does not.
const CREASE_DEGREES: f64 = 35.0;

/// Corners, each with a normal, and triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Surface {
    pub corners: Vec<DVec3>,
    /// Unit normals in steps of 1/127, one per corner.
    pub normals: Vec<[i8; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

impl Surface {
    pub(super) fn of(mesh: &Mesh) -> Surface {
        let normals = normals(mesh);
        let around = triangles_around(mesh);
        let mut surface = Surface::default();
        let mut known: BTreeMap<(u32, [i8; 3]), u32> = BTreeMap::new();
        for (triangle, own) in mesh.triangles.iter().zip(&normals) {
            surface.triangles.push(triangle.map(|vertex| {
                let normal = smooth_normal(*own, &around[vertex as usize], &normals);
                let normal = normal.to_array().map(|n| (n * 127.0).round() as i8);
                *known.entry((vertex, normal)).or_insert_with(|| {
                    surface.corners.push(mesh.vertices[vertex as usize]);
                    surface.normals.push(normal);
                    surface.corners.len() as u32 - 1
                })
            }));
        }
        surface
    }

    /// Adds a flat strip that faces up or down.
    pub(super) fn add_flat(&mut self, triangles: &[[DVec3; 3]], normal: [i8; 3]) {
        for triangle in triangles {
            let first = self.corners.len() as u32;
            self.corners.extend(triangle);
            self.normals.extend([normal; 3]);
            self.triangles.push([first, first + 1, first + 2]);
        }
    }
}

fn normals(mesh: &Mesh) -> Vec<DVec3> {
    mesh.corners().map(|[a, b, c]| Face::triangle(a, b, c).normal()).collect()
}

/// For each vertex the triangles that meet there.
fn triangles_around(mesh: &Mesh) -> Vec<Vec<u32>> {
    let mut around = vec![Vec::new(); mesh.vertices.len()];
    for (number, triangle) in mesh.triangles.iter().enumerate() {
        for vertex in triangle {
            around[*vertex as usize].push(number as u32);
        }
    }
    around
}

/// The mean of the normals around a corner that differ little from the own one.
fn smooth_normal(own: DVec3, around: &[u32], normals: &[DVec3]) -> DVec3 {
    let limit = CREASE_DEGREES.to_radians().cos();
    let near = around.iter().map(|&k| normals[k as usize]).filter(|n| n.dot(own) > limit);
    near.sum::<DVec3>().normalize_or(own)
}

/// The edges at which a surface has a bend, or ends.
pub(super) fn creases(mesh: &Mesh) -> Vec<[DVec3; 2]> {
    let mut sides: BTreeMap<[u32; 2], Vec<DVec3>> = BTreeMap::new();
    for (triangle, normal) in mesh.triangles.iter().zip(&normals(mesh)) {
        for k in 0..3 {
            let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
            sides.entry([a.min(b), a.max(b)]).or_default().push(*normal);
        }
    }
    let limit = CREASE_DEGREES.to_radians().cos();
    let sharp = |sides: &[DVec3]| !matches!(sides, [a, b] if a.dot(*b) > limit);
    let creases = sides.iter().filter(|(_, sides)| sharp(sides));
    creases.map(|(ends, _)| ends.map(|vertex| mesh.vertices[vertex as usize])).collect()
}

/// The surface with at most about so many triangles: vertices in the same cell of ever coarser
/// grids become one.
pub(super) fn simplified(mesh: Mesh, most: usize) -> Mesh {
    let bounds = mesh.bounds();
    let longest = bounds.size().max_element();
    let mut cells = 64.0_f64;
    let mut simple = mesh.clone();
    while simple.triangles.len() > most && cells > 2.0 {
        let width = longest / cells;
        let mut known: BTreeMap<[i64; 3], u32> = BTreeMap::new();
        let mut vertices = Vec::new();
        let number: Vec<u32> = (mesh.vertices.iter())
            .map(|vertex| {
                let cell = ((*vertex - bounds.min) / width).floor().to_array().map(|x| x as i64);
                *known.entry(cell).or_insert_with(|| {
                    vertices.push(*vertex);
                    vertices.len() as u32 - 1
                })
            })
            .collect();
        let triangles = mesh.triangles.iter().map(|t| t.map(|k| number[k as usize]));
        let whole = triangles.filter(|[a, b, c]| a != b && b != c && c != a);
        let triangles: BTreeSet<[u32; 3]> = whole.collect();
        simple = Mesh { vertices, triangles: triangles.into_iter().collect() };
        cells *= 0.8;
    }
    simple
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_has_flat_sides_and_twelve_creases() {
        let cuboid = Mesh::cuboid(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0));
        let surface = Surface::of(&cuboid);
        assert_eq!((surface.triangles.len(), surface.corners.len()), (12, 24));
        assert_eq!(creases(&cuboid).len(), 12);
        for triangle in &surface.triangles {
            let [a, b, c] = triangle.map(|k| surface.normals[k as usize]);
            assert!(a == b && b == c && a.iter().filter(|n| n.abs() == 127).count() == 1);
        }
    }

    #[test]
    fn a_tube_is_smooth_but_for_its_rims() {
        let tube = Mesh::profile(&[[-2.5, 2.0], [2.5, 2.0]], 32);
        let surface = Surface::of(&tube);
        for (corner, normal) in surface.corners.iter().zip(&surface.normals) {
            if normal[2].abs() != 127 {
                let outward = DVec3::new(corner.x, corner.y, 0.0).normalize();
                let normal = DVec3::from_array(normal.map(|n| f64::from(n) / 127.0));
                assert!(normal.dot(outward) > 0.99, "{normal} at {corner}");
            }
        }
    }

    #[test]
    fn fine_surfaces_become_coarse_and_keep_their_size() {
        let ball = Mesh::ball(2.0, 5);
        assert_eq!(simplified(ball.clone(), usize::MAX), ball);
        let coarse = simplified(ball.clone(), 500);
        assert!((100..=500).contains(&coarse.triangles.len()), "{}", coarse.triangles.len());
        assert!((coarse.bounds().size() - ball.bounds().size()).length() < 0.8);
        assert!(coarse.volume() > 0.7 * ball.volume(), "{} {}", coarse.volume(), ball.volume());
    }
}
