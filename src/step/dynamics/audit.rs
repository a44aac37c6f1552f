//! A run watches its own energy: what it has beyond what it started with, and what
//! motors, limits, driven bodies and displacements out of overlaps gave it since,
//! nothing explains. Contacts, joints and friction can only take energy away. A large gain ends
//! the run; a small one, a deep overlap, an open joint or torn cloth is kept in mind as a promise that is broken.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

use crate::energy;
use crate::math::{DMat3, DVec3};
use crate::problem::{Problem, Result};
use crate::scene::DynamicsOptions;
use crate::step::{Breach, Broken, Moved};
use crate::world::{Cloth, Contact, Joint, Model, State, ThreadKind, With};

/// A gain by this part of what has been exchanged so far, or could have been at the start, ends a
/// run: where steps are too long, it doubles within a few of them.
const GAIN: f64 = 0.1;

/// And so much is rounding and what contacts at rest may miss: all bodies raised by this part of
/// their radii.
const RAISED: f64 = 0.01;

/// Impulses of the mode paper act so far from where they are told, in radii: as `verify` has it.
const PLACE: f64 = 0.1;

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
    /// Promises that steps have broken.
    pub broken: Option<Broken>,
}

/// What helps against most of it.
const SHORTER: &str = "a smaller `time_step` or more `substeps`";

impl Audit {
    /// Notes the first promise that a step breaks, and the worst; `step` is its number.
    pub fn promise(
        &mut self,
        model: &Model,
        options: &DynamicsOptions,
        [old, new]: [&State; 2],
        (step, moved): (u64, &Moved),
    ) {
        let Some(ledger) = moved.report.ledger.as_ref() else { return };
        let mode = options.mode;
        // Scenes state overlaps in diameters.
        let stated = options.overlap.map_or(f64::INFINITY, |overlap| 2.0 * overlap);
        let overlap = mode.most_overlap().min(stated);
        let depth = 2.0 * ledger.penetration.max(self.left).max(self.cloth);
        let cloth_depth = 2.0 * self.cloth;
        let open = ledger.joint_error.unwrap_or(0.0);
        // Forces, limits and motors do work within the step that its ends do not tell.
        let acts = |joint: &Joint| joint.limits.is_some() || joint.motor.is_some();
        let gained = match !model.forces.is_empty() || model.joints.iter().any(acts) {
            true => 0.0,
            false => gained(model, options, [old, new], moved),
        };
        let broken = &mut self.broken;
        let mut note = |what: String, times: f64, remedy: &str| {
            let breach = Breach { step, what, times, remedy: remedy.into() };
            match broken {
                None => *broken = Some(Broken { worst: breach.clone(), first: breach }),
                Some(broken) if times > broken.worst.times => broken.worst = breach,
                Some(_) => {}
            }
        };
        for cloth in &model.cloths {
            let (longer, most) =
                (stretch(cloth, &new.positions), mode.most_stretch().min(cloth.most_stretch));
            if longer > most {
                let what = format!(
                    "threads are longer by {longer:.1e} than they should be, more than {most}"
                );
                note(what, longer / most, remedy_of_torn(cloth, most));
            }
        }
        if depth > overlap || cloth_depth > overlap {
            let what = format!("bodies overlap by {depth:.1e} of a radius, more than {overlap}");
            note(what, depth / overlap, SHORTER);
        }
        let most = mode.most_joint_error();
        if open > most {
            let what = format!("a joint is off by {open:.1e} of its size, more than {most}");
            note(what, open / most, SHORTER);
        }
        let most = mode.most_energy_rise();
        if gained > most {
            let what =
                format!("it gains {gained:.1e} of the energy that it exchanges, more than {most}");
            note(what, gained / most, SHORTER);
        }
        if strayed(model, options, [old, new], moved) || bent(model, options, [old, new], moved) {
            note("threads turn too far within it".into(), 1.0, SHORTER);
        }
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

/// What helps if threads are too long by more than a part. Of all that a sheet can hold, a ball
/// holds most: air beyond that is for no solver.
fn remedy_of_torn(cloth: &Cloth, most: f64) -> &'static str {
    let Some(air) = cloth.air else { return "more `cloth_passes`, or more `substeps`," };
    let at_rest = |k: u32| cloth.rest[(k - cloth.first) as usize];
    let area: f64 = cloth
        .faces
        .iter()
        .map(|face| {
            let [a, b, c] = face.map(at_rest);
            0.5 * (b - a).cross(c - a).length()
        })
        .sum();
    let radius = (area / (4.0 * PI)).sqrt() * (1.0 + most);
    if air.factor * air.rest_volume > 4.0 / 3.0 * PI * radius.powi(3) {
        "no cloth of this size that stretches by so little holds so much air: only a lower \
         `pressure.factor`, or air that gives (`pressure.compliance`),"
    } else {
        "a lower `pressure.factor`, more `cloth_passes`, or more `substeps`,"
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
        trace.strays[i - first].length() > turns[i] * scale
    })
}

/// Whether the sums of what threads did in the passes of the mode paper leave their lines by more than
/// the place that impulses have there, and the way that their ends go against each other.
fn bent(model: &Model, options: &DynamicsOptions, [old, new]: [&State; 2], moved: &Moved) -> bool {
    let (dt, trace) = (options.time_step, &moved.trace);
    if trace.pulls.is_empty() {
        return false;
    }
    let first = model.rigid_count();
    let weight = |i: usize| dt * model.bodies[i].mass * model.pull(i).length();
    let mut stirred: Vec<f64> = (0..model.bodies.len()).map(weight).collect();
    for contact in &moved.contacts {
        let ends = [Some(contact.body as usize), contact.with.body(model)];
        ends.into_iter().flatten().for_each(|end| stirred[end] += contact.force.length());
    }
    stirred[first..].iter_mut().zip(&trace.airs).for_each(|(sum, air)| *sum += air.length());
    let all = || model.cloths.iter().flat_map(|cloth| &cloth.threads).zip(&trace.pulls);
    for (thread, pull) in all() {
        thread.ends.into_iter().for_each(|end| stirred[end as usize] += pull.length());
    }
    all().any(|(thread, pull)| {
        let [a, b] = thread.ends.map(|end| end as usize);
        let along = |state: &State| state.positions[b] - state.positions[a];
        let swing = |state: &State| state.velocities[a].distance(state.velocities[b]);
        let size = model.bodies[a].radius.min(model.bodies[b].radius);
        let lever = PLACE * size + dt * swing(old).max(swing(new));
        let moment = 0.5 * (along(old) + along(new)).cross(*pull).length();
        moment > lever * stirred[a].max(stirred[b])
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
    let is_hard = |cloth: &Cloth| cloth.air.is_some_and(|air| air.compliance == 0.0);
    let (first, trace) = (model.rigid_count(), &moved.trace);
    let work =
        model.cloths.iter().enumerate().filter(|(_, cloth)| is_hard(cloth)).map(|(k, cloth)| {
            let growth = cloth.volume(&new.positions) - cloth.volume(&old.positions);
            let by_pressure = trace.pressures.get(k).map_or(0.0, |pressure| pressure * growth);
            // The mode paper tells what the air gave to each particle.
            let push = |i: usize| trace.airs.get(i - first).copied().unwrap_or_default();
            let way = |i: usize| new.positions[i] - old.positions[i];
            let by_airs: f64 = cloth.particles().map(|i| push(i).dot(way(i))).sum();
            ((by_pressure + by_airs) / options.time_step).max(0.0)
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
    use crate::shape::{Mesh, Shape};
    use crate::step::Waypoint;
    use crate::world::{Air, Fabric, Ledger, Pattern, Report, StepKind, Trace, Weight};

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

    /// A sheet that is pulled out by a part in a step, and by another in the next.
    #[test]
    fn the_first_and_the_worst_are_told() {
        let (mut model, mut state) = (Model::new(3, DVec3::ZERO), State::default());
        model.add_cloth(&mut state, &Pattern::grid([1.0, 1.0], [3, 3]), &Fabric::default());
        let moved = Moved {
            kind: StepKind::Dynamics,
            path: vec![Waypoint::new(state.clone(), 0.0)],
            contacts: Vec::new(),
            trace: Box::new(Trace::default()),
            report: Report { ledger: Some(Ledger::default()), ..Report::default() },
        };
        let mut audit = Audit::default();
        for (step, longer) in [(1, 0.0), (2, 0.2), (3, 0.7), (4, 0.3)] {
            let mut pulled = state.clone();
            pulled.positions.iter_mut().for_each(|place| *place *= 1.0 + longer);
            let step = (step, &moved);
            audit.promise(&model, &DynamicsOptions::default(), [&pulled, &pulled], step);
        }
        let words = audit.broken.unwrap().in_words(10);
        assert!(words.contains("longer by 2.0e-1 than they should be, more than 0.1 in frame 12;"));
        assert!(words.contains("at worst, threads are longer by 7.0e-1"), "{words}");
        assert!(words.contains("in frame 13; more `cloth_passes`"), "{words}");
    }

    #[test]
    fn air_that_no_sheet_holds_is_told_so() {
        let (mut model, mut state) = (Model::new(3, DVec3::ZERO), State::default());
        let pattern = Pattern::of_mesh(Mesh::ball(1.0, 2));
        let cloth = model.add_cloth(&mut state, &pattern, &Fabric::default());
        let rest_volume = pattern.mesh.volume();
        let mut remedy = |factor: f64| {
            cloth.air = Some(Air { factor, rest_volume, compliance: 0.0 });
            remedy_of_torn(cloth, 0.1)
        };
        // A ball of threads that are longer by a tenth holds 1.331 times as much.
        assert!(remedy(1.45).starts_with("no cloth of this size"));
        assert!(remedy(1.3).starts_with("a lower `pressure.factor`, more"));
        cloth.air = None;
        assert!(remedy_of_torn(cloth, 0.1).starts_with("more `cloth_passes`"));
    }
}
