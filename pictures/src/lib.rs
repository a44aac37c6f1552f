//! Pictures and movies of Riprap's runs, drawn by a small ray tracer that needs
//! no graphics card: bodies of every shape, cloth and joints, in glass, in soft light.
//!
//! [`draw`] shows one state of a model. [`render`] draws a run file, as a picture
//! or a movie, and [`write_proof`] the verdict on what stands or falls. There is one artist for
//! every method: it sets a stage for a model (container, floor, camera, lights), on
//! which the bodies then stand as a state says. The same input gives the same
//! picture, to the byte, for any number of threads.
//!
//! ```
//! use riprap::math::{DQuat, DVec3};
//! use riprap::shape::Shape;
//! use riprap::world::{Model, State, Weight};
//! use riprap_pictures::{Options, draw};
//!
//! let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
//! let stone = Shape::cuboid(DVec3::new(2.0, 1.0, 1.0))?;
//! model.add(&mut state, stone, DVec3::Z, DQuat::IDENTITY, Weight::Density(3.0))?;
//! let options = Options { width: 32, height: 24, samples: 1, ..Options::default() };
//! let picture = draw(&model, &state, &options)?;
//! assert_eq!((picture.width, picture.height), (32, 24));
//! # Ok::<(), riprap::Problem>(())
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod artist;
mod bvh;
mod camera;
mod capsule;
mod cuts;
mod denoise;
mod legend;
mod light;
mod look;
mod material;
mod mesh;
mod movie;
mod output;
mod paint;
mod palette;
mod picture;
mod primitives;
mod profile;
mod proof;
mod render;
mod run;
mod sampling;
mod scene;
mod stage;
mod subject;
mod trace;
mod view;
mod wooden_frame;

use glam::DVec3;

pub use artist::draw;
pub use movie::{MovieOptions, Playback, Progress, Summary, render_movie};
pub use paint::colours_at;
pub use palette::Colours;
pub use picture::Picture;
pub use proof::write_proof;
pub use run::{render, render_still};

/// How a picture is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// In pixels.
    pub width: usize,
    /// In pixels.
    pub height: usize,
    /// Looks per pixel: 4 for a preview, 16 or more for a good picture.
    pub samples: u32,
    /// Smooth the light afterwards.
    pub denoise: bool,
    /// What the colours of the bodies say; without a choice, the group if several groups move.
    pub colours: Option<Colours>,
    /// Where the camera stands, in degrees counter-clockwise from -y, seen from above. Flat scenes
    /// that lie are seen from above.
    pub azimuth: f32,
    /// How high the camera stands, in degrees above the horizon.
    pub elevation: f32,
    /// Where the camera stands, in the run's coordinates, instead of the two angles and a distance
    /// from which all is seen.
    pub camera: Option<DVec3>,
    /// What is in the middle of the picture, in the run's coordinates.
    pub look_at: Option<DVec3>,
    /// A direction of the run that points up in the picture.
    pub up: Option<DVec3>,
    /// Bodies are taken apart, by this share of their distances.
    pub explode: f64,
    /// What is behind everything, in red, green and blue; the floor runs into it.
    pub background: Option<[u8; 3]>,
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
            colours: None,
            azimuth: 28.0,
            elevation: 17.0,
            camera: None,
            look_at: None,
            up: None,
            explode: 0.0,
            background: None,
            seed: 0,
        }
    }
}
