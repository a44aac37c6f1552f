//! Draws one frame, in bands of rows, so that memory does not grow with the picture.

use glam::Vec3;
use rayon::prelude::*;
use riprap::{Problem, Result};

use crate::camera::Camera;
use crate::denoise::{Pixel, REACH, denoise, luminance};
use crate::picture::{LARGEST, Picture, to_screen};
use crate::sampling::Sampler;
use crate::scene::Scene;
use crate::trace::{Seen, Tracer};
use crate::{DVec3, Options};

/// The largest number of pixels that are worked on at once (about 100 bytes each).
const BAND: usize = 1 << 22;
/// The largest number of looks per pixel.
const MOST_SAMPLES: u32 = 4096;
/// More would take hours to draw, and nobody has a screen for them.
const MOST_PIXELS: usize = 1 << 26;
/// Pixels on an edge are looked at twice as often, or this many times more.
const FEWEST_EXTRA: u32 = 8;

impl Options {
    /// An error for a picture that can not be drawn.
    pub fn check(&self) -> Result<()> {
        let possible = 1..=LARGEST;
        let sides = possible.contains(&self.width) && possible.contains(&self.height);
        if !sides || self.width * self.height > MOST_PIXELS {
            return Err(Problem::new(format!(
                "a picture of {}x{} pixels is impossible",
                self.width, self.height
            ))
            .help(format!(
                "width and height can be 1 to {LARGEST}, and {MOST_PIXELS} pixels together, \
                 for example --size 640x480"
            )));
        }
        if !(1..=MOST_SAMPLES).contains(&self.samples) {
            return Err(Problem::new(format!("{} samples per pixel are impossible", self.samples))
                .help(format!("1 to {MOST_SAMPLES}: 4 for a preview, 16 for a good picture")));
        }
        if !self.azimuth.is_finite() || !(-90.0..=90.0).contains(&self.elevation) {
            return Err(Problem::new(format!(
                "the camera can not look from azimuth {}, elevation {}",
                self.azimuth, self.elevation
            ))
            .help("angles are in degrees, the elevation is -90 to 90"));
        }
        self.check_camera()
    }

    fn check_camera(&self) -> Result<()> {
        for (name, given) in [("camera", self.camera), ("look-at", self.look_at), ("up", self.up)] {
            let usable = given.is_none_or(|p| p.is_finite() && (name != "up" || p != DVec3::ZERO));
            if let (Some(given), false) = (given, usable) {
                return Err(Problem::new(format!("{name} can not be {given}"))
                    .help("three finite numbers; a direction is not zero"));
            }
        }
        if self.camera.is_some() && self.camera == self.look_at {
            return Err(Problem::new("the camera stands at what it looks at")
                .help("place one of the two elsewhere"));
        }
        Ok(())
    }
}

/// Draws whatever is in the scene, as the camera sees it.
pub fn render_scene(scene: &Scene, camera: &Camera, options: &Options) -> Result<Picture> {
    options.check()?;
    Ok(render_in_bands(scene, camera, options, (BAND / options.width).max(REACH)))
}

fn render_in_bands(scene: &Scene, camera: &Camera, options: &Options, rows: usize) -> Picture {
    let (width, height) = (options.width, options.height);
    let mut pixels = Vec::with_capacity(width * height);
    for top in (0..height).step_by(rows) {
        let bottom = (top + rows).min(height);
        // The denoiser looks beyond the band; what it sees there is drawn twice.
        let (above, below) = if options.denoise {
            (top.saturating_sub(REACH), (bottom + REACH).min(height))
        } else {
            (top, bottom)
        };
        let mut band = draw(scene, camera, options, above..below);
        if options.denoise {
            denoise(&mut band, width);
        }
        let wanted = &band[(top - above) * width..(bottom - above) * width];
        pixels.par_extend(wanted.par_iter().map(|pixel| to_screen(pixel.colour())));
    }
    Picture { width, height, pixels }
}

fn draw(
    scene: &Scene,
    camera: &Camera,
    options: &Options,
    rows: std::ops::Range<usize>,
) -> Vec<Pixel> {
    let mut pixels = vec![Pixel::default(); options.width * rows.len()];
    pixels.par_chunks_mut(options.width).zip(rows.into_par_iter()).for_each(|(row, y)| {
        let mut tracer = Tracer::new(scene);
        for (x, pixel) in row.iter_mut().enumerate() {
            *pixel = draw_pixel(&mut tracer, camera, options, (x, y));
        }
    });
    pixels
}

fn draw_pixel(
    tracer: &mut Tracer,
    camera: &Camera,
    options: &Options,
    (x, y): (usize, usize),
) -> Pixel {
    let mut gathered = Gathered::default();
    let mut look = |gathered: &mut Gathered, sample: u32, seed: u32| {
        let mut sampler = Sampler::new(x as u32, y as u32, sample, options.samples, seed);
        let (dx, dy) = sampler.pair();
        let across = (x as f32 + dx) / options.width as f32;
        let down = (y as f32 + dy) / options.height as f32;
        gathered.add(tracer.look(&camera.ray(across, 1.0 - down), &mut sampler));
    };
    for sample in 0..options.samples {
        look(&mut gathered, sample, options.seed);
    }
    // The denoiser can do little for pixels on an edge, so they are looked at more often.
    if gathered.is_mixed() {
        for sample in 0..options.samples.max(FEWEST_EXTRA) {
            look(&mut gathered, sample, !options.seed);
        }
    }
    gathered.pixel(camera, options.height)
}

/// The sums over all looks at one pixel.
#[derive(Default)]
struct Gathered {
    looks: f32,
    clear: Vec3,
    filter: Vec3,
    /// Light times filter.
    filtered: Vec3,
    /// Looks that found a surface, and their sums.
    surfaces: f32,
    normal: Vec3,
    point: Vec3,
    brightness: f32,
    squared_brightness: f32,
}

impl Gathered {
    fn add(&mut self, seen: Seen) {
        self.looks += 1.0;
        self.clear += seen.clear;
        self.filter += seen.filter;
        self.filtered += seen.light * seen.filter;
        if seen.normal != Vec3::ZERO {
            self.surfaces += 1.0;
            self.normal += seen.normal;
            self.point += seen.point;
            let brightness = luminance(seen.light);
            self.brightness += brightness;
            self.squared_brightness += brightness * brightness;
        }
    }

    /// Whether different surfaces, or a surface and the backdrop, were seen.
    fn is_mixed(&self) -> bool {
        self.surfaces > 0.0 && self.normal.length() < 0.97 * self.looks
    }

    fn pixel(self, camera: &Camera, rows: usize) -> Pixel {
        let mut pixel = Pixel {
            clear: self.clear / self.looks,
            filter: self.filter / self.looks,
            ..Pixel::default()
        };
        if self.surfaces > 0.0 {
            // Weighted by how much of it comes through, so that filter * light stays exact.
            let light = self.filtered / self.filter.max(Vec3::splat(1e-6));
            let mean = self.brightness / self.surfaces;
            let spread = (self.squared_brightness / self.surfaces - mean * mean).max(0.0);
            pixel.light = light.extend(spread / (self.surfaces - 1.0).max(1.0));
            pixel.normal = self.normal.normalize_or_zero();
            pixel.point = self.point / self.surfaces;
            pixel.footprint = camera.footprint(pixel.point, rows);
        }
        pixel
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artist::Artist;
    use crate::draw as draw_state;
    use crate::paint::Painter;
    use crate::scene::Loose;
    use crate::view::View;
    use riprap::shape::{Boundary, Mesh};
    use riprap::world::{Model, State};

    /// Six balls in a glass box.
    fn small() -> (Model, State, Options) {
        let options = Options { width: 48, height: 80, samples: 2, ..Options::default() };
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        model.boundary = Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::ONE));
        for i in 0..6 {
            let at = DVec3::new(0.2 + 0.3 * (i % 3) as f64, 0.5, 0.15 + 0.3 * (i / 3) as f64);
            model.add_particle(&mut state, at, 1.0, 0.14);
        }
        (model, state, options)
    }

    #[test]
    fn the_same_picture_for_any_number_of_threads() {
        let (model, state, options) = small();
        let draw = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| draw_state(&model, &state, &options).unwrap())
        };
        let alone = draw(1);
        assert!([2, 3, 7].into_iter().all(|threads| draw(threads) == alone));
    }

    #[test]
    fn the_same_picture_for_any_height_of_the_bands() {
        let (model, state, options) = small();
        let painter = Painter::new(&model, &state, None).unwrap();
        let artist = Artist::new(&model, painter, View::Space, &[&state], &options);
        let mut all = Loose::default();
        artist.add_model(&state, &[], &mut all);
        let scene = artist.scene(all);
        let draw = |rows| render_in_bands(&scene, &artist.stage.camera, &options, rows);
        let whole = draw(80);
        assert!([13, 40, 79].into_iter().all(|rows| draw(rows) == whole));
    }

    #[test]
    fn another_seed_is_another_picture() {
        let (model, state, options) = small();
        let other = Options { seed: 1, ..options.clone() };
        assert_ne!(draw_state(&model, &state, &options), draw_state(&model, &state, &other));
    }

    #[test]
    fn impossible_pictures_are_refused() {
        let refused = |change: fn(&mut Options)| {
            let (model, state, mut options) = small();
            change(&mut options);
            draw_state(&model, &state, &options).unwrap_err().to_string()
        };
        assert!(refused(|o| o.width = 0).starts_with("a picture of 0x80 pixels is impossible"));
        assert!(refused(|o| o.height = 16385).contains("help: width and height can be 1 to 16384"));
        assert!(refused(|o| o.samples = 0).starts_with("0 samples per pixel are impossible"));
        assert!(refused(|o| o.elevation = 91.0).contains("elevation 91"));
        assert!(refused(|o| o.up = Some(DVec3::ZERO)).starts_with("up can not be [0, 0, 0]"));
        assert!(refused(|o| o.camera = Some(DVec3::NAN)).starts_with("camera can not be"));
        let same = |o: &mut Options| (o.camera, o.look_at) = (Some(DVec3::X), Some(DVec3::X));
        assert!(refused(same).starts_with("the camera stands at what it looks at"));
    }

    #[test]
    fn bodies_that_are_nowhere_do_no_harm() {
        let (mut model, mut state, options) = small();
        let whole = draw_state(&model, &state, &options);
        model.add_particle(&mut state, DVec3::NAN, 1.0, 0.1);
        assert_eq!(draw_state(&model, &state, &options), whole);
    }
}
