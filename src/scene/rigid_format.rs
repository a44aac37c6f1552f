//! The part of the scene format that describes rigid bodies, structures made of
//! them, joints, and the options of the method dynamics.

use super::Dynamics;
use super::brick_format;
use super::format::{MOST_BODIES, grid, list, number, point, positive, vector};
use super::kind::{Kind, Range, Table};

pub(super) fn rigid() -> Table {
    let free = "Forces move them.";
    let fixed = "They never move.";
    let driven = "They keep their velocity and spin, whatever they meet.";
    let motions = vec![("free", free), ("fixed", fixed), ("driven", driven)];
    let shapes = list("a list of shapes", shape(), 1);
    material(Table::new("rigid").says("Rigid bodies of the method dynamics: one, or many alike."))
        .optional("group", Kind::Text)
        .default("bodies")
        .about("Their name, for joints, messages and pictures.")
        .optional("shape", shape())
        .about("What each of them is.")
        .optional("shapes", shapes)
        .about("Several shapes, taken in turn (along the diagonals of a grid).")
        .optional("position", point())
        .about("Where the one body is.")
        .optional("positions", list("a list of points", point(), 1))
        .about("Where the bodies are, one by one.")
        .optional("grid", Kind::Table(grid()))
        .about("Bodies on a regular grid.")
        .optional("ring", Kind::Table(ring()))
        .about("Bodies on a level circle.")
        .optional("turn", point())
        .about("How each is turned: a vector along the axis, as long as the angle in degrees.")
        .optional("motion", Kind::Choice(motions))
        .default("free")
        .about("Who decides how they move.")
        .optional("velocity", point())
        .about("At the start; without it, at rest.")
        .optional("spin", point())
        .about("At the start, in degrees per time.")
        .exactly_one(&["shape", "shapes"])
        .exactly_one(&["position", "positions", "grid", "ring"])
        .at_most_one(&["mass", "density"])
}

fn material(table: Table) -> Table {
    table
        .optional("mass", positive())
        .about("The mass of each.")
        .optional("density", positive())
        .about("Mass per volume; 1 without `mass`.")
        .optional("friction", Kind::Number(Range::NotNegative))
        .default(0.5)
        .about("Coefficient of Coulomb friction; a contact takes the geometric mean of its two.")
        .optional("restitution", Kind::Number(Range::NotNegative))
        .default(0)
        .about("From 0 (no bounce) to 1; a contact takes the larger of its two.")
        .optional("rolling", Kind::Number(Range::NotNegative))
        .default(0)
        .about("Lever arm of rolling resistance; a contact takes the larger of its two.")
}

fn ring() -> Table {
    Table::new("rigid.ring")
        .says("Centres on a level circle, the first along +x.")
        .required("count", Kind::Whole { least: 1, most: MOST_BODIES })
        .about("How many.")
        .required("radius", positive())
        .about("Of the circle.")
        .required("centre", point())
        .about("Of the circle.")
}

fn shape() -> Kind {
    Kind::Tagged { tag: "kind", variants: variants(true) }
}

fn variants(with_compound: bool) -> Vec<(&'static str, Table)> {
    let radius = |table: Table| table.required("radius", positive()).about("Its radius.");
    let length = |table: Table| table.required("length", positive());
    let sections = Kind::Choice(vec![
        ("hulls", "With eight sides."),
        ("capsules", "Round; they overlap at their ends, so give the body a `mass`."),
    ]);
    let mut all = vec![
        ("ball", radius(kind("ball", "A ball."))),
        (
            "box",
            kind("box", "A box.")
                .required("size", vector("a list of three positive lengths", Range::Positive))
                .about("Along x, y and z."),
        ),
        (
            "capsule",
            length(radius(kind("capsule", "A cylinder along z with a half ball at each end.")))
                .about("Without the half balls."),
        ),
        (
            "cylinder",
            length(radius(kind("cylinder", "A cylinder along z."))).about("From end to end."),
        ),
        (
            "hull",
            kind("hull", "The convex hull of points.")
                .required("points", list("a list of four or more points", point(), 4))
                .about("The points."),
        ),
        (
            "torus",
            radius(kind("torus", "A ring about z, of convex sections."))
                .required("tube", positive())
                .about("The radius of the tube.")
                .optional("pieces", Kind::Whole { least: 6, most: 64 })
                .default(16)
                .about("How many sections.")
                .optional("sections", sections)
                .default("hulls")
                .about("What a section is."),
        ),
    ];
    for (_, table) in &mut all {
        let whole = std::mem::replace(table, Table::new(""));
        *table = whole
            .optional("at", point())
            .about("Where it is in the frame of the body.")
            .optional("turn", point())
            .about("How it is turned there, in degrees.");
    }
    if with_compound {
        let piece = Kind::Tagged { tag: "kind", variants: variants(false) };
        let table = kind("compound", "Several shapes as one body.")
            .required("pieces", list("a list of shapes", piece, 1))
            .about("The shapes, each with `at` and `turn`; where they overlap, they weigh twice.");
        all.push(("compound", table));
    }
    all
}

fn kind(name: &'static str, about: &'static str) -> Table {
    Table::new("shape")
        .says(about)
        .required("kind", Kind::Choice(vec![(name, about)]))
        .about("What it is.")
}

pub(super) fn structure() -> Kind {
    let mobile = material(family("mobile", "A binary tree of bars hung from each other."))
        .required("depth", Kind::Whole { least: 0, most: 14 })
        .about("Levels of bars below the first: 2^(depth+1) - 1 joints.");
    let rope = material(family("rope", "Links joined end to end, with a heavy ball at the end."))
        .required("links", Kind::Whole { least: 1, most: 10_000 })
        .about("How many.")
        .optional("length", positive())
        .default(0.1)
        .about("Of a link.")
        .optional("ratio", positive())
        .default(1)
        .about("The mass of the ball in masses of a link.")
        .required("at", point())
        .about("Where the first link hangs.");
    let tower = material(family("tower", "A tower of the method collapse, extruded along y."))
        .required("tower", brick_format::tower())
        .about("Its family and size.")
        .optional("depth", positive())
        .default(1)
        .about("How deep, along y.");
    let pyramid =
        material(family("pyramid", "Rows of boxes, each one shorter than the one below."))
            .required("rows", Kind::Whole { least: 1, most: 200 })
            .about("How many rows.")
            .optional("size", positive())
            .default(0.5)
            .about("Of a box.");
    let variants = vec![("mobile", mobile), ("rope", rope), ("tower", tower), ("pyramid", pyramid)];
    Kind::Tagged { tag: "family", variants }
}

fn family(name: &'static str, about: &'static str) -> Table {
    Table::new("structures")
        .says(about)
        .required("family", Kind::Choice(vec![(name, about)]))
        .about("The kind of structure.")
        .optional("group", Kind::Text)
        .about("The name of its bodies; without it, that of the family.")
        .optional("spin", point())
        .about("Of all its bodies at the start, in degrees per time; joints take what they hold.")
        .at_most_one(&["mass", "density"])
}

pub(super) fn joint() -> Table {
    let kinds = vec![
        ("ball", "The points coincide."),
        ("line", "The point stays on a line of the second body."),
        ("plane", "The point stays on a plane of the second body."),
        ("hinge", "The bodies turn about a common axis."),
        ("slider", "The first body slides along a rail of the second."),
        (
            "universal",
            "The points coincide; `axis` of the first stays across `axis2` of the second.",
        ),
        ("fixed", "Neither moves against the other."),
        ("distance", "The points `at` and `to` keep their distance."),
    ];
    let two =
        Kind::List { what: "the names of two bodies", of: Box::new(Kind::Text), least: 2, most: 2 };
    Table::new("joints")
        .says("Two bodies joined, or a body and the world.")
        .required("kind", Kind::Choice(kinds))
        .about("What it holds.")
        .required("bodies", two)
        .about("Names of groups of one body, `name.3` for the fourth of a group, or `world`.")
        .required("at", point())
        .about("Where, at the start.")
        .optional("to", point())
        .about("Of a distance: the point of the second body.")
        .optional("axis", point())
        .about("The line, the plane's normal, the hinge's axis or the rail.")
        .optional("axis2", point())
        .about("The second axis of a universal joint.")
        .optional("limits", pair())
        .about("Least and greatest angle in degrees, shift, or distance.")
        .optional("motor", Kind::Table(motor()))
        .about("Drives a hinge or a slider.")
}

fn pair() -> Kind {
    Kind::List { what: "a pair [least, greatest]", of: Box::new(number()), least: 2, most: 2 }
}

fn motor() -> Table {
    Table::new("joints.motor")
        .says("A motor.")
        .required("speed", number())
        .about("In degrees or lengths per time.")
        .optional("most", positive())
        .about("The greatest torque or force; without it, no limit.")
}

pub(super) fn dynamics() -> Table {
    let default = Dynamics::default();
    let modes = vec![
        ("default", "Substeps, impulses kept from step to step, all joints at once."),
        ("paper", "Deul, Charrier and Bender 2014, as written."),
    ];
    let ends = vec![
        ("no", "They stay as they are."),
        ("separate", "Taken apart by the least movement, they overlap no more."),
        ("settle", "Taken apart, and settled without friction into a second run file."),
    ];
    let few = |most: u64| Kind::Whole { least: 1, most };
    Table::new("dynamics")
        .says("Options of the method dynamics.")
        .optional("mode", Kind::Choice(modes))
        .default("default")
        .about("Which algorithm.")
        .optional("time_step", positive())
        .default(default.time_step)
        .about("The length of a time step.")
        .optional("steps", few(u64::from(u32::MAX)))
        .default(default.steps)
        .about("How many steps a run makes.")
        .optional("substeps", few(1000))
        .default(default.substeps)
        .about("Parts of a step, of the mode default.")
        .optional("sweeps", few(100_000))
        .default(default.sweeps)
        .about("Passes over the contacts in a substep, at most; of the mode default.")
        .optional("cloth_passes", few(100_000))
        .default(default.cloth_passes)
        .about("Passes over cloth in a substep, of the mode default.")
        .optional("position_iterations", few(100_000))
        .default(default.position_iterations)
        .about("Passes over positions, of the mode paper.")
        .optional("velocity_iterations", few(100_000))
        .default(default.velocity_iterations)
        .about("Passes over velocities, of the mode paper.")
        .optional("stiffness", Kind::Number(Range::Fraction))
        .default(default.stiffness)
        .about("The part of an old overlap that a pass corrects, of the mode paper.")
        .optional(
            "shock",
            Kind::Choice(vec![("on", "From the ground up."), ("off", "Not at all.")]),
        )
        .default("on")
        .about("Whether overlaps that are left are removed at once, of the mode paper.")
        .optional("damping", Kind::Number(Range::NotNegative))
        .default(default.damping)
        .about("Velocities lose this part per time.")
        .optional("overlap", positive())
        .default(default.overlap)
        .about("The deepest overlap that the scene accepts, in diameters of the smaller body.")
        .optional("hand_over", Kind::Choice(ends))
        .default("no")
        .about("What becomes of the bodies after the last step; they do not turn any more.")
}
