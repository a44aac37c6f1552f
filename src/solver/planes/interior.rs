//! The interior-point method of Mehrotra for rows that are concave quadratics. They are
//! linearised anew in every iteration, and what a step bends them by goes into the corrector;
//! primal and dual steps are equal, as the problem is not linear.

use rayon::prelude::*;

use super::pairs::Pairs;
use super::small::{
    Across, ROUNDING, Small, Square, backwards, factor, forwards, times_transposed,
};
use super::{Aim, Answer, Bend, Group, OF_BODY, OF_PLANE, OF_ROW, Program, Slope};
use crate::solver::quadratic::Cholesky;

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
/// How often the diagonal is enlarged before a matrix is given up.
const MOST_SHIFTS: u32 = 10;
/// Rounding of the stiffest row is at most a hundredth of what holds loose unknowns.
const LOST_DIGITS: f64 = 1e-14;
/// Rounds of solving for what rounding left.
const REFINEMENTS: usize = 2;

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

pub(super) struct Method<'a> {
    pub program: &'a Program,
    /// The first row of every group.
    first: Vec<usize>,
    /// Per group, 1 for its unknowns and 0 for what has no reach.
    live: Vec<Slope>,
    pub cost: Vec<f64>,
    pub reach: Vec<f64>,
    /// Unknowns that have a reach.
    bounded: Vec<usize>,
    conditions: f64,
    /// What softens rows in the factor: the stiffest ones leave more digits than unknowns need
    /// that no row holds. What it is off is solved for again.
    softness: f64,
    cholesky: Cholesky,
    places: Places,
}

/// Where blocks are kept in the factor.
struct Places {
    own: Vec<[[usize; OF_BODY]; OF_BODY]>,
    /// Per plane, between its two bodies, if both move.
    between: Vec<Option<[[usize; OF_BODY]; OF_BODY]>>,
}

/// The matrix of one iteration, with its planes eliminated.
pub(super) struct Planes {
    /// Of every group, and what is on the diagonal besides.
    stiffness: Vec<Bend>,
    diagonal: Vec<f64>,
    /// The factor of every plane's own matrix, ...
    lower: Vec<Small>,
    /// ... and per side, how its body and the plane go together, divided by it.
    across: Vec<[Across; 2]>,
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
    Method::new(program).run(aim)
}

impl<'a> Method<'a> {
    pub fn new(program: &'a Program) -> Method<'a> {
        let mut first = vec![0];
        for group in &program.groups {
            first.push(first[first.len() - 1] + group.rows.len());
        }
        let bodies = program.bodies.iter();
        let mut cost: Vec<f64> = bodies.clone().flat_map(|block| block.cost).collect();
        let planes = program.planes.iter().flat_map(|plane| plane.reach);
        let reach: Vec<f64> = bodies.flat_map(|block| block.reach).chain(planes).collect();
        cost.resize(reach.len(), 0.0);
        let bounded: Vec<usize> = (0..reach.len()).filter(|&k| reach[k] > 0.0).collect();
        let conditions = (first[first.len() - 1] + 2 * bounded.len()).max(1) as f64;
        let pair = |plane: &super::Plane| {
            let [a, b] = plane.sides.map(|side| program.groups[side as usize].body);
            a.zip(b)
        };
        let edges = program.planes.iter().filter_map(pair);
        let cholesky = Cholesky::new(OF_BODY, program.bodies.len(), edges);
        let block = |a: u32, b: u32| {
            std::array::from_fn(|i| {
                std::array::from_fn(|j| {
                    cholesky.position((a, i), (b, j)).expect("a block of the pattern")
                })
            })
        };
        let places = Places {
            own: (0..program.bodies.len() as u32).map(|body| block(body, body)).collect(),
            between: program.planes.iter().map(|p| pair(p).map(|(a, b)| block(a, b))).collect(),
        };
        let planes = program.bodies.len() * OF_BODY;
        let live = |group: &Group| {
            std::array::from_fn(|k| {
                let at = match k < OF_BODY {
                    true => group.body.map(|body| body as usize * OF_BODY + k),
                    false => group.plane.map(|p| planes + p as usize * OF_PLANE + k - OF_BODY),
                };
                if at.is_some_and(|at| reach[at] > 0.0) { 1.0 } else { 0.0 }
            })
        };
        let live = program.groups.iter().map(live).collect();
        let softness = LOST_DIGITS / program.proximal[0].min(program.proximal[1]);
        Method {
            program,
            first,
            live,
            cost,
            reach,
            bounded,
            conditions,
            softness,
            cholesky,
            places,
        }
    }

    fn run(mut self, aim: &Aim) -> Answer {
        let bodies = self.program.bodies.len().max(1) as f64;
        let weight = self.cost.iter().map(|c| c.abs()).sum::<f64>() / bodies;
        let unit = (aim.reach * weight.max(f64::MIN_POSITIVE), aim.reach, weight);
        let mut point = self.start(aim.reach, 0.1 * unit.0);
        let mut best = (f64::INFINITY, point.clone(), 0);
        let (mut converged, mut was_near, mut iterations) = (false, false, 0);
        while iterations < aim.iterations {
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
        let bodies = self.program.bodies.len() * OF_BODY;
        let (x, y) = point.z.split_at(bodies);
        let values = self.each_row(|group, k| group.rows[k].at(&self.local(&point.z, group)).1);
        Answer {
            x: x.as_chunks().0.to_vec(),
            y: y.as_chunks().0.to_vec(),
            multipliers: point.rows.force.clone(),
            least: values.into_iter().fold(f64::INFINITY, f64::min),
            iterations,
            converged,
        }
    }

    fn start(&self, reach: f64, mu: f64) -> Point {
        let gaps = self.each_row(|group, k| group.rows[k].gap.max(0.1 * reach));
        let bounds: Vec<f64> = self.bounded.iter().map(|&k| self.reach[k]).collect();
        Point {
            z: vec![0.0; self.reach.len()],
            rows: Pairs::new(gaps, mu),
            low: Pairs::new(bounds.clone(), mu),
            high: Pairs::new(bounds, mu),
        }
    }

    /// Something of every row, in their order.
    fn each_row<T: Send>(&self, of: impl Fn(&Group, usize) -> T + Sync) -> Vec<T> {
        let groups = self.program.groups.par_iter();
        groups
            .flat_map_iter(|group| (0..group.rows.len()).map(|k| of(group, k)).collect::<Vec<_>>())
            .collect()
    }

    /// The unknowns of a group's rows.
    pub fn local(&self, z: &[f64], group: &Group) -> Slope {
        let mut own = [0.0; OF_ROW];
        if let Some(body) = group.body {
            own[..OF_BODY].copy_from_slice(&z[body as usize * OF_BODY..][..OF_BODY]);
        }
        if let Some(plane) = group.plane {
            own[OF_BODY..].copy_from_slice(&z[self.plane(plane)..][..OF_PLANE]);
        }
        own
    }

    fn plane(&self, plane: u32) -> usize {
        self.program.bodies.len() * OF_BODY + plane as usize * OF_PLANE
    }

    /// Adds numbers of a group's unknowns to the list of all.
    pub fn scatter(&self, group: &Group, own: &Slope, all: &mut [f64]) {
        if let Some(body) = group.body {
            let at = body as usize * OF_BODY;
            (0..OF_BODY).for_each(|k| all[at + k] += own[k]);
        }
        if let Some(plane) = group.plane {
            let at = self.plane(plane);
            (0..OF_PLANE).for_each(|k| all[at + k] += own[OF_BODY + k]);
        }
    }

    fn proximal(&self, unknown: usize) -> f64 {
        self.program.proximal[usize::from(unknown >= self.program.bodies.len() * OF_BODY)]
    }

    fn gap(&self, point: &Point) -> f64 {
        (point.rows.product() + point.low.product() + point.high.product()) / self.conditions
    }

    fn residuals(&self, point: &Point) -> Residuals {
        let at = self.each_row(|group, k| group.rows[k].at(&self.local(&point.z, group)));
        let live = self.program.groups.iter().zip(&self.live);
        let mut live = live.flat_map(|(group, live)| group.rows.iter().map(move |_| live));
        let rows = at.iter().zip(&point.rows.slack).map(|((_, value), s)| value - s).collect();
        let own = |(slope, _): (Slope, f64)| {
            let live = live.next().expect("one for every row");
            std::array::from_fn(|k| live[k] * slope[k])
        };
        let slopes: Vec<Slope> = at.into_iter().map(own).collect();
        let mut pull: Vec<f64> =
            point.z.iter().enumerate().map(|(k, z)| self.cost[k] + self.proximal(k) * z).collect();
        self.add_rows(&slopes, &point.rows.force, -1.0, &mut pull);
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for (at, &k) in self.bounded.iter().enumerate() {
            pull[k] += point.high.force[at] - point.low.force[at];
            low.push(point.z[k] + self.reach[k] - point.low.slack[at]);
            high.push(self.reach[k] - point.z[k] - point.high.slack[at]);
        }
        (0..pull.len()).filter(|&k| self.reach[k] <= 0.0).for_each(|k| pull[k] = 0.0);
        Residuals { slopes, rows, low, high, pull }
    }

    /// Adds the slopes of all rows times a factor of each.
    fn add_rows(&self, slopes: &[Slope], factors: &[f64], sign: f64, all: &mut [f64]) {
        for (group, &first) in self.program.groups.iter().zip(&self.first) {
            let mut own = [0.0; OF_ROW];
            for k in first..first + group.rows.len() {
                let factor = sign * factors[k];
                (0..OF_ROW).for_each(|i| own[i] += factor * slopes[k][i]);
            }
            self.scatter(group, &own, all);
        }
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
        let bent = self.each_row(|group, k| {
            let row = &group.rows[k];
            let d = self.local(&first.z, group);
            let (_, value) = row.at(&d);
            let linear: f64 = (0..OF_ROW).map(|i| row.slope[i] * d[i]).sum();
            value - row.gap - linear
        });
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

    /// How the rows of every group bend.
    fn bends(&self, point: &Point) -> Vec<Bend> {
        let of = |((group, &first), live): ((&Group, &usize), &Slope)| {
            let mut sum = [[0.0; OF_ROW]; OF_ROW];
            for (row, force) in group.rows.iter().zip(&point.rows.force[first..]) {
                for i in 0..OF_ROW {
                    (0..=i).for_each(|j| sum[i][j] += force * live[i] * live[j] * row.bend[i][j]);
                }
            }
            std::array::from_fn(|i| std::array::from_fn(|j| sum[i.max(j)][i.min(j)]))
        };
        let groups = self.program.groups.par_iter().zip(&self.first[..self.live.len()]);
        groups.zip(&self.live).map(of).collect()
    }

    /// The matrix of every group: of its rows, each with a weight, and of how they bend.
    fn stiffness(&self, bends: &[Bend], slopes: &[Slope], weights: &[f64]) -> Vec<Bend> {
        let of = |(bend, &first): (&Bend, &usize), rows: usize| {
            let mut sum = *bend;
            for (slope, weight) in slopes[first..].iter().zip(&weights[first..]).take(rows) {
                for i in 0..OF_ROW {
                    let factor = weight * slope[i];
                    (0..=i).for_each(|j| sum[i][j] += factor * slope[j]);
                }
            }
            std::array::from_fn(|i| std::array::from_fn(|j| sum[i.max(j)][i.min(j)]))
        };
        let groups = bends.par_iter().zip(&self.first[..bends.len()]);
        groups.zip(&self.program.groups).map(|(own, group)| of(own, group.rows.len())).collect()
    }

    fn factorise(&mut self, point: &Point, slopes: &[Slope]) -> Option<Matrix> {
        let mut diagonal: Vec<f64> = (0..self.reach.len()).map(|k| self.proximal(k)).collect();
        for (at, &k) in self.bounded.iter().enumerate() {
            diagonal[k] += point.low.force[at] / point.low.slack[at]
                + point.high.force[at] / point.high.slack[at];
        }
        // What cannot move has a row of its own.
        (0..diagonal.len()).filter(|&k| self.reach[k] <= 0.0).for_each(|k| diagonal[k] = 1.0);
        let yields: Vec<f64> =
            point.rows.slack.iter().zip(&point.rows.force).map(|(s, f)| s / f).collect();
        let weights: Vec<f64> = yields.iter().map(|own| 1.0 / (own + self.softness)).collect();
        let bends = self.bends(point);
        let sums = self.stiffness(&bends, slopes, &weights);
        let planes = self.factorise_sums(sums, diagonal)?;
        Some(Matrix { planes, bends, yields, weights })
    }

    /// Factorises the matrix of all groups' own matrices and a diagonal.
    pub(super) fn factorise_sums(
        &mut self,
        stiffness: Vec<Bend>,
        diagonal: Vec<f64>,
    ) -> Option<Planes> {
        let planes = self.eliminate(stiffness, diagonal)?;
        let mut blocks: Vec<Square> = vec![[[0.0; OF_BODY]; OF_BODY]; self.program.bodies.len()];
        for (group, sum) in self.program.groups.iter().zip(&planes.stiffness) {
            let Some(body) = group.body else { continue };
            let block = &mut blocks[body as usize];
            (0..OF_BODY).for_each(|i| (0..OF_BODY).for_each(|j| block[i][j] += sum[i][j]));
        }
        for (block, diagonal) in blocks.iter_mut().zip(planes.diagonal.chunks_exact(OF_BODY)) {
            (0..OF_BODY).for_each(|k| block[k][k] += diagonal[k]);
        }
        let whole: Vec<f64> = blocks.iter().flat_map(|b| (0..OF_BODY).map(|k| b[k][k])).collect();
        let between = self.subtract_planes(&planes, &mut blocks);
        let mut shift = 0.0;
        for _ in 0..MOST_SHIFTS {
            let shifts: Vec<f64> = whole.iter().map(|value| shift * value).collect();
            if self.fill(&blocks, &between, &shifts) {
                return Some(planes);
            }
            shift = f64::max(100.0 * shift, ROUNDING);
        }
        None
    }

    /// Puts the matrix into the factor, and factorises it.
    fn fill(&mut self, blocks: &[Square], between: &[Square], shifts: &[f64]) -> bool {
        let Method { cholesky, places, .. } = self;
        cholesky.values.fill(0.0);
        let shifts = shifts.chunks_exact(OF_BODY);
        for ((block, place), shift) in blocks.iter().zip(&places.own).zip(shifts) {
            for i in 0..OF_BODY {
                (0..=i).for_each(|j| cholesky.values[place[i][j]] += block[i][j]);
                cholesky.values[place[i][i]] += shift[i];
            }
        }
        for (block, place) in between.iter().zip(&places.between) {
            let Some(place) = place else { continue };
            for i in 0..OF_BODY {
                (0..OF_BODY).for_each(|j| cholesky.values[place[i][j]] += block[i][j]);
            }
        }
        cholesky.factorise()
    }

    /// Factorises what belongs to the planes alone.
    fn eliminate(&self, stiffness: Vec<Bend>, diagonal: Vec<f64>) -> Option<Planes> {
        let (mut lowers, mut across) = (Vec::new(), Vec::new());
        let own = diagonal[self.program.bodies.len() * OF_BODY..].chunks_exact(OF_PLANE);
        for (plane, diagonal) in self.program.planes.iter().zip(own) {
            let mut own: Small = [[0.0; OF_PLANE]; OF_PLANE];
            for side in plane.sides {
                let sum = &stiffness[side as usize];
                for i in 0..OF_PLANE {
                    (0..OF_PLANE).for_each(|j| own[i][j] += sum[OF_BODY + i][OF_BODY + j]);
                }
            }
            (0..OF_PLANE).for_each(|k| own[k][k] += diagonal[k]);
            let lower = factor(own)?;
            across.push(plane.sides.map(|side| {
                let sum = &stiffness[side as usize];
                let of =
                    |line: &Slope| forwards(&lower, std::array::from_fn(|j| line[OF_BODY + j]));
                std::array::from_fn(|i| of(&sum[i]))
            }));
            lowers.push(lower);
        }
        Some(Planes { stiffness, diagonal, lower: lowers, across })
    }

    /// Takes from the blocks of bodies what their planes give way; what is left between the two.
    fn subtract_planes(&self, planes: &Planes, blocks: &mut [Square]) -> Vec<Square> {
        let mut between = Vec::with_capacity(planes.across.len());
        for (plane, across) in self.program.planes.iter().zip(&planes.across) {
            for (side, across) in plane.sides.iter().zip(across) {
                if let Some(body) = self.program.groups[*side as usize].body {
                    let taken = times_transposed(across, across);
                    let block = &mut blocks[body as usize];
                    (0..OF_BODY)
                        .for_each(|i| (0..OF_BODY).for_each(|j| block[i][j] -= taken[i][j]));
                }
            }
            let taken = times_transposed(&across[0], &across[1]);
            between.push(taken.map(|line| line.map(|value| -value)));
        }
        between
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
        (0..right.len()).filter(|&k| self.reach[k] <= 0.0).for_each(|k| right[k] = 0.0);
        let given = point.rows.force.iter().zip(wanted[0].iter().zip(rows));
        let given: Vec<f64> = given.map(|(f, (w, r))| -w / f - r).collect();
        let (z, force) = self.solve_both(matrix, &left.slopes, right, given);
        let slopes = self.each_slope(&left.slopes, &z);
        let mut slack: Vec<f64> = slopes.iter().zip(rows).map(|(along, r)| along + r).collect();
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
        let (mut z, mut force) = (vec![0.0; right.len()], vec![0.0; given.len()]);
        let (mut left, mut open) = (right.clone(), given.clone());
        for round in 0..=REFINEMENTS {
            let pushed: Vec<f64> = open.iter().zip(&matrix.weights).map(|(g, w)| g * w).collect();
            self.add_rows(slopes, &pushed, 1.0, &mut left);
            let more = self.back_substitute(&matrix.planes, left);
            let along = self.each_slope(slopes, &more);
            for (k, along) in along.into_iter().enumerate() {
                force[k] += (open[k] - along) * matrix.weights[k];
            }
            z.iter_mut().zip(more).for_each(|(z, more)| *z += more);
            if round == REFINEMENTS {
                break;
            }
            left = self.product(&matrix.planes.diagonal, &matrix.bends, &z);
            left.iter_mut().zip(&right).for_each(|(product, right)| *product = right - *product);
            self.add_rows(slopes, &force, 1.0, &mut left);
            (0..left.len()).filter(|&k| self.reach[k] <= 0.0).for_each(|k| left[k] = 0.0);
            let along = self.each_slope(slopes, &z);
            for (k, along) in along.into_iter().enumerate() {
                open[k] = given[k] - along - matrix.yields[k] * force[k];
            }
        }
        (z, force)
    }

    /// A matrix of groups and a diagonal times `z`.
    fn product(&self, diagonal: &[f64], groups: &[Bend], z: &[f64]) -> Vec<f64> {
        let mut product: Vec<f64> = diagonal.iter().zip(z).map(|(d, z)| d * z).collect();
        for (group, sum) in self.program.groups.iter().zip(groups) {
            let own = self.local(z, group);
            let of = |i: usize| (0..OF_ROW).map(|j| sum[i][j] * own[j]).sum();
            self.scatter(group, &std::array::from_fn(of), &mut product);
        }
        product
    }

    /// The slopes of all rows times `z`.
    fn each_slope(&self, slopes: &[Slope], z: &[f64]) -> Vec<f64> {
        let mut along = Vec::with_capacity(slopes.len());
        for (group, &first) in self.program.groups.iter().zip(&self.first) {
            let own = self.local(z, group);
            for slope in &slopes[first..first + group.rows.len()] {
                along.push((0..OF_ROW).map(|i| slope[i] * own[i]).sum());
            }
        }
        along
    }

    /// Solves with the matrix of [`Method::factorise_sums`], and again for what rounding left:
    /// planes that hold firmly take most of the digits of their bodies' blocks.
    pub fn solve(&mut self, planes: &Planes, right: Vec<f64>) -> Vec<f64> {
        let mut z = self.back_substitute(planes, right.clone());
        for _ in 0..REFINEMENTS {
            let product = self.product(&planes.diagonal, &planes.stiffness, &z);
            let left = right.iter().zip(&product).map(|(right, product)| right - product).collect();
            let more = self.back_substitute(planes, left);
            z.iter_mut().zip(more).for_each(|(z, more)| *z += more);
        }
        z
    }

    fn back_substitute(&mut self, planes: &Planes, mut right: Vec<f64>) -> Vec<f64> {
        let bodies = self.program.bodies.len() * OF_BODY;
        let own = right.split_off(bodies);
        let (own, _) = own.as_chunks::<OF_PLANE>();
        let mut given = Vec::with_capacity(own.len());
        for (k, plane) in self.program.planes.iter().enumerate() {
            let y = forwards(&planes.lower[k], own[k]);
            for (side, across) in plane.sides.iter().zip(&planes.across[k]) {
                let Some(body) = self.program.groups[*side as usize].body else { continue };
                let x = &mut right[body as usize * OF_BODY..][..OF_BODY];
                for (x, line) in x.iter_mut().zip(across) {
                    *x -= line.iter().zip(&y).map(|(a, y)| a * y).sum::<f64>();
                }
            }
            given.push(y);
        }
        self.cholesky.solve(&mut right);
        for (k, plane) in self.program.planes.iter().enumerate() {
            let mut y = given[k];
            for (side, across) in plane.sides.iter().zip(&planes.across[k]) {
                let Some(body) = self.program.groups[*side as usize].body else { continue };
                let x = &right[body as usize * OF_BODY..][..OF_BODY];
                for (x, line) in x.iter().zip(across) {
                    (0..OF_PLANE).for_each(|j| y[j] -= line[j] * x);
                }
            }
            right.extend(backwards(&planes.lower[k], y));
        }
        right
    }
}
