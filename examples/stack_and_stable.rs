//! How far can a stack lean? Ask `stable`, and see how what leans too far begins to fall.
//!
//!     cargo run --example stack_and_stable

use riprap::{DQuat, DVec3, Model, Motion, Shape, State, Weight, stable};

/// A rectangle above the origin, which is the middle of its foot.
fn rectangle(width: f64, height: f64) -> riprap::Result<Shape> {
    let half = 0.5 * width;
    Shape::polygon(&[[-half, 0.0], [half, 0.0], [half, height], [-half, height]], &[])
}

/// Blocks of one by a half, each reaching `lean` beyond the one below, on the ground.
fn stack(count: usize, lean: f64) -> riprap::Result<(Model, State)> {
    // In the plane, y is up.
    let (mut model, mut state) = (Model::new(2, DVec3::new(0.0, -9.81, 0.0)), State::default());
    let (upright, density) = (DQuat::IDENTITY, Weight::Density(1000.0));
    let block = model.add_shape(rectangle(1.0, 0.5)?);
    for k in 0..count {
        let at = DVec3::new(lean * k as f64, 0.5 * k as f64, 0.0);
        model.add_body(&mut state, block, at, upright, density)?;
    }
    let below = DVec3::new(0.0, -1.0, 0.0);
    let ground = model.add(&mut state, rectangle(10.0, 1.0)?, below, upright, density)?;
    ground.motion = Motion::Fixed;
    // Level blocks need no friction; without it the answer is a proof of standing.
    model.bodies.iter_mut().for_each(|body| body.material.friction = 0.0);
    Ok((model, state))
}

fn main() -> riprap::Result<()> {
    // Of five blocks, the centre of the upper four is 2.5 leans beyond the lowest one's middle:
    // up to a lean of 0.2 it is above its edge.
    for lean in [0.1, 0.19, 0.21] {
        let (model, state) = stack(5, lean)?;
        let verdict = stable(&model, &state)?;
        if verdict.is_balanced() {
            let margin = verdict.margin.unwrap_or_default();
            let forces = verdict.forces.iter().map(|reaction| reaction.contact.force.length());
            println!("lean {lean}: it stands; every weight may shift by {margin:.3} widths");
            println!(
                "  the strongest of the forces that prove it is {:.0}",
                forces.fold(0.0, f64::max)
            );
        } else {
            // How each body begins to move: an acceleration and an angular one.
            let (down, turn) = verdict.accelerations[4];
            println!("lean {lean}: it falls; the top at {:.2}, turning at {:.2}", down.y, turn.z);
        }
        assert_eq!(verdict.is_balanced(), lean < 0.2);
    }
    Ok(())
}
