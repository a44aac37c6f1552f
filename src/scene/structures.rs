//! Structures: many bodies with their joints, made by rule.

use super::format::positive;
use super::generate::{Made, StartJoint};
use super::kind::{Kind, Table};
use super::read::number_or;
use super::spanned::{Checked, Fault, Node};
use super::{JointKind, Weight};
use crate::math::{DQuat, DVec3};
use crate::problem::Result;
use crate::shape::Shape;

/// The kinds of structures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StructureFamily {
    /// A binary tree of bars hung from each other, the first from the world at 0.
    Mobile { depth: usize },
    /// Links joined end to end, level at the start along +x, the first to the world at 0; at
    /// the end a ball of `ratio` times the mass of a link.
    Rope { links: usize, length: f64, ratio: f64 },
    /// Rows of boxes on z = 0, each row one shorter than the one below.
    Pyramid { rows: usize, size: f64 },
}

impl StructureFamily {
    /// Its bodies and joints about the origin.
    pub(super) fn make(&self, weight: Weight) -> Result<Made> {
        let mut made = Made::default();
        match *self {
            StructureFamily::Mobile { depth } => mobile(&mut made, weight, depth)?,
            StructureFamily::Rope { links, length, ratio } => {
                rope(&mut made, weight, links, length, ratio)?;
            }
            StructureFamily::Pyramid { rows, size } => pyramid(&mut made, weight, rows, size)?,
        }
        Ok(made)
    }
}

fn join(made: &mut Made, a: usize, b: Option<usize>, at: DVec3) {
    made.joints.push(StartJoint { kind: JointKind::Ball, bodies: [Some(a), b], at });
}

/// How far below its hook a bar or a ball of a mobile hangs.
const STRING: f64 = 0.3;

/// A bar hangs from every end of the bar above, shorter than that one, the last ones carry
/// balls. Bars of odd levels lie along y.
fn mobile(made: &mut Made, weight: Weight, depth: usize) -> Result<()> {
    let reach = 0.8 * (1 << depth.min(6)) as f64 / 64.0 + 0.4;
    // All bars of a level are alike; the lowest carry the balls.
    let (mut shapes, mut half) = (Vec::new(), reach);
    for _ in 0..depth {
        shapes.push(made.add_shape(Shape::capsule(0.02, 2.0 * half)?));
        half *= 0.6;
    }
    shapes.push(made.add_shape(Shape::ball(0.05)));
    shapes.reverse();
    hang(made, weight, &shapes, None, DVec3::ZERO, reach)
}

/// What hangs from a hook: the last of the shapes, and below it the others.
fn hang(
    made: &mut Made,
    weight: Weight,
    shapes: &[u32],
    from: Option<usize>,
    hook: DVec3,
    reach: f64,
) -> Result<()> {
    let Some((&shape, below)) = shapes.split_last() else { return Ok(()) };
    let centre = hook - DVec3::Z * STRING;
    let along = if below.len().is_multiple_of(2) { DVec3::X } else { DVec3::Y };
    let turn = match below.len() {
        0 => DQuat::IDENTITY,
        _ => DQuat::from_rotation_arc(DVec3::Z, along),
    };
    let body = made.add_body(shape, centre, turn, weight);
    join(made, body, from, hook);
    if !below.is_empty() {
        for side in [-1.0, 1.0] {
            let end = centre + along * (side * reach);
            hang(made, weight, below, Some(body), end, 0.6 * reach)?;
        }
    }
    Ok(())
}

fn rope(made: &mut Made, weight: Weight, links: usize, length: f64, ratio: f64) -> Result<()> {
    let turn = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let link = made.add_shape(Shape::capsule(0.1 * length, 2.0 * (0.3 * length))?);
    let mut last = None;
    for k in 0..links {
        let centre = DVec3::X * (length * (k as f64 + 0.5));
        let number = made.add_body(link, centre, turn, weight);
        join(made, number, last, centre - DVec3::X * (0.5 * length));
        last = Some(number);
    }
    let end = DVec3::X * (length * links as f64);
    let heavy = Weight::Mass(made.bodies.last().map_or(1.0, |link| link.mass) * ratio);
    let shape = made.add_shape(Shape::ball(length));
    let ball = made.add_body(shape, end + DVec3::X * length, DQuat::IDENTITY, heavy);
    join(made, ball, last, end);
    Ok(())
}

/// The boxes of a row stand this many sizes apart, centre to centre.
const SPACING: f64 = 1.02;

fn pyramid(made: &mut Made, weight: Weight, rows: usize, size: f64) -> Result<()> {
    let shape = made.add_shape(Shape::cuboid(DVec3::splat(size))?);
    for row in 0..rows {
        let count = rows - row;
        for k in 0..count {
            let x = size * SPACING * (k as f64 - 0.5 * (count - 1) as f64);
            let at = DVec3::new(x, 0.0, size * (row as f64 + 0.5));
            made.add_body(shape, at, DQuat::IDENTITY, weight);
        }
    }
    Ok(())
}

pub(super) fn format() -> Kind {
    let mobile = family("mobile", "A binary tree of bars hung from each other.")
        .required("depth", Kind::Whole { least: 0, most: 14 })
        .about("Levels of bars below the first: 2^(depth+1) - 1 joints.");
    let rope = family("rope", "Links joined end to end, with a heavy ball at the end.")
        .required("links", Kind::Whole { least: 1, most: 10_000 })
        .about("How many.")
        .optional("length", positive())
        .default(0.1)
        .about("Of a link.")
        .optional("ratio", positive())
        .default(1)
        .about("The mass of the ball in masses of a link.");
    let pyramid = family("pyramid", "Rows of boxes, each one shorter than the one below.")
        .required("rows", Kind::Whole { least: 1, most: 200 })
        .about("How many rows.")
        .optional("size", positive())
        .default(0.5)
        .about("Of a box.");
    let variants = vec![("mobile", mobile), ("rope", rope), ("pyramid", pyramid)];
    Kind::Tagged { tag: "family", variants }
}

fn family(name: &'static str, about: &'static str) -> Table {
    Table::new("bodies.structure")
        .says(about)
        .required("family", Kind::Choice(vec![(name, about)]))
        .about("The kind of structure.")
}

pub(super) fn read(node: &Node, dimension: usize) -> Checked<StructureFamily> {
    let whole = |name| node.need(name).and_then(Node::whole).map(|n| n as usize);
    let name = node.need("family")?;
    if dimension == 2 {
        let message = format!("the structure `{}` needs a 3D scene", name.text()?);
        return Err(Fault::new(&name.span, message)
            .help("leave `dimension` out; in 2D, there are the families of `tower`"));
    }
    Ok(match name.text()? {
        "mobile" => StructureFamily::Mobile { depth: whole("depth")? },
        "rope" => StructureFamily::Rope {
            links: whole("links")?,
            length: number_or(node, "length", 0.1)?,
            ratio: number_or(node, "ratio", 1.0)?,
        },
        _ => StructureFamily::Pyramid { rows: whole("rows")?, size: number_or(node, "size", 0.5)? },
    })
}
