//! What joints bear: the forces and torques that each kind can exert, in both
//! directions unless it only pulls or pushes.

use super::Statics;
use crate::math::{BAR, DVec3};
use crate::problem::{Problem, Result};
use crate::step::collapse::gauss::{Ends, axes};
use crate::world::{HeldPoints, HeldTurns, Joint, Model};

/// A rope is taut, a strut pushes, if it is this close to its length, in units of it.
const TAUT: f64 = 1e-6;

/// One thing that a joint can exert on its first body; the second gets the opposite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bearing {
    pub ends: Ends,
    pub push: DVec3,
    pub twist: DVec3,
    /// It can exert the opposite as well.
    pub both_ways: bool,
}

/// Refuses joints that are not at rest by their own nature.
pub(super) fn check(model: &Model) -> Result<()> {
    let moving = |joint: &Joint| joint.motor.is_some() || joint.limits.is_some();
    match model.joints.iter().position(moving) {
        None => Ok(()),
        Some(number) => Err(Problem::new(format!("joint {number} has a motor or limits")).help(
            "whether it stands is asked of joints that hold without effort: leave these out",
        )),
    }
}

impl Statics<'_> {
    /// All that the joints can exert.
    pub(super) fn bearings(&self) -> Vec<Bearing> {
        self.model.joints.iter().flat_map(|joint| self.bearings_of(joint)).collect()
    }

    fn bearings_of(&self, joint: &Joint) -> Vec<Bearing> {
        let (ends, dimension) = (Ends::of_joint(joint, self.state), self.model.dimension);
        let all = axes(dimension).to_vec();
        let turns = if dimension == 2 { vec![DVec3::Z] } else { all.clone() };
        let [one, two] =
            [0, 1].map(|side| self.state.direction(joint.bodies[side], joint.axes[side]));
        let (points, angles) = joint.kind.holds();
        let pushes = match points {
            HeldPoints::Together => all,
            HeldPoints::OnLine => across(&all, two),
            HeldPoints::OnPlane => vec![two],
            HeldPoints::Apart { least, most } => return of_distance(ends, least, most),
            HeldPoints::Free => Vec::new(),
        };
        let twists = match angles {
            HeldTurns::Free => Vec::new(),
            HeldTurns::Parallel => across(&turns, two),
            HeldTurns::Perpendicular => vec![one.cross(two).normalize_or_zero()],
            HeldTurns::Locked => turns,
        };
        let push = |push: DVec3| Bearing { ends, push, twist: DVec3::ZERO, both_ways: true };
        let twist = |twist: DVec3| Bearing { ends, push: DVec3::ZERO, twist, both_ways: true };
        pushes.into_iter().map(push).chain(twists.into_iter().map(twist)).collect()
    }
}

/// A bar bears both ways, a taut rope pulls, a strut at its least length pushes.
fn of_distance(ends: Ends, least: f64, most: f64) -> Vec<Bearing> {
    let apart = ends.at[0] - ends.at[1];
    let (length, along) = (apart.length(), apart.normalize_or_zero());
    let is_bar = most - least <= BAR * most;
    let push = match length {
        _ if is_bar => along,
        length if length >= (1.0 - TAUT) * most => -along,
        length if length <= least + TAUT * most => along,
        _ => return Vec::new(),
    };
    vec![Bearing { ends, push, twist: DVec3::ZERO, both_ways: is_bar }]
}

/// Directions across an axis, out of those of the space: two in 3D, one or two in 2D.
fn across(space: &[DVec3], axis: DVec3) -> Vec<DVec3> {
    let mut found: Vec<DVec3> = Vec::new();
    for direction in space {
        let known = found.iter().chain([&axis]);
        let rest = known.fold(*direction, |rest, k| rest - *k * k.dot(rest));
        // What is left of a unit vector that the others span is rounding.
        if rest.length() > 1e-6 {
            found.push(rest.normalize());
        }
    }
    found
}
