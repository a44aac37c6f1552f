//! Multipliers at the point where a program starts: those of its answer belong to where it ends.

use super::system::System;
use super::{Answer, OF_ROW, Program};

/// Rounds of correction; each leaves a small part of the imbalance.
const ROUNDS: usize = 4;
/// What holds unknowns that no row holds.
const LOOSE: f64 = 1e-10;

/// Changes the multipliers of an answer, each by a small part of itself and none below zero, so
/// that they balance the costs at `z = 0`, for bodies and planes. Those below `loaded` become zero.
pub fn balance(program: &Program, answer: &mut Answer, loaded: f64) {
    let mut system = System::new(program);
    let forces = &mut answer.multipliers;
    forces.iter_mut().filter(|force| **force < loaded).for_each(|force| *force = 0.0);
    for _ in 0..ROUNDS {
        let mut left = system.cost.clone();
        let mut sums = Vec::with_capacity(program.groups.len());
        let mut first = 0;
        for group in &program.groups {
            let (mut pull, mut sum) = ([0.0; OF_ROW], [[0.0; OF_ROW]; OF_ROW]);
            let live = system.live(group);
            for (row, force) in group.rows.iter().zip(&forces[first..]) {
                let slope: [f64; OF_ROW] = std::array::from_fn(|k| live[k] * row.slope[k]);
                for i in 0..OF_ROW {
                    pull[i] -= force * slope[i];
                    (0..OF_ROW).for_each(|j| sum[i][j] += force * slope[i] * slope[j]);
                }
            }
            first += group.rows.len();
            system.scatter(group, &pull, &mut left);
            sums.push(sum);
        }
        system.hold(&mut left);
        let diagonal = vec![LOOSE; left.len()];
        let Some(planes) = system.factorise(sums, diagonal, |_| true) else { return };
        let step = system.solve(&planes, left);
        let mut first = 0;
        for group in &program.groups {
            let z = system.local(&step, group);
            for (row, force) in group.rows.iter().zip(&mut forces[first..]) {
                let along: f64 = (0..OF_ROW).map(|k| row.slope[k] * z[k]).sum();
                *force *= (1.0 + along).max(0.0);
            }
            first += group.rows.len();
        }
    }
}
