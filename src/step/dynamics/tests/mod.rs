//! Closed forms: the basics here, the rest by subject.

mod cloth; // and balloons
mod containers; // walls
mod flat; // scenes of the plane
mod forces; // energies and paths
mod hold; // what is quiet
mod joints; // ropes, bars and joints that hold angles
mod paper; // the mode of that name
mod pieces; // bodies of many pieces
mod slides; // friction
mod swings; // chains, ropes and double pendulums
mod told; // impulses of contacts and joints
mod uneven; // heavy on light

use super::*;
use crate::math::{DQuat, DVec3};
use crate::shape::Shape;
use crate::world::{Body, Joint, JointKind, Method, Motion, Motor, Weight};

/// A model in the making, and its state.
pub(super) struct Trial {
    pub model: Model,
    pub state: State,
    pub options: DynamicsOptions,
}

/// What a test looks at after a step.
pub(super) struct Seen<'a> {
    pub step: usize,
    pub state: &'a State,
    pub ledger: &'a Ledger,
    pub contacts: &'a [Contact],
}

impl Trial {
    pub fn new(gravity: f64) -> Trial {
        let model = Model::new(3, DVec3::NEG_Z * gravity);
        Trial { model, state: State::default(), options: DynamicsOptions::default() }
    }

    pub fn add(&mut self, shape: Shape, at: DVec3) -> usize {
        self.add_turned(shape, at, DQuat::IDENTITY, Weight::Density(1.0))
    }

    pub fn add_turned(&mut self, shape: Shape, at: DVec3, turn: DQuat, weight: Weight) -> usize {
        self.model.add(&mut self.state, shape, at, turn, weight).unwrap();
        self.model.bodies.len() - 1
    }

    pub fn cuboid(&mut self, half: DVec3, at: DVec3) -> usize {
        self.add(Shape::cuboid(2.0 * half).unwrap(), at)
    }

    pub fn cube(&mut self, half: f64, at: DVec3) -> usize {
        self.cuboid(DVec3::splat(half), at)
    }

    pub fn ball(&mut self, radius: f64, at: DVec3) -> usize {
        self.add(Shape::ball(radius), at)
    }

    /// A floor with its top at z = 0.
    pub fn floor(&mut self) -> usize {
        let floor = self.cuboid(DVec3::new(50.0, 50.0, 1.0), DVec3::NEG_Z);
        self.body(floor).motion = Motion::Fixed;
        floor
    }

    pub fn body(&mut self, number: usize) -> &mut Body {
        &mut self.model.bodies[number]
    }

    pub fn join(
        &mut self,
        kind: JointKind,
        bodies: [Option<usize>; 2],
        points: [DVec3; 2],
    ) -> &mut Joint {
        let bodies = bodies.map(|body| body.map(|body| body as u32));
        self.model.join(&self.state, kind, bodies, points, [DVec3::Y; 2])
    }

    pub fn pin(&mut self, kind: JointKind, a: usize, b: Option<usize>, at: DVec3) -> &mut Joint {
        self.join(kind, [Some(a), b], [at; 2])
    }

    pub fn dynamics(&self) -> Dynamics {
        self.resumed(None)
    }

    pub fn resumed(&self, memory: Option<&[u8]>) -> Dynamics {
        let method = Method::Dynamics(self.options);
        let model = Arc::new(Model { method, ..self.model.clone() });
        Dynamics::start(model, &self.state, memory, || 0.0).unwrap()
    }

    pub fn run(&mut self, steps: usize, mut each: impl FnMut(Seen)) {
        let mut dynamics = self.dynamics();
        for step in 0..steps {
            let moved = stepped(&mut dynamics, &mut self.state);
            let ledger = moved.report.ledger.as_ref().unwrap();
            each(Seen { step, state: &self.state, ledger, contacts: &moved.contacts });
        }
    }
}

pub(super) fn stepped(dynamics: &mut Dynamics, state: &mut State) -> Moved {
    match dynamics.step(state).unwrap() {
        Progress::Moved(moved) => moved,
        Progress::Rest(_) => panic!("dynamics does not rest"),
    }
}

#[test]
fn a_projectile_flies_its_parabola() {
    let mut trial = Trial::new(9.81);
    let ball = trial.ball(0.1, DVec3::ZERO);
    trial.state.velocities[ball] = DVec3::new(3.0, 0.0, 4.0);
    trial.run(100, |_| ());
    let expected = DVec3::new(3.0, 0.0, 4.0 - 0.5 * 9.81);
    // Symplectic Euler falls short by g h t / 2 exactly, h being a substep.
    let short = 0.5 * 9.81 * 0.0025;
    assert!((trial.state.positions[0] - expected + DVec3::Z * short).length() < 1e-12);
}

/// A ball on a string: period and energy over twenty swings.
#[test]
fn a_pendulum_keeps_its_period_and_energy() {
    let mut trial = Trial::new(9.81);
    let length = 1.0;
    let angle: f64 = 0.3;
    let at = DVec3::new(angle.sin(), 0.0, -angle.cos()) * length;
    trial.ball(0.05, at);
    trial.pin(JointKind::Ball, 0, None, DVec3::ZERO);
    let inertia = length * length + 0.4 * 0.05 * 0.05;
    // Pendulum of finite amplitude, by the arithmetic-geometric mean.
    let (mut a, mut g) = (1.0, (0.5 * angle).cos());
    for _ in 0..6 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    let period = std::f64::consts::TAU * (inertia / 9.81 / length).sqrt() / a;
    let start = trial.model.mechanical_energy(&trial.state);
    let (mut crossings, mut last) = (Vec::new(), at.x);
    let mut energies = Vec::new();
    let swing = 0.5 * trial.model.bodies[0].mass * 9.81 * angle * angle;
    trial.run(4200, |Seen { step, state, ledger, .. }| {
        let x = state.positions[0].x;
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
    let quarter = std::f64::consts::FRAC_PI_2;
    let bar = Shape::cylinder(0.1, 1.2).unwrap();
    let stem = Shape::cylinder(0.1, 0.6).unwrap();
    let handle = Shape::compound(vec![
        (bar, DVec3::ZERO, DQuat::from_rotation_x(quarter)),
        (stem, DVec3::X * 0.4, DQuat::from_rotation_y(quarter)),
    ]);
    trial.add(handle.unwrap(), DVec3::ZERO);
    trial.state.spins[0] = DVec3::new(10.0, 0.01, 0.01);
    let start = trial.model.mechanical_energy(&trial.state);
    let (_, momentum) = trial.model.momentum(&trial.state);
    let axis = trial.state.rotations[0].inverse() * DVec3::X;
    let (mut flips, mut up) = (0, true);
    let model = trial.model.clone();
    trial.run(2000, |Seen { state, ledger, .. }| {
        assert!((ledger.energy / start - 1.0).abs() < 2e-3, "{}", ledger.energy / start);
        let (_, now) = model.momentum(state);
        assert!((now - momentum).length() < 1e-9 * momentum.length());
        let x = (state.rotations[0] * axis).x;
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
    trial.run(300, |_| ());
    for k in 0..10 {
        let off = trial.state.positions[k + 1] - DVec3::Z * (0.25 + 0.5 * k as f64);
        assert!(off.length() < 1e-4, "{k} {off}");
    }
}

/// Momentum before and after; a chain of all kinds of joints, thrown.
#[test]
fn joints_keep_momentum_and_hold() {
    for kind in [
        JointKind::Ball,
        JointKind::Line,
        JointKind::Plane,
        JointKind::Hinge,
        JointKind::Slider,
        JointKind::Universal,
        JointKind::Fixed,
        JointKind::Distance { least: 1.0, most: 1.0 },
        JointKind::Parallel,
        JointKind::Perpendicular,
        JointKind::Angle,
    ] {
        let mut trial = Trial::new(0.0);
        for k in 0..3 {
            let body = trial.cuboid(DVec3::new(0.3, 0.1, 0.2), DVec3::X * k as f64);
            trial.state.velocities[body] = DVec3::new(0.1 * k as f64, 0.3 - 0.2 * k as f64, 0.2);
            trial.state.spins[body] = DVec3::new(0.5, -0.4 * k as f64, 0.7);
        }
        for k in 0..2_usize {
            let at = DVec3::X * (k as f64 + 0.5);
            let (points, axes) = match kind {
                JointKind::Distance { .. } => {
                    ([DVec3::X * k as f64, DVec3::X * (k + 1) as f64], [DVec3::Z; 2])
                }
                JointKind::Universal | JointKind::Perpendicular => ([at; 2], [DVec3::Y, DVec3::Z]),
                _ => ([at; 2], [DVec3::Y; 2]),
            };
            let bodies = [Some(k as u32), Some(k as u32 + 1)];
            trial.model.join(&trial.state, kind, bodies, points, axes);
        }
        // Rates that the joints forbid are lost in the first step.
        trial.run(1, |_| ());
        let (linear, angular) = trial.model.momentum(&trial.state);
        let energy = trial.model.mechanical_energy(&trial.state);
        let mut worst = 0.0_f64;
        trial.run(300, |seen| worst = worst.max(seen.ledger.joint_error.unwrap()));
        let (p, l) = trial.model.momentum(&trial.state);
        assert!(worst < 1e-5, "{kind:?} {worst}");
        assert!((p - linear).length() < 1e-12, "{kind:?} {}", p - linear);
        assert!((l - angular).length() < 1e-4 * angular.length(), "{kind:?} {l} {angular}");
        let kept = trial.model.mechanical_energy(&trial.state) / energy;
        assert!((kept - 1.0).abs() < 0.02, "{kind:?} {kept}");
    }
}

/// A heavy ball on thirty light links: the joints hold as if the masses were equal.
#[test]
fn a_rope_holds_1800_times_its_links() {
    let mut trial = Trial::new(9.81);
    let turn = DQuat::from_rotation_y(0.5 * std::f64::consts::PI);
    for k in 0..30 {
        let at = DVec3::X * (0.1 * (k as f64 + 0.5));
        let link = Shape::capsule(0.01, 0.06).unwrap();
        trial.add_turned(link, at, turn, Weight::Mass(1.0));
        trial.pin(JointKind::Ball, k, k.checked_sub(1), DVec3::X * (0.1 * k as f64));
    }
    let (at, weight) = (DVec3::X * 3.1, Weight::Mass(1800.0));
    trial.add_turned(Shape::ball(0.1), at, DQuat::IDENTITY, weight);
    trial.pin(JointKind::Ball, 30, Some(29), DVec3::X * 3.0);
    // The tension makes light links swing at 800 radians a second: substeps must follow that.
    trial.options.substeps = 40;
    let mut worst = 0.0_f64;
    trial.run(100, |seen| worst = worst.max(seen.ledger.joint_error.unwrap()));
    assert!(worst < 1e-4, "{worst}");
}

/// Below the angle of friction it stays, above it slides with g (sin - mu cos).
#[test]
fn a_block_on_an_incline_stays_or_slides() {
    for (mode, friction) in
        [(Mode::Default, 0.6), (Mode::Default, 0.3), (Mode::Paper, 0.6), (Mode::Paper, 0.3)]
    {
        let mut trial = Trial::new(9.81);
        trial.options.mode = mode;
        let angle: f64 = 25.0_f64.to_radians();
        let turn = DQuat::from_rotation_y(angle);
        for (half, height) in [(DVec3::new(20.0, 2.0, 0.5), 0.0), (DVec3::splat(0.25), 0.75)] {
            let shape = Shape::cuboid(2.0 * half).unwrap();
            let at = turn * DVec3::Z * height;
            let body = trial.add_turned(shape, at, turn, Weight::Density(1.0));
            trial.body(body).material.friction = friction;
        }
        trial.body(0).motion = Motion::Fixed;
        let start = trial.state.positions[1];
        let down = turn * DVec3::X;
        trial.run(100, |_| ());
        let slid = (trial.state.positions[1] - start).dot(down);
        let expected = 0.5 * 9.81 * (angle.sin() - friction * angle.cos());
        match friction > angle.tan() {
            // The paper's object "will nearly stay".
            true => assert!(
                slid.abs() < if mode == Mode::Paper { 5e-3 } else { 1e-6 },
                "{mode:?} {slid}"
            ),
            false => assert!((slid / expected - 1.0).abs() < 0.03, "{mode:?} {slid} {expected}"),
        }
    }
}

#[test]
fn a_ball_bounces_to_the_square_of_its_restitution() {
    for (mode, restitution) in [(Mode::Default, 0.5), (Mode::Default, 0.8), (Mode::Paper, 0.5)] {
        let mut trial = Trial::new(9.81);
        trial.options = DynamicsOptions { mode, time_step: 0.001, ..trial.options };
        trial.floor();
        let ball = trial.ball(0.1, DVec3::Z * 1.1);
        trial.body(ball).material.restitution = restitution;
        let (mut bounced, mut top) = (false, 0.0_f64);
        trial.run(1000, |Seen { state, .. }| {
            bounced |= state.velocities[ball].z > 0.1;
            if bounced {
                top = top.max(state.positions[ball].z - 0.1);
            }
        });
        assert!((top / restitution.powi(2) - 1.0).abs() < 0.03, "{mode:?} {restitution} {top}");
    }
}

/// The old overlap is corrected by its stiffness, what is new at once [D14 6].
#[test]
fn the_split_rule_has_the_worked_values() {
    use super::paper::correction;
    assert!((correction(-0.1, -0.05, 0.2) + 0.06).abs() < 1e-15);
    assert!((correction(-0.03, -0.05, 0.2) + 0.006).abs() < 1e-15);
    assert_eq!(correction(0.0, 0.0, 0.2), 0.0);
}

/// A hinge with a motor reaches its speed and stops at its limit.
#[test]
fn motors_drive_and_limits_stop() {
    for mode in [Mode::Default, Mode::Paper] {
        let mut trial = Trial::new(0.0);
        trial.options.mode = mode;
        trial.cube(0.25, DVec3::X);
        let hinge = trial.pin(JointKind::Hinge, 0, None, DVec3::ZERO);
        hinge.motor = Some(Motor { speed: 2.0, most: None });
        hinge.limits = Some([-1.0, 1.0]);
        let mut angles = Vec::new();
        trial.run(150, |Seen { state, .. }| {
            angles.push((-state.positions[0].z).atan2(state.positions[0].x));
        });
        assert!((angles[29] - 0.6).abs() < 0.02, "{mode:?} {}", angles[29]);
        assert!((angles[149] - 1.0).abs() < 0.02, "{mode:?} {}", angles[149]);
        for (most, falls) in [(Some(0.01), true), (None, false)] {
            let mut trial = Trial::new(9.81);
            trial.options.mode = mode;
            trial.cube(0.25, DVec3::X);
            let hinge = trial.pin(JointKind::Hinge, 0, None, DVec3::ZERO);
            hinge.motor = Some(Motor { speed: 0.0, most });
            trial.run(50, |_| ());
            assert_eq!(trial.state.positions[0].z < -0.5, falls, "{mode:?} {most:?}");
        }
    }
}

#[test]
fn a_rope_of_limited_length_goes_slack_but_not_longer() {
    for (mode, off) in [(Mode::Default, 1e-6), (Mode::Paper, 1e-3)] {
        let mut trial = Trial::new(9.81);
        trial.options.mode = mode;
        trial.ball(0.1, DVec3::ZERO);
        let rope = JointKind::Distance { least: 0.0, most: 2.0 };
        trial.join(rope, [Some(0), None], [DVec3::ZERO, DVec3::Z]);
        let mut longest = 0.0_f64;
        trial.run(200, |Seen { state, .. }| {
            longest = longest.max((state.positions[0] - DVec3::Z).length());
        });
        assert!((longest - 2.0).abs() < off, "{mode:?} {longest}");
    }
}

#[test]
fn a_number_that_is_none_names_the_body() {
    let mut trial = Trial::new(9.81);
    trial.ball(0.1, DVec3::ZERO);
    trial.ball(0.1, DVec3::X);
    trial.state.velocities[1] = DVec3::X * 1e308;
    trial.state.spins[1] = DVec3::X * f64::INFINITY;
    let before = trial.state.clone();
    let mut dynamics = trial.dynamics();
    let problem = dynamics.step(&mut trial.state).unwrap_err();
    assert_eq!(problem.message, "the motion of body 1 is no number any more");
    assert_eq!(trial.state.positions, before.positions, "the last good state is kept");
}

/// The same bits after a checkpoint.
#[test]
fn a_resumed_stack_goes_on_bit_by_bit() {
    let mut trial = Trial::new(9.81);
    trial.floor();
    for k in 0..5 {
        trial.cube(0.25, DVec3::new(0.02 * k as f64, 0.0, 0.26 + 0.52 * k as f64));
    }
    let mut whole = trial.state.clone();
    let mut dynamics = trial.dynamics();
    let (mut halfway, mut told) = (None, Vec::new());
    for step in 0..60 {
        told = stepped(&mut dynamics, &mut whole).contacts;
        if step == 29 {
            halfway = Some((whole.clone(), dynamics.memory()));
        }
    }
    let (mut state, memory) = halfway.unwrap();
    let mut dynamics = trial.resumed(Some(&memory));
    let mut told_again = Vec::new();
    for _ in 0..30 {
        told_again = stepped(&mut dynamics, &mut state).contacts;
    }
    assert_eq!(state, whole);
    assert!(!told.is_empty() && told == told_again);
    let garbled = Dynamics::start(Arc::new(trial.model.clone()), &state, Some(b"x"), || 0.0);
    assert!(garbled.is_err_and(|problem| problem.message.contains("checkpoint")));
}

/// The foot of a stack whose top is 1024 times as heavy.
#[test]
fn a_stack_of_very_different_masses_stands() {
    let mut trial = Trial::new(9.81);
    trial.options.sweeps = 4000;
    trial.floor();
    for k in 0..6 {
        let (cube, at) = (Shape::cuboid(DVec3::ONE).unwrap(), DVec3::Z * (0.5 + k as f64));
        trial.add_turned(cube, at, DQuat::IDENTITY, Weight::Mass(4.0_f64.powi(k)));
    }
    let mut deepest = 0.0_f64;
    trial.run(60, |seen| deepest = deepest.max(seen.ledger.penetration));
    assert!(deepest < 1e-4, "{deepest}");
    for k in 0..6 {
        let off = trial.state.positions[k + 1] - DVec3::Z * (0.5 + k as f64);
        assert!(off.length() < 1e-3, "{k} {off}");
    }
}

/// A rod that turns by thousands of radians in a substep keeps its energy and its momentum.
#[test]
fn fast_spins_are_followed() {
    let mut trial = Trial::new(0.0);
    let bar = trial.add(Shape::capsule(0.2, 0.5).unwrap(), DVec3::ZERO);
    trial.state.spins[bar] = DVec3::new(-1.2e6, -1.5e6, 1.4e6);
    let energy = trial.model.kinetic_energy(&trial.state);
    let momentum = trial.model.momentum(&trial.state).1;
    trial.run(50, |_| ());
    assert!((trial.model.kinetic_energy(&trial.state) / energy - 1.0).abs() < 1e-12);
    assert!((trial.model.momentum(&trial.state).1 - momentum).length() < 1e-12 * momentum.length());
}

#[test]
fn a_particle_on_a_body_keeps_momentum() {
    let mut trial = Trial::new(0.0);
    let body = trial.cube(0.25, DVec3::ZERO);
    trial.model.add_particle(&mut trial.state, DVec3::X, 0.1, 0.05);
    assert!(trial.body(1).is_particle() && !trial.body(body).is_particle());
    let bar = JointKind::Distance { least: 0.75, most: 0.75 };
    trial.join(bar, [Some(1), Some(0)], [DVec3::X, DVec3::X * 0.25]);
    trial.state.velocities[1] = DVec3::Y;
    let before = trial.model.momentum(&trial.state);
    trial.run(200, |seen| assert!(seen.ledger.joint_error.unwrap() < 1e-6));
    let after = trial.model.momentum(&trial.state);
    assert!((after.0 - before.0).length() < 1e-13);
    assert!((after.1 - before.1).length() < 1e-4 * before.1.length());
    assert!(trial.state.spins[0].z.abs() > 0.01 && trial.state.spins[1] == DVec3::ZERO);
}

/// A pile of cubes and balls, large enough to be divided among threads.
#[test]
fn one_and_two_threads_give_the_same_bits() {
    for mode in [Mode::Default, Mode::Paper] {
        let mut trial = Trial::new(9.81);
        trial.options.mode = mode;
        trial.floor();
        for k in 0..120 {
            let shake = 0.02 * (k * 7 % 5) as f64;
            let at = DVec3::new(0.55 * (k / 12) as f64, 0.55 * (k % 6) as f64 + shake, 0.3);
            let at = at + DVec3::Z * (0.52 * (k / 6 % 2) as f64);
            if k % 3 == 0 {
                trial.ball(0.25, at)
            } else {
                trial.cube(0.25, at)
            };
        }
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut state = trial.state.clone();
            pool.install(|| {
                let mut dynamics = trial.dynamics();
                for _ in 0..30 {
                    dynamics.step(&mut state).unwrap();
                }
            });
            state
        };
        let (one, two, three) = (run(1), run(2), run(3));
        assert_eq!(one, two, "{mode:?}");
        assert_eq!(one, three, "{mode:?}");
    }
}
