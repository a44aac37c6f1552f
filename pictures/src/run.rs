//! From a run file to pictures: which bodies there are, in which colours, and
//! what holds them.

use std::ffi::OsStr;
use std::path::Path;

use riprap::export::palette::{FORCES, SCALE, own_colours};
use riprap::shape::Boundary;
use riprap::trajectory::{Contact, Reader};
use riprap::world::Model;
use riprap::{Problem, Result};

use crate::movie::{MovieOptions, Progress, Summary, render_movie};
use crate::palette::{mixed, ramp, ramped};
use crate::picture::from_screen;
use crate::{Ball, Colours, Container, DVec3, Options, Picture, Stage, Vec3, render_frame};
use crate::{bodies, bricks};

/// Draws a frame of the run (the last one, unless another is named) as a
/// .png, or all of it as an .mp4 or a .gif, as the path's ending says.
pub fn render(
    reader: &Reader,
    path: &Path,
    frame: Option<usize>,
    options: &Options,
    movie: &MovieOptions,
    progress: Progress,
) -> Result<Summary> {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or("").to_ascii_lowercase();
    match (ending.as_str(), frame) {
        ("png", _) => {
            let picture = render_still(reader, frame, options)?;
            picture.save(path)?;
            Ok(Summary { width: picture.width, height: picture.height, frames: 1, complete: true })
        }
        ("mp4" | "gif", None) => render_movie(reader, path, options, movie, progress),
        ("mp4" | "gif", Some(frame)) => {
            Err(Problem::new(format!("frame {frame} alone makes no .{ending}"))
                .help("a single frame can be drawn as a .png; a movie shows all frames"))
        }
        _ => {
            Err(Problem::new(format!("cannot draw to {}: the ending is not known", path.display()))
                .help("a picture ends in .png, a movie in .mp4 or .gif"))
        }
    }
}

/// Draws one stored frame, the last one unless another is named.
pub fn render_still(reader: &Reader, frame: Option<usize>, options: &Options) -> Result<Picture> {
    options.check()?;
    let frame = chosen_frame(reader, frame)?;
    if reader.model().is_tower() {
        return bricks::render_still(reader, frame, options);
    }
    if reader.model().is_dynamic() {
        return bodies::render_still(reader, frame, options);
    }
    let painter = Painter::new(reader, options.colours)?;
    let balls = painter.paint(&reader.frame(frame)?.positions);
    render_frame(&painter.stage(&balls, options), &balls, options)
}

fn chosen_frame(reader: &Reader, frame: Option<usize>) -> Result<usize> {
    let Some(last) = reader.len().checked_sub(1) else {
        return Err(Problem::new("the run has no frames to draw")
            .help("run the scene for at least one step"));
    };
    match frame {
        Some(frame) if frame > last => Err(Problem::new(format!("there is no frame {frame}"))
            .help(format!("the run has {} frames, counted from 0 to {last}", last + 1))),
        frame => Ok(frame.unwrap_or(last)),
    }
}

impl Container {
    /// The boundary of a run's model.
    pub fn of(boundary: &Boundary) -> Container {
        let faces = boundary.faces();
        let segments: Vec<[DVec3; 2]> =
            faces.iter().filter_map(|face| face.corners.as_slice().try_into().ok()).collect();
        if !segments.is_empty() {
            return Container::Outline(segments);
        }
        Container::Surface(
            faces.iter().filter_map(|face| face.corners.as_slice().try_into().ok()).collect(),
        )
    }
}

/// Turns positions into coloured balls.
pub struct Painter<'a> {
    model: &'a Model,
    colours: Paint,
}

enum Paint {
    /// One colour per body, for the whole run.
    Fixed(Vec<Vec3>),
    /// By the way from the start; `farthest` is the yellow end of the ramp.
    Way { start: Vec<DVec3>, farthest: f64 },
}

impl<'a> Painter<'a> {
    pub fn new(reader: &'a Reader, colours: Colours) -> Result<Painter<'a>> {
        let model = reader.model();
        let bodies = &model.bodies;
        let fixed = match colours {
            Colours::Own => own_colours(model).into_iter().map(from_screen).collect(),
            Colours::Mix => (0..bodies.len() as u32).map(mixed).collect(),
            Colours::Radius => {
                let radii: Vec<f64> = bodies.iter().map(|body| body.radius).collect();
                ramped(&SCALE, &radii)
            }
            Colours::Force => {
                let contacts = reader.ending().map_or(&[][..], |ending| &ending.contacts);
                ramped(&FORCES, &loads(model, contacts))
            }
            Colours::Displacement => {
                let start = reader.frame(0)?.positions;
                let end = reader.frame(reader.len() - 1)?.positions;
                let ways = start.iter().zip(&end).map(|(a, b)| a.distance(*b));
                let farthest = ways.fold(0.0, f64::max).max(f64::MIN_POSITIVE);
                return Ok(Painter { model, colours: Paint::Way { start, farthest } });
            }
        };
        Ok(Painter { model, colours: Paint::Fixed(fixed) })
    }

    pub fn paint(&self, positions: &[DVec3]) -> Vec<Ball> {
        let colour = |body: usize, centre: DVec3| match &self.colours {
            Paint::Fixed(colours) => colours[body],
            Paint::Way { start, farthest } => ramp(start[body].distance(centre) / farthest),
        };
        let bodies = self.model.bodies.iter().zip(positions).enumerate();
        bodies
            .map(|(index, (body, &centre))| Ball {
                centre,
                radius: body.radius,
                colour: colour(index, centre),
            })
            .collect()
    }

    pub fn stage(&self, balls: &[Ball], options: &Options) -> Stage {
        Stage::new(&Container::of(&self.model.boundary), balls, options).dressed(self.model)
    }
}

/// The sum of the contact forces on each body.
fn loads(model: &Model, contacts: &[Contact]) -> Vec<f64> {
    let mut loads = vec![0.0; model.bodies.len()];
    for contact in contacts {
        for body in [Some(contact.body as usize), contact.with.body(model)].into_iter().flatten() {
            if let Some(load) = loads.get_mut(body) {
                *load += contact.force;
            }
        }
    }
    loads
}
