//! The forces of a tower at rest as columns of a linear program, and its first
//! accelerations as a quadratic one.

use super::{Fate, Force};
use crate::contact::{Touch, touches};
use crate::math::DVec3;
use crate::solver::linear::{Columns, Tableau};
use crate::solver::quadratic::{Demand, Quadratic, solve};
use crate::step::collapse::gauss::{Gauss, Parts, axes, directions, friction, pack};
use crate::world::{Poses, Tower};

/// Bodies touch if their gap is below this fraction of their radius: what
/// people and programs write as touching.
const TOUCHING: f64 = 1e-7;

/// A tower at rest and where it touches.
pub struct Statics<'a> {
    pub tower: &'a Tower,
    pub poses: &'a Poses,
    pub touches: Vec<Touch>,
    /// Replaces the friction of all touches, for "what if" questions.
    pub(super) friction: Option<f64>,
    /// The unit of length of the moments, so that both kinds of rows weigh alike.
    pub(super) length: f64,
}

impl<'a> Statics<'a> {
    pub fn new(tower: &'a Tower, poses: &'a Poses) -> Self {
        let reach: Vec<f64> = tower.bricks.iter().map(|brick| TOUCHING * brick.radius).collect();
        let moving: Vec<f64> = tower.moving().map(|i| tower.bricks[i].radius).collect();
        let length = moving.iter().sum::<f64>() / moving.len().max(1) as f64;
        let touches = touches(tower, poses, &limit(tower, reach));
        Statics { tower, poses, touches, friction: None, length: length.max(f64::MIN_POSITIVE) }
    }

    /// The same tower with one coefficient of friction everywhere.
    pub(super) fn with_friction(&self, friction: f64) -> Statics<'a> {
        let (tower, poses) = (self.tower, self.poses);
        let touches = self.touches.clone();
        Statics { tower, poses, touches, friction: Some(friction), length: self.length }
    }

    pub(super) fn friction_of(&self, touch: &Touch) -> f64 {
        self.friction.unwrap_or_else(|| friction(self.tower, touch))
    }

    pub fn has_friction(&self) -> bool {
        self.touches.iter().any(|touch| self.friction_of(touch) > 0.0)
    }

    pub(super) fn directions_of(&self, touch: &Touch) -> Vec<DVec3> {
        directions(self.tower.dimension, touch.normal, self.friction_of(touch))
    }

    /// An empty program whose bodies want to accelerate with gravity.
    pub(super) fn gauss(&self) -> Gauss<'_> {
        let wanted: Vec<(DVec3, DVec3)> = self
            .tower
            .bricks
            .iter()
            .map(|brick| (if brick.fixed { DVec3::ZERO } else { self.tower.gravity }, DVec3::ZERO))
            .collect();
        Gauss::new(self.tower, self.poses, &wanted)
    }

    /// One column per touch and direction: the force and the moment of a unit push.
    pub fn columns(&self) -> Columns {
        let gauss = self.gauss();
        let width = self.tower.width();
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
                columns.push(column(gauss.parts(touch, direction)));
            }
        }
        for pin in &self.tower.pins {
            for &axis in axes(self.tower.dimension) {
                columns.push(column(gauss.pin_parts(pin, axis)));
                columns.push(column(gauss.pin_parts(pin, -axis)));
            }
        }
        for bar in &self.tower.bars {
            let [one, two] = gauss.ends(&bar.joint);
            let along = (one - two).normalize_or_zero();
            columns.push(column(gauss.pin_parts(&bar.joint, along)));
            columns.push(column(gauss.pin_parts(&bar.joint, -along)));
        }
        Columns { rows: gauss.program.blocks() * width, columns }
    }

    fn unit_of(&self, unknown: usize) -> f64 {
        if unknown < self.tower.dimension { 1.0 } else { self.length }
    }

    /// A force and a moment on one body as entries of the right-hand side.
    pub(super) fn load(&self, body: usize, force: DVec3, moment: DVec3) -> Vec<(u32, f64)> {
        let block = self.tower.moving().position(|i| i == body);
        let Some(block) = block else { return Vec::new() };
        let width = self.tower.width();
        let packed = pack(self.tower.dimension, (force, moment));
        let entries = packed[..width].iter().enumerate().filter(|(_, x)| **x != 0.0);
        entries.map(|(k, x)| ((block * width + k) as u32, -x / self.unit_of(k))).collect()
    }

    /// Contact forces that balance the weights under this gravity, as far as there are any.
    pub fn tableau(&self, gravity: DVec3) -> Tableau {
        let columns = self.columns();
        let mut right = vec![0.0; columns.rows];
        for body in self.tower.moving() {
            for (row, x) in self.load(body, gravity * self.tower.bricks[body].mass, DVec3::ZERO) {
                right[row as usize] += x;
            }
        }
        Tableau::new(&columns, &right)
    }

    /// Gauss' principle for the first accelerations, as a program.
    fn least_restraint(&self) -> Gauss<'_> {
        let mut gauss = self.gauss();
        for touch in &self.touches {
            for direction in self.directions_of(touch) {
                gauss.add(touch, direction, 0.0);
            }
        }
        for pin in &self.tower.pins {
            gauss.add_pin(pin, DVec3::ZERO);
        }
        for bar in &self.tower.bars {
            gauss.add_bar(bar, Demand::Equal, 0.0);
        }
        gauss
    }

    /// That program by itself, for benchmarks.
    pub fn program(&self) -> Quadratic {
        self.least_restraint().program
    }

    /// The first accelerations, the forces that make them, and the residual.
    pub fn begin_to_fall(&self) -> (Vec<(DVec3, DVec3)>, Vec<Force>, f64) {
        let gauss = self.least_restraint();
        let answer = solve(&gauss.program, &[]);
        let accelerations = gauss.motions(&answer.x);
        let mut multipliers = answer.multipliers.iter();
        let scale = self.tower.gravity.length();
        let forces = self.touches.iter().map(|touch| {
            let all = self.directions_of(touch);
            let force = all.iter().zip(&mut multipliers).map(|(d, m)| *d * *m).sum();
            let moved = self.relative(touch, &accelerations);
            let (apart, along) =
                (touch.normal.dot(moved), moved - touch.normal * touch.normal.dot(moved));
            let fate = if apart > super::AT_REST * scale {
                Fate::Opens
            } else if along.length() > super::AT_REST * scale {
                Fate::Slides
            } else {
                Fate::Holds
            };
            Force { key: touch.key, at: touch.at_a, force, fate }
        });
        let forces = forces.collect();
        (accelerations, forces, answer.residual.largest())
    }

    /// The acceleration of `a` at a touch relative to `b`.
    fn relative(&self, touch: &Touch, motions: &[(DVec3, DVec3)]) -> DVec3 {
        let of = |body: u32, at: DVec3| {
            let (shift, turn) = motions[body as usize];
            shift + turn.cross(at - self.poses.positions[body as usize])
        };
        of(touch.key.a, touch.at_a) - of(touch.key.b, touch.at_b)
    }
}

/// A fixed body may be very large; its touches are as close as those of the others.
fn limit(tower: &Tower, reach: Vec<f64>) -> Vec<f64> {
    let largest = tower.moving().map(|i| reach[i]).fold(0.0, f64::max);
    reach.into_iter().map(|r| r.min(largest)).collect()
}
