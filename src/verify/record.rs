//! What the file says about itself: frames counted without gaps, hashes that
//! fit, and numbers that make sense.

use super::Verdict;
use super::skins::fault_of_shapes;
use crate::math::{DMat3, DQuat, DVec3};
use crate::scene::{Law, Material, MethodName};
use crate::trajectory::{Frame, Reader, StepKind};
use crate::world::{Anchor, Body, Joint, JointKind, Model, State};

/// Numbers are smaller than this, and radii and masses larger than its inverse:
/// beyond, the squares and cubes of geometry leave the range of floats.
const LARGEST: f64 = 1e100;

/// Rotations have length 1 up to this: rounding.
const ROUNDING: f64 = 1e-9;

/// Looks at the frames one after the other; keeps the first fault of each kind, in words.
#[derive(Default)]
pub(super) struct Record {
    pub steps: Option<String>,
    pub hashes: Option<String>,
    pub numbers: Option<String>,
}

impl Record {
    /// Looks at what comes before the frames.
    pub fn new(reader: &Reader) -> Record {
        let steps = reader.is_empty().then(|| "the run has no frames".to_string());
        let numbers = reader.phases().iter().find_map(|phase| fault_of_model(&phase.model));
        Record { steps, numbers, ..Record::default() }
    }

    pub fn frame(&mut self, reader: &Reader, index: usize, frame: &Frame) {
        let phase = &reader.phases()[reader.phase_at(index)];
        let (method, first) = (phase.model.method.name(), phase.first);
        self.steps = self.steps.take().or_else(|| fault_of_step(method, index, first, frame));
        self.hashes = self.hashes.take().or_else(|| fault_of_hash(reader, index, frame));
        let dimension = reader.model().dimension;
        self.numbers = self.numbers.take().or_else(|| fault_of_numbers(dimension, index, frame));
    }

    pub fn report(self, verdict: &mut Verdict) {
        let count = match verdict.frames {
            1 => "1 frame, the start".to_string(),
            frames => format!("{frames} frames, counted without a gap"),
        };
        verdict.state("steps", self.steps, count);
        let fine = "every frame has its hash and follows upon the one before";
        verdict.state("hashes", self.hashes, fine);
        verdict.state("numbers", self.numbers, "all numbers make sense");
    }
}

/// The steps that a method makes; besides, there is one start.
fn makes(method: MethodName, kind: StepKind) -> bool {
    match method {
        MethodName::Settle => {
            matches!(kind, StepKind::Settle | StepKind::Escape | StepKind::Polish)
        }
        MethodName::Compact => matches!(kind, StepKind::Settle | StepKind::Hop),
        MethodName::Collapse => kind == StepKind::Collapse,
        MethodName::Dynamics => kind == StepKind::Dynamics,
        MethodName::Separate => kind == StepKind::Separate,
    }
}

/// `first` is the start of the frame's phase.
fn fault_of_step(method: MethodName, index: usize, first: usize, frame: &Frame) -> Option<String> {
    if frame.step != index as u64 {
        return Some(format!("frame {index} says that it is step {}", frame.step));
    }
    match (index - first, frame.kind) {
        (0, StepKind::Start) => None,
        (0, kind) => Some(format!("frame {index} is no start, but of the kind {kind:?}")),
        (_, StepKind::Start) => Some(format!("frame {index} is a start")),
        // Bodies may be taken apart before they settle.
        (1, StepKind::Separate) if matches!(method, MethodName::Settle | MethodName::Compact) => {
            None
        }
        (_, kind) => (!makes(method, kind))
            .then(|| format!("frame {index} is of the kind {kind:?}, which {method} has not")),
    }
}

fn fault_of_hash(reader: &Reader, index: usize, frame: &Frame) -> Option<String> {
    let (stored, true_hash) = (reader.stored_hash(index), hash(&frame.state));
    if stored != true_hash {
        return Some(format!(
            "frame {index} is stored with the hash {stored:016x}, but its state has {true_hash:016x}"
        ));
    }
    let phase = &reader.phases()[reader.phase_at(index)];
    if index == phase.first && index > 0 && phase.previous != reader.stored_hash(index - 1) {
        return Some(format!("the phase of frame {index} does not follow upon the frame before"));
    }
    let before = match index == phase.first {
        true => phase.hash,
        false => reader.stored_hash(index - 1),
    };
    let named = reader.stored_previous_hash(index);
    (named != before).then(|| {
        format!(
            "frame {index} follows upon {named:016x}, but what comes before it is {before:016x}"
        )
    })
}

/// The hash of FORMAT.md, written down once more.
fn hash(state: &State) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |number: f64| {
        hash = (hash ^ number.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 32;
    };
    for vectors in [&state.positions, &state.velocities, &state.spins] {
        vectors.iter().for_each(|v| [v.x, v.y, v.z].into_iter().for_each(&mut add));
    }
    state.rotations.iter().for_each(|q| [q.x, q.y, q.z, q.w].into_iter().for_each(&mut add));
    hash
}

fn fault_of_model(model: &Model) -> Option<String> {
    let dimension = model.dimension;
    if !(2..=3).contains(&dimension) {
        return Some(format!("the dimension is {dimension}"));
    }
    if model.bodies.is_empty() {
        return Some("there are no bodies".into());
    }
    for (index, body) in model.bodies.iter().enumerate() {
        for (name, value) in [("radius", body.radius), ("mass", body.mass)] {
            if !(LARGEST.recip()..LARGEST).contains(&value) {
                return Some(format!("the {name} of body {index} is {value:?}"));
            }
        }
    }
    fault_of_shapes(model)
        .or_else(|| fault_of_bodies(model))
        .or_else(|| fault_of_gravity(model))
        .or_else(|| fault_of_forces(model))
        .or_else(|| fault_of_joints(model))
        .or_else(|| fault_of_time(model))
        .or_else(|| fault_of_container(model))
}

fn fault_of_bodies(model: &Model) -> Option<String> {
    let sensible = |m: &Material| {
        let all = [m.friction, m.restitution, m.rolling];
        all.iter().all(|x| (0.0..LARGEST).contains(x)) && m.restitution <= 1.0
    };
    if !sensible(&model.wall) {
        return Some(format!("the wall is made of {:?}", model.wall));
    }
    for (index, body) in model.bodies.iter().enumerate() {
        if !sensible(&body.material) {
            return Some(format!("body {index} is made of {:?}", body.material));
        }
        if !turns(body) {
            return Some(format!("the inertia of body {index} is {}", body.inertia));
        }
    }
    None
}

/// Whether an inertia is one: zero, or symmetric and positive about every axis of the frame.
fn turns(body: &Body) -> bool {
    let inertia = body.inertia;
    let diagonal = DVec3::new(inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z);
    let about = [inertia.x_axis, inertia.y_axis, inertia.z_axis];
    let is_small = about.iter().flat_map(|axis| axis.to_array()).all(|x| x.abs() < LARGEST);
    let skew = inertia - inertia.transpose();
    let largest = diagonal.max_element();
    is_small
        && (inertia == DMat3::ZERO
            || (diagonal.min_element() >= 0.0
                && diagonal.z > 0.0
                && skew.abs_diff_eq(DMat3::ZERO, ROUNDING * largest)))
}

/// Whether the method looks for a state of least energy: there must be one.
fn seeks_rest(model: &Model) -> bool {
    matches!(model.method.name(), MethodName::Settle | MethodName::Compact)
}

fn fault_of_gravity(model: &Model) -> Option<String> {
    let gravity = model.gravity;
    let idle = model.forces.is_empty() && model.bodies.iter().all(|b| b.push == DVec3::ZERO);
    let nothing_pulls = gravity == DVec3::ZERO && idle && seeks_rest(model);
    let is_wrong = nothing_pulls || !is_sensible(model.dimension, gravity);
    is_wrong.then(|| format!("the gravity is {gravity}"))
}

fn fault_of_container(model: &Model) -> Option<String> {
    let (faces, dimension) = (model.boundary.faces(), model.dimension);
    if faces.is_empty() && !model.has_forces() && seeks_rest(model) {
        return Some("the container has no faces".into());
    }
    // A segment in 2D, a triangle in 3D: as many corners as dimensions.
    let fits = |corners: &[DVec3]| {
        corners.len() == dimension && corners.iter().all(|c| is_sensible(dimension, *c))
    };
    let wrong = faces.iter().position(|face| !fits(&face.corners))?;
    Some(format!("face {wrong} of the container has the corners {:?}", faces[wrong].corners))
}

fn fault_of_time(model: &Model) -> Option<String> {
    let (step, _) = model.method.time()?;
    (!(LARGEST.recip()..LARGEST).contains(&step)).then(|| format!("the time step is {step:?}"))
}

fn fault_of_forces(model: &Model) -> Option<String> {
    let sensible = |place: DVec3| is_sensible(model.dimension, place);
    if let Some(index) = model.bodies.iter().position(|body| !sensible(body.push)) {
        return Some(format!("the push of body {index} is {}", model.bodies[index].push));
    }
    for (index, force) in model.forces.iter().enumerate() {
        let numbers = match force.law {
            Law::Attraction { strength }
            | Law::InverseSquare { strength }
            | Law::Repulsion { strength } => [strength, 0.0],
            Law::Spring { strength, rest_length } => [strength, rest_length],
            Law::ShortRange { strength, cut_off } => [strength, cut_off],
        };
        let anchored = |a: &Anchor| sensible(a.point) && (0.0..LARGEST).contains(&a.softening);
        if !numbers.iter().all(|number| (0.0..LARGEST).contains(number)) {
            return Some(format!("force {index} is {:?}", force.law));
        }
        if !force.anchors.iter().all(anchored) || force.pairs.iter().any(|[a, b]| a == b) {
            return Some(format!("force {index} acts where nothing can"));
        }
    }
    None
}

fn fault_of_joints(model: &Model) -> Option<String> {
    let fits = |joint: &Joint| {
        let [one, two] = joint.bodies;
        let places = joint.points.iter().all(|p| is_sensible(3, *p));
        let axes = joint.axes.iter().all(|a| a.is_finite() && (a.length() - 1.0).abs() < ROUNDING);
        let apart = match joint.kind {
            JointKind::Distance { least, most } => {
                least >= 0.0 && least <= most && (LARGEST.recip()..LARGEST).contains(&most)
            }
            _ => true,
        };
        let ordered = joint.limits.is_none_or(|[least, most]| least <= most);
        let rest = (joint.rest.length() - 1.0).abs() < ROUNDING;
        one.is_some() && one != two && places && axes && apart && ordered && rest
    };
    let wrong = model.joints.iter().position(|joint| !fits(joint))?;
    Some(format!("joint {wrong} is {:?}", model.joints[wrong]))
}

fn fault_of_numbers(dimension: usize, index: usize, frame: &Frame) -> Option<String> {
    if !frame.energy.is_finite() {
        return Some(format!("the energy of frame {index} is {:?}", frame.energy));
    }
    let state = &frame.state;
    if let Some(body) = state.positions.iter().position(|p| !is_sensible(dimension, *p)) {
        let position = state.positions[body];
        return Some(format!(
            "in frame {index} body {body} of a {dimension}D run is at {position}"
        ));
    }
    if let Some(body) = state.velocities.iter().position(|v| !is_sensible(dimension, *v)) {
        let velocity = state.velocities[body];
        return Some(format!("the velocity of body {body} in frame {index} is {velocity}"));
    }
    let about_z = |spin: DVec3| dimension == 3 || (spin.x == 0.0 && spin.y == 0.0);
    let spins = |spin: &DVec3| is_sensible(3, *spin) && about_z(*spin);
    if let Some(body) = state.spins.iter().position(|spin| !spins(spin)) {
        let spin = state.spins[body];
        return Some(format!("the spin of body {body} in frame {index} is {spin}"));
    }
    let is_turn = |q: &DQuat| (q.length() - 1.0).abs() <= ROUNDING && about_z(q.xyz());
    let bent = state.rotations.iter().position(|q| !is_turn(q))?;
    Some(format!("the rotation of body {bent} in frame {index} is none: it stretches the body"))
}

/// Whether a vector is neither endless nor out of the plane z = 0 of 2D runs.
fn is_sensible(dimension: usize, vector: DVec3) -> bool {
    let is_small = vector.to_array().iter().all(|x| x.abs() < LARGEST);
    is_small && (dimension == 3 || vector.z == 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Boundary, Mesh, Shape};
    use crate::trajectory::samples;

    fn numbers(change: impl Fn(&mut Model)) -> String {
        let mut model = samples::model(3);
        change(&mut model);
        fault_of_model(&model).unwrap_or_default()
    }

    #[test]
    fn models_that_make_no_sense_are_described() {
        assert_eq!(numbers(|_| ()), "");
        assert_eq!(numbers(|m| m.dimension = 4), "the dimension is 4");
        assert_eq!(numbers(|m| m.bodies.clear()), "there are no bodies");
        assert_eq!(numbers(|m| m.bodies[1].radius = -0.5), "the radius of body 1 is -0.5");
        assert_eq!(numbers(|m| m.bodies[2].mass = f64::NAN), "the mass of body 2 is NaN");
        assert_eq!(numbers(|m| m.bodies[0].mass = 1e200), "the mass of body 0 is 1e200");
        assert_eq!(numbers(|m| m.gravity = DVec3::ZERO), "the gravity is [0, 0, 0]");
        let flat = Boundary::from_polygon(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
        let fault = numbers(|m| m.boundary = flat.clone());
        assert!(fault.starts_with("face 0 of the container has the corners"), "{fault}");
        let nothing = Boundary::from_mesh(&Mesh { vertices: vec![], triangles: vec![] });
        assert_eq!(numbers(|m| m.boundary = nothing.clone()), "the container has no faces");
        let tilted = numbers(|m| {
            (m.dimension, m.boundary) = (2, flat.clone());
            m.shapes = m.bodies.iter().map(|body| Shape::disc(body.radius)).collect();
        });
        assert_eq!(tilted, "the gravity is [0, 0, -9.81]");
        let sticky = numbers(|m| m.bodies[1].material.friction = -0.1);
        assert!(sticky.starts_with("body 1 is made of Material"), "{sticky}");
        let bent = numbers(|m| m.bodies[1].inertia.x_axis.y = 1.0);
        assert!(bent.starts_with("the inertia of body 1"), "{bent}");
    }

    #[test]
    fn joints_that_make_no_sense_are_described() {
        let joint = |change: fn(&mut Joint)| {
            numbers(|m| {
                let (state, bodies) = (State::at_rest(vec![DVec3::ZERO; 3]), [Some(0), Some(1)]);
                let kind = JointKind::Distance { least: 0.5, most: 1.0 };
                change(m.join(&state, kind, bodies, [DVec3::ZERO; 2], [DVec3::Z; 2]));
            })
        };
        assert_eq!(joint(|_| ()), "");
        for change in [
            (|j| j.bodies = [Some(1); 2]) as fn(&mut Joint),
            |j| j.kind = JointKind::Distance { least: 2.0, most: 1.0 },
            |j| j.kind = JointKind::Distance { least: 0.0, most: f64::INFINITY },
            |j| j.points[0].x = f64::NAN,
            |j| j.axes[1] *= 2.0,
            |j| j.limits = Some([1.0, -1.0]),
        ] {
            assert!(joint(change).starts_with("joint 0 is Joint"), "{}", joint(change));
        }
    }

    #[test]
    fn steps_and_numbers_of_frames_are_looked_at() {
        let fine = samples::frame(4, 2);
        let step = |index: usize, frame: &Frame| {
            fault_of_step(MethodName::Settle, index, 0, frame).unwrap_or_default()
        };
        assert_eq!(step(4, &fine), "");
        assert_eq!(step(5, &fine), "frame 5 says that it is step 4");
        let start = Frame { kind: StepKind::Start, ..fine.clone() };
        assert_eq!(step(4, &start), "frame 4 is a start");
        let first = Frame { step: 0, ..fine.clone() };
        assert!(step(0, &first).starts_with("frame 0 is no start"));
        let hop = Frame { kind: StepKind::Hop, ..fine.clone() };
        assert_eq!(step(4, &hop), "frame 4 is of the kind Hop, which settle has not");
        let apart = Frame { kind: StepKind::Separate, ..fine.clone() };
        assert_eq!(step(4, &apart), "frame 4 is of the kind Separate, which settle has not");
        assert_eq!(fault_of_step(MethodName::Separate, 4, 3, &apart), None);
        assert_eq!(fault_of_numbers(3, 4, &fine), None);
        let fault = fault_of_numbers(2, 4, &fine).unwrap();
        assert!(fault.starts_with("in frame 4 body 0 of a 2D run is at [0, 1, "), "{fault}");
        let endless = Frame { energy: f64::INFINITY, ..fine };
        assert_eq!(fault_of_numbers(3, 4, &endless).unwrap(), "the energy of frame 4 is inf");
    }

    #[test]
    fn turns_and_speeds_are_looked_at() {
        let with = |dimension: usize, change: fn(&mut State)| {
            let mut frame = samples::frame(4, 2);
            frame.state.positions.iter_mut().for_each(|p| p.z = 0.0);
            change(&mut frame.state);
            fault_of_numbers(dimension, 4, &frame).unwrap_or_default()
        };
        assert_eq!(with(2, |_| ()), "");
        let long = with(3, |s| s.rotations[1].w = 1.001);
        assert!(long.starts_with("the rotation of body 1 in frame 4 is none"), "{long}");
        assert!(with(3, |s| s.velocities[0].x = f64::NAN).starts_with("the velocity of body 0"));
        assert!(with(3, |s| s.spins[0].x = 1e200).starts_with("the spin of body 0"));
        assert_eq!(with(3, |s| s.spins[0].x = 1.0), "");
        assert!(with(2, |s| s.spins[0].x = 1.0).starts_with("the spin of body 0"));
        let tilted = with(2, |s| s.rotations[1] = DQuat::from_rotation_x(0.1));
        assert!(tilted.starts_with("the rotation of body 1"), "{tilted}");
    }
}
