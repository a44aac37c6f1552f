//! Which bodies move as one.

use std::collections::BTreeMap;

use crate::shape::UnionFind;
use crate::world::{HeldPoints, Joint, Model, State};

/// The unknowns: one block for every free body, or for all that joints join.
pub struct Blocks {
    /// Per body; none for what is joined to something that does not move.
    pub of: Vec<Option<u32>>,
    pub count: usize,
}

impl Blocks {
    /// For motions that change the distance of two points by no more than `way`.
    pub fn new(model: &Model, state: &State, way: f64) -> Blocks {
        let world = model.bodies.len();
        let mut together = UnionFind::new(world + 1);
        for i in (0..world).filter(|&i| !model.bodies[i].is_free()) {
            together.union(i, world);
        }
        for joint in model.joints.iter().filter(|joint| holds(joint, state, way)) {
            let [a, b] = joint.bodies.map(|body| body.map_or(world, |body| body as usize));
            together.union(a, b);
        }
        let still = together.find(world);
        let mut numbers = BTreeMap::new();
        let number = |i: usize| {
            let root = together.find(i);
            let next = numbers.len() as u32;
            (root != still).then(|| *numbers.entry(root).or_insert(next))
        };
        let of: Vec<Option<u32>> = (0..world).map(number).collect();
        Blocks { of, count: numbers.len() }
    }
}

/// Whether a joint may feel a motion that does not turn its bodies: ropes that stay slack and
/// joints that hold angles only do not.
fn holds(joint: &Joint, state: &State, way: f64) -> bool {
    match joint.kind.holds().0 {
        HeldPoints::Free => false,
        HeldPoints::Apart { least, most } => {
            let [a, b] = joint.ends(state);
            let distance = a.distance(b);
            (least > 0.0 && distance - way < least) || distance + way > most
        }
        _ => true,
    }
}
