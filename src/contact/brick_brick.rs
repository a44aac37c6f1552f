//! Where two rigid bodies touch or could touch: points with a common normal.
//! For each pair of convex pieces the direction of LARGEST separation is chosen
//! among the faces (and, in 3D, the pairs of edges), and the other brick is
//! clipped to that face, so that two faces give exactly the ends of their
//! contact interval. (The rule as printed in [C11 8.5] leaves unstable towers
//! standing.)

use super::{polygons, polyhedra};
use crate::math::{DQuat, DVec3};
use crate::near;
use crate::shape::{Aabb, Brick};
use crate::world::{Poses, Tower};

/// A point of body `a` that body `b` keeps out, or the other way round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    pub key: TouchKey,
    /// The material points that face each other, in the frame of the world.
    pub at_a: DVec3,
    pub at_b: DVec3,
    /// Unit vector from `b` to `a`.
    pub normal: DVec3,
    /// `normal . (at_a - at_b)`: negative if they overlap.
    pub gap: f64,
    pub carrier: Carrier,
}

/// The same contact has the same key from step to step.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct TouchKey {
    pub a: u32,
    pub b: u32,
    /// The pieces of the two bodies.
    pub pieces: [u16; 2],
    /// Which features of the pieces meet.
    pub feature: [u16; 2],
}

/// Whose face, or which two edges, the normal turns with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Carrier {
    FaceOfA,
    FaceOfB,
    /// Edges of both, by direction: the normal is across them.
    Edges(DVec3, DVec3),
}

/// What two pieces have to say about each other.
pub(super) struct Meeting {
    pub at_first: DVec3,
    pub at_second: DVec3,
    pub normal: DVec3,
    pub carrier: Carrier,
    pub feature: [u16; 2],
}

/// All points within reach of each other, sorted by key. `reach` says per body
/// how far its points may come in the next move.
pub fn touches(tower: &Tower, poses: &Poses, reach: &[f64]) -> Vec<Touch> {
    let placed: Vec<Vec<Brick>> = (0..tower.bricks.len()).map(|i| tower.placed(i, poses)).collect();
    let grown = |(pieces, reach): (&Vec<Brick>, &f64)| {
        let bounds = Poses::bounds(pieces);
        Aabb { min: bounds.min - *reach, max: bounds.max + *reach }
    };
    let regions: Vec<Aabb> = placed.iter().zip(reach).map(grown).collect();
    let mut found = Vec::new();
    for pair in near::pairs(&regions) {
        let (a, b) = (pair.i as usize, pair.j as usize);
        if tower.bricks[a].fixed && tower.bricks[b].fixed || tower.pinned(pair.i, pair.j) {
            continue;
        }
        let within = reach[a] + reach[b];
        for (p, first) in placed[a].iter().enumerate() {
            for (q, second) in placed[b].iter().enumerate() {
                let meetings = match tower.dimension {
                    2 => polygons::meetings(first, second, within),
                    _ => polyhedra::meetings(first, second, within),
                };
                found.extend(meetings.into_iter().map(|m| Touch {
                    key: TouchKey {
                        a: pair.i,
                        b: pair.j,
                        pieces: [p as u16, q as u16],
                        feature: m.feature,
                    },
                    at_a: m.at_first,
                    at_b: m.at_second,
                    normal: m.normal,
                    gap: m.normal.dot(m.at_first - m.at_second),
                    carrier: m.carrier,
                }));
            }
        }
    }
    found.sort_by_key(|touch| touch.key);
    found
}

impl Touch {
    /// The gap after both bodies have moved, to all orders: `(d, turn)` is the
    /// displacement of a centre of mass and the rotation vector about it.
    pub fn gap_after(&self, poses: &Poses, moves: [(DVec3, DVec3); 2]) -> f64 {
        let turns = moves.map(|(_, turn)| DQuat::from_scaled_axis(turn));
        let after = |body: u32, at: DVec3, side: usize| {
            let centre = poses.positions[body as usize];
            centre + moves[side].0 + turns[side] * (at - centre)
        };
        let apart = after(self.key.a, self.at_a, 0) - after(self.key.b, self.at_b, 1);
        let normal = match self.carrier {
            Carrier::FaceOfA => turns[0] * self.normal,
            Carrier::FaceOfB => turns[1] * self.normal,
            Carrier::Edges(one, two) => {
                let across = (turns[0] * one).cross(turns[1] * two).normalize_or_zero();
                if across.dot(self.normal) < 0.0 { -across } else { across }
            }
        };
        normal.dot(apart)
    }

    /// What the linear row misses of [`Touch::gap_after`]: the second-order term
    /// of the sidedness constraint, S' of [C11 5].
    pub fn bend(&self, poses: &Poses, moves: [(DVec3, DVec3); 2]) -> f64 {
        let linear = |body: u32, at: DVec3, (shift, turn): (DVec3, DVec3)| {
            self.normal.dot(shift + turn.cross(at - poses.positions[body as usize]))
        };
        let rate =
            linear(self.key.a, self.at_a, moves[0]) - linear(self.key.b, self.at_b, moves[1]);
        self.gap_after(poses, moves) - self.gap - rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two unit squares side by side and one on top, over the joint.
    fn three() -> (Tower, Poses) {
        let (mut tower, mut poses) = (Tower::new(2, DVec3::NEG_Y), Poses::default());
        let square = Brick::rectangle(1.0, 1.0).unwrap();
        for (x, y) in [(0.0, 0.0), (1.0, 0.0), (0.5, 1.0)] {
            let placed = square.placed(DVec3::new(x, y, 0.0), DQuat::IDENTITY);
            tower.add(&mut poses, &[placed], 1.0).unwrap();
        }
        (tower, poses)
    }

    #[test]
    fn faces_touch_at_the_two_ends_of_their_interval() {
        let (tower, poses) = three();
        let found = touches(&tower, &poses, &[1e-6; 3]);
        let points = |a: u32, b: u32| {
            let of = found.iter().filter(|t| (t.key.a, t.key.b) == (a, b));
            let mut points: Vec<[f64; 2]> = of.map(|t| [t.at_a.x, t.at_a.y]).collect();
            points.sort_by(|a, b| a.partial_cmp(b).unwrap());
            points
        };
        assert_eq!(points(0, 1), [[0.5, -0.5], [0.5, 0.5]]);
        assert_eq!(points(0, 2), [[0.0, 0.5], [0.5, 0.5]]);
        assert_eq!(points(1, 2), [[0.5, 0.5], [1.0, 0.5]]);
        assert_eq!(found.len(), 6);
        assert!(found.iter().all(|t| t.gap.abs() < 1e-15));
        let above = found.iter().find(|t| t.key.b == 2).unwrap();
        assert_eq!(above.normal, DVec3::NEG_Y, "from b, above, to a, below");
    }

    /// The second-order term is what a finite motion shows beyond the linear row.
    #[test]
    fn the_bend_is_of_second_order() {
        let (tower, poses) = three();
        for touch in touches(&tower, &poses, &[0.1; 3]) {
            let bend = |s: f64| {
                let one = (DVec3::new(0.3, 0.1, 0.0) * s, DVec3::Z * (0.7 * s));
                let two = (DVec3::new(-0.2, 0.4, 0.0) * s, DVec3::Z * (-0.4 * s));
                touch.bend(&poses, [one, two])
            };
            let ratio = bend(1e-3) / bend(1e-4);
            assert!((ratio - 100.0).abs() < 1.0, "{ratio}");
        }
    }
}
