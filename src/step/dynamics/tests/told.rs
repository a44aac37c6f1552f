//! The impulses that a step tells are those that moved the bodies.

use super::*;
use crate::shape::{Boundary, Mesh};
use crate::world::{Fabric, Pattern, With};

/// What the contacts of a step did to each body: impulses, and moments about its centre.
fn impulses(model: &Model, before: &State, contacts: &[Contact]) -> Vec<[DVec3; 2]> {
    let mut sums = vec![[DVec3::ZERO; 2]; model.bodies.len()];
    for contact in contacts {
        let ends = [Some(contact.body as usize), contact.with.body(model)];
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let Some(body) = ends[side] else { continue };
            let arm = contact.at[side] - before.positions[body];
            sums[body][0] += contact.force * sign;
            sums[body][1] += (arm.cross(contact.force) + contact.couples[side]) * sign;
        }
    }
    sums
}

/// Runs, and compares momenta and places of the bodies named with what every step tells.
fn check(mut trial: Trial, steps: usize, bodies: std::ops::Range<usize>) -> Vec<Contact> {
    let mut dynamics = trial.dynamics();
    let mut all = Vec::new();
    let dt = trial.options.time_step;
    for step in 1..=steps {
        let before = trial.state.clone();
        let Moved { contacts, trace, .. } = stepped(&mut dynamics, &mut trial.state);
        let sums = impulses(&trial.model, &before, &contacts);
        let of = |list: &[DVec3], i: usize| list.get(i).copied().unwrap_or_default();
        for i in bodies.clone().filter(|&i| trial.model.bodies[i].is_free()) {
            let (body, now) = (&trial.model.bodies[i], &trial.state);
            let gained = (now.velocities[i] - before.velocities[i]) * body.mass;
            let given = sums[i][0] + trial.model.pull(i) * (body.mass * dt);
            let size = sums[i][0].length().max(gained.length());
            assert!((gained - given).length() <= 1e-9 * size, "{step} {i} {gained} {given}");
            let spin = |state: &State| body.inertia_turned(state.rotations[i]) * state.spins[i];
            let gained = spin(now) - spin(&before) - of(&trace.gyrations, i);
            let size = sums[i][0].length().max(body.mass * dt) * body.radius;
            let off = (gained - sums[i][1]).length();
            assert!(off <= 1e-9 * size, "{step} {i} {gained} {}", sums[i][1]);
            // Who gets no impulse goes where gravity takes it.
            let told = of(&trace.ways, i) + of(&trace.shifts, i);
            let substeps = trial.options.substeps as f64;
            let fall = match trial.options.mode {
                Mode::Default => 0.5 * dt * dt * (1.0 + 1.0 / substeps),
                Mode::Paper => dt * dt,
            };
            let free = before.velocities[i] * dt + trial.model.pull(i) * fall;
            let off = now.positions[i] - before.positions[i] - free - told;
            assert!(off.length() < 1e-12, "{step} {i} {off}");
        }
        all.extend(contacts);
    }
    all
}

#[test]
fn momentum_comes_from_the_impulses_that_are_told() {
    for mode in [Mode::Default, Mode::Paper] {
        let mut trial = Trial::new(9.81);
        trial.options.mode = mode;
        let room = Mesh::cuboid(DVec3::splat(-3.0), DVec3::splat(3.0));
        trial.model.boundary = Boundary::from_mesh(&room);
        for k in 0..6 {
            let at = DVec3::new(0.1 * k as f64, 0.0, -2.7 + 0.55 * k as f64);
            let body = if k % 2 == 0 { trial.cube(0.25, at) } else { trial.ball(0.25, at) };
            trial.body(body).material.restitution = 0.3;
            trial.body(body).material.rolling = 0.01;
        }
        let hung = trial.ball(0.2, DVec3::new(1.0, 1.0, 0.0));
        let at = trial.state.positions[hung];
        let rope = JointKind::Distance { least: 0.0, most: 1.0 };
        trial.join(rope, [Some(hung), None], [at, at + DVec3::new(0.6, 0.0, 0.8)]);
        let bar = trial.cuboid(DVec3::new(0.4, 0.1, 0.1), DVec3::new(-1.0, 1.0, 0.0));
        let hinge = trial.pin(JointKind::Hinge, bar, None, DVec3::new(-1.4, 1.0, 0.0));
        hinge.limits = Some([-0.5, 0.5]);
        let slid = trial.cube(0.1, DVec3::new(-1.0, -1.0, 0.0));
        let slider = trial.pin(JointKind::Slider, slid, None, DVec3::new(-1.0, -1.0, 0.0));
        slider.motor = Some(Motor { speed: 0.3, most: Some(5.0) });
        let count = trial.model.bodies.len();
        let told = check(trial, 100, 0..count);
        for kind in [With::Body(0), With::Face(0), With::Joint(0), With::Limit(0), With::Motor(0)] {
            let same = |with: With| with.parts().0 == kind.parts().0;
            assert!(told.iter().any(|contact| same(contact.with)), "{mode:?} {kind:?}");
        }
        assert!(told.iter().all(|c| (c.normal.length() - 1.0).abs() < 1e-12));
    }
}

/// What a sheet of cloth does to a ball is told, too.
#[test]
fn the_touches_of_cloth_are_told() {
    for mode in [Mode::Default, Mode::Paper] {
        let mut trial = Trial::new(9.81);
        trial.options.mode = mode;
        trial.ball(0.2, DVec3::new(0.01, 0.02, 0.23));
        let fabric = Fabric { radius: 0.025, damping: 2.0, density: 2.0, ..Default::default() };
        let sheet = Pattern::grid([1.0, 1.0], [11, 11]);
        let rim = sheet.rim();
        trial.model.add_cloth(&mut trial.state, &sheet, &fabric);
        for particle in rim {
            trial.body(1 + particle as usize).motion = Motion::Fixed;
        }
        let told = check(trial, 100, 0..1);
        let of_ball = |c: &Contact| c.body == 0 || c.with == With::Body(0);
        assert!(told.iter().any(of_ball), "{mode:?}");
    }
}
