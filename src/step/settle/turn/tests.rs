use super::apart::apart;
use super::rows::{Bends, Builder};
use super::*;
use crate::math::Random;
use crate::shape::{Boundary, Mesh, Polytope, Shape};
use crate::solver::planes::{OF_BODY, OF_PLANE};
use crate::world::Weight;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

fn vector(random: &mut Random) -> DVec3 {
    DVec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0))
}

/// A box, a hull, a capsule, a cylinder, round ones too, or a ball.
fn any_shape(random: &mut Random) -> Shape {
    match random.next_u64() % 6 {
        0 => Shape::cuboid(0.3 + vector(random).abs()).unwrap(),
        1 => Shape::capsule(random.between(0.1, 0.5), random.between(0.2, 1.5)).unwrap(),
        2 => Shape::ball(random.between(0.2, 0.8)),
        3 => Shape::cylinder(random.between(0.1, 0.8), random.between(0.2, 1.5)).unwrap(),
        4 => Shape::cylinder(0.4, 0.3).unwrap().rounded(0.1),
        _ => {
            let points: Vec<DVec3> = (0..8).map(|_| vector(random)).collect();
            Shape::hull(&points).unwrap()
        }
    }
}

/// Bodies that may turn, in a room.
fn model_of(shapes: Vec<(Shape, DVec3, DQuat)>, room: f64) -> (Model, State) {
    let (mut model, mut state) = (Model::new(3, -DVec3::Z), State::default());
    for (shape, at, turn) in shapes {
        let at = at + turn * shape.origin;
        let body = model.add(&mut state, shape, at, turn, Weight::Mass(1.0)).unwrap();
        body.turns = true;
    }
    let corner = DVec3::splat(room);
    model.boundary = Boundary::from_mesh(&Mesh::cuboid(DVec3::new(-room, -room, 0.0), corner));
    (model, state)
}

/// How far two bodies are apart.
fn distance(solids: &Solids, model: &Model, state: &State, [i, j]: [usize; 2]) -> f64 {
    let [a, b] = [i, j].map(|k| solids.placed(&model.bodies[k], state.rotations[k]));
    let offset = state.positions[i] - state.positions[j];
    let pairs = a.iter().flat_map(|one| b.iter().map(move |two| (one, two)));
    let apart = |(one, two): (&solids::Placed, &solids::Placed)| {
        apart(one, two, offset).room - one.radius - two.radius
    };
    pairs.map(apart).fold(f64::INFINITY, f64::min)
}

/// The least height of a body above a wall.
fn lowest(solids: &Solids, model: &Model, state: &State) -> f64 {
    let mut least = f64::INFINITY;
    for wall in &solids.walls {
        for (body, (at, turn)) in
            model.bodies.iter().zip(state.positions.iter().zip(&state.rotations))
        {
            for piece in solids.placed(body, *turn) {
                let low = -piece.support(-wall.normal) - piece.radius;
                least = least.min(low + at.dot(wall.normal) - wall.offset);
            }
        }
    }
    least
}

/// Random pairs, random motions within the reach that satisfy the rows: nothing overlaps at a
/// hundred moments of the motion, nor sticks out of the room; and staying put satisfies all rows.
#[test]
fn motions_that_satisfy_the_rows_never_overlap() {
    let random = &mut Random::new(11);
    let (mut tried, mut near) = (0, 0);
    while tried < 150 {
        let shapes = [any_shape(random), any_shape(random)];
        let turns = [0, 1].map(|_| DQuat::from_scaled_axis(3.0 * vector(random)));
        let place = DVec3::Z * random.between(1.0, 3.0) + 0.3 * vector(random);
        let away = vector(random).normalize();
        let [one, two] = shapes;
        let (mut model, mut state) =
            model_of(vec![(one, place, turns[0]), (two, place + 4.0 * away, turns[1])], 8.0);
        let solids = Solids::new(&model).unwrap();
        // Nearly touching, or a little apart.
        let gap = 10_f64.powf(random.between(-9.0, -0.5));
        for _ in 0..60 {
            let found = distance(&solids, &model, &state, [0, 1]);
            state.positions[1] -= (found - gap) * 0.9 * away;
        }
        let sticks_out = lowest(&solids, &model, &state) < 0.0;
        if distance(&solids, &model, &state, [0, 1]) <= 0.0 || sticks_out {
            continue;
        }
        tried += 1;
        model.bodies[1].turns = random.unit() < 0.9;
        let memory = Memory::new(2);
        let scale = 10_f64.powf(random.between(-2.0, 0.3));
        let builder = Builder {
            model: &model,
            solids: &solids,
            memory: &memory,
            scale,
            bends: Bends::Bound,
            ranges: None,
        };
        let setup = builder.build(&state);
        assert!(setup.program.groups.iter().flat_map(|g| &g.rows).all(|row| row.gap >= 0.0));
        let mut answer = Answer::default();
        let mut draw = |reach: f64| {
            let sign = if random.unit() < 0.3 { random.between(-1.0, 1.0).signum() } else { 0.0 };
            reach * if sign == 0.0 { random.between(-1.0, 1.0) } else { sign }
        };
        answer.x = setup.program.bodies.iter().map(|b| b.reach.map(&mut draw)).collect();
        answer.y = setup.program.planes.iter().map(|p| p.reach.map(&mut draw)).collect();
        let part = feasible_part(&setup, &answer);
        answer.x.iter_mut().flatten().for_each(|x: &mut f64| *x *= part);
        answer.y.iter_mut().flatten().for_each(|y: &mut f64| *y *= part);
        let motion = motion(&setup, &answer, solids.length);
        for k in 0..=100 {
            let t = f64::from(k) / 100.0;
            let some: Vec<[DVec3; 2]> = motion.iter().map(|m| m.map(|v| t * v)).collect();
            let then = moved(&state, &some);
            let apart = distance(&solids, &model, &then, [0, 1]);
            assert!(apart > -1e-13, "{apart} at {t}, gap {gap}, scale {scale}");
            near += usize::from(apart < 0.1 * gap.max(1e-3));
            let height = lowest(&solids, &model, &then);
            assert!(height > -1e-12, "{height} at {t}");
        }
    }
    // Not all of them were far from doing harm.
    assert!(near > 300, "{near}");
}

/// The largest part of a random motion that satisfies all rows, found by halving.
fn feasible_part(setup: &Setup, answer: &Answer) -> f64 {
    let least = |part: f64| {
        let values = setup.program.groups.iter().flat_map(|group| {
            let z = answer.local(group).map(|value| part * value);
            group.rows.iter().map(move |row| group.tilting.at(row, &z).1)
        });
        values.fold(f64::INFINITY, f64::min)
    };
    let (mut low, mut high) = (0.0, 1.0);
    if least(1.0) >= 0.0 {
        return 1.0;
    }
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if least(middle) >= 0.0 { low = middle } else { high = middle }
    }
    low
}

/// The lowest curvatures of a body that stands on the floor, in weights times its own size: the
/// unit of turns is the distance of the farthest corner.
fn curvatures(shape: Shape, turn: DQuat) -> Vec<f64> {
    let down = turn.inverse() * -DVec3::Z;
    let low = -shape.pieces.iter().map(|piece| piece.support(down)).fold(0.0, f64::max);
    let (model, state) = model_of(vec![(shape, DVec3::new(0.0, 0.0, -low), turn)], 5.0);
    let mut turn = Turn::start(Arc::new(model), &state, None, || 0.0).unwrap();
    let mut held = turn.find(&state, FORCE_SCALE);
    balance(&held.setup.program, &mut held.answer, PRESSES);
    let balance = Balance::new(&turn.model, &turn.solids, &state, &held.setup, &held.answer);
    assert!(balance.residual < 1e-9, "{}", balance.residual);
    let curved = turn.rows(&state, FORCE_SCALE, Bends::Exact);
    let modes = modes(&curved.program, &held.answer, LOADED).unwrap();
    let unit = turn.solids.length;
    modes.curvatures.iter().map(|value| value / unit).collect()
}

#[test]
fn curvatures_of_what_balances_are_those_of_the_drawing_board() {
    let cube = || Shape::cuboid(DVec3::ONE).unwrap();
    let close = |found: &[f64], expected: &[f64]| {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < 1e-6, "{found:?} instead of {expected:?}");
        }
    };
    // The centre falls from half a diagonal; the turn counts in half a diagonal of the cube.
    let on_edge = -0.5_f64.sqrt() / 0.75;
    close(&curvatures(cube(), DQuat::from_rotation_x(FRAC_PI_4)), &[on_edge, 0.0, 0.0, 0.0]);
    let to_vertex = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::Z);
    let on_vertex = -0.75_f64.sqrt() / 0.75;
    close(&curvatures(cube(), to_vertex), &[on_vertex, on_vertex, 0.0, 0.0, 0.0]);
    close(&curvatures(cube(), DQuat::IDENTITY), &[0.0, 0.0, 0.0]);
    // An upright capsule: the centre is its half length above that of the round end.
    let capsule = Shape::capsule(0.25, 1.0).unwrap();
    close(&curvatures(capsule, DQuat::IDENTITY), &[-2.0, -2.0, 0.0, 0.0, 0.0]);
    // Lying, it rolls and slides.
    let capsule = Shape::capsule(0.25, 1.0).unwrap();
    close(&curvatures(capsule, DQuat::from_rotation_x(FRAC_PI_2)), &[0.0; 4]);
    // A tetrahedron on a vertex, of edge 1: the centre is as high as its corners are far.
    let corners = [[1., 1., 1.], [1., -1., -1.], [-1., 1., -1.], [-1., -1., 1.]];
    let points: Vec<DVec3> = corners.map(|c| DVec3::from(c) / 8_f64.sqrt()).to_vec();
    let tetrahedron = Shape::hull(&points).unwrap();
    let down = DQuat::from_rotation_arc(points[0].normalize(), -DVec3::Z);
    let arm = points[0].length();
    close(&curvatures(tetrahedron, down), &[-1.0 / arm, -1.0 / arm, 0.0, 0.0, 0.0]);
    // A pencil of six sides with a tip, on its tip and on its flat end.
    let hexagon = Polytope::prism(6, 0.1, 0.5);
    let mut points: Vec<DVec3> = hexagon.corners().to_vec();
    points.push(DVec3::new(0.0, 0.0, -0.8));
    let pencil = || Shape::hull(&points).unwrap();
    let core = pencil().pieces[0].polytope();
    let height = core.support(-DVec3::Z);
    let arm = core.corners().iter().map(|c| c.length()).fold(0.0, f64::max);
    let on_tip = -height / (arm * arm);
    close(&curvatures(pencil(), DQuat::IDENTITY), &[on_tip, on_tip, 0.0, 0.0, 0.0]);
    close(&curvatures(pencil(), DQuat::from_rotation_x(2.0 * FRAC_PI_2)), &[0.0; 3]);
    const { assert!(OF_BODY + OF_PLANE == 11) }
}

/// A coin that balances on a point of its rim falls over; on its whole rim it rolls, on its side it slides.
#[test]
fn a_coin_on_its_rim_falls_over_and_on_its_side_does_not() {
    let (radius, half) = (0.5, 0.05);
    let coin = || Shape::cylinder(radius, 2.0 * half).unwrap();
    // Turns count in the distance of the farthest corner of the prism around it.
    let outer = radius / (std::f64::consts::PI / crate::shape::CYLINDER_SIDES as f64).cos();
    let arm = outer.hypot(half);
    // Its middle straight above the lowest point of one rim: its height h, as it falls about the edge that
    // rolls, is that of a point on an arc about the lowest point.
    let (lean, height) = (half.atan2(radius), radius.hypot(half));
    let standing = curvatures(coin(), DQuat::from_rotation_x(FRAC_PI_2 + lean));
    assert_eq!(standing.len(), 5, "{standing:?}");
    // To fall aside it turns about the tangent of its rim: the height goes down as h (1 - t^2 / 2).
    assert!((standing[0] + height / (arm * arm)).abs() < 1e-6, "{standing:?}");
    assert!(standing[1..].iter().all(|value| value.abs() < 1e-6), "{standing:?}");
    // On both rims: rolling, spinning about the vertical, sliding both ways.
    let rolling = curvatures(coin(), DQuat::from_rotation_x(FRAC_PI_2));
    assert!(rolling.len() == 4 && rolling.iter().all(|value| value.abs() < 1e-6), "{rolling:?}");
    let lying = curvatures(coin(), DQuat::IDENTITY);
    assert!(lying.len() == 3 && lying.iter().all(|value| value.abs() < 1e-6), "{lying:?}");
}
