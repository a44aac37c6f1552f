//! `riprap stable` of bodies whose contacts hold: how much of their strength is needed.

use std::fmt::Write;

use riprap::export::exhibit::{Exhibit, Marked, Shade};
use riprap::math::DVec3;
use riprap::step::stable::{Balance, HeldContact, Statics, Strain, Tolerance};
use riprap::world::{Contact, Model, State};
use riprap::{Problem, Result};
use serde_json::{Value, json};

use crate::arguments::StableOptions;
use crate::bricks::{counted, reserve, word};
use crate::run::figure;
use crate::show::Told;
use crate::stable::{Known, More, more};
use crate::verdict::{
    add_asked, asked, called, fall, ground_in_words, loads_in_words, motion_json,
};
use crate::{Done, print, show};

/// What "balanced" leaves open.
const CAVEAT: &str = "Balancing forces are necessary for standing with friction, not sufficient";

/// Answers for bodies of which some contact has a strength.
pub fn answer(
    arguments: &StableOptions,
    name: &str,
    (model, state): (&Model, &State),
    statics: &Statics,
    (said, tolerance): (More, Tolerance),
) -> Result<Done> {
    refuse(arguments)?;
    let strain = statics.strain()?;
    let known = Known { balance: strain.balance, friction: true };
    let mut more = more(name, (model, state), statics, known, arguments)?;
    (more.about, more.down) = (said.about, said.down);
    more.ask((model, state), statics, known, tolerance, arguments)?;
    let mut answer = as_json(&strain, model.dimension == 2);
    add_asked(&mut answer, model, &more, arguments);
    let mut words = report(name, (model, state), &strain, &more, arguments);
    if let Some(out) = &arguments.out {
        let plot = more.plot(name);
        let told = Told { name, words: &words, answer: &answer, plot: plot.as_deref() };
        let mut there = model.clone();
        there.take_out(|body| arguments.without == Some(body as u32));
        show::write(out, &exhibit((&there, state), &strain), &told, arguments)?;
        let _ = writeln!(words, "  {}", show::in_words(out, strain.balance, false));
    }
    print(&if arguments.json { format!("{answer}\n") } else { words })?;
    Ok(match strain.balance {
        _ if !arguments.exit_status => Done::Yes,
        Balance::Balanced => Done::Yes,
        Balance::Unbalanced => Done::Unstable,
        Balance::Undecided(_) => Done::Undecided,
    })
}

/// What is not asked of contacts that hold.
fn refuse(arguments: &StableOptions) -> Result<()> {
    let idle = [
        ("--lowest", arguments.lowest, "it is for level blocks without friction"),
        (
            "--tolerance",
            arguments.tolerance.is_some(),
            "whether a verdict holds for all placements is proved of contacts that press only",
        ),
        (
            "--consistent",
            arguments.consistent,
            "it asks what makes contacts press, and these hold by themselves",
        ),
    ];
    match idle.iter().find(|(_, is_given, _)| *is_given) {
        None => Ok(()),
        Some((option, _, reason)) => {
            Err(Problem::new(format!("{option} is not for contacts with `strengths`: {reason}"))
                .help(format!("leave out {option}, or the [[strengths]]")))
        }
    }
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
        "floating": strain.floating,
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

fn report(
    name: &str,
    (model, state): (&Model, &State),
    strain: &Strain,
    more: &More,
    arguments: &StableOptions,
) -> String {
    let [low, high] = strain.bounds;
    let falls = || fall(model, state, (&strain.accelerations, &[]), more.down);
    let mut text = match strain.balance {
        Balance::Balanced => format!("{name}: balancing forces exist. {CAVEAT}.\n"),
        Balance::Unbalanced if low.is_infinite() => format!(
            "{name}: unstable, whatever multiple of their strengths its contacts had: {}.\n",
            falls()
        ),
        Balance::Unbalanced => format!("{name}: unstable: {}.\n", falls()),
        Balance::Undecided(_) if high.is_infinite() => format!(
            "{name}: undecided: whether any strength would do is not found, by a hair of the friction.\n"
        ),
        Balance::Undecided(_) => {
            format!("{name}: undecided: what is needed is what there is, up to a hair.\n")
        }
    };
    if !more.about.is_empty() {
        let _ = writeln!(text, "  {}", more.about);
    }
    if let [first, ..] = strain.floating[..] {
        let _ = writeln!(
            text,
            "  {}, the first of them {}: no contact joins {} to what is fixed.",
            match strain.floating.len() {
                1 => "1 body hangs in the air".into(),
                count => format!("{count} bodies hang in the air"),
            },
            called(model, first),
            if strain.floating.len() == 1 { "it" } else { "them" }
        );
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
        let name = |body: Option<u32>| match body {
            Some(body) => format!("body {}", called(model, body as usize)),
            None => "the container".into(),
        };
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
    let mut lines: Vec<String> =
        more.ground.iter().map(|ground| ground_in_words(ground, true)).collect();
    lines.extend(asked(model, strain.balance, more, arguments));
    lines.extend(loads_in_words("body", &more.load_factors, model, arguments));
    lines.iter().for_each(|line| _ = writeln!(text, "  {line}"));
    text
}

/// A number that is known between two.
fn between(low: f64, high: f64) -> String {
    let [low, high] = [low, high].map(|x| format!("{x:.4}"));
    if low == high { low } else { format!("{low} to {high}") }
}
