//! `start`: poses to start from, of a frame of another run, or of what is taken apart first.

use std::path::PathBuf;

use super::kind::{Kind, Table};
use super::phases::PhaseEntry;
use super::spanned::{Checked, Fault, Node};
use super::{MethodName, Span};

/// Where a scene starts, if not as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StartEntry {
    /// A run file, beside the scene.
    pub run: Option<PathBuf>,
    /// The frame; the last one if none is named.
    pub frame: Option<usize>,
    /// Whether what overlaps is taken apart first, by a phase of its own.
    pub separate: bool,
    pub span: Span,
}

pub(super) fn format() -> Kind {
    Kind::Table(
        Table::new("start")
            .optional("run", Kind::Text)
            .about(
                "A run file, beside the scene: its bodies are those of the scene; groups that it",
            )
            .about("has removed by that frame are left out.")
            .optional("frame", Kind::Whole { least: 0, most: u32::MAX.into() })
            .about("One of its frames, counted from 0; without it, the last one.")
            .optional("separate", Kind::Flag)
            .about(
                "Bodies that overlap, as other programs leave them, are taken apart first, by the",
            )
            .about("least movement: a phase with the method separate comes before all others."),
    )
}

pub(super) fn read(node: &Node) -> Checked<StartEntry> {
    let frame = node.get("frame").map(Node::whole).transpose()?;
    let run = node.get("run").map(Node::text).transpose()?;
    let separate = separates(node)?;
    let says_nothing = run.is_none() && node.get("separate").is_none();
    if says_nothing || run.is_none() && frame.is_some() {
        return Err(Fault::new(&node.span, "`start` names no run")
            .help("give `run`, a run file to start from, or `separate = true` alone"));
    }
    Ok(StartEntry {
        run: run.map(PathBuf::from),
        frame: frame.map(|frame| frame as usize),
        separate,
        span: node.span.clone(),
    })
}

/// Whether what overlaps is to be taken apart first.
pub(super) fn separates(node: &Node) -> Checked<bool> {
    node.get("separate").map_or(Ok(false), Node::flag)
}

/// The phases of a scene, with the one that takes bodies apart before them if that is asked for.
pub(super) fn with_separation(
    start: Option<&StartEntry>,
    method: MethodName,
    phases: Vec<PhaseEntry>,
) -> Vec<PhaseEntry> {
    let Some(start) = start.filter(|start| start.separate) else { return phases };
    let phase = |method| PhaseEntry {
        method,
        until: None,
        release: Vec::new(),
        remove: Vec::new(),
        span: start.span.clone(),
    };
    let others = if phases.is_empty() { vec![phase(method)] } else { phases };
    std::iter::once(phase(MethodName::Separate)).chain(others).collect()
}
