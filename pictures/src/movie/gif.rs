//! Pictures to an animated GIF: one palette for the whole movie, so that
//! nothing flickers, and only what has changed in each picture.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};

use gif::{DisposalMethod, Encoder, Frame, Repeat};

use super::Reel;
use super::quantise::{Census, Palette};
use crate::Picture;

/// At most this many pictures are looked at for the palette.
const CENSUS: usize = 40;
/// The last of 256 colours says: as before.
const UNCHANGED: u8 = 255;

pub fn write(file: &mut File, reel: &Reel) -> Result<(), Box<dyn Error>> {
    let mut palette = palette(reel)?;
    let mut colours = palette.colours.as_flattened().to_vec();
    colours.resize(3 * 256, 0);
    let mut file = BufWriter::new(file);
    let mut encoder = Encoder::new(&mut file, reel.width as u16, reel.height as u16, &colours)?;
    encoder.set_repeat(Repeat::Infinite)?;
    let mut shown: Vec<u8> = Vec::new();
    for (number, picture) in reel.pictures().enumerate() {
        let indices = indexed(&picture?, &mut palette);
        let mut frame = difference(&shown, &indices, reel.width);
        frame.delay = delay(number, reel.fps);
        encoder.write_frame(&frame)?;
        shown = indices;
    }
    drop(encoder); // writes the end mark
    Ok(file.flush()?)
}

fn palette(reel: &Reel) -> Result<Palette, Box<dyn Error>> {
    let mut census = Census::new();
    let looked_at = reel.order.len().min(CENSUS);
    for i in 0..looked_at {
        let number = reel.order[i * reel.order.len() / looked_at];
        census.count(&(reel.picture)(number)?);
    }
    Ok(census.palette(UNCHANGED as usize))
}

fn indexed(picture: &Picture, palette: &mut Palette) -> Vec<u8> {
    let width = picture.width;
    picture
        .pixels
        .iter()
        .enumerate()
        .map(|(i, &pixel)| palette.index(pixel, i % width, i / width))
        .collect()
}

/// GIF counts in hundredths of a second: rounded so that the sum stays right.
fn delay(number: usize, fps: u32) -> u16 {
    let until = |n: usize| (100 * n as u64 + u64::from(fps) / 2) / u64::from(fps);
    (until(number + 1) - until(number)) as u16
}

/// The smallest rectangle with all changes, in which unchanged pixels are transparent.
fn difference(shown: &[u8], next: &[u8], width: usize) -> Frame<'static> {
    if shown.is_empty() {
        return frame((0, 0), width, next.to_vec());
    }
    let changed = |i: &usize| shown[*i] != next[*i];
    let (mut left, mut right, mut top, mut bottom) = (width, 0, usize::MAX, 0);
    for i in (0..next.len()).filter(changed) {
        (left, right) = (left.min(i % width), right.max(i % width));
        (top, bottom) = (top.min(i / width), bottom.max(i / width));
    }
    if left > right {
        return frame((0, 0), 1, vec![UNCHANGED]); // nothing has: one pixel, and the time passes
    }
    let pixel = |i: usize| if shown[i] == next[i] { UNCHANGED } else { next[i] };
    let pixels = (top..=bottom)
        .flat_map(|y| (left..=right).map(move |x| y * width + x))
        .map(pixel)
        .collect();
    frame((left, top), right - left + 1, pixels)
}

fn frame((left, top): (usize, usize), width: usize, pixels: Vec<u8>) -> Frame<'static> {
    Frame {
        left: left as u16,
        top: top as u16,
        width: width as u16,
        height: (pixels.len() / width) as u16,
        transparent: Some(UNCHANGED),
        dispose: DisposalMethod::Keep,
        buffer: pixels.into(),
        ..Frame::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_add_up() {
        for fps in [1, 7, 24, 30, 50] {
            let total: u32 = (0..10 * fps as usize).map(|n| u32::from(delay(n, fps))).sum();
            assert_eq!(total, 1000, "at {fps} pictures per second");
        }
    }

    #[test]
    fn only_changes_are_stored() {
        let before = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let after = [0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 6, 0];
        let found = difference(&before, &after, 4);
        assert_eq!((found.left, found.top, found.width, found.height), (1, 1, 2, 2));
        assert_eq!(found.buffer.as_ref(), [5, UNCHANGED, UNCHANGED, 6]);
        assert_eq!(difference(&after, &after, 4).buffer.as_ref(), [UNCHANGED]);
    }
}
