//! Narrow phase where the motion is: in every substep, normals and points of the
//! pairs that could touch within it. A pair that hardly moved keeps its points. One
//! that is fast has a contact only if it really meets, with the normal that it
//! has then; what would pass is let pass.

use super::bodies::{Bodies, Pose, Velocity};
use crate::contact::manifold::{Manifold, apart, manifold};
use crate::contact::{Course, Obstacle, impact};
use crate::math::{DQuat, DVec3};
use crate::shape::Core;

/// Pieces are looked at anew when they moved or turned against each other by this part of the
/// smaller radius: round ones, whose normal turns with them, and polytopes, which are clipped.
const MOVED: f64 = 5e-3;
const MOVED_POLYTOPES: f64 = 0.02;

/// Points are known when they are this part of the smaller radius apart, or less, so that a
/// polytope may turn as far as it does without a new look.
const AHEAD: f64 = MOVED_POLYTOPES;

/// A pair that moves by more than this part of the smaller radius in a substep is fast: slower
/// ones cannot be held by a normal of the substep's start while they pass at a hundredth of it.
const FAST: f64 = 0.01;

/// The angle between two unit quaternions is at most this many times their distance.
const ANGLE: f64 = std::f64::consts::PI / std::f64::consts::SQRT_2;

/// How bodies move in a substep, as far as that is known.
pub struct Motion<'m, 'a> {
    pub bodies: &'m Bodies<'a>,
    pub velocities: &'m [Velocity],
    /// How fast what is farthest from a body's centre goes around it.
    turning: Vec<f64>,
    /// When each body last changed its velocity in this substep; it may be anywhere before.
    clocks: &'m [f64],
    /// How much a velocity may change without being noticed.
    unknown: f64,
    pub h: f64,
}

/// A pair of pieces where it was last looked at.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    between: DVec3,
    rotations: [DQuat; 2],
    /// They were no nearer than this.
    clear: f64,
}

/// What a look tells.
#[expect(clippy::large_enum_variant, reason = "it is looked at where it is made")]
pub enum Sight {
    /// They do not touch in this substep.
    Apart,
    /// The points from before will do.
    AsBefore,
    /// A contact at a time.
    Meeting(f64, Manifold),
}

/// What is to know of a pair of pieces.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub key: [u32; 4],
    /// The smaller radius.
    pub size: f64,
    /// They touch if they are no farther apart than this.
    pub skin: f64,
    /// Whether a ball is among them.
    pub is_round: bool,
}

impl Pair {
    pub fn new(bodies: &Bodies, key: [u32; 4], skin: f64) -> Pair {
        let prepared = bodies.prepared;
        let [a, b, p, q] = key.map(|number| number as usize);
        let size = prepared.radius(a).min(prepared.radius(b));
        let is_ball = |body: usize, piece: usize| {
            body != bodies.world() && prepared.pieces(body)[piece].core == Core::Point
        };
        Pair { key, size, skin: skin * size, is_round: is_ball(a, p) || is_ball(b, q) }
    }

    pub fn ends(&self) -> [usize; 2] {
        [self.key[0] as usize, self.key[1] as usize]
    }
}

impl Look {
    /// By their boxes.
    pub fn new(bodies: &Bodies, [a, b]: [usize; 2], clear: f64) -> Look {
        Look {
            between: bodies.positions[a] - bodies.positions[b],
            rotations: [bodies.rotations[a], bodies.rotations[b]],
            clear,
        }
    }

    /// How much nearer to each other any two points may have come since.
    fn moved(&self, bodies: &Bodies, [a, b]: [usize; 2]) -> f64 {
        let between = bodies.positions[a] - bodies.positions[b];
        let turned = |body: usize, side: usize| match bodies.prepared.arm(body) {
            0.0 => 0.0,
            arm => ANGLE * arm * (bodies.rotations[body] - self.rotations[side]).length(),
        };
        (between - self.between).length() + turned(a, 0) + turned(b, 1)
    }
}

impl<'m, 'a> Motion<'m, 'a> {
    pub fn new(
        bodies: &'m Bodies<'a>,
        velocities: &'m [Velocity],
        clocks: &'m [f64],
        unknown: f64,
        h: f64,
    ) -> Self {
        let turning = |(i, v): (usize, &Velocity)| match bodies.prepared.arm(i) {
            0.0 => 0.0,
            arm => arm * v.angular.length(),
        };
        let turning = velocities.iter().enumerate().map(turning).collect();
        Motion { bodies, velocities, turning, clocks, unknown, h }
    }

    pub fn poses(&self, [a, b]: [usize; 2], time: f64) -> [Pose; 2] {
        [a, b].map(|body| self.bodies.pose(body, &self.velocities[body], time))
    }

    /// From when on both move evenly.
    pub fn start(&self, [a, b]: [usize; 2]) -> f64 {
        self.clocks[a].max(self.clocks[b])
    }

    /// How fast any two points may come nearer to each other.
    pub fn speed(&self, [a, b]: [usize; 2]) -> f64 {
        let against = self.velocities[a].linear - self.velocities[b].linear;
        against.length() + self.turning[a] + self.turning[b]
    }

    /// Whether a pair is too far apart to touch in this substep.
    pub fn is_clear(&self, pair: &Pair, look: &Look) -> bool {
        let ends = pair.ends();
        let way = (self.speed(ends) + self.unknown) * self.h + pair.skin;
        // A body that was set back is not where it seems.
        self.start(ends) == 0.0
            && look.clear > way
            && look.clear - look.moved(self.bodies, ends) > way
    }

    /// Looks at a pair. `gap` is the least one of its points, if it has any, where they are now.
    pub fn look(&self, pair: &Pair, look: &mut Look, gap: Option<f64>) -> Sight {
        let ends = pair.ends();
        let start = self.start(ends);
        let way = self.speed(ends) * (self.h - start);
        let reach = way + self.unknown * self.h + pair.skin;
        let tolerance = pair.size * if pair.is_round { MOVED } else { MOVED_POLYTOPES };
        let kept = gap.filter(|_| start == 0.0 && look.moved(self.bodies, ends) <= tolerance);
        let (gap, seen) = match kept {
            Some(gap) => (gap, Sight::AsBefore),
            None => match self.seen(pair, look, start, reach + AHEAD * pair.size) {
                Some(manifold) => {
                    if look.clear > pair.skin && self.passes(ends, &manifold, look.clear, start) {
                        return Sight::Apart;
                    }
                    (manifold.least_gap(), Sight::Meeting(start, manifold))
                }
                None => (f64::INFINITY, Sight::Apart),
            },
        };
        if gap <= pair.skin {
            return seen;
        }
        if way <= FAST * pair.size {
            return if gap <= reach { seen } else { Sight::Apart };
        }
        if look.clear > reach {
            return Sight::Apart;
        }
        let (a, b) = self.courses(pair);
        match impact(&a, &b, [start, self.h], pair.skin, reach + AHEAD * pair.size) {
            Some((time, manifold)) => {
                *look = self.look_at(ends, time, 0.0);
                Sight::Meeting(time, manifold)
            }
            None => Sight::Apart,
        }
    }

    /// Whether the room along a normal is more than what closes until the end of the substep.
    fn passes(&self, [a, b]: [usize; 2], manifold: &Manifold, room: f64, start: f64) -> bool {
        let against = self.velocities[a].linear - self.velocities[b].linear;
        let turning = self.turning[a] + self.turning[b];
        let closing = turning - manifold.normal.dot(against) + self.unknown;
        closing * (self.h - start) < room
    }

    /// The contact of a pair at a time, if it comes within `reach`.
    fn seen(&self, pair: &Pair, look: &mut Look, time: f64, reach: f64) -> Option<Manifold> {
        let (a, b) = self.courses(pair);
        let one = a.placed(time);
        let (found, clear) = match b {
            Obstacle::Wall(wall) => (wall.manifold(&one, reach), wall.apart(&one).1),
            Obstacle::Piece(b) => {
                let other = b.placed(time);
                let found = manifold(&one, &other, reach);
                // Points over a facet may be farther away than a corner beside it.
                let clear = match &found {
                    Some(found) if pair.is_round => found.least_gap(),
                    Some(Manifold { normal, .. }) => {
                        one.least_of(*normal) + other.least_of(-*normal)
                    }
                    None if pair.is_round => reach,
                    None => apart(&one, &other).1,
                };
                (found, clear)
            }
        };
        *look = self.look_at(pair.ends(), time, clear);
        found
    }

    /// What is known of a pair where it is at a time.
    fn look_at(&self, [a, b]: [usize; 2], time: f64, clear: f64) -> Look {
        let rotation = |body: usize| match time == 0.0 {
            true => self.bodies.rotations[body],
            false => {
                super::bodies::turned(self.velocities[body].angular * time)
                    * self.bodies.rotations[body]
            }
        };
        let against = self.velocities[a].linear - self.velocities[b].linear;
        Look {
            between: self.bodies.positions[a] - self.bodies.positions[b] + against * time,
            rotations: [rotation(a), rotation(b)],
            clear,
        }
    }

    fn courses(&self, pair: &Pair) -> (Course<'_>, Obstacle<'_>) {
        let prepared = self.bodies.prepared;
        let course = |body: usize, piece: u32| {
            let piece = &prepared.pieces(body)[piece as usize];
            self.bodies.course(body, piece, &self.velocities[body])
        };
        let [a, b, p, q] = pair.key;
        let other = match b as usize == self.bodies.world() {
            true => Obstacle::Wall(prepared.walls.get(q)),
            false => Obstacle::Piece(course(b as usize, q)),
        };
        (course(a as usize, p), other)
    }
}
