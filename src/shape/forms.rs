//! The plain shapes, each as its author would describe it.

use super::facet::unit;
use super::meet::side_of_plane;
use super::partition::convex_pieces;
use super::slice::slices;
use super::{
    Core, MassProperties, Mesh, Outline, Partition, Piece, Polytope, Shape, Studs, Surface,
};
use crate::math::DVec3;
use crate::problem::{Problem, Result};

impl Shape {
    /// A ball. Its radius is trusted to be a length.
    pub fn ball(radius: f64) -> Self {
        Self::round(Core::Point, radius)
    }

    /// A disc of the plane: the ball of two dimensions.
    pub fn disc(radius: f64) -> Self {
        let mass = MassProperties::of_disc(radius);
        Shape { mass, flat: true, ..Self::ball(radius) }
    }

    /// A cylinder along z with a half ball at each end; `length` is between the balls' centres.
    pub fn capsule(radius: f64, length: f64) -> Result<Self> {
        check_length("the radius of the capsule", radius)?;
        if !(length.is_finite() && length >= 0.0) {
            return Err(Problem::new(format!("the length of the capsule is {length}"))
                .help("it is a length, or zero"));
        }
        Ok(Self::round(Core::Segment { half: 0.5 * length }, radius))
    }

    /// A cylinder along z.
    pub fn cylinder(radius: f64, length: f64) -> Result<Self> {
        check_length("the radius of the cylinder", radius)?;
        check_length("the length of the cylinder", length)?;
        Ok(Self::round(Core::Cylinder { radius, half: 0.5 * length }, 0.0))
    }

    /// One piece in space whose surface is round.
    fn round(core: Core, radius: f64) -> Self {
        let piece = Piece::new(core, radius);
        let mass = piece.mass(3);
        Self::from_written(vec![piece], mass, Surface::Round, Partition::Exact, false)
    }

    /// A box about the origin.
    pub fn cuboid(size: DVec3) -> Result<Self> {
        Ok(Self::convex(Polytope::cuboid(size)?))
    }

    /// A brick with studs on top: a box of so many cells along x and y, about the origin.
    ///
    /// ```
    /// use riprap::shape::Shape;
    /// let brick = Shape::brick([2, 4], 8.0, 9.6)?;
    /// assert_eq!(brick.studs.unwrap().count, [2, 4]);
    /// assert!((brick.mass.volume - 16.0 * 32.0 * 9.6).abs() < 1e-9);
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn brick(count: [u32; 2], cell: f64, height: f64) -> Result<Self> {
        let [x, y] = count.map(|count| f64::from(count) * cell);
        let studs = Some(Studs { count, cell, height });
        Ok(Shape { studs, ..Self::cuboid(DVec3::new(x, y, height))? })
    }

    /// The convex hull of some points in space.
    pub fn hull(points: &[DVec3]) -> Result<Self> {
        Ok(Self::convex(Polytope::hull(points)?))
    }

    /// A polyhedron that is one piece.
    fn convex(core: Polytope) -> Self {
        let (mass, surface) = (core.mass(), Surface::Mesh(core.mesh()));
        let pieces = vec![Piece::new(Core::Polytope(core), 0.0)];
        Self::from_written(pieces, mass, surface, Partition::Exact, false)
    }

    /// The convex hull of some points in the plane.
    pub fn flat_hull(points: &[[f64; 2]]) -> Result<Self> {
        let hull = Polytope::flat_hull(points)?;
        Self::polygon(&hull.corners().iter().map(|c| [c.x, c.y]).collect::<Vec<_>>(), &[])
    }

    /// A polygon with holes, in the plane z = 0: see [`Outline::new`] for what is repaired.
    pub fn polygon(outer: &[[f64; 2]], holes: &[Vec<[f64; 2]>]) -> Result<Self> {
        let outline = Outline::new(outer, holes)?;
        let pieces = sharp(convex_pieces(&outline)?);
        let mass = MassProperties::of_loops(outline.loops());
        let surface = Surface::Outline(outline);
        Ok(Self::from_written(pieces, mass, surface, Partition::Exact, true))
    }

    /// A polygon with holes drawn out along z, from 0 to `height`.
    pub fn prism(outer: &[[f64; 2]], holes: &[Vec<[f64; 2]>], height: f64) -> Result<Self> {
        check_length("the height of the prism", height)?;
        let outline = Outline::new(outer, holes)?;
        let flat = convex_pieces(&outline)?;
        let drawn_out = |piece: &Polytope| {
            let points: Vec<DVec3> =
                piece.corners().iter().flat_map(|c| [*c, *c + height * DVec3::Z]).collect();
            Polytope::hull(&points)
        };
        let pieces = flat.iter().map(drawn_out).collect::<Result<_>>()?;
        let mesh = prism_surface(&outline, &flat, height);
        Ok(Self::of_mesh(sharp(pieces), mesh, Partition::Exact))
    }

    /// The solid inside a closed mesh, convex or not.
    pub fn from_mesh(mesh: &Mesh) -> Result<Self> {
        mesh.check_closed()?;
        let rough = ROUGH * (mesh.bounds().max - mesh.bounds().min).length();
        let (pieces, partition) = match is_convex(mesh) {
            true => (vec![Polytope::hull(&mesh.vertices)?], Partition::Exact),
            false if mesh.corners().all(|face| is_below(face, &mesh.vertices, rough)) => {
                let piece = Polytope::rough_hull(&mesh.vertices, rough)?;
                return Ok(Self::of_rough(piece, rough));
            }
            false => match slices(mesh, mesh.rounding()) {
                Some(pieces) => (pieces, Partition::Rounded(mesh.rounding())),
                None => (mesh.corners().map(Polytope::triangle).collect(), Partition::Surface),
            },
        };
        Ok(Self::of_mesh(sharp(pieces), mesh.clone(), partition))
    }

    /// The solid inside polygons that close it, each given by its corners, counter-clockwise seen
    /// from outside. Polygons may be bent as single precision bends them.
    ///
    /// ```
    /// use riprap::{math::DVec3, shape::Shape};
    /// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let faces = [vec![0, 2, 1], vec![0, 1, 3], vec![1, 2, 3], vec![2, 0, 3]];
    /// assert!((Shape::polyhedron(&corners, &faces)?.mass.volume - 1.0 / 6.0).abs() < 1e-15);
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn polyhedron(corners: &[DVec3], faces: &[Vec<u32>]) -> Result<Self> {
        let mesh = polygons(corners, faces)?;
        let size = mesh.bounds().max - mesh.bounds().min;
        let rough = ROUGH * size.length();
        let is_convex = faces.iter().all(|face| {
            let up = newell(corners, face);
            let from = corners[face[0] as usize];
            corners.iter().all(|c| up.dot(*c - from) <= rough)
        });
        if !is_convex {
            return Self::from_mesh(&mesh);
        }
        // Bent polygons are two facets or cut themselves once they are triangles; those of a convex
        // block are flat, up to rounding.
        let piece = Polytope::rough_hull(&mesh.vertices, rough)?;
        let is_bent = piece.facets().len() != Polytope::hull(&mesh.vertices)?.facets().len();
        match is_bent || mesh.check_closed().is_err() {
            true => Ok(Self::of_rough(piece, rough)),
            false => Self::from_mesh(&mesh),
        }
    }

    /// A convex piece whose corners are known up to a tolerance.
    fn of_rough(piece: Polytope, rough: f64) -> Self {
        let at = |k: u32| piece.corners()[k as usize];
        let triangles: Vec<[DVec3; 3]> =
            piece.facets().iter().flat_map(|facet| facet.fan()).map(|t| t.map(at)).collect();
        let mesh = Mesh::from_triangles(&triangles);
        Self::of_mesh(sharp(vec![piece]), mesh, Partition::Rounded(rough))
    }

    /// Pieces in space with this surface around them.
    pub(super) fn of_mesh(pieces: Vec<Piece>, mesh: Mesh, partition: Partition) -> Self {
        let mass = MassProperties::of_mesh(&mesh);
        Self::from_written(pieces, mass, Surface::Mesh(mesh), partition, false)
    }
}

/// Pieces without rounding.
pub(super) fn sharp(polytopes: Vec<Polytope>) -> Vec<Piece> {
    polytopes.into_iter().map(|core| Piece::new(Core::Polytope(core), 0.0)).collect()
}

/// An error unless this is a positive length.
pub(super) fn check_length(name: &str, length: f64) -> Result<()> {
    match length.is_finite() && length > 0.0 {
        true => Ok(()),
        false => Err(Problem::new(format!("{name} is {length}")).help("it is a positive length")),
    }
}

/// What is convex up to this part of its size is taken for convex: files of drawings are rounded to
/// single precision or a few digits.
const ROUGH: f64 = 1e-6;

/// Whether no point is above a face by more than a tolerance.
fn is_below([a, b, c]: [DVec3; 3], points: &[DVec3], tolerance: f64) -> bool {
    let up = unit((b - a).cross(c - a));
    points.iter().all(|p| up.dot(*p - a) <= tolerance)
}

/// The unit normal of a polygon that may be bent [Newell].
fn newell(corners: &[DVec3], face: &[u32]) -> DVec3 {
    let at = |k: usize| corners[face[k % face.len()] as usize] - corners[face[0] as usize];
    unit((0..face.len()).map(|k| at(k).cross(at(k + 1))).sum())
}

/// Polygons as triangles: ears are cut off, those with the widest angle at their narrowest corner first.
fn polygons(corners: &[DVec3], faces: &[Vec<u32>]) -> Result<Mesh> {
    let mut triangles = Vec::new();
    for (number, face) in faces.iter().enumerate() {
        let is_known = |k: &u32| (*k as usize) < corners.len();
        if face.len() < 3 || !face.iter().all(is_known) {
            let message = format!("face {number} (counted from 0) is no polygon of the corners");
            return Err(Problem::new(message)
                .help("a face has three or more numbers of corners, which are counted from 0"));
        }
        let up = newell(corners, face);
        let at = |k: u32| corners[k as usize];
        let mut left = face.clone();
        while left.len() > 3 {
            let count = left.len();
            let ear = |k: usize| [left[(k + count - 1) % count], left[k], left[(k + 1) % count]];
            let quality = |k: usize| {
                let [a, b, c] = ear(k).map(at);
                let area = up.dot((b - a).cross(c - a));
                let inside = |p: DVec3| {
                    let sides = [[a, b], [b, c], [c, a]];
                    sides.iter().all(|[p0, p1]| up.dot((*p1 - *p0).cross(p - *p0)) >= 0.0)
                };
                let others = left.iter().filter(|p| !ear(k).contains(p));
                let is_free = area > 0.0 && !others.copied().map(at).any(inside);
                let longest = (b - a).length().max((c - b).length()).max((a - c).length());
                if is_free { area / (longest * longest) } else { f64::NEG_INFINITY }
            };
            let best = (0..count).max_by(|a, b| quality(*a).total_cmp(&quality(*b)).then(b.cmp(a)));
            let best = best.unwrap_or(0);
            triangles.push(ear(best).map(at));
            left.remove(best);
        }
        triangles.push([left[0], left[1], left[2]].map(at));
    }
    Ok(Mesh::from_triangles(&triangles))
}

/// Whether no vertex is above any face: exact.
fn is_convex(mesh: &Mesh) -> bool {
    mesh.corners().all(|face| mesh.vertices.iter().all(|v| side_of_plane(face, *v) >= 0.0))
}

/// The surface of a prism: its walls, and its convex pieces as bottom and lid.
fn prism_surface(outline: &Outline, pieces: &[Polytope], height: f64) -> Mesh {
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
        let prism = Shape::prism(&ELL, &[hole], 3.0).unwrap();
        assert!((prism.mass.volume - 3.0 * 11.75).abs() < 1e-12);
        let sum: f64 = prism.pieces.iter().map(|piece| piece.mass(3).volume).sum();
        assert!((sum - prism.mass.volume).abs() < 1e-12);
        assert_eq!(prism.partition, Partition::Exact);
    }

    #[test]
    fn a_convex_mesh_is_one_exact_piece() {
        let ball = Mesh::profile(&[[-1.0, 0.0], [-0.5, 0.8], [0.5, 0.8], [1.0, 0.0]], 5);
        let shape = Shape::from_mesh(&ball).unwrap();
        assert_eq!((shape.pieces.len(), shape.partition), (1, Partition::Exact));
        assert!((shape.mass.volume - ball.volume()).abs() < 1e-14);
    }

    #[test]
    fn other_meshes_are_cut_or_taken_by_their_faces() {
        let neck = [[0.0, 1.0], [1.0, 0.5], [2.0, 1.0]];
        let cut = Shape::from_mesh(&Mesh::profile(&neck, 8)).unwrap();
        assert!(matches!(cut.partition, Partition::Rounded(error) if error < 1e-13));
        let rich = Mesh::profile(&neck, 400);
        let faces = Shape::from_mesh(&rich).unwrap();
        assert_eq!(
            (faces.pieces.len(), faces.partition),
            (rich.triangles.len(), Partition::Surface)
        );
    }

    #[test]
    fn bad_shapes_are_named() {
        let mut open = Mesh::cuboid(DVec3::ZERO, DVec3::ONE);
        open.triangles.pop();
        assert!(Shape::from_mesh(&open).unwrap_err().message.contains("open"));
        let size = DVec3::new(1.0, 0.0, 1.0);
        assert!(
            Shape::cuboid(size).unwrap_err().message.contains("the size of the box is [1, 0, 1]")
        );
        assert!(Shape::prism(&ELL, &[], f64::NAN).unwrap_err().message.contains("NaN"));
        assert!(Shape::polygon(&ELL[..2], &[]).unwrap_err().message.contains("2 corners"));
    }

    #[test]
    fn round_shapes_weigh_what_the_textbook_says() {
        let capsule = Shape::capsule(1.0, 0.0).unwrap();
        assert!((capsule.mass.volume - Shape::ball(1.0).mass.volume).abs() < 1e-14);
        let cylinder = Shape::cylinder(2.0, 3.0).unwrap();
        assert!((cylinder.mass.volume - 12.0 * std::f64::consts::PI).abs() < 1e-13);
        let message = Shape::cylinder(2.0, -3.0).unwrap_err().message;
        assert_eq!(message, "the length of the cylinder is -3");
        assert!(Shape::capsule(f64::NAN, 1.0).unwrap_err().message.contains("NaN"));
    }

    #[test]
    fn boxes_are_recognised_however_they_are_written() {
        let corners = Mesh::cuboid(DVec3::ONE, DVec3::new(2.0, 4.0, 7.0)).vertices;
        let hull = Shape::hull(&corners).unwrap();
        assert_eq!(hull.origin, DVec3::new(-1.5, -2.5, -4.0));
        let half = DVec3::new(0.5, 1.5, 3.0);
        let is_box = |shape: &Shape| match &shape.pieces[0].core {
            Core::Polytope(core) => core.half_size() == Some(half),
            _ => false,
        };
        assert!(is_box(&hull) && is_box(&Shape::cuboid(2.0 * half).unwrap()));
    }
}
