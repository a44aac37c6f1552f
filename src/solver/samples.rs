//! Random programs for the tests of the solvers, and what is known of their
//! optima without solving them.

use super::{Accuracy, FIXED, HalfSpace, MotionBox, Program};
#[cfg(feature = "clarabel")]
use super::{Ceiling, Rope, Tie};
use crate::math::{DMat3, DVec3, Random};

pub const TIGHT: Accuracy = Accuracy { relative: 0.0, absolute: 2e-8, max_iterations: 100 };

/// A point of the cube from -1 to 1 (of the square, if `width` is 2).
pub fn vector(random: &mut Random, width: usize) -> DVec3 {
    let mut number = || random.between(-1.0, 1.0);
    DVec3::new(number(), number(), if width == 3 { number() } else { 0.0 })
}

pub fn unit(random: &mut Random, width: usize) -> DVec3 {
    loop {
        if let Some(unit) = vector(random, width).try_normalize() {
            return unit;
        }
    }
}

/// Orthonormal axes; in 2D they stay in the plane.
pub fn axes(random: &mut Random, width: usize) -> DMat3 {
    let first = unit(random, width);
    let second = match width {
        2 => DVec3::new(-first.y, first.x, 0.0),
        _ => first.any_orthonormal_vector(),
    };
    DMat3::from_cols(first, second, first.cross(second))
}

/// A few bodies, some half-spaces among them and against what is fixed, many
/// of them touching, and a turned box around each body. The origin is
/// feasible, and some motion has room on all sides.
pub fn program(seed: u64) -> Program {
    let random = &mut Random::new(seed);
    let width = 2 + (random.next_u64() % 2) as usize;
    let bodies = 1 + random.next_u64() % 6;
    let open: Vec<DVec3> = (0..bodies).map(|_| vector(random, width)).collect();
    let rows = random.next_u64() % (4 * bodies);
    let proximal = [0.0, 1e-3, 0.1][(random.next_u64() % 3) as usize];
    Program {
        width,
        cost: (0..bodies).map(|_| vector(random, width)).collect(),
        proximal: vec![proximal; bodies as usize],
        half_spaces: (0..rows).map(|_| half_space(random, width, &open)).collect(),
        boxes: (0..bodies).map(|_| reach(random, width)).collect(),
        ..Default::default()
    }
}

/// A half-space that the motion `open` does not leave.
fn half_space(random: &mut Random, width: usize, open: &[DVec3]) -> HalfSpace {
    let a = (random.next_u64() % open.len() as u64) as u32;
    let b = Some((random.next_u64() % open.len() as u64) as u32).filter(|b| *b != a);
    let (b, gap) = (b.unwrap_or(FIXED), random.between(-0.5, 0.5).max(0.0));
    let row = |normal: DVec3| HalfSpace { a, b, normal, gap };
    let opens = |row: &HalfSpace| row.value(open) - gap > 0.1;
    (0..100).map(|_| row(unit(random, width))).find(opens).unwrap_or(row(DVec3::ZERO))
}

fn reach(random: &mut Random, width: usize) -> MotionBox {
    let low = DVec3::new(random.unit(), random.unit(), random.unit()) - 1.05;
    MotionBox { axes: axes(random, width), low, high: DVec3::splat(random.between(0.05, 1.0)) }
}

/// The same with quadratic terms, piecewise linear ones and ropes, slack and nearly taut.
#[cfg(feature = "clarabel")]
pub fn program_with_forces(seed: u64) -> Program {
    let mut program = program(seed);
    let random = &mut Random::stream(seed, 2);
    let (width, n) = (program.width, program.cost.len() as u64);
    let ends = |random: &mut Random| {
        let a = (random.next_u64() % n) as u32;
        let b = Some((random.next_u64() % n) as u32).filter(|b| *b != a);
        (a, b.unwrap_or(FIXED))
    };
    for _ in 0..random.next_u64() % (2 * n) {
        let (a, b) = ends(random);
        let (v, stiffness) = (vector(random, width), random.between(0.0, 3.0));
        let block = DMat3::from_cols(v * v.x, v * v.y, v * v.z) + DMat3::IDENTITY * stiffness;
        program.ties.push(Tie { a, b, block });
    }
    for _ in 0..random.next_u64() % (2 * n) {
        let (a, b) = ends(random);
        let mut piece = |k: usize| (vector(random, width), -0.2 * k as f64);
        program.ceilings.push(Ceiling { a, b, pieces: (0..4).map(&mut piece).collect() });
    }
    for _ in 0..random.next_u64() % (2 * n) {
        let (a, b) = ends(random);
        // At least as long as two bodies of half the widest reach are apart.
        let vector = unit(random, width) * random.between(2.0, 4.0);
        let slack = random.between(-0.3, 0.5).max(0.0);
        let length = vector.length() * (1.0 + slack) + 1e-3;
        program.ropes.push(Rope { a, b, vector, length, tolerance: 1e-9 });
    }
    program
}

/// The same with an l1 term and boxes parallel to the axes.
pub fn program_with_l1(seed: u64) -> Program {
    let mut program = program(seed);
    let random = &mut Random::stream(seed, 1);
    program.absolute = program.cost.iter().map(|_| random.between(0.0, 0.6)).collect();
    program.boxes.iter_mut().for_each(|b| b.axes = DMat3::IDENTITY);
    program
}

/// What the objective cannot fall below, from multipliers alone (weak duality):
/// the least value of `objective - multipliers . half-spaces` over the boxes,
/// which falls apart into one small question per axis of each box. With an l1
/// term, the boxes must be parallel to the axes.
pub fn lower_bound(program: &Program, multipliers: &[f64]) -> f64 {
    let mut slope = program.cost.clone();
    let mut bound = 0.0;
    for (row, &force) in program.half_spaces.iter().zip(multipliers) {
        assert!(force >= 0.0, "a multiplier is {force}");
        slope[row.a as usize] -= row.normal * force;
        if row.b != FIXED {
            slope[row.b as usize] += row.normal * force;
        }
        bound -= force * row.gap;
    }
    for (i, b) in program.boxes.iter().enumerate() {
        let local = b.axes.transpose() * slope[i];
        let l1 = program.absolute.get(i).copied().unwrap_or(0.0);
        for k in 0..program.width {
            bound += least(local[k], program.proximal[i], l1, b.low[k], b.high[k]);
        }
    }
    bound
}

/// The least value of `slope x + proximal / 2 x^2 + l1 |x|` between `low <= 0` and `high >= 0`.
fn least(slope: f64, proximal: f64, l1: f64, low: f64, high: f64) -> f64 {
    let value = |x: f64| slope * x + 0.5 * proximal * x * x + l1 * x.abs();
    let mut candidates = vec![low, 0.0, high];
    if proximal > 0.0 {
        candidates.push(((-slope - l1) / proximal).clamp(0.0, high));
        candidates.push(((-slope + l1) / proximal).clamp(low, 0.0));
    }
    candidates.into_iter().map(value).fold(f64::INFINITY, f64::min)
}
