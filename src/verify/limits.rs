//! What a run is held to: one column of numbers for every method, fixed before
//! anything was measured. A scene may be stricter (`overlap` of its options,
//! `most_stretch` of its cloth), never looser. The size that lengths are measured
//! in is the radius of the smaller body.

use crate::math::{ENERGY_ROUNDING, OVERLAP_LIMIT, RESIDUAL_LIMIT};
use crate::scene::{DynamicsOptions, Mode};
use crate::world::{Cloth, Method};

/// One column of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limits {
    /// The deepest overlap at a frame, in sizes.
    pub overlap: f64,
    /// The same at the end of a run that is quiet.
    pub overlap_at_end: f64,
    /// The same on the way from a frame to the next.
    pub overlap_between: f64,
    /// How far joints are off, in sizes and in radians.
    pub joints: f64,
    /// The part by which threads of cloth are too long.
    pub stretch: f64,
    /// The part by which the volume of balloons is off.
    pub volume: f64,
    /// The momentum of a body that its impulses do not explain, relative to the largest of them
    /// and its weight times the time step.
    pub momentum: f64,
    /// How far an impulse may pull, or leave the cone of friction, relative to its size.
    pub cone: f64,
    /// How far from the bodies an impulse may act, in sizes.
    pub place: f64,
    /// The energy that a step gains and nothing explains. Of settle and compact, relative to the
    /// range of the run's energies: rounding; of collapse, to the energy of the start; of
    /// dynamics, to what the step exchanges.
    pub energy_rise: f64,
    /// Forces at rest that do not balance, in weights; how exactly a step's program is solved.
    pub residual: f64,
}

/// Nothing of the kind is promised, or there.
const NONE: f64 = f64::INFINITY;

/// Settle, compact and separate.
pub(super) const SETTLE: Limits = Limits {
    overlap: OVERLAP_LIMIT,
    overlap_at_end: OVERLAP_LIMIT,
    overlap_between: OVERLAP_LIMIT,
    joints: 1e-6,
    stretch: NONE,
    volume: NONE,
    momentum: NONE,
    cone: 1e-9,
    place: NONE,
    energy_rise: ENERGY_ROUNDING,
    residual: RESIDUAL_LIMIT,
};

const COLLAPSE: Limits = Limits {
    overlap: 1e-3,
    overlap_at_end: 1e-3,
    overlap_between: 1e-3,
    joints: 1e-4,
    stretch: NONE,
    volume: NONE,
    momentum: 1e-8,
    cone: 1e-6,
    place: 1e-3,
    energy_rise: 1e-4,
    residual: 1e-6,
};

const DYNAMICS: Limits = Limits {
    overlap: Mode::Default.most_overlap(),
    overlap_at_end: 1e-3,
    overlap_between: NONE,
    joints: Mode::Default.most_joint_error(),
    stretch: Mode::Default.most_stretch(),
    volume: 0.1,
    momentum: 1e-8,
    cone: 1e-6,
    place: 1e-3,
    energy_rise: Mode::Default.most_energy_rise(),
    residual: NONE,
};

const PAPER: Limits = Limits {
    overlap: Mode::Paper.most_overlap(),
    overlap_at_end: 0.02,
    joints: Mode::Paper.most_joint_error(),
    stretch: Mode::Paper.most_stretch(),
    place: 0.1,
    energy_rise: Mode::Paper.most_energy_rise(),
    ..DYNAMICS
};

impl Limits {
    /// The column of a method, or what its scene is stricter in.
    pub fn of(method: &Method) -> Limits {
        match method {
            Method::Settle(_) | Method::Compact(_) | Method::Separate(_) => SETTLE,
            Method::Collapse(_) => COLLAPSE,
            Method::Dynamics(options) => Limits::of_dynamics(options),
        }
    }

    fn of_dynamics(options: &DynamicsOptions) -> Limits {
        let column = match options.mode {
            Mode::Default => DYNAMICS,
            Mode::Paper => PAPER,
        };
        // Scenes state overlaps in diameters.
        let stated = 2.0 * options.overlap.unwrap_or(f64::INFINITY);
        Limits {
            overlap: column.overlap.min(stated),
            overlap_at_end: column.overlap_at_end.min(stated),
            ..column
        }
    }

    /// How far the threads of a cloth may be stretched.
    pub fn stretch_of(&self, cloth: &Cloth) -> f64 {
        self.stretch.min(cloth.most_stretch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_may_be_stricter_never_looser() {
        let of = |overlap: f64, mode: Mode| {
            let options = DynamicsOptions { overlap: Some(overlap), mode, ..Default::default() };
            let limits = Limits::of(&Method::Dynamics(options));
            (limits.overlap, limits.overlap_at_end)
        };
        assert_eq!(of(0.2, Mode::Default), (0.05, 1e-3));
        assert_eq!(of(0.2, Mode::Paper), (0.1, 0.02));
        assert_eq!(of(1e-3, Mode::Default), (2e-3, 1e-3));
        assert_eq!(of(1e-4, Mode::Paper), (2e-4, 2e-4));
        assert_eq!(Limits::of(&Method::default()), SETTLE);
    }
}
