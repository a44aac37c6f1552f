//! Cloth as the paper has it [D14 7, after Müller et al. 2007]: threads, air and
//! attachments are projected one by one in the position passes, along the
//! gradients of the moment, and velocities take over every displacement at once.
//! These directions turn from pass to pass, so that what a thread or the air gave in
//! a step is told as a sum of vectors.
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
    /// Displacements times mass so far: of each thread on its first particle, and of the air on each
    /// particle (of none, if there are no balloons).
    pulls: Vec<DVec3>,
    airs: Vec<DVec3>,
    /// Of attachments, on their particles: as displacements times mass, and their moments.
    ties: Vec<Impulse>,
}

impl Multipliers {
    pub fn new(bodies: &Bodies) -> Multipliers {
        let model = &bodies.prepared.model;
        let threads = model.cloths.iter().map(|cloth| cloth.threads.len()).sum();
        let is_blown_up = model.cloths.iter().any(|cloth| cloth.air.is_some());
        let particles = model.bodies.len() - model.rigid_count();
        Multipliers {
            tensions: vec![0.0; threads],
            pressures: vec![0.0; model.cloths.len()],
            pulls: vec![DVec3::ZERO; threads],
            airs: vec![DVec3::ZERO; if is_blown_up { particles } else { 0 }],
            ties: vec![Impulse::default(); bodies.prepared.attachments.len()],
        }
    }

    /// The impulses of attachments in a step of a length, and those of threads and air.
    pub fn told(self, h: f64) -> (Vec<Impulse>, Trace) {
        let Multipliers { mut pulls, mut airs, mut ties, .. } = self;
        pulls.iter_mut().chain(&mut airs).for_each(|sum| *sum /= h);
        for tie in &mut ties {
            tie.force /= h;
            tie.moments = tie.moments.map(|moment| moment / h);
        }
        (ties, Trace { pulls, airs, ..Trace::default() })
    }

    /// One pass over all that is soft.
    pub fn pass(&mut self, bodies: &mut Bodies, h: f64) {
        let prepared = bodies.prepared;
        let first = prepared.model.rigid_count();
        let mut told = self.tensions.iter_mut().zip(&mut self.pulls);
        for (cloth, pressure) in prepared.model.cloths.iter().zip(&mut self.pressures) {
            for (thread, (tension, pull)) in cloth.threads.iter().zip(told.by_ref()) {
                *pull += solve_thread(bodies, thread, tension, h);
            }
            if cloth.air.is_some() {
                let own = cloth.first as usize - first;
                let airs = &mut self.airs[own..own + cloth.rest.len()];
                solve_air(bodies, cloth, (pressure, airs), h);
            }
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

/// What its first particle gets.
fn solve_thread(bodies: &mut Bodies, thread: &Thread, tension: &mut f64, h: f64) -> DVec3 {
    let [a, b] = thread.ends.map(|end| end as usize);
    let apart = bodies.positions[a] - bodies.positions[b];
    let distance = apart.length();
    let (off, give) = (distance - thread.length, thread.compliance / (h * h));
    let inverse_mass = bodies.inverse[a].mass + bodies.inverse[b].mass + give;
    if distance == 0.0 || inverse_mass == 0.0 {
        return DVec3::ZERO;
    }
    let mut after = *tension + (off - give * *tension) / inverse_mass;
    if thread.kind == ThreadKind::Bend {
        after = after.min(0.0);
    }
    let by = apart * ((*tension - after) / distance);
    *tension = after;
    if by != DVec3::ZERO {
        bodies.displace(a, by, DVec3::ZERO, h.recip());
        bodies.displace(b, -by, DVec3::ZERO, h.recip());
    }
    by
}

fn solve_air(
    bodies: &mut Bodies,
    cloth: &Cloth,
    (pressure, told): (&mut f64, &mut [DVec3]),
    h: f64,
) {
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
    for ((i, g), told) in all.zip(told) {
        *told += *g * by;
        bodies.displace(i, *g * by, DVec3::ZERO, h.recip());
    }
}
