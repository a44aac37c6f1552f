//! A run watches its own energy: what it has beyond what it started with, and what
//! motors, limits, driven bodies and displacements out of overlaps gave it since,
//! nothing explains. Contacts, joints and friction can only take energy away. A large gain ends
//! the run; a small one, a deep overlap, an open joint or torn cloth is kept in mind as a promise that is broken.

use serde::{Deserialize, Serialize};

use crate::energy;
use crate::math::{DMat3, DVec3};
use crate::problem::{Problem, Result};
use crate::scene::DynamicsOptions;
use crate::step::Moved;
use crate::world::{Cloth, Contact, Joint, Model, State, ThreadKind, With};

/// A gain by this part of what has been exchanged so far, or could have been at the start, ends a
/// run: where steps are too long, it doubles within a few of them.
const GAIN: f64 = 0.1;

/// And so much is rounding and what contacts at rest may miss: all bodies raised by this part of
/// their radii.
const RAISED: f64 = 0.01;

/// What is known of a run's energy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// At the start: all of it, and the sizes of those of motion and of forces.
    start: Option<[f64; 2]>,
    lowest: f64,
    /// The most energy of motion so far: what falls exchanges it for height.
    fastest: f64,
    /// After the last step: who steps by hand may kick bodies in between.
    last: f64,
    /// What was given, and how much changed hands by that.
    given: f64,
    changed: f64,
    /// The deepest overlap that the step before left, in the smaller diameter, if that is looked at.
    pub left: f64,
    /// The deepest overlap of cloth with bodies that the step left, likewise.
    pub cloth: f64,
    /// The first promise that a step has broken.
    pub broken: Option<String>,
}

/// What a run finds out about itself is not to the last digit what another program will find: so
/// far beyond a promise both agree.
const BEYOND: f64 = 1.5;

/// Overlaps are known better than that.
const DEEPER: f64 = 1.05;

impl Audit {
    /// Notes the first promise that a step breaks.
    pub fn promise(
        &mut self,
        model: &Model,
        options: &DynamicsOptions,
        [old, new]: [&State; 2],
        moved: &Moved,
    ) {
        let Some(ledger) = moved.report.ledger.as_ref().filter(|_| self.broken.is_none()) else {
            return;
        };
        let mode = options.mode;
        // Scenes state overlaps in diameters.
        let stated = options.overlap.map_or(f64::INFINITY, |overlap| 2.0 * overlap);
        let overlap = mode.most_overlap().min(stated);
        let depth = 2.0 * ledger.penetration.max(self.left).max(self.cloth);
        let open = ledger.joint_error.unwrap_or(0.0);
        // Forces, limits and motors do work within the step that its ends do not tell.
        let acts = |joint: &Joint| joint.limits.is_some() || joint.motor.is_some();
        let gained = match !model.forces.is_empty() || model.joints.iter().any(acts) {
            true => 0.0,
            false => gained(model, options, [old, new], moved),
        };
        let stretch = |cloth: &Cloth| stretch(cloth, &new.positions);
        let most = |cloth: &Cloth| options.mode.most_stretch().min(cloth.most_stretch);
        let torn = model.cloths.iter().find(|cloth| stretch(cloth) > most(cloth));
        let what = if let Some(cloth) = torn {
            let (longer, most) = (stretch(cloth), most(cloth));
            format!("threads are longer by {longer:.1e} than they should be, more than {most}")
        } else if depth > DEEPER * overlap || 2.0 * self.cloth > overlap {
            format!("bodies overlap by {depth:.1e} of a radius, more than {overlap}")
        } else if open > BEYOND * mode.most_joint_error() {
            let most = mode.most_joint_error();
            format!("a joint is off by {open:.1e} of its size, more than {most}")
        } else if gained > BEYOND * mode.most_energy_rise() {
            let most = mode.most_energy_rise();
            format!("it gains {gained:.1e} of the energy that it exchanges, more than {most}")
        } else if strayed(model, options, [old, new], moved) {
            "threads turn too far within it".to_string()
        } else {
            return;
        };
        let remedy = match torn {
            Some(_) => "more `cloth_passes`, or more `substeps`,",
            None => "a smaller `time_step` or more `substeps`",
        };
        self.broken = Some(format!("a step broke a promise: {what}; {remedy} may keep it"));
    }

    /// Adds a step from one state to another; a gain that nothing explains is a problem.
    pub fn check(&mut self, model: &Model, old: &State, new: &State, moved: &Moved) -> Result<()> {
        // Air does work, too.
        if model.cloths.iter().any(|cloth| cloth.air.is_some()) {
            return Ok(());
        }
        let total =
            |state: &State| model.mechanical_energy(state) + energy::of_forces(model, state);
        let (before, now) = (total(old), total(new));
        let [start, size] = *self.start.get_or_insert_with(|| {
            (self.lowest, self.last) = (before, before);
            [before, model.kinetic_energy(old) + energy::of_forces(model, old).abs()]
        });
        self.lowest = self.lowest.min(now);
        self.fastest = self.fastest.max(model.kinetic_energy(new));
        let kicked = before - self.last;
        self.last = now;
        let lifted =
            |(i, shift): (usize, &DVec3)| -model.bodies[i].mass * model.pull(i).dot(*shift);
        let lifted: f64 = moved.trace.shifts.iter().enumerate().map(lifted).sum();
        let worked = moved.contacts.iter().map(|contact| work(model, old, new, contact));
        for given in worked.chain([lifted, kicked]) {
            self.given += given;
            self.changed += given.abs();
        }
        let raised = model.free().map(|i| {
            let body = &model.bodies[i];
            body.mass * model.pull(i).length() * body.radius
        });
        let exchanged = size.max(self.fastest) + (start - self.lowest) + self.changed;
        let gained = now - start - self.given;
        if gained <= GAIN * exchanged + RAISED * raised.sum::<f64>() {
            return Ok(());
        }
        let message = format!(
            "the energy has risen from {start:e} to {now:e}, and no motor, driven body or force \
             explains {gained:e} of that"
        );
        Err(Problem::new(message)
            .help("use a smaller `time_step` or more `substeps`; masses may be too far apart"))
    }
}

/// By which part of its length a thread that is to hold is too long, at most.
fn stretch(cloth: &Cloth, places: &[DVec3]) -> f64 {
    let holds = cloth.threads.iter().filter(|thread| thread.kind == ThreadKind::Stretch);
    let longer = holds.map(|thread| {
        let [a, b] = thread.ends.map(|end| places[end as usize]);
        a.distance(b) / thread.length - 1.0
    });
    longer.fold(0.0, f64::max)
}

/// Whether particles got more from threads and air besides what these tell than their turning
/// within the step can be.
fn strayed(
    model: &Model,
    options: &DynamicsOptions,
    [old, new]: [&State; 2],
    moved: &Moved,
) -> bool {
    let (first, trace) = (model.rigid_count(), &moved.trace);
    if trace.strays.is_empty() {
        return false;
    }
    let mut scales = vec![0.0; model.bodies.len()];
    let mut turns = vec![f64::from(f32::EPSILON); model.bodies.len()];
    for contact in &moved.contacts {
        let ends = [Some(contact.body as usize), contact.with.body(model)];
        ends.into_iter().flatten().for_each(|end| scales[end] += contact.force.length());
    }
    let threads = model.cloths.iter().flat_map(|cloth| &cloth.threads).enumerate();
    for (k, thread) in threads {
        let [a, b] = thread.ends.map(|end| end as usize);
        let along = |state: &State| (state.positions[b] - state.positions[a]).normalize_or_zero();
        let swing = |state: &State| state.velocities[a].distance(state.velocities[b]);
        let angle = along(old).distance(along(new))
            + options.time_step * (swing(old) + swing(new)) / thread.length;
        for end in [a, b] {
            turns[end] = f64::max(turns[end], angle);
            scales[end] += trace.tensions.get(k).copied().unwrap_or(0.0).abs();
        }
    }
    (first..model.bodies.len()).filter(|&i| model.bodies[i].is_free()).any(|i| {
        let speed = old.velocities[i].length() + new.velocities[i].length();
        let weight = options.time_step * model.pull(i).length();
        let scale = scales[i] + model.bodies[i].mass * (weight + speed);
        trace.strays[i - first].length() > BEYOND * turns[i] * scale
    })
}

/// What threads and air that give have stored.
fn elastic(cloth: &Cloth, places: &[DVec3]) -> f64 {
    let give = cloth.threads.iter().filter(|thread| thread.compliance > 0.0);
    let stored = give.map(|thread| {
        let [a, b] = thread.ends.map(|end| places[end as usize]);
        let longer = a.distance(b) - thread.length;
        let held = if thread.kind == ThreadKind::Bend { longer.min(0.0) } else { longer };
        held * held / (2.0 * thread.compliance)
    });
    let air = cloth.air.filter(|air| air.compliance > 0.0).map_or(0.0, |air| {
        let off = cloth.volume(places) - air.factor * air.rest_volume;
        off * off / (2.0 * air.compliance)
    });
    stored.sum::<f64>() + air
}

/// What air that does not give has done in a step, if it has blown up its balloon.
fn blown(model: &Model, options: &DynamicsOptions, [old, new]: [&State; 2], moved: &Moved) -> f64 {
    let airs = model.cloths.iter().zip(&moved.trace.pressures);
    let hard = airs.filter(|(cloth, _)| cloth.air.is_some_and(|air| air.compliance == 0.0));
    let work = hard.map(|(cloth, pressure)| {
        let growth = cloth.volume(&new.positions) - cloth.volume(&old.positions);
        (pressure * growth / options.time_step).max(0.0)
    });
    work.sum()
}

/// What a step gains and nothing explains, as a part of what it exchanges.
fn gained(model: &Model, options: &DynamicsOptions, [old, new]: [&State; 2], moved: &Moved) -> f64 {
    let (mut rise, mut exchanged, mut fading) = (0.0, 0.0, 0.0);
    for i in model.free() {
        let (body, pull) = (&model.bodies[i], model.pull(i));
        let parts = [old, new].map(|state| {
            let v = state.velocities[i];
            let spin = DMat3::from_quat(state.rotations[i]).transpose() * state.spins[i];
            let about = 0.5 * spin * (body.inertia * spin);
            let height = -body.mass * pull.dot(state.positions[i]);
            [(0.5 * body.mass * v * v).to_array(), about.to_array(), [height, 0.0, 0.0]].concat()
        });
        for (before, after) in parts[0].iter().zip(&parts[1]) {
            rise += after - before;
            exchanged += (after - before).abs();
        }
        // What contacts take in a step even if nothing moves.
        exchanged += body.mass * (pull.length() * options.time_step).powi(2);
        fading += body.mass * pull.dot(old.velocities[i] - new.velocities[i]);
    }
    let [stored, left] = [old, new].map(|state| {
        model.cloths.iter().map(|cloth| elastic(cloth, &state.positions)).sum::<f64>()
    });
    rise += left - stored;
    exchanged += (left - stored).abs();
    // Velocities change before places do: what gravity gives in half a substep comes back.
    let h = options.time_step / options.substeps.max(1) as f64;
    let lifted = moved.trace.shifts.iter().enumerate();
    let lifted = lifted.map(|(i, shift)| -model.bodies[i].mass * model.pull(i).dot(*shift));
    let worked = moved.contacts.iter().map(|contact| work(model, old, new, contact).max(0.0));
    let explained = worked.sum::<f64>()
        + blown(model, options, [old, new], moved)
        + lifted.sum::<f64>().max(0.0)
        + 0.5 * h * fading.max(0.0);
    if rise > explained { (rise - explained) / exchanged.max(f64::MIN_POSITIVE) } else { 0.0 }
}

/// What a motor, a limit or a body that is driven gave by a contact of a step.
fn work(model: &Model, old: &State, new: &State, contact: &Contact) -> f64 {
    let ends = [Some(contact.body as usize), contact.with.body(model)];
    let is_free = |side: usize| ends[side].is_some_and(|end| model.bodies[end].is_free());
    // On a side; the second gets the opposite.
    let power = |side: usize| {
        let Some(end) = ends[side] else { return 0.0 };
        // Those that are driven have the velocity of the step.
        let mean = |of: &dyn Fn(&State) -> DVec3| match model.bodies[end].is_free() {
            true => of(old).midpoint(of(new)),
            false => of(new),
        };
        let (velocity, spin) = (mean(&|s| s.velocities[end]), mean(&|s| s.spins[end]));
        let arm = contact.at[side] - old.positions[end];
        contact.force.dot(velocity) + (arm.cross(contact.force) + contact.couples[side]).dot(spin)
    };
    match contact.with {
        With::Motor(_) | With::Limit(_) => {
            let of = |side: usize| if is_free(side) { power(side) } else { 0.0 };
            of(0) - of(1)
        }
        _ if !is_free(1) => power(1),
        _ if !is_free(0) => -power(0),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DQuat;
    use crate::shape::Shape;
    use crate::step::Waypoint;
    use crate::world::{Report, StepKind, Trace, Weight};

    /// A ball that falls is as it should be; one that is suddenly faster is not.
    #[test]
    fn energy_that_nothing_explains_ends_a_run() {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z * 10.0), State::default());
        let place = DVec3::Z * 2.0;
        model.add(&mut state, Shape::ball(0.1), place, DQuat::IDENTITY, Weight::Mass(1.0)).unwrap();
        let moved = Moved {
            kind: StepKind::Dynamics,
            path: vec![Waypoint::new(state.clone(), 0.0)],
            contacts: Vec::new(),
            trace: Box::new(Trace::default()),
            report: Report::default(),
        };
        let mut audit = Audit::default();
        for _ in 0..20 {
            let mut next = state.clone();
            next.velocities[0].z -= 0.1;
            next.positions[0] += 0.005 * (state.velocities[0] + next.velocities[0]);
            audit.check(&model, &state, &next, &moved).unwrap();
            state = next;
        }
        let mut faster = state.clone();
        faster.velocities[0] *= 1.2;
        let problem = audit.check(&model, &state, &faster, &moved).unwrap_err();
        assert!(problem.message.contains("energy"), "{problem}");
    }
}
