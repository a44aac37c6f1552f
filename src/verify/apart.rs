//! Bodies that were taken apart: they are elsewhere, at rest, and else as they were, and
//! overlap no more. The way of one may cross another's.

use super::Verdict;
use super::checks::{Made, Measure, Step, Subject};
use super::limits::Limits;
use super::overlap::Crowd;
use super::worst::{Meeting, Worst};
use crate::math::DVec3;
use crate::trajectory::StepKind;
use crate::world::{Model, Motion, State};

/// Looks at the one step of a separation.
pub(super) struct Apart<'a> {
    model: &'a Model,
    limits: Limits,
    before: &'a State,
    overlap: Worst<Meeting>,
    fault: Option<String>,
    /// The longest way of a body.
    way: f64,
}

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    Some(Box::new(Apart {
        model: subject.model,
        limits: subject.limits,
        before: subject.first.1,
        overlap: Worst::default(),
        fault: None,
        way: 0.0,
    }))
}

impl Measure for Apart<'_> {
    fn frame(&mut self, step: &Step) {
        let (before, now) = (self.before, &step.frame.state);
        if step.frame.kind != StepKind::Separate {
            return; // nothing has been done yet
        }
        self.overlap = Crowd::new(self.model).deepest(step.index, now, 0.0);
        for (i, body) in self.model.bodies.iter().enumerate() {
            let way = before.positions[i].distance(now.positions[i]);
            self.way = self.way.max(way);
            let still = now.velocities[i] == DVec3::ZERO && now.spins[i] == DVec3::ZERO;
            let wrong = match body.motion {
                _ if before.rotations[i] != now.rotations[i] => "turns",
                Motion::Free if !still => "is not at rest",
                Motion::Fixed | Motion::Driven if way != 0.0 => "is not free and moves",
                _ => continue,
            };
            self.fault.get_or_insert(format!("body {i} {wrong} when bodies are taken apart"));
        }
    }

    fn report(&mut self, verdict: &mut Verdict) {
        let depth = self.overlap.value;
        verdict.max_overlap = Some(depth);
        let fine = format!("no body went farther than {:.1e}, and none turned", self.way);
        verdict.state("apart", self.fault.take(), fine);
        let detail = self.overlap.describe("in");
        verdict.measure("overlap", depth, self.limits.overlap, detail);
    }
}
