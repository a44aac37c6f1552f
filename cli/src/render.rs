//! `riprap render`: pictures and movies.

use std::ops::ControlFlow;
use std::str::FromStr;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use riprap::export::write_whole;
use riprap::math::DVec3;
use riprap::trajectory::Reader;
use riprap::{Problem, Result};
use riprap_pictures::{MovieOptions, Options, Playback, colours_at, render as draw};
use riprap_viewer::{Picture, Strip, svg};

use crate::arguments::RenderOptions;
use crate::{Done, interrupt, output, show};

/// Width and height, as in `640x480`.
#[derive(Clone, Copy, Debug)]
pub struct Size(usize, usize);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let parts = text.split_once(['x', 'X']);
        let numbers = parts.and_then(|(w, h)| Some(Size(w.parse().ok()?, h.parse().ok()?)));
        numbers.ok_or_else(|| "write width x height in pixels, for example 640x480".to_string())
    }
}

/// Three numbers with commas between them.
#[derive(Clone, Copy, Debug)]
pub struct Point(DVec3);

impl FromStr for Point {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let numbers: Vec<f64> = text.split(',').filter_map(|x| x.trim().parse().ok()).collect();
        match numbers[..] {
            [x, y, z] if numbers.iter().all(|x| x.is_finite()) => Ok(Point(DVec3::new(x, y, z))),
            _ => Err("write three numbers, for example 3,-8,2".into()),
        }
    }
}

/// A colour as six hexadecimal digits.
#[derive(Clone, Copy, Debug)]
pub struct Rgb([u8; 3]);

impl FromStr for Rgb {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let digits = text.trim_start_matches('#');
        let number = u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 6);
        let [_, r, g, b] = number.ok_or("write a colour, for example ffffff")?.to_be_bytes();
        Ok(Rgb([r, g, b]))
    }
}

pub fn render(arguments: RenderOptions) -> Result<Done> {
    let interrupted = interrupt::listen()?;
    output::check(&arguments.out, arguments.force, &[&arguments.run])?;
    let reader = Reader::open(&arguments.run)?;
    let frame = match arguments.frame.as_deref() {
        None | Some("last") => None,
        Some(number) => Some(number.parse().map_err(|_| {
            Problem::new(format!("`{number}` is no frame"))
                .help("give a number counted from 0, or `last`")
        })?),
    };
    let ending = arguments.out.extension().map(|e| e.to_string_lossy().to_lowercase());
    check_options(&arguments, ending.as_deref().unwrap_or_default())?;
    show::check_share(arguments.explode)?;
    if ending.as_deref() == Some("svg") {
        return vector(&reader, &arguments, frame);
    }
    let Size(width, height) = arguments.size.unwrap_or(Size(640, 480));
    let options = Options {
        width,
        height,
        samples: arguments.samples.unwrap_or(4),
        colours: arguments.colour,
        camera: arguments.camera.map(|point| point.0),
        look_at: arguments.look_at.map(|point| point.0),
        up: arguments.up.map(|point| point.0),
        explode: arguments.explode.unwrap_or(0.0),
        background: arguments.background.map(|colour| colour.0),
        ..Default::default()
    };
    let fps = arguments.fps.unwrap_or(25);
    let seconds = arguments.seconds.unwrap_or(12.0);
    let movie = MovieOptions {
        fps,
        playback: match (arguments.every_frame, &arguments.pace[..]) {
            (true, _) => Playback::Stored,
            (false, []) => Playback::Even { seconds },
            (false, pace) => Playback::Varying { seconds, pace: pace.to_vec() },
        },
        there_and_back: arguments.there_and_back,
    };
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(
        "{bar:30} picture {pos} of {len}  [{elapsed} elapsed, {eta} left]",
    ) {
        bar.set_style(style);
    }
    let mut progress = |done: usize, all: usize| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
        match interrupted() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let drawn = draw(&reader, &arguments.out, frame, &options, &movie, &mut progress);
    bar.finish_and_clear();
    let drawn = drawn?;
    let out = arguments.out.display();
    if !drawn.complete {
        eprintln!("interrupted: the same command goes on where it stopped");
        return Ok(Done::Interrupted);
    }
    let size = format!("{}x{}", drawn.width, drawn.height);
    match drawn.frames {
        1 => eprintln!("{out}: {size}"),
        n => eprintln!("{out}: {size}, {n} pictures, {:.1} s", n as f64 / f64::from(fps)),
    }
    Ok(Done::Yes)
}

/// Refuses options that a file of this ending has no use for.
fn check_options(arguments: &RenderOptions, ending: &str) -> Result<()> {
    let (vector, still, movie) =
        (ending == "svg", ending == "png", matches!(ending, "mp4" | "gif"));
    if !(vector || still || movie) {
        // What is wrong there is the ending.
        return Ok(());
    }
    let RenderOptions { strip, forces, labels, fps, size, samples, camera, look_at, up, .. } =
        arguments;
    let options = [
        ("--strip", strip.is_some(), vector, ".svg"),
        ("--forces", *forces, vector, ".svg"),
        ("--labels", *labels, vector, ".svg"),
        ("--size", size.is_some(), !vector, ".png, .mp4 and .gif"),
        ("--samples", samples.is_some(), !vector, ".png, .mp4 and .gif"),
        ("--camera", camera.is_some(), !vector, ".png, .mp4 and .gif"),
        ("--look-at", look_at.is_some(), !vector, ".png, .mp4 and .gif"),
        ("--up", up.is_some(), !vector, ".png, .mp4 and .gif"),
        ("--fps", fps.is_some(), movie, ".mp4 and .gif"),
        ("--seconds", arguments.seconds.is_some(), movie, ".mp4 and .gif"),
        ("--pace", !arguments.pace.is_empty(), movie, ".mp4 and .gif"),
        ("--every-frame", arguments.every_frame, movie, ".mp4 and .gif"),
        ("--there-and-back", arguments.there_and_back, movie, ".mp4 and .gif"),
    ];
    match options.iter().find(|(_, given, used, _)| *given && !used) {
        None => Ok(()),
        Some((name, _, _, endings)) => {
            Err(Problem::new(format!("{name} has no effect on a .{ending}"))
                .help(format!("it is for {endings}: leave it out, or name another file")))
        }
    }
}

/// A scene as a vector picture.
fn vector(reader: &Reader, arguments: &RenderOptions, frame: Option<usize>) -> Result<Done> {
    let last = reader.len().saturating_sub(1);
    let strip = match arguments.strip {
        Some(count) => Strip::spread(count.into(), reader.len()),
        None => Strip { columns: 1, frames: vec![frame.unwrap_or(last)] },
    };
    let mut picture =
        Picture { forces: arguments.forces, labels: arguments.labels, ..Picture::new(strip) };
    picture.explode = arguments.explode.unwrap_or(0.0);
    picture.background = arguments.background.map(|colour| colour.0);
    if let Some(colours) = arguments.colour.filter(|_| !reader.is_empty()) {
        let of_frame = |&frame: &usize| colours_at(reader, frame.min(last), colours);
        picture.colours = picture.strip.frames.iter().map(of_frame).collect::<Result<_>>()?;
    }
    write_whole(&arguments.out, svg(reader, &picture)?)?;
    eprintln!("{}: {} frames", arguments.out.display(), picture.strip.frames.len());
    Ok(Done::Yes)
}
