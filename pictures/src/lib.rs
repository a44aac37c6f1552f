//! Pictures and movies of Riprap's runs, drawn by a small ray tracer that needs
//! no graphics card: balls in glass, in soft light.
//!
//! A [`Stage`] is set once for a run (container, camera, lights); then
//! [`render_frame`] draws the bodies of one frame on it. [`render`] does all of
//! that for a run file, as a picture or a movie. The same input gives
//! the same picture, to the byte, for any number of threads.
//!
//! ```
//! use riprap_pictures::{Ball, Container, DVec3, Options, Stage, mixed, render_frame};
//! let options = Options { width: 32, height: 24, samples: 1, ..Options::default() };
//! let balls = [Ball { centre: DVec3::ZERO, radius: 0.5, colour: mixed(0) }];
//! let stage = Stage::new(&Container::Surface(Vec::new()), &balls, &options);
//! let picture = render_frame(&stage, &balls, &options)?;
//! assert_eq!(picture.pixels.len(), 32 * 24);
//! # Ok::<(), riprap::Problem>(())
//! ```

mod bodies;
mod bricks;
mod bvh;
mod camera;
mod denoise;
mod dress;
mod light;
mod material;
mod mesh;
mod movie;
mod output;
mod palette;
mod picture;
mod profile;
mod render;
mod run;
mod sampling;
mod scene;
mod shapes;
mod stage;
mod trace;

pub use bricks::{Block, Proof, Rod, write_proof};
pub use glam::{DVec3, Vec3};
pub use movie::{MovieOptions, Playback, Progress, Summary, render_movie};
pub use palette::{Colours, mixed, ramp};
pub use picture::Picture;
pub use render::render_frame;
pub use run::{Painter, render, render_still};
pub use stage::Stage;

/// How a picture is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    pub width: usize,
    pub height: usize,
    /// Looks per pixel: 4 for a preview, 16 or more for a good picture.
    pub samples: u32,
    /// Smooth the light afterwards.
    pub denoise: bool,
    pub colours: Colours,
    /// Where the camera stands, in degrees counter-clockwise from -y, seen from above.
    pub azimuth: f32,
    /// How high the camera stands, in degrees above the horizon.
    pub elevation: f32,
    /// Another seed, another pattern of what noise is left.
    pub seed: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            width: 640,
            height: 480,
            samples: 4,
            denoise: true,
            colours: Colours::default(),
            azimuth: 28.0,
            elevation: 17.0,
            seed: 0,
        }
    }
}

impl Options {
    /// Width over height.
    fn aspect(&self) -> f32 {
        self.width as f32 / self.height.max(1) as f32
    }
}

/// A body as it is drawn, in the run's own units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    pub centre: DVec3,
    pub radius: f64,
    /// Linear, not sRGB; see [`mixed`] and [`ramp`].
    pub colour: Vec3,
}

/// What holds the bodies, in the run's own units.
#[derive(Clone, Debug, PartialEq)]
pub enum Container {
    /// A closed surface in space, drawn as glass; corners counter-clockwise from outside.
    Surface(Vec<[DVec3; 3]>),
    /// The outline of a flat scene in the x-y plane.
    Outline(Vec<[DVec3; 2]>),
}
