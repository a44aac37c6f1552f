//! Cloth and balloons: closed forms, momentum, and what must not pass through what.

use super::*;
use crate::math::{DQuat, DVec3};
use crate::shape::{Core, Mesh, Piece};
use crate::world::{Air, Compliance, Fabric, Motion, Pattern, Weight};

struct Trial {
    assembly: Assembly,
    poses: Poses,
    options: Options,
}

impl Trial {
    fn new(gravity: f64) -> Trial {
        let assembly = Assembly { gravity: DVec3::NEG_Z * gravity, ..Default::default() };
        Trial { assembly, poses: Poses::default(), options: Options::default() }
    }

    fn body(&mut self, core: Core, radius: f64, at: DVec3) -> usize {
        let piece = Piece { at, ..Piece::new(core, radius) };
        self.assembly.add(&mut self.poses, vec![piece], Weight::Density(1.0)).unwrap().friction =
            0.5;
        self.assembly.parts.len() - 1
    }

    /// A cloth, moved and turned.
    fn cloth(&mut self, mut pattern: Pattern, fabric: &Fabric, at: DVec3, turn: DQuat) {
        for vertex in &mut pattern.mesh.vertices {
            *vertex = at + turn * *vertex;
        }
        self.assembly.add_cloth(&mut self.poses, &pattern, fabric);
    }

    fn balloon(&mut self, radius: f64, level: u32, factor: f64, fabric: &Fabric) {
        let pattern = Pattern::of_mesh(Mesh::ball(radius, level));
        let rest_volume = pattern.mesh.volume();
        let cloth = self.assembly.add_cloth(&mut self.poses, &pattern, fabric);
        cloth.air = Some(Air { factor, rest_volume, compliance: 0.0 });
    }

    fn run(&mut self, steps: usize, mut each: impl FnMut(&Poses, &Ledger)) {
        let mut dynamics = Dynamics::new(&self.assembly, self.options);
        for _ in 0..steps {
            let ledger = dynamics.step(&mut self.poses).unwrap();
            each(&self.poses, &ledger);
        }
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
        for part in &mut trial.assembly.parts {
            part.mass = 0.1;
        }
        for top in [10, 11] {
            trial.assembly.parts[top].motion = Motion::Fixed;
        }
        trial.options.mode = mode;
        (trial.options.cloth_passes, trial.options.position_iterations) = (passes, passes);
        trial.options.damping = 10.0;
        trial.run(300, |_, _| ());
        for row in 0..5 {
            let [lower, upper] = [2 * row, 2 * row + 2].map(|i| trial.poses.positions[i]);
            let expected = 0.1 + 1e-3 * 0.1 * 10.0 * (row + 1) as f64;
            let length = (upper - lower).length();
            assert!((length - expected).abs() < 1e-6, "{mode:?} {row}: {length} {expected}");
        }
    }
}

/// A sheet that is tied to a tumbling box by one side, nothing else around.
#[test]
fn cloth_on_a_free_body_keeps_momentum_and_angular_momentum() {
    for (mode, off) in [(Mode::Default, 1e-9), (Mode::Paper, 0.03)] {
        let mut trial = Trial::new(0.0);
        let half = DVec3::new(0.1, 0.3, 0.2);
        let cube = trial.body(Core::Box { half }, 0.0, DVec3::ZERO);
        trial.poses.velocities[cube] = DVec3::new(0.3, -0.2, 0.1);
        trial.poses.spins[cube] = DVec3::new(0.5, 1.0, -0.7);
        let compliance = Compliance { stretch: 0.0, shear: 1e-2, bend: Some(1.0) };
        let fabric = Fabric { compliance, damping: 0.5, radius: 0.01, ..Default::default() };
        trial.cloth(Pattern::grid([0.5, 0.5], [6, 6]), &fabric, DVec3::X * 0.35, DQuat::IDENTITY);
        for row in 0..6 {
            trial.assembly.attach(&trial.poses, 1 + 6 * row, Some(cube as u32));
        }
        trial.options.mode = mode;
        let start = trial.assembly.momentum(&trial.poses);
        let mut worst = (0.0_f64, 0.0_f64);
        trial.run(200, |_, ledger| {
            let linear = DVec3::from_array(ledger.momentum) - start.0;
            let angular = DVec3::from_array(ledger.angular_momentum) - start.1;
            worst = (worst.0.max(linear.length()), worst.1.max(angular.length()));
        });
        assert!(worst.0 < 1e-13 * 200.0 * start.0.length(), "{mode:?} {worst:?}");
        assert!(worst.1 < off * start.1.length(), "{mode:?} {worst:?} of {}", start.1.length());
        // The cloth has not come off.
        for tie in &trial.assembly.attachments {
            let body = trial.poses.rotations[0] * tie.point + trial.poses.positions[0];
            let gap = (trial.poses.positions[tie.particle as usize] - body).length();
            assert!(gap < 0.02, "{mode:?} {gap}");
        }
    }
}

#[test]
fn a_balloon_at_rest_has_the_volume_it_was_blown_up_to() {
    for (mode, passes) in [(Mode::Default, 10), (Mode::Paper, 100)] {
        for factor in [1.0, 1.3] {
            let mut trial = Trial::new(0.0);
            let compliance = Compliance { stretch: 1e-2, shear: 0.0, bend: None };
            let fabric = Fabric { compliance, damping: 10.0, radius: 0.01, ..Default::default() };
            trial.balloon(0.5, 1, factor, &fabric);
            trial.options.mode = mode;
            (trial.options.cloth_passes, trial.options.position_iterations) = (passes, passes);
            let momentum = trial.assembly.momentum(&trial.poses);
            trial.run(100, |_, _| ());
            let cloth = &trial.assembly.cloths[0];
            let rest = cloth.air.unwrap().rest_volume;
            let volume = cloth.volume(&trial.poses.positions) / rest;
            assert!((volume - factor).abs() < 1e-6, "{mode:?} {volume} {factor}");
            let after = trial.assembly.momentum(&trial.poses);
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
        let ball = trial.body(Core::Point, 0.3, DVec3::ZERO);
        trial.assembly.parts[ball].motion = Motion::Fixed;
        let compliance = Compliance { stretch: 0.0, shear: 1e-3, bend: None };
        let fabric = Fabric { compliance, radius: 0.02, friction: 0.5, ..Default::default() };
        let above = DVec3::new(0.02, 0.01, 1.0);
        trial.cloth(Pattern::grid([1.0, 1.0], [17, 17]), &fabric, above, DQuat::IDENTITY);
        trial.options.mode = mode;
        let mut nearest = f64::INFINITY;
        trial.run(120, |poses, _| {
            let distances = poses.positions[1..].iter().map(|at| at.length());
            nearest = distances.fold(nearest, f64::min);
        });
        assert!(nearest > 0.3 + 0.02 - 0.01, "{mode:?} {nearest}");
        let top = trial.poses.positions[1..].iter().map(|at| at.z).fold(f64::MIN, f64::max);
        assert!(top > 0.3, "it lies on the ball: {mode:?} {top}");
    }
}

/// A ball falls into a sheet that is held at its corners, and stays there.
#[test]
fn a_ball_lands_in_a_sheet() {
    for mode in [Mode::Default, Mode::Paper] {
        let mut trial = Trial::new(9.81);
        let ball = trial.body(Core::Point, 0.2, DVec3::new(0.01, 0.02, 0.4));
        let fabric = Fabric { radius: 0.025, damping: 2.0, density: 2.0, ..Default::default() };
        let count = 15;
        trial.cloth(
            Pattern::grid([1.0, 1.0], [count, count]),
            &fabric,
            DVec3::ZERO,
            DQuat::IDENTITY,
        );
        for corner in [0, count - 1, count * (count - 1), count * count - 1] {
            trial.assembly.parts[1 + corner].motion = Motion::Fixed;
        }
        (trial.options.mode, trial.options.damping) = (mode, 1.0);
        trial.run(300, |_, _| ());
        let at = trial.poses.positions[ball];
        assert!(at.z > -0.5 && at.z < 0.25, "{mode:?} {at}");
        assert!(trial.poses.velocities[ball].length() < 0.2, "{mode:?}");
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
            trial.assembly.parts[particle as usize].motion = Motion::Fixed;
        }
        let above = DVec3::new(0.03, 0.02, 0.4);
        trial.cloth(Pattern::grid([0.4, 0.4], [5, 5]), &fabric, above, DQuat::IDENTITY);
        trial.options.mode = mode;
        trial.run(150, |_, _| ());
        let (sheet, patch) = trial.poses.positions.split_at(121);
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
    let half = DVec3::new(2.0, 2.0, 0.5);
    let floor = trial.body(Core::Box { half }, 0.0, DVec3::Z * -0.5);
    trial.assembly.parts[floor].motion = Motion::Fixed;
    let fabric = Fabric { radius: 0.03, damping: 2.0, ..Default::default() };
    let upright = DQuat::from_rotation_x(1.5);
    trial.cloth(Pattern::grid([0.6, 0.6], [13, 13]), &fabric, DVec3::Z * 0.35, upright);
    trial.options.substeps = 8;
    trial.run(150, |_, _| ());
    let (x, rest) = (&trial.poses.positions[1..], &trial.assembly.cloths[0].rest);
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
