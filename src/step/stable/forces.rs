//! Forces at touches as a sparse program, for structures of any size. In space cones of friction are
//! round, or the circles of friction and cohesion are polygons: inside them for forces that exist,
//! around them to prove that there are none.

use super::joints::Bearing;
use super::strengths::{Making, Worth};
use super::{Balance, Statics};
use crate::math::DVec3;
use crate::solver::linear::{Cheapest, Column, End, Optimum};
use crate::step::collapse::gauss::{Ends, Gauss, tangents};

/// Polygons that stand for circles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circle {
    pub sides: usize,
    /// How much farther out its corners are than the circle.
    larger: f64,
}

impl Circle {
    /// Its corners are on the circle.
    pub fn inside(sides: usize) -> Circle {
        Circle { sides, larger: 1.0 }
    }

    /// Its sides touch the circle.
    pub fn around(sides: usize) -> Circle {
        Circle { sides, larger: (std::f64::consts::PI / sides as f64).cos().recip() }
    }
}

/// A program in the making. The first rows are those of [`Statics::load`].
pub(super) struct Forces<'a> {
    pub statics: &'a Statics<'a>,
    gauss: Gauss<'a>,
    pub program: Cheapest,
    /// What a unit of each column pushes with, and at which touch.
    pub pushes: Vec<Option<(usize, DVec3)>>,
    /// The unit of forces: the strongest pull.
    pub unit: f64,
    /// None if cones are round.
    circle: Option<Circle>,
}

impl<'a> Forces<'a> {
    /// No forces yet, against these loads.
    pub fn new(statics: &'a Statics<'a>, loads: &[f64], circle: Option<Circle>) -> Self {
        let unit = statics.strongest().max(f64::MIN_POSITIVE);
        let right: Vec<f64> = loads.iter().map(|load| load / unit).collect();
        let program = Cheapest { rows: right.len(), right, ..Cheapest::default() };
        let gauss = statics.gauss([].into_iter());
        Forces { statics, gauss, program, pushes: Vec::new(), unit, circle }
    }

    /// All touches, and what joints bear, against the pulls. Contacts that hold, hold as strongly as they
    /// can.
    pub fn with_all(statics: &'a Statics<'a>, circle: Option<Circle>) -> Self {
        let loads = statics.pulls_by_row();
        let mut forces = match statics.has_strengths() {
            true => {
                let limits = statics.limits_by_touch();
                Making::new(statics, &loads, &limits, circle, Worth::Given).forces
            }
            false => {
                let mut forces = Forces::new(statics, &loads, circle);
                (0..statics.touches.len()).for_each(|touch| forces.press(touch, None));
                forces
            }
        };
        for bearing in statics.bearings() {
            forces.bear(&bearing);
        }
        forces
    }

    pub fn column(&mut self, column: Column, cost: f64, push: Option<(usize, DVec3)>) -> usize {
        self.program.columns.push(column);
        self.program.costs.push(cost);
        self.pushes.push(push);
        self.program.columns.len() - 1
    }

    pub fn row(&mut self, right: f64) -> u32 {
        self.program.right.push(right);
        self.program.rows += 1;
        self.program.rows as u32 - 1
    }

    /// Directions across the normal of a touch, of unit length inside the circle.
    pub fn around(&self, touch: usize) -> Vec<DVec3> {
        match &tangents(self.statics.model.dimension, self.statics.touches[touch].normal)[..] {
            [one, _, two, _] => {
                let Circle { sides, larger } = self.circle.unwrap_or(Circle::inside(FEW_SIDES));
                let step = std::f64::consts::TAU / sides as f64;
                let along = |k: usize| (k as f64 * step).sin_cos();
                let direction = |(sin, cos): (f64, f64)| (*one * cos + *two * sin) * larger;
                (0..sides).map(along).map(direction).collect()
            }
            flat => flat.to_vec(),
        }
    }

    /// Two directions across the normal of a touch, if what acts across it is round.
    pub fn round(&self, touch: usize) -> Option<[DVec3; 2]> {
        let normal = self.statics.touches[touch].normal;
        match (&tangents(self.statics.model.dimension, normal)[..], self.circle) {
            ([one, _, two, _], None) => Some([*one, *two]),
            _ => None,
        }
    }

    /// A column that pushes at a touch.
    pub fn push(&mut self, touch: usize, direction: DVec3) -> usize {
        let touched = &self.statics.touches[touch];
        let direction = direction * self.statics.unit_of_touch(touched);
        let parts = self.gauss.parts(&Ends::of_touch(touched), direction, DVec3::ZERO);
        let column = self.statics.column(parts);
        self.column(column, 0.0, Some((touch, direction * self.unit)))
    }

    /// The columns of a touch that presses and rubs; what it rubs with counts in a row, which round cones
    /// do not have.
    pub fn press(&mut self, touch: usize, rubs: Option<u32>) {
        let friction = self.statics.friction_of(&self.statics.touches[touch]);
        let normal = self.statics.touches[touch].normal;
        if friction == 0.0 {
            self.push(touch, normal);
            return;
        }
        if let Some(across) = self.round(touch) {
            let first = self.push(touch, normal);
            self.program.cones.push(first);
            across.into_iter().for_each(|across| _ = self.push(touch, across * friction));
            return;
        }
        for across in self.around(touch) {
            let column = self.push(touch, normal + across * friction);
            self.program.columns[column].extend(rubs.map(|row| (row, friction)));
        }
    }

    /// The columns of what a joint bears.
    fn bear(&mut self, bearing: &Bearing) {
        let most = bearing.most.map(|most| {
            let row = self.row(most / self.unit);
            self.column(vec![(row, 1.0)], 0.0, None);
            row
        });
        let signs: &[f64] = if bearing.both_ways { &[1.0, -1.0] } else { &[1.0] };
        for sign in signs {
            let (push, twist) = (bearing.push * *sign, bearing.twist * *sign);
            let mut column = self.statics.column(self.gauss.parts(&bearing.ends, push, twist));
            column.extend(most.map(|row| (row, 1.0)));
            self.column(column, 0.0, None);
        }
    }

    /// A column in both directions, up to a size.
    pub fn allow(&mut self, column: Column, most: f64) {
        if column.is_empty() {
            return;
        }
        let row = self.row(most);
        for sign in [1.0, -1.0] {
            let mut column: Column = column.iter().map(|(k, x)| (*k, sign * x)).collect();
            column.push((row, 1.0));
            self.column(column, 0.0, None);
        }
        self.column(vec![(row, 1.0)], 0.0, None);
    }

    /// Lets a touch also exert couples up to a length times its force, and forces in any direction up to
    /// a part of it.
    pub fn enlarge(&mut self, touch: usize, length: f64, part: f64) {
        let of_touch = |push: &Option<(usize, DVec3)>| push.is_some_and(|(k, _)| k == touch);
        let own: Vec<(usize, f64)> = (0..self.pushes.len())
            .filter(|k| of_touch(&self.pushes[*k]))
            .map(|k| (k, self.pushes[k].map_or(0.0, |(_, push)| push.length() / self.unit)))
            .collect();
        let ends = Ends::of_touch(&self.statics.touches[touch]);
        let is_flat = self.statics.model.dimension == 2;
        for axis in DVec3::AXES {
            for (push, twist, most) in [(axis, DVec3::ZERO, part), (DVec3::ZERO, axis, length)] {
                if is_flat && ((axis == DVec3::Z) != (twist != DVec3::ZERO)) {
                    continue;
                }
                let column = self.statics.column(self.gauss.parts(&ends, push, twist));
                let before = self.program.rows as u32;
                self.allow(column, 0.0);
                if self.program.rows as u32 > before {
                    for (k, size) in &own {
                        self.program.columns[*k].push((before, -most * size));
                    }
                }
            }
        }
    }

    /// Any force and moment at any body, at a cost of 1 a unit.
    pub fn help(&mut self) {
        for row in 0..self.statics.rows() as u32 {
            self.column(vec![(row, 1.0)], 1.0, None);
            self.column(vec![(row, -1.0)], 1.0, None);
        }
    }

    /// The cheapest, and whether it was found.
    pub fn solve(&self) -> (Optimum, bool) {
        told(self.program.solve())
    }

    /// Bounds of the least cost that are so near to each other.
    pub fn solve_within(&self, gap: f64) -> (Optimum, bool) {
        told(self.program.solve_within(gap))
    }

    /// The force at every touch.
    pub fn at_touches(&self, shares: &[f64]) -> Vec<DVec3> {
        let mut forces = vec![DVec3::ZERO; self.statics.touches.len()];
        for (share, push) in shares.iter().zip(&self.pushes) {
            if let Some((touch, push)) = push {
                forces[*touch] += *push * *share;
            }
        }
        forces
    }
}

fn told(end: End) -> (Optimum, bool) {
    match end {
        End::Solved(optimum) => (optimum, true),
        End::Open(optimum) => (optimum, false),
    }
}

/// Sides of polygons where cones are not round: they differ from circles by 2 per cent.
pub(super) const FEW_SIDES: usize = 16;

/// Less than this part of the strongest pull is not missing, but rounding.
pub(super) const ROUNDING: f64 = 1e-6;

impl Statics<'_> {
    /// What forces miss at least, in all, between two bounds.
    fn missing(&self, circle: Option<Circle>) -> [f64; 2] {
        let mut forces = Forces::with_all(self, circle);
        forces.help();
        let (optimum, is_solved) = forces.solve();
        // Rounding that is left of a large program may be worth so much.
        let error = if is_solved { 0.0 } else { optimum.error(&forces.program) };
        [optimum.bound - error, optimum.cost + error]
    }

    /// Whether many bodies are balanced: what is missing, in all, in round cones; if that is not known,
    /// with polygons inside the circles of friction, and if anything is, with polygons around them.
    pub(super) fn balance_of_many(&self) -> Balance {
        let outer = Circle::around(FEW_SIDES);
        let [low, high] = self.missing(None);
        match () {
            () if high < ROUNDING => Balance::Balanced,
            () if low > ROUNDING => Balance::Unbalanced,
            () if self.missing(Some(Circle::inside(FEW_SIDES)))[1] < ROUNDING => Balance::Balanced,
            () if self.missing(Some(outer))[0] > ROUNDING => Balance::Unbalanced,
            () => Balance::Undecided([outer.larger.recip(), outer.larger]),
        }
    }

    /// Prices of the rows as a motion of every body, the fastest point at about 1: what prices
    /// lift falls.
    pub(super) fn motion_of(&self, prices: &[f64]) -> Vec<(DVec3, DVec3)> {
        let mut motions = vec![(DVec3::ZERO, DVec3::ZERO); self.model.bodies.len()];
        let width = self.model.freedoms();
        for (block, body) in self.model.free().enumerate() {
            let y = |k: usize| -prices[block * width + k] / self.unit_of(body, k);
            motions[body] = match self.model.dimension {
                2 => (DVec3::new(y(0), y(1), 0.0), DVec3::Z * y(2)),
                _ => (DVec3::new(y(0), y(1), y(2)), DVec3::new(y(3), y(4), y(5))),
            };
        }
        let fastest = |(v, w): &(DVec3, DVec3)| v.length().max(w.length() * self.length);
        let most = motions.iter().map(fastest).fold(0.0, f64::max);
        let scale = if most > 0.0 { most.recip() } else { 1.0 };
        motions.iter().map(|(v, w)| (*v * scale, *w * scale)).collect()
    }
}
