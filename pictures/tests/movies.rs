//! From a run file to movies that others can read.

mod fixture;

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use fixture::{FRAMES, Fixture, small, stored};
use riprap_pictures::{MovieOptions, Options, Playback, Summary, render, render_still};

#[test]
fn bodies_turn_from_frame_to_frame() {
    let fixture = Fixture::turning();
    let playback = Playback::Even { seconds: 1.0 };
    let movie = MovieOptions { fps: 12, playback, there_and_back: false };
    assert_eq!(fixture.render("a.gif", &movie).unwrap().frames, 12, "turning is motion, too");
    assert_eq!(fixture.render("b.gif", &stored()).unwrap().frames, FRAMES);
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
