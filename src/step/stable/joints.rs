//! What joints bear: the forces and torques that each kind can exert, in both
//! directions unless it only pulls or pushes. A limit that is reached pushes back;
//! a motor holds its joint where it is, with up to its greatest force.

use std::f64::consts::TAU;

use super::Statics;
use crate::contact::Move;
use crate::math::{BAR, DQuat, DVec3};
use crate::step::collapse::gauss::{Ends, axes};
use crate::world::{HeldPoints, HeldTurns, Joint, Motor, State};

/// A rope is taut, a strut pushes, if it is this close to its length, in units of it.
const TAUT: f64 = 1e-6;

/// A limit is reached at less than this from it, in radians, or for a slider in mean radii:
/// dynamics leaves bodies that lean on one as far off as this.
const REACHED: f64 = 1e-3;

/// One thing that a joint can exert on its first body; the second gets the opposite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bearing {
    pub ends: Ends,
    pub push: DVec3,
    pub twist: DVec3,
    /// It can exert the opposite as well.
    pub both_ways: bool,
    /// The greatest force or torque of a motor; none is without limit.
    pub most: Option<f64>,
}

impl Bearing {
    /// How fast what it acts on changes, as bodies move.
    pub fn rate(&self, state: &State, moves: &[Move]) -> f64 {
        let side = |side: usize| match self.ends.bodies[side] {
            Some(body) => {
                let (shift, turn) = moves[body as usize];
                let arm = self.ends.at[side] - state.positions[body as usize];
                self.push.dot(shift + turn.cross(arm)) + self.twist.dot(turn)
            }
            None => 0.0,
        };
        side(0) - side(1)
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
        let bearing =
            |push: DVec3, twist: DVec3| Bearing { ends, push, twist, both_ways: true, most: None };
        let pushes = pushes.into_iter().map(|push| bearing(push, DVec3::ZERO));
        let twists = twists.into_iter().map(|twist| bearing(DVec3::ZERO, twist));
        let mut all: Vec<Bearing> = pushes.chain(twists).collect();
        let Some((push, twist, value)) = self.freedom(joint, two) else { return all };
        let can = |motor: &Motor| motor.most.is_none_or(|most| most > 0.0);
        if let Some(motor) = joint.motor.filter(can) {
            all.push(Bearing { most: motor.most, ..bearing(push, twist) });
        }
        if let Some([least, greatest]) = joint.limits {
            let reached = if twist == DVec3::ZERO { REACHED * self.length } else { REACHED };
            for (sign, room) in [(1.0, value - least), (-1.0, greatest - value)] {
                if room < reached {
                    let limit = bearing(sign * push, sign * twist);
                    all.push(Bearing { both_ways: false, ..limit });
                }
            }
        }
        all
    }

    /// What a motor or a limit acts along or about, and its value: the angle of a hinge (in the
    /// plane, of a pin), the shift of a slider.
    fn freedom(&self, joint: &Joint, axis: DVec3) -> Option<(DVec3, DVec3, f64)> {
        let is_flat = self.model.dimension == 2;
        let about = |axis: DVec3| Some((DVec3::ZERO, axis, self.angle(joint, axis)));
        match joint.kind.holds() {
            (HeldPoints::Together, HeldTurns::Free | HeldTurns::Parallel) if is_flat => {
                about(DVec3::Z)
            }
            (HeldPoints::Together, HeldTurns::Parallel) => about(axis),
            (HeldPoints::OnLine, HeldTurns::Locked) => {
                let [one, two] = joint.ends(self.state);
                Some((axis, DVec3::ZERO, axis.dot(one - two)))
            }
            _ => None,
        }
    }

    /// The angle by which the first body is turned about the hinge, from -pi to pi.
    fn angle(&self, joint: &Joint, axis: DVec3) -> f64 {
        let turn = |side: usize| match joint.bodies[side] {
            Some(body) => self.state.rotations[body as usize],
            None => DQuat::IDENTITY,
        };
        let off = turn(0) * (turn(1) * joint.rest).inverse();
        let angle = 2.0 * off.xyz().dot(axis).atan2(off.w);
        angle - TAU * (angle / TAU).round()
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
    vec![Bearing { ends, push, twist: DVec3::ZERO, both_ways: is_bar, most: None }]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;
    use crate::step::collapse::samples::{add, near};
    use crate::step::stable::{Verdict, stable};
    use crate::world::{JointKind, Model};

    /// A unit cube of unit mass, a length away from its joint, which is at the origin.
    fn hung(kind: JointKind, axis: DVec3, limits: Option<[f64; 2]>, motor: Option<f64>) -> Verdict {
        let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
        add(&mut model, &mut state, Shape::cuboid(DVec3::ONE).unwrap(), DVec3::X);
        let joint = model.join(&state, kind, [Some(0), None], [DVec3::ZERO; 2], [axis; 2]);
        joint.limits = limits;
        joint.motor = motor.map(|most| Motor { speed: 1.0, most: Some(most) });
        stable(&model, &state).unwrap()
    }

    /// A limit pushes back where it is reached, and one way only: the flap would turn by a
    /// positive angle about y.
    #[test]
    fn limits_push_back_where_they_are_reached() {
        let flap = |limits| hung(JointKind::Hinge, DVec3::Y, Some(limits), None).is_balanced();
        assert!(flap([-1.0, 0.0]));
        assert!(!flap([0.0, 1.0]) && !flap([-1.0, 0.5]));
        let lift = |limits| hung(JointKind::Slider, DVec3::Z, Some(limits), None).is_balanced();
        assert!(lift([0.0, 1.0]) && !lift([-1.0, 0.0]));
    }

    /// A motor holds with up to its greatest torque or force; what is beyond that accelerates:
    /// the flap of inertia 1/6 + 1 about its hinge, the lift of unit mass.
    #[test]
    fn motors_hold_with_all_they_have() {
        let flap = |most| hung(JointKind::Hinge, DVec3::Y, None, Some(most));
        assert!(
            flap(1.001).is_balanced() && !flap(0.999).is_balanced() && !flap(0.0).is_balanced()
        );
        let half = flap(0.5).accelerations[0];
        near(half.1.y, 3.0 / 7.0, 1e-9);
        near(half.0.z, -3.0 / 7.0, 1e-9);
        let lift = |most| hung(JointKind::Slider, DVec3::Z, None, Some(most));
        assert!(lift(1.001).is_balanced());
        near(lift(0.4).accelerations[0].0.z, -0.6, 1e-9);
    }

    /// Without a greatest force it holds anything.
    #[test]
    fn a_motor_without_a_limit_holds() {
        let (mut model, mut state) = (Model::new(2, DVec3::NEG_Y), State::default());
        add(&mut model, &mut state, Shape::disc(0.5), DVec3::X * 100.0);
        let ends = [DVec3::ZERO; 2];
        let joint = model.join(&state, JointKind::Ball, [Some(0), None], ends, [DVec3::Z; 2]);
        joint.motor = Some(Motor { speed: 0.0, most: None });
        assert!(stable(&model, &state).unwrap().is_balanced());
    }
}
