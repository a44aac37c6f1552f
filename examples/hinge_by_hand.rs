//! A door on a hinge with a motor, stepped by hand: change velocities between steps, add a body
//! between steps, read the contacts.
//!
//!     cargo run --example hinge_by_hand

use std::sync::Arc;

use riprap::math::{DQuat, DVec3};
use riprap::scene::DynamicsOptions;
use riprap::shape::Shape;
use riprap::step::{Progress, Stepper, stepper};
use riprap::world::{Contact, JointKind, Method, Model, Motion, Motor, State, Weight, With};

/// Ready to step. The clock would feed a table of times; this one stands still.
fn ready(model: &Model, state: &State) -> riprap::Result<Box<dyn Stepper>> {
    stepper(&Arc::new(model.clone()), state, None, || 0.0)
}

/// Makes some steps; what touches at the end of them.
fn go(stepper: &mut dyn Stepper, state: &mut State, steps: usize) -> riprap::Result<Vec<Contact>> {
    let mut contacts = Vec::new();
    for _ in 0..steps {
        if let Progress::Moved(moved) = stepper.step(state)? {
            contacts = moved.contacts;
        }
    }
    Ok(contacts)
}

fn main() -> riprap::Result<()> {
    let (mut model, mut state) = (Model::new(3, DVec3::new(0.0, 0.0, -9.81)), State::default());
    model.method = Method::Dynamics(DynamicsOptions::default());
    let (still, density) = (DQuat::IDENTITY, Weight::Density(500.0));
    let floor = Shape::cuboid(DVec3::new(8.0, 8.0, 1.0))?;
    model.add(&mut state, floor, DVec3::new(0.0, 0.0, -0.5), still, density)?.motion =
        Motion::Fixed;
    // The door hangs from the world, a little above the floor, and swings about the z axis.
    let door = Shape::cuboid(DVec3::new(1.0, 0.05, 2.0))?;
    model.add(&mut state, door, DVec3::new(0.5, 0.0, 1.1), still, density)?;
    let (at, axis) = (DVec3::new(0.0, 0.0, 1.1), DVec3::Z);
    let hinge = model.join(&state, JointKind::Hinge, [Some(1), None], [at; 2], [axis; 2]);
    hinge.motor = Some(Motor { speed: 1.0, most: Some(50.0) });

    // Half a second: the motor brings the door up to one radian per second.
    let mut door_alone = ready(&model, &state)?;
    go(&mut *door_alone, &mut state, 50)?;
    println!("after half a second the door turns at {:.3} rad/s", state.spins[1].z);
    assert!((state.spins[1].z - 1.0).abs() < 0.01);

    // A kick is a change of velocities between two steps. The motor brakes it.
    state.spins[1].z += 2.0;
    go(&mut *door_alone, &mut state, 50)?;
    println!("half a second after the kick it turns at {:.3} rad/s", state.spins[1].z);
    assert!(state.spins[1].z > 0.5 && state.spins[1].z < 2.9);

    // A ball in the door's way: a new body is a new model, and so a new stepper.
    let ahead = state.rotations[1] * DVec3::new(0.0, 0.6, 0.0);
    let place = ahead + state.positions[1].with_z(0.2);
    let ball = Shape::ball(0.2);
    model.add(&mut state, ball, place, still, Weight::Mass(0.5))?;
    let mut with_ball = ready(&model, &state)?;
    let mut hit = None;
    for step in 0..200 {
        let contacts = go(&mut *with_ball, &mut state, 1)?;
        // Impulses of joints are among them, as `With::Joint`.
        let both =
            |c: &&Contact| matches!((c.body, c.with), (1, With::Body(2)) | (2, With::Body(1)));
        if let Some(contact) = contacts.iter().find(both) {
            hit = Some((step, contact.force.length()));
            break;
        }
    }
    let (step, impulse) = hit.expect("the door reaches the ball");
    println!("in step {step} it hits the ball, with an impulse of {impulse:.3}");
    let before = state.positions[2];
    go(&mut *with_ball, &mut state, 30)?;
    assert!(state.positions[2].distance(before) > 0.05, "the ball rolls away");
    Ok(())
}
