//! What holds the bodies: data, description and reading.

use std::path::PathBuf;

use super::bodies_format::surface;
use super::format::{list, number, pair as pair_kind, point as point_kind, positive};
use super::kind::{Kind, Range, Table};
use super::read::{number_or, ordered, pair, point};
use super::spanned::{Checked, Fault, Node};
use crate::math::DVec3;

/// The closed region that holds the bodies.
#[derive(Clone, Debug, PartialEq)]
pub enum Container {
    /// An axis-parallel box (a rectangle in 2D: z is ignored).
    Box { min: DVec3, max: DVec3 },
    /// A prism over a regular polygon, inscribed in the circle of this radius.
    Cylinder { radius: f64, bottom: f64, top: f64, sides: usize },
    /// A profile of revolution about the z axis: corners `(z, radius)` from the
    /// bottom up, every cross-section a regular polygon inscribed in the circle.
    Profile { corners: Vec<[f64; 2]>, sides: usize },
    /// A closed triangle mesh (.stl, .obj, .ply).
    Mesh { file: PathBuf, scale: f64 },
    /// A simple polygon, either way round (2D scenes only).
    Polygon { corners: Vec<[f64; 2]> },
}

pub(super) fn format() -> Kind {
    let variants = vec![
        ("box", cuboid()),
        ("cylinder", cylinder()),
        ("profile", profile()),
        ("mesh", mesh()),
        ("polygon", polygon()),
    ];
    Kind::Tagged { tag: "shape", variants }
}

fn cuboid() -> Table {
    shape("box", "A box (in 2D: a rectangle) parallel to the axes.")
        .required("min", point_kind())
        .about("The corner with the least coordinates.")
        .required("max", point_kind())
        .about("The corner with the greatest coordinates.")
}

fn cylinder() -> Table {
    shape("cylinder", "An upright cylinder about the z axis; 3D only.")
        .required("radius", positive())
        .about("The cylinder's radius.")
        .required("bottom", number())
        .about("z of the floor.")
        .required("top", number())
        .about("z of the lid.")
        .optional("sides", Kind::Whole { least: 3, most: 1000 })
        .default(64)
        .about("Corners of the regular polygon that stands for the circle, inscribed in it.")
}

fn profile() -> Table {
    let corner = pair_kind("a corner [z, radius]", Range::Any);
    shape("profile", "A vessel turned about the z axis, such as an hourglass; 3D only.")
        .required("corners", list("a list of two or more corners [z, radius]", corner, 2))
        .about("Heights and radii from the bottom up; a floor and a lid close the ends.")
        .optional("sides", Kind::Whole { least: 3, most: 1000 })
        .default(64)
        .about("Corners of the regular polygon that stands for the circle, inscribed in it.")
}

fn mesh() -> Table {
    shape("mesh", "A vessel from a file; 3D only.")
        .required("file", Kind::Text)
        .about("A closed triangle mesh: .stl, .obj or .ply, relative to the scene file.")
        .optional("scale", positive())
        .default(1)
        .about("All coordinates of the file are multiplied by this.")
}

fn polygon() -> Table {
    let corner = pair_kind("a corner [x, y]", Range::Any);
    shape("polygon", "A simple polygon; 2D only.")
        .required("corners", list("a list of three or more corners [x, y]", corner, 3))
        .about("The corners in order, either way round.")
}

fn shape(name: &'static str, about: &'static str) -> Table {
    let table = Table::new("container")
        .says(about)
        .required("shape", Kind::Choice(vec![(name, about)]))
        .about("The container's kind.");
    surface(table)
}

pub(super) fn read(node: &Node, dimension: usize) -> Checked<Container> {
    let shape = node.need("shape")?;
    fits_dimension(shape, dimension)?;
    let sides = || node.get("sides").map_or(Ok(64), Node::whole).map(|sides| sides as usize);
    match shape.text()? {
        "box" => {
            let (min, max) = (node.need("min")?, node.need("max")?);
            let (least, most) = (point(min, dimension)?, point(max, dimension)?);
            ordered(&least.to_array()[..dimension], &most.to_array()[..dimension], max)?;
            Ok(Container::Box { min: least, max: most })
        }
        "cylinder" => {
            let top = node.need("top")?;
            let bottom = node.need("bottom")?.number()?;
            ordered(&[bottom], &[top.number()?], top)?;
            let radius = node.need("radius")?.number()?;
            Ok(Container::Cylinder { radius, bottom, top: top.number()?, sides: sides()? })
        }
        "profile" => Ok(Container::Profile {
            corners: profile_corners(node.need("corners")?)?,
            sides: sides()?,
        }),
        "mesh" => Ok(Container::Mesh {
            file: PathBuf::from(node.need("file")?.text()?),
            scale: number_or(node, "scale", 1.0)?,
        }),
        _ => {
            let corners = node.need("corners")?.list()?;
            Ok(Container::Polygon { corners: corners.iter().map(pair).collect::<Checked<_>>()? })
        }
    }
}

/// Some shapes make sense in 2D or in 3D only.
fn fits_dimension(shape: &Node, dimension: usize) -> Checked<()> {
    let name = shape.text()?;
    let (needed, instead) = match (name, dimension) {
        ("cylinder" | "profile" | "mesh", 2) => (3, "`box` or `polygon`"),
        ("polygon", 3) => (2, "`box`, `cylinder`, `profile` or `mesh`"),
        _ => return Ok(()),
    };
    let message = format!(
        "the shape `{name}` needs a {needed}D scene, but the `dimension` of this one is {dimension}"
    );
    Err(Fault::new(&shape.span, message).help(format!("in {dimension}D, use {instead}")))
}

/// Corners from the bottom up; only the two ends may be tips.
fn profile_corners(node: &Node) -> Checked<Vec<[f64; 2]>> {
    let mut corners: Vec<[f64; 2]> = Vec::new();
    let nodes = node.list()?;
    for (index, corner) in nodes.iter().enumerate() {
        let [z, radius] = pair(corner)?;
        let is_tip = radius == 0.0 && (index == 0 || index == nodes.len() - 1);
        let two_tips = is_tip && corners.iter().all(|corner| corner[1] == 0.0) && index > 0;
        if !(radius > 0.0 || is_tip) || two_tips {
            let message = format!("the radius of this corner is {radius:?}");
            let help = "radii are positive; the first or the last may be 0, for a tip";
            return Err(Fault::new(&corner.span, message).help(help));
        }
        if corners.last().is_some_and(|last| last[0] >= z) {
            let message = format!("this corner, at z = {z:?}, is not above the one before it");
            return Err(Fault::new(&corner.span, message).help("corners go from the bottom up"));
        }
        corners.push([z, radius]);
    }
    Ok(corners)
}
