//! A whole run for ParaView: `NAME.pvd` lists the files of a folder
//! `NAME_pvd`, one for each frame. The forces of the last frame are in that
//! folder as well.

use std::path::{Path, PathBuf};

use super::drafts::{Drafts, fill, put};
use super::surfaces::Surfaces;
use super::vtp;
use crate::problem::Result;
use crate::trajectory::Reader;

const FORCES: &str = "forces.vtp";

/// The folder beside the list.
pub(super) fn folder(path: &Path) -> PathBuf {
    path.with_file_name(format!("{}_pvd", path.file_stem().unwrap_or_default().to_string_lossy()))
}

/// Drafts the folder and the list of what is in it. The folder comes first:
/// whoever sees the list finds all that it names.
pub(super) fn write(
    reader: &Reader,
    frames: &[usize],
    path: &Path,
    drafts: &mut Drafts,
) -> Result<()> {
    let own = folder(path);
    let folder_name = own.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = drafts.folder(&own, is_ours)?;
    let start = reader.frame(0)?.state.positions;
    let timed = is_timed(reader, frames);
    let mut surfaces: Option<(usize, Surfaces)> = None;
    let mut list = String::new();
    for &index in frames {
        let frame = reader.frame(index)?;
        let phase = reader.phase_at(index);
        let now = reader.time_at(index).filter(|_| timed);
        let now = now.map_or(index.to_string(), |time| time.to_string());
        let mut entry = |part: usize, kind: &str, text: &str| {
            let file = format!("{kind}_{index:06}.vtp");
            let named = format!("{}/{file}", escape(&folder_name));
            list += &format!("<DataSet timestep=\"{now}\" part=\"{part}\" file=\"{named}\"/>\n");
            write_text(&folder.join(&file), text)
        };
        entry(0, "frame", &vtp::bodies(reader, index, &start, &frame))?;
        // A phase has other bodies than the one before, but no frame other shapes.
        if surfaces.as_ref().is_none_or(|(of, _)| *of != phase) {
            surfaces = Some((phase, vtp::surfaces(reader.model_at(index))));
        }
        let drawn = surfaces.as_ref().map(|(_, surfaces)| surfaces);
        if let Some(shapes) = drawn.and_then(|s| vtp::shapes(reader, index, &frame, s)) {
            entry(1, "shapes", &shapes)?;
        }
        if let Some(forces) = vtp::forces(reader, index)?.filter(|_| index + 1 == reader.len()) {
            write_text(&folder.join(FORCES), &forces)?;
        }
    }
    let text = format!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n\
         <Collection>\n{list}</Collection>\n</VTKFile>\n"
    );
    drafts.file(path, |out| put(out, text))
}

/// Whether every frame has a time of its own. Phases without time, and the first frame of a
/// phase, do not: readers would show but one of the frames, so that they are numbered instead.
fn is_timed(reader: &Reader, frames: &[usize]) -> bool {
    let times: Option<Vec<f64>> = frames.iter().map(|&index| reader.time_at(index)).collect();
    times.is_some_and(|times| times.windows(2).all(|pair| pair[0] < pair[1]))
}

fn write_text(path: &Path, text: &str) -> Result<()> {
    fill(path, |out| put(out, text)).map_err(|problem| problem.in_file(path))
}

/// Whether an earlier export may have given a file this name.
fn is_ours(name: &str) -> bool {
    let numbered = name.starts_with("frame_") || name.starts_with("shapes_");
    name == FORCES || numbered && name.ends_with(".vtp")
}

/// A text as the value of an attribute.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_files_are_replaceable() {
        assert!(is_ours("forces.vtp") && is_ours("frame_000012.vtp"));
        assert!(!is_ours("frame_1.png") && !is_ours("thesis.vtp"));
    }

    #[test]
    fn names_cannot_break_the_list() {
        assert_eq!(escape("a<b> & \"c\""), "a&lt;b> &amp; &quot;c&quot;");
    }
}
