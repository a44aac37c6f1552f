//! Bodies that are no spheres: their shapes as a scene writes them, and the
//! solids made of them.

use std::path::PathBuf;

use super::format::{list, positive, vector};
use super::kind::{Kind, Range, Table};
use super::read::{number_or, pair, point};
use super::spanned::{Checked, Fault, Node};
use super::{Scene, Span};
use crate::math::{DQuat, DVec3, Random};
use crate::problem::{Problem, Result};
use crate::shape::{Mesh, Solid};

/// A solid as a scene describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    pub form: ShapeForm,
    /// Everything within this distance belongs to the body, too.
    pub rounding: f64,
    pub turned: Turned,
    pub span: Span,
}

/// What a solid is made from.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeForm {
    /// A box, in 2D a rectangle.
    Box { size: DVec3 },
    /// The convex hull of some points.
    Hull { points: Vec<DVec3> },
    /// A polygon with holes (2D), or one drawn out along z to a height (3D).
    Polygon { corners: Vec<[f64; 2]>, holes: Vec<Vec<[f64; 2]>>, height: Option<f64> },
    /// Cubes of one size on a grid.
    Cubes { cells: Vec<[i32; 3]>, size: f64 },
    /// Convex hulls that move as one.
    Compound { hulls: Vec<Vec<DVec3>> },
    /// A closed triangle mesh (.stl, .obj, .ply).
    Mesh { file: PathBuf, scale: f64 },
}

/// How the bodies of a group are turned; they never turn during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turned {
    /// As written.
    No,
    /// Each at random, about the vertical (in 2D: in the plane).
    Upright,
    /// Each at random in space.
    Random,
}

impl Shape {
    /// The solid, its centre of mass at the origin.
    pub fn solid(&self, scene: &Scene) -> Result<Solid> {
        let at_shape = |problem: Problem| {
            let help = problem.help.clone();
            Problem { help, ..scene.problem(&self.span, problem.message) }
        };
        let flat = |points: &[DVec3]| points.iter().map(|p| [p.x, p.y]).collect::<Vec<_>>();
        let solid = match &self.form {
            ShapeForm::Box { size } if scene.dimension == 2 => {
                let (x, y) = (0.5 * size.x, 0.5 * size.y);
                Solid::polygon(&[[-x, -y], [x, -y], [x, y], [-x, y]], &[])
            }
            ShapeForm::Box { size } => Solid::cuboid(*size),
            ShapeForm::Hull { points } if scene.dimension == 2 => Solid::flat_hull(&flat(points)),
            ShapeForm::Hull { points } => Solid::hull(points),
            ShapeForm::Polygon { corners, holes, height: None } => Solid::polygon(corners, holes),
            ShapeForm::Polygon { corners, holes, height: Some(height) } => {
                Solid::prism(corners, holes, *height)
            }
            ShapeForm::Cubes { cells, size } => Solid::cubes(cells, *size),
            ShapeForm::Compound { hulls } => Solid::compound(hulls),
            ShapeForm::Mesh { file, scale } => {
                let (path, bytes) = scene.source.files.read(file).map_err(at_shape)?;
                let mesh = Mesh::from_bytes(&path, &bytes)?.scaled(*scale);
                return Ok(Solid::from_mesh(&mesh)
                    .map_err(|problem| problem.in_file(&path))?
                    .centred()
                    .rounded(self.rounding));
            }
        };
        Ok(solid.map_err(at_shape)?.centred().rounded(self.rounding))
    }

    /// A turn of the solid; none if it is to stay as it is.
    pub fn turn(&self, random: &mut Random) -> Option<DQuat> {
        match self.turned {
            Turned::No => None,
            Turned::Upright => {
                Some(DQuat::from_rotation_z(random.between(0.0, std::f64::consts::TAU)))
            }
            Turned::Random => {
                // Four normal numbers point in every direction alike.
                let parts = [0; 4].map(|_| random.normal());
                let turn = DQuat::from_array(parts);
                Some(if turn.length() > 1e-6 { turn.normalize() } else { DQuat::IDENTITY })
            }
        }
    }
}

/// The description of shapes.
pub(super) fn format() -> Kind {
    let corner = || vector("a corner [x, y]", Range::Any);
    let corners = || list("a list of three or more corners [x, y]", corner(), 3);
    let outlined = |name: &'static str, about: &'static str| {
        shape(name, about)
            .required("corners", corners())
            .about("The corners in order, either way round; points on straight sides are dropped.")
            .optional("holes", list("a list of polygons", corners(), 1))
            .about("Polygons cut out of it.")
    };
    let whole = Kind::Number(Range::Any);
    let cell = Kind::List { what: "a cell [x, y, z]", of: Box::new(whole), least: 3, most: 3 };
    let points = || list("a list of points", super::format::point(), 3);
    let variants = vec![
        (
            "box",
            shape("box", "A box (in 2D: a rectangle).")
                .required("size", vector("a list of positive lengths", Range::Positive))
                .about("Along x, y and z (in 2D: x and y)."),
        ),
        (
            "hull",
            shape("hull", "The convex hull of some points.")
                .required("points", points())
                .about("At least four that are not in one plane (in 2D: three not on a line)."),
        ),
        ("polygon", outlined("polygon", "A polygon; 2D only.")),
        (
            "prism",
            outlined("prism", "A polygon drawn out along z; 3D only.")
                .required("height", positive())
                .about("How far."),
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
            "compound",
            shape("compound", "Convex hulls that move as one; 3D only.")
                .required("hulls", list("a list of lists of points", points(), 1))
                .about("The corners of each; where hulls overlap, they weigh twice."),
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
    ];
    Kind::Tagged { tag: "kind", variants }
}

fn shape(name: &'static str, about: &'static str) -> Table {
    let turns = vec![
        ("no", "All as written."),
        ("upright", "Each at random about the vertical (in 2D: in the plane)."),
        ("random", "Each at random; 3D only."),
    ];
    Table::new("bodies.shape")
        .says(about)
        .required("kind", Kind::Choice(vec![(name, about)]))
        .about("What the bodies are.")
        .optional("rounding", Kind::Number(Range::NotNegative))
        .default(0)
        .about("Everything within this distance of the shape belongs to the body, too.")
        .optional("turned", Kind::Choice(turns))
        .default("no")
        .about("How the bodies are turned at the start; they do not turn while they settle.")
}

/// Reads a shape.
pub(super) fn read(node: &Node, dimension: usize) -> Checked<Shape> {
    let kind = node.need("kind")?;
    let name = kind.text()?;
    let needed = match name {
        "polygon" => 2,
        "prism" | "cubes" | "compound" | "mesh" => 3,
        _ => dimension,
    };
    if needed != dimension {
        let message = format!(
            "the shape `{name}` needs a {needed}D scene, but the `dimension` of this one is {dimension}"
        );
        return Err(Fault::new(&kind.span, message));
    }
    let corners = |node: &Node| {
        node.list()?.iter().map(|node| point(node, dimension)).collect::<Checked<Vec<_>>>()
    };
    let outline = |node: &Node| node.list()?.iter().map(pair).collect::<Checked<Vec<_>>>();
    let form = match name {
        "box" => ShapeForm::Box { size: point(node.need("size")?, dimension)? },
        "hull" => ShapeForm::Hull { points: corners(node.need("points")?)? },
        "compound" => {
            let hulls = node.need("hulls")?.list()?.iter();
            ShapeForm::Compound { hulls: hulls.map(corners).collect::<Checked<_>>()? }
        }
        "cubes" => ShapeForm::Cubes {
            cells: node.need("cells")?.list()?.iter().map(cell).collect::<Checked<_>>()?,
            size: number_or(node, "size", 1.0)?,
        },
        "mesh" => ShapeForm::Mesh {
            file: PathBuf::from(node.need("file")?.text()?),
            scale: number_or(node, "scale", 1.0)?,
        },
        _ => ShapeForm::Polygon {
            corners: outline(node.need("corners")?)?,
            holes: match node.get("holes") {
                Some(holes) => holes.list()?.iter().map(outline).collect::<Checked<_>>()?,
                None => Vec::new(),
            },
            height: node.get("height").map(Node::number).transpose()?,
        },
    };
    let turned = match node.get("turned") {
        None => Turned::No,
        Some(turned) => match (turned.text()?, dimension) {
            ("upright", _) => Turned::Upright,
            ("random", 3) => Turned::Random,
            ("random", _) => {
                return Err(Fault::new(&turned.span, "`random` turns are for 3D scenes")
                    .help("in 2D, `upright` turns every body in the plane"));
            }
            _ => Turned::No,
        },
    };
    Ok(Shape { form, rounding: number_or(node, "rounding", 0.0)?, turned, span: node.span.clone() })
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
