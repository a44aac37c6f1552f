//! Whether a list of corners is the outline of a plane figure: the check that
//! a polygon passes before it becomes a boundary. All decisions are exact.

use super::meet::{segments_meet, side_of_line};
use super::{Aabb, Bvh};
use crate::math::DVec3;
use crate::problem::{Problem, Result};
use std::cmp::Ordering;

/// An error unless the corners make a simple polygon: finite, without
/// zero-length edges, nowhere touching itself, and counter-clockwise.
///
/// ```
/// use riprap::shape::check_polygon;
/// assert!(check_polygon(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).is_ok());
/// let clockwise = check_polygon(&[[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]);
/// assert_eq!(clockwise.unwrap_err().message, "the polygon is clockwise");
/// ```
pub fn check_polygon(corners: &[[f64; 2]]) -> Result<()> {
    let count = corners.len();
    if count < 3 {
        return Err(
            Problem::new(format!("the polygon has {count} corners")).help("it needs at least 3")
        );
    }
    if let Some(index) = corners.iter().position(|corner| corner.iter().any(|x| !x.is_finite())) {
        return Err(Problem::new(format!("corner {index} of the polygon is {:?}", corners[index]))
            .help("coordinates are finite numbers"));
    }
    let corner = |index: usize| corners[index % count];
    check_lengths(corners)?;
    for index in 0..count {
        if folds_back(corner(index + count - 1), corner(index), corner(index + 1)) {
            let message =
                format!("the polygon turns back on itself at corner {index}, {:?}", corner(index));
            return Err(Problem::new(message).help("an edge may not overlap the next one"));
        }
    }
    check_crossings(corners)?;
    if is_clockwise(corners) {
        return Err(Problem::new("the polygon is clockwise")
            .help("reverse the list of corners: they run counter-clockwise, with y up"));
    }
    Ok(())
}

fn check_lengths(corners: &[[f64; 2]]) -> Result<()> {
    let (first, last) = (corners[0], corners[corners.len() - 1]);
    if first == last {
        return Err(Problem::new(format!("the polygon ends at its first corner, {first:?}"))
            .help("leave out the last corner: the polygon closes by itself"));
    }
    match corners.windows(2).position(|ends| ends[0] == ends[1]) {
        Some(index) => {
            let message = format!(
                "the corners {index} and {} of the polygon are both {:?}",
                index + 1,
                corners[index]
            );
            Err(Problem::new(message).help("leave out one of them: an edge has a length"))
        }
        None => Ok(()),
    }
}

/// Whether the edge from `b` to `c` lies on the edge from `a` to `b`.
fn folds_back(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> bool {
    let same_way = |axis: usize| {
        (a[axis] < b[axis]) == (c[axis] < b[axis]) && (a[axis] > b[axis]) == (c[axis] > b[axis])
    };
    side_of_line(a, b, c) == 0.0 && same_way(0) && same_way(1)
}

fn check_crossings(corners: &[[f64; 2]]) -> Result<()> {
    let count = corners.len();
    let edge = |index: u32| [corners[index as usize], corners[(index as usize + 1) % count]];
    let point = |[x, y]: [f64; 2]| DVec3::new(x, y, 0.0);
    let boxes: Vec<Aabb> =
        (0..count as u32).map(|index| Aabb::from_points(edge(index).map(point))).collect();
    let neighbours = |i: u32, j: u32| j - i == 1 || j - i == count as u32 - 1;
    let meet = |&(i, j): &(u32, u32)| !neighbours(i, j) && segments_meet(edge(i), edge(j));
    match Bvh::new(&boxes).pairs().into_iter().find(meet) {
        Some((i, j)) => {
            let name = |index: u32| {
                format!("edge {index} (from {:?} to {:?})", edge(index)[0], edge(index)[1])
            };
            Err(Problem::new(format!(
                "the polygon cuts or touches itself: {} meets {}",
                name(i),
                name(j)
            ))
            .help("only successive edges may meet, at their common corner"))
        }
        None => Ok(()),
    }
}

/// The lowest of the leftmost corners sticks out of any simple polygon, so the
/// turn there tells the orientation without rounding.
fn is_clockwise(corners: &[[f64; 2]]) -> bool {
    let count = corners.len();
    let order =
        |&a: &usize, &b: &usize| corners[a].partial_cmp(&corners[b]).unwrap_or(Ordering::Equal);
    let leftmost = (0..count).min_by(order).unwrap_or(0);
    let [before, after] = [leftmost + count - 1, leftmost + 1].map(|index| corners[index % count]);
    side_of_line(before, corners[leftmost], after) < 0.0
}
