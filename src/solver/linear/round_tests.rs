//! Programs with round cones: closed forms, and polygons inside and around the cones.

use super::{Cheapest, Column, End, Optimum};
use crate::math::Random;

fn solved(program: &Cheapest) -> Optimum {
    match program.solve() {
        End::Solved(optimum) => optimum,
        End::Open(optimum) => panic!("{optimum:?}"),
    }
}

/// The least of `a x1 + b x2` on the circle of radius 1 is minus the length of `(a, b)`.
#[test]
fn the_lowest_point_of_a_circle() {
    for (a, b) in [(1.0, 0.0), (0.3, -0.4), (-2.0, 5.0)] {
        let program = Cheapest {
            rows: 1,
            columns: vec![vec![(0, 1.0)], vec![], vec![]],
            costs: vec![0.0, a, b],
            cones: vec![0],
            right: vec![1.0],
            ..Cheapest::default()
        };
        let optimum = solved(&program);
        let least = -f64::hypot(a, b);
        assert!((optimum.cost - least).abs() < 1e-7 && (optimum.bound - least).abs() < 1e-7);
    }
}

/// Random cones beside single columns: the cost is between those with polygons around and inside, and near
/// both; what costs more than nothing missing is proved by prices.
#[test]
fn between_polygons() {
    let random = &mut Random::new(5);
    for trial in 0..40 {
        let rows = 4 + trial % 7;
        let mut column =
            |_| -> Column { (0..rows as u32).map(|row| (row, random.normal())).collect() };
        let cones: Vec<[Column; 3]> = (0..rows).map(|_| [0; 3].map(&mut column)).collect();
        let right: Vec<f64> = column(0).into_iter().map(|(_, x)| x).collect();
        // What is missing has a price, so that there is always an answer.
        let help = (0..rows as u32).flat_map(|row| [vec![(row, 1.0)], vec![(row, -1.0)]]);
        let mut round = Cheapest { rows, right, ..Cheapest::default() };
        for cone in &cones {
            round.cones.push(round.columns.len());
            round.columns.extend(cone.iter().cloned());
            round.costs.extend([0.0; 3]);
        }
        round.columns.extend(help.clone());
        round.costs.extend(vec![1.0; 2 * rows]);
        let polygons = |larger: f64| {
            let mut program = Cheapest { rows, right: round.right.clone(), ..Cheapest::default() };
            for cone in &cones {
                for k in 0..SIDES {
                    let (sin, cos) = (std::f64::consts::TAU * k as f64 / SIDES as f64).sin_cos();
                    let part = |k: usize| {
                        cone[0][k].1 + larger * (cos * cone[1][k].1 + sin * cone[2][k].1)
                    };
                    program.columns.push((0..rows).map(|k| (k as u32, part(k))).collect());
                    program.costs.push(0.0);
                }
            }
            program.columns.extend(help.clone());
            program.costs.extend(vec![1.0; 2 * rows]);
            solved(&program).cost
        };
        let (inside, around) =
            (polygons(1.0), polygons((std::f64::consts::PI / SIDES as f64).cos().recip()));
        let optimum = solved(&round);
        assert!(optimum.cost - optimum.bound < 1e-6, "{trial}: {optimum:?}");
        assert!(around - 1e-7 < optimum.cost && optimum.cost < inside + 1e-7, "{trial}");
        assert!(inside - around < 1e-3 * (1.0 + inside), "{trial}: {around} {inside}");
    }
}

const SIDES: usize = 256;
