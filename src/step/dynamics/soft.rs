//! Everything soft in the mode default: threads, air, attachments and touches of
//! the particles of cloth, solved together on positions in every substep, both
//! ways with the rigid bodies. Velocities take over what the positions moved.

use super::bodies::{Bodies, Velocity};
use super::connector::{Connector, inverse_effective_mass};
use super::prepared::Prepared;
use super::pressure::{gradient, volume};
use super::soft_contacts::Near;
use super::threads::Threads;
use super::touch::{Field, Touch};
use crate::math::{DMat3, DVec3};
use crate::world::{Air, Attachment, Cloth, Contact};

/// All cloth of a model.
pub struct Soft {
    first: usize,
    threads: Threads,
    balloons: Vec<Balloon>,
    ties: Vec<Tie>,
    touches: Vec<Touch>,
    x: Vec<DVec3>,
    x_start: Vec<DVec3>,
    x_free: Vec<DVec3>,
    w: Vec<f64>,
    shifts: Vec<Velocity>,
}

/// A cloth with air in it.
struct Balloon {
    cloth: usize,
    air: Air,
    /// Faces by particles, counted from the first.
    faces: Vec<[u32; 3]>,
    /// At the start of the substep.
    gradient: Vec<DVec3>,
    /// What all particles together give way per unit.
    inverse_mass: f64,
    /// Displacement times mass over area.
    pressure: f64,
}

/// A particle held at a point.
struct Tie {
    particle: usize,
    end: Connector,
    /// At the start of the substep: from the body's centre to the particle.
    arm: DVec3,
    mass: DMat3,
}

impl Soft {
    pub fn new(prepared: &Prepared) -> Soft {
        let model = &prepared.model;
        let first = model.rigid_count();
        let with_air = model.cloths.iter().enumerate().filter_map(|(k, c)| Some((k, c, c.air?)));
        let balloons = with_air.map(|(cloth, fabric, air)| Balloon {
            cloth,
            air,
            faces: fabric.faces.iter().map(|face| face.map(|p| p - first as u32)).collect(),
            gradient: Vec::new(),
            inverse_mass: 0.0,
            pressure: 0.0,
        });
        let world = prepared.world();
        let tie = |tie: &Attachment| Tie {
            particle: tie.particle as usize - first,
            end: Connector { body: tie.to.map_or(world, |body| body as usize), local: tie.point },
            arm: DVec3::ZERO,
            mass: DMat3::ZERO,
        };
        Soft {
            first,
            threads: Threads::new(model),
            balloons: balloons.collect(),
            ties: prepared.attachments.iter().map(tie).collect(),
            touches: Vec::new(),
            x: Vec::new(),
            x_start: Vec::new(),
            x_free: Vec::new(),
            w: model.bodies[first..].iter().map(|particle| particle.inverse_mass()).collect(),
            shifts: Vec::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.w.is_empty()
    }

    /// The touches of a step.
    pub fn meet(&mut self, bodies: &Bodies, near: &[Near]) {
        self.touches.clear();
        self.touches.extend(near.iter().map(|near| Touch::new(bodies, self.first, near)));
    }

    /// Where everything is before the substep moves it.
    pub fn start(&mut self, bodies: &Bodies) {
        let particles = self.first..bodies.world();
        self.x_start.clear();
        self.x_start.extend_from_slice(&bodies.positions[particles]);
        self.threads.start();
        for balloon in &mut self.balloons {
            balloon.start(&bodies.prepared.model.cloths[balloon.cloth], bodies);
        }
        for tie in &mut self.ties {
            // Both sides are pushed where the particle is, so no moment is left over.
            let body = tie.end.body;
            tie.arm = bodies.positions[self.first + tie.particle] - bodies.positions[body];
            let particle = DMat3::from_diagonal(DVec3::splat(self.w[tie.particle]));
            let both = particle + inverse_effective_mass(bodies, body, tie.arm);
            tie.mass = if both.determinant() > 0.0 { both.inverse() } else { DMat3::ZERO };
        }
        for touch in &mut self.touches {
            touch.start(bodies, self.first);
        }
    }

    /// After everything moved freely: passes over all that is soft.
    pub fn project(&mut self, bodies: &mut Bodies, h: f64, passes: usize) {
        // The free motion turned the bodies only.
        bodies.renew_inertias();
        let particles = self.first..bodies.world();
        self.x_free.clear();
        self.x_free.extend_from_slice(&bodies.positions[particles]);
        self.x.clone_from(&self.x_free);
        self.shifts.clear();
        self.shifts.resize(self.first, Velocity::default());
        self.each_touch(bodies, false, Touch::follow);
        for pass in 0..passes.max(1) {
            let back = pass % 2 == 1;
            self.threads.pass(&mut self.x, &self.x_start, &self.w, h, back);
            for balloon in &mut self.balloons {
                let cloths = &bodies.prepared.model.cloths;
                balloon.solve(&mut self.x, &self.w, self.first, cloths, h);
            }
            self.solve_ties(bodies);
            self.each_touch(bodies, back, Touch::solve);
        }
        self.finish(bodies, h);
    }

    fn each_touch(&mut self, bodies: &Bodies, back: bool, work: fn(&mut Touch, &mut Field)) {
        let mut field = Field {
            bodies,
            x: &mut self.x,
            x_start: &self.x_start,
            w: &self.w,
            shifts: &mut self.shifts,
        };
        match back {
            false => self.touches.iter_mut().for_each(|touch| work(touch, &mut field)),
            true => self.touches.iter_mut().rev().for_each(|touch| work(touch, &mut field)),
        }
    }

    fn solve_ties(&mut self, bodies: &Bodies) {
        for tie in &self.ties {
            let body = tie.end.body;
            let point = match body.checked_sub(self.first).filter(|&j| j < self.x.len()) {
                Some(other) => self.x[other] + tie.end.local,
                None => {
                    let shift = self.shifts.get(body).copied().unwrap_or_default();
                    tie.end.point(bodies) + shift.linear + shift.angular.cross(tie.arm)
                }
            };
            let by = tie.mass * (point - self.x[tie.particle]);
            self.x[tie.particle] += by * self.w[tie.particle];
            if let Some(shift) = self.shifts.get_mut(body) {
                shift.linear -= by * bodies.inverse[body].mass;
                shift.angular -= bodies.inverse[body].inertia * tie.arm.cross(by);
            } else if let Some(other) = self.x.get_mut(body - self.first) {
                *other -= by * bodies.inverse[body].mass;
            }
        }
    }

    /// Hands positions and velocities back.
    fn finish(&mut self, bodies: &mut Bodies, h: f64) {
        for (k, (x, free)) in self.x.iter().zip(&self.x_free).enumerate() {
            bodies.positions[self.first + k] = *x;
            bodies.velocities[self.first + k].linear += (*x - *free) / h;
        }
        for (i, shift) in self.shifts.iter().enumerate() {
            if *shift == Velocity::default() || bodies.inverse[i].mass == 0.0 {
                continue;
            }
            bodies.positions[i] += shift.linear;
            bodies.velocities[i].linear += shift.linear / h;
            // The angular momentum stays while the inertia turns with the body.
            let inertia = bodies.prepared.inertia_turned(i, bodies.rotations[i]);
            let momentum = inertia * (bodies.velocities[i].angular + shift.angular / h);
            bodies.rotate(i, shift.angular);
            bodies.velocities[i].angular = bodies.inverse[i].inertia * momentum;
        }
    }

    /// Adds the impulses of a substep to what the touches tell.
    pub fn tell(&mut self, h: f64) {
        self.touches.iter_mut().for_each(|touch| touch.tell(h));
    }

    /// What the touches did in this step, as far as it was told.
    pub fn contacts(&self, world: usize) -> impl Iterator<Item = Contact> {
        self.touches.iter().filter_map(move |touch| touch.contact(world))
    }

    /// How many touches there are, how many push, and the deepest overlap in diameters.
    pub fn account(&mut self, bodies: &Bodies) -> (u32, u32, f64) {
        let field = Field {
            bodies,
            x: &mut self.x,
            x_start: &self.x_start,
            w: &self.w,
            shifts: &mut self.shifts,
        };
        let mut deepest = 0.0_f64;
        for touch in &self.touches {
            let [a, b] = touch.ends.map(|i| bodies.prepared.radius(i as usize));
            deepest = deepest.max(-touch.gap(&field) / (2.0 * a.min(b)));
        }
        let pushing = self.touches.iter().filter(|touch| touch.pushes()).count();
        (self.touches.len() as u32, pushing as u32, deepest)
    }
}

impl Balloon {
    fn start(&mut self, cloth: &Cloth, bodies: &Bodies) {
        self.pressure = 0.0;
        self.gradient = gradient(cloth, &bodies.positions);
        let particles = cloth.particles().zip(&self.gradient);
        self.inverse_mass =
            particles.map(|(i, g)| bodies.inverse[i].mass * g.length_squared()).sum();
    }

    fn solve(&mut self, x: &mut [DVec3], w: &[f64], first: usize, cloths: &[Cloth], h: f64) {
        let give = self.air.compliance / (h * h);
        let off = volume(&self.faces, x) - self.air.factor * self.air.rest_volume;
        if self.inverse_mass + give <= 0.0 {
            return;
        }
        let by = -(off + give * self.pressure) / (self.inverse_mass + give);
        self.pressure += by;
        for (i, gradient) in cloths[self.cloth].particles().zip(&self.gradient) {
            x[i - first] += *gradient * (by * w[i - first]);
        }
    }
}

/// What is not a motion of the whole fades [Müller et al. 2007, 3.5]: momentum and angular
/// momentum of every cloth stay.
pub fn damp(bodies: &mut Bodies, dt: f64) {
    let model = &bodies.prepared.model;
    for cloth in model.cloths.iter().filter(|cloth| cloth.damping > 0.0) {
        let part = 1.0 - (-cloth.damping * dt).exp();
        let loose: Vec<usize> = model.loose(cloth).collect();
        let mass = |i: usize| model.bodies[i].mass;
        let total: f64 = loose.iter().map(|&i| mass(i)).sum();
        if total == 0.0 {
            continue;
        }
        let mean = |of: &dyn Fn(usize) -> DVec3| {
            loose.iter().map(|&i| of(i) * mass(i)).sum::<DVec3>() / total
        };
        let centre = mean(&|i| bodies.positions[i]);
        let drift = mean(&|i| bodies.velocities[i].linear);
        let (mut spin, mut inertia) = (DVec3::ZERO, DMat3::ZERO);
        for &i in &loose {
            let arm = bodies.positions[i] - centre;
            spin += arm.cross(bodies.velocities[i].linear) * mass(i);
            let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
            inertia += (DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer) * mass(i);
        }
        // A straight line of particles has no inertia about itself, and no spin about it either.
        let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
        let turning =
            (inertia + DMat3::from_diagonal(DVec3::splat(1e-12 * trace))).inverse() * spin;
        let turning = if turning.is_finite() { turning } else { DVec3::ZERO };
        for &i in &loose {
            let whole = drift + turning.cross(bodies.positions[i] - centre);
            let velocity = &mut bodies.velocities[i].linear;
            *velocity += (whole - *velocity) * part;
        }
    }
}
