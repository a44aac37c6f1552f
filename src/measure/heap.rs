//! The heap at the end of a run: how high, how dense, and how it bears its weight.

use std::f64::consts::PI;

use serde::Serialize;

use super::fill::volume_below;
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use crate::trajectory::{Reader, With};
use crate::world::{Model, Poses, Tower};

/// The last frame in a few numbers, lengths and forces in the scene's units.
/// Up is against gravity, and heights count from the container's lowest point; those of bricks,
/// which have none, from the lowest corner of a brick that can move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Heap {
    /// Where the highest body ends.
    pub height: f64,
    /// Of the centre of mass.
    pub height_of_mass: f64,
    /// The bodies' volume over that of the container up to `height` (areas in
    /// 2D). A lone body on top or an arch lowers it. None without a container.
    pub packing_fraction: Option<f64>,
    /// None unless the run came to rest.
    pub forces: Option<Forces>,
}

/// What the contacts at rest say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forces {
    pub between_bodies: usize,
    pub with_container: usize,
    /// Contacts of a body on average; one between two bodies counts for both.
    pub coordination: f64,
    pub mean: f64,
    pub max: f64,
    /// The weight of a body on average, to compare with.
    pub mean_weight: f64,
}

/// Measures the last frame of a run.
pub fn measure(reader: &Reader) -> Result<Heap> {
    let Some(last) = reader.len().checked_sub(1) else {
        return Err(Problem::new("the run has no frames").help("start it again with --force"));
    };
    let (model, frame) = (reader.model(), reader.frame(last)?);
    let up = up(model);
    if let Some(bricks) = &frame.bricks {
        return Ok(fallen(&model.tower, &bricks.poses(&frame.positions), up));
    }
    let positions = frame.positions;
    let corners = model.boundary.faces().iter().flat_map(|face| &face.corners);
    let floor = corners.map(|corner| corner.dot(up)).fold(f64::INFINITY, f64::min);
    let bodies = || model.bodies.iter().zip(&positions);
    let reach = |body: usize| {
        let pieces = model.pieces(body).iter().map(|piece| piece.support(up));
        pieces.fold(f64::NEG_INFINITY, f64::max) + model.rounding(body, 0.0)
    };
    let tops = positions.iter().enumerate().map(|(body, p)| p.dot(up) + reach(body));
    let top = tops.fold(floor, f64::max);
    let mass: f64 = model.bodies.iter().map(|body| body.mass).sum();
    let moment: f64 = bodies().map(|(body, p)| body.mass * (p.dot(up) - floor)).sum();
    let volume: f64 = (0..model.bodies.len()).map(|body| volume(model, body)).sum();
    Ok(Heap {
        height: top - floor,
        height_of_mass: moment / mass,
        packing_fraction: Some(volume / volume_below(&model.boundary, up, top)),
        forces: forces(reader),
    })
}

/// Of bricks, only those that can move.
fn fallen(tower: &Tower, poses: &Poses, up: DVec3) -> Heap {
    let corners = tower.moving().flat_map(|i| tower.placed(i, poses));
    let heights = corners.flat_map(|piece| piece.corners().to_vec()).map(|corner| corner.dot(up));
    let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), height| {
        (low.min(height), high.max(height))
    });
    let mass: f64 = tower.moving().map(|i| tower.bricks[i].mass).sum();
    let moments = tower.moving().map(|i| tower.bricks[i].mass * (poses.positions[i].dot(up) - low));
    Heap {
        height: high - low,
        height_of_mass: moments.sum::<f64>() / mass,
        packing_fraction: None,
        forces: None,
    }
}

/// Against gravity; without any, the upright axis.
fn up(model: &Model) -> DVec3 {
    let upright = if model.dimension == 2 { DVec3::Y } else { DVec3::Z };
    (-model.gravity).normalize_or(upright)
}

/// Of a body (its area in 2D); of a solid, without its rounding.
fn volume(model: &Model, body: usize) -> f64 {
    let radius = model.bodies[body].radius;
    match (model.solid(body), model.dimension) {
        (Some(solid), _) => solid.mass.volume,
        (None, 2) => PI * radius.powi(2),
        (None, _) => 4.0 / 3.0 * PI * radius.powi(3),
    }
}

fn forces(reader: &Reader) -> Option<Forces> {
    let contacts = &reader.ending().filter(|ending| ending.certificate.is_some())?.contacts;
    let model = reader.model();
    let bodies = model.bodies.len().max(1) as f64;
    let is_between = |with: With| matches!(with, With::Body(..) | With::Pieces(..));
    let between_bodies = contacts.iter().filter(|contact| is_between(contact.with)).count();
    let with_container = contacts.len() - between_bodies;
    let total: f64 = contacts.iter().map(|contact| contact.force).sum();
    let mass: f64 = model.bodies.iter().map(|body| body.mass).sum();
    Some(Forces {
        between_bodies,
        with_container,
        coordination: (2 * between_bodies + with_container) as f64 / bodies,
        mean: total / contacts.len().max(1) as f64,
        max: contacts.iter().map(|contact| contact.force).fold(0.0, f64::max),
        mean_weight: mass / bodies * model.gravity.length(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::samples::{cuboid, flat_hourglass, model};
    use crate::shape::Boundary;
    use crate::trajectory::{Ending, Frame, StepKind, StepReport, Writer, samples};

    fn heap_of(boundary: Boundary, radii: &[f64], at: &[DVec3], end: Option<Ending>) -> Heap {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.riprap");
        let model = model(boundary, radii);
        let mut writer = Writer::create(&path, false, &model, "", &[]).unwrap();
        let (positions, report) = (at.to_vec(), StepReport::default());
        let frame =
            Frame { step: 0, kind: StepKind::Start, energy: 0.0, positions, report, bricks: None };
        writer.frame(&frame).unwrap();
        end.map_or(Ok(()), |end| writer.end(&end)).unwrap();
        measure(&Reader::open(&path).unwrap()).unwrap()
    }

    #[test]
    fn two_spheres_in_a_box() {
        let at = [DVec3::new(5.0, 5.0, 1.0), DVec3::new(5.0, 5.0, 3.0)];
        let heap = heap_of(cuboid(10.0), &[1.0, 1.0], &at, Some(samples::ending()));
        assert_eq!((heap.height, heap.height_of_mass), (4.0, 2.0));
        assert!((heap.packing_fraction.unwrap() - 8.0 / 3.0 * PI / 400.0).abs() < 1e-12);
        let forces = heap.forces.unwrap();
        assert_eq!((forces.between_bodies, forces.with_container), (1, 1));
        assert_eq!((forces.coordination, forces.mean_weight), (1.5, 1.0));
        assert_eq!((forces.mean, forces.max), ((0.1 + 0.2 + 9.81) / 2.0, 9.81));
    }

    #[test]
    fn a_circle_in_a_flat_hourglass() {
        let heap = heap_of(flat_hourglass(), &[1.0], &[DVec3::new(0.0, 2.0, 0.0)], None);
        assert_eq!((heap.height, heap.height_of_mass, heap.forces), (3.0, 2.0, None));
        assert!((heap.packing_fraction.unwrap() - PI / 18.0).abs() < 1e-12);
    }
}
