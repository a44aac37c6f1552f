//! What pushed whom in a step: the multipliers of its program as impulses, so
//! that others can check the balance of momentum.

use super::gauss::{Gauss, axes, directions, friction};
use crate::contact::Touch;
use crate::math::DVec3;

/// An impulse between two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    pub bodies: [u32; 2],
    /// The points that push each other, where they are before the step.
    pub at: [DVec3; 2],
    /// On the first body; the second one gets the opposite.
    pub impulse: DVec3,
}

/// The impulses of a program whose rows are those of pins, bars and touches, in this order.
pub(super) fn pushes(gauss: &Gauss, touches: &[Touch], multipliers: &[f64], dt: f64) -> Vec<Push> {
    let tower = gauss.tower;
    let mut rest = multipliers.iter();
    let mut all = Vec::new();
    let mut add = |bodies: [u32; 2], at: [DVec3; 2], along: &[DVec3]| {
        let impulse: DVec3 = along.iter().zip(&mut rest).map(|(d, m)| *d * (*m / dt)).sum();
        if impulse != DVec3::ZERO {
            all.push(Push { bodies, at, impulse });
        }
    };
    for pin in &tower.pins {
        add(pin.bodies, gauss.ends(pin), axes(tower.dimension));
    }
    for bar in &tower.bars {
        let ends = gauss.ends(&bar.joint);
        add(bar.joint.bodies, ends, &[ends[0] - ends[1]]);
    }
    for touch in touches {
        let along = directions(tower.dimension, touch.normal, friction(tower, touch));
        add([touch.key.a, touch.key.b], [touch.at_a, touch.at_b], &along);
    }
    all
}
