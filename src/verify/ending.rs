//! Why a run, or a phase of it, ended, and whether the frames are there that this takes.

use super::Verdict;
use crate::problem::Result;
use crate::trajectory::{Outcome, Reader};
use crate::world::{Method, Model, QUIET_STEPS, State};

/// Looks at the end of a phase.
pub(super) fn report(reader: &Reader, phase: usize, verdict: &mut Verdict) -> Result<()> {
    let ending = reader.ending_of(phase);
    let told = ending.map(|ending| ending.outcome);
    let (model, frames) = (&reader.phases()[phase].model, reader.frames_of(phase));
    let steps = frames.len().saturating_sub(1) as u64;
    let mut judged = judge(told, model, steps);
    if let Some(reason) = ending.and_then(|ending| ending.reason.as_ref()) {
        judged = match told {
            Some(Outcome::Failed) => Err(format!("the run failed: {reason}")),
            _ => Err(format!("the run did not fail, but has a reason for it: {reason}")),
        };
    }
    if let (Some(Outcome::Quiet), Some(speed)) = (told, model.quiet()) {
        let last = frames.clone().skip(1).rev().take(QUIET_STEPS);
        let mut slow = Vec::new();
        for index in last {
            slow.push(is_slow(model, &reader.frame(index)?.state, speed));
        }
        if slow.len() < QUIET_STEPS || slow.contains(&false) {
            judged = Err(format!("not all is quiet for {QUIET_STEPS} steps: below {speed:?}"));
        }
    }
    let is_last = phase + 1 == reader.phases().len();
    let done = told.is_some_and(Outcome::is_done);
    if done && is_last && !model.phase.is_last() {
        judged = Err(format!("the run ends after phase {} of {}", phase + 1, model.phase.of));
    } else if !done && !is_last {
        judged = Err(format!("phase {} was not done, and others follow it", phase + 1));
    }
    let (fault, fine) = match judged {
        Ok(fine) => (None, fine),
        Err(fault) => (Some(fault), String::new()),
    };
    let mut found = Verdict::default();
    found.state("ending", fault, fine);
    verdict.take_over(found, phase, reader.phases().len() > 1);
    Ok(())
}

/// Whether no free body, nor its rim, is faster.
fn is_slow(model: &Model, state: &State, speed: f64) -> bool {
    let fastest = model
        .free()
        .map(|i| state.velocities[i].length() + state.spins[i].length() * model.bodies[i].radius);
    fastest.fold(0.0, f64::max) <= speed
}

fn judge(
    outcome: Option<Outcome>,
    model: &Model,
    steps: u64,
) -> std::result::Result<String, String> {
    let Some(outcome) = outcome else {
        return Err("the run was cut short: no outcome, no proof of rest".into());
    };
    let method = &model.method;
    match (outcome, model.goal()) {
        (Outcome::Rest, _) => match method {
            Method::Settle(_) | Method::Compact(_) => Ok("the bodies came to rest".into()),
            _ => Err(format!("{} proves no rest", method.name())),
        },
        (Outcome::Quiet, _) => match model.quiet() {
            Some(speed) => Ok(format!("nobody is faster than {speed:?}, after {steps} steps")),
            None => Err("nobody asked for quiet".into()),
        },
        (Outcome::Apart, _) => match (method, steps) {
            (Method::Separate(_), 1) => Ok("the bodies were taken apart".into()),
            _ => Err(format!("{} takes nothing apart in {steps} steps", method.name())),
        },
        (Outcome::Duration, _) if matches!(method, Method::Separate(_)) => {
            Err(format!("{} has no duration", method.name()))
        }
        (Outcome::Duration, Some(goal)) if steps == goal => {
            Ok(format!("all of its {goal} steps were made"))
        }
        (Outcome::Duration, Some(goal)) => {
            Err(format!("the run claims its whole duration, but has {steps} of {goal} steps"))
        }
        (Outcome::Duration, None) => Err(format!("{} has no duration", method.name())),
        (Outcome::StepLimit | Outcome::Interrupted, Some(goal)) if steps >= goal => {
            Err(format!("the run made all of its {goal} steps, but claims to have been stopped"))
        }
        (Outcome::StepLimit, _) => {
            Ok(format!("the run was stopped after {steps} steps, by a limit: no rest is claimed"))
        }
        (Outcome::Interrupted, _) => {
            Ok(format!("the run was interrupted after {steps} steps: no rest is claimed"))
        }
        (Outcome::Failed, _) => Err("the run failed: the method stopped before its goal".into()),
    }
}
