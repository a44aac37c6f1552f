//! An independent check of a run file: every promise of its method, measured
//! again from the states and the forces in the file. Nothing here uses what
//! found the motions (`near`, `contact`, `solver`, `step`): one mistake
//! cannot hide in both.
//!
//! Frames are looked at once, in their order, all of them. What is measured of
//! which method is listed in `checks.rs`, how large it may be in `limits.rs`.
//! Besides, the file must be what the run wrote (`steps`, `hashes`, `numbers`,
//! `ending`, `scene`, `phases`), and a rest must be proved:
//!
//! | promise | checks |
//! |---|---|
//! | contacts touch and push | `contacts` |
//! | their forces balance the weights | `balance` |
//! | rest is stable | `second order` |
//! | the certificate claims no more | `certificate` |
//!
//! Of a run that was stopped (by its step limit, or from outside) all but rest is
//! checked; a run without an ending breaks its promise. The certificate's margin
//! and bound are no promises and are not checked.

mod apart; // bodies that were taken apart
mod arcs; // tori
mod cells; // who is near whom
mod checks; // the list of checks
mod claims; // the certificate
mod cloth; // threads and balloons
mod compare; // two models, number by number
mod cone; // contacts that only forbid
mod convex; // convex pieces that turn
mod dense; // eigenvalues of small matrices
mod distance; // points, moving points and faces
mod ending; // why the run ended
mod energy; // of bodies without motion
mod faces; // two faces, one of them moving
mod forces; // energies of distances
mod impulses; // what pushes whom, where
mod inertia; // how many eigenvalues are below a bound
mod inside; // inside or outside
mod islands; // who may push whom
mod joints; // joints hold
mod layout; // pieces on a strip
mod ledger; // what steps tell of themselves
mod limits; // the table of limits
mod momentum; // what impulses explain
mod motion; // positions follow velocities
mod overlap; // bodies that turn
mod phases; // one after the other
mod places; // where bodies are told to be
mod programs; // solved, or not
mod record; // what the file says about itself
mod rest; // contacts and their forces
mod scene; // the scene, built once more
mod seats; // contacts of convex pieces
mod second_order; // unstable and neutral modes
mod sides; // of a contact
mod skins; // surfaces of bodies that do not turn
mod still; // fixed and driven bodies
mod sweep; // overlap at frames and between them
mod threads; // and air, of the mode paper
mod turn; // bodies that turn while they settle
mod undamped; // velocities before damping
mod work; // energy of bodies in motion
mod worst; // the worst of what was measured

pub use checks::promises;
pub use layout::{LayoutVerdict, verify_layout};
pub(crate) use overlap::Crowd;

use std::ops::Range;

use rayon::prelude::*;
use serde::Serialize;

use self::checks::{Step, Subject, measures};
use self::claims::Found;
use self::limits::Limits;
use self::record::Record;
use self::scene::Rebuilt;
use self::second_order::Modes;
use crate::problem::Result;
use crate::trajectory::{Ending, Frame, Outcome, Reader, StepKind};
use crate::world::{Model, Motion, State};

/// Frames that are held in memory at once, and the bodies in them.
const MOST_FRAMES: usize = 64;
const MOST_BODIES: usize = 1_000_000;

/// What [`verify()`] found, and what `riprap verify --json` prints. What was not promised is null.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Verdict {
    /// Whether every promise holds.
    pub ok: bool,
    /// Why the run ended; none if it was cut short.
    pub outcome: Option<Outcome>,
    /// How many frames the run has.
    pub frames: usize,
    /// Deepest overlap at a frame, relative to the smaller radius. This and the following are of
    /// the last phase that promises them.
    pub max_overlap: Option<f64>,
    /// Deepest overlap on the straight ways between frames, their ends included (of collapse,
    /// half-way).
    pub max_overlap_between_frames: Option<f64>,
    /// Largest rise of the energy from a frame to the next that nothing explains, relative to
    /// the run's range of energies (settle, compact), to the energy of the start (collapse), or
    /// to what the step exchanges (dynamics).
    pub max_energy_rise: Option<f64>,
    /// Largest force imbalance of a body, relative to its weight; of collapse, the largest
    /// residual of a step's program.
    pub residual: Option<f64>,
    /// Number of touching pairs at rest, those included that press on nothing but leave no play.
    pub contacts: Option<usize>,
    /// Whether no motion lowers the energy of the rest.
    pub stable_to_second_order: Option<bool>,
    /// Motions that keep the energy of the rest.
    pub neutral_modes: Option<usize>,
    /// Motions that lower it.
    pub unstable_modes: Option<usize>,
    /// Hash of the last state.
    pub hash: Option<String>,
    /// The promises one by one.
    pub checks: Vec<Check>,
}

/// One promise and whether it holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// By which scripts and tests know it.
    pub name: &'static str,
    /// Of the run, from 1, that it is about; none if it has but one.
    pub phase: Option<usize>,
    /// Whether it holds.
    pub ok: bool,
    /// What was measured, if this is a matter of measure, ...
    pub value: Option<f64>,
    /// ... and how large it may be.
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
        let (value, limit) = (Some(value), Some(limit));
        self.checks.push(Check { name, phase: None, ok, value, limit, detail });
    }

    fn state(&mut self, name: &'static str, fault: Option<String>, fine: impl Into<String>) {
        let ok = fault.is_none();
        let detail = fault.unwrap_or_else(|| fine.into());
        self.checks.push(Check { name, phase: None, ok, value: None, limit: None, detail });
    }

    /// What was found of a phase. The numbers are those of the last phase that has them.
    fn take_over(&mut self, other: Verdict, phase: usize, is_one_of_several: bool) {
        let phase = is_one_of_several.then_some(phase + 1);
        self.checks.extend(other.checks.into_iter().map(|check| Check { phase, ..check }));
        self.max_overlap = other.max_overlap.or(self.max_overlap);
        self.max_overlap_between_frames =
            other.max_overlap_between_frames.or(self.max_overlap_between_frames);
        self.max_energy_rise = other.max_energy_rise.or(self.max_energy_rise);
        self.residual = other.residual.or(self.residual);
        self.contacts = other.contacts.or(self.contacts);
        self.stable_to_second_order = other.stable_to_second_order.or(self.stable_to_second_order);
        self.neutral_modes = other.neutral_modes.or(self.neutral_modes);
        self.unstable_modes = other.unstable_modes.or(self.unstable_modes);
    }
}

/// Checks every promise of a run. An error means that the file cannot be read;
/// a broken promise is a verdict.
///
/// ```
/// use riprap::{Reader, Scene, run, verify};
/// # let folder = tempfile::tempdir().unwrap();
/// # let out = folder.path().join("box-3.riprap");
///
/// let options = run::Options {
///     out: out.clone(),
///     force: false,
///     max_steps: None,
///     interrupted: &false.into(),
///     progress: &mut |_| (),
/// };
/// run(&Scene::open("box-3")?, options)?;
/// let verdict = verify(&Reader::open(&out)?)?;
/// for check in &verdict.checks {
///     println!("{} {}: {}", if check.ok { "ok" } else { "FAILED" }, check.name, check.detail);
/// }
/// assert!(verdict.ok);
/// assert_eq!((verdict.max_overlap, verdict.unstable_modes), (Some(0.0), Some(0)));
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn verify(reader: &Reader) -> Result<Verdict> {
    let last = reader.len().checked_sub(1);
    let mut verdict = Verdict {
        outcome: reader.ending().map(|ending| ending.outcome),
        frames: reader.len(),
        hash: last.map(|last| format!("{:016x}", reader.stored_hash(last))),
        ..Verdict::default()
    };
    let mut record = Record::new(reader);
    let mut measured = Vec::new();
    for number in 0..reader.phases().len() {
        let frames = reader.frames_of(number);
        measured.push(match Starts::read(reader, number)? {
            Some(starts) if record.numbers.is_none() => {
                measure(reader, number, &starts, &mut record)?
            }
            _ => {
                read_on(reader, frames, &mut record)?;
                Measured::default()
            }
        });
    }
    let makes_sense = record.numbers.is_none();
    record.report(&mut verdict);
    for number in 0..reader.phases().len() {
        ending::report(reader, number, &mut verdict)?;
    }
    if makes_sense && !reader.is_empty() {
        phases::report(reader, &mut verdict)?;
        report_scene(&mut verdict, scene::rebuild(reader, &reader.frame(0)?.state));
        for (number, Measured { checks, last }) in measured.into_iter().enumerate() {
            verdict.take_over(checks, number, reader.phases().len() > 1);
            let ending = reader.ending_of(number).filter(|e| e.outcome == Outcome::Rest);
            if let (Some(ending), Some(last)) = (ending, &last) {
                let mut rest = Verdict::default();
                let model = &reader.phases()[number].model;
                match model.has_turning() {
                    true => turn::report(&mut rest, model, &last.state, ending),
                    false => report_rest(&mut rest, model, &last.state, ending)?,
                }
                verdict.take_over(rest, number, reader.phases().len() > 1);
            }
        }
    }
    verdict.ok = verdict.checks.iter().all(|check| check.ok);
    Ok(verdict)
}

/// Where a phase begins.
struct Starts {
    first: State,
    /// The first frame that is held to all promises, and its state: bodies that settle and
    /// overlapped are taken apart first.
    valid: (usize, State),
}

impl Starts {
    fn read(reader: &Reader, phase: usize) -> Result<Option<Starts>> {
        let frames = reader.frames_of(phase);
        if frames.is_empty() {
            return Ok(None);
        }
        let first = reader.frame(frames.start)?.state;
        let mut valid = (frames.start, first.clone());
        if frames.len() > 1 && reader.phases()[phase].model.method.time().is_none() {
            let second = reader.frame(frames.start + 1)?;
            if second.kind == StepKind::Separate {
                valid = (frames.start + 1, second.state);
            }
        }
        Ok(Some(Starts { first, valid }))
    }
}

/// What came out of looking at all frames of a phase.
#[derive(Default)]
struct Measured {
    checks: Verdict,
    last: Option<Frame>,
}

/// Looks at all frames of a phase, some at a time.
fn measure(
    reader: &Reader,
    number: usize,
    starts: &Starts,
    record: &mut Record,
) -> Result<Measured> {
    let (model, range) = (&reader.phases()[number].model, reader.frames_of(number));
    let (first, start) = (starts.valid.0, &starts.valid.1);
    let mut measures = measures(Subject {
        model,
        limits: Limits::of(&model.method),
        start,
        first: (range.start, &starts.first),
    });
    let at_once = (MOST_BODIES / model.bodies.len().max(1)).clamp(1, MOST_FRAMES);
    let mut last: Option<Frame> = None;
    let mut repeats = Repeats::new(model);
    let mut next = range.start;
    while next < range.end {
        let end = (next + at_once).min(range.end);
        let mut frames = Vec::with_capacity(at_once);
        for index in next..end {
            let frame = reader.frame(index)?;
            record.frame(reader, index, &frame);
            // Nothing can be measured where numbers make no sense.
            if record.numbers.is_some() {
                read_on(reader, index + 1..range.end, record)?;
                return Ok(Measured::default());
            }
            frames.push(frame);
        }
        let steps: Vec<Step> = (next..end)
            .filter(|&index| index >= first)
            .map(|index| Step {
                index,
                is_last: index + 1 == range.end,
                before: match index > next {
                    _ if index == first => None,
                    true => Some(&frames[index - next - 1]),
                    false => last.as_ref(),
                },
                frame: &frames[index - next],
            })
            .filter(|step| !repeats.look(step))
            .collect();
        measures.par_iter_mut().for_each(|measure| measure.frames(&steps));
        last = frames.pop();
        next = end;
    }
    let outcome = reader.ending_of(number).map(|ending| ending.outcome);
    let mut checks = Verdict { outcome, ..Verdict::default() };
    measures.iter_mut().for_each(|measure| measure.report(&mut checks));
    Ok(Measured { checks, last })
}

/// Steps that are the same as the one before to the last bit: what was found of that holds of
/// them, too.
struct Repeats {
    /// Whether nothing depends on the time.
    is_timeless: bool,
    /// Whether the last frame was the same as the one before it.
    was_same: bool,
}

impl Repeats {
    fn new(model: &Model) -> Repeats {
        let is_driven = model.bodies.iter().any(|body| body.motion == Motion::Driven);
        Repeats { is_timeless: model.method.time().is_some() && !is_driven, was_same: false }
    }

    fn look(&mut self, step: &Step) -> bool {
        let is_same = self.is_timeless && step.before.is_some_and(|b| is_same(b, step.frame));
        let was_same = std::mem::replace(&mut self.was_same, is_same);
        is_same && was_same && !step.is_last
    }
}

/// Whether two frames tell the same, but for their numbers and how long they took.
fn is_same(a: &Frame, b: &Frame) -> bool {
    a.energy == b.energy
        && a.kind == b.kind
        && a.state == b.state
        && a.contacts == b.contacts
        && a.trace == b.trace
        && a.report == b.report
}

/// What the file says about these frames; nothing else is looked at.
fn read_on(reader: &Reader, frames: Range<usize>, record: &mut Record) -> Result<()> {
    for index in frames {
        record.frame(reader, index, &reader.frame(index)?);
    }
    Ok(())
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
fn report_rest(verdict: &mut Verdict, model: &Model, state: &State, ending: &Ending) -> Result<()> {
    let limits = Limits::of(&model.method);
    verdict.contacts = Some(ending.contacts.len());
    let touches = match rest::touches(model, state, &ending.contacts) {
        Ok(touches) => touches,
        Err(fault) => {
            verdict.state("contacts", Some(fault), "");
            return Ok(());
        }
    };
    let weights = rest::weights(model, &state.positions);
    let (gap, who) = rest::widest(&touches, &ending.contacts, &weights);
    let detail = match gap > rest::TOUCHING {
        true => format!("{who} is open by {gap:.1e} of the smaller radius"),
        false => format!("{} pairs touch", touches.len()),
    };
    verdict.measure("contacts", gap, rest::TOUCHING, detail);

    let (residual, body) = rest::residual(model, &state.positions, &touches);
    verdict.residual = Some(residual);
    let detail = match residual > limits.residual {
        true => format!("the forces on body {body} leave {residual:.1e} of the largest of them"),
        false => "the contact forces carry every body's weight".into(),
    };
    verdict.measure("balance", residual, limits.residual, detail);

    let rounding = rest::rounding(model, &state.positions, &touches);
    let modes = second_order::modes(model, &state.positions, &touches, residual + rounding)?;
    report_modes(verdict, modes);
    let unknowns = model.dimension * model.free().count();
    let found = Found { residual, rounding, unknowns, modes };
    let contradiction = found.contradiction(ending.certificate.as_ref());
    verdict.state("certificate", contradiction, "it claims what was found here");
    Ok(())
}

fn report_modes(verdict: &mut Verdict, modes: Option<Modes>) {
    let Some(Modes { null, unstable, .. }) = modes else {
        let fault = "rounding hides which motions are resisted";
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
