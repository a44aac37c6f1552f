//! A door on a hinge with a motor, stepped by hand: kick it, put a ball in its way and take it
//! out again, read the contacts, cast a ray.
//!
//!     cargo run --example hinge_by_hand

use riprap::{
    Contact, DQuat, DVec3, DynamicsOptions, JointKind, Method, Model, Motion, Motor, Progress,
    Shape, State, Stepper, Weight, With, stepper,
};

const FLOOR: u32 = 0;
const DOOR: usize = 1;

/// Makes some steps; what touches in the last of them.
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
    model.method = Method::Dynamics(DynamicsOptions::default()); // steps of 0.01
    let (upright, density) = (DQuat::IDENTITY, Weight::Density(500.0));
    let floor = Shape::cuboid(DVec3::new(8.0, 8.0, 1.0))?;
    let below = DVec3::new(0.0, 0.0, -0.5);
    model.add(&mut state, floor, below, upright, density)?.motion = Motion::Fixed;
    // The door hangs from the world, a little above the floor, and swings about the z axis.
    let door = Shape::cuboid(DVec3::new(1.0, 0.05, 2.0))?;
    model.add(&mut state, door, DVec3::new(0.5, 0.0, 1.1), upright, density)?;
    let (at, axis) = (DVec3::new(0.0, 0.0, 1.1), DVec3::Z);
    let hinge = model.join(&state, JointKind::Hinge, [Some(1), None], [at; 2], [axis; 2]);
    hinge.motor = Some(Motor { speed: 1.0, most: Some(50.0) });

    // Half a second: the motor brings the door up to one radian per second. (The clock would feed
    // a table of times; this one stands still.)
    let mut alone = stepper(&model.clone().into(), &state, None, || 0.0)?;
    go(&mut *alone, &mut state, 50)?;
    println!("after half a second the door turns at {:.3} rad/s", state.spins[DOOR].z);
    assert!((state.spins[DOOR].z - 1.0).abs() < 0.01);

    // An impulse is a change of velocities between two steps. The motor brakes the door again.
    state.spins[DOOR].z += 2.0;
    go(&mut *alone, &mut state, 50)?;
    println!("half a second after the kick it turns at {:.3} rad/s", state.spins[DOOR].z);
    assert!(state.spins[DOOR].z > 0.5 && state.spins[DOOR].z < 2.9);

    // A ball in the door's way: a new body is a new model, and so a new stepper.
    let ahead = state.rotations[DOOR] * DVec3::new(0.0, 0.6, 0.0);
    let place = ahead + state.positions[DOOR].with_z(0.2);
    model.add(&mut state, Shape::ball(0.2), place, upright, Weight::Mass(0.5))?;
    let ball = model.bodies.len() - 1;

    // A ray from the ball to the door says how much room is left.
    let hit = model.cast_ray(&state, place - 0.21 * ahead.normalize(), -ahead);
    let hit = hit.expect("the door is there");
    println!("the door is {:.3} away", hit.distance);
    assert_eq!(hit.body, DOOR);

    let mut both = stepper(&model.clone().into(), &state, None, || 0.0)?;
    let mut struck = None;
    for step in 0..200 {
        let contacts = go(&mut *both, &mut state, 1)?;
        // Impulses of joints are among them, as `With::Joint`.
        let of_ball = |c: &&Contact| c.body as usize == ball || c.with == With::Body(ball as u32);
        let not_floor = |c: &&Contact| c.body != FLOOR && c.with != With::Body(FLOOR);
        if let Some(contact) = contacts.iter().filter(not_floor).find(of_ball) {
            struck = Some((step, contact.force.length()));
            break;
        }
    }
    let (step, impulse) = struck.expect("the door reaches the ball");
    println!("in step {step} it hits the ball, with an impulse of {impulse:.3}");
    let before = state.positions[ball];
    go(&mut *both, &mut state, 30)?;
    assert!(state.positions[ball].distance(before) > 0.05, "the ball rolls away");

    // Without the ball, the door is on its way again.
    model.remove(&mut state, ball)?;
    let mut alone = stepper(&model.into(), &state, None, || 0.0)?;
    go(&mut *alone, &mut state, 100)?;
    println!("a second later the door turns at {:.3} rad/s", state.spins[DOOR].z);
    assert!((state.spins[DOOR].z - 1.0).abs() < 0.01);
    Ok(())
}
