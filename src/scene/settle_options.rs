//! The options of the method settle: data, description and reading.

use serde::{Deserialize, Serialize};

use super::format::positive;
use super::kind::{Kind, Range, Table};
use super::spanned::{Checked, Node};

/// How to settle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)] // a run file from before an option existed means its default
pub struct SettleOptions {
    /// The region in which a body may move in one step.
    pub reach: Reach,
    /// Half the width of the reach cube, in radii of the body.
    pub reach_radii: f64,
    /// What a step remembers of the one before.
    pub step: StepForm,
    /// The paper's conservative term c * (|dx|+|dy|+|dz|), as a fraction of the body's weight.
    pub conservative: f64,
    /// The proximal term rho/2 |d|^2, rho as a fraction of weight over radius.
    pub proximal: f64,
    /// A step may stop when its energy is within this fraction of the best possible decrease.
    pub early_stop: f64,
    /// First-order rest: a step lowers the energy by less than this many radii per sphere.
    pub tolerance: f64,
    /// Solids settle first with this rounding, in radii of the smallest solid; it is
    /// halved whenever they rest ...
    pub smoothing: f64,
    /// ... until twice the rounding is at most this many radii.
    pub accuracy: f64,
    /// A run that is not at rest after so many steps ends, and says so.
    pub max_steps: usize,
}

/// How far one body may move in one step [M96 4.3, 4.4].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reach {
    /// A cube with a corner pointing along gravity.
    RotatedCube,
    /// A cube parallel to the axes.
    AxisBox,
    /// As `AxisBox`, growing along gravity while the body uses all of it: acceleration.
    GrowingBox,
}

/// What a step of settle remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepForm {
    /// Bodies are expected to go on as they did, and those that hardly moved sleep.
    Leaning,
    /// The step of the paper [M96 3.2.2]: nothing but the forces of contacts.
    Plain,
}

impl StepForm {
    const ALL: [StepForm; 2] = [StepForm::Leaning, StepForm::Plain];

    /// As scene files spell it.
    pub fn name(self) -> &'static str {
        match self {
            StepForm::Leaning => "leaning",
            StepForm::Plain => "plain",
        }
    }

    fn about(self) -> &'static str {
        match self {
            StepForm::Leaning => {
                "Half-spaces lean towards where bodies are expected; those that hardly moved sleep."
            }
            StepForm::Plain => "The paper's step: everybody, and half-spaces as they stand.",
        }
    }
}

impl Default for SettleOptions {
    fn default() -> Self {
        SettleOptions {
            reach: Reach::RotatedCube,
            reach_radii: 1.0,
            step: StepForm::Leaning,
            conservative: 0.0,
            proximal: 1e-3,
            // What is left is a bound; a step that stops here has nearly always
            // gained more than nine tenths, and the state stays inside its cell,
            // which makes the next step longer.
            early_stop: 0.3,
            tolerance: 1e-6,
            smoothing: 0.05,
            accuracy: 1e-6,
            max_steps: 10_000,
        }
    }
}

pub(super) fn format() -> Table {
    let default = SettleOptions::default();
    let reaches = Reach::ALL.map(|reach| (reach.name(), reach.about())).to_vec();
    let steps = StepForm::ALL.map(|step| (step.name(), step.about())).to_vec();
    Table::new("settle")
        .says("Options of the method settle; the defaults suit most scenes.")
        .optional("reach", Kind::Choice(reaches))
        .default(default.reach.name())
        .about("The region in which a body may move in one step.")
        .optional("reach_radii", positive())
        .default(default.reach_radii)
        .about("Half the width of that region, in radii of the body.")
        .optional("step", Kind::Choice(steps))
        .default(default.step.name())
        .about(
            "What a step of the fall remembers of the one before, besides the forces of contacts.",
        )
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

pub(super) fn read(node: &Node) -> Checked<SettleOptions> {
    let default = SettleOptions::default();
    let number = |name, default| node.get(name).map_or(Ok(default), Node::number);
    let reach = match node.get("reach") {
        Some(reach) => Reach::from_name(reach.text()?),
        None => None,
    };
    let step = match node.get("step").map(Node::text).transpose()? {
        Some(name) => StepForm::ALL.into_iter().find(|step| step.name() == name),
        None => None,
    };
    Ok(SettleOptions {
        step: step.unwrap_or(default.step),
        reach: reach.unwrap_or(default.reach),
        reach_radii: number("reach_radii", default.reach_radii)?,
        conservative: number("conservative", default.conservative)?,
        proximal: number("proximal", default.proximal)?,
        early_stop: number("early_stop", default.early_stop)?,
        tolerance: number("tolerance", default.tolerance)?,
        smoothing: number("smoothing", default.smoothing)?,
        accuracy: number("accuracy", default.accuracy)?,
        max_steps: match node.get("max_steps") {
            Some(steps) => steps.whole()? as usize,
            None => default.max_steps,
        },
    })
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
