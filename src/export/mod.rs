//! Runs for other programs. The ending of the file's name decides the format;
//! numbers keep all their bits where the format can hold them, in text as 17
//! digits. A file appears under its name only when it is complete. All pictures
//! share one [`palette`], and those of what stands or falls one [`exhibit`].
//!
//! | ending | for | contents |
//! |---|---|---|
//! | `.xyz` | OVITO, ASE | extended XYZ, every frame; other bodies as the spheres around them, turned |
//! | `.csv` | tables | one line per body and frame; `time` where the run has it |
//! | `.npz` | numpy | every frame with turns, velocities and contacts, shapes, the container |
//! | `.dump` | LAMMPS, OVITO | every frame; spheres only |
//! | `.data` | LAMMPS | one frame to start from, for `atom_style sphere`; spheres only |
//! | `.pvd` | ParaView | every frame, in a folder `NAME_pvd` beside it, at its time where each has its own |
//! | `.vtp` | ParaView | one frame; surfaces in `NAME_shapes.vtp`, forces in `NAME_forces.vtp` |
//! | `.glb` | Blender | animated bodies and cloth in single precision, thinned to 16 MB |
//! | `.stl`, `.obj` | meshers, printers | one frame as triangles: true shapes, turned, and cloth |
//!
//! `radius` is everywhere that of the smallest sphere about the centre of mass that holds the
//! body: of a ball its own. `force` is a force everywhere, too: where a run knows the impulses of
//! its time steps, their mean over the step. What is round has up to 32 sides, and fewer where a
//! file of triangles would have more than a million of them (balls from 5120 triangles down to
//! 20, others down to 8 sides); the file says how many. Corners of polytopes are always exact.

mod base64;
mod csv;
mod drafts;
pub mod exhibit;
mod force_lines;
mod format;
mod glb;
mod gltf;
mod heap;
mod lammps;
mod npz;
pub mod palette;
mod pvd;
mod selection;
mod sphere;
mod surfaces;
mod vtp;
mod xyz;
mod zip;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use crate::problem::Result;
use crate::trajectory::{Frame, Reader};
use crate::world::Model;
use drafts::{Drafts, put};
use format::Format;

pub use base64::base64;
pub use drafts::write_whole;
pub use selection::Selection;

/// What to export, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Which frames; without a choice, what suits the format.
    pub frames: Selection,
    /// Of several frames, only every so many and the last.
    pub every: Option<NonZeroUsize>,
}

/// Writes (part of) a run to a file of the format that its ending names.
///
/// ```no_run
/// use riprap::export::{Options, Selection, export};
/// # fn main() -> riprap::Result<()> {
/// let run = riprap::trajectory::Reader::open("hourglass.riprap".as_ref())?;
/// let options = Options { frames: Selection::One(100), ..Options::default() };
/// export(&run, "heap.stl".as_ref(), &options)?;
/// # Ok(())
/// # }
/// ```
pub fn export(reader: &Reader, path: &Path, options: &Options) -> Result<()> {
    let format = Format::of(path)?;
    let frames = options.frames.pick(options.every, reader.len(), format)?;
    let mut drafts = Drafts::default();
    write(reader, &frames, format, path, &mut drafts)?;
    drafts.publish()
}

/// What an export may write beside the file that it is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// Files of their own.
    pub files: Vec<PathBuf>,
    /// A folder that is replaced as a whole.
    pub folder: Option<PathBuf>,
}

/// What [`export`] to this name may write beside it.
///
/// ```
/// let beside = riprap::export::beside("runs/a.pvd".as_ref());
/// assert_eq!(beside.folder, Some("runs/a_pvd".into()));
/// ```
pub fn beside(path: &Path) -> Beside {
    match Format::of(path) {
        Ok(Format::Pvd) => Beside { folder: Some(pvd::folder(path)), ..Beside::default() },
        Ok(Format::Vtp) => Beside { files: vtp::beside(path).to_vec(), folder: None },
        _ => Beside::default(),
    }
}

fn write(
    reader: &Reader,
    frames: &[usize],
    format: Format,
    path: &Path,
    drafts: &mut Drafts,
) -> Result<()> {
    match format {
        Format::Xyz => drafts.file(path, |out| {
            each_frame(reader, frames, |model, index, frame| {
                put(out, xyz::block(model, reader.time_at(index), frame))
            })
        }),
        Format::Csv => drafts.file(path, |out| {
            let columns = csv::Columns::of(reader.moving_model(), &reader.frame(0)?);
            put(out, columns.titles())?;
            each_frame(reader, frames, |model, index, frame| {
                put(out, columns.block(model, index, reader.time_at(index), frame))
            })
        }),
        Format::Npz => drafts.file(path, |out| npz::write(reader, frames, out)),
        Format::Dump => drafts.file(path, |out| {
            lammps::check_spheres(reader.model())?;
            each_frame(reader, frames, |model, _, frame| put(out, lammps::dump_block(model, frame)))
        }),
        Format::Data => drafts.file(path, |out| {
            lammps::check_spheres(reader.model())?;
            each_frame(reader, frames, |model, index, frame| {
                put(out, lammps::data(model, index, frame))
            })
        }),
        Format::Pvd => pvd::write(reader, frames, path, drafts),
        Format::Vtp => frames.iter().try_for_each(|&index| vtp::write(reader, index, path, drafts)),
        Format::Glb => drafts.file(path, |out| put(out, glb::file(reader, frames)?)),
        Format::Stl => drafts.file(path, |out| {
            each_frame(reader, frames, |model, index, frame| {
                put(out, heap::stl(model, index, frame)?)
            })
        }),
        Format::Obj => drafts.file(path, |out| {
            each_frame(reader, frames, |model, index, frame| {
                put(out, heap::obj(model, index, frame)?)
            })
        }),
    }
}

fn each_frame(
    reader: &Reader,
    frames: &[usize],
    mut write: impl FnMut(&Model, usize, &Frame) -> Result<()>,
) -> Result<()> {
    frames.iter().try_for_each(|&index| write(reader.model_at(index), index, &reader.frame(index)?))
}

/// A number as text: 17 significant digits, enough to get every bit back.
fn digits(number: f64) -> String {
    format!("{number:.16e}")
}

/// Words are separated by spaces in many formats, so a name must not contain any.
fn one_word(name: &str) -> String {
    let word = name.split_whitespace().collect::<Vec<_>>().join("_");
    if word.is_empty() { "X".into() } else { word }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;
    use crate::trajectory::{Writer, samples};

    fn endings() -> [&'static str; 10] {
        format::ENDINGS.map(|row| row.0)
    }

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
    fn every_format_is_written_under_its_name() {
        let (folder, reader) = run();
        for name in endings().map(|ending| format!("run.{ending}")) {
            export(&reader, &folder.path().join(name), &Options::default()).unwrap();
        }
        let mut expected = endings().map(|ending| format!("run.{ending}")).to_vec();
        expected.extend(["run_forces.vtp", "run_pvd", "sample.riprap"].map(String::from));
        expected.sort();
        assert_eq!(files(&folder), expected);
    }

    #[test]
    fn a_run_without_frames_cannot_be_exported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("empty.riprap");
        drop(Writer::create(&path, false, &samples::model(4), "", &[]).unwrap());
        let reader = Reader::open(&path).unwrap();
        for ending in endings() {
            let result = export(&reader, &path.with_extension(ending), &Options::default());
            assert_eq!(result.unwrap_err().message, "the run has no frames to export");
        }
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
        for ending in endings() {
            let name = folder.path().join(format!("run.{ending}"));
            let problem = export(&reader, &name, &Options::default()).unwrap_err();
            assert!(problem.message.starts_with("the checksum of frame 2"), "{problem}");
            assert_eq!(problem.place.unwrap().file, path, "the run is to blame");
        }
        assert_eq!(files(&folder), ["sample.riprap"]);
    }

    #[test]
    fn places_that_cannot_be_written_are_named() {
        let (folder, reader) = run();
        for ending in endings() {
            let missing = folder.path().join(format!("no/such/folder/run.{ending}"));
            let taken = folder.path().join(format!("folder.{ending}"));
            fs::create_dir(&taken).unwrap();
            for path in [missing, taken] {
                let problem = export(&reader, &path, &Options::default()).unwrap_err();
                assert!(problem.message.starts_with("cannot "), "{problem}");
                let place = problem.place.unwrap().file;
                assert_eq!(place.parent(), path.parent(), "{}", place.display());
            }
        }
        let mut expected = endings().map(|ending| format!("folder.{ending}")).to_vec();
        expected.push("sample.riprap".into());
        expected.sort();
        assert_eq!(files(&folder), expected);
    }

    #[test]
    fn contacts_of_bodies_that_are_not_there_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sample.riprap");
        let mut writer = Writer::create(&path, false, &samples::model(1), "", &[]).unwrap();
        writer.frame(&samples::frame(0, 1)).unwrap();
        writer.end(&samples::ending()).unwrap();
        let reader = Reader::open(&path).unwrap();
        for ending in ["vtp", "pvd"] {
            let result = export(&reader, &path.with_extension(ending), &Options::default());
            let message = "contact 0 is one of body 1, of 1 bodies";
            assert_eq!(result.unwrap_err().message, message);
        }
        assert_eq!(files(&folder), ["sample.riprap"]);
    }

    #[test]
    fn names_become_one_word() {
        assert_eq!(one_word(" big\tred  balls "), "big_red_balls");
        assert_eq!(one_word("  "), "X");
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
