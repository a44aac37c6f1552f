//! Movies of a run: which moments to show ([`Playback`]), the pictures in a
//! folder beside the movie until it is complete, and the two kinds of movie files.

mod gif;
#[cfg(feature = "movie")]
mod h264;
#[cfg(feature = "movie")]
mod mp4;
mod playback;
mod quantise;
mod store;

use std::ops::ControlFlow;
use std::path::Path;

use riprap::trajectory::Reader;
use riprap::world::State;
use riprap::{Problem, Result};

use crate::artist::Artist;
use crate::paint::{Painter, spread};
use crate::view::View;
use crate::{Options, Picture};
pub use playback::Playback;
use playback::{Moment, shown_at};
use store::Store;

/// How a movie plays.
#[derive(Clone, Debug, PartialEq)]
pub struct MovieOptions {
    /// Pictures per second.
    pub fps: u32,
    /// Which moments it shows.
    pub playback: Playback,
    /// Play to the end and back again, for endless loops.
    pub there_and_back: bool,
}

impl Default for MovieOptions {
    fn default() -> Self {
        MovieOptions { fps: 25, playback: Playback::Even { seconds: 12.0 }, there_and_back: false }
    }
}

/// The camera sees everything in this many frames of the run.
const FRAMED: usize = 24;

/// Is called with the number of finished pictures and of all pictures, before
/// the first and after each; `Break` stops the work, and what is finished is kept.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>;

/// What was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The size may be one larger than asked for: .mp4 needs even numbers.
    pub width: usize,
    /// In pixels, as the width.
    pub height: usize,
    /// Pictures in the movie.
    pub frames: usize,
    /// `false` if the work was interrupted; the next call with the same input goes on with it.
    pub complete: bool,
}

/// A movie's pictures, ready to be encoded.
pub(crate) struct Reel<'a> {
    pub width: usize,
    pub height: usize,
    pub fps: u32,
    /// Which picture is shown when.
    pub order: Vec<usize>,
    pub picture: &'a dyn Fn(usize) -> Result<Picture>,
}

impl Reel<'_> {
    /// The pictures in the order in which they are shown.
    fn pictures(&self) -> impl Iterator<Item = Result<Picture>> + '_ {
        self.order.iter().map(|&number| {
            let picture = (self.picture)(number)?;
            if (picture.width, picture.height) != (self.width, self.height) {
                return Err(Problem::new(format!(
                    "picture {number} of the movie has another size than the rest"
                ))
                .help("delete the folder of the movie's frames and draw it again"));
            }
            Ok(picture)
        })
    }
}

/// The two kinds of movie files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Mp4,
    Gif,
}

/// Draws a run as a movie, an .mp4 or .gif by the path's ending.
pub fn render_movie(
    reader: &Reader,
    path: &Path,
    options: &Options,
    movie: &MovieOptions,
    progress: Progress,
) -> Result<Summary> {
    let kind = Kind::of(path)?;
    let options = kind.checked(options, movie)?;
    if reader.is_empty() {
        return Err(Problem::new("the run has no frames to draw")
            .help("run the scene for at least one step"));
    }
    let moments = movie.playback.plan(reader, movie.fps)?;
    let store = Store::open(path, &label(reader, &options, movie))?;
    let order = order(moments.len(), movie.there_and_back);
    let summary = Summary {
        width: options.width,
        height: options.height,
        frames: order.len(),
        complete: false,
    };
    if draw_pictures(reader, &store, &options, &moments, progress)?.is_break() {
        return Ok(summary);
    }
    let picture = |number| store.load(number);
    let reel = Reel {
        width: options.width,
        height: options.height,
        fps: movie.fps,
        order,
        picture: &picture,
    };
    kind.write(path, &reel)?;
    store.remove()?;
    Ok(Summary { complete: true, ..summary })
}

/// Draws the pictures that are not there yet.
fn draw_pictures(
    reader: &Reader,
    store: &Store,
    options: &Options,
    moments: &[Moment],
    progress: Progress,
) -> Result<ControlFlow<()>> {
    let artist = artist(reader, options)?;
    for (number, &moment) in moments.iter().enumerate() {
        if store.has(number) {
            continue;
        }
        if progress(number, moments.len()).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let (state, contacts) = shown_at(reader, moment)?;
        store.save(number, &artist.draw(&state, &contacts, options)?)?;
    }
    // All pictures are there: an interruption now has nothing left to interrupt.
    let _ = progress(moments.len(), moments.len());
    Ok(ControlFlow::Continue(()))
}

/// Sets a stage on which the whole run fits.
fn artist<'a>(reader: &'a Reader, options: &Options) -> Result<Artist<'a>> {
    let frames = spread(reader.len(), FRAMED).into_iter().map(|k| Ok(reader.frame(k)?.state));
    let states = frames.collect::<Result<Vec<State>>>()?;
    let shown: Vec<&State> = states.iter().collect();
    let model = reader.model();
    let painter = Painter::of_run(reader, options.colours)?;
    Ok(Artist::new(model, painter, View::of(model), &shown, options))
}

/// Tells the pictures of one movie from those of another: what they show and how.
fn label(reader: &Reader, options: &Options, movie: &MovieOptions) -> String {
    let (frames, header) = (reader.len(), reader.phases()[0].hash);
    let last = reader.stored_hash(frames - 1);
    let MovieOptions { fps, playback, .. } = movie;
    let version = env!("CARGO_PKG_VERSION");
    format!("{version} {header:016x} {last:016x} {frames}\n{options:?}\n{fps} {playback:?}\n")
}

/// Which picture is shown when: all of them, and back again without showing the ends twice.
fn order(pictures: usize, there_and_back: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..pictures).collect();
    if there_and_back && pictures > 2 {
        order.extend((1..pictures - 1).rev());
    }
    order
}

impl Kind {
    fn of(path: &Path) -> Result<Kind> {
        match path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase().as_str()
        {
            "mp4" => Ok(Kind::Mp4),
            "gif" => Ok(Kind::Gif),
            _ => Err(Problem::new(format!("cannot draw a movie to {}", path.display()))
                .help("a movie ends in .mp4 or .gif")),
        }
    }

    /// The options as this kind of movie needs them: even sizes for .mp4.
    fn checked(self, options: &Options, movie: &MovieOptions) -> Result<Options> {
        options.check()?;
        let (name, fastest) = match self {
            Kind::Mp4 => ("an .mp4", 240),
            Kind::Gif => ("a .gif", 50),
        };
        if !(1..=fastest).contains(&movie.fps) {
            return Err(Problem::new(format!(
                "{name} with {} pictures per second is impossible",
                movie.fps
            ))
            .help(format!("1 to {fastest} pictures per second; 25 is usual")));
        }
        let mut options = options.clone();
        if self == Kind::Mp4 {
            if cfg!(not(feature = "movie")) {
                return Err(Problem::new("this program was built without .mp4 movies")
                    .help("draw a .gif, or build it with the feature `movie`"));
            }
            options.width = options.width.next_multiple_of(2);
            options.height = options.height.next_multiple_of(2);
            let (long, short) =
                (options.width.max(options.height), options.width.min(options.height));
            if long > 3840 || !(16..=2160).contains(&short) {
                return Err(Problem::new(format!(
                    "an .mp4 of {}x{} pixels is impossible",
                    options.width, options.height
                ))
                .help("the sizes can be 16x16 to 3840x2160 (or 2160x3840)"));
            }
        }
        Ok(options)
    }

    fn write(self, path: &Path, reel: &Reel) -> Result<()> {
        crate::output::write_whole(path, |file| match self {
            #[cfg(feature = "movie")]
            Kind::Mp4 => h264::write(file, reel),
            #[cfg(not(feature = "movie"))]
            Kind::Mp4 => Err("this program was built without .mp4 movies".into()),
            Kind::Gif => gif::write(file, reel),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back_shows_the_ends_once() {
        assert_eq!(order(4, false), [0, 1, 2, 3]);
        assert_eq!(order(4, true), [0, 1, 2, 3, 2, 1]);
        assert_eq!(order(2, true), [0, 1]);
        assert_eq!(order(0, true), [0; 0]);
    }

    fn refused(kind: Kind, width: usize, height: usize, fps: u32) -> String {
        let options = Options { width, height, ..Options::default() };
        let movie = MovieOptions { fps, ..MovieOptions::default() };
        kind.checked(&options, &movie).unwrap_err().to_string()
    }

    #[test]
    fn impossible_movies_are_refused() {
        assert!(
            refused(Kind::Gif, 0, 10, 25).starts_with("a picture of 0x10 pixels is impossible")
        );
        assert!(refused(Kind::Gif, 10, 16385, 25).contains("1 to 16384"));
        assert!(refused(Kind::Gif, 10, 10, 60).contains("1 to 50 pictures per second"));
        assert!(refused(Kind::Mp4, 640, 480, 0).starts_with("an .mp4 with 0 pictures per second"));
        assert!(Kind::of(Path::new("a.avi")).unwrap_err().to_string().contains(".mp4 or .gif"));
    }

    #[cfg(feature = "movie")]
    #[test]
    fn mp4_sizes_are_rounded_up_to_even_ones() {
        let options = Options { width: 641, height: 479, ..Options::default() };
        let checked = Kind::Mp4.checked(&options, &MovieOptions::default()).unwrap();
        assert_eq!((checked.width, checked.height), (642, 480));
        assert!(
            refused(Kind::Mp4, 4000, 3000, 25)
                .starts_with("an .mp4 of 4000x3000 pixels is impossible")
        );
        assert!(refused(Kind::Mp4, 8, 8, 25).contains("16x16 to 3840x2160"));
    }

    #[cfg(not(feature = "movie"))]
    #[test]
    fn without_the_encoder_mp4_is_refused() {
        assert!(
            refused(Kind::Mp4, 640, 480, 25).starts_with("this program was built without .mp4")
        );
    }
}
