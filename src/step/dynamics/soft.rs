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
use super::trace::{Before, Impulse};
use crate::math::{DMat3, DVec3};
use crate::world::{Air, Attachment, Body, Cloth, Contact, Motion, Trace, With};

/// No thread changes by more than this part of its length in a pass that is the last one.
const SETTLED: f64 = 1e-5;

/// The part of the speed along a thread that a pass takes which takes energy away, and how many
/// such passes there are at most.
const DAMPED: f64 = 0.25;
const DAMPING_PASSES: usize = 20;

/// Air that does not give is blown in within about this time.
const BLOWN_UP: f64 = 0.1;

/// What rounding does to the volume of a balloon: a sum over its faces.
const ROUNDING: f64 = 1e-13;

/// All cloth of a model.
pub struct Soft {
    first: usize,
    threads: Threads,
    balloons: Vec<Balloon>,
    ties: Vec<Tie>,
    touches: Vec<Touch>,
    /// The impulses of threads in this step.
    tensions: Vec<f64>,
    x: Vec<DVec3>,
    x_start: Vec<DVec3>,
    /// Before forces acted in this substep.
    v_start: Vec<DVec3>,
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
    /// The volume that it is to have after the substep, if it does not give.
    goal: f64,
    /// Displacement times mass over area.
    pressure: f64,
    /// Impulse over area, in this step.
    told: f64,
}

/// A particle held at a point.
struct Tie {
    particle: usize,
    end: Connector,
    /// At the start of the substep: from the body's centre to the particle.
    arm: DVec3,
    mass: DMat3,
    /// What it did to the particle (as a displacement times mass in this substep), and in the
    /// whole step.
    by: DVec3,
    impulse: Impulse,
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
            goal: 0.0,
            pressure: 0.0,
            told: 0.0,
        });
        let world = prepared.world();
        let tie = |tie: &Attachment| Tie {
            particle: tie.particle as usize - first,
            end: Connector { body: tie.to.map_or(world, |body| body as usize), local: tie.point },
            arm: DVec3::ZERO,
            mass: DMat3::ZERO,
            by: DVec3::ZERO,
            impulse: Impulse::default(),
        };
        Soft {
            first,
            threads: Threads::new(model),
            balloons: balloons.collect(),
            ties: prepared.attachments.iter().map(tie).collect(),
            touches: Vec::new(),
            tensions: Vec::new(),
            x: Vec::new(),
            x_start: Vec::new(),
            v_start: Vec::new(),
            x_free: Vec::new(),
            w: model.bodies[first..].iter().map(|particle| particle.inverse_mass()).collect(),
            shifts: Vec::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.w.is_empty()
    }

    /// A new step, and its touches.
    pub fn meet(&mut self, bodies: &Bodies, near: &[Near]) {
        self.tensions = vec![0.0; self.threads.len()];
        self.balloons.iter_mut().for_each(|balloon| balloon.told = 0.0);
        self.ties.iter_mut().for_each(|tie| tie.impulse = Impulse::default());
        self.touches.clear();
        self.touches.extend(near.iter().map(|near| Touch::new(bodies, self.first, near)));
    }

    /// How fast everything is before forces act.
    pub fn note(&mut self, bodies: &Bodies) {
        let particles = &bodies.velocities[self.first..bodies.world()];
        self.v_start = particles.iter().map(|velocity| velocity.linear).collect();
    }

    /// Where everything is before the substep moves it.
    pub fn start(&mut self, bodies: &Bodies, h: f64) {
        let particles = self.first..bodies.world();
        self.x_start.clear();
        self.x_start.extend_from_slice(&bodies.positions[particles]);
        self.threads.start();
        for balloon in &mut self.balloons {
            balloon.start(&bodies.prepared.model.cloths[balloon.cloth], bodies, h);
        }
        for tie in &mut self.ties {
            // Both sides are pushed where the particle is, so no moment is left over.
            let body = tie.end.body;
            tie.by = DVec3::ZERO;
            tie.arm = bodies.positions[self.first + tie.particle] - bodies.positions[body];
            let particle = DMat3::from_diagonal(DVec3::splat(self.w[tie.particle]));
            let both = particle + inverse_effective_mass(bodies, body, tie.arm);
            tie.mass = if both.determinant() > 0.0 { both.inverse() } else { DMat3::ZERO };
        }
        for touch in &mut self.touches {
            touch.start(bodies, self.first, h);
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
            let change = self.threads.pass(&mut self.x, &self.x_start, &self.w, h, back);
            for balloon in &mut self.balloons {
                let cloths = &bodies.prepared.model.cloths;
                balloon.solve(&mut self.x, &self.w, self.first, cloths, h);
            }
            self.solve_ties(bodies);
            self.each_touch(bodies, back, Touch::solve);
            if pass > 0 && change < SETTLED {
                break;
            }
        }
        let given = self.finish(bodies, h);
        self.keep_energy(bodies, given, h);
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
        for tie in &mut self.ties {
            let body = tie.end.body;
            let point = match body.checked_sub(self.first).filter(|&j| j < self.x.len()) {
                Some(other) => self.x[other] + tie.end.local,
                None => {
                    let shift = self.shifts.get(body).copied().unwrap_or_default();
                    tie.end.point(bodies) + shift.linear + shift.angular.cross(tie.arm)
                }
            };
            let by = tie.mass * (point - self.x[tie.particle]);
            tie.by += by;
            self.x[tie.particle] += by * self.w[tie.particle];
            if let Some(shift) = self.shifts.get_mut(body) {
                shift.linear -= by * bodies.inverse[body].mass;
                shift.angular -= bodies.inverse[body].inertia * tie.arm.cross(by);
            } else if let Some(other) = self.x.get_mut(body - self.first) {
                *other -= by * bodies.inverse[body].mass;
            }
        }
    }

    /// Takes energy away that nothing has given: projections of stiff threads that pull against each
    /// other can throw particles about. Only speeds along threads are taken, so momentum and angular
    /// momentum stay. `given` is what bodies gave.
    fn keep_energy(&mut self, bodies: &mut Bodies, given: f64, h: f64) {
        let model = &bodies.prepared.model;
        let is_driven = |body: &Body| body.motion == Motion::Driven;
        if !model.forces.is_empty() || model.bodies.iter().any(is_driven) {
            return;
        }
        let particles = &model.bodies[self.first..];
        let pull = |k: usize| model.pull(self.first + k) * particles[k].mass;
        let free = || (0..self.w.len()).filter(|&k| self.w[k] > 0.0);
        let moving = |v: &[DVec3]| -> f64 {
            free().map(|k| 0.5 * particles[k].mass * v[k].length_squared()).sum()
        };
        let power = |v: &[DVec3]| -> f64 { free().map(|k| pull(k).dot(v[k])).sum() };
        let mut v: Vec<DVec3> =
            bodies.velocities[self.first..bodies.world()].iter().map(|v| v.linear).collect();
        let sunk: f64 = free().map(|k| pull(k).dot(self.x[k] - self.x_start[k])).sum();
        let stored = |x: &[DVec3]| {
            let air = self.balloons.iter().map(|balloon| balloon.energy(x));
            self.threads.energy(x) + air.sum::<f64>()
        };
        let blown = self.balloons.iter().map(|balloon| balloon.work(&self.x_start, &self.x, h));
        // Velocities change before places do: what gravity gives in half a substep comes back.
        let fading = 0.5 * h * (power(&self.v_start) - power(&v)).max(0.0);
        let allowed = moving(&self.v_start) + sunk + stored(&self.x_start) - stored(&self.x)
            + given
            + blown.sum::<f64>()
            + fading;
        let (before, passes) = (moving(&v), DAMPING_PASSES);
        if before <= allowed {
            return;
        }
        for _ in 0..passes {
            self.threads.damp(&self.x, &self.x_start, &mut v, &self.w, h, DAMPED);
            if moving(&v) <= allowed {
                break;
            }
        }
        for (velocity, v) in bodies.velocities[self.first..].iter_mut().zip(&v) {
            velocity.linear = *v;
        }
    }

    /// Hands positions and velocities back; the energy that bodies lose by that.
    fn finish(&mut self, bodies: &mut Bodies, h: f64) -> f64 {
        let mut given = 0.0;
        for (k, (x, free)) in self.x.iter().zip(&self.x_free).enumerate() {
            bodies.positions[self.first + k] = *x;
            bodies.velocities[self.first + k].linear += (*x - *free) / h;
        }
        for (i, shift) in self.shifts.iter().enumerate() {
            if *shift == Velocity::default() || bodies.inverse[i].mass == 0.0 {
                continue;
            }
            let body = &bodies.prepared.model.bodies[i];
            given += bodies.prepared.model.pull(i).dot(shift.linear) * body.mass;
            given += 0.5 * bodies.twice_energy(i, &bodies.velocities[i]);
            bodies.positions[i] += shift.linear;
            bodies.velocities[i].linear += shift.linear / h;
            // The angular momentum stays while the inertia turns with the body.
            let inertia = bodies.prepared.inertia_turned(i, bodies.rotations[i]);
            let momentum = inertia * (bodies.velocities[i].angular + shift.angular / h);
            bodies.rotate(i, shift.angular);
            bodies.velocities[i].angular = bodies.inverse[i].inertia * momentum;
            given -= 0.5 * bodies.twice_energy(i, &bodies.velocities[i]);
        }
        given
    }

    /// Adds the impulses of a substep to those of the step.
    pub fn tell(&mut self, bodies: &Bodies, h: f64) {
        for touch in &mut self.touches {
            touch.tell(bodies.prepared.radius(touch.ends[0] as usize), h);
        }
        self.threads.tell(&self.x_start, h, &mut self.tensions);
        self.balloons.iter_mut().for_each(|balloon| balloon.told += balloon.pressure / h);
        for tie in &mut self.ties {
            let force = tie.by / h;
            tie.impulse.add(force, [DVec3::ZERO, tie.arm.cross(force)]);
        }
    }

    /// What the touches and attachments did in this step.
    pub fn contacts(&self, bodies: &Bodies, before: &Before) -> Vec<Contact> {
        let touches = self.touches.iter().filter_map(|touch| touch.contact(bodies, before));
        let ties = self.ties.iter().enumerate().filter_map(|(number, tie)| {
            let ends = [self.first + tie.particle, tie.end.body];
            attachment(bodies, before, number, ends, &tie.impulse)
        });
        touches.chain(ties).collect()
    }

    /// What threads and air did in this step.
    pub fn trace(&self, cloths: usize) -> Trace {
        let mut pressures = vec![0.0; if self.balloons.is_empty() { 0 } else { cloths }];
        self.balloons.iter().for_each(|balloon| pressures[balloon.cloth] = balloon.told);
        let tensions = self.tensions.iter().map(|tension| f64::from(*tension as f32)).collect();
        Trace { tensions, pressures, ..Trace::default() }
    }

    /// How many touches there are, how many push, and the deepest overlap with bodies and walls in
    /// diameters: particles may come as near to each other as the cloth crumples.
    pub fn account(&self, bodies: &Bodies) -> (u32, u32, f64) {
        let pushing = self.touches.iter().filter(|touch| touch.pushes()).count();
        let mut deepest = 0.0_f64;
        for touch in self.touches.iter().filter(|touch| !touch.is_among_particles()) {
            let [a, b] = touch.ends.map(|i| bodies.prepared.radius(i as usize));
            deepest = deepest.max(-touch.gap(bodies, self.first) / (2.0 * a.min(b)));
        }
        (self.touches.len() as u32, pushing as u32, deepest)
    }
}

impl Balloon {
    /// What air that gives has stored.
    fn energy(&self, x: &[DVec3]) -> f64 {
        if self.air.compliance == 0.0 {
            return 0.0;
        }
        let off = volume(&self.faces, x) - self.air.factor * self.air.rest_volume;
        off * off / (2.0 * self.air.compliance)
    }

    /// What air that does not give has done in a substep, if it has blown up its balloon.
    fn work(&self, from: &[DVec3], to: &[DVec3], h: f64) -> f64 {
        if self.air.compliance > 0.0 {
            return 0.0;
        }
        let growth = volume(&self.faces, to) - volume(&self.faces, from);
        (self.pressure * growth / (h * h)).max(0.0)
    }

    fn start(&mut self, cloth: &Cloth, bodies: &Bodies, h: f64) {
        self.pressure = 0.0;
        let (volume, goal) =
            (cloth.volume(&bodies.positions), self.air.factor * self.air.rest_volume);
        self.goal = volume + (goal - volume) * (h / BLOWN_UP).min(1.0);
        self.gradient = gradient(cloth, &bodies.positions);
        let particles = cloth.particles().zip(&self.gradient);
        self.inverse_mass =
            particles.map(|(i, g)| bodies.inverse[i].mass * g.length_squared()).sum();
    }

    fn solve(&mut self, x: &mut [DVec3], w: &[f64], first: usize, cloths: &[Cloth], h: f64) {
        let give = self.air.compliance / (h * h);
        let goal = match self.air.compliance > 0.0 {
            true => self.air.factor * self.air.rest_volume,
            false => self.goal,
        };
        let off = volume(&self.faces, x) - goal;
        // What rests stays at rest to the last digit.
        let is_nothing = give == 0.0 && off.abs() <= ROUNDING * goal;
        if self.inverse_mass + give <= 0.0 || is_nothing {
            return;
        }
        let by = -(off + give * self.pressure) / (self.inverse_mass + give);
        self.pressure += by;
        for (i, gradient) in cloths[self.cloth].particles().zip(&self.gradient) {
            x[i - first] += *gradient * (by * w[i - first]);
        }
    }
}

/// What an attachment did to its particle, at the place of which it acts; none if it was nothing.
pub fn attachment(
    bodies: &Bodies,
    before: &Before,
    number: usize,
    [particle, body]: [usize; 2],
    impulse: &Impulse,
) -> Option<Contact> {
    let at = before.position(particle);
    let arms = [DVec3::ZERO, at - before.position(body)];
    (!impulse.is_zero()).then(|| Contact {
        body: particle as u32,
        with: With::Attachment(number as u32),
        pieces: [0; 2],
        at: [at; 2],
        normal: impulse.force.normalize_or_zero(),
        force: impulse.force,
        couples: impulse.couples(arms, [false, bodies.turns_freely(body)]),
        choice: false,
    })
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
