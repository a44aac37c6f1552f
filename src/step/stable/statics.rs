//! The forces of bodies at rest as columns of a linear program, and their first
//! accelerations as a quadratic one.

use std::cell::OnceCell;

use super::{Fate, Reaction, joints};
use crate::contact::{Move, Pieces, Touch};
use crate::energy;
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use crate::solver::linear::{Columns, Tableau};
use crate::solver::quadratic::{Demand, Quadratic, solve};
use crate::step::collapse::gauss::{Ends, Gauss, Parts, directions, pack};
use crate::world::{Contact, Model, State};

/// More rows than this are too many for dense linear programs: 250 bodies in 3D.
const MOST_ROWS: usize = 1500;

/// What is decided by accelerations is at rest below this, in units of gravity: quadratic
/// programs of thousands of bodies are not solved as exactly as small ones.
const STILL: f64 = 1e-6;

/// How exactly the state is meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Bodies touch if their gap is below this fraction of their radius.
    pub touching: f64,
    /// Forces balance if what is left over is below this fraction of the largest weight.
    pub balance: f64,
}

impl Tolerance {
    /// As people and programs write what touches.
    pub const START: Tolerance = Tolerance { touching: 1e-7, balance: 1e-9 };

    /// As runs leave it: the contacts of settle are that tight and balance that well, and
    /// bodies of dynamics that rest overlap by no more.
    pub const FRAME: Tolerance = Tolerance { touching: 1e-5, balance: 1e-6 };
}

/// Bodies at rest and where they touch.
pub struct Statics<'a> {
    pub(super) model: &'a Model,
    pub(super) state: &'a State,
    pub(super) pieces: Pieces,
    pub(super) touches: Vec<Touch>,
    /// What pulls at every body: its weight, and the forces between bodies.
    pub(super) pulls: Vec<DVec3>,
    /// Replaces the friction of all touches, for "what if" questions.
    pub(super) friction: Option<f64>,
    /// The unit of length of the moments, so that both kinds of rows weigh alike.
    pub(super) length: f64,
    pub(super) tolerance: Tolerance,
    /// Made when it is first asked for.
    tableau: OnceCell<Tableau>,
}

impl<'a> Statics<'a> {
    /// Of a state as a scene starts: see [`Tolerance::START`].
    ///
    /// ```
    /// use riprap::{scene::gallery, step::stable::Statics, world::build};
    /// let (model, state) = build(&gallery::scene("tower-5x5")?)?;
    /// let statics = Statics::new(&model, &state)?;
    /// assert!(!statics.verdict().balanced);
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn new(model: &'a Model, state: &'a State) -> Result<Self> {
        Statics::within(model, state, Tolerance::START)
    }

    /// Of a state that is not meant more exactly than this, such as a frame of a run.
    pub fn within(model: &'a Model, state: &'a State, tolerance: Tolerance) -> Result<Self> {
        if !model.cloths.is_empty() {
            return Err(Problem::new("cloth does not stand")
                .help("whether it stands is asked of rigid bodies"));
        }
        joints::check(model)?;
        let reach: Vec<f64> =
            model.bodies.iter().map(|body| tolerance.touching * body.radius).collect();
        let radii: Vec<f64> = model.free().map(|i| model.bodies[i].radius).collect();
        let length = radii.iter().sum::<f64>() / radii.len().max(1) as f64;
        let pieces = Pieces::new(model);
        let touches = pieces.touches(model, state, &limit(model, reach));
        let length = length.max(f64::MIN_POSITIVE);
        let pulls = energy::forces(model, state).gradient.into_iter().map(|g| -g).collect();
        Ok(Statics {
            model,
            state,
            pieces,
            touches,
            pulls,
            friction: None,
            length,
            tolerance,
            tableau: OnceCell::new(),
        })
    }

    /// The same bodies with one coefficient of friction everywhere.
    pub(super) fn with_friction(&self, friction: f64) -> Statics<'a> {
        Statics {
            pieces: self.pieces.clone(),
            touches: self.touches.clone(),
            pulls: self.pulls.clone(),
            friction: Some(friction),
            tableau: OnceCell::new(),
            ..*self
        }
    }

    pub(super) fn friction_of(&self, touch: &Touch) -> f64 {
        self.friction.unwrap_or_else(|| touch.material(self.model).friction)
    }

    /// Whether some contact has friction.
    pub fn has_friction(&self) -> bool {
        self.touches.iter().any(|touch| self.friction_of(touch) > 0.0)
    }

    pub(super) fn directions_of(&self, touch: &Touch) -> Vec<DVec3> {
        directions(self.model.dimension, touch.normal, self.friction_of(touch))
    }

    /// An empty program whose bodies want to accelerate as they are pulled.
    fn gauss(&self) -> Gauss<'_> {
        let wanted = |i: usize| match self.model.bodies[i].is_free() {
            true => (self.pulls[i] / self.model.bodies[i].mass, DVec3::ZERO),
            false => (DVec3::ZERO, DVec3::ZERO),
        };
        let wanted: Vec<Move> = (0..self.model.bodies.len()).map(wanted).collect();
        Gauss::new(self.model, self.state, &wanted)
    }

    /// One column per touch and direction, and per bearing of a joint: the force and the moment
    /// of a unit push.
    pub(super) fn columns(&self) -> Columns {
        let gauss = self.gauss();
        let width = self.model.freedoms();
        let column = |parts: Parts| {
            let mut column = Vec::new();
            for (block, part) in parts {
                let part = part[..width].iter().enumerate().filter(|(_, x)| **x != 0.0);
                let first = block * width as u32;
                column.extend(part.map(|(k, x)| (first + k as u32, x / self.unit_of(k))));
            }
            column
        };
        let mut columns = Vec::new();
        for touch in &self.touches {
            for direction in self.directions_of(touch) {
                let parts = gauss.parts(&Ends::of_touch(touch), direction, DVec3::ZERO);
                columns.push(column(parts));
            }
        }
        for bearing in self.bearings() {
            let (push, twist) = (bearing.push, bearing.twist);
            columns.push(column(gauss.parts(&bearing.ends, push, twist)));
            if bearing.both_ways {
                columns.push(column(gauss.parts(&bearing.ends, -push, -twist)));
            }
        }
        Columns { rows: gauss.program.blocks() * width, columns }
    }

    fn unit_of(&self, unknown: usize) -> f64 {
        if unknown < self.model.dimension { 1.0 } else { self.length }
    }

    /// A force and a moment on one body as entries of the right-hand side.
    pub(super) fn load(&self, body: usize, force: DVec3, moment: DVec3) -> Vec<(u32, f64)> {
        let block = self.model.free().position(|i| i == body);
        let Some(block) = block else { return Vec::new() };
        let width = self.model.freedoms();
        let packed = pack(self.model.dimension, (force, moment));
        let entries = packed[..width].iter().enumerate().filter(|(_, x)| **x != 0.0);
        entries.map(|(k, x)| ((block * width + k) as u32, -x / self.unit_of(k))).collect()
    }

    /// The pulls as a right-hand side of so many rows.
    pub(super) fn loads(&self, rows: usize) -> Vec<f64> {
        let mut right = vec![0.0; rows];
        for body in self.model.free() {
            for (row, x) in self.load(body, self.pulls[body], DVec3::ZERO) {
                right[row as usize] += x;
            }
        }
        right
    }

    /// Contact forces that balance what pulls at the bodies, as far as there are any; refuses if
    /// there are too many bodies.
    pub(super) fn tableau(&self) -> Result<&Tableau> {
        let count = self.model.free().count();
        if count * self.model.freedoms() > MOST_ROWS {
            let most = MOST_ROWS / self.model.freedoms();
            return Err(Problem::new(format!("{count} bodies are too many for this question"))
                .help(format!("margins, tilts and loads are found for up to {most} free bodies")));
        }
        Ok(self.tableau.get_or_init(|| {
            let columns = self.columns();
            Tableau::new(&columns, &self.loads(columns.rows))
        }))
    }

    /// Gauss' principle for the first accelerations, as a program.
    fn least_restraint(&self) -> Gauss<'_> {
        let mut gauss = self.gauss();
        for touch in &self.touches {
            for direction in self.directions_of(touch) {
                gauss.add(Demand::AtLeast, 0.0, &Ends::of_touch(touch), direction);
            }
        }
        for bearing in self.bearings() {
            let demand = if bearing.both_ways { Demand::Equal } else { Demand::AtLeast };
            gauss.add_twisted(demand, 0.0, &bearing.ends, bearing.push, bearing.twist);
        }
        gauss
    }

    /// That program by itself, for benchmarks.
    pub fn program(&self) -> Quadratic {
        self.least_restraint().program
    }

    /// The first accelerations, the contact forces that make them, and the residual.
    pub fn begin_to_fall(&self) -> (Vec<Move>, Vec<Reaction>, f64) {
        let gauss = self.least_restraint();
        let answer = solve(&gauss.program, &[]);
        let accelerations = gauss.motions(&answer.x);
        let mut multipliers = answer.multipliers.iter();
        let reactions = self.touches.iter().map(|touch| {
            let all = self.directions_of(touch);
            let force = all.iter().zip(&mut multipliers).map(|(d, m)| *d * *m).sum();
            let contact = Contact {
                body: touch.key.body,
                with: touch.key.with,
                pieces: touch.key.pieces,
                at: touch.at,
                normal: touch.normal,
                force,
                choice: false,
            };
            Reaction { contact, fate: self.fate(touch, &accelerations) }
        });
        let reactions = reactions.collect();
        (accelerations, reactions, answer.residual.largest())
    }

    /// Whether accelerations are those of bodies at rest.
    pub(super) fn is_still(&self, accelerations: &[Move]) -> bool {
        let least = STILL.max(self.tolerance.balance) * self.fastest();
        let still = |(shift, turn): &Move| shift.length().max(turn.length() * self.length) < least;
        accelerations.iter().all(still)
    }

    fn fate(&self, touch: &Touch, accelerations: &[Move]) -> Fate {
        let moved = touch.relative(self.state, touch.moves(accelerations));
        let apart = touch.normal.dot(moved);
        let along = moved - touch.normal * apart;
        let least = Tolerance::START.balance * self.fastest();
        if apart > least {
            Fate::Opens
        } else if along.length() > least {
            Fate::Slides
        } else {
            Fate::Holds
        }
    }

    /// The unit of accelerations: gravity, or what forces would do to a body alone.
    fn fastest(&self) -> f64 {
        let alone = |i: usize| self.pulls[i].length() / self.model.bodies[i].mass;
        match self.model.gravity.length() {
            0.0 => self.model.free().map(alone).fold(0.0, f64::max),
            gravity => gravity,
        }
    }
}

/// A fixed body may be very large; its touches are as close as those of the others.
fn limit(model: &Model, reach: Vec<f64>) -> Vec<f64> {
    let largest = model.free().map(|i| reach[i]).fold(0.0, f64::max);
    reach.into_iter().map(|r| r.min(largest)).collect()
}
