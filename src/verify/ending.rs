//! Why the run ended, and whether the frames are there that this takes.

use super::Verdict;
use crate::trajectory::{Outcome, Reader, StepKind};

/// `last` is the kind of the last frame.
pub(super) fn report(reader: &Reader, last: Option<StepKind>, verdict: &mut Verdict) {
    let told = reader.ending().map(|ending| ending.outcome);
    let (fault, fine) = match judge(told, reader, last) {
        Ok(fine) => (None, fine),
        Err(fault) => (Some(fault), String::new()),
    };
    verdict.state("ending", fault, fine);
}

fn judge(
    outcome: Option<Outcome>,
    reader: &Reader,
    last: Option<StepKind>,
) -> Result<String, String> {
    let Some(outcome) = outcome else {
        return Err("the run was cut short: no outcome, no proof of rest".into());
    };
    let method = &reader.model().method;
    // A separation at the end is no step in time.
    let handed_over = last == Some(StepKind::Separate);
    let steps = reader.len().saturating_sub(1 + usize::from(handed_over));
    match (outcome, method.time()) {
        (Outcome::Rest, None) => Ok("the run came to rest".into()),
        (Outcome::Duration, Some((_, wanted))) if steps == wanted => {
            Ok(format!("the run made all of its {wanted} steps"))
        }
        (Outcome::Duration, Some((_, wanted))) => {
            Err(format!("the run claims its whole duration, but has {steps} of {wanted} steps"))
        }
        (Outcome::Rest, Some(_)) => Err(format!("{} proves no rest", method.name())),
        (Outcome::Duration, None) => Err(format!("{} has no duration", method.name())),
        (Outcome::StepLimit, _) => {
            Ok(format!("the run was stopped after {steps} steps, by a limit: no rest is claimed"))
        }
        (Outcome::Interrupted, _) => {
            Ok(format!("the run was interrupted after {steps} steps: no rest is claimed"))
        }
        (Outcome::Failed, _) => Err("the run failed: the method stopped before its goal".into()),
    }
}
