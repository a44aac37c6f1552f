//! Closed forms.

use super::*;
use crate::math::{DQuat, DVec3};
use crate::shape::{Core, Piece};
use crate::world::{BondKind, Motion, Weight};

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

    fn add(&mut self, core: Core, radius: f64, at: DVec3) -> usize {
        let piece = Piece { at, ..Piece::new(core, radius) };
        self.assembly.add(&mut self.poses, vec![piece], Weight::Density(1.0)).unwrap().friction =
            0.5;
        self.assembly.parts.len() - 1
    }

    fn cube(&mut self, half: f64, at: DVec3) -> usize {
        self.add(Core::Box { half: DVec3::splat(half) }, 0.0, at)
    }

    fn ball(&mut self, radius: f64, at: DVec3) -> usize {
        self.add(Core::Point, radius, at)
    }

    /// A floor with its top at z = 0.
    fn floor(&mut self) -> usize {
        let half = DVec3::new(50.0, 50.0, 1.0);
        let floor = self.add(Core::Box { half }, 0.0, DVec3::NEG_Z);
        self.assembly.parts[floor].motion = Motion::Fixed;
        floor
    }

    fn pin(&mut self, kind: BondKind, a: usize, b: Option<usize>, at: DVec3) {
        let parts = [Some(a as u32), b.map(|b| b as u32)];
        self.assembly.join(&self.poses, kind, parts, [at; 2], [DVec3::Y; 2]);
    }

    fn run(&mut self, steps: usize, mut each: impl FnMut(usize, &Poses, &Ledger)) {
        let mut dynamics = Dynamics::new(&self.assembly, self.options);
        for step in 0..steps {
            let ledger = dynamics.step(&mut self.poses).unwrap();
            each(step, &self.poses, &ledger);
        }
    }
}

#[test]
fn a_projectile_flies_its_parabola() {
    let mut trial = Trial::new(9.81);
    let ball = trial.ball(0.1, DVec3::ZERO);
    trial.poses.velocities[ball] = DVec3::new(3.0, 0.0, 4.0);
    trial.run(100, |_, _, _| ());
    let expected = DVec3::new(3.0, 0.0, 4.0 - 0.5 * 9.81);
    // Symplectic Euler falls short by g h t / 2 exactly, h being a substep.
    let short = 0.5 * 9.81 * 0.0025;
    assert!((trial.poses.positions[0] - expected + DVec3::Z * short).length() < 1e-12);
}

/// A ball on a string: period and energy over twenty swings.
#[test]
fn a_pendulum_keeps_its_period_and_energy() {
    let mut trial = Trial::new(9.81);
    let length = 1.0;
    let angle: f64 = 0.3;
    let at = DVec3::new(angle.sin(), 0.0, -angle.cos()) * length;
    trial.ball(0.05, at);
    trial.pin(BondKind::Ball, 0, None, DVec3::ZERO);
    let inertia = length * length + 0.4 * 0.05 * 0.05;
    // Pendulum of finite amplitude, by the arithmetic-geometric mean.
    let (mut a, mut g) = (1.0, (0.5 * angle).cos());
    for _ in 0..6 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    let period = std::f64::consts::TAU * (inertia / 9.81 / length).sqrt() / a;
    let start = trial.assembly.energy(&trial.poses);
    let (mut crossings, mut last) = (Vec::new(), at.x);
    let mut energies = Vec::new();
    let swing = 0.5 * trial.assembly.parts[0].mass * 9.81 * angle * angle;
    trial.run(4200, |step, poses, ledger| {
        let x = poses.positions[0].x;
        if last < 0.0 && x >= 0.0 {
            crossings.push(0.01 * (step as f64 - x / (x - last)));
        }
        last = x;
        energies.push((ledger.energy - start) / swing);
        assert!(ledger.joint_error.unwrap() < 1e-6, "{:?}", ledger.joint_error);
    });
    let n = crossings.len() - 1;
    let measured = (crossings[n] - crossings[0]) / n as f64;
    assert!(n > 15 && (measured / period - 1.0).abs() < 1e-4, "{measured} {period}");
    let drift = energies[2000..].iter().sum::<f64>() / 2200.0
        - energies[..2000].iter().sum::<f64>() / 2000.0;
    assert!(drift.abs() < 1e-4, "{drift}");
    assert!(
        energies.iter().all(|e| e.abs() < 0.02),
        "{:?}",
        energies.iter().fold(0.0_f64, |m, e| m.max(e.abs()))
    );
}

/// Intermediate axis: the handle flips over and over, and keeps energy and momentum.
#[test]
fn a_t_handle_flips_and_keeps_energy_and_angular_momentum() {
    let mut trial = Trial::new(0.0);
    let bar = Piece {
        turn: DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2),
        ..Piece::new(Core::Cylinder { radius: 0.1, half: 0.6 }, 0.0)
    };
    let stem = Piece {
        at: DVec3::X * 0.4,
        turn: DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2),
        ..Piece::new(Core::Cylinder { radius: 0.1, half: 0.3 }, 0.0)
    };
    trial.assembly.add(&mut trial.poses, vec![bar, stem], Weight::Density(1.0)).unwrap();
    trial.poses.spins[0] = DVec3::new(10.0, 0.01, 0.01);
    let start = trial.assembly.energy(&trial.poses);
    let (_, momentum) = trial.assembly.momentum(&trial.poses);
    let axis = trial.poses.rotations[0].inverse() * DVec3::X;
    let (mut flips, mut up) = (0, true);
    let assembly = trial.assembly.clone();
    trial.run(2000, |_, poses, ledger| {
        assert!((ledger.energy / start - 1.0).abs() < 2e-3, "{}", ledger.energy / start);
        let (_, now) = assembly.momentum(poses);
        assert!((now - momentum).length() < 1e-9 * momentum.length());
        let x = (poses.rotations[0] * axis).x;
        if (x > 0.5) != up && x.abs() > 0.5 {
            up = !up;
            flips += 1;
        }
    });
    assert!(flips >= 3, "{flips}");
}

#[test]
fn a_stack_rests() {
    let mut trial = Trial::new(9.81);
    trial.floor();
    for k in 0..10 {
        trial.cube(0.25, DVec3::Z * (0.25 + 0.5 * k as f64));
    }
    trial.run(300, |_, _, _| ());
    for k in 0..10 {
        let off = trial.poses.positions[k + 1] - DVec3::Z * (0.25 + 0.5 * k as f64);
        assert!(off.length() < 1e-5, "{k} {off}");
    }
}
