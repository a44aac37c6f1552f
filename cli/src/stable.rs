//! `riprap stable`: does it stand, how close is it, how does it begin to fall?

use std::path::Path;
use std::str::FromStr;

use riprap::export::write_whole;
use riprap::math::DVec3;
use riprap::scene::MethodName;
use riprap::step::stable::heights::{Plank, lowest};
use riprap::step::stable::{
    Balance, Consistency, Ground, Placements, Stage, Statics, Tilt, Tolerance,
};
use riprap::trajectory::{Reader, start};
use riprap::world::{Model, Motion, State};
use riprap::{Problem, Result};
use riprap_viewer::{lowest_svg, polar_svg};

use crate::arguments::{Changes, StableOptions};
use crate::run::{figure, open};
use crate::show::Told;
use crate::verdict::{as_json, report};
use crate::what_if::{Falls, falls};
use crate::{Done, assembly, bricks, output, print, show, strain};

/// A force on a body, as in `7:0,-1`.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub body: usize,
    pub force: DVec3,
    /// Where, if not at the centre of mass.
    pub at: Option<DVec3>,
}

impl FromStr for Load {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let parse = || {
            let (body, force) = text.split_once(':')?;
            let (force, at) = match force.split_once('@') {
                Some((force, at)) => (force, Some(vector(at).filter(|at| at.is_finite())?)),
                None => (force, None),
            };
            let force = vector(force)?;
            let usable = force.is_finite() && force != DVec3::ZERO;
            usable.then_some(Load { body: body.trim().parse().ok()?, force, at })
        };
        parse().ok_or_else(|| "write the number of a body and a force, for example 7:0,-1".into())
    }
}

/// A direction, as in `1,0` or `1,0,0`.
#[derive(Clone, Copy, Debug)]
pub struct Direction(pub DVec3);

impl FromStr for Direction {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let direction = vector(text).filter(|v| v.is_finite() && *v != DVec3::ZERO);
        direction.map(Direction).ok_or_else(|| "write a direction, for example 1,0".into())
    }
}

/// A positive length.
#[derive(Clone, Copy, Debug)]
pub struct Length(pub f64);

impl FromStr for Length {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let length = text.trim().parse().ok().filter(|x: &f64| *x > 0.0 && x.is_finite());
        length.map(Length).ok_or_else(|| "write a positive length, for example 1e-6".into())
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
pub(crate) const COMPASS: usize = 16;
const FINE_COMPASS: usize = 72;

/// The friction that so many bodies need is told without being asked for.
const FEW: usize = 20;

/// What was asked for besides the verdict.
#[derive(Default)]
pub(crate) struct More {
    /// What a file of another program was taken for.
    pub about: String,
    /// Where things drop to: along gravity, whatever the ground does.
    pub down: DVec3,
    /// There are too many bodies to ask for a critical friction.
    pub is_large: bool,
    /// Why there is no margin, if there is none to ask for.
    pub without_margin: Option<&'static str>,
    pub tilts: Vec<Tilt>,
    /// For every tilt the acceleration that pushes to that side, if it is not the tangent.
    pub borne: Vec<f64>,
    pub friction: Option<f64>,
    /// Of every load; none of what is not balanced without it.
    pub load_factors: Vec<Option<f64>>,
    /// The acceleration of the ground that takes the balance.
    pub ground: Option<Ground>,
    pub lowest: Option<Lowest>,
    /// For which placements the verdict holds.
    pub placements: Option<Placements>,
    /// At every touch, the forces of the least sum of squares: if asked for, and those to be shown.
    pub elastic: Option<Vec<DVec3>>,
    pub shown: Option<Vec<DVec3>>,
    /// The contact that was asked for, and the least and the greatest force there.
    pub extremes: Option<(usize, Option<[f64; 2]>)>,
    /// Whether balancing forces can come about.
    pub consistency: Option<Consistency>,
    pub falls: Vec<Falls>,
    pub stages: Option<Vec<Stage>>,
}

/// What is known of the bodies before more is asked.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub balance: Balance,
    pub friction: bool,
}

impl Known {
    fn is_balanced(self) -> bool {
        self.balance == Balance::Balanced
    }
}

impl More {
    /// What is asked of any bodies.
    pub fn ask(
        &mut self,
        (model, state): (&Model, &State),
        statics: &Statics,
        known: Known,
        tolerance: Tolerance,
        arguments: &StableOptions,
    ) -> Result<()> {
        let is_pulled = statics.is_pulled();
        if known.is_balanced() && is_pulled && arguments.acceleration.is_none() {
            self.ground = statics.ground();
        }
        if arguments.tolerance.is_some() {
            self.placements = Some(statics.placements(known.balance));
        }
        if arguments.elastic {
            self.elastic = statics.elastic_forces();
        }
        // Of all forces that balance, those are shown that are unique.
        let is_drawn = arguments.out.is_some() && !arguments.lowest;
        if known.is_balanced() && is_pulled && (is_drawn || !self.is_large) {
            self.shown = self.elastic.clone().or_else(|| statics.elastic_forces());
        }
        if let Some(contact) = arguments.contact {
            let count = statics.contacts(&[]).0.len();
            if contact >= count {
                let message = format!("there is no contact {contact}");
                return Err(Problem::new(message)
                    .help(format!("--json lists the {count} contacts, counted from 0")));
            }
            self.extremes = Some((contact, statics.extreme_forces(contact)));
        }
        if arguments.consistent && known.is_balanced() {
            self.consistency = Some(statics.consistency()?);
        }
        if arguments.what_if && known.is_balanced() && model.gravity != DVec3::ZERO {
            self.tilts = statics.tilts(COMPASS)?;
            self.friction = statics.critical_friction()?;
            if statics.has_strengths() {
                let borne = self.tilts.iter().map(|tilt| statics.acceleration(tilt.towards));
                self.borne = borne.collect::<Result<_>>()?;
            }
        }
        self.falls = falls(model, state, tolerance, &arguments.falls)?;
        if arguments.order.is_some() {
            let order: Vec<u32> = model.free().map(|body| body as u32).collect();
            self.stages = Some(statics.order(&order)?);
        }
        Ok(())
    }
}

impl More {
    /// The tilts around the compass as a picture, if these were found.
    pub fn plot(&self, name: &str) -> Option<String> {
        (self.tilts.len() > 1).then(|| polar_svg(name, &self.tilts))
    }
}

/// The static problem of least energy, solved.
pub(crate) struct Lowest {
    /// How far the energy falls.
    pub drop: f64,
    /// The outline of every block there.
    outlines: Vec<[DVec3; 4]>,
}

pub fn stable(arguments: StableOptions) -> Result<Done> {
    let outs: Vec<&Path> = arguments.out.iter().chain(&arguments.polar).map(|out| &**out).collect();
    output::check_all(&outs, arguments.force, &[Path::new(&arguments.scene)])?;
    show::check(&arguments)?;
    let World { name, about, mut model, state } = world(&arguments)?;
    fix(&mut model, &arguments.fixed)?;
    if let Some(done) = bricks::answer(&arguments, [&name, &about], &model, &state)? {
        return Ok(done);
    }
    is_of_bricks(&arguments)?;
    let down = model.gravity;
    if let Some(Direction(acceleration)) = arguments.acceleration {
        model.gravity -= acceleration * model.gravity.length();
    }
    let gone = arguments.without.map(|body| body as usize);
    fix(&mut model, gone.as_slice())?;
    // A frame is meant as exactly as its method made it.
    let tolerance = if is_run(&arguments) { Tolerance::FRAME } else { Tolerance::START };
    let tolerance = Tolerance { gap: arguments.tolerance.map(|Length(gap)| gap), ..tolerance };
    let statics = Statics::within(&model, &state, tolerance)?;
    let statics = match gone {
        Some(gone) => statics.without(|body| body == gone)?,
        None => statics,
    };
    if !is_run(&arguments) {
        is_apart(&statics)?;
    }
    if statics.has_strengths() {
        let more = More { about, down, ..More::default() };
        return strain::answer(&arguments, &name, (&model, &state), &statics, (more, tolerance));
    }
    let mut verdict = statics.verdict();
    let known = Known { balance: verdict.balance, friction: verdict.friction };
    let mut more = more(&name, (&model, &state), &statics, known, &arguments)?;
    (more.about, more.down) = (about, down);
    more.ask((&model, &state), &statics, known, tolerance, &arguments)?;
    let mut reactions = verdict.forces.clone();
    for (reaction, force) in reactions.iter_mut().zip(more.shown.iter().flatten()) {
        reaction.contact.force = *force;
    }
    let (contacts, own) = statics.contacts(&reactions);
    verdict.forces = reactions.clone();
    let answer = as_json(&model, &verdict, &contacts, &more, &arguments);
    let mut words = report(&name, &model, &state, &verdict, &more, &arguments);
    if let Some(out) = arguments.out.as_ref().filter(|out| assembly::is_meant(out)) {
        let scene = Path::new(&arguments.scene);
        assembly::write(scene, out, &reactions, (&contacts, &own), &arguments.fixed)?;
    } else if let (Some(out), Some(lowest)) = (&arguments.out, &more.lowest) {
        draw_lowest(out, &model, &state, lowest)?;
    } else if let Some(out) = &arguments.out {
        // What was left out is not drawn.
        model.take_out(|body| Some(body) == gone);
        let shown = show::of_verdict(
            (&model, &state),
            &verdict,
            (&contacts, &own, &reactions),
            more.shown.is_some(),
        );
        let plot = more.plot(&name);
        let told = Told { name: &name, words: &words, answer: &answer, plot: plot.as_deref() };
        show::write(out, &shown, &told, &arguments)?;
    }
    if let Some(out) = &arguments.out {
        words += &format!("  {}\n", show::in_words(out, verdict.balance, more.lowest.is_some()));
    }
    print(&if arguments.json { format!("{answer}\n") } else { words })?;
    Ok(match verdict.balance {
        _ if !arguments.exit_status => Done::Yes,
        Balance::Balanced => Done::Yes,
        Balance::Unbalanced => Done::Unstable,
        Balance::Undecided(_) => Done::Undecided,
    })
}

/// Holds bodies where they are.
fn fix(model: &mut Model, fixed: &[usize]) -> Result<()> {
    for &body in fixed {
        let most = model.bodies.len();
        let Some(body) = model.bodies.get_mut(body) else {
            return Err(Problem::new(format!("there is no body {body} to fix"))
                .help(format!("bodies are counted from 0 to {}", most.saturating_sub(1))));
        };
        body.motion = Motion::Fixed;
    }
    Ok(())
}

/// Bodies of a scene do not overlap by more than the tolerance.
fn is_apart(statics: &Statics) -> Result<()> {
    let Some((bodies, depth)) = statics.overlap() else { return Ok(()) };
    let name = |body: Option<u32>| body.map_or("the container".into(), |b| format!("body {b}"));
    let [one, two] = bodies.map(name);
    Err(Problem::new(format!("{one} and {two} overlap by {}", figure(depth, 4))).help(
        "move them apart, or say with --tolerance how far apart or into each other they may be",
    ))
}

/// Some questions are asked of bricks with studs alone.
fn is_of_bricks(arguments: &StableOptions) -> Result<()> {
    let is_found = arguments.order.as_deref() == Some("find");
    let idle = [("--order find", is_found), ("--exact", arguments.exact)];
    match idle.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((name, _)) => Err(Problem::new(format!("{name} is for bricks with studs"))
            .help(format!("leave out {name}"))),
    }
}

/// The level part of the side that goes down, as long as 1.
pub(crate) fn level(Direction(side): Direction, model: &Model) -> Result<DVec3> {
    let down = model.gravity.normalize_or_zero();
    match (side - down * down.dot(side)).normalize_or_zero() {
        DVec3::ZERO => Err(Problem::new("the direction of --towards is not level")
            .help("name the side that goes down, as in --towards 1,0")),
        level => Ok(level),
    }
}

/// Whether a run is asked about, and not a scene.
fn is_run(arguments: &StableOptions) -> bool {
    Path::new(&arguments.scene).extension().is_some_and(|ending| ending == "riprap")
}

/// What is asked about.
struct World {
    name: String,
    /// What the scene says of itself.
    about: String,
    model: Model,
    state: State,
}

/// The bodies of a scene as they start, or of a frame of a run.
fn world(arguments: &StableOptions) -> Result<World> {
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
        return Ok(World { name: model.name.clone(), about: String::new(), model, state });
    }
    if arguments.frame.is_some() {
        return Err(Problem::new("a scene has no frames").help("--frame is for run files"));
    }
    let mut changes =
        Changes { method: arguments.changes.method, set: arguments.changes.set.clone() };
    let made = |changes: &Changes| {
        let scene = open(&arguments.scene, changes)?;
        let (model, state) = start(&scene)?;
        // A scene's own words are no news; those of a translation say what it takes for granted.
        let is_scene = path.extension().is_none_or(|ending| ending == "toml");
        let about = if is_scene { String::new() } else { scene.about.clone() };
        Ok(World { name: scene.name.clone(), about, model, state })
    };
    // What the scene's own method refuses may stand all the same: dynamics takes most, and only what is
    // to be taken apart may overlap.
    let asked = made(&changes).or_else(|problem: Problem| match changes.method {
        Some(_) => Err(problem),
        None => {
            let mut others = [MethodName::Dynamics, MethodName::Separate].into_iter();
            let made = others.find_map(|method| {
                changes.method = Some(method);
                made(&changes).ok()
            });
            made.ok_or(problem)
        }
    });
    // What methods do about overlaps is of no use to a table or an assembly.
    let is_scene = path.extension().is_none_or(|ending| ending == "toml");
    asked.map_err(|problem| match !is_scene && problem.message.contains(" overlap by ") {
        true => {
            problem.help("bodies that stand do not overlap: move them apart, or make one smaller")
        }
        false => problem,
    })
}

/// The lowest heights, if these were asked for.
fn draw_lowest(out: &Path, model: &Model, state: &State, lowest: &Lowest) -> Result<()> {
    match out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg")) {
        true => write_whole(out, lowest_svg(model, state, &lowest.outlines)),
        false => Err(Problem::new("the lowest heights are drawn as an .svg only")
            .help("name an .svg, or leave out --lowest")),
    }
}

pub(crate) fn more(
    name: &str,
    (model, state): (&Model, &State),
    statics: &Statics,
    known: Known,
    arguments: &StableOptions,
) -> Result<More> {
    let is_large = statics.is_large();
    let without_margin = statics.without_margin();
    let mut more = More { is_large, without_margin, ..More::default() };
    let tilted = arguments.tilt || arguments.towards.is_some() || arguments.polar.is_some();
    if tilted && model.gravity == DVec3::ZERO {
        return Err(Problem::new("without gravity there is no tilt")
            .help("leave out --tilt, --towards and --polar"));
    }
    if let (Some(side), true) = (arguments.towards, known.is_balanced()) {
        more.tilts.push(statics.tilt(level(side, model)?)?);
    }
    if arguments.tilt && known.is_balanced() {
        more.tilts.extend(statics.tilts(COMPASS)?);
    }
    if let Some(polar) = &arguments.polar {
        if !known.is_balanced() {
            return Err(
                Problem::new("what is not balanced has no critical tilt").help("leave out --polar")
            );
        }
        write_whole(polar, polar_svg(name, &statics.tilts(FINE_COMPASS)?))?;
    }
    // With friction it takes some thirty programs.
    let is_asked = !known.friction || arguments.what_if || model.free().count() <= FEW;
    let is_held = statics.has_strengths();
    if known.balance == Balance::Unbalanced && is_asked && !is_large && !is_held {
        more.friction = statics.critical_friction()?;
    }
    if arguments.lowest {
        more.lowest = Some(lowest_heights(model, state)?);
    }
    for load in &arguments.load {
        if model.bodies.get(load.body).is_none_or(|body| !body.is_free()) {
            let message = format!("there is no body {} that can move", load.body);
            return Err(
                Problem::new(message).help("bodies are counted from 0, in the scene's order")
            );
        }
        let at = load.at.unwrap_or(state.positions[load.body]);
        let factor = match known.is_balanced() {
            true => Some(statics.load_factor(load.body, at, load.force)?),
            false => None,
        };
        more.load_factors.push(factor);
    }
    Ok(more)
}

/// The static problem of least energy: every block keeps its x.
fn lowest_heights(model: &Model, state: &State) -> Result<Lowest> {
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
    let (heights, drop) = lowest(&planks);
    let outline = |(plank, [left, right]): (&Plank, [f64; 2])| {
        let corner = |x: f64, y: f64| DVec3::new(x, floor + y, 0.0);
        [
            corner(plank.left, left),
            corner(plank.right, right),
            corner(plank.right, right + plank.thickness),
            corner(plank.left, left + plank.thickness),
        ]
    };
    let outlines = planks.iter().zip(heights).map(outline).collect();
    Ok(Lowest { drop: drop * model.gravity.length(), outlines })
}
