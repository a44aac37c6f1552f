//! The pile of scenes/pile.toml in rapier3d and in Riprap, step by step in one
//! process on one thread, so that both see the same machine. Prints CPU per step
//! and how good the piles are. Arguments: the number of steps (1000).
//!
//! `cargo run --release --manifest-path peers/Cargo.toml`

mod judge;

use cpu_time::ProcessTime;
use judge::{Seen, judge};
use rapier3d::prelude::{
    ColliderBuilder, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, Vector,
};
use riprap::math::{DQuat, DVec3, median};
use riprap::scene::gallery;
use riprap::shape::Core;
use riprap::step::dynamics::{Dynamics, Options};
use riprap::world::{Assembly, Part, Poses, build_assembly};

/// One engine at work.
struct Runner<'a> {
    name: String,
    step: Box<dyn FnMut() + 'a>,
    times: Vec<f64>,
}

fn is_cube(part: &Part) -> bool {
    matches!(part.pieces[0].core, Core::Box { .. })
}

fn vector(v: DVec3) -> Vector {
    Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

/// The same bodies for rapier; sleeping is off, so that every step is a step.
fn rapier(assembly: &Assembly, poses: &Poses, dt: f64) -> (PhysicsWorld, Vec<RigidBodyHandle>) {
    let mut world = PhysicsWorld { gravity: vector(assembly.gravity), ..Default::default() };
    world.integration_parameters.dt = dt as f32;
    let mut handles = Vec::new();
    for (i, part) in assembly.parts.iter().enumerate() {
        let piece = &part.pieces[0];
        let collider = match &piece.core {
            Core::Box { half } => {
                ColliderBuilder::cuboid(half.x as f32, half.y as f32, half.z as f32)
            }
            Core::Segment { half } => ColliderBuilder::capsule_z(*half as f32, piece.radius as f32),
            _ => ColliderBuilder::ball(piece.radius as f32),
        };
        let body = match part.is_free() {
            true => RigidBodyBuilder::dynamic().can_sleep(false),
            false => RigidBodyBuilder::fixed(),
        };
        let collider = collider.density(1000.0).friction(part.friction as f32);
        let body = body.translation(vector(poses.positions[i]));
        handles.push(world.insert(body, collider).0);
    }
    (world, handles)
}

fn seen_in_rapier(assembly: &Assembly, world: &PhysicsWorld, all: &[RigidBodyHandle]) -> Vec<Seen> {
    let seen = |i: usize| {
        let body = &world.bodies[all[i]];
        let (p, q, v) = (body.translation(), body.rotation(), body.linvel());
        let [x, y, z, w] = [q.x, q.y, q.z, q.w].map(f64::from);
        Seen {
            is_cube: is_cube(&assembly.parts[i]),
            at: DVec3::new(p.x.into(), p.y.into(), p.z.into()),
            turn: DQuat::from_xyzw(x, y, z, w).normalize(),
            velocity: DVec3::new(v.x.into(), v.y.into(), v.z.into()),
        }
    };
    assembly.free().map(seen).collect()
}

fn seen_here(assembly: &Assembly, poses: &Poses) -> Vec<Seen> {
    let seen = |i: usize| {
        // The frame of a body is that of its inertia; its piece knows the cube's own axes.
        let part = &assembly.parts[i];
        Seen {
            is_cube: is_cube(part),
            at: poses.positions[i],
            turn: poses.rotations[i] * part.pieces[0].turn,
            velocity: poses.velocities[i],
        }
    };
    assembly.free().map(seen).collect()
}

fn main() {
    let steps = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1000);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    pool.install(|| compare(steps));
}

fn compare(steps: usize) {
    let scene = gallery::scene("pile").expect("the gallery has a pile");
    let (model, start) = build_assembly(&scene).expect("the pile can be built");
    let assembly = &model.assembly;
    let mut smooth = assembly.clone();
    smooth.parts.iter_mut().for_each(|part| part.rolling = 0.0);
    let (mut world, handles) = rapier(assembly, &start, model.dynamics.time_step);
    let options = |sweeps: usize| Options { sweeps, ..model.dynamics };
    let variants = [
        ("riprap, as the scene says", assembly, model.dynamics),
        ("riprap, no rolling resistance", &smooth, model.dynamics),
        ("riprap, no rolling resistance, 4 sweeps", &smooth, options(4)),
    ];
    let mut ours: Vec<(Dynamics, Poses)> = variants
        .iter()
        .map(|(_, assembly, options)| (Dynamics::new(assembly, *options), start.clone()))
        .collect();
    {
        let mut runners = vec![Runner {
            name: "rapier3d 0.36.1".into(),
            step: Box::new(|| world.step()),
            times: Vec::new(),
        }];
        for ((name, ..), (dynamics, poses)) in variants.iter().zip(&mut ours) {
            let step = move || {
                dynamics.step(poses).expect("the pile stays in bounds");
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
        let first = settled(&runners[0].times);
        for Runner { name, times, .. } in &runners {
            let mean = times.iter().sum::<f64>() / times.len() as f64;
            println!(
                "{name:40} {:6.2} {:6.2} {mean:6.2}   {:.2} times rapier's once settled",
                settled(times),
                median(times.clone()),
                settled(times) / first
            );
        }
    }
    println!("after {steps} steps: overlaps in mm (deepest, median, into the ground), rms speed in mm/s");
    let mut all = vec![("rapier3d 0.36.1", seen_in_rapier(assembly, &world, &handles))];
    for ((name, assembly, _), (_, poses)) in variants.iter().zip(&ours) {
        all.push((name, seen_here(assembly, poses)));
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
