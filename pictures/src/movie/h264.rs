//! Pictures to H.264, by the openh264 encoder, into an MP4 file.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};

use openh264::OpenH264API;
use openh264::encoder::{
    Complexity, EncodedBitStream, Encoder, EncoderConfig, FrameRate, IntraFramePeriod, QpRange,
    RateControlMode, UsageType, VuiConfig,
};
use openh264::formats::YUVSlices;

use riprap::Problem;

use super::Reel;
use super::mp4::{self, Sample, Track};
use crate::Picture;

/// The encoder's step of quantisation, 0 to 51: 20 is hard to tell from the original.
const COARSENESS: u8 = 20;

/// Encodes all pictures of the reel, one at a time.
pub fn write(file: &mut File, reel: &Reel) -> Result<(), Box<dyn Error>> {
    let mut encoder = encoder(reel).map_err(failed)?;
    let mut file = BufWriter::new(file);
    let mut track = Track {
        width: reel.width as u16,
        height: reel.height as u16,
        fps: reel.fps,
        sps: Vec::new(),
        pps: Vec::new(),
        samples: Vec::new(),
    };
    mp4::begin(&mut file, reel.order.len())?;
    for picture in reel.pictures() {
        let planes = Planes::of(&picture?);
        let encoded = encoder.encode(&planes.source()).map_err(failed)?;
        let sample = write_sample(&mut file, &encoded, &mut track)?;
        track.samples.push(sample);
    }
    Ok(mp4::finish(&mut file, &track)?)
}

fn failed(error: impl std::fmt::Display) -> Problem {
    Problem::new(format!("the movie encoder failed: {error}"))
        .help("draw a .gif instead, or a smaller .mp4")
}

fn encoder(reel: &Reel) -> Result<Encoder, openh264::Error> {
    let config = EncoderConfig::new()
        // With one coarseness only, this mode has nothing to decide: quality is constant.
        .rate_control_mode(RateControlMode::Bufferbased)
        .qp(QpRange::new(COARSENESS, COARSENESS))
        .adaptive_quantization(false)
        .skip_frames(false)
        .max_frame_rate(FrameRate::from_hz(reel.fps as f32))
        .usage_type(UsageType::CameraVideoRealTime)
        .complexity(Complexity::High)
        .scene_change_detect(false)
        // A new start every two seconds, for those who jump about in the movie.
        .intra_frame_period(IntraFramePeriod::from_num_frames(2 * reel.fps))
        .num_threads(1) // more would cut the pictures into pieces
        .vui(VuiConfig::bt709());
    Encoder::with_api_config(OpenH264API::from_source(), config)
}

/// Writes the units of one encoded picture, each after its size; parameter sets go into the track instead.
fn write_sample(
    file: &mut impl Write,
    encoded: &EncodedBitStream,
    track: &mut Track,
) -> Result<Sample, Box<dyn Error>> {
    let mut sample = Sample { bytes: 0, key: false };
    for layer in (0..encoded.num_layers()).filter_map(|i| encoded.layer(i)) {
        for unit in (0..layer.nal_count()).filter_map(|i| layer.nal_unit(i)) {
            let unit = without_start_code(unit);
            match unit.first().map(|header| header & 0x1f) {
                Some(7) => track.sps = unit.to_vec(),
                Some(8) => track.pps = unit.to_vec(),
                Some(kind) => {
                    sample.key |= kind == 5;
                    sample.bytes += unit.len() as u32 + 4;
                    file.write_all(&(unit.len() as u32).to_be_bytes())?;
                    file.write_all(unit)?;
                }
                None => {}
            }
        }
    }
    if sample.bytes == 0 { Err(failed("it left a picture out").into()) } else { Ok(sample) }
}

/// A unit begins after zeros and a one.
fn without_start_code(unit: &[u8]) -> &[u8] {
    let zeros = unit.iter().take_while(|&&byte| byte == 0).count();
    if zeros >= 2 && unit.get(zeros) == Some(&1) { &unit[zeros + 1..] } else { unit }
}

/// A picture as brightness and two half-size colour planes [ITU-R BT.709].
struct Planes {
    width: usize,
    height: usize,
    y: Vec<u8>,
    cb: Vec<u8>,
    cr: Vec<u8>,
}

impl Planes {
    /// Both sizes of the picture are even.
    fn of(picture: &Picture) -> Planes {
        let (width, height) = (picture.width, picture.height);
        let y = picture
            .pixels
            .iter()
            .map(|&p| brightness(p.map(f32::from)))
            .map(|y| limited(16.0, 219.0, y))
            .collect();
        let (mut cb, mut cr) =
            (Vec::with_capacity(width * height / 4), Vec::with_capacity(width * height / 4));
        for rows in picture.pixels.chunks_exact(2 * width) {
            for x in (0..width).step_by(2) {
                let four = [rows[x], rows[x + 1], rows[width + x], rows[width + x + 1]];
                let mean: [f32; 3] = std::array::from_fn(|c| {
                    four.iter().map(|p| f32::from(p[c])).sum::<f32>() / 4.0
                });
                cb.push(limited(128.0, 224.0, (mean[2] - brightness(mean)) / 1.8556));
                cr.push(limited(128.0, 224.0, (mean[0] - brightness(mean)) / 1.5748));
            }
        }
        Planes { width, height, y, cb, cr }
    }

    fn source(&self) -> YUVSlices<'_> {
        let strides = (self.width, self.width / 2, self.width / 2);
        YUVSlices::new((&self.y, &self.cb, &self.cr), (self.width, self.height), strides)
    }
}

fn brightness([r, g, b]: [f32; 3]) -> f32 {
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// A value of the range 255 in the narrower range of video.
fn limited(zero: f32, range: f32, value: f32) -> u8 {
    (zero + value * (range / 255.0) + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_codes_are_dropped() {
        assert_eq!(without_start_code(&[0, 0, 0, 1, 0x67, 0]), [0x67, 0]);
        assert_eq!(without_start_code(&[0, 0, 1, 0x68]), [0x68]);
        assert_eq!(without_start_code(&[0x65, 0, 1]), [0x65, 0, 1]);
        assert!(without_start_code(&[]).is_empty());
    }

    #[test]
    fn colours_become_video_levels() {
        let plain = |colour| Planes::of(&Picture { width: 2, height: 2, pixels: vec![colour; 4] });
        let levels = |p: Planes| (p.y[0], p.cb[0], p.cr[0]);
        assert_eq!(levels(plain([0, 0, 0])), (16, 128, 128));
        assert_eq!(levels(plain([255, 255, 255])), (235, 128, 128));
        assert_eq!(levels(plain([255, 0, 0])), (63, 102, 240));
        assert_eq!(levels(plain([0, 0, 255])), (32, 240, 118));
    }
}
