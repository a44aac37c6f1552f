//! What the page says in words and small numbers.

use riprap::trajectory::{Certificate, Ending, Outcome, Reader};
use serde_json::{Value, json};

use super::container::Container;
use super::motion::Motion;
use super::survey::Survey;
use crate::palette::texts;
use riprap::export::palette::{DISTINCT, FORCES, SCALE};

/// The page's data, apart from its large arrays.
pub(super) fn summary(
    reader: &Reader,
    survey: &Survey,
    motion: &Motion,
    container: &Container,
) -> Value {
    let model = reader.model();
    let bounds = survey.bounds();
    json!({
        "name": model.name,
        "dimension": model.dimension,
        "bodies": model.bodies.len(),
        "groups": model.groups,
        "gravity": model.gravity.to_array(),
        "frames": reader.len(),
        "shown": motion.shown,
        "showing": showing(motion),
        "kinds": ["start", "settle", "escape", "polish"],
        "bounds": { "min": bounds.min.to_array(), "size": bounds.size.to_array() },
        "outcome": outcome(reader),
        "atRest": reader.ending().is_some_and(|ending| ending.outcome == Outcome::Rest),
        "seconds": reader.ending().map(|ending| ending.seconds),
        "certificate": reader.ending().and_then(|e| e.certificate.as_ref()).map(certificate),
        "notes": notes(reader, motion, container),
        "logEnergy": crate::plot::wants_logarithm(&survey.energies),
        "palette": texts(&DISTINCT),
        "scale": texts(&SCALE),
        "forceScale": texts(&FORCES),
    })
}

fn outcome(reader: &Reader) -> &'static str {
    match reader.ending().map(|ending: &Ending| ending.outcome) {
        Some(Outcome::Rest) => "at rest",
        Some(Outcome::Duration) => "duration reached",
        Some(Outcome::StepLimit) => "stopped at the step limit",
        Some(Outcome::Interrupted) => "interrupted",
        Some(Outcome::Failed) => "failed",
        None => "unfinished",
    }
}

/// The certificate as rows of a table.
fn certificate(certificate: &Certificate) -> Value {
    let Certificate { residual, bound, rank, unknowns, margin, .. } = certificate;
    json!({
        "verdict": certificate.verdict,
        "rows": [
            ["force imbalance", format!("{residual:.1e} of a weight")],
            ["energy can fall by", format!("at most {bound:.1e}")],
            ["rank of contacts", format!("{rank} of {unknowns}")],
            ["unstable modes", certificate.unstable_modes.to_string()],
            ["neutral modes", certificate.neutral_modes.to_string()],
            ["margin", format!("{margin:.1e}")],
        ],
    })
}

/// How the page differs from the run file, in sentences.
fn notes(reader: &Reader, motion: &Motion, container: &Container) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(showing) = showing(motion) {
        let (shown, all) = (motion.shown.len(), reader.len());
        notes.push(format!("This page is {showing} ({shown} of {all}), to stay small."));
    }
    notes.push("Positions are rounded to 1/65536 of the scene's size.".into());
    if let Some(faces) = container.simplified_from {
        notes.push(format!("The container has {faces} faces; its bounding box is drawn instead."));
    }
    if reader.torn_bytes() > 0 {
        let bytes = reader.torn_bytes();
        notes.push(format!("The run file was cut short: its last {bytes} bytes are unreadable."));
    }
    notes
}

/// Which frames are shown, unless all are.
fn showing(motion: &Motion) -> Option<String> {
    (motion.every > 1).then(|| format!("showing every {} frame", ordinal(motion.every)))
}

fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (1, tens) if tens != 11 => "st",
        (2, tens) if tens != 12 => "nd",
        (3, tens) if tens != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_are_english() {
        let numbers = [2, 3, 4, 11, 12, 13, 21, 22, 103, 111];
        let words = ["2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "103rd", "111th"];
        assert_eq!(numbers.map(ordinal), words);
    }
}
