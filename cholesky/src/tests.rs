//! Against a dense Cholesky factorisation, and against itself on other threads.

use super::dense::{LANES, Lane, eliminate, triangle};
use super::*;
use glam::DMat3;
use proptest::prelude::*;

/// Marsaglia's xorshift: all that these tests need of chance.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed | 1)
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}

fn vector(random: &mut Random) -> DVec3 {
    let mut number = || random.between(-1.0, 1.0);
    DVec3::new(number(), number(), number())
}

/// Nodes at random places, joined with those nearby and a few far away, each row of
/// `1 + sum v v^T` over its two blocks; and the same matrix, dense.
fn sample(
    width: usize,
    nodes: usize,
    random: &mut Random,
) -> (BlockMatrix, Vec<Vec<f64>>, Vec<DVec3>) {
    let places: Vec<DVec3> = (0..nodes).map(|_| vector(random)).collect();
    let near = 2.6 / (nodes as f64).cbrt();
    let mut edges = Vec::new();
    for a in 0..nodes {
        let close = (0..a).filter(|&b| places[a].distance(places[b]) < near);
        edges.extend(close.map(|b| (a as u32, b as u32)));
        if a > 0 && random.unit() < 0.05 {
            edges.push((a as u32, (random.next_u64() % a as u64) as u32));
        }
    }
    let mut matrix = BlockMatrix::new(width, nodes, edges.iter().copied());
    let mut dense = vec![vec![0.0; nodes * width]; nodes * width];
    for (i, row) in dense.iter_mut().enumerate() {
        row[i] = 1.0;
        matrix.add_number(
            (i as u32 / width as u32, i % width),
            (i as u32 / width as u32, i % width),
            1.0,
        );
    }
    for (a, b) in edges {
        let unknowns: Vec<(u32, usize)> = (0..width).flat_map(|k| [(a, k), (b, k)]).collect();
        let row: Vec<f64> = unknowns.iter().map(|_| random.between(-3.0, 3.0)).collect();
        for (u, x) in unknowns.iter().zip(&row) {
            for (v, y) in unknowns.iter().zip(&row) {
                let at = |(node, k): (u32, usize)| node as usize * width + k;
                dense[at(*u)][at(*v)] += x * y;
                if (u.0, u.1) >= (v.0, v.1) {
                    matrix.add_number(*u, *v, x * y);
                }
            }
        }
    }
    (matrix, dense, places)
}

/// Cholesky and substitution as in the textbook.
fn solve_dense(mut a: Vec<Vec<f64>>, mut x: Vec<f64>) -> Vec<f64> {
    let n = x.len();
    for j in 0..n {
        for k in 0..j {
            let factor = a[j][k];
            (j..n).for_each(|i| a[i][j] -= a[i][k] * factor);
        }
        let pivot = a[j][j].sqrt();
        (j..n).for_each(|i| a[i][j] /= pivot);
    }
    for i in 0..n {
        (0..i).for_each(|k| x[i] -= a[i][k] * x[k]);
        x[i] /= a[i][i];
    }
    for i in (0..n).rev() {
        (i + 1..n).for_each(|k| x[i] -= a[k][i] * x[k]);
        x[i] /= a[i][i];
    }
    x
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn the_same_solution_as_by_a_dense_factor(
        width in prop::sample::select(vec![1_usize, 2, 3, 6]), nodes in 1..120_usize, seed: u64, placed: bool,
    ) {
        let random = &mut Random::new(seed);
        let (matrix, dense, places) = sample(width, nodes, random);
        let mut factor = Factor::new(&matrix, if placed { &places } else { &[] });
        for _ in 0..2 {
            let right: Vec<f64> = (0..nodes * width).map(|_| random.between(-1.0, 1.0)).collect();
            prop_assert!(factor.factorise(&matrix));
            let mut x = right.clone();
            factor.solve(&mut x);
            let expected = solve_dense(dense.clone(), right);
            for (found, x) in x.iter().zip(&expected) {
                prop_assert!((found - x).abs() < 1e-10, "{found} instead of {x}");
            }
        }
    }
}

/// Large enough that threads share the tree and the fronts.
#[test]
fn the_same_bits_on_any_number_of_threads() {
    let random = &mut Random::new(3);
    let (matrix, _, places) = sample(3, 700, random);
    let right: Vec<f64> = (0..2100).map(|_| random.between(-1.0, 1.0)).collect();
    let solve = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut factor = Factor::new(&matrix, &places);
            assert!(factor.tree.fronts.iter().any(|front| front.work > SHARED));
            assert!(factor.factorise(&matrix));
            let mut x = right.clone();
            factor.solve(&mut x);
            x
        })
    };
    let one = solve(1);
    assert!([2, 3, 4].iter().all(|&threads| solve(threads) == one));
}

/// Blocks and tiles change no bit: every number is one chain of operations.
#[test]
fn a_dense_front_has_the_bits_of_three_loops() {
    let random = &mut Random::new(5);
    for (columns, rows) in [(4, 0), (8, 4), (12, 20), (132, 16), (264, 24)] {
        let size = columns + rows;
        let mut a = vec![vec![0.0; size]; size];
        for (i, row) in a.iter_mut().enumerate() {
            row[..i].fill_with(|| random.between(-1.0, 1.0));
            row[i] = 2.0 * size as f64;
        }
        let strips = |from: usize, to: usize| (from..to).step_by(LANES);
        let lane = |a: &[Vec<f64>], row: usize, column: usize| -> Lane {
            std::array::from_fn(|l| a[row + l][column])
        };
        let mut panel: Vec<Lane> = strips(0, size)
            .flat_map(|row| (0..columns).map(move |column| (row, column)))
            .map(|(row, column)| lane(&a, row, column))
            .collect();
        let below = |row: usize| (columns..row + LANES).map(move |column| (row, column));
        let mut left: Vec<Lane> = strips(columns, size)
            .flat_map(below)
            .map(|(row, column)| lane(&a, row, column))
            .collect();
        assert!(eliminate(&mut panel, columns, &mut left));
        for j in 0..columns {
            a[j][j] = 1.0 / a[j][j].sqrt();
            (j + 1..size).for_each(|i| a[i][j] *= a[j][j]);
            for i in j + 1..size {
                (j + 1..=i).for_each(|k| a[i][k] = (-a[i][j]).mul_add(a[k][j], a[i][k]));
            }
        }
        for i in 0..size {
            for j in 0..=i {
                let found = match j < columns {
                    true => panel[i / LANES * columns + j][i % LANES],
                    false => left[triangle((i - columns) / LANES) + j - columns][i % LANES],
                };
                assert_eq!(found, a[i][j], "row {i}, column {j} of {columns} + {rows}");
            }
        }
    }
}

#[test]
fn what_is_not_positive_definite_is_refused() {
    let mut matrix = BlockMatrix::new(3, 2, [(1, 0)].into_iter());
    matrix.add_node(0, &DMat3::IDENTITY);
    matrix.add_node(1, &-DMat3::IDENTITY);
    let mut factor = Factor::new(&matrix, &[]);
    assert!(!factor.factorise(&matrix));
    for bad in [f64::NAN, f64::INFINITY] {
        matrix.clear();
        matrix.add_edge(0, 1, &DMat3::IDENTITY);
        matrix.add_node(1, &DMat3::from_diagonal(DVec3::splat(bad)));
        assert!(!factor.factorise(&matrix));
    }
}

#[test]
fn a_factor_is_used_again_for_other_values() {
    let mut matrix = BlockMatrix::new(2, 1, [].into_iter());
    let mut factor = Factor::new(&matrix, &[]);
    for scale in [1.0, 4.0] {
        matrix.clear();
        matrix.add_node(0, &(DMat3::IDENTITY * scale));
        assert!(factor.factorise(&matrix));
        let mut x = [8.0, -4.0];
        factor.solve(&mut x);
        assert_eq!(x, [8.0 / scale, -4.0 / scale]);
    }
}

#[test]
fn nothing_to_solve() {
    let matrix = BlockMatrix::new(3, 0, [].into_iter());
    let mut factor = Factor::new(&matrix, &[]);
    assert!(factor.factorise(&matrix));
    factor.solve(&mut []);
}
