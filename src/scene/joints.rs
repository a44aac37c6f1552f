//! What a scene says about joints, ropes and bars: plain data, one list for every method.

use super::{Pairs, Span};
use crate::math::DVec3;

/// What holds two bodies, a body and the world, or pairs of bodies of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct JointEntry {
    pub kind: JointKind,
    pub ends: JointEnds,
    /// Of a rope, a bar or a distance; without it, as long as it starts.
    pub length: Option<f64>,
    /// By how much a bar may be shorter than its length, as a part of it.
    pub tolerance: f64,
    /// Least and greatest angle in radians, shift, or distance.
    pub limits: Option<[f64; 2]>,
    pub motor: Option<MotorEntry>,
    /// Whether the two bodies still touch each other.
    pub collide: bool,
    pub span: Span,
}

/// What a joint holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// The points coincide.
    Ball,
    /// The same in 2D, where the bodies turn about the point: it can have limits and a motor.
    Pin,
    /// The point stays on a line of the second body.
    Line,
    /// The point stays on a plane of the second body.
    Plane,
    /// The bodies turn about a common axis.
    Hinge,
    /// The first body slides along a rail of the second.
    Slider,
    /// The points coincide; an axis of the first stays across one of the second.
    Universal,
    /// Neither moves against the other.
    Fixed,
    /// The points keep their distance, or stay within limits of it.
    Distance,
    /// The points are at most so far apart.
    Rope,
    /// The points are so far apart, up to a tolerance.
    Bar,
    /// An axis of the first stays parallel to one of the second.
    Parallel,
    /// An axis of the first stays across one of the second.
    Perpendicular,
    /// Neither turns against the other.
    Angle,
}

/// Between what a joint acts.
#[derive(Clone, Debug, PartialEq)]
pub enum JointEnds {
    /// Between two bodies, or a body and the world.
    Bodies {
        bodies: [BodyName; 2],
        /// The joint's point on each body at the start, in the frame of the world. None, of
        /// ropes, bars, distances and the kinds that hold turns only: the body's centre of mass.
        points: [Option<DVec3>; 2],
        /// In the frame of the world at the start, of length 1; z where the kind needs none.
        axes: [DVec3; 2],
    },
    /// Between the centres of bodies of a group; of ropes and bars.
    Group { group: String, pairs: Pairs },
}

/// Which body is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyName {
    /// What does not move: the point stays where it is.
    World,
    /// A body of a group, by number within it from 0; without a number, the group's only body.
    Named { group: String, number: Option<usize> },
    /// By number in the order of the scene, from 0.
    Number(usize),
}

/// What drives a hinge, a pin or a slider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotorEntry {
    /// In radians or lengths per time.
    pub speed: f64,
    /// The greatest torque or force; None: no limit.
    pub most: Option<f64>,
}

impl JointKind {
    /// Whether its limits and its motor's speed are angles.
    pub fn turns(self) -> bool {
        matches!(self, JointKind::Hinge | JointKind::Pin)
    }

    /// Whether it holds a distance.
    pub fn is_distance(self) -> bool {
        matches!(self, JointKind::Distance | JointKind::Rope | JointKind::Bar)
    }

    /// Whether it holds turns only, and needs no point.
    pub fn is_rotational(self) -> bool {
        matches!(self, JointKind::Parallel | JointKind::Perpendicular | JointKind::Angle)
    }
}
