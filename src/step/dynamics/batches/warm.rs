//! The warm start of a substep: the impulses of the last one, as far as they carried a load. A
//! load lasts, a blow does not, nor does what passes owe from before; to start from these throws
//! bodies back, and what passes leave of that is energy from nowhere. So a contact takes over no
//! more than it carried in the substep before as well (`Contact::keep_loads`), and an island no
//! more than does no work.

use super::Batches;
use crate::shape::UnionFind;
use crate::step::dynamics::bodies::{Bodies, Velocity};

/// An island that would be given less than this part of what its impulses move takes over all.
const NO_WORK: f64 = 1e-3;

/// The island of what does not move, or takes over all.
const NONE: usize = usize::MAX;

impl Batches {
    /// Starts from impulses of the last substep. Bodies had velocities `before` forces acted on
    /// them; those that are `sure` take over all.
    pub fn start(&mut self, bodies: &mut Bodies, before: &[Velocity], sure: &[bool]) {
        let islands = self.islands(bodies, sure);
        let keep = |batch: &mut super::Batch| batch.keep_loads(&islands);
        self.colours.iter_mut().flatten().for_each(keep);
        let without = bodies.velocities.clone();
        self.warm_start(&mut bodies.velocities);
        // What impulses do goes by the velocities half-way: to undo what forces did is no work.
        // A part `s` of them does `s (work - move) + s^2 move`, which is none at `1 - work / move`.
        let (mut work, mut moved) = (vec![0.0; islands.len()], vec![0.0; islands.len()]);
        for (i, &island) in islands.iter().enumerate().filter(|(_, island)| **island != NONE) {
            let (now, start) = (&bodies.velocities[i], &without[i]);
            let by = now.minus(start);
            if by == Velocity::default() {
                continue;
            }
            let kick = start.linear - before[i].linear;
            let undone = by.linear.dot(kick) / bodies.inverse[i].mass;
            work[island] += bodies.twice_energy(i, now) - bodies.twice_energy(i, start) - undone;
            moved[island] += bodies.twice_energy(i, &by);
        }
        let part = |(work, moved): (&f64, &f64)| match *work > NO_WORK * moved {
            true => (1.0 - work / moved).max(0.0),
            false => 1.0,
        };
        let parts: Vec<f64> = work.iter().zip(&moved).map(part).collect();
        if parts.iter().any(|part| *part < 1.0) {
            self.each(&mut bodies.velocities, false, |batch| {
                batch.scale(&islands, &parts);
                0.0
            });
        }
    }

    /// Of each body that moves: one number for all that contacts connect.
    fn islands(&self, bodies: &Bodies, sure: &[bool]) -> Vec<usize> {
        let moves = |i: usize| bodies.inverse[i].mass > 0.0 && !sure[i];
        let mut sets = UnionFind::new(sure.len());
        for (_, pair) in self.all().flat_map(|batch| batch.met()) {
            let [a, b] = pair.ends();
            if moves(a) && moves(b) {
                sets.union(a, b);
            }
        }
        (0..sure.len()).map(|i| if moves(i) { sets.find(i) } else { NONE }).collect()
    }
}
