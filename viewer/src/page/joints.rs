//! Joints, the strings that lead to them, and what ties cloth to bodies, each in
//! the frames of what it joins: the page places them frame by frame.

use riprap::math::DVec3;
use riprap::world::{HeldPoints, HeldTurns, Joint, Model};

use super::arrays::Arrays;

/// How a joint is drawn.
const POINT: u8 = 0;
/// A point with an axis through it.
const AXIS: u8 = 1;
/// A point with an axis of each body.
const AXES: u8 = 2;
const ROPE: u8 = 3;
const BAR: u8 = 4;
/// An axis of each body, and no common point.
const TURN: u8 = 5;

/// What stands for the world.
const WORLD: u32 = u32::MAX;

/// A joint, a string, or an attachment of cloth.
struct Drawn {
    look: u8,
    bodies: [Option<u32>; 2],
    points: [DVec3; 2],
    axes: [DVec3; 2],
}

pub(super) fn store(model: &Model, origin: DVec3, arrays: &mut Arrays) {
    let joints = model.joints.iter().map(drawn);
    let tied = model.attachments.iter().map(|tie| Drawn {
        look: POINT,
        bodies: [Some(tie.particle), tie.to],
        points: [DVec3::ZERO, tie.point],
        axes: [DVec3::ZERO; 2],
    });
    // A string goes with a body: both of its ends do.
    let strings = model.strings().into_iter().map(|tie| Drawn {
        look: ROPE,
        bodies: [Some(tie.body); 2],
        points: tie.points,
        axes: [DVec3::ZERO; 2],
    });
    let drawn: Vec<Drawn> = joints.chain(tied).chain(strings).collect();
    arrays.u8("joint look", drawn.iter().map(|joint| joint.look));
    let bodies = drawn.iter().flat_map(|joint| joint.bodies);
    arrays.u32("joint bodies", bodies.map(|body| body.unwrap_or(WORLD)));
    let point = |joint: &Drawn, side: usize| match joint.bodies[side] {
        Some(_) => joint.points[side],
        None => joint.points[side] - origin,
    };
    let points = drawn.iter().flat_map(|joint| [0, 1].map(|side| point(joint, side)));
    arrays.f32("joint points", points.flat_map(|p| p.to_array()));
    let axes = drawn.iter().flat_map(|joint| joint.axes);
    arrays.f32("joint axes", axes.flat_map(|axis| axis.to_array()));
}

fn drawn(joint: &Joint) -> Drawn {
    let look = match joint.kind.holds() {
        (HeldPoints::Apart { .. }, _) if joint.is_rope() => ROPE,
        (HeldPoints::Apart { .. }, _) => BAR,
        (HeldPoints::Free, _) => TURN,
        (HeldPoints::Together, HeldTurns::Free | HeldTurns::Locked) => POINT,
        (_, HeldTurns::Perpendicular) => AXES,
        _ => AXIS,
    };
    Drawn { look, bodies: joint.bodies, points: joint.points, axes: joint.axes }
}

/// The ends that joints have in the world itself.
pub(super) fn anchors(model: &Model) -> impl Iterator<Item = DVec3> + '_ {
    model.joints.iter().flat_map(|joint| {
        [0, 1].into_iter().filter(|&side| joint.bodies[side].is_none()).map(|k| joint.points[k])
    })
}
