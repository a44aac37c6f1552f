//! Polytopes as a person writes them: what is not convex is refused by name.

use std::f64::consts::TAU;

use super::meet::side_of_line;
use super::{Facet, Polytope, check_polygon};
use crate::math::DVec3;
use crate::problem::{Problem, Result, few_digits};

/// Corners may leave a face's plane by this fraction of the polyhedron's size:
/// rounding of coordinates, nothing a person means.
const FLAT: f64 = 1e-9;

impl Polytope {
    /// A convex polygon from its corners, counter-clockwise: refused if it is anything else.
    ///
    /// ```
    /// use riprap::shape::Polytope;
    /// let triangle = Polytope::convex_polygon(&[[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])?;
    /// assert_eq!(triangle.mass().volume, 4.5);
    /// let dented = Polytope::convex_polygon(&[[0.0, 0.0], [4.0, 0.0], [1.0, 1.0], [0.0, 4.0]]);
    /// assert_eq!(dented.unwrap_err().message, "the polygon is not convex: it is dented at corner 2, [1.0, 1.0]");
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn convex_polygon(corners: &[[f64; 2]]) -> Result<Self> {
        check_polygon(corners)?;
        let count = corners.len();
        let turns = |at: usize| {
            let [before, after] = [at + count - 1, at + 1].map(|k| corners[k % count]);
            side_of_line(before, corners[at], after) > 0.0
        };
        if let Some(at) = (0..count).find(|&at| !turns(at)) {
            let message = format!(
                "the polygon is not convex: it is dented at corner {at}, {:?}",
                corners[at].map(few_digits)
            );
            let help =
                "leave out corners on straight edges; make a dented body of several convex pieces";
            return Err(Problem::new(message).help(help));
        }
        Ok(Polytope::polygon(corners))
    }

    /// A rectangle about the origin.
    pub fn rectangle(width: f64, height: f64) -> Result<Self> {
        let (x, y) = (0.5 * width, 0.5 * height);
        Polytope::convex_polygon(&[[-x, -y], [x, -y], [x, y], [-x, y]])
    }

    /// A box about the origin.
    pub fn cuboid(size: DVec3) -> Result<Self> {
        if !(size.is_finite() && size.min_element() > 0.0) {
            return Err(Problem::new(format!("the size of the box is {size}"))
                .help("sizes are positive lengths"));
        }
        let corner = |k: usize| {
            let sign = |bit: usize| if k >> bit & 1 == 1 { 0.5 } else { -0.5 };
            size * DVec3::new(sign(0), sign(1), sign(2))
        };
        let corners: Vec<DVec3> = (0..8).map(corner).collect();
        let sides: [[u32; 4]; 6] =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let normals =
            [DVec3::NEG_X, DVec3::X, DVec3::NEG_Y, DVec3::Y, DVec3::NEG_Z, DVec3::Z].into_iter();
        let facet = |(side, normal): (&[u32; 4], _)| Facet { normal, corners: side[..].into() };
        Ok(Polytope::solid(corners, sides.iter().zip(normals).map(facet).collect()))
    }

    /// A prism about z from `-half` to `half`, over a regular polygon inscribed in a circle of
    /// this radius, with a corner at +x. It has at least three sides.
    ///
    /// ```
    /// use riprap::shape::Polytope;
    /// let prism = Polytope::prism(6, 1.0, 0.5);
    /// assert_eq!((prism.facets().len(), prism.edges().len()), (8, 18));
    /// assert!((prism.mass().volume - 1.5 * 3.0_f64.sqrt()).abs() < 1e-14);
    /// ```
    pub fn prism(sides: usize, radius: f64, half: f64) -> Self {
        let n = sides.max(3);
        let angles: Vec<f64> = (0..n).map(|k| TAU * k as f64 / n as f64).collect();
        Self::prism_over(&angles, radius, half)
    }

    /// The same over corners of a circle at ascending angles within one turn.
    pub(crate) fn prism_over(angles: &[f64], radius: f64, half: f64) -> Self {
        let n = angles.len();
        let around = |angle: f64| {
            let (sin, cos) = angle.sin_cos();
            DVec3::new(cos, sin, 0.0)
        };
        let ring = |z: f64| angles.iter().map(move |angle| radius * around(*angle) + z * DVec3::Z);
        let corners = ring(-half).chain(ring(half)).collect();
        let count = n as u32;
        let mut facets = vec![
            Facet { normal: DVec3::NEG_Z, corners: (0..count).rev().collect() },
            Facet { normal: DVec3::Z, corners: (count..2 * count).collect() },
        ];
        facets.extend((0..n).map(|k| {
            let (this, next) = (k as u32, ((k + 1) % n) as u32);
            let end = if k + 1 == n { angles[0] + TAU } else { angles[k + 1] };
            Facet {
                normal: around(0.5 * (angles[k] + end)),
                corners: [this, next, count + next, count + this].into(),
            }
        }));
        Polytope::solid(corners, facets)
    }

    /// A convex polyhedron from its corners and its faces, each a list of
    /// corners counter-clockwise as seen from outside.
    ///
    /// ```
    /// use riprap::{math::DVec3, shape::Polytope};
    /// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let faces = vec![vec![0, 2, 1], vec![0, 1, 3], vec![0, 3, 2], vec![1, 2, 3]];
    /// assert_eq!(Polytope::polyhedron(corners.clone(), faces.clone())?.edges().len(), 6);
    /// let open = Polytope::polyhedron(corners, vec![faces[0].clone(); 4]);
    /// assert_eq!(open.unwrap_err().message, "the faces of the polyhedron do not close it");
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn polyhedron(corners: Vec<DVec3>, faces: Vec<Vec<u32>>) -> Result<Self> {
        let known =
            |face: &Vec<u32>| face.len() > 2 && face.iter().all(|&c| (c as usize) < corners.len());
        if faces.len() < 4 || !faces.iter().all(known) || !corners.iter().all(|c| c.is_finite()) {
            return Err(Problem::new(
                "the polyhedron is not made of four or more faces over finite corners",
            )
            .help("each face lists at least three corners, by number"));
        }
        let size = corners.iter().fold(0.0_f64, |m, c| m.max((*c - corners[0]).length()));
        let facets = faces
            .into_iter()
            .enumerate()
            .map(|(number, face)| checked_facet(&corners, size, number, face))
            .collect::<Result<Vec<_>>>()?;
        check_edges(&facets)?;
        Ok(Polytope::solid(corners, facets))
    }
}

/// A face that has an area and no corner above it.
fn checked_facet(corners: &[DVec3], size: f64, number: usize, own: Vec<u32>) -> Result<Facet> {
    let first = corners[own[0] as usize];
    let fan = own[1..]
        .windows(2)
        .map(|pair| (corners[pair[0] as usize] - first).cross(corners[pair[1] as usize] - first));
    if fan.sum::<DVec3>().length() <= FLAT * size * size {
        return Err(Problem::new(format!("face {number} of the polyhedron has no area"))
            .help("a face has three corners that are not on one line"));
    }
    let facet = Facet::new(corners, own);
    let outside = corners.iter().position(|c| facet.normal.dot(*c - first) > FLAT * size);
    match outside {
        None => Ok(facet),
        Some(corner) => {
            let message = format!(
                "the polyhedron is not convex, or face {number} is inside out: corner {corner} lies outside of it"
            );
            Err(Problem::new(message)
                .help("faces run counter-clockwise seen from outside; make a dented body of several convex pieces"))
        }
    }
}

/// An error unless every edge belongs to exactly two facets.
fn check_edges(facets: &[Facet]) -> Result<()> {
    let mut sides: Vec<([u32; 2], bool)> = Vec::new();
    for facet in facets {
        sides.extend(facet.sides().map(|[a, b]| ([a.min(b), a.max(b)], a < b)));
    }
    sides.sort_unstable();
    let closed = sides.len().is_multiple_of(2)
        && sides.chunks_exact(2).all(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1)
        && sides.chunks_exact(2).zip(sides.chunks_exact(2).skip(1)).all(|(a, b)| a[0].0 != b[0].0);
    if !closed {
        return Err(Problem::new("the faces of the polyhedron do not close it").help(
            "every edge belongs to exactly two faces, which run along it in opposite directions",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_convex_is_refused() {
        let message = |corners: &[[f64; 2]]| Polytope::convex_polygon(corners).unwrap_err().message;
        assert_eq!(message(&[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), "the polygon is clockwise");
        let straight = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [1.0, 1.0]];
        assert!(message(&straight).contains("not convex: it is dented at corner 1"));
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let faces = vec![vec![0, 2, 1], vec![0, 1, 3], vec![0, 3, 2], vec![1, 2, 3]];
        assert!(Polytope::polyhedron(corners.clone(), faces.clone()).is_ok());
        let refused = |change: &dyn Fn(&mut Vec<Vec<u32>>)| {
            let mut faces = faces.clone();
            change(&mut faces);
            Polytope::polyhedron(corners.clone(), faces).unwrap_err().message
        };
        assert!(refused(&|f| f[0].reverse()).contains("face 0 is inside out"));
        assert!(refused(&|f| f[1] = f[0].clone()).contains("do not close it"));
        assert!(refused(&|f| f[1] = vec![0, 1, 9]).contains("over finite corners"));
        assert!(refused(&|f| f[1] = vec![0, 1, 0]).contains("has no area"));
    }

    #[test]
    fn normals_of_boxes_and_prisms_point_outwards() {
        let cuboid = Polytope::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap();
        for made in [cuboid, Polytope::prism(16, 2.0, 0.5)] {
            let count = made.corners().len() + made.facets().len();
            assert_eq!(count, made.edges().len() + 2);
            for facet in made.facets() {
                let own = Facet::new(made.corners(), facet.corners.clone());
                assert!((own.normal - facet.normal).length() < 1e-12);
                let height = facet.normal.dot(made.corners()[facet.corners[0] as usize]);
                assert!(made.support(facet.normal) < height + 1e-12);
            }
            assert!(made.mesh().check_closed().is_ok());
        }
    }
}
