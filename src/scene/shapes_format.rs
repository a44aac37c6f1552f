//! The part of the scene format that describes shapes, and its reading.

use super::bodies_read::turn_of;
use super::format::{angle, list, point as point_kind, positive, vector};
use super::kind::{Kind, Range, Table};
use super::read::{number_or, pair, point};
use super::shapes::{Sections, ShapeEntry, ShapeForm};
use super::spanned::{Checked, Fault, Node};
use crate::math::{DQuat, DVec3};

/// More studs in a row than any plate has.
const MOST_STUDS: u64 = 10_000;

/// The description of shapes.
pub(super) fn format() -> Kind {
    let part = Kind::Tagged { tag: "kind", variants: simple() };
    let mut variants = simple();
    let compound = shape("compound", "Several shapes as one body.")
        .required("pieces", list("a list of shapes", part, 1))
        .about("The shapes, each with `at` and `turn`; where they overlap, they weigh twice.");
    variants.push(("compound", placed(compound)));
    Kind::Tagged { tag: "kind", variants }
}

/// All but compounds.
fn simple() -> Vec<(&'static str, Table)> {
    let all = [round(), straight(), outlined(), rings()].into_iter().flatten();
    all.map(|(name, table)| (name, placed(table))).collect()
}

fn round() -> Vec<(&'static str, Table)> {
    let radius = |table: Table| table.required("radius", positive()).about("Its radius.");
    let length = |table: Table| table.required("length", positive());
    vec![
        ("ball", radius(shape("ball", "A ball (in 2D: a disc)."))),
        (
            "capsule",
            length(radius(shape("capsule", "A cylinder along z, its ends half balls; 3D only.")))
                .about("Without the half balls."),
        ),
        (
            "cylinder",
            length(radius(shape("cylinder", "A cylinder along z; 3D only.")))
                .about("From end to end."),
        ),
    ]
}

fn straight() -> Vec<(&'static str, Table)> {
    let whole = Kind::Number(Range::Any);
    let cell = Kind::List { what: "a cell [x, y, z]", of: Box::new(whole), least: 3, most: 3 };
    let count = Kind::Whole { least: 1, most: MOST_STUDS };
    let what = "a pair of whole numbers";
    let studs = Kind::List { what, of: Box::new(count), least: 2, most: 2 };
    let corner = Kind::Whole { least: 0, most: u64::from(u32::MAX) };
    let face = list("a list of three or more numbers of corners", corner, 3);
    vec![
        (
            "box",
            shape("box", "A box (in 2D: a rectangle) about the origin.")
                .required("size", vector("a list of positive lengths", Range::Positive))
                .about("Along x, y and z (in 2D: x and y)."),
        ),
        (
            "brick",
            shape("brick", "A box about the origin with studs on top, which hold in the bottom of")
                .says("another one at the same places; 3D only. What they hold, `strengths` says.")
                .required("studs", studs)
                .about("How many along x and y.")
                .required("cell", positive())
                .about("From one stud to the next.")
                .required("height", positive())
                .about("Without the studs."),
        ),
        (
            "hull",
            shape("hull", "The convex hull of some points.")
                .required("points", list("a list of points", point_kind(), 3))
                .about("At least four that are not in one plane (in 2D: three not on a line)."),
        ),
        (
            "polyhedron",
            shape("polyhedron", "A closed surface of polygons, convex or not; 3D only.")
                .required("corners", list("a list of points", point_kind(), 4))
                .about("The corners of its faces.")
                .required("faces", list("a list of faces", face, 4))
                .about(
                    "For each its corners by number, from 0, counter-clockwise seen from outside.",
                ),
        ),
        (
            "cubes",
            shape("cubes", "Cubes on a grid that hang together by their sides; 3D only.")
                .required("cells", list("a list of cells [x, y, z]", cell, 1))
                .about("The places of the cubes, as whole numbers.")
                .optional("size", positive())
                .default(1)
                .about("The side of a cube."),
        ),
        (
            "mesh",
            shape("mesh", "A solid from a file; 3D only.")
                .required("file", Kind::Text)
                .about("A closed triangle mesh: .stl, .obj or .ply, relative to the scene file.")
                .optional("scale", positive())
                .default(1)
                .about("All coordinates of the file are multiplied by this."),
        ),
    ]
}

fn outlined() -> Vec<(&'static str, Table)> {
    let corner = || vector("a corner [x, y]", Range::Any);
    let corners = || list("a list of three or more corners [x, y]", corner(), 3);
    let outlined = |name: &'static str, about: &'static str| {
        shape(name, about)
            .required("corners", corners())
            .about("The corners in order, either way round; points on straight sides are dropped.")
            .optional("holes", list("a list of polygons", corners(), 1))
            .about("Polygons cut out of it.")
    };
    let prism = outlined("prism", "A polygon drawn out along z; 3D only.")
        .required("height", positive())
        .about("How far.");
    vec![("polygon", outlined("polygon", "A polygon; 2D only.")), ("prism", prism)]
}

fn rings() -> Vec<(&'static str, Table)> {
    let sections = Kind::Choice(vec![
        (
            "arcs",
            "Of the circle: together they are a torus, and weigh what it does; `stable` takes each \
             for the capsule between its ends.",
        ),
        ("hulls", "With eight sides."),
        ("capsules", "Round; they overlap at their ends, so give the body a `mass`."),
    ]);
    let pieces = |table: Table| {
        table
            .optional("pieces", Kind::Whole { least: 6, most: 64 })
            .default(16)
            .about("How many sections.")
    };
    let torus = shape("torus", "A ring about z with a round tube; 3D only.")
        .required("radius", positive())
        .about("Of the circle in the middle of the tube.")
        .required("tube", positive())
        .about("The radius of the tube.");
    let ring = shape("ring", "A piece of pipe about z, such as a Raschig ring; 3D only.")
        .required("outer", positive())
        .about("The outer radius.")
        .required("inner", positive())
        .about("The inner radius.")
        .required("length", positive())
        .about("From end to end.");
    let torus = pieces(torus).optional("sections", sections).about(
        "What a section is: `arcs` in dynamics, `hulls` in all other methods, if it is not said.",
    );
    vec![("torus", torus), ("ring", pieces(ring))]
}

fn shape(name: &'static str, about: &'static str) -> Table {
    Table::new("shape")
        .says(about)
        .required("kind", Kind::Choice(vec![(name, about)]))
        .about("What it is.")
}

/// With what every shape can have.
fn placed(table: Table) -> Table {
    table
        .optional("rounding", Kind::Number(Range::NotNegative))
        .default(0)
        .about("Everything within this distance of the shape belongs to the body, too.")
        .optional("at", point_kind())
        .about("Where it is in the frame of the body; without it, at 0.")
        .optional("turn", angle())
        .about("How it is turned there: a vector along the axis, as long as the angle in degrees")
        .about("(in 2D: a number of degrees).")
}

/// Reads a shape.
pub(super) fn read(node: &Node, dimension: usize) -> Checked<ShapeEntry> {
    let kind = node.need("kind")?;
    let name = kind.text()?;
    fits_dimension(kind, dimension)?;
    let number = |name: &str| node.need(name).and_then(Node::number);
    let pieces = || node.get("pieces").map_or(Ok(16), Node::whole).map(|n| n as usize);
    let form = match name {
        "ball" => ShapeForm::Ball { radius: number("radius")? },
        "box" => ShapeForm::Box { size: point(node.need("size")?, dimension)? },
        "brick" => {
            let count = node.need("studs")?.list()?;
            let studs = [count[0].whole()? as u32, count[1].whole()? as u32];
            ShapeForm::Brick { studs, cell: number("cell")?, height: number("height")? }
        }
        "capsule" => ShapeForm::Capsule { radius: number("radius")?, length: number("length")? },
        "cylinder" => ShapeForm::Cylinder { radius: number("radius")?, length: number("length")? },
        "hull" => {
            let points = node.need("points")?.list()?.iter().map(|node| point(node, dimension));
            ShapeForm::Hull { points: points.collect::<Checked<_>>()? }
        }
        "polyhedron" => {
            let corners = node.need("corners")?.list()?.iter().map(|node| point(node, dimension));
            let number = |node: &Node| node.whole().map(|k| k as u32);
            let face = |node: &Node| node.list()?.iter().map(number).collect::<Checked<_>>();
            let faces = node.need("faces")?.list()?.iter().map(face);
            ShapeForm::Polyhedron {
                corners: corners.collect::<Checked<_>>()?,
                faces: faces.collect::<Checked<_>>()?,
            }
        }
        "polygon" => {
            let (corners, holes) = polygon(node)?;
            ShapeForm::Polygon { corners, holes }
        }
        "prism" => {
            let (corners, holes) = polygon(node)?;
            ShapeForm::Prism { corners, holes, height: number("height")? }
        }
        "cubes" => ShapeForm::Cubes {
            cells: node.need("cells")?.list()?.iter().map(cell).collect::<Checked<_>>()?,
            size: number_or(node, "size", 1.0)?,
        },
        "torus" => ShapeForm::Torus {
            radius: number("radius")?,
            tube: number("tube")?,
            pieces: pieces()?,
            sections: match node.get("sections").map(Node::text).transpose()? {
                Some("arcs") => Some(Sections::Arcs),
                Some("capsules") => Some(Sections::Capsules),
                Some(_) => Some(Sections::Hulls),
                None => None,
            },
        },
        "ring" => ring(node, pieces()?)?,
        "mesh" => ShapeForm::Mesh {
            file: node.need("file")?.text()?.into(),
            scale: number_or(node, "scale", 1.0)?,
        },
        _ => {
            let pieces = node.need("pieces")?.list()?.iter().map(|node| read(node, dimension));
            ShapeForm::Compound { pieces: pieces.collect::<Checked<_>>()? }
        }
    };
    Ok(ShapeEntry {
        form,
        rounding: number_or(node, "rounding", 0.0)?,
        at: node.get("at").map_or(Ok(DVec3::ZERO), |at| point(at, dimension))?,
        turn: node.get("turn").map_or(Ok(DQuat::IDENTITY), |turn| turn_of(turn, dimension))?,
        span: node.span.clone(),
    })
}

/// Some shapes make sense in 2D or in 3D only.
fn fits_dimension(kind: &Node, dimension: usize) -> Checked<()> {
    let name = kind.text()?;
    let (needed, instead) = match (name, dimension) {
        ("polygon", 3) => (2, "in 3D, a `prism` is a polygon drawn out along z"),
        ("ball" | "box" | "hull" | "polygon" | "compound", _) | (_, 3) => return Ok(()),
        _ => (3, "in 2D, use `ball`, `box`, `hull`, `polygon` or `compound`"),
    };
    let message = format!(
        "the shape `{name}` needs a {needed}D scene, but the `dimension` of this one is {dimension}"
    );
    Err(Fault::new(&kind.span, message).help(instead))
}

type Corners = Vec<[f64; 2]>;

/// The corners and the holes.
fn polygon(node: &Node) -> Checked<(Corners, Vec<Corners>)> {
    let outline = |node: &Node| node.list()?.iter().map(pair).collect::<Checked<Corners>>();
    let holes = node.get("holes").map_or(Ok(&[][..]), Node::list)?;
    let holes = holes.iter().map(outline).collect::<Checked<_>>()?;
    Ok((outline(node.need("corners")?)?, holes))
}

fn ring(node: &Node, pieces: usize) -> Checked<ShapeForm> {
    let inner = node.need("inner")?;
    let (outer, hole) = (node.need("outer")?.number()?, inner.number()?);
    if hole >= outer {
        let message = format!("the inner radius {hole:?} is not below the outer, {outer:?}");
        return Err(Fault::new(&inner.span, message).help("0 < inner < outer"));
    }
    Ok(ShapeForm::Ring { outer, inner: hole, length: node.need("length")?.number()?, pieces })
}

fn cell(node: &Node) -> Checked<[i32; 3]> {
    let place = point(node, 3)?;
    let whole = |x: f64| x.fract() == 0.0 && x.abs() < 1e6;
    match place.to_array() {
        cell if cell.iter().all(|x| whole(*x)) => Ok(cell.map(|x| x as i32)),
        cell => Err(Fault::new(&node.span, format!("the cell {cell:?} is not on the grid"))
            .help("cells are whole numbers")),
    }
}
