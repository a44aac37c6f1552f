//! Which question is asked of a model, with the options of the method that answers it.

use serde::{Deserialize, Serialize};

use crate::scene::{CollapseOptions, DynamicsOptions, MethodName, SettleOptions};

/// How bodies move. A run file keeps it whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// To lower energy, without overlap, until they provably rest.
    Settle(SettleOptions),
    /// Rigid bodies, as Gauss' principle says.
    Collapse(CollapseOptions),
    /// Rigid bodies, joints and cloth, by projection of one constraint at a time.
    Dynamics(DynamicsOptions),
    /// Pieces of a layout, as far as a wall that moves in can push them.
    Compact(CompactOptions),
    /// Out of overlap, by the least movement.
    Separate(SeparateOptions),
}

/// What a separation is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeparateOptions {
    /// Settle follows: it needs room to start from, and takes what is round for prisms.
    pub to_settle: bool,
}

/// What a compaction was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompactOptions {
    /// The least distance between pieces.
    pub clearance: f64,
    /// Outward normal of the wall that moves in.
    pub direction: [f64; 2],
    /// The right and the upper side move in together.
    pub corner: bool,
}

impl Default for CompactOptions {
    fn default() -> Self {
        CompactOptions { clearance: 0.0, direction: [1.0, 0.0], corner: false }
    }
}

impl Default for Method {
    fn default() -> Self {
        Method::Settle(SettleOptions::default())
    }
}

impl Method {
    /// Its name in scenes and on the command line.
    pub fn name(&self) -> MethodName {
        match self {
            Method::Settle(_) => MethodName::Settle,
            Method::Collapse(_) => MethodName::Collapse,
            Method::Dynamics(_) => MethodName::Dynamics,
            Method::Compact(_) => MethodName::Compact,
            Method::Separate(_) => MethodName::Separate,
        }
    }

    /// The length of a time step, and how many a run makes; none for methods without time.
    pub fn time(&self) -> Option<(f64, usize)> {
        match self {
            Method::Collapse(options) => Some((options.time_step, options.steps)),
            Method::Dynamics(options) => Some((options.time_step, options.steps)),
            Method::Settle(_) | Method::Compact(_) | Method::Separate(_) => None,
        }
    }

    /// The options of settle. Compaction is proved as a rest of bodies without smoothing.
    pub fn settle(&self) -> SettleOptions {
        match self {
            Method::Settle(options) => options.clone(),
            _ => SettleOptions { smoothing: 0.0, ..SettleOptions::default() },
        }
    }

    /// The options of collapse; the defaults for other methods.
    pub fn collapse(&self) -> CollapseOptions {
        match self {
            Method::Collapse(options) => *options,
            _ => CollapseOptions::default(),
        }
    }

    /// The options of dynamics; the defaults for other methods.
    pub fn dynamics(&self) -> DynamicsOptions {
        match self {
            Method::Dynamics(options) => *options,
            _ => DynamicsOptions::default(),
        }
    }
}
