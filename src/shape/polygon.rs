//! Whether a list of corners is the outline of a plane figure: the check that
//! a polygon passes before it becomes a boundary. All decisions are exact.

use super::meet::{segments_meet, side_of_line};
use super::{Aabb, Bvh};
use crate::math::DVec3;
use crate::problem::{Problem, Result, few_digits};
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
            let message = format!(
                "the polygon turns back on itself at corner {index}, {:?}",
                told(corner(index))
            );
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

/// A corner as messages tell it.
fn told(corner: [f64; 2]) -> [f64; 2] {
    corner.map(few_digits)
}

fn check_lengths(corners: &[[f64; 2]]) -> Result<()> {
    let (first, last) = (corners[0], corners[corners.len() - 1]);
    if first == last {
        return Err(Problem::new(format!(
            "the polygon ends at its first corner, {:?}",
            told(first)
        ))
        .help("leave out the last corner: the polygon closes by itself"));
    }
    match corners.windows(2).position(|ends| ends[0] == ends[1]) {
        Some(index) => {
            let message = format!(
                "the corners {index} and {} of the polygon are both {:?}",
                index + 1,
                told(corners[index])
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
                let [from, to] = edge(index).map(told);
                format!("edge {index} (from {from:?} to {to:?})")
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
pub(super) fn is_clockwise(corners: &[[f64; 2]]) -> bool {
    let count = corners.len();
    let order =
        |&a: &usize, &b: &usize| corners[a].partial_cmp(&corners[b]).unwrap_or(Ordering::Equal);
    let leftmost = (0..count).min_by(order).unwrap_or(0);
    let [before, after] = [leftmost + count - 1, leftmost + 1].map(|index| corners[index % count]);
    side_of_line(before, corners[leftmost], after) < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn assert_refused(corners: &[[f64; 2]], expected: &str) {
        let found = check_polygon(corners).unwrap_err().to_string();
        assert!(found.contains(expected), "\"{found}\" does not contain \"{expected}\"");
    }

    #[test]
    fn two_corners_are_too_few() {
        assert_refused(&[[0.0, 0.0], [1.0, 0.0]], "the polygon has 2 corners");
    }

    #[test]
    fn coordinates_are_finite() {
        assert_refused(
            &[[0.0, 0.0], [f64::NAN, 0.0], [0.0, 1.0]],
            "corner 1 of the polygon is [NaN, 0.0]",
        );
    }

    #[test]
    fn edges_have_a_length() {
        let doubled = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        assert_refused(&doubled, "the corners 1 and 2 of the polygon are both [1.0, 0.0]");
        let closed = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]];
        assert_refused(&closed, "help: leave out the last corner");
    }

    #[test]
    fn clockwise_is_told_apart() {
        assert_refused(&[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]], "help: reverse the list");
        // The two zeros are equal: the turn must not be taken at the straight corner.
        let flat_left = [[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [0.0, 2.0], [-0.0, 1.0]];
        assert_eq!(check_polygon(&flat_left), Ok(()));
        let reversed: Vec<[f64; 2]> = flat_left.into_iter().rev().collect();
        assert_refused(&reversed, "the polygon is clockwise");
    }

    #[test]
    fn spikes_are_found() {
        let spike = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [2.0, 1.0], [0.0, 1.0]];
        assert_refused(&spike, "turns back on itself at corner 2, [2.0, 2.0]");
        assert_refused(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], "turns back on itself");
    }

    #[test]
    fn crossings_and_touchings_are_found() {
        let bow = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        assert_refused(
            &bow,
            "edge 0 (from [0.0, 0.0] to [1.0, 1.0]) meets edge 2 (from [1.0, 0.0] to [0.0, 1.0])",
        );
        let touching = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [2.0, 0.0], [0.0, 2.0]];
        assert_refused(&touching, "cuts or touches itself");
        let almost = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [2.0, 1e-300], [0.0, 2.0]];
        assert_eq!(check_polygon(&almost), Ok(()));
    }

    proptest! {
        /// Of the two orders of the corners of a polygon without crossings,
        /// exactly one is right: the one with positive area.
        #[test]
        fn orientation_agrees_with_the_area(corners in prop::collection::vec([0..9, 0..9], 3..7)) {
            let corners: Vec<[f64; 2]> =
                corners.into_iter().map(|corner| corner.map(f64::from)).collect();
            let reversed: Vec<[f64; 2]> = corners.iter().rev().copied().collect();
            let next = corners.iter().cycle().skip(1);
            let area: f64 = corners.iter().zip(next).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum();
            match (check_polygon(&corners), check_polygon(&reversed)) {
                (Ok(()), Ok(())) => prop_assert!(false, "both orders cannot be right"),
                (Ok(()), Err(_)) => prop_assert!(area > 0.0),
                (Err(_), Ok(())) => prop_assert!(area < 0.0),
                (Err(a), Err(b)) => {
                    let clockwise = |problem: &Problem| problem.message == "the polygon is clockwise";
                    prop_assert!(!clockwise(&a) && !clockwise(&b));
                }
            }
        }
    }
}
