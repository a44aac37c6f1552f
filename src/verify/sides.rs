//! The two sides of a contact during a step: where its points are, and whether they are on
//! both. A step tells where a contact acts as seen from where its bodies were before; when it
//! acted within the step is not known, so any time will do at which all is as it should be.
//! Nor is the way of a body that is pushed in between; but before the first push of a step it
//! goes on as it did, and after the last one it moves as it does at the end.

use super::arcs;
use super::convex::{Placed, room, separation};
use crate::math::{DQuat, DVec3, turned};
use crate::shape::Piece;
use crate::trajectory::Contact;
use crate::world::State;

/// A direction separates as well as the best one if it does to this part of the size: how far
/// surfaces are apart along each of the two is known to a thousandth, the limit of places, and of two
/// that are alike the method may have taken either.
const AS_GOOD: f64 = 2e-3;

/// Unit vectors are, and directions are the same, up to this.
pub(super) const SAME: f64 = 1e-6;

/// When contacts may have acted, as parts of a step: at its start or its end, which is the case of
/// most, or at the end of one of its parts; in between points have moved by no more than
/// their distance travelled in a part, which is allowed.
pub(super) fn times(parts: usize) -> Vec<f64> {
    let inner = (1..parts).map(|k| k as f64 / parts as f64);
    [0.0, 1.0].into_iter().chain(inner).collect()
}

/// The two sides of a contact.
pub(super) struct Sides<'p> {
    pub contact: &'p Contact,
    pub states: [&'p State; 2],
    /// A wall has no body.
    pub bodies: [Option<usize>; 2],
    pub pieces: [&'p Piece; 2],
    /// Whether impulses turn them. A point of a side that nothing turns is told opposite that of the
    /// other side, and is so whenever the contact acts.
    pub turns: [bool; 2],
    /// The radius of the smaller body.
    pub size: f64,
    /// How far points may be off, and what turning in a whole step does to what is linear in it.
    pub place: f64,
    pub bend: f64,
    /// How far the surfaces may move in the step.
    pub way: f64,
    /// When the contact may have acted.
    pub times: &'p [f64],
    /// How long the step is, and the acceleration of free fall of either side.
    pub dt: f64,
    pub pulls: [DVec3; 2],
    /// Who bounces may have come and gone within the step.
    pub bounces: bool,
}

/// How a side moves in the step.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Course {
    /// Evenly; its point turns with it or does not.
    Even { turns: bool },
    /// As at the start: nothing has pushed it yet.
    Before,
    /// As at the end: nothing pushes it any more.
    After,
}

/// How both sides may move, likely ones first.
const COURSES: [[Course; 2]; 6] = {
    let [still, turning] = [Course::Even { turns: false }, Course::Even { turns: true }];
    let (before, after) = (Course::Before, Course::After);
    [[still; 2], [turning; 2], [before; 2], [after; 2], [before, after], [after, before]]
};

/// The sides at one time.
struct Moment<'p> {
    placed: [Placed<'p>; 2],
    at: [DVec3; 2],
    /// The same with points of sides that nothing turns opposite the others, where these are now.
    opposite: [DVec3; 2],
    /// How the sides have turned, if the points have turned with them.
    turned: [DQuat; 2],
}

impl<'p> Sides<'p> {
    /// Why the contact cannot act where it is said to.
    pub fn fault(&self) -> Option<&'static str> {
        let mut open = [true; 3];
        let times = self.times.iter().flat_map(|&time| COURSES.map(|courses| (time, courses)));
        // Nothing has moved yet.
        let is_new = |(time, courses): &(f64, [Course; 2])| *time > 0.0 || *courses == COURSES[0];
        for (time, courses) in times.filter(is_new) {
            let moment = self.moment(time, courses);
            let place = if time == 0.0 { self.place } else { self.place + self.bend };
            let faults = self.faults_at(&moment, place, open);
            open = [0, 1, 2].map(|k| open[k] && faults[k]);
            if open == [false; 3] {
                return None;
            }
        }
        let names = [
            "acts at a point that is not on both",
            "acts along a direction that does not keep the two apart",
            "acts between two that do not touch",
        ];
        open.iter().position(|fault| *fault).map(|k| names[k])
    }

    /// Which of those questions that are still open have the wrong answer at a time.
    fn faults_at(&self, moment: &Moment, place: f64, open: [bool; 3]) -> [bool; 3] {
        let normal = self.contact.normal;
        let off = if open[0] || open[1] { moment.off() } else { 0.0 };
        let gap = moment.gap(normal);
        [
            open[0] && off > place,
            open[1] && !moment.keep_apart(normal, off, place + AS_GOOD * self.size),
            open[2] && gap > place && !self.bounces,
        ]
    }

    /// Pieces and points at a time, if the sides move so.
    fn moment(&self, time: f64, courses: [Course; 2]) -> Moment<'p> {
        let [before, now] = self.states;
        let (mut at, mut turned) = (self.contact.at, [DQuat::IDENTITY; 2]);
        let mut placed = [0, 1].map(|side| {
            let Some(body) = self.bodies[side] else {
                return Placed::new(self.pieces[side], DVec3::ZERO, DQuat::IDENTITY);
            };
            let (from, first) = (before.positions[body], before.rotations[body]);
            if time == 0.0 {
                return Placed::new(self.pieces[side], from, first);
            }
            let (place, turn) = match courses[side] {
                Course::Even { .. } => even([before, now], body, time),
                Course::Before => self.free(before, side, body, time * self.dt),
                Course::After => self.free(now, side, body, (time - 1.0) * self.dt),
            };
            if courses[side] == (Course::Even { turns: true }) {
                turned[side] = turn * first.inverse();
            }
            at[side] = place + turned[side] * (at[side] - from);
            Placed::new(self.pieces[side], place, turn)
        });
        // A contact of an arc is that of the ball of its tube where it acts.
        for (placed, at) in placed.iter_mut().zip(at) {
            if let Some(ball) = arcs::ball_at(placed, at) {
                *placed = ball;
            }
        }
        let apart = self.contact.at[0] - self.contact.at[1];
        let opposite = match self.turns {
            [true, true] => at,
            [true, false] => [at[0], at[0] - apart],
            [false, _] => [at[1] + apart, at[1]],
        };
        Moment { placed, at, opposite, turned }
    }

    /// Where a side is some time after a state, or before it, if nothing pushes it.
    fn free(&self, state: &State, side: usize, body: usize, time: f64) -> (DVec3, DQuat) {
        let fall = self.pulls[side] * (0.5 * time * time);
        let place = state.positions[body] + state.velocities[body] * time + fall;
        (place, turned(state.spins[body] * time) * state.rotations[body])
    }

    /// By how much the centre of the first side moves against that of the second in the step.
    pub fn apart_by(&self) -> DVec3 {
        let [before, now] = self.states;
        let way = |side: usize| match self.bodies[side] {
            Some(body) => now.positions[body] - before.positions[body],
            None => DVec3::ZERO,
        };
        way(0) - way(1)
    }

    /// How far friction may act from where the pressure has its centre.
    pub fn spread(&self) -> f64 {
        let moment = self.moment(0.0, COURSES[0]);
        let of = |side: usize| {
            let normal = if side == 0 { -self.contact.normal } else { self.contact.normal };
            let depth = self.place + self.bend + self.way + AS_GOOD * self.size;
            // Within a step, the ball of an arc that touches may be another one.
            let chord = arcs::chord(self.pieces[side]);
            moment.placed[side].spread(normal, moment.at[side], depth) + chord
        };
        of(0).min(of(1))
    }
}

/// Where a body is at a part of a step in which it moves and turns evenly.
fn even([before, now]: [&State; 2], body: usize, time: f64) -> (DVec3, DQuat) {
    let (first, mut last) = (before.rotations[body], now.rotations[body]);
    if first.dot(last) < 0.0 {
        last = -last;
    }
    let place = before.positions[body].lerp(now.positions[body], time);
    (place, first.slerp(last, time))
}

impl Moment<'_> {
    /// How far the points are apart along a direction, which turns with one of the sides if it is
    /// that of its face, or with neither.
    fn gap(&self, normal: DVec3) -> f64 {
        let apart = self.at[0] - self.at[1];
        let turned = self.turned.iter().map(|turn| apart.dot(*turn * normal));
        turned.fold(apart.dot(normal), f64::min)
    }

    /// How far the points are from their pieces, or one of them from both.
    fn off(&self) -> f64 {
        match self.off_of(self.at) {
            off if off > 0.0 && self.opposite != self.at => off.min(self.off_of(self.opposite)),
            off => off,
        }
    }

    fn off_of(&self, at: [DVec3; 2]) -> f64 {
        let off = |piece: usize, point: usize| {
            self.placed[piece].outside(at[point]) - self.placed[piece].prism()
        };
        let own = off(0, 0).max(off(1, 1)).max(0.0);
        if own == 0.0 {
            return own;
        }
        let shared = |point: usize| off(point, point).max(off(1 - point, point)).max(0.0);
        own.min(shared(0)).min(shared(1))
    }

    /// Whether a direction keeps the two apart, or would if it had turned with one of them: it is
    /// told as it was at the start of the step, like the points.
    fn keep_apart(&self, normal: DVec3, off: f64, slack: f64) -> bool {
        let [one, two] = self.turned.map(|turn| turn * normal);
        self.keeps_apart(normal, off, slack)
            || one != normal && self.keeps_apart(one, off, slack)
            || two != normal && self.keeps_apart(two, off, slack)
    }

    /// Whether the two sides are as far apart along a direction as they can be, or nearly. A corner
    /// of the side that separates may also lean on the one that lies against it.
    fn keeps_apart(&self, normal: DVec3, off: f64, slack: f64) -> bool {
        let [a, b] = &self.placed;
        let own = room(a, b, normal);
        // They are no farther apart than any two of their points.
        let most = self.at[0].distance(self.at[1]) + 2.0 * off + a.radius() + b.radius();
        if most <= own + slack || separation(a, b, own + slack).0 <= own + slack {
            return true;
        }
        let (_, along) = separation(a, b, f64::INFINITY);
        [-a.facing(-along), b.facing(along)].iter().any(|n| n.distance(normal) < SAME)
    }
}
