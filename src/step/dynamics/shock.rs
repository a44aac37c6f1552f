//! Shock propagation [D14 6, after Guendelman et al. 2003]: overlaps that the
//! passes left are removed from the ground upwards, every body below counting
//! as immovable. Positions only: no velocity comes from it.

use super::bodies::Bodies;
use super::paper::Point;

/// Pushes every body out of those below it, level by level.
pub fn propagate(bodies: &mut Bodies, points: &[Point]) {
    let levels = levels(bodies, points);
    let mut order: Vec<(u32, usize)> = Vec::new();
    for (index, point) in points.iter().enumerate() {
        let [one, two] = point.ends.map(|end| levels[end.body]);
        if one != two && one.max(two) < u32::MAX {
            order.push((one.max(two), index));
        }
    }
    order.sort_unstable();
    for (_, index) in order {
        let point = &points[index];
        let gap = point.gap(bodies);
        if gap >= 0.0 {
            continue;
        }
        let [a, b] = point.ends.map(|end| end.body);
        let (upper, out) = if levels[a] > levels[b] { (a, 1.0) } else { (b, -1.0) };
        bodies.positions[upper] += point.normal * (-gap * out);
    }
}

/// How many contacts a body is away from what cannot move.
fn levels(bodies: &Bodies, points: &[Point]) -> Vec<u32> {
    let mut levels = vec![u32::MAX; bodies.inverse.len()];
    let mut front: Vec<usize> = Vec::new();
    for i in (0..levels.len()).filter(|&i| bodies.inverse[i].mass == 0.0) {
        levels[i] = 0;
        front.push(i);
    }
    let mut touching: Vec<(usize, usize)> = Vec::new();
    for point in points.iter().filter(|point| point.gap(bodies) < TOUCHING) {
        let [a, b] = point.ends.map(|end| end.body);
        touching.extend([(a, b), (b, a)]);
    }
    touching.sort_unstable();
    touching.dedup();
    let mut level = 0;
    while !front.is_empty() {
        level += 1;
        let mut next = Vec::new();
        for body in front {
            let from = touching.partition_point(|pair| pair.0 < body);
            for &(_, other) in touching[from..].iter().take_while(|pair| pair.0 == body) {
                if levels[other] == u32::MAX {
                    levels[other] = level;
                    next.push(other);
                }
            }
        }
        front = next;
    }
    levels
}

/// Points with a gap below this carry a level on: rounding.
const TOUCHING: f64 = 1e-9;
