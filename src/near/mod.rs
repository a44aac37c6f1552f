//! Who could touch whom before the next move: boxes in, sorted pairs out.

mod kept; // pairs that serve for several steps

pub use kept::Neighbours;

use crate::math::DVec3;
use crate::shape::{Aabb, Bvh};
use crate::world::{Model, State};

/// Two bodies that could meet, `i < j`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    pub i: u32,
    pub j: u32,
    /// Add this to the position of `j` to see it where `i` meets it; zero
    /// unless the scene is periodic.
    pub offset: DVec3,
}

/// All pairs of regions that meet, in ascending order.
///
/// ```
/// use riprap::math::DVec3;
/// use riprap::shape::Aabb;
///
/// let cube = |x: f64| Aabb { min: DVec3::new(x, 0.0, 0.0), max: DVec3::new(x + 1.0, 1.0, 1.0) };
/// let pairs = riprap::near::pairs(&[cube(0.0), cube(0.5), cube(3.0)]);
/// assert_eq!(pairs.len(), 1);
/// assert_eq!((pairs[0].i, pairs[0].j), (0, 1));
/// ```
pub fn pairs(regions: &[Aabb]) -> Vec<Pair> {
    let meeting = Bvh::new(regions).pairs();
    meeting.into_iter().map(|(i, j)| Pair { i, j, offset: DVec3::ZERO }).collect()
}

/// The deepest overlap of two bodies, or of a body and the boundary, relative
/// to the smaller radius; 0 if nothing overlaps.
pub fn deepest_overlap(model: &Model, state: &State) -> f64 {
    let sphere = |i: usize| (state.positions[i], model.bodies[i].radius);
    let boxes: Vec<Aabb> = (0..model.bodies.len())
        .map(|i| {
            let (centre, radius) = sphere(i);
            Aabb { min: centre - radius, max: centre + radius }
        })
        .collect();
    let is_solid = |i: u32| model.bodies[i as usize].shape.is_some();
    let between = pairs(&boxes).into_iter().map(|pair| {
        if is_solid(pair.i) || is_solid(pair.j) {
            let (i, j) = (pair.i as usize, pair.j as usize);
            return model.overlap(state, i, j) / sphere(i).1.min(sphere(j).1);
        }
        let ((p, r), (q, s)) = (sphere(pair.i as usize), sphere(pair.j as usize));
        (r + s - p.distance(q + pair.offset)) / r.min(s)
    });
    let outwards = (0..model.bodies.len()).filter_map(|i| {
        let (centre, radius) = sphere(i);
        if is_solid(i as u32) {
            return Some(model.sticks_out(state, i).0 / radius);
        }
        let distance = model.boundary.nearest(centre)?.distance;
        let inside = model.boundary.contains(centre);
        Some((radius - if inside { distance } else { -distance }) / radius)
    });
    between.chain(outwards).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::samples::{cuboid, model};
    use crate::math::Random;
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

    fn overlap(radii: &[f64], positions: &[DVec3]) -> f64 {
        deepest_overlap(&model(cuboid(10.0), radii), &State { positions: positions.to_vec() })
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
}
