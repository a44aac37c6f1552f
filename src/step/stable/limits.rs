//! How far from falling: the acceleration of the ground that takes the balance, and on request the load
//! factor, the critical tilt and the critical coefficient of friction.

use std::f64::consts::FRAC_PI_2;

use super::margin::{CHORD, NEAR, Shift, around};
use super::{Balance, Statics};
use crate::math::DVec3;
use crate::problem::Result;
use crate::solver::linear::Polygon;

/// A margin is not looked for beyond this many widths: a weight that has shifted farther is a load beside
/// its body.
pub const WIDEST: f64 = 1.0;

/// Ground is not shaken more strongly than this, in units of gravity, to see what it takes.
pub const SHAKEN: f64 = 10.0;

/// Of many bodies its bounds are brought so near to each other, and directions of programs with
/// bounds of their own to half of that.
const KNOWN: f64 = 5e-3;

/// Directions of the ground that are tried besides the first four, at most.
const MOST_GROUNDS: usize = 60;

/// Loads are tried up to these multiples of the strongest pull.
const MOST_LOADS: [f64; 3] = [10.0, 1e3, 1e5];

/// Tangents of tilts beyond this are a wall.
const STEEPEST: f64 = 1e4;

/// What is borne up to this part of all that is tried, is borne without an end.
const FAR: f64 = 1.0 - 1e-4;

/// The share of a load is found so exactly, and the tilt of what holds by strength.
const EXACTLY: f64 = 1e-9;
const HELD_LEAN: f64 = 1e-5;

/// Tilts are tried in steps of this angle, and in smaller ones where bodies let go, down to how exactly
/// the angle is asked for. The cosine of half a small one is 1 up to rounding.
const WIDE_LEAN: f64 = FRAC_PI_2 / 8.0;
const SMALL_LEAN: f64 = 8e-5;

/// More friction than this is glue.
const MOST_FRICTION: f64 = 10.0;

/// The least level acceleration of the ground that takes the balance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// In units of gravity: it is between these, or at least [`SHAKEN`].
    pub bounds: [f64; 2],
    /// The level direction in which bodies are pushed then, as on a ground that tilts to this side.
    pub towards: DVec3,
}

/// The critical tilt towards one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tilt {
    /// The horizontal direction that becomes downhill.
    pub towards: DVec3,
    /// In radians.
    pub angle: f64,
}

/// The angle up to which all is held if gravity turns, of which the utilisation is known at every angle: a
/// quarter turn at most; none if all is not held as it is. Loads at an angle between two are
/// those of the chord, made larger by the cosine of half the angle between, and so is the utilisation
/// at most: where that is below 1 nothing lets go between the two.
pub(super) fn steepest(used: impl Fn(f64) -> f64, exact: f64) -> Option<f64> {
    let (mut angle, mut now) = (0.0, used(0.0));
    if now > 1.0 {
        return None;
    }
    let mut lean = WIDE_LEAN;
    while angle < FRAC_PI_2 && lean > exact {
        let next = (angle + lean).min(FRAC_PI_2);
        let then = used(next);
        let is_held_between = now.max(then) <= (0.5 * (next - angle)).cos() || lean < SMALL_LEAN;
        match then <= 1.0 && is_held_between {
            true => (angle, now) = (next, then),
            false => lean *= 0.5,
        }
    }
    Some(angle)
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

    /// The entries of the right-hand side when the ground accelerates by gravity's size, as bodies on it
    /// feel it: pushed towards a side.
    fn pushed(&self, towards: DVec3) -> Vec<(u32, f64)> {
        let size = self.model.gravity.length();
        let sideways = |body: usize| towards * (size * self.model.bodies[body].mass);
        let push = |body: usize| self.load(body, sideways(body), DVec3::ZERO);
        self.model.free().flat_map(push).collect()
    }

    /// The least level acceleration of the ground that takes the balance, over all directions; what is
    /// borne is a convex set, so that a few directions bound it from both sides. Of what is balanced; none
    /// without gravity or bodies that move.
    pub fn ground(&self) -> Option<Ground> {
        if self.model.gravity == DVec3::ZERO || self.model.free().next().is_none() {
            return None;
        }
        let few = match self.is_by_simplex() {
            true => self.simplex().ok(),
            false => None,
        };
        let mut worst: Option<(f64, DVec3)> = None;
        let mut reach = |towards: DVec3| {
            let push = self.pushed(towards);
            let [least, most] = match few {
                Some(simplex) => [simplex.farthest(&push, CHORD * SHAKEN); 2],
                None => {
                    let found = self.farthest_of_many(&push, CHORD * SHAKEN, 0.5 * KNOWN);
                    [found.least, found.most]
                }
            };
            if worst.is_none_or(|(known, _)| most < known) {
                worst = Some((most, towards));
            }
            Shift { towards, length: least, width: 1.0, most: Some(most) }
        };
        let shifts: Vec<Shift> = self.compass(4).into_iter().map(&mut reach).collect();
        let near = if few.is_some() { NEAR } else { KNOWN };
        let bounds = around(shifts, SHAKEN, near, MOST_GROUNDS, reach);
        let towards = worst.map_or(DVec3::ZERO, |(_, towards)| towards);
        Some(Ground { bounds: bounds.map(|x| x.min(SHAKEN)), towards })
    }

    /// Whether tilts and the like are found by the simplex method.
    fn is_by_simplex(&self) -> bool {
        !self.is_slow() && !self.has_strengths()
    }

    /// The largest multiple of a load (a force on a body, at a point) that can be balanced too;
    /// 0 if nothing is balanced.
    pub fn load_factor(&self, body: usize, at: DVec3, force: DVec3) -> Result<f64> {
        let moment = (at - self.state.positions[body]).cross(force);
        let load = self.load(body, force, moment);
        if !self.is_by_simplex() {
            return Ok(self.factor_of_many(&load, force.length()));
        }
        let simplex = self.simplex()?;
        let factor = simplex.farthest(&load, f64::INFINITY);
        Ok(if self.left_over(simplex) < self.tolerance.balance { factor } else { 0.0 })
    }

    /// How often a load of this size is borne: programs up to larger and larger ones.
    fn factor_of_many(&self, load: &[(u32, f64)], size: f64) -> f64 {
        for most in MOST_LOADS {
            let times = most * self.strongest().max(f64::MIN_POSITIVE) / size;
            let least = self.farthest_of_many(load, times, EXACTLY).least;
            if least < times * FAR {
                return least;
            }
        }
        f64::INFINITY
    }

    /// The tilts at which balance is lost, around the compass: two in 2D, `count` in 3D.
    pub fn tilts(&self, count: usize) -> Result<Vec<Tilt>> {
        self.compass(count).into_iter().map(|side| self.tilt(side)).collect()
    }

    /// The tilt at which balance is lost when a horizontal direction goes down. Balanced
    /// gravities make a convex cone, so one linear program finds its edge.
    pub fn tilt(&self, towards: DVec3) -> Result<Tilt> {
        if self.has_strengths() {
            return Ok(Tilt { towards, angle: self.tilt_of_held(towards) });
        }
        Ok(Tilt { towards, angle: self.acceleration(towards)?.atan() })
    }

    /// The largest level acceleration of the ground, in units of gravity, that is borne if bodies are pushed
    /// towards this direction.
    pub fn acceleration(&self, towards: DVec3) -> Result<f64> {
        let push = self.pushed(towards);
        if self.is_by_simplex() {
            return Ok(self.simplex()?.farthest(&push, f64::INFINITY));
        }
        Ok(match self.farthest_of_many(&push, STEEPEST, EXACTLY).least {
            far if far < STEEPEST * FAR => far,
            _ => f64::INFINITY,
        })
    }

    /// What holds by its strength holds as gravity turns, which is as strong as before.
    fn tilt_of_held(&self, towards: DVec3) -> f64 {
        let (size, down) = (self.model.gravity.length(), self.model.gravity.normalize_or_zero());
        let used = |angle: f64| {
            let (sin, cos) = angle.sin_cos();
            let lean = (towards * sin + down * (cos - 1.0)) * size;
            let mut loads = self.pulls_by_row();
            for body in self.model.free() {
                let more = self.load(body, lean * self.model.bodies[body].mass, DVec3::ZERO);
                more.into_iter().for_each(|(row, x)| loads[row as usize] += x);
            }
            self.utilisation(&loads)
        };
        steepest(used, HELD_LEAN).unwrap_or(0.0)
    }

    /// The least coefficient of friction, the same everywhere, with which balancing forces
    /// exist; none if no friction would do. More friction never hurts balance: bisection.
    pub fn critical_friction(&self) -> Result<Option<f64>> {
        let holds = |friction: f64| -> Result<bool> {
            let rough = self.with_friction(friction);
            if !self.is_by_simplex() {
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
        let exact = if self.is_by_simplex() { 1e-9 } else { 1e-4 };
        while high - low > exact * high {
            let middle = 0.5 * (low + high);
            if holds(middle)? { high = middle } else { low = middle }
        }
        Ok(Some(high))
    }
}
