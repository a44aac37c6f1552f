//! The least cost of a non-negative combination of columns: an interior-point method (Mehrotra's
//! predictor and corrector on the normal equations) for programs whose columns are sparse. What
//! all columns have in common, such as a share that is to be made small, is written as many shares
//! that are equal.

use std::borrow::Cow;

use super::Column;
use super::factor::Factor;

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

/// A step goes no nearer than this to where a value is zero.
const SHORT: f64 = 0.9995;

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

/// How a program ends.
#[derive(Clone, Debug)]
pub enum End {
    Solved(Optimum),
    /// It did not come to an end: there is no combination, or there is no least cost.
    Open(Optimum),
}

impl Cheapest {
    pub fn solve(&self) -> End {
        Interior::new(Cow::Borrowed(self)).run()
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
        let prices = self.interior.answer(&right);
        let change = |k: usize| self.interior.x[k] * self.interior.price(k, &prices);
        (0..self.interior.x.len()).map(change).collect()
    }

    /// Whether shares that are not negative bear another load besides, up to the exactness of a centre.
    pub fn bears(&mut self, load: &[f64]) -> bool {
        let prices = self.interior.answer(load);
        let interior = &self.interior;
        let change: Vec<f64> =
            (0..interior.x.len()).map(|k| interior.x[k] * interior.price(k, &prices)).collect();
        let mut left: Vec<f64> = load.iter().zip(&self.missing).map(|(a, b)| a + b).collect();
        interior.add(|k| -interior.x[k] * change[k], &mut left);
        change.iter().all(|x| *x > -1.0) && size(&left) < CENTRED * interior.units[0]
    }
}

struct Interior<'a> {
    program: Cow<'a, Cheapest>,
    factor: Factor,
    theta: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    /// The sizes of the right-hand side and of the costs.
    units: [f64; 2],
    /// No step aims at smaller products of shares and slacks.
    aim: f64,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The largest value; what is no number is the largest of all.
fn size(values: &[f64]) -> f64 {
    let larger = |most: f64, x: &f64| if x.is_nan() { f64::INFINITY } else { x.abs().max(most) };
    values.iter().fold(0.0, larger)
}

impl<'a> Interior<'a> {
    fn new(program: Cow<'a, Cheapest>) -> Self {
        let columns: Vec<&Column> = program.columns.iter().collect();
        let count = program.columns.len();
        let mut interior = Interior {
            factor: Factor::new(program.rows, &columns),
            theta: vec![1.0; count],
            x: vec![1.0; count],
            y: vec![0.0; program.rows],
            z: vec![1.0; count],
            units: units(&program),
            aim: 0.0,
            program,
        };
        interior.begin();
        interior
    }

    fn centre(mut self, product: f64) -> Option<Centre<'a>> {
        self.aim = product;
        for _ in 0..MOST_STEPS {
            let (missing, prices) = self.residuals();
            let optimum = self.optimum(&missing, &prices);
            let mean = dot(&self.x, &self.z) / self.x.len() as f64;
            if optimum.residual < CENTRED && mean < 2.0 * product && mean > 0.5 * product {
                self.theta = self.x.iter().map(|x| x * x).collect();
                self.factorise();
                return Some(Centre { interior: self, missing });
            }
            if !self.step(&missing, &prices) {
                return None;
            }
        }
        None
    }

    /// `A^T y` of one column.
    fn price(&self, column: usize, y: &[f64]) -> f64 {
        self.program.columns[column].iter().map(|(row, x)| x * y[*row as usize]).sum()
    }

    /// Adds `A v`.
    fn add(&self, values: impl Fn(usize) -> f64, to: &mut [f64]) {
        for (k, column) in self.program.columns.iter().enumerate() {
            let value = values(k);
            for (row, x) in column {
                to[*row as usize] += x * value;
            }
        }
    }

    fn factorise(&mut self) {
        self.factor.factorise(self.theta.iter().copied());
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
        self.add(|k| self.theta[k] * self.price(k, prices), &mut image);
        image
    }

    /// Mehrotra's start: the shortest shares and prices, moved inside.
    fn begin(&mut self) {
        let (right, costs) = (self.program.right.clone(), self.program.costs.clone());
        self.factorise();
        let short = self.answer(&right);
        let mut paid = vec![0.0; self.program.rows];
        self.add(|k| costs[k], &mut paid);
        self.y = self.answer(&paid);
        let count = self.x.len();
        self.x = (0..count).map(|k| self.price(k, &short)).collect();
        self.z = (0..count).map(|k| costs[k] - self.price(k, &self.y)).collect();
        let inside = |values: &mut [f64], least: f64| {
            let low = values.iter().fold(f64::INFINITY, |low, x| x.min(low));
            let shift = (-1.5 * low).max(0.0) + least;
            values.iter_mut().for_each(|x| *x += shift);
        };
        inside(&mut self.x, 1e-3 * self.units[0]);
        inside(&mut self.z, 1e-3 * self.units[1]);
        let product = dot(&self.x, &self.z);
        let (wide, high) = (self.x.iter().sum::<f64>(), self.z.iter().sum::<f64>());
        self.x.iter_mut().for_each(|x| *x += 0.5 * product / high);
        self.z.iter_mut().for_each(|z| *z += 0.5 * product / wide);
    }

    fn run(mut self) -> End {
        let mut best: Option<(f64, Optimum)> = None;
        let mut idle = 0;
        for _ in 0..MOST_STEPS {
            let (missing, prices) = self.residuals();
            let optimum = self.optimum(&missing, &prices);
            let gap = (optimum.cost - optimum.bound).abs() / (self.units[1] + optimum.cost.abs());
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
        self.add(|k| -self.x[k], &mut missing);
        let of = |k: usize| {
            let cost = self.program.costs[k] + self.program.square(k) * self.x[k];
            cost - self.price(k, &self.y) - self.z[k]
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
        let count = self.x.len();
        let square = |k: usize| self.program.square(k);
        self.theta = (0..count).map(|k| (self.z[k] / self.x[k] + square(k)).recip()).collect();
        self.factorise();
        let product = dot(&self.x, &self.z) / count as f64;
        let affine: Vec<f64> = (0..count).map(|k| -self.x[k] * self.z[k]).collect();
        let (dx, _, dz) = self.direction(missing, prices, &affine);
        let [far, high] = [reach(&self.x, &dx), reach(&self.z, &dz)];
        let after = |k: usize| (self.x[k] + far * dx[k]) * (self.z[k] + high * dz[k]);
        let reached = (0..count).map(after).sum::<f64>() / count as f64;
        let aim = (product * (reached / product).powi(3)).max(self.aim);
        let centred: Vec<f64> =
            (0..count).map(|k| aim - self.x[k] * self.z[k] - dx[k] * dz[k]).collect();
        let (dx, dy, dz) = self.direction(missing, prices, &centred);
        let [mut far, mut high] = [reach(&self.x, &dx), reach(&self.z, &dz)].map(|t| SHORT * t);
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

    /// Newton's direction for given products of shares and slacks.
    fn direction(
        &mut self,
        missing: &[f64],
        prices: &[f64],
        products: &[f64],
    ) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let count = self.x.len();
        // dx = theta (products / x - prices + A^T dy), dz = (products - z dx) / x.
        let known: Vec<f64> =
            (0..count).map(|k| self.theta[k] * (products[k] / self.x[k] - prices[k])).collect();
        let mut right = missing.to_vec();
        self.add(|k| -known[k], &mut right);
        let dy = self.answer(&right);
        let dx: Vec<f64> =
            (0..count).map(|k| known[k] + self.theta[k] * self.price(k, &dy)).collect();
        let dz = (0..count).map(|k| (products[k] - self.z[k] * dx[k]) / self.x[k]).collect();
        (dx, dy, dz)
    }
}

/// The sizes of the right-hand side and of what shares cost; 1 where nothing has a size.
fn units(program: &Cheapest) -> [f64; 2] {
    let or_one = |unit: f64| if unit > 0.0 { unit.max(1e-300) } else { 1.0 };
    let right = or_one(size(&program.right));
    [right, or_one(size(&program.costs).max(right * size(&program.squares)))]
}

/// How much of a step keeps all values positive, at most all of it.
fn reach(values: &[f64], step: &[f64]) -> f64 {
    let limits = values.iter().zip(step).filter(|(_, d)| **d < 0.0).map(|(x, d)| -x / d);
    limits.fold(1.0 / SHORT, f64::min).min(1.0 / SHORT)
}
