//! The scene format, described once: [`super::read`] checks files against this
//! description, and the JSON Schema and the messages' help are made from it.

use super::brick_format;
use super::kind::{Kind, Range, Table};
use super::rigid_format;
use super::{Reach, Settle, cloth, layouts, solids};

/// More bodies than this are refused, so that a slip of the keyboard does not fill the memory.
pub(super) const MOST_BODIES: u64 = 10_000_000;

/// The whole scene.
pub(super) fn scene() -> Table {
    let settling = "Bodies move to lower energy without ever overlapping, frictionless, until \
                    they provably rest.";
    let collapsing = "Rigid bricks stand or fall by Gauss' principle of least restraint.";
    let compacting = "Pieces of a flat layout slide together before a wall that moves in.";
    let moving = "Rigid bodies, joints and cloth move in time, with friction.";
    let methods = vec![
        ("settle", settling),
        ("collapse", collapsing),
        ("compact", compacting),
        ("dynamics", moving),
    ];
    Table::new("")
        .says("A Riprap scene: a container, the bodies in it, and how they are to move.")
        .says("Lengths, masses and gravity are in units of the writer's choice.")
        .says("3D scenes have z up; 2D scenes live in the x-y plane with y up.")
        .optional("$schema", Kind::Text)
        .about("The address of this schema, for editors; without meaning for the scene.")
        .optional("name", Kind::Text)
        .about("The scene's name; without it, the file's name.")
        .optional("about", Kind::Text)
        .default("")
        .about("One sentence on what the scene shows.")
        .optional("method", Kind::Choice(methods))
        .default("settle")
        .about("How the bodies move.")
        .optional("dimension", Kind::Whole { least: 2, most: 3 })
        .default(3)
        .about("2 for circles in the x-y plane, 3 for spheres.")
        .optional("seed", Kind::Whole { least: 0, most: u64::MAX })
        .default(0)
        .about("All randomness comes from this number; the same seed gives the same run.")
        .optional("gravity", point())
        .about("The acceleration of every body; without it, 1 downwards.")
        .optional("container", container())
        .about("The closed region that holds the bodies; without it, forces must.")
        .optional("bodies", list("a list of one or more groups", Kind::Table(bodies()), 1))
        .about("The bodies of the method settle, in groups made the same way.")
        .optional("bricks", list("a list of bricks", Kind::Table(brick_format::bricks()), 1))
        .about("The bricks of the method collapse.")
        .optional("pins", list("a list of pins", Kind::Table(brick_format::pin()), 1))
        .about("Points at which two bricks are held together.")
        .optional("rigid", list("a list of bodies", Kind::Table(rigid_format::rigid()), 1))
        .about("The bodies of the method dynamics.")
        .optional("structures", list("a list of structures", rigid_format::structure(), 1))
        .about("Bodies of the method dynamics with their joints, made by rule.")
        .optional("joints", list("a list of joints", Kind::Table(rigid_format::joint()), 1))
        .about("What joins bodies of the method dynamics.")
        .optional("cloth", list("a list of cloth", Kind::Table(cloth::format()), 1))
        .about("Cloth and balloons of the method dynamics.")
        .optional(
            "attachments",
            list("a list of attachments", Kind::Table(cloth::attachment_format()), 1),
        )
        .about("What cloth is attached to.")
        .optional("bars", list("a list of bars", Kind::Table(brick_format::bar()), 1))
        .about("Bars between bricks, for articulated frameworks.")
        .optional("forces", list("a list of forces", force(), 1))
        .about("Energies besides gravity, each for a group of bodies.")
        .optional("links", list("a list of links", link(), 1))
        .about("Ropes and bars between the bodies of a group.")
        .optional("settle", Kind::Table(settle()))
        .about("Options of the method settle.")
        .optional("collapse", Kind::Table(brick_format::collapse()))
        .about("Options of the method collapse.")
        .optional("dynamics", Kind::Table(rigid_format::dynamics()))
        .about("Options of the method dynamics.")
        .optional("layout", layouts::format())
        .about("The pieces of the method compact.")
}

fn container() -> Kind {
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
        .required("min", point())
        .about("The corner with the least coordinates.")
        .required("max", point())
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
    let corner = pair("a corner [z, radius]", Range::Any);
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
    let corner = pair("a corner [x, y]", Range::Any);
    shape("polygon", "A simple polygon; 2D only.")
        .required("corners", list("a list of three or more corners [x, y]", corner, 3))
        .about("The corners in order, either way round.")
}

fn shape(name: &'static str, about: &'static str) -> Table {
    Table::new("container")
        .says(about)
        .required("shape", Kind::Choice(vec![(name, about)]))
        .about("The container's kind.")
}

fn bodies() -> Table {
    let each = "a list with a positive number for each of the positions";
    let radius = vec![positive(), list(each, positive(), 1), Kind::Table(radii())];
    Table::new("bodies")
        .says("Spheres (in 2D: circles) or solids made the same way.")
        .optional("group", Kind::Text)
        .default("spheres")
        .about("The group's name, for messages, measurements and pictures.")
        .optional("grid", Kind::Table(grid()))
        .about("Centres on a regular grid.")
        .optional("positions", list("a list of points", point(), 1))
        .about("Centres one by one.")
        .optional("file", Kind::Text)
        .about("Centres from a .csv or .xyz file, relative to the scene file.")
        .about("CSV: columns x, y, z and perhaps radius, mass, in any order if a header names")
        .about("them (others are ignored). XYZ: an element and x, y, z, perhaps radius, or what")
        .about("the comment's Properties say. Of several frames, the last counts.")
        .optional("random", Kind::Table(random()))
        .about("Centres at random, nothing overlapping.")
        .optional("radius", Kind::Either(radius))
        .about("One radius for all spheres, a list with one for each of the `positions`, or a")
        .about("distribution. Left out only when the `file` has a column for it.")
        .optional("shape", solids::format())
        .about("What the bodies are, if they are no spheres; their centres of mass are placed.")
        .optional("mass", positive())
        .about("The mass of each sphere.")
        .optional("density", positive())
        .about("Mass per volume (in 2D: per area). Without `mass` and `density` it is 1, unless")
        .about("the `file` has a column for masses.")
        .optional("fixed", fixed())
        .about("Bodies that never move: \"all\", the \"border\" of a grid, or numbers of bodies")
        .about("of this entry, from 0. Fixed bodies may overlap each other and the container.")
        .exactly_one(&["grid", "positions", "file", "random"])
        .at_most_one(&["mass", "density"])
        .at_most_one(&["radius", "shape"])
}

fn fixed() -> Kind {
    let words = vec![
        ("all", "None of these bodies moves."),
        ("border", "The outermost bodies of the grid do not move."),
    ];
    let number = Kind::Whole { least: 0, most: MOST_BODIES };
    Kind::Either(vec![Kind::Choice(words), list("a list of numbers of bodies", number, 1)])
}

fn force() -> Kind {
    let variants = vec![
        ("gravity", gravity_of_a_group()),
        ("attraction", attraction()),
        ("inverse-square", inverse_square()),
        ("spring", spring()),
        ("short-range", short_range()),
        ("repulsion", repulsion()),
    ];
    Kind::Tagged { tag: "law", variants }
}

fn gravity_of_a_group() -> Table {
    law("gravity", "Gravity of one group, on top of the scene's: the energy -m a . p.")
        .required("acceleration", point())
        .about("In any direction, also upwards.")
}

fn attraction() -> Table {
    let table = law("attraction", "A pull that is the same at any distance d: the energy f d.");
    softened(in_form(acting(table)))
}

fn inverse_square() -> Table {
    softened(acting(law("inverse-square", "A pull f / d^2: the energy -f / d.")))
}

fn spring() -> Table {
    let table = law("spring", "A pull that grows with the distance: the energy f (d - l)^2.");
    in_form(acting(table))
        .optional("rest_length", Kind::Number(Range::NotNegative))
        .default(0)
        .about("The distance l at which it neither pulls nor pushes.")
        .optional("piece", positive())
        .default(0.25)
        .about("With the form `paper`, the width of the pieces that stand for the parabola.")
}

fn short_range() -> Table {
    acting(law("short-range", "A constant pull up to a cut-off c: the energy f min(d, c)."))
        .required("cut_off", positive())
        .about("The distance c beyond which it does not pull.")
}

fn repulsion() -> Table {
    softened(acting(law("repulsion", "A push f / d^2: the energy f / d.")))
}

fn law(name: &'static str, about: &'static str) -> Table {
    Table::new("forces")
        .says(about)
        .required("law", Kind::Choice(vec![(name, about)]))
        .about("How the energy depends on the place or on the distance.")
        .required("group", Kind::Text)
        .about("The group that the force acts on.")
}

fn acting(table: Table) -> Table {
    let to = Kind::Either(vec![
        Kind::Choice(vec![("start", "The place where the body starts.")]),
        point(),
    ]);
    table
        .required("strength", positive())
        .about("The factor f.")
        .optional("between", pairs())
        .about("Which bodies of the group it acts between.")
        .optional("with", Kind::Text)
        .about("Another group: it acts between every body of the one and every body of the other.")
        .optional("to", to)
        .about("A fixed point: it acts between every body of the group and that point.")
        .exactly_one(&["between", "with", "to"])
}

fn softened(table: Table) -> Table {
    table
        .optional("softening", positive())
        .about(
            "With `to`: the distance is sqrt(d^2 + s^2), so that the pull has a direction at the",
        )
        .about("point itself. Without it, s is a thousandth of the body's radius.")
}

fn in_form(table: Table) -> Table {
    let forms = vec![
        ("bound", "A quadratic that is never below the energy; no step can raise it."),
        ("paper", "The linear form of the paper, guarded by a search along the step."),
    ];
    table
        .optional("form", Kind::Choice(forms))
        .default("bound")
        .about("What stands for the energy in the program of a step.")
}

fn pairs() -> Kind {
    let words = vec![
        ("all", "Every body with every other."),
        ("neighbours", "Bodies next to each other along an axis of their grid."),
        ("chain", "Each body with the next."),
        ("ring", "Each body with the next, and the last with the first."),
    ];
    let number = Kind::Whole { least: 0, most: MOST_BODIES };
    let what = "a pair of numbers of bodies of the group, from 0";
    let pair = Kind::List { what, of: Box::new(number), least: 2, most: 2 };
    Kind::Either(vec![Kind::Choice(words), list("a list of pairs of numbers", pair, 1)])
}

fn link() -> Kind {
    let rope = "The distance of the centres is at most the length.";
    let bar = "The distance of the centres is the length, up to a tolerance.";
    let variants = vec![
        ("rope", linked("rope", rope)),
        (
            "bar",
            linked("bar", bar)
                .optional("tolerance", Kind::Number(Range::Fraction))
                .default(1e-4)
                .about("By how much the distance may be shorter, as a part of the length."),
        ),
    ];
    Kind::Tagged { tag: "kind", variants }
}

fn linked(name: &'static str, about: &'static str) -> Table {
    Table::new("links")
        .says(about)
        .required("kind", Kind::Choice(vec![(name, about)]))
        .about("Rope or bar.")
        .required("group", Kind::Text)
        .about("The group whose bodies are linked.")
        .required("between", pairs())
        .about("Which of them.")
        .optional("length", positive())
        .about("The length of each link; without it, the distance at the start.")
}

pub(super) fn grid() -> Table {
    let count = Kind::List {
        what: "a list of whole numbers along x, y and z (in 2D: x and y)",
        of: Box::new(Kind::Whole { least: 1, most: MOST_BODIES }),
        least: 2,
        most: 3,
    };
    let each = vector("a list with a positive number for each axis", Range::Positive);
    Table::new("bodies.grid")
        .says("Centres on a regular grid, numbered along x first, then y, then z.")
        .required("count", count)
        .about("How many along each axis.")
        .required("first", point())
        .about("The centre with the least coordinates.")
        .required("spacing", Kind::Either(vec![positive(), each]))
        .about("From one centre to the next: the same along all axes, or one for each.")
        .optional("jitter", Kind::Number(Range::NotNegative))
        .default(0)
        .about("Each coordinate is moved at random by up to this, either way.")
}

fn random() -> Table {
    Table::new("bodies.random")
        .says("Centres at random inside the container, nothing overlapping. The largest sphere")
        .says("is placed first, so the bodies are numbered by size.")
        .required("count", Kind::Whole { least: 1, most: MOST_BODIES })
        .about("How many.")
        .optional("min", point())
        .about("Centres have at least these coordinates.")
        .optional("max", point())
        .about("Centres have at most these coordinates.")
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
        .about("Radii and their shares of the number of spheres; shares need not sum to 1.")
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

fn settle() -> Table {
    let default = Settle::default();
    let reaches = Reach::ALL.map(|reach| (reach.name(), reach.about())).to_vec();
    Table::new("settle")
        .says("Options of the method settle; the defaults suit most scenes.")
        .optional("reach", Kind::Choice(reaches))
        .default(default.reach.name())
        .about("The region in which a body may move in one step.")
        .optional("reach_radii", positive())
        .default(default.reach_radii)
        .about("Half the width of that region, in radii of the body.")
        .optional("conservative", Kind::Number(Range::NotNegative))
        .default(default.conservative)
        .about("Cost of every move, so that ties do not drift: this times |dx| + |dy| + |dz|, as")
        .about("a fraction of the body's weight.")
        .optional("proximal", Kind::Number(Range::NotNegative))
        .default(default.proximal)
        .about("Quadratic cost of every move d: this times |d|^2 / 2, in units of weight over")
        .about("radius.")
        .optional("early_stop", Kind::Number(Range::Fraction))
        .default(default.early_stop)
        .about("While bodies still fall, a step may stop within this fraction of its best")
        .about("possible decrease of energy.")
        .optional("tolerance", positive())
        .default(default.tolerance)
        .about("At rest when a step lowers the energy by less than this many radii of fall per")
        .about("body.")
        .optional("smoothing", Kind::Number(Range::NotNegative))
        .default(default.smoothing)
        .about("Solids settle first with this rounding, in radii of the smallest solid, so that")
        .about("they do not stick at edges; it is halved whenever they rest ...")
        .optional("accuracy", positive())
        .default(default.accuracy)
        .about("... until twice the rounding, the gap at contacts, is at most this many radii.")
        .optional("max_steps", Kind::Whole { least: 1, most: u64::from(u32::MAX) })
        .default(default.max_steps)
        .about("Give up after this many steps.")
}

impl Reach {
    const ALL: [Reach; 3] = [Reach::RotatedCube, Reach::AxisBox, Reach::GrowingBox];

    /// As scene files spell it.
    pub fn name(self) -> &'static str {
        match self {
            Reach::RotatedCube => "rotated-cube",
            Reach::AxisBox => "axis-box",
            Reach::GrowingBox => "growing-box",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Reach::RotatedCube => "A cube with a corner pointing along gravity.",
            Reach::AxisBox => "A cube parallel to the axes.",
            Reach::GrowingBox => "As axis-box, and taller while the body uses all of it.",
        }
    }

    /// The reach of this name.
    pub fn from_name(name: &str) -> Option<Reach> {
        Reach::ALL.into_iter().find(|reach| reach.name() == name)
    }
}

pub(super) fn number() -> Kind {
    Kind::Number(Range::Any)
}

pub(super) fn positive() -> Kind {
    Kind::Number(Range::Positive)
}

pub(super) fn point() -> Kind {
    vector("a list of coordinates [x, y, z] (in 2D: [x, y])", Range::Any)
}

pub(super) fn vector(what: &'static str, range: Range) -> Kind {
    Kind::List { what, of: Box::new(Kind::Number(range)), least: 2, most: 3 }
}

fn pair(what: &'static str, range: Range) -> Kind {
    Kind::List { what, of: Box::new(Kind::Number(range)), least: 2, most: 2 }
}

pub(super) fn list(what: &'static str, of: Kind, least: usize) -> Kind {
    Kind::List { what, of: Box::new(of), least, most: MOST_BODIES as usize }
}
