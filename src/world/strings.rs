//! Strings, stalks and axles: a joint may hold a body at a point outside of it, as
//! a mobile hangs below its hooks. What lies between is no body, but without it the
//! body would seem to float.

use super::{Model, State};
use crate::math::DVec3;
use crate::shape::{Piece, Polytope, Shape, closest};

/// A thin rod that goes with a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tie {
    /// The body.
    pub body: u32,
    /// The point of the joint and the body's nearest one, in its frame.
    pub points: [DVec3; 2],
}

/// Points nearer to a body than this, in its radii, are part of it.
const NEAR: f64 = 1e-3;

impl Tie {
    /// Where it begins and ends in the world.
    pub fn ends(&self, state: &State) -> [DVec3; 2] {
        self.points.map(|p| state.point(Some(self.body), p))
    }
}

impl Model {
    /// What leads from joints whose points coincide to the bodies that they hold.
    pub fn strings(&self) -> Vec<Tie> {
        let mut ties = Vec::new();
        for joint in self.joints.iter().filter(|joint| joint.holds_a_point()) {
            for (body, point) in joint.bodies.into_iter().zip(joint.points) {
                let Some(body) = body else { continue };
                let on = nearest(self.shape(body as usize), point);
                let far = NEAR * self.bodies[body as usize].radius;
                ties.extend(
                    on.filter(|on| on.distance(point) > far)
                        .map(|on| Tie { body, points: [point, on] }),
                );
            }
        }
        ties
    }
}

/// The point of a shape that is nearest to a point outside of it; none if it is inside.
fn nearest(shape: &Shape, point: DVec3) -> Option<DVec3> {
    let from = Polytope::point(point);
    let gaps = shape.pieces.iter().flat_map(Piece::straightened).map(|piece| {
        let apart = closest(&from, &piece.polytope(), DVec3::ZERO);
        (apart.room - piece.radius, apart.normal)
    });
    let (room, normal) = gaps.min_by(|a, b| a.0.total_cmp(&b.0))?;
    (room > 0.0).then(|| point - normal * room)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DQuat;
    use crate::world::{JointKind, Weight};

    #[test]
    fn what_hangs_below_its_hook_has_a_string() {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        let turn = DQuat::from_rotation_y(0.5 * std::f64::consts::PI);
        for shape in [Shape::capsule(0.1, 2.0).unwrap(), Shape::ball(0.5)] {
            model.add(&mut state, shape, DVec3::ZERO, turn, Weight::Mass(1.0)).unwrap();
        }
        state.positions[1] = DVec3::new(1.0, 0.0, -2.0);
        let mut join = |kind: JointKind, bodies: [Option<u32>; 2], at: DVec3| {
            model.join(&state, kind, bodies, [at; 2], [DVec3::Z; 2]);
        };
        // From the ceiling to the bar, and from the end of the bar to the ball.
        join(JointKind::Ball, [Some(0), None], DVec3::Z);
        join(JointKind::Ball, [Some(1), Some(0)], DVec3::X);
        join(JointKind::Slider, [Some(1), None], DVec3::Z);
        let found: Vec<[DVec3; 2]> = model.strings().iter().map(|tie| tie.ends(&state)).collect();
        let expected = [[DVec3::Z, DVec3::Z * 0.1], [DVec3::X, DVec3::new(1.0, 0.0, -1.5)]];
        assert_eq!(found.len(), 2, "{found:?}");
        for (found, expected) in found.as_flattened().iter().zip(expected.as_flattened()) {
            assert!(found.distance(*expected) < 1e-12, "{found}");
        }
    }
}
