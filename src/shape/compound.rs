//! Several shapes that move as one.

use super::{MassProperties, Mesh, Partition, Piece, Shape, Surface};
use crate::math::{DQuat, DVec3};
use crate::problem::{Problem, Result};

impl Shape {
    /// Shapes that move as one, each turned about the origin that its author wrote and then moved.
    /// Where they overlap, they weigh twice.
    ///
    /// ```
    /// use riprap::{math::{DQuat, DVec3}, shape::Shape};
    /// let (head, stem) = (Shape::ball(1.0), Shape::cylinder(0.5, 4.0)?);
    /// let pin = Shape::compound(vec![
    ///     (head, DVec3::new(0.0, 0.0, 3.0), DQuat::IDENTITY),
    ///     (stem, DVec3::ZERO, DQuat::IDENTITY),
    /// ])?;
    /// assert_eq!((pin.pieces.len(), pin.mass.centre), (2, DVec3::ZERO));
    /// assert!(pin.origin.z < -1.5);
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn compound(parts: Vec<(Shape, DVec3, DQuat)>) -> Result<Self> {
        let Some(flat) = parts.first().map(|(shape, ..)| shape.flat) else {
            return Err(Problem::new("a compound has no parts").help("it needs at least one"));
        };
        if parts.iter().any(|(shape, ..)| shape.flat != flat) {
            return Err(Problem::new("a compound has flat and solid parts")
                .help("all parts are figures of the plane, or none is"));
        }
        let mut pieces = Vec::new();
        let mut masses = Vec::new();
        let mut surfaces = Vec::new();
        let mut partition = Partition::Exact;
        for (shape, at, turn) in parts {
            let shift = at - turn * shape.origin;
            let own = match turn == DQuat::IDENTITY {
                true => shape.partition,
                false => shape.partition.with(Partition::rounding(shape.radius() + shift.length())),
            };
            partition = partition.with(own);
            masses.push(shape.mass.turned(turn).moved(shift));
            surfaces.push(shape.surface.mapped(|point| turn * point + shift));
            pieces.extend(shape.pieces.into_iter().map(|piece: Piece| piece.moved(shift, turn)));
        }
        let mass = MassProperties::sum(&masses);
        Ok(Self::from_written(pieces, mass, together(surfaces), partition, flat))
    }
}

/// Meshes stay meshes; all else is told by the pieces.
fn together(mut surfaces: Vec<Surface>) -> Surface {
    if surfaces.len() == 1 {
        return surfaces.remove(0);
    }
    let mut whole = Mesh::default();
    for surface in surfaces {
        let Surface::Mesh(mesh) = surface else { return Surface::Round };
        let start = whole.vertices.len() as u32;
        whole.vertices.extend(mesh.vertices);
        whole.triangles.extend(mesh.triangles.iter().map(|t| t.map(|k| k + start)));
    }
    Surface::Mesh(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Core;
    use proptest::prelude::*;

    #[test]
    fn two_halves_are_a_whole() {
        let half = Shape::cuboid(DVec3::ONE).unwrap();
        let at = |x: f64| (half.clone(), DVec3::new(x, 2.0, 0.0), DQuat::IDENTITY);
        let both = Shape::compound(vec![at(1.0), at(2.0)]).unwrap();
        let whole = Shape::cuboid(DVec3::new(2.0, 1.0, 1.0)).unwrap();
        assert_eq!((both.mass, both.bounds()), (whole.mass, whole.bounds()));
        assert_eq!((both.origin, both.partition), (DVec3::new(-1.5, -2.0, 0.0), Partition::Exact));
        let is_box = |piece: &Piece| matches!(&piece.core, Core::Polytope(core) if core.half_size().is_some());
        assert!(both.pieces.iter().all(is_box));
    }

    #[test]
    fn what_is_no_compound_is_named() {
        assert!(Shape::compound(vec![]).unwrap_err().message.contains("no parts"));
        let parts = [Shape::ball(1.0), Shape::disc(1.0)];
        let parts = parts.map(|shape| (shape, DVec3::ZERO, DQuat::IDENTITY));
        assert!(Shape::compound(parts.to_vec()).unwrap_err().message.contains("flat and solid"));
    }

    proptest! {
        /// A part goes where its written origin is put, even if its centre is elsewhere.
        #[test]
        fn a_compound_of_one_is_the_one_placed(x in -3.0..3.0, y in -3.0..3.0, angle in -3.0..3.0) {
            let corners = [[5.0, 5.0], [7.0, 5.0], [7.0, 6.0], [5.0, 9.0]];
            let (one, turn) = (Shape::polygon(&corners, &[]).unwrap(), DQuat::from_rotation_z(angle));
            let at = DVec3::new(x, y, 0.0);
            let placed = Shape::compound(vec![(one.clone(), at, turn)]).unwrap();
            let found = placed.pieces[0].polytope();
            for corner in corners {
                let expected = turn * DVec3::new(corner[0], corner[1], 0.0) + at + placed.origin;
                let near = found.corners().iter().any(|c| c.distance(expected) < 1e-12);
                prop_assert!(near);
            }
            prop_assert!(placed.mass.inertia.abs_diff_eq(one.mass.turned(turn).inertia, 1e-10));
        }
    }
}
