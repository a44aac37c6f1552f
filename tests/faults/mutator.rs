//! Edits of runs that change their physics a little, drawn by a seeded generator:
//! bodies, frames, contacts and directions. Every edit is by a thousandth (of the size, the
//! speed or the impulse), or takes, doubles, swaps or renames something whole. Energies, and the
//! ledgers of steps, are made to fit, so that none of them gives an edit away.

use riprap::energy;
use riprap::math::{DQuat, DVec3, Random};
use riprap::trajectory::{Contact, Frame, Outcome};
use riprap::world::{Method, Motion, State};

use super::draft::Draft;

/// How large edits are.
pub const PART: f64 = 1e-3;

/// What is slower hardly moves: a thousandth of that is below what momentum is known to, 1e-8 of what
/// gravity gives in a step.
const MOVING: f64 = 1e-4;

/// What is edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Positions,
    Turns,
    Velocities,
    Spins,
    Impulses,
    Points,
    Masses,
    Options,
    Frames,
    Endings,
}

impl Kind {
    pub const ALL: [Kind; 10] = [
        Kind::Positions,
        Kind::Turns,
        Kind::Velocities,
        Kind::Spins,
        Kind::Impulses,
        Kind::Points,
        Kind::Masses,
        Kind::Options,
        Kind::Frames,
        Kind::Endings,
    ];
}

/// Edits a run; says what it did, or none if the run has nothing of the kind.
pub fn edit(draft: &mut Draft, kind: Kind, random: &mut Random) -> Option<String> {
    match kind {
        Kind::Positions | Kind::Turns | Kind::Velocities | Kind::Spins => {
            state(draft, kind, random)
        }
        Kind::Impulses | Kind::Points => contact(draft, kind, random),
        Kind::Masses => mass(draft, random),
        Kind::Options => option(draft, random),
        Kind::Frames => frames(draft, random),
        Kind::Endings => ending(draft, random),
    }
}

fn takes_time(draft: &Draft) -> bool {
    draft.model.method.time().is_some()
}

/// A number below another.
fn below(random: &mut Random, count: usize) -> Option<usize> {
    (count > 0).then(|| ((random.unit() * count as f64) as usize).min(count - 1))
}

fn pick<T: Copy>(random: &mut Random, list: &[T]) -> Option<T> {
    below(random, list.len()).map(|k| list[k])
}

/// A unit vector; in the plane, if there is only one.
fn direction(draft: &Draft, random: &mut Random) -> DVec3 {
    loop {
        let mut v = DVec3::new(random.unit(), random.unit(), random.unit()) * 2.0 - 1.0;
        if draft.model.dimension == 2 {
            v.z = 0.0;
        }
        let length = v.length();
        if (0.1..1.0).contains(&length) {
            return v / length;
        }
    }
}

fn axis(draft: &Draft, random: &mut Random) -> DVec3 {
    if draft.model.dimension == 2 { DVec3::Z } else { direction(draft, random) }
}

/// One body of one frame after the start.
fn state(draft: &mut Draft, kind: Kind, random: &mut Random) -> Option<String> {
    let in_time = takes_time(draft);
    if !in_time && kind != Kind::Positions {
        return None; // nothing turns or has a speed
    }
    // Of what settles, every way down is as good as another: only the end is held to anything.
    let frame = match in_time {
        true => 1 + below(random, draft.frames.len() - 1)?,
        false => draft.frames.len() - 1,
    };
    let held = |i: usize| {
        let contacts = &draft.ending.as_ref().unwrap().contacts;
        let own = |c: &&Contact| c.body as usize == i || c.with.body(&draft.model) == Some(i);
        contacts.iter().filter(own).count() > 3
    };
    let now = &draft.frames[frame].state;
    let fits = |i: &usize| match kind {
        Kind::Positions => in_time || held(*i),
        Kind::Velocities => now.velocities[*i].length() > MOVING,
        Kind::Spins => now.spins[*i].length() > MOVING,
        _ => draft.model.bodies[*i].inertia.z_axis.z > 0.0,
    };
    let bodies: Vec<usize> = draft.model.free().filter(fits).collect();
    let body = pick(random, &bodies)?;
    let (along, about) = (direction(draft, random), axis(draft, random));
    let size = PART * draft.model.bodies[body].radius;
    let now = &mut draft.frames[frame].state;
    match kind {
        Kind::Positions => now.positions[body] += size * along,
        Kind::Turns => {
            let turn = DQuat::from_scaled_axis(PART * about) * now.rotations[body];
            now.rotations[body] = turn.normalize();
        }
        Kind::Velocities => {
            let speed = now.velocities[body].length();
            now.velocities[body] += PART * speed * along;
        }
        _ => {
            let speed = now.spins[body].length();
            now.spins[body] += PART * speed * about;
        }
    }
    refit(draft, frame);
    Some(format!("{kind:?} of body {body}, frame {frame}"))
}

/// Energy and ledger of a frame that was edited.
fn refit(draft: &mut Draft, frame: usize) {
    let model = &draft.model;
    let Frame { state, energy, report, .. } = &mut draft.frames[frame];
    *energy = match model.method.time() {
        Some(_) => model.mechanical_energy(state) + energy::of_forces(model, state),
        None => energy::energy(model, state),
    };
    if let Some(ledger) = &mut report.ledger {
        let (momentum, angular) = model.momentum(state);
        ledger.energy = *energy;
        (ledger.momentum, ledger.angular_momentum) = (momentum.to_array(), angular.to_array());
    }
}

/// One impulse, its point, or what else moved a body in a step; at the end of what came to rest, a
/// force.
fn contact(draft: &mut Draft, kind: Kind, random: &mut Random) -> Option<String> {
    let in_time = takes_time(draft);
    // Where on a side a force presses is all the same to pieces that do not turn.
    if kind == Kind::Points && matches!(draft.model.method, Method::Compact(_)) {
        return None;
    }
    let frame = if in_time { 1 + below(random, draft.frames.len() - 1)? } else { 0 };
    if in_time
        && kind == Kind::Impulses
        && random.unit() < 0.3
        && let Some(told) = trace(draft, frame, random)
    {
        return Some(format!("{told}, frame {frame}"));
    }
    let contacts = match in_time {
        true => &draft.frames[frame].contacts,
        false => &draft.ending.as_ref()?.contacts,
    };
    let number = below(random, contacts.len())?;
    let mut edited = contacts[number];
    let force = edited.force.length();
    if force < 1e-9 {
        return None;
    }
    let along = direction(draft, random);
    if kind == Kind::Impulses {
        match below(random, 3)? {
            0 => edited.force *= 1.0 + PART,
            1 => edited.force *= 1.0 - PART,
            _ => edited.force += PART * force * along,
        }
    } else {
        // Along the line of the force a point is as good as another.
        let across = along.reject_from(edited.force).try_normalize()?;
        let other = edited.with.body(&draft.model);
        let radius = |body: usize| draft.model.bodies[body].radius;
        let own = radius(edited.body as usize);
        let size = other.map_or(own, |other| own.min(radius(other)));
        edited.at[below(random, 2)?] += PART * size * across;
    }
    match in_time {
        true => draft.frames[frame].contacts[number] = edited,
        false => draft.ending().contacts[number] = edited,
    }
    Some(format!("{kind:?} of {:?} {:?}, frame {frame}", edited.body, edited.with))
}

/// What moved the bodies besides contacts.
fn trace(draft: &mut Draft, frame: usize, random: &mut Random) -> Option<&'static str> {
    let along = direction(draft, random);
    let trace = &mut draft.frames[frame].trace;
    let lists = [
        ("kicks", &mut trace.kicks),
        ("pulls", &mut trace.pulls),
        ("airs", &mut trace.airs),
        ("strays", &mut trace.strays),
        ("ways", &mut trace.ways),
        ("turns", &mut trace.turns),
        ("shifts", &mut trace.shifts),
        ("gyrations", &mut trace.gyrations),
    ];
    let choice = below(random, lists.len() + 2)?;
    if choice >= lists.len() {
        let numbers =
            if choice == lists.len() { &mut trace.tensions } else { &mut trace.pressures };
        let large = numbers.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let number = numbers.iter_mut().find(|x| x.abs() > 0.1 * large)?;
        *number *= 1.0 + PART;
        return Some("tensions or pressures");
    }
    let (name, list) = lists.into_iter().nth(choice)?;
    let large = list.iter().fold(0.0_f64, |most, v| most.max(v.length()));
    // Of corrections, what is mere rounding is no physics.
    let vector = list.iter_mut().find(|v| v.length() > 0.1 * large.max(1e-5))?;
    *vector += along * (PART * vector.length());
    Some(name)
}

fn mass(draft: &mut Draft, random: &mut Random) -> Option<String> {
    let bodies: Vec<usize> = draft.model.free().collect();
    let body = pick(random, &bodies)?;
    let factor = if random.unit() < 0.5 { 1.0 + PART } else { 1.0 - PART };
    draft.model.bodies[body].mass *= factor;
    (0..draft.frames.len()).for_each(|frame| refit(draft, frame));
    Some(format!("mass of body {body}"))
}

fn option(draft: &mut Draft, random: &mut Random) -> Option<String> {
    let body = below(random, draft.model.bodies.len())?;
    let choice = below(random, 9)?;
    let model = &mut draft.model;
    let told = match choice {
        0 if model.gravity != DVec3::ZERO => {
            model.gravity *= 1.0 + PART;
            "gravity"
        }
        0 => return None,
        1 => {
            model.bodies[body].material.friction += PART;
            "friction"
        }
        2 => {
            model.bodies[body].material.restitution += PART;
            "restitution"
        }
        3 => {
            model.bodies[body].radius *= 1.0 + PART;
            "radius"
        }
        4 => {
            let is_fixed = model.bodies[body].motion == Motion::Fixed;
            model.bodies[body].motion = if is_fixed { Motion::Free } else { Motion::Fixed };
            "motion"
        }
        _ => match (&mut model.method, choice) {
            (Method::Collapse(options), 5 | 6) => {
                options.time_step *= 1.0 + PART;
                "time step"
            }
            (Method::Collapse(options), 7) => {
                options.steps += 1;
                "steps"
            }
            (Method::Dynamics(options), 5) => {
                options.time_step *= 1.0 + PART;
                "time step"
            }
            (Method::Dynamics(options), 6) => {
                options.steps += 1;
                "steps"
            }
            (Method::Dynamics(options), 7) => {
                options.substeps += 1;
                "substeps"
            }
            (Method::Dynamics(options), _) => {
                options.damping += PART;
                "damping"
            }
            (_, 5) => {
                model.dimension = 5 - model.dimension;
                "dimension"
            }
            _ => return None,
        },
    };
    (0..draft.frames.len()).for_each(|frame| refit(draft, frame));
    Some(told.into())
}

/// Frames that are taken out, doubled, swapped, frozen or turned round; counted anew.
fn frames(draft: &mut Draft, random: &mut Random) -> Option<String> {
    let count = draft.frames.len();
    let at = 1 + below(random, count.checked_sub(2)?)?;
    let in_time = takes_time(draft);
    let frames = &mut draft.frames;
    let told = match below(random, if in_time { 6 } else { 2 })? {
        0 => {
            frames.truncate(at);
            "truncated"
        }
        1 if !in_time => {
            frames.swap(0, count - 1);
            (frames[0].kind, frames[count - 1].kind) = (frames[count - 1].kind, frames[0].kind);
            "first and last swapped"
        }
        1 => {
            frames.remove(at);
            "dropped"
        }
        2 => {
            frames.insert(at, frames[at].clone());
            "doubled"
        }
        3 => {
            frames.swap(at, at + 1);
            "swapped"
        }
        4 => {
            let frozen: Frame = frames[at].clone();
            frames[at + 1..].iter_mut().for_each(|frame| frame.state = frozen.state.clone());
            "frozen"
        }
        _ => {
            let State { velocities, spins, .. } = &mut frames[at].state;
            velocities.iter_mut().chain(spins).for_each(|v| *v = -*v);
            "velocities turned round"
        }
    };
    draft.renumber();
    (0..draft.frames.len()).for_each(|frame| refit(draft, frame));
    Some(format!("{told} at {at}"))
}

/// Another end, or none; or fewer frames that are said to be all.
fn ending(draft: &mut Draft, random: &mut Random) -> Option<String> {
    let last = draft.frames.len() - 1;
    let told = draft.ending.as_ref()?.outcome;
    let wrong: Vec<Outcome> = [
        Outcome::Rest,
        Outcome::Duration,
        Outcome::Quiet,
        Outcome::Apart,
        Outcome::Failed,
        Outcome::StepLimit,
    ]
    .into_iter()
    // A rest that is not claimed is no lie.
    .filter(|outcome| *outcome != told && (takes_time(draft) || *outcome != Outcome::StepLimit))
    .collect();
    match below(random, 4)? {
        0 => draft.ending = None,
        1 => draft.ending().reason = Some("none".into()),
        2 if last > 1 => draft.frames.truncate(1 + below(random, last - 1)? + 1),
        _ => draft.ending().outcome = pick(random, &wrong)?,
    }
    let outcome = draft.ending.as_ref().map(|ending| ending.outcome);
    Some(format!("{outcome:?} after {} frames", draft.frames.len()))
}
