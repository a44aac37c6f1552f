//! Rotation vectors as quaternions.

use super::{DQuat, DVec3};

/// Below this square of an angle its sine and cosine are short sums.
const SMALL: f64 = 0.25;

/// One over the factorials in the series of the sine and of the cosine, the last terms first.
const SINE: [f64; 6] =
    [-1.0 / 39_916_800.0, 1.0 / 362_880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0];
const COSINE: [f64; 7] = [
    1.0 / 479_001_600.0,
    -1.0 / 3_628_800.0,
    1.0 / 40_320.0,
    -1.0 / 720.0,
    1.0 / 24.0,
    -1.0 / 2.0,
    1.0,
];

/// The rotation by a vector; exact for small ones, too.
pub fn turned(by: DVec3) -> DQuat {
    let square = by.length_squared();
    if square > SMALL {
        return DQuat::from_scaled_axis(by);
    }
    // Of the half angle.
    let y = 0.25 * square;
    let s = 0.5 * SINE.iter().fold(0.0, |sum, term| sum * y + term);
    let c = COSINE.iter().fold(0.0, |sum, term| sum * y + term);
    DQuat::from_xyzw(by.x * s, by.y * s, by.z * s, c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_turns_are_exact() {
        for size in [1e-12, 1e-6, 1e-3, 9.9e-3, 0.1, 0.3, 0.4999, 0.5001, 2.0] {
            let by = DVec3::new(0.6, -0.48, 0.64) * size;
            let (one, two) = (turned(by), DQuat::from_scaled_axis(by));
            assert!((one - two).length() < 1e-15, "{size}");
        }
    }
}
