//! A solid: a union of convex pieces with a rounding radius. One idea carries
//! spheres, polygons and polyhedra: a sphere is a point with a radius, and a
//! pair of pieces gives one half-space from its closest points.

use super::meet::side_of_plane;
use super::partition::convex_pieces;
use super::slice::slices;
use super::{Aabb, Convex, Mass, Mesh, Outline};
use crate::math::{DMat3, DQuat, DVec3};
use crate::problem::{Problem, Result};

/// A body that translates: its pieces are in its own coordinates.
///
/// ```
/// use riprap::{math::DVec3, shape::Solid};
/// let brick = Solid::cuboid(DVec3::new(2.0, 1.0, 1.0))?;
/// assert_eq!((brick.pieces.len(), brick.mass.volume, brick.mass.centre), (1, 2.0, DVec3::ZERO));
/// let ell = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
/// let ell = Solid::polygon(&ell, &[])?;
/// assert_eq!((ell.pieces.len(), ell.mass.volume), (2, 3.0));
/// # Ok::<(), riprap::Problem>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    pub pieces: Vec<Convex>,
    /// Everything within this distance of a piece belongs to the body.
    pub radius: f64,
    /// Of the body without its rounding; of a ball, with it.
    pub mass: Mass,
    pub surface: Surface,
    pub partition: Partition,
}

/// What a solid looks like, without its rounding.
#[derive(Clone, Debug, PartialEq)]
pub enum Surface {
    /// A point: with the rounding radius, a ball.
    Point,
    Outline(Outline),
    Mesh(Mesh),
}

/// How well the pieces stand for the solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Partition {
    /// The union of the pieces is the solid, to the last bit.
    Exact,
    /// The union of the pieces is the solid up to this distance (the corners
    /// that cuts make are rounded), which is far inside the skin of all rows.
    Rounded(f64),
    /// The pieces are the faces of the surface: exact for every motion that
    /// starts without overlap, as nothing can get inside without meeting them.
    Surface,
}

impl Solid {
    pub fn ball(radius: f64) -> Self {
        Solid {
            pieces: vec![Convex::point(DVec3::ZERO)],
            radius,
            mass: Mass::of_ball(radius),
            surface: Surface::Point,
            partition: Partition::Exact,
        }
    }

    /// A box of this size, its centre at the origin.
    pub fn cuboid(size: DVec3) -> Result<Self> {
        if !(size.is_finite() && size.min_element() > 0.0) {
            return Err(Problem::new(format!("the size of the box is {size}"))
                .help("sizes are positive lengths"));
        }
        Self::hull(&Mesh::cuboid(-0.5 * size, 0.5 * size).vertices)
    }

    /// The convex hull of some points in space.
    pub fn hull(points: &[DVec3]) -> Result<Self> {
        let hull = Convex::hull(points)?;
        let mesh = hull.mesh();
        Ok(Solid {
            mass: hull.mass(),
            pieces: vec![hull],
            radius: 0.0,
            surface: Surface::Mesh(mesh),
            partition: Partition::Exact,
        })
    }

    /// Several convex hulls that move as one; where they overlap, they weigh twice.
    pub fn compound(hulls: &[Vec<DVec3>]) -> Result<Self> {
        let pieces = hulls.iter().map(|hull| Convex::hull(hull)).collect::<Result<Vec<_>>>()?;
        let triangles: Vec<[DVec3; 3]> =
            pieces.iter().flat_map(|piece| piece.mesh().corners().collect::<Vec<_>>()).collect();
        let mesh = Mesh::from_triangles(&triangles);
        let mass = Mass::of_mesh(&mesh);
        let (surface, partition) = (Surface::Mesh(mesh), Partition::Exact);
        Ok(Solid { pieces, radius: 0.0, mass, surface, partition })
    }

    /// The convex hull of some points in the plane.
    pub fn flat_hull(points: &[[f64; 2]]) -> Result<Self> {
        let hull = Convex::flat_hull(points)?;
        Self::polygon(&hull.corners().iter().map(|c| [c.x, c.y]).collect::<Vec<_>>(), &[])
    }

    /// A polygon with holes, in the plane z = 0: see [`Outline::new`] for what is repaired.
    pub fn polygon(outer: &[[f64; 2]], holes: &[Vec<[f64; 2]>]) -> Result<Self> {
        let outline = Outline::new(outer, holes)?;
        Ok(Solid {
            pieces: convex_pieces(&outline)?,
            radius: 0.0,
            mass: Mass::of_loops(outline.loops()),
            surface: Surface::Outline(outline),
            partition: Partition::Exact,
        })
    }

    /// A polygon with holes drawn out along z, from 0 to `height`.
    pub fn prism(outer: &[[f64; 2]], holes: &[Vec<[f64; 2]>], height: f64) -> Result<Self> {
        if !(height.is_finite() && height > 0.0) {
            return Err(Problem::new(format!("the height of the prism is {height}"))
                .help("heights are positive lengths"));
        }
        let outline = Outline::new(outer, holes)?;
        let flat = convex_pieces(&outline)?;
        let drawn_out = |piece: &Convex| {
            let points: Vec<DVec3> =
                piece.corners().iter().flat_map(|c| [*c, *c + height * DVec3::Z]).collect();
            Convex::hull(&points)
        };
        let pieces = flat.iter().map(drawn_out).collect::<Result<_>>()?;
        let mesh = prism_surface(&outline, &flat, height);
        let (mass, partition) = (Mass::of_mesh(&mesh), Partition::Exact);
        Ok(Solid { pieces, radius: 0.0, mass, surface: Surface::Mesh(mesh), partition })
    }

    /// The solid inside a closed mesh, convex or not.
    pub fn from_mesh(mesh: &Mesh) -> Result<Self> {
        mesh.check_closed()?;
        let (pieces, partition) = match is_convex(mesh) {
            true => (vec![Convex::hull(&mesh.vertices)?], Partition::Exact),
            false => match slices(mesh) {
                Some(pieces) => {
                    let largest = mesh.vertices.iter().map(|v| v.abs().max_element());
                    let scale = largest.fold(0.0, f64::max);
                    (pieces, Partition::Rounded(64.0 * f64::EPSILON * scale))
                }
                None => (mesh.corners().map(Convex::triangle).collect(), Partition::Surface),
            },
        };
        let (mass, surface) = (Mass::of_mesh(mesh), Surface::Mesh(mesh.clone()));
        Ok(Solid { pieces, radius: 0.0, mass, surface, partition })
    }

    /// The same body, rounded: everything within `radius` of it is part of it too.
    pub fn rounded(self, radius: f64) -> Self {
        Solid { radius, ..self }
    }

    /// The same body, all lengths multiplied by a factor.
    pub fn scaled(&self, factor: f64) -> Self {
        let mut surface = self.surface.clone();
        match &mut surface {
            Surface::Point => {}
            Surface::Mesh(mesh) => mesh.vertices.iter_mut().for_each(|v| *v *= factor),
            Surface::Outline(outline) => {
                let loops = std::iter::once(&mut outline.outer).chain(&mut outline.holes);
                loops.flatten().flatten().for_each(|x| *x *= factor);
            }
        }
        let power = if matches!(surface, Surface::Outline(_)) { 2 } else { 3 };
        Solid {
            pieces: self.pieces.iter().map(|piece| piece.scaled(factor)).collect(),
            radius: self.radius * factor,
            mass: Mass {
                volume: self.mass.volume * factor.powi(power),
                centre: self.mass.centre * factor,
                inertia: self.mass.inertia * factor.powi(power + 2),
            },
            surface,
            partition: match self.partition {
                Partition::Rounded(error) => Partition::Rounded(error * factor),
                other => other,
            },
        }
    }

    /// The same body with its centre of mass at the origin of its coordinates.
    pub fn centred(mut self) -> Self {
        let shift = -self.mass.centre;
        self.pieces = self.pieces.into_iter().map(|piece| piece.moved(shift)).collect();
        self.mass.centre = DVec3::ZERO;
        match &mut self.surface {
            Surface::Point => {}
            Surface::Mesh(mesh) => mesh.vertices.iter_mut().for_each(|v| *v += shift),
            Surface::Outline(outline) => {
                let loops = std::iter::once(&mut outline.outer).chain(&mut outline.holes);
                loops.flatten().for_each(|c| *c = [c[0] + shift.x, c[1] + shift.y]);
            }
        }
        self
    }

    /// The same body turned about the origin of its coordinates (in 2D: about z).
    pub fn turned(&self, rotation: DQuat) -> Self {
        let turn = DMat3::from_quat(rotation);
        let mut surface = self.surface.clone();
        match &mut surface {
            Surface::Point => {}
            Surface::Mesh(mesh) => mesh.vertices.iter_mut().for_each(|v| *v = rotation * *v),
            Surface::Outline(outline) => {
                let loops = std::iter::once(&mut outline.outer).chain(&mut outline.holes);
                let turned = |c: [f64; 2]| rotation * DVec3::new(c[0], c[1], 0.0);
                loops.flatten().for_each(|c| *c = [turned(*c).x, turned(*c).y]);
            }
        }
        let flat = matches!(surface, Surface::Outline(_));
        let piece = |piece: &Convex| piece.turned(rotation, flat);
        Solid {
            pieces: self.pieces.iter().map(piece).collect(),
            radius: self.radius,
            mass: Mass {
                volume: self.mass.volume,
                centre: rotation * self.mass.centre,
                inertia: turn * self.mass.inertia * turn.transpose(),
            },
            surface,
            partition: match self.partition {
                Partition::Surface => Partition::Surface,
                _ => Partition::Rounded(64.0 * f64::EPSILON * self.reach()),
            },
        }
    }

    /// The surface as triangles, outward; of a polygon, its inside, seen from above.
    pub fn triangles(&self) -> Vec<[DVec3; 3]> {
        match &self.surface {
            Surface::Point => Vec::new(),
            Surface::Mesh(mesh) => mesh.corners().collect(),
            Surface::Outline(_) => {
                let fan = |piece: &Convex| {
                    let corners = piece.corners();
                    let pairs = corners.get(1..).unwrap_or_default().windows(2);
                    pairs.map(|pair| [corners[0], pair[0], pair[1]]).collect::<Vec<_>>()
                };
                self.pieces.iter().flat_map(fan).collect()
            }
        }
    }

    /// The box around the body, with its rounding.
    pub fn bounds(&self) -> Aabb {
        let pieces = self.pieces.iter().map(Convex::bounds);
        pieces.fold(Aabb::EMPTY, |all, one| all.union(&one)).grow(self.radius)
    }

    /// The largest distance of the body from the origin of its coordinates.
    pub fn reach(&self) -> f64 {
        let corners = self.pieces.iter().flat_map(|piece| piece.corners());
        corners.map(|c| c.length()).fold(0.0, f64::max) + self.radius
    }
}

/// Whether no vertex is above any face: exact.
fn is_convex(mesh: &Mesh) -> bool {
    mesh.corners().all(|face| mesh.vertices.iter().all(|v| side_of_plane(face, *v) >= 0.0))
}

/// The surface of a prism: its walls, and its convex pieces as bottom and lid.
fn prism_surface(outline: &Outline, pieces: &[Convex], height: f64) -> Mesh {
    let mut triangles = Vec::new();
    let up = height * DVec3::Z;
    for [a, b] in outline.edges() {
        let [a, b] = [a, b].map(|[x, y]| DVec3::new(x, y, 0.0));
        triangles.extend([[a, b, b + up], [a, b + up, a + up]]);
    }
    for piece in pieces {
        let corners = piece.corners();
        for pair in corners[1..].windows(2) {
            triangles.push([corners[0], pair[1], pair[0]]);
            triangles.push([corners[0] + up, pair[0] + up, pair[1] + up]);
        }
    }
    Mesh::from_triangles(&triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ELL: [[f64; 2]; 6] =
        [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [2.0, 2.0], [2.0, 4.0], [0.0, 4.0]];

    #[test]
    fn a_prism_is_its_polygon_drawn_out() {
        let hole = vec![[0.5, 0.5], [1.0, 0.5], [1.0, 1.0], [0.5, 1.0]];
        let prism = Solid::prism(&ELL, &[hole], 3.0).unwrap();
        assert!((prism.mass.volume - 3.0 * 11.75).abs() < 1e-12);
        let sum: f64 = prism.pieces.iter().map(|piece| piece.mass().volume).sum();
        assert!((sum - prism.mass.volume).abs() < 1e-12);
        assert_eq!(prism.partition, Partition::Exact);
    }

    #[test]
    fn a_convex_mesh_is_one_exact_piece() {
        let ball = Mesh::profile(&[[-1.0, 0.0], [-0.5, 0.8], [0.5, 0.8], [1.0, 0.0]], 5);
        let solid = Solid::from_mesh(&ball).unwrap();
        assert_eq!((solid.pieces.len(), solid.partition), (1, Partition::Exact));
        assert!((solid.mass.volume - ball.volume()).abs() < 1e-14);
    }

    #[test]
    fn other_meshes_are_cut_or_taken_by_their_faces() {
        let neck = [[0.0, 1.0], [1.0, 0.5], [2.0, 1.0]];
        let cut = Solid::from_mesh(&Mesh::profile(&neck, 8)).unwrap();
        assert!(matches!(cut.partition, Partition::Rounded(error) if error < 1e-13));
        let rich = Mesh::profile(&neck, 400);
        let faces = Solid::from_mesh(&rich).unwrap();
        assert_eq!(
            (faces.pieces.len(), faces.partition),
            (rich.triangles.len(), Partition::Surface)
        );
    }

    #[test]
    fn bad_shapes_are_named() {
        let mut open = Mesh::cuboid(DVec3::ZERO, DVec3::ONE);
        open.triangles.pop();
        assert!(Solid::from_mesh(&open).unwrap_err().message.contains("open"));
        let size = DVec3::new(1.0, 0.0, 1.0);
        assert!(
            Solid::cuboid(size).unwrap_err().message.contains("the size of the box is [1, 0, 1]")
        );
        assert!(Solid::prism(&ELL, &[], f64::NAN).unwrap_err().message.contains("NaN"));
        assert!(Solid::polygon(&ELL[..2], &[]).unwrap_err().message.contains("2 corners"));
    }

    #[test]
    fn centred_bodies_reach_equally_far() {
        let ell = Solid::polygon(&ELL, &[]).unwrap().centred().rounded(0.5);
        let again = Mass::of_loops(match &ell.surface {
            Surface::Outline(outline) => outline.loops().collect::<Vec<_>>(),
            _ => vec![],
        });
        assert!(again.centre.length() < 1e-14 && (again.volume - 12.0).abs() < 1e-12);
        let bounds = ell.bounds();
        assert!((bounds.size() - DVec3::new(5.0, 5.0, 1.0)).length() < 1e-12);
        // The centre is at (5/3, 5/3), the farthest corners at (4, 0) and (0, 4).
        assert!((ell.reach() - 0.5 - (7.0_f64 / 3.0).hypot(5.0 / 3.0)).abs() < 1e-12);
        assert_eq!(Solid::ball(2.0).reach(), 2.0);
    }
}
