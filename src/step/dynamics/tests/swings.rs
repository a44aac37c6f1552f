//! What swings on joints: closed forms, ratios of mass, units, and chains that snap tight.

use super::*;

/// A chain of links along x, hung up at the origin.
fn chain(masses: &[f64], length: f64, gravity: f64, time_step: f64) -> Trial {
    let mut trial = Trial::new(gravity);
    trial.options.time_step = time_step;
    for (k, mass) in masses.iter().enumerate() {
        let at = DVec3::X * length * (k as f64 + 0.5);
        let link = Shape::cuboid(DVec3::new(0.8, 0.2, 0.2) * length).unwrap();
        let body = trial.add_turned(link, at, DQuat::IDENTITY, Weight::Mass(*mass));
        trial.pin(JointKind::Ball, body, body.checked_sub(1), at - DVec3::X * (0.5 * length));
    }
    trial
}

/// Energies of motion at most, and the most by which a step raised the energy beyond what the half
/// substep between velocities and places explains, relative to that.
fn rise(trial: &mut Trial, steps: usize) -> f64 {
    let (model, mut old) = (trial.model.clone(), trial.state.clone());
    let h = trial.options.time_step / trial.options.substeps as f64;
    let (mut fastest, mut rise) = (0.0_f64, 0.0_f64);
    trial.run(steps, |seen| {
        let power = |state: &State| model.momentum(state).0.dot(model.gravity);
        let explained = 0.5 * h * (power(&old) - power(seen.state)).max(0.0);
        let gained = model.mechanical_energy(seen.state) - model.mechanical_energy(&old);
        fastest = fastest.max(model.kinetic_energy(seen.state));
        rise = rise.max(gained - explained);
        assert!(seen.ledger.joint_error.unwrap() < 1e-6);
        old = seen.state.clone();
    });
    rise / fastest
}

#[test]
fn chains_of_any_ratio_of_mass_and_in_any_unit_keep_their_energy() {
    for unit in [1e-3, 1.0, 1e3] {
        for masses in [[1.0, 1.0, 1e4], [1e4, 1.0, 1.0], [1.0, 1e-4, 1.0], [1.0, 1e4, 1.0]] {
            let length: f64 = 0.5 * unit;
            let mut trial = chain(&masses, length, 9.81, 0.01 * unit.sqrt());
            let rise = rise(&mut trial, 150);
            assert!(rise < 1e-3, "{unit} {masses:?} {rise}");
        }
    }
}

/// A chain with a heavy end is thrown up, goes slack and snaps tight again.
#[test]
fn chains_that_snap_tight_gain_no_energy() {
    let mut trial = chain(&[1.0, 1.0, 1.0, 1.0, 1.0, 3000.0], 0.2, 9.81, 0.01);
    let spin = DVec3::new(0.0, -4.5, 0.1);
    for body in 0..6 {
        trial.state.velocities[body] = spin.cross(trial.state.positions[body]);
        trial.state.spins[body] = spin;
    }
    let mut slack = false;
    let start = trial.model.mechanical_energy(&trial.state);
    let model = trial.model.clone();
    trial.run(300, |seen| {
        slack |= seen.state.positions[5].length() < 0.9;
        let energy = model.mechanical_energy(seen.state);
        assert!(energy < start + 0.01 * start.abs(), "{energy} {start}");
        assert!(seen.ledger.joint_error.unwrap() < 1e-4);
    });
    assert!(slack, "it was slack");
}

/// Two rods, hung on each other, that begin level.
struct Rods {
    /// Of either about its middle, in masses and squares of lengths.
    inertia: f64,
    /// Gravity by length.
    pull: f64,
}

impl Rods {
    /// Lagrange's equations for the angles from the vertical, and their rates.
    fn rates(&self, [a, b, u, v]: [f64; 4]) -> [f64; 4] {
        let (sin, cos) = (a - b).sin_cos();
        let (aa, bb, ab) = (1.25 + self.inertia, 0.25 + self.inertia, 0.5 * cos);
        let ra = -0.5 * sin * v * v - 1.5 * self.pull * a.sin();
        let rb = 0.5 * sin * u * u - 0.5 * self.pull * b.sin();
        let det = aa * bb - ab * ab;
        [u, v, (bb * ra - ab * rb) / det, (aa * rb - ab * ra) / det]
    }

    /// By the classical Runge-Kutta scheme.
    fn after(&self, mut at: [f64; 4], time: f64) -> [f64; 4] {
        let count = 20_000;
        let h = time / f64::from(count);
        let plus = |at: [f64; 4], by: [f64; 4], h: f64| [0, 1, 2, 3].map(|k| at[k] + h * by[k]);
        for _ in 0..count {
            let one = self.rates(at);
            let two = self.rates(plus(at, one, 0.5 * h));
            let three = self.rates(plus(at, two, 0.5 * h));
            let four = self.rates(plus(at, three, h));
            let mean = [0, 1, 2, 3].map(|k| (one[k] + 2.0 * (two[k] + three[k]) + four[k]) / 6.0);
            at = plus(at, mean, h);
        }
        at
    }
}

/// It goes where a far finer integration goes, closer as steps get shorter.
#[test]
fn a_double_pendulum_goes_where_it_should() {
    let (length, width, time) = (0.5, 0.02, 1.0);
    let inertia = (length * length + width * width) / (12.0 * length * length);
    let level = std::f64::consts::FRAC_PI_2;
    let end = Rods { inertia, pull: 9.81 / length }.after([level, level, 0.0, 0.0], time);
    let expected =
        DVec3::new(end[0].sin() + end[1].sin(), 0.0, -end[0].cos() - end[1].cos()) * length;
    let off = |steps: u32| {
        let mut trial = Trial::new(9.81);
        trial.options.time_step = time / f64::from(steps);
        for body in 0..2 {
            let at = DVec3::X * length * (body as f64 + 0.5);
            let rod = Shape::cuboid(DVec3::new(length, width, width)).unwrap();
            trial.add_turned(rod, at, DQuat::IDENTITY, Weight::Mass(1.0));
            trial.pin(JointKind::Hinge, body, body.checked_sub(1), at - DVec3::X * (0.5 * length));
        }
        trial.run(steps as usize, |_| ());
        let tip = trial.state.rotations[1] * (DVec3::X * (0.5 * length));
        (trial.state.positions[1] + tip).distance(expected)
    };
    let (coarse, fine) = (off(200), off(800));
    assert!(coarse < 0.05 * length, "{coarse}");
    assert!(fine < 0.3 * coarse, "{coarse} {fine}");
}

/// A ball on a string goes round in a level circle.
#[test]
fn a_conical_pendulum_stays_level() {
    let (angle, length) = (0.6_f64, 1.0);
    for kind in [
        JointKind::Distance { least: 0.0, most: 1.0 },
        JointKind::Distance { least: 1.0, most: 1.0 },
    ] {
        let mut trial = Trial::new(9.81);
        let at = DVec3::new(angle.sin(), 0.0, -angle.cos()) * length;
        let ball = trial.ball(0.05, at);
        trial.join(kind, [Some(ball), None], [at, DVec3::ZERO]);
        let rate = (9.81 / (length * angle.cos())).sqrt();
        trial.state.velocities[ball] = DVec3::Y * (rate * length * angle.sin());
        let turns = 3.0;
        let steps = (turns * std::f64::consts::TAU / (0.01 * rate)).round() as usize;
        trial.run(steps, |seen| {
            let off = seen.state.positions[ball].z + length * angle.cos();
            assert!(off.abs() < 0.01, "{off}");
        });
        let now = trial.state.positions[ball];
        let phase =
            now.y.atan2(now.x) - (steps as f64 * 0.01 * rate - turns * std::f64::consts::TAU);
        assert!(phase.abs() < 0.02, "{phase}");
    }
}

/// A chain between two points: at every joint the vertical pull grows by the weight of a link, so
/// the tangents of their slopes are in arithmetic progression.
#[test]
fn a_chain_hangs_as_a_catenary() {
    let (count, length, slope) = (20, 0.1, 0.9_f64);
    let mut trial = Trial::new(9.81);
    let mut at = DVec3::ZERO;
    for link in 0..count {
        let angle = if 2 * link < count { slope } else { -slope };
        let turn = DQuat::from_rotation_y(angle);
        let half = turn * (DVec3::X * (0.5 * length));
        let rod = Shape::cuboid(DVec3::new(0.8, 0.2, 0.2) * length).unwrap();
        trial.add_turned(rod, at + half, turn, Weight::Mass(1.0));
        trial.pin(JointKind::Ball, link, link.checked_sub(1), at);
        at += 2.0 * half;
    }
    trial.pin(JointKind::Ball, count - 1, None, at);
    trial.options.damping = 4.0;
    trial.run(800, |_| ());
    let slopes: Vec<f64> = trial
        .state
        .rotations
        .iter()
        .map(|turn| {
            let along = *turn * DVec3::X;
            along.z / along.x
        })
        .collect();
    let step = (slopes[count - 1] - slopes[0]) / (count - 1) as f64;
    assert!(step > 0.05, "{slopes:?}");
    for (link, slope) in slopes.iter().enumerate() {
        let expected = slopes[0] + step * link as f64;
        assert!((slope - expected).abs() < 1e-3 * step, "{link} {slope} {expected}");
    }
}

/// A chain that nothing holds falls as it is.
#[test]
fn a_free_chain_falls_as_a_body() {
    let mut trial = chain(&[1.0, 30.0, 1e-3, 5.0], 0.3, 9.81, 0.01);
    trial.model.joints.remove(0);
    let start = trial.state.clone();
    trial.run(100, |_| ());
    let fall = DVec3::Z * (0.5 * 9.81 * (1.0 + 0.0025));
    for body in 0..4 {
        let off = trial.state.positions[body] + fall - start.positions[body];
        assert!(off.length() < 1e-9, "{off}");
    }
}
