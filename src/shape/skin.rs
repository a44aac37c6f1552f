//! Shapes as triangles, for pictures and files: round parts get a stated number
//! of sides, and all corners lie on the true surface, so that what the triangles
//! of a convex piece enclose belongs to the piece.

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, TAU};

use super::facet::unit;
use super::{Core, Mesh, Piece, Polytope, Shape, Surface};
use crate::math::{DQuat, DVec3};

/// Sides around what is round, unless others are asked for: balls, capsules, cylinders, discs.
pub const ROUND_SIDES: usize = 32;

/// How finely round parts are divided.
#[derive(Clone, Copy)]
struct Fineness {
    /// Around what is round.
    sides: usize,
    /// From the equator of a ball to its pole.
    upwards: usize,
    /// Across a rounded edge, and along each side of a rounded corner.
    edge_steps: usize,
}

impl Fineness {
    /// Steps of about the same angle everywhere.
    fn of(sides: usize) -> Fineness {
        let sides = sides.max(3);
        Fineness { sides, upwards: (sides / 4).max(1), edge_steps: (sides / 8).max(1) }
    }
}

impl Shape {
    /// The surface with its rounding as triangles, counter-clockwise seen from outside; of a
    /// figure of the plane, its inside, seen from above. Balls, capsules and cylinders get
    /// [`ROUND_SIDES`] sides. A shape with rounding, or with round pieces, is drawn piece by piece,
    /// including what lies inside of its other pieces.
    ///
    /// ```
    /// use riprap::{math::DVec3, shape::Shape};
    /// assert_eq!(Shape::cuboid(DVec3::ONE)?.triangles().len(), 12);
    /// let rounded = Shape::cuboid(DVec3::ONE)?.rounded(0.1).mesh();
    /// assert!(rounded.check_closed().is_ok() && rounded.volume() < 1.2_f64.powi(3));
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn triangles(&self) -> Vec<[DVec3; 3]> {
        self.triangles_with(ROUND_SIDES)
    }

    /// The triangles of [`Shape::triangles`] with so many sides around what is round, at least
    /// three. Corners of polytopes without rounding stay where they are, however few.
    pub fn triangles_with(&self, sides: usize) -> Vec<[DVec3; 3]> {
        let fine = Fineness::of(sides);
        if self.flat {
            return self.pieces.iter().flat_map(|piece| fan(&outline(piece, fine))).collect();
        }
        match &self.surface {
            Surface::Mesh(mesh) if self.pieces.iter().all(|piece| piece.radius == 0.0) => {
                mesh.corners().collect()
            }
            _ => {
                let of_piece = |piece: &Piece| piece.mesh_with(fine).corners().collect::<Vec<_>>();
                self.pieces.iter().flat_map(of_piece).collect()
            }
        }
    }

    /// The triangles of [`Shape::triangles`] over shared vertices.
    pub fn mesh(&self) -> Mesh {
        Mesh::from_triangles(&self.triangles())
    }
}

impl Piece {
    /// The surface of the piece with its rounding, in the frame of the body: closed, but for
    /// a rounded triangle, which is drawn as its two sides and a capsule along each edge. Of a
    /// polygon of the plane, nothing.
    pub fn mesh(&self) -> Mesh {
        self.mesh_with(Fineness::of(ROUND_SIDES))
    }

    fn mesh_with(&self, fine: Fineness) -> Mesh {
        let r = self.radius;
        let mut mesh = match &self.core {
            Core::Point => turned_profile(0.0, 0.0, r, fine),
            Core::Segment { half } => turned_profile(0.0, *half, r, fine),
            Core::Cylinder { radius, half } => turned_profile(*radius, *half, r, fine),
            Core::Arc { radius, half } => bent(*radius, *half, r, fine),
            Core::Polytope(core) if r == 0.0 => core.mesh(),
            Core::Polytope(core) if core.corners().len() > 3 => rounded(core, r, fine.edge_steps),
            Core::Polytope(core) => rounded_edges(core, r, fine),
        };
        for vertex in &mut mesh.vertices {
            *vertex = self.turn * *vertex + self.at;
        }
        mesh
    }
}

/// Everything within `r` of a cylinder about z (or of a segment, or of a point).
fn turned_profile(radius: f64, half: f64, r: f64, fine: Fineness) -> Mesh {
    let Fineness { sides, upwards, .. } = fine;
    if r == 0.0 {
        return Mesh::profile(&[[-half, radius], [half, radius]], sides);
    }
    let quarter = |k: usize| {
        let (sin, cos) = (FRAC_PI_2 * k as f64 / upwards as f64).sin_cos();
        // The pole is a point: its cosine is zero, and not what rounding makes of it.
        [r * sin, radius + if k == upwards { 0.0 } else { r * cos }]
    };
    let lower = (0..=upwards).rev().map(|k| [-half - quarter(k)[0], quarter(k)[1]]);
    let upper = (0..=upwards).map(|k| [half + quarter(k)[0], quarter(k)[1]]);
    let mut profile: Vec<[f64; 2]> = lower.chain(upper).collect();
    profile.dedup();
    Mesh::profile(&profile, sides)
}

/// Everything within `r` of an arc: a capsule along z, bent.
fn bent(radius: f64, half: f64, r: f64, fine: Fineness) -> Mesh {
    let Fineness { sides, upwards, .. } = fine;
    let (length, steps) = (radius * half, ((half * sides as f64 / TAU).ceil() as usize).max(1));
    let cap = |k: usize| {
        let (sin, cos) = (FRAC_PI_2 * k as f64 / upwards as f64).sin_cos();
        [length + r * sin, if k == upwards { 0.0 } else { r * cos }]
    };
    let lower = (1..=upwards).rev().map(|k| [-cap(k)[0], cap(k)[1]]);
    let middle = (0..=2 * steps).map(|k| [length * (k as f64 / steps as f64 - 1.0), r]);
    let profile: Vec<[f64; 2]> = lower.chain(middle).chain((1..=upwards).map(cap)).collect();
    let mut mesh = Mesh::profile(&profile, sides);
    for vertex in &mut mesh.vertices {
        let along = vertex.z.clamp(-length, length);
        let straight = DVec3::new(radius + vertex.y, vertex.z - along, vertex.x);
        *vertex = DQuat::from_rotation_z(along / radius) * straight;
    }
    mesh
}

/// Everything within `r` of a polyhedron: its facets moved out, strips of cylinders along its
/// edges, parts of balls at its corners. Neighbours use the same sums of normals, so their
/// vertices are equal to the last bit and the surface is closed.
fn rounded(core: &Polytope, r: f64, edge_steps: usize) -> Mesh {
    let (corners, facets) = (core.corners(), core.facets());
    let out = |corner: u32, towards: DVec3| corners[corner as usize] + r * unit(towards);
    let steps = edge_steps as f64;
    let sides = facets.iter().enumerate();
    let left_of: BTreeMap<[u32; 2], usize> =
        sides.flat_map(|(index, facet)| facet.sides().map(move |side| (side, index))).collect();
    let mut triangles = Vec::new();
    for facet in facets {
        triangles.extend(facet.fan().map(|t| t.map(|k| out(k, facet.normal * steps))));
    }
    for &[a, b] in core.edges() {
        let (Some(&left), Some(&right)) = (left_of.get(&[a, b]), left_of.get(&[b, a])) else {
            continue;
        };
        let between = |k: usize| {
            facets[left].normal * (edge_steps - k) as f64 + facets[right].normal * k as f64
        };
        for k in 0..edge_steps {
            let [p, q] = [between(k), between(k + 1)];
            triangles
                .extend([[out(a, p), out(a, q), out(b, q)], [out(a, p), out(b, q), out(b, p)]]);
        }
    }
    for corner in 0..corners.len() as u32 {
        for towards in fan(&normals_around(core, &left_of, corner)) {
            triangles
                .extend(split(towards, edge_steps).into_iter().map(|t| t.map(|n| out(corner, n))));
        }
    }
    triangles.retain(|[a, b, c]| a != b && b != c && c != a);
    Mesh::from_triangles(&triangles)
}

/// The normals of the facets at a corner, counter-clockwise seen from outside.
fn normals_around(core: &Polytope, left_of: &BTreeMap<[u32; 2], usize>, corner: u32) -> Vec<DVec3> {
    let facets = core.facets();
    let next =
        |facet: usize| facets[facet].sides().find(|side| side[0] == corner).map(|side| side[1]);
    let mut normals = Vec::new();
    let start = facets.iter().position(|facet| facet.corners.contains(&corner));
    let mut at = start;
    while let Some(facet) = at {
        normals.push(facets[facet].normal);
        // Across the edge that leaves the corner lies the neighbour, clockwise.
        at = next(facet).and_then(|to| left_of.get(&[to, corner]).copied());
        if at == start || normals.len() > facets.len() {
            break;
        }
    }
    normals.reverse();
    normals
}

/// A triangle as many small ones, its sides cut into `n`; all corners multiplied by
/// that number, as only their directions count.
fn split([a, b, c]: [DVec3; 3], n: usize) -> Vec<[DVec3; 3]> {
    let at = |i: usize, j: usize| a * (n - i - j) as f64 + b * i as f64 + c * j as f64;
    let mut triangles = Vec::with_capacity(n * n);
    for i in 0..n {
        for j in 0..n - i {
            triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
            if i + j + 1 < n {
                triangles.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
    triangles
}

/// Everything within `r` of a triangle, a segment or a point.
fn rounded_edges(core: &Polytope, r: f64, fine: Fineness) -> Mesh {
    let corners = core.corners();
    let mut triangles = Vec::new();
    for facet in core.facets() {
        let moved = |k: u32| corners[k as usize] + r * facet.normal;
        triangles.extend(facet.fan().map(|t| t.map(moved)));
    }
    let ends = core.edges().iter().map(|edge| edge.map(|k| corners[k as usize]));
    let single = (corners.len() == 1).then(|| [corners[0]; 2]);
    for [a, b] in ends.chain(single) {
        let turn = DQuat::from_rotation_arc(DVec3::Z, (b - a).try_normalize().unwrap_or(DVec3::Z));
        let capsule = turned_profile(0.0, 0.5 * a.distance(b), r, fine);
        let middle = 0.5 * (a + b);
        triangles.extend(capsule.corners().map(|t| t.map(|c| turn * c + middle)));
    }
    Mesh::from_triangles(&triangles)
}

/// The outline of a figure of the plane with its rounding, counter-clockwise.
fn outline(piece: &Piece, fine: Fineness) -> Vec<DVec3> {
    let (r, Fineness { sides, edge_steps, .. }) = (piece.radius, fine);
    let Core::Polytope(core) = &piece.core else {
        let corner = |k: usize| {
            let (sin, cos) = (TAU * k as f64 / sides as f64).sin_cos();
            piece.at + r * DVec3::new(cos, sin, 0.0)
        };
        return (0..sides).map(corner).collect();
    };
    let core = core.placed(piece.at, piece.turn);
    if r == 0.0 {
        return core.corners().to_vec();
    }
    let (facets, count) = (core.facets(), core.facets().len());
    let arc = |k: usize| {
        let [before, after] = [(k + count - 1) % count, k].map(|k| facets[k].normal);
        let corner = core.corners()[facets[k].corners[0] as usize];
        (0..=edge_steps)
            .map(move |j| corner + r * unit(before * (edge_steps - j) as f64 + after * j as f64))
    };
    (0..count).flat_map(arc).collect()
}

/// A convex polygon as triangles.
fn fan(corners: &[DVec3]) -> Vec<[DVec3; 3]> {
    let rest = corners.get(1..).unwrap_or_default();
    rest.windows(2).map(|pair| [corners[0], pair[0], pair[1]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use proptest::prelude::*;
    use std::f64::consts::PI;

    /// Closed, outwards, and a little smaller than what it stands for.
    #[test]
    fn round_pieces_are_closed_and_nearly_filled() {
        for piece in [
            Piece::new(Core::Point, 1.5),
            Piece::new(Core::Segment { half: 2.0 }, 0.5),
            Piece::new(Core::Cylinder { radius: 1.0, half: 2.0 }, 0.0),
            Piece::new(Core::Arc { radius: 2.0, half: 0.7 }, 0.5),
        ] {
            let piece = piece.moved(DVec3::ONE, DQuat::from_rotation_x(0.4));
            let mesh = piece.mesh();
            mesh.check_closed().unwrap();
            // What is above the angle of an arc weighs, and its ends do not.
            let is_arc = matches!(piece.core, Core::Arc { .. });
            let ends = if is_arc { 4.0 / 3.0 * PI * piece.radius.powi(3) } else { 0.0 };
            let (volume, whole) = (mesh.volume(), piece.mass(3).volume + ends);
            assert!(volume <= whole && volume > 0.97 * whole, "{volume} {whole}");
        }
    }

    /// Steiner: volume + area r + (sum of edge lengths x outer angles) r^2 / 2 + 4/3 pi r^3.
    #[test]
    fn a_rounded_box_is_as_large_as_steiner_says() {
        let mesh = Shape::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap().rounded(0.5).mesh();
        mesh.check_closed().unwrap();
        let whole = 6.0 + 22.0 * 0.5 + 24.0 * 0.25 * PI * 0.25 + 4.0 / 3.0 * PI * 0.125;
        assert!(mesh.volume() < whole && mesh.volume() > 0.99 * whole, "{}", mesh.volume());
        let cylinder = Shape::cylinder(1.0, 2.0).unwrap().rounded(0.25).mesh();
        cylinder.check_closed().unwrap();
        let bounds = cylinder.bounds();
        assert!((bounds.size() - DVec3::new(2.5, 2.5, 2.5)).length() < 1e-12);
    }

    #[test]
    fn flat_figures_show_their_inside() {
        let area = |shape: &Shape| {
            let cross = |[a, b, c]: [DVec3; 3]| 0.5 * (b - a).cross(c - a).z;
            shape.triangles().into_iter().map(cross).sum::<f64>()
        };
        let square =
            Shape::polygon(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]], &[]).unwrap();
        assert!((area(&square) - 4.0).abs() < 1e-14);
        let whole = 4.0 + 8.0 * 0.5 + PI * 0.25;
        let rounded = area(&square.rounded(0.5));
        assert!(rounded < whole && rounded > 0.99 * whole, "{rounded}");
        assert!((area(&Shape::disc(1.0)) / PI - 1.0).abs() < 0.01);
    }

    #[test]
    fn rounded_faces_reach_as_far_as_they_should() {
        let triangle = Polytope::triangle([DVec3::ZERO, DVec3::X, DVec3::Y]);
        let mesh = Piece::new(Core::Polytope(triangle), 0.5).mesh();
        let bounds = mesh.bounds();
        assert!((bounds.max - DVec3::new(1.5, 1.5, 0.5)).length() < 1e-2, "{bounds:?}");
        let ball = Piece::new(Core::Polytope(Polytope::point(DVec3::X)), 0.5).mesh();
        assert!(ball.check_closed().is_ok());
    }

    /// Coarser round parts still lie inside of the true ones; what is not round stays as it is.
    #[test]
    fn fewer_sides_make_fewer_triangles_of_what_is_round_only() {
        let cuboid = Shape::cuboid(DVec3::ONE).unwrap();
        assert_eq!(cuboid.triangles_with(8), cuboid.triangles());
        let ring = Shape::round_torus(1.0, 0.3, 24).unwrap();
        let ball = Shape::ball(1.0);
        for round in [ball, ring, cuboid.rounded(0.2), Shape::cylinder(1.0, 2.0).unwrap()] {
            let counts = [8, 16, 32].map(|sides| round.triangles_with(sides).len());
            assert!(counts[0] < counts[1] && counts[1] < counts[2], "{counts:?}");
            let volumes =
                [8, 16, 32].map(|n| Mesh::from_triangles(&round.triangles_with(n)).volume());
            assert!(volumes[0] < volumes[1] && volumes[1] < volumes[2], "{volumes:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        /// Whatever the hull, the rounded one is closed and within its radius.
        #[test]
        fn rounded_hulls_are_closed(seed: u64, count in 4..16_usize, r in 0.01..1.0) {
            let random = &mut Random::new(seed);
            let mut number = || random.between(-1.0, 1.0);
            let points: Vec<DVec3> =
                (0..count).map(|_| DVec3::new(number(), number(), number())).collect();
            let hull = Polytope::hull(&points).unwrap();
            let mesh = Piece::new(Core::Polytope(hull.clone()), r).mesh();
            prop_assert!(mesh.volume() > hull.mass().volume);
            for vertex in &mesh.vertices {
                let apart = crate::shape::closest(&Polytope::point(*vertex), &hull, DVec3::ZERO);
                prop_assert!((apart.room - r).abs() < 1e-9, "{}", apart.room);
            }
            let mut sides = BTreeMap::new();
            for [a, b, c] in &mesh.triangles {
                for side in [[a, b], [b, c], [c, a]] {
                    *sides.entry(side).or_insert(0) += 1;
                }
            }
            let paired = sides.iter().all(|([a, b], n)| *n == 1 && sides.contains_key(&[*b, *a]));
            prop_assert!(paired);
        }
    }
}
