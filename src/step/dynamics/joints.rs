//! Joints as rows: how far a joint is off, and which impulses put it right
//! [D14 5]. Translational rows measure the joint's points along axes of the
//! second body, rotational ones its axes; limits and motors are rows of their own.

use super::bodies::Bodies;
use super::connector::Connector;
use crate::math::{DQuat, DVec3};
use crate::world::{HeldPoints, HeldTurns, Joint, JointKind};

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

/// The bodies of a joint, the world for none.
pub fn ends(bodies: &Bodies, joint: &Joint) -> [usize; 2] {
    joint.bodies.map(|body| bodies.index(body))
}

/// The larger radius of a joint's bodies: what its errors are measured by.
pub fn size(bodies: &Bodies, joint: &Joint) -> f64 {
    let radius = |body: u32| bodies.prepared.radius(body as usize);
    joint.bodies.into_iter().flatten().map(radius).fold(0.0, f64::max)
}

/// How many rows a joint has about lengths, and then about angles (limits and motors aside).
/// In the plane there is one angle, and the two components of a point; the third row of a point
/// is always satisfied there.
pub fn row_counts(joint: &Joint, is_flat: bool) -> [usize; 2] {
    let (points, turns) = joint.kind.holds();
    let lengths = match points {
        HeldPoints::Together => 3,
        HeldPoints::OnLine if !is_flat => 2,
        HeldPoints::OnLine | HeldPoints::OnPlane | HeldPoints::Apart { .. } => 1,
        HeldPoints::Free => 0,
    };
    // An axis that stands out of the plane never turns.
    let stands_out = is_flat && joint.axes[1].z != 0.0;
    let angles = match turns {
        HeldTurns::Free => 0,
        HeldTurns::Locked if !is_flat => 3,
        HeldTurns::Locked => 1,
        HeldTurns::Parallel | HeldTurns::Perpendicular if stands_out => 0,
        HeldTurns::Parallel if !is_flat => 2,
        HeldTurns::Parallel | HeldTurns::Perpendicular => 1,
    };
    [lengths, angles]
}

/// A joint where its bodies are now.
pub struct Placed {
    is_flat: bool,
    ends: [usize; 2],
    /// From the centres to the points.
    arms: [DVec3; 2],
    /// From the second point to the first.
    apart: DVec3,
    axes: [DVec3; 2],
    /// Across the axis of the second body, turning with it.
    across: [DVec3; 2],
}

/// A direction across another, in the plane if there is only one.
fn side_of(axis: DVec3, is_flat: bool) -> DVec3 {
    match is_flat && axis.z == 0.0 {
        true => DVec3::new(-axis.y, axis.x, 0.0),
        false => axis.any_orthonormal_vector(),
    }
}

impl Placed {
    pub fn new(bodies: &Bodies, joint: &Joint) -> Placed {
        let ends = ends(bodies, joint);
        let arm =
            |side: usize| Connector { body: ends[side], local: joint.points[side] }.arm(bodies);
        let arms = [arm(0), arm(1)];
        let apart = bodies.positions[ends[0]] + arms[0] - bodies.positions[ends[1]] - arms[1];
        let is_flat = bodies.prepared.is_flat;
        let (axes, across) = ([DVec3::Z; 2], [DVec3::X; 2]);
        let mut placed = Placed { is_flat, ends, arms, apart, axes, across };
        if !matches!(joint.kind, JointKind::Ball | JointKind::Distance { .. } | JointKind::Angle) {
            let turn = &bodies.turns[ends[1]];
            let side = side_of(joint.axes[1], is_flat);
            placed.axes = [bodies.turns[ends[0]] * joint.axes[0], *turn * joint.axes[1]];
            placed.across = [*turn * side, *turn * joint.axes[1].cross(side)];
        }
        placed
    }

    /// How far each row is off, without the rows: into the first places of `errors`.
    pub fn errors(&self, bodies: &Bodies, joint: &Joint, errors: &mut [f64]) {
        if joint.kind == JointKind::Ball {
            errors[..3].copy_from_slice(&self.apart.to_array());
            return;
        }
        let mut rows = [Row::default(); MOST_ROWS];
        self.rows(bodies, joint, &mut rows);
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
    fn twist(&self, bodies: &Bodies, joint: &Joint) -> DVec3 {
        let rest = bodies.rotations[self.ends[1]] * joint.rest;
        let off = bodies.rotations[self.ends[0]] * rest.inverse();
        let off = if off.w < 0.0 { -off } else { off };
        2.0 * off.xyz()
    }

    /// The rows that always hold, into the first places of `rows`, which has room for all.
    pub fn rows(&self, bodies: &Bodies, joint: &Joint, rows: &mut [Row; MOST_ROWS]) {
        let [lengths, _] = row_counts(joint, self.is_flat);
        let (places, angles) = rows.split_at_mut(lengths);
        let [t, s] = self.across;
        let (points, turns) = joint.kind.holds();
        match points {
            HeldPoints::Together => {
                for (row, axis) in places.iter_mut().zip(DVec3::AXES) {
                    *row = self.ball(axis);
                }
            }
            HeldPoints::OnPlane => places[0] = self.along(self.axes[1]),
            // In the plane, the second side would be along z.
            HeldPoints::OnLine => {
                for (row, side) in places.iter_mut().zip([t, s]) {
                    *row = self.along(side);
                }
            }
            HeldPoints::Apart { least, most } => {
                places[0] = self.length(self.apart.length().max(least).min(most));
            }
            HeldPoints::Free => {}
        }
        match turns {
            HeldTurns::Parallel => {
                (angles[0], angles[1]) = (self.perpendicular(t), self.perpendicular(s));
            }
            HeldTurns::Perpendicular => angles[0] = self.perpendicular(self.axes[1]),
            HeldTurns::Locked => {
                let twist = self.twist(bodies, joint);
                let turns = if self.is_flat { &DVec3::AXES[2..] } else { &DVec3::AXES[..] };
                for (row, axis) in angles.iter_mut().zip(turns) {
                    *row = self.spin(*axis, axis.dot(twist));
                }
            }
            HeldTurns::Free => {}
        }
    }

    /// The distance of the points less a length.
    pub fn length(&self, length: f64) -> Row {
        let distance = self.apart.length();
        let fallback = if self.is_flat { DVec3::Y } else { DVec3::Z };
        let direction = if distance > 0.0 { self.apart / distance } else { fallback };
        Row { error: distance - length, ..self.ball(direction) }
    }

    /// What a limit or a motor is about: the angle of a hinge (in the plane, of a pin) or the
    /// shift of a slider; its error is the value itself.
    pub fn freedom(&self, bodies: &Bodies, joint: &Joint) -> Option<Row> {
        let about = |axis: DVec3| Some(self.spin(axis, self.angle(bodies, joint, axis)));
        match joint.kind.holds() {
            (HeldPoints::Together, HeldTurns::Free | HeldTurns::Parallel) if self.is_flat => {
                about(DVec3::Z)
            }
            (HeldPoints::Together, HeldTurns::Parallel) => about(self.axes[1]),
            (HeldPoints::OnLine, HeldTurns::Locked) => Some(self.along(self.axes[1])),
            _ => None,
        }
    }

    /// The angle by which the first body is turned about the hinge, from -pi to pi.
    fn angle(&self, bodies: &Bodies, joint: &Joint, axis: DVec3) -> f64 {
        let rest = bodies.rotations[self.ends[1]] * joint.rest;
        let off: DQuat = bodies.rotations[self.ends[0]] * rest.inverse();
        let angle = 2.0 * off.xyz().dot(axis).atan2(off.w);
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
    pub fn inverse_effective_mass(&self, bodies: &Bodies, ends: [usize; 2]) -> f64 {
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
