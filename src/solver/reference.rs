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
