//! `start`: poses to start from, of a frame of another run.

use std::path::PathBuf;

use super::Span;
use super::kind::{Kind, Table};
use super::spanned::{Checked, Node};

/// Where a scene starts, if not as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StartEntry {
    /// The run file, beside the scene.
    pub run: PathBuf,
    /// The frame; the last one if none is named.
    pub frame: Option<usize>,
    pub span: Span,
}

pub(super) fn format() -> Kind {
    Kind::Table(
        Table::new("start")
            .required("run", Kind::Text)
            .about(
                "A run file, beside the scene: its bodies are those of the scene; groups that it",
            )
            .about("has removed by that frame are left out.")
            .optional("frame", Kind::Whole { least: 0, most: u32::MAX.into() })
            .about("One of its frames, counted from 0; without it, the last one."),
    )
}

pub(super) fn read(node: &Node) -> Checked<StartEntry> {
    let frame = node.get("frame").map(Node::whole).transpose()?;
    Ok(StartEntry {
        run: node.need("run")?.text()?.into(),
        frame: frame.map(|frame| frame as usize),
        span: node.span.clone(),
    })
}
