//! The scene format, described once: [`super::read`] checks files against this
//! description, and the JSON Schema, the reference and the messages' help are made from it.

use super::kind::{Kind, Range, Table};
use super::{
    MethodName, bodies_format, cloth, collapse_options, container, dynamics_options, forces_format,
    joints_format, layouts, phases, settle_options, start, strengths,
};

/// More bodies than this are refused, so that a slip of the keyboard does not fill the memory.
pub(super) const MOST_BODIES: u64 = 10_000_000;

/// The whole scene.
pub(super) fn scene() -> Table {
    let methods = MethodName::ALL.map(|method| (method.name(), method.about())).to_vec();
    let table = Table::new("")
        .says("A Riprap scene: the bodies, what holds them, and which question is asked of them.")
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
        .optional("phases", list("a list of phases", Kind::Table(phases::format()), 1))
        .about("Instead of `method`: several of them, one after the other.")
        .at_most_one(&["method", "phases"])
        .optional("dimension", Kind::Whole { least: 2, most: 3 })
        .default(3)
        .about("2 for the x-y plane, 3 for space.")
        .optional("seed", Kind::Whole { least: 0, most: u64::MAX })
        .default(0)
        .about("All randomness comes from this number; the same seed gives the same run.")
        .optional("gravity", point())
        .about("The acceleration of every body; without it, 1 downwards.");
    options(things(table))
}

/// What there is.
fn things(table: Table) -> Table {
    table
        .optional("container", container::format())
        .about("The closed region that holds the bodies.")
        .optional(
            "bodies",
            list("a list of one or more groups", Kind::Table(bodies_format::bodies()), 1),
        )
        .about("The bodies, in groups made the same way.")
        .optional("start", start::format())
        .about("Instead of where they are placed, bodies start as a frame of a run has them, or taken apart.")
        .optional("joints", list("a list of joints", Kind::Table(joints_format::format()), 1))
        .about("What joins bodies: joints, ropes and bars.")
        .optional("strengths", strengths::format())
        .about("What contacts hold, for `riprap stable`.")
        .optional("forces", list("a list of forces", forces_format::format(), 1))
        .about("Energies besides gravity, each for a group of bodies.")
        .optional("cloth", list("a list of cloth", Kind::Table(cloth::format()), 1))
        .about("Cloth and balloons; 3D only.")
        .optional(
            "attachments",
            list("a list of attachments", Kind::Table(cloth::attachment_format()), 1),
        )
        .about("What cloth is attached to.")
        .optional("layout", layouts::format())
        .about("The pieces of the method compact.")
}

/// How each method goes about it; all of them may stand in one scene.
fn options(table: Table) -> Table {
    table
        .optional("settle", Kind::Table(settle_options::format()))
        .about("Options of the method settle.")
        .optional("collapse", Kind::Table(collapse_options::format()))
        .about("Options of the method collapse.")
        .optional("dynamics", Kind::Table(dynamics_options::format()))
        .about("Options of the method dynamics.")
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

pub(super) fn pair(what: &'static str, range: Range) -> Kind {
    Kind::List { what, of: Box::new(Kind::Number(range)), least: 2, most: 2 }
}

pub(super) fn list(what: &'static str, of: Kind, least: usize) -> Kind {
    Kind::List { what, of: Box::new(of), least, most: MOST_BODIES as usize }
}

/// A turn or a spin in degrees: a vector in 3D, a number in 2D.
pub(super) fn angle() -> Kind {
    Kind::Either(vec![number(), point()])
}
