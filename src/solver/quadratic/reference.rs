//! The same question asked of Clarabel, a solver that nobody here wrote: for
//! tests and benchmarks.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT,
};

use super::{Answer, Demand, Quadratic};

/// Solves `program` with Clarabel; soft rows are not supported.
pub fn solve(program: &Quadratic) -> Answer {
    let (width, n) = (program.width, program.target.len());
    // Equations first, then inequalities, as Clarabel's cones want them.
    let is =
        |demand: Demand| (0..program.rows.len()).filter(move |&r| program.rows[r].demand == demand);
    let order: Vec<usize> = is(Demand::Equal).chain(is(Demand::AtLeast)).collect();
    assert_eq!(order.len(), program.rows.len(), "the reference solver has no soft rows");
    let equations = is(Demand::Equal).count();
    let (mut rows, mut columns, mut values, mut offsets) = (vec![], vec![], vec![], vec![]);
    for (at, &row) in order.iter().enumerate() {
        let row = &program.rows[row];
        for entry in &program.entries[row.first..row.end] {
            for k in 0..width {
                rows.push(at);
                columns.push(entry.block as usize * width + k);
                values.push(-entry.weights[k]);
            }
        }
        offsets.push(row.offset);
    }
    let constraints = CscMatrix::new_from_triplets(order.len(), n, rows, columns, values);
    let (mut rows, mut columns, mut values) = (vec![], vec![], vec![]);
    for (block, metric) in program.metric.chunks_exact(width * width).enumerate() {
        for k in 0..width {
            for l in k..width {
                rows.push(block * width + k);
                columns.push(block * width + l);
                values.push(metric[k * width + l]);
            }
        }
    }
    let metric = CscMatrix::new_from_triplets(n, n, rows, columns, values);
    let cost: Vec<f64> = program.times_metric(&program.target).iter().map(|x| -x).collect();
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-12)
        .tol_gap_rel(1e-12)
        .tol_feas(1e-12)
        .build()
        .expect("settings within their ranges");
    let cones = [
        SupportedConeT::ZeroConeT(equations),
        SupportedConeT::NonnegativeConeT(order.len() - equations),
    ];
    let mut solver = DefaultSolver::new(&metric, &cost, &constraints, &offsets, &cones, settings)
        .expect("a program of consistent sizes");
    solver.solve();
    let mut multipliers = vec![0.0; order.len()];
    for (at, &row) in order.iter().enumerate() {
        multipliers[row] = solver.solution.z[at];
    }
    Answer {
        x: solver.solution.x.clone(),
        multipliers,
        iterations: solver.solution.iterations as usize,
        converged: matches!(
            solver.solution.status,
            SolverStatus::Solved | SolverStatus::AlmostSolved
        ),
        ..Default::default()
    }
}
