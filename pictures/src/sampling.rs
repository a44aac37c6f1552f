//! Where to look within a pixel, a light or a hemisphere.
//!
//! The points are Owen-scrambled Sobol pairs, handed out along a space-filling
//! curve over the pixels, so that not only the points of one pixel but also
//! those of neighbouring pixels are spread evenly [Ahmed and Wonka 2020]:
//! that is what the denoiser later averages over. Nothing depends on the order in which pixels are drawn.

use glam::Vec3;

/// The source of sample points for one path.
#[derive(Clone, Debug)]
pub struct Sampler {
    index: u32,
    seed: u32,
}

/// Side of the square of pixels that shares one sequence; 2^20 pixels leave 12 bits for the samples of each.
const TILE: u32 = 1024;

impl Sampler {
    /// The sampler of sample number `sample` out of `samples` in the pixel (x, y).
    pub fn new(x: u32, y: u32, sample: u32, samples: u32, seed: u32) -> Sampler {
        let curve = interleave(x % TILE) | (interleave(y % TILE) << 1);
        let tile = hash((x / TILE) ^ hash(y / TILE));
        Sampler { index: curve.wrapping_mul(samples).wrapping_add(sample), seed: hash(seed ^ tile) }
    }

    /// The next point of the unit square.
    pub fn pair(&mut self) -> (f32, f32) {
        self.seed = hash(self.seed);
        let index = scramble(self.index, self.seed);
        let x = scramble(index.reverse_bits(), hash(self.seed ^ 0x9e37_79b9));
        let y = scramble(second_sobol(index), hash(self.seed ^ 0x7f4a_7c15));
        (unit(x), unit(y))
    }
}

/// The top 24 bits as a number in [0, 1).
fn unit(bits: u32) -> f32 {
    (bits >> 8) as f32 / (1 << 24) as f32
}

/// Spreads the lower 16 bits to the even places.
fn interleave(bits: u32) -> u32 {
    let mut b = bits & 0xffff;
    b = (b | b << 8) & 0x00ff_00ff;
    b = (b | b << 4) & 0x0f0f_0f0f;
    b = (b | b << 2) & 0x3333_3333;
    (b | b << 1) & 0x5555_5555
}

/// The second Sobol dimension. Its matrix is Pascal's triangle modulo 2, whose
/// entry (k, j) is 1 where the bits of j are a subset of those of k; so each of
/// the five bits of a place is dealt with by one shift.
fn second_sobol(index: u32) -> u32 {
    let mut s = index;
    s ^= (s >> 16) & 0x0000_ffff;
    s ^= (s >> 8) & 0x00ff_00ff;
    s ^= (s >> 4) & 0x0f0f_0f0f;
    s ^= (s >> 2) & 0x3333_3333;
    s ^= (s >> 1) & 0x5555_5555;
    s.reverse_bits()
}

/// Owen's nested random flips, by a hash in which bits only depend on higher ones [Laine and Karras 2011].
fn scramble(value: u32, seed: u32) -> u32 {
    let mut v = value.reverse_bits();
    v ^= v.wrapping_mul(0x3d20_adea);
    v = v.wrapping_add(seed);
    v = v.wrapping_mul((seed >> 16) | 1);
    v ^= v.wrapping_mul(0x0552_6c56);
    v ^= v.wrapping_mul(0x53a2_2864);
    v.reverse_bits()
}

/// A good mix of all bits.
pub fn hash(value: u32) -> u32 {
    let mut v = value.wrapping_add(0x9e37_79b9);
    v = (v ^ v >> 16).wrapping_mul(0x21f0_aaad);
    v = (v ^ v >> 15).wrapping_mul(0x735a_2d97);
    v ^ v >> 15
}

/// Two unit vectors that make a right-handed frame with the unit vector `n` [Duff et al. 2017].
pub fn frame(n: Vec3) -> (Vec3, Vec3) {
    let sign = 1.0_f32.copysign(n.z);
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    (
        Vec3::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x),
        Vec3::new(b, sign + n.y * n.y * a, -n.y),
    )
}

/// A direction around `normal`, as likely as its cosine with it.
pub fn cosine_direction(normal: Vec3, (u, v): (f32, f32)) -> Vec3 {
    let (x, y) = disc((u, v));
    let (right, up) = frame(normal);
    (right * x + up * y + normal * (1.0 - x * x - y * y).max(0.0).sqrt()).normalize()
}

/// A point of the unit disc, areas kept: rings stay rings of squares [Shirley and Chiu 1997].
pub fn disc((u, v): (f32, f32)) -> (f32, f32) {
    use std::f32::consts::{FRAC_PI_2, FRAC_PI_4};
    let (a, b) = (2.0 * u - 1.0, 2.0 * v - 1.0);
    if a == 0.0 && b == 0.0 {
        return (0.0, 0.0);
    }
    let (radius, angle) = if a.abs() > b.abs() {
        (a, FRAC_PI_4 * (b / a))
    } else {
        (b, FRAC_PI_2 - FRAC_PI_4 * (a / b))
    };
    (radius * angle.cos(), radius * angle.sin())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_dimension_follows_its_direction_numbers() {
        for index in [0, 1, 2, 3, 77, 1 << 20, u32::MAX, 0xdead_beef] {
            let (mut direction, mut expected) = (1_u32 << 31, 0);
            for bit in 0..32 {
                if index >> bit & 1 == 1 {
                    expected ^= direction;
                }
                direction ^= direction >> 1;
            }
            assert_eq!(second_sobol(index), expected);
        }
    }

    /// Every way to cut the unit square into 16 equal boxes has one point in each.
    #[test]
    fn sixteen_samples_are_a_net() {
        for (x, y) in [(0, 0), (13, 7), (1023, 5), (2000, 3000)] {
            let points: Vec<_> = (0..16).map(|s| Sampler::new(x, y, s, 16, 1).pair()).collect();
            for columns in [1, 2, 4, 8, 16] {
                let rows = 16 / columns;
                let mut boxes: Vec<_> = points
                    .iter()
                    .map(|p| ((p.0 * columns as f32) as u32, (p.1 * rows as f32) as u32))
                    .collect();
                boxes.sort();
                boxes.dedup();
                assert_eq!(boxes.len(), 16);
            }
        }
    }

    #[test]
    fn four_neighbouring_pixels_share_a_net() {
        let mut cells: Vec<_> = (0..4)
            .flat_map(|p| (0..4).map(move |s| Sampler::new(p % 2, p / 2, s, 4, 9).pair()))
            .map(|p| ((p.0 * 4.0) as u32, (p.1 * 4.0) as u32))
            .collect();
        cells.sort();
        cells.dedup();
        assert_eq!(cells.len(), 16);
    }

    #[test]
    fn frames_are_orthonormal() {
        for n in [
            Vec3::Z,
            Vec3::NEG_Z,
            Vec3::X,
            Vec3::new(0.6, 0.0, -0.8),
            Vec3::new(1.0, 2.0, -3.0).normalize(),
        ] {
            let (a, b) = frame(n);
            assert!((a.cross(b) - n).length() < 1e-6 && (a.length() - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn cosine_directions_average_to_two_thirds_of_the_normal() {
        let normal = Vec3::new(1.0, -2.0, 0.5).normalize();
        let mean: Vec3 = (0..256)
            .map(|s| cosine_direction(normal, Sampler::new(0, 0, s, 256, 3).pair()))
            .sum::<Vec3>()
            / 256.0;
        assert!((mean - normal * (2.0 / 3.0)).length() < 1e-2);
    }
}
