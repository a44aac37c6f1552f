//! Narrow phase where the motion is: in every substep, normals and points of the
//! pairs that could touch within it. A pair that hardly moved keeps its points. One
//! that is fast has a contact only if it really meets, with the normal that it
//! has then; what would pass is let pass.

use super::bodies::{Bodies, Pose, Velocity};
use crate::contact::manifold::{Manifold, Seen, seen};
use crate::contact::{Course, Obstacle, impact_beyond};
use crate::math::DVec3;
use crate::shape::Core;

/// Pieces are looked at anew when they moved or turned against each other by this part of the
/// smaller radius: round ones, whose normal turns with them, and those that meet in one point, which
/// may be another one when they rock; and polytopes, which are clipped.
const MOVED: f64 = 5e-3;
const MOVED_POLYTOPES: f64 = 0.02;

/// Points are known when they are this part of the smaller radius apart, or less, so that a
/// polytope may turn as far as it does without a new look.
const AHEAD: f64 = MOVED_POLYTOPES;

/// A pair that moves by more than this part of the smaller radius in a substep is fast: slower
/// ones cannot be held by a normal of the substep's start while they pass at a hundredth of it.
const FAST: f64 = 0.01;

/// Where pieces turn, those within this part of the smaller radius are met as they are: how near
/// turning brings them is known by a bound only, and to follow it to the touch takes many looks. What
/// passes at a hundredth of the radius never comes so near.
const NEAR: f64 = 5e-3;

/// How bodies move in a substep, as far as that is known.
pub struct Motion<'m, 'a> {
    pub bodies: &'m Bodies<'a>,
    pub velocities: &'m [Velocity],
    /// How fast what is farthest from a body's centre goes around it.
    turning: Vec<f64>,
    /// No point is faster than this.
    pub fastest: f64,
    /// When each body last changed its velocity in this substep; it may be anywhere before.
    clocks: &'m [f64],
    /// Whether any did.
    is_interrupted: bool,
    /// How much a velocity may change without being noticed.
    unknown: f64,
    pub h: f64,
}

/// A pair of pieces where it was last looked at.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    between: DVec3,
    /// How far both had swept.
    swept: f64,
    /// They were no nearer than this along a direction, from the second to the first; without one,
    /// along any.
    clear: f64,
    normal: DVec3,
}

/// The contact that a pair has before it is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The least one of its points.
    pub gap: f64,
    pub is_one_point: bool,
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
    /// Whether a ball is among them, or an arc, which meets as one of the balls along it.
    pub is_round: bool,
}

impl Pair {
    pub fn new(bodies: &Bodies, key: [u32; 4], skin: f64) -> Pair {
        let prepared = bodies.prepared;
        let [a, b, p, q] = key.map(|number| number as usize);
        let size = prepared.radius(a).min(prepared.radius(b));
        let is_ball = |body: usize, piece: usize| {
            body != bodies.world()
                && matches!(prepared.pieces(body)[piece].core, Core::Point | Core::Arc { .. })
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
            swept: bodies.swept[a] + bodies.swept[b],
            clear,
            normal: DVec3::ZERO,
        }
    }

    /// By how much they were moved since, and how much nearer turning may have brought any two
    /// points.
    fn moved(&self, bodies: &Bodies, [a, b]: [usize; 2]) -> (DVec3, f64) {
        let between = bodies.positions[a] - bodies.positions[b];
        (between - self.between, (bodies.swept[a] + bodies.swept[b] - self.swept).abs())
    }

    /// The room that is left along the direction, if they are farther apart by `moved` now.
    fn room(&self, moved: DVec3, turned: f64) -> f64 {
        let nearer = match self.normal == DVec3::ZERO {
            true => moved.length(),
            false => -self.normal.dot(moved),
        };
        self.clear - nearer - turned
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
        let turning: Vec<f64> = velocities.iter().enumerate().map(turning).collect();
        let speeds = velocities.iter().zip(&turning);
        let fastest = speeds.map(|(v, turning)| v.linear.length() + turning).fold(0.0, f64::max);
        let is_interrupted = clocks.iter().any(|&clock| clock > 0.0);
        Motion { bodies, velocities, turning, fastest, clocks, is_interrupted, unknown, h }
    }

    pub fn poses(&self, [a, b]: [usize; 2], time: f64) -> [Pose; 2] {
        [a, b].map(|body| self.bodies.pose(body, &self.velocities[body], time))
    }

    /// From when on both move evenly.
    pub fn start(&self, [a, b]: [usize; 2]) -> f64 {
        if self.is_interrupted { self.clocks[a].max(self.clocks[b]) } else { 0.0 }
    }

    /// How fast any two points may come nearer to each other.
    pub fn speed(&self, [a, b]: [usize; 2]) -> f64 {
        let against = self.velocities[a].linear - self.velocities[b].linear;
        against.length() + self.turning[a] + self.turning[b]
    }

    /// How fast any two points may come nearer to each other along a direction; without one,
    /// along any.
    fn closing(&self, [a, b]: [usize; 2], normal: DVec3) -> f64 {
        let against = self.velocities[a].linear - self.velocities[b].linear;
        let nearer = match normal == DVec3::ZERO {
            true => against.length(),
            false => -normal.dot(against),
        };
        nearer + self.turning[a] + self.turning[b]
    }

    /// Whether a pair is too far apart to touch in this substep.
    pub fn is_clear(&self, pair: &Pair, look: &Look) -> bool {
        let ends = pair.ends();
        // A body that was set back is not where it seems.
        if look.clear <= pair.skin || self.start(ends) > 0.0 {
            return false;
        }
        let (moved, turned) = look.moved(self.bodies, ends);
        let way = (self.closing(ends, look.normal) + self.unknown) * self.h;
        look.room(moved, turned) > way.max(0.0) + pair.skin
    }

    /// Looks at a pair; `known` is the contact it has, if any, where they are now.
    pub fn look(&self, pair: &Pair, look: &mut Look, known: Option<Known>) -> Sight {
        let ends = pair.ends();
        let start = self.start(ends);
        let way = self.speed(ends) * (self.h - start);
        let reach = way + self.unknown * self.h + pair.skin;
        let is_near = |known: &Known| {
            let is_delicate = pair.is_round || known.is_one_point;
            let tolerance = pair.size * if is_delicate { MOVED } else { MOVED_POLYTOPES };
            let (moved, turned) = look.moved(self.bodies, ends);
            start == 0.0 && moved.length() + turned <= tolerance
        };
        let (gap, sight) = match known.filter(is_near) {
            Some(known) => (known.gap, Sight::AsBefore),
            None => match self.seen(pair, look, start, reach + AHEAD * pair.size) {
                Some(manifold) => (manifold.least_gap(), Sight::Meeting(start, manifold)),
                None => (f64::INFINITY, Sight::Apart),
            },
        };
        let is_turning = self.turning[ends[0]] + self.turning[ends[1]] > 0.0;
        let near = pair.skin.max(if is_turning { NEAR * pair.size } else { 0.0 });
        if gap <= pair.skin {
            return sight;
        }
        let room = match sight {
            Sight::AsBefore => {
                let (moved, turned) = look.moved(self.bodies, ends);
                look.room(moved, turned)
            }
            _ => look.clear,
        };
        let closing = self.closing(ends, look.normal) + self.unknown;
        let would_pass = room > pair.skin && closing * (self.h - start) < room - pair.skin;
        if would_pass && !matches!(sight, Sight::AsBefore) {
            return Sight::Apart;
        }
        if way <= FAST * pair.size || gap <= near {
            return if gap <= reach { sight } else { Sight::Apart };
        }
        let (a, b) = self.courses(pair);
        let (known, reach) = ((look.normal, room), reach + AHEAD * pair.size);
        match impact_beyond(known, &a, &b, [start, self.h], near, reach) {
            Some((time, manifold)) => {
                *look = self.look_at(ends, time, 0.0, manifold.normal);
                Sight::Meeting(time, manifold)
            }
            None => Sight::Apart,
        }
    }

    /// The contact of a pair at a time, if it comes within `reach`.
    fn seen(&self, pair: &Pair, look: &mut Look, time: f64, reach: f64) -> Option<Manifold> {
        let (a, b) = self.courses(pair);
        let one = a.placed(time);
        let Seen { normal, room, contact } = match b {
            Obstacle::Wall(wall) => wall.seen(&one, reach),
            Obstacle::Piece(b) => seen(&one, &b.placed(time), reach),
        };
        *look = self.look_at(pair.ends(), time, room, normal);
        contact
    }

    /// What is known of a pair where it is at a time.
    fn look_at(&self, [a, b]: [usize; 2], time: f64, clear: f64, normal: DVec3) -> Look {
        let against = self.velocities[a].linear - self.velocities[b].linear;
        let turning = self.turning[a] + self.turning[b];
        Look {
            between: self.bodies.positions[a] - self.bodies.positions[b] + against * time,
            swept: self.bodies.swept[a] + self.bodies.swept[b] + turning * time,
            clear,
            normal,
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
