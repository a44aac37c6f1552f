//! Who could touch whom before the next move: boxes in, sorted pairs out.

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
    let between = pairs(&boxes).into_iter().map(|pair| {
        let ((p, r), (q, s)) = (sphere(pair.i as usize), sphere(pair.j as usize));
        (r + s - p.distance(q + pair.offset)) / r.min(s)
    });
    let outwards = (0..model.bodies.len()).filter_map(|i| {
        let (centre, radius) = sphere(i);
        let distance = model.boundary.nearest(centre)?.distance;
        let inside = model.boundary.contains(centre);
        Some((radius - if inside { distance } else { -distance }) / radius)
    });
    between.chain(outwards).fold(0.0, f64::max)
}
