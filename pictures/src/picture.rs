//! A finished picture: 8-bit sRGB, the way from linear light to it, and PNG.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

use glam::Vec3;
use riprap::{Problem, Result};

/// Red, green and blue bytes, rows from the top.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels per row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Row by row.
    pub pixels: Vec<[u8; 3]>,
}

/// The largest width and height.
pub const LARGEST: usize = 16384;

impl Picture {
    /// Writes a PNG under a temporary name first, so that a file with the final name is always whole.
    pub fn save(&self, path: &Path) -> Result<()> {
        crate::output::write_whole(path, |file| Ok(self.encode(BufWriter::new(file))?))
    }

    fn encode(&self, file: impl Write) -> std::result::Result<(), png::EncodingError> {
        let mut encoder = png::Encoder::new(file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels.as_flattened())?;
        writer.finish()
    }

    /// Reads an 8-bit RGB PNG such as [`Picture::save`] writes.
    pub fn load(path: &Path) -> Result<Picture> {
        let unreadable = |e: &dyn std::fmt::Display| {
            Problem::new(format!("cannot read the picture: {e}")).in_file(path)
        };
        let file = File::open(path).map_err(|e| unreadable(&e))?;
        let mut reader =
            png::Decoder::new(BufReader::new(file)).read_info().map_err(|e| unreadable(&e))?;
        let (width, height) = (reader.info().width as usize, reader.info().height as usize);
        let plain = reader.output_color_type() == (png::ColorType::Rgb, png::BitDepth::Eight);
        if !plain || width > LARGEST || height > LARGEST {
            return Err(unreadable(&"it is not 8-bit RGB of a usual size"));
        }
        let mut pixels = vec![[0; 3]; width * height];
        reader.next_frame(pixels.as_flattened_mut()).map_err(|e| unreadable(&e))?;
        Ok(Picture { width, height, pixels })
    }
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Picture({}x{})", self.width, self.height)
    }
}

/// Linear light to a screen colour: highlights are bent toward white instead of cut off.
pub fn to_screen(light: Vec3) -> [u8; 3] {
    light.to_array().map(|c| (encode_srgb(shoulder(c.max(0.0))) * 255.0 + 0.5) as u8)
}

/// The light that looks like this colour on the screen: the inverse of [`to_screen`].
pub fn light_of(colour: [u8; 3]) -> Vec3 {
    let straight = |x: f32| match x <= KNEE {
        true => x,
        false => KNEE - (1.0 - KNEE) * ((1.0 - x.min(BRIGHTEST)) / (1.0 - KNEE)).ln(),
    };
    Vec3::from_array(from_screen(colour).to_array().map(straight))
}

/// Light above this is bent ...
const KNEE: f32 = 0.7;
/// ... and at most this much of it reaches the screen: white.
const BRIGHTEST: f32 = 0.9995;

/// The identity up to the knee, then smoothly toward 1.
fn shoulder(x: f32) -> f32 {
    if x <= KNEE { x } else { 1.0 - (1.0 - KNEE) * (-(x - KNEE) / (1.0 - KNEE)).exp() }
}

fn encode_srgb(x: f32) -> f32 {
    if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 }
}

/// An sRGB byte triple as linear light.
pub fn from_screen(colour: [u8; 3]) -> Vec3 {
    Vec3::from_array(colour.map(|byte| {
        let c = byte as f32 / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    }))
}

/// A colour as screens show it: the inverse of [`from_screen`].
pub fn screen_of(colour: Vec3) -> [u8; 3] {
    colour.to_array().map(|part| (encode_srgb(part.clamp(0.0, 1.0)) * 255.0 + 0.5) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dark_colours_keep_their_bytes_and_bright_ones_their_order() {
        let mut last = 0;
        for byte in 0..=255 {
            let [out, ..] = to_screen(from_screen([byte; 3]));
            assert!(out >= last && (byte > 200 || out == byte));
            last = out;
        }
        assert_eq!(to_screen(Vec3::new(-1.0, f32::NAN, 1e9)), [0, 0, 255]);
    }

    #[test]
    fn every_colour_has_its_light() {
        for byte in 0..=255 {
            assert_eq!(to_screen(light_of([byte; 3])), [byte; 3]);
        }
    }

    #[test]
    fn a_png_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let picture =
            Picture { width: 3, height: 2, pixels: (0..6).map(|i| [i, 40 * i, 255 - i]).collect() };
        picture.save(&path).unwrap();
        assert_eq!(Picture::load(&path).unwrap(), picture);
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            1,
            "no temporary file is left"
        );
    }

    #[test]
    fn problems_name_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        std::fs::write(&path, b"not a picture").unwrap();
        let problem = Picture::load(&path).unwrap_err();
        assert!(problem.message.starts_with("cannot read the picture"), "{problem}");
        assert!(problem.place.is_some());
        let picture = Picture { width: 1, height: 1, pixels: vec![[0; 3]] };
        let problem = picture.save(&folder.path().join("missing/a.png")).unwrap_err();
        assert!(problem.to_string().contains("missing"), "{problem}");
    }
}
