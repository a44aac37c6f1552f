//! What `riprap stable` says: for people, and as JSON.

use std::fmt::Write;

use riprap::math::{DVec3, RESTING_GAP};
use riprap::step::stable::{
    Balance, Consistency, Fate, Ground, HeldContact, NO_MARGIN, Placements, Reaction, SHAKEN, Tilt,
    Verdict, WIDEST,
};
use riprap::world::{Model, State};
use serde_json::{Value, json};

use crate::arguments::StableOptions;
use crate::run::figure;
use crate::stable::{Length, Load, More};
use crate::what_if::{
    falls_in_words, falls_json, friction_in_words, is_upright, plain, stages_in_words, stages_json,
    table,
};

/// Said where a load is asked about that has to be there for anything to stand, if at all.
const LOAD_OF_WHAT_FALLS: &str =
    "without the load it is not balanced, so that no largest multiple of it is told.";

/// A gap below this part of a radius is rounding.
const CLOSED: f64 = 1e-12;

/// Bodies move if one would rise by more than this part of its radius, were its speed to lift it.
const RISE: f64 = 1e-6;

/// Accelerations that are known worse than this, in units of gravity, are told so.
const KNOWN: f64 = 1e-4;

/// What sinks by less than this part of gravity does not sink, and a way of moving that is slower than
/// this part of the fastest is none.
const SINKS: f64 = 1e-6;
/// What sinks with less than this part of how fast the fastest moves slides or tips, and does not drop.
const DROPS: f64 = 0.05;
const MOVES: f64 = 1e-3;

/// A velocity and a spin, or an acceleration and its like.
pub(crate) fn motion_json((shift, turn): &(DVec3, DVec3), flat: bool) -> Value {
    match flat {
        true => json!([shift.x, shift.y, turn.z]),
        false => json!([shift.x, shift.y, shift.z, turn.x, turn.y, turn.z]),
    }
}

fn forces_json(verdict: &Verdict, flat: bool) -> Vec<Value> {
    let vector = |v: DVec3| if flat { json!([v.x, v.y]) } else { json!(v.to_array()) };
    let force = |f: &Reaction| {
        let fate = match f.fate {
            Fate::Holds => "holds",
            Fate::Slides => "slides",
            Fate::Opens => "opens",
        };
        let contact = &f.contact;
        let mut value = json!({ "body": contact.body, "with": contact.with, "fate": fate });
        value["at"] = vector(contact.at[0]);
        value["force"] = vector(contact.force);
        value
    };
    verdict.forces.iter().map(force).collect()
}

/// The answer for programs.
pub(crate) fn as_json(
    model: &Model,
    verdict: &Verdict,
    contacts: &[HeldContact],
    more: &More,
    arguments: &StableOptions,
) -> Value {
    let flat = model.dimension == 2;
    let vector = |v: DVec3| if flat { json!([v.x, v.y]) } else { json!(v.to_array()) };
    let forces = forces_json(verdict, flat);
    let contacts: Vec<Value> = contacts
        .iter()
        .map(|contact| {
            json!({
                "bodies": contact.bodies,
                "normal": vector(contact.normal),
                "points": contact.points,
                "area": contact.area,
                "force": vector(contact.force),
            })
        })
        .collect();
    let accelerations: Vec<Value> =
        verdict.accelerations.iter().map(|motion| motion_json(motion, flat)).collect();
    let certificate = match verdict.balance {
        Balance::Balanced => json!({ "kind": "forces", "forces": forces }),
        Balance::Unbalanced => {
            json!({ "kind": "mechanism", "velocities": accelerations, "forces": forces })
        }
        Balance::Undecided(_) => json!(null),
    };
    let finite = |x: f64| if x.is_finite() { json!(x) } else { json!("unbounded") };
    let mut value = json!({
        "verdict": match verdict.balance {
            Balance::Balanced if verdict.stands => "stable",
            Balance::Balanced => "balanced",
            Balance::Unbalanced => "unstable",
            Balance::Undecided(_) => "undecided",
        },
        "caveat": caveat(verdict),
        "about": more.about,
        "exact": verdict.exact,
        "friction_factors": match verdict.balance {
            Balance::Undecided(factors) => json!(factors),
            _ => json!(null),
        },
        "pulled": verdict.pulled,
        "margin": verdict.margin,
        "margin_is_at_least": verdict.margin.map(|margin| margin >= WIDEST),
        "friction": verdict.friction,
        "touching": RESTING_GAP,
        "widest_gap": verdict.widest_gap,
        "certificate": certificate,
        "contacts": contacts,
        "contact_forces_are": match (verdict.balance, &more.shown) {
            (Balance::Balanced, Some(_)) => "of the least sum of squares",
            (Balance::Balanced, None) => "of the proof",
            _ => "of the first moment",
        },
        "accelerations": accelerations,
        "residual": verdict.residual,
        "critical_friction": more.friction,
        "tilts": null,
        "lowest_drop": more.lowest.as_ref().map(|lowest| lowest.drop),
        "load_factor": more.load_factors.first().copied().flatten().map(finite),
        "load_factors": load_factors(&more.load_factors, arguments),
        "ground": more.ground.as_ref().map(|ground| ground_json(ground, flat)),
        "names": names(model),
        "margin_bounds": verdict.margin_bounds,
        "tolerance": arguments.tolerance.map(|Length(length)| length),
        "holds_within": match more.placements {
            Some(Placements::Within(length)) => json!(length),
            _ => json!(null),
        },
        "elastic_forces": more.elastic.as_ref().map(|forces| {
            forces.iter().map(|force| vector(*force)).collect::<Vec<_>>()
        }),
        "contact_force": more.extremes.map(|(contact, extremes)| json!({
            "contact": contact, "range": extremes.map(|range| range.map(finite))
        })),
        "consistent": more.consistency.map(|consistency| match consistency {
            Consistency::Found => "yes",
            Consistency::Missing => "no",
            Consistency::Open => "undecided",
        }),
        "falls": falls_json(&more.falls),
        "order": more.stages.as_ref().map(|stages| stages_json(stages)),
    });
    if arguments.tilt || arguments.towards.is_some() || arguments.what_if {
        value["tilts"] = tilts_json(&more.tilts, &more.borne, flat);
    }
    value
}

/// Tilts, and the accelerations of the ground that push to the same sides: their tangents, unless what holds
/// by its strength bears others.
pub(crate) fn tilts_json(tilts: &[Tilt], borne: &[f64], flat: bool) -> Value {
    let vector = |v: DVec3| if flat { json!([v.x, v.y]) } else { json!(v.to_array()) };
    let tilt = |(k, t): (usize, &Tilt)| {
        let most = match borne.get(k) {
            Some(most) => *most,
            None if is_upright(t) => f64::INFINITY,
            None => t.angle.tan(),
        };
        json!({
            "towards": vector(t.towards),
            "degrees": t.angle.to_degrees(),
            "ground": match most.is_infinite() {
                true => json!("unbounded"),
                false => vector(-t.towards * most),
            },
        })
    };
    tilts.iter().enumerate().map(tilt).collect()
}

/// What was asked of contacts that hold, besides how much of their strength they need.
pub(crate) fn add_asked(value: &mut Value, model: &Model, more: &More, arguments: &StableOptions) {
    let flat = model.dimension == 2;
    let vector = |v: DVec3| if flat { json!([v.x, v.y]) } else { json!(v.to_array()) };
    let finite = |x: f64| if x.is_finite() { json!(x) } else { json!("unbounded") };
    value["about"] = json!(more.about);
    value["names"] = names(model);
    value["ground"] = json!(more.ground.as_ref().map(|ground| ground_json(ground, flat)));
    value["load_factor"] = json!(more.load_factors.first().copied().flatten().map(finite));
    value["load_factors"] = load_factors(&more.load_factors, arguments);
    value["critical_friction"] = json!(more.friction);
    value["tilts"] = tilts_json(&more.tilts, &more.borne, flat);
    value["falls"] = falls_json(&more.falls);
    value["order"] = json!(more.stages.as_ref().map(|stages| stages_json(stages)));
    value["elastic_forces"] = json!(
        more.elastic
            .as_ref()
            .map(|forces| { forces.iter().map(|force| vector(*force)).collect::<Vec<_>>() })
    );
    value["contact_force"] = json!(more.extremes.map(|(contact, extremes)| json!({
        "contact": contact, "range": extremes.map(|range| range.map(finite))
    })));
}

/// The answer for people.
pub(crate) fn report(
    name: &str,
    model: &Model,
    state: &State,
    verdict: &Verdict,
    more: &More,
    arguments: &StableOptions,
) -> String {
    let mut text = String::new();
    let exactly = if verdict.exact { " (decided in exact arithmetic)" } else { "" };
    let _ = match (verdict.balance, caveat(verdict)) {
        _ if !verdict.pulled => writeln!(
            text,
            "{name}: nothing pulls at its bodies: what is at rest stays so, be it held or not."
        ),
        (Balance::Balanced, None) => writeln!(text, "{name}: it stands{exactly}."),
        (Balance::Balanced, Some(caveat)) if !verdict.friction => {
            let none = if has_no_margin(verdict) { " (margin 0)" } else { "" };
            writeln!(text, "{name}: balanced{none}{exactly}. {caveat}.")
        }
        (Balance::Balanced, Some(caveat)) => {
            writeln!(text, "{name}: balancing forces exist{exactly}. {caveat}.")
        }
        (Balance::Unbalanced, _) => {
            writeln!(text, "{name}: unstable{exactly}: {}.", {
                let motion = (&verdict.accelerations[..], &verdict.forces[..]);
                fall(model, state, motion, more.down)
            })
        }
        (Balance::Undecided([low, high]), _) => writeln!(
            text,
            "{name}: undecided: the friction with which balancing forces begin to exist is \
             {low:.7} to {high:.7} times what there is."
        ),
    };
    let mut line = |words: String| {
        let _ = writeln!(text, "  {words}");
    };
    if !more.about.is_empty() {
        line(more.about.clone());
    }
    assumptions(model, state, verdict).into_iter().for_each(&mut line);
    line(margin(verdict, more));
    line_of_ground(more).into_iter().for_each(&mut line);
    if verdict.is_balanced() {
        if verdict.pulled {
            line(proof(model, verdict, more));
        }
    } else if verdict.is_unbalanced() {
        let count = |fate: Fate| verdict.forces.iter().filter(|f| f.fate == fate).count();
        line(match verdict.forces.len() {
            0 => "nothing touches.".into(),
            all => format!(
                "of {all} contacts {} hold, {} slide and {} open.",
                count(Fate::Holds),
                count(Fate::Slides),
                count(Fate::Opens)
            ),
        });
        if verdict.residual > KNOWN {
            line(format!("its motion is known to {:.0e} of gravity only.", verdict.residual));
        }
        match more.friction {
            Some(friction) => {
                line(format!("balancing forces would exist with friction from {friction:.4} on."))
            }
            None if !(verdict.friction || more.is_large) => {
                line("no friction would balance it.".into());
            }
            None => {}
        }
    }
    asked(model, verdict.balance, more, arguments).into_iter().for_each(&mut line);
    if let Some(lowest) = &more.lowest {
        let drop = lowest.drop;
        line(format!("if nothing could move sideways, the energy could fall by {drop:.6}."));
    }
    loads_in_words("body", &more.load_factors, model, arguments).into_iter().for_each(&mut line);
    text
}

/// What bodies bear besides their weights, each load by itself.
pub(crate) fn loads_in_words(
    noun: &str,
    factors: &[Option<f64>],
    model: &Model,
    arguments: &StableOptions,
) -> Vec<String> {
    let told = |(load, factor): (&Load, &Option<f64>)| {
        let name = called(model, load.body);
        let load = match factors.len() {
            1 => "the load".to_string(),
            _ => format!("the load ({}, {}, {})", load.force.x, load.force.y, load.force.z),
        };
        match factor {
            None => LOAD_OF_WHAT_FALLS.into(),
            Some(factor) if factor.is_finite() => {
                format!("{noun} {name} bears {} times {load}.", figure(*factor, 5))
            }
            Some(_) => format!("{noun} {name} bears any multiple of {load}."),
        }
    };
    arguments.load.iter().zip(factors).map(told).collect()
}

/// The same for programs.
pub(crate) fn load_factors(factors: &[Option<f64>], arguments: &StableOptions) -> Value {
    let told = |(load, factor): (&Load, &Option<f64>)| {
        json!({
            "body": load.body,
            "force": load.force.to_array(),
            "factor": factor.map(|x| if x.is_finite() { json!(x) } else { json!("unbounded") }),
        })
    };
    arguments.load.iter().zip(factors).map(told).collect()
}

/// A body by its number, and by its name if it has one of its own.
pub(crate) fn called(model: &Model, body: usize) -> String {
    match name_of(model, body) {
        Some(name) => format!("{body} ({name})"),
        None => body.to_string(),
    }
}

/// Groups of bodies that nobody named.
const UNNAMED: [&str; 3] = ["", "bodies", "boxes"];

/// The name of a group of one body is that of the body, where there are others.
fn name_of(model: &Model, body: usize) -> Option<&str> {
    let group = model.bodies.get(body)?.group;
    let count = model.bodies.iter().filter(|other| other.group == group).count();
    let name = model.groups.get(group as usize)?.as_str();
    (count == 1 && model.groups.len() > 1 && !UNNAMED.contains(&name)).then_some(name)
}

/// The names of all bodies; null where no body has one of its own.
pub(crate) fn names(model: &Model) -> Value {
    let all: Vec<Option<&str>> = (0..model.bodies.len()).map(|i| name_of(model, i)).collect();
    match all.iter().any(Option::is_some) {
        true => json!(all),
        false => json!(null),
    }
}

/// Which acceleration of the ground takes the balance.
pub(crate) fn ground_json(ground: &Ground, flat: bool) -> Value {
    let [x, y, z] = ground.towards.to_array();
    json!({
        "acceleration": ground.bounds[0],
        "bounds": ground.bounds,
        "is_at_least": ground.bounds[0] >= SHAKEN,
        "pushed_towards": if flat { json!([x, y]) } else { json!([x, y, z]) },
    })
}

/// The same in words; what holds by friction and shape alone also bears that tilt.
pub(crate) fn ground_in_words(ground: &Ground, is_held: bool) -> String {
    let [low, high] = ground.bounds;
    if low >= SHAKEN {
        return format!(
            "the ground may accelerate by {SHAKEN} g in any level direction, and more."
        );
    }
    if high < NO_MARGIN {
        return "the least acceleration of the ground takes the balance.".into();
    }
    let told = |[low, high]: [f64; 2], digits: usize| {
        let [low, high] = [low, high].map(|x| format!("{x:.digits$}"));
        if low == high { low } else { format!("{low} to {high}") }
    };
    let tilt = match is_held {
        true => String::new(),
        false => {
            let angles = [low, high].map(|x| x.atan().to_degrees());
            format!(", or tilt by {} degrees to any side", told(angles, 2))
        }
    };
    let t = plain(ground.towards);
    format!(
        "the ground may accelerate by {} g in any level direction{tilt}; beyond, what is pushed towards \
         ({:.2}, {:.2}, {:.2}) is the first to give way.",
        told([low, high], 4),
        t.x,
        t.y,
        t.z
    )
}

fn line_of_ground(more: &More) -> Option<String> {
    more.ground.as_ref().map(|ground| ground_in_words(ground, false))
}

/// The forces that balance all, in words.
fn proof(model: &Model, verdict: &Verdict, more: &More) -> String {
    let strongest = verdict.forces.iter().map(|f| f.contact.force.length()).fold(0.0, f64::max);
    let (count, strongest) = (verdict.forces.len(), figure(strongest, 4));
    let joints = if model.joints.is_empty() { "" } else { ", and what the joints bear" };
    match &more.shown {
        Some(_) => format!(
            "proof: {count} contact forces; those of the least sum of squares are at most {strongest} at a \
             point{joints}."
        ),
        None => format!("proof: {count} contact forces, the strongest {strongest}{joints}."),
    }
}

/// What was asked for besides, in words.
pub(crate) fn asked(
    model: &Model,
    balance: Balance,
    more: &More,
    arguments: &StableOptions,
) -> Vec<String> {
    let is_balanced = balance == Balance::Balanced;
    let mut lines = Vec::new();
    if let Some(words) = placements(more, arguments) {
        lines.push(words);
    }
    if let Some((contact, range)) = more.extremes {
        lines.push(match range {
            Some([low, high]) if high.is_infinite() => format!(
                "contact {contact} presses with {} at least, and as strongly as one likes.",
                figure(low, 4)
            ),
            Some([low, high]) => format!(
                "contact {contact} presses with {} to {}, over all forces that balance the loads.",
                figure(low, 4),
                figure(high, 4)
            ),
            None => format!("contact {contact}: no forces balance the loads."),
        });
    }
    lines.extend(more.consistency.map(|consistency| consistency_in_words(consistency).into()));
    if arguments.elastic && more.shown.is_none() {
        lines.push("there are no forces of a least sum of squares.".into());
    }
    let asks_limits = arguments.what_if || arguments.tilt || arguments.towards.is_some();
    if asks_limits && !is_balanced {
        lines.push(
            "what is not balanced has no tilt and no acceleration at which it lets go.".into(),
        );
    }
    if arguments.what_if && is_balanced {
        lines.extend(table(&more.tilts, &more.borne));
        lines.push(friction_in_words(more.friction));
    }
    lines.extend(falls_in_words(model, &more.falls));
    lines.extend(more.stages.iter().flat_map(|stages| stages_in_words(model, stages)));
    for tilt in more.tilts.iter().filter(|_| !arguments.what_if) {
        let towards = plain(tilt.towards);
        lines.push(format!(
            "tilted towards ({:.2}, {:.2}, {:.2}) it stands up to {:.3} degrees.",
            towards.x,
            towards.y,
            towards.z,
            tilt.angle.to_degrees()
        ));
    }
    lines
}

fn consistency_in_words(consistency: Consistency) -> &'static str {
    match consistency {
        Consistency::Found => {
            "the forces can come about: a small displacement makes contacts overlap just where they press."
        }
        Consistency::Missing => {
            "the forces cannot come about: no displacement makes contacts overlap just where they would \
             have to press; it stands only if something wedged it."
        }
        Consistency::Open => {
            "whether the forces can come about is not decided: too many sets of contacts."
        }
    }
}

/// For which placements the verdict holds, in words.
fn placements(more: &More, arguments: &StableOptions) -> Option<String> {
    let Length(tolerance) = arguments.tolerance?;
    Some(match more.placements? {
        Placements::Within(length) if length >= tolerance => format!(
            "the verdict holds for every placement within {tolerance:.1e}: contacts moved by as much, \
             normals turned by as much over the smaller radius (it is proved up to {length:.1e})."
        ),
        Placements::Within(length) => format!(
            "the verdict is not proved for every placement within {tolerance:.1e}, only within \
             {length:.1e}."
        ),
        Placements::Unproved => {
            format!("the verdict is not proved for every placement within {tolerance:.1e}.")
        }
        Placements::Unasked => {
            "whether the verdict holds for every placement within the tolerance \
                                is not asked: joints, or too many bodies."
                .into()
        }
    })
}

/// What the answer takes for granted.
fn assumptions(model: &Model, state: &State, verdict: &Verdict) -> Vec<String> {
    let mut lines = Vec::new();
    if model.bodies.iter().all(|body| body.is_free()) && model.boundary.faces().is_empty() {
        lines.push("nothing is fixed: supports are named by --fixed, as in --fixed 0,1.".into());
    }
    if let Some(gap) = verdict.widest_gap.filter(|gap| *gap > CLOSED) {
        lines.push(format!(
            "contacts up to {RESTING_GAP:.0e} of a radius apart count; the widest is {gap:.1e}."
        ));
    }
    if model.joints.iter().any(|joint| joint.motor.is_some()) {
        lines.push("motors are taken to hold their joints still, as hard as they can.".into());
    }
    let gravity = model.gravity.length();
    let moves = |i: usize| {
        let radius = model.bodies[i].radius;
        let speed = state.velocities[i].length() + state.spins[i].length() * radius;
        0.5 * speed * speed > RISE * gravity * radius
    };
    if model.free().any(moves) {
        lines.push("bodies are moving: the answer is as if they were at rest here.".into());
    }
    lines
}

/// What "balanced" leaves open.
fn caveat(verdict: &Verdict) -> Option<&'static str> {
    match verdict.balance {
        Balance::Balanced if verdict.friction => {
            Some("With friction that is necessary for standing, not sufficient")
        }
        Balance::Balanced if verdict.stands || !verdict.pulled => None,
        Balance::Balanced if has_no_margin(verdict) => Some(
            "Forces balance it as it is, which is not standing: a ball in a groove stays and a cube on its \
             edge does not, and both have no margin",
        ),
        Balance::Balanced => Some(
            "Forces balance it, and no margin proves that it stands: round bodies, slanted forces, joints, \
             springs or too many bodies",
        ),
        _ => None,
    }
}

fn has_no_margin(verdict: &Verdict) -> bool {
    verdict.margin.is_some_and(|margin| margin < NO_MARGIN)
}

/// How far it is from falling, or from balance, in words.
fn margin(verdict: &Verdict, more: &More) -> String {
    let undecided = verdict.margin_bounds.filter(|[low, high]| high - low > 1e-4);
    match (verdict.margin, more.without_margin) {
        _ if matches!(verdict.balance, Balance::Undecided(_)) => {
            "what is neither balanced nor falling has no margin.".into()
        }
        (Some(m), _) if verdict.is_balanced() && m < NO_MARGIN && undecided.is_none() => {
            let exactly = if verdict.exact { ": it is exactly balanced" } else { " (to rounding)" };
            format!("margin 0{exactly}, the least shift of a weight may fell it.")
        }
        (Some(m), _) if m >= WIDEST => format!(
            "margin at least {WIDEST}: the weight of any one body may shift by {WIDEST} of its \
             widths in any level direction, and more does not count."
        ),
        (Some(m), _) if undecided.is_some() => {
            let [_, high] = undecided.unwrap_or([m; 2]);
            format!(
                "margin between {m:.4} and {high:.4}: the weight of any one body may shift by {m:.4} \
                 of its width in any level direction."
            )
        }
        (Some(m), _) if verdict.is_balanced() => {
            format!(
                "margin {m:.4}: the weight of any one body may shift by {m:.4} of its width in any \
                 level direction."
            )
        }
        (Some(m), _) => format!(
            "margin {m:.4}: weights would have to shift by up to {:.4} of a width to balance it.",
            -m
        ),
        (None, Some(reason)) => format!("{reason}."),
        (None, None) => "no shift of the bodies' weights would balance it.".into(),
    }
}

/// Which bodies go where: "body 10 and 1 other drop at 0.241 g, ...".
pub(crate) fn fall(
    model: &Model,
    state: &State,
    (accelerations, forces): (&[(DVec3, DVec3)], &[Reaction]),
    down: DVec3,
) -> String {
    let size = model.gravity.length();
    if size == 0.0 {
        let speed = |i: usize| accelerations[i].0.length();
        let most = model.free().map(speed).fold(0.0, f64::max);
        let most = figure(most, 4);
        return format!("forces begin to move it, at {most} (lengths per time squared)");
    }
    // On ground that accelerates what pulls is aslant, and what slides along the ground does not drop.
    let down = down.normalize_or_zero();
    let drop = |i: usize| down.dot(accelerations[i].0) / size;
    let fastest = model.free().map(drop).fold(0.0, f64::max);
    let most = model.free().map(|i| accelerations[i].0.length() / size);
    let most = most.fold(0.0, f64::max);
    if fastest < SINKS.max(DROPS * most) {
        return format!("it begins to {}, at {most:.4} g", ways(model, accelerations, forces));
    }
    let falling: Vec<usize> = model.free().filter(|&i| drop(i) > fastest * (1.0 - 1e-6)).collect();
    let named: Vec<String> = falling
        .iter()
        .take(3)
        .map(|&i| {
            let (p, name) = (state.positions[i], called(model, i));
            match model.dimension {
                2 => format!("{name} at ({:.2}, {:.2})", p.x, p.y),
                _ => format!("{name} at ({:.2}, {:.2}, {:.2})", p.x, p.y, p.z),
            }
        })
        .collect();
    let others = match falling.len().saturating_sub(3) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let (noun, verb) = if falling.len() == 1 { ("body", "drops") } else { ("bodies", "drop") };
    let freely = if (fastest - 1.0).abs() < 1e-9 { ": free fall" } else { "" };
    if let Some(row) = outer_of_row(model, state, &falling) {
        return format!("the outer blocks of row {row} {verb} at {fastest:.4} g{freely}");
    }
    format!("the {noun} {}{others} {verb} at {fastest:.4} g{freely}", named.join(", "))
}

/// How bodies begin to move that do not sink: tip about a level axis, turn about another, slide along
/// what they touch.
fn ways(model: &Model, accelerations: &[(DVec3, DVec3)], forces: &[Reaction]) -> String {
    let down = model.gravity.normalize_or_zero();
    let speed = |i: usize| {
        let (shift, turn) = accelerations[i];
        let upright = down.dot(turn).abs() * model.bodies[i].radius;
        [
            shift.length(),
            turn.reject_from_normalized(down).length() * model.bodies[i].radius,
            upright,
        ]
    };
    let most: Vec<f64> =
        (0..3).map(|k| model.free().map(|i| speed(i)[k]).fold(0.0, f64::max)).collect();
    let fastest = most.iter().fold(0.0, |a: f64, b| a.max(*b));
    let slides = forces.iter().any(|force| force.fate == Fate::Slides);
    let has = |k: usize| most[k] > MOVES * fastest;
    let ways = [(has(1), "tip"), (has(2) && !has(1), "turn"), (slides, "slide")];
    let ways: Vec<&str> = ways.iter().filter(|(is_so, _)| *is_so).map(|(_, way)| *way).collect();
    if ways.is_empty() { "move".into() } else { ways.join(" and ") }
}

/// The row, counted from the ground, whose two ends these blocks are.
fn outer_of_row(model: &Model, state: &State, falling: &[usize]) -> Option<usize> {
    let &[one, two] = falling else { return None };
    let down = model.gravity.normalize_or_zero();
    let side = if model.dimension == 2 { DVec3::new(-down.y, down.x, 0.0) } else { return None };
    let level = |i: usize| -down.dot(state.positions[i]);
    let along = |i: usize| side.dot(state.positions[i]);
    let near = 1e-6 * model.bodies[one].radius;
    let row: Vec<f64> =
        model.free().filter(|&i| (level(i) - level(one)).abs() < near).map(along).collect();
    let ends = [one, two].map(along);
    let inside = row.iter().filter(|x| **x > ends[0].min(ends[1]) && **x < ends[0].max(ends[1]));
    if (level(one) - level(two)).abs() > near || row.len() < 3 || inside.count() + 2 != row.len() {
        return None;
    }
    let mut levels: Vec<f64> = model.free().map(level).filter(|l| *l < level(one) - near).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup_by(|a, b| (*a - *b).abs() < near);
    Some(levels.len() + 1)
}
