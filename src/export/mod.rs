//! Runs for other programs. The ending of the file's name decides the format;
//! numbers keep all their bits, in text as 17 digits. A file appears under its
//! name only when it is complete.

mod csv;
mod npz;
mod xyz;
mod zip;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::problem::{Problem, Result};
use crate::trajectory::{Frame, Reader};
use crate::world::Model;

/// Which frames to export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    #[default]
    All,
    /// This one, counted from 0.
    One(usize),
    Last,
}

/// Writes (part of) a run to a file of the format that its ending names.
///
/// ```no_run
/// use riprap::export::{Selection, export};
/// # fn main() -> riprap::Result<()> {
/// let run = riprap::trajectory::Reader::open("hourglass.riprap".as_ref())?;
/// export(&run, "heap.xyz".as_ref(), Selection::Last)?;
/// # Ok(())
/// # }
/// ```
pub fn export(reader: &Reader, path: &Path, frames: Selection) -> Result<()> {
    let format = Format::of(path)?;
    let frames = frames.range(reader)?;
    write_whole(path, |out| match format {
        Format::Xyz => write_text(reader, frames, out, "", xyz::block),
        Format::Csv => write_text(reader, frames, out, csv::TITLES, csv::block),
        Format::Npz => npz::write(reader, frames, out),
    })
}

#[derive(Clone, Copy)]
enum Format {
    Xyz,
    Csv,
    Npz,
}

impl Format {
    fn of(path: &Path) -> Result<Format> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("xyz") => Ok(Format::Xyz),
            Some("csv") => Ok(Format::Csv),
            Some("npz") => Ok(Format::Npz),
            other => {
                let message = match other {
                    Some(ending) => format!("no format has the ending .{ending}"),
                    None => "the name has no ending that would say the format".into(),
                };
                let help = "known endings: .xyz (extended XYZ), .csv, .npz (numpy)";
                Err(Problem::new(message).help(help).in_file(path))
            }
        }
    }
}

impl Selection {
    fn range(self, reader: &Reader) -> Result<Range<usize>> {
        let count = reader.len();
        match self {
            _ if count == 0 => Err(Problem::new("the run has no frames to export")),
            Selection::All => Ok(0..count),
            Selection::Last => Ok(count - 1..count),
            Selection::One(index) if index < count => Ok(index..index + 1),
            Selection::One(index) => Err(Problem::new(format!("there is no frame {index}"))
                .help(format!("the run has {count} frames, counted from 0"))),
        }
    }
}

/// Writes text frame by frame.
fn write_text(
    reader: &Reader,
    frames: Range<usize>,
    out: &mut BufWriter<File>,
    titles: &str,
    block: fn(&Model, usize, &Frame) -> String,
) -> Result<()> {
    out.write_all(titles.as_bytes()).map_err(cannot_write)?;
    for index in frames {
        let text = block(reader.model(), index, &reader.frame(index)?);
        out.write_all(text.as_bytes()).map_err(cannot_write)?;
    }
    Ok(())
}

/// Lets `write` fill a file of another name, which takes its place under
/// `path` when it is complete and goes away when anything fails.
fn write_whole(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let partial = partial_name(path);
    let result = File::create(&partial)
        .map_err(cannot_write)
        .and_then(|file| {
            let mut out = BufWriter::new(file);
            write(&mut out)?;
            out.flush().map_err(cannot_write)
        })
        .and_then(|()| fs::rename(&partial, path).map_err(cannot_write));
    result.map_err(|problem| {
        // It may not even exist; there is nothing more to be done about it.
        let _ = fs::remove_file(&partial);
        problem.in_file(path)
    })
}

/// A hidden name beside `path`, different for each process.
fn partial_name(path: &Path) -> PathBuf {
    let name = path.file_name().map_or("".into(), |name| name.to_string_lossy());
    path.with_file_name(format!(".{name}.{}.partial", std::process::id()))
}

fn cannot_write(error: io::Error) -> Problem {
    Problem::new(format!("cannot write the file: {error}"))
}

/// A number as text: 17 significant digits, enough to get every bit back.
fn digits(number: f64) -> String {
    format!("{number:.16e}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trajectory::{Writer, samples};

    /// A folder with a run of three frames of four bodies.
    fn run() -> (tempfile::TempDir, Reader) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sample.riprap");
        let mut writer = Writer::create(&path, false, &samples::model(4), "", &[]).unwrap();
        for step in 0..3 {
            writer.frame(&samples::frame(step, 4)).unwrap();
        }
        writer.end(&samples::ending()).unwrap();
        let reader = Reader::open(&path).unwrap();
        (folder, reader)
    }

    fn files(folder: &tempfile::TempDir) -> Vec<String> {
        let names = fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<_> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_ending_names_the_format() {
        let (folder, reader) = run();
        for name in ["a.xyz", "b.csv", "c.npz", "D.XYZ"] {
            export(&reader, &folder.path().join(name), Selection::All).unwrap();
        }
        assert_eq!(files(&folder), ["D.XYZ", "a.xyz", "b.csv", "c.npz", "sample.riprap"]);
        let refused =
            |name: &str| export(&reader, &folder.path().join(name), Selection::All).unwrap_err();
        assert_eq!(refused("run.docx").message, "no format has the ending .docx");
        assert!(refused("run.docx").help.unwrap().contains(".xyz (extended XYZ), .csv, .npz"));
        assert_eq!(refused("run").message, "the name has no ending that would say the format");
    }

    #[test]
    fn frames_are_selected() {
        let (folder, reader) = run();
        let path = folder.path().join("run.csv");
        let lines = |frames| {
            export(&reader, &path, frames).map(|()| {
                let text = fs::read_to_string(&path).unwrap();
                text.lines().skip(1).map(|line| line[..1].to_string()).collect::<Vec<_>>().concat()
            })
        };
        assert_eq!(lines(Selection::All).unwrap(), "000011112222");
        assert_eq!(lines(Selection::One(1)).unwrap(), "1111");
        assert_eq!(lines(Selection::Last).unwrap(), "2222");
        let problem = lines(Selection::One(3)).unwrap_err();
        assert_eq!(problem.message, "there is no frame 3");
        assert_eq!(problem.help.unwrap(), "the run has 3 frames, counted from 0");
    }

    #[test]
    fn a_run_without_frames_cannot_be_exported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("empty.riprap");
        drop(Writer::create(&path, false, &samples::model(4), "", &[]).unwrap());
        let reader = Reader::open(&path).unwrap();
        let result = export(&reader, &path.with_extension("xyz"), Selection::All);
        assert_eq!(result.unwrap_err().message, "the run has no frames to export");
    }

    #[test]
    fn nothing_half_written_is_left_behind() {
        let (folder, reader) = run();
        // Damage the last frame, so that exporting fails when it has begun.
        let path = folder.path().join("sample.riprap");
        let mut bytes = fs::read(&path).unwrap();
        let frame = bytes.windows(4).rposition(|tag| tag == b"FRAM").unwrap();
        bytes[frame + 30] ^= 1;
        fs::write(&path, bytes).unwrap();
        for name in ["run.xyz", "run.csv", "run.npz"] {
            let problem = export(&reader, &folder.path().join(name), Selection::All).unwrap_err();
            assert!(problem.message.starts_with("the checksum of frame 2"), "{problem}");
            assert_eq!(problem.place.unwrap().file, path, "the run is to blame");
        }
        assert_eq!(files(&folder), ["sample.riprap"]);
    }

    #[test]
    fn places_that_cannot_be_written_are_named() {
        let (folder, reader) = run();
        let missing = folder.path().join("no/such/folder/run.xyz");
        let taken = folder.path().join("folder.csv");
        fs::create_dir(&taken).unwrap();
        for path in [missing, taken] {
            let problem = export(&reader, &path, Selection::All).unwrap_err();
            assert!(problem.message.starts_with("cannot write the file: "), "{problem}");
            assert_eq!(problem.place.unwrap().file, path);
        }
        assert_eq!(files(&folder), ["folder.csv", "sample.riprap"]);
    }

    proptest! {
        #[test]
        fn digits_give_every_bit_back(bits: u64) {
            let number = f64::from_bits(bits);
            prop_assume!(!number.is_nan());
            prop_assert_eq!(digits(number).parse::<f64>().unwrap().to_bits(), bits);
        }
    }
}
