//! A run in a few numbers, all of them read back from the run file.

use serde::Serialize;

use crate::math::median;
use crate::near::deepest_overlap;
use crate::problem::{Problem, Result};
use crate::scene::MethodName;
use crate::trajectory::{Frame, Outcome, Reader, StepKind};
use crate::verify::Crowd;
use crate::world::{Model, State};

/// What `riprap run --json` prints, apart from the name of the file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The name of the scene.
    pub scene: String,
    /// Of the last phase, as are the outcome and what is said of its rest.
    pub method: MethodName,
    /// One after the other; one if the scene has no others.
    pub phases: Vec<PhaseSummary>,
    /// Rigid bodies; of a compaction, the pieces without the wall that is pushed.
    pub bodies: usize,
    /// Of cloth.
    pub particles: usize,
    /// All steps, those of escapes and polishing among them.
    pub steps: u64,
    /// Steps out of rests that were not stable.
    pub steps_escape: u64,
    /// Tight steps near rest.
    pub steps_polish: u64,
    /// Why the run ended.
    pub outcome: Outcome,
    /// What stopped the method before its goal; none unless the run failed.
    pub reason: Option<String>,
    /// Of the first frame: the weights of bodies that are free and all forces, with their motion
    /// in methods with time.
    pub energy_start: f64,
    /// Of the last frame.
    pub energy_end: f64,
    /// On the clock.
    pub seconds: f64,
    /// Of all threads together.
    pub cpu_seconds: f64,
    /// Median.
    pub ms_per_step: f64,
    /// Deepest overlap at any frame, relative to the smaller radius; of methods with time measured as
    /// `verify` does.
    pub max_overlap: f64,
    /// The same at the first frame.
    pub overlap_start: f64,
    /// The same at the last frame.
    pub overlap_end: f64,
    /// Largest force imbalance relative to the body's weight; none unless at rest. Of a fall:
    /// the largest residual of a step's program.
    pub residual: Option<f64>,
    /// That carry the bodies at rest; 0 without a rest.
    pub contacts: usize,
    /// Motions that keep the energy of the rest; none unless at rest.
    pub neutral_modes: Option<u64>,
    /// Motions that lower it.
    pub unstable_modes: Option<u64>,
    /// In words.
    pub verdict: Option<String>,
    /// The energy can fall by at most this within the linearised cell.
    pub bound: Option<f64>,
    /// Hash of the last state.
    pub hash: String,
    /// Seconds per part of a step, summed over the steps.
    pub parts: Vec<(String, f64)>,
}

/// A phase of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PhaseSummary {
    /// Of this phase.
    pub method: MethodName,
    /// Without its start.
    pub steps: u64,
    /// How it ended.
    pub outcome: Outcome,
}

/// Seconds per part of a step, of all phases.
#[derive(Default)]
struct Parts(Vec<(String, f64)>);

impl Parts {
    fn add(&mut self, names: &[String], seconds: &[f32]) {
        for (name, seconds) in names.iter().zip(seconds) {
            let known = self.0.iter().position(|part| part.0 == *name);
            let place = known.unwrap_or_else(|| {
                self.0.push((name.clone(), 0.0));
                self.0.len() - 1
            });
            self.0[place].1 += f64::from(*seconds);
        }
    }
}

/// How deep bodies are in each other, frame after frame.
#[derive(Default)]
struct Overlaps<'a> {
    most: f64,
    start: f64,
    end: f64,
    /// Of the phase of this number.
    crowd: Option<(usize, Crowd<'a>)>,
}

impl<'a> Overlaps<'a> {
    fn look(&mut self, reader: &'a Reader, index: usize, state: &State) {
        let number = reader.phase_at(index);
        let model: &'a Model = &reader.phases()[number].model;
        let is_end = index == 0 || index + 1 == reader.len();
        // In between only what is deeper than all before matters.
        let known = if is_end { 0.0 } else { self.most };
        let overlap = match model.method.time() {
            Some(_) => {
                let crowd = self.crowd.take().filter(|(of, _)| *of == number);
                let (_, crowd) =
                    self.crowd.insert(crowd.unwrap_or_else(|| (number, Crowd::new(model))));
                crowd.deeper_than(state, known).unwrap_or(known)
            }
            None => deepest_overlap(model, state),
        };
        self.most = self.most.max(overlap);
        self.start = if index == 0 { overlap } else { self.start };
        self.end = overlap;
    }
}

/// Reads a run through once.
pub fn summarise(reader: &Reader) -> Result<Summary> {
    let model = reader.last_model();
    let mut counts = [0_u64; 2];
    let mut parts = Parts::default();
    let (mut times, mut worst_program) = (Vec::new(), 0.0_f64);
    let mut overlaps = Overlaps::default();
    let (mut first, mut last): (Option<Frame>, Option<Frame>) = (None, None);
    for (index, frame) in reader.frames().enumerate() {
        let frame = frame?;
        let phase = &reader.phases()[reader.phase_at(index)];
        counts[0] += u64::from(frame.kind == StepKind::Escape);
        counts[1] += u64::from(frame.kind == StepKind::Polish);
        if frame.kind != StepKind::Start {
            times.push(1e3 * frame.seconds.iter().sum::<f32>() as f64);
        }
        parts.add(&phase.parts, &frame.seconds);
        if let Some(ledger) = &frame.report.ledger {
            worst_program = worst_program.max(ledger.residual);
        }
        overlaps.look(reader, index, &frame.state);
        first.get_or_insert_with(|| frame.clone());
        last = Some(frame);
    }
    let (Some(first), Some(last)) = (first, last) else {
        return Err(Problem::new("the run has no frames").help("start it again with --force"));
    };
    let ending = reader.ending();
    let phases: Vec<PhaseSummary> = (0..reader.phases().len()).map(|k| phase(reader, k)).collect();
    let (mut seconds, mut cpu_seconds) = (0.0, 0.0);
    for (number, phase) in reader.phases().iter().enumerate() {
        let Some(ending) = reader.ending_of(number) else { continue };
        parts.add(&phase.parts, &ending.parts);
        seconds += ending.seconds;
        cpu_seconds += ending.cpu_seconds;
    }
    let certificate = ending.and_then(|e| e.certificate.as_ref());
    Ok(Summary {
        scene: model.name.clone(),
        method: model.method.name(),
        bodies: (0..model.rigid_count()).filter(|&i| !model.is_gone(i)).count()
            - usize::from(model.method.name() == MethodName::Compact),
        particles: model.bodies.len() - model.rigid_count(),
        steps: phases.iter().map(|phase| phase.steps).sum(),
        phases,
        steps_escape: counts[0],
        steps_polish: counts[1],
        outcome: ending.map_or(Outcome::Interrupted, |e| e.outcome),
        reason: ending.and_then(|e| e.reason.clone()),
        energy_start: first.energy,
        energy_end: last.energy,
        seconds,
        cpu_seconds,
        ms_per_step: median(times),
        max_overlap: overlaps.most,
        overlap_start: overlaps.start,
        overlap_end: overlaps.end,
        residual: match model.method.time() {
            Some(_) => Some(worst_program),
            None => certificate.map(|c| c.residual),
        },
        contacts: ending.map_or(0, |e| e.contacts.len()),
        neutral_modes: certificate.map(|c| c.neutral_modes),
        unstable_modes: certificate.map(|c| c.unstable_modes),
        verdict: certificate.map(|c| c.verdict.clone()),
        bound: certificate.map(|c| c.bound),
        hash: format!("{:016x}", reader.stored_hash(reader.len() - 1)),
        parts: parts.0,
    })
}

fn phase(reader: &Reader, number: usize) -> PhaseSummary {
    PhaseSummary {
        method: reader.phases()[number].model.method.name(),
        steps: reader.frames_of(number).len().saturating_sub(1) as u64,
        outcome: reader.ending_of(number).map_or(Outcome::Interrupted, |ending| ending.outcome),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::samples::{cuboid, model};
    use crate::math::DVec3;
    use crate::trajectory::{Ending, Report, Writer, samples, state_hash};

    fn frame(step: u64, kind: StepKind, z: f64) -> Frame {
        let seconds = vec![0.25 * step as f32, 1.0];
        Frame {
            step,
            kind,
            energy: z,
            state: State::at_rest(vec![DVec3::new(5.0, 5.0, z)]),
            contacts: Vec::new(),
            trace: Default::default(),
            report: Report::default(),
            seconds,
        }
    }

    fn summary_of(frames: &[Frame], ending: Option<&Ending>) -> Result<Summary> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.riprap");
        let model = model(cuboid(10.0), &[1.0]);
        let mut writer = Writer::create(&path, false, &model, "", &["near", "solve"]).unwrap();
        frames.iter().for_each(|frame| writer.frame(frame).unwrap());
        ending.map_or(Ok(()), |ending| writer.end(ending)).unwrap();
        summarise(&Reader::open(&path).unwrap())
    }

    #[test]
    fn a_run_that_came_to_rest() {
        let frames = [
            frame(0, StepKind::Start, 3.0),
            frame(1, StepKind::Settle, 2.0),
            frame(2, StepKind::Escape, 0.75),
            frame(3, StepKind::Escape, 1.0),
            frame(4, StepKind::Polish, 1.0),
        ];
        let summary = summary_of(&frames, Some(&samples::ending())).unwrap();
        assert_eq!((summary.steps, summary.steps_escape, summary.steps_polish), (4, 2, 1));
        assert_eq!((summary.energy_start, summary.energy_end), (3.0, 1.0));
        assert_eq!((summary.seconds, summary.cpu_seconds), (1.5, 2.75));
        assert_eq!(summary.ms_per_step, 1625.0, "the start is no step");
        assert_eq!(summary.max_overlap, 0.25, "of any frame, not only of the last");
        assert_eq!((summary.overlap_start, summary.overlap_end), (0.0, 0.0));
        assert_eq!((summary.residual, summary.neutral_modes), (Some(1e-13), Some(1)));
        assert_eq!((summary.outcome, summary.contacts), (Outcome::Rest, 2));
        assert_eq!(summary.parts, [("near".to_string(), 2.5), ("solve".to_string(), 5.125)]);
        let hash = state_hash(&frames[4].state);
        assert_eq!(summary.hash, format!("{hash:016x}"));
    }

    #[test]
    fn a_run_that_was_killed() {
        let summary = summary_of(&[frame(0, StepKind::Start, 3.0)], None).unwrap();
        assert_eq!((summary.outcome, summary.residual), (Outcome::Interrupted, None));
        assert_eq!((summary.steps, summary.ms_per_step), (0, 0.0));
        let problem = summary_of(&[], None).unwrap_err();
        assert_eq!(problem.message, "the run has no frames");
    }
}
