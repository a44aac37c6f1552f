//! A few interior-point iterations (Mehrotra's predictor and corrector) for
//! large programs without a warm start: not to the end, only until the active
//! set shows. Slacks and multipliers are eliminated, so every iteration is one
//! factorisation of the same matrix that the active-set method uses.

use super::normal::Normal;

/// Stop when the mean product of slack and multiplier has fallen this far.
const ENOUGH: f64 = 1e-9;

const MOST_ITERATIONS: usize = 40;

/// Stay this fraction of the way to the boundary.
const STAY_INSIDE: f64 = 0.99;

/// A point near the optimum and its multipliers (of the scaled rows); nothing
/// if the linear algebra breaks down.
pub(super) fn approach(
    normal: &mut Normal,
    iterations: &mut usize,
) -> Option<(Vec<f64>, Vec<f64>)> {
    let rows = normal.program.rows.len();
    let mut x = normal.program.target.clone();
    let unit = normal.longest(&x).max(f64::MIN_POSITIVE);
    let mut slack: Vec<f64> = normal.values(&x).iter().map(|v| v.max(unit)).collect();
    let mut pull = vec![unit; rows];
    for _ in 0..MOST_ITERATIONS {
        let gradient = normal.gradient(&x, &pull);
        let missing: Vec<f64> = normal.values(&x).iter().zip(&slack).map(|(v, s)| v - s).collect();
        let mu = mean_product(&slack, &pull);
        let infeasible = missing.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
        let unbalanced = normal.largest_block(&gradient);
        if mu < ENOUGH * unit * unit && infeasible.max(unbalanced) < 1e-6 * unit {
            break;
        }
        *iterations += 1;
        if !normal.factorise(|row| pull[row] / slack[row]) {
            return None;
        }
        let mut system = Newton { normal, slack: &slack, pull: &pull, gradient, missing };
        let affine = system.direction(&vec![0.0; rows]);
        let (a, b) = affine.lengths(&slack, &pull, 1.0);
        let reached = slack.iter().zip(&affine.slack).map(|(s, d)| s + a * d);
        let pulled = pull.iter().zip(&affine.pull).map(|(p, d)| p + b * d);
        let after = reached.zip(pulled).map(|(s, p)| s * p).sum::<f64>() / rows as f64;
        let centre = mu * (after / mu).powi(3);
        let products = affine.slack.iter().zip(&affine.pull).map(|(s, p)| centre - s * p);
        let step = system.direction(&products.collect::<Vec<f64>>());
        let (a, b) = step.lengths(&slack, &pull, STAY_INSIDE);
        let length = a.min(b);
        add(&mut x, length, &step.x);
        add(&mut slack, length, &step.slack);
        add(&mut pull, length, &step.pull);
        if !x.iter().all(|x| x.is_finite()) {
            return None;
        }
    }
    // A row is active if its pull outweighs its slack: the guess to be polished.
    for (pull, slack) in pull.iter_mut().zip(&slack) {
        if *pull < *slack {
            *pull = 0.0;
        }
    }
    Some((x, pull))
}

/// The Newton system at one point.
struct Newton<'a, 'b> {
    normal: &'a mut Normal<'b>,
    slack: &'a [f64],
    pull: &'a [f64],
    gradient: Vec<f64>,
    missing: Vec<f64>,
}

struct Direction {
    x: Vec<f64>,
    slack: Vec<f64>,
    pull: Vec<f64>,
}

impl Newton<'_, '_> {
    /// The direction towards `slack * pull = products` on every row.
    fn direction(&mut self, products: &[f64]) -> Direction {
        let rows = products.len();
        // With ds = row . dx + missing, dp = (products - slack pull - pull ds) / slack.
        let fixed: Vec<f64> = (0..rows)
            .map(|i| (products[i] - self.pull[i] * self.missing[i]) / self.slack[i] - self.pull[i])
            .collect();
        let mut x: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
        let program = self.normal.program;
        for ((row, scale), fixed) in program.rows.iter().zip(&self.normal.scale).zip(&fixed) {
            program.add_row_to(row, scale * fixed, &mut x);
        }
        self.normal.solve(&mut x);
        let slopes = self.normal.slopes(&x);
        let slack = slopes.iter().zip(&self.missing).map(|(s, m)| s + m).collect();
        let pull = (0..rows).map(|i| fixed[i] - self.pull[i] / self.slack[i] * slopes[i]).collect();
        Direction { x, slack, pull }
    }
}

impl Direction {
    /// How far slacks and pulls can go before one of them is used up to `stay`.
    fn lengths(&self, slack: &[f64], pull: &[f64], stay: f64) -> (f64, f64) {
        let reach = |at: &[f64], along: &[f64]| {
            let ratios = at.iter().zip(along).filter(|(_, d)| **d < 0.0).map(|(s, d)| -s / d);
            (stay * ratios.fold(f64::INFINITY, f64::min)).min(1.0)
        };
        (reach(slack, &self.slack), reach(pull, &self.pull))
    }
}

fn mean_product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / a.len() as f64
}

fn add(x: &mut [f64], factor: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += factor * y);
}
