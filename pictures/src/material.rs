//! What surfaces are made of: coloured plastic, wood, and the studio's floor.
//! Glass is not among them: it hides nothing, so it is handled apart (see
//! [`crate::trace`]).

use glam::Vec3;

use crate::sampling::hash;

/// How a surface looks before any light falls on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Material {
    /// A body: one linear colour under a thin clear coat.
    Plastic(Vec3),
    /// Grain along one direction.
    Wood { grain: Vec3 },
    /// Dull, without a coat: the floor.
    Matte(Vec3),
}

/// A material at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finish {
    /// The share of light that is scattered, per channel.
    pub albedo: Vec3,
    /// The share of light that the coat reflects when seen straight on.
    pub coat: f32,
}

const LIGHT_WOOD: Vec3 = Vec3::new(0.50, 0.28, 0.13);
const DARK_WOOD: Vec3 = Vec3::new(0.34, 0.165, 0.065);

impl Material {
    pub fn at(&self, point: Vec3) -> Finish {
        match *self {
            Material::Plastic(albedo) => Finish { albedo, coat: 0.04 },
            Material::Wood { grain } => Finish { albedo: wood(point, grain), coat: 0.02 },
            Material::Matte(albedo) => Finish { albedo, coat: 0.0 },
        }
    }
}

/// Year rings around a far-away heart, wavy along the grain, with fine fibres.
fn wood(point: Vec3, grain: Vec3) -> Vec3 {
    let along = grain * point.dot(grain);
    let across = point - along;
    let heart = Vec3::new(0.9, 1.3, 0.7);
    let waves = noise(along * 2.0 + across * 5.0);
    let radius = (across - heart + grain * grain.dot(heart)).length() + 0.035 * waves;
    let ring = (radius * 26.0).fract();
    // Slow growth in spring, a dark line in autumn.
    let late = ring * ring * ring;
    let fibre = noise(along * 6.0 + across * 150.0);
    LIGHT_WOOD.lerp(DARK_WOOD, (0.55 * late + 0.3 * fibre).clamp(0.0, 1.0))
}

/// Smooth noise between 0 and 1 on the unit lattice.
fn noise(point: Vec3) -> f32 {
    let cell = point.floor();
    let f = point - cell;
    let f = f * f * (3.0 - 2.0 * f);
    let corner = |dx: i32, dy: i32, dz: i32| {
        let [x, y, z] =
            [cell.x as i32 + dx, cell.y as i32 + dy, cell.z as i32 + dz].map(|c| c as u32);
        hash(x ^ hash(y ^ hash(z))) as f32 / u32::MAX as f32
    };
    let line = |dy, dz| corner(0, dy, dz) * (1.0 - f.x) + corner(1, dy, dz) * f.x;
    let face = |dz| line(0, dz) * (1.0 - f.y) + line(1, dz) * f.y;
    face(0) * (1.0 - f.z) + face(1) * f.z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_continuous_across_cells_and_within_its_range() {
        for i in 0..200 {
            let p = Vec3::new(i as f32 * 0.37 - 30.0, i as f32 * 0.11, 2.0);
            let value = noise(p);
            assert!((0.0..=1.0).contains(&value));
            assert!((noise(p.floor() + 1e-4) - noise(p.floor() - 1e-4)).abs() < 1e-2);
        }
    }

    #[test]
    fn wood_changes_slowly_along_its_grain() {
        let finish = |p: Vec3| Material::Wood { grain: Vec3::X }.at(p).albedo;
        let change = |step: Vec3| {
            (0..500)
                .map(|i| {
                    finish(Vec3::splat(i as f32 * 0.013))
                        .distance(finish(Vec3::splat(i as f32 * 0.013) + step))
                })
                .sum::<f32>()
        };
        assert!(change(Vec3::X * 0.01) * 3.0 < change(Vec3::Z * 0.01));
    }
}
