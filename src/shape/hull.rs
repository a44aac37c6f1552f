//! The convex hull of points in space, one point after another. All decisions
//! are exact, so flat sides, repeated points and points on edges do no harm.

use super::meet::{is_degenerate, side_of_plane};
use super::weld::weld;
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use std::collections::BTreeSet;

/// The corners of the hull (in the order of the points) and its triangles,
/// counter-clockwise seen from outside.
pub(super) fn hull_triangles(points: &[DVec3]) -> Result<(Vec<DVec3>, Vec<[u32; 3]>)> {
    if let Some(index) = points.iter().position(|p| !p.is_finite()) {
        return Err(Problem::new(format!("corner {index} is at {}", points[index]))
            .help("coordinates are finite numbers"));
    }
    let (points, _) = weld(points.iter().copied());
    let Some(start) = first_tetrahedron(&points) else {
        return Err(Problem::new(format!("the {} corners lie in one plane", points.len()))
            .help("a polyhedron needs four corners that do not"));
    };
    let mut triangles = start;
    for (index, &point) in points.iter().enumerate() {
        triangles = add_point(&points, triangles, index as u32, point);
    }
    Ok(only_used(&points, triangles))
}

/// Four points that are not in one plane, as four triangles.
fn first_tetrahedron(points: &[DVec3]) -> Option<Vec<[u32; 3]>> {
    let at = |k: usize| points[k];
    let (a, b) = (0, 1);
    let c = (2..points.len()).find(|&c| !is_degenerate([at(a), at(b), at(c)]))?;
    let side = |d: usize| side_of_plane([at(a), at(b), at(c)], at(d));
    let d = (2..points.len()).find(|&d| side(d) != 0.0)?;
    let [a, b, c, d] = if side(d) > 0.0 { [a, b, c, d] } else { [a, c, b, d] }.map(|k| k as u32);
    Some(vec![[a, b, c], [a, c, d], [c, b, d], [b, a, d]])
}

/// Replaces the triangles that the point sees by a cone from their rim.
fn add_point(
    points: &[DVec3],
    triangles: Vec<[u32; 3]>,
    index: u32,
    point: DVec3,
) -> Vec<[u32; 3]> {
    let sees = |t: &[u32; 3]| side_of_plane(t.map(|k| points[k as usize]), point) < 0.0;
    let (seen, mut kept): (Vec<_>, Vec<_>) = triangles.into_iter().partition(sees);
    let sides: BTreeSet<[u32; 2]> =
        seen.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    let rim = sides.iter().filter(|[a, b]| !sides.contains(&[*b, *a]));
    kept.extend(rim.map(|&[a, b]| [a, b, index]));
    kept
}

fn only_used(points: &[DVec3], triangles: Vec<[u32; 3]>) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let used: Vec<u32> =
        triangles.iter().flatten().copied().collect::<BTreeSet<u32>>().into_iter().collect();
    let place = |k: u32| used.partition_point(|&u| u < k) as u32;
    let corners = used.iter().map(|&k| points[k as usize]).collect();
    (corners, triangles.into_iter().map(|t| t.map(place)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_in_one_plane_are_refused() {
        let flat = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y];
        let message = hull_triangles(&flat).unwrap_err().message;
        assert_eq!(message, "the 4 corners lie in one plane");
        assert!(hull_triangles(&[]).is_err() && hull_triangles(&[DVec3::X; 5]).is_err());
        let infinite = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z / 0.0];
        assert!(hull_triangles(&infinite).unwrap_err().message.starts_with("corner 3 is at"));
    }

    #[test]
    fn a_tetrahedron_is_its_own_hull() {
        let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::splat(0.1)];
        let (corners, triangles) = hull_triangles(&points).unwrap();
        assert_eq!((corners.len(), triangles.len()), (4, 4));
    }
}
