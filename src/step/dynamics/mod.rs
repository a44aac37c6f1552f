//! Rigid bodies in motion: joints, contacts, friction, cloth and balloons, by
//! projection of one constraint at a time \[D14\]. [`Mode::Paper`] is the paper as
//! written (`paper.rs`); [`Mode::Default`] splits a step into substeps, solves
//! contacts at velocity level, warm-started from step to step, and all joints at
//! once (`articulation.rs`).
//!
//! Bodies meet by their convex pieces. The pieces of a shape that is known by
//! its surface only (`Partition::Surface`) are thin triangles, each of which pushes to
//! whichever side a body is on; what is fast meets them at its time of impact, so
//! that nothing passes through them unless it is pressed half-way through. The faces
//! of a container are walls, which push to the inside whatever the depth.
//!
//! ```
//! use std::sync::Arc;
//! use riprap::math::{DQuat, DVec3};
//! use riprap::scene::DynamicsOptions;
//! use riprap::shape::Shape;
//! use riprap::step::{Stepper, dynamics::Dynamics};
//! use riprap::world::{Method, Model, Motion, State, Weight};
//!
//! let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
//! model.method = Method::Dynamics(DynamicsOptions::default());
//! let slab = Shape::cuboid(DVec3::new(4.0, 4.0, 1.0))?;
//! let weight = Weight::Density(1.0);
//! model.add(&mut state, slab, DVec3::ZERO, DQuat::IDENTITY, weight)?.motion = Motion::Fixed;
//! model.add(&mut state, Shape::ball(0.5), DVec3::Z * 2.0, DQuat::IDENTITY, weight)?;
//! let mut dynamics = Dynamics::start(Arc::new(model), &state, None, || 0.0)?;
//! for _ in 0..300 {
//!     dynamics.step(&mut state)?;
//! }
//! assert!((state.positions[1].z - 1.0).abs() < 1e-4);
//! # Ok::<(), riprap::Problem>(())
//! ```

mod articulation; // all joints at once
mod audit; // energy that nothing explains
mod balance; // of an island at rest
mod batch; // contacts that one thread solves
mod batches; // all contacts of a step
mod bodies; // positions and velocities side by side
mod collisions; // what bounces, and when
mod connector; // points of bodies
mod contacts; // contacts at velocity level
mod detect; // who is near whom
mod direct; // heavy on light
mod forces; // energies as accelerations
mod hold; // what is quiet
mod joints; // joints as rows
mod limits; // of joints, and motors
mod narrow; // where pieces touch, and when
pub mod oracle;
mod paper; // a step as the paper has it
mod paper_joints; // and its joints
mod paths; // driven bodies
mod points; // the points of contacts
mod prepared; // the model along principal axes
mod pressure; // the air in balloons
mod shock; // shock propagation
mod soft; // cloth
mod soft_contacts; // what is near cloth
mod soft_paper; // cloth as the paper has it
mod solve; // a step of the mode default
mod spin; // free rotation
mod tally; // what contacts and joints did
#[cfg(test)]
mod tests;
mod tether; // ropes and bars
mod threads; // of cloth
mod touch; // contacts of cloth
mod trace; // what else a step tells

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::articulation::Articulation;
use self::audit::Audit;
use self::bodies::Bodies;
use self::contacts::WarmStart;
use self::detect::{Candidate, Detector};
use self::forces::Forces;
use self::hold::Held;
use self::prepared::Prepared;
use self::soft::Soft;
use self::soft_contacts::{Near, Surroundings};
use self::solve::{Account, Patience, Solve, Tools};
use self::tally::Tally;
use self::trace::Before;
use super::{Broken, Moved, Progress, Stepper, Stopwatch, Waypoint, recall};
use crate::energy;
use crate::problem::{Problem, Result};
use crate::scene::{DynamicsOptions, Mode};
use crate::world::{Contact, Ledger, Model, Report, State, StepKind, Trace};

/// Points bounce if they meet faster than a fall from this part of the radius.
const BOUNCE_HEIGHT: f64 = 1e-3;

/// Scenes of fewer bodies are stepped by one thread (but in tests).
const SEVERAL_THREADS: usize = if cfg!(test) { 100 } else { 300 };

const PARTS: [&str; 2] = ["detect", "solve"];
const DETECT: usize = 0;
const SOLVE: usize = 1;

/// What the next step takes over from the last one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Memory {
    /// How many steps there were: the time.
    steps: u64,
    /// Sorted by key.
    contacts: Vec<WarmStart>,
    held: Held,
    patience: Patience,
    /// Whether substeps were ever divided for the joints.
    is_divided: bool,
    audit: Audit,
}

/// The bodies in motion.
///
/// Every step tells all that moved the bodies: for every pair of pieces, for every piece
/// and face of the container, for every joint, limit, motor and attachment the net impulse
/// of the step with its moments, and the rest in a [`Trace`].
pub struct Dynamics {
    prepared: Arc<Prepared>,
    options: DynamicsOptions,
    memory: Memory,
    detector: Detector,
    articulation: Articulation,
    surroundings: Surroundings,
    soft: Soft,
    forces: Forces,
    bounce_speed: f64,
    watch: Stopwatch,
}

/// What a step found out about itself.
struct Outcome {
    account: Account,
    contacts: Vec<Contact>,
    trace: Trace,
}

/// A step once what is quiet is held.
struct Quiet {
    /// What contacts start from, and pairs that may meet.
    last: Vec<WarmStart>,
    found: Vec<Candidate>,
    /// What contacts and joints of islands that are held do.
    contacts: Vec<Contact>,
}

impl Dynamics {
    /// Ready for the first step from a state or, with the memory of a checkpoint, for the step
    /// that followed it, to the same bits.
    pub fn start(
        model: Arc<Model>,
        state: &State,
        memory: Option<&[u8]>,
        clock: fn() -> f64,
    ) -> Result<Dynamics> {
        let memory: Memory = memory.map_or(Ok(Memory::default()), recall)?;
        let count = model.bodies.len();
        let ends = |contact: &WarmStart| contact.key[0].max(contact.key[1]) as usize;
        let fits = memory.held.fits(count) && memory.contacts.iter().all(|c| ends(c) <= count);
        if state.positions.len() != count || !fits {
            return Err(Problem::new("the state is not that of the model's bodies")
                .help(format!("the model has {count} bodies")));
        }
        let prepared = Arc::new(Prepared::new(model));
        let model = &prepared.model;
        let bodies = model.free().filter(|&i| i < model.rigid_count());
        let radii = bodies.map(|i| model.bodies[i].radius);
        let smallest = radii.fold(f64::INFINITY, f64::min).min(1e300);
        let pull = model.free().map(|i| model.pull(i).length()).fold(0.0, f64::max);
        Ok(Dynamics {
            options: model.method.dynamics(),
            memory,
            detector: Detector::new(model),
            articulation: Articulation::new(&Bodies::new(&prepared, state)),
            surroundings: Surroundings::new(model),
            soft: Soft::new(&prepared),
            forces: Forces::new(&prepared),
            bounce_speed: (2.0 * pull * BOUNCE_HEIGHT * smallest).sqrt(),
            watch: Stopwatch::new(clock, PARTS.len()),
            prepared,
        })
    }

    fn step_here(&mut self, state: &mut State) -> Result<Moved> {
        let prepared = Arc::clone(&self.prepared);
        let dt = self.options.time_step;
        let end = prepared.model.phase.time + (self.memory.steps + 1) as f64 * dt;
        let mut bodies = Bodies::new(&prepared, state);
        paths::aim(&mut bodies, end, dt);
        let mut watch = self.watch.clone();
        let near = watch.time(DETECT, || {
            self.forces.measure(&bodies);
            self.surroundings.near(&bodies, &self.forces, dt)
        });
        let outcome = self.solve(&mut bodies, &near, &mut watch);
        self.watch = watch;
        paths::arrive(&mut bodies, end);
        if let Some(body) = bodies.broken() {
            let message = format!("the motion of body {body} is no number any more");
            return Err(Problem::new(message)
                .help("a smaller `time_step` or more `substeps` may keep it in bounds"));
        }
        if let Some(body) = self.forces.lost() {
            let message =
                format!("a force pulls at body {body} more stiffly than a substep can follow");
            return Err(Problem::new(message).help(
                "use a smaller `time_step`, more `substeps`, a lower `strength`, or `softening`",
            ));
        }
        self.memory.steps += 1;
        let old = state.clone();
        bodies.store(state);
        let moved = self.moved(&bodies, state, outcome);
        let audit = &mut self.memory.audit;
        let step = (self.memory.steps, &moved);
        audit.promise(&prepared.model, &self.options, [&old, state], step);
        let checked = match self.options.mode {
            Mode::Default => self.memory.audit.check(&prepared.model, &old, state, &moved),
            Mode::Paper => Ok(()),
        };
        checked.map(|()| moved).inspect_err(|_| state.clone_from(&old))
    }

    fn solve(&mut self, bodies: &mut Bodies, near: &[Near], watch: &mut Stopwatch) -> Outcome {
        let before = Before::new(bodies);
        self.forces.kicks.clear();
        let mut outcome = match self.options.mode {
            Mode::Paper => self.solve_as_written(bodies, &before, near, watch),
            Mode::Default => self.solve_by_default(bodies, &before, near, watch),
        };
        let Outcome { contacts, trace, .. } = &mut outcome;
        contacts.extend(self.articulation.tally.contacts(bodies, &before));
        trace.kicks.clone_from(&self.forces.kicks);
        before.complete(bodies, contacts, &self.options, trace);
        soft::damp(bodies, self.options.time_step);
        if self.options.damping > 0.0 {
            bodies.damp((1.0 - self.options.damping * self.options.time_step).max(0.0));
        }
        outcome
    }

    fn solve_as_written(
        &mut self,
        bodies: &mut Bodies,
        before: &Before,
        near: &[Near],
        watch: &mut Stopwatch,
    ) -> Outcome {
        let dt = self.options.time_step;
        let find = || self.detector.proximities(bodies, &self.forces, dt);
        let mut found = watch.time(DETECT, find);
        // How deep bodies are in each other where the step before left them: corners that its
        // points did not know of, too.
        let left = found.iter().map(|near| {
            let ends = [near.key[0], near.key[1]].map(|end| self.prepared.radius(end as usize));
            -near.manifold.least_gap() / (2.0 * ends[0].min(ends[1]))
        });
        self.memory.audit.left = left.fold(0.0, f64::max);
        found.extend(soft_contacts::proximities(bodies, near, dt));
        self.articulation.start(bodies);
        let joints = &mut self.articulation.tally;
        let paper::Done { points, left, ties, trace } = watch
            .time(SOLVE, || paper::step(bodies, &found, &mut self.forces, &self.options, joints));
        let depth = |point: &paper::Point| {
            let radius = point.ends.map(|end| self.prepared.radius(end.body));
            -point.gap(bodies) / (2.0 * radius[0].min(radius[1]))
        };
        let passes = self.options.velocity_iterations + self.options.position_iterations;
        let account = Account {
            contacts: found.len() as u32,
            pushing: points.len() as u32,
            penetration: points.iter().map(depth).fold(0.0, f64::max),
            passes: passes as u32,
            residual: 0.0,
        };
        let mut tallies: Vec<Tally> = found.iter().map(|found| Tally::new(found.key)).collect();
        points.iter().chain(&left).for_each(|point| point.count(&mut tallies, dt));
        let told = tallies.iter().filter_map(|tally| tally.contact(bodies, before));
        let ties = ties.iter().zip(&self.prepared.attachments).enumerate();
        let told = told.chain(ties.filter_map(|(number, (impulse, tie))| {
            let ends = [tie.particle as usize, bodies.index(tie.to)];
            soft::attachment(bodies, before, number, ends, impulse)
        }));
        Outcome { account, contacts: told.collect(), trace }
    }

    fn solve_by_default(
        &mut self,
        bodies: &mut Bodies,
        before: &Before,
        near: &[Near],
        watch: &mut Stopwatch,
    ) -> Outcome {
        let Quiet { last, found, contacts: held } =
            watch.time(DETECT, || self.hold_what_is_quiet(bodies, before));
        if self.memory.held.holds_all(bodies) {
            self.articulation.start(bodies);
            let count = held.len() as u32;
            let penetration = self.memory.held.depth();
            let account =
                Account { contacts: count, pushing: count, penetration, ..Default::default() };
            return Outcome { account, contacts: held, trace: Trace::default() };
        }
        self.soft.meet(bodies, near);
        let tools = Tools {
            bounce_speed: self.bounce_speed,
            detector: &mut self.detector,
            articulation: &mut self.articulation,
            soft: &mut self.soft,
            forces: &mut self.forces,
        };
        let is_first = self.memory.steps == 0;
        let (tallies, contacts, mut account) = watch.time(SOLVE, || {
            let mut solve = Solve::new(bodies, &found, last, tools, &self.options);
            solve.is_divided = self.memory.is_divided;
            solve.step(is_first, &mut self.memory.patience);
            self.memory.is_divided = solve.is_divided;
            solve.finish()
        });
        self.memory.contacts = contacts;
        let (touches, pushing, deepest) = self.soft.account(bodies);
        self.memory.audit.cloth = deepest;
        account.contacts += touches + held.len() as u32;
        account.pushing = (self.memory.contacts.len() + held.len()) as u32 + pushing;
        account.penetration = account.penetration.max(deepest).max(self.memory.held.depth());
        let mut told: Vec<Contact> =
            tallies.iter().filter_map(|tally| tally.contact(bodies, before)).collect();
        told.extend(self.soft.contacts(bodies, before));
        told.extend(held);
        let trace = self.soft.trace(self.prepared.model.cloths.len());
        Outcome { account, contacts: told, trace }
    }

    /// Wakes, keeps and holds islands; the pairs that are left for the step.
    fn hold_what_is_quiet(&mut self, bodies: &mut Bodies, before: &Before) -> Quiet {
        let (memory, dt) = (&mut self.memory, self.options.time_step);
        let mut last = std::mem::take(&mut memory.contacts);
        let mut wake = |woken: Vec<WarmStart>| {
            last.extend(woken);
            last.sort_unstable_by_key(|contact| contact.key);
        };
        wake(memory.held.wake_moved(bodies));
        if memory.held.holds_all(bodies) {
            memory.held.keep(bodies);
            return Quiet { last, found: Vec::new(), contacts: memory.held.contacts() };
        }
        let mut found = self.detector.candidates(bodies, &[], &self.forces, dt);
        wake(memory.held.wake_near(bodies, &found));
        detect::recall(&mut found, &last);
        memory.held.keep(bodies);
        let mut contacts = memory.held.contacts();
        let around = hold::Surroundings {
            found: &found,
            last: &last,
            before,
            articulation: &mut self.articulation,
            options: &self.options,
        };
        contacts.extend(memory.held.hold(bodies, around));
        memory.held.keep(bodies);
        detect::keep_moving(&mut found, bodies);
        Quiet { last, found, contacts }
    }

    fn moved(&self, bodies: &Bodies, state: &State, outcome: Outcome) -> Moved {
        let Outcome { account, contacts, trace } = outcome;
        let model = &self.prepared.model;
        let energy = model.mechanical_energy(state) + energy::of_forces(model, state);
        let (momentum, angular_momentum) = model.momentum(state);
        let ledger = Ledger {
            energy,
            momentum: momentum.to_array(),
            angular_momentum: angular_momentum.to_array(),
            penetration: account.penetration,
            rows: account.contacts,
            pushing: account.pushing,
            residual: account.residual,
            iterations: account.passes,
            joint_error: (!model.joints.is_empty()).then(|| joint_error(bodies)),
            ..Default::default()
        };
        let free = model.free().count() as u32;
        let report = Report {
            active: free,
            moving: free,
            rows: ledger.rows,
            iterations: ledger.iterations,
            ledger: Some(ledger),
        };
        let path = vec![Waypoint::new(state.clone(), energy)];
        Moved { kind: StepKind::Dynamics, path, contacts, trace: Box::new(trace), report }
    }
}

impl Stepper for Dynamics {
    fn parts(&self) -> &'static [&'static str] {
        &PARTS
    }

    /// One time step. A number that is none ends the run, and names the body.
    fn step(&mut self, state: &mut State) -> Result<Progress> {
        let several = self.prepared.world() >= SEVERAL_THREADS && rayon::current_num_threads() > 1;
        let moved = match several {
            // Inside the pool, handing out work is cheap.
            true => rayon::scope(|_| self.step_here(state)),
            false => self.step_here(state),
        };
        moved.map(Progress::Moved)
    }

    fn memory(&self) -> Vec<u8> {
        serde_json::to_vec(&self.memory).unwrap_or_default()
    }

    fn take_seconds(&mut self) -> Vec<f32> {
        self.watch.take()
    }

    fn broken(&self) -> Option<&Broken> {
        self.memory.audit.broken.as_ref()
    }
}

/// The largest distance by which a joint is off, in the larger radius of its bodies.
fn joint_error(bodies: &Bodies) -> f64 {
    let mut errors = [0.0; joints::MOST_ROWS];
    let mut worst = 0.0_f64;
    for joint in &bodies.prepared.joints {
        joints::Placed::new(bodies, joint).errors(bodies, joint, &mut errors);
        let size = joints::size(bodies, joint);
        let [lengths, angles] = joints::row_counts(joint, bodies.prepared.is_flat);
        for (k, error) in errors[..lengths + angles].iter().enumerate() {
            worst = worst.max(error.abs() / if k >= lengths { 1.0 } else { size });
        }
    }
    worst
}
