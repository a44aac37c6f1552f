//! From a run file to pictures.

use std::ffi::OsStr;
use std::path::Path;

use riprap::trajectory::Reader;
use riprap::{Problem, Result};

use crate::artist::Artist;
use crate::movie::{MovieOptions, Progress, Summary, render_movie};
use crate::paint::Painter;
use crate::view::View;
use crate::{Options, Picture};

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
    let index = chosen_frame(reader, frame)?;
    let (model, frame) = (reader.model_at(index), reader.frame(index)?);
    let painter = Painter::of_run(reader, options.colours)?;
    let artist = Artist::new(model, painter, View::of(model), &[&frame.state], options);
    let forces = reader.forces_at(index)?.unwrap_or_default();
    artist.draw(&frame.state, &forces, options)
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
