//! The forces of bodies at rest as columns of a linear program.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::first::First;
use super::joints::Bearing;
use crate::contact::{Move, Pieces, Touch};
use crate::energy;
use crate::math::{DVec3, RESTING_GAP};
use crate::problem::{Problem, Result};
use crate::solver::linear::{Column, Cone, Polygon, Program, Simplex};
use crate::step::collapse::gauss::{Ends, Gauss, Parts, pack, tangents};
use crate::world::{Model, State};

/// Linear programs of more rows than this take longer than anyone waits: those of some 300 bricks
/// in 2D, of 150 boxes in 3D.
const MOST_ROWS: usize = 900;

/// Margins and tilts are several programs for every body: up to so many entries times bodies they are found
/// by the simplex method; margins up to the second.
const MOST_MARGIN: usize = 50_000_000;
const MOST_DEAR_MARGIN: usize = 100_000_000;

/// A tolerance is at most this part of a body's radius.
const MOST_TOLERANCE: f64 = 0.1;

/// Pulls that differ by more than this are not balanced together: rounding of the largest is
/// as large as what a balance may leave ([`Tolerance::balance`]) of the smallest.
const MOST_RATIO: f64 = 1e9;

/// Touches whose normals have at least this cosine between them are along one direction.
const SAME_DIRECTION: f64 = 0.999;

/// Beyond so many bodies it is not asked for.
const MOST_BODIES: usize = 2000;

/// How exactly the state is meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Bodies touch if their gap is below this fraction of the smaller one's radius.
    pub touching: f64,
    /// Or below this length, if there is one.
    pub gap: Option<f64>,
    /// Forces balance if what is left over is below this fraction of the largest weight.
    pub balance: f64,
}

impl Tolerance {
    /// As people and programs write what balances.
    pub const START: Tolerance = Tolerance { touching: RESTING_GAP, gap: None, balance: 1e-9 };

    /// As runs leave it: the contacts of settle balance that well.
    pub const FRAME: Tolerance = Tolerance { touching: RESTING_GAP, gap: None, balance: 1e-6 };

    /// The gap up to which a body of this radius and a larger one touch.
    pub fn gap_of(&self, radius: f64) -> f64 {
        self.gap.unwrap_or(self.touching * radius)
    }
}

/// Bodies at rest and where they touch.
pub struct Statics<'a> {
    pub(super) model: &'a Model,
    pub(super) state: &'a State,
    pub(super) pieces: Pieces,
    /// Where they touch, and those touches that bear: see [`Pieces::spread`].
    pub(super) seen: Vec<Touch>,
    pub(super) touches: Vec<Touch>,
    /// What pulls at every body: its weight, and the forces between bodies.
    pub(super) pulls: Vec<DVec3>,
    /// The strongest single pull at every body: what is left over is measured by it.
    pub(super) strengths: Vec<f64>,
    /// Replaces the friction of all touches, for "what if" questions.
    pub(super) friction: Option<f64>,
    /// The unit of length of the moments, so that both kinds of rows weigh alike.
    pub(super) length: f64,
    pub(super) tolerance: Tolerance,
    /// Made when they are first asked for.
    pub(super) first: OnceCell<First>,
    pub(super) simplex: OnceCell<Simplex>,
    /// Per body the unit of its forces: its own pull, in that of the strongest, so that what is light counts
    /// beside what is heavy.
    pub(super) units: OnceCell<Vec<f64>>,
}

impl<'a> Statics<'a> {
    /// Of a state as a scene starts: see [`Tolerance::START`].
    ///
    /// ```
    /// use riprap::{scene::gallery, step::stable::Statics, world::build};
    /// let (model, state) = build(&gallery::scene("tower-5x5")?)?;
    /// let statics = Statics::new(&model, &state)?;
    /// assert!(!statics.verdict().is_balanced());
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn new(model: &'a Model, state: &'a State) -> Result<Self> {
        Statics::within(model, state, Tolerance::START)
    }

    /// Of a state that is not meant more exactly than this, such as a frame of a run.
    pub fn within(model: &'a Model, state: &'a State, tolerance: Tolerance) -> Result<Self> {
        if !model.cloths.is_empty() {
            let group = model.bodies[model.cloths[0].first as usize].group as usize;
            let name = model.groups.get(group).map_or("", String::as_str);
            return Err(Problem::new(format!("the cloth `{name}` does not stand")).help(
                "whether it stands is asked of rigid bodies: ask the scene without its [[cloth]], \
                 or let `riprap run` show whether all comes to rest",
            ));
        }
        is_small(model, tolerance)?;
        let reach: Vec<f64> =
            model.bodies.iter().map(|body| tolerance.gap_of(body.radius)).collect();
        let radii: Vec<f64> = model.free().map(|i| model.bodies[i].radius).collect();
        let length = radii.iter().sum::<f64>() / radii.len().max(1) as f64;
        let pieces = Pieces::with_round_sides(model);
        let mut touches = pieces.touches(model, state, &limit(model, reach));
        let gap_of = |touch: &Touch| tolerance.gap_of(touch.size(model));
        touches.retain(|touch| touch.gap <= gap_of(touch));
        leave_out_what_is_apart(model, state, &mut touches);
        let seen = pieces.spread(model, state, touches, gap_of);
        let length = length.max(f64::MIN_POSITIVE);
        let energy::Forces { gradient, largest } = energy::forces(model, state);
        are_comparable(model, &largest)?;
        // What a weight and a spring leave of each other is measured by the larger of the two.
        let left = |(g, most): (DVec3, &f64)| {
            if g.length() <= tolerance.balance * most { DVec3::ZERO } else { -g }
        };
        let pulls = gradient.into_iter().zip(&largest).map(left).collect();
        let mut statics = Statics {
            model,
            state,
            pieces,
            seen,
            touches: Vec::new(),
            pulls,
            strengths: largest,
            friction: None,
            length,
            tolerance,
            first: OnceCell::new(),
            simplex: OnceCell::new(),
            units: OnceCell::new(),
        };
        statics.bear();
        Ok(statics)
    }

    /// Finds the touches that bear: where normals are spread, those whose cones have a force in common.
    fn bear(&mut self) {
        let bears = |touch: &&Touch| touch.spread == 0.0 || self.friction_of(touch) > 0.0;
        self.touches = self.seen.iter().filter(bears).copied().collect();
    }

    /// Takes out touches.
    pub(super) fn keep(&mut self, is_kept: impl Fn(&Touch) -> bool) {
        self.seen.retain(&is_kept);
        self.touches.retain(is_kept);
    }

    /// The same bodies with one coefficient of friction everywhere.
    pub(super) fn with_friction(&self, friction: f64) -> Statics<'a> {
        let mut rough = Statics { friction: Some(friction), ..self.again() };
        rough.bear();
        rough
    }

    /// The same, of which nothing is found out yet.
    pub(super) fn again(&self) -> Statics<'a> {
        Statics {
            pieces: self.pieces.clone(),
            seen: self.seen.clone(),
            touches: self.touches.clone(),
            pulls: self.pulls.clone(),
            strengths: self.strengths.clone(),
            first: OnceCell::new(),
            simplex: OnceCell::new(),
            units: OnceCell::new(),
            ..*self
        }
    }

    pub(super) fn friction_of(&self, touch: &Touch) -> f64 {
        let friction = self.friction.unwrap_or_else(|| touch.material(self.model).friction);
        match touch.spread {
            0.0 => friction,
            spread => (friction.atan() - spread).tan().max(0.0),
        }
    }

    /// Whether some contact has friction.
    pub fn has_friction(&self) -> bool {
        self.touches.iter().any(|touch| self.friction_of(touch) > 0.0)
    }

    /// An empty program whose bodies want to accelerate as they are pulled, and as bearings
    /// push that exert a given force.
    pub(super) fn gauss<'b>(&self, pushes: impl Iterator<Item = (&'b Bearing, f64)>) -> Gauss<'_> {
        let wanted = |i: usize| match self.model.bodies[i].is_free() {
            true => (self.pulls[i] / self.model.bodies[i].mass, DVec3::ZERO),
            false => (DVec3::ZERO, DVec3::ZERO),
        };
        let mut wanted: Vec<Move> = (0..self.model.bodies.len()).map(wanted).collect();
        for (bearing, force) in pushes {
            for (side, force) in [force, -force].into_iter().enumerate() {
                let Some(i) = bearing.ends.bodies[side].map(|body| body as usize) else { continue };
                let body = &self.model.bodies[i];
                if !body.is_free() {
                    continue;
                }
                let arm = bearing.ends.at[side] - self.state.positions[i];
                let moment = (arm.cross(bearing.push) + bearing.twist) * force;
                let inertia = body.inertia_turned(self.state.rotations[i]);
                wanted[i].0 += bearing.push * (force / body.mass);
                wanted[i].1 += match self.model.dimension {
                    2 => moment / inertia.z_axis.z,
                    _ => inertia.inverse() * moment,
                };
            }
        }
        Gauss::new(self.model, self.state, &wanted)
    }

    /// Whether anything pulls at a body that could follow; several pulls may balance each other.
    pub fn is_pulled(&self) -> bool {
        self.strongest() > 0.0
    }

    pub(super) fn strongest(&self) -> f64 {
        self.model.free().map(|i| self.strengths[i]).fold(0.0, f64::max)
    }

    /// What contact forces leave of the pulls, relative to the strongest of these.
    pub(super) fn left_over(&self, simplex: &Simplex) -> f64 {
        simplex.left_over() / self.strongest().max(f64::MIN_POSITIVE)
    }

    /// The widest gap that counts as a touch here, in radii of the smaller body.
    pub(super) fn widest_gap(&self) -> Option<f64> {
        self.touches.iter().map(|touch| touch.gap / touch.size(self.model)).reduce(f64::max)
    }

    /// The two bodies that overlap most, and how deeply, if it is more than the tolerance.
    pub fn overlap(&self) -> Option<([Option<u32>; 2], f64)> {
        let too_deep = |touch: &&Touch| -touch.gap > self.tolerance.gap_of(touch.size(self.model));
        let deepest = self.seen.iter().filter(too_deep).min_by(|a, b| a.gap.total_cmp(&b.gap));
        deepest.map(|touch| (touch.bodies(), -touch.gap))
    }

    /// The forces and moments of unit pushes: a cone per touch in space that has friction, columns
    /// of other touches, and of the bearings of joints.
    pub(super) fn program_of_forces(&self) -> Program {
        let gauss = self.gauss([].into_iter());
        let width = self.model.freedoms();
        let column = |parts: Parts| self.column(parts);
        let mut program = Program { rows: gauss.program.blocks() * width, ..Default::default() };
        for touch in &self.touches {
            let unit = self.unit_of_touch(touch);
            let along =
                |push: DVec3| column(gauss.parts(&Ends::of_touch(touch), push * unit, DVec3::ZERO));
            let opening = self.friction_of(touch);
            match &tangents(self.model.dimension, touch.normal)[..] {
                _ if opening == 0.0 => program.columns.push(along(touch.normal)),
                [one, _, two, _] => {
                    let across = [*one, *two].map(along);
                    program.cones.push(Cone { normal: along(touch.normal), across, opening });
                }
                flat => {
                    program.columns.extend(flat.iter().map(|t| along(touch.normal + *t * opening)));
                }
            }
        }
        for bearing in self.bearings() {
            let (push, twist) = (bearing.push, bearing.twist);
            let first = program.columns.len();
            program.columns.push(column(gauss.parts(&bearing.ends, push, twist)));
            if bearing.both_ways {
                program.columns.push(column(gauss.parts(&bearing.ends, -push, -twist)));
            }
            // What a motor exerts and what it has left are together what it can.
            if let Some(most) = bearing.most {
                program.columns.push(Vec::new());
                let part = (program.rows as u32, self.heaviest() / most);
                program.columns[first..].iter_mut().for_each(|column| column.push(part));
                program.rows += 1;
            }
        }
        program
    }

    /// The parts of a push as entries of a column.
    pub(super) fn column(&self, parts: Parts) -> Column {
        let width = self.model.freedoms();
        let mut column = Column::new();
        for (block, part) in parts {
            let Some(body) = self.model.free().nth(block as usize) else { continue };
            let part = part[..width].iter().enumerate().filter(|(_, x)| **x != 0.0);
            let first = block * width as u32;
            let unit = |k: usize| self.unit_of(body, k);
            column.extend(part.map(|(k, x)| (first + k as u32, x / unit(k))));
        }
        column
    }

    /// The strongest pull: the unit of the rows that limit motors.
    fn heaviest(&self) -> f64 {
        let pulls = self.model.free().map(|i| self.pulls[i].length());
        Some(pulls.fold(0.0, f64::max)).filter(|most| *most > 0.0).unwrap_or(1.0)
    }

    /// The unit of a row: of a force or a moment of a body.
    pub(super) fn unit_of(&self, body: usize, unknown: usize) -> f64 {
        self.unit_of_body(body) * if unknown < self.model.dimension { 1.0 } else { self.length }
    }

    fn unit_of_body(&self, body: usize) -> f64 {
        let units = self.units.get_or_init(|| {
            let strongest = self.strongest();
            // What holds by its strength has limits in one unit for all.
            let is_one = self.has_strengths();
            let unit = |own: f64| if own > 0.0 && !is_one { own / strongest } else { 1.0 };
            self.strengths.iter().map(|own| unit(*own)).collect()
        });
        units[body]
    }

    /// The unit of the forces at a touch: that of the lighter of its bodies that move.
    pub(super) fn unit_of_touch(&self, touch: &Touch) -> f64 {
        let bodies = touch.bodies().into_iter().flatten().map(|body| body as usize);
        let free = bodies.filter(|&body| self.model.bodies[body].is_free());
        free.map(|body| self.unit_of_body(body)).fold(1.0, f64::min)
    }

    /// A force and a moment on one body as entries of the right-hand side.
    pub(super) fn load(&self, body: usize, force: DVec3, moment: DVec3) -> Vec<(u32, f64)> {
        let block = self.model.free().position(|i| i == body);
        let Some(block) = block else { return Vec::new() };
        let width = self.model.freedoms();
        let packed = pack(self.model.dimension, (force, moment));
        let entries = packed[..width].iter().enumerate().filter(|(_, x)| **x != 0.0);
        entries.map(|(k, x)| ((block * width + k) as u32, -x / self.unit_of(body, k))).collect()
    }

    /// The pulls as a right-hand side of so many rows, and what motors can.
    pub(super) fn loads(&self, rows: usize) -> Vec<f64> {
        let mut right = vec![0.0; rows];
        let motors = self.bearings().iter().filter(|bearing| bearing.most.is_some()).count();
        let first = self.model.free().count() * self.model.freedoms();
        right[first..first + motors].fill(self.heaviest());
        right[..first].copy_from_slice(&self.pulls_by_row());
        right
    }

    /// The pulls as a right-hand side of the rows of bodies.
    pub(super) fn pulls_by_row(&self) -> Vec<f64> {
        let (width, mut right) = (self.model.freedoms(), vec![0.0; self.rows()]);
        for (block, body) in self.model.free().enumerate() {
            let packed = pack(self.model.dimension, (-self.pulls[body], DVec3::ZERO));
            let rows = right[block * width..(block + 1) * width].iter_mut().zip(packed);
            rows.enumerate().for_each(|(k, (row, x))| *row = x / self.unit_of(body, k));
        }
        right
    }

    /// Whether there are too many bodies for linear programs: margins, tilts, loads and the
    /// critical friction are not found then.
    pub fn is_large(&self) -> bool {
        self.rows() > MOST_ROWS
    }

    /// Of its linear program: all that can move in a way of its own.
    pub(super) fn rows(&self) -> usize {
        self.model.free().count() * self.model.freedoms()
    }

    /// The size of its linear program if all touches had friction.
    fn entries(&self) -> usize {
        let edges = 2 * (self.model.dimension - 1);
        self.rows() * (self.touches.len() * edges + self.rows())
    }

    /// Why there is no margin to ask for, if so.
    pub fn without_margin(&self) -> Option<&'static str> {
        let bodies = self.model.free().count();
        match () {
            () if bodies == 0 => Some("no body is free to move"),
            () if self.model.gravity == DVec3::ZERO => {
                Some("without gravity there is no weight to shift, so there is no margin")
            }
            () if bodies > MOST_BODIES => Some("there are too many bodies to ask for a margin"),
            () => None,
        }
    }

    /// Whether the margin is found between two bounds only.
    pub(super) fn is_slow(&self) -> bool {
        self.is_large() || self.entries() * self.model.free().count() > MOST_MARGIN
    }

    /// Whether even its margin is not found by the simplex method.
    pub(super) fn has_many(&self) -> bool {
        self.is_large() || self.entries() * self.model.free().count() > MOST_DEAR_MARGIN
    }

    /// Contact forces that balance what pulls at the bodies, as far as there are any inside the
    /// cones of friction; refuses if there are too many bodies.
    pub(super) fn simplex(&self) -> Result<&Simplex> {
        if self.is_large() {
            let (bodies, touches) = (self.model.free().count(), self.touches.len());
            let message = format!("{bodies} bodies with {touches} contacts are too many to ask");
            return Err(Problem::new(message)
                .help("tilts and loads are found for some 300 bricks in 2D, or 150 boxes in 3D"));
        }
        Ok(self.simplex.get_or_init(|| {
            let program = self.program_of_forces();
            let right = self.loads(program.rows);
            // For "what if" questions the first accelerations are not asked for.
            let guess = match self.friction {
                None => &self.begin_to_fall().pushes[..],
                Some(_) => &[],
            };
            Simplex::new(Arc::new(program), right, Polygon::Inner, guess)
        }))
    }
}

/// What is within a tolerance is small beside every body: else nobody could say where they are.
fn is_small(model: &Model, tolerance: Tolerance) -> Result<()> {
    let Some(gap) = tolerance.gap else { return Ok(()) };
    let too_small = |i: &usize| gap > MOST_TOLERANCE * model.bodies[*i].radius;
    let Some(body) = model.free().find(too_small) else { return Ok(()) };
    let radius = model.bodies[body].radius;
    let message =
        format!("a tolerance of {gap} is large beside body {body}, whose radius is {radius}");
    Err(Problem::new(message).help("give a length of at most a tenth of the smallest radius"))
}

/// Forces of the weakest pull are still seen beside those of the strongest.
fn are_comparable(model: &Model, strengths: &[f64]) -> Result<()> {
    let pulled = || model.free().filter(|&i| strengths[i] > 0.0);
    let by = |a: &usize, b: &usize| strengths[*a].total_cmp(&strengths[*b]);
    let (Some(weak), Some(strong)) = (pulled().min_by(by), pulled().max_by(by)) else {
        return Ok(());
    };
    match strengths[strong] <= MOST_RATIO * strengths[weak] {
        true => Ok(()),
        false => Err(Problem::new(format!(
            "body {strong} is pulled more than {MOST_RATIO:e} times as strongly as body {weak}"
        ))
        .help("forces so different are not told apart from rounding: check the masses")),
    }
}

/// Two bodies do not touch through a third one that lies between them and is thinner than what counts
/// as a gap: it touches both along the same direction.
fn leave_out_what_is_apart(model: &Model, state: &State, touches: &mut Vec<Touch>) {
    let mut own: BTreeMap<Option<u32>, Vec<usize>> = BTreeMap::new();
    for (k, touch) in touches.iter().enumerate() {
        touch.bodies().into_iter().for_each(|body| own.entry(body).or_default().push(k));
    }
    let beside = |body: Option<u32>, wide: &Touch| -> BTreeSet<u32> {
        let near = own.get(&body).into_iter().flatten().map(|&k| &touches[k]);
        let along = near.filter(|touch| {
            touch.gap < wide.gap && touch.normal.dot(wide.normal).abs() > SAME_DIRECTION
        });
        along.flat_map(Touch::bodies).filter(|other| *other != body).flatten().collect()
    };
    let is_apart = |touch: &Touch| {
        let [one, two] = touch.bodies();
        let is_thin = |body: &u32| {
            let thickness = width(model, state, *body as usize, touch.normal);
            thickness <= 2.0 * touch.gap
        };
        touch.gap > 0.0 && beside(one, touch).intersection(&beside(two, touch)).any(is_thin)
    };
    let apart: Vec<bool> = touches.iter().map(is_apart).collect();
    let mut apart = apart.into_iter();
    touches.retain(|_| apart.next() == Some(false));
}

/// How wide a body is along a direction.
pub(super) fn width(model: &Model, state: &State, body: usize, side: DVec3) -> f64 {
    let along = state.rotations[body].inverse() * side;
    let reach = |direction: DVec3| {
        let pieces = model.shape(body).pieces.iter();
        pieces.map(|piece| piece.support(direction)).fold(f64::NEG_INFINITY, f64::max)
    };
    reach(along) + reach(-along)
}

/// A fixed body may be very large; its touches are as close as those of the others.
fn limit(model: &Model, reach: Vec<f64>) -> Vec<f64> {
    let largest = model.free().map(|i| reach[i]).fold(0.0, f64::max);
    reach.into_iter().map(|r| r.min(largest)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Form, Law};
    use crate::shape::Shape;
    use crate::step::collapse::samples::{add, rectangle};
    use crate::world::{Anchor, Force, Motion};

    /// What methods leave between bodies at rest counts as touching, and is never called exact.
    #[test]
    fn a_resting_gap_bears() {
        for shape in [Shape::disc(0.5), rectangle(1.0, 1.0)] {
            let radius = shape.radius();
            let judge = |gap: f64| {
                let (mut model, mut state) = (Model::new(2, DVec3::NEG_Y), State::default());
                let at = DVec3::Y * (0.5 + gap * radius);
                add(&mut model, &mut state, shape.clone(), at);
                let ground = rectangle(9.0, 1.0);
                add(&mut model, &mut state, ground, DVec3::Y * -0.5).motion = Motion::Fixed;
                Statics::within(&model, &state, Tolerance::FRAME).unwrap().verdict()
            };
            let exact = shape.is_ball().is_none();
            assert_eq!((judge(0.0).is_balanced(), judge(0.0).exact), (true, exact));
            for gap in [1e-9, 1e-7, 1e-5, 1e-4, -1e-5] {
                let verdict = judge(gap);
                assert_eq!((verdict.is_balanced(), verdict.exact), (true, false), "{gap}");
                assert!((verdict.widest_gap.unwrap() - gap).abs() < 1e-12);
            }
            let above = judge(1e-3);
            assert_eq!((above.is_balanced(), above.widest_gap), (false, None));
        }
    }

    /// Two sheets of paper, the upper one two thirds beyond the lower: it does not lie on the ground
    /// through the lower one, thinner though that is than what counts as a gap.
    #[test]
    fn nothing_touches_through_what_lies_between() {
        let judge = |overhang: f64| {
            let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
            let sheet = || Shape::cuboid(DVec3::new(1200.0, 800.0, 0.1)).unwrap();
            add(&mut model, &mut state, sheet(), DVec3::Z * 0.05);
            add(&mut model, &mut state, sheet(), DVec3::new(overhang, 0.0, 0.15));
            let ground = Shape::cuboid(DVec3::new(9e3, 9e3, 1.0)).unwrap();
            add(&mut model, &mut state, ground, DVec3::Z * -0.5).motion = Motion::Fixed;
            let statics = Statics::new(&model, &state).unwrap();
            let through = statics.touches.iter().filter(|t| t.bodies() == [Some(1), Some(2)]);
            assert_eq!(through.count(), 0);
            statics.verdict().is_balanced()
        };
        assert_eq!([judge(590.0), judge(610.0), judge(800.0)], [true, false, false]);
    }

    /// Margins and tilts are the same for feathers and for mountains.
    #[test]
    fn units_of_force_do_not_matter() {
        let asked = |unit: f64| {
            let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
            let lower = Shape::cuboid(DVec3::new(2.0, 1.0, 1.0)).unwrap();
            add(&mut model, &mut state, lower, DVec3::Z * 0.5);
            let upper = Shape::cuboid(DVec3::ONE).unwrap();
            add(&mut model, &mut state, upper, DVec3::new(0.9, 0.0, 1.5));
            let ground = Shape::cuboid(DVec3::new(9.0, 9.0, 1.0)).unwrap();
            add(&mut model, &mut state, ground, DVec3::Z * -0.5).motion = Motion::Fixed;
            model.bodies.iter_mut().for_each(|body| {
                body.mass = unit;
                body.inertia *= unit;
                body.material.friction = 0.6;
            });
            let statics = Statics::new(&model, &state).unwrap();
            let tilt = statics.tilt(DVec3::X).unwrap().angle.to_degrees();
            let top = DVec3::new(0.9, 0.0, 2.0);
            let load = statics.load_factor(1, top, DVec3::X * (1e-7 * unit)).unwrap();
            (statics.verdict().margin.unwrap(), tilt, load)
        };
        let (margin, tilt, load) = asked(1.0);
        assert!(
            (margin - 0.0828).abs() < 1e-4 && tilt > 5.0 && load > 1e5,
            "{margin} {tilt} {load}"
        );
        for unit in [1e-12, 1e-7, 1e-5, 1e9] {
            let found = asked(unit);
            let same = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-6;
            let all = same(found.0, margin) && same(found.1, tilt) && same(found.2, load);
            assert!(all, "{unit}: {found:?}, not {margin} {tilt} {load}");
        }
    }

    /// A pyramid of boxes has no margin to wait for.
    #[test]
    fn what_is_too_large_is_not_asked_for() {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        for k in 0..40 {
            let at = DVec3::Z * (0.5 + f64::from(k));
            add(&mut model, &mut state, Shape::cuboid(DVec3::ONE).unwrap(), at);
        }
        let statics = Statics::new(&model, &state).unwrap();
        assert_eq!(statics.without_margin(), None);
        for k in 0..400 {
            let at = DVec3::new(2.0 * f64::from(k % 20), 2.0 * f64::from(k / 20) + 2.0, 0.5);
            add(&mut model, &mut state, Shape::cuboid(DVec3::ONE).unwrap(), at);
        }
        let statics = Statics::new(&model, &state).unwrap();
        assert!(statics.without_margin().is_none() && statics.is_slow());
        for k in 0..1600 {
            let at = DVec3::new(2.0 * f64::from(k % 40), 2.0 * f64::from(k / 40) + 50.0, 0.5);
            add(&mut model, &mut state, Shape::cuboid(DVec3::ONE).unwrap(), at);
        }
        let statics = Statics::new(&model, &state).unwrap();
        assert_eq!(statics.without_margin(), Some("there are too many bodies to ask for a margin"));
    }

    /// A ball hangs from a spring, up to rounding: what is left is little beside its weight.
    #[test]
    fn a_weight_and_a_spring_balance_each_other() {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z * 9.81), State::default());
        add(&mut model, &mut state, Shape::ball(0.2), DVec3::ZERO);
        let weight = model.bodies[0].mass * 9.81;
        let law = Law::Spring { strength: 20.0, rest_length: 0.0 };
        for (off, balanced) in [(1e-12, true), (1e-2, false)] {
            let point = DVec3::Z * (weight / 40.0 * (1.0 + off)); // the slope of 20 d^2
            let anchors = vec![Anchor { body: 0, point, softening: 0.0 }];
            model.forces = vec![Force { law, form: Form::Bound, pairs: Vec::new(), anchors }];
            let verdict = Statics::new(&model, &state).unwrap().verdict();
            assert_eq!((verdict.is_balanced(), verdict.pulled), (balanced, true), "{off}");
        }
    }

    /// Where nothing pulls, no forces are balance, which is not standing.
    #[test]
    fn what_nothing_pulls_at() {
        let (mut model, mut state) = (Model::new(3, DVec3::ZERO), State::default());
        add(&mut model, &mut state, Shape::ball(1.0), DVec3::ZERO);
        let verdict = Statics::new(&model, &state).unwrap().verdict();
        assert_eq!((verdict.is_balanced(), verdict.pulled, verdict.margin), (true, false, None));
    }
}
