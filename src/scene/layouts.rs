//! The layout of a scene of the method compact.

use std::path::PathBuf;

use super::format::{positive, vector};
use super::kind::{Kind, Range, Table};
use super::read::{number_or, pair};
use super::spanned::{Checked, Node};
use super::{Scene, Span};
use crate::layout::Layout;
use crate::problem::{Problem, Result};

/// Which layout is compacted, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutPlan {
    pub source: LayoutSource,
    /// The least distance between pieces.
    pub clearance: f64,
    /// Outward normal of the wall that moves in.
    pub direction: [f64; 2],
    /// The right and the upper side move in together.
    pub corner: bool,
    pub span: Span,
}

/// Where the pieces come from.
#[derive(Clone, Debug, PartialEq)]
pub enum LayoutSource {
    Polygons { count: usize, corners: usize },
    Jigsaw { columns: usize, rows: usize, spread: f64 },
    File(PathBuf),
}

impl LayoutPlan {
    /// Makes or reads the layout.
    pub fn layout(&self, scene: &Scene) -> Result<Layout> {
        let at_layout = |problem: Problem| {
            let help = problem.help.clone();
            Problem { help, ..scene.problem(&self.span, problem.message) }
        };
        let mut layout = match &self.source {
            LayoutSource::Polygons { count, corners } => {
                Layout::loose_polygons(*count, *corners, scene.seed).map_err(at_layout)?
            }
            LayoutSource::Jigsaw { columns, rows, spread } => {
                Layout::jigsaw(*columns, *rows, *spread, scene.seed).map_err(at_layout)?
            }
            LayoutSource::File(file) => {
                let (path, bytes) = scene.source.files.read(file).map_err(at_layout)?;
                Layout::from_bytes(&path, &bytes, None)?
            }
        };
        layout.name.clone_from(&scene.name);
        Ok(layout)
    }
}

pub(super) fn format() -> Kind {
    let whole = |least: u64| Kind::Whole { least, most: 5000 };
    let variants = vec![
        (
            "polygons",
            layout("polygons", "Random polygons, loosely in rows and columns.")
                .required("count", whole(1))
                .about("How many.")
                .optional("corners", Kind::Whole { least: 3, most: 1000 })
                .default(75)
                .about("The most corners that one has."),
        ),
        (
            "jigsaw",
            layout("jigsaw", "A rectangle cut into convex pieces that are pulled apart.")
                .required("columns", whole(1))
                .about("Pieces along x.")
                .required("rows", whole(1))
                .about("Pieces along y.")
                .optional("spread", positive())
                .default(1.1)
                .about("All positions are multiplied by this."),
        ),
        (
            "file",
            layout("file", "A layout of a nesting program.").required("file", Kind::Text).about(
                "A .json (instance and solution), .svg or .dxf, relative to the scene file.",
            ),
        ),
    ];
    Kind::Tagged { tag: "kind", variants }
}

fn layout(name: &'static str, about: &'static str) -> Table {
    let moves = vec![
        ("wall", "One wall moves in; the length of the strip is minimised."),
        ("corner", "The right and the upper side move in; the area is minimised."),
    ];
    Table::new("layout")
        .says(about)
        .required("kind", Kind::Choice(vec![(name, about)]))
        .about("Where the pieces come from.")
        .optional("moves", Kind::Choice(moves))
        .default("wall")
        .about("What moves in.")
        .optional("direction", vector("a direction [x, y]", Range::Any))
        .about("Outward normal of the wall, along an axis; without it, [1, 0].")
        .optional("clearance", Kind::Number(Range::NotNegative))
        .default(0)
        .about("The least distance between pieces.")
}

pub(super) fn read(node: &Node) -> Checked<LayoutPlan> {
    let whole = |name| node.need(name).and_then(Node::whole).map(|n| n as usize);
    let source = match node.need("kind")?.text()? {
        "polygons" => LayoutSource::Polygons {
            count: whole("count")?,
            corners: node.get("corners").map_or(Ok(75), Node::whole)? as usize,
        },
        "jigsaw" => LayoutSource::Jigsaw {
            columns: whole("columns")?,
            rows: whole("rows")?,
            spread: number_or(node, "spread", 1.1)?,
        },
        _ => LayoutSource::File(PathBuf::from(node.need("file")?.text()?)),
    };
    Ok(LayoutPlan {
        source,
        clearance: number_or(node, "clearance", 0.0)?,
        direction: node.get("direction").map_or(Ok([1.0, 0.0]), pair)?,
        corner: node.get("moves").map_or(Ok("wall"), Node::text)? == "corner",
        span: node.span.clone(),
    })
}
