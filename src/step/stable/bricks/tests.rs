//! Structures whose answer is known by hand, and the ways of asking against each other.

use super::*;
use crate::math::{DQuat, Random};
use crate::shape::Shape;
use crate::world::{Model, Motion, Per, State, Strength, Weight};

/// Bricks as (x, y, layer, studs along x, along y, mass), on a plate, one cell wide and high.
pub(super) fn build(bricks: &[(i64, i64, i64, u32, u32, f64)], pull: f64) -> (Model, State) {
    let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
    model.strengths.push(Strength { pull, per: Per::Point, ..Strength::default() });
    let plate = Shape::brick([200, 200], 1.0, 1.0).unwrap();
    let at = DVec3::new(0.0, 0.0, -0.5);
    let ground = model.add(&mut state, plate, at, DQuat::IDENTITY, Weight::Mass(1.0)).unwrap();
    ground.motion = Motion::Fixed;
    for &(x, y, z, nx, ny, mass) in bricks {
        let middle = |low: i64, count: u32| low as f64 + 0.5 * f64::from(count);
        let at = DVec3::new(middle(x, nx), middle(y, ny), z as f64 + 0.5);
        let shape = Shape::brick([nx, ny], 1.0, 1.0).unwrap();
        model.add(&mut state, shape, at, DQuat::IDENTITY, Weight::Mass(mass)).unwrap();
    }
    (model, state)
}

fn ask(model: &Model, state: &State, prove: bool) -> Utilisation {
    let bricks = Bricks::new(model, state).unwrap().unwrap();
    bricks.utilisation(&bricks.weights(), prove)
}

/// A beam 1 x n on a foot of one stud: the outermost points of the stud are a quarter of a cell off
/// its middle, and the weight acts (n - 1) / 2 off it. The push acts at one of them, the pulls
/// at the three others: `m (n - 1) / 2 = push / 4 + (left + 0) T u`, all points pull alike.
#[test]
fn a_cantilever_by_hand() {
    for (n, mass) in [(2_u32, 0.1), (4, 0.1), (8, 0.05)] {
        let (model, state) = build(&[(0, 0, 0, 1, 1, 0.01), (0, 0, 1, n, 1, mass)], 1.0);
        let arm = 0.5 * f64::from(n - 1);
        // About the pushing point: weight (arm - 1/4) = u (1/4 + 1/4 + 1/2).
        let upper = (mass * (arm - 0.25)).max(0.0);
        // The foot's own stud bears the same moment and both weights.
        let foot = ((mass * (arm - 0.25) - 0.01 * 0.25) / 1.0).max(0.0);
        let found = ask(&model, &state, false);
        let wanted = upper.max(foot);
        assert!((found.least - wanted).abs() < 1e-8, "{n}: {} {wanted}", found.least);
        assert!(found.bounds[0] <= wanted + 1e-8 && found.bounds[1] >= wanted - 1e-8);
    }
}

/// The border itself is decided in whole numbers, and by a hair either way.
#[test]
fn the_border_is_decided_exactly() {
    // Weight 1/2 at arm 5/2 - 1/4 on pulls of arms 1/4, 1/4 and 1/2: 9/8 of T.
    for (pull, stands) in [(1.125, true), (1.125 - 1e-12, false), (1.125 + 1e-12, true)] {
        let (model, state) = build(&[(0, 0, 0, 1, 1, 0.01), (0, 0, 1, 6, 1, 0.5)], pull);
        let found = ask(&model, &state, false);
        assert_eq!((found.balance == Balance::Balanced, found.exact), (stands, true), "{pull:?}");
    }
}

/// What hangs in the air falls, and what stands without pulls needs none.
#[test]
fn floating_and_resting() {
    let (model, state) = build(&[(0, 0, 0, 2, 2, 1.0), (5, 5, 3, 2, 2, 1.0)], 1.0);
    let found = ask(&model, &state, false);
    assert_eq!((found.balance, &found.floating[..]), (Balance::Unbalanced, &[2][..]));
    assert_eq!(found.mechanism.unwrap()[2].0, DVec3::NEG_Z);
    let (model, state) = build(&[(0, 0, 0, 2, 4, 1.0), (0, 0, 1, 2, 4, 1.0)], 1.0);
    let found = ask(&model, &state, true);
    assert!(found.least < 1e-8 && found.balance == Balance::Balanced && found.exact);
}

/// What begins to fall: a brick in the air at 1 g; one on a single stud that pulls with all its
/// might while it tips about the far point of the stud; nothing where all is balanced.
#[test]
fn accelerations_by_hand() {
    let (model, state) = build(&[(0, 0, 0, 2, 2, 1.0), (5, 5, 3, 2, 2, 1.0)], 1.0);
    let fall = |model: &Model, state: &State| {
        let bricks = Bricks::new(model, state).unwrap().unwrap();
        bricks.begin_to_fall(&bricks.weights())
    };
    let found = fall(&model, &state);
    let (resting, falling) = (found.accelerations[1], found.accelerations[2]);
    assert!(found.residual < 1e-4, "{}", found.residual);
    let off = |v: DVec3, turn: DVec3| v.length().max(turn.length()) < found.residual;
    assert!(off(resting.0, resting.1) && off(falling.0 + DVec3::Z, falling.1), "{found:?}");
    // Weight 10 at arm 7/2 - 1/4 about the pushing point; pulls of 1 at arms 1/4, 1/4 and 1/2
    // resist. The lower face stays, as studs bear any force sideways.
    let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
    model.strengths.push(Strength { pull: 1.0, per: Per::Point, ..Strength::default() });
    for (count, x, z, motion) in [(1, 0.5, -0.5, Motion::Fixed), (8, 4.0, 0.5, Motion::Free)] {
        let shape = Shape::brick([count, 1], 1.0, 1.0).unwrap();
        let at = DVec3::new(x, 0.5, z);
        let body = model.add(&mut state, shape, at, DQuat::IDENTITY, Weight::Mass(10.0)).unwrap();
        body.motion = motion;
    }
    let found = fall(&model, &state);
    let inertia = model.bodies[1].inertia.y_axis.y + 10.0 * (3.25_f64.powi(2) + 0.25);
    let wanted = (10.0 * 3.25 - 1.0) / inertia;
    let (shift, turn) = found.accelerations[1];
    assert!((turn - DVec3::Y * wanted).length() < 1e-5, "{turn} {wanted}");
    // The point that pushes is below the middle and to its left.
    let arm = DVec3::new(3.25, 0.0, 0.5);
    assert!((shift - turn.cross(arm)).length() < 1e-5, "{shift} {}", turn.cross(arm));
}

/// Random structures: floating point and whole numbers agree, the mechanism lets the weights
/// fall and opens every contact, elastic forces balance, and extreme forces hold them between.
#[test]
fn ways_of_asking_agree() {
    for seed in 0..60 {
        let random = &mut Random::new(seed);
        let (model, state) = random_structure(random);
        let bricks = Bricks::new(&model, &state).unwrap().unwrap();
        let loads = bricks.weights();
        let found = bricks.utilisation(&loads, true);
        assert!(found.exact, "{seed}");
        assert_eq!(found.balance == Balance::Balanced, found.least <= 1.0, "{seed}");
        assert!(found.bounds[1] - found.bounds[0] < 1e-6, "{seed}: {:?}", found.bounds);
        let forces = bricks.elastic_forces(&loads);
        assert_eq!(forces.is_some(), found.balance == Balance::Balanced, "{seed}");
        if let Some(forces) = forces {
            let all = forces.iter().flatten().fold(f64::INFINITY, |low, f| f.min(low));
            assert!(all >= -0.3 - 1e-6, "{seed}: {all}");
            let contact = bricks.studs.len() / 2;
            let sum: f64 = forces[contact].iter().sum();
            let [low, high] = bricks.extreme_forces(&loads, contact).unwrap();
            assert!(low <= sum + 1e-6 && sum <= high + 1e-6, "{seed}: {low} {sum} {high}");
        }
        if let Some(mechanism) = found.mechanism {
            let work: f64 = loads.iter().zip(&mechanism).map(|(f, (v, _))| f.dot(*v)).sum();
            assert!(work > 0.0, "{seed}: {work}");
            for (contact, studs) in bricks.studs.iter().enumerate() {
                let at = |body: u32, point: DVec3| {
                    let (v, w) = mechanism[body as usize];
                    (v + w.cross(point - state.positions[body as usize])).z
                };
                for point in bricks.points(contact) {
                    let [upper, lower] = studs.bodies.map(|body| at(body, point));
                    assert!(upper - lower > -1e-6, "{seed}: {upper} {lower}");
                }
            }
        }
    }
}

/// Bricks on or under each other at random.
fn random_structure(random: &mut Random) -> (Model, State) {
    let mut bricks: Vec<(i64, i64, i64, u32, u32, f64)> = vec![(0, 0, 0, 2, 2, 0.01)];
    let mut below = |n: i64| (random.next_u64() % n as u64) as i64;
    while bricks.len() < 12 {
        let (x, y, z, nx, ny, _) = bricks[below(bricks.len() as i64) as usize];
        let (wide, long) = (1 + below(2), [1, 2, 4, 6][below(4) as usize]);
        let (a, b) = if below(2) == 0 { (wide, long) } else { (long, wide) };
        let (u, v) =
            (x - a + 1 + below(a + i64::from(nx) - 1), y - b + 1 + below(b + i64::from(ny) - 1));
        let w = z + 1 - 2 * i64::from(z > 0 && below(4) == 0);
        let is_free = |&(x, y, z, nx, ny, _): &(i64, i64, i64, u32, u32, f64)| {
            z != w || x >= u + a || u >= x + i64::from(nx) || y >= v + b || v >= y + i64::from(ny)
        };
        if bricks.iter().all(is_free) {
            bricks.push((u, v, w, a as u32, b as u32, 0.01 * (a * b) as f64));
        }
    }
    build(&bricks, 0.3)
}

/// What bricks cannot answer for is refused by name.
#[test]
fn refusals() {
    let refused = |change: &dyn Fn(&mut Model, &mut State)| {
        let (mut model, mut state) = build(&[(0, 0, 0, 2, 2, 1.0), (0, 0, 1, 2, 2, 1.0)], 1.0);
        change(&mut model, &mut state);
        Bricks::new(&model, &state).err().map(|problem| problem.message)
    };
    assert_eq!(refused(&|_, _| {}), None);
    let message = refused(&|_, state| state.positions[2].x += 0.3).unwrap();
    assert_eq!(message, "body 2 is off the grid of studs");
    let message = refused(&|_, state| state.positions[2].z -= 0.3).unwrap();
    assert_eq!(message, "the bricks 1 and 2 overlap");
    let message = refused(&|model, _| model.strengths.clear()).unwrap();
    assert_eq!(message, "nothing says what the studs hold");
    let message = refused(&|model, _| model.strengths[0].shear = Some(1.0)).unwrap();
    assert_eq!(message, "studs have a pull at each point, and bear any force sideways");
    let message = refused(&|_, state| state.rotations[2] = DQuat::from_rotation_x(0.1)).unwrap();
    assert_eq!(message, "body 2 is tilted");
}

/// What is known of one stage answers for the next without a program; programs say the same at every
/// stage, and of everything that is said to be held, or not to suffice.
#[test]
fn orders_told_without_programs_are_those_of_programs() {
    let (mut solved, mut told, mut held, mut lost) = (0, 0, 0, 0);
    for seed in 0..30 {
        let (model, state) = random_structure(&mut Random::new(seed));
        let bricks = Bricks::new(&model, &state).unwrap().unwrap();
        let loads = bricks.weights();
        let order = bricks.moving();
        for (count, step) in bricks.order(&loads, &order).iter().enumerate() {
            let there = |body: u32| body == 0 || order[..=count].contains(&body);
            let ask = |held: Option<u32>| {
                bricks.with(there, |body| Some(body) == held).utilisation(&loads, false)
            };
            let found = ask(None);
            assert_eq!(found.balance == Balance::Balanced, step.held == Held::Nothing, "{seed}");
            let [low, high] = step.utilisation;
            let (above, below) = (low < found.least + 1e-7, found.least < high + 1e-7);
            let is_same = low == found.least && low == high;
            assert!(is_same || (above && below), "{seed}: {low} {} {high}", found.least);
            if low == high {
                solved += 1
            } else {
                told += 1
            }
            match step.held {
                Held::Nothing => {}
                Held::Brick(body) => {
                    held += 1;
                    assert_eq!(ask(Some(body)).balance, Balance::Balanced, "{seed}: {body}");
                }
                Held::MoreThanOne => {
                    lost += 1;
                    let stands = |body: &&u32| ask(Some(**body)).balance == Balance::Balanced;
                    assert_eq!(order[..=count].iter().find(stands), None, "{seed}");
                }
            }
        }
    }
    assert!(solved > 50 && told > 50 && held > 10 && lost > 0, "{solved} {told} {held} {lost}");
}

/// A stair of wide bricks: which way it faces counts, as three points of a stud are not symmetric.
#[test]
fn which_way_a_structure_faces() {
    let step = |k: i64| (3 * k, 0, k, 4, 2, 0.1);
    let (model, state) = build(&[step(0), step(1), step(2)], 1.0);
    let bricks = Bricks::new(&model, &state).unwrap().unwrap();
    let used = |quarters| bricks.facing(quarters).utilisation(&bricks.weights(), false).least;
    let all = [0, 1, 2, 3].map(used);
    assert_eq!(all[0], bricks.utilisation(&bricks.weights(), false).least);
    assert!((all[0] / all[2] - 1.0).abs() > 0.01, "{all:?}");
}
