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
use super::spanned::{Node, parse_json};
use crate::problem::{Problem, Result};

/// The scene of a file that another program wrote; none if it is a scene itself.
pub(super) fn translate(source: &Source) -> Option<Result<String>> {
    let ending = source.file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "json" => {
            let tree = parse_json(&source.text).ok()?;
            match () {
                () if tree.entries().is_ok_and(|entries| entries.is_empty()) => Some(empty(source)),
                () if bricks::is_stable_lego(&tree) => Some(bricks::stable_lego(source, &tree)),
                () if compas::is_compas(&tree) => Some(compas::scene(source, &tree)),
                () => None,
            }
        }
        "csv" => Some(boxes::scene(source)),
        "txt" if source.text.trim().is_empty() => Some(empty(source)),
        "txt" => bricks::is_brick_text(&source.text).then(|| bricks::brick_text(source)),
        "ldr" | "mpd" => Some(ldraw::scene(source)),
        _ => None,
    }
}

pub(super) use boxes::is_table;
pub(super) use bricks::is_brick_text;
pub(super) use ldraw::is_ldraw;

/// Whether a tree is one of the structures that are read as scenes.
pub(super) fn is_structure(tree: &Node) -> bool {
    bricks::is_stable_lego(tree) || compas::is_compas(tree)
}

fn empty(source: &Source) -> Result<String> {
    Err(Problem::new("the file is empty: it has no bricks and no bodies").in_file(&source.file))
}

/// A solid of one file is a body of a scene.
pub(super) fn is_no_solid(file: &Path) -> Result<()> {
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if !["stl", "obj", "ply"].contains(&ending.to_ascii_lowercase().as_str()) {
        return Ok(());
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let message = "a file with a solid is no scene: it is the shape of one body";
    Err(Problem::new(message).in_file(file).help(format!(
        "write a scene with an entry for each block: `[[bodies]]`, `shape = {{ kind = \"mesh\", file = \"{name}\" }}`, \
         and what holds it, such as a `box` with `motion = \"fixed\"`"
    )))
}

/// A text between quotes, as JSON has it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The name of a scene that comes from this file.
fn name(file: &Path) -> String {
    quoted(&file.file_stem().unwrap_or_default().to_string_lossy())
}
