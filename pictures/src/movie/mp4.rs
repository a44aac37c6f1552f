//! A small MP4 writer: one H.264 track of constant speed [ISO 14496-12, -15].
//! The index stands in front of the pictures, so that a movie can start before
//! all of it has arrived; room for it is set aside before the first picture.

use std::io::{Result, Seek, SeekFrom, Write};

/// What the index must say.
pub struct Track {
    pub width: u16,
    pub height: u16,
    pub fps: u32,
    /// Sequence and picture parameter sets, as the encoder gave them.
    pub sps: Vec<u8>,
    pub pps: Vec<u8>,
    pub samples: Vec<Sample>,
}

/// One encoded picture.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub bytes: u32,
    /// A picture that needs no other to be decoded.
    pub key: bool,
}

/// Ticks of the movie's clock per picture.
const TICKS: u32 = 100;

/// The bytes to set aside in front of the pictures for a movie of this many.
fn room(pictures: usize) -> u64 {
    2048 + 8 * pictures as u64
}

/// Writes the beginning of the file; encoded pictures follow.
pub fn begin(file: &mut (impl Write + Seek), pictures: usize) -> Result<()> {
    file.write_all(&FileType.bytes())?;
    free(file, room(pictures))?;
    // A size of 1 says that the real size follows, in eight bytes.
    file.write_all(&1_u32.to_be_bytes())?;
    file.write_all(b"mdat")?;
    file.write_all(&0_u64.to_be_bytes())
}

/// Writes the index and the final sizes.
pub fn finish(file: &mut (impl Write + Seek), track: &Track) -> Result<()> {
    let front = FileType.bytes().len() as u64;
    let room = room(track.samples.len());
    let end = file.stream_position()?;
    let index = movie(track, front + room + 16);
    let left = room - index.len() as u64;
    file.seek(SeekFrom::Start(front))?;
    file.write_all(&index)?;
    free(file, left)?;
    file.seek(SeekFrom::Start(front + room + 8))?;
    file.write_all(&(end - front - room).to_be_bytes())?;
    file.seek(SeekFrom::Start(end))?;
    file.flush()
}

/// An empty box of this size, header included.
fn free(file: &mut impl Write, size: u64) -> Result<()> {
    file.write_all(&(size as u32).to_be_bytes())?;
    file.write_all(b"free")?;
    std::io::copy(&mut std::io::Read::take(std::io::repeat(0), size - 8), file)?;
    Ok(())
}

/// Builds a box: size, name, contents.
struct Contents(Vec<u8>);

impl Contents {
    fn new() -> Contents {
        Contents(Vec::new())
    }

    /// Version 0 and these flags, the start of a "full box".
    fn full(flags: u32) -> Contents {
        Contents::new().u32(flags)
    }

    fn u8(mut self, value: u8) -> Self {
        self.0.push(value);
        self
    }

    fn u16(mut self, value: u16) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }

    fn u32(mut self, value: u32) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }

    fn zeros(mut self, count: usize) -> Self {
        self.0.resize(self.0.len() + count, 0);
        self
    }

    fn bytes(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.0.extend_from_slice(bytes.as_ref());
        self
    }

    fn in_box(self, name: &[u8; 4]) -> Vec<u8> {
        let size = self.0.len() as u32 + 8;
        Contents::new().u32(size).bytes(name).bytes(self.0).0
    }
}

struct FileType;

impl FileType {
    fn bytes(&self) -> Vec<u8> {
        Contents::new().bytes("isom").u32(512).bytes("isomiso2avc1mp41").in_box(b"ftyp")
    }
}

/// The whole index; `start` is where the first picture is in the file.
fn movie(track: &Track, start: u64) -> Vec<u8> {
    let duration = track.samples.len() as u32 * TICKS;
    let header = Contents::full(0)
        .zeros(8) // never created, never changed: equal movies are equal files
        .u32(track.fps * TICKS)
        .u32(duration)
        .u32(0x0001_0000) // normal speed
        .u16(0x0100) // full volume
        .zeros(10)
        .bytes(unit_matrix())
        .zeros(24)
        .u32(2) // the next free track number
        .in_box(b"mvhd");
    Contents::new().bytes(header).bytes(track_box(track, duration, start)).in_box(b"moov")
}

fn unit_matrix() -> Vec<u8> {
    let rows = [0x0001_0000, 0, 0, 0, 0x0001_0000, 0, 0, 0, 0x4000_0000];
    rows.into_iter().fold(Contents::new(), Contents::u32).0
}

fn track_box(track: &Track, duration: u32, start: u64) -> Vec<u8> {
    let header = Contents::full(3) // enabled, in the movie
        .zeros(8)
        .u32(1) // track number
        .zeros(4)
        .u32(duration)
        .zeros(16)
        .bytes(unit_matrix())
        .u32(u32::from(track.width) << 16)
        .u32(u32::from(track.height) << 16)
        .in_box(b"tkhd");
    let media_header = Contents::full(0)
        .zeros(8)
        .u32(track.fps * TICKS)
        .u32(duration)
        .u16(0x55c4) // no language
        .zeros(2)
        .in_box(b"mdhd");
    let handler =
        Contents::full(0).zeros(4).bytes("vide").zeros(12).bytes("video\0").in_box(b"hdlr");
    let media =
        Contents::new().bytes(media_header).bytes(handler).bytes(media_information(track, start));
    Contents::new().bytes(header).bytes(media.in_box(b"mdia")).in_box(b"trak")
}

fn media_information(track: &Track, start: u64) -> Vec<u8> {
    let video_header = Contents::full(1).zeros(8).in_box(b"vmhd");
    let here = Contents::full(1).in_box(b"url ");
    let references = Contents::full(0).u32(1).bytes(here).in_box(b"dref");
    let data = Contents::new().bytes(references).in_box(b"dinf");
    Contents::new()
        .bytes(video_header)
        .bytes(data)
        .bytes(sample_table(track, start))
        .in_box(b"minf")
}

fn sample_table(track: &Track, start: u64) -> Vec<u8> {
    let count = track.samples.len() as u32;
    let description = Contents::full(0).u32(1).bytes(sample_entry(track)).in_box(b"stsd");
    let times = Contents::full(0).u32(1).u32(count).u32(TICKS).in_box(b"stts");
    let keys: Vec<u32> =
        (1..).zip(&track.samples).filter(|(_, s)| s.key).map(|(number, _)| number).collect();
    let keys = keys
        .iter()
        .fold(Contents::full(0).u32(keys.len() as u32), |c, &key| c.u32(key))
        .in_box(b"stss");
    // All pictures are one chunk.
    let chunks = Contents::full(0).u32(1).u32(1).u32(count).u32(1).in_box(b"stsc");
    let sizes = track
        .samples
        .iter()
        .fold(Contents::full(0).u32(0).u32(count), |c, s| c.u32(s.bytes))
        .in_box(b"stsz");
    let offset = Contents::full(0).u32(1).u32(start as u32).in_box(b"stco");
    [description, times, keys, chunks, sizes, offset]
        .iter()
        .fold(Contents::new(), Contents::bytes)
        .in_box(b"stbl")
}

fn sample_entry(track: &Track) -> Vec<u8> {
    let colours = Contents::new().bytes("nclx").u16(1).u16(1).u16(1).u8(0).in_box(b"colr"); // BT.709, limited range
    Contents::new()
        .zeros(6)
        .u16(1) // the first (only) data reference
        .zeros(16)
        .u16(track.width)
        .u16(track.height)
        .u32(0x0048_0000) // 72 dots per inch, both ways
        .u32(0x0048_0000)
        .zeros(4)
        .u16(1) // one picture per sample
        .zeros(32)
        .u16(24) // bits per pixel
        .u16(0xffff)
        .bytes(decoder_configuration(track))
        .bytes(colours)
        .in_box(b"avc1")
}

fn decoder_configuration(track: &Track) -> Vec<u8> {
    let level = |i: usize| track.sps.get(i).copied().unwrap_or(0);
    let base = Contents::new()
        .u8(1)
        .u8(level(1)) // profile
        .u8(level(2))
        .u8(level(3))
        .u8(0xff) // units are preceded by their size in four bytes
        .u8(0xe1) // one sequence parameter set
        .u16(track.sps.len() as u16)
        .bytes(&track.sps)
        .u8(1) // one picture parameter set
        .u16(track.pps.len() as u16)
        .bytes(&track.pps);
    // The high profiles also say which colours they keep: 4:2:0, 8 bits.
    let high = [100, 110, 122, 144].contains(&level(1));
    let whole = if high { base.u8(0xfd).u8(0xf8).u8(0xf8).u8(0) } else { base };
    whole.in_box(b"avcC")
}
