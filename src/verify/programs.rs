//! How exactly the program of every step was solved, as its report says.

use super::Verdict;
use super::checks::{Made, Measure, Step, Subject};
use super::worst::Worst;

/// The worst residual.
pub(super) struct Programs {
    limit: f64,
    worst: Worst<()>,
}

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    Some(Box::new(Programs { limit: subject.limits.residual, worst: Worst::default() }))
}

impl Measure for Programs {
    fn frame(&mut self, step: &Step) {
        // The start was not solved for.
        if step.before.is_some() {
            let ledger = step.frame.report.ledger.as_ref();
            self.worst.note(ledger.map_or(f64::NAN, |ledger| ledger.residual), step.index, ());
        }
    }

    fn report(&mut self, verdict: &mut Verdict) {
        let Worst { value, at } = self.worst;
        verdict.residual = Some(value);
        let frame = at.map_or(0, |(frame, ())| frame);
        let detail = match value.is_nan() {
            true => format!("frame {frame} has no account of its step"),
            false => format!("residuals up to {value:.1e}, frame {frame}"),
        };
        verdict.measure("programs", value, self.limit, detail);
    }
}
