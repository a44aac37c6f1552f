//! How does it fall? A quadratic program a step, on positions alone [C11 5,
//! Figure 7]: of all motions that keep bodies apart, the one closest to the
//! free motion, in reduced form (three unknowns per body in 2D, six in 3D;
//! bodies then turn exactly, so nothing stretches). Inelastic impact comes out
//! by itself [C11 7]; restitution and Coulomb friction are added. The faces of a
//! container are obstacles like any other.
//!
//! ```
//! use std::sync::Arc;
//! use riprap::math::{DQuat, DVec3};
//! use riprap::shape::Shape;
//! use riprap::step::{Stepper, collapse::Collapse};
//! use riprap::world::{Model, Motion, State, Weight};
//!
//! let (mut model, mut state) = (Model::new(2, DVec3::NEG_Y), State::default());
//! let mut add = |corners: &[[f64; 2]], motion: Motion| -> riprap::Result<()> {
//!     let (shape, still) = (Shape::polygon(corners, &[])?, DQuat::IDENTITY);
//!     model.add(&mut state, shape, DVec3::ZERO, still, Weight::Mass(1.0))?.motion = motion;
//!     Ok(())
//! };
//! add(&[[-2.0, -1.0], [2.0, -1.0], [2.0, 0.0], [-2.0, 0.0]], Motion::Fixed)?;
//! add(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.4], [0.0, 0.4]], Motion::Free)?;
//! let mut collapse = Collapse::start(Arc::new(model), &state, None, || 0.0)?;
//! for _ in 0..100 {
//!     collapse.step(&mut state)?;
//! }
//! assert!((state.positions[1] - DVec3::new(0.5, 0.2, 0.0)).length() < 1e-12);
//! # Ok::<(), riprap::Problem>(())
//! ```

mod bounce;
mod classical;
#[cfg(test)]
mod framework; // the paper's own model, to test against
pub(crate) mod gauss;
mod guess;
mod impulses;
mod joints;
mod ledger;
mod mirror;
mod reach;
#[cfg(test)]
pub(crate) mod samples;
mod stale;
#[cfg(test)]
mod tests;
mod thin;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Moved, Progress, Stepper, Stopwatch, Waypoint, recall};
use crate::contact::{Move, Pieces, Touch, TouchKey};
use crate::math::{DQuat, DVec3};
use crate::problem::{Problem, Result};
use crate::scene::{CollapseOptions, Unknowns};
use crate::solver::quadratic::{Answer, Demand, Quadratic, solve};
use crate::world::{Contact, Joint, Model, Motion, Report, State, StepKind, With};
use bounce::Bounces;
use gauss::{Ends, Facets, Gauss};
use guess::{Guess, slides};
use impulses::impulses;
use joints::{Hold, holds};
use ledger::Done;
use mirror::Mirror;
use reach::reaches;
use thin::thinned;

/// How often the slip of sliding contacts is corrected at least in a step with friction.
const FRICTION_PASSES: usize = 3;

/// A step is solved at most so many times until its program comes out as it was told, and is then
/// taken as it is; from the middle on the guess goes half-way only, as what sticks and what slides
/// may take turns.
const MOST_PASSES: usize = 24;

/// A step whose program is solved less exactly than this is none.
const SOLVED: f64 = 1e-6;

/// A touch is at rest if it slides by no more than this part of what its bodies would fall.
const STILL: f64 = 1e-6;

/// The parts of a step, by their numbers in [`PARTS`].
const PARTS: [&str; 3] = ["rows", "solve", "touches"];
const ROWS: usize = 0;
const SOLVE: usize = 1;
const TOUCHES: usize = 2;

/// What the next step takes over from the last one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Memory {
    /// Multipliers of the last program by touch (or joint) and direction, sorted.
    multipliers: Vec<(TouchKey, u8, f64)>,
    /// The edges that cones of friction had beyond their first four and that pushed, by touch.
    #[serde(default)]
    edges: Vec<(TouchKey, [f64; 3])>,
    /// The symmetry of the start.
    mirror: Option<Mirror>,
}

/// Falling bodies.
pub struct Collapse {
    model: Arc<Model>,
    options: CollapseOptions,
    holds: Vec<Hold>,
    pieces: Pieces,
    memory: Memory,
    /// Touches of this step that bounce less than their materials would have it.
    bounces: Bounces,
    /// Where bodies touch now: made at the end of each step, for the ledger and the next.
    touches: Vec<Touch>,
    watch: Stopwatch,
}

/// A step that is found and not made yet.
struct Solved {
    answer: Answer,
    motions: Vec<Move>,
    contacts: Vec<Contact>,
}

/// What a pass left behind: how far its program came out otherwise than it was told, relative to
/// what is allowed.
struct Pass {
    off: f64,
    solved: Solved,
    facets: Facets,
}

impl Collapse {
    /// Ready for the next step from a state: the first one, or, with a memory, the one that
    /// would have followed, to the same bits.
    pub fn start(
        model: Arc<Model>,
        state: &State,
        memory: Option<&[u8]>,
        clock: fn() -> f64,
    ) -> Result<Self> {
        refuse(&model)?;
        let memory = match memory {
            Some(memory) => recall(memory)?,
            None => Memory { mirror: Mirror::find(&model, state), ..Default::default() },
        };
        let (holds, pieces) = (holds(&model)?, Pieces::new(&model));
        let options = model.method.collapse();
        if options.mirror && memory.mirror.is_none() {
            return Err(Problem::new("`collapse.symmetry` is \"mirror-x\", but no plane of constant x mirrors the bodies")
                .help("leave it out, or make the two sides the same"));
        }
        let reaches = reaches(&model, state, options.time_step);
        let touches = thinned(model.dimension, pieces.touches(&model, state, &reaches));
        let watch = Stopwatch::new(clock, PARTS.len());
        let bounces = Bounces::default();
        Ok(Collapse { model, options, holds, pieces, memory, bounces, touches, watch })
    }

    /// The touches and joints that pushed in the last step.
    fn pushing(&self) -> Vec<TouchKey> {
        let mut keys: Vec<TouchKey> = self.memory.multipliers.iter().map(|m| m.0).collect();
        keys.dedup();
        keys
    }

    /// The motions of a step with the touches that are known: the first program that comes out as it
    /// was told, or of all that did not the one that is least off.
    fn positions(&mut self, state: &State, free: &[Move], watch: &mut Stopwatch) -> Solved {
        let last = self.last(state);
        let still: Vec<f64> = self.touches.iter().map(|touch| self.still(touch, &last)).collect();
        let mut passes = 1;
        let mut guess = self.first_guess(&last);
        let mut warm: Option<Vec<f64>> = None;
        let mut best: Option<Pass> = None;
        loop {
            let (program, keys) = watch.time(ROWS, || self.program(state, free, &last, &guess));
            let warm_start = warm
                .take()
                .unwrap_or_else(|| keys.iter().map(|key| self.remembered(key)).collect());
            let answer = watch.time(SOLVE, || solve(&program.program, &warm_start));
            let motions = program.motions(&answer.x);
            let slips = slides(state, &self.touches, &motions);
            let lengths: Vec<f64> = slips.iter().map(|slip| slip.length()).collect();
            if guess.pass == 0 {
                passes = match self.slides(&lengths) {
                    true => FRICTION_PASSES,
                    false => 1 + usize::from(self.misses(state, &guess.moves, &motions)),
                };
            }
            guess.pass += 1;
            let (mut facets, mut multipliers) = (guess.facets.clone(), answer.multipliers.clone());
            let first = multipliers.len() - facets.rows();
            let sinks = |k: usize| self.sinks(state, &self.touches[k], &motions);
            let rounder = facets.refine(&slips, &still, (&mut multipliers, first), sinks);
            let found = Guess { moves: motions, slips: lengths, facets, pass: guess.pass };
            let off = self.disagreement(state, [&guess, &found], &answer.multipliers);
            let off = off.max(answer.residual.largest() / SOLVED);
            let agrees = off <= 1.0 && !rounder;
            if best.as_ref().is_none_or(|best| agrees || off < best.off) {
                let (touches, dt) = ((&self.touches[..], &guess.facets), self.options.time_step);
                let contacts = impulses(&program, &self.holds, touches, &answer.multipliers, dt);
                let solved = Solved { answer, motions: found.moves.clone(), contacts };
                best = Some(Pass { off, solved, facets: guess.facets.clone() });
            }
            drop(program);
            if guess.pass >= passes && agrees || guess.pass >= MOST_PASSES {
                let Some(Pass { solved, facets, .. }) = best else {
                    unreachable!("a pass was made")
                };
                self.remember(&facets, &solved.answer.multipliers);
                return solved;
            }
            warm = Some(multipliers);
            guess = if guess.pass < MOST_PASSES / 2 { found } else { guess.half_way(&found) };
        }
    }

    /// What is told to the first program of a step.
    fn first_guess(&self, last: &[Move]) -> Guess {
        let friction = |touch: &Touch| touch.material(&self.model).friction;
        let mut facets = Facets::new(self.model.dimension, &self.touches, friction);
        for (key, tangent) in &self.memory.edges {
            if let Ok(at) = self.touches.binary_search_by_key(key, |touch| touch.key) {
                facets.add(at, &self.touches[at], DVec3::from_array(*tangent));
            }
        }
        Guess { moves: last.to_vec(), slips: vec![0.0; self.touches.len()], facets, pass: 0 }
    }

    /// A touch that slides by no more than this in a step is at rest: next to nothing of what
    /// gravity does in it, or its bodies.
    fn still(&self, touch: &Touch, last: &[Move]) -> f64 {
        let dt = self.options.time_step;
        let pull = |body: u32| self.model.pull(body as usize).length() * (dt * dt);
        let way = |body: u32| last[body as usize].0.length();
        let most = |of: &dyn Fn(u32) -> f64| {
            touch.bodies().into_iter().flatten().map(of).fold(0.0, f64::max)
        };
        let pulled = most(&pull);
        STILL * if pulled > 0.0 { pulled } else { most(&way) }
    }

    /// The motions of a step as long as the next if nothing changed.
    fn last(&self, state: &State) -> Vec<Move> {
        let dt = self.options.time_step;
        state.velocities.iter().zip(&state.spins).map(|(v, w)| (*v * dt, *w * dt)).collect()
    }

    /// The program of the next step and the multipliers that it starts from, for benchmarks.
    pub fn next_program(&self, state: &State) -> (Quadratic, Vec<f64>) {
        let last = self.last(state);
        let guess = self.first_guess(&last);
        let (gauss, keys) = self.program(state, &self.all_free(state), &last, &guess);
        (gauss.program, keys.iter().map(|key| self.remembered(key)).collect())
    }

    fn all_free(&self, state: &State) -> Vec<Move> {
        (0..self.model.bodies.len()).map(|i| self.free(state, i)).collect()
    }

    /// The motion of a body that nothing hinders. A turning body keeps its
    /// angular momentum; the turn is that of the implicit midpoint rule.
    fn free(&self, state: &State, i: usize) -> Move {
        let dt = self.options.time_step;
        let body = &self.model.bodies[i];
        if !body.is_free() {
            return (DVec3::ZERO, DVec3::ZERO);
        }
        let shift = state.velocities[i] * dt + self.model.pull(i) * (dt * dt);
        let spin = state.spins[i];
        if self.model.dimension == 2 || spin == DVec3::ZERO || body.is_particle() {
            return (shift, spin * dt);
        }
        let momentum = body.inertia_turned(state.rotations[i]) * spin;
        let mut turn = spin * dt;
        for _ in 0..8 {
            let middle = DQuat::from_scaled_axis(0.5 * turn) * state.rotations[i];
            turn = body.inertia_turned(middle).inverse() * momentum * dt;
        }
        (shift, turn)
    }

    /// The program of this step, and the key of each of its rows.
    fn program<'p>(
        &'p self,
        state: &'p State,
        free: &[Move],
        last: &[Move],
        guess: &Guess,
    ) -> (Gauss<'p>, Vec<(TouchKey, u8)>) {
        let mut program = Gauss::new(&self.model, state, free);
        let mut keys = self.joint_keys();
        for (joint, hold) in self.model.joints.iter().zip(&self.holds) {
            let ends = Ends::of_joint(joint, state);
            let printed = hold.is_printed(&self.options);
            let moves = if printed { last } else { &guess.moves };
            hold.add(&mut program, &ends, moves, &self.options, guess.pass > 0);
        }
        for (k, (touch, slip)) in self.touches.iter().zip(&guess.slips).enumerate() {
            let material = touch.material(&self.model);
            let offset = match self.bounce(state, touch, last) {
                Some(bounce) => -bounce,
                None if self.options.sidedness == 1.0 => self.room(state, touch, &guess.moves),
                None => touch.gap + self.options.sidedness * touch.bend(state, touch.moves(last)),
            };
            for (index, direction) in guess.facets.pushes(k, touch).into_iter().enumerate() {
                let offset = offset + material.friction * slip;
                program.add(Demand::AtLeast, offset, &Ends::of_touch(touch), direction);
                keys.push((touch.key, index as u8));
            }
        }
        (program, keys)
    }

    /// The keys of the rows of joints, which come first.
    fn joint_keys(&self) -> Vec<(TouchKey, u8)> {
        let of_joint = |(number, (joint, hold)): (usize, (&Joint, &Hold))| {
            let body = joint.bodies[0].unwrap_or_default();
            let with = With::Joint(number as u32);
            let key = TouchKey { body, with, pieces: [0; 2], feature: [0; 2] };
            (0..hold.rows(self.model.dimension) as u8).map(move |axis| (key, axis))
        };
        self.model.joints.iter().zip(&self.holds).enumerate().flat_map(of_joint).collect()
    }

    fn remembered(&self, key: &(TouchKey, u8)) -> f64 {
        let found = self.memory.multipliers.binary_search_by_key(key, |(k, i, _)| (*k, *i));
        found.map_or(0.0, |at| self.memory.multipliers[at].2)
    }

    /// Keeps the multipliers of a program, and the edges of cones that pushed.
    fn remember(&mut self, facets: &Facets, multipliers: &[f64]) {
        let (mut kept, mut edges) = (Vec::new(), Vec::new());
        let (of_joints, mut of_touches) = multipliers.split_at(multipliers.len() - facets.rows());
        let joint_keys = self.joint_keys();
        let pushed = |(key, m): ((TouchKey, u8), &f64)| (*m != 0.0).then_some((key.0, key.1, *m));
        kept.extend(joint_keys.into_iter().zip(of_joints).filter_map(pushed));
        for (k, touch) in self.touches.iter().enumerate() {
            let (own, rest) = of_touches.split_at(facets.count(k));
            of_touches = rest;
            let added = own.len() - facets.added(k).count();
            let first = own[..added].iter().enumerate().filter(|(_, m)| **m != 0.0);
            kept.extend(first.map(|(index, m)| (touch.key, index as u8, *m)));
            let pushing = facets.added(k).filter(|(index, _)| own[*index] != 0.0);
            for (count, (index, tangent)) in pushing.enumerate() {
                edges.push((touch.key, tangent.to_array()));
                kept.push((touch.key, (added + count) as u8, own[index]));
            }
        }
        kept.sort_by_key(|(key, index, _)| (*key, *index));
        (self.memory.multipliers, self.memory.edges) = (kept, edges);
    }

    /// Moves and turns the bodies; a change of the free motion is an impulse.
    fn advance(&self, state: &mut State, free: &[Move], motions: &[Move]) {
        let dt = self.options.time_step;
        for i in self.model.free() {
            let (body, (shift, turn)) = (&self.model.bodies[i], motions[i]);
            state.positions[i] += shift;
            state.velocities[i] = shift / dt;
            let rotation = state.rotations[i];
            let turned = (DQuat::from_scaled_axis(turn) * rotation).normalize();
            state.rotations[i] = turned;
            state.spins[i] = if self.model.dimension == 2 || body.is_particle() {
                turn / dt
            } else {
                let inertia = body.inertia_turned(rotation);
                let momentum = inertia * (state.spins[i] + (turn - free[i].1) / dt);
                body.inertia_turned(turned).inverse() * momentum
            };
        }
    }
}

impl Stepper for Collapse {
    fn parts(&self) -> &'static [&'static str] {
        &PARTS
    }

    fn step(&mut self, state: &mut State) -> Result<Progress> {
        let mut watch = self.watch.clone();
        let free = self.all_free(state);
        let pushing = self.pushing();
        let Solved { answer, motions, contacts } = match self.options.unknowns {
            Unknowns::Positions => self.without_gain(state, &free, &mut watch),
            Unknowns::Accelerations => watch.time(SOLVE, || self.accelerations(state, &free)),
        };
        if let Some(body) = motions.iter().position(|m| !(m.0.is_finite() && m.1.is_finite())) {
            return Err(Problem::new(format!("the motion of body {body} is not finite"))
                .help("bodies overlap too deeply, or their sizes and masses differ too much"));
        }
        let residual = answer.residual.largest();
        if residual > SOLVED {
            let message =
                format!("the motion of a step could not be found: residual {residual:.1e}");
            return Err(Problem::new(message)
                .help("bodies are wedged, or their sizes and masses differ too much"));
        }
        if self.options.unknowns == Unknowns::Positions
            && let Some(problem) = self.ghost(state, &motions, &contacts)
        {
            return Err(problem);
        }
        let before = state.clone();
        self.advance(state, &free, &motions);
        if let (true, Some(mirror)) = (self.options.mirror, &self.memory.mirror) {
            mirror.impose(state);
        }
        let reaches = reaches(&self.model, state, self.options.time_step);
        self.touches = watch.time(TOUCHES, || {
            thinned(self.model.dimension, self.pieces.touches(&self.model, state, &reaches))
        });
        self.watch = watch;
        let now = self.pushing();
        let both = now.iter().filter(|key| pushing.binary_search(key).is_ok()).count();
        let done = Done {
            holds: &self.holds,
            touches: &self.touches,
            answer: &answer,
            mirror: self.memory.mirror.as_ref(),
            changes: (now.len() + pushing.len() - 2 * both) as u32,
        };
        let ledger = done.ledger(&self.model, state);
        if let Some(problem) = ledger::broken(&ledger, &self.options) {
            *state = before;
            return Err(problem);
        }
        let (count, energy) = (self.model.free().count() as u32, ledger.energy);
        let report = Report {
            active: count,
            moving: count,
            rows: ledger.rows,
            iterations: ledger.iterations,
            ledger: Some(ledger),
        };
        let path = vec![Waypoint::new(state.clone(), energy)];
        let (kind, trace) = (StepKind::Collapse, Default::default());
        Ok(Progress::Moved(Moved { kind, path, contacts, trace, report }))
    }

    fn memory(&self) -> Vec<u8> {
        serde_json::to_vec(&self.memory).unwrap_or_default()
    }

    fn take_seconds(&mut self) -> Vec<f32> {
        self.watch.take()
    }
}

/// What this method cannot move: scenes are refused earlier, by the place where they say so.
fn refuse(model: &Model) -> Result<()> {
    let driven = model.bodies.iter().position(|body| body.motion == Motion::Driven);
    let message = match driven {
        Some(body) => format!("body {body} is driven"),
        None if !model.cloths.is_empty() => "there is cloth".into(),
        None if !model.forces.is_empty() => "there are forces besides gravity".into(),
        None => return Ok(()),
    };
    Err(Problem::new(format!("{message}, which the method collapse does not take"))
        .help("use another method, such as dynamics"))
}
