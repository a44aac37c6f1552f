//! Volume, centre and inertia, exact up to the rounding of a compensated sum:
//! polygons by their edges, polyhedra by their triangles, for density 1.

use std::f64::consts::{PI, TAU};

use serde::{Deserialize, Serialize};

use super::Mesh;
use crate::math::{DMat3, DQuat, DVec3, exact_sum};

/// What a shape weighs and how it turns, for density 1. In 2D the volume is an
/// area, and the inertia about the z axis is `inertia.z_axis.z`.
///
/// ```
/// use riprap::{math::DVec3, shape::{MassProperties, Mesh}};
/// let cube = MassProperties::of_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::splat(2.0)));
/// assert_eq!((cube.volume, cube.centre), (8.0, DVec3::ONE));
/// assert!((cube.inertia.x_axis.x - 8.0 * 8.0 / 12.0).abs() < 1e-13);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MassProperties {
    /// In 2D, the area.
    pub volume: f64,
    /// The centre of mass.
    pub centre: DVec3,
    /// About the centre, along the axes of the coordinates.
    pub inertia: DMat3,
}

impl MassProperties {
    /// Of a shape without volume.
    pub const NOTHING: MassProperties =
        MassProperties { volume: 0.0, centre: DVec3::ZERO, inertia: DMat3::ZERO };

    /// A ball about the origin.
    pub fn of_ball(radius: f64) -> Self {
        let volume = 4.0 / 3.0 * PI * radius.powi(3);
        Self::about_axes(volume, DVec3::splat(0.4 * volume * radius * radius))
    }

    /// A disc about the origin of the plane.
    pub fn of_disc(radius: f64) -> Self {
        let area = PI * radius * radius;
        let across = 0.25 * area * radius * radius;
        Self::about_axes(area, DVec3::new(across, across, 2.0 * across))
    }

    /// A box about the origin.
    pub fn of_box(size: DVec3) -> Self {
        let (volume, square) = (size.x * size.y * size.z, size * size);
        let about = DVec3::new(square.y + square.z, square.x + square.z, square.x + square.y);
        Self::about_axes(volume, about * (volume / 12.0))
    }

    /// A cylinder about z, from `-half` to `half`.
    pub fn of_cylinder(radius: f64, half: f64) -> Self {
        let volume = TAU * radius * radius * half;
        let across = volume * (radius * radius / 4.0 + half * half / 3.0);
        Self::about_axes(volume, DVec3::new(across, across, volume * radius * radius / 2.0))
    }

    /// A cylinder along z, from `-half` to `half`, with a half ball at each end.
    pub fn of_capsule(radius: f64, half: f64) -> Self {
        let (square, tube) = (radius * radius, TAU * radius * radius * half);
        let ends = Self::of_ball(radius).volume;
        let along = tube * square / 2.0 + ends * 0.4 * square;
        let shift = half * half + 0.75 * half * radius;
        let across = tube * (square / 4.0 + half * half / 3.0) + ends * (0.4 * square + shift);
        Self::about_axes(tube + ends, DVec3::new(across, across, along))
    }

    fn about_axes(volume: f64, about: DVec3) -> Self {
        let inertia = DMat3::from_diagonal(about);
        MassProperties { volume, centre: DVec3::ZERO, inertia }
    }

    /// A polygon given by closed loops of corners: outlines counter-clockwise, holes clockwise.
    pub fn of_loops<'a>(loops: impl IntoIterator<Item = &'a [[f64; 2]]>) -> Self {
        let loops: Vec<&[[f64; 2]]> = loops.into_iter().collect();
        let Some(origin) = loops.iter().find_map(|corners| corners.first()) else {
            return MassProperties::NOTHING;
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

    /// Several bodies as one; where they overlap, they weigh twice.
    ///
    /// ```
    /// use riprap::{math::DVec3, shape::MassProperties};
    /// let half = MassProperties::of_box(DVec3::ONE);
    /// let both = MassProperties::sum(&[half.moved(-0.5 * DVec3::X), half.moved(0.5 * DVec3::X)]);
    /// assert_eq!(both, MassProperties::of_box(DVec3::new(2.0, 1.0, 1.0)));
    /// ```
    pub fn sum(parts: &[MassProperties]) -> Self {
        let volume = exact_sum(parts.iter().map(|part| part.volume));
        if volume == 0.0 {
            return MassProperties::NOTHING;
        }
        let along =
            |axis: usize| exact_sum(parts.iter().map(|p| p.centre[axis] * p.volume)) / volume;
        let centre = DVec3::new(along(0), along(1), along(2));
        let about = |p: &MassProperties| {
            let r = p.centre - centre;
            let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
            let away = DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer;
            p.inertia + away * p.volume
        };
        let inertia = parts.iter().map(about).fold(DMat3::ZERO, |sum, part| sum + part);
        MassProperties { volume, centre, inertia }
    }

    /// The same body elsewhere.
    pub fn moved(self, by: DVec3) -> Self {
        MassProperties { centre: self.centre + by, ..self }
    }

    /// The same body turned about the origin.
    pub fn turned(self, rotation: DQuat) -> Self {
        let turn = DMat3::from_quat(rotation);
        MassProperties {
            volume: self.volume,
            centre: rotation * self.centre,
            inertia: turn * self.inertia * turn.transpose(),
        }
    }

    /// The same body, all lengths multiplied by a factor; a `flat` one has an area.
    pub(super) fn scaled(self, factor: f64, flat: bool) -> Self {
        let power = if flat { 2 } else { 3 };
        MassProperties {
            volume: self.volume * factor.powi(power),
            centre: self.centre * factor,
            inertia: self.inertia * factor.powi(power + 2),
        }
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

fn sum(origin: DVec3, parts: &[Part]) -> MassProperties {
    let volume = exact_sum(parts.iter().map(|part| part.volume));
    if volume == 0.0 {
        return MassProperties { volume, centre: origin, inertia: DMat3::ZERO };
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
    MassProperties { volume, centre: origin + centre, inertia }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Polytope;
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
        let mass = MassProperties::of_loops([&outer[..], &hole[..]]);
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
        assert_eq!(MassProperties::of_loops([]), MassProperties::NOTHING);
        assert_eq!(MassProperties::of_mesh(&Mesh::default()), MassProperties::NOTHING);
    }

    #[test]
    fn a_regular_tetrahedron() {
        let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]]
            .map(DVec3::from);
        let mass = Polytope::hull(&corners).unwrap().mass();
        // Edge a = sqrt 8: volume a^3 / (6 sqrt 2), inertia m a^2 / 20.
        assert!((mass.volume - 8.0 / 3.0).abs() < 1e-14);
        assert!(mass.centre.length() < 1e-15);
        assert_near(
            mass.inertia,
            DMat3::from_diagonal(DVec3::splat(8.0 / 3.0 * 8.0 / 20.0)),
            1e-14,
        );
    }

    #[test]
    fn a_box_has_the_inertia_of_the_textbook() {
        let size = DVec3::new(1.0, 2.0, 3.0);
        let whole = MassProperties::of_box(size);
        assert_eq!((whole.volume, whole.inertia * DVec3::ONE), (6.0, DVec3::new(6.5, 5.0, 2.5)));
        let half = MassProperties::of_box(DVec3::new(0.5, 2.0, 3.0));
        let sum = MassProperties::sum(&[half.moved(0.25 * DVec3::X), half.moved(-0.25 * DVec3::X)]);
        assert!((sum.volume - 6.0).abs() < 1e-14);
        assert_near(sum.inertia, whole.inertia, 1e-13);
        let flat = Polytope::rectangle(1.0, 0.4).unwrap().mass();
        assert!((flat.inertia.z_axis.z - 0.4 * (1.0 + 0.16) / 12.0).abs() < 1e-16);
    }

    #[test]
    fn discs_are_polygons_of_many_sides() {
        let corner = |k: usize| {
            let (sin, cos) = (TAU * k as f64 / 2000.0).sin_cos();
            [2.0 * cos, 2.0 * sin]
        };
        let corners: Vec<[f64; 2]> = (0..2000).map(corner).collect();
        let (disc, polygon) =
            (MassProperties::of_disc(2.0), MassProperties::of_loops([&corners[..]]));
        assert!((disc.volume - polygon.volume).abs() < 1e-4);
        assert_near(disc.inertia, polygon.inertia, 1e-4);
    }

    #[test]
    fn a_long_capsule_is_nearly_a_rod_and_a_short_one_a_ball() {
        let rod = MassProperties::of_capsule(0.01, 50.0);
        let expected = rod.volume * 100.0 * 100.0 / 12.0;
        assert!((rod.inertia.x_axis.x / expected - 1.0).abs() < 1e-3);
        let short = MassProperties::of_capsule(2.0, 1e-12);
        assert_near(short.inertia, MassProperties::of_ball(2.0).inertia, 1e-8);
    }

    proptest! {
        /// Moving a body moves its centre and turns its inertia, no more.
        #[test]
        fn mass_moves_with_the_body(x in -3.0..3.0, y in -3.0..3.0, z in -3.0..3.0, angle in -3.0..3.0) {
            let cuboid = Polytope::cuboid(DVec3::new(1.0, 0.5, 0.25)).unwrap();
            let turn = DQuat::from_scaled_axis(DVec3::new(angle, 1.0, -0.5 * angle));
            let at = DVec3::new(x, y, z);
            let (here, there) = (cuboid.mass(), cuboid.placed(at, turn).mass());
            let expected = here.turned(turn).moved(at);
            prop_assert!((there.centre - expected.centre).length() < 1e-13);
            prop_assert!((there.volume - expected.volume).abs() < 1e-14);
            assert_near(there.inertia, expected.inertia, 1e-13);
        }

        /// Inertia about the centre does not depend on the place.
        #[test]
        fn a_box_far_away(x in -1e4..1e4, y in -1e4..1e4, z in -1e4..1e4) {
            let (corner, size) = (DVec3::new(x, y, z), DVec3::new(1.0, 2.0, 3.0));
            let mass = MassProperties::of_mesh(&Mesh::cuboid(corner, corner + size));
            prop_assert!((mass.volume - 6.0).abs() < 1e-9);
            prop_assert!(mass.centre.distance(corner + 0.5 * size) < 1e-10);
            assert_near(mass.inertia, DMat3::from_diagonal(DVec3::new(6.5, 5.0, 2.5)), 1e-9);
        }
    }
}
