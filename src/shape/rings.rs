//! Rings about z of convex sections: tori, and hollow cylinders (Raschig rings).

use std::f64::consts::{PI, TAU};

use super::arc;
use super::forms::{check_length, sharp};
use super::{Core, MassProperties, Mesh, Partition, Piece, Polytope, Shape, Surface};
use crate::math::{DQuat, DVec3};
use crate::problem::{Problem, Result};

/// A ring has from so many to so many sections.
const MOST_COARSE: usize = 6;
const MOST_FINE: usize = 64;
/// The tube of a torus of polytopes is a prism with so many sides.
const TUBE_SIDES: usize = 8;

impl Shape {
    /// A torus about z: `ring` is the radius of the circle that the tube's middle runs along,
    /// `tube` the tube's own; `pieces` (6 to 64) convex sections, each a hull over octagons
    /// inscribed in the tube.
    pub fn torus(ring: f64, tube: f64, pieces: usize) -> Result<Self> {
        check_torus(ring, tube)?;
        let around = |j: usize| {
            let (sin, cos) = (TAU * j as f64 / TUBE_SIDES as f64).sin_cos();
            [ring + tube * cos, tube * sin]
        };
        revolved(&(0..TUBE_SIDES).map(around).collect::<Vec<_>>(), pieces)
    }

    /// As [`Shape::torus`], of capsules end to end: the tube is round, and contacts are cheap,
    /// but the capsules overlap in their half balls, where they weigh twice.
    pub fn round_torus(ring: f64, tube: f64, pieces: usize) -> Result<Self> {
        check_torus(ring, tube)?;
        let count = pieces.clamp(MOST_COARSE, MOST_FINE);
        let step = TAU / count as f64;
        let half = ring * (0.5 * step).sin();
        let piece = |k: usize| {
            let round = DQuat::from_rotation_z((k as f64 + 0.5) * step);
            Piece {
                at: round * DVec3::X * (ring * (0.5 * step).cos()),
                turn: round * DQuat::from_rotation_x(0.5 * PI),
                ..Piece::new(Core::Segment { half }, tube)
            }
        };
        let pieces: Vec<Piece> = (0..count).map(piece).collect();
        let masses: Vec<MassProperties> = pieces.iter().map(|piece| piece.mass(3)).collect();
        let mass = MassProperties::sum(&masses);
        Ok(Self::from_written(pieces, mass, Surface::Round, Partition::Exact, false))
    }

    /// As [`Shape::torus`], of arcs of the circle: a torus to the last bit, with the mass of one.
    /// Only dynamics takes it; `pieces` is how many contacts it has with a floor on which it lies.
    ///
    /// ```
    /// use riprap::shape::Shape;
    /// let torus = Shape::arc_torus(1.0, 0.25, 16)?;
    /// let volume = 2.0 * (0.25 * std::f64::consts::PI).powi(2);
    /// assert!((torus.mass.volume - volume).abs() < 1e-12);
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn arc_torus(ring: f64, tube: f64, pieces: usize) -> Result<Self> {
        check_torus(ring, tube)?;
        let count = pieces.clamp(MOST_COARSE, MOST_FINE);
        let half = PI / count as f64;
        let piece = |k: usize| Piece {
            turn: DQuat::from_rotation_z((2 * k + 1) as f64 * half),
            ..Piece::new(Core::Arc { radius: ring, half }, tube)
        };
        let pieces: Vec<Piece> = (0..count).map(piece).collect();
        // The whole circle: its moments are those of the arcs, without their rounding.
        let mut mass = arc::mass(ring, tube, PI);
        mass.centre = DVec3::ZERO;
        Ok(Self::from_written(pieces, mass, Surface::Round, Partition::Exact, false))
    }

    /// A hollow cylinder about z of these radii, made of `pieces` (6 to 64) convex sectors. Both
    /// circles become polygons with their corners on them, so that outside and in the hole a
    /// surface lies up to `outer * (1 - cos(pi / pieces))` closer to the axis than the cylinder's:
    /// 1.4 % of the outer radius with 19 pieces, 0.12 % with 64.
    ///
    /// ```
    /// use riprap::shape::Shape;
    /// let raschig = Shape::ring(1.0, 0.8, 2.0, 64)?;
    /// assert_eq!(raschig.pieces.len(), 64);
    /// assert!((raschig.mass.volume / (2.0 * 0.36 * std::f64::consts::PI) - 1.0).abs() < 0.002);
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn ring(outer: f64, inner: f64, length: f64, pieces: usize) -> Result<Self> {
        if !(inner > 0.0 && inner < outer && outer.is_finite()) {
            let message = format!("a ring of radius {outer:?} has a hole of radius {inner:?}");
            return Err(Problem::new(message).help("0 < inner < outer"));
        }
        check_length("the length of the ring", length)?;
        let half = 0.5 * length;
        revolved(&[[inner, -half], [outer, -half], [outer, half], [inner, half]], pieces)
    }
}

fn check_torus(ring: f64, tube: f64) -> Result<()> {
    match tube > 0.0 && tube < ring && ring.is_finite() {
        true => Ok(()),
        false => {
            let message = format!("a torus of radius {ring:?} has a tube of radius {tube:?}");
            Err(Problem::new(message).help("0 < tube < radius"))
        }
    }
}

/// A convex section (radius and z of its corners, counter-clockwise seen against the way it
/// goes) carried about z in so many straight pieces.
fn revolved(section: &[[f64; 2]], pieces: usize) -> Result<Shape> {
    let count = pieces.clamp(MOST_COARSE, MOST_FINE);
    let at = |k: usize, j: usize| {
        let [radius, z] = section[j % section.len()];
        let (sin, cos) = (TAU * (k % count) as f64 / count as f64).sin_cos();
        DVec3::new(radius * cos, radius * sin, z)
    };
    let piece = |k: usize| {
        let corners = (0..section.len()).flat_map(|j| [at(k, j), at(k + 1, j)]);
        Polytope::hull(&corners.collect::<Vec<_>>())
    };
    let cores = (0..count).map(piece).collect::<Result<Vec<_>>>()?;
    let mut triangles = Vec::new();
    for k in 0..count {
        for j in 0..section.len() {
            let [a, b, c, d] = [at(k, j), at(k + 1, j), at(k + 1, j + 1), at(k, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    // The sides between two sections are flat only up to rounding.
    let reach = section.iter().map(|[radius, z]| radius.hypot(*z)).fold(0.0, f64::max);
    let mesh = Mesh::from_triangles(&triangles);
    Ok(Shape::of_mesh(sharp(cores), mesh, Partition::rounding(reach)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_whole(shape: &Shape) {
        let Surface::Mesh(mesh) = &shape.surface else { panic!("a ring of polytopes is a mesh") };
        assert_eq!(mesh.check_closed(), Ok(()));
        let sum: f64 = shape.pieces.iter().map(|piece| piece.mass(3).volume).sum();
        assert!((sum - shape.mass.volume).abs() < 1e-12 * sum && sum > 0.0, "{sum}");
        assert_eq!(shape.origin, DVec3::ZERO);
    }

    /// Pappus' theorem, less what an octagon and a polygon of chords leave out.
    #[test]
    fn a_torus_is_nearly_as_large_as_pappus_says() {
        let torus = Shape::torus(1.0, 0.3, 24).unwrap();
        assert_whole(&torus);
        let octagon = 4.0 * (TAU / 8.0).sin();
        let volume = torus.mass.volume;
        assert!((volume / (TAU * octagon * 0.09) - 1.0).abs() < 0.02, "{volume}");
        let message = Shape::torus(1.0, 1.0, 24).unwrap_err().message;
        assert!(message.contains("tube of radius 1.0"));
    }

    #[test]
    fn a_ring_is_a_polygon_with_a_hole_drawn_out() {
        let ring = Shape::ring(2.0, 1.0, 3.0, 12).unwrap();
        assert_whole(&ring);
        let area = 0.5 * 12.0 * (TAU / 12.0).sin() * (4.0 - 1.0);
        assert!((ring.mass.volume - 3.0 * area).abs() < 1e-12);
        assert!(ring.pieces.iter().all(|piece| piece.polytope().facets().len() == 6));
        assert!(Shape::ring(1.0, 1.0, 3.0, 12).unwrap_err().message.contains("hole of radius 1.0"));
        assert!(Shape::ring(2.0, 1.0, 0.0, 12).unwrap_err().message.contains("length of the ring"));
    }

    #[test]
    fn the_capsules_of_a_round_torus_meet_on_the_circle() {
        let torus = Shape::round_torus(1.0, 0.3, 12).unwrap();
        let ends = |k: usize| torus.pieces[k % 12].polytope().corners().to_vec();
        for k in 0..12 {
            assert!(
                ends(k).iter().all(|at| (at.length() - 1.0).abs() < 1e-12 && at.z.abs() < 1e-12)
            );
            let next = ends(k + 1);
            let meets = ends(k).iter().any(|a| next.iter().any(|b| (*a - *b).length() < 1e-12));
            assert!(meets, "{k}");
        }
    }
}
