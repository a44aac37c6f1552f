//! The part of the scene format that describes bricks, pins and the options
//! of the method collapse.

use super::Collapse;
use super::format::{MOST_BODIES, list, number, point, positive, vector};
use super::kind::{Kind, Range, Table};

pub(super) fn bricks() -> Table {
    let corner = || vector("a corner [x, y]", Range::Any);
    let polygon = || list("a list of three or more corners [x, y]", corner(), 3);
    let all = "It never moves: a support.";
    let spin = Kind::Either(vec![number(), point()]);
    Table::new("bricks")
        .says("Bricks of the method collapse: one, or many made the same way.")
        .optional("group", Kind::Text)
        .default("bricks")
        .about("The group's name, for messages and pictures.")
        .optional("polygon", polygon())
        .about("One convex brick, its corners counter-clockwise; 2D only.")
        .optional("pieces", list("a list of polygons", polygon(), 1))
        .about("One brick that is not convex, made of convex polygons; 2D only.")
        .optional("box", Kind::Table(cuboid()))
        .about("One box (in 2D: a rectangle).")
        .optional("file", Kind::Text)
        .about("Boxes from a .csv file, relative to the scene file; its first line names the")
        .about("columns: x, y, width, height and perhaps angle in 2D, x, y, z, width, depth,")
        .about("height in 3D, perhaps mass and fixed.")
        .optional("tower", tower())
        .about("A whole tower of a family, with its supports.")
        .optional("mass", positive())
        .about("The mass of each brick.")
        .optional("density", positive())
        .about("Mass per volume (in 2D: per area); 1 without `mass`.")
        .optional("fixed", Kind::Choice(vec![("all", all)]))
        .about("\"all\": these bricks never move.")
        .optional("friction", Kind::Number(Range::NotNegative))
        .default(0)
        .about("Coefficient of Coulomb friction; a contact takes the smaller of its two.")
        .optional("restitution", Kind::Number(Range::NotNegative))
        .default(0)
        .about("From 0 (no bounce) to 1; a contact takes the smaller of its two.")
        .optional("velocity", point())
        .about("At the start; without it, at rest.")
        .optional("spin", spin)
        .about("At the start, in degrees per time: a number in 2D, a vector in 3D.")
        .exactly_one(&["polygon", "pieces", "box", "file", "tower"])
        .at_most_one(&["mass", "density"])
}

fn cuboid() -> Table {
    Table::new("bricks.box")
        .says("A box (in 2D: a rectangle).")
        .required("size", vector("a list of positive lengths", Range::Positive))
        .about("Width and height in 2D; along x, y and z in 3D.")
        .required("centre", point())
        .about("Where its centre is.")
        .optional("angle", number())
        .about("How it is turned about its centre, in degrees, counter-clockwise; 2D.")
        .optional("turn", point())
        .about("How it is turned: a vector along the axis, as long as the angle in degrees; 3D.")
}

pub(super) fn tower() -> Kind {
    let variants = vec![
        ("diamond", sized("diamond", "Rows of 1, 2, ..., size, ..., 2, 1 bricks.")),
        ("inverted-triangle", sized("inverted-triangle", "Rows of 1, 2, ..., size bricks.")),
        ("harmonic", harmonic()),
        ("overhang", counted("overhang", "The best overhang of 3 or 4 bricks.", 3, 4)),
        ("parabolic", sized("parabolic", "A parabolic stack of the literature on overhang.")),
        ("arch", arch()),
        ("leaning", leaning()),
        ("card-house", card_house()),
        ("chain", chain()),
        ("wall", wall()),
        ("crossed", crossed()),
        ("dominoes", dominoes()),
    ];
    Kind::Tagged { tag: "family", variants }
}

fn family(name: &'static str, about: &'static str) -> Table {
    Table::new("bricks.tower")
        .says(about)
        .required("family", Kind::Choice(vec![(name, about)]))
        .about("The kind of tower.")
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
    rectangles(family(name, about).required("size", count(1)).about("The longest row, in bricks."))
}

fn counted(name: &'static str, about: &'static str, least: u64, most: u64) -> Table {
    let count = Kind::Whole { least, most };
    rectangles(family(name, about).required("count", count).about("How many bricks."))
}

fn harmonic() -> Table {
    counted("harmonic", "One brick on another, as far out as they go.", 1, 1000)
        .optional("extra", number())
        .default(0)
        .about("How much further the top brick reaches, in widths.")
}

fn arch() -> Table {
    family("arch", "A semicircular arch of equal stones.")
        .required("stones", count(2))
        .about("How many stones.")
        .optional("radius", positive())
        .default(1)
        .about("Of the centre line.")
        .optional("thickness", Kind::Number(Range::Fraction))
        .default(0.2)
        .about("In units of that radius.")
}

fn leaning() -> Table {
    counted("leaning", "A straight stack that leans.", 1, 1000)
        .optional("lean", number())
        .default(0.1)
        .about("How far each brick reaches beyond the one below, in widths.")
}

fn card_house() -> Table {
    family("card-house", "A house of cards.")
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
    family("chain", "Bars pinned end to end, the first to a support, starting level.")
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
    let table = family("wall", "A wall in running bond; 3D.")
        .required("courses", count(1))
        .about("How many courses.")
        .required("long", count(1))
        .about("How many bricks long.");
    boxes(table, [1.0, 0.5, 0.4])
}

fn crossed() -> Table {
    let table = family("crossed", "Pairs of bricks laid crosswise; 3D.")
        .required("levels", count(1))
        .about("How many levels.");
    boxes(table, [1.0, 0.5, 0.4])
}

fn dominoes() -> Table {
    let table = family("dominoes", "A row of upright bricks, the first of them tilted; 3D.")
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

/// The numbers of two bricks.
fn two_bricks() -> Kind {
    Kind::List {
        what: "the numbers of two bricks",
        of: Box::new(Kind::Whole { least: 0, most: MOST_BODIES }),
        least: 2,
        most: 2,
    }
}

pub(super) fn bar() -> Table {
    let ends = Kind::List { what: "two points", of: Box::new(point()), least: 2, most: 2 };
    Table::new("bars")
        .says("Points of two bricks that keep their distance; a bar touches nothing.")
        .required("bricks", two_bricks())
        .about("Their numbers, from 0, in the order of the scene.")
        .required("ends", ends)
        .about("Where the bar's ends are at the start, one on each brick.")
}

pub(super) fn pin() -> Table {
    Table::new("pins")
        .says("Two bricks held together at a point, free to turn about it.")
        .required("bricks", two_bricks())
        .about("Their numbers, from 0, in the order of the scene.")
        .required("at", point())
        .about("Where, at the start.")
}

pub(super) fn collapse() -> Table {
    let default = Collapse::default();
    let none = "The bits decide; the asymmetry is reported.";
    let mirror = "Exact mirror symmetry about a plane of constant x.";
    let unknowns = vec![
        ("positions", "Positions alone (Figure 7 of the paper)."),
        ("accelerations", "Impacts, then accelerations, then velocities (Figure 6)."),
    ];
    let lengths = vec![
        ("original", "L'': towards the original length; nothing accumulates."),
        ("prime", "L' as printed: shrinks what spins."),
        ("half", "L' with half of its correction: exact for steady spin."),
        ("penalty", "L'' as a penalty instead of a condition."),
    ];
    let masses = vec![
        ("continuous", "Everywhere: the exact inertia."),
        ("nine", "In corners, middles of edges and the centre: the same inertia; 2D."),
        ("five", "In the corners and the centre: the same inertia."),
        ("four", "In the corners alone: three times the inertia."),
    ];
    Table::new("collapse")
        .says("Options of the method collapse.")
        .optional("time_step", positive())
        .default(default.time_step)
        .about("The length of a time step.")
        .optional("steps", Kind::Whole { least: 1, most: u64::from(u32::MAX) })
        .default(default.steps)
        .about("How many steps a run makes.")
        .optional("sidedness", Kind::Number(Range::NotNegative))
        .default(default.sidedness)
        .about("Coefficient of the second-order term that keeps turning bricks apart: 1 is")
        .about("consistent, 2 as the paper prints it.")
        .optional("symmetry", Kind::Choice(vec![("none", none), ("mirror-x", mirror)]))
        .default("none")
        .about("What a symmetric tower keeps of its symmetry.")
        .optional("unknowns", Kind::Choice(unknowns))
        .default("positions")
        .about("What each step solves for.")
        .optional("lengths", Kind::Choice(lengths))
        .default("original")
        .about("How bars keep their lengths.")
        .optional("mass_points", Kind::Choice(masses))
        .default("continuous")
        .about("Where the mass of a brick is; points are for rectangles and boxes.")
}
