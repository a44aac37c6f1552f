//! What threads and air gave in the mode `paper`, which tells both as sums of vectors: its passes
//! project along the directions of the moment, and these turn from pass to pass. The impulse of a thread
//! goes along the line of its ends, up to the place that the table allows to impulses and the way that the
//! ends go against each other in the step; what resists folding only pushes. The air pushes as one pressure
//! does, up to what the sides of faces turn by as much, and a balloon as a whole nowhere.

use super::Verdict;
use super::checks::{Made, Measure, Step, Subject};
use super::cloth::gradient;
use super::limits::Limits;
use super::momentum::given;
use super::undamped::undamped;
use crate::math::DVec3;
use crate::scene::Mode;
use crate::trajectory::Frame;
use crate::world::{Cloth, Method, Model, State, Thread, ThreadKind};

/// Looks at every step.
pub(super) struct Threads<'a> {
    model: &'a Model,
    limits: Limits,
    dt: f64,
    count: usize,
    fault: Option<String>,
}

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    Some(Box::new(Threads::new(subject.model, subject.limits)?))
}

/// What passes may have handed to and fro at every body: the sum of its impulses, and its weight. An
/// impulse that was taken back leaves what it did along other directions and at other arms.
pub(super) fn handed(model: &Model, dt: f64, before: &State, frame: &Frame) -> Vec<f64> {
    let given = given(model, before, &frame.state, frame);
    let weight = |i: usize| model.bodies[i].mass * model.pull(i).length() * dt;
    given.iter().enumerate().map(|(i, given)| given.sums[0] + weight(i)).collect()
}

impl<'a> Threads<'a> {
    fn new(model: &'a Model, limits: Limits) -> Option<Threads<'a>> {
        let Method::Dynamics(options) = &model.method else { return None };
        let is_told = options.mode == Mode::Paper && !model.cloths.is_empty();
        let dt = options.time_step;
        is_told.then_some(Threads { model, limits, dt, count: 0, fault: None })
    }

    /// How far a thread's impulse may pass its ends by: the place of the table, and the way that they go
    /// against each other.
    fn lever(&self, [old, new]: [&State; 2], thread: &Thread) -> f64 {
        let [a, b] = thread.ends.map(|end| end as usize);
        let swing = |state: &State| state.velocities[a].distance(state.velocities[b]);
        let size = self.model.bodies[a].radius.min(self.model.bodies[b].radius);
        self.limits.place * size + swing(old).max(swing(new)) * self.dt
    }

    /// Why the impulse of a thread on its first end cannot be one.
    fn fault_of_thread(
        &self,
        [old, new]: [&State; 2],
        handed: &[f64],
        thread: &Thread,
        pull: DVec3,
    ) -> Option<&'static str> {
        let [a, b] = thread.ends.map(|end| end as usize);
        let along = |state: &State| state.positions[b] - state.positions[a];
        let line = 0.5 * (along(old) + along(new));
        let lever = self.lever([old, new], thread);
        let handed = handed[a].max(handed[b]);
        if line.cross(pull).length() > lever * handed {
            return Some("does not go along it");
        }
        let (length, cone) = (line.length(), self.limits.cone * pull.length());
        // Of directions that turn by an angle, cosines differ by its square.
        let turned = (lever / length).powi(2) * handed;
        let pulls = pull.dot(line) > (cone + turned) * length;
        (thread.kind == ThreadKind::Bend && pulls).then_some("pulls, but only resists folding")
    }

    /// Why the impulses of the air in a cloth cannot be those of one pressure.
    fn fault_of_air(
        &self,
        states: [&State; 2],
        handed: &[f64],
        cloth: &Cloth,
        airs: &[DVec3],
    ) -> Option<&'static str> {
        let own = cloth.first as usize - self.model.rigid_count();
        let airs = airs.get(own..own + cloth.rest.len())?;
        if cloth.air.is_none() {
            let any = airs.iter().any(|air| *air != DVec3::ZERO);
            return any.then_some("is in no balloon");
        }
        let ends = states.map(|state| gradient(cloth, &state.positions));
        let areas: Vec<DVec3> =
            ends[0].iter().zip(&ends[1]).map(|(a, b)| 0.5 * (*a + *b)).collect();
        let dot = |x: &[DVec3]| x.iter().zip(&areas).map(|(x, area)| x.dot(*area)).sum::<f64>();
        let pressure = dot(airs) / dot(&areas);
        let mut turned = vec![0.0_f64; cloth.rest.len()];
        for thread in &cloth.threads {
            let angle = self.lever(states, thread) / thread.length;
            for end in thread.ends.map(|end| (end - cloth.first) as usize) {
                turned[end] = turned[end].max(angle);
            }
        }
        let handed = &handed[cloth.particles()];
        let is_off = |k: usize| airs[k].distance(pressure * areas[k]) > turned[k] * handed[k];
        if (0..airs.len()).any(is_off) {
            return Some("is not that of one pressure");
        }
        let whole = airs.iter().sum::<DVec3>().length();
        let most = self.limits.momentum * handed.iter().sum::<f64>();
        (whole > most).then_some("pushes its balloon somewhere")
    }

    fn fault_of(&self, step: &Step) -> Option<String> {
        let (model, before) = (self.model, &step.before?.state);
        let trace = &step.frame.trace;
        let now = undamped(model, self.dt, &step.frame.state);
        let handed = handed(model, self.dt, before, step.frame);
        let states = [before, &now];
        let threads: Vec<&Thread> = model.cloths.iter().flat_map(|cloth| &cloth.threads).collect();
        let particles = model.bodies.len() - model.rigid_count();
        let fits = |told: usize, count: usize| told == 0 || told == count;
        if !fits(trace.pulls.len(), threads.len()) || !fits(trace.airs.len(), particles) {
            return Some("impulses are told of threads or particles that there are not".into());
        }
        for (number, (thread, pull)) in threads.iter().zip(&trace.pulls).enumerate() {
            if let Some(fault) = self.fault_of_thread(states, &handed, thread, *pull) {
                return Some(format!("the impulse of thread {number} {fault}"));
            }
        }
        model.cloths.iter().enumerate().find_map(|(number, cloth)| {
            let fault = self.fault_of_air(states, &handed, cloth, &trace.airs)?;
            Some(format!("the impulse of the air in cloth {number} {fault}"))
        })
    }
}

impl Measure for Threads<'_> {
    fn frame(&mut self, step: &Step) {
        self.count += step.frame.trace.pulls.len();
        if self.fault.is_none() {
            self.fault = self.fault_of(step).map(|fault| format!("{fault}, frame {}", step.index));
        }
    }

    fn report(&mut self, verdict: &mut Verdict) {
        let fine = format!("{} impulses of threads go along them", self.count);
        verdict.state("threads", self.fault.take(), fine);
    }
}
