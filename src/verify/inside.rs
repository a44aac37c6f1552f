//! Inside or outside, by the winding number: how often the boundary goes round
//! a point is counted along one ray. All decisions are exact signs of
//! determinants, and a ray through an edge or a corner counts as if it passed
//! on one side of it, the same side for all faces that meet there.
//! Whether bodies stay in their container is asked of a point inside each of them.

use robust::{orient2d, orient3d};

use super::Verdict;
use super::cells::{Cells, Region};
use super::checks::{Made, Measure, Step, Subject};
use super::distance::{flat, solid};
use crate::math::DVec3;
use crate::shape::{Face, Shape};
use crate::world::{Model, State};

/// A closed boundary, ready to be asked about many points.
pub(super) struct Inside<'a> {
    faces: &'a [Face],
    /// The faces seen along the rays.
    shadows: Cells,
}

impl<'a> Inside<'a> {
    pub fn new(faces: &'a [Face]) -> Inside<'a> {
        let shadow = |face: &Face| Region::around(face.corners.iter().map(|&c| shadow(face, c)));
        Inside { faces, shadows: Cells::new(faces.iter().map(shadow).collect(), 0.0) }
    }

    /// Whether the boundary goes round the point.
    pub fn contains(&self, point: DVec3) -> bool {
        let Some(any_face) = self.faces.first() else { return false };
        let mut winding = 0;
        self.shadows.meeting(&Region::around([shadow(any_face, point)]), |index| {
            winding += match self.faces[index].corners[..] {
                [a, b] => turns(a, b, point),
                [a, b, c] => crossing_above([a, b, c], point),
                _ => 0,
            };
        });
        winding > 0
    }
}

/// Whether bodies stay in the container.
pub(super) struct Kept<'a> {
    model: &'a Model,
    inside: Inside<'a>,
    /// A point well inside each shape, in its frame; none in what has been taken out.
    inner: Vec<Option<DVec3>>,
    /// The ways between frames are not swept, so every frame is asked.
    every_frame: bool,
    fault: Option<String>,
}

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    let model = subject.model;
    let faces = model.boundary.faces();
    let middle = |shape: &Shape| {
        let core = shape.pieces.first()?.polytope();
        Some(core.corners().iter().sum::<DVec3>() / core.corners().len() as f64)
    };
    let kept = Kept {
        model,
        inside: Inside::new(faces),
        inner: model.shapes.iter().map(middle).collect(),
        every_frame: model.method.time().is_some(),
        fault: None,
    };
    (!faces.is_empty()).then(|| Box::new(kept) as _)
}

impl<'a> Kept<'a> {
    fn outside(&self, state: &State) -> Option<usize> {
        self.model.free().find(|&i| {
            let inner = self.inner[self.model.bodies[i].shape as usize];
            let is_inside = |p| self.inside.contains(state.positions[i] + state.rotations[i] * p);
            !inner.is_none_or(is_inside)
        })
    }
}

impl Measure for Kept<'_> {
    fn frame(&mut self, step: &Step) {
        let asked = self.every_frame || step.before.is_none() || step.is_last;
        if !asked || self.fault.is_some() {
            return;
        }
        self.fault = self.outside(&step.frame.state).map(|body| {
            let when = match (step.before.is_none(), step.is_last) {
                (true, _) => "in the first frame".to_string(),
                (_, true) => "in the last frame".to_string(),
                _ => format!("in frame {}", step.index),
            };
            format!("{when} the centre of body {body} is outside the container")
        });
    }

    fn report(&mut self, verdict: &mut Verdict) {
        let fine = match self.every_frame {
            true => "all centres are inside the container, in every frame",
            false => "all centres are inside the container, first and last",
        };
        verdict.state("inside", self.fault.take(), fine);
    }
}

/// Rays go along x in 2D and along z in 3D; seen along them, a face is this flat.
fn shadow(face: &Face, point: DVec3) -> DVec3 {
    if face.corners.len() == 2 {
        DVec3::new(0.0, point.y, 0.0)
    } else {
        DVec3::new(point.x, point.y, 0.0)
    }
}

/// +1 or -1 if the ray from `point` along x meets the segment, by its direction.
fn turns(a: DVec3, b: DVec3, point: DVec3) -> i32 {
    let side = || orient2d(flat(a), flat(b), flat(point));
    match (a.y <= point.y, b.y <= point.y) {
        (true, false) if side() > 0.0 => 1,
        (false, true) if side() < 0.0 => -1,
        _ => 0,
    }
}

/// +1 or -1 if the ray from `point` along z meets the triangle, by its direction.
fn crossing_above([a, b, c]: [DVec3; 3], point: DVec3) -> i32 {
    let turn = turns(a, b, point) + turns(b, c, point) + turns(c, a, point);
    let is_above = || orient3d(solid(a), solid(b), solid(c), solid(point)) * f64::from(turn) > 0.0;
    if turn != 0 && is_above() { turn } else { 0 }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use proptest::prelude::*;

    use super::*;
    use crate::shape::{Boundary, Mesh};

    /// The sum of the solid angles of all faces, in units of the whole sphere.
    fn solid_angles(faces: &[Face], point: DVec3) -> f64 {
        let angle = |face: &Face| {
            let &[a, b, c] = &face.corners[..] else { unreachable!() };
            let [a, b, c] = [a - point, b - point, c - point];
            let [x, y, z] = [a.length(), b.length(), c.length()];
            let divisor = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
            2.0 * a.dot(b.cross(c)).atan2(divisor)
        };
        faces.iter().map(angle).sum::<f64>() / (2.0 * TAU)
    }

    proptest! {
        #[test]
        fn solid_angles_agree(point in [-2.2..2.2, -2.2..2.2, -0.2..4.2]) {
            let waist = Mesh::profile(&[[0.0, 2.0], [1.5, 0.7], [2.0, 0.7], [4.0, 2.0]], 7);
            let boundary = Boundary::from_mesh(&waist);
            let point = DVec3::from_array(point);
            let expected = solid_angles(boundary.faces(), point) > 0.5;
            prop_assert_eq!(Inside::new(boundary.faces()).contains(point), expected);
        }
    }

    #[test]
    fn rays_through_edges_and_corners_count_once() {
        let cube = Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::splat(2.0)));
        let inside = Inside::new(cube.faces());
        for x in [0.5, 1.0, 1.5] {
            for y in [0.5, 1.0, 1.5] {
                for (z, expected) in [(-1.0, false), (0.5, true), (1.0, true), (2.5, false)] {
                    assert_eq!(inside.contains(DVec3::new(x, y, z)), expected, "{x} {y} {z}");
                }
            }
        }
        for outside in [[-0.1, 1.0, 1.0], [2.1, 1.0, 1.0], [1.0, -0.1, 1.0], [1.0, 2.1, 1.0]] {
            assert!(!inside.contains(DVec3::from_array(outside)));
        }
    }

    #[test]
    fn a_polygon_with_a_bay_is_told_apart_from_its_bay() {
        let corners = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 1.0], [0.0, 4.0]];
        let boundary = Boundary::from_polygon(&corners);
        let inside = Inside::new(boundary.faces());
        let at = |x: f64, y: f64| inside.contains(DVec3::new(x, y, 0.0));
        assert!(at(2.0, 0.5) && at(0.5, 1.0) && at(3.5, 1.0) && at(3.9, 3.5));
        assert!(!at(2.0, 1.5) && !at(2.0, 4.0) && !at(-1.0, 1.0) && !at(5.0, 1.0));
    }

    #[test]
    fn a_surface_turned_inside_out_contains_nothing() {
        let mut faces =
            Boundary::from_mesh(&Mesh::cuboid(DVec3::ZERO, DVec3::ONE)).faces().to_vec();
        faces.iter_mut().for_each(|face| face.corners.reverse());
        assert!(!Inside::new(&faces).contains(DVec3::splat(0.5)));
        assert!(!Inside::new(&[]).contains(DVec3::ZERO));
    }
}
