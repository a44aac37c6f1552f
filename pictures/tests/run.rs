//! From a run file to pictures and movies that others can read.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use riprap::math::DVec3;
use riprap::scene::Settle;
use riprap::shape::{Boundary, Mesh};
use riprap::trajectory::{
    Contact, Ending, Frame, Outcome, Reader, StepKind, StepReport, With, Writer,
};
use riprap::world::{Body, Model};
use riprap_pictures::{
    Colours, MovieOptions, Options, Picture, Playback, Summary, render, render_still,
};

/// A folder with a short run of three spheres that fall in a box.
struct Fixture {
    folder: tempfile::TempDir,
    reader: Reader,
}

const FRAMES: usize = 5;

impl Fixture {
    fn new() -> Fixture {
        Fixture::of(Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::splat(4.0))), 3)
    }

    fn of(boundary: Boundary, dimension: usize) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.riprap");
        let body = |radius: f64, group: u32| Body::new(radius, 1.0, group);
        let model = Model {
            name: "three".into(),
            dimension,
            bodies: vec![body(0.5, 0), body(0.7, 1), body(0.4, 0)],
            groups: vec!["a".into(), "b".into()],
            boundary,
            gravity: DVec3::NEG_Z,
            settle: Settle::default(),
            seed: 0,
            ..Default::default()
        };
        let mut writer = Writer::create(&path, false, &model, "", &[]).unwrap();
        for step in 0..FRAMES {
            let height = 3.0 - 0.5 * step as f64;
            let place = |i: usize| {
                DVec3::new(0.8 + 1.2 * i as f64, 2.0, if dimension == 3 { height } else { 0.0 })
            };
            let frame = Frame {
                step: step as u64,
                kind: if step == 0 { StepKind::Start } else { StepKind::Settle },
                energy: height,
                positions: (0..3).map(place).collect(),
                report: StepReport::default(),
                bricks: None,
            };
            writer.frame(&frame).unwrap();
        }
        let force = |body, with, force| Contact { body, with, force };
        let contacts = vec![force(0, With::Face(0), 1.0), force(1, With::Body(2, [0; 3]), 2.0)];
        let ending = Ending {
            outcome: Outcome::Rest,
            contacts,
            certificate: None,
            seconds: 0.0,
            cpu_seconds: 0.0,
            acts: Vec::new(),
        };
        writer.end(&ending).unwrap();
        Fixture { reader: Reader::open(&path).unwrap(), folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn render(&self, name: &str, movie: &MovieOptions) -> riprap::Result<Summary> {
        render(&self.reader, &self.path(name), None, &small(), movie, &mut |_, _| {
            ControlFlow::Continue(())
        })
    }

    /// The problem with a file name and a frame.
    fn problem(&self, name: &str, frame: Option<usize>) -> String {
        let go_on = &mut |_, _| ControlFlow::Continue(());
        let result = render(
            &self.reader,
            &self.path(name),
            frame,
            &small(),
            &MovieOptions::default(),
            go_on,
        );
        result.unwrap_err().to_string()
    }
}

fn small() -> Options {
    Options { width: 40, height: 30, samples: 1, ..Options::default() }
}

fn stored() -> MovieOptions {
    MovieOptions { playback: Playback::Stored, ..MovieOptions::default() }
}

#[test]
fn a_picture_of_the_last_frame() {
    let fixture = Fixture::new();
    let summary = fixture.render("a.png", &stored()).unwrap();
    assert_eq!(summary, Summary { width: 40, height: 30, frames: 1, complete: true });
    let drawn = Picture::load(&fixture.path("a.png")).unwrap();
    assert_eq!(drawn, render_still(&fixture.reader, Some(FRAMES - 1), &small()).unwrap());
    assert_ne!(drawn, render_still(&fixture.reader, Some(0), &small()).unwrap());
}

#[test]
fn every_kind_of_colours_draws() {
    let fixture = Fixture::new();
    let draw =
        |colours| render_still(&fixture.reader, None, &Options { colours, ..small() }).unwrap();
    let pictures =
        [Colours::Own, Colours::Mix, Colours::Radius, Colours::Displacement, Colours::Force]
            .map(draw);
    assert!((1..5).all(|i| pictures[i] != pictures[i - 1]));
}

#[test]
fn a_flat_run_draws() {
    let square = Boundary::from_polygon(&[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]]);
    let fixture = Fixture::of(square, 2);
    let picture = render_still(&fixture.reader, None, &small()).unwrap();
    let mut colours = picture.pixels.clone();
    colours.sort();
    colours.dedup();
    assert!(colours.len() > 100);
}

#[test]
fn an_hourglass_gets_its_frame() {
    let brown = |p: &&[u8; 3]| p[0] as i32 > p[2] as i32 + 40;
    let options = Options { width: 80, height: 60, samples: 2, ..small() };
    let wood = |waist: f64| {
        let profile = Mesh::profile(&[[0.0, 2.0], [3.0, waist], [6.0, 2.0]], 24);
        let fixture = Fixture::of(Boundary::from_mesh(&profile), 3);
        let picture = render_still(&fixture.reader, None, &options).unwrap();
        picture.pixels.iter().filter(brown).count()
    };
    let (hourglass, barrel) = (wood(0.5), wood(2.0));
    assert!(hourglass > barrel + 100, "{hourglass} brown pixels, {barrel} in a barrel");
}

#[test]
fn what_can_not_be_drawn_is_told() {
    let fixture = Fixture::new();
    assert!(
        fixture.problem("a.bmp", None).contains("a picture ends in .png, a movie in .mp4 or .gif")
    );
    assert!(fixture.problem("noending", None).contains("the ending is not known"));
    assert!(fixture.problem("a.gif", Some(1)).starts_with("frame 1 alone makes no .gif"));
    assert_eq!(
        fixture.problem("a.png", Some(5)),
        "there is no frame 5\n  help: the run has 5 frames, counted from 0 to 4"
    );
    assert!(fixture.problem("nowhere/a.png", None).contains("nowhere/a.png"));
}

/// All frames of a GIF, with their delays.
fn read_gif(path: &Path) -> (usize, usize, Vec<u16>) {
    let mut decoder = gif::DecodeOptions::new().read_info(fs::File::open(path).unwrap()).unwrap();
    let (width, height) = (decoder.width() as usize, decoder.height() as usize);
    let mut delays = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        delays.push(frame.delay);
    }
    (width, height, delays)
}

#[test]
fn a_gif_reads_back() {
    let fixture = Fixture::new();
    let summary = fixture.render("a.gif", &stored()).unwrap();
    assert_eq!((summary.frames, summary.complete), (FRAMES, true));
    assert_eq!(read_gif(&fixture.path("a.gif")), (40, 30, vec![4; FRAMES]));
    let names: Vec<_> =
        fs::read_dir(fixture.folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "only the run and the movie are left: {names:?}");
}

#[test]
fn there_and_back_at_even_speed() {
    let fixture = Fixture::new();
    let playback = Playback::Even { seconds: 1.0 };
    let movie = MovieOptions { fps: 12, playback, there_and_back: true };
    assert_eq!(fixture.render("a.gif", &movie).unwrap().frames, 22);
    assert_eq!(read_gif(&fixture.path("a.gif")).2.len(), 22);
}

#[test]
fn an_interrupted_movie_goes_on_where_it_stopped() {
    let fixture = Fixture::new();
    let mut seen = Vec::new();
    let mut draw = |name: &str, stop_at: usize| {
        seen.clear();
        let mut progress = |done, all| {
            seen.push((done, all));
            if done == stop_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let summary =
            render(&fixture.reader, &fixture.path(name), None, &small(), &stored(), &mut progress)
                .unwrap();
        (summary.complete, seen.clone())
    };
    assert_eq!(draw("a.gif", 2), (false, vec![(0, 5), (1, 5), (2, 5)]));
    assert!(!fixture.path("a.gif").exists());
    assert_eq!(draw("a.gif", 99), (true, vec![(2, 5), (3, 5), (4, 5), (5, 5)]));
    draw("b.gif", 99);
    assert_eq!(fs::read(fixture.path("a.gif")).unwrap(), fs::read(fixture.path("b.gif")).unwrap());
}

#[cfg(feature = "movie")]
mod mp4 {
    use super::*;
    use openh264::decoder::Decoder;
    use openh264::formats::YUVSource;

    /// The contents of the box at a path of names, and where they begin.
    fn find<'a>(mut bytes: &'a [u8], names: &[&str]) -> (usize, &'a [u8]) {
        let mut offset = 0;
        for name in names {
            let mut at = 0;
            loop {
                let size32 = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
                let header = if size32 == 1 { 16 } else { 8 };
                let size = if size32 == 1 {
                    u64::from_be_bytes(bytes[at + 8..at + 16].try_into().unwrap()) as usize
                } else {
                    size32
                };
                assert!(
                    size >= header && at + size <= bytes.len(),
                    "a box of {size} bytes at {at}"
                );
                if &bytes[at + 4..at + 8] == name.as_bytes() {
                    offset += at + header;
                    bytes = &bytes[at + header..at + size];
                    break;
                }
                at += size;
            }
        }
        (offset, bytes)
    }

    fn number(bytes: &[u8], at: usize) -> usize {
        u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
    }

    const TABLE: [&str; 5] = ["moov", "trak", "mdia", "minf", "stbl"];

    /// Sizes of the samples, and where the first one starts.
    fn samples(file: &[u8]) -> (usize, Vec<usize>) {
        let path = |name| TABLE.into_iter().chain([name]).collect::<Vec<_>>();
        let (_, sizes) = find(file, &path("stsz"));
        let (_, offset) = find(file, &path("stco"));
        let count = number(sizes, 8);
        (number(offset, 8), (0..count).map(|i| number(sizes, 12 + 4 * i)).collect())
    }

    #[test]
    fn an_mp4_decodes_to_the_right_pictures() {
        let fixture = Fixture::new();
        let options = Options { width: 63, height: 48, samples: 1, ..Options::default() };
        let path = fixture.path("a.mp4");
        let summary = render(&fixture.reader, &path, None, &options, &stored(), &mut |_, _| {
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(summary, Summary { width: 64, height: 48, frames: FRAMES, complete: true });
        let file = fs::read(&path).unwrap();
        let (start, sizes) = samples(&file);
        let (data, contents) = find(&file, &["mdat"]);
        assert_eq!((start, sizes.iter().sum::<usize>()), (data, contents.len()));
        assert!(find(&file, &["moov"]).0 < data, "the index comes first");
        assert_eq!(sizes.len(), FRAMES);

        // The decoder wants start codes where the file has sizes.
        let path = TABLE.into_iter().chain(["stsd"]).collect::<Vec<_>>();
        let (_, description) = find(&file, &path);
        let (_, config) = find(&description[8 + 8 + 78..], &["avcC"]);
        let sps_size = u16::from_be_bytes([config[6], config[7]]) as usize;
        let sps = &config[8..8 + sps_size];
        let pps = &config[8 + sps_size + 3..];
        let mut stream: Vec<u8> = [&[0, 0, 0, 1], sps, &[0, 0, 0, 1], pps].concat();
        let mut decoder = Decoder::new().unwrap();
        decoder.decode(&stream).unwrap();
        let mut at = start;
        for (frame, size) in sizes.into_iter().enumerate() {
            stream.clear();
            let end = at + size;
            while at < end {
                let unit = number(&file, at);
                stream.extend([0, 0, 0, 1]);
                stream.extend(&file[at + 4..at + 4 + unit]);
                at += 4 + unit;
            }
            let decoded = decoder.decode(&stream).unwrap().expect("every sample is a picture");
            assert_eq!(decoded.dimensions(), (64, 48));
            let drawn = render_still(
                &fixture.reader,
                Some(frame),
                &Options { width: 64, ..options.clone() },
            )
            .unwrap();
            let mean = drawn.pixels.iter().map(|p| f64::from(p[1])).sum::<f64>()
                / drawn.pixels.len() as f64;
            let (stride, ..) = decoded.strides();
            let rows = (0..48).map(|y| &decoded.y()[y * stride..y * stride + 64]);
            let level = rows.flatten().map(|&y| (f64::from(y) - 16.0) / 219.0 * 255.0).sum::<f64>()
                / (64.0 * 48.0);
            assert!(
                (level - mean).abs() < 6.0,
                "frame {frame} has the brightness {level}, drawn with {mean}"
            );
        }
    }

    #[test]
    fn other_programs_can_read_an_mp4() {
        let fixture = Fixture::new();
        fixture.render("a.mp4", &stored()).unwrap();
        let mut probe = std::process::Command::new("ffprobe");
        probe.args([
            "-v",
            "error",
            "-count_frames",
            "-show_entries",
            "stream=width,height,nb_read_frames",
            "-of",
            "csv=p=0",
        ]);
        match probe.arg(fixture.path("a.mp4")).output() {
            Ok(output) => assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "40,30,5"),
            Err(_) => eprintln!(
                "SKIPPED: ffprobe is not installed, so no other program has read the movie"
            ),
        }
    }
}

#[test]
fn rigid_bodies_in_motion_are_drawn_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("car.riprap");
    let never = std::sync::atomic::AtomicBool::new(false);
    let options = riprap::run::Options {
        out: out.clone(),
        force: true,
        max_steps: Some(30),
        interrupted: &never,
        progress: &mut |_| (),
    };
    riprap::run::run(&riprap::scene::gallery::scene("car").unwrap(), options).unwrap();
    let reader = Reader::open(&out).unwrap();
    let tiny = Options { width: 48, height: 36, samples: 1, ..Options::default() };
    let draw = |frame: usize| render_still(&reader, Some(frame), &tiny).unwrap();
    assert_eq!(draw(0), draw(0));
    assert_ne!(draw(0), draw(30), "the car has moved");
    let movie = folder.path().join("car.gif");
    let how = MovieOptions { playback: Playback::Stored, ..MovieOptions::default() };
    let mut quietly = |_, _| ControlFlow::Continue(());
    let drawn = render(&reader, &movie, None, &tiny, &how, &mut quietly).unwrap();
    assert_eq!(drawn.frames, 31);
}
