//! When two pieces that move meet. Balls have a formula; all else advances by no
//! more than what it takes to close the room along a direction that separates
//! (conservative advancement): a direction along which nothing closes proves a miss,
//! and what is thin is never stepped over.

use std::borrow::Cow;

use super::manifold::{Manifold, apart, manifold};
use super::placed::{Form, Placed};
use super::walls::Wall;
use crate::math::{DMat3, DVec3, turned};
use crate::shape::{Core, Piece};

/// What turns in front of an edge takes a few dozen advances; so many end in a contact.
const MOST_ADVANCES: usize = 200;

/// A piece of a body that moves and turns evenly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Course<'a> {
    pub piece: &'a Piece,
    /// Of the body, at time 0.
    pub position: DVec3,
    pub turn: DMat3,
    pub velocity: DVec3,
    pub spin: DVec3,
    /// How far from the body's centre what turns may be.
    pub arm: f64,
}

/// What a piece may run into.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Obstacle<'a> {
    Piece(Course<'a>),
    Wall(&'a Wall),
}

impl<'a> Course<'a> {
    /// At a time.
    pub fn placed(&self, time: f64) -> Placed<'a> {
        let turn = match time == 0.0 || self.spin == DVec3::ZERO || self.arm == 0.0 {
            true => self.turn,
            false => DMat3::from_quat(turned(self.spin * time)) * self.turn,
        };
        Placed::new(self.piece, self.position + self.velocity * time, &turn)
    }

    fn turning(&self) -> f64 {
        self.spin.length() * self.arm
    }

    fn is_arc(&self) -> bool {
        matches!(self.piece.core, Core::Arc { .. })
    }
}

impl<'a> Obstacle<'a> {
    fn velocity(&self) -> DVec3 {
        match self {
            Obstacle::Piece(course) => course.velocity,
            Obstacle::Wall(_) => DVec3::ZERO,
        }
    }

    fn turning(&self) -> f64 {
        match self {
            Obstacle::Piece(course) => course.turning(),
            Obstacle::Wall(_) => 0.0,
        }
    }

    /// At a time, as seen by a piece: a direction that separates them and the room along it.
    fn apart(&self, piece: &Placed, time: f64) -> (DVec3, f64) {
        match self {
            Obstacle::Piece(course) => apart(piece, &course.placed(time)),
            Obstacle::Wall(wall) => wall.apart(piece),
        }
    }

    /// At a time, the contact of a piece if it comes within `reach`.
    fn manifold(&self, piece: &Placed, time: f64, reach: f64) -> Option<Manifold> {
        match self {
            Obstacle::Piece(course) => manifold(piece, &course.placed(time), reach),
            Obstacle::Wall(wall) => wall.manifold(piece, reach),
        }
    }
}

/// The first time between two at which a piece is no farther than `touching` from an obstacle,
/// and the contact then, with all points within `reach`; none if they pass, or are apart until
/// the end.
pub(crate) fn impact(
    a: &Course,
    b: &Obstacle,
    times: [f64; 2],
    touching: f64,
    reach: f64,
) -> Option<(f64, Manifold)> {
    impact_beyond((DVec3::ZERO, 0.0), a, b, times, touching, reach)
}

/// The same where they have at first, along a direction, as much room as `known`, or more; without
/// a direction nothing is known.
pub(crate) fn impact_beyond(
    known: (DVec3, f64),
    a: &Course,
    b: &Obstacle,
    [from, to]: [f64; 2],
    touching: f64,
    reach: f64,
) -> Option<(f64, Manifold)> {
    let mut time = from;
    let against = a.velocity - b.velocity();
    let turning = a.turning() + b.turning();
    let until_closed = |(normal, room): (DVec3, f64)| {
        // Round what is not convex, no direction separates.
        let nearer = if normal == DVec3::ZERO { against.length() } else { -normal.dot(against) };
        let closing = turning + nearer;
        (closing > 0.0).then(|| (room - touching) / closing)
    };
    if let Some(balls) = of_balls(a, b, [from, to], touching) {
        time = balls?;
    } else if known.0 != DVec3::ZERO && known.1 > touching {
        time += until_closed(known)?;
    }
    for advance in 0..=MOST_ADVANCES {
        if time > to {
            return None;
        }
        let piece = a.placed(time);
        let (mut normal, mut room) = b.apart(&piece, time);
        // Rounding must not keep what touches apart.
        let is_touching = |room: f64| room <= touching * (1.0 + 1e-6);
        if is_touching(room) || advance == MOST_ADVANCES {
            let found = b.manifold(&piece, time, room.max(0.0) + reach);
            // What is beside a wall does not meet it.
            let Obstacle::Piece(other) = b else { return Some((time, found?)) };
            // What is nearer to the next arc of a torus does not meet this one.
            if found.is_some() || a.is_arc() || other.is_arc() {
                return Some((time, found?));
            }
            // Along the axes of boxes there may be less room than between them.
            (normal, room) = separation(&piece, &other.placed(time));
            if is_touching(room) || advance == MOST_ADVANCES {
                return Some((time, single(&piece, normal, room)));
            }
        }
        time += until_closed((normal, room))?;
    }
    None
}

/// The time at which two balls meet that are at the centres of their bodies; none at all if the
/// formula is not theirs.
fn of_balls(a: &Course, b: &Obstacle, [from, to]: [f64; 2], touching: f64) -> Option<Option<f64>> {
    let Obstacle::Piece(b) = b else { return None };
    let is_ball = |course: &Course| course.arm == 0.0;
    if !(is_ball(a) && is_ball(b)) {
        return None;
    }
    let (apart, against) = (a.position - b.position, a.velocity - b.velocity);
    let distance = a.piece.radius + b.piece.radius + touching;
    // |apart + t against| = distance
    let (square, half) = (against.length_squared(), apart.dot(against));
    let room = apart.length_squared() - distance * distance;
    if room + from * (2.0 * half + from * square) <= 0.0 {
        return Some(Some(from));
    }
    let root = half * half - square * room;
    if half >= 0.0 || root < 0.0 {
        return Some(None);
    }
    let time = room / (root.sqrt() - half);
    Some((from..=to).contains(&time).then_some(time))
}

/// A contact by one point where no facet has any: where the piece reaches farthest.
fn single(piece: &Placed, normal: DVec3, room: f64) -> Manifold {
    let core = piece.spelled_out(-normal);
    let lower = |a: &&DVec3, b: &&DVec3| normal.dot(**a).total_cmp(&normal.dot(**b));
    let tip = core.corners().iter().min_by(lower).copied().unwrap_or(piece.centre);
    Manifold::one(normal, tip - normal * (piece.radius + 0.5 * room), room)
}

/// The direction along which two pieces are farthest apart, from the second to the first, and
/// the room along it: their distance, but that of cylinders may be a little more.
pub(super) fn separation(a: &Placed, b: &Placed) -> (DVec3, f64) {
    let (one, two): (Cow<_>, Cow<_>) = (a.spelled_out(DVec3::ZERO), b.spelled_out(DVec3::ZERO));
    let mut normal = crate::shape::closest(&one, &two, DVec3::ZERO).normal;
    let is_round = |form: Form| matches!(form, Form::Cylinder { .. });
    if is_round(a.form) || is_round(b.form) {
        let (one, two) = (a.spelled_out_for(b, -normal), b.spelled_out_for(a, normal));
        normal = crate::shape::closest(&one, &two, DVec3::ZERO).normal;
    }
    (normal, a.least_of(normal) + b.least_of(-normal))
}
