//! Every method gives the same answer, and the answer satisfies the optimality
//! conditions written down again here.

use super::*;
use crate::math::Random;

/// A random program: rows over one or two blocks, feasible at a random point;
/// some rows are there twice, as in stacks of bricks.
fn program(seed: u64, blocks: usize, equations: bool) -> Quadratic {
    let random = &mut Random::new(seed);
    let width = [2, 3, 6][seed as usize % 3];
    let mut program = Quadratic::new(width);
    let mut inside = Vec::new();
    for _ in 0..blocks {
        let lower: Vec<f64> = (0..width * width).map(|_| random.between(-0.5, 0.5)).collect();
        let mut metric = vec![0.0; width * width];
        for i in 0..width {
            for j in 0..width {
                let product: f64 =
                    (0..width).map(|k| lower[i * width + k] * lower[j * width + k]).sum();
                metric[i * width + j] = product + f64::from(u8::from(i == j));
            }
        }
        let target: Vec<f64> = (0..width).map(|_| random.between(-1.0, 1.0)).collect();
        program.add_block(&metric, &target);
        inside.extend((0..width).map(|_| random.between(-1.0, 1.0)));
    }
    for k in 0..3 * blocks {
        let a = (random.next_u64() % blocks as u64) as u32;
        let b = (random.next_u64() % blocks as u64) as u32;
        let mut part = || (0..width).map(|_| random.between(-1.0, 1.0)).collect::<Vec<f64>>();
        let (one, two) = (part(), part());
        let value =
            |block: u32, part: &[f64]| dot(part, &inside[block as usize * width..][..width]);
        let mut parts: Vec<(u32, &[f64])> = vec![(a, &one)];
        if a != b {
            parts.push((b, &two));
        }
        let at: f64 = parts.iter().map(|(block, part)| value(*block, part)).sum();
        let equal = equations && k < blocks / 2;
        let offset = if equal || k % 3 == 0 { -at } else { random.between(0.0, 0.5) - at };
        let demand = if equal { Demand::Equal } else { Demand::AtLeast };
        program.add_row(demand, offset, &parts);
        if k % 4 == 0 {
            program.add_row(demand, offset, &parts);
        }
    }
    program
}

#[track_caller]
fn check(program: &Quadratic, answer: &Answer, tolerance: f64) {
    let values = program.values(&answer.x);
    let away: Vec<f64> = answer.x.iter().zip(&program.target).map(|(x, t)| x - t).collect();
    let mut gradient = program.times_metric(&away);
    for (row, multiplier) in program.rows.iter().zip(&answer.multipliers) {
        for entry in &program.entries[row.first..row.end] {
            for k in 0..program.width {
                gradient[entry.block as usize * program.width + k] -= multiplier * entry.weights[k];
            }
        }
    }
    assert!(gradient.iter().all(|g| g.abs() < tolerance), "stationary");
    for (row, (value, multiplier)) in
        program.rows.iter().zip(values.iter().zip(&answer.multipliers))
    {
        match row.demand {
            Demand::Equal => assert!(value.abs() < tolerance, "{value}"),
            _ => {
                assert!(*value > -tolerance && *multiplier >= 0.0 && value * multiplier < tolerance)
            }
        }
    }
}

#[test]
fn small_programs_are_solved_to_the_last_digits() {
    for seed in 0..90 {
        let program = program(seed, 2 + seed as usize % 9, false);
        let cold = solve(&program, &[]);
        assert!(cold.converged && cold.residual.largest() < 1e-11, "seed {seed}");
        check(&program, &cold, 1e-10);
        let warm = solve(&program, &cold.multipliers);
        assert!(warm.iterations <= 2, "seed {seed}: {}", warm.iterations);
        let wild: Vec<f64> = cold.multipliers.iter().map(|m| 1.0 - m).collect();
        for other in [&warm, &solve(&program, &wild)] {
            check(&program, other, 1e-10);
            let apart = other.x.iter().zip(&cold.x).map(|(a, b)| (a - b).abs());
            assert!(apart.fold(0.0, f64::max) < 1e-9, "seed {seed}");
        }
    }
}

#[test]
fn equations_and_large_programs() {
    for seed in 0..30 {
        let program = program(seed, 4 + seed as usize % 9, true);
        let answer = solve(&program, &[]);
        assert!(answer.converged, "seed {seed}: {:?}", answer.residual);
        check(&program, &answer, 1e-8);
    }
    for seed in 0..6 {
        let program = program(seed, 200, false);
        let answer = solve(&program, &[]);
        assert!(answer.converged && answer.iterations < 60, "seed {seed}: {:?}", answer.residual);
        check(&program, &answer, 1e-8);
        // A start that misleads does no harm.
        let wild: Vec<f64> = answer.multipliers.iter().map(|m| 1e3 - 1e6 * m).collect();
        let answer = solve(&program, &wild);
        assert!(answer.converged, "seed {seed}: {:?}", answer.residual);
        check(&program, &answer, 1e-8);
    }
}

#[test]
fn a_soft_row_is_a_spring() {
    let mut program = Quadratic::new(1);
    program.add_block(&[2.0], &[0.0]);
    program.add_row(Demand::Soft(6.0), -4.0, &[(0, &[1.0])]);
    let answer = solve(&program, &[]);
    assert!((answer.x[0] - 3.0).abs() < 1e-12, "{:?}", answer.x);
    assert!((program.objective(&[3.0]) - 12.0).abs() < 1e-12);
}

#[test]
fn no_rows_and_no_way_out() {
    let mut program = Quadratic::new(1);
    program.add_block(&[1.0], &[5.0]);
    assert_eq!(solve(&program, &[]).x, [5.0]);
    program.add_row(Demand::AtLeast, -1.0, &[(0, &[1.0])]);
    program.add_row(Demand::AtLeast, 0.0, &[(0, &[-1.0])]);
    assert!(!solve(&program, &[]).converged, "1 <= x <= 0");
}

#[cfg(feature = "clarabel")]
#[test]
fn two_solvers_agree() {
    let mut compared = 0;
    for seed in 0..60 {
        let program = program(seed, 3 + seed as usize % 20, seed % 2 == 1);
        let (ours, theirs) = (solve(&program, &[]), reference::solve(&program));
        assert!(ours.converged, "seed {seed}");
        if !theirs.converged {
            continue; // it does not manage every one of them
        }
        compared += 1;
        let apart = ours.x.iter().zip(&theirs.x).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f64::max) < 1e-5, "seed {seed}");
    }
    assert!(compared > 50, "{compared} of 60");
}

/// What a warm start leaves open is in the rows, not in the balance.
#[test]
fn multipliers_explain_the_answer() {
    for seed in 0..40 {
        let program = program(seed, 130 + seed as usize, seed % 2 == 1);
        let answer = solve(&program, &[]);
        let away: Vec<f64> = answer.x.iter().zip(&program.target).map(|(x, t)| x - t).collect();
        let mut left = program.times_metric(&away);
        for (row, multiplier) in program.rows.iter().zip(&answer.multipliers) {
            for entry in &program.entries[row.first..row.end] {
                let at = entry.block as usize * program.width;
                let part = left[at..at + program.width].iter_mut().zip(&entry.weights);
                part.for_each(|(left, weight)| *left -= multiplier * weight);
            }
        }
        let largest = left.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        assert!(largest < 1e-11, "seed {seed}: {largest:e}");
    }
}
