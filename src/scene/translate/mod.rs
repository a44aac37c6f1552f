//! Files of other programs that say what stands on what, as scenes: bricks of StableLego, of
//! BrickGPT and of LDraw, assemblies of COMPAS, tables of boxes. A translation is the text of a scene, so that every question can be asked
//! of it and a run file has it; problems point at the file that was written.

mod boxes;
mod bricks;
mod compas;
mod ldraw;
mod library;

use std::path::Path;

use super::source::Source;
use super::spanned::parse_json;
use crate::problem::Result;

/// The scene of a file that another program wrote; none if it is a scene itself.
pub(super) fn translate(source: &Source) -> Option<Result<String>> {
    let ending = source.file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "json" => {
            let tree = parse_json(&source.text).ok()?;
            match () {
                () if bricks::is_stable_lego(&tree) => Some(bricks::stable_lego(source, &tree)),
                () if compas::is_compas(&tree) => Some(compas::scene(source, &tree)),
                () => None,
            }
        }
        "csv" => boxes::is_boxes(&source.text).then(|| boxes::scene(source)),
        "txt" => bricks::is_brick_text(&source.text).then(|| bricks::brick_text(source)),
        "ldr" | "mpd" => Some(ldraw::scene(source)),
        _ => None,
    }
}

/// A text between quotes, as JSON has it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The name of a scene that comes from this file.
fn name(file: &Path) -> String {
    quoted(&file.file_stem().unwrap_or_default().to_string_lossy())
}
