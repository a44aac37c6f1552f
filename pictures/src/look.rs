//! What a shape looks like to rays, made once per shape and placed body by body:
//! balls are spheres, capsules capsules, cylinders smooth, polytopes facets, with
//! round edges if they are rounded, meshes facets, and figures of the plane slabs.

use std::f64::consts::TAU;

use glam::{DMat3, DVec3, Mat3, Vec3};
use riprap::math::DQuat;
use riprap::shape::{Core, Piece, Polytope, Shape, Surface};

use crate::capsule::Capsule;
use crate::material::Material;
use crate::mesh::{Facet, Mesh};
use crate::primitives::Sphere;
use crate::scene::{Loose, Made};
use crate::view::View;

/// One shape about its centre of mass, in picture units.
#[derive(Debug, Default)]
pub struct Look {
    spheres: Vec<Sphere>,
    facets: Vec<Facet>,
    capsules: Vec<Capsule>,
    /// Sharp edges and great circles: all that is drawn of a ghost.
    wires: Vec<[Vec3; 2]>,
}

/// How shapes become looks.
#[derive(Clone, Copy, Debug)]
pub struct Tailor {
    pub view: View,
    /// See [`View::slab`].
    pub slab: [f64; 2],
    /// The picture's unit of length.
    pub scale: f64,
}

/// Sides around cylinders and upright discs.
const SIDES: u32 = 64;
/// Sides around studs, which are many and small.
const STUD_SIDES: usize = 24;
/// Sides of the circles that stand for a ball's ghost.
const WIRE_SIDES: u32 = 24;
/// The rounded corner of a figure turns by at most this much at a time, in radians.
const ARC: f64 = 0.2;

impl Tailor {
    pub fn look(&self, shape: &Shape) -> Look {
        let mut look = Look::default();
        match &shape.surface {
            Surface::Mesh(mesh) if shape.pieces.iter().all(|piece| piece.radius == 0.0) => {
                look.add_mesh(&self.mesh(mesh.corners()), 0.0);
            }
            _ => shape.pieces.iter().for_each(|piece| self.add_piece(piece, &mut look)),
        }
        if let Some(studs) = shape.studs {
            // No wires: of a ghost the box is enough.
            look.facets.extend(self.mesh(studs.triangles(STUD_SIDES)).facets());
        }
        look
    }

    fn point(&self, p: DVec3) -> Vec3 {
        (p * self.scale).as_vec3()
    }

    fn mesh(&self, triangles: impl IntoIterator<Item = [DVec3; 3]>) -> Mesh {
        Mesh::from_triangles(triangles.into_iter().map(|t| t.map(|p| self.point(p))))
    }

    fn add_piece(&self, piece: &Piece, look: &mut Look) {
        let radius = (piece.radius * self.scale) as f32;
        match &piece.core {
            Core::Point if self.view == View::Upright => {
                self.add_slab(&circle(piece.at, piece.radius), look);
            }
            Core::Point => look.add_sphere(Sphere { centre: self.point(piece.at), radius }),
            Core::Segment { half } => {
                let [start, end] =
                    [-half, *half].map(|z| self.point(piece.at + piece.turn * (z * DVec3::Z)));
                look.add_capsule(Capsule { start, end, radius });
            }
            Core::Arc { .. } => piece.straightened().iter().for_each(|p| self.add_piece(p, look)),
            Core::Cylinder { radius: wide, half } => {
                let [wide, half] = [*wide, *half].map(|length| (length * self.scale) as f32);
                let turn = DMat3::from_quat(piece.turn).as_mat3();
                let at = self.point(piece.at);
                look.add_mesh(&cylinder(wide, half, radius).mapped(|p| at + turn * p), 0.0);
            }
            Core::Polytope(core) if core.is_flat() => {
                self.add_slab(&outline(&piece.polytope(), piece.radius), look);
            }
            Core::Polytope(core) if core.corners().len() == 1 => {
                look.add_sphere(Sphere {
                    centre: self.point(piece.polytope().corners()[0]),
                    radius,
                });
            }
            Core::Polytope(_) => self.add_polytope(&piece.polytope(), radius, look),
        }
    }

    /// A polyhedron, the edges as capsules if it is rounded.
    fn add_polytope(&self, core: &Polytope, radius: f32, look: &mut Look) {
        look.add_mesh(&self.mesh(core.mesh().corners()), radius);
        if radius > 0.0 {
            for edge in core.edges() {
                let [start, end] = edge.map(|k| self.point(core.corners()[k as usize]));
                look.capsules.push(Capsule { start, end, radius });
            }
        }
    }

    /// A convex figure of the plane, counter-clockwise, given its thickness.
    fn add_slab(&self, corners: &[DVec3], look: &mut Look) {
        let [low, high] = self.slab;
        let at = |p: &DVec3, z: f64| DVec3::new(p.x, p.y, z);
        let mut triangles = Vec::new();
        if let Some((a, others)) = corners.split_first() {
            for side in others.windows(2) {
                let [b, c] = [&side[0], &side[1]];
                triangles.push([at(a, high), at(b, high), at(c, high)]);
                triangles.push([at(a, low), at(c, low), at(b, low)]);
            }
        }
        for (a, b) in corners.iter().zip(corners.iter().cycle().skip(1)) {
            triangles.push([at(a, low), at(b, low), at(b, high)]);
            triangles.push([at(a, low), at(b, high), at(a, high)]);
        }
        look.add_mesh(&self.mesh(triangles), 0.0);
    }
}

impl Look {
    /// The facets of a mesh, moved out by `radius`.
    fn add_mesh(&mut self, mesh: &Mesh, radius: f32) {
        let out = |facet: Facet| facet.moved(facet.triangle.flat_normal() * radius);
        self.facets.extend(mesh.facets().into_iter().map(out));
        self.wires.extend(mesh.creases());
    }

    fn add_sphere(&mut self, sphere: Sphere) {
        for [a, b] in [[Vec3::X, Vec3::Y], [Vec3::Y, Vec3::Z], [Vec3::Z, Vec3::X]] {
            self.add_circle(sphere.centre, a * sphere.radius, b * sphere.radius);
        }
        self.spheres.push(sphere);
    }

    fn add_capsule(&mut self, capsule: Capsule) {
        let axis = (capsule.end - capsule.start).normalize_or(Vec3::Z);
        let (a, b) = crate::sampling::frame(axis);
        for end in [capsule.start, capsule.end] {
            self.add_circle(end, a * capsule.radius, b * capsule.radius);
        }
        for side in [a, b, -a, -b] {
            let side = side * capsule.radius;
            self.wires.push([capsule.start + side, capsule.end + side]);
        }
        self.capsules.push(capsule);
    }

    fn add_circle(&mut self, centre: Vec3, a: Vec3, b: Vec3) {
        let point = |k: u32| {
            let (sin, cos) = ((k as f64 / WIRE_SIDES as f64 * TAU) as f32).sin_cos();
            centre + a * cos + b * sin
        };
        self.wires.extend((0..WIRE_SIDES).map(|k| [point(k), point(k + 1)]));
    }

    /// Adds a body of this look where it stands.
    pub fn place(&self, at: Vec3, turn: Mat3, of: Material, all: &mut Loose) {
        let place = |p: Vec3| at + turn * p;
        all.spheres.extend(self.spheres.iter().map(|sphere| Made {
            shape: Sphere { centre: place(sphere.centre), radius: sphere.radius },
            of,
        }));
        all.facets.extend(
            self.facets.iter().map(|facet| Made { shape: facet.turned(turn).moved(at), of }),
        );
        all.capsules.extend(self.capsules.iter().map(|capsule| Made {
            shape: Capsule {
                start: place(capsule.start),
                end: place(capsule.end),
                radius: capsule.radius,
            },
            of,
        }));
    }

    /// Adds its edges alone, as rods.
    pub fn place_wires(&self, at: Vec3, turn: Mat3, radius: f32, of: Material, all: &mut Loose) {
        let place = |p: Vec3| at + turn * p;
        all.capsules.extend(self.wires.iter().map(|wire| {
            let [start, end] = wire.map(place);
            Made { shape: Capsule { start, end, radius }, of }
        }));
    }
}

/// A cylinder about z, everything within `round` of it included.
fn cylinder(radius: f32, half: f32, round: f32) -> Mesh {
    let mut profile = vec![(0.0, -half - round)];
    if round == 0.0 {
        profile.extend([(radius, -half), (radius, half)]);
    } else {
        let quarter = |middle: f32, from: f32| {
            (0..=6).map(move |i| {
                let angle = (from + 15.0 * i as f32).to_radians();
                (radius + round * angle.cos(), middle + round * angle.sin())
            })
        };
        profile.extend(quarter(-half, -90.0));
        profile.extend(quarter(half, 0.0));
    }
    profile.push((0.0, half + round));
    Mesh::lathe(&profile, SIDES)
}

/// The corners of a disc.
fn circle(centre: DVec3, radius: f64) -> Vec<DVec3> {
    let corner = |k: u32| {
        let (sin, cos) = (TAU * k as f64 / SIDES as f64).sin_cos();
        centre + radius * DVec3::new(cos, sin, 0.0)
    };
    (0..SIDES).map(corner).collect()
}

/// The corners of a convex polygon with everything within `radius` of it.
fn outline(polygon: &Polytope, radius: f64) -> Vec<DVec3> {
    let sides = polygon.facets();
    let mut corners = Vec::new();
    for (side, next) in sides.iter().zip(sides.iter().cycle().skip(1)) {
        let corner = polygon.corners()[side.corners[1] as usize];
        if radius == 0.0 {
            corners.push(corner);
            continue;
        }
        let angle = side.normal.angle_between(next.normal);
        let steps = (angle / ARC).ceil().max(1.0);
        for step in 0..=steps as u32 {
            let turn = DQuat::from_rotation_z(angle * f64::from(step) / steps);
            corners.push(corner + radius * (turn * side.normal));
        }
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::PI;

    const TAILOR: Tailor = Tailor { view: View::Space, slab: [-0.5, 0.5], scale: 1.0 };

    fn volume(look: &Look) -> f32 {
        let of = |facet: &Facet| {
            let [a, b, c] = facet.triangle.corners;
            a.dot(b.cross(c)) / 6.0
        };
        look.facets.iter().map(of).sum()
    }

    /// How many spheres, capsules and facets a shape is drawn as.
    fn counts(shape: &Shape) -> [usize; 3] {
        let look = TAILOR.look(shape);
        [look.spheres.len(), look.capsules.len(), look.facets.len()]
    }

    #[test]
    fn every_kind_of_piece_is_drawn() {
        let cube = || Shape::cuboid(DVec3::splat(2.0)).unwrap();
        assert_eq!(counts(&Shape::ball(1.0)), [1, 0, 0]);
        assert_eq!(counts(&Shape::capsule(0.5, 2.0).unwrap()), [0, 1, 0]);
        assert_eq!(counts(&cube()), [0, 0, 12]);
        assert_eq!(counts(&cube().rounded(0.1)), [0, 12, 12], "a rounded box has twelve edges");
        let sides = SIDES as usize;
        assert_eq!(counts(&Shape::cylinder(1.0, 2.0).unwrap()), [0, 0, 4 * sides]);
        let [spheres, capsules, facets] = counts(&Shape::cylinder(1.0, 2.0).unwrap().rounded(0.1));
        assert!(spheres == 0 && capsules == 0 && facets > 4 * sides);
    }

    /// Every stud is drawn: three triangles for each of its sides, a cylinder of the right size.
    #[test]
    fn bricks_have_their_studs() {
        let (plain, brick) =
            (Shape::cuboid(DVec3::new(16.0, 32.0, 9.6)), Shape::brick([2, 4], 8.0, 9.6));
        let [plain, brick] = [plain, brick].map(|shape| TAILOR.look(&shape.unwrap()));
        assert_eq!(brick.facets.len() - plain.facets.len(), 2 * 4 * 3 * STUD_SIDES);
        assert_eq!(brick.wires, plain.wires);
        let top = brick.facets.iter().flat_map(|f| f.triangle.corners).map(|c| c.z);
        assert!((top.fold(0.0, f32::max) - (4.8 + 1.6)).abs() < 1e-5);
        // The foot of a stud is open: its triangles close with the disc on which it stands.
        let disc = 0.5
            * (STUD_SIDES as f32)
            * (std::f32::consts::TAU / STUD_SIDES as f32).sin()
            * 2.4_f32.powi(2);
        let extra = volume(&brick) - volume(&plain) - 8.0 * disc * 4.8 / 3.0;
        assert!((extra / (8.0 * disc * 1.6) - 1.0).abs() < 1e-3, "{extra}");
    }

    #[test]
    fn cylinders_are_closed_smooth_and_look_outwards() {
        let look = TAILOR.look(&Shape::cylinder(1.0, 4.0).unwrap());
        assert!((volume(&look) / (4.0 * PI) - 1.0).abs() < 2e-3, "{}", volume(&look));
        for facet in look.facets.iter().filter(|f| f.triangle.flat_normal().z.abs() < 0.5) {
            for (corner, normal) in facet.triangle.corners.iter().zip(facet.normals) {
                assert!((corner.truncate() - normal.truncate()).length() < 1e-2);
            }
        }
        assert_eq!(look.wires.len(), 2 * SIDES as usize, "only the rims are sharp");
    }

    #[test]
    fn flat_figures_are_closed_slabs() {
        let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
        let square = Shape::polygon(&square, &[]).unwrap();
        let look = Tailor { view: View::Upright, ..TAILOR }.look(&square);
        assert_eq!((look.facets.len(), look.wires.len()), (12, 12));
        assert!((volume(&look) - 4.0).abs() < 1e-5);
        for facet in &look.facets {
            let out = facet.triangle.flat_normal().dot(facet.triangle.corners[0]);
            assert!(out > 0.0, "faces look outwards");
        }
        let rounded = volume(&TAILOR.look(&square.rounded(0.5)));
        let whole = 4.0 + 4.0 + 0.25 * PI;
        assert!(rounded < whole && rounded > 0.99 * whole, "{rounded}");
        let disc = Tailor { view: View::Upright, ..TAILOR }.look(&Shape::disc(1.0));
        assert!(disc.spheres.is_empty() && (volume(&disc) / PI - 1.0).abs() < 2e-3);
    }
}
