//! Who may push whom: bodies that joints, cloth or ties join, and bodies that touch
//! or come near each other. What is in one island may share momentum and corrections.

use crate::shape::UnionFind;
use crate::world::{Model, State};

/// Bodies nearer than this part of their radius may push each other.
const CLEAR: f64 = 0.1;

/// The bodies of a model in groups, each named by one of its members.
pub(super) struct Islands {
    pub of: Vec<usize>,
}

impl Islands {
    /// Joined by joints, threads and ties; `near` are pairs of bodies that may push each other.
    pub fn new(model: &Model, near: impl IntoIterator<Item = [usize; 2]>) -> Islands {
        let mut groups = UnionFind::new(model.bodies.len());
        // What does not move passes nothing on.
        let mut join = |a: usize, b: usize| {
            if model.bodies[a].is_free() && model.bodies[b].is_free() {
                groups.union(a, b);
            }
        };
        near.into_iter().for_each(|[a, b]| join(a, b));
        let mut ends = Vec::new();
        let joints = model.joints.iter().map(|joint| joint.bodies);
        let ties = model.attachments.iter().map(|tie| [Some(tie.particle), tie.to]);
        for pair in joints.chain(ties) {
            if let [Some(a), Some(b)] = pair {
                ends.push([a as usize, b as usize]);
            }
        }
        let threads = model.cloths.iter().flat_map(|cloth| &cloth.threads);
        ends.extend(threads.map(|thread| thread.ends.map(|end| end as usize)));
        // Air, and what damps a cloth, reach all of it.
        for cloth in &model.cloths {
            let free: Vec<usize> =
                cloth.particles().filter(|&i| model.bodies[i].is_free()).collect();
            ends.extend(free.windows(2).map(|pair| [pair[0], pair[1]]));
        }
        ends.into_iter().for_each(|[a, b]| join(a, b));
        Islands { of: (0..model.bodies.len()).map(|i| groups.find(i)).collect() }
    }
}

/// How far bodies, in their spheres, may come from one state to the next.
pub(super) fn reaches(model: &Model, dt: f64, from: &State, to: &State) -> Vec<f64> {
    let way = |i: usize| from.positions[i].distance(to.positions[i]);
    let fall = |i: usize| model.pull(i).length() * dt * dt;
    let reach = |i: usize| model.bodies[i].radius * (1.0 + CLEAR) + 2.0 * way(i) + 2.0 * fall(i);
    (0..model.bodies.len()).map(reach).collect()
}

/// The pairs of bodies that may come near each other.
pub(super) fn near_on_way(from: &State, reach: &[f64]) -> Vec<[usize; 2]> {
    let low = |i: usize| from.positions[i].x - reach[i];
    let mut order: Vec<usize> = (0..reach.len()).collect();
    order.sort_by(|&i, &j| low(i).total_cmp(&low(j)));
    let (mut open, mut near): (Vec<usize>, Vec<[usize; 2]>) = (Vec::new(), Vec::new());
    for &i in &order {
        open.retain(|&j| from.positions[j].x + reach[j] >= low(i));
        let close =
            |j: &&usize| from.positions[i].distance(from.positions[**j]) < reach[i] + reach[**j];
        near.extend(open.iter().filter(close).map(|&j| [i, j]));
        open.push(i);
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DVec3;
    use crate::world::JointKind;

    #[test]
    fn islands_are_what_touches_or_is_joined() {
        let (mut model, mut state) = (Model::new(3, DVec3::ZERO), State::default());
        for x in [0.0, 2.0, 10.0, 20.0] {
            model.add_particle(&mut state, DVec3::X * x, 1.0, 1.0);
        }
        let near = near_on_way(&state, &reaches(&model, 0.01, &state, &state));
        assert_eq!(near, [[1, 0]]);
        let islands = Islands::new(&model, near);
        let same = |a: usize, b: usize| islands.of[a] == islands.of[b];
        assert!(same(0, 1) && !same(1, 2) && !same(2, 3));
        model.join(&state, JointKind::Ball, [Some(2), Some(3)], [DVec3::X; 2], [DVec3::Z; 2]);
        let islands = Islands::new(&model, [[0, 2]]);
        assert!(islands.of[2] == islands.of[3] && islands.of[0] == islands.of[3]);
        assert!(islands.of[1] != islands.of[0]);
    }
}
