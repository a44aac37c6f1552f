//! Turns as small whole numbers. In 2D an angle, of which 65536 make a round. In
//! 3D three of the four parts of a quaternion, the fourth, positive, following
//! from them; which one that is stays the same for as long as it can, for a
//! change of it looks like a jump.

use riprap::math::DQuat;
use std::f64::consts::TAU;

/// Steps of a part of a quaternion from 0 to 1: turns are exact to about a hundredth of a degree.
pub(super) const STEPS: f64 = 16384.0;

/// A part that is left out is no smaller than this, or rounding would show.
const LEAST: f64 = 0.4;

/// Numbers that tell a turn.
pub(super) fn numbers_per_turn(dimension: usize) -> usize {
    if dimension == 2 { 1 } else { 4 }
}

/// A turn about z.
pub(super) fn angle(turn: DQuat) -> u16 {
    let angle = 2.0 * turn.z.atan2(turn.w);
    // Through a signed number, so that negative angles wrap around.
    (angle / TAU * 65536.0).round() as i64 as u16
}

/// Three parts and the number of the fourth, which was `before` in the last frame.
pub(super) fn parts(turn: DQuat, before: u16) -> [u16; 4] {
    let parts = turn.to_array();
    if !turn.is_finite() {
        return [0, 0, 0, 3];
    }
    let largest = (0..4).fold(0, |a, b| if parts[b].abs() > parts[a].abs() { b } else { a });
    let kept = (before as usize).min(3);
    let left_out = if parts[kept].abs() < LEAST { largest } else { kept };
    let sign = parts[left_out].signum();
    let mut numbers = (0..4)
        .filter(|&k| k != left_out)
        .map(|k| ((sign * parts[k] * STEPS).round() as i16) as u16);
    std::array::from_fn(|_| numbers.next().unwrap_or(left_out as u16))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use riprap::math::DVec3;

    /// What the browser does.
    fn quaternion([a, b, c, left_out]: [u16; 4]) -> DQuat {
        let known = [a, b, c].map(|part| f64::from(part as i16) / STEPS);
        let rest = (1.0 - known.iter().map(|x| x * x).sum::<f64>()).max(0.0).sqrt();
        let mut parts = known.to_vec();
        parts.insert(left_out as usize, rest);
        DQuat::from_slice(&parts).normalize()
    }

    proptest! {
        #[test]
        fn turns_come_back(x in -1.0..1.0, y in -1.0..1.0, z in -1.0..1.0, angle in 0.0..7.0) {
            let axis = DVec3::new(x, y, z);
            prop_assume!(axis.length() > 0.1);
            let turn = DQuat::from_axis_angle(axis.normalize(), angle);
            for before in 0..4 {
                let numbers = parts(turn, before);
                let apart = quaternion(numbers).angle_between(turn);
                prop_assert!(apart < 4e-4, "{apart}");
            }
        }
    }

    #[test]
    fn the_part_left_out_changes_late() {
        let mut left_out = 3;
        let mut changes = Vec::new();
        for degrees in 0..360 {
            let turn = DQuat::from_rotation_x(f64::from(degrees).to_radians());
            let next = parts(turn, left_out)[3];
            if next != left_out {
                changes.push(degrees);
            }
            left_out = next;
        }
        assert_eq!(changes.len(), 2, "{changes:?}");
        assert_eq!(changes[0], 133, "where the cosine of half the angle is 0.4");
    }

    #[test]
    fn flat_turns_wrap_around() {
        let turn = |degrees: f64| angle(DQuat::from_rotation_z(degrees.to_radians()));
        assert_eq!((turn(0.0), turn(90.0), turn(-90.0)), (0, 16384, 49152));
        assert_eq!(turn(360.0 + 90.0), 16384);
    }

    #[test]
    fn a_turn_that_is_none_is_no_turn() {
        assert_eq!(parts(DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0), 2), [0, 0, 0, 3]);
    }
}
