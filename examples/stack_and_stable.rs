//! How far can a stack lean? Ask `stable`, and see how what is too far begins to fall.
//!
//!     cargo run --example stack_and_stable

use riprap::math::{DQuat, DVec3};
use riprap::shape::Shape;
use riprap::step::stable::stable;
use riprap::world::{Model, Motion, State, Weight};

/// Blocks of one by a half, each reaching `lean` beyond the one below, on the ground.
fn stack(count: usize, lean: f64) -> riprap::Result<(Model, State)> {
    // In the plane, y is up.
    let (mut model, mut state) = (Model::new(2, DVec3::new(0.0, -9.81, 0.0)), State::default());
    let block = [[-0.5, 0.0], [0.5, 0.0], [0.5, 0.5], [-0.5, 0.5]];
    let block = model.add_shape(Shape::polygon(&block, &[])?);
    for k in 0..count {
        // A place is that of the origin of the shape as it is written: here the foot's middle.
        let at = DVec3::new(lean * k as f64, 0.5 * k as f64, 0.0);
        let body =
            model.add_body(&mut state, block, at, DQuat::IDENTITY, Weight::Density(1000.0))?;
        // Level blocks need no friction; without it the answer is a proof of standing.
        body.material.friction = 0.0;
    }
    let ground = [[-5.0, -1.0], [5.0, -1.0], [5.0, 0.0], [-5.0, 0.0]];
    let ground = Shape::polygon(&ground, &[])?;
    let ground =
        model.add(&mut state, ground, DVec3::ZERO, DQuat::IDENTITY, Weight::Density(1.0))?;
    ground.motion = Motion::Fixed;
    ground.material.friction = 0.0;
    Ok((model, state))
}

fn main() -> riprap::Result<()> {
    // Of five blocks, the centre of the upper four is 2.5 leans beyond the lowest one's middle:
    // up to a lean of 0.2 it is above its edge.
    for lean in [0.1, 0.19, 0.21] {
        let (model, state) = stack(5, lean)?;
        let verdict = stable(&model, &state)?;
        if verdict.balanced {
            let margin = verdict.margin.unwrap_or_default();
            let strongest = verdict.forces.iter().map(|f| f.contact.force.length());
            let strongest = strongest.fold(0.0, f64::max);
            println!("lean {lean}: it stands; every weight may shift by {margin:.3} widths");
            println!("  the strongest of the forces that prove it is {strongest:.0}");
        } else {
            // How each body begins to move: an acceleration and an angular one.
            let (down, turn) = verdict.accelerations[4];
            println!("lean {lean}: it falls; the top at {:.2}, turning at {:.2}", down.y, turn.z);
        }
        assert_eq!(verdict.balanced, lean < 0.2);
    }
    Ok(())
}
