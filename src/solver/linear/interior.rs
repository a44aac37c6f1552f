//! The least cost of a non-negative combination of columns: an interior-point method (Mehrotra's
//! predictor and corrector on the normal equations) for programs whose columns are sparse. What
//! all columns have in common, such as a share that is to be made small, is written as many shares
//! that are equal.

use std::borrow::Cow;

use super::Column;
use super::blocks::{Blocks, dot};
use super::factor::Factor;
use super::scaling::{Cone, Scaling, depth, divided, point, reach, times};

/// Balance, prices and gap are this exact in the end, in units of the program.
const EXACT: f64 = 1e-10;

/// After so many steps that gained nothing, rounding is all there is.
const PATIENCE: usize = 2;

/// What comes no nearer than this is not called solved.
const GOOD: f64 = 1e-7;

/// Far more steps than any program takes.
const MOST_STEPS: usize = 100;

/// A centre balances this exactly, in units of the program.
const CENTRED: f64 = 1e-9;

/// A shorter step than this leads nowhere.
const STUCK: f64 = 1e-12;

/// A step goes no nearer than this to where a value is zero, and less near to the edge of a round
/// cone, along which the way is bent.
const SHORT: f64 = 0.9995;
const SHORT_OF_ROUND: f64 = 0.98;

/// Directions are this exact, in units of their right-hand side, or as exact as so many
/// improvements make them.
const ANSWER: f64 = 1e-13;
const MOST_ANSWERS: usize = 8;

/// The least `cost . x + (weight x . x) / 2` with `A x = right`, `x >= 0`.
#[derive(Clone, Debug, Default)]
pub struct Cheapest {
    pub rows: usize,
    pub columns: Vec<Column>,
    /// One for each column.
    pub costs: Vec<f64>,
    /// The weights of squares, one for each column, none negative; empty in a linear program.
    pub squares: Vec<f64>,
    /// The first columns of round cones, ascending: the share of such a column is at least as large as the
    /// next two shares, which may be negative, are long: `x0 >= |(x1, x2)|`. They have no squares.
    pub cones: Vec<usize>,
    pub right: Vec<f64>,
}

/// A cheapest combination and the prices that prove it.
#[derive(Clone, Debug, Default)]
pub struct Optimum {
    /// A share for each column.
    pub shares: Vec<f64>,
    /// A price for each row: `A^T prices` is at most the cost.
    pub prices: Vec<f64>,
    /// What the shares cost: no less than the least cost, up to the residual.
    pub cost: f64,
    /// What the prices prove: no more than the least cost, up to the residual.
    pub bound: f64,
    /// What is missing in the rows, and how far prices exceed costs, at worst, in units of the
    /// largest of the right-hand side and of the costs.
    pub residual: f64,
}

impl Optimum {
    /// How much the residual may be worth: what is missing at the prices of its rows, and what prices
    /// exceed costs by for every share.
    pub fn error(&self, program: &Cheapest) -> f64 {
        let sum = |values: &[f64]| values.iter().map(|x| x.abs()).sum::<f64>();
        let [right, costs] = units(program);
        self.residual * (sum(&self.prices) * right + sum(&self.shares) * costs)
    }
}

/// How a program ends.
#[derive(Clone, Debug)]
pub enum End {
    Solved(Optimum),
    /// It did not come to an end: there is no combination, or there is no least cost.
    Open(Optimum),
}

impl Cheapest {
    pub fn solve(&self) -> End {
        self.solve_within(EXACT)
    }

    /// The same, up to this part between cost and bound: half of the steps, if bounds will do.
    pub fn solve_within(&self, gap: f64) -> End {
        Interior::new(Cow::Borrowed(self)).run(gap)
    }

    /// A combination well inside: all shares are positive, and share times slack is about `product`
    /// everywhere; none if there is no such point.
    pub fn centre(&self, product: f64) -> Option<Centre<'_>> {
        Interior::new(Cow::Borrowed(self)).centre(product)
    }

    /// The same, which keeps the program.
    pub fn into_centre(self, product: f64) -> Option<Centre<'static>> {
        Interior::new(Cow::Owned(self)).centre(product)
    }

    fn square(&self, column: usize) -> f64 {
        self.squares.get(column).copied().unwrap_or(0.0)
    }
}
/// A combination well inside, and the ellipsoid around it [Dikin 1967].
pub struct Centre<'a> {
    interior: Interior<'a>,
    missing: Vec<f64>,
}

impl Centre<'_> {
    /// A share for each column.
    pub fn shares(&self) -> &[f64] {
        &self.interior.x
    }

    /// What the shares leave of the right-hand side.
    pub fn missing(&self) -> &[f64] {
        &self.missing
    }

    /// A change of the shares, each in units of the share, that makes up for another load.
    pub fn absorb(&mut self, load: &[(u32, f64)]) -> Vec<f64> {
        let mut right = vec![0.0; self.interior.y.len()];
        load.iter().for_each(|(row, x)| right[*row as usize] += x);
        self.change(&right)
    }

    fn change(&mut self, load: &[f64]) -> Vec<f64> {
        let prices = self.interior.answer(load);
        let mut change = self.interior.matrix.prices(&prices);
        change.iter_mut().zip(&self.interior.x).for_each(|(change, x)| *change *= x);
        change
    }

    /// Whether shares that are not negative bear another load besides, up to the exactness of a centre.
    pub fn bears(&mut self, load: &[f64]) -> bool {
        let change = self.change(load);
        let interior = &self.interior;
        let mut left: Vec<f64> = load.iter().zip(&self.missing).map(|(a, b)| a + b).collect();
        let taken: Vec<f64> = interior.x.iter().zip(&change).map(|(x, d)| -x * d).collect();
        interior.matrix.add(&taken, &mut left);
        change.iter().all(|x| *x > -1.0) && size(&left) < CENTRED * interior.units[0]
    }
}

struct Interior<'a> {
    program: Cow<'a, Cheapest>,
    matrix: Blocks,
    factor: Factor,
    /// What turns slacks into shares.
    theta: Scaling,
    /// Which columns are no part of a cone.
    single: Vec<usize>,
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    /// The sizes of the right-hand side and of the costs.
    units: [f64; 2],
    /// No step aims at smaller products of shares and slacks.
    aim: f64,
}

/// The largest value; what is no number is the largest of all.
fn size(values: &[f64]) -> f64 {
    let larger = |most: f64, x: &f64| if x.is_nan() { f64::INFINITY } else { x.abs().max(most) };
    values.iter().fold(0.0, larger)
}

impl<'a> Interior<'a> {
    fn new(program: Cow<'a, Cheapest>) -> Self {
        let matrix = Blocks::new(&program.columns, &program.cones);
        let count = program.columns.len();
        let (mut x, mut single) = (vec![1.0; count], Vec::with_capacity(count));
        let mut cones = program.cones.iter().peekable();
        let mut k = 0;
        while k < count {
            if cones.next_if_eq(&&k).is_some() {
                x[k + 1..k + 3].fill(0.0);
                k += 3;
            } else {
                single.push(k);
                k += 1;
            }
        }
        let mut interior = Interior {
            factor: Factor::new(program.rows, &matrix),
            matrix,
            theta: Scaling::default(),
            single,
            y: vec![0.0; program.rows],
            z: x.clone(),
            x,
            units: units(&program),
            aim: 0.0,
            program,
        };
        interior.begin();
        interior
    }

    /// How many products of shares and slacks there are.
    fn degree(&self) -> f64 {
        (self.single.len() + self.program.cones.len()) as f64
    }

    fn centre(mut self, product: f64) -> Option<Centre<'a>> {
        self.aim = product;
        for _ in 0..MOST_STEPS {
            let (missing, prices) = self.residuals();
            let optimum = self.optimum(&missing, &prices);
            let mean = dot(&self.x, &self.z) / self.degree();
            if optimum.residual < CENTRED && mean < 2.0 * product && mean > 0.5 * product {
                self.theta = Scaling::of_numbers(self.x.iter().map(|x| x * x).collect());
                self.factorise();
                return Some(Centre { interior: self, missing });
            }
            if !self.step(&missing, &prices) {
                return None;
            }
        }
        None
    }

    fn factorise(&mut self) {
        self.factor.factorise(&self.matrix, &self.theta);
    }

    /// `(A theta A^T)^-1 right`, by conjugate gradients: near the end the factor alone loses digits.
    fn answer(&mut self, right: &[f64]) -> Vec<f64> {
        let enough = ANSWER * size(right);
        let mut left = right.to_vec();
        let mut total = vec![0.0; right.len()];
        let mut best = (size(right), total.clone());
        let (mut along, mut before) = (Vec::new(), 0.0);
        for _ in 0..MOST_ANSWERS {
            let mut near = left.clone();
            self.factor.solve(&mut near);
            let now = dot(&near, &left);
            let share = if along.is_empty() { 0.0 } else { now / before };
            along = match along.is_empty() {
                true => near,
                false => near.iter().zip(&along).map(|(n, a)| n + share * a).collect(),
            };
            before = now;
            let image = self.image(&along);
            let step = now / dot(&image, &along);
            if !step.is_finite() {
                break;
            }
            total.iter_mut().zip(&along).for_each(|(x, d)| *x += step * d);
            left.iter_mut().zip(&image).for_each(|(x, d)| *x -= step * d);
            let error = size(&left);
            if error < best.0 {
                best = (error, total.clone());
            }
            if error <= enough {
                break;
            }
        }
        best.1
    }

    /// `A theta A^T` times prices.
    fn image(&self, prices: &[f64]) -> Vec<f64> {
        let mut image = vec![0.0; prices.len()];
        self.matrix.add(&self.theta.of_all(self.matrix.prices(prices)), &mut image);
        image
    }

    /// Mehrotra's start: the shortest shares and prices, moved inside.
    fn begin(&mut self) {
        let (right, costs) = (self.program.right.clone(), self.program.costs.clone());
        self.theta = Scaling::of_numbers(vec![1.0; self.x.len()]);
        self.factorise();
        let short = self.answer(&right);
        let mut paid = vec![0.0; self.program.rows];
        self.matrix.add(&costs, &mut paid);
        self.y = self.answer(&paid);
        self.x = self.matrix.prices(&short);
        let paid = self.matrix.prices(&self.y);
        self.z = costs.iter().zip(paid).map(|(cost, paid)| cost - paid).collect();
        // Of a cone the first share, which alone makes it deeper.
        let leading: Vec<usize> = self.single.iter().chain(&self.program.cones).copied().collect();
        let move_inside = |values: &mut [f64], low: f64, least: f64| {
            let shift = (-1.5 * low).max(0.0) + least;
            leading.iter().for_each(|k| values[*k] += shift);
        };
        let low = [self.lowest(&self.x), self.lowest(&self.z)];
        move_inside(&mut self.x, low[0], 1e-3 * self.units[0]);
        move_inside(&mut self.z, low[1], 1e-3 * self.units[1]);
        let product = dot(&self.x, &self.z);
        let sum = |values: &[f64]| leading.iter().map(|k| values[*k]).sum::<f64>();
        let (wide, high) = (sum(&self.x), sum(&self.z));
        leading.iter().for_each(|k| self.x[*k] += 0.5 * product / high);
        leading.iter().for_each(|k| self.z[*k] += 0.5 * product / wide);
    }

    /// How far inside values are where they are least so.
    fn lowest(&self, values: &[f64]) -> f64 {
        let single = self.single.iter().map(|k| values[*k]);
        let cones = self.program.cones.iter().map(|k| depth(point(values, *k)));
        single.chain(cones).fold(f64::INFINITY, f64::min)
    }

    fn run(mut self, enough: f64) -> End {
        let mut best: Option<(f64, Optimum)> = None;
        let mut idle = 0;
        for _ in 0..MOST_STEPS {
            let (missing, prices) = self.residuals();
            let optimum = self.optimum(&missing, &prices);
            let gap = (optimum.cost - optimum.bound).abs() / (self.units[1] + optimum.cost.abs());
            let is_near = optimum.residual < EXACT && gap < enough;
            if is_near && enough > EXACT {
                return End::Solved(optimum);
            }
            let error = if gap.is_nan() { f64::INFINITY } else { optimum.residual.max(gap) };
            let least = best.as_ref().map_or(f64::INFINITY, |(least, _)| *least);
            idle = if least < GOOD && error > 0.5 * least { idle + 1 } else { 0 };
            if error < least {
                best = Some((error, optimum));
            }
            let is_over = error < EXACT || idle > PATIENCE || !error.is_finite();
            if is_over || !self.step(&missing, &prices) {
                break;
            }
        }
        let (error, optimum) = best.unwrap_or_else(|| (f64::INFINITY, self.nothing()));
        if error < GOOD { End::Solved(optimum) } else { End::Open(optimum) }
    }

    /// What is known when not even the start is finite.
    fn nothing(&self) -> Optimum {
        Optimum {
            shares: vec![0.0; self.x.len()],
            prices: vec![0.0; self.y.len()],
            cost: f64::INFINITY,
            bound: f64::NEG_INFINITY,
            residual: f64::INFINITY,
        }
    }

    /// What is missing in the rows, and in the prices.
    fn residuals(&self) -> (Vec<f64>, Vec<f64>) {
        let mut missing = self.program.right.clone();
        let taken: Vec<f64> = self.x.iter().map(|x| -x).collect();
        self.matrix.add(&taken, &mut missing);
        let paid = self.matrix.prices(&self.y);
        let of = |k: usize| {
            let cost = self.program.costs[k] + self.program.square(k) * self.x[k];
            cost - paid[k] - self.z[k]
        };
        (missing, (0..self.x.len()).map(of).collect())
    }

    fn optimum(&self, missing: &[f64], prices: &[f64]) -> Optimum {
        let squares: f64 =
            (0..self.x.len()).map(|k| 0.5 * self.program.square(k) * self.x[k].powi(2)).sum();
        Optimum {
            shares: self.x.clone(),
            prices: self.y.clone(),
            cost: dot(&self.program.costs, &self.x) + squares,
            bound: dot(&self.program.right, &self.y) - squares,
            residual: (size(missing) / self.units[0]).max(size(prices) / self.units[1]),
        }
    }

    /// One step; `false` if it leads nowhere.
    fn step(&mut self, missing: &[f64], prices: &[f64]) -> bool {
        self.scale();
        self.factorise();
        let product = dot(&self.x, &self.z) / self.degree();
        let (dx, _, dz) = self.direction(missing, prices, None);
        let [far, high] = [self.reach(&self.x, &dx), self.reach(&self.z, &dz)].map(|t| t.min(1.0));
        let after = |k: usize| (self.x[k] + far * dx[k]) * (self.z[k] + high * dz[k]);
        let reached = (0..self.x.len()).map(after).sum::<f64>() / self.degree();
        let aim = (product * (reached / product).powi(3)).max(self.aim);
        let (dx, dy, dz) = self.direction(missing, prices, Some((aim, &dx, &dz)));
        let short = if self.program.cones.is_empty() { SHORT } else { SHORT_OF_ROUND };
        let [mut far, mut high] =
            [self.reach(&self.x, &dx), self.reach(&self.z, &dz)].map(|t| (short * t).min(1.0));
        if !self.program.squares.is_empty() {
            (far, high) = (far.min(high), far.min(high));
        }
        if far.max(high).is_nan() || far.max(high) < STUCK {
            return false;
        }
        self.x.iter_mut().zip(dx).for_each(|(x, d)| *x += far * d);
        self.y.iter_mut().zip(dy).for_each(|(y, d)| *y += high * d);
        self.z.iter_mut().zip(dz).for_each(|(z, d)| *z += high * d);
        true
    }

    /// The scaling between shares and slacks as they are.
    fn scale(&mut self) {
        let theta = |k: usize| (self.z[k] / self.x[k] + self.program.square(k)).recip();
        let cone = |k: &usize| Cone::between(point(&self.x, *k), point(&self.z, *k));
        self.theta = Scaling {
            theta: (0..self.x.len()).map(theta).collect(),
            cones: self.program.cones.iter().map(cone).collect(),
            firsts: self.program.cones.clone(),
        };
    }

    /// Newton's direction for products of shares and slacks: all zero, or those of the aim less what
    /// the directions of the first try make of them.
    fn direction(
        &mut self,
        missing: &[f64],
        prices: &[f64],
        correction: Option<(f64, &[f64], &[f64])>,
    ) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let count = self.x.len();
        // What is wanted of a share's change beside that of its slack.
        let mut wanted: Vec<f64> = (0..count)
            .map(|k| match correction {
                None => -self.x[k],
                Some((aim, dx, dz)) => (aim - dx[k] * dz[k]) / self.z[k] - self.x[k],
            })
            .collect();
        for (at, cone) in self.program.cones.iter().zip(&self.theta.cones) {
            let level = cone.unscale(point(&self.x, *at));
            let push = match correction {
                None => level.map(|x| -x),
                Some((aim, dx, dz)) => {
                    let both = times(cone.unscale(point(dx, *at)), cone.scale(point(dz, *at)));
                    let push = divided(level, [aim - both[0], -both[1], -both[2]]);
                    [push[0] - level[0], push[1] - level[1], push[2] - level[2]]
                }
            };
            wanted[*at..at + 3].copy_from_slice(&cone.scale(push));
        }
        for k in &self.single {
            wanted[*k] *= self.theta.theta[*k] * self.z[*k] / self.x[*k];
        }
        let mut known = self.theta.of_all(prices.to_vec());
        known.iter_mut().zip(&wanted).for_each(|(known, wanted)| *known = wanted - *known);
        let mut right = missing.to_vec();
        let taken: Vec<f64> = known.iter().map(|x| -x).collect();
        self.matrix.add(&taken, &mut right);
        let dy = self.answer(&right);
        let paid = self.matrix.prices(&dy);
        // Of a cone the slacks' change keeps the prices right, to the last digit.
        let mut dz: Vec<f64> = prices.iter().zip(&paid).map(|(off, paid)| off - paid).collect();
        let paid = self.theta.of_all(paid);
        let dx: Vec<f64> = known.iter().zip(paid).map(|(known, paid)| known + paid).collect();
        for k in &self.single {
            let product = match correction {
                None => -self.x[*k] * self.z[*k],
                Some((aim, first, slack)) => aim - self.x[*k] * self.z[*k] - first[*k] * slack[*k],
            };
            dz[*k] = (product - self.z[*k] * dx[*k]) / self.x[*k];
        }
        (dx, dy, dz)
    }

    /// How much of a step keeps all values inside, at most all of it.
    fn reach(&self, values: &[f64], step: &[f64]) -> f64 {
        let single = self.single.iter().filter(|k| step[**k] < 0.0);
        let single = single.map(|k| -values[*k] / step[*k]);
        let cones = self.program.cones.iter();
        let cones = cones.map(|k| reach(point(values, *k), point(step, *k)));
        single.chain(cones).fold(1.0 / SHORT_OF_ROUND, f64::min)
    }
}

/// The sizes of the right-hand side and of what shares cost; 1 where nothing has a size.
fn units(program: &Cheapest) -> [f64; 2] {
    let or_one = |unit: f64| if unit > 0.0 { unit.max(1e-300) } else { 1.0 };
    let right = or_one(size(&program.right));
    [right, or_one(size(&program.costs).max(right * size(&program.squares)))]
}
