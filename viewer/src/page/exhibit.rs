//! The data of a page that shows whether something stands: colours of what bodies bear, arrows, the
//! contact that counts most, and the first motion.

use riprap::export::exhibit::{Exhibit, MARK, PULL, PUSH, SHOWN_MOTION, Shade, foot, is_loose};
use riprap::export::palette::hex;
use riprap::math::DVec3;
use riprap::step::stable::Balance;
use serde_json::{Value, json};

use super::arrays::Arrays;
use super::motion::{Grid, Motion};
use super::shapes::Shapes;
use super::summary::{add, of_model};
use super::survey::Survey;

/// Stands for no body.
const NONE: u32 = u32::MAX;

/// What the colours may say: how much bodies bear, and how they begin to move.
fn shades(shown: &Exhibit) -> Vec<Shade> {
    let motion = shown.motion.as_ref().map(|motion| Shade::of_motion(shown.model, motion));
    let motion = motion.filter(|motion| motion.label != shown.shade.label);
    std::iter::once(shown.shade.clone()).chain(motion).collect()
}

/// Arrows, marks and the values of colours.
pub(super) fn store(shown: &Exhibit, survey: &Survey, arrays: &mut Arrays) {
    let grid = Grid { bounds: survey.grid };
    let arrows = shown.arrows();
    let points = arrows.iter().flat_map(|arrow| [arrow.from, arrow.to]);
    arrays.u16("force ends", points.flat_map(|p| grid.point(p)));
    arrays.f32("force width", arrows.iter().map(|_| 0.0));
    arrays.f32("force size", arrows.iter().map(|arrow| arrow.force.length()));
    let contacts = || arrows.iter().map(|arrow| &shown.forces[arrow.number]);
    arrays.u32("force body", contacts().map(|contact| contact.body));
    arrays.u32("force other", contacts().map(|contact| super::forces::other(contact.with)));
    arrays.u32("force frame", [0]);
    arrays.u32("force count", [arrows.len() as u32]);
    arrays.u8("force pulls", arrows.iter().map(|arrow| u8::from(arrow.pulls)));
    let origin = survey.view.centre();
    let edges = shown.marked.iter().flat_map(|marked| marked.edges()).flatten();
    arrays.f32("mark ends", edges.flat_map(|p| (p - origin).to_array()));
    for (number, shade) in shades(shown).iter().enumerate() {
        let values = shade.values.iter().map(|value| value.unwrap_or(f64::NAN));
        arrays.f32(&format!("shade {number}"), values);
    }
    arrays.u32("gone", []);
    arrays.u32("gone from", []);
}

/// The page's data, apart from its large arrays.
pub(super) fn summary(
    shown: &Exhibit,
    survey: &Survey,
    shapes: &Shapes,
    motion: &Motion,
    name: &str,
) -> Value {
    let model = shown.model;
    let mut summary = of_model(model, survey, shapes);
    let origin = survey.view.centre();
    let strong = shown.arrows().iter().map(|arrow| arrow.force.length()).fold(0.0, f64::max);
    let shade = |shade: &Shade| json!({ "label": shade.label, "most": shade.most() });
    let marked = shown.marked.as_ref().map(|marked| {
        let bodies = marked.bodies.map(|body| body.unwrap_or(NONE));
        json!({ "label": marked.label, "bodies": bodies })
    });
    let mut notes = vec!["Positions are rounded to 1/65536 of the scene's size.".to_string()];
    if shown.motion.is_some() {
        notes.push(film_in_words());
    }
    if shapes.simplified {
        notes.push("Bodies are drawn more coarsely than they are.".into());
    }
    add(
        &mut summary,
        json!({
            "name": name,
            "method": "stable",
            "timeStep": null,
            "frames": survey.steps.len(),
            "shown": motion.shown,
            "showing": null,
            "forcesEvery": 1,
            "strong": strong,
            "outcome": outcome(shown.balance),
            "atRest": shown.balance == Balance::Balanced,
            "seconds": null,
            "certificate": null,
            "notes": notes,
            "logEnergy": false,
            "exhibit": {
                "shades": shades(shown).iter().map(shade).collect::<Vec<_>>(),
                "forces": shown.forces_are,
                "title": format!("Arrows: {}", shown.forces_are),
                "marked": marked,
                "foot": relative(foot(model, shown.state), origin),
                "loose": is_loose(model).is_ok(),
                "motion": SHOWN_MOTION,
                "mark": hex(MARK),
                "push": hex(PUSH),
                "pull": hex(PULL),
            },
        }),
    );
    summary
}

fn relative(p: DVec3, origin: DVec3) -> [f64; 3] {
    (p - origin).to_array()
}

/// What the motion is, and what it is not.
pub(super) fn film_in_words() -> String {
    format!(
        "The motion is the first moment of the fall, made large: every body goes straight along its \
         first acceleration and turns evenly, until the fastest has moved and turned by {SHOWN_MOTION} \
         of its radius. What it meets on the way does not stop it; `riprap run` lets it fall."
    )
}

fn outcome(balance: Balance) -> &'static str {
    match balance {
        Balance::Balanced => "balanced",
        Balance::Unbalanced => "unstable",
        Balance::Undecided(_) => "undecided",
    }
}
