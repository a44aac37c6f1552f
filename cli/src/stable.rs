//! `riprap stable`: does it stand, how close is it, how does it begin to fall?

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::Path;
use std::str::FromStr;

use riprap::export::write_whole;
use riprap::math::{DVec3, RESTING_GAP};
use riprap::scene::MethodName;
use riprap::step::stable::heights::{Plank, lowest};
use riprap::step::stable::{Fate, Statics, Tilt, Tolerance, Verdict, WIDEST};
use riprap::trajectory::{Reader, start};
use riprap::world::{Model, State};
use riprap::{Problem, Result};
use riprap_pictures::{Proof, write_proof};
use riprap_viewer::{arrows, ghosts, polar_svg, verdict_svg};
use serde_json::{Value, json};

use crate::arguments::{Changes, StableOptions};
use crate::run::{figure, open};
use crate::{Done, output, print};

/// A force on a body, as in `7:0,-1`.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    body: usize,
    force: DVec3,
}

impl FromStr for Load {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let parse = || {
            let (body, force) = text.split_once(':')?;
            let force = vector(force)?;
            let usable = force.is_finite() && force != DVec3::ZERO;
            usable.then_some(Load { body: body.trim().parse().ok()?, force })
        };
        parse().ok_or_else(|| "write the number of a body and a force, for example 7:0,-1".into())
    }
}

/// A direction, as in `1,0` or `1,0,0`.
#[derive(Clone, Copy, Debug)]
pub struct Direction(DVec3);

impl FromStr for Direction {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let direction = vector(text).filter(|v| v.is_finite() && *v != DVec3::ZERO);
        direction.map(Direction).ok_or_else(|| "write a direction, for example 1,0".into())
    }
}

/// Two or three numbers with commas between them.
fn vector(text: &str) -> Option<DVec3> {
    let parts = text.split(',').map(|x| x.trim().parse::<f64>().ok());
    match parts.collect::<Option<Vec<f64>>>()?[..] {
        [x, y] => Some(DVec3::new(x, y, 0.0)),
        [x, y, z] => Some(DVec3::new(x, y, z)),
        _ => None,
    }
}

/// Directions of `--tilt`, and of the plot.
const COMPASS: usize = 16;
const FINE_COMPASS: usize = 72;

/// Looks per pixel of a rendered verdict.
const SAMPLES: u32 = 16;

/// A gap below this part of a radius is rounding.
const CLOSED: f64 = 1e-12;

/// Bodies move if one would rise by more than this part of its radius, were its speed to lift it.
const RISE: f64 = 1e-6;

/// Accelerations that are known worse than this, in units of gravity, are told so.
const KNOWN: f64 = 1e-4;

/// What was asked for besides the verdict.
struct More {
    /// There are too many bodies to ask for a critical friction.
    is_large: bool,
    /// Why there is no margin, if there is none to ask for.
    without_margin: Option<&'static str>,
    tilts: Vec<Tilt>,
    friction: Option<f64>,
    load_factor: Option<f64>,
    drop: Option<f64>,
}

pub fn stable(arguments: StableOptions) -> Result<Done> {
    for out in arguments.out.iter().chain(&arguments.polar) {
        output::check(out, arguments.force, &[Path::new(&arguments.scene)])?;
    }
    let (name, model, state) = world(&arguments)?;
    // A frame is meant as exactly as its method made it.
    let tolerance = if is_run(&arguments) { Tolerance::FRAME } else { Tolerance::START };
    let statics = Statics::within(&model, &state, tolerance)?;
    let verdict = statics.verdict();
    let more = more(&model, &state, &statics, &verdict, &arguments)?;
    if let Some(out) = &arguments.out {
        draw(out, &model, &state, &verdict)?;
    }
    print(&match arguments.json {
        true => format!("{}\n", as_json(&model, &verdict, &more, &arguments)),
        false => report(&name, &model, &state, &verdict, &more, &arguments),
    })?;
    Ok(match arguments.exit_status && !verdict.balanced {
        true => Done::Unstable,
        false => Done::Yes,
    })
}

/// Whether a run is asked about, and not a scene.
fn is_run(arguments: &StableOptions) -> bool {
    Path::new(&arguments.scene).extension().is_some_and(|ending| ending == "riprap")
}

/// The bodies of a scene as they start, or of a frame of a run.
fn world(arguments: &StableOptions) -> Result<(String, Model, State)> {
    let path = Path::new(&arguments.scene);
    if is_run(arguments) {
        if arguments.changes.method.is_some() || !arguments.changes.set.is_empty() {
            return Err(Problem::new("a run is what it is: --set and --method are for scenes"));
        }
        let reader = Reader::open(path)?;
        let last = reader.len().checked_sub(1).ok_or_else(|| {
            Problem::new("the run has no frames").help("start it again with --force").in_file(path)
        })?;
        let index = match arguments.frame.as_deref() {
            None | Some("last") => last,
            Some(number) => {
                number.parse().ok().filter(|index| *index <= last).ok_or_else(|| {
                    Problem::new(format!("`{number}` is no frame"))
                        .help(format!("give a number from 0 to {last}, or `last`"))
                })?
            }
        };
        let state = reader.frame(index)?.state;
        let model = reader.model_at(index).clone();
        return Ok((model.name.clone(), model, state));
    }
    if arguments.frame.is_some() {
        return Err(Problem::new("a scene has no frames").help("--frame is for run files"));
    }
    let mut changes =
        Changes { method: arguments.changes.method, set: arguments.changes.set.clone() };
    let made = |changes: &Changes| {
        let scene = open(&arguments.scene, changes)?;
        let (model, state) = start(&scene)?;
        Ok((scene.name.clone(), model, state))
    };
    // What the scene's own method refuses may stand all the same, and dynamics takes most.
    made(&changes).or_else(|problem| match changes.method {
        Some(_) => Err(problem),
        None => {
            changes.method = Some(MethodName::Dynamics);
            made(&changes).map_err(|_| problem)
        }
    })
}

/// A vector picture, or a rendered one.
fn draw(out: &Path, model: &Model, state: &State, verdict: &Verdict) -> Result<()> {
    match out.extension().and_then(OsStr::to_str).unwrap_or("").to_ascii_lowercase().as_str() {
        "svg" => write_whole(out, verdict_svg(model, state, verdict)),
        "png" => {
            let ghosts = (!verdict.balanced).then(|| ghosts(model, state, verdict));
            let proof = Proof { ghosts, arrows: arrows(model, verdict) };
            let options = riprap_pictures::Options { samples: SAMPLES, ..Default::default() };
            write_proof(out, model, state, &proof, &options)
        }
        _ => {
            Err(Problem::new(format!("cannot draw to {}: the ending is not known", out.display()))
                .help("a verdict is drawn as an .svg or a .png"))
        }
    }
}

fn more(
    model: &Model,
    state: &State,
    statics: &Statics,
    verdict: &Verdict,
    arguments: &StableOptions,
) -> Result<More> {
    let is_large = statics.is_large();
    let without_margin = statics.without_margin();
    let (tilts, none) = (Vec::new(), None);
    let mut more =
        More { is_large, without_margin, tilts, friction: none, load_factor: none, drop: none };
    let tilted = arguments.tilt || arguments.towards.is_some() || arguments.polar.is_some();
    if tilted && model.gravity == DVec3::ZERO {
        return Err(Problem::new("without gravity there is no tilt")
            .help("leave out --tilt, --towards and --polar"));
    }
    if let (Some(Direction(side)), true) = (arguments.towards, verdict.balanced) {
        let down = model.gravity.normalize_or_zero();
        let level = (side - down * down.dot(side)).normalize_or_zero();
        if level == DVec3::ZERO {
            return Err(Problem::new("the direction of --towards is not level")
                .help("name the side that goes down, as in --towards 1,0"));
        }
        more.tilts.push(statics.tilt(level)?);
    }
    if arguments.tilt && verdict.balanced {
        more.tilts.extend(statics.tilts(COMPASS)?);
    }
    if let Some(polar) = &arguments.polar {
        if !verdict.balanced {
            return Err(
                Problem::new("what is not balanced has no critical tilt").help("leave out --polar")
            );
        }
        write_whole(polar, polar_svg("critical tilt", &statics.tilts(FINE_COMPASS)?))?;
    }
    if !(verdict.balanced || verdict.friction || is_large) {
        more.friction = statics.critical_friction()?;
    }
    if arguments.lowest {
        more.drop = Some(lowest_drop(model, state)?);
    }
    if let Some(load) = arguments.load {
        if model.bodies.get(load.body).is_none_or(|body| !body.is_free()) {
            let message = format!("there is no body {} that can move", load.body);
            return Err(
                Problem::new(message).help("bodies are counted from 0, in the scene's order")
            );
        }
        let at = state.positions[load.body];
        let factor = statics.load_factor(load.body, at, load.force)?;
        more.load_factor = Some(if verdict.balanced { factor } else { 0.0 });
    }
    Ok(more)
}

/// The static problem of least energy: every block keeps its x.
fn lowest_drop(model: &Model, state: &State) -> Result<f64> {
    let refuse = || {
        Problem::new("the lowest heights are found for level rectangles in 2D only")
            .help("leave out --lowest")
    };
    let mut planks = Vec::new();
    for i in model.free() {
        let [piece] = &model.shape(i).pieces[..] else { return Err(refuse()) };
        let piece = piece.polytope().placed(state.positions[i], state.rotations[i]);
        let level = |side: &riprap::shape::Facet| side.normal.abs().max_element() > 1.0 - 1e-12;
        if model.dimension != 2 || piece.corners().len() != 4 || !piece.facets().iter().all(level) {
            return Err(refuse());
        }
        let (low, high) = piece
            .corners()
            .iter()
            .fold((DVec3::MAX, DVec3::MIN), |(low, high), c| (low.min(*c), high.max(*c)));
        planks.push(Plank {
            left: low.x,
            right: high.x,
            bottom: low.y,
            thickness: high.y - low.y,
            mass: model.bodies[i].mass,
        });
    }
    let floor = planks.iter().map(|p| p.bottom).fold(f64::INFINITY, f64::min);
    planks.iter_mut().for_each(|p| p.bottom -= floor);
    Ok(lowest(&planks).1 * model.gravity.length())
}

fn as_json(model: &Model, verdict: &Verdict, more: &More, arguments: &StableOptions) -> Value {
    let flat = model.dimension == 2;
    let vector = |v: DVec3| if flat { json!([v.x, v.y]) } else { json!(v.to_array()) };
    let motion = |(shift, turn): &(DVec3, DVec3)| match flat {
        true => json!([shift.x, shift.y, turn.z]),
        false => json!([shift.x, shift.y, shift.z, turn.x, turn.y, turn.z]),
    };
    let forces: Vec<Value> = verdict
        .forces
        .iter()
        .map(|f| {
            let fate = match f.fate {
                Fate::Holds => "holds",
                Fate::Slides => "slides",
                Fate::Opens => "opens",
            };
            {
                let contact = &f.contact;
                let mut value = json!({ "body": contact.body, "with": contact.with, "fate": fate });
                value["at"] = vector(contact.at[0]);
                value["force"] = vector(contact.force);
                value
            }
        })
        .collect();
    let accelerations: Vec<Value> = verdict.accelerations.iter().map(motion).collect();
    let certificate = match verdict.balanced {
        true => json!({ "kind": "forces", "forces": forces }),
        false => json!({ "kind": "mechanism", "velocities": accelerations, "forces": forces }),
    };
    let finite = |x: f64| if x.is_finite() { json!(x) } else { json!("unbounded") };
    let mut value = json!({
        "verdict": match verdict.balanced {
            // Where nothing pulls, nothing is known of standing.
            true if verdict.pulled && !verdict.friction => "stable",
            true => "balanced",
            false => "unstable",
        },
        "exact": verdict.exact,
        "pulled": verdict.pulled,
        "margin": verdict.margin,
        "margin_is_at_least": verdict.margin.map(|margin| margin >= WIDEST),
        "friction": verdict.friction,
        "touching": RESTING_GAP,
        "widest_gap": verdict.widest_gap,
        "certificate": certificate,
        "accelerations": accelerations,
        "residual": verdict.residual,
        "critical_friction": more.friction,
        "tilts": null,
        "lowest_drop": more.drop,
        "load_factor": more.load_factor.map(finite),
    });
    if arguments.tilt || arguments.towards.is_some() {
        let tilt =
            |t: &Tilt| json!({ "towards": vector(t.towards), "degrees": t.angle.to_degrees() });
        value["tilts"] = more.tilts.iter().map(tilt).collect();
    }
    value
}

/// The answer for people.
fn report(
    name: &str,
    model: &Model,
    state: &State,
    verdict: &Verdict,
    more: &More,
    arguments: &StableOptions,
) -> String {
    let mut text = String::new();
    let exactly = if verdict.exact { " (decided in exact arithmetic)" } else { "" };
    let _ = match (verdict.balanced, verdict.friction) {
        _ if !verdict.pulled => writeln!(
            text,
            "{name}: nothing pulls at its bodies: what is at rest stays so, be it held or not."
        ),
        (true, false) => writeln!(text, "{name}: it stands{exactly}."),
        (true, true) => writeln!(
            text,
            "{name}: balancing forces exist{exactly}. With friction that is necessary for \
             standing, not sufficient."
        ),
        (false, _) => writeln!(text, "{name}: unstable{exactly}: {}.", fall(model, state, verdict)),
    };
    let mut line = |words: String| {
        let _ = writeln!(text, "  {words}");
    };
    assumptions(model, state, verdict).into_iter().for_each(&mut line);
    line(margin(verdict, more));
    if verdict.balanced {
        let strongest = verdict.forces.iter().map(|f| f.contact.force.length()).fold(0.0, f64::max);
        let joints = if model.joints.is_empty() { "" } else { ", and what the joints bear" };
        if verdict.pulled {
            line(format!(
                "proof: {} contact forces, the strongest {}{joints}.",
                verdict.forces.len(),
                figure(strongest, 4)
            ));
        }
    } else {
        let count = |fate: Fate| verdict.forces.iter().filter(|f| f.fate == fate).count();
        line(format!(
            "of {} contacts {} hold, {} slide and {} open.",
            verdict.forces.len(),
            count(Fate::Holds),
            count(Fate::Slides),
            count(Fate::Opens)
        ));
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
    for tilt in &more.tilts {
        let towards = tilt.towards;
        line(format!(
            "tilted towards ({:.2}, {:.2}, {:.2}) it stands up to {:.3} degrees.",
            towards.x,
            towards.y,
            towards.z,
            tilt.angle.to_degrees()
        ));
    }
    if let Some(drop) = more.drop {
        line(format!("if nothing could move sideways, the energy could fall by {drop:.6}."));
    }
    if let (Some(factor), Some(load)) = (more.load_factor, arguments.load) {
        line(match factor.is_finite() {
            true => format!("body {} bears {factor:.4} times the load.", load.body),
            false => format!("body {} bears any multiple of the load.", load.body),
        });
    }
    if let Some(out) = &arguments.out {
        let what = if verdict.balanced { "the forces are" } else { "the mechanism is" };
        line(format!("{what} drawn in {}.", out.display()));
    }
    text
}

/// What the answer takes for granted.
fn assumptions(model: &Model, state: &State, verdict: &Verdict) -> Vec<String> {
    let mut lines = Vec::new();
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

/// How far it is from falling, or from balance, in words.
fn margin(verdict: &Verdict, more: &More) -> String {
    match (verdict.margin, more.without_margin) {
        (Some(m), _) if verdict.balanced && m < 1e-9 && !verdict.exact => {
            "margin 0 (to rounding): the least shift of a weight may fell it.".into()
        }
        (Some(m), _) if verdict.balanced && m < 1e-9 => {
            "margin 0: it is exactly balanced, the least shift of a weight may fell it.".into()
        }
        (Some(m), _) if m >= WIDEST => format!(
            "margin at least {WIDEST}: the weight of any one body may shift by {WIDEST} of its \
             widths, and no more was tried."
        ),
        (Some(m), _) if verdict.balanced => {
            format!("margin {m:.4}: the weight of any one body may shift by {m:.4} of its width.")
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
fn fall(model: &Model, state: &State, verdict: &Verdict) -> String {
    let size = model.gravity.length();
    if size == 0.0 {
        let speed = |i: usize| verdict.accelerations[i].0.length();
        let most = model.free().map(speed).fold(0.0, f64::max);
        let most = figure(most, 4);
        return format!("forces begin to move it, at {most} (lengths per time squared)");
    }
    let down = model.gravity / size;
    let drop = |i: usize| down.dot(verdict.accelerations[i].0) / size;
    let fastest = model.free().map(drop).fold(0.0, f64::max);
    if fastest < 1e-6 {
        let speed = |i: usize| verdict.accelerations[i].0.length() / size;
        let most = model.free().map(speed).fold(0.0, f64::max);
        let moves = if most < 1e-6 { "turn without sinking" } else { "slide" };
        return format!("it begins to {moves}, at {most:.4} g");
    }
    let falling: Vec<usize> = model.free().filter(|&i| drop(i) > fastest * (1.0 - 1e-6)).collect();
    let named: Vec<String> = falling
        .iter()
        .take(3)
        .map(|&i| {
            let p = state.positions[i];
            match model.dimension {
                2 => format!("{i} at ({:.2}, {:.2})", p.x, p.y),
                _ => format!("{i} at ({:.2}, {:.2}, {:.2})", p.x, p.y, p.z),
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
