//! How far from falling: the margin, and on request the load factor, the
//! critical tilt and the critical coefficient of friction.

use std::sync::Arc;

use super::{Balance, Statics};
use crate::math::DVec3;
use crate::problem::Result;
use crate::solver::linear::{Polygon, Simplex};

/// A margin is not looked for beyond this many widths.
pub const WIDEST: f64 = 10.0;

/// More friction than this is glue.
const MOST_FRICTION: f64 = 10.0;

/// The critical tilt towards one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tilt {
    /// The horizontal direction that becomes downhill.
    pub towards: DVec3,
    /// In radians.
    pub angle: f64,
}

impl Statics<'_> {
    /// Horizontal unit vectors: two in 2D, `count` around the compass in 3D.
    pub(super) fn compass(&self, count: usize) -> Vec<DVec3> {
        let down = self.model.gravity.normalize_or_zero();
        let across = if self.model.dimension == 2 {
            DVec3::new(-down.y, down.x, 0.0)
        } else if down.x.abs() < 0.9 {
            (DVec3::X - down * down.x).normalize()
        } else {
            (DVec3::Y - down * down.y).normalize()
        };
        if self.model.dimension == 2 {
            return vec![across, -across];
        }
        let other = across.cross(down);
        let turn = |k: usize| {
            // Quarter turns exactly, so that what is symmetric has symmetric answers.
            let (sin, cos) = match 4 * k % count {
                0 => ([0.0, 1.0, 0.0, -1.0][4 * k / count], [1.0, 0.0, -1.0, 0.0][4 * k / count]),
                _ => (std::f64::consts::TAU * k as f64 / count as f64).sin_cos(),
            };
            across * cos + other * sin
        };
        (0..count).map(turn).collect()
    }

    /// The entries of the right-hand side when the weight of a body shifts by
    /// its own width towards `side`.
    pub(super) fn shift(&self, body: usize, side: DVec3) -> Vec<(u32, f64)> {
        let by = side * self.width(body, side);
        self.load(body, DVec3::ZERO, by.cross(self.pulls[body]))
    }

    /// Minus the least shift, in widths, allowed to every body at once, that would balance all.
    pub(super) fn deficit(&self) -> Option<f64> {
        let sides = self.compass(4);
        let mut program = self.program_of_forces();
        let balance = program.rows as u32;
        let moving: Vec<usize> = self.model.free().collect();
        for (k, &body) in moving.iter().enumerate() {
            let limit = balance + k as u32;
            for side in &sides {
                // The load is a right-hand side: as a column it changes sides.
                let mut column: Vec<(u32, f64)> =
                    self.shift(body, *side).into_iter().map(|(row, x)| (row, -x)).collect();
                column.push((limit, 1.0));
                program.columns.push(column);
            }
            program.columns.push(vec![(limit, 1.0)]);
        }
        program.rows += moving.len();
        let mut right = self.loads(program.rows);
        right[balance as usize..].fill(WIDEST);
        // Rows in units of their body's own weight: what is little beside the heaviest counts all the same.
        let width = self.model.freedoms();
        let unit = |row: usize| match moving.get(row / width) {
            Some(&body) if self.strengths[body] > 0.0 => self.strengths[body],
            _ => 1.0,
        };
        right[..moving.len() * width].iter_mut().enumerate().for_each(|(row, x)| *x /= unit(row));
        let cones = program.cones.iter_mut();
        let of_cones =
            cones.flat_map(|cone| std::iter::once(&mut cone.normal).chain(&mut cone.across));
        for (row, x) in program.columns.iter_mut().chain(of_cones).flatten() {
            if (*row as usize) < moving.len() * width {
                *x /= unit(*row as usize);
            }
        }
        let simplex = Simplex::new(Arc::new(program), right, Polygon::Round, &[]);
        let all: Vec<(u32, f64)> = (0..moving.len() as u32).map(|k| (balance + k, -1.0)).collect();
        (simplex.left_over() < self.tolerance.balance * moving.len() as f64)
            .then(|| simplex.farthest(&all, WIDEST) - WIDEST)
    }

    /// The largest multiple of a load (a force on a body, at a point) that can be balanced too;
    /// 0 if nothing is balanced. Refuses if there are too many bodies to ask.
    pub fn load_factor(&self, body: usize, at: DVec3, force: DVec3) -> Result<f64> {
        let simplex = self.simplex()?;
        let moment = (at - self.state.positions[body]).cross(force);
        let factor = simplex.farthest(&self.load(body, force, moment), f64::INFINITY);
        Ok(if self.left_over(simplex) < self.tolerance.balance { factor } else { 0.0 })
    }

    /// The tilts at which balance is lost, around the compass: two in 2D, `count` in 3D.
    pub fn tilts(&self, count: usize) -> Result<Vec<Tilt>> {
        self.compass(count).into_iter().map(|side| self.tilt(side)).collect()
    }

    /// The tilt at which balance is lost when a horizontal direction goes down. Balanced
    /// gravities make a convex cone, so one linear program finds its edge.
    pub fn tilt(&self, towards: DVec3) -> Result<Tilt> {
        let mut push = Vec::new();
        let size = self.model.gravity.length();
        for body in self.model.free() {
            let sideways = towards * (size * self.model.bodies[body].mass);
            push.extend(self.load(body, sideways, DVec3::ZERO));
        }
        let factor = match self.is_slow() {
            true => self.farthest_of_many(&push, WIDEST, 0.0).least,
            false => self.simplex()?.farthest(&push, f64::INFINITY),
        };
        Ok(Tilt { towards, angle: factor.atan() })
    }

    /// The least coefficient of friction, the same everywhere, with which balancing forces
    /// exist; none if no friction would do. More friction never hurts balance: bisection.
    pub fn critical_friction(&self) -> Result<Option<f64>> {
        let holds = |friction: f64| -> Result<bool> {
            let rough = self.with_friction(friction);
            if self.is_slow() {
                return Ok(rough.balance_of_many() == Balance::Balanced);
            }
            let simplex = rough.simplex()?.with(Polygon::Round);
            Ok(rough.left_over(&simplex) < self.tolerance.balance)
        };
        if holds(0.0)? {
            return Ok(Some(0.0));
        }
        if !holds(MOST_FRICTION)? {
            return Ok(None);
        }
        let (mut low, mut high) = (0.0, MOST_FRICTION);
        let exact = if self.is_slow() { 1e-4 } else { 1e-9 };
        while high - low > exact * high {
            let middle = 0.5 * (low + high);
            if holds(middle)? { high = middle } else { low = middle }
        }
        Ok(Some(high))
    }
}
