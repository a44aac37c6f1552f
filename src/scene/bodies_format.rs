//! The part of the scene format that describes bodies.

use super::format::{MOST_BODIES, angle, list, number, pair, point, positive, vector};
use super::kind::{Kind, Range, Table};
use super::{family, shapes_format, structures};

pub(super) fn bodies() -> Table {
    let table = Table::new("bodies")
        .says("Bodies made the same way: one, or many alike.")
        .optional("group", Kind::Text)
        .default("bodies")
        .about("Their name, for joints, forces, messages, measurements and pictures.")
        .optional("colour", Kind::Text)
        .about("Their colour in pictures, as in \"#c91a09\"; without it, one of the palette's.");
    let table = moving(placed(what(table)))
        .optional("mass", positive())
        .about("The mass of each.")
        .optional("density", positive())
        .about("Mass per volume (in 2D: per area). Without `mass` and `density` it is 1, unless")
        .about("the `file` has a column for masses.");
    surface(table)
        .optional("rolling", Kind::Number(Range::NotNegative))
        .default(0)
        .about("Lever arm of rolling resistance; a contact takes the larger of its two.")
        .at_most_one(&["mass", "density"])
        .at_most_one(&["radius", "shape", "shapes", "tower", "structure"])
        .at_most_one(&["position", "positions", "grid", "ring", "random", "file", "path"])
        .at_most_one(&["turn", "turns"])
        .at_most_one(&["velocity", "path"])
        .at_most_one(&["spin", "path"])
}

fn what(table: Table) -> Table {
    let each = "a list with a positive number for each of the positions";
    let radius = vec![positive(), list(each, positive(), 1), Kind::Table(radii())];
    table
        .optional("radius", Kind::Either(radius))
        .about("Makes balls (in 2D: discs): one radius for all, a list with one for each of the")
        .about("`positions`, or a distribution.")
        .optional("shape", shapes_format::format())
        .about("What each of them is, if it is no ball.")
        .optional("shapes", list("a list of shapes", shapes_format::format(), 1))
        .about("Several shapes, taken in turn (along the diagonals of a grid).")
        .optional("tower", family::format())
        .about("A whole tower of a family, with its supports.")
        .optional("structure", structures::format())
        .about("Bodies with their joints, made by rule.")
}

fn placed(table: Table) -> Table {
    let turns = vec![
        ("upright", "Each at random about the vertical (in 2D: in the plane)."),
        ("random", "Each at random; 3D only."),
    ];
    table
        .optional("position", point())
        .about("Where the one body is: the place of the origin of its shape as it is written; of")
        .about("a tower or a structure, how far it is moved. Without any place: at 0.")
        .optional("positions", list("a list of points", point(), 1))
        .about("Where the bodies are, one by one.")
        .optional("grid", Kind::Table(grid()))
        .about("Bodies on a regular grid.")
        .optional("ring", Kind::Table(ring()))
        .about("Bodies on a level circle.")
        .optional("random", Kind::Table(random()))
        .about("Bodies at random, nothing overlapping.")
        .optional("file", Kind::Text)
        .about("Places from a file, relative to the scene file: .csv, .xyz, or of LAMMPS (.dump,")
        .about(".lammpstrj; .data, .lmp). CSV (commas, semicolons or tabs): columns x, y, z and perhaps radius")
        .about("or diameter, mass or density, vx, vy, vz, wx, wy, wz (radians per time), fixed, in any order if")
        .about("a header names them; with the columns width, height (in 3D: depth, too) it makes boxes, and")
        .about("perhaps has angle (2D), mass, fixed. XYZ: an element and x, y, z, perhaps radius,")
        .about("or what the comment's Properties say. Of several frames, the last counts. Dumps may have scaled")
        .about("places (xs); their box is no container. What is not used is named by `check` and `run`.")
        .optional(
            "type",
            Kind::Either(vec![Kind::Text, Kind::Whole { least: 0, most: u32::MAX.into() }]),
        )
        .about("Of a `file` whose particles have types (CSV: a column type or group), those of")
        .about("one type alone; without it, all.")
        .optional("turn", Kind::Either(vec![Kind::Choice(turns), angle()]))
        .about("How each is turned: a vector along the axis, as long as the angle in degrees (in")
        .about("2D: a number of degrees).")
        .optional("turns", list("a list of turns", angle(), 1))
        .about("One turn for each of the `positions`.")
}

fn moving(table: Table) -> Table {
    let motions = vec![
        ("free", "Forces and contacts move them."),
        ("fixed", "They never move. Fixed bodies may overlap each other and the container."),
        ("driven", "They keep their velocity and spin, or follow their `path`."),
    ];
    let words = vec![("border", "The outermost bodies of the grid do not move.")];
    let number_of = Kind::Whole { least: 0, most: MOST_BODIES };
    let fixed = vec![Kind::Choice(words), list("a list of numbers of bodies", number_of, 1)];
    let key = "a keyframe [time, x, y, z], perhaps with a turn (in 2D: [time, x, y], perhaps with \
               an angle)";
    let key = Kind::List { what: key, of: Box::new(number()), least: 3, most: 7 };
    table
        .optional("motion", Kind::Choice(motions))
        .default("free")
        .about("Who decides how they move.")
        .optional("fixed", Kind::Either(fixed))
        .about("Some of them that never move: the \"border\" of a grid, or numbers of bodies of")
        .about("this entry, from 0. For all of them, write motion = \"fixed\".")
        .optional("velocity", point())
        .about("At the start; without it, at rest.")
        .optional("spin", angle())
        .about("At the start, in degrees per time: a vector (in 2D: a number).")
        .optional("push", point())
        .about(
            "What pulls at them besides gravity, as an acceleration: a uniform field of force of",
        )
        .about("this entry's own.")
        .optional("rotate", Kind::Flag)
        .default(false)
        .about("Whether bodies turn while they settle; balls never need to.")
        .optional("path", list("a list of two or more keyframes", key, 2))
        .about("Where a driven body is at which time; between keyframes it moves evenly, after")
        .about("the last it stays.")
}

/// What a surface is like, of bodies and of the container.
pub(super) fn surface(table: Table) -> Table {
    table
        .optional("friction", Kind::Number(Range::NotNegative))
        .default(0.5)
        .about("Coefficient of Coulomb friction; a contact takes the geometric mean of its two.")
        .optional("restitution", Kind::Number(Range::NotNegative))
        .default(0)
        .about("From 0 (no bounce) to 1; a contact takes the larger of its two.")
}

fn grid() -> Table {
    let count = Kind::List {
        what: "a list of whole numbers along x, y and z (in 2D: x and y)",
        of: Box::new(Kind::Whole { least: 1, most: MOST_BODIES }),
        least: 2,
        most: 3,
    };
    let each = vector("a list with a positive number for each axis", Range::Positive);
    Table::new("bodies.grid")
        .says("Places on a regular grid, numbered along x first, then y, then z.")
        .required("count", count)
        .about("How many along each axis.")
        .required("first", point())
        .about("The place with the least coordinates.")
        .required("spacing", Kind::Either(vec![positive(), each]))
        .about("From one place to the next: the same along all axes, or one for each.")
        .optional("jitter", Kind::Number(Range::NotNegative))
        .default(0)
        .about("Each coordinate is moved at random by up to this, either way.")
}

fn ring() -> Table {
    Table::new("bodies.ring")
        .says("Places on a level circle (in 2D: a circle), the first along +x.")
        .required("count", Kind::Whole { least: 1, most: MOST_BODIES })
        .about("How many.")
        .required("radius", positive())
        .about("Of the circle.")
        .required("centre", point())
        .about("Of the circle.")
}

fn random() -> Table {
    Table::new("bodies.random")
        .says("Places at random inside the container, nothing overlapping. The largest body is")
        .says("placed first, so the bodies are numbered by size.")
        .required("count", Kind::Whole { least: 1, most: MOST_BODIES })
        .about("How many.")
        .optional("min", point())
        .about("Centres have at least these coordinates.")
        .optional("max", point())
        .about("Centres have at most these coordinates.")
        .optional("clearance", Kind::Number(Range::NotNegative))
        .about("Each body starts at least this far from all others and from the container.")
        .default(0)
}

fn radii() -> Table {
    let share = pair("a pair [radius, share]", Range::NotNegative);
    Table::new("bodies.radius")
        .says("How the radii are distributed.")
        .optional("uniform", pair("a pair [min, max] of positive numbers", Range::Positive))
        .about("Evenly from the first radius to the second.")
        .optional("lognormal", Kind::Table(lognormal()))
        .about("The common model of crushed and sieved material.")
        .optional("table", list("a list of pairs [radius, share]", share, 1))
        .about("Radii and their shares of the number of balls; shares need not sum to 1.")
        .exactly_one(&["uniform", "lognormal", "table"])
}

fn lognormal() -> Table {
    Table::new("bodies.radius.lognormal")
        .says("The logarithm of the radius is normally distributed; radii beyond the limits")
        .says("are drawn again.")
        .required("median", positive())
        .about("Half of the radii are smaller.")
        .required("sigma", positive())
        .about("The standard deviation of the logarithm of the radius.")
        .required("min", positive())
        .about("The least radius, at most the median.")
        .required("max", positive())
        .about("The greatest radius, at least the median.")
}
