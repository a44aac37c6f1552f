//! Threads in the mode default: distances of particles by XPBD [Macklin et al.
//! 2016], along the directions they had before the particles moved. With those
//! directions the projection is the SHAKE scheme, which keeps momentum and
//! angular momentum to the last digits.

use crate::math::DVec3;
use crate::world::{self, Cloth, Model, ThreadKind};

/// A thread that turned by more than this within a substep (its cosine) takes the direction it
/// has now: the old one would hardly shorten it.
const TURNED: f64 = 0.3;

/// A thread that gives stretches by this part of what is allowed, and no farther.
const LIMIT: f64 = 0.8;

/// The part of what a thread that gives is too long by which a substep leaves.
const LEFT: f64 = 0.998;

/// Particles counted from the first one.
#[derive(Clone, Copy, Debug)]
struct Thread {
    /// In the order of the model.
    number: u32,
    a: u32,
    b: u32,
    length: f64,
    compliance: f64,
    pushes_only: bool,
    /// If it gives, up to this length.
    longest: f64,
}

/// All threads of a model.
pub struct Threads {
    threads: Vec<Thread>,
    /// Displacement times mass of this substep; positive if it pulls.
    tensions: Vec<f64>,
}

impl Threads {
    pub fn new(model: &Model) -> Threads {
        let first = model.rigid_count() as u32;
        let most = model.method.dynamics().mode.most_stretch();
        let all =
            model.cloths.iter().flat_map(|cloth| cloth.threads.iter().map(move |t| (cloth, t)));
        let longest = |cloth: &Cloth, thread: &world::Thread| match thread.kind {
            ThreadKind::Stretch => thread.length * (1.0 + LIMIT * cloth.most_stretch.min(most)),
            _ => f64::INFINITY,
        };
        let threads: Vec<Thread> = all
            .zip(0..)
            .map(|((cloth, thread), number)| Thread {
                longest: longest(cloth, thread),
                number,
                a: thread.ends[0] - first,
                b: thread.ends[1] - first,
                length: thread.length,
                compliance: thread.compliance,
                pushes_only: thread.kind == ThreadKind::Bend,
            })
            .collect();
        let threads = by_levels(threads, model.bodies.len() - first as usize);
        Threads { tensions: vec![0.0; threads.len()], threads }
    }

    /// Adds the impulses of a substep to those of the step, in the order of the model; positions
    /// were `start` before it.
    pub fn tell(&self, start: &[DVec3], h: f64, sums: &mut [f64]) {
        for (thread, tension) in self.threads.iter().zip(&self.tensions) {
            let (a, b) = (thread.a as usize, thread.b as usize);
            let unit = if thread.compliance > 0.0 { 1.0 } else { start[a].distance(start[b]) };
            sums[thread.number as usize] += tension * unit / h;
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.threads.len()
    }

    /// A new substep.
    pub fn start(&mut self) {
        self.tensions.fill(0.0);
    }

    /// One pass over positions that were `start` before the substep, there or back: so that
    /// loads travel both ways. The largest part of its length by which a thread changed.
    pub fn pass(&mut self, x: &mut [DVec3], start: &[DVec3], w: &[f64], h: f64, back: bool) -> f64 {
        let per_square = (h * h).recip();
        let all = self.threads.iter().zip(&mut self.tensions);
        let mut change = 0.0_f64;
        let each = |(thread, tension): (&Thread, &mut f64)| {
            change = change.max(thread.solve(tension, x, start, w, per_square));
        };
        match back {
            false => all.for_each(each),
            true => all.rev().for_each(each),
        }
        change
    }

    /// What threads that give have stored.
    pub fn energy(&self, x: &[DVec3]) -> f64 {
        let stored = self.threads.iter().filter(|thread| thread.compliance > 0.0).map(|thread| {
            let longer = x[thread.a as usize].distance(x[thread.b as usize]) - thread.length;
            let held = if thread.pushes_only { longer.min(0.0) } else { longer };
            held * held / (2.0 * thread.compliance)
        });
        stored.sum()
    }

    /// Takes a part of the speed away at which the ends of threads leave or approach each other;
    /// `start` are the directions in which tensions are told.
    pub fn damp(
        &mut self,
        x: &[DVec3],
        start: &[DVec3],
        v: &mut [DVec3],
        w: &[f64],
        h: f64,
        part: f64,
    ) {
        for (thread, tension) in self.threads.iter().zip(&mut self.tensions) {
            let (a, b) = (thread.a as usize, thread.b as usize);
            let Some(along) = (x[a] - x[b]).try_normalize() else { continue };
            let give = w[a] + w[b];
            if give == 0.0 || thread.pushes_only {
                continue;
            }
            let by = part * along.dot(v[a] - v[b]) / give;
            v[a] -= along * (by * w[a]);
            v[b] += along * (by * w[b]);
            let unit = if thread.compliance > 0.0 { 1.0 } else { start[a].distance(start[b]) };
            if unit > 0.0 {
                *tension += by * h / unit;
            }
        }
    }
}

/// Another order with the same results: a thread comes after all that shared a particle with it
/// before, but no later than it must. So neighbours in the list share none, and the processor
/// need not wait for the one before.
fn by_levels(threads: Vec<Thread>, particles: usize) -> Vec<Thread> {
    let mut level_of = vec![0_u32; particles];
    let level = |thread: &Thread| {
        let (a, b) = (thread.a as usize, thread.b as usize);
        let level = level_of[a].max(level_of[b]) + 1;
        (level_of[a], level_of[b]) = (level, level);
        level
    };
    let levels: Vec<u32> = threads.iter().map(level).collect();
    let mut order: Vec<usize> = (0..threads.len()).collect();
    order.sort_by_key(|&k| levels[k]);
    order.into_iter().map(|k| threads[k]).collect()
}

impl Thread {
    /// The part of its length by which it changes.
    #[inline(always)]
    fn solve(
        &self,
        tension: &mut f64,
        x: &mut [DVec3],
        start: &[DVec3],
        w: &[f64],
        per_square: f64,
    ) -> f64 {
        let (a, b) = (self.a as usize, self.b as usize);
        let apart = x[a] - x[b];
        let square = apart.length_squared();
        if self.pushes_only && *tension == 0.0 && square >= self.length * self.length {
            return 0.0;
        }
        let distance = square.sqrt();
        let mut direction = start[a] - start[b];
        let before = direction.length();
        let mut along = direction.dot(apart);
        if along < TURNED * distance * self.length {
            (direction, along) = (apart, square);
        }
        let give = self.compliance * per_square;
        // Displacements go along the direction as it is; forces are along its unit vector.
        let unit = if give > 0.0 { direction.length() } else { 1.0 };
        let inverse_mass = (w[a] + w[b]) * along + give * distance * unit;
        if inverse_mass <= 0.0 {
            return 0.0;
        }
        let mut off = distance - self.length - give * *tension;
        if give == 0.0 {
            // What is too long or too short already may stay so: velocities that take it back would
            // be energy.
            off = distance - distance.clamp(self.length.min(before), self.length.max(before));
        }
        let mut by = off * distance / inverse_mass;
        if give > 0.0 && w[a] + w[b] > 0.0 {
            // It pulls harder than a spring if it would get too long.
            let left = self.longest + LEFT * (before - self.longest).max(0.0);
            let beyond = distance - left;
            by = by.max(beyond * distance / ((w[a] + w[b]) * along));
        }
        if self.pushes_only {
            by = by.min(-*tension / unit);
        }
        *tension += by * unit;
        x[a] -= direction * (by * w[a]);
        x[b] += direction * (by * w[b]);
        (by * along * (w[a] + w[b]) / (distance * self.length)).abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Fabric, Pattern, State};

    #[test]
    fn levels_share_no_particle_and_keep_the_order_of_those_that_do() {
        let (mut model, mut state) = (Model::new(3, DVec3::ZERO), State::default());
        model.add_cloth(&mut state, &Pattern::grid([1.0, 1.0], [9, 7]), &Fabric::default());
        let cloth = &model.cloths[0];
        let before: Vec<[u32; 2]> = cloth.threads.iter().map(|thread| thread.ends).collect();
        let threads = Threads::new(&model).threads;
        let after: Vec<[u32; 2]> = threads.iter().map(|t| [t.a, t.b]).collect();
        for particle in 0..63 {
            let of = |all: &[[u32; 2]]| -> Vec<[u32; 2]> {
                all.iter().copied().filter(|ends| ends.contains(&particle)).collect()
            };
            assert_eq!(of(&before), of(&after));
        }
        let alone = after.windows(2).filter(|two| !two[0].iter().any(|p| two[1].contains(p)));
        assert!(alone.count() > after.len() / 2);
    }
}
