//! Made-up runs of the methods that take time steps.

use std::f64::consts::TAU;

use riprap::math::{DQuat, DVec3, Random};
use riprap::scene::{CollapseOptions, DynamicsOptions};
use riprap::shape::Shape;
use riprap::trajectory::{Contact, Ending, Frame, Ledger, Outcome, Report, StepKind, With};
use riprap::world::{Fabric, JointKind, Method, Model, Motion, Pattern, State, Weight};

use super::{Run, contact};

/// The impulses of a step, for the state after it.
type Impulses = Box<dyn Fn(&State) -> Vec<Contact>>;

/// Bodies that follow curves given by formulas.
struct Film {
    model: Model,
    frames: usize,
    kind: StepKind,
    /// Where everything is at a share (0 to 1) of the time.
    state: Box<dyn Fn(f64) -> State>,
    contacts: Impulses,
}

impl Film {
    fn write(self) -> Run {
        let frames = (0..self.frames).map(|step| self.frame(step));
        Run::write(&self.model, frames, Some(&duration_is_over()))
    }

    fn time_step(&self) -> f64 {
        self.model.method.time().map_or(1.0, |(time_step, _)| time_step)
    }

    fn frame(&self, step: usize) -> Frame {
        let share = |step: usize| step as f64 / (self.frames - 1).max(1) as f64;
        let mut state = (self.state)(share(step));
        let before = (self.state)(share(step.saturating_sub(1)));
        for i in 0..state.positions.len() {
            let moved = state.positions[i] - before.positions[i];
            state.velocities[i] = moved / self.time_step();
            let turn = state.rotations[i] * before.rotations[i].inverse();
            state.spins[i] = turn.to_scaled_axis() / self.time_step();
        }
        let energy = self.model.mechanical_energy(&state);
        let ledger = Ledger {
            energy,
            penetration: 1e-5 * share(step),
            rows: 12,
            pushing: 8,
            changes: u32::from(step % 3 == 2),
            joint_error: Some(1e-9),
            residual: 1e-12,
            ..Default::default()
        };
        Frame {
            step: step as u64,
            kind: if step == 0 { StepKind::Start } else { self.kind },
            energy,
            contacts: if step == 0 { Vec::new() } else { (self.contacts)(&state) },
            state,
            trace: Default::default(),
            report: Report { moving: 3, ledger: Some(ledger), ..Report::default() },
            seconds: vec![0.25, 0.5, 1.0],
        }
    }
}

fn duration_is_over() -> Ending {
    Ending {
        outcome: Outcome::Duration,
        reason: None,
        contacts: Vec::new(),
        certificate: None,
        seconds: 1.5,
        cpu_seconds: 2.75,
        parts: Vec::new(),
    }
}

/// Balls that drift for some time steps, each pushed by the floor, and then come to rest.
pub(crate) fn settled_after_dynamics(bodies: usize, frames: usize) -> Run {
    let rest = super::sample(bodies, frames);
    let mut model = rest.model();
    model.method = Method::Dynamics(DynamicsOptions::default());
    let frame = |step: usize| {
        let mut frame = rest.frame(step);
        frame.kind = if step == 0 { StepKind::Start } else { StepKind::Dynamics };
        let push =
            |(i, at): (usize, &DVec3)| contact(i as u32, With::Face(0), *at, 0.01 * DVec3::Z);
        frame.contacts = frame.state.positions.iter().enumerate().map(push).collect();
        frame
    };
    let moving = (&model, (0..frames).map(frame).collect(), &duration_is_over());
    super::in_two_phases(moving, &rest)
}

/// In the plane: six blocks, one of them an L, another with a hole, on a fixed ground, that tip
/// over to the right as one.
pub(crate) fn collapse(frames: usize) -> Run {
    let (mut model, mut start) = (Model::new(2, -DVec3::Y), State::default());
    model.name = "tower".into();
    model.groups = vec!["ground".into(), "blocks".into()];
    model.method = Method::Collapse(CollapseOptions::default());
    let square = |half: f64| [[-half, -half], [half, -half], [half, half], [-half, half]];
    let ell = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.0], [0.0, 0.0], [0.0, 0.5], [-0.5, 0.5]];
    let wide = [[-5.0, -1.0], [5.0, -1.0], [5.0, 0.0], [-5.0, 0.0]];
    let weight = Weight::Density(1.0);
    let ground = Shape::polygon(&wide, &[]).unwrap();
    let turn = DQuat::IDENTITY;
    model.add(&mut start, ground, DVec3::ZERO, turn, weight).unwrap().motion = Motion::Fixed;
    for k in 0..6 {
        let shape = match k {
            2 => Shape::polygon(&square(0.5), &[square(0.25).to_vec()]),
            5 => Shape::polygon(&ell, &[]),
            _ => Shape::polygon(&square(0.5), &[]),
        };
        let at = DVec3::new(0.0, 0.5 + k as f64, 0.0);
        model.add(&mut start, shape.unwrap(), at, turn, weight).unwrap().group = 1;
    }
    let state = move |share: f64| {
        let mut state = start.clone();
        let (turn, pivot) =
            (DQuat::from_rotation_z(-1.5 * share * share), DVec3::new(0.5, 0.0, 0.0));
        for i in 1..7 {
            state.positions[i] = pivot + turn * (start.positions[i] - pivot);
            state.rotations[i] = turn;
        }
        state
    };
    // Two corners of each block stand on what is below.
    let contacts = |state: &State| {
        let touch = |i: u32, side: f64| {
            let up = state.rotations[i as usize] * DVec3::Y;
            let corner = state.rotations[i as usize] * DVec3::new(0.4 * side, -0.5, 0.0);
            let at = state.positions[i as usize] + corner;
            contact(i, With::Body(i - 1), at, f64::from(7 - i) * 0.005 * up)
        };
        (1..7).flat_map(|i| [touch(i, -1.0), touch(i, 1.0)]).collect()
    };
    let (state, contacts) = (Box::new(state), Box::new(contacts));
    Film { model, frames, kind: StepKind::Collapse, state, contacts }.write()
}

/// Tumbling balls, boxes and cylinders above a wide fixed ground, some of them joined: a hinge,
/// a ball joint, a bar, and a rope to the world.
pub(crate) fn dynamics(bodies: usize, frames: usize) -> Run {
    let (mut model, mut start) = tumblers("tumblers", bodies, |k| match k % 4 {
        0 | 2 => Shape::ball(0.5),
        1 => Shape::cuboid(DVec3::new(1.0, 0.8, 0.6)).unwrap(),
        _ => Shape::cylinder(0.4, 1.0).unwrap(),
    });
    let middle =
        |start: &State, a: usize, b: usize| [start.positions[a].midpoint(start.positions[b]); 2];
    let axes = [DVec3::X; 2];
    let mut join = |kind, a: usize, b: usize, points| {
        model.join(&start, kind, [Some(a as u32), Some(b as u32)], points, axes);
    };
    join(JointKind::Hinge, 1, 2, middle(&start, 1, 2));
    join(JointKind::Ball, 3, 4, middle(&start, 3, 4));
    let ends = [start.positions[5], start.positions[6]];
    let long = ends[0].distance(ends[1]);
    join(JointKind::Distance { least: 0.999 * long, most: long }, 5, 6, ends);
    let hook = start.positions[7] + 3.0 * DVec3::Z;
    let rope = JointKind::Distance { least: 0.0, most: 4.0 };
    model.join(&start, rope, [Some(7), None], [start.positions[7], hook], axes);
    let all = bodies as u32;
    let contacts = move |state: &State| {
        let touch = |i: u32| {
            let at = state.positions[i as usize] - 0.5 * DVec3::Z;
            contact(i, With::Body(0), at, DVec3::new(0.01, 0.0, 0.1 * f64::from(1 + i % 3)))
        };
        let mut contacts: Vec<Contact> = (1..=all).map(touch).collect();
        let pull = contact(7, With::Joint(3), state.positions[7], 0.2 * DVec3::Z);
        contacts.push(Contact { at: [state.positions[7], hook], ..pull });
        contacts
    };
    // A state whose first body is the ground.
    start.positions.truncate(bodies + 1);
    let state = Box::new(tumbling(start, 7));
    Film { model, frames, kind: StepKind::Dynamics, state, contacts: Box::new(contacts) }.write()
}

/// Very many boxes.
pub(crate) fn crowd(bodies: usize, frames: usize) -> Run {
    let size = DVec3::new(1.0, 0.8, 0.6);
    let (model, start) = tumblers("crowd", bodies, |_| Shape::cuboid(size).unwrap());
    let state = Box::new(tumbling(start, 0));
    let contacts = Box::new(|_: &State| Vec::new());
    Film { model, frames, kind: StepKind::Dynamics, state, contacts }.write()
}

/// A ground, 100 wide, and bodies on a grid above it.
fn tumblers(name: &str, bodies: usize, shape: impl Fn(usize) -> Shape) -> (Model, State) {
    let (mut model, mut start) = (Model::new(3, -DVec3::Z), State::default());
    model.name = name.into();
    model.groups = vec!["ground".into(), "even".into(), "odd".into()];
    model.method = Method::Dynamics(DynamicsOptions::default());
    let ground = Shape::cuboid(DVec3::new(100.0, 100.0, 2.0)).unwrap();
    let (turn, weight) = (DQuat::IDENTITY, Weight::Density(1.0));
    let body = model.add(&mut start, ground, -DVec3::Z, turn, weight).unwrap();
    body.motion = Motion::Fixed;
    let side = (bodies as f64).cbrt().ceil() as usize;
    for k in 0..bodies {
        let place = [k % side, k / side % side, k / side / side].map(|n| 1.6 * n as f64);
        let at = DVec3::from_array(place) + DVec3::new(0.0, 0.0, 0.7);
        let body = model.add(&mut start, shape(k), at, turn, weight).unwrap();
        body.group = 1 + (k % 2) as u32;
    }
    (model, start)
}

/// Falls a little, swerves and spins, each body in its own way, but one.
fn tumbling(start: State, still: usize) -> impl Fn(f64) -> State {
    move |share: f64| {
        let mut state = start.clone();
        for i in 1..start.positions.len() {
            let mut random = Random::stream(7, i as u64);
            let mut part = || random.between(-1.0, 1.0);
            let axis = DVec3::new(part(), part(), part()).normalize_or(DVec3::Z);
            let phase = 0.5 * TAU * part();
            let swerve = DVec3::new((TAU * share + phase).sin(), (TAU * share - phase).cos(), 0.0);
            let still = if i == still { 0.0 } else { 1.0 };
            let fall = -0.3 * share * share * DVec3::Z;
            // Like the motion of crowds, it is not quite smooth.
            let noise = Random::stream((1e6 * share) as u64, i as u64).between(-1e-4, 1e-4);
            state.positions[i] += still * (0.2 * swerve + fall + noise * DVec3::ONE);
            state.rotations[i] = DQuat::from_axis_angle(axis, 3.0 * share + noise);
        }
        state
    }
}

/// A sheet, fixed at two corners and tied to a ball at another, that sags over the ball.
pub(crate) fn cloth(frames: usize) -> Run {
    let (mut model, mut start) = (Model::new(3, -DVec3::Z), State::default());
    model.name = "sheet".into();
    model.groups = vec!["ball".into(), "sheet".into()];
    model.method = Method::Dynamics(DynamicsOptions::default());
    model.add_particle(&mut start, DVec3::new(0.3, 0.0, -1.0), 5.0, 0.8);
    let pattern = Pattern::grid([4.0, 4.0], [17, 17]);
    model.add_cloth(&mut start, &pattern, &Fabric { radius: 0.05, ..Default::default() });
    let corners = pattern.corners();
    for particle in &mut model.bodies[1..] {
        particle.group = 1;
    }
    for corner in &corners[..2] {
        model.bodies[1 + *corner as usize].motion = Motion::Fixed;
    }
    model.attach(&start, 1 + corners[3], Some(0));
    let held = [1 + corners[0] as usize, 1 + corners[1] as usize];
    let state = move |share: f64| {
        let mut state = start.clone();
        state.positions[0].x += 0.2 * share;
        for (i, place) in state.positions.iter_mut().enumerate().skip(1) {
            if held.contains(&i) {
                continue;
            }
            let ball = DVec3::new(0.3 + 0.2 * share, 0.0, -1.0);
            let sag = 0.9 * share * (0.3 * (place.x - place.y).powi(2)).min(2.0);
            place.z -= sag;
            let away = *place - ball;
            if away.length() < 0.85 {
                *place = ball + 0.85 * away.normalize();
            }
        }
        state
    };
    let contacts = |state: &State| {
        let close = |i: &usize| state.positions[*i].distance(state.positions[0]) < 0.86;
        let touch = |i: usize| {
            let away = (state.positions[i] - state.positions[0]).normalize();
            contact(i as u32, With::Body(0), state.positions[i] - 0.05 * away, 0.001 * away)
        };
        (1..state.positions.len()).filter(close).map(touch).collect()
    };
    let (state, contacts) = (Box::new(state), Box::new(contacts));
    Film { model, frames, kind: StepKind::Dynamics, state, contacts }.write()
}
