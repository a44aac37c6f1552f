use super::*;
use crate::contact::samples::{cuboid, model};
use crate::math::DQuat;
use crate::shape::Shape;
use crate::step::Rest;
use crate::world::{Contact, Joint, JointKind, Motion, Weight, With};

fn no_clock() -> f64 {
    0.0
}

/// Settles to the end; the last state, and what proves its rest.
fn settled(model: Model, mut state: State) -> (State, Rest) {
    let mut settle = Settle::start(Arc::new(model), &state, None, no_clock).unwrap();
    for _ in 0..2000 {
        match settle.step(&mut state).unwrap() {
            Progress::Moved(moved) => {
                let last = moved.path.last().unwrap();
                assert_eq!(last.state, state);
                assert_eq!(last.energy, energy::energy(&settle.cores.model, &state));
            }
            Progress::Rest(rest) => return (state, rest),
        }
    }
    panic!("no rest after 2000 steps");
}

#[test]
fn a_ball_falls_and_rests() {
    let start = State::at_rest(vec![DVec3::new(3.0, 4.0, 5.0)]);
    let (state, rest) = settled(model(cuboid(10.0), &[1.0]), start);
    assert!((state.positions[0].z - 1.0).abs() < 1e-8);
    assert_eq!((rest.contacts.len(), rest.null_modes, rest.unstable_modes), (1, 2, 0));
    assert!(rest.is_proved());
    assert_eq!(rest.verdict(), "minimum up to neutral modes");
    let Contact { body, with, at, normal, force, choice, .. } = rest.contacts[0];
    assert!(body == 0 && matches!(with, With::Face(_)) && !choice);
    assert!(normal.distance(DVec3::Z) < 1e-12 && (normal.length() - 1.0).abs() < 1e-15);
    assert!(force.distance(DVec3::Z) < 1e-6 && at[1].distance(DVec3::new(3.0, 4.0, 0.0)) < 1e-6);
    assert!(at[0].distance(at[1]) < 1e-8);
}

#[test]
fn verdicts() {
    let rest = |residual: f64, null_modes: usize, unstable_modes: usize| Rest {
        contacts: Vec::new(),
        residual,
        bound: 0.0,
        unknowns: 9,
        null_modes,
        unstable_modes,
        margin: 1.0,
    };
    assert_eq!(rest(0.0, 0, 0).verdict(), "strict minimum");
    assert_eq!(rest(1e-3, 0, 0).verdict(), "forces do not balance");
    assert!(rest(0.0, 3, 1).verdict().starts_with("degenerate"));
}

/// Two methods, one of them stopped and resumed after every step, go the same way.
#[test]
fn the_memory_is_all_that_a_step_needs() {
    let model = Arc::new(model(cuboid(4.0), &[0.6, 0.5, 0.4, 0.5]));
    let positions = [[1.0, 1.0, 1.0], [1.2, 1.1, 2.4], [1.3, 2.2, 1.1], [2.5, 1.2, 3.0]];
    let start = State::at_rest(positions.map(DVec3::from_array).to_vec());
    let (mut straight, mut stopped) = (start.clone(), start);
    let resume = |state: &State, memory: Option<&[u8]>| {
        Settle::start(Arc::clone(&model), state, memory, no_clock).unwrap()
    };
    let mut one = resume(&straight, None);
    let mut memory = one.memory();
    loop {
        let mut other = resume(&stopped, Some(&memory));
        let progress = one.step(&mut straight).unwrap();
        other.step(&mut stopped).unwrap();
        assert_eq!(straight, stopped);
        if matches!(progress, Progress::Rest(_)) {
            return;
        }
        memory = other.memory();
        assert_eq!(memory, one.memory());
    }
}

#[test]
fn foreign_checkpoints_are_refused() {
    let [one, two] = [vec![0.5], vec![0.5, 0.5]].map(|radii| {
        let state = State::at_rest(radii.iter().map(|r| DVec3::splat(4.0 * r)).collect());
        (Arc::new(model(cuboid(4.0), &radii)), state)
    });
    let start = |(model, state): &(Arc<Model>, State), memory: Option<&[u8]>| {
        Settle::start(Arc::clone(model), state, memory, no_clock)
    };
    let memory = start(&one, None).ok().unwrap().memory();
    let message = |memory: &[u8]| start(&two, Some(memory)).err().unwrap().message;
    assert_eq!(message(&memory), "the checkpoint belongs to another scene");
    assert!(message(b"{}").starts_with("the checkpoint cannot be read: "));
    assert!(message(&memory[..50]).starts_with("the checkpoint cannot be read: "));
}

/// A model and a state of bodies of these shapes, above each other.
fn heap(shapes: Vec<(Shape, DQuat)>) -> (Model, State) {
    let (mut model, mut state) = (Model::new(3, -DVec3::Z), State::default());
    model.boundary = cuboid(4.0);
    let mut height = 0.0;
    for (k, (shape, turn)) in shapes.into_iter().enumerate() {
        height += shape.radius() + 0.05;
        let at =
            DVec3::new(2.0 + 0.1 * k as f64, 2.0 - 0.07 * k as f64, height) + turn * shape.origin;
        height += shape.radius();
        model.add(&mut state, shape, at, turn, Weight::Density(1.0)).unwrap();
    }
    (model, state)
}

/// The largest imbalance of a body between its weight and the forces of all contacts.
fn imbalance(model: &Model, contacts: &[Contact]) -> f64 {
    let mut left: Vec<DVec3> =
        (0..model.bodies.len()).map(|i| model.bodies[i].mass * model.pull(i)).collect();
    for contact in contacts {
        left[contact.body as usize] += contact.force;
        if let Some(other) = contact.with.body(model) {
            left[other] -= contact.force;
        }
    }
    model.free().map(|i| left[i].length() / model.bodies[i].mass).fold(0.0, f64::max)
}

/// Every kind of shape comes to a certified rest on its own, without overlap.
#[test]
fn every_shape_settles() {
    let ell = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]]
        .map(|corner: [f64; 2]| corner.map(|x| 0.4 * x));
    let pin = vec![
        (Shape::capsule(0.1, 0.8).unwrap(), DVec3::ZERO, DQuat::IDENTITY),
        (Shape::ball(0.3), DVec3::Z * 0.5, DQuat::IDENTITY),
        (Shape::cylinder(0.2, 0.2).unwrap(), DVec3::Z * -0.5, DQuat::from_rotation_x(0.5)),
    ];
    let cube = DVec3::new(0.5, 0.4, 0.3);
    let shapes = [
        ("ball", Ok(Shape::ball(0.3))),
        ("box", Shape::cuboid(cube)),
        ("rounded box", Shape::cuboid(cube).map(|shape| shape.rounded(0.1))),
        ("capsule", Shape::capsule(0.2, 0.6)),
        ("cylinder", Shape::cylinder(0.3, 0.5)),
        ("prism", Shape::prism(&ell, &[], 0.3)),
        ("torus", Shape::torus(0.4, 0.15, 8)),
        ("round torus", Shape::round_torus(0.4, 0.15, 8)),
        ("ring", Shape::ring(0.4, 0.3, 0.3, 8)),
        ("compound", Shape::compound(pin)),
    ];
    for (name, shape) in shapes {
        let turn = DQuat::from_rotation_x(0.6) * DQuat::from_rotation_y(0.3);
        for turn in [DQuat::IDENTITY, turn] {
            let (model, state) = heap(vec![(shape.clone().unwrap(), turn)]);
            let (end, rest) = settled(model.clone(), state.clone());
            assert!(rest.is_proved(), "{name}: {}", rest.residual);
            assert_eq!((end.rotations, &end.velocities), (state.rotations, &state.velocities));
            assert!(imbalance(&model, &rest.contacts) < 1e-6, "{name}");
            // The weight acts at the lowest points.
            let place = State { rotations: vec![turn], ..State::at_rest(end.positions) };
            let out = crate::near::deepest_overlap(&model, &place);
            assert!(out < 1e-9, "{name} sticks out by {out}");
            for contact in rest.contacts.iter().filter(|contact| contact.force.z > 1e-3) {
                let [own, floor] = contact.at;
                assert!(own.z.abs() < 2e-6 && floor.z.abs() < 1e-9, "{name}: {own} on {floor}");
                let local = place.local(Some(0), own);
                assert!(local.length() < model.bodies[0].radius + 1e-6, "{name}: {local}");
            }
        }
    }
}

/// Bodies of all kinds on each other.
#[test]
fn a_mixed_heap_settles() {
    let turn = |angle: f64| DQuat::from_rotation_x(angle);
    let pin = vec![
        (Shape::capsule(0.1, 0.8).unwrap(), DVec3::ZERO, DQuat::IDENTITY),
        (Shape::ball(0.3), DVec3::Z * 0.5, DQuat::IDENTITY),
    ];
    let (model, state) = heap(vec![
        (Shape::cylinder(0.4, 0.5).unwrap(), turn(0.2)),
        (Shape::capsule(0.2, 0.6).unwrap(), turn(1.5)),
        (Shape::ball(0.3), turn(0.0)),
        (Shape::compound(pin).unwrap(), turn(0.7)),
        (Shape::round_torus(0.4, 0.15, 6).unwrap(), turn(0.4)),
    ]);
    let model = Model { boundary: cuboid(9.0), ..model };
    let (end, rest) = settled(model.clone(), state);
    assert!(rest.is_proved(), "{}", rest.residual);
    assert!(crate::near::deepest_overlap(&model, &end) < 1e-9);
    assert!(imbalance(&model, &rest.contacts) < 1e-6);
}

/// A box that stands on its edge rests half a diagonal above the floor: bodies do not turn.
#[test]
fn turned_bodies_stay_turned() {
    let eighth = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4);
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let (model, state) = heap(vec![(cube.clone(), DQuat::IDENTITY), (cube, eighth)]);
    let (end, rest) = settled(model, state);
    assert!(rest.is_proved());
    assert_eq!(end.rotations, [DQuat::IDENTITY, eighth]);
    assert!((end.positions[0].z - 0.5).abs() < 1e-5);
    let lower = 1.0 + 0.5_f64.sqrt();
    assert!((end.positions[1].z - lower).abs() < 1e-5, "{}", end.positions[1].z);
    let on_edge = rest.contacts.iter().find(|contact| contact.with == With::Body(1)).unwrap();
    // The edge lies along y; the two have the middle of it in common.
    let middle = 0.5 * (end.positions[0].y + end.positions[1].y);
    assert!((on_edge.at[0] - DVec3::new(end.positions[1].x, middle, 1.0)).length() < 1e-5);
}

/// Joins a body to a point of the world, or to another body.
fn tie(model: &mut Model, state: &State, bodies: [Option<u32>; 2], end: DVec3, lengths: [f64; 2]) {
    let start = state.positions[bodies[0].unwrap() as usize];
    let [least, most] = lengths;
    let kind = JointKind::Distance { least, most };
    model.join(state, kind, bodies, [start, end], [DVec3::Z; 2]);
}

/// A ball on a rope from the ceiling hangs below its end.
#[test]
fn a_ball_hangs_from_the_world() {
    let mut model = model(cuboid(10.0), &[0.5]);
    let start = State::at_rest(vec![DVec3::new(6.5, 5.0, 8.0)]);
    let hook = DVec3::new(5.0, 5.0, 9.0);
    tie(&mut model, &start, [Some(0), None], hook, [0.0, 3.0]);
    let (end, rest) = settled(model, start);
    assert!(end.positions[0].distance(DVec3::new(5.0, 5.0, 6.0)) < 1e-4, "{}", end.positions[0]);
    assert!(end.positions[0].distance(hook) <= 3.0);
    assert_eq!((rest.is_proved(), rest.contacts.len(), rest.unstable_modes), (true, 1, 0));
    let Contact { with, at, normal, force, .. } = rest.contacts[0];
    assert_eq!((with, at[1], at[0]), (With::Joint(0), hook, end.positions[0]));
    assert!(force.distance(DVec3::Z) < 1e-6 && normal.distance(-DVec3::Z) < 1e-4);
    assert!(rest.contacts[0].pressure() < 0.0, "a rope pulls");
}

/// A ball on a bar that stands on the floor of the world: unstable, so it falls over.
#[test]
fn a_bar_to_the_world_holds_its_length() {
    let mut model = model(cuboid(10.0), &[0.5]);
    let (foot, start) =
        (DVec3::new(5.0, 5.0, 4.0), State::at_rest(vec![DVec3::new(5.0, 5.0, 6.0)]));
    tie(&mut model, &start, [Some(0), None], foot, [1.9, 2.0]);
    let (end, rest) = settled(model, start);
    assert!(rest.is_proved() && rest.unstable_modes == 0);
    assert!(end.positions[0].distance(DVec3::new(5.0, 5.0, 2.0)) < 1e-3, "{}", end.positions[0]);
}

/// The point of a rope need not be the centre of its body.
#[test]
fn ropes_hold_bodies_at_their_points() {
    let (mut model, mut state) = heap(vec![(Shape::cuboid(DVec3::ONE).unwrap(), DQuat::IDENTITY)]);
    state.positions[0] = DVec3::splat(5.0);
    let (corner, hook) = (DVec3::splat(5.5), DVec3::new(5.0, 5.0, 6.0));
    let kind = JointKind::Distance { least: 0.0, most: 1.0 };
    model.join(&state, kind, [Some(0), None], [corner, hook], [DVec3::Z; 2]);
    model.boundary = cuboid(20.0);
    let (end, rest) = settled(model, state);
    assert!(rest.is_proved());
    let expected = hook - DVec3::Z - DVec3::splat(0.5);
    assert!(end.positions[0].distance(expected) < 1e-3, "{}", end.positions[0]);
    assert!((rest.contacts[0].at[0] - rest.contacts[0].at[1] + DVec3::Z).length() < 1e-3);
}

#[test]
fn what_is_driven_stands() {
    let mut model = model(cuboid(10.0), &[0.5, 0.5]);
    model.bodies[0].motion = Motion::Driven;
    let start = State::at_rest(vec![DVec3::new(5.0, 5.0, 3.0), DVec3::new(5.1, 5.0, 5.0)]);
    let (end, rest) = settled(model, start.clone());
    assert!(rest.is_proved() && end.positions[0] == start.positions[0]);
    assert!((end.positions[1].z - 0.5).abs() < 1e-6);
}

#[test]
fn joints_that_settle_does_not_know_are_refused() {
    let refused = |change: &dyn Fn(&mut Joint)| {
        let mut model = model(cuboid(10.0), &[0.5]);
        let state = State::at_rest(vec![DVec3::splat(5.0)]);
        tie(&mut model, &state, [Some(0), None], DVec3::splat(6.0), [0.0, 3.0]);
        change(&mut model.joints[0]);
        Settle::start(Arc::new(model), &state, None, no_clock).err().unwrap().message
    };
    let message = "joint 0 is neither a rope nor a bar";
    assert_eq!(refused(&|joint| joint.kind = JointKind::Ball), message);
    assert_eq!(refused(&|joint| joint.bodies = [None, Some(0)]), message);
    let exact = JointKind::Distance { least: 3.0, most: 3.0 };
    assert!(refused(&|joint| joint.kind = exact).contains("has no room between its lengths"));
}
