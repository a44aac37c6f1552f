//! What contacts hold besides pressing and rubbing: mortar, glue, studs.

use serde::{Deserialize, Serialize};

use super::Span;
use super::format::{list, positive};
use super::kind::{Kind, Range, Table};
use super::read::number_or;
use super::spanned::{Checked, Node};

/// How strong the contacts of some bodies are.
#[derive(Clone, Debug, PartialEq)]
pub struct StrengthEntry {
    /// Names of groups: none for all contacts, one for all contacts of its bodies, two for those
    /// of bodies of the one with bodies of the other.
    pub between: Vec<String>,
    pub pull: f64,
    pub cohesion: f64,
    pub shear: Option<f64>,
    pub per: Per,
    pub span: Span,
}

/// What a strength is meant for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Per {
    /// A whole contact of two bodies, in one plane; its points have equal parts.
    #[default]
    Contact,
    /// Each point of a contact, such as those of a stud.
    Point,
    /// The area of a contact; its points have equal parts.
    Area,
}

pub(super) fn format() -> Kind {
    let not_negative = || Kind::Number(Range::NotNegative);
    let names = Kind::List {
        what: "a list of one or two groups",
        of: Box::new(Kind::Text),
        least: 1,
        most: 2,
    };
    let per = vec![
        ("contact", "A force for a whole contact of two bodies in one plane; its points share it."),
        ("point", "A force for each point of a contact, such as those of studs."),
        ("area", "A force per area of a contact (in 2D: per length); its points share it."),
    ];
    let table = Table::new("strengths")
        .says("What contacts hold besides pressing and rubbing: mortar, glue, studs. `riprap")
        .says("stable` asks how much of it is needed; where several entries name a contact, the")
        .says("last one counts.")
        .optional("between", names)
        .about("Two groups: contacts of a body of the one with a body of the other. One: all")
        .about("contacts of its bodies. Without it: all contacts. Where several cover a contact, the last")
        .about("holds.")
        .optional("pull", not_negative())
        .default(0)
        .about("How strong a pull it takes to part it.")
        .optional("cohesion", not_negative())
        .default(0)
        .about("What it bears sideways without being pressed or pulled. Friction comes on top, of")
        .about("what presses and of what is left of `pull`: a point that could still be pulled holds as")
        .about("if pressed by as much.")
        .optional("shear", positive())
        .about("What it bears sideways at most, however it is pressed; without it, any force.")
        .optional("per", Kind::Choice(per))
        .default("contact")
        .about("What `pull`, `cohesion` and `shear` are meant for.");
    list("a list of strengths", Kind::Table(table), 1)
}

pub(super) fn read(node: &Node) -> Checked<StrengthEntry> {
    let between = node.get("between").map_or(Ok(&[][..]), Node::list)?;
    let name = |node: &Node| node.text().map(String::from);
    Ok(StrengthEntry {
        between: between.iter().map(name).collect::<Checked<_>>()?,
        pull: number_or(node, "pull", 0.0)?,
        cohesion: number_or(node, "cohesion", 0.0)?,
        shear: node.get("shear").map(Node::number).transpose()?,
        per: match node.get("per").map_or(Ok("contact"), Node::text)? {
            "point" => Per::Point,
            "area" => Per::Area,
            _ => Per::Contact,
        },
        span: node.span.clone(),
    })
}
