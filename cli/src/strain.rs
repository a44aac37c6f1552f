//! `riprap stable` of bodies whose contacts hold: how much of their strength is needed.

use std::fmt::Write;

use riprap::math::DVec3;
use riprap::step::stable::{Balance, HeldContact, Statics, Strain};
use riprap::{Problem, Result};
use serde_json::{Value, json};

use crate::arguments::StableOptions;
use crate::bricks::word;
use crate::run::figure;
use crate::verdict::motion_json;
use crate::{Done, print};

/// What "balanced" leaves open.
const CAVEAT: &str = "Balancing forces are necessary for standing with friction, not sufficient";

/// Answers, if some contact has a strength.
pub fn answer(
    arguments: &StableOptions,
    name: &str,
    flat: bool,
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
        ("--out", arguments.out.is_some()),
        ("--tolerance", arguments.tolerance.is_some()),
        ("--elastic", arguments.elastic),
        ("--what-if", arguments.what_if),
        ("--falls", !arguments.falls.is_empty()),
        ("--order", arguments.order.is_some()),
        ("--contact", arguments.contact.is_some()),
    ];
    if let Some((option, _)) = idle.iter().find(|(_, is_given)| *is_given) {
        return Err(Problem::new(format!("{option} is not for contacts with `strengths`"))
            .help(format!("leave out {option}, or the [[strengths]]")));
    }
    let strain = statics.strain()?;
    print(&match arguments.json {
        true => format!("{}\n", as_json(&strain, flat)),
        false => report(name, &strain),
    })?;
    Ok(Some(match strain.balance {
        _ if !arguments.exit_status => Done::Yes,
        Balance::Balanced => Done::Yes,
        Balance::Unbalanced => Done::Unstable,
        Balance::Undecided(_) => Done::Undecided,
    }))
}

fn as_json(strain: &Strain, flat: bool) -> Value {
    let finite = |x: f64| if x.is_finite() { json!(x) } else { json!("unbounded") };
    let contact = |contact: &HeldContact| {
        json!({
            "bodies": contact.bodies,
            "points": contact.points,
            "area": contact.area,
            "force": if flat { contact.force.to_array()[..2].into() } else { json!(contact.force.to_array()) },
            "part": contact.part,
        })
    };
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
            None => json!({ "kind": "forces" }),
            Some(motions) => json!({ "kind": "mechanism", "velocities": all(motions) }),
        },
        "accelerations": all(&strain.accelerations),
        "residual": strain.residual,
    })
}

fn report(name: &str, strain: &Strain) -> String {
    let [low, high] = strain.bounds;
    let mut text = match strain.balance {
        Balance::Balanced => format!("{name}: balancing forces exist. {CAVEAT}.\n"),
        Balance::Unbalanced if low.is_infinite() => {
            format!("{name}: unstable, however strong its contacts.\n")
        }
        Balance::Unbalanced => format!("{name}: unstable.\n"),
        Balance::Undecided(_) => format!("{name}: undecided.\n"),
    };
    if high.is_finite() {
        let _ = writeln!(
            text,
            "  utilisation {low:.4} to {high:.4}: the worst contact needs that part of its \
             strength; all loads could grow {}-fold.",
            figure(high.recip(), 3)
        );
    }
    if let Some(contact) = strain.weakest().map(|k| &strain.contacts[k]) {
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
    let _ = writeln!(text, "  {} contacts.", strain.contacts.len());
    text
}
