//! A heap without a scene file: build a model in code, settle it, look at the proof.
//!
//!     cargo run --example settle_in_code

use riprap::{Boundary, DQuat, DVec3, Mesh, Model, Outcome, Random, Shape, State, Weight, record};

fn main() -> riprap::Result<()> {
    // What never changes (the model) and what does (the state) grow together, body by body.
    // z is up in space; without a method of its own, a model settles.
    let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());

    // The container: any closed mesh will do. Bodies are inside it.
    let vessel = Mesh::cuboid(DVec3::new(-2.0, -2.0, 0.0), DVec3::new(2.0, 2.0, 12.0));
    model.boundary = Boundary::from_mesh(&vessel);

    // Bodies can share a shape: an L of five cubes, and a wedge.
    let ell = Shape::cubes(&[[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [0, 2, 0]], 0.4)?;
    let wedge = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(1.0, 0.0, 0.3)];
    let shapes = [model.add_shape(ell), model.add_shape(Shape::hull(&wedge)?)];

    // All randomness comes from a seed, so that the heap is the same heap every time.
    let mut random = Random::new(7);
    for number in 0..12 {
        let (layer, x) = (number / 2, if number % 2 == 0 { -1.0 } else { 1.0 });
        let at = DVec3::new(x, random.between(-0.4, 0.4), 1.0 + 1.8 * layer as f64);
        let turn = DQuat::from_rotation_z(random.between(0.0, std::f64::consts::TAU));
        let shape = shapes[(layer + number) % 2];
        model.add_body(&mut state, shape, at, turn, Weight::Density(2.0))?;
    }
    // A ball on top.
    let top = DVec3::new(0.0, 0.0, 11.4);
    model.add(&mut state, Shape::ball(0.4), top, DQuat::IDENTITY, Weight::Mass(3.0))?;

    // Settle, in memory: every frame, and at the end the forces that hold the heap.
    let run = record(model, state, None)?;
    let (first, last) = (&run.frames[0], &run.frames[run.frames.len() - 1]);
    println!("{} bodies came down in {} steps", last.state.positions.len(), last.step);
    println!("energy {:.3} -> {:.3}", first.energy, last.energy);

    let ending = run.ending.expect("a run that was recorded has ended");
    println!("{} contacts carry them", ending.contacts.len());
    assert_eq!(ending.outcome, Outcome::Rest);
    let proof = ending.certificate.expect("a rest is proved");
    println!("forces balance to {:.0e} of a weight: {}", proof.residual, proof.verdict);
    assert!(proof.residual < 1e-6);
    Ok(())
}
