//! Arcs of circles about z, from the angle `-half` to `half` about x: the middle
//! of a torus' tube.

use std::f64::consts::PI;

use super::MassProperties;
use crate::math::{DMat3, DVec3};

/// The point at an angle.
pub(crate) fn point(radius: f64, angle: f64) -> DVec3 {
    let (sin, cos) = angle.sin_cos();
    DVec3::new(radius * cos, radius * sin, 0.0)
}

/// The point that is farthest along a direction.
pub(crate) fn farthest(radius: f64, half: f64, direction: DVec3) -> DVec3 {
    let angle = direction.y.atan2(direction.x);
    // Beyond the ends, the nearer end; behind the back it is the nearer one, too.
    point(radius, angle.clamp(-half, half))
}

/// The part of a torus of density one between two half planes through z, the ends without
/// rounding [Pappus; moments of `s = radius + rho cos(phi)` over the disc of the tube].
pub(crate) fn mass(radius: f64, tube: f64, half: f64) -> MassProperties {
    let (disc, square) = (PI * tube * tube, tube * tube);
    let volume = 2.0 * half * disc * radius;
    let second = disc * (radius * radius + 0.25 * square);
    let third = disc * radius * (radius * radius + 0.75 * square);
    let centre = DVec3::X * (2.0 * half.sin() * second / volume);
    let (sin, cos) = half.sin_cos();
    // Of x^2, y^2 and z^2 about the middle of the circle.
    let x = third * (half + sin * cos) - volume * centre.x * centre.x;
    let y = third * (half - sin * cos);
    let z = 2.0 * half * disc * radius * 0.25 * square;
    let inertia = DMat3::from_diagonal(DVec3::new(y + z, x + z, x + y));
    MassProperties { volume, centre, inertia }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DQuat;
    use std::f64::consts::TAU;

    /// Arcs around the circle weigh what the torus does, whose closed forms are well known.
    #[test]
    fn arcs_weigh_what_the_torus_does() {
        let (radius, tube, count) = (0.7, 0.2, 7);
        let half = PI / count as f64;
        let part = |k: usize| {
            mass(radius, tube, half).turned(DQuat::from_rotation_z(2.0 * half * k as f64))
        };
        let torus = MassProperties::sum(&(0..count).map(part).collect::<Vec<_>>());
        let volume = TAU * radius * PI * tube * tube;
        let about = volume * (radius * radius + 0.75 * tube * tube);
        let across = volume * (0.5 * radius * radius + 0.625 * tube * tube);
        assert!((torus.volume - volume).abs() < 1e-14);
        assert!(torus.centre.length() < 1e-15);
        let expected = DMat3::from_diagonal(DVec3::new(across, across, about));
        assert!(torus.inertia.abs_diff_eq(expected, 1e-15), "{} {expected}", torus.inertia);
    }

    #[test]
    fn the_farthest_point_is_no_nearer_than_any_other() {
        for half in [0.1, 0.8, 1.5] {
            for k in 0..64 {
                let turn = DQuat::from_rotation_z(0.1 * k as f64);
                let d = turn * DVec3::new(1.0, 0.0, 0.3);
                let far = farthest(2.0, half, d).dot(d);
                for j in -50..=50 {
                    assert!(point(2.0, half * j as f64 / 50.0).dot(d) <= far + 1e-14);
                }
            }
        }
    }
}
