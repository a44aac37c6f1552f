//! Threads in the mode default: distances of particles by XPBD [Macklin et al.
//! 2016], along the directions they had before the particles moved. With those
//! directions the projection is the SHAKE scheme, which keeps momentum and
//! angular momentum to the last digits.

use crate::math::DVec3;
use crate::world::{Assembly, ThreadKind};

/// A thread that turned by more than this within a substep (its cosine) takes the direction it
/// has now: the old one would hardly shorten it.
const TURNED: f64 = 0.3;

/// Particles counted from the first one.
#[derive(Clone, Copy, Debug)]
struct Thread {
    ends: [u32; 2],
    length: f64,
    compliance: f64,
    pushes_only: bool,
}

/// All threads of an assembly.
pub struct Threads {
    threads: Vec<Thread>,
    /// Along each thread at the start of the substep, from its second end to its first.
    directions: Vec<DVec3>,
    /// Displacement times mass; positive if it pulls.
    tensions: Vec<f64>,
}

impl Threads {
    pub fn new(assembly: &Assembly) -> Threads {
        let first = assembly.rigid_count() as u32;
        let all = assembly.cloths.iter().flat_map(|cloth| &cloth.threads);
        let threads: Vec<Thread> = all
            .map(|thread| Thread {
                ends: thread.ends.map(|end| end - first),
                length: thread.length,
                compliance: thread.compliance,
                pushes_only: thread.kind == ThreadKind::Bend,
            })
            .collect();
        Threads {
            directions: vec![DVec3::ZERO; threads.len()],
            tensions: vec![0.0; threads.len()],
            threads,
        }
    }

    /// Directions before the particles move.
    pub fn start(&mut self, x: &[DVec3]) {
        self.tensions.fill(0.0);
        for (thread, direction) in self.threads.iter().zip(&mut self.directions) {
            let [a, b] = thread.ends.map(|end| x[end as usize]);
            *direction = (a - b).normalize_or_zero();
        }
    }

    /// One pass, there or back: so that loads travel both ways.
    pub fn pass(&mut self, x: &mut [DVec3], w: &[f64], h: f64, back: bool) {
        let per_square = (h * h).recip();
        let count = self.threads.len();
        for k in 0..count {
            let k = if back { count - 1 - k } else { k };
            let thread = self.threads[k];
            let [a, b] = thread.ends.map(|end| end as usize);
            let apart = x[a] - x[b];
            let distance = apart.length();
            let off = distance - thread.length;
            let before = self.tensions[k];
            if thread.pushes_only && off >= 0.0 && before == 0.0 {
                continue;
            }
            let old = self.directions[k];
            let mut along = old.dot(apart);
            let mut direction = old;
            if along < TURNED * distance {
                direction = apart / distance.max(f64::MIN_POSITIVE);
                along = distance;
            }
            let give = thread.compliance * per_square;
            let answer = (w[a] + w[b]) * along + give * distance;
            if answer <= 0.0 {
                continue;
            }
            let mut tension = before + (off - give * before) * distance / answer;
            if thread.pushes_only {
                tension = tension.min(0.0);
            }
            self.tensions[k] = tension;
            let by = direction * (tension - before);
            x[a] -= by * w[a];
            x[b] += by * w[b];
        }
    }
}
