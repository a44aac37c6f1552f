//! Convex bricks: polygons in 2D, polyhedra in 3D, with their exact mass
//! properties. Both are corners and flat faces; a face of a polygon is an edge.

use crate::math::{DMat3, DQuat, DVec3};
use crate::problem::{Problem, Result};
use crate::shape::check_polygon;

/// Corners may leave a face's plane by this fraction of the brick's size:
/// rounding of coordinates, nothing a person means.
const FLAT: f64 = 1e-9;

/// A convex polygon (in the x-y plane) or polyhedron.
#[derive(Clone, Debug, PartialEq)]
pub struct Brick {
    corners: Vec<DVec3>,
    faces: Vec<BrickFace>,
    /// Pairs of corners; in 2D the same as the faces.
    edges: Vec<[u32; 2]>,
}

/// A flat side: its corners counter-clockwise from outside (in 2D the edge's
/// two ends), and the unit vector that points out of the brick.
#[derive(Clone, Debug, PartialEq)]
pub struct BrickFace {
    pub corners: Vec<u32>,
    pub normal: DVec3,
}

/// Area or volume, centre of mass, and inertia about it at density one (in 2D
/// only the entry about z counts).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    pub measure: f64,
    pub centre: DVec3,
    pub inertia: DMat3,
}

impl Brick {
    /// A convex polygon from its corners, counter-clockwise.
    ///
    /// ```
    /// use riprap::shape::Brick;
    /// let triangle = Brick::polygon(&[[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])?;
    /// assert_eq!(triangle.moments().measure, 4.5);
    /// let dented = Brick::polygon(&[[0.0, 0.0], [4.0, 0.0], [1.0, 1.0], [0.0, 4.0]]);
    /// assert_eq!(dented.unwrap_err().message, "the polygon is not convex: it is dented at corner 2, [1.0, 1.0]");
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn polygon(corners: &[[f64; 2]]) -> Result<Brick> {
        check_polygon(corners)?;
        let corners: Vec<DVec3> = corners.iter().map(|&[x, y]| DVec3::new(x, y, 0.0)).collect();
        let count = corners.len();
        for at in 0..count {
            let (before, here) = (corners[(at + count - 1) % count], corners[at]);
            let (one, two) = (here - before, corners[(at + 1) % count] - here);
            if one.cross(two).z <= 0.0 {
                let message = format!(
                    "the polygon is not convex: it is dented at corner {at}, {:?}",
                    [here.x, here.y]
                );
                let help = "leave out corners on straight edges; make a dented body of several convex pieces";
                return Err(Problem::new(message).help(help));
            }
        }
        let edges: Vec<[u32; 2]> =
            (0..count).map(|at| [at as u32, ((at + 1) % count) as u32]).collect();
        let faces = edges.iter().map(|edge| {
            let along = corners[edge[1] as usize] - corners[edge[0] as usize];
            let normal = DVec3::new(along.y, -along.x, 0.0).normalize();
            BrickFace { corners: edge.to_vec(), normal }
        });
        Ok(Brick { faces: faces.collect(), corners, edges })
    }

    /// A rectangle about the origin.
    pub fn rectangle(width: f64, height: f64) -> Result<Brick> {
        let (x, y) = (0.5 * width, 0.5 * height);
        Brick::polygon(&[[-x, -y], [x, -y], [x, y], [-x, y]])
    }

    /// A box about the origin.
    pub fn cuboid(size: DVec3) -> Result<Brick> {
        let corner = |k: usize| {
            let sign = |bit: usize| if k >> bit & 1 == 1 { 0.5 } else { -0.5 };
            size * DVec3::new(sign(0), sign(1), sign(2))
        };
        let sides =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        Brick::polyhedron((0..8).map(corner).collect(), sides.iter().map(|s| s.to_vec()).collect())
    }

    /// A convex polyhedron from its corners and its faces, each a list of
    /// corners counter-clockwise as seen from outside.
    pub fn polyhedron(corners: Vec<DVec3>, faces: Vec<Vec<u32>>) -> Result<Brick> {
        let known =
            |face: &Vec<u32>| face.len() > 2 && face.iter().all(|&c| (c as usize) < corners.len());
        if faces.len() < 4 || !faces.iter().all(known) || !corners.iter().all(|c| c.is_finite()) {
            return Err(Problem::new(
                "the polyhedron is not made of four or more faces over finite corners",
            )
            .help("each face lists at least three corners, by number"));
        }
        let size = corners.iter().fold(0.0_f64, |m, c| m.max((*c - corners[0]).length()));
        let mut out = Vec::with_capacity(faces.len());
        for (number, face) in faces.into_iter().enumerate() {
            let first = corners[face[0] as usize];
            let fan = face[1..].windows(2).map(|pair| {
                (corners[pair[0] as usize] - first).cross(corners[pair[1] as usize] - first)
            });
            let area: DVec3 = fan.sum();
            let has_area = area.length() > FLAT * size * size;
            if !has_area {
                return Err(Problem::new(format!("face {number} of the polyhedron has no area")));
            }
            let normal = area.normalize();
            if let Some(corner) = corners.iter().position(|c| normal.dot(*c - first) > FLAT * size)
            {
                let message = format!(
                    "the polyhedron is not convex, or face {number} is inside out: corner {corner} lies outside of it"
                );
                return Err(Problem::new(message)
                    .help("faces run counter-clockwise seen from outside; make a dented body of several convex pieces"));
            }
            out.push(BrickFace { corners: face, normal });
        }
        let edges = polyhedron_edges(&out)?;
        Ok(Brick { corners, faces: out, edges })
    }

    pub fn corners(&self) -> &[DVec3] {
        &self.corners
    }

    pub fn faces(&self) -> &[BrickFace] {
        &self.faces
    }

    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    pub fn is_polygon(&self) -> bool {
        self.faces[0].corners.len() == 2
    }

    /// The same brick turned about the origin and then moved.
    pub fn placed(&self, position: DVec3, rotation: DQuat) -> Brick {
        let mut placed = self.clone();
        placed.place(self, position, rotation);
        placed
    }

    /// As [`Brick::placed`], into a copy made before.
    pub fn place(&mut self, from: &Brick, position: DVec3, rotation: DQuat) {
        for (corner, c) in self.corners.iter_mut().zip(&from.corners) {
            *corner = rotation * *c + position;
        }
        for (face, f) in self.faces.iter_mut().zip(&from.faces) {
            face.normal = rotation * f.normal;
        }
    }

    /// The same corners and faces, the normals computed again from them.
    pub fn renewed(mut self) -> Brick {
        for face in &mut self.faces {
            let corner = |k: usize| self.corners[face.corners[k] as usize];
            let along = corner(1) - corner(0);
            let area = match face.corners.len() {
                2 => DVec3::new(along.y, -along.x, 0.0),
                n => (1..n - 1)
                    .map(|k| (corner(k) - corner(0)).cross(corner(k + 1) - corner(0)))
                    .sum(),
            };
            face.normal = area.normalize();
        }
        self
    }

    /// The least value of `direction . corner`.
    pub fn least_along(&self, direction: DVec3) -> f64 {
        self.corners.iter().map(|c| direction.dot(*c)).fold(f64::INFINITY, f64::min)
    }

    /// Area or volume, centre and inertia, exactly up to rounding.
    pub fn moments(&self) -> Moments {
        let origin = self.corners[0];
        let (mut measure, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        // Simplices with a common corner; the sum of a simplex's corners and their
        // products gives its moments exactly.
        let mut add = |volume: f64, corners: &[DVec3]| {
            let n = corners.len() as f64 + 1.0; // the common corner is the origin
            let sum: DVec3 = corners.iter().sum();
            measure += volume;
            first += volume / n * sum;
            let squares: DMat3 =
                corners.iter().map(|c| outer(*c, *c)).fold(outer(sum, sum), |m, s| m + s);
            second += squares * (volume / (n * (n + 1.0)));
        };
        for face in &self.faces {
            let corner = |k: usize| self.corners[face.corners[k] as usize] - origin;
            if face.corners.len() == 2 {
                let (a, b) = (corner(0), corner(1));
                add(0.5 * a.cross(b).z, &[a, b]);
            } else {
                for k in 1..face.corners.len() - 1 {
                    let (a, b, c) = (corner(0), corner(k), corner(k + 1));
                    add(a.dot(b.cross(c)) / 6.0, &[a, b, c]);
                }
            }
        }
        let centre = first / measure;
        let about = second - outer(centre, centre) * measure;
        let trace = about.x_axis.x + about.y_axis.y + about.z_axis.z;
        Moments {
            measure,
            centre: centre + origin,
            inertia: DMat3::from_diagonal(DVec3::splat(trace)) - about,
        }
    }
}

impl Moments {
    /// Of a body made of several pieces.
    pub fn sum(pieces: &[Moments]) -> Moments {
        let measure: f64 = pieces.iter().map(|p| p.measure).sum();
        let centre = pieces.iter().map(|p| p.centre * p.measure).sum::<DVec3>() / measure;
        let inertia = pieces.iter().map(|p| {
            let r = p.centre - centre;
            let away = DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer(r, r);
            p.inertia + away * p.measure
        });
        Moments { measure, centre, inertia: inertia.fold(DMat3::ZERO, |sum, i| sum + i) }
    }
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Every edge once; an error unless each belongs to exactly two faces.
fn polyhedron_edges(faces: &[BrickFace]) -> Result<Vec<[u32; 2]>> {
    let mut sides: Vec<([u32; 2], bool)> = Vec::new();
    for face in faces {
        let next = face.corners.iter().cycle().skip(1);
        sides.extend(face.corners.iter().zip(next).map(|(&a, &b)| ([a.min(b), a.max(b)], a < b)));
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
    Ok(sides.chunks_exact(2).map(|pair| pair[0].0).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_box_has_the_inertia_of_the_textbook() {
        let size = DVec3::new(1.0, 2.0, 3.0);
        let moments = Brick::cuboid(size).unwrap().moments();
        assert!((moments.measure - 6.0).abs() < 1e-14 && moments.centre.length() < 1e-15);
        let expected = DVec3::new(13.0, 10.0, 5.0) / 2.0;
        assert!((moments.inertia * DVec3::ONE - expected).length() < 1e-14);
        let flat = Brick::rectangle(1.0, 0.4).unwrap().moments();
        assert!((flat.inertia.z_axis.z - 0.4 * (1.0 + 0.16) / 12.0).abs() < 1e-16);
    }

    #[test]
    fn a_box_of_two_halves_is_a_box() {
        let half = Brick::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap();
        let at = |x: f64| half.placed(DVec3::new(x, 0.0, 0.0), DQuat::IDENTITY).moments();
        let whole = Brick::cuboid(DVec3::new(2.0, 2.0, 3.0)).unwrap().moments();
        let sum = Moments::sum(&[at(-0.5), at(0.5)]);
        assert!((sum.measure - whole.measure).abs() < 1e-14);
        assert!(sum.inertia.abs_diff_eq(whole.inertia, 1e-13));
    }

    #[test]
    fn what_is_no_brick_is_refused() {
        let message = |corners: &[[f64; 2]]| Brick::polygon(corners).unwrap_err().message;
        assert_eq!(message(&[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), "the polygon is clockwise");
        let straight = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [1.0, 1.0]];
        assert!(message(&straight).contains("not convex: it is dented at corner 1"));
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let faces = vec![vec![0, 2, 1], vec![0, 1, 3], vec![0, 3, 2], vec![1, 2, 3]];
        assert!(Brick::polyhedron(corners.clone(), faces.clone()).is_ok());
        let refused = |change: &dyn Fn(&mut Vec<Vec<u32>>)| {
            let mut faces = faces.clone();
            change(&mut faces);
            Brick::polyhedron(corners.clone(), faces).unwrap_err().message
        };
        assert!(refused(&|f| f[0].reverse()).contains("face 0 is inside out"));
        assert!(refused(&|f| f[1] = f[0].clone()).contains("do not close it"));
        assert!(refused(&|f| f[1] = vec![0, 1, 9]).contains("over finite corners"));
        assert!(refused(&|f| f[1] = vec![0, 1, 0]).contains("has no area"));
    }

    proptest! {
        /// Moving a brick moves its centre and turns its inertia, no more.
        #[test]
        fn moments_move_with_the_brick(x in -3.0..3.0, y in -3.0..3.0, z in -3.0..3.0, angle in -3.0..3.0) {
            let brick = Brick::cuboid(DVec3::new(1.0, 0.5, 0.25)).unwrap();
            let turn = DQuat::from_scaled_axis(DVec3::new(angle, 1.0, -0.5 * angle));
            let at = DVec3::new(x, y, z);
            let (here, there) = (brick.moments(), brick.placed(at, turn).moments());
            let turned = DMat3::from_quat(turn) * here.inertia * DMat3::from_quat(turn).transpose();
            prop_assert!((there.centre - at).length() < 1e-13);
            prop_assert!((there.measure - here.measure).abs() < 1e-14);
            prop_assert!(there.inertia.abs_diff_eq(turned, 1e-13));
        }
    }
}
