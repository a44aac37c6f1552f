//! The container as glass, and lines along its creases. In 2D there are only
//! lines.

use riprap::math::DVec3;
use riprap::shape::{Boundary, Mesh};

use super::arrays::Arrays;
use super::surface::{Surface, creases};

/// A surface of more triangles would make the page large and slow.
const MOST_TRIANGLES: usize = 200_000;

/// What is drawn of a container; coordinates are relative to the page's origin.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Container {
    glass: Surface,
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
        Container { glass: Surface::of(mesh), lines: creases(mesh), simplified_from: None }
    }

    pub(super) fn store(&self, arrays: &mut Arrays) {
        let Surface { corners, normals, triangles } = &self.glass;
        arrays.f32("glass corners", corners.iter().flat_map(|p| p.to_array()));
        arrays.i8("glass normals", normals.iter().flatten().copied());
        arrays.u32("glass triangles", triangles.iter().flatten().copied());
        arrays.f32("lines", self.lines.iter().flatten().flat_map(|p| p.to_array()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use riprap::shape::Face;

    #[test]
    fn a_box_has_twelve_creases() {
        let cuboid = Mesh::cuboid(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0));
        let container = Container::of(&Boundary::from_mesh(&cuboid), DVec3::ZERO);
        assert_eq!((container.lines.len(), container.glass.triangles.len()), (12, 12));
    }

    #[test]
    fn a_round_tube_has_a_line_at_each_rim() {
        let tube = Mesh::profile(&[[0.0, 2.0], [5.0, 2.0]], 32);
        let container = Container::of(&Boundary::from_mesh(&tube), DVec3::new(0.0, 0.0, 2.5));
        assert_eq!(container.lines.len(), 64, "two rims of 32 edges");
        assert!(container.lines.iter().all(|[a, b]| a.z == b.z && a.z.abs() == 2.5));
    }

    #[test]
    fn a_polygon_is_its_outline() {
        let triangle = Boundary::from_polygon(&[[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]]);
        let outline = Container::of(&triangle, DVec3::X);
        assert_eq!((outline.lines.len(), outline.glass.triangles.len()), (3, 0));
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
        assert_eq!((boxed.lines.len(), boxed.glass.triangles.len()), (12, 12));
    }

    #[test]
    fn an_open_edge_counts_as_a_crease() {
        let faces = vec![Face::triangle(DVec3::ZERO, DVec3::X, DVec3::Y)];
        let sheet = Container::of(&Boundary::from_faces(faces).unwrap(), DVec3::ZERO);
        assert_eq!(sheet.lines.len(), 3);
    }
}
