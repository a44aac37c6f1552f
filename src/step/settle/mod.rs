//! Settle [M96 3.2]: fall by large inexact steps, polish by small tight ones, then
//! prove the rest, and leave it again where it is not stable.

use super::cell::{COARSE_STRETCH, FINE_STRETCH, Found, Plan, Stand, best_motion, first_program};
use super::certificate::{Balance, balance, weigh};
use super::escape::escape;
use super::fields::down;
use super::memory::{Memory, Phase};
use super::second_order::{Stability, examine};
use super::{Act, Stopwatch};
use crate::contact::{Key, Other, Row, normal_is_a_choice};
use crate::energy;
use crate::math::{DVec3, RESIDUAL_LIMIT};
use crate::problem::{Problem, Result};
use crate::scene::Reach;
use crate::solver::{Accuracy, Program};
use crate::world::{Body, Model, State};

/// Polishing ends when a step gains less than this per body, in weights times radii.
pub(super) const POLISHED: f64 = 1e-10;
/// Polishing is never finer than this.
const FINEST: f64 = 1e-24;
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

/// Acceleration [M96 4.4]: a box grows by this much of the reach ...
const GROWTH: f64 = 0.25;
/// ... while its body uses nearly all of it, up to this size.
const TALLEST: f64 = 16.0;

/// The method, between two steps.
pub struct Settle<'a> {
    model: &'a Model,
    memory: Memory,
    watch: Stopwatch,
}

/// What one call of [`Settle::step`] did.
#[derive(Clone, Debug)]
pub enum Progress {
    /// The state moved on.
    Moved(Moved),
    /// The state is at rest, and this is why.
    Rest(Rest),
}

/// Why a step was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Settle,
    Polish,
    Escape,
}

/// A step that was made.
#[derive(Clone, Debug)]
pub struct Moved {
    pub kind: Kind,
    /// The configurations to pass through, the last one being the new state;
    /// between them the motion is straight.
    pub path: Vec<State>,
    pub active: u32,
    pub moving: u32,
    pub rows: u32,
    pub iterations: u32,
}

/// A contact at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pressed {
    pub key: Key,
    /// Unit vector from the other side to the body.
    pub normal: DVec3,
    pub force: f64,
    /// Corners of solids face each other: without smoothing, no side says
    /// along which normal they press.
    pub choice: bool,
}

/// A certified rest.
#[derive(Clone, Debug)]
pub struct Rest {
    /// Touching pairs and their forces.
    pub contacts: Vec<Pressed>,
    pub residual: f64,
    pub bound: f64,
    pub unknowns: usize,
    pub null_modes: usize,
    pub unstable_modes: usize,
    pub margin: f64,
}

impl Rest {
    /// Whether the forces balance as well as a certificate asks for.
    pub fn is_proved(&self) -> bool {
        self.residual <= RESIDUAL_LIMIT
    }

    /// In words.
    pub fn verdict(&self) -> &'static str {
        match (self.null_modes, self.unstable_modes) {
            _ if !self.is_proved() => "forces do not balance",
            (0, _) => "strict minimum",
            (_, 0) => "minimum up to neutral modes",
            _ => "degenerate: an unstable mode was found, but no way out of it",
        }
    }
}

impl<'a> Settle<'a> {
    /// `clock` gives seconds from any fixed moment; it only feeds the timing table.
    pub fn new(model: &'a Model, clock: fn() -> f64) -> Self {
        Self::with(model, Memory::new(model), clock)
    }

    /// Goes on from what [`Settle::memory`] gave.
    pub fn resume(model: &'a Model, memory: &[u8], clock: fn() -> f64) -> Result<Self> {
        let memory: Memory = serde_json::from_slice(memory)
            .map_err(|e| Problem::new(format!("the checkpoint cannot be read: {e}")))?;
        let n = model.bodies.len();
        if [memory.heights.len(), memory.motion.len(), memory.asleep.len()] != [n; 3] {
            return Err(Problem::new("the checkpoint belongs to another scene"));
        }
        Ok(Self::with(model, memory, clock))
    }

    fn with(model: &'a Model, memory: Memory, clock: fn() -> f64) -> Self {
        Settle { model, memory, watch: Stopwatch::new(clock) }
    }

    /// The gain of energy, in what all bodies' largest forces do over their radii.
    fn gain(&self, state: &State, found: &Found) -> f64 {
        let largest = energy::forces(self.model, state).largest;
        let bodies = self.model.bodies.iter().zip(largest).filter(|(body, _)| !body.fixed);
        let scale: f64 = bodies.map(|(body, force)| force * body.radius).sum();
        if scale > 0.0 { found.decrease / scale } else { 0.0 }
    }

    /// All that the next step depends on, besides the state.
    pub fn memory(&self) -> Vec<u8> {
        serde_json::to_vec(&self.memory).expect("plain numbers can be written")
    }

    /// Seconds per act since the last call.
    pub fn take_seconds(&mut self) -> Vec<f32> {
        self.watch.take()
    }

    /// Whether the main loop is over and rest is being polished or judged.
    pub fn at_first_order_rest(&self) -> bool {
        self.memory.phase != Phase::Fall
    }

    /// Makes one step: changes `state`, or finds that it is at rest.
    pub fn step(&mut self, state: &mut State) -> Progress {
        loop {
            let moved = match self.memory.phase {
                Phase::Fall => self.fall(state),
                Phase::Polish => self.polish(state),
                Phase::Judge => match self.judge(state) {
                    Some(Progress::Rest(rest)) => return Progress::Rest(rest),
                    Some(Progress::Moved(moved)) => Some(moved),
                    None => None,
                },
            };
            if let Some(moved) = moved {
                *state = moved.path.last().expect("a step has a path").clone();
                return Progress::Moved(moved);
            }
        }
    }

    /// The program of a step of everybody from here, in the method's own units
    /// (a typical radius and a typical weight are 1), with its warm start: for
    /// benchmarks and for those who want to look inside.
    pub fn program(&mut self, state: &State) -> (Program, Vec<f64>) {
        let everybody = self.model.free();
        let plan = self.fall_plan();
        first_program(self.model, state, &everybody, &plan, &self.memory, &mut self.watch)
    }

    fn fall_plan(&self) -> Plan {
        let settle = &self.model.settle;
        Plan {
            reach: settle.reach,
            reach_radii: settle.reach_radii,
            proximal: settle.proximal,
            conservative: if self.memory.conservative_done { 0.0 } else { settle.conservative },
            accuracy: Accuracy {
                relative: settle.early_stop,
                absolute: 0.01 * settle.tolerance * self.model.bodies.len() as f64,
                max_iterations: 60,
            },
            lazy: true,
            forces: if self.memory.paper_done { Stand::Bounds } else { Stand::AsAsked },
            stretch: COARSE_STRETCH,
            momentum: true,
        }
    }

    /// A large step of the bodies that are awake; `None` if it did not move anything.
    fn fall(&mut self, state: &State) -> Option<Moved> {
        let tolerance = self.model.settle.tolerance;
        let full = self.memory.since_full >= FULL_EVERY || self.memory.asleep.iter().all(|a| *a);
        if full {
            self.memory.asleep.fill(false);
        }
        let free = self.model.free();
        let awake: Vec<bool> =
            self.memory.asleep.iter().zip(free).map(|(asleep, free)| free && !asleep).collect();
        let full = !self.memory.asleep.contains(&true);
        let mut plan = self.fall_plan();
        let mut found = self.best(state, &awake, &plan);
        let mut gain = self.gain(state, &found);
        if gain < tolerance && self.memory.is_moving() {
            // Perhaps the expected motion stood in the way.
            plan.momentum = false;
            found = self.best(state, &awake, &plan);
            gain = self.gain(state, &found);
        }
        let moved = self.advance(state, found, &plan, Kind::Settle, &awake);
        if full {
            self.memory.full_decrease = gain;
        }
        if gain < tolerance && full {
            match self.memory.conservative_done {
                false => self.memory.conservative_done = true,
                // Smoothing [M96 3.3.3]: solids that rest are rounded less, and settle on.
                true if self.memory.smoothing > self.model.smoothing()[1] => {
                    self.memory.smoothing *= 0.5;
                }
                true => {
                    self.memory.phase = Phase::Polish;
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
        let plan = Plan {
            reach: Reach::RotatedCube,
            reach_radii: if self.memory.polished < POLISHED { 1e-3 } else { 0.1 },
            proximal: 1e-4,
            conservative: 0.0,
            accuracy: Accuracy {
                relative: 1e-6,
                absolute: 0.01 * self.memory.polished.max(1e-17) * self.model.bodies.len() as f64,
                max_iterations: 60,
            },
            lazy: true,
            forces: Stand::Bounds,
            stretch: FINE_STRETCH,
            momentum: false,
        };
        let everybody = self.model.free();
        let found = self.best_polish(state, &everybody, &plan);
        let gain = self.gain(state, &found);
        let all_the_way = gain > self.memory.polished && self.used_up(&found, &plan);
        let moved = self.advance(state, found, &plan, Kind::Polish, &everybody);
        self.memory.polishes += 1;
        if all_the_way {
            // A long way to go, however little each step of it gains.
            let coarse = self.memory.polished == POLISHED;
            self.memory.polished = POLISHED;
            self.memory.phase = if coarse { Phase::Fall } else { Phase::Polish };
            return moved;
        }
        if gain < self.memory.polished || self.memory.polishes >= MOST_POLISHES {
            self.memory.phase = Phase::Judge;
            self.memory.polishes = 0;
        } else if gain > NOT_AT_REST {
            self.memory.phase = Phase::Fall;
        }
        moved
    }

    /// Proves the rest, or leaves it; `None` if it needs more polish first.
    fn judge(&mut self, state: &State) -> Option<Progress> {
        let (model, memory, watch) = (self.model, &mut self.memory, &mut self.watch);
        let balance = balance(model, state, memory, watch);
        // Where no contact holds a body, energy sees a force only as its square.
        let delicate = model.has_forces() || model.has_solids();
        let is_rough = balance.residual > 0.5 * RESIDUAL_LIMIT && delicate;
        if is_rough && memory.polished > FINEST {
            memory.polished *= 0.01;
            memory.phase = Phase::Polish;
            return None;
        }
        let stability = watch.time(Act::Certificate, || examine(model, state, &balance));
        if !stability.unstable.is_empty() && memory.escapes < MOST_ESCAPES {
            memory.escapes += 1;
            if let Some(path) = escape(model, state, &stability.unstable, memory, watch) {
                memory.phase = Phase::Fall;
                memory.polished = POLISHED;
                memory.asleep.fill(false);
                memory.multipliers.clear();
                memory.motion.fill([0.0; 3]);
                let n = model.bodies.len() as u32;
                let moved = Moved {
                    kind: Kind::Escape,
                    path,
                    active: n,
                    moving: n,
                    rows: 0,
                    iterations: 0,
                };
                return Some(Progress::Moved(moved));
            }
        }
        Some(Progress::Rest(rest(model, state, balance, stability)))
    }

    /// Whether some body was stopped by its reach rather than by what it felt.
    /// Without forces and links the gain alone tells.
    fn used_up(&self, found: &Found, plan: &Plan) -> bool {
        let far = |(d, body): (&DVec3, &Body)| d.length() > 0.9 * plan.reach_radii * body.radius;
        self.model.has_forces() && found.motion.iter().zip(&self.model.bodies).any(far)
    }

    /// With the curvature of the energies where that lowers the energy, else with their bounds.
    fn best_polish(&mut self, state: &State, active: &[bool], plan: &Plan) -> Found {
        if !self.model.terms.is_empty() {
            let curved = Plan { forces: Stand::Curvature, ..*plan };
            let found = self.best(state, active, &curved);
            if found.decrease > 0.0 {
                return found;
            }
        }
        self.best(state, active, plan)
    }

    fn best(&mut self, state: &State, active: &[bool], plan: &Plan) -> Found {
        let model = self.model;
        let mut found =
            best_motion(model, state, active, plan, &self.memory, None, &mut self.watch);
        // Only the paper's forms of energies can fail to lower the true energy. The
        // cell is convex, so any part of the motion is valid, too.
        for _ in 0..MOST_HALVINGS {
            if found.decrease > 0.0 || model.terms.is_empty() {
                break;
            }
            found.motion.iter_mut().for_each(|d| *d *= 0.5);
            found.decrease = energy::decrease(model, state, &found.motion);
        }
        found
    }

    /// Takes over a motion that lowers the true energy, and remembers what the next step needs.
    fn advance(
        &mut self,
        state: &State,
        found: Found,
        plan: &Plan,
        kind: Kind,
        active: &[bool],
    ) -> Option<Moved> {
        let rows = found.rows.len() as u32;
        let (model, memory) = (self.model, &mut self.memory);
        let fresh = found.rows.iter().map(|(row, force)| (row.key, *force)).collect();
        let was_active =
            |key: &Key| active[key.body as usize] || key.second(model).is_some_and(|j| active[j]);
        memory.keep_multipliers(fresh, was_active);
        let next: Vec<DVec3> =
            state.positions.iter().zip(&found.motion).map(|(p, d)| *p + *d).collect();
        let next = State { positions: next };
        // The decrease is exact, the energies are rounded sums. Gravity moves
        // in steps that both can tell; forces come to rest in far smaller ones.
        let falls = found.decrease > 0.0
            && (model.has_forces() || energy::energy(model, &next) <= energy::energy(model, state));
        if !falls {
            memory.motion.fill([0.0; 3]);
            memory.heights.fill(1.0);
            return None;
        }
        self.grow_boxes(state, &found.motion, plan);
        self.fall_asleep(&next, &found.motion);
        let memory = &mut self.memory;
        memory.motion = found.motion.iter().map(|d| d.to_array()).collect();
        let far = |i: &usize| found.motion[*i].length() > SLEEPS * model.bodies[*i].radius;
        Some(Moved {
            kind,
            path: vec![next],
            active: active.iter().filter(|a| **a).count() as u32,
            moving: (0..model.bodies.len()).filter(far).count() as u32,
            rows,
            iterations: found.iterations,
        })
    }

    fn grow_boxes(&mut self, state: &State, motion: &[DVec3], plan: &Plan) {
        if plan.reach != Reach::GrowingBox {
            return;
        }
        let forces = energy::forces(self.model, state);
        for (i, d) in motion.iter().enumerate() {
            let down = down(self.model, &forces, i);
            let height = &mut self.memory.heights[i];
            let allowed = *height * plan.reach_radii * self.model.bodies[i].radius;
            let used = d.dot(down) >= 0.9 * allowed;
            *height = if used { (*height + GROWTH).min(TALLEST) } else { 1.0 };
        }
    }

    /// Bodies that hardly moved sleep until a neighbour moves far.
    fn fall_asleep(&mut self, state: &State, motion: &[DVec3]) {
        let model = self.model;
        let moved = |i: usize| motion[i].length() / model.bodies[i].radius;
        let memory = &mut self.memory;
        for i in 0..model.bodies.len() {
            if !memory.asleep[i] {
                memory.asleep[i] = moved(i) < SLEEPS;
            }
        }
        let keys: Vec<Key> = memory.multipliers.iter().map(|(key, _)| *key).collect();
        for key in keys {
            let (i, Some(j)) = (key.body as usize, key.second(model)) else { continue };
            let distance = state.positions[i].distance(state.positions[j]);
            let gap = match key.other {
                Other::Pieces(..) => {
                    let [a, b] = [i, j].map(|k| model.extent(k).moved(state.positions[k]));
                    a.gap(&b) - 2.0 * memory.smoothing
                }
                Other::Rope(k) => model.links[k as usize].length - distance,
                Other::Strut(k) => distance - model.links[k as usize].shortest(),
                _ => distance - (model.bodies[i].radius + model.bodies[j].radius),
            };
            if gap < WAKE_GAP * model.bodies[i].radius.min(model.bodies[j].radius) {
                memory.asleep[i] &= moved(j) <= WAKES;
                memory.asleep[j] &= moved(i) <= WAKES;
            }
        }
    }
}

/// The certificate of a configuration whose contact forces are known already.
pub fn certify(model: &Model, state: &State, contacts: Vec<(Row, f64)>) -> Rest {
    let balance = weigh(model, &energy::forces(model, state), contacts);
    let stability = examine(model, state, &balance);
    rest(model, state, balance, stability)
}

fn rest(model: &Model, state: &State, balance: Balance, stability: Stability) -> Rest {
    let pressed = |(row, force): &(Row, f64)| Pressed {
        key: row.key,
        normal: row.normal,
        force: *force,
        choice: normal_is_a_choice(model, state, row),
    };
    Rest {
        contacts: balance.contacts.iter().map(pressed).collect(),
        residual: balance.residual,
        bound: balance.bound,
        unknowns: stability.unknowns,
        null_modes: stability.null,
        unstable_modes: stability.unstable.len(),
        margin: stability.margin,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::samples::{cuboid, model};

    fn no_clock() -> f64 {
        0.0
    }

    #[test]
    fn a_ball_falls_and_rests() {
        let model = model(cuboid(10.0), &[1.0]);
        let mut state = State { positions: vec![DVec3::new(3.0, 4.0, 5.0)] };
        let mut settle = Settle::new(&model, no_clock);
        let rest = loop {
            match settle.step(&mut state) {
                Progress::Moved(moved) => assert_eq!(moved.path.last(), Some(&state)),
                Progress::Rest(rest) => break rest,
            }
        };
        assert!((state.positions[0].z - 1.0).abs() < 1e-8);
        assert_eq!((rest.contacts.len(), rest.null_modes, rest.unstable_modes), (1, 2, 0));
        assert!(rest.is_proved());
        assert_eq!(rest.verdict(), "minimum up to neutral modes");
    }

    #[test]
    fn verdicts() {
        let rest = |residual: f64, null_modes: usize, unstable_modes: usize| Rest {
            contacts: Vec::new(),
            residual,
            bound: 0.0,
            unknowns: 9,
            null_modes,
            unstable_modes,
            margin: 1.0,
        };
        assert_eq!(rest(0.0, 0, 0).verdict(), "strict minimum");
        assert_eq!(rest(1e-3, 0, 0).verdict(), "forces do not balance");
        assert!(rest(0.0, 3, 1).verdict().starts_with("degenerate"));
    }

    /// Two methods, one of them stopped and resumed after every step, go the same way.
    #[test]
    fn the_memory_is_all_that_a_step_needs() {
        let model = model(cuboid(4.0), &[0.6, 0.5, 0.4, 0.5]);
        let positions = [[1.0, 1.0, 1.0], [1.2, 1.1, 2.4], [1.3, 2.2, 1.1], [2.5, 1.2, 3.0]];
        let start = State { positions: positions.map(DVec3::from_array).to_vec() };
        let (mut straight, mut stopped) = (start.clone(), start);
        let mut one = Settle::new(&model, no_clock);
        let mut memory = one.memory();
        loop {
            let mut other = Settle::resume(&model, &memory, no_clock).unwrap();
            let progress = one.step(&mut straight);
            other.step(&mut stopped);
            assert_eq!(straight, stopped);
            if matches!(progress, Progress::Rest(_)) {
                return;
            }
            memory = other.memory();
            assert_eq!(memory, one.memory());
        }
    }

    #[test]
    fn foreign_checkpoints_are_refused() {
        let (one, two) = (model(cuboid(4.0), &[0.5]), model(cuboid(4.0), &[0.5, 0.5]));
        let memory = Settle::new(&one, no_clock).memory();
        let message = |memory: &[u8]| Settle::resume(&two, memory, no_clock).err().unwrap().message;
        assert_eq!(message(&memory), "the checkpoint belongs to another scene");
        assert!(message(b"{}").starts_with("the checkpoint cannot be read: "));
        assert!(message(&memory[..50]).starts_with("the checkpoint cannot be read: "));
    }
}
