//! Cloth as the paper has it [D14 7, after Müller et al. 2007]: threads, air and
//! attachments are projected one by one in the position passes, along the
//! gradients of the moment, and velocities take over every displacement at once.
//! Compliance, which the paper does not have, is that of XPBD; 0 is the paper.

use super::bodies::Bodies;
use super::connector::{Connector, inverse_effective_mass};
use super::pressure::{gradient, volume};
use super::trace::Impulse;
use crate::math::{DMat3, DVec3};
use crate::world::{Cloth, Thread, ThreadKind, Trace};

/// The multipliers of a step, in the order of cloths and their threads.
pub struct Multipliers {
    tensions: Vec<f64>,
    pressures: Vec<f64>,
    /// Of attachments, on their particles: as displacements times mass, and their moments.
    ties: Vec<Impulse>,
}

impl Multipliers {
    pub fn new(bodies: &Bodies) -> Multipliers {
        let cloths = &bodies.prepared.model.cloths;
        Multipliers {
            tensions: vec![0.0; cloths.iter().map(|cloth| cloth.threads.len()).sum()],
            pressures: vec![0.0; cloths.len()],
            ties: vec![Impulse::default(); bodies.prepared.attachments.len()],
        }
    }

    /// The impulses of attachments in a step of a length, and those of threads and air.
    pub fn told(self, h: f64) -> (Vec<Impulse>, Trace) {
        let Multipliers { tensions, mut pressures, mut ties } = self;
        pressures.iter_mut().for_each(|pressure| *pressure /= h);
        if pressures.iter().all(|pressure| *pressure == 0.0) {
            pressures.clear();
        }
        for tie in &mut ties {
            tie.force /= h;
            tie.moments = tie.moments.map(|moment| moment / h);
        }
        let tensions = tensions.iter().map(|tension| f64::from((tension / h) as f32)).collect();
        (ties, Trace { tensions, pressures, ..Trace::default() })
    }

    /// One pass over all that is soft.
    pub fn pass(&mut self, bodies: &mut Bodies, h: f64) {
        let prepared = bodies.prepared;
        let mut tensions = self.tensions.iter_mut();
        for (cloth, pressure) in prepared.model.cloths.iter().zip(&mut self.pressures) {
            for (thread, tension) in cloth.threads.iter().zip(tensions.by_ref()) {
                solve_thread(bodies, thread, tension, h);
            }
            solve_air(bodies, cloth, pressure, h);
        }
        for (tie, told) in prepared.attachments.iter().zip(&mut self.ties) {
            let end = Connector { body: bodies.index(tie.to), local: tie.point };
            let (particle, arm) = (tie.particle as usize, end.arm(bodies));
            let own = DMat3::from_diagonal(DVec3::splat(bodies.inverse[particle].mass));
            let k = own + inverse_effective_mass(bodies, end.body, arm);
            if k.determinant() == 0.0 {
                continue;
            }
            let by = k.inverse() * (end.point(bodies) - bodies.positions[particle]);
            told.add(by, [DVec3::ZERO, arm.cross(by)]);
            bodies.displace(particle, by, DVec3::ZERO, h.recip());
            bodies.displace(end.body, -by, -arm.cross(by), h.recip());
        }
    }
}

fn solve_thread(bodies: &mut Bodies, thread: &Thread, tension: &mut f64, h: f64) {
    let [a, b] = thread.ends.map(|end| end as usize);
    let apart = bodies.positions[a] - bodies.positions[b];
    let distance = apart.length();
    let (off, give) = (distance - thread.length, thread.compliance / (h * h));
    let inverse_mass = bodies.inverse[a].mass + bodies.inverse[b].mass + give;
    if distance == 0.0 || inverse_mass == 0.0 {
        return;
    }
    let mut after = *tension + (off - give * *tension) / inverse_mass;
    if thread.kind == ThreadKind::Bend {
        after = after.min(0.0);
    }
    let by = apart * ((after - *tension) / distance);
    *tension = after;
    if by != DVec3::ZERO {
        bodies.displace(a, -by, DVec3::ZERO, h.recip());
        bodies.displace(b, by, DVec3::ZERO, h.recip());
    }
}

fn solve_air(bodies: &mut Bodies, cloth: &Cloth, pressure: &mut f64, h: f64) {
    let Some(air) = cloth.air else { return };
    let gradient = gradient(cloth, &bodies.positions);
    let give = air.compliance / (h * h);
    let all = cloth.particles().zip(&gradient);
    let weighted = all.clone().map(|(i, g)| bodies.inverse[i].mass * g.length_squared());
    let inverse_mass: f64 = weighted.sum();
    if inverse_mass + give == 0.0 {
        return;
    }
    let off = volume(&cloth.faces, &bodies.positions) - air.factor * air.rest_volume;
    let by = -(off + give * *pressure) / (inverse_mass + give);
    *pressure += by;
    for (i, g) in all {
        bodies.displace(i, *g * by, DVec3::ZERO, h.recip());
    }
}
