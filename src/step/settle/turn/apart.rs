//! How far two pieces are apart, of which one or both may be cylinders. The room along a direction is
//! known exactly, whatever the direction; the search only has to find a good one. Where a rim
//! is nearest the room is smooth, and Newton's method finds its most; where sides, edges and ends
//! are, it has kinks, which are tried one by one.

use super::solids::{Drum, Placed};
use crate::math::DVec3;
use crate::shape::{Apart, closest};

/// Of Newton's method, from one start.
const MOST_STEPS: usize = 30;
/// A step that does not gain is tried again as this part of itself, ...
const SHORTER: f64 = 0.25;
/// ... down to this.
const SHORTEST: f64 = 1e-4;
/// No step turns farther than this.
const WIDEST: f64 = 0.5;
/// The first guess is off by less than the angle of this cosine, ...
const NEAR: f64 = 0.8;
/// ... and edges that are nearest make at most the angle of this cosine with it.
const ACROSS: f64 = 0.5;
/// A round of the search that gains less than this, in sizes, was the last.
const ENOUGH: f64 = 1e-14;
/// What holds a direction in which nothing bends, in sizes.
const HELD: f64 = 1e-12;

/// The direction, from the second piece to the first, and the room along it. The first piece is
/// moved by `offset` from the second one's frame.
pub(super) fn apart(one: &Placed, two: &Placed, offset: DVec3) -> Apart {
    if one.drum.is_none() && two.drum.is_none() {
        return closest(&one.core, &two.core, offset);
    }
    let guess = closest(one.guess(), two.guess(), offset).normal;
    let pair = Pair { one, two, offset, size: offset.length() };
    let mut best = pair.along(guess);
    let mut keep = |found: Apart| {
        if found.room > best.room {
            best = found;
        }
    };
    keep(pair.climb(guess, None));
    let lines = [one, two].map(|piece| lines(piece, guess));
    for line in lines.iter().flatten() {
        if let Some(start) = (guess - guess.dot(*line) * *line).try_normalize() {
            keep(pair.climb(start, Some(*line)));
        }
    }
    for a in &lines[0] {
        for b in &lines[1] {
            if let Some(normal) = a.cross(*b).try_normalize() {
                keep(pair.along(if normal.dot(guess) < 0.0 { -normal } else { normal }));
            }
        }
    }
    for normal in sides(one, -guess).into_iter().map(|n| -n).chain(sides(two, guess)) {
        keep(pair.along(normal));
    }
    pair.again(best, &lines)
}

/// From where Newton's method ended, or stuck at a kink, it begins again so far to either side, ...
const ASIDE: [f64; 4] = [0.3, -0.3, 0.03, -0.03];
/// ... at most so many times.
const MOST_ROUNDS: usize = 4;

/// The directions of edges that may be nearest.
fn lines(piece: &Placed, guess: DVec3) -> Vec<DVec3> {
    if let Some(drum) = &piece.drum {
        return vec![drum.axis];
    }
    let corner = |k: u32| piece.core.corners()[k as usize];
    let along = |&[a, b]: &[u32; 2]| (corner(b) - corner(a)).try_normalize();
    let edges = piece.core.edges().iter().filter_map(along);
    edges.filter(|line| line.dot(guess).abs() < ACROSS).collect()
}

/// The normals of sides that may be nearest, if the other piece is along `out`.
fn sides(piece: &Placed, out: DVec3) -> Vec<DVec3> {
    if let Some(Drum { axis, .. }) = piece.drum {
        return vec![if axis.dot(out) < 0.0 { -axis } else { axis }];
    }
    let normals = piece.core.facets().iter().map(|facet| facet.normal);
    normals.filter(|normal| normal.dot(out) > NEAR).collect()
}

struct Pair<'a> {
    one: &'a Placed,
    two: &'a Placed,
    offset: DVec3,
    size: f64,
}

impl Pair<'_> {
    fn along(&self, normal: DVec3) -> Apart {
        let room = self.offset.dot(normal) - self.one.support(-normal) - self.two.support(normal);
        Apart { normal, room }
    }

    /// Newton's method from beside the best direction, until nothing better is found.
    fn again(&self, mut best: Apart, lines: &[Vec<DVec3>; 2]) -> Apart {
        let drums = || [self.one, self.two].into_iter().filter_map(|piece| piece.drum.as_ref());
        for _ in 0..MOST_ROUNDS {
            let normal = best.normal;
            let mut found = vec![self.climb(normal, None)];
            for drum in drums() {
                for axis in [drum.axis, drum.axis.cross(normal)] {
                    let starts = ASIDE.map(|part| (normal + part * axis).normalize());
                    found.extend(starts.map(|start| self.climb(start, None)));
                }
            }
            for line in lines.iter().flatten() {
                let across = (normal - normal.dot(*line) * *line).try_normalize();
                found.extend(across.map(|start| self.climb(start, Some(*line))));
            }
            let better = found.into_iter().max_by(|a, b| a.room.total_cmp(&b.room));
            match better {
                Some(better) if better.room > best.room + ENOUGH * self.size => best = better,
                _ => break,
            }
        }
        best
    }

    /// Newton's method to the most room, of all directions or of those across a line.
    fn climb(&self, start: DVec3, line: Option<DVec3>) -> Apart {
        let mut best = self.along(start);
        for _ in 0..MOST_STEPS {
            let step = self.step(&best, line);
            let step = step.clamp_length_max(WIDEST);
            let mut part = 1.0;
            let found = loop {
                let mut normal = best.normal + part * step;
                if let Some(line) = line {
                    normal -= normal.dot(line) * line;
                }
                let found = self.along(normal.normalize());
                if found.room > best.room || part < SHORTEST {
                    break found;
                }
                part *= SHORTER;
            };
            // What is no number is no more room.
            if found.room > best.room {
                best = found;
            } else {
                break;
            }
        }
        best
    }

    fn step(&self, at: &Apart, line: Option<DVec3>) -> DVec3 {
        let n = at.normal;
        // From the nearest point of the second piece to that of the first.
        let slope = self.offset + self.one.farthest(-n) - self.two.farthest(n);
        let held = at.room.max(HELD * self.size);
        let bend = |s: DVec3, t: DVec3| {
            let drums = [self.one, self.two].into_iter().filter_map(|piece| piece.drum.as_ref());
            let of = |drum: &Drum| {
                let across = drum.axis.cross(n);
                let sine = across.length();
                if sine == 0.0 {
                    return 0.0;
                }
                drum.radius * across.dot(s) * across.dot(t) / (sine * sine * sine)
            };
            drums.map(of).sum::<f64>()
        };
        if let Some(line) = line {
            let t = line.cross(n);
            return t * (slope.dot(t) / (bend(t, t) + held));
        }
        let (s, t) = n.any_orthonormal_pair();
        let (a, b, c) = (bend(s, s) + held, bend(s, t), bend(t, t) + held);
        let (p, q) = (slope.dot(s), slope.dot(t));
        let det = a * c - b * b;
        if det > 0.0 { (s * (c * p - b * q) + t * (a * q - b * p)) / det } else { s * p + t * q }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{DQuat, Random};
    use crate::shape::{Core, Piece, Polytope};
    use crate::step::settle::turn::solids::Placed;

    fn vector(random: &mut Random) -> DVec3 {
        let mut number = || random.between(-1.0, 1.0);
        DVec3::new(number(), number(), number())
    }

    /// The most room along many directions, refined around the best ones: a search of another kind.
    fn most_room(pair: &Pair) -> f64 {
        let mut random = Random::new(5);
        let mut best = pair.along(DVec3::X);
        for _ in 0..3000 {
            let found = pair.along(vector(&mut random).normalize());
            if found.room > best.room {
                best = found;
            }
        }
        let mut width = 0.3;
        while width > 1e-9 {
            let mut gained = false;
            for _ in 0..60 {
                let found = pair.along((best.normal + width * vector(&mut random)).normalize());
                if found.room > best.room {
                    (best, gained) = (found, true);
                }
            }
            if !gained {
                width *= 0.6;
            }
        }
        best.room
    }

    /// Cylinders against cylinders, boxes, balls and capsules, apart by much and by little, askew and
    /// square to each other: no direction that a slow search finds has more room.
    #[test]
    fn no_direction_has_more_room() {
        let random = &mut Random::new(3);
        for round in 0..400 {
            let drum = |random: &mut Random| Core::Cylinder {
                radius: random.between(0.1, 1.0),
                half: random.between(0.05, 1.0),
            };
            let other = match round % 4 {
                0 | 1 => drum(random),
                2 => Core::Polytope(Polytope::cuboid(DVec3::new(0.6, 0.4, 0.9)).unwrap()),
                _ => Core::Segment { half: 0.7 },
            };
            let cores = [drum(random), other];
            let turns = [0, 1].map(|k| match random.unit() < 0.3 {
                true => DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2 * f64::from(k)),
                false => DQuat::from_scaled_axis(3.0 * vector(random)),
            });
            let [one, two] =
                [0, 1].map(|k| Placed::of(&Piece::new(cores[k].clone(), 0.0), turns[k]));
            let away = vector(random).normalize();
            let mut offset = 4.0 * away;
            let gap = 10_f64.powf(random.between(-9.0, -0.3));
            for _ in 0..20 {
                offset -= 0.9 * (apart(&one, &two, offset).room - gap) * away;
            }
            let found = apart(&one, &two, offset);
            if found.room < 0.0 {
                continue;
            }
            let pair = Pair { one: &one, two: &two, offset, size: 1.0 };
            let most = most_room(&pair);
            assert!(found.room > most - 1e-9, "{round}: {} of {most}", found.room);
        }
    }
}
