//! What a scene says of cloth, balloons and what they are
//! attached to: the description of the format, and how it is read.

use std::path::PathBuf;

use super::Span;
use super::bodies_read::{group, radians};
use super::format::{list, point as point_kind, positive};
use super::kind::{Kind, Range, Table};
use super::read::{number_or, pair, point};
use super::spanned::{Checked, Fault, Node};
use crate::math::{DQuat, DVec3};

/// A grid has at most so many particles along an axis, so that a slip of the keyboard does not
/// fill the memory.
const MOST_ALONG: u64 = 1000;

/// How much the three kinds of threads give.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Compliance {
    /// Along warp and weft, as length per force; 0 does not give.
    pub stretch: f64,
    /// Along the diagonals of a grid, likewise.
    pub shear: f64,
    /// None for cloth that folds freely.
    pub bend: Option<f64>,
}

/// One entry of the scene's list of cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct ClothEntry {
    pub group: String,
    pub form: ClothForm,
    pub at: DVec3,
    pub turn: DQuat,
    pub velocity: DVec3,
    pub weight: ClothWeight,
    /// None for the mean length of the threads.
    pub thickness: Option<f64>,
    pub compliance: Compliance,
    pub friction: f64,
    pub damping: f64,
    pub most_stretch: Option<f64>,
    pub fixed: Vec<Region>,
    /// Factor of the rest volume, and how much it gives; of balloons only.
    pub pressure: Option<(f64, f64)>,
    pub span: Span,
}

/// What the cloth looks like at rest.
#[derive(Clone, Debug, PartialEq)]
pub enum ClothForm {
    /// A rectangle in the x-y plane.
    Grid { size: [f64; 2], count: [usize; 2] },
    /// A ball made of `20 * 4^level` triangles.
    Ball { radius: f64, level: u32 },
    /// A triangle mesh (.stl, .obj, .ply).
    Mesh { file: PathBuf, scale: f64 },
}

/// How heavy a cloth is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClothWeight {
    /// All of it.
    Mass(f64),
    /// Mass per area.
    Density(f64),
}

/// Which particles of a cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// The four corners of a grid.
    Corners,
    /// The whole rim.
    Rim,
    /// All within a box.
    Box { min: DVec3, max: DVec3 },
    /// The one nearest to a point.
    Nearest(DVec3),
}

/// Particles of a cloth tied to something else.
#[derive(Clone, Debug, PartialEq)]
pub struct AttachmentEntry {
    pub cloth: String,
    /// A body, another cloth, or `world`.
    pub to: String,
    pub region: Region,
    pub span: Span,
}

pub(super) fn format() -> Table {
    let compliance = || Kind::Number(Range::NotNegative);
    let give = Table::new("cloth.compliance")
        .says("How much threads give: length per force.")
        .optional("stretch", compliance())
        .default(0)
        .about("Along warp and weft, and along the sides of a mesh; in the mode default up to 0.8 of the stretch that is allowed, where a thread ends.")
        .optional("shear", compliance())
        .default(0)
        .about("Along the diagonals of a grid.")
        .optional("bend", compliance())
        .about("Against folding; without it, the cloth folds freely.");
    let pressure = Table::new("cloth.pressure")
        .says("The air in a balloon.")
        .optional("factor", positive())
        .default(1)
        .about("The volume that it is blown up to, in volumes at rest; in the mode default within about 0.1 time units, unless it gives.")
        .optional("compliance", compliance())
        .default(0)
        .about("How much the volume gives: volume per pressure.");
    Table::new("cloth")
        .says("A cloth: particles and threads; closed, a balloon.")
        .optional("group", Kind::Text)
        .default("cloth")
        .about("Its name, for attachments, messages and pictures.")
        .optional("grid", Kind::Table(grid()))
        .about("A rectangle in the x-y plane.")
        .optional("ball", Kind::Table(ball()))
        .about("A closed ball.")
        .optional("mesh", Kind::Table(mesh()))
        .about("A triangle mesh from a file.")
        .optional("position", point_kind())
        .about("Where its origin is (the middle of a grid or ball); without it, at 0.")
        .optional("turn", point_kind())
        .about("How it is turned: a vector along the axis, as long as the angle in degrees.")
        .optional("velocity", point_kind())
        .about("At the start; without it, at rest.")
        .optional("mass", positive())
        .about("Of the whole cloth.")
        .optional("density", positive())
        .about("Mass per area; 1 without `mass`.")
        .optional("thickness", positive())
        .about("The diameter of its particles; without it, the mean length of its threads.")
        .optional("compliance", Kind::Table(give))
        .about("How much it gives.")
        .optional("friction", Kind::Number(Range::NotNegative))
        .default(0.5)
        .about("Coefficient of Coulomb friction; a contact takes the geometric mean of its two.")
        .optional("damping", Kind::Number(Range::NotNegative))
        .default(0)
        .about("What is not a motion of the whole cloth fades at this rate per time.")
        .optional("most_stretch", positive())
        .about("No thread is longer by more than this part of it; at most what `verify` allows: 0.1, and 0.3 of the mode paper.")
        .optional("fixed", list("a list of regions", region(), 1))
        .about("Particles that never move.")
        .optional("pressure", Kind::Table(pressure))
        .about("Makes a closed cloth a balloon.")
        .exactly_one(&["grid", "ball", "mesh"])
        .at_most_one(&["mass", "density"])
}

fn grid() -> Table {
    let two = |what, of| Kind::List { what, of: Box::new(of), least: 2, most: 2 };
    Table::new("cloth.grid")
        .says("A rectangle about the origin, its warp along x and its weft along y.")
        .required("size", two("a pair of positive lengths [x, y]", positive()))
        .about("Along x and y.")
        .required(
            "count",
            two("a pair of whole numbers [x, y]", Kind::Whole { least: 2, most: MOST_ALONG }),
        )
        .about("Particles along x and y.")
}

fn ball() -> Table {
    Table::new("cloth.ball")
        .says("An icosahedron with every triangle split into four, and again.")
        .required("radius", positive())
        .about("Of the ball.")
        .optional("level", Kind::Whole { least: 0, most: 6 })
        .default(3)
        .about("How often it is split: 20 * 4^level triangles.")
}

fn mesh() -> Table {
    Table::new("cloth.mesh")
        .says("A triangle mesh; a balloon's is closed.")
        .required("file", Kind::Text)
        .about("A triangle mesh: .stl, .obj or .ply, relative to the scene file.")
        .optional("scale", positive())
        .default(1)
        .about("All coordinates of the file are multiplied by this.")
}

fn region() -> Kind {
    let choices =
        vec![("corners", "The four corners of a grid."), ("rim", "Everything at the rim.")];
    let within = Table::new("region")
        .says("Some of the particles.")
        .optional("min", point_kind())
        .about("The corner of a box with the least coordinates, at the start.")
        .optional("max", point_kind())
        .about("The corner with the greatest.")
        .optional("nearest", point_kind())
        .about("The one particle nearest to this point.")
        .exactly_one(&["min", "nearest"])
        .exactly_one(&["max", "nearest"]);
    Kind::Either(vec![Kind::Choice(choices), Kind::Table(within)])
}

pub(super) fn attachment_format() -> Table {
    Table::new("attachments")
        .says("Particles of a cloth tied to a body, to another cloth, or to the world.")
        .required("cloth", Kind::Text)
        .about("The name of the cloth.")
        .required("to", Kind::Text)
        .about("The name of a body (`name.3` for the fourth of a group), of a cloth, or `world`.")
        .required("at", region())
        .about("Which particles, at the start.")
}

pub(super) fn read(node: &Node) -> Checked<ClothEntry> {
    let vector = |name| node.get(name).map_or(Ok(DVec3::ZERO), |node| point(node, 3));
    let fixed = node.get("fixed").map_or(Ok(&[][..]), Node::list)?;
    Ok(ClothEntry {
        group: group(node, "cloth")?,
        form: form(node)?,
        at: vector("position")?,
        turn: DQuat::from_scaled_axis(radians(vector("turn")?)),
        velocity: vector("velocity")?,
        weight: match node.get("mass") {
            Some(mass) => ClothWeight::Mass(mass.number()?),
            None => ClothWeight::Density(number_or(node, "density", 1.0)?),
        },
        thickness: node.get("thickness").map(Node::number).transpose()?,
        compliance: node.get("compliance").map_or(Ok(Compliance::default()), compliance)?,
        friction: number_or(node, "friction", 0.5)?,
        damping: number_or(node, "damping", 0.0)?,
        most_stretch: node.get("most_stretch").map(Node::number).transpose()?,
        fixed: fixed.iter().map(region_of).collect::<Checked<_>>()?,
        pressure: match node.get("pressure") {
            None => None,
            Some(air) => Some((number_or(air, "factor", 1.0)?, number_or(air, "compliance", 0.0)?)),
        },
        span: node.span.clone(),
    })
}

fn form(node: &Node) -> Checked<ClothForm> {
    if let Some(grid) = node.get("grid") {
        let count = grid.need("count")?.list()?.iter().map(|n| n.whole().map(|n| n as usize));
        let count: Vec<usize> = count.collect::<Checked<_>>()?;
        let along = |k: usize| count.get(k).copied().unwrap_or(2);
        return Ok(ClothForm::Grid {
            size: pair(grid.need("size")?)?,
            count: [along(0), along(1)],
        });
    }
    if let Some(ball) = node.get("ball") {
        return Ok(ClothForm::Ball {
            radius: ball.need("radius")?.number()?,
            level: ball.get("level").map_or(Ok(3), Node::whole)? as u32,
        });
    }
    let mesh = node.need("mesh")?;
    Ok(ClothForm::Mesh {
        file: mesh.need("file")?.text()?.into(),
        scale: number_or(mesh, "scale", 1.0)?,
    })
}

fn compliance(node: &Node) -> Checked<Compliance> {
    Ok(Compliance {
        stretch: number_or(node, "stretch", 0.0)?,
        shear: number_or(node, "shear", 0.0)?,
        bend: node.get("bend").map(Node::number).transpose()?,
    })
}

fn region_of(node: &Node) -> Checked<Region> {
    if let Ok(word) = node.text() {
        return Ok(if word == "corners" { Region::Corners } else { Region::Rim });
    }
    if let Some(nearest) = node.get("nearest") {
        return Ok(Region::Nearest(point(nearest, 3)?));
    }
    let (min, max) = (point(node.need("min")?, 3)?, point(node.need("max")?, 3)?);
    if min.cmpgt(max).any() {
        return Err(Fault::new(&node.span, "the box has no inside")
            .help("every coordinate of `min` is at most that of `max`"));
    }
    Ok(Region::Box { min, max })
}

pub(super) fn attachment(node: &Node) -> Checked<AttachmentEntry> {
    Ok(AttachmentEntry {
        cloth: node.need("cloth")?.text()?.into(),
        to: node.need("to")?.text()?.into(),
        region: region_of(node.need("at")?)?,
        span: node.span.clone(),
    })
}
