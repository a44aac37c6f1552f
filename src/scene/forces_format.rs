//! The part of the scene format that describes forces.

use super::forces::axes;
use super::format::{MOST_BODIES, list, point, positive};
use super::kind::{Kind, Range, Table};

pub(super) fn format() -> Kind {
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
    softened(in_form(acting(law("inverse-square", "A pull f / d^2: the energy -f / d."))))
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
    let table = law("short-range", "A constant pull up to a cut-off c: the energy f min(d, c).");
    in_form(acting(table))
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
        .optional("directions", Kind::Whole { least: 6, most: 1000 })
        .default(axes())
        .about("With the form `paper`, how many directions measure a distance, besides the present")
        .about("one: 6 are those of the axes; more make its error smaller.")
}

pub(super) fn pairs() -> Kind {
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
