//! `start`: poses to start from, of a frame of another run, bodies of another program's file, or what is taken apart first.

use std::path::{Path, PathBuf};

use super::kind::{Kind, Table};
use super::phases::PhaseEntry;
use super::source::{Source, into_text};
use super::spanned::{Checked, Entry, Fault, Node, Value};
use super::{MethodName, Span, particles};

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
            .optional("file", Kind::Text)
            .about("A file of particles (CSV, extended XYZ, dump or data of LAMMPS), which are the bodies of")
            .about("the scene, those of each type a group: short for entries of bodies with `file` and `type`.")
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
    let says_nothing = ["run", "file", "separate"].iter().all(|key| node.get(key).is_none());
    if says_nothing || run.is_none() && frame.is_some() {
        return Err(Fault::new(&node.span, "`start` names no run")
            .help("give `run`, a run file to start from, `file`, or `separate = true` alone"));
    }
    if let (Some(_), Some(file)) = (&run, node.get("file")) {
        return Err(Fault::new(&file.span, "`start` has both `run` and `file`").help("give one"));
    }
    Ok(StartEntry {
        run: run.map(PathBuf::from),
        frame: frame.map(|frame| frame as usize),
        separate,
        span: node.span.clone(),
    })
}

/// The tree of a scene with an entry of bodies for each type of particles in the file that it starts
/// from. What is wrong with that file is told when the entries are made into bodies.
pub(super) fn with_bodies(mut tree: Node, source: &Source) -> Checked<Node> {
    let Some(file) = tree.get("start").and_then(|start| start.get("file")).cloned() else {
        return Ok(tree);
    };
    if let Some(bodies) = tree.get("bodies") {
        return Err(Fault::new(&bodies.span, "`start.file` has all bodies of the scene")
            .help("leave out `bodies`, or name the file there, in an entry of its own"));
    }
    let dimension = tree.get("dimension").map_or(Ok(3), Node::whole)? as usize;
    let name = file.text()?.to_string();
    let opened = source.files.read(Path::new(&name));
    let (path, bytes) = opened.map_err(|problem| Fault::new(&file.span, problem.message))?;
    let read = into_text(&path, bytes).and_then(|text| particles::read(&path, &text, dimension));
    let mut kinds = read.map_or(Vec::new(), |particles| particles.kinds);
    // By their numbers, if they have some.
    kinds.sort_by_key(|kind| (kind.parse::<u64>().unwrap_or(u64::MAX), kind.clone()));
    kinds.dedup();
    let node = |value: Value| Node { span: file.span.clone(), value };
    let entry = |key: &str, value: Value| Entry {
        key: key.into(),
        key_span: file.span.clone(),
        node: node(value),
    };
    let named = |kind: Option<&String>| {
        let mut entries = vec![entry("file", Value::Text(name.clone()))];
        for key in kind.map_or(&[][..], |_| &["group", "type"]) {
            entries.push(entry(key, Value::Text(kind.cloned().unwrap_or_default())));
        }
        node(Value::Table(entries))
    };
    let bodies = match kinds.is_empty() {
        true => vec![named(None)],
        false => kinds.iter().map(|kind| named(Some(kind))).collect(),
    };
    if let Value::Table(entries) = &mut tree.value {
        entries.push(entry("bodies", Value::List(bodies)));
    }
    Ok(tree)
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
