//! How far from falling: the margin, and on request the load factor, the
//! critical tilt and the critical coefficient of friction.

use super::{AT_REST, Statics};
use crate::math::DVec3;
use crate::solver::linear::{Columns, Tableau};

/// A margin is not looked for beyond this many widths.
const WIDEST: f64 = 10.0;

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
    fn compass(&self, count: usize) -> Vec<DVec3> {
        let down = self.tower.gravity.normalize_or_zero();
        let across = if self.tower.dimension == 2 {
            DVec3::new(-down.y, down.x, 0.0)
        } else if down.x.abs() < 0.9 {
            (DVec3::X - down * down.x).normalize()
        } else {
            (DVec3::Y - down * down.y).normalize()
        };
        if self.tower.dimension == 2 {
            return vec![across, -across];
        }
        let other = across.cross(down);
        let turn = |k: usize| {
            // Quarter turns exactly, so that symmetric towers have symmetric answers.
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
    fn shift(&self, body: usize, side: DVec3) -> Vec<(u32, f64)> {
        let brick = &self.tower.bricks[body];
        let width = brick.extent(side, self.poses.rotations[body]);
        let moment = (side * width).cross(self.tower.gravity * brick.mass);
        self.load(body, DVec3::ZERO, moment)
    }

    /// The largest shift, in widths, of the weight of any one body that leaves all balanced.
    pub fn margin(&self, tableau: &Tableau) -> f64 {
        let sides = self.compass(4);
        let shifts = self.tower.moving().flat_map(|body| {
            sides.iter().map(move |side| tableau.farthest(&self.shift(body, *side)))
        });
        shifts.fold(WIDEST, f64::min)
    }

    /// Minus the least shift, in widths, allowed to every body at once, that would balance all.
    pub fn deficit(&self) -> Option<f64> {
        let sides = self.compass(4);
        let mut columns = self.columns();
        let balance = columns.rows as u32;
        let moving: Vec<usize> = self.tower.moving().collect();
        for (k, &body) in moving.iter().enumerate() {
            let limit = balance + k as u32;
            for side in &sides {
                // The load is a right-hand side: as a column it changes sides.
                let mut column: Vec<(u32, f64)> =
                    self.shift(body, *side).into_iter().map(|(row, x)| (row, -x)).collect();
                column.push((limit, 1.0));
                columns.columns.push(column);
            }
            columns.columns.push(vec![(limit, 1.0)]);
        }
        columns.rows += moving.len();
        let mut right = vec![0.0; columns.rows];
        for &body in &moving {
            let weight = self.tower.gravity * self.tower.bricks[body].mass;
            for (row, x) in self.load(body, weight, DVec3::ZERO) {
                right[row as usize] += x;
            }
        }
        right[balance as usize..].fill(WIDEST);
        let tableau = Tableau::new(&columns, &right);
        let all: Vec<(u32, f64)> = (0..moving.len() as u32).map(|k| (balance + k, -1.0)).collect();
        (tableau.left_over() < AT_REST).then(|| tableau.farthest(&all).min(WIDEST) - WIDEST)
    }

    /// The largest multiple of a load (a force on a body, at a point) that can be balanced too.
    pub fn load_factor(&self, tableau: &Tableau, body: usize, at: DVec3, force: DVec3) -> f64 {
        let moment = (at - self.poses.positions[body]).cross(force);
        tableau.farthest(&self.load(body, force, moment))
    }

    /// The tilts at which balance is lost, around the compass: two in 2D, `count` in 3D.
    pub fn tilts(&self, tableau: &Tableau, count: usize) -> Vec<Tilt> {
        self.compass(count).into_iter().map(|side| self.tilt(tableau, side)).collect()
    }

    /// Balanced gravities make a convex cone, so one linear program finds its edge.
    pub fn tilt(&self, tableau: &Tableau, towards: DVec3) -> Tilt {
        let mut push = Vec::new();
        let size = self.tower.gravity.length();
        for body in self.tower.moving() {
            push.extend(self.load(
                body,
                towards * (size * self.tower.bricks[body].mass),
                DVec3::ZERO,
            ));
        }
        Tilt { towards, angle: tableau.farthest(&push).atan() }
    }

    /// More friction never hurts balance: bisection.
    pub fn critical_friction(&self) -> Option<f64> {
        let holds = |friction: f64| {
            self.with_friction(friction).tableau(self.tower.gravity).left_over() < AT_REST
        };
        if holds(0.0) {
            return Some(0.0);
        }
        if !holds(MOST_FRICTION) {
            return None;
        }
        let (mut low, mut high) = (0.0, MOST_FRICTION);
        while high - low > 1e-9 * high {
            let middle = 0.5 * (low + high);
            if holds(middle) { high = middle } else { low = middle }
        }
        Some(high)
    }
}

/// For the static minimum-energy problem: `columns` with one more row.
pub(super) fn with_objective(columns: Columns, objective: &[f64]) -> (Columns, u32) {
    let row = columns.rows as u32;
    let add = |(mut column, x): (Vec<(u32, f64)>, &f64)| {
        if *x != 0.0 {
            column.push((row, -x));
        }
        column
    };
    let columns = columns.columns.into_iter().zip(objective).map(add).collect();
    (Columns { rows: row as usize + 1, columns }, row)
}
