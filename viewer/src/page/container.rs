//! The container as glass: corners with normals that are smooth where the
//! surface is, and lines along its creases. In 2D there are only lines.

use std::collections::BTreeMap;

use riprap::math::DVec3;
use riprap::shape::{Boundary, Face, Mesh};

use super::arrays::Arrays;

/// Faces that meet at less than this angle are parts of one smooth surface: a
/// prism of 12 sides looks round, a hexagonal nut does not.
const CREASE_DEGREES: f64 = 35.0;

/// A surface of more triangles would make the page large and slow.
const MOST_TRIANGLES: usize = 200_000;

/// What is drawn of a container; coordinates are relative to the page's origin.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Container {
    corners: Vec<DVec3>,
    /// Unit normals in steps of 1/127, one per corner.
    normals: Vec<[i8; 3]>,
    triangles: Vec<[u32; 3]>,
    lines: Vec<[DVec3; 2]>,
    /// Only a box is drawn around a container of so many faces.
    pub simplified_from: Option<usize>,
}

impl Container {
    pub(super) fn of(boundary: &Boundary, origin: DVec3) -> Container {
        let faces = boundary.faces();
        if faces.len() > MOST_TRIANGLES {
            let bounds = boundary.bounds();
            let cuboid = Mesh::cuboid(bounds.min - origin, bounds.max - origin);
            return Container { simplified_from: Some(faces.len()), ..Container::glass(&cuboid) };
        }
        let segments = faces.iter().filter_map(|face| match face.corners[..] {
            [a, b] => Some([a - origin, b - origin]),
            _ => None,
        });
        let lines: Vec<[DVec3; 2]> = segments.collect();
        if !lines.is_empty() {
            return Container { lines, ..Container::default() };
        }
        let triangles = faces.iter().filter_map(|face| match face.corners[..] {
            [a, b, c] => Some([a - origin, b - origin, c - origin]),
            _ => None,
        });
        Container::glass(&Mesh::from_triangles(&triangles.collect::<Vec<_>>()))
    }

    fn glass(mesh: &Mesh) -> Container {
        let normals: Vec<DVec3> =
            mesh.corners().map(|[a, b, c]| Face::triangle(a, b, c).normal()).collect();
        let mut glass = Container { lines: creases(mesh, &normals), ..Container::default() };
        let around = triangles_around(mesh);
        let mut known: BTreeMap<(u32, [i8; 3]), u32> = BTreeMap::new();
        for (triangle, own) in mesh.triangles.iter().zip(&normals) {
            glass.triangles.push(triangle.map(|vertex| {
                let normal = smooth_normal(*own, &around[vertex as usize], &normals);
                let normal = normal.to_array().map(|n| (n * 127.0).round() as i8);
                *known.entry((vertex, normal)).or_insert_with(|| {
                    glass.corners.push(mesh.vertices[vertex as usize]);
                    glass.normals.push(normal);
                    glass.corners.len() as u32 - 1
                })
            }));
        }
        glass
    }

    pub(super) fn store(&self, arrays: &mut Arrays) {
        arrays.f32("glass corners", self.corners.iter().flat_map(|p| p.to_array()));
        arrays.i8("glass normals", self.normals.iter().flatten().copied());
        arrays.u32("glass triangles", self.triangles.iter().flatten().copied());
        arrays.f32("lines", self.lines.iter().flatten().flat_map(|p| p.to_array()));
    }
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

/// The edges at which the surface has a bend, or ends.
fn creases(mesh: &Mesh, normals: &[DVec3]) -> Vec<[DVec3; 2]> {
    let mut sides: BTreeMap<[u32; 2], Vec<DVec3>> = BTreeMap::new();
    for (triangle, normal) in mesh.triangles.iter().zip(normals) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_has_twelve_creases_and_flat_sides() {
        let cuboid = Mesh::cuboid(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0));
        let glass = Container::of(&Boundary::from_mesh(&cuboid), DVec3::ZERO);
        assert_eq!((glass.lines.len(), glass.triangles.len(), glass.corners.len()), (12, 12, 24));
        for triangle in &glass.triangles {
            let [a, b, c] = triangle.map(|k| glass.normals[k as usize]);
            assert!(a == b && b == c && a.iter().filter(|n| n.abs() == 127).count() == 1);
        }
    }

    #[test]
    fn a_round_tube_is_smooth_but_for_its_rims() {
        let tube = Mesh::profile(&[[0.0, 2.0], [5.0, 2.0]], 32);
        let glass = Container::of(&Boundary::from_mesh(&tube), DVec3::new(0.0, 0.0, 2.5));
        assert_eq!(glass.lines.len(), 64, "two rims of 32 edges");
        assert!(glass.lines.iter().all(|[a, b]| a.z == b.z && a.z.abs() == 2.5));
        for triangle in &glass.triangles {
            for k in triangle.map(|k| k as usize) {
                let (corner, normal) = (glass.corners[k], glass.normals[k]);
                if normal[2].abs() != 127 {
                    let outward = DVec3::new(corner.x, corner.y, 0.0).normalize();
                    let normal = DVec3::from_array(normal.map(|n| f64::from(n) / 127.0));
                    assert!(normal.dot(outward) > 0.99, "{normal} at {corner}");
                }
            }
        }
    }

    #[test]
    fn a_polygon_is_its_outline() {
        let triangle = Boundary::from_polygon(&[[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]]);
        let outline = Container::of(&triangle, DVec3::X);
        assert_eq!((outline.lines.len(), outline.triangles.len()), (3, 0));
        assert_eq!(outline.lines[0], [-DVec3::X, DVec3::new(3.0, 0.0, 0.0)]);
    }

    #[test]
    fn a_huge_surface_becomes_a_box() {
        let sliver = |k: usize| {
            let x = k as f64;
            Face::triangle(DVec3::X * x, DVec3::new(x, 1.0, 0.0), DVec3::new(x, 0.0, 1.0))
        };
        let faces: Vec<Face> = (0..=MOST_TRIANGLES).map(sliver).collect();
        let boxed = Container::of(&Boundary::from_faces(faces).unwrap(), DVec3::ZERO);
        assert_eq!(boxed.simplified_from, Some(MOST_TRIANGLES + 1));
        assert_eq!((boxed.lines.len(), boxed.triangles.len()), (12, 12));
    }

    #[test]
    fn an_open_edge_counts_as_a_crease() {
        let faces = vec![Face::triangle(DVec3::ZERO, DVec3::X, DVec3::Y)];
        let sheet = Container::of(&Boundary::from_faces(faces).unwrap(), DVec3::ZERO);
        assert_eq!(sheet.lines.len(), 3);
    }
}
