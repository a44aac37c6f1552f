//! The options of the method dynamics.

use serde::{Deserialize, Serialize};

/// How to step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)] // a run file from before an option existed means its default
pub struct Dynamics {
    pub mode: Mode,
    /// The length of a time step.
    pub time_step: f64,
    /// How many steps a run makes.
    pub steps: usize,
    /// Parts of a time step, each with its own forces; of the mode default.
    pub substeps: usize,
    /// At most so many Gauss-Seidel passes over the contacts in a substep; of the mode default.
    pub sweeps: usize,
    /// Passes over cloth in a substep; of the mode default.
    pub cloth_passes: usize,
    /// Passes over positions and over velocities; of the mode paper.
    pub position_iterations: usize,
    pub velocity_iterations: usize,
    /// The part of an old overlap that a pass corrects; of the mode paper [D14 6].
    pub stiffness: f64,
    /// Whether overlaps that are left are removed from the ground up; of the mode paper.
    pub shock: bool,
    /// Velocities lose this part per time.
    pub damping: f64,
    /// What the scene promises: the deepest overlap, as a part of the smaller body's diameter.
    pub overlap: f64,
    pub hand_over: HandOver,
}

/// What becomes of the bodies when the last step is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HandOver {
    /// They stay as they are.
    #[default]
    No,
    /// They are taken apart by the least movement: no overlap is left.
    Separate,
    /// That, and then the method settle takes them, without friction, to a certified rest.
    Settle,
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

impl Default for Dynamics {
    fn default() -> Self {
        Dynamics {
            mode: Mode::Default,
            time_step: 0.01,
            steps: 1000,
            substeps: 4,
            sweeps: 12,
            cloth_passes: 4,
            position_iterations: 5,
            velocity_iterations: 5,
            stiffness: 0.2,
            shock: true,
            damping: 0.0,
            overlap: 0.01,
            hand_over: HandOver::No,
        }
    }
}
