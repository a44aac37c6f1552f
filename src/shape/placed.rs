//! A shape where its body is: rounded polytopes in the frame of the world, and how deep two such
//! lists overlap.

use super::{Piece, Polytope, Shape, closest};
use crate::math::{DQuat, DVec3};

/// A rounded polytope in the frame of the world.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Its corners are where they are.
    pub core: Polytope,
    /// Everything this near to the core belongs to it.
    pub radius: f64,
}

impl Shape {
    /// The pieces of a body that is here, turned like this; a polygon stays in its plane.
    pub fn placed(&self, position: DVec3, rotation: DQuat) -> Vec<Placed> {
        let place = |core: Polytope| match rotation == DQuat::IDENTITY {
            true => core.moved(position),
            false => core.placed(position, rotation),
        };
        let straight = self.pieces.iter().flat_map(Piece::straightened);
        straight.map(|p| Placed { core: place(p.polytope()), radius: p.radius }).collect()
    }
}

/// The deepest overlap of two lists of pieces, exact where there is one; a little below zero
/// means that they are apart by no more than that.
pub fn deepest(a: &[Placed], b: &[Placed]) -> f64 {
    let mut deepest = f64::NEG_INFINITY;
    for first in a {
        for second in b {
            let rounding = first.radius + second.radius;
            let apart = first.core.bounds().gap(&second.core.bounds());
            let room = match apart > rounding {
                true => apart,
                false => closest(&first.core, &second.core, DVec3::ZERO).room,
            };
            deepest = deepest.max(rounding - room);
        }
    }
    deepest
}
