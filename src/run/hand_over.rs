//! What becomes of the bodies of the method dynamics after the last step.

use super::{Drive, seconds};
use crate::problem::Result;
use crate::scene::HandOver;
use crate::step::separate;
use crate::trajectory::{Frame, StepKind};
use crate::world::Report;

/// Adds a last frame in which nobody overlaps any more, if the scene asks for it.
pub(super) fn take_apart(drive: &mut Drive) -> Result<()> {
    if drive.model.method.dynamics().hand_over == HandOver::No {
        return Ok(());
    }
    let before = seconds();
    let done = separate::separate(&drive.model, &mut drive.state, 0.0)?;
    drive.step += 1;
    let ledger = separate::ledger(&drive.model, &drive.state, &done);
    let mut taken = vec![0.0; drive.stepper.parts().len()];
    taken[0] = (seconds() - before) as f32;
    drive.sink.frame(&Frame {
        step: drive.step,
        kind: StepKind::Separate,
        energy: ledger.energy,
        state: drive.state.clone(),
        contacts: Vec::new(),
        report: Report { ledger: Some(ledger), ..Default::default() },
        seconds: taken,
    })
}
