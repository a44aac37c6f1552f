//! Settle [M96 3.2]: fall by large inexact steps, polish by small tight ones, then
//! prove the rest, and leave it again where it is not stable.
//!
//! `cell` cuts the convex cell out of free space and finds the best motion in it,
//! `certificate` proves rest, `second_order` asks whether that rest is stable,
//! and `escape` leaves it where it is not. Here bodies move and do not turn; `turn` is for those
//! that do.

mod cell;
mod certificate;
mod coarse;
mod cone;
mod escape;
mod fall;
mod fields;
mod grades;
mod memory;
mod null_space;
mod plan;
mod prestress;
mod reach;
mod refine;
mod rest;
#[cfg(test)]
mod samples;
mod second_order;
mod stiffness;
#[cfg(test)]
mod tests;
pub(crate) mod turn;

pub(crate) use rest::certify;

use std::sync::Arc;

use super::{Moved, Progress, Stepper, Stopwatch, Waypoint, recall};
use crate::contact::{Cores, Key, Other};
use crate::energy;
use crate::math::{DVec3, RESIDUAL_LIMIT, SKIN};
use crate::problem::{Problem, Result};
use crate::scene::{Reach, SettleOptions, StepForm};
use crate::solver::{Accuracy, MANY, Program};
use crate::world::{Body, Model, Report, State, StepKind};
use cell::{Found, best_motion, first_program};
use certificate::balance;
use escape::escape;
use fall::{SIZES, composed_motion};
use fields::down;
use grades::Grades;
use memory::{Memory, Stage, smoothing};
use plan::{COARSE_STRETCH, FINE_STRETCH, Plan, Stand};
use prestress::{calm, thrifty};
use rest::rest;
use second_order::examine;

/// The parts of a step, by their numbers in [`PARTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Near,
    FreeSpace,
    Solve,
    Sweep,
    Certificate,
}

/// The names of the parts, in the order of [`Part`].
const PARTS: [&str; 5] = ["near", "contact", "solve", "sweep", "certificate"];

/// Polishing ends when a step gains less than this per body, in weights times radii.
const POLISHED: f64 = 1e-10;
/// Polishing is never finer than this.
const FINEST: f64 = 1e-24;
/// Contacts that hardly press are not closed more finely than this.
const CLOSING: f64 = 2e-12;
/// Forces that balance no better are sought once more.
const ROUGH: f64 = 0.5 * RESIDUAL_LIMIT;
/// A polish step that gains more than this shows that the fall is not over.
const NOT_AT_REST: f64 = 1e-5;
const MOST_POLISHES: u32 = 80;
const MOST_ESCAPES: u32 = 30;
/// A motion that does not lower the energy is halved so many times.
const MOST_HALVINGS: u32 = 30;

/// A body that moved less than this many radii falls asleep ...
const SLEEPS: f64 = 0.1;
/// ... and wakes when one that moved more than this ...
const WAKES: f64 = 0.2;
/// ... is closer than this.
const WAKE_GAP: f64 = 0.02;
/// At least every so many steps, everybody is awake ...
const FULL_EVERY: u32 = 12;
/// ... and when a step gains less than this part of the last full one.
const FULL_BELOW: f64 = 0.3;
/// Near rest, sleeping only adds steps: below this gain per body all steps are full.
const FALLING: f64 = 0.02;

/// In the fall, so much of what leaning rows cannot do is put into the cost: all of it would make
/// the last steps before rest too bold.
const URGE: f64 = 0.5;
/// Steps of a polish in one direction until three quarters of it are: as in Nesterov's method,
/// which starts anew whenever it went too far.
const GATHERS: f64 = 3.0;

/// Acceleration [M96 4.4]: a box grows by this much of the reach ...
const GROWTH: f64 = 0.25;
/// ... while its body uses nearly all of it, up to this size.
const TALLEST: f64 = 16.0;

/// A bar must have this much room between its least and its greatest length, in units of the
/// length: ropes keep a skin of their own.
const BAR_ROOM: f64 = 4.0 * SKIN;

/// The method, between two steps.
///
/// ```
/// use riprap::step::settle::Settle;
/// use riprap::step::{Progress, Stepper};
/// use std::sync::Arc;
///
/// let scene = riprap::scene::gallery::scene("box-3")?;
/// let (model, mut state) = riprap::world::build(&scene)?;
/// let mut settle = Settle::start(Arc::new(model), &state, None, || 0.0)?;
/// let rest = loop {
///     if let Progress::Rest(rest) = settle.step(&mut state)? {
///         break rest;
///     }
/// };
/// assert!(rest.is_proved());
/// # Ok::<(), riprap::Problem>(())
/// ```
pub struct Settle {
    cores: Cores,
    options: SettleOptions,
    memory: Memory,
    watch: Stopwatch,
}

impl Stepper for Settle {
    fn parts(&self) -> &'static [&'static str] {
        &PARTS
    }

    fn step(&mut self, state: &mut State) -> Result<Progress> {
        loop {
            let moved = match self.memory.stage {
                Stage::Fall => self.fall(state),
                Stage::Polish => self.polish(state),
                Stage::Judge => match self.judge(state) {
                    Some(Progress::Rest(rest)) => return Ok(Progress::Rest(rest)),
                    Some(Progress::Moved(moved)) => Some(moved),
                    None => None,
                },
            };
            if let Some(moved) = moved {
                for waypoint in &moved.path {
                    coarse::check(&self.cores.model, &waypoint.state)?;
                }
                if let Some(last) = moved.path.last() {
                    state.clone_from(&last.state);
                }
                return Ok(Progress::Moved(moved));
            }
        }
    }

    fn memory(&self) -> Vec<u8> {
        serde_json::to_vec(&self.memory).expect("plain numbers can be written")
    }

    fn take_seconds(&mut self) -> Vec<f32> {
        self.watch.take()
    }

    fn near_rest(&self) -> bool {
        self.memory.stage != Stage::Fall
    }
}

impl Settle {
    /// Ready for the first step from a state, or, with what [`Stepper::memory`] gave, for the
    /// one that would have followed. Bodies stay as they are turned in `state`.
    pub fn start(
        model: Arc<Model>,
        state: &State,
        memory: Option<&[u8]>,
        clock: fn() -> f64,
    ) -> Result<Self> {
        check_joints(&model)?;
        let (options, n) = (model.method.settle(), model.bodies.len());
        let cores = Cores::new(model, state);
        let memory = match memory {
            Some(memory) => recall(memory)?,
            None => Memory::new(&cores, &options),
        };
        if [memory.heights.len(), memory.motion.len(), memory.asleep.len()] != [n; 3] {
            return Err(Problem::new("the checkpoint belongs to another scene"));
        }
        Ok(Settle { cores, options, memory, watch: Stopwatch::new(clock, PARTS.len()) })
    }

    /// The gain of energy, in what all bodies' largest forces do over their radii.
    fn gain(&self, state: &State, found: &Found) -> f64 {
        let model = &self.cores.model;
        let largest = energy::forces(model, state).largest;
        let grades = self.grades(state);
        let members = model.free().filter(|&i| grades.of(i) >= self.memory.grade);
        let scale: f64 = members.map(|i| largest[i] * model.bodies[i].radius).sum();
        if scale > 0.0 { found.decrease / scale } else { 0.0 }
    }

    /// The program of a step of everybody from here, in the method's own units
    /// (a typical radius and a typical weight are 1), with its warm start: for
    /// benchmarks and for those who want to look inside.
    pub fn program(&mut self, state: &State) -> (Program, Vec<f64>) {
        let everybody = free(&self.cores.model);
        let plan = self.fall_plan();
        first_program(&self.cores, state, &everybody, &plan, &self.memory, &mut self.watch)
    }

    fn fall_plan(&self) -> Plan {
        let SettleOptions { reach, reach_radii, proximal, conservative, .. } = self.options;
        Plan {
            reach,
            reach_radii,
            proximal,
            conservative: if self.memory.conservative_done { 0.0 } else { conservative },
            accuracy: Accuracy {
                relative: self.options.early_stop,
                absolute: 0.01 * self.options.tolerance * self.cores.model.bodies.len() as f64,
                max_iterations: 60,
            },
            lazy: true,
            forces: if self.memory.paper_done { Stand::Bounds } else { Stand::AsAsked },
            stretch: COARSE_STRETCH,
            momentum: if self.options.step == StepForm::Leaning { URGE } else { 0.0 },
            grade: self.memory.grade,
            hold: f64::INFINITY,
        }
    }

    /// A large step of the bodies that are awake; `None` if it did not move anything.
    fn fall(&mut self, state: &State) -> Option<Moved> {
        let tolerance = self.options.tolerance;
        let full = self.memory.since_full >= FULL_EVERY || self.memory.asleep.iter().all(|a| *a);
        if full {
            self.memory.asleep.fill(false);
        }
        let grades = self.grades(state);
        let graded = self.graded(&grades);
        let awake: Vec<bool> =
            self.memory.asleep.iter().zip(graded).map(|(asleep, moves)| moves && !asleep).collect();
        let full = !self.memory.asleep.contains(&true);
        let mut plan = self.fall_plan();
        let (mut found, mut in_zones) = self.best_fall(state, &awake, &plan);
        let mut gain = self.gain(state, &found);
        if gain < tolerance && self.memory.is_moving() {
            // Perhaps the expected motion stood in the way.
            plan.momentum = 0.0;
            (found, in_zones) = self.best_fall(state, &awake, &plan);
            gain = self.gain(state, &found);
        }
        self.memory.gain = gain;
        self.memory.steps = self.memory.steps.wrapping_add(1);
        let moved = self.advance(state, found, &plan, StepKind::Settle, &awake);
        if full {
            self.memory.full_decrease = gain;
        }
        if gain < tolerance && full && !in_zones {
            match self.next_grade(&grades) {
                true => {}
                false if !self.memory.conservative_done => self.memory.conservative_done = true,
                // Smoothing [M96 3.3.3]: bodies that rest are rounded less, and settle on.
                false if self.memory.smoothing > smoothing(&self.cores, &self.options)[1] => {
                    self.memory.smoothing *= 0.5;
                }
                false => {
                    self.memory.stage = Stage::Polish;
                    self.memory.paper_done = true;
                }
            }
        }
        if gain < FULL_BELOW * self.memory.full_decrease || gain < FALLING {
            self.memory.asleep.fill(false);
        }
        self.memory.since_full = if full { 0 } else { self.memory.since_full.saturating_add(1) };
        moved
    }

    /// A small, tight step of everybody.
    fn polish(&mut self, state: &State) -> Option<Moved> {
        let forces = energy::forces(&self.cores.model, state);
        let grades = Grades::new(&self.cores.model, &forces);
        let plan = Plan {
            reach: Reach::RotatedCube,
            reach_radii: if self.memory.polished < POLISHED { 1e-3 } else { 0.1 },
            proximal: 1e-4,
            conservative: 0.0,
            accuracy: Accuracy {
                relative: 1e-6,
                absolute: 0.01
                    * self.memory.polished.max(1e-17)
                    * self.cores.model.bodies.len() as f64,
                max_iterations: 60,
            },
            lazy: true,
            forces: Stand::Bounds,
            stretch: FINE_STRETCH,
            momentum: 0.0,
            grade: self.memory.grade,
            hold: grades.hold(&self.cores.model, &forces, self.memory.grade),
        };
        let graded = self.graded(&grades);
        let expected = self.memory.onwards > 0;
        let found = self.best_polish(state, &graded, &plan);
        let gain = self.gain(state, &found);
        let all_the_way = gain > self.memory.polished && self.used_up(&found, &plan);
        let moved = self.advance(state, found, &plan, StepKind::Polish, &graded);
        self.memory.polishes += 1;
        if all_the_way {
            // A long way to go, however little each step of it gains.
            let coarse = self.memory.polished == POLISHED;
            self.memory.polished = POLISHED;
            self.memory.grade = 0;
            self.memory.stage = if coarse { Stage::Fall } else { Stage::Polish };
            return moved;
        }
        if gain < self.memory.polished && expected {
            // What swings gains little where it turns: it ends when nothing is expected of it.
            self.memory.onwards = 0;
        } else if gain < self.memory.polished || self.memory.polishes >= MOST_POLISHES {
            self.memory.polishes = 0;
            if !self.next_grade(&grades) {
                self.memory.stage = Stage::Judge;
            }
        } else if gain > NOT_AT_REST {
            self.memory.stage = Stage::Fall;
        }
        moved
    }

    /// Proves the rest, or leaves it; `None` if it needs more polish first.
    fn judge(&mut self, state: &State) -> Option<Progress> {
        let Settle { cores, memory, watch, .. } = self;
        let mut balance = balance(cores, state, memory, watch);
        if balance.residual > ROUGH {
            let fewest = || thrifty(cores, state, &balance);
            balance = watch.time(Part::Certificate as usize, fewest).unwrap_or(balance);
        }
        // Where no contact holds a body, or a column leans by its play, energy sees a force only as its square.
        let is_rough = balance.residual > ROUGH;
        let is_loose = cores.are_balls() && balance.is_loose(&cores.model, state);
        let finest = if is_rough { FINEST } else { CLOSING };
        if (is_rough || is_loose) && memory.polished > finest {
            memory.polished *= 0.01;
            memory.stage = Stage::Polish;
            return None;
        }
        let examine = || examine(cores, state, &balance);
        let stability = watch.time(Part::Certificate as usize, examine);
        if stability.unstable > 0 && memory.escapes < MOST_ESCAPES {
            memory.escapes += 1;
            if let Some(path) = escape(cores, state, &stability.ways, memory, watch) {
                memory.stage = Stage::Fall;
                memory.polished = POLISHED;
                memory.asleep.fill(false);
                memory.multipliers.clear();
                memory.motion.fill([0.0; 3]);
                let n = cores.model.bodies.len() as u32;
                let report = Report { active: n, moving: n, ..Report::default() };
                let kind = StepKind::Escape;
                let (contacts, trace) = Default::default();
                return Some(Progress::Moved(Moved { kind, path, contacts, trace, report }));
            }
        }
        // Forces that are not unique may press more than they need, and seem to give way.
        let calm = || (stability.unstable > 0).then(|| calm(cores, state, &balance)).flatten();
        let calmer = watch.time(Part::Certificate as usize, calm);
        let (balance, stability) = calmer.unwrap_or((balance, stability));
        Some(Progress::Rest(rest(cores, state, balance, stability)))
    }

    fn grades(&self, state: &State) -> Grades {
        Grades::new(&self.cores.model, &energy::forces(&self.cores.model, state))
    }

    /// The bodies whose turn it is: those that are no heavier than the present grade.
    fn graded(&self, grades: &Grades) -> Vec<bool> {
        let free = free(&self.cores.model).into_iter().enumerate();
        free.map(|(i, free)| free && grades.of(i) >= self.memory.grade).collect()
    }

    /// Goes on to the next lighter grade of bodies, or back to all; whether there is a lighter one.
    fn next_grade(&mut self, grades: &Grades) -> bool {
        let is_there = self.memory.grade < grades.last();
        self.memory.grade = if is_there { self.memory.grade + 1 } else { 0 };
        is_there
    }

    /// Whether some body was stopped by its reach rather than by what it felt.
    /// Without forces and joints the gain alone tells.
    fn used_up(&self, found: &Found, plan: &Plan) -> bool {
        let far = |(d, body): (&DVec3, &Body)| d.length() > 0.9 * plan.reach_radii * body.radius;
        let model = &self.cores.model;
        model.has_forces() && found.motion.iter().zip(&model.bodies).any(far)
    }

    /// With the curvature of the energies where that lowers the energy, else with their bounds.
    fn best_polish(&mut self, state: &State, active: &[bool], plan: &Plan) -> Found {
        if !self.cores.model.forces.is_empty() {
            let onwards = f64::from(self.memory.onwards);
            let momentum = onwards / (onwards + GATHERS);
            let curved = Plan { forces: Stand::Curvature, momentum, ..*plan };
            let found = self.best(state, active, &curved);
            let last = (0..).zip(&found.motion).map(|(i, d)| self.memory.last_motion(i).dot(*d));
            match last.sum::<f64>() > 0.0 && found.decrease > 0.0 {
                true => self.memory.onwards += 1,
                false => self.memory.onwards = 0,
            }
            if found.decrease > 0.0 {
                return found;
            }
        }
        self.best(state, active, plan)
    }

    /// The motion of a fall; whether it was found in zones. Balls under gravity need not be solved
    /// together; the paper's step is one program.
    fn best_fall(&mut self, state: &State, awake: &[bool], plan: &Plan) -> (Found, bool) {
        let Settle { cores, options, memory, watch } = self;
        let is_plain = options.step != StepForm::Leaning;
        let is_small = cores.model.bodies.len() < MANY;
        if is_small || is_plain || !cores.are_balls() || cores.model.has_forces() {
            return (self.best(state, awake, plan), false);
        }
        composed_motion(cores, state, awake, plan, SIZES, memory, watch)
    }

    fn best(&mut self, state: &State, active: &[bool], plan: &Plan) -> Found {
        let Settle { cores, memory, watch, .. } = self;
        let mut found = best_motion(cores, state, active, plan, memory, None, watch);
        // Only the paper's forms of energies can fail to lower the true energy. The
        // cell is convex, so any part of the motion is valid, too.
        for _ in 0..MOST_HALVINGS {
            if found.decrease > 0.0 || cores.model.forces.is_empty() {
                break;
            }
            found.motion.iter_mut().for_each(|d| *d *= 0.5);
            found.decrease = energy::decrease(&cores.model, state, &found.motion);
        }
        found
    }

    /// Takes over a motion that lowers the true energy, and remembers what the next step needs.
    fn advance(
        &mut self,
        state: &State,
        found: Found,
        plan: &Plan,
        kind: StepKind,
        active: &[bool],
    ) -> Option<Moved> {
        let rows = found.rows.len() as u32;
        let (model, memory) = (Arc::clone(&self.cores.model), &mut self.memory);
        let fresh = found.rows.iter().map(|(row, force)| (row.key, *force)).collect();
        let was_active =
            |key: &Key| active[key.body as usize] || key.second(&model).is_some_and(|j| active[j]);
        memory.keep_multipliers(fresh, was_active);
        let next = moved(state, &found.motion);
        let energy = energy::energy(&model, &next);
        // The decrease is exact, the energies are rounded sums. Gravity moves
        // in steps that both can tell; forces come to rest in far smaller ones.
        let falls =
            found.decrease > 0.0 && (model.has_forces() || energy <= energy::energy(&model, state));
        if !falls {
            memory.motion.fill([0.0; 3]);
            memory.heights.fill(1.0);
            return None;
        }
        self.grow_boxes(state, &found.motion, plan);
        if self.options.step == StepForm::Leaning {
            self.fall_asleep(&next, &found.motion);
        }
        let memory = &mut self.memory;
        memory.motion = found.motion.iter().map(|d| d.to_array()).collect();
        let far = |i: &usize| found.motion[*i].length() > SLEEPS * model.bodies[*i].radius;
        let report = Report {
            active: active.iter().filter(|a| **a).count() as u32,
            moving: (0..model.bodies.len()).filter(far).count() as u32,
            rows,
            iterations: found.iterations,
            ledger: None,
        };
        let path = vec![Waypoint::new(next, energy)];
        let (contacts, trace) = Default::default();
        Some(Moved { kind, path, contacts, trace, report })
    }

    fn grow_boxes(&mut self, state: &State, motion: &[DVec3], plan: &Plan) {
        if plan.reach != Reach::GrowingBox {
            return;
        }
        let model = &self.cores.model;
        let forces = energy::forces(model, state);
        for (i, d) in motion.iter().enumerate() {
            let down = down(model, &forces, i);
            let height = &mut self.memory.heights[i];
            let allowed = *height * plan.reach_radii * model.bodies[i].radius;
            let used = d.dot(down) >= 0.9 * allowed;
            *height = if used { (*height + GROWTH).min(TALLEST) } else { 1.0 };
        }
    }

    /// Bodies that hardly moved sleep until a neighbour moves far.
    fn fall_asleep(&mut self, state: &State, motion: &[DVec3]) {
        let Settle { cores, memory, .. } = self;
        let model = &*cores.model;
        let moved = |i: usize| motion[i].length() / model.bodies[i].radius;
        for i in 0..model.bodies.len() {
            if !memory.asleep[i] {
                memory.asleep[i] = moved(i) < SLEEPS;
            }
        }
        let keys: Vec<Key> = memory.multipliers.iter().map(|(key, _)| *key).collect();
        for key in keys {
            let (i, Some(j)) = (key.body as usize, key.second(model)) else { continue };
            let gap = match key.other {
                Other::Pieces(..) => {
                    let [a, b] = [i, j].map(|k| cores.extent(k).moved(state.positions[k]));
                    a.gap(&b) - 2.0 * memory.smoothing
                }
                Other::Rope(joint) | Other::Strut(joint) => slack(model, state, joint, key.other),
                _ => {
                    let distance = state.positions[i].distance(state.positions[j]);
                    distance - (model.bodies[i].radius + model.bodies[j].radius)
                }
            };
            if gap < WAKE_GAP * model.bodies[i].radius.min(model.bodies[j].radius) {
                memory.asleep[i] &= moved(j) <= WAKES;
                memory.asleep[j] &= moved(i) <= WAKES;
            }
        }
    }
}

/// How far the ends of a joint are from what a row of it forbids.
fn slack(model: &Model, state: &State, joint: u32, row: Other) -> f64 {
    let joint = &model.joints[joint as usize];
    let [least, most] = joint.distance().unwrap_or([0.0, f64::INFINITY]);
    let [a, b] = joint.ends(state);
    match row {
        Other::Strut(_) => a.distance(b) - least,
        _ => most - a.distance(b),
    }
}

/// Which bodies forces move.
fn free(model: &Model) -> Vec<bool> {
    model.bodies.iter().map(Body::is_free).collect()
}

/// A state with all bodies moved on.
fn moved(state: &State, motion: &[DVec3]) -> State {
    let positions = state.positions.iter().zip(motion).map(|(p, d)| *p + *d).collect();
    State { positions, ..state.clone() }
}

/// Bodies that do not turn can be held by distances only.
fn check_joints(model: &Model) -> Result<()> {
    for (number, joint) in model.joints.iter().enumerate() {
        let (Some([least, most]), Some(_)) = (joint.distance(), joint.bodies[0]) else {
            return Err(Problem::new(format!("joint {number} is neither a rope nor a bar"))
                .help("the method settle knows no other joints"));
        };
        if least > most * (1.0 - BAR_ROOM) {
            return Err(Problem::new(format!("joint {number} has no room between its lengths"))
                .help("a bar of the method settle needs a tolerance"));
        }
    }
    Ok(())
}
