//! Who could touch whom before the next move: boxes in, sorted pairs out.

mod neighbours;

pub use neighbours::Neighbours;

use crate::shape::{Aabb, Bvh};
use crate::world::{Model, State};

/// Two bodies that could meet, `i < j`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The first.
    pub i: u32,
    /// The second.
    pub j: u32,
}

/// All pairs of regions that meet, in ascending order.
pub fn pairs(regions: &[Aabb]) -> Vec<Pair> {
    let meeting = Bvh::new(regions).pairs();
    meeting.into_iter().map(|(i, j)| Pair { i, j }).collect()
}

/// The deepest overlap of two bodies, or of a body and the boundary, relative
/// to the smaller radius; 0 if nothing overlaps. What is not free may overlap its like and the
/// boundary.
pub fn deepest_overlap(model: &Model, state: &State) -> f64 {
    let radius = |i: usize| model.bodies[i].radius;
    let places = state.positions.iter().enumerate();
    let boxes: Vec<Aabb> = places.map(|(i, p)| Aabb::from_sphere(*p, radius(i))).collect();
    let is_free = |i: u32| model.bodies[i as usize].is_free();
    let meeting = pairs(&boxes).into_iter().filter(|pair| is_free(pair.i) || is_free(pair.j));
    let between = meeting.map(|pair| {
        let (i, j) = (pair.i as usize, pair.j as usize);
        model.overlap(state, i, j) / radius(i).min(radius(j))
    });
    let is_open = model.boundary.faces().is_empty();
    let all = model.free().filter(|_| !is_open);
    let outwards = all.map(|i| model.sticks_out(state, i).0 / radius(i));
    between.chain(outwards).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DVec3;
    use crate::math::Random;
    use crate::shape::{Boundary, Mesh, Shape};
    use crate::world::{Body, Motion};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_same_pairs_as_by_trying_all(n in 0..60_usize, seed: u64) {
            let mut random = Random::new(seed);
            let mut region = || {
                let centre = DVec3::new(random.unit(), random.unit(), random.unit()) * 4.0;
                Aabb::from_sphere(centre, random.unit())
            };
            let regions: Vec<Aabb> = (0..n).map(|_| region()).collect();
            let all = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
            let meeting = all.filter(|&(i, j)| regions[i].overlaps(&regions[j]));
            let expected: Vec<(u32, u32)> = meeting.map(|(i, j)| (i as u32, j as u32)).collect();
            let found: Vec<(u32, u32)> = pairs(&regions).iter().map(|p| (p.i, p.j)).collect();
            prop_assert_eq!(found, expected);
        }
    }

    /// Balls in a cube.
    fn model(radii: &[f64]) -> Model {
        let cube = Mesh::cuboid(DVec3::ZERO, DVec3::splat(10.0));
        let body = |(radius, shape): (&f64, u32)| Body::new(shape, 1.0, *radius);
        Model {
            shapes: radii.iter().map(|&radius| Shape::ball(radius)).collect(),
            bodies: radii.iter().zip(0..).map(body).collect(),
            boundary: Boundary::from_mesh(&cube),
            ..Model::new(3, DVec3::NEG_Z)
        }
    }

    fn overlap(radii: &[f64], positions: &[DVec3]) -> f64 {
        deepest_overlap(&model(radii), &State::at_rest(positions.to_vec()))
    }

    #[test]
    fn overlaps_are_measured_in_smaller_radii() {
        let [a, b] = [DVec3::new(5.0, 5.0, 5.0), DVec3::new(5.0, 5.0, 7.0)];
        assert_eq!(overlap(&[1.0, 1.0], &[a, b]), 0.0, "touching");
        assert_eq!(overlap(&[1.5, 1.0], &[a, b]), 0.5);
        assert_eq!(overlap(&[2.0, 0.5], &[a, b]), 1.0);
        assert_eq!(overlap(&[2.0, 0.5], &[a, a]), 5.0, "one inside the other");
        assert_eq!(overlap(&[], &[]), 0.0);
    }

    #[test]
    fn sticking_out_is_an_overlap() {
        let at = |z: f64| [DVec3::new(5.0, 5.0, z)];
        assert_eq!(overlap(&[1.0], &at(1.0)), 0.0, "touching the floor");
        assert_eq!(overlap(&[1.0], &at(0.75)), 0.25);
        assert_eq!(overlap(&[1.0], &at(-2.0)), 3.0, "the centre is outside");
        assert_eq!(overlap(&[2.0], &at(9.0)), 0.5);
    }

    #[test]
    fn what_is_fixed_may_overlap_its_like_and_the_boundary() {
        let mut model = model(&[1.0, 1.0, 0.5]);
        let places = [5.0, 4.5, 9.0].map(|z| DVec3::new(5.0, 5.0, z - 4.5));
        let state = State::at_rest(places.to_vec());
        assert_eq!(deepest_overlap(&model, &state), 1.5);
        model.bodies[0].motion = Motion::Fixed;
        model.bodies[1].motion = Motion::Fixed;
        assert_eq!(deepest_overlap(&model, &state), 0.0);
    }

    #[test]
    fn nothing_sticks_out_of_an_open_scene() {
        let (mut model, mut state) = (Model::new(3, -DVec3::Z), State::default());
        let cube = crate::shape::Shape::cuboid(DVec3::ONE).unwrap();
        for z in [0.0, 0.875] {
            let (at, weight) = (DVec3::Z * z, crate::world::Weight::Mass(1.0));
            model.add(&mut state, cube.clone(), at, Default::default(), weight).unwrap();
        }
        let expected = 0.125 / model.bodies[0].radius;
        assert!((deepest_overlap(&model, &state) - expected).abs() < 1e-12);
    }
}
