//! How finely round parts are drawn in files of triangles: one rule for balls,
//! capsules, cylinders, tori and whatever is rounded. They are as fine as the
//! triangles that a file may have permit, all alike; what has corners keeps them.

use super::sphere::{percent_inside, unit_sphere};
use crate::math::DVec3;
use crate::shape::{Mesh, ROUND_SIDES, Shape};
use crate::trajectory::Frame;
use crate::world::Model;

/// A file has at most this many triangles, some 50 MB of STL and 80 MB of VTK, unless the
/// coarsest round parts and all that has corners take more.
pub(super) const MOST_TRIANGLES: usize = 1_000_000;

/// Round parts have at least this many sides, and twice as many for each level.
const FEWEST_SIDES: usize = 8;

/// The surfaces of a model's shapes, each in its own frame.
pub(super) struct Surfaces {
    /// A ball of radius 1.
    pub sphere: Mesh,
    /// Around what is round and no ball.
    pub sides: usize,
    /// By the number of a shape; balls have none of their own.
    meshes: Vec<Option<Mesh>>,
}

impl Surfaces {
    /// The surfaces of a model that has so many triangles at most. Balls count only where they
    /// are drawn as triangles; there they are subdivided at most so often.
    pub(super) fn of(model: &Model, most_triangles: usize, balls: Option<u32>) -> Surfaces {
        let mut uses = vec![0; model.shapes.len()];
        let rigid = &model.bodies[..model.rigid_count()];
        rigid.iter().for_each(|body| uses[body.shape as usize] += 1);
        let cloth: usize = model.cloths.iter().map(|cloth| cloth.faces.len()).sum();
        let finest = balls.unwrap_or(0).max((ROUND_SIDES / FEWEST_SIDES).ilog2());
        let count = |level: u32| {
            let of_shape = |(shape, uses): (&Shape, &usize)| match (shape.is_ball(), balls) {
                _ if *uses == 0 => 0,
                (Some(_), None) => 0,
                (Some(_), Some(most)) => uses * 20 * 4_usize.pow(level.min(most)),
                (None, _) => uses * shape.triangles_with(sides(level)).len(),
            };
            cloth + model.shapes.iter().zip(&uses).map(of_shape).sum::<usize>()
        };
        let level = (1..=finest).rev().find(|&level| count(level) <= most_triangles).unwrap_or(0);
        let mesh = |(shape, uses): (&Shape, &usize)| {
            let drawn = *uses > 0 && shape.is_ball().is_none();
            drawn.then(|| Mesh::from_triangles(&shape.triangles_with(sides(level))))
        };
        Surfaces {
            sphere: unit_sphere(level.min(balls.unwrap_or(0))),
            sides: sides(level),
            meshes: model.shapes.iter().zip(&uses).map(mesh).collect(),
        }
    }

    /// The surface of a body that is no ball, in its own frame.
    pub(super) fn own(&self, model: &Model, id: usize) -> Option<&Mesh> {
        self.meshes[model.bodies[id].shape as usize].as_ref()
    }

    /// The surface of a body where it is in a frame.
    pub(super) fn placed(&self, model: &Model, frame: &Frame, id: usize) -> Mesh {
        let state = &frame.state;
        let (mut mesh, place): (Mesh, &dyn Fn(DVec3) -> DVec3) = match self.own(model, id) {
            Some(mesh) => (mesh.clone(), &|corner| state.point(Some(id as u32), corner)),
            // Nobody sees how a ball is turned.
            None => {
                let radius = model.shape(id).is_ball().unwrap_or(0.0);
                (self.sphere.clone().scaled(radius), &|corner| state.positions[id] + corner)
            }
        };
        mesh.vertices.iter_mut().for_each(|corner| *corner = place(*corner));
        mesh
    }

    /// In words, how the round parts of a model were drawn.
    pub(super) fn words(&self, model: &Model) -> String {
        let balls = (0..model.rigid_count()).any(|id| model.shape(id).is_ball().is_some());
        let (percent, sides) = (percent_inside(&self.sphere), self.sides);
        match (model.has_solids(), balls) {
            (false, _) => format!("facets up to {percent} % of the radius inside"),
            (true, false) => format!("round parts of {sides} sides"),
            (true, true) => format!("balls up to {percent} % inside, others {sides} sides"),
        }
    }
}

fn sides(level: u32) -> usize {
    ROUND_SIDES.min(FEWEST_SIDES << level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::samples;

    /// Bodies of one shape.
    fn crowd(count: usize, shape: Shape) -> Model {
        let mut model = samples::model(count);
        model.shapes = vec![shape];
        model.bodies.iter_mut().for_each(|body| body.shape = 0);
        model
    }

    #[test]
    fn crowds_of_whatever_is_round_get_coarser() {
        let cuboid = Shape::cuboid(DVec3::ONE).unwrap();
        let ring = Shape::round_torus(1.0, 0.3, 24).unwrap();
        for round in [ring, cuboid.rounded(0.1), Shape::cylinder(1.0, 2.0).unwrap()] {
            let fine = Surfaces::of(&crowd(1, round.clone()), MOST_TRIANGLES, Some(4));
            assert_eq!(fine.sides, ROUND_SIDES);
            let own = fine.meshes[0].as_ref().unwrap().triangles.len();
            let many = 2 * MOST_TRIANGLES / own;
            let model = crowd(many, round);
            let coarse = Surfaces::of(&model, MOST_TRIANGLES, Some(4));
            let drawn = many * coarse.own(&model, 0).unwrap().triangles.len();
            assert!(drawn <= MOST_TRIANGLES && coarse.sides < ROUND_SIDES, "{drawn}");
        }
    }

    #[test]
    fn corners_stay_exact_in_any_crowd() {
        let model = crowd(200_000, Shape::cuboid(DVec3::ONE).unwrap());
        let surfaces = Surfaces::of(&model, MOST_TRIANGLES, Some(4));
        assert_eq!(surfaces.own(&model, 0).unwrap().vertices.len(), 8);
    }

    /// Where balls are points, they take nothing from what others may have.
    #[test]
    fn balls_count_only_where_they_are_triangles() {
        let mut model = crowd(100_000, Shape::ball(1.0));
        model.shapes.push(Shape::cylinder(1.0, 2.0).unwrap());
        model.bodies[0].shape = 1;
        assert_eq!(Surfaces::of(&model, MOST_TRIANGLES, None).sides, ROUND_SIDES);
        assert_eq!(Surfaces::of(&model, MOST_TRIANGLES, Some(4)).sides, FEWEST_SIDES);
    }
}
