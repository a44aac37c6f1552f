//! Where the method collapse takes the mass of a body to be, if not everywhere [C11 8.1].

use crate::math::{DMat3, DVec3};
use crate::problem::{Problem, Result};
use crate::scene::Scene;
use crate::shape::Shape;
use crate::world::{Body, Method};

/// Corners that are off a box by no more than this part of its radius are rounding.
const ROUNDING: f64 = 1e-9;

/// Puts the mass of a body into points, if the scene asks for it.
pub(super) fn put(scene: &Scene, method: &Method, shape: &Shape, body: &mut Body) -> Result<()> {
    let shares = scene.collapse.mass_points.shares(scene.dimension);
    let (Method::Collapse(_), Some(shares)) = (method, shares) else { return Ok(()) };
    let inertia = inertia_of_points(shape, shares).ok_or_else(|| {
        Problem::new("the mass of this body cannot be put into points")
            .help("`collapse.mass_points` is for rectangles and boxes")
    })?;
    body.inertia = inertia * body.mass;
    Ok(())
}

/// The inertia, at mass one, of a rectangle or box whose mass is in its corners, the middles of
/// its edges (in 2D) and, what is left, in the centre.
fn inertia_of_points(shape: &Shape, [corner, middle]: [f64; 2]) -> Option<DMat3> {
    let [piece] = &shape.pieces[..] else { return None };
    let (core, radius) = (piece.polytope(), shape.radius());
    let corners = core.corners();
    let is_box = corners.len() == 1 << (if core.is_flat() { 2 } else { 3 });
    let mirrored = |c: &DVec3| corners.iter().any(|d| (*c + *d).length() < ROUNDING * radius);
    let equal = |c: &DVec3| (c.length() - radius).abs() < ROUNDING * radius;
    if !(is_box && corners.iter().all(mirrored) && corners.iter().all(equal)) {
        return None;
    }
    let edges = corners.iter().zip(corners.iter().cycle().skip(1));
    let points = corners.iter().map(|c| (*c, corner));
    let points = points.chain(edges.map(|(a, b)| (0.5 * (*a + *b), middle)));
    Some(points.fold(DMat3::ZERO, |sum, (p, share)| {
        let outer = DMat3::from_cols(p * p.x, p * p.y, p * p.z);
        sum + (DMat3::from_diagonal(DVec3::splat(p.length_squared())) - outer) * share
    }))
}
