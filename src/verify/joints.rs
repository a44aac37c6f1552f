//! Joints hold: points that should coincide, stay on a line or plane or keep a
//! distance do so, axes that should agree do, and limits are kept. Bodies that do
//! not turn keep the distances of their joints all along the straight ways between
//! frames, too.

use std::f64::consts::TAU;

use super::Verdict;
use super::checks::{Made, Measure, Step, Subject};
use super::distance::{Way, moving_points};
use super::worst::Worst;
use crate::math::{DQuat, DVec3};
use crate::world::{HeldPoints, HeldTurns, Joint, JointKind, Model, State};

/// Looks at joints, frame after frame.
pub(super) struct Joints<'a> {
    model: &'a Model,
    limit: f64,
    sweeps: bool,
    /// How far a joint is off, and which.
    worst: Worst<usize>,
}

/// How far a joint is off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Off {
    pub length: f64,
    /// In radians.
    pub angle: f64,
}

/// A joint where its bodies are.
struct Placed {
    /// From the second point to the first.
    apart: DVec3,
    axes: [DVec3; 2],
    /// How the first body is turned beyond its rest.
    turned: DQuat,
}

pub(super) fn make(subject: Subject<'_>) -> Made<'_> {
    let model = subject.model;
    let sweeps = model.method.time().is_none();
    let joints = Joints { model, limit: subject.limits.joints, sweeps, worst: Worst::default() };
    (!model.joints.is_empty()).then(|| Box::new(joints) as _)
}

impl<'a> Joints<'a> {
    /// The distance of the points of a joint on the way, beyond what it allows.
    fn on_way(joint: &Joint, from: &State, to: &State) -> f64 {
        let JointKind::Distance { least, most } = joint.kind else { return 0.0 };
        let way = |side: usize| Way {
            from: from.point(joint.bodies[side], joint.points[side]),
            to: to.point(joint.bodies[side], joint.points[side]),
        };
        let (a, b) = (way(0), way(1));
        // Of a straight way the far ends are the farthest.
        let longest = a.from.distance(b.from).max(a.to.distance(b.to));
        (longest - most).max(least - moving_points(a, b))
    }
}

impl Measure for Joints<'_> {
    fn frame(&mut self, step: &Step) {
        let state = &step.frame.state;
        for (number, joint) in self.model.joints.iter().enumerate() {
            let size = size(self.model, joint);
            let off = off(joint, state);
            let mut worst = (off.length / size).max(off.angle);
            if let (true, Some(before)) = (self.sweeps, step.before) {
                worst = worst.max(Joints::on_way(joint, &before.state, state) / size);
            }
            // Of two numbers the maximum is never the one that is none.
            let is_number = off.length.is_finite() && off.angle.is_finite();
            self.worst.note(if is_number { worst } else { f64::NAN }, step.index, number);
        }
    }

    fn report(&mut self, verdict: &mut Verdict) {
        let Worst { value, at } = self.worst;
        let detail = match at {
            Some((frame, joint)) if value > self.limit || value.is_nan() => {
                format!(
                    "joint {joint} is off by {value:.1e} of the smaller radius at frame {frame}"
                )
            }
            _ => format!("all of the {} joints hold", self.model.joints.len()),
        };
        verdict.measure("joints", value, self.limit, detail);
    }
}

/// The radius of the smaller body.
pub(super) fn size(model: &Model, joint: &Joint) -> f64 {
    let radii = joint.bodies.iter().flatten().map(|&body| model.bodies[body as usize].radius);
    radii.fold(f64::INFINITY, f64::min)
}

/// How far a joint is off.
pub(super) fn off(joint: &Joint, state: &State) -> Off {
    let placed = Placed::new(joint, state);
    let Placed { apart, axes, .. } = placed;
    let along = apart.dot(axes[1]);
    let across = (apart - axes[1] * along).length();
    let twist = 2.0 * placed.turned.xyz().length();
    let (parallel, square) = (axes[0].cross(axes[1]).length(), axes[0].dot(axes[1]).abs());
    let (points, turns) = joint.kind.holds();
    let length = match points {
        HeldPoints::Together => apart.length(),
        HeldPoints::OnLine => across,
        HeldPoints::OnPlane => along.abs(),
        HeldPoints::Apart { least, most } => (least - apart.length()).max(apart.length() - most),
        HeldPoints::Free => 0.0,
    };
    let angle = match turns {
        HeldTurns::Free => 0.0,
        HeldTurns::Parallel => parallel,
        HeldTurns::Perpendicular => square,
        HeldTurns::Locked => twist,
    };
    let [shift, turn] = match (points, turns) {
        (HeldPoints::OnLine, HeldTurns::Locked) => [beyond(joint, along, false), 0.0],
        (HeldPoints::Together, HeldTurns::Parallel) => [0.0, beyond(joint, placed.angle(), true)],
        _ => [0.0; 2],
    };
    Off { length: length.max(shift), angle: angle.max(turn) }
}

/// The axis along which, or about which, a joint with limits or a motor is free.
pub(super) fn axis(joint: &Joint, state: &State, flat: bool) -> DVec3 {
    let slides = matches!(joint.kind.holds().0, HeldPoints::OnLine);
    if flat && !slides { DVec3::Z } else { Placed::new(joint, state).axes[1] }
}

/// How far it has gone there.
pub(super) fn value(joint: &Joint, state: &State, flat: bool) -> f64 {
    let placed = Placed::new(joint, state);
    let axis = axis(joint, state, flat);
    match joint.kind.holds().0 {
        HeldPoints::OnLine => placed.apart.dot(axis),
        _ => {
            let angle = 2.0 * placed.turned.xyz().dot(axis).atan2(placed.turned.w);
            angle - TAU * (angle / TAU).round()
        }
    }
}

/// How far a value is beyond the limits of its joint; angles may be so from either side.
fn beyond(joint: &Joint, value: f64, is_angle: bool) -> f64 {
    let Some([least, most]) = joint.limits else { return 0.0 };
    let off = |value: f64| (least - value).max(value - most).max(0.0);
    match is_angle {
        true => off(value).min(off(value + TAU)).min(off(value - TAU)),
        false => off(value),
    }
}

impl Placed {
    fn new(joint: &Joint, state: &State) -> Placed {
        let [one, two] = [0, 1].map(|side| state.point(joint.bodies[side], joint.points[side]));
        let turn =
            |body: Option<u32>| body.map_or(DQuat::IDENTITY, |body| state.rotations[body as usize]);
        let turns = joint.bodies.map(turn);
        Placed {
            apart: one - two,
            axes: [turns[0] * joint.axes[0], turns[1] * joint.axes[1]],
            turned: turns[0] * (turns[1] * joint.rest).inverse(),
        }
    }

    /// By which the first body is turned about the hinge.
    fn angle(&self) -> f64 {
        2.0 * self.turned.xyz().dot(self.axes[1]).atan2(self.turned.w)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::{Frame, samples};

    fn rope(least: f64, to: DVec3) -> Worst<usize> {
        let mut model = samples::model(2);
        model.bodies.iter_mut().for_each(|body| body.radius = 2.0);
        let mut state = State::at_rest(vec![DVec3::ZERO, DVec3::X * 2.0]);
        let kind = JointKind::Distance { least, most: 2.0 };
        let points = [DVec3::ZERO, DVec3::X * 2.0];
        model.join(&state, kind, [Some(0), Some(1)], points, [DVec3::Z; 2]);
        let mut joints =
            Joints { model: &model, limit: 1e-6, sweeps: true, worst: Worst::default() };
        let first = Frame { state: state.clone(), ..samples::frame(0, 2) };
        state.positions[1] = to;
        let second = Frame { state, ..samples::frame(1, 2) };
        joints.frame(&Step { index: 0, is_last: false, before: None, frame: &first });
        joints.frame(&Step { index: 1, is_last: true, before: Some(&first), frame: &second });
        joints.worst
    }

    #[test]
    fn ropes_may_be_slack_but_not_too_long() {
        assert_eq!(rope(0.0, DVec3::X * 0.5), Worst::default());
        assert_eq!(rope(0.0, DVec3::X * 2.5), Worst { value: 0.25, at: Some((1, 0)) });
    }

    #[test]
    fn bars_may_not_be_short_even_on_the_way() {
        assert!((rope(1.8, DVec3::X * 1.5).value - 0.15).abs() < 1e-15);
        // Half a turn in a straight line goes through the other end.
        assert!((rope(1.8, DVec3::X * -2.0).value - 0.9).abs() < 1e-15);
        assert_eq!(rope(1.0, DVec3::Y * 2.0).value, 0.0);
    }

    /// Two boxes joined at a point along x; the second moves and turns.
    fn joined(kind: JointKind, limits: Option<[f64; 2]>, by: DVec3, turn: DQuat) -> [f64; 2] {
        let mut model = samples::model(2);
        let mut state = State::at_rest(vec![DVec3::ZERO, DVec3::X * 2.0]);
        state.rotations[0] = DQuat::from_rotation_y(0.7);
        let axes = match kind {
            JointKind::Universal | JointKind::Perpendicular => [DVec3::X, DVec3::Z],
            _ => [DVec3::Z; 2],
        };
        let joint = model.join(&state, kind, [Some(0), Some(1)], [DVec3::X; 2], axes);
        joint.limits = limits;
        let joint = *joint;
        let still = off(&joint, &state);
        assert!(still.length < 1e-15 && still.angle < 1e-15);
        // About the joint's point, then shifted.
        state.positions[1] = DVec3::X + turn * DVec3::X + by;
        state.rotations[1] = turn * state.rotations[1];
        let Off { length, angle } = off(&joint, &state);
        [length, angle]
    }

    #[test]
    fn every_kind_of_joint_allows_what_it_should() {
        use JointKind::*;
        let (about_z, about_x) = (DQuat::from_rotation_z(0.3), DQuat::from_rotation_x(0.3));
        let (shift, along) = (DVec3::new(0.3, 0.4, 0.0), DVec3::Z * 0.5);
        let near = |found: [f64; 2], expected: [f64; 2]| {
            let off = (0..2).map(|k| (found[k] - expected[k]).abs()).fold(0.0, f64::max);
            assert!(off < 1e-12, "{found:?} {expected:?}");
        };
        let none = DVec3::ZERO;
        near(joined(Ball, None, none, about_x), [0.0, 0.0]);
        near(joined(Ball, None, shift, about_x), [0.5, 0.0]);
        near(joined(Line, None, along, DQuat::IDENTITY), [0.0, 0.0]);
        near(joined(Line, None, shift, DQuat::IDENTITY), [0.5, 0.0]);
        near(joined(Plane, None, shift, about_z), [0.0, 0.0]);
        near(joined(Plane, None, along, about_z), [0.5, 0.0]);
        near(joined(Hinge, None, none, about_z), [0.0, 0.0]);
        near(joined(Hinge, None, none, about_x), [0.0, 0.3_f64.sin()]);
        near(joined(Slider, None, along, DQuat::IDENTITY), [0.0, 0.0]);
        near(joined(Slider, None, none, about_z), [0.0, 2.0 * 0.15_f64.sin()]);
        near(joined(Universal, None, none, about_z), [0.0, 0.0]);
        near(joined(Universal, None, none, DQuat::from_rotation_y(0.3)), [0.0, 0.3_f64.sin()]);
        near(joined(Fixed, None, shift, about_z), [0.5, 2.0 * 0.15_f64.sin()]);
        near(joined(Parallel, None, shift, about_z), [0.0, 0.0]);
        near(joined(Parallel, None, shift, about_x), [0.0, 0.3_f64.sin()]);
        near(joined(Perpendicular, None, shift, about_z), [0.0, 0.0]);
        near(joined(Angle, None, shift, about_x), [0.0, 2.0 * 0.15_f64.sin()]);
        // The first body is turned back by what the second is turned on.
        near(joined(Hinge, Some([-0.4, 0.0]), none, about_z), [0.0, 0.0]);
        near(joined(Hinge, Some([0.0, 0.4]), none, about_z), [0.0, 0.3]);
        near(joined(Slider, Some([-0.1, 0.1]), along, DQuat::IDENTITY), [0.4, 0.0]);
        near(joined(Slider, Some([-0.6, 0.1]), along, DQuat::IDENTITY), [0.0, 0.0]);
    }
}
