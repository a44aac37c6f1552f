//! `riprap stable` of bodies whose contacts hold: how much of their strength is needed.

use std::fmt::Write;

use riprap::export::exhibit::{Exhibit, Marked, Shade};
use riprap::math::DVec3;
use riprap::step::stable::{Balance, HeldContact, Statics, Strain};
use riprap::world::{Contact, Model, State};
use riprap::{Problem, Result};
use serde_json::{Value, json};

use crate::arguments::StableOptions;
use crate::bricks::{counted, reserve, word};
use crate::run::figure;
use crate::show::Told;
use crate::verdict::motion_json;
use crate::{Done, print, show};

/// What "balanced" leaves open.
const CAVEAT: &str = "Balancing forces are necessary for standing with friction, not sufficient";

/// Answers, if some contact has a strength.
pub fn answer(
    arguments: &StableOptions,
    [name, about]: [&str; 2],
    (model, state): (&Model, &State),
    statics: &Statics,
) -> Result<Option<Done>> {
    if !statics.has_strengths() {
        return Ok(None);
    }
    let idle = [
        ("--lowest", arguments.lowest),
        ("--polar", arguments.polar.is_some()),
        ("--tilt", arguments.tilt),
        ("--towards", arguments.towards.is_some()),
        ("--load", arguments.load.is_some()),
        ("--tolerance", arguments.tolerance.is_some()),
        ("--elastic", arguments.elastic),
        ("--consistent", arguments.consistent),
        ("--what-if", arguments.what_if),
        ("--falls", !arguments.falls.is_empty()),
        ("--order", arguments.order.is_some()),
        ("--contact", arguments.contact.is_some()),
    ];
    if let Some((option, _)) = idle.iter().find(|(_, is_given)| *is_given) {
        return Err(Problem::new(format!("{option} is not for contacts with `strengths`"))
            .help(match *option {
                "--what-if" | "--falls" | "--tilt" | "--towards" => {
                    "ask for one acceleration of the ground after the other, as in --acceleration 0.5,0, \
                     or leave out the [[strengths]]"
                        .into()
                }
                _ => format!("leave out {option}, or the [[strengths]]"),
            }));
    }
    let strain = statics.strain()?;
    let (answer, mut words) =
        (as_json(&strain, model.dimension == 2), report(name, about, &strain));
    if let Some(out) = &arguments.out {
        let told = Told { name, words: &words, answer: &answer, plot: None };
        let mut there = model.clone();
        there.take_out(|body| arguments.without == Some(body as u32));
        show::write(out, &exhibit((&there, state), &strain), &told, arguments)?;
        let _ = writeln!(words, "  {}", show::in_words(out, strain.balance, false));
    }
    print(&if arguments.json { format!("{answer}\n") } else { words })?;
    Ok(Some(match strain.balance {
        _ if !arguments.exit_status => Done::Yes,
        Balance::Balanced => Done::Yes,
        Balance::Unbalanced => Done::Unstable,
        Balance::Undecided(_) => Done::Undecided,
    }))
}

/// What pictures show: utilisations where there are any, and the weakest contact.
fn exhibit<'a>((model, state): (&'a Model, &'a State), strain: &Strain) -> Exhibit<'a> {
    let used =
        strain.contacts.iter().filter_map(|contact| Some((contact.bodies, contact.utilisation?)));
    let motion = show::motion(strain.balance, &strain.accelerations);
    let shade = match (used.clone().next(), &motion) {
        (None, Some(motion)) => Shade::of_motion(model, motion),
        _ => Shade::largest("utilisation of contacts", model, used),
    };
    let marked = strain.weakest().map(|k| {
        let HeldContact { bodies, normal, at, .. } = strain.contacts[k];
        let is_here = |contact: &&Contact| {
            let pair = [Some(contact.body), contact.with.body(model).map(|body| body as u32)];
            pair == bodies && contact.normal.distance(normal) < 1e-6
        };
        let here = strain.forces.iter().filter(is_here);
        let mut points: Vec<DVec3> = here.map(|c| 0.5 * (c.at[0] + c.at[1])).collect();
        if points.is_empty() {
            points.push(at);
        }
        let label = format!("weakest contact: {}", show::pair(bodies));
        Marked { label, bodies, normal, points }
    });
    Exhibit {
        model,
        state,
        balance: strain.balance,
        shade,
        forces: strain.forces.clone(),
        forces_are: "forces that balance it and need no more than the least utilisation".into(),
        marked,
        motion,
    }
}

fn as_json(strain: &Strain, flat: bool) -> Value {
    let finite = |x: f64| if x.is_finite() { json!(x) } else { json!("unbounded") };
    let vector = |v: DVec3| if flat { json!([v.x, v.y]) } else { json!(v.to_array()) };
    let contact = |contact: &HeldContact| {
        json!({
            "bodies": contact.bodies,
            "points": contact.points,
            "area": contact.area,
            "force": vector(contact.force),
            "part": contact.part,
            "utilisation": contact.utilisation,
        })
    };
    let force = |contact: &Contact| {
        json!({
            "body": contact.body,
            "with": contact.with,
            "at": vector(contact.at[0]),
            "force": vector(contact.force),
        })
    };
    let forces: Vec<Value> = strain.forces.iter().map(force).collect();
    let all = |motions: &[(DVec3, DVec3)]| -> Vec<Value> {
        motions.iter().map(|motion| motion_json(motion, flat)).collect()
    };
    let [low, high] = strain.bounds;
    let is_balanced = strain.balance == Balance::Balanced;
    json!({
        "verdict": word(strain.balance),
        "caveat": is_balanced.then_some(CAVEAT),
        "exact": false,
        "utilisation": finite(high),
        "utilisation_bounds": [finite(low), finite(high)],
        "reserve": finite(high.recip()),
        "weakest_contact": strain.weakest(),
        "contacts": strain.contacts.iter().map(contact).collect::<Vec<_>>(),
        "margin": null,
        "certificate": match &strain.mechanism {
            _ if matches!(strain.balance, Balance::Undecided(_)) => json!(null),
            None => json!({ "kind": "forces", "forces": forces }),
            Some(motions) => json!({ "kind": "mechanism", "velocities": all(motions) }),
        },
        "accelerations": all(&strain.accelerations),
        "residual": strain.residual,
    })
}

fn report(name: &str, about: &str, strain: &Strain) -> String {
    let [low, high] = strain.bounds;
    let mut text = match strain.balance {
        Balance::Balanced => format!("{name}: balancing forces exist. {CAVEAT}.\n"),
        Balance::Unbalanced if low.is_infinite() => {
            format!("{name}: unstable, whatever multiple of their strengths its contacts had.\n")
        }
        Balance::Unbalanced => format!("{name}: unstable.\n"),
        Balance::Undecided(_) if high.is_infinite() => format!(
            "{name}: undecided: friction and cohesion are known between polygons of 32 sides, which \
             differ by half a per cent, and between these lies whether any strength would do.\n"
        ),
        Balance::Undecided(_) => format!(
            "{name}: undecided: friction and cohesion are known between polygons of 32 sides, which \
             differ by half a per cent.\n"
        ),
    };
    if !about.is_empty() {
        let _ = writeln!(text, "  {about}");
    }
    if high.is_finite() {
        let _ = writeln!(
            text,
            "  utilisation {}: the worst contact needs that part of its \
             strength; {}.",
            between(low, high),
            reserve(high)
        );
    }
    // Of next to nothing no part hangs on anything.
    let weakest = strain.weakest().filter(|_| high > 1e-6);
    if let Some(contact) = weakest.map(|k| &strain.contacts[k]) {
        let name = |body: Option<u32>| body.map_or("the container".into(), |b| format!("body {b}"));
        let [one, two] = contact.bodies.map(name);
        let _ = writeln!(
            text,
            "  weakest: the contact of {one} with {two}, area {}: {:.0} % of the utilisation hang \
             on its strength.",
            figure(contact.area, 6),
            100.0 * contact.part
        );
    }
    let _ = writeln!(text, "  {}.", counted(strain.contacts.len(), "contact"));
    text
}

/// A number that is known between two.
fn between(low: f64, high: f64) -> String {
    let [low, high] = [low, high].map(|x| format!("{x:.4}"));
    if low == high { low } else { format!("{low} to {high}") }
}
