//! `riprap stable` of bricks with studs: how much of their strength is needed, what is weakest, in
//! which order they can be built.

use std::fmt::Write;
use std::time::Instant;

use riprap::export::exhibit::{Exhibit, Marked, Shade};
use riprap::math::DVec3;
use riprap::step::stable::bricks::{Bricks, Fall, Held, Step, Utilisation};
use riprap::step::stable::{Balance, Tilt};
use riprap::world::{Contact, Model, State, With};
use riprap::{Problem, Result};
use serde_json::{Value, json};

use crate::arguments::StableOptions;
use crate::run::figure;
use crate::show::Told;
use crate::stable::{COMPASS, Direction, level};
use crate::verdict::{load_factors, loads_in_words, motion_json, tilts_json};
use crate::what_if::{Falls, falls_in_words, falls_json, shaken, table};
use crate::{Done, print, show};

/// Forces that need just what there is are not found by rounding: this much more is allowed.
const HAIR: f64 = 1e-6;

/// A smaller part of the utilisation is rounding of the program.
const NO_PART: f64 = 1e-9;

/// A smaller utilisation is none: loads only press.
const UNUSED: f64 = 1e-9;

/// Utilisations of two ways of facing that differ by less, relatively, are one.
const SAME_WAY: f64 = 1e-4;

/// What was found out.
struct Answer<'a> {
    name: &'a str,
    /// What the scene says of itself.
    about: &'a str,
    model: &'a Model,
    bricks: &'a Bricks<'a>,
    loads: Vec<DVec3>,
    found: Utilisation,
    /// Of the contacts and the program.
    seconds: f64,
    /// The utilisations if the structure faced one of the four ways, this one first.
    ways: [f64; 4],
    /// How they begin to fall, if they are not balanced.
    fall: Option<Fall>,
    /// The forces at the points of every contact that are shown, and what they are.
    forces: Option<Vec<Vec<f64>>>,
    forces_are: &'static str,
    /// Those of the least sum of squares within what the studs bear, if asked for.
    elastic: Option<Vec<Vec<f64>>>,
    /// The least and the greatest force of the contact that was asked for.
    extremes: Option<(usize, Option<[f64; 2]>)>,
    tilts: Vec<Tilt>,
    /// The accelerations of the ground that are borne, pushing to the sides of the tilts.
    borne: Vec<f64>,
    load_factors: Vec<Option<f64>>,
    falls: Vec<Falls>,
    steps: Option<Vec<Step>>,
}

/// Answers, if the bodies are bricks with studs.
pub fn answer(
    arguments: &StableOptions,
    [name, about]: [&str; 2],
    model: &Model,
    state: &State,
) -> Result<Option<Done>> {
    let start = Instant::now();
    let Some(all) = Bricks::new(model, state)? else { return Ok(None) };
    refuse(arguments)?;
    let body = |body: u32| match model.bodies.get(body as usize).is_some_and(|b| b.is_free()) {
        true => Ok(body),
        false => Err(Problem::new(format!("there is no brick {body} that can move"))
            .help("bodies are counted from 0, in the scene's order")),
    };
    let out = arguments.without.map(body).transpose()?;
    let bricks = all.with(|body| Some(body) != out, |_| false);
    let gravity = model.gravity.length();
    let push = arguments.acceleration.map_or(DVec3::ZERO, |Direction(a)| a * gravity);
    let mass = |i: usize| model.bodies[i].mass;
    let mut loads = bricks.weights();
    loads.iter_mut().enumerate().for_each(|(i, load)| *load -= push * mass(i));
    let found = bricks.utilisation(&loads, arguments.exact);
    let seconds = start.elapsed().as_secs_f64();
    let is_balanced = found.balance == Balance::Balanced;
    let ways = [0, 1, 2, 3].map(|quarters| match quarters {
        0 => found.least,
        _ => bricks.facing(quarters).utilisation(&loads, false).least,
    });
    let mut answer = Answer {
        name,
        about,
        model,
        bricks: &bricks,
        found,
        seconds,
        ways,
        fall: None,
        forces: None,
        forces_are: "",
        elastic: None,
        extremes: None,
        tilts: Vec::new(),
        borne: Vec::new(),
        load_factors: Vec::new(),
        falls: Vec::new(),
        steps: None,
        loads,
    };
    answer.fall = (!is_balanced).then(|| bricks.begin_to_fall(&answer.loads));
    (answer.forces, answer.forces_are) = answer.shown_forces();
    if arguments.elastic && is_balanced {
        answer.elastic = bricks.elastic_forces(&answer.loads);
    }
    answer.ask_more(arguments)?;
    let (json, mut words) = (answer.json(arguments), answer.report(arguments));
    if let Some(out) = &arguments.out {
        let mut there = model.clone();
        there.take_out(|body| arguments.without == Some(body as u32));
        let told = Told { name, words: &words, answer: &json, plot: None };
        show::write(out, &answer.exhibit(&there, state), &told, arguments)?;
        let _ = writeln!(words, "  {}", show::in_words(out, answer.found.balance, false));
    }
    print(&if arguments.json { format!("{json}\n") } else { words })?;
    Ok(Some(match answer.found.balance {
        _ if !arguments.exit_status => Done::Yes,
        Balance::Balanced => Done::Yes,
        Balance::Unbalanced => Done::Unstable,
        Balance::Undecided(_) => Done::Undecided,
    }))
}

/// What is not asked of bricks.
fn refuse(arguments: &StableOptions) -> Result<()> {
    let idle = [
        ("--lowest", arguments.lowest, "leave it out"),
        ("--polar", arguments.polar.is_some(), "--tilt tells the same in numbers"),
        ("--tolerance", arguments.tolerance.is_some(), "bricks are on a grid: leave it out"),
        ("--consistent", arguments.consistent, "studs hold both ways: leave it out"),
        (
            "--load with a point",
            arguments.load.iter().any(|load| load.at.is_some()),
            "leave out the point: a load acts at the middle of a brick",
        ),
    ];
    match idle.iter().find(|(_, is_given, _)| *is_given) {
        None => Ok(()),
        Some((name, _, remedy)) => {
            Err(Problem::new(format!("{name} is not for bricks with studs")).help(*remedy))
        }
    }
}

impl Answer<'_> {
    fn ask_more(&mut self, arguments: &StableOptions) -> Result<()> {
        let down = self.model.gravity.normalize_or_zero();
        let tilted = arguments.tilt || arguments.towards.is_some() || arguments.what_if;
        if tilted && down == DVec3::ZERO {
            return Err(Problem::new("without gravity there is no tilt")
                .help("leave out --tilt, --towards and --what-if"));
        }
        let mut sides = Vec::new();
        if let Some(side) = arguments.towards {
            sides.push(level(side, self.model)?);
        }
        if arguments.tilt || arguments.what_if {
            let angle = |k: usize| k as f64 * std::f64::consts::TAU / COMPASS as f64;
            sides.extend((0..COMPASS).map(|k| DVec3::new(angle(k).cos(), angle(k).sin(), 0.0)));
        }
        for towards in sides {
            if let Some(angle) = self.bricks.tilt(&self.loads, towards) {
                self.tilts.push(Tilt { towards, angle });
                if arguments.what_if {
                    let push: Vec<DVec3> =
                        self.bricks.weights().iter().map(|w| towards * w.length()).collect();
                    self.borne.extend(self.bricks.farthest(&self.loads, &push));
                }
            }
        }
        self.falls = shaken(self.model, &arguments.falls, |acceleration| {
            let push = acceleration * self.model.gravity.length();
            let mass = |i: usize| self.model.bodies[i].mass;
            let loads = self.loads.iter().enumerate();
            let loads: Vec<DVec3> = loads.map(|(i, load)| *load - push * mass(i)).collect();
            let balance = self.bricks.utilisation(&loads, false).balance;
            let none = || vec![(DVec3::ZERO, DVec3::ZERO); self.model.bodies.len()];
            Ok(match balance {
                Balance::Balanced => (balance, none()),
                _ => (balance, self.bricks.begin_to_fall(&loads).accelerations),
            })
        })?;
        for load in &arguments.load {
            if self.model.bodies.get(load.body).is_none_or(|body| !body.is_free()) {
                let message = format!("there is no brick {} that can move", load.body);
                return Err(
                    Problem::new(message).help("bodies are counted from 0, in the scene's order")
                );
            }
            let mut more = vec![DVec3::ZERO; self.loads.len()];
            more[load.body] = load.force;
            self.load_factors.push(self.bricks.farthest(&self.loads, &more));
        }
        if let Some(contact) = arguments.contact {
            if contact >= self.bricks.studs.len() {
                let message = format!("there is no contact {contact}");
                let most = self.bricks.studs.len();
                return Err(Problem::new(message)
                    .help(format!("--json lists the contacts, from 0 to {}", most - 1)));
            }
            let extremes = self.bricks.extreme_forces(&self.loads, contact);
            self.extremes = Some((contact, extremes));
        }
        self.steps = match arguments.order.as_deref() {
            None => None,
            Some("given") => Some(self.bricks.order(&self.loads, &self.bricks.moving())),
            Some(_) => Some(self.bricks.find_order(&self.loads)),
        };
        Ok(())
    }

    /// Of all forces that need no more than the utilisation that is told, those of the least sum of
    /// squares; if studs cannot hold it, those that there would be if what is missing were there.
    fn shown_forces(&self) -> (Option<Vec<Vec<f64>>>, &'static str) {
        let (found, bricks) = (&self.found, self.bricks);
        let times = (found.least * (1.0 + HAIR)).max(HAIR);
        let forces =
            found.least.is_finite().then(|| bricks.elastic_forces_with(&self.loads, times));
        match (forces.flatten(), found.balance) {
            (Some(forces), Balance::Balanced) => (
                Some(forces),
                "vertical forces of studs, of the least sum of squares within that utilisation",
            ),
            (None, Balance::Balanced) => (
                bricks.elastic_forces(&self.loads),
                "vertical forces of studs, of the least sum of squares",
            ),
            (forces, _) => (
                forces,
                "vertical forces that studs would have to bear, of the least sum of squares",
            ),
        }
    }

    /// The vertical forces at the points of every contact, of some.
    fn contacts(&self, forces: &[Vec<f64>]) -> Vec<Contact> {
        let mut contacts = Vec::new();
        for (contact, of) in forces.iter().enumerate() {
            let [upper, lower] = self.bricks.studs[contact].bodies;
            for (at, force) in self.bricks.points(contact).into_iter().zip(of) {
                contacts.push(Contact {
                    body: upper,
                    with: With::Body(lower),
                    pieces: [0; 2],
                    at: [at; 2],
                    normal: DVec3::Z,
                    force: DVec3::Z * *force,
                    couples: [DVec3::ZERO; 2],
                    choice: false,
                });
            }
        }
        contacts
    }

    /// What pictures show: how much of their strength studs need with the forces of the least sum
    /// of squares; if they cannot hold it, with those that there would be if they were as strong as is needed.
    fn exhibit<'a>(&self, model: &'a Model, state: &'a State) -> Exhibit<'a> {
        let found = &self.found;
        let motion = self.fall.as_ref();
        let motion = motion.and_then(|fall| show::motion(found.balance, &fall.accelerations));
        let forces = self.forces.clone();
        let used = forces.iter().flatten().zip(&self.bricks.studs).map(|(of, studs)| {
            (studs.bodies.map(Some), of.iter().fold(0.0, |m: f64, f| m.max(-f)) / studs.pull)
        });
        let is_known = forces.is_some();
        let label = match found.balance {
            Balance::Balanced => "utilisation of studs",
            _ => "utilisation of studs, if they held what is needed",
        };
        let shade = match &motion {
            Some(motion) if !is_known => Shade::of_motion(model, motion),
            _ => Shade::largest(label, model, used),
        };
        let marked = found.weakest().filter(|_| found.least > UNUSED).map(|contact| {
            let studs = &self.bricks.studs[contact];
            let [low, count] = studs.cells;
            let corner = |x: i64, y: i64| {
                self.bricks
                    .point(contact, [8 * (low[0] + x * count[0]), 8 * (low[1] + y * count[1])])
            };
            let [upper, lower] = studs.bodies;
            Marked {
                label: format!("weakest contact: {upper} on {lower}"),
                bodies: studs.bodies.map(Some),
                normal: DVec3::Z,
                points: [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[x, y]| corner(x, y)).to_vec(),
            }
        });
        Exhibit {
            model,
            state,
            balance: found.balance,
            shade,
            forces: forces.map_or(Vec::new(), |forces| self.contacts(&forces)),
            forces_are: self.forces_are.into(),
            marked,
            motion,
        }
    }

    fn json(&self, arguments: &StableOptions) -> Value {
        let finite = |x: f64| if x.is_finite() { json!(x) } else { json!("unbounded") };
        let found = &self.found;
        let contact = |(k, studs): (usize, &riprap::step::stable::bricks::StudContact)| {
            let of = self.forces.as_ref().map(|forces| &forces[k]);
            json!({
                "bodies": studs.bodies,
                "studs": studs.cells[1][0] * studs.cells[1][1],
                "part": if found.parts[k] < NO_PART { 0.0 } else { found.parts[k] },
                "force": of.map(|of| of.iter().sum::<f64>()),
                "utilisation": of.map(|of| of.iter().fold(0.0, |m: f64, f| m.max(-f)) / studs.pull),
            })
        };
        let motion = |motion: &(DVec3, DVec3)| motion_json(motion, false);
        let contacts: Vec<Value> = self.bricks.studs.iter().enumerate().map(contact).collect();
        let steps =
            self.steps.as_ref().map(|steps| steps.iter().map(step_json).collect::<Vec<_>>());
        json!({
            "verdict": word(found.balance),
            "caveat": caveat(found),
            "about": self.about,
            "exact": found.exact,
            "utilisation": finite(found.least),
            "utilisation_bounds": found.bounds.map(finite),
            "utilisation_by_facing": self.ways.map(finite),
            "reserve": finite(found.reserve()),
            "weakest_contact": found.weakest().filter(|_| found.least > UNUSED),
            "weakest_block": self.weakest_block().filter(|_| found.least > UNUSED),
            "floating": found.floating,
            "contacts": contacts,
            "contact_forces_are": self.forces.is_some().then_some(self.forces_are),
            "elastic_forces": self.elastic.as_ref().map(|forces| self.forces_json(forces)),
            "certificate": match &found.mechanism {
                None => json!({
                    "kind": "forces",
                    "forces": self.forces.as_ref().map_or(Vec::new(), |all| self.forces_json(all)),
                }),
                Some(motions) => json!({
                    "kind": "mechanism",
                    "velocities": motions.iter().map(motion).collect::<Vec<_>>(),
                }),
            },
            "margin": null,
            "accelerations": match &self.fall {
                None => vec![motion(&(DVec3::ZERO, DVec3::ZERO)); self.model.bodies.len()],
                Some(fall) => fall.accelerations.iter().map(motion).collect(),
            },
            "residual": self.fall.as_ref().map_or(0.0, |fall| fall.residual).max(found.residual),
            "tilts": self.tilts_json(),
            "load_factor": self.load_factors.first().copied().flatten().map(finite),
            "load_factors": load_factors(&self.load_factors, arguments),
            "falls": falls_json(&self.falls),
            "contact_force": self.extremes.map(|(contact, extremes)| json!({
                "contact": contact, "range": extremes.map(|range| range.map(finite))
            })),
            "order": steps,
            "seconds": self.seconds,
        })
    }

    /// Tilts, with accelerations of the ground only where these were asked for.
    fn tilts_json(&self) -> Value {
        if !self.borne.is_empty() {
            return tilts_json(&self.tilts, &self.borne, false);
        }
        let tilt =
            |t: &Tilt| json!({ "towards": t.towards.to_array(), "degrees": t.angle.to_degrees() });
        self.tilts.iter().map(tilt).collect()
    }

    /// Vertical forces at the points of every stud; sideways studs bear what it takes.
    fn forces_json(&self, forces: &[Vec<f64>]) -> Vec<Value> {
        let one = |contact: &Contact| {
            json!({
                "body": contact.body,
                "with": contact.with,
                "at": contact.at[0].to_array(),
                "force": contact.force.to_array(),
            })
        };
        self.contacts(forces).iter().map(one).collect()
    }

    /// The brick that begins to drop fastest, and how fast, in units of gravity.
    fn fastest(&self) -> Option<(usize, f64)> {
        let (fall, gravity) = (self.fall.as_ref()?, self.model.gravity);
        let drop = |i: usize| fall.accelerations[i].0.dot(gravity) / gravity.length_squared();
        let drops = self.model.free().map(|i| (i, drop(i))).filter(|(_, drop)| *drop > 1e-6);
        drops.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    }

    /// The block whose contacts' strength counts most.
    fn weakest_block(&self) -> Option<u32> {
        let mut sums = vec![0.0; self.model.bodies.len()];
        for (studs, part) in self.bricks.studs.iter().zip(&self.found.parts) {
            studs.bodies.iter().for_each(|body| sums[*body as usize] += part);
        }
        let free = self.model.free().filter(|&i| sums[i] > 1e-6);
        free.max_by(|a, b| sums[*a].total_cmp(&sums[*b]).then(b.cmp(a))).map(|i| i as u32)
    }

    fn report(&self, arguments: &StableOptions) -> String {
        let (mut text, found) = (String::new(), &self.found);
        let exactly = if found.exact { " (decided in exact arithmetic)" } else { "" };
        let _ = match found.balance {
            Balance::Balanced => writeln!(text, "{}: balancing forces exist{exactly}.", self.name),
            Balance::Unbalanced if !found.floating.is_empty() => writeln!(
                text,
                "{}: unstable: {} in the air, the first of them is {}.",
                self.name,
                match found.floating.len() {
                    1 => "1 of its bricks hangs".into(),
                    count => format!("{count} of its bricks hang"),
                },
                found.floating[0]
            ),
            Balance::Unbalanced => writeln!(text, "{}: unstable{exactly}.", self.name),
            Balance::Undecided([low, high]) => writeln!(
                text,
                "{}: undecided: the utilisation is between {low:.9} and {high:.9}.",
                self.name
            ),
        };
        let mut line = |words: String| {
            let _ = writeln!(text, "  {words}");
        };
        if !self.about.is_empty() {
            line(self.about.to_string());
        }
        if found.least.is_finite() {
            line(format!(
                "utilisation {:.4}: the worst stud needs that part of what it holds; {}.",
                found.least,
                reserve(found.least)
            ));
        }
        if let Some(words) = self.other_ways() {
            line(words);
        }
        let weakest = found.weakest().filter(|_| found.least > UNUSED);
        if let (Some(contact), Some(block)) = (weakest, self.weakest_block()) {
            let [upper, lower] = self.bricks.studs[contact].bodies;
            line(format!(
                "weakest: brick {block}, and the contact of {upper} on {lower}: {:.0} % of the \
                 utilisation hang on its strength.",
                100.0 * found.parts[contact]
            ));
        }
        line(format!(
            "{}, {} by studs, {} by sides; {:.2} ms.",
            counted(self.bricks.moving().len(), "brick"),
            counted(self.bricks.studs.len(), "contact"),
            self.bricks.sides.len(),
            1e3 * self.seconds
        ));
        if let Some((body, drop)) = self.fastest() {
            line(format!("brick {body} begins to drop at {drop:.4} g."));
        }
        if found.balance == Balance::Balanced {
            line(
                "Studs are taken to bear any force sideways; that is necessary for standing, not \
                  sufficient."
                    .into(),
            );
        }
        self.asked(arguments).into_iter().for_each(&mut line);
        text
    }

    /// What it would need if its file faced another way, where that differs: three points of a stud are
    /// not symmetric, and nothing real is.
    fn other_ways(&self) -> Option<String> {
        let least = self.ways.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.ways.iter().copied().fold(0.0, f64::max);
        let is_told = most.is_finite() && most - least > SAME_WAY * most.max(UNUSED);
        let verdict = match () {
            () if least > 1.0 => "it falls in all of them",
            () if most <= 1.0 => "it is balanced in all of them",
            () => "the verdict depends on it",
        };
        is_told.then(|| {
            format!(
                "the model's three points of a stud are not symmetric: facing the four ways the same bricks need \
                 {least:.4} to {most:.4}; {verdict}."
            )
        })
    }

    /// What was asked for besides, in words.
    fn asked(&self, arguments: &StableOptions) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.borne.is_empty() {
            lines.extend(table(&self.tilts, &self.borne));
        }
        for tilt in self.tilts.iter().filter(|_| self.borne.is_empty()) {
            lines.push(format!(
                "tilted towards ({:.2}, {:.2}) it holds up to {:.3} degrees.",
                tilt.towards.x,
                tilt.towards.y,
                tilt.angle.to_degrees()
            ));
        }
        if arguments.what_if && self.borne.is_empty() {
            lines.push(
                "what is not balanced has no tilt and no acceleration at which it lets go.".into(),
            );
        }
        lines.extend(falls_in_words(self.model, &self.falls));
        lines.extend(loads_in_words("brick", &self.load_factors, self.model, arguments));
        if let Some(forces) = &self.elastic {
            let used = forces.iter().zip(&self.bricks.studs).map(|(of, studs)| {
                of.iter().fold(0.0, |most: f64, force| most.max(-force)) / studs.pull
            });
            lines.push(format!(
                "the forces of the least sum of squares need up to {:.4} of what a stud holds.",
                used.fold(0.0, f64::max)
            ));
        }
        match self.extremes {
            Some((contact, Some([low, high]))) => lines.push(format!(
                "contact {contact} lifts its upper brick with {} to {}.",
                figure(low, 4),
                figure(high, 4)
            )),
            Some((contact, None)) => lines.push(format!("contact {contact}: no forces balance.")),
            None => {}
        }
        if let Some(steps) = &self.steps {
            lines.extend(steps_in_words(steps));
        }
        lines
    }
}

/// So many things, in words.
pub(crate) fn counted(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

/// What a utilisation leaves for the loads, in words.
pub(crate) fn reserve(used: f64) -> String {
    match used {
        _ if used > 1.0 => format!("{} of all loads could be borne", figure(used.recip(), 3)),
        // Found by rounding: no pull is needed.
        _ if used < UNUSED => "all loads could grow without a bound".into(),
        _ => format!("all loads could grow {}-fold", figure(used.recip(), 3)),
    }
}

pub(crate) fn word(balance: Balance) -> &'static str {
    match balance {
        Balance::Balanced => "balanced",
        Balance::Unbalanced => "unstable",
        Balance::Undecided(_) => "undecided",
    }
}

fn caveat(found: &Utilisation) -> Option<&'static str> {
    (found.balance == Balance::Balanced)
        .then_some("Studs bear any force sideways; necessary for standing, not sufficient")
}

fn step_json(step: &Step) -> Value {
    let finite = |x: f64| if x.is_finite() { json!(x) } else { json!("unbounded") };
    let [low, high] = step.utilisation;
    let told = if step.held == Held::Nothing { high } else { low };
    let hold = match step.held {
        Held::Nothing => json!(null),
        Held::Brick(body) => json!(body),
        Held::MoreThanOne => json!("more than one"),
    };
    json!({
        "body": step.body,
        "utilisation": finite(told),
        "utilisation_bounds": [finite(low), finite(high)],
        "hold": hold,
    })
}

/// Which steps need a hand.
fn steps_in_words(steps: &[Step]) -> Vec<String> {
    let needed: Vec<&Step> = steps.iter().filter(|step| step.held != Held::Nothing).collect();
    let order: Vec<String> = steps.iter().map(|step| step.body.to_string()).collect();
    let mut lines = vec![format!("order: {}.", order.join(" "))];
    lines.push(match needed.len() {
        0 => format!("all {} steps stand by themselves.", steps.len()),
        count => format!("{count} of {} steps need a hand:", steps.len()),
    });
    lines.extend(needed.iter().map(|step| match step.held {
        Held::Brick(body) => format!("  with brick {}, hold brick {body}.", step.body),
        _ => format!("  with brick {}, more than one must be held.", step.body),
    }));
    lines
}
