//! Outlines that cut themselves a little, as tracing and offsetting leave them: an edge meets the next
//! but one, and between them the line makes a loop of two corners. What is made of it covers
//! the figure, so that no overlap is hidden.

use crate::math::DVec2;
use crate::shape::segments_meet;

/// A loop is small if it reaches no farther than this part of the outline's size.
const SMALL: f64 = 1e-2;

/// Corners with the figure on their left, and without small loops of two corners; how many there were. None
/// if there is no such loop.
pub fn untangled(corners: &[[f64; 2]]) -> Option<(Vec<[f64; 2]>, usize)> {
    let mut corners: Vec<DVec2> = corners.iter().copied().map(DVec2::from_array).collect();
    let mut loops = 0;
    let low = corners.iter().copied().reduce(DVec2::min)?;
    let high = corners.iter().copied().reduce(DVec2::max)?;
    let small = SMALL * (high - low).max_element();
    // Each time there is a corner less, or one fewer edge that meets the next but one.
    for _ in 0..corners.len() {
        let Some(k) = (0..corners.len()).find(|&k| is_loop(&corners, k, small)) else { break };
        untangle(&mut corners, k);
        loops += 1;
        if corners.len() < 4 {
            break;
        }
    }
    (loops > 0).then(|| (corners.iter().map(|corner| corner.to_array()).collect(), loops))
}

/// Four corners from the k-th on.
fn four(corners: &[DVec2], k: usize) -> [DVec2; 4] {
    [0, 1, 2, 3].map(|i| corners[(k + i) % corners.len()])
}

fn is_loop(corners: &[DVec2], k: usize, small: f64) -> bool {
    let [a, b, c, d] = four(corners, k);
    let ends = [a, b, c, d].map(|corner| corner.to_array());
    let meet = meet([a, b], [c, d]);
    corners.len() > 4
        && segments_meet([ends[0], ends[1]], [ends[2], ends[3]])
        && [b.distance(c), b.distance(meet), c.distance(meet)].iter().all(|way| *way <= small)
}

/// Where two edges meet that do.
fn meet([a, b]: [DVec2; 2], [c, d]: [DVec2; 2]) -> DVec2 {
    let across = (b - a).perp_dot(d - c);
    match across == 0.0 {
        true => c,
        false => a + (b - a) * ((c - a).perp_dot(d - c) / across).clamp(0.0, 1.0),
    }
}

fn untangle(corners: &mut Vec<DVec2>, k: usize) {
    let [a, b, c, d] = four(corners, k);
    let count = corners.len();
    let (second, third) = ((k + 1) % count, (k + 2) % count);
    if (b - a).perp_dot(c - a) < 0.0 {
        // The loop lies outside of the figure: around it.
        corners.swap(second, third);
        return;
    }
    // The loop lies in the figure: left out, from where the edges meet.
    corners[second] = meet([a, b], [c, d]);
    corners.remove(third);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Outline;

    /// A large rectangle whose lower side begins as told.
    fn around(start: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let mut corners = vec![[0.0, 0.0]];
        corners.extend(start);
        corners.extend([[900.0, 0.0], [900.0, 500.0], [0.0, 500.0]]);
        corners
    }

    #[test]
    fn loops_inside_are_left_out_and_those_outside_are_gone_around() {
        let inside = around(&[[4.0, 0.0], [3.0, 1.0], [2.0, -1.0]]);
        assert!(Outline::new(&inside, &[]).is_err());
        let (corners, loops) = untangled(&inside).unwrap();
        assert_eq!(loops, 1);
        assert_eq!(corners[..3], [[0.0, 0.0], [2.5, 0.0], [2.0, -1.0]]);
        Outline::new(&corners, &[]).unwrap();
        let outside = around(&[[4.0, 0.0], [3.0, -1.0], [2.0, 1.0]]);
        let (corners, _) = untangled(&outside).unwrap();
        assert_eq!(corners[..4], [[0.0, 0.0], [3.0, -1.0], [4.0, 0.0], [2.0, 1.0]]);
        Outline::new(&corners, &[]).unwrap();
    }

    /// Forth, back on the same line, and forth again.
    #[test]
    fn spikes_without_width_go() {
        let (corners, loops) = untangled(&around(&[[4.0, 0.0], [2.0, 0.0], [3.0, -1.0]])).unwrap();
        assert_eq!((corners[..3].to_vec(), loops), (vec![[0.0, 0.0], [2.0, 0.0], [3.0, -1.0]], 1));
        Outline::new(&corners, &[]).unwrap();
    }

    #[test]
    fn simple_ones_and_large_loops_stay() {
        assert!(untangled(&around(&[[4.0, -1.0]])).is_none());
        assert!(untangled(&around(&[[400.0, 0.0], [300.0, 100.0], [200.0, -100.0]])).is_none());
        let eight = [[0.0, 0.0], [2.0, 2.0], [4.0, 2.0], [4.0, 0.0], [2.0, 0.5], [0.0, 2.0]];
        assert!(untangled(&eight).is_none());
    }
}
