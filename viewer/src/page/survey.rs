//! The first look through a run: how far things get, and what every step was.

use riprap::math::DVec3;
use riprap::shape::Aabb;
use riprap::trajectory::{Reader, StepKind};
use riprap::{Problem, Result};

/// What the page tells about every step, shown or not.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Survey {
    pub steps: Vec<u64>,
    pub kinds: Vec<u8>,
    pub energies: Vec<f64>,
    pub moving: Vec<u32>,
    /// Around the container and every centre of every frame.
    pub bounds: Option<Bounds>,
}

/// A box of finite size around everything that is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    pub min: DVec3,
    pub size: DVec3,
}

impl Survey {
    pub(super) fn of(reader: &Reader) -> Result<Survey> {
        if reader.is_empty() {
            return Err(Problem::new("the run has no frames: there is nothing to show")
                .help("let `riprap run` make at least one step"));
        }
        let mut survey = Survey::default();
        let mut bounds = reader.model().boundary.bounds();
        for frame in reader.frames() {
            let frame = frame?;
            let finite = frame.positions.iter().copied().filter(|p| p.is_finite());
            bounds = bounds.union(&Aabb::from_points(finite));
            survey.steps.push(frame.step);
            survey.kinds.push(kind_number(frame.kind));
            survey.energies.push(frame.energy);
            survey.moving.push(frame.report.moving);
        }
        survey.bounds = Bounds::of(&bounds);
        Ok(survey)
    }

    pub(super) fn bounds(&self) -> Bounds {
        self.bounds.unwrap_or(Bounds { min: DVec3::ZERO, size: DVec3::ONE })
    }
}

impl Bounds {
    /// None if nothing was found to be around.
    fn of(found: &Aabb) -> Option<Bounds> {
        let size = found.max - found.min;
        (size.is_finite() && size.min_element() >= 0.0).then_some(Bounds { min: found.min, size })
    }

    pub(super) fn centre(&self) -> DVec3 {
        self.min + 0.5 * self.size
    }
}

/// Kinds of steps as the page counts them; the names are in the page's summary.
fn kind_number(kind: StepKind) -> u8 {
    match kind {
        StepKind::Start => 0,
        StepKind::Settle
        | StepKind::Collapse
        | StepKind::Separate
        | StepKind::Dynamics
        | StepKind::HandOver => 1,
        StepKind::Escape | StepKind::Hop => 2,
        StepKind::Polish => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn every_step_is_surveyed() {
        let run = samples::finished(27, 5);
        let survey = Survey::of(&run.reader()).unwrap();
        assert_eq!(survey.steps, [0, 1, 2, 3, 4]);
        assert_eq!(survey.kinds, [0, 1, 2, 1, 3]);
        assert!(survey.energies.is_sorted_by(|a, b| a > b));
        let bounds = survey.bounds();
        assert_eq!(bounds.min, DVec3::ZERO);
        assert!(bounds.size.abs_diff_eq(DVec3::new(3.6, 3.6, 4.6), 1e-12), "{bounds:?}");
    }

    #[test]
    fn a_run_without_frames_is_refused() {
        let problem = Survey::of(&samples::unfinished(3, 0).reader()).unwrap_err();
        assert_eq!(problem.message, "the run has no frames: there is nothing to show");
    }

    #[test]
    fn bounds_of_nothing_have_a_size() {
        assert_eq!(Survey::default().bounds().size, DVec3::ONE);
        assert_eq!(Bounds::of(&Aabb::EMPTY), None);
    }
}
