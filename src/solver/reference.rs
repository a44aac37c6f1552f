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
    let n = width * bodies;
    let (mut rows, mut columns, mut values, mut offsets) = (vec![], vec![], vec![], vec![]);
    let mut entry = |row: usize, body: u32, v: DVec3| {
        for k in 0..width {
            rows.push(row);
            columns.push(body as usize * width + k);
            values.push(-v[k]);
        }
    };
    for (row, h) in program.half_spaces.iter().enumerate() {
        entry(row, h.a, h.normal);
        if h.b != FIXED {
            entry(row, h.b, -h.normal);
        }
        offsets.push(h.gap);
    }
    for (body, b) in program.boxes.iter().enumerate() {
        for k in 0..width {
            entry(offsets.len(), body as u32, b.axes.col(k));
            offsets.push(-b.low[k]);
            entry(offsets.len(), body as u32, -b.axes.col(k));
            offsets.push(b.high[k]);
        }
    }
    let constraints = CscMatrix::new_from_triplets(offsets.len(), n, rows, columns, values);
    let diagonal = program.proximal.iter().flat_map(|rho| std::iter::repeat_n(*rho, width));
    let quadratic = CscMatrix::new(n, n, (0..=n).collect(), (0..n).collect(), diagonal.collect());
    let cost: Vec<f64> = program.cost.iter().flat_map(|c| (0..width).map(|k| c[k])).collect();
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .max_iter(accuracy.max_iterations as u32)
        .tol_gap_abs(accuracy.absolute)
        .tol_gap_rel(accuracy.relative)
        .tol_feas(accuracy.absolute.clamp(1e-10, 1e-8))
        .build()
        .expect("settings within their ranges");
    let cones = [SupportedConeT::NonnegativeConeT(offsets.len())];
    let mut solver =
        DefaultSolver::new(&quadratic, &cost, &constraints, &offsets, &cones, settings)
            .expect("a program of consistent sizes");
    solver.solve();
    let x = &solver.solution.x;
    let motion = (0..bodies).map(|i| super::inequalities::block(x, width, i)).collect();
    Solution {
        motion,
        multipliers: solver.solution.z[..program.half_spaces.len()].to_vec(),
        left_to_gain: (solver.solution.obj_val - solver.solution.obj_val_dual).abs(),
        iterations: solver.solution.iterations as usize,
        converged: solver.solution.status == SolverStatus::Solved,
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{TIGHT, program, program_with_l1};
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
            absolute: Vec::new(),
            half_spaces: program
                .half_spaces
                .iter()
                .map(|row| HalfSpace { b: row.a + n, ..*row })
                .collect(),
            boxes: (program.boxes.iter().map(|b| positive(b.high)))
                .chain(program.boxes.iter().map(|b| positive(-b.low)))
                .collect(),
        }
    }
}
