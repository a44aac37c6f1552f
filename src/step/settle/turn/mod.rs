//! Settle with rotation: bodies fall and turn between planes that move with them.
//!
//! A step is one convex program whose rows keep every corner on its side of a plane all along the
//! motion (`rows`); near rest Newton's method on the same rows, with their true second-order
//! terms, brings forces and moments into balance (`rest`).

mod apart;
mod escape;
mod memory;
mod points;
mod rest;
mod rims;
mod rows;
mod solids;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::super::{Moved, Progress, Rest, Stepper, Stopwatch, Waypoint, recall};
use super::coarse;
use crate::energy;
use crate::math::{DQuat, DVec3};
use crate::problem::{Problem, Result};
use crate::solver::planes::{Aim, Answer, balance, modes, solve, solve_near};
use crate::world::{Model, Plane, Report, State, StepKind};
use memory::{LEAST_SCALE, Memory, Stage};
use rest::{Balance, PRESSES, motion};
use rows::{Bends, Builder, Setup};
use solids::Solids;

/// The parts of a step, by their numbers in [`PARTS`].
#[derive(Clone, Copy)]
enum Part {
    Contact,
    Solve,
    Certificate,
}

const PARTS: [&str; 3] = ["contact", "solve", "certificate"];

/// Rows may be violated by this part of the gap that they keep ...
const VIOLATION: f64 = 1e-2;
/// ... and, where bodies started without a gap, by this, in typical radii; programs aim at it.
const ROUNDING: f64 = 1e-11;
/// The fall is over when so many steps in a row gain too little.
const IDLE_STEPS: u32 = 3;
/// Steps of Newton's method go at most this part of a full reach.
const NEWTON_SCALE: f64 = 1e-3;
/// Forces are those of a program with this part of a full reach: what is farther is not touched.
const FORCE_SCALE: f64 = 1e-5;
/// Forces that balance this well need no further polish.
const BALANCED: f64 = 1e-9;
/// Rows that press with more than this many typical weights hold what they touch.
const LOADED: f64 = 1e-7;
/// A mode whose curvature is below this, in typical weights over typical radii, is neutral, and one
/// below minus this is unstable: rounding is a thousand times less.
const NEUTRAL: f64 = 1e-6;
/// Where Newton's method does not get there, falling on must: to this, or until steps gain less
/// than this part of the tolerance. Bodies that lie on others are tilted by some gaps that contacts
/// keep, and what lies on them would slide forever: by ten gaps over a radius and more, where little of
/// them overlaps.
const GOOD_ENOUGH: f64 = 2e-7;
const FINEST: f64 = 1e-14;
/// From here on modes are looked at: Newton's method does not come to a rest that is unstable.
const NEAR_REST: f64 = 1e-3;
/// Of a program; most take a third of them.
const MOST_ITERATIONS: u32 = 60;
/// Newton's method goes on as long as every step leaves less than this part of the imbalance.
const SLOWEST: f64 = 0.5;
const MOST_POLISHES: u32 = 12;
/// Short first steps are this part of full ones.
const SHORT: f64 = 0.1;
const MOST_ESCAPES: u32 = 100;

/// The method, between two steps.
pub struct Turn {
    model: Arc<Model>,
    solids: Solids,
    memory: Memory,
    watch: Stopwatch,
    /// Per body, from where to where it may be turned, in the plane; if not anywhere.
    ranges: Option<Vec<[f64; 2]>>,
}

/// A motion that was found.
struct Found {
    setup: Setup,
    answer: Answer,
    motion: Vec<[DVec3; 2]>,
    /// Of the energy.
    decrease: f64,
}

impl Stepper for Turn {
    fn parts(&self) -> &'static [&'static str] {
        &PARTS
    }

    fn step(&mut self, state: &mut State) -> Result<Progress> {
        loop {
            let progress = match self.memory.stage {
                Stage::Fall => self.fall(state),
                Stage::Polish => self.polish(state),
            };
            match progress {
                Some(Ok(Progress::Moved(moved))) => {
                    if let Some(last) = moved.path.last() {
                        coarse::check(&self.model, &last.state)?;
                        state.clone_from(&last.state);
                    }
                    return Ok(Progress::Moved(moved));
                }
                Some(other) => return other,
                None => {}
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

impl Turn {
    /// Ready for the first step from a state, or, with what [`Stepper::memory`] gave, for the
    /// one that would have followed.
    pub fn start(
        model: Arc<Model>,
        _state: &State,
        memory: Option<&[u8]>,
        clock: fn() -> f64,
    ) -> Result<Self> {
        let solids = Solids::new(&model)?;
        let memory = match memory {
            Some(memory) => recall(memory)?,
            None => Memory::new(model.bodies.len()),
        };
        if memory.scale.len() != model.bodies.len() {
            return Err(Problem::new("the checkpoint belongs to another scene"));
        }
        Ok(Turn { model, solids, memory, watch: Stopwatch::new(clock, PARTS.len()), ranges: None })
    }

    /// In the plane, with bodies whose angles stay in ranges, and short first steps.
    pub fn within(model: Arc<Model>, state: &State, ranges: Vec<[f64; 2]>) -> Result<Self> {
        let mut turn = Turn::start(model, state, None, || 0.0)?;
        turn.ranges = Some(ranges);
        turn.memory.shrink(SHORT);
        Ok(turn)
    }

    /// The program of a step, whose reaches are multiplied by a scale.
    fn rows(&mut self, state: &State, scale: f64, bends: Bends) -> Setup {
        let Turn { model, solids, memory, .. } = self;
        let ranges = self.ranges.as_deref();
        let builder = Builder { model, solids, memory, scale, bends, ranges };
        self.watch.time(Part::Contact as usize, || builder.build(state))
    }

    fn find(&mut self, state: &State, scale: f64) -> Found {
        let setup = self.rows(state, scale, Bends::Bound);
        self.solved(state, setup, scale)
    }

    /// The motion of a program.
    fn solved(&mut self, state: &State, setup: Setup, scale: f64) -> Found {
        let aim = Aim {
            violation: ROUNDING,
            reach: setup.reach,
            iterations: MOST_ITERATIONS,
            accuracy: (0.01 * self.memory.gain / setup.reach).clamp(1e-10, 1e-4),
            balance: 1e-4,
        };
        // Not finer: rows that press hard would drown what is loose in their rounding.
        let aim = match scale == 1.0 {
            true => aim,
            false => Aim { accuracy: 1e-6, balance: BALANCED, ..aim },
        };
        let answer = self.watch.time(Part::Solve as usize, || solve(&setup.program, &aim));
        self.found(state, setup, answer)
    }

    /// A step of Newton's method from a state, and from forces that nearly balance it.
    fn find_near(&mut self, state: &State, held: &Found) -> Found {
        let setup = self.rows(state, NEWTON_SCALE, Bends::Exact);
        let aim = Aim {
            violation: ROUNDING,
            reach: setup.reach,
            iterations: MOST_ITERATIONS,
            accuracy: 1e-10,
            balance: 0.1 * BALANCED,
        };
        let forces = setup.carried(&held.setup, &held.answer);
        let solve = || solve_near(&setup.program, &aim, &forces);
        let answer = self.watch.time(Part::Solve as usize, solve);
        self.found(state, setup, answer)
    }

    fn found(&self, state: &State, setup: Setup, answer: Answer) -> Found {
        let motion = motion(&setup, &answer, self.solids.length);
        let ways: Vec<DVec3> = motion.iter().map(|[d, _]| *d).collect();
        let decrease = energy::decrease(&self.model, state, &ways);
        Found { setup, answer, motion, decrease }
    }

    /// A step per body, in weights times radii.
    fn gain(&self, found: &Found) -> f64 {
        let free = self.model.free().count().max(1) as f64;
        found.decrease / (self.solids.length * self.solids.weight * free)
    }

    fn fall(&mut self, state: &State) -> Option<Result<Progress>> {
        let found = self.find(state, 1.0);
        let gain = self.gain(&found);
        let holds = self.keeps(&found);
        if !holds || gain <= 0.0 {
            self.memory.shrink(0.5);
            self.memory.gain = 1e-9;
            if self.memory.widest < LEAST_SCALE {
                self.memory.stage = Stage::Polish;
            }
            return None;
        }
        self.memory.gain = gain;
        self.memory.remember(&found.setup, &found.answer);
        self.memory.follow(&found.setup, &found.answer);
        let is_idle = gain < self.memory.fineness * self.model.method.settle().tolerance;
        self.memory.idle = if is_idle { self.memory.idle + 1 } else { 0 };
        if self.memory.idle >= IDLE_STEPS {
            self.memory.stage = Stage::Polish;
        }
        self.take(state, found, StepKind::Settle).map(Ok)
    }

    /// Whether a motion satisfies its rows, but for a part of the gaps that they keep.
    fn keeps(&self, found: &Found) -> bool {
        if found.answer.least >= 0.0 {
            return true;
        }
        let groups = found.setup.program.groups.iter().zip(&found.setup.corners);
        let least = groups.map(|(group, corners)| {
            let z = found.answer.local(group);
            let values = group.rows.iter().map(|row| group.tilting.at(row, &z).1);
            values.fold(f64::INFINITY, f64::min) + VIOLATION * corners.kept
        });
        least.fold(f64::INFINITY, f64::min) >= -ROUNDING
    }

    /// A step of Newton's method, or the rest. Forces are those of a convex program with next to no reach:
    /// Newton's own is not convex, and need not have an answer.
    fn polish(&mut self, state: &State) -> Option<Result<Progress>> {
        let widest = self.memory.widest;
        self.memory.scale.fill(1.0);
        self.memory.widest = 1.0;
        let held = self.find(state, FORCE_SCALE);
        let mut held = self.without_points(state, held);
        let found = self.find_near(state, &held);
        let curved = self.rows(state, FORCE_SCALE, Bends::Exact);
        self.memory.widest = widest;
        let Turn { model, solids, watch, .. } = self;
        let balance = watch.time(Part::Certificate as usize, || {
            balance(&held.setup.program, &mut held.answer, PRESSES);
            Balance::new(model, solids, state, &held.setup, &held.answer)
        });
        self.memory.polishes += 1;
        let is_better = balance.residual < SLOWEST * self.memory.residual;
        self.memory.residual = balance.residual;
        let is_done = balance.residual <= BALANCED
            || self.memory.polishes > MOST_POLISHES
            || balance.residual <= GOOD_ENOUGH && !is_better;
        if !is_done && found.decrease > 0.0 && self.holds(&found) {
            return self.take(state, found, StepKind::Polish).map(Ok);
        }
        let is_rough = balance.residual > GOOD_ENOUGH && self.memory.fineness > FINEST;
        if is_rough && balance.residual > NEAR_REST {
            return self.fall_on();
        }
        let examine = || modes(&curved.program, &held.answer, LOADED);
        let Some(modes) = self.watch.time(Part::Certificate as usize, examine) else {
            return Some(Err(Problem::new("the modes of the rest cannot be found")
                .help("please report the scene: its contacts leave no number")));
        };
        let null = modes.curvatures.iter().filter(|value| **value < NEUTRAL).count();
        let unstable = modes.curvatures.iter().filter(|value| **value < -NEUTRAL).count();
        if unstable > 0 && self.memory.escapes < MOST_ESCAPES {
            self.memory.escapes += 1;
            let ways: Vec<_> =
                modes.curvatures.iter().copied().zip(modes.motions).take(unstable).collect();
            if let Some(out) = self.escape(state, &ways) {
                self.memory.restart();
                return self.take(state, out, StepKind::Escape).map(Ok);
            }
        }
        if is_rough {
            return self.fall_on();
        }
        Some(Ok(Progress::Rest(Rest {
            contacts: balance.contacts,
            residual: balance.residual,
            bound: balance.bound,
            unknowns: modes.unknowns,
            null_modes: null,
            unstable_modes: unstable,
            margin: modes.margin,
        })))
    }

    /// Not near enough for Newton's method: the fall goes on in finer steps.
    fn fall_on(&mut self) -> Option<Result<Progress>> {
        self.memory.fineness *= 0.01;
        self.memory.stage = Stage::Fall;
        (self.memory.idle, self.memory.polishes) = (0, 0);
        self.memory.residual = f64::MAX;
        None
    }

    /// Takes over a motion.
    fn take(&mut self, state: &State, found: Found, kind: StepKind) -> Option<Progress> {
        let next = moved(state, &found.motion);
        let energy = energy::energy(&self.model, &next);
        if energy > energy::energy(&self.model, state) {
            return None;
        }
        let free = self.model.free().count() as u32;
        let far =
            |[d, w]: &[DVec3; 2], radius: f64| d.length().max(w.length() * radius) > 0.1 * radius;
        let bodies = self.model.bodies.iter();
        let moving = found.motion.iter().zip(bodies).filter(|(m, b)| far(m, b.radius)).count();
        let report = Report {
            active: free,
            moving: moving as u32,
            rows: found.setup.program.row_count() as u32,
            iterations: found.answer.iterations,
            ledger: None,
        };
        let planes = planes(&found, self.solids.length);
        let path = vec![Waypoint { state: next, energy, planes }];
        let (contacts, trace) = Default::default();
        Some(Progress::Moved(Moved { kind, path, contacts, trace, report }))
    }
}

/// A state with all bodies moved and turned on.
fn moved(state: &State, motion: &[[DVec3; 2]]) -> State {
    let positions = state.positions.iter().zip(motion).map(|(p, [d, _])| *p + *d).collect();
    let turn = |(q, [_, w]): (&DQuat, &[DVec3; 2])| match *w == DVec3::ZERO {
        true => *q,
        false => (DQuat::from_scaled_axis(*w) * *q).normalize(),
    };
    let rotations = state.rotations.iter().zip(motion).map(turn).collect();
    State { positions, rotations, ..state.clone() }
}

/// The planes of a step, with what they did.
fn planes(found: &Found, unit: f64) -> Vec<Plane> {
    let moved = found.setup.planes.iter().zip(&found.answer.y);
    let plane = |(between, y): (&rows::Between, &[f64; 5])| Plane {
        body: between.body,
        with: between.with,
        pieces: between.pieces,
        normal: between.normal,
        point: between.point,
        tilt: between.tangents[0] * y[0] + between.tangents[1] * y[1],
        offset: y[2] * unit,
        slide: (between.tangents[0] * y[3] + between.tangents[1] * y[4]) * unit,
    };
    moved.map(plane).collect()
}
