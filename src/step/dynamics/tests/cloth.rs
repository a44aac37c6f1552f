//! Cloth and balloons: closed forms, momentum, and what must not pass through what.

use super::*;
use crate::shape::{Boundary, Mesh};
use crate::world::{Air, Compliance, Fabric, Pattern};

impl Trial {
    /// A cloth, moved and turned.
    fn cloth(&mut self, mut pattern: Pattern, fabric: &Fabric, at: DVec3, turn: DQuat) {
        for vertex in &mut pattern.mesh.vertices {
            *vertex = at + turn * *vertex;
        }
        self.model.add_cloth(&mut self.state, &pattern, fabric);
    }

    fn balloon(&mut self, radius: f64, level: u32, factor: f64, fabric: &Fabric) {
        let pattern = Pattern::of_mesh(Mesh::ball(radius, level));
        let rest_volume = pattern.mesh.volume();
        let cloth = self.model.add_cloth(&mut self.state, &pattern, fabric);
        cloth.air = Some(Air { factor, rest_volume, compliance: 0.0 });
    }
}

/// Every thread of a hanging ladder is longer by its compliance times the weight below it.
#[test]
fn a_hanging_strip_stretches_by_its_compliance() {
    for (mode, passes) in [(Mode::Default, 60), (Mode::Paper, 400)] {
        let mut trial = Trial::new(10.0);
        let compliance = Compliance { stretch: 1e-3, shear: 1e9, bend: None };
        let fabric = Fabric { compliance, radius: 1e-3, ..Default::default() };
        let upright = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        trial.cloth(Pattern::grid([0.1, 0.5], [2, 6]), &fabric, DVec3::ZERO, upright);
        for body in &mut trial.model.bodies {
            body.mass = 0.1;
        }
        for top in [10, 11] {
            trial.body(top).motion = Motion::Fixed;
        }
        trial.options.mode = mode;
        (trial.options.cloth_passes, trial.options.position_iterations) = (passes, passes);
        trial.options.damping = 10.0;
        trial.run(300, |_| ());
        for row in 0..5 {
            let [lower, upper] = [2 * row, 2 * row + 2].map(|i| trial.state.positions[i]);
            let expected = 0.1 + 1e-3 * 0.1 * 10.0 * (row + 1) as f64;
            let length = (upper - lower).length();
            assert!((length - expected).abs() < 1e-6, "{mode:?} {row}: {length} {expected}");
        }
    }
}

/// A strip that gives far too much for its weights ends where stretch is allowed to.
#[test]
fn a_thread_that_gives_has_an_end() {
    let mut trial = Trial::new(10.0);
    let compliance = Compliance { stretch: 1e-1, shear: 1e9, bend: None };
    let fabric = Fabric { compliance, radius: 1e-3, ..Default::default() };
    let upright = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    trial.cloth(Pattern::grid([0.1, 0.5], [2, 6]), &fabric, DVec3::ZERO, upright);
    trial.model.bodies.iter_mut().for_each(|body| body.mass = 0.1);
    for top in [10, 11] {
        trial.body(top).motion = Motion::Fixed;
    }
    (trial.options.substeps, trial.options.damping) = (16, 10.0);
    trial.run(150, |_| ());
    let stretch = trial.model.cloths[0].stretch(&trial.state.positions);
    // A spring would be twice as long at its upper end.
    assert!(stretch > 0.079 && stretch < 0.09, "{stretch}");
}

/// A sheet that does not give falls into the ropes of its corners: it may lose energy there.
#[test]
fn a_stiff_sheet_gains_no_energy() {
    let mut trial = Trial::new(9.81);
    let fabric = Fabric { radius: 0.02, ..Default::default() };
    let count = 8;
    let sheet = Pattern::grid([1.0, 1.0], [count, count]);
    trial.cloth(sheet, &fabric, DVec3::ZERO, DQuat::IDENTITY);
    for corner in [0, count - 1, count * (count - 1), count * count - 1] {
        trial.body(corner).motion = Motion::Fixed;
    }
    // Held nearer to each other than they are, so that it falls and is stopped.
    trial.state.positions.iter_mut().for_each(|at| at.x *= 0.8);
    trial.options.substeps = 16;
    let (mut last, mut gained, mut range) = (f64::INFINITY, 0.0_f64, [f64::INFINITY, f64::MIN]);
    trial.run(100, |Seen { ledger, .. }| {
        gained = gained.max(ledger.energy - last);
        last = ledger.energy;
        range = [range[0].min(last), range[1].max(last)];
    });
    assert!(gained < 2e-3 * (range[1] - range[0]), "{gained} of {range:?}");
    assert!(trial.model.cloths[0].stretch(&trial.state.positions) < 0.1);
}

/// A sheet that is tied to a tumbling box by one side, nothing else around.
#[test]
fn cloth_on_a_free_body_keeps_momentum_and_angular_momentum() {
    for (mode, off) in [(Mode::Default, 1e-9), (Mode::Paper, 0.03)] {
        let mut trial = Trial::new(0.0);
        let cube = trial.cuboid(DVec3::new(0.1, 0.3, 0.2), DVec3::ZERO);
        trial.state.velocities[cube] = DVec3::new(0.3, -0.2, 0.1);
        trial.state.spins[cube] = DVec3::new(0.5, 1.0, -0.7);
        let compliance = Compliance { stretch: 0.0, shear: 1e-2, bend: Some(1.0) };
        let fabric = Fabric { compliance, damping: 0.5, radius: 0.01, ..Default::default() };
        trial.cloth(Pattern::grid([0.5, 0.5], [6, 6]), &fabric, DVec3::X * 0.35, DQuat::IDENTITY);
        for row in 0..6 {
            trial.model.attach(&trial.state, 1 + 6 * row, Some(cube as u32));
        }
        trial.options.mode = mode;
        let start = trial.model.momentum(&trial.state);
        let mut worst = (0.0_f64, 0.0_f64);
        trial.run(200, |Seen { ledger, .. }| {
            let linear = DVec3::from_array(ledger.momentum) - start.0;
            let angular = DVec3::from_array(ledger.angular_momentum) - start.1;
            worst = (worst.0.max(linear.length()), worst.1.max(angular.length()));
        });
        assert!(worst.0 < 1e-13 * 200.0 * start.0.length(), "{mode:?} {worst:?}");
        assert!(worst.1 < off * start.1.length(), "{mode:?} {worst:?} of {}", start.1.length());
        // The cloth has not come off.
        for tie in &trial.model.attachments {
            let body = trial.state.rotations[0] * tie.point + trial.state.positions[0];
            let gap = (trial.state.positions[tie.particle as usize] - body).length();
            assert!(gap < 0.02, "{mode:?} {gap}");
        }
    }
}

#[test]
fn a_balloon_at_rest_has_the_volume_it_was_blown_up_to() {
    // In the mode default air is blown in within 0.1 time units: what lacks is e^-20 of it at the end.
    for (mode, passes, steps) in [(Mode::Default, 10, 200), (Mode::Paper, 100, 100)] {
        for factor in [1.0, 1.3] {
            let mut trial = Trial::new(0.0);
            let compliance = Compliance { stretch: 1e-2, shear: 0.0, bend: None };
            let fabric = Fabric { compliance, damping: 10.0, radius: 0.01, ..Default::default() };
            trial.balloon(0.5, 1, factor, &fabric);
            trial.options.mode = mode;
            (trial.options.cloth_passes, trial.options.position_iterations) = (passes, passes);
            let momentum = trial.model.momentum(&trial.state);
            trial.run(steps, |_| ());
            let cloth = &trial.model.cloths[0];
            let rest = cloth.air.unwrap().rest_volume;
            let volume = cloth.volume(&trial.state.positions) / rest;
            assert!((volume - factor).abs() < 1e-6, "{mode:?} {volume} {factor}");
            let after = trial.model.momentum(&trial.state);
            let drift = (after.0 - momentum.0).length() + (after.1 - momentum.1).length();
            assert!(drift < if mode == Mode::Paper { 1e-2 } else { 1e-10 }, "{mode:?} {drift}");
        }
    }
}

/// A sheet falls onto a ball that stands, and hangs over it.
#[test]
fn cloth_does_not_pass_through_a_ball() {
    for mode in [Mode::Default, Mode::Paper] {
        let mut trial = Trial::new(9.81);
        let ball = trial.ball(0.3, DVec3::ZERO);
        trial.body(ball).motion = Motion::Fixed;
        let compliance = Compliance { stretch: 0.0, shear: 1e-3, bend: None };
        let fabric = Fabric { compliance, radius: 0.02, friction: 0.5, ..Default::default() };
        let above = DVec3::new(0.02, 0.01, 1.0);
        trial.cloth(Pattern::grid([1.0, 1.0], [17, 17]), &fabric, above, DQuat::IDENTITY);
        trial.options.mode = mode;
        let mut nearest = f64::INFINITY;
        trial.run(120, |Seen { state, .. }| {
            let distances = state.positions[1..].iter().map(|at| at.length());
            nearest = distances.fold(nearest, f64::min);
        });
        assert!(nearest > 0.3 + 0.02 - 0.01, "{mode:?} {nearest}");
        let top = trial.state.positions[1..].iter().map(|at| at.z).fold(f64::MIN, f64::max);
        assert!(top > 0.3, "it lies on the ball: {mode:?} {top}");
    }
}

/// A ball falls into a sheet that is held at its corners, and stays there.
#[test]
fn a_ball_lands_in_a_sheet() {
    for mode in [Mode::Default, Mode::Paper] {
        let mut trial = Trial::new(9.81);
        let ball = trial.ball(0.2, DVec3::new(0.01, 0.02, 0.4));
        let fabric = Fabric { radius: 0.025, damping: 2.0, density: 2.0, ..Default::default() };
        let count = 15;
        trial.cloth(
            Pattern::grid([1.0, 1.0], [count, count]),
            &fabric,
            DVec3::ZERO,
            DQuat::IDENTITY,
        );
        for corner in [0, count - 1, count * (count - 1), count * count - 1] {
            trial.body(1 + corner).motion = Motion::Fixed;
        }
        (trial.options.mode, trial.options.damping) = (mode, 1.0);
        trial.run(300, |_| ());
        let at = trial.state.positions[ball];
        assert!(at.z > -0.5 && at.z < 0.25, "{mode:?} {at}");
        assert!(trial.state.velocities[ball].length() < 0.2, "{mode:?}");
    }
}

/// A patch falls onto a sheet that is held at its rim.
#[test]
fn cloth_does_not_pass_through_cloth() {
    for mode in [Mode::Default, Mode::Paper] {
        let mut trial = Trial::new(9.81);
        let fabric = Fabric { radius: 0.05, damping: 2.0, ..Default::default() };
        let sheet = Pattern::grid([1.0, 1.0], [11, 11]);
        let rim = sheet.rim();
        trial.cloth(sheet, &fabric, DVec3::ZERO, DQuat::IDENTITY);
        for particle in rim {
            trial.body(particle as usize).motion = Motion::Fixed;
        }
        let above = DVec3::new(0.03, 0.02, 0.4);
        trial.cloth(Pattern::grid([0.4, 0.4], [5, 5]), &fabric, above, DQuat::IDENTITY);
        trial.options.mode = mode;
        trial.run(150, |_| ());
        let (sheet, patch) = trial.state.positions.split_at(121);
        for at in patch {
            let nearest = |one: &&DVec3, two: &&DVec3| {
                (**one - *at).length().total_cmp(&(**two - *at).length())
            };
            let below = sheet.iter().min_by(nearest).unwrap();
            assert!(at.z > below.z && (*at - *below).length() > 0.08, "{mode:?} {at} {below}");
        }
    }
}

/// A sheet that stands upright falls in a heap, and no two of its particles come too near.
#[test]
fn cloth_in_a_heap_keeps_its_thickness() {
    let mut trial = Trial::new(9.81);
    let floor = trial.cuboid(DVec3::new(2.0, 2.0, 0.5), DVec3::Z * -0.5);
    trial.body(floor).motion = Motion::Fixed;
    let fabric = Fabric { radius: 0.03, damping: 2.0, ..Default::default() };
    let upright = DQuat::from_rotation_x(1.5);
    trial.cloth(Pattern::grid([0.6, 0.6], [13, 13]), &fabric, DVec3::Z * 0.35, upright);
    trial.options.substeps = 8;
    trial.run(150, |_| ());
    let (x, rest) = (&trial.state.positions[1..], &trial.model.cloths[0].rest);
    let mut worst = f64::INFINITY;
    for i in 0..x.len() {
        assert!(x[i].z > 0.02, "{i} {}", x[i]);
        for j in 0..i {
            let least = (0.8 * rest[i].distance(rest[j])).min(0.06);
            worst = worst.min(x[i].distance(x[j]) / least);
        }
    }
    assert!(worst > 0.8, "{worst}");
}

/// The same in a container: its floor holds the sheet, and says so.
#[test]
fn cloth_lies_on_the_floor_of_its_container() {
    for mode in [Mode::Default, Mode::Paper] {
        let mut trial = Trial::new(9.81);
        let room = Mesh::cuboid(DVec3::splat(-1.0), DVec3::splat(1.0));
        trial.model.boundary = Boundary::from_mesh(&room);
        let fabric = Fabric { radius: 0.03, damping: 2.0, ..Default::default() };
        let above = DVec3::Z * -0.9;
        trial.cloth(Pattern::grid([0.6, 0.6], [11, 11]), &fabric, above, DQuat::IDENTITY);
        trial.options.mode = mode;
        let mut push = 0.0;
        trial.run(100, |Seen { contacts, .. }| {
            push = contacts.iter().map(|contact| contact.force.z).sum();
        });
        for at in &trial.state.positions {
            assert!((at.z + 0.97).abs() < 2e-3, "{mode:?} {at}");
        }
        let weight = 9.81 * trial.model.bodies.iter().map(|body| body.mass).sum::<f64>();
        assert!((push / (0.01 * weight) - 1.0).abs() < 0.02, "{mode:?} {push} {weight}");
    }
}

/// A ball at 300 m/s flies into a sheet that is held at its rim: it is caught where a stretch of a
/// tenth ends, and no step gains energy.
#[test]
fn a_sheet_catches_a_bullet() {
    let mut trial = Trial::new(0.0);
    trial.ball(0.15, DVec3::Z * 1.03);
    trial.state.velocities[0] = DVec3::Z * -300.0;
    let (count, fabric) = (21, Fabric { radius: 0.025, ..Default::default() });
    let sheet = Pattern::grid([2.0, 2.0], [count, count]);
    trial.cloth(sheet, &fabric, DVec3::ZERO, DQuat::IDENTITY);
    let is_rim = |k: usize| [k / count, k % count].iter().any(|&i| i == 0 || i == count - 1);
    for k in (0..count * count).filter(|&k| is_rim(k)) {
        trial.body(1 + k).motion = Motion::Fixed;
    }
    trial.options.substeps = 64;
    let (mut last, mut lowest) = (f64::INFINITY, f64::INFINITY);
    trial.run(10, |Seen { ledger, state, .. }| {
        assert!(ledger.energy <= last * (1.0 + 1e-9), "{} {last}", ledger.energy);
        last = ledger.energy;
        lowest = lowest.min(state.positions[0].z);
    });
    assert!(lowest < 0.15 && lowest > -0.46, "{lowest}");
}

/// A balloon without weight does not move, to the last digit.
#[test]
fn a_balloon_at_rest_rests() {
    let mut trial = Trial::new(0.0);
    trial.balloon(0.5, 2, 1.0, &Fabric { radius: 0.025, ..Default::default() });
    trial.options.substeps = 64;
    let before = trial.state.clone();
    trial.run(3, |_| ());
    assert_eq!(trial.state, before);
}

/// A small sheet that slides along the tube of a torus, and is pressed into it, leaves the arc that it
/// began the step on: the next one pushes it, too.
#[test]
fn cloth_slides_from_arc_to_arc() {
    let mut trial = Trial::new(0.0);
    let torus = trial.add(Shape::arc_torus(1.0, 0.2, 16).unwrap(), DVec3::ZERO);
    trial.body(torus).motion = Motion::Fixed;
    let fabric = Fabric { radius: 0.025, friction: 0.0, ..Default::default() };
    let (sin, cos) = 0.2_f64.sin_cos();
    let at = DVec3::new(cos, sin, 0.226);
    trial.cloth(Pattern::grid([0.02, 0.02], [2, 2]), &fabric, at, DQuat::IDENTITY);
    // Along the circle, over the end of an arc at an eighth of pi, and down.
    let velocity = DVec3::new(-30.0 * sin, 30.0 * cos, -2.0);
    trial.state.velocities[1..].fill(velocity);
    trial.options.substeps = 64;
    trial.run(1, |_| ());
    for place in &trial.state.positions[1..] {
        let angle = place.y.atan2(place.x);
        assert!(angle > 0.4, "{angle}");
        let apart = (place.truncate().length() - 1.0).hypot(place.z);
        assert!(apart > 0.225 - 0.001, "{apart}");
    }
}
