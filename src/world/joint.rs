//! What holds two bodies together, or a body and the world.

use serde::{Deserialize, Serialize};

use super::{Model, State};
use crate::math::{DQuat, DVec3};

/// Two bodies joined, or a body and the world; [`Model::join`] makes one from points and axes of
/// the world.
///
/// ```
/// use riprap::{DQuat, DVec3, JointKind, Model, Motor, Shape, State, Weight};
///
/// let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
/// let door = Shape::cuboid(DVec3::new(1.0, 0.1, 2.0))?;
/// model.add(&mut state, door, DVec3::X, DQuat::IDENTITY, Weight::Density(1.0))?;
/// let at = DVec3::new(0.5, 0.0, 0.0); // the left edge of the door
/// let hinge = model.join(&state, JointKind::Hinge, [Some(0), None], [at; 2], [DVec3::Z; 2]);
/// hinge.limits = Some([0.0, 1.5]); // in radians
/// hinge.motor = Some(Motor { speed: 1.0, most: Some(2.0) });
/// assert_eq!(model.joints[0].points, [DVec3::new(-0.5, 0.0, 0.0), at]);
/// # Ok::<(), riprap::Problem>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// What it holds.
    pub kind: JointKind,
    /// The second is none for the world.
    pub bodies: [Option<u32>; 2],
    /// The points that the joint is about, each in the frame of its body (the world's own).
    pub points: [DVec3; 2],
    /// The line, plane normal, hinge axis or rail, likewise; unit vectors.
    pub axes: [DVec3; 2],
    /// How the first body is turned as seen from the second, at the start.
    pub rest: DQuat,
    /// Least and greatest angle (hinge, in radians) or shift (slider).
    pub limits: Option<[f64; 2]>,
    /// What drives it.
    pub motor: Option<Motor>,
    /// Joined bodies pass through each other unless this is set.
    pub collide: bool,
}

/// What a joint holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JointKind {
    /// The points coincide; in 2D a pin.
    Ball,
    /// The first point stays on a line of the second body.
    Line,
    /// The first point stays on a plane of the second body.
    Plane,
    /// The points coincide, and so do the axes.
    Hinge,
    /// The first body slides along a rail of the second, without turning.
    Slider,
    /// The points coincide; the axes stay perpendicular.
    Universal,
    /// Neither moves against the other.
    Fixed,
    /// The points are at least and at most so far apart: a rope has no least, a bar hardly any room.
    Distance {
        /// 0 for a rope.
        least: f64,
        /// The length.
        most: f64,
    },
    /// The axes stay parallel; the points are free [D14 5].
    Parallel,
    /// The axes stay perpendicular; the points are free [D14 5].
    Perpendicular,
    /// Neither turns against the other; the points are free [D14 5].
    Angle,
}

/// What a joint holds of the two points that it is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeldPoints {
    /// They coincide.
    Together,
    /// The first stays on the line through the second along its axis.
    OnLine,
    /// The first stays on the plane through the second across its axis.
    OnPlane,
    /// They are at least and at most so far apart.
    Apart {
        /// 0 for a rope.
        least: f64,
        /// The length.
        most: f64,
    },
    /// Nothing.
    Free,
}

/// What a joint holds of the way in which two bodies are turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldTurns {
    /// Nothing.
    Free,
    /// The two axes stay parallel.
    Parallel,
    /// The two axes stay perpendicular.
    Perpendicular,
    /// Neither turns against the other.
    Locked,
}

impl JointKind {
    /// Every kind is one of a few conditions on points with one on turns. Methods, `verify` and
    /// pictures go by these, so that a new kind is news to none of them.
    ///
    /// ```
    /// use riprap::world::{HeldPoints, HeldTurns, JointKind};
    /// assert_eq!(JointKind::Slider.holds(), (HeldPoints::OnLine, HeldTurns::Locked));
    /// ```
    pub fn holds(self) -> (HeldPoints, HeldTurns) {
        match self {
            JointKind::Ball => (HeldPoints::Together, HeldTurns::Free),
            JointKind::Line => (HeldPoints::OnLine, HeldTurns::Free),
            JointKind::Plane => (HeldPoints::OnPlane, HeldTurns::Free),
            JointKind::Hinge => (HeldPoints::Together, HeldTurns::Parallel),
            JointKind::Slider => (HeldPoints::OnLine, HeldTurns::Locked),
            JointKind::Universal => (HeldPoints::Together, HeldTurns::Perpendicular),
            JointKind::Fixed => (HeldPoints::Together, HeldTurns::Locked),
            JointKind::Distance { least, most } => {
                (HeldPoints::Apart { least, most }, HeldTurns::Free)
            }
            JointKind::Parallel => (HeldPoints::Free, HeldTurns::Parallel),
            JointKind::Perpendicular => (HeldPoints::Free, HeldTurns::Perpendicular),
            JointKind::Angle => (HeldPoints::Free, HeldTurns::Locked),
        }
    }
}

/// Drives a hinge or a slider.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motor {
    /// Radians or lengths per time.
    pub speed: f64,
    /// The greatest torque or force; none is without limit.
    pub most: Option<f64>,
}

impl Joint {
    /// Whether it is a rope: it can only pull.
    pub fn is_rope(&self) -> bool {
        matches!(self.kind, JointKind::Distance { least, .. } if least <= 0.0)
    }

    /// The least and greatest distance of its points; none if that is not what it holds.
    pub fn distance(&self) -> Option<[f64; 2]> {
        match self.kind {
            JointKind::Distance { least, most } => Some([least, most]),
            _ => None,
        }
    }

    /// Whether it keeps its two points at one place.
    pub fn holds_a_point(&self) -> bool {
        self.kind.holds().0 == HeldPoints::Together
    }

    /// Its two points in the world.
    pub fn ends(&self, state: &State) -> [DVec3; 2] {
        [0, 1].map(|side| state.point(self.bodies[side], self.points[side]))
    }
}

impl Model {
    /// Joins two bodies, or a body and the world, at points and along axes of the world.
    pub fn join(
        &mut self,
        state: &State,
        kind: JointKind,
        bodies: [Option<u32>; 2],
        points: [DVec3; 2],
        axes: [DVec3; 2],
    ) -> &mut Joint {
        let turn =
            |body: Option<u32>| body.map_or(DQuat::IDENTITY, |body| state.rotations[body as usize]);
        let axis = |side: usize| turn(bodies[side]).inverse() * axes[side].normalize_or_zero();
        self.joints.push(Joint {
            kind,
            bodies,
            points: [0, 1].map(|side| state.local(bodies[side], points[side])),
            axes: [axis(0), axis(1)],
            rest: turn(bodies[1]).inverse() * turn(bodies[0]),
            limits: None,
            motor: None,
            collide: false,
        });
        let last = self.joints.len() - 1;
        &mut self.joints[last]
    }

    /// Pairs of bodies that joints let pass through each other, sorted. What a rope, a bar or
    /// a purely rotational joint joins keeps colliding: its points need not meet.
    pub fn exempt(&self) -> Vec<[u32; 2]> {
        let pair = |joint: &Joint| match (joint.bodies, joint.kind.holds().0) {
            (_, HeldPoints::Apart { .. } | HeldPoints::Free) => None,
            ([Some(a), Some(b)], _) if !joint.collide => Some([a.min(b), a.max(b)]),
            _ => None,
        };
        let mut pairs: Vec<[u32; 2]> = self.joints.iter().filter_map(pair).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}
