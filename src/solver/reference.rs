//! The same question asked of Clarabel, a solver that nobody here wrote: for
//! tests and benchmarks.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT,
};

use super::{Accuracy, FIXED, Program, Solution};
use crate::math::DVec3;

/// Solves `program` with Clarabel. The l1 term is not supported and must be empty.
pub fn solve(program: &Program, accuracy: Accuracy) -> Solution {
    assert!(program.absolute.is_empty(), "the reference solver has no l1 term");
    let (width, bodies) = (program.width, program.cost.len());
    let n = width * bodies + program.ceilings.len();
    let constraints = constraints(program);
    let quadratic = quadratic(program, n);
    let mut cost: Vec<f64> = program.cost.iter().flat_map(|c| (0..width).map(|k| c[k])).collect();
    cost.resize(n, 1.0);
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .max_iter(accuracy.max_iterations as u32)
        .tol_gap_abs(accuracy.absolute)
        .tol_gap_rel(accuracy.relative)
        .tol_feas(accuracy.absolute.clamp(1e-10, 1e-8))
        .build()
        .expect("settings within their ranges");
    let Rows { rows, columns, values, offsets, linear } = constraints;
    let mut cones = vec![SupportedConeT::NonnegativeConeT(linear)];
    cones.extend(program.ropes.iter().map(|_| SupportedConeT::SecondOrderConeT(width + 1)));
    let matrix = CscMatrix::new_from_triplets(offsets.len(), n, rows, columns, values);
    let mut solver = DefaultSolver::new(&quadratic, &cost, &matrix, &offsets, &cones, settings)
        .expect("a program of consistent sizes");
    solver.solve();
    let (x, z) = (&solver.solution.x, &solver.solution.z);
    let motion = (0..bodies).map(|i| super::inequalities::block(x, width, i)).collect();
    let tensions = (0..program.ropes.len()).map(|k| z[linear + k * (width + 1)]);
    Solution {
        motion,
        multipliers: z[..program.half_spaces.len()].iter().copied().chain(tensions).collect(),
        left_to_gain: (solver.solution.obj_val - solver.solution.obj_val_dual).abs(),
        iterations: solver.solution.iterations as usize,
        converged: solver.solution.status == SolverStatus::Solved,
    }
}

/// Clarabel's constraints, `offsets - matrix x` in the cones: first the linear
/// ones, then one second-order cone per rope.
#[derive(Default)]
struct Rows {
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
    offsets: Vec<f64>,
    linear: usize,
}

impl Rows {
    fn entry(&mut self, column: usize, value: f64) {
        self.rows.push(self.offsets.len());
        self.columns.push(column);
        self.values.push(-value);
    }

    /// `v . (d_a - d_b)` in the row that comes next.
    fn apart(&mut self, width: usize, a: u32, b: u32, v: DVec3) {
        for k in 0..width {
            self.entry(a as usize * width + k, v[k]);
            if b != FIXED {
                self.entry(b as usize * width + k, -v[k]);
            }
        }
    }

    fn end(&mut self, offset: f64) {
        self.offsets.push(offset);
    }
}

fn constraints(program: &Program) -> Rows {
    let width = program.width;
    let mut rows = Rows::default();
    for h in &program.half_spaces {
        rows.apart(width, h.a, h.b, h.normal);
        rows.end(h.gap);
    }
    for (body, b) in program.boxes.iter().enumerate() {
        for k in 0..width {
            for (sign, offset) in [(1.0, -b.low[k]), (-1.0, b.high[k])] {
                rows.apart(width, body as u32, FIXED, b.axes.col(k) * sign);
                rows.end(offset);
            }
        }
    }
    for (number, ceiling) in program.ceilings.iter().enumerate() {
        for (slope, height) in &ceiling.pieces {
            rows.entry(width * program.cost.len() + number, 1.0);
            rows.apart(width, ceiling.a, ceiling.b, -*slope);
            rows.end(-height);
        }
    }
    rows.linear = rows.offsets.len();
    for rope in &program.ropes {
        rows.end(rope.length);
        for k in 0..width {
            rows.apart(width, rope.a, rope.b, DVec3::AXES[k]);
            rows.end(rope.vector[k]);
        }
    }
    rows
}

/// The upper triangle of the quadratic terms.
fn quadratic(program: &Program, n: usize) -> CscMatrix {
    let width = program.width;
    let (mut rows, mut columns, mut values) = (vec![], vec![], vec![]);
    let mut entry = |row: usize, column: usize, value: f64| {
        if row <= column {
            rows.push(row);
            columns.push(column);
            values.push(value);
        }
    };
    for (i, rho) in program.proximal.iter().enumerate() {
        (0..width).for_each(|k| entry(i * width + k, i * width + k, *rho));
    }
    for tie in &program.ties {
        let sides = [(tie.a, 1.0), (tie.b, -1.0)];
        let sides = sides.iter().filter(|(body, _)| *body != FIXED);
        for (body, sign) in sides.clone() {
            for (other, other_sign) in sides.clone() {
                for (k, l) in (0..width).flat_map(|k| (0..width).map(move |l| (k, l))) {
                    let place = |body: u32, k: usize| body as usize * width + k;
                    let value = tie.block.col(l)[k] * sign * other_sign;
                    entry(place(*body, k), place(*other, l), value);
                }
            }
        }
    }
    CscMatrix::new_from_triplets(n, n, rows, columns, values)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{TIGHT, program, program_with_forces, program_with_l1};
    use super::super::{HalfSpace, MotionBox, solve as own};
    use super::*;
    use crate::math::DMat3;

    #[test]
    fn two_solvers_agree() {
        for seed in 0..200 {
            let program = program(seed);
            let (ours, theirs) = (own(&program, TIGHT, &[]), solve(&program, TIGHT));
            assert!(theirs.converged, "seed {seed}");
            let (x, y) = (program.objective(&ours.motion), program.objective(&theirs.motion));
            assert!((x - y).abs() < 1e-7, "seed {seed}: {x} and {y}");
            let early = own(&program, Accuracy { relative: 0.2, ..TIGHT }, &[]);
            assert!(early.left_to_gain >= program.objective(&early.motion) - y - 1e-7);
        }
    }

    /// Ties, ceilings and ropes, which Clarabel knows as cones and variables.
    #[test]
    fn two_solvers_agree_on_forces_and_ropes() {
        for seed in 0..200 {
            let program = program_with_forces(seed);
            let tight = Accuracy { absolute: 1e-7, ..TIGHT };
            let (ours, theirs) = (own(&program, tight, &[]), solve(&program, tight));
            assert!(theirs.converged, "seed {seed}");
            assert!(ours.converged, "seed {seed}: {} left", ours.left_to_gain);
            assert!(program.smallest_slack(&ours.motion) >= -1e-13);
            let (x, y) = (program.objective(&ours.motion), program.objective(&theirs.motion));
            assert!((x - y).abs() < 1e-6, "seed {seed}: {x} and {y}");
            assert!(ours.left_to_gain >= x - y - 1e-6);
        }
    }

    #[test]
    fn two_solvers_agree_on_the_l1_term() {
        for seed in 0..200 {
            let program = program_against_walls_with_l1(seed);
            let split = split(&program);
            let (ours, theirs) = (own(&program, TIGHT, &[]), solve(&split, TIGHT));
            assert!(theirs.converged, "seed {seed}");
            let (x, y) = (program.objective(&ours.motion), split.objective(&theirs.motion));
            assert!((x - y).abs() < 1e-7, "seed {seed}: {x} and {y}");
        }
    }

    /// Nothing joins two bodies, and no quadratic term: what [`split`] can take.
    fn program_against_walls_with_l1(seed: u64) -> Program {
        let mut program = program_with_l1(seed);
        program.half_spaces.iter_mut().for_each(|row| row.b = FIXED);
        program.proximal.fill(0.0);
        program
    }

    /// The same question without an l1 term: body `i` becomes two, how far it
    /// moves up each axis and how far down, and each pays for its way.
    fn split(program: &Program) -> Program {
        let n = program.cost.len() as u32;
        let tax = |i: usize| DVec3::splat(program.absolute[i]);
        let up = program.cost.iter().enumerate().map(|(i, c)| *c + tax(i));
        let down = program.cost.iter().enumerate().map(|(i, c)| -*c + tax(i));
        let positive = |high: DVec3| MotionBox { axes: DMat3::IDENTITY, low: DVec3::ZERO, high };
        Program {
            width: program.width,
            cost: up.chain(down).collect(),
            proximal: vec![0.0; 2 * n as usize],
            half_spaces: program
                .half_spaces
                .iter()
                .map(|row| HalfSpace { b: row.a + n, ..*row })
                .collect(),
            boxes: (program.boxes.iter().map(|b| positive(b.high)))
                .chain(program.boxes.iter().map(|b| positive(-b.low)))
                .collect(),
            ..Default::default()
        }
    }
}
