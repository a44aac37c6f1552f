//! What a scene says about forces: plain data, and its reading.

use serde::{Deserialize, Serialize};

use super::Span;
use super::read::{number_or, point};
use super::spanned::{Checked, Fault, Node};
use crate::math::DVec3;

/// One energy of a scene.
#[derive(Clone, Debug, PartialEq)]
pub enum ForceEntry {
    /// Gravity of one group besides the scene's: `-m acceleration . p`.
    Gravity { group: String, acceleration: DVec3, span: Span },
    /// An energy of distances.
    Law { law: Law, form: Form, group: String, acts: Acts, span: Span },
}

/// How an energy depends on the distance d of two centres, or of a centre and a point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// `strength * d`: the same pull at any distance.
    Attraction {
        /// The pull: a force.
        strength: f64,
    },
    /// `-strength / d`.
    InverseSquare {
        /// Force times distance squared.
        strength: f64,
    },
    /// `strength * (d - rest_length)^2`.
    Spring {
        /// Half the spring constant: energy per length squared.
        strength: f64,
        /// The distance without force.
        rest_length: f64,
    },
    /// `strength * min(d, cut_off)`: a constant pull that ends at the cut-off.
    ShortRange {
        /// The pull: a force.
        strength: f64,
        /// From this distance on nothing pulls.
        cut_off: f64,
    },
    /// `strength / d`.
    Repulsion {
        /// Force times distance squared.
        strength: f64,
    },
}

/// What stands for an energy in the program of a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// A convex quadratic that is nowhere below the energy and touches it.
    Bound,
    /// The paper's form [M96 5]: distances by a set of directions, springs in
    /// pieces of this width.
    Paper {
        /// A length: how finely springs are cut.
        piece: f64,
        /// How many directions measure a distance, besides the present one.
        #[serde(default = "axes")]
        directions: u32,
    },
}

/// The directions along all axes, both ways, as in the paper.
pub(super) fn axes() -> u32 {
    6
}

/// Between what a force acts.
#[derive(Clone, Debug, PartialEq)]
pub enum Acts {
    /// Among the bodies of the group.
    Among(Pairs),
    /// Every body of the group with every one of another.
    With(String),
    /// Every body of the group and one point.
    Point { point: DVec3, softening: Option<f64> },
    /// Every body of the group and the place where it starts.
    Start { softening: Option<f64> },
}

/// Pairs among the bodies of a group.
#[derive(Clone, Debug, PartialEq)]
pub enum Pairs {
    All,
    /// Next to each other along an axis of their grid.
    Neighbours,
    /// In a row: each with the next.
    Chain,
    /// In a ring: each with the next, and the last with the first.
    Ring,
    /// By number within the group, from 0.
    List(Vec<[usize; 2]>),
}

/// A number of directions, each of which has its opposite among them.
fn even(node: &Node) -> Checked<u32> {
    match node.whole()? {
        odd if odd % 2 == 1 => {
            Err(Fault::new(&node.span, format!("`forces.directions` is {odd}, which is odd"))
                .help("each direction is there with its opposite"))
        }
        count => Ok(count as u32),
    }
}

pub(super) fn read(node: &Node, dimension: usize) -> Checked<ForceEntry> {
    let (group, span) = (node.need("group")?.text()?.to_string(), node.span.clone());
    let strength = || node.need("strength").and_then(Node::number);
    let law = match node.need("law")?.text()? {
        "gravity" => {
            let acceleration = point(node.need("acceleration")?, dimension)?;
            return Ok(ForceEntry::Gravity { group, acceleration, span });
        }
        "attraction" => Law::Attraction { strength: strength()? },
        "inverse-square" => Law::InverseSquare { strength: strength()? },
        "spring" => {
            Law::Spring { strength: strength()?, rest_length: number_or(node, "rest_length", 0.0)? }
        }
        "short-range" => {
            Law::ShortRange { strength: strength()?, cut_off: node.need("cut_off")?.number()? }
        }
        _ => Law::Repulsion { strength: strength()? },
    };
    let form = match node.get("form").map(Node::text).transpose()? {
        Some("paper") => Form::Paper {
            piece: number_or(node, "piece", 0.25)?,
            directions: match node.get("directions") {
                Some(count) => even(count)?,
                None => axes(),
            },
        },
        _ => Form::Bound,
    };
    let has_rest_length = matches!(law, Law::Spring { rest_length, .. } if rest_length > 0.0);
    for (field, is_idle, help) in [
        ("softening", node.get("to").is_none(), "it is for forces `to` a point: bodies keep apart"),
        ("piece", form == Form::Bound, "it goes with form = \"paper\""),
        ("directions", form == Form::Bound, "it goes with form = \"paper\""),
        (
            "form",
            form != Form::Bound && has_rest_length,
            "the form of the paper is for springs without a `rest_length`: leave one of them out",
        ),
    ] {
        if let Some(idle) = node.get(field).filter(|_| is_idle) {
            return Err(
                Fault::new(&idle.span, format!("`forces.{field}` has no effect here")).help(help)
            );
        }
    }
    Ok(ForceEntry::Law { law, form, group, acts: acts(node, dimension)?, span })
}

fn acts(node: &Node, dimension: usize) -> Checked<Acts> {
    let softening = node.get("softening").map(Node::number).transpose()?;
    if let Some(other) = node.get("with") {
        return Ok(Acts::With(other.text()?.into()));
    }
    if let Some(to) = node.get("to") {
        return Ok(match to.text() {
            Ok(_) => Acts::Start { softening },
            Err(_) => Acts::Point { point: point(to, dimension)?, softening },
        });
    }
    Ok(Acts::Among(pairs(node.need("between")?)?))
}

pub(super) fn pairs(node: &Node) -> Checked<Pairs> {
    match node.text() {
        Ok("neighbours") => return Ok(Pairs::Neighbours),
        Ok("chain") => return Ok(Pairs::Chain),
        Ok("ring") => return Ok(Pairs::Ring),
        Ok(_) => return Ok(Pairs::All),
        Err(_) => {}
    }
    let pair = |node: &Node| {
        let numbers = node.list()?;
        let [a, b] = [numbers[0].whole()? as usize, numbers[1].whole()? as usize];
        if a == b {
            let message = format!("this pairs body {a} with itself");
            return Err(Fault::new(&node.span, message).help("a pair is two different numbers"));
        }
        Ok([a, b])
    };
    Ok(Pairs::List(node.list()?.iter().map(pair).collect::<Checked<_>>()?))
}
