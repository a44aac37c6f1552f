//! The options of the method collapse: data, description and reading.

use serde::{Deserialize, Serialize};

use super::format::positive;
use super::kind::{Kind, Range, Table};
use super::read::number_or;
use super::spanned::{Checked, Fault, Node};

/// What the unknowns of a step's program are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unknowns {
    /// Where bodies go next [C11 Figure 7].
    #[default]
    Positions,
    /// Their accelerations, after impacts have been taken out of their velocities [C11 Figure 6].
    Accelerations,
}

/// How a step keeps the lengths of bars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lengths {
    /// L' of [C11 5]: the last step's rotation is taken back once; shrinks what spins.
    Prime,
    /// L' with half of that: exact for steady spin.
    Half,
    /// L'' of [C11 8.3]: the projection is the original length; nothing accumulates.
    #[default]
    Original,
    /// As L'', but as a penalty instead of a condition [C11 8.4].
    Penalty,
}

impl Lengths {
    /// The factor of the penalty that the paper's authors took.
    pub const PENALTY: f64 = 100.0;
}

/// Where the mass of a rectangle or box is taken to be: what its inertia is computed from. Bodies
/// stay rigid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MassModel {
    /// Everywhere, exactly.
    #[default]
    Continuous,
    /// In the corners, the middles of the edges and the centre of a rectangle [C11 8.1].
    Nine,
    /// In the corners and the centre: the same moments.
    Five,
    /// In the corners alone: too much inertia.
    Four,
}

impl MassModel {
    /// The shares of the mass in each corner and in the middle of each edge.
    pub fn shares(self, dimension: usize) -> Option<[f64; 2]> {
        match (self, dimension) {
            (MassModel::Continuous, _) => None,
            (MassModel::Nine, 2) => Some([1.0 / 36.0, 4.0 / 36.0]),
            (MassModel::Five, 2) => Some([1.0 / 12.0, 0.0]),
            (MassModel::Four, 2) => Some([0.25, 0.0]),
            (MassModel::Four, _) => Some([0.125, 0.0]),
            (MassModel::Five | MassModel::Nine, _) => Some([1.0 / 24.0, 0.0]),
        }
    }
}

/// The options of the collapse method.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)] // a run file from before an option existed means its default
pub struct CollapseOptions {
    /// The length of a time step.
    pub time_step: f64,
    /// How many steps a run makes.
    pub steps: usize,
    /// The coefficient of the second-order term of the sidedness constraints:
    /// 1 is consistent, 2 as printed.
    pub sidedness: f64,
    /// Forces exact mirror symmetry about a plane of constant x.
    pub mirror: bool,
    /// What the program of a step is about: positions, or accelerations after impacts.
    pub unknowns: Unknowns,
    /// How a step keeps the lengths of bars.
    pub lengths: Lengths,
    /// Where the mass of a rectangle or box is taken to be.
    pub mass_points: MassModel,
}

impl Default for CollapseOptions {
    fn default() -> Self {
        CollapseOptions {
            time_step: 0.01,
            steps: 1000,
            sidedness: 1.0,
            mirror: false,
            unknowns: Unknowns::default(),
            lengths: Lengths::default(),
            mass_points: MassModel::default(),
        }
    }
}

pub(super) fn format() -> Table {
    let default = CollapseOptions::default();
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
        .about("Coefficient of the second-order term that keeps turning bodies apart: 1 is")
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
        .about("Where the mass of a rectangle or box is taken to be, which changes its inertia and")
        .about("nothing else: bodies are rigid, and no bars are made.")
}

/// The largest coefficient: beside a term so large, gaps still have ten digits.
const MOST_SIDEDNESS: f64 = 1e6;

/// A choice as the format spells it.
fn choice<T: for<'a> Deserialize<'a> + Default>(node: &Node, name: &str) -> Checked<T> {
    let Some(node) = node.get(name) else { return Ok(T::default()) };
    let written = serde_json::Value::from(node.text()?);
    serde_json::from_value(written).map_err(|e| Fault::new(&node.span, e.to_string()))
}

fn sidedness(node: &Node) -> Checked<Option<f64>> {
    let Some(node) = node.get("sidedness") else { return Ok(None) };
    match node.number()? {
        large if large > MOST_SIDEDNESS => {
            Err(Fault::new(&node.span, format!("`sidedness` is {large:e}")).help(format!(
                "1 is the term itself; at most {MOST_SIDEDNESS:e} times it is possible"
            )))
        }
        number => Ok(Some(number)),
    }
}

pub(super) fn read(node: &Node) -> Checked<CollapseOptions> {
    let default = CollapseOptions::default();
    Ok(CollapseOptions {
        time_step: number_or(node, "time_step", default.time_step)?,
        steps: node.get("steps").map_or(Ok(default.steps as u64), Node::whole)? as usize,
        sidedness: sidedness(node)?.unwrap_or(default.sidedness),
        mirror: node.get("symmetry").map_or(Ok("none"), Node::text)? == "mirror-x",
        unknowns: choice(node, "unknowns")?,
        lengths: choice(node, "lengths")?,
        mass_points: choice(node, "mass_points")?,
    })
}
