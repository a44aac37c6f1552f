//! Arcs of tori against every other piece, and each other: a contact is that of the
//! ball of the tube that is nearest. Tori are not convex: one that lies on a floor has
//! a point for each of its arcs, one on a peg those of the arcs on both sides of it. Where
//! a torus rolls, an end of an arc is no contact if the next arc is nearer: its ball would
//! be in the way of what rolls over it, as a corner is.

use super::points::nearest;
use super::{Form, Manifold, Placed, Seen, Wall, by_form};
use crate::math::DVec3;
use crate::shape::arc;

/// Places of an arc that are looked at before the nearest is found between them. The distance of a
/// convex piece from a point of the arc has a second derivative above minus the radius, so that
/// between neighbours `step` apart a nearer place could only hide by `radius step^2 / 8`: 3e-4
/// of the radius for the sixteenth of a circle, and only from another place that is as near.
const PLACES: usize = 8;

/// The place is known when it is between two so near to each other, in radians.
const FOUND: f64 = 1e-15;

/// Distances this much alike, in radii, are equal; then the middle of the arc is taken.
const ALIKE: f64 = 1e-12;

/// A torus rolls on this place if the normal is nearer to its plane than by this cosine.
const ROLLS: f64 = 0.5;

/// A normal is square to the circle if it leans by no more than this sine: rounding.
const LEVEL: f64 = 1e-9;

/// Hulls separate two pieces if they leave at least this part of the room between them.
const SEPARATED: f64 = 0.5;

pub(super) fn is_arc(piece: &Placed) -> bool {
    matches!(piece.form, Form::Arc { .. })
}

/// The balls of two pieces, of which one is an arc, that are nearest to each other; what is no arc
/// stays what it is.
fn balls<'a>(a: &'a Placed, b: &'a Placed) -> [Place<'a>; 2] {
    match is_arc(a) {
        true => {
            let one = Place::nearest(a, b);
            let two = Place::nearest(b, &one.ball);
            [one, two]
        }
        false => {
            let two = Place::nearest(b, a);
            [Place::nearest(a, &two.ball), two]
        }
    }
}

/// How two pieces are to each other of which one is an arc.
pub(super) fn seen(a: &Placed, b: &Placed, reach: f64) -> Seen {
    let [one, two] = balls(a, b);
    let (direction, distance, found) = by_form(&one.ball, &two.ball, reach);
    let is_own = |found: &Manifold| one.is_own(found.normal) && two.is_own(-found.normal);
    let contact = found.filter(is_own).map(|found| Manifold {
        inwards: [one.inwards(found.normal), two.inwards(-found.normal)],
        ..found
    });
    let (normal, room) = separated(a, b, direction, distance);
    Seen { normal, room, contact }
}

/// A direction that separates two pieces, of which one is an arc, and the room along it.
pub(super) fn apart(a: &Placed, b: &Placed) -> (DVec3, f64) {
    let [one, two] = balls(a, b);
    let (direction, distance, _) = by_form(&one.ball, &two.ball, f64::NEG_INFINITY);
    separated(a, b, direction, distance)
}

/// The direction and the room if the hulls are apart, too; else none, and the distance.
fn separated(a: &Placed, b: &Placed, direction: DVec3, distance: f64) -> (DVec3, f64) {
    let room = a.least_of(direction) + b.least_of(-direction);
    match room >= SEPARATED * distance {
        true => (direction, room),
        false => (DVec3::ZERO, distance),
    }
}

/// The contact of an arc with a wall: that of its lowest ball if it is above the wall's part, else
/// that of the nearest.
pub(super) fn with_wall(piece: &Placed, wall: &Wall, reach: f64) -> Option<Manifold> {
    let lowest = Place::lowest(piece, wall.normal());
    let place = match wall.height(lowest.ball.centre) {
        Some(_) => lowest,
        None => Place::nearest(piece, &wall.placed()),
    };
    let found = wall.manifold(&place.ball, reach).filter(|found| place.is_own(found.normal))?;
    Some(Manifold { inwards: [place.inwards(found.normal), DVec3::ZERO], ..found })
}

/// A place on an arc; of another piece, the piece.
struct Place<'a> {
    piece: &'a Placed<'a>,
    ball: Placed<'a>,
    angle: f64,
}

impl<'a> Place<'a> {
    fn at(piece: &'a Placed<'a>, radius: f64, half: f64, angle: f64) -> Place<'a> {
        let centre = piece.centre + piece.axes * arc::point(radius, angle);
        let angle = angle.clamp(-half, half);
        Place { piece, ball: Placed::ball(centre, piece.radius), angle }
    }

    /// Whether a contact whose normal points into the piece is not rather that of the next arc.
    fn is_own(&self, normal: DVec3) -> bool {
        let Form::Arc { half, .. } = self.piece.form else { return true };
        let on = arc::point(1.0, self.angle);
        let [out, beyond] =
            [on, DVec3::new(-on.y, on.x, 0.0) * self.angle.signum()].map(|d| self.piece.axes * d);
        // The way to what is met is against the normal.
        self.angle.abs() < half || normal.dot(out).abs() < ROLLS || normal.dot(beyond) > -LEVEL
    }

    /// The place of an arc that is nearest to another piece.
    fn nearest(piece: &'a Placed<'a>, other: &Placed) -> Place<'a> {
        let Form::Arc { radius, half } = piece.form else {
            return Place { piece, ball: piece.clone(), angle: 0.0 };
        };
        let angle = match other.form {
            Form::Point => {
                let local = piece.axes.transpose() * (other.centre - piece.centre);
                local.y.atan2(local.x).clamp(-half, half)
            }
            _ => {
                let distance = |angle: f64| {
                    let on = arc::point(radius, angle);
                    let along = piece.axes * DVec3::new(-on.y, on.x, 0.0);
                    let (normal, distance) = nearest(piece.centre + piece.axes * on, other)
                        .unwrap_or((DVec3::X, f64::INFINITY));
                    (distance, normal.dot(along))
                };
                least(distance, half, ALIKE * radius)
            }
        };
        Place::at(piece, radius, half, angle)
    }

    /// The place of an arc that is lowest along a direction.
    fn lowest(piece: &'a Placed<'a>, up: DVec3) -> Place<'a> {
        let Form::Arc { radius, half } = piece.form else {
            return Place { piece, ball: piece.clone(), angle: 0.0 };
        };
        let down = piece.axes.transpose() * -up;
        let flat = down.x.hypot(down.y);
        let angle = if flat > ALIKE { down.y.atan2(down.x).clamp(-half, half) } else { 0.0 };
        Place::at(piece, radius, half, angle)
    }

    /// As [`Placed::inwards`]: through the tube, and on to the torus' axis where it rolls, outside
    /// or in its hole: the centre of what is curved along the circle.
    fn inwards(&self, normal: DVec3) -> DVec3 {
        let Form::Arc { radius, .. } = self.piece.form else { return self.piece.inwards(normal) };
        let outwards = (self.piece.axes * arc::point(1.0, self.angle)).dot(normal);
        let on = if outwards.abs() > ROLLS { -radius / outwards } else { 0.0 };
        normal * (self.piece.radius + on)
    }
}

/// Where a distance is least between two angles, given with its derivative.
fn least(distance: impl Fn(f64) -> (f64, f64), half: f64, alike: f64) -> f64 {
    let step = 2.0 * half / PLACES as f64;
    let middle = PLACES as i32 / 2;
    let at = |k: i32| half.min(step * k as f64).max(-half);
    // From the middle outwards, so that it is taken where all are alike.
    let places = (0..=middle).flat_map(|k| [k, -k].into_iter().take(if k == 0 { 1 } else { 2 }));
    let mut best = (0, f64::INFINITY, 0.0);
    for k in places {
        let (far, slope) = distance(at(k));
        if far < best.1 - alike {
            best = (k, far, slope);
        }
    }
    let (k, far, slope) = best;
    if slope.abs() <= alike {
        return at(k);
    }
    // The way down, and up again before the next place.
    let next = k - slope.signum() as i32;
    if next.abs() > middle {
        return at(k);
    }
    let (mut up, mut down) = (at(k), at(next));
    let mut slopes = (slope, distance(down).1);
    let mut is_halved = false;
    while (up - down).abs() > FOUND {
        let secant = up - slopes.0 * (up - down) / (slopes.0 - slopes.1);
        let halved = 0.5 * (up + down);
        let is_between = (secant - up) * (secant - down) < 0.0;
        let angle = if is_between && !is_halved { secant } else { halved };
        if angle == up || angle == down {
            break;
        }
        let found = distance(angle).1;
        let before = (up - down).abs();
        if found == 0.0 {
            (up, down) = (angle, angle);
        } else if found * slope > 0.0 {
            (up, slopes.0) = (angle, found);
        } else {
            (down, slopes.1) = (angle, found);
        }
        is_halved = (up - down).abs() > 0.5 * before;
    }
    let found = 0.5 * (up + down);
    if distance(found).0 <= far { found } else { at(k) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::manifold::manifold;
    use crate::math::{DMat3, DQuat, Random};
    use crate::shape::{Core, Piece, Polytope, Shape};

    fn vector(random: &mut Random) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|_| random.between(-1.0, 1.0)))
    }

    fn any_other(random: &mut Random, kind: usize) -> Piece {
        let (radius, half) = (random.between(0.05, 0.5), random.between(0.1, 1.0));
        let round = random.between(0.0, 0.2);
        match kind % 6 {
            0 => Piece::new(Core::Point, radius),
            1 => Piece::new(Core::Segment { half }, radius),
            2 => Piece::new(Core::Cylinder { radius, half }, 0.0),
            3 => Piece::new(
                Core::Polytope(Polytope::cuboid(0.2 + vector(random).abs()).unwrap()),
                0.0,
            ),
            4 => {
                let points: Vec<DVec3> = (0..9).map(|_| vector(random)).collect();
                Piece::new(Core::Polytope(Polytope::hull(&points).unwrap()), round)
            }
            _ => Piece::new(Core::Arc { radius: half, half: 0.3 }, radius.min(0.5 * half)),
        }
    }

    /// No place of the arc is nearer than the contact says, but for what its file states, and the
    /// normal is that of the nearest; inside and outside, and either way round.
    #[test]
    fn a_contact_is_that_of_the_nearest_ball() {
        let random = &mut Random::new(3);
        for case in 0..600 {
            let half = random.between(0.1, 0.5);
            let arc = Piece::new(Core::Arc { radius: 1.0, half }, random.between(0.05, 0.3));
            let other = any_other(random, case);
            let turn = DMat3::from_quat(DQuat::from_scaled_axis(3.0 * vector(random)));
            let at = 1.5 * vector(random);
            let one = Placed::new(&arc, DVec3::ZERO, &DMat3::IDENTITY);
            let two = Placed::new(&other, at, &turn);
            let distance = |angle: f64| {
                let (_, distance) = nearest(arc::point(1.0, angle), &two).unwrap();
                distance - one.radius - two.radius
            };
            let places = (0..=2000).map(|k| distance(half * (k as f64 / 1000.0 - 1.0)));
            let nearest = places.fold(f64::INFINITY, f64::min);
            // What is nearer beyond the end is for the next arc.
            let Some(found) = manifold(&one, &two, f64::INFINITY) else {
                let places = (0..=2000).map(|k| distance(1.1 * half * (k as f64 / 1000.0 - 1.0)));
                let is_nearer = places.fold(f64::INFINITY, f64::min) < nearest;
                assert!(is_nearer || case % 6 == 5, "{case}");
                continue;
            };
            let step = 2.0 * half / PLACES as f64;
            let allowed = if case % 6 == 5 { step } else { step * step / 8.0 };
            let gap = found.least_gap();
            assert!(
                gap <= nearest + allowed && gap >= nearest - 1e-3 * half,
                "{case} {gap} {nearest}"
            );
            if let Some(back) = manifold(&two, &one, f64::INFINITY) {
                assert!((back.least_gap() - gap).abs() <= allowed, "{case}");
            }
            // The point is on both, and half-way.
            let spot = found.spots[0];
            let on = spot.at + found.normal * (0.5 * gap + one.radius);
            assert!((on.length() - 1.0).abs() < 1e-9 && on.z.abs() < 1e-9, "{case} {on}");
        }
    }

    /// Outside, inside, on top: by formulas of balls and planes.
    #[test]
    fn a_torus_touches_where_it_should() {
        let torus = Shape::arc_torus(1.0, 0.25, 16).unwrap();
        let least = |other: &Piece, at: DVec3, turn: DQuat| {
            let other = Placed::new(other, at, &DMat3::from_quat(turn));
            let gap = |piece: &Piece| {
                let piece = Placed::new(piece, DVec3::ZERO, &DMat3::IDENTITY);
                let found = manifold(&piece, &other, f64::INFINITY);
                found.map_or(f64::INFINITY, |found| found.least_gap())
            };
            torus.pieces.iter().map(gap).fold(f64::INFINITY, f64::min)
        };
        let ball = Piece::new(Core::Point, 0.5);
        let cube = Piece::new(Core::Polytope(Polytope::cuboid(DVec3::ONE).unwrap()), 0.0);
        let peg = Piece::new(Core::Segment { half: 2.0 }, 0.1);
        for k in 0..40 {
            let angle = 0.3 * k as f64;
            let out = arc::point(1.0, angle);
            let none = DQuat::IDENTITY;
            assert!((least(&ball, 0.2 * out, none) - 0.05).abs() < 1e-12, "in the hole");
            assert!((least(&ball, 2.0 * out, none) - 0.25).abs() < 1e-12, "outside");
            assert!((least(&ball, out + DVec3::Z, none) - 0.25).abs() < 1e-12, "on top");
            let turn = DQuat::from_rotation_z(angle);
            assert!((least(&cube, 2.0 * out, turn) - 0.25).abs() < 1e-12, "a face");
            assert!((least(&peg, 0.6 * out, none) - 0.05).abs() < 1e-12, "a peg in the hole");
        }
        // Linked: another circle through the middle of this one, and through a point of the tube's.
        let link = Shape::arc_torus(1.0, 0.25, 16).unwrap();
        let turn = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        let gaps = link.pieces.iter().map(|piece| least(piece, DVec3::X * 1.2, turn));
        assert!((gaps.fold(f64::INFINITY, f64::min) - 0.3).abs() < 1e-9);
    }

    /// What rolls is carried by the torus' axis.
    #[test]
    fn the_axis_carries_what_rolls() {
        let piece = Piece::new(Core::Arc { radius: 1.0, half: 0.3 }, 0.25);
        let piece = Placed::new(&piece, DVec3::ZERO, &DMat3::IDENTITY);
        let ball = |x: f64, z: f64| Placed::ball(DVec3::new(x, 0.0, z), 0.25);
        for (x, z) in [(1.6, 0.0), (0.4, 0.0), (1.4, 0.3), (0.6, -0.2)] {
            let found = manifold(&piece, &ball(x, z), 1.0).unwrap();
            let carrier =
                found.spots[0].at + found.normal * 0.5 * found.least_gap() + found.inwards[0];
            assert!(carrier.truncate().length() < 1e-12, "{carrier}");
        }
        let found = manifold(&piece, &ball(1.0, 0.6), 1.0).unwrap();
        assert_eq!(found.inwards[0], found.normal * 0.25);
    }
}
