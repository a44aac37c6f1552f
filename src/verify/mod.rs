//! An independent check of a run file: every promise of its method, measured
//! again from the positions and the forces in the file. Nothing here uses what
//! found the motions (`near`, `free_space`, `solver`, `step`): one mistake
//! cannot hide in both.
//!
//! What `settle` promises, and which checks hold it to that:
//!
//! | promise | checks |
//! |---|---|
//! | the file is what the run wrote | `steps`, `hashes`, `numbers`, `scene` |
//! | no overlap, ever | `inside`, `overlap`, `overlap between frames` |
//! | links hold, what is fixed stands | `links`, `fixed` |
//! | the true energy never rises | `energy`, `energy rise` |
//! | rest is proved | `contacts`, `balance` |
//! | rest is stable | `second order`, `certificate` |
//!
//! What `collapse` promises is listed in `bricks.rs`, what `dynamics` does in `dynamics.rs`.
//!
//! The last two promises are for runs that ended at rest; of a run that was cut
//! short or ran into its step limit only the others are checked. The
//! certificate's margin and bound are no promises and are not checked.

mod bricks; // what the method collapse promises
mod cells; // who is near whom
mod claims; // the certificate
mod cloth; // cloth and balloons of the method dynamics
mod distance; // points, moving points and faces
mod dynamics; // what the method dynamics promises
mod energy;
mod entering; // overlap of rigid bodies
mod faces; // two faces, one of them moving
mod forces; // energies of distances
mod inertia; // how many eigenvalues are below a bound
mod inside; // inside or outside
mod layout; // pieces on a strip
mod links; // links and fixed bodies
mod pushes; // its impulses
mod record; // what the file says about itself
mod rest; // contacts and their forces
mod scene; // the scene, built once more
mod seats; // contacts of solids
mod second_order; // unstable and neutral modes
mod solids; // overlap of solids
mod sweep; // overlap at frames and between them

pub use layout::{LayoutVerdict, verify_layout};

use std::mem::take;

use serde::Serialize;

use self::bricks::Fall;
use self::claims::Found;
use self::dynamics::Course;
use self::energy::Energy;
use self::inside::Inside;
use self::links::Links;
use self::record::Record;
use self::scene::Rebuilt;
use self::second_order::Modes;
use self::sweep::{Deepest, Meeting, Sweep};
use crate::math::{DVec3, ENERGY_ROUNDING, OVERLAP_LIMIT, RESIDUAL_LIMIT};
use crate::problem::Result;
use crate::trajectory::{Ending, Frame, Outcome, Reader, StepKind};
use crate::world::Model;

/// A link may be off by this part of its length: rounding.
const LINK_LIMIT: f64 = 1e-9;

/// What `riprap verify --json` prints. What was not promised is null.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// Whether every promise holds.
    pub ok: bool,
    /// Why the run ended; none if it was cut short.
    pub outcome: Option<Outcome>,
    pub frames: usize,
    /// Deepest overlap at a frame, relative to the smaller radius.
    pub max_overlap: Option<f64>,
    /// Deepest overlap on the straight ways between frames, their ends included.
    pub max_overlap_between_frames: Option<f64>,
    /// Largest rise of the energy from a frame to the next, relative to the run's range of energies.
    pub max_energy_rise: Option<f64>,
    /// Largest force imbalance of a body, relative to its weight.
    pub residual: Option<f64>,
    /// Number of touching pairs.
    pub contacts: Option<usize>,
    pub stable_to_second_order: Option<bool>,
    pub neutral_modes: Option<usize>,
    pub unstable_modes: Option<usize>,
    /// Hash of the last state.
    pub hash: Option<String>,
    /// The promises one by one.
    pub checks: Vec<Check>,
}

/// One promise and whether it holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub ok: bool,
    /// What was measured, if this is a matter of measure, and how large it may be.
    pub value: Option<f64>,
    pub limit: Option<f64>,
    /// In words: what was found, and where.
    pub detail: String,
}

impl Verdict {
    /// Whether every promise holds.
    pub fn ok(&self) -> bool {
        self.ok
    }

    fn measure(&mut self, name: &'static str, value: f64, limit: f64, detail: String) {
        let ok = value <= limit; // and so false for what is no number
        self.checks.push(Check { name, ok, value: Some(value), limit: Some(limit), detail });
    }

    fn state(&mut self, name: &'static str, fault: Option<String>, fine: impl Into<String>) {
        let ok = fault.is_none();
        let detail = fault.unwrap_or_else(|| fine.into());
        self.checks.push(Check { name, ok, value: None, limit: None, detail });
    }
}

/// Checks every promise of a run. An error means that the file cannot be read;
/// a broken promise is a verdict.
///
/// ```no_run
/// # fn main() -> riprap::Result<()> {
/// let run = riprap::trajectory::Reader::open("hourglass.riprap".as_ref())?;
/// for check in riprap::verify::verify(&run)?.checks {
///     println!("{} {}: {}", if check.ok { "ok" } else { "FAILED" }, check.name, check.detail);
/// }
/// # Ok(())
/// # }
/// ```
pub fn verify(reader: &Reader) -> Result<Verdict> {
    let model = reader.model();
    let mut record = Record::new(reader);
    let mut motion = Motion::new(model);
    let mut fall = model.is_tower().then(|| Fall::new(model));
    let mut course = model.is_dynamic().then(|| Course::new(model));
    for index in 0..reader.len() {
        let frame = reader.frame(index)?;
        record.frame(reader, index, &frame);
        // Nothing can be measured where numbers make no sense.
        if record.numbers.is_some() {
            continue;
        }
        if index == 0 {
            motion.first.clone_from(&frame.positions);
        }
        if let Some(fall) = &mut fall {
            fall.frame(index, frame);
        } else if let Some(course) = &mut course {
            course.frame(index, reader.len(), frame);
        } else {
            motion.frame(index, frame);
        }
    }

    let ending = reader.ending();
    let last_hash = reader.len().checked_sub(1).map(|last| reader.stored_hash(last));
    let mut verdict = Verdict {
        ok: false,
        outcome: ending.map(|ending| ending.outcome),
        frames: reader.len(),
        max_overlap: None,
        max_overlap_between_frames: None,
        max_energy_rise: None,
        residual: None,
        contacts: None,
        stable_to_second_order: None,
        neutral_modes: None,
        unstable_modes: None,
        hash: last_hash.map(|hash| format!("{hash:016x}")),
        checks: Vec::new(),
    };
    let makes_sense = record.numbers.is_none() && !reader.is_empty();
    report_record(&mut verdict, record);
    if makes_sense {
        report_scene(&mut verdict, scene::rebuild(reader, &motion.first));
        match (fall, course) {
            (Some(fall), _) => fall.report(&mut verdict),
            (_, Some(course)) => course.report(&mut verdict),
            _ => motion.report(&mut verdict),
        }
        if let Some(ending) = ending.filter(|ending| ending.outcome == Outcome::Rest) {
            report_rest(&mut verdict, model, &motion.last, ending)?;
        }
    }
    verdict.ok = verdict.checks.iter().all(|check| check.ok);
    Ok(verdict)
}

/// All that is followed from frame to frame.
struct Motion<'a> {
    model: &'a Model,
    sweep: Sweep<'a>,
    energy: Energy<'a>,
    links: Links<'a>,
    first: Vec<DVec3>,
    /// The first frame that is held to all promises: the first, or one that was separated.
    valid: Vec<DVec3>,
    last: Vec<DVec3>,
    /// Frames whose way is exempt from the promise about overlap.
    hops: usize,
}

impl<'a> Motion<'a> {
    fn new(model: &'a Model) -> Motion<'a> {
        let (sweep, energy) = (Sweep::new(model), Energy::new(model));
        let links = Links::new(model);
        let (first, valid, last) = (Vec::new(), Vec::new(), Vec::new());
        Motion { model, sweep, energy, links, first, valid, last, hops: 0 }
    }

    fn frame(&mut self, index: usize, frame: Frame) {
        let positions = frame.positions;
        if frame.kind == StepKind::Separate {
            // Separation is exempt; what comes after it is held to all promises.
            *self = Motion { first: take(&mut self.first), ..Motion::new(self.model) };
        }
        self.energy.frame(index, &positions, frame.energy);
        if index == 0 || frame.kind == StepKind::Separate {
            self.valid = positions.clone();
            self.sweep.start(index, &positions);
            self.links.advance(index, &positions, &positions);
            if index == 0 {
                self.first = positions.clone();
            }
        } else if frame.kind == StepKind::Hop {
            self.hops += 1;
            self.sweep.start(index, &positions);
            self.energy.step(index, &self.last, &positions);
            self.links.advance(index, &self.last, &positions);
        } else {
            self.sweep.advance(index, &self.last, &positions);
            self.energy.step(index, &self.last, &positions);
            self.links.advance(index, &self.last, &positions);
        }
        self.last = positions;
    }

    fn report(&self, verdict: &mut Verdict) {
        let inside = Inside::new(self.model.boundary.faces());
        let outside = |name: &str, positions: &[DVec3]| {
            let is_out = |i: &usize| {
                let place = positions[*i] + self.sweep.inner_point(*i);
                !self.model.bodies[*i].fixed && !inside.contains(place)
            };
            let body = (0..positions.len()).find(is_out)?;
            Some(format!("in the {name} frame the centre of body {body} is outside the container"))
        };
        if !self.model.boundary.faces().is_empty() {
            let fault = outside("first", &self.valid).or_else(|| outside("last", &self.last));
            verdict.state("inside", fault, "all centres are inside the container, first and last");
        }
        self.report_links(verdict);

        let (at, between) = (self.sweep.at_frames, self.sweep.between_frames);
        verdict.max_overlap = Some(at.depth);
        verdict.measure("overlap", at.depth, OVERLAP_LIMIT, where_overlap(at, "in"));
        verdict.max_overlap_between_frames = Some(between.depth);
        let mut detail = where_overlap(between, "on the way to");
        if self.hops > 0 {
            detail += &format!("; not asked of {} hops", self.hops);
        }
        verdict.measure("overlap between frames", between.depth, OVERLAP_LIMIT, detail);

        let (difference, frame, [stored, true_energy]) = self.energy.largest_difference();
        let detail = match difference > energy::STORED {
            true => format!("frame {frame} stores {stored:?}, its positions have {true_energy:?}"),
            false => "the stored energies are those of the positions".into(),
        };
        verdict.measure("energy", difference, energy::STORED, detail);
        let (rise, frame) = self.energy.largest_rise();
        verdict.max_energy_rise = Some(rise);
        let detail = match rise > ENERGY_ROUNDING {
            true => format!("the energy rises by {rise:.1e} of its range to frame {frame}"),
            false => "the energy never rises".into(),
        };
        verdict.measure("energy rise", rise, ENERGY_ROUNDING, detail);
    }
}

impl Motion<'_> {
    /// Only of runs that have links or fixed bodies.
    fn report_links(&self, verdict: &mut Verdict) {
        if self.model.bodies.iter().any(|body| body.fixed) {
            let fault = self.links.moved;
            let fault = fault.map(|(body, frame)| format!("body {body} moves to frame {frame}"));
            verdict.state("fixed", fault, "what is fixed stands");
        }
        if !self.model.links.is_empty() {
            let (off, frame, link) = self.links.worst;
            let detail = match off > LINK_LIMIT {
                true => format!("link {link} is off by {off:.1e} of its length at frame {frame}"),
                false => format!("all of the {} links hold", self.model.links.len()),
            };
            verdict.measure("links", off, LINK_LIMIT, detail);
        }
    }
}

fn where_overlap(deepest: Deepest, when: &str) -> String {
    let Some((frame, meeting)) = deepest.at else { return "nothing overlaps".into() };
    let who = match meeting {
        Meeting::Bodies(i, j) => format!("bodies {i} and {j} overlap"),
        Meeting::BodyAndFace(i, face) => format!("body {i} overlaps face {face} of the container"),
    };
    format!("{when} frame {frame} {who} by {:.1e} of the smaller radius", deepest.depth)
}

fn report_record(verdict: &mut Verdict, record: Record) {
    let count = match verdict.frames {
        1 => "1 frame, the start".to_string(),
        frames => format!("{frames} frames, counted without a gap"),
    };
    verdict.state("steps", record.steps, count);
    verdict.state(
        "hashes",
        record.hashes,
        "every frame has its hash and follows upon the one before",
    );
    verdict.state("numbers", record.numbers, "all numbers make sense");
}

fn report_scene(verdict: &mut Verdict, rebuilt: Rebuilt) {
    let (fault, fine) = match rebuilt {
        Rebuilt::Same => (None, "the scene gives the model and the start of the run".into()),
        Rebuilt::NotChecked(why) => (None, format!("not checked: {why}")),
        Rebuilt::Different(what) => (Some(what), String::new()),
    };
    verdict.state("scene", fault, fine);
}

/// Rest and its stability.
fn report_rest(
    verdict: &mut Verdict,
    model: &Model,
    positions: &[DVec3],
    ending: &Ending,
) -> Result<()> {
    verdict.contacts = Some(ending.contacts.len());
    let touches = match rest::touches(model, positions, &ending.contacts) {
        Ok(touches) => touches,
        Err(fault) => {
            verdict.state("contacts", Some(fault), "");
            return Ok(());
        }
    };
    let (gap, who) = rest::widest(&touches, &ending.contacts);
    let detail = match gap > rest::TOUCHING {
        true => format!("{who} is open by {gap:.1e} of the smaller radius"),
        false => format!("{} pairs touch", touches.len()),
    };
    verdict.measure("contacts", gap, rest::TOUCHING, detail);

    let (residual, body) = rest::residual(model, positions, &touches);
    verdict.residual = Some(residual);
    let detail = match residual > RESIDUAL_LIMIT {
        true => format!("the forces on body {body} leave {residual:.1e} of the largest of them"),
        false => "the contact forces carry every body's weight".into(),
    };
    verdict.measure("balance", residual, RESIDUAL_LIMIT, detail);

    let modes = second_order::modes(model, positions, &touches)?;
    report_modes(verdict, modes);
    let unknowns = model.dimension * model.free().iter().filter(|free| **free).count();
    let found = Found { residual, unknowns, modes };
    let contradiction = found.contradiction(ending.certificate.as_ref());
    verdict.state("certificate", contradiction, "it claims what was found here");
    Ok(())
}

fn report_modes(verdict: &mut Verdict, modes: Option<Modes>) {
    let Some(Modes { null, unstable }) = modes else {
        let fault = "a mode is too close to the border between null and not to tell which it is";
        verdict.state("second order", Some(fault.into()), "");
        return;
    };
    verdict.stable_to_second_order = Some(unstable == 0);
    verdict.neutral_modes = Some(null - unstable);
    verdict.unstable_modes = Some(unstable);
    let detail = match (null, unstable) {
        (0, _) => "no motion is left free by the contacts".to_string(),
        (_, 0) => format!("neutral modes: {null}; none lowers the energy"),
        _ => format!("modes that lower the energy: {unstable}; neutral: {}", null - unstable),
    };
    verdict.measure("second order", unstable as f64, 0.0, detail);
}
