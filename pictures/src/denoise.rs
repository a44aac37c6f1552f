//! Smooths the light on the surfaces without touching their edges and colours:
//! an edge-avoiding wavelet filter [Dammertz et al. 2010] that is guided by
//! normals and places, and by how noisy each pixel says it is [Schied et al. 2017].

use glam::{Vec3, Vec4};
use rayon::prelude::*;

/// A pixel on its way to the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pixel {
    /// What needs no smoothing.
    pub clear: Vec3,
    /// What the light is multiplied by.
    pub filter: Vec3,
    /// The light in x, y, z; the variance of its brightness in w.
    pub light: Vec4,
    /// The mean direction of the normals in the pixel; zero where there is no surface.
    pub normal: Vec3,
    /// The mean place of what the pixel shows.
    pub point: Vec3,
    /// Width of the pixel in the scene.
    pub footprint: f32,
}

/// Each level looks twice as far as the one before.
const LEVELS: u32 = 4;
/// How many rows above and below a row can have an influence on it.
pub const REACH: usize = 1 + 2 * ((1 << LEVELS) - 1);
/// The filter's weights at distance 0, 1 and 2.
const KERNEL: [f32; 3] = [0.375, 0.25, 0.0625];
/// Differences of this many standard deviations count as a real edge in the light.
const NOISE: f32 = 3.0;

impl Pixel {
    /// The colour as it stands.
    pub fn colour(&self) -> Vec3 {
        self.clear + self.filter * self.light.truncate()
    }

    fn has_surface(&self) -> bool {
        self.normal != Vec3::ZERO
    }
}

/// Smooths the light of all pixels; `width` pixels make a row.
pub fn denoise(pixels: &mut [Pixel], width: usize) {
    let mut light: Vec<Vec4> = pixels.iter().map(|p| p.light).collect();
    steady_variance(pixels, width, &mut light);
    let mut next = light.clone();
    for level in 0..LEVELS {
        next.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            for (x, out) in row.iter_mut().enumerate() {
                *out = smooth(pixels, &light, width, (x, y), 1 << level);
            }
        });
        std::mem::swap(&mut light, &mut next);
    }
    for (pixel, light) in pixels.iter_mut().zip(light) {
        pixel.light = light;
    }
}

/// A variance from few samples is itself noisy: take the mean of the
/// neighbourhood where that is larger.
fn steady_variance(pixels: &[Pixel], width: usize, light: &mut [Vec4]) {
    let height = pixels.len() / width;
    light.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, out) in row.iter_mut().enumerate() {
            let (mut sum, mut count) = (0.0, 0.0);
            for near_y in y.saturating_sub(1)..(y + 2).min(height) {
                for near in &pixels[near_y * width..][x.saturating_sub(1)..(x + 2).min(width)] {
                    sum += near.light.w;
                    count += 1.0;
                }
            }
            out.w = out.w.max(sum / count);
        }
    });
}

fn smooth(
    pixels: &[Pixel],
    light: &[Vec4],
    width: usize,
    (x, y): (usize, usize),
    step: usize,
) -> Vec4 {
    let here = y * width + x;
    let centre = &pixels[here];
    let own = light[here];
    if !centre.has_surface() {
        return own;
    }
    let height = pixels.len() / width;
    let brightness_scale = 1.0 / (NOISE * own.w.sqrt() + 1e-3);
    // Pixels that are farther apart may be farther from the common plane.
    let plane_scale = 0.5 / (centre.footprint * step as f32);
    let (mut sum, mut weights, mut squared) = (Vec3::ZERO, 0.0, 0.0);
    for dy in -2_i32..=2 {
        let Some(near_y) = shifted(y, dy, step, height) else { continue };
        for dx in -2_i32..=2 {
            let Some(near_x) = shifted(x, dx, step, width) else { continue };
            let there = near_y * width + near_x;
            let near = &pixels[there];
            let same_way = centre.normal.dot(near.normal);
            if same_way <= 0.0 {
                continue;
            }
            let brightness = (luminance(own.truncate()) - luminance(light[there].truncate())).abs();
            let plane = centre.normal.dot(near.point - centre.point).abs();
            let unlike = brightness * brightness_scale + plane * plane_scale;
            let kernel = KERNEL[dx.unsigned_abs() as usize] * KERNEL[dy.unsigned_abs() as usize];
            let weight = kernel * same_way.powi(32) * (-unlike).exp();
            sum += weight * light[there].truncate();
            weights += weight;
            squared += weight * weight * light[there].w;
        }
    }
    if weights < 1e-6 { own } else { (sum / weights).extend(squared / (weights * weights)) }
}

fn shifted(at: usize, by: i32, step: usize, end: usize) -> Option<usize> {
    at.checked_add_signed(by as isize * step as isize).filter(|&i| i < end)
}

pub fn luminance(colour: Vec3) -> f32 {
    colour.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::hash;

    const WIDTH: usize = 32;

    /// A flat wall, lit by 1 with an error of at most `noise`.
    fn wall(noise: f32) -> Vec<Pixel> {
        let pixel = |i: usize| {
            let error = (hash(i as u32) as f32 / u32::MAX as f32 - 0.5) * 2.0 * noise;
            Pixel {
                filter: Vec3::ONE,
                light: Vec3::splat(1.0 + error).extend(noise * noise / 3.0),
                normal: Vec3::Z,
                point: Vec3::new((i % WIDTH) as f32, (i / WIDTH) as f32, 0.0),
                footprint: 1.0,
                ..Pixel::default()
            }
        };
        (0..WIDTH * WIDTH).map(pixel).collect()
    }

    fn largest_error(pixels: &[Pixel], truth: impl Fn(usize) -> f32) -> f32 {
        pixels.iter().enumerate().map(|(i, p)| (p.colour().x - truth(i)).abs()).fold(0.0, f32::max)
    }

    #[test]
    fn noise_goes() {
        let mut pixels = wall(0.5);
        denoise(&mut pixels, WIDTH);
        assert!(largest_error(&pixels, |_| 1.0) < 0.15, "{}", largest_error(&pixels, |_| 1.0));
    }

    #[test]
    fn edges_and_colours_stay() {
        let mut pixels = wall(0.0);
        for (i, pixel) in pixels.iter_mut().enumerate() {
            pixel.filter = Vec3::splat((i % 7) as f32);
            if i % WIDTH >= WIDTH / 2 {
                pixel.normal = Vec3::X;
                pixel.light = Vec3::splat(3.0).extend(0.0);
            }
        }
        let truth = |i: usize| (i % 7) as f32 * if i % WIDTH >= WIDTH / 2 { 3.0 } else { 1.0 };
        denoise(&mut pixels, WIDTH);
        assert!(largest_error(&pixels, truth) < 1e-4);
    }

    #[test]
    fn steps_in_depth_stay() {
        let mut pixels = wall(0.0);
        for pixel in &mut pixels[WIDTH * WIDTH / 2..] {
            pixel.point.z += 100.0;
            pixel.light = Vec3::splat(2.0).extend(0.0);
        }
        denoise(&mut pixels, WIDTH);
        assert!(largest_error(&pixels, |i| if i >= WIDTH * WIDTH / 2 { 2.0 } else { 1.0 }) < 1e-4);
    }

    #[test]
    fn backdrop_is_left_alone() {
        let mut pixels = vec![Pixel { clear: Vec3::ONE, ..Pixel::default() }; WIDTH * 3];
        denoise(&mut pixels, WIDTH);
        assert!(pixels.iter().all(|p| p.colour() == Vec3::ONE));
    }
}
