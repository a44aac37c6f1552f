use super::*;
use crate::math::Random;

/// A row of its body and its plane with random numbers, convex.
fn row(random: &mut Random, gap: f64) -> Row {
    let slope = std::array::from_fn(|_| random.between(-1.0, 1.0));
    let [x, y, z]: [f64; 3] = std::array::from_fn(|_| random.between(-0.5, 0.5));
    let levers = [0, 1].map(|_| std::array::from_fn(|_| random.between(-0.5, 0.5)));
    Row { gap, slope, turn: [x * x, x * y, y * y, x * z, y * z, z * z], levers }
}

/// Convex as well, as `cross^2 < along tilt`.
fn tilting(random: &mut Random) -> Tilting {
    let tangents = [0, 1].map(|_| std::array::from_fn(|_| random.between(-0.7, 0.7)));
    let [along, tilt] = [0, 1].map(|_| random.between(0.1, 0.5));
    let cross = random.between(-1.0, 1.0) * (along * tilt).sqrt();
    // A square is convex.
    let v: [f64; 5] = std::array::from_fn(|_| random.between(-0.5, 0.5));
    let square = (0..5).flat_map(|i| (0..=i).map(move |j| v[i] * v[j]));
    let mut rim = [0.0; OF_RIM];
    rim.iter_mut().zip(square).for_each(|(own, value)| *own = value);
    let rim = (random.unit() < 0.5).then_some(rim);
    Tilting { tangents, along, cross, tilt, rim }
}

fn random_program(random: &mut Random, bodies: u32, planes: u32, rows: u32) -> Program {
    let mut program = Program { proximal: [1e-3, 1e-3], ..Program::default() };
    for _ in 0..bodies {
        let mut cost = [0.0; OF_BODY];
        cost[2] = random.between(0.5, 2.0);
        program.bodies.push(Block { cost, reach: [0.5; OF_BODY] });
    }
    for plane in 0..planes {
        let first = random.next_u64() as u32 % bodies;
        let second = (first + 1 + random.next_u64() as u32 % (bodies - 1)) % bodies;
        let groups = program.groups.len() as u32;
        for body in [first, second] {
            let gap = |k: u32| if k == 0 { 0.0 } else { 0.2 };
            let rows = (0..rows).map(|k| row(random, gap(k))).collect();
            let tilting = tilting(random);
            program.groups.push(Group { body: Some(body), plane: Some(plane), tilting, rows });
        }
        program.planes.push(Plane { reach: [0.5; OF_PLANE], sides: [groups, groups + 1] });
    }
    let rows = vec![row(random, 0.0), row(random, 0.1)];
    program.groups.push(Group { body: Some(0), rows, ..Group::default() });
    program
}

const AIM: Aim = Aim { accuracy: 1e-8, violation: 1e-9, balance: 1e-6, reach: 0.5, iterations: 60 };

fn objective(program: &Program, answer: &Answer, x: &[[f64; OF_BODY]]) -> f64 {
    let linear = program.bodies.iter().zip(x).map(|(block, x)| {
        (0..OF_BODY).map(|k| block.cost[k] * x[k] + 0.5e-3 * x[k] * x[k]).sum::<f64>()
    });
    let planes = answer.y.iter().flatten().map(|y| 0.5e-3 * y * y);
    linear.sum::<f64>() + planes.sum::<f64>()
}

/// Rows hold, and no feasible point nearby is better: by convexity none is.
#[test]
fn answers_are_feasible_and_best() {
    let random = &mut Random::new(3);
    for _ in 0..20 {
        let program = random_program(random, 4, 5, 4);
        let answer = solve(&program, &AIM);
        assert!(answer.converged && answer.least > -1e-8, "{answer:?}");
        let value = objective(&program, &answer, &answer.x);
        assert!(value < 0.0, "{value}");
        // Any other point: the Lagrangian of the answer bounds it from below.
        for _ in 0..50 {
            let mut other = answer.clone();
            let mut nudge = |x: &mut f64| *x = (*x + random.between(-0.1, 0.1)).clamp(-0.5, 0.5);
            other.x.iter_mut().flatten().for_each(&mut nudge);
            other.y.iter_mut().flatten().for_each(&mut nudge);
            let mut least = f64::INFINITY;
            for group in &program.groups {
                let mut z = [0.0; OF_ROW];
                z[..OF_BODY].copy_from_slice(&other.x[group.body.unwrap() as usize]);
                if let Some(plane) = group.plane {
                    z[OF_BODY..].copy_from_slice(&other.y[plane as usize]);
                }
                least =
                    group.rows.iter().map(|row| group.tilting.at(row, &z).1).fold(least, f64::min);
            }
            let better = objective(&program, &other, &other.x) < value - 1e-6;
            assert!(least < 0.0 || !better, "{least}");
        }
    }
}

/// What has no reach does not move, and a body that does not move is no unknown.
#[test]
fn what_has_no_reach_stays() {
    let random = &mut Random::new(4);
    let mut program = random_program(random, 3, 3, 4);
    program.bodies[1].reach[4] = 0.0;
    program.planes[2].reach[3] = 0.0;
    program.groups[0].body = None;
    let answer = solve(&program, &AIM);
    assert!(answer.converged);
    assert_eq!((answer.x[1][4], answer.y[2][3]), (0.0, 0.0));
}

/// A weight on a support that only leans: the objective cannot fall, and the row carries it.
#[test]
fn a_row_carries_what_presses_on_it() {
    let mut slope = [0.0; OF_ROW];
    slope[2] = 1.0;
    let row = Row::new(0.0, slope);
    let mut block = Block { cost: [0.0; OF_BODY], reach: [1.0; OF_BODY] };
    block.cost[2] = 3.0;
    let group = Group { body: Some(0), rows: vec![row], ..Group::default() };
    let program = Program {
        bodies: vec![block],
        groups: vec![group],
        proximal: [1e-6; 2],
        ..Default::default()
    };
    let answer = solve(&program, &AIM);
    assert!(
        (answer.multipliers[0] - 3.0).abs() < 1e-6 && answer.x[0][2].abs() < 1e-7,
        "{answer:?}"
    );
}

/// A loaded row whose corner rises when it turns: the curvature is what is missing of it.
#[test]
fn curvature_is_that_of_loaded_rows() {
    let mut slope = [0.0; OF_ROW];
    slope[2] = 1.0;
    let row = Row { turn: [-0.5, 0.0, 0.25, 0.0, 0.0, 0.0], ..Row::new(0.0, slope) };
    let group = Group { body: Some(0), rows: vec![row], ..Group::default() };
    let block = Block { cost: [0.0; OF_BODY], reach: [1.0; OF_BODY] };
    let program = Program { bodies: vec![block], groups: vec![group], ..Default::default() };
    let answer = Answer { multipliers: vec![2.0], ..Answer::default() };
    let found = modes(&program, &answer, 1e-7).unwrap();
    assert_eq!((found.unknowns, found.margin), (6, 1.0));
    let expected = [-1.0, 0.0, 0.0, 0.0, 0.5];
    assert!(found.curvatures.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14));
    assert!(found.motions[0][0][3].abs() > 0.999);
}

/// Next to no reach, as at rest: rows get ever stiffer, and unknowns that no row holds are held by
/// next to nothing. What the gradient is off is still found to the last digits.
#[test]
fn stiff_rows_beside_loose_unknowns_cost_no_digits() {
    let random = &mut Random::new(5);
    for _ in 0..20 {
        let mut program = random_program(random, 4, 5, 4);
        program.proximal = [1e-4, 1e-3];
        program.bodies.iter_mut().for_each(|block| block.reach = [1e-6; OF_BODY]);
        program.planes.iter_mut().for_each(|plane| plane.reach = [1e-6; OF_PLANE]);
        let aim = Aim { accuracy: 1e-8, violation: 1e-13, balance: 1e-10, reach: 1e-6, ..AIM };
        let answer = solve(&program, &aim);
        assert!(answer.converged, "after {} iterations", answer.iterations);
    }
}

/// With the rows that are not in use at first the answer is that of all of them.
#[test]
fn rows_that_matter_are_taken_in() {
    let random = &mut Random::new(6);
    let mut left_out = 0;
    for _ in 0..10 {
        let mut program = random_program(random, 4, 5, 60);
        // Beyond what is in use at first.
        let rows = program.groups.iter_mut().flat_map(|group| &mut group.rows);
        rows.for_each(|row| row.gap *= 1.5);
        let answer = solve(&program, &AIM);
        assert!(answer.converged && answer.least > -1e-8, "{}", answer.least);
        assert_eq!(answer.multipliers.len(), program.row_count());
        // All rows are near for a search that begins with wider reaches.
        let whole = solve(&program, &Aim { reach: 5.0, accuracy: 1e-9, ..AIM });
        assert!(whole.multipliers.iter().all(|force| *force > 0.0));
        let values = [&whole, &answer].map(|answer| objective(&program, answer, &answer.x));
        assert!((values[0] - values[1]).abs() < 1e-6, "{values:?}");
        left_out += answer.multipliers.iter().filter(|force| **force == 0.0).count();
    }
    assert!(left_out > 1000, "{left_out}");
}

/// What rows bend by is written twice: as a matrix and along a motion.
#[test]
fn bends_are_the_second_derivative() {
    let random = &mut Random::new(7);
    let (row, mut law) = (row(random, 0.3), tilting(random));
    law.rim = Some(std::array::from_fn(|_| random.between(-1.0, 1.0)));
    let z: Slope = std::array::from_fn(|_| random.between(-1.0, 1.0));
    let bend = law.bend([(&row, 2.0)].into_iter());
    let (slope, value) = law.at(&row, &z);
    let bent: [f64; OF_ROW] =
        std::array::from_fn(|i| (0..OF_ROW).map(|j| 0.5 * bend[i][j] * z[j]).sum());
    for i in 0..OF_ROW {
        assert!((slope[i] - (row.slope[i] - bent[i])).abs() < 1e-14);
    }
    let expected: f64 = (0..OF_ROW).map(|i| (row.slope[i] - 0.5 * bent[i]) * z[i]).sum();
    assert!((value - row.gap - expected).abs() < 1e-14);
}

/// Where nothing can move there are no modes.
#[test]
fn nothing_has_no_modes() {
    let found = modes(&Program::default(), &Answer::default(), 1e-7).unwrap();
    assert_eq!((found.unknowns, found.curvatures.len()), (0, 0));
}
