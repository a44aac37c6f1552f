//! The bricks of a collapse scene: single ones, lists from a file, or whole
//! families of towers; what they weigh, how rough and how bouncy they are.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::brick_file;
use super::read::{number_or, point};
use super::source::into_text;
use super::spanned::{Checked, Fault, Node};
use super::towers::Plan;
use super::{Scene, Span, Weight};
use crate::math::{DQuat, DVec3};
use crate::problem::{Problem, Result};
use crate::shape::Brick;

/// One entry of the scene's list of bricks.
#[derive(Clone, Debug, PartialEq)]
pub struct Bricks {
    pub group: String,
    pub what: What,
    pub fixed: bool,
    pub friction: f64,
    pub restitution: f64,
    pub weight: Weight,
    pub velocity: DVec3,
    /// Angular velocity in radians per time.
    pub spin: DVec3,
    pub span: Span,
}

/// What the bricks of an entry are.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// One convex polygon.
    Polygon(Vec<[f64; 2]>),
    /// One body made of convex polygons.
    Pieces(Vec<Vec<[f64; 2]>>),
    /// A box (in 2D: a rectangle) turned by a rotation vector, in radians, about its centre.
    Box { size: DVec3, centre: DVec3, turn: DVec3 },
    /// Boxes from a .csv file.
    File(PathBuf),
    /// A whole tower with its supports.
    Tower(Family),
}

/// A family of towers with its parameters; see [`Plan`].
#[derive(Clone, Debug, PartialEq)]
pub enum Family {
    Diamond { size: usize, width: f64, height: f64 },
    InvertedTriangle { size: usize, width: f64, height: f64 },
    Harmonic { count: usize, extra: f64, width: f64, height: f64 },
    Overhang { count: usize, width: f64, height: f64 },
    Parabolic { size: usize, width: f64, height: f64 },
    Arch { stones: usize, radius: f64, thickness: f64 },
    Leaning { count: usize, lean: f64, width: f64, height: f64 },
    CardHouse { storeys: usize, length: f64, thickness: f64, angle: f64 },
    Chain { count: usize, length: f64, thickness: f64 },
    Wall { courses: usize, long: usize, size: DVec3 },
    Crossed { levels: usize, size: DVec3 },
    Dominoes { count: usize, spacing: f64, angle: f64, size: DVec3 },
}

/// Two bricks held together at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    pub bricks: [usize; 2],
    pub at: DVec3,
    pub span: Span,
}

/// Points of two bricks that keep their distance.
#[derive(Clone, Debug, PartialEq)]
pub struct BarEntry {
    pub bricks: [usize; 2],
    pub ends: [DVec3; 2],
    pub span: Span,
}

/// What the unknowns of a step's program are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unknowns {
    /// Where bricks go next [C11 Figure 7].
    #[default]
    Positions,
    /// Their accelerations, after impacts have been taken out of their velocities [C11 Figure 6].
    Accelerations,
}

/// How a step keeps the lengths of bars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lengths {
    /// L' of [C11 5]: the last step's rotation is taken back once; shrinks what spins.
    Prime,
    /// L' with half of that: exact for steady spin.
    Half,
    /// L'' of [C11 8.3]: the projection is the original length; nothing accumulates.
    #[default]
    Original,
    /// As L'', but as a penalty instead of a condition [C11 8.4].
    Penalty,
}

impl Lengths {
    /// The factor of the penalty that the paper's authors took.
    pub const PENALTY: f64 = 100.0;
}

/// Where the mass of a brick is taken to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MassModel {
    /// Everywhere, exactly.
    #[default]
    Continuous,
    /// In the corners, the middles of the edges and the centre of a rectangle [C11 8.1].
    Nine,
    /// In the corners and the centre: the same moments.
    Five,
    /// In the corners alone: too much inertia.
    Four,
}

impl MassModel {
    /// The shares of the mass in each corner and in the middle of each edge.
    pub fn shares(self, dimension: usize) -> Option<[f64; 2]> {
        match (self, dimension) {
            (MassModel::Continuous, _) => None,
            (MassModel::Nine, 2) => Some([1.0 / 36.0, 4.0 / 36.0]),
            (MassModel::Five, 2) => Some([1.0 / 12.0, 0.0]),
            (MassModel::Four, 2) => Some([0.25, 0.0]),
            (MassModel::Four, _) => Some([0.125, 0.0]),
            (MassModel::Five | MassModel::Nine, _) => Some([1.0 / 24.0, 0.0]),
        }
    }
}

/// The options of the collapse method.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)] // a run file from before an option existed means its default
pub struct Collapse {
    /// The length of a time step.
    pub time_step: f64,
    /// How many steps a run makes.
    pub steps: usize,
    /// The coefficient of the second-order term of the sidedness constraints:
    /// 1 is consistent, 2 as printed.
    pub sidedness: f64,
    /// Forces exact mirror symmetry about a plane of constant x.
    pub mirror: bool,
    pub unknowns: Unknowns,
    pub lengths: Lengths,
    pub mass_points: MassModel,
}

impl Default for Collapse {
    fn default() -> Self {
        Collapse {
            time_step: 0.01,
            steps: 1000,
            sidedness: 1.0,
            mirror: false,
            unknowns: Unknowns::default(),
            lengths: Lengths::default(),
            mass_points: MassModel::default(),
        }
    }
}

/// A brick as it starts: convex pieces in the frame of the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    pub pieces: Vec<Brick>,
    pub fixed: bool,
    pub mass: f64,
    /// The entry of the scene's list that made it.
    pub entry: usize,
}

impl Family {
    pub fn plan(&self) -> Result<Plan> {
        match *self {
            Family::Diamond { size, width, height } => Plan::diamond(size, width, height),
            Family::InvertedTriangle { size, width, height } => {
                Plan::inverted_triangle(size, width, height)
            }
            Family::Harmonic { count, extra, width, height } => {
                Plan::harmonic(count, extra, width, height)
            }
            Family::Overhang { count, width, height } => Plan::overhang(count, width, height),
            Family::Parabolic { size, width, height } => Plan::parabolic(size, width, height),
            Family::Arch { stones, radius, thickness } => Plan::arch(stones, radius, thickness),
            Family::Leaning { count, lean, width, height } => {
                Plan::leaning(count, lean, width, height)
            }
            Family::CardHouse { storeys, length, thickness, angle } => {
                Plan::card_house(storeys, length, thickness, angle)
            }
            Family::Chain { count, length, thickness } => Plan::chain(count, length, thickness),
            Family::Wall { courses, long, size } => Plan::wall(courses, long, size),
            Family::Crossed { levels, size } => Plan::crossed(levels, size),
            Family::Dominoes { count, spacing, angle, size } => {
                Plan::dominoes(count, spacing, angle, size)
            }
        }
    }

    /// In which dimension the family lives.
    pub fn dimension(&self) -> usize {
        match self {
            Family::Wall { .. } | Family::Crossed { .. } | Family::Dominoes { .. } => 3,
            _ => 2,
        }
    }
}

/// All bricks of a scene and the pins between them, in the order of its list; supports of a
/// tower follow its bricks.
pub fn bricks(scene: &Scene) -> Result<(Vec<Placed>, Vec<Pin>)> {
    let (mut all, mut pins) = (Vec::new(), scene.pins.clone());
    for (entry, bricks) in scene.bricks.iter().enumerate() {
        let point_at = |problem: Problem| {
            let help = problem.help.clone();
            Problem { help, ..scene.problem(&bricks.span, problem.message) }
        };
        let first = all.len();
        let mut add = |pieces: Vec<Brick>, fixed: bool, mass: Option<f64>| {
            let measure: f64 = pieces.iter().map(|p| p.moments().measure).sum();
            let mass = match bricks.weight {
                Weight::Mass(mass) => mass,
                Weight::Density(density) => density * measure,
                Weight::FromFile => mass.unwrap_or(measure),
            };
            all.push(Placed { pieces, fixed: fixed || bricks.fixed, mass, entry });
        };
        match &bricks.what {
            What::Polygon(corners) => {
                add(vec![Brick::polygon(corners).map_err(point_at)?], false, None);
            }
            What::Pieces(pieces) => {
                let pieces = pieces.iter().map(|corners| Brick::polygon(corners));
                add(pieces.collect::<Result<_>>().map_err(point_at)?, false, None);
            }
            What::Box { size, centre, turn } => {
                let brick = cuboid(scene.dimension, *size).map_err(point_at)?;
                add(vec![brick.placed(*centre, DQuat::from_scaled_axis(*turn))], false, None);
            }
            What::File(file) => {
                for row in file_rows(scene, bricks, file)? {
                    let brick = cuboid(scene.dimension, row.size).map_err(point_at)?;
                    let turn = DQuat::from_scaled_axis(row.turn);
                    add(vec![brick.placed(row.centre, turn)], row.fixed, row.mass);
                }
            }
            What::Tower(family) => {
                let plan = family.plan().map_err(point_at)?;
                plan.bricks.into_iter().for_each(|brick| add(vec![brick], false, None));
                plan.supports.into_iter().for_each(|brick| add(vec![brick], true, None));
                pins.extend(plan.pins.iter().map(|(ends, at)| Pin {
                    bricks: ends.map(|k| first + k),
                    at: *at,
                    span: bricks.span.clone(),
                }));
            }
        }
    }
    let joints = pins.iter().map(|pin| ("pin", pin.bricks, &pin.span));
    let joints = joints.chain(scene.bars.iter().map(|bar| ("bar", bar.bricks, &bar.span)));
    let mut wrong = joints.filter(|(_, ends, _)| ends.iter().any(|end| *end >= all.len()));
    if let Some((joint, [a, b], span)) = wrong.next() {
        let message =
            format!("the {joint} joins the bricks {a} and {b}, but there are {}", all.len());
        return Err(scene.problem(span, message).help("bricks are counted from 0"));
    }
    Ok((all, pins))
}

fn cuboid(dimension: usize, size: DVec3) -> Result<Brick> {
    match dimension {
        2 => Brick::rectangle(size.x, size.y),
        _ => Brick::cuboid(size),
    }
}

fn file_rows(scene: &Scene, bricks: &Bricks, file: &Path) -> Result<Vec<brick_file::BrickRow>> {
    let opened = scene.source.files.read(file);
    let (path, bytes) = opened.map_err(|p| scene.problem(&bricks.span, p.message))?;
    brick_file::read(&path, &into_text(&path, bytes)?, scene.dimension)
}

pub(super) fn entry(node: &Node, dimension: usize) -> Checked<Bricks> {
    let number = |name| node.get(name).map(Node::number).transpose();
    let what = what(node, dimension)?;
    let weight = match (number("mass")?, number("density")?) {
        (Some(mass), _) => Weight::Mass(mass),
        (None, Some(density)) => Weight::Density(density),
        (None, None) => Weight::FromFile,
    };
    let vector = |name| node.get(name).map_or(Ok(DVec3::ZERO), |node| point(node, dimension));
    let names = ["polygon", "pieces", "box", "file", "tower"];
    let written = names.iter().find_map(|name| node.get(name)).unwrap_or(node);
    Ok(Bricks {
        group: node.get("group").map_or(Ok("bricks"), Node::text)?.into(),
        what,
        fixed: node.get("fixed").is_some(),
        friction: number_or(node, "friction", 0.0)?,
        restitution: number_or(node, "restitution", 0.0)?,
        weight,
        velocity: vector("velocity")?,
        spin: match (node.get("spin"), dimension) {
            (None, _) => DVec3::ZERO,
            (Some(spin), 2) => DVec3::Z * spin.number()?.to_radians(),
            (Some(spin), _) => radians(point(spin, 3)?),
        },
        span: written.span.clone(),
    })
}

pub(super) fn radians(v: DVec3) -> DVec3 {
    DVec3::from_array(v.to_array().map(f64::to_radians))
}

fn what(node: &Node, dimension: usize) -> Checked<What> {
    let flat = |node: &Node| match dimension {
        2 => Ok(()),
        _ => Err(Fault::new(&node.span, "polygons are bricks of 2D scenes")
            .help("write `dimension = 2`, or use `box`")),
    };
    if let Some(polygon) = node.get("polygon") {
        flat(polygon)?;
        return Ok(What::Polygon(corners(polygon)?));
    }
    if let Some(pieces) = node.get("pieces") {
        flat(pieces)?;
        return Ok(What::Pieces(pieces.list()?.iter().map(corners).collect::<Checked<_>>()?));
    }
    if let Some(cuboid) = node.get("box") {
        let turn = match (cuboid.get("angle"), cuboid.get("turn"), dimension) {
            (None, None, _) => DVec3::ZERO,
            (Some(angle), None, 2) => DVec3::Z * angle.number()?.to_radians(),
            (None, Some(turn), 3) => radians(point(turn, 3)?),
            _ => {
                return Err(Fault::new(
                    &cuboid.span,
                    "a box is turned by `angle` in 2D and by `turn` in 3D",
                ));
            }
        };
        return Ok(What::Box {
            size: point(cuboid.need("size")?, dimension)?,
            centre: point(cuboid.need("centre")?, dimension)?,
            turn,
        });
    }
    if let Some(file) = node.get("file") {
        return Ok(What::File(PathBuf::from(file.text()?)));
    }
    let tower = node.need("tower")?;
    let family = family(tower)?;
    if family.dimension() != dimension {
        let message = format!(
            "this family of towers is {}D, but the `dimension` of the scene is {dimension}",
            family.dimension()
        );
        return Err(Fault::new(&tower.span, message));
    }
    Ok(What::Tower(family))
}

fn corners(node: &Node) -> Checked<Vec<[f64; 2]>> {
    let corner = |node: &Node| point(node, 2).map(|p| [p.x, p.y]);
    node.list()?.iter().map(corner).collect()
}

pub(super) fn family(node: &Node) -> Checked<Family> {
    let whole = |name| node.need(name).and_then(Node::whole).map(|n| n as usize);
    let number = |name, default| number_or(node, name, default);
    let (width, height) = (number("width", 1.0)?, number("height", 0.4)?);
    let size3 = || node.get("brick").map_or(Ok(DVec3::new(1.0, 0.5, 0.4)), |n| point(n, 3));
    Ok(match node.need("family")?.text()? {
        "diamond" => Family::Diamond { size: whole("size")?, width, height },
        "inverted-triangle" => Family::InvertedTriangle { size: whole("size")?, width, height },
        "harmonic" => {
            Family::Harmonic { count: whole("count")?, extra: number("extra", 0.0)?, width, height }
        }
        "overhang" => Family::Overhang { count: whole("count")?, width, height },
        "parabolic" => Family::Parabolic { size: whole("size")?, width, height },
        "arch" => Family::Arch {
            stones: whole("stones")?,
            radius: number("radius", 1.0)?,
            thickness: number("thickness", 0.2)?,
        },
        "leaning" => {
            Family::Leaning { count: whole("count")?, lean: number("lean", 0.1)?, width, height }
        }
        "card-house" => Family::CardHouse {
            storeys: whole("storeys")?,
            length: number("length", 1.0)?,
            thickness: number("thickness", 0.04)?,
            angle: number("angle", 20.0)?.to_radians(),
        },
        "chain" => Family::Chain {
            count: whole("count")?,
            length: number("length", 1.0)?,
            thickness: number("thickness", 0.2)?,
        },
        "wall" => Family::Wall { courses: whole("courses")?, long: whole("long")?, size: size3()? },
        "crossed" => Family::Crossed { levels: whole("levels")?, size: size3()? },
        _ => Family::Dominoes {
            count: whole("count")?,
            spacing: number("spacing", 0.5)?,
            angle: number("angle", 10.0)?.to_radians(),
            size: match node.get("brick") {
                Some(brick) => point(brick, 3)?,
                None => DVec3::new(0.15, 0.5, 1.0),
            },
        },
    })
}

pub(super) fn pin(node: &Node, dimension: usize) -> Checked<Pin> {
    let ends = node.need("bricks")?;
    let numbers = ends.list()?.iter().map(Node::whole).collect::<Checked<Vec<u64>>>()?;
    let [a, b] = numbers[..] else {
        return Err(Fault::new(&ends.span, "a pin joins two bricks"));
    };
    if a == b {
        return Err(Fault::new(&ends.span, "a pin joins two different bricks"));
    }
    let at = point(node.need("at")?, dimension)?;
    Ok(Pin { bricks: [a as usize, b as usize], at, span: node.span.clone() })
}

pub(super) fn bar(node: &Node, dimension: usize) -> Checked<BarEntry> {
    let (bricks, ends) = (node.need("bricks")?, node.need("ends")?);
    let numbers = bricks.list()?.iter().map(Node::whole).collect::<Checked<Vec<u64>>>()?;
    let points =
        ends.list()?.iter().map(|end| point(end, dimension)).collect::<Checked<Vec<_>>>()?;
    let (&[a, b], &[from, to]) = (&numbers[..], &points[..]) else {
        return Err(Fault::new(&node.span, "a bar has two ends"));
    };
    if a == b {
        return Err(Fault::new(&bricks.span, "a bar joins two different bricks"));
    }
    if from == to {
        return Err(
            Fault::new(&ends.span, "the bar has no length").help("a bar without length is a pin")
        );
    }
    let bricks = [a as usize, b as usize];
    Ok(BarEntry { bricks, ends: [from, to], span: node.span.clone() })
}

/// A choice as the format spells it.
fn choice<T: for<'a> Deserialize<'a> + Default>(node: &Node, name: &str) -> Checked<T> {
    let Some(node) = node.get(name) else { return Ok(T::default()) };
    let written = serde_json::Value::from(node.text()?);
    serde_json::from_value(written).map_err(|e| Fault::new(&node.span, e.to_string()))
}

pub(super) fn collapse(node: &Node) -> Checked<Collapse> {
    let default = Collapse::default();
    Ok(Collapse {
        time_step: number_or(node, "time_step", default.time_step)?,
        steps: node.get("steps").map_or(Ok(default.steps as u64), Node::whole)? as usize,
        sidedness: number_or(node, "sidedness", default.sidedness)?,
        mirror: node.get("symmetry").map_or(Ok("none"), Node::text)? == "mirror-x",
        unknowns: choice(node, "unknowns")?,
        lengths: choice(node, "lengths")?,
        mass_points: choice(node, "mass_points")?,
    })
}
