//! The bodies at the end of a run: how high, how dense, how they move, and how
//! they bear their weight.

use serde::Serialize;

use super::fill::volume_below;
use crate::math::{DMat3, DVec3};
use crate::problem::{Problem, Result};
use crate::trajectory::{Reader, With};
use crate::world::{Method, Model, State};

/// The last frame in a few numbers, lengths and forces in the scene's units; what makes no
/// sense for a run is none. Up is against gravity, and heights count from the container's lowest
/// point; without a container, from the lowest point of what can move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Heap {
    /// Where the highest free body ends; none if no body is free.
    pub height: Option<f64>,
    /// Of the centre of mass of all that is free.
    pub height_of_mass: Option<f64>,
    /// The bodies' volume over that of the container up to `height` (areas in
    /// 2D). A lone body on top or an arch lowers it. None without a container, without
    /// rigid bodies that are free, or if more lies outside than fits in; of a strip see there.
    pub packing_fraction: Option<f64>,
    /// None unless the method is compact.
    pub strip: Option<Strip>,
    /// The root mean square of the speeds of free bodies; none for methods without time.
    pub rms_speed: Option<f64>,
    /// The largest part by which a thread of cloth is longer than its rest; none without cloth.
    pub stretch: Option<f64>,
    /// None unless the run came to rest.
    pub forces: Option<Forces>,
}

/// The strip that pieces were pushed together on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Strip {
    /// From the wall that was pushed to the other end.
    pub length: f64,
    /// The pieces' area over that of the strip.
    pub density: f64,
}

/// What the contacts at rest say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forces {
    /// Contacts of two bodies.
    pub between_bodies: usize,
    /// Contacts with the container.
    pub with_container: usize,
    /// Ropes and bars that carry a force.
    pub of_joints: usize,
    /// Contacts of a body on average; one between two bodies counts for both.
    pub coordination: f64,
    /// Of the contacts.
    pub mean: f64,
    /// Of the contacts.
    pub max: f64,
    /// The weight of a body on average, to compare with; none without gravity.
    pub mean_weight: Option<f64>,
}

/// Measures the last frame of a run.
pub fn measure(reader: &Reader) -> Result<Heap> {
    let Some(last) = reader.len().checked_sub(1) else {
        return Err(Problem::new("the run has no frames").help("start it again with --force"));
    };
    let (model, state) = (reader.last_model(), reader.frame(last)?.state);
    let up = up(model);
    let corners = model.boundary.faces().iter().flat_map(|face| &face.corners);
    let floor = corners.map(|corner| corner.dot(up)).fold(f64::INFINITY, f64::min);
    let ends = model.free().map(|body| ends(model, &state, body, up));
    let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), ends| {
        (low.min(ends[0]), high.max(ends[1]))
    });
    let contained = !model.boundary.faces().is_empty();
    let floor = if contained { floor } else { low };
    let high = high.max(floor);
    let is_free = model.free().next().is_some();
    let mass: f64 = model.free().map(|body| model.bodies[body].mass).sum();
    let heights =
        model.free().map(|body| model.bodies[body].mass * (state.positions[body].dot(up) - floor));
    let rigid = model.free().any(|body| body < model.rigid_count());
    let volume: f64 =
        (0..model.rigid_count()).filter(|_| rigid).map(|body| model.shape(body).mass.volume).sum();
    let strip = strip(model, &state);
    let stretch = model.cloths.iter().map(|cloth| cloth.stretch(&state.positions));
    Ok(Heap {
        height: is_free.then_some(high - floor),
        height_of_mass: is_free.then(|| heights.sum::<f64>() / mass),
        packing_fraction: (contained && strip.is_none() && volume > 0.0)
            .then(|| volume / volume_below(&model.boundary, up, high))
            .filter(|full| (0.0..=1.0).contains(full)),
        strip,
        rms_speed: model.method.time().map(|_| rms_speed(model, &state)),
        stretch: (!model.cloths.is_empty()).then(|| stretch.fold(0.0, f64::max)),
        forces: forces(reader),
    })
}

/// The strip of a layout: its wall is the last body, and its container the strip with room.
fn strip(model: &Model, state: &State) -> Option<Strip> {
    let Method::Compact(options) = model.method else { return None };
    let wall = model.bodies.len().checked_sub(1)?;
    let bounds = model.boundary.bounds();
    let (min, max) = (bounds.min, bounds.max);
    // How far the wall's inner side is from the side across, along x and along y.
    let inner = |out: DVec3| {
        let reach = model.shape(wall).pieces.iter().map(|piece| -piece.support(-out));
        let least = reach.fold(f64::INFINITY, f64::min);
        let across = if out.max_element() > 0.0 { min } else { max };
        least + out.dot(state.positions[wall] - across)
    };
    let [x, y] = options.direction;
    let (length, area) = match options.corner {
        // Its arms reach farther in than the corner: what they are thick follows from the area.
        true => {
            let reach = |out: DVec3| {
                let pieces = model.shape(wall).pieces.iter();
                pieces.map(|piece| piece.support(out)).fold(f64::NEG_INFINITY, f64::max)
            };
            let both: f64 = DVec3::AXES[..2].iter().map(|&axis| reach(axis) + reach(-axis)).sum();
            let thick = 0.5 * (both - (both * both - 4.0 * model.shape(wall).mass.volume).sqrt());
            let inner = |axis: DVec3| axis.dot(state.positions[wall] - min) + reach(axis) - thick;
            (inner(DVec3::X), inner(DVec3::X) * inner(DVec3::Y))
        }
        false if y == 0.0 => {
            let length = inner(DVec3::X * x.signum());
            (length, length * (max.y - min.y))
        }
        false => {
            let length = inner(DVec3::Y * y.signum());
            (length, length * (max.x - min.x))
        }
    };
    let pieces: f64 = (0..wall).map(|i| model.shape(i).mass.volume).sum();
    Some(Strip { length, density: pieces / area })
}

fn rms_speed(model: &Model, state: &State) -> f64 {
    let squares: f64 = model.free().map(|body| state.velocities[body].length_squared()).sum();
    (squares / model.free().count().max(1) as f64).sqrt()
}

/// Where a body begins and ends along a direction.
fn ends(model: &Model, state: &State, body: usize, up: DVec3) -> [f64; 2] {
    let (at, turn) = (state.positions[body], DMat3::from_quat(state.rotations[body]));
    let along = |direction: DVec3| {
        let local = turn.transpose() * direction;
        let reach = model.shape(body).pieces.iter().map(|piece| piece.support(local));
        reach.fold(f64::NEG_INFINITY, f64::max)
    };
    [at.dot(up) - along(-up), at.dot(up) + along(up)]
}

/// Against gravity; without any, the upright axis.
fn up(model: &Model) -> DVec3 {
    let upright = if model.dimension == 2 { DVec3::Y } else { DVec3::Z };
    (-model.gravity).normalize_or(upright)
}

fn forces(reader: &Reader) -> Option<Forces> {
    let contacts = &reader.ending().filter(|ending| ending.certificate.is_some())?.contacts;
    let model = reader.last_model();
    let here = || (0..model.bodies.len()).filter(|&i| !model.is_gone(i));
    let bodies = here().count().max(1) as f64;
    let count = |is: fn(&With) -> bool| contacts.iter().filter(|c| is(&c.with)).count();
    let between_bodies = count(|with| matches!(with, With::Body(_)));
    let with_container = count(|with| matches!(with, With::Face(_)));
    let total: f64 = contacts.iter().map(|contact| contact.force.length()).sum();
    let mass: f64 = here().map(|i| model.bodies[i].mass).sum();
    Some(Forces {
        between_bodies,
        with_container,
        of_joints: count(|with| matches!(with, With::Joint(_))),
        coordination: (2 * between_bodies + with_container) as f64 / bodies,
        mean: total / contacts.len().max(1) as f64,
        max: contacts.iter().map(|contact| contact.force.length()).fold(0.0, f64::max),
        mean_weight: Some(mass / bodies * model.gravity.length()).filter(|weight| *weight > 0.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::samples::{cuboid, flat_hourglass, model};
    use crate::shape::Boundary;
    use crate::trajectory::{Ending, Frame, Report, StepKind, Writer, samples};
    use std::f64::consts::PI;

    fn heap_of(boundary: Boundary, radii: &[f64], at: &[DVec3], end: Option<Ending>) -> Heap {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.riprap");
        let model = model(boundary, radii);
        let mut writer = Writer::create(&path, false, &model, "", &[]).unwrap();
        let frame = Frame {
            step: 0,
            kind: StepKind::Start,
            energy: 0.0,
            state: State::at_rest(at.to_vec()),
            contacts: Vec::new(),
            trace: Default::default(),
            report: Report::default(),
            seconds: Vec::new(),
        };
        writer.frame(&frame).unwrap();
        end.map_or(Ok(()), |end| writer.end(&end)).unwrap();
        measure(&Reader::open(&path).unwrap()).unwrap()
    }

    #[test]
    fn two_spheres_in_a_box() {
        let at = [DVec3::new(5.0, 5.0, 1.0), DVec3::new(5.0, 5.0, 3.0)];
        let heap = heap_of(cuboid(10.0), &[1.0, 1.0], &at, Some(samples::ending()));
        assert_eq!((heap.height, heap.height_of_mass), (Some(4.0), Some(2.0)));
        assert!((heap.packing_fraction.unwrap() - 8.0 / 3.0 * PI / 400.0).abs() < 1e-12);
        let forces = heap.forces.unwrap();
        assert_eq!((forces.between_bodies, forces.with_container), (1, 1));
        assert_eq!((forces.coordination, forces.mean_weight), (1.5, Some(1.0)));
        assert_eq!((forces.mean, forces.max), ((0.1 + 0.2 + 9.81) / 2.0, 9.81));
    }

    #[test]
    fn a_circle_in_a_flat_hourglass() {
        let heap = heap_of(flat_hourglass(), &[1.0], &[DVec3::new(0.0, 2.0, 0.0)], None);
        assert_eq!((heap.height, heap.height_of_mass), (Some(3.0), Some(2.0)));
        assert_eq!(heap.forces, None);
        assert!((heap.packing_fraction.unwrap() - PI / 18.0).abs() < 1e-12);
    }
}
