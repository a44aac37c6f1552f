//! Phases follow each other: each starts where the one before it ended, at the time that
//! has passed until then.

use super::Verdict;
use crate::math::DVec3;
use crate::problem::Result;
use crate::trajectory::Reader;
use crate::world::{Model, Motion, State};

/// Times are sums of time steps, up to this part.
const ROUNDING: f64 = 1e-12;

/// Says nothing of runs that have but one phase.
pub(super) fn report(reader: &Reader, verdict: &mut Verdict) -> Result<()> {
    let (phases, mut time, mut fault) = (reader.phases(), 0.0, None);
    let of = phases[0].model.phase.of;
    if of == 1 && phases.len() == 1 {
        return Ok(());
    }
    for (number, phase) in phases.iter().enumerate() {
        let (model, frames) = (&phase.model, reader.frames_of(number));
        let told = model.phase;
        if (told.number, told.of) != (number, of) {
            let message = format!("phase {} says it is {} of {}", number + 1, told.number, told.of);
            fault.get_or_insert(message);
        }
        if (told.time - time).abs() > ROUNDING * time {
            fault.get_or_insert(format!(
                "phase {} begins at {:?}, not {time:?}",
                number + 1,
                told.time
            ));
        }
        if number > 0 && !frames.is_empty() {
            let before = reader.frame(frames.start - 1)?.state;
            let now = reader.frame(frames.start)?.state;
            if let Some(body) = leap(model, &before, &now) {
                let number = number + 1;
                fault.get_or_insert(format!("body {body} leaps where phase {number} begins"));
            }
        }
        let dt = model.method.time().map_or(0.0, |(dt, _)| dt);
        time = told.time + frames.len().saturating_sub(1) as f64 * dt;
    }
    let fine = format!("{} of {of} phases, each from where the one before it ended", phases.len());
    verdict.state("phases", fault, fine);
    Ok(())
}

/// The first body that is elsewhere, is turned or moves otherwise than the rule says: where there
/// is no time, only what is driven moves.
fn leap(model: &Model, before: &State, now: &State) -> Option<usize> {
    let has_time = model.method.time().is_some();
    (0..model.bodies.len()).find(|&i| {
        let keeps = match model.bodies[i].motion {
            Motion::Free => has_time,
            Motion::Driven => true,
            Motion::Fixed => false,
        };
        let of = |v: DVec3| if keeps { v } else { DVec3::ZERO };
        before.positions[i] != now.positions[i]
            || before.rotations[i] != now.rotations[i]
            || of(before.velocities[i]) != now.velocities[i]
            || of(before.spins[i]) != now.spins[i]
    })
}
