//! What pushed whom in a step: the multipliers of its program as impulses, so
//! that others can check the balance of momentum.

use super::gauss::{Ends, Facets, Gauss};
use super::joints::Hold;
use crate::contact::Touch;
use crate::math::DVec3;
use crate::world::{Contact, With};

/// The impulses of a program whose rows are those of joints and touches, in this order.
pub(super) fn impulses(
    gauss: &Gauss,
    holds: &[Hold],
    (touches, facets): (&[Touch], &Facets),
    multipliers: &[f64],
    dt: f64,
) -> Vec<Contact> {
    let (model, mut rest) = (gauss.model, multipliers.iter());
    let mut impulse = |along: &[DVec3]| -> DVec3 {
        along.iter().zip(&mut rest).map(|(d, m)| *d * (*m / dt)).sum()
    };
    let mut all = Vec::new();
    for (number, (joint, hold)) in model.joints.iter().zip(holds).enumerate() {
        let ends = Ends::of_joint(joint, gauss.state);
        let along = hold.directions(model.dimension, &ends);
        let force = impulse(&along);
        let normal = match hold {
            Hold::Pin => force.normalize_or_zero(), // its points coincide
            Hold::Bar(_) => along[0].normalize_or_zero(),
        };
        all.push(Contact {
            body: joint.bodies[0].unwrap_or_default(),
            with: With::Joint(number as u32),
            pieces: [0; 2],
            at: ends.at,
            normal,
            force,
            couples: [DVec3::ZERO; 2],
            choice: false,
        });
    }
    for (index, touch) in touches.iter().enumerate() {
        all.push(Contact {
            body: touch.key.body,
            with: touch.key.with,
            pieces: touch.key.pieces,
            at: opposite(gauss, touch),
            normal: touch.normal,
            force: impulse(&facets.pushes(index, touch)),
            couples: [DVec3::ZERO; 2],
            choice: false,
        });
    }
    all.retain(|contact| contact.force != DVec3::ZERO);
    all
}

/// The points of a touch. Where on a side that nothing moves it acts is without effect: opposite
/// the point of the other one.
fn opposite(gauss: &Gauss, touch: &Touch) -> [DVec3; 2] {
    let [one, two] = touch.at;
    let aside = (one - two) - touch.normal * touch.normal.dot(one - two);
    let moves = touch.bodies().map(|body| body.is_some_and(|b| gauss.blocks[b as usize].is_some()));
    match moves {
        [true, true] => [one, two],
        [true, false] => [one, two + aside],
        _ => [one - aside, two],
    }
}
