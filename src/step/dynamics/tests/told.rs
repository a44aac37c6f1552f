//! The impulses that a step tells are those that moved the bodies.

use super::*;
use crate::shape::{Boundary, Mesh};
use crate::world::{Fabric, Pattern, With};

/// What the contacts of a step did to each body.
fn impulses(model: &Model, contacts: &[Contact]) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; model.bodies.len()];
    for contact in contacts {
        sums[contact.body as usize] += contact.force;
        if let Some(other) = contact.with.body(model) {
            sums[other] -= contact.force;
        }
    }
    sums
}

/// Runs, and compares momenta of the bodies named with the impulses of every step that tells.
fn check(mut trial: Trial, steps: usize, bodies: std::ops::Range<usize>) -> Vec<Contact> {
    let mut dynamics = trial.dynamics();
    let mut all = Vec::new();
    for step in 1..=steps as u64 {
        let before = trial.state.velocities.clone();
        let contacts = stepped(&mut dynamics, &mut trial.state).contacts;
        assert!(contacts.is_empty() || step.is_multiple_of(TOLD_EVERY), "{step}");
        if contacts.is_empty() {
            continue;
        }
        let sums = impulses(&trial.model, &contacts);
        for i in bodies.clone().filter(|&i| trial.model.bodies[i].is_free()) {
            let mass = trial.model.bodies[i].mass;
            let gained = (trial.state.velocities[i] - before[i]) * mass;
            let given = sums[i] + trial.model.pull(i) * (mass * trial.options.time_step);
            let size = sums[i].length().max(gained.length());
            assert!((gained - given).length() < 1e-9 * size, "{step} {i} {gained} {given}");
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
        for kind in [With::Body(0), With::Face(0), With::Joint(0)] {
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
