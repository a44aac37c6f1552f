//! What the file says about itself: frames counted without gaps, hashes that
//! fit, and numbers that make sense.

use super::solids::fault_of_shapes;
use crate::math::DVec3;
use crate::scene::Law;
use crate::trajectory::{Frame, Reader, StepKind};
use crate::world::{Anchor, Link, Model};

/// Numbers are smaller than this, and radii and masses larger than its inverse:
/// beyond, the squares and cubes of geometry leave the range of floats.
const LARGEST: f64 = 1e100;

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
        Record { steps, numbers: fault_of_model(reader.model()), ..Record::default() }
    }

    pub fn frame(&mut self, reader: &Reader, index: usize, frame: &Frame) {
        self.steps = self.steps.take().or_else(|| fault_of_step(index, frame));
        self.hashes = self.hashes.take().or_else(|| fault_of_hash(reader, index, frame));
        let dimension = reader.model().dimension;
        self.numbers = self.numbers.take().or_else(|| fault_of_numbers(dimension, index, frame));
    }
}

fn fault_of_step(index: usize, frame: &Frame) -> Option<String> {
    if frame.step != index as u64 {
        return Some(format!("frame {index} says that it is step {}", frame.step));
    }
    match (index, frame.kind) {
        (0, StepKind::Start) => None,
        (0, kind) => Some(format!("the first frame is no start, but of the kind {kind:?}")),
        (_, StepKind::Start) => Some(format!("frame {index} is a start")),
        // Only the overlap of the start may be taken apart.
        (2.., StepKind::Separate) => Some(format!("frame {index} is a separation")),
        _ => None,
    }
}

fn fault_of_hash(reader: &Reader, index: usize, frame: &Frame) -> Option<String> {
    let (stored, true_hash) = (reader.stored_hash(index), hash(frame));
    if stored != true_hash {
        return Some(format!(
            "frame {index} is stored with the hash {stored:016x}, but its state has {true_hash:016x}"
        ));
    }
    let before = match index.checked_sub(1) {
        Some(before) => reader.stored_hash(before),
        None => reader.header_hash(),
    };
    let named = reader.stored_previous_hash(index);
    (named != before).then(|| {
        format!(
            "frame {index} follows upon {named:016x}, but what comes before it is {before:016x}"
        )
    })
}

/// The hash of FORMAT.md, written down once more.
fn hash(frame: &Frame) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |number: f64| {
        hash = (hash ^ number.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 32;
    };
    let mut add_vectors = |vectors: &[DVec3]| {
        for v in vectors {
            [v.x, v.y, v.z].into_iter().for_each(&mut add);
        }
    };
    add_vectors(&frame.positions);
    if let Some(bricks) = &frame.bricks {
        add_vectors(&bricks.velocities);
        add_vectors(&bricks.spins);
        for q in &bricks.rotations {
            [q.x, q.y, q.z, q.w].into_iter().for_each(&mut add);
        }
    }
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
    if let Some(fault) = fault_of_shapes(model) {
        return Some(fault);
    }
    let gravity = model.gravity;
    let only_gravity = model.terms.is_empty() && model.bodies.iter().all(|b| b.push == DVec3::ZERO);
    let in_time = model.is_tower() || model.is_dynamic();
    if (gravity == DVec3::ZERO && only_gravity && !in_time) || !is_sensible(dimension, gravity) {
        return Some(format!("the gravity is {gravity}"));
    }
    let faces = model.boundary.faces();
    if let Some(fault) = fault_of_forces(model) {
        return Some(fault);
    }
    if faces.is_empty() && !model.has_forces() && !in_time {
        return Some("the container has no faces".into());
    }
    // A segment in 2D, a triangle in 3D: as many corners as dimensions.
    let fits = |corners: &[DVec3]| {
        corners.len() == dimension && corners.iter().all(|c| is_sensible(dimension, *c))
    };
    let wrong = faces.iter().position(|face| !fits(&face.corners))?;
    Some(format!("face {wrong} of the container has the corners {:?}", faces[wrong].corners))
}

fn fault_of_forces(model: &Model) -> Option<String> {
    let sensible = |place: DVec3| is_sensible(model.dimension, place);
    if let Some(index) = model.bodies.iter().position(|body| !sensible(body.push)) {
        return Some(format!("the push of body {index} is {}", model.bodies[index].push));
    }
    for (index, term) in model.terms.iter().enumerate() {
        let numbers = match term.law {
            Law::Attraction { strength }
            | Law::InverseSquare { strength }
            | Law::Repulsion { strength } => [strength, 0.0],
            Law::Spring { strength, rest_length } => [strength, rest_length],
            Law::ShortRange { strength, cut_off } => [strength, cut_off],
        };
        let anchored = |a: &Anchor| sensible(a.point) && (0.0..LARGEST).contains(&a.softening);
        if !numbers.iter().all(|number| (0.0..LARGEST).contains(number)) {
            return Some(format!("force {index} is {:?}", term.law));
        }
        if !term.anchors.iter().all(anchored) || term.pairs.iter().any(|[a, b]| a == b) {
            return Some(format!("force {index} acts where nothing can"));
        }
    }
    let fits = |link: &Link| {
        link.a != link.b
            && (LARGEST.recip()..LARGEST).contains(&link.length)
            && (0.0..=1.0).contains(&link.give)
    };
    let wrong = model.links.iter().position(|link| !fits(link))?;
    Some(format!("link {wrong} is {:?}", model.links[wrong]))
}

fn fault_of_numbers(dimension: usize, index: usize, frame: &Frame) -> Option<String> {
    if !frame.energy.is_finite() {
        return Some(format!("the energy of frame {index} is {:?}", frame.energy));
    }
    let wrong = frame.positions.iter().position(|p| !is_sensible(dimension, *p))?;
    let position = frame.positions[wrong];
    Some(format!("in frame {index} body {wrong} of a {dimension}D run is at {position}"))
}

/// Whether a vector is neither endless nor out of the plane z = 0 of 2D runs.
fn is_sensible(dimension: usize, vector: DVec3) -> bool {
    let is_small = vector.to_array().iter().all(|x| x.abs() < LARGEST);
    is_small && (dimension == 3 || vector.z == 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Boundary, Mesh};
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
        });
        assert_eq!(tilted, "the gravity is [0, 0, -9.81]");
    }

    #[test]
    fn steps_and_numbers_of_frames_are_looked_at() {
        let fine = samples::frame(4, 2);
        assert_eq!(fault_of_step(4, &fine), None);
        assert_eq!(fault_of_step(5, &fine).unwrap(), "frame 5 says that it is step 4");
        let start = Frame { kind: StepKind::Start, ..fine.clone() };
        assert_eq!(fault_of_step(4, &start).unwrap(), "frame 4 is a start");
        let first = Frame { step: 0, ..fine.clone() };
        assert!(fault_of_step(0, &first).unwrap().starts_with("the first frame is no start"));
        assert_eq!(fault_of_numbers(3, 4, &fine), None);
        let fault = fault_of_numbers(2, 4, &fine).unwrap();
        assert!(fault.starts_with("in frame 4 body 0 of a 2D run is at [0, 1, "), "{fault}");
        let endless = Frame { energy: f64::INFINITY, ..fine };
        assert_eq!(fault_of_numbers(3, 4, &endless).unwrap(), "the energy of frame 4 is inf");
    }
}
