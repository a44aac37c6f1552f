//! A few interior-point iterations (Mehrotra's predictor and corrector, and Gondzio's
//! corrections of products that lag behind) for large programs without a warm start: not to the
//! end, only until the active set shows. Slacks and multipliers are eliminated, so every
//! iteration is one factorisation of the same matrix that the polish uses.

use super::normal::Normal;

/// Stop when the mean product of slack and multiplier has fallen this far.
const ENOUGH: f64 = 1e-8;

const MOST_ITERATIONS: usize = 40;

/// Stay this fraction of the way to the boundary.
const STAY_INSIDE: f64 = 0.99;

/// The first guess takes every row as a spring of this stiffness: contact forces of a whole
/// tower come out in the right order of magnitude.
const SPRING: f64 = 100.0;

/// The first slacks and multipliers are shifted to be positive, by so much more than needed.
const SHIFT: f64 = 1.5;

/// Corrections of a direction; each costs a solve with the factor at hand, a tenth of an
/// iteration.
const MOST_CORRECTIONS: usize = 2;

/// Products of slack and multiplier are kept within this factor of their mean.
const SPREAD: f64 = 10.0;

/// A point near the optimum and its multipliers (of the scaled rows); nothing
/// if the linear algebra breaks down.
pub(super) fn approach(
    normal: &mut Normal,
    iterations: &mut usize,
) -> Option<(Vec<f64>, Vec<f64>)> {
    let unit = normal.longest(&normal.program.target).max(f64::MIN_POSITIVE);
    let mut at = Point::first(normal, unit)?;
    *iterations += 1;
    for _ in 0..MOST_ITERATIONS {
        let gradient = normal.gradient(&at.x, &at.pull);
        let missing = sum(&normal.values(&at.x), -1.0, &at.slack);
        let mean = mean_product(&at.slack, &at.pull);
        let infeasible = missing.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
        let unbalanced = normal.largest_block(&gradient);
        if mean < ENOUGH * unit * unit && infeasible.max(unbalanced) < 1e-6 * unit {
            break;
        }
        *iterations += 1;
        if !normal.factorise(|row| at.pull[row] / at.slack[row]) {
            return None;
        }
        let mut system = Newton { normal, at: &at, gradient, missing };
        let (step, length) = system.corrected(mean);
        at = at.moved(&step, length);
        if ![&at.x, &at.slack, &at.pull].into_iter().flatten().all(|x| x.is_finite()) {
            return None;
        }
    }
    // A row is active if its pull outweighs its slack: the guess to be polished.
    let pull = at.pull.iter().zip(&at.slack).map(|(&p, &s)| if p < s { 0.0 } else { p });
    Some((at.x, pull.collect()))
}

/// Unknowns, and per row its slack and its multiplier; or a direction of all of them.
struct Point {
    x: Vec<f64>,
    slack: Vec<f64>,
    pull: Vec<f64>,
}

impl Point {
    /// All rows as springs, then slacks and multipliers shifted until all are positive.
    fn first(normal: &mut Normal, unit: f64) -> Option<Point> {
        if !normal.factorise(|_| SPRING) {
            return None;
        }
        let target = &normal.program.target;
        let pulls: Vec<f64> = normal.values(target).iter().map(|v| -SPRING * v).collect();
        let mut step = normal.gradient(target, &pulls);
        normal.solve(&mut step);
        let x = sum(target, -1.0, &step);
        let values = normal.values(&x);
        let deepest = values.iter().fold(0.0_f64, |m, v| m.max(-v)).max(1e-3 * unit);
        let highest = values.iter().fold(0.0_f64, |m, v| m.max(*v)).max(1e-3 * unit);
        let slack = values.iter().map(|v| v + SHIFT * deepest).collect();
        let pull = values.iter().map(|v| SPRING * (SHIFT * highest - v)).collect();
        Some(Point { x, slack, pull })
    }

    fn moved(&self, step: &Point, length: f64) -> Point {
        Point {
            x: sum(&self.x, length, &step.x),
            slack: sum(&self.slack, length, &step.slack),
            pull: sum(&self.pull, length, &step.pull),
        }
    }

    /// How far to go along `step` before a slack or a multiplier is used up.
    fn length(&self, step: &Point) -> f64 {
        let reach = |at: &[f64], along: &[f64]| {
            let ratios = at.iter().zip(along).filter(|(_, d)| **d < 0.0).map(|(s, d)| -s / d);
            ratios.fold(f64::INFINITY, f64::min)
        };
        reach(&self.slack, &step.slack).min(reach(&self.pull, &step.pull))
    }
}

/// The Newton system at one point.
struct Newton<'a, 'b> {
    normal: &'a mut Normal<'b>,
    at: &'a Point,
    gradient: Vec<f64>,
    missing: Vec<f64>,
}

impl Newton<'_, '_> {
    /// The direction towards `slack * pull = products` on every row.
    fn direction(&mut self, products: &[f64]) -> Point {
        let (at, rows) = (self.at, products.len());
        // With ds = row . dx + missing, dp = (products - slack pull - pull ds) / slack.
        let fixed: Vec<f64> = (0..rows)
            .map(|i| (products[i] - at.pull[i] * self.missing[i]) / at.slack[i] - at.pull[i])
            .collect();
        let mut x: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
        self.normal.add_rows(&fixed, &mut x);
        self.normal.solve(&mut x);
        let slopes = self.normal.slopes(&x);
        let slack = sum(&slopes, 1.0, &self.missing);
        let pull = (0..rows).map(|i| fixed[i] - at.pull[i] / at.slack[i] * slopes[i]).collect();
        Point { x, slack, pull }
    }

    /// Predictor, corrector and further corrections while they lengthen the step: the direction
    /// and how far to go.
    fn corrected(&mut self, mean: f64) -> (Point, f64) {
        let at = self.at;
        let affine = self.direction(&vec![0.0; at.slack.len()]);
        let ahead = at.moved(&affine, at.length(&affine).min(1.0));
        // Where numbers leave all bounds, products may come out of any sign, or none.
        let centre = (mean * (mean_product(&ahead.slack, &ahead.pull) / mean).powi(3)).max(0.0);
        let bends = affine.slack.iter().zip(&affine.pull);
        let mut products: Vec<f64> = bends.map(|(s, p)| centre - s * p).collect();
        let mut step = self.direction(&products);
        let mut length = (STAY_INSIDE * at.length(&step)).min(1.0);
        for _ in 0..MOST_CORRECTIONS {
            let further = at.moved(&step, (1.08 * length + 0.08).min(1.0));
            for (product, (s, p)) in
                products.iter_mut().zip(further.slack.iter().zip(&further.pull))
            {
                let wanted = (s * p).clamp(centre / SPREAD, centre * SPREAD);
                *product += (wanted - s * p).max(-SPREAD * centre);
            }
            let other = self.direction(&products);
            let reached = (STAY_INSIDE * at.length(&other)).min(1.0);
            if reached < length + 0.01 {
                break;
            }
            (step, length) = (other, reached);
        }
        (step, length)
    }
}

fn mean_product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / a.len() as f64
}

/// `x + factor * y`.
fn sum(x: &[f64], factor: f64, y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x + factor * y).collect()
}
