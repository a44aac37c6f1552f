//! Families of towers: what a scene says of them, its description and its reading.

use super::format::{MOST_BODIES, number, positive, vector};
use super::kind::{Kind, Range, Table};
use super::read::{number_or, point};
use super::spanned::{Checked, Fault, Node};
use super::towers::Plan;
use crate::math::DVec3;
use crate::problem::Result;

/// A family of towers with its parameters; see [`Plan`].
#[derive(Clone, Debug, PartialEq)]
pub enum Family {
    Diamond { size: usize, width: f64, height: f64 },
    InvertedTriangle { size: usize, width: f64, height: f64 },
    Harmonic { count: usize, extra: f64, width: f64, height: f64 },
    Overhang { count: usize, width: f64, height: f64 },
    Parabolic { size: usize, width: f64, height: f64 },
    Arch { stones: usize, radius: f64, thickness: f64 },
    Vault { stones: usize, rings: usize, radius: f64, thickness: f64, depth: f64 },
    Dome { rows: usize, around: usize, radius: f64, thickness: f64, oculus: f64 },
    Leaning { count: usize, lean: f64, width: f64, height: f64 },
    CardHouse { storeys: usize, length: f64, thickness: f64, angle: f64 },
    Chain { count: usize, length: f64, thickness: f64 },
    Wall { courses: usize, long: usize, size: DVec3 },
    Crossed { levels: usize, size: DVec3 },
    Dominoes { count: usize, spacing: f64, angle: f64, size: DVec3 },
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
            Family::Vault { stones, rings, radius, thickness, depth } => {
                Plan::vault(stones, rings, radius, thickness, depth)
            }
            Family::Dome { rows, around, radius, thickness, oculus } => {
                Plan::dome(rows, around, radius, thickness, oculus)
            }
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
            Family::Vault { .. } | Family::Dome { .. } => 3,
            _ => 2,
        }
    }
}

/// The family, and how deep it is drawn out in a 3D scene.
pub(super) fn read(node: &Node, dimension: usize) -> Checked<(Family, f64)> {
    let family = family(node)?;
    if family.dimension() > dimension {
        let name = node.need("family")?;
        let message = format!("the family `{}` needs a 3D scene", name.text()?);
        return Err(Fault::new(&name.span, message).help("leave `dimension` out"));
    }
    if let Some(depth) = node.get("depth").filter(|_| dimension == 2) {
        return Err(
            Fault::new(&depth.span, "a tower of a 2D scene has no depth").help("leave `depth` out")
        );
    }
    Ok((family, number_or(node, "depth", 1.0)?))
}

fn family(node: &Node) -> Checked<Family> {
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
        "vault" => Family::Vault {
            stones: whole("stones")?,
            rings: whole("rings")?,
            radius: number("radius", 1.0)?,
            thickness: number("thickness", 0.2)?,
            depth: number("ring", 0.4)?,
        },
        "dome" => {
            let oculus = number("oculus", 15.0)?;
            if let Some(node) = node.get("oculus").filter(|_| oculus >= 80.0) {
                return Err(Fault::new(&node.span, format!("`oculus` is {oculus}"))
                    .help("it is an angle from the top, below 80 degrees"));
            }
            Family::Dome {
                rows: whole("rows")?,
                around: whole("around")?,
                radius: number("radius", 1.0)?,
                thickness: number("thickness", 0.2)?,
                oculus: oculus.to_radians(),
            }
        }
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

pub(super) fn format() -> Kind {
    let variants = vec![
        ("diamond", sized("diamond", "Rows of 1, 2, ..., size, ..., 2, 1 bricks.")),
        ("inverted-triangle", sized("inverted-triangle", "Rows of 1, 2, ..., size bricks.")),
        ("harmonic", harmonic()),
        ("overhang", counted("overhang", "The best overhang of 3 or 4 bricks.", 3, 4)),
        ("parabolic", sized("parabolic", "A parabolic stack of the literature on overhang.")),
        ("arch", arch()),
        ("vault", vault()),
        ("dome", dome()),
        ("leaning", leaning()),
        ("card-house", card_house()),
        ("chain", chain()),
        ("wall", wall()),
        ("crossed", crossed()),
        ("dominoes", dominoes()),
    ];
    let deep = |(name, table): (&'static str, Table)| {
        let is_flat = !["wall", "crossed", "dominoes", "vault", "dome"].contains(&name);
        (name, if is_flat { drawn_out(table) } else { table })
    };
    Kind::Tagged { tag: "family", variants: variants.into_iter().map(deep).collect() }
}

fn named(name: &'static str, about: &'static str) -> Table {
    Table::new("bodies.tower")
        .says(about)
        .required("family", Kind::Choice(vec![(name, about)]))
        .about("The kind of tower.")
}

/// With the depth that a flat family has in a 3D scene.
fn drawn_out(table: Table) -> Table {
    table
        .optional("depth", positive())
        .default(1)
        .about("In a 3D scene: how far the bricks are drawn out along y; z is up.")
}

fn count(least: u64) -> Kind {
    Kind::Whole { least, most: MOST_BODIES.isqrt() }
}

/// With the width and height of its bricks.
fn rectangles(table: Table) -> Table {
    table
        .optional("width", positive())
        .default(1)
        .about("The width of a brick.")
        .optional("height", positive())
        .default(0.4)
        .about("The height of a brick.")
}

fn sized(name: &'static str, about: &'static str) -> Table {
    rectangles(named(name, about).required("size", count(1)).about("The longest row, in bricks."))
}

fn counted(name: &'static str, about: &'static str, least: u64, most: u64) -> Table {
    let count = Kind::Whole { least, most };
    rectangles(named(name, about).required("count", count).about("How many bricks."))
}

fn harmonic() -> Table {
    counted("harmonic", "One brick on another, as far out as they go.", 1, 1000)
        .optional("extra", number())
        .default(0)
        .about("How much further the top brick reaches, in widths.")
}

fn arch() -> Table {
    named("arch", "A semicircular arch of equal stones.")
        .required("stones", count(2))
        .about("How many stones.")
        .optional("radius", positive())
        .default(1)
        .about("Of the centre line.")
        .optional("thickness", Kind::Number(Range::Fraction))
        .default(0.2)
        .about("In units of that radius.")
}

fn vault() -> Table {
    let some = |least: u64| Kind::Whole { least, most: 300 };
    named("vault", "A barrel vault: equal arches behind each other along y; 3D.")
        .required("stones", some(2))
        .about("Of each arch.")
        .required("rings", some(1))
        .about("How many arches.")
        .optional("radius", positive())
        .default(1)
        .about("Of the centre line.")
        .optional("thickness", Kind::Number(Range::Fraction))
        .default(0.2)
        .about("In units of that radius.")
        .optional("ring", positive())
        .default(0.4)
        .about("How deep an arch is along y.")
}

fn dome() -> Table {
    let some = |least: u64| Kind::Whole { least, most: 300 };
    named("dome", "A half sphere of rows of stones, with a hole at the top; 3D.")
        .required("rows", some(1))
        .about("How many rows.")
        .required("around", some(4))
        .about("How many stones there are in a row.")
        .optional("radius", positive())
        .default(1)
        .about("Of the middle of its thickness.")
        .optional("thickness", Kind::Number(Range::Fraction))
        .default(0.2)
        .about("In units of that radius.")
        .optional("oculus", positive())
        .default(15)
        .about("Where the hole ends, in degrees from the top; below 80.")
}

fn leaning() -> Table {
    counted("leaning", "A straight stack that leans.", 1, 1000)
        .optional("lean", number())
        .default(0.1)
        .about("How far each brick reaches beyond the one below, in widths.")
}

fn card_house() -> Table {
    named("card-house", "A house of cards.")
        .required("storeys", Kind::Whole { least: 1, most: 100 })
        .about("How many storeys.")
        .optional("length", positive())
        .default(1)
        .about("Of a card.")
        .optional("thickness", positive())
        .default(0.04)
        .about("Of a card.")
        .optional("angle", positive())
        .default(20)
        .about("Of a leaning card to the vertical, in degrees.")
}

fn chain() -> Table {
    named("chain", "Bars pinned end to end, the first to a support, starting level.")
        .required("count", count(1))
        .about("How many bars.")
        .optional("length", positive())
        .default(1)
        .about("From pin to pin.")
        .optional("thickness", positive())
        .default(0.2)
        .about("Of a bar.")
}

fn boxes(table: Table, default: [f64; 3]) -> Table {
    table
        .optional("brick", vector("a list of three positive lengths", Range::Positive))
        .default(default.to_vec())
        .about("The size of a brick along x, y and z.")
}

fn wall() -> Table {
    let table = named("wall", "A wall in running bond; 3D.")
        .required("courses", count(1))
        .about("How many courses.")
        .required("long", count(1))
        .about("How many bricks long.");
    boxes(table, [1.0, 0.5, 0.4])
}

fn crossed() -> Table {
    let table = named("crossed", "Pairs of bricks laid crosswise; 3D.")
        .required("levels", count(1))
        .about("How many levels.");
    boxes(table, [1.0, 0.5, 0.4])
}

fn dominoes() -> Table {
    let table = named("dominoes", "A row of upright bricks, the first of them tilted; 3D.")
        .required("count", count(1))
        .about("How many.")
        .optional("spacing", positive())
        .default(0.5)
        .about("From one to the next.")
        .optional("angle", number())
        .default(10)
        .about("Of the first one, in degrees.");
    boxes(table, [0.15, 0.5, 1.0])
}
