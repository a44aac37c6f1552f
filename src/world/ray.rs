//! What a ray meets first.

use super::{Model, State};
use crate::math::DVec3;
use crate::shape::{Placed, Polytope, closest};

/// A ray has met a piece when it is this close to it, in radii of the body.
const MET: f64 = 1e-9;

/// A ray that grazes a piece approaches it slowly; after so many steps it has missed.
const MOST_STEPS: usize = 200;

/// Where a ray meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The number of the body.
    pub body: usize,
    /// From the start of the ray; 0 if it starts inside.
    pub distance: f64,
    /// Unit vector out of the body.
    pub normal: DVec3,
}

impl Model {
    /// The first body that a ray meets, fixed and driven ones among them; cylinders are met as
    /// prisms. The container is not looked at. `direction` need not have length 1.
    ///
    /// ```
    /// use riprap::{DQuat, DVec3, Model, Shape, State, Weight};
    ///
    /// let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
    /// for x in [5.0, 9.0] {
    ///     let (cube, at) = (Shape::cuboid(DVec3::splat(2.0))?, DVec3::X * x);
    ///     model.add(&mut state, cube, at, DQuat::IDENTITY, Weight::Mass(1.0))?;
    /// }
    /// let hit = model.cast_ray(&state, DVec3::ZERO, DVec3::X).unwrap();
    /// assert_eq!((hit.body, hit.normal), (0, DVec3::NEG_X));
    /// assert!((hit.distance - 4.0).abs() < 1e-8);
    /// assert!(model.cast_ray(&state, DVec3::ZERO, DVec3::Y).is_none());
    /// # Ok::<(), riprap::Problem>(())
    /// ```
    pub fn cast_ray(&self, state: &State, from: DVec3, direction: DVec3) -> Option<RayHit> {
        let direction = direction.try_normalize()?;
        let mut first: Option<RayHit> = None;
        for (body, &at) in state.positions.iter().enumerate() {
            let (radius, to) = (self.bodies[body].radius, at - from);
            let passes_by = to.reject_from(direction).length() > radius;
            let nearest = to.dot(direction) - radius;
            if passes_by || to.dot(direction) < -radius {
                continue;
            }
            if first.is_some_and(|hit| hit.distance < nearest) {
                continue;
            }
            for piece in self.placed(state, body) {
                if let Some((distance, normal)) = meet(&piece, from, direction, MET * radius)
                    && first.is_none_or(|hit| distance < hit.distance)
                {
                    first = Some(RayHit { body, distance, normal });
                }
            }
        }
        first
    }
}

/// A convex piece lies behind the plane through its point nearest to the ray's tip, so the tip may
/// move up to that plane without passing anything [Van den Bergen 2004].
fn meet(piece: &Placed, from: DVec3, direction: DVec3, met: f64) -> Option<(f64, DVec3)> {
    let tip = Polytope::point(DVec3::ZERO);
    let mut distance = 0.0;
    for _ in 0..MOST_STEPS {
        let apart = closest(&tip, &piece.core, from + distance * direction);
        let gap = apart.room - piece.radius;
        if gap <= met {
            return Some((distance, apart.normal));
        }
        let approach = -direction.dot(apart.normal);
        if approach <= 0.0 {
            return None;
        }
        distance += gap / approach;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{DQuat, Random};
    use crate::shape::Shape;
    use crate::world::Weight;
    use proptest::prelude::*;

    fn one(shape: Shape, turn: DQuat) -> (Model, State) {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        model.add(&mut state, shape, DVec3::ZERO, turn, Weight::Mass(1.0)).unwrap();
        (model, state)
    }

    proptest! {
        /// Where a quadratic equation says, or, for a box, where its slabs are entered.
        #[test]
        fn balls_and_boxes_are_met_where_they_are(seed: u64) {
            let mut random = Random::new(seed);
            let mut vector = |size: f64| {
                DVec3::from_array([0; 3].map(|_| random.between(-size, size)))
            };
            let (from, direction) = (vector(1.0).normalize() * 4.0, vector(1.0));
            let along = (direction - from).normalize();
            let middle = -from.dot(along);
            let beside = 1.0 - (from + middle * along).length_squared();
            let (model, state) = one(Shape::ball(1.0), DQuat::IDENTITY);
            let hit = model.cast_ray(&state, from, 3.0 * along);
            if beside.abs() > 1e-3 {
                prop_assert_eq!(hit.is_some(), beside > 0.0);
            }
            if let Some(hit) = hit && beside > 1e-3 {
                prop_assert!((hit.distance - (middle - beside.sqrt())).abs() < 1e-6);
                prop_assert!(hit.normal.distance(from + hit.distance * along) < 1e-6);
            }
            let turn = DQuat::from_scaled_axis(vector(3.0));
            let (model, state) = one(Shape::cuboid(DVec3::new(2.0, 1.0, 0.5)).unwrap(), turn);
            let (start, way) = (turn.inverse() * from, turn.inverse() * along);
            let half = DVec3::new(1.0, 0.5, 0.25);
            let (one, two) = ((-half - start) / way, (half - start) / way);
            let (enter, leave) = (one.min(two).max_element(), one.max(two).min_element());
            let hit = model.cast_ray(&state, from, along);
            if (leave - enter).abs() > 1e-3 {
                prop_assert_eq!(hit.is_some(), enter < leave);
                prop_assert!(hit.is_none_or(|hit| (hit.distance - enter).abs() < 1e-6));
            }
        }
    }

    #[test]
    fn what_starts_inside_is_met_at_once_and_what_is_behind_never() {
        let (model, state) = one(Shape::ball(1.0), DQuat::IDENTITY);
        assert_eq!(model.cast_ray(&state, DVec3::X * 0.5, DVec3::X).unwrap().distance, 0.0);
        assert_eq!(model.cast_ray(&state, DVec3::X * 2.0, DVec3::X), None);
        assert_eq!(model.cast_ray(&state, DVec3::X * 2.0, DVec3::ZERO), None);
    }
}
