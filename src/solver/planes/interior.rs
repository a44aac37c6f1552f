//! The interior-point method of Mehrotra for rows that are concave quadratics. They are
//! linearised anew in every iteration, and what a step bends them by goes into the corrector;
//! primal and dual steps are equal, as the problem is not linear. Rows that turn out to be
//! violated are taken in on the way.

use super::chosen::Chosen;
use super::pairs::Pairs;
use super::system::{Planes, System};
use super::{Aim, Answer, Bend, OF_BODY, Program, Slope};

/// A step goes so much of the way to the border.
const INWARDS: f64 = 0.98;
/// The centring is at least this ...
const LEAST_CENTRING: f64 = 1e-4;
/// ... and this as long as rows are violated by much more than the gap of the objective.
const HELD_BACK: f64 = 0.3;
/// Products of less than this many times what they need not be below are there.
const AT_THE_FLOOR: f64 = 2.0;
/// So many iterations without progress end the search, if it came far enough.
const PATIENCE: u32 = 5;
const FAR_ENOUGH: f64 = 1e-4;
/// Rounding of the stiffest row is at most a hundredth of what holds loose unknowns.
const LOST_DIGITS: f64 = 1e-14;
/// Rounds of solving for what rounding left.
const REFINEMENTS: usize = 2;
/// Products of slacks and multipliers begin with this part of a typical weight times a reach, ...
const FIRST_PRODUCT: f64 = 0.1;
/// ... or with this one where multipliers are known.
const NEAR_PRODUCT: f64 = 1e-6;
/// A row begins with at least this part of a typical reach as its slack.
const FIRST_SLACK: f64 = 0.1;

/// The present point: unknowns in one list (bodies, then planes), rows, and the two bounds of
/// every unknown that has a reach.
#[derive(Clone, Default)]
struct Point {
    z: Vec<f64>,
    rows: Pairs,
    low: Pairs,
    high: Pairs,
}

/// What a point leaves, with its rows linearised there.
struct Residuals {
    slopes: Vec<Slope>,
    rows: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    /// The gradient of the Lagrangian.
    pull: Vec<f64>,
}

/// A step, and what it bends each row by.
struct Step {
    z: Vec<f64>,
    rows: Pairs,
    low: Pairs,
    high: Pairs,
}

/// How products of slacks and multipliers are to fall.
#[derive(Clone, Copy)]
struct Centring {
    /// What they are.
    mu: f64,
    /// Rows are violated by much more.
    held_back: bool,
    /// They need not be less.
    floor: f64,
}

struct Method<'a> {
    system: System<'a>,
    chosen: Chosen,
    /// Unknowns that have a reach.
    bounded: Vec<usize>,
    conditions: f64,
    /// What softens rows in the factor: the stiffest ones leave more digits than unknowns need
    /// that no row holds. What it is off is solved for again.
    softness: f64,
}

/// The equations of one iteration: for unknowns and multipliers `H z - J^T f = a` and
/// `J z + Y f = b`, with `Y` on the diagonal.
struct Matrix {
    /// Of `H + J^T W J`.
    planes: Planes,
    /// Of every group, what bends add to `H`.
    bends: Vec<Bend>,
    /// `Y`: slacks over multipliers.
    yields: Vec<f64>,
    /// `W`: the inverse of `Y` and what softens it.
    weights: Vec<f64>,
}

/// The best motion; see [`Program`].
pub fn solve(program: &Program, aim: &Aim) -> Answer {
    Method::new(program, aim.reach).run(aim, None)
}

/// The same from multipliers of all rows that are nearly right: of a program that need not be
/// convex, the answer near them.
pub fn solve_near(program: &Program, aim: &Aim, forces: &[f64]) -> Answer {
    Method::new(program, aim.reach).run(aim, Some(forces))
}

impl<'a> Method<'a> {
    fn new(program: &'a Program, reach: f64) -> Method<'a> {
        let system = System::new(program);
        let chosen = Chosen::near(&system, reach);
        let bounded: Vec<usize> =
            (0..system.reach.len()).filter(|&k| system.reach[k] > 0.0).collect();
        let softness = LOST_DIGITS / program.proximal[0].min(program.proximal[1]);
        let mut method = Method { system, chosen, bounded, conditions: 1.0, softness };
        method.count();
        method
    }

    fn count(&mut self) {
        self.conditions = (self.chosen.len() + 2 * self.bounded.len()).max(1) as f64;
    }

    fn run(mut self, aim: &Aim, forces: Option<&[f64]>) -> Answer {
        let bodies = self.system.program.bodies.len().max(1) as f64;
        let weight = self.system.cost.iter().map(|c| c.abs()).sum::<f64>() / bodies;
        let unit = (aim.reach * weight.max(f64::MIN_POSITIVE), aim.reach, weight);
        let mut point = match forces {
            None => self.start(aim.reach, FIRST_PRODUCT * unit.0),
            Some(forces) => self.start_near(forces, NEAR_PRODUCT * unit.0, weight, aim.reach),
        };
        let mut best = (f64::INFINITY, point.clone(), 0);
        let (mut converged, mut was_near, mut iterations) = (false, false, 0);
        while iterations < aim.iterations {
            if self.take_in(&mut point, aim, unit.2) {
                best.0 = f64::INFINITY;
            }
            let left = self.residuals(&point);
            let gap = self.gap(&point);
            let violated = left.rows.iter().fold(0.0, |most: f64, r| most.max(r.abs()));
            let pull = left.pull.iter().fold(0.0, |most: f64, r| most.max(r.abs()));
            let objective = gap * self.conditions / (unit.0 * bodies);
            // In what was asked for.
            let merit = (objective / aim.accuracy)
                .max(violated / aim.violation)
                .max(pull / (aim.balance * unit.2));
            let is_near = objective.max(violated / unit.1).max(0.01 * pull / unit.2) < FAR_ENOUGH;
            if !merit.is_finite() {
                break;
            }
            if merit < best.0 {
                best = (merit, point.clone(), iterations);
            }
            if merit < 1.0 {
                converged = true;
                break;
            }
            was_near |= is_near;
            if best.2 + PATIENCE < iterations && was_near {
                break;
            }
            iterations += 1;
            let relative = violated * bodies / (gap * self.conditions).max(f64::MIN_POSITIVE);
            let held_back = relative * unit.2 > 1e3 && violated > aim.violation;
            // Far beyond the aim there is nothing but rounding.
            let floor = 0.1 * aim.accuracy * unit.0 * bodies / self.conditions;
            if !self.advance(&mut point, &left, Centring { mu: gap, held_back, floor }) {
                break;
            }
        }
        self.answer(&best.1, iterations, converged)
    }

    fn answer(&self, point: &Point, iterations: u32, converged: bool) -> Answer {
        let bodies = self.system.program.bodies.len() * OF_BODY;
        let (x, y) = point.z.split_at(bodies);
        Answer {
            x: x.as_chunks().0.to_vec(),
            y: y.as_chunks().0.to_vec(),
            multipliers: self.chosen.spread(&self.system, &point.rows.force),
            least: self.chosen.least(&self.system, &point.z),
            iterations,
            converged,
        }
    }

    fn start(&self, reach: f64, mu: f64) -> Point {
        let gaps = self.chosen.gaps().map(|gap| gap.max(FIRST_SLACK * reach)).collect();
        let bounds: Vec<f64> = self.bounded.iter().map(|&k| self.system.reach[k]).collect();
        Point {
            z: vec![0.0; self.system.reach.len()],
            rows: Pairs::new(gaps, mu),
            low: Pairs::new(bounds.clone(), mu),
            high: Pairs::new(bounds, mu),
        }
    }

    /// Rows with a multiplier have the slack that makes the product, others their gaps.
    fn start_near(&self, forces: &[f64], mu: f64, weight: f64, reach: f64) -> Point {
        let own = self.chosen.gather(&self.system, forces);
        let slack = self.chosen.gaps().zip(own).map(|(gap, force)| match force > mu / reach {
            true => mu / force,
            false => gap.max(mu / weight),
        });
        Point { rows: Pairs::new(slack.collect(), mu), ..self.start(reach, mu) }
    }

    /// Takes in rows that are violated here; whether there were any.
    fn take_in(&mut self, point: &mut Point, aim: &Aim, weight: f64) -> bool {
        let Method { system, chosen, .. } = self;
        let Some(from) = chosen.take_in(system, &point.z, -aim.violation) else { return false };
        let mu = self.gap(point);
        let (_, values) = self.chosen.at(&self.system, &point.z);
        let all = from.into_iter().zip(values).map(|(from, value)| match from {
            Some(at) => (point.rows.slack[at], point.rows.force[at]),
            None => {
                // As if it carried a typical weight, unless it is violated by more.
                let slack = value.abs().max(mu / weight);
                (slack, mu / slack)
            }
        });
        let (slack, force) = all.unzip();
        point.rows = Pairs { slack, force };
        self.count();
        true
    }

    fn gap(&self, point: &Point) -> f64 {
        (point.rows.product() + point.low.product() + point.high.product()) / self.conditions
    }

    fn residuals(&self, point: &Point) -> Residuals {
        let (system, chosen) = (&self.system, &self.chosen);
        let (slopes, values) = chosen.at(system, &point.z);
        let rows = values.iter().zip(&point.rows.slack).map(|(value, s)| value - s).collect();
        let pushed: Vec<f64> = point.rows.force.iter().map(|force| -force).collect();
        let costs = point.z.iter().zip(&system.cost).enumerate();
        let mut pull: Vec<f64> =
            costs.map(|(k, (z, cost))| cost + system.proximal(k) * z).collect();
        chosen.add(system, &slopes, &pushed, &mut pull);
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for (at, &k) in self.bounded.iter().enumerate() {
            pull[k] += point.high.force[at] - point.low.force[at];
            low.push(point.z[k] + system.reach[k] - point.low.slack[at]);
            high.push(system.reach[k] - point.z[k] - point.high.slack[at]);
        }
        system.hold(&mut pull);
        Residuals { slopes, rows, low, high, pull }
    }

    /// One step from a point; whether there is one.
    fn advance(&mut self, point: &mut Point, left: &Residuals, aim: Centring) -> bool {
        let Some(matrix) = self.factorise(point, &left.slopes) else { return false };
        let squares = |pairs: &Pairs| -> Vec<f64> {
            pairs.slack.iter().zip(&pairs.force).map(|(s, f)| s * f).collect()
        };
        let wanted = [&point.rows, &point.low, &point.high].map(squares);
        let step = match aim.mu <= AT_THE_FLOOR * aim.floor {
            // Nothing is to fall any more: Newton's method for what is left of the rest. A step that
            // looks ahead would see how far things fall without a floor, and correct for that.
            true => {
                let target = aim.floor;
                let wanted = wanted.map(|w| w.iter().map(|product| product - target).collect());
                self.step(point, left, &matrix, &left.rows, &wanted)
            }
            false => self.corrected(point, left, &matrix, wanted, aim),
        };
        let part = (INWARDS * Self::room(point, &step)).min(1.0);
        if !part.is_finite() {
            return false;
        }
        point.z.iter_mut().zip(&step.z).for_each(|(z, d)| *z += part * d);
        point.rows.advance(&step.rows, part);
        point.low.advance(&step.low, part);
        point.high.advance(&step.high, part);
        true
    }

    /// A step that looks ahead, at how products fall and how rows bend, and corrects for both.
    fn corrected(
        &mut self,
        point: &Point,
        left: &Residuals,
        matrix: &Matrix,
        wanted: [Vec<f64>; 3],
        aim: Centring,
    ) -> Step {
        let first = self.step(point, left, matrix, &left.rows, &wanted);
        let part = Self::room(point, &first).min(1.0);
        let after = point.rows.product_after(&first.rows, part)
            + point.low.product_after(&first.low, part)
            + point.high.product_after(&first.high, part);
        let centring = (after / self.conditions / aim.mu).powi(3);
        let least = if aim.held_back { HELD_BACK } else { LEAST_CENTRING };
        let target = (aim.mu * centring.max(least)).max(aim.floor.min(aim.mu));
        let bent = self.chosen.bent(&self.system, &first.z);
        let rows: Vec<f64> =
            left.rows.iter().zip(&bent).map(|(r, b)| r + part * part * b).collect();
        let corrected = |wanted: &[f64], step: &Pairs| -> Vec<f64> {
            let products = step.slack.iter().zip(&step.force).map(|(s, f)| s * f - target);
            wanted.iter().zip(products).map(|(w, p)| w + p).collect()
        };
        let wanted = [
            corrected(&wanted[0], &first.rows),
            corrected(&wanted[1], &first.low),
            corrected(&wanted[2], &first.high),
        ];
        self.step(point, left, matrix, &rows, &wanted)
    }

    fn room(point: &Point, step: &Step) -> f64 {
        let rooms =
            [point.rows.room(&step.rows), point.low.room(&step.low), point.high.room(&step.high)];
        rooms.into_iter().fold(f64::INFINITY, f64::min)
    }

    fn factorise(&mut self, point: &Point, slopes: &[Slope]) -> Option<Matrix> {
        let Method { system, chosen, bounded, softness, .. } = self;
        let mut diagonal: Vec<f64> = (0..system.reach.len()).map(|k| system.proximal(k)).collect();
        for (at, &k) in bounded.iter().enumerate() {
            diagonal[k] += point.low.force[at] / point.low.slack[at]
                + point.high.force[at] / point.high.slack[at];
        }
        let yields: Vec<f64> =
            point.rows.slack.iter().zip(&point.rows.force).map(|(s, f)| s / f).collect();
        let weights: Vec<f64> = yields.iter().map(|own| 1.0 / (own + *softness)).collect();
        let bends = chosen.bends(&point.rows.force);
        let sums = chosen.stiffness(&bends, slopes, &weights);
        let planes = system.factorise(sums, diagonal, |group| !chosen.range(group).is_empty())?;
        Some(Matrix { planes, bends, yields, weights })
    }

    /// The step of Newton's method that makes rows and products as wanted.
    fn step(
        &mut self,
        point: &Point,
        left: &Residuals,
        matrix: &Matrix,
        rows: &[f64],
        wanted: &[Vec<f64>; 3],
    ) -> Step {
        let mut right: Vec<f64> = left.pull.iter().map(|pull| -pull).collect();
        let of = |pairs: &Pairs, wanted: &[f64], off: &[f64]| -> Vec<f64> {
            let own = pairs.slack.iter().zip(&pairs.force);
            own.zip(wanted.iter().zip(off)).map(|((s, f), (w, r))| (-w - f * r) / s).collect()
        };
        let low = of(&point.low, &wanted[1], &left.low);
        let high = of(&point.high, &wanted[2], &left.high);
        for (at, &k) in self.bounded.iter().enumerate() {
            right[k] += low[at] - high[at];
        }
        self.system.hold(&mut right);
        let given = point.rows.force.iter().zip(wanted[0].iter().zip(rows));
        let given: Vec<f64> = given.map(|(f, (w, r))| -w / f - r).collect();
        let (z, force) = self.solve_both(matrix, &left.slopes, right, given);
        let along = self.chosen.along(&self.system, &left.slopes, &z);
        let mut slack: Vec<f64> = along.iter().zip(rows).map(|(along, r)| along + r).collect();
        // Where a row is softer in the factor than it is, what is left of it is more than its slack:
        // that goes into the next iteration, and products are as wanted in this one.
        for (k, slack) in slack.iter_mut().enumerate() {
            if matrix.yields[k] < self.softness {
                let (s, f) = (point.rows.slack[k], point.rows.force[k]);
                *slack = (-wanted[0][k] - s * force[k]) / f;
            }
        }
        let pairs = |own: &Pairs, wanted: &[f64], slack: Vec<f64>| {
            let all = own.slack.iter().zip(&own.force).zip(wanted.iter().zip(&slack));
            let force = all.map(|((s, f), (w, d))| (-w - f * d) / s).collect();
            Pairs { slack, force }
        };
        let bounds = self.bounded.iter().enumerate();
        let low = bounds.clone().map(|(at, &k)| z[k] + left.low[at]).collect();
        let high = bounds.map(|(at, &k)| left.high[at] - z[k]).collect();
        Step {
            rows: Pairs { slack, force },
            low: pairs(&point.low, &wanted[1], low),
            high: pairs(&point.high, &wanted[2], high),
            z,
        }
    }

    /// Solves the equations of [`Matrix`], and again for what rounding and softness left.
    fn solve_both(
        &mut self,
        matrix: &Matrix,
        slopes: &[Slope],
        right: Vec<f64>,
        given: Vec<f64>,
    ) -> (Vec<f64>, Vec<f64>) {
        let Method { system, chosen, .. } = self;
        let (mut z, mut force) = (vec![0.0; right.len()], vec![0.0; given.len()]);
        let (mut left, mut open) = (right.clone(), given.clone());
        for round in 0..=REFINEMENTS {
            let pushed: Vec<f64> = open.iter().zip(&matrix.weights).map(|(g, w)| g * w).collect();
            chosen.add(system, slopes, &pushed, &mut left);
            let more = system.back_substitute(&matrix.planes, left);
            let along = chosen.along(system, slopes, &more);
            for (k, along) in along.into_iter().enumerate() {
                force[k] += (open[k] - along) * matrix.weights[k];
            }
            z.iter_mut().zip(more).for_each(|(z, more)| *z += more);
            if round == REFINEMENTS {
                break;
            }
            left = system.product(&matrix.planes.diagonal, &matrix.bends, &z);
            left.iter_mut().zip(&right).for_each(|(product, right)| *product = right - *product);
            chosen.add(system, slopes, &force, &mut left);
            system.hold(&mut left);
            let along = chosen.along(system, slopes, &z);
            for (k, along) in along.into_iter().enumerate() {
                open[k] = given[k] - along - matrix.yields[k] * force[k];
            }
        }
        (z, force)
    }
}
