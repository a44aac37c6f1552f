//! A whole run for ParaView: `NAME.pvd` lists the files of a folder
//! `NAME_pvd`, one for each frame. The forces of the last frame are in that
//! folder as well.

use std::path::Path;

use super::drafts::{Drafts, fill, put};
use super::vtp;
use crate::problem::Result;
use crate::trajectory::Reader;

const FORCES: &str = "forces.vtp";

/// Drafts the folder and the list of what is in it. The folder comes first:
/// whoever sees the list finds all that it names.
pub(super) fn write(
    reader: &Reader,
    frames: &[usize],
    path: &Path,
    drafts: &mut Drafts,
) -> Result<()> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let folder_name = format!("{name}_pvd");
    let folder = drafts.folder(&path.with_file_name(&folder_name), is_ours)?;
    let start = reader.frame(0)?.state.positions;
    let mut list = String::new();
    for &index in frames {
        let frame = reader.frame(index)?;
        let file = format!("frame_{index:06}.vtp");
        write_text(&folder.join(&file), &vtp::bodies(reader.model_at(index), &start, &frame))?;
        let file = format!("{}/{file}", escape(&folder_name));
        list += &format!("<DataSet timestep=\"{}\" part=\"0\" file=\"{file}\"/>\n", frame.step);
        if let Some(shapes) = vtp::shapes(reader.model_at(index), &frame) {
            let file = format!("shapes_{index:06}.vtp");
            write_text(&folder.join(&file), &shapes)?;
            let file = format!("{}/{file}", escape(&folder_name));
            list += &format!("<DataSet timestep=\"{}\" part=\"1\" file=\"{file}\"/>\n", frame.step);
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
