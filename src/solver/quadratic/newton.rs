//! For larger programs, and those with equations: the method of multipliers, whose inner
//! problem is piecewise quadratic and solved by Newton steps with an exact line
//! search. A Newton step is one equality-constrained solve on the present guess
//! of the active set; once the guess stands, it ends exactly there.

use super::normal::Normal;
use super::{Answer, Demand, Quadratic, Residual, Row, active_set, dot, interior};

/// The penalty of the method of multipliers, in units in which every row has
/// length one. Large: one or two updates of the multipliers suffice; not larger,
/// or the factorisation loses the metric beside the penalty.
const PENALTY: f64 = 1e5;

/// Without a warm start, the first penalties: with a soft start the guess of
/// the active set settles while steps are still cheap to take back.
const FIRST_PENALTIES: [f64; 2] = [10.0, 1e3];

/// Converged when every part of the residual is below this.
const TOLERANCE: f64 = 1e-13;

/// The gradient of the inner problem is zero below this: the penalty times the
/// rounding of a row's value.
const INNER: f64 = 1e-13;

/// Accepted after the polish: the penalty times the rounding of forces in tall towers.
const POLISHED: f64 = 1e-10;

/// Accepted as converged when rounding keeps it from the tolerance.
const ROUNDING: f64 = 1e-9;

/// Programs of inequalities with at most this many rows and unknowns are solved by
/// the dual active-set method; its triangular factor is dense.
const SMALL: usize = 500;

/// Those with at most this many unknowns are, where the other methods fail: thin bodies that lean on
/// each other have rows that are nearly the same.
const STUBBORN: usize = 600;

/// More blocks than this without a warm start begin with interior-point iterations.
const LARGE: usize = 120;

/// Factorisations of an attempt. A warm start that takes long is not worth its while: the next
/// one, from nothing, takes fewer.
const MOST_ITERATIONS: usize = 300;
const WARM_ITERATIONS: usize = 30;

/// Updates of the multipliers, and how many in a row may gain little.
const MOST_UPDATES: usize = 30;
const PATIENCE: usize = 4;

/// Active sets that the polish tries before it gives up, and solves with each.
const MOST_POLISHES: usize = 8;
const SOLVES: usize = 3;

/// A gradient that the multipliers leave beyond this is taken out of the answer, if that makes it no
/// worse than so many times.
const EXPLAINED: f64 = 1e-13;
const WORSE: f64 = 10.0;

/// In the polish a multiplier or a row's value is negative below minus this.
const SURE: f64 = 1e-11;

/// Solves the program. `warm` holds one multiplier per row of a similar
/// program, or nothing.
pub fn solve(program: &Quadratic, warm: &[f64]) -> Answer {
    let answer = find(program, warm);
    match answer.residual.stationarity > EXPLAINED {
        true => explained(program, answer),
        false => answer,
    }
}

/// The point that the multipliers explain: what an inexact solution lacks is then in its rows, as a
/// bit of overlap, and not in the balance of momentum.
fn explained(program: &Quadratic, answer: Answer) -> Answer {
    let mut normal = Normal::new(program);
    let scaled: Vec<f64> =
        answer.multipliers.iter().zip(&normal.scale).map(|(m, s)| m / s).collect();
    let mut away = normal.gradient(&answer.x, &scaled);
    if !normal.factorise(|_| 0.0) {
        return answer;
    }
    normal.solve(&mut away);
    let x: Vec<f64> = answer.x.iter().zip(&away).map(|(x, away)| x - away).collect();
    let residual = Search::new(normal, x.clone(), scaled, PENALTY, 0).residual();
    match residual.largest() <= WORSE * answer.residual.largest() {
        true => Answer { x, residual, ..answer },
        false => answer,
    }
}

fn find(program: &Quadratic, warm: &[f64]) -> Answer {
    type Attempt = fn(&Quadratic, &[f64]) -> Option<Answer>;
    if program.rows.is_empty() {
        return Answer { x: program.target.clone(), converged: true, ..Default::default() };
    }
    let inequalities_only = program.rows.iter().all(|row| row.demand == Demand::AtLeast);
    if inequalities_only
        && program.rows.len().max(program.target.len()) <= SMALL
        && let Some(answer) = active_set::solve(program, warm)
    {
        return answer;
    }
    let attempts: [Attempt; 3] = match program.blocks() > LARGE {
        true => [warm_start, interior_start, soft_start],
        false => [warm_start, soft_start, interior_start],
    };
    let mut best: Option<Answer> = None;
    let mut iterations = 0;
    for attempt in attempts {
        let Some(answer) = attempt(program, warm) else { continue };
        iterations += answer.iterations;
        let is_better = |best: &Answer| answer.residual.largest() < best.residual.largest();
        if best.as_ref().is_none_or(is_better) {
            best = Some(answer);
        }
        if best.as_ref().is_some_and(|best| best.converged) {
            break;
        }
    }
    let is_found = best.as_ref().is_some_and(|best| best.converged);
    if !is_found && inequalities_only && program.target.len() <= STUBBORN {
        let last = active_set::solve(program, &[]);
        let is_better = |a: &Answer, b: &Answer| a.residual.largest() < b.residual.largest();
        if let Some(answer) = last
            && best.as_ref().is_none_or(|best| is_better(&answer, best))
        {
            best = Some(answer);
        }
    }
    let nothing = || Answer {
        x: program.target.clone(),
        residual: Residual { stationarity: f64::INFINITY, ..Default::default() },
        multipliers: vec![0.0; program.rows.len()],
        ..Default::default()
    };
    Answer { iterations, ..best.unwrap_or_else(nothing) }
}

/// From the multipliers of a similar program.
fn warm_start(program: &Quadratic, warm: &[f64]) -> Option<Answer> {
    if warm.len() != program.rows.len() || warm.iter().all(|w| *w == 0.0) {
        return None;
    }
    let mut normal = Normal::new(program);
    let scaled: Vec<f64> = warm.iter().zip(&normal.scale).map(|(w, s)| w / s).collect();
    let mut x = normal.gradient(&program.target, &scaled);
    x.iter_mut().for_each(|x| *x = -*x);
    if !normal.factorise(|_| 0.0) {
        return None;
    }
    normal.solve(&mut x);
    x.iter_mut().zip(&program.target).for_each(|(x, t)| *x += t);
    Some(Search::new(normal, x, scaled, PENALTY, WARM_ITERATIONS).finish())
}

/// From the target, with penalties that grow.
fn soft_start(program: &Quadratic, _: &[f64]) -> Option<Answer> {
    let (x, multipliers) = (program.target.clone(), vec![0.0; program.rows.len()]);
    let first = FIRST_PENALTIES[0];
    let mut search = Search::new(Normal::new(program), x, multipliers, first, MOST_ITERATIONS);
    for penalty in FIRST_PENALTIES {
        search.penalty = penalty;
        search.settle();
        search.update();
    }
    search.penalty = PENALTY;
    Some(search.finish())
}

/// From an active set that interior points guess.
fn interior_start(program: &Quadratic, _: &[f64]) -> Option<Answer> {
    if program.rows.iter().any(|row| row.demand != Demand::AtLeast) {
        return None;
    }
    let (mut normal, mut spent) = (Normal::new(program), 0);
    let (x, multipliers) = interior::approach(&mut normal, &mut spent)?;
    let mut search = Search::new(normal, x, multipliers, PENALTY, MOST_ITERATIONS);
    search.iterations = spent;
    Some(if search.polish() { search.answer() } else { search.finish() })
}

/// Where the search stands.
struct Search<'a> {
    normal: Normal<'a>,
    x: Vec<f64>,
    multipliers: Vec<f64>,
    penalty: f64,
    /// What all residuals are relative to: the target, and how far it is from the rows.
    unit: f64,
    /// The weights whose matrix is factorised.
    factorised: Vec<f64>,
    iterations: usize,
    most_iterations: usize,
}

impl<'a> Search<'a> {
    fn new(
        normal: Normal<'a>,
        x: Vec<f64>,
        multipliers: Vec<f64>,
        penalty: f64,
        most_iterations: usize,
    ) -> Self {
        let target = &normal.program.target;
        // How far rows are from what they ask for: an inequality by what is missing.
        let wanting = |(row, value): (&Row, f64)| match row.demand {
            Demand::AtLeast => -value,
            Demand::Equal | Demand::Soft(_) => value.abs(),
        };
        let wanted = normal.program.rows.iter().zip(normal.values(target)).map(wanting);
        let unit = wanted.fold(normal.longest(target), f64::max).max(f64::MIN_POSITIVE);
        let (factorised, iterations) = (Vec::new(), 0);
        Search { normal, x, multipliers, penalty, unit, factorised, iterations, most_iterations }
    }

    /// The pull of a row, `max(0, multiplier - penalty * value)`, and its weight in the matrix.
    fn pull(&self, row: usize, value: f64) -> (f64, f64) {
        match self.normal.program.rows[row].demand {
            Demand::Equal => (self.multipliers[row] - self.penalty * value, self.penalty),
            Demand::Soft(_) => {
                let weight = self.normal.soft(row).unwrap_or(0.0);
                (-weight * value, weight)
            }
            Demand::AtLeast => {
                let pull = self.multipliers[row] - self.penalty * value;
                if pull > 0.0 { (pull, self.penalty) } else { (0.0, 0.0) }
            }
        }
    }

    fn pulls(&self, values: &[f64]) -> (Vec<f64>, Vec<f64>) {
        values.iter().enumerate().map(|(row, value)| self.pull(row, *value)).unzip()
    }

    /// Newton steps until the inner problem is solved; `false` if it cannot be.
    fn settle(&mut self) -> bool {
        let mut best = f64::INFINITY;
        let mut stalled = 0;
        for _ in 0..MOST_ITERATIONS {
            if self.iterations > self.most_iterations {
                return false;
            }
            let values = self.normal.values(&self.x);
            let (pulls, weights) = self.pulls(&values);
            let mut step = self.normal.gradient(&self.x, &pulls);
            let size = self.normal.largest_block(&step) / self.unit;
            if size < INNER {
                return true;
            }
            // Rounding: the gradient no longer falls although the active set stands.
            stalled = if size < 0.5 * best { 0 } else { stalled + 1 };
            best = best.min(size);
            if stalled > 3 && self.factorised == weights && best < ROUNDING {
                return true;
            }
            step.iter_mut().for_each(|s| *s = -*s);
            if self.factorised != weights {
                self.iterations += 1;
                if !self.normal.factorise(|row| weights[row]) {
                    self.factorised.clear();
                    return false;
                }
                self.factorised = weights;
            }
            self.normal.solve(&mut step);
            let length = self.line_search(&values, &step);
            if length <= 0.0 {
                return best < ROUNDING;
            }
            self.x.iter_mut().zip(&step).for_each(|(x, s)| *x += length * s);
        }
        false
    }

    /// The exact minimum along a direction: the slope is piecewise linear and rises.
    fn line_search(&self, values: &[f64], step: &[f64]) -> f64 {
        let slopes = self.normal.slopes(step);
        let same_side = values.iter().zip(&slopes).enumerate().all(|(row, (value, slope))| {
            self.pull(row, *value).1 == self.pull(row, value + slope).1
        });
        if same_side {
            return 1.0;
        }
        let away: Vec<f64> =
            self.x.iter().zip(&self.normal.program.target).map(|(x, t)| x - t).collect();
        let image = self.normal.program.times_metric(step);
        let (mut slope, mut curvature) = (dot(&away, &image), dot(step, &image));
        let mut kinks: Vec<(f64, f64, f64)> = Vec::new(); // where, change of slope at 0, of curvature
        for (row, (&value, &along)) in values.iter().zip(&slopes).enumerate() {
            let (pull, weight) = self.pull(row, value);
            slope -= pull * along;
            curvature += weight * along * along;
            if self.normal.program.rows[row].demand == Demand::AtLeast && along != 0.0 {
                let raw = self.multipliers[row] - self.penalty * value;
                let at = raw / (self.penalty * along);
                if at > 0.0 {
                    // Beyond the kink the row lets go, or takes hold.
                    let sign = if raw > 0.0 { 1.0 } else { -1.0 };
                    kinks.push((at, sign * raw * along, -sign * self.penalty * along * along));
                }
            }
        }
        kinks.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (at, change, bend) in kinks {
            if slope + curvature * at >= 0.0 {
                break;
            }
            slope += change;
            curvature += bend;
        }
        if curvature > 0.0 { -slope / curvature } else { 0.0 }
    }

    /// Takes the pulls as the new multipliers.
    fn update(&mut self) {
        let values = self.normal.values(&self.x);
        let (pulls, _) = self.pulls(&values);
        self.multipliers = pulls;
    }

    fn residual(&self) -> Residual {
        let values = self.normal.values(&self.x);
        let mut residual = Residual {
            stationarity: self
                .normal
                .largest_block(&self.normal.gradient(&self.x, &self.multipliers))
                / self.unit,
            ..Default::default()
        };
        for (row, value) in values.iter().enumerate() {
            let demand = self.normal.program.rows[row].demand;
            let (violation, product) = match demand {
                Demand::Equal => (value.abs(), 0.0),
                Demand::AtLeast => ((-value).max(0.0), value.abs().min(self.multipliers[row])),
                Demand::Soft(_) => (0.0, 0.0),
            };
            residual.violation = residual.violation.max(violation / self.unit);
            residual.complementarity = residual.complementarity.max(product / self.unit);
        }
        residual
    }

    /// Takes the rows that pull as equations and solves for them, lets go of those that would
    /// have to push the other way, takes hold of those that are violated, and again. Whether it
    /// came to an end at the optimum.
    fn polish(&mut self) -> bool {
        let mut holds: Vec<bool> = self.multipliers.iter().map(|m| *m > 0.0).collect();
        for _ in 0..MOST_POLISHES {
            self.iterations += 1;
            if !self.normal.factorise(|row| if holds[row] { self.penalty } else { 0.0 }) {
                return false;
            }
            for _ in 0..SOLVES {
                let mut step = self.normal.gradient(&self.x, &self.firm_pulls(&holds));
                self.normal.solve(&mut step);
                self.x.iter_mut().zip(&step).for_each(|(x, s)| *x -= s);
                self.multipliers = self.firm_pulls(&holds);
            }
            let (values, mut stands) = (self.normal.values(&self.x), true);
            for (row, holds) in holds.iter_mut().enumerate() {
                let size = if *holds { self.multipliers[row] } else { values[row] };
                let wrong = size < -SURE * self.unit;
                *holds ^= wrong;
                stands &= !wrong;
                self.multipliers[row] = self.multipliers[row].max(0.0);
            }
            if stands {
                break;
            }
        }
        self.factorised.clear();
        self.residual().largest() < POLISHED
    }

    /// The pulls of the rows that hold, as equations.
    fn firm_pulls(&self, holds: &[bool]) -> Vec<f64> {
        let values = self.normal.values(&self.x);
        let pull = |row: usize| match holds[row] {
            true => self.multipliers[row] - self.penalty * values[row],
            false => 0.0,
        };
        (0..holds.len()).map(pull).collect()
    }

    /// Updates of the multipliers until the residual is small, or no longer falls.
    fn finish(mut self) -> Answer {
        let mut best: Option<(Residual, Vec<f64>, Vec<f64>)> = None;
        let mut stalled = 0;
        for _ in 0..MOST_UPDATES {
            if !self.settle() && self.iterations >= self.most_iterations {
                break;
            }
            self.update();
            let residual = self.residual();
            let better = best.as_ref().is_none_or(|b| residual.largest() < b.0.largest());
            let stalls = best.as_ref().is_some_and(|b| residual.largest() > 0.5 * b.0.largest());
            stalled = if stalls { stalled + 1 } else { 0 };
            if better {
                best = Some((residual, self.x.clone(), self.multipliers.clone()));
            }
            // Rows that nearly depend on each other take a few updates more.
            let patience = if residual.largest() < ROUNDING { 0 } else { PATIENCE };
            if residual.largest() < TOLERANCE || stalled > patience {
                break;
            }
        }
        if let Some((_, x, multipliers)) = best {
            (self.x, self.multipliers) = (x, multipliers);
        }
        self.answer()
    }

    fn answer(self) -> Answer {
        let residual = self.residual();
        let scaled = self.multipliers.iter().zip(&self.normal.scale);
        let multipliers = scaled.map(|(m, s)| m * s).collect();
        let converged = residual.largest() < ROUNDING;
        Answer { x: self.x, multipliers, residual, iterations: self.iterations, converged }
    }
}
