//! The pile of scenes/pile.toml in rapier3d and in Riprap, step by step in one
//! process on one thread, so that both see the same machine. Prints CPU per step
//! and how good the piles are. Arguments: the number of steps (1000), and how many of our
//! variants take part (all).
//!
//! `cargo run --release --manifest-path peers/Cargo.toml`

mod judge;

use std::sync::Arc;

use cpu_time::ProcessTime;
use judge::{Seen, judge};
use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, Vector};
use riprap::math::{DQuat, DVec3, median};
use riprap::scene::{DynamicsOptions, gallery};
use riprap::shape::{Core, Piece};
use riprap::step::{Stepper, stepper};
use riprap::world::{Method, Model, State, build};

/// One engine at work.
struct Runner<'a> {
    name: String,
    step: Box<dyn FnMut() + 'a>,
    times: Vec<f64>,
}

/// The one piece that every body of the pile has.
fn piece(model: &Model, body: usize) -> &Piece {
    &model.shape(body).pieces[0]
}

/// Half the size of a body that is a box.
fn half_size(model: &Model, body: usize) -> Option<DVec3> {
    match &piece(model, body).core {
        Core::Polytope(core) => core.half_size(),
        _ => None,
    }
}

fn vector(v: DVec3) -> Vector {
    Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

/// The same bodies for rapier; sleeping is off, so that every step is a step.
fn rapier(model: &Model, state: &State, dt: f64) -> (PhysicsWorld, Vec<RigidBodyHandle>) {
    let mut world = PhysicsWorld { gravity: vector(model.gravity), ..Default::default() };
    world.integration_parameters.dt = dt as f32;
    let mut handles = Vec::new();
    for (i, body) in model.bodies.iter().enumerate() {
        let piece = piece(model, i);
        let collider = match (half_size(model, i), &piece.core) {
            (Some(half), _) => ColliderBuilder::cuboid(half.x as f32, half.y as f32, half.z as f32),
            (None, Core::Segment { half }) => {
                ColliderBuilder::capsule_z(*half as f32, piece.radius as f32)
            }
            _ => ColliderBuilder::ball(piece.radius as f32),
        };
        let builder = match body.is_free() {
            true => RigidBodyBuilder::dynamic().can_sleep(false),
            false => RigidBodyBuilder::fixed(),
        };
        let collider = collider.density(1000.0).friction(body.material.friction as f32);
        let builder = builder.translation(vector(state.positions[i]));
        handles.push(world.insert(builder, collider).0);
    }
    (world, handles)
}

fn seen_in_rapier(model: &Model, world: &PhysicsWorld, all: &[RigidBodyHandle]) -> Vec<Seen> {
    let seen = |i: usize| {
        let body = &world.bodies[all[i]];
        let (p, q, v) = (body.translation(), body.rotation(), body.linvel());
        let [x, y, z, w] = [q.x, q.y, q.z, q.w].map(f64::from);
        Seen {
            is_cube: half_size(model, i).is_some(),
            at: DVec3::new(p.x.into(), p.y.into(), p.z.into()),
            turn: DQuat::from_xyzw(x, y, z, w).normalize(),
            velocity: DVec3::new(v.x.into(), v.y.into(), v.z.into()),
        }
    };
    model.free().map(seen).collect()
}

fn seen_here(model: &Model, state: &State) -> Vec<Seen> {
    let seen = |i: usize| Seen {
        is_cube: half_size(model, i).is_some(),
        at: state.positions[i],
        turn: state.rotations[i],
        velocity: state.velocities[i],
    };
    model.free().map(seen).collect()
}

fn main() {
    let number = |k: usize| std::env::args().nth(k).and_then(|n| n.parse().ok());
    let (steps, most) = (number(1).unwrap_or(1000), number(2).unwrap_or(usize::MAX));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    pool.install(|| compare(steps, most));
}

fn compare(steps: usize, most: usize) {
    let scene = gallery::scene("pile").expect("the gallery has a pile");
    let (model, start) = build(&scene).expect("the pile can be built");
    let options = model.method.dynamics();
    let mut smooth = model.clone();
    smooth.bodies.iter_mut().for_each(|body| body.material.rolling = 0.0);
    let few = DynamicsOptions { substeps: 4, sweeps: 2, ..options };
    let quick = Model { method: Method::Dynamics(few), ..model.clone() };
    let (mut world, handles) = rapier(&model, &start, options.time_step);
    let variants = [
        ("riprap, as the scene says", model.clone()),
        ("riprap, no rolling resistance", smooth),
        ("riprap, 4 substeps of 2 sweeps", quick),
    ];
    let ready = |model: &Model| -> (Box<dyn Stepper>, State) {
        let ready = stepper(&Arc::new(model.clone()), &start, None, || 0.0);
        (ready.expect("the pile can start"), start.clone())
    };
    let mut ours: Vec<(Box<dyn Stepper>, State)> =
        variants.iter().take(most).map(|(_, model)| ready(model)).collect();
    {
        let mut runners = vec![Runner {
            name: "rapier3d 0.36.1".into(),
            step: Box::new(|| world.step()),
            times: Vec::new(),
        }];
        for ((name, _), (dynamics, state)) in variants.iter().zip(&mut ours) {
            let step = move || {
                dynamics.step(state).expect("the pile stays in bounds");
            };
            runners.push(Runner { name: (*name).into(), step: Box::new(step), times: Vec::new() });
        }
        for _ in 0..steps {
            for runner in &mut runners {
                let before = ProcessTime::now();
                (runner.step)();
                runner.times.push(before.elapsed().as_secs_f64() * 1e3);
            }
        }
        println!("CPU ms per step, one thread: median of the last fifth, median and mean of all");
        let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
        let first = (settled(&runners[0].times), mean(&runners[0].times));
        for Runner { name, times, .. } in &runners {
            println!(
                "{name:40} {:6.2} {:6.2} {:6.2}   {:.2} times rapier's once settled, {:.2} in the mean",
                settled(times),
                median(times.clone()),
                mean(times),
                settled(times) / first.0,
                mean(times) / first.1
            );
        }
    }
    println!(
        "after {steps} steps: overlaps in mm (deepest, median, into the ground), rms speed in mm/s"
    );
    let mut all = vec![("rapier3d 0.36.1", seen_in_rapier(&model, &world, &handles))];
    for ((name, model), (_, state)) in variants.iter().zip(&ours) {
        all.push((name, seen_here(model, state)));
    }
    for (name, seen) in all {
        let report = judge(&seen);
        println!(
            "{name:40} {:8.4} {:8.4} {:8.4}  {:8.3}   {} pairs touch",
            1e3 * report.deepest,
            1e3 * report.median,
            1e3 * report.ground,
            1e3 * report.speed,
            report.touching
        );
    }
}

/// The median of the last fifth.
fn settled(times: &[f64]) -> f64 {
    median(times[times.len() * 4 / 5..].to_vec())
}
