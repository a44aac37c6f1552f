//! Meshes that need no file: boxes, bodies of revolution and tubes. Those with
//! round sections are built from rings of corners, swept from one to the next.

use super::Mesh;
use crate::math::DVec3;
use std::f64::consts::TAU;

impl Mesh {
    /// The box between two opposite corners.
    pub fn cuboid(min: DVec3, max: DVec3) -> Mesh {
        // Bit 0 of a vertex number stands for x, bit 1 for y, bit 2 for z.
        let corner = |bits: u32| {
            DVec3::select(glam::BVec3::new(bits & 1 != 0, bits & 2 != 0, bits & 4 != 0), max, min)
        };
        let sides =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        Mesh {
            vertices: (0..8).map(corner).collect(),
            triangles: sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
        }
    }

    /// The body around the z axis with the given profile of `[z, radius]`
    /// corners, z ascending. Its sections are regular polygons inscribed in
    /// the circles, with the first corner at angle 0. A radius of 0 at an end
    /// makes a tip. Fewer than 2 corners or 3 sides make an empty mesh.
    ///
    /// ```
    /// use riprap::shape::Mesh;
    /// let cone = Mesh::profile(&[[0.0, 1.0], [3.0, 0.0]], 4);
    /// assert!((cone.volume() - 2.0).abs() < 1e-12); // a pyramid over a square of area 2
    /// ```
    pub fn profile(corners: &[[f64; 2]], sides: usize) -> Mesh {
        let ring = |&[z, radius]: &[f64; 2]| {
            let points = if radius == 0.0 { 1 } else { sides };
            circle(points, sides)
                .map(|(cos, sin)| DVec3::new(radius * cos, radius * sin, z))
                .collect()
        };
        let rings: Vec<Vec<DVec3>> = corners.iter().map(ring).collect();
        let [Some(first), Some(last)] = [corners.first(), corners.last()] else {
            return Mesh::default();
        };
        sweep(&rings, sides, [DVec3::Z * first[0], DVec3::Z * last[0]])
    }

    /// The body through closed rings of equally many corners, from the bottom
    /// up, counter-clockwise seen from above; its ends are closed by fans around
    /// their middles. Fewer than 2 rings or 3 corners make an empty mesh.
    ///
    /// ```
    /// use riprap::{math::DVec3, shape::Mesh};
    /// let square = |z: f64| [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]
    ///     .map(|[x, y]| DVec3::new(x, y, z)).to_vec();
    /// let cube = Mesh::loft(&[square(0.0), square(2.0)]);
    /// assert!(cube.check_closed().is_ok() && (cube.volume() - 8.0).abs() < 1e-12);
    /// ```
    pub fn loft(rings: &[Vec<DVec3>]) -> Mesh {
        let sides = rings.first().map_or(0, Vec::len);
        let [Some(first), Some(last)] = [rings.first(), rings.last()] else {
            return Mesh::default();
        };
        if rings.iter().any(|ring| ring.len() != sides) || sides < 3 {
            return Mesh::default();
        }
        let middle = |ring: &[DVec3]| ring.iter().sum::<DVec3>() / sides as f64;
        sweep(rings, sides, [middle(first), middle(last)])
    }

    /// A tube with flat ends along a polyline. Its sections are regular
    /// polygons inscribed in circles around the polyline, and carried along it
    /// without twist; at bends the straight pieces meet in a mitre. Where the
    /// bend is too sharp for the radius the tube cuts into itself, which
    /// [`check_closed`](Mesh::check_closed) finds. Fewer than 2 different
    /// points or 3 sides make an empty mesh.
    ///
    /// ```
    /// use riprap::{math::DVec3, shape::Mesh};
    /// let elbow = [DVec3::ZERO, 5.0 * DVec3::Z, 5.0 * (DVec3::Z + DVec3::X)];
    /// assert!(Mesh::tube(&elbow, 1.0, 16).check_closed().is_ok());
    /// ```
    pub fn tube(centreline: &[DVec3], radius: f64, sides: usize) -> Mesh {
        let mut centres = centreline.to_vec();
        centres.dedup();
        let directions: Vec<DVec3> =
            centres.windows(2).map(|ends| (ends[1] - ends[0]).normalize()).collect();
        let [Some(&first), Some(&last)] = [directions.first(), directions.last()] else {
            return Mesh::default();
        };

        let (right, up) = first.any_orthonormal_pair();
        let start: Vec<DVec3> = circle(sides, sides)
            .map(|(cos, sin)| centres[0] + radius * (cos * right + sin * up))
            .collect();
        let mut rings = vec![start];
        for (k, &direction) in directions.iter().enumerate() {
            let normal = direction + directions.get(k + 1).unwrap_or(&last);
            let advance = |&point: &DVec3| {
                point + direction * ((centres[k + 1] - point).dot(normal) / direction.dot(normal))
            };
            rings.push(rings[k].iter().map(advance).collect());
        }
        sweep(&rings, sides, [centres[0], centres[centres.len() - 1]])
    }
}

/// Cosine and sine of the first `points` corners of a regular polygon.
fn circle(points: usize, sides: usize) -> impl Iterator<Item = (f64, f64)> {
    (0..points).map(move |k| {
        let (sin, cos) = (TAU * k as f64 / sides as f64).sin_cos();
        (cos, sin)
    })
}

/// The closed surface through rings of `sides` points each, counter-clockwise
/// seen from the last ring, or of a single point (a tip). The ends are closed
/// by fans around the points `ends`.
fn sweep(rings: &[Vec<DVec3>], sides: usize, ends: [DVec3; 2]) -> Mesh {
    if rings.len() < 2 || sides < 3 {
        return Mesh::default();
    }
    let mut vertices = Vec::new();
    let mut numbers: Vec<Vec<u32>> = Vec::new();
    for ring in rings {
        let start = vertices.len();
        vertices.extend(ring);
        // A corner beyond the last is the first again, and a tip is every corner of its ring.
        numbers.push((0..=sides).map(|k| (start + k % ring.len()) as u32).collect());
    }
    let caps = [0, rings.len() - 1];
    let centres = [0, 1].map(|end| match numbers[caps[end]][..] {
        [tip, next, ..] if tip == next => tip,
        _ => {
            vertices.push(ends[end]);
            vertices.len() as u32 - 1
        }
    });

    let mut triangles = Vec::new();
    for pair in numbers.windows(2) {
        let (below, above) = (&pair[0], &pair[1]);
        for k in 0..sides {
            triangles.push([below[k], below[k + 1], above[k + 1]]);
            triangles.push([below[k], above[k + 1], above[k]]);
        }
    }
    let [bottom, top] = caps.map(|ring| &numbers[ring]);
    for k in 0..sides {
        triangles.push([centres[0], bottom[k + 1], bottom[k]]);
        triangles.push([centres[1], top[k], top[k + 1]]);
    }
    // At a tip, half of the band and the whole cap have shrunk to nothing.
    triangles.retain(|&[a, b, c]| a != b && b != c && c != a);
    Mesh { vertices, triangles }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The area of a regular polygon inscribed in a circle.
    fn polygon_area(radius: f64, sides: usize) -> f64 {
        0.5 * sides as f64 * radius * radius * (TAU / sides as f64).sin()
    }

    fn assert_close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{found}, not {expected}");
    }

    #[test]
    fn a_cuboid_has_its_exact_measures() {
        let cuboid = Mesh::cuboid(DVec3::new(-1.0, 0.0, 2.0), DVec3::new(2.0, 2.0, 7.0));
        assert_eq!((cuboid.volume(), cuboid.area()), (30.0, 62.0));
        assert_eq!(cuboid.check_closed(), Ok(()));
    }

    #[test]
    fn the_hourglass_of_the_paper_has_160_sides_in_the_known_order() {
        let corners = [[0.0, 8.0], [8.0, 8.0], [16.0, 2.0], [17.0, 2.0], [25.0, 8.0], [40.0, 8.0]];
        let hourglass = Mesh::profile(&corners, 32);
        assert_eq!((hourglass.vertices.len(), hourglass.triangles.len()), (194, 384));
        assert_eq!(hourglass.vertices[0], DVec3::new(8.0, 0.0, 0.0));
        assert_eq!(hourglass.vertices[64], DVec3::new(2.0, 0.0, 16.0));
        assert_eq!(hourglass.vertices[193], DVec3::new(0.0, 0.0, 40.0));
        assert_eq!(hourglass.triangles[..2], [[0, 1, 33], [0, 33, 32]]);
        assert_eq!(hourglass.triangles[62..64], [[31, 0, 32], [31, 32, 63]]);
        assert_eq!(hourglass.triangles[320..322], [[192, 1, 0], [193, 160, 161]]);
        let unit = polygon_area(1.0, 32);
        assert_close(
            hourglass.volume(),
            unit * (64.0 * 8.0 + 2.0 * 8.0 * 28.0 + 4.0 + 64.0 * 15.0),
        );
        assert_eq!(hourglass.check_closed(), Ok(()));
    }

    #[test]
    fn a_tip_has_one_vertex_and_no_degenerate_triangles() {
        let spindle = Mesh::profile(&[[0.0, 0.0], [1.0, 2.0], [4.0, 0.0]], 6);
        assert_eq!((spindle.vertices.len(), spindle.triangles.len()), (8, 12));
        assert_close(spindle.volume(), polygon_area(2.0, 6) * 4.0 / 3.0);
        assert_eq!(spindle.check_closed(), Ok(()));
    }

    #[test]
    fn a_straight_tube_is_a_profile() {
        let (bottom, top) = (DVec3::Z, 4.0 * DVec3::Z);
        let tube = Mesh::tube(&[bottom, bottom, top], 0.5, 7);
        let profile = Mesh::profile(&[[1.0, 0.5], [4.0, 0.5]], 7);
        assert_eq!(tube.triangles, profile.triangles);
        for (a, b) in tube.vertices.iter().zip(&profile.vertices) {
            assert!(a.distance(*b) < 1e-15);
        }
    }

    #[test]
    fn too_little_to_sweep_makes_an_empty_mesh() {
        let empty = Mesh::default();
        assert_eq!(Mesh::profile(&[], 8), empty);
        assert_eq!(Mesh::profile(&[[0.0, 1.0]], 8), empty);
        assert_eq!(Mesh::profile(&[[0.0, 1.0], [1.0, 1.0]], 2), empty);
        assert_eq!(Mesh::tube(&[], 1.0, 8), empty);
        assert_eq!(Mesh::tube(&[DVec3::ONE, DVec3::ONE], 1.0, 8), empty);
        assert_eq!(Mesh::tube(&[DVec3::ZERO, DVec3::ONE], 1.0, 0), empty);
    }

    #[test]
    fn too_sharp_a_bend_is_found_by_the_check() {
        let hairpin = [DVec3::ZERO, 5.0 * DVec3::Z, DVec3::new(0.5, 0.0, 0.0)];
        assert!(Mesh::tube(&hairpin, 1.0, 8).check_closed().is_err());
        let turned_back = [DVec3::ZERO, 5.0 * DVec3::Z, DVec3::Z];
        assert!(Mesh::tube(&turned_back, 1.0, 8).check_closed().is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn profiles_are_closed_and_have_the_volume_of_their_frusta(
            steps in prop::collection::vec((0.1..2.0, 0.2..3.0), 2..6), sides in 3..20usize,
        ) {
            let mut z = -3.0;
            let corners: Vec<[f64; 2]> =
                steps.iter().map(|(dz, radius)| { z += dz; [z, *radius] }).collect();
            let mesh = Mesh::profile(&corners, sides);
            prop_assert_eq!(mesh.check_closed(), Ok(()));
            let frustum = |pair: &[[f64; 2]]| {
                let ([z, r], [z_top, r_top]) = (pair[0], pair[1]);
                (z_top - z) * (r * r + r * r_top + r_top * r_top) / 3.0
            };
            let expected: f64 = corners.windows(2).map(frustum).sum();
            assert_close(mesh.volume(), polygon_area(1.0, sides) * expected);
        }

        /// A mitre takes from one piece what it gives to the other, so the
        /// volume is that of the straight tube.
        #[test]
        fn bent_tubes_are_closed_and_as_large_as_straight_ones(
            turns in prop::collection::vec([-0.5..0.5, -0.5..0.5], 1..6),
            radius in 0.1..1.0,
            sides in 3..16usize,
        ) {
            let mut centreline = vec![DVec3::ZERO, 5.0 * DVec3::Y];
            for [x, z] in turns {
                let end = centreline[centreline.len() - 1];
                centreline.push(end + 5.0 * DVec3::new(x, 1.0, z));
            }
            let mesh = Mesh::tube(&centreline, radius, sides);
            prop_assert_eq!(mesh.check_closed(), Ok(()));
            let length: f64 = centreline.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
            assert_close(mesh.volume(), length * polygon_area(radius, sides));
        }
    }
}
