//! What a body is made of: convex pieces, what they weigh, and what they look
//! like. One idea carries balls, polygons and polyhedra: a ball is a point with
//! a radius, and a pair of pieces gives one half-space from its closest points.

use serde::{Deserialize, Serialize};

use super::{Aabb, Core, MassProperties, Mesh, Outline, Piece};
use crate::math::{DMat3, DQuat, DVec3};

/// A body's form. Its frame has the axes that its author wrote and the centre of mass as origin.
///
/// ```
/// use riprap::{math::DVec3, shape::Shape};
/// let stone = Shape::cuboid(DVec3::new(2.0, 1.0, 1.0))?;
/// assert_eq!((stone.pieces.len(), stone.mass.volume, stone.origin), (1, 2.0, DVec3::ZERO));
/// let ell = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
/// let ell = Shape::polygon(&ell, &[])?;
/// assert_eq!((ell.pieces.len(), ell.mass.volume), (2, 3.0));
/// assert!(ell.origin.distance(DVec3::new(-5.0, -5.0, 0.0) / 6.0) < 1e-15);
/// # Ok::<(), riprap::Problem>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// The body is their union.
    pub pieces: Vec<Piece>,
    /// At density one, the centre at the origin. Of the body without the rounding of
    /// [`Shape::rounded`]; balls and capsules weigh what they are.
    pub mass: MassProperties,
    /// Where the origin that the author wrote lies: minus the centre of mass as written.
    pub origin: DVec3,
    /// What the body looks like without its rounding.
    pub surface: Surface,
    /// How well the pieces stand for the body.
    pub partition: Partition,
    /// A figure of the plane z = 0: it has an area instead of a volume.
    pub flat: bool,
    /// The studs on top of a brick and the cells below that take them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub studs: Option<Studs>,
}

/// A regular grid of studs on the upper face of a box, along its x and y; the lower face takes
/// studs at the same places. They are no part of the shape: bricks on each other meet in a plane.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Studs {
    /// How many along x and y.
    pub count: [u32; 2],
    /// From one to the next.
    pub cell: f64,
    /// Of the brick, without its studs.
    pub height: f64,
}

impl Studs {
    /// The radius of a stud and how far it rises, in cells: 6 and 4 of LDraw's 20 units.
    pub const RADIUS: f64 = 0.3;
    /// See [`Studs::RADIUS`].
    pub const RISE: f64 = 0.2;

    /// Where studs stand on the upper face: the middles of their feet, in the shape's frame.
    ///
    /// ```
    /// use riprap::{DVec3, Shape};
    /// let studs = Shape::brick([2, 1], 8.0, 9.6)?.studs.unwrap();
    /// let feet = [DVec3::new(-4.0, 0.0, 4.8), DVec3::new(4.0, 0.0, 4.8)];
    /// assert_eq!(studs.feet().collect::<Vec<_>>(), feet);
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn feet(self) -> impl Iterator<Item = DVec3> {
        let along = move |k: u32, axis: usize| {
            (f64::from(k) - 0.5 * (f64::from(self.count[axis]) - 1.0)) * self.cell
        };
        let row = move |y: u32| {
            (0..self.count[0]).map(move |x| DVec3::new(along(x, 0), along(y, 1), 0.5 * self.height))
        };
        (0..self.count[1]).flat_map(row)
    }

    /// The side and the top of every stud as triangles, with so many sides, in the shape's frame.
    pub fn triangles(self, sides: usize) -> Vec<[DVec3; 3]> {
        let mut triangles = Vec::new();
        for foot in self.feet() {
            let [low, high] = self.circles(foot, sides);
            let top = foot + DVec3::Z * (Self::RISE * self.cell);
            for k in 0..sides {
                let next = (k + 1) % sides;
                triangles.push([low[k], low[next], high[next]]);
                triangles.push([low[k], high[next], high[k]]);
                triangles.push([top, high[k], high[next]]);
            }
        }
        triangles
    }

    /// Points around the foot and the top of a stud, counter-clockwise seen from above.
    pub fn circles(self, foot: DVec3, sides: usize) -> [Vec<DVec3>; 2] {
        [0.0, Self::RISE * self.cell].map(|rise| {
            let at = |k: usize| {
                let (sin, cos) = (std::f64::consts::TAU * k as f64 / sides as f64).sin_cos();
                foot + DVec3::new(cos, sin, 0.0) * (Self::RADIUS * self.cell) + DVec3::Z * rise
            };
            (0..sides).map(at).collect()
        })
    }
}

/// What a shape looks like, without its rounding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Surface {
    /// Nothing but the rounded pieces: balls, capsules, cylinders, compounds with such parts.
    Round,
    /// A polygon with holes.
    Outline(Outline),
    /// Closed surfaces.
    Mesh(Mesh),
}

/// How well the pieces stand for the shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Partition {
    /// The union of the pieces is the shape, to the last bit.
    Exact,
    /// The union of the pieces is the shape up to this distance (the corners
    /// that cuts make are rounded), which is far inside the skin of all rows.
    Rounded(f64),
    /// The pieces are the faces of the surface: exact for every motion that
    /// starts without overlap, as nothing can get inside without meeting them.
    Surface,
}

impl Partition {
    /// What two parts are together.
    pub(super) fn with(self, other: Partition) -> Partition {
        match (self, other) {
            (Partition::Surface, _) | (_, Partition::Surface) => Partition::Surface,
            (Partition::Rounded(a), Partition::Rounded(b)) => Partition::Rounded(a.max(b)),
            (Partition::Exact, rest) | (rest, Partition::Exact) => rest,
        }
    }

    /// What rounding makes of coordinates of this size.
    pub(super) fn rounding(size: f64) -> Partition {
        Partition::Rounded(64.0 * f64::EPSILON * size)
    }
}

impl Surface {
    /// The surface with every point moved.
    pub(super) fn mapped(mut self, place: impl Fn(DVec3) -> DVec3) -> Self {
        match &mut self {
            Surface::Round => {}
            Surface::Mesh(mesh) => mesh.vertices.iter_mut().for_each(|v| *v = place(*v)),
            Surface::Outline(outline) => {
                let loops = std::iter::once(&mut outline.outer).chain(&mut outline.holes);
                for corner in loops.flatten() {
                    let placed = place(DVec3::new(corner[0], corner[1], 0.0));
                    *corner = [placed.x, placed.y];
                }
            }
        }
        self
    }
}

impl Shape {
    /// A shape from what its author wrote: puts the centre of mass at the origin.
    pub(super) fn from_written(
        pieces: Vec<Piece>,
        mass: MassProperties,
        surface: Surface,
        partition: Partition,
        flat: bool,
    ) -> Self {
        let mut shape =
            Shape { pieces, mass, origin: DVec3::ZERO, surface, partition, flat, studs: None };
        let shift = -shape.mass.centre;
        shape.mass.centre = DVec3::ZERO;
        // A centre that is off by rounding alone was meant to be at the origin.
        if shift.length() > 8.0 * f64::EPSILON * shape.radius() {
            let moved = |piece: Piece| piece.moved(shift, DQuat::IDENTITY);
            shape.pieces = shape.pieces.into_iter().map(moved).collect();
            shape.surface = shape.surface.mapped(|point| point + shift);
            shape.origin = shift;
        }
        shape
    }

    /// The same body, rounded further: everything within `radius` of it is part of it, too.
    /// Its mass stays that of the body without this rounding.
    pub fn rounded(mut self, radius: f64) -> Self {
        self.pieces.iter_mut().for_each(|piece| piece.radius += radius);
        self
    }

    /// The same body, all lengths multiplied by a positive factor.
    ///
    /// ```
    /// use riprap::shape::Shape;
    /// assert_eq!(Shape::disc(1.0).scaled(3.0), Shape::disc(3.0));
    /// ```
    pub fn scaled(&self, factor: f64) -> Self {
        Shape {
            pieces: self.pieces.iter().map(|piece| piece.scaled(factor)).collect(),
            mass: self.mass.scaled(factor, self.flat),
            origin: self.origin * factor,
            surface: self.surface.clone().mapped(|point| point * factor),
            partition: match self.partition {
                Partition::Rounded(error) => Partition::Rounded(error * factor),
                other => other,
            },
            flat: self.flat,
            studs: self.studs.map(|studs| Studs {
                cell: studs.cell * factor,
                height: studs.height * factor,
                ..studs
            }),
        }
    }

    /// The same body turned about its centre of mass (in 2D: about z).
    pub fn turned(&self, rotation: DQuat) -> Self {
        if rotation == DQuat::IDENTITY {
            return self.clone();
        }
        let turned = |piece: &Piece| piece.clone().moved(DVec3::ZERO, rotation);
        Shape {
            pieces: self.pieces.iter().map(turned).collect(),
            mass: self.mass.turned(rotation),
            origin: rotation * self.origin,
            surface: self.surface.clone().mapped(|point| rotation * point),
            partition: self.partition.with(Partition::rounding(self.radius())),
            flat: self.flat,
            studs: None, // a grid along other axes would not be known as one
        }
    }

    /// What is left of a body that has been taken out of a scene: no pieces, no volume.
    pub fn nothing() -> Shape {
        Shape {
            pieces: Vec::new(),
            mass: MassProperties::NOTHING,
            origin: DVec3::ZERO,
            surface: Surface::Round,
            partition: Partition::Exact,
            flat: false,
            studs: None,
        }
    }

    /// The radius, if the body is nothing but a ball (in 2D, a disc).
    pub fn is_ball(&self) -> Option<f64> {
        match &self.pieces[..] {
            [Piece { core: Core::Point, radius, at: DVec3::ZERO, .. }] => Some(*radius),
            _ => None,
        }
    }

    /// The largest distance of the body from its centre of mass, with its rounding, or a little
    /// more: a ball of this radius holds it.
    pub fn radius(&self) -> f64 {
        self.pieces.iter().map(Piece::reach).fold(0.0, f64::max)
    }

    /// The box around the body, with its rounding.
    pub fn bounds(&self) -> Aabb {
        let bounds = |piece: &Piece| piece.bounds(DVec3::ZERO, &DMat3::IDENTITY);
        self.pieces.iter().map(bounds).fold(Aabb::EMPTY, |all, one| all.union(&one))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ELL: [[f64; 2]; 6] =
        [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [2.0, 2.0], [2.0, 4.0], [0.0, 4.0]];

    #[test]
    fn bodies_are_stored_about_their_centres() {
        let ell = Shape::polygon(&ELL, &[]).unwrap().rounded(0.5);
        let Surface::Outline(outline) = &ell.surface else { panic!("a polygon has an outline") };
        let again = MassProperties::of_loops(outline.loops());
        assert!(again.centre.length() < 1e-14 && (again.volume - 12.0).abs() < 1e-12);
        assert_eq!(ell.mass.centre, DVec3::ZERO);
        assert!((ell.origin - DVec3::new(-5.0, -5.0, 0.0) / 3.0).length() < 1e-14);
        assert!((ell.bounds().size() - DVec3::new(5.0, 5.0, 1.0)).length() < 1e-12);
        // The centre is at (5/3, 5/3), the farthest corners at (4, 0) and (0, 4).
        assert!((ell.radius() - 0.5 - (7.0_f64 / 3.0).hypot(5.0 / 3.0)).abs() < 1e-12);
        assert_eq!(Shape::ball(2.0).radius(), 2.0);
    }

    #[test]
    fn turning_keeps_the_centre_and_takes_the_origin_along() {
        let ell = Shape::polygon(&ELL, &[]).unwrap();
        let turned = ell.turned(DQuat::from_rotation_z(0.5 * std::f64::consts::PI));
        assert!((turned.origin - DVec3::new(5.0, -5.0, 0.0) / 3.0).length() < 1e-14);
        assert!(turned.pieces.iter().all(|p| p.polytope().corners().iter().all(|c| c.z == 0.0)));
        let corner = turned.pieces.iter().flat_map(|p| p.polytope().corners().to_vec());
        let nearest = corner.map(|c| c.distance(turned.origin)).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-14, "the corner at the origin is where the origin went");
        assert!(matches!(turned.partition, Partition::Rounded(error) if error < 1e-13));
        assert_eq!(ell.turned(DQuat::IDENTITY), ell);
    }

    #[test]
    fn only_balls_are_balls() {
        assert_eq!(Shape::ball(2.0).is_ball(), Some(2.0));
        assert_eq!(Shape::disc(2.0).rounded(0.5).is_ball(), Some(2.5));
        assert_eq!(Shape::capsule(1.0, 2.0).unwrap().is_ball(), None);
        assert_eq!(Shape::cuboid(DVec3::ONE).unwrap().rounded(1.0).is_ball(), None);
    }

    #[test]
    fn shapes_scale_in_all_they_say() {
        let ring = Shape::ring(1.0, 0.5, 2.0, 12).unwrap();
        let (large, again) = (ring.scaled(2.0), Shape::ring(2.0, 1.0, 4.0, 12).unwrap());
        assert!((large.mass.volume - again.mass.volume).abs() < 1e-12);
        assert!(large.mass.inertia.abs_diff_eq(again.mass.inertia, 1e-11));
        assert!((large.radius() - again.radius()).abs() < 1e-14);
        let ell = Shape::polygon(&ELL, &[]).unwrap().scaled(0.5);
        assert_eq!(ell.mass.volume, 3.0);
    }

    #[test]
    fn text_keeps_shapes() {
        let hole = vec![[0.5, 0.5], [1.0, 0.5], [1.0, 1.0], [0.5, 1.0]];
        let made = [
            Shape::ball(0.1),
            Shape::polygon(&ELL, &[hole]).unwrap(),
            Shape::cylinder(0.3, 0.7).unwrap().turned(DQuat::from_rotation_x(0.3)),
            Shape::torus(1.0, 0.3, 8).unwrap().rounded(0.01),
        ];
        for shape in made {
            let text = serde_json::to_string(&shape).unwrap();
            assert_eq!(serde_json::from_str::<Shape>(&text).unwrap(), shape);
        }
    }
}
