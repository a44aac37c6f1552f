//! The structured interior-point method: Mehrotra's predictor and corrector,
//! Gondzio's multiple correctors, a warm start on the central path, and a stop
//! as soon as a strictly feasible motion is good enough.
//!
//! Slacks are updated by `ds = A dx + (A x + h - s)`, so feasibility does not
//! depend on how accurately the linear systems were solved.

use super::inequalities::{Inequalities, Unknowns, block};
use super::system::System;
use super::{Accuracy, Program, Solution};
use crate::math::{DVec3, median};

/// How far towards the boundary a step may go.
const BOUNDARY: f64 = 0.995;
/// Extra corrections per factorisation: each costs a solve, which is a tenth of a factorisation.
const CORRECTORS: usize = 2;
/// Keeps the matrix positive definite when weights become extreme.
const REGULAR: f64 = 1e-12;
/// What is left to gain per block may be rounding below this ...
const ROUNDED: f64 = 1e-9;
/// ... and is taken for that after so many iterations without progress.
const MOST_STALLS: usize = 6;
/// A solution that leaves less than this part of its gain is not looked for again from another
/// start, however much less was asked for.
const NEARLY_NOTHING: f64 = 1e-2;
/// By how much the diagonal grows, one after the other, if the matrix is not positive definite.
const STIFFER: [f64; 3] = [1e-14, 1e-13, 1e-12];
/// Programs come with typical costs near 1. Where most are 0, because forces
/// balance, the start is chosen as if they were at least this.
const LEAST_COST: f64 = 0.1;
/// A motion counts as feasible if it leaves a half-space by no more than this:
/// rounding, a ten-thousandth of the skin that the rows keep.
const ROUNDING: f64 = 1e-13;

/// Solves `program` to the given accuracy. `warm` has the multiplier of each
/// half-space and rope in a similar program, 0 where none is known.
///
/// ```
/// use riprap::math::{DMat3, DVec3};
/// use riprap::solver::{solve, Accuracy, HalfSpace, MotionBox, Program, FIXED};
///
/// // A ball of weight 1, half a length above the floor, may move by one length.
/// let program = Program {
///     width: 3,
///     cost: vec![DVec3::Z],
///     proximal: vec![1e-3],
///     half_spaces: vec![HalfSpace { a: 0, b: FIXED, normal: DVec3::Z, gap: 0.5 }],
///     boxes: vec![MotionBox { axes: DMat3::IDENTITY, low: DVec3::splat(-1.0), high: DVec3::ONE }],
///     ..Default::default()
/// };
/// let accuracy = Accuracy { relative: 0.0, absolute: 1e-9, max_iterations: 50 };
/// let solution = solve(&program, accuracy, &[]);
/// assert!((solution.motion[0] + 0.5 * DVec3::Z).length() < 1e-8);
/// assert!((solution.multipliers[0] - 0.9995).abs() < 1e-6);
/// ```
pub fn solve(program: &Program, accuracy: Accuracy, warm: &[f64]) -> Solution {
    let first = solve_from(program, accuracy, warm);
    // What gains nearly all that there is to gain stopped at rounding, not at a bad start.
    let gained = -program.objective(&first.motion);
    let is_good = first.converged || first.left_to_gain < NEARLY_NOTHING * gained;
    if is_good || warm.iter().all(|multiplier| *multiplier == 0.0) {
        return first;
    }
    // A bad start is worse than none.
    let cold = solve_from(program, accuracy, &[]);
    let iterations = first.iterations + cold.iterations;
    let better = if cold.left_to_gain < first.left_to_gain { cold } else { first };
    Solution { iterations, ..better }
}

fn solve_from(program: &Program, accuracy: Accuracy, warm: &[f64]) -> Solution {
    let mut iterate = Iterate::start(program, warm);
    let mut newton = Newton::new(program);
    let mut best = Best { objective: 0.0, ..Best::nothing(program) };
    let (mut iterations, mut stalled) = (0, 0);
    loop {
        let state = newton.residuals(&iterate);
        if state.feasible {
            // Rounding sets an end to what can be reached, whatever was asked for.
            let small = best.left_to_gain < ROUNDED * program.cost.len() as f64;
            let better = state.left_to_gain < 0.9 * best.left_to_gain;
            stalled = if small && !better { stalled + 1 } else { 0 };
            best.offer(program, &iterate, state.left_to_gain);
            if best.is_good_enough(accuracy) {
                return best.solution(iterations, true);
            }
        }
        let is_over = iterations == accuracy.max_iterations || stalled == MOST_STALLS;
        if is_over || !newton.factorise(&iterate) {
            return best.solution(iterations, false);
        }
        let direction = newton.direction(&iterate, state.mu);
        if !direction.is_finite() {
            return best.solution(iterations, false);
        }
        iterate.advance(&direction);
        iterations += 1;
    }
}

/// The current point: unknowns, slacks and multipliers of all inequalities.
struct Iterate {
    x: Unknowns,
    s: Vec<f64>,
    lambda: Vec<f64>,
}

/// A change of all three, and how much of it may be taken.
struct Direction {
    x: Unknowns,
    s: Vec<f64>,
    lambda: Vec<f64>,
    primal: f64,
    dual: f64,
}

impl Iterate {
    /// On the central path as far as it is known: products `s lambda` near a
    /// tenth of what a weight does over the typical reach.
    fn start(program: &Program, warm: &[f64]) -> Self {
        let reach = median(program.boxes.iter().map(|b| b.high.x).collect()).max(f64::MIN_POSITIVE);
        // Where most blocks cost nothing, the largest cost is the measure.
        let costs: Vec<f64> = program.cost.iter().map(|c| c.length()).collect();
        let largest = costs.iter().chain(&program.absolute).copied().fold(0.0, f64::max);
        let weight = match median(costs) {
            0.0 => largest,
            typical => typical,
        };
        let weight = weight.max(LEAST_COST);
        let mu = 0.1 * reach * weight;
        let inequalities = Inequalities::new(program);
        let mut x = Unknowns::zero(program);
        x.bounds.fill(0.1 * reach);
        x.tops.fill(mu);
        let mut s = inequalities.offsets();
        let mut lambda = vec![0.0; s.len()];
        for (i, slack) in s.iter_mut().enumerate() {
            let old = warm.get(i).copied().filter(|_| i < program.rows()).unwrap_or(0.0);
            *slack = slack.max((mu / old.max(1e-300)).min(0.1 * reach));
            lambda[i] = old.clamp(mu / *slack, 3.0 * mu / *slack);
        }
        Iterate { x, s, lambda }
    }

    fn advance(&mut self, direction: &Direction) {
        self.x.add(direction.primal, &direction.x);
        for (s, ds) in self.s.iter_mut().zip(&direction.s) {
            *s += direction.primal * ds;
        }
        for (l, dl) in self.lambda.iter_mut().zip(&direction.lambda) {
            *l += direction.dual * dl;
        }
    }

    fn mu(&self) -> f64 {
        self.s.iter().zip(&self.lambda).map(|(s, l)| s * l).sum::<f64>() / self.s.len() as f64
    }
}

impl Direction {
    /// Takes as much as keeps slacks and multipliers positive. Parts of
    /// different length cost a quadratic objective `curving` times the
    /// difference in what is left to gain; where that is more than the
    /// products `s lambda` leave anyway, both must do with the shorter part.
    fn limit_to(&mut self, iterate: &Iterate, curving: f64) {
        self.primal = longest_step(&iterate.s, &self.s);
        self.dual = longest_step(&iterate.lambda, &self.lambda);
        let left = iterate.mu() * iterate.s.len() as f64;
        if (self.primal - self.dual).abs() * curving > left {
            self.primal = self.primal.min(self.dual);
            self.dual = self.primal;
        }
    }

    fn is_finite(&self) -> bool {
        self.s.iter().chain(&self.lambda).all(|v| v.is_finite())
    }

    /// The mean product `s lambda` after taking these parts of the direction.
    fn mu_after(&self, iterate: &Iterate) -> f64 {
        let products = (0..self.s.len()).map(|i| {
            (iterate.s[i] + self.primal * self.s[i])
                * (iterate.lambda[i] + self.dual * self.lambda[i])
        });
        products.sum::<f64>() / self.s.len() as f64
    }
}

fn longest_step(value: &[f64], change: &[f64]) -> f64 {
    let ratios = value.iter().zip(change).filter(|(_, d)| **d < 0.0).map(|(v, d)| -v / d);
    (BOUNDARY * ratios.fold(f64::INFINITY, f64::min)).min(1.0)
}

/// Where an iterate stands.
struct Standing {
    mu: f64,
    feasible: bool,
    left_to_gain: f64,
}

/// The linear system of one iteration, with its working memory.
struct Newton<'a> {
    program: &'a Program,
    inequalities: Inequalities<'a>,
    offsets: Vec<f64>,
    tolerances: Vec<f64>,
    system: System,
    weights: Vec<f64>,
    primal_residual: Vec<f64>,
    dual_residual: Unknowns,
}

impl<'a> Newton<'a> {
    fn new(program: &'a Program) -> Self {
        let inequalities = Inequalities::new(program);
        let system = inequalities.matrix();
        Newton {
            program,
            offsets: inequalities.offsets(),
            tolerances: inequalities.tolerances(ROUNDING),
            weights: vec![0.0; inequalities.len()],
            primal_residual: vec![0.0; inequalities.len()],
            dual_residual: Unknowns::zero(program),
            system,
            inequalities,
        }
    }

    /// Fills the residuals and says how good the iterate is.
    fn residuals(&mut self, iterate: &Iterate) -> Standing {
        self.inequalities.linearise(&iterate.x);
        self.inequalities.values(&iterate.x, &self.offsets, &mut self.primal_residual);
        let (mut feasible, mut complementarity) = (true, 0.0);
        for (i, value) in self.primal_residual.iter_mut().enumerate() {
            feasible &= *value >= -self.tolerances[i];
            complementarity += iterate.lambda[i] * *value;
            *value -= iterate.s[i];
        }
        // gradient - A^T lambda
        let mut forces = Unknowns::zero(self.program);
        self.inequalities.add_transposed(&iterate.lambda, &mut forces);
        self.program.gradient(&iterate.x, &mut self.dual_residual);
        self.dual_residual.add(-1.0, &forces);
        let support = self.program.support(&iterate.x, &self.dual_residual);
        Standing { mu: iterate.mu(), feasible, left_to_gain: complementarity + support }
    }

    fn factorise(&mut self, iterate: &Iterate) -> bool {
        for (w, (s, l)) in self.weights.iter_mut().zip(iterate.s.iter().zip(&iterate.lambda)) {
            *w = l / s;
        }
        self.inequalities.assemble(&self.weights, &iterate.lambda, REGULAR, &mut self.system);
        // Near the end weights differ so much that rounding alone can make a
        // pivot negative. A little more on the diagonal makes the direction
        // less exact, but not less feasible.
        self.system.factorise()
            || STIFFER.iter().any(|part| {
                self.system.enlarge_diagonal(*part);
                self.system.factorise()
            })
    }

    /// Predictor, corrector, and as many further correctors as pay.
    fn direction(&mut self, iterate: &Iterate, mu: f64) -> Direction {
        let mut target: Vec<f64> =
            iterate.s.iter().zip(&iterate.lambda).map(|(s, l)| -s * l).collect();
        let predictor = self.newton_step(iterate, &target);
        let centring = (predictor.mu_after(iterate) / mu).powi(3).min(1.0);
        for (i, value) in target.iter_mut().enumerate() {
            *value += centring * mu - predictor.s[i] * predictor.lambda[i];
        }
        // Where the predictor goes, ropes turn: aim at where they will be.
        let mut part = Unknowns::zero(self.program);
        part.add(predictor.primal, &predictor.x);
        self.inequalities.bend(&part, &mut self.primal_residual);
        let mut direction = self.newton_step(iterate, &target);
        for _ in 0..CORRECTORS {
            match self.correct(iterate, &direction, &mut target, centring * mu) {
                Some(better) => direction = better,
                None => break,
            }
        }
        direction
    }

    /// Gondzio's correction: aim a little further and pull outlying products
    /// back towards the path; kept only if the step becomes longer.
    fn correct(
        &mut self,
        iterate: &Iterate,
        direction: &Direction,
        target: &mut [f64],
        goal: f64,
    ) -> Option<Direction> {
        let (primal, dual) = ((direction.primal + 0.3).min(1.0), (direction.dual + 0.3).min(1.0));
        let before = target.to_vec();
        for (i, value) in target.iter_mut().enumerate() {
            let product = (iterate.s[i] + primal * direction.s[i])
                * (iterate.lambda[i] + dual * direction.lambda[i]);
            let outlying = product.clamp(0.1 * goal, 10.0 * goal) - product;
            *value += outlying.max(-10.0 * goal);
        }
        let better = self.newton_step(iterate, target);
        let gain = better.primal + better.dual - direction.primal - direction.dual;
        if gain > 0.03 {
            return Some(better);
        }
        target.copy_from_slice(&before);
        None
    }

    /// The Newton direction towards products `s lambda + target`.
    fn newton_step(&mut self, iterate: &Iterate, target: &[f64]) -> Direction {
        let n = target.len();
        let mut pull = vec![0.0; n];
        for i in 0..n {
            pull[i] = (target[i] - iterate.lambda[i] * self.primal_residual[i]) / iterate.s[i];
        }
        let mut x = self.dual_residual.negated();
        self.inequalities.add_transposed(&pull, &mut x);
        self.inequalities.eliminate_bounds(&self.weights, &mut x);
        self.system.solve(&mut x.motion);
        self.inequalities.restore_bounds(&self.weights, &mut x);
        let mut s = vec![0.0; n];
        self.inequalities.times(&x, &mut s);
        let mut lambda = vec![0.0; n];
        for i in 0..n {
            s[i] += self.primal_residual[i];
            lambda[i] = (target[i] - iterate.lambda[i] * s[i]) / iterate.s[i];
        }
        let tensions = &iterate.lambda[self.program.half_spaces.len()..self.program.rows()];
        let curving = self.program.curving(&x, tensions);
        let mut direction = Direction { x, s, lambda, primal: 0.0, dual: 0.0 };
        direction.limit_to(iterate, curving);
        direction
    }
}

/// The best feasible motion so far; at first, staying put.
struct Best {
    motion: Vec<DVec3>,
    multipliers: Vec<f64>,
    objective: f64,
    left_to_gain: f64,
}

impl Best {
    fn nothing(program: &Program) -> Self {
        Best {
            motion: vec![DVec3::ZERO; program.cost.len()],
            multipliers: vec![0.0; program.rows()],
            objective: 0.0,
            left_to_gain: f64::INFINITY,
        }
    }

    fn offer(&mut self, program: &Program, iterate: &Iterate, left_to_gain: f64) {
        let motion: Vec<DVec3> =
            (0..program.cost.len()).map(|i| block(&iterate.x.motion, program.width, i)).collect();
        // The smallest certified distance from the optimum wins: near the end
        // rounding may spoil a later iterate.
        if left_to_gain < self.left_to_gain {
            self.objective = program.objective(&motion);
            self.motion = motion;
            self.multipliers.copy_from_slice(&iterate.lambda[..program.rows()]);
            self.left_to_gain = left_to_gain;
        }
    }

    fn is_good_enough(&self, accuracy: Accuracy) -> bool {
        self.left_to_gain <= accuracy.absolute.max(-self.objective * accuracy.relative)
    }

    fn solution(self, iterations: usize, converged: bool) -> Solution {
        Solution {
            motion: self.motion,
            multipliers: self.multipliers,
            left_to_gain: self.left_to_gain,
            iterations,
            converged,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{TIGHT, lower_bound, program, program_with_l1};
    use super::*;
    use crate::math::{DMat3, Random};
    use crate::solver::{FIXED, HalfSpace, MotionBox};

    /// A cube of half-width 1 for each cost, no ties broken.
    fn bare(cost: Vec<DVec3>, half_spaces: Vec<HalfSpace>) -> Program {
        let cube = MotionBox { axes: DMat3::IDENTITY, low: -DVec3::ONE, high: DVec3::ONE };
        let n = cost.len();
        let (proximal, boxes) = (vec![0.0; n], vec![cube; n]);
        Program { width: 3, cost, proximal, half_spaces, boxes, ..Default::default() }
    }

    fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
        assert_eq!(found.len(), expected.len());
        let far = found.iter().zip(expected).any(|(x, y)| (x - y).abs() > tolerance);
        assert!(!far, "{found:?} instead of {expected:?}");
    }

    #[test]
    fn nothing_in_the_way() {
        let mut program = bare(vec![DVec3::new(1.0, -2.0, 0.5)], vec![]);
        let solution = solve(&program, TIGHT, &[]);
        assert!(solution.converged);
        assert_near(&solution.motion[0].to_array(), &[-1.0, 1.0, -1.0], 1e-8);
        program.proximal = vec![4.0];
        let solution = solve(&program, TIGHT, &[]);
        assert_near(&solution.motion[0].to_array(), &[-0.25, 0.5, -0.125], 1e-5);
        assert_near(&[program.objective(&solution.motion)], &[-0.65625], 1e-8);
    }

    /// A ball of weight 2 comes down a quarter on one of weight 1 that lies on the floor.
    #[test]
    fn a_ball_comes_down_on_another() {
        let floor = HalfSpace { a: 0, b: FIXED, normal: DVec3::Z, gap: 0.0 };
        let pair = HalfSpace { a: 1, b: 0, normal: DVec3::Z, gap: 0.25 };
        let program = bare(vec![DVec3::Z, 2.0 * DVec3::Z], vec![floor, pair]);
        let solution = solve(&program, TIGHT, &[]);
        assert!(solution.converged);
        assert_near(&[solution.motion[0].z, solution.motion[1].z], &[0.0, -0.25], 1e-8);
        assert_near(&solution.multipliers, &[3.0, 2.0], 1e-7);
        assert_near(&[program.objective(&solution.motion)], &[-0.5], 1e-8);
        assert_near(&[lower_bound(&program, &[3.0, 2.0])], &[-0.5], 1e-15);
    }

    /// A ball in a groove of right angles, whose sides carry 1/sqrt(2) of its weight each.
    #[test]
    fn a_ball_in_a_groove() {
        let half = 0.5_f64.sqrt();
        let side = |x: f64| HalfSpace { a: 0, b: FIXED, normal: DVec3::new(x, 0.0, half), gap: 0. };
        let program = bare(vec![DVec3::Z], vec![side(half), side(-half)]);
        let solution = solve(&program, TIGHT, &[]);
        assert_near(&solution.multipliers, &[half, half], 1e-7);
        assert_near(&[solution.motion[0].x, solution.motion[0].z], &[0.0, 0.0], 1e-8);
        assert!(solution.motion[0].y.abs() < 1e-12, "nothing pulls it along the groove");
    }

    /// The l1 term is dry friction: a slope below it moves nothing.
    #[test]
    fn the_l1_term_holds_what_pulls_less_than_it() {
        let mut program = bare(vec![DVec3::new(0.1, -0.3, 0.2)], vec![]);
        program.absolute = vec![0.25];
        let solution = solve(&program, TIGHT, &[]);
        assert!(solution.converged);
        assert_near(&solution.motion[0].to_array(), &[0.0, 1.0, 0.0], 1e-7);
        assert_near(&[program.objective(&solution.motion)], &[-0.05], 1e-8);
        program.absolute = vec![0.35];
        assert_near(&solve(&program, TIGHT, &[]).motion[0].to_array(), &[0.0; 3], 1e-7);
        program.absolute = vec![0.05];
        assert_near(&solve(&program, TIGHT, &[]).motion[0].to_array(), &[-1.0, 1.0, -1.0], 1e-7);
    }

    #[test]
    fn too_few_iterations_give_a_feasible_motion_and_no_claim() {
        for seed in 0..20 {
            let program = program(seed);
            let none = solve(&program, Accuracy { max_iterations: 0, ..TIGHT }, &[]);
            assert!(!none.converged && program.smallest_slack(&none.motion) >= -1e-13);
            let two = solve(&program, Accuracy { max_iterations: 2, ..TIGHT }, &[]);
            assert!(!two.converged && two.iterations == 2);
            assert!(program.smallest_slack(&two.motion) >= -1e-13);
        }
    }

    /// Solves, and checks all that must hold of any answer.
    fn checked(program: &Program, accuracy: Accuracy, warm: &[f64]) -> Solution {
        let solution = solve(program, accuracy, warm);
        assert!(solution.converged, "{} iterations", solution.iterations);
        let slack = program.smallest_slack(&solution.motion);
        assert!(slack >= -1e-13, "the motion leaves the cell by {}", -slack);
        let gap = program.objective(&solution.motion) - lower_bound(program, &solution.multipliers);
        assert!(gap >= -1e-12, "no motion is better than the bound");
        assert!(program.width == 3 || solution.motion.iter().all(|d| d.z == 0.0));
        solution
    }

    fn samples() -> impl Iterator<Item = Program> {
        (0..200).flat_map(|seed| [program(seed), program_with_l1(seed)])
    }

    #[test]
    fn the_motion_is_feasible_and_the_multipliers_prove_it_best() {
        for program in samples() {
            let solution = checked(&program, TIGHT, &[]);
            let bound = lower_bound(&program, &solution.multipliers);
            assert!(program.objective(&solution.motion) - bound < 1e-7);
        }
    }

    #[test]
    fn an_early_stop_keeps_its_promise() {
        for (k, program) in samples().enumerate() {
            let relative = [0.01, 0.1, 0.3][k % 3];
            let optimum = program.objective(&checked(&program, TIGHT, &[]).motion);
            let early = checked(&program, Accuracy { relative, ..TIGHT }, &[]);
            let found = program.objective(&early.motion);
            assert!(found - optimum <= (-found * relative).max(TIGHT.absolute));
            assert!(found - optimum <= early.left_to_gain + 1e-12);
        }
    }

    /// Whatever the multipliers are taken from: this program, or nowhere.
    #[test]
    fn a_warm_start_changes_the_path_but_not_the_optimum() {
        let random = &mut Random::new(1);
        for program in samples() {
            let cold = checked(&program, TIGHT, &[]);
            let scale = 10_f64.powf(random.between(-6.0, 6.0));
            let wild: Vec<f64> = cold.multipliers.iter().map(|_| scale * random.unit()).collect();
            for warm in [&cold.multipliers, &wild] {
                let solution = checked(&program, TIGHT, warm);
                let (x, y) = (program.objective(&solution.motion), program.objective(&cold.motion));
                assert!((x - y).abs() < 1e-7);
            }
        }
    }

    /// Steps of different length for motion and multipliers once made it go to
    /// and fro for ever between two points.
    #[test]
    fn strongly_curved_programs() {
        for mut program in samples() {
            for proximal in [0.1, 1.0, 10.0] {
                program.proximal.fill(proximal);
                checked(&program, TIGHT, &[]);
            }
        }
    }

    /// A ball between two walls, no room to either side: the cell has no inside.
    #[test]
    fn a_channel_as_wide_as_the_ball() {
        let wall = |x: f64| HalfSpace { a: 0, b: FIXED, normal: DVec3::X * x, gap: 0.0 };
        let program = bare(vec![DVec3::Z], vec![wall(1.0), wall(-1.0)]);
        let solution = checked(&program, TIGHT, &[]);
        assert_near(&[solution.motion[0].x, solution.motion[0].z], &[0.0, -1.0], 1e-6);
    }

    #[test]
    fn the_same_question_gets_the_same_bits() {
        let program = program(7);
        let (one, two) = (solve(&program, TIGHT, &[]), solve(&program, TIGHT, &[]));
        assert_eq!((one.motion, one.multipliers), (two.motion, two.multipliers));
    }
}
