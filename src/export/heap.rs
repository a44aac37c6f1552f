//! The bodies of one frame as triangles, for whatever reads STL or OBJ: meshers,
//! slicers, modellers. Every ball is an icosphere with its corners on the
//! sphere; other bodies have their true surfaces, turned as they are, and so has
//! cloth. How finely round parts are drawn is said in the file.

use std::fmt::Write;

use super::sphere::check_drawable;
use super::surfaces::{MOST_TRIANGLES, Surfaces};
use super::{digits, one_word};
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use crate::shape::Mesh;
use crate::trajectory::Frame;
use crate::world::Model;

/// 5120 triangles, a thousandth of the radius inside: finer than anyone needs.
const MOST_SUBDIVISIONS: u32 = 4;
const STL_TRIANGLE_BYTES: usize = 50;

/// Binary STL. Coordinates are rounded to single precision: there is no other.
pub(super) fn stl(model: &Model, index: usize, frame: &Frame) -> Result<Vec<u8>> {
    check_drawable(model, index, frame)?;
    let surfaces = surfaces(model);
    let objects = Objects { model, frame, surfaces: &surfaces };
    let count: usize = objects.all().map(|(_, mesh)| mesh.triangles.len()).sum();
    let Ok(stored_count) = u32::try_from(count) else {
        let message = format!("{count} triangles are too many for binary STL");
        return Err(Problem::new(message).help("there is no such limit in .obj"));
    };
    let mut bytes = title(model, index, &surfaces).into_bytes();
    bytes.resize(80, b' ');
    bytes.extend(stored_count.to_le_bytes());
    bytes.reserve_exact(count * STL_TRIANGLE_BYTES);
    for (_, mesh) in objects.all() {
        for corners in mesh.corners() {
            let [a, b, c] = corners;
            let normal = (b - a).cross(c - a).normalize_or_zero();
            for vector in [normal].into_iter().chain(corners) {
                bytes.extend(vector.to_array().iter().flat_map(|&x| (x as f32).to_le_bytes()));
            }
            bytes.extend([0, 0]);
        }
    }
    Ok(bytes)
}

/// Wavefront OBJ: one object for each body, named after its group and number.
pub(super) fn obj(model: &Model, index: usize, frame: &Frame) -> Result<String> {
    check_drawable(model, index, frame)?;
    let surfaces = surfaces(model);
    let mut text = format!("# {}\n", title(model, index, &surfaces));
    // Corners are counted from 1, through all objects.
    let mut first = 1;
    for (name, mesh) in (Objects { model, frame, surfaces: &surfaces }).all() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "o {name}");
        for DVec3 { x, y, z } in mesh.vertices.iter().copied() {
            let _ = writeln!(text, "v {} {} {}", digits(x), digits(y), digits(z));
        }
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|corner| first + corner as usize);
            let _ = writeln!(text, "f {a} {b} {c}");
        }
        first += mesh.vertices.len();
    }
    Ok(text)
}

/// What is drawn.
struct Objects<'a> {
    model: &'a Model,
    frame: &'a Frame,
    surfaces: &'a Surfaces,
}

impl Objects<'_> {
    /// Every rigid body, then every cloth: its name, and its surface where it is.
    fn all(&self) -> impl Iterator<Item = (String, Mesh)> + '_ {
        let bodies = (0..self.model.rigid_count()).filter(|&id| !self.model.is_gone(id));
        let bodies =
            bodies.map(|id| (self.name(id), self.surfaces.placed(self.model, self.frame, id)));
        bodies.chain(self.model.cloths.iter().map(|cloth| {
            let first = cloth.first;
            let mesh = Mesh {
                vertices: self.frame.state.positions[cloth.particles()].to_vec(),
                triangles: cloth.faces.iter().map(|face| face.map(|p| p - first)).collect(),
            };
            (self.name(first as usize), mesh)
        }))
    }

    fn name(&self, id: usize) -> String {
        let group = self.model.groups.get(self.model.bodies[id].group as usize);
        format!("{}_{id}", group.map_or("X".into(), |name| one_word(name)))
    }
}

fn surfaces(model: &Model) -> Surfaces {
    Surfaces::of(model, MOST_TRIANGLES, Some(MOST_SUBDIVISIONS))
}

/// At most 80 letters, the first of which are not those of an STL file in text.
fn title(model: &Model, index: usize, surfaces: &Surfaces) -> String {
    let count = model.bodies.len();
    let what = if model.has_solids() { "bodies" } else { "spheres" };
    let count = count.min(model.rigid_count());
    format!("riprap: {count} {what}, frame {index}, {}", surfaces.words(model))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::samples;

    /// The normal and the corners of every triangle of an STL file.
    fn stl_numbers(bytes: &[u8]) -> Vec<[f32; 12]> {
        let float = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        let triangle = |t: &[u8]| std::array::from_fn(|k| float(&t[4 * k..4 * k + 4]));
        bytes[84..].chunks(50).map(triangle).collect()
    }

    #[test]
    fn stl_corners_lie_on_the_spheres() {
        let (model, frame) = (samples::model(3), samples::frame(7, 3));
        let bytes = stl(&model, 4, &frame).unwrap();
        let title = String::from_utf8(bytes[..80].to_vec()).unwrap();
        let expected = "riprap: 3 spheres, frame 4, facets up to 0.12 % of the radius inside";
        assert_eq!(title.trim_end(), expected);
        assert_eq!(bytes[80..84], (3_u32 * 5120).to_le_bytes());
        let triangles = stl_numbers(&bytes);
        assert_eq!((triangles.len(), bytes.len()), (3 * 5120, 84 + 3 * 5120 * 50));
        for (k, numbers) in triangles.iter().enumerate() {
            let (centre, radius) = (frame.state.positions[k / 5120], model.bodies[k / 5120].radius);
            let vector = |i: usize| DVec3::from_array([i, i + 1, i + 2].map(|i| numbers[i].into()));
            for corner in [3, 6, 9] {
                assert!((vector(corner).distance(centre) - radius).abs() < 2e-6);
                assert!(vector(0).dot(vector(corner) - centre) > 0.99 * radius, "outward");
            }
        }
    }

    #[test]
    fn obj_has_one_object_for_each_body() {
        let (model, frame) = (samples::model(3), samples::frame(7, 3));
        let text = obj(&model, 4, &frame).unwrap();
        let objects: Vec<&str> = text.split("\no ").collect();
        assert!(objects[0].ends_with("inside"), "{}", objects[0]);
        assert_eq!(objects.len(), 4);
        for (id, object) in objects[1..].iter().enumerate() {
            let mut lines = object.lines();
            let name = ["glass_beads_0", "steel_1", "glass_beads_2"][id];
            assert_eq!(lines.next(), Some(name));
            let corners: Vec<DVec3> = (lines.by_ref().take(2562))
                .map(|line| {
                    let words = line.strip_prefix("v ").unwrap().split(' ');
                    DVec3::from_slice(&words.map(|w| w.parse().unwrap()).collect::<Vec<f64>>())
                })
                .collect();
            let (centre, radius) = (frame.state.positions[id], model.bodies[id].radius);
            assert!(corners.iter().all(|c| (c.distance(centre) - radius).abs() < 1e-14));
            let mut count = 0;
            for line in lines {
                let words = line.strip_prefix("f ").unwrap().split(' ');
                for corner in words.map(|w| w.parse::<usize>().unwrap()) {
                    assert!((1 + 2562 * id..1 + 2562 * (id + 1)).contains(&corner));
                }
                count += 1;
            }
            assert_eq!(count, 5120);
        }
    }

    #[test]
    fn many_bodies_get_coarser_so_that_the_file_stays_small() {
        let triangles = |bodies| surfaces(&samples::model(bodies)).sphere.triangles.len();
        assert_eq!(triangles(1000), 320);
        assert_eq!(triangles(20_000), 20);
        let mut many = samples::model(999_999);
        assert!(title(&many, 999_999, &surfaces(&many)).len() <= 80);
        many.shapes.push(crate::shape::Shape::cylinder(1.0, 2.0).unwrap());
        many.bodies[0].shape = many.shapes.len() as u32 - 1;
        assert!(title(&many, 999_999, &surfaces(&many)).len() <= 80);
    }

    /// A box turned by a known angle has its corners where the turn puts them.
    #[test]
    fn turned_boxes_have_their_true_corners() {
        let (mut model, mut frame) = (samples::model(1), samples::frame(0, 1));
        let size = DVec3::new(2.0, 1.0, 0.5);
        model.shapes[0] = crate::shape::Shape::cuboid(size).unwrap();
        let turn = crate::math::DQuat::from_rotation_x(0.7);
        frame.state.rotations[0] = turn;
        let text = obj(&model, 0, &frame).unwrap();
        let corner = |line: &str| {
            let words = line.strip_prefix("v ")?.split(' ');
            Some(DVec3::from_slice(&words.map(|w| w.parse().unwrap()).collect::<Vec<f64>>()))
        };
        let found: Vec<DVec3> = text.lines().filter_map(corner).collect();
        assert_eq!(found.len(), 8);
        for k in 0..8 {
            let sign = |bit: u32| if k >> bit & 1 == 1 { 0.5 } else { -0.5 };
            let expected =
                frame.state.positions[0] + turn * (size * DVec3::new(sign(0), sign(1), sign(2)));
            assert!(found.iter().any(|c| c.distance(expected) < 1e-12), "{expected}");
        }
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let (model, mut frame) = (samples::model(1), samples::frame(0, 1));
        frame.state.positions[0].x = f64::INFINITY;
        let message = "body 0 of frame 0 cannot be drawn: it is at [inf, 1, 10], with radius 0.5";
        assert_eq!(stl(&model, 0, &frame).unwrap_err().message, message);
        assert_eq!(obj(&model, 0, &frame).unwrap_err().message, message);
    }
}
