//! From motion to exactness. Dynamics leaves bodies overlapping by a hair;
//! with their rotations fixed, every pair of convex pieces has a direction
//! along which it can be taken apart, and a linear program finds the least
//! movement that does so for all pairs at once: the way from free-flying to
//! crowded bodies that [M96 6] asks for.

mod blocks; // what moves as one
mod directions; // along which pieces part
mod rows; // the half-spaces of all pairs

use std::sync::Arc;

use self::rows::Rows;
use super::{Moved, Progress, Stepper, Stopwatch, Waypoint};
use crate::energy;
use crate::math::{DQuat, DVec3};
use crate::problem::{Problem, Result};
use crate::shape::Core;
use crate::solver::{Accuracy, solve};
use crate::world::{Method, Model, Report, State, StepKind};

/// Bodies end this far apart, in radii of the smallest, so that rounding cannot join them again.
const HAIR: f64 = 1e-7;

/// The room that the method settle needs to start from between bodies that are not all balls, as
/// it rounds their edges first; in such radii.
const ROOM_TO_SETTLE: f64 = 4e-3;

/// The parts of the one step.
const PARTS: [&str; 1] = ["separate"];

/// Bodies may first move by a quarter of the smallest radius, but by no less than so many times
/// the deepest overlap and by no more than so many times; and by more whenever that is too little.
const LEAST_REACH: f64 = 8.0;
const MOST_REACH: f64 = 64.0;
const LONGER: f64 = 8.0;
const MOST_TRIES: usize = 4;
const MOST_ITERATIONS: usize = 100;

/// The movement is the least up to this part of the sum of all overlaps.
const LEAST: f64 = 1e-4;

/// The method: one step, from overlap to none.
pub struct Separate {
    model: Arc<Model>,
    watch: Stopwatch,
}

impl Separate {
    /// Ready for its step.
    pub fn start(model: Arc<Model>, clock: fn() -> f64) -> Separate {
        Separate { model, watch: Stopwatch::new(clock, PARTS.len()) }
    }

    fn take_apart(&self, state: &mut State) -> Result<Separated> {
        match self.model.method {
            Method::Separate(options) if options.to_settle && self.model.has_solids() => {
                separate(&as_settled(&self.model), state, ROOM_TO_SETTLE)
            }
            _ => separate(&self.model, state, 0.0),
        }
    }
}

impl Stepper for Separate {
    fn parts(&self) -> &'static [&'static str] {
        &PARTS
    }

    fn step(&mut self, state: &mut State) -> Result<Progress> {
        let mut watch = self.watch.clone();
        let done = watch.time(0, || self.take_apart(state))?;
        self.watch = watch;
        let free = self.model.free().count() as u32;
        let energy = energy::energy(&self.model, state);
        Ok(Progress::Moved(Moved {
            kind: StepKind::Separate,
            path: vec![Waypoint::new(state.clone(), energy)],
            contacts: Vec::new(),
            trace: Default::default(),
            report: Report {
                active: free,
                moving: if done.way > 0.0 { free } else { 0 },
                rows: done.rows as u32,
                iterations: done.iterations as u32,
                ledger: None,
            },
        }))
    }

    fn memory(&self) -> Vec<u8> {
        Vec::new()
    }

    fn take_seconds(&mut self) -> Vec<f32> {
        self.watch.take()
    }
}

/// The model as settle takes it: what has round sides and is no ball is a prism around them.
fn as_settled(model: &Model) -> Model {
    let mut model = model.clone();
    for piece in model.shapes.iter_mut().flat_map(|shape| &mut shape.pieces) {
        if let Core::Cylinder { .. } = piece.core {
            piece.core = Core::Polytope(piece.polytope());
            (piece.at, piece.turn) = (DVec3::ZERO, DQuat::IDENTITY);
        }
    }
    model
}

/// What a separation did.
#[derive(Clone, Debug, PartialEq)]
pub struct Separated {
    /// The deepest overlap before, as a length.
    pub overlap: f64,
    /// The longest way that a body went.
    pub way: f64,
    /// Rows of the program; 0 if nothing overlapped.
    pub rows: usize,
    /// Of the solver, likewise.
    pub iterations: usize,
}

/// Takes overlapping bodies apart, and out of the walls of the container, by the least movement
/// (the sum of all coordinates' changes), without turning any; what joints join moves as one.
/// All bodies are at rest afterwards, and `room` times the radius of the smallest apart, or a
/// hair more.
///
/// ```
/// use riprap::math::{DQuat, DVec3};
/// use riprap::shape::Shape;
/// use riprap::step::separate::separate;
/// use riprap::world::{Model, State, Weight};
///
/// let (mut model, mut state) = (Model::new(3, DVec3::ZERO), State::default());
/// for x in [0.0, 1.9] {
///     let (ball, at) = (Shape::ball(1.0), DVec3::X * x);
///     model.add(&mut state, ball, at, DQuat::IDENTITY, Weight::Density(1.0))?;
/// }
/// let done = separate(&model, &mut state, 0.0)?;
/// assert!((done.overlap - 0.1).abs() < 1e-12);
/// assert!((state.positions[1].x - state.positions[0].x - 2.0).abs() < 1e-6);
/// # Ok::<(), riprap::Problem>(())
/// ```
pub fn separate(model: &Model, state: &mut State, room: f64) -> Result<Separated> {
    if !model.cloths.is_empty() {
        return Err(Problem::new("cloth cannot be taken apart")
            .help("the exact programs move rigid bodies"));
    }
    for i in model.free() {
        (state.velocities[i], state.spins[i]) = (DVec3::ZERO, DVec3::ZERO);
    }
    let mut all = Rows::new(model, state, room);
    let deepest = all.deepest(state)?;
    let mut done = Separated { overlap: deepest.max(0.0), way: 0.0, rows: 0, iterations: 0 };
    if deepest <= -room * all.smallest {
        return Ok(done);
    }
    // Lengths in the program are in this unit, so that they are neither large nor small.
    let unit = done.overlap + all.skin;
    let mut reach = (MOST_REACH * unit).min((0.25 * all.smallest).max(LEAST_REACH * unit));
    for _ in 0..MOST_TRIES {
        let program = all.program(state, reach, unit)?;
        let burden: f64 = program.half_spaces.iter().map(|row| (-row.gap).max(0.0)).sum();
        let accuracy =
            Accuracy { relative: 0.0, absolute: LEAST * burden, max_iterations: MOST_ITERATIONS };
        let solution = solve(&program, accuracy, &[]);
        let slack = program.smallest_slack(&solution.motion) * unit;
        if slack > -0.5 * HAIR * all.smallest {
            for (i, block) in all.blocks.of.iter().enumerate() {
                if let Some(block) = block {
                    let way = solution.motion[*block as usize] * unit;
                    state.positions[i] += way;
                    done.way = done.way.max(way.length());
                }
            }
            done.rows = program.half_spaces.len();
            done.iterations = solution.iterations;
            return Ok(done);
        }
        reach *= LONGER;
    }
    Err(Problem::new(format!(
        "the bodies overlap by {deepest:.3e}, and no way to take them apart was found"
    ))
    .help(
        "nothing turns, and every pair is to part along the direction of its least overlap: \
         move the bodies that overlap most by hand, or give them more room",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use crate::shape::{Boundary, Mesh, Shape};
    use crate::world::{JointKind, Motion, Weight};

    fn empty(dimension: usize) -> (Model, State) {
        (Model::new(dimension, DVec3::ZERO), State::default())
    }

    fn add(model: &mut Model, state: &mut State, shape: Shape, at: DVec3) {
        model.add(state, shape, at, DQuat::IDENTITY, Weight::Density(1.0)).unwrap();
    }

    fn cuboid(x: f64, y: f64, z: f64) -> Shape {
        Shape::cuboid(DVec3::new(x, y, z)).unwrap()
    }

    /// Boxes and balls and cylinders, heaped closer than they are wide, on a slab.
    fn heap() -> (Model, State) {
        let (mut model, mut state) = empty(3);
        add(&mut model, &mut state, cuboid(18.0, 18.0, 1.0), DVec3::new(0.0, 0.0, -0.5));
        model.bodies[0].motion = Motion::Fixed;
        let mut random = Random::new(7);
        for k in 0..60 {
            let place = [k % 4, (k / 4) % 4, k / 16].map(|n| f64::from(n) * 0.97 + 0.47);
            let at = DVec3::from(place);
            let shape = match k % 3 {
                0 => Shape::ball(0.5),
                1 => cuboid(1.0, 1.0, 1.0),
                _ => Shape::cylinder(0.45, 1.0).unwrap(),
            };
            add(&mut model, &mut state, shape, at);
            let i = state.rotations.len() - 1;
            let axis = DVec3::new(random.normal(), random.normal(), random.normal());
            state.rotations[i] = DQuat::from_scaled_axis(0.05 * axis) * state.rotations[i];
            state.velocities[i] = axis;
        }
        (model, state)
    }

    fn deepest(model: &Model, state: &State) -> f64 {
        Rows::new(model, state, 0.0).deepest(state).unwrap()
    }

    #[test]
    fn a_heap_is_taken_apart_without_turning() {
        let (model, mut state) = heap();
        let before = state.clone();
        let done = separate(&model, &mut state, 0.0).unwrap();
        assert!(done.overlap > 0.02, "the heap overlaps: {done:?}");
        assert!(deepest(&model, &state) < 0.0);
        assert_eq!(before.rotations, state.rotations);
        assert_eq!(before.positions[0], state.positions[0], "the slab stands");
        assert!(state.velocities.iter().all(|v| *v == DVec3::ZERO));
        assert!(done.way < 8.0 * done.overlap, "{done:?}");
    }

    #[test]
    fn what_does_not_overlap_stays_to_the_last_bit() {
        let (model, mut state) = heap();
        separate(&model, &mut state, 0.0).unwrap();
        let first = state.clone();
        let done = separate(&model, &mut state, 0.0).unwrap();
        assert_eq!((done.overlap, done.way), (0.0, 0.0));
        assert!(first == state);
    }

    #[test]
    fn the_movement_is_the_least() {
        // Three balls in a row, 0.1 too close each: the outer ones go, the middle one stays.
        let (mut model, mut state) = empty(3);
        for x in [0.0, 1.9, 3.8] {
            add(&mut model, &mut state, Shape::ball(1.0), DVec3::new(x, 0.0, 0.0));
        }
        separate(&model, &mut state, 0.0).unwrap();
        let x: Vec<f64> = state.positions.iter().map(|p| p.x).collect();
        assert!((x[1] - 1.9).abs() < 1e-5, "{x:?}");
        assert!((x[0] + 0.1).abs() < 1e-5 && (x[2] - 3.9).abs() < 1e-5, "{x:?}");
    }

    #[test]
    fn joined_bodies_move_as_one() {
        let (mut model, mut state) = empty(3);
        for x in [0.0, 1.9, 4.5] {
            add(&mut model, &mut state, Shape::ball(1.0), DVec3::new(x, 0.0, 0.0));
        }
        let points = [DVec3::new(3.0, 0.0, 0.0); 2];
        model.join(&state, JointKind::Ball, [Some(1), Some(2)], points, [DVec3::X; 2]);
        separate(&model, &mut state, 0.0).unwrap();
        let x: Vec<f64> = state.positions.iter().map(|p| p.x).collect();
        assert!((x[2] - x[1] - 2.6).abs() < 1e-15, "{x:?}");
        assert!((x[0] + 0.1).abs() < 1e-5, "the lone ball goes, not the two: {x:?}");
    }

    /// Two balls on a rope: slack, they part; as long as it can be, it takes both along.
    #[test]
    fn ropes_hold_when_they_are_taut() {
        for (length, apart) in [(9.0, 2.5), (2.5, 2.5)] {
            let (mut model, mut state) = empty(3);
            for x in [0.0, 1.9, 4.4] {
                add(&mut model, &mut state, Shape::ball(1.0), DVec3::new(x, 0.0, 0.0));
            }
            let kind = JointKind::Distance { least: 0.0, most: length };
            let points = [state.positions[1], state.positions[2]];
            model.join(&state, kind, [Some(1), Some(2)], points, [DVec3::X; 2]);
            model.bodies[0].motion = Motion::Fixed;
            separate(&model, &mut state, 0.0).unwrap();
            let now = state.positions[2].x - state.positions[1].x;
            assert!((state.positions[1].x - 2.0).abs() < 1e-5, "{}", state.positions[1]);
            match length > 5.0 {
                true => assert!((now - 2.4).abs() < 1e-5, "{now}"),
                false => assert!((now - apart).abs() < 1e-12, "{now}"),
            }
        }
    }

    /// A rope that is too short to let two balls part is named; bodies on it do not move as one.
    #[test]
    fn a_rope_that_is_too_short_is_named() {
        let (mut model, mut state) = empty(2);
        for x in [0.1, 0.5] {
            add(&mut model, &mut state, Shape::disc(0.3), DVec3::X * x);
        }
        let kind = JointKind::Distance { least: 0.0, most: 0.4 };
        let points = [state.positions[0], state.positions[1]];
        model.join(&state, kind, [Some(0), Some(1)], points, [DVec3::X; 2]);
        let problem = separate(&model, &mut state, 0.0).unwrap_err();
        assert_eq!(
            problem.message,
            "the bodies 0 and 1 overlap, and joint 0 is too short to let them part"
        );
    }

    #[test]
    fn what_cannot_part_is_said() {
        let (mut model, mut state) = empty(3);
        for x in [0.0, 2.5] {
            add(&mut model, &mut state, cuboid(1.0, 18.0, 18.0), DVec3::new(x, 0.0, 0.0));
            model.bodies.last_mut().unwrap().motion = Motion::Fixed;
        }
        add(&mut model, &mut state, Shape::ball(1.0), DVec3::new(1.25, 0.0, 0.0));
        let problem = separate(&model, &mut state, 0.0).unwrap_err();
        assert!(problem.message.contains("no way to take them apart"), "{}", problem.message);
    }

    /// What sticks out of the container comes in, by the shortest way.
    #[test]
    fn walls_of_a_container_count() {
        let (mut model, mut state) = empty(3);
        model.boundary = Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::splat(5.0)));
        add(&mut model, &mut state, Shape::ball(1.0), DVec3::new(2.0, 2.0, 0.98));
        add(&mut model, &mut state, cuboid(1.0, 1.0, 1.0), DVec3::new(4.51, 4.52, 3.0));
        let done = separate(&model, &mut state, 0.0).unwrap();
        assert!((done.overlap - 0.02).abs() < 1e-9, "{done:?}");
        assert!(state.positions[0].distance(DVec3::new(2.0, 2.0, 1.0)) < 1e-5);
        assert!(state.positions[1].distance(DVec3::new(4.5, 4.5, 3.0)) < 1e-5);
        assert!(deepest(&model, &state) < 0.0);
    }

    /// Squares and discs in a square, and rounded ones: nothing leaves the plane.
    #[test]
    fn flat_bodies_part_in_their_plane() {
        let (mut model, mut state) = empty(2);
        let corners = [[0.0, 0.0], [6.0, 0.0], [6.0, 6.0], [0.0, 6.0]];
        model.boundary = Boundary::from_polygon(&corners);
        for k in 0..16 {
            let at = DVec3::new(f64::from(k % 4), f64::from(k / 4), 0.0) * 0.97 + 0.49;
            let square = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
            let shape = match k % 3 {
                0 => Shape::disc(0.5),
                1 => Shape::polygon(&square, &[]).unwrap(),
                _ => Shape::polygon(&square.map(|c| c.map(|x| 0.8 * x)), &[]).unwrap().rounded(0.1),
            };
            add(&mut model, &mut state, shape, DVec3::new(at.x, at.y, 0.0));
            state.rotations[k as usize] = DQuat::from_rotation_z(0.01 * f64::from(k));
        }
        let done = separate(&model, &mut state, 0.0).unwrap();
        assert!(done.overlap > 0.01 && done.way < 8.0 * done.overlap, "{done:?}");
        assert!(deepest(&model, &state) < 0.0);
        assert!(state.positions.iter().all(|p| p.z == 0.0));
    }
}
