//! Bodies and touches as a quadratic program: Gauss' principle of least
//! restraint in reduced form, three unknowns per body in 2D and six in 3D
//! (translation and rotation vector).

use crate::contact::{Move, Touch};
use crate::math::{DMat3, DVec3};
use crate::solver::quadratic::{Demand, MOST_WIDTH, Quadratic};
use crate::world::{Joint, Model, State};

/// The coefficients of a row: per block, those of its unknowns.
pub(crate) type Parts = Vec<(u32, [f64; MOST_WIDTH])>;

/// The program of a model, growing row by row.
pub(crate) struct Gauss<'a> {
    pub model: &'a Model,
    pub state: &'a State,
    pub program: Quadratic,
    /// Per body, its block; none if it does not move.
    pub blocks: Vec<Option<u32>>,
}

/// Where something acts on two bodies, or on a body and what never moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ends {
    pub bodies: [Option<u32>; 2],
    /// In the frame of the world.
    pub at: [DVec3; 2],
}

impl Ends {
    pub fn of_touch(touch: &Touch) -> Ends {
        Ends { bodies: touch.bodies(), at: touch.at }
    }

    pub fn of_joint(joint: &Joint, state: &State) -> Ends {
        Ends { bodies: joint.bodies, at: joint.ends(state) }
    }
}

/// Unit vectors across a normal, each with its opposite.
pub(crate) fn tangents(dimension: usize, normal: DVec3) -> Vec<DVec3> {
    if dimension == 2 {
        let tangent = DVec3::new(-normal.y, normal.x, 0.0);
        return vec![tangent, -tangent];
    }
    // Across the coordinate axis that the normal is least along, so that
    // axis-parallel boxes have axis-parallel pyramids.
    let size = normal.abs();
    let axis = match size {
        s if s.x <= s.y && s.x <= s.z => DVec3::X,
        s if s.y <= s.z => DVec3::Y,
        _ => DVec3::Z,
    };
    let one = normal.cross(axis).normalize();
    let two = normal.cross(one);
    vec![one, -one, two, -two]
}

/// The directions of a space.
pub(crate) fn axes(dimension: usize) -> &'static [DVec3] {
    &[DVec3::X, DVec3::Y, DVec3::Z][..dimension]
}

/// What the friction of touches can do: each pushes along its normal, or along the edges of a
/// polygon inside its cone. In space a polygon gets an edge against the slip of its touch where
/// that is between its edges, program by program, until the cone is as good as round.
#[derive(Clone, Debug)]
pub(crate) struct Facets {
    /// Per touch, its coefficient of friction.
    frictions: Vec<f64>,
    /// Per touch, unit vectors across its normal; none without friction.
    around: Vec<Vec<DVec3>>,
}

/// A polygon is as good as the circle if it reaches as far as this part of it less.
const ROUND: f64 = 1e-7;

/// Edges of a polygon in space to begin with.
const FIRST: usize = 4;

impl Facets {
    /// Polygons to begin with: of four edges, or the whole cone in the plane.
    pub fn new(dimension: usize, touches: &[Touch], friction: impl Fn(&Touch) -> f64) -> Self {
        let frictions: Vec<f64> = touches.iter().map(friction).collect();
        let around = |(touch, friction): (&Touch, &f64)| match friction {
            0.0 => Vec::new(),
            _ => tangents(dimension, touch.normal),
        };
        Facets { around: touches.iter().zip(&frictions).map(around).collect(), frictions }
    }

    /// Gives a touch an edge that it had before, as far as its normal allows.
    pub fn add(&mut self, index: usize, touch: &Touch, tangent: DVec3) {
        let across = tangent - touch.normal * touch.normal.dot(tangent);
        let around = &mut self.around[index];
        if let Some(tangent) = across.try_normalize()
            && around.len() > 2
            && around.iter().all(|other| other.dot(tangent) < 1.0 - ROUND)
        {
            around.push(tangent);
        }
    }

    /// The edges that a touch has beyond those of the beginning, with their places.
    pub fn added(&self, index: usize) -> impl Iterator<Item = (usize, DVec3)> + '_ {
        self.around[index].iter().copied().enumerate().skip(FIRST)
    }

    /// The directions in which a touch pushes.
    pub fn pushes(&self, index: usize, touch: &Touch) -> Vec<DVec3> {
        let (friction, around) = (self.frictions[index], &self.around[index]);
        match around.is_empty() {
            true => vec![touch.normal],
            false => around.iter().map(|t| touch.normal + *t * friction).collect(),
        }
    }

    /// How many these are.
    pub fn count(&self, index: usize) -> usize {
        self.around[index].len().max(1)
    }

    /// How many rows all touches have.
    pub fn rows(&self) -> usize {
        (0..self.around.len()).map(|index| self.count(index)).sum()
    }

    /// Gives the touches that push or sink in, and slide between their edges, one edge more. `slips`
    /// are their motions along the contact, of which those up to `least` are rest; `multipliers` has
    /// those of touches from `first` on, and gets zeros for new edges. Whether there are any.
    pub fn refine(
        &mut self,
        slips: &[DVec3],
        least: &[f64],
        (multipliers, first): (&mut Vec<f64>, usize),
        sinks: impl Fn(usize) -> bool,
    ) -> bool {
        let (mut at, before) = (first, multipliers.len());
        for (index, slip) in slips.iter().enumerate() {
            let end = at + self.count(index);
            let matters = multipliers[at..end].iter().any(|m| *m > 0.0) || sinks(index);
            let around = &mut self.around[index];
            let length = slip.length();
            let reach = around.iter().map(|t| -t.dot(*slip)).fold(0.0, f64::max);
            at = end;
            // In the plane, two edges are the cone.
            let is_flat = around.len() <= 2;
            if matters && !is_flat && length > least[index] && reach < (1.0 - ROUND) * length {
                around.push(-*slip / length);
                multipliers.insert(at, 0.0);
                at += 1;
            }
        }
        multipliers.len() > before
    }
}

impl<'a> Gauss<'a> {
    /// A program whose blocks want to move as `wanted` says, per body.
    pub fn new(model: &'a Model, state: &'a State, wanted: &[Move]) -> Self {
        let width = model.freedoms();
        let mut program = Quadratic::new(width);
        let mut blocks = vec![None; model.bodies.len()];
        for i in model.free() {
            blocks[i] = Some(program.blocks() as u32);
            let body = &model.bodies[i];
            let inertia = match body.is_particle() {
                // It does not turn: any inertia will do, as nothing twists it.
                true => DMat3::from_diagonal(DVec3::splat(body.mass * body.radius.powi(2))),
                false => body.inertia_turned(state.rotations[i]),
            };
            let metric = metric(model.dimension, body.mass, &inertia);
            program.add_block(&metric, &pack(model.dimension, wanted[i])[..width]);
        }
        Gauss { model, state, program, blocks }
    }

    /// Demands something of `push . (motion at the first point - that at the second) + offset`.
    pub fn add(&mut self, demand: Demand, offset: f64, ends: &Ends, push: DVec3) {
        self.add_twisted(demand, offset, ends, push, DVec3::ZERO);
    }

    /// As [`Gauss::add`], with `twist . (turn of the first body - that of the second)` on top.
    pub fn add_twisted(
        &mut self,
        demand: Demand,
        offset: f64,
        ends: &Ends,
        push: DVec3,
        twist: DVec3,
    ) {
        let parts = self.parts(ends, push, twist);
        let width = self.model.freedoms();
        let slices: Vec<(u32, &[f64])> = parts.iter().map(|(b, p)| (*b, &p[..width])).collect();
        self.program.add_row(demand, offset, &slices);
    }

    /// The coefficients of a row, per block.
    pub fn parts(&self, ends: &Ends, push: DVec3, twist: DVec3) -> Parts {
        let side = |side: usize, sign: f64| {
            let body = ends.bodies[side]? as usize;
            let arm = ends.at[side] - self.state.positions[body];
            let turn = match self.model.bodies[body].is_particle() {
                true => DVec3::ZERO,
                false => arm.cross(sign * push) + sign * twist,
            };
            let part = pack(self.model.dimension, (sign * push, turn));
            self.blocks[body].map(|block| (block, part))
        };
        [side(0, 1.0), side(1, -1.0)].into_iter().flatten().collect()
    }

    /// What the solution says about every body; those that do not move stay.
    pub fn motions(&self, x: &[f64]) -> Vec<Move> {
        let width = self.model.freedoms();
        let motion = |block: &Option<u32>| match block {
            Some(block) => unpack(self.model.dimension, &x[*block as usize * width..][..width]),
            None => (DVec3::ZERO, DVec3::ZERO),
        };
        self.blocks.iter().map(motion).collect()
    }
}

/// How a body resists, by rows.
fn metric(dimension: usize, mass: f64, inertia: &DMat3) -> Vec<f64> {
    if dimension == 2 {
        return vec![mass, 0.0, 0.0, 0.0, mass, 0.0, 0.0, 0.0, inertia.z_axis.z];
    }
    let mut metric = vec![0.0; 36];
    for k in 0..3 {
        metric[7 * k] = mass;
        for l in 0..3 {
            metric[6 * (k + 3) + l + 3] = inertia.col(l)[k];
        }
    }
    metric
}

pub(crate) fn pack(dimension: usize, (shift, turn): Move) -> [f64; MOST_WIDTH] {
    match dimension {
        2 => [shift.x, shift.y, turn.z, 0.0, 0.0, 0.0],
        _ => [shift.x, shift.y, shift.z, turn.x, turn.y, turn.z],
    }
}

fn unpack(dimension: usize, part: &[f64]) -> Move {
    match dimension {
        2 => (DVec3::new(part[0], part[1], 0.0), DVec3::new(0.0, 0.0, part[2])),
        _ => (DVec3::from_slice(&part[..3]), DVec3::from_slice(&part[3..])),
    }
}
