//! The options of the method dynamics: data, description and reading.

use serde::{Deserialize, Serialize};

use super::format::positive;
use super::kind::{Kind, Range, Table};
use super::read::number_or;
use super::spanned::{Checked, Node};

/// How to step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)] // a run file from before an option existed means its default
pub struct DynamicsOptions {
    /// Which algorithm; several options below belong to one of the two.
    pub mode: Mode,
    /// The length of a time step.
    pub time_step: f64,
    /// How many steps a run makes.
    pub steps: usize,
    /// Parts of a time step, each with its own forces; of the mode default.
    pub substeps: usize,
    /// At most so many Gauss-Seidel passes over the contacts in a substep, while bodies move; what
    /// rests gets more until nothing changes. Of the mode default.
    pub sweeps: usize,
    /// Passes over cloth in a substep; of the mode default.
    pub cloth_passes: usize,
    /// Passes over positions; of the mode paper.
    pub position_iterations: usize,
    /// Passes over velocities; of the mode paper.
    pub velocity_iterations: usize,
    /// The part of an old overlap that a pass corrects; of the mode paper [D14 6].
    pub stiffness: f64,
    /// Whether overlaps that are left are removed from the ground up; of the mode paper.
    pub shock: bool,
    /// Velocities lose this part per time.
    pub damping: f64,
    /// What the scene promises beyond [`Mode::most_overlap`]: the deepest overlap, as a part of
    /// the smaller body's diameter.
    pub overlap: Option<f64>,
}

/// Which algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Substeps, contacts at velocity level with impulses kept from step to step, joints at once.
    #[default]
    Default,
    /// Deul, Charrier, Bender 2014, as written.
    Paper,
}

impl Mode {
    /// The deepest overlap that a run may have, as a part of the smaller body's radius. A scene may
    /// ask for less, never for more.
    pub const fn most_overlap(self) -> f64 {
        match self {
            Mode::Default => 0.05,
            Mode::Paper => 0.1,
        }
    }

    /// How far joints may be off, in sizes and in radians.
    pub const fn most_joint_error(self) -> f64 {
        match self {
            Mode::Default => 1e-4,
            Mode::Paper => 0.05,
        }
    }

    /// The part of the energy that a step exchanges which it may gain without a reason.
    pub const fn most_energy_rise(self) -> f64 {
        match self {
            Mode::Default => 1e-3,
            Mode::Paper => 0.05,
        }
    }

    /// The part by which threads may be too long, likewise.
    pub const fn most_stretch(self) -> f64 {
        match self {
            Mode::Default => 0.1,
            Mode::Paper => 0.3,
        }
    }
}

/// Parts of a step of a scene with cloth that says nothing of them.
const CLOTH_SUBSTEPS: usize = 64;

impl Default for DynamicsOptions {
    fn default() -> Self {
        DynamicsOptions {
            mode: Mode::Default,
            time_step: 0.01,
            steps: 1000,
            substeps: 4,
            sweeps: 12,
            cloth_passes: 150,
            position_iterations: 5,
            velocity_iterations: 5,
            stiffness: 0.2,
            shock: true,
            damping: 0.0,
            overlap: None,
        }
    }
}

pub(super) fn format() -> Table {
    let default = DynamicsOptions::default();
    let modes = vec![
        ("default", "Substeps, impulses kept from step to step, all joints at once."),
        ("paper", "Deul, Charrier and Bender 2014, as written."),
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
        .about("Parts of a step, of the mode default; 64 in a scene with cloth.")
        .optional("sweeps", few(100_000))
        .default(default.sweeps)
        .about(
            "Passes over the contacts in a substep, at most, while bodies move; what rests \
             gets more until nothing changes. Of the mode default.",
        )
        .optional("cloth_passes", few(100_000))
        .default(default.cloth_passes)
        .about("Passes over cloth in a substep, at most; they end when nothing changes. Of the mode default.")
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
        .about("The deepest overlap that the scene allows, in diameters of the smaller body; at most what `verify` does: 0.025, and 0.05 of the mode paper.")
}

/// The options of each mode alone.
const OF_DEFAULT: [&str; 3] = ["substeps", "sweeps", "cloth_passes"];
const OF_PAPER: [&str; 4] = ["position_iterations", "velocity_iterations", "stiffness", "shock"];

/// The options that are set and belong to the mode that is not chosen.
pub(super) fn unused(node: &Node) -> Checked<Vec<&'static str>> {
    let others: &[&'static str] = match read(node)?.mode {
        Mode::Default => &OF_PAPER,
        Mode::Paper => &OF_DEFAULT,
    };
    Ok(others.iter().copied().filter(|name| node.get(name).is_some()).collect())
}

/// Those of a scene: cloth is stiff, and asks for more substeps if nothing is said.
pub(super) fn of_scene(scene: &Node) -> Checked<DynamicsOptions> {
    let options = scene.get("dynamics");
    let mut read = options.map_or(Ok(DynamicsOptions::default()), read)?;
    let is_stated = options.is_some_and(|options| options.get("substeps").is_some());
    if scene.get("cloth").is_some() && !is_stated {
        read.substeps = CLOTH_SUBSTEPS;
    }
    Ok(read)
}

pub(super) fn read(node: &Node) -> Checked<DynamicsOptions> {
    let default = DynamicsOptions::default();
    let whole = |name, default: usize| {
        node.get(name).map_or(Ok(default as u64), Node::whole).map(|n| n as usize)
    };
    Ok(DynamicsOptions {
        mode: match node.get("mode").map_or(Ok("default"), Node::text)? {
            "paper" => Mode::Paper,
            _ => Mode::Default,
        },
        time_step: number_or(node, "time_step", default.time_step)?,
        steps: whole("steps", default.steps)?,
        substeps: whole("substeps", default.substeps)?,
        sweeps: whole("sweeps", default.sweeps)?,
        cloth_passes: whole("cloth_passes", default.cloth_passes)?,
        position_iterations: whole("position_iterations", default.position_iterations)?,
        velocity_iterations: whole("velocity_iterations", default.velocity_iterations)?,
        stiffness: number_or(node, "stiffness", default.stiffness)?,
        shock: node.get("shock").map_or(Ok("on"), Node::text)? == "on",
        damping: number_or(node, "damping", default.damping)?,
        overlap: node.get("overlap").map(Node::number).transpose()?,
    })
}
