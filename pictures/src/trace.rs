//! From a ray to what is seen along it: glass layer by layer, then the first
//! opaque surface under the key light, with the light of the room and one
//! bounce off its surroundings.
//!
//! What comes back is split in two, for the denoiser's sake: `clear`, which
//! has no noise in it (backdrop, reflections in glass), and `light` times
//! `filter`, where only the light is noisy.

use glam::Vec3;

use crate::material::Finish;
use crate::primitives::Ray;
use crate::sampling::{Sampler, cosine_direction};
use crate::scene::{LIFT, Pane, Scene, Surface, pane_reflection, pane_transmission};

/// One look along a ray; the radiance is `clear + filter * light`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seen {
    pub clear: Vec3,
    /// Colour of the surface and of everything in front of it.
    pub filter: Vec3,
    /// Light on the surface, relative to a white sheet.
    pub light: Vec3,
    /// The surface's normal and place; zero where there is none.
    pub normal: Vec3,
    pub point: Vec3,
}

/// Colours darker than this are lightened in `filter` (and `light` darkened
/// to match), so that highlights on dark things stay of moderate brightness.
const DARKEST: f32 = 0.06;
/// Light that has bounced more than once, as a share of the open room's.
const LATER_BOUNCES: f32 = 0.42;
/// Exponent of the key light's highlight: a satin coat.
const SHINE: f32 = 70.0;

/// Reflections on the inside show the bodies a second time, which confuses; the glass is coated against it.
const INNER_GLARE: f32 = 0.4;

/// Looks along rays; keeps a list of panes to save allocations.
pub struct Tracer<'a> {
    scene: &'a Scene<'a>,
    panes: Vec<Pane>,
}

impl<'a> Tracer<'a> {
    pub fn new(scene: &'a Scene<'a>) -> Self {
        Tracer { scene, panes: Vec::new() }
    }

    pub fn look(&mut self, ray: &Ray, sampler: &mut Sampler) -> Seen {
        let hit = self.scene.nearest(ray);
        let limit = hit.map_or(f32::INFINITY, |(surface, _)| surface.distance);
        let (mut clear, through) = self.look_through_glass(ray, limit);
        let backdrop = self.scene.studio.backdrop(ray.direction);
        let Some((surface, is_floor)) = hit else {
            return Seen { clear: clear + through * backdrop, ..Seen::default() };
        };
        let faded = if is_floor { self.scene.floor.faded(surface.point) } else { 0.0 };
        clear += through * faded * backdrop;
        if faded == 1.0 {
            return Seen { clear, ..Seen::default() };
        }
        let finish = surface.of.at(surface.point);
        let filter = finish.albedo.max(Vec3::splat(DARKEST));
        Seen {
            clear,
            filter: filter * (through * (1.0 - faded)),
            light: self.scattered(ray, &surface, finish, sampler) / filter,
            normal: surface.normal,
            point: surface.point,
        }
    }

    /// What the glass in front of `limit` reflects toward the camera, and the
    /// share of light that it lets through.
    fn look_through_glass(&mut self, ray: &Ray, limit: f32) -> (Vec3, f32) {
        self.scene.glass.panes(ray, limit, &mut self.panes);
        let (mut reflected, mut through) = (Vec3::ZERO, 1.0);
        for pane in &self.panes {
            let cosine = -pane.normal.dot(ray.direction);
            let mirror = ray.direction + 2.0 * cosine * pane.normal;
            let glare = if pane.inner { INNER_GLARE } else { 1.0 };
            reflected += through * glare * pane_reflection(cosine) * self.mirrored(pane, mirror);
            through *= pane_transmission(cosine);
        }
        (reflected, through)
    }

    /// What is seen in a pane, by a rough guess of the light on it: reflections are faint.
    fn mirrored(&self, pane: &Pane, direction: Vec3) -> Vec3 {
        let studio = &self.scene.studio;
        let ray = Ray::new(pane.point + pane.normal * LIFT, direction);
        let Some((surface, is_floor)) = self.scene.nearest(&ray) else {
            return studio.mirrored(direction);
        };
        let (key, colour) = studio.key_middle();
        let shade = if is_floor { 1.0 } else { 0.5 };
        let light = studio.ambient(surface.normal) + colour * key.dot(surface.normal).max(0.0);
        surface.of.at(surface.point).albedo * light * shade
    }

    /// The light that a surface sends back along the ray.
    fn scattered(
        &self,
        ray: &Ray,
        surface: &Surface,
        finish: Finish,
        sampler: &mut Sampler,
    ) -> Vec3 {
        let studio = &self.scene.studio;
        let start = surface.point + surface.normal * LIFT;

        let (toward_key, key) = studio.key(sampler.pair());
        let facing = toward_key.dot(surface.normal);
        let key = if facing > 0.0 {
            key * self.visibility(&Ray::new(start, toward_key))
        } else {
            Vec3::ZERO
        };

        let bounce = Ray::new(start, cosine_direction(surface.normal, sampler.pair()));
        let (around, open) = self.incoming(&bounce, sampler);
        let diffuse = finish.albedo * (key * facing.max(0.0) + around);
        if finish.coat == 0.0 {
            return diffuse;
        }

        let cosine = -ray.direction.dot(surface.normal).min(0.0);
        let mirror = ray.direction + 2.0 * cosine * surface.normal;
        let fresnel = finish.coat + (1.0 - finish.coat) * 0.6 * (1.0 - cosine).powi(5);
        let highlight = mirror.dot(studio.key_middle().0).max(0.0).powf(SHINE) * 0.22 * SHINE;
        diffuse * (1.0 - fresnel) + fresnel * (key * highlight + open * studio.room(mirror))
    }

    /// The light that arrives along a bounced ray, and how open its way was.
    fn incoming(&self, ray: &Ray, sampler: &mut Sampler) -> (Vec3, f32) {
        let studio = &self.scene.studio;
        let room = studio.room(ray.direction);
        let Some((surface, is_floor)) = self.scene.nearest(ray) else {
            return (room, 1.0);
        };
        let faded = if is_floor { self.scene.floor.faded(surface.point) } else { 0.0 };
        if faded == 1.0 {
            return (room, 1.0);
        }
        let (toward_key, key) = studio.key(sampler.pair());
        let facing = toward_key.dot(surface.normal).max(0.0);
        let lit = facing > 0.0
            && !self.scene.blocks(&Ray::new(surface.point + surface.normal * LIFT, toward_key));
        let key = if lit { key * facing } else { Vec3::ZERO };
        let light = key + studio.ambient(surface.normal) * LATER_BOUNCES;
        let found = surface.of.at(surface.point).albedo * light;
        (found.lerp(room, faded), 0.3)
    }

    /// The share of the key light that arrives along the ray.
    fn visibility(&self, ray: &Ray) -> f32 {
        if self.scene.blocks(ray) { 0.0 } else { self.scene.glass.transmission(ray, f32::INFINITY) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::light::Studio;
    use crate::material::Material;
    use crate::mesh::tests::cube;
    use crate::primitives::Sphere;
    use crate::scene::{FLOOR_COLOUR, Floor, Glass, Loose, Made, Things};

    fn scene<'a>(fixed: &'a Things, glass: &'a Glass) -> Scene<'a> {
        Scene {
            fixed,
            bodies: Things::default(),
            glass,
            floor: Floor {
                middle: Vec3::ZERO,
                normal: Vec3::Z,
                fade: (50.0, 90.0),
                colour: FLOOR_COLOUR,
            },
            studio: Studio::new(Vec3::Z, Vec3::NEG_Y),
        }
    }

    /// The mean brightness of the floor at a place, seen from above.
    fn floor_light(scene: &Scene, x: f32, y: f32) -> f32 {
        let ray = Ray::new(Vec3::new(x, y, 9.0), Vec3::NEG_Z);
        let mut tracer = Tracer::new(scene);
        let looks = (0..64).map(|s| tracer.look(&ray, &mut Sampler::new(0, 0, s, 64, 0)));
        looks.map(|seen| seen.light.y).sum::<f32>() / 64.0
    }

    #[test]
    fn a_ball_throws_a_soft_shadow_away_from_the_light() {
        let shape = Sphere { centre: Vec3::Z * 2.0, radius: 1.0 };
        let spheres = vec![Made { shape, of: Material::Plastic(Vec3::ONE) }];
        let things = Things::new(Loose { spheres, ..Loose::default() });
        let glass = Glass::default();
        let scene = scene(&things, &glass);
        let (key, _) = scene.studio.key_middle();
        let shadow = -key.truncate() / key.z * 2.0;
        let open = floor_light(&scene, 40.0, 0.0);
        assert!(floor_light(&scene, shadow.x, shadow.y) < 0.5 * open);
        let rim = shadow + shadow.normalize() * 1.25;
        let half = floor_light(&scene, rim.x, rim.y);
        assert!(half < 0.95 * open && half > 0.5 * open, "{half} of {open}");
    }

    #[test]
    fn glass_dims_and_reflects_but_hides_nothing() {
        let (none, things) = (Glass::default(), Things::default());
        let pane = Glass::new(cube().moved(Vec3::Z).facets());
        let ray = Ray::new(Vec3::new(0.5, 0.4, 9.0), Vec3::NEG_Z);
        let look = |glass| {
            Tracer::new(&scene(&things, glass)).look(&ray, &mut Sampler::new(0, 0, 0, 1, 0))
        };
        let (clear, glazed) = (look(&none), look(&pane));
        assert_eq!(clear.point, glazed.point);
        assert_eq!(clear.clear, Vec3::ZERO);
        assert!(glazed.clear.min_element() > 0.01);
        assert!(glazed.filter.y < clear.filter.y && glazed.filter.y > 0.7 * clear.filter.y);
    }

    #[test]
    fn beyond_the_floor_is_the_backdrop() {
        let (glass, things) = (Glass::default(), Things::default());
        let scene = scene(&things, &glass);
        let ray = Ray::new(Vec3::Z, Vec3::new(0.0, 1.0, -0.001).normalize());
        let seen = Tracer::new(&scene).look(&ray, &mut Sampler::new(0, 0, 0, 1, 0));
        assert_eq!(seen.filter, Vec3::ZERO);
        assert_eq!(seen.clear, scene.studio.backdrop(ray.direction));
    }
}
