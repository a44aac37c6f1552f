//! The last frame of a motion whose bodies were taken apart: they are elsewhere, at
//! rest, and else as they were, and overlap no more. The way of one may cross another's.

use super::Verdict;
use super::checks::{Made, Measure, Step, Subject};
use super::limits::SETTLE;
use super::overlap::Crowd;
use super::worst::{Meeting, Worst};
use crate::math::DVec3;
use crate::scene::HandOver as Asked;
use crate::trajectory::{Frame, Outcome, StepKind};
use crate::world::{Model, Motion};

/// Looks at the hand-over.
pub(super) struct HandOver<'a> {
    model: &'a Model,
    done: Option<Done>,
}

struct Done {
    overlap: Worst<Meeting>,
    fault: Option<String>,
    /// The longest way of a body.
    way: f64,
}

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    Some(Box::new(HandOver { model: subject.model, done: None }))
}

impl<'a> HandOver<'a> {
    fn fault(&self, before: &Frame, now: &Frame) -> (Option<String>, f64) {
        let (before, now) = (&before.state, &now.state);
        let (mut fault, mut longest) = (None, 0.0_f64);
        for (i, body) in self.model.bodies.iter().enumerate() {
            let way = before.positions[i].distance(now.positions[i]);
            longest = longest.max(way);
            let still = now.velocities[i] == DVec3::ZERO && now.spins[i] == DVec3::ZERO;
            let wrong = match body.motion {
                _ if before.rotations[i] != now.rotations[i] => "turns",
                Motion::Free if !still => "is not at rest",
                Motion::Fixed | Motion::Driven if way != 0.0 => "is fixed and moves",
                _ => continue,
            };
            fault.get_or_insert(format!("body {i} {wrong} at the hand-over"));
        }
        (fault, longest)
    }
}

impl Measure for HandOver<'_> {
    fn frame(&mut self, step: &Step) {
        if let (StepKind::Separate, Some(before)) = (step.frame.kind, step.before) {
            let overlap = Crowd::new(self.model).deepest(step.index, &step.frame.state, 0.0);
            let (fault, way) = self.fault(before, step.frame);
            self.done = Some(Done { overlap, fault, way });
        }
    }

    /// A run that promised a hand-over and came to its end must have one.
    fn report(&mut self, verdict: &mut Verdict) {
        let asked = self.model.method.dynamics().hand_over != Asked::No;
        let Some(done) = self.done.take() else {
            if asked && verdict.outcome == Some(Outcome::Duration) {
                let fault = Some("the last frame is no hand-over".to_string());
                verdict.state("hand-over", fault, "");
            }
            return;
        };
        let depth = done.overlap.value;
        verdict.max_overlap = Some(depth);
        if done.fault.is_some() {
            return verdict.state("hand-over", done.fault, "");
        }
        let detail = match done.overlap.at {
            Some(_) => done.overlap.describe("in"),
            None => format!("no overlap; no body went farther than {:.1e}", done.way),
        };
        verdict.measure("hand-over", depth, SETTLE.overlap, detail);
    }
}
