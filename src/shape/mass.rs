//! Volume, centre and inertia, exact up to the rounding of a compensated sum:
//! polygons by their edges, polyhedra by their triangles, for density 1.

use super::Mesh;
use crate::math::{DMat3, DVec3, exact_sum};

/// What a shape weighs and how it turns, for density 1. In 2D the volume is an
/// area, and the inertia about the z axis is `inertia.z_axis.z`.
///
/// ```
/// use riprap::{math::DVec3, shape::{Mass, Mesh}};
/// let cube = Mass::of_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::splat(2.0)));
/// assert_eq!((cube.volume, cube.centre), (8.0, DVec3::ONE));
/// assert!((cube.inertia.x_axis.x - 8.0 * 8.0 / 12.0).abs() < 1e-13);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass {
    pub volume: f64,
    pub centre: DVec3,
    /// About the centre.
    pub inertia: DMat3,
}

impl Mass {
    /// Of a shape without volume.
    pub const NOTHING: Mass = Mass { volume: 0.0, centre: DVec3::ZERO, inertia: DMat3::ZERO };

    /// A ball.
    pub fn of_ball(radius: f64) -> Self {
        let volume = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        let inertia = DMat3::from_diagonal(DVec3::splat(0.4 * volume * radius * radius));
        Mass { volume, centre: DVec3::ZERO, inertia }
    }

    /// A polygon given by closed loops of corners: outlines counter-clockwise, holes clockwise.
    pub fn of_loops<'a>(loops: impl IntoIterator<Item = &'a [[f64; 2]]>) -> Self {
        let loops: Vec<&[[f64; 2]]> = loops.into_iter().collect();
        let Some(origin) = loops.iter().find_map(|corners| corners.first()) else {
            return Mass::NOTHING;
        };
        let origin = DVec3::new(origin[0], origin[1], 0.0);
        let at = |[x, y]: [f64; 2]| DVec3::new(x, y, 0.0) - origin;
        let fans = loops.iter().flat_map(|corners| {
            let n = corners.len();
            (0..n).map(move |k| [at(corners[k]), at(corners[(k + 1) % n])])
        });
        // Each edge makes a triangle with the origin.
        let parts = fans.map(|[a, b]| Part {
            volume: 0.5 * a.cross(b).z,
            corners: [DVec3::ZERO, a, b, DVec3::ZERO],
            count: 3.0,
        });
        sum(origin, &parts.collect::<Vec<_>>())
    }

    /// A solid with this surface.
    pub fn of_mesh(mesh: &Mesh) -> Self {
        // Heights over a point of the mesh lose fewer digits than heights over the origin.
        let origin = mesh.vertices.first().copied().unwrap_or_default();
        let parts = mesh.corners().map(|corners| {
            let [a, b, c] = corners.map(|corner| corner - origin);
            Part { volume: a.dot(b.cross(c)) / 6.0, corners: [DVec3::ZERO, a, b, c], count: 4.0 }
        });
        sum(origin, &parts.collect::<Vec<_>>())
    }
}

/// A signed triangle or tetrahedron with a corner at the origin.
struct Part {
    volume: f64,
    corners: [DVec3; 4],
    /// 3 or 4 corners; an unused one is 0.
    count: f64,
}

impl Part {
    /// The integral of `x_i x_j` over the simplex: `V / (n (n + 1)) (S_i S_j + sum_k c_k,i c_k,j)`
    /// with n corners c_k and their sum S.
    fn second_moment(&self, i: usize, j: usize) -> f64 {
        let total: DVec3 = self.corners.iter().sum();
        let own: f64 = self.corners.iter().map(|c| c[i] * c[j]).sum();
        self.volume / (self.count * (self.count + 1.0)) * (total[i] * total[j] + own)
    }
}

fn sum(origin: DVec3, parts: &[Part]) -> Mass {
    let volume = exact_sum(parts.iter().map(|part| part.volume));
    if volume == 0.0 {
        return Mass { volume, centre: origin, inertia: DMat3::ZERO };
    }
    let first = |axis: usize| {
        let moments = parts
            .iter()
            .map(|part| part.volume * part.corners.iter().sum::<DVec3>()[axis] / part.count);
        exact_sum(moments) / volume
    };
    let centre = DVec3::new(first(0), first(1), first(2));
    let second = |i: usize, j: usize| {
        exact_sum(parts.iter().map(|part| part.second_moment(i, j)))
            - volume * centre[i] * centre[j]
    };
    let [xx, yy, zz] = [second(0, 0), second(1, 1), second(2, 2)];
    let [xy, xz, yz] = [-second(0, 1), -second(0, 2), -second(1, 2)];
    let inertia = DMat3::from_cols(
        DVec3::new(yy + zz, xy, xz),
        DVec3::new(xy, xx + zz, yz),
        DVec3::new(xz, yz, xx + yy),
    );
    Mass { volume, centre: origin + centre, inertia }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn assert_near(found: DMat3, expected: DMat3, tolerance: f64) {
        let difference = found - expected;
        let largest = [difference.x_axis, difference.y_axis, difference.z_axis]
            .map(|column| column.abs().max_element());
        assert!(largest.iter().all(|x| *x < tolerance), "{found} instead of {expected}");
    }

    #[test]
    fn a_rectangle_with_a_hole() {
        let outer = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [0.0, 2.0]];
        let hole = [[1.0, 0.5], [1.0, 1.5], [2.0, 1.5], [2.0, 0.5]];
        let mass = Mass::of_loops([&outer[..], &hole[..]]);
        assert!((mass.volume - 7.0).abs() < 1e-14);
        assert!((mass.centre.x - (8.0 * 2.0 - 1.5) / 7.0).abs() < 1e-14);
        assert!((mass.centre.y - 1.0).abs() < 1e-14);
        let about = |m: f64, w: f64, h: f64, x: f64| {
            m * (w * w + h * h) / 12.0 + m * (x - mass.centre.x).powi(2)
        };
        let expected = about(8.0, 4.0, 2.0, 2.0) - about(1.0, 1.0, 1.0, 1.5);
        assert!((mass.inertia.z_axis.z - expected).abs() < 1e-13);
    }

    #[test]
    fn nothing_weighs_nothing() {
        assert_eq!(Mass::of_loops([]), Mass::NOTHING);
        assert_eq!(Mass::of_mesh(&Mesh::default()), Mass::NOTHING);
    }

    #[test]
    fn a_regular_tetrahedron() {
        let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]]
            .map(DVec3::from);
        let mass = super::super::Convex::hull(&corners).unwrap().mass();
        // Edge a = sqrt 8: volume a^3 / (6 sqrt 2), inertia m a^2 / 20.
        assert!((mass.volume - 8.0 / 3.0).abs() < 1e-14);
        assert!(mass.centre.length() < 1e-15);
        assert_near(
            mass.inertia,
            DMat3::from_diagonal(DVec3::splat(8.0 / 3.0 * 8.0 / 20.0)),
            1e-14,
        );
    }

    proptest! {
        /// Inertia about the centre does not depend on the place.
        #[test]
        fn a_box_far_away(x in -1e4..1e4, y in -1e4..1e4, z in -1e4..1e4) {
            let (corner, size) = (DVec3::new(x, y, z), DVec3::new(1.0, 2.0, 3.0));
            let mass = Mass::of_mesh(&Mesh::cuboid(corner, corner + size));
            prop_assert!((mass.volume - 6.0).abs() < 1e-9);
            prop_assert!(mass.centre.distance(corner + 0.5 * size) < 1e-10);
            assert_near(mass.inertia, DMat3::from_diagonal(DVec3::new(6.5, 5.0, 2.5)), 1e-9);
        }
    }
}
