//! What the page says in words and small numbers.

use riprap::export::palette::{DISTINCT, FORCES, SCALE, groups_tell};
use riprap::trajectory::{Certificate, Ending, Outcome, Reader};
use riprap::world::Model;
use serde_json::{Value, json};

use super::container::Container;
use super::forces::Forces;
use super::motion::Motion;
use super::shapes::Shapes;
use super::survey::{KINDS, Survey};
use super::turns;
use crate::palette::texts;

/// All that the summary speaks of.
pub(super) struct Told<'a> {
    pub reader: &'a Reader,
    pub survey: &'a Survey,
    pub motion: &'a Motion,
    pub forces: &'a Forces,
}

impl Told<'_> {
    /// The page's data, apart from its large arrays.
    pub(super) fn summary(&self, container: &Container, shapes: &Shapes) -> Value {
        let Told { reader, survey, motion, forces } = self;
        let mut summary = of_model(reader.model(), survey, shapes);
        let no_time = survey.kinetic.is_empty();
        let more = json!({
            "method": methods(reader),
            "timeStep": reader.moving_model().method.time().map(|(time_step, _)| time_step),
            "frames": reader.len(),
            "shown": motion.shown,
            "showing": showing(motion),
            "forcesEvery": forces.every,
            "strong": forces.strong,
            "outcome": outcome(reader),
            "atRest": reader.ending().is_some_and(|ending| ending.outcome == Outcome::Rest),
            "seconds": reader.ending().map(|ending| ending.seconds),
            "certificate": reader.ending().and_then(|e| e.certificate.as_ref()).map(certificate),
            "notes": self.notes(container, shapes),
            "logEnergy": no_time && crate::plot::wants_logarithm(&survey.energies),
            "exhibit": null,
        });
        add(&mut summary, more);
        summary
    }

    /// How the page differs from the run file, in sentences.
    fn notes(&self, container: &Container, shapes: &Shapes) -> Vec<String> {
        let Told { reader, survey, motion, forces } = self;
        let mut notes = Vec::new();
        if let Some(showing) = showing(motion) {
            let (shown, all) = (motion.shown.len(), reader.len());
            notes.push(format!("This page is {showing} ({shown} of {all}), to stay small."));
        }
        notes.push("Positions are rounded to 1/65536 of the scene's size.".into());
        if forces.every > 1 {
            let every = ordinal(forces.every);
            notes.push(format!("Forces are shown at every {every} of these frames."));
        }
        if forces.weak_left_out {
            let part = "a thousandth of the strongest of their step";
            notes.push(format!("Forces below {part} are left out."));
        }
        if let Some(faces) = container.simplified_from {
            let words = "faces; its bounding box is drawn instead.";
            notes.push(format!("The container has {faces} {words}"));
        }
        if shapes.simplified {
            notes.push("Bodies are drawn more coarsely than they are.".into());
        }
        if survey.strays {
            notes.push("Bodies that get far away are not followed.".into());
        }
        if reader.torn_bytes() > 0 {
            let bytes = reader.torn_bytes();
            let message =
                format!("The run file was cut short: its last {bytes} bytes are unreadable.");
            notes.push(message);
        }
        notes
    }
}

/// What every page says of its bodies.
pub(super) fn of_model(model: &Model, survey: &Survey, shapes: &Shapes) -> Value {
    let (view, grid) = (survey.view, survey.grid);
    json!({
        "name": model.name,
        "dimension": model.dimension,
        "bodies": model.bodies.len(),
        "rigid": model.rigid_count(),
        "cloths": model.cloths.len(),
        "what": what(model),
        "forms": shapes.words,
        "groups": model.groups,
        "gravity": model.gravity.to_array(),
        "kinds": KINDS,
        "origin": view.centre().to_array(),
        "size": view.size.to_array(),
        "grid": { "min": (grid.min - view.centre()).to_array(), "size": grid.size.to_array() },
        "turnSteps": turns::STEPS,
        "typical": model.typical_radius(),
        "groupsTell": groups_tell(model),
        "coloured": model.bodies.iter().any(|body| body.colour.is_some()),
        "palette": texts(&DISTINCT),
        "scale": texts(&SCALE),
        "forceScale": texts(&FORCES),
    })
}

/// Puts the entries of one object into another.
pub(super) fn add(summary: &mut Value, more: Value) {
    if let (Value::Object(summary), Value::Object(more)) = (summary, more) {
        summary.extend(more);
    }
}

/// What the bodies are called if they are all of a kind: one of them, and several.
fn what(model: &Model) -> [&'static str; 2] {
    let rigid = 0..model.rigid_count();
    let mut round = rigid.map(|i| model.shape(i).is_ball().is_some());
    match (round.all(|ball| ball), model.dimension) {
        (true, 2) => ["circle", "circles"],
        (true, _) => ["sphere", "spheres"],
        (false, _) => ["body", "bodies"],
    }
}

/// The methods of the phases, one after the other.
fn methods(reader: &Reader) -> String {
    let names = reader.phases().iter().map(|phase| phase.model.method.name().name());
    names.collect::<Vec<_>>().join(", ")
}

fn outcome(reader: &Reader) -> &'static str {
    match reader.ending().map(|ending: &Ending| ending.outcome) {
        Some(Outcome::Rest) => "at rest",
        Some(Outcome::Duration) => "duration reached",
        Some(Outcome::Quiet) => "quiet",
        Some(Outcome::Apart) => "taken apart",
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
