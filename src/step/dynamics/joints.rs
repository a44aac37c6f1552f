//! Joints as rows: how far a bond is off, and which impulses put it right
//! [D14 5]. Translational rows measure the joint points along axes of the
//! second body, rotational ones its axes; limits and motors are rows of their own.

use super::bodies::Bodies;
use super::connector::Connector;
use crate::math::{DQuat, DVec3};
use crate::world::{Bond, BondKind};

/// One scalar condition on two bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    /// Direction of the impulse on the first body (the second gets its opposite).
    pub linear: DVec3,
    /// Its moments about the two centres.
    pub angular: [DVec3; 2],
    /// How far the condition is off.
    pub error: f64,
}

/// At most so many rows hold two bodies.
pub const MOST_ROWS: usize = 6;

/// The bodies of a bond, the world for none.
pub fn ends(bodies: &Bodies, bond: &Bond) -> [usize; 2] {
    bond.parts.map(|part| bodies.index(part))
}

/// How many rows hold a bond always (limits and motors aside).
pub fn row_count(bond: &Bond) -> usize {
    match bond.kind {
        BondKind::Ball => 3,
        BondKind::Line => 2,
        BondKind::Plane => 1,
        BondKind::Hinge | BondKind::Slider => 5,
        BondKind::Universal => 4,
        BondKind::Fixed => 6,
        BondKind::Distance(_) => usize::from(bond.limits.is_none()),
    }
}

/// Which of the rows, from this one on, are about angles.
pub fn first_angle(bond: &Bond) -> usize {
    match bond.kind {
        BondKind::Slider => 2,
        BondKind::Hinge | BondKind::Universal | BondKind::Fixed => 3,
        _ => MOST_ROWS,
    }
}

/// A bond where its bodies are now.
pub struct Placed {
    ends: [usize; 2],
    /// From the centres to the points.
    arms: [DVec3; 2],
    /// From the second point to the first.
    apart: DVec3,
    axes: [DVec3; 2],
    /// Across the axis of the second body, turning with it.
    across: [DVec3; 2],
}

impl Placed {
    pub fn new(bodies: &Bodies, bond: &Bond) -> Placed {
        let ends = ends(bodies, bond);
        let arm =
            |side: usize| Connector { body: ends[side], local: bond.points[side] }.arm(bodies);
        let arms = [arm(0), arm(1)];
        let apart = bodies.positions[ends[0]] + arms[0] - bodies.positions[ends[1]] - arms[1];
        let mut placed = Placed { ends, arms, apart, axes: [DVec3::Z; 2], across: [DVec3::X; 2] };
        if !matches!(bond.kind, BondKind::Ball | BondKind::Distance(_)) {
            let turn = &bodies.turns[ends[1]];
            let side = bond.axes[1].any_orthonormal_vector();
            placed.axes = [bodies.turns[ends[0]] * bond.axes[0], *turn * bond.axes[1]];
            placed.across = [*turn * side, *turn * bond.axes[1].cross(side)];
        }
        placed
    }

    /// How far each row is off, without the rows: into the first places of `errors`.
    pub fn errors(&self, bodies: &Bodies, bond: &Bond, errors: &mut [f64]) {
        if bond.kind == BondKind::Ball {
            errors[..3].copy_from_slice(&self.apart.to_array());
            return;
        }
        let mut rows = [Row::default(); MOST_ROWS];
        self.rows(bodies, bond, &mut rows[..row_count(bond)]);
        for (error, row) in errors.iter_mut().zip(&rows) {
            *error = row.error;
        }
    }

    /// From the second point to the first.
    pub fn apart(&self) -> DVec3 {
        self.apart
    }

    /// From the bodies' centres to the joint's points.
    pub fn arms(&self) -> [DVec3; 2] {
        self.arms
    }

    /// The first point along a direction, as the second body sees it.
    fn along(&self, direction: DVec3) -> Row {
        Row {
            linear: direction,
            // The direction turns with the second body, about the first point.
            angular: [self.arms[0].cross(direction), (self.arms[1] + self.apart).cross(direction)],
            error: direction.dot(self.apart),
        }
    }

    fn ball(&self, axis: DVec3) -> Row {
        Row {
            linear: axis,
            angular: [self.arms[0].cross(axis), self.arms[1].cross(axis)],
            error: axis.dot(self.apart),
        }
    }

    fn spin(&self, axis: DVec3, error: f64) -> Row {
        Row { linear: DVec3::ZERO, angular: [axis, axis], error }
    }

    /// The axis of the first body stays perpendicular to a direction of the second.
    fn perpendicular(&self, direction: DVec3) -> Row {
        self.spin(self.axes[0].cross(direction), self.axes[0].dot(direction))
    }

    /// How the first body is turned beyond its rest, as a vector.
    fn twist(&self, bodies: &Bodies, bond: &Bond) -> DVec3 {
        let rest = bodies.rotations[self.ends[1]] * bond.rest;
        let off = bodies.rotations[self.ends[0]] * rest.inverse();
        let off = if off.w < 0.0 { -off } else { off };
        2.0 * off.xyz()
    }

    /// The rows that always hold, into the first places of `rows`.
    pub fn rows(&self, bodies: &Bodies, bond: &Bond, rows: &mut [Row]) {
        let [t, s] = self.across;
        let unit = [DVec3::X, DVec3::Y, DVec3::Z];
        let locked = |rows: &mut [Row]| {
            let twist = self.twist(bodies, bond);
            for k in 0..3 {
                rows[k] = self.spin(unit[k], twist[k]);
            }
        };
        match bond.kind {
            BondKind::Plane => rows[0] = self.along(self.axes[1]),
            BondKind::Line => (rows[0], rows[1]) = (self.along(t), self.along(s)),
            BondKind::Slider => {
                (rows[0], rows[1]) = (self.along(t), self.along(s));
                locked(&mut rows[2..]);
            }
            BondKind::Distance(length) => {
                if bond.limits.is_none() {
                    rows[0] = self.length(length);
                }
            }
            _ => {
                for k in 0..3 {
                    rows[k] = self.ball(unit[k]);
                }
                match bond.kind {
                    BondKind::Hinge => {
                        (rows[3], rows[4]) = (self.perpendicular(t), self.perpendicular(s));
                    }
                    BondKind::Universal => rows[3] = self.perpendicular(self.axes[1]),
                    BondKind::Fixed => locked(&mut rows[3..]),
                    _ => {}
                }
            }
        }
    }

    /// The distance of the points less a length.
    fn length(&self, length: f64) -> Row {
        let distance = self.apart.length();
        let direction = if distance > 0.0 { self.apart / distance } else { DVec3::Z };
        Row { error: distance - length, ..self.ball(direction) }
    }

    /// What a limit or a motor is about: the angle of a hinge, the shift of a slider, the
    /// length of a distance; its error is the value itself.
    pub fn freedom(&self, bodies: &Bodies, bond: &Bond) -> Option<Row> {
        match bond.kind {
            BondKind::Hinge => Some(self.spin(self.axes[1], self.angle(bodies, bond))),
            BondKind::Slider => Some(self.along(self.axes[1])),
            BondKind::Distance(_) => Some(self.length(0.0)),
            _ => None,
        }
    }

    /// The angle by which the first body is turned about the hinge, from -pi to pi.
    fn angle(&self, bodies: &Bodies, bond: &Bond) -> f64 {
        let rest = bodies.rotations[self.ends[1]] * bond.rest;
        let off: DQuat = bodies.rotations[self.ends[0]] * rest.inverse();
        let angle = 2.0 * off.xyz().dot(self.axes[1]).atan2(off.w);
        angle - std::f64::consts::TAU * (angle / std::f64::consts::TAU).round()
    }
}

impl Row {
    /// How fast the condition changes.
    pub fn rate(&self, bodies: &Bodies, [a, b]: [usize; 2]) -> f64 {
        let (va, vb) = (&bodies.velocities[a], &bodies.velocities[b]);
        self.linear.dot(va.linear - vb.linear) + self.angular[0].dot(va.angular)
            - self.angular[1].dot(vb.angular)
    }

    /// The rate per impulse of another row of the same bodies.
    pub fn product(&self, other: &Row, bodies: &Bodies, [a, b]: [usize; 2]) -> f64 {
        let (ia, ib) = (&bodies.inverse[a], &bodies.inverse[b]);
        self.linear.dot(other.linear) * (ia.mass + ib.mass)
            + self.angular[0].dot(ia.inertia * other.angular[0])
            + self.angular[1].dot(ib.inertia * other.angular[1])
    }

    /// The rate per impulse.
    pub fn answer(&self, bodies: &Bodies, ends: [usize; 2]) -> f64 {
        self.product(self, bodies, ends)
    }

    pub fn push(&self, bodies: &mut Bodies, [a, b]: [usize; 2], impulse: f64) {
        bodies.push(a, self.linear * impulse, self.angular[0] * impulse);
        bodies.push(b, self.linear * -impulse, self.angular[1] * -impulse);
    }

    pub fn displace(&self, bodies: &mut Bodies, [a, b]: [usize; 2], by: f64, per_time: f64) {
        bodies.displace(a, self.linear * by, self.angular[0] * by, per_time);
        bodies.displace(b, self.linear * -by, self.angular[1] * -by, per_time);
    }
}
